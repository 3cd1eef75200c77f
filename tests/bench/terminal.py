"""The dashboard on a real terminal: started, read by its screen's bytes, and asked to quit."""
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time

from rig import BUILD, TOOLS, BenchError, wait_until

COLUMNS, LINES = 120, 40
ESCAPES = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78])")


def writer_us(rig, pieces):
    """The processor time of a loop that writes the same to a terminal (replay.c)."""
    file, result = (os.path.join(rig.directory, name) for name in ("pieces", "written"))
    with open(file, "wb") as f:
        for piece in pieces:
            f.write(struct.pack("N", len(piece)) + piece)
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.execv(os.path.join(TOOLS, "replay"), ["replay", file, result])
        finally:
            os._exit(127)
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass
    os.close(terminal)
    if os.waitpid(pid, 0)[1] != 0:
        raise BenchError("the screen's bytes could not be written again")
    with open(result, encoding="ascii") as f:
        return float(f.read())


class Dashboard:
    """A thread reads the terminal all the time, as a terminal does: what is not read would stop the program."""

    def __init__(self, rig, *paths):
        argv = [os.path.join(BUILD, "electop"), "-s", rig.hosts, "--admin", rig.admin, *paths]
        self.got, self.bytes, self.ended, self.awaited, self.shown_at = b"", 0, False, None, None
        self.pieces = []
        self.changed = threading.Condition()
        self.started_at = time.monotonic()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
                os.execve(argv[0], argv, rig.environment)
            finally:
                os._exit(127)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while True:
            try:
                piece = os.read(self.terminal, 65536)
            except OSError:  # what a terminal gives whose program has ended
                piece = b""
            at = time.monotonic()
            with self.changed:
                self.bytes += len(piece)
                self.pieces.append(piece)
                self.ended = not piece
                self.got = (self.got + piece)[-200000:]
                if self.awaited is not None and self.awaited in ESCAPES.sub(b"", self.got):
                    self.shown_at, self.awaited = at, None
                self.changed.notify_all()
            if not piece:
                return

    def shows(self, text, within_s=10):
        """Waits until text has been drawn since the last press; returns when that was read."""
        with self.changed:
            self.shown_at, self.awaited = None, text
            if text in ESCAPES.sub(b"", self.got):
                self.shown_at = time.monotonic()
            self.changed.wait_for(lambda: self.shown_at is not None or self.ended, within_s)
            self.awaited = None
            if self.shown_at is None:
                raise BenchError(f"the dashboard does not show {text!r}: {ESCAPES.sub(b'', self.got)[-300:]!r}")
            return self.shown_at

    def press(self, keys):
        with self.changed:
            self.got = b""
        self.pressed_at = time.monotonic()
        os.write(self.terminal, keys)

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        with contextlib.suppress(OSError):
            os.write(self.terminal, b"q")
        try:
            wait_until("the dashboard quits", lambda: os.waitpid(self.pid, os.WNOHANG)[0] != 0, 5)
        except BenchError:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.reader.join(2)
        os.close(self.terminal)
