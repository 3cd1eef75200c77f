"""What the tool costs a cluster: it writes nothing, sets few watches, and leaves nothing behind."""
import signal

import pytest

from electop import Events, look, run
from ensemble import session_of
from txnlog import CLOSE_SESSION, CREATE_SESSION, last_zxid, transactions
from waiting import until

WATCHES_AN_ELECTION = 3
WATCHES_MORE = 1  # the observer's mark


def stand(client, path, name="n_", data=b""):
    """A candidate that sets no watch of its own."""
    client.ensure_path(path)
    return client.create(f"{path}/{name}", data, ephemeral=True, sequence=True).rsplit("/", 1)[1]


@pytest.fixture(scope="module")
def busy(zk, client):
    """Elections of every family, one vacant, one missing."""
    for i in range(4):
        for _ in range(3):
            stand(client, f"/many/e{i}")
    for _ in range(3):
        stand(client, "/overseer_elect/election", f"{client.client_id[0]}-node1:8983_solr-n_")
    client.create("/overseer_elect/leader", b"{}", ephemeral=True)
    client.create("/controller", b'{"brokerid":1}', ephemeral=True)
    client.ensure_path("/vacant")
    return [*(f"/many/e{i}" for i in range(4)), "/overseer_elect/election", "/controller", "/vacant", "/missing"]


def sessions(zk):
    return {t.session for t in transactions(zk.directory) if t.type == CREATE_SESSION}


def test_writes_nothing(zk, client, busy):
    """In the server's transaction log there are of the tool only its sessions' beginnings and ends."""
    before = sessions(zk)
    last = last_zxid(zk.directory)
    look(zk.hosts, *busy)
    look(zk.hosts)
    run("once", "-s", zk.hosts, *busy)
    with Events(zk.hosts, *busy, "/many/*") as events:
        events.expect("election-seen", election="/controller")
        zk.settled()
        name = stand(client, "/many/e0")
        events.expect("candidate-joined", candidate=name)
        client.delete(f"/many/e0/{name}")
        events.expect("candidate-left", candidate=name)
    log = transactions(zk.directory)
    own = sessions(zk) - before
    assert len(own) == 4
    kinds = {session: [t.type for t in log if t.session == session] for session in own}
    assert all(kind == [CREATE_SESSION, CLOSE_SESSION] for kind in kinds.values()), kinds
    others = {t.session for t in log if t.zxid > last} - own
    assert others == {session_of(client)}  # every other change was the test's own


def test_few_watches(zk, client, busy):
    """At most three watches an election, and one for the session."""
    zk.settled()
    before = zk.monitor("zk_watch_count")
    with Events(zk.hosts, *busy) as events:
        events.expect("election-seen", election="/controller")
        until(lambda: (zk.monitor("zk_watch_count") or 0) > before)
        zk.settled()
        watches = zk.monitor("zk_watch_count") - before
        assert 0 < watches <= WATCHES_AN_ELECTION * len(busy) + WATCHES_MORE
        # They do not pile up when things change.
        for _ in range(20):
            client.delete(f"/many/e1/{stand(client, '/many/e1')}")
        zk.settled()
        assert zk.monitor("zk_watch_count") - before <= WATCHES_AN_ELECTION * len(busy) + WATCHES_MORE
    until(lambda: zk.monitor("zk_watch_count") == before)


def test_observer_is_known_by_its_mark(zk, busy):
    """Its session watches a path ending in /electop-observer, so that other observers know it for one."""
    with Events(zk.hosts, *busy):
        until(lambda: any(path.endswith("/electop-observer") for path in zk.watched_paths()))
    until(lambda: not any(path.endswith("/electop-observer") for path in zk.watched_paths()))


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_leaves_nothing_when_it_is_ended(zk, busy, ending):
    """Ctrl-C and its like close the session at the server, and are told in the status."""
    before = set(zk.requests())
    events = Events(zk.hosts, *busy)
    events.expect("election-seen")
    assert set(zk.requests()) - before
    assert events.stop(ending) == 128 + ending
    assert set(zk.requests()) == before  # at once: not by expiry
