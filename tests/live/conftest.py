from cases import pytest_runtest_makereport  # noqa: F401
from live_fixtures import *  # noqa: F401,F403
