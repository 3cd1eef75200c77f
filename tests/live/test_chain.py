"""The watch chain as a user sees it in `once`: kazoo's candidates, an ensemble of three, servers that show little.

What each diagnosis needs and what clears it is in test_diagnoses.py; here nothing may be found that is not so."""
import json
import os
import random
import re
import socket
import threading
import time
import urllib.request

import pytest
from kazoo.exceptions import KazooException

from electop import Events, elections, run
from ensemble import HIDING, Ensemble, session_of
from fake_server import FakeAdmin, http
from standing import Findings, Line, configuration
from waiting import until

LONG = ("maxSessionTimeout=60000",)
CHURN_S = 60
LIMIT_S = 240


@pytest.fixture(scope="module")
def zk3():
    ensemble = Ensemble(3, config=LONG)
    yield ensemble
    ensemble.close()


@pytest.fixture
def line(zk, path):
    line = Line(zk, path)
    yield line
    line.close()


def once(zk, *arguments, status=0):
    """A whole look, with a second where it settles something: the document."""
    done = run("once", "--json", "-s", zk.hosts, *arguments)
    assert done.status == status, done
    return json.loads(done.out)


def codes(election):
    return [(finding["code"], finding["certainty"]) for finding in election["findings"]]


def alarms(election):
    return [finding for finding in election["findings"] if finding["severity"] != "info"]


class Standing:
    """A kazoo client that stands in an election, in a thread of its own, and resigns when it is told to."""

    def __init__(self, zk, path, identity, timeout=4.0):
        self.client = zk.client(timeout=timeout)
        self.election = self.client.Election(path, identity)
        self.leading, self.resign, self.over = threading.Event(), threading.Event(), False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.over:
            try:
                self.election.run(self._lead)
            except KazooException:
                pass

    def _lead(self):
        self.leading.set()
        self.resign.wait()
        self.resign.clear()
        self.leading.clear()

    def lose_connection(self):
        """As when the network drops it: the client goes to another server and keeps its session."""
        try:
            self.client._connection._socket.shutdown(socket.SHUT_RDWR)
        except (AttributeError, OSError):
            pass  # it is between two connections just now

    def stop(self):
        self.over = True
        self.election.cancel()
        self.resign.set()
        self.client.stop()


@pytest.mark.parametrize("where", ["adminserver", "four-letter"])
def test_sixth_watches_nothing(zk, path, where):
    """Five candidates of kazoo, and a session that made its znode and watches nothing: it is found, and only it."""
    admin = zk.admin if where == "adminserver" else "off"
    five = []
    for i in range(5):
        five.append(Standing(zk, path, f"host-{i}"))
        until(lambda: five[0].client.exists(path) and len(five[0].client.get_children(path)) == i + 1)
    sixth = zk.client()
    created = sixth.create(f"{path}/0123456789abcdef0123456789abcdef__lock__", b"host-5", ephemeral=True, sequence=True)
    name = created.rsplit("/", 1)[1]
    # Others of its address watch here, and one of them may be its client's: it stays suspected.
    document = once(zk, "--strict", "--admin", admin, path, status=1)
    election = elections(document)[path]
    assert document["clusters"][0]["servers"][0]["watches_from"] == where
    assert document["clusters"][0]["watches_complete"] is True
    assert [(finding["code"], finding["certainty"], finding["severity"], finding["candidates"])
            for finding in alarms(election)] == [("no-watch", "suspected", "error", [name])]
    names = [candidate["name"] for candidate in election["candidates"]]
    assert names[5] == name
    assert election["next_failover"] == {"heir": names[1], "told": True, "by_itself": True,
                                         "chain": "unknown", "broken_at": None}
    assert [candidate["state"] for candidate in election["candidates"]] == ["leader"] + 4 * ["waiting"] + ["suspect"]
    assert [candidate["watches"] for candidate in election["candidates"]] == [[], *([n] for n in names[:4]), []]
    assert [candidate["watched_by"] for candidate in election["candidates"]] == \
        [[session_of(one.client)] for one in five[1:]] + [[], []]
    sixth.stop()
    election = elections(once(zk, "--strict", "--admin", admin, path))[path]
    assert not alarms(election)
    assert election["next_failover"] == {"heir": names[1], "told": True, "by_itself": True,
                                         "chain": "complete", "broken_at": None}
    for one in five:
        one.stop()


def test_two_copies_and_a_follower(zk, line, path, tmp_path):
    """Other copies of the tool, and a client that follows the leader without standing: no finding, not even a note."""
    for data in "abc":
        line.join(data)
    follower = line.session()
    follower.watch_data(line.members[0].path)
    ill = Line(zk, f"{path}-ill")  # found by the same looks, which shows that there were enough of them
    ill.join("a")
    ill.join("b", watching=None)
    config = configuration(tmp_path, zk, {line.path: {}, ill.path: {}})
    try:
        with Events(None, "--config", config) as one, Events(None, "--config", config) as other:
            for events in (one, other):
                Findings(events).expect(ill.path, "no-watch", 60, certainty="certain")
            assert zk.ask("wchp").count("/electop-observer") == 1
            election = elections(once(zk, "--strict", "--admin", zk.admin, line.path))[line.path]
            assert not election["findings"]
            assert sorted(election["candidates"][0]["watched_by"]) == \
                sorted([line.members[1].session.hex, follower.hex])
            assert election["next_failover"]["chain"] == "complete"
            for events in (one, other):
                assert not Findings(events).told(line.path)
    finally:
        ill.close()


def test_server_that_shows_nothing(path):
    """A stock server answers only `srvr`: watches are unknown, with what to switch on, and nothing is alleged."""
    zk = Ensemble(1, config=HIDING)
    line = Line(zk, path)
    try:
        line.join("a")
        line.join("b", watching=None)
        began = time.monotonic()
        document = once(zk, "--strict", "--admin", zk.admin, path)
        assert time.monotonic() - began < 5, "a second look would settle nothing"
        cluster, election = document["clusters"][0], elections(document)[path]
        assert cluster["servers"][0]["watches_from"] is None and cluster["watches_complete"] is False
        assert cluster["servers"][0]["reachable"] is True
        assert "4lw.commands.whitelist" in cluster["servers"][0]["watches_problem"]
        assert [candidate["watches"] for candidate in election["candidates"]] == [None, None]
        assert election["candidates"][1]["state"] == "unknown"
        assert election["next_failover"]["told"] is None and election["next_failover"]["chain"] == "unknown"
        assert not alarms(election)
        table = run("once", "-s", zk.hosts, "--admin", zk.admin, path)
        said = " ".join(table.out.split())
        assert "watches, connections and sessions unknown: " in said, table
        assert "4lw.commands.whitelist=srvr,cons,mntr,dump,wchs,wchc" in said, table
        assert "set admin.enableServer=true in its zoo.cfg" in said and "or read its packets (--capture)" in said, table
        assert "does not show its connections" not in said, table
        assert "have not been polled yet" not in table.out, table
    finally:
        line.close()
        zk.close()


@pytest.mark.parametrize("by", ["four-letter", "adminserver"])
def test_server_that_hides_its_connections(path, by):
    """Watches that are listed prove nothing where connections are not: whose they are now, nobody says. So no watch is
    missing, nobody is without a connection, and it is said what is hidden; with the connections shown, the deaf one is
    found."""
    zk = Ensemble(1, config=("4lw.commands.whitelist=srvr,wchs,wchc,mntr,dump",) if by == "four-letter" else ())

    def answer(command):
        if command == "connections":
            return http("{}", status="403 Forbidden")
        with urllib.request.urlopen(f"http://{zk.admin}/commands/{command}", timeout=10) as real:
            return http(real.read())

    line = Line(zk, path)
    try:
        line.join("a")
        deaf = line.join("b", watching=None)
        with FakeAdmin(answer) as admin:
            how = ["--admin", "off"] if by == "four-letter" else ["--admin", admin.address, "--four-letter", "off"]
            document = once(zk, "--strict", *how, path)
            table = " ".join(run("once", "-s", zk.hosts, *how, path).out.split())
        cluster, election = document["clusters"][0], elections(document)[path]
        server = cluster["servers"][0]
        assert (server["reachable"], server["watches_from"], cluster["watches_complete"]) == (True, by, False), server
        assert ("cons" if by == "four-letter" else "HTTP status 403") in server["watches_problem"], server
        for candidate in election["candidates"]:
            assert [candidate[key] for key in ("watches", "client", "server", "silent_ms")] == [None] * 4, candidate
        assert election["candidates"][1]["state"] == "unknown"
        assert election["next_failover"]["told"] is None and election["next_failover"]["chain"] == "unknown"
        assert not alarms(election)
        assert " connections unknown: " in table and "watches unknown" not in table, table
        assert "if notified: a server does not show its connections" in table, table
        if by == "adminserver":
            found = alarms(elections(once(zk, "--admin", zk.admin, path))[path])
            assert [(f["code"], f["candidates"]) for f in found] == [("no-watch", [deaf.name])]
    finally:
        line.close()
        zk.close()


def test_watches_in_detail(path):
    """Where a server lists each watch with its kind, as an open change of ZooKeeper does, a member with a recursive watch is
    notified, and one that watches nothing is deaf; the lists of today leave that open. (Its answer is made of theirs.)"""
    zk = Ensemble(1)
    line, asked = Line(zk, path), []

    def real(command):
        with urllib.request.urlopen(f"http://{zk.admin}/commands/{command}", timeout=10) as answer:
            return answer.read().decode()

    def detail(watched, session):
        session, recursive = int(session) & (1 << 64) - 1, watched == path
        return {"path": watched, "session_id": f"{session:#x}", "watch_kind": ["data", "children"] if recursive else ["data"],
                "watch_mode": "persistent_recursive" if recursive else "standard"}

    def answer(command):
        asked.append(command)
        if not command.startswith("watch_details"):
            return http(re.sub(r'"version" *: *"3[^"]*', '"version" : "3.10.0', real(command)))
        watches = [detail(watched, session) for session, paths in
                   json.loads(real("watches"))["session_id_to_watched_paths"].items() for watched in paths]
        return http(json.dumps({"server_id": 0, "returned_count": len(watches), "truncated": False, "watches": watches}))
    try:
        line.join("a")
        second, third = (line.join(name, watching=None) for name in "bc")
        second.session.watch_all_below(path)
        with FakeAdmin(answer) as admin:
            election = elections(once(zk, "--admin", admin.address, "--four-letter", "off", path))[path]
        assert "watch_details?limit=1000" in asked, asked
        assert election["next_failover"]["told"] is True, election
        assert [(f["code"], f["candidates"]) for f in alarms(election)] == [("no-watch", [third.name])]
        assert elections(once(zk, "--admin", zk.admin, path))[path]["next_failover"]["told"] is not True
    finally:
        line.close()
        zk.close()


def test_our_own_watches_on_children_hide_nobodys(zk, path):
    """Members whose plain names do not say whom they watch, on the server of the tool's own session: where all watches
    on children are the tool's, who shows none has none, and is suspected, since it is assumed that it should; where one
    is another's, it may be its own."""
    line, other = Line(zk, path), zk.client()
    paths = [path, f"{path}-other"]  # more than one of the tool's own
    other.ensure_path(paths[1])
    try:
        _, deaf = line.join(name="n_"), line.join(name="n_", watching=None)

        def found():
            election = elections(once(zk, "--admin", zk.admin, "--wait", "30s", *paths))[path]
            assert election["recognised"] == "name", election
            return [(f["code"], f["certainty"], f["candidates"]) for f in alarms(election)]
        assert found() == [("no-watch", "suspected", [deaf.name])]
        other.get_children(paths[1], watch=lambda _: None)
        assert not found()
    finally:
        line.close()
        other.stop()


def test_one_server_of_three_hangs(zk3, path, tmp_path):
    """Its candidates' watches become unknown; on the others all goes on, and what was found there stays."""
    line = Line(zk3, path)
    settings = {path: {}}
    config = configuration(tmp_path, zk3, settings)
    # One after another on the three servers; the fourth and the fifth watch nothing. Who is on the one that hangs
    # must not expire meanwhile, however long a loaded machine takes; and ZooKeeper's leader would take all along.
    hangs = 1 if zk3.leader() != 1 else 2
    members = [line.join(data, watching=None if data in "de" else "predecessor", at=zk3.addresses[(i + hangs - 1) % 3],
                         timeout_s=58 if i % 3 == 1 else 16, host=f"127.0.0.{i + 2}") for i, data in enumerate("abcdef")]
    try:
        with Events(None, "--config", config, "-t", "4s") as events:
            findings = Findings(events)
            until(lambda: len([about for about, finding in findings.now(path).items()
                               if about[0] == "no-watch" and finding["certainty"] == "certain"]) == 2, 90)
            zk3.freeze(hangs)
            try:
                def looked():
                    """A look for which the two others have answered in time. On the one that hangs another session of
                    the deaf member's address may watch for it: that it is deaf is suspected."""
                    document = json.loads(run("once", "--json", "--config", config, "-t", "4s", "--wait", "40s").out)
                    states = [candidate["state"] for candidate in elections(document)[path]["candidates"]]
                    assert states == ["leader", "unknown", "waiting", "suspect", "unknown", "waiting"], document
                    return document
                # The second and the fifth are there.
                document = until(looked, 40)
                election = elections(document)[path]
                hung = [server for server in document["clusters"][0]["servers"] if server["address"] == zk3.addresses[hangs]][0]
                assert hung["reachable"] is False and hung["problem"]
                assert document["clusters"][0]["watches_complete"] is False
                assert [candidate["watches"] is None for candidate in election["candidates"]] == \
                    [False, True, False, False, True, False]
                assert [finding["candidates"] for finding in election["findings"] if finding["code"] == "no-watch"] == \
                    [[members[3].name]]
                events.skip()
                members[0].session.delete(members[0].path)
                events.expect("leader-elected", to=members[1].name, within=8)
                assert ("no-watch", members[4].name) in findings.now(path), "stale facts clear nothing"
            finally:
                zk3.thaw(hangs)
            members[3].watches(members[2])
            findings_left = lambda: [about for about in findings.now(path) if about[0] == "no-watch"]
            # On a loaded machine a round takes its server long, and the next comes a hundred times later.
            until(lambda: findings_left() == [("no-watch", members[4].name)], 80)
            assert not [finding for _, finding in findings.told(path) if finding["code"] == "no-watch"
                        and finding["candidates"][0] not in (members[3].name, members[4].name)]
    finally:
        line.close()
        zk3.heal()


def test_healthy_churn(zk3, path, tmp_path):
    """Leaders resign, members lose their connections and move to other servers: nothing certain is found that is wrong."""
    ill = Line(zk3, f"{path}-ill")  # shows that all the while the servers were asked, and looks counted
    config = configuration(tmp_path, zk3, {path: {"allow": "{leader_changes: 1000 in 10m}"}, ill.path: {}})
    members = [Standing(zk3, path, f"host-{i}") for i in range(8)]
    rng = random.Random(int(os.environ.get("SEED", "7")))
    try:
        with Events(None, "--config", config) as events:
            events.expect("election-seen", election=path)
            ill.join("a", at=zk3.addresses[1])
            deaf = ill.join("b", watching=None, at=zk3.addresses[2])
            end = time.monotonic() + CHURN_S
            while time.monotonic() < end:
                one = rng.choice(members)
                if rng.random() < 0.3:
                    one.lose_connection()
                elif one.leading.is_set():
                    one.resign.set()
                time.sleep(rng.uniform(0.05, 0.4))  # the churn itself
            findings = Findings(events)
            findings.expect(ill.path, "no-watch", 60, certainty="certain", candidates=[deaf.name])
            raised = [finding for word, finding in findings.told(path) if word == "finding-raised"]
            # What went unseen is counted right by the Stat arithmetic; anything else would be wrong.
            assert not [finding for finding in raised if finding["certainty"] == "certain"
                        and finding["code"] != "unseen-changes"]
            assert len(events.all("leader-elected")) > 5, len(events.all("leader-elected"))
            # Nothing was suppressed, either: the chain is seen whole once they rest.
            until(lambda: elections(json.loads(run("once", "--json", "--config", config).out))[path]
                  ["next_failover"]["chain"] == "complete", 30)
    finally:
        for one in members:
            one.stop()
        ill.close()


def test_certainty_that_takes_longer_than_the_wait(zk3, path):
    """A long session timeout: a look that would end before anything is certain ends at once, and says how long to wait;
    with that wait it is certain."""
    line = Line(zk3, path)
    try:
        for i, watching in enumerate((None, "predecessor", "predecessor", "predecessor", None)):
            line.join(timeout_s=39.0, watching=watching, host=f"127.0.0.{i + 2}")
        began = time.monotonic()
        done = run("once", "-s", zk3.hosts, "--admin", zk3.admin, path)
        assert done.status == 0 and time.monotonic() - began < 8, done
        told = re.search(r"(\S+) +suspected not to be notified; certain after (\d+)\S* without a request: --wait (\d+)s",
                         " ".join(done.out.split()))
        assert told and told[1] == line.members[4].name and told[3] == "33", done
        document = once(zk3, "--admin", zk3.admin, "--wait", told[3] + "s", path)
        election = elections(document)[path]
        assert ("no-watch", "certain") in codes(election), election["findings"]
    finally:
        line.close()
