"""Named rules on collected measurements: what a row really is, and which rows are kept and never used."""

import pandas as pd

# What each excluded row is, and why: the catalogue's own audit found them, their sources print them as they stand.
KNOWN_BAD = (
    (
        "rk3588",
        "ncnn-vulkan",
        "Station-M3",
        1e9,
        "a run whose shaders failed: VGG-16 in 0.56 ms is 55 TOPS on a Mali GPU",
    ),
    ("nvidia-t4", "mlperf-offline-tensorrt", "", 0.04, "the rate of a computer with several cards"),
)
"""Chip, runtime, beginning of the board's name, times below which rows are wrong [ms], reason."""


def usb_generation(rows: pd.DataFrame) -> pd.Series:
    """Runtime of each row, the Edge TPU's behind USB 2 and USB 3 apart: the link is most of what differs."""
    board = rows.board.fillna("")
    on_usb = rows.runtime == "edgetpu-usb"
    is_two = on_usb & board.str.contains(r"USB ?2")
    is_three = on_usb & board.str.contains(r"USB ?3")
    return rows.runtime.mask(is_two, "edgetpu-usb2").mask(is_three, "edgetpu-usb3")


def excluded(rows: pd.DataFrame) -> pd.Series:
    """Why a row is never used; empty where it is."""
    reasons = pd.Series("", index=rows.index)
    board = rows.board.fillna("")
    for chip, runtime, on_board, time_ms, reason in KNOWN_BAD:
        is_bad = (rows.chip == chip) & (rows.runtime == runtime) & board.str.startswith(on_board)
        reasons = reasons.mask(is_bad & (rows.time_ms_per_item < time_ms), reason)
    return reasons
