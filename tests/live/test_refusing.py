"""Servers that do not answer what is asked: overloaded, or with a fault of their own.

What they refuse for such a reason is neither denied nor absent: it is not known, and asked again until it is."""
import json

import pytest

from electop import Events, elections, look, look_at, run
from fake_server import CHILDREN, EXISTS, GET, SYSTEM_ERROR, THROTTLED, RefusingProxy
from waiting import until


@pytest.fixture
def proxy(zk):
    with RefusingProxy(zk.hosts) as one:
        yield one


def stand(client, path, data=b""):
    client.ensure_path(path)
    return client.create(f"{path}/n_", data, ephemeral=True, sequence=True).rsplit("/", 1)[1]


def first_times(times, error, operations=(EXISTS, GET, CHILDREN), below="/"):
    """Each read is refused so often."""
    asked = {}

    def refuses(operation, path):
        if operation not in operations or not path.startswith(below):
            return 0
        asked[operation, path] = asked.get((operation, path), 0) + 1
        return error if asked[operation, path] <= times else 0
    return refuses


@pytest.mark.parametrize("error", [THROTTLED, SYSTEM_ERROR])
def test_asked_again(zk, client, path, proxy, error):
    """A look waits for what is refused at first: the list, the candidates, the mark."""
    name = stand(client, path, b"host-a:1")
    client.create(path + "-mark", b"host-a:1", ephemeral=True)
    proxy.refuses = first_times(2, error, below=path)
    election = look_at(proxy.address, path, "--admin", "off", "--wait", "20s")
    assert (election["state"], election["leader"]["name"]) == ("led", name)
    assert election["leader"]["identity"] == "host-a:1"
    refused = {operation for operation, where in proxy.refused if where.startswith(path)}
    assert {CHILDREN, GET} <= refused, proxy.refused


def test_never_answered(zk, client, path, proxy):
    """What stays refused is unknown, never denied, and the reason is said."""
    stand(client, path)
    proxy.refuses = lambda operation, where: THROTTLED if where.startswith(path) else 0
    done = run("once", path, "-s", proxy.address, "--admin", "off", "--wait", "3s")
    assert done.status == 3, done
    assert "denied" not in done.out + done.err and "credentials" not in done.out + done.err, done
    assert "the server is overloaded and drops requests" in done.err and "sends them again" in done.out, done
    election = elections(look(proxy.address, path, "--admin", "off", "--wait", "3s", status=3))[path]
    assert (election["state"], election["leader"], election["candidates"]) == ("unknown", None, None), election
    # Asked with growing pauses, not over and over: 0, 0.5, 1.5 s, and again at 3.5 at the earliest; twice 3 s.
    assert len([1 for operation, where in proxy.refused if operation == CHILDREN]) <= 8, proxy.refused


def test_a_watched_one_goes_stale(zk, client, path, proxy):
    """Where a list is refused once its watch has fired, what is shown is said not to be certain, until it is."""
    name = stand(client, path)
    with Events(proxy.address, path, "--admin", "off") as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{name}" in zk.watched_paths())
        proxy.refuses = lambda operation, where: THROTTLED if operation == CHILDREN else 0
        other = stand(client, path)
        events.expect("connection", state="connected", detail="the server is overloaded and drops requests; electop sends them again")
        assert not events.all("candidate-joined")
        proxy.refuses = lambda operation, where: 0
        joined = events.expect("candidate-joined", candidate=other, within=30)
        assert joined["after_gap_ms"] > 0, joined  # it happened while nobody could look
        events.expect("connection", state="connected", detail=None)


def test_a_new_leader_is_confirmed(zk, client, path, proxy):
    """The next in line is asked for again, where it is refused when the leader goes; nobody is said to lead
    until it is confirmed, and its own end is noticed as any other's."""
    first = stand(client, path)
    second, third = stand(client, path), stand(client, path)
    with Events(proxy.address, path, "--admin", "off") as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{first}" in zk.watched_paths())
        proxy.refuses = first_times(2, SYSTEM_ERROR, (GET,), f"{path}/{second}")
        client.delete(f"{path}/{first}")
        events.expect("leader-lost", candidate=first)
        events.expect("leader-elected", to=second, within=30)
        until(lambda: f"{path}/{second}" in zk.watched_paths())
        client.delete(f"{path}/{second}")
        events.expect("leader-lost", candidate=second)
        events.expect("leader-elected", to=third)


def test_a_mark_is_unknown(zk, client, path, proxy, tmp_path):
    """A mark that is refused acknowledges nobody and denies nothing: that is not known."""
    stand(client, path, b"host-a:1")
    client.create(path + "-mark", b"host-a:1", ephemeral=True)
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters: [{{name: one, hosts: '{proxy.address}', servers: {{admin: off}}, elections: "
                      f"[{{path: {path}, acknowledgement: {path}-mark}}]}}]\n")

    def leader():
        done = run("once", "--json", "--quick", "-c", str(config), "--wait", "3s")
        assert done.status == 0, done
        return [e["leader"]["acknowledged"] for e in elections(json.loads(done.out)).values()][0]
    assert leader() is True
    proxy.refuses = lambda operation, where: THROTTLED if where.endswith("-mark") else 0
    assert leader() is None


def test_discovery_and_patterns(zk, client, path, proxy):
    """A directory that is refused at first is searched all the same."""
    stand(client, path + "/a/one")
    stand(client, path + "/b/two")
    proxy.refuses = first_times(2, THROTTLED, (CHILDREN, EXISTS), path)
    found = {path + "/a/one", path + "/b/two"}
    assert found <= set(elections(look(proxy.address, "--admin", "off", "--wait", "20s")))
    proxy.refuses = first_times(2, THROTTLED, (CHILDREN, EXISTS), path)
    assert found == set(elections(look(proxy.address, f"{path}/*/*", "--admin", "off", "--wait", "20s")))
