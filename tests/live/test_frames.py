"""Whatever a server sends: through a proxy that changes its bytes, and from servers that follow a script.

Each command either shows what is right or says what is wrong; it never crashes (the sanitizers of the build judge
that), never holds more than 64 MB for an answer, and ends within a second of Ctrl-C."""
import concurrent.futures
import itertools
import json
import os
import pty
import random
import re
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

from electop import PROGRAM, Events, check_sanitizers, elections, run
from fake_server import _Server
from framing import GREETING, STAT, frame, send
from patience import stretched
from waiting import until

LIMIT_S = 300
# Connections whose bytes are changed. The campaign of a release has more: FRAMES_MUTATIONS=100000 tests/run live/frames
MUTATIONS = int(os.environ.get("FRAMES_MUTATIONS", "200"))
SANITIZED = "asan" in PROGRAM


def scripted(answer):
    """A server that greets, and answers requests with answer(number, kind, path): a body, or None."""
    def serve(connection):
        frame(connection)
        send(connection, GREETING)
        while True:
            request = frame(connection)
            number, kind = struct.unpack(">ii", request[:8])
            length = struct.unpack(">i", request[8:12])[0] if len(request) >= 12 else 0
            path = request[12:12 + length].decode("utf-8", "replace") if length > 0 else ""
            body = answer(number, kind, path)
            if body is None and kind == -11:
                send(connection, struct.pack(">iqi", number, 1, 0))
                return
            if body is None and kind == 11:
                send(connection, struct.pack(">iqi", -2, 1, 0))
            elif body is None:
                send(connection, struct.pack(">iqi", number, 1, -101))
            else:
                connection.sendall(body) if isinstance(body, list) else send(connection, body)
    return serve


def head(number, error=0):
    return struct.pack(">iqi", number, 1, error)


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
    assert f"{server.address} sent a reply that is no ZooKeeper reply: {fault}" in said, (done, said)
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
            assert finding["certainty"] == "certain" and finding["evidence"].startswith(f"{server.address} sent 1 reply"), finding
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
    assert "sent a reply that is no ZooKeeper reply: a frame of 1073741824 bytes" in done.out + done.err, done


def peak_kb(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])
    except (OSError, TypeError):
        return 0


def big_list(count):
    names = b"".join(struct.pack(">i", 12) + b"n_%010d" % i for i in range(count))
    return struct.pack(">i", count) + names + STAT[:64] + struct.pack(">q", 5)[4:]


@pytest.mark.parametrize("count", [50_000, 500_000, 2_000_000])
def test_memory_and_end(count):
    """Lists of any length, again and again: no more than 64 MB more than without, and Ctrl-C ends it at once."""
    body = big_list(count)

    def answer(number, kind, path):
        return head(number) + body if kind == 12 else None
    with _Server(scripted(answer)) as server:
        process = subprocess.Popen([PROGRAM, "events", "-s", server.address, "--admin", "off", "--four-letter", "off", "/election"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        until(lambda: peak_kb(process.pid) > 1000, 10)
        empty = peak_kb(process.pid)
        time.sleep(5)
        peak = peak_kb(process.pid)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        err = process.communicate(timeout=60)[1].decode("utf-8", "replace")
        took = time.monotonic() - began
    check_sanitizers(err)
    if not SANITIZED:  # which take memory and time of their own
        assert peak - empty < 64 << 10, f"{(peak - empty) >> 10} MB"
        assert took < 1, f"{took} s"


class Mutator:
    """A proxy that lets some of the server's answers through, and changes the next one: each connection has a number of its
    own that draws which, and how. Where none comes it says something that nobody asked. Soon after, it ends the
    connection. It has several ports, so that one program has many connections to it within a second."""
    PORTS, PATIENCE_S = 12, 0.3

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.target, self.numbers, self.lock = (host, int(port)), itertools.count(), threading.Lock()
        self.changed = 0  # connections
        self.servers = [_Server(self._serve) for _ in range(self.PORTS)]
        self.addresses = [server.address for server in self.servers]

    def _serve(self, near):
        dice = random.Random(next(self.numbers))
        spared, data = dice.choice((0, 1, 1, 2, 2, 3, 4, 6, 9)), struct.pack(">iqi", -1, 1, 0) + bytes(20)
        with socket.create_connection(self.target) as far:
            threading.Thread(target=self._pass_on, args=(near, far), daemon=True).start()
            far.settimeout(self.PATIENCE_S)
            try:
                for _ in range(spared):
                    data = far.recv(65536)
                    near.sendall(data)
                data = far.recv(65536)
            except TimeoutError:
                data = struct.pack(">i", len(data)) + data
            with self.lock:
                self.changed += 1
            near.sendall(self._change(dice, data))
            for _ in range(dice.randrange(3)):
                near.sendall(far.recv(65536))
            near.shutdown(socket.SHUT_RDWR)

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    @staticmethod
    def _pass_on(near, far):
        try:
            while data := near.recv(65536):
                far.sendall(data)
            far.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    @staticmethod
    def _change(dice, data):
        data = bytearray(data or b"\0")
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


@pytest.fixture(scope="module")
def populated(zk, client):
    """Elections with something in them."""
    for i in range(3):
        client.create(f"/election/n_{i}-", b"host-%d" % i, ephemeral=True, sequence=True, makepath=True)
    return zk


# Each of them for as long as it takes to lose dozens of connections. The dashboard and the recorder end by a signal.
COMMANDS = [("once", "--quick", "--wait", "2s", "/election"), ("once", "--wait", "2s", "--json"), ("events", "--for", "4s", "/election"),
            ("events", "--json", "--for", "4s"), ("check", "--wait", "2s", "/election"), ("export", "--once", "--wait", "2s"), ("record",), ("watch",),
            ("inject", "/electop-sandbox/frames", "-n", "40", "--for", "2s", "--wait", "3s")]


# Programs; they wait most of the time.
AT_A_TIME = 4


def through(proxy, command, config, folder):
    """One program: its status, and what it said."""
    hosts = ",".join(proxy.addresses)
    arguments = [*command, "-c" if command[0] != "check" else "--config", config, "-s", hosts, "--admin", "off"]
    if command[0] == "watch":
        return on_screen(arguments[1:], folder)
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said = process.communicate(timeout=4 if command[0] == "record" else stretched(60))[0]
    except subprocess.TimeoutExpired:
        assert command[0] == "record", f"{command} does not end"
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=stretched(30))[0]
    return process.returncode, said.decode("utf-8", "replace")


def on_screen(arguments, folder):
    """The dashboard in a terminal of its own, left by Ctrl-C."""
    near, far = pty.openpty()
    errors = os.path.join(folder, "errors")
    with open(errors, "wb") as err:
        process = subprocess.Popen([PROGRAM, *arguments], stdin=far, stdout=far, stderr=err, env={**os.environ, "TERM": "xterm"})
    os.close(far)
    deadline = time.monotonic() + 4
    threading.Thread(target=drain, args=(near,), daemon=True).start()
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=stretched(30))
    os.close(near)
    with open(errors, encoding="utf-8", errors="replace") as err:
        return process.returncode, err.read()


def drain(terminal):
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


def test_changed_bytes(populated, tmp_path):
    """Every command through the proxy, some at a time, each connection with other bytes changed: it ends as it does otherwise,
    and no sanitizer has anything to say."""
    proxy, began = Mutator(populated.hosts), time.monotonic()

    def work(worker):
        folder = tmp_path / str(worker)
        folder.mkdir()
        config = folder / "config.yaml"
        config.write_text(f"history: {{file: {folder}/history.db}}\n")
        for n in itertools.count():
            command = COMMANDS[(worker + n * AT_A_TIME) % len(COMMANDS)]
            status, said = through(proxy, command, str(config), str(folder))
            check_sanitizers(said)
            assert status in (0, 1, 2, 3, 130), (command, status, said)
            for file in folder.glob("history.db*"):
                file.unlink()
            if worker == 0:
                print(f"{proxy.changed} connections, {n + 1} programs of {AT_A_TIME}, {time.monotonic() - began:.0f} s", flush=True)
            if proxy.changed >= MUTATIONS and (n + 1) * AT_A_TIME >= len(COMMANDS):
                return
    try:
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            for done in [pool.submit(work, worker) for worker in range(AT_A_TIME)]:
                done.result()
    finally:
        proxy.close()
