"""Whether estimates decide well: the most accurate model within a deadline, chosen by them and timed for real.

An error of 10 % may cost nothing or a missed deadline. Without a guard the chosen model is the one nearest the edge and
so the most likely underestimated; with it, fewer deadlines are missed and some accuracy is given away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dse.catalog.types import BoolArray, FloatArray, IntArray
from dse.fidelity.rows import CONDITION, joined

PROBLEMS = 500
SEED = 1
LEAST_MODELS = 4  # held-out models of known accuracy that a group of a pool needs
MOST_GROUPS = 4
DEADLINE_QUANTILE = (0.15, 0.85)  # of the pool's measured times
DEADLINE_FACTOR = (0.95, 1.3)


@dataclass(frozen=True)
class Problem:
    """Choose one of the ``pool`` (k,), positions of rows, within ``deadline_ms`` per item."""

    pool: IntArray
    deadline_ms: float


@dataclass(frozen=True)
class Decisions:
    """How a rule decided.

    ``missed`` is the share of the ``chosen`` that took longer than the deadline, ``no_answer`` the share of all
    ``problems`` in which nothing was chosen; ``accuracy_lost`` the mean, over choices that met the deadline, of the
    points below the most accurate one that truly met it; ``median_overrun`` the median, over misses, of measured time
    over deadline minus 1. NaN where there is nothing to average.
    """

    problems: int
    chosen: int
    missed: float
    no_answer: float
    accuracy_lost: float
    median_overrun: float


def draw_problems(rows: pd.DataFrame, test: BoolArray, *, count: int = PROBLEMS, seed: int = SEED) -> list[Problem]:
    """Random selection problems on held-out rows; the order of the rows does not matter.

    Parameters
    ----------
    rows : DataFrame
        n measured rows.
    test : (n,)
        Which are held out.
    count, seed : int
        How many problems; same seed, same problems.

    Returns
    -------
    list of Problem
        The pool of each is one to four groups of rows of one chip, condition and precision, each with at least four
        held-out models of known accuracy. A pool keeps to one metric, since points of two cannot be compared, and to
        one quantity, since a rate is no latency. Empty where no group is large enough.
    """
    kinds = _groups_by_kind(rows, test)
    weights = np.array([len(groups) for groups in kinds], dtype=np.float64)
    random = np.random.default_rng(seed)
    time_ms = np.exp(rows["log_ms"].to_numpy(dtype=np.float64))
    problems = []
    for _ in range(count if kinds else 0):
        groups = kinds[random.choice(len(kinds), p=weights / weights.sum())]
        size = min(int(random.integers(1, MOST_GROUPS + 1)), len(groups))
        pool = np.concatenate([groups[k] for k in random.choice(len(groups), size, replace=False)])
        at = np.quantile(time_ms[pool], random.uniform(*DEADLINE_QUANTILE))
        problems.append(Problem(pool, float(at * random.uniform(*DEADLINE_FACTOR))))
    return problems


def decide(
    problems: list[Problem], rows: pd.DataFrame, log_ms: FloatArray, log_guard: FloatArray | float = 0.0
) -> Decisions:
    """Let predictions choose, and look up what the choices really take.

    Parameters
    ----------
    problems : list of Problem
        Of `draw_problems`.
    rows : DataFrame
        The n measured rows the problems were drawn from.
    log_ms : (n,)
        Predicted log time per item [log ms]; NaN, never chosen, where refused. Only held-out rows are looked at.
    log_guard : (n,) or float
        Log of the factor the predicted time is raised by before it is compared with the deadline; NaN counts as a
        refusal.

    Returns
    -------
    Decisions
        Of the most accurate model whose guarded prediction meets the deadline; of equals, the fastest predicted.
    """
    measured = np.exp(rows["log_ms"].to_numpy(dtype=np.float64))
    accuracy = rows["accuracy"].to_numpy(dtype=np.float64)
    guarded = np.exp(log_ms + log_guard)
    lost, overrun = [], []
    for problem in problems:
        choice = _choice(problem, accuracy, guarded)
        if choice is None:
            continue
        if measured[choice] > problem.deadline_ms:
            overrun.append(measured[choice] / problem.deadline_ms - 1)
        else:
            met = problem.pool[measured[problem.pool] <= problem.deadline_ms]
            lost.append(accuracy[met].max() - accuracy[choice])
    chosen = len(lost) + len(overrun)
    return Decisions(
        problems=len(problems),
        chosen=chosen,
        missed=len(overrun) / chosen if chosen else np.nan,
        no_answer=1 - chosen / len(problems) if problems else np.nan,
        accuracy_lost=float(np.mean(lost)) if lost else np.nan,
        median_overrun=float(np.median(overrun)) if overrun else np.nan,
    )


def _groups_by_kind(rows: pd.DataFrame, test: BoolArray) -> list[list[IntArray]]:
    """Positions of the rows of every large enough group, in an order of their own, by metric and quantity."""
    usable = np.flatnonzero(test & rows["accuracy"].notna().to_numpy() & (rows["accuracy_metric"] != "").to_numpy())
    part = rows.iloc[usable]
    facts = pd.DataFrame(
        {
            "kind": joined(part, ("accuracy_metric", "quantity")),
            "group": joined(part, (*CONDITION, "precision")),
            "model": part["model"].to_numpy(dtype=object),
            "at": usable,
            "log_ms": part["log_ms"].to_numpy(dtype=np.float64),
            "accuracy": part["accuracy"].to_numpy(dtype=np.float64),
        }
    ).sort_values(["kind", "group", "model", "log_ms", "accuracy"], kind="stable")
    kinds: dict[str, list[IntArray]] = {}
    for (kind, _), group in facts.groupby(["kind", "group"], sort=True):
        if group["model"].nunique() >= LEAST_MODELS:
            kinds.setdefault(str(kind), []).append(group["at"].to_numpy(dtype=np.int64))
    return list(kinds.values())


def _choice(problem: Problem, accuracy: FloatArray, guarded: FloatArray) -> int | None:
    """Position of the chosen row; None where no prediction meets the deadline."""
    allowed = problem.pool[guarded[problem.pool] <= problem.deadline_ms]
    if len(allowed) == 0:
        return None
    return int(allowed[np.lexsort((guarded[allowed], -accuracy[allowed]))[0]])
