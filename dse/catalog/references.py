"""Rules on what rows refer to in other files, and on what a user's own folder must hold beyond that.

Files that come with dse may hold measurements of chips nobody can buy and networks without a task; in a user's folder
these are mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dse.catalog.csvfile import CsvTable
from dse.catalog.keys import Net, cells_of, entry_keys, net_keys
from dse.catalog.types import Chip
from dse.errors import Fault
from dse.patterns import name_hint


@dataclass(frozen=True)
class Known:
    """What rows may refer to, from every folder.

    ``nets`` holds id and input size, ``entries`` those with weights, data set and metric as well.
    """

    chips: Mapping[str, Chip]
    nets: frozenset[Net]
    entries: frozenset[tuple[str | int, ...]]

    def sizes(self, model: str) -> list[tuple[int, int]]:
        """Input sizes at which a model is known."""
        return sorted((h, w) for name, h, w in self.nets if name == model)


Rule = Callable[[CsvTable, Known], Iterator[Fault]]


def accuracy_has_an_entry(table: CsvTable, known: Known) -> Iterator[Fault]:
    """Every accuracy is of weights that models.csv lists."""
    ids = {name for name, _h, _w in known.nets}
    for row, key in enumerate(entry_keys(table)):
        if key in known.entries:
            continue
        if key[0] not in ids:
            yield table.fault(row, "id", f"models.csv has no `{key[0]}`", name_hint(str(key[0]), ids))
        else:
            shown = ", ".join(str(part) or "(empty)" for part in key[1:])
            yield table.fault(row, "id", f"models.csv has no `{key[0]}` with {shown}", "add the row to models.csv")


def model_has_a_task(table: CsvTable, _: Known) -> Iterator[Fault]:
    """A network without a task is never chosen."""
    for row in np.flatnonzero(table.texts["task"] == ""):
        yield table.fault(int(row), "task", "the cell is empty", "`dse catalog list tasks` shows the words in use")


def row_can_be_used(table: CsvTable, _: Known) -> Iterator[Fault]:
    """A user's measurement states its batch."""
    for row in np.flatnonzero(table.numbers["batch"] == 0):
        yield table.fault(int(row), "batch", "found 0: a run of unknown batch is never used", "write the batch size")


def chip_is_known(table: CsvTable, known: Known) -> Iterator[Fault]:
    """A user's measurement is of a chip, unit and mode that the chip files hold."""
    for row, name in cells_of(table, "chip"):
        chip = known.chips.get(name)
        if chip is None:
            yield table.fault(
                row, "chip", f"no chip file has `{name}`", _near_or(name, known.chips, "add it to chips/")
            )
            continue
        kinds = {unit.kind for unit in chip.units}
        if table.texts["unit"][row] not in kinds:
            message = f"`{name}` has no unit `{table.texts['unit'][row]}`"
            yield table.fault(row, "unit", message, f"it has: {', '.join(sorted(kinds))}")
        mode, modes = table.texts["mode"][row], {mode.id for mode in chip.modes}
        if mode and mode not in modes:
            yield table.fault(row, "mode", f"`{name}` has no mode `{mode}`", name_hint(mode, modes))


def model_is_known(table: CsvTable, known: Known) -> Iterator[Fault]:
    """A user's measurement is of a network that models.csv lists, at one of its input sizes."""
    ids = {name for name, _h, _w in known.nets}
    for row, (name, height, width) in enumerate(net_keys(table, "model")):
        if name not in ids:
            hint = _near_or(name, ids, "add it to models/models.csv")
            yield table.fault(row, "model", f"models.csv has no `{name}`", hint)
        elif height and (name, height, width) not in known.nets:
            sizes = ", ".join(f"{h}x{w}" if h else "no size" for h, w in known.sizes(name))
            yield table.fault(row, "input_h", f"models.csv has no `{name}` at {height}x{width}", f"it has: {sizes}")


def _near_or(name: str, known: Collection[str], otherwise: str) -> str:
    return name_hint(name, known) or otherwise


RULES: Mapping[str, tuple[Rule, ...]] = {"accuracies": (accuracy_has_an_entry,)}
"""Rules on every file, by kind."""
USER_RULES: Mapping[str, tuple[Rule, ...]] = {
    "models": (model_has_a_task,),
    "measurements": (row_can_be_used, chip_is_known, model_is_known),
}
"""Rules on the files of a user's folder alone."""
