"""Servers that misbehave: an AdminServer and a client port whose every answer a test chooses, and proxies
between the tool and a real server: one that can stop reading in the middle of an answer, one that refuses, and a
network line that is cut, held or slow."""
import contextlib
import socket
import socketserver
import struct
import threading
import time

import framing


class _Handler(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            self.server.serve(self.request)
        except OSError:
            pass  # the tool has had enough


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, serve, host="127.0.0.1", port=0):
        super().__init__((host, port), _Handler)
        self.serve = serve
        self.address = f"[{host}]:{self.server_address[1]}" if ":" in host else f"{host}:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def http(body, status="200 OK", length=None, more=""):
    """A whole HTTP answer; length: claim another one than it has."""
    if isinstance(body, str):
        body = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}"
    return (head + f"Content-Length: {len(body) if length is None else length}\r\n\r\n").encode() + body


class FakeAdmin(_Server):
    """answer(command) -> bytes, an iterable of bytes, or None (hangs until the test is over)."""

    def __init__(self, answer, host="127.0.0.1", port=0):
        self.answer, self.over, self.asked = answer, threading.Event(), []
        super().__init__(self._serve, host, port)

    def _serve(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            piece = connection.recv(4096)
            if not piece:
                return
            request += piece
        command = request.split()[1].decode().rsplit("/", 1)[1]
        self.asked.append(command)
        answer = self.answer(command)
        if answer is None:
            self.over.wait(60)
        elif isinstance(answer, bytes):
            connection.sendall(answer)
        else:
            for piece in answer:
                connection.sendall(piece)

    def __exit__(self, *rest):
        self.over.set()
        super().__exit__(*rest)


class FakeWords(_Server):
    """A client port that knows four-letter words only: answer(word) as above."""

    def __init__(self, answer, host="127.0.0.1", port=0):
        self.answer, self.over, self.asked = answer, threading.Event(), []
        super().__init__(self._serve, host, port)

    def _serve(self, connection):
        word = connection.recv(4).decode("ascii", "replace")
        self.asked.append(word)
        answer = self.answer(word)
        if answer is None:
            self.over.wait(60)
        else:
            connection.sendall(answer)

    def __exit__(self, *rest):
        self.over.set()
        super().__exit__(*rest)


class FakeAdmin6(FakeAdmin):
    address_family = socket.AF_INET6

    def __init__(self, answer):
        super().__init__(answer, "::1")


class FakeWords6(FakeWords):
    address_family = socket.AF_INET6

    def __init__(self, answer):
        super().__init__(answer, "::1")


def relay(source, target):
    """Passes on all that comes, until its end."""
    while piece := source.recv(65536):
        target.sendall(piece)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


def free_port():
    """One on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class StoppingProxy(_Server):
    """Hands everything through. The first answer after stop_at(kind), to a request that contains kind, is begun
    and then left lying: on_stop() is called, and nothing is read from the server until go_on()."""

    def __init__(self, target, on_stop):
        host, port = target.rsplit(":", 1)
        self.target, self.on_stop = (host, int(port)), on_stop
        self.kind, self.going_on, self.stopped, self.asked = None, threading.Event(), threading.Event(), []
        super().__init__(self._serve)

    def stop_at(self, kind):
        self.going_on.clear()
        self.stopped.clear()
        self.kind = kind

    def go_on(self):
        self.kind = None
        self.going_on.set()

    def _serve(self, connection):
        with socket.create_connection(self.target) as server:
            threading.Thread(target=self._forward, args=(connection, server), daemon=True).start()
            while piece := server.recv(2048):
                connection.sendall(piece)
                if self.stopped.is_set():
                    self.going_on.wait(30)

    def _forward(self, connection, server):
        try:
            while request := connection.recv(4096):
                self.asked.append(request)
                if self.kind and self.kind in request:
                    self.kind = None
                    self.stopped.set()
                    self.on_stop()
                server.sendall(request)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Line(_Server):
    """The network between the tool and one server: bytes pass in both directions, but for what is done to the line.

    What is held arrives later, as TCP has it; a connection that is cut is lost."""

    PIECE = 16384

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self.target, self.connections = (host, int(port)), set()
        self.up, self.down = threading.Event(), threading.Event()  # to the server, and from it: bytes pass
        self.mend()
        super().__init__(self._serve)

    def mend(self):
        self.is_cut, self.delay_s, self.bytes_a_second = False, 0, None
        self.up.set()
        self.down.set()

    def cut(self):
        """All connections end, and each new one ends at once, until mend()."""
        self.is_cut = True
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def hold(self, *directions):
        """Nothing passes in these directions, "up" to the server or "down" from it, until mend()."""
        for direction in directions:
            getattr(self, direction).clear()

    def slow(self, delay_s=0, bytes_a_second=None):
        """Each piece arrives so much later, and no faster than this, until mend()."""
        self.delay_s, self.bytes_a_second = delay_s, bytes_a_second

    def _serve(self, connection):
        if self.is_cut:
            return
        with socket.create_connection(self.target) as server:
            ends = {connection, server}
            self.connections |= ends
            try:
                other = threading.Thread(target=self._pass, args=(connection, server, self.up), daemon=True)
                other.start()
                self._pass(server, connection, self.down)
                other.join()
            finally:
                self.connections -= ends

    def _pass(self, source, sink, gate):
        with contextlib.suppress(OSError):
            while piece := source.recv(self.PIECE):
                time.sleep(self.delay_s + (len(piece) / self.bytes_a_second if self.bytes_a_second else 0))
                gate.wait()
                sink.sendall(piece)
        gate.wait()  # the end, too, is held
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


THROTTLED, QUOTA_EXCEEDED, SYSTEM_ERROR = -127, -125, -1
CREATE, DELETE, EXISTS, GET, SYNC, CHILDREN = 1, 2, 3, 4, 9, 12


class RefusingProxy(_Server):
    """Hands everything through, but refuses what it is asked to: refuses(operation, path) -> an error, or 0.

    Instead of such a request the server gets a harmless one, so that answers keep their order and no watch is set."""

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self.target, self.refuses, self.refused = (host, int(port)), lambda operation, path: 0, []
        super().__init__(self._serve)

    def _serve(self, connection):
        errors = {}
        first = framing.receive(connection, 4)
        with socket.create_connection(self.target) as server:
            if first.isalpha():  # a four-letter word
                server.sendall(first)
                relay(server, connection)
                return
            framing.send(server, framing.receive(connection, struct.unpack(">i", first)[0]))
            framing.send(connection, framing.frame(server))
            threading.Thread(target=self._forward, args=(connection, server, errors), daemon=True).start()
            while True:
                answer = framing.frame(server)
                xid, zxid, _ = struct.unpack_from(">iqi", answer)
                if xid in errors:
                    answer = struct.pack(">iqi", xid, zxid, errors.pop(xid))
                framing.send(connection, answer)

    def _forward(self, connection, server, errors):
        try:
            while True:
                request = framing.frame(connection)
                xid, operation = struct.unpack_from(">ii", request)
                if operation in (CREATE, DELETE, EXISTS, GET, SYNC, CHILDREN):
                    length, = struct.unpack_from(">i", request, 8)
                    path = request[12:12 + length].decode()
                    error = self.refuses(operation, path)
                    if error:
                        self.refused.append((operation, path))
                        errors[xid] = error
                        request = struct.pack(">iii", xid, EXISTS, 1) + b"/" + b"\0"
                framing.send(server, request)
        except OSError:
            server.close()
