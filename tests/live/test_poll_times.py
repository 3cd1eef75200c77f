"""How soon an illness is known: what is asked of servers comes when it is needed, also after a restart."""
import json
import time
import urllib.request

import pytest

from electop import Events
from ensemble import Ensemble
from fake_server import FakeAdmin, http
from patience import stretched, strain
from raw_session import RawSession
from standing import Findings, Line
from waiting import until

ELECTIONS = 10


@pytest.fixture
def world():
    """Ten elections of three; the tool watches them all."""
    zk = Ensemble(1)
    lines = [Line(zk, f"/e{i}") for i in range(ELECTIONS)]
    try:
        yield zk, lines
    finally:
        for line in lines:
            line.close()
        zk.close()


def fill(lines):
    for line in lines:
        for _ in range(3):
            line.join()


def watching(zk, lines):
    return Events(zk.hosts, "--admin", zk.admin, *[line.path for line in lines])


def test_disconnected_leader_is_told_before_it_expires(world):
    """Of leaders with a timeout of 4 s whose connections go, nine of ten are told of by half of it."""
    zk, lines = world
    fill(lines)
    soon = 0
    with watching(zk, lines) as events:
        findings = Findings(events)
        for line in lines:
            time.sleep(0.4)
            dropped = time.monotonic()
            line.members[0].session.drop()
            findings.expect(line.path, "owner-disconnected", stretched(4))
            soon += time.monotonic() - dropped < 2 * strain()
    assert soon >= 9


def test_illness_after_a_restart(world):
    """A server that has just started answers late, and is asked all the same; certainty waits for a passive client."""
    zk, lines = world
    with watching(zk, lines) as events:
        time.sleep(2)
        zk.kill(0)
        zk.start(0)
        fill(lines)
        began = time.monotonic()
        lines[0].join(watching=None)
        Findings(events).expect(lines[0].path, "no-watch", stretched(45), certainty="certain")
        assert time.monotonic() - began < 45 * strain()


def test_a_list_of_another_length_makes_a_whole_round(world):
    """A session that comes to a quiet server, or goes, is a change that no watch of ours shows."""
    zk, lines = world
    for _ in range(2):
        lines[0].join()
    lengths, others = [], []

    def relay(command):
        with urllib.request.urlopen(f"http://{zk.admin}/commands/{command}", timeout=10) as answer:
            body = answer.read()
        lengths.append(len(json.loads(body)["connections"]) if command == "connections" else None)
        return http(body)

    def followed():
        """The two requests after each list of another length than the one just before it: of a whole round the first
        may be that list again."""
        return [lengths[i + 1:i + 3] for i in range(1, len(lengths) - 2)
                if None not in lengths[i - 1:i + 1] and lengths[i] != lengths[i - 1]]

    def another_comes():
        if admin.asked[-2:] == ["connections"] * 2:
            others.append(RawSession(zk.hosts))
            before = len(lengths)
            until(lambda: None in lengths[before:], 20, "a whole round")
        return len(followed()) >= 2
    with FakeAdmin(relay) as admin, Events(zk.hosts, "--admin", admin.address, lines[0].path):
        until(another_comes, 120, "two lists of another length in quiet rounds")
        assert all(None in requests for requests in followed())
    for other in others:
        other.close()


class Relay(FakeAdmin):
    """A server's real AdminServer, which keeps what it lists: for each request the establishment of each session's
    connection, or None where that was not asked for."""

    def __init__(self, admin):
        self.admin, self.lists = admin, []
        super().__init__(self._real)

    def _real(self, command):
        with urllib.request.urlopen(f"http://{self.admin}/commands/{command}", timeout=10) as answer:
            body = answer.read()
        self.lists.append({c["session_id"] % (1 << 64): c["established"] for c in json.loads(body)["connections"]}
                          if command == "connections" else None)
        return http(body)


def test_a_newcomer_is_looked_at_in_the_first_round(world):
    """Between the joining and the first list of watches after it stands a list of connections that has the newcomer: so
    that look counts already."""
    zk, lines = world
    for _ in range(2):
        lines[0].join()
    with Relay(zk.admin) as admin, Events(zk.hosts, "--admin", admin.address, lines[0].path):
        until(lambda: admin.asked[-2:] == ["connections"] * 2, 90, "two rounds of connections alone")
        before = len(admin.lists)
        member = lines[0].join()
        until(lambda: "watches" in admin.asked[before:], 20, "a whole round")
        look = admin.asked.index("watches", before)
        assert any(seen and member.session.id in seen for seen in admin.lists[before:look])


def test_a_new_connection_makes_a_whole_round(world):
    """A candidate that comes back has lost its watch or not: as many connections as before do not hide that."""
    zk, lines = world
    for _ in range(2):
        lines[0].join()
    with Relay(zk.admin) as admin, Events(zk.hosts, "--admin", admin.address, lines[0].path):
        # The figures have just come, and nothing had moved: lists alone come next.
        until(lambda: admin.asked[-2:] == ["watch_summary", "connections"], 90, "a round of figures and connections")
        member, before = lines[0].members[1], len(admin.lists)
        was = [seen for seen in admin.lists if seen][-1][member.session.id]
        lines[0].sessions.append(member.session.move(zk.addresses[0]))

        def came_back():
            return [i for i, seen in enumerate(admin.lists) if i >= before and seen and seen.get(member.session.id, was) > was]
        until(lambda: came_back() and len(admin.lists) > came_back()[0] + 2, 60, "its new connection, and what follows")
        first = came_back()[0]
        assert None in admin.lists[first + 1:first + 3], admin.asked[before:]


def test_quiet_rounds_ask_for_connections_alone(world):
    """Where nothing moves, the figures come every `servers: every` only; a change brings the watches at once."""
    zk, lines = world
    for _ in range(2):
        lines[0].join()

    def relay(command):
        with urllib.request.urlopen(f"http://{zk.admin}/commands/{command}", timeout=10) as answer:
            return http(answer.read())
    with FakeAdmin(relay) as admin, Events(zk.hosts, "--admin", admin.address, lines[0].path) as events:
        until(lambda: admin.asked[-2:] == ["connections"] * 2, 90, "two rounds of connections alone")
        before = len(admin.asked)
        lines[0].members[0].session.delete(lines[0].members[0].path)
        events.expect("leader-elected", within=20)
        until(lambda: "watches" in admin.asked[before:], 20, "a whole round")
