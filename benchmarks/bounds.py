"""Worst-case bounds against the worst replay that a search finds: violations, and how tight they are.

    python benchmarks/bounds.py [--systems 2000] [--kind NAME ...] [--seed 1] [--workers 2]

For every kind of system random ones are drawn. A search over phases, jitter and batch borders makes the latency of one
task as long as it can; the worst pattern is replayed by ``dse.simulate``, once with the longest services and then
with random ones. The table gives the systems, the frames simpy measured, items above their bound (there must be
none), systems on which both replays disagree (see MOST_TIED), and the median and 95th percentile of bound / worst
observed, beside what is expected of them. The worst observed comes from a search: the true looseness is no larger.

Exit code 1 on a violation, on more disagreements than ties explain, or on a tightness beyond its margin. Two thousand
systems take one to six minutes a kind on two cores, all kinds about an hour and a half.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bounds_kinds import SINGLE, Kind
from benchmarks.bounds_kinds_servers import SERVERS
from benchmarks.bounds_kinds_tasks import TASKS
from benchmarks.bounds_search import Result, Search

KINDS: dict[str, tuple[Kind, float, float]] = {**SINGLE, **SERVERS, **TASKS}
MEDIAN_MARGIN, TAIL_MARGIN = 1.05, 1.15
MOST_TIED = 0.002
"""Share of systems on which the replays may disagree. Where four services of one stage happen to take as long as three
of the next, every frame brings a tie: the fast replay settles all alike, simpy each by its dice."""


@dataclass(frozen=True)
class Summary:
    """One row of the table."""

    kind: str
    systems: int
    frames: int
    violations: list[str]
    disagreements: list[int]
    median: float
    tail: float

    @property
    def faults(self) -> list[str]:
        """What is wrong, in words."""
        _, median, tail = KINDS[self.kind]
        found = [f"{self.kind}: {violation}" for violation in self.violations]
        if len(self.disagreements) > MOST_TIED * self.systems:
            found.append(f"{self.kind}: the replays disagree on systems {', '.join(map(str, self.disagreements))}")
        if self.median > median * MEDIAN_MARGIN:
            found.append(f"{self.kind}: median {self.median:.3f}, expected {median:.3f}")
        if self.tail > tail * TAIL_MARGIN:
            found.append(f"{self.kind}: 95th percentile {self.tail:.2f}, expected {tail:.2f}")
        return found


def examine(task: tuple[str, int, int]) -> Result:
    """Draw the system of this kind, seed and number, and search it; systems without a bound are drawn again."""
    kind, seed, number = task
    dice = random.Random(f"{kind} {seed} {number}")
    case = None
    while case is None:
        case = KINDS[kind][0](dice)
    return replace(Search(case, dice.getrandbits(32)).run(), number=number)


def summary(kind: str, results: Iterable[Result]) -> Summary:
    """Gather the results of one kind."""
    found = list(results)
    ratios = [result.bound / result.worst for result in found]
    return Summary(
        kind,
        len(found),
        sum(result.frames for result in found),
        [violation for result in found for violation in result.violations],
        sorted(result.number for result in found if result.disagrees),
        float(np.quantile(ratios, 0.5)),
        float(np.quantile(ratios, 0.95)),
    )


def main() -> int:
    """Print one row for each kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000, help="of each kind")
    parser.add_argument("--kind", action="append", default=[], help="only kinds whose name begins so; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    print(f"{'kind':34} systems     frames violations disagree  median (expected)   p95 (expected)  seconds")
    kinds = [name for name in KINDS if not options.kind or name.startswith(tuple(options.kind))]
    faults: list[str] = []
    with multiprocessing.Pool(options.workers) as pool:
        for kind in kinds:
            started = time.perf_counter()
            tasks = [(kind, options.seed, number) for number in range(options.systems)]
            row = summary(kind, pool.imap_unordered(examine, tasks, chunksize=4))
            _, median, tail = KINDS[kind]
            print(
                f"{kind:34} {row.systems:7} {row.frames:10,} {len(row.violations):10} {len(row.disagreements):8} "
                f"{row.median:7.3f} ({median:8.3f}) {row.tail:5.2f} ({tail:8.2f}) {time.perf_counter() - started:8.0f}",
                flush=True,
            )
            faults += row.faults
    for fault in faults:
        print(fault)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
