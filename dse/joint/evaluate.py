"""Every requirement of a combination, exactly: what the solver's relaxed rows let through is judged here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dse.candidates.limits import ONE_REGION
from dse.joint.flows import Wirer, Wiring
from dse.joint.sides import Side
from dse.joint.totals import Shares, Totals, shares_of, totals
from dse.problem.limits import Limit
from dse.problem.spec import Chain, Problem
from dse.schema import QUANTITIES, UNKNOWN, bound_down, bound_up
from dse.timing.joint import Latency, latencies, loads_by_resource
from dse.timing.ticks import INFINITE

PPM = 1_000_000
LARGEST_HEADROOM = 2**50


@dataclass(frozen=True)
class Missed:
    """A requirement that is missed, in whole numbers of a quantity of `dse.schema.QUANTITIES`.

    ``figure`` and ``limit`` are None where there is no figure: one that nobody knows, or a latency without a bound.
    """

    name: str
    quantity: str
    figure: int | None = None
    limit: int | None = None

    @property
    def excess(self) -> float:
        """How far the figure lies beyond the limit, as a share of the limit; infinite where there is none."""
        if self.figure is None or self.limit is None:
            return math.inf
        return abs(self.figure - self.limit) / max(abs(self.limit), 1)


@dataclass(frozen=True)
class Verdict:
    """One row per task taken together.

    ``missed`` are the requirements that are not met; ``unknown`` names those that lack a figure. ``worst`` is the
    latency of every task that its deadline speaks of [tick], INFINITE without a bound; ``chains`` those of the chains.
    ``figures`` are whole numbers under the names of `dse.schema.QUANTITIES`.
    """

    rows: tuple[int, ...]
    wiring: Wiring
    latencies: tuple[Latency, ...] | None
    worst: tuple[int, ...]
    chains: tuple[int, ...]
    loads: dict[str, int]
    totals: Totals
    figures: dict[str, int]
    missed: tuple[Missed, ...]
    unknown: tuple[str, ...]

    @property
    def feasible(self) -> bool:
        """Whether every requirement is met."""
        return not self.missed

    @property
    def violated(self) -> tuple[str, ...]:
        """Names of the requirements that are missed."""
        return tuple(one.name for one in self.missed)


@dataclass
class Evaluator:
    """Judges combinations of one problem; each only once."""

    problem: Problem
    sides: tuple[Side, ...]
    shares: tuple[Shares, ...] = field(init=False)
    _wirer: Wirer = field(init=False)
    _items: tuple[int, ...] = field(init=False)
    _known: dict[tuple[int, ...], Verdict] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.shares = tuple(shares_of(side) for side in self.sides)
        self._wirer = Wirer(self.problem, self.sides)
        self._items = tuple(max(1, side.context.required_milli_hz) for side in self.sides)

    def judge(self, rows: Sequence[int]) -> Verdict:
        """The verdict on one row per task, all on one device."""
        key = tuple(rows)
        if key not in self._known:
            self._known[key] = self._judged(key)
        return self._known[key]

    def _judged(self, rows: tuple[int, ...]) -> Verdict:
        wiring = self._wirer.wired(rows)
        found = latencies(wiring.flows, self.problem.search.scheduling) if wiring.known else None
        worst = tuple(INFINITE if found is None else self._counted(wiring, found, k) for k in range(len(self.sides)))
        chains = tuple(
            INFINITE if found is None else self._chain(wiring, found, chain) for chain in self.problem.chains
        )
        loads = {name: -int(-share * PPM // 1) for name, share in loads_by_resource(wiring.flows).items()}
        units = [side.unit_of(row) for side, row in zip(self.sides, rows, strict=True)]
        sums = totals(self.shares, units, rows, self._items)
        figures = self._figures(rows, worst, loads, sums)
        missed, unknown = self._requirements(worst, chains, loads, figures, sums)
        return Verdict(rows, wiring, found, worst, chains, loads, sums, figures, missed, unknown)

    def _counted(self, wiring: Wiring, found: Sequence[Latency], k: int) -> int:
        """Latency of a task: from its release where other tasks release it, else from that of the frame."""
        latency = found[wiring.of_task[k]]
        return latency.own if self.sides[k].task.after else latency.finish

    def _chain(self, wiring: Wiring, found: Sequence[Latency], chain: Chain) -> int:
        """From the release of the first task to the end of the last.

        A task that is released by several waits for the last of them: of one outside the chain nothing better is
        known than that it ends so long after the frame.
        """
        place = {side.task.name: wiring.of_task[k] for k, side in enumerate(self.sides)}
        first = place[chain.tasks[0]]
        ends: dict[int, int] = {
            first: found[first].own if self.sides_at(chain.tasks[0]).task.after else found[first].finish
        }

        def end(flow: int) -> int:
            if flow not in ends:
                after = wiring.flows[flow].after
                released = max((end(parent) for parent in after), default=0)
                ends[flow] = released + found[flow].own if after else found[flow].finish
            return ends[flow]

        return end(place[chain.tasks[-1]])

    def sides_at(self, name: str) -> Side:
        """The side of a task."""
        return next(side for side in self.sides if side.task.name == name)

    def _figures(
        self, rows: Sequence[int], worst: Sequence[int], loads: dict[str, int], sums: Totals
    ) -> dict[str, int]:
        deadlines = [side.task.deadline_ms for side in self.sides]
        scale = QUANTITIES["slack_ms"].scale
        slacks = [bound_down(deadline, scale) - late for deadline, late in zip(deadlines, worst, strict=True)
                  if deadline is not None and late < INFINITE]  # fmt: skip
        busiest = max(max(loads.values(), default=1), 1)
        typical = [int(side.candidates.typical_ms[row]) for side, row in zip(self.sides, rows, strict=True)]
        return {
            "worst_case_ms": max(worst),
            "slack_ms": min(slacks, default=UNKNOWN),
            "typical_ms": UNKNOWN if UNKNOWN in typical else max(typical),
            "utilization": busiest,
            "rate_headroom": min(PPM * PPM // busiest - PPM, LARGEST_HEADROOM),
            "power_w": sums.power,
            "price_usd": sums.price,
            "lead_time_weeks": sums.lead_time,
            "memory_mb": sums.memory,
            "energy_mj": sums.energy,
        }

    def _requirements(
        self, worst: Sequence[int], chains: Sequence[int], loads: dict[str, int], figures: dict[str, int], sums: Totals
    ) -> tuple[tuple[Missed, ...], tuple[str, ...]]:
        """Requirements missed and requirements that lack a figure; those of a row alone held already."""
        missed = [*self._of_time(worst, chains, loads), *_of_memory(sums)]
        unknown = []
        # The energy of an item is that of each task: every row alone met it, and company does not change it.
        told = {"energy_mj"} if max(worst) < INFINITE else {"energy_mj", "worst_case_ms", "slack_ms"}
        for limit in self.problem.limits.values():
            if limit.name not in figures or limit.name in told:
                continue
            figure = figures[limit.name]
            if figure == UNKNOWN:
                unknown.append(limit.name)
                if self.problem.unknown_policy(limit) == "reject":
                    missed.append(Missed(limit.name, limit.name))
            else:
                missed += _beyond(limit, figure)
        return tuple(missed), tuple(unknown)

    def _of_time(self, worst: Sequence[int], chains: Sequence[int], loads: dict[str, int]) -> Iterator[Missed]:
        """No bound at all, deadlines of tasks, deadlines of chains."""
        if max(worst) >= INFINITE:
            busiest = max(loads.values(), default=0)
            yield Missed("rate", "utilization", busiest, PPM) if busiest > PPM else Missed("rate", "worst_case_ms")
            return
        ticks = QUANTITIES["worst_case_ms"].scale
        due = [(f"{side.task.name}: deadline_ms", side.task.deadline_ms, late)
               for side, late in zip(self.sides, worst, strict=True)]  # fmt: skip
        due += [(f"chain {chain.name}", chain.deadline_ms, late)
                for chain, late in zip(self.problem.chains, chains, strict=True)]  # fmt: skip
        for name, deadline, late in due:
            if deadline is not None and late > bound_down(deadline, ticks):
                yield Missed(name, "worst_case_ms", late, bound_down(deadline, ticks))


def _of_memory(sums: Totals) -> Iterator[Missed]:
    """What does not fit the device, or one region of it."""
    for name, spare, whole in (
        ("memory capacity", sums.spare, sums.capacity),
        (ONE_REGION, sums.region_spare, sums.region),
    ):
        if spare != UNKNOWN and spare < 0:
            yield Missed(name, "memory_mb", whole - spare, whole)


def _beyond(limit: Limit, figure: int) -> Iterator[Missed]:
    """A limit on the whole system that a known figure misses."""
    scale = QUANTITIES[limit.name].scale
    if limit.minimum is not None and figure < bound_up(limit.minimum, scale):
        yield Missed(limit.name, limit.name, figure, bound_up(limit.minimum, scale))
    elif limit.maximum is not None and figure > bound_down(limit.maximum, scale):
        yield Missed(limit.name, limit.name, figure, bound_down(limit.maximum, scale))
