"""ZooKeeper sessions that do just what a test says, and nothing by themselves but their pings.

A client library re-arms watches, reconnects, and closes politely; a session of these tests must be able to
watch nothing, fall silent, lose its connection and keep its session, or move to another server."""
import socket
import struct
import threading
import time

CREATE, DELETE, EXISTS, GET, SET, PING, MULTI, ADD_WATCH, CLOSE = 1, 2, 3, 4, 5, 11, 14, 106, -11
CREATE_CONTAINER, CREATE_TTL = 19, 21
EPHEMERAL, SEQUENCE = 1, 2
NO_NODE, NODE_EXISTS = -101, -110
RECURSIVE = 1


def text(value):
    """None: null, which is not the same as empty."""
    if value is None:
        return struct.pack(">i", -1)
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">i", len(value)) + value


OPEN_ACL = struct.pack(">ii", 1, 31) + text("world") + text("anyone")


class SessionError(Exception):
    def __init__(self, code):
        super().__init__(f"ZooKeeper says {code}")
        self.code = code


class RawSession:
    def __init__(self, address, timeout_s=4.0, resume=None, host="127.0.0.1"):
        """resume: a session that lost its connection; this one goes on with it. host: where the client is."""
        self.address, self.timeout_s = address, timeout_s
        self.lock, self.pinging, self.xid = threading.RLock(), True, 0
        self.id, self.password = (resume.id, resume.password) if resume else (0, bytes(16))
        server, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((server, int(port)), 20, source_address=(host, 0))
        self._send(struct.pack(">iqiQ", 0, 0, int(timeout_s * 1000), self.id) + text(self.password) + b"\0")
        answer = self._receive()
        _, negotiated_ms, self.id = struct.unpack_from(">iiQ", answer)
        if negotiated_ms <= 0:
            raise SessionError("the session has expired")
        self.password, self.timeout_s = answer[20:36], negotiated_ms / 1000
        self.over = threading.Event()
        threading.Thread(target=self._ping, daemon=True).start()

    @property
    def hex(self):
        """As the four-letter words and the JSON contract write it."""
        return f"0x{self.id:x}"

    def _send(self, body):
        self.socket.sendall(struct.pack(">i", len(body)) + body)

    def _read(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise ConnectionError(f"{self.address} closed the connection")
            data += piece
        return data

    def _receive(self):
        return self._read(struct.unpack(">i", self._read(4))[0])

    def _ping(self):
        while not self.over.wait(self.timeout_s / 3):
            try:
                if self.pinging:
                    with self.lock:
                        self._request(PING, b"", -2)
            except OSError:
                return

    def _request(self, kind, body, xid=None):
        with self.lock:
            if xid is None:
                self.xid += 1
                xid = self.xid
            self._send(struct.pack(">ii", xid, kind) + body)
            while True:
                answer = self._receive()
                seen, _, error = struct.unpack_from(">iqi", answer)
                if seen == xid:  # else a notice of a watch: nobody here listens
                    break
            if error:
                raise SessionError(error)
            return answer[16:]

    def create(self, path, data=b"", flags=EPHEMERAL | SEQUENCE):
        """The name that it got."""
        answer = self._request(CREATE, text(path) + text(data) + OPEN_ACL + struct.pack(">i", flags))
        return answer[4:].decode().rsplit("/", 1)[1]

    def make(self, path):
        """A persistent znode, where there is none."""
        try:
            self.create(path, flags=0)
        except SessionError as error:
            if error.code != NODE_EXISTS:
                raise

    def delete(self, path):
        self._request(DELETE, text(path) + struct.pack(">i", -1))

    def leave(self, path):
        """Deletes a znode of its own and ends the session without waiting in between, as a polite client does."""
        if not self.over.is_set():
            self.over.set()
            with self.lock:
                bodies = [(DELETE, text(path) + struct.pack(">i", -1)), (CLOSE, b"")]
                frames = [struct.pack(">ii", self.xid + 1 + i, kind) + body for i, (kind, body) in enumerate(bodies)]
                self.socket.sendall(b"".join(struct.pack(">i", len(frame)) + frame for frame in frames))
                try:
                    while self._receive():
                        pass
                except OSError:
                    pass  # the server has closed the connection
            self.socket.close()

    def create_container(self, path):
        """A directory that the servers remove once it is empty again."""
        self._request(CREATE_CONTAINER, text(path) + text("") + OPEN_ACL + struct.pack(">i", 4))

    def create_ttl(self, path, ttl_ms):
        self._request(CREATE_TTL, text(path) + text("") + OPEN_ACL + struct.pack(">iq", 5, ttl_ms))

    def create_secured(self, path, data):
        """An ephemeral candidate with two entries in its ACL."""
        acl = struct.pack(">ii", 2, 31) + text("world") + text("anyone") + struct.pack(">i", 1) + text("ip") + \
            text("127.0.0.1")
        body = text(path) + text(data) + acl + struct.pack(">i", EPHEMERAL | SEQUENCE)
        return self._request(CREATE, body)[4:].decode().rsplit("/", 1)[1]

    def replace(self, path, other):
        """In one transaction: one znode is deleted, another one created."""
        header = struct.Struct(">i?i").pack
        self._request(MULTI, header(DELETE, False, -1) + text(path) + struct.pack(">i", -1) + header(CREATE, False, -1) +
                      text(other) + text("") + OPEN_ACL + struct.pack(">i", 0) + header(-1, True, -1))

    def blink(self, path):
        """Created and deleted in one transaction: it was there, and nobody can have seen it."""
        one = text(path) + text("") + OPEN_ACL + struct.pack(">i", EPHEMERAL)
        other = text(path) + struct.pack(">i", -1)
        header = struct.Struct(">i?i").pack
        self._request(MULTI, header(CREATE, False, -1) + one + header(DELETE, False, -1) + other + header(-1, True, -1))

    def set(self, path, data):
        self._request(SET, text(path) + text(data) + struct.pack(">i", -1))

    def look(self, path):
        self._request(EXISTS, text(path) + b"\0")

    def watch(self, path):
        """An exists watch, whether it is there or not."""
        try:
            self._request(EXISTS, text(path) + b"\1")
        except SessionError as error:
            if error.code != NO_NODE:
                raise

    def watch_data(self, path):
        self._request(GET, text(path) + b"\1")

    def watch_all_below(self, path):
        """A persistent recursive watch."""
        self._request(ADD_WATCH, text(path) + struct.pack(">i", RECURSIVE))

    def fall_silent(self):
        """Still connected, and not heard of any more: as in a long pause."""
        self.pinging = False

    def speak(self):
        self._request(PING, b"", -2)
        self.pinging = True

    def drop(self):
        """The connection ends; the session goes on until it expires."""
        self.over.set()
        self.socket.close()

    def close(self):
        """The session ends, and all that is its own."""
        if not self.over.is_set():
            self.over.set()
            try:
                self._request(CLOSE, b"")
            except (OSError, SessionError):
                pass
            self.socket.close()

    def move(self, address):
        """The same session over a new connection to another server."""
        self.drop()
        end = time.monotonic() + 5
        while True:
            try:
                return RawSession(address, self.timeout_s, resume=self)
            except (OSError, SessionError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
