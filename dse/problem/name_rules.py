"""Rules on names that must exist in the catalogues."""

from __future__ import annotations

from collections.abc import Iterator

from dse.patterns import is_pattern, matches, name_hint
from dse.problem.raw import Finding, get, mappings, stage_lists, texts
from dse.problem.vocabulary import Ids, Vocabulary
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

Findings = Iterator[Finding]


def known_models(data: Raw, _: Vocabulary) -> Ids:
    """Models the file itself introduces: measured ones that say which model they are like."""
    return frozenset(
        entry["model"]
        for _p, entry in mappings(data, "known")
        if "like" in entry and isinstance(entry.get("model"), str)
    )


def patterns_match(data: Raw, words: Vocabulary) -> Findings:
    """Every pattern matches something, every name in its place exists."""
    models = words.models | words.families | known_models(data, words)
    holders: list[Path] = [("search",)]
    for path, _task in mappings(data, "tasks"):
        holders.append((*path, "search"))
        yield from _selection(data, (*path, "models"), "model", models if words.models else frozenset())
    chips = words.chips | words.chip_families if words.chips else frozenset()
    for path in holders:
        yield from _selection(data, (*path, "chips"), "chip", chips)
        yield from _selection(data, (*path, "boards"), "board", words.boards)
        yield from _selection(data, (*path, "runtimes"), "runtime", words.runtimes)


def stage_times_name_chips(data: Raw, words: Vocabulary) -> Findings:
    """Chips for which a stage gives its own time exist."""
    for _owner, stages in stage_lists(data):
        for path, _stage in stages:
            for holder in ((*path, "time_ms"), (*path, "ms_per_mpx"), (*path, "else", "time_ms")):
                given = get(data, *holder)
                for name in given if isinstance(given, dict) else ():
                    if name != "default":
                        yield from _name((*holder, name), name, "chip", words.chips | words.chip_families)


def catalogue_names_exist(data: Raw, words: Vocabulary) -> Findings:
    """Single names of models, chips, boards, tasks, data sets, metrics and so on exist."""
    introduced = known_models(data, words)
    models = words.models | introduced if words.models else frozenset()
    local = frozenset(task["name"] for _p, task in mappings(data, "tasks") if isinstance(task.get("name"), str))
    kinds: dict[str, tuple[str, Ids]] = {
        "chip": ("chip", words.chips),
        "board": ("board", words.boards),
        "runtime": ("runtime", words.runtimes),
        "model": ("model", models),
        "like": ("model", words.models),
    }
    for path, entry in (*mappings(data, "known"), *mappings(data, "baseline")):
        for key, (kind, known) in kinds.items():
            if not (key == "like" and path[0] == "baseline"):
                yield from _names(data, (*path, key), kind, known)
        if path[0] == "known" and "task" in entry and words.tasks:
            yield from _names(data, (*path, "task"), "task", words.tasks | local)
    for path, _task in mappings(data, "tasks"):
        yield from _names(data, (*path, "task"), "task", words.tasks)
        yield from _names(data, (*path, "dataset"), "data set", words.datasets)
        yield from _names(data, (*path, "metric"), "metric", words.metrics)
    for where in [(*path, "search", "chips", "where") for path, _t in mappings(data, "tasks")] + [
        ("search", "chips", "where")
    ]:
        yield from _names(data, (*where, "vendor"), "vendor", words.vendors)
        yield from _names(data, (*where, "toolchain"), "toolchain", words.toolchains)


def host_is_a_board(data: Raw, words: Vocabulary) -> Findings:
    """A host that is given by name is a board of the catalogue."""
    path: Path = ("host", "board") if isinstance(get(data, "host"), dict) else ("host",)
    for place, name in texts(data, *path):
        if name.casefold() != "none":
            yield from _name(place, name, "board", words.boards)


def _selection(data: Raw, path: Path, kind: str, known: Ids) -> Findings:
    if isinstance(get(data, *path), dict):
        for key in ("include", "exclude"):
            yield from _names(data, (*path, key), kind, known, patterns=True)
    else:
        yield from _names(data, path, kind, known, patterns=True)


def _names(data: Raw, path: Path, kind: str, known: Ids, *, patterns: bool = False) -> Findings:
    for place, name in texts(data, *path):
        if not (patterns and name.casefold() == "all"):
            yield from _name(place, name, kind, known)


def _name(path: Path, name: str, kind: str, known: Ids) -> Findings:
    if not known or any(matches(name, candidate) for candidate in known):
        return
    if is_pattern(name):
        yield Finding(path, f"`{name}` matches no {kind}", f"`dse catalog list {kind.replace(' ', '')}s` shows them")
        return
    yield Finding(path, f"there is no {kind} `{name}`", name_hint(name, known))


RULES = (patterns_match, stage_times_name_chips, catalogue_names_exist, host_is_a_board)
