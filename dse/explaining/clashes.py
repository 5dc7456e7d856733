"""Which limits clash: all minimal sets that no candidate meets together, each verified by solves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dse.candidates.context import Context
from dse.candidates.table import NO_ACCURACY_BIT
from dse.errors import VerificationError
from dse.explaining.requirements import Requirement, requirements_of
from dse.explaining.transversals import bits_of, minimal_hitting_sets, minimal_patterns

MOST_SETS = 200
"""Sets that are looked for where limits are more than `ALWAYS_COMPLETE`; there may be exponentially many."""
ALWAYS_COMPLETE = 12
FOLLOWS_RATE = ("worst_case_ms", "slack_ms", "utilization", "rate_headroom")
"""Columns without a value, or beyond any bound, on candidates that cannot keep up with the rate."""


@dataclass(frozen=True)
class Clash:
    """Limits that cannot be met together, though any of them can be dropped to meet the others.

    ``follows_rate`` says that the rate alone cannot be kept up with and this is a consequence.
    """

    members: tuple[Requirement, ...]
    bits: int
    follows_rate: bool = False


@dataclass(frozen=True)
class Clashes:
    """All minimal clashing sets; not `complete` where there are more than were looked for.

    ``solves`` counts the models that verified them; ``given`` says that nothing has a usable accuracy, before any
    limit is asked.
    """

    found: tuple[Clash, ...]
    complete: bool
    solves: int
    given: bool


def clashes_of(context: Context, patterns: Mapping[int, int], *, seed: int = 0) -> Clashes:
    """Minimal clashing sets of limits, from the sets of limits that candidates break.

    Parameters
    ----------
    context : Context
        The task.
    patterns : mapping
        Bits that candidates break, as of `Survey`. Candidates without a usable accuracy are no candidates here: no
        limit is to blame for them.
    seed : int
        For the solver.

    Raises
    ------
    VerificationError
        A solve disagrees with the enumeration: a bug.
    """
    requirements = requirements_of(context)
    usable = [pattern for pattern in patterns if not pattern >> NO_ACCURACY_BIT & 1]
    if not usable:
        return Clashes((), complete=True, solves=0, given=True)
    smallest = minimal_patterns(usable)
    used = {bit for pattern in smallest for bit in bits_of(pattern)}
    sets, complete = minimal_hitting_sets(smallest, None if len(used) <= ALWAYS_COMPLETE else MOST_SETS)
    solves = sum(_verify(smallest, requirements, one, seed) for one in sets)
    rate = next(1 << one.bit for one in requirements if one.rule.column == "stable")
    by_bit = {one.bit: one for one in requirements}
    found = []
    for one in sets:
        members = tuple(by_bit[bit] for bit in bits_of(one))
        follows = rate in sets and all(member.rule.column in FOLLOWS_RATE for member in members)
        found.append(Clash(members, one, follows))
    return Clashes(tuple(found), complete, solves, given=False)


def _verify(patterns: Sequence[int], requirements: Sequence[Requirement], bits: int, seed: int) -> int:
    """Solve for the set, and for the set without each of its members; returns the number of solves.

    Raises
    ------
    VerificationError
        The set can be met, or a member is not needed for the clash.
    """
    from dse.model.clash import can_be_met

    names = [one.name for one in requirements]
    said = ", ".join(names[bit] for bit in bits_of(bits))
    # Plainly, before any solver: every candidate breaks one of them.
    if not all(pattern & bits for pattern in patterns) or can_be_met(patterns, names, bits, seed=seed):
        raise VerificationError(f"{said} were to clash, and a candidate meets them all")
    for bit in bits_of(bits):
        rest = bits & ~(1 << bit)
        if all(pattern & rest for pattern in patterns) or not can_be_met(patterns, names, rest, seed=seed):
            raise VerificationError(f"{names[bit]} was to be needed for the clash of {said}, and is not")
    return 1 + len(bits_of(bits))
