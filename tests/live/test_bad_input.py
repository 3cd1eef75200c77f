"""Directories that no client of a known layout makes, on a real server: what stands there is told as what it is, and nobody
healthy is accused for it."""
import json
import re

import pytest

from electop import Events, elections, look_at, names, run
from ensemble import Ensemble
from logged_play import JAVA
from raw_session import EPHEMERAL
from standing import Findings, Line
from waiting import until

REGISTERED = 10000
IDENTITY_MOST = 200


@pytest.fixture(scope="module")
def zk():
    ensemble = Ensemble(1, java=JAVA)
    yield ensemble
    ensemble.close()


@pytest.fixture
def line(zk, path):
    made = Line(zk, f"{path}/election")
    yield made
    made.close()


def whole_look(zk, path):
    """With the second look that what servers show may need."""
    done = run("once", "--json", "-s", zk.hosts, "--admin", zk.admin, path)
    assert done.status in (0, 1), done
    return elections(json.loads(done.out))[path]


def told(election):
    return {(finding["code"], finding["severity"], finding["certainty"]) for finding in election["findings"]
            if finding["severity"] != "info"}


@pytest.mark.parametrize("first", [True, False])
def test_candidates_without_a_session(zk, line, first):
    """Containers, znodes with a time to live and persistent ones are no session's: each is said to stand for ever."""
    if not first:
        line.join("a", name="n_")
        line.join("b", name="n_")
    session = line.members[0].session if line.members else line.session()
    line.make(session)
    at = len(line.members)
    left = [f"n_{at + i:010}" for i in range(3)]
    session.create_container(f"{line.path}/{left[0]}")
    session.create_ttl(f"{line.path}/{left[1]}", 3600000)
    session.create(f"{line.path}/{left[2]}", flags=0)
    election = whole_look(zk, line.path)
    found = {finding["candidates"][0]: finding for finding in election["findings"] if finding["code"] == "persistent-candidate"}
    assert sorted(found) == left and {kind[:2] for kind in told(election)} <= {  # made just now, they may be suspected only
        ("persistent-candidate", severity) for severity in ("critical", "error")}, election
    assert found[left[0]]["severity"] == ("critical" if first else "error"), found
    assert {c["session"] for c in election["candidates"] if c["name"] in left} == {"0x0"}, election


def test_data_of_any_length(zk, line):
    """As much as a server takes, none, and null: read, and named as far as a name may be long."""
    line.join("x" * 1000000, name="n_")
    line.join("", name="n_")
    line.join(None, name="n_")
    election = whole_look(zk, line.path)
    assert names(election) == [member.name for member in line.members] and election["state"] == "led"
    long, *short = [candidate["identity"] for candidate in election["candidates"]]
    assert re.fullmatch("x+\u2026[0-9a-f]{8}", long) and len(long) <= IDENTITY_MOST, long  # a digest tells it from others
    assert all(identity.startswith("127.0.0.1:") for identity in short), short
    assert not told(election), election


def test_names_that_almost_fit(zk, line):
    """Nine digits, eleven, something behind them, another case: none of these is in the line."""
    members = [line.join(data, name="n_").name for data in "abcd"]
    strange = ["n_000000007", "n_00000000007", "n_0000000007.lock", "n_0000000007x", "N_0000000007", "n_", "n_000000000\u0667"]
    for name in strange:
        line.session().create(f"{line.path}/{name}", flags=EPHEMERAL)
    election = whole_look(zk, line.path)
    assert names(election) == members, election
    assert told(election) == {("foreign-child", "warning", "suspected")}, election
    (foreign,) = [finding for finding in election["findings"] if finding["code"] == "foreign-child"]
    assert any(name in foreign["evidence"] for name in strange) and f"{len(strange) - 1} more" in foreign["evidence"], foreign


@pytest.mark.parametrize("second", ["n_", "{guid.hex}__lock__"])
def test_two_layouts_in_one_directory(zk, line, second):
    """Both stand in one line by their numbers, or one's are foreign to it: nobody of them is ill."""
    for i in range(4):
        line.join("abcd"[i], **({"name": second} if i % 2 else {}))
    election = whole_look(zk, line.path)
    assert election["leader"]["name"] == line.members[0].name, election
    assert not [code for code, _, certainty in told(election) if certainty == "certain"], election


def test_a_layout_changes_while_it_is_watched(zk, line):
    """An upgrade of one after the other: those of the new version have other names. Each change of leader is told, and of
    nobody that it is ill."""
    with Events(zk.hosts, "--admin", zk.admin, line.path) as events:
        findings = Findings(events)
        until(lambda: line.path in zk.watched_paths(), 20, "it is watched")
        for data in "abc":
            line.join(data, name="n_")
        findings.expect_seen(line)
        for data in "def":
            line.join(data)  # it watches the last, whatever that is called
            old = line.members[0]
            old.leaves()
            events.expect("leader-elected", **{"from": old.name, "to": line.members[0].name})
        wrong = [finding for _, finding in findings.told(line.path)
                 if finding["severity"] != "info" and finding["certainty"] == "certain"]
        assert not wrong, wrong
    assert names(look_at(zk.hosts, line.path)) == [member.name for member in line.members]


def test_an_acknowledgement_of_somebody_else(zk, path):
    """An acknowledgement by a session that never stood: not the leader's, and no more than a suspicion."""
    line = Line(zk, f"{path}/overseer_elect/election")
    try:
        for node in "ab":
            line.join(name=f"{{session}}-{node}:8983_solr-n_")
        line.session().create(f"{path}/overseer_elect/leader", '{"id":"z:8983_solr"}', EPHEMERAL)
        election = whole_look(zk, line.path)
        assert election["leader"]["acknowledged"] is False and election["leader"]["identity"] == "a:8983_solr", election
        assert not [finding for finding in election["findings"] if finding["severity"] != "info" and finding["certainty"] == "certain"]
    finally:
        line.close()


def test_a_registry_of_ten_thousand(zk, line):
    """A look is over when the members are named, however many others are registered there."""
    for _ in range(3):
        line.join(name="c_")
    client, app = zk.client(), line.path.rsplit("/", 1)[0]
    client.create(f"{app}/coordinators_service_registry")
    client.create(f"{app}/workers_service_registry")
    made = [client.create_async(f"{app}/workers_service_registry/n_", b"http://10.9.0.1:80/task", ephemeral=True, sequence=True)
            for _ in range(REGISTERED)]
    for each in made:
        each.get(timeout=60)
    for i, member in enumerate(line.members):
        where = "workers" if i else "coordinators"
        member.session.create(f"{app}/{where}_service_registry/n_", f"http://10.0.0.{i}:8080/search")
    for _ in range(3):
        election = look_at(zk.hosts, line.path)
        assert [candidate["identity"] for candidate in election["candidates"]] == [f"10.0.0.{i}:8080" for i in range(3)], election
        assert election["leader"]["acknowledged"] is True
