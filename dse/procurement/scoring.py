"""Scores of designs from weighed figures, who wins, and how far each weight may move before another design does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from dse.problem.fields import exact
from dse.problem.scoring import FIGURES, Scoring
from dse.procurement.numbers import Number, rational

Points = tuple[tuple[Fraction, Fraction], ...]
"""A value function: figures, ascending, with their scores; straight lines between them, flat beyond."""
Worth = Mapping[str, Fraction | None]
"""What each figure of a row is worth, 0 to 1; None where it is unknown."""


@dataclass(frozen=True)
class RowScore:
    """Score of one row, 0 to 1: with missing figures at their worst, at their best, and None unless both agree."""

    score: Fraction | None
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Scores:
    """Scores of rows, in the order the rows came in.

    Parameters
    ----------
    weights : mapping of str to Fraction
        Weight of each figure, as the file states it.
    values : mapping of str to points
        Value function of each figure; empty where no row has the figure.
    worth : tuple of mapping
        What each figure of each row is worth.
    rows : tuple of RowScore
        Score of each row.
    order : tuple of int
        Indices of the rows, best first: by score, then those without one by the least they reach; ties as they came in.
    winner : int or None
        Index of the best row that has a score; None when no row has one.
    """

    weights: Mapping[str, Fraction]
    values: Mapping[str, Points]
    worth: tuple[Worth, ...]
    rows: tuple[RowScore, ...]
    order: tuple[int, ...]
    winner: int | None


@dataclass(frozen=True)
class Stability:
    """Range of one weight, all others as given, over which the winner stays first; ``high`` None is for ever.

    At an end of the range another row draws level. A ``low`` of 0 stands for a weight as small as one likes: at 0
    itself the figure does not count any more, and rows that lack it join those that have a score.
    """

    figure: str
    weight: Fraction
    low: Fraction
    high: Fraction | None


def score_rows(rows: Sequence[Mapping[str, Number | None]], scoring: Scoring) -> Scores:
    """Score rows that are feasible: the weighed mean of what their figures are worth.

    ``score = Σ w·v / Σ w`` over the figures with a weight. A missing figure is worth 0 for ``low`` and 1 for ``high``,
    and leaves the row without a score, unless its weight is 0.

    Parameters
    ----------
    rows : sequence of mapping
        Figures of each row by name; what is None, NaN or not there is unknown.
    scoring : Scoring
        Weights and value functions. Without a function, a figure is worth 0 to 1 from the worst to the best of the
        rows, and 1 where all are equal.

    Examples
    --------
    The second design is 10 points better and costs 300 USD more: it gains 3/4 of the score and loses 1/4.

    >>> file = Scoring(weights={"accuracy": 3.0, "price_usd": 1.0})
    >>> scores = score_rows([{"accuracy": 40.0, "price_usd": 100.0}, {"accuracy": 50.0, "price_usd": 400.0}], file)
    >>> [str(row.score) for row in scores.rows], scores.winner
    (['1/4', '3/4'], 1)

    At an accuracy of weight 1 both draw level; more of it never hurts the second design.

    >>> [(one.figure, str(one.low), str(one.high)) for one in stability(scores)]
    [('accuracy', '1', 'None'), ('price_usd', '0', '3')]
    """
    known = [{name: rational(row.get(name)) for name in scoring.weights} for row in rows]
    values = {name: _function(name, scoring, [row[name] for row in known]) for name in scoring.weights}
    worth = tuple({name: value_at(values[name], row[name]) for name in values} for row in known)
    return weigh(worth, values, {name: exact(weight) for name, weight in scoring.weights.items()})


def weigh(worth: Sequence[Worth], values: Mapping[str, Points], weights: Mapping[str, Fraction]) -> Scores:
    """Scores of rows whose figures have been valued, under any weights.

    Raises
    ------
    ValueError
        A weight is negative, or all are 0.
    """
    if min(weights.values(), default=0) < 0 or not any(weights.values()):
        message = "weights are 0 or more, and one of them is more"
        raise ValueError(message)
    rows = tuple(_score(row, weights) for row in worth)
    order = sorted(range(len(rows)), key=lambda k: (rows[k].score is None, -rows[k].low))
    winner = order[0] if order and rows[order[0]].score is not None else None
    return Scores(dict(weights), dict(values), tuple(worth), rows, tuple(order), winner)


def stability(scores: Scores) -> tuple[Stability, ...]:
    """How far each weight alone may move before the winner is no longer first; empty when nothing has won.

    With the weight t of a figure, the lead over a rival is ``b + a·t`` (times a positive ``1/Σ w``, which decides
    nothing): a is what the figure is worth more on the winner, b the lead in all others. The winner stays first where
    no lead is negative; both ends are exact, and a tie keeps the winner.
    """
    if scores.winner is None:
        return ()
    return tuple(_range(scores, scores.winner, name) for name in scores.weights)


def value_at(points: Points, figure: Fraction | None) -> Fraction | None:
    """What a figure is worth: on the straight line between its neighbours, flat beyond the ends; None where unknown.

    Examples
    --------
    >>> line = ((Fraction(40), Fraction(0)), (Fraction(50), Fraction(1)))
    >>> [str(value_at(line, Fraction(x))) for x in (30, 40, 45, 60)]
    ['0', '0', '1/2', '1']
    """
    if figure is None or not points:
        return None
    if figure <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if figure <= right:
            return low + (high - low) * (figure - left) / (right - left)
    return points[-1][1]


def _function(name: str, scoring: Scoring, column: Sequence[Fraction | None]) -> Points:
    """Value function of a figure: the one of the file, else a line from the worst to the best."""
    if name in scoring.values:
        return tuple((exact(figure), exact(score)) for figure, score in scoring.values[name])
    known = [figure for figure in column if figure is not None]
    if not known:
        return ()
    least, most = min(known), max(known)
    if least == most:
        return ((least, Fraction(1)),)
    best = Fraction(FIGURES[name].higher_is_better)
    return ((least, 1 - best), (most, best))


def _score(row: Worth, weights: Mapping[str, Fraction]) -> RowScore:
    total = sum(weights.values(), Fraction(0))
    known = sum((weight * worth for name, weight in weights.items() if (worth := row[name]) is not None), Fraction(0))
    missing = sum((weight for name, weight in weights.items() if row[name] is None), Fraction(0))
    low, high = known / total, (known + missing) / total
    return RowScore(low if missing == 0 else None, low, high)


def _range(scores: Scores, winner: int, name: str) -> Stability:
    weights, best = scores.weights, scores.worth[winner]
    own = best[name]
    if own is None:  # its weight is 0: with any more the winner has no score
        return Stability(name, weights[name], Fraction(0), Fraction(0))
    low, high = Fraction(0), None
    others = {other: weight for other, weight in weights.items() if weight and other != name}
    for row in scores.worth:
        theirs = row[name]
        leads = [_lead(best[other], row[other], weight) for other, weight in others.items()]
        if theirs is None or None in leads:
            continue  # a row without a score does not compete
        lead, slope = sum((one for one in leads if one is not None), Fraction(0)), own - theirs
        if slope > 0:
            low = max(low, -lead / slope)
        elif slope < 0:
            level = lead / -slope
            high = level if high is None else min(high, level)
    return Stability(name, weights[name], low, high)


def _lead(own: Fraction | None, theirs: Fraction | None, weight: Fraction) -> Fraction | None:
    return None if own is None or theirs is None else weight * (own - theirs)
