"""What the stages around the network take on any chip: stated times in full, what depends on the chip at its least.

A budget must not be smaller than what some chip would leave. So a stage whose time differs from chip to chip counts
with the least that is stated, and one whose time follows from the chip (decoder, transfer, size of the input) with
nothing; both are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dse.candidates.path import PPM, hidden_shares_ppm, shared_stages, stages_of
from dse.candidates.stage_places import Stages, takes_decoder_time
from dse.candidates.stage_ticks import servers_of
from dse.problem.fields import exact
from dse.problem.spec import Problem, Task
from dse.problem.stage import INFER, Fallback, PerChip, Stage
from dse.timing.exact import ExactArrivals, tandem

ZERO = Fraction(0)


@dataclass(frozen=True)
class Least:
    """One stage at its least: time of one item [ms], the part of it per server, and whether it depends on the chip."""

    name: str
    time_ms: Fraction
    per_server_ms: Fraction
    by_chip: bool


@dataclass(frozen=True)
class Around:
    """Everything on the path of one item but the network, at its least [ms].

    Parameters
    ----------
    delay_ms, variation_ms : Fraction
        Delays that occupy nothing, their variation included; and the variation of those before the network.
    jitter_ms : Fraction
        How late an item may be released.
    stages_ms : Fraction
        Own times of the stages, what they hide behind each other apart, and their wait at the rate of the source.
    slowest_ms : Fraction
        Longest time per server of a stage at the rate of the network: items queue there too.
    ahead_ms, ahead_share : Fraction
        Time of the stage just before the network, and the share of the shorter of both that is hidden.
    contention_ms : Fraction
        What the memory bus adds to the network's own time.
    open : tuple of str
        Stages whose time depends on the chip.
    by_link : tuple of str
        Those of them that take time on chips behind a link alone: transfers of the network's input.
    overloaded : tuple of str
        Stages that cannot keep up with their rate under the cap on load, whatever the network takes.
    """

    delay_ms: Fraction
    variation_ms: Fraction
    jitter_ms: Fraction
    stages_ms: Fraction
    slowest_ms: Fraction
    ahead_ms: Fraction
    ahead_share: Fraction
    contention_ms: Fraction
    open: tuple[str, ...]
    by_link: tuple[str, ...]
    overloaded: tuple[str, ...]

    @property
    def total_ms(self) -> Fraction:
        """Delays, jitter and stages together."""
        return self.delay_ms + self.jitter_ms + self.stages_ms

    def without_links(self) -> Around:
        """The same where no chip is behind a link: nothing transfers the network's input."""
        return replace(self, open=tuple(name for name in self.open if name not in self.by_link), by_link=())


def around(problem: Problem, task: Task, cap: Fraction) -> Around:
    """What surrounds the network of a task; of a task that follows others, what surrounds theirs comes on top.

    Parameters
    ----------
    cap : Fraction
        Largest load of a resource, a share of 1.
    """
    stages = stages_of(problem, task)
    leasts = [least(stage) for stage in stages]
    shared, position = shared_stages(problem, task), _position(stages)
    source, follows = problem.source_of(task), bool(task.after)
    jitter = ZERO if follows else exact(source.jitter_ms)
    frames = ExactArrivals(source.streams, problem.period_ms(task) if shared == 0 else source.period_ms, jitter)
    variation = sum((exact(s.variation_ms) for s in stages[:position] if s.delay_ms is not None), ZERO)
    timed = [k for k, stage in enumerate(stages) if stage.delay_ms is None and k != position]
    own = [k for k in timed if k >= shared]
    response, queueing = _response(stages[:shared], leasts[:shared], frames)
    hidden, ahead = _hidden(stages, leasts, position)
    rate = source.streams * problem.items_of(task) / problem.period_ms(task)
    overloaded = [leasts[k].name for k in own if leasts[k].per_server_ms * rate > cap]
    overloaded += [one.name for one in queueing if one.per_server_ms * frames.streams > cap * frames.period]
    earlier = _earlier(problem, task, cap)
    return Around(
        delay_ms=sum((exact(s.delay_ms) + exact(s.variation_ms) for s in stages if s.delay_ms is not None), ZERO),
        variation_ms=variation,
        jitter_ms=jitter,
        stages_ms=sum((leasts[k].time_ms for k in own), ZERO) + response - hidden + earlier[0],
        slowest_ms=max((leasts[k].per_server_ms for k in own), default=ZERO),
        ahead_ms=ahead[0],
        ahead_share=ahead[1],
        contention_ms=exact(stages[position].contention_ms),
        open=tuple(dict.fromkeys([*earlier[1], *(leasts[k].name for k in timed if leasts[k].by_chip)])),
        by_link=tuple(dict.fromkeys([*earlier[2], *(stages[k].name for k in timed if stages[k].mbytes == "auto")])),
        overloaded=tuple(dict.fromkeys(overloaded)),
    )


def least(stage: Stage) -> Least:
    """The least time of a stage on any chip it names; a delay or the network itself takes none here."""
    if stage.delay_ms is not None or stage.name == INFER:
        return Least(stage.name, ZERO, ZERO, by_chip=False)
    here = _stated(stage)
    moves = stage.mbytes is not None or takes_decoder_time(stage)
    options = [(here[0], here[1] or moves)]
    if stage.otherwise is not None:
        options.append(_stated(stage.otherwise))
    time = min(figure for figure, _ in options) + exact(stage.contention_ms)
    by_chip = any(differs for _, differs in options) or len({figure for figure, _ in options}) > 1
    return Least(stage.name, time, time / servers_of(stage), by_chip)


def _stated(stage: Stage | Fallback) -> tuple[Fraction, bool]:
    """Least stated time [ms], and whether it differs by chip or by the size of the input."""
    figures = _figures(stage.time_ms)
    slope = _figures(stage.ms_per_mpx)
    return min(figures, default=ZERO), len(figures) > 1 or max(slope, default=ZERO) > 0


def _figures(given: PerChip | None) -> set[Fraction]:
    if given is None:
        return set()
    values = [*given.by_chip.values(), *([given.default] if given.default is not None else [])]
    return {exact(value) for value in values}


def _position(stages: Stages) -> int:
    return next(k for k, stage in enumerate(stages) if stage.name == INFER)


def _response(
    stages: Sequence[Stage], leasts: Sequence[Least], frames: ExactArrivals
) -> tuple[Fraction, tuple[Least, ...]]:
    """Worst time of a frame in the stages of a source at its own rate, their delays apart; and those stages."""
    timed = [one for stage, one in zip(stages, leasts, strict=True) if stage.delay_ms is None]
    if not timed:
        return ZERO, ()
    varying = sum((exact(stage.variation_ms) for stage in stages if stage.delay_ms is not None), ZERO)
    parts = [
        one.per_server_ms
        for stage, one in zip(stages, leasts, strict=True)
        if stage.delay_ms is None
        for _ in range(servers_of(stage))
    ]
    found = tandem(frames.with_more(varying), parts)
    return sum((one.time_ms for one in timed), ZERO) if found is None else found, tuple(timed)


def _hidden(stages: Stages, leasts: Sequence[Least], position: int) -> tuple[Fraction, tuple[Fraction, Fraction]]:
    """Time that stages hide behind each other [ms]; and time and hidden share of the one before the network.

    Of what the network hides behind the stage after it, all that may be is counted: that depends on the network.
    """
    shares = [Fraction(ppm, PPM) for ppm in hidden_shares_ppm(stages)]
    hidden, ahead = ZERO, (ZERO, ZERO)
    for k in range(len(stages) - 1):
        if stages[k].delay_ms is not None or stages[k + 1].delay_ms is not None:
            continue
        if k + 1 == position:
            ahead = (leasts[k].time_ms, shares[k])
        elif k == position:
            hidden += shares[k] * leasts[k + 1].time_ms
        else:
            hidden += shares[k] * min(leasts[k].time_ms, leasts[k + 1].time_ms)
    return hidden, ahead


def _earlier(problem: Problem, task: Task, cap: Fraction) -> tuple[Fraction, list[str], list[str]]:
    """What the tasks before this one take at least [ms], their networks not counted, their open stages and links."""
    found = [around(problem, problem.task(name), cap) for name in task.after]
    opened, linked = [name for one in found for name in one.open], [name for one in found for name in one.by_link]
    return max((one.total_ms - _hidden_ahead(one) for one in found), default=ZERO), opened, linked


def _hidden_ahead(one: Around) -> Fraction:
    """All that a network may hide of the stage before it [ms]."""
    return one.ahead_ms * one.ahead_share
