"""The answer to a request, for files of any folder: what a bundle holds, and what it is checked against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dse.bundle.request import Request
from dse.comparing import compared, request_of
from dse.problem.load import peek_catalogs
from dse.solving import Roots, answer_to, checked_problem, knowledge_of, vocabulary_of
from dse.yamlfile.reader import Document, read_file

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A problem that was read, perhaps with a field changed, and the catalogues it is asked of."""

    document: Document
    roots: Roots


Answering = Callable[[Sequence[Asked], Request, int], JsonObject]
"""From questions, a request and the number of workers to the plain object the command prints."""


def questions_of(files: Sequence[Path], catalogs: Roots = ()) -> list[Asked]:
    """Problem files with their catalogues: those of the command line, then their own."""
    return [Asked(read_file(file), (*catalogs, *peek_catalogs(file))) for file in files]


def answer_of(questions: Sequence[Asked], request: Request, workers: int = 1) -> JsonObject:
    """The object that the command of the request prints.

    Raises
    ------
    InputError
        A problem, a catalogue or an option is wrong.
    VerificationError
        The independent check disagrees: a bug.
    """
    problems, knowledges = [], []
    for question in questions:
        knowledge = knowledge_of(question.roots)
        problems.append(checked_problem(question.document, knowledge, vocabulary_of(knowledge.catalog)))
        knowledges.append(knowledge)
    if request.command == "solve":
        return answer_to(problems[0], knowledges[0], workers=workers, explain=True, **request.options)
    return compared(problems, knowledges, request_of(**request.options, workers=workers))
