"""Whole devices with several tasks: every latency that a search can provoke against its bound.

    python benchmarks/devices.py [--count 2000] [--first 0] [--phasings 30] [--climbs 40]

Random devices of two or three tasks, on one unit or two, under every order, with private and shared stages, sources of
their own or one for all, tasks that wait for others and items per frame. Ends with code 1 on a violation.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from dse.simulate.search import search
from tests.devices import random_device


def main() -> None:
    """Draw, bound, replay, count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--phasings", type=int, default=30)
    parser.add_argument("--climbs", type=int, default=40)
    options = parser.parse_args()
    started, tightness, frames, unbounded, violations = time.monotonic(), [], 0, 0, []
    for seed in range(options.first, options.first + options.count):
        device = random_device(random.Random(seed))
        bounds = device.bounds()
        if bounds is None:
            unbounded += 1
            continue
        chains = device.chain_bounds()
        seen = search(device.plant, seed, chains=list(chains), phasings=options.phasings, climbs=options.climbs)
        pairs = [(name, bounds[name], worst) for name, worst in seen.tasks.items()]
        pairs += [(" to ".join(chain), chains[chain], worst) for chain, worst in seen.chains.items()]
        for name, bound, worst in pairs:
            frames += worst.frames
            tightness.append(bound / max(worst.latency, 1))
            if worst.latency > bound:
                violations.append((seed, name, bound, worst.latency))
                print(f"violation: device {seed}, {name}: {worst.latency} observed, {bound} promised", flush=True)
    median, tail = np.quantile(tightness, [0.5, 0.95])
    print(
        f"{options.count - unbounded:,} devices ({unbounded:,} more without a bound), {len(tightness):,} bounds, "
        f"{frames:,} latencies: {len(violations)} violations; bound/worst median {median:.3f}, p95 {tail:.2f}; "
        f"{time.monotonic() - started:.0f} s"
    )
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
