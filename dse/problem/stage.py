"""Stages: the steps one item passes from its source to the result, the network among them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from dse.patterns import matches, normalise
from dse.problem.fields import Count, Model, Name, NonNegative, Positive, Share
from dse.yamlfile.scalars import Raw

INFER = "infer"
"""Name of the stage that is the network itself."""
CHIP_RESOURCES = frozenset({"cpu", "dma", "video-decoder", "npu", "gpu", "dla", "dsp", "mcu", "fpga"})
"""Resources every chip may bring; any other name belongs to the problem alone."""


class PerChip(Model):
    """A figure that may differ from chip to chip."""

    default: NonNegative | None = Field(default=None, description="On every chip not named.")
    by_chip: dict[str, NonNegative] = Field(default_factory=dict, description="Chip id or pattern: figure there.")

    def on(self, chip: str, family: str = "") -> float | None:
        """Figure on one chip: by its own name, else by the first pattern that fits, else the default.

        None means that the problem does not say it for this chip.
        """
        for name, value in self.by_chip.items():
            if normalise(name) == normalise(chip):
                return value
        for pattern, value in self.by_chip.items():
            if matches(pattern, chip) or (family and matches(pattern, family)):
                return value
        return self.default

    def names(self, chip: str) -> bool:
        """Whether the problem says it for this chip by name or pattern, not only for all."""
        return any(matches(pattern, chip) for pattern in self.by_chip)


def _per_chip(value: Raw) -> Raw:
    if isinstance(value, PerChip):
        return value
    if isinstance(value, dict):
        given = {"by_chip": {key: item for key, item in value.items() if key != "default"}}
        return given | ({"default": value["default"]} if "default" in value else {})
    return {"default": value}


Figure = Annotated[PerChip, BeforeValidator(_per_chip, json_schema_input_type=NonNegative | dict[str, NonNegative])]


class Fallback(Model):
    """Where a stage runs, and for how long, when the chip lacks the resource it names."""

    on: Name = Field(default="cpu", description="Resource used instead.")
    time_ms: Figure | None = Field(default=None, description="Worst-case time of one item there [ms].")
    ms_per_mpx: Figure | None = Field(default=None, description="Time per million input pixels there [ms].")


class Stage(Model):
    """One step on the path of an item."""

    name: Name = Field(description="Name of the step; `infer` is the network.")
    on: Name | None = Field(
        default=None,
        description="Resource: cpu, dma, video-decoder, a unit of the chip, or a name of your own. "
        "Default: dma for a transfer, cpu for a time, none for a delay.",
    )
    time_ms: Figure | None = Field(default=None, description="Worst-case time of one item [ms]; a number, or per chip.")
    ms_per_mpx: Figure | None = Field(default=None, description="Time per million input pixels [ms], beside time_ms.")
    delay_ms: NonNegative | None = Field(default=None, description="Delay that occupies nothing [ms].")
    variation_ms: NonNegative = Field(default=0.0, description="How much longer the delay may get [ms].")
    mbytes: NonNegative | Literal["auto"] | None = Field(
        default=None, description="Bytes moved per item [10^6 byte]; auto: the input of the network."
    )
    overlap: Share = Field(default=0.0, description="Share hidden behind the next stage for the same item [0 to 1].")
    contention_ms: NonNegative = Field(default=0.0, description="Wait for others on the memory bus, at most [ms].")
    max_ms: Positive | None = Field(default=None, description="Limit on this stage alone [ms].")
    servers: Count = Field(default=1, description="Items the resource serves at a time; for names of your own.")
    otherwise: Fallback | None = Field(
        default=None, alias="else", description="What to do on chips that lack the resource."
    )

    @property
    def resource(self) -> str:
        """Resource the stage occupies, normalised; empty for a pure delay and for the network."""
        if self.on is not None:
            return normalise(self.on)
        if self.name == INFER or self.delay_ms is not None:
            return ""
        return "dma" if self.mbytes is not None else "cpu"

    @property
    def is_private(self) -> bool:
        """Whether the resource is the problem's own, not one of the chip's."""
        return bool(self.resource) and self.resource not in CHIP_RESOURCES
