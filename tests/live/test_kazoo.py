"""Elections and locks held by kazoo, a client that we did not write."""
import os
import subprocess
import sys
import threading
import time

import pytest
from kazoo.exceptions import KazooException

from electop import Events, elections, look, look_at, names, run
from ensemble import session_of
from waiting import until

pytestmark = pytest.mark.hiding
CANDIDATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "kazoo_candidate.py")
TIMEOUT_S = 2.0


class Standing:
    """A kazoo client standing in an election, in this process."""

    def __init__(self, zk, path, identity):
        self.client = zk.client(timeout=TIMEOUT_S)
        self.identity, self.leading, self.over = identity, threading.Event(), threading.Event()
        before = count(self.client, path)
        threading.Thread(target=self.run, args=(self.client.Election(path, identity),), daemon=True).start()
        until(lambda: count(self.client, path) == before + 1)

    def run(self, election):
        try:
            election.run(self.lead)
        except KazooException:
            pass  # its client was closed under it: the test is over

    def lead(self):
        self.leading.set()
        self.over.wait()


def count(client, path):
    return len(client.get_children(path)) if client.exists(path) else 0


@pytest.fixture
def three(zk, path):
    standing = [Standing(zk, path, identity) for identity in ("host-a:8081", "host-b:8081", "host-c:8081")]
    assert standing[0].leading.wait(10)
    yield standing
    for one in standing:
        one.over.set()
        one.client.stop()


def test_three_stand_in_order(zk, path, three):
    """Three clients of Election() are shown in the order in which they stood, the first as leader."""
    election = look_at(zk.hosts, path)
    assert election["state"] == "led"
    assert [c["identity"] for c in election["candidates"]] == [one.identity for one in three]
    assert [c["session"] for c in election["candidates"]] == [session_of(one.client) for one in three]
    assert [c["position"] for c in election["candidates"]] == [1, 2, 3]
    assert [c["predecessor"] for c in election["candidates"]] == [None, *names(election)[:2]]
    assert election["candidates"][0]["state"] == "leader"
    assert election["leader"]["identity"] == "host-a:8081"
    assert election["leader"]["name"] == names(election)[0]
    assert (election["recipe"], election["family"]) == ("kazoo", "sequence")
    assert election["recognised"] == "signature"
    assert election["next_sequence"] == 3


def test_table_shows_them_too(zk, path, three):
    """The same look as a table for people."""
    table = run("once", "-s", zk.hosts, path)
    assert table.status == 0, table
    places = [table.out.find(one.identity) for one in three]
    assert -1 not in places, table
    assert path in table.out


def test_resignation_and_withdrawal(zk, path, three):
    """A leader that resigns is followed by the next in line; one that withdraws from the middle only leaves."""
    with Events(zk.hosts, path) as events:
        events.expect("election-seen", election=path)
        first, second, third = names(until(lambda: look_at(zk.hosts, path)))
        until(lambda: any(first in watched for watched in zk.watched_paths()))
        three[0].over.set()
        events.expect("leader-lost", candidate=first)
        events.expect("leader-elected", to=second, **{"from": first})
        three[1].over.set()
        events.expect("leader-elected", to=third, **{"from": second})


def test_killed_leader_process(zk, path):
    """A leader whose process is killed is replaced within its session timeout plus a tick, and this is shown."""
    processes = []
    try:
        client = zk.client()
        for i in range(3):
            processes.append(subprocess.Popen([sys.executable, CANDIDATE, zk.hosts, path, f"host-{i}", str(TIMEOUT_S)],
                                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            until(lambda: count(client, path) == i + 1)
        assert processes[0].stdout.readline() == "leading\n"
        with Events(zk.hosts, path) as events:
            events.expect("election-seen", election=path)
            before = look_at(zk.hosts, path)
            assert before["leader"]["identity"] == "host-0"
            until(lambda: any(before["leader"]["name"] in watched for watched in zk.watched_paths()))
            killed = time.monotonic()
            processes[0].kill()
            lost = events.expect("leader-lost", candidate=names(before)[0])
            elected = events.expect("leader-elected", to=names(before)[1])
            # Half a second for a busy machine: the server's own bound is the timeout and one tick.
            assert lost["arrived"] - killed < TIMEOUT_S + zk.tick_s + 0.5
            assert elected["arrived"] - lost["arrived"] < 0.5
        after = look_at(zk.hosts, path)
        assert names(after) == names(before)[1:]
        assert after["leader"]["identity"] == "host-1"
        assert processes[1].stdout.readline() == "leading\n"
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


def test_lock(zk, path):
    """kazoo's Lock has the same layout; contenders are shown behind its holder."""
    first, second = zk.client(), zk.client()
    holder, waiter = first.Lock(path, "holder"), second.Lock(path, "waiter")
    assert holder.acquire(timeout=10)
    waiting = threading.Thread(target=waiter.acquire, daemon=True)
    waiting.start()
    until(lambda: count(first, path) == 2)
    assert [c["identity"] for c in look_at(zk.hosts, path)["candidates"]] == ["holder", "waiter"]
    holder.release()
    waiting.join(10)
    assert [c["identity"] for c in look_at(zk.hosts, path)["candidates"]] == ["waiter"]
    waiter.release()
    assert look_at(zk.hosts, path)["state"] == "vacant"


def test_found_without_a_path(zk, path, three):
    """With no path given the election is discovered by walking the tree."""
    found = elections(look(zk.hosts))
    assert path in found
    assert found[path]["leader"]["identity"] == "host-a:8081"


@pytest.mark.shown
def test_readers_and_a_writer(zk, path):
    """Nobody said what it is: readers in one line show a lock, which is held on when one of them goes."""
    clients = [zk.client(timeout=TIMEOUT_S) for _ in range(3)]
    readers = [client.ReadLock(path, f"r{i}") for i, client in enumerate(clients[:2])]
    for reader in readers:
        assert reader.acquire()
    writer = clients[2].WriteLock(path, "w")
    waiting = threading.Thread(target=writer.acquire, daemon=True)
    waiting.start()
    until(lambda: count(clients[0], path) == 3)
    try:
        election = look_at(zk.hosts, path)
        assert (election["kind"], election["kind_known"]) == ("lock", "behaviour"), election
        assert len(election["holders"]) == 2
        text = run("once", "-s", zk.hosts, "--admin", zk.admin, path).out
        assert "If its holder leaves now rlock__…1 still holds it" in text, text
        assert "is intact" in text and "leads then" not in text and "must lead" not in text, text
        yaml = run("discover", "-s", zk.hosts, "--admin", zk.admin, path, "--yaml").out
        assert "kind: lock" in yaml and "# kind:" not in yaml, yaml
    finally:
        for reader in readers:
            reader.release()
        waiting.join(20)
        writer.release()
