"""Secured clusters: every command through each of six securities, and what is said where one does not fit."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

import pytest
from kazoo.client import KazooClient
from kazoo.security import make_acl

from electop import PROGRAM, Events, check_sanitizers, elections, run
from fake_server import Line, _Server
from patience import strain, stretched, wait
from framing import GREETING, frame, receive, send
from secured import MODES, REALM, FakeKdc, Kdc, OpensslServer, Secured, TlsServer
from terminal import Tmux
from txnlog import last_zxid, rounds
from waiting import until

LIMIT_S = 240


# Each part of a security is in one of these; all of them are in the slow tier.
QUICK = ("digest-md5", "mutual tls", "kerberos in tls")


@pytest.fixture(scope="module", params=[pytest.param(mode, marks=() if mode in QUICK else pytest.mark.slow) for mode in MODES])
def secured(request, authority, kdc, tmp_path_factory):
    made = Secured(request.param, tmp_path_factory.mktemp("secured"), authority, kdc)
    yield made
    made.close()


@pytest.fixture(scope="module")
def tls(authority, tmp_path_factory):
    made = Secured("tls", tmp_path_factory.mktemp("tls-server"), authority, None)
    yield made
    made.close()


def say(secured, *arguments, **more):
    return run(*arguments, "--config", secured.config, env=secured.env, **more)


def problem(hosts, *arguments, env=None, wait="4s"):
    """What a look says that cannot be taken."""
    done = run("once", "--quick", "-s", hosts, "--wait", wait, "--admin", "off", "--four-letter", "off", *arguments, env=env)
    assert done.status == 3, done
    return done.out + done.err


def problem_of(folder, hosts, security, env=None, wait="6s", admin="off"):
    file = os.path.join(str(folder), "one.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write(f"clusters:\n  - name: one\n    hosts: {hosts}\n{security}")
    done = run("once", *["--quick"][:admin == "off"], "-c", file, "--wait", wait, "--admin", admin, "--four-letter", "off", env=env)
    assert done.status in (2, 3) or admin != "off", done
    return done.out + done.err


def commands(secured):
    """Each command of the program, as it ends where all is well; yields its name and what it came to."""
    yield "inject", say(secured, "inject", "/electop-sandbox/run", "-n", "3", "--for", "2s", "--json", within=90)
    yield "once", say(secured, "once", "--json", "--wait", "20s", within=60)
    yield "check", say(secured, "check", within=60)
    yield "events", say(secured, "events", "--for", "3s", within=60)
    yield "export", say(secured, "export", "--once", within=60)
    recorder = subprocess.Popen([PROGRAM, "record", "-c", secured.config], env={**os.environ, **secured.env},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    recorder.send_signal(signal.SIGINT)
    err = recorder.communicate(timeout=60)[1]
    yield "record", type("Ended", (), {"status": 0 if recorder.returncode == 130 else 1, "out": "", "err": err})
    yield "report", say(secured, "report", within=60)


def test_every_command(secured, capsys):
    """Through each security each command does what it does without; what they came to is printed as a row."""
    row = {}
    for name, done in commands(secured):
        row[name] = done.status in ((0, 1, 2) if name == "check" else (0,))
        if name == "once" and row[name]:
            cluster = json.loads(done.out)["clusters"][0]
            server = cluster["servers"][0]
            row[name] = cluster["state"] == "connected" and server["reachable"] and server["watches_from"] == "adminserver"
            assert row[name], json.dumps(cluster)
        if name == "check":
            row[name] = done.status < 3 and "UNKNOWN" not in done.out
        assert row[name], (name, getattr(done, "out", ""), done.err)
    watch = Tmux(f"{PROGRAM} -c {secured.config}", env=secured.env)
    try:
        watch.shows("/election", "connected")
        row["watch"] = True
    finally:
        watch.close()
    with capsys.disabled():
        print(f"\n  3.8  {secured.mode:16}" + "".join(f"  {name} {'ok' if good else 'FAILED'}" for name, good in row.items()))


def test_comes_back(secured, monkeypatch):
    """The connection is lost: it is secured and logged in again before anything else."""
    for name, value in secured.env.items():
        monkeypatch.setenv(name, value)
    with Events(None, "-c", secured.config, "--wait", "2m") as events:
        events.expect("connection", state="connected")
        secured.ensemble.kill()
        events.expect("connection", state="disconnected")
        secured.ensemble.start()
        events.expect("connection", state="connected", within=40)


@pytest.mark.slow
def test_thousands_of_sessions(authority, tmp_path):
    """A run of 2000 sessions, each with a handshake of its own and a client certificate: all stand."""
    made = Secured("mutual tls", tmp_path / "s", authority, None)
    try:
        done = say(made, "inject", "/electop-sandbox/many", "-n", "2000", "--load", "--look", "shared", "--for", "20s", "--wait", "60s",
                   "--json", within=240)
        report = json.loads(done.out)
        assert report["standing"] == report["sessions"] == 2000 and report["errors"] == 0, done
    finally:
        made.close()


def test_words_and_admin_over_tls(tls):
    """Both are asked with TLS where the client port has it: the plain AdminServer's port answers HTTPS, too."""
    for more in (("--admin", "off"), ("--four-letter", "off")):
        done = run("once", "--json", "-c", tls.config, *more, "--wait", "20s", "/election")
        server = json.loads(done.out)["clusters"][0]["servers"][0]
        assert server["reachable"] and server["mode"] == "standalone", (more, done)


def test_words_are_not_held_back(tls):
    """Behind a TLS session that is resumed a word leaves at once: what is shown as the server's time is not the kernel's 40 ms."""
    def soon():
        done = run("once", "--quick", "--json", "-c", tls.config, "--admin", "off", "--wait", "20s", "/election")
        return json.loads(done.out)["clusters"][0]["servers"][0]["answer_ms"] < 35
    until(soon, 30, "a word is answered in less time than a delayed acknowledgement takes")


def test_words_show_no_connection_of_the_port_for_tls(tls, authority):
    """That the plain port lists no connection of a leader proves nothing where the server counts one more than it lists."""
    client = KazooClient(tls.hosts, timeout=20, use_ssl=True, ca=authority.ca)
    client.start()
    try:
        client.create(f"/beside/{'a' * 32}__lock__", b"", ephemeral=True, sequence=True, makepath=True)
        done = run("once", "--json", "-s", tls.ensemble.addresses[0], "--admin", "off", "--wait", "30s", "/beside", within=60)
        found = elections(json.loads(done.out))["/beside"]["findings"]
        assert ("owner-disconnected", "certain") not in [(finding["code"], finding["certainty"]) for finding in found], done
    finally:
        client.stop()


@pytest.mark.parametrize("mode", ["mutual tls", pytest.param("kerberos in tls", marks=pytest.mark.slow)])
def test_three_servers(mode, authority, kdc, tmp_path, monkeypatch):
    """Each is polled and read by itself, in a session of its own, and they are the same; one that is not of them is named."""
    made = Secured(mode, tmp_path / "three", authority, kdc, unified=True, servers=3)
    other = Secured(mode, tmp_path / "other", authority, kdc, unified=True)
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    try:
        for one, count in ((made, 2), (other, 3)):
            stand(one, "/election", count)
        before = last_zxid(made.ensemble.directory)
        with Events(None, "-c", made.config) as events:
            events.expect("connection", state="connected")
            until(lambda: rounds(made.ensemble, before) > 0, 60, "each server was read by itself")
            servers = json.loads(say(made, "once", "--json", "--wait", "20s").out)["clusters"][0]["servers"]
            assert sorted(s["mode"] for s in servers) == ["follower", "follower", "leader"], servers
            assert {s["watches_from"] for s in servers} == {"adminserver"}, servers
            with events.changed:
                assert not [e for e in events.seen if e["event"] == "finding-raised" and e["finding"]["code"] == "replica-divergence"]
        with open(made.config, encoding="utf-8") as f:
            mixed = re.sub(r"servers: {.*}", f"servers: {{addresses: {[*made.hosts.split(',')[:2], other.hosts]}, admin: off}}", f.read())
        with Events(None, "-c", made.write("mixed.yaml", mixed)) as events:
            finding = events.expect("finding-raised", within=60, finding=lambda f: f and f["code"] == "replica-divergence")["finding"]
        assert f"stop {other.hosts}, remove its data" in finding["advice"], finding
    finally:
        made.close()
        other.close()


def test_a_member_without_tls(tls, zk, authority):
    """Each server is judged by itself: one that speaks no TLS is passed over, whatever its place, and never in plain text."""
    for hosts in f"{zk.hosts},{tls.hosts}", f"{tls.hosts},{zk.hosts}":
        for _ in range(3):  # the C client begins with any of them
            done = run("once", "--json", "-s", hosts, "--tls-ca", authority.ca, "--admin", "off", "--wait", "20s", "/election", within=60)
            cluster = json.loads(done.out)["clusters"][0]
            assert cluster["state"] == "connected" and done.status in (0, 1), done
            plain = next(s for s in cluster["servers"] if s["address"] == zk.hosts)
            assert not plain["reachable"] and "it is a port without TLS" in plain["problem"], plain
    assert not [line for line in zk.ask("cons").splitlines() if "sid=0x" in line and "sid=0x0" not in line]


def stand(made, path, count):
    """So many candidates in one session, which ends; they are persistent, so that they stay."""
    more, env = made.for_kazoo()
    os.environ.update(env)
    client = KazooClient(made.hosts, **json.loads(more))
    client.start(timeout=40)
    for _ in range(count):
        client.create(f"{path}/n_", b"host", sequence=True, makepath=True)
    client.stop()


def test_admin_without_tls(authority, tmp_path):
    """Beside a port for TLS most AdminServers answer without: that is found out for each, said, and can be forbidden."""
    made = Secured("tls", tmp_path / "s", authority, None, config=["admin.portUnification=false"])
    try:
        log = str(tmp_path / "log")
        done = run("once", "--json", "-c", made.config, "--four-letter", "off", "--log", log, "--wait", "20s")
        assert json.loads(done.out)["clusters"][0]["servers"][0]["watches_from"] == "adminserver", done
        with open(log, encoding="utf-8") as f:
            assert "answers without TLS" in f.read()
        with open(made.config, encoding="utf-8") as f:
            strict = made.write("strict.yaml", f.read().replace("tls: {", "tls: {admin: https, "))
        done = run("once", "--json", "-c", strict, "--four-letter", "off", "--wait", "10s")
        assert json.loads(done.out)["clusters"][0]["servers"][0]["watches_from"] != "adminserver", done
    finally:
        made.close()


def test_both_on_one_port(authority, tmp_path):
    """client.portUnification: with TLS and without, each as it was asked for."""
    made = Secured("tls", tmp_path / "s", authority, None, unified=True)
    try:
        for more in ((), ("--tls-ca", authority.ca)):
            done = run("once", "--json", "--quick", "-s", made.hosts, "--admin", "off", *more)
            assert json.loads(done.out)["clusters"][0]["state"] == "connected", done
    finally:
        made.close()


def test_what_is_hidden(tmp_path):
    """An ACL that excludes us, and words that are not allowed: unknown, each with what would change it."""
    made = Secured("digest-md5", tmp_path / "s", None, None, config=["4lw.commands.whitelist=srvr"])
    try:
        more = json.loads(made.for_kazoo()[0])
        client = KazooClient(made.hosts, **more)
        client.start(timeout=30)
        client.create("/election", b"", acl=[make_acl("digest", "other:hash", all=True)])
        client.stop()
        done = say(made, "once", "--json", "--quick", "--admin", "off")
        cluster = json.loads(done.out)["clusters"][0]
        assert elections(json.loads(done.out))["/election"]["state"] == "denied" and "--auth-file" in done.err, done
        server = cluster["servers"][0]
        assert server["reachable"] and server["watches_from"] is None and not cluster["watches_complete"], done
        assert "4lw.commands.whitelist" in server["watches_problem"] and "admin: 8080" in server["watches_problem"], done
    finally:
        made.close()


# ---- TLS that does not fit ----

def test_never_without_tls(tls, zk, authority):
    """A server without TLS where it was asked for, and the other way round: said as that, and nothing is shown."""
    assert "closed the connection in the TLS handshake" in problem(zk.hosts, "--tls-ca", authority.ca)
    assert "or a port for TLS (--tls)" in problem(tls.hosts)


def test_authority_and_name(tls, authority, tmp_path):
    assert "is signed by no known authority" in problem(tls.hosts, "--tls")
    port = tls.hosts.rsplit(":", 1)[1]
    said = problem_of(tmp_path, f"127.0.0.1:{port}", f"    tls: {{ca: {authority.ca}, server_name: zk.example}}\n")
    assert 'is for "127.0.0.1", "localhost", not for "zk.example"' in said
    said = problem_of(tmp_path, f"127.0.0.1:{port}", f"    tls: {{ca: {authority.ca}, server_name: 127.0.0.2}}\n")
    assert 'is for "127.0.0.1", "localhost", not for the address "127.0.0.2"' in said
    for verify in ("ca", "none"):
        file = tmp_path / "ok.yaml"
        file.write_text(f"clusters:\n  - name: one\n    hosts: 127.0.0.1:{port}\n"
                        f"    tls: {{ca: {authority.ca}, server_name: zk.example, verify: {verify}}}\n")
        assert run("once", "--quick", "-c", str(file), "--admin", "off").status == 0


def test_client_certificate(authority, tmp_path):
    made = Secured("mutual tls", tmp_path / "s", authority, None)
    try:
        said = problem(made.hosts, "--tls-ca", authority.ca)
        assert "requires a client certificate" in said or "asks for a client certificate" in said
        key = authority.path("client.key")
        os.chmod(key, 0o640)
        done = run("once", "-c", made.config)
        assert done.status == 2 and "can be read or written by others; run chmod 600 on it" in done.err, done
        os.chmod(key, 0o600)
        both = run("once", "--json", "--quick", "-s", made.hosts, "--tls-ca", authority.ca, "--tls-cert", authority.path("client.pem"), "--admin", "off")
        assert json.loads(both.out)["clusters"][0]["state"] == "connected", both
        other = authority.issue("other")
        done = run("once", "--quick", "-s", made.hosts, "--tls-ca", authority.ca, "--tls-cert", f"{other}.crt",
                   "--tls-key", key, "--admin", "off", "--wait", "3s")
        assert "does not belong to the certificate" in done.err, done
    finally:
        made.close()


def test_events_that_cannot_begin():
    """What keeps it from the servers is said before the time for that is over; and it goes on."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        hosts = f"127.0.0.1:{nobody.getsockname()[1]}"
        with Events(hosts, "--wait", "10m", "/election") as events:
            until(lambda: f"{hosts} is not reached yet: connection refused by {hosts}" in events.complaints(), 20, "it says why")
            assert events.process.poll() is None


def test_expired(authority):
    """A certificate that has been over for a second."""
    authority.issue_until("brief", -1)
    with OpensslServer(authority, "brief") as server:
        said = problem(server.hosts, "--tls-ca", authority.ca)
        assert re.search(r"the certificate of 127.0.0.1:\d+ expired on 20\d\d-", said), said


def test_self_signed(authority):
    """Nobody known has signed it; with itself as the authority it is as good as any."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "own.key",
                    "-out", "own.crt", "-days", "3", "-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1"],
                   cwd=authority.folder, check=True, capture_output=True)
    with TlsServer(authority, name="own") as server:
        said = problem(server.address, "--tls-ca", authority.ca)
        assert "is signed by no known authority" in said or "is self-signed" in said, said
    with TlsServer(authority, name="own") as server:
        problem(server.address, "--tls-ca", authority.path("own.crt"))
        assert server.heard > 0


@pytest.mark.parametrize("names", [600, 12000])
def test_long_certificate(authority, names):
    """One of 16 KB is read as any other; one of 300 KB is refused, and said to be."""
    authority.issue("long", names=",".join(["IP:127.0.0.1"] + [f"DNS:host-{i:05}.example.com" for i in range(names)]))
    assert os.path.getsize(authority.path("long.crt")) > names * 27
    with TlsServer(authority, name="long") as server:
        said = problem(server.address, "--tls-ca", authority.ca)
        assert server.heard > 0 if names == 600 else "TLS" in said and "127.0.0.1" in said and server.heard == 0, said


def test_renegotiation(authority, tmp_path):
    """A server that asks for another handshake is told no, and is no trouble for that."""
    with OpensslServer(authority, "server", "-tls1_2", quiet=False) as server:
        looking = subprocess.Popen([PROGRAM, "once", "--quick", "-s", server.hosts, "--tls-ca", authority.ca, "--wait", "6s", "--admin",
                                    "off", "--four-letter", "off", "--log", str(tmp_path / "log")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True)
        unheard = threading.Timer(stretched(30), server.process.kill)  # else its output has no end
        unheard.start()
        for line in server.process.stdout:
            if b"CIPHER is" in line:  # the handshake is over
                break
        unheard.cancel()
        deadline = time.monotonic() + 4
        asked = 0
        while time.monotonic() < deadline:
            try:
                server.process.stdin.write(b"R\n")
                server.process.stdin.flush()
            except BrokenPipeError:  # it ends when it is refused
                break
            asked += 1
            time.sleep(0.3)
        said = looking.communicate(timeout=60)[0]
        assert asked > 0 and looking.returncode == 3, said
        said += (tmp_path / "log").read_text()  # the server ends with it
        assert f"{server.hosts} asks to renegotiate TLS, which is refused; turn that off there, or let it offer TLS 1.3" in said, said
        check_sanitizers(said)


@pytest.mark.parametrize("secured_by", ["plain", "tls"])
def test_closes_after_greeting(authority, secured_by):
    """A session is given, and the connection is gone: tried again with pauses, never shown as connected for good."""
    greeted = [0]

    def talk(connection):
        frame(connection)
        send(connection, GREETING)
        greeted[0] += 1
        connection.close()
    server = TlsServer(authority, talk) if secured_by == "tls" else _Server(talk)
    more = ("--tls-ca", authority.ca) if secured_by == "tls" else ()
    with server:
        done = run("once", "--quick", "-s", server.address, "--wait", "4s", "--admin", "off", "--four-letter", "off", *more, "/election")
    assert done.status in (0, 3) and 1 <= greeted[0] < 60, (greeted, done)
    assert "connection to" in done.out + done.err or "state unknown" in done.out or "unknown" in done.out, done


def test_handshake_that_stalls_in_the_middle(tls, authority):
    """The server's first bytes come, and nothing more."""
    def talk(near):
        with socket.create_connection(("127.0.0.1", int(tls.hosts.rsplit(":", 1)[1]))) as far:
            far.sendall(near.recv(65536))
            near.sendall(far.recv(700))
            while near.recv(65536):
                pass
    with _Server(talk) as server:
        assert "does not finish the TLS handshake" in problem(server.address, "--tls-ca", authority.ca, wait="2s")


def test_old_tls(authority):
    with OpensslServer(authority, "server", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0") as server:
        said = problem(server.hosts, "--tls-ca", authority.ca)
        assert "TLS" in said and "1.2" in said, said


def test_finite_field(tls, tmp_path):
    """A server that may choose the numbers of Diffie-Hellman would choose how long we compute: it may not."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.pem", "-out", "c.pem", "-days", "3", "-subj",
                    "/CN=own"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048", "-out", "dh.pem"], cwd=tmp_path,
                   check=True, capture_output=True)
    taken, ciphers = [], ["DHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"]

    def serve(connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(tmp_path / "c.pem", tmp_path / "k.pem")
        context.load_dh_params(tmp_path / "dh.pem")
        context.set_ciphers(":".join(ciphers))  # the server's choice, as far as the client offers it
        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
            taken.append(secure.cipher()[0])
    with _Server(serve) as server:
        security = "    tls: {verify: none}\n"
        problem_of(tmp_path, server.address, security, wait="3s")
        sessions = len(taken)
        problem_of(tmp_path, tls.hosts, security, wait="6s", admin=server.address)
        assert 0 < sessions < len(taken) and set(taken) == {ciphers[1]}, taken
        del ciphers[1:]
        assert "has no cipher of TLS 1.3, ECDHE or RSA" in problem_of(tmp_path, server.address, security, wait="3s")


def test_reset_after_the_handshake(tls, authority, tmp_path):
    """As by a server of TLS 1.3 that misses a certificate, where the reset overtakes the alert: a guess, told as one."""
    def reset(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    with TlsServer(authority, reset) as server:
        said = problem_of(tmp_path, tls.hosts, f"    tls: {{ca: {authority.ca}}}\n", admin=server.address)
    assert "ended the connection after the handshake; perhaps it requires a client certificate" in said, said


def test_handshake_that_stalls():
    """A server that accepts and says nothing: it is not waited for longer than for one without TLS."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        said = problem(f"127.0.0.1:{silent.getsockname()[1]}", "--tls", wait="2s")
        assert "does not finish the TLS handshake" in said and time.monotonic() - began < 8


@pytest.mark.parametrize("cut", [1, 4, 5, 6, 50, 300, 1000, 1300, 1400, 1500, 1600, 2000])
def test_record_cut_anywhere(tls, authority, cut):
    """A proxy that ends the connection after so many bytes of the server, in the handshake and behind it."""
    port = int(tls.hosts.rsplit(":", 1)[1])

    def talk(near):
        with socket.create_connection(("127.0.0.1", port)) as far:
            threading.Thread(target=pump, args=(near, far), daemon=True).start()
            left = cut
            while left > 0 and (data := far.recv(left)):
                near.sendall(data)
                left -= len(data)
    with _Server(talk) as server:
        done = run("once", "--quick", "-s", server.address, "--wait", "2s", "--admin", "off", "--four-letter", "off", "--tls-ca",
                   authority.ca, "/election")
    assert done.status in (0, 3) and "127.0.0.1" in done.out + done.err, done
    assert " led" not in done.out and "vacant" not in done.out, done


def pump(near, far):
    try:
        while data := near.recv(65536):
            far.sendall(data)
    except OSError:
        pass


# ---- SASL that does not fit ----

def test_login_is_required(kdc, tmp_path):
    made = Secured("digest-md5", tmp_path / "s", None, None)
    try:
        assert "requires a login; set auth_file: or sasl:" in problem(made.hosts)
        done = run("once", "-s", made.hosts, "--wait", "4s", "--admin", "off", "--four-letter", "off")  # which searches
        assert done.status == 3 and "requires a login; set auth_file:" in done.err and "--wait" not in done.err, done
        done = run("discover", "-s", made.hosts, within=40)  # it has no end of its own but that of the search
        assert done.status == 3 and "requires a login" in done.err, done
        # Such a server takes each connection, and ends it: it is asked ever more seldom.
        told = run("events", "--json", "-s", made.hosts, "--for", "8s", "/election", within=40).out
        assert 1 <= told.count('"state":"connected"') <= 8, told
        wrong = made.write("wrong", "watcher:wrong\n")
        os.chmod(wrong, 0o600)
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{credentials_file: {wrong}}}\n")
        assert "it refuses DIGEST-MD5 as watcher; check the credentials" in said and "--wait" not in said, said
        os.chmod(wrong, 0o644)
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{credentials_file: {wrong}}}\n")
        assert "can be read or written by others" in said, said
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{keytab: {kdc.path('watcher.keytab')}, host: localhost}}\n",
                          env={"KRB5_CONFIG": kdc.config})
        assert "it does not offer GSSAPI" in said, said
    finally:
        made.close()


class Requests(Line):
    """What the tool asks for in each connection, by the operation of the frame; None for the greeting. A four-letter word is alone."""

    def __init__(self, target):
        self.asked = []
        super().__init__(target)

    def _pass(self, source, sink, gate):
        if gate is not self.up:
            super()._pass(source, sink, gate)
            return
        asked = []
        self.asked.append(asked)
        with contextlib.suppress(OSError):
            first = receive(source, 4)
            if first.isalpha():
                asked.append(first)
                sink.sendall(first)
                first = receive(source, 4)
            while True:
                request = receive(source, struct.unpack(">i", first)[0]) if not asked else frame(source)
                asked.append(struct.unpack_from(">i", request, 4)[0] if asked else None)
                send(sink, request)


def test_login_comes_first(tmp_path):
    """Right after the greeting of each connection, and after each reconnect, nothing is asked before the login is over."""
    made, login = Secured("digest-md5", tmp_path / "s", None, None), 102
    proxy = Requests(made.hosts)
    try:
        with open(made.config, encoding="utf-8") as f:
            config = made.write("proxy.yaml", f.read().replace(f"hosts: {made.hosts}", f"hosts: {proxy.address}"))
        with Events(None, "-c", config, "--admin", "off") as events:
            events.expect("connection", state="connected")
            until(lambda: any(len(asked) > 4 for asked in proxy.asked), 20, "requests in a connection")
            proxy.cut()
            events.expect("connection", state="disconnected")
            proxy.mend()
            events.expect("connection", state="connected")
            until(lambda: sum(len(asked) > 4 for asked in proxy.asked) >= 2, 20, "requests in two connections")
            until(lambda: [b"srvr"] in proxy.asked, 20, "a word, which knows no login")
        for asked in proxy.asked:
            if len(asked) == 1 and isinstance(asked[0], bytes):  # such a word, alone
                continue
            logins = [i for i, kind in enumerate(asked) if kind == login]
            assert asked[:1] == [None] and logins == list(range(1, len(logins) + 1)), asked
            assert len(logins) == 2 or len(asked) < 4, asked
    finally:
        proxy.__exit__()
        made.close()


def test_tickets(kdc, tmp_path):
    """From a cache; where there is none, it is over, the service is unknown or no KDC answers, it says the next step."""
    made = Secured("kerberos", tmp_path / "s", None, kdc)
    port = made.hosts.rsplit(":", 1)[1]
    cache = str(tmp_path / "cache")
    try:
        def with_cache(**more):
            return problem_of(tmp_path, made.hosts, f"    sasl: {{ticket_cache: 'FILE:{cache}'}}\n", env=made.env, **more)
        assert re.search(r"no Kerberos ticket \(.*\); run kinit, or set sasl: keytab", with_cache())
        kdc.kinit(cache)
        file = made.write("cache.yaml", f"clusters:\n  - name: c\n    hosts: {made.hosts}\n    sasl: {{ticket_cache: 'FILE:{cache}'}}\n")
        done = run("once", "--json", "--quick", "-c", file, "--admin", "off", env=made.env)
        assert json.loads(done.out)["clusters"][0]["state"] == "connected", done
        kdc.kinit(cache, lifetime="2s")
        time.sleep(3)
        assert "run kinit" in with_cache()
        said = problem_of(tmp_path, f"127.0.0.1:{port}", f"    sasl: {{keytab: {kdc.path('watcher.keytab')}}}\n", env=made.env)
        assert "Kerberos knows no service zookeeper/127.0.0.1" in said, said
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{keytab: {kdc.path('watcher.keytab')}, service: other}}\n", env=made.env)
        assert "Kerberos knows no service other/localhost" in said, said
        file = made.write("host.yaml", f"clusters:\n  - name: c\n    hosts: 127.0.0.1:{port}\n    sasl: {{ticket_cache: 'FILE:{cache}', host: localhost}}\n")
        kdc.kinit(cache)
        done = run("once", "--json", "--quick", "-c", file, "--admin", "off", env=made.env)
        assert json.loads(done.out)["clusters"][0]["state"] == "connected", done
        with open(kdc.config, encoding="ascii") as f:
            asks_dns = made.write("dns.conf", re.sub(" (dns_canonicalize_hostname|rdns) = false", "", f.read()))
        file = made.write("dns.yaml", f"clusters:\n  - name: c\n    hosts: 127.0.0.1:{port}\n    sasl: {{keytab: {kdc.path('watcher.keytab')}}}\n")
        done = run("once", "--json", "--quick", "-c", file, "--admin", "off", env={"KRB5_CONFIG": asks_dns})  # for DNS it is localhost
        assert json.loads(done.out)["clusters"][0]["state"] == "connected", done
        for principal in "other", f"other@{REALM}":
            said = problem_of(tmp_path, made.hosts, f"    sasl: {{keytab: {kdc.path('watcher.keytab')}, principal: {principal}}}\n", env=made.env)
            assert f"{kdc.path('watcher.keytab')} has no key for other@{REALM}; check sasl: keytab" in said and "--wait" not in said, said
        nowhere = made.write("krb5.conf", f"[libdefaults]\n default_realm = {REALM}\n[realms]\n {REALM} = {{\n  kdc = 127.0.0.1:1\n }}\n")
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{keytab: {kdc.path('watcher.keytab')}}}\n", env={"KRB5_CONFIG": nowhere})
        assert "no KDC answers" in said, said
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{keytab: {kdc.unknown()}, principal: former@{REALM}}}\n", env=made.env)
        assert "former" in said and "check sasl: principal" in said, said
    finally:
        made.close()


def test_a_keyring(kdc, tmp_path):
    """A persistent keyring, the cache of many systems, is open only to the thread that has found it."""
    made = Secured("kerberos", tmp_path / "s", None, kdc)
    cache = f"KEYRING:persistent:{os.geteuid()}:electop-{os.getpid()}"
    try:
        if subprocess.run(["kinit", "-k", "-t", kdc.path("watcher.keytab"), "-c", cache, "watcher"], env=kdc.env, capture_output=True,
                          check=False).returncode:
            pytest.skip("no keyring is allowed here")
        for principal in "", f", principal: watcher@{REALM}":
            file = made.write("keyring.yaml", f"clusters:\n  - name: c\n    hosts: {made.hosts}\n    sasl: {{ticket_cache: '{cache}'{principal}}}\n")
            done = run("once", "--json", "--quick", "-c", file, "--admin", "off", env=made.env)
            assert json.loads(done.out)["clusters"][0]["state"] == "connected", done
    finally:
        subprocess.run(["kdestroy", "-c", cache], env=kdc.env, capture_output=True, check=False)
        made.close()


def test_one_service_that_is_unknown(kdc, tmp_path):
    """One host is written by a name that the KDC does not know: the next is logged in to at once, and nothing is said of it."""
    made = Secured("kerberos", tmp_path / "s", None, kdc)
    log = tmp_path / "log"
    try:
        with Line(made.hosts) as other:  # 127.0.0.1, where the service is called localhost
            with open(made.config, encoding="utf-8") as f:
                config = made.write("two.yaml", f.read().replace(f"hosts: {made.hosts}", f"hosts: '{other.address},{made.hosts}'"))
            for _ in range(8):  # the C client begins with either
                done = run("once", "--quick", "--json", "-c", config, "--wait", "20s", "--admin", "off", "--log", str(log), "/election", env=made.env)
                assert json.loads(done.out)["clusters"][0]["state"] == "connected", done
        assert "knows no service zookeeper/127.0.0.1" in log.read_text()
        assert f"cannot log in to {made.hosts}" not in log.read_text(), log.read_text()
    finally:
        made.close()


def test_hosts_of_different_names(tmp_path):
    """Each has a ticket of its own: one that is fetched takes nothing from the logins that are under way with another."""
    both = Kdc(tmp_path)
    both.add_service("127.0.0.1")  # the server behind it has only localhost's key, and refuses the login
    made = Secured("kerberos", tmp_path / "s", None, both)
    fill = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":max_free_fill_size=4096:free_fill_byte=221"}  # what is freed is no ticket
    try:
        with Line(made.hosts) as other:
            with open(made.config, encoding="utf-8") as f:
                config = made.write("two.yaml", f.read().replace(f"hosts: {made.hosts}", f"hosts: '{other.address},{made.hosts}'"))
            for n in range(3):
                done = run("inject", f"/electop-sandbox/names-{n}", "-n", "100", "--load", "--for", "2s", "--wait", "60s", "--json", "-c", config,
                           env={**made.env, **fill}, within=120)
                assert done.status == 0 and json.loads(done.out)["standing"] == 100, done
    finally:
        made.close()
        both.close()


def test_a_kdc_that_never_answers(kdc, tmp_path, monkeypatch):
    """However many logins wait for it, the loop goes on: Ctrl-C ends at once."""
    made, over = Secured("kerberos", tmp_path / "s", None, kdc), threading.Event()
    asked = []

    def silent(connection):
        asked.append(connection)
        over.wait(300)
    with _Server(silent) as fake:
        hangs = made.write("hangs.conf", f"[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n udp_preference_limit = 1\n"
                           f"[realms]\n {REALM} = {{\n  kdc = {fake.address}\n }}\n")
        monkeypatch.setenv("KRB5_CONFIG", hangs)
        with Events(None, "-c", made.config) as events:
            tasks = f"/proc/{events.process.pid}/task"
            until(lambda: asked, 20, "the KDC is asked")
            one = len(os.listdir(tasks))
            until(lambda: len(os.listdir(tasks)) > one, 60, "a second login waits for the first")
            began = time.monotonic()
            events.process.send_signal(signal.SIGINT)
            assert wait(events.process, 20) == 130
            assert time.monotonic() - began < 2 * strain()
        over.set()
    made.close()


def test_keytab_fetches_anew(tmp_path, monkeypatch):
    """Tickets of a few seconds: after each has expired, a lost connection comes back with a new one."""
    short = Kdc(tmp_path, lifetime="4s")
    made = Secured("kerberos", tmp_path / "s", None, short)
    monkeypatch.setenv("KRB5_CONFIG", short.config)
    try:
        with Events(None, "-c", made.config) as events:
            events.expect("connection", state="connected")
            time.sleep(6)
            made.ensemble.kill()
            events.expect("connection", state="disconnected")
            made.ensemble.start()
            events.expect("connection", state="connected", within=40)
    finally:
        made.close()
        short.close()


def test_keytab_that_others_can_read_by_then(tmp_path, monkeypatch):
    """It was right when the program began: each renewal asks again. A pipe in its place is named, and holds up nothing."""
    short = Kdc(tmp_path, lifetime="4s")
    made = Secured("kerberos", tmp_path / "s", None, short)
    monkeypatch.setenv("KRB5_CONFIG", short.config)
    keytab = short.path("watcher.keytab")
    try:
        log = tmp_path / "log"
        with Events(None, "-c", made.config, "--log", str(log)) as events:
            events.expect("connection", state="connected")
            for harm, problem in ((lambda: os.chmod(keytab, 0o666), "can be read or written by others"),
                                  (lambda: (os.rename(keytab, keytab + ".old"), os.mkfifo(keytab, 0o600)), "is not a plain file")):
                time.sleep(5)
                harm()
                made.ensemble.kill()
                events.expect("connection", state="disconnected")
                made.ensemble.start()
                until(lambda: problem in log.read_text(), 40, problem)
                if os.path.isfile(keytab):
                    os.chmod(keytab, 0o600)
                else:
                    os.rename(keytab + ".old", keytab)
                events.expect("connection", state="connected", within=40)
    finally:
        made.close()
        short.close()


def test_ticket_that_expires(tmp_path, monkeypatch):
    """A session stays logged in when its ticket is over; a lost connection then says what to do, and comes back with a
    new ticket."""
    made_kdc = Kdc(tmp_path, lifetime="1h")
    made = Secured("kerberos", tmp_path / "s", None, made_kdc)
    monkeypatch.setenv("KRB5_CONFIG", made_kdc.config)
    cache = str(tmp_path / "cache")
    made_kdc.kinit(cache, lifetime="15s")
    file = made.write("cache.yaml", f"clusters:\n  - name: c\n    hosts: {made.hosts}\n    sasl: {{ticket_cache: 'FILE:{cache}'}}\n"
                      "    servers: {admin: off, four_letter: off}\n    elections: [{path: /election}]\n")
    try:
        with Events(None, "-c", file) as events:
            events.expect("connection", state="connected")
            time.sleep(16)
            with events.changed:
                assert not [e for e in events.seen if e.get("state") == "disconnected"], events.seen
            made.ensemble.kill()
            events.expect("connection", state="disconnected")
            made.ensemble.start()
            assert "run kinit" in problem_of(tmp_path, made.hosts, f"    sasl: {{ticket_cache: 'FILE:{cache}'}}\n", env=made.env)
            os.unlink(cache)
            os.mkfifo(cache)
            said = problem_of(tmp_path, made.hosts, f"    sasl: {{ticket_cache: 'FILE:{cache}'}}\n", env=made.env)
            assert "the ticket cache" in said and "is not a plain file" in said, said
            os.unlink(cache)
            with open(cache, "wb") as huge:
                huge.truncate(1 << 33)
            said = problem_of(tmp_path, made.hosts, f"    sasl: {{ticket_cache: 'FILE:{cache}'}}\n", env=made.env)
            assert "the ticket cache" in said and "can be read or written by others" in said, said
            os.chmod(cache, 0o600)
            said = problem_of(tmp_path, made.hosts, f"    sasl: {{ticket_cache: 'FILE:{cache}'}}\n", env=made.env)
            assert f"the ticket cache {cache} is too large; run kinit" in said, said
            os.unlink(cache)
            made_kdc.kinit(cache)
            events.expect("connection", state="connected", within=40)
    finally:
        made.close()
        made_kdc.close()


class FirstAnswer(Line):
    """Calls armed, once, before it passes the first answer to a login on."""

    def __init__(self, target):
        self.armed = None
        super().__init__(target)

    def _pass(self, source, sink, gate):
        if gate is self.up:
            super()._pass(source, sink, gate)
            return
        with contextlib.suppress(OSError):
            send(sink, frame(source))
            first = frame(source)
            armed, self.armed = self.armed, None
            if armed:
                armed()
            send(sink, first)
            super()._pass(source, sink, gate)


@pytest.mark.parametrize("which", ["cache", "krb5.conf"])
def test_files_of_kerberos_become_pipes_during_a_login(kdc, tmp_path, which):
    """A server has all the time for it: no step of a login holds up the loop. A cache is read once."""
    made, cache, config = Secured("kerberos", tmp_path / "s", None, kdc), str(tmp_path / "cache"), str(tmp_path / "krb5.conf")
    kdc.kinit(cache)
    shutil.copy(kdc.config, config)
    proxy = FirstAnswer(made.hosts)
    port = proxy.address.rsplit(":", 1)[1]
    file = made.write("proxy.yaml", f"clusters:\n  - name: c\n    hosts: localhost:{port}\n"
                      f"    sasl: {{ticket_cache: 'FILE:{cache}'}}\n    servers: {{admin: off, four_letter: off}}\n")
    swapped, pipe = threading.Event(), cache if which == "cache" else config

    def swap():
        os.unlink(pipe)
        os.mkfifo(pipe, 0o600)
        swapped.set()
    proxy.armed = swap
    program = subprocess.Popen([PROGRAM, "events", "-c", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**made.env, "KRB5_CONFIG": config})
    try:
        assert swapped.wait(stretched(20))
        if which == "cache":
            until(lambda: "connected" in program.stdout.readline(), 20, "the login goes on")
        program.send_signal(signal.SIGINT)
        wait(program, 10)
    finally:
        program.kill()
        check_sanitizers(program.communicate()[1])
        proxy.__exit__()
        made.close()


@pytest.mark.parametrize("keytab", ["open", "pipe"])
def test_keytab_that_nobody_named(kdc, tmp_path, keytab):
    """Without a keytab in the configuration, that of the machine or of the environment is not used."""
    made, machines, cache = Secured("kerberos", tmp_path / "s", None, kdc), str(tmp_path / "machine.keytab"), str(tmp_path / "none")
    if keytab == "pipe":
        os.mkfifo(machines)
    else:
        shutil.copy(kdc.path("watcher.keytab"), machines)
        os.chmod(machines, 0o666)
    try:
        said = problem_of(tmp_path, made.hosts, "    sasl: {}\n",
                          env={**made.env, "KRB5_CLIENT_KTNAME": f"FILE:{machines}", "KRB5CCNAME": f"FILE:{cache}"})
        assert f"no Kerberos ticket (there is no {cache}); run kinit" in said and not os.path.exists(cache), said
        said = problem_of(tmp_path, made.hosts, "    sasl: {}\n",
                          env={**made.env, "KRB5_CLIENT_KTNAME": f"FILE:{machines}", "KRB5CCNAME": "MEMORY:none"})
        assert "no Kerberos ticket (No credentials cache found); run kinit" in said, said
        said = problem_of(tmp_path, made.hosts, f"    sasl: {{ticket_cache: 'DIR:{tmp_path}'}}\n", env=made.env)
        assert f"the ticket cache DIR:{tmp_path} is a directory of caches" in said, said
    finally:
        made.close()


def test_clock_that_is_off(kdc, tmp_path):
    """Kerberos allows five minutes: what a KDC answers to more."""
    fake = FakeKdc(tmp_path, 37)  # KRB_AP_ERR_SKEW
    with _Server(asks_for_login([b""])) as server:
        said = problem_of(tmp_path, server.address, f"    sasl: {{keytab: {kdc.path('watcher.keytab')}}}\n", env={"KRB5_CONFIG": fake.config})
    fake.close()
    assert "clock and the KDC's differ too much; set the clock" in said, said


@pytest.mark.parametrize("seconds", [-400, 400])
def test_clocks_that_differ(seconds, kdc, tmp_path):
    """A KDC whose clock is not ours, and a server whose clock is not the KDC's, to which the library has set ours."""
    made = Secured("kerberos", tmp_path / "s", None, kdc)
    security = f"    sasl: {{keytab: {kdc.path('watcher.keytab')}}}\n"
    try:
        with kdc.ahead(seconds, "kdc_timesync = 0") as config:
            said = problem_of(tmp_path, made.hosts, security, env={"KRB5_CONFIG": config})
        assert "clock and the KDC's differ too much; set the clock" in said, said
        with kdc.ahead(seconds, "kdc_timesync = 1") as config:
            said = problem_of(tmp_path, made.hosts, security, env={"KRB5_CONFIG": config})
        assert "it refuses GSSAPI; check that the clocks of both machines agree" in said, said
    finally:
        made.close()


def asks_for_login(tokens):
    """A server that answers the n-th SASL token with the n-th of these, and all further ones with the last."""
    def talk(connection):
        frame(connection)
        send(connection, GREETING)
        for n in range(1000):
            number = struct.unpack(">i", frame(connection)[:4])[0]
            token = tokens[min(n, len(tokens) - 1)]
            send(connection, struct.pack(">iqii", number, 0, 0, len(token)) + token)
    return talk


CHALLENGE = b'realm="zk-sasl-md5",nonce="%d",charset=utf-8,algorithm=md5-sess,qop="auth"'


def test_changed_credentials(tmp_path):
    """They are read with the configuration, so that a new login has the former ones until SIGHUP."""
    credentials, config, names = tmp_path / "credentials", tmp_path / "c.yaml", []

    def use(name):
        credentials.write_text(f"{name}:secret\n")
        credentials.chmod(0o600)

    def talk(connection):
        frame(connection)
        send(connection, GREETING)
        number = struct.unpack(">i", frame(connection)[:4])[0]
        token = CHALLENGE % 1
        send(connection, struct.pack(">iqii", number, 0, 0, len(token)) + token)
        names.append(re.search(b'username="(\\w+)"', frame(connection))[1])
    use("first")
    with _Server(talk) as server:
        config.write_text(f"clusters: [{{name: c, hosts: '{server.address}', elections: [{{path: /e}}], sasl: {{credentials_file: {credentials}}},\n"
                          f"  servers: {{admin: off, four_letter: off}}}}]\nhistory: {{file: {tmp_path}/h.db}}\n")
        with subprocess.Popen([PROGRAM, "record", "-c", str(config)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
            until(lambda: names, 20, "it logs in")
            use("second")
            before = len(names)
            until(lambda: len(names) > before + 1, 30, "it logs in again")
            recorder.send_signal(signal.SIGHUP)
            until(lambda: names[-1] == b"second", 30, "it logs in as another")
            assert set(names[:before + 2]) == {b"first"}, names
            recorder.send_signal(signal.SIGINT)
            assert wait(recorder, 20) == 130


@pytest.mark.parametrize("tokens, what", [
    ([bytes(1 << 20)], "a SASL answer of 1048596 bytes"),
    ([bytes(65000)], "cannot log in"),
    ([b"\xff" * 300], "cannot log in"),
    ([CHALLENGE % 1, CHALLENGE % 2], "cannot log in"),
    ([b""], "cannot log in"),
], ids=["1-MB", "64-KB", "noise", "endless", "empty"])
def test_tokens_that_do_not_fit(tokens, what, tmp_path):
    """Long ones, nonsense, rounds without end: each ends the login with a message."""
    credentials = tmp_path / "credentials"
    credentials.write_text("watcher:secret\n")
    credentials.chmod(0o600)
    with _Server(asks_for_login(tokens)) as server:
        said = problem_of(tmp_path, server.address, f"    sasl: {{credentials_file: {credentials}}}\n")
    assert what in said, said


def test_demo_with_tls(tmp_path):
    """Its servers have a certificate of their own, and no port without."""
    process = subprocess.Popen([PROGRAM, "demo", "--tls", "--no-screen", "--servers", "1"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        hosts = process.stdout.readline().strip()
        process.stdout.readline()
        ca = re.search(r"--tls-ca (\S+)", process.stdout.readline())[1]
        done = run("once", "--json", "-s", hosts, "--tls-ca", ca, "--admin", "off", "--wait", "40s", "/election", within=90)
        assert elections(json.loads(done.out))["/election"]["state"] in ("led", "vacant", "absent"), done
        assert "or a port for TLS" in problem(hosts)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
