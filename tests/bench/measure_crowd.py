"""Crowds of test candidates: against a bare client that takes the same steps, and against kazoo's Election.

All run in turn on the rig's server, each once it has got over the one before. What they say about themselves (crowd.c,
crowd_floor.c) is what is compared: processor time and wall time from their start until everybody knows where it stands.
"""
import contextlib
import json
import os
import statistics
import subprocess
import time
import uuid

from rig import HERE, TOOLS, BenchError, cpu_us
from row import Row, spread

TIMEOUT_MS = 10000
EACH_MOST = 7 * 1024
EACH_SHARED_MOST = 512
IDLE_MOST = 7.0
WARM_ROUNDS = 16  # the server's own share of a round halves until all of that work is compiled
PACKET_MOST = 1048575  # jute.maxbuffer
AWAY_MOST = 50  # connects a second while the server is away


class Crowd:
    """One of the three programs, which says a line of JSON when asked; the end of its input ends it."""

    def __init__(self, argv, falls=False):
        self.what = os.path.basename(argv[0])
        self.process = subprocess.Popen([str(a) for a in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.stood = self.told()
        self.fallen = self.told() if falls else None

    def told(self):
        line = self.process.stdout.readline()
        if not line:
            raise BenchError(f"{self.what} ended with {self.process.wait(10)}")
        return json.loads(line)

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.told()

    def idle_percent(self, seconds):
        before, began = cpu_us(self.process.pid), time.monotonic()
        time.sleep(seconds)
        return 100 * (cpu_us(self.process.pid) - before) / ((time.monotonic() - began) * 1e6)

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def floor(rig, path, count, look, falls=0):
    rig.rest()
    argv = [os.path.join(TOOLS, "crowd_floor"), rig.hosts, path, count, look, TIMEOUT_MS, falls]
    return Crowd(argv, falls > 0)


def ours(rig, path, count, look, per_session=1, falls=0, timeout_ms=TIMEOUT_MS, name="n_"):
    rig.rest()
    argv = [os.path.join(TOOLS, "crowd"), rig.hosts, path, count, per_session, look, timeout_ms, falls, "predecessor", name]
    return Crowd(argv, falls > 0)


def kazoo(rig, path, count):
    rig.rest()
    with Crowd(["/usr/bin/python3", os.path.join(HERE, "kazoo_crowd.py"), rig.hosts, path, count]) as crowd:
        return crowd.stood


def median(values):
    return statistics.median(values)


def against(what, unit, floors, figures, most):
    low, high = median(floors), median(figures)
    return Row(what, f"{low:.{1 if low < 10 else 0}f} {unit}", f"{high:.{1 if high < 10 else 0}f} {unit}",
               f"{high / low:.2f} ×{spread(floors, figures)}", f"≤ {most} ×", high / low > most)


def ahead(what, unit, peers, figures, least):
    high, low = median(peers), median(figures)
    return Row(f"{what} (kazoo instead of floor)", f"{high:.0f} {unit}", f"{low:.0f} {unit}",
               f"{high / low:.1f} × less{spread(figures, peers)}", f"≥ {least} ×", high / low < least)


def stand_against_both(rig, rounds, quick, say):
    count, falls = (200, 50) if quick else (1000, 300)
    runs = {"floor": [], "ours": [], "kazoo": []}
    drops = {"floor": [], "ours": []}
    for i in range(0 if quick else WARM_ROUNDS):
        say(f"{count} candidates, the server gets warm")
        with floor(rig, f"/crowd-warm{i}", count, "own"):
            pass
    for i in range(rounds):
        say(f"{count} candidates, round {i + 1}")
        with floor(rig, f"/crowd-floor{i}", count, "own", falls) as crowd:
            runs["floor"].append(crowd.stood)
            drops["floor"].append(crowd.fallen["fall_p50_us"] / 1000)
        with ours(rig, f"/crowd-ours{i}", count, "own", 1, falls) as crowd:
            runs["ours"].append(crowd.stood)
            drops["ours"].append(crowd.fallen["dead_p50_us"] / 1000)
        runs["kazoo"].append(kazoo(rig, f"/crowd-kazoo{i}", count))
    figures = {who: {key: [run[key] for run in all_of_them] for key in ("cpu_ms", "stood_ms")}
               for who, all_of_them in runs.items()}
    what = f"{count} candidates stand"
    yield ahead(f"{what}: time", "ms", figures["kazoo"]["stood_ms"], figures["ours"]["stood_ms"], 15)
    yield ahead(f"{what}: CPU", "ms", figures["kazoo"]["cpu_ms"], figures["ours"]["cpu_ms"], 25)
    yield against(f"{what}: time", "ms", figures["floor"]["stood_ms"], figures["ours"]["stood_ms"], 1.3)
    yield against(f"{what}: CPU", "ms", figures["floor"]["cpu_ms"], figures["ours"]["cpu_ms"], 1.2)
    yield against(f"leader of {count} closed, the next one leads, p50", "ms", drops["floor"], drops["ours"], 1.3)


def many(rig, rounds, quick, say):
    count = 1000 if quick else 10000
    for look in ("shared", "own"):
        floors, figures, idle = [], [], 0
        for i in range(max(1, rounds // 2) if look == "own" else rounds):
            say(f"{count} candidates, look {look}, round {i + 1}")
            with floor(rig, f"/many-{look}-floor{i}", count, look) as crowd:
                floors.append(crowd.stood)
            with ours(rig, f"/many-{look}-ours{i}", count, look) as crowd:
                figures.append(crowd.stood)
                if look == "shared" and i == 0:
                    idle = crowd.idle_percent(5 if quick else 20)
        what = f"{count} candidates stand, look {look}"
        for name, key, most in (("time", "stood_ms", 1.3), ("CPU", "cpu_ms", 1.2)):
            yield against(f"{what}: {name}", "ms", [f[key] for f in floors], [f[key] for f in figures], most)
        if look == "shared":
            each = [median([f["kb"] for f in who]) * 1024 / count for who in (floors, figures)]
            yield Row(f"{what}: memory each", f"{each[0]:.0f} B", f"{each[1]:.0f} B", f"{each[1] / each[0]:.2f} ×",
                      f"≤ {EACH_MOST} B", each[1] > EACH_MOST)
            yield Row(f"{count} candidates idle, timeout {TIMEOUT_MS // 1000} s: CPU", "", f"{idle:.1f} %", "",
                      f"≤ {IDLE_MOST:.0f} %", idle > IDLE_MOST)


def shared_sessions(rig, quick, say):
    count = 5000 if quick else 50000
    say(f"{count} candidates on {count // 100} sessions")
    with ours(rig, "/sharing", count, "shared", 100) as crowd:
        each = crowd.stood["kb"] * 1024 / count
        yield Row(f"{count} candidates on {crowd.stood['sessions']} sessions: memory each", "", f"{each:.0f} B", "",
                  f"≤ {EACH_SHARED_MOST} B", each > EACH_SHARED_MOST)
        yield Row(f"{count} candidates on {crowd.stood['sessions']} sessions stand", "",
                  f"{crowd.stood['stood_ms']:.0f} ms", "", "", None)


def packet(rig, quick, say):
    """On so few sessions, with names so long, that the watches of one would not fit the packet that sets them again."""
    count, name = 5000 if quick else 50000, "_c_{uuid}-latch-"
    say(f"{count} candidates with long names, on 3 sessions if it can be")
    with ours(rig, "/packet", count, "shared", count // 3 + 1, timeout_ms=30000, name=name) as crowd:
        sessions = crowd.stood["sessions"]
        each = -(-count // sessions) * (4 + len("/packet/") + len(name.format(uuid=uuid.uuid4())) + 10)
        what = f"{count} candidates with long names, on {sessions} sessions"
        yield Row(f"{what} (3 were asked for): watches to set again, each", "", f"{each} B", "", f"≤ {PACKET_MOST} B",
                  each > PACKET_MOST)
        yield from restart(rig, what, crowd, 3, say)


def restart(rig, what, crowd, away_s, say):
    say(f"{what}: the server is killed")
    before = crowd.ask()
    rig.tell("kill 0")
    time.sleep(away_s)
    away = (crowd.ask()["connects"] - before["connects"]) / away_s
    rig.tell("start 0")
    began, now = time.monotonic(), crowd.ask()
    while (now["waiting"], now["leading"]) != (before["waiting"], before["leading"]) and time.monotonic() < began + 60:
        time.sleep(0.1)
        now = crowd.ask()
    missing = before["waiting"] + before["leading"] - now["waiting"] - now["leading"]
    yield Row(f"{what}, server restarted: connects a second meanwhile", "", f"{away:.0f}", "", f"≤ {AWAY_MOST}",
              away > AWAY_MOST)
    yield Row(f"{what}, server restarted: not back, expired (all back after {time.monotonic() - began:.1f} s)", "",
              f"{missing}, {now['expired']}", "", "0, 0", missing != 0 or now["expired"] != 0)


def measure_crowd(rig, rounds, quick, say):
    """Restarts come last: they leave a cold server behind."""
    yield from stand_against_both(rig, rounds, quick, say)
    yield from many(rig, rounds, quick, say)
    yield from shared_sessions(rig, quick, say)
    count = 1000 if quick else 10000
    with ours(rig, "/restart-own", count, "shared", timeout_ms=30000) as crowd:
        yield from restart(rig, f"{count} candidates", crowd, 3, say)
    with ours(rig, "/restart-shared", 5 * count, "shared", 5 * count // 3 + 1, timeout_ms=30000) as crowd:
        yield from restart(rig, f"{5 * count} candidates on {crowd.stood['sessions']} sessions", crowd, 3, say)
    yield from packet(rig, quick, say)
