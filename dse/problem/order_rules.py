"""Rules on tasks that follow each other: what waits for what, and the chains through them; none needs a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dse.problem.raw import Finding, mappings, texts
from dse.problem.vocabulary import Vocabulary
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

Findings = Iterator[Finding]
Rate = tuple[str, int]
"""Where frames come from, in words, and one in how many of them a task takes."""


class _Order:
    """The named tasks of a file and what each waits for."""

    def __init__(self, data: Raw) -> None:
        named = [(path, task) for path, task in mappings(data, "tasks") if isinstance(task.get("name"), str)]
        self.place: dict[str, Path] = {str(task["name"]): path for path, task in named}
        self._own = {str(task["name"]): task for _path, task in named}
        self.before = {name: [text for _p, text in texts(data, *path, "after")] for name, path in self.place.items()}

    def ahead(self, name: str) -> set[str]:
        """All that a task waits for, through others too; itself among them in a circle."""
        seen: set[str] = set()
        todo = list(self.before.get(name, ()))
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo += self.before.get(current, ())
        return seen

    def rate(self, name: str) -> Rate:
        """Frames a task takes; of a task that waits for several, those of the first. There must be no circle."""
        every, source = self._own[name].get("every_nth", 1), self._own[name].get("source")
        nth = every if isinstance(every, int) else 1
        parents = [parent for parent in self.before[name] if parent in self.place]
        if parents:
            origin, of_parent = self.rate(parents[0])
            return origin, of_parent * nth
        return (f"source `{source}`" if isinstance(source, str) else f"the streams of `{name}`"), nth


def no_circle(data: Raw, _: Vocabulary) -> Findings:
    """No task waits, through others, for itself."""
    order = _Order(data)
    for name, path in order.place.items():
        if name in order.ahead(name):
            yield Finding((*path, "after"), f"`{name}` waits for itself", "break the circle")


def join_at_one_rate(data: Raw, _: Vocabulary) -> Findings:
    """A task that waits for several others has one frame to wait for: they read one source, equally often."""
    order = _Order(data)
    for name, path in order.place.items():
        before = [parent for parent in order.before[name] if parent in order.place]
        if len(before) < 2 or any(one in order.ahead(one) for one in {name} | order.ahead(name)):
            continue
        rates = {parent: order.rate(parent) for parent in before}
        other = next((parent for parent in before if rates[parent] != rates[before[0]]), None)
        if other is None:
            continue
        told = " and ".join(
            f"`{one}` takes one frame in {rates[one][1]} of {rates[one][0]}" for one in (before[0], other)
        )
        hint = "a task can wait only for tasks that handle the same frames"
        yield Finding((*path, "after"), f"no frame passes all that `{name}` waits for: {told}", hint)


def chain_names_once(data: Raw, _: Vocabulary) -> Findings:
    """A chain passes each task once."""
    for path, _chain in mappings(data, "chains"):
        seen: set[str] = set()
        for place, name in texts(data, *path, "tasks"):
            if name in seen:
                yield Finding(place, f"`{name}` is in this chain already", "name each task once")
            seen.add(name)


def chain_in_order(data: Raw, _: Vocabulary) -> Findings:
    """Each task of a chain is released, directly or through others, by the one before it."""
    order = _Order(data)
    for path, _chain in mappings(data, "chains"):
        listed = [(place, name) for place, name in texts(data, *path, "tasks") if name in order.place]
        for (_p, first), (place, then) in pairwise(listed):
            if first == then or first in order.ahead(then):
                continue
            waits = ", ".join(order.before[then])
            hint = f"`{then}` waits for {waits}" if waits else f"give `{then}` the field `after: {first}`"
            if then in order.ahead(first):
                hint = f"`{first}` waits for `{then}`: turn them round"
            yield Finding(place, f"`{then}` does not follow `{first}`", hint)


RULES = (no_circle, join_at_one_rate, chain_names_once, chain_in_order)
