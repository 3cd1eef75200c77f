"""Sessions that never stay where they are: each server is asked at a time of its own, so that every list may miss them,
time and again. What is said of them with certainty must be right all the same."""
import random
import threading
import time

import pytest

from electop import Events
from ensemble import Ensemble
from standing import Findings, Line, configuration
from waiting import until

LIMIT_S = 200
MOVING_S = 50
# A second and less at each server, which is asked every two.
STAYS_S = (0.3, 1.9)


@pytest.fixture
def zk():
    ensemble = Ensemble(3, tick_ms=1000, config=("maxSessionTimeout=60000",))
    yield ensemble
    ensemble.close()


class Mover:
    """A member that goes from server to server, and sets its watch again wherever it comes."""

    def __init__(self, zk, member, before, seed):
        self.zk, self.member, self.before, self.moves = zk, member, before, 0
        self.random, self.over = random.Random(seed), threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.over.wait(self.random.uniform(*STAYS_S)):
            here = self.member.session.address
            self.member.session = self.member.session.move(self.random.choice([a for a in self.zk.addresses if a != here]))
            self.member.watches(self.before)
            self.moves += 1

    def rest(self):
        self.over.set()
        self.thread.join()


def test_sessions_that_never_stay(zk, tmp_path):
    """Members that move about are never told to be without a connection with certainty; one that is without, is. Once
    they rest, nothing stands but that."""
    line = Line(zk, "/moving")
    movers = []
    try:
        with Events(None, "--config", configuration(tmp_path, zk, {line.path: {}}, "2s")) as events:
            findings = Findings(events)
            until(lambda: line.path in zk.watched_paths(), 20, "it is watched")
            members = [line.join(str(i), timeout_s=8 if i else 60, at=zk.addresses[i % 3]) for i in range(7)]
            findings.expect_seen(line)
            movers = [Mover(zk, members[i], members[i - 1], i) for i in range(1, 7)]
            time.sleep(MOVING_S)  # the moves themselves
            members[0].session.drop()
            lost = findings.expect(line.path, "owner-disconnected", 50, certainty="certain", severity="error")
            assert lost["candidates"] == [members[0].name] and "heard nothing from it since" in lost["evidence"], lost
            for mover in movers:
                mover.rest()
            moves = sum(mover.moves for mover in movers)
            assert moves > MOVING_S * 2, "they did not move"
            until(lambda: list(findings.now(line.path)) == [("owner-disconnected", members[0].name)], 60, "they rest")
            told = [finding for word, finding in findings.told(line.path) if word == "finding-raised"]
            print(f"{moves} moves; suspected on the way: {[f['code'] for f in told if f['certainty'] == 'suspected']}")
            certain = [finding for finding in told if finding["certainty"] == "certain"]
            assert [finding["candidates"] for finding in certain] == [[members[0].name]], certain
    finally:
        for mover in movers:
            mover.over.set()
        for mover in movers:
            mover.thread.join()
            line.sessions.append(mover.member.session)
        line.close()
