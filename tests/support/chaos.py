"""Elections of real clients on an ensemble to which bad things happen at random, by a seed.

The clients behave as their recipes say, but for the raw sessions, which watch once and never again. What happens to
whom is drawn from the seed; when exactly it happens is up to the machine."""
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
import uuid

from kazoo.exceptions import KazooException, NodeExistsError
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.recipe.lock import Lock

from ensemble import session_of
from fake_server import Line
from electop import PROGRAM as ELECTOP
from raw_session import RawSession, SessionError
from storm import Storm, cut

TIMEOUT_S = 4.0
STORM = 10000  # sessions
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kazoo_candidate.py")
OVER = (KazooException, KazooTimeoutError, OSError, SessionError)


class Latch(Lock):
    """kazoo's Lock under the names of Curator's LeaderLatch."""

    def __init__(self, client, path, identifier):
        super().__init__(client, path, identifier)
        self.prefix = f"_c_{uuid.uuid4()}-latch-"
        self.create_path = f"{path}/{self.prefix}"
        self._contenders_re = re.compile(r"(?:-latch-)(\d{10})$")


class Plain(Lock):
    """The same as ZooKeeper's documentation has it: a name that does not say whose it is."""

    def __init__(self, client, path, identifier):
        super().__init__(client, path, identifier)
        self.prefix = "n_"
        self.create_path = f"{path}/n_"
        self._contenders_re = re.compile(r"(?:n_)(\d{10})$")

    def _find_node(self):
        return None


class Stander(threading.Thread):
    """A client that stands, leads for a while, resigns, and stands again; once it rests, it keeps what it has."""

    def __init__(self, chaos, path, make, who):
        super().__init__(daemon=True)
        self.chaos, self.path, self.make, self.who = chaos, path, make, who
        self.random = random.Random(f"{chaos.seed} {path} {who}")
        self.client, self.lock = chaos.client(), None
        self.start()

    def run(self):
        while not self.chaos.over.is_set():
            try:
                self.stand()
            except OVER:
                time.sleep(0.2)

    def stand(self):
        self.lock = self.make(self.client, self.path, self.who)
        if not self.lock.acquire():
            return
        self.chaos.wait(self.random.uniform(*self.chaos.LEADS_S))
        if not self.chaos.resting.is_set():
            self.lock.release()
        else:
            self.chaos.over.wait()

    def stop(self):
        if self.lock:
            self.lock.cancel()


class Holder(Stander):
    """One of those who want the same lock: one znode, which the others wait for."""

    def stand(self):
        try:
            self.client.create(self.path, self.who.encode(), ephemeral=True)
        except NodeExistsError:
            gone = threading.Event()
            if self.client.exists(self.path, watch=lambda _: gone.set()):
                gone.wait()
            return
        owner = self.client.client_id[0]
        self.chaos.wait(self.random.uniform(*self.chaos.LEADS_S))
        if not self.chaos.resting.is_set():
            stat = self.client.exists(self.path)
            if stat and stat.owner_session_id == owner:
                self.client.delete(self.path)
        else:
            self.chaos.over.wait()


def is_connected(session):
    """A server whose own leader goes lets go of all its clients. What it sent before may still lie unread."""
    hung_up, poll = select.POLLRDHUP | select.POLLHUP | select.POLLERR | select.POLLNVAL, select.poll()
    try:
        poll.register(session.socket, select.POLLRDHUP)
    except (OSError, ValueError):
        return False
    return not any(what & hung_up for _, what in poll.poll(0))


class Chaos:
    LEADS_S = (0.3, 6)  # so long, somewhere between
    # So long after a fault of its kind the next one begins.
    PACE_S = {"servers": (1, 5), "clients": (0.1, 1.5), "lines": (1, 6), "rare": (10, 40)}

    def __init__(self, zk, seed, archive, root="/chaos"):
        """archive: a folder for the logs of servers that are wiped."""
        self.zk, self.seed, self.archive, self.root = zk, seed, archive, root
        os.makedirs(archive, exist_ok=True)  # also where none is wiped
        self.over, self.resting = threading.Event(), threading.Event()
        self.at_servers = threading.Lock()  # one fault of servers at a time
        self.slow = []  # when no quorum could write: (from, to)
        self.injections = []  # the paths and the diaries of our test candidates' runs
        self.draw = random.Random(f"{seed} places")
        self.said, self.deaths, self.faults = [], {}, []
        self.sessions, self.standers, self.raws, self.processes, self.programs = set(), [], [], [], []
        self.lines = [Line(address) for address in zk.addresses]  # between the tool and each server
        self.admin = self.client(timeout=10)
        self.kazoo, self.latch, self.plain, self.raw, self.lock = (
            f"{root}/{name}" for name in ("kazoo", "latch", "plain", "raw", "lock"))
        self.directories = [self.kazoo, self.latch, self.plain, self.raw]
        self.paths = [*self.directories, self.lock]
        for path in self.directories:
            self.admin.ensure_path(path)

    def client(self, timeout=TIMEOUT_S):
        client = self.zk.client(timeout)

        def heard(_):
            if client.client_id:
                self.sessions.add(session_of(client))
        client.add_listener(heard)
        heard(None)
        return client

    def say(self, what):
        self.said.append(f"{time.time():.3f} {what}")

    def wait(self, seconds):
        """As long, unless all shall rest."""
        self.resting.wait(seconds)

    # ---- who stands ----

    def begin(self):
        for who in range(3):
            self.standers.append(Stander(self, self.kazoo, lambda c, p, i: c.Lock(p, i), f"kazoo-{who}:80"))
            self.standers.append(Stander(self, self.latch, Latch, f"latch-{who}:80"))
            self.standers.append(Stander(self, self.plain, Plain, f"plain-{who}:80"))
        for who in range(2):
            self.standers.append(Holder(self, self.lock, None, f"lock-{who}:80"))
        self.begin_process()
        for _ in range(3):
            self.join_raw()
        kinds = (self.SERVERS, "servers"), (self.CLIENTS, "clients"), (self.LINES, "lines")
        self.threads = [threading.Thread(target=self.run, args=kind, daemon=True) for kind in kinds]
        self.threads.append(threading.Thread(target=self.run_rare, daemon=True))
        for thread in self.threads:
            thread.start()

    def begin_process(self):
        who = f"process-{len(self.processes)}:80"
        self.processes.append(subprocess.Popen(
            ["/usr/bin/python3", PROGRAM, self.zk.hosts, self.kazoo, who, str(TIMEOUT_S)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def serving(self):
        return [i for i in range(3) if i not in self.zk.dead and i not in self.zk.frozen]

    def join_raw(self):
        """A session that stands behind the others, and watches one of them once."""
        serving = self.serving()
        if not serving:
            return
        try:
            session = RawSession(self.zk.addresses[self.draw.choice(serving)], TIMEOUT_S)
            self.sessions.add(session.hex)
            name = session.create(f"{self.raw}/n_")
            if self.raws:
                session.watch(f"{self.raw}/{self.raws[-1][1]}")
        except OVER:
            return
        self.raws.append((session, name))

    # ---- what happens ----

    def run(self, faults, name):
        draw = random.Random(f"{self.seed} {name}")
        words, weights = zip(*faults)
        while not self.resting.is_set():
            word = draw.choices(words, weights)[0]
            try:
                getattr(self, word)(draw)
                self.faults.append(word)
            except (*OVER, AssertionError) as error:  # one that cannot be brought about ends no others
                self.say(f"{word} failed: {error!r}")
            self.wait(draw.uniform(*self.PACE_S[name]))

    def run_rare(self):
        """What lasts longer, or weighs more, than a short run can bear: none of it begins within the first 20 s."""
        self.wait(20)
        if not self.resting.is_set():
            self.run(self.RARE, "rare")

    RARE = [("lose_quorum", 2), ("fill_disk", 3), ("inject_live", 3), ("inject_sandbox", 2), ("storm", 2)]
    SERVERS = [("kill_server", 3), ("kill_leading_server", 2), ("freeze_server", 3), ("freeze_leading_server", 2),
               ("wipe_follower", 2), ("kill_two", 1)]
    CLIENTS = [("cut_client", 6), ("evict", 6), ("evict_leader", 5), ("kill_process", 2), ("freeze_process", 1),
               ("end_raw", 10), ("remake", 2), ("burst", 3), ("blink", 2), ("write", 1), ("freeze_tool", 1)]

    def server(self, draw, leading):
        leader = self.zk.leader()
        return leader if leading else draw.choice([i for i in range(3) if i != leader])

    def kill(self, servers, draw, for_s=(0.2, 4)):
        """servers: a function that chooses them, once it is their turn."""
        with self.at_servers:
            self.kill_now(servers(), draw.uniform(*for_s))

    def kill_now(self, servers, for_s, wipe=False):
        self.say(f"kills servers {servers}{' and wipes them' if wipe else ''}")
        began = time.time()
        for i in servers:
            self.lose(i)
            self.end_server(i)
            if wipe:
                own = os.path.join(self.zk.directory, str(i + 1))
                shutil.copytree(own, os.path.join(self.archive, str(len(self.said))))
                self.zk.wipe(i)
        self.wait(for_s)
        self.zk.begin(*servers[:-1])
        self.zk.start(servers[-1])
        self.say(f"started {servers}")
        if len(servers) > 1:
            self.slow.append((began, time.time()))

    def end_server(self, i):
        """One that could not write may have ended by itself."""
        try:
            self.zk.kill(i)
        except AssertionError as error:
            if "not running" not in str(error):
                raise
            self.zk.dead.add(i)
            self.say(f"server {i} had ended by itself")

    def lose(self, i):
        """The raw sessions there die with their server: they do not come back."""
        for session, _ in self.raws:
            if session.address == self.zk.addresses[i]:
                self.deaths.setdefault(session.hex, None)

    def freeze(self, draw, leading):
        with self.at_servers:
            i = self.server(draw, leading)
            self.say(f"freezes server {i}")
            self.lose(i)
            began = time.time()
            self.zk.freeze(i)
            self.wait(draw.uniform(0.3, 7))
            self.zk.thaw(i)
            self.say(f"thawed server {i}")
            if leading:  # what it had proposed may have been written down, and counted only later
                self.slow.append((began, time.time()))

    def kill_server(self, draw):
        self.kill(lambda: [self.server(draw, False)], draw)

    def kill_leading_server(self, draw):
        self.kill(lambda: [self.server(draw, True)], draw)

    def all_agree(self, within_s):
        """Whether all three come to hold the same last transaction."""
        until_s = time.monotonic() + within_s
        while len(held := {self.zk.last_zxid(i) for i in range(3)}) > 1 or None in held:
            if time.monotonic() > until_s:
                return False
            time.sleep(0.05)
        return True

    def wipe_follower(self, draw):
        """What one server holds may be what a majority agreed upon, if one of the others lacks it: it is wiped when both
        have all of it, and nothing else is done to servers until it has all of it again."""
        with self.at_servers:
            if not self.all_agree(20):
                self.say("wipes none: they do not agree")
                return
            self.kill_now([self.server(draw, False)], draw.uniform(0.2, 4), True)
            self.say("all have what was wiped" if self.all_agree(30) else "what was wiped has not come back")

    def kill_two(self, draw):
        self.kill(lambda: draw.sample(range(3), 2), draw)

    def freeze_server(self, draw):
        self.freeze(draw, False)

    def freeze_leading_server(self, draw):
        self.freeze(draw, True)

    def cut_client(self, draw):
        stander = draw.choice(self.standers)
        self.say(f"cuts {stander.who} off for a moment")
        connection = stander.client._connection._socket
        if connection is not None:
            connection.shutdown(socket.SHUT_RDWR)

    def names(self, path):
        return sorted(self.admin.get_children(path), key=lambda name: name[-10:])

    def evict(self, draw, leader=False):
        path = draw.choice(self.paths)
        if path == self.lock:
            self.say("deletes the lock")
            self.admin.delete(path)
            return
        names = self.names(path)
        if names:
            name = names[0] if leader else draw.choice(names)
            self.say(f"deletes {path}/{name}")
            self.admin.delete(f"{path}/{name}")

    def evict_leader(self, draw):
        self.evict(draw, True)

    def kill_process(self, _):
        process = self.processes[-1]
        self.say("kills the candidate's process")
        process.kill()
        process.wait()
        self.begin_process()

    def freeze_process(self, draw):
        self.say("freezes the candidate's process")
        self.processes[-1].send_signal(signal.SIGSTOP)
        self.wait(draw.uniform(0.5, 9))
        self.processes[-1].send_signal(signal.SIGCONT)
        self.say("the candidate's process goes on")

    def end_raw(self, draw):
        """One that goes, in one of the ways; another one comes."""
        how = draw.choice(["close", "drop", "fall_silent", "leave"])
        if len(self.raws) > 2:
            session, name = self.raws.pop(draw.choice([0, 0, 1]))
            self.say(f"{how} of {self.raw}/{name}, session {session.hex}")
            if how in ("drop", "fall_silent"):
                self.deaths.setdefault(session.hex, time.time() if is_connected(session) else None)
            if how == "leave":
                session.leave(f"{self.raw}/{name}")
            else:
                getattr(session, how)()
        self.join_raw()

    def remake(self, draw):
        """A directory goes with all that is in it, and is made again: at once, or in one transaction."""
        path = draw.choice(self.directories)
        self.say(f"makes {path} anew")
        if draw.random() < 0.5:
            with self.admin.transaction() as all_at_once:
                for name in self.admin.get_children(path):
                    all_at_once.delete(f"{path}/{name}")
                all_at_once.delete(path)
                all_at_once.create(path)
        else:
            self.admin.delete(path, recursive=True)
            self.wait(draw.choice([0, 0, 0.5, 2]))
            self.admin.ensure_path(path)

    def burst(self, draw):
        """Many come and go, faster than anybody can see."""
        path = draw.choice([self.plain, self.raw])
        self.say(f"a burst of candidates under {path}")
        made = [self.admin.create_async(f"{path}/n_", b"burst", ephemeral=True, sequence=True) for _ in range(20)]
        for one in made:
            self.admin.delete_async(one.get(5))

    def blink(self, draw):
        path = draw.choice([self.plain, self.raw])
        self.say(f"one comes and goes in one transaction under {path}")
        transaction = self.admin.transaction()
        transaction.create(f"{path}/n_blink0000000000", b"", ephemeral=True)
        transaction.delete(f"{path}/n_blink0000000000")
        transaction.commit()

    def write(self, draw):
        path = draw.choice([self.latch, self.plain])
        names = self.names(path)
        if names:
            self.say(f"writes to {path}/{names[0]}")
            self.admin.set(f"{path}/{names[0]}", b"written")

    def freeze_tool(self, draw):
        program = draw.choice(self.programs)
        self.say(f"freezes a tool, {program.pid}")
        program.send_signal(signal.SIGSTOP)
        self.wait(draw.choice([0.5, 2, 6]))
        program.send_signal(signal.SIGCONT)
        self.say(f"{program.pid} goes on")

    # ---- what is rare ----

    def lose_quorum(self, draw):
        """For seconds, or for longer than a minute: what nobody agreed upon did not happen."""
        self.kill(lambda: draw.sample(range(3), 2), draw, for_s=draw.choice([(4, 15), (60, 90)]))

    def fill_disk(self, draw):
        """Nothing more can be written at one server: as on a full disk, it gives up, and is started again."""
        with self.at_servers:
            i = self.server(draw, draw.random() < 0.5)
            folder = os.path.join(self.zk.directory, str(i + 1))
            self.say(f"server {i} can write no more")
            began = time.time()
            self.lose(i)
            resource.prlimit(self.process_of(folder), resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
            self.wait(draw.uniform(1, 8))
            self.kill_now([i], draw.uniform(0.2, 2))
            self.slow.append((began, time.time()))

    @staticmethod
    def process_of(folder):
        """The server's, by its configuration's path."""
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/cmdline", encoding="utf-8") as f:
                    words = f.read().split("\0")
            except OSError:
                continue
            if "java" in words[0] and any(word.startswith(folder + "/") for word in words):
                return int(name)
        raise OSError(f"no server has its configuration in {folder}")

    def inject(self, draw, path, *arguments):
        """Our own test candidates, next to the others; they may be refused, and a fault may end them."""
        diary = os.path.join(self.archive, f"inject-{len(self.injections)}.log")
        config = f"{diary}.yaml"
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"clusters: [{{hosts: '{self.zk.hosts}', elections: [{{path: {path}, inject: live}}]}}]\n"
                    if "--live" in arguments else f"clusters: [{{hosts: '{self.zk.hosts}'}}]\n")
        self.injections.append((path, diary))
        self.say(f"injects at {path}")
        run = subprocess.Popen([ELECTOP, "inject", "-c", config, path, "--log", diary, "-t", "4s", *arguments],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wait(draw.uniform(10, 40))
        run.send_signal(draw.choice([signal.SIGINT, signal.SIGKILL]))
        _, complaint = run.communicate(timeout=120)
        self.say(f"the injection at {path} ended with {run.returncode}: {complaint.strip()[-200:]}")

    def inject_live(self, draw):
        self.inject(draw, draw.choice([self.kazoo, self.latch]), "--live", "-n", "4", "--for", "60s")

    def inject_sandbox(self, draw):
        self.inject(draw, "/electop-sandbox", "-n", "40", "--for", "60s", "--kill", "leader:every=1s")

    def storm(self, draw):
        """Sessions by the thousand lose their server at once and come back at once; then they expire."""
        storm = Storm(STORM)
        for _ in range(2):
            entered, connections = storm.connect(self.zk.addresses[draw.choice(self.serving() or [0])])
            self.say(f"{entered} of {STORM} sessions come")
            cut(connections)

    # ---- the network between the tool and the servers ----

    LINES = [("cut_line", 3), ("cut_all_lines", 2), ("hold_line", 4), ("hold_all_lines", 1), ("slow_lines", 3),
             ("narrow_line", 1)]

    def harm(self, draw, what, lines, do):
        """do(line) to each of these for a while: some are shorter, some longer than the tool's session lives."""
        self.say(what)
        for line in lines:
            do(line)
        self.wait(draw.choice([draw.uniform(0.2, 2), draw.uniform(2, 7)]))
        for line in lines:
            line.mend()
        self.say(f"no longer {what}")

    def cut_line(self, draw):
        i = draw.randrange(len(self.lines))
        self.harm(draw, f"cuts the line to server {i}", [self.lines[i]], Line.cut)

    def cut_all_lines(self, draw):
        self.harm(draw, "cuts the tool off", self.lines, Line.cut)

    def hold_line(self, draw):
        i, ways = draw.randrange(len(self.lines)), draw.choice([("up",), ("down",), ("up", "down")])
        self.harm(draw, f"holds the line {' and '.join(ways)} at server {i}", [self.lines[i]], lambda one: one.hold(*ways))

    def hold_all_lines(self, draw):
        ways = draw.choice([("up",), ("down",), ("up", "down")])
        self.harm(draw, f"holds every line {' and '.join(ways)}", self.lines, lambda one: one.hold(*ways))

    def slow_lines(self, draw):
        delay_s = draw.choice([0.02, 0.1, 0.4])
        self.harm(draw, f"delays every line by {delay_s} s", self.lines, lambda one: one.slow(delay_s))

    def narrow_line(self, draw):
        i = draw.randrange(len(self.lines))
        self.harm(draw, f"narrows the line to server {i}", [self.lines[i]], lambda one: one.slow(0, 4000))

    # ---- the end ----

    def rest(self):
        """Nothing more happens, every server serves, and whoever stands stays."""
        self.resting.set()
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive(), self.said[-5:]
        for line in self.lines:
            line.mend()
        self.zk.heal()
        self.say("rest")

    def end(self):
        self.over.set()
        self.resting.set()
        for stander in self.standers:
            stander.stop()
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdin.close()
        for session, _ in self.raws:
            session.drop()
        for line in self.lines:
            line.mend()
            line.__exit__()

