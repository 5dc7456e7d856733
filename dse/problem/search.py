"""The space that is searched: which chips, models and ways to run them may be considered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from dse.patterns import matches_any
from dse.problem.fields import (
    AnyNumber,
    Count,
    Many,
    ManyOrAll,
    Model,
    Name,
    NonNegative,
    Policy,
    Precision,
    Scheduling,
)
from dse.words import Form, UnitKind
from dse.yamlfile.scalars import Raw

Batch = Annotated[int, Field(ge=1, le=4096)]
BufferCount = Annotated[int, Field(ge=1, le=2)]


class Selection(Model):
    """Names to take and names to leave out, as patterns."""

    include: ManyOrAll[Name] = Field(default=(), description="Patterns of names to take; left out: all.")
    exclude: AnyNumber[Name] = Field(default=(), description="Patterns of names to leave out; wins over include.")

    def admits(self, *names: str) -> bool:
        """Whether something known under these names (its id, its family) is selected."""
        if matches_any(self.exclude, names):
            return False
        return not self.include or matches_any(self.include, names)


class Where(Model):
    """Properties a chip must have; each is a list of values that will do."""

    vendor: Many[Name] = Field(default=(), description="Vendors; empty: all.")
    form: Many[Form] = Field(default=(), description="Forms of delivery; empty: all.")
    toolchain: Many[Name] = Field(default=(), description="Toolchains; empty: all.")


class ChipSelection(Selection):
    """Chips to take, by name and by property."""

    where: Where = Field(default_factory=Where, description="Properties the chips must have.")


def _selection(value: Raw) -> Raw:
    return {"include": value} if isinstance(value, str | list | tuple) else value


Names = Annotated[Selection, BeforeValidator(_selection, json_schema_input_type=Selection | str | list[str])]
ChipNames = Annotated[
    ChipSelection, BeforeValidator(_selection, json_schema_input_type=ChipSelection | str | list[str])
]


class Batching(Model):
    """How items are gathered into a batch."""

    policy: Many[Policy] = Field(
        default=("dynamic",),
        description="count: wait for a full batch; dynamic: take what waits; timeout-close: wait up to a time.",
    )
    timeout_ms: Many[NonNegative] = Field(default=(0.0,), description="Longest waits to try [ms].")


def _batching(value: Raw) -> Raw:
    return {"policy": value} if isinstance(value, str | list) else value


class TaskSearch(Model):
    """What may be chosen for one task; a field given here replaces the one of the whole problem."""

    chips: ChipNames = Field(default_factory=ChipSelection, description="Chips to consider.")
    boards: Names = Field(
        default_factory=Selection,
        description="Boards to consider; naming some leaves out chips alone, exclude: ['*'] leaves them only.",
    )
    modes: Many[Name] = Field(
        default=("named",), description="Power modes: named (those the vendor names), all, or a list of patterns."
    )
    units: ManyOrAll[UnitKind] = Field(default=(), description="Kinds of unit to run on; empty: all.")
    runtimes: Names = Field(default_factory=Selection, description="Runtimes to consider.")
    precisions: ManyOrAll[Precision] = Field(
        default=(), description="Precisions; empty: all the unit executes and whose accuracy is known or estimated."
    )
    batches: Many[Batch] | None = Field(
        default=None, description="Batch sizes; default 1 for one stream, else 1, 2, 4, 8, 16."
    )
    batching: Annotated[
        Batching, BeforeValidator(_batching, json_schema_input_type=Batching | Policy | list[Policy])
    ] = Field(default_factory=Batching, description="How items are gathered into a batch.")
    buffers: Many[BufferCount] = Field(
        default=(1,), description="1: transfer and inference in turn; 2: double-buffered."
    )
    weights: Literal["all", "default"] = Field(
        default="all", description="Which trained weights of an architecture: all, or its default ones."
    )


class Devices(Model):
    """How many devices a design may have."""

    min: Count = Field(default=1, description="Fewest devices.")
    max: Count = Field(default=1, description="Most devices.")
    mixed: bool = Field(default=False, description="Whether devices may differ from each other.")
    spare: int = Field(default=0, ge=0, le=1_000_000, description="Devices that may fail without a missed deadline.")
    max_streams_each: Count | None = Field(default=None, description="Most streams on one device.")


class Search(TaskSearch):
    """What may be chosen for the whole problem."""

    scheduling: Scheduling = Field(default="fifo", description="Order of tasks that share a unit.")
    devices: Devices = Field(default_factory=Devices, description="How many devices a design may have.")
