"""The shapes of the catalogue: chips as objects, everything bulky as parallel columns.

A missing figure is None (chips) or NaN (columns), never zero. Input sizes of 0 mean "not stated".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dse.catalog.parts import Lifecycle, Link, Power, Price, Region, Temperature, price_at
from dse.catalog.places import shown
from dse.patterns import normalise

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
TextArray = npt.NDArray[np.object_]


def text_array(values: Iterable[str]) -> TextArray:
    """A column of texts."""
    listed = list(values)
    array = np.empty(len(listed), dtype=np.object_)
    array[:] = listed
    return array


@dataclass(frozen=True)
class Unit:
    """One kind of processor of a chip that executes networks.

    ``count`` equal cores; ``peak_tops`` rated per precision, whole unit, dense; ``one_inference_share`` the part of
    it a single inference can use; ``tail_class`` a row of ``tails.csv``.
    """

    id: str
    kind: str
    count: int
    peak_tops: dict[str, float]
    one_inference_share: float | None
    sram_kib: float | None
    precisions: tuple[str, ...]
    tail_class: str


@dataclass(frozen=True)
class Mode:
    """A power mode or clock point.

    ``kind``: ``vendor`` (a name of the vendor's), ``measured`` (a label only measurements carry), ``clock``.
    ``compute_scale`` is the compute rate relative to the reference mode, None where it is not known.
    """

    id: str
    kind: str
    budget_w: float | None
    bandwidth_gbs: float | None
    compute_scale: float | None
    reference: bool
    source: str

    @property
    def beyond_rating(self) -> bool:
        """Whether it runs faster than the part is rated for: no rated power holds there."""
        return self.id.startswith("overclocked")


@dataclass(frozen=True)
class Runtime:
    """What executes networks on a chip: the memory it takes itself [10^6 byte], and the link it was measured behind."""

    id: str
    base_mb: float | None
    link: str | None


@dataclass(frozen=True)
class Chip:
    """One chip, module or card that a product designer can buy; ``sources`` maps figures to where they were read.

    ``lead_time_weeks`` is what a supplier quoted [week]: no catalogue file states it.
    ``places`` maps figures and the groups around them to where they stand (see `dse.catalog.places`). Of a chip on a
    board ``taken`` names the things each group of figures was taken from: boards, or the chip itself (empty).
    """

    id: str
    name: str
    vendor: str
    chip_class: str
    form: str
    os: str | None
    release_year: int | None
    cpu: str | None
    cpu_cores: int | None
    toolchain: str | None
    units: tuple[Unit, ...]
    modes: tuple[Mode, ...]
    memory_type: str | None
    bandwidth_gbs: float | None
    capacity_gb: float | None
    regions: tuple[Region, ...]
    runtimes: tuple[Runtime, ...]
    links: tuple[Link, ...]
    power: Power
    temperature: Temperature
    decode_streams_1080p30: float | None
    prices: tuple[Price, ...]
    lifecycle: Lifecycle
    notes: str
    sources: dict[str, str]
    file: str = ""
    plugged: bool = False
    lead_time_weeks: float | None = None
    places: dict[str, int] = field(default_factory=dict)
    taken: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def needs_host(self) -> bool:
        """A card computes nothing without a computer around it."""
        return self.form in ("m2-card", "pcie-card", "card")

    @property
    def behind_link(self) -> bool:
        """Whether data reach it over a link to a host; ``plugged`` says so of a card that has its host."""
        return self.plugged or self.needs_host

    @property
    def latest_price(self) -> Price | None:
        """The newest price of the thing itself when one is bought; of a kit with it where that is all there is."""
        return price_at(self.prices, 1, self.form)

    @property
    def link(self) -> Link | None:
        """The link to the host: the first that is listed."""
        return self.links[0] if self.links else None

    @property
    def link_gbs(self) -> float | None:
        """Raw rate of the link to the host, one way [10^9 byte/s]."""
        return self.link.gbs if self.link else None

    @property
    def reference_mode(self) -> Mode | None:
        """The mode to which unlabelled measurements belong."""
        return next((mode for mode in self.modes if mode.reference), None)

    def unit(self, kind: str) -> Unit | None:
        """The unit of this kind, if the chip has one."""
        return next((unit for unit in self.units if unit.kind == kind), None)

    def mode(self, name: str) -> Mode | None:
        """The mode of this name, if the chip has one."""
        return next((mode for mode in self.modes if mode.id == name), None)

    def runtime(self, name: str) -> Runtime | None:
        """What the chip's file says of a runtime."""
        return next((runtime for runtime in self.runtimes if runtime.id == name), None)


@dataclass(frozen=True)
class Board:
    """What is bought: ``chips_count`` equal chips, and the computer around them if there is one.

    ``host_board`` is another board that this one is plugged into: its price and power come on top. ``cpu_cores`` are
    the board's own. A board with neither is a bare card. ``memory_gb`` is what networks can live in; ``places`` are as
    those of a `Chip`. ``lead_time_weeks`` is what a supplier quoted [week].
    """

    id: str
    name: str
    vendor: str
    chip: str
    chips_count: int
    form: str
    host_board: str | None
    cpu_cores: int | None
    memory_gb: float | None
    links: tuple[Link, ...]
    decode_streams_1080p30: float | None
    power: Power
    temperature: Temperature
    prices: tuple[Price, ...]
    mpn: str | None
    lifecycle: Lifecycle
    notes: str
    sources: dict[str, str]
    file: str = ""
    lead_time_weeks: float | None = None
    places: dict[str, int] = field(default_factory=dict)

    @property
    def latest_price(self) -> Price | None:
        """The newest price of the thing itself when one is bought; of a kit with it where that is all there is."""
        return price_at(self.prices, 1, self.form)


@dataclass(frozen=True)
class Nets:
    """Architectures at an input size, shape (n,): what time depends on.

    A figure's place is the row of ``models.csv`` it was taken from, 0 where it is not known.
    """

    id: TextArray
    family: TextArray
    stem: TextArray
    input_h: IntArray
    input_w: IntArray
    params_m: FloatArray
    gmacs: FloatArray
    binary_gmacs: FloatArray
    activations_m: FloatArray
    params_place: IntArray
    gmacs_place: IntArray
    activations_place: IntArray


@dataclass(frozen=True)
class Entries:
    """What a designer picks, shape (n,): trained weights of a net for one data set and metric.

    ``operators`` are words of `dse.catalog.operators`, empty where not known. ``place`` is the row of ``models.csv``,
    ``license_place`` the line that says which licence it is (of ``facts.csv`` where one does, then ``license_source``
    says where that was read), 0 where there is none.
    """

    net: IntArray
    weights: TextArray
    task: TextArray
    dataset: TextArray
    metric: TextArray
    license: TextArray
    operators: TextArray
    weights_url: TextArray
    macs_source: TextArray
    source: TextArray
    license_source: TextArray
    license_place: IntArray
    place: IntArray


@dataclass(frozen=True)
class Accuracies:
    """Published accuracies, shape (n,), in the units of their metric; ``entry`` is a row of `Entries`.

    ``place`` is where each stands, see `dse.catalog.places`.
    """

    entry: IntArray
    precision: TextArray
    toolchain: TextArray
    chip: TextArray
    accuracy: FloatArray
    low: FloatArray
    high: FloatArray
    subset: BoolArray
    source: TextArray
    place: IntArray


@dataclass(frozen=True)
class Measurements:
    """Measured speeds of selectable chips, shape (n,); one stream, stated precision and batch.

    ``time_ms`` is of the whole batch; ``quantity`` is ``latency`` or ``period``; ``place`` is where the row stands, see
    `dse.catalog.places`.
    """

    chip: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    runtime: TextArray
    net: IntArray
    input_stated: BoolArray
    precision: TextArray
    batch: IntArray
    quantity: TextArray
    time_ms: FloatArray
    statistic: TextArray
    boundary: TextArray
    power_w: FloatArray
    power_boundary: TextArray
    energy_mj: FloatArray
    memory_mb: FloatArray
    source: TextArray
    place: IntArray

    @cached_property
    def of_chip(self) -> dict[str, IntArray]:
        """Rows of every chip, ascending."""
        names, code = np.unique(self.chip.astype(str), return_inverse=True)
        order = np.argsort(code, kind="stable")
        ends = np.cumsum(np.bincount(code, minlength=len(names)))[:-1]
        return dict(zip(names.tolist(), np.split(order, ends), strict=True)) if len(names) else {}


@dataclass(frozen=True)
class Trials:
    """Every measured time an estimate may learn from, shape (n,): one row per network and condition.

    Chips nobody can buy, loaded devices and rates are among them. ``log_ms`` is the natural log of the time per item
    as the source prints it [ms], the median where several rows share a condition; ``low`` and ``high`` are the least
    and the greatest of them, ``count`` their number. ``device`` is the source's own word for the chip, finer than
    ``chip``. ``cores`` and ``batch`` 0, an input size of 0 and NaN mean "not stated".
    """

    vendor: TextArray
    device: TextArray
    chip: TextArray
    mode: TextArray
    unit: TextArray
    cores: IntArray
    streams: IntArray
    runtime: TextArray
    model: TextArray
    input_h: IntArray
    input_w: IntArray
    precision: TextArray
    batch: IntArray
    quantity: TextArray
    statistic: TextArray
    log_ms: FloatArray
    low: FloatArray
    high: FloatArray
    count: IntArray
    gmacs: FloatArray
    params_m: FloatArray
    activations_m: FloatArray


@dataclass(frozen=True)
class Tail:
    """How far slow runs lie above the mean on one class of unit; ``stall_ms`` None where unknown.

    ``place`` is the row of ``tails.csv``, see `dse.catalog.places`.
    """

    p999_over_mean: float
    p99_over_mean: float
    stall_ms: float | None
    grade: str
    source: str
    place: int = 0


@dataclass(frozen=True)
class Catalog:
    """Everything that exists, as read from the catalogue files; ``files`` are their names, as places show them."""

    chips: dict[str, Chip]
    nets: Nets
    entries: Entries
    accuracies: Accuracies
    measurements: Measurements
    trials: Trials
    tails: dict[str, Tail]
    toolchains: tuple[tuple[str, str], ...]
    counts: dict[str, int] = field(default_factory=dict)
    boards: dict[str, Board] = field(default_factory=dict)
    host: str | None = None
    """Board that every bare card is plugged into: the host a problem names."""
    files: tuple[str, ...] = ()

    def place(self, code: int) -> str:
        """File and line of a place, such as ``catalogs/tails.csv:3``; empty where it is not known."""
        return shown(int(code), self.files)

    def platform(self, chip: str, board: str) -> Chip:
        """A chip alone (no board), or as it is bought on a board."""
        return self._mounted[chip, board]

    def board(self, name: str) -> Board | None:
        """The board of this name, whatever its case and dashes."""
        return next((board for board in self.boards.values() if normalise(board.id) == normalise(name)), None)

    @cached_property
    def _mounted(self) -> dict[tuple[str, str], Chip]:
        from dse.catalog.mounted import mounted, narrowed, plugged

        found = {(name, ""): chip for name, chip in self.chips.items()}
        for name, board in self.boards.items():
            found[board.chip, name] = mounted(self.chips[board.chip], board, self.boards)
        if self.host is None:
            return found
        host = self.boards[self.host]
        return {key: plugged(narrowed(one, host), host) if one.needs_host else one for key, one in found.items()}


JsonDict = dict[str, Any]
