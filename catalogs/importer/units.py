"""Units of a chip that execute networks: what was measured, with its rated peaks."""

from collections.abc import Mapping

import pandas as pd

from catalogs.importer.cells import Flow, Row, figure, scalar

X86_VENDORS = {"Intel", "AMD"}
ORIGINS = {"read": "read: the page was not recorded", "derived": "derived", "recalled": "recalled"}
WITH_SRAM = ("npu", "fpga", "mcu")


def unit_entries(chip: Row, form: str, peaks: pd.DataFrame, measured: pd.DataFrame) -> list[Flow]:
    """One entry per kind of unit; a chip without measurements has the one its form suggests."""
    kinds = sorted(set(measured.unit_kind)) or [
        "mcu" if form == "mcu" else "gpu" if chip["vendor"] == "NVIDIA" else "npu"
    ]
    return [
        unit_entry(chip, form, kind, peaks[peaks.unit_kind == kind], measured[measured.unit_kind == kind])
        for kind in kinds
    ]


def unit_entry(chip: Row, form: str, kind: str, rated: pd.DataFrame, measured: pd.DataFrame) -> Flow:
    """One unit; `rated` and `measured` hold its own rows."""
    count = str(figure(chip, "npu_cores"))
    return Flow(
        id=kind,
        kind=kind,
        count=int(count) if kind in ("npu", "fpga") and count.isdigit() else 1,
        peak_tops={row["precision"]: scalar(float(row["rated_tops"])) for row in rated.to_dict("records")},
        one_inference_share=scalar(float(rated.share_of_one_inference.iloc[0])) if len(rated) else None,
        sram_kib=figure(chip, "sram_kib") if kind in WITH_SRAM else None,
        precisions=sorted(set(measured.precision) - {"unknown"}),
        tail_class=tail_class(chip, form, kind),
    )


def unit_sources(chip: Row, peaks: pd.DataFrame, sources: Mapping[str, str]) -> dict[str, str]:
    """Where the rated peak of a unit is from, as ``cpu.peak_tops.int8``, when the chip's own line is not about it.

    The chip's ``peak_tops.int8`` is the figure the vendor prints; the CPU beside it has another peak.
    """
    added = {}
    columns = {"int8": "tops_int8", "fp16": "tflops_fp16"}
    for row in peaks.to_dict("records"):
        printed = figure(chip, columns.get(row["precision"], ""))
        covered = f"peak_tops.{row['precision']}" in sources and printed == scalar(float(row["rated_tops"]))
        if not covered:
            added[f"{row['unit_kind']}.peak_tops.{row['precision']}"] = ORIGINS[row["origin"]]
        if row["share_of_one_inference"] != 1 and "npu_cores" not in sources:
            added[f"{row['unit_kind']}.one_inference_share"] = ORIGINS[row["origin"]]
    return added


def tail_class(chip: Row, form: str, kind: str) -> str:
    """Which class of ``tails.csv`` the unit's slow runs follow."""
    if kind == "mcu" or chip["class"] == "mcu":
        return "mcu"
    if kind in ("gpu", "dla") and chip["vendor"] == "NVIDIA":
        return "discrete-gpu" if form == "pcie-card" else "jetson-gpu"
    if kind == "cpu":
        return "cpu-x86" if chip["vendor"] in X86_VENDORS else "cpu-arm"
    if kind == "npu":
        return {"pcie-card": "npu-pcie-card", "m2-card": "npu-m2-card", "card": "npu-m2-card"}.get(form, "soc-npu")
    return {"fpga": "fpga"}.get(kind, "soc-gpu")
