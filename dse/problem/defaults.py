"""Says which defaults a problem uses: every field its author left out, and the value that stands in its place."""

from __future__ import annotations

from dse.problem.fields import Model
from dse.problem.limits import DEFAULT_UTILIZATION
from dse.problem.search import ChipSelection, Selection, TaskSearch
from dse.problem.settings import Known, Reserve
from dse.problem.spec import Problem, Rated, Source, Task
from dse.problem.stage import Stage
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path, where

_WORDS: dict[tuple[type[Model], str], str] = {
    (Task, "dataset"): "the main one of the task",
    (Task, "metric"): "the main one of the data set",
    (Task, "overhead_ms"): "0",
    (TaskSearch, "units"): "all",
    (TaskSearch, "precisions"): "all the unit executes and whose accuracy is known or estimated",
    (Reserve, "memory_mb"): "by the class of the chip",
    (Reserve, "cpu_cores"): "by the class of the chip",
    (Reserve, "power_w"): "by the class of the chip",
    (Known, "mode"): "the highest of the chip",
}
"""Defaults that are a rule instead of a value."""

_QUIET = frozenset({"version", "name", "limits", "guard.unknown"})


def defaults_used(problem: Problem) -> list[tuple[str, str]]:
    """Fields left out and what is used instead.

    Parameters
    ----------
    problem : Problem
        As it was loaded.

    Returns
    -------
    list of (str, str)
        Path such as ``tasks[0].jitter_ms``, and the value as text. Optional things that are simply absent
        (no chains, no baseline) are not in it.
    """
    used = [(path, text) for path, text in _of_model(problem, ()) if path not in _QUIET]
    if ("limits", "utilization") not in _written(problem):
        used.append(("limits.utilization", f"at most {DEFAULT_UTILIZATION}"))
    used += [(f"guard.unknown.{name}", policy) for name, policy in _unknown_defaults(problem)]
    if problem.scoring is not None:
        bare = [name for name in problem.scoring.weights if name not in problem.scoring.values]
        used += [(f"scoring.values.{name}", "from the worst to the best among the feasible designs") for name in bare]
    return used


def _of_model(model: Model, path: Path) -> list[tuple[str, str]]:
    used = []
    for name, field in type(model).model_fields.items():
        value, here = getattr(model, name), (*path, field.alias or name)
        if name in model.model_fields_set:
            used += _inside(value, here)
        elif not _is_noise(model, name):
            text = _special(model, name) or _text(value)
            used += [(where(here), text)] if text else _inside(value, here)
    if isinstance(model, Problem):
        used += [
            (f"tasks[{index}].search.batches", _text(model.batches_of(task)))
            for index, task in enumerate(model.tasks)
            if model.search_of(task).batches is None
        ]
    return used


def _inside(value: Raw, path: Path) -> list[tuple[str, str]]:
    if isinstance(value, Selection):
        return [(where((*path, "include")), "all")] if not value.include and not value.exclude else []
    if isinstance(value, Model):
        return _of_model(value, path)
    if isinstance(value, tuple):
        return [pair for index, item in enumerate(value) for pair in _inside(item, (*path, index))]
    return []


def _is_noise(model: Model, name: str) -> bool:
    """Whether a default says nothing in this place."""
    if isinstance(model, Task) and (model.source is not None or model.after) and name in Rated.model_fields:
        return True
    if isinstance(model, Task) and name == "overhead_ms":
        return bool(model.stages)
    if isinstance(model, Task) and name == "items_per_frame":
        return not model.after
    if isinstance(model, Stage):
        moves = model.mbytes is not None
        return not (name == "on" or (moves and name in ("overlap", "contention_ms")))
    # A search of one task inherits what it does not state.
    return type(model) is TaskSearch or name in ("where", "batches")


def _special(model: Model, name: str) -> str:
    if isinstance(model, Task) and name == "stages":
        network = "upload (auto, if behind a link) and infer"
        return network if model.overhead_ms is not None else f"{network}: the network only"
    if isinstance(model, Stage) and name == "on":
        return model.resource
    if isinstance(model, Source) and name == "stages":
        return ""
    for kind in type(model).__mro__:
        if (kind, name) in _WORDS:
            return _WORDS[kind, name]
    value = getattr(model, name)
    return "all" if isinstance(value, Selection | ChipSelection) and not value.include and not value.exclude else ""


def _text(value: Raw) -> str:
    """Value as one would write it; empty for what is absent or has fields of its own."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and value and not isinstance(value[0], Model):
        return ", ".join(_text(item) for item in value)
    if isinstance(value, tuple) and value:
        return ", ".join(
            f"{item.sense} {item.name}" + (f" within {item.within:g}" if item.within else "") for item in value
        )
    return ""


def _unknown_defaults(problem: Problem) -> list[tuple[str, str]]:
    written = _written(problem)
    if ("guard", "unknown") in written and not any(
        path[:2] == ("guard", "unknown") and len(path) > 2 for path in written
    ):
        return []
    return [
        (name, policy) for name, policy in problem.guard.unknown.items() if ("guard", "unknown", name) not in written
    ]


def _written(problem: Problem) -> set[Path]:
    return set(problem._origin.positions)
