"""The dashboard in a real terminal: it shows, adapts, and leaves the terminal as it was."""
import os
import time
import re
import shlex
import signal
import sys

import pytest

from electop import PROGRAM, check_sanitizers, run
from patience import wait
from standing import Line
from terminal import COLOUR, Pty, Tmux
from waiting import until


@pytest.fixture(scope="module")
def election(client):
    """Three candidates in /election, and a vacant one beside it."""
    client.ensure_path("/election")
    client.ensure_path("/empty/leader")
    for who in ("host-a:8081", "host-b:8081", "host-c:8081"):
        client.create("/election/n_", who.encode(), ephemeral=True, sequence=True)
    return "/election"


def command(zk, *arguments):
    return [os.path.abspath(PROGRAM), "-s", zk.hosts, *arguments]


def quoted(zk, *arguments):
    return " ".join(shlex.quote(word) for word in command(zk, *arguments))


@pytest.fixture
def dashboard(zk, election):
    with Tmux(quoted(zk, election, "/empty/leader")) as terminal:
        terminal.shows("/election", "host-a:8081", "/empty/leader", "vacant")
        yield terminal


def test_overview_election_candidate_and_back(dashboard):
    """Enter opens the selected election, then a candidate; Esc goes back level by level; q ends it."""
    screen = dashboard.screen()
    # Worst first: what is vacant stands above what is led. Go to the led one.
    assert screen.index("/empty/leader") < screen.index("/election")
    dashboard.keys("End", "Enter")
    dashboard.shows("host-a:8081", "host-b:8081", "host-c:8081", "n_0000000000")
    dashboard.keys("Home", "Enter")
    dashboard.shows("n_0000000000", "host-a:8081")
    dashboard.keys("Escape")
    dashboard.shows("host-c:8081")
    dashboard.keys("Escape")
    dashboard.shows("/empty/leader")
    dashboard.keys("q")
    assert dashboard.status() == 0


def test_silent_server(dashboard, zk):
    """A server that stands still is shown as such, with nothing of it as if it were so now, and then well again."""
    dashboard.shows("led")
    zk.freeze(0)
    try:
        screen = dashboard.shows("no answer", "stale")
        assert "\u25cf" not in screen
    finally:
        zk.thaw(0)
    until(lambda: "no answer" not in dashboard.screen(), 30, "it answers again")


def test_f10_ends_it(dashboard):
    """F10 quits, as in other tops."""
    dashboard.keys("F10")
    assert dashboard.status() == 0


def test_help_shows_every_key(dashboard):
    """Every key of the table is on the help screen; it closes again."""
    with open(os.path.join(os.path.dirname(__file__), "../../tui/screen/key_bindings.c"), encoding="utf-8") as f:
        keys = re.findall(r'\{ACTION_\w+,\s*"[^"]+",\s*"([^"]+)"', f.read())
    assert len(keys) > 15
    dashboard.resize(160, 90)
    dashboard.keys("?")
    dashboard.shows(*[word for key in keys for word in key.split()])
    dashboard.keys("Escape")
    dashboard.shows("/empty/leader")


def test_change_is_shown(zk, client, election, dashboard):
    """A leader that goes is replaced on the screen, and told among the events."""
    names = sorted(client.get_children(election))
    client.delete(f"{election}/{names[0]}")
    try:
        dashboard.shows("leader lost", "leader elected", "host-b:8081")
    finally:
        # As before for the other tests: the same three, in the same order.
        for name in client.get_children(election):
            client.delete(f"{election}/{name}")
        client.delete(election)
        client.create(election)
        for who in ("host-a:8081", "host-b:8081", "host-c:8081"):
            client.create(f"{election}/n_", who.encode(), ephemeral=True, sequence=True)
    dashboard.shows("host-a:8081")


def test_resize(dashboard):
    """At every size it goes on: all that is needed at 80 x 24, one clear line below a minimum."""
    for cols, rows in ((140, 40), (80, 24), (60, 12), (20, 5), (2, 2), (1, 1), (300, 100), (1, 50), (200, 1)):
        dashboard.resize(cols, rows)
        until(lambda: dashboard.state("pane_width") == str(cols))
        assert dashboard.state("pane_dead") == "0"
    dashboard.resize(80, 24)
    dashboard.shows("/election", "host-a:8081", "/empty/leader", "vacant")
    dashboard.resize(12, 3)
    until(lambda: dashboard.screen().strip())
    dashboard.resize(100, 30)
    dashboard.shows("/election", "host-a:8081")


def test_started_at_one_by_one(zk, election):
    """A terminal of one cell is no reason to end."""
    with Pty(command(zk, election), 1, 1) as terminal:
        until(lambda: zk.watched_paths())
        assert terminal.process.poll() is None
        terminal.size(100, 30)
        terminal.shows("/election", "host-a:8081")
        terminal.keys("q")
        assert terminal.wait() == 0


def test_signals_that_the_parent_blocked(zk, election):
    """A wrapper blocks signals, as perf does with SIGWINCH, and its children inherit that."""
    blocked = ("import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH, signal.SIGTERM]); "
               "os.execv(sys.argv[1], sys.argv[1:])")
    with Pty([sys.executable, "-c", blocked, *command(zk, election)], 60, 5) as terminal:
        terminal.shows("40x8")
        terminal.size(100, 30)
        terminal.shows("/election", "host-a:8081")
        terminal.process.terminate()
        assert terminal.wait() == 128 + signal.SIGTERM


def test_a_size_that_no_terminal_has(zk, election):
    """Whatever the terminal claims, it goes on, in bounded memory."""
    with Pty(command(zk, election), 100, 30) as terminal:
        terminal.shows("/election", "host-a:8081")
        for cols, rows in (3, 65535), (65535, 3), (65535, 65535):
            drawn = len(terminal.bytes())
            terminal.size(cols, rows)
            until(lambda: len(terminal.bytes()) > drawn)
            terminal.size(100, 30)
            terminal.shows("/election", "host-a:8081")
            assert terminal.process.poll() is None
        terminal.keys("q")
        assert terminal.wait() == 0


def test_missing_chroot(zk, client):
    """It is named as missing, with and without elections to show, and all is well as soon as it is there."""
    for path in ("", "/election"):
        with Tmux(f"{quoted(zk)}/later {path}") as terminal:
            terminal.shows("the chroot /later does not exist on this cluster; check --server")
            client.ensure_path("/later/election")
            client.create("/later/election/n_", b"host-l:1", ephemeral=True, sequence=True)
            if path:
                terminal.shows("host-l:1")
            terminal.hides("on this cluster; check --server")  # among the events it stays, as far as there is room
        client.delete("/later", recursive=True)


def test_filter_and_pause(dashboard):
    """/ narrows the list while it is typed; Space says that the picture stands still, also where : finds a host in it."""
    dashboard.keys("/", "e", "m", "p", "t", "y", "Enter")
    dashboard.hides("host-a:8081")
    dashboard.shows("/empty/leader")
    dashboard.keys("Escape")
    dashboard.shows("host-a:8081")
    dashboard.keys("Space")
    dashboard.shows("PAUSED")
    dashboard.keys(":", *"host-a:8081", "Enter")
    dashboard.shows("PAUSED", 'with "host-a:8081"')
    dashboard.keys("Escape", "Space")
    dashboard.hides("PAUSED")


# -- the terminal afterwards

@pytest.mark.parametrize("ending, status", [
    ("q", "0"), ("TERM", "143"), ("HUP", "129"), ("SEGV", "139"), ("ABRT", "134"),
    # Nobody means to send these; what nobody catches ends a process all the same.
    ("USR1", "138"), ("ALRM", "142"), ("XCPU", "152")])
def test_terminal_is_as_it_was(zk, election, tmp_path, ending, status):
    """However it ends: the old screen, the cursor, the line discipline and the mouse are back."""
    script = (f"echo before the dashboard; stty -a >{tmp_path}/before; "
              f"sh -c 'echo $$ >{tmp_path}/pid; exec {quoted(zk, election)}' 2>{tmp_path}/err; "
              f"echo status $?; stty -a >{tmp_path}/after; echo done; cat; echo reading does not wait; sleep 60")
    with Tmux(script, env={"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0"}) as terminal:
        terminal.shows("host-a:8081")
        assert terminal.state("alternate_on") == "1"
        if ending == "q":
            terminal.keys("q")
        else:
            os.kill(int((tmp_path / "pid").read_text()), getattr(signal, "SIG" + ending))
        terminal.shows("before the dashboard", f"status {status}", "done")
        assert "host-a:8081" not in terminal.screen() and "does not wait" not in terminal.screen()
        states = {name: terminal.state(name) for name in ("alternate_on", "cursor_flag", "mouse_any_flag")}
        assert states == {"alternate_on": "0", "cursor_flag": "1", "mouse_any_flag": "0"}
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()
    check_sanitizers((tmp_path / "err").read_text())


def test_control_c(zk, election):
    """Ctrl-C ends it as scripts expect of a signal, with the terminal as it was."""
    with Pty(command(zk, election)) as terminal:
        terminal.shows("host-a:8081")
        terminal.keys("\x03")
        assert terminal.wait() == 130
        assert terminal.restored()


@pytest.mark.parametrize("what", [["once"], ["events", "--for", "1s"], ["once", "--json"]], ids=" ".join)
def test_text_commands_leave_the_terminal_alone(zk, election, what):
    """A look or a stream printed on a terminal: status 0, and the next program can read from it as before."""
    with Pty([PROGRAM, *what, "-s", zk.hosts, election]) as terminal:
        assert terminal.wait() == 0
        assert terminal.restored()
        assert b"\x1b[?1049h" not in terminal.bytes()


def test_terminal_goes_away(zk, election):
    """A closed window ends it, and its session with it."""
    before = set(zk.requests())
    with Pty(command(zk, election)) as terminal:
        terminal.shows("host-a:8081")
        terminal.hang_up()
        assert wait(terminal.process, 20) != 0
    until(lambda: set(zk.requests()) == before)


# -- terminals that it must refuse, or spare

@pytest.mark.parametrize("term", ["dumb", "", None, "no-such-terminal", "../../etc/passwd", "x" * 5000],
                         ids=["dumb", "empty", "unset", "unknown", "path", "long"])
def test_unfit_terminal(zk, election, term):
    """A terminal that cannot place a cursor is refused with a clear line, and what to use instead."""
    with Pty(command(zk, election), env={"TERM": term}) as terminal:
        assert terminal.wait() == 2
        said = terminal.bytes().decode()
        assert "electop: " in said and "TERM" in said
        assert "\x1b" not in said
        assert terminal.restored()


def test_no_terminal(zk, election):
    """Into a pipe there is no dashboard: it says so, names `once` and `events`, and ends with 2."""
    done = run("-s", zk.hosts, election)
    assert done.status == 2 and done.out == "", done
    assert done.err.startswith("electop: ") and "once" in done.err


@pytest.mark.parametrize("how", [{"env": {"NO_COLOR": "1"}}, {"arguments": ["--color", "never"]}], ids=["NO_COLOR", "never"])
def test_no_colour(zk, election, how):
    """NO_COLOR and --color never: not one colour sequence, and the same words."""
    with Pty(command(zk, election, *how.get("arguments", [])), env=how.get("env")) as terminal:
        terminal.shows("host-a:8081")
        terminal.keys("q")
        assert terminal.wait() == 0
        assert not COLOUR.search(terminal.bytes().decode())
    with Pty(command(zk, election)) as terminal:
        terminal.shows("host-a:8081")
        assert COLOUR.search(terminal.bytes().decode())  # else the search above proves nothing


@pytest.mark.parametrize("how", [["--ascii"], []], ids=["option", "locale"])
def test_ascii(zk, election, how):
    """--ascii, or a locale without UTF-8: every line and sign in ASCII."""
    with Pty(command(zk, election, *how), env={"LC_ALL": "C.UTF-8" if how else "C"}) as terminal:
        terminal.shows("host-a:8081")
        terminal.keys("q")
        assert terminal.wait() == 0
        assert terminal.bytes().isascii()


def test_hostile_names_stay_in_their_line(zk, client):
    """Names and data with escape sequences do not reach the terminal as such."""
    client.ensure_path("/hostile")
    for data in (b"\x1b[2J\x1b[H", b"\x1b]0;owned\x07", b"\x9b31m", b"a\nb\rc", "\u202egnp".encode(), b"\xff\xfe"):
        client.create("/hostile/n_\u6f22\u5b57", data, ephemeral=True, sequence=True)
    with Pty(command(zk, "/hostile")) as terminal:
        terminal.shows("/hostile")
        terminal.keys("\r")
        terminal.shows("\\u202egnp", *(f"n_\u6f22\u5b57000000000{i}"[:4] for i in range(6)))
        terminal.keys("\r")
        terminal.shows("data", "1b")  # its bytes, as text made safe or in hexadecimal
        terminal.keys("q")
        assert terminal.wait() == 0
        assert b"owned\x07" not in terminal.bytes()
        assert "\u202e" not in terminal.bytes().decode("utf-8", "replace")


def test_idle_costs_nothing(zk, election):
    """With nothing happening it hardly runs: it draws when something has changed."""
    with Pty(command(zk, election)) as terminal:
        terminal.shows("host-a:8081")
        watched = time.monotonic() + 3.0

        def spent():
            with open(f"/proc/{terminal.process.pid}/stat", encoding="ascii") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        began, lines = spent(), len(terminal.bytes())
        # It asks its server three times a second whether it still answers, so there is no quiet to wait for.
        until(lambda: time.monotonic() > watched)
        assert spent() - began < 0.15  # of three seconds, with sanitizers
        assert len(terminal.bytes()) - lines < 4000  # a clock and ages, not pictures


def test_belief_is_cleared_by_hand(zk, path):
    """A deaf candidate that becomes first is believed never to wake; c, pressed twice, takes that back, and only here."""
    line = Line(zk, path)
    first = line.join("host-a:80")
    line.join("host-b:80", watching=None)
    try:
        with Tmux(quoted(zk, "--admin", zk.admin, path)) as terminal:
            terminal.keys("f")
            terminal.shows("no-watch", "certain", within=60)
            first.leaves()
            terminal.shows("never-wakes", within=30)
            terminal.keys("c")
            terminal.shows("press c again", "never-wakes: critical")
            terminal.keys("c")
            terminal.shows("never-wakes is cleared here", "No findings")
    finally:
        line.close()


@pytest.mark.parametrize("bell", ["true", "false"])
def test_bell(zk, client, tmp_path, bell):
    """Rings when an election loses its last candidate for longer than is allowed, if the configuration wants that."""
    client.ensure_path("/bell")
    node = client.create("/bell/n_", b"host-a:1", ephemeral=True, sequence=True)
    file = tmp_path / "config.yaml"
    file.write_text(f"screen: {{bell: {bell}}}\nclusters: [{{name: prod, hosts: '{zk.hosts}', elections: "
                    "[{path: /bell, kind: leader, allow: {vacancy: 200ms}}]}]\n")
    with Pty([PROGRAM, "-c", str(file)], cols=140) as shown:
        shown.shows("host-a:1")
        assert b"\a" not in shown.bytes()
        client.delete(node)
        shown.shows("no-leader")
        if bell == "true":
            until(lambda: shown.bytes().count(b"\a") == 1)
        shown.keys("q")
        assert shown.wait() == 0
        assert shown.bytes().count(b"\a") == (bell == "true")
