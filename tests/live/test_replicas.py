"""replica-divergence: servers that hold different data, read one by one.

A healthy ensemble cannot be made to disagree with itself. Two servers that know nothing of each other, named as
the servers of one cluster, do."""
import json
import os
import threading
import time

import pytest

from electop import Events, run
from ensemble import Ensemble
from txnlog import age_directory, last_zxid, rounds, visits
from waiting import until

CODE = "replica-divergence"
LIMIT_S = 270


@pytest.fixture
def strangers():
    pair = [Ensemble(1), Ensemble(1)]
    yield pair
    for one in pair:
        one.close()


def configuration(folder, hosts, servers, path, every="1s"):
    file = os.path.join(folder, "config.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write(f"clusters:\n  - name: test\n    hosts: {hosts}\n    servers: {{addresses: {json.dumps(servers)}, "
                f"every: {every}}}\n    elections:\n      - path: {path}\n")
    return file


def certain(finding):
    return finding and (finding["code"], finding["certainty"]) == (CODE, "certain")


def told(events):
    with events.changed:
        return [event for event in events.seen if event.get("finding", {}).get("code") == CODE]


def test_servers_that_disagree(strangers, path, tmp_path):
    """Each server shows another directory, three times: both are named, since no third one says who is right."""
    for i, zk in enumerate(strangers):
        client = zk.client()
        client.ensure_path(path)
        for _ in range(2 + i):
            client.create(f"{path}/n_", ephemeral=True, sequence=True)
    addresses = [zk.addresses[0] for zk in strangers]
    with Events(None, "--config", configuration(tmp_path, addresses[0], addresses, path)) as events:
        finding = events.expect("finding-raised", within=40, finding=certain)["finding"]
    assert (finding["severity"], finding["certainty"], finding["candidates"]) == ("critical", "certain", [])
    assert all(address in finding["evidence"] for address in addresses), finding
    assert "2 children" in finding["evidence"] and "3 children" in finding["evidence"], finding


def test_one_look_at_servers_that_disagree(strangers, path, tmp_path):
    """What a single look shows depends on the server that it reached: it says so, and so does the check."""
    for i, zk in enumerate(strangers):
        zk.client().ensure_path(path)
        for _ in range(2 + i):
            zk.client().create(f"{path}/n_", ephemeral=True, sequence=True)
    addresses = [zk.addresses[0] for zk in strangers]
    settings = ["--config", configuration(tmp_path, addresses[0], addresses, path)]
    document = json.loads(run("once", *settings, "--json").out)
    found = [f for f in document["clusters"][0]["elections"][0]["findings"] if f["code"] == CODE]
    assert [f["certainty"] for f in found] == ["suspected"], document
    assert CODE in run("check", *settings).out


def last(zk):
    return last_zxid(zk.directory)


@pytest.mark.slow
def test_healthy_ensemble_under_churn(zk3, path, tmp_path):
    """Three servers, each read by itself while candidates come and go at all of them: since they seem to differ they
    are read once more, and not a word is said. Of the sessions that this takes none is left."""
    clients = [zk3.client() for _ in range(3)]
    clients[0].ensure_path(path)
    before, over = last(zk3), threading.Event()

    def churn(client):
        mine = []
        while not over.is_set():
            mine.append(client.create(f"{path}/n_", ephemeral=True, sequence=True))
            if len(mine) > 3:
                client.delete(mine.pop(0))
            time.sleep(0.01)  # the log of all this is read again and again

    busy = [threading.Thread(target=churn, args=(client,), daemon=True) for client in clients]
    for one in busy:
        one.start()
    try:
        with Events(None, "--config", configuration(tmp_path, zk3.hosts, zk3.addresses, path)) as events:
            events.expect("election-seen")
            until(lambda: rounds(zk3, before) >= 2, 150, "every server is read twice")  # or a minute later
            time.sleep(10)  # a third time, where the first two made it doubtful
            assert not told(events), told(events)
            # What a visit left behind on a loaded machine goes with its timeout.
            until(lambda: list(visits(zk3, before).values()).count(False) == 1, 30, "its own session alone is left")
            assert not told(events), told(events)
    finally:
        over.set()
        for one in busy:
            one.join()


def test_nothing_is_read_where_asking_is_off(zk3, path, tmp_path):
    """Where servers are asked on demand only, there is the tool's own session and no other."""
    zk3.client().ensure_path(path)
    before = last(zk3)
    with Events(None, "--config", configuration(tmp_path, zk3.hosts, zk3.addresses, path, "off")) as events:
        events.expect("election-seen")
        time.sleep(6)
    assert len(visits(zk3, before)) == 1


@pytest.mark.slow
def test_follower_that_is_healed(path, tmp_path):
    """A follower whose own log has been falsified counts the directory's changes otherwise than the two others: it is
    named. It is given new data, as the advice says: that ends it, and nothing else was alleged meanwhile."""
    zk = Ensemble(3)
    try:
        client = zk.client(timeout=30)
        client.ensure_path(path)
        names = [client.create(f"{path}/n_", ephemeral=True, sequence=True) for _ in range(3)]
        ill = [i for i in range(3) if i != zk.leader()][0]
        zk.kill(ill)
        age_directory(os.path.join(zk.directory, str(ill + 1)), names[-1], 1000)
        zk.start(ill)
        with Events(None, "--config", configuration(tmp_path, zk.hosts, zk.addresses, path)) as events:
            finding = events.expect("finding-raised", within=60, finding=certain)["finding"]
            assert (finding["severity"], finding["certainty"]) == ("critical", "certain"), finding
            first, *others = finding["evidence"].split("each: ")[1].split("; ")
            assert first.startswith(zk.addresses[ill]) and "cversion 1997," in first, finding
            assert len(others) == 2 and all("cversion 3," in other for other in others), finding
            assert finding["advice"].startswith(f"stop {zk.addresses[ill]}, remove its data"), finding
            zk.wipe(ill)
            zk.start(ill)
            # The next rounds come a minute apart; one of them may find the server down.
            events.expect("finding-cleared", within=150, finding=lambda f: f and f["code"] == CODE)
            assert len(told(events)) == 3, told(events)  # suspected, certain, cleared
    finally:
        zk.close()
