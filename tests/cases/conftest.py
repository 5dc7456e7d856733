"""Catalogues of a case are compiled into a folder of the test run, so that they push no other one out of the cache."""

from __future__ import annotations

import pytest

from dse.api import knowledge_of
from tests.compiled import own_cache


@pytest.fixture(scope="package", autouse=True)
def _own_cache(knowledge, tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("DSE_CACHE_DIR", str(own_cache(tmp_path_factory.mktemp("compiled"), knowledge)))
    yield
    patch.undo()
    knowledge_of.cache_clear()
