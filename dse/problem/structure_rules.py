"""Rules on how the fields of a problem fit together; none of them needs a catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from dse.patterns import name_hint, normalise
from dse.problem.raw import Finding, entries, get, is_number, mappings, stage_lists, texts, walk
from dse.problem.stage import CHIP_RESOURCES, INFER
from dse.problem.vocabulary import Vocabulary
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path, where

Findings = Iterator[Finding]
RATE_FIELDS = ("streams", "rate_hz", "period_ms", "jitter_ms", "phase", "may_stop")
TIME_FIELDS = ("time_ms", "ms_per_mpx", "delay_ms", "mbytes")


def no_empty_value(data: Raw, _: Vocabulary) -> Findings:
    """A key without a value is a slip, not a wish for the default."""
    for path, value in walk(data):
        if value is None and path:
            yield Finding(path, "has no value", "give one, or remove the line to use the default")


def one_rate(data: Raw, _: Vocabulary) -> Findings:
    """A source, and a task that has none, states its rate once."""
    for group in ("sources", "tasks"):
        for path, item in mappings(data, group):
            borrowed = next((key for key in ("source", "after") if group == "tasks" and key in item), None)
            given = [key for key in ("rate_hz", "period_ms") if key in item]
            if borrowed:
                for key in RATE_FIELDS:
                    if key in item:
                        yield Finding((*path, key), f"comes from `{borrowed}` already", "keep one of the two")
            elif len(given) == 2:
                yield Finding((*path, "period_ms"), "the rate is stated twice", "keep one of rate_hz and period_ms")
            elif not given:
                words = "a source or " if group == "tasks" else ""
                hint = f"give {words}rate_hz (per second) or period_ms"
                yield Finding(path, "rate_hz is missing", hint)


def one_origin(data: Raw, _: Vocabulary) -> Findings:
    """A task reads a source or follows other tasks."""
    for path, task in mappings(data, "tasks"):
        if "source" in task and "after" in task:
            yield Finding((*path, "after"), "a task has either a source or `after`", "keep one of the two")


def deadline_stated(data: Raw, _: Vocabulary) -> Findings:
    """Every task outside a chain says by when it must be done."""
    chained = {name for path, _chain in mappings(data, "chains") for _p, name in texts(data, *path, "tasks")}
    for path, task in mappings(data, "tasks"):
        name = task.get("name")
        if "deadline_ms" not in task and not (isinstance(name, str) and name in chained):
            yield Finding(path, "deadline_ms is missing", "give it in ms, or `deadline_ms: none` for work without one")


def unique_names(data: Raw, _: Vocabulary) -> Findings:
    """Tasks, sources, chains, and the stages of one path have names of their own."""
    groups = [("a task", mappings(data, "tasks")), ("a source", mappings(data, "sources"))]
    groups.append(("a chain", mappings(data, "chains")))
    groups += [("a stage", iter(stages)) for _, stages in stage_lists(data)]
    for kind, items in groups:
        seen: dict[str, Path] = {}
        for path, item in items:
            name = item.get("name")
            if not isinstance(name, str):
                continue
            if name in seen:
                yield Finding((*path, "name"), f"`{name}` is the name of {kind} already: {where(seen[name])}")
            seen.setdefault(name, path)


def references_exist(data: Raw, _: Vocabulary) -> Findings:
    """Names of sources and tasks lead to something in the file."""
    names = {
        group: {item["name"] for _p, item in mappings(data, group) if isinstance(item.get("name"), str)}
        for group in ("sources", "tasks")
    }
    uses = [("source", "sources", *use) for path, _t in mappings(data, "tasks") for use in texts(data, *path, "source")]
    uses += [("task", "tasks", *use) for path, _t in mappings(data, "tasks") for use in texts(data, *path, "after")]
    uses += [("task", "tasks", *use) for path, _c in mappings(data, "chains") for use in texts(data, *path, "tasks")]
    uses += [("task", "tasks", *use) for use in texts(data, "baseline", "task")]
    for kind, group, path, name in uses:
        if name not in names[group]:
            hint = name_hint(name, names[group]) or f"this file has no {group}"
            yield Finding(path, f"there is no {kind} `{name}` in this file", hint)


def overhead_or_stages(data: Raw, _: Vocabulary) -> Findings:
    """What surrounds the network is one number or a list of steps."""
    for path, task in mappings(data, "tasks"):
        if "overhead_ms" in task and "stages" in task:
            yield Finding((*path, "overhead_ms"), "overhead_ms and stages say the same thing", "keep one of the two")


def one_network(data: Raw, _: Vocabulary) -> Findings:
    """The path of a task has the network in it once; that of a source never."""
    for (path, _owner), stages in stage_lists(data):
        found = [place for place, stage in stages if stage.get("name") == INFER]
        if path[0] == "sources":
            for place in found:
                yield Finding(place, "a source runs no network", f"move `{INFER}` to the stages of a task")
        elif not found:
            hint = f"add {{name: {INFER}}} where the network runs"
            yield Finding((*path, "stages"), f"the stages lack `{INFER}`, the network itself", hint)


def stage_says_what_it_takes(data: Raw, _: Vocabulary) -> Findings:
    """A stage is a delay, work or a transfer; the network and a decoder take their time from the catalogue."""
    for _owner, stages in stage_lists(data):
        for path, stage in stages:
            given = [key for key in TIME_FIELDS if key in stage]
            if stage.get("name") == INFER:
                for key in (*given, "on", "else", "servers"):
                    if key in stage:
                        hint = "its time comes from catalogue or `known`; extra steps are stages of their own"
                        yield Finding((*path, key), f"`{INFER}` is the network and takes no {key}", hint)
            elif not given and normalise(str(stage.get("on"))) != "video-decoder":
                yield Finding(path, "the stage does not say how long it takes", f"give one of {', '.join(TIME_FIELDS)}")
            elif len(given) > 1 and set(given) != {"time_ms", "ms_per_mpx"}:
                yield Finding((*path, given[1]), f"{given[0]} and {given[1]} exclude each other", "make two stages")
            if "delay_ms" in stage and "on" in stage:
                yield Finding((*path, "on"), "a delay occupies nothing", "use time_ms for work on a resource")
            if "variation_ms" in stage and "delay_ms" not in stage:
                yield Finding((*path, "variation_ms"), "belongs to delay_ms", "time_ms is the worst case already")


def fallback_says_what_it_takes(data: Raw, _: Vocabulary) -> Findings:
    """What a stage does on chips that lack its resource takes a stated time: no catalogue knows it."""
    for _owner, stages in stage_lists(data):
        for path, stage in stages:
            other = stage.get("else")
            if isinstance(other, dict) and not {"time_ms", "ms_per_mpx"} & other.keys():
                yield Finding((*path, "else"), "does not say how long it takes", "give time_ms or ms_per_mpx")


def overlap_has_a_next_stage(data: Raw, _: Vocabulary) -> Findings:
    """A stage hides behind the next one, which must be work; the last of a source hides behind the task's first."""
    for (owner, _item), stages in stage_lists(data):
        following = [*(stage for _path, stage in stages), None][1:]
        for (path, stage), after in zip(stages, following, strict=True):
            share = stage.get("overlap")
            if not is_number(share) or share <= 0 or (after is None and owner[0] == "sources"):
                continue
            if after is None or "delay_ms" in after or "delay_ms" in stage:
                hint = "overlap is the share of a stage's work hidden behind the work of the next one"
                yield Finding((*path, "overlap"), "there is no next stage it could hide behind", hint)


def servers_of_own_resources(data: Raw, _: Vocabulary) -> Findings:
    """How many servers the chip's resources have, the catalogue says; for others, the file says it once."""
    servers: dict[str, tuple[Path, Raw]] = {}
    for _owner, stages in stage_lists(data):
        for path, stage in stages:
            resource = normalise(str(stage.get("on", "cpu")))
            if "servers" not in stage or stage.get("name") == INFER:
                continue
            if resource in CHIP_RESOURCES:
                yield Finding((*path, "servers"), f"how many `{resource}` there are, the chip says", "remove it")
            elif resource in servers and servers[resource][1] != stage["servers"]:
                other = where(servers[resource][0])
                yield Finding((*path, "servers"), f"`{resource}` has another number of servers at {other}")
            servers.setdefault(resource, (path, stage["servers"]))


def count_needs_live_streams(data: Raw, _: Vocabulary) -> Findings:
    """A full batch never comes when a stream may fall silent."""
    for path, task in mappings(data, "tasks"):
        places = [(*path, "search", "batching"), ("search", "batching")]
        place = next((place for place in places if get(data, *place) is not None), None)
        if place is None:
            continue
        place = place if isinstance(get(data, *place), str | list) else (*place, "policy")
        policies = {str(item) for _p, item in entries(data, *place)}
        owner = next((item for _p, item in mappings(data, "sources") if item.get("name") == task.get("source")), task)
        if policies == {"count"} and owner.get("may_stop", True) is True:
            message = f"with count batching alone, `{task.get('name')}` has no bound: a stream may fall silent"
            yield Finding(place, message, "say may_stop: false of the streams, or allow `dynamic`")


def ordered_pairs(data: Raw, _: Vocabulary) -> Findings:
    """The smaller of two numbers comes as the smaller."""
    pairs: list[tuple[Path, str, str]] = [(("search", "devices"), "min", "max")]
    for path, _task in mappings(data, "tasks"):
        pairs.append(((*path, "input"), "min_px", "max_px"))
        pairs.append(((*path, "items_per_frame"), "mean", "max"))
    for path, low, high in pairs:
        defaults = {"min": 1, "max": 1} if path[0] == "search" else {"mean": 1, "max": 1}
        given = get(data, *path)
        if isinstance(given, dict) and (low in given or high in given):
            small, large = given.get(low, defaults.get(low)), given.get(high, defaults.get(high))
            if is_number(small) and is_number(large) and small > large:
                yield Finding((*path, low if low in given else high), f"{low} {small} is more than {high} {large}")


def known_is_complete(data: Raw, _: Vocabulary) -> Findings:
    """A measurement says where it was made, and is one time."""
    for path, entry in mappings(data, "known"):
        if "chip" not in entry and "board" not in entry:
            yield Finding(path, "chip is missing", "give chip or board")
        given = [key for key in ("latency_ms", "period_ms") if key in entry]
        if len(given) != 1:
            found = "both" if given else "neither"
            hint = "latency_ms: one batch from start to end; period_ms: 1000 / pipelined rate"
            yield Finding(path, f"needs one of latency_ms and period_ms, has {found}", hint)


def frame_has_two_sides(data: Raw, _: Vocabulary) -> Findings:
    """Width and height come together."""
    for path, source in mappings(data, "sources"):
        if ("width" in source) != ("height" in source):
            missing = "height" if "width" in source else "width"
            yield Finding(path, f"{missing} is missing", "give width and height, or neither")


RULES = (
    no_empty_value,
    one_rate,
    one_origin,
    deadline_stated,
    unique_names,
    references_exist,
    overhead_or_stages,
    one_network,
    stage_says_what_it_takes,
    fallback_says_what_it_takes,
    overlap_has_a_next_stage,
    servers_of_own_resources,
    count_needs_live_streams,
    ordered_pairs,
    known_is_complete,
    frame_has_two_sides,
)
