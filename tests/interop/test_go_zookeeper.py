"""Test candidates beside go-zookeeper's lock, on which Go programs lead."""
import pytest

from injected import Injected
from peer import build_go_zookeeper


@pytest.fixture(scope="module")
def command():
    return build_go_zookeeper()


class TestLock(Injected):
    kind, recipe = "lock", "go-zk-lock"
