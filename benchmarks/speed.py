"""How fast dse is, as ratios against baselines timed in the same run.

    python benchmarks/speed.py [--problem FILE] [--runs N]

1. Candidates evaluated per second, against a straight-line numpy script of the same arithmetic. Limit: 3.
2. The whole ``dse solve`` process, catalogue warm, against ``import ortools.sat.python.cp_model``. Limit: 3.
3. ``dse --help`` against ``import typer, rich``. Limit: 2.5.
4. Loading the compiled catalogue, against ``pandas.read_csv`` of the measurements alone. Limit: 1.5.

Each figure is the median of N runs, alternating with its baseline. Exit code 1 when a limit is exceeded. The modules of
dse are compiled first, as pip leaves those of any installed package: the baselines are such packages.
"""

from __future__ import annotations

import argparse
import compileall
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from dse.api import knowledge_of, load_problem
from dse.candidates.context import Context, prepare
from dse.candidates.table import chunks
from dse.catalog.paths import shipped_root
from dse.estimate import store
from dse.estimate.evidence import GRADES
from dse.schema import QUANTITIES, UNKNOWN
from dse.timing.ticks import up_ticks

LIMITS = {"evaluate": 3.0, "solve": 3.0, "help": 2.5, "load": 1.5}
ROOT = Path(__file__).resolve().parents[1]


def straight_line(context: Context) -> int:
    """The same figures for every candidate of a task with one option, batch 1 and delays only, without structure."""
    runs, r, catalog = context.runs, context.resources, context.catalog
    net_of = catalog.entries.net
    entries = context.chosen.entries[np.argsort(net_of[context.chosen.entries], kind="stable")]
    first, last = (
        np.searchsorted(net_of[entries], runs.net, "left"),
        np.searchsorted(net_of[entries], runs.net, "right"),
    )
    count = last - first
    run = np.repeat(np.arange(len(runs)), count)
    entry = entries[np.repeat(first, count) + np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)]
    accuracy = context.accuracy.of(runs.lane[run], entry)
    delay = sum(round((stage.delay_ms + stage.variation_ms) * 10_000) for stage in context.stages if stage.delay_ms)
    service = up_ticks(context.service.service_ms)[run]
    streams, period, jitter = context.arrivals.streams, context.arrivals.period_down, context.arrivals.jitter
    stable = service * streams <= period
    worst = np.where(stable, delay + jitter + service * streams, 2**62)
    load = np.maximum(-(-service * streams * 1_000_000 // period), 1)
    rate = context.required_milli_hz * 1_000_000 // load
    headroom = 1_000_000 * 1_000_000 // load - 1_000_000
    fixed = {}
    for name in ("power_w", "price_usd", "memory_mb", "energy_mj"):
        values = getattr(r, name)[run]
        known = np.isfinite(values)
        fixed[name] = np.where(known, np.rint(np.where(known, values, 0) * QUANTITIES[name].scale), UNKNOWN).astype(
            np.int64
        )
    spare = np.rint(np.nan_to_num((r.capacity_mb - r.memory_mb)[run]) * 1e6).astype(np.int64)
    typical = np.rint(runs.typical_ms[run] * 10_000).astype(np.int64)
    deadline = round((context.task.deadline_ms or 0) * 10_000)
    slack = deadline - worst
    floor = round((context.task.min_accuracy or 0) * 1_000_000)
    drop = accuracy.float_value - accuracy.low
    bad = ~stable | (worst > deadline) | (accuracy.low < floor) | (spare < 0) | (load > 950_000)
    bad |= accuracy.grade > GRADES.index(context.problem.guard.evidence)
    for name, limit in context.problem.limits.items():
        if name in fixed:
            bad |= fixed[name] > round((limit.maximum or 0) * QUANTITIES[name].scale)
            if context.problem.unknown_policy(limit) == "reject":
                bad |= fixed[name] == UNKNOWN
    return int((~bad).sum()) + 0 * int(rate[0] + headroom[0] + typical[0] + slack[0] + drop[0])


def median_seconds(work: Callable[[], object], baseline: Callable[[], object], runs: int) -> tuple[float, float]:
    """Medians of two pieces of work, timed in turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for work_times, piece in zip(times, (work, baseline), strict=True):
            started = time.perf_counter()
            piece()
            work_times.append(time.perf_counter() - started)
    return statistics.median(times[0]), statistics.median(times[1])


def process(*arguments: str) -> Callable[[], object]:
    """A whole process of this interpreter."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def main() -> int:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", type=Path, default=ROOT / "problems" / "hundred-streams.yaml")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    compileall.compile_dir(ROOT / "dse", quiet=1)
    problem = load_problem(options.problem)
    context = prepare(problem, problem.tasks[0], knowledge_of())
    count = sum(len(chunk) for chunk in chunks(context))
    ours, script = median_seconds(
        lambda: [len(c) for c in chunks(context)], lambda: straight_line(context), options.runs
    )
    print(f"evaluate: {count / ours:,.0f} candidates/s against {count / script:,.0f}/s of a straight-line script")
    ratios = {"evaluate": ours / script}
    solve = process("-m", "dse.cli.main", "solve", str(options.problem), "--json")
    ours, baseline = median_seconds(solve, process("-c", "import ortools.sat.python.cp_model"), options.runs)
    print(f"solve: {ours:.2f} s against {baseline:.2f} s to import cp_model ({count:,} candidates)")
    ratios["solve"] = ours / baseline
    ours, baseline = median_seconds(
        process("-m", "dse.cli.main", "--help"), process("-c", "import typer, rich"), options.runs
    )
    print(f"help: {ours:.3f} s against {baseline:.3f} s to import typer and rich")
    ratios["help"] = ours / baseline
    files = sorted((shipped_root() / "measurements").glob("*.csv"))
    ours, baseline = median_seconds(
        store.load, lambda: [pd.read_csv(file, low_memory=False) for file in files], options.runs
    )
    print(f"load: {ours:.3f} s against {baseline:.3f} s to read the measurements with pandas")
    ratios["load"] = ours / baseline
    for name, ratio in ratios.items():
        print(f"{name}: ratio {ratio:.2f}, limit {LIMITS[name]} {'ok' if ratio <= LIMITS[name] else 'EXCEEDED'}")
    return int(any(ratio > LIMITS[name] for name, ratio in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
