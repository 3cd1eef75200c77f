"""Test candidates beside Curator's latch, selector and mutex; and a latch that lost its znode."""
import pytest

from electop import Events, look_at, names
from injected import FIRST, THIRD, Injected
from peer import build_curator
from waiting import until


@pytest.fixture(scope="module")
def command():
    return build_curator()


class TestLatch(Injected):
    kind, recipe = "latch", "curator-latch"

    def test_who_lost_its_znode(self, zk, client, path, three):
        """A latch whose znode somebody deleted goes on watching, and will not lead: this is told of it."""
        with Events(zk.hosts, "--admin", zk.admin, path) as events:
            events.expect("election-seen", election=path)
            until(lambda: self.healthy(zk, path), 30)
            second = names(look_at(zk.hosts, path))[1]
            client.delete(f"{path}/{second}")
            found = events.expect("finding-raised", within=60,
                                  finding=lambda f: f["code"] == "watcher-without-candidate")
            assert second in found["finding"]["evidence"]
            three[0].tell("close", path, FIRST)
            three[1].expect("leads", path, THIRD)


class TestSelector(Injected):
    kind, recipe = "selector", "curator-lock"


class TestMutex(Injected):
    kind, recipe = "mutex", "curator-lock"
