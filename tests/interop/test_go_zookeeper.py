"""go-zookeeper's lock, on which Go programs lead."""
import pytest

from judged import Judged
from peer import build_go_zookeeper


@pytest.fixture(scope="module")
def command():
    return build_go_zookeeper()


class TestLock(Judged):
    kind, recipe = "lock", "go-zk-lock"
