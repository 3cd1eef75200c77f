"""What one `once` tells of an illness that began long before it: it saw nothing begin, and may prove only what
the Stat of a znode proves."""
import json
import struct
import time

import framing
import pytest

from electop import elections, run
from ensemble import Ensemble
from fake_server import _Server
from raw_session import EPHEMERAL
from standing import Line, configuration

ALLOWED_S = 4  # longer than a leader that resigns may be without its mark


@pytest.fixture
def solr(zk, path):
    """An election of Solr's overseer, in which two stand: its leader has to leave a mark beside it."""
    line = Line(zk, f"{path}/overseer_elect/election")
    for node in "ab":
        line.join(name=f"{{session}}-{node}:8983_solr-n_")
    yield line
    line.close()


def once(zk, folder, path, *arguments):
    file = configuration(folder, zk, {path: {"allow": f"{{failover: {ALLOWED_S}s}}"}})
    done = run("once", "--json", "--strict", "--config", file, *arguments)
    found = {finding["code"]: finding for finding in elections(json.loads(done.out))[path]["findings"]
             if finding["severity"] != "info"}
    return done.status, found


def mark_of(line):
    return line.path.rsplit("/", 1)[0] + "/leader"


def test_never_acknowledged_for_long(zk, solr, tmp_path):
    """Nobody has left since the youngest came, so the first leads since then: it is told, and a mark ends it."""
    time.sleep(ALLOWED_S + 0.5)  # the illness itself
    status, found = once(zk, tmp_path, solr.path)
    assert status == 1 and list(found) == ["never-acknowledged"], found
    assert found["never-acknowledged"]["candidates"] == [solr.members[0].name]
    assert "or earlier" in found["never-acknowledged"]["evidence"], found
    solr.members[0].session.create(mark_of(solr), '{"id":"a:8983_solr"}', EPHEMERAL)
    assert once(zk, tmp_path, solr.path) == (0, {})


def test_never_acknowledged_alone(zk, path, tmp_path):
    """The youngest is the first, and was not before it joined: no other bound than that of its candidate."""
    line = Line(zk, f"{path}/overseer_elect/election")
    line.join(name="{session}-a:8983_solr-n_")
    time.sleep(ALLOWED_S + 0.5)
    status, found = once(zk, tmp_path, line.path)
    line.close()
    evidence = found["never-acknowledged"]["evidence"]
    assert status == 1 and "when it joined" in evidence and "at least" not in evidence, found


def test_single_look_is_not_acted_on(zk, solr, tmp_path):
    """A leader that resigns takes its mark away first: one look shows that too, so it alone is no verdict."""
    time.sleep(ALLOWED_S + 0.5)
    status, found = once(zk, tmp_path, solr.path, "--quick")
    assert status == 0 and found["never-acknowledged"]["certainty"] == "suspected", found
    check = run("check", "--config", str(tmp_path / "config.yaml"))
    assert check.status == 0 and "1 suspected finding (never-acknowledged)" in check.out, check
    check = run("check", "--config", str(tmp_path / "config.yaml"), "-t", "30", "--wait", "20s")
    assert check.status == 0 and "1 finding still suspected (never-acknowledged)" in check.out, check


def test_mark_of_another_for_long(zk, solr, tmp_path):
    """The same for a mark that names another than the first."""
    solr.members[1].session.create(mark_of(solr), '{"id":"b:8983_solr"}', EPHEMERAL)
    time.sleep(ALLOWED_S + 0.5)
    status, found = once(zk, tmp_path, solr.path)
    assert status == 1 and list(found) == ["acknowledgement-mismatch"], found
    assert found["acknowledgement-mismatch"]["candidates"] == [member.name for member in solr.members]


def test_leader_of_unknown_age(zk, solr, tmp_path):
    """Somebody left since the youngest came: the first may lead only since then, and one look alleges nothing."""
    solr.join(name="{session}-c:8983_solr-n_").leaves()
    time.sleep(ALLOWED_S + 0.5)
    assert once(zk, tmp_path, solr.path, "--quick") == (0, {})
    # A look that may take as long as a takeover watches for so long; a shorter one says how long.
    (tmp_path / "long").mkdir()
    shorter = run("once", "--config", configuration(tmp_path / "long", zk, {solr.path: {"allow": "{failover: 30s}"}}))
    assert "--wait 31s" in " ".join(shorter.out.split()), shorter
    status, found = once(zk, tmp_path, solr.path, "--wait", "20s")
    assert status == 1 and list(found) == ["never-acknowledged"], found
    assert found["never-acknowledged"]["certainty"] == "suspected", found  # nobody was seen to own it


def test_deaf_one_in_a_large_election(zk, tmp_path, path):
    """Large elections are not diagnosed at every change: what was put off is done before the look is told."""
    line = Line(zk, path)
    try:
        for _ in range(150):
            line.join()
        deaf = line.join(watching=None)
        for arguments in (["--quick"], []):
            _, found = once(zk, tmp_path, path, *arguments)
            assert list(found) == ["no-watch"], found
            assert found["no-watch"]["candidates"] == [deaf.name]
            assert found["no-watch"]["certainty"] == "suspected"  # others of its address watch there
    finally:
        line.close()


def test_dead_leader_is_found_by_discovery(path):
    """Whether the path is named or found, a leader without a connection is missed by no look; and so a session that fell
    out of the line and still watches somebody in the middle of it."""
    zk = Ensemble(1, config=("maxSessionTimeout=120000",))
    line = Line(zk, path)
    try:
        for _ in range(5):
            line.join(timeout_s=120.0)
        fallen = line.session()  # it must be heard between two looks
        fallen.watch(line.members[3].path)
        for paths in ([path], []):
            line.members.pop(0).session.drop()
            done = run("once", "--json", "-s", zk.hosts, "--admin", zk.admin, "--wait", "30s", *paths)
            found = elections(json.loads(done.out))[path]["findings"]
            assert {"owner-disconnected", "watcher-without-candidate"} <= {f["code"] for f in found}, found
        # A check reads the znode once more, which is still there, and knows by then.
        done = run("check", "-s", zk.hosts, "--admin", zk.admin, "--timeout", "30s", path)
        assert done.status == 1 and "owner-disconnected" in done.out, done
    finally:
        line.close()
        zk.close()


@pytest.mark.parametrize("noticed", ["when it is read", "by a watch"], ids=["read", "watch"])
@pytest.mark.parametrize("late_s", [0.5, 5], ids=["late", "too-late"])
def test_candidates_of_two_moments(noticed, late_s):
    """Where one of the candidates listed is gone when it is read, or ends as another comes, the look waits for the next list:
    what is left of the old one was never all there was. Where that comes too late, who stands is not known."""
    nodes, lists = ["n_0000000001", "n_0000000002", "n_0000000003"], []
    ends = nodes[0 if noticed == "by a watch" else 1]

    def text(name):
        return struct.pack(">i", len(name)) + name.encode()

    def answer(number, kind, path):
        if kind in (3, 4) and path == "/e":
            return framing.head(number) + (text("") if kind == 4 else b"") + framing.STAT
        if kind == 12 and path == "/e":
            lists.append(list(nodes))
            time.sleep(late_s if len(lists) > 1 else 0)  # the old list alone would be shown meanwhile
            return framing.head(number) + struct.pack(">i", len(nodes)) + b"".join(map(text, nodes)) + framing.STAT
        name = path.removeprefix("/e/")
        known = framing.head(number) + text(name) + framing.STAT
        if name == "n_0000000002" and ends in nodes:
            nodes.remove(ends)
            nodes.append("n_0000000004")
            deleted, changed = (struct.pack(">iqiii", -1, -1, 0, kind, 3) + text(of) for kind, of in ((2, f"/e/{ends}"), (4, "/e")))
            parts = [changed, framing.head(number, -101)] if ends == name else [deleted, changed, known]
            return [b"".join(struct.pack(">i", len(body)) + body for body in parts)]
        return known if name in nodes else None

    with _Server(framing.scripted(answer)) as server:
        done = run("once", "--json", "--quick", "--wait", "3s", "-s", server.address, "--admin", "off", "--four-letter", "off", "/e")
    told = elections(json.loads(done.out))["/e"]
    assert len(lists) == 2, (told, lists)
    if late_s > 3:
        assert told["state"] == "unknown" and "do not answer" in told["problem"], told
    else:
        assert [candidate["name"] for candidate in told["candidates"]] == nodes, (told, lists)
