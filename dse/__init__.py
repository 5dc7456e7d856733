"""Chooses the neural network and the chip it runs on: highest accuracy within worst-case limits, with proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dse.api import (
        Budgeted,
        BundleCheck,
        BundleDiff,
        Compared,
        Explained,
        FrontResult,
        Result,
        Sweep,
        budget,
        compare,
        diff_bundles,
        explain,
        load_problem,
        pareto,
        solve,
        sweep,
        verify_bundle,
        write_bundle,
    )

__all__ = [
    "Budgeted",
    "BundleCheck",
    "BundleDiff",
    "Compared",
    "Explained",
    "FrontResult",
    "Result",
    "Sweep",
    "budget",
    "compare",
    "diff_bundles",
    "explain",
    "load_problem",
    "pareto",
    "solve",
    "sweep",
    "verify_bundle",
    "write_bundle",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of an attribute not known yet
    """The public names, loaded when first used: ``dse --help`` must not wait for pandas."""
    if name in __all__:
        from dse import api

        return getattr(api, name)
    raise AttributeError(f"module 'dse' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return list(__all__)
