"""Rules on chips and boards: every figure has a source, a date and a meaning, and no two entries are one thing."""

from __future__ import annotations

from collections.abc import Iterator

from dse.audit.finding import Evidence, Finding, Rule, rule_name
from dse.catalog.figures import Figure, board_figures, chip_figures, paths
from dse.catalog.types import Board, Chip
from dse.patterns import normalise

Thing = Chip | Board
LINKED_FORMS = ("m2-card", "pcie-card", "usb-stick", "hat")


def missing_source(evidence: Evidence) -> Iterator[Finding]:
    """A figure that nobody says where it is from."""
    for thing in _things(evidence):
        for figure in _figures(thing):
            if figure.source is None:
                yield _finding(thing, missing_source, figure.path, f"{figure.value} has no source")


def undated_source(evidence: Evidence) -> Iterator[Finding]:
    """A source that does not say when it was looked up; a mode may name its documents in free words."""
    for thing in _things(evidence):
        for figure in _figures(thing):
            said = figure.evidence
            if figure.source is not None and not figure.path.startswith("modes.") and (said is None or not said.date):
                yield _finding(thing, undated_source, figure.path, f"`{figure.source}` has no date")


def source_of_nothing(evidence: Evidence) -> Iterator[Finding]:
    """A source for a figure the file does not hold."""
    for thing in _things(evidence):
        known = paths(thing)
        for path, source in thing.sources.items():
            if source and path not in known:
                yield _finding(thing, source_of_nothing, path, "there is a source, but no figure")


def power_without_boundary(evidence: Evidence) -> Iterator[Finding]:
    """Power of which nobody says whether it is the chip's, the board's or the computer's."""
    for thing in _things(evidence):
        if thing.power.known and thing.power.boundary is None:
            yield _finding(thing, power_without_boundary, "power", "say boundary: rail, module, board or system")


def price_without_date_or_kind(evidence: Evidence) -> Iterator[Finding]:
    """A price that may be of another year, or of another thing."""
    for thing in _things(evidence):
        for number, price in enumerate(thing.prices):
            missing = [name for name in ("date", "kind") if getattr(price, name) is None]
            if missing:
                message = f"{price.usd:g} USD without {' and '.join(missing)}"
                yield _finding(thing, price_without_date_or_kind, f"prices.{number}", message)


def temperature_without_reference(evidence: Evidence) -> Iterator[Finding]:
    """Degrees of the silicon, the case or the air: 85 of one is not 85 of another."""
    for thing in _things(evidence):
        t = thing.temperature
        if (t.min_c is not None or t.max_c is not None) and t.at is None:
            yield _finding(thing, temperature_without_reference, "temperature", "say at: junction, case or ambient")


def lifecycle_without_date(evidence: Evidence) -> Iterator[Finding]:
    """A promise of which nobody says when it was made."""
    for thing in _things(evidence):
        life = thing.lifecycle
        if (life.status or life.until or life.last_buy) and life.as_of is None:
            yield _finding(thing, lifecycle_without_date, "lifecycle", "say as_of: the date of the statement")


def card_without_link(evidence: Evidence) -> Iterator[Finding]:
    """A card of which nobody says what it is plugged into."""
    for board in evidence.catalog.boards.values():
        if board.form in LINKED_FORMS and not board.links:
            yield _finding(board, card_without_link, "links", f"a {board.form} hangs on a link: pcie, usb …")


def two_entries_for_one_thing(evidence: Evidence) -> Iterator[Finding]:
    """Chips, or boards, of one vendor with one name, whatever their ids; or with one ordering code."""
    for things in (evidence.catalog.chips, evidence.catalog.boards):
        seen: dict[tuple[str, str], str] = {}
        for thing in things.values():
            names = [(normalise(thing.vendor), normalise(thing.name))]
            if isinstance(thing, Board) and thing.mpn:
                names.append(("mpn", normalise(thing.mpn)))
            for name in names:
                first = seen.setdefault(name, thing.id)
                if first != thing.id:
                    yield _finding(thing, two_entries_for_one_thing, "name", f"the same as `{first}`")


def peak_without_support(evidence: Evidence) -> Iterator[Finding]:
    """A rated peak at a precision the unit is said not to run."""
    for chip in evidence.catalog.chips.values():
        for unit in chip.units:
            for precision in unit.peak_tops:
                if unit.precisions and precision not in unit.precisions:
                    message = f"{precision} has a peak, but the unit runs {', '.join(unit.precisions)}"
                    yield _finding(chip, peak_without_support, f"{unit.id}.peak_tops.{precision}", message)


def _things(evidence: Evidence) -> Iterator[Thing]:
    yield from evidence.catalog.chips.values()
    yield from evidence.catalog.boards.values()


def _figures(thing: Thing) -> list[Figure]:
    return chip_figures(thing) if isinstance(thing, Chip) else board_figures(thing)


def _finding(thing: Thing, rule: Rule, path: str, message: str) -> Finding:
    return Finding(thing.file, 0, rule_name(rule), f"{thing.id} {path}", message)


RULES: tuple[Rule, ...] = (
    missing_source,
    undated_source,
    source_of_nothing,
    power_without_boundary,
    price_without_date_or_kind,
    temperature_without_reference,
    lifecycle_without_date,
    card_without_link,
    two_entries_for_one_thing,
    peak_without_support,
)
