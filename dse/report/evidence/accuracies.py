"""What an accuracy rests on: published figures of the weights, or the float figure and the loss that was learnt."""

from __future__ import annotations

import numpy as np

from dse.candidates.known import BORROWED
from dse.estimate.accuracy import BASES, FROM_FLOAT, Basis
from dse.estimate.evidence import GRADES
from dse.report.evidence.record import RULE, Evidence, Trace, joined, number
from dse.schema import QUANTITIES

MOST_LOSSES = 12
"""Rows of other weights and tool chains that are listed behind a loss."""


def accuracy(trace: Trace) -> Evidence:
    """Evidence of the accuracy at the precision and tool chain of the lane."""
    candidates, row = trace.candidates, trace.row
    basis = int(candidates.accuracy_basis[row])
    rows = trace.context.accuracy.rows(trace.lane, trace.entry, basis)
    parts = [_figure(trace, one) for one in rows.tolist()]
    found = _learnt(trace, parts, basis) if basis in FROM_FLOAT else _median(trace, parts, basis)
    return _borrowed(trace, found) if trace.catalog.entries.source[trace.entry] == BORROWED else found


def _figure(trace: Trace, row: int) -> Evidence:
    """One row of the accuracies; copies for a network of the user's stand for the row they are of."""
    a, e = trace.catalog.accuracies, trace.catalog.entries
    place = int(a.place[row])
    row = int(np.flatnonzero(a.place == place)[0])
    entry, is_own = int(a.entry[row]), a.toolchain[row] == "known"
    how = "" if is_own else f" {a.toolchain[row]}" if a.toolchain[row] else ""
    return trace.put(
        Evidence(
            id=trace.id_of(place) + ("#accuracy" if is_own else ""),
            figure="accuracy",
            of=f"{e.metric[entry]} {e.dataset[entry]}, {trace.entry_name(entry)} {a.precision[row]}{how}",
            value=number(float(a.accuracy[row])),
            unit="points",
            grade="B" if a.subset[row] else "A",
            kind="measured" if is_own else "read",
            place=trace.catalog.place(place),
            source=str(a.source[row]),
            basis="on a part of the data set" if a.subset[row] else None,
        )
    )


def _value(trace: Trace) -> float:
    return int(trace.candidates.accuracy[trace.row]) / QUANTITIES["accuracy"].scale


def _grade(trace: Trace) -> str:
    return GRADES[int(trace.candidates.accuracy_grade[trace.row])]


def _of(trace: Trace) -> str:
    e, entry = trace.catalog.entries, trace.entry
    return f"{e.metric[entry]} {e.dataset[entry]}, {trace.entry_name(entry)} {trace.lane_words['precision']}"


def _median(trace: Trace, parts: list[Evidence], basis: int) -> Evidence:
    """The only figure as it stands, else the median of several; one of another tool chain is one step weaker."""
    if len(parts) == 1 and basis == Basis.OWN:
        return parts[0]
    ids = ", ".join(part.id for part in parts)
    word = {Basis.OTHER_TOOL_CHAIN: "elsewhere ", Basis.PORTABLE: "unchanged "}.get(Basis(basis), "")
    middle = "median of several figures" if len(parts) > 1 else "one figure"
    name = f"derived:accuracy({word}{ids} at {trace.lane_words['precision']})"
    return _made(trace, name, "derived", parts, f"{BASES[basis]}: {middle}")


def _learnt(trace: Trace, parts: list[Evidence], basis: int) -> Evidence:
    """The float figure less a loss: the rule in words, and for a loss of the network itself the rows it is from."""
    floats = ", ".join(part.id for part in parts)
    precision, group = trace.lane_words["precision"], trace.context.accuracy.group_of(trace.lane)
    if basis == Basis.HALF:
        return _made(trace, f"derived:accuracy({floats} at {precision})", "derived", parts, BASES[basis])
    words = BASES[basis]
    if basis == Basis.SAME_NETWORK:
        rows = trace.context.accuracy.losses(trace.lane, trace.entry).tolist()
        parts = [*parts, *(_figure(trace, one) for one in rows[:MOST_LOSSES])]
        words += f" ({len(rows)} figures{', the first of them listed' if len(rows) > MOST_LOSSES else ''})"
    return _made(trace, f"estimate:accuracy/{precision}/{group}/{floats}", "estimated", parts, words)


def _borrowed(trace: Trace, found: Evidence) -> Evidence:
    """The accuracy of the network that a network of the user's is like."""
    name = f"derived:accuracy({trace.entry_name(trace.entry)} {trace.lane_words['precision']} like {found.id})"
    return _made(trace, name, "derived", [found], BORROWED)


def _made(trace: Trace, name: str, kind: str, parts: list[Evidence], basis: str) -> Evidence:
    return trace.put(
        Evidence(
            id=name,
            figure="accuracy",
            of=_of(trace),
            value=_value(trace),
            unit="points",
            grade=_grade(trace),
            kind=kind,
            place=RULE,
            source=joined(part.source for part in parts),
            basis=basis,
            rests_on=tuple(dict.fromkeys(part.id for part in parts)),
        )
    )
