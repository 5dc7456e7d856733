"""A reader's own catalogue folder and problem file, written from a few rows and solved as a user would.

The shipped catalogue lies beneath, as it does for every user; `search` and `models` of a problem leave only the rows
of the case. Times are entered with ``statistic: max``: limits are against figures as reported, so that the tail
factor is 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import dse
from dse.problem.spec import Problem

Row = Mapping[str, object]
MODEL = {"weights": "case", "task": "image-classification", "dataset": "imagenet-1k", "metric": "top1",
         "input_h": 224, "input_w": 224, "source": "the case"}  # fmt: skip
RUN = {"input_h": 224, "input_w": 224, "precision": "int8", "batch": 1, "quantity": "latency", "statistic": "max",
       "boundary": "host", "source_repo": "the case"}  # fmt: skip


def catalogue(
    root: Path, *, chips: str, runs: Sequence[Row], models: Sequence[Row], boards: str = "", precision: str = "int8"
) -> Path:
    """Write the folder `mine` below `root`; a model's ``accuracy`` becomes a row of accuracies.csv.

    It holds at the model's own ``precision``, or else at `precision`.
    """
    entries = [{**MODEL, **model} for model in models]
    figures = [
        {name: entry[name] for name in ("id", "weights", "dataset", "metric", "input_h", "input_w", "accuracy")}
        | {"precision": entry.get("precision", precision), "toolchain": "", "accuracy_source": "the case"}
        for entry in entries
    ]
    known = [{k: v for k, v in entry.items() if k not in ("accuracy", "precision")} for entry in entries]
    texts = {
        "chips/case.yaml": chips,
        "models/models.csv": csv_of(known),
        "models/accuracies.csv": csv_of(figures),
        "measurements/case.csv": csv_of([{**RUN, **run} for run in runs]),
    }
    if boards:
        texts["boards/case.yaml"] = boards
    folder = root / "mine"
    for label, text in texts.items():
        path = folder / label
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def csv_of(rows: Sequence[Row]) -> str:
    """Rows with every column that any of them has."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(columns), *(",".join(str(row.get(name, "")) for name in columns) for row in rows)]
    return "\n".join(lines) + "\n"


def solved(folder: Path, task: str, rest: str = "") -> dse.Result:
    """The answer to a problem of one task, written beside the folder; verification is inside."""
    return dse.solve(written(folder, task, rest), catalogs=(folder,))


def explained(folder: Path, task: str, rest: str = "") -> dse.Explained:
    """The explanation of the same."""
    return dse.explain(written(folder, task, rest), catalogs=(folder,))


def written(folder: Path, task: str, rest: str) -> Problem:
    """A problem of one task, written beside the folder and read again."""
    file = folder.parent / "problem.yaml"
    file.write_text(f"version: 1\nname: case\ntasks:\n  - {{name: see, {task}}}\n{rest}\n", encoding="utf-8")
    return dse.load_problem(file, (folder,))


def chosen(result: dse.Result) -> tuple[str, ...]:
    """Chip, board (if there is one) and network of the answer."""
    assert result.status == "optimal", result.data["killed_by"]
    device, task = result.data["devices"][0], result.data["assignments"][0]
    return tuple(name for name in (device["chip"], device["board"], task["model"]) if name)


def clash(solve, *limits: str) -> None:
    """Assert that these limits cannot be met together, and that each can be met alone."""
    assert solve(*limits).status == "infeasible"
    for limit in limits:
        assert solve(limit).status == "optimal", limit


def conflicts(result: dse.Explained) -> list[set[str]]:
    """The clashing sets of an explanation that do not merely follow from the rate, sharpest first."""
    return [set(one["limits"]) for one in result.data["infeasible"]["clashes"] if not one["follows_rate"]]


def least(result: dse.Explained) -> dict[str, float]:
    """What each limit alone would have to be, where a number does it."""
    return {one["limit"]: one["to"] for one in result.data["infeasible"]["relaxations"] if one["to"] is not None}
