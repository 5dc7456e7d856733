"""What the commands share: exit codes, options, and how they write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

EXIT_INTERNAL, EXIT_INPUT, EXIT_INFEASIBLE, EXIT_STOPPED = 1, 2, 3, 4
EXIT_OF_STATUS = {"optimal": 0, "feasible": 0, "infeasible": EXIT_INFEASIBLE, "unknown": EXIT_STOPPED}

ProblemFile = Annotated[
    Path, typer.Argument(help="Problem file (YAML); write one with `dse init`.", show_default=False)
]
CatalogDirs = Annotated[
    list[Path] | None,
    typer.Option("--catalog", help="Folder with catalogue files of your own; may be repeated.", show_default=False),
]
SolverThreads = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=256, help="Solver threads; default: all cores.", show_default=False),
]
SolverSeed = Annotated[int, typer.Option("--seed", min=0, max=2**31 - 1, help="Solver seed.")]
ExcelFlag = Annotated[bool, typer.Option("--excel", help="Begin CSV files with a byte order mark.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def roots(catalogs: list[Path] | None) -> tuple[Path, ...]:
    """The catalogue folders of the command line."""
    return tuple(catalogs or ())


def console() -> Console:
    """Where answers go."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def show_rows(rows: Sequence[Sequence[object]]) -> None:
    """A header and rows: a table in a terminal, tab-separated and uncut elsewhere."""
    from dse.report.rows import show_rows as show

    show(rows, console())


def remark(text: str) -> None:
    """A remark on stderr, so that stdout stays data."""
    typer.echo(text, err=True)


def refuse_overwriting(outputs: Iterable[tuple[str, Path | None]], inputs: Mapping[str, Path]) -> None:
    """Refuse to write over what is read.

    Parameters
    ----------
    outputs : pairs
        Options and the files they write, of which one option may have several; None is none.
    inputs : mapping
        Files to read, by what they are: ``the problem file``.

    Raises
    ------
    InputError
        Every output that is an input, by whatever path.
    """
    from dse.errors import Fault, InputError

    faults = [
        Fault(f"{option} {output}", 0, 0, "", f"is {what} itself", "write to another file")
        for option, output in outputs
        for what, source in inputs.items()
        # A terminal or a pipe may well be both.
        if output is not None and output.is_file() and source.is_file() and output.samefile(source)
    ]
    if faults:
        raise InputError(faults)


def read_by(problem_files: Sequence[Path], catalogs: Sequence[Path]) -> dict[str, Path]:
    """Every file an answer to some problems is read from, by what it is: nothing may be written over one.

    The problem files, the quotations they name, and the files of the user's catalogue folders.
    """
    from dse.problem.load import peek_catalogs, peek_quotes

    found: dict[str, Path] = {}
    for file in problem_files:
        found["the problem file" if len(problem_files) == 1 else f"the problem file {file}"] = file
        if not file.is_file():
            continue  # said when it is read
        quotes = peek_quotes(file)
        if quotes is not None:
            found[f"the file of quotations of {file.name}"] = quotes
        for folder in (*catalogs, *peek_catalogs(file)):
            parts = sorted([*folder.glob("*/*.*"), *folder.glob("*.*")])
            found |= {f"the catalogue file {part}": part for part in parts if part.is_file()}
    return found


def refuse_clashes(outputs: Sequence[tuple[str, Path]]) -> None:
    """Refuse two outputs in one file, and folders that do not exist, before any work.

    Raises
    ------
    InputError
        Every such output, by its option.
    """
    from dse.errors import Fault, InputError

    places = [target.resolve() for _, target in outputs]
    faults = []
    for k, (option, target) in enumerate(outputs):
        if not target.parent.is_dir():
            faults.append(Fault(option, 0, 0, str(target), f"there is no folder `{target.parent}`", "make it first"))
        if target.is_dir():
            faults.append(Fault(option, 0, 0, str(target), "is a folder", "name a file in it"))
        if places[k] in places[:k] and (not target.exists() or target.is_file()):
            message = "another option writes the same file"
            faults.append(Fault(option, 0, 0, str(target), message, "give each a file of its own"))
    if faults:
        raise InputError(faults)


def write_template(file: Path, text: str) -> None:
    """Write a file to start from; never over one that exists."""
    if file.exists():
        remark(f"error: {file} exists; the template is not written over it")
        raise typer.Exit(EXIT_INPUT)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        remark(f"error: {file} cannot be written: {(error.strerror or str(error)).lower()}")
        raise typer.Exit(EXIT_INPUT) from None


def say_if_rebuilt(catalogs: tuple[Path, ...]) -> None:
    """Tell the user when the catalogue had to be compiled."""
    from dse.api import knowledge_of

    if knowledge_of(catalogs).rebuilt:
        remark("catalogue compiled: its files are new or have changed")
