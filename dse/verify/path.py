"""The worst case of one candidate again, in exact fractions of a millisecond."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dse.candidates.context import Context
from dse.candidates.path import INCLUDES_TRANSFER, LINK_USABLE_SHARE, NETWORK_UNITS
from dse.candidates.table import Candidates
from dse.errors import VerificationError
from dse.problem.fields import exact
from dse.problem.stage import INFER, Stage
from dse.timing.exact import ExactArrivals, Network
from dse.timing.path import worst_case_exact
from dse.verify.figures import service_ms

ZERO = Fraction(0)


@dataclass(frozen=True)
class ExactPath:
    """The path of one candidate, from the problem's own words [ms]."""

    context: Context
    run: int
    option: int

    @cached_property
    def batch(self) -> int:
        """Items in a batch."""
        return int(self.context.runs.batch[self.run])

    @cached_property
    def network_ms(self) -> Fraction:
        """Worst-case service of one batch, its wait for the memory bus included."""
        infer = next(stage for stage in self.context.stages if stage.name == INFER)
        return service_ms(self.context, self.run) + exact(infer.contention_ms)

    @cached_property
    def position(self) -> int:
        """Place of the network among the stages."""
        return next(k for k, stage in enumerate(self.context.stages) if stage.name == INFER)

    @cached_property
    def timed(self) -> list[tuple[int, Stage]]:
        """Stages that occupy something, the network apart."""
        stages = enumerate(self.context.stages)
        return [(k, stage) for k, stage in stages if stage.delay_ms is None and stage.name != INFER]

    def stage_ms(self, stage: Stage) -> Fraction:
        """Time of one item at a stage."""
        chip, lane, nets = self.context.chip_of(self.run), self.context.lane_of(self.run), self.context.catalog.nets
        net = int(self.context.runs.net[self.run])
        megapixels = Fraction(int(nets.input_h[net]) * int(nets.input_w[net]), 10**6)
        time = exact(stage.contention_ms)
        for figure, factor in ((stage.time_ms, Fraction(1)), (stage.ms_per_mpx, megapixels)):
            value = figure.on(chip.id) if figure is not None else 0.0
            time += _known(value, f"time of {stage.name}") * factor
        if stage.mbytes is None:
            return time
        automatic = isinstance(stage.mbytes, str)
        mbytes = 3 * megapixels if isinstance(stage.mbytes, str) else exact(stage.mbytes)
        counted = automatic and self.context.lanes.boundary[lane] in INCLUDES_TRANSFER
        if chip.behind_link and not counted:
            return time + mbytes / (exact(LINK_USABLE_SHARE) * _known(chip.link_gbs, "rate of the link"))
        if chip.behind_link or automatic:
            return time
        return time + mbytes / (exact(LINK_USABLE_SHARE) * _known(chip.bandwidth_gbs, "memory bandwidth"))

    @cached_property
    def series(self) -> range:
        """Places that run in series with the network, on its server: from the first that needs it to the last."""
        uses = Counter(stage.resource for _, stage in self.timed)
        free = float(self.context.resources.cores_left[self.run])
        places = [self.position]
        for place, stage in self.timed:
            if stage.resource == "cpu":
                needs = not uses["cpu"] <= free
            else:
                needs = stage.resource in NETWORK_UNITS or uses[stage.resource] > 1 or self.is_copy(place, stage)
            places += [place] if needs else []
        return range(min(places), max(places) + 1)

    def is_copy(self, place: int, stage: Stage) -> bool:
        """Whether a stage fills the network's only buffer, right before it."""
        single = self.context.options[self.option].buffers == 1
        last = max((k for k, _ in self.timed if k < self.position), default=-1)
        return single and stage.resource == "dma" and place == last

    def hidden_ms(self, stage: Stage) -> Fraction:
        """Part of a stage hidden behind the network for the same frame."""
        return min(self.stage_ms(stage), self.network_ms / self.batch) * exact(stage.overlap)

    @cached_property
    def network(self) -> Network:
        """The network's server, with everything that runs in series on it."""
        extra = ZERO
        for place in self.series:
            stage = self.context.stages[place]
            if place == self.position:
                continue
            if stage.delay_ms is not None:
                extra += exact(stage.delay_ms) + exact(stage.variation_ms)
                continue
            extra += self.stage_ms(stage) - (self.hidden_ms(stage) if self.is_copy(place, stage) else ZERO)
        timeout = exact(self.context.options[self.option].timeout_ms)
        if self.batch == 1:
            return Network(1, ZERO, self.network_ms + extra, timeout)
        return Network(self.batch, self.network_ms, extra, timeout)

    @cached_property
    def items(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Item stages before and after the network, each on a server of its own."""
        alone = [(place, stage) for place, stage in self.timed if place not in self.series]
        before = tuple(self.stage_ms(stage) for place, stage in alone if place < self.position)
        return before, tuple(self.stage_ms(stage) for place, stage in alone if place > self.position)

    def worst_case_ms(self) -> Fraction | None:
        """The bound; None without one."""
        context = self.context
        source = context.problem.source_of(context.task)
        period, synchronous = (
            context.problem.period_ms(context.task),
            source.phase == "synchronous" and context.task.every_nth == 1,
        )
        jitter = exact(source.jitter_ms)
        arrivals = ExactArrivals(source.streams, period, jitter, source.may_stop, synchronous)
        delays = [
            (place, stage)
            for place, stage in enumerate(context.stages)
            if stage.delay_ms is not None and place not in self.series
        ]
        fixed = sum((exact(stage.delay_ms or 0.0) + exact(stage.variation_ms) for _, stage in delays), ZERO)
        before, after = self.items
        alone = [stage for place, stage in self.timed if place not in self.series and place < self.position]
        return worst_case_exact(
            arrivals,
            self.network,
            dynamic=context.options[self.option].dynamic,
            before=before,
            after=after,
            delay=fixed + exact(float(context.service.extra_ms[self.run])),
            variation=sum((exact(stage.variation_ms) for place, stage in delays if place < self.position), ZERO),
            overlap=sum((self.hidden_ms(stage) for stage in alone), ZERO),
        )

    def load(self) -> Fraction | None:
        """Load of the busiest server; None where the size of a dynamic batch is not fixed."""
        if self.batch > 1 and self.context.options[self.option].dynamic:
            return None
        before, after = self.items
        network = self.network.service(self.batch) / self.batch
        return (
            max(network, *before, *after, ZERO)
            * self.context.arrivals.streams
            / self.context.problem.period_ms(self.context.task)
        )


def _known(value: float | None, what: str) -> Fraction:
    if value is None:
        raise VerificationError(f"the {what} is not known, yet the design has a bound")
    return exact(float(value))


def exact_worst_case_ms(context: Context, candidates: Candidates, row: int) -> Fraction | None:
    """The bound of one candidate in exact fractions; None without one."""
    return ExactPath(context, int(candidates.run[row]), int(candidates.option[row])).worst_case_ms()
