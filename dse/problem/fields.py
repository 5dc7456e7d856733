"""The kinds of value a problem file is made of: numbers with bounds, closed choices, lists that may be one item.

Types are strict: text is never taken for a number, a truth value neither, and infinities are refused.
"""

from __future__ import annotations

import calendar
import re
from fractions import Fraction
from typing import Annotated, Literal, NoReturn, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from dse.patterns import name_hint
from dse.words import PRECISIONS, is_precision
from dse.yamlfile.scalars import Raw

Codec = Literal["raw", "h264", "h265", "mjpeg"]
Phase = Literal["arbitrary", "synchronous"]
Guarantee = Literal["worst-case", "p99"]
Policy = Literal["count", "dynamic", "timeout-close"]
Scheduling = Literal["fifo", "fixed-priority", "round-robin"]
UnknownPolicy = Literal["reject", "flag"]

REFUSED = "refused"
"""Kind of the errors `refuse` raises, for whoever translates them."""
NUMERIC = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", re.ASCII)
"""Text that would be a number without its quotes."""


class Model(BaseModel):
    """Base of everything in a problem file: frozen, strict about types, no unknown fields."""

    # Building the validators takes longer than importing everything else: it waits for the first file.
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


def exact(value: float) -> Fraction:
    """Fraction that equals the decimal a user typed, not its binary neighbour.

    Examples
    --------
    >>> exact(0.1), 1000 / exact(29.97)
    (Fraction(1, 10), Fraction(100000, 2997))
    """
    return Fraction(repr(value))


def refuse(message: str, hint: str = "", inside: tuple[str | int, ...] = ()) -> NoReturn:
    """Refuse a value, in the words the user will read.

    Parameters
    ----------
    message, hint : str
        What was found and what is allowed; what to do.
    inside : tuple of keys
        Path of the culprit below the value that is being validated.
    """
    # The words are in the context: as the template, braces in them would be read as fields.
    raise PydanticCustomError(REFUSED, REFUSED, {"message": message, "hint": hint, "inside": inside})


class _OneOrMany:
    """Marks a tuple for which a lone item, a list, and (when asked) the word ``all`` may be written."""

    def __init__(self, *, all_word: bool = False, may_be_empty: bool = False) -> None:
        self.all_word = all_word
        self.may_be_empty = may_be_empty

    def convert(self, value: Raw) -> Raw:
        if isinstance(value, tuple):
            return value
        items = tuple(value) if isinstance(value, list) else (value,)
        if self.all_word and len(items) == 1 and isinstance(items[0], str) and items[0].casefold() == "all":
            return ()
        if not items and not self.may_be_empty:
            refuse("must not be an empty list", "leave the field out to use its default")
        return items

    def __get_pydantic_core_schema__(self, source: Raw, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.convert, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Raw]:
        listed = handler(schema)
        if not self.may_be_empty:
            listed["minItems"] = 1
        words = [{"const": "all"}] if self.all_word else []
        return {"anyOf": [*words, listed["items"], listed]}


Item = TypeVar("Item")
Many = Annotated[tuple[Item, ...], _OneOrMany()]
"""At least one item; a lone item needs no brackets."""
ManyOrAll = Annotated[tuple[Item, ...], _OneOrMany(all_word=True)]
"""As `Many`; the word ``all`` gives the empty tuple, which stands for everything."""
AnyNumber = Annotated[tuple[Item, ...], _OneOrMany(may_be_empty=True)]
"""As `Many`, but the list may be empty."""


def _percent(value: float) -> float:
    if 0 < value <= 1:
        message = f"accuracies are percent: write {float(exact(value) * 100):g}, not {value:g}"
        refuse(f"found {value:g}, which is at most one percent", message)
    return value


def _precision(value: str) -> str:
    if is_precision(value):
        return value
    if value == "unknown":
        refuse("`unknown` cannot be asked for: it marks measurements that only train the estimates")
    refuse(f"found `{value}`", name_hint(value, (*PRECISIONS, "mixed-…")))


def _none_word(value: Raw) -> Raw:
    if isinstance(value, str):
        if value.casefold() == "none":
            return None
        if not NUMERIC.fullmatch(value):
            refuse("must be a number, or the word none")
    return value


def last_day(value: Raw) -> str:
    """Last day of a date, month or year, as ``YYYY-MM-DD``.

    Parameters
    ----------
    value : str or int
        ``2031``, ``2031-06`` or ``2031-06-30``.

    Raises
    ------
    PydanticCustomError
        It is no date.
    """
    parts = re.fullmatch(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", str(value)) if type(value) in (str, int) else None
    if parts:
        year, month = int(parts[1]), int(parts[2] or 12)
        if year >= 1 and 1 <= month <= 12:
            longest = calendar.monthrange(year, month)[1]
            day = int(parts[3] or longest)
            if 1 <= day <= longest:
                return f"{year:04d}-{month:02d}-{day:02d}"
    refuse("must be a date such as 2031, 2031-06 or 2031-06-30")


def _day(value: Raw) -> str:
    """A single day as ``YYYY-MM-DD``; a month or a year is none."""
    if not isinstance(value, str) or len(value) != len("2026-11-30"):
        refuse("must be a day such as 2026-11-30")
    return last_day(value)


def _currency(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{3}", value):
        refuse(f"found `{value}`", "a currency is its ISO code of three letters, such as EUR")
    if value.upper() == "USD":
        refuse("one USD is one USD", "leave it out")
    return value.upper()


MOST_COUNT = 1_000_000
"""Most of anything that is counted."""

Name = Annotated[str, Field(min_length=1, max_length=200)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=MOST_COUNT)]
Percent = Annotated[float, Field(ge=0, le=100), AfterValidator(_percent)]
Day = Annotated[str, BeforeValidator(_day, json_schema_input_type=str)]
"""A day, ``YYYY-MM-DD``."""
Currency = Annotated[str, AfterValidator(_currency)]
"""ISO code of a currency that is not the dollar, in capitals."""
Precision = Annotated[str, AfterValidator(_precision), Field(json_schema_extra={"examples": [*PRECISIONS]})]
Deadline = Annotated[Positive | None, BeforeValidator(_none_word, json_schema_input_type=Positive | Literal["none"])]
