"""What an operator's daily commands cost: discovery, check, export, alerts, many clusters, and one large snapshot."""
import contextlib
import datetime
import os
import socket
import statistics
import subprocess
import time
import urllib.error
import urllib.request

from rig import BUILD, BenchError, Rig, cpu_us, idle_windows, resident_kb, settle, wait_until
from row import Row, ratio_row


def join_with_peak(program):
    """Waits for its end; from its start to that, and the most memory that it was seen to hold."""
    peak_kb = 0
    while program.stamp.poll() is None:
        with contextlib.suppress(BenchError, OSError, ValueError, IndexError):
            with open(f"/proc/{program.pid}/status", encoding="ascii", errors="replace") as f:
                peak_kb = max([peak_kb] + [int(line.split()[1]) for line in f if line.startswith("VmHWM:")])
        time.sleep(0.02)
    code, ended = program.join(300)
    if code != 0:
        raise BenchError(f"{program.what} ended with {code}: {program.complaint()}")
    return ended - program.started_us, peak_kb


def compare(rig, rounds, floor_mode, path, *commands):
    """Whole runs: the times of the floor; and of each command the times, and the median of its peak memory."""
    floor, mine = [], [[] for _ in commands]
    for _ in range(rounds):
        with rig.floor(floor_mode, path, 300) as program:
            floor.append(join_with_peak(program)[0])
        for results, command in zip(mine, commands):
            with rig.electop(*command) as program:
                results.append(join_with_peak(program))
    return floor, [([took for took, _ in results], statistics.median(peak for _, peak in results)) for results in mine]


def measure_discovery(rig, rounds, quick, say):
    """Whole runs, on both sides with as much in flight as the server takes."""
    directories, elections = (10, 50) if quick else (90, 500)
    with rig.driver() as load:
        for i in range(directories):
            say(f"discovery: directory {i + 1} of {directories}")
            load.ask("plant", f"/bench/walk/x{i}", 1000)
        for i in range(elections):
            load.ask("stand", f"/bench/walk/e/e{i}", 10)
        say("discovery: walking")
        floor, [(mine, _)] = compare(rig, rounds, "walk", "/bench/walk",
                                     ("discover", "--json", "--rate", "100000/s", "--wait", "120s", "/bench/walk"))
    yield ratio_row(f"discovery: {elections} elections in {directories * 1000 + elections * 11} znodes", floor, mine, 1.3)


def measure_snapshot(rig, rounds, quick, say):
    """`once --json` over very many small elections: found by discovery, and named by a pattern. Both sides read each znode
    once; that electop also asks the server for its sessions, connections and watches counts against it."""
    elections = 500 if quick else 10000
    with rig.driver() as load:
        for i in range(elections):
            if i % 500 == 0:
                say(f"snapshot: election {i} of {elections}")
            load.ask("stand", f"/bench/many/e{i}", 3)
        say("snapshot: reading")
        options = ("once", "--json", "--quick", "--wait", "120s")
        floor, results = compare(rig, rounds, "elections", "/bench/many", (*options, "/bench/many/*"),
                                 (*options, "--config", discovery_of(rig, "/bench/many")))
    for how, (mine, peak_kb) in zip(("pattern", "discovery"), results):
        yield ratio_row(f"once --json over {elections} elections by {how}", floor, mine, 0.8)
        yield Row("  its memory at most", "", f"{peak_kb / 1024:.0f} MB", "", "≤ 50 MB", peak_kb > 50 * 1024)


def discovery_of(rig, root):
    path = os.path.join(rig.directory, "discover.yaml")
    with open(path, "w", encoding="ascii") as f:
        f.write(f"clusters: [{{name: bench, hosts: '{rig.hosts}'}}]\ndiscover: {{roots: [{root}], rate: 100000/s}}\n")
    return path


def measure_check(rig, rounds, _quick, say):
    """Whole runs of `check` less whole runs of a client that connects and reads one candidate."""
    say("check")
    with rig.driver() as load:
        load.ask("stand", "/bench/check", 3)
        floor, [(mine, _)] = compare(rig, 3 * rounds, "look", "/bench/check", ("check", "/bench/check"))
    floor, mine = statistics.median(floor), statistics.median(mine)
    extra_ms = (mine - floor) / 1000
    yield Row("check of one election, beyond a connect and a read", f"{floor / 1000:.0f} ms", f"{mine / 1000:.0f} ms",
              f"+ {extra_ms:.0f} ms", "≤ 25 ms", extra_ms > 25)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def measure_scrape(rig, rounds, quick, say):
    """The processor time that each scrape costs the exporter; it is asked as Prometheus asks."""
    elections, port = (100 if quick else 1000), free_port()
    costs, size = [], 0
    with rig.driver() as load:
        for i in range(elections):
            load.ask("stand", f"/bench/scrape/e{i}", 10)
        say("scrape")
        config = rig.directory + "/scrape.yaml"
        with open(config, "w", encoding="ascii") as f:
            f.write(f"clusters: [{{name: bench, hosts: '{rig.hosts}', servers: {{admin: '{rig.admin}'}}, "
                    "elections: [{path: '/bench/scrape/*', kind: leader, recipe: zookeeper-support}]}]\n")
        with rig.program("export", "--listen", f"127.0.0.1:{port}", "--config", config) as export:
            def scrape(encoding="gzip"):
                with contextlib.suppress(ConnectionRefusedError, urllib.error.URLError):
                    asked = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Accept-Encoding": encoding})
                    with urllib.request.urlopen(asked, timeout=20) as answer:
                        return answer.read()
                return b""
            wait_until("the exporter sees all", lambda: scrape("identity").count(b"electop_election_candidates{") >= elections, 60, 1.5)
            settle(export.pid, export.what)
            for _ in range(4 * rounds):
                time.sleep(1.5)  # a page is kept for a second
                before = cpu_us(export.pid)
                size = max(size, len(scrape()))
                costs.append(cpu_us(export.pid) - before)
            export.stop()
    cost_ms = statistics.median(costs) / 1000
    yield Row(f"a scrape of {elections} elections of 10: CPU", "", f"{cost_ms:.1f} ms", "", "≤ 5 ms", cost_ms > 5)
    yield Row("  its size, compressed", "", f"{size / 1e6:.2f} MB", "", "≤ 1 MB", size > 1e6)


def measure_alert(rig, rounds, _quick, say):
    """From the event that nobody leads to the first act of the command; the floor is a shell that does the same act."""
    notes, script = rig.directory + "/notes", rig.directory + "/page"
    with open(script, "w", encoding="ascii") as f:
        f.write(f'#!/bin/sh\necho "$(date +%s.%N) $ELECTOP_STATE $ELECTOP_SINCE" >>{notes}\n')
    os.chmod(script, 0o755)
    config = rig.directory + "/alerts.yaml"
    with open(config, "w", encoding="ascii") as f:
        f.write(f"clusters: [{{name: bench, hosts: '{rig.hosts}', servers: {{admin: '{rig.admin}'}}, "
                "elections: [{path: /bench/alert, kind: leader, allow: {vacancy: 200ms}}]}]\n"
                f"history: {{file: {rig.directory}/alerts.db}}\nalerts: [{{on: [no-leader], run: ['{script}']}}]\n")

    def raised():
        with contextlib.suppress(OSError), open(notes, encoding="ascii") as f:
            return [line.split() for line in f if " raised " in line]
        return []
    floor = []
    for _ in range(3 * rounds):
        began = time.time()
        subprocess.run([script], check=True, env={"ELECTOP_STATE": "floor", **rig.environment})
        floor.append((time.time() - began) * 1e6)
    with rig.driver() as load:
        load.ask("stand", "/bench/alert", 1)
        recorder = subprocess.Popen([os.path.join(BUILD, "electop"), "record", "--config", config], env=rig.environment,
                                    stdout=subprocess.DEVNULL)
        try:
            wait_until("the recorder records", lambda: os.path.exists(rig.directory + "/alerts.db"), 20)
            time.sleep(3)
            for i in range(2 * rounds):
                say(f"alert {i + 1}")
                load.ask("fall", "/bench/alert", 1, 4000, 4000)  # another joins after half of it
                wait_until("the alert runs", lambda: len(raised()) > i, 20)
        finally:
            recorder.terminate()
            recorder.wait()
    late = [1000 * (float(at) - datetime.datetime.fromisoformat(since.replace("Z", "+00:00")).timestamp())
            for at, _, since in raised()]
    yield Row("from an event to its alert's command", f"{statistics.median(floor) / 1000:.1f} ms", f"{statistics.median(late):.1f} ms", "",
              "≤ 15 ms", statistics.median(late) > 15)


def measure_clusters(_rig, _rounds, quick, say):
    """Fifty clusters, each with a server of its own, in one program that does nothing but watch. (As parts of one server's
    tree each of them would be told of the sessions and watches of all fifty.)"""
    clusters, elections = (5 if quick else 50), 20
    with contextlib.ExitStack() as all_of_it:
        rigs = []
        for i in range(clusters):
            say(f"clusters: server {i + 1} of {clusters}")
            rigs.append(all_of_it.enter_context(Rig(False, heap_mb=64)))
            load = all_of_it.enter_context(rigs[-1].driver(3))
            for j in range(elections):
                load.ask("stand", f"/bench/e{j}", 3)
        config = rigs[0].directory + "/clusters.yaml"
        with open(config, "w", encoding="ascii") as f:
            f.write("clusters:\n")
            for i, rig in enumerate(rigs):
                f.write(f"- {{name: c{i}, hosts: '{rig.hosts}', servers: {{admin: '{rig.admin}'}}, elections: [{{path: '/bench/*'}}]}}\n")
        say("clusters")
        with rigs[0].program("events", "--json", "--config", config) as events:
            wait_until("all are seen", lambda: events.text().count('"election-seen"') >= clusters * elections, 60, 0.2)
            # Its first looks at fifty servers take turns for half a minute; a shorter pause may lie between two turns.
            settle(events.pid, events.what, 1 if quick else 10, 90)
            windows = idle_windows(events.pid, 1 if quick else 10)
            held_kb = resident_kb(events.pid)
            events.stop()
    percent = statistics.median(windows)
    yield Row(f"{clusters} clusters of {elections} elections, idle: CPU", "", f"{percent:.2f} %", "", "≤ 1 %", percent > 1)
    yield Row("  memory", "", f"{held_kb / 1024:.0f} MB", "", "≤ 40 MB", held_kb > 40 * 1024)


def measure_operation(rig, rounds, quick, say):
    for measure in (measure_check, measure_alert, measure_clusters, measure_scrape, measure_discovery, measure_snapshot):
        yield from measure(rig, rounds, quick, say)
