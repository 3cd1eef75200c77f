import re

import pytest

from live_fixtures import *  # noqa: F401,F403


@pytest.fixture
def path(request):
    """A directory of this test's own, above which nothing is; one test stands in several classes."""
    return "/" + re.sub(r"[^a-z0-9]+", "-", f"{request.cls.__name__} {request.node.name}".lower()).strip("-")
