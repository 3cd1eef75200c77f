"""Elections whose leaders go in given ways: the test does the killing, so it knows every cause and moment."""
import datetime
import itertools
import os
import random
import re
import shutil
import tempfile
import threading
import time

from electop import Events
from raw_session import EPHEMERAL, NODE_EXISTS, RawSession, SessionError
from waiting import until

TIMEOUT_S = 10.0
# What each cause may be called: the first is the narrow one, the others are wider and true.
CAUSES = {
    "closed": ("closed", "ended", "unknown"),
    "expired": ("expired", "ended", "unknown"),
    "resigned": ("resigned", "deleted", "unknown"),
    "evicted": ("evicted", "deleted", "unknown"),
}
# ... and each way of going.
TRUE_OF = {
    "close": CAUSES["closed"],
    "drop": CAUSES["expired"],
    "freeze": CAUSES["expired"],
    "resign": CAUSES["resigned"],
    "evict": CAUSES["evicted"],
    # Deleted by itself, and its session closed at once: the one word for both may be said, never "closed".
    "leave": ("resigned", "deleted", "ended", "unknown"),
}
# The servers are asked every so often, and at once after a loss, as long as that costs them little. One that answers
# slowly, as on a busy machine, is asked the more seldom: that is a promise, and then less can be told.
LOOKS_APART_S = 4.5
hosts = itertools.count(2)


class Trial:
    """One election whose leader goes in a given way, once."""

    def __init__(self, zk, root, number, how, successor, timeout_s=TIMEOUT_S):
        self.how, self.successor, self.path = how, successor, f"{root}/{how}{number}"
        # A server takes 60 connections from one address.
        n = next(hosts)
        self.leader = RawSession(zk.addresses[0], timeout_s, host=f"127.0.0.{2 + n % 200}")
        self.znode = self.stand()
        self.died = None
        self.well_seen = False  # the servers were asked as often as they are on a quiet machine

    def stand(self):
        self.successor.make(self.path)
        name = self.leader.create(f"{self.path}/n_")
        self.successor.create(f"{self.path}/n_")
        return f"{self.path}/{name}"

    def go(self, other):
        self.died = time.monotonic()
        if self.how == "close":
            self.leader.close()
        elif self.how == "drop":
            self.leader.drop()
        elif self.how == "freeze":
            self.leader.fall_silent()
        elif self.how == "resign":
            self.leader.delete(self.znode)
        elif self.how == "leave":
            self.leader.leave(self.znode)
        else:
            other.delete(self.znode)

    def end(self):
        self.leader.drop() if self.how == "freeze" else self.leader.close()


class LockTrial(Trial):
    """The same with one znode that everybody wants: the successor takes it as soon as it is free."""

    def stand(self):
        self.leader.create(f"{self.path}", flags=EPHEMERAL)
        return self.path

    def go(self, other):
        super().go(other)
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        for _ in range(int(3 * self.leader.timeout_s / 0.005)):
            try:
                self.successor.create(self.path, flags=EPHEMERAL)
                return
            except SessionError as error:
                if error.code != NODE_EXISTS:
                    return
            except OSError:
                return
            time.sleep(0.005)


class Churn:
    """Other clients that write all the time, each to a znode of its own: `rate` writes a second in all."""

    def __init__(self, zk, path, rate, writers=8):
        self.over, self.count = threading.Event(), 0
        self.sessions = [RawSession(address, 30) for _, address in zip(range(writers), itertools.cycle(zk.addresses))]
        self.sessions[0].make(path)
        self.threads = [threading.Thread(target=self._write, args=(session, f"{path}/writer{i}", writers / rate))
                        for i, session in enumerate(self.sessions)]
        for thread in self.threads:
            thread.start()

    def _write(self, session, path, every_s):
        session.make(path)
        while not self.over.wait(random.uniform(0.5, 1.5) * every_s):
            session.set(path, b"x")
            self.count += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()
        for session in self.sessions:
            session.close()


def listed_at(log, address="", what="sessions"):
    """When a server's sessions or connections came, in seconds since the epoch: the program's own log says so."""
    with open(log, encoding="utf-8", errors="replace") as f:
        times = re.findall(rf"^(\S+)Z debug {re.escape(address)}.*: \d+ {what}", f.read(), re.M)
    return [datetime.datetime.fromisoformat(f"{one}+00:00").timestamp() for one in times]


def longest_without(moments, since, until):
    """The longest time between two of these moments, or none of them, from one time to another."""
    edges = [since, *(at for at in moments if since < at < until), until]
    return max(b - a for a, b in zip(edges, edges[1:]))


def was_well_seen(log, died, told):
    """Whether the servers were asked as often as on a quiet machine, from before a death until it was told. A busy
    one lists its connections too slowly to be asked for them as often as for its sessions."""
    offset = time.time() - time.monotonic()
    since, to = died + offset - LOOKS_APART_S, told + offset
    return all(longest_without(listed_at(log, what=what), since, to) <= LOOKS_APART_S
               for what in ("sessions", "connections"))


def told(events, trials, within, log):
    def closed():  # a cause that is known at once is told while nobody follows yet, too
        return [event for event in events.all("failover") if not event["failover"]["open"]]
    until(lambda: len(closed()) >= len(trials), within, "every failover is told")
    found = {event["election"]: event for event in closed()}
    assert len(closed()) == len(found), "one is told twice"
    lost = {event["election"]: event["arrived"] for event in events.all("leader-lost")}
    for trial in trials:
        trial.well_seen = was_well_seen(log, trial.died, found[trial.path]["arrived"])
    return [(trial, found[trial.path], lost[trial.path]) for trial in trials]


def run_trials(zk, path, ways, apart_s, *options, settled_s=2 * TIMEOUT_S / 3, kind=Trial):
    """Each of the ways in an election of its own; their deaths apart_s after each other. settled_s: as long as the
    tool needs to have looked at everybody twice."""
    successor, other = RawSession(zk.addresses[0], 30), RawSession(zk.addresses[0], 30)
    successor.make(path)
    trials = [kind(zk, path, number, how, successor) for number, how in enumerate(ways)]
    log = os.path.join(tempfile.mkdtemp(prefix="electop-trials-"), "log")
    try:
        with Events(zk.hosts, *options, "--log", log, *[trial.path for trial in trials]) as events:
            until(lambda: len(events.all("election-seen")) == len(trials), 30, "all are seen")
            time.sleep(settled_s)
            for trial in trials:
                trial.go(other)
                time.sleep(apart_s)
            return told(events, trials, TIMEOUT_S + 30, log)
    finally:
        shutil.rmtree(os.path.dirname(log))
        for trial in trials:
            trial.end()
        successor.close()
        other.close()


def check_cause(trial, failover):
    assert failover["cause"] in TRUE_OF[trial.how], (trial.how, failover)
    if failover["cause"] != "unknown":
        assert failover["evidence"], failover
    if failover["cause"] != "expired":
        assert failover["detection_ms"] is None, failover
