"""Rows of cells on a console: a table in a terminal, tab-separated and uncut elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table


def show_rows(rows: Sequence[Sequence[object]], console: Console) -> None:
    """A header and rows: a table in a terminal, tab-separated and uncut elsewhere."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if not console.is_terminal:
        for row in texts:
            console.file.write("\t".join(row) + "\n")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in texts[0]:
        table.add_column(name, overflow="fold")
    for row in texts[1:]:
        table.add_row(*(escape(cell) for cell in row))
    console.print(table)
