"""What the catalogue holds, as flat rows: lists of a kind, and every figure of one thing with its source."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from dse.candidates.names import CHIP
from dse.catalog.types import BoolArray, Catalog, Chip
from dse.patterns import matches, normalise

Row = dict[str, Any]
NOT_STATED = "source not stated"


def listing(catalog: Catalog, what: str) -> list[Row]:
    """Rows of one kind: chips, models, tasks, datasets, runtimes or vendors."""
    return {
        "chips": _chips,
        "models": _models,
        "tasks": _tasks,
        "datasets": _datasets,
        "runtimes": _runtimes,
        "vendors": _vendors,
    }[what](catalog)


def names(catalog: Catalog) -> set[str]:
    """Everything ``show`` knows."""
    return set(catalog.chips) | set(catalog.nets.id.tolist())


def details(catalog: Catalog, name: str, measured: str | None = None) -> list[Row] | None:
    """Figures of a chip, or entries and accuracies of a model; None when nothing has this name.

    With `measured`, a pattern on the other side's names (models of a chip, chips of a model), its measurements.
    """
    chip = next((chip for chip in catalog.chips.values() if normalise(chip.id) == normalise(name)), None)
    if chip is not None:
        of_chip = catalog.measurements.chip == chip.id
        return _chip_figures(chip, catalog) if measured is None else _measured(catalog, of_chip, measured)
    nets = [k for k, net in enumerate(catalog.nets.id) if normalise(net) == normalise(name)]
    if nets and measured is not None:
        return _measured(catalog, np.isin(catalog.measurements.net, nets), measured)
    return _model_figures(catalog, nets) if nets else None


def _measured(catalog: Catalog, chosen: BoolArray, pattern: str) -> list[Row]:
    """Measurements one by one: what ran where, time of the batch, statistic and source."""
    m, nets = catalog.measurements, catalog.nets
    rows = []
    for k in np.flatnonzero(chosen).tolist():
        model = str(nets.id[m.net[k]])
        if matches(pattern, model) or matches(pattern, m.chip[k]):
            how = f"{m.precision[k]} batch {m.batch[k]} {m.unit[k]} {m.runtime[k]} {m.mode[k]}".strip()
            figure = f"{m.chip[k]} {model}@{nets.input_h[m.net[k]]} {how} {m.quantity[k]} ms ({m.statistic[k]})"
            rows.append({"figure": figure, "value": round(float(m.time_ms[k]), 4), "source": m.source[k]})
    return sorted(rows, key=lambda row: row["figure"])


def _chips(catalog: Catalog) -> list[Row]:
    measured = Counter(catalog.measurements.chip.tolist())
    return [
        {
            "id": c.id,
            "vendor": c.vendor,
            "form": c.form,
            "units": " ".join(u.kind for u in c.units),
            "modes": len(c.modes),
            "measurements": measured[c.id],
            "power_w": c.max_w if c.max_w is not None else c.typical_w,
            "price_usd": c.latest_price.usd if c.latest_price else None,
        }
        for c in sorted(catalog.chips.values(), key=lambda c: (c.vendor, c.id))
    ]


def _models(catalog: Catalog) -> list[Row]:
    e, n = catalog.entries, catalog.nets
    measured = Counter(catalog.measurements.net.tolist())
    return [
        {
            "id": n.id[net],
            "weights": e.weights[k],
            "task": e.task[k],
            "dataset": e.dataset[k],
            "metric": e.metric[k],
            "input": f"{n.input_h[net]}x{n.input_w[net]}" if n.input_h[net] else "",
            "params_m": _plain(n.params_m[net]),
            "gmacs": _plain(n.gmacs[net]),
            "measurements": measured[net],
        }
        for k, net in enumerate(e.net.tolist())
    ]


def _tasks(catalog: Catalog) -> list[Row]:
    e = catalog.entries
    rows = []
    for task in sorted(set(e.task.tolist()) - {""}):
        chosen = (e.task == task) & (e.metric != "")
        pairs = Counter(zip(e.dataset[chosen].tolist(), e.metric[chosen].tolist(), strict=True))
        main = min(pairs, key=lambda pair: (-pairs[pair], pair)) if pairs else ("", "")
        rows.append({"task": task, "entries": int(chosen.sum()), "dataset": main[0], "metric": main[1]})
    return rows


def _datasets(catalog: Catalog) -> list[Row]:
    e = catalog.entries
    pairs = Counter(zip(e.task.tolist(), e.dataset.tolist(), e.metric.tolist(), strict=True))
    return [
        {"task": task, "dataset": dataset, "metric": metric, "entries": count}
        for (task, dataset, metric), count in sorted(pairs.items())
        if metric
    ]


def _runtimes(catalog: Catalog) -> list[Row]:
    m = catalog.measurements
    chips: dict[str, set[str]] = {}
    for runtime, chip in zip(m.runtime, m.chip, strict=True):
        chips.setdefault(runtime, set()).add(chip)
    counts = Counter(m.runtime.tolist())
    return [{"runtime": name, "measurements": counts[name], "chips": len(chips[name])} for name in sorted(chips)]


def _vendors(catalog: Catalog) -> list[Row]:
    counts = Counter(chip.vendor for chip in catalog.chips.values())
    return [{"vendor": vendor, "chips": counts[vendor]} for vendor in sorted(counts)]


def _chip_figures(chip: Chip, catalog: Catalog) -> list[Row]:
    rows = [
        {
            "figure": name,
            "value": read(chip),
            "source": chip.sources.get(name, "" if name in ("id", "vendor", "class", "form") else NOT_STATED)
            if read(chip) is not None
            else "",
        }
        for name, read in CHIP.items()
        if name not in ("sram_kib", "peak_tops")
    ]
    for unit in chip.units:
        rows += [
            {
                "figure": f"{unit.kind}.peak_tops.{precision}",
                "value": tops,
                "source": chip.sources.get(f"{unit.kind}.peak_tops.{precision}")
                or chip.sources.get(f"peak_tops.{precision}", NOT_STATED),
            }
            for precision, tops in unit.peak_tops.items()
        ]
        rows.append(
            {"figure": f"{unit.kind}.sram_kib", "value": unit.sram_kib, "source": chip.sources.get("sram_kib", "")}
        )
    rows += [
        {"figure": f"mode.{mode.id}.budget_w", "value": mode.budget_w, "source": mode.source} for mode in chip.modes
    ]
    rows += [
        {
            "figure": "price_usd",
            "value": f"{price.usd:g} ({price.kind}, {price.date}, at {price.quantity})",
            "source": chip.sources.get("price.usd", NOT_STATED),
        }
        for price in chip.prices
    ]
    m = catalog.measurements
    counts = Counter(zip(m.unit[m.chip == chip.id].tolist(), m.runtime[m.chip == chip.id].tolist(), strict=True))
    rows += [
        {"figure": f"measurements {unit} {runtime}", "value": count, "source": "catalogs/measurements"}
        for (unit, runtime), count in sorted(counts.items())
    ]
    return rows


def _model_figures(catalog: Catalog, nets: list[int]) -> list[Row]:
    e, n, a = catalog.entries, catalog.nets, catalog.accuracies
    rows: list[Row] = []
    for net in nets:
        size = f"@{n.input_h[net]}x{n.input_w[net]}" if n.input_h[net] else ""
        of_net = np.flatnonzero(e.net == net)
        source = str(e.source[of_net[0]]) if len(of_net) else ""
        rows += [
            {"figure": f"{name}{size}", "value": _plain(getattr(n, name)[net]), "source": source}
            for name in ("params_m", "gmacs", "activations_m")
        ]
        for entry in of_net.tolist():
            rows += [
                {
                    "figure": f"{e.metric[entry]} {e.dataset[entry]}{size} {e.weights[entry]} {a.precision[k]}",
                    "value": round(float(a.accuracy[k]), 3),
                    "source": f"{a.toolchain[k]} {a.source[k]}".strip(),
                }
                for k in np.flatnonzero(a.entry == entry).tolist()
            ]
    return rows


def _plain(value: float) -> float | None:
    """A rounded figure; None where unknown."""
    return None if np.isnan(value) else round(float(value), 4)
