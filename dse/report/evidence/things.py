"""Figures of a chip, of its boards and of the weights: price, temperature, lifecycle, licence, tool chain, decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from dse.candidates.resources import host_of
from dse.candidates.stage_places import takes_decoder_time
from dse.catalog.evidence import parse, source_of
from dse.catalog.places import file_of, nearest
from dse.catalog.types import Board, Chip, Mode
from dse.report.detail import NOT_STATED, grade_of
from dse.report.evidence.record import RULE, Evidence, Trace, Value, joined, weakest
from dse.report.parts import stages_here

Words = Callable[[Mapping[str, Any]], str]
QUOTE, QUOTED = "quote", "quotation "
"""The kind of a quoted price, and how its source begins."""
"""How the source of a price begins that a supplier quoted."""


def kind_of(source: str | None) -> str:
    """What a source says of a figure: read, derived, recalled or quote; ``stated`` where there is none."""
    if not source:
        return "stated"
    said = parse(source)
    if said is not None:
        return said.confidence
    return QUOTE if source.startswith(QUOTED) else "recalled" if "recalled" in source else "read"


def thing_figure(
    trace: Trace, thing: Chip | Board, path: str, value: Value, unit: str | None, grade: str | None = None
) -> Evidence:
    """A figure of a chip or board file; graded by its source unless `grade` says otherwise."""
    source = source_of(path, thing.sources)
    return _of_thing(trace, thing, path, nearest(path, thing.places), source, value, unit, grade or grade_of(source))


def mode_figure(trace: Trace, mode: Mode, name: str, value: float, unit: str, grade: str | None = None) -> Evidence:
    """A figure of a power mode of the chip; a mode states its source itself."""
    chip, path, source = trace.thing(""), f"modes.{mode.id}.{name}", mode.source or None
    place = nearest(path, chip.places)
    return _of_thing(trace, chip, path, place, source, value, unit, grade or grade_of(source))


def _of_thing(
    trace: Trace,
    thing: Chip | Board,
    path: str,
    place: int,
    source: str | None,
    value: Value,
    unit: str | None,
    grade: str | None,
) -> Evidence:
    return trace.put(
        Evidence(
            id=trace.id_of(place, f"{thing.id}.{path}") if place else f"{thing.file}#{thing.id}.{path}",
            figure=path,
            of=thing.name,
            value=value,
            unit=unit,
            grade=grade,
            kind=kind_of(source),
            place=trace.catalog.place(place) or thing.file,
            source=source or NOT_STATED,
        )
    )


def price(trace: Trace) -> Evidence:
    """Price of one system: of the chip or board, of the board it is plugged into, of the host the problem states."""
    things = trace.taken("price")
    parts = [_list_price(trace, thing) for thing in things]
    host = trace.context.problem.host
    own = trace.chip.latest_price.usd if trace.chip.latest_price is not None else np.nan
    if trace.chip.needs_host and host is not None and host.price_usd is not None:
        parts.append(trace.stated(("host", "price_usd"), "the host", host.price_usd, "USD"))
    total = round(own + host_of(trace.chip, host).price_usd, 6)
    return trace.sum_of("price_usd", parts, total, "USD", weakest(part.grade for part in parts))


def _list_price(trace: Trace, thing: Chip | Board) -> Evidence:
    """The newest price of a thing; a quoted one stands in no catalogue file, and says itself where it does."""
    found = thing.latest_price
    assert found is not None
    source = found.source or source_of("prices", thing.sources)
    # Of the prices its file lists, a thing that is bought keeps the one that counts.
    of = trace.context.listed.boards if isinstance(thing, Board) else trace.context.listed.chips
    stated = enumerate(of[thing.id].prices)
    number = next((k for k, one in stated if found.place and (one, one.place) == (found, found.place)), None)
    if number is not None:
        path = f"prices.{number}.usd"
        return _of_thing(trace, thing, path, found.place, source, found.usd, "USD", grade_of(source))
    return trace.put(
        Evidence(
            id=f"{source}#{thing.id}.price_usd",
            figure="price_usd",
            of=thing.name,
            value=found.usd,
            unit="USD",
            grade="A" if kind_of(source) == QUOTE else grade_of(source),
            kind=kind_of(source),
            place=source or thing.file,
            source=source or NOT_STATED,
        )
    )


def temperature(trace: Trace) -> Evidence | None:
    """Range of operation, of all the parts that must stand it."""
    units = {"min_c": "°C", "max_c": "°C", "at": None}
    return _shared(trace, "temperature", units, _range_words)


def lifecycle(trace: Trace) -> Evidence | None:
    """How long the parts can be bought."""
    return _shared(trace, "lifecycle", dict.fromkeys(("status", "until", "last_buy", "as_of")), _life_words)


def _shared(trace: Trace, name: str, units: Mapping[str, str | None], words: Words) -> Evidence | None:
    """A group of figures of the design in words: that of the only thing it is of, or what several make of it."""
    text = words(asdict(getattr(trace.chip, name)))
    if not text:
        return None
    parts = [part for thing in trace.taken(name) for part in _group(trace, thing, name, units, words)]
    if len(parts) == 1:
        return parts[0]
    return trace.put(
        Evidence(
            id=f"derived:{name}({' + '.join(part.id for part in parts)})",
            figure=name,
            of=trace.chip.name,
            value=text,
            unit=None,
            grade=weakest(part.grade for part in parts),
            kind="derived",
            place=RULE,
            source=joined(part.source for part in parts),
            basis="what all parts bear",
            rests_on=tuple(part.id for part in parts),
        )
    )


def _group(
    trace: Trace, thing: Chip | Board, name: str, units: Mapping[str, str | None], words: Words
) -> list[Evidence]:
    """One record for a group that stands in one file and has one source, else one for each of its figures."""
    figures = {key: value for key, value in asdict(getattr(thing, name)).items() if value is not None}
    files = {file_of(nearest(f"{name}.{key}", thing.places)) for key in figures}
    sources = {source_of(f"{name}.{key}", thing.sources) for key in figures if key != "at"}
    if len(files) > 1 or len(sources) > 1:
        return [thing_figure(trace, thing, f"{name}.{key}", value, units[key]) for key, value in figures.items()]
    source = next(iter(sources), None)
    return [_of_thing(trace, thing, name, nearest(name, thing.places), source, words(figures), None, grade_of(source))]


def _range_words(figures: Mapping[str, Any]) -> str:
    low, high, at = (figures.get(name) for name in ("min_c", "max_c", "at"))
    if low is None and high is None:
        return ""
    ends = (f"{'?' if end is None else format(end, 'g')}" for end in (low, high))
    return f"{' to '.join(ends)} °C{f', {at}' if at else ''}"


def _life_words(figures: Mapping[str, Any]) -> str:
    parts = (("", "status"), ("until ", "until"), ("last buy ", "last_buy"), ("as of ", "as_of"))
    if not any(figures.get(name) for name in ("status", "until", "last_buy")):
        return ""
    return ", ".join(f"{word}{figures[name]}" for word, name in parts if figures.get(name))


def toolchain(trace: Trace) -> Evidence | None:
    """Tool chain of the chip, in the words of its file: a name, not a figure that has a grade."""
    chip = trace.thing("")
    if not isinstance(chip, Chip) or chip.toolchain is None:
        return None
    place = nearest("toolchain", chip.places)
    return _of_thing(trace, chip, "toolchain", place, None, chip.toolchain, None, None)


def video_decoder(trace: Trace) -> Evidence | None:
    """Streams the video decoder takes, where the time of a stage follows from them."""
    streams = trace.chip.decode_streams_1080p30
    if streams is None or not any(takes_decoder_time(stage) for stage in stages_here(trace.context, trace.run)):
        return None
    (thing,) = trace.taken("video_decode")
    return thing_figure(trace, thing, "video_decode.streams_1080p30", streams, "streams of 1920 x 1080 at 30 Hz")


def license_of(trace: Trace) -> Evidence | None:
    """Licence of the weights, from the line of ``facts.csv`` that says so, or from the row of the weights."""
    e = trace.catalog.entries
    place = int(e.license_place[trace.entry])
    if not e.license[trace.entry]:
        return None
    of_row = place == int(e.place[trace.entry])
    first = int(np.flatnonzero(e.license_place == place)[0])
    source = str(e.source[first] if of_row else e.license_source[first]) or None
    return trace.put(
        Evidence(
            id=f"{trace.id_of(place)}#license",
            figure="license",
            of=trace.entry_name(first) if of_row else "all weights the line speaks of",
            value=str(e.license[first]),
            unit=None,
            grade=("B" if source else "E") if of_row else grade_of(source),
            kind=("read" if source else "stated") if of_row else kind_of(source),
            place=trace.catalog.place(place),
            source=source or NOT_STATED,
        )
    )
