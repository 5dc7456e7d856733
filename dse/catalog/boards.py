"""Board files (YAML) to `Board` objects: what is bought, with a chip of the catalogue on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dse.catalog import convert
from dse.catalog.entries import Entry, Merged, read_entries
from dse.catalog.entry_rules import BOARD_RULES
from dse.catalog.paths import CatalogueFile
from dse.catalog.shapes import BOARD
from dse.catalog.types import Board, Chip
from dse.errors import Fault
from dse.patterns import name_hint


def read_boards(files: Sequence[CatalogueFile], chips: Mapping[str, Chip], faults: list[Fault]) -> dict[str, Board]:
    """All boards of the files by id.

    Parameters
    ----------
    files : sequence of CatalogueFile
        Board files, those that override others last.
    chips : mapping of str to Chip
        Chips that may be on a board; empty where their files could not be read, then no name is judged.
    faults : list of Fault
        Whatever is wrong is appended.
    """
    merged = read_entries(files, BOARD, BOARD_RULES, faults)
    boards = {name: _board(one) for name, one in merged.items()}
    for name, board in boards.items():
        faults += _wrong_names(board, merged[name].last, boards, chips)
        host = merged.get(board.host_board or "")
        if host is not None and host.last.file.users and boards[host.raw["id"]].cpu_cores is None:
            faults.append(host.last.fault(f"it is the host of `{name}`", "a host states its CPU cores", ("host",)))
    return boards


def _wrong_names(board: Board, entry: Entry, boards: Mapping[str, Board], chips: Mapping[str, Chip]) -> list[Fault]:
    """Faults of a board on an unknown chip, or plugged into something that is no computer."""
    faults = []
    if chips and board.chip not in chips:
        faults.append(entry.fault(f"no chip file has `{board.chip}`", name_hint(board.chip, chips), ("chip",)))
    host = boards.get(board.host_board or board.id)
    if host is None:
        hint = name_hint(board.host_board or "", boards)
        faults.append(entry.fault(f"no board file has `{board.host_board}`", hint, ("host", "board")))
    elif board.host_board is not None and host.cpu_cores is None:
        message, hint = f"the host `{host.id}` states no CPU cores", "a host is a board with host: {cpu_cores: …}"
        faults.append(entry.fault(message, hint, ("host", "board")))
    return faults


def _board(entry: Merged) -> Board:
    raw = entry.raw
    host = raw.get("host") or {}
    return Board(
        id=raw["id"],
        name=raw.get("name") or raw["id"],
        vendor=raw["vendor"],
        chip=raw["chip"],
        chips_count=raw.get("chips_count") or 1,
        form=raw["form"],
        host_board=host.get("board"),
        cpu_cores=host.get("cpu_cores"),
        memory_gb=convert.number(raw.get("memory_gb")),
        links=convert.links_of(raw),
        decode_streams_1080p30=convert.decoder_of(raw),
        power=convert.power_of(raw),
        temperature=convert.temperature_of(raw),
        prices=convert.prices_of(entry),
        mpn=raw.get("mpn"),
        lifecycle=convert.lifecycle_of(raw),
        notes=raw.get("notes") or "",
        sources=convert.sources_of(raw),
        file=entry.last.file.label,
        places=entry.places,
    )
