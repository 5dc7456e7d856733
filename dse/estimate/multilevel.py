"""A linear model with many shrunken effects, fitted robustly: the arithmetic behind every estimated time.

    y = X b + sum_j z_j u_j[g_j] + e,   u_j ~ N(0, tau_j^2),   e ~ Student t with 4 degrees of freedom, scale sigma

For weights w_i = (4 + 1) / (4 + e_i^2 / sigma^2) the mode of b and u solves a linear system; conjugate gradients solve
it (the system is never formed), and weights and solution are found in turn. Stopping early is not harmless: effects
that overlap (a chip, its vendor, its runtime) trade places slowly, and half-way solutions predict a fifth worse.

Conjugate gradients that stop short magnify the last digit of a sum a trillion times. Sums of products are therefore
taken by ``einsum``, whose order does not depend on how many threads a machine has, as that of the BLAS does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.catalog.types import FloatArray, IntArray

DEGREES_OF_FREEDOM = 4.0
REWEIGHTINGS = 6
STEPS = 60  # of conjugate gradients per reweighting
TOLERANCE = 1e-3  # of the energy norm; ten times less moves the median estimate by half a percent
DENSE_PRECISION = 2.0  # prior precision of the coefficient of a standardised column


@dataclass(frozen=True)
class Term:
    """One kind of effect on n rows: ``level`` (n, k) says which of ``size`` effects act, ``scale`` (n, k) how strongly.

    k is 1 but for terms in which several effects act at once (the operators of a network). ``spread`` is the prior
    standard deviation of each effect.
    """

    level: IntArray
    scale: FloatArray
    size: int
    spread: float


@dataclass(frozen=True)
class Fit:
    """Coefficients of the dense columns (p,); per term the effects (size,) and their posterior variances (size,); and
    the fitted values (n,).

    Variances neglect the correlation between terms: they rank evidence, and intervals are calibrated on top.
    """

    dense: FloatArray
    effects: tuple[FloatArray, ...]
    variances: tuple[FloatArray, ...]
    fitted: FloatArray


def fit(y: FloatArray, dense: FloatArray, terms: Sequence[Term], sigma: float) -> Fit:
    """Mode of the model.

    Parameters
    ----------
    y : (n,)
        What is explained.
    dense : (n, p)
        Standardised columns; the first is the intercept, which has no prior.
    terms : sequence of Term
        Effects, each with its prior spread.
    sigma : float
        Scale of the noise.
    """
    system = _System(dense, terms, sigma)
    state = np.zeros(system.size)
    system.weigh(np.ones(len(y)))
    reference = system.energy(system.transposed(y))
    for turn in range(REWEIGHTINGS):
        if turn:
            system.weigh(robust_weights(y - system.apply(state), sigma))
        state = system.solve(y, state, reference)
    effects, variances = system.split(state)
    return Fit(state[: dense.shape[1]], effects, variances, system.apply(state))


def robust_weights(residual: FloatArray, sigma: float) -> FloatArray:
    """Weights of the Student distribution: a row far from its prediction counts little."""
    weights: FloatArray = (DEGREES_OF_FREEDOM + 1) / (DEGREES_OF_FREEDOM + (residual / sigma) ** 2)
    return weights


class _System:
    """The penalised normal equations of one set of rows; effects no row touches are left out while solving."""

    def __init__(self, dense: FloatArray, terms: Sequence[Term], sigma: float) -> None:
        self._dense, self._terms, self._sigma = dense, terms, sigma
        self._offsets = np.cumsum([0, *(term.size for term in terms)])
        rows, columns, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for term, start in zip(terms, self._offsets, strict=False):
            row, slot = np.nonzero(term.scale)
            rows.append(row)
            columns.append(term.level[row, slot] + start)
            values.append(term.scale[row, slot])
        row, value = np.concatenate(rows), np.concatenate(values)
        self._used, column = np.unique(np.concatenate(columns), return_inverse=True)
        # Both orders are kept: sums over runs of equal rows or columns are several times faster than counting.
        self._by_row = _Runs(row, column, value, len(dense))
        self._by_column = _Runs(column, row, value, len(self._used))
        self._squares = _Runs(column, row, value**2, len(self._used))
        penalty = np.concatenate([np.full(term.size, (sigma / term.spread) ** 2) for term in terms] or [np.zeros(0)])
        self._penalty = penalty[self._used]
        self._dense_penalty = np.full(dense.shape[1], DENSE_PRECISION * sigma**2)
        self._dense_penalty[0] = 1e-9
        self.size = dense.shape[1] + len(self._used)

    def weigh(self, weight: FloatArray) -> None:
        """Take new row weights: the diagonal and the dense block follow."""
        self._weight = weight
        self._information = self._squares.sums(weight)
        self._diagonal = self._information + self._penalty
        block = np.einsum("np,nq->pq", self._dense, self._dense * weight[:, None])
        self._inverse = np.linalg.inv(block + np.diag(self._dense_penalty))

    def apply(self, state: FloatArray) -> FloatArray:
        """Fitted values (n,)."""
        p = self._dense.shape[1]
        fitted: FloatArray = np.einsum("np,p->n", self._dense, state[:p]) + self._by_row.sums(state[p:])
        return fitted

    def transposed(self, residual: FloatArray) -> FloatArray:
        """Right-hand side of a residual (n,)."""
        weighted = self._weight * residual
        return np.concatenate([np.einsum("np,n->p", self._dense, weighted), self._by_column.sums(weighted)])

    def energy(self, vector: FloatArray) -> float:
        """Squared norm after preconditioning."""
        return _inner(vector, self._preconditioned(vector))

    def solve(self, y: FloatArray, state: FloatArray, reference: float) -> FloatArray:
        """Preconditioned conjugate gradients from `state`."""
        penalty = np.concatenate([self._dense_penalty, self._penalty])
        residual = self.transposed(y - self.apply(state)) - penalty * state
        step = self._preconditioned(residual)
        energy = _inner(residual, step)
        for _ in range(STEPS):
            if energy <= TOLERANCE**2 * reference:
                break
            image = self.transposed(self.apply(step)) + penalty * step
            length = energy / _inner(step, image)
            state = state + length * step
            residual = residual - length * image
            direction = self._preconditioned(residual)
            before, energy = energy, _inner(residual, direction)
            step = direction + energy / before * step
        return state

    def split(self, state: FloatArray) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
        """Effects and posterior variances per term; an effect without rows is 0 with its prior variance."""
        effects = np.zeros(int(self._offsets[-1]))
        information = np.zeros(int(self._offsets[-1]))
        effects[self._used] = state[self._dense.shape[1] :]
        information[self._used] = self._information
        bounds = list(zip(self._offsets[:-1], self._offsets[1:], strict=True))
        variances = [
            self._sigma**2 / (information[start:end] + (self._sigma / term.spread) ** 2)
            for term, (start, end) in zip(self._terms, bounds, strict=True)
        ]
        return tuple(effects[start:end] for start, end in bounds), tuple(variances)

    def _preconditioned(self, vector: FloatArray) -> FloatArray:
        p = self._dense.shape[1]
        return np.concatenate([self._inverse @ vector[:p], vector[p:] / self._diagonal])


def _inner(left: FloatArray, right: FloatArray) -> float:
    """Inner product in a fixed order."""
    return float(np.einsum("i,i->", left, right))


class _Runs:
    """A sparse matrix whose entries lie in the order of their rows: ``sums(x)`` is its product with x."""

    def __init__(self, row: IntArray, column: IntArray, value: FloatArray, rows: int) -> None:
        order = np.argsort(row, kind="stable")
        self._column, self._value, self._rows = column[order].astype(np.int32), value[order], rows
        ordered = row[order]
        self._start = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(order) else order
        self._filled = ordered[self._start]

    def sums(self, x: FloatArray) -> FloatArray:
        """Product with a vector."""
        result = np.zeros(self._rows)
        if len(self._start):
            result[self._filled] = np.add.reduceat(self._value * x[self._column], self._start)
        return result
