"""An answer as a bundle keeps it: without the clock, and without a word about the machine it was worked out on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dse.bundle.extract import table
from dse.report.compare_table import HEADER, rows_of
from dse.report.front_data import cell_text
from dse.report.text import design_rows

JsonObject = dict[str, Any]
CLOCK = ("wall_s", "workers")
"""What a search says of itself that no second one repeats."""


def without_clock(node: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The answer without `CLOCK`."""
    if isinstance(node, dict):
        kept = {name: without_clock(value) for name, value in node.items()}
        if isinstance(kept.get("search"), dict):
            kept["search"] = {name: value for name, value in kept["search"].items() if name not in CLOCK}
        return kept
    return [without_clock(item) for item in node] if isinstance(node, list | tuple) else node


def without_folders(node: Any, folders: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """The answer with files named as they are in the bundle, wherever they lay when it was worked out."""
    if isinstance(node, dict):
        return {name: without_folders(value, folders) for name, value in node.items()}
    if isinstance(node, list | tuple):
        return [without_folders(item, folders) for item in node]
    if isinstance(node, str):
        for folder in folders:
            node = node.replace(folder, "")
    return node


def json_bytes(data: object) -> bytes:
    """JSON as every file of a bundle has it."""
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def answer_table(answer: JsonObject) -> bytes:
    """The rows of a comparison, or the designs of an answer, as CSV."""
    if "comparisons" in answer:
        return table(HEADER, rows_of(answer))
    designs = design_rows(answer)
    return table(designs[0], (map(cell_text, row.values()) for row in designs)) if designs else table(("chip",), ())
