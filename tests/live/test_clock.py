"""The recorder's wall clock is set while leaders change: each change is told once, in order, and no time is invented."""
import datetime
import json
import os
import time

import pytest
from electop import run
from recorder import Recorder
from patience import stretched
from waiting import until
from wall_clock import WallClock

pytestmark = pytest.mark.hiding
LIMIT_S = 120
HOUR_S = 3600


class Line:
    """Candidates in line, whose leaders end one after the other under a recorder with a clock of its own."""

    def __init__(self, zk, path, folder):
        self.clock = WallClock(str(folder))
        self.standing, self.ended = [], []
        for number in range(4):
            client = zk.client()
            name = client.create(f"{path}/n_", b"app-%d" % number, ephemeral=True, sequence=True, makepath=True)
            self.standing.append((client, name.rsplit("/", 1)[1]))
        self.recorder = Recorder(folder, zk.hosts, elections=f"[{{path: {path}}}]", env={**os.environ, **self.clock.environment})
        self.seen_to_lead()

    def seen_to_lead(self):
        name = self.standing[0][1]
        until(lambda: self.recorder.ask("select 1 from tenures where candidate = ? and kind = 'led'", name))

    def next(self):
        client, name = self.standing.pop(0)
        client.stop()
        self.ended.append(name)
        self.seen_to_lead()
        count = len(self.ended)
        self.recorder.wait_for("select 1 from failovers", count)

    def set_clock(self, seconds):
        before = len(self.stretches())
        self.clock.set(seconds)
        until(lambda: len(self.stretches()) > before, what="the recorder noticed that its clock was set")

    def stretches(self):
        return self.recorder.ask("select id from stretch")

    def report(self):
        assert self.recorder.end() == 143, self.recorder.complaints
        done = run("report", "--json", "--replay", self.recorder.file, within=60)
        assert done.status == 0, done
        return json.loads(done.out)


@pytest.fixture
def line(zk, path, tmp_path):
    made = Line(zk, path, tmp_path)
    yield made
    made.recorder.process.kill()  # where the test broke off


@pytest.mark.parametrize("first", (HOUR_S, -HOUR_S), ids=("forward", "back"))
def test_the_clock_is_set_and_set_again(line, first):
    line.next()
    line.set_clock(first)
    line.next()
    line.set_clock(0)
    line.next()
    last = line.standing[0][1]
    report = line.report()
    election = report["elections"][0]
    assert len(report["clock_set"]) == 2, report["clock_set"]

    # In the order in which they happened, whatever the clock showed; and as long as they were.
    told = line.recorder.ask("select from_candidate, to_candidate, gap_ms, detection_high_ms, vacancy_high_ms "
                             "from failovers order by id")
    assert [row[0] for row in told] == line.ended
    assert [row[1] for row in told] == [*line.ended[1:], last]
    for row in told:
        assert row[2] is None, row
        assert all(part is None or 0 <= part < HOUR_S * 500 for part in row[3:]), row

    # No leader led for an hour, and nobody failed to watch.
    assert election["leader_changes_missed"] == 0, election
    assert all(leader["longest_ms"] < HOUR_S * 500 for leader in election["leaders"]), election["leaders"]
    text = run("report", "--replay", line.recorder.file, within=60).out
    assert text.count("clock was set") == 2, text
    assert "not watched" not in text and "nothing was observed" not in text and "gap" not in text.lower(), text
    # The recording's end is what was recorded last, not the latest time that the clock showed.
    state = json.loads(run("once", "--json", "--replay", line.recorder.file, within=60).out)
    assert state["clusters"][0]["elections"][0]["leader"]["name"] == last, state


@pytest.mark.shown
@pytest.mark.parametrize("ahead", (HOUR_S, -HOUR_S), ids=("ahead", "behind"))
def test_the_servers_clock_is_another(zk, path, tmp_path, ahead):
    """A Stat has the servers' time: an age is by one clock, and what is said of when is by the observer's."""
    client = zk.client()
    client.create(f"{path}/n_", b"app-1", ephemeral=True, sequence=True, makepath=True)
    made = time.time() + ahead
    world = {**os.environ, **WallClock(str(tmp_path), ahead).environment}

    def look(*more):
        done = run("once", "--json", "-s", zk.hosts, "--admin", zk.admin, *more, path, env=world, within=60)
        election, = json.loads(done.out)["clusters"][0]["elections"]
        return election

    election = look()
    times = [election["candidates"][0]["created"], election["leader"]["since"]]
    client.stop()
    times.append(look("--transactions", zk.directory)["lost"]["since"])  # the log's clock is the servers', too
    seconds = [datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() for text in times]
    assert all(abs(second - made) < stretched(30) for second in seconds), (times, made)
