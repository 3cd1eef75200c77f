"""Curator's latch, selector and mutex: the library behind most elections on ZooKeeper."""
import pytest

from electop import look_at, names
from judged import FIRST, THIRD, Judged
from peer import build_curator


@pytest.fixture(scope="module")
def command():
    return build_curator()


class TestLatch(Judged):
    kind, recipe = "latch", "curator-latch"

    def test_who_lost_its_znode(self, zk, client, path, three, events):
        """A latch whose znode somebody deleted goes on watching, and will not lead: this is told of it."""
        second = names(look_at(zk.hosts, path))[1]
        client.delete(f"{path}/{second}")
        found = events.expect("finding-raised", within=60, finding=lambda f: f["code"] == "watcher-without-candidate")
        assert second in found["finding"]["evidence"]
        three[0].tell("close", FIRST)
        three[1].expect("leads", THIRD)


class TestSelector(Judged):
    kind, recipe = "selector", "curator-lock"


class TestMutex(Judged):
    kind, recipe, named = "mutex", "curator-lock", False
