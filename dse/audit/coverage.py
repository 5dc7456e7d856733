"""How much of the world the catalogue covers: counts, shares of sourced and confirmed figures, chips by task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from dse.catalog.figures import DECIDING, Figure, board_figures, chip_figures
from dse.catalog.types import Catalog

WELL_MEASURED = 10
"""Measurements that make a unit of a chip a measured device."""


def coverage(catalog: Catalog) -> dict[str, Any]:
    """The object that ``dse catalog coverage --json`` prints.

    ``devices_measured`` counts units of selectable chips with at least `WELL_MEASURED` measurements on that very
    unit. ``sourced_share`` is of all figures of chips and boards, ``confirmed_share`` of those in the deciding
    columns: read in a document or derived from figures that were. ``chips_with_power`` counts chips with a power of
    stated boundary (a figure of the chip or of a board with it, the budget of a mode, or a measurement);
    ``chips_with_price`` those with a dated price of stated kind (of the chip or of a board with it).
    """
    chips, boards = catalog.chips, catalog.boards
    of_chips = [figure for chip in chips.values() for figure in chip_figures(chip)]
    figures = of_chips + [figure for board in boards.values() for figure in board_figures(board)]
    deciding = {name: [figure for figure in figures if figure.column == name] for name in DECIDING}
    power, price = power_evidence(catalog), price_evidence(catalog)
    m = catalog.measurements
    units = Counter(zip(m.chip.tolist(), m.unit.tolist(), strict=True))
    return {
        "chips": len(chips),
        "vendors": len({chip.vendor for chip in chips.values()}),
        "devices_measured": sum(count >= WELL_MEASURED for count in units.values()),
        "models": catalog.counts["model_entries"],
        "measurements": catalog.counts["measured_rows"],
        "measurements_of_chips_on_sale": len(m.chip),
        "boards": len(boards),
        "figures": len(figures),
        "sourced_share": share(figure.source is not None for figure in figures),
        "confirmed_share": share(_is_confirmed(figure) for name in DECIDING for figure in deciding[name]),
        "confirmed": {
            name: {"figures": len(of_kind), "share": share(_is_confirmed(figure) for figure in of_kind)}
            for name, of_kind in deciding.items()
        },
        "chips_with_power": len(power),
        "chips_with_power_by": dict(sorted(Counter(word for words in power.values() for word in words).items())),
        "chips_with_price": len(price),
        "chips_with_price_by": dict(sorted(Counter(word for words in price.values() for word in words).items())),
        "matrix": matrix(catalog),
    }


def power_evidence(catalog: Catalog) -> dict[str, set[str]]:
    """Chips whose power is known with its boundary, and from what: chip, mode, board, measured."""
    found: dict[str, set[str]] = {}
    for chip in catalog.chips.values():
        if chip.power.known and chip.power.boundary:
            found.setdefault(chip.id, set()).add("chip")
        if any(mode.budget_w is not None for mode in chip.modes):
            found.setdefault(chip.id, set()).add("mode")  # a budget is of the module or chip it is set on
    for board in catalog.boards.values():
        if board.power.known and board.power.boundary:
            found.setdefault(board.chip, set()).add("board")
    m = catalog.measurements
    known = (np.isfinite(m.power_w) | np.isfinite(m.energy_mj)) & (m.power_boundary != "")
    for name in set(m.chip[known].tolist()):
        found.setdefault(name, set()).add("measured")
    return found


def price_evidence(catalog: Catalog) -> dict[str, set[str]]:
    """Chips with a dated price of stated kind, and of what: chip or board."""
    found: dict[str, set[str]] = {}
    for word, things in (("chip", catalog.chips.values()), ("board", catalog.boards.values())):
        for thing in things:
            if any(price.date and price.kind for price in thing.prices):
                found.setdefault(getattr(thing, "chip", thing.id), set()).add(word)
    return found


def matrix(catalog: Catalog) -> dict[str, dict[str, int]]:
    """Measurements per chip and task, chips without any included; networks without a task count as ``other``."""
    entries, m = catalog.entries, catalog.measurements
    task_of = dict(zip(entries.net.tolist(), entries.task.tolist(), strict=True))
    counts: dict[str, Counter[str]] = {name: Counter() for name in sorted(catalog.chips)}
    for chip, net in zip(m.chip.tolist(), m.net.tolist(), strict=True):
        counts[chip][task_of.get(net) or "other"] += 1
    return {name: dict(sorted(of_chip.items())) for name, of_chip in counts.items()}


def share(verdicts: Iterable[bool]) -> float:
    """Share of true verdicts, to four digits; 0 of none."""
    listed = list(verdicts)
    return round(sum(listed) / len(listed), 4) if listed else 0.0


def _is_confirmed(figure: Figure) -> bool:
    """Whether a document stands behind a figure; a mode names its documents in free words, recalled ones too."""
    if figure.path.startswith("modes."):
        return bool(figure.source) and "recalled" not in str(figure.source)
    evidence = figure.evidence
    return evidence is not None and evidence.confirmed
