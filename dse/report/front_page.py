"""A front as one HTML file that needs nothing else: plots, filters and a table, with every script inside."""

from __future__ import annotations

from pathlib import Path

from dse.report.front import KINDS, OTHERS, JsonObject, better, guarantee_of, name_of, titled
from dse.report.page_file import as_data, hashes_of, inline, part, require_file, script_of, templates, write_text
from dse.schema import QUANTITIES

SCRIPTS = ("base.js", "words.js", "state.js", "colours.js", "plots.js", "table.js", "filters.js", "main.js")
"""Parts of the page's own script, in the order in which they need each other."""


def require_page(target: Path) -> None:
    """Refuse a page that cannot be written, before any work is done.

    Raises
    ------
    InputError
        The ending is neither ``.html`` nor ``.htm``, the folder is missing, or jinja2 or plotly is not installed.
    """
    require_file(target, ("jinja2", "plotly"))


def write_page(front: JsonObject, target: Path) -> None:
    """Write the page of a front, whole or not at all.

    Raises
    ------
    InputError
        As `require_page`.
    """
    require_page(target)
    write_text(page_of(front), target)


def page_of(front: JsonObject) -> str:
    """The page as text; the same front gives the same text."""
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    scripts = (inline(get_plotlyjs()), script_of(SCRIPTS))
    axes = [{**axis, "better": better(axis)} for axis in titled(front)["axes"]]
    # A page is the same whenever and by however many processes it was made.
    search = {key: value for key, value in front["search"].items() if key not in ("wall_s", "workers")}
    front = {**front, "search": search}
    units = {name: quantity.unit for name, quantity in QUANTITIES.items()}
    more = {"axes": axes, "kinds": KINDS, "others": OTHERS, "units": units}
    return (
        templates()
        .from_string(part("front.html.j2"))
        .render(
            front=front,
            name=name_of(front),
            guarantee=guarantee_of(front),
            axes=axes,
            kinds=KINDS,
            style=Markup(part("base.css") + part("front.css")),
            plotly=Markup(scripts[0]),
            script=Markup(scripts[1]),
            hashes=Markup(hashes_of(scripts)),
            data=Markup(as_data({**front, **more})),
        )
    )
