"""Multiply-accumulates of an Einstein sum, for the cases whose order of work is plain: one or two factors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dse.catalog.onnxfile.graph import Shape


def einsum_macs(equation: str, shapes: Sequence[Shape]) -> int | None:
    """Products that are summed up; 0 where nothing is summed, None where it cannot be told.

    Parameters
    ----------
    equation : str
        As in ONNX and NumPy: ``bhid,bhjd->bhij``; without an arrow, letters that occur once form the output.
    shapes : sequence of shapes
        Of the factors. Three or more may be multiplied in any order, with different work: not told.

    Examples
    --------
    >>> einsum_macs("bhid,bhjd->bhij", [(1, 12, 197, 64), (1, 12, 197, 64)]) == 12 * 197 * 197 * 64
    True
    >>> einsum_macs("...ik,kj->...ij", [(2, 3, 4), (4, 5)]), einsum_macs("ij,ij->ij", [(2, 3), (2, 3)])
    (120, 0)
    >>> einsum_macs("i,i,i->i", [(2,), (2,), (2,)]) is None
    True
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes) or len(terms) > 2:
        return None
    labelled = [_labels(term, shape) for term, shape in zip(terms, shapes, strict=True)]
    sizes: dict[str, int] = {}
    for labels, shape in zip(labelled, shapes, strict=True):
        if labels is None:
            return None
        for label, size in zip(labels, shape, strict=True):
            if size != sizes.get(label, size) and 1 not in (size, sizes[label]):
                return None
            sizes[label] = max(size, sizes.get(label, 1))
    if len(terms) < 2:
        return 0
    letters = "".join(terms)
    kept = set(right) if arrow else {letter for letter in letters if letters.count(letter) == 1}
    summed = any(len(label) == 1 and label not in kept for label in sizes)
    return prod(sizes.values()) if summed else 0


def _labels(term: str, shape: Shape) -> list[str] | None:
    """One label per axis; those of an ellipsis count from its end, as broadcasting does. None where they do not fit."""
    before, dots, after = term.partition("...")
    spare = len(shape) - len(before) - len(after)
    if (
        spare < 0
        or (spare > 0 and not dots)
        or not (before + after).isalpha() * bool(before + after) + (not before + after)
    ):
        return None
    return [*before, *(f"...{place}" for place in range(spare, 0, -1)), *after]
