"""The dashboard records, too, where its configuration speaks of a history."""
import os
import shlex
import sqlite3

import pytest

from electop import PROGRAM
from terminal import Pty, Tmux
from waiting import until


@pytest.fixture(scope="module")
def election(client):
    client.ensure_path("/election")
    client.create("/election/n_", b"host-a:8081", ephemeral=True, sequence=True)
    return "/election"


def dashboard(folder):
    return Tmux(" ".join(map(shlex.quote, [os.path.abspath(PROGRAM), "-c", str(folder / "config.yaml")])), cols=140)


def test_the_dashboard_records_and_says_when_it_cannot(zk, election, tmp_path):
    """One of two dashboards records; the other one shows all the same, and says why it does not record."""
    file = tmp_path / "history.db"
    (tmp_path / "config.yaml").write_text(f"clusters: [{{name: prod, hosts: '{zk.hosts}', elections: [{{path: {election}}}]}}]\n"
                                          f"history: {{file: {file}}}\n")
    with dashboard(tmp_path) as first:
        first.shows("host-a:8081")
        until(file.exists)
        with dashboard(tmp_path) as second:
            second.shows("host-a:8081", "is recording into it already")
            said = [line for line in second.screen(escapes=True).splitlines() if "is recording into it already" in line]
            assert "\x1b[1m" not in said[0]  # as beside a service: no alarm
            second.keys("q")
            assert second.status() == 0
        first.keys("q")
        assert first.status() == 0
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT election, identity FROM tenures WHERE kind = 'led'").fetchall() == [(election, "host-a:8081")]


def test_no_place_for_a_recording_of_its_own(zk, election):
    """Going back tells why it cannot, and what to do."""
    screen = Pty([PROGRAM, "watch", "-s", zk.hosts, election], cols=160, env={"TMPDIR": "/nonexistent"})
    try:
        screen.shows("host-a:8081")
        screen.keys("T")
        screen.shows("you cannot go back in time: cannot create a directory in /nonexistent", "set TMPDIR")
    finally:
        screen.close()
