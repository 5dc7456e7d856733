"""The closed choices of words that problem files and catalogues share, each declared once.

Tasks, data sets, metrics and runtimes are open: the catalogues bring their own.
"""

from __future__ import annotations

import re
from typing import Literal

UnitKind = Literal["npu", "gpu", "dla", "dsp", "cpu", "mcu", "fpga"]
Form = Literal["soc", "mcu", "module", "m2-card", "pcie-card", "card", "devkit", "sensor"]
Boundary = Literal["chip", "host", "pipeline", "app"]
"""Where the clock starts and stops: the inference alone, the call of the host, with pre- and post-processing, all."""
Statistic = Literal["min", "mean", "median", "p90", "p99", "p99.9", "max", "not-stated"]
Grade = Literal["A", "B", "C", "D", "E"]

PRECISIONS = ("fp32", "fp16", "bf16", "fp8", "float", "int16", "int8", "int4", "binary")
"""``float`` is fp16 or fp32 where the source does not say which."""
_MIXED = re.compile(r"mixed(-[a-z0-9]+)+")


def is_precision(word: str) -> bool:
    """Whether a word names a precision; ``mixed-…`` lists the precisions of a network that uses several.

    Examples
    --------
    >>> is_precision("int8"), is_precision("mixed-int8-int16"), is_precision("int9")
    (True, True, False)
    """
    return word in PRECISIONS or _MIXED.fullmatch(word) is not None
