"""What all tests share: the compiled catalogue, loaded once."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Half of the usual number: with some hundred properties the checks must stay under ten minutes on two cores.
settings.register_profile("checks", max_examples=50)
settings.load_profile("checks")


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory):
    """The shipped catalogues with their fitted estimates."""
    from dse.estimate.store import load

    if "DSE_CACHE_DIR" not in os.environ:
        os.environ["DSE_CACHE_DIR"] = str(tmp_path_factory.getbasetemp().parent / "dse-cache")
    return load()
