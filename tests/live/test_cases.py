"""What a recorder and `events` observed is told again from a case, event by event."""
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import time
import zlib
from datetime import datetime, timedelta

import pytest
from kazoo.security import make_digest_acl

from electop import PLAIN, PROGRAM, Events, peak_kb, run
from raw_session import RawSession
from recorder import Recorder
from tap import Tap
from terminal import Pty
from waiting import until

HIDDEN = ("--admin", "off", "--four-letter", "off")


def stand(client, path):
    return client.create(f"{path}/n_", b"host-a:1", ephemeral=True, sequence=True, makepath=True)


def told(*arguments):
    done = run("events", "--json", *arguments)
    assert done.status == 0, done
    return [json.loads(line) for line in done.out.splitlines()]


def test_events_are_told_again(zk, client, tmp_path):
    """The case of `events` folds into the same events, each time, and into a snapshot and a story."""
    case = str(tmp_path / "one.case")
    first = stand(client, "/again/election")
    second = stand(client, "/again/election").rpartition("/")[2]
    events = Events(zk.hosts, "--observe", case, "/again/election")
    with events:
        events.expect("election-seen")
        client.delete(first)
        events.expect("failover", failover=lambda f: f["to"] == second)
    live = [{key: value for key, value in event.items() if key != "arrived"} for event in events.seen]
    assert told("--replay", case) == told("--replay", case) == live
    look = run("once", "--json", "--replay", case)
    assert look.status == 0 and json.loads(look.out)["clusters"][0]["elections"][0]["leader"]["name"] == second, look
    assert run("once", "--json", "--replay", case).out == look.out
    story = run("why", "/again/election", "--replay", case)
    assert story.status == 0 and second in story.out, story


def peak_of(case):
    """The most memory that its replay took, in MB; a block of it is damaged."""
    process = subprocess.Popen([PLAIN, "events", "--replay", case], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    peak, last_s = 0, time.monotonic() + 60
    while process.poll() is None and time.monotonic() < last_s:
        peak = max(peak, peak_kb(process.pid))
        time.sleep(0.001)
    process.kill()
    assert process.wait() == 0 and "1 block is damaged or missing" in process.communicate()[1]
    return peak >> 10


def a_case():
    with open("tests/cases/" + min(name for name in os.listdir("tests/cases") if name.endswith(".case")), "rb") as whole:
        return whole.read()


def test_a_case_is_read_in_parts(tmp_path):
    """What follows in a damaged one is passed over, however long it is, and takes no memory."""
    (tmp_path / "a.case").write_bytes(a_case())
    os.truncate(tmp_path / "a.case", 300 << 20)
    assert peak_of(tmp_path / "a.case") < 64


@pytest.mark.parametrize("content", [bytes, os.urandom])
def test_a_block_of_nothing(tmp_path, content):
    """As much as a block may have, from some kilobytes, or from as much."""
    raw, pack = content((32 << 20) - 65536), zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = pack.compress(raw) + pack.flush()
    head = struct.pack("<II", len(packed), len(raw))
    block = head + struct.pack("<I", zlib.crc32(packed, zlib.crc32(head))) + packed
    (tmp_path / "a.case").write_bytes(a_case() + a_case()[:8] + block)
    assert peak_of(tmp_path / "a.case") < 100


def test_a_recording_keeps_what_was_observed(zk, client, tmp_path):
    """A case of its last part begins with what was known then, and tells the change of leader that follows."""
    for name in client.get_children("/election") if client.exists("/election") else []:
        client.delete(f"/election/{name}")
    paths = [stand(client, "/election"), stand(client, "/election")]
    recorder = Recorder(tmp_path, zk.hosts)
    recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    client.delete(paths[0])
    recorder.wait_for("SELECT 1 FROM failovers")
    recorder.process.send_signal(signal.SIGTERM)
    recorder.process.wait(20)
    lost = recorder.ask("SELECT lost FROM failovers")[0][0]
    case = str(tmp_path / "part.case")
    done = run("case", "--from", lost, "-o", case, "--election", "/election", recorder.file)
    assert done.status == 0, done
    assert [event["failover"]["to"] for event in told("--replay", case) if event["event"] == "failover"] == [
        paths[1].rpartition("/")[2]]
    # Told again by the same rules it is the same; where the recording has something else, both are shown.
    whole = str(tmp_path / "whole.case")
    assert run("case", "-o", whole, recorder.file).status == 0
    for name, left in (("election", True), ("nosuch", False)):
        chosen = run("events", "--json", "--replay", whole, "--filter", name)
        assert any(json.loads(line).get("election") for line in chosen.out.splitlines()) == left, chosen
    assert "name their paths" in run("events", "--replay", recorder.file, "--filter", "nosuch").err
    same = run("events", "--replay", case, "--against", recorder.file)
    assert same.status == 0 and not same.out, same
    # Words and objects tell of the same differences.
    words, objects = (run("events", *how, "--replay", whole, "--against", recorder.file) for how in ((), ("--json",)))
    assert len(words.out.splitlines()) == len(objects.out.splitlines()), (words, objects)
    with sqlite3.connect(recorder.file) as db:
        db.execute("UPDATE event SET at_us = at_us - 1000 WHERE id IN (SELECT event FROM failover)")
    other = run("events", "--replay", case, "--against", recorder.file)
    assert other.status == 1 and [line[:2] for line in other.out.splitlines()] == ["- ", "+ "], other
    other = run("events", "--json", "--replay", case, "--against", recorder.file)
    lines = [json.loads(line) for line in other.out.splitlines()]
    assert [line["only"] for line in lines if line["event"] == "failover"] == ["then", "now"], other
    refused = run("case", "--from", lost, "-o", case, str(tmp_path / "config.yaml"))
    assert refused.status == 2, refused


def test_two_observers_fill_each_others_gaps(zk, path, client, tmp_path):
    """What the second one saw while the first was not there is told as if one had observed; two clusters are refused."""
    stand_there = [stand(client, path) for _ in range(3)]
    names = [each.rpartition("/")[2] for each in stand_there]
    cases = [str(tmp_path / name) for name in ("one.case", "other.case")]

    def observe(case):
        events = Events(zk.hosts, "--observe", case, path)
        events.expect("election-seen")
        return events
    first = observe(cases[0])
    with observe(cases[1]) as second:
        with first:
            pass
        client.delete(stand_there[0])
        causes = [second.expect("failover", failover=lambda f: f["to"] == names[1])["failover"]["cause"]]
    with observe(cases[0]) as first:
        client.delete(stand_there[1])
        causes.append(first.expect("failover", failover=lambda f: f["to"] == names[2])["failover"]["cause"])
    both = [argument for case in cases for argument in ("--replay", case)]
    failovers = [event["failover"] for event in told(*both) if event["event"] == "failover"]
    assert [(f["from"], f["to"], f["cause"]) for f in failovers] == [
        (names[0], names[1], causes[0]), (names[1], names[2], causes[1])], failovers
    assert set(causes) <= {"resigned", "deleted"}, causes  # a poll that is late does not show whose request it was
    assert told(*both) == told(*both)
    look = run("once", "--json", *both)
    assert look.status == 0 and election_of(look)["leader"]["name"] == names[2], look
    assert names[2] in run("why", path, *both).out
    report = run("report", *both)
    assert report.status == 0 and f"{cases[0]}, {cases[1]}" in " ".join(report.out.split()), report
    damaged = tmp_path / "damaged.case"
    damaged.write_bytes(b"eltcase2" + bytes(100))
    beside = run("events", "--replay", str(damaged), "--replay", cases[1])
    assert beside.status == 0 and causes[0] in beside.out and "damaged" in beside.err, beside
    alone = run("events", "--replay", str(damaged), "--replay", str(damaged))
    assert alone.status == 2 and "nothing can be read" in alone.err, alone
    refused = run("events", *both, "--replay", str(tmp_path))
    assert refused.status == 2, refused
    (tmp_path / "two.yaml").write_text(f"clusters: [{{name: a, hosts: '{zk.hosts}'}}, {{name: b, hosts: '{zk.hosts}'}}]\n")
    two, empty = str(tmp_path / "two.case"), tmp_path / "empty.case"
    assert run("once", "-c", str(tmp_path / "two.yaml"), "--observe", two).status in (0, 1)
    assert run("once", "--replay", two).status in (0, 1)
    refused = run("events", "--replay", two, "--replay", cases[1])
    assert refused.status == 2 and "2 clusters; only cases of one cluster are folded together" in refused.err, refused
    empty.write_bytes(b"")
    for beside in [], ["--replay", cases[1]]:
        refused = run("events", "--replay", str(empty), *beside)
        assert refused.status == 2 and "empty.case" in refused.err and not refused.out, refused
    folder = os.path.join(os.path.dirname(__file__), "..", "cases", "faults.")
    refused = run("events", *(argument for name in ("expired_while_cut_off", "wiped")
                              for argument in ("--replay", f"{folder}{name}.events.case")))
    assert refused.status == 2 and "are of different clusters" in refused.err, refused


def test_logs_and_packets_make_cases(zk, path, tmp_path):
    """What an autopsy or a capture tells, its case tells again. Beside a recording that was not there, each proves how its
    leader went."""
    live, logs, packets = [str(tmp_path / name) for name in ("live.case", "logs.case", "packets.case")]
    capture = str(tmp_path / "zk.pcap")
    with open(capture, "wb", buffering=0) as out, Tap(zk.addresses[0], out) as tap:
        sessions = [RawSession(tap.address, 4) for _ in range(2)]
        sessions[0].make(path)
        names = [session.create(f"{path}/n_", b"app") for session in sessions]
        sessions[1].watch(f"{path}/{names[0]}")
        with Events(zk.hosts, *HIDDEN, "--observe", live, path) as events:
            events.expect("election-seen")
        sessions[0].close()
        with Events(zk.hosts, *HIDDEN, "--observe", live, path) as events:
            events.expect("election-seen")
        sessions[1].close()
    told_of = {logs: run("autopsy", "--events", "--json", zk.directory, "--election", path, "--observe", logs),
               packets: run("events", "--json", "--capture", capture, "--observe", packets)}
    for case, done in told_of.items():
        assert done.status == 0 and [json.loads(line) for line in done.out.splitlines()] == told("--replay", case), done
    for beside in [], [logs], [packets], [logs, packets]:
        lines = told(*(argument for case in (live, *beside) for argument in ("--replay", case)))
        failovers = [event["failover"] for event in lines if event["event"] == "failover"]
        assert [(f["from"], f["to"], f["cause"], f["cause_certainty"]) for f in failovers] == [
            (names[0], names[1], "closed", "certain"), (names[1], None, "closed", "certain")][:2 * len(beside)], (beside, lines)


def unpacked(file):
    """The bytes of all blocks of a case, as they were before they were packed."""
    data, text = open(file, "rb").read(), b""
    while data:
        packed, length = struct.unpack("<8x2I", data[:16])
        assert data.startswith(b"eltcase2")
        block = zlib.decompress(data[20:20 + packed], -15)
        assert len(block) == length
        text, data = text + block, data[20 + packed:]
    return text


def election_of(look):
    return json.loads(look.out)["clusters"][0]["elections"][0]


def test_a_moment_is_handed_over_beside_its_recorder(zk, client, path, tmp_path, monkeypatch):
    """Half a minute after a change of leader a bundle holds it; earlier it says what it lacks."""
    client.ensure_path(path)
    paths = [client.create(path + "/n_", b"acme-a:1", ephemeral=True, sequence=True) for _ in range(2)]
    recorder = Recorder(tmp_path, zk.hosts, elections=f"[{{path: {path}}}]")
    monkeypatch.chdir(tmp_path)
    try:
        recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
        client.delete(paths[0])
        lost = recorder.wait_for("SELECT lost FROM failovers")[0][0]
        early = run("bundle", "-c", str(recorder.config), "--at", lost)
        assert "within 5 minutes" in early.err, early
        recorder.wait_for("SELECT 1 FROM observation", within=90)
        late = run("bundle", "-c", str(recorder.config), "--at", lost)
        assert (late.status, late.err) == (0, ""), late
        assert "leader-lost" in run("events", "--json", "--replay", late.out.split()[-1]).out, late
        until(lambda: "it lacks what was observed after" in run("bundle", "-c", str(recorder.config)).err, within=60)
    finally:
        recorder.end()


def test_a_moment_is_handed_over(zk, path, tmp_path, monkeypatch):
    """A bundle opens at its moment, brings the configuration, and has no secret of it."""
    client = zk.client(auth_data=[("digest", "operator:sEcret-word")])
    acl = [make_digest_acl("operator", "sEcret-word", all=True)]
    client.ensure_path(path)
    paths = [client.create(path + "/n_", b"acme-a:1", acl=acl, ephemeral=True, sequence=True) for _ in range(2)]
    (tmp_path / "auth").write_text("digest:operator:sEcret-word\n")
    (tmp_path / "auth").chmod(0o600)
    recorder = Recorder(tmp_path, zk.hosts, "--auth-file", str(tmp_path / "auth"), elections=f"[{{path: {path}, name: orders}}]")
    with open(recorder.config, "a", encoding="utf-8") as config:
        config.write("alerts: [{on: [no-leader], post: 'https://127.0.0.1:1/?token=sEcret-token', run: [/bin/true, sEcret-word]}]\n")
    recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    client.delete(paths[0])
    lost, elected = recorder.wait_for("SELECT lost, elected FROM failovers")[0]
    recorder.end()
    monkeypatch.chdir(tmp_path)
    done = run("bundle", "-c", str(recorder.config), "--at", lost)
    assert done.status == 0, done
    file = re.fullmatch(r"electop replay (electop-bundle-\S+\.case)\n", done.out)[1]
    look = run("once", "--json", "--replay", file)
    assert json.loads(look.out)["time"] == lost, (lost, look)
    assert run("once", "--json", "--replay", file, "--at", elected).status == 0
    assert not re.search(b"sEcret|operator", unpacked(file))
    configuration = run("config", "--replay", file)
    assert configuration.status == 0 and lost in configuration.out.splitlines()[0], configuration
    assert f"hosts: {zk.hosts}" in configuration.out and "name: orders" in configuration.out, configuration
    # The bundle of a bundle is about the same moment, with the same configuration.
    again = run("bundle", "--from", lost, "--election", path, "-o", "again.case", file)
    assert again.status == 0 and again.out == "electop replay again.case\n", again
    assert json.loads(run("once", "--json", "--replay", "again.case").out)["time"] == lost
    assert run("config", "--replay", "again.case").out == configuration.out
    # So is that of one whose observations end before its moment.
    before = (datetime.fromisoformat(lost) - timedelta(milliseconds=50)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert run("bundle", "--to", before, "-o", "early.case", file).status == 0
    assert run("bundle", "-o", "later.case", "early.case").status == 0
    assert run("config", "--replay", "later.case").out.partition("\n")[2] == configuration.out.partition("\n")[2]
    nothing = run("bundle", "--election", "/nosuch", "-o", "none.case", file)
    assert nothing.status == 2 and "/nosuch was not watched" in nothing.err and not os.path.exists("none.case"), nothing
    # With pseudonyms: the same findings, and no name.
    renamed = run("bundle", "--pseudonyms", "-o", "renamed.case", file)
    assert renamed.status == 0, renamed
    whole, other = (election_of(run("once", "--json", "--replay", name)) for name in (file, "renamed.case"))
    assert re.search(b"orders|acme", unpacked(file)) and not re.search(b"orders|acme|prod|handed", unpacked("renamed.case"))
    assert [(f["code"], f["severity"], f["certainty"]) for f in whole["findings"]] == [
        (f["code"], f["severity"], f["certainty"]) for f in other["findings"]]
    assert (whole["recipe"], whole["state"], len(whole["candidates"])) == (other["recipe"], other["state"], len(other["candidates"]))
    assert whole["candidates"][0]["name"] == other["candidates"][0]["name"]
    # A plain case has neither.
    assert run("case", "-o", "plain.case", file).status == 0
    assert json.loads(run("once", "--json", "--replay", "plain.case").out)["time"] > lost
    refused = run("config", "--replay", "plain.case")
    assert refused.status == 2 and "without a configuration" in refused.err, refused
    # Who looks at another's case hands over the configuration that it brought, or none: never their own.
    viewers = "viewers.yaml"
    (tmp_path / viewers).write_text("clusters: [{name: viewers, hosts: 'viewer.example:2181'}]\n")
    assert run("bundle", "-c", viewers, "-o", "bundled.case", "plain.case").status == 0
    assert run("config", "--replay", "bundled.case").err == refused.err.replace("plain", "bundled")
    for brought, shown in (file, configuration.out.partition("\n")[2]), ("plain.case", ""):
        assert shown == run("config", "--replay", a_key_in_a_replay(brought, viewers)).out.partition("\n")[2]
    refused = run("bundle", "--from", "-1ms", "--at", lost, file)
    assert refused.status == 2 and "is not between" in refused.err, refused
    # What is left of one that was cut opens, and the damage is named.
    whole = open(file, "rb").read()
    (tmp_path / "cut.case").write_bytes(whole[:len(whole) - 1])
    cut = run("config", "--replay", "cut.case")
    assert cut.status == 2 and "nothing was observed" in cut.err, cut


def a_key_in_a_replay(file, config):
    """The bundle that B writes there."""
    screen = Pty([PROGRAM, "replay", file, "-c", config], cols=160)
    try:
        screen.shows("REPLAY")
        assert b"electop: reading " + file.encode() in screen.bytes()  # a large one takes seconds
        screen.keys("B")
        shown = screen.shows("for electop replay was saved to electop-bundle-")
    finally:
        screen.close()
    return re.search(r"electop-bundle-\S+\.case", shown)[0]


def test_an_own_recipe_with_pseudonyms(zk, path, client, tmp_path):
    """A case under a configuration with an own recipe tells the same with pseudonyms."""
    for _ in range(3):
        client.create(f"{path}/acme-member-", b"acme-a:1", ephemeral=True, sequence=True, makepath=True)
    config, case, renamed = (str(tmp_path / name) for name in ("config.yaml", "acme.case", "renamed.case"))
    (tmp_path / "config.yaml").write_text(
        f"clusters: [{{hosts: '{zk.hosts}', elections: [{{path: {path}, recipe: acme}}]}}]\n"
        "recipes: [{name: acme, family: sequence, candidate: '^acme-member-(\\d{10})$', watches: children}]\n")
    assert run("once", "-c", config, "--observe", case).status in (0, 1)
    done = run("case", "--pseudonyms", "-o", renamed, case)
    assert done.status == 0 and b"acme" not in unpacked(renamed), done
    looks = [run("once", "--json", "--replay", file) for file in (case, renamed)]
    assert looks[0].status == looks[1].status, looks
    whole, other = map(election_of, looks)
    assert len(whole["candidates"]) == 3 and whole["leader"], whole
    assert [[f["code"] for f in told["findings"]] for told in (whole, other)] == [[f["code"] for f in whole["findings"]]] * 2
    assert [(c["position"], c["session"]) for c in whole["candidates"]] == [(c["position"], c["session"]) for c in other["candidates"]]


def test_a_key_hands_the_moment_over(zk, path, client, tmp_path, monkeypatch):
    """Where nothing records, B writes what this dashboard observed, up to that moment."""
    stand(client, path)
    leader = stand(client, path)
    monkeypatch.chdir(tmp_path)
    screen = Pty([PROGRAM, "-s", zk.hosts, path], cols=160)
    try:
        screen.shows("n_…0")
        client.delete(path + "/n_0000000000")
        screen.shows("leader elected", "resigned")
        screen.keys("B")
        shown = screen.shows("a bundle with real names (P: pseudonyms) for electop replay was saved to electop-bundle-")
        screen.keys("P")
        renamed = screen.shows("a bundle with pseudonyms for electop replay was saved to electop-bundle-")
        screen.keys("W")
        page = re.search(r"electop-report-\S+\.html", screen.shows("the report was saved to electop-report-"))[0]
    finally:
        screen.close()
    length = re.search(r" · (\d[\d.]*[a-z]+\w*)", (tmp_path / page).read_text().split("</h1>")[1])[1]
    assert re.fullmatch(r"[\d.]+m?s|[1-4]m\w*", length), length  # what was recorded around it, not a day
    file, other = (re.search(r"electop-bundle-\S+\.case", text)[0] for text in (shown, renamed))
    assert path.encode() in unpacked(file) and path.encode() not in unpacked(other)
    look = run("once", "--json", "--replay", file)
    assert election_of(look)["leader"]["name"] == leader.rpartition("/")[2], look
    assert [event["failover"]["to"] for event in told("--replay", file) if event["event"] == "failover"] == [
        leader.rpartition("/")[2]]
    assert zk.hosts in run("config", "--replay", file).out
