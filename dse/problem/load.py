"""Turns a problem file into a `Problem`, or into the list of everything that is wrong with it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path as FilePath

from pydantic import ValidationError

from dse.errors import Fault, ProblemError
from dse.problem import translate
from dse.problem.checks import check
from dse.problem.raw import Finding, get, texts
from dse.problem.spec import Origin, Problem
from dse.problem.vocabulary import Vocabulary
from dse.yamlfile.reader import EMPTY, Document, read_file, read_text


def load_problem(path: str | os.PathLike[str], vocabulary: Vocabulary | None = None) -> Problem:
    """Read a problem file.

    Parameters
    ----------
    path : path
        YAML file.
    vocabulary : Vocabulary, optional
        Names of the catalogues; without it, names are taken on trust.

    Raises
    ------
    ProblemError
        With every fault of the file, ordered by line.
    """
    return problem_of(read_file(path), vocabulary)


def parse_problem(text: str, name: str = "<memory>", vocabulary: Vocabulary | None = None) -> Problem:
    """Read a problem from text, as `load_problem` does from a file.

    Examples
    --------
    >>> problem = parse_problem("tasks: {name: see, task: object-detection, rate_hz: 30, deadline_ms: 60}")
    >>> problem.period_ms(problem.tasks[0])
    Fraction(100, 3)
    """
    return problem_of(read_text(text, name), vocabulary)


def problem_of(document: Document, vocabulary: Vocabulary | None = None) -> Problem:
    """Problem in a document that was read, and perhaps altered, before.

    Raises
    ------
    ProblemError
        With every fault, those of the text included.
    """
    if not document.readable:
        hint = "`dse init` writes a file to start from"
        raise ProblemError([replace(f, hint=hint) if f.message == EMPTY else f for f in document.faults])
    if not isinstance(document.data, dict):
        message = f"a problem is a mapping of fields, found {translate.describe(document.data)}"
        raise ProblemError([*document.faults, fault(document, Finding((), message, "`dse init` writes one"))])
    problem, found = None, []
    try:
        problem = Problem.model_validate(document.data)
    except ValidationError as error:
        found = translate.findings(error, document.data, Problem)
    said = {finding.path for finding in found if not finding.message.endswith("is missing")}
    found += [finding for finding in check(document.data, vocabulary) if finding.path not in said]
    faults = [*document.faults, *(fault(document, finding) for finding in found)]
    if faults or problem is None:
        raise ProblemError(sorted(set(faults)))
    problem._origin = Origin(document.name, document.positions)
    return problem


def fault(document: Document, finding: Finding) -> Fault:
    """Finding with the file, line and column it has in a document."""
    return document.fault(finding.path, finding.message, finding.hint)


def peek_catalogs(path: str | os.PathLike[str]) -> list[FilePath]:
    """Catalogue folders a problem file names, before it is read in full; empty when it cannot be read.

    Relative ones start at the folder of the file.
    """
    document = read_file(path)
    if not isinstance(document.data, dict):
        return []
    return [FilePath(path).parent / text for _place, text in texts(document.data, "catalogs")]


def peek_quotes(path: str | os.PathLike[str]) -> FilePath | None:
    """The file of quotations a problem file names, before it is read in full; None where it names none."""
    data = read_file(path).data
    name = get(data, "procurement", "quotes") if isinstance(data, dict) else None
    return FilePath(path).parent / name if isinstance(name, str) else None


def with_data(document: Document, data: object) -> Document:
    """Document with other data in it, for what-ifs; places of values that stayed are kept."""
    return replace(document, data=data)
