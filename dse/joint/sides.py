"""Each task alone: what it could run on, before anybody asks whether the tasks fit together.

A row that misses a requirement alone misses it in company too: others only add waiting, load, memory and power. So the
table of one task is the sieve of the whole problem. Whether there are CPU cores for all stages is a matter of the
combination: alone, every stage counts with a core of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from dse.candidates.context import Context, prepare
from dse.candidates.path import NETWORK, source_stages_apart, stages_of
from dse.candidates.preference import Ranking, goals_of, rank_candidates
from dse.candidates.survey import Survey, survey
from dse.candidates.table import Candidates
from dse.catalog.types import FloatArray, IntArray
from dse.estimate.store import Knowledge
from dse.problem.spec import Problem, Task

Device = tuple[str, str, str]
"""Chip, board and power mode: what is bought and how it is run."""


@dataclass(frozen=True)
class Side:
    """One task: its context, the pass over its candidates, and the rows that meet every requirement alone.

    ``rows`` are positions in ``found.kept``; ``order`` ranks them by name.
    """

    task: Task
    context: Context
    found: Survey
    rows: IntArray
    order: IntArray

    @property
    def candidates(self) -> Candidates:
        """The rows that were kept."""
        return self.found.kept

    def device_of(self, row: int) -> Device:
        """What a row runs on."""
        lanes, lane = self.context.lanes, self.context.lane_of(int(self.candidates.run[row]))
        return (str(lanes.chip[lane]), str(lanes.board[lane]), str(lanes.mode[lane]))

    def rows_per_device(self) -> Counter[Device]:
        """How many rows each device has."""
        lanes, found = self.context.lanes, Counter[Device]()
        numbers, counts = np.unique(self.context.runs.lane[self.candidates.run[self.rows]], return_counts=True)
        for lane, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            found[str(lanes.chip[lane]), str(lanes.board[lane]), str(lanes.mode[lane])] += count
        return found

    def unit_of(self, row: int) -> str:
        """Kind of the unit its network runs on."""
        return str(self.context.lanes.unit[self.context.lane_of(int(self.candidates.run[row]))])


def sides_of(problem: Problem, knowledge: Knowledge) -> tuple[Side, ...]:
    """Every task of a problem with its rows, in the order of the file.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    """
    return tuple(_side(problem, task, knowledge) for task in problem.tasks)


def combinations_per_device(sides: Sequence[Side]) -> dict[Device, int]:
    """Combinations of one row per task on every device where each task has some, before anything is asked of them."""
    counts = [side.rows_per_device() for side in sides]
    common = set.intersection(*(set(count) for count in counts))
    return {device: prod(count[device] for count in counts) for device in sorted(common)}


def _side(problem: Problem, task: Task, knowledge: Knowledge) -> Side:
    context = prepare(problem, task, knowledge)
    own_core: FloatArray = np.full(len(context.runs), np.inf)
    context = replace(context, resources=replace(context.resources, cores_left=own_core))
    if source_stages_apart(problem, task):
        own = tuple(stage for stage in stages_of(problem, task) if stage not in problem.source_of(task).stages)
        context = replace(context, stages=own or (NETWORK,), shared_stages=0)
    found = survey(context)
    ranking: Ranking = rank_candidates(context, found.kept, goals_of(problem))
    return Side(task, context, found, ranking.feasible, ranking.order)
