"""How well times are estimated: every measured network of every calibration, estimated without its own measurement.

    python benchmarks/estimates.py            the figures, beside two baselines
    python benchmarks/estimates.py --scan     the constants of the law, one changed at a time

The rows are halved by a hash of chip and network. ``--scan`` chooses on one half (``tune``) and shows the other
(``test``) beside it. Nothing of a network on a chip is used to estimate it there: the law leaves the network out of
its calibration, and its own efficiency comes from other chips alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from dse.catalog.paths import shipped_root
from dse.catalog.read import read_catalog
from dse.catalog.types import Catalog
from dse.estimate.law import Constants, calibrations_of, features_of, predict
from dse.estimate.speed import fit

PEAK_SHARE = 0.6  # the rule of thumb that one baseline stands for
CPU_KINDS = ("cpu", "mcu")
SCAN = {
    "neighbours": (4, 8, 12, 20, 40),
    "distance_scale": (0.2, 0.35, 0.5, 0.8),
    "work_exponent": (0.6, 0.7, 0.75, 0.8, 0.85, 1.0),
    "shrink_models": (0.3, 1.0, 2.0, 4.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scan", action="store_true", help="try other constants of the law")
    options = parser.parse_args()
    catalog = read_catalog((shipped_root(),))
    pd.set_option("display.width", 160)
    if options.scan:
        print(pd.DataFrame(scan(catalog)).to_string(index=False))
        return
    rows = left_out_rows(catalog, Constants())
    print(pd.DataFrame(report(rows)).to_string(index=False))
    print("\nThe network with the fewest MACs of its calibration, estimated from the larger ones:")
    print(pd.DataFrame(smallest(catalog)).to_string(index=False))


def left_out_rows(catalog: Catalog, constants: Constants) -> pd.DataFrame:
    """One row per measured network of a calibration: log of the time measured, estimated, and by the baselines."""
    speeds, nets = fit(catalog, constants), catalog.nets
    parts = []
    for c, known in enumerate(calibrations_of(catalog.measurements)):
        chip, _mode, kind, _cores, _runtime, precision = known.key
        parts.append(
            pd.DataFrame(
                {
                    "chip": chip, "unit": kind, "precision": precision, "net": known.net, "truth": known.log_ms,
                    "model": nets.id[known.net], "gmacs": nets.gmacs[known.net],
                    "estimate": np.log(speeds.typical_ms[c, known.net]),
                    "half_width": np.log(speeds.spread[c, known.net]),
                    "peak": usable_peak(catalog, chip, kind, precision),
                }
            )
        )  # fmt: skip
    rows = pd.concat(parts, ignore_index=True)
    rows["cpu"] = rows.unit.isin(CPU_KINDS)
    rows["tune"] = [half(chip, model) for chip, model in zip(rows.chip, rows.model, strict=True)]
    rows["share of peak"] = np.log(2 * rows.gmacs / (rows.peak * PEAK_SHARE))
    rows["chip median"] = chip_median(rows)
    return rows


def usable_peak(catalog: Catalog, chip: str, kind: str, precision: str) -> float:
    """Rated 10^12 operation/s that one inference can use; NaN where nothing is rated."""
    unit = catalog.chips[chip].unit(kind)
    names = {"float": ("fp16", "fp32")}.get(precision, (precision,))
    tops = next((unit.peak_tops[name] for name in names if unit and name in unit.peak_tops), np.nan)
    return tops * (unit.one_inference_share or 1.0) if unit else np.nan


def chip_median(rows: pd.DataFrame) -> np.ndarray:
    """Time at the median work rate of the chip's unit and precision over its other networks."""
    result = np.full(len(rows), np.nan)
    rate = np.log(rows.gmacs) - rows.truth
    for index in rows.groupby(["chip", "unit", "precision"]).groups.values():
        net, rates = rows.net[index].to_numpy(), rate[index].to_numpy()
        for row in index:
            others = rates[(net != rows.net[row]) & np.isfinite(rates)]
            if len(others):
                result[row] = np.log(rows.gmacs[row]) - np.median(others)
    return result


def half(chip: str, model: str) -> bool:
    """Whether a pair is in the half on which constants are chosen."""
    return hashlib.blake2b(f"{chip} {model}".encode(), digest_size=1).digest()[0] % 2 == 0


def figures(error: pd.Series, half_width: pd.Series | None = None) -> dict[str, object]:
    """Median absolute percentage error, factor that nine in ten stay within, coverage of the interval."""
    known = error.notna()
    size = error[known].abs()
    found: dict[str, object] = {
        "rows": int(known.sum()),
        "median APE": f"{100 * np.median(np.abs(np.expm1(error[known]))):.1f} %",
        "90th factor": f"x{np.exp(size.quantile(0.9)):.2f}",
    }
    if half_width is not None:
        found["covers (90 %)"] = f"{100 * (size <= half_width[known]).mean():.1f} %"
        found["half-width"] = f"x/÷ {np.exp(half_width[known].median()):.2f}"
    return found


def report(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Accelerators and CPUs apart; each method on the rows it answers, and the estimate on those of the baselines."""
    for name, of_kind in (("accelerator", rows[~rows.cpu]), ("cpu, mcu", rows[rows.cpu])):
        error = of_kind.estimate - of_kind.truth
        for part, chosen in (("all", slice(None)), ("tune", of_kind.tune), ("test", ~of_kind.tune)):
            yield {"unit": name, "method": "estimate", "on": part} | figures(error[chosen], of_kind.half_width[chosen])
        for baseline in ("share of peak", "chip median"):
            answered = of_kind[baseline].notna() & of_kind.estimate.notna()
            yield {"unit": name, "method": baseline, "on": "its rows"} | figures(
                (of_kind[baseline] - of_kind.truth)[answered]
            )
            yield {"unit": name, "method": "estimate", "on": f"rows of {baseline}"} | figures(error[answered])


def smallest(catalog: Catalog) -> Iterator[dict[str, object]]:
    """Extrapolation downwards by the law alone, and held at the fastest measured run."""
    features, errors = features_of(catalog.nets), []
    for known in calibrations_of(catalog.measurements):
        macs = features.macs[known.net]
        if np.isfinite(macs).sum() < 4:
            continue
        position = int(np.nanargmin(macs))
        others = dataclasses.replace(
            known, net=np.delete(known.net, position), log_ms=np.delete(known.log_ms, position)
        )
        found = predict(features, known.net[[position]], others, Constants(), left_out=False)
        law, truth = float(found.log_ms[0]), float(known.log_ms[position])
        errors.append((known.key[2] in CPU_KINDS, law - truth, max(law, float(found.floor[0])) - truth))
    table = pd.DataFrame(errors, columns=["cpu", "law", "held"])
    for (cpu, of_kind), method in itertools.product(table.groupby("cpu"), ("law", "held")):
        error = of_kind[method]
        too_fast = {"more than 1.25x too fast": f"{100 * (error < -np.log(1.25)).mean():.0f} %"}
        yield {"unit": "cpu, mcu" if cpu else "accelerator", "method": method} | figures(error) | too_fast


def scan(catalog: Catalog) -> Iterator[dict[str, object]]:
    """Change one constant at a time; both halves side by side."""
    for name, values in SCAN.items():
        for value in values:
            change: dict[str, Any] = {name: value}
            rows = left_out_rows(catalog, dataclasses.replace(Constants(), **change))
            line: dict[str, object] = {"constant": name, "value": value}
            for kind, part in itertools.product((False, True), ("tune", "test")):
                chosen = rows[(rows.cpu == kind) & (rows.tune == (part == "tune"))]
                found = figures(chosen.estimate - chosen.truth)
                line[f"{'cpu' if kind else 'acc'} {part}"] = f"{found['median APE']} {found['90th factor']}"
            yield line


if __name__ == "__main__":
    main()
