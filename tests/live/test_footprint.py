"""What the tool costs a cluster: it writes nothing, sets few watches, and leaves nothing behind."""
import json
import signal
import urllib.request

import pytest
from kazoo.security import make_digest_acl

from electop import Events, elections, look, run
from ensemble import session_of
from fake_server import CHILDREN, GET, FakeAdmin, RefusingProxy, http
from standing import Line
from txnlog import CLOSE_SESSION, CREATE_SESSION, last_zxid, transactions
from waiting import until

LATCH = "_c_{}1234567-89ab-cdef-0123-456789abcdef-latch-"
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


def one_look(hosts, path, how, folder, before=lambda operation, at: None):
    """What one look tells of the elections below a path, found by a pattern or by discovery, and what it read there.
    before: called before the server gets a request."""
    if how == "pattern":
        paths = [f"{path}/*"]
    else:
        file = folder / "config.yaml"
        file.write_text(f"discover: {{roots: [{path}]}}\n")
        paths = ["--config", str(file)]
    with RefusingProxy(hosts) as proxy:
        reads = []

        def note(operation, at):
            before(operation, at)
            if at.startswith(path + "/"):
                reads.append((operation, at))
            return 0
        proxy.refuses = note
        done = run("once", "--json", "--quick", "-s", proxy.address, *paths)
    assert done.status == 0, done
    return elections(json.loads(done.out)), reads


@pytest.mark.parametrize("how", ["pattern", "discovery"])
def test_one_look_reads_nothing_twice(zk, client, path, tmp_path, how):
    """One list an election, and every candidate once, with all that these say."""
    names = {f"{path}/e{i}": [stand(client, f"{path}/e{i}", LATCH.format(j), f"host-{j}:{i}".encode()) for j in range(4)]
             for i in range(5)}
    seen, reads = one_look(zk.hosts, path, how, tmp_path)
    assert sorted(seen) == sorted(names)
    for at, election in seen.items():
        assert election["state"] == "led", election
        assert [c["name"] for c in election["candidates"]] == names[at]
        assert [c["identity"] for c in election["candidates"]] == [f"host-{j}:{at[-1]}" for j in range(4)]
    assert len(reads) == len(set(reads)) == 5 + 20, sorted(reads)


@pytest.mark.parametrize("how", ["pattern", "discovery"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_look_while_a_candidate_goes(zk, client, path, tmp_path, how, place):
    """It is gone when it is asked for: the list that named it is read again."""
    names = [stand(client, f"{path}/e", LATCH.format(j)) for j in range(3)]
    gone = f"{path}/e/{names.pop(place)}"

    def before(operation, at):
        if at == gone and client.exists(gone):
            client.delete(gone)
    seen, reads = one_look(zk.hosts, path, how, tmp_path, before)
    assert [c["name"] for c in seen[f"{path}/e"]["candidates"]] == names
    assert reads.count((CHILDREN, f"{path}/e")) > 1, reads


@pytest.mark.parametrize("how", ["pattern", "discovery"])
def test_one_look_where_no_candidate_may_be_read(zk, client, path, tmp_path, how):
    """That a candidate is ephemeral is told also to those who may not read its data: the election is found."""
    client.ensure_path(f"{path}/e")
    name = client.create(f"{path}/e/n_", b"", acl=[make_digest_acl("other", "x", all=True)], ephemeral=True, sequence=True).rsplit("/", 1)[1]
    seen, reads = one_look(zk.hosts, path, how, tmp_path)
    assert [c["name"] for c in seen[f"{path}/e"]["candidates"]] == [name], seen
    assert (GET, f"{path}/e/{name}") in reads


def test_lists_are_not_asked_for_where_nothing_moves(zk, path):
    """After a while only figures and connections are, also where srvr counts its own connection, and AdminServer not."""
    line = Line(zk, path)

    def pass_on(command):
        with urllib.request.urlopen(f"http://{zk.admin}/commands/{command}", timeout=20) as answer:
            return http(answer.read())

    with FakeAdmin(pass_on) as admin:
        try:
            for _ in range(3):
                line.join()

            def at_rest():
                asked = [command for command in admin.asked if command in ("watch_summary", "watches")]
                return "watches" in asked and asked[-2:] == 2 * ["watch_summary"]
            with Events(zk.hosts, path, "--admin", admin.address):
                until(at_rest, 90, "a round without a list of watches")
        finally:
            line.close()
