"""What to say about an answer for several tasks on one device: the same structure as for one task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dse.candidates.path import scope_of
from dse.estimate.evidence import GRADES
from dse.joint.answer import JointAnswer
from dse.joint.evaluate import Verdict
from dse.joint.table import resolution_of
from dse.problem.defaults import defaults_used
from dse.problem.spec import Problem
from dse.report.assumptions import design_cautions
from dse.report.bottleneck import overloads_of
from dse.report.joint_misses import miss_of
from dse.report.parts import largest_part
from dse.report.saturation import PPM, saturates
from dse.report.summary import alternative_of, assignment_of, device_of, realtime_class, versions
from dse.report.words import counted, flagged
from dse.schema import QUANTITIES, TICKS_PER_MS, UNKNOWN
from dse.timing.ticks import INFINITE

JsonObject = dict[str, Any]


def summarise_joint(answer: JointAnswer, baseline: JsonObject | None = None) -> JsonObject:
    """The answer as one JSON object; see `dse.report.summary.summarise`."""
    verdict, problem = answer.verdict, answer.problem
    return {
        "status": answer.choice.status.value,
        "label": None if verdict is None else _label(answer, verdict),
        "scope": "end-to-end" if any(scope_of(side.task) == "end-to-end" for side in answer.sides) else "network-only",
        "problem": {"name": problem.name, "file": Path(problem.file).name},
        "headline": _headline(answer),
        "objectives": [] if verdict is None else _objectives(answer, verdict),
        "devices": [] if verdict is None else [_device(answer, verdict)],
        "assignments": [] if verdict is None else [_assignment(answer, verdict, k) for k in range(len(answer.sides))],
        "chains": [] if verdict is None else _chains(answer, verdict),
        "totals": None if verdict is None else {name: value_of(verdict, name) for name in ("power_w", "price_usd")},
        "bottleneck": None if verdict is None else bottleneck_of(problem, verdict),
        "alternatives": [_alternative(answer, other) for other in answer.alternatives],
        "conditional": [],
        "baseline": baseline,
        "nearest_misses": [miss_of(answer.sides, miss) for miss in answer.misses],
        "misfits": [],
        "overloaded": [{**one, "stage": f"{side.task.name}: {one['stage']}"} for side in answer.sides
                       for one in overloads_of(side.context, side.found)],
        "dropped": {f"{side.task.name}: {reason}": count for side in answer.sides
                    for reason, count in side.context.space.dropped.items()},
        "dropped_chips": {f"{side.task.name}: {reason}": sorted(names) for side in answer.sides
                          for reason, names in side.context.space.names.items() if names},
        "assumptions": _assumptions(answer),
        "killed_by": {
            f"{side.task.name}: {name}": {"candidates": broken, "alone": side.found.alone[name]}
            for side in answer.sides
            for name, broken in side.found.broken.items()
        },
        "proof": list(answer.proofs),
        "search": {
            "candidates": sum(side.found.total for side in answer.sides),
            "feasible": sum(len(side.rows) for side in answer.sides),
            "kept": sum(len(kept.rows) for kept in answer.table.kept),
            "tasks": [
                {"task": side.task.name, "candidates": side.found.total, "feasible": len(side.rows)}
                for side in answer.sides
            ],
            "devices": ["|".join(device) for device in answer.table.devices],
            "combinations": answer.table.combinations,
            "judged": answer.choice.judged,
            "models_solved": answer.choice.models_solved,
            "wall_s": round(answer.wall_s, 3),
            "workers": answer.workers,
            "seed": answer.seed,
        },
        "versions": versions(answer.sides[0].context),
    }  # fmt: skip


def value_of(verdict: Verdict, name: str) -> float | None:
    """A figure of the combination in its unit; None when unknown or without a bound."""
    number = verdict.figures[name]
    value = None if number >= INFINITE else QUANTITIES[name].value(number)
    return None if value is None else float(value)


def _headline(answer: JointAnswer) -> str:
    """The first line: how much was looked at, task by task."""
    parts = []
    for side in answer.sides:
        lanes, context = side.context.lanes, side.context
        used = len(set(lanes.chip[context.runs.lane].tolist()))
        parts.append(
            f"{side.task.name}: {side.found.total:,} candidates on {used} of {context.space.chips_considered} chips, "
            f"{len(side.rows):,} feasible alone"
        )
    table = answer.table
    rows, chips = sum(len(kept.rows) for kept in table.kept), len({device[0] for device in table.devices})
    parts.append(
        f"{rows:,} rows that no other beats on {counted(chips, 'chips')} where every task has some, "
        f"{table.combinations:,} combinations"
    )
    return "; ".join(parts)


def _label(answer: JointAnswer, verdict: Verdict) -> str:
    """``feasible`` when measurements alone decide on every task."""
    measured = all(
        side.context.runs.grade[side.candidates.run[row]] == GRADES.index("A")
        and side.candidates.accuracy_grade[row] == GRADES.index("A")
        and not flagged(side.context, side.candidates, row)
        for side, row in zip(answer.sides, verdict.rows, strict=True)
    )
    return "feasible" if measured and not verdict.unknown else "feasible if estimates hold"


def _objectives(answer: JointAnswer, verdict: Verdict) -> list[JsonObject]:
    """Value and proven bound of every goal; of accuracy the normalised sum, in hundredths."""
    table, rows = answer.table, []
    assert answer.choice.rows is not None  # there is a verdict
    costs = table.costs_of(answer.choice.rows, verdict)
    for goal, cost, proven in zip(table.goals, costs, answer.choice.proven, strict=False):
        name = goal.quantity.name
        known = name == "accuracy" or verdict.figures[name] != UNKNOWN
        rows.append(
            {
                "name": goal.objective.name,
                "sense": goal.objective.sense,
                "within": goal.objective.within,
                "value": table.value(goal, cost) if known else None,
                "bound": table.value(goal, proven.bound) if known else None,
                "resolution": resolution_of(goal),
            }
        )
    return rows


def _device(answer: JointAnswer, verdict: Verdict) -> JsonObject:
    """What is bought, with the power and price of the whole."""
    side = answer.sides[0]
    device = device_of(side.context, side.candidates, verdict.rows[0])
    of_rows = [device_of(s.context, s.candidates, row) for s, row in zip(answer.sides, verdict.rows, strict=True)]
    grades = [one["power_grade"] for one in of_rows]
    return {
        **device,
        "power_w": value_of(verdict, "power_w"),
        "power_basis": "; ".join(dict.fromkeys(one["power_basis"] for one in of_rows)),
        "power_grade": max(grades),
        "price_usd": value_of(verdict, "price_usd"),
    }


def _assignment(answer: JointAnswer, verdict: Verdict, k: int) -> JsonObject:
    """One task: its network as in an answer for it alone, its latency in company."""
    side, row = answer.sides[k], verdict.rows[k]
    alone = assignment_of(side.context, side.candidates, row)
    worst, deadline = verdict.worst[k] / TICKS_PER_MS, side.task.deadline_ms
    parts = parts_of(verdict, k)
    latency = {
        **alone["latency"],
        "realtime_class": realtime_class(worst),
        "worst_case_ms": worst,
        "worst_case_alone_ms": alone["latency"]["worst_case_ms"],
        "slack_ms": None if deadline is None else round(deadline - worst, 4),
        "counted_from": "the release by " + " and ".join(side.task.after) if side.task.after else "the frame",
        "parts": parts,
        "largest_part": largest_part(parts, worst),
    }
    return {**alone, "latency": latency}


def parts_of(verdict: Verdict, k: int) -> list[JsonObject]:
    """Parts that add up to the worst case of a task: its source's stages first, where they are served apart."""
    if verdict.latencies is None:
        return []
    flow = verdict.wiring.of_task[k]
    before = [parent for parent in verdict.wiring.flows[flow].after if parent not in verdict.wiring.of_task]
    listed = [verdict.latencies[place] for place in (*before, flow)]
    return [
        {"stage": part.stage or "path", "part": part.kind, "ms": part.ticks / TICKS_PER_MS}
        for latency in listed
        for part in latency.parts
    ]


def _chains(answer: JointAnswer, verdict: Verdict) -> list[JsonObject]:
    return [
        {
            "name": chain.name,
            "tasks": list(chain.tasks),
            "worst_case_ms": worst / TICKS_PER_MS,
            "deadline_ms": chain.deadline_ms,
            "slack_ms": round(chain.deadline_ms - worst / TICKS_PER_MS, 4),
        }
        for chain, worst in zip(answer.problem.chains, verdict.chains, strict=True)
    ]


def bottleneck_of(problem: Problem, verdict: Verdict) -> JsonObject:
    """The resource that is full first, how full the others are, and the growth that fills each."""
    loads: list[JsonObject] = [
        {"resource": name, "stage": _visitors(verdict, name), "utilization": ppm / PPM}
        for name, ppm in verdict.loads.items()
    ]
    busiest = max(loads, key=lambda load: float(load["utilization"]))
    return {**busiest, "loads": loads, "saturates": saturates(problem, loads)}


def _visitors(verdict: Verdict, resource: str) -> str:
    """Stages that use a resource, and whose they are."""
    flows = verdict.wiring.flows
    users = dict.fromkeys(flow.name for flow in flows for visit in flow.visits if visit.resource == resource)
    stages = dict.fromkeys(visit.stage for flow in flows for visit in flow.visits if visit.resource == resource)
    return f"{', '.join(stages)} of {', '.join(users)}"


def _alternative(answer: JointAnswer, verdict: Verdict) -> JsonObject:
    """One line of the list of designs, with a line per task."""
    tasks = []
    for k, (side, row) in enumerate(zip(answer.sides, verdict.rows, strict=True)):
        one = alternative_of(side.context, side.candidates, row)
        tasks.append({**one, "task": side.task.name, "worst_case_ms": verdict.worst[k] / TICKS_PER_MS})
    device = {name: tasks[0][name] for name in ("chip", "board", "mode")}
    figures = {name: value_of(verdict, name) for name in ("worst_case_ms", "power_w", "price_usd", "utilization")}
    return {**device, **figures, "tasks": tasks}


def _assumptions(answer: JointAnswer) -> list[str]:
    """Everything that was taken for granted, one line each."""
    lines = [f"{path} = {value}" for path, value in defaults_used(answer.problem)]
    for side in answer.sides:
        lines += [f"{side.task.name}: {counted(n, reason)}" for reason, n in side.context.space.dropped.items()]
    lines += [
        f"{side.task.name}: network only: capture, decode, resize and post-processing not counted"
        for side in answer.sides
        if scope_of(side.task) == "network-only"
    ]
    lines += answer.sides[0].context.quotes.remarks()
    lines += [
        "tasks that share a unit wait for each other; a batcher that closes when it likes shares its unit with nobody",
        "power of several units: measured ones add up, a rated figure covers the whole chip",
    ]
    if answer.verdict is not None:
        shared = _shared(answer.verdict)
        if shared:
            lines.append(f"shared by several stages, bounded stage by stage (loose): {', '.join(shared)}")
        for side, row in zip(answer.sides, answer.verdict.rows, strict=True):
            lines += [line for line in design_cautions(side.context, side.candidates, row) if line not in lines]
        lines += [f"{name} is not known and was flagged, not rejected" for name in answer.verdict.unknown]
    return lines


def _shared(verdict: Verdict) -> list[str]:
    """Resources other than the units that more than one stage visits."""
    uses: dict[str, int] = {}
    for flow in verdict.wiring.flows:
        for visit in flow.visits:
            uses[visit.resource] = uses.get(visit.resource, 0) + (0 if visit.ordered else 1)
    return [name for name, count in uses.items() if count > 1]
