"""One random problem with two or three tasks, solved by the package and by trying every combination."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import yaml

from dse.api import vocabulary_of
from dse.estimate.store import Knowledge
from dse.joint.answer import solve_joint
from dse.joint.evaluate import Evaluator, Verdict
from dse.joint.sides import Side, sides_of
from dse.problem.load import parse_problem
from dse.problem.spec import Problem
from dse.schema import QUANTITIES, UNKNOWN

MOST = 800  # combinations that are tried one by one
STEPS = 10_000  # of the normalised accuracy
NETWORKS = {
    "image-classification": ["mobilenet_v2*", "resnet18", "resnet50", "squeezenet*", "shufflenet*", "efficientnet_b0"],
    "object-detection": ["yolov5s", "yolov8n", "yolov8s", "nanodet*", "yolo11n", "yolov5n"],
}


def random_joint_spec(rng: random.Random, chips: list[str]) -> dict[str, Any]:
    """A problem file as data: one to three chips, few networks, all ways in which tasks can meet."""
    count = rng.choice([2, 2, 3])
    camera = rng.random() < 0.3
    tasks: list[dict[str, Any]] = []
    for k in range(count):
        kind = rng.choice(sorted(NETWORKS))
        task: dict[str, Any] = {
            "name": f"t{k}",
            "task": kind,
            "models": rng.sample(NETWORKS[kind], 1),
            "deadline_ms": rng.choice([50, 100, 250, 500, 1000, 2000]),
            "priority": rng.choice([0, 0, 1, 2]),
            "weight": rng.choice([1, 1, 2, 0.5]),
        }
        if k and rng.random() < 0.3:
            task["after"] = [f"t{rng.randrange(k)}"]
            task["items_per_frame"] = {"mean": 1.5, "max": rng.choice([1, 2, 3])} if rng.random() < 0.7 else 1
            if task["items_per_frame"] != 1 and task["items_per_frame"]["max"] == 1:
                task["items_per_frame"] = 1
        elif camera:
            task["source"] = "cam"
            if rng.random() < 0.4:
                task["every_nth"] = rng.choice([2, 5])
        else:
            task |= {"streams": rng.choice([1, 1, 2, 4]), "rate_hz": rng.choice([1, 2, 5, 10])}
            task |= {"may_stop": False} if rng.random() < 0.4 else {}
            task |= {"jitter_ms": rng.choice([1, 5.5, 40])} if rng.random() < 0.4 else {}
        if rng.random() < 0.3:
            task["overhead_ms"] = rng.choice([0, 1.5, 7.25])
        elif rng.random() < 0.6:
            task["stages"] = [
                {"name": "resize", "on": "cpu", "time_ms": rng.choice([0.5, 1.3, 4])},
                {"name": "infer"},
                {"name": "answer", "on": rng.choice(["cpu", "bus"]), "time_ms": rng.choice([0.1, 2])},
            ]
        tasks.append(task)
    spec: dict[str, Any] = {"version": 1, "tasks": tasks, "host": {"owned": True, "cpu_cores": 4}}
    if camera:
        spec["sources"] = [{"name": "cam", "streams": rng.choice([1, 2, 4]), "rate_hz": rng.choice([2, 5, 10]),
                            "stages": [{"name": "network", "delay_ms": 3, "variation_ms": rng.choice([0, 4])},
                                       {"name": "convert", "on": "cpu", "time_ms": rng.choice([1, 3])}]}]  # fmt: skip
    spec["search"] = {
        "chips": rng.sample(chips, rng.randint(2, 4)),
        "boards": {"exclude": ["*"]},
        "batches": rng.choice([[1], [1, 4]]),
        "batching": {"policy": ["dynamic", "count"] if all(t.get("may_stop") is False for t in tasks) else ["dynamic"]},
        "scheduling": rng.choice(["fifo", "fifo", "fixed-priority", "round-robin"]),
        "weights": "default",
    }
    limits: dict[str, Any] = {}
    if rng.random() < 0.5:
        limits["power_w"] = {"max": rng.choice([5, 10, 15, 30]), "unknown": rng.choice(["reject", "flag"])}
    if rng.random() < 0.3:
        limits["utilization"] = rng.choice([0.5, 0.8, 1.0])
    if rng.random() < 0.3:
        limits["slack_ms"] = rng.choice([0, 5, 20])
    objectives = rng.sample(
        [
            {"maximize": "accuracy", "within": rng.choice([0, 0.1, 5])},
            {"minimize": "price_usd", "within": rng.choice([0, 50])},
            {"minimize": "power_w", "within": rng.choice([0, 0.5])},
            {"minimize": "worst_case_ms", "within": rng.choice([0, 0.5, 10])},
            {"minimize": "utilization", "within": rng.choice([0, 0.05])},
            {"maximize": "slack_ms", "within": rng.choice([0, 5])},
            {"minimize": "memory_mb"},
            {"minimize": "energy_mj"},
        ],
        rng.randint(1, 4),
    )
    return spec | {"limits": limits, "objectives": objectives, "guard": {"unknown": "flag"}}


def check_joint(rng: random.Random, knowledge: Knowledge) -> str:
    """Solve and compare with every combination of rows; returns the status, or why nothing was compared."""
    chips = sorted(set(knowledge.catalog.measurements.chip.tolist()) & set(knowledge.catalog.chips))
    spec = random_joint_spec(rng, chips)
    problem = parse_problem(yaml.safe_dump(spec), "random", vocabulary_of(knowledge.catalog))
    tried = every_combination(sides_of(problem, knowledge))
    if tried is None:
        return "too large"
    answer = solve_joint(problem, knowledge, workers=1, top=1)
    evaluator = Evaluator(problem, answer.sides)
    holding = [verdict for rows in tried if (verdict := evaluator.judge(rows)).feasible]
    if not holding:
        assert answer.choice.status.value == "infeasible", spec
        return "infeasible"
    assert answer.choice.status.value == "optimal", spec
    best = choose(problem, answer.sides, holding)
    found = answer.verdict
    assert found is not None
    assert goal_values(problem, answer.sides, found) == goal_values(problem, answer.sides, best), spec
    # Of ties the first by name, but never a row that another beats in everything.
    beaten = any(row not in kept.rows for kept, row in zip(answer.table.kept, best.rows, strict=True))
    assert beaten or _names(answer.sides, found) == _names(answer.sides, best), spec
    return "optimal"


def every_combination(sides: tuple[Side, ...]) -> list[tuple[int, ...]] | None:
    """One row per task on a common device, of all that are feasible alone; None where there are too many."""
    on: list[dict[Any, list[int]]] = []
    for side in sides:
        of_device: dict[Any, list[int]] = defaultdict(list)
        for row in side.rows.tolist():
            of_device[side.device_of(row)].append(row)
        on.append(of_device)
    common = set.intersection(*(set(one) for one in on))
    if sum(math.prod(len(one[device]) for one in on) for device in common) > MOST:
        return None
    return [rows for device in sorted(common) for rows in product(*(one[device] for one in on))]


def choose(problem: Problem, sides: tuple[Side, ...], holding: list[Verdict]) -> Verdict:
    """The lexicographically best, in plain Python; then exactly, then by name."""
    scored = [(goal_values(problem, sides, verdict), verdict) for verdict in holding]
    for k, objective in enumerate(problem.objectives):
        most = min(values[k] for values, _ in scored) + _within(objective.name, Fraction(repr(objective.within)))
        scored = [one for one in scored if one[0][k] <= most]
    return min(scored, key=lambda one: (one[0], _names(sides, one[1])))[1]


def goal_values(problem: Problem, sides: tuple[Side, ...], verdict: Verdict) -> tuple[int, ...]:
    """Steps to minimise, one number per objective."""
    return tuple(_steps(sides, verdict, o.name, o.sense == "maximize") for o in problem.objectives)


def _steps(sides: tuple[Side, ...], verdict: Verdict, name: str, maximize: bool) -> int:
    if name == "accuracy":
        return sum(_accuracy_steps(sides, side, row) for side, row in zip(sides, verdict.rows, strict=True))
    figure, step = verdict.figures[name], QUANTITIES[name].resolution
    if figure == UNKNOWN:
        return 2**28
    return -(figure // step) if maximize else -(-figure // step)


def _accuracy_steps(sides: tuple[Side, ...], side: Side, row: int) -> int:
    """Way from the floor to the best accuracy of the task that is not gone, in steps of its weight."""
    weight = side.task.weight / max(one.task.weight for one in sides)
    points = [int(side.candidates.accuracy[r]) for r in side.rows.tolist()]
    floor = min(points)
    if side.task.min_accuracy is not None:
        floor = min(floor, round(side.task.min_accuracy * 1_000_000))
    gone = int(side.candidates.accuracy[row]) - floor
    share = Fraction(1) if max(points) == floor else Fraction(gone, max(points) - floor)
    return math.ceil(STEPS * weight) - math.floor(STEPS * Fraction(repr(weight)) * share + Fraction(1, 10**9))


def _within(name: str, within: Fraction) -> int:
    if name == "accuracy":
        return int(within * STEPS / 100)
    return int(within * QUANTITIES[name].scale / QUANTITIES[name].resolution)


def _names(sides: tuple[Side, ...], verdict: Verdict) -> tuple[int, ...]:
    return tuple(int(side.order[row]) for side, row in zip(sides, verdict.rows, strict=True))
