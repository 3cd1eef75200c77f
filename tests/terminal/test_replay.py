"""Moving in time in a real terminal: a recording, and what a live dashboard keeps of its own run."""
import glob
import os
import shlex
import sqlite3
import time

import pytest

from electop import PROGRAM
from recorder import Recorder
from terminal import Pty, Tmux
from waiting import until


def stand(client, who):
    return client.create("/election/n_", who, ephemeral=True, sequence=True)


@pytest.fixture
def members(client):
    client.ensure_path("/election")
    for name in client.get_children("/election"):
        client.delete(f"/election/{name}")
    return [stand(client, who) for who in (b"host-a:1", b"host-b:1", b"host-c:1")]


def program(*arguments):
    return " ".join(shlex.quote(word) for word in (os.path.abspath(PROGRAM), *arguments))


@pytest.fixture
def recorded(zk, client, members, tmp_path):
    """Two changes of leader, from a to b to c, and then nobody records any more."""
    recorder = Recorder(tmp_path, zk.hosts)
    recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    for count, path in enumerate(members[:2]):
        client.delete(path)
        recorder.wait_for("SELECT 1 FROM failovers", count + 1)
    recorder.end()
    return recorder


@pytest.fixture
def recording(recorded):
    return recorded.file


def test_keys_move_in_time(recording):
    """< and > go to just before a failover, t and T by an event, ^ and $ to both ends, b to a time; the title
    says which moment it is, and every screen shows it."""
    with Tmux(program("replay", recording), 120, 36) as terminal:
        terminal.shows("REPLAY", "host-c:1")
        terminal.keys("<")
        terminal.shows("host-b:1")
        terminal.keys("<")
        terminal.shows("host-a:1")
        terminal.keys("Enter")
        terminal.shows("host-a:1", "host-b:1", "host-c:1", "REPLAY")
        terminal.hides("leader lost")
        terminal.keys("t")
        terminal.shows("leader lost")
        terminal.keys("T")
        terminal.hides("leader lost")
        terminal.keys("Escape")
        terminal.hides("next number")  # else both keys may arrive as one: Alt and ^
        terminal.keys("^")
        terminal.shows("not connected then")  # that is how every recording begins
        terminal.keys("$")
        terminal.shows("host-c:1")
        terminal.keys("b")
        terminal.shows("go to")
        terminal.keys("1999-01-01T00:00Z", "Enter")
        terminal.shows("the recording begins at", "not connected then")
        terminal.keys("L")
        terminal.shows("there is no live display")
        terminal.keys("q")
        assert terminal.status() == 0


def test_history_leads_to_a_failover(recording):
    """h shows who led when and both failovers; Enter on one shows the election just before it."""
    with Tmux(program("replay", recording), 120, 36) as terminal:
        terminal.shows("REPLAY", "host-c:1")
        terminal.keys("h")
        screen = terminal.shows("2 failovers", "3 leaders", "host-a:1 → host-b:1", "host-b:1 → host-c:1")
        lanes = [line.split()[0] for line in screen.splitlines() if set(line) & set("▏▎▍▌▋▊▉█▐▕")]
        assert [lane for lane in lanes if lane.startswith("host")] == ["host-c:1", "host-b:1", "host-a:1"], screen
        terminal.keys("Down", "Enter")
        terminal.shows("host-a:1", "host-b:1", "host-c:1", "REPLAY")
        terminal.keys("Escape")
        terminal.shows("2 failovers")


def test_an_event_leads_to_its_moment(recording):
    """Enter on an event shows its election as it stood then; Esc leads back to the events, of which it is the latest."""
    with Tmux(program("replay", recording), 120, 36) as terminal:
        terminal.shows("REPLAY", "host-c:1")
        terminal.keys("v", "/", "leader lost", "Enter")
        terminal.shows("2 events")
        terminal.keys("Down", "Enter")
        screen = terminal.shows("leaves now", "host-b:1", "REPLAY")
        assert "host-b:1 → host-c:1" not in screen, screen
        terminal.keys("Escape")
        terminal.shows("1 event ")


def test_what_if_at_a_past_moment(zk, client, path, tmp_path):
    """A recording that holds the watches answers what would have happened then, and not what would now: b was watching
    the leader and c was watching nobody, until the leader went."""
    client.ensure_path(path)
    clients = [zk.client() for _ in range(3)]
    paths = [one.create(f"{path}/n_", b"host-%c:1" % letter, ephemeral=True, sequence=True)
             for one, letter in zip(clients, b"abc")]
    clients[1].get(paths[0], watch=lambda _: None)
    recorder = Recorder(tmp_path, zk.hosts, elections=f"[{{path: {path}}}]")
    recorder.wait_for("SELECT 1 FROM findings WHERE code = 'no-watch'")
    client.delete(paths[0])
    recorder.wait_for("SELECT 1 FROM failovers")
    recorder.end()
    with Tmux(program("replay", recorder.file), 120, 40) as terminal:
        terminal.shows("REPLAY", "host-b:1", "2 candidates")
        terminal.keys("h")
        terminal.shows("› history", "host-a:1 → host-b:1")
        terminal.keys("Down", "Enter")
        terminal.shows("REPLAY", "led by", "3 candidates")
        terminal.keys("w")
        screen = terminal.shows("what if n_…0 leaves?", "When n_…0 leaves", "then n_…1 leaves")
        goes = {line.split()[2]: line for line in screen.splitlines() if line.split()[1:2] in (["When"], ["then"])}
        assert "host-b:1 notified, leads" in goes["n_…0"], screen
        assert "host-c:1 leads, if notified" in goes["n_…1"], screen
        terminal.keys("Down")
        terminal.shows("what if n_…1 leaves?", "host-c:1 must be notified")
    with Pty([PROGRAM, "replay", recorder.file], 120, 40) as terminal:
        terminal.shows("REPLAY", "host-b:1", "2 candidates")
        terminal.keys("h\033[B\r")  # in one piece: the list is there when its keys come
        terminal.shows("REPLAY", "led by", "3 candidates")
    for one in clients:
        one.stop()


def test_the_screen_of_an_autopsy(zk, client, path):
    """The logs alone lead from the failover in the history to its story."""
    client.ensure_path(path)
    own = [client.create(f"{path}/n_", who, ephemeral=True, sequence=True) for who in (b"host-a:1", b"host-b:1")]
    client.delete(own[0])
    time.sleep(2)  # the history shows what was before the latest transaction
    client.set(path, b"later")
    with Tmux(program("autopsy", zk.directory, "--screen", "--election", path), 120, 40) as terminal:
        terminal.shows("REPLAY", path, "host-b:1")
        terminal.keys("h")
        terminal.shows("› history", "host-a:1 → host-b:1", "resigned")
        terminal.keys("x")
        terminal.shows("moved from host-a:1 to host-b:1", "its own session deleted its", "transaction 0x")
        terminal.keys("q")
        assert terminal.status() == 0


def test_a_recording_plays(recording):
    """Space plays and stops by itself at the end, beyond which there is nothing to play."""
    with Tmux(program("replay", recording), 120, 36) as terminal:
        terminal.shows("REPLAY", "host-c:1")
        terminal.keys("^")
        terminal.shows("not connected then")
        terminal.keys("Space")
        terminal.shows("host-c:1", "Space play")
        terminal.keys("$", "Space")
        terminal.shows("the recording ends here")


def leads_in(folder):
    """What a dashboard records for its own run tells who leads."""
    [file] = glob.glob(f"{folder}/electop-*/history.db")
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10) as db:
        try:
            return db.execute("SELECT 1 FROM tenure WHERE kind = 'led'").fetchall()
        except sqlite3.OperationalError:
            return []  # it is being made


def test_live_goes_back_and_comes_again(zk, client, members, tmp_path):
    """T goes into the past of this run while gathering goes on; L leads back; nothing of it stays behind."""
    with Tmux(program("-s", zk.hosts, "/election"), 120, 36, {"TMPDIR": str(tmp_path)}) as terminal:
        terminal.shows("host-a:1")
        assert os.listdir(tmp_path)
        until(lambda: leads_in(tmp_path))  # on a slow machine pictures are taken once a second: there must be one
        client.delete(members[0])
        terminal.shows("host-b:1")

        def seen_again():
            terminal.keys("<")
            return terminal.shows("REPLAY", "host-a:1", within=2)

        until(seen_again, 20)
        client.delete(members[1])
        terminal.keys("L")
        terminal.shows("host-c:1")
        terminal.hides("REPLAY")
        terminal.keys("v", "/", "leader elected", "Enter")
        terminal.shows("replay", "2 events")
        terminal.keys("Down", "Enter")
        terminal.shows("REPLAY", "led by", "host-b:1")
        terminal.keys("L")
        terminal.hides("REPLAY")
        terminal.shows("led by", "host-c:1")
        terminal.keys("<")
        terminal.shows("REPLAY")
        while "REPLAY" in (shown := terminal.screen()):
            terminal.keys("Escape")  # ends the filter, leaves the screens, and from the overview the past
            until(lambda before=shown: terminal.screen() != before, 30, "Esc leads on")
        terminal.keys("q")
        assert terminal.status() == 0
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("cols, rows", [(80, 24), (40, 10)])
def test_small(recording, cols, rows):
    """Also in a small terminal the moment and the line of time are there."""
    with Tmux(program("replay", recording), cols, rows) as terminal:
        terminal.shows("REPLAY", "┃")
        terminal.keys("h")
        terminal.shows("failovers")


def test_a_live_dashboard_begins_with_what_its_history_holds(recorded):
    """Who led before, the change of leader, its events: they are on the screen before anything happens; and what it
    records itself does not tell them twice."""
    before = recorded.ask("SELECT count(*) FROM tenures WHERE candidate IS NOT NULL AND until IS NOT NULL")[0][0]
    with Tmux(program("-c", str(recorded.config)), 120, 36) as terminal:
        terminal.shows("host-c:1", "host-b:1 → host-c:1", "leader lost")
        row = next(line for line in terminal.screen().splitlines() if "/election" in line)
        assert "≤" not in row  # since when it leads was seen
        terminal.keys("Enter")
        terminal.shows("Last change", "leadership", "host-a:1", "host-b:1")
        recorded.wait_for("SELECT 1 FROM stretch", 2)
        terminal.keys("q")
    told = recorded.ask("SELECT kind, candidate FROM tenures WHERE until IS NOT NULL AND candidate IS NOT NULL")
    assert len(told) == before + 1, told
