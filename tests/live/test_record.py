"""Recording a real election: what `electop record` leaves behind, and how it ends."""
import calendar
import json
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import time

import pytest

from electop import run
from patience import strain
from recorder import Recorder
from truth import moment
from waiting import until

# How often a recorder is killed; ELECTOP_KILLS=200 to be sure.
KILLS = int(os.environ.get("ELECTOP_KILLS", "12"))
pytestmark = pytest.mark.hiding
LIMIT_S = max(90, 5 * KILLS)


@pytest.fixture
def recorder(zk, tmp_path):
    started = []

    def start(*arguments, **more):
        started.append(Recorder(tmp_path, zk.hosts, *arguments, **more))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture
def standing(client):
    """Two candidates; the first one is deleted to change the leader."""
    client.ensure_path("/election")
    for name in client.get_children("/election"):
        client.delete(f"/election/{name}")

    def stand():
        return client.create("/election/n_", b"host-a:1", ephemeral=True, sequence=True)

    stand.delete = client.delete
    stand.paths = [stand(), stand()]
    return stand


@pytest.mark.shown
def test_a_change_of_leader_is_recorded(recorder, standing):
    """What people query is there in words, while it is being recorded, and SIGTERM ends it with all of it."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    assert any(r.file in line for line in r.said)
    first, second = (path.split("/")[-1] for path in standing.paths)
    standing.delete(standing.paths[0])
    rows = r.wait_for("SELECT from_candidate, candidate, cluster, election FROM events WHERE event = 'leader-elected'")
    assert rows[-1] == (first, second, "prod", "/election")
    standing.delete(standing.paths[1])
    r.wait_for("SELECT 1 FROM events WHERE event = 'leader-lost'", 2)  # a signal may be faster than the notification
    assert r.end() == 128 + signal.SIGTERM
    assert r.ask("SELECT candidate FROM events WHERE event = 'leader-lost' ORDER BY id")[-1] == (second,)
    assert [row[0] for row in r.ask("SELECT candidate FROM tenures WHERE kind = 'led'")] == [first, second]
    assert os.stat(r.file).st_mode & 0o027 == 0     # others may not read it
    assert r.ask("PRAGMA integrity_check") == [("ok",)]


def test_a_second_recorder_is_told(recorder, standing):
    """One writer at a time; the other one learns who is first, and changes nothing."""
    r = recorder()
    r.wait_for("SELECT 1 FROM stretch")
    second = run("record", "-c", str(r.config))
    assert second.status == 2 and str(r.process.pid) in second.err and r.file in second.err, second
    assert r.end() == 128 + signal.SIGTERM


def test_the_time_between_two_recorders_is_a_gap(recorder, standing):
    """What nobody watched is in there as such."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    r.end()
    again = recorder()
    again.wait_for("SELECT 1 FROM stretch", 2)
    assert [row[0] for row in again.ask("SELECT why FROM gaps WHERE cluster IS NULL")] == ["not recording"]
    again.end()


def test_changes_between_two_recorders_are_counted(recorder, standing):
    """The leader changed while no recorder ran: each gap has one change, found after it, as a lost connection has; and the
    sequence numbers tell how many stood meanwhile."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    for restart in range(1, 4):
        r.end()
        before = standing.paths[0].rsplit("/", 1)[1]
        for _ in range(restart):
            standing.delete(standing.paths.pop(0))
            standing.paths.append(standing())
            standing.delete(standing())  # it led nobody, but it stood
        after = standing.paths[0].rsplit("/", 1)[1]
        r = recorder()
        told = r.wait_for("SELECT from_candidate, to_candidate FROM failovers WHERE gap_ms > 0 ORDER BY id", restart)
        assert told[restart - 1:] == [(before, after)], told
    r.end()
    done = run("report", "--json", "--replay", r.file)
    (election,) = json.loads(done.out)["elections"]
    assert (election["leader_changes"], election["leader_changes_missed"]) == (0, 3), election
    # Of those that joined in a gap the last two, at most, were still there.
    assert election["unseen"] == {"joined": 1 + 2 + 4, "left": 1 + 2 + 4}, election


def test_a_recorder_that_ends_at_once_counts_them_too(recorder, standing):
    """Its end does not wait for a cause, and the next one knows nothing of the change."""
    for restart in range(3):
        r = recorder()
        r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'", restart + 1)
        r.end()
        standing.delete(standing.paths.pop(0))
        standing.paths.append(standing())
    assert len(r.ask("SELECT 1 FROM failovers WHERE gap_ms > 0")) == 2


def test_what_was_not_heard_was_not_watched(recorder, standing, zk):
    """A server that says nothing is noticed to do so only later: nobody knows what happened since it was heard."""
    r = recorder("-t", "4s")
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    frozen_us = time.time() * 1e6
    zk.freeze()
    try:
        r.wait_for("SELECT 1 FROM events WHERE event = 'connection' AND state = 'disconnected' AND gap_ms > 1000")
    finally:
        zk.thaw()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'", 2)
    assert r.ask("SELECT from_us <= ?, why FROM gap WHERE cluster IS NOT NULL", frozen_us) == [(1, "not connected")]
    assert r.ask("SELECT to_us <= ? FROM tenure WHERE kind = 'led' ORDER BY id LIMIT 1", frozen_us) == [(1,)]
    r.end()


def test_a_query_leaves_the_recorder_its_file(recorder, standing):
    """A recorder has read its file before it goes on in it: whoever asks it with `sqlite3` is not the last to have
    it open, and what happens afterwards is in it."""
    def asked(file, sql):   # all by others, who keep nothing open in this process
        done = subprocess.run(["sqlite3", "-cmd", ".timeout 5000", file, sql], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.strip()

    led = "SELECT count(*) FROM tenures WHERE kind = 'led'"
    r = recorder()
    until(lambda: asked(r.file, led) == "1")
    r.end()
    again = recorder()
    until(lambda: asked(again.file, led) == "2")
    assert os.path.exists(again.file + "-wal")
    standing.delete(standing.paths[0])
    until(lambda: asked(again.file, "SELECT count(*) FROM events WHERE event = 'leader-elected'") == "1")
    assert again.end() == 128 + signal.SIGTERM


def test_hangup_reads_the_configuration_again(recorder, standing, tmp_path):
    """A wrong configuration is told and the old one goes on; a right one is taken over; the log has both."""
    log = tmp_path / "log"
    r = recorder("--log", str(log))
    r.wait_for("SELECT 1 FROM stretch")
    good = r.config.read_text()
    r.config.write_text("history: {keep: soon}\n")
    r.process.send_signal(signal.SIGHUP)
    until(lambda: any("kept the previous configuration" in line for line in r.complaints))
    assert any("keep" in line and "config.yaml:1" in line for line in r.complaints), r.complaints
    standing.delete(standing.paths[0])
    r.wait_for("SELECT 1 FROM events WHERE event = 'leader-elected'")
    r.config.write_text(good.replace("keep: 1d", "keep: 2d"))
    r.process.send_signal(signal.SIGHUP)
    until(lambda: any("keeping 2d" in line for line in r.said))
    r.wait_for("SELECT 1 FROM stretch", 2)
    until(lambda: any(f"{r.config}: configuration reloaded" in line for line in r.complaints))
    told = [line.split(" ", 1)[1] for line in log.read_text().splitlines() if "configuration" in line or "keep" in line]
    assert [line.split()[0] for line in told] == ["info", "error", "warning", "info"], told
    assert "config.yaml:1" in told[1] and "kept the previous configuration" in told[2] and "reloaded" in told[3], told
    assert r.end() == 128 + signal.SIGTERM


def test_a_killed_recorder_leaves_all_but_its_last_second(recorder, standing):
    """After a kill -9 the file opens, holds what was committed, and is recorded into again."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    standing.delete(standing.paths[0])
    r.wait_for("SELECT 1 FROM events WHERE event = 'leader-elected'")
    r.end(signal.SIGKILL)
    assert r.ask("SELECT count(*) FROM events WHERE event = 'leader-elected'") == [(1,)]
    again = recorder()
    again.wait_for("SELECT 1 FROM stretch", 2)
    assert again.ask("PRAGMA integrity_check") == [("ok",)]
    again.end()


@pytest.mark.parametrize("count, length", [(2, 70_000), (600, 4000)], ids=["long", "packs-well"])
def test_names_of_others_damage_no_recording(zk, client, path, tmp_path, count, length):
    """A text longer than what is read of a recording, and more that packs better than what is unpacked."""
    for number in range(count):
        client.create(f"{path}/{number}{'n' * length}/n_", b"host:1", sequence=True, makepath=True)
    made = Recorder(tmp_path, zk.hosts, elections=f"[{{path: '{path}/*', kind: leader}}]")
    made.wait_for("SELECT 1 FROM election", count)
    made.end()
    for query in ["report", made.file], ["once", "--replay", made.file]:
        done = run(*query)
        assert done.status == 0 and "nnnn" in done.out, done


@pytest.mark.parametrize("content", [b"no database at all, but long enough to look at" * 40, b"SQLite format 3\0" + b"x" * 600],
                         ids=["text", "broken"])
def test_what_is_no_recording_is_left_alone(zk, tmp_path, content):
    """A file of something else is refused with a word on it, and not written to."""
    file = tmp_path / "other.db"
    file.write_bytes(content)
    (tmp_path / "c.yaml").write_text(f"history: {{file: {file}}}\n")
    done = run("record", "-s", zk.hosts, "-c", str(tmp_path / "c.yaml"))
    assert done.status == 2 and str(file) in done.err and ";" in done.err, done
    assert file.read_bytes() == content


def test_what_does_not_fit_is_said(recorder, standing):
    """Where no more can be written, that is said at once; nothing is lost if that changes; and at the end it is
    said from when on it is. The next recording has that time as a gap."""
    def limit(process, size):
        hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, hard))

    def told(word):
        return until(lambda: next((line for line in r.complaints if word in line), None))

    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    limit(r.process, 1000)
    standing.delete(standing.paths[0])
    assert r.file in told("events in memory")
    limit(r.process, resource.RLIM_INFINITY)
    told("recording again")
    r.wait_for("SELECT 1 FROM events WHERE event = 'leader-elected' AND from_candidate IS NOT NULL")
    limit(r.process, 1000)
    last = r.ask("SELECT max(to_us) FROM stretch")[0][0]
    standing.delete(standing.paths[1])
    until(lambda: sum("events in memory" in line for line in r.complaints) == 2)
    assert r.end() == 2
    since = re.search(r"events since (\S+)Z are not in it", told("events since"))[1]
    assert abs(calendar.timegm(time.strptime(since, "%Y-%m-%dT%H:%M:%S")) - last / 1e6) < 3, (since, last)
    again = recorder()
    again.wait_for("SELECT 1 FROM stretch", 2)
    (from_us, to_us), = again.ask("SELECT from_us, to_us FROM gap WHERE cluster IS NULL")
    assert abs(from_us - last) < 3e6 and to_us > from_us
    again.end()


def queries():
    """What the documentation shows people to ask a recording."""
    with open("doc/electop-history.1.in", encoding="utf-8") as f:
        return re.findall(r"SELECT\b[^;]*;", f.read())


def test_every_query_that_is_shown_can_be_asked(recorder, standing):
    """Each of them is understood by a recording's database, and those for what happened here find it."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    standing.delete(standing.paths[0])
    r.wait_for("SELECT 1 FROM failovers")
    r.end()
    shown = queries()
    assert len(shown) >= 6, shown
    today = time.strftime("%Y-%m-%d", time.gmtime())
    with sqlite3.connect(f"file:{r.file}?mode=ro", uri=True) as db:
        for query in shown:
            db.execute(query).fetchall()     # as it stands
            later = query.replace("2026-11-20T04", f"{today}T24")
            rows = db.execute(re.sub(r"2026-11-20T03[:0-9]*", f"{today}T00:00:00", later)).fetchall()
            if "FROM failovers" in query:
                assert len(rows) == 1, (query, rows)
            if "FROM events" in query:
                assert len(rows) > 3, (query, rows)


def test_all_places_tell_the_same_changes(recorder, standing):
    """A leader is followed at once, its heir after a while, and that one by nobody: two changes and an outage that lasts."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    standing.delete(standing.paths[0])
    r.wait_for("SELECT 1 FROM failovers WHERE to_candidate IS NOT NULL")
    standing.delete(standing.paths[1])
    r.wait_for("SELECT 1 FROM failovers WHERE to_candidate IS NULL")
    third = standing()
    r.wait_for("SELECT 1 FROM failovers WHERE to_candidate IS NOT NULL", 2)
    standing.delete(third)
    r.wait_for("SELECT 1 FROM failovers WHERE to_candidate IS NULL", 2)
    checked = run("check", "--config", str(r.config), "-w", "changes=~:9").out
    r.end()
    assert " changes=2;" in checked.replace("'", ""), checked
    query, = (q for q in queries() if "cause, count(*)" in q)
    assert sum(row[-1] for row in r.ask(query)) == 2
    (election,) = json.loads(run("report", "--json", "--replay", r.file).out)["elections"]
    assert election["leader_changes"] == 2, election
    last, stretch = election["failovers"]["list"][-1], election["timeline"][-1]
    assert stretch["state"] == "vacant" and last["to"] is None, election
    lasts = 1000 * (moment(stretch["to"]) - moment(last["time"]))
    assert abs(last["vacancy_ms"][0] - lasts) < 2 and last["vacancy_ms"][1] is None, election
    shown = json.loads(run("once", "--json", "--replay", r.file).out)["clusters"][0]["elections"][0]
    assert shown["failovers"]["leader_changes"] == 2, shown


def test_every_column_is_described(recorder):
    """What the views hold is what the manual says they hold."""
    with open("doc/electop-history.1.in", encoding="utf-8") as f:
        text = f.read().split(".Sh SQL VIEWS")[1].split(".Sh ")[0]
    r = recorder()
    r.wait_for("SELECT 1 FROM stretch")
    r.end()
    views = [name for name, in r.ask("SELECT name FROM sqlite_schema WHERE type = 'view'")]
    assert len(views) == 6, views
    for view in views:
        described = re.search(rf"(?s)\n\.It Sy {view}\n(.*?)\n\.(It|El)", text)[1]
        columns = {name for name, in r.ask(f"SELECT name FROM pragma_table_info('{view}')")}
        marked = re.findall(r"Va ([^\n]*)", described)
        assert {word for line in marked for word in re.findall(r"[a-z_]+", line)} == columns, view


LOSS_MOST_S = 1.0


def test_kill_at_any_moment(tmp_path):
    """A kill -9 at any moment costs at most the last second, and never the file: a thousand events a second,
    killed at random, into the same file again and again, each time with the clock back where it was."""
    file, tool = tmp_path / "history.db", os.path.join(os.path.dirname(os.environ["SANDBOX"]), "../bench/history")
    before, worst = 0, 0.0
    for kill in range(KILLS):
        with subprocess.Popen([tool, "go", file, "1000"], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline().strip().isdigit()
            time.sleep(random.uniform(0.0, 2.5))
            process.kill()
            lived = int((["0"] + process.stdout.read().split())[-1]) / 1e6  # by its own clock
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            first, last = db.execute("SELECT min(at_us), max(at_us) FROM event WHERE id >= (SELECT first_event FROM chunk"
                                     " WHERE stretch = (SELECT max(id) FROM stretch) ORDER BY id LIMIT 1)").fetchone()
            stretches = db.execute("SELECT count(*) FROM stretch").fetchone()[0]
        loss_most_s = LOSS_MOST_S * strain()
        if stretches > before:   # one that was killed within its first second may have left nothing
            worst = max(worst, lived - (last - first) / 1e6)
            assert worst < loss_most_s, (kill, lived, first, last)
        assert stretches > before or lived <= loss_most_s, (kill, lived)
        before = stretches
    print(f"{KILLS} kills, each file intact; at most {worst:.2f} s lost")


def test_a_removed_file_is_noticed(recorder, standing):
    """Whoever removes the recording is told so by the recorder, which goes on in a new one."""
    r = recorder()
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    os.rename(r.file, r.file + ".moved")
    until(lambda: any("removed or moved" in line and r.file in line for line in r.complaints))
    r.wait_for("SELECT 1 FROM tenures WHERE kind = 'led' AND until IS NULL")
    assert r.ask("SELECT why FROM stretch") == [("went on in another file",)]
    assert r.end() == 128 + signal.SIGTERM
