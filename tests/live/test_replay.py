"""A recording answers as the cluster would have: `once` and `events` with --replay."""
import json
import re

import pytest

from electop import Events, run
from recorder import Recorder
from standing import Line
from waiting import until

# What a look says of the moment in which its servers were asked, and of the session that asked.
OWN = re.compile(r'"(silent_ms|expires_at_latest|answer_ms|session)": (?:"0x[0-9a-f]+"|"[^"]*"|[\d.]+|null)')
# A finding's evidence tells the looks that it rests on, how many and how far apart: whoever has watched for longer
# has had more of them, and nobody vouches for another's.
LOOKS = re.compile(r"\bin (?:\d+|one|two) polls?(?: over [\d.]+ \w+)?")
# A server's figures change with every request, also with those of the look itself: each look read its own.
LOAD = re.compile(r'"load": \{[^{}]*\}, "findings": \[.*?\](?=\})')


@pytest.fixture
def line(zk):
    """Three candidates, each watching the one before it: nothing is wrong, so no finding has a time of its own."""
    line = Line(zk, "/election")
    for who in ("host-a:1", "host-b:1", "host-c:1"):
        line.join(who, timeout_s=10.0)
    yield line
    line.close()


@pytest.fixture
def recorder(zk, line, tmp_path):
    recorder = Recorder(tmp_path, zk.hosts)
    recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    yield recorder
    if recorder.process.poll() is None:
        recorder.process.kill()
        recorder.process.wait()


def blanked(text):
    """Without what is the looker's own; a candidate's session stays."""
    text = OWN.sub(lambda m: m[0] if m[1] == "session" else f'"{m[1]}": "_"', text)
    text = LOOKS.sub("in _ polls", text)
    text = LOAD.sub('"load": "_"', text)
    return re.sub(r'("hosts": "[^"]*",\s*"state": "[^"]*",\s*"session": )"0x[0-9a-f]+"', r'\1"_"', text)


def replayed(recorder, *arguments, status=0):
    result = run(*arguments, "--replay", recorder.file)
    assert result.status == status, result
    return result.out


def compared(recorder):
    """A look of now and the same moment in the recording; the moment, and what both say. The recorder asks the
    servers in its own time: until it has, it knows less than a look that asks now, and this is to be tried again."""
    live = run("once", "--json", "-c", str(recorder.config), "--wait", "30s")
    assert live.status == 0, live
    at = json.loads(live.out)["time"]
    until(lambda: recorder.ask("SELECT max(to_us) >= CAST((julianday(?) - 2440587.5) * 86400e6 AS INTEGER) "
                               "FROM stretch", at)[0][0])
    assert blanked(replayed(recorder, "once", "--json", "--at", at)) == blanked(live.out)
    return at, blanked(live.out)


def test_a_look_at_a_recording_is_the_look_of_then(line, recorder):
    """Byte for byte what `once --json` said at that moment, but for what is the looker's own; also after the
    leader has gone since."""
    at, then = until(lambda: compared(recorder), 60)
    assert '"failovers": {"window_ms": 86400000, "leader_changes": 0, "count": 0' in then  # both read the same history
    assert '"watches": ["' in then and '"state": "led"' in then
    first, successor = line.members[0], line.members[1].name
    first.leaves()
    recorder.wait_for("SELECT 1 FROM events WHERE event = 'leader-elected'")
    assert blanked(replayed(recorder, "once", "--json", "--at", at)) == then
    # What would have happened next, from the watches of then.
    election, = json.loads(then)["clusters"][0]["elections"]
    assert election["next_failover"] == {"heir": successor, "told": True, "by_itself": True, "chain": "complete",
                                         "broken_at": None}
    text = replayed(recorder, "once", "--at", at, "/election")
    assert "host-a:1" in text
    assert "host-b:1" in replayed(recorder, "once", "/election")
    assert "host-a:1" not in replayed(recorder, "once", "/election")


def test_it_is_so_after_changes_too_and_with_findings(line, recorder):
    """A look that begins after the leader has closed, was cut off and was deleted by another knows since when the
    one of now leads, and since when what is wrong is so, as the recorder does that has seen all of it."""
    for who in ("host-d:1", "host-e:1", "host-f:1", "host-g:1"):
        line.join(who, timeout_s=5.0)

    def changes(number, cause):
        recorder.wait_for(f"SELECT 1 FROM failovers WHERE cause IN {cause}")
        recorder.wait_for("SELECT 1 FROM events WHERE event = 'failover'", number)

    line.members[0].leaves()
    changes(1, "('closed', 'ended')")
    dropped = line.members.pop(0)
    dropped.session.drop()
    changes(2, "('expired', 'ended')")
    line.members[0].looks()
    other = line.session()
    other.delete(line.members.pop(0).path)
    changes(3, "('evicted', 'deleted')")
    line.members[0].looks()
    other.close()
    deaf = line.join("host-x:1", timeout_s=5.0, watching=None)
    for who in ("host-w:1", "host-y:1", "host-z:1"):
        line.join(who, timeout_s=5.0, watching=deaf)
    # Suspected: as many as these watch another than their predecessor, which puts the order in doubt.
    recorder.wait_for("SELECT 1 FROM findings WHERE code = 'no-watch'", within=60)
    recorder.wait_for("SELECT 1 FROM findings WHERE code = 'herd'", within=60)
    at, then = until(lambda: compared(recorder), 120)
    election = json.loads(then)["clusters"][0]["elections"][0]
    assert 0 < election["failovers"]["count"] <= 3 and election["leader"]["since_exact"]  # those whose length is known
    assert {finding["code"] for finding in election["findings"]} >= {
        "no-watch", "herd"}
    # A look that knows of no recording has been told neither.
    alone = json.loads(run("once", "--json", "-s", recorder.hosts, "/election", "--wait", "30s").out)
    alone = alone["clusters"][0]["elections"][0]
    assert not alone["leader"]["since_exact"] and alone["failovers"] is None
    assert min(f["since"] for f in alone["findings"]) > max(f["since"] for f in election["findings"])
    # The recorder has gone: the leader leads since then all the same, and what is wrong now is seen now.
    recorder.end()
    later = json.loads(run("once", "--json", "-c", str(recorder.config), "--wait", "30s").out)
    later = later["clusters"][0]["elections"][0]
    assert later["leader"] == election["leader"]


def test_a_vacant_election_that_was_discovered_is_looked_at(zk, line, tmp_path):
    """Nobody stands where somebody stood: a walk alone cannot tell that from any other directory; but whoever
    records saw it, so a look beside it says who is missing."""
    recorder = Recorder(tmp_path, zk.hosts, elections="[]")
    try:
        recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led' AND election = '/election'")
        while line.members:
            line.members[0].leaves()
        recorder.wait_for("SELECT 1 FROM findings WHERE code = 'no-leader'")
        at, then = until(lambda: compared(recorder), 60)
        election = next(e for e in json.loads(then)["clusters"][0]["elections"] if e["path"] == "/election")
        assert election["state"] == "vacant" and election["recipe"]
        assert "no-leader" in [finding["code"] for finding in election["findings"]]
    finally:
        recorder.end()


def test_events_of_a_recording_are_those_of_then(zk, line, recorder):
    """What `events --json` told live stands in the recording, in the same order; --from and --to bound it."""
    with Events(zk.hosts, "/election") as live:
        live.expect("election-seen")
        for i, member in enumerate(line.members[:2]):
            member.leaves()
            live.expect("leader-elected")
            rows = recorder.wait_for("SELECT time FROM events WHERE event = 'leader-elected' ORDER BY id", i + 1)
    told = [json.loads(line) for line in replayed(recorder, "events", "--json").splitlines()]
    changes = [event["to"] for event in told if event["event"] == "leader-elected"]
    assert changes[-2:] == [event["to"] for event in live.all("leader-elected")][-2:]
    assert all(event["cluster"] == "prod" for event in told)
    later = replayed(recorder, "events", "--json", "--from", rows[-1][0], "/election").splitlines()
    assert 0 < len(later) < len(told)
    assert all(json.loads(line)["time"] >= rows[-1][0] for line in later)
    assert len(replayed(recorder, "events", "--count", "1").splitlines()) == 1


def test_what_cannot_be_replayed_is_refused(recorder, tmp_path):
    """A time outside, a path that was not watched, no recording: each says so, and nothing is shown."""
    beyond = run("once", "--replay", recorder.file, "--at", "2020-01-01T00:00:00Z")
    assert beyond.status == 2 and "is 2020-01-01T00:00:00.000Z, before the recording, which covers" in beyond.err and not beyond.out
    assert "was not watched" in run("once", "--replay", recorder.file, "/other").err
    missing = run("events", "--replay", str(tmp_path / "none.db"))
    assert missing.status == 2 and "none.db" in missing.err
    text = tmp_path / "text.db"
    text.write_text("no database at all, but long enough to be taken for one\n" * 40)
    assert run("once", "--replay", str(text)).status == 2
    assert run("replay", str(text)).status == 2
