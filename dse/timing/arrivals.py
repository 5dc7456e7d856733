"""How many items N merged periodic streams can bring into a window, and how close or far apart they are.

The k-th item of a stream is released in [phase + kP, phase + kP + J], phases arbitrary. Items of one stream stay in
order. The period plays two roles: rounded down where items come as fast as possible, up where one waits for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.timing.ticks import MAX_STREAMS, MAX_TICKS, BoolArray, IntArray


@dataclass(frozen=True)
class Arrivals:
    """N identical streams of one task.

    Parameters
    ----------
    streams : int
        N, 1 to MAX_STREAMS.
    period_down, period_up : int
        P [tick], rounded down and up; equal when P lies on the tick grid.
    jitter : int
        J [tick], rounded up: how much later than nominal an item may be released.
    may_stop : bool
        A stream can fall silent; then nobody may rely on further items filling a batch.
    synchronous : bool
        All streams are released together (genlocked) and a counting batcher starts at a frame border.
    """

    streams: int
    period_down: int
    period_up: int
    jitter: int = 0
    may_stop: bool = False
    synchronous: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.streams <= MAX_STREAMS:
            message = f"{self.streams} streams: expected 1 to {MAX_STREAMS}"
            raise ValueError(message)
        if not 1 <= self.period_down <= self.period_up <= MAX_TICKS:
            message = (
                f"period {self.period_down} to {self.period_up} ticks: expected 1 <= period_down <= period_up "
                f"<= {MAX_TICKS}"
            )
            raise ValueError(message)
        if not 0 <= self.jitter <= MAX_TICKS:
            message = f"jitter {self.jitter} ticks: expected 0 to {MAX_TICKS}"
            raise ValueError(message)

    def sustains(self, time_per_item: IntArray) -> BoolArray:
        """Whether a server that needs this long [tick] per item keeps up: N·s <= P.

        Written as s <= floor(P/N), the same for integers, which cannot overflow.
        """
        return time_per_item <= self.period_down // self.streams


def eta_closed(arrivals: Arrivals, window: IntArray | int, more_jitter: IntArray | int = 0) -> IntArray:
    """Most items released in a closed window of this length [tick]; `more_jitter` [tick] adds to J."""
    spread = np.asarray(window, dtype=np.int64) + arrivals.jitter + more_jitter
    return np.asarray(arrivals.streams * (spread // arrivals.period_down + 1))


def eta_half_open(arrivals: Arrivals, window: IntArray | int, more_jitter: IntArray | int = 0) -> IntArray:
    """Most items released in a half-open window of this length [tick].

    In whole ticks a closed window holds what the half-open one a tick longer holds; the bounds use that to treat
    both alike.
    """
    spread = np.asarray(window, dtype=np.int64) + arrivals.jitter + more_jitter
    return np.asarray(arrivals.streams * -(-spread // arrivals.period_down))


def delta_min(arrivals: Arrivals, count: IntArray | int, more_jitter: IntArray | int = 0) -> IntArray:
    """Shortest span [tick] of `count` >= 1 consecutive items: max(0, (ceil(n/N) - 1)·P - J)."""
    frames = -(-np.asarray(count, dtype=np.int64) // arrivals.streams)
    return np.asarray(np.maximum(0, (frames - 1) * arrivals.period_down - arrivals.jitter - more_jitter))


def delta_max(arrivals: Arrivals, count: IntArray | int, more_jitter: IntArray | int = 0) -> IntArray:
    """Longest span [tick] of `count` consecutive items, all streams alive: ceil((n-1)/N)·P + J, 0 for one item."""
    items = np.asarray(count, dtype=np.int64)
    frames = -(-(items - 1) // arrivals.streams)
    return np.where(items > 1, frames * arrivals.period_up + arrivals.jitter + more_jitter, 0)


def eta_behind_queue(arrivals: Arrivals, spread: IntArray, slowest: IntArray) -> IntArray:
    """Most items that leave a line of item stages in a half-open window, queueing in the line included.

    Parameters
    ----------
    spread : (n,)
        Length of the window, plus all jitter, plus the service of the whole line [tick].
    slowest : (n,)
        Longest item time in the line [tick], at most P/N; 0 where there is no line.

    Returns
    -------
    (n,)
        max over m >= 0 of N·ceil((spread + m·slowest)/P) - m.

    Notes
    -----
    Let i be the first item to leave in the window. It was held up by some item j = i - m released at most
    (service of the line) + m·slowest before the window; all items from j on were released in the longer window, and m
    of them left before. m = 0 alone is not enough: items of one frame queue and come out late, those of the next find
    short services and come out early. This is the output bound of network calculus (Le Boudec and Thiran 2001, ch. 1).
    As N·slowest <= P, each further frame costs at least the N items it brings: only the first one counts.
    """
    period = arrivals.period_down
    frames = -(-spread // period)
    needed = (frames * period - spread) // np.maximum(slowest, 1) + 1
    late = np.where(slowest > 0, np.maximum(arrivals.streams - needed, 0), 0)
    return np.asarray(arrivals.streams * frames + late)
