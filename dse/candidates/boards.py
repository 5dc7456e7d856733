"""What is bought: every run on the chip alone, where that is a design, and on each board of the catalogue with it."""

from __future__ import annotations

import numpy as np

from dse.candidates.lanes import LaneRow, Lanes, lanes_of
from dse.candidates.run_table import MEASURED, Runs, with_columns
from dse.catalog.mounted import WHOLE_BOARDS
from dse.catalog.types import Board, BoolArray, Catalog, Chip, IntArray
from dse.problem.search import Search


def boards_of(chip: Chip, catalog: Catalog, search: Search, *, has_host: bool) -> list[Board]:
    """Boards with one such chip that the search takes and that are computers, or fit into the host there is."""
    return [
        board
        for board in catalog.boards.values()
        if board.chip == chip.id
        and board.chips_count == 1
        and search.boards.admits(board.id)
        and (has_host or not catalog.platform(chip.id, board.id).needs_host)
    ]


def on_boards(
    runs: Runs, kept: IntArray, lanes: Lanes, catalog: Catalog, search: Search, *, has_host: bool
) -> tuple[Runs, Lanes]:
    """The runs at `kept` once for the chip alone and once for each of its boards, and the lanes of them all.

    Naming boards in the search leaves out chips alone. A power measured at the chip or module says nothing of a
    board's, one measured at a card nothing of its host, and one of the user's own does not say where: there the board's
    own figure counts.
    """
    rows = lanes.rows()
    places = {chip: _places(catalog.chips[chip], catalog, search, has_host=has_host) for chip in {r.chip for r in rows}}
    new_rows: list[LaneRow] = []
    targets: list[list[int]] = []
    for row in rows:
        alone = catalog.chips[row.chip]
        fitting = [name for name in places[row.chip] if _reaches(catalog.platform(row.chip, name), row.runtime, alone)]
        targets.append(list(range(len(new_rows), len(new_rows) + len(fitting))))
        new_rows += [row._replace(board=board) for board in fitting]
    combined, index = lanes_of(set(new_rows))
    position = np.array([index[row] for row in new_rows], dtype=np.int64)
    of_lane = runs.lane[kept]
    copies = np.array([len(target) for target in targets], dtype=np.int64)[of_lane]
    first = np.array([target[0] if target else 0 for target in targets], dtype=np.int64)[of_lane]
    # Which copy of its run each row is, added to where the copies of the lane begin.
    offset = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
    lane = position[np.repeat(first, copies) + offset]
    placed = with_columns(runs.take(np.repeat(kept, copies)), lane=lane)
    powered = np.flatnonzero(np.isfinite(placed.power_w))
    if len(powered):
        too_narrow = ~_covered(placed.take(powered), combined, catalog)
        placed.power_w[powered[too_narrow]] = np.nan
    return placed, combined


def _covered(runs: Runs, lanes: Lanes, catalog: Catalog) -> BoolArray:
    """Whether a power measured in a run would be that of all that is bought. Shape (n,)."""
    boards = [catalog.boards.get(name) for name in lanes.board.tolist()]
    alone = np.array([board is None for board in boards])
    in_host = np.array([board is not None and board.host_board is not None for board in boards])
    in_host |= np.array([chip.plugged for chip in lanes.chips(catalog)])
    measured = runs.origin == MEASURED
    seen = np.where(measured, catalog.measurements.power_boundary[np.where(measured, runs.row, 0)], "")
    whole = np.where(in_host[runs.lane], seen == "system", np.isin(seen, WHOLE_BOARDS))
    covered: BoolArray = alone[runs.lane] | whole
    return covered


def _places(chip: Chip, catalog: Catalog, search: Search, *, has_host: bool) -> list[str]:
    """The chip alone (an empty name) and its boards; a module or kit in the board files is bought as they say."""
    boards = [board.id for board in boards_of(chip, catalog, search, has_host=has_host)]
    is_design = not search.boards.include and (has_host or not chip.needs_host)
    listed = chip.form == "devkit" or any(catalog.boards[name].form == chip.form for name in boards)
    return boards if not is_design or (boards and listed) else ["", *boards]


def _reaches(platform: Chip, runtime: str, alone: Chip) -> bool:
    """Whether a runtime's measurements were taken behind the link that this chip or board has.

    Where the chip's own file rates that link, a lesser one of the same name is another link: a slot with fewer lanes
    does not give what all of them did.
    """
    known = platform.runtime(runtime)
    if known is None or known.link is None:
        return True
    if platform.link is None or platform.link.id != known.link:
        return False
    rated = next((link.gbs for link in alone.links if link.id == known.link), None)
    return rated is None or platform.link.gbs is None or platform.link.gbs >= rated
