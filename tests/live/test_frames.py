"""Whatever a server sends: through a proxy that changes its bytes, and from servers that follow a script.

Each command either shows what is right or says what is wrong; it never crashes (the sanitizers of the build judge
that), never holds more than 64 MB for an answer, and ends within a second of Ctrl-C."""
import concurrent.futures
import contextlib
import itertools
import json
import os
import pty
import random
import re
import select
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

import pytest
from kazoo.client import KazooClient

from electop import PLAIN, PROGRAM, Events, check_sanitizers, elections, peak_kb, run
from fake_server import _Server
from framing import GREETING, STAT, frame, head, scripted, send
from patience import stretched, wait
from secured import Secured, TlsServer
from waiting import until

# Connections whose bytes are changed, and the number of the first: make campaign has more of them.
MUTATIONS, SEED = int(os.environ.get("FRAMES_MUTATIONS", "100")), int(os.environ.get("SEED", "0"))
LIMIT_S = 300 + MUTATIONS / 10


LIES = {
    "children count 2147483647": lambda n: head(n) + struct.pack(">i", 2**31 - 1) + bytes(76),
    "children count -1": lambda n: head(n) + struct.pack(">i", -1) + STAT,
    "a child's name of length 1000000": lambda n: head(n) + struct.pack(">ii", 1, 1000000) + STAT,
    "a Stat cut off": lambda n: head(n) + struct.pack(">i", 0) + STAT[:20],
    "unasked reply number": lambda n: head(n + 7) + struct.pack(">i", 0) + STAT,
    "surplus bytes": lambda n: head(n) + struct.pack(">i", 0) + STAT + b"more",
    "error code 5": lambda n: head(n, 5),
    "notification of type 77": lambda n: head(-1) + struct.pack(">iii", 77, 3, 2) + b"/a",
    "a notification's path": lambda n: head(-1) + struct.pack(">ii", 4, 3),
}


@pytest.mark.parametrize("fault", LIES, ids=lambda fault: re.sub(r"\W+", "-", fault))
def test_reply_that_is_none(fault, tmp_path):
    """It is named, with the server; the connection ends, and nothing of it is shown."""
    def answer(number, kind, path):
        return LIES[fault](number) if kind == 12 else None
    with _Server(scripted(answer)) as server:
        done = run("once", "--quick", "-s", server.address, "--wait", f"{stretched(1):.0f}s", "--admin", "off",
                   "--four-letter", "off", "--log", str(tmp_path / "log"), "/election")
    assert done.status in (0, 3), done
    said = done.out + done.err + (tmp_path / "log").read_text()
    assert f"{server.address} sent a bad reply: {fault}" in said, (done, said)
    # However the look ended, it names what is wrong with that server.
    assert fault in done.out + done.err, done


def test_counted_for_its_server():
    """A server whose answers are right but for one now and then: these are counted, and are a finding of it."""
    lies, lists = [0], [0]

    def answer(number, kind, path):
        if kind == 11:
            lies[0] += 1
            return head(-2) + b"more"
        lists[0] += kind == 12 and path == "/election"
        return head(number) + struct.pack(">i", 0) + STAT if kind == 12 else None
    with _Server(scripted(answer)) as server:
        with Events(server.address, "/election", "--admin", "off", "--four-letter", "off") as events:
            events.expect("connection", state="connected")
            finding = events.expect("finding-raised", within=40, finding=lambda f: f and f["code"] == "bad-reply")["finding"]
            assert finding["certainty"] == "certain" and finding["evidence"].startswith(f"{server.address} sent 1 bad reply"), finding
            until(lambda: lies[0] > 1 and lists[0] > 2, 40, "it has lied again")
        done = run("once", "--json", "--quick", "-s", server.address, "--admin", "off", "--four-letter", "off", "/election")
    assert json.loads(done.out)["clusters"][0]["servers"][0]["bad_replies"] == 0, done


def test_frame_longer_than_any():
    """A length is believed as far as its bytes come, and refused where no reply is so long."""
    def serve(connection):
        frame(connection)
        send(connection, GREETING)
        frame(connection)
        connection.sendall(struct.pack(">i", 2**30))
        while True:
            connection.sendall(bytes(65536))
    with _Server(serve) as server:
        done = run("once", "--quick", "-s", server.address, "--wait", f"{stretched(1):.0f}s", "--admin", "off",
                   "--four-letter", "off")
    assert "sent a bad reply: a frame of 1073741824 bytes" in done.out + done.err, done


def notice(path, kind=4):
    body = head(-1) + struct.pack(">iii", kind, 3, len(path)) + path
    return struct.pack(">i", len(body)) + body


# What comes without end, and what is said of the first that nobody can have asked for.
ENDLESS = {
    "of-no-watch": (b"".join(notice(b"/stranger-%d" % i) for i in range(2000)), "unasked notification of type 4"),
    "of-one-watch": (notice(b"/election") * 2000, "unasked notification of type 4"),
    "of-the-session": (notice(b"", -1) * 2000, "notification of type -1"),
}


@pytest.mark.parametrize("over", ["plain", "tls"])
@pytest.mark.parametrize("what", ENDLESS)
def test_notifications_without_end(what, over, authority):
    """No more watches can fire than were set: it ends the connection, and is a finding. Ctrl-C ends at once, and nobody is told
    that this program was stopped."""
    notices, fault = ENDLESS[what]

    def talk(connection):
        def answer(number, kind, path):
            if kind != 12:
                return None
            send(connection, head(number) + struct.pack(">i", 0) + STAT)
            while True:
                connection.sendall(notices)
        scripted(answer)(connection)
    more = ("--tls-ca", authority.ca) if over == "tls" else ()
    with TlsServer(authority, talk) if over == "tls" else _Server(talk) as server:
        with Events(server.address, "--admin", "off", "--four-letter", "off", *more, "/election") as events:
            finding = events.expect("finding-raised", finding=lambda f: f and f["code"] == "bad-reply")["finding"]
            assert fault in finding["evidence"], finding
            events.expect("connection", state="disconnected", detail=lambda d: d and fault in d)
            began = time.monotonic()
            events.send(signal.SIGINT)
            assert wait(events.process, 20) == 130
            took = time.monotonic() - began
            assert took < stretched(1), took
            assert not [event for event in events.seen if event.get("state") == "gap"], events.seen


def big_list(count):
    names = b"".join(struct.pack(">i", 12) + b"n_%010d" % i for i in range(count))
    return struct.pack(">i", count) + names + STAT[:64] + struct.pack(">q", 5)[4:]


@pytest.mark.parametrize("over", ["plain", "tls"])
@pytest.mark.parametrize("program, count", [(PROGRAM, 5_000), (PLAIN, 50_000), (PLAIN, 500_000), (PLAIN, 2_000_000)],
                         ids=lambda value: str(value) if isinstance(value, int) else value.split("/")[-2])
def test_memory_and_end(program, count, over, authority):
    """Lists of any length, each changed as soon as it is read: no more than 64 MB more than without, and Ctrl-C ends it at once."""
    body, lists = big_list(count), []

    def answer(number, kind, path):
        if kind != 12:
            return None
        lists.append(path)
        reply = head(number) + body
        return [struct.pack(">i", len(reply)), reply, notice(path)]
    more = ("--tls-ca", authority.ca) if over == "tls" else ()
    with TlsServer(authority, scripted(answer)) if over == "tls" else _Server(scripted(answer)) as server:
        process = subprocess.Popen([program, "events", "-s", server.address, "--admin", "off", "--four-letter", "off", *more, "/election"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        until(lambda: peak_kb(process.pid) > 1000, 10)
        empty = peak_kb(process.pid)
        until(lambda: len(lists) > 3, 40, "the fourth list is asked for")
        peak = peak_kb(process.pid)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        err = process.communicate(timeout=60)[1].decode("utf-8", "replace")
        took = time.monotonic() - began
    check_sanitizers(err)
    if program == PLAIN:  # sanitizers take memory and time of their own
        assert peak - empty < 64 << 10, f"{(peak - empty) >> 10} MB"
        assert took < stretched(1), f"{took} s"


class Mutator:
    """A proxy that lets some of the server's answers through, and changes the next one: each connection has a number of its
    own that draws which, and how. Where none comes it says something that nobody asked. Soon after, it ends the
    connection. It has several ports, so that one program has many connections to it within a second.

    near, far: contexts of TLS, of the program's side and the server's: what is changed is then inside."""
    PORTS, PATIENCE_S, STALLED_S = 12, 0.3, 10

    def __init__(self, address, near=None, far=None):
        host, port = address.rsplit(":", 1)
        self.target, self.numbers, self.lock = (host, int(port)), itertools.count(SEED), threading.Lock()
        self.near, self.far = near, far
        self.changed = 0  # connections
        self.servers = [_Server(self._serve) for _ in range(self.PORTS)]
        self.addresses = [f"{host}:{server.server_address[1]}" for server in self.servers]

    def _serve(self, near):
        with contextlib.ExitStack() as both:
            far = both.enter_context(socket.create_connection(self.target))
            for one in (near, far):
                one.settimeout(self.STALLED_S)
            if self.near:
                far = both.enter_context(self.far.wrap_socket(far, server_hostname=self.target[0]))
                near = both.enter_context(self.near.wrap_socket(near, server_side=True))
            self._talk(random.Random(next(self.numbers)), near, self._answers(near, far))

    def _talk(self, dice, near, answers):
        spared, data, last = dice.choice((0, 1, 1, 2, 2, 3, 4, 6, 9)), None, struct.pack(">iqi", -1, 1, 0) + bytes(20)
        for _ in range(spared):
            data = next(answers, b"")
            if data == b"":
                return  # the program has had enough
            if data is None:
                break
            near.sendall(data)
            last = data
        else:
            data = next(answers, None)
        with self.lock:
            self.changed += 1
        near.sendall(self._change(dice, struct.pack(">i", len(last)) + last if data is None else data))
        for _ in range(dice.randrange(3)):
            near.sendall(next(answers, None) or b"")

    def _answers(self, near, far):
        """What the server says, None where that is nothing for a while; what the program says is passed on meanwhile."""
        while True:
            deadline, data = time.monotonic() + self.PATIENCE_S, None
            while data is None and time.monotonic() < deadline:
                ready = [one for one in (near, far) if getattr(one, "pending", int)()]
                ready = ready or select.select([near, far], [], [], max(0, deadline - time.monotonic()))[0]
                if near in ready:
                    said = near.recv(65536)
                    if not said:
                        return
                    far.sendall(said)
                if far in ready:
                    data = far.recv(65536)
                    if not data:
                        return
            yield data

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    @staticmethod
    def _change(dice, data):
        data = bytearray(data)
        kind, at = dice.randrange(6), dice.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            data[at] = dice.choice([byte for byte in (0, 1, 0x7f, 0x80, 0xff) if byte != data[at]])
        elif kind == 2 and len(data) >= 4:
            at = dice.randrange(len(data) - 3)
            data[at:at + 4] = struct.pack(">i", dice.choice((-1, 0, 1, 2**31 - 1, -2**31, 1000, 65536, -101, -2, -4, -8)))
        elif kind == 3:
            del data[at:at + dice.randrange(1, 64)]
        elif kind == 4:
            data[at:at] = dice.randbytes(dice.randrange(1, 64))
        else:
            data[at:] = dice.randbytes(len(data) - at)
        return bytes(data)


class HostileKdc(Mutator):
    """Before a KDC: what it answers is changed, never comes, or never ends."""
    PORTS = 1
    kind = "changed"

    def _talk(self, dice, near, answers):
        data = next(answers, None)
        while data is None:
            data = next(answers, b"")
        with self.lock:
            self.changed += 1
        if self.kind == "changed":
            near.sendall(self._change(dice, data or b"\0"))
        elif self.kind == "silent":
            near.settimeout(60)
            near.recv(1)
        while self.kind == "endless":
            near.sendall(struct.pack(">i", 2**31 - 1) + bytes(65536))


# How the connections are secured whose bytes are changed, and where: inside TLS, or the records of TLS themselves.
CHANGED = {"plain": "plain", "inside-tls": "tls", "tls-records": "tls", "logins": "digest-md5", "kerberos": "kerberos",
           "logins-inside-tls": "digest-md5 in tls"}
QUICK = ("plain", "tls-records", "logins-inside-tls")


@pytest.fixture(params=[pytest.param(how, marks=() if how in QUICK else pytest.mark.slow) for how in CHANGED])
def changed(request, authority, kdc, tmp_path):
    """A proxy before a server with elections, the text of a configuration for it, and its environment."""
    made = Secured(CHANGED[request.param], tmp_path / "server", authority, kdc)
    client, near, far = stand_beside(made), None, None
    if "inside" in request.param:
        near, far = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=authority.ca)
        near.load_cert_chain(authority.path("server.crt"), authority.path("server.key"))
    proxy = Mutator(made.hosts, near, far)
    with open(made.config, encoding="utf-8") as f:
        text = re.sub(r"    elections:\n.*\n|history:.*\n", "", f.read()).replace(made.hosts, ",".join(proxy.addresses))
    yield proxy, re.sub("servers: {.*}", "servers: {admin: off}", text), {**os.environ, **made.env}
    proxy.close()
    client.stop()
    made.close()


def stand_beside(made):
    """Elections with something in them, in one session of kazoo."""
    more, env = made.for_kazoo()
    os.environ.update(env)
    client = KazooClient(made.hosts, **json.loads(more))
    client.start(timeout=40)
    for i in range(3):
        client.create(f"/election/n_{i}-", b"host-%d" % i, ephemeral=True, sequence=True, makepath=True)
    return client


# Each of them for as long as it takes to lose dozens of connections. The dashboard and the recorder end by a signal.
COMMANDS = [("once", "--quick", "--wait", "2s", "/election"), ("once", "--wait", "2s", "--json"), ("events", "--for", "4s", "/election"),
            ("events", "--json", "--for", "4s"), ("discover", "--wait", "2s"), ("check", "--wait", "2s", "/election"),
            ("export", "--once", "--wait", "2s"), ("record",), ("watch",),
            ("inject", "/electop-sandbox/frames", "-n", "40", "--for", "2s", "--wait", "3s")]


# Programs; they wait most of the time. A campaign runs more of them, but for TLS: its handshakes take all the time of
# a server, which then ends those that have waited.
AT_A_TIME, MORE, MOST_KB = 4, 12, 64 << 10


def through(command, config, folder, env):
    """One program: its status, and what it said. The dashboard has a terminal of its own; it and the recorder end by Ctrl-C."""
    arguments = [*command[command[0] == "watch":], "-c" if command[0] != "check" else "--config", config]
    near, far = pty.openpty()
    with open(os.path.join(folder, "said"), "w+b") as said:
        screen = {"stdin": far, "stdout": far, "stderr": said, "env": {**env, "TERM": "xterm"}}
        plain = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": said, "env": env}
        process = subprocess.Popen([PROGRAM, *arguments], **(screen if command[0] == "watch" else plain))
        os.close(far)
        threading.Thread(target=drain, args=(near,), daemon=True).start()
        status, peak = ends(process, command)
        said.seek(0)
        if PROGRAM == PLAIN:  # sanitizers take memory of their own
            assert peak < MOST_KB, f"{command} held {peak >> 10} MB"
        return status, said.read().decode("utf-8", "replace")


def ends(process, command):
    """Its status, and the most memory that it held, in KB."""
    forever = command[0] in ("watch", "record")
    deadline, interrupted, peak = time.monotonic() + (4 if forever else stretched(60)), 0, 0
    while True:
        peak = max(peak, peak_kb(process.pid))  # ru_maxrss is at least that of this program, which started it
        pid, status = os.waitpid(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            assert not interrupted or time.monotonic() - interrupted < stretched(1), f"{command} ended late"
            return process.returncode, peak
        if time.monotonic() > deadline:
            assert forever and not interrupted, f"{command} does not end"
            process.send_signal(signal.SIGINT)
            interrupted, forever, deadline = time.monotonic(), False, time.monotonic() + stretched(30)
        time.sleep(0.02)


def drain(terminal):
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass
    os.close(terminal)


def test_changed_bytes(changed, tmp_path):
    """Every command through the proxy, some at a time, each connection with other bytes changed: it ends as it does otherwise,
    and no sanitizer has anything to say."""
    proxy, text, env = changed
    began, at_a_time = time.monotonic(), MORE if MUTATIONS > 1000 and "tls:" not in text else AT_A_TIME

    def work(worker):
        folder = tmp_path / str(worker)
        folder.mkdir()
        config = folder / "config.yaml"
        config.write_text(f"{text}history: {{file: {folder}/history.db}}\n")
        for n in itertools.count():
            command = COMMANDS[(worker + n * at_a_time) % len(COMMANDS)]
            status, said = through(command, str(config), str(folder), env)
            check_sanitizers(said)
            assert status in (0, 1, 2, 3, 130), (command, status, said)
            for file in folder.glob("history.db*"):
                file.unlink()
            if worker == 0:
                print(f"{proxy.changed} connections, {n + 1} programs of {at_a_time}, {time.monotonic() - began:.0f} s", flush=True)
            if proxy.changed >= MUTATIONS and (n + 1) * at_a_time >= len(COMMANDS):
                return
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        for done in [pool.submit(work, worker) for worker in range(at_a_time)]:
            done.result()


@pytest.fixture(name="hostile")
def fixture_hostile(kdc, authority, tmp_path):
    """A KDC that is a stranger's, a server that asks for its tickets, and the configuration and environment of a program."""
    made = Secured("kerberos", tmp_path / "server", authority, kdc)
    proxy = HostileKdc(f"127.0.0.1:{kdc.port}")
    with open(kdc.config, encoding="ascii") as whole:
        realm = whole.read().replace(f":{kdc.port}", f":{proxy.servers[0].server_address[1]}")
    (tmp_path / "krb5.conf").write_text(realm)
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters: [{{name: one, hosts: '{made.hosts}', sasl: {{keytab: {kdc.path('watcher.keytab')}}}}}]\n")
    yield proxy, ["-c", str(config), "--admin", "off", "--four-letter", "off"], {"KRB5_CONFIG": str(tmp_path / "krb5.conf")}
    proxy.close()
    made.close()


def test_a_kdc_that_changes_its_answers(hostile):
    """It says that it could not log in, or did."""
    proxy, arguments, env = hostile
    while proxy.changed < MUTATIONS / 4:
        done = run("once", "--quick", "--wait", "2s", *arguments, env=env)
        assert done.status in (0, 2, 3), done
        assert done.status or "connected" in done.out, done


@pytest.mark.parametrize("kind", ["silent", "endless"])
def test_a_kdc_that_does_not_end(hostile, kind):
    """Neither does it hold up the end, nor take memory."""
    proxy, arguments, env = hostile
    proxy.kind = kind
    process = subprocess.Popen([PLAIN, "events", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **env})
    until(lambda: proxy.changed > (kind == "endless"), 40, "it asks for a ticket")
    assert peak_kb(process.pid) < MOST_KB
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait(60) == 130 and time.monotonic() - began < stretched(1)
