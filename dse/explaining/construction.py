"""Limits that no design of the search could meet whatever else is asked, seen before anything is solved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dse.candidates.context import Context
from dse.candidates.resources import reserve_of
from dse.candidates.stage_places import on_chip
from dse.catalog.types import Chip, FloatArray
from dse.explaining.requirements import Requirement, requirements_of
from dse.problem.fields import exact
from dse.problem.stage import INFER
from dse.schema import QUANTITIES, UNKNOWN, to_fixed

ROUNDING = 1e-9
"""Share by which sums of floats must be beyond a bound to be called so."""


@dataclass(frozen=True)
class Contradiction:
    """A limit out of reach by construction.

    Parameters
    ----------
    requirement : Requirement
        The limit.
    best : float
        What is out of its reach: the least time, the highest accuracy, the lowest power or price, in the limit's unit;
        of the rate the share of its time that the quickest network takes.
    text : str
        Why, in words.
    """

    requirement: Requirement
    best: float
    text: str


def contradictions_of(context: Context) -> tuple[Contradiction, ...]:
    """Limits that are contradictory by construction, in the order of the rules.

    Each compares one limit with one figure: the deadline with the stages around the network, the rate with the least
    time of any network, the accuracy with the best there is, power and price with the lowest. What needs more than one
    figure is left to the clashes.
    """
    if not len(context.runs):
        return ()
    checks = {
        "deadline_ms": _deadline,
        "stable": _rate,
        "accuracy_low": _accuracy,
        "power_w": _lowest,
        "price_usd": _lowest,
    }
    found = []
    for one in requirements_of(context):
        key = one.name if one.name == "deadline_ms" else one.rule.column
        if key in checks:
            found += list(checks[key](context, one))
    return tuple(found)


def _deadline(context: Context, one: Requirement) -> Iterator[Contradiction]:
    """Delays and stated times alone, or with the least time of the network; queues and transfers come on top."""
    deadline = context.task.deadline_ms
    if deadline is None or context.level is not None:
        return
    chips = {chip.id: chip for chip in context.lanes.chips(context.catalog)}
    sums = {name: fixed_ms(context, chip) for name, chip in chips.items()}
    least = min(sums.values())
    what = f"deadline_ms {deadline:g}: delays and stated times around the network"
    if least > exact(deadline):
        where = "" if len(set(sums.values())) == 1 else f" on {min(sums, key=lambda name: (sums[name], name))}"
        yield Contradiction(one, float(least), f"{what} alone take {float(least):g} ms{where}")
        return
    around = np.array([float(sums[chip.id]) for chip in context.lanes.chips(context.catalog)])[context.runs.lane]
    shown = 1 - next((float(stage.overlap) for stage in context.stages if stage.name == INFER), 0.0)
    whole = around + shown * context.service.service_ms
    if not np.isfinite(whole).any() or np.nanmin(whole) <= deadline * (1 + ROUNDING):
        return
    run = int(np.nanargmin(whole))
    net, chip = str(context.catalog.nets.id[context.runs.net[run]]), context.chip_of(run).id
    times = f"{around[run]:g} ms and the network {context.service.service_ms[run]:.4g} ms"
    yield Contradiction(one, float(whole[run]), f"{what} take {times} at least, {net} on {chip}")


def fixed_ms(context: Context, chip: Chip) -> Fraction:
    """The least that stages of stated time take on a chip, the network and all transfers apart [ms].

    Of a stage that overlaps the next only the part that cannot be hidden counts.
    """
    total = Fraction(0)
    for stage in on_chip(context.stages, chip):
        if stage.delay_ms is not None:
            total += exact(stage.delay_ms) + exact(stage.variation_ms)
        stated = None if stage.time_ms is None else stage.time_ms.on(chip.id)
        if stated is not None:
            total += exact(stated) * (1 - exact(stage.overlap))
    return total


def _rate(context: Context, one: Requirement) -> Iterator[Contradiction]:
    """Streams times the least time of any network, all else left out."""
    each = _per_item_ms(context)
    if context.level is not None or not np.isfinite(each).any():
        return
    run = int(np.nanargmin(each))
    rate = Fraction(context.arrivals.streams * 1000) / context.problem.period_ms(context.task)
    share = exact(float(each[run])) * rate / 1000
    if share > 1:
        net = str(context.catalog.nets.id[context.runs.net[run]])
        text = (
            f"rate {float(rate):g} /s: the quickest network, {net} on {context.chip_of(run).id}, takes "
            f"{each[run]:.4g} ms an item, {100 * float(share):.3g} % of the time"
        )
        yield Contradiction(one, float(share), text)


def _per_item_ms(context: Context) -> FloatArray:
    """Worst-case time of the network per item of a full batch, of every run [ms]."""
    found: FloatArray = context.service.service_ms / context.runs.batch
    return found


def _accuracy(context: Context, one: Requirement) -> Iterator[Contradiction]:
    """The best lower end of any network on any kind of run."""
    runs = context.runs
    pairs = np.unique(np.column_stack([runs.lane, runs.net]), axis=0)
    net_of = context.catalog.entries.net
    best = UNKNOWN
    for entry in context.chosen.entries.tolist():
        lanes = pairs[pairs[:, 1] == net_of[entry], 0]
        if len(lanes):
            best = max(best, int(context.accuracy.of(lanes, np.full(len(lanes), entry)).low.max()))
    minimum = one.rule.minimum
    if minimum is not None and best != UNKNOWN and best < minimum and one.rule.reject_unknown:
        scale = QUANTITIES["accuracy"].scale
        text = f"{one.name} {minimum / scale:g}: no network reaches it as deployed, the best has {best / scale:g}"
        yield Contradiction(one, best / scale, text)


def _lowest(context: Context, one: Requirement) -> Iterator[Contradiction]:
    """The lowest power or price of anything the search admits."""
    name, maximum = one.rule.column, one.rule.maximum
    figures = to_fixed(getattr(context.resources, name), QUANTITIES[name].scale)
    known = figures[figures != UNKNOWN]
    flags_unknown = len(known) < len(figures) and not one.rule.reject_unknown
    if maximum is None or flags_unknown or not len(known) or int(known.min()) <= maximum:
        return
    scale, unit = QUANTITIES[name].scale, QUANTITIES[name].unit
    run = int(np.flatnonzero(figures == known.min())[0])
    chip, best = context.chip_of(run), known.min() / scale
    word = {"power_w": "nothing draws less than", "price_usd": "nothing costs less than"}[name]
    text = f"{one.name} {maximum / scale:g}: {word} {best:g} {unit} ({chip.id})"
    if name == "power_w" and chip.power.idle_w is not None:
        idle = chip.power.idle_w + reserve_of(context.problem, chip)[2]
        text += f"; idle it draws {idle:g} {unit}" if idle > maximum / scale else ""
    yield Contradiction(one, float(best), text)
