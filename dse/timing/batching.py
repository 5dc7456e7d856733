"""Bounds of the network alone, without item stages: the pipeline forms with nothing around the batch stage."""

from __future__ import annotations

import numpy as np

from dse.timing.arrivals import Arrivals
from dse.timing.dynamic import full_branches
from dse.timing.pipeline import pipeline_count, pipeline_dynamic, pipeline_dynamic_fast
from dse.timing.stages import Items, by_batch
from dse.timing.ticks import BoolArray, IntArray


def latency_count(arrivals: Arrivals, batch: IntArray, service: IntArray) -> IntArray:
    """Latency [tick] of batches of exactly b items taking `service` [tick]; (n,) in and out.

    max(W, Q) + s(b), with W the formation wait and Q the longest backlog of whole batches formed before. Attained
    as a supremum. See `pipeline_count` for the errors.
    """
    return pipeline_count(arrivals, batch, service)


def latency_dynamic(
    arrivals: Arrivals, batch: IntArray, fixed: IntArray, per_item: IntArray, timeout: IntArray | int
) -> IntArray:
    """Latency [tick] of dynamic batches of up to b items; see `pipeline_dynamic`."""
    return pipeline_dynamic(arrivals, batch, fixed, per_item, timeout)


def latency_dynamic_fast(
    arrivals: Arrivals, batch: IntArray, fixed: IntArray, per_item: IntArray, timeout: IntArray | int
) -> IntArray:
    """Cheap form of `latency_dynamic` for screening, never smaller."""
    return pipeline_dynamic_fast(arrivals, batch, fixed, per_item, timeout)


def stable_count(arrivals: Arrivals, batch: IntArray, service: IntArray) -> BoolArray:
    """Whether full batches keep up: N·s(b) <= b·P; (n,) items and [tick]."""
    return np.asarray(service) <= np.asarray(batch) * arrivals.period_down // arrivals.streams


def stable_dynamic(
    arrivals: Arrivals, batch: IntArray, fixed: IntArray, per_item: IntArray, timeout: IntArray | int
) -> BoolArray:
    """Whether full batches keep up, or none can form: small batches then keep up whatever s(b) is."""
    batch = np.asarray(batch, dtype=np.int64)
    items = Items.of(arrivals, (), (), 0, batch.size)
    s0, s1, wait = (np.broadcast_to(np.asarray(x, dtype=np.int64), batch.shape) for x in (fixed, per_item, timeout))
    stable = np.zeros(batch.shape, dtype=np.bool_)
    for size, rows in by_batch(batch):
        stable[rows] = full_branches(arrivals, size, s0[rows], s1[rows], wait[rows], items.take(rows)).stable
    return stable
