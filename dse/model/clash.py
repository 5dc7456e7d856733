"""Whether some candidate meets a set of limits at once: a model without an objective, solved anew for every set.

Assumption cores of the solver are not used: they have named literals that were never assumed and cores that were
everything (google/or-tools#5141, #2571, #3983), and do not go together with an objective (#3943).
"""

from __future__ import annotations

from collections.abc import Sequence

from ortools.sat.python import cp_model

from dse.errors import VerificationError
from dse.model.solve import new_solver


def can_be_met(patterns: Sequence[int], names: Sequence[str], wanted: int, *, seed: int = 0) -> bool:
    """Whether one candidate breaks none of the wanted limits, decided by CP-SAT.

    Parameters
    ----------
    patterns : sequence of int
        For every kind of candidate, bits of the limits it breaks.
    names : sequence of str
        Name of each bit, for the model's rows.
    wanted : int
        Bits of the limits that must hold.

    Notes
    -----
    ``sum_p chosen[p] = 1``, and for every wanted limit ``sum of chosen[p] over the p that break it = 0``.

    Raises
    ------
    VerificationError
        The solver neither finds a candidate nor proves that there is none.
    """
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(f"chosen[{pattern:b}]") for pattern in patterns]
    model.add_exactly_one(chosen)
    for bit, name in enumerate(names):
        if wanted >> bit & 1:
            breaking = [one for one, pattern in zip(chosen, patterns, strict=True) if pattern >> bit & 1]
            model.add(cp_model.LinearExpr.sum(breaking) == 0).with_name(f"requirement[{name}]")
    status = new_solver(1, seed, None).solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE):
        raise VerificationError(f"a set of limits could not be decided: {status}")
    return bool(status != cp_model.INFEASIBLE)
