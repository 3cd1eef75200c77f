import re

import pytest

from cases import pytest_runtest_makereport  # noqa: F401
from live_fixtures import *  # noqa: F401,F403


@pytest.fixture
def path(request):
    """A directory of this test's own, above which nothing is; one test stands in several classes."""
    return "/" + re.sub(r"[^a-z0-9]+", "-", f"{request.cls.__name__} {request.node.name}".lower()).strip("-")


def pytest_generate_tests(metafunc):
    """Classes of rows.py: a test for every stage of every client, a stage after the other."""
    if metafunc.cls and "stage" in metafunc.fixturenames and "row" in metafunc.fixturenames:
        rows = [(stage, row) for stage in metafunc.cls.stages for row in metafunc.cls.clients]
        metafunc.parametrize("stage,row", rows, ids=[f"{stage}-{row.slug}" for stage, row in rows])
    elif metafunc.cls and "stage" in metafunc.fixturenames:
        metafunc.parametrize("stage", metafunc.cls.stages)
