"""Real ZooKeeper servers for a test, on free loopback ports: one or three, to be killed, stopped and wiped.

The servers are started by tests/tools/sandbox.c, the code behind `electop demo`: they listen on loopback
only and die with the process that started them.
"""
import contextlib
import json
import os
import queue
import re
import socket
import subprocess
import threading
import time
import urllib.request

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry

from patience import stretched, wait
from waiting import until

TICK_MS = 500
# As ZooKeeper 3.10 is unless it is told otherwise: our own session is the only witness. Of all servers: tests/run.
HIDING = ("admin.enableServer=false", "4lw.commands.whitelist=srvr")
# Servers then hide everything from the program; the tests ask an AdminServer whose port nobody else knows.
ALL_HIDE = "HIDING_SERVERS" in os.environ


def four_letter(address, word, timeout=1.0):
    """A server's answer to a four-letter word, or "" where there is none in time."""
    host, port = address.rsplit(":", 1)
    answer = b""
    try:
        with socket.create_connection((host, int(port)), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(word.encode())
            while piece := connection.recv(65536):
                answer += piece
    except OSError:
        pass
    return answer.decode("utf-8", "replace")


class Ensemble:
    def __init__(self, servers=1, tick_ms=TICK_MS, config=(), java=()):
        """config: more lines for every zoo.cfg; java: more arguments of java."""
        self.tick_s = tick_ms / 1000
        more = [argument for line in (*config, *(HIDING[1:] if ALL_HIDE else ())) for argument in ("--config", line)]
        more += [argument for each in java for argument in ("--java", each)]
        self.ready_s = stretched(60)
        self.process = subprocess.Popen([os.environ["SANDBOX"], "--servers", str(servers), "--tick", str(tick_ms),
                                         "--ready", str(int(self.ready_s * 1000)), *more],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        facts = self._answer()
        self.hosts, self.admin, self.directory = facts["hosts"], "off" if ALL_HIDE else facts["admin"], facts["dir"]
        self.secret = facts["admin"].split(",")
        self.pids = facts["pids"]
        self.addresses = self.hosts.split(",")
        self.clients, self.dead, self.frozen = [], set(), set()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put('{"error": "the sandbox ended by itself"}')

    def _answer(self):
        answer = json.loads(self.lines.get(timeout=self.ready_s + 30))
        assert "error" not in answer, answer["error"]
        return answer

    def _order(self, command, i):
        self.process.stdin.write(f"{command} {i}\n")
        self.process.stdin.flush()
        self._answer()

    def kill(self, i=0):
        self._order("kill", i)
        self.dead.add(i)

    def start(self, i=0):
        """Starts it again after kill() or wipe(), and waits until it serves."""
        self._order("start", i)
        self.dead.discard(i)

    def begin(self, *servers):
        """Starts them again, and waits for none: alone, one of three does not serve."""
        for i in servers:
            self._order("begin", i)
            self.dead.discard(i)

    def freeze(self, i=0):
        self._order("stop", i)
        self.frozen.add(i)

    def thaw(self, i=0):
        self._order("cont", i)
        self.frozen.discard(i)

    def wipe(self, i=0):
        """Kills it and removes all its data: what start() then brings up knows nothing."""
        self._order("wipe", i)
        self.dead.add(i)

    def heal(self):
        """Whatever was done to them: all of them serve again."""
        for i in list(self.frozen):
            self.thaw(i)
        self.begin(*self.dead)
        until(lambda: all(self.serves(i) for i in range(len(self.addresses))), 40, "every server serves")

    def ask(self, word, i=0):
        return four_letter(self.addresses[i], word)

    def serves(self, i=0):
        return "Mode: " in self.ask("srvr", i)

    def last_zxid(self, i=0):
        """Of the last transaction that it holds; None: it does not serve."""
        found = re.search(r"^Zxid: (0x[0-9a-f]+)", self.ask("srvr", i), re.M)
        return found and int(found[1], 16)

    def leader(self):
        """The index of ZooKeeper's own leader."""
        return until(lambda: [i for i in range(len(self.addresses)) if "Mode: leader" in self.ask("srvr", i)], 30)[0]

    def monitor(self, figure, i=0):
        """One number of `mntr`."""
        for line in self.ask("mntr", i).splitlines():
            name, _, value = line.partition("\t")
            if name == figure:
                return int(float(value))
        return None

    def of_admin(self, command, part):
        """This part of what each AdminServer answers."""
        for address in self.secret:
            with contextlib.suppress(OSError, KeyError), urllib.request.urlopen(f"http://{address}/commands/{command}", None, 5) as told:
                yield json.load(told)[part]

    def watched_paths(self):
        """Paths with data or exists watches, at any server (child watches are never listed)."""
        if ALL_HIDE:
            return {path for paths in self.of_admin("watches", "session_id_to_watched_paths") for each in paths.values() for path in each}
        return {line for i in range(len(self.addresses)) for line in self.ask("wchp", i).splitlines() if line[:1] == "/"}

    def requests(self):
        """For every session, the number of its last request: pings do not count."""
        if ALL_HIDE:
            return {one["session_id"]: one["last_cxid"] for each in self.of_admin("connections", "connections") for one in each}
        lines = "".join(self.ask("cons", i) for i in range(len(self.addresses)))
        return dict(re.findall(r"sid=(0x[0-9a-f]+).*?lcxid=(0x[0-9a-f]+)", lines))

    def settled(self, quiet_s=0.5):
        """Waits until no client has asked anything for a moment: all have seen what there is."""
        state = {"last": None, "since": 0}

        def quiet():
            now = self.requests()
            if now != state["last"]:
                state.update(last=now, since=time.monotonic())
            return time.monotonic() - state["since"] >= quiet_s
        until(quiet, 30, "every client is quiet")

    def client(self, timeout=10.0, **more):
        """A connected kazoo client, closed with the ensemble."""
        retry = KazooRetry(max_tries=-1, delay=0.05, max_delay=0.5)
        client = KazooClient(self.hosts, timeout=timeout, connection_retry=retry, **more)
        client.start(timeout=20)
        self.clients.append(client)
        return client

    def close(self):
        # kazoo waits for a session timeout where its server has gone: not one after the other, and not for all of it.
        stopping = [threading.Thread(target=client.stop, daemon=True) for client in self.clients]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join(2)
        if self.process.poll() is None:
            self.process.stdin.write("quit\n")
            self.process.stdin.close()
            wait(self.process, 20)
        self.process.stdout.close()


def session_of(client):
    """A kazoo client's session as ZooKeeper's four-letter words and the JSON contract write it."""
    return "0x%x" % (client.client_id[0] & 0xFFFFFFFFFFFFFFFF)
