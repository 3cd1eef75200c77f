"""A program's requests to a server as numbered steps, and what it may have written by the server's own records."""
import collections
import socket
import struct
import threading

import framing
from fake_server import _Server, relay
from txnlog import CLOSE_SESSION, CREATE, CREATE2, CREATE_SESSION, DELETE, changes, transactions

CONNECT, PING, AUTH, SET_WATCHES = 0, 11, 100, 101
READS = (3, 4, 8, 12)
WITH_A_PATH = (1, 2, 3, 4, 5, 6, 8, 9, 12, 15)
ERROR = -1
# watches: of a read that leaves a watch behind.
Step = collections.namedtuple("Step", "number operation path watches")


class Steps(_Server):
    """Hands everything through, one request at a time: at(step) is called before each, pings aside, and may do anything
    meanwhile. After stop() nothing passes any more."""

    def __init__(self, zk, at=lambda step: None):
        host, port = zk.addresses[0].rsplit(":", 1)
        self.target, self.at, self.admin = (host, int(port)), at, zk.admin
        self.lock, self.taken, self.sessions, self.stopped = threading.RLock(), [], set(), False
        super().__init__(self._serve)
        self.hosts = self.address

    def stop(self):
        self.stopped = True

    def _pass(self, server, request, operation, path=""):
        """One step. False: it does not pass."""
        watches = operation in READS and request[-1:] == b"\1"
        with self.lock:
            if not self.stopped and operation != PING:
                self.taken.append(Step(len(self.taken) + 1, operation, path, watches))
                self.at(self.taken[-1])
            if not self.stopped:
                framing.send(server, request)
            return not self.stopped

    def _serve(self, connection):
        try:
            first = framing.receive(connection, 4)
            with socket.create_connection(self.target) as server:
                if first.isalpha():  # a four-letter word
                    server.sendall(first)
                    relay(server, connection)
                    return
                greeting = framing.receive(connection, struct.unpack(">i", first)[0])
                if not self._pass(server, greeting, CONNECT):
                    return
                answer = framing.frame(server)
                self.sessions.add(f"0x{struct.unpack_from('>Q', answer, 8)[0]:x}")
                framing.send(connection, answer)
                threading.Thread(target=self._forward, args=(connection, server), daemon=True).start()
                relay(server, connection)
        except OSError:
            pass

    def _forward(self, connection, server):
        try:
            while True:
                request = framing.frame(connection)
                operation, path = struct.unpack_from(">i", request, 4)[0], ""
                if operation in WITH_A_PATH:
                    path = request[12:12 + struct.unpack_from(">i", request, 8)[0]].decode()
                if not self._pass(server, request, operation, path):
                    break
        except OSError:
            pass
        for end in server, connection:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def is_inside(path, directory):
    return path == directory or path.startswith(directory + "/")


class Judge:
    """What each session has done since a moment, by the transaction log of one server."""

    def __init__(self, zk, after, strangers):
        """strangers: the sessions of everybody but the program."""
        self.zk, self.after, self.strangers = zk, after, set(strangers)

    def is_ours(self, session):
        return session not in self.strangers

    def written(self):
        """Every change since then with the session that had made the znode (None: it is older), and the session that
        had made its parent."""
        maker = {}
        for change in changes(self.zk.directory):
            parent = change.path.rsplit("/", 1)[0]
            before, above = maker.get(change.path), maker.get(parent)
            if change.kind == "create":
                maker[change.path] = change.session
            else:
                maker.pop(change.path, None)
            if change.zxid > self.after:
                yield change, before, above

    def kinds_are_harmless(self):
        """Nobody of ours wrote data, set an ACL, or did anything but to create and delete."""
        kinds = {t.type for t in transactions(self.zk.directory) if t.zxid > self.after and self.is_ours(t.session)}
        assert kinds <= {CREATE, CREATE2, DELETE, CREATE_SESSION, CLOSE_SESSION, ERROR}, kinds

    def foreign_deletions(self, remains=()):
        """What the program deleted although somebody else had made it. remains: what finished runs have left."""
        return [change for change, maker, _ in self.written()
                if change.kind == "delete" and self.is_ours(change.session) and change.path not in remains
                and (maker is None or not self.is_ours(maker))]

    def outside(self, *places):
        """What the program created or deleted elsewhere."""
        return [change for change, _, _ in self.written() if self.is_ours(change.session)
                and not any(is_inside(change.path, place) for place in places)]
