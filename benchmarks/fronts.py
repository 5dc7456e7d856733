"""Whole fronts over tens of millions and billions of configurations, against a script that only evaluates them.

    python benchmarks/fronts.py [--size 1e7] [--runs 3]          evaluate and front, and NSGA-II with ten times the time
    python benchmarks/fronts.py --stream 1e9 [--workers 2]       the same in a stream: rate and peak memory

The space is that of a real problem over the shipped catalogue, taken many times: copy k has the times, powers and
prices of the catalogue by factors of its own between 0.8 and 1.2, so that hardly two configurations are alike. The
script works out the same figures and limits of the same arrays in plain numpy, without structure and without a front.

Limits, as ratios within one run: 3 for evaluation and front together over the script; 2 in a stream. Exit code 1 when
one is exceeded, or when a stream takes 2 GB or more in one process. NSGA-II (pymoo, the extra `benchmarks`) is only
reported: the share of the exact hypervolume that it finds.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.speed import straight_line
from dse.api import knowledge_of, vocabulary_of
from dse.candidates.context import Context, prepare
from dse.candidates.table import chunks, count_candidates
from dse.front.axes import costs_of, parse_axes
from dse.front.front import Front, front_of
from dse.parallel import results
from dse.problem.load import parse_problem

PROBLEM = """
name: Sorting line
tasks:
  - name: sort
    task: image-classification
    streams: 4
    rate_hz: 10
    deadline_ms: 150
    min_accuracy: 72
    overhead_ms: 12
limits: {power_w: {max: 40, unknown: reject}, price_usd: {max: 600, unknown: reject}}
"""
AXES = parse_axes("accuracy,worst_case_ms,power_w,price_usd")
LIMITS = {"front": 3.0, "stream": 2.0}
MOST_BYTES = 2e9
GOLDEN = 0.6180339887


def base_context() -> Context:
    """The space that is taken many times."""
    knowledge = knowledge_of()
    problem = parse_problem(PROBLEM, "benchmark", vocabulary_of(knowledge.catalog))
    return prepare(problem, problem.tasks[0], knowledge)


def copy_of(base: Context, k: int) -> Context:
    """The space with times, powers and prices by factors of its own, of four decimals each."""
    time_by, power_by, price_by = (round(0.8 + 0.4 * ((k * GOLDEN * (axis + 1)) % 1), 4) for axis in range(3))
    service = replace(base.service, service_ms=np.round(base.service.service_ms * time_by, 6))
    figures = base.resources
    resources = replace(
        figures, power_w=np.round(figures.power_w * power_by, 6), price_usd=np.round(figures.price_usd * price_by, 6)
    )
    return replace(base, service=service, resources=resources)


def front_of_copies(base: Context, copies: range) -> Front:
    """Front of several copies; a row's run says nothing of its copy, its costs do."""
    front = front_of(copy_of(base, copies.start), AXES)
    for k in copies[1:]:
        front = front.joined(front_of(copy_of(base, k), AXES))
    return front


def sized(size: float, runs: int) -> bool:
    """Evaluation and front of `size` configurations against the script; whether the limit holds."""
    base = base_context()
    each = count_candidates(base)
    copies = range(-(-int(size) // each))
    ours, script = [], []
    for _ in range(runs):
        started = time.perf_counter()
        front = front_of_copies(base, copies)
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        feasible = sum(straight_line(copy_of(base, k)) for k in copies)
        script.append(time.perf_counter() - started)
    assert front.feasible == feasible, (front.feasible, feasible)
    total, took = each * len(copies), statistics.median(ours)
    ratio = took / statistics.median(script)
    print(f"{total:,} configurations, {feasible / total:.1%} feasible; {len(front.best):,} on the exact 4-axis front")
    print(f"evaluate and front: {took:.2f} s, script {statistics.median(script):.2f} s")
    print(f"ratio {ratio:.2f} (limit {LIMITS['front']})")
    evolved(base, copies, front, 10 * took)
    return ratio <= LIMITS["front"]


def evolved(base: Context, copies: range, front: Front, seconds: float) -> None:
    """NSGA-II over copy, lane and network, each configuration looked up in a table made beforehand."""
    try:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem
        from pymoo.optimize import minimize
        from pymoo.termination import get_termination
    except ImportError:
        print("NSGA-II: not compared, pymoo is not installed")
        return
    from moocore import hypervolume

    costs, broken, lane = [], [], None
    for k in copies:
        parts = list(chunks(copy_of(base, k)))
        costs.append(np.concatenate([costs_of(base, part, AXES) for part in parts]))
        broken.append(np.concatenate([np.bitwise_count(part.violated) for part in parts]))
        lane = np.concatenate([base.runs.lane[part.run] for part in parts])
    first = np.flatnonzero(np.r_[True, lane[1:] != lane[:-1]])
    size = np.diff(np.r_[first, len(lane)])
    worst = np.nanmax(front.best.costs, axis=0)

    class Space(Problem):
        def __init__(self) -> None:
            super().__init__(n_var=3, n_obj=len(AXES), n_ieq_constr=1, xl=0.0, xu=1.0 - 1e-9)

        def _evaluate(self, x, out, *_, **__):
            copy, place = (x[:, 0] * len(copies)).astype(int), (x[:, 1] * len(first)).astype(int)
            row = first[place] + (x[:, 2] * size[place]).astype(int)
            found = np.stack([costs[c][r] for c, r in zip(copy, row, strict=True)])
            out["F"] = np.where(np.isnan(found), 1e12, found)
            out["G"] = np.array([broken[c][r] for c, r in zip(copy, row, strict=True)], dtype=float)[:, None]

    started = time.perf_counter()
    result = minimize(Space(), NSGA2(pop_size=200), get_termination("time", seconds), seed=1, verbose=False)
    took = time.perf_counter() - started
    found = np.zeros((0, len(AXES))) if result.F is None else np.atleast_2d(result.F)
    spread = np.maximum(worst - front.best.costs.min(axis=0), 1e-12)
    volume = [hypervolume((points - front.best.costs.min(axis=0)) / spread, ref=np.full(len(AXES), 1.1))
              for points in (found, front.best.costs)]  # fmt: skip
    print(f"NSGA-II: {took:.0f} s, {len(found)} points, {volume[0] / volume[1]:.1%} of the exact hypervolume")


def streamed(job: tuple[int, int]) -> tuple[Front, float, int]:
    """Front of a range of copies in this process, seconds of it, and the most memory this process ever had."""
    base = base_context()
    started = time.perf_counter()
    front = front_of_copies(base, range(*job))
    return front, time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def stream(size: float, workers: int) -> bool:
    """Rate and memory of a stream of `size` configurations in several processes, against the script in one."""
    base = base_context()
    each = count_candidates(base)
    copies = -(-int(size) // each)
    workers = min(workers, copies)
    edges = [copies * k // workers for k in range(workers + 1)]
    jobs = list(pairwise(edges))
    started = time.perf_counter()
    found = [result for _, result in results(streamed, jobs, workers=workers)]
    whole = time.perf_counter() - started
    front = found[0][0]
    for other, _, _ in found[1:]:
        front = front.joined(other)
    total, busy = each * copies, max(seconds for _, seconds, _ in found)
    sample = range(min(copies, 5))
    started = time.perf_counter()
    for k in sample:
        straight_line(copy_of(base, k))
    script = each * len(sample) / (time.perf_counter() - started)
    most = max(peak for _, _, peak in found)
    rate, ratio = total / busy, script * workers / (total / busy)
    print(f"{total:,} configurations in {whole:.0f} s with start-up, {front.feasible:,} feasible")
    print(f"{len(front.best):,} on the exact 4-axis front")
    print(f"{rate / 1e6:.2f} million/s in {workers} processes; script {script / 1e6:.2f} million/s in one, alone")
    print(f"ratio to as many scripts {ratio:.2f} (limit {LIMITS['stream']}); peak memory {most / 1e9:.2f} GB (limit 2)")
    return most < MOST_BYTES and ratio <= LIMITS["stream"]


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1e7)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--stream", type=float, metavar="SIZE")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    held = sized(options.size, options.runs) if options.stream is None else stream(options.stream, options.workers)
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
