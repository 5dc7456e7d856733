"""What all tests share: the compiled catalogue, loaded once."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory):
    """The shipped catalogues with their fitted estimates."""
    from dse.estimate.store import load

    if "DSE_CACHE_DIR" not in os.environ:
        os.environ["DSE_CACHE_DIR"] = str(tmp_path_factory.getbasetemp().parent / "dse-cache")
    return load()
