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
