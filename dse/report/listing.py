"""What the catalogue holds, as flat rows: one line per thing of a kind."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from dse.catalog.types import Catalog

Row = dict[str, Any]


def listing(catalog: Catalog, what: str) -> list[Row]:
    """Rows of one kind: chips, boards, models, tasks, datasets, runtimes or vendors."""
    return {
        "chips": _chips,
        "boards": _boards,
        "models": _models,
        "tasks": _tasks,
        "datasets": _datasets,
        "runtimes": _runtimes,
        "vendors": _vendors,
    }[what](catalog)


def _boards(catalog: Catalog) -> list[Row]:
    return [
        {
            "id": b.id,
            "vendor": b.vendor,
            "form": b.form,
            "chip": b.chip if b.chips_count == 1 else f"{b.chips_count} x {b.chip}",
            "host": b.host_board or (f"{b.cpu_cores} CPU cores" if b.cpu_cores else "none"),
            "link": " + ".join(link.label for link in b.links),
            "memory_gb": b.memory_gb,
            "power_w": b.power.max_w if b.power.max_w is not None else b.power.typical_w,
            "price_usd": b.latest_price.usd if b.latest_price else None,
            "status": b.lifecycle.status,
        }
        for b in sorted(catalog.boards.values(), key=lambda b: (b.vendor, b.id))
    ]


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
            "power_w": c.power.max_w if c.power.max_w is not None else c.power.typical_w,
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


def _plain(value: float) -> float | None:
    """A rounded figure; None where unknown."""
    return None if np.isnan(value) else round(float(value), 4)
