"""Test candidates beside, and copied from, the elections of other clients. A class for each kind of them."""
import json
import signal

import pytest

from electop import look_at, names
from injection import Injection, inject, tree, written
from peer import Peer
from waiting import until

FIRST, SECOND, THIRD = "host-a:8081", "host-b:8081", "host-c:8081"


class Injected:
    kind = None    # what the peer is told to stand as
    recipe = None  # what electop calls that

    @pytest.fixture
    def peers(self, zk, command):
        """Three stand, one after the other: the first in a process of its own."""
        peers = [Peer(command, zk.hosts), Peer(command, zk.hosts)]
        yield peers
        for peer in peers:
            peer.end()

    @pytest.fixture
    def three(self, zk, path, peers):
        for count, (peer, name) in enumerate(((peers[0], FIRST), (peers[1], SECOND), (peers[1], THIRD)), 1):
            peer.tell("stand", self.kind, path, name)
            until(lambda: peer.lives() and len(names(look_at(zk.hosts, path))) == count, 40)
        peers[0].expect("leads", path, FIRST)
        return peers

    def healthy(self, zk, path):
        """The look, once every one of them was seen to watch whom it should."""
        election = look_at(zk.hosts, path, "--admin", zk.admin)
        assert [c["state"] for c in election["candidates"]] == ["leader"] + ["waiting"] * (len(names(election)) - 1)
        assert election["next_failover"]["chain"] == "complete"
        assert not [f for f in election["findings"] if f["severity"] != "info"]
        return election

    def test_ours_stand_behind(self, zk, client, path, tmp_path, three):
        """Test candidates of their kind stand behind them, give way when one goes, never lead, and leave no trace."""
        before = names(look_at(zk.hosts, path))
        three[1].tell("stand", self.kind, path, "host-d:8081")
        until(lambda: len(names(look_at(zk.hosts, path))) == 4)
        injection = Injection(zk, *written(tmp_path, zk, election=path), path, "--live", "-n", "2", "--for", "60s")
        injection.until(lambda: len(names(self.healthy(zk, path))) == 6, 40)
        election = look_at(zk.hosts, path)
        assert election["recipe"] == self.recipe and names(election)[:3] == before
        three[0].tell("close", path, FIRST)
        three[1].expect("leads", path, SECOND)
        injection.until(lambda: len(names(look_at(zk.hosts, path))) == 5 and
                        names(look_at(zk.hosts, path))[-1][-10:] > names(election)[-1][-10:], 40)
        status, out, err = injection.end(signal.SIGINT)
        report = json.loads(out)
        assert report["live"]["first_ms"] == 0 and report["live"]["first_at_most_ms"] == 0, (status, out, err)
        assert names(look_at(zk.hosts, path))[:2] == before[1:] and len(names(look_at(zk.hosts, path))) == 3
        assert [p for p in tree(client) if "electop" in p] == []
        three[1].tell("close", path, SECOND)
        three[1].expect("leads", path, THIRD)  # our coming and going has put none of them to sleep

    def test_a_copy_in_the_sandbox(self, zk, path, three):
        """Their layout is copied, and exercised where it harms nobody."""
        before = look_at(zk.hosts, path)
        report = inject(zk, path, "-n", "5", "--kill", "leader:every=500ms", "--for", "4s")
        assert report["copied"] == path and report["stand"]["count"] >= 5 and report["failover"]["total"]["count"] > 0
        after = look_at(zk.hosts, path)
        assert names(after) == names(before) and after["leader"]["name"] == before["leader"]["name"]
