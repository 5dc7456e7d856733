"""Which runtimes have kernels for one-bit convolutions: those that somebody measured a binarized network with.

A runtime without them runs such a network as a float one at best, and its other measurements say nothing of the time:
the multiply-accumulates of a binarized network are not those of the networks measured beside it.
"""

from __future__ import annotations

import numpy as np

from dse.candidates.lanes import Lanes
from dse.candidates.run_table import ESTIMATED, Runs
from dse.catalog.operators import operators_of
from dse.catalog.types import BoolArray, Catalog, TextArray

NO_KERNELS = "runs of binarized networks where the runtime has no known kernels for one bit"
BINARY = "binary"
"""Word of the precisions (``mixed-binary`` too) and of the operators."""


def lacking_kernels(runs: Runs, lanes: Lanes, catalog: Catalog) -> BoolArray:
    """Estimated runs of a binarized network at a precision whose kernels are not one-bit ones. Shape (n,)."""
    one_bit = _is_binary(lanes.precision)[runs.lane]
    lacking: BoolArray = (runs.origin == ESTIMATED) & binarized(catalog)[runs.net] & ~one_bit
    return lacking


def binarized(catalog: Catalog) -> BoolArray:
    """Networks with one-bit convolutions: by their counts, their operators, or a run or accuracy at that precision.

    Shape (n,), one per net.
    """
    found = np.nan_to_num(catalog.nets.binary_gmacs) > 0
    entries, measured, figures = catalog.entries, catalog.measurements, catalog.accuracies
    words = {text: BINARY in operators_of(text) for text in set(entries.operators.tolist())}
    found[entries.net[np.array([words[text] for text in entries.operators.tolist()], dtype=np.bool_)]] = True
    found[measured.net[_is_binary(measured.precision)]] = True
    found[entries.net[figures.entry[_is_binary(figures.precision)]]] = True
    return found


def _is_binary(precision: TextArray) -> BoolArray:
    words = {word: BINARY in word.split("-") for word in set(precision.tolist())}
    return np.array([words[word] for word in precision.tolist()], dtype=np.bool_)
