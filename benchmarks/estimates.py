"""How well times are estimated, in full: every test of ``dse fidelity``, and the constants behind the intervals.

    python benchmarks/estimates.py               pairs, networks, few shots, whole chips (half an hour)
    python benchmarks/estimates.py --calibrate   write the widths of the intervals anew (some minutes)
    python benchmarks/estimates.py --record      write the table that continuous integration compares with

Widths come from folds inside the rows outside of the pair and the network test; so do the spreads of
``dse/estimate/spreads.csv``, which were found by gradient descent on the errors of left-out folds.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from dse.catalog.paths import shipped_root
from dse.catalog.read import read_catalog
from dse.estimate.evidence import WIDTHS
from dse.heldout.calibrate import calibrated
from dse.heldout.rows import measured_rows

RECORDED = Path(__file__).with_name("fidelity.csv")
QUICK = ("--test", "pair", "--test", "model", "--test", "chip", "--chips", "10")
"""What continuous integration repeats."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calibrate", action="store_true", help="write the widths of the intervals")
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name}")
    options = parser.parse_args()
    if options.calibrate:
        calibrate()
    elif options.record:
        fidelity(*QUICK, "--record", str(RECORDED))
    else:
        fidelity("--test", "pair", "--test", "model", "--test", "few", "--test", "chip")


def calibrate() -> None:
    """Write ``dse/estimate/widths.csv``."""
    factors = calibrated(measured_rows(read_catalog((shipped_root(),))))
    with WIDTHS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["level", "unit", "factor"])
        writer.writerows(
            [level, "cpu" if cpu else "accelerator", f"{factor:.3f}"] for (level, cpu), factor in factors.items()
        )
    print(f"wrote {WIDTHS}")


def fidelity(*arguments: str) -> None:
    """Run ``dse fidelity``."""
    subprocess.run([sys.executable, "-m", "dse.cli.main", "fidelity", *arguments], check=True)


if __name__ == "__main__":
    main()
