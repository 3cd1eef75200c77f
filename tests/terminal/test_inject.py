"""Test candidates in the dashboard, in a real terminal, on a real server."""
import os

from electop import PROGRAM
from terminal import Tmux
from waiting import until


def run_to_its_report(dashboard):
    """From the form; ended by hand once a leader has died."""
    dashboard.keys("Enter")
    dashboard.shows("a failover", "costs", within=40)
    dashboard.keys("X")
    return dashboard.shows("What it cost", within=40)


def test_two_runs_side_by_side(zk, client):
    """A run, then the same of another behaviour: its report begins with both; one that differs in more stands alone."""
    with Tmux(f"{os.path.abspath(PROGRAM)} -s {zk.hosts} --admin {zk.admin}", cols=120, rows=60) as dashboard:
        dashboard.shows("connected")
        dashboard.keys("i")
        dashboard.shows("for how long")
        assert "Side by side" not in run_to_its_report(dashboard)
        dashboard.keys("Enter")  # a new run
        dashboard.shows("for how long")
        dashboard.keys("Down", "Down", "Down", "Right")
        screen = run_to_its_report(dashboard)
        assert "Side by side" in screen and "against recipe: a failover took" in screen
        dashboard.keys("Enter")
        dashboard.shows("for how long")
        dashboard.keys("Up", "Up", "Right")
        assert "Side by side" not in run_to_its_report(dashboard)
        until(lambda: not client.exists("/electop-sandbox"), 20)
