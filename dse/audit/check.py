"""All rules over one catalogue; what ``explained.csv`` explains is told apart from what stands open."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path

from dse.audit import fit_rules, model_rules, row_rules, thing_rules
from dse.audit.finding import Evidence, Finding, Rule, rule_name
from dse.catalog.read import Shelves, read_shelves

RULES: tuple[Rule, ...] = (*thing_rules.RULES, *row_rules.RULES, *fit_rules.RULES, *model_rules.RULES)


@dataclass(frozen=True)
class Report:
    """Findings nobody has explained, and those somebody has with the reason; ``counts`` of both by rule."""

    open: tuple[Finding, ...]
    explained: tuple[tuple[Finding, str], ...]

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Open and explained findings of every rule, those without any included."""
        names = [*map(rule_name, RULES), "explanation-without-finding"]
        return {
            name: (
                sum(finding.rule == name for finding in self.open),
                sum(finding.rule == name for finding, _reason in self.explained),
            )
            for name in names
        }


def check(roots: tuple[Path, ...]) -> Report:
    """Read the catalogue below `roots` and doubt it.

    Raises
    ------
    CatalogError
        A file is wrong in itself; doubts come after that.
    """
    return audit(read_shelves(roots))


def audit(shelves: Shelves) -> Report:
    """Apply every rule; an explanation that explains nothing any more is a finding of its own."""
    evidence = Evidence(shelves)
    found = sorted(finding for rule in RULES for finding in rule(evidence))
    explanations = [
        (table, row, *words)
        for table in shelves.tables["explained"]
        for row, words in enumerate(zip(*(table.texts[name] for name in ("rule", "thing", "reason")), strict=True))
    ]
    used: set[int] = set()
    open_, explained = [], []
    for finding in found:
        position = next(
            (
                number
                for number, (_table, _row, rule, thing, _reason) in enumerate(explanations)
                if rule == finding.rule and fnmatch.fnmatchcase(finding.thing, thing)
            ),
            None,
        )
        if position is None:
            open_.append(finding)
        else:
            used.add(position)
            explained.append((finding, explanations[position][4]))
    for number, (table, row, rule, thing, _reason) in enumerate(explanations):
        if number not in used:
            message = f"no finding of the rule `{rule}` is left that this explains"
            open_.append(Finding(table.file.label, table.lines[row], "explanation-without-finding", thing, message))
    return Report(tuple(open_), tuple(explained))
