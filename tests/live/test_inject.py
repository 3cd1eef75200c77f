"""Test candidates: what a run measures, what is refused before it, and that nothing of it stays."""
import json
import re
import os
import random
import signal
import time

import pytest

from electop import run
from ensemble import session_of
from injection import SANDBOX, Injection, inject, standing, tree
from raw_session import RawSession
from txnlog import last_zxid, transactions
from waiting import until


def test_chain_and_herd(zk, client):
    """A death of the leader wakes one in a chain and everybody in a herd; the figures show it, and all is gone after."""
    before = tree(client)
    chain = inject(zk, SANDBOX, "-n", "30", "--kill", "leader:every=200ms", "--how", "close", "--for", "4s",
                   "--expect", "failover.count>=5", "--expect", "failover.max<4s", "--expect", "errors=0")
    assert tree(client) == before
    herd = inject(zk, SANDBOX, "-n", "30", "--behaviour", "herd", "--kill", "leader:every=200ms", "--for", "4s")
    assert tree(client) == before
    assert chain["end"] == herd["end"] == "done" and chain["candidates"] == chain["stand"]["count"] == 30
    assert chain["failover"]["total"]["count"] >= 5 and herd["failover"]["total"]["count"] >= 5
    assert chain["failover"]["notifications_each"] <= 2 and herd["failover"]["notifications_each"] >= 20
    assert herd["failover"]["requests_each"] > 10 * chain["failover"]["requests_each"]
    assert all(expectation["held"] for expectation in chain["expectations"])
    (removed,) = [note for note in chain["notes"] if note.startswith("everything removed: ")]
    count = int(re.fullmatch(r"everything removed: (\d+) znodes", removed)[1])
    assert count >= 29 + chain["failover"]["total"]["count"]  # the last one that died need not be back at the end
    (server,) = chain["servers"]
    assert int(server["after"]["zxid"], 16) > int(server["before"]["zxid"], 16)


def test_a_run_is_observed(zk, tmp_path):
    """--observe: the case tells of the run's changes of leader; where it cannot be written, nothing is started."""
    case = str(tmp_path / "run.case")
    report = inject(zk, SANDBOX, "-n", "3", "--kill", "leader:every=500ms", "--how", "close", "--for", "3s", "--observe", case)
    told = run("events", "--json", "--replay", case)
    events = [json.loads(line) for line in told.out.splitlines()]
    failovers = [event for event in events if event["event"] == "failover"]
    assert told.status == 0 and len(failovers) >= 2, (told, report)
    assert all(re.fullmatch(SANDBOX + r"/run-\w+/election", event["election"]) for event in failovers), told
    refused = inject(zk, SANDBOX, "--for", "1s", "--observe", str(tmp_path), status=2)
    assert f"{tmp_path}: " in refused, refused


@pytest.mark.parametrize("how", ["drop", "pause", "resign"])
def test_ways_to_die(zk, client, how):
    """Each way to go leads to failovers of that cause; those that must expire take the session's timeout."""
    report = inject(zk, SANDBOX, "-n", "5", "--kill", "leader:every=200ms", "--how", how, "--for", "8s")
    cause = report["failover"]["by_cause"][how]
    assert cause["count"] >= 1
    assert (cause["p50_ms"] > 2000) == (how != "resign")
    assert not client.exists(SANDBOX)


def test_an_expired_session_is_not_refused(zk):
    """Those that hang until their session is over and go on then are told so by a server that takes them: no connection
    is refused, and nobody blames the servers' limit."""
    done = run("inject", "-s", zk.hosts, "-t", "2s", "--json", SANDBOX, "-n", "10", "--kill", "random:every=200ms", "--how",
               "pause", "--for", "8s", within=60)
    report = json.loads(done.out)
    assert done.status == 0 and report["end"] == "done", done
    assert report["expired"] >= 3 and report["refused"] == 0
    assert "maxClientCnxns" not in done.out


def test_a_death_that_nobody_follows_is_told(zk):
    """All deaf: once the first is gone nobody leads, and the report does not pass over it; a death just before the
    end of the run is no such thing."""
    report = inject(zk, SANDBOX, "-n", "4", "--behaviour", "deaf", "--kill", "leader:every=200ms", "--for", "2s")
    assert report["failover"]["never_led"] == 1 and report["failover"]["total"]["count"] == 0
    report = inject(zk, SANDBOX, "-n", "4", "--behaviour", "deaf", "--kill", "leader:every=1s", "--for", "1500ms")
    assert report["failover"]["never_led"] == 0 and report["failover"]["total"]["count"] == 0


def test_expectation_fails(zk):
    """What was expected and did not come true is told, and makes the status 1."""
    report = inject(zk, SANDBOX, "-n", "3", "--for", "500ms", "--expect", "failover.p99<2s", status=1)
    assert report["expectations"] == [{"expected": "failover.p99<2s", "value_ms": None, "held": False}]


def test_every_form(zk, client, tmp_path):
    """Text for people, and one page that loads nothing; no form sends a control byte."""
    page = tmp_path / "report.html"
    done = run("inject", "-s", zk.hosts, f"{SANDBOX}/forms", "-n", "4", "--kill", "random:every=100ms", "--for", "1s",
               "--behaviour", "slow:20ms:50%,hold:1%", "--html", str(page))
    assert done.status == 0, done
    text, html = done.out, page.read_text()
    for said in ("4 test candidates on 4 sessions", f"{SANDBOX}/forms", "50 % slow by 20 ms", "packets received"):
        assert said in text and said in html
    assert "default-src 'none'" in html and "<script" not in html and "http" not in html.split("</head>")[1]
    assert "\x1b" not in text and done.err == ""
    assert not client.exists(SANDBOX)


@pytest.mark.parametrize("arguments, word", [
    (["-n", "0"], "1 to 1000000"), (["-n", "-1"], "1 to 1000000"), (["-n", "9" * 30], "too large"),
    (["--rate", "0/s"], "1/s to"), (["--behaviour", "herd:101%"], "1% to 100%"),
    (["--behaviour", "herd:60%,deaf:60%"], "more than 100 %"), (["--behaviour", "lazy"], "is not a behaviour"),
    (["--kill", "everyone"], "leader or random"), (["--kill", "leader", "--how", "softly"], "is not known; write close"),
    (["--how", "drop"], "--kill"), (["--sessions", "shared:0"], "shared:1"), (["--expect", "luck>1"], "no figure"),
    (["-n", "101"], "--load"), (["--rate", "101/s"], "--load"), (["--live"], "is the sandbox"),
    (["--name", "a/b"], "is not a name"), (["--name", "n_{seq}-"], "{session}"), (["--may-lead", "--live"], "never leads"),
    (["--html", "/no/such/place"], "cannot be written")])
def test_refused_before_anything(zk, client, arguments, word):
    """Wrong or too much: status 2, a message that says what to do, and not even a session."""
    last = last_zxid(zk.directory)
    assert word in inject(zk, SANDBOX, *arguments, status=2)
    others = {t.session for t in transactions(zk.directory) if t.zxid > last} - {session_of(client)}
    assert others == set()


def test_refused_paths(zk, client, path):
    """A path that is not there, may not be read, is no run of ours, or is configured never."""
    from kazoo.security import make_digest_acl
    assert "cannot be copied" in inject(zk, "/not/there", status=2)
    client.create(path, b"", acl=[make_digest_acl("someone", "else", all=True)])
    assert "--auth-file" in inject(zk, path, status=2)
    client.create(f"{path}.lock", b"x", ephemeral=True)
    for option in ("--behaviour=herd", "--behaviour=once:50%", "--name=n_"):  # which a lock's candidates cannot honour
        assert "it is a lock" in inject(zk, f"{path}.lock", option, status=2)
    client.delete(f"{path}.lock")
    client.create(SANDBOX, b"")
    client.create(f"{SANDBOX}/mine", b"not a run", makepath=True)
    assert "is not a run of electop" in inject(zk, f"{SANDBOX}/mine", status=2)
    assert tree(client, SANDBOX) == [f"{SANDBOX}/mine"] and client.get(f"{SANDBOX}/mine")[0] == b"not a run"
    client.create(f"{SANDBOX}/own.old", b"somebody's")
    assert inject(zk, f"{SANDBOX}/own", "-n", "2", "--for", "200ms")["end"] == "done"
    assert tree(client, SANDBOX) == [f"{SANDBOX}/mine", f"{SANDBOX}/own.old"]
    client.delete(SANDBOX, recursive=True)


def test_denied_root_says_what_to_configure(zk, client, path, tmp_path):
    """Where the sandbox may not be made, the message names the key; with the key, it runs there and cleans up."""
    from kazoo.security import make_acl, make_digest_acl
    client.create(path, b"", acl=[make_digest_acl("admin", "x", all=True), make_acl("world", "anyone", read=True)])
    config = tmp_path / "config.yaml"
    config.write_text(f"inject: {{sandbox: {path}/box}}\n")
    assert "inject: {sandbox:" in inject(zk, f"{path}/box", "-c", str(config), status=2)
    client.create("/given", b"")
    config.write_text("inject: {sandbox: /given}\n")
    assert inject(zk, "/given", "-c", str(config), "-n", "2", "--for", "300ms")["end"] == "done"
    assert client.get_children("/given") == []  # it was not ours to remove
    client.delete("/given")


def test_what_could_not_be_removed_is_not_made(zk, client, path, tmp_path):
    """A sandbox in which znodes may be made and not deleted: the run is refused, and leaves nothing there."""
    from kazoo.security import make_acl, make_digest_acl
    client.create(path, b"", acl=[make_digest_acl("admin", "x", all=True),
                                  make_acl("world", "anyone", read=True, create=True)])
    config = tmp_path / "config.yaml"
    config.write_text(f"inject: {{sandbox: {path}}}\n")
    assert "no permission to delete" in inject(zk, path, "-c", str(config), "-n", "2", "--for", "1s", status=2)
    assert client.get_children(path) == []


def test_nothing_is_put_into_an_election(zk, client, path, tmp_path):
    """A sandbox that is configured to be somebody's election, or to be made in it, is refused before anything is
    written there: what its clients do with a child of another kind nobody knows."""
    client.ensure_path(path)
    client.create(f"{path}/n_", b"host", ephemeral=True, sequence=True)
    before = client.exists(path).cversion
    config = tmp_path / "config.yaml"
    for place, asked in [(path, path), (path, f"{path}/n_0000000009"), (f"{path}/box", f"{path}/box")]:
        config.write_text(f"inject: {{sandbox: {place}}}\n")
        assert "is an election in use" in inject(zk, asked, "-c", str(config), "-n", "2", "--for", "1s", status=2)
    assert client.exists(path).cversion == before
    for place, why in [("/", "is the root"), ("/zookeeper", "ZooKeeper's own"), ("/zookeeper/x", "ZooKeeper's own")]:
        config.write_text(f"inject: {{sandbox: {place}}}\n")
        assert why in inject(zk, "/x", "-c", str(config), "-n", "2", "--for", "1s", status=2)


def test_copies_a_layout(zk, client, path):
    """Names, data and ACL of an election are copied into the sandbox; its own znodes are left alone."""
    client.ensure_path(path)
    mine = [client.create(f"{path}/_c_6f1c9e0a-1111-4222-8333-00000000000{i}-latch-", b"host-a:8080", ephemeral=True,
                          sequence=True) for i in range(2)]
    last = last_zxid(zk.directory)
    injection = Injection(zk, path, "-n", "3", "--for", "60s")
    injection.until(lambda: standing(client) == 3)
    (run_name,) = [name for name in client.get_children(SANDBOX) if "." not in name]
    copies = client.get_children(f"{SANDBOX}/{run_name}/election")
    assert len(copies) == 3 and all(name.startswith("_c_") and "-latch-00000000" in name for name in copies)
    assert client.get(f"{SANDBOX}/{run_name}/election/{copies[0]}")[0] == b"host-a:8080"
    status, out, _ = injection.end(signal.SIGINT)
    assert status == 130 and json.loads(out)["copied"] == path
    assert not client.exists(SANDBOX) and sorted(client.get_children(path)) == sorted(m.rsplit("/")[-1] for m in mine)
    assert client.exists(path).pzxid <= last


def test_copies_the_names_of_those_that_may_not_be_read(zk, client, path):
    """Whose data and ACL are closed to us is called as it is all the same, and what is not known is said."""
    from kazoo.security import make_digest_acl
    client.ensure_path(path)
    closed = [make_digest_acl("somebody", "else", all=True)]
    client.create(f"{path}/_c_6f0bb2b1-05e2-4b1c-8a3c-0123456789ab-latch-", b"x", closed, ephemeral=True, sequence=True)
    report = inject(zk, path, "-n", "2", "--for", "200ms")
    assert report["names"] == "_c_{uuid}-latch-"
    assert [note for note in report["notes"] if note.endswith("not known there: their ACL")], report["notes"]


def test_killed_run_is_removed_by_the_next(zk, client):
    """After kill -9 the next run removes what is left of that run, and nothing else."""
    client.create(f"{SANDBOX}/kept/a", b"somebody's", makepath=True)
    injection = Injection(zk, SANDBOX, "-n", "8", "--for", "60s")
    injection.until(lambda: standing(client) >= 8)
    injection.end(signal.SIGKILL)
    (left,) = [name for name in client.get_children(SANDBOX) if name.startswith("run-") and "." not in name]
    until(lambda: not [name for name in client.get_children(SANDBOX) if ".alive" in name], 30)
    beside = Injection(zk, f"{SANDBOX}/beside", "-n", "2", "--for", "60s")
    until(lambda: not client.exists(f"{SANDBOX}/{left}"), 20)
    report = inject(zk, SANDBOX, "-n", "2", "--for", "300ms")
    assert report["runs_removed"] == 0 and client.exists(f"{SANDBOX}/beside")  # which lives
    assert beside.end(signal.SIGTERM)[0] == 128 + signal.SIGTERM
    assert tree(client, SANDBOX) == [f"{SANDBOX}/kept", f"{SANDBOX}/kept/a"]
    client.delete(SANDBOX, recursive=True)


def test_what_could_not_be_removed_is_told_once(zk, client):
    """Somebody closes a run's znode while it goes on: what it could not remove is told, in one note, and the next run
    removes it once that is possible."""
    from kazoo.security import make_acl
    injection = Injection(zk, SANDBOX, "-n", "3", "--for", "60s")
    injection.until(lambda: standing(client) == 3)
    (run_name,) = [name for name in client.get_children(SANDBOX) if "." not in name]
    everybody = {"scheme": "world", "credential": "anyone"}
    client.set_acls(f"{SANDBOX}/{run_name}", [make_acl(**everybody, read=True, create=True, admin=True)])
    status, out, _ = injection.end(signal.SIGINT)
    (note,) = [note for note in json.loads(out)["notes"] if "the next run" in note]
    assert status == 130 and "not everything could be removed" in note and run_name in note
    assert client.exists(f"{SANDBOX}/{run_name}")
    client.set_acls(f"{SANDBOX}/{run_name}", [make_acl(**everybody, all=True)])
    assert inject(zk, SANDBOX, "-n", "1", "--for", "200ms")["runs_removed"] == 1
    assert not client.exists(SANDBOX)


def test_what_others_put_into_a_run_stays(zk, client):
    """Below a run and beside it, while it goes on and after kill -9, only what it made itself is removed: what
    somebody else has put there stays, and is named; so does what merely begins like a run of ours."""
    client.create(f"{SANDBOX}/notes/page", b"somebody's", makepath=True)
    client.set(f"{SANDBOX}/notes", b"electop runbook")
    client.create(f"{SANDBOX}/plan", b"electop runbook")
    going = Injection(zk, f"{SANDBOX}/going", "-n", "4", "--kill", "random:every=100ms", "--how", "drop", "--for", "60s")
    killed = Injection(zk, f"{SANDBOX}/killed/a/b", "-n", "4", "--for", "60s")
    going.until(lambda: client.exists(f"{SANDBOX}/going"))
    killed.until(lambda: client.exists(f"{SANDBOX}/killed/a/b") and len(client.get_children(f"{SANDBOX}/killed/a/b")) == 4)
    theirs = [f"{SANDBOX}/going/mine", f"{SANDBOX}/killed/a/mine", f"{SANDBOX}/killed/a/mine/below",
              f"{SANDBOX}/killed.part-notes"]
    for stranger in theirs:
        client.create(stranger, b"")
    another = client.create(f"{SANDBOX}/killed/a/b/", b"", ephemeral=True, sequence=True)
    killed.end(signal.SIGKILL)
    status, out, _ = going.end(signal.SIGINT)
    assert status == 130 and any(f"{SANDBOX}/going/mine" in note for note in json.loads(out)["notes"])
    until(lambda: not [name for name in client.get_children(SANDBOX) if ".alive" in name], 30)
    report = inject(zk, SANDBOX, "-n", "2", "--for", "300ms")
    assert any("was not created by a run" in note for note in report["notes"])
    assert tree(client, SANDBOX) == sorted([
        f"{SANDBOX}/notes", f"{SANDBOX}/notes/page", f"{SANDBOX}/plan", *theirs, f"{SANDBOX}/going",
        f"{SANDBOX}/killed", f"{SANDBOX}/killed/a", f"{SANDBOX}/killed/a/b", another])
    for stranger in theirs:
        if not stranger.endswith("/mine/below") and client.exists(stranger):
            client.delete(stranger, recursive=True)
    client.delete(another)
    assert inject(zk, SANDBOX, "-n", "2", "--for", "300ms")["runs_removed"] == 2  # nothing else was in their way
    assert tree(client, SANDBOX) == [f"{SANDBOX}/notes", f"{SANDBOX}/notes/page", f"{SANDBOX}/plan"]
    client.delete(SANDBOX, recursive=True)


@pytest.mark.parametrize("whose", ["leader", "all"])
def test_who_is_deleted_by_somebody_stands_again(zk, client, whose):
    """Somebody deletes the leader's znode, or all of them at once with their directory: whoever stood returns."""
    injection = Injection(zk, SANDBOX, "-n", "5", "--for", "60s")
    injection.until(lambda: standing(client) == 5)
    election = next(path for path in tree(client, SANDBOX) if path.endswith("/election"))
    before = sorted(client.get_children(election), key=lambda name: name[-10:])
    doomed = client.transaction()
    for name in before[:1] if whose == "leader" else before:
        doomed.delete(f"{election}/{name}")
    if whose == "all":
        doomed.delete(election)
    assert all(result is True for result in doomed.commit())

    def all_follow():
        """Who stands last watches the one before it: the run knows of all."""
        now = sorted(client.get_children(election), key=lambda name: name[-10:]) if standing(client) == 5 else before
        return before[0] not in now and {f"{election}/{name}" for name in now[:-1]} <= zk.watched_paths()
    injection.until(all_follow)
    status, out, err = injection.end(signal.SIGINT)
    assert status == 130, err
    assert json.loads(out)["standing"] == 5
    assert not client.exists(SANDBOX)


def test_interrupted_at_any_moment(zk, client):
    """Ctrl-C at random moments of a run leaves nothing in the tree, and its status is 130."""
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30)
    draw = random.Random(seed)
    for _ in range(12):
        injection = Injection(zk, SANDBOX, "-n", "25", "--kill", "leader:every=50ms", "--how",
                              draw.choice(["close", "drop", "resign", "pause"]), "--for", "60s")
        injection.until(injection.catches_signals)
        time.sleep(draw.choice([0.02, 0.1, 0.3, 0.6, 1.2]) * draw.random() * 2)
        status, _, err = injection.end(signal.SIGINT)
        assert status == 130, (seed, status, err)
        assert not client.exists(SANDBOX), seed


def test_servers_limit_is_named(client, request):
    """More connections than the servers take: the run goes on with what it got, and names the setting."""
    from ensemble import Ensemble
    small = Ensemble(1, config=["maxClientCnxns=20"])
    try:
        report = inject(small, SANDBOX, "-n", "40", "--rate", "100/s", "--for", "1s", "--kill", "leader:every=200ms",
                        within=60)
        assert report["end"] == "done" and 10 <= report["standing"] < 20
        assert any("maxClientCnxns" in note for note in report["notes"])
        assert any("were closed" in note for note in report["notes"])
        assert report["failover"]["total"]["count"] >= 1
        asked = inject(small, SANDBOX, "-n", "40", "--rate", "100/s", "--for", "60s", "--expect", "stand.count>=40",
                       status=1, within=50)  # then it ends
        assert asked["end"] == "failed" and "maxClientCnxns" in asked["problem"] and asked["ran_ms"] < 30000
    finally:
        small.close()


def test_lost_server_ends_the_run(request):
    """With its own session gone the run ends by itself, says so, and the next run finds nothing in its way."""
    from ensemble import Ensemble
    own = Ensemble(1)
    try:
        injection = Injection(own, SANDBOX, "-n", "5", "--for", "120s")
        reader = own.client()
        injection.until(lambda: standing(reader) == 5)
        own.freeze()
        time.sleep(9)  # longer than its sessions live
        own.thaw()
        status, out, err = injection.end(within=60)
        assert status == 1 and json.loads(out)["end"] in ("lost", "too-slow"), err  # its pulse stops before it expires
        assert inject(own, SANDBOX, "-n", "2", "--for", "300ms")["end"] == "done"
        until(lambda: tree(reader) == [], 20)
    finally:
        own.close()


def test_a_full_server_has_room_left():
    """A run that has met the servers' limit gives some connections back, so that this host's clients get in while it
    goes on: unless it has leave to load the servers, and never fewer than were expected."""
    from ensemble import Ensemble
    small = Ensemble(1, config=["maxClientCnxns=24"])
    reader = small.client()
    # A server counts a connection a moment after it has accepted it: in a quick row it takes more than its limit.
    arguments = [SANDBOX, "-n", "40", "--rate", "20/s"]
    try:
        injection = Injection(small, *arguments, "--for", "60s")
        injection.until(lambda: standing(reader) >= 20, 40)
        injection.until(lambda: standing(reader) < 20 and has_room(small) == 3, 40)
        report = json.loads(injection.end(signal.SIGINT)[1])
        assert any("were closed" in note and "real clients" in note for note in report["notes"]), report
        for more in (["--load"], ["--expect", "stand.count>=20"]):
            report = inject(small, *arguments, *more, "--for", "1s")
            # One whose connection was lost stands on until its session ends: more may stand than are connected.
            assert 20 <= report["standing"] < 40, (more, report)
    finally:
        small.close()


def has_room(zk, most=3):
    """How many more connections of this host its server takes, up to a few."""
    taken = []
    try:
        for _ in range(most):
            taken.append(RawSession(zk.addresses[0], 4))
    except OSError:
        pass
    for session in taken:
        session.close()
    return len(taken)


@pytest.mark.parametrize("fault, more, word", [("kill", ["-t", "10s"], "connection refused"),
                                               ("freeze", ["-t", "60s", "--load"], "no server answers")])
def test_a_server_that_is_gone_at_the_end(fault, more, word):
    """Its time is over, and no server is left that could say how it ended: status 1, and the report says so."""
    from ensemble import Ensemble
    own = Ensemble(1, config=["maxSessionTimeout=120000"])
    try:
        injection = Injection(own, SANDBOX, "-n", "3", *more, "--for", "3s")
        reader = own.client(timeout=100)
        injection.until(lambda: standing(reader) == 3)
        getattr(own, fault)()
        status, out, err = injection.end(within=90)
        report = json.loads(out)
        assert status == 1 and report["end"] == "lost" and "no server answers now" in err, err
        assert word in report["problem"] and report["ran_ms"] >= 3000
        assert any(own.addresses[0] in note and "not after it" in note for note in report["notes"])
        own.heal()
        until(lambda: not [name for name in reader.get_children(SANDBOX) if ".alive" in name], 40)
        assert inject(own, SANDBOX, "-n", "1", "--for", "200ms")["end"] == "done"
        assert not reader.exists(SANDBOX)
    finally:
        own.close()
