"""Real terminals for tests: tmux, which shows what a user sees, and a bare pty, which shows every byte.

Both wait for what should be on the screen and never sleep blindly."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import threading

import pyte

from patience import wait
from waiting import until


class Shown:
    """What stands on a screen(), whosever it is."""

    def shows(self, *texts, within=30):
        """Waits until all the texts are on the screen, and returns it."""
        def shown():
            screen = self.screen()
            assert all(text in screen for text in texts), screen
            return screen
        return until(shown, within, f"the screen shows {texts}")

    def hides(self, text, within=30):
        def hidden():
            screen = self.screen()
            assert text not in screen, screen
            return True
        until(hidden, within, f"the screen does not show {text}")


class Tmux(Shown):
    """One window of a tmux server of our own, running a shell command. Ends with close()."""

    def __init__(self, command, cols=100, rows=30, env=None):
        self.folder = tempfile.TemporaryDirectory(prefix="electop-tmux-")
        self.socket = os.path.join(self.folder.name, "tmux")
        conf = self.socket + ".conf"
        with open(conf, "w", encoding="utf-8") as f:
            f.write('set -g default-terminal "tmux-256color"\nset -g status off\nset -g remain-on-exit on\n'
                    "set -g escape-time 0\nset -g mouse on\nset -ga terminal-overrides ',*:Tc'\n")
        arguments = ["-f", conf, "new-session", "-d", "-x", str(cols), "-y", str(rows)]
        for name, value in {"LC_ALL": "C.UTF-8", **(env or {})}.items():
            arguments += ["-e", f"{name}={value}"]
        self.status_file = os.path.join(self.folder.name, "status")
        self.tmux(*arguments, "--", "sh", "-c", f"{command}\necho $? >{self.status_file}")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], check=True, capture_output=True,
                              text=True).stdout

    def screen(self, escapes=False):
        return self.tmux("capture-pane", "-p", *(["-e", "-N"] if escapes else []))

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def resize(self, cols, rows):
        self.tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def state(self, name):
        """A format of tmux, such as alternate_on, cursor_flag, mouse_any_flag, pane_dead."""
        return self.tmux("display-message", "-p", "#{%s}" % name).strip()

    def status(self):
        """The command's exit status, once it has ended (tmux itself does not always know it)."""
        def ended():
            if os.path.exists(self.status_file):
                with open(self.status_file, encoding="ascii") as f:
                    return f.read().strip()
            return None
        try:
            return int(until(ended, 30, "the command ends"))
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen:\n{self.screen()}") from error

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


COLOUR = re.compile(r"\x1b\[(?:\d*;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:]\d*)*m")


class Pty(Shown):
    """A program on a pseudo terminal: every byte it writes, and the screen they make."""

    def __init__(self, arguments, cols=100, rows=30, env=None):
        self.master, slave = pty.openpty()
        self.slave = slave
        self.stream = pyte.ByteStream(pyte.Screen(cols, rows))
        self.raw, self.lock, self.closing = b"", threading.Lock(), False
        self.size(cols, rows)
        self.before = termios.tcgetattr(slave)
        environment = {**os.environ, "TERM": "xterm-256color", **(env or {})}
        self.process = subprocess.Popen(arguments, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        env={name: value for name, value in environment.items() if value is not None},
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while not self.closing:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            with self.lock:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    return
                self.raw += piece
                self.stream.feed(piece)

    def size(self, cols, rows):
        with self.lock:  # what the program draws then finds a screen of that size
            self.stream.listener.resize(rows, cols)
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def screen(self):
        with self.lock:
            return "\n".join(self.stream.listener.display)

    def bytes(self):
        with self.lock:
            return self.raw

    def keys(self, text):
        os.write(self.master, text.encode())

    def keys_slowly(self, text):
        """More than a terminal takes at once."""
        rest = text.encode()
        os.set_blocking(self.master, False)
        while rest:
            select.select([], [self.master], [], 10)
            try:
                rest = rest[os.write(self.master, rest[:4096]):]
            except BlockingIOError:
                continue
        os.set_blocking(self.master, True)

    def stop_reading(self):
        """What the program writes from now on is taken by nobody."""
        self.closing = True
        self.reader.join()

    def wait(self, within=30):
        """The program's exit status (negative: the signal that ended it), with all its output read."""
        status = wait(self.process, within)

        def drained():
            with self.lock:  # what was taken off the terminal is in the bytes
                return not select.select([self.master], [], [], 0)[0] or not self.reader.is_alive()
        until(drained, 5)
        return status

    def restored(self):
        """Is the line discipline as it was before the program, and does reading still wait for input?"""
        waits = not fcntl.fcntl(self.slave, fcntl.F_GETFL) & os.O_NONBLOCK
        return termios.tcgetattr(self.slave) == self.before and waits

    def hang_up(self):
        """The terminal is closed, as a lost connection or a shut window does it."""
        # While the reader waits in the master, closing it would not end the terminal.
        self.closing = True
        self.reader.join()
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        if self.master >= 0:
            self.hang_up()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
