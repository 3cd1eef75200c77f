"""An ensemble of three: its leader killed, its quorum lost, the tool's own server hanging."""
import json
import re

import pytest
from kazoo.exceptions import NoNodeError

from electop import Events, look, look_at, names, run
from ensemble import Ensemble
from waiting import until


@pytest.fixture(scope="module")
def zk():
    # Clients that ask for more than twenty ticks get it: what they are to outlive takes longer.
    ensemble = Ensemble(3, config=("maxSessionTimeout=60000",))
    yield ensemble
    ensemble.close()


@pytest.fixture(autouse=True)
def whole(zk):
    """Every test leaves three servers that serve."""
    yield
    zk.heal()


def stand(client, path, data=b""):
    client.ensure_path(path)
    return client.create(f"{path}/n_", data, ephemeral=True, sequence=True).rsplit("/", 1)[1]


def test_servers_are_shown(zk):
    """Each server with its mode: one leader, two followers."""
    stand(zk.client(), "/servers")
    def modes():
        servers = look(zk.hosts, "/servers")["clusters"][0]["servers"]
        assert sorted(s["address"] for s in servers) == sorted(zk.addresses)
        return sorted(str(s["mode"]) for s in servers) == ["follower", "follower", "leader"]
    until(modes)


def test_leader_of_the_ensemble_killed(zk, path):
    """ZooKeeper's own leader dies: the tool is connected again, and changes go on being told."""
    client = zk.client(timeout=20)
    first, second = stand(client, path), stand(client, path)
    with Events(zk.hosts, path, "-t", "10s") as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{first}" in zk.watched_paths())
        gone = zk.leader()
        zk.kill(gone)
        events.expect("connection", state="disconnected")
        events.expect("connection", state="connected")
        client.retry(client.delete, f"{path}/{first}")
        events.expect("leader-elected", to=second)
        zk.start(gone)


def test_quorum_lost_and_regained(zk, path):
    """Without a quorum there is no look, and this is said; with it all is right again."""
    client = zk.client(timeout=30)
    first = stand(client, path)
    with Events(zk.hosts, path, "-t", "3s") as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{first}" in zk.watched_paths())
        zk.kill(0)
        zk.kill(1)
        events.expect("connection", state="disconnected")
        none = run("once", "--json", "-s", zk.hosts, "--wait", "2s", path)
        assert none.status == 3 and none.err.startswith("electop: no quorum: 1 of 3 servers answers;"), none
        assert json.loads(none.out)["clusters"][0]["problem"] == "no quorum: 1 of 3 servers answers"
        events.skip()
        zk.start(0)
        zk.start(1)
        events.expect("connection", state="connected", within=40)
        later = client.retry(stand, client, path)
        events.expect("candidate-joined", candidate=later)


def test_hanging_server(zk, path):
    """The tool's server hangs: it moves to another one within its timeout."""
    client = zk.client(timeout=30)
    first, second = stand(client, path), stand(client, path)
    with Events(zk.hosts, path, "-t", "3s") as events:
        events.expect("election-seen", election=path)
        watched = f"{path}/{first}"
        at = until(lambda: [i for i in range(3) if watched in zk.ask("wchp", i)])[0]
        zk.freeze(at)
        try:
            events.expect("connection", state="disconnected", within=8)
            events.expect("connection", state="connected")
            until(lambda: any(watched in zk.ask("wchp", i) for i in range(3) if i != at))
            try:
                client.retry(client.delete, watched)
            except NoNodeError:
                pass  # the one before the retry was carried out, and its answer lost
            events.expect("leader-elected", to=second)
        finally:
            zk.thaw(at)


def test_one_dead_server_does_not_spoil_the_look(zk, path):
    """A look with one server of three down shows everything, and that server as not reachable."""
    name = stand(zk.client(timeout=30), path)
    follower = [i for i in range(3) if i != zk.leader()][0]
    zk.kill(follower)
    assert names(look_at(zk.hosts, path)) == [name]

    def shown():
        servers = look(zk.hosts, path)["clusters"][0]["servers"]
        dead = [s for s in servers if s["address"] == zk.addresses[follower]][0]
        return dead["reachable"] is False and dead["problem"]
    until(shown)


def test_read_only_is_no_quorum():
    """A server that has lost the others may serve on, read-only, to those who ask for that: it is not said to be
    well, nor that it has too many connections."""
    ensemble = Ensemble(3, java=["-Dreadonlymode.enabled=true"])
    try:
        for i in (0, 1):
            ensemble.kill(i)
        until(lambda: "Mode: read-only" in ensemble.ask("srvr", 2), 30)
        done = run("once", "--quick", "-s", ensemble.hosts, "--admin", ensemble.admin, "--wait", "4s", "/election")
        assert done.status == 3 and done.err.startswith("electop: no quorum: 1 of 3 servers answers; start the others"), done
        assert re.search(rf"▲ {ensemble.addresses[2]} +read-only .* read-only: it has no quorum", done.out), done
    finally:
        ensemble.close()
