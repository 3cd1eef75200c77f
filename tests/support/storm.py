"""Thousands of ZooKeeper sessions that lose their connections at once, and all come back at once."""
import selectors
import socket
import struct
import time

CONNECT_BYTES = 41  # of an answer: its length, and version, timeout, session, password, read-only


class Storm:
    """Sessions that do nothing; each one's timeout is short."""

    def __init__(self, count, timeout_s=10.0):
        self.count, self.timeout_ms = count, int(timeout_s * 1000)
        self.known = [(0, bytes(16))] * count

    def connect(self, address, within=30):
        """All at once; how many were let in. Their connections, to be closed by the caller."""
        host, port = address.rsplit(":", 1)
        choose, opened, entered = selectors.DefaultSelector(), [], 0
        for number, (session, password) in enumerate(self.known):
            one = socket.socket()
            one.setblocking(False)
            opened.append(one)
            try:
                one.connect_ex((host, int(port)))
                body = struct.pack(">iqiQi", 0, 0, self.timeout_ms, session, 16) + password + b"\0"
                choose.register(one, selectors.EVENT_WRITE, [number, struct.pack(">i", len(body)) + body, b""])
            except OSError:
                continue
        waiting, deadline = len(choose.get_map()), time.monotonic() + within
        while waiting and time.monotonic() < deadline:
            for key, _ in choose.select(1):
                done = self._turn(choose, key)
                waiting -= done is not None
                entered += done is True
        choose.close()
        return entered, opened

    def _turn(self, choose, key):
        """True: it is let in; False: it is not; None: not yet."""
        number, request, answer = key.data
        try:
            if request:
                key.fileobj.send(request)
                key.data[1] = b""
                choose.modify(key.fileobj, selectors.EVENT_READ, key.data)
                return None
            piece = key.fileobj.recv(CONNECT_BYTES - len(answer))
        except BlockingIOError:
            return None
        except OSError:
            piece = b""
        key.data[2] = answer = answer + piece
        if piece and len(answer) < CONNECT_BYTES:
            return None
        choose.unregister(key.fileobj)
        if len(answer) < CONNECT_BYTES:
            return False
        _, _, timeout_ms, session = struct.unpack_from(">iiiQ", answer)
        self.known[number] = (session, answer[24:40]) if timeout_ms > 0 else (0, bytes(16))
        return timeout_ms > 0


def cut(connections):
    """As a network does that fails: no session is closed."""
    for one in connections:
        one.close()
