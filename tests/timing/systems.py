"""Random systems for the tests, and their way into both forms of the bounds."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
from replay import System

from dse.timing.arrivals import Arrivals
from dse.timing.exact import ExactArrivals, Network
from dse.timing.path import Path, worst_case_exact
from dse.timing.ticks import TICK_MS


def draw_system(dice: random.Random, *, jitter: bool = True, most_streams: int = 7) -> System:
    """Draw a system of up to 7 streams with utilisations up to 1 and stages on both sides of the network."""
    streams, period = dice.randint(1, most_streams), dice.randint(20, 400)
    batch = dice.choice([1, 2, 2, 3, 4, 5, 6, 8])
    full = int(dice.uniform(0.2, 1.02) * batch * period / streams)
    per_item = int(dice.random() * full / batch)

    def stages() -> list[int]:
        return [int(dice.random() * period / streams) for _ in range(dice.choice([0, 0, 1, 2]))]

    dynamic = dice.random() < 0.6
    variation = dice.choice([0, 0, dice.randint(0, period)]) if jitter else 0
    return System(
        streams=streams,
        period=period,
        jitter=dice.choice([0, 0, dice.randint(0, period), dice.randint(0, 2 * period)]) if jitter else 0,
        batch=batch,
        fixed=full - per_item * batch,
        per_item=per_item,
        timeout=dice.choice([0, 0, dice.randint(0, period), dice.randint(0, 3 * period)]),
        dynamic=dynamic,
        before=stages(),
        after=stages(),
        delay=variation + dice.randint(0, 5),
        variation=variation,
        synchronous=not dynamic and dice.random() < 0.3,
        may_stop=dynamic and dice.random() < 0.3,
    )


def arrivals_of(system: System) -> Arrivals:
    """Its streams, in ticks."""
    period = system.period
    return Arrivals(system.streams, period, period, system.jitter, system.may_stop, system.synchronous)


def path_of(system: System) -> Path:
    """Its path as a table of one row."""
    return Path(
        delay=system.delay,
        variation=system.variation,
        before=system.before,
        after=system.after,
        overlap=0,
        batch=np.array([system.batch]),
        fixed=system.fixed,
        per_item=system.per_item,
        timeout=system.timeout,
        dynamic=system.dynamic,
    )


def exact_total(system: System) -> Fraction | None:
    """Its worst case in exact milliseconds."""
    source = ExactArrivals(
        system.streams, system.period * TICK_MS, system.jitter * TICK_MS, system.may_stop, system.synchronous
    )
    times = (system.fixed * TICK_MS, system.per_item * TICK_MS, system.timeout * TICK_MS)
    return worst_case_exact(
        source,
        Network(system.batch, *times),
        dynamic=system.dynamic,
        before=[time * TICK_MS for time in system.before],
        after=[time * TICK_MS for time in system.after],
        delay=system.delay * TICK_MS,
        variation=system.variation * TICK_MS,
    )
