"""The times of a budget and the chips that keep to it, in words a newcomer understands."""

from __future__ import annotations

from dse.report.budget_figures import accuracy, short, time
from dse.report.text import JsonObject, number

UNITS = {"power_w": "W", "power_peak_w": "W", "price_usd": "USD"}
"""Of the limits on power and price."""


def rate_words(times: JsonObject) -> list[str]:
    """How many inferences a second, and what each may take for that alone."""
    streams, items = times["streams"], times["items_per_frame"]
    each = ", each every" if streams > 1 else " with a frame every"
    what = f"{streams:,} {'stream' if streams == 1 else 'streams'}{each} {short(times['period_ms'])} ms"
    what += f", up to {items} items at a time" if items > 1 else ""
    rate = f"{times['items_per_s']:,.10g} {'inference' if times['items_per_s'] == 1 else 'inferences'} a second"
    return [
        f"rate: {what}: {rate}",
        f"  {time(times['bare_ms'])} per inference on one server, bare",
        f"  {time(times['capped_ms'])} at {100 * times['cap']:.10g} % load",
    ]


def deadline_words(times: JsonObject) -> list[str]:
    """What the deadline leaves for queue and network, after all that is fixed."""
    if times["due_ms"] is None:
        return ["deadline: none; the rate alone decides"]
    around = times["around"]
    parts = [
        f"{short(around[key])} ms {word}"
        for key, word in (("delay_ms", "delays"), ("jitter_ms", "jitter"), ("stages_ms", "stages"))
        if around[key]
    ]
    taken = " + ".join(parts) or "nothing"
    left = times["left_ms"]
    result = f"{short(left)} ms are left for queue and network" if left > 0 else "nothing is left"
    lines = [f"deadline: {short(times['due_ms'])} ms less {taken}: {result}"]
    lines += _open_words(around)
    if times["follows"]:
        lines.append(f"  the networks before it are not counted: {', '.join(times['follows'])}")
    if around["contention_ms"]:
        lines.append(f"  the memory bus takes {short(around['contention_ms'])} ms of the network's time")
    return lines


def _open_words(around: JsonObject) -> list[str]:
    """Stages whose time depends on the chip, and how they were counted."""
    linked = around["by_link"]
    others = [name for name in around["open"] if name not in linked]
    lines = []
    if others:
        lines.append(f"  {', '.join(others)}: how long depends on the chip; the shortest time on any of them is taken")
    if linked:
        lines.append(f"  {', '.join(linked)}: takes time on chips behind a link alone, such as cards; none is taken")
    return lines


def burst_words(times: JsonObject) -> list[str]:
    """The burst that decides, and stages that nothing can help."""
    around, lines = times["around"], []
    if around["overloaded"]:
        lines.append(f"  stages that cannot keep up, whatever the network takes: {', '.join(around['overloaded'])}")
    if times["stage_ms"] is not None:
        lines.append(f"  {time(times['stage_ms'])}: max_ms of the network itself")
    burst = times["burst"]
    if burst is None or times["left_ms"] <= 0:
        return lines
    limit = time(burst["limit_ms"])
    if times["soft"]:
        lines.append(f"  {limit} if it never waits: how long most wait is an estimate, not counted here")
    elif burst["items"] == 1:
        lines.append(f"  {limit}: an item never waits for an earlier one, so all of this is the network's")
    elif burst["window_ms"]:
        within = f"may come within {short(burst['window_ms'])} ms"
        lines.append(f"  {limit}: {burst['items']:,} {within}, and the last waits for the others")
    else:
        lines.append(f"  {limit}: if {burst['items']:,} come together, the last waits for the others")
    return lines


def one_bit_words(reach: JsonObject) -> str:
    """Where binarized networks run, and whether in time."""
    run = reach["one_bit"]
    if run is None:
        return "binarized networks: no runtime that the search takes has kernels for one of this task"
    verdict = "in time" if run["mean_ms"] <= run["budget_ms"] else "too slow"
    return (
        f"binarized networks, where there are kernels for one bit: {run['model']} on {run['chip']}, the fastest, "
        f"takes {number(run['mean_ms'])} of {number(run['budget_ms'])} ms: {verdict}"
    )


def reach_words(task: JsonObject, *, several: bool = False) -> list[str]:
    """How many chips are left step by step, and the weakest of those left by the last step that leaves any.

    `several` says whether the problem has other tasks.
    """
    reach, asked = task["reach"], task["min_accuracy"]
    lines = [
        f"chips with a run in time, by its likely time: {reach['chips']} of {reach['with_runs']} with any",
        f"  {reach['sure']} of them with the guard's margin on estimates as well",
    ]
    if reach["accurate"] is not None:
        what = "accurate enough" if asked is None else f"that reaches {number(asked)}"
        lines.append(f"  {reach['accurate']} of them with a network {what}, by the lower end of its accuracy there")
    if reach["within"] is not None:
        bounds = " and ".join(_bound_words(bound) for bound in reach["limited"])
        lines.append(f"  {reach['within']} of them within {bounds}{_unknown_words(reach['within_unknown'])}")
    else:
        lines.append("  power and price: no limit is stated")
    what = "feasible on one device, item by item" + (", for this task alone" if several else "")
    lines.append(f"  {reach['kept']} of them within everything else too: {what}{_unknown_words(reach['kept_unknown'])}")
    if reach["weakest"]:
        lines.append(f"  the weakest {WEAKEST_OF[reach['weakest_of']]}, each with its most accurate network of these:")
    return lines + [f"    {run_words(run)}" for run in reach["weakest"]]


WEAKEST_OF = {
    "chips": "of those in time",
    "sure": "of those in time with the guard's margin",
    "accurate": "of those accurate enough",
    "within": "of those within power and price",
    "kept": "of the last",
}
"""Whose weakest are named, by the step that leaves them."""


def _bound_words(bound: JsonObject) -> str:
    name = bound["name"].removeprefix("result.")
    ends = [
        f"{word} {bound[end]:,.10g} {UNITS[name]}"
        for end, word in (("minimum", "from"), ("maximum", "up to"))
        if bound[end] is not None
    ]
    return " ".join([name, *ends])


def _unknown_words(count: int) -> str:
    return f" ({count} only because a figure nobody knows is let pass)" if count else ""


def run_words(run: JsonObject) -> str:
    """One run in time: chip, unit and its peak, network, accuracy, mean against budget, evidence."""
    peak = "" if run["peak_tops"] is None else f" ({tops_words(run)})"
    low = run["accuracy_low"]
    least = "" if low is None or accuracy(low) == accuracy(run["accuracy"]) else f" (at least {accuracy(low)})"
    return (
        f"{run['chip']} {run['unit']}{peak}: {run['model']} {accuracy(run['accuracy'])}{least}, "
        f"{number(run['mean_ms'])} of {number(run['budget_ms'])} ms, {run['grade']}"
    )


def tops_words(run: JsonObject) -> str:
    """The peak that one inference can use, and of what it is a part."""
    whole = "" if run["share"] == 1 else f" of {number(run['peak_tops'] / run['share'])}"
    return f"{number(run['peak_tops'])}{whole} TOPS {run['peak_precision']}"
