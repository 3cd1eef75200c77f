"""What packets prove, held against other witnesses: detection and reaction against the system calls of real clients, each
with its time; and who watches whom, among candidates that come and go, against what the AdminServer lists."""
import contextlib
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from measure_transactions import ELECTOP
from rig import BenchError, Rig, wait_until
from row import Row

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import peer  # noqa: E402

# What a client's members stand as, and how it is built.
CLIENTS = {"kazoo": ("election", peer.build_kazoo), "Curator": ("latch", peer.build_curator),
           "go-zookeeper": ("lock", peer.build_go_zookeeper)}
ELECTIONS, STANDING, FAILOVERS = 3, 3, 23  # of each election
WITHIN_MS = 2
CANDIDATES = 1000
# tcpdump writes packets up to a second late.
LATE_S = 1.5
ELECTED = {f"/electop-sandbox/{how}": how for how in ("close", "resign", "drop", "pause")}
# A detection is told in whole milliseconds.
BEFORE_MS = 0.5
PING, NOTIFICATION = -2, -1
CALLS = "read,recvfrom,write,sendto"
CALL = re.compile(rf'^\d+ +(\d+\.\d+) (?:<\.\.\. )?({CALLS.replace(",", "|")})(?:\(\d+, | resumed>)"((?:\\x..){{8}})"', re.M)


def find(program):
    path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not path:
        raise BenchError(f"{program} is not here")
    return path


class Member(peer.Peer):
    """A process with one candidate, all of whose reading and writing goes to a file."""

    def __init__(self, command, hosts, kind, path, who, folder):
        self.path, self.who = path, who
        super().__init__([find("strace"), "-D", "-f", "--seccomp-bpf", "-ttt", "-xx", "-s", "8", "-e", f"trace={CALLS}",
                          "-o", os.path.join(folder, who), *command], hosts)
        self.tell("stand", kind, path, who)

    def leads(self):
        self.expect("leads", self.path, self.who)

    def hurry(self):
        """From now on a busy machine runs it at once, and what notes its calls."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            tracer = re.search(r"TracerPid:\t(\d+)", f.read())[1]
        for thread in (tracer, *os.listdir(f"/proc/{self.process.pid}/task")):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setscheduler(int(thread), os.SCHED_FIFO, os.sched_param(1))


def play(rig, client, number, rounds, folder, failed):
    """Each leader is killed; the next one follows."""
    kind, build = CLIENTS[client]
    path, line = f"/{client.lower()}-{number}", []
    try:
        command = build()
        for i in range(STANDING + rounds):
            line.append(Member(command, rig.hosts, kind, path, f"{path[1:]}-{i}", folder))
            wait_until("it watches", lambda: rig.watched(path) == len(line) - 1, 60)
            line[-1].hurry()
            if i == 0:
                line[0].leads()
            if len(line) > STANDING:
                line.pop(0).kill()
                line[0].leads()
    except BaseException as error:  # pylint: disable=broad-except  # the main thread tells it
        failed.append(error)
    for one in line:
        one.kill()


def calls(folder, who):
    """(seconds, what it was) of each message that it sent or received. One that is received is read after its length."""
    with open(os.path.join(folder, who), encoding="ascii", errors="replace") as f:
        for at, call, data in CALL.findall(f.read()):
            data = bytes.fromhex(data.replace("\\x", ""))
            sent = call in ("write", "sendto")
            number = int.from_bytes(data[4:] if sent else data[:4], "big", signed=True)
            if not sent and number == NOTIFICATION:
                yield float(at), "told"
            elif sent and data[:2] == bytes(2):
                yield float(at), "ping" if number == PING else "asked"


def off_by(failover, folder):
    """By how many ms the detection and the reaction are not those of the clients' calls; inf: not told."""
    detection, notified, reacted = (failover[f"{phase}_ms"] for phase in ("detection", "notified", "reacted"))
    if failover["cause_certainty"] != "certain" or failover["cause"] != "expired":
        raise BenchError(f"this one expired: {failover}")
    if not detection or detection[0] != detection[1] or not notified or not reacted:
        return math.inf, math.inf
    last_s = [at for at, what in calls(folder, failover["from_identity"]) if what != "told"][-1]
    heir = [(at, what) for at, what in calls(folder, failover["to_identity"]) if at > last_s]
    told_s = next(at for at, what in heir if what == "told")
    asked_s = next(at for at, what in heir if what == "asked" and at > told_s)
    return (told_s - last_s) * 1e3 - detection[0] - notified[0], reacted[0] - notified[0] - (asked_s - told_s) * 1e3


@contextlib.contextmanager
def captured(rig, file):
    """Meanwhile, the server's packets go to this file."""
    command = [find("tcpdump"), "-i", "lo", "-U", "-s0", "-B", "65536", "-w", file, "port", rig.hosts.rsplit(":", 1)[1]]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tcpdump:
        wait_until("tcpdump captures", lambda: tcpdump.poll() is not None or os.path.exists(file), 20)
        if tcpdump.poll() is not None:
            raise BenchError(f"tcpdump may not capture: {tcpdump.stderr.read().strip()}")
        try:
            yield
            time.sleep(LATE_S)  # what it has not written when it is told to end is lost
        finally:
            tcpdump.send_signal(signal.SIGINT)
            said = tcpdump.communicate()[1]
    if not re.search(r"^0 packets dropped", said, re.M):
        raise BenchError(f"tcpdump was too slow: {' '.join(said.splitlines()[-3:])}")


def read(command, file):
    return subprocess.run([ELECTOP, command, "--json", "--capture", file], capture_output=True, text=True, check=True).stdout


def failovers_of(client, folder, rounds):
    """(how much the detection and the reaction of each failover are off)."""
    file, failed = os.path.join(folder, "zk.pcap"), []
    with Rig(False, tick_ms=200) as rig, captured(rig, file):
        players = [threading.Thread(target=play, args=(rig, client, i, rounds, folder, failed)) for i in range(ELECTIONS)]
        for player in players:
            player.start()
        for player in players:
            player.join()
    if failed:
        raise BenchError(f"{client}: {failed[0]}")
    told = [event["failover"] for event in map(json.loads, read("events", file).splitlines()) if event["event"] == "failover"]
    if len(told) != ELECTIONS * rounds:
        raise BenchError(f"{client}: {len(told)} failovers were told")
    return [off_by(one, folder) for one in told]


def measure_reaction(_rig, _rounds, quick, say):
    """How much what packets tell of detection and reaction is off."""
    for client in CLIENTS:
        with tempfile.TemporaryDirectory() as folder:
            say(f"failovers of {client}")
            off = failovers_of(client, folder, 1 if quick else FAILOVERS)
        for what, ms in zip(("detection", "reaction"), zip(*off)):
            most, within = max(map(abs, ms)), sum(-BEFORE_MS < one <= WITHIN_MS for one in ms)
            yield Row(f"{what} of {len(off)} failovers of {client}, beside its system calls: the most that one is off "
                      f"(median {statistics.median(ms):.2f} ms)", "", f"{most:.2f} ms", f"{within} of {len(off)}", f"≤ {WITHIN_MS} ms",
                      within < len(off))


class Listed:
    """What the AdminServer lists at a moment: the candidates of each session, and what it watches."""

    def __init__(self, rig):
        watches, dump = (json.load(urllib.request.urlopen(f"http://{rig.admin}/commands/{command}", None, 10))
                         for command in ("watches", "dump"))
        watched = watches["session_id_to_watched_paths"]
        self.links = {path: frozenset(watched.get(session, ())) for session, paths in dump["session_id_to_ephemeral_paths"].items()
                      for path in paths if os.path.dirname(path) in ELECTED}


def shown_links(file):
    """The same, as packets show it; None: it is not known."""
    return {f"{election['path']}/{one['name']}": None if one["watches"] is None else
            frozenset(f"{election['path']}/{other}" for other in one["watches"])
            for cluster in json.loads(read("once", file))["clusters"] for election in cluster["elections"]
            for one in election["candidates"]}


def measure_links(_rig, _rounds, quick, say):
    """Candidates who leave and come back, a part of them in each way. What two of the AdminServer's lists agree on is held against
    what was read in between: all else was in flight."""
    seconds, compared, unknown, different, gone = 30 if quick else 600, 0, 0, [], set()
    with tempfile.TemporaryDirectory() as folder, Rig(False) as rig, contextlib.ExitStack() as ends:
        file = os.path.join(folder, "zk.pcap")
        ends.enter_context(captured(rig, file))
        for path, how in ELECTED.items():
            one = ends.enter_context(subprocess.Popen([
                ELECTOP, "inject", path, "-n", str(CANDIDATES // len(ELECTED)), "--load", "--kill", "random:every=250ms",
                "--how", how, "--for", f"{seconds}s", "-s", rig.hosts, "--admin", "off"], stdout=subprocess.DEVNULL))
            ends.callback(one.terminate)
        until, after = time.monotonic() + seconds - 5, Listed(rig)
        while time.monotonic() < until:
            before = after
            time.sleep(LATE_S)
            shown, after = shown_links(file), Listed(rig)
            stay = {path: links for path, links in before.links.items() if after.links.get(path) == links}
            compared += len(stay)
            unknown += sum(path in shown and shown[path] is None and bool(links) for path, links in stay.items())
            different += [path for path, links in stay.items() if path not in shown or shown[path] not in (links, None)]
            different += [path for path in shown if path in gone]
            gone |= before.links.keys() - after.links.keys()
            say(f"{compared} links compared, {unknown} unknown, {len(different)} different")
    yield Row(f"{compared} links of {CANDIDATES} candidates who come and go, beside the AdminServer's lists ({unknown} unknown)", "",
              f"{len(different)} different", "", "0", bool(different))
