"""Every figure of one chip, board or network, with its source and how sure it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.catalog.evidence import parse
from dse.catalog.figures import Figure, board_figures, chip_figures
from dse.catalog.types import Board, BoolArray, Catalog, Chip
from dse.patterns import matches, normalise

Row = dict[str, Any]
NOT_STATED = "source not stated"
GRADE_OF = {"read": "A", "derived": "B", "recalled": "D"}
"""Grade of a figure of a chip or board: read in a document, derived from such figures, recalled; E without a source."""


def grade_of(source: str | None) -> str:
    """Grade of a figure of a chip or board by its source; a mode may name several documents at once."""
    if source is None:
        return "E"
    said = parse(source)
    return GRADE_OF[said.confidence] if said is not None else "D" if "recalled" in source else "B"


def names(catalog: Catalog) -> set[str]:
    """Everything ``show`` knows."""
    return set(catalog.chips) | set(catalog.boards) | set(catalog.nets.id.tolist())


def details(catalog: Catalog, name: str, measured: str | None = None) -> list[Row] | None:
    """Figures of a chip and of the boards of its name, or of a network; None when nothing has this name.

    With `measured`, a pattern on the other side's names (models of a chip, chips of a model), its measurements.
    """
    chip, board = (_named(things, name) for things in (catalog.chips, catalog.boards))
    nets = [k for k, net in enumerate(catalog.nets.id) if normalise(net) == normalise(name)]
    if measured is not None and (chip is not None or nets):
        m = catalog.measurements
        return _measured(catalog, m.chip == chip.id if chip is not None else np.isin(m.net, nets), measured)
    rows = _of_chip(chip, catalog) if isinstance(chip, Chip) else []
    rows += _of_board(board) if isinstance(board, Board) else []
    return rows or (_of_model(catalog, nets) if nets else None)


def _named(things: Mapping[str, Chip | Board], name: str) -> Chip | Board | None:
    return next((thing for thing in things.values() if normalise(thing.id) == normalise(name)), None)


def _measured(catalog: Catalog, chosen: BoolArray, pattern: str) -> list[Row]:
    """Measurements one by one: what ran where, time of the batch, statistic and source."""
    m, nets = catalog.measurements, catalog.nets
    rows = []
    for k in np.flatnonzero(chosen).tolist():
        model = str(nets.id[m.net[k]])
        if matches(pattern, model) or matches(pattern, m.chip[k]):
            how = f"{m.precision[k]} batch {m.batch[k]} {m.unit[k]} {m.runtime[k]} {m.mode[k]}".strip()
            figure = f"{m.chip[k]} {model}@{nets.input_h[m.net[k]]} {how} {m.quantity[k]} ms ({m.statistic[k]})"
            vague = m.statistic[k] == "not-stated" or not m.input_stated[k]
            grade = "E" if m.quantity[k] == "period" else "B" if vague else "A"
            rows.append(_row(figure, round(float(m.time_ms[k]), 4), grade, m.source[k]))
    return sorted(rows, key=lambda row: row["figure"])


def _of_chip(chip: Chip, catalog: Catalog) -> list[Row]:
    words = {"name": chip.name, "vendor": chip.vendor, "class": chip.chip_class, "form": chip.form, "os": chip.os,
             "toolchain": chip.toolchain, "units": " ".join(unit.id for unit in chip.units),
             "power.boundary": chip.power.boundary, "temperature.at": chip.temperature.at}  # fmt: skip
    m = catalog.measurements
    counts = Counter(zip(m.unit[m.chip == chip.id].tolist(), m.runtime[m.chip == chip.id].tolist(), strict=True))
    return [
        *(_row(name, value, "", "") for name, value in words.items()),
        *_figures(chip_figures(chip), chip),
        *(
            _row(f"board.{board.id}", board.name, "", "catalogs/boards")
            for board in catalog.boards.values()
            if board.chip == chip.id
        ),
        *(
            _row(f"measurements {unit} {runtime}", count, "", "catalogs/measurements")
            for (unit, runtime), count in sorted(counts.items())
        ),
        *([_row("notes", chip.notes, "", "")] if chip.notes else []),
    ]


def _of_board(board: Board) -> list[Row]:
    words = {"name": board.name, "vendor": board.vendor, "form": board.form, "chip": board.chip,
             "chips_count": board.chips_count, "host.board": board.host_board,
             "power.boundary": board.power.boundary, "temperature.at": board.temperature.at}  # fmt: skip
    return [
        *(_row(name, value, "", "") for name, value in words.items()),
        *_figures(board_figures(board), board),
        *([_row("notes", board.notes, "", "")] if board.notes else []),
    ]


def _figures(figures: list[Figure], thing: Chip | Board) -> list[Row]:
    rows = []
    for figure in figures:
        value: Any = figure.value
        if figure.path.startswith("prices."):
            price = thing.prices[int(figure.path.split(".")[1])]
            value = f"{price.usd:g} ({price.kind}, {price.date}, at {price.quantity or 'unstated quantity'})"
        rows.append(_row(figure.path, value, grade_of(figure.source), figure.source or NOT_STATED))
    return rows


def _of_model(catalog: Catalog, nets: list[int]) -> list[Row]:
    e, n, a = catalog.entries, catalog.nets, catalog.accuracies
    rows: list[Row] = []
    for net in nets:
        size = f"@{n.input_h[net]}x{n.input_w[net]}" if n.input_h[net] else ""
        of_net = np.flatnonzero(e.net == net)
        source = str(e.source[of_net[0]]) if len(of_net) else ""
        rows.append(_row(f"family{size}", str(n.family[net]), "", ""))
        for name in ("params_m", "gmacs", "activations_m"):
            value = float(getattr(n, name)[net])
            known = None if np.isnan(value) else round(value, 4)
            rows.append(_row(f"{name}{size}", known, "" if known is None else "B", source or NOT_STATED))
        for entry in of_net.tolist():
            rows += [
                _row(f"{name}{size} {e.weights[entry]}".strip(), words[entry], "", "catalogs/models/facts.csv")
                for name, words in (("operators", e.operators), ("license", e.license), ("weights_url", e.weights_url))
                if words[entry]
            ]
            rows += [
                _row(
                    f"{e.metric[entry]} {e.dataset[entry]}{size} {e.weights[entry]} {a.precision[k]}",
                    round(float(a.accuracy[k]), 3),
                    "B" if a.subset[k] else "A",
                    f"{a.toolchain[k]} {a.source[k]}".strip(),
                )
                for k in np.flatnonzero(a.entry == entry).tolist()
            ]
    return rows


def _row(figure: str, value: object, grade: str, source: str) -> Row:
    return {"figure": figure, "value": value, "grade": grade, "source": source}
