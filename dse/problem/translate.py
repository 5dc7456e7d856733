"""Puts the schema's complaints into the words of the file: where, what was found, what is allowed, what to do."""

from __future__ import annotations

import re
from typing import get_args

from pydantic import BaseModel, ValidationError

from dse.patterns import name_hint
from dse.problem.fields import NUMERIC, REFUSED
from dse.problem.raw import Finding
from dse.yamlfile.scalars import Raw
from dse.yamlfile.tree import Path

_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}
_KINDS = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "model_type": "a mapping of fields",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "finite_number": "a finite number",
}
MAX_FINDINGS = 500
"""Most findings; looking up the nearest name takes time, and nobody reads more."""


def findings(error: ValidationError, data: Raw, schema: type[BaseModel]) -> list[Finding]:
    """Every complaint of the schema as a finding, in its order.

    Parameters
    ----------
    error : ValidationError
        What pydantic raised.
    data : object
        The plain data that was validated.
    schema : type
        The model it was validated against.
    """
    return [_finding(details, data, schema) for details in error.errors(include_url=False)[:MAX_FINDINGS]]


def describe(value: Raw) -> str:
    """What a value is, shortly, in the words of a YAML file.

    Examples
    --------
    >>> describe("30"), describe(True), describe([1, 2]), describe(None)
    ('the text "30"', 'true', 'a list', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 40 else value[:37] + "..."}"'
    if isinstance(value, float):
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(repr(value), repr(value))
    if isinstance(value, dict | list | tuple):
        return "a mapping" if isinstance(value, dict) else "a list"
    return str(value)


def _finding(details: Raw, data: Raw, schema: type[BaseModel]) -> Finding:
    kind, context = details["type"], details.get("ctx", {})
    path, value = _path(details["loc"], data)
    if kind == REFUSED:
        inside, found = _path(context["inside"], value)
        message = context["message"]
        if message.startswith("must"):
            message += f", found {describe(found)}"
        return Finding((*path, *inside), message, context["hint"])
    if kind == "missing":
        name = str(details["loc"][-1])
        return Finding(path, f"{name} is missing", _description(schema, details["loc"]))
    if kind == "extra_forbidden":
        name = str(details["loc"][-1])
        return Finding(path, f"unknown field `{_shorten(name)}`", name_hint(name, _fields(schema, details["loc"][:-1])))
    return Finding(path, *_wording(kind, context, details["input"]))


def _wording(kind: str, context: dict[str, Raw], value: Raw) -> tuple[str, str]:
    """Message and hint for the kinds of complaint pydantic itself has."""
    found = f"found {describe(value)}"
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        return f"must be {words} {context[key]:g}, {found}", ""
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        return f"must be one of {', '.join(choices)}, {found}", _near(value, choices)
    if kind in _KINDS:
        quoted = kind in ("float_type", "int_type") and isinstance(value, str) and NUMERIC.fullmatch(value)
        wanted = "put quotes around it" if kind == "string_type" and isinstance(value, int | float) else ""
        return f"must be {_KINDS[kind]}, {found}", "remove the quotes" if quoted else wanted
    if kind in ("string_too_short", "string_too_long"):
        return ("must not be empty" if kind == "string_too_short" else "is too long"), ""
    if kind in ("too_short", "too_long"):  # the pair of an input size is the only list of fixed length
        return f"has the wrong number of items, {found}", ""
    return f"is not allowed here, {found}", ""


def _path(loc: tuple[str | int, ...], data: Raw) -> tuple[Path, Raw]:
    """Path in the file for a location in the schema: steps that short forms leave out are skipped."""
    path: list[str | int] = []
    for part in loc:
        is_key = isinstance(data, dict) and part in data
        if is_key or (isinstance(data, list) and isinstance(part, int) and part < len(data)):
            data = data[part]
            path.append(part)
    return tuple(path), data


def _near(value: Raw, choices: list[str]) -> str:
    return name_hint(value, choices, short=0) if isinstance(value, str) else ""


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _description(schema: type[BaseModel], loc: tuple[str | int, ...]) -> str:
    model = _model_at(schema, loc[:-1])
    for name, field in model.model_fields.items() if model else ():
        if loc[-1] == (field.alias or name):
            return field.description or ""
    return ""


def _fields(schema: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    model = _model_at(schema, loc)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _model_at(schema: type[BaseModel], loc: tuple[str | int, ...]) -> type[BaseModel] | None:
    """Model a location of the schema leads to."""
    model: type[BaseModel] | None = schema
    for part in loc:
        if isinstance(part, int) or model is None:
            continue
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        model = _inner(fields[part].annotation) if part in fields else None
    return model


def _inner(annotation: Raw) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _inner(part))), None)
