"""The verdict: every requirement of the chosen design, and the choice repeated by enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dse.candidates.attributes import chip_verdict, value_verdict
from dse.candidates.context import Context
from dse.candidates.limits import Rule
from dse.candidates.names import MODEL
from dse.candidates.preference import Goal
from dse.candidates.resources import reserve_of
from dse.candidates.survey import Survey
from dse.candidates.table import Candidates
from dse.errors import VerificationError
from dse.problem.fields import exact
from dse.problem.stage import INFER
from dse.schema import QUANTITIES, UNKNOWN
from dse.verify import figures
from dse.verify.bought import lead_time_weeks, price_usd
from dse.verify.path import ExactPath, exact_worst_case_ms

TICK_MS = Fraction(1, QUANTITIES["worst_case_ms"].scale)


def verify_choice(
    context: Context, found: Survey, row: int, goals: Sequence[Goal], *, proven: bool = True
) -> list[str]:
    """Check that the chosen row meets every requirement and that no candidate is better.

    Parameters
    ----------
    context, found
        The task and the pass over its candidates.
    row : int
        Position of the chosen candidate among those that were kept.
    goals
        The objectives, most important first.
    proven : bool
        Whether the solver called it the optimum; without it only the requirements are checked.

    Returns
    -------
    list of str
        What was checked, one line each.

    Raises
    ------
    VerificationError
        The answer is wrong.
    """
    lines = [_recomputed_words(context, _check_row(context, found.kept, row))]
    if proven:
        _check_objectives(found.kept, row, enumerate_best(found.kept, goals), goals)
        lines.append(f"optimum re-proven by enumerating {len(found.feasible):,} feasible of {found.total:,} candidates")
    return lines


def verify_rows(context: Context, candidates: Candidates) -> list[str]:
    """Check that every row meets every requirement and has the figures it shows, worked out again in exact fractions.

    Raises
    ------
    VerificationError
        A row breaks a requirement, or a figure of the table is another one.
    """
    if not len(candidates):
        return []
    second_road = len(context.rules)
    for row in range(len(candidates)):
        again = recomputed(context, candidates, row)
        second_road = min(second_road, _check_row(context, candidates, row, again))
        for column, value in again.items():
            if value is not None and hasattr(candidates, column):
                _check_table(context, column, value, int(getattr(candidates, column)[row]))
    return [f"each of {len(candidates):,} rows: {_recomputed_words(context, second_road)}"]


def _check_row(
    context: Context, candidates: Candidates, row: int, again: dict[str, Fraction | None] | None = None
) -> int:
    """How many requirements of one row were recomputed; the others are read from the table."""
    again = recomputed(context, candidates, row) if again is None else again
    second_road = sum(_check_rule(context, rule, again, candidates, row) for rule in context.rules)
    if candidates.violated[row]:
        raise VerificationError(f"the chosen row breaks a requirement: bits {int(candidates.violated[row]):b}")
    return second_road


def _recomputed_words(context: Context, second_road: int) -> str:
    read = len(context.rules) - second_road
    return f"{second_road} of {len(context.rules)} requirements recomputed in exact fractions from the catalogue" + (
        f", {read} read from the table" if read else ""
    )


def verify_infeasible(context: Context, found: Survey) -> list[str]:
    """Check that every candidate breaks a requirement, the closest misses of the deadline in exact fractions.

    Raises
    ------
    VerificationError
        A candidate meets everything, or meets its deadline exactly by more than the rounding of its path.
    """
    if len(found.feasible):
        raise VerificationError("a candidate breaks no requirement, yet nothing was found")
    deadline, misses = context.task.deadline_ms, found.misses
    rounded = 0
    for row in range(len(misses) if deadline is not None else 0):
        shown, limit = QUANTITIES["worst_case_ms"].value(int(misses.worst_case_ms[row])), exact(deadline or 0.0)
        worst = exact_worst_case_ms(context, misses, row)
        if shown is None or shown <= limit or (worst is not None and worst > shown):
            raise VerificationError(f"a candidate meets its deadline of {deadline} ms: {shown and float(shown)} ms")
        rounded += worst is not None and worst <= limit
    line = f"each of {found.total:,} candidates breaks a requirement"
    if len(misses):
        line += f"; the {len(misses)} closest misses of the deadline recomputed in exact fractions"
    if rounded:
        line += f", {rounded} of them late only by rounding up to 0.1 µs"
    return [line]


def recomputed(context: Context, candidates: Candidates, row: int) -> dict[str, Fraction | None]:
    """Columns of one candidate by the second road, in their units; None where unknown."""
    run = int(candidates.run[row])
    path = ExactPath(context, run, int(candidates.option[row]))
    worst, deadline, chip = path.worst_case_ms(), context.task.deadline_ms, context.chip_of(run)
    used_mb, least_mb = figures.memory_mb(context, run)
    columns: dict[str, Fraction | None] = {
        "stable": Fraction(int(worst is not None)),
        "worst_case_ms": worst,
        "slack_ms": None if deadline is None or worst is None else exact(deadline) - worst,
        "power_w": figures.power_w(context, run),
        "price_usd": price_usd(context, run),
        "lead_time_weeks": lead_time_weeks(context, run),
        "memory_mb": used_mb,
        "streams": Fraction(context.problem.source_of(context.task).streams),
        "devices": Fraction(1),
    }
    columns["region_spare_mb"] = figures.region_spare_mb(context, run)
    columns["memory_spare_mb"] = None
    if chip.capacity_gb is not None:
        kept_free = exact(reserve_of(context.problem, chip)[0])
        columns["memory_spare_mb"] = exact(chip.capacity_gb) * 1000 - kept_free - least_mb
    load = path.load()
    if load is not None:
        columns["utilization"] = load
    for place, stage in enumerate(context.stages):
        if stage.max_ms is not None:
            columns[f"stage:{stage.name}"] = _stage_ms(path, place)
    return columns | _verdicts(context, candidates, row)


def _stage_ms(path: ExactPath, place: int) -> Fraction:
    """Time an item spends in a stage, waiting apart."""
    stage = path.stages[place]
    if stage.name == INFER:
        return path.network_ms
    if stage.delay_ms is not None:
        return exact(stage.delay_ms) + exact(stage.variation_ms)
    return path.stage_ms(stage)


def _verdicts(context: Context, candidates: Candidates, row: int) -> dict[str, Fraction | None]:
    """Limits on attributes of this one chip and network: 1 met, 0 broken."""
    found: dict[str, Fraction | None] = {}
    for limit in context.problem.limits.values():
        if limit.is_of_chip:
            verdict = chip_verdict(limit, context.chip_of(int(candidates.run[row])))
        elif limit.name.startswith("model."):
            read = MODEL[limit.name.removeprefix("model.")]
            verdict = value_verdict(limit, read(context.catalog, int(candidates.entry[row])))
        else:
            continue
        found[f"verdict:{limit.name}"] = None if verdict == UNKNOWN else Fraction(verdict)
    return found


def _scale(column: str) -> int:
    """Whole numbers per unit of a column of the table."""
    if column.startswith("stage:"):
        return QUANTITIES["worst_case_ms"].scale
    if column in ("memory_spare_mb", "region_spare_mb"):
        return QUANTITIES["memory_mb"].scale
    return QUANTITIES[column].scale if column in QUANTITIES else 1


def _check_rule(
    context: Context, rule: Rule, again: dict[str, Fraction | None], candidates: Candidates, row: int
) -> bool:
    """One requirement against the recomputed figure; False where there is no second road to it."""
    if rule.column not in again:
        return False
    scale, value = _scale(rule.column), again[rule.column]
    if value is None:
        if rule.reject_unknown:
            raise VerificationError(f"{rule.name}: the figure is unknown and unknown ones are rejected")
        return True
    stated = _stated(rule.column, value, candidates, row)
    most, least = (stated, value) if rule.column == "slack_ms" else (value, stated)
    if rule.maximum is not None and most > Fraction(rule.maximum, scale):
        raise VerificationError(f"{rule.name}: {float(most)} is more than {rule.maximum / scale}")
    if rule.minimum is not None and least < Fraction(rule.minimum, scale):
        raise VerificationError(f"{rule.name}: {float(least)} is less than {rule.minimum / scale}")
    if hasattr(candidates, rule.column):
        _check_table(context, rule.column, value, int(getattr(candidates, rule.column)[row]))
    return True


def _stated(column: str, value: Fraction, candidates: Candidates, row: int) -> Fraction:
    """The figure as the answer states it: bounds and loads are rounded against the candidate.

    A limit from their other side (a load of at least …) is a limit on what is stated: the exact figure would refuse the
    very number the answer shows.
    """
    if column not in ("worst_case_ms", "slack_ms", "utilization"):
        return value
    shown = QUANTITIES[column].value(int(getattr(candidates, column)[row]))
    return value if shown is None else shown


def _check_table(context: Context, column: str, value: Fraction, number: int) -> None:
    """The table's figure agrees; a bound or load is never below the exact one, and may be above it by rounding.

    Rounding to ticks can add a whole event to a bound (an item that just fits into a window), so the worst case has no
    useful upper tolerance; that the table is not too pessimistic is held by the tests of the bounds.
    """
    shown = QUANTITIES[column].value(number)
    if shown is None:
        raise VerificationError(f"{column}: {float(value)} recomputed, unknown in the table")
    wrong = {
        "worst_case_ms": shown < value,
        "slack_ms": shown > value,
        "utilization": not value <= shown <= value + _load_rounding(context, value),
    }
    if wrong.get(column, abs(shown - value) > Fraction(1, _scale(column))):
        raise VerificationError(f"{column}: {float(value)} recomputed, {float(shown)} in the table")


def _load_rounding(context: Context, load: Fraction) -> Fraction:
    """Most a load grows when each time on a server rounds up to ticks, the period down, the share to a millionth."""
    ticks = context.arrivals.streams * (len(context.stages) + 1) + load
    period_ms = max(context.problem.source_of(context.task).period_ms - TICK_MS, TICK_MS)
    return ticks * TICK_MS / period_ms + Fraction(1, _scale("utilization"))


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
