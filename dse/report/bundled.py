"""What a check of a bundle found, and what two bundles differ in, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

JsonObject = dict[str, Any]
MARKS = {True: ("ok", "green"), False: ("no", "bold red"), None: ("--", "yellow")}
OUTCOMES = {
    "same": ("the same to the last byte", "bold green"),
    "altered": ("altered: it is not what dse would write", "bold red"),
    "other version": ("unaltered, but made by another version: it cannot be proven here", "bold yellow"),
}
SHOWN = 12
"""Lines of each kind that are printed; `--json` has them all."""


def show_verified(data: JsonObject, console: Console) -> None:
    """Print what was checked of a bundle, and what came of it."""
    words, style = OUTCOMES[data["outcome"]]
    console.print(Text.assemble((data["file"], "bold"), ": ", (words, style)))
    for check in data["checks"]:
        mark, style = MARKS[check["passed"]]
        console.print(Text.assemble(f"{mark} ", (f"{check['name']}: ", style), check["text"]))
    _listed(data["differences"], console)
    console.print(Text(f"SHA-256 of the file: {data['sha256']}", style="dim"))


def show_diff(data: JsonObject, console: Console) -> None:
    """Print what two bundles differ in: the winners first, then why, then everything else."""
    console.print(Text(f"{data['old']} → {data['new']}", style="bold"))
    if data["same"]:
        console.print("the same file: nothing moved")
        return
    for one in data["comparisons"]:
        for text, style in _winner_lines(one):
            console.print(Text(text, style=style))
    for title, name in (
        ("inputs", "inputs"),
        ("options", "options"),
        ("versions", "versions"),
        ("catalogue", "catalogue"),
    ):
        if data[name]:
            console.print(Text(f"{title}:", style="bold"))
            _listed([_change(change) for change in data[name]], console)
    for one in data["comparisons"]:
        _show_rows(one, console)


def _winner_lines(one: JsonObject) -> Iterator[tuple[str, str]]:
    old, new = (one[name] or "no design" for name in ("winner_old", "winner_new"))
    if not one["moved"]:
        yield f"{one['problem']}: nothing moved, {new} as before", "bold green"
        return
    yield f"{one['problem']}: {old} → {new}", "bold yellow"
    for line in one["cause"]["text"]:
        yield f"  {line}", ""
    for tried in one["cause"]["solved"]:
        if not tried["moves"]:
            said = tried["error"] or f"{tried['winner'] or 'no design'} would win"
            yield f"  {tried['text']} alone does not: {said}", "dim"


def _show_rows(one: JsonObject, console: Console) -> None:
    lines = [f"new: {name}" for name in one["appeared"]] + [f"gone: {name}" for name in one["vanished"]]
    lines += [change["text"] for change in one["standings"]]
    if lines:
        console.print(Text(f"rows of {one['problem']}:", style="bold"))
        _listed(lines, console)
    # The winners and those that do otherwise than before are what a reader asks about.
    named = {one["winner_old"], one["winner_new"], *(change["row"] for change in one["standings"])}
    figures = [change for change in one["figures"] if change["row"] in named]
    if figures:
        title = f"figures of {one['problem']} ({len(one['figures'])} in all):"
        console.print(Text(title, style="bold"))
        _listed([_figure(change) for change in figures], console)


def _figure(change: JsonObject) -> str:
    ids = [name for name in dict.fromkeys(change["evidence"]) if name]
    old, new = ("unknown" if change[name] is None else change[name] for name in ("old", "new"))
    return f"{change['figure']} of {change['row']}: {old} → {new}" + (f" ({', '.join(ids)})" if ids else "")


def _change(change: JsonObject) -> str:
    return f"{change['file']}: {change['text']}" if change["file"] else str(change["text"])


def _listed(lines: Sequence[str], console: Console) -> None:
    for line in lines[:SHOWN]:
        console.print(Text(f"  {line}"))
    if len(lines) > SHOWN:
        console.print(Text(f"  … and {len(lines) - SHOWN} more (--json)", style="dim"))
