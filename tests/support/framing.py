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
