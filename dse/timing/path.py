"""The entry of the candidate table: worst-case latency of every candidate, in parts that add up to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dse.timing import exact
from dse.timing.arrivals import Arrivals
from dse.timing.closing import bound_closing, closing_load_ppm, pipeline_closing_exact
from dse.timing.estimated import estimated
from dse.timing.pipeline import bound_count, bound_dynamic, bound_tandem
from dse.timing.stages import Bound, Items, by_batch
from dse.timing.ticks import INFINITE, MAX_BATCH, MAX_TICKS, BoolArray, IntArray

_LARGEST_QUOTIENT = 2**40  # utilisation saturates here, far beyond anything stable


@dataclass(frozen=True)
class Path:
    """What one item passes on n candidates: int64 ticks, each (n,) or a scalar that holds for all.

    Parameters
    ----------
    delay : (n,) or scalar
        Sum of the delays that queue nothing (capture, network, overhead), variation included.
    variation : (n,) or scalar
        Sum of the variations of the delays before the batch stage. They may reorder items only ahead of the first
        item stage; behind one they must keep the order.
    before, after : sequences of (n,) or scalar
        Longest time of one item at each item stage before and after the network, in order.
    overlap : (n,) or scalar
        Part of the last stage before the network that is hidden behind the network for the same frame. Saves
        latency, never rate. Counted up to the time of that stage and of a batch of one.
    batch : (n,)
        b, 1 to MAX_BATCH.
    fixed, per_item : (n,) or scalar
        A batch of k items takes at most fixed + per_item·k.
    timeout : (n,) or scalar
        T of dynamic batching; without meaning for counted batches.
    dynamic : (n,) bool or scalar
        Dynamic batching, else batches of exactly b.
    closing : bool
        Batches close at b items or T after their first, even while the server is busy; instead of both.
    between : (n,) or scalar
        What is hidden in the same way between other neighbours that are separate servers; saves latency, never rate.
    level : float, optional
        Share of the items, such as 0.99, for which the wait in a line of item stages is estimated over random phases
        instead of bounded. Batches of one only; others keep their bound.
    """

    delay: IntArray | int
    variation: IntArray | int
    before: Sequence[IntArray | int]
    after: Sequence[IntArray | int]
    overlap: IntArray | int
    batch: IntArray
    fixed: IntArray | int
    per_item: IntArray | int
    timeout: IntArray | int
    dynamic: BoolArray | bool
    closing: bool = False
    between: IntArray | int = 0
    level: float | None = None


@dataclass(frozen=True)
class Parts:
    """Worst case from the nominal release of an item to its result; all (n,), times in ticks.

    Parameters
    ----------
    total : (n,)
        Sum of the parts below, up to `overlap`; INFINITE where there is no bound, then carried by `queue` alone.
    delay, items, jitter : (n,)
        Delays; own times at the item stages; J, by which the release may be late.
    batch_wait : (n,)
        Waiting for the own batch to fill or time out, if that decides.
    queue, blocking : (n,)
        Work of earlier items; the batch in service on arrival.
    service : (n,)
        Own batch at the network.
    overlap : (n,)
        Saving, zero or negative.
    stable : (n,)
        Whether there is a bound.
    utilization_ppm, network_utilization_ppm : (n,)
        Long-run load of the busiest stage and of the network, rounded up. A dynamic batcher counts with the largest
        batch it can reach.
    active_case, hidden : (n,)
        WAIT (0) or QUEUE (1), the branch that decides, and the value of the other branch, not added.
    """

    total: IntArray
    delay: IntArray
    items: IntArray
    jitter: IntArray
    batch_wait: IntArray
    queue: IntArray
    blocking: IntArray
    service: IntArray
    overlap: IntArray
    stable: BoolArray
    utilization_ppm: IntArray
    network_utilization_ppm: IntArray
    active_case: IntArray
    hidden: IntArray


def worst_case(arrivals: Arrivals, path: Path) -> Parts:
    """Bound the latency of every candidate.

    Parameters
    ----------
    arrivals : Arrivals
        The streams of the task.
    path : Path
        What an item passes on each candidate.

    Returns
    -------
    Parts
        The bound and its parts. One item at a time (b = 1) is a tandem of item stages; larger batches are counted or
        dynamic, in the full form.

    Raises
    ------
    ValueError
        A time or batch is out of range, shapes differ, or a candidate counts batches while a stream may stop.

    Notes
    -----
    Every loop runs over frames, at most b/gcd(N, b) + 1 of them (nested once, up to
    MAX_COUPLED_BATCH), or over batch sizes up to 2·b; neither N nor the
    jitter, the period or the time-out lengthens one.
    """
    size = np.asarray(path.batch).size
    batch = _column("batch", path.batch, size, MAX_BATCH, least=1)
    times = {
        name: _column(name, getattr(path, name), size)
        for name in ("delay", "variation", "overlap", "fixed", "per_item", "timeout", "between")
    }
    before = [_column(f"before[{k}]", stage, size) for k, stage in enumerate(path.before)]
    after = [_column(f"after[{k}]", stage, size) for k, stage in enumerate(path.after)]
    full = _column("fixed + per_item * batch", times["fixed"] + times["per_item"] * batch, size)
    row_of = _Rows(
        batch=batch,
        fixed=times["fixed"],
        per_item=times["per_item"],
        full=full,
        timeout=times["timeout"],
        dynamic=np.broadcast_to(np.asarray(path.dynamic, dtype=np.bool_), (size,)),
        items=Items.of(arrivals, before, after, times["variation"], size),
    )
    ends = None
    if path.closing:
        first = Items.of(arrivals, before, (), times["variation"], size)
        ends = (first, Items.of(arrivals, (), after, times["variation"], size))
    bound = _bounds(arrivals, row_of, path.level, ends)
    alone = times["fixed"] + times["per_item"]
    hideable = np.minimum(before[-1], alone) if before else np.zeros(size, dtype=np.int64)
    saved = np.minimum(times["overlap"], hideable) + times["between"]
    one = np.ones_like(batch)
    network = load_ppm(arrivals, times["fixed"] + times["per_item"] * bound.reached, bound.reached)
    if path.closing:
        singles = load_ppm(arrivals, alone, one)
        network = closing_load_ppm(arrivals, batch, times["fixed"], times["timeout"], network, singles)
    busiest = np.maximum(network, load_ppm(arrivals, row_of.items.slowest, one))
    return _parts(bound, times["delay"], arrivals.jitter, saved, network, busiest)


def worst_case_exact(
    source: exact.ExactArrivals,
    network: exact.Network,
    *,
    dynamic: bool,
    before: exact.Times = (),
    after: exact.Times = (),
    delay: Fraction = exact.ZERO,
    variation: Fraction = exact.ZERO,
    overlap: Fraction = exact.ZERO,
    closing: bool = False,
    between: Fraction = exact.ZERO,
) -> Fraction | None:
    """Total of `worst_case` for one candidate in exact milliseconds; None where there is no bound.

    Never above the total in ticks; equal to it when all times, the period too, lie on the tick grid.
    Arguments and errors as in `Path`, in milliseconds.
    """
    later = source.with_more(variation)
    if network.batch == 1:
        latency = exact.tandem(later, (*before, network.service(1), *after))
    elif closing:
        latency = pipeline_closing_exact(later, network, before, after)
    elif dynamic:
        latency = exact.pipeline_dynamic(later, network, before, after)
    else:
        latency = exact.pipeline_count(later, network.batch, network.service(network.batch), before, after)
    if latency is None:
        return None
    saved = min(overlap, before[-1], network.service(1)) if before else exact.ZERO
    return delay + source.jitter + latency - saved - between


@dataclass(frozen=True)
class _Rows:
    """Checked columns of all candidates, (n,) each, and their item stages."""

    batch: IntArray
    fixed: IntArray
    per_item: IntArray
    full: IntArray
    timeout: IntArray
    dynamic: BoolArray
    items: Items

    def service(self, rows: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Fixed part, part per item and time-out of some rows."""
        return self.fixed[rows], self.per_item[rows], self.timeout[rows]


def _bounds(arrivals: Arrivals, of: _Rows, level: float | None, ends: tuple[Items, Items] | None) -> Bound:
    """One bound for all rows, worked out group by group: loop counts depend on batch and policy.

    With `ends`, the item stages before the network and those after it, batches close by time-out.
    """
    found: list[tuple[IntArray, Bound]] = []
    for size, rows in by_batch(of.batch):
        if size == 1:
            single = bound_tandem(arrivals, of.full[rows], of.items.take(rows))
            if level is not None:
                single = estimated(arrivals, single, np.maximum(of.items.slowest, of.full)[rows], level)
            found.append((rows, single))
        elif ends is not None:
            before, after = (stages.take(rows) for stages in ends)
            found.append((rows, bound_closing(arrivals, size, *of.service(rows), before, after)))
        else:
            some = rows[of.dynamic[rows]]
            if some.size:
                found.append((some, bound_dynamic(arrivals, size, *of.service(some), of.items.take(some))))
            some = rows[~of.dynamic[rows]]
            if some.size:
                found.append((some, bound_count(arrivals, size, of.full[some], of.items.take(some))))
    columns = {field.name: np.zeros(of.batch.shape, dtype=np.int64) for field in fields(Bound)}
    for rows, bound in found:
        for name, column in columns.items():
            column[rows] = getattr(bound, name)
    stable = columns.pop("stable").astype(np.bool_)
    return Bound(**columns, stable=stable)


def _parts(bound: Bound, delay: IntArray, jitter: int, saved: IntArray, network: IntArray, busiest: IntArray) -> Parts:
    keep = bound.stable
    return Parts(
        total=np.where(keep, bound.total + delay + jitter - saved, INFINITE),
        delay=delay * keep,
        items=bound.items,
        jitter=jitter * keep.astype(np.int64),
        batch_wait=bound.batch_wait,
        queue=bound.queue,
        blocking=bound.blocking,
        service=bound.service,
        overlap=-saved * keep,
        stable=keep,
        utilization_ppm=busiest,
        network_utilization_ppm=network,
        active_case=bound.active_case,
        hidden=bound.hidden,
    )


def load_ppm(arrivals: Arrivals, time: IntArray, items: IntArray) -> IntArray:
    """N·time / (items·P) in millionths, rounded up; long division by thousands keeps every product below 2**63."""
    capacity = items * arrivals.period_down
    whole, rest = np.divmod(arrivals.streams * time, capacity)
    thousandths, rest = np.divmod(rest * 1000, capacity)
    millionths = -(-rest * 1000 // capacity)
    return np.asarray(np.minimum(whole, _LARGEST_QUOTIENT) * 1_000_000 + thousandths * 1000 + millionths)


def _column(name: str, values: ArrayLike, rows: int, most: int = MAX_TICKS, least: int = 0) -> IntArray:
    """Check the values and give them as (rows,) int64: the arithmetic that follows relies on their range."""
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.integer):
        message = f"{name}: found {array.dtype} values, expected whole numbers (times are ticks, see up_ticks)"
        raise ValueError(message)
    if array.shape not in ((), (rows,)):
        message = f"{name}: found shape {array.shape}, expected ({rows},) as of batch, or a scalar"
        raise ValueError(message)
    bad = np.flatnonzero((array < least) | (array > most))
    if bad.size:
        message = (
            f"{name}: {bad.size} values out of range, first {array.flat[bad[0]]} at row {bad[0]}, "
            f"expected {least} to {most}"
        )
        raise ValueError(message)
    return np.broadcast_to(array.astype(np.int64), (rows,))
