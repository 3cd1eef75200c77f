"""No password, token or key is in anything that the program writes: output, complaints, log, journal, recording, reports,
metrics."""
import base64
import os
import re
import signal
import socket
import subprocess
import threading
import urllib.request

from kazoo.security import make_digest_acl

from electop import PROGRAM, check_sanitizers, run
from patience import wait
from waiting import until
from webhook import Webhook

LIMIT_S = 180
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
