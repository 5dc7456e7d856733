"""Judges an answer without the solver: requirements recomputed from unscaled figures, the optimum re-proven.

Two roads that share no code with the model: the chosen design is worked out again in exact fractions, from the
measurements and the catalogue's own figures (``figures``) and the exact bounds (``path``); and the choice is repeated
by plain enumeration over the candidate table in Python numbers (``judge``). Of several tasks on one device the
journeys of their items are written down and bounded again (``journeys``, ``together``, ``combination``, which is
imported by its own name: most problems have one task). A disagreement is a bug in dse.
"""

from dse.verify.judge import verify_choice, verify_infeasible, verify_rows
from dse.verify.path import exact_worst_case_ms

__all__ = ["exact_worst_case_ms", "verify_choice", "verify_infeasible", "verify_rows"]
