"""Failovers of real clients: what packets show is held against the clients' own log. It has the time of each request, just
before it is sent, and of each notification, just after it was received."""
import json
import os
import re
import subprocess
import sys
import threading

import pytest

from electop import run
from ensemble import Ensemble
from tap import Tap
from waiting import until

pytestmark = pytest.mark.slow
LIMIT_S = 400
CANDIDATE = os.path.join(os.path.dirname(__file__), "../support/kazoo_candidate.py")
ELECTIONS, ROUNDS, STANDING = 4, 50, 3
WITHIN_MS = 2


class Candidate:
    def __init__(self, hosts, path, who, folder):
        self.who, self.log = who, folder / f"{who}.log"
        self.process = subprocess.Popen([sys.executable, CANDIDATE, hosts, path, who, "1.5", self.log],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        until(lambda: self.log.exists() and "__lock__" in self.log.read_text(), 60, f"{who} stands in line")

    def leads(self):
        assert self.process.stdout.readline() == "leading\n", self.who

    def kill(self):
        self.process.kill()
        self.process.communicate()


def play(hosts, path, folder):
    """Each leader is killed; the next one follows."""
    count = iter(range(ROUNDS + STANDING))
    line = []
    for _ in range(STANDING):
        line.append(Candidate(hosts, path, f"{path[1:]}-{next(count)}", folder))
        if len(line) == 1:
            line[0].leads()
    for _ in range(ROUNDS):
        line.pop(0).kill()
        line[0].leads()
        line.append(Candidate(hosts, path, f"{path[1:]}-{next(count)}", folder))
    for one in line:
        one.kill()


def read_log(folder, who):
    """(seconds, what it did) of each line about a request or a notification."""
    lines = re.findall(r"^(\d+\.\d+) (Sending request|Received EVENT)(.*)", (folder / f"{who}.log").read_text(), re.M)
    return [(float(at), "told" if what[0] == "R" else "ping" if "Ping" in rest else "asked") for at, what, rest in lines]


def off_by(failover, folder):
    """By how many ms the detection and the reaction are not those of the clients' log: on the way to the line before the
    server a request gets later, and a notification is seen there before it is received."""
    last_s = [at for at, what in read_log(folder, failover["from_identity"]) if what != "told"][-1]
    heir = [(at, what) for at, what in read_log(folder, failover["to_identity"]) if at > last_s]
    told_s = next(at for at, what in heir if what == "told")
    asked_s = next(at for at, what in heir if what == "asked" and at > told_s)
    (detected, high), (notified, _), (reacted, _) = (failover[f"{name}_ms"] for name in ("detection", "notified", "reacted"))
    assert detected == high, failover
    return (told_s - last_s) * 1e3 - detected - notified, reacted - notified - (asked_s - told_s) * 1e3


def test_detection_and_reaction(tmp_path):
    """Of 200 failovers, on the right side of the clients' log in all. A busy machine runs some of the clients, or the line
    before the server, late."""
    zk = Ensemble(1, tick_ms=200)
    switch_s = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-4)
        with open(tmp_path / "zk.pcap", "wb", buffering=0) as out, Tap(zk.addresses[0], out) as tap:
            players = [threading.Thread(target=play, args=(tap.address, f"/e{i}", tmp_path)) for i in range(ELECTIONS)]
            for thread in players:
                thread.start()
            for thread in players:
                thread.join()
    finally:
        sys.setswitchinterval(switch_s)
        zk.close()
    told = [json.loads(line) for line in run("events", "--json", "--capture", str(tmp_path / "zk.pcap")).out.splitlines()]
    failovers = [event["failover"] for event in told if event["event"] == "failover"]
    assert len(failovers) == ELECTIONS * ROUNDS
    assert {(one["cause"], one["cause_certainty"]) for one in failovers} == {("expired", "certain")}
    off = [off_by(one, tmp_path) for one in failovers]
    worst = [sorted(ms) for ms in zip(*off)]
    within = [sum(one <= WITHIN_MS for one in ms) for ms in worst]
    print(f"detection and reaction of {len(off)}: within {WITHIN_MS} ms {within}; worst {[ms[-3:] for ms in worst]}")
    assert min(min(ms) for ms in worst) > -0.5, worst  # detection is told in whole ms
    assert min(within) > 0.5 * len(off), worst
