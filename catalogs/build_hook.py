"""Build hook of the wheel: compiles the shipped catalogues, so that an installed dse never has to."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface[BuilderConfig]):
    """Adds ``dse/_catalogs/compiled.npz`` to a wheel; an editable install compiles into the user's cache instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a temporary file and put it into the wheel."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from dse.catalog.paths import shipped_root
            from dse.estimate import store
        finally:
            sys.path.remove(self.root)
        roots = (shipped_root(),)
        self._folder = tempfile.TemporaryDirectory()
        target = Path(self._folder.name) / store.COMPILED_NAME
        store.write(store.compile_catalogues(roots, store.content_key(roots)), target)
        build_data["force_include"][str(target)] = f"dse/_catalogs/{store.COMPILED_NAME}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary file."""
        if version != "editable":
            self._folder.cleanup()
