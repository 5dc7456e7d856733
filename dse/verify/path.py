"""The worst case of one candidate again, in exact fractions of a millisecond."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dse.candidates.context import Context
from dse.candidates.path import INCLUDES_TRANSFER
from dse.candidates.service import is_soft
from dse.candidates.stage_places import DECODER, FULL_HD, NETWORK_UNITS
from dse.candidates.stage_ticks import LINK_USABLE_SHARE
from dse.candidates.table import Candidates
from dse.errors import VerificationError
from dse.problem.fields import exact
from dse.problem.stage import INFER, Stage
from dse.timing.exact import ExactArrivals, Network, tandem
from dse.timing.path import worst_case_exact
from dse.timing.servers import MAX_SERVERS
from dse.verify.figures import service_ms
from dse.verify.soft import soft_wait_ms

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
    def stages(self) -> list[Stage]:
        """The stages as they run on this chip, the network among them."""
        return [self._here(stage) for stage in self.context.stages]

    def _here(self, stage: Stage) -> Stage:
        """A stage, or what its `else` says where the chip lacks the resource."""
        chip, other = self.context.chip_of(self.run), stage.otherwise
        if other is None:
            return stage
        if stage.resource == DECODER:
            own = stage.time_ms is not None and stage.time_ms.names(chip.id)
            has = own or bool(chip.decode_streams_1080p30)
        else:
            has = stage.resource not in NETWORK_UNITS or any(unit.kind == stage.resource for unit in chip.units)
        if has:
            return stage
        words = {"name": stage.name, "on": other.on, "time_ms": other.time_ms, "ms_per_mpx": other.ms_per_mpx}
        return Stage.model_validate(words | {"contention_ms": stage.contention_ms, "max_ms": stage.max_ms})

    @cached_property
    def network_ms(self) -> Fraction:
        """Worst-case service of one batch, its wait for the memory bus included."""
        return service_ms(self.context, self.run) + exact(self.stages[self.position].contention_ms)

    @cached_property
    def position(self) -> int:
        """Place of the network among the stages."""
        return next(k for k, stage in enumerate(self.context.stages) if stage.name == INFER)

    @cached_property
    def border(self) -> int:
        """Place of the first stage that runs at the rate of the network; 0 where all do."""
        return 0 if self.together else self._of_source

    @cached_property
    def _of_source(self) -> int:
        """Number of stages on every frame of the source, where it has timed ones and the network runs on some.

        0 too where the source's stages are not on the path at all, being served for several tasks.
        """
        task = self.context.task
        first = self.context.problem.source_of(task).stages
        timed = any(stage.delay_ms is None for stage in first)
        here = self.context.stages[: len(first)] == first
        return len(first) if (task.every_nth > 1 or task.items_per_frame.max > 1) and timed and here else 0

    @cached_property
    def together(self) -> bool:
        """Whether a server serves frames and items; single items then count as if each frame were one."""
        inside = {self.stages[place].resource for place in self._needy if place < self._of_source}
        outside = {stage.resource for place, stage in self.timed if place >= self._of_source}
        cores = float(self.context.resources.cores_left[self.run])
        wanted = 1 + ("cpu" in outside)
        crossed = inside & NETWORK_UNITS or (inside - {"cpu"}) & outside or ("cpu" in inside and not cores >= wanted)
        if crossed and self.batch > 1:
            raise VerificationError("batches share a server with frames at another rate, yet the design has a bound")
        return bool(crossed)

    @cached_property
    def every(self) -> int:
        """The task's path sees one frame in so many."""
        return 1 if self.together else self.context.task.every_nth

    @cached_property
    def timed(self) -> list[tuple[int, Stage]]:
        """Stages that occupy something, the network apart."""
        stages = enumerate(self.stages)
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
            stated = stage.time_ms is not None or stage.ms_per_mpx is not None
            return time if stage.resource != DECODER or stated else time + self._decoder_ms()
        automatic = isinstance(stage.mbytes, str)
        mbytes = 3 * megapixels if isinstance(stage.mbytes, str) else exact(stage.mbytes)
        counted = automatic and self.context.lanes.boundary[lane] in INCLUDES_TRANSFER
        if chip.behind_link and not counted:
            return time + mbytes / (exact(LINK_USABLE_SHARE) * _known(chip.link_gbs, "rate of the link"))
        if chip.behind_link or automatic:
            return time
        return time + mbytes / (exact(LINK_USABLE_SHARE) * _known(chip.bandwidth_gbs, "memory bandwidth"))

    def _decoder_ms(self) -> Fraction:
        """Time of one frame: the decoder's megapixels a second are those of its streams of 1920 x 1080 at 30 Hz."""
        source = self.context.problem.source_of(self.context.task)
        streams = _known(self.context.chip_of(self.run).decode_streams_1080p30, "rate of the decoder")
        per_second = streams * 30 * FULL_HD[0] * FULL_HD[1]
        return Fraction((source.width or FULL_HD[0]) * (source.height or FULL_HD[1]) * 1000) / per_second

    @cached_property
    def series(self) -> range:
        """Places that run in series with the network, on its server: from the first that needs it to the last."""
        places = [self.position, *(place for place in self._needy if place >= self.border)]
        return range(min(places), max(places) + 1)

    @cached_property
    def block(self) -> range:
        """Places of a source at its own rate that share one server; those of the task never need it."""
        places = [place for place in self._needy if place < self.border]
        if not places:
            return range(0)
        return range(min(places), max(places) + 1)

    @cached_property
    def _needy(self) -> list[int]:
        """Places of stages without a server of their own."""
        uses = Counter(stage.resource for _, stage in self.timed)
        free = float(self.context.resources.cores_left[self.run])
        return [
            place
            for place, stage in self.timed
            if (
                not uses["cpu"] <= free
                if stage.resource == "cpu"
                else stage.resource in NETWORK_UNITS or uses[stage.resource] > 1 or self.is_copy(place, stage)
            )
        ]

    def is_copy(self, place: int, stage: Stage) -> bool:
        """Whether a stage fills the network's only buffer, right before it."""
        single = self.context.options[self.option].buffers == 1
        last = max((k for k, _ in self.timed if k < self.position), default=-1)
        return single and stage.resource == "dma" and place == last

    def hidden_ms(self, place: int) -> Fraction:
        """Part of a stage hidden behind the next one for the same item; no stage hides more than itself."""
        if place + 1 >= len(self.stages) or any(stage.delay_ms is not None for stage in self.stages[place : place + 2]):
            return ZERO
        taken = ZERO
        for stage in self.stages[: place + 1]:
            taken = min(exact(stage.overlap), 1 - taken)
        return taken * min(self._per_item_ms(place), self._per_item_ms(place + 1))

    def _per_item_ms(self, place: int) -> Fraction:
        return self.network_ms / self.batch if place == self.position else self.stage_ms(self.stages[place])

    def _is_apart(self, place: int) -> bool:
        """Whether a stage has a server of its own; the network counts as one."""
        return place == self.position or (place not in self.series and place not in self.block)

    @cached_property
    def network(self) -> Network:
        """The network's server, with everything that runs in series on it."""
        extra = ZERO
        for place in self.series:
            stage = self.stages[place]
            if place == self.position:
                continue
            if stage.delay_ms is not None:
                extra += exact(stage.delay_ms) + exact(stage.variation_ms)
                continue
            extra += self.stage_ms(stage) - (self.hidden_ms(place) if self.is_copy(place, stage) else ZERO)
        timeout = exact(self.context.options[self.option].timeout_ms)
        if self.batch == 1:
            return Network(1, ZERO, self.network_ms + extra, timeout)
        return Network(self.batch, self.network_ms, extra, timeout)

    def _lines(self, first: int, last: int) -> tuple[Fraction, ...]:
        """Item stages from one place to before another as servers of one item: c that take s are c of s/c in a row."""
        found: list[Fraction] = []
        for place, stage in self.timed:
            if first <= place < last and self._is_apart(place):
                servers = min(stage.servers, MAX_SERVERS)
                found += [self.stage_ms(stage) / servers] * servers
        return tuple(found)

    @cached_property
    def items(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Item stages of the task before and after the network, each on a server of its own."""
        return self._lines(self.border, self.position), self._lines(self.position, len(self.stages))

    @cached_property
    def frame_stages(self) -> tuple[Fraction, ...]:
        """Item stages at the rate of the source, those that share a server as one."""
        together = ZERO
        for place in self.block:
            stage = self.stages[place]
            delay = None if stage.delay_ms is None else exact(stage.delay_ms) + exact(stage.variation_ms)
            together += self.stage_ms(stage) if delay is None else delay
        return (*self._lines(0, self.border), together)

    def _arrivals(self, every: int) -> ExactArrivals:
        """The streams, one frame in so many."""
        task, source = self.context.task, self.context.problem.source_of(self.context.task)
        return ExactArrivals(
            source.streams,
            source.period_ms * every,
            ZERO if task.after else exact(source.jitter_ms),
            source.may_stop,
            source.phase == "synchronous" and task.every_nth == 1,
        )

    @property
    def _items(self) -> ExactArrivals:
        """The streams of items: each frame that is taken gives so many at once."""
        frames, count = self._arrivals(self.every), self.context.problem.items_of(self.context.task)
        if count == 1 and not self.context.task.after:
            return frames
        return ExactArrivals(frames.streams * count, frames.period, frames.jitter, may_stop=True)

    def worst_case_ms(self) -> Fraction | None:
        """The bound, or the estimate where the guarantee asks for no more; None without one."""
        context, way = self.context, self.context.options[self.option]
        arrivals = self._items
        delays = [
            (place, stage)
            for place, stage in enumerate(self.stages)
            if stage.delay_ms is not None and self._is_apart(place)
        ]
        fixed = sum((exact(stage.delay_ms or 0.0) + exact(stage.variation_ms) for _, stage in delays), ZERO)
        first = ZERO
        if self.border:
            late = sum((exact(stage.variation_ms) for place, stage in delays if place < self.border), ZERO)
            response = tandem(self._arrivals(1).with_more(late), self.frame_stages)
            if response is None:
                return None
            first = response
        # In order of release, items wait as if they came at their release; batches that close early ask when they come.
        crowding = first if self.batch > 1 and way.policy != "count" else ZERO
        before, after = self.items
        pairs = [place for place in range(len(self.stages) - 1) if self._is_apart(place) and self._is_apart(place + 1)]
        ahead = self.position - 1
        worst = worst_case_exact(
            arrivals,
            self.network,
            dynamic=way.policy == "dynamic",
            before=before,
            after=after,
            delay=fixed + first + exact(float(context.service.extra_ms[self.run])),
            variation=crowding + sum((exact(stage.variation_ms) for k, stage in delays if k < self.position), ZERO),
            overlap=self.hidden_ms(ahead) if ahead in pairs else ZERO,
            closing=way.policy == "timeout-close",
            between=sum((self.hidden_ms(place) for place in pairs if place != ahead), ZERO),
        )
        if worst is None or self.batch > 1 or not is_soft(context.task):
            return worst
        slowest = max((self.network.service(1), *before, *after))
        return worst - (arrivals.streams - 1) * slowest + soft_wait_ms(arrivals, slowest)

    def load(self) -> Fraction | None:
        """Load of the busiest server; None where the size of a dynamic batch is not fixed."""
        way = self.context.options[self.option]
        if self.batch > 1 and way.policy == "dynamic":
            return None
        arrivals, before, after = self._items, *self.items
        rate = arrivals.streams / arrivals.period
        network = rate * self.network.service(self.batch) / self.batch
        if way.policy == "timeout-close" and self.batch > 1:
            # As many batches as there can be: one in T is not full, or each item is one.
            timeout, batches = self.network.timeout, rate
            if rate * timeout > 1:
                batches = (rate + (self.batch - 1) / timeout) / self.batch
            network = self.network.fixed * batches + self.network.per_item * rate
        frames = max(self.frame_stages) * arrivals.streams / self._arrivals(1).period if self.border else ZERO
        return max(network, frames, rate * max((*before, *after, ZERO)))


def _known(value: float | None, what: str) -> Fraction:
    if value is None:
        raise VerificationError(f"the {what} is not known, yet the design has a bound")
    return exact(float(value))


def exact_worst_case_ms(context: Context, candidates: Candidates, row: int) -> Fraction | None:
    """The bound of one candidate in exact fractions; None without one."""
    return ExactPath(context, int(candidates.run[row]), int(candidates.option[row])).worst_case_ms()
