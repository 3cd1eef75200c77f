"""Test candidates in somebody's election: behind real ones, never first, and refused where they would be strangers."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from kazoo.security import make_acl, make_digest_acl

from injection import PATIENT, SANDBOX, Injection, inject
from txnlog import last_zxid, transactions
from waiting import until

KAZOO = os.path.join(os.path.dirname(__file__), "..", "support", "kazoo_candidate.py")


@pytest.fixture
def allowed(tmp_path, path):
    """A configuration that lets test candidates stand in the election of this test."""
    def write(zk, word="live"):
        config = tmp_path / "config.yaml"
        config.write_text(f"clusters:\n  - hosts: {zk.hosts}\n    servers: {{admin: '{zk.admin}'}}\n"
                          f"    elections: [{{path: {path}, inject: {word}}}]\n{PATIENT}\n")
        return ["-c", str(config), path]
    return write


def kazoo_line(zk, path, count):
    """So many real candidates; each is stopped by closing its standard input or by a kill."""
    line = []
    for i in range(count):
        line.append(subprocess.Popen([sys.executable, KAZOO, zk.hosts, path, f"real-{i}", "4"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE))
        until(lambda: len(names_in(zk, path)) == i + 1)
    return line


def names_in(zk, path):
    """Names in line, by number."""
    try:
        return sorted(zk.reader.get_children(path), key=lambda name: name[-10:])
    except NoNodeError:
        return []


def test_live_behind_real_candidates(zk, client, path, allowed):
    """Behind three kazoo candidates: gives way when one goes, returns, withdraws below two, is never first, leaves
    no trace; and the transaction log shows that nothing else was written."""
    zk.reader = client
    line = kazoo_line(zk, path, 3)
    real = names_in(zk, path)
    last = last_zxid(zk.directory)
    known = {t.session for t in transactions(zk.directory)}
    arguments = [argument for argument in allowed(zk)]
    injection = Injection(zk, *arguments, "--live", "-n", "5", "--for", "60s")
    try:
        injection.until(lambda: len(names_in(zk, path)) == 8, 40)
        standing_now = names_in(zk, path)
        assert standing_now[:3] == real
        assert all(re.fullmatch("[0-9a-f]{32}__lock__[0-9]{10}", name) for name in standing_now)
        acl = client.get_acls(f"{path}/{real[0]}")[0]
        assert client.get_acls(f"{path}/{standing_now[-1]}")[0] == acl
        line.pop(0).kill()  # the leader crashes: 4 s later two are left
        injection.until(lambda: names_in(zk, path) == real[1:], 30)  # ours have given way ...
        injection.until(lambda: len(names_in(zk, path)) == 7, 20)  # ... and stand again, behind both
        assert names_in(zk, path)[:2] == real[1:]
        line.pop().kill()
        injection.until(lambda: names_in(zk, path) == real[1:2], 30)
        time.sleep(3)
        assert names_in(zk, path) == real[1:2]  # one is too few
        status, out, err = injection.end(signal.SIGINT)
        assert status == 130, err
        report = json.loads(out)
        assert report["live"]["withdrawals"] == 1 and report["live"]["first_ms"] == 0
        assert report["live"]["first_at_most_ms"] == 0
        assert report["live"]["real_least"] >= 1
        assert names_in(zk, path) == real[1:2] and not client.exists(SANDBOX)
    finally:
        for process in line:
            process.kill()
    create, delete, close, open_, error = 1, 2, -11, -10, -1
    ours = [t for t in transactions(zk.directory) if t.zxid > last and t.session not in known]
    assert {t.type for t in ours} <= {create, 15, delete, close, open_, error}
    assert len([t for t in ours if t.type in (create, 15)]) == 10  # five candidates, twice


def test_live_says_that_one_may_have_been_first(zk, client, path, allowed):
    """All real candidates leave while the tool stands still: its own are first until their sessions end, and the
    report does not say that none ever was. Those that leave at once leave open at most a moment."""
    client.ensure_path(path)

    def all_real_leave(still_s):
        real = [zk.client() for _ in range(3)]
        made = [one.create(f"{path}/n_", b"host", ephemeral=True, sequence=True) for one in real]
        injection = Injection(zk, *allowed(zk), "--live", "-n", "3", "--for", "60s")
        injection.until(lambda: len(client.get_children(path)) == 6, 60)
        if still_s:
            injection.process.send_signal(signal.SIGSTOP)
        for one, znode in zip(real, made):
            one.delete(znode)
        time.sleep(still_s)
        injection.process.send_signal(signal.SIGCONT)
        until(lambda: client.get_children(path) == [])
        status, out, err = injection.end(signal.SIGINT)
        assert status == 130, err
        return json.loads(out)["live"]

    live = all_real_leave(2)
    assert live["real_least"] == 0 and live["first_at_most_ms"] >= 1900
    assert live["first_ms"] is None or live["first_ms"] > 0
    assert all_real_leave(0)["first_at_most_ms"] < 20000


def test_live_is_refused(zk, client, path, allowed):
    """Without leave, below two real candidates, beside names of two kinds, or near the sequence's end."""
    zk.reader = client
    assert "name an existing election" in inject(zk, *allowed(zk), "--live", status=2)  # there is none yet
    client.ensure_path(path)
    live = [*allowed(zk), "--live", "-n", "2", "--for", "1s"]
    assert "is the sandbox" in inject(zk, SANDBOX, "--live", status=2)
    assert "inject: live" in inject(zk, *allowed(zk, "sandbox"), "--live", status=2)
    assert "inject: never" in inject(zk, *allowed(zk, "never"), status=2)
    live = [*allowed(zk), "--live", "-n", "2", "--for", "1s"]
    assert "it has no candidate" in inject(zk, *live, status=2)
    client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True)
    assert "1 real candidate" in inject(zk, *live, status=2)
    client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True)
    client.create(f"{path}/m-", b"x", ephemeral=True, sequence=True)
    assert "kind" in inject(zk, *live, status=2)
    assert "--kill" in inject(zk, *live, "--kill", "leader", status=2)
    assert len(names_in(zk, path)) == 3


def test_live_is_refused_beside_another_run(zk, client, path, allowed):
    """Test candidates of another run are no real ones: nobody stands behind them."""
    client.ensure_path(path)
    for _ in range(2):
        client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True)
    first = Injection(zk, *allowed(zk), "--live", "-n", "2", "--for", "60s")
    first.until(lambda: len(client.get_children(path)) == 4, 40)
    assert "another run has test candidates" in inject(zk, *allowed(zk), "--live", "-n", "2", "--for", "1s", status=2)
    assert first.end(signal.SIGINT)[0] == 130
    assert len(client.get_children(path)) == 2


def test_live_is_refused_where_the_next_would_stand_first(zk, client, path, allowed):
    """Names whose numbers no server gave: the next candidate would stand before them, so none comes at all."""
    client.ensure_path(path)
    for number in (2000000001, 2000000002, 2000000003):
        client.create(f"{path}/n_{number}", b"x", ephemeral=True)
    _, before = client.get(path)
    assert "not after n_2000000001" in inject(zk, *allowed(zk), "--live", "-n", "2", "--for", "1s", status=2)
    assert client.get(path)[1].cversion == before.cversion


def test_live_is_refused_where_acls_differ(zk, client, path, allowed):
    """Every sibling's ACL is read, and not the first one's alone: where one has another, where all name the same user
    with different passwords, or where one is closed to us, nobody comes; and no digest is told."""
    client.ensure_path(path)
    live = [*allowed(zk), "--live", "-n", "2", "--for", "1s"]
    everybody = make_acl("world", "anyone", all=True)

    def join(*acl):
        return client.create(f"{path}/n_", b"x", list(acl), ephemeral=True, sequence=True)

    def refused():
        before = client.get(path)[1].cversion
        said = inject(zk, *live, status=2)
        assert client.get(path)[1].cversion == before
        return said

    for _ in range(3):
        join(everybody)
    other = join(make_acl("world", "anyone", read=True, delete=True))
    said = refused()
    assert "ACLs differ" in said and other.rsplit("/", 1)[1] in said
    assert "without --live" in said and '"world:anyone" dr' in said and '"world:anyone" cdrwa' in said
    client.delete(other)
    other = join(make_digest_acl("app", "secret", all=True))
    assert "permission denied" in refused()
    client.delete(other)
    assert inject(zk, *live, "--name", "auto")["live"]["real_least"] == 3
    more = [client.create_async(f"{path}/n_", b"x", ephemeral=True, sequence=True) for _ in range(998)]
    last = [one.get() for one in more][-1]
    assert "it has 1001 candidates" in refused()  # so many are not read, and none of them is taken on trust
    client.delete(last)
    assert inject(zk, *live)["live"]["real_least"] == 1000


def test_live_with_a_digest(zk, client, path, allowed, tmp_path):
    """kazoo candidates that protect their znodes with one password each: nobody may stand with another's. With one
    and the same for all of them ours have it, too, if we may administer it; and no digest is ever told."""

    def line(*passwords):
        clients, digests = [], []
        for password in passwords:
            acl = make_digest_acl("app", password, all=True)
            digests.append(acl.id.id.split(":", 1)[1])
            clients.append(KazooClient(zk.hosts, default_acl=[acl, make_acl("world", "anyone", read=True)],
                                       auth_data=[("digest", f"app:{password}")]))
            clients[-1].start()
            clients[-1].create(f"{path}/n_", b"x", ephemeral=True, sequence=True)
        return clients, digests

    auth = tmp_path / "auth"
    auth.write_text("digest:app:one\n")
    auth.chmod(0o600)
    client.ensure_path(path)
    live = [*allowed(zk), "--live", "-n", "2", "--for", "1s"]
    clients, digests = line("one", "two", "one")
    said = [inject(zk, *live, status=2), inject(zk, *live, "--auth-file", auth, status=2)]
    assert "do not show all of" in said[0] and "ACLs differ" in said[1] and "another password" in said[1]
    assert not [digest for digest in digests for text in said if digest in text]
    clients[1].stop()
    until(lambda: len(client.get_children(path)) == 2)
    report = inject(zk, *live, "--auth-file", auth)
    assert report["live"]["real_least"] == 2
    for one in clients:
        one.stop()
        one.close()


def test_live_ends_with_the_third_withdrawal(zk, client, path, allowed):
    """Below two real candidates they withdraw, and after the third time for good: before its time, so with 1. One
    that stands behind ours does not count among those before them, and is not told as gone."""
    client.ensure_path(path)
    zk.reader = client
    stays, goes = [client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True) for _ in range(2)]
    injection = Injection(zk, *allowed(zk), "--live", "-n", "2", "--for", "5m")
    for time_of_three in range(3):
        injection.until(lambda: len(names_in(zk, path)) == 4, 60)
        last = client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True)
        client.delete(goes)
        until(lambda: names_in(zk, path) == [one.rsplit("/", 1)[1] for one in (stays, last)], 30)
        client.delete(last)
        if time_of_three < 2:
            goes = client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True)
    status, out, _ = injection.end(within=30)
    report = json.loads(out)
    assert status == 1 and report["live"]["withdrawals"] == 3 and "third time" in report["problem"]
    assert "withdrew when a real candidate left: 1 was still ahead of the test candidates, which is too few" in report["notes"]
