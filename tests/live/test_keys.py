"""What the program writes, told by the server: every key of the dashboard on every screen, and every command.

The keys come from the program's own table (tests/tools/keys.c), the commands from its help: what is added
there is tested here without a word. Everything runs beside real elections."""
import glob
import json
import os
import re
import shlex
import signal
import subprocess

import pytest

from electop import PROGRAM, check_sanitizers, run
from patience import wait
from standing import Line
from terminal import Pty, Tmux
from txnlog import CLOSE_SESSION, CREATE, CREATE2, CREATE_SESSION, DELETE, SET_DATA, transactions
from waiting import until

TOP = os.path.join(os.path.dirname(__file__), "..", "..")
SANDBOX = "/electop-sandbox"
KEYS = [json.loads(line) for line in subprocess.check_output(
    [os.path.join(os.path.dirname(os.environ["SANDBOX"]), "keys")], text=True).splitlines()]
NAMES = {"PageUp": "PPage", "PageDown": "NPage"}  # as tmux calls them

# How to come to every screen from the first one, and what is there to be read.
SCREENS = {
    "overview": ([], "elections"),
    "election": (["End", "Enter"], "CANDIDATE"),
    "candidate": (["End", "Enter", "Enter"], "expires  "),
    "findings": (["f"], "CERTAINTY"),
    "explanations": (["x"], "WHAT IT MEANS"),
    "ensemble": (["e"], "each polled separately"),
    "events": (["v"], "latest first"),
    "history": (["h"], "› history"),
    "why": (["/", *"short", "Enter", "h"], "host-d:80 →", ["x"], "why it changed"),
    "help": (["?"], "KEYS HERE"),
    "compare": (["M", "M"], "what changed from"),
    "inject": (["i"], "what will happen"),
    # What some of them also show.
    "what if": (["End", "Enter", "w"], "w ends this"),
    "a filter": (["/"], "Enter keeps"),
    "a time": (["b"], "go to"),
    "the past": (["T"], "REPLAY"),
    "inject in the past": (["i", "T"], "no test candidate can run"),
    "a pause": (["Space"], "PAUSED"),
}
LEAVE = ["Escape", "Escape", "Escape", "Escape", "L"]


def test_every_screen_is_among_these():
    """A view that is not in the table above would be tested by nobody."""
    sources = glob.glob(f"{TOP}/tui/views/*.c")
    views = {name for source in sources for name in re.findall(r'^    \.name = "([^"]+)",$', open(source).read(), re.M)}
    assert len(views) > 8 and views <= set(SCREENS), views - set(SCREENS)


def typed(code):
    return NAMES.get(code, code) if isinstance(code, str) else {32: "Space", 59: "\\;"}.get(
        code, f"C-{chr(code + 96)}" if code < 27 else chr(code))


@pytest.fixture(scope="module")
def elections(zk, client):
    """Real elections: a line in which one is deaf, one of three that all watch, one where nobody stands."""
    lines = [Line(zk, "/deaf"), Line(zk, "/well")]
    for who, watching in (("host-a:80", "predecessor"), ("host-b:80", None), ("host-c:80", "predecessor")):
        lines[0].join(who, watching=watching)
        lines[1].join(who)
    client.ensure_path("/vacant/leader")
    yield ["/deaf", "/well", "/vacant/leader"]
    for line in lines:
        line.close()


class Log:
    """What the server's transaction log has got since."""

    def __init__(self, zk):
        self.zk, before, self.ours = zk, transactions(zk.directory), set()
        self.last, self.known = before[-1].zxid if before else 0, {t.session for t in before}

    def others(self):
        """Of sessions that were not there before; of those that were there is nothing more at all."""
        since = [t for t in transactions(self.zk.directory) if t.zxid > self.last and t.session not in self.ours]
        assert not {t.session for t in since} & self.known, since
        return since

    def expect_nothing_written(self, sessions):
        """As many sessions as these at least, else nobody has looked at all."""
        def only_sessions():
            kinds = {}
            for t in self.others():
                kinds.setdefault(t.session, []).append(t.type)
            assert all(kind == [CREATE_SESSION, CLOSE_SESSION] for kind in kinds.values()), kinds
            return len(kinds) >= sessions
        until(only_sessions, 5)  # what was closed is in the log at once, or it was not closed


def dashboard(zk, folder, *arguments):
    line = " ".join(shlex.quote(word) for word in [os.path.abspath(PROGRAM), "--admin", zk.admin, *arguments])
    return Tmux(f"cd {folder} && {line} 2>err", cols=120, rows=40)


def press(terminal, keys):
    if keys:
        terminal.tmux("send-keys", "--", *keys)


def reach(terminal, way, mark, *further):
    """To a screen from the first one, by keys and what is then there to be read, once or twice. In the beginning
    nothing may have been recorded yet to go back to."""
    for within in (2, 2, 5, 30):
        press(terminal, way)
        try:
            shown = terminal.shows(mark, within=within)
            if not further:
                return shown
            press(terminal, further[0])
            return terminal.shows(further[1], within=within)
        except AssertionError:
            if within == 30:
                raise
            press(terminal, LEAVE)


RELOAD = 18


def every_key(but=()):
    """Every key once, q last. F10 would end it, too: that is tested with the terminal. Ctrl-R begins the dashboard anew,
    and what is typed before it is there is lost: it has a test of its own."""
    codes = [code for key in KEYS for code in key["codes"] if code not in but and code not in ("F10", RELOAD)]
    assert len(codes) > 50
    return sorted(codes, key=lambda code: code == ord("q"))


@pytest.mark.parametrize("screen", SCREENS)
def test_no_key_writes(zk, client, elections, tmp_path, screen):
    """Every key, pressed on this screen beside real elections, brings nothing but the beginning and the end of
    sessions; Enter in the form of test candidates, which confirms it, is left to the tests below."""
    log = Log(zk)
    short = Line(zk, f"/short/{screen.replace(' ', '-')}") if screen == "why" else None
    for who in ("host-d:80", "host-e:80") if short else ():
        log.ours.add(hex(short.join(who).session.id))
    with dashboard(zk, tmp_path, "-s", zk.hosts, *elections, *([short.path] if short else [])) as terminal:
        terminal.shows("4 elections" if short else "3 elections", "host-a:80")
        if short:  # a failover to explain
            terminal.shows("host-d:80")
            short.members[0].leaves()
            terminal.shows("host-e:80")
        for code in every_key(but=["Enter", 13, 10] if screen == "inject" else []):
            reach(terminal, *SCREENS[screen])
            press(terminal, [typed(code)])
            if code == ord("q") and screen not in ("a filter", "a time"):
                break
            press(terminal, LEAVE)
        else:
            press(terminal, ["q"])
        assert terminal.status() == 0
    check_sanitizers((tmp_path / "err").read_text())
    assert not client.exists(SANDBOX)
    log.expect_nothing_written(1)


def test_a_reload_writes_nothing(zk, client, elections, tmp_path):
    log = Log(zk)
    with dashboard(zk, tmp_path, "-s", zk.hosts, *elections) as terminal:
        terminal.shows("3 elections", "host-a:80", "Enter opens an election")
        press(terminal, ["Down"])  # the first key ends the legend
        until(lambda: "Enter opens an election" not in terminal.screen())
        press(terminal, [typed(RELOAD)])
        terminal.shows("3 elections", "host-a:80", "Enter opens an election")
        press(terminal, ["q"])
        assert terminal.status() == 0
    check_sanitizers((tmp_path / "err").read_text())
    assert not client.exists(SANDBOX)
    log.expect_nothing_written(2)


def commands():
    """All that the help names."""
    told = re.search(r"^Commands:\n((?:  .*\n)+)", run("--help").out, re.M)[1]
    return re.findall(r"^  (\w+)", told, re.M)




@pytest.mark.parametrize("command", commands())
def test_no_command_writes(zk, client, elections, tmp_path, command):
    """Every command that looks at a cluster leaves only its sessions in the log; --help not even these; and a
    run of test candidates that is refused neither."""
    log = Log(zk)
    assert run(command, "--help").status == 0 or command in ("help", "version")
    sessions = 0
    if command == "watch":  # its keys are tested above
        with dashboard(zk, tmp_path, "-s", zk.hosts, *elections) as terminal:
            terminal.shows("host-a:80")
            press(terminal, ["q"])
            assert terminal.status() == 0
        sessions = 1
    elif command in ("once", "events"):
        more = [] if command == "once" else ["--for", "2s"]
        done = run(command, "-s", zk.hosts, "--admin", zk.admin, *more, *elections)
        assert done.status == 0, done
        sessions = 1
    elif command == "record":
        file = tmp_path / "history.db"
        config = tmp_path / "config.yaml"
        config.write_text(f"clusters: [{{hosts: '{zk.hosts}'}}]\nhistory: {{file: {file}}}\n")
        recording = subprocess.Popen([PROGRAM, command, "-c", str(config), *elections], stdout=subprocess.DEVNULL)
        until(lambda: file.exists() and any(path.endswith("/electop-observer") for path in zk.watched_paths()))
        recording.send_signal(signal.SIGINT)
        assert wait(recording, 20) == 130
        sessions = 1
    elif command == "config":
        assert run(command, "-s", zk.hosts).status == 0
    elif command == "inject":
        for refused in (["-n", "101"], ["--rate", "101/s"], ["--live"]):
            assert run(command, "-s", zk.hosts, elections[1], *refused).status == 2
    elif command in ("report", "replay"):
        assert run(command, "/no/such/file").status != 0
    elif command == "demo":
        assert run(command, "-s", zk.hosts).status == 2  # it has a cluster of its own
    log.expect_nothing_written(sessions)
    assert sessions > 0 or not log.others()


# -- what writes

def paths_written(log):
    """Every path that a session of the tool has created, changed or deleted."""
    return {t.path for t in log.others() if t.type in (CREATE, CREATE2, DELETE, SET_DATA)}


def test_a_run_writes_in_the_sandbox_only(zk, client, elections, tmp_path):
    """Begun from the form, with every key pressed while it goes on: nothing is written but below the
    sandbox, which is gone afterwards."""
    log = Log(zk)
    with dashboard(zk, tmp_path, "-s", zk.hosts, *elections) as terminal:
        terminal.shows("3 elections", "host-a:80")
        press(terminal, ["End", "i"])
        terminal.shows("a copy of /well", "what will happen")
        press(terminal, ["Up", "Right", "Right"])  # long enough for all keys
        terminal.shows("300 s after all have joined")
        begin(terminal)
        terminal.shows("10 of 10 in line", "leads")
        for code in every_key(but=[ord("q"), ord("X")]):
            press(terminal, [typed(code)])
            press(terminal, LEAVE + ["i"])
            terminal.shows("STATE")
        press(terminal, ["X"])
        terminal.shows("What it cost")
        press(terminal, ["q"])
        assert terminal.status() == 0
    check_sanitizers((tmp_path / "err").read_text())
    written = paths_written(log)
    assert len(written) >= 14 and all(path == SANDBOX or path.startswith(SANDBOX + "/") for path in written)
    assert not client.exists(SANDBOX)


def begin(terminal):
    """From the form: the run's key, and yes to the question."""
    press(terminal, ["R"])
    terminal.shows("y or n")
    press(terminal, ["y", "Enter"])


def live_config(folder, zk, path):
    file = folder / "config.yaml"
    file.write_text(f"clusters: [{{hosts: '{zk.hosts}', elections: [{{path: {path}, inject: live}}]}}]\n")
    return str(file)


def test_a_live_run_needs_the_name_typed(zk, client, elections, tmp_path):
    """Any other text begins nothing; the name does, and then only candidates like their siblings are created."""
    log = Log(zk)
    real = sorted(client.get_children("/well"))
    with dashboard(zk, tmp_path, "-c", live_config(tmp_path, zk, "/well")) as terminal:
        terminal.shows("host-a:80")
        press(terminal, ["i", "Right"])
        terminal.shows("writes into the live election /well")
        press(terminal, ["R"])
        terminal.shows("type /well")
        press(terminal, ["/", "w", "e", "l", "Enter"])
        terminal.shows("The name does not match")
        assert not paths_written(log)
        press(terminal, ["R", "/", "w", "e", "l", "l", "Enter"])
        terminal.shows("LIVE", "10 of 10 in line", within=60)
        now = sorted(client.get_children("/well"), key=lambda name: name[-10:])
        assert sorted(now[:3]) == real and len(now) == 13
        press(terminal, ["X"])
        terminal.shows("none of them was ever")
        press(terminal, ["q"])
        assert terminal.status() == 0
    written = paths_written(log)
    assert all(re.fullmatch("/well/_c_[0-9a-f-]{36}-latch-[0-9]{10}", path) for path in written), written
    assert sorted(client.get_children("/well")) == real


@pytest.mark.parametrize("ending, status", [("qq", 0), ("\x03", 130), (signal.SIGTERM, 143), (None, None)],
                         ids=["q", "Ctrl-C", "TERM", "closed terminal"])
def test_a_run_ends_with_the_dashboard(zk, client, elections, ending, status):
    """However the dashboard ends, a run that goes on ends with it, and nothing of it is left."""
    with Pty([os.path.abspath(PROGRAM), "-s", zk.hosts, "--admin", zk.admin, *elections]) as terminal:
        terminal.shows("host-a:80")
        terminal.keys("i")
        terminal.shows("what will happen")
        terminal.keys("R")
        terminal.shows("y or n")
        terminal.keys("y\r")
        terminal.shows("10 of 10 in line")
        terminal.size(70, 20)  # also in the midst of it
        terminal.shows("STATE", "leads")
        if ending is None:
            terminal.hang_up()
        elif isinstance(ending, str):
            terminal.keys(ending)
        else:
            terminal.process.send_signal(ending)
        ended = wait(terminal.process, 20)
        assert ended == status or (status is None and ended != 0)
    until(lambda: not client.retry(client.exists, SANDBOX))


def test_a_sandbox_that_is_denied_is_said(zk, client, elections, tmp_path):
    """Nothing is begun, and the screen says why and which setting would help."""
    from kazoo.security import make_acl, make_digest_acl
    client.create("/denied", b"", acl=[make_digest_acl("admin", "x", all=True), make_acl("world", "anyone", read=True)])
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters: [{{hosts: '{zk.hosts}', elections: [{{path: /well}}]}}]\n"
                      "inject: {sandbox: /denied/box}\n")
    with dashboard(zk, tmp_path, "-c", str(config)) as terminal:
        terminal.shows("host-a:80")
        press(terminal, ["i"])
        begin(terminal)
        terminal.shows("Nothing was started", "inject: {sandbox:")
        press(terminal, ["Enter"])
        terminal.shows("what will happen")
        press(terminal, ["q"])
        assert terminal.status() == 0


def test_a_server_that_goes_is_shown(zk, client, elections, tmp_path):
    """The server dies in the midst of a run: the picture says so, and when it is back nothing is left over."""
    with dashboard(zk, tmp_path, "-s", zk.hosts, "-t", "4s", *elections) as terminal:
        terminal.shows("host-a:80")
        press(terminal, ["i"])
        begin(terminal)
        terminal.shows("10 of 10 in line")
        zk.kill()
        try:
            terminal.shows("not connected")
        finally:
            zk.start()
        press(terminal, ["X"])
        terminal.shows("What it cost", within=60)
        press(terminal, ["q"])
        assert terminal.status() == 0
    until(lambda: not client.retry(client.exists, SANDBOX))
