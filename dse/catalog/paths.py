"""Where the catalogue files are: beside the source tree, or inside the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dse.catalog.places import SHIPPED
from dse.errors import CatalogError, Fault

_PACKAGE = Path(__file__).resolve().parents[1]
_PATTERNS = ("chips/*.y*ml", "boards/*.y*ml", "models/*.csv", "measurements/*.csv", "*.csv", "*.y*ml")
_SHIPPED_NAMES = (SHIPPED, "chips", "boards", "models", "measurements", "tails.csv", "toolchains.csv", "explained.csv")


@dataclass(frozen=True)
class CatalogueFile:
    """One file of a catalogue folder.

    Parameters
    ----------
    path : Path
        Where it is.
    label : str
        Its place inside the folder, such as ``chips/mine.yaml``: the same on every machine.
    depth : int
        0 in the catalogues that come with dse; a folder laid over others has the higher number.
    number : int
        Its number among all files, in reading order.
    shown : str
        How places name it: the label behind the name of its folder.
    """

    path: Path
    label: str
    depth: int
    number: int = 0
    shown: str = ""

    @property
    def users(self) -> bool:
        """Whether a user keeps the file, rather than dse."""
        return self.depth > 0


def shipped_root() -> Path:
    """Folder of the catalogues that come with dse.

    Raises
    ------
    CatalogError
        The installation has lost its catalogues.
    """
    for root in (_PACKAGE / "_catalogs", _PACKAGE.parent / "catalogs"):
        if (root / "models" / "models.csv").is_file():
            return root
    raise CatalogError(
        [Fault(str(_PACKAGE), 0, 0, "", "the catalogues of this installation are missing", "install dse again")]
    )


def catalogue_files(roots: tuple[Path, ...]) -> list[CatalogueFile]:
    """Every catalogue file below `roots`, in reading order: later roots override earlier ones.

    A root that is one CSV file counts as a folder with these measurements and nothing else.

    Raises
    ------
    CatalogError
        A root is not a folder, or holds no catalogue file.
    """
    folders = {depth: root for depth, root in enumerate(roots) if not _is_table(root)}
    missing = [Fault(str(root), 0, 0, "", "no such catalogue folder") for root in folders.values() if not root.is_dir()]
    if missing:
        raise CatalogError(missing)
    files = [
        CatalogueFile(path, path.relative_to(root).as_posix(), depth)
        for depth, root in folders.items()
        for pattern in _PATTERNS
        for path in sorted(root.glob(pattern))
    ]
    odd = [file for file in files if file.path.exists() and not file.path.is_file()]
    if odd:
        raise CatalogError([Fault(str(file.path), 0, 0, "", "is no regular file", "remove it") for file in odd])
    empty = [root for depth, root in folders.items() if not any(file.depth == depth for file in files)]
    if empty:
        hint = f"expected: {', '.join(_PATTERNS)}"
        raise CatalogError([Fault(str(root), 0, 0, "", "the folder holds no catalogue file", hint) for root in empty])
    files += [
        CatalogueFile(root, f"measurements/{root.name}", depth) for depth, root in enumerate(roots) if _is_table(root)
    ]
    names = list(_folder_names(roots))
    return [
        replace(file, number=number, shown=names[file.depth] + ("" if file.path in roots else f"/{file.label}"))
        for number, file in enumerate(files)
    ]


def _folder_names(roots: tuple[Path, ...]) -> Iterator[str]:
    """A name of its own for every root: that of the folder, numbered where another one has it."""
    yield SHIPPED
    taken = {*_SHIPPED_NAMES}
    for root in roots[1:]:
        name = plain = root.resolve().name
        number = 1
        while name in taken:
            number += 1
            name = f"{plain} ({number})"
        taken.add(name)
        yield name


def _is_table(root: Path) -> bool:
    return root.suffix.lower() == ".csv" and root.is_file()
