"""Where a figure comes from: how sure one is, when and where it was looked up, and which source covers which figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dse.catalog.fields import Finding
from dse.yamlfile.scalars import Raw

CONFIDENCES = ("read", "derived", "recalled")
"""``read`` in a document, ``derived`` by arithmetic from figures that were, ``recalled`` and not looked up again."""

_FORM = re.compile(r"(read|derived|recalled)(?: ((?:19|20)\d\d(?:-\d\d){0,2}))?(?:: *(\S.*))?", re.DOTALL)


@dataclass(frozen=True)
class Evidence:
    """One source: ``confidence`` of `CONFIDENCES`, ``date`` it was looked up (empty: not said), ``where``."""

    confidence: str
    date: str
    where: str

    @property
    def confirmed(self) -> bool:
        """Whether a document stands behind the figure."""
        return self.confidence != "recalled"


def parse(text: str) -> Evidence | None:
    """The parts of a source, or None where it does not have the form.

    Examples
    --------
    >>> parse("read 2026-11-30: data sheet 1.6, table 3")
    Evidence(confidence='read', date='2026-11-30', where='data sheet 1.6, table 3')
    >>> parse("recalled")
    Evidence(confidence='recalled', date='', where='')
    >>> parse("derived") is parse("somebody said so") is None
    True
    """
    found = _FORM.fullmatch(text.strip())
    if found is None or (found[1] != "recalled" and found[3] is None):
        return None
    return Evidence(found[1], found[2] or "", found[3] or "")


@dataclass(frozen=True)
class SourceText:
    """A field that holds a source."""

    def faults(self, value: Raw) -> Iterator[Finding]:
        """Yield the fault of a value that does not say how sure one is and where it stands."""
        if not isinstance(value, str) or parse(value) is None:
            yield (), f"found `{value}`", "write `read DATE: where`, `derived DATE: how` or `recalled DATE`"


def source_of(path: str, sources: Mapping[str, str]) -> str | None:
    """The source of a figure: that of its own path or of the closest group around it; an empty one takes it away.

    Examples
    --------
    >>> sources = {"power": "recalled", "power.max_w": "read: data sheet"}
    >>> source_of("power.max_w", sources), source_of("power.idle_w", sources), source_of("cpu", sources)
    ('read: data sheet', 'recalled', None)
    """
    parts = path.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((sources[name] or None for name in names if name in sources), None)
