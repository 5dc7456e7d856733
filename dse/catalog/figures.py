"""Every figure of a chip or board by its path in the file, with the source that covers it.

Names, classes and kinds say what a thing is; they are no figures and need no source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from dse.catalog.evidence import Evidence, parse, source_of
from dse.catalog.parts import Lifecycle, Power, Temperature
from dse.catalog.types import Board, Chip, Mode, Unit

Value = float | str
DECIDING = ("int8_tops", "bandwidth_gbs", "power_w", "price_usd")
"""The columns that decide a purchase: how many of their figures a document confirms is counted apart."""


@dataclass(frozen=True)
class Figure:
    """One figure: ``path`` in its file, ``source`` as written there (None: it has none).

    ``column`` names one of `DECIDING` where the figure is of that kind.
    """

    path: str
    value: Value
    source: str | None
    column: str = ""

    @property
    def evidence(self) -> Evidence | None:
        """The parts of the source."""
        return None if self.source is None else parse(self.source)


def chip_figures(chip: Chip) -> list[Figure]:
    """Figures of a chip in the order of its file."""
    plain: list[tuple[str, Value | None]] = [
        ("release_year", chip.release_year),
        ("cpu", chip.cpu),
        ("cpu_cores", chip.cpu_cores),
        *_group("lifecycle", chip.lifecycle),
        *(pair for unit in chip.units for pair in _unit(unit)),
        ("memory.type", chip.memory_type),
        ("memory.bandwidth_gbs", chip.bandwidth_gbs),
        ("memory.capacity_gb", chip.capacity_gb),
        *((f"memory.regions.{region.id}", region.kib) for region in chip.regions),
        *_links(chip),
        *((f"runtimes.{runtime.id}.base_mb", runtime.base_mb) for runtime in chip.runtimes),
        *_group("power", chip.power),
        *_group("temperature", chip.temperature),
        ("video_decode.streams_1080p30", chip.decode_streams_1080p30),
    ]
    return [*_sourced(plain, chip.sources), *(f for mode in chip.modes for f in _mode(mode)), *_prices(chip)]


def board_figures(board: Board) -> list[Figure]:
    """Figures of a board in the order of its file."""
    plain: list[tuple[str, Value | None]] = [
        ("host.cpu_cores", board.cpu_cores),
        ("memory_gb", board.memory_gb),
        *_links(board),
        ("video_decode.streams_1080p30", board.decode_streams_1080p30),
        *_group("power", board.power),
        *_group("temperature", board.temperature),
        *_group("lifecycle", board.lifecycle),
        ("mpn", board.mpn),
    ]
    return [*_sourced(plain, board.sources), *_prices(board)]


def paths(entry: Chip | Board) -> set[str]:
    """Paths a source may stand for: figures, and the groups around them."""
    figures = chip_figures(entry) if isinstance(entry, Chip) else board_figures(entry)
    parts = [figure.path.split(".") for figure in figures]
    known = {".".join(part[:count]) for part in parts for count in range(1, len(part) + 1)}
    if isinstance(entry, Chip):
        known |= {f"{unit.id}.count" for unit in entry.units}  # that there is one core may be sourced too
        known |= set() if entry.cpu_cores is None else {"cpu"}  # stands for their number as well
    return known | {f"links.{link.id}" for link in entry.links} | ({"prices"} if entry.prices else set())


def _sourced(plain: list[tuple[str, Value | None]], sources: dict[str, str]) -> Iterator[Figure]:
    for path, value in plain:
        if value is not None:
            covered_by = "cpu" if path == "cpu_cores" and path not in sources else path  # the text says how many
            yield Figure(path, value, source_of(covered_by, sources), _column(path))


def _column(path: str) -> str:
    """Which of `DECIDING` a path belongs to."""
    if path.endswith("peak_tops.int8"):
        return "int8_tops"
    if path == "memory.bandwidth_gbs":
        return "bandwidth_gbs"
    return "power_w" if path.startswith("power.") and path.endswith("_w") else ""


def _unit(unit: Unit) -> Iterator[tuple[str, Value | None]]:
    if unit.count > 1:
        yield f"{unit.id}.count", unit.count
    for precision, tops in unit.peak_tops.items():
        yield f"{unit.id}.peak_tops.{precision}", tops
    yield f"{unit.id}.one_inference_share", unit.one_inference_share
    yield f"{unit.id}.sram_kib", unit.sram_kib
    if unit.precisions:
        yield f"{unit.id}.precisions", " ".join(unit.precisions)


def _links(entry: Chip | Board) -> Iterator[tuple[str, Value | None]]:
    for link in entry.links:
        yield f"links.{link.id}.generation", link.generation
        yield f"links.{link.id}.lanes", link.lanes
        yield f"links.{link.id}.gbs", link.gbs


def _mode(mode: Mode) -> Iterator[Figure]:
    """A mode states its source itself; the reference mode's rate of 1 is no figure."""
    scale = None if mode.reference else mode.compute_scale
    plain = (("budget_w", mode.budget_w), ("bandwidth_gbs", mode.bandwidth_gbs), ("compute_scale", scale))
    for name, value in plain:
        if value is not None:
            column = "power_w" if name == "budget_w" else ""
            yield Figure(f"modes.{mode.id}.{name}", value, mode.source or None, column)


def _prices(entry: Chip | Board) -> Iterator[Figure]:
    for number, price in enumerate(entry.prices):
        source = price.source or source_of("prices", entry.sources)
        yield Figure(f"prices.{number}.usd", price.usd, source, "price_usd")


def _group(name: str, group: Power | Temperature | Lifecycle) -> Iterator[tuple[str, Value | None]]:
    """Figures of a group; what they refer to is a word, not a figure."""
    return ((f"{name}.{f.name}", getattr(group, f.name)) for f in fields(group) if f.name not in ("boundary", "at"))
