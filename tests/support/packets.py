"""Captures that no tcpdump writes: of clients and servers, and of writers of files, who mean harm."""
import ipaddress
import struct
import time

FIN, SYN, ACK = 1, 2, 16
RAW = 101
NOW_US = time.time_ns() // 1000
HEAD = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, RAW)
SERVER = ("127.0.0.1", 2181)


def host(number):
    return str(ipaddress.ip_address(0x0a000000 + number)), 1024 + number % 60000


def segment(source, target, sequence, acknowledged, flags, data=b""):
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], sequence & 0xffffffff, acknowledged & 0xffffffff, 0x50, flags, 65535, 0, 0)
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0, ipaddress.ip_address(source[0]).packed,
                       ipaddress.ip_address(target[0]).packed) + tcp + data


def packet(at_us, content, captured=None):
    captured = len(content) if captured is None else captured
    return struct.pack("<IIII", at_us // 1000000 & 0xffffffff, at_us % 1000000, captured, captured) + content


def text(value):
    return struct.pack(">i", len(value)) + value


def frame(body):
    return text(body)


class Talk:
    """What a client and its server say, packet by packet."""

    def __init__(self, number, server=SERVER):
        self.client, self.server, self.at = host(number), server, [1001, 2001]
        self.number, self.asked = number, 0

    def begin(self):
        yield packet(NOW_US, segment(self.client, self.server, 1000, 0, SYN))
        yield packet(NOW_US, segment(self.server, self.client, 2000, 1001, SYN | ACK))
        yield from self.says(0, frame(struct.pack(">iqiq", 0, 0, 4000, 0) + text(bytes(16)) + b"\0"))
        yield from self.says(1, frame(struct.pack(">iiq", 0, 4000, 0x1000 + self.number) + text(bytes(16)) + b"\0"))

    def says(self, side, data):
        ends = (self.client, self.server)
        for begin in range(0, len(data), 1400):
            piece = data[begin:begin + 1400]
            yield packet(NOW_US, segment(ends[side], ends[1 - side], self.at[side], self.at[1 - side], ACK, piece))
            self.at[side] += len(piece)

    def asks(self, kind, body, error=0, answer=b""):
        self.asked += 1
        yield from self.says(0, frame(struct.pack(">ii", self.asked, kind) + body))
        yield from self.says(1, frame(struct.pack(">iqi", self.asked, (1 << 32) + self.asked, error) + answer))

    def watches(self, path):
        yield from self.asks(3, text(path) + b"\1", error=-101)

    def creates(self, path, flags):
        acl = struct.pack(">ii", 1, 31) + text(b"world") + text(b"anyone")
        yield from self.asks(1, text(path) + text(b"x") + acl + struct.pack(">i", flags), answer=text(path))


class Follower(Talk):
    """A client of the server at this address, which answers by the latest transaction, at the present time."""
    zxid = 100

    def says(self, side, data):
        global NOW_US
        NOW_US += 100
        yield from super().says(side, data)

    def answers(self, number, error=0, body=b"", zxid=None):
        yield from self.says(1, frame(struct.pack(">iqi", number, Follower.zxid if zxid is None else zxid, error) + body))

    def asks(self, kind, body, error=0, answer=b""):
        self.asked += 1
        yield from self.says(0, frame(struct.pack(">ii", self.asked, kind) + body))
        yield from self.answers(self.asked, error, answer)

    def joins(self, path):
        Follower.zxid += 1
        yield from self.creates(path, 1)

    def watches(self, path, owner=0x1001):
        stat = struct.pack(">qqqqiiiqiiq", Follower.zxid - 1, Follower.zxid - 1, 0, 0, 0, 0, 0, owner, 1, 0, Follower.zxid - 1)
        yield from self.asks(3, text(path) + b"\1", answer=stat)

    def lists(self, path, *ends):
        names = b"".join(text(path[path.rindex(b"/") + 1:] + end) for end in ends)
        yield from self.asks(8, text(path[:path.rindex(b"/")]) + b"\0", answer=struct.pack(">i", len(ends)) + names)

    def writes(self, path):
        Follower.zxid += 1
        stat = struct.pack(">qqqqiiiqiiq", 1, Follower.zxid, 0, 0, Follower.zxid, 0, 0, 0, 1, 0, 1)
        yield from self.asks(5, text(path) + text(b"x") + struct.pack(">i", -1), answer=stat)

    def deletes(self, path):
        Follower.zxid += 1
        yield from self.asks(2, text(path) + struct.pack(">i", -1))

    def is_refused(self, session):
        yield packet(NOW_US, segment(self.client, self.server, 1000, 0, SYN))
        yield packet(NOW_US, segment(self.server, self.client, 2000, 1001, SYN | ACK))
        yield from self.says(0, frame(struct.pack(">iqiq", 0, 0, 4000, session) + text(bytes(16)) + b"\0"))
        yield from self.says(1, frame(struct.pack(">iiq", 0, 0, 0) + text(bytes(16)) + b"\0"))

    def pings(self, **zxid):
        yield from self.says(0, frame(struct.pack(">ii", -2, 11)))
        yield from self.answers(-2, **zxid)


# ---- pcapng ----

def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def section(resolution=6, offset=0):
    options = struct.pack("<HHBxxxHHqHH", 9, 1, resolution, 14, 8, offset, 0, 0)
    return block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack("<HHI", RAW, 0, 262144) + options)


def timed(at, content):
    return block(6, struct.pack("<IIIII", 0, at >> 32 & 0xffffffff, at & 0xffffffff, len(content), len(content)) + content)
