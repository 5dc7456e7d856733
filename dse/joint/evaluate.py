"""Every requirement of a combination, exactly: what the solver's relaxed rows let through is judged here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dse.candidates.limits import ONE_REGION
from dse.joint.flows import Wirer, Wiring
from dse.joint.sides import Side
from dse.joint.totals import Shares, Totals, shares_of, totals
from dse.problem.fields import exact
from dse.problem.limits import Limit
from dse.problem.spec import Chain, Problem
from dse.schema import QUANTITIES, UNKNOWN, bound_down, bound_up
from dse.timing.joint import Latency, latencies, loads_by_resource
from dse.timing.ticks import INFINITE

PPM = 1_000_000
LARGEST_HEADROOM = 2**50


@dataclass(frozen=True)
class Verdict:
    """One row per task taken together.

    ``violated`` names the requirements that are missed; ``unknown`` those that lack a figure. ``worst`` is the latency
    of every task that its deadline speaks of [tick], INFINITE without a bound; ``chains`` those of the chains.
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
    violated: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def feasible(self) -> bool:
        """Whether every requirement is met."""
        return not self.violated


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
        violated, unknown = self._requirements(worst, chains, figures, sums)
        return Verdict(rows, wiring, found, worst, chains, loads, sums, figures, violated, unknown)

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
            "memory_mb": sums.memory,
            "energy_mj": sums.energy,
        }

    def _requirements(
        self, worst: Sequence[int], chains: Sequence[int], figures: dict[str, int], sums: Totals
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Requirements missed and requirements that lack a figure; those of a row alone held already."""
        ticks = QUANTITIES["worst_case_ms"].scale
        violated, unknown = [], []
        if max(worst) >= INFINITE:
            violated.append("rate")
        for side, late in zip(self.sides, worst, strict=True):
            if side.task.deadline_ms is not None and late > bound_down(side.task.deadline_ms, ticks):
                violated.append(f"{side.task.name}: deadline_ms")
        for chain, late in zip(self.problem.chains, chains, strict=True):
            if late > bound_down(chain.deadline_ms, ticks):
                violated.append(f"chain {chain.name}")
        if sums.spare != UNKNOWN and sums.spare < 0:
            violated.append("memory capacity")
        if sums.region_spare != UNKNOWN and sums.region_spare < 0:
            violated.append(ONE_REGION)
        for limit in self.problem.limits.values():
            if limit.name in figures:
                met = self._met(limit, figures[limit.name])
                if met is None:
                    unknown.append(limit.name)
                if met is False or (met is None and self.problem.unknown_policy(limit) == "reject"):
                    violated.append(limit.name)
        return tuple(violated), tuple(unknown)

    def _met(self, limit: Limit, figure: int) -> bool | None:
        """Whether a limit on the whole system holds; None where the figure is not known."""
        if limit.name == "energy_mj":
            return True  # of each task: every row alone met it, and company does not change it
        if figure == UNKNOWN:
            return None
        scale = QUANTITIES[limit.name].scale
        above = limit.minimum is None or figure >= bound_up(limit.minimum, scale)
        return above and (limit.maximum is None or figure <= bound_down(limit.maximum, scale))


def as_fraction_ms(ticks: int) -> float:
    """Ticks in milliseconds."""
    return float(exact(ticks) / QUANTITIES["worst_case_ms"].scale)
