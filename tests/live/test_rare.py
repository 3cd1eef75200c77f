"""Illnesses that no client can bring about on a healthy server, as near to a real one as they come.

A directory that has used up its numbers: two thousand million creates, so the server reads that figure from
its own log. A znode that outlives its session is a server's fault: everything is real but for the list of
sessions, from which the test takes one away. Changes that nobody can have seen: one transaction."""
import json
import urllib.request

import pytest

from electop import Events
from ensemble import Ensemble
from fake_server import FakeAdmin, http
from standing import LATCH, Findings, Line, configuration
from txnlog import age_directory
from waiting import until

WITHIN_S = 60
LONG = ("maxSessionTimeout=120000",)


@pytest.fixture
def zk():
    ensemble = Ensemble(1, config=LONG)
    yield ensemble
    ensemble.close()


@pytest.fixture
def lines(zk):
    pair = [Line(zk, f"/{which}") for which in ("ill", "well")]
    yield pair
    for line in pair:
        line.close()


def stand(findings, line, **more):
    """Two, of whom the tool knows before anything happens to them."""
    until(lambda: line.path in line.zk.watched_paths(), 20, f"{line.path} is watched")
    line.join("a", **more)
    line.join("b")
    findings.expect_seen(line)


def silent_twin(findings, well):
    assert not [finding for _, finding in findings.told(well.path) if finding["severity"] != "info"]


def test_sequence_near_overflow(zk, lines, tmp_path):
    """A directory close to its last number is told, and its new making ends it; its twin is not."""
    ill, well = lines
    for line in lines:
        line.join("a", timeout_s=60)
    zk.kill()
    age_directory(zk.directory, ill.members[0].path, 2147000000)
    zk.start()
    for line in lines:
        line.members[0].session = line.members[0].session.move(zk.addresses[0])
        line.sessions.append(line.members[0].session)
    file = configuration(tmp_path, zk, {line.path: {} for line in lines})
    with Events(None, "--config", file) as events:
        findings = Findings(events)
        found = findings.expect(ill.path, "sequence-near-overflow", WITHIN_S, severity="warning", certainty="certain")
        assert "2147000000" in found["evidence"], found
        second = ill.join("b")
        assert second.name.endswith("-2147000000"), second.name
        for member in (second, ill.members[0]):
            member.session.delete(member.path)
        second.session.delete(ill.path)
        second.session.create(ill.path, flags=0)
        second.session.create(ill.path + "/" + second.name[:-10], "b")
        findings.expect_cleared(ill.path, "sequence-near-overflow", WITHIN_S)
        silent_twin(findings, well)


class OneSessionLess(FakeAdmin):
    """A server's real AdminServer, but for one session that it does not list as alive."""

    def __init__(self, admin):
        self.admin, self.hidden = admin, None
        super().__init__(self._real)

    def _real(self, command):
        with urllib.request.urlopen(f"http://{self.admin}/commands/{command}", timeout=10) as answer:
            body = answer.read()
        if command == "dump" and self.hidden:
            dump = json.loads(body)
            for key, sessions in dump["expiry_time_to_session_ids"].items():
                dump["expiry_time_to_session_ids"][key] = [s for s in sessions if s % (1 << 64) != self.hidden]
            body = json.dumps(dump)
        return http(body)


def test_ghost_ephemeral(zk, lines, tmp_path):
    """A candidate whose session is in no list, twice, and that a read after a sync still shows: it is found, and
    the session's return to the list ends it. Its twin, whose session has no connection either, is none."""
    ill, well = lines
    with OneSessionLess(zk.admin) as admin:
        zk.admin = admin.address
        file = configuration(tmp_path, zk, {line.path: {} for line in lines})
        with Events(None, "--config", file) as events:
            findings = Findings(events)
            for line in lines:
                stand(findings, line, timeout_s=120)
                line.members[0].session.drop()
            admin.hidden = ill.members[0].session.id
            found = findings.expect(ill.path, "ghost-ephemeral", WITHIN_S, severity="critical", certainty="certain")
            assert found["candidates"] == [ill.members[0].name], found
            findings.expect(well.path, "owner-disconnected", WITHIN_S)
            admin.hidden = None
            findings.expect_cleared(ill.path, "ghost-ephemeral", WITHIN_S)
            assert "ghost-ephemeral" not in [finding["code"] for _, finding in findings.told(well.path)]


def test_unseen_changes(zk, lines, tmp_path):
    """One that came and went in one transaction was seen by nobody, and is counted; once it is old, no more."""
    ill, well = lines
    file = configuration(tmp_path, zk, {line.path: {"allow": "{leader_changes: 100 in 4s}"} for line in lines})
    with Events(None, "--config", file) as events:
        findings = Findings(events)
        for line in lines:
            stand(findings, line, timeout_s=30)
        ill.members[0].session.blink(f"{ill.path}/{LATCH.format(guid='7f3c1e22-5a4b-4c6d-8e9f-001122334455')}0000000001")
        found = findings.expect(ill.path, "unseen-changes", WITHIN_S, severity="info", certainty="certain")
        assert "1 joined and 1 left" in found["evidence"], found
        findings.expect_cleared(ill.path, "unseen-changes", WITHIN_S)
        assert "unseen-changes" not in [finding["code"] for _, finding in findings.told(well.path)]
