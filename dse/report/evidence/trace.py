"""Everything a design rests on, by figure; and the plain objects that reports are written from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from dse.candidates.context import Context
from dse.candidates.table import Candidates
from dse.report.evidence.accuracies import accuracy
from dse.report.evidence.needs import energy, memory, power
from dse.report.evidence.record import Evidence, Trace
from dse.report.evidence.things import license_of, lifecycle, price, temperature, toolchain, video_decoder
from dse.report.evidence.times import latency, service
from dse.schema import UNKNOWN

JsonObject = dict[str, Any]


def evidence_of(context: Context, candidates: Candidates, row: int) -> dict[str, Evidence]:
    """What every known figure of one design rests on.

    Returns
    -------
    dict of str to Evidence
        By figure: ``accuracy``, ``latency`` (the time of the network), ``service`` (its worst one), ``guard``, ``tail``
        and ``stall`` where they are at work, ``power``, ``own_power`` (without host and reserve), ``energy``,
        ``memory``, ``price``, ``temperature``, ``lifecycle``, ``license``, ``toolchain``, ``video_decoder``; what is
        not known is left out. What these rest on besides stands by its id, so that every id of ``rests_on`` is there.
    """
    trace = Trace(context, candidates, row)
    figures: dict[str, Evidence | None] = {"latency": latency(trace)}
    figures |= service(trace, trace.found[figures["latency"].id])  # type: ignore[union-attr]
    alone, whole = power(trace)
    figures |= {
        "accuracy": accuracy(trace) if candidates.accuracy[row] != UNKNOWN else None,
        "own_power": alone,
        "power": whole,
        "energy": energy(trace, alone, figures.get("service")),
        "memory": memory(trace) if candidates.memory_mb[row] != UNKNOWN else None,
        "price": price(trace) if candidates.price_usd[row] != UNKNOWN else None,
        "temperature": temperature(trace),
        "lifecycle": lifecycle(trace),
        "license": license_of(trace),
        "toolchain": toolchain(trace),
        "video_decoder": video_decoder(trace),
    }
    named = {figure: found for figure, found in figures.items() if found is not None}
    shown = {found.id for found in named.values()}
    return named | {name: found for name, found in trace.found.items() if name not in shown}


def evidence_object(designs: Iterable[Mapping[str, Evidence]]) -> tuple[JsonObject, list[dict[str, str]]]:
    """Evidence of several designs as plain data: one object of all records by id, and per design figure to id.

    Two problems may mean different things by one id, such as files of one name in two folders: of records that differ,
    the later one takes a number behind its id.
    """
    kept: dict[str, Evidence] = {}
    rows = []
    for design in designs:
        names = _kept_names(design, kept)
        rows.append({figure: names[found.id] for figure, found in design.items() if figure != found.id})
    return {name: found.plain() for name, found in kept.items()}, rows


def _kept_names(design: Mapping[str, Evidence], kept: dict[str, Evidence]) -> dict[str, str]:
    """Adds the records of a design to those that are kept; the ids they go by there."""
    by_id = {found.id: found for found in design.values()}
    names: dict[str, str] = {}

    def name_of(one: str) -> str:
        if one not in names:
            found = by_id[one]
            found = replace(found, rests_on=tuple(name_of(part) for part in found.rests_on))
            name, number = one, 1
            while kept.setdefault(name, replace(found, id=name)) != replace(found, id=name):
                number += 1
                name = f"{one} ({number})"
            names[one] = name
        return names[one]

    for one in by_id:
        name_of(one)
    return names
