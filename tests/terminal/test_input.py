"""No byte that a terminal sends, and no byte that it does not take, may hold the dashboard up."""
import os
import re
import signal
import time

import pytest

from electop import PROGRAM
from terminal import Pty
from waiting import until

CLOCK = re.compile(r"\d\d:\d\d:\d\d")


@pytest.fixture(scope="module")
def election(client):
    client.ensure_path("/empty/leader")
    for who in ("host-a:8081", "host-b:8081", "host-c:8081"):
        client.create("/election/n_", who.encode(), ephemeral=True, sequence=True, makepath=True)
    return "/election"


@pytest.fixture
def dashboard(zk, election):
    with Pty([os.path.abspath(PROGRAM), "-s", zk.hosts, election, "/empty/leader"]) as terminal:
        terminal.shows("/election", "host-a:8081", "/empty/leader", "vacant")
        yield terminal
        if terminal.process.poll() is None:
            terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait(10) in (0, 143)
        assert terminal.restored()


def clock_goes_on(terminal, by_s=2):
    """The clock in the title moves by so many seconds without a key."""
    seen = set()

    def moved():
        if found := CLOCK.search(terminal.screen().split("\n")[0]):
            seen.add(found[0])
        return len(seen) > by_s
    until(moved, 10, "the clock moves")


def row_of(terminal, text):
    """The line of the list, from 1, as mouse reports count."""
    lines = terminal.screen().split("\n")
    return next(i for i, line in enumerate(lines, 1) if text in line and "events" not in line)


def click(protocol, x, y, release=False):
    if protocol == "sgr":
        return f"\x1b[<0;{x};{y}{'m' if release else 'M'}"
    return "\x1b[M" + chr(32 + (3 if release else 0)) + chr(32 + x) + chr(32 + y)


@pytest.mark.parametrize("protocol", ["sgr", "x10"])
@pytest.mark.parametrize("held_ms", [30, 100, 250, 500])
def test_press_and_release(dashboard, protocol, held_ms):
    """A click selects; between press and release, and after it, the clock goes on and SIGTERM ends the program."""
    y = row_of(dashboard, "/election")
    dashboard.keys(click(protocol, 10, y))
    time.sleep(held_ms / 1000)
    dashboard.keys(click(protocol, 10, y, release=True))
    until(lambda: "▸" in dashboard.screen().split("\n")[y - 1], 5)
    clock_goes_on(dashboard)


PIECES = {
    "drag": "\x1b[<0;10;6M\x1b[<32;11;6M\x1b[<32;20;9M\x1b[<0;20;9m", "release": "\x1b[<0;10;6m" * 100,
    "x10": "\x1b[M", "x10 button": "\x1b[M ", "sgr": "\x1b[<0;10;", "csi": "\x1b[", "ss3": "\x1bO",
    "answer": "\x1b]11;rgb:", "string": "\x1bP", "paste": "\x1b[200~half a paste", "empty paste": "\x1b[200~"}


@pytest.mark.parametrize("piece", PIECES)
def test_pieces(dashboard, piece):
    """Half a sequence, a drag, a release without its press: nothing waits for the rest, and keys work afterwards."""
    dashboard.keys(PIECES[piece])
    clock_goes_on(dashboard, 4 if "paste" in piece else 2)  # a second after its latest byte a paste without an end is over
    dashboard.keys("?")
    dashboard.shows("KEYS HERE", within=5)


def test_double_click(dashboard):
    """Two clicks with their releases open the election."""
    y = row_of(dashboard, "/election")
    for _ in range(2):
        dashboard.keys(click("sgr", 10, y))
        time.sleep(0.05)
        dashboard.keys(click("sgr", 10, y, release=True))
        time.sleep(0.05)
    dashboard.shows("CANDIDATE", within=5)
    clock_goes_on(dashboard)


@pytest.mark.parametrize("bracketed", [True, False])
def test_paste_of_a_megabyte(dashboard, bracketed):
    """It neither stops the program nor acts: with the usual marks no letter of it is a command."""
    size = 1 << 20
    text = ("q" if bracketed else "\t") * size
    begun = time.monotonic()
    dashboard.keys_slowly("\x1b[200~" + text + "\x1b[201~" if bracketed else text)
    assert time.monotonic() - begun < 60
    clock_goes_on(dashboard)
    assert dashboard.process.poll() is None


def test_paste_into_the_filter(dashboard):
    """A pasted path is typed, and its line end does not close the filter."""
    dashboard.keys("/")
    dashboard.keys("\x1b[200~empty\n\x1b[201~")
    dashboard.shows("empty", within=5)
    dashboard.hides("host-a:8081", within=5)


@pytest.mark.parametrize("number, status", [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_stalled_terminal(zk, election, number, status):
    """A terminal that was stopped with Ctrl-S does not delay the end, and is restored."""
    with Pty([os.path.abspath(PROGRAM), "-s", zk.hosts, election, "/empty/leader"]) as terminal:
        terminal.shows("/election", "host-a:8081")
        terminal.keys("\x13")
        time.sleep(0.1)
        terminal.keys("ef?")  # screens that it cannot show
        time.sleep(1.2)
        begun = time.monotonic()
        terminal.process.send_signal(number)
        assert terminal.wait(10) == status
        assert time.monotonic() - begun < 5
        assert terminal.restored()
        assert b"\x1b[?1049l" in terminal.bytes()


def test_slow_reader(zk, election):
    """A terminal that nobody reads (a dead line) takes a picture or less: SIGTERM ends the program all the same."""
    with Pty([os.path.abspath(PROGRAM), "-s", zk.hosts, election], cols=200, rows=60) as terminal:
        terminal.shows("/election", "host-a:8081")
        terminal.stop_reading()
        for key in "?\x1be\x1bf\x1b" * 20:
            terminal.keys(key)
            time.sleep(0.02)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(10) == 143
