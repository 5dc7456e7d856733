"""Single cells of the collected tables as YAML values."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import yaml

Cell = str | int | float | None
Row = Mapping[Hashable, Any]
"""One row of a collected table."""


class Flow(dict[str, object]):
    """A mapping written on one line."""


def _on_one_line(dumper: yaml.SafeDumper, data: Flow) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data, flow_style=True)


yaml.SafeDumper.add_representer(Flow, _on_one_line)


def scalar(cell: Cell) -> Cell:
    """A YAML scalar: whole floats as integers."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def figure(row: Row, column: str) -> Cell:
    """The cell, or None where it is empty."""
    cell: Cell = row.get(column)
    return None if pd.isna(cell) else scalar(cell)
