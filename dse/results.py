"""What the functions of Python answer: plain data, with JSON, tables and pages for notebooks made from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Answered:
    """An answer of any kind: ``data`` is the object that its command prints with ``--json``."""

    data: dict[str, Any] = field(repr=False)

    def to_json(self) -> str:
        """The answer as JSON text, unrounded; ``null`` means unknown."""
        return json.dumps(self.data, indent=2, ensure_ascii=False)


@dataclass(frozen=True)
class Result(Answered):
    """An answer: ``data`` is the object that ``dse solve --json`` prints."""

    @property
    def status(self) -> str:
        """``optimal``, ``feasible``, ``infeasible`` or ``unknown``."""
        return str(self.data["status"])

    def to_frame(self) -> pd.DataFrame:
        """The winner and the alternatives, one row each."""
        import pandas as pd

        from dse.report.text import design_rows

        return pd.DataFrame(design_rows(self.data))

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return f"<p>{escape(self.data['headline'])}</p>{self.to_frame().to_html(index=False)}"


@dataclass(frozen=True)
class Budgeted(Answered):
    """What one inference may take: ``data`` is the object that ``dse budget --json`` prints."""

    def to_frame(self) -> pd.DataFrame:
        """One row per task: the times of the slowest run [ms], and what binds."""
        import pandas as pd

        columns = ["task", "items_per_s", "bare_ms", "capped_ms", "left_ms", "network_ms", "binds"]
        return pd.DataFrame([task["times"] for task in self.data["tasks"]], columns=columns)

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return f"<p>{escape(self.data['headline'])}</p>{self.to_frame().to_html(index=False)}"


@dataclass(frozen=True)
class FrontResult(Answered):
    """A front: ``data`` is the object that ``dse pareto --json`` prints."""

    def to_frame(self) -> pd.DataFrame:
        """The front, then what is near it, then what lacks a figure of an axis (column ``kind``)."""
        import pandas as pd

        from dse.report.front_data import columns_of

        return pd.DataFrame(self.data["rows"], columns=columns_of(self.data))

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return f"<p>{escape(self.data['headline'])}</p>{self.to_frame().to_html(index=False)}"


@dataclass(frozen=True)
class Compared(Answered):
    """A comparison of chips: ``data`` is the object that ``dse compare --json`` prints."""

    def to_frame(self) -> pd.DataFrame:
        """One row per chip and problem, with the plain columns of the CSV file."""
        import pandas as pd

        from dse.report.compared_row import COLUMNS

        rows = [
            {"problem": comparison["problem"]["file"], **{name: row.get(name) for name in COLUMNS}}
            for comparison in self.data["comparisons"]
            for row in comparison["rows"]
        ]
        return pd.DataFrame(rows, columns=["problem", *COLUMNS])

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        headlines = "".join(f"<p>{escape(comparison['headline'])}</p>" for comparison in self.data["comparisons"])
        return headlines + str(self.to_frame().to_html(index=False))


@dataclass(frozen=True)
class Explained(Answered):
    """An explanation: ``data`` is the object that ``dse explain --json`` prints."""

    @property
    def status(self) -> str:
        """``optimal``, ``feasible``, ``infeasible`` or ``unknown``."""
        return str(self.data["status"])


@dataclass(frozen=True)
class Sweep(Answered):
    """The answers of a sweep: ``data`` is the object that ``dse sweep --json`` prints."""

    def to_frame(self) -> pd.DataFrame:
        """One row per point, with the columns of the CSV file."""
        import pandas as pd

        from dse.sweeping.rows import header, rows

        return pd.DataFrame(list(rows(self.data)), columns=header(self.data))


@dataclass(frozen=True)
class BundleCheck(Answered):
    """A bundle that was checked: ``data`` is the object that ``dse verify --json`` prints."""

    @property
    def outcome(self) -> str:
        """``same``, ``altered`` or ``other version``."""
        return str(self.data["outcome"])


@dataclass(frozen=True)
class BundleDiff(Answered):
    """What two bundles differ in: ``data`` is the object that ``dse diff --json`` prints."""

    @property
    def moved(self) -> bool:
        """Whether another design wins, for any of the problems."""
        return any(one["moved"] for one in self.data["comparisons"])
