"""What all tests share: the compiled catalogue, loaded once; and their order on several processes."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.compiled import parse_once

# A fifth of the usual number: with some hundred properties the checks must stay under ten minutes on two cores.
# DSE_EXAMPLES=thorough tries ten times as many.
settings.register_profile("checks", max_examples=20)
settings.register_profile("thorough", max_examples=300)
settings.load_profile(os.environ.get("DSE_EXAMPLES", "checks"))


@pytest.fixture(scope="session", autouse=True)
def _parse_once():
    with pytest.MonkeyPatch.context() as patch:
        parse_once(patch)
        yield


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory):
    """The shipped catalogues with their fitted estimates."""
    from dse.estimate.store import load

    if "DSE_CACHE_DIR" not in os.environ:
        os.environ["DSE_CACHE_DIR"] = str(tmp_path_factory.getbasetemp().parent / "dse-cache")
    return load()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each process takes whole files, so that their fixtures are made once, and helps the other when it is done."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_modifyitems(items):
    """First the files without the catalogue: one process compiles it, the other one meanwhile runs those."""
    users = {item.path for item in items if "knowledge" in item.fixturenames}
    items.sort(key=lambda item: item.path in users)
