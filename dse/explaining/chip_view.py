"""Why, or why not, one chip: for every limit the best any of its designs has, and what its nearest design has."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dse.answer import Answer, solve_problem
from dse.candidates.excess import figure_of
from dse.candidates.runs import is_searched
from dse.candidates.table import Candidates, blocks, concatenate
from dse.compare.question import only_chips
from dse.errors import InputError
from dse.estimate.store import Knowledge
from dse.explaining.infeasible import nearest_of
from dse.explaining.relaxing import needed_bound
from dse.explaining.requirements import Requirement, requirements_of
from dse.patterns import matches
from dse.problem.spec import Problem
from dse.schema import UNKNOWN


@dataclass(frozen=True)
class LimitView:
    """One limit on one chip.

    ``best`` is the best figure of any of its candidates, in the whole numbers of the column, None where none is known;
    ``meeting`` counts the candidates that meet the limit; ``nearest`` is the figure of the nearest design, which meets
    it if `is_met`.
    """

    requirement: Requirement
    best: int | None
    meeting: int
    nearest: int | None
    is_met: bool


@dataclass(frozen=True)
class ChipView:
    """One chip: its own answer, its design or nearest candidate (one row), and every limit; no design, no limits."""

    chip: str
    answer: Answer
    candidates: int
    design: Candidates | None
    limits: tuple[LimitView, ...]


@dataclass(frozen=True)
class ChipViews:
    """Chips of one pattern: those looked at, those left out for their number, and those the search leaves out."""

    views: tuple[ChipView, ...] = ()
    more: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def chip_views(problem: Problem, knowledge: Knowledge, pattern: str, most: int) -> ChipViews:
    """A view of every chip of the search that a pattern fits, at most `most`, by name.

    Raises
    ------
    InputError
        The pattern fits none of them.
    """
    try:
        only_chips(problem, [pattern], knowledge.catalog)
    except InputError as error:
        raise InputError([replace(fault, file="--chip") for fault in error.faults]) from None
    search = problem.search_of(problem.tasks[0])
    fitting = [chip for chip in knowledge.catalog.chips.values() if matches(pattern, chip.id)]
    searched = sorted(chip.id for chip in fitting if is_searched(chip, search))
    excluded = sorted(chip.id for chip in fitting if not is_searched(chip, search))
    views = tuple(_view(problem, knowledge, chip) for chip in searched[:most])
    return ChipViews(views, tuple(searched[most:]), tuple(excluded))


def _view(problem: Problem, knowledge: Knowledge, chip: str) -> ChipView:
    answer = solve_problem(only_chips(problem, [chip], knowledge.catalog), knowledge, top=1)
    design = _nearest(answer)
    if design is None:
        return ChipView(chip, answer, answer.survey.total, None, ())
    return ChipView(chip, answer, answer.survey.total, design, _limits(answer, design))


def _nearest(answer: Answer) -> Candidates | None:
    """Its best design; without one what lacks a figure, or breaks limits by least."""
    if answer.row is not None:
        return answer.candidates.take(np.array([answer.row]))
    both = concatenate(list(nearest_of(answer)))
    return both.take(np.array([0])) if len(both) else None


def _limits(answer: Answer, design: Candidates) -> tuple[LimitView, ...]:
    requirements = requirements_of(answer.context)
    best: dict[int, int] = {}
    meeting = dict.fromkeys((one.bit for one in requirements), 0)
    nearest: dict[int, int] = {}
    same = ("run", "entry", "option")
    run, entry, option = (int(getattr(design, name)[0]) for name in same)
    for block in blocks(answer.context):
        rows = np.arange(len(block))
        own = (block.run[block.at] == run) & (block.entry == entry) & (block.option == option)
        at = np.flatnonzero(own)
        for one in requirements:
            meeting[one.bit] += int(((block.violated >> one.bit & 1) == 0).sum())
            if one.is_yes_or_no:
                continue
            rate = one.rule.column == "stable"
            figures = figure_of(one.rule, block, rows) if rate else needed_bound(answer.context, one, block, rows)
            known = figures[figures != UNKNOWN]
            if len(known):
                higher = one.rule.maximum is None and not rate
                found = int(known.max() if higher else known.min())
                worse = one.bit in best and ((best[one.bit] > found) if higher else (best[one.bit] < found))
                best[one.bit] = best[one.bit] if worse else found
            if len(at) and figures[at[0]] != UNKNOWN:
                nearest[one.bit] = int(figures[at[0]])
    broken = int(design.violated[0])
    return tuple(
        LimitView(one, best.get(one.bit), meeting[one.bit], nearest.get(one.bit), not broken >> one.bit & 1)
        for one in requirements
    )
