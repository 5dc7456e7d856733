"""A file of quotations to `Quote` rows, or all that is wrong with it; which row counts is decided elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from dse.catalog.csvfile import CsvTable, read_csv
from dse.catalog.paths import CatalogueFile
from dse.catalog.types import Catalog
from dse.errors import Fault
from dse.patterns import nearest, normalise
from dse.problem.fields import exact
from dse.problem.settings import LEAST_USD, MOST
from dse.problem.spec import Problem
from dse.quotes.sheet import QUOTES, Quote

LARGEST_MB = 20
MOST_PIECES = 1_000_000_000
MOST_WEEKS = 1_000.0
MILLIONTHS = 1_000_000
"""Parts of a dollar that prices are held in: one in another currency is rounded up to the next."""
USD = "USD"


def read_quotes(problem: Problem, catalog: Catalog) -> tuple[tuple[Quote, ...], list[Fault]]:
    """Every quotation of the file that a problem names, and every fault; no rows without a file.

    Rows with neither price nor delivery time are forms nobody filled in, and skipped.
    """
    name = problem.procurement.quotes
    if name is None:
        return (), []
    path, place = problem.directory / name, ("procurement", "quotes")
    if not path.exists():
        hint = "`dse quotes PROBLEM --template FILE` writes a form to start from"
        return (), [Fault(problem.file, *problem.place(place), ".".join(place), f"there is no file {path}", hint)]
    if not path.is_file():
        message = f"{path} is no regular file"
        return (), [Fault(problem.file, *problem.place(place), ".".join(place), message, "name a file of quotations")]
    if path.stat().st_size > LARGEST_MB * 1_000_000:
        message = f"{path} has more than {LARGEST_MB} MB"
        return (), [Fault(problem.file, *problem.place(place), ".".join(place), message, "name a file of quotations")]
    faults: list[Fault] = []
    table = read_csv(CatalogueFile(path, name, 1), QUOTES, faults)
    if table is None:
        return (), faults
    reader = _Rows(table, _items(catalog), _part_numbers(catalog), problem.procurement.usd_per, faults)
    filled = [row for row in range(len(table)) if reader.is_filled(row)]
    return tuple(quote for row in filled if (quote := reader.quote(row)) is not None), sorted(faults)


def _items(catalog: Catalog) -> dict[str, str]:
    """Chips and boards by the form of their names in which spellings are equal."""
    return {normalise(name): name for name in (*catalog.boards, *catalog.chips)}


def _part_numbers(catalog: Catalog) -> dict[str, list[str]]:
    """Boards by their part number."""
    found: dict[str, list[str]] = {}
    for board in catalog.boards.values():
        if board.mpn:
            found.setdefault(normalise(board.mpn), []).append(board.id)
    return found


@dataclass(frozen=True)
class _Rows:
    """Reads the rows of a table one by one; appends what is wrong to `faults`."""

    table: CsvTable
    items: Mapping[str, str]
    part_numbers: Mapping[str, list[str]]
    usd_per: Mapping[str, float]
    faults: list[Fault]

    def is_filled(self, row: int) -> bool:
        """Whether a row says a price or a delivery time; what is no number has its fault already."""
        return any(math.isfinite(self.table.numbers[name][row]) for name in ("price", "lead_time_weeks"))

    def quote(self, row: int) -> Quote | None:
        """The quotation in a row; None where something in it is wrong."""
        before = len(self.faults)
        price, currency = self._number(row, "price", LEAST_USD, MOST), self._currency(row)
        found = Quote(
            item=self._item(row),
            supplier=self.table.texts["supplier"][row],
            mpn=self.table.texts["mpn"][row],
            price=price,
            currency=currency,
            usd=self._usd(row, price, currency),
            moq=self._pieces(row, "moq"),
            quantity_from=self._pieces(row, "quantity_from"),
            lead_time_weeks=self._number(row, "lead_time_weeks", 0.0, MOST_WEEKS),
            valid_until=self._day(row),
            file=self.table.file.label,
            line=self.table.lines[row],
        )
        return found if len(self.faults) == before else None

    def _fault(self, row: int, column: str, message: str, hint: str = "") -> None:
        self.faults.append(self.table.fault(row, column, message, hint))

    def _item(self, row: int) -> str:
        word, mpn = self.table.texts["item"][row], self.table.texts["mpn"][row]
        if not word and not mpn:
            self._fault(row, "item", "the cell is empty", "it holds: id of a chip or board of the catalogue")
        elif not word:
            boards = self.part_numbers.get(normalise(mpn), [])
            if len(boards) == 1:
                return boards[0]
            hint = f"write one of {', '.join(boards)}" if boards else _near(mpn, self.part_numbers)
            hint = hint or "write the id of a chip or board"
            what = "several boards have" if boards else "no board of the catalogue has"
            self._fault(row, "item", f"the cell is empty, and {what} the part number `{mpn[:80]}`", hint)
        elif normalise(word) not in self.items:
            hint = _near(word, self.items) or "`dse catalog list` names them"
            self._fault(row, "item", f"there is no chip or board `{word[:80]}`", hint)
        else:
            return self.items[normalise(word)]
        return ""

    def _number(self, row: int, column: str, least: float, most: float) -> float | None:
        value = float(self.table.numbers[column][row])
        if math.isnan(value):
            return None
        if not least <= value <= most:
            self._fault(row, column, f"found {value:g}", f"from {least:g} to {most:,.0f}")
        return value

    def _pieces(self, row: int, column: str) -> int:
        value = float(self.table.numbers[column][row])
        if math.isnan(value):
            return 1
        if not value.is_integer() or not 1 <= value <= MOST_PIECES:
            self._fault(row, column, f"found {value:g}", f"a whole number of pieces from 1 to {MOST_PIECES:,}")
        return int(value)

    def _currency(self, row: int) -> str:
        word = self.table.texts["currency"][row]
        code = word.upper() or USD
        if code == USD or code in self.usd_per:
            return code
        if len(code) != len(USD) or not code.isascii() or not code.isalpha():
            self._fault(row, "currency", f"found `{word[:40]}`", "an ISO code of three letters such as EUR; empty: USD")
        else:
            near = nearest(code, self.usd_per)
            hint = (
                f"state the dollars for one {code} in the problem file, as `procurement: {{usd_per: {{{code}: 1.08}}}}`"
            )
            hint += f"; or did you mean {near}?" if near else ""
            self._fault(row, "currency", f"found {code}, and what it is worth is not stated", hint)
        return code

    def _usd(self, row: int, price: float | None, currency: str) -> float | None:
        """Dollars, rounded up to a millionth: what is within a limit is so by the quoted price as well."""
        rate = 1.0 if currency == USD else self.usd_per.get(currency)
        if price is None or rate is None:
            return None
        usd = -int(-exact(price) * exact(rate) * MILLIONTHS // 1) / MILLIONTHS
        if usd > MOST and currency != USD:
            self._fault(row, "price", f"found {usd:,.0f} USD", f"at most {MOST:,.0f}")
        return usd

    def _day(self, row: int) -> str:
        word = str(self.table.texts["valid_until"][row])
        try:
            is_day = not word or date.fromisoformat(word).isoformat() == word
        except ValueError:
            is_day = False
        if not is_day:
            self._fault(row, "valid_until", f"found `{word[:40]}`", "a day such as 2026-11-30")
        return word


def _near(word: str, known: Mapping[str, object]) -> str:
    near = nearest(word, (str(one) for one in known))
    return f"did you mean `{near}`?" if near else ""
