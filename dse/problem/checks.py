"""Judges the plain data of a problem file by named rules, all of them at once, without changing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from dse.problem import name_rules, order_rules, scoring_rules, structure_rules
from dse.problem.raw import Finding
from dse.problem.vocabulary import Vocabulary
from dse.yamlfile.scalars import Raw

__all__ = ["RULES", "Rule", "Vocabulary", "check"]

Rule = Callable[[Raw, Vocabulary], Iterator[Finding]]

MAX_PER_RULE = 200
"""Most findings of one rule; looking up the nearest name takes time, and nobody reads more."""

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.__name__: rule
        for rule in (*structure_rules.RULES, *order_rules.RULES, *scoring_rules.RULES, *name_rules.RULES)
    }
)
"""Every rule by its name."""


def check(data: Raw, vocabulary: Vocabulary | None = None) -> list[Finding]:
    """Apply every rule.

    Parameters
    ----------
    data : object
        Plain data of a problem file, of any shape; what is not a mapping has no findings here.
    vocabulary : Vocabulary, optional
        Names of the catalogues; without it, names are not checked.

    Returns
    -------
    list of Finding
        Rule by rule, each in file order.
    """
    if not isinstance(data, dict):
        return []
    words = vocabulary or Vocabulary()
    return [finding for rule in RULES.values() for finding in islice(rule(data, words), MAX_PER_RULE)]
