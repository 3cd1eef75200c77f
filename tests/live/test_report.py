"""One story in every form: a kazoo election whose leader dies ten times in different ways is recorded, and the
report as JSON, as a page and as Markdown, a query of the file, and a replay tell the same ten failovers."""
import calendar
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from electop import PROGRAM, check_sanitizers, run
from patience import wait
from standing import configuration
from terminal import Tmux
from test_report_page import Proxy, Table, browse
from waiting import until

LIMIT_S = 240
TIMEOUT_S = 4.0
CANDIDATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "kazoo_candidate.py")

# What a death may be called: the truth, or wider where its proof was not to be had; never another thing.
RESIGNED = {"resigned", "deleted", "unknown"}
EVICTED = {"evicted", "deleted", "unknown"}
CLOSED = {"closed", "ended", "unknown"}
EXPIRED = {"expired", "ended", "unknown"}


class Process:
    """A candidate in a process of its own."""

    def __init__(self, zk, path, identity):
        self.identity = identity
        self.process = subprocess.Popen([sys.executable, CANDIDATE, zk.hosts, path, identity, str(TIMEOUT_S)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = []
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()

    def leads(self):
        return bool(self.lines)

    def drop(self):
        self.process.kill()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


class Inside:
    """A candidate in this process: its session can be closed below it, or live on when it has resigned."""

    def __init__(self, zk, path, identity):
        self.identity = identity
        self.client = KazooClient(zk.hosts, timeout=TIMEOUT_S)
        self.client.start()
        self.leading, self.over = threading.Event(), threading.Event()
        threading.Thread(target=self._run, args=(path,), daemon=True).start()

    def _run(self, path):
        def lead():
            self.leading.set()
            self.over.wait()
        try:
            self.client.Election(path, self.identity).run(lead)
        except Exception:
            pass  # its session was closed below it: what the test wants

    def leads(self):
        return self.leading.is_set()

    def resign(self):
        self.over.set()

    def close(self):
        self.client.stop()

    def end(self):
        self.client.stop()
        self.over.set()


class Contest:
    """Three candidates at any time: when the leader goes, another one comes."""

    def __init__(self, zk, client, path):
        self.zk, self.client, self.path, self.count = zk, client, path, 0
        self.members = []
        client.ensure_path(path)

    def join(self, kind):
        self.count += 1
        member = kind(self.zk, self.path, f"host-{self.count}:8080")
        self.members.append(member)
        until(lambda: member.identity in self.standing().values(), within=40, what=f"{member.identity} stands")

    def standing(self):
        """Their identities, by name."""
        found = {}
        for name in self.client.get_children(self.path):
            try:
                found[name] = self.client.get(f"{self.path}/{name}")[0].decode()
            except NoNodeError:
                pass  # it has gone meanwhile
        return found

    def leader(self):
        """Who stands first; kazoo's names end in their numbers."""
        standing = self.standing()
        first = min(standing, key=lambda name: name[-10:])
        return first, standing[first]

    def end(self):
        for member in self.members:
            member.end()


# In the order of their deaths. Who resigns or is evicted lives on.
DEATHS = [("resign", Inside, RESIGNED), ("close", Inside, CLOSED), ("drop", Process, EXPIRED),
          ("evict", Process, EVICTED), ("freeze", Process, EXPIRED)] * 2


@pytest.fixture(scope="module")
def story(zk, client, tmp_path_factory):
    """Ten deaths beside `electop record`: the file, and what was done."""
    folder = tmp_path_factory.mktemp("story")
    file, path = str(folder / "history.db"), "/story"
    config = configuration(folder, zk, {path: {"name": "orders", "allow": "{failover: 10s}"}})
    with open(config, "a", encoding="utf-8") as f:
        f.write(f"history: {{file: {file}}}\n")
    contest = Contest(zk, client, path)
    for _, kind, _ in DEATHS[:3]:
        contest.join(kind)
    with open(folder / "said", "wb") as said:
        recorder = subprocess.Popen([PROGRAM, "record", "-c", config], stdin=subprocess.DEVNULL,
                                    stdout=said, stderr=said)

    def ask(sql):
        if not os.path.exists(file):
            return []
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10) as db:
            try:
                return db.execute(sql).fetchall()
            except sqlite3.OperationalError:
                return []  # its tables are being made

    done = []
    try:
        until(lambda: ask("SELECT 1 FROM events WHERE event = 'candidate-joined' OR event = 'election-seen'"), within=40)
        for i, (how, _, causes) in enumerate(DEATHS):
            member = contest.members[i]
            until(lambda: contest.leader()[1] == member.identity, within=40, what=f"{member.identity} stands first")
            until(member.leads, within=40, what=f"{member.identity} leads")
            time.sleep(3)  # it leads for so long: servers are asked every second, and a cause needs its before
            name = contest.leader()[0]
            if how == "evict":
                client.delete(f"{path}/{name}")
            else:
                getattr(member, how)()
            done.append((name, member.identity, causes))
            until(lambda: name not in client.get_children(path), within=40, what=f"{name} is gone")
            if i + 3 < len(DEATHS):
                contest.join(DEATHS[i + 3][1])
            else:
                contest.join(Process)
            until(lambda: len(ask("SELECT 1 FROM failovers")) > i, within=40, what=f"{how} is told")
    finally:
        recorder.send_signal(signal.SIGTERM)
        status = wait(recorder, 30)
        contest.end()
    check_sanitizers((folder / "said").read_text())
    assert status == 128 + signal.SIGTERM
    return file, done


def report(file, *arguments):
    told = run("report", file, *arguments)
    assert told.status == 0, told
    return told.out


def failovers(file):
    document = json.loads(report(file, "--json"))
    return next(e for e in document["elections"] if e["path"] == "/story")["failovers"]["list"]


def test_every_death_is_told_with_its_cause(story):
    """Ten deaths, ten failovers, in order; each cause is the true one or one that includes it."""
    file, done = story
    told = failovers(file)
    assert [(f["from"], f["from_identity"]) for f in told] == [(name, identity) for name, identity, _ in done]
    for failover, (_, identity, causes) in zip(told, done):
        assert failover["cause"] in causes, (identity, failover)
    assert all(f["gap_ms"] is None for f in told)


def test_a_query_tells_the_same(story):
    """What people ask the file themselves: the same times, causes, certainties and phases, all of them."""
    file, _ = story
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        rows = db.execute("SELECT lost, from_candidate, to_candidate, cause, certainty, evidence, detection_low_ms,"
                          " detection_high_ms, vacancy_low_ms, vacancy_high_ms, takeover_low_ms, takeover_high_ms,"
                          " total_low_ms, total_high_ms FROM failovers ORDER BY id").fetchall()

    def bounds(low, high):
        return None if low is None and high is None else [low, high]

    def near(a, b):
        return a == b or (a is not None and b is not None and
                          all(x == y or (None not in (x, y) and abs(x - y) <= 1) for x, y in zip(a, b)))

    told = failovers(file)
    assert len(rows) == len(told)
    for row, failover in zip(rows, told):
        assert row[0].replace(" ", "T")[:23] == failover["time"][:23]
        assert row[1:6] == tuple(failover[key] for key in ("from", "to", "cause", "cause_certainty", "evidence"))
        for i, phase in enumerate(("detection_ms", "vacancy_ms", "takeover_ms", "total_ms")):
            assert near(bounds(*row[6 + 2 * i:8 + 2 * i]), failover[phase]), (phase, row, failover)


def test_markdown_and_text_tell_the_same(story):
    """Each form has each failover's time and cause, in order."""
    file, _ = story
    wanted = [(f["time"][11:23], f["cause"]) for f in failovers(file)]
    assert re.findall(r"^\| \d+ \| [\d-]+ ([\d:.]+) \| .*? \| (\w+)", report(file, "--markdown"), re.M) == wanted
    assert re.findall(r"^ +\d+  ([\d:.]{12})  .*?:8080 +(\w+)", report(file), re.M) == wanted


def test_every_form_names_owner_and_runbook(story, tmp_path):
    """Those of the configuration, for a recording of the cluster of that name."""
    file, _ = story
    cluster = json.loads(report(file, "--json"))["elections"][0]["cluster"]
    config, page = tmp_path / "config.yaml", tmp_path / "page.html"
    config.write_text(f"clusters: [{{name: '{cluster}', hosts: '127.0.0.1:1', elections: [{{path: /story, owner: 'team <a>',"
                      " runbook: 'https://wiki/x?a=1&b=2'}]}]\n")
    told = json.loads(report(file, "--json", "-c", config))["elections"][0]
    assert (told["owner"], told["runbook"]) == ("team <a>", "https://wiki/x?a=1&b=2"), told
    assert json.loads(report(file, "--json"))["elections"][0]["runbook"] is None
    assert "Owner: team <a>. Runbook: https://wiki/x?a=1&b=2" in report(file, "-c", config)
    assert "Owner: team" in report(file, "--markdown", "-c", config)
    report(file, "--html", page, "-c", config)
    assert "Owner: team &lt;a&gt;. Runbook: https://wiki/x?a=1&amp;b=2" in page.read_text()


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium here")
def test_the_page_tells_the_same(story, tmp_path):
    """As a browser has it: the same times and causes, and a mark for each on the drawing."""
    file, _ = story
    page = tmp_path / "report.html"
    assert report(file, "--html", str(page)) == ""
    proxy = Proxy()
    try:
        dom = browse(tmp_path, proxy, page.read_text(encoding="utf-8"), "--dump-dom")
    finally:
        proxy.socket.close()
    table = Table()
    table.feed(dom)
    rows = [row for row in table.rows if len(row) == 9 and row[0].isdigit()]
    told = failovers(file)
    assert [row[1] for row in rows] == [f["time"][11:23] for f in told]
    for row, failover in zip(rows, told):
        assert row[3].startswith(failover["cause"])
        assert failover["from_identity"] in row[2] and failover["to_identity"] in row[2]
    marks = [number for run in re.findall(r'<text x="[\d.]+" y="16.0">([\d–]+)</text>', dom) for number in [run]]
    covered = sum(int(m.split("–")[-1]) - int(m.split("–")[0]) + 1 for m in marks)
    assert covered == len(told)


def test_a_replay_tells_the_same(story):
    """As events, and on the dashboard's screen of the election's history."""
    file, _ = story
    told = failovers(file)
    lines = run("events", "--replay", file, "--json").out.splitlines()
    replayed = [event["failover"] for event in map(json.loads, lines) if event["event"] == "failover"]
    keys = [key for key in replayed[0] if not key.endswith("_identity")]
    assert [{key: f[key] for key in keys} for f in replayed] == [{key: f[key] for key in keys} for f in told]
    with Tmux(f"{PROGRAM} replay {file}", cols=120, rows=40, env={"TZ": "UTC"}) as terminal:
        terminal.shows("orders")
        terminal.keys("Enter", "h")
        screen = terminal.shows("WHEN", told[0]["time"][11:23], told[-1]["time"][11:23])
        terminal.keys("q")
    rows = re.findall(r"^..([\d:.]{12})  .*?:8080 +(\w+)", screen, re.M)
    assert rows[::-1] == [(f["time"][11:23], f["cause"]) for f in told]


def test_a_look_at_each_moment_tells_the_same(story):
    """`once --replay` just before and just after each change: who led, and how many there had been by then."""
    file, _ = story
    told = failovers(file)

    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        end_us = db.execute("SELECT max(to_us) FROM stretch").fetchone()[0]

    def look(at_us):
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_us // 10**6)) + f".{at_us % 10**6 // 1000:03d}Z"
        told_then = run("once", "--replay", file, "--at", at, "--json")
        assert told_then.status == 0, told_then
        document = json.loads(told_then.out)
        return next(e for c in document["clusters"] for e in c["elections"] if e["path"] == "/story")

    for i, failover in enumerate(told):
        seconds, _, part = failover["time"].rstrip("Z").partition(".")
        lost_us = calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 10**6 + int(part.ljust(6, "0")[:6])
        before, after = look(lost_us - 100_000), look(min(lost_us + 300_000, end_us))
        assert before["leader"]["name"] == failover["from"], (i, before)
        assert before["failovers"]["count"] <= i
        assert after["leader"]["name"] == failover["to"], (i, after)


def test_a_part_of_the_time_has_its_part_of_the_story(story):
    """From the moment of one loss to that of another: those in between, and no others."""
    file, _ = story
    told = failovers(file)
    part = json.loads(report(file, "--json", "--from", told[3]["time"], "--to", told[6]["time"], "--election", "orders"))
    times = [f["time"] for f in part["elections"][0]["failovers"]["list"]]
    # Times are cut to milliseconds: a loss in the last one belongs to it or not.
    assert times in ([f["time"] for f in told[3:6]], [f["time"] for f in told[3:7]])


def test_an_older_page_stays_where_a_new_one_cannot_be_written(story, tmp_path):
    """Nothing is half replaced: not where the directory may not be written, nor where the time is nonsense."""
    file, _ = story
    page = tmp_path / "page.html"
    page.write_text("the old one")
    assert run("report", file, "--html", str(page), "--from", "nonsense").status == 2
    assert run("report", file, "--html", str(tmp_path / "no" / "page.html")).status == 2
    assert page.read_text() == "the old one"
    assert os.listdir(tmp_path) == ["page.html"]


def test_what_was_not_recorded_is_said_so(story, tmp_path):
    """Another time, another election, another file: a message, and an exit code."""
    file, _ = story
    never = run("report", file, "--from", "2001-01-01T00:00:00Z", "--to", "2001-01-02T00:00:00Z")
    assert never.status == 3 and "Nothing was recorded" in never.out and "nothing was recorded" in never.err
    other = run("report", file, "--election", "/other")
    assert other.status == 3 and "no election of that name" in other.err
    assert run("report", str(tmp_path / "none.db")).status == 2
    (tmp_path / "text.db").write_text("this is no database, whatever its name says\n" * 100)
    assert run("report", str(tmp_path / "text.db")).status == 2
