"""Test candidates in the dashboard, in a real terminal, on a real server."""
import os

from electop import PROGRAM
from standing import Line
from terminal import Tmux
from waiting import until


def run_to_its_report(dashboard):
    """From the form; ended by hand once a leader has died."""
    dashboard.keys("R")
    dashboard.shows("test candidates in ", " on cluster ", "? y or n")
    dashboard.keys("y", "Enter")
    dashboard.shows("a failover", "costs", within=40)
    dashboard.keys("X")
    return dashboard.shows("What it cost", within=40)


def test_a_run_and_one_that_only_hands_kill(zk, client):
    with Tmux(f"{os.path.abspath(PROGRAM)} -s {zk.hosts} --admin {zk.admin}", cols=120, rows=60) as dashboard:
        dashboard.shows("connected")
        dashboard.keys("i")
        dashboard.shows("for how long")
        run_to_its_report(dashboard)
        dashboard.keys("Enter")  # a new run
        dashboard.shows("for how long")
        dashboard.keys("Down", "Right", "Down", "Down", "Down", "Left")
        dashboard.shows("none is killed")
        dashboard.keys("R", "y", "Enter")
        dashboard.shows("20 of 20 in line", within=40)
        dashboard.keys("K")
        dashboard.shows("19 of 20 in line")
        dashboard.keys("Home", "d")  # the selection has followed the one that died to the end of the list
        dashboard.shows("18 of 20 in line")
        dashboard.keys("X")
        assert "2 were stopped manually." in " ".join(dashboard.shows("What it cost", within=40).split())
        until(lambda: not client.exists("/electop-sandbox"), 20)


def test_live_among_other_elections(zk, client, tmp_path):
    """Of several that are watched one that a pattern allows takes test candidates, once its name was typed; one that
    a pattern forbids takes not even a copy."""
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters:\n  - hosts: {zk.hosts}\n    servers: {{admin: '{zk.admin}'}}\n    elections:\n"
                      "      - {path: /among/live*, inject: live}\n      - {path: /among/never*, inject: never}\n")
    lines = [Line(zk, f"/among/{name}") for name in ("live1", "live2", "never1")]
    for line in lines:
        line.join("a", timeout_s=20)
        line.join("b", timeout_s=20)
    with Tmux(f"{os.path.abspath(PROGRAM)} -c {config}", cols=100, rows=30) as dashboard:
        dashboard.shows("live1", "live2", "never1", "led")
        dashboard.keys("/", *"never1", "Enter", "i")
        dashboard.shows("says inject: never")
        dashboard.keys("Escape", "Escape", "/", *"live2", "Enter", "i")
        dashboard.shows("a copy of /among/live2")
        dashboard.keys("Right", "Down", "Left", "Left", "Left")  # two of them
        dashboard.shows("2 test candidates", "writes into the live election /among/live2")
        dashboard.keys("R", *"/among/live2", "Enter")
        dashboard.shows("2 of 2 in line", within=40)
        names = [sorted(client.get_children(f"/among/{name}"), key=lambda name: name[-10:])
                 for name in ("live1", "live2", "never1")]
        assert [len(line) for line in names] == [2, 4, 2]
        assert names[1][:2] == [member.name for member in lines[1].members]
        dashboard.keys("X")
        dashboard.shows("At least 2 real candidates before them", within=40)
        assert len(client.get_children("/among/live2")) == 2
    for line in lines:
        line.close()


def test_enter_writes_nothing_and_q_asks(zk, client):
    """Enter changes a field; only R and a y start a run; q during a run asks first."""
    with Tmux(f"{os.path.abspath(PROGRAM)} -s {zk.hosts} --admin {zk.admin}", cols=120, rows=40) as dashboard:
        dashboard.shows("connected")
        dashboard.keys("i")
        dashboard.shows("for how long")
        dashboard.keys("Down", "Enter")
        dashboard.shows("how many test candidates (1 to 10000)")
        dashboard.keys("7", "Enter")
        dashboard.shows("7 test candidates")
        dashboard.keys("Enter", *"none", "Enter")
        dashboard.shows('"none"', "7 test candidates")
        dashboard.keys("R", "n", "Enter")
        dashboard.shows("Nothing was started")
        assert not client.exists("/electop-sandbox")
        dashboard.keys("R", "y", "Enter")
        dashboard.shows("7 of 7 in line", within=40)
        dashboard.keys("q")
        dashboard.shows("q again ends the run")
        dashboard.keys("q")
        assert dashboard.status() == 0
        until(lambda: not client.exists("/electop-sandbox"), 30)
