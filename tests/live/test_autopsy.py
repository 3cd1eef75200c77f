"""`electop autopsy`: what happened, from the transaction logs of a real server alone."""
import datetime
import glob
import gzip
import html
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import struct
import sys
import tarfile
import time
import zlib

import pytest
from autopsies import autopsy, check_autopsy
from electop import Events, run
from ensemble import Ensemble, session_of
from recorder import Recorder
from stories import Stories
from truth import Truth, moment
from txnlog import CLOSE_SESSION, transactions
from waiting import until

PATH = "/orders/leader"
CANDIDATE = """
import sys, time
from kazoo.client import KazooClient
client = KazooClient(sys.argv[1], timeout=4)
client.start()
print(client.create(sys.argv[2], sys.argv[3].encode(), ephemeral=True, sequence=True), flush=True)
time.sleep(600)
"""


class Truths(Truth):
    """Of one server alone."""

    def __init__(self, *logs):
        import truth
        real = truth.changes
        truth.changes = lambda *directories, copies: real(*directories, copies=1)
        try:
            super().__init__(*logs)
        finally:
            truth.changes = real


def candidate(zk, name, timeout=4):
    client = zk.client(timeout=timeout)
    client.ensure_path(PATH)
    return client, client.create(f"{PATH}/n_", name.encode(), ephemeral=True, sequence=True)


def play(zk):
    """Four leaders go, each in another way; a fifth stays. Returns the true causes, in order."""
    zk.client().ensure_path(PATH)
    dying = subprocess.Popen([sys.executable, "-c", CANDIDATE, zk.hosts, f"{PATH}/n_", "app-1"], stdout=subprocess.PIPE)
    until(lambda: zk.client().get_children(PATH))
    resigning, own = candidate(zk, "app-2")
    closing, _ = candidate(zk, "app-3")
    _, evicted = candidate(zk, "app-4")
    staying, _ = candidate(zk, "app-5")
    evictor = zk.client()
    dying.send_signal(signal.SIGKILL)
    dying.wait()
    until(lambda: len(staying.get_children(PATH)) == 4, 30)
    resigning.delete(own)
    closing.stop()
    until(lambda: len(staying.get_children(PATH)) == 2)
    with evictor.transaction() as both:
        both.delete(evicted)
        both.create("/evicted", session_of(evictor).encode())
    until(lambda: len(staying.get_children(PATH)) == 1)
    return ["expired", "resigned", "closed", "evicted"]


@pytest.fixture(scope="module", name="played")
def fixture_played(zk):
    return zk, play(zk)


def failovers(events):
    return [event["failover"] for event in events if event["event"] == "failover"]


def test_every_cause_is_certain(played):
    """Each change of leader has its true cause, for certain, as the tests' own reader of the logs has it."""
    zk, causes = played
    found, told, _ = check_autopsy(Truths(zk.directory), [zk.directory], [PATH])
    assert not found, "\n".join(found)
    assert sorted(failover["cause"] for failover in told.values()) == sorted(causes)
    assert {failover["cause_certainty"] for failover in told.values()} == {"certain"}


def test_evidence_names_the_transaction(played):
    """The evidence of each failover is a transaction that the log has, of the session that it names."""
    zk, _ = played
    events, _ = autopsy(zk.directory)
    known = {f"{t.zxid:x}": t for t in transactions(zk.directory)}
    for failover in failovers(events):
        zxid = failover["evidence"].split("transaction 0x")[1].split(":")[0]
        assert known[zxid].session in failover["evidence"]
        if failover["cause"] in ("closed", "expired"):
            assert known[zxid].type == CLOSE_SESSION


def test_all_forms(played, tmp_path):
    """A report, one look, a recording with SQL; a recording that is given later is told in the same way."""
    zk, _ = played
    report = json.loads(run("autopsy", zk.directory, "--json", within=60).out)
    assert [election["path"] for election in report["elections"]] == [PATH]
    assert report["elections"][0]["failovers"]["count"] == 4
    snapshot = json.loads(run("autopsy", zk.directory, "--at", "-1s", "--json", within=60).out)
    election = snapshot["clusters"][0]["elections"][0]
    assert election["path"] == PATH and election["candidates"]
    assert election["candidates"][0]["watches"] is None
    file = tmp_path / "history.db"
    assert run("autopsy", zk.directory, "--into", str(file), within=60).status == 0
    sql = "SELECT cause, certainty, source FROM failovers ORDER BY lost"
    rows = subprocess.run(["sqlite3", file, sql], capture_output=True, text=True, check=True).stdout.split()
    assert rows == ["expired|certain|log", "resigned|certain|log", "closed|certain|log", "evicted|certain|log"]
    again = [json.loads(line) for line in run("events", "--json", "--replay", str(file), within=60).out.splitlines()]
    direct = [json.loads(line) for line in run("events", "--json", "--replay", zk.directory, within=60).out.splitlines()]
    assert failovers(again) == failovers(direct) == failovers(autopsy(zk.directory)[0])


def test_into_what_is_recorded(played, tmp_path):
    """A recording is never written anew: of a time that it has, logs are refused, with what to do; behind its end
    they are written; and so they are into a new file."""
    zk, _ = played
    file = str(tmp_path / "history.db")
    first = run("autopsy", zk.directory, "--into", file, within=60)
    assert first.status == 0 and re.search(r" transactions in [1-9][0-9.]* [kM]B of logs", first.err), first
    with open(file, "rb") as f:
        before = f.read()
    again = run("autopsy", zk.directory, "--into", file, within=60)
    assert again.status == 2 and "this time is recorded there, until" in again.err and "--from" in again.err, again
    with open(file, "rb") as f:
        assert f.read() == before
    lost = [at for at, in sql(file, "SELECT lost_us FROM failover ORDER BY lost_us")]
    count = max((1, 2, 3), key=lambda i: lost[i] - lost[i - 1])  # they may be a millisecond apart
    middle = (lost[count - 1] + lost[count]) // 2
    between = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(middle / 1e6)) + f".{middle // 1000 % 1000:03d}Z"
    parts = str(tmp_path / "parts.db")
    for option, count in (("--to", count), ("--from", 4)):
        done = run("autopsy", zk.directory, "--into", parts, option, between, within=60)
        assert done.status == 0, done
        rows = sql(parts, "SELECT f.lost_us, s.source FROM failovers s JOIN failover f ON f.event = s.id ORDER BY 1")
        assert [row[0] for row in rows] == lost[:count] and {row[1] for row in rows} == {"log"}, rows
    shown = run("events", "--json", "--replay", parts, within=60)
    assert [event["failover"]["cause"] for event in map(json.loads, shown.out.splitlines())
            if event["event"] == "failover"] == ["expired", "resigned", "closed", "evicted"], shown
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE x (y)")
    refused = run("autopsy", zk.directory, "--into", str(other), within=60)
    assert refused.status == 2 and "not a recording of electop" in refused.err, refused


def sql(file, query):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        return db.execute(query).fetchall()


def test_stories_in_every_report(played, tmp_path):
    """Text, Markdown and the page explain the latest failovers with the sentences of `electop why`; the page and
    Markdown in UTC, as they say, the text in local time."""
    zk, causes = played
    page = tmp_path / "page.html"
    text = run("autopsy", zk.directory, "--html", page, env={"TZ": "UTC-7"}, within=60)
    local = run("autopsy", zk.directory, env={"TZ": "UTC-7"}, within=60).out
    markdown = run("autopsy", zk.directory, "--markdown", env={"TZ": "UTC-7"}, within=60).out
    assert text.status == 0
    shown = html.unescape(re.sub(r"<[^>]+>", "", page.read_text()))
    events = [event for event in autopsy(zk.directory)[0] if event["event"] == "failover"]
    for event, cause in list(zip(events, causes))[-2:]:
        for zone, forms in (("UTC", (shown, markdown.replace("\\", ""))), ("UTC-7", (local,))):
            done = run("why", PATH, event["time"], "--replay", zk.directory, "--json", env={"TZ": zone},
                       within=60)
            sentences = json.loads(done.out)["sentences"]
            assert len(sentences) > 3 and WORDS[cause] in sentences[1]["text"]
            for sentence in sentences:
                assert all(sentence["text"] in form and sentence["evidence"] in form for form in forms), sentence
    assert "Why" in shown and "### Why" in markdown and "\n  Why\n" in local
    assert shown.count("leadership of " + PATH) == 3  # of four: the longest and the latest


def test_only_a_part(played):
    """--from begins with the state of then: the logs before it are used, and not told."""
    zk, _ = played
    events, _ = autopsy(zk.directory)
    whole = [event for event in events if event["event"] == "failover"]
    part, _ = autopsy(zk.directory, "--from", whole[1]["time"], "--to", whole[2]["time"])
    assert failovers(part) == failovers(whole[1:3])
    assert not [event for event in part if moment(event["time"]) < moment(whole[1]["time"]) - 0.001]


def let_pass(client, ms=100):
    """Writes, in no election, until the server's clock is so much later. Returns its time."""
    client.ensure_path("/clock")
    begun = client.set("/clock", b"").mtime
    until(lambda: client.set("/clock", b"").mtime > begun + ms)
    return client.exists("/clock").mtime


def test_what_was_before_a_change():
    """A look at a time before a change shows what was then, though something else happened in between, in no
    election."""
    zk = Ensemble(1)
    try:
        first, _ = candidate(zk, "app-1")
        other, _ = candidate(zk, "app-2")
        other.create("/elsewhere", ephemeral=True)
        let_pass(other)
        other.delete("/elsewhere")
        at = datetime.datetime.fromtimestamp(let_pass(other) / 1000, datetime.timezone.utc)
        first.stop()
        until(lambda: len(other.get_children(PATH)) == 1)
        done = run("autopsy", zk.directory, "--at", at.isoformat(timespec="milliseconds")[:-6] + "Z", "--json", within=60)
        election = json.loads(done.out)["clusters"][0]["elections"][0]
        assert election["leader"]["identity"] == "app-1", done
        assert len(election["candidates"]) == 2
    finally:
        zk.close()


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2"])
def test_archives(played, tmp_path, kind):
    """A packed data directory tells the same."""
    zk, _ = played
    with tarfile.open(tmp_path / f"data.tar.{kind}", f"w:{kind}") as archive:
        archive.add(zk.directory, "some/../where")
    assert failovers(autopsy(tmp_path / f"data.tar.{kind}")[0]) == failovers(autopsy(zk.directory)[0])
    assert not os.path.exists(tmp_path / "some")


def logs_of(directory):
    return sorted(os.path.join(where, name) for where, _, names in os.walk(directory) for name in names
                  if name.startswith("log."))


def test_damage_is_found_and_filled(played, tmp_path):
    """A flipped bit is said, with the file and the place; a whole copy of another server fills the hole."""
    zk, _ = played
    shutil.copytree(zk.directory, tmp_path / "a")
    shutil.copytree(zk.directory, tmp_path / "b")
    target = [path for path in logs_of(tmp_path / "a")][0]
    with open(target, "r+b") as log:
        log.seek(16 + 12 + 40)
        log.write(b"\xff\xff\xff")
    alone, said = autopsy(tmp_path / "a")
    assert "damaged" in said and os.path.basename(target) in said and "are in no log" in said
    assert any(event["event"] == "connection" and event["state"] == "disconnected" for event in alone) or \
        len(failovers(alone)) == 4
    both, said = autopsy(tmp_path / "a", tmp_path / "b")
    assert "damaged" in said and "in no log" not in said
    assert failovers(both) == failovers(autopsy(zk.directory)[0])


def test_two_servers_that_disagree(played, tmp_path):
    """One zxid with two transactions: the ensemble diverged, which is said."""
    zk, _ = played
    shutil.copytree(zk.directory, tmp_path / "a")
    shutil.copytree(zk.directory, tmp_path / "b")
    target = logs_of(tmp_path / "b")[0]
    with open(target, "r+b") as log:
        content = log.read(4096)
        length, = struct.unpack_from(">i", content, 24)
        record = bytearray(content[28:28 + length])
        record[0] ^= 1
        log.seek(16)
        log.write(struct.pack(">q", zlib.adler32(bytes(record))))
        log.seek(28)
        log.write(record)
    _, said = autopsy(tmp_path / "a", tmp_path / "b")
    assert "the ensemble diverged" in said


def test_what_is_no_log(tmp_path):
    """Other files, empty directories and what does not exist are refused in plain words."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "log.1").write_bytes(b"this is no log of ZooKeeper, but a text" * 100)
    for path, words in (("empty", "neither log.* nor snapshot.*"), ("missing", "No such file"), ):
        done = run("autopsy", str(tmp_path / path))
        assert done.status == 2 and words in done.err
    done = run("autopsy", str(tmp_path / "other"))
    assert done.status == 3 and "is not a transaction log of ZooKeeper" in done.err
    assert run("autopsy").status == 2


def test_cut_anywhere(played, tmp_path):
    """A log that ends in the middle of a record tells what is before, and breaks off nowhere."""
    zk, _ = played
    whole = failovers(autopsy(zk.directory)[0])
    source = logs_of(zk.directory)[0]
    with open(source, "rb") as log:
        content = log.read(1 << 20).rstrip(b"\0")
    (tmp_path / "cut").mkdir()
    for cut in range(0, len(content), max(len(content) // 12, 1)):
        (tmp_path / "cut" / os.path.basename(source)).write_bytes(content[:cut])
        done = run("autopsy", "--events", "--json", str(tmp_path / "cut"))
        assert done.status in (0, 2), done
        told = failovers([json.loads(line) for line in done.out.splitlines()]) if done.status == 0 else []
        assert told == whole[:len(told)]


def test_follow(played):
    """--follow tells what the server appends, within a second or two."""
    zk, _ = played
    process = subprocess.Popen([os.environ.get("ELECTOP", "build/asan/electop"), "autopsy", zk.directory, "--follow",
                                "--json"], stdout=subprocess.PIPE, text=True)
    try:
        client, own = candidate(zk, "late")
        name = own.rsplit("/", 1)[1]
        deadline = time.time() + 60
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "candidate-joined" and event["candidate"] == name:
                break
            assert time.time() < deadline
        client.stop()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
    assert process.returncode == 130


WORDS = {"expired": "expired", "resigned": "resigned", "closed": "closed its session", "evicted": "was evicted"}


def ends(zk):
    """Sessions that the servers ended: [(moment, session, zxid)], by the tests' own reader."""
    return [(t.time_ms / 1000, t.session, t.zxid) for t in transactions(zk.directory)
            if t.type == CLOSE_SESSION and t.cxid == 0]


def test_why_every_sentence_is_in_the_log(played):
    """The story of each failover names its true cause, and each fact that it gives is in the logs."""
    zk, causes = played
    events, _ = autopsy(zk.directory)
    known = {f"0x{t.zxid:x}": t for t in transactions(zk.directory)}
    stories = Stories(Truths(zk.directory), zk.directory, copies=1)
    for event, cause in zip([event for event in events if event["event"] == "failover"], causes):
        done = run("why", PATH, event["time"], "--replay", zk.directory, "--json", within=60)
        story = json.loads(done.out)
        assert story["failover"] == event["failover"] and story["election"] == PATH
        assert not (found := stories.check(story)), found
        said = {sentence["text"]: sentence for sentence in story["sentences"]}
        assert all(sentence["evidence"] for sentence in story["sentences"])
        first, second = story["sentences"][:2]
        assert PATH in first["text"] and first["certainty"] == "certain"
        assert WORDS[cause] in second["text"] and second["certainty"] == "certain"
        zxid = re.search(r"transaction (0x[0-9a-f]+)", second["evidence"])[1]
        at, session = known[zxid].time_ms / 1000, known[zxid].session
        assert abs(at - moment(story["time"])) < 0.001
        beside = [text for text in said if "other session" in text and "expired within" in text]
        # Sessions of 4 s that fall silent together expire within a third of that.
        near = {other for when, other, _ in ends(zk) if abs(when - at) <= 4 / 3 and cause == "expired"} - {session if cause == "expired" else None}
        assert len(beside) == bool(near) and (not near or beside[0].startswith(f"{len(near)} other"))
        deleted = [text for text in said if text.startswith("Session 0x")]
        assert len(deleted) == (cause == "evicted") and (not deleted or session in deleted[0])
        assert not [text for text in said if "ZooKeeper's own leader changed" in text]
        inferred = [sentence for sentence in story["sentences"] if sentence["certainty"] == "inferred"]
        assert cause != "evicted" or inferred


def test_a_server_that_was_started_again(tmp_path):
    """A log that begins anew shows that its server was started, and between which transactions it went down."""
    zk = Ensemble(1, config=("maxSessionTimeout=60000",))
    try:
        # Their sessions outlive the restart, also on a busy machine.
        first, _ = candidate(zk, "app-1", timeout=60)
        second, _ = candidate(zk, "app-2", timeout=60)
        first.create("/before")
        down = time.time()
        zk.kill()
        zk.start()
        up = time.time()
        until(lambda: second.connected and first.connected, 30)
        first.create("/behind")
        first.stop()

        def is_left():
            names = second.get_children(PATH)
            assert len(names) == 1, (names, zk.ask("dump"))
            return True
        until(is_left)
        file = tmp_path / "history.db"
        assert run("autopsy", zk.directory, "--into", str(file), within=60).status == 0
        sql = "SELECT began, time, zxid FROM facts WHERE fact = 'server-started'"
        rows = subprocess.run(["sqlite3", file, sql], capture_output=True, text=True, check=True).stdout.split()
        assert len(rows) == 1, rows
        began, at, zxid = rows[0].split("|")
        assert moment(began) < down + 0.05 and moment(at) > down - 0.05 and moment(began) <= moment(at)
        assert int(zxid, 16) in {int(os.path.basename(path)[4:], 16) for path in logs_of(zk.directory)}
        story = json.loads(run("why", PATH, "--replay", str(file), "--json", within=60).out)
        said = [sentence for sentence in story["sentences"] if "was restarted" in sentence["text"]]
        assert up - down > 15 or len(said) == 1, story
        assert all(sentence["certainty"] == "inferred" and zxid in sentence["evidence"] for sentence in said)
    finally:
        zk.close()


def test_a_server_with_a_slow_disk(tmp_path):
    """A server that counts its slow fsyncs endangers elections, and the story of a failover then says so."""
    zk = Ensemble(1, java=("-Dzookeeper.forceSync=yes", "-Dzookeeper.fsync.warningthresholdms=-1"))  # all are slow
    recorder = None
    try:
        first, _ = candidate(zk, "app-1")
        second, _ = candidate(zk, "app-2")
        recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {PATH}}}]")

        def endangered():
            first.set(PATH, b"")
            done = run("once", "--json", "--replay", recorder.file)
            return done.status != 3 and "server-slow-disk" in done.out and json.loads(done.out)
        [server] = until(endangered, 60)["clusters"][0]["servers"]
        [found] = [finding for finding in server["findings"] if finding["code"] == "server-slow-disk"]
        assert server["load"]["slow_fsyncs"] > 0 and found["severity"] == "warning", server
        first.stop()
        until(lambda: len(second.get_children(PATH)) == 1)
        recorder.wait_for("SELECT 1 FROM failovers", within=60)
        recorder.end()
        said = json.loads(run("why", PATH, "--replay", recorder.file, "--json", within=60).out)["sentences"]
        [slow] = [sentence for sentence in said if "had been slow to write to its disk" in sentence["text"]]
        assert slow["certainty"] == "certain" and "times since it started" in slow["evidence"], slow
    finally:
        if recorder:
            recorder.process.kill()
        zk.close()


def test_why_of_what_never_was(played):
    """No such failover is exit code 3, and a time that is none is wrong usage."""
    zk, _ = played
    assert run("why", "/nowhere", "--replay", zk.directory, within=60).status == 3
    assert run("why", PATH, "2020-01-01T00:00:00Z", "--replay", zk.directory, within=60).status == 3
    assert run("why", PATH, "last", "last").status == 2
    assert "leadership of " + PATH in run("why", "--replay", zk.directory, within=60).out


def test_live_beside_files_that_hang(zk, tmp_path):
    """Named pipes and packed old logs in the directory of --transactions stop neither the stream nor its end."""
    path, folder = "/hang/leader", tmp_path / "data"
    client = zk.client(timeout=4)
    client.ensure_path(path)
    shutil.copytree(zk.directory, folder, ignore=shutil.ignore_patterns("*.log"))
    [version] = folder.glob("**/version-2")
    os.mkfifo(version / "log.ffffff")
    os.mkfifo(version / "snapshot.ffffff")
    for i in range(3):
        (version / f"log.{i + 1}.gz").write_bytes(gzip.compress(bytes(64 << 20)))
    with Events(zk.hosts, "--transactions", str(folder), "--admin", "off", path) as events:
        events.expect("election-seen", election=path)
        own = client.create(f"{path}/n_", ephemeral=True, sequence=True)
        events.expect("leader-elected", election=path)
        client.delete(own)
        events.expect("leader-lost", election=path)
    client.stop()


def waits_of(pid):
    """How often its threads have waited for something."""
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", open(file).read(), re.M)[1])
               for file in glob.glob(f"/proc/{pid}/task/*/status"))


def test_live_with_the_log_of_a_server(zk):
    """A live stream that follows a server's log tells every cause for certain, within a second of its transaction."""
    path = "/live/leader"
    clients = [zk.client(timeout=4) for _ in range(4)]
    clients[0].ensure_path(path)
    own = [client.create(f"{path}/n_", ephemeral=True, sequence=True) for client in clients]
    with Events(zk.hosts, "--transactions", zk.directory, "--admin", "off", "--four-letter", "off", path) as events:
        events.expect("election-seen", election=path)
        before = waits_of(events.process.pid)
        time.sleep(1)
        assert waits_of(events.process.pid) - before < 500  # a follower that never rests waits thousands of times
        for step, cause in ((lambda: clients[0].delete(own[0]), "resigned"), (clients[1].stop, "closed"),
                            (lambda: clients[3].delete(own[2]), "evicted")):
            step()
            told = events.expect("failover", election=path)
            failover = told["failover"]
            assert (failover["cause"], failover["cause_certainty"]) == (cause, "certain"), failover
            zxid = int(re.match(r"transaction 0x([0-9a-f]+)", failover["evidence"])[1], 16)
            [at] = [t.time_ms / 1000 for t in transactions(zk.directory) if t.zxid == zxid]
            assert moment(told["time"]) - at < 1, (told, at)  # both by the clock of this machine
    clients[2].stop()
    clients[3].stop()


def test_a_snapshot_without_logs(tmp_path):
    """It is one moment: who leads in it is shown, and that nothing else is known is said."""
    zk = Ensemble(1)
    try:
        (_, name), _ = candidate(zk, "first", 60), candidate(zk, "second", 60)
        zk.kill(0)
        zk.start(0)  # a server that starts writes a snapshot
        newest = max(glob.glob(f"{zk.directory}/**/snapshot.*", recursive=True),
                     key=lambda file: int(file.rsplit(".", 1)[1], 16))
        shutil.copy(newest, tmp_path)
    finally:
        zk.close()
    shown = run("autopsy", str(tmp_path), "--json")
    election, = json.loads(shown.out)["clusters"][0]["elections"]
    assert (shown.status, election["leader"]["identity"], len(election["candidates"])) == (0, "first", 2), shown
    assert "one moment" in shown.err and name.endswith(election["leader"]["name"]), shown
