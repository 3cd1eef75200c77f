"""A line between clients and a real server whose packets are written as tcpdump writes them: no privilege is needed."""
import contextlib
import ipaddress
import socket
import struct
import threading
import time

from fake_server import _Server

RAW = 101
FIN, SYN, PUSH, ACK = 1, 2, 8, 16


class Tap(_Server):
    def __init__(self, target, out, ahead_s=0):
        """out: a binary file; in the packets, the server is the target. ahead_s: how wrong the clock of its host is."""
        self.ahead_us = int(ahead_s * 1e6)
        host, port = target.rsplit(":", 1)
        self.target, self.out, self.deaf, self.lock = (host, int(port)), out, False, threading.Lock()
        self.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, RAW))
        super().__init__(self._serve)

    def write(self, packet):
        with contextlib.suppress(OSError, ValueError):  # its reader has ended
            self.out.write(packet)

    def _packet(self, ends, sides, side, flags, data=b""):
        with self.lock:
            now = time.time_ns() // 1000 + self.ahead_us
            head = struct.pack(">HHIIBBHHH", ends[side][1], ends[1 - side][1], sides[side], sides[1 - side], 0x50, flags,
                               65535, 0, 0)
            body = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0,
                               ipaddress.ip_address(ends[side][0]).packed, ipaddress.ip_address(ends[1 - side][0]).packed)
            body += head + data
            sides[side] = (sides[side] + len(data) + bool(flags & (SYN | FIN))) & 0xffffffff
            if not self.deaf:
                self.write(struct.pack("<IIII", now // 1000000, now % 1000000, len(body), len(body)) + body)

    def _serve(self, connection):
        with socket.create_connection(self.target) as server:
            ends, sides = (server.getsockname(), self.target), [1000, 2000]
            self._packet(ends, sides, 0, SYN)
            self._packet(ends, sides, 1, SYN | ACK)
            other = threading.Thread(target=self._pass, args=(connection, server, ends, sides, 0), daemon=True)
            other.start()
            self._pass(server, connection, ends, sides, 1)
            other.join()

    def _pass(self, source, sink, ends, sides, side):
        with contextlib.suppress(OSError):
            while piece := source.recv(16384):
                for at in range(0, len(piece), 1400):
                    self._packet(ends, sides, side, PUSH | ACK, piece[at:at + 1400])
                sink.sendall(piece)
        self._packet(ends, sides, side, FIN | ACK)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
