"""Random small problems against brute force: over the exported candidate table, or over all combinations of rows.

    python benchmarks/random_problems.py [--count 1000] [--first 0]
    python benchmarks/random_problems.py --several [--count 300]       two and three tasks on one device
    python benchmarks/random_problems.py --fronts [--count 500]        whole fronts over two to four axes
    python benchmarks/random_problems.py --comparisons [--count 200]   order of chips, and prices that would win
    python benchmarks/random_problems.py --explain [--count 300]       clashing limits, relaxations, ranges

Prints how many had an answer and how many none, and every seed on which package and oracle disagree; exit code 1 if any
did. The oracles of one task (tests/oracles.py, tests/random_fronts.py) read nothing but the CSV file; that of several
(tests/random_joint.py) tries every combination, those with too many are passed over.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dse.errors import VerificationError
from dse.estimate.store import load
from tests.random_comparisons import check_comparison
from tests.random_explanations import check_explanation
from tests.random_fronts import check_front
from tests.random_joint import check_joint
from tests.random_problems import check_one


def main() -> int:
    """Run `count` seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--several", action="store_true", help="problems with two or three tasks")
    kind.add_argument("--fronts", action="store_true", help="whole fronts instead of single answers")
    kind.add_argument("--comparisons", action="store_true", help="a row for every chip instead of single answers")
    kind.add_argument("--explain", action="store_true", help="why there is no design, or what the choice hangs on")
    options = parser.parse_args()
    check_alone = (
        check_front
        if options.fronts
        else check_comparison
        if options.comparisons
        else check_explanation
        if options.explain
        else check_one
    )
    knowledge, outcomes, started = load(), Counter[str](), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            try:
                dice = random.Random(seed)
                outcomes[
                    check_joint(dice, knowledge) if options.several else check_alone(dice, knowledge, Path(folder))
                ] += 1
            except (AssertionError, VerificationError) as error:
                outcomes["disagreement"] += 1
                print(f"seed {seed}: {str(error)[:400]}")
    print(f"{dict(outcomes)} in {time.perf_counter() - started:.0f} s")
    return int(outcomes["disagreement"] > 0)


if __name__ == "__main__":
    sys.exit(main())
