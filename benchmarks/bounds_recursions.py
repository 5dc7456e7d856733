"""Fast replays in whole ticks for ``bounds.py``: many patterns at once, one stage after the other.

The search of the benchmark runs on these; the worst pattern it finds is played again by ``dse.simulate``, which must
agree to the tick. They share nothing with the bounds either.

Arrays are (patterns, items); items of a row stand in order of arrival. `group` tells the task of an item. An item that
does not exist comes at FAR, behind all others. No two items of a row arrive at one instant where the order would
matter: see ``bounds_search.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

FAR = 2**50
"""Later than anything that happens [tick], with room for sums."""


def in_order(times: Ints, services: Ints | int, servers: int = 1) -> Ints:
    """Completion at an item stage; services differ between items only with one server. Lindley 1952."""
    service = np.broadcast_to(np.asarray(services, dtype=np.int64), times.shape)
    if servers == 1:
        done = np.cumsum(service, axis=1)
        return np.asarray(np.maximum.accumulate(times - (done - service), axis=1) + done)
    done = np.empty_like(times)
    for first in range(servers):  # equal services: each server takes every c-th item
        done[:, first::servers] = in_order(times[:, first::servers], service[:, first::servers])
    return done


def on_servers(times: Ints, services: Ints, servers: int) -> Ints:
    """Completion of items of different services: the next one goes to the server that is free first."""
    rows = np.arange(times.shape[0])
    free = np.zeros((times.shape[0], servers), dtype=np.int64)
    done = np.empty_like(times)
    for item in range(times.shape[1]):
        server = free.argmin(axis=1)
        done[:, item] = np.maximum(times[:, item], free[rows, server]) + services[:, item]
        free[rows, server] = done[:, item]
    return done


def counted(times: Ints, batch: int, service: int, servers: int = 1) -> Ints:
    """Completion of batches of exactly b items of one task."""
    ready = _last_of(times, batch)
    done = in_order(ready, service, servers)
    return np.repeat(done, batch, axis=1)[:, : times.shape[1]]


def counted_together(times: Ints, group: Ints, batches: Sequence[int], services: Sequence[int]) -> Ints:
    """Completion of counted batches of several tasks at one server, in the order they are full."""
    ready, own, ends = [], [], []
    for task, (batch, service) in enumerate(zip(batches, services, strict=True)):
        full = _last_of(_of(times, group, task), batch)
        ready.append(full)
        own.append(np.full_like(full, service))
        ends.append(full.shape[1])
    merged, work = np.concatenate(ready, axis=1), np.concatenate(own, axis=1)
    order = merged.argsort(axis=1, kind="stable")
    done = np.empty_like(merged)
    served = in_order(np.take_along_axis(merged, order, axis=1), np.take_along_axis(work, order, axis=1))
    np.put_along_axis(done, order, served, axis=1)
    found = np.empty_like(times)
    for task, part in enumerate(np.split(done, np.cumsum(ends)[:-1], axis=1)):
        items = np.repeat(part, batches[task], axis=1)[:, : int((group[0] == task).sum())]
        found[group == task] = items.ravel()
    return found


def closed_by_timeout(times: Ints, batch: int, timeout: int, fixed: int, per_item: int) -> Ints:
    """Completion of batches that close at their b-th item or a time-out after their first, whoever is busy."""
    patterns, items = times.shape
    rows = np.arange(patterns)
    padded = _padded(times, batch)
    head, free = np.zeros(patterns, dtype=np.int64), np.zeros(patterns, dtype=np.int64)
    done = np.zeros((patterns, items + batch), dtype=np.int64)
    while (head < items).any():
        window = padded[rows[:, None], head[:, None] + np.arange(batch)]
        closes = np.minimum(window[:, 0] + timeout, window[:, -1])
        size = (window <= closes[:, None]).sum(axis=1)
        free = np.maximum(free, closes) + fixed + per_item * size
        done[rows, head] = free
        head = np.minimum(head + size, items)
    return np.maximum.accumulate(done[:, :items], axis=1)


def in_turns(
    times: Ints,
    group: Ints,
    order: str,
    batches: Sequence[int],
    timeouts: Sequence[int],
    fixed: Sequence[int],
    per_item: Sequence[int],
    levels: Sequence[int] = (),
) -> Ints:
    """Completion of dynamic batches (of single items, for b = 1) of several tasks at one server.

    `order` is "fifo" by the time a batch is due, "fixed-priority" by the `levels` of the tasks and fifo among equals,
    or "round-robin".
    """
    patterns, tasks, most = times.shape[0], len(batches), max(batches)
    counts = [int((group[0] == task).sum()) for task in range(tasks)]
    padded = np.full((patterns, tasks, max(counts) + most), 2 * FAR, dtype=np.int64)
    for task, count in enumerate(counts):
        padded[:, task, :count] = _of(times, group, task)
    done = np.zeros_like(padded)
    rows, every = np.arange(patterns), np.arange(tasks)
    last = np.asarray(batches) - 1
    size_limit, waits, once, each = (np.asarray(values) for values in (batches, timeouts, fixed, per_item))
    head = np.zeros((patterns, tasks), dtype=np.int64)
    free, turn = np.zeros(patterns, dtype=np.int64), np.zeros(patterns, dtype=np.int64)
    while True:
        first, full = padded[rows[:, None], every, head], padded[rows[:, None], every, head + last]
        due = np.minimum(first + waits, full)
        earliest = due.min(axis=1)
        if (earliest >= FAR).all():
            break
        start = np.maximum(free, earliest)
        if order == "fifo":
            chosen = due.argmin(axis=1)
        elif order == "fixed-priority":
            ready = due <= start[:, None]
            chosen = np.where(ready, np.asarray(levels) * 4 * FAR + due, 2**62).argmin(axis=1)
        else:
            places = (turn[:, None] + every) % tasks
            chosen = (turn + (due[rows[:, None], places] <= start[:, None]).argmax(axis=1)) % tasks
            turn = chosen + 1
        mine = head[rows, chosen]
        window = padded[rows[:, None], chosen[:, None], mine[:, None] + np.arange(most)]
        size = np.minimum((window <= start[:, None]).sum(axis=1), size_limit[chosen])
        size = np.where(earliest < FAR, size, 0)
        free = np.where(earliest < FAR, start + once[chosen] + each[chosen] * size, free)
        done[rows, chosen, mine] = free
        head[rows, chosen] += size
    found = np.empty_like(times)
    for task, count in enumerate(counts):
        found[group == task] = np.maximum.accumulate(done[:, task, :count], axis=1).ravel()
    return found


def _of(times: Ints, group: Ints, task: int) -> Ints:
    """Items of one task, in order: (patterns, items of the task)."""
    return times[group == task].reshape(times.shape[0], -1)


def _last_of(times: Ints, batch: int) -> Ints:
    """When each batch of exactly b is full; the last one may never be."""
    return _padded(times, -times.shape[1] % batch)[:, batch - 1 :: batch]


def _padded(times: Ints, more: int) -> Ints:
    return np.concatenate((times, np.full((times.shape[0], more), 2 * FAR, dtype=np.int64)), axis=1)
