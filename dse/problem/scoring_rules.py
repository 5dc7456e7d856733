"""Rules on how weights and values of a scoring fit together; none of them needs a catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from dse.problem.fields import exact
from dse.problem.raw import Finding, get
from dse.problem.scoring import number
from dse.problem.vocabulary import Vocabulary
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

Findings = Iterator[Finding]


def values_have_weights(data: Raw, _: Vocabulary) -> Findings:
    """What a figure is worth counts only where the figure has a weight."""
    weights, values = get(data, "scoring", "weights"), get(data, "scoring", "values")
    if isinstance(weights, dict) and isinstance(values, dict):
        for name in values:
            if name not in weights:
                hint = "give it one, 0 if it must not count, or remove it here"
                yield Finding(("scoring", "values", name), f"`{name}` has no weight", hint)


def accuracies_are_percent(data: Raw, _: Vocabulary) -> Findings:
    """Accuracies with a score run from 0 to 100, as everywhere."""
    for path, figure in _figures(data, ("scoring", "values", "accuracy")):
        if figure is not None and 0 < figure <= 1:
            hint = f"accuracies are percent: write {float(exact(figure) * 100):g}, not {figure:g}"
            yield Finding(path, "is at most one percent", hint)


def _figures(data: Raw, path: Path) -> Iterator[tuple[Path, float | None]]:
    """Figures of the points at a path, in either way to write them, each with its place."""
    points = get(data, *path)
    if isinstance(points, dict):
        yield from (((*path, key), number(key, key=True)) for key in points)
    elif isinstance(points, list):
        for index, point in enumerate(points):
            if isinstance(point, list) and point:
                yield (*path, index, 0), number(point[0])


RULES = (values_have_weights, accuracies_are_percent)
