"""An outage that electop did not see: real clients and servers are harassed, and afterwards the servers' logs alone
have to tell each failover with its true cause, and what was done.

The truth is told twice: by the account of what was done, and by the tests' own reader of the logs.

    ELECTOP_CHAOS_S       for how long; `make outage FOR=1h` sets it
    ELECTOP_CHAOS_SEED    which faults, and who suffers them
    ELECTOP_CHAOS_KEEP    a folder for the data directories, the account and the report"""
import collections
import datetime
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from autopsies import autopsy, check_autopsy
from electop import run
from ensemble import Ensemble
from kazoo.exceptions import KazooException
from stories import Stories
from truth import Truth, moment
from waiting import until

pytestmark = pytest.mark.slow
OUTAGE_S = float(os.environ.get("ELECTOP_CHAOS_S", "90"))
SEED = int(os.environ.get("ELECTOP_CHAOS_SEED", "16"))
LIMIT_S = int(OUTAGE_S * 1.5 + 400)
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/kazoo_candidate.py")
TIMEOUT_S = 6.0
# Between two faults, in seconds: an hour has one every 20 to 60.
LEAST_S = min(20.0, max(1.0, OUTAGE_S / 60))
# app-N of each election is on host N: a host's failure ends all of these.
HOSTS = {"/orders/leader": 4, "/billing/leader": 3, "/jobs/leader": 3}
# What a server's fault may do to clients is over so long after it: they expire, at the latest after the new leader
# of ZooKeeper counted their whole timeout.
AFTERMATH_S = 4 * TIMEOUT_S


class Fault:
    """What was done, from when to when, and what it must have done to leaders: {(path, name): cause}."""

    def __init__(self, word, what):
        self.word, self.what, self.began, self.ended, self.causes = word, what, time.time(), None, {}


class Outage:
    WORDS = ["kill_client", "freeze_client", "close_client", "resign", "delete_leader", "clear_up", "kill_host",
             "kill_server", "kill_leading_server", "freeze_server", "freeze_leading_server", "restart_servers"]

    def __init__(self, zk):
        self.zk, self.draw, self.faults, self.programs = zk, random.Random(SEED), [], {}
        self.observer = zk.client(timeout=10)
        for path, count in HOSTS.items():
            self.observer.ensure_path(path)
            for host in range(count):
                self.begin(path, host)
        until(lambda: all(len(self.candidates(path)) == count for path, count in HOSTS.items()), 40)

    # ---- who stands ----

    def begin(self, path, host):
        who = f"{path.split('/')[1]}-{host + 1}:80"
        self.programs[path, host] = subprocess.Popen(
            [sys.executable, PROGRAM, self.zk.hosts, path, who, str(TIMEOUT_S)], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)

    def candidates(self, path):
        """[(name, host)] in order of election."""
        found = []
        for name in sorted(self.observer.get_children(path), key=lambda name: name[-10:]):
            try:
                found.append((name, int(re.search(r"-(\d+):", self.observer.get(f"{path}/{name}")[0].decode())[1]) - 1))
            except KazooException:
                continue
        return found

    def leader(self, path):
        return self.candidates(path)[0]

    def renew(self, path, host):
        """Ends a program in order, and begins another in its place."""
        program = self.programs[path, host]
        program.stdin.close()
        try:
            program.wait(5)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        self.begin(path, host)

    def tend(self):
        """kazoo's Election does not stand again by itself once its session has expired."""
        stands = time.monotonic() + 8  # those that were begun last are on their way
        while time.monotonic() < stands and any(len(self.candidates(path)) < HOSTS[path] for path in HOSTS):
            time.sleep(0.2)
        for path, count in HOSTS.items():
            standing = {host for _, host in self.candidates(path)}
            for host in set(range(count)) - standing:
                self.renew(path, host)
        until(lambda: all(len(self.candidates(path)) >= count for path, count in HOSTS.items()), 60, "all stand")

    # ---- what is done ----

    def fault(self, word):
        fault = Fault(word, "")
        fault.what = getattr(self, word)(fault)
        for path, name in fault.causes:
            until(lambda p=path, n=name: n not in dict(self.candidates(p)), 60, f"{name} goes")
        fault.ended = time.time()
        self.faults.append(fault)

    def leaders(self, fault, cause, *paths):
        """Marks the leaders of these elections as those that a fault ends; returns [(path, host)]."""
        found = []
        for path in paths:
            name, host = self.leader(path)
            fault.causes[path, name] = cause
            found.append((path, host))
        return found

    def a_leader(self, fault, cause):
        (path, host), = self.leaders(fault, cause, self.draw.choice(list(HOSTS)))
        return path, host, self.programs[path, host]

    def kill_client(self, fault):
        path, host, program = self.a_leader(fault, "expired")
        program.kill()
        program.wait()
        until(lambda: host not in [h for _, h in self.candidates(path)], 60)
        self.begin(path, host)
        return f"kills the leader of {path}, app-{host + 1}"

    def freeze_client(self, fault):
        path, host, program = self.a_leader(fault, "expired")
        program.send_signal(signal.SIGSTOP)
        until(lambda: host not in [h for _, h in self.candidates(path)], 60)
        program.send_signal(signal.SIGCONT)
        return f"freezes the leader of {path}, app-{host + 1}, until its session is over"

    def close_client(self, fault):
        path, host, program = self.a_leader(fault, "closed")
        program.stdin.write("close\n")
        program.stdin.flush()
        program.wait()
        self.begin(path, host)
        return f"shuts the leader of {path} down, app-{host + 1}"

    def resign(self, fault):
        path, host, _ = self.a_leader(fault, "resigned")
        self.renew(path, host)
        return f"lets the leader of {path} resign, app-{host + 1}"

    def operator(self, paths):
        client = self.zk.client(timeout=10)
        for path in paths:
            client.delete(path)
        client.stop()
        client.close()

    def delete_leader(self, fault):
        path, host, _ = self.a_leader(fault, "evicted")
        self.operator(f"{path}/{name}" for path, name in fault.causes)
        return f"deletes the leader of {path}, app-{host + 1}"

    def clear_up(self, fault):
        self.leaders(fault, "evicted", *HOSTS)
        self.operator([f"{path}/{name}" for path, name in fault.causes])
        return "one session deletes the leaders of all elections"

    def kill_host(self, fault):
        host = self.leader(self.draw.choice(list(HOSTS)))[1]
        for path in HOSTS:
            if self.leader(path)[1] == host:
                self.leaders(fault, "expired", path)
        here = [key for key in self.programs if key[1] == host]
        for key in here:
            self.programs[key].kill()
        for key in here:
            self.programs[key].wait()
            until(lambda path=key[0]: host not in [h for _, h in self.candidates(path)], 60)
            self.begin(*key)
        return f"kills all clients of host {host + 1}: {', '.join(path for path, _ in here)}"

    def server(self, leading):
        leader = self.zk.leader()
        return leader if leading else self.draw.choice([i for i in range(3) if i != leader])

    def kill(self, i):
        self.zk.kill(i)
        time.sleep(self.draw.uniform(0.5, 4))
        self.zk.start(i)
        return f"kills server {i + 1} and starts it again"

    def freeze(self, i):
        length = self.draw.uniform(3, 14)
        self.zk.freeze(i)
        time.sleep(length)
        self.zk.thaw(i)
        self.zk.heal()
        return f"freezes server {i + 1} for {length:.1f} s"

    def kill_server(self, _):
        return self.kill(self.server(False))

    def kill_leading_server(self, _):
        return self.kill(self.server(True)) + ", which led"

    def freeze_server(self, _):
        return self.freeze(self.server(False))

    def freeze_leading_server(self, _):
        return self.freeze(self.server(True)) + ", which led"

    def restart_servers(self, _):
        """As an update does, one after the other, the leading one last."""
        leader = self.zk.leader()
        for i in [*(i for i in range(3) if i != leader), leader]:
            self.kill(i)
        return "restarts all servers in turn"

    def run(self, seconds):
        deck, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            deck = deck or self.draw.sample(self.WORDS, len(self.WORDS))
            self.fault(deck.pop())
            self.tend()
            time.sleep(self.draw.uniform(LEAST_S, 3 * LEAST_S))

    def end(self):
        for program in self.programs.values():
            program.kill()
            program.wait()
            program.stdin.close()


def check_account(faults, failovers):
    """Each failover is one that was caused, for its true cause; and each that was caused is told."""
    caused = {key: (cause, fault) for fault in faults for key, cause in fault.causes.items()}
    servers = [fault for fault in faults if "server" in fault.word]
    wrong, missing = [], dict(caused)
    for (path, name, at), failover in failovers.items():
        cause, _ = caused.get((path, name), ("expired", None))
        missing.pop((path, name), None)
        if failover["cause"] != cause:
            wrong.append(f"{path} {name}: told {failover['cause']}, done {cause}")
        if (path, name) not in caused and not any(f.began < at < f.ended + AFTERMATH_S for f in servers):
            wrong.append(f"{path} {name}: at {at:.3f} nothing was done to it")
    return wrong + [f"{key}: not told, and {cause} by: {fault.what}" for key, (cause, fault) in missing.items()]


def check_stories(directory, failovers):
    """Each sentence of each failover's story, against the logs."""
    stories, found = Stories(Truth(directory), directory), []
    for path, _, at in failovers:
        time_of = datetime.datetime.fromtimestamp(at, datetime.timezone.utc).isoformat()
        done = run("why", path, time_of, "--replay", directory, "--json", within=60)
        found += stories.check(json.loads(done.out)) if done.status == 0 else [f"{path} at {at:.3f}: {done}"]
    return found


def keep(zk, faults, html):
    folder = os.environ.get("ELECTOP_CHAOS_KEEP")
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    shutil.copytree(zk.directory, os.path.join(folder, "data"), dirs_exist_ok=True)
    shutil.copy(html, os.path.join(folder, "outage.html"))
    with open(os.path.join(folder, "account.json"), "w", encoding="utf-8") as f:
        json.dump([{"began": f.began, "ended": f.ended, "word": f.word, "what": f.what,
                    "leaders": [[*key, cause] for key, cause in f.causes.items()]} for f in faults], f, indent=1)


@pytest.fixture
def zk():
    ensemble = Ensemble(3, config=("snapCount=200",))
    yield ensemble
    ensemble.close()


def test_outage(zk, tmp_path):
    """Every failover of the time is told with its true cause, all certain; the report holds all of them."""
    outage, page = Outage(zk), tmp_path / "outage.html"
    try:
        outage.run(OUTAGE_S)
        paths = list(HOSTS)
        begun = time.monotonic()
        found, failovers, _ = check_autopsy(Truth(zk.directory), [zk.directory], paths)
        found += check_account(outage.faults, failovers)
        found += check_stories(zk.directory, failovers)
        done = run("autopsy", zk.directory, "--html", page, within=240)
        assert done.status == 0, done
        keep(zk, outage.faults, page)
        causes = collections.Counter(failover["cause"] for failover in failovers.values())
        certain = sum(failover["cause_certainty"] == "certain" for failover in failovers.values())
        print(f"\nseed {SEED}, {OUTAGE_S:.0f} s: {len(outage.faults)} faults "
              f"{dict(collections.Counter(fault.word for fault in outage.faults))}; {len(failovers)} failovers, "
              f"{certain} certain, {dict(causes)}; {len(found)} wrong; judged in {time.monotonic() - begun:.1f} s")
        assert not found, "\n".join(found)
        assert certain == len(failovers)
    finally:
        outage.end()
