"""What every page dse writes shares: one HTML file that needs nothing else, and whose browser asks no network.

A page's policy lets the browser run the scripts written into it, known by their hash, and no other. Names come from
files of the user, so the data is JSON that cannot end its element, and the scripts only ever set text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dse.errors import Fault, InputError

if TYPE_CHECKING:
    from jinja2 import Environment

PAGES = (".html", ".htm")
_FOLDER = files("dse.report") / "page"


def require_file(target: Path, libraries: tuple[str, ...]) -> None:
    """Refuse a page that cannot be written, before any work is done.

    Raises
    ------
    InputError
        The ending is neither ``.html`` nor ``.htm``, the folder is missing, or a library is not installed.
    """
    if target.suffix.casefold() not in PAGES:
        raise InputError([Fault(str(target), 0, 0, "", "is no page dse can write", f"end in {' or '.join(PAGES)}")])
    if not target.parent.is_dir():
        raise InputError([Fault(str(target), 0, 0, "", f"there is no folder `{target.parent}`", "make it first")])
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        needs = f"needs {' and '.join(missing)}"
        raise InputError([Fault(str(target), 0, 0, "", needs, 'install it: pip install "dse[report]"')])


def write_text(page: str, target: Path) -> None:
    """Write a page, whole or not at all; half of a surrogate pair in a name, which no encoding can write, becomes ?."""
    from dse.report.table import whole_file

    with whole_file(target) as file:
        file.write(page.encode("utf-8", "replace"))


def templates() -> Environment:
    """Where pages are filled in: every text is escaped, and a name that nothing defines is an error."""
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def part(name: str) -> str:
    """A part of a page: a template, a style or a script, by its path in the folder of pages."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def script_of(names: tuple[str, ...]) -> str:
    """Parts of a page's own script as one, that shows no name of its own to the page."""
    return inline("(() => {\n" + "\n".join(part(name) for name in names) + "\n})();")


def inline(script: str) -> str:
    """A script as the browser will see it: one kind of line end, and nothing that ends its element."""
    return script.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script")


def hashes_of(scripts: tuple[str, ...]) -> str:
    """The scripts a page may run, as its policy names them."""
    digests = (hashlib.sha256(script.encode("utf-8")).digest() for script in scripts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)


def as_data(value: object) -> str:
    """JSON that cannot end the element it stands in, and is plain ASCII."""
    text = json.dumps(value, allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
