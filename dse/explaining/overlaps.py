"""What a stated overlap may have meant: "in parallel" is three different things, with three latencies and two periods.

A share of a copy that is hidden behind the network of the same frame shortens that frame. Two buffers let different
frames pass each other, which shortens the period alone; and what two jobs do at once they may wait for each other in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dse.answer import Answer
from dse.candidates.context import Context, rebased
from dse.candidates.table import Candidates, judged
from dse.explaining.variants import with_task
from dse.problem.fields import exact
from dse.problem.stage import INFER, Stage
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import INFINITE


@dataclass(frozen=True)
class Reading:
    """One meaning of the overlap for the design that was chosen.

    Parameters
    ----------
    text : str
        What happens.
    as_stated : bool
        Whether the problem says this.
    worst_case_ms : Fraction or None
        Worst case of one frame; None where the design would not keep up.
    period_ms : Fraction or None
        Shortest period of one item that the slowest resource keeps up with.
    """

    text: str
    as_stated: bool
    worst_case_ms: Fraction | None
    period_ms: Fraction | None


def overlap_readings(answer: Answer) -> tuple[Reading, ...]:
    """The chosen design with its overlap read in three ways; nothing without one, or where its time is not stated.

    Read as two buffers, the part of the stage that was to be hidden costs the network as long on the memory bus.
    """
    if answer.row is None:
        return ()
    context = answer.context
    stages = list(context.task.stages)
    at = next((k for k, stage in enumerate(stages) if stage.overlap > 0), None)
    infer = next((k for k, stage in enumerate(stages) if stage.name == INFER), None)
    winner = answer.candidates.take(np.array([answer.row]))
    chip = context.chip_of(int(winner.run[0])).id
    one = None if at is None else stages[at]
    time_ms = None if one is None or one.time_ms is None else one.time_ms.on(chip)
    if at is None or one is None or infer is None or time_ms is None:
        return ()
    hidden = float(exact(one.overlap) * exact(time_ms))
    serial = [*stages[:at], one.model_copy(update={"overlap": 0.0}), *stages[at + 1 :]]
    waiting = list(serial)
    waiting[infer] = serial[infer].model_copy(update={"contention_ms": serial[infer].contention_ms + hidden})
    share = f"{100 * one.overlap:g} %"
    return (
        _reading(context, winner, serial, 1, f"{one.name}, then what follows, nothing at once"),
        _reading(context, winner, stages, None, f"{share} of {one.name} hidden behind the same frame, as stated"),
        _reading(
            context, winner, waiting, 2, f"two buffers, frames side by side: {INFER} waits {hidden:g} ms for them"
        ),
    )


def _reading(context: Context, winner: Candidates, stages: list[Stage], buffers: int | None, text: str) -> Reading:
    """Worst case and period of the winner's own run with other stages and buffers."""
    changed = rebased(context, with_task(context.problem, stages=tuple(stages)))
    option = int(winner.option[0])
    if buffers is not None:
        options = list(changed.options)
        options[option] = replace(options[option], buffers=buffers)
        changed = replace(changed, options=tuple(options))
    block = judged(changed, winner.run, option)
    worst, load = (int(block.of_run[name][0]) for name in ("worst_case_ms", "utilization"))
    known = worst not in (UNKNOWN, INFINITE)
    apart = context.problem.period_ms(context.task) / context.arrivals.streams
    period = None if load == UNKNOWN else apart * Fraction(load, QUANTITIES["utilization"].scale)
    return Reading(text, buffers is None, QUANTITIES["worst_case_ms"].value(worst) if known else None, period)
