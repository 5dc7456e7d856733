"""What was asked of dse beside the problem files: a command and its options, as a bundle keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dse.compare.comparison import Each
from dse.compare.question import At

JsonObject = dict[str, Any]
_TEXT = (str,)
_NUMBER = (int, float)
_MAYBE = (type(None),)
DIFFERENT = ("chip", "vendor", "toolchain", "none")

# Command -> option -> its default, the types a file may hold, and the words that are allowed; None allows any.
_OPTIONS: Mapping[str, Mapping[str, tuple[object, tuple[type, ...], tuple[str, ...] | None]]] = {
    "compare": {
        "at": ("best", _TEXT, tuple(at.value for at in At)),
        "accuracy": (None, _NUMBER + _MAYBE, None),
        "model": (None, _TEXT + _MAYBE, None),
        "chips": ((), (list, tuple), None),
        "each": ("chip", _TEXT, tuple(each.value for each in Each)),
        "seed": (0, (int,), None),
    },
    "solve": {
        "top": (5, (int,), None),
        "different": ("chip", _TEXT, DIFFERENT),
        "seed": (0, (int,), None),
    },
}
COMMANDS = tuple(_OPTIONS)


@dataclass(frozen=True)
class Request:
    """A command and every option of it that decides the answer; how many work on it does not.

    Raises
    ------
    ValueError
        A command, an option or a value that does not exist; the message says which.
    """

    command: str = "compare"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.command not in _OPTIONS:
            raise ValueError(f"there is no command `{self.command}` in bundles: {' or '.join(COMMANDS)}")
        known = _OPTIONS[self.command]
        unknown = [name for name in self.options if name not in known]
        if unknown:
            raise ValueError(f"`{self.command}` has no option `{unknown[0]}`")
        filled = {name: self.options.get(name, default) for name, (default, _, _) in known.items()}
        for name, value in filled.items():
            _, types, words = known[name]
            if not isinstance(value, types) or isinstance(value, bool) or (words and value not in words):
                raise ValueError(f"the option `{name}` cannot be {value!r}")
        if not all(isinstance(chip, str) for chip in filled.get("chips", ())):
            raise ValueError("the option `chips` is a list of names")
        object.__setattr__(self, "options", filled)

    def data(self) -> JsonObject:
        """The request as a bundle holds it."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in self.options.items()}
        return {"command": self.command, "options": plain}
