"""A sweep in the terminal, from points written by hand."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dse.report.swept import headline, show_swept

TASK = {"model": "m", "input_h": 96, "precision": "int8", "batch": 1, "unit": "cpu", "accuracy": 50.0,
        "worst_case_ms": 5.0, "flagged": None}  # fmt: skip
DEVICE = {"chip": "a", "board": None, "mode": "default", "power_w": 1.0, "price_usd": None}


def counts(**changed: int) -> dict[str, int]:
    return {"points": 9, "with_design": 9, "designs": 3, "winner_changes": 5, "infeasible": 0, "unknown": 0, **changed}


def swept(*points: dict, fields: tuple[str, ...] = ("limits.power_w",), chains: tuple[str, ...] = (), **some: int):
    return {
        "problem": {"name": "Quick", "file": "q.yaml"},
        "fields": list(fields),
        "tasks": ["see", "again"],
        "chains": list(chains),
        "counts": counts(**some),
        "points": list(points),
    }


def point(value: object, *flagged: str | None, chains: dict | None = None, changes: bool | None = None) -> dict:
    return {
        "values": {"limits.power_w": value, "limits.price_usd": None},
        "winner_changes": changes,
        "status": "optimal" if flagged else "infeasible",
        "reason": "why",
        "device": DEVICE,
        "tasks": {f"t{k}": {**TASK, "flagged": cell} for k, cell in enumerate(flagged)},
        "chains": {name: {"worst_case_ms": ms} for name, ms in (chains or {}).items()},
    }


def shown(data: dict) -> list[str]:
    console = Console(width=150, file=io.StringIO())
    show_swept(data, console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("some", "end"),
    [
        ({}, "9 with a design; 3 different designs win, another design than before at 5 points"),
        ({"winner_changes": 1}, "3 different designs win, another design than before at 1 point"),
        ({"winner_changes": 0}, "3 different designs win"),
        ({"designs": 1, "winner_changes": 0}, "9 with a design; 1 design wins"),
        ({"with_design": 0, "designs": 0, "infeasible": 8, "unknown": 1}, "8 infeasible, 1 stopped without an answer"),
    ],
)
def test_the_first_line_counts_designs_and_changes(some, end):
    line = headline(swept(**some))
    assert line.startswith("Quick: 9 points, ")
    assert line.endswith(end)


def test_what_is_unknown_and_passes_is_said_at_the_end():
    """A point counts once, whichever of its tasks has the flag."""
    flagged = "price_usd | chip.sram_kib"
    lines = shown(swept(point(1, "price_usd", flagged), point(2, None, "price_usd"), point(3, None)))
    assert lines[-2:] == [
        "price_usd is unknown and passes at 2 points",
        "chip.sram_kib is unknown and passes at 1 point",
    ]


def test_worst_cases_of_chains_have_columns():
    both = {"both": 12.5, "[b]": 7.0}
    lines = shown(swept(point(1, None, None, chains=both), point(2), chains=("both", "[b]"), winner_changes=0))
    assert lines[1].split()[-8:] == ["worst", "ms", "both", "ms", "[b]", "ms", "W", "$"]
    assert lines[2].split()[-4:] == ["12.5", "7.00", "1.00", "?"]
    assert lines[3].split() == ["2", "infeasible:", "why"]


def test_the_legend_says_along_which_field():
    one = shown(swept(point(1, None), point(2, None, changes=True)))
    assert one[-1] == "→ another design wins than at the nearest point before that has one"
    two = shown(swept(point(1, None), point(2, None, changes=True), fields=("limits.price_usd", "limits.power_w")))
    assert two[-1] == f"{one[-1]} (in a grid: along the last field, else along the one before it)"
