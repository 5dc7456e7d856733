"""A front as one HTML file that needs nothing else: plots, filters and a table, with every script inside.

The page asks no network for anything, and its policy forbids it to: the browser runs the scripts written here, known by
their hash, and no other. Names come from files of the user, so the data is JSON that cannot end its element, and the
scripts only ever set text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from dse.errors import Fault, InputError
from dse.report.front import KINDS, OTHERS, JsonObject, better, guarantee_of, name_of, titled
from dse.schema import QUANTITIES

PAGES = (".html", ".htm")
SCRIPTS = ("words.js", "state.js", "colours.js", "plots.js", "table.js", "filters.js", "main.js")
"""Parts of the page's own script, in the order in which they need each other."""
_FOLDER = files("dse.report") / "page"


def require_page(target: Path) -> None:
    """Refuse a page that cannot be written, before any work is done.

    Raises
    ------
    InputError
        The ending is neither ``.html`` nor ``.htm``, the folder is missing, or jinja2 or plotly is not installed.
    """
    if target.suffix.casefold() not in PAGES:
        raise InputError([Fault(str(target), 0, 0, "", "is no page dse can write", f"end in {' or '.join(PAGES)}")])
    if not target.parent.is_dir():
        raise InputError([Fault(str(target), 0, 0, "", f"there is no folder `{target.parent}`", "make it first")])
    missing = [library for library in ("jinja2", "plotly") if find_spec(library) is None]
    if missing:
        needs = f"needs {' and '.join(missing)}"
        raise InputError([Fault(str(target), 0, 0, "", needs, 'install it: pip install "dse[report]"')])


def write_page(front: JsonObject, target: Path) -> None:
    """Write the page of a front, whole or not at all.

    Raises
    ------
    InputError
        As `require_page`.
    """
    from dse.report.table import whole_file

    require_page(target)
    # A name may hold half of a surrogate pair, which no encoding can write.
    page = page_of(front).encode("utf-8", "replace")
    with whole_file(target) as file:
        file.write(page)


def page_of(front: JsonObject) -> str:
    """The page as text; the same front gives the same text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    own = "(() => {\n" + "\n".join(_part(name) for name in SCRIPTS) + "\n})();"
    scripts = (_inline(get_plotlyjs()), _inline(own))
    axes = [{**axis, "better": better(axis)} for axis in titled(front)["axes"]]
    # A page is the same whenever and by however many processes it was made.
    search = {key: value for key, value in front["search"].items() if key not in ("wall_s", "workers")}
    front = {**front, "search": search}
    units = {name: quantity.unit for name, quantity in QUANTITIES.items()}
    more = {"axes": axes, "kinds": KINDS, "others": OTHERS, "units": units}
    return environment.from_string(_part("front.html.j2")).render(
        front=front,
        name=name_of(front),
        guarantee=guarantee_of(front),
        axes=axes,
        kinds=KINDS,
        style=Markup(_part("front.css")),
        plotly=Markup(scripts[0]),
        script=Markup(scripts[1]),
        hashes=Markup(" ".join(f"'sha256-{_digest(script)}'" for script in scripts)),
        data=Markup(as_data({**front, **more})),
    )


def as_data(value: object) -> str:
    """JSON that cannot end the element it stands in, and is plain ASCII."""
    text = json.dumps(value, allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _inline(script: str) -> str:
    """A script as the browser will see it: one kind of line end, and nothing that ends its element."""
    return script.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
