"""What any solver returns: a status, the chosen row, and what was proven about each objective."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Status(Enum):
    """Outcome of a solve; "stopped" and "impossible" are never the same one."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Proven:
    """Cost reached under one objective and the proven bound on it, in steps to be minimised."""

    cost: int
    bound: int


@dataclass(frozen=True)
class Choice:
    """The row a solver chose.

    ``row`` is a position in the rows given, None without one; ``proven`` has one entry per objective solved;
    ``kept`` counts the rows that reached the solver; ``models_solved`` the solver's runs.
    """

    status: Status
    row: int | None
    proven: tuple[Proven, ...]
    kept: int
    models_solved: int
