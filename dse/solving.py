"""One problem on its own: the catalogues it is read against, whether it can be solved, and its answer as plain data.

Nothing here reads a problem file: what-ifs hand over altered data, `dse.api` what it read.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.catalog.types import Catalog
from dse.errors import ProblemError
from dse.estimate import store
from dse.estimate.store import Knowledge
from dse.problem.load import problem_of
from dse.problem.spec import Problem
from dse.problem.supported import unsupported
from dse.problem.vocabulary import Vocabulary
from dse.yamlfile.reader import Document

if TYPE_CHECKING:
    from dse.answer import Answer

Roots = tuple[Path, ...]
MOST_CANDIDATES = 200_000
"""Of larger tables an answer does not look for a rate that would do; `dse explain` does."""


@lru_cache(maxsize=8)
def knowledge_of(roots: Roots = ()) -> Knowledge:
    """Catalogues and fitted estimates, with extra catalogue folders over the shipped ones."""
    return store.load(roots)


def vocabulary_of(catalog: Catalog) -> Vocabulary:
    """Every name a problem may use."""
    entries, chips = catalog.entries, catalog.chips.values()
    return Vocabulary(
        chips=frozenset(catalog.chips),
        models=frozenset(catalog.nets.id.tolist()),
        families=frozenset(catalog.nets.family.tolist()),
        boards=frozenset(catalog.boards),
        tasks=frozenset(entries.task.tolist()) - {""},
        datasets=frozenset(entries.dataset.tolist()) - {""},
        metrics=frozenset(entries.metric.tolist()) - {""},
        runtimes=frozenset(catalog.measurements.runtime.tolist()),
        vendors=frozenset(chip.vendor for chip in chips),
        toolchains=frozenset(chip.toolchain for chip in chips if chip.toolchain),
    )


def checked_problem(document: Document, knowledge: Knowledge, vocabulary: Vocabulary) -> Problem:
    """Problem in a document, checked against the catalogues.

    Raises
    ------
    ProblemError
        Everything that is wrong with it, with lines and suggestions.
    """
    from dse.candidates.inputs import faults_of
    from dse.candidates.known import with_known
    from dse.quotes.priced import quotes_of

    problem = problem_of(document, vocabulary)
    # Every task sees the networks that `known` introduces; with which accuracy is of no matter here.
    catalog = with_known(problem, problem.tasks[0], knowledge).knowledge.catalog
    faults = unsupported(problem) + faults_of(problem, catalog) + quotes_of(problem, catalog)[1]
    if faults:
        raise ProblemError(faults)
    return problem


def answer_to(
    problem: Problem,
    knowledge: Knowledge,
    *,
    workers: int = 1,
    seed: int = 0,
    top: int = 5,
    different: str = "chip",
    time_limit_s: float | None = None,
    explain: bool = False,
) -> dict[str, Any]:
    """The object that ``dse solve --json`` prints, for a problem with one task or several.

    With `explain` it says under ``clash`` why there is no design, where one task has none.

    Raises
    ------
    ProblemError
        The problem asks for something the tables cannot hold.
    VerificationError
        The independent check disagrees with the solver: a bug.
    """
    from dse.answer import solve_problem
    from dse.report.baseline import baseline_of
    from dse.report.summary import summarise

    if len(problem.tasks) > 1:
        from dse.joint.answer import solve_joint
        from dse.report.joint import summarise_joint

        joint = solve_joint(
            problem, knowledge, workers=workers, seed=seed, top=top, different=different, time_limit_s=time_limit_s
        )
        return summarise_joint(joint, baseline_of(problem, knowledge))
    answer = solve_problem(
        problem, knowledge, workers=workers, seed=seed, top=top, different=different, time_limit_s=time_limit_s
    )
    data = summarise(answer, baseline_of(problem, knowledge))
    return data | ({"clash": _clash(answer)} if explain else {})


def _clash(answer: Answer) -> dict[str, str] | None:
    """The sharpest clash of limits and its least relaxation; None where there is a design, or no proof that none is."""
    from dse.explaining.infeasible import infeasible_of
    from dse.report.explained_clash import summary_lines
    from dse.solution import Status

    if answer.status is not Status.INFEASIBLE:
        return None
    found = infeasible_of(answer, rates=answer.survey.total <= MOST_CANDIDATES)
    text, relaxation = summary_lines(answer, found)
    return {"text": text, "relaxation": relaxation}
