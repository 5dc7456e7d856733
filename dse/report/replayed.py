"""What a replay showed: the bound beside what was observed, a histogram in the terminal, and a picture."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dse.errors import Fault, InputError
from dse.report.text import number

JsonObject = dict[str, Any]
PICTURES = (".png", ".svg")
BINS = 12
BAR = 40


def show_replayed(data: JsonObject, console: Console) -> None:
    """Print what was seen, task by task."""
    if not data["tasks"]:
        console.print(Text(f"{data['status']}: there is no design to replay", style="bold red"))
        return
    for one in data["tasks"]:
        replays = f"{one['frames']:,} items in {data['replays']} replays, seed {data['seed']}"
        console.print(Text(f"{one['task']}: {replays}", style="bold"))
        console.print(Text(f"{one['model']} {one['precision']} on {one['chip']}"))
        console.print(_figures(one))
        console.print(_stages(one))
        for line in histogram(one["sample_ms"]):
            console.print(Text(line))
    for chain in data["chains"]:
        worst, bound = number(chain["observed_worst_ms"], "ms", 4), number(chain["bound_ms"], "ms", 4)
        console.print(Text(f"chain {chain['chain']}: observed worst {worst}, bound {bound}", style="bold"))
    console.print(
        Text(
            "worst: over a search for bad phases; mean and percentiles: over random phases, longest services. The "
            "bound holds for the sum: it books waiting at the slowest stage, a replay may see it at another"
        )
    )


def _figures(one: JsonObject) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    names = ("bound", "observed worst", "bound/worst", "mean", "p50", "p99", "p99.9")
    for name in names:
        table.add_column(name, justify="right")
    worst, bound = one["observed_worst_ms"], one["bound_ms"]
    ratio = "unknown" if not worst else f"{bound / worst:.3f}"
    shown = [number(one[key], "ms", 4) for key in ("mean_ms", "p50_ms", "p99_ms", "p99_9_ms")]
    table.add_row(number(bound, "ms", 4), number(worst, "ms", 4), ratio, *shown)
    return table


def _stages(one: JsonObject) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("stage")
    table.add_column("observed worst, waiting included [ms]", justify="right")
    # Waiting moves between stages: the bound books all of it where it can be longest, and only the sum is promised.
    table.add_column("booked there in the bound [ms]", justify="right")
    for stage in one["stages"]:
        table.add_row(stage["stage"], f"{stage['observed_worst_ms']:.3f}", f"{stage['bound_parts_ms']:.3f}")
    if one["other_parts_ms"]:
        table.add_row("rest (jitter, delays …)", "", f"{one['other_parts_ms']:.3f}")
    return table


def histogram(sample: list[float]) -> list[str]:
    """Bars of a sample of latencies [ms], one line per bin."""
    if not sample:
        return []
    low, high = min(sample), max(sample)
    if high == low:
        return [f"  {low:10.3f} ms  {'█' * BAR} all"]
    width = (high - low) / BINS
    counts = [0] * BINS
    for value in sample:
        counts[min(BINS - 1, int((value - low) / width))] += 1
    most = max(counts)
    return [
        f"  {low + k * width:10.3f} ms  {'█' * round(BAR * count / most)} {100 * count / len(sample):.1f} %"
        for k, count in enumerate(counts)
    ]


def require_plots(target: Path) -> None:
    """Refuse a picture that cannot be drawn, before any work is done.

    Raises
    ------
    InputError
        The ending is neither ``.png`` nor ``.svg``, or matplotlib is not installed.
    """
    if target.suffix.casefold() not in PICTURES:
        raise InputError(
            [Fault(str(target), 0, 0, "", "is no picture dse can draw", f"end in {' or '.join(PICTURES)}")]
        )
    if not target.parent.is_dir():
        raise InputError([Fault(str(target), 0, 0, "", f"there is no folder `{target.parent}`", "make it first")])
    if find_spec("matplotlib") is None:
        raise InputError([Fault(str(target), 0, 0, "", "needs matplotlib", 'install it: pip install "dse[plots]"')])


def draw(data: JsonObject, target: Path) -> None:
    """One histogram per task, its bound and the worst that was seen; written whole or not at all."""
    from matplotlib.figure import Figure

    from dse.report.table import whole_file

    tasks = data["tasks"]
    figure = Figure(figsize=(8, 2.6 * len(tasks)), layout="constrained")
    for one, axes in zip(tasks, figure.subplots(len(tasks), squeeze=False)[:, 0], strict=True):
        axes.hist(one["sample_ms"], bins=40, color="#4c78a8")
        axes.axvline(one["bound_ms"], color="#d62728", label=f"bound {one['bound_ms']:.2f} ms")
        worst = one["observed_worst_ms"]
        axes.axvline(worst, color="#f58518", linestyle="--", label=f"observed worst {worst:.2f} ms")
        axes.set_title(f"{one['task']}: {one['frames']:,} items replayed")
        axes.set_xlabel("latency [ms]")
        axes.set_ylabel("items, random phases")
        axes.legend()
    with whole_file(target) as file:
        figure.savefig(file, format=target.suffix[1:].casefold(), dpi=120)
