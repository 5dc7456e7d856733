"""The parts of a budget in words a newcomer understands, and its tables as cells."""

from __future__ import annotations

from dse.report.budget import JsonObject
from dse.report.text import number

MODEL_WIDTH = 11  # letters of a model's name in a column of three
UNKNOWN = "unknown"


def rate_words(times: JsonObject) -> list[str]:
    """How many inferences a second, and what each may take for that alone."""
    streams, items = times["streams"], times["items_per_frame"]
    what = f"{streams:,} {'stream' if streams == 1 else 'streams'}, each every {_short(times['period_ms'])} ms"
    what += f", up to {items} items at a time" if items > 1 else ""
    return [
        f"rate: {what}: {times['items_per_s']:,.10g} inferences a second",
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


def batch_words(times: JsonObject) -> list[str]:
    """What a whole batch may take, slowest run."""
    lines = []
    for batch in times["batches"]:
        parts = [f"{batch['rate_ms']:.3f} ms by rate"]
        if batch["at_once_ms"] is not None:
            parts.append(f"{_left(batch['at_once_ms'])} by deadline")
            parts.append(f"{_left(batch['counted_ms'])} if its first item waits for its last")
        lines.append(f"  of {batch['batch']}: {', '.join(parts)}")
    return ["a whole batch may take"] + lines if lines else []


def work_cells(work: JsonObject) -> list[str]:
    """Unit, rated peak, sustained rate, likely work with its range, and the limits of work and bytes."""
    return [
        f"{work['chip']} {work['unit']}",
        number(work["peak_tops"]),
        UNKNOWN if work["rate_gmacs"] is None else number(work["rate_gmacs"]["value"]),
        _ranged(work["gmacs"]),
        number(work["most_gmacs"]),
        number(work["most_mb"]),
    ]


def tier_words(tier: JsonObject) -> str:
    """The unit that stands for a tier, and where its utilization comes from."""
    work = tier["work"]
    used, whose = work["utilization"], "it" if work["scope"] == "unit" else work["tail_class"]
    return (
        f"{tier['name']}: {work['chip']} {work['unit']}, {_ranged(work['gmacs'])} GMAC; "
        f"{100 * used['value']:.2g} % used, {work['runs']} runs on {whose}"
    )


def family_cells(family: JsonObject, task: JsonObject) -> list[str]:
    """A family, its least work, its best member on every tier, and how many chips have a run in time."""
    chips = next((one["chips"] for one in task["reach"]["families"] if one["family"] == family["name"]), 0)
    cells = [family["name"], "one bit" if family["binarized"] else number(family["least_gmacs"])]
    for tier in task["tiers"]:
        sure, maybe = (family[kind].get(tier["name"]) for kind in ("likely", "perhaps"))
        member = sure or maybe
        if member is None:
            cells.append("-")
            continue
        name = member["model"] if len(member["model"]) <= MODEL_WIDTH else member["model"][: MODEL_WIDTH - 1] + "…"
        cells.append(f"{'' if sure else '?'}{_accuracy(member['accuracy'])} {name}")
    return [*cells, str(chips)]


def gain_words(task: JsonObject) -> list[str]:
    """What a stronger chip changes: families that become possible, and accuracy gained."""
    lines, before = [], None
    for tier in task["tiers"]:
        fitting = {
            one["name"]: one["likely"][tier["name"]] for one in task["families"] if tier["name"] in one["likely"]
        }
        known = [member["accuracy"] for member in fitting.values() if member["accuracy"] is not None]
        best = max(known, default=None)
        if before is None:
            names = ", ".join(fitting) or "no family"
            lines.append(f"{tier['name']} chips: {names} fit; best {_accuracy(best)}")
        else:
            new = [name for name in fitting if name not in before[0]]
            gain = "" if best is None or before[1] is None else f" (+{best - before[1]:.1f} points)"
            more = (
                f"{len(new)} more ({', '.join(new[:4])}{', …' if len(new) > 4 else ''})" if new else "no more families"
            )
            lines.append(f"{tier['name']} chips: {more}; best {_accuracy(best)}{gain}")
        before = (fitting, best)
    return lines


def one_bit_words(reach: JsonObject) -> str:
    """Where binarized networks run, and whether in time."""
    run = reach["one_bit"]
    if run is None:
        return "binarized networks: no runtime that the search takes has kernels for one of this task"
    verdict = "in time" if run["mean_ms"] <= run["budget_ms"] else "too slow"
    return (
        f"binarized networks run where there are kernels for one bit; the fastest, {run['model']} on "
        f"{run['chip']}, takes {number(run['mean_ms'])} ms of {number(run['budget_ms'])}: {verdict}"
    )


def reach_words(task: JsonObject) -> str:
    """How many chips have a run in time."""
    reach = task["reach"]
    text = f"chips with a run in time: {reach['chips']} of {reach['with_runs']} with runs, "
    text += f"{reach['sure']} of them also with the guard's margin on estimates"
    if reach["accurate"] is not None:
        text += f"; {reach['accurate']} reach {number(task['min_accuracy'])}"
    return text + ("; the weakest by rated peak, each with its most accurate:" if reach["weakest"] else "")


def run_words(run: JsonObject) -> str:
    """One run in time: chip, network, mean against budget, accuracy, evidence."""
    peak = "" if run["peak_tops"] is None else f" ({number(run['peak_tops'])} TOPS)"
    return (
        f"{run['chip']}{peak}: {run['model']}, {number(run['mean_ms'])} of {number(run['budget_ms'])} ms, "
        f"accuracy {_accuracy(run['accuracy'])}, grade {run['grade']}"
    )


def _accuracy(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.1f}"


def _ranged(interval: JsonObject | None) -> str:
    if interval is None:
        return UNKNOWN
    value, low, high = (number(interval[name], digits=2) for name in ("value", "low", "high"))
    return f"{value} ({low}–{high})"


def _left(value: float) -> str:
    return f"{value:.3f} ms" if value > 0 else "nothing"


def _short(value: float) -> str:
    """A time as it was written, up to six digits."""
    return f"{value:,.6g}"
