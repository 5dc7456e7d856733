"""How much more each resource of a chosen design can take: the growth with which its load reaches the cap."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dse.problem.fields import exact
from dse.problem.spec import Problem

JsonObject = dict[str, Any]
PPM = 1_000_000


def saturates(problem: Problem, loads: Sequence[JsonObject]) -> list[JsonObject]:
    """Every resource with the growth that fills it, first to fill up first.

    Load is in proportion to the streams as long as batches stay as large as they are: all sources are thought to grow
    alike, and nothing else of the design changes. It speaks of load alone: a deadline may be missed before.

    Parameters
    ----------
    problem : Problem
        Gives the cap, ``limits.utilization`` (1 without a limit), and the streams of today.
    loads : sequence of dict
        ``resource``, ``stage``, and ``utilization`` as a share of one in whole millionths, rounded up.

    Returns
    -------
    list of dict
        ``resource``, ``stage``; ``factor`` by which the streams may grow until the load is at the cap; ``streams``,
        the fewest whole streams with which it is there, None where the tasks have sources of their own. Equally
        loaded ones stay in their order, and what has no load is left out.
    """
    cap, streams = _cap(problem), _streams(problem)
    found = []
    for load in loads:
        share = Fraction(round(load["utilization"] * PPM), PPM)
        if share:
            growth = cap / share
            whole = None if streams is None else -int(-growth * streams // 1)
            found.append((growth, {"resource": load["resource"], "stage": load["stage"], "streams": whole}))
    found.sort(key=lambda one: one[0])
    return [{**one, "factor": float(growth)} for growth, one in found]


def saturation_line(data: JsonObject) -> list[str]:
    """``saturates first: decode on video-decoder, at 30 streams``, of an answer; nothing where nothing is loaded."""
    if not data["bottleneck"]["saturates"]:
        return []
    first = data["bottleneck"]["saturates"][0]
    streams, factor = first["streams"], first["factor"]
    where = f"at {factor:.3g} times the streams" if streams is None else f"at {counted_streams(streams)}"
    gathers = any(one["batch"] > 1 and one["policy"] != "count" for one in data["assignments"])
    batches = " if batches get no larger" if gathers else ""
    return [f"saturates first: {first['stage']} on {first['resource']}, {where}{batches}"]


def counted_streams(streams: int) -> str:
    """``1 stream``, ``30 streams``."""
    return f"{streams:,} stream{'' if streams == 1 else 's'}"


def _cap(problem: Problem) -> Fraction:
    """Largest load that the limits allow."""
    limit = problem.limits.get("utilization")
    return Fraction(1) if limit is None or limit.maximum is None else min(Fraction(1), Fraction(exact(limit.maximum)))


def _streams(problem: Problem) -> int | None:
    """Streams of the source that feeds every task; None where there are several."""
    sources = {source.name: source.streams for task in problem.tasks for source in [problem.source_of(task)]}
    return next(iter(sources.values())) if len(sources) == 1 else None
