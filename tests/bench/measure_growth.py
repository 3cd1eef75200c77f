"""How costs grow with what is watched: curves, not points, of electop and of a floor that reads the same.

A round of a size costs a few seconds, and to make 100,000 candidates or 10,000 elections half a minute each, a year's
recording two minutes: a quarter of an hour in all, bounded by the deadlines below. The curves are kept for curves.py to draw.
"""
import json
import os
import statistics
import subprocess
import tempfile
import time

from measure_history import ELECTIONS, history, make
from rig import TOOLS, BenchError, cpu_us, resident_kb, settle, wait_until
from row import Row, spread

MEMBERS = 3
IN_EACH_CLUSTER = 20
# From the size at which electop is nearest to its floor on, no larger one may have more than so many times that ratio:
# then the cost of a change grows with the size as the floor's own does.
GROWTH_MOST = 1.25
CURVES = []


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


class Curve:
    """Figures by size. change: what must not grow beyond its floor."""

    def __init__(self, title, sizes, unit, change=False):
        self.title, self.sizes, self.unit, self.change, self.points, self.nearest = title, sizes, unit, change, {}, None
        CURVES.append(self)

    def row(self, size, floors, ours):
        """Of the rounds; keeps the point, and judges it by those before."""
        floor, mine = statistics.median(floors), statistics.median(ours)
        self.points[size] = floor, mine
        ratio = mine / floor if floor > 0 and mine > 0 else None
        target, over = "", None
        if self.change and ratio is not None:
            if self.nearest is not None:
                target, over = f"≤ {GROWTH_MOST * self.nearest:.1f} ×", ratio > GROWTH_MOST * self.nearest
            self.nearest = min(ratio, self.nearest or ratio)
        return Row(f"{size:,} {self.sizes}: {self.title}", f"{figure(floor)} {self.unit}", f"{figure(mine)} {self.unit}",
                   f"{ratio:.2f} ×{spread(floors, ours)}" if ratio else "-", target, over)


class Pair:
    """Floor and electop at the same load, once both have seen all of it."""

    def __init__(self, floor, electop, elections):
        self.floor, self.electop = floor, electop
        wait_until(f"{electop.what} sees {elections} elections",
                   lambda: electop.text().count('"election-seen"') >= elections, 120, 0.1)
        settle(electop.pid, electop.what, within_s=60)
        self.started = [float(line.split()[1]) - floor.started_us for _, line in floor.lines() if line.startswith("held ")] + [
            [at for at, event in electop.events() if event["event"] == "election-seen"][elections - 1] - electop.started_us]

    def used(self, during):
        """The processor time of each meanwhile, and how long it took, in microseconds."""
        before, began = [cpu_us(p.pid) for p in (self.floor, self.electop)], time.monotonic()
        result = during()
        cpu = [cpu_us(p.pid) - b for p, b in zip((self.floor, self.electop), before)]
        return cpu, (time.monotonic() - began) * 1e6, result

    def change_us(self, load, path, per_s, seconds, idle_percent):
        """Each departure and each joining is one; what it costs to be there is not part of it."""
        cpu, took_us, deeds = self.used(lambda: load.ask("churn", path, per_s, seconds, 100000))
        return [max(0, c - took_us * idle / 100) / len(deeds) for c, idle in zip(cpu, idle_percent)]

    def idle_percent(self, quick):
        """Servers are looked at more often until what they show is proved."""
        time.sleep(1 if quick else 15)
        seconds = 2 if quick else 9
        cpu, took_us, _ = self.used(lambda: time.sleep(seconds))
        return [100 * c / took_us for c in cpu]

    def held_mb(self):
        return [resident_kb(p.pid) / 1024 for p in (self.floor, self.electop)]


def columns(pairs):
    return [list(column) for column in zip(*pairs)]


def whole_ms(program):
    with program:
        code, ended = program.join(120)
        if code != 0:
            raise BenchError(f"{program.what} ended with {code}: {program.complaint()}")
        return (ended - program.started_us) / 1000


def frames(size, quick):
    run = subprocess.run([os.path.join(TOOLS, "frame"), "100" if quick else "1000", str(size)], check=True, text=True,
                         capture_output=True, timeout=120)
    frame = json.loads(run.stdout)[str(size)]
    return frame["floor"], frame["changed"]


def candidates(rig, rounds, quick, say):
    names = ("CPU of a change", "µs", True), ("first look", "ms"), ("memory", "MB"), ("a frame (floor: its text only)", "µs")
    change, look, memory, frame = (Curve(title, "candidates", *rest) for title, *rest in names)
    for size in (10, 100, 1000) if quick else (10, 100, 1000, 10000, 100000):
        path, runs = f"/growth/candidates{size}", ([], [], [], [])
        with rig.driver() as load:
            say(f"growth: {size} candidates stand")
            load.ask("stand", path, size)
            for i in range(rounds):
                say(f"growth: {size} candidates, round {i + 1}")
                runs[1].append((whole_ms(rig.floor("look", path)), whole_ms(rig.electop("once", "--json", "--quick", "--wait", "120s", path))))
                with rig.floor("churn", path, 600) as floor, rig.electop("events", "--json", path) as electop:
                    pair = Pair(floor, electop, 1)
                    runs[2].append(pair.held_mb())
                    runs[0].append(pair.change_us(load, path, 2, 3 if quick else 8, pair.idle_percent(quick)))
                runs[3].append(frames(size, quick))
        for curve, figures in zip((change, look, memory, frame), runs):
            yield curve.row(size, *columns(figures))


def many(what, size, changing, make, floor, electop, elections, curves, rounds, quick, say):
    change, idle, memory, start = curves
    runs = ([], [], [], [])
    with make(size) as load:
        for i in range(rounds):
            say(f"growth: {size} {what}, round {i + 1}")
            with floor(size) as bare, electop(size) as program:
                wait_until("the floor holds them", lambda: "held " in bare.text(), 120, 0.05)
                pair = Pair(bare, program, elections)
                runs[3].append([us / 1000 for us in pair.started])
                runs[1].append(pair.idle_percent(quick))
                runs[2].append(pair.held_mb())
                runs[0].append(pair.change_us(load, changing, 20, 3 if quick else 6, runs[1][-1]))
    for curve, figures in zip((change, idle, memory, start), runs):
        yield curve.row(size, *columns(figures))


def four_curves(sizes):
    return [Curve(title, sizes, *rest) for title, *rest in
            (("CPU of a change", "µs", True), ("idle", "% CPU"), ("memory", "MB"), ("start until all are seen", "ms"))]


def elections(rig, rounds, quick, say):
    curves = four_curves(f"elections of {MEMBERS}")

    def make(size):
        load = rig.driver()
        for i in range(size):
            if i % 500 == 0:
                say(f"growth: election {i} of {size}")
            load.ask("stand", f"/growth/elections{size}/e{i}", MEMBERS)
        return load
    for size in (1, 10, 100) if quick else (1, 10, 100, 1000, 10000):
        yield from many("elections", size, f"/growth/elections{size}/e0", make,
                        lambda n: rig.floor("hold", f"/growth/elections{n}", 900, rig.admin),
                        lambda n: rig.electop("events", "--json", f"/growth/elections{n}/*"), size, curves, rounds, quick, say)


def clusters(rig, rounds, quick, say):
    """Parts of one server's tree: each is told of the connections of all, and so is the floor."""
    curves, config = four_curves(f"clusters of {IN_EACH_CLUSTER} elections"), os.path.join(rig.directory, "growth.yaml")

    def make(size):
        load = rig.driver()
        with open(config, "w", encoding="ascii") as f:
            f.write("clusters:\n")
            for i in range(size):
                f.write(f"- {{name: c{i}, hosts: '{rig.hosts}/growth/clusters{size}/c{i}', servers: {{admin: '{rig.admin}'}}, "
                        "elections: [{path: '/*'}]}\n")
                for j in range(IN_EACH_CLUSTER):
                    load.ask("stand", f"/growth/clusters{size}/c{i}/e{j}", MEMBERS)
        return load
    for size in (1, 5) if quick else (1, 5, 20, 50):
        yield from many("clusters", size, f"/growth/clusters{size}/c0/e0", make,
                        lambda n: rig.floor("hold", f"/growth/clusters{n}", 900, rig.admin, n),
                        lambda n: rig.program("events", "--json", "--config", config),
                        size * IN_EACH_CLUSTER, curves, rounds, quick, say)


def rates(rig, rounds, quick, say):
    path, size = "/growth/rate", 1000
    curve = Curve(f"CPU of each, among {size:,} candidates", "events a second", "µs", True)
    with rig.driver() as load:
        load.ask("stand", path, size)
        for per_s in (2, 20, 200) if quick else (2, 10, 100, 1000):
            runs = []
            for i in range(rounds):
                say(f"growth: {per_s} events a second, round {i + 1}")
                with rig.floor("churn", path, 600) as floor, rig.electop("events", "--json", path) as electop:
                    pair = Pair(floor, electop, 1)
                    runs.append(pair.change_us(load, path, per_s // 2, 3 if quick else 8, pair.idle_percent(quick)))
            yield curve.row(per_s, *columns(runs))


def recording(rounds, quick, say):
    """Fast motion; the floor reads the rows that are needed, and throws them away."""
    moment = Curve("any moment", f"hours of {ELECTIONS} elections, a change an hour each", "ms")
    percentile = Curve("percentiles of one election", moment.sizes, "ms")
    with tempfile.TemporaryDirectory(prefix="electop-bench-") as folder:
        for hours in (1, 24) if quick else (1, 24, 720, 8760):
            say(f"growth: making a recording of {hours} hours")
            file = os.path.join(folder, f"{hours}.db")
            made = make(file, hours / 24, 3600)
            runs = [history("read", file) for _ in range(rounds)]
            for curve, key, most in ((moment, "jump_ms", 100), (percentile, "percentiles_ms", 100)):
                row = curve.row(hours, [r[f"floor_{key}"] for r in runs], [r[key] for r in runs])
                row.target, row.over = f"≤ {most} ms", statistics.median(r[key] for r in runs) > most
                yield row
            each = made["bytes_an_event"]
            # The first chunk of a recording is whole, however little follows it.
            yield Row(f"{hours:,} {moment.sizes}: bytes an event", "", f"{each:.0f} B", "", "≤ 150 B" if hours > 24 else "",
                      each > 150 if hours > 24 else None)


def measure_growth(rig, rounds, quick, say):
    rounds = min(rounds, 3)
    for measure in (candidates, elections, clusters, rates):
        yield from measure(rig, rounds, quick, say)
    yield from recording(rounds, quick, say)
