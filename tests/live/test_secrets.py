"""One rule for all secrets: what its file must be, how often it is in memory, and that it is in nothing that the program
writes: a core file, output, complaints, log, journal, recording, reports, metrics."""
import base64
import os
import pathlib
import re
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import urllib.request

import pytest
from kazoo.security import make_digest_acl

from electop import PLAIN, PROGRAM, Events, check_sanitizers, run
from fake_server import _Server
from framing import GREETING, frame, send
from patience import wait
from recorder import Recorder
from waiting import until
from webhook import Webhook

LIMIT_S = 180
NOBODY = 65534
PASSWORD, TOKEN = "Pa55-wOrd-nobody-says", "tOken-nobody-says"
FORMS = [form for secret in (PASSWORD, TOKEN, f"operator:{PASSWORD}")
         for form in (secret.encode(), base64.b64encode(secret.encode()).rstrip(b"="), secret.encode().hex().encode())]


def assert_silent(what, text):
    found = [form for form in FORMS if form in (text if isinstance(text, bytes) else text.encode())]
    assert not found, (what, found)


def test_no_secret_is_written(path, zk, tmp_path):
    client = zk.client(auth_data=[("digest", f"operator:{PASSWORD}")])
    acl = [make_digest_acl("operator", PASSWORD, all=True)]
    client.ensure_path(path)
    leader = client.create(path + "/n_", b"host-a:1", acl=acl, ephemeral=True, sequence=True)
    hook = Webhook()
    hook.answer = 500  # so that it complains
    for name, content in ("auth", f"digest:operator:{PASSWORD}\n"), ("token", TOKEN + "\n"), ("wrong", PASSWORD + "\n"):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o600)
    folder = tmp_path / "written"
    folder.mkdir()
    config = tmp_path / "config.yaml"
    config.write_text(
        f"clusters: [{{name: prod, hosts: '{zk.hosts}', auth_file: {tmp_path}/auth,\n"
        f"  elections: [{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]}}]\n"
        f"history: {{file: {folder}/history.db}}\n"
        f"alerts: [{{on: [no-leader], post: 'http://127.0.0.1:{hook.port}/', secret_file: {tmp_path}/token, again_after: 1s}},\n"
        f"  {{on: [no-leader], run: [/bin/sh, -c, 'env >{folder}/environment']}}]\n")
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    journal.bind(str(folder / "journal"))
    entries = []
    threading.Thread(target=lambda: [entries.append(journal.recv(65536)) for _ in iter(int, 1)], daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    recorder = subprocess.Popen([PROGRAM, "record", "-c", str(config), "--log", f"journal:{folder}/journal", "--listen",
                                 f"127.0.0.1:{port}"], stdin=subprocess.DEVNULL,
                                stdout=open(folder / "out", "wb"), stderr=open(folder / "complaints", "wb"))
    try:
        until(lambda: b"recording into" in (folder / "out").read_bytes(), what="it records")
        client.delete(leader)
        until(lambda: hook.bodies and (folder / "environment").exists())
        until(lambda: b"tries again" in (folder / "complaints").read_bytes())
        assert hook.headers[0]["Authorization"] == f"Bearer {TOKEN}"  # they were used
        alerted = until(lambda: [e for e in entries if b"ELECTOP_CODE=no-leader" in e])[0]
        assert b"\nMESSAGE=alert raised: no-leader in " in b"\n" + alerted and b"PRIORITY=6\n" in alerted
        assert f"ELECTOP_ELECTION={path}\n".encode() in alerted and b"ELECTOP_CLUSTER=prod\n" in alerted
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            assert_silent("metrics", answer.read())
        recorder.send_signal(signal.SIGHUP)
        until(lambda: (folder / "out").read_bytes().count(b"recording into") == 2)
    finally:
        recorder.send_signal(signal.SIGTERM)
        wait(recorder, 30)
    check_sanitizers((folder / "complaints").read_text())
    where = ["-c", str(config), "--log", str(folder / "log")]
    for arguments in (["once"], ["once", "--json"], ["config"], ["config", "--diff"], ["discover", "--yaml", "/"],
                      ["discover", "--json", "/"], ["check"], ["export", "--once"], ["events", "--json", "--for", "1s"],
                      ["report", "--html", str(folder / "page.html")], ["report", "--json"],
                      ["once", "--auth-file", str(tmp_path / "wrong")]):
        done = run(*arguments, *where)
        assert_silent(arguments, done.out + done.err)
    assert entries and (folder / "log").read_text() and (folder / "page.html").read_text()
    for entry in entries:
        assert_silent("journal", entry)
    for name in os.listdir(folder):
        if name != "journal":
            assert_silent(name, (folder / name).read_bytes())
    hook.server.shutdown()


# -- files

SECRET_FILES = {
    "auth file": ("auth_file: FILE", "", b"digest:user:word\n"),
    "credentials file": ("sasl: {credentials_file: FILE}", "", b"user:word\n"),
    "keytab": ("sasl: {keytab: FILE}", "", b"\x05\x02"),
    "key": ("tls: {cert: /dev/null, key: FILE}", "", b"key\n"),
    "key in the certificate's file": ("tls: {cert: FILE}", "", b"key\n"),
    "file with the key's password": ("tls: {key_password_file: FILE}", "", b"word\n"),
    "secret_file": ("", "alerts: [{on: failover, post: 'http://127.0.0.1:9/', secret_file: FILE}]", b"token\n"),
}


@pytest.mark.parametrize("kind", SECRET_FILES)
def test_a_file_with_a_secret(kind, tmp_path):
    """One rule for every kind: a plain file of this user or root, which nobody else can use."""
    secured, alerts, content = SECRET_FILES[kind]
    file, config, wrong = tmp_path / "secret", tmp_path / "c.yaml", []
    config.write_text(f"clusters: [{{hosts: '127.0.0.1:1', elections: [{{path: /e}}], {secured}}}]\n{alerts}\n".replace("FILE", str(file)))

    def refused(what):
        done = run("config", "-c", str(config))
        if done.status != 2 or what not in done.err or "the " + kind.split(" in ")[0] not in done.err:
            wrong.append((what, done))
    refused("cannot be read (No such file or directory)")
    for mode in 0o644, 0o640, 0o602, 0o601:
        file.write_bytes(content)
        file.chmod(mode)
        refused("can be read or written by others; run chmod 600 on it")
    file.chmod(0o600)
    done = run("config", "-c", str(config))
    assert done.status == 0, done
    if os.geteuid() == 0:
        os.chown(file, NOBODY, NOBODY)
        refused("belongs to another user; change its owner with chown")
    file.unlink()
    os.mkfifo(file, 0o600)
    refused("is not a plain file; name a plain file")
    assert not wrong, wrong


# -- memory

def memory_of(pid):
    """All that is written in a process's memory."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("rw") or "[v" in line:
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            if end - start > 1 << 30:
                continue    # a sanitizer's shadow
            try:
                memory.seek(start)
                yield memory.read(end - start)
            except OSError:
                pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a process with a credential")
def test_a_credential_is_kept_once(zk, client, tmp_path):
    """Beside what the client library copies there is one credential in memory, locked; and no core file has it."""
    secret = "watchman:" + os.urandom(12).hex()
    auth = tmp_path / "auth"
    auth.write_text(f"digest:{secret}\n")
    auth.chmod(0o600)
    client.create("/closed", b"", acl=[make_digest_acl(*secret.split(":"), read=True)])
    with Events(zk.hosts, "--auth-file", str(auth), "/closed") as events:
        events.expect("election-seen")
        pid = events.process.pid
        copies = sum(block.count(secret.encode()) for block in memory_of(pid))
        sanitized = "asan" in PROGRAM   # a sanitizer keeps what was freed, and locks nothing
        assert 1 <= copies <= (3 if sanitized else 2), copies
        status = open(f"/proc/{pid}/status").read()
        assert int(re.search(r"VmLck:\s*(\d+) kB", status)[1]) > 0 or sanitized
        limits = open(f"/proc/{pid}/limits").read()
        assert re.search(r"Max core file size +0 +0", limits), limits
    with Events(zk.hosts, "/election") as events:   # one without is left as it is
        events.expect("connection")
        assert resource.prlimit(events.process.pid, resource.RLIMIT_CORE) == resource.getrlimit(resource.RLIMIT_CORE)
    client.delete("/closed")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a process with a credential")
def test_a_login_leaves_no_password(tmp_path):
    """The library has computed with it: there is the configuration's copy, and that of the login, which lasts."""
    secret, answered, over = os.urandom(12).hex(), threading.Event(), threading.Event()
    (tmp_path / "credentials").write_text(f"watcher:{secret}\n")
    (tmp_path / "credentials").chmod(0o600)

    def talk(connection):
        frame(connection)
        send(connection, GREETING)
        number = struct.unpack(">i", frame(connection)[:4])[0]
        token = b'realm="zk-sasl-md5",nonce="1",charset=utf-8,algorithm=md5-sess,qop="auth"'
        send(connection, struct.pack(">iqii", number, 0, 0, len(token)) + token)
        frame(connection)
        answered.set()
        over.wait(60)
    with _Server(talk) as server:
        (tmp_path / "c.yaml").write_text(f"clusters: [{{name: c, hosts: '{server.address}', elections: [{{path: /e}}], servers: {{admin: off, four_letter: off}},\n"
                                         f"  sasl: {{credentials_file: {tmp_path}/credentials}}}}]\n")
        with subprocess.Popen([PLAIN, "events", "-c", str(tmp_path / "c.yaml")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            try:
                assert answered.wait(60)
                copies = sum(block.count(secret.encode()) for block in memory_of(process.pid))
            finally:
                over.set()
                process.kill()
    assert copies == 2, copies


TOKEN_ALERT = "[{{on: [no-leader], post: 'http://127.0.0.1:{}/', secret_file: {}, timeout: 30s, again_after: 1s}}]"


def token_recorder(zk, client, path, tmp_path, port, token, **more):
    """A recorder whose election has no leader, which it tells with the token."""
    (tmp_path / "token").write_text(token + "\n")
    (tmp_path / "token").chmod(0o600)
    client.ensure_path(path)

    class Telling(Recorder):
        def write(self, hosts, history):
            super().write(hosts, history)
            self.config.write_text(self.config.read_text() + f"alerts: {TOKEN_ALERT.format(port, tmp_path / 'token')}\n")
    return Telling(tmp_path, zk.hosts, elections=f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]", **more)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a process with a credential")
def test_a_token_is_in_memory_while_it_is_sent(path, zk, client, tmp_path, monkeypatch):
    """Once, locked, and once in libcurl's request; between two posts nowhere."""
    monkeypatch.setattr("recorder.PROGRAM", PLAIN)   # a sanitizer keeps what was freed
    hook, token = Webhook(), os.urandom(12).hex()
    asked, go = threading.Event(), threading.Event()
    accepted = hook.server.RequestHandlerClass.do_POST

    def waits(handler):
        asked.set()
        go.wait(60)
        accepted(handler)
    hook.server.RequestHandlerClass.do_POST = waits
    recorder = token_recorder(zk, client, path, tmp_path, hook.port, token)
    copies = lambda: sum(block.count(token.encode()) for block in memory_of(recorder.process.pid))
    try:
        until(asked.is_set, 60, "it posts")
        sending = copies()
        go.set()
        until(lambda: len(hook.bodies) >= 3, 60, "three posts")
        hook.answer = 500    # it waits before it tries again
        until(lambda: any("tries again" in line for line in recorder.complaints), 60)
        until(lambda: copies() == 0, 20, "it is overwritten")
        assert 1 <= sending <= 2, sending
    finally:
        go.set()
        recorder.end()
        hook.server.shutdown()


def test_no_core_file(path, zk, client, tmp_path):
    """A process that was given a token leaves no core file where others do."""
    unlimited = lambda: (resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)), os.chdir(tmp_path))
    other = subprocess.Popen(["sleep", "60"], preexec_fn=unlimited)
    other.send_signal(signal.SIGABRT)
    if not os.WCOREDUMP(os.waitpid(other.pid, 0)[1]):
        pytest.skip("no process leaves a core file here")
    for core in tmp_path.glob("core*"):
        core.unlink()
    recorder = token_recorder(zk, client, path, tmp_path, 9, TOKEN, preexec_fn=unlimited)
    recorder.wait_for("SELECT * FROM events WHERE event = 'election-seen'")
    os.kill(recorder.process.pid, signal.SIGABRT)
    status = os.waitpid(recorder.process.pid, 0)[1]
    assert os.WTERMSIG(status) == signal.SIGABRT and not os.WCOREDUMP(status), status
    assert not list(tmp_path.glob("core*"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start programs of another user")
@pytest.mark.parametrize("secret", [True, False])
def test_no_other_process_can_look(secret, zk):
    """The kernel gives the files of a protected process in /proc to root: its own user cannot open its memory."""
    with tempfile.TemporaryDirectory() as folder:
        auth = pathlib.Path(folder, "auth")
        auth.write_text("digest:user:word\n")
        auth.chmod(0o600)
        for name in folder, auth:
            os.chown(name, NOBODY, NOBODY)
        command = [PROGRAM, "events", "--json", "-s", zk.hosts, *(["--auth-file", str(auth)] if secret else []), "/election"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   env={**os.environ, "HOME": folder}, preexec_fn=lambda: os.setuid(NOBODY))
        try:
            assert b"connection" in process.stdout.readline()
            assert os.stat(f"/proc/{process.pid}/mem").st_uid == (0 if secret else NOBODY)
        finally:
            process.kill()
            process.communicate()


def test_a_recording_is_for_its_owner_and_group(path, zk, client, tmp_path):
    """Whatever the umask is; its list of alerts is for its owner."""
    recorder = token_recorder(zk, client, path, tmp_path, 9, TOKEN, preexec_fn=lambda: os.umask(0))
    until((tmp_path / "history.db.alerts").exists, 30, "an alert is open")
    modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in os.listdir(tmp_path) if name.startswith("history.db")}
    recorder.end()
    assert modes["history.db"] == modes["history.db-wal"] == 0o640 and modes["history.db.alerts"] == 0o600, modes
    assert not [name for name, mode in modes.items() if mode & 0o007], modes
