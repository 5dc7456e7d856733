"""The verdict on tasks that share a device, by the second road: every figure again, every requirement compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dse.candidates.context import Context
from dse.candidates.regions import CONTENTS, region_mb
from dse.candidates.resources import runtime_mb
from dse.candidates.table import Candidates
from dse.errors import VerificationError
from dse.problem.fields import exact
from dse.problem.limits import Limit
from dse.problem.spec import Chain, Problem
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import TICK_MS
from dse.verify import figures
from dse.verify.bought import lead_time_weeks, price_usd
from dse.verify.journeys import Chosen, Journey, Stop, journeys_of
from dse.verify.together import Bound, bounds_of, loads_of

ZERO = Fraction(0)
MOST_ROUNDINGS = 12
"""Times that are rounded up to ticks and meet in one stop, at most: parts of a stage, servers, copies, contention."""


@dataclass(frozen=True)
class Reported:
    """What the first road says of a combination: latencies of tasks and chains [tick], loads [ppm], figures."""

    worst: tuple[int, ...]
    chains: tuple[int, ...]
    loads: Mapping[str, int]
    figures: Mapping[str, int]


def verify_combination(
    problem: Problem, rows: Sequence[tuple[Context, Candidates, int]], reported: Reported
) -> list[str]:
    """Check what is said of one row per task on one device, and that it meets every requirement.

    Returns
    -------
    list of str
        What was checked, one line each.

    Raises
    ------
    VerificationError
        A figure or verdict is wrong.
    """
    chosen = [Chosen(context, int(table.run[row]), int(table.option[row])) for context, table, row in rows]
    journeys, place = journeys_of(problem, chosen)
    bounds = bounds_of(journeys, problem.search.scheduling)
    if bounds is None:
        raise VerificationError("a combination without a bound was chosen")
    loosest = bounds_of([_rounded_up(one) for one in journeys], problem.search.scheduling)
    largest = _check_times(problem, place, bounds, loosest, reported)
    _check_loads(journeys, reported.loads)
    again = _figures(chosen)
    for name, value in again.items():
        _check_figure(name, value, reported.figures[name])
    compared = _check_requirements(problem, place, bounds, again, reported)
    _check_memory(problem, chosen)
    return [
        f"{len(place)} latencies recomputed in exact fractions from the problem's own words, with all tasks on the "
        f"device: the reported ones lie at most {float(largest):.3g} ms above; loads, power, price and memory again",
        f"{compared} requirements of the combination compared with what was recomputed",
    ]


def _rounded_up(one: Journey) -> Journey:
    """A journey with every time so much longer that no rounding to ticks can exceed it."""
    most = max([MOST_ROUNDINGS, *(stop.work.batch + MOST_ROUNDINGS for stop in one.stops)]) * TICK_MS

    def longer(stop: Stop) -> Stop:
        work = stop.work
        more = replace(work, per_item=work.per_item + most, fixed=work.fixed + (most if work.batch > 1 else ZERO),
                       timeout=work.timeout + TICK_MS)  # fmt: skip
        return replace(stop, work=more, memory=stop.memory + most)

    arrivals = replace(one.arrivals, period=one.arrivals.period - TICK_MS, jitter=one.arrivals.jitter + most)
    return replace(
        one,
        arrivals=arrivals,
        stops=tuple(longer(stop) for stop in one.stops),
        delay=one.delay + most,
        variation=one.variation + most,
        saved=max(ZERO, one.saved - most),
    )


def _check_times(
    problem: Problem, place: Sequence[int], bounds: Sequence[Bound], loosest: Sequence[Bound] | None, reported: Reported
) -> Fraction:
    """Reported latencies are no shorter than the exact ones, nor longer than rounding explains; largest difference."""
    largest = ZERO
    said = [(task.name, ticks) for task, ticks in zip(problem.tasks, reported.worst, strict=True)]
    said += [(f"chain {chain.name}", ticks) for chain, ticks in zip(problem.chains, reported.chains, strict=True)]
    exact_ms = _latencies(problem, place, bounds)
    most_ms = None if loosest is None else _latencies(problem, place, loosest)
    for (name, ticks), least in zip(said, exact_ms, strict=True):
        shown = ticks * TICK_MS
        if shown < least:
            raise VerificationError(f"latency of {name}: {float(least)} ms recomputed, {float(shown)} ms reported")
        largest = max(largest, shown - least)
    for (name, ticks), most in zip(said, most_ms or exact_ms, strict=True):
        if most_ms is not None and ticks * TICK_MS > most:
            raise VerificationError(
                f"latency of {name}: at most {float(most)} ms recomputed, {float(ticks * TICK_MS)} ms reported"
            )
    return largest


def _latencies(problem: Problem, place: Sequence[int], bounds: Sequence[Bound]) -> list[Fraction]:
    """Latency of every task, from the release by others where there are such, then of every chain [ms]."""
    at = {task.name: bounds[k] for task, k in zip(problem.tasks, place, strict=True)}
    tasks = [at[task.name].own if task.after else at[task.name].finish for task in problem.tasks]
    return tasks + [_chain_ms(problem, at, chain) for chain in problem.chains]


def _chain_ms(problem: Problem, at: Mapping[str, Bound], chain: Chain) -> Fraction:
    """From the release of the first task to the end of the last, which waits for the last of those that release it."""
    first = chain.tasks[0]

    def end(name: str) -> Fraction:
        after = problem.task(name).after
        if name == first or not after:
            return at[name].own if after else at[name].finish
        return max(end(parent) for parent in after) + at[name].own

    return end(chain.tasks[-1])


def _check_loads(journeys: Sequence[Journey], reported: Mapping[str, int]) -> None:
    """Loads are those of full batches; where a batch may close early, they may be higher."""
    least, most = loads_of(journeys), loads_of([_rounded_up(one) for one in journeys])
    early = {stop.resource for one in journeys for stop in one.stops if stop.work.batch > 1 and stop.policy != "count"}
    if least.keys() != reported.keys():
        raise VerificationError(f"resources: {sorted(least)} recomputed, {sorted(reported)} reported")
    for name, ppm in reported.items():
        step = _step("utilization")
        shown = ppm * step
        if shown + step < least[name] or (name not in early and shown > most[name] + step):
            raise VerificationError(f"load of {name}: {float(least[name])} recomputed, {float(shown)} reported")


def _figures(chosen: Sequence[Chosen]) -> dict[str, Fraction | None]:
    """Power, price, delivery time and memory of the device, None where unknown."""
    return {
        "power_w": _power_w(chosen),
        "price_usd": price_usd(chosen[0].context, chosen[0].run),
        "lead_time_weeks": lead_time_weeks(chosen[0].context, chosen[0].run),
        "memory_mb": _used_mb(chosen),
    }


def _power_w(chosen: Sequence[Chosen]) -> Fraction | None:
    """Measured units add up, each with its hungriest network; a rated figure covers the whole chip. Host once."""
    own = [figures.own_power_w(one.context, one.run) for one in chosen]
    whole = [figures.power_w(one.context, one.run) for one in chosen]
    units: dict[str, Fraction] = {}
    rated = added = ZERO
    for one, watts, system in zip(chosen, own, whole, strict=True):
        if watts is None or system is None:
            return None
        added = max(added, system - exact(watts))
        if one.context.runs.power_w[one.run] > 0:
            units[one.unit] = max(units.get(one.unit, ZERO), exact(watts))
        else:
            rated = max(rated, exact(watts))
    return max(rated, sum(units.values(), ZERO)) + added


def _runtimes_mb(chosen: Sequence[Chosen]) -> list[Fraction]:
    """Memory of the runtime of every row."""
    lanes = [(one.context.chip_of(one.run), one, one.context.lane_of(one.run)) for one in chosen]
    return [exact(runtime_mb(chip, one.unit, str(one.context.lanes.runtime[lane]))) for chip, one, lane in lanes]


def _once_mb(chosen: Sequence[Chosen]) -> Fraction:
    """Memory of all runtimes, each once."""
    words = [(one.unit, str(one.context.lanes.runtime[one.context.lane_of(one.run)])) for one in chosen]
    return sum(dict(zip(words, _runtimes_mb(chosen), strict=True)).values(), ZERO)


def _used_mb(chosen: Sequence[Chosen]) -> Fraction | None:
    """Weights and activations of all networks and every runtime once."""
    total = _once_mb(chosen)
    for one, base in zip(chosen, _runtimes_mb(chosen), strict=True):
        used, _least = figures.memory_mb(one.context, one.run)
        if used is None:
            return None
        total += max(ZERO, used - base)
    return total


def _check_memory(problem: Problem, chosen: Sequence[Chosen]) -> None:
    """What is known to be needed fits the device, and each content its region."""
    chip = chosen[0].context.chip_of(chosen[0].run)
    pairs = list(zip(chosen, _runtimes_mb(chosen), strict=True))
    needed = [max(ZERO, figures.memory_mb(one.context, one.run)[1] - base) for one, base in pairs]
    least = _once_mb(chosen) + sum(needed, ZERO)
    rounding = _step("memory_mb") * (len(chosen) + 1)
    capacity = float(chosen[0].context.resources.capacity_mb[chosen[0].run])
    if math.isfinite(capacity) and least > exact(capacity) + rounding:
        raise VerificationError(f"memory: {float(least)} MB needed, {capacity} MB there")
    kept_free = exact(problem.reserve.memory_mb or 0.0)
    for content in CONTENTS:
        needs = [float(one.context.resources.region_needs.of(content)[one.run]) for one in chosen]
        together = sum((exact(need) for need in needs if math.isfinite(need)), ZERO)
        together += kept_free if content == CONTENTS[0] else ZERO
        room = region_mb(chip, content)
        if math.isfinite(room) and together > exact(room) + rounding:
            raise VerificationError(f"{content}: {float(together)} MB needed, {room} MB in one region")


def _check_figure(name: str, value: Fraction | None, number: int) -> None:
    """A recomputed figure agrees with the reported one to the steps of its rounding."""
    if (value is None) != (number == UNKNOWN):
        shown = None if number == UNKNOWN else number * float(_step(name))
        raise VerificationError(f"{name}: {value and float(value)} recomputed, {shown} reported")
    if value is not None and abs(value - number * _step(name)) > 8 * _step(name):  # parts are rounded one by one
        raise VerificationError(f"{name}: {float(value)} recomputed, {number * float(_step(name))} reported")


def _step(name: str) -> Fraction:
    return Fraction(1, QUANTITIES[name].scale)


def _check_requirements(
    problem: Problem,
    place: Sequence[int],
    bounds: Sequence[Bound],
    again: Mapping[str, Fraction | None],
    reported: Reported,
) -> int:
    """Deadlines, chains and limits on the whole system; how many were compared."""
    times = _latencies(problem, place, bounds)
    dues = [(task.name, task.deadline_ms) for task in problem.tasks]
    dues += [(f"chain {chain.name}", chain.deadline_ms) for chain in problem.chains]
    compared = 0
    for (name, deadline), time in zip(dues, times, strict=True):
        if deadline is not None:
            compared += 1
            if time > exact(deadline):
                raise VerificationError(f"{name} takes {float(time)} ms, its deadline is {deadline:g} ms")
    slacks = [exact(deadline) - time for (_name, deadline), time in zip(dues[: len(place)], times, strict=False)
              if deadline is not None]  # fmt: skip
    busiest = max(reported.loads.values(), default=0) * _step("utilization")
    values = {**again, "worst_case_ms": max(times[: len(place)]), "slack_ms": min(slacks, default=None),
              "utilization": busiest, "rate_headroom": 1 / max(busiest, _step("utilization")) - 1}  # fmt: skip
    for limit in problem.limits.values():
        if limit.name in values:
            compared += 1
            _check_limit(problem, limit, values[limit.name])
    return compared


def _check_limit(problem: Problem, limit: Limit, value: Fraction | None) -> None:
    if value is None:
        if problem.unknown_policy(limit) == "reject":
            raise VerificationError(f"{limit.name}: the figure is unknown and unknown ones are rejected")
        return
    above = limit.maximum is not None and value > exact(limit.maximum)
    if above or (limit.minimum is not None and value < exact(limit.minimum)):
        raise VerificationError(f"{limit.name}: {float(value)} misses its limit")
