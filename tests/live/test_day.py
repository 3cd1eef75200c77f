"""A day in an hour: what electop holds at the end of a day of elections is what it held in the middle of it.

Candidates come, lead and go, sessions expire, servers are killed and the network is cut as often as on a busy day, but
24 times as fast. `record` (which forgets all but a tenth of it), `events`, `export` and a dashboard in a terminal of its
own run all day. A short day shows its table, and is not judged by it: programs grow until their lists are full.

    ELECTOP_CHAOS_S       for how long; `make day FOR=60m` sets it
    ELECTOP_CHAOS_SEED    what happens"""
import collections
import contextlib
import itertools
import json
import os
import signal
import statistics
import time

import pytest

from chaos import Chaos
from electop import PROGRAM, Events, check_sanitizers
from ensemble import Ensemble
from exporter import Exporter
from patience import Deadline
from recorder import Recorder
from terminal import Pty
from waiting import until

pytestmark = pytest.mark.slow
DAY_S = float(os.environ.get("ELECTOP_CHAOS_S", "60"))
SEED = int(os.environ.get("ELECTOP_CHAOS_SEED", "17"))
LIMIT_S = int(DAY_S * 1.5 + 300)
LEAST_S = 1200  # a shorter day is not judged
EVERY_S = 2
ROWS = 6  # ten minutes of an hour each
# The last third of the day may have so much more than the second: a part of that, and an amount. One core's load by
# others is in a picture's time, and not in its processor time.
MORE = {"recording, MB": (0.2, 0.5), "MB": (0.1, 1), "descriptors": (0, 2), "frame, ms": (0.5, 30),
        "frame, cpu ms": (0.25, 1)}
# SQLite's log ahead of the recording is as long as the most that it ever held, up to this.
AHEAD_MOST_MB = 10
# What the dashboard is asked to show beside the overview; Esc goes back.
SCREENS = ["\r", "e", "f", "v", "t", "i"]


class Day(Chaos):
    """The same elections and faults, at the pace of a busy day 24 times as fast."""
    LEADS_S = (5, 40)
    PACE_S = {"servers": (60, 180), "clients": (1, 5), "lines": (30, 90), "rare": (120, 300)}
    RARE = [("lose_quorum", 2), ("fill_disk", 2), ("inject_live", 1), ("inject_sandbox", 1)]


class Programs:
    """All that run all day; what each holds."""

    def __init__(self, zk, hosts, folder, paths):
        admin = ", ".join(json.dumps(one) for one in zk.admin.split(","))
        listed = ", ".join(f"{{path: {path}}}" for path in paths)
        self.recorder = Recorder(folder, hosts, history=f"keep: {max(60, int(DAY_S / 10))}s",
                                 elections=f"[{listed}], session_timeout: 4s, servers: {{admin: [{admin}]}}")
        common = ["-s", hosts, "-t", "4s", "--admin", zk.admin, *paths]
        self.events = Events(None, *common)
        self.exporter = Exporter("--listen", "127.0.0.1:0", *common)
        self.dashboard = Pty([PROGRAM, *common])
        self.all = {"record": self.recorder.process, "events": self.events.process, "export": self.exporter.process,
                    "dashboard": self.dashboard.process}
        self.keys = self.press_keys()

    def held(self, name):
        """(MB of memory, descriptors)"""
        pid = self.all[name].pid
        with open(f"/proc/{pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6, len(os.listdir(f"/proc/{pid}/fd"))

    def cpu_ms(self, name):
        with open(f"/proc/{self.all[name].pid}/schedstat", encoding="ascii") as f:
            return int(f.read().split()[0]) / 1e6

    def file_mb(self, suffix=""):
        with contextlib.suppress(FileNotFoundError):
            return os.path.getsize(self.recorder.file + suffix) / 1e6
        return 0

    def shown_ms(self, key, is_shown):
        """From a key to the picture that answers it: (milliseconds, those of the processor)"""
        began, cpu_ms, deadline = time.monotonic(), self.cpu_ms("dashboard"), Deadline(30)
        self.dashboard.keys(key)
        while not is_shown(self.dashboard.screen()):
            assert not deadline.over(), f"the key {key!r} is not answered: {self.dashboard.screen()}"
            time.sleep(0.002)
        return (time.monotonic() - began) * 1000, self.cpu_ms("dashboard") - cpu_ms

    def press_keys(self):
        """One step at each turn; yields what it measured, or None."""
        for key in itertools.cycle(SCREENS):
            yield self.shown_ms("?", lambda screen: "KEYS HERE" in screen)
            self.shown_ms("\x1b", lambda screen: "KEYS HERE" not in screen)
            yield None
            self.dashboard.keys(key)
            yield None
            self.dashboard.keys("\x1b")
            yield None

    def sample(self):
        self.exporter.get()
        row = {"recording, MB": self.file_mb(), "ahead": self.file_mb("-wal")}
        for name in self.all:
            row[f"{name}, MB"], row[f"{name}, descriptors"] = self.held(name)
        if measured := next(self.keys):
            row["frame, ms"], row["frame, cpu ms"] = measured
        return row

    def ended(self):
        return [name for name, process in self.all.items() if process.poll() is not None]

    def stop(self):
        """As users do; what is wrong with how they end."""
        self.dashboard.keys("q")
        found = {"dashboard": (self.dashboard.wait(), 0), "events": (self.events.stop(), 130),
                 "record": (self.recorder.end(), 128 + signal.SIGTERM), "export": (self.exporter.end(), 128 + signal.SIGTERM)}
        check_sanitizers(self.dashboard.bytes().decode("utf-8", "replace"))
        assert self.dashboard.restored()
        return [f"{name} ended with {status}, not {expected}" for name, (status, expected) in found.items()
                if status != expected]

    def kill(self):
        for process in self.all.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self.dashboard.close()


def median(samples, column):
    """Of the samples that have it."""
    values = [sample[column] for sample in samples if column in sample]
    return statistics.median(values) if values else float("nan")


def print_row(minutes, samples, programs, events):
    held = "  ".join(f"{median(samples, name + ', MB'):6.1f} {median(samples, name + ', descriptors'):3.0f}"
                     for name in programs)
    print(f"{minutes:7.0f}  {held}  {median(samples, 'recording, MB'):9.2f} {median(samples, 'ahead'):5.2f}  {median(samples, 'frame, ms'):8.0f} "
          f"{median(samples, 'frame, cpu ms'):5.1f}  {events:8}", flush=True)


def print_head(programs):
    print(f"\nseed {SEED}, {DAY_S:.0f} s; MB of memory and descriptors of each, medians")
    print("minutes  " + "  ".join(f"{name:>10}" for name in programs) + "  recording  -wal  frame ms   cpu    events")


def grown(samples):
    """Each column whose last third is above its second by more than may be."""
    third, found = len(samples) // 3, []
    if max(sample["ahead"] for sample in samples) > AHEAD_MOST_MB:
        found.append(f"the log ahead of the recording had more than {AHEAD_MOST_MB} MB")
    for column in sorted({column for sample in samples for column in sample} - {"ahead"}):
        part, amount = next(more for what, more in MORE.items() if column.endswith(what))
        early, late = median(samples[third:2 * third], column), median(samples[2 * third:], column)
        if not late <= early * (1 + part) + amount:
            found.append(f"{column}: {early:.1f} in the second third, {late:.1f} in the last")
    return found


def live(programs):
    """The day: what was held at each turn."""
    print_head(programs.all)
    began, samples = time.monotonic(), []
    for row in range(1, ROWS + 1):
        first = len(samples)
        while (passed_s := time.monotonic() - began) < row * DAY_S / ROWS:
            assert not programs.ended(), programs.ended()
            samples.append(programs.sample())
            time.sleep(EVERY_S)
        print_row(passed_s / 60, samples[first:], programs.all, recorded(programs))
    return samples


def recorded(programs):
    """How many events have been recorded so far, also those that were removed since."""
    return programs.recorder.ask("SELECT coalesce(max(id), 0) FROM event")[0][0]


def test_day(tmp_path):
    """Memory, descriptors, the recording and a picture's time stay flat."""
    zk = Ensemble(3, config=("maxClientCnxns=0",))
    day = Day(zk, SEED, tmp_path / "wiped")
    programs = Programs(zk, ",".join(line.address for line in day.lines), tmp_path, day.paths)
    try:
        until(lambda: len(programs.events.all("election-seen")) == len(day.directories), 40, "all are seen")
        day.programs = [programs.all["record"], programs.all["events"]]
        day.begin()
        samples = live(programs)
        day.rest()
        assert programs.recorder.ask("PRAGMA integrity_check") == [("ok",)]
        first, = programs.recorder.ask("SELECT min(id) FROM event")[0]
        found = programs.stop()
        counts = collections.Counter(event["event"] for event in programs.events.seen)
        print(f"{counts['leader-elected']} changes of leader, {counts['candidate-joined']} candidates came, "
              f"{len(day.faults)} faults; the recording begins with event {first}")
        if DAY_S >= LEAST_S:
            found += grown(samples)
            found += [] if first > 1 else ["nothing was removed from the recording"]
        assert not found, "\n".join(found)
    finally:
        day.end()
        programs.kill()
        zk.close()
