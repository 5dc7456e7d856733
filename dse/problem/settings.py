"""What surrounds the tasks: reserve, host, guard, objectives, own measurements, procurement and the baseline."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from dse.patterns import name_hint
from dse.problem.fields import (
    Count,
    Currency,
    Day,
    Model,
    Name,
    NonNegative,
    Percent,
    Positive,
    Precision,
    Share,
    UnknownPolicy,
    refuse,
)
from dse.problem.limits import KINDS, PREFIXES
from dse.words import Boundary, Grade, Statistic, UnitKind
from dse.yamlfile.scalars import Raw

DEFAULT_UNKNOWN: Mapping[str, UnknownPolicy] = MappingProxyType(
    {"default": "reject", "price_usd": "flag", "lifecycle_until": "flag", "license": "flag"}
)
"""What to do where a limit meets a missing figure, unless the file says otherwise."""


MOST, LEAST_W, LEAST_MS, LEAST_USD = 1e9, 1e-6, 1e-4, 1e-6
"""No product draws, costs or holds more; and what is less would be 0 in the whole numbers of the candidate table."""
MOST_YEARS = 100
"""Longest time in service."""


class Reserve(Model):
    """What each device keeps for the rest of the product; a field left out follows the class of the chip."""

    memory_mb: NonNegative | None = Field(default=None, le=MOST, description="Memory kept free [10^6 byte].")
    cpu_cores: NonNegative | None = Field(default=None, description="CPU cores kept free.")
    power_w: NonNegative | None = Field(default=None, le=MOST, description="Power kept for other parts [W].")


class Host(Model):
    """The computer a card is plugged into."""

    absent: bool = Field(default=False, description="There is none; the same as `host: none`.")
    board: Name | None = Field(default=None, description="Board of the catalogue; the same as `host: NAME`.")
    owned: bool = Field(default=False, description="It is there already: neither its price nor its power counts.")
    cpu_cores: Count | None = Field(default=None, description="CPU cores it has.")
    power_w: NonNegative | None = Field(default=None, le=MOST, description="Sustained power of the host alone [W].")
    price_usd: NonNegative | None = Field(default=None, le=MOST, description="Price of the host alone [USD].")


def _host(value: Raw) -> Raw:
    if isinstance(value, str):
        return {"absent": True} if value.casefold() == "none" else {"board": value}
    return value


HostField = Annotated[Host | None, BeforeValidator(_host, json_schema_input_type=Host | str)]


def _confidence(value: Raw) -> Raw:
    if isinstance(value, bool) or not isinstance(value, int | float):
        if value == "by-grade":
            return value
        refuse("must be the word by-grade or a number between 0.5 and 1")
    if not 0.5 < value < 1:
        hint = f"write {value / 100:g} for {value:g} percent" if 50 < value < 100 else ""
        refuse("must be the word by-grade, or more than 0.5 and less than 1", hint)
    return float(value)


def _unknown(value: Raw) -> Raw:
    if isinstance(value, str):
        return {"default": value}
    if not isinstance(value, dict):
        return value
    for name in value:
        if name not in (*KINDS, *DEFAULT_UNKNOWN) and name.partition(".")[0] not in PREFIXES:
            refuse(f"there is no limit `{name}`", name_hint(name, (*KINDS, *DEFAULT_UNKNOWN)), (name,))
    return {**DEFAULT_UNKNOWN, **value}


class Guard(Model):
    """How careful the answer is with figures that are estimates."""

    confidence: Annotated[
        float | str,
        BeforeValidator(_confidence),
        WithJsonSchema({"anyOf": [{"const": "by-grade"}, {"exclusiveMinimum": 0.5, "exclusiveMaximum": 1}]}),
    ] = Field(default="by-grade", description="One-sided confidence in estimates: by-grade, or a number (0.5 to 1).")
    evidence: Grade = Field(default="D", description="Weakest grade of time and accuracy that may decide (A to E).")
    tail: Literal["p99", "p99.9", "max"] = Field(
        default="p99.9", description="Which slow run of the network counts as its worst; max adds the stall."
    )
    boundary: Boundary = Field(default="host", description="Where a time must have been measured to count in full.")
    application_factor: Positive = Field(default=1.0, le=1000, description="Factor on every time of the network.")
    period_as_latency: Literal["interval"] = Field(
        default="interval", description="A pipelined period stands for a latency only as an interval."
    )
    unknown: Annotated[
        dict[str, UnknownPolicy],
        BeforeValidator(_unknown, json_schema_input_type=UnknownPolicy | dict[str, UnknownPolicy]),
    ] = Field(
        default_factory=lambda: dict(DEFAULT_UNKNOWN),
        description="reject or flag where a limit meets a missing figure, by limit; one word holds for all.",
    )

    def policy(self, limit: str) -> UnknownPolicy:
        """What to do where this limit (``price_usd``, ``model.license``) meets a missing figure."""
        for name in (limit, limit.rpartition(".")[2], "default"):
            if name in self.unknown:
                return self.unknown[name]
        return DEFAULT_UNKNOWN["default"]


OBJECTIVES = (*KINDS, "typical_ms")


class Objective(Model):
    """One thing to improve; earlier ones go first."""

    sense: Literal["maximize", "minimize"] = Field(description="Direction.")
    name: Name = Field(description="What is improved: the name of a limit or, with a prefix, an attribute.")
    within: NonNegative = Field(default=0.0, description="How much may be given up for the objectives that follow.")


def _objective(value: Raw) -> Raw:
    if not isinstance(value, dict):
        return value
    given = dict(value)
    senses = [sense for sense in ("maximize", "minimize") if sense in given]
    for key in given:
        if key not in ("maximize", "minimize", "within"):
            refuse(f"unknown field `{key}`", name_hint(key, ("maximize", "minimize", "within")), (key,))
    if len(senses) != 1:
        refuse("must have exactly one of maximize and minimize")
    name = given.pop(senses[0])
    if not isinstance(name, str) or (name.partition(".")[0] not in PREFIXES and name not in OBJECTIVES):
        refuse(f"there is no objective `{name}`", name_hint(str(name), OBJECTIVES), (senses[0],))
    return {"sense": senses[0], "name": name, **given}


_OBJECTIVE_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "maximize": {"type": "string", "description": "What should be large."},
        "minimize": {"type": "string", "description": "What should be small."},
        "within": {"type": "number", "minimum": 0, "description": Objective.model_fields["within"].description},
    },
}
ObjectiveField = Annotated[Objective, BeforeValidator(_objective), WithJsonSchema(_OBJECTIVE_SCHEMA)]


def default_objectives() -> tuple[Objective, ...]:
    """Objectives of a file that states none; a function, so that importing this module builds no validator."""
    return (
        Objective(sense="maximize", name="accuracy", within=0.1),
        Objective(sense="minimize", name="price_usd"),
        Objective(sense="minimize", name="power_w"),
        Objective(sense="minimize", name="worst_case_ms"),
    )


def _input_size(value: Raw) -> Raw:
    if type(value) is int:
        return (value, value)
    return tuple(value) if isinstance(value, list) else value


class Known(Model):
    """A measurement of the user's own: it counts as grade A and goes before the catalogue."""

    model: Name = Field(description="Model that was measured; with `like` it may be a new name.")
    like: Name | None = Field(default=None, description="Model of the catalogue it shares everything else with.")
    chip: Name | None = Field(default=None, description="Chip it ran on.")
    board: Name | None = Field(default=None, description="Board it ran on, instead of or beside the chip.")
    mode: Name | None = Field(default=None, description="Power mode; default: the highest.")
    runtime: Name | None = Field(default=None, description="Runtime that executed it.")
    unit: UnitKind | None = Field(default=None, description="Kind of unit it ran on.")
    cores: Count | None = Field(default=None, description="Cores of the unit that were used.")
    precision: Precision = Field(description="Precision it ran at.")
    batch: Count = Field(default=1, description="Batch size; the time is that of the whole batch.")
    input: Annotated[
        tuple[Count, Count] | None, BeforeValidator(_input_size, json_schema_input_type=Count | list[Count])
    ] = Field(default=None, description="Input size [pixel]: one number, or [height, width].")
    latency_ms: Positive | None = Field(
        default=None, ge=LEAST_MS, description="Time from start to end of one batch [ms]."
    )
    period_given_ms: Positive | None = Field(
        default=None,
        ge=LEAST_MS,
        alias="period_ms",
        description="Time from one result to the next when pipelined [ms], instead of latency_ms.",
    )
    statistic: Statistic = Field(default="not-stated", description="Which value of the repetitions it is.")
    boundary: Boundary = Field(default="chip", description="What the time includes; chip is the least.")
    power_w: Positive | None = Field(default=None, ge=LEAST_W, le=MOST, description="Power while it ran [W].")
    accuracy: Percent | None = Field(default=None, description="Accuracy measured [percent].")
    task: Name | None = Field(default=None, description="Task the model is for, by its name here or in general.")
    source: str | None = Field(default=None, description="Who measured it, and how.")


class Engineering(Model):
    """Work that is paid once."""

    days: NonNegative = Field(le=MOST, description="Working days.")
    day_rate_usd: NonNegative = Field(le=MOST, description="Cost of one working day [USD].")


def _short_years(value: float) -> float:
    if value > MOST_YEARS:
        refuse(f"must be a duration of at most {MOST_YEARS} years")
    return value


class Procurement(Model):
    """How the system is bought and run."""

    quantity: Count = Field(default=1, description="Systems bought.")
    years: Annotated[Positive, AfterValidator(_short_years)] = Field(default=5.0, description="Years in service.")
    hours_per_day: float = Field(default=24.0, ge=0, le=24, description="Hours in service each day.")
    energy_usd_per_kwh: NonNegative = Field(default=0.15, le=MOST, description="Price of energy [USD/kWh].")
    discount_rate: Share = Field(default=0.08, description="Yearly discount of later costs [share].")
    quotes: Name | None = Field(
        default=None, description="CSV file with quotations, relative to this file; they go before list prices."
    )
    usd_per: dict[Currency, Annotated[Positive, Field(le=MOST)]] = Field(
        default_factory=dict, description="Dollars for one unit of another currency, by its ISO code, for quotations."
    )
    as_of: Day | None = Field(
        default=None, description="Day on which quotations must still be valid; without it none counts as expired."
    )
    engineering: Engineering | None = Field(default=None, description="Work that is paid once.")
    spares_share: Share = Field(default=0.0, description="Systems bought as spares [share of the quantity].")


class Baseline(Model):
    """What is in use today, to compare with."""

    chip: Name = Field(description="Chip in use.")
    model: Name = Field(description="Model in use.")
    precision: Precision | None = Field(default=None, description="Precision in use.")
    task: Name | None = Field(default=None, description="Task it does, by its name in this file.")
    mode: Name | None = Field(default=None, description="Power mode in use.")
    runtime: Name | None = Field(default=None, description="Runtime in use.")
    batch: Count = Field(default=1, description="Batch size in use.")
    owned: bool = Field(default=False, description="Whether it is paid for already.")
