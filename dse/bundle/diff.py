"""What is different between two bundles, and which difference moved the choice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from dse.bundle.answers import Answering, answer_of
from dse.bundle.cause import Causes, causes
from dse.bundle.extract import FOLDER as CATALOGUE
from dse.bundle.fields import MISSING, Change, field_changes, file_changes
from dse.bundle.figures import entry_changes, evidence_changes, row_changes
from dse.bundle.opened import Bundle, open_bundle
from dse.bundle.resolve import Solved, solved_again
from dse.bundle.standing import Key, field_of, winner_at
from dse.errors import Fault, InputError, ProblemError
from dse.problem.load import problem_of
from dse.yamlfile.reader import read_bytes

JsonObject = dict[str, Any]
Pair = tuple[int, int]


def diff(older: Path, newer: Path, *, solve: bool = True, answering: Answering = answer_of) -> JsonObject:
    """The object that ``dse diff --json`` prints.

    Parameters
    ----------
    older, newer : Path
        Two bundles.
    solve : bool
        Whether the older problem is solved again with one field changed at a time, where the winner is another one
        and the versions are those that are here.
    answering : callable
        What answers.

    Raises
    ------
    InputError
        One of them is no bundle, or was altered.
    """
    old, new = (_sound(open_bundle(file)) for file in (older, newer))
    answers = old.answer(), new.answer()
    pairs = _pairs(old, new)
    changes = _input_changes(old, new, pairs)
    options = _options(old, new)
    try:
        compared = [_compared(old, new, answers, pair) for pair in pairs]
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        message = f"the answers cannot be compared: {type(error).__name__} at {error}"
        raise InputError([Fault(f"{older}, {newer}", 0, 0, "", message, "`dse verify` checks a bundle")]) from None
    moved = [k for k, one in enumerate(compared) if one["moved"]]
    solved: list[Solved] = []
    note = ""
    if moved and solve:
        wanted = {pairs[k][0]: winner_at(answers[1], pairs[k][1]) for k in moved}
        solved, note = solved_again(old, new, [*changes, *options], pairs, wanted, answering)
    for k in moved:
        position = pairs[k][0]
        compared[k]["cause"]["solved"] = [one.data(position) for one in solved]
        compared[k]["cause"]["text"] = _cause_text(compared[k]["cause"], note)
    return {
        "old": Path(old.file).name,
        "new": Path(new.file).name,
        "same": old.content == new.content,
        "inputs": [change.data() for change in changes],
        "options": [change.data() for change in options],
        "versions": [change.data() for change in _versions(old, new)],
        "catalogue": [
            change.data()
            for change in (
                *evidence_changes(*answers),
                *entry_changes(CATALOGUE, dict(old.entries), dict(new.entries)),
            )
        ],
        "comparisons": compared,
    }


def _sound(bundle: Bundle) -> Bundle:
    if bundle.altered:
        hint = "`dse verify` says more"
        raise InputError([Fault(bundle.file, 0, 0, "", f"was altered: {bundle.altered[0]}", hint)])
    return bundle


def _pairs(old: Bundle, new: Bundle) -> list[Pair]:
    """Positions of the problem files that belong together: by their names, else in order."""
    names = [[PurePosixPath(name).name for name in side.inputs.problems] for side in (old, new)]
    if any(len(set(side)) < len(side) for side in names) or not set(names[0]) & set(names[1]):
        return [(k, k) for k in range(min(map(len, names)))]
    return [(k, names[1].index(name)) for k, name in enumerate(names[0]) if name in names[1]]


def _input_changes(old: Bundle, new: Bundle, pairs: Sequence[Pair]) -> list[Change]:
    """Problem by problem, then every other file under the name the newer bundle has for it."""
    found: list[Change] = []
    problems = [side.inputs.problems for side in (old, new)]
    for first, second in pairs:
        names = problems[0][first], problems[1][second]
        contents = old.entries[names[0]], new.entries[names[1]]
        found += field_changes(names[1], *contents)
    paired = [{problems[side][pair[side]] for pair in pairs} for side in (0, 1)]
    renamed = {newer_name(name, pairs): name for name in old.inputs.entries if name not in paired[0]}
    others = [name for name in new.inputs.entries if name not in paired[1]]
    for name in dict.fromkeys([*renamed, *others]):
        before, after = old.entries.get(renamed.get(name, "")), new.entries.get(name) if name in others else None
        if before != after:
            found += file_changes(name, before, after)
    return found


def newer_name(name: str, pairs: Sequence[Pair]) -> str:
    """What the newer bundle would call an input of the older one."""
    parts = name.split("/")
    moved = {str(first + 1): str(second + 1) for first, second in pairs}
    return "/".join(
        [parts[0], moved.get(parts[1], f"old-{parts[1]}" if parts[1] != "catalogs" else parts[1]), *parts[2:]]
    )


def _options(old: Bundle, new: Bundle) -> list[Change]:
    found = []
    if old.request.command != new.request.command:
        found.append(Change("", "command", old.request.command, new.request.command))
    sides = [side.request.data()["options"] for side in (old, new)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        before, after = (side.get(name, MISSING) for side in sides)
        if before != after:
            found.append(Change("", name, before, after))
    return found


def _versions(old: Bundle, new: Bundle) -> list[Change]:
    sides = [{**side.versions, "catalogues": ", ".join(dict.fromkeys(side.catalogue))} for side in (old, new)]
    names = dict.fromkeys([*sides[0], *sides[1]])
    return [
        Change("", name, sides[0].get(name, MISSING), sides[1].get(name, MISSING))
        for name in names
        if sides[0].get(name) != sides[1].get(name)
    ]


def _compared(old: Bundle, new: Bundle, answers: tuple[JsonObject, JsonObject], pair: Pair) -> JsonObject:
    """One problem of both bundles: the winners, the rows, and what the rows tell of the cause."""
    winners = tuple(winner_at(answer, position) for answer, position in zip(answers, pair, strict=True))
    result: JsonObject = {
        "problem": PurePosixPath(new.inputs.problems[pair[1]]).name,
        "winner_old": _words(winners[0]),
        "winner_new": _words(winners[1]),
        "moved": winners[0] != winners[1],
        "appeared": [],
        "vanished": [],
        "standings": [],
        "figures": [],
    }
    tables = all("comparisons" in answer for answer in answers)
    if tables:
        sides = [answer["comparisons"][position] for answer, position in zip(answers, pair, strict=True)]
        result |= row_changes(*sides)
    if result["moved"]:
        found = _causes(old, new, answers, pair, winners) if tables else Causes()
        result["cause"] = {
            "alone": [swap.data() for swap in found.alone],
            "together": [swap.data() for swap in found.together],
            "explained": found.explained,
            "solved": [],
        }
    return result


def _causes(
    old: Bundle, new: Bundle, answers: tuple[JsonObject, JsonObject], pair: Pair, winners: tuple[Key | None, ...]
) -> Causes:
    fields = []
    for bundle, answer, position in zip((old, new), answers, pair, strict=True):
        name = bundle.inputs.problems[position]
        try:
            problem = problem_of(read_bytes(bundle.entries[name], name))
        except ProblemError:  # of a format this dse does not read any more
            return Causes()
        fields.append(field_of(answer["comparisons"][position], problem))
    evidence = answers[1].get("evidence") or {}
    return causes(fields[0], fields[1], winners[0], winners[1], lambda name: _source(evidence.get(name)))


def _source(evidence: JsonObject | None) -> str:
    return "" if evidence is None else str(evidence.get("source") or evidence.get("place") or "")


def _words(key: Key | None) -> str | None:
    return None if key is None else " ".join(key)


def _cause_text(cause: JsonObject, note: str) -> list[str]:
    """The cause in sentences, what was solved again first: it is exact, the rows are not."""
    lines = [f"{one['text']} alone moves it (solved again)" for one in cause["solved"] if one["moves"]]
    lines += [f"{one['text']} alone moves it (judged on the rows)" for one in cause["alone"]]
    if cause["together"]:
        lines.append(f"together these {len(cause['together'])} move it, and none can be left out (judged on the rows):")
        lines += [f"    {one['text']}" for one in cause["together"]]
    if not lines:
        lines.append("no single change moves it, and the rows do not explain it: only solving again tells")
    return [*lines, note] if note else lines
