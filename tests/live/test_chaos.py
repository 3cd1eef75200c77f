"""The tool under faults of every kind at random: whatever it says is held against the servers' transaction logs.

    ELECTOP_CHAOS_S       for how long things go wrong; the usual run: 15 s, for a hunt by hand 60 and more
    ELECTOP_CHAOS_SEED    what goes wrong: a number, or "random", which is told when it fails; else always the
                          same. When exactly it does depends on the machine, so a seed may have to be tried
                          more than once
    ELECTOP_CHAOS_KEEP    a folder for the logs, the streams, the looks and the faults of the run"""
import collections
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import threading
import time

import pytest

from chaos import Chaos
from autopsies import Comparison, check_autopsy
from electop import PROGRAM, Events, elections, run
from ensemble import Ensemble
from recorder import Recorder
from injection import SANDBOX
from truth import Lies, Truth, check_look, compare_standing, retell
from txnlog import CLOSE_SESSION, CREATE_SESSION, changes, transactions
from waiting import until
from witness import Witness, check_certain, watched

CHAOS_S = float(os.environ.get("ELECTOP_CHAOS_S", "15"))
SEED = os.environ.get("ELECTOP_CHAOS_SEED", "52")
SEED = random.randrange(1_000_000) if SEED == "random" else int(SEED)
LIMIT_S = int(CHAOS_S * 1.5 + 200)
# Nothing has changed for so long: longer than any session lives on without its client.
QUIET_S = 7
# A server that was frozen or cut off tells new sessions what it knew; for no longer than it was.
STALE_S = 10
# Of one core, under a sanitizer; some hundredths are usual.
CPU_MOST = 0.5


@pytest.fixture
def zk():
    ensemble = Ensemble(3, config=("maxClientCnxns=0",))
    yield ensemble
    ensemble.close()


class Looks(threading.Thread):
    """`electop once --json`, again and again, each with when it began and ended."""

    def __init__(self, zk, hosts, paths):
        super().__init__(daemon=True)
        self.arguments = ["once", "--json", "-s", hosts, "--admin", zk.admin, *paths]
        self.over, self.seen, self.failed = threading.Event(), [], []
        self.start()

    def look(self, *more):
        began = time.time()
        done = run(*self.arguments, *more, within=90)
        assert done.status in (0, 3), done
        self.seen.append((began, time.time(), json.loads(done.out)))
        return self.seen[-1][2]

    def run(self):
        draw = random.Random(f"{SEED} looks")
        while not self.over.wait(1):
            try:
                self.look(*draw.choice([(), ("--quick",)]))
            except Exception as error:  # told by whoever waits for it: a thread's own would pass unseen
                self.failed.append(f"once: {error!r}")
                return

    def stop(self):
        self.over.set()
        self.join(120)
        if self.is_alive():
            self.failed.append("once: a look does not end")


class Costs(threading.Thread):
    """What programs hold, every few seconds: in a long run it must not grow."""

    def __init__(self, programs):
        super().__init__(daemon=True)
        self.programs, self.seen = programs, {name: [] for name in programs}
        self.start()

    def run(self):
        while all(process.poll() is None for process in self.programs.values()):
            for name, process in self.programs.items():
                try:
                    with open(f"/proc/{process.pid}/statm", encoding="ascii") as f:
                        memory_mb = int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
                    self.seen[name].append((memory_mb, len(os.listdir(f"/proc/{process.pid}/fd"))))
                except OSError:
                    return
            time.sleep(2)

    def grown(self):
        """What the last quarter of a long run holds beyond the second one. What a sanitizer keeps is not judged."""
        found = []
        for name, seen in self.seen.items():
            quarter = len(seen) // 4
            if quarter < 10:
                continue
            early, late = ([statistics.median(one[what] for one in part) for what in range(2)]
                           for part in (seen[quarter:2 * quarter], seen[-quarter:]))
            print(f"{name}: {early[0]:.1f} MB and {early[1]:.0f} descriptors early, "
                  f"{late[0]:.1f} and {late[1]:.0f} late")
            if late[1] > early[1] + 3:
                found.append(f"{name} holds {early[1]} descriptors, later {late[1]}")
            if "asan" not in PROGRAM and late[0] > 1.25 * early[0] + 2:
                found.append(f"{name} holds {early[0]} MB, later {late[0]}")
        return found


class Watched:
    """`electop events` and `electop record` on the same elections, and looks beside them."""

    def __init__(self, zk, hosts, folder, paths):
        self.folder, self.paths, self.looks = folder, paths, None
        admin = ", ".join(json.dumps(one) for one in zk.admin.split(","))
        listed = ", ".join(f"{{path: {path}}}" for path in paths)
        self.recorder = Recorder(folder, hosts, "--log", str(folder / "record.log"),
                                 elections=f"[{listed}], session_timeout: 4s, servers: {{admin: [{admin}]}}")
        self.events = Events(hosts, "-t", "4s", "--admin", zk.admin, "--log", str(folder / "events.log"), *paths)
        self.programs = {"events": self.events.process, "record": self.recorder.process}
        self.costs, self.began = Costs(self.programs), time.monotonic()

    def sees(self, directories):
        until(lambda: len(self.events.all("election-seen")) == directories, 40, "all are seen")
        self.recorder.wait_for("SELECT 1 FROM events WHERE event = 'election-seen'", directories, 40)

    def recorded(self):
        return [json.loads(line) for line in run("events", "--json", "--replay", self.recorder.file, within=60).out.splitlines()]

    def has_told_all(self, truth):
        """Every change of leader has been told in whole, which may take as long as a failover is allowed to."""
        return not any(teller.untold() for events in (self.events.seen, self.recorded())
                       for teller in retell(truth, self.paths, list(events), Lies("so far")).values())

    def cpu_share(self, process):
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        spent_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return round(spent_s / (time.monotonic() - self.began), 3)

    def sessions(self):
        """All that the programs' diaries tell of."""
        said = "".join((self.folder / f"{name}.log").read_text() for name in self.programs)
        return set(re.findall(r"session (0x[0-9a-f]+)", said))

    def stop(self):
        """As Ctrl-C does; what is wrong with how they end."""
        found = [f"{name} has ended by itself: {self.events.complaints()} {self.recorder.complaints}"
                 for name, process in self.programs.items() if process.poll() is not None]
        shares = {name: self.cpu_share(process) for name, process in self.programs.items()} if not found else {}
        if max(shares.values(), default=0) > CPU_MOST:
            found.append(f"of a core: {shares}")
        status = self.events.stop(), self.recorder.end(2)
        if status != (130, 130):
            found.append(f"ended with {status}: {self.events.complaints()} {self.recorder.complaints}")
        print(f"of a core: {shares}")
        return found + self.costs.grown()

    def kill(self):
        for process in self.programs.values():
            if process.poll() is None:
                process.kill()
                process.wait()


def settled(logs, paths):
    """Waits until nobody comes or goes any more."""
    def quiet():
        last = max([c.time_ms for c in Truth(*logs).changes if c.path.startswith(tuple(paths))] or [0]) / 1000
        return time.time() - last > QUIET_S
    until(quiet, 90, "all is quiet")


def check_no_writes(zk, truth, own):
    """Of the tool's own sessions the logs have the beginnings and ends alone."""
    assert own, "its diaries tell of no session"
    kinds = collections.Counter(t.type for t in transactions(zk.directory) if t.session in own)
    writers = {c.session for c in truth.changes if c.kind != "close"} & own
    return [f"it wrote: {kinds} {writers}"] if writers or not set(kinds) <= {CREATE_SESSION, CLOSE_SESSION} else []


def check_injections(logs, chaos):
    """Test candidates were written and deleted by their own run alone, and it wrote nothing else."""
    found, done = [], changes(*logs)
    for path, diary in chaos.injections:
        said = ""
        if os.path.exists(diary):
            with open(diary, encoding="utf-8") as f:
                said = f.read()
        own = set(re.findall(r"session (0x[0-9a-f]+)", said))
        made = {c.path for c in done if c.session in own and c.kind == "create"}
        found += [f"an injection at {path} created {one}" for one in made if not one.startswith((f"{path}/", f"{SANDBOX}/"))
                  and one not in (SANDBOX, "/electop-observer")]
        found += [f"an injection at {path} deleted {c.path} by {c.session} at {c.zxid:#x}" for c in done
                  if c.session in own and c.kind == "delete" and c.path not in made and not c.path.startswith(SANDBOX)]
        print(f"injection at {path}: {len(own)} sessions, {len(made)} znodes")
    return found


def compare_watches(zk, document, lies):
    """Who watches whom, as each server lists it."""
    listed = collections.defaultdict(set)
    for i in range(len(zk.addresses)):
        for session, paths in watched(zk.ask("wchc", i)).items():
            listed[session] |= paths
    for path, election in elections(document).items():
        for candidate in election["candidates"] or []:
            below = sorted(one[len(path) + 1:] for one in listed[candidate["session"]] if one.startswith(path + "/"))
            shown = candidate["watches"]
            if shown is not None and sorted(w for w in shown if not w.startswith("/")) != below:
                lies.tell(path, candidate, f"it watches {below}")


def check_stream(who, truth, witness, paths, events, deaths):
    lies = Lies(who, truth)
    tellers = retell(truth, paths, events, lies, deaths)
    raised = [event for event in events if event["event"] == "finding-raised" and event["election"] in paths]
    for event in raised:
        if event["finding"]["certainty"] == "certain":
            check_certain(witness, truth, event, lies)
    codes = collections.Counter((e["finding"]["code"], e["finding"]["certainty"]) for e in raised)
    causes = sum((teller.causes for teller in tellers.values()), collections.Counter())
    print(f"{who}: {len(events)} events; findings {dict(codes)}; causes {dict(causes)}; "
          f"{sum(teller.timed for teller in tellers.values())} detections")
    return lies.found


def check_looks(truth, witness, looks):
    lies = Lies("once", truth)
    for began, ended, document in looks:
        check_look(truth, document, began, ended, lies, STALE_S)
        for path, election in elections(document).items():
            for finding in election["findings"] or []:  # null: not looked at
                if finding["certainty"] == "certain" and not finding["unconfirmed_since"]:
                    said = {"finding": finding, "election": path, "time": document["time"]}
                    check_certain(witness, truth, said, lies)
    return lies.found


def check_logs(truth, logs, recorded, chaos):
    """What the servers' logs alone tell is the truth, to the last cause; and what was told live agrees with it. An
    autopsy tells what they hold, also of what the servers lost."""
    logged = Truth(*logs)
    logged.slow = truth.slow
    found, failovers, _ = check_autopsy(logged, logs, chaos.paths, chaos.deaths)
    compared = Comparison(recorded, failovers, chaos.paths, truth.losses)
    print("\nthe live recording beside the autopsy of the servers' logs")
    for what, number in compared.rows():
        print(f"  {what:52}{number:6}")
    return found + compared.found


def check_report(recorder, recorded, paths):
    """The report counts the changes of leader that the recorded stream tells."""
    done = run("report", "--json", recorder.file, within=60)
    report = {election["path"]: election for election in json.loads(done.out)["elections"]}
    found = []
    for path in paths:
        told = collections.Counter(e["event"] for e in recorded if e["election"] == path)
        of = [e["failover"] for e in recorded if e["event"] == "failover" and e["election"] == path]
        whole = sum(not failover["open"] for failover in of) + bool(of and of[-1]["open"])
        unseen = [sum(e[way] for e in recorded if e["event"] == "unseen" and e["election"] == path)
                  for way in ("joined", "left")]
        shown = report.get(path, {"failovers": {"list": []}, "unseen": {"joined": 0, "left": 0}})
        if len(shown["failovers"]["list"]) != whole or list(shown["unseen"].values()) != unseen:
            found.append(f"report {path}: {len(shown['failovers']['list'])} failovers, {shown['unseen']}; "
                         f"the recorded events: {whole}, {unseen}")
    return found


def check_losses(truth):
    """What servers lose is rare: it explains nothing if it is a twentieth of the time."""
    for loss in truth.losses:
        print(f"the servers lost committed transactions: {len(loss.zxids)} of {loss.zxids[0]:#x} to {loss.zxids[-1]:#x}, "
              f"{loss.since:.3f} to {loss.until:.3f}; {loss.proof}")
    print(*truth.of_lost, sep="\n")
    lost_s = sum(loss.until - loss.since for loss in truth.losses)
    return [f"the servers lost {lost_s:.0f} s of {CHAOS_S:.0f}"] if lost_s > CHAOS_S / 20 else []


def keep(folder, chaos, logs, **streams):
    for directory in logs:
        shutil.copytree(directory, os.path.join(folder, os.path.basename(directory)), dirs_exist_ok=True)
    for name, lines in streams.items():
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)
    with open(os.path.join(folder, "faults"), "w", encoding="utf-8") as f:
        f.writelines(f"{line}\n" for line in chaos.said)


def print_table(chaos, truth, recorded, looks, witness, found):
    """What was done, what came of it by the servers' logs, what the recording holds of that, and what is wrong."""
    events = collections.Counter(event["event"] for event in recorded)
    unseen = sum(event["joined"] + event["left"] for event in recorded if event["event"] == "unseen")
    rows = [("faults", len(chaos.faults)), *((f"  {fault}", n) for fault, n in collections.Counter(chaos.faults).items()),
            ("znodes that came or went", len(truth.changes)), ("recorded: joined and left",
             events["candidate-joined"] + events["candidate-left"]), ("recorded: changes of leader",
             events["leader-elected"]), ("counted as unseen", unseen), ("gaps", sum(
                 event["event"] == "connection" and event["state"] != "connected" for event in recorded)),
            ("looks", len(looks.seen)), ("lists to compare with", len(witness.seen)),
            ("times servers lost transactions", len(truth.losses)), ("  differences then", len(truth.of_lost)),
            ("wrong", len(found))]
    print(f"\nseed {SEED}, {CHAOS_S:.0f} s")
    for what, number in rows:
        print(f"  {what:32}{number:10}")


def test_chaos(zk, tmp_path):
    """Servers are killed, frozen and wiped, clients cut off, killed and frozen, candidates and directories deleted,
    the network between the tool and the servers cut, held and slowed: what the tool tells meanwhile is true, what it missed is counted, and once all is quiet it is right."""
    chaos = Chaos(zk, SEED, tmp_path / "wiped")
    logs = zk.directory, chaos.archive
    witness = Witness(zk)
    hosts = ",".join(line.address for line in chaos.lines)
    tool = Watched(zk, hosts, tmp_path, chaos.paths)
    looks = None
    try:
        tool.sees(len(chaos.directories))
        until(lambda: chaos.lock in zk.watched_paths(), 40, "the lock is waited for")
        chaos.programs = list(tool.programs.values())
        chaos.begin()
        looks = Looks(zk, hosts, chaos.paths)
        time.sleep(CHAOS_S)
        chaos.rest()
        settled(logs, chaos.paths)
        looks.stop()

        def right():
            lies, document = Lies("once, when all is quiet"), looks.look()
            compare_standing(Truth(*logs), document, lies)
            compare_watches(zk, document, lies)
            assert not lies.found, "\n".join(lies.found)
            return True
        found = list(looks.failed)
        try:
            until(right, 40, "the look is right")
        except AssertionError as error:
            found.append(str(error))
        truth = Truth(*logs, kept=True)
        truth.slow = chaos.slow
        with contextlib.suppress(AssertionError):  # what is not told is named below
            until(lambda: tool.has_told_all(truth), 60)
        found += tool.stop()
        recorded = tool.recorded()
        if folder := os.environ.get("ELECTOP_CHAOS_KEEP"):
            keep(folder, chaos, logs, events=tool.events.seen, recorded=recorded, looks=looks.seen,
                 dumps=[(s.at, s.server, sorted(s.ephemerals)) for s in witness.seen])
        found += check_stream("events", truth, witness, chaos.paths, tool.events.seen, chaos.deaths)
        found += check_stream("record", truth, witness, chaos.paths, recorded, chaos.deaths)
        found += check_looks(truth, witness, looks.seen)
        found += check_logs(truth, logs, recorded, chaos)
        found += check_losses(truth)
        found += check_report(tool.recorder, recorded, chaos.paths)
        found += check_no_writes(zk, truth, tool.sessions())
        found += check_injections(logs, chaos)
        lies = Lies("once --replay")
        compare_standing(truth, json.loads(run("once", "--json", "--replay", tool.recorder.file, within=60).out), lies)
        found += lies.found
        print_table(chaos, truth, recorded, looks, witness, found)
        assert not found, f"ELECTOP_CHAOS_SEED={SEED}: {len(found)} lies\n" + "\n".join(found)
    finally:
        chaos.end()
        tool.kill()
        if looks:
            looks.stop()
        witness.stop()
