"""Which limits a candidate breaks, decided in whole numbers; a missing figure follows the stated policy.

Every requirement is one named rule: the deadline, stability, accuracy, limits on single stages, memory in all and in
one region, and each entry below ``limits:``. `violated` has a bit per rule that fails, `unknown` one per rule that
cannot be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dse.candidates.path import stages_of
from dse.catalog.types import BoolArray, IntArray
from dse.problem.limits import Limit
from dse.problem.spec import Problem, Task
from dse.schema import QUANTITIES, UNKNOWN, bound_down, bound_up

MAX_RULES = 62  # of the 63 bits of an int64 above its sign; the last tells that no accuracy is known
ONE_REGION = "one memory region"
"""Name of the requirement that working memory and weights each fit a single region of the chip."""
# Limits whose figure no catalogue holds yet: unknown for every design, so the policy decides.
NO_FIGURE = ("power_peak_w", "flash_mb")


@dataclass(frozen=True)
class Rule:
    """One requirement: ``minimum <= column <= maximum`` in whole numbers; `reject_unknown` is the policy."""

    name: str
    column: str
    minimum: int | None = None
    maximum: int | None = None
    reject_unknown: bool = True


@dataclass(frozen=True)
class Verdict:
    """Per candidate: bits of the rules it breaks, and of those that met an unknown figure."""

    violated: IntArray
    unknown: IntArray


def rules_of(problem: Problem, task: Task, *, regions: bool = True) -> tuple[Rule, ...]:
    """Every requirement of the problem on one task's candidates, in a fixed order; at most `MAX_RULES`.

    `regions` says whether a chip among them lists memory regions; without one there is nothing to require of them.
    """
    times, points = QUANTITIES["worst_case_ms"].scale, QUANTITIES["accuracy"].scale
    rules = [Rule("rate", "stable", minimum=1)]
    if task.deadline_ms is not None:
        rules.append(Rule("deadline_ms", "worst_case_ms", maximum=bound_down(task.deadline_ms, times)))
    if task.min_accuracy is not None:
        rules.append(Rule("min_accuracy", "accuracy_low", minimum=bound_up(task.min_accuracy, points)))
    if task.max_accuracy_drop is not None:
        rules.append(Rule("max_accuracy_drop", "accuracy_drop", maximum=bound_down(task.max_accuracy_drop, points)))
    limited = [(stage.name, stage.max_ms) for stage in stages_of(problem, task) if stage.max_ms is not None]
    rules += [Rule(f"stage {name}", f"stage:{name}", maximum=bound_down(most, times)) for name, most in limited]
    cap = problem.search.devices.max_streams_each
    if cap is not None:
        rules.append(Rule("max_streams_each", "streams", maximum=cap))
    rules.append(Rule("memory capacity", "memory_spare_mb", minimum=0, reject_unknown=False))
    if regions:
        rules.append(Rule(ONE_REGION, "region_spare_mb", minimum=0, reject_unknown=False))
    rules += [_rule(problem, limit) for limit in problem.limits.values()]
    return tuple(rules)


def _rule(problem: Problem, limit: Limit) -> Rule:
    reject = problem.unknown_policy(limit) == "reject"
    if limit.is_attribute or limit.is_of_chip or limit.one_of or limit.none_of:
        return Rule(limit.name, f"verdict:{limit.name}", minimum=1, reject_unknown=reject)
    column = {"accuracy": "accuracy_low"}.get(limit.name, limit.name)
    scale = QUANTITIES[column].scale if column in QUANTITIES else 1
    return Rule(
        limit.name,
        column,
        reject_unknown=reject,
        minimum=None if limit.minimum is None else bound_up(limit.minimum, scale),
        maximum=None if limit.maximum is None else bound_down(limit.maximum, scale),
    )


def judge(numbered: Iterable[tuple[int, Rule]], columns: Mapping[str, IntArray], size: int) -> Verdict:
    """Apply rules, each with its bit, to columns of whole numbers (`UNKNOWN` where a figure is missing)."""
    violated, unknown = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for bit, rule in numbered:
        column = columns[rule.column]
        missing = column == UNKNOWN
        fails = missing & rule.reject_unknown
        if rule.minimum is not None:
            fails |= ~missing & (column < rule.minimum)
        if rule.maximum is not None:
            fails |= ~missing & (column > rule.maximum)
        violated |= fails.astype(np.int64) << bit
        unknown |= missing.astype(np.int64) << bit
    return Verdict(violated, unknown)


def names_of(bits: int, rules: tuple[Rule, ...]) -> list[str]:
    """Names of the rules whose bits are set."""
    return [rule.name for bit, rule in enumerate(rules) if int(bits) >> bit & 1]


def is_bit_set(bits: IntArray, bit: int) -> BoolArray:
    """Elementwise test of one rule's bit."""
    return (bits >> bit & 1).astype(bool)
