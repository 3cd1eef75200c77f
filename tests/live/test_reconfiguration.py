"""The ensemble changes while the tool runs: who has left is no longer asked, who has moved is found again."""
import json
import re

import pytest

from electop import Events, look
from ensemble import Ensemble
from standing import Findings, Line, configuration
from waiting import until


@pytest.fixture
def zk():
    ensemble = Ensemble(3, config=("reconfigEnabled=true", "skipACL=yes", "maxSessionTimeout=60000"))
    yield ensemble
    ensemble.close()


def members(client):
    """The lines of /zookeeper/config, by id."""
    text = client.get("/zookeeper/config")[0].decode()
    return {int(i): line for line, i in re.findall(r"(?m)^(server\.(\d+)=.*)$", text)}


def reconfigure(client, leaving=None, joining=None):
    client.reconfig(joining=joining, leaving=leaving, new_members=None)



def test_server_that_leaves(zk, tmp_path):
    """A server is taken out of the ensemble and ended while the tool watches: it is dropped, and nothing is unknown for
    its sake; put back, it is asked again."""
    client = zk.client(timeout=30)
    client.ensure_path("/reconfigured")
    gone = [i for i in range(3) if i != zk.leader()][0]
    line = members(client)[gone + 1]
    log = tmp_path / "log"

    def said():
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    with Events(zk.hosts, "/reconfigured", "--admin", zk.admin, "--log", str(log)) as events:
        events.expect("election-seen")
        until(lambda: f"{zk.addresses[gone]}: " in said() and "connections" in said(), 20, "all are asked")
        client.retry(reconfigure, client, leaving=str(gone + 1))
        zk.kill(gone)
        dropped = f"{zk.addresses[gone]} is no longer polled"
        until(lambda: dropped in said(), 30, "the server that left is dropped")
        after = len(said().split(dropped)[1])
        zk.start(gone)
        client.retry(reconfigure, client, joining=line)
        until(lambda: f"debug {zk.addresses[gone]}: " in said().split(dropped)[1][after:], 60, "it is asked again")


def test_look_at_fewer(zk):
    """Of an ensemble of two that was one of three, a look shows two servers, and knows that these are all."""
    client = zk.client(timeout=30)
    client.ensure_path("/reconfigured")
    gone = [i for i in range(3) if i != zk.leader()][0]
    client.retry(reconfigure, client, leaving=str(gone + 1))
    zk.kill(gone)
    hosts = ",".join(a for i, a in enumerate(zk.addresses) if i != gone)
    document = look(hosts, "/reconfigured", "--admin", zk.admin)
    cluster = document["clusters"][0]
    assert sorted(s["address"] for s in cluster["servers"]) == sorted(hosts.split(",")), json.dumps(cluster)
    assert cluster["watches_complete"] is True


def test_ensemble_of_two(zk, tmp_path):
    """Two that are known to be all of them: whose session is at neither is without a connection, and that is told."""
    client = zk.client(timeout=30)
    gone = [i for i in range(3) if i != zk.leader()][0]
    client.retry(reconfigure, client, leaving=str(gone + 1))
    zk.kill(gone)
    left = [address for i, address in enumerate(zk.addresses) if i != gone]
    zk.hosts = ",".join(left)
    line = Line(zk, "/two", at=left[0])
    try:
        with Events(None, "--config", configuration(tmp_path, zk, {line.path: {}})) as events:
            findings = Findings(events)
            until(lambda: line.path in zk.watched_paths(), 20, "it is watched")
            first, second = line.join("a", timeout_s=40), line.join("b", timeout_s=40, at=left[1])
            findings.expect_seen(line)
            first.session.drop()
            found = findings.expect(line.path, "owner-disconnected", 60, severity="error")
            assert found["candidates"] == [first.name], found
            first.session.move(left[1])
            findings.expect_cleared(line.path, "owner-disconnected", 60)
            assert not [f for _, f in findings.told(line.path) if second.name in f["candidates"]]
    finally:
        line.close()
