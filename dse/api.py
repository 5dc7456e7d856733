"""The same from Python: load a problem, check it, solve it, look at its candidates.

>>> import dse
>>> result = dse.solve(dse.load_problem("problems/inspection.yaml"))  # doctest: +SKIP
>>> result.status, result.to_frame()  # doctest: +SKIP
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.errors import InputError
from dse.problem.load import peek_catalogs
from dse.problem.spec import Problem
from dse.solving import Roots, answer_to, checked_problem, knowledge_of, vocabulary_of
from dse.yamlfile.reader import read_file

if TYPE_CHECKING:
    import pandas as pd


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
        return f"<p>{self.data['headline']}</p>{self.to_frame().to_html(index=False)}"


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
    file = Path(path)
    knowledge = knowledge_of(roots_of(file, catalogs))
    return checked_problem(read_file(file), knowledge, vocabulary_of(knowledge.catalog))


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
    knowledge = knowledge_of(roots_of(Path(problem.file), catalogs))
    return Result(
        answer_to(
            problem, knowledge, workers=workers, seed=seed, top=top, different=different, time_limit_s=time_limit_s
        )
    )


__all__ = ["InputError", "Problem", "Result", "knowledge_of", "load_problem", "roots_of", "solve", "vocabulary_of"]
