"""How soon an illness is certain: ten elections of real sessions, one of whose members falls ill.

The time is from the answer to the request that made it ill to the line of `electop events --json`. Two looks must lie
two seconds apart, and five seconds after the first, or later, a list has to show that the session was heard of since the
second and requested nothing: so it takes until a ping, one every third of its timeout.
"""
import contextlib
import os
import statistics
import subprocess
import sys
import time

from rig import BenchError, Rig, settle, wait_until
from row import Row

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from standing import Line  # noqa: E402

ELECTIONS = 10
SHORT_S = 4
TIMEOUTS_S = (SHORT_S, 10, 30)
SUSPECTED_MOST_S, CERTAIN_MOST_S = 7, 35
RESTARTED_MOST_S, LOADED_MOST_S = 43, 48
BUSY_LOOPS = 8
GIVEN_UP_S = 120
# By then servers where nothing moves are only looked at now and then.
SETTLED_S = 25


class Scene:
    """Ten elections on a server, and what electop tells of them."""

    def __init__(self, rig, events, lines):
        self.rig, self.events, self.lines = rig, events, lines

    def first(self, line, *wanted):
        """When the first such event of this election was read; None: it was not told."""
        for at, event in self.events.events():
            if event.get("election") == line.path and all(check(event) for check in wanted):
                return at / 1e6
        return None

    def raised(self, line, code, member, certainty):
        return self.first(line, lambda e: e["event"] == "finding-raised", lambda e: e["finding"]["code"] == code,
                          lambda e: e["finding"]["candidates"] == [member.name], lambda e: e["finding"]["certainty"] == certainty)

    def fill(self, timeout_s, members=3):
        for line in self.lines:
            for _ in range(members):
                line.join(timeout_s=timeout_s)

    def times(self, code, began, certainty="certain"):
        """began: (election, member, when it fell ill). How long each took to be that; GIVEN_UP_S where it never was."""
        with contextlib.suppress(BenchError):
            wait_until(f"{code} is {certainty}", lambda: all(self.raised(line, code, ill, certainty) for line, ill, _ in began), GIVEN_UP_S, 0.5)
        told = [(self.raised(line, code, ill, certainty), at) for line, ill, at in began]
        return [GIVEN_UP_S if raised is None else raised - at for raised, at in told]


@contextlib.contextmanager
def scene(say, what):
    """Watched before anybody stands."""
    say(f"certainty: {what}")
    with Rig(False) as rig, contextlib.ExitStack() as ends:
        lines = [Line(rig, f"/e{i}", at=rig.hosts) for i in range(ELECTIONS)]
        for line in lines:
            ends.callback(line.close)
        events = ends.enter_context(rig.electop("events", "--json", *(line.path for line in lines)))
        wait_until("electop watches", lambda: "connection" in events.text(), 60)
        yield Scene(rig, events, lines)


def deaf_ones_join(s, timeout_s, apart_s):
    """A new member of each that watches nobody."""
    began = []
    for line in s.lines:
        began.append((line, line.join(watching=None, timeout_s=timeout_s), time.monotonic()))
        time.sleep(apart_s)
    return began


def members_come_back_deaf(s, apart_s):
    """The second of each gets a new connection and does not set its watch again: no znode changes."""
    began = []
    for line in s.lines:
        member = line.members[1]
        member.session = member.session.move(s.rig.hosts)
        line.sessions.append(member.session)
        began.append((line, member, time.monotonic()))
        time.sleep(apart_s)
    return began


def settled(s):
    settle(s.events.pid, s.events.what, within_s=60)
    time.sleep(SETTLED_S)


def row(what, times, most_s):
    late = sum(t > most_s for t in times)
    note = f"; {late} later than the target" if late else ""
    return Row(f"{what}{note}: median, longest", "", f"{statistics.median(times):.1f} s, {max(times):.1f} s", "", f"≤ {most_s:g} s",
               late > 0)


def warm(rounds, say):
    for timeout_s in TIMEOUTS_S:
        suspected, joined, returned = [], [], []
        for i in range(rounds):
            with scene(say, f"warm, timeout {timeout_s} s, round {i + 1}") as s:
                s.fill(timeout_s)
                settled(s)
                began = deaf_ones_join(s, timeout_s, 1.3)
                suspected += s.times("no-watch", began, "suspected")
                joined += s.times("no-watch", began)
                returned += s.times("no-watch", members_come_back_deaf(s, 1.3))
        yield row(f"a deaf member joins, timeout {timeout_s} s, until suspected", suspected, SUSPECTED_MOST_S)
        yield row(f"a deaf member joins, timeout {timeout_s} s, until certain", joined, CERTAIN_MOST_S)
        yield row(f"a member comes back deaf, timeout {timeout_s} s, until certain", returned, CERTAIN_MOST_S)


def restarted(rounds, say):
    times = []
    for i in range(rounds):
        with scene(say, f"after a restart, round {i + 1}") as s:
            time.sleep(5)
            s.rig.tell("kill 0")
            s.rig.tell("start 0")
            s.fill(SHORT_S, 2)
            times += s.times("no-watch", deaf_ones_join(s, SHORT_S, 0))
    yield row("a deaf member joins after a server's restart, until certain", times, RESTARTED_MOST_S)


@contextlib.contextmanager
def busy_loops(count):
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def loaded(rounds, say):
    times = []
    for i in range(rounds):
        with scene(say, f"beside {BUSY_LOOPS} busy loops, round {i + 1}") as s:
            s.fill(SHORT_S)
            settled(s)
            with busy_loops(BUSY_LOOPS):
                times += s.times("no-watch", deaf_ones_join(s, SHORT_S, 0.3))
    yield row(f"a deaf member joins beside {BUSY_LOOPS} busy loops, until certain", times, LOADED_MOST_S)


def disconnected(rounds, say):
    """A leader's connection goes; reported before its session expires, and by half of its timeout."""
    took, before = [], 0
    for i in range(rounds):
        with scene(say, f"disconnected leaders, round {i + 1}") as s:
            s.fill(SHORT_S)
            settled(s)
            for line in s.lines:
                dropped = time.monotonic()
                line.members[0].session.drop()
                wait_until("the next one leads", lambda: s.first(
                    line, lambda e: e["event"] == "leader-lost"), GIVEN_UP_S, 0.1)  # noqa: B023
                told = s.raised(line, "owner-disconnected", line.members[0], "certain")
                before += told is not None and told < s.first(line, lambda e: e["event"] == "leader-lost")
                took.append(GIVEN_UP_S if told is None else told - dropped)
    soon, least = sum(t <= SHORT_S / 2 for t in took), 0.9 * len(took)
    what = f"owner-disconnected, timeout {SHORT_S} s (median {statistics.median(took):.2f} s)"
    yield Row(f"{what}: reported before its session expires", "", f"{before} of {len(took)}", "", "≥ 9 of 10", before < least)
    yield Row(f"{what}: reported by half of it", "", f"{soon} of {len(took)}", "", "≥ 9 of 10", soon < least)


def measure_certainty(_rig, rounds, quick, say):
    rounds = 1 if quick else max(1, rounds // 2)
    for measure in (warm, restarted, disconnected, loaded):
        yield from measure(rounds, say)
