"""Judges an answer without the solver: every requirement recomputed from unscaled figures, the optimum re-proven.

Two roads that share no code with the model: the chosen design is worked out again in exact fractions, from the
catalogue's own figures and the exact bounds; and the choice is repeated by plain enumeration over the candidate
table in Python numbers. A disagreement is a bug in dse and raises `VerificationError`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dse.candidates.context import Context
from dse.candidates.limits import Rule
from dse.candidates.path import INCLUDES_TRANSFER, LINK_USABLE_SHARE
from dse.candidates.preference import Goal
from dse.candidates.resources import reserve_of
from dse.candidates.survey import Survey
from dse.candidates.table import Candidates
from dse.errors import VerificationError
from dse.problem.fields import exact
from dse.problem.stage import INFER
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.exact import ExactArrivals, Network
from dse.timing.path import worst_case_exact

ZERO = Fraction(0)
TICK_MS = Fraction(1, QUANTITIES["worst_case_ms"].scale)


def verify_choice(context: Context, found: Survey, row: int, goals: Sequence[Goal]) -> list[str]:
    """Check that the chosen row meets every requirement and that no candidate is better.

    Parameters
    ----------
    context, found
        The task and the pass over its candidates.
    row : int
        Position of the chosen candidate among those that were kept.
    goals
        The objectives, most important first.

    Returns
    -------
    list of str
        What was proven, one line each.

    Raises
    ------
    VerificationError
        The answer is wrong.
    """
    candidates = found.kept
    worst = exact_worst_case_ms(context, candidates, row)
    reported = Fraction(int(candidates.worst_case_ms[row]), QUANTITIES["worst_case_ms"].scale)
    if worst is None or worst > reported:
        raise VerificationError(f"worst case: {worst} ms exactly, {reported} ms reported")
    figures = exact_figures(context, candidates, row, worst)
    rounding = _rounding(context)
    for rule in context.rules:
        _check_rule(rule, figures, candidates, row, rounding)
    checked = enumerate_best(candidates, goals)
    _check_objectives(candidates, row, checked, goals)
    return [
        f"every one of {len(context.rules)} requirements recomputed in exact fractions",
        f"optimum re-proven by enumerating {len(found.feasible):,} feasible of {found.total:,} candidates",
    ]


def verify_infeasible(context: Context, found: Survey) -> list[str]:
    """Check that every candidate breaks a requirement, the closest misses of the deadline in exact fractions.

    Raises
    ------
    VerificationError
        A candidate meets everything, or meets its deadline exactly by more than the rounding of its path.
    """
    if len(found.feasible):
        raise VerificationError("a candidate breaks no requirement, yet nothing was found")
    deadline = context.task.deadline_ms
    for row in range(len(found.misses) if deadline is not None else 0):
        worst = exact_worst_case_ms(context, found.misses, row)
        if worst is not None and deadline is not None and worst <= exact(deadline) - _rounding(context):
            raise VerificationError(f"a candidate meets its deadline: {float(worst)} ms against {deadline} ms")
    closest = f"; the {len(found.misses)} closest misses of the deadline recomputed in exact fractions"
    return [f"each of {found.total:,} candidates breaks a requirement" + (closest if len(found.misses) else "")]


def _rounding(context: Context) -> Fraction:
    """Every time on the path rounds up by less than a tick, and every item in the queue repeats it."""
    return TICK_MS * (4 * context.arrivals.streams * (len(context.stages) + 3) + 100)


def exact_worst_case_ms(context: Context, candidates: Candidates, row: int) -> Fraction | None:
    """The bound of one candidate in exact fractions, from the run's own figures; None without a bound."""
    run = int(candidates.run[row])
    runs, option = context.runs, context.options[int(candidates.option[row])]
    source = context.problem.source_of(context.task)
    arrivals = ExactArrivals(
        source.streams,
        context.problem.period_ms(context.task),
        exact(source.jitter_ms),
        source.may_stop,
        source.phase == "synchronous",
    )
    infer = next(stage for stage in context.stages if stage.name == INFER)
    service = exact(float(context.service.service_ms[run])) + exact(infer.contention_ms)
    batch = int(runs.batch[run])
    delay, variation, before, after, series, overlap = _stages(context, run, option.buffers, service / batch)
    network = Network(
        batch=batch,
        fixed=ZERO if batch == 1 else service,
        per_item=(service if batch == 1 else ZERO) + series,
        timeout=exact(option.timeout_ms),
    )
    return worst_case_exact(
        arrivals,
        network,
        dynamic=option.dynamic,
        before=before,
        after=after,
        delay=delay + exact(float(context.service.extra_ms[run])),
        variation=variation,
        overlap=overlap,
    )


def _stages(
    context: Context, run: int, buffers: int, service: Fraction
) -> tuple[Fraction, Fraction, tuple[Fraction, ...], tuple[Fraction, ...], Fraction, Fraction]:
    """Delay, variation, item stages before and after, what runs in series with the network, hidden transfer [ms]."""
    runs, catalog = context.runs, context.knowledge.catalog
    chip, lane = context.chip_of(run), context.lane_of(run)
    net = int(runs.net[run])
    megapixels = Fraction(int(catalog.nets.input_h[net]) * int(catalog.nets.input_w[net]), 10**6)
    position = next(k for k, stage in enumerate(context.stages) if stage.name == INFER)
    timed = [stage for stage in context.stages if stage.delay_ms is None and stage.name != INFER]
    uses = Counter(stage.resource for stage in timed)
    serial = uses["cpu"] > float(context.resources.cores_left[run])
    delay = variation = series = overlap = ZERO
    before: list[Fraction] = []
    after: list[Fraction] = []
    for k, stage in enumerate(context.stages):
        if stage.name == INFER:
            continue
        if stage.delay_ms is not None:
            delay += exact(stage.delay_ms) + exact(stage.variation_ms)
            variation += exact(stage.variation_ms) if k < position else ZERO
            continue
        time = exact(stage.contention_ms)
        for figure, factor in ((stage.time_ms, Fraction(1)), (stage.ms_per_mpx, megapixels)):
            value = figure.on(chip.id) if figure is not None else None
            time += exact(value) * factor if value is not None else ZERO
        if stage.mbytes is not None:
            time += _transfer_ms(
                stage.mbytes,
                chip.needs_host,
                chip.link_gbs,
                chip.bandwidth_gbs,
                megapixels,
                context.lanes.boundary[lane] in INCLUDES_TRANSFER,
            )
        hidden = min(time, service) * exact(stage.overlap)
        on_unit = stage.resource in ("npu", "gpu", "dla", "dsp", "mcu", "fpga")
        crowded = serial if stage.resource == "cpu" else on_unit or uses[stage.resource] > 1
        if crowded or (buffers == 1 and stage.resource == "dma" and k == position - 1):
            series += time - hidden
        else:
            (before if k < position else after).append(time)
            overlap += hidden
    return delay, variation, tuple(before), tuple(after), series, overlap


def _transfer_ms(
    mbytes: float | str, card: bool, link: float | None, memory: float | None, megapixels: Fraction, counted: bool
) -> Fraction:
    share = exact(LINK_USABLE_SHARE)
    size = 3 * megapixels if isinstance(mbytes, str) else exact(mbytes)
    if card:
        return ZERO if counted else size / (share * exact(link or 1))
    return ZERO if isinstance(mbytes, str) else size / (share * exact(memory or 1))


def exact_figures(context: Context, candidates: Candidates, row: int, worst: Fraction) -> dict[str, Fraction | None]:
    """Quantities of one candidate from the catalogue's own figures, None where unknown."""
    run = int(candidates.run[row])
    chip = context.chip_of(run)
    host = context.problem.host
    counted = chip.needs_host and host is not None and not host.absent and not host.owned
    own = _own_power(context, run)
    host_power = host.power_w if counted and host is not None else 0.0
    price = chip.latest_price.usd if chip.latest_price else None
    host_price = host.price_usd if counted and host is not None else 0.0
    deadline = context.task.deadline_ms
    return {
        "worst_case_ms": worst,
        "power_w": _sum(own, host_power, reserve_of(context.problem, chip)[2]),
        "price_usd": _sum(price, host_price),
        "slack_ms": None if deadline is None else exact(deadline) - worst,
        "accuracy_low": QUANTITIES["accuracy"].value(int(candidates.accuracy_low[row])),
        "accuracy": QUANTITIES["accuracy"].value(int(candidates.accuracy[row])),
    }


def _own_power(context: Context, run: int) -> float | None:
    """The ladder again, from the chip itself."""
    runs = context.runs
    measured = float(runs.power_w[run])
    if measured == measured:  # noqa: PLR0124 - not NaN
        return measured
    chip = context.chip_of(run)
    mode = chip.mode(context.lanes.mode[context.lane_of(run)])
    if mode is not None and mode.budget_w is not None:
        return mode.budget_w
    if chip.max_w is not None:
        return chip.max_w
    return None if chip.typical_w is None else round(chip.typical_w * 1.5, 6)


def _sum(*parts: float | None) -> Fraction | None:
    """Exact sum; unknown as soon as one part is."""
    return (
        None if any(part is None for part in parts) else sum((exact(part) for part in parts if part is not None), ZERO)
    )


def _check_rule(
    rule: Rule, figures: dict[str, Fraction | None], candidates: Candidates, row: int, rounding: Fraction
) -> None:
    """One requirement against the recomputed figure, or the table's own where there is no second road."""
    if rule.column not in figures:
        return
    scale = QUANTITIES[rule.column].scale
    value = figures[rule.column]
    if value is None:
        if rule.reject_unknown:
            raise VerificationError(f"{rule.name}: the figure is unknown and unknown ones are rejected")
        return
    if rule.maximum is not None and value > Fraction(rule.maximum, scale):
        raise VerificationError(f"{rule.name}: {float(value)} is more than {rule.maximum / scale}")
    if rule.minimum is not None and value < Fraction(rule.minimum, scale):
        raise VerificationError(f"{rule.name}: {float(value)} is less than {rule.minimum / scale}")
    shown = (
        QUANTITIES[rule.column].value(int(getattr(candidates, rule.column)[row]))
        if hasattr(candidates, rule.column)
        else value
    )
    allowed = rounding if rule.column in ("worst_case_ms", "slack_ms") else Fraction(1, scale)
    if shown is None or abs(shown - value) > allowed:
        raise VerificationError(f"{rule.name}: {float(value)} recomputed, {shown} in the table")


def enumerate_best(candidates: Candidates, goals: Sequence[Goal]) -> list[int]:
    """Feasible positions no later objective can improve on, by the definition and in Python numbers."""
    left = np.flatnonzero(candidates.violated == 0).tolist()
    exact_steps: list[dict[int, int]] = []
    for goal in goals:
        values = getattr(candidates, goal.quantity.name)
        column = dict(zip(left, values[left].tolist(), strict=True))
        known = [position for position in left if column[position] != UNKNOWN]
        if not known:
            continue
        step = goal.quantity.resolution
        sign = -1 if goal.maximize else 1
        steps = {p: sign * (column[p] // step if goal.maximize else -(-column[p] // step)) for p in known}
        limit = min(steps.values()) + goal.within
        left = [position for position in known if steps[position] <= limit]
        exact_steps.append(steps)
    if not left:
        return left
    # What `within` left open: the objectives again, exactly.
    order = {position: tuple(steps[position] for steps in exact_steps) for position in left}
    least = min(order.values())
    return [position for position in left if order[position] == least]


def _check_objectives(candidates: Candidates, row: int, best: list[int], goals: Sequence[Goal]) -> None:
    if row not in best:
        better = best[0] if best else None
        values = (
            [(goal.quantity.name, getattr(candidates, goal.quantity.name)[[row, better]].tolist()) for goal in goals]
            if best
            else []
        )
        raise VerificationError(f"enumeration prefers row {better} to row {row}: {values}")
