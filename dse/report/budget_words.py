"""The parts of a budget in words a newcomer understands, and its tables as cells."""

from __future__ import annotations

from dse.report.budget import JsonObject
from dse.report.text import number

MODEL_WIDTH = 10  # letters of a model's name in a column of three
PREFIXES = ((1e3, "T"), (1.0, "G"), (1e-3, "M"))
"""Of 10^9: the first that leaves at least one; below, the last."""
NO_LIMIT = "-"
UNKNOWN = "unknown"


def rate_words(times: JsonObject) -> list[str]:
    """How many inferences a second, and what each may take for that alone."""
    streams, items = times["streams"], times["items_per_frame"]
    what = f"{streams:,} {'stream' if streams == 1 else 'streams'}, each every {_short(times['period_ms'])} ms"
    what += f", up to {items} items at a time" if items > 1 else ""
    rate = f"{times['items_per_s']:,.10g} {'inference' if times['items_per_s'] == 1 else 'inferences'} a second"
    return [
        f"rate: {what}: {rate}",
        f"  {times['bare_ms']:.3f} ms per inference on one server, bare",
        f"  {times['capped_ms']:.3f} ms at {100 * times['cap']:.10g} % load",
    ]


def deadline_words(times: JsonObject) -> list[str]:
    """What the deadline leaves for queue and network, after all that is fixed."""
    if times["due_ms"] is None:
        return ["deadline: none; the rate alone decides"]
    around = times["around"]
    parts = [
        f"{_short(around[key])} ms {word}"
        for key, word in (("delay_ms", "delays"), ("jitter_ms", "jitter"), ("stages_ms", "stages"))
        if around[key]
    ]
    taken = " + ".join(parts) or "nothing"
    left = times["left_ms"]
    result = f"{_short(left)} ms are left for queue and network" if left > 0 else "nothing is left"
    lines = [f"deadline: {_short(times['due_ms'])} ms less {taken}: {result}"]
    if around["open"]:
        lines.append(f"  counted at their least, since they depend on the chip: {', '.join(around['open'])}")
    if times["follows"]:
        lines.append(f"  the networks before it are not counted: {', '.join(times['follows'])}")
    if around["contention_ms"]:
        lines.append(f"  the memory bus takes {_short(around['contention_ms'])} ms of the network's time")
    return lines


def burst_words(times: JsonObject) -> list[str]:
    """The burst that decides, and stages that nothing can help."""
    around, lines = times["around"], []
    if around["overloaded"]:
        lines.append(f"  stages that cannot keep up, whatever the network takes: {', '.join(around['overloaded'])}")
    if times["stage_ms"] is not None:
        lines.append(f"  {times['stage_ms']:.3f} ms: max_ms of the network itself")
    burst = times["burst"]
    if burst is None or times["left_ms"] <= 0:
        return lines
    if times["soft"]:
        lines.append(
            f"  {burst['limit_ms']:.3f} ms if it never waits: how long most wait is an estimate, not counted here"
        )
    elif burst["items"] == 1:
        lines.append(f"  {burst['limit_ms']:.3f} ms: nothing is in front of it")
    elif burst["window_ms"]:
        lines.append(
            f"  {burst['limit_ms']:.3f} ms: {burst['items']:,} may come within {_short(burst['window_ms'])} ms, "
            f"and the last waits for the others"
        )
    else:
        lines.append(
            f"  {burst['limit_ms']:.3f} ms: if {burst['items']:,} come together, the last waits for the others"
        )
    return lines


def batch_cells(batch: JsonObject) -> list[str]:
    """What a whole batch may take, slowest run: by rate, by deadline, and when its first item waits for its last."""
    by_deadline = [NO_LIMIT if batch[key] is None else _left(batch[key]) for key in ("at_once_ms", "counted_ms")]
    return [str(batch["batch"]), _left(batch["rate_ms"]), *by_deadline]


def work_cells(work: JsonObject) -> list[str]:
    """Unit, rated peak, sustained rate, likely work with its range, and the limits of work and bytes."""
    return [
        f"{work['chip']} {work['unit']}",
        number(work["peak_tops"], digits=2),
        UNKNOWN if work["rate_gmacs"] is None else number(work["rate_gmacs"]["value"]),
        _ranged(work["gmacs"]),
        _macs(work["most_gmacs"]),
        number(work["most_mb"], digits=2),
    ]


def tier_words(tier: JsonObject) -> str:
    """The unit that stands for a tier, and where its utilization comes from."""
    work = tier["work"]
    used, whose = work["utilization"], "it" if work["scope"] == "unit" else work["tail_class"]
    return (
        f"{tier['name']}: {work['chip']} {work['unit']}, {_ranged(work['gmacs'])}; "
        f"{100 * used['value']:.2g} % used, {work['runs']} runs on {whose}"
    )


def family_cells(family: JsonObject, task: JsonObject) -> list[str]:
    """A family, its least work, its best member on every tier, and how many chips have a run in time."""
    chips = next((one["chips"] for one in task["reach"]["families"] if one["family"] == family["name"]), 0)
    cells = [family["name"], "one bit" if family["binarized"] else _macs(family["least_gmacs"])]
    for tier in task["tiers"]:
        sure, maybe = (family[kind].get(tier["name"]) for kind in ("likely", "perhaps"))
        member = sure or maybe
        if member is None:
            cells.append(NO_LIMIT)
            continue
        name = member["model"] if len(member["model"]) <= MODEL_WIDTH else member["model"][: MODEL_WIDTH - 1] + "…"
        cells.append(f"{'' if sure else '?'}{_accuracy(member['accuracy'])} {name}")
    return [*cells, str(chips)]


def gain_words(task: JsonObject) -> list[str]:
    """What a stronger chip changes: families that become possible, accuracy gained, the best network and its source."""
    lines: list[str] = []
    before: tuple[list[str], float | None] | None = None
    for tier in (one["name"] for one in task["tiers"]):
        members = {one["name"]: one["likely"][tier] for one in task["families"] if tier in one["likely"]}
        best = max(members.values(), key=lambda member: member["accuracy"] or 0.0, default=None)
        value = None if best is None else best["accuracy"]
        if before is None:
            text = _first_words(task, tier, list(members))
        else:
            new = [name for name in members if name not in before[0]]
            named = f" ({', '.join(new[:4])}{', …' if len(new) > 4 else ''})" if new else ""
            text = f"{len(new) or 'no'} more families{named}"
        lines.append(f"{tier} chips: {text}")
        if best is not None and value is not None:
            gain = "" if before is None or before[1] is None else f" (+{value - before[1]:.1f})"
            lines.append(f"  best {_range(best)}{gain}: {best['model']}, {best['source']}")
        before = (list(members), value)
    return lines


def _first_words(task: JsonObject, tier: str, names: list[str]) -> str:
    """Families that fit the first tier, and those that perhaps do."""
    maybe = [one["name"] for one in task["families"] if tier in one["perhaps"] and tier not in one["likely"]]
    text = f"{', '.join(names)} fit" if names else "no family fits"
    return text + (f"; {', '.join(maybe)} perhaps" if maybe else "")


def _range(member: JsonObject) -> str:
    """Accuracy, with its interval where sources differ."""
    low, high = member["low"], member["high"]
    apart = low is not None and high is not None and high > low
    return _accuracy(member["accuracy"]) + (f" ({_accuracy(low)}–{_accuracy(high)})" if apart else "")


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


def reach_words(task: JsonObject) -> list[str]:
    """How many chips have a run in time, and the weakest of those that are accurate enough, or of all."""
    reach, minimum = task["reach"], task["min_accuracy"]
    lines = [
        f"chips with a run in time: {reach['chips']} of {reach['with_runs']} with any",
        f"  {reach['sure']} also with the guard's margin on estimates",
    ]
    shown = reach["weakest"] if minimum is None else reach["weakest_accurate"]
    if minimum is not None:
        lines.append(f"  {reach['accurate']} with one that reaches {number(minimum)}")
    if shown:
        lines.append("  the weakest of these by rated peak, each with its most accurate network in time:")
    return lines + [f"    {run_words(run)}" for run in shown]


def run_words(run: JsonObject) -> str:
    """One run in time: chip, network, mean against budget, accuracy, evidence."""
    peak = "" if run["peak_tops"] is None else f" ({number(run['peak_tops'])} TOPS)"
    return (
        f"{run['chip']}{peak}: {run['model']} {_accuracy(run['accuracy'])}, "
        f"{number(run['mean_ms'])} of {number(run['budget_ms'])} ms, {run['grade']}"
    )


def _accuracy(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.1f}"


def _ranged(interval: JsonObject | None) -> str:
    """Work with its range, given in 10^9 MAC."""
    if interval is None:
        return UNKNOWN
    scale, prefix = _prefix(interval["value"])
    value, low, high = (number(interval[name] / scale, digits=2) for name in ("value", "low", "high"))
    return f"{value} {prefix} ({low}–{high})"


def _macs(gmacs: float | None) -> str:
    """Work, given in 10^9 MAC."""
    if gmacs is None:
        return UNKNOWN
    scale, prefix = _prefix(gmacs)
    return f"{number(gmacs / scale, digits=2)} {prefix}"


def _prefix(gmacs: float) -> tuple[float, str]:
    return next((pair for pair in PREFIXES if gmacs >= pair[0]), PREFIXES[-1])


def _left(value: float) -> str:
    return f"{value:.3f} ms" if value > 0 else "nothing"


def _short(value: float) -> str:
    """A time as it was written, up to six digits."""
    return f"{value:,.6g}"
