"""How fast the bounds for whole candidate tables are, as ratios against scripts of the same arithmetic in the same run.

    python benchmarks/bounds_speed.py [--rows N] [--runs N] [--seed N]

Each script is straight-line numpy for one task set, without checks and structure; batch forms go batch by batch in
both. Values must agree row by row. Each figure is the median of the runs, alternating with the script. Limit: 2 for
each form; exit code 1 when one is exceeded.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.batching import latency_count, latency_dynamic_fast
from dse.timing.pipeline import pipeline_count, pipeline_dynamic_fast, tandem
from dse.timing.shared_affine import fifo_affine, npfp_sufficient

LIMIT = 2.0
N, P, J = 16, 400_000, 60_000
NONE = 2**62
PERIODS = (400_000, 400_000, 200_000, 333_333, 1_000_000)
STREAMS = (4, 1, 2, 1, 8)
JITTERS = (0, 20_000, 0, 5_000, 100_000)


def count_script(batch, service, before=(), after=()):
    out = np.empty(len(batch), dtype=np.int64)
    first = J // P + 1
    for b in np.unique(batch).tolist():
        rows = np.flatnonzero(batch == b)
        s = service[rows]
        item, total = np.zeros_like(s), np.zeros_like(s)
        for stage in (*before, *after):
            time_ = stage[rows]
            np.maximum(item, time_, out=item)
            total += time_
        stable = (item <= P // N) & (s <= b * P // N)
        borders = (N + b - 2) // N
        wait = (b - 1 - max(1, (borders - 1) * N + 1)) * item + borders * P + J if b > 1 else np.zeros_like(s)
        heavier = np.maximum(s - b * item, 0)
        queue = np.zeros_like(s)
        for q in range(first, first + b // math.gcd(N, b) + 1):
            load = (q * N + b - 2) * item + (q * N + b - 2) // b * heavier
            np.maximum(queue, load - max(0, (q - 1) * P - J), out=queue)
        out[rows] = np.where(stable, total + s + np.maximum(wait, queue), NONE)
    return out


def dynamic_script(batch, fixed, per_item, timeout, before=(), after=()):
    out = np.empty(len(batch), dtype=np.int64)
    first = J // P + 1
    for b in np.unique(batch).tolist():
        rows = np.flatnonzero(batch == b)
        s0, s1, wait = fixed[rows], per_item[rows], timeout[rows]
        full = s0 + s1 * b
        item, slow, total, ahead = (np.zeros_like(s0) for _ in range(4))
        for stage in before:
            time_ = stage[rows]
            np.maximum(slow, time_, out=slow)
            ahead += time_
        np.maximum(item, slow, out=item)
        total += ahead
        for stage in after:
            time_ = stage[rows]
            np.maximum(item, time_, out=item)
            total += time_
        stable = (item <= P // N) & (full <= b * P // N)
        s0, s1, full, item, slow, ahead = (x * stable for x in (s0, s1, full, item, slow, ahead))
        base = np.maximum(2 * full, wait + full + 1) + J + ahead
        frames = -(-(base - full) // P)
        pair = N * frames + b
        for step in range(1, b // math.gcd(N, b) + 1):
            if (pair >= 2 * b).all():
                break
            gap = (frames + step - 1) * P + 1 - base
            alone = -(-gap // np.maximum(full, 1))
            cost = np.where(full > 0, alone * b, 2**61)
            if before:
                rate = np.maximum(slow, 1)
                mixed = (alone - 1) * b - (-(gap - (alone - 1) * full) // rate)
                only = -b - (-(gap + full) // rate)
                cost = np.minimum(cost, np.where((slow > 0) & (full > 0), mixed, 2**61))
                cost = np.minimum(cost, np.where(slow > 0, only, 2**61))
            np.maximum(pair, N * (frames + step) - cost, out=pair)
        pair = np.minimum(pair, 2 * b)
        step_time = np.maximum(full, b * item)
        behind = np.zeros_like(s0)
        for q in range(first, first + b // math.gcd(N, b) + 1):
            many, rest = divmod(q * N - 1, b)
            np.maximum(behind, many * step_time + rest * item - max(0, (q - 1) * P - J), out=behind)
        bunched = (first * N - 1) * item
        single = np.maximum(bunched, bunched + N * item - max(0, first * P - J))
        latency = np.maximum(wait + full + single, 2 * s0 + s1 * pair + behind)
        out[rows] = np.where(stable, total + latency, NONE)
    return out


def tandem_script(stages):
    slowest, total = np.zeros_like(stages[0]), np.zeros_like(stages[0])
    for stage in stages:
        np.maximum(slowest, stage, out=slowest)
        total += stage
    first = J // P + 1
    bunched = (first * N - 1) * slowest
    queue = np.maximum(bunched, bunched + N * slowest - max(0, first * P - J))
    return np.where(slowest <= P // N, total + queue, NONE)


def fifo_script(services):
    whole = math.lcm(*PERIODS)
    total, load = np.zeros((2, services.shape[1]), dtype=np.int64)
    for s, period, streams, jitter in zip(services, PERIODS, STREAMS, JITTERS, strict=True):
        work = streams * s
        total += work
        if jitter:
            total += -(-(work * jitter) // period)
        load += work * (whole // period)
    return np.where(load <= whole, total, NONE)


def priority_script(services):
    whole = math.lcm(*PERIODS)
    out = np.empty_like(services)
    lower = np.zeros_like(services)
    for j in range(len(services) - 2, -1, -1):
        np.maximum(lower[j + 1], services[j + 1], out=lower[j])
    burst, above = np.zeros((2, services.shape[1]), dtype=np.int64)
    for j, (s, period, streams, jitter) in enumerate(zip(services, PERIODS, STREAMS, JITTERS, strict=True)):
        work = streams * s
        burst += work
        if jitter:
            burst += -(-(work * jitter) // period)
        within = above + work * (whole // period)
        left = np.maximum(whole - above, 1)
        start = lower[j] + burst - s
        high, rest = np.divmod(start, left)  # start·whole does not fit 64 bits: in two halves
        part, last = np.divmod(rest * (whole >> 20), left)
        start = high * whole + (part << 20) - (-((last << 20) + rest * (whole & (2**20 - 1))) // left)
        out[j] = np.where(within <= whole, start + s, NONE)
        above = within
    return out


def forms(rows: int, seed: int) -> dict[str, tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]]:
    dice = np.random.default_rng(seed)
    batch = dice.choice([1, 2, 4, 6, 8, 12, 16], rows)
    fixed = dice.integers(1_000, 40_000, rows)
    per_item = dice.integers(100, 25_000, rows)
    timeout = dice.choice([0, 20_000, 100_000], rows)
    service = fixed + per_item * batch
    before, after = [dice.integers(0, P // N, rows) for _ in range(2)], [dice.integers(0, P // N, rows)]
    stages = [*before, *after, service // batch]
    services = np.stack([dice.integers(0, P // n // 4, rows) for P, n in zip(PERIODS, STREAMS, strict=True)])
    one = Arrivals(N, P, P, J)
    many = [Arrivals(n, p, p, j) for n, p, j in zip(STREAMS, PERIODS, JITTERS, strict=True)]
    return {
        "latency_count": (lambda: latency_count(one, batch, service), lambda: count_script(batch, service)),
        "latency_dynamic_fast": (
            lambda: latency_dynamic_fast(one, batch, fixed, per_item, timeout),
            lambda: dynamic_script(batch, fixed, per_item, timeout),
        ),
        "tandem": (lambda: tandem(one, stages), lambda: tandem_script(stages)),
        "pipeline_count": (
            lambda: pipeline_count(one, batch, service, before, after),
            lambda: count_script(batch, service, before, after),
        ),
        "pipeline_dynamic_fast": (
            lambda: pipeline_dynamic_fast(one, batch, fixed, per_item, timeout, before, after),
            lambda: dynamic_script(batch, fixed, per_item, timeout, before, after),
        ),
        "fifo_affine, 5 tasks": (lambda: fifo_affine(many, services), lambda: fifo_script(services)),
        "npfp_sufficient, 5 tasks": (
            lambda: npfp_sufficient(many, services, range(5)),
            lambda: priority_script(services),
        ),
    }


def seconds(piece: Callable[[], object]) -> float:
    started = time.perf_counter()
    piece()
    return time.perf_counter() - started


def main() -> int:
    """Print one line per form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    exceeded = False
    for name, (bound, script) in forms(options.rows, options.seed).items():
        if not np.array_equal(bound(), script()):
            print(f"{name}: the script gives other values")
            return 1
        pairs = [(seconds(bound), seconds(script)) for _ in range(options.runs)]
        own, plain = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        exceeded |= ratio > LIMIT
        print(
            f"{name}: {own:.3f} s against {plain:.3f} s of a script, {options.rows / own:,.0f} candidates/s; "
            f"ratio {ratio:.2f}, limit {LIMIT} {'ok' if ratio <= LIMIT else 'EXCEEDED'}"
        )
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
