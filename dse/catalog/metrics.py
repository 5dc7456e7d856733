"""What is known of the metrics: which are percentages, and for which a smaller figure is the better one."""

from __future__ import annotations

PERCENT = frozenset(
    {
        "accuracy", "ar1000", "clip-accuracy", "delta1", "map40", "map50", "map50-95", "mask-map50-95",
        "mean-accuracy", "miou", "oks", "oks-map50-95", "rank1", "recall@10", "tar@far1e-4",
        "top1", "top5", "wider-easy-ap", "wider-hard-ap", "wider-medium-ap",
    }
)  # fmt: skip
"""Metrics on 0–100 where a figure of at most 1 is a share that nobody multiplied by 100.

masked-lm-top1 is on 0–100 too, but quantization brings some language models to exactly 0.
"""
UNIT = frozenset({"auc-0-1", "ssim-0-1"})
"""Metrics on 0–1."""
LOWER_IS_BETTER = frozenset({"absrel", "angular-error-deg", "epe", "mae", "nme", "rmse"})
"""Errors and distances."""
