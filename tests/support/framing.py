"""ZooKeeper's frames, as a scripted server reads and sends them."""
import struct


def receive(connection, length):
    data = b""
    while len(data) < length:
        piece = connection.recv(length - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data


def frame(connection):
    return receive(connection, struct.unpack(">i", receive(connection, 4))[0])


def send(connection, body):
    connection.sendall(struct.pack(">i", len(body)) + body)


GREETING = struct.pack(">iiqi", 0, 10000, 0x1000001, 16) + bytes(17)
STAT = bytes(68)


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
                connection.sendall(b"".join(body)) if isinstance(body, list) else send(connection, body)
    return serve


def head(number, error=0):
    return struct.pack(">iqi", number, 1, error)


class Tree:
    """Serves a tree that nobody has to make: counts[d] children in each directory of depth d, with names of that length. It
    answers in batches, as a million lists take seconds only then."""

    def __init__(self, *counts, name_length=24):
        self.lists = [self._list(count, name_length) for count in counts]
        self.listed = 0

    @staticmethod
    def _list(count, length):
        names = b"".join(struct.pack(">i", length) + b"%0*dx" % (length - 1, i) for i in range(count))
        return struct.pack(">i", count) + names + STAT

    def _answer(self, request):
        number, kind = struct.unpack_from(">ii", request)
        if kind != 12:
            return head(-2 if kind == 11 else number, 0 if kind in (11, -11) else -101)
        self.listed += 1
        length, = struct.unpack_from(">i", request, 8)
        depth = request.count(b"/", 12, 12 + length) if length > 1 else 0
        return head(number) + (self.lists[depth] if depth < len(self.lists) else struct.pack(">i", 0) + STAT)

    def __call__(self, connection):
        frame(connection)
        send(connection, GREETING)
        asked = b""
        while piece := connection.recv(1 << 18):
            asked, at, answers = asked + piece, 0, []
            while len(asked) >= at + 4 and len(asked) >= at + 4 + (size := struct.unpack_from(">i", asked, at)[0]):
                answer = self._answer(asked[at + 4:at + 4 + size])
                answers += [struct.pack(">i", len(answer)), answer]
                at += 4 + size
            asked = asked[at:]
            connection.sendall(b"".join(answers))
