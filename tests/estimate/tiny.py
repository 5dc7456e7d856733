"""Hand-made catalogues, small enough to work out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dse.catalog.parts import Lifecycle, Power, Temperature
from dse.catalog.trials import trials
from dse.catalog.types import Accuracies, Catalog, Chip, Entries, Measurements, Mode, Nets, Unit
from dse.estimate.estimator import fit
from dse.estimate.store import knowledge_from


def texts(*words):
    return np.array(words, dtype=object)


def nets(gmacs, *, ids=None, params=None, side=224, family="f", stem="s"):
    """Networks with the given work; everything else alike unless said."""
    n = len(gmacs)
    per_net = {name: texts(*(value if isinstance(value, list) else [value] * n))
               for name, value in (("family", family), ("stem", stem))}  # fmt: skip
    return Nets(
        id=texts(*(ids or [f"net{k}" for k in range(n)])),
        input_h=np.full(n, side),
        input_w=np.full(n, side),
        params_m=np.full(n, 1.0) if params is None else np.array(params, dtype=float),
        gmacs=np.array(gmacs, dtype=float),
        binary_gmacs=np.full(n, np.nan),
        activations_m=np.full(n, np.nan),
        **{f"{name}_place": np.zeros(n, dtype=np.int64) for name in ("params", "gmacs", "activations")},
        **per_net,
    )


def measurements(rows):
    """Rows of (chip, net, time_ms) at batch 1, each with keyword changes."""
    full = [{"mode": "", "unit": "npu", "cores": 0, "runtime": "rt", "precision": "int8", "batch": 1,
             "quantity": "latency", "statistic": "mean", "boundary": "chip", **row} for row in rows]  # fmt: skip

    def words(name):
        return texts(*(row[name] for row in full))

    nothing = np.full(len(full), np.nan)
    return Measurements(
        **{name: words(name) for name in ("chip", "mode", "unit", "runtime", "precision", "quantity", "statistic",
                                          "boundary")},
        cores=np.array([row["cores"] for row in full]),
        net=np.array([row["net"] for row in full]),
        input_stated=np.full(len(full), True),
        batch=np.array([row["batch"] for row in full]),
        time_ms=np.array([row["time_ms"] for row in full], dtype=float),
        power_w=nothing,
        power_boundary=texts(*[""] * len(full)),
        energy_mj=nothing,
        memory_mb=nothing,
        source=texts(*["here"] * len(full)),
        place=np.zeros(len(full), dtype=np.int64),
    )  # fmt: skip


def catalog(of_nets, rows=(), figures=(), toolchains=(), chips=()):
    """One entry per network; figures are (entry, precision, toolchain, accuracy[, low, high, subset])."""
    full = [(*figure, figure[3], figure[3], False) if len(figure) == 4 else figure for figure in figures]
    entry, precision, toolchain, accuracy, low, high, subset = zip(*full, strict=True) if full else [()] * 7
    n = len(of_nets.id)
    chips_of_rows = {row["chip"]: _chip(row["chip"]) for row in rows}
    return Catalog(
        chips=chips_of_rows,
        nets=of_nets,
        entries=Entries(
            net=np.arange(n),
            weights=texts(*[""] * n),
            task=texts(*["t"] * n),
            dataset=texts(*["d"] * n),
            metric=texts(*["top1"] * n),
            license=texts(*[""] * n),
            operators=texts(*[""] * n),
            weights_url=texts(*[""] * n),
            source=texts(*["here"] * n),
            macs_source=texts(*["here"] * n),
            license_source=texts(*[""] * n),
            license_place=np.zeros(n, dtype=np.int64),
            place=np.zeros(n, dtype=np.int64),
        ),
        accuracies=Accuracies(
            entry=np.array(entry, dtype=np.int64),
            precision=texts(*precision),
            toolchain=texts(*toolchain),
            chip=texts(*chips) if chips else texts(*[""] * len(full)),
            accuracy=np.array(accuracy, dtype=float),
            low=np.array(low, dtype=float),
            high=np.array(high, dtype=float),
            subset=np.array(subset, dtype=bool),
            source=texts(*["here"] * len(full)),
            place=np.zeros(len(full), dtype=np.int64),
        ),
        measurements=measurements(rows),
        trials=trials(_frame(of_nets, rows), chips_of_rows),
        tails={},
        toolchains=tuple(toolchains),
    )


def knowledge(of_nets, rows, key=""):
    """A catalogue with its estimates."""
    whole = catalog(of_nets, rows)
    return knowledge_from(whole, fit(whole), key)


def _chip(name):
    """A chip of which nothing is rated."""
    kinds = ("npu", "gpu", "cpu")
    return Chip(
        id=name, name=name, vendor="v", chip_class="sbc", form="soc", os=None, release_year=None, cpu=None,
        cpu_cores=None, toolchain=None,
        units=tuple(Unit(kind, kind, 1, {}, None, None, (), "soc-npu") for kind in kinds),
        modes=(Mode("", "vendor", None, None, None, reference=True, source=""),), memory_type=None, bandwidth_gbs=None,
        capacity_gb=None, regions=(), runtimes=(), links=(), power=Power(None, None, None, None),
        temperature=Temperature(None, None, None), decode_streams_1080p30=None, prices=(),
        lifecycle=Lifecycle(None, None, None), notes="", sources={},
    )  # fmt: skip


def _frame(of_nets, rows):
    """Rows as the reader of measurement files hands them on."""
    full = [
        {"vendor": "v", "device": row["chip"], "mode": "", "unit": "npu", "cores": 0.0, "streams": 1.0, "runtime": "rt",
         "precision": "int8", "batch": 1.0, "quantity": "latency", "statistic": "mean", "excluded": "",
         "model": of_nets.id[row["net"]], "input_h": float(of_nets.input_h[row["net"]]),
         "input_w": float(of_nets.input_w[row["net"]]), "gmacs": np.nan, "params_m": np.nan, "activations_m": np.nan,
         **row, "time_ms_per_item": row["time_ms"] / row.get("batch", 1)}
        for row in rows
    ]  # fmt: skip
    columns = ["vendor", "device", "chip", "mode", "unit", "cores", "streams", "runtime", "precision", "batch",
               "quantity", "statistic", "excluded", "model", "input_h", "input_w", "gmacs", "params_m",
               "activations_m", "time_ms_per_item"]  # fmt: skip
    return pd.DataFrame(full, columns=columns)
