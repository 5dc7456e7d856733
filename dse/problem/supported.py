"""The parts of the file format that can be written and read, but not solved yet.

To support one: delete its rule. Nothing else in this station knows of these restrictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dse.errors import Fault
from dse.problem.raw import Finding
from dse.problem.search import TaskSearch
from dse.problem.spec import Problem
from dse.problem.stage import Stage
from dse.yamlfile.tree import Path, where

Findings = Iterator[Finding]


def one_device(problem: Problem) -> Findings:
    """Designs of several devices."""
    devices = problem.search.devices
    for name, asked in (
        ("min", devices.min > 1),
        ("max", devices.max > 1),
        ("mixed", devices.mixed),
        ("spare", devices.spare),
    ):
        if asked:
            yield Finding(("search", "devices", name), "more than one device is not solved yet", "ask for one device")


def plain_batching(problem: Problem) -> Findings:
    """Batches that close at a time."""
    searches: list[tuple[Path, TaskSearch | None]] = [(("search",), problem.search)]
    searches += [(("tasks", index, "search"), task.search) for index, task in enumerate(problem.tasks)]
    for path, search in searches:
        if search is not None and "timeout-close" in search.batching.policy:
            yield Finding((*path, "batching"), "the policy `timeout-close` is not solved yet", "use dynamic or count")


def worst_case_only(problem: Problem) -> Findings:
    """Guarantees that may fail now and then."""
    for index, task in enumerate(problem.tasks):
        if task.guarantee != "worst-case":
            path = ("tasks", index, "guarantee")
            yield Finding(path, f"the guarantee `{task.guarantee}` is not solved yet", "use worst-case")


def plain_stages(problem: Problem) -> Findings:
    """Stages whose resource is the decoder, or depends on the chip."""
    for path, stage in _stages(problem):
        if stage.resource == "video-decoder":
            hint = "give the worst-case time of decoding as delay_ms"
            yield Finding((*path, "on"), "a stage on `video-decoder` is not solved yet", hint)
        if stage.otherwise is not None:
            yield Finding((*path, "else"), "`else` is not solved yet", "give one resource and its worst-case time")


def source_at_its_own_rate(problem: Problem) -> Findings:
    """Stages that run on every frame of a source while the network runs on some."""
    for index, task in enumerate(problem.tasks):
        stages = problem.source_of(task).stages if task.source is not None else ()
        if task.every_nth > 1 and any(stage.delay_ms is None for stage in stages):
            hint = "state what a source's stages take as delay_ms"
            message = "a source stage that takes time is not solved together with every_nth yet"
            yield Finding(("tasks", index, "every_nth"), message, hint)


def overlap_with_network(problem: Problem) -> Findings:
    """Overlap of other stages than the last one before the network."""
    for path, stage in _stages(problem):
        stages = problem.sources[path[1]].stages if path[0] == "sources" else problem.tasks[path[1]].stages  # type: ignore[index]
        number = int(path[-1])
        following = stages[number + 1].name if number + 1 < len(stages) else ""
        if stage.overlap and following != "infer":
            hint = "only the stage right before `infer` can hide behind it"
            yield Finding((*path, "overlap"), "an overlap with another stage than `infer` is not solved yet", hint)


RULES: tuple[Callable[[Problem], Findings], ...] = (
    one_device,
    plain_batching,
    worst_case_only,
    plain_stages,
    source_at_its_own_rate,
    overlap_with_network,
)


def unsupported(problem: Problem) -> list[Fault]:
    """Everything in a valid problem that this version does not solve yet, ordered by line.

    An empty list means that it can be solved.
    """
    faults = []
    for rule in RULES:
        for finding in rule(problem):
            line, column = _place(problem, finding.path)
            faults.append(Fault(problem.file, line, column, where(finding.path), finding.message, finding.hint))
    return sorted(faults)


def _stages(problem: Problem) -> Iterator[tuple[Path, Stage]]:
    owners = [(("sources", index), source.stages) for index, source in enumerate(problem.sources)]
    owners += [(("tasks", index), task.stages) for index, task in enumerate(problem.tasks)]
    for path, stages in owners:
        for number, stage in enumerate(stages):
            yield (*path, "stages", number), stage


def _place(problem: Problem, path: Path) -> tuple[int, int]:
    while path:
        if (place := problem.place(path)) != (0, 0):
            return place
        path = path[:-1]
    return 0, 0
