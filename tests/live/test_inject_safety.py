"""The limits that test candidates keep: the ensemble's pulse, leave for more, the sequence's end, lost sessions."""
import json
import os
import resource
import signal
import struct
import subprocess
import threading
import time

import pytest
from kazoo.security import make_acl

import framing
from ensemble import Ensemble, session_of
from electop import PROGRAM
from fake_server import DELETE, QUOTA_EXCEEDED, THROTTLED, RefusingProxy, _Server
from injection import SANDBOX, Injection, inject, standing, tree, written
from patience import communicate, stretched
from standing import Line
from txnlog import CREATE, CREATE2, age_directory, last_zxid, transactions
from waiting import until


@pytest.fixture
def own():
    """A server for one test, which may do anything to it."""
    ensemble = Ensemble(1, config=["maxSessionTimeout=120000"])
    yield ensemble
    ensemble.close()


class Stutter:
    """A server that stands still for so long, again and again."""

    def __init__(self, zk, still_s):
        self.zk, self.still_s, self.over = zk, still_s, threading.Event()
        self.thread = threading.Thread(target=self._stutter, daemon=True)
        self.thread.start()

    def _stutter(self):
        while not self.over.wait(0.15):
            self.zk.freeze()
            time.sleep(self.still_s)
            self.zk.thaw()

    def end(self):
        self.over.set()
        self.thread.join(20)


@pytest.mark.parametrize("load, still_s, end", [(False, 0.25, "too-slow"), (True, 0.25, "stopped"), (True, 1.4, "too-slow")])
def test_a_slow_ensemble_ends_the_run(own, tmp_path, load, still_s, end):
    """A server that answers late ends a run; with --load that is noted, and ten times as late ends it too."""
    reader = own.client()
    config = written(tmp_path, own, "inject: {stop_above_ping: 100ms}")
    injection = Injection(own, *config, SANDBOX, "-n", "3", "--for", "80s", *(["--load"] if load else []))
    injection.until(lambda: standing(reader) == 3)
    stutter = Stutter(own, still_s)
    try:
        if end == "stopped":
            time.sleep(12)  # more than the hundred pings that are looked at
        else:
            until(lambda: injection.process.poll() is not None, 60)
    finally:
        stutter.end()
    status, out, err = injection.end(signal.SIGINT if end == "stopped" else None)
    report = json.loads(out)
    assert report["end"] == end and status == (130 if end == "stopped" else 1), err
    told = " ".join(report["notes"]) if end == "stopped" else report["problem"]
    assert "stop_above_ping" in told and "ping p99" in told, report
    until(lambda: not reader.exists(SANDBOX), 20)


def test_lost_session_ends_the_run(zk, client):
    """A tool that stood still until its own session was over ends the run by itself, says so, and leaves nothing."""
    injection = Injection(zk, SANDBOX, "-n", "3", "--for", "80s")
    injection.until(lambda: standing(client) == 3)
    os.kill(injection.process.pid, signal.SIGSTOP)
    try:
        until(lambda: not [name for name in client.get_children(SANDBOX) if ".alive" in name], 30)
    finally:
        os.kill(injection.process.pid, signal.SIGCONT)
    status, out, err = injection.end()
    assert status == 1 and json.loads(out)["end"] == "lost" and "session expired" in err, err
    assert inject(zk, SANDBOX, "-n", "1", "--for", "200ms")["end"] == "done"
    assert not client.exists(SANDBOX)


def test_a_program_that_was_held_up_says_so(zk, client):
    """Two seconds in which it stood still: the death that was due then counts from when it was due, and a note says why
    it was late."""
    injection = Injection(zk, SANDBOX, "-n", "3", "--kill", "leader:every=500ms", "--for", "8s")
    injection.until(lambda: any(name[-10:] == "0000000003" for name in tree(client, SANDBOX)))  # one has died, and is back
    time.sleep(0.2)  # a death that is due during a failover is put off, and not late
    injection.process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    status, out, err = injection.end(signal.SIGCONT)
    assert status == 0, err
    report = json.loads(out)
    assert report["failover"]["total"]["max_ms"] > 1000, report
    (note,) = [note for note in report["notes"] if "itself was delayed" in note]
    assert 1.5 < float(note.split(" delayed for ")[1].split()[0]) < 8


def test_a_run_has_a_marker(zk, client):
    """While it goes on a run is a znode of its own, and beside it an ephemeral one of the tool's session."""
    injection = Injection(zk, SANDBOX, "-n", "1", "--for", "60s")
    injection.until(lambda: standing(client) == 1)
    names = client.get_children(SANDBOX)
    (run_name,) = [name for name in names if "." not in name]
    (marker,) = [name for name in names if name.startswith(run_name + ".alive")]
    assert client.exists(f"{SANDBOX}/{run_name}").ephemeralOwner == 0
    assert client.exists(f"{SANDBOX}/{marker}").ephemeralOwner != 0
    injection.end(signal.SIGINT)
    assert not client.exists(SANDBOX)


def test_an_ephemeral_stays_where_no_candidate_of_the_run_stands(zk, client):
    """Somebody's ephemeral beside the run's election, named like its candidates, is not removed with the run."""
    injection = Injection(zk, SANDBOX, "-n", "2", "--for", "60s")
    injection.until(lambda: standing(client) == 2)
    (run_name,) = [name for name in client.get_children(SANDBOX) if "." not in name]
    candidates = [name for name in client.get_children(f"{SANDBOX}/{run_name}/election")]
    foreign = f"{SANDBOX}/{run_name}/{candidates[0]}"
    client.create(foreign, b"mine", ephemeral=True)
    _, _, err = injection.end(signal.SIGINT)
    assert client.exists(foreign), err
    client.delete(foreign)
    inject(zk, SANDBOX, "-n", "1", "--for", "200ms")    # which removes what stayed of the run
    assert not client.exists(SANDBOX)


def test_the_ceiling_is_kept(zk, tmp_path):
    """Without leave no second sees more than a hundred creates, deaths and all; the configuration gives leave."""
    last = last_zxid(zk.directory)
    report = inject(zk, SANDBOX, *written(tmp_path, zk), "-n", "100", "--kill", "random:every=20ms", "--for", "3s")
    assert report["end"] == "done" and report["standing"] >= 30
    times = [t.time_ms for t in transactions(zk.directory) if t.zxid > last and t.type in (CREATE, CREATE2)]
    most = max(sum(1 for at in times if start <= at < start + 1000) for start in times)
    assert len(times) > 150 and most <= 110, most
    assert any("maxClientCnxns" in note and "shared with the real clients" in note for note in report["notes"])


def test_leave_by_configuration(zk, tmp_path):
    """inject: {sessions, creates} allow what is refused without them."""
    more = ["-n", "101", "--rate", "150/s", "--for", "200ms"]
    assert "--load" in inject(zk, SANDBOX, *more, status=2)
    config = written(tmp_path, zk, "inject: {sessions: 120, creates: 200/s}")
    assert inject(zk, SANDBOX, *config, *more)["standing"] == 101


@pytest.mark.parametrize("most, status", [(256, 2), (4096, 0)])
def test_too_few_descriptors(zk, client, most, status):
    """A limit that can be raised is; one that cannot ends it before anything is written, with what to do."""
    last = last_zxid(zk.directory)
    said = inject(zk, SANDBOX, "-n", "60", "--for", "200ms", status=status,
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, most)))
    if status == 0:
        assert said["standing"] == 60
        return
    assert "ulimit -n" in said and "--sessions shared" in said
    ours = [t for t in transactions(zk.directory) if t.zxid > last and t.session != session_of(client)]
    assert not [t for t in ours if t.type in (CREATE, CREATE2)]


@pytest.mark.parametrize("used, status", [(2147000000, 2), (2146000000, 0)])
def test_near_the_sequences_end(own, tmp_path, used, status):
    """A directory whose numbers are nearly used up takes none of ours; a long way before that it does."""
    line = Line(own, "/old")
    line.join("a", timeout_s=60)
    own.kill()
    age_directory(own.directory, line.members[0].path, used)
    own.start()
    line.members[0].session = line.members[0].session.move(own.addresses[0])
    line.sessions.append(line.members[0].session)
    line.join("b", timeout_s=60)
    assert line.members[1].name.endswith(f"-{used}")
    last = last_zxid(own.directory)
    said = inject(own, *written(tmp_path, own, election="/old"), "/old", "--live", "-n", "2", "--for", "1s",
                  status=status)
    made = [t for t in transactions(own.directory) if t.zxid > last and t.type in (CREATE, CREATE2)]
    if status == 2:
        assert "nearly used up" in said and not made
    else:
        assert said["end"] == "done" and said["live"]["real_least"] == 2 and len(made) == 2
    line.close()


def test_first_all_the_same(zk, client, path, tmp_path):
    """All the real ones go in one moment: ours is first, goes at once, writes nothing, and its time is told."""
    line = Line(zk, path)
    for i in range(2):
        line.join(f"real-{i}", timeout_s=6)
    known = {t.session for t in transactions(zk.directory)}
    last = last_zxid(zk.directory)
    injection = Injection(zk, *written(tmp_path, zk, election=path), path, "--live", "-n", "2", "-t", "30s", "--for", "60s")
    injection.until(lambda: len(client.get_children(path)) == 4, 40)
    ours = [client.exists(f"{path}/{name}").ephemeralOwner for name in client.get_children(path)
            if name not in [member.name for member in line.members]]
    timeouts = {f"0x{session & (1 << 64) - 1:x}": text for session in ours for text in zk.ask("cons").splitlines()
                if f"sid=0x{session & (1 << 64) - 1:x}" in text}
    assert len(timeouts) == 2 and all(",to=6000," in text for text in timeouts.values()), timeouts
    both = client.transaction()
    for member in line.members:
        both.delete(member.path)
    both.commit()
    injection.until(lambda: client.get_children(path) == [], 20)
    status, out, err = injection.end(signal.SIGINT)
    live = json.loads(out)["live"]
    # Nobody knows for how long where the tool itself was held up: then there is a bound, and never "not at all".
    assert live["first_ms"] is None or live["first_ms"] > 0, (out, err)
    assert status == 130 and 0 < live["first_at_most_ms"] < stretched(5) * 1000 and live["withdrawals"] == 1, (out, err)
    made = [t for t in transactions(zk.directory)
            if t.zxid > last and t.session not in known and t.type in (CREATE, CREATE2)]
    assert len(made) == 2
    line.close()


def test_two_signals_at_once_are_one(zk, client):
    """A wrapper passes on the Ctrl-C that the terminal has sent to both: the run still ends in an orderly way. Of two
    signals that are pending at once either may come first."""
    for wait_s in (0, 0.02, 0.2):
        injection = Injection(zk, f"{SANDBOX}/a/b/c", "-n", "40", "--for", "60s")
        injection.until(lambda: standing(client) >= 1)
        injection.process.send_signal(signal.SIGINT)
        time.sleep(wait_s)
        if injection.process.poll() is None:
            injection.process.send_signal(signal.SIGTERM)
        assert injection.end()[0] in (128 + signal.SIGINT, 128 + signal.SIGTERM), wait_s
        assert not client.exists(SANDBOX), wait_s


def test_a_signal_at_the_very_end_changes_nothing(zk, client):
    """The run is over and its place removed; signals that come while the program ends leave its status and its report
    as they are."""
    injection = Injection(zk, SANDBOX, "-n", "3", "--for", "60s")
    injection.until(lambda: standing(client) == 3)
    injection.process.send_signal(signal.SIGINT)
    until(lambda: not client.exists(SANDBOX))
    while injection.process.poll() is None:
        injection.process.send_signal(signal.SIGTERM)
        time.sleep(0.001)
    status, out, err = injection.end()
    assert status == 128 + signal.SIGINT and json.loads(out)["end"] == "stopped", (status, err)


def test_a_second_signal_breaks_off(own):
    """One who does not want to wait for a server that stands still presses Ctrl-C again: it ends, and says so."""
    injection = Injection(own, "-t", "20s", SANDBOX, "-n", "3", "--for", "60s")
    reader = own.client()
    injection.until(lambda: standing(reader) == 3)
    own.freeze()
    try:
        injection.process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            injection.process.wait(1.5)
        status, _, err = injection.end(signal.SIGINT, within=10)
    finally:
        own.thaw()
    assert status == 128 + signal.SIGINT and "interrupted" in err


@pytest.mark.parametrize("path", [SANDBOX, "/e"])
def test_a_run_that_has_written_nothing_ends_at_once(path, monkeypatch):
    """Before a server that answers no request there is nothing to remove."""
    monkeypatch.setattr(framing, "GREETING", framing.GREETING[:4] + struct.pack(">i", 120_000) + framing.GREETING[8:])
    asked = threading.Event()
    with _Server(framing.scripted(lambda *_: asked.set() or [])) as silent:
        run = subprocess.Popen([PROGRAM, "inject", "-t", "60s", "-s", silent.address, path], stderr=subprocess.PIPE)
        assert asked.wait(20)
        run.send_signal(signal.SIGINT)
        _, err = communicate(run, 2)
    assert (run.returncode, err) == (130, b"")


def test_servers_that_were_away_are_told(own):
    """A run outlives a restart of its server; its report says for how long nobody was there, and how many deaths were
    due meanwhile."""
    injection = Injection(own, "-t", "20s", SANDBOX, "-n", "10", "--kill", "leader:every=200ms", "--for", "60s")

    def highest(reader):
        """The latest number: beyond the first ten, those who died return."""
        return max((int(path[-10:]) for path in tree(reader, SANDBOX) if path[-10:].isdigit()), default=0)

    reader = own.client()
    injection.until(lambda: reader.exists(SANDBOX) and highest(reader) >= 10)
    before = highest(reader)
    own.kill()
    time.sleep(1)
    own.start()
    reader = own.client()  # the first one's session may be over
    injection.until(lambda: highest(reader) > before + 10, 40)
    status, out, err = injection.end(signal.SIGINT)
    report = json.loads(out)
    assert status == 130, err
    (note,) = [note for note in report["notes"] if "no server answered electop's own session for" in note]
    assert float(note.split(" for ")[1].split(" s")[0]) >= 1, note
    deaths = report["failover"]["deaths"]  # five a second were due meanwhile: none of them is lost
    assert deaths["nobody"] + deaths["under_way"] >= 4
    assert deaths["due"] == deaths["done"] + deaths["under_way"] + deaths["nobody"]
    assert report["ran_ms"] / 200 - 2 <= deaths["due"] <= report["ran_ms"] / 200 + 1, report
    assert deaths["done"] >= report["failover"]["total"]["count"]


def test_an_overloaded_server_is_asked_again(zk, client):
    """A server that drops what it cannot get at in time says so: no candidate gives up for that, stands twice or stays
    where it resigned; what was refused is asked again, and nothing stays."""
    asked = {CREATE: 0, DELETE: 0}

    def first_four(operation, path):
        if operation not in asked or "-n_" not in path:
            return 0
        asked[operation] += 1
        return THROTTLED if asked[operation] <= 4 else 0

    last = last_zxid(zk.directory)
    with RefusingProxy(zk.hosts) as proxy:
        proxy.hosts, proxy.refuses = proxy.address, first_four
        report = inject(proxy, SANDBOX, "--admin", "off", "-n", "6", "--kill", "leader:every=700ms", "--how", "resign",
                        "--for", "5s")
    assert sorted({operation for operation, _ in proxy.refused}) == [CREATE, DELETE] and len(proxy.refused) == 8
    assert report["end"] == "done" and report["errors"] == 0 and report["standing"] >= 4, report
    assert report["failover"]["total"]["count"] >= 4
    made = [t for t in transactions(zk.directory) if t.zxid > last and t.type in (CREATE, CREATE2) and "-n_" in t.path]
    assert len(made) == report["creates"] - 4, report
    assert not client.exists(SANDBOX)


def test_why_a_candidate_gave_up_is_told(zk, client):
    """Somebody closes the election while it goes on: who cannot return gives up, and the report says why."""
    injection = Injection(zk, SANDBOX, "-n", "3", "--kill", "leader:every=300ms", "--for", "60s")
    injection.until(lambda: standing(client) == 3)
    (election,) = {path.rsplit("/", 1)[0] for path in tree(client, SANDBOX) if path[-10:].isdigit()}
    everybody = {"scheme": "world", "credential": "anyone"}
    client.set_acls(election, [make_acl(**everybody, read=True, delete=True, admin=True)])
    injection.until(lambda: standing(client) == 0)
    time.sleep(1.5)  # those who died a second ago try to return
    status, out, _ = injection.end(signal.SIGINT)
    report = json.loads(out)
    assert status == 130 and report["errors"] >= 1
    assert report["last_error"] == f"cannot create a znode in {election}: not allowed with these credentials"
    assert not client.exists(SANDBOX)
    with RefusingProxy(zk.hosts) as proxy:
        proxy.hosts = proxy.address
        proxy.refuses = lambda operation, path: QUOTA_EXCEEDED if operation == CREATE and "-n_" in path else 0
        said = inject(proxy, SANDBOX, "--admin", "off", "-n", "2", "--for", "5s", status=1)
    assert said["errors"] == 2 and "a full quota" in said["problem"], said


def test_a_crowd_is_not_held_up_by_a_server_that_hangs(own):
    """Of many sessions with a server that stands still one waits for its answer at the end, and not each of them."""
    injection = Injection(own, "-t", "20s", SANDBOX, "-n", "20", "--for", "60s")
    reader = own.client()
    injection.until(lambda: standing(reader) == 20)
    own.freeze()
    try:
        injection.process.send_signal(signal.SIGINT)
        time.sleep(1.2)  # what comes sooner is the same press of a key
        began = time.monotonic()
        status, _, err = injection.end(signal.SIGINT, within=40)
        took = time.monotonic() - began
    finally:
        own.thaw()
    assert status == 128 + signal.SIGINT and "interrupted" in err and took < 10, took
