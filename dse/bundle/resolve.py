"""The older problem solved again with one difference at a time: whether that alone moves the winner."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dse.bundle.answers import Answering, Asked, questions_of
from dse.bundle.fields import MISSING, Change, with_value
from dse.bundle.inputs import Inputs, unpack
from dse.bundle.opened import Bundle
from dse.bundle.request import Request
from dse.bundle.standing import Key, winner_at
from dse.bundle.verify import other_versions
from dse.errors import InputError
from dse.problem.load import with_data

JsonObject = dict[str, Any]
MOST = 12
"""Changes that are tried; each takes as long as the comparison did."""
Trial = Callable[[Answering], JsonObject]


@dataclass(frozen=True)
class Solved:
    """What came of one change alone.

    Parameters
    ----------
    text : str
        The change in words.
    winners : mapping
        Winner by position of the problem in the older bundle; empty where there is no answer.
    wanted : mapping
        The newer bundle's winner, for each of these positions that is looked at.
    error : str
        Why there is no answer.
    """

    text: str
    winners: Mapping[int, Key | None]
    wanted: Mapping[int, Key | None]
    error: str = ""

    def data(self, position: int) -> JsonObject:
        """The outcome for one problem as JSON."""
        winner = self.winners.get(position)
        moves = position in self.winners and winner == self.wanted[position]
        words = None if winner is None else " ".join(winner)
        return {"text": self.text, "winner": words, "moves": moves, "error": self.error or None}


def solved_again(
    old: Bundle,
    new: Bundle,
    changes: Sequence[Change],
    pairs: Sequence[tuple[int, int]],
    wanted: Mapping[int, Key | None],
    answering: Answering,
) -> tuple[list[Solved], str]:
    """Solve the older problem with each change alone; and a remark on what was not tried, or why nothing was.

    Parameters
    ----------
    old, new : Bundle
        Sound bundles.
    changes : sequence of Change
        Differences of their inputs and options.
    pairs : sequence of (int, int)
        Positions of problem files that belong together.
    wanted : mapping
        The newer winner, by position of the problem in the older bundle.
    answering : callable
        What answers.
    """
    other = [*other_versions(old), *other_versions(new)]
    if other:
        return [], f"nothing was solved again: {other[0]}"
    trials = list(_trials(old, new, changes, pairs))
    found = [_tried(text, trial, wanted, answering) for text, trial in trials[:MOST]]
    left = len(trials) - MOST
    return found, f"{left} more changes of the inputs were not solved again" if left > 0 else ""


def _tried(text: str, trial: Trial, wanted: Mapping[int, Key | None], answering: Answering) -> Solved:
    try:
        answer = trial(answering)
    except InputError as error:
        fault = error.faults[0]
        return Solved(text, {}, wanted, f"no answer with it alone: {fault.where} {fault.message}".strip())
    return Solved(text, {position: winner_at(answer, position) for position in wanted}, wanted)


def _trials(
    old: Bundle, new: Bundle, changes: Sequence[Change], pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, Trial]]:
    positions = {new.inputs.problems[second]: first for first, second in pairs}
    for name in dict.fromkeys(change.file for change in changes if change.file not in positions):
        if name:
            yield f"{name} as it is now", _file_trial(old, new, name, pairs)
    for change in changes:
        if not change.file and change.name != "command" and MISSING not in (change.old, change.new):
            yield change.text, _option_trial(old, change)
        elif change.file in positions and change.place and change.place[0] not in ("catalogs", "name"):
            yield change.text, _field_trial(old, change, positions[change.file])


def _field_trial(old: Bundle, change: Change, position: int) -> Trial:
    def answer(answering: Answering) -> JsonObject:
        with tempfile.TemporaryDirectory(prefix="dse-bundle-") as folder:
            questions = questions_of(*unpack(old.inputs, Path(folder).resolve()))
            document = questions[position].document
            data = with_value(document.data, change.place, change.new)
            questions[position] = Asked(with_data(document, data), questions[position].roots)
            return answering(questions, old.request, 1)

    return answer


def _option_trial(old: Bundle, change: Change) -> Trial:
    request = Request(old.request.command, {**old.request.options, change.name: change.new})
    return lambda answering: _answer(old.inputs, request, answering)


def _file_trial(old: Bundle, new: Bundle, name: str, pairs: Sequence[tuple[int, int]]) -> Trial:
    """One file of the newer bundle, or none, in the place the older one has for it."""
    first, number, *rest = name.split("/")
    back = {str(second + 1): str(first + 1) for first, second in pairs}
    here = "/".join([first, back.get(number, number), *rest])
    entries = {key: content for key, content in old.inputs.entries.items() if key != here}
    if name in new.inputs.entries:
        entries[here] = new.inputs.entries[name]
    return lambda answering: _answer(replace(old.inputs, entries=entries), old.request, answering)


def _answer(inputs: Inputs, request: Request, answering: Answering) -> JsonObject:
    with tempfile.TemporaryDirectory(prefix="dse-bundle-") as folder:
        return answering(questions_of(*unpack(inputs, Path(folder).resolve())), request, 1)
