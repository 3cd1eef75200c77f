"""What is measured, and how it is compared. Each measure yields the rows of its part of the table."""
import json
import os
import select
import subprocess
import time

from falls import electop_falls, floor_falls, median, whole_run
from measure_burden import measure_burden
from measure_capture import measure_capture
from measure_certainty import measure_certainty
from measure_crowd import measure_crowd
from measure_far import measure_far
from measure_growth import measure_growth
from measure_history import measure_history
from measure_operation import measure_operation
from measure_transactions import measure_transactions
from measure_transport import measure_transport
from measure_wire import measure_links, measure_reaction
from rig import TOOLS, BenchError, cpu_us, idle_windows, resident_kb, settle, wait_until
from row import Row, ms, percent_row, ratio_row, spread
from terminal import Dashboard, writer_us

SIZES = (10, 1000, 10000)
STALE_LIMIT_MS = 500
CHURN_PER_S = 100
LEADER_EVERY_MS = 400
IDENTITY = b".example:7071"  # ends the data of every candidate of driver.c


# 1 and 2: how soon a fall is told.

def measure_fall(rig, rounds, quick, say):
    """From the deletion of a leader's znode to the line of `electop events --json`, read from its pipe. The
    floor's time is taken inside its notification: writing a line and reading a pipe count against electop."""
    plan = (6, 150, 300) if quick else (20, 200, 400)
    for size in SIZES[:2] if quick else SIZES:
        path = f"/bench/fall{size}"
        runs = {"floor lost": [], "floor elected": [], "lost": [], "elected": [], "pipe": []}
        missing = 0
        with rig.driver() as load:
            load.ask("stand", path, size)
            for i in range(rounds):
                say(f"falls among {size}, round {i + 1}")
                lost, elected, late = floor_falls(rig, load, path, plan)
                runs["floor lost"].append(median(lost))
                runs["floor elected"].append(median(elected))
                runs["pipe"].append(median(late))
                lost, elected = electop_falls(rig, load, path, plan)
                missing += lost.count(None) + elected.count(None)
                runs["lost"].append(median(lost))
                runs["elected"].append(median(elected))
        note = f"; {missing} never told" if missing else ""
        yield ratio_row(f"leader-lost, {size} candidates{note}", runs["floor lost"], runs["lost"], 1.08)
        yield ratio_row(f"leader-elected, {size} candidates", runs["floor elected"], runs["elected"], 1.08)
    yield Row("  (of which reading a line from a pipe takes)", ms(median(runs["pipe"])), "", "", "", None)


# 3: the first complete look.

def measure_look(rig, rounds, quick, say):
    """Whole runs on 10,000 candidates less whole runs on one, on both sides: so starting, connecting and
    closing cancel out, and reading, ordering and (for electop) printing JSON are what is left."""
    size = 1000 if quick else 10000
    floor, electop = [], []
    with rig.driver() as load:
        load.ask("stand", "/bench/one", 1)
        load.ask("stand", "/bench/look", size)
        for i in range(2 * rounds):  # short, and mostly the server's work: it takes more of them
            say(f"look at {size}, round {i}")
            walls = [whole_run(rig.floor("look", path))[0] for path in ("/bench/one", "/bench/look")]
            walls += [whole_run(rig.electop("once", "--json", "--quick", path))[0]
                      for path in ("/bench/one", "/bench/look")]
            if i > 0:  # the first is for the caches
                floor.append(walls[1] - walls[0])
                electop.append(walls[3] - walls[2])
    yield ratio_row(f"first complete look at {size}", floor, electop, 0.65)


# 4: churn.

def number(name):
    return int(name[-10:])


def staleness(deeds, joined, left):
    """How late each joining and each departure was told, in ms, and how many never were, of those that lasted
    long enough that they must be."""
    began = {name: sent for deed, name, sent, _ in deeds if deed == "joined"}
    ended = {name: sent for deed, name, sent, _ in deeds if deed != "joined"}
    late, untold = [], 0
    for deed, name, sent, _ in deeds:
        seen = (joined if deed == "joined" else left).get(name)
        if seen is not None:
            late.append((seen - sent) / 1000)
        elif ended.get(name, sent + 10**9) - began.get(name, sent - 10**9) > STALE_LIMIT_MS * 1000:
            untold += 1
    return late, untold


def churn_round(rig, load, path, seconds):
    with rig.floor("churn", path, seconds + 30) as floor, rig.electop("events", "--json", path) as electop:
        wait_until("electop sees the election", lambda: "election-seen" in electop.text(), 20)
        settle(electop.pid, electop.what)
        before = cpu_us(floor.pid), cpu_us(electop.pid), time.monotonic()
        deeds = load.ask("churn", path, CHURN_PER_S, seconds, LEADER_EVERY_MS)
        took_us = (time.monotonic() - before[2]) * 1e6
        cpu = [100 * (cpu_us(p.pid) - b) / took_us for p, b in ((floor, before[0]), (electop, before[1]))]
        time.sleep(1)
        electop.stop()
        floor.stop()
        floor_leaders = [line.split()[1] for _, line in floor.lines() if line.startswith("leader ")][1:]
        leaders, joined, left, unseen = set(), {}, {}, 0
        for at, event in electop.events():
            if event["event"] == "leader-elected":
                leaders.add(event["to"])
            elif event["event"] == "candidate-joined":
                joined[event["candidate"]] = at
            elif event["event"] == "candidate-left":
                left[event["candidate"]] = at
            elif event["event"] == "unseen":
                unseen += event["joined"] + event["left"]
        late, untold = staleness(deeds, joined, left)
        falls = sum(deed == "fell" for deed, *_ in deeds)
        return {"cpu": cpu, "late": late, "untold": untold, "falls": falls, "floor saw": len(floor_leaders),
                "missed": len(set(floor_leaders) - leaders), "saw": len(leaders), "unseen": unseen}


def churn_dashboard(rig, load, path, seconds):
    """The same load, looked at: the election's own screen, where every departure moves the lines. Its floor reads as that
    of the events does, and writes the same bytes."""
    with Dashboard(rig, path) as dashboard:
        dashboard.shows(path.encode())
        dashboard.press(b"\r")
        dashboard.shows(b"CANDIDATE")
        settle(dashboard.pid, "the dashboard")
        before, began, drawn = cpu_us(dashboard.pid), time.monotonic(), len(dashboard.pieces)
        load.ask("churn", path, CHURN_PER_S, seconds, LEADER_EVERY_MS)
        used, took_us = cpu_us(dashboard.pid) - before, (time.monotonic() - began) * 1e6
    return 100 * writer_us(rig, dashboard.pieces[drawn:]) / took_us, 100 * used / took_us


def measure_churn(rig, rounds, quick, say):
    """Floor and electop watch the same churn at the same time, so that each change of leader that the floor
    saw can be looked for in electop's events. Lateness is from the request to the line."""
    size, seconds = (1000, 3) if quick else (10000, 8)
    path, runs, screens = "/bench/churn", [], []
    with rig.driver() as load:
        load.ask("stand", path, size)
        for i in range(rounds):
            say(f"churn among {size}, round {i + 1}")
            runs.append(churn_round(rig, load, path, seconds))
            screens.append(churn_dashboard(rig, load, path, seconds // 2))
    floors, events = ([r["cpu"][i] for r in runs] for i in (0, 1))
    yield percent_row(f"churn among {size}: CPU", floors, events, 1.5)
    yield percent_row(f"churn among {size}: CPU of the dashboard (floor: and its bytes written)",
                      [floor + written for floor, (written, _) in zip(floors, screens)], [used for _, used in screens], 2.5)
    late = sorted(v for r in runs for v in r["late"])
    untold = sum(r["untold"] for r in runs)
    if late:
        worst, p50 = late[-1], late[len(late) // 2]
        yield Row(f"churn: changes told late, p50 and worst{f'; {untold} never' if untold else ''}", "",
                  f"{p50:.0f} / {worst:.0f} ms", "", "≤ 500 ms", worst > STALE_LIMIT_MS or untold > 0)
    else:
        yield Row("churn: changes told", "", "none", "", "≤ 500 ms", True)
    total = {k: sum(r[k] for r in runs) for k in ("falls", "floor saw", "saw", "missed", "unseen")}
    yield Row(f"churn: leader changes seen, of {total['falls']}", str(total["floor saw"]), str(total["saw"]), "",
              "0 missed", total["missed"] > 0)


# 5: a thousand quiet elections.

def resident_of(rig, pattern, elections, seconds=0):
    with rig.electop("events", "--json", pattern) as electop:
        wait_until(f"electop sees {elections} elections",
                   lambda: electop.text().count('"election-seen"') >= elections, 30, 0.1)
        settle(electop.pid, electop.what)
        cpu = idle_windows(electop.pid, seconds) if seconds else []
        resident = resident_kb(electop.pid)
        electop.stop()
        return resident, cpu


def idle_dashboard(rig, pattern, seconds):
    with Dashboard(rig, pattern) as dashboard:
        dashboard.shows(IDENTITY)
        settle(dashboard.pid, "the dashboard")
        began, drawn = time.monotonic(), len(dashboard.pieces)
        windows = idle_windows(dashboard.pid, seconds)
        took_us = (time.monotonic() - began) * 1e6
    return 100 * writer_us(rig, dashboard.pieces[drawn:]) / took_us, windows


def idle_floor(rig, root, seconds):
    """A session with the same watches, which pings, and asks the server as often (floor.c: hold)."""
    with rig.floor("hold", root, 600, rig.admin) as floor:
        wait_until("the floor holds them", lambda: "held " in floor.text(), 60, 0.05)
        settle(floor.pid, floor.what)
        windows = idle_windows(floor.pid, seconds) if seconds else []
        return resident_kb(floor.pid), windows


def measure_idle(rig, rounds, quick, say):
    """The resident set with all of them less that with one election, for each further candidate; and the
    processor time of five windows in which nothing happens."""
    elections, members, seconds = (100 if quick else 1000), 10, (1 if quick else 5)
    grown, cpu = ([], []), ([], [])
    with rig.driver() as load:
        load.ask("stand", "/bench/single/e0", members)
        for i in range(elections):
            load.ask("stand", f"/bench/idle/e{i}", members)
        for i in range(rounds):
            say(f"{elections} idle elections, round {i + 1}")
            window = seconds if i == 0 else 0
            for k, (one, all_of_them) in enumerate((
                    (idle_floor(rig, "/bench/single", 0), idle_floor(rig, "/bench/idle", window)),
                    (resident_of(rig, "/bench/single/*", 1), resident_of(rig, "/bench/idle/*", elections, window)))):
                grown[k].append((all_of_them[0] - one[0]) * 1024 / ((elections - 1) * members))
                cpu[k].extend(all_of_them[1])
        say("the dashboard, idle")
        written, screens = idle_dashboard(rig, "/bench/idle/*", seconds)
    what = f"{elections} elections of {members}"
    yield percent_row(f"{what}, idle: CPU", *cpu, 2)
    yield percent_row(f"{what}, idle: CPU of the dashboard (floor: and its bytes written)", [f + written for f in cpu[0]], screens, 4)
    floor, mine = (median(figures) for figures in grown)
    yield Row(f"{what}: memory a candidate", f"{floor:.0f} B", f"{mine:.0f} B", f"{mine / floor:.2f} ×{spread(*grown)}" if floor > 0 else "-",
              "≤ 400 B", mine > 400)


# 6: one frame.

def measure_frame(_rig, rounds, quick, say):
    """The election view drawn into cells (frame.c), at several places of the line, where nothing changed since
    the frame before, and where something did."""
    runs = []
    for i in range(rounds):
        say(f"frames, round {i + 1}")
        run = subprocess.run([os.path.join(TOOLS, "frame"), "200" if quick else "2000", "100", "10000"], check=False, text=True,
                             capture_output=True, timeout=120)
        if run.returncode != 0:
            raise BenchError(run.stderr.strip() or f"it ended with {run.returncode}")
        runs.append(json.loads(run.stdout))
    for kind in ("still", "changed"):
        small, big = (median(run[size][kind] for run in runs) for size in ("100", "10000"))
        yield Row(f"one frame of 10,000 (floor: of 100), model {kind}", f"{small:.0f} µs", f"{big:.0f} µs",
                  f"{big / small:.2f} ×", "≤ 1.2 ×", big > 1.2 * small)


def measure_keys(_rig, rounds, quick, say):
    """From a key to the picture that follows it in the dashboard's cells (keys.c): 5,000 elections of two
    candidates, the model changed before each key. The floor puts the same text into the cells."""
    runs = []
    for i in range(rounds):
        say(f"keys, round {i + 1}")
        run = subprocess.run([os.path.join(TOOLS, "keys"), "2" if quick else "5"], check=False, text=True,
                             capture_output=True, timeout=300)
        if run.returncode != 0:
            raise BenchError(run.stderr.strip() or f"it ended with {run.returncode}")
        runs.append(json.loads(run.stdout))
    floors, p50, p99 = ([run[key] for run in runs] for key in ("floor", "p50", "p99"))
    yield Row(f"key to picture, 5,000 elections of 2: p50 (p99 {median(p99):.1f} ms)", f"{median(floors):.2f} ms", f"{median(p50):.1f} ms",
              f"{median(p50) / median(floors):.2f} ×{spread(floors, p50)}", "p99 ≤ 16 ms", median(p99) > 16)


# 7: the first picture.

def measure_picture(rig, rounds, _quick, say):
    """From the start of the program to the leader's name on a real terminal, less the bare client's whole way
    from its start to having read the same election."""
    path, floor, electop = "/bench/picture", [], []
    with rig.driver() as load:
        load.ask("stand", path, 10)
        for i in range(rounds + 1):
            say(f"first picture, round {i}")
            floor.append(whole_run(rig.floor("look", path))[1])
            with Dashboard(rig, path) as dashboard:
                electop.append((dashboard.shows(IDENTITY) - dashboard.started_at) * 1e6)
    floor_us, electop_us = median(floor[1:]), median(electop[1:])
    beyond = electop_us - floor_us
    yield Row("start to first picture, 10 candidates", ms(floor_us), ms(electop_us), f"+ {ms(beyond)}", "≤ + 15 ms",
              beyond > 15e3)


# 8: asking a server.

def measure_asking(rig, rounds, quick, say):
    """round.c against the rig's server, first with nothing on it, then with a crowd: a session, an ephemeral znode
    and a watch each. The memory is what came with the crowd's first rounds; idle is from then on."""
    size = 1000 if quick else 10000

    def ask(times, idle_s):
        run = subprocess.run([os.path.join(TOOLS, "round"), rig.hosts, rig.admin, "/bench/nobody", str(times), str(idle_s)],
                             check=False, text=True, capture_output=True, timeout=300)
        if run.returncode != 0:
            raise BenchError(run.stderr.strip() or f"round ended with {run.returncode}")
        return json.loads(run.stdout)

    say("asking an empty server")
    empty = ask(2, 0)
    crowd = subprocess.Popen([os.path.join(os.path.dirname(TOOLS), "tools", "crowd"), rig.hosts, str(size), "1"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        ready, _, _ = select.select([crowd.stdout], [], [], 60)
        if not ready or crowd.stdout.readline() != b"ready\n":
            raise BenchError(f"the crowd of {size} sessions does not stand")
        say(f"asking about {size} sessions")
        full = ask(max(3, rounds), 5 if quick else 60)
    finally:
        crowd.stdin.close()
        crowd.wait(20)
        crowd.stdout.close()
    each, longest = median(full["rounds_ms"]), full["longest_ms"]
    memory = (full["after_kb"] - empty["after_kb"]) * 1024 / size
    what = f"asking, {size} sessions and watches"
    floor = median(full["floor_ms"])
    yield Row(f"{what}: CPU a round, AdminServer (floor: thrown away)", f"{floor:.1f} ms", f"{each:.1f} ms",
              f"{each / floor:.2f} ×{spread(full['floor_ms'], full['rounds_ms'])}", "≤ 250 ms", each > 250)
    yield Row(f"{what}: CPU to read the words' answers (floor: to receive them)", f"{full['words_floor_ms']:.1f} ms",
              f"{full['words_ms']:.1f} ms", f"{full['words_ms'] / full['words_floor_ms']:.2f} ×", "≤ 100 ms", full["words_ms"] > 100)
    yield Row(f"{what}: longest work of the loop", "", f"{longest:.1f} ms", "", "≤ 10 ms", longest > 10)
    yield Row(f"{what}: memory a session with its watch", "", f"{memory:.0f} B", "", "≤ 250 B", memory > 250)
    yield Row(f"{what}: CPU while nothing changes", "", f"{full['idle_percent']:.2f} %", "", "≤ 1 %",
              full["idle_percent"] > 1)


# 9: finding out what is wrong.

def measure_diagnose(_rig, rounds, _quick, say):
    """A thousand elections of ten in the model, and a round at the servers that changes something in each."""
    runs = []
    for i in range(rounds):
        say(f"diagnoses, round {i + 1}")
        run = subprocess.run([os.path.join(TOOLS, "diagnose"), "21"], check=False, text=True, capture_output=True, timeout=120)
        if run.returncode != 0:
            raise BenchError(run.stderr.strip() or f"diagnose ended with {run.returncode}")
        runs.append(json.loads(run.stdout))
    floors, ours = ([run[key] for run in runs] for key in ("floor_ms", "round_ms"))
    yield Row("a round of 1000 elections of 10, folded and diagnosed (floor: compared)", f"{median(floors):.2f} ms",
              f"{median(ours):.1f} ms", f"{median(ours) / median(floors):.1f} ×{spread(floors, ours)}", "≤ 20 ms", median(ours) > 20)


MEASURES = {"fall": measure_fall, "look": measure_look, "churn": measure_churn, "idle": measure_idle,
            "frame": measure_frame, "keys": measure_keys, "picture": measure_picture, "asking": measure_asking,
            "history": measure_history, "diagnose": measure_diagnose, "crowd": measure_crowd,
            "transport": measure_transport, "transactions": measure_transactions, "capture": measure_capture,
            "reaction": measure_reaction, "links": measure_links, "operation": measure_operation,
            "burden": measure_burden, "certainty": measure_certainty, "growth": measure_growth, "far": measure_far}
