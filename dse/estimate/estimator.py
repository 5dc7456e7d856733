"""The estimation station: the time of any network in any condition, with interval, level and grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.catalog.types import Catalog, FloatArray, IntArray
from dse.estimate import evidence
from dse.estimate.conditions import Conditions, conditions_of
from dse.estimate.evidence import LEVELS, Seen
from dse.estimate.law import Law, fit_law, predict
from dse.estimate.networks import KnownNetworks, Networks

TABLES = ("known", "few", "new")
"""The laws: for networks somebody measured somewhere on devices with many measured networks, the same on devices with
few, and for networks nobody measured. Each has its own spreads: what may be believed of a device's own rows differs."""
FEW_MODELS = 10
"""Measured networks a device needs before the first law answers for it."""
SIGMA = {"known": 0.2, "few": 0.3, "new": 0.3}
"""Scale of the noise of one row [log time]: two measurements of one thing rarely agree better."""


@dataclass(frozen=True)
class Estimates:
    """Per pair: log of the time per item [log ms], log of the 90 % half-width factor, position in `LEVELS`."""

    log_ms: FloatArray
    half_width: FloatArray
    level: IntArray


@dataclass(frozen=True)
class Estimator:
    """The fitted laws by name, see `TABLES`, and what was measured."""

    laws: dict[str, Law]
    seen: Seen

    def law_of(self, conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray) -> IntArray:
        """Which of `TABLES` answers for every pair."""
        few = (self.seen.models_on(conditions) < FEW_MODELS)[condition]
        seen = self.seen.anywhere(networks)[network]
        return np.where(seen, np.where(few, TABLES.index("few"), TABLES.index("known")), TABLES.index("new"))

    def estimate(
        self,
        conditions: Conditions,
        networks: Networks,
        condition: IntArray,
        network: IntArray,
        widths: dict[tuple[str, bool], float] | None = None,
    ) -> Estimates:
        """Estimate pairs.

        Parameters
        ----------
        conditions : (c,)
            Distinct conditions.
        networks : (n,)
            Distinct networks.
        condition, network : int arrays that broadcast against each other
            Positions of every pair: two lists for pairs, a column and a row for a whole table.
        widths : mapping, optional
            From level and (on a CPU) to the factor of the interval; the shipped ones by default.
        """
        law_of = self.law_of(conditions, networks, condition, network)
        log_ms, spread = np.empty(law_of.shape), np.empty(law_of.shape)
        for number in np.unique(law_of).tolist():
            law, own = self.laws[TABLES[number]], law_of == number
            if condition.shape == network.shape:
                found = predict(law, conditions, networks, condition[own], network[own])
                log_ms[own], spread[own] = found.log_ms, found.spread
                continue
            # A law answers for whole rows and columns of a table: a block of it.
            rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
            block = np.ix_(rows, columns)
            found = predict(law, conditions, networks, condition[rows], network[:, columns])
            log_ms[block], spread[block] = found.log_ms, found.spread
        level = self.seen.levels(conditions, networks, condition, network)
        # What lies beyond the rated peak is wrong by at least so much: the estimate goes there, the doubt stays.
        beyond = np.fmax(_at_peak(conditions, networks, condition, network) - log_ms, 0.0)
        beyond[level <= LEVELS.index("B")] = 0.0  # measured here: the figures say otherwise
        log_ms += beyond
        table = evidence.widths() if widths is None else widths
        on_cpu = np.broadcast_to(conditions.on_cpu[condition], law_of.shape)
        return Estimates(log_ms, evidence.width_factors(level, on_cpu, table) * spread + beyond, level)


def _at_peak(conditions: Conditions, networks: Networks, condition: IntArray, network: IntArray) -> FloatArray:
    """Log of the time of every pair at the highest rated peak [log ms]: 2 operations per MAC, and nothing else.

    What the law extrapolates beyond it is wrong, whatever it was learnt from. NaN where a figure is missing, and for
    binarized networks, whose operations no peak counts.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        operations, rate = np.log(2 * networks.gmacs), np.log(conditions.limit_tops)
    rate[np.char.find(conditions.precision.astype(str), "binary") >= 0] = np.nan
    at_peak: FloatArray = operations[network] - rate[condition]
    return np.where(np.isfinite(at_peak), at_peak, np.nan)


def fit_rows(
    conditions: Conditions, networks: Networks, log_ms: FloatArray, tables: tuple[str, ...] = TABLES
) -> Estimator:
    """Fit the laws to n measured rows, one condition, network and log time [log ms] each.

    Of `tables` that are not all, the first answers in the place of those that are missing: for judging.
    """
    (places, condition), (nets, network) = conditions.distinct(), networks.distinct()
    laws = {table: fit_law(places, nets, condition, network, log_ms, table, SIGMA[table]) for table in tables}
    return Estimator({table: laws.get(table, laws[tables[0]]) for table in TABLES}, Seen.of(conditions, networks))


def fit(catalog: Catalog) -> Estimator:
    """Fit to every measured row of a catalogue."""
    return fit_rows(*rows_of(catalog), catalog.trials.log_ms)


def rows_of(catalog: Catalog) -> tuple[Conditions, Networks]:
    """Condition and network of every measured row."""
    trials = catalog.trials
    networks = KnownNetworks(catalog).describe(
        trials.model.tolist(), trials.input_h, trials.input_w, trials.gmacs, trials.params_m, trials.activations_m
    )
    return conditions_of(trials, catalog), networks


__all__ = ["LEVELS", "Estimates", "Estimator", "fit", "fit_rows", "rows_of"]
