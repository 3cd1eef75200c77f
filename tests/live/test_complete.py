"""`electop autopsy DIR --into RECORDING`: the servers' logs complete what was recorded from afar."""
import json
import os
import signal
import sqlite3
import tempfile
import time

import pytest
from electop import run
from ensemble import session_of
from recorder import Recorder
from truth import moment
from waiting import until

PATH = "/orders/leader"
FAR = "--admin", "off", "--four-letter", "off", "-t", "2s"


def stand(zk, name, timeout=4):
    client = zk.client(timeout=timeout)
    return client, client.create(f"{PATH}/n_", name.encode(), ephemeral=True, sequence=True)


def ask(file, sql):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def replayed(file, *more):
    done = run("events", "--json", "--replay", file, *more, within=60)
    assert done.status == 0, done
    return [json.loads(line) for line in done.out.splitlines()]


def complete(zk, file, *more):
    """Nothing of the logs is left beside the recording."""
    with tempfile.TemporaryDirectory() as folder:
        done = run("autopsy", zk.directory, "--into", str(file), *more, within=60, env={"TMPDIR": folder})
        assert not os.listdir(folder), os.listdir(folder)
    return done.status, done.err


class Recorded:
    """Six leaders go: two while they are watched, two while nobody records, one while the recorder stands still."""

    def __init__(self, zk, folder):
        self.zk, self.folder = zk, folder
        zk.client().ensure_path(PATH)
        self.stands = [stand(zk, f"app-{i}") for i in range(8)]
        self.order = [f"app-{i}" for i in range(6)]
        self.causes = ["closed", "resigned", "evicted", "closed", "resigned", "evicted"]
        self.begin()
        self.go(0)
        self.told(1)
        self.go(1)
        self.told(2)
        assert self.recorder.end() == 143
        time.sleep(1.2)
        self.go(2)
        self.go(3)
        time.sleep(1.2)
        self.begin()
        # A part of this stretch is observed before it stands still.
        self.recorder.wait_for("SELECT 1 FROM stretch WHERE id = 2 AND to_us - from_us > 1500000")
        self.recorder.process.send_signal(signal.SIGSTOP)
        self.go(4)
        time.sleep(4)
        self.recorder.process.send_signal(signal.SIGCONT)
        self.recorder.wait_for("SELECT 1 FROM tenures WHERE identity = 'app-5'")
        self.go(5)
        self.recorder.wait_for("SELECT 1 FROM failovers WHERE from_identity = 'app-5'")
        assert self.recorder.end() == 143
        self.file = self.recorder.file

    def begin(self):
        self.recorder = Recorder(self.folder, self.zk.hosts, *FAR, elections=f"[{{path: {PATH}}}]")
        began = self.recorder.ask("SELECT count(*) FROM events WHERE event = 'election-seen'")
        self.recorder.wait_for("SELECT 1 FROM events WHERE event = 'election-seen'", (began or [(0,)])[0][0] + 1)

    def told(self, count):
        self.recorder.wait_for("SELECT 1 FROM failovers", count)

    def go(self, i):
        client, own = self.stands[i]
        if self.causes[i] == "closed":
            client.stop()
        elif self.causes[i] == "resigned":
            client.delete(own)
        else:
            self.stands[-1][0].delete(own)
        until(lambda: own.rsplit("/", 1)[1] not in self.stands[-1][0].get_children(PATH))


@pytest.fixture(scope="module", name="recorded")
def fixture_recorded(zk, tmp_path_factory):
    return Recorded(zk, tmp_path_factory.mktemp("recorded"))


@pytest.fixture(name="file")
def fixture_file(recorded, tmp_path):
    with sqlite3.connect(recorded.file) as source, sqlite3.connect(tmp_path / "history.db") as copy:
        source.backup(copy)
    return str(tmp_path / "history.db")


FAILOVERS = "SELECT from_identity, cause, certainty, source FROM failovers ORDER BY lost"


def test_before(recorded):
    """From afar no cause is certain, and what happened meanwhile is missing: else the rest proves nothing."""
    rows = ask(recorded.file, FAILOVERS)
    assert {cause for _, cause, _, _ in rows} <= {"ended", "deleted", "unknown"}, rows
    assert not [row for row in rows if row[0] == "app-3"], rows


def test_completed(recorded, file):
    """Every failover is there once, in order, with its true cause; observed ones keep their times."""
    observed = dict(ask(file, "SELECT from_identity, lost FROM failovers WHERE gap_ms IS NULL"))
    gaps = ask(file, "SELECT since, until FROM gaps WHERE seconds > 1")
    assert len(gaps) >= 2, ask(file, "SELECT * FROM gaps")
    status, said = complete(recorded.zk, file)
    assert status == 0 and "made certain" in said, said
    rows = ask(file, FAILOVERS)
    assert [(who, cause) for who, cause, _, _ in rows] == list(zip(recorded.order, recorded.causes)), rows
    assert {certainty for _, _, certainty, _ in rows} == {"certain"}
    sources = {who: source for who, _, _, source in rows}
    assert [sources[f"app-{i}"] for i in (0, 1, 2, 3, 5)] == ["both", "both", "log", "log", "both"], rows
    now = dict(ask(file, "SELECT from_identity, lost FROM failovers"))
    assert all(now[who] == lost for who, lost in observed.items())
    assert not ask(file, "SELECT * FROM gaps WHERE seconds > 1"), said
    # A tenure is of the stretch that was being recorded then: of another one its time counts as not watched.
    assert not ask(file, "SELECT t.* FROM tenure t JOIN stretch s ON s.id = t.stretch"
                         " WHERE t.from_us NOT BETWEEN s.from_us AND s.to_us"), said
    events = replayed(file)
    times = [moment(event["time"]) for event in events]
    assert all(b > a - 1 for a, b in zip(times, times[1:])), [(event["time"], event["event"]) for event in events]
    told = [event["failover"]["cause"] for event in events if event["event"] == "failover"]
    assert told == recorded.causes
    assert ask(file, "PRAGMA integrity_check") == [("ok",)]


def test_every_moment_shows_who_led(recorded, file):
    """The state of a time that nobody watched is shown, and of the times before and behind it as well."""
    before = {at: leader_at(file, at) for at in moments(file)}
    assert complete(recorded.zk, file)[0] == 0
    leaders = ask(file, "SELECT identity, since, coalesce(until, since) FROM tenures WHERE kind = 'led' ORDER BY since")
    assert list(dict.fromkeys(who for who, _, _ in leaders)) == [*recorded.order, "app-6"]
    for a, b in zip(leaders, leaders[1:]):
        assert a[2] <= b[1], leaders
    for who, since, until_ in leaders:
        if moment(until_) - moment(since) > 0.3:
            assert leader_at(file, (moment(since) + moment(until_)) / 2) == who
    for at, who in before.items():
        assert who is None or leader_at(file, at) == who


def moments(file):
    return [moment(at) + 0.2 for at, in ask(file, "SELECT lost FROM failovers WHERE gap_ms IS NULL")]


def leader_at(file, at):
    done = run("once", "--json", "--replay", file, "--at", time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
               + f".{int(at % 1 * 1000):03d}Z", within=60)
    if done.status:
        return None
    election = json.loads(done.out)["clusters"][0]["elections"][0]
    return election["leader"]["identity"] if election["leader"] else None


def test_again_and_further(recorded, file):
    """A second completion changes nothing; and a recorder goes on in the file."""
    assert complete(recorded.zk, file)[0] == 0
    tables = ("failovers", "events", "tenures", "gaps", "facts")
    once = {table: ask(file, f"SELECT * FROM {table}") for table in tables}
    status, said = complete(recorded.zk, file)
    assert status == 0 and said.startswith(f"electop: {file}: 0 causes made certain, 0 unobserved failovers added"), said
    for table in tables[:1] + tables[2:]:
        assert [row[:-1] for row in ask(file, f"SELECT * FROM {table}")] == [row[:-1] for row in once[table]], table


def test_refused(recorded, file, tmp_path):
    """Not while somebody records, not with logs of another cluster, not into what is no recording."""
    (tmp_path / "held").mkdir()
    holder = Recorder(tmp_path / "held", recorded.zk.hosts, *FAR, elections=f"[{{path: {PATH}}}]")
    holder.wait_for("SELECT 1 FROM stretch")
    until(lambda: "electop" in complete(recorded.zk, holder.file)[1])
    status, said = complete(recorded.zk, holder.file)
    assert status == 2 and "record" in said, said
    holder.end()
    with sqlite3.connect(file) as db:
        db.execute("UPDATE name SET text = 'z' || text")
    status, said = complete(recorded.zk, file)
    assert status == 2 and "are they from this cluster" in said, said
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE x (y)")
    status, said = complete(recorded.zk, other)
    assert status == 2 and "not a recording of electop" in said, said


def test_a_clock_that_is_ahead(recorded, file):
    """The recorder's clock may be another one: what both have shows by how much."""
    ahead = 3_600_000_000
    with sqlite3.connect(file) as db:
        for table, columns in (("stretch", ("from_us", "to_us")), ("event", ("at_us",)), ("gap", ("from_us", "to_us")),
                               ("failover", ("lost_us", "elected_us")), ("tenure", ("from_us", "to_us")),
                               ("chunk", ("from_us",)), ("patch", ("at_us",))):
            for column in columns:
                db.execute(f"UPDATE {table} SET {column} = {column} + {ahead}")
    status, said = complete(recorded.zk, file)
    assert status == 0 and "ahead of" in said, said
    rows = ask(file, FAILOVERS)
    assert [(who, cause) for who, cause, _, _ in rows] == list(zip(recorded.order, recorded.causes)), rows
