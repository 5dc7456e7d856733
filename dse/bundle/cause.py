"""Which change moves the winner, judged on the rows: one thing of the older ones at a time becomes the newer's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dse.bundle.difference import shown
from dse.bundle.standing import Field, Key, failing, lacking
from dse.candidates.limits import Rule
from dse.report.breaks import UNITS
from dse.schema import QUANTITIES

JsonObject = dict[str, Any]
IDENTITY = ("unit", "cores", "runtime", "model", "weights", "input_h", "input_w", "precision", "batch", "policy",
            "timeout_ms", "buffers", "board", "host", "mode", "link", "devices")  # fmt: skip
"""What makes two rows of a chip the same design."""
EVIDENCE_OF: Mapping[str, str] = {
    **dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high"), "accuracy"),
    **dict.fromkeys(("worst_case_ms", "slack_ms", "typical_ms", "low_ms", "high_ms"), "latency"),
    **dict.fromkeys(("rate_hz", "rate_headroom", "utilization"), "latency"),
    **dict.fromkeys(("temperature_min_c", "temperature_max_c", "temperature_at"), "temperature"),
    **dict.fromkeys(("lifecycle_status", "lifecycle_until", "last_buy", "lifecycle_as_of"), "lifecycle"),
    "power_w": "power",
    "energy_mj": "energy",
    "price_usd": "price",
    "memory_mb": "memory",
    "lead_time_weeks": "lead_time",
}
"""Key in the evidence of a row, by figure; a figure that is not here has its own name there."""


@dataclass(frozen=True)
class Swap:
    """One thing of the older comparison that becomes the newer's.

    Parameters
    ----------
    kind : str
        ``figure``, ``design``, ``row``, ``standing``, ``limit`` or ``objectives``.
    text : str
        It in words.
    apply : callable
        From rows and limits to those with it.
    chip, name : str
        The row and the figure or limit; empty where there is none.
    evidence : tuple of str
        What the figure rested on, and rests on now.
    """

    kind: str
    text: str
    apply: Callable[[Field], Field]
    chip: str = ""
    name: str = ""
    evidence: tuple[str | None, str | None] = (None, None)

    def data(self) -> JsonObject:
        """The change as JSON."""
        return {
            "kind": self.kind,
            "chip": self.chip or None,
            "name": self.name or None,
            "evidence": list(self.evidence),
            "text": self.text,
        }


@dataclass(frozen=True)
class Causes:
    """Changes that move the winner: each alone, or together; ``explained`` is false where the rows cannot tell."""

    alone: tuple[Swap, ...] = ()
    together: tuple[Swap, ...] = ()
    explained: bool = False


def causes(old: Field, new: Field, before: Key | None, after: Key | None, sources: Callable[[str], str]) -> Causes:
    """What moves the winner from `before` to `after`.

    Parameters
    ----------
    old, new : Field
        Rows, limits and objectives of both comparisons.
    before, after : tuple of str, optional
        The winners the comparisons name.
    sources : callable
        From an id of evidence of the newer comparison to its source, in words.

    Notes
    -----
    The set is found by taking away one change after the other for as long as the winner stays, those of other chips
    than the two winners first: none of it can be left out, and there may be smaller ones.
    """
    if old.winner() != before or new.winner() != after:
        return Causes()
    swaps = list(swaps_between(old, new, sources))
    alone = tuple(swap for swap in swaps if swap.apply(old).winner() == after)
    if alone:
        # Where a limit or a figure moves it, other designs are what comes of it.
        causing = tuple(swap for swap in alone if swap.kind not in ("design", "row"))
        return Causes(causing or alone, (), explained=True)
    if not swaps or _all(old, swaps).winner() != after:
        return Causes()
    concerned = {" ".join(key) for key in (before, after) if key is not None} | {""}
    kept = swaps
    for swap in sorted(swaps, key=lambda swap: swap.chip in concerned):
        fewer = [one for one in kept if one is not swap]
        if _all(old, fewer).winner() == after:
            kept = fewer
    return Causes((), tuple(kept), explained=True)


def swaps_between(old: Field, new: Field, sources: Callable[[str], str]) -> Iterator[Swap]:
    """Everything in which two comparisons differ and on which a choice may hang."""
    if old.goals != new.goals:
        text = f"objectives: {_goals(old)} → {_goals(new)}"
        yield Swap("objectives", text, lambda field: replace(field, goals=new.goals), name="objectives")
    for name in dict.fromkeys([*old.rules, *new.rules]):
        before, after = old.rules.get(name), new.rules.get(name)
        if before != after:
            text = f"limit {name}: {_bound(before)} → {_bound(after)}"
            yield Swap("limit", text, _with_rule(name, after), name=name)
    figures = tuple(dict.fromkeys([*old.figures, *new.figures]))
    for key in dict.fromkeys([*old.rows, *new.rows]):
        yield from _of_row(key, old.rows.get(key), new.rows.get(key), figures, sources)


def _of_row(
    key: Key, old: JsonObject | None, new: JsonObject | None, figures: Sequence[str], sources: Callable[[str], str]
) -> Iterator[Swap]:
    chip = " ".join(key)
    if old is None or new is None:
        text = f"{chip}: {'new among the rows' if old is None else 'no longer among the rows'}"
        yield Swap("row", text, _with_row(key, new), chip=chip)
    elif any(old[name] != new[name] for name in IDENTITY):
        text = f"design on {chip}: {design_words(old)} → {design_words(new)}"
        yield Swap("design", text, _with_row(key, new), chip=chip)
    else:
        for name in figures:
            if old[name] != new[name]:
                ids = evidence_id(old, name), evidence_id(new, name)
                text = f"{name} of {chip}: {shown(old[name])} → {_amount(name, new[name])}"
                source = sources(ids[1] or "")
                text += f" ({source})" if source else ""
                yield Swap("figure", text, _with_figures(key, {name: new[name]}), chip, name, ids)
        said = {name: new[name] for name in ("breaks", "lacks")}
        gone, come = (failing(row) | lacking(row) for row in (old, new))
        others = sorted((gone ^ come) - set(figures))
        if others:
            text = f"{chip} and {', '.join(others)}: {'met now' if others[0] in gone else 'not met any more'}"
            yield Swap("standing", text, _with_figures(key, said), chip, others[0])


def evidence_id(row: JsonObject, figure: str) -> str | None:
    """Id of the evidence of a figure; None where there is none."""
    found = row.get("evidence") or {}
    value = found.get(EVIDENCE_OF.get(figure, figure), found.get(figure))
    return value if isinstance(value, str) else None


def design_words(row: JsonObject) -> str:
    """A design in words."""
    if row["model"] is None:
        return "none"
    size = f"@{row['input_h']}" if row["input_h"] else ""
    words = [
        f"{row['model']}{size}",
        row["precision"],
        row["unit"] and f"on {row['unit']}",
        row["board"] or "",
        row["mode"],
    ]
    return " ".join(str(word) for word in words if word)


def _all(field: Field, swaps: Sequence[Swap]) -> Field:
    for swap in swaps:
        field = swap.apply(field)
    return field


def _with_rule(name: str, rule: Rule | None) -> Callable[[Field], Field]:
    def apply(field: Field) -> Field:
        rules = {key: value for key, value in field.rules.items() if key != name}
        return replace(field, rules=rules if rule is None else {**rules, name: rule})

    return apply


def _with_row(key: Key, row: JsonObject | None) -> Callable[[Field], Field]:
    def apply(field: Field) -> Field:
        if row is None:
            return replace(field, rows={name: value for name, value in field.rows.items() if name != key})
        return replace(field, rows={**field.rows, key: row})  # a row that is there keeps its place among ties

    return apply


def _with_figures(key: Key, figures: Mapping[str, object]) -> Callable[[Field], Field]:
    return lambda field: replace(field, rows={**field.rows, key: {**field.rows[key], **figures}})


def _amount(name: str, value: object) -> str:
    unit = QUANTITIES[name].unit
    return f"{shown(value)} {UNITS.get(unit, unit)}".strip() if value is not None else "unknown"


def _goals(field: Field) -> str:
    return ", ".join(
        f"{goal.objective.sense} {goal.objective.name}" + (f" within {goal.objective.within:g}" if goal.within else "")
        for goal in field.goals
    )


def _bound(rule: Rule | None) -> str:
    if rule is None:
        return "none"
    quantity = QUANTITIES.get(rule.column)
    if quantity is None:
        return "as asked"
    unit = UNITS.get(quantity.unit, quantity.unit)
    signs = (("≥", rule.minimum), ("≤", rule.maximum))
    words = [f"{sign} {bound / quantity.scale:g} {unit}".strip() for sign, bound in signs if bound is not None]
    return " and ".join(words) + ("" if rule.reject_unknown else " or unknown")
