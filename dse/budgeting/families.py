"""Families of networks whose work is within a budget: the best member of each on every tier of chips.

Only by multiply-accumulates, before any chip is named. Binarized networks are left out here: their work is not that of
the networks the utilisation was measured with, and few runtimes have kernels for one bit; `reach` says where they run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.budgeting.work import TIERS, Work
from dse.candidates.kernels import binarized
from dse.catalog.types import Catalog, IntArray

FLOATS = ("fp32", "float", "fp16")
"""Precisions of a published accuracy without quantisation, the usual first."""


@dataclass(frozen=True)
class Member:
    """A network within a budget: its work [10^9 MAC], published accuracy and its interval, NaN where none is known."""

    model: str
    weights: str
    gmacs: float
    accuracy: float
    low: float
    high: float
    precision: str
    source: str


@dataclass(frozen=True)
class Tier:
    """The reference unit with the largest budget among the weak, middling or strong ones."""

    name: str
    work: Work


@dataclass(frozen=True)
class Family:
    """One family of networks for the task.

    ``least_gmacs`` is the smallest work of a member, NaN where none is known; ``likely`` the most accurate member
    within the likely work of each tier, ``perhaps`` within the upper end of its range; no entry where none is.
    """

    name: str
    networks: int
    binarized: bool
    least_gmacs: float
    likely: dict[str, Member]
    perhaps: dict[str, Member]


def tiers_of(works: tuple[Work, ...]) -> tuple[Tier, ...]:
    """The strongest reference unit of every tier, by the likely work of one inference."""
    found = []
    for name in TIERS:
        rows = [work for work in works if work.tier == name and work.gmacs is not None]
        if rows:
            found.append(Tier(name, max(rows, key=lambda work: work.gmacs.value if work.gmacs else 0.0)))
    return tuple(found)


def families(catalog: Catalog, entries: IntArray, tiers: tuple[Tier, ...]) -> tuple[Family, ...]:
    """Families of the entries a task may choose, by the least work of a member.

    Parameters
    ----------
    entries : (k,)
        Rows of the catalogue's entries: of the task's data set and metric.
    """
    one_bit = binarized(catalog)
    members: dict[str, list[tuple[int, Member]]] = {}
    for net, member in _members(catalog, entries):
        members.setdefault(catalog.nets.family[net], []).append((net, member))
    found = []
    for name, listed in members.items():
        counted = [member for net, member in listed if np.isfinite(member.gmacs) and not one_bit[net]]
        limits = {tier.name: tier.work.gmacs for tier in tiers if tier.work.gmacs is not None}
        likely = {tier: _best(counted, limit.value) for tier, limit in limits.items()}
        perhaps = {tier: _best(counted, limit.high) for tier, limit in limits.items()}
        found.append(
            Family(
                name=name,
                networks=len({net for net, _ in listed}),
                binarized=all(one_bit[net] for net, _ in listed),
                least_gmacs=min((member.gmacs for member in counted), default=float("nan")),
                likely={tier: best for tier, best in likely.items() if best is not None},
                perhaps={tier: best for tier, best in perhaps.items() if best is not None},
            )
        )
    return tuple(sorted(found, key=lambda one: (not np.isfinite(one.least_gmacs), one.least_gmacs, one.name)))


def _best(members: list[Member], gmacs: float) -> Member | None:
    """The most accurate member within so much work; of equals the one with less."""
    fitting = [member for member in members if member.gmacs <= gmacs]
    return max(fitting, key=lambda one: (np.nan_to_num(one.accuracy), -one.gmacs, one.model), default=None)


def _members(catalog: Catalog, entries: IntArray) -> list[tuple[int, Member]]:
    """Every entry with its published accuracy at full precision, else at any."""
    figures, e, nets = catalog.accuracies, catalog.entries, catalog.nets
    rank: dict[int, tuple[int, int]] = {}
    for row, (entry, precision) in enumerate(zip(figures.entry.tolist(), figures.precision.tolist(), strict=True)):
        order = FLOATS.index(precision) if precision in FLOATS else len(FLOATS)
        rank[entry] = min(rank.get(entry, (order, row)), (order, row))
    found = []
    for entry in entries.tolist():
        net = int(e.net[entry])
        head = (str(nets.id[net]), str(e.weights[entry]), float(nets.gmacs[net]))
        if entry in rank:
            row = rank[entry][1]
            value, low, high = (float(column[row]) for column in (figures.accuracy, figures.low, figures.high))
            of = (str(figures.precision[row]), str(figures.source[row]))
            found.append((net, Member(*head, value, low, high, *of)))
        else:
            unknown = float("nan")
            found.append((net, Member(*head, unknown, unknown, unknown, "", str(e.source[entry]))))
    return found
