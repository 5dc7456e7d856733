"""The same from Python: load a problem, check it, solve it, look at its candidates.

>>> import dse
>>> result = dse.solve(dse.load_problem("problems/inspection.yaml"))  # doctest: +SKIP
>>> result.status, result.to_frame()  # doctest: +SKIP
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.catalog.types import Catalog
from dse.errors import InputError, ProblemError
from dse.estimate import store
from dse.estimate.store import Knowledge
from dse.problem.load import load_problem as _load_problem
from dse.problem.load import peek_catalogs
from dse.problem.spec import Problem
from dse.problem.supported import unsupported
from dse.problem.vocabulary import Vocabulary

if TYPE_CHECKING:
    import pandas as pd

Roots = tuple[Path, ...]


@dataclass(frozen=True)
class Result:
    """An answer: ``data`` is the object that ``dse solve --json`` prints."""

    data: dict[str, Any] = field(repr=False)

    @property
    def status(self) -> str:
        """``optimal``, ``feasible``, ``infeasible`` or ``unknown``."""
        return str(self.data["status"])

    def to_json(self) -> str:
        """The answer as JSON text, unrounded; ``null`` means unknown."""
        return json.dumps(self.data, indent=2, ensure_ascii=False)

    def to_frame(self) -> pd.DataFrame:
        """The winner and the alternatives, one row each."""
        import pandas as pd

        from dse.report.text import design_rows

        return pd.DataFrame(design_rows(self.data))

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return f"<p>{escape(self.data['headline'])}</p>{self.to_frame().to_html(index=False)}"


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


def roots_of(path: Path, extra: Roots = ()) -> Roots:
    """Catalogue folders for a problem file: the command line's, then the file's own."""
    return (*extra, *peek_catalogs(path))


def load_problem(path: str | Path, catalogs: Roots = ()) -> Problem:
    """Read and check a problem file against the catalogues.

    Raises
    ------
    ProblemError
        Everything that is wrong with it, with lines and suggestions.
    CatalogError
        A catalogue folder cannot be used.
    """
    from dse.candidates.inputs import faults_of
    from dse.candidates.known import with_known

    file = Path(path)
    knowledge = knowledge_of(roots_of(file, catalogs))
    problem = _load_problem(file, vocabulary_of(knowledge.catalog))
    # Every task sees the networks that `known` introduces; with which accuracy is of no matter here.
    catalog = with_known(problem, problem.tasks[0], knowledge).knowledge.catalog
    faults = unsupported(problem) + faults_of(problem, catalog)
    if faults:
        raise ProblemError(faults)
    return problem


def solve(
    problem: Problem,
    *,
    catalogs: Roots = (),
    workers: int = 1,
    seed: int = 0,
    top: int = 5,
    different: str = "chip",
    time_limit_s: float | None = None,
) -> Result:
    """Best design, alternatives and what would change the choice.

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

    knowledge = knowledge_of(roots_of(Path(problem.file), catalogs))
    if len(problem.tasks) > 1:
        from dse.joint.answer import solve_joint
        from dse.report.joint import summarise_joint

        joint = solve_joint(
            problem, knowledge, workers=workers, seed=seed, top=top, different=different, time_limit_s=time_limit_s
        )
        return Result(summarise_joint(joint, baseline_of(problem, knowledge)))
    answer = solve_problem(
        problem, knowledge, workers=workers, seed=seed, top=top, different=different, time_limit_s=time_limit_s
    )
    return Result(summarise(answer, baseline_of(problem, knowledge)))


@dataclass(frozen=True)
class FrontResult:
    """A front: ``data`` is the object that ``dse pareto --json`` prints."""

    data: dict[str, Any] = field(repr=False)

    def to_json(self) -> str:
        """The front as JSON text, unrounded; ``null`` means unknown."""
        return json.dumps(self.data, indent=2, ensure_ascii=False)

    def to_frame(self) -> pd.DataFrame:
        """The front, then what is near it, then what lacks a figure of an axis (column ``kind``)."""
        import pandas as pd

        from dse.report.front_data import columns_of

        return pd.DataFrame(self.data["rows"], columns=columns_of(self.data))

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return f"<p>{escape(self.data['headline'])}</p>{self.to_frame().to_html(index=False)}"


def pareto(
    problem: Problem,
    axes: str = "accuracy,worst_case_ms,power_w,price_usd",
    *,
    near: float = 0.0,
    catalogs: Roots = (),
) -> FrontResult:
    """The complete exact front of a problem with one task.

    Parameters
    ----------
    problem : Problem
        What is asked.
    axes : str
        Two to five figures, ``name`` or ``name:min`` or ``name:max``, separated by commas.
    near : float
        Designs at most this share worse than one on the front, on every axis, are listed beside it.
    catalogs : tuple of Path
        Extra catalogue folders.

    Raises
    ------
    InputError
        An axis that cannot be, or a problem with several tasks.
    VerificationError
        The independent check disagrees with a row: a bug.
    """
    from dse.front.axes import parse_axes
    from dse.frontier import front_of_problem
    from dse.report.front_data import front_object

    knowledge = knowledge_of(roots_of(Path(problem.file), catalogs))
    return FrontResult(front_object(front_of_problem(problem, knowledge, parse_axes(axes), near)))


__all__ = [
    "FrontResult",
    "InputError",
    "Problem",
    "Result",
    "knowledge_of",
    "load_problem",
    "pareto",
    "roots_of",
    "solve",
    "vocabulary_of",
]
