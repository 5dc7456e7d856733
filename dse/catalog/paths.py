"""Where the catalogue files are: beside the source tree, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

from dse.errors import CatalogError, Fault

_PACKAGE = Path(__file__).resolve().parents[1]


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
    raise CatalogError([Fault(str(_PACKAGE), 0, 0, "", "the catalogues of this installation are missing",
                              "install dse again")])


def catalogue_files(roots: tuple[Path, ...]) -> list[Path]:
    """Every catalogue file below `roots`, in reading order: later roots override earlier ones.

    Raises
    ------
    CatalogError
        A root is not a folder.
    """
    missing = [Fault(str(root), 0, 0, "", "no such catalogue folder") for root in roots if not root.is_dir()]
    if missing:
        raise CatalogError(missing)
    patterns = ("chips/*.yaml", "models/*.csv", "measurements/*.csv", "*.csv")
    return [file for root in roots for pattern in patterns for file in sorted(root.glob(pattern))]
