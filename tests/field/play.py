"""A real system goes through the stages: its processes are started, killed, frozen and stopped by name."""
import logging
import os
import signal
import subprocess
import time

from ensemble import Ensemble
from judge import judge_discovered, judge_look, judge_standing, judge_status, judge_story, judge_stream
from electop import Events, elections
from stages import Play
from waiting import until
from words import truth_in_words

# That a server goes is part of the play.
logging.getLogger("kazoo").setLevel(logging.CRITICAL)

STAGES = ("healthy", "killed", "frozen", "resumed", "middle", "closed", "restarted")
# A system that was started, or lost its leader, is what it is on a busy machine.
READY_S, FAILOVER_S = 120, 90


class Ended(Exception):
    """A member that should be there has ended by itself."""


class Process:
    """One member of a system."""

    def __init__(self, member, command, folder, **more):
        self.member = member
        self.log = open(os.path.join(folder, f"{member}.out"), "ab")
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                      cwd=folder, start_new_session=True, **more)

    def lives(self):
        return self.child.poll() is None

    def send(self, number):
        self.child.send_signal(number)

    def gone(self, within=60):
        self.child.wait(within)

    def end(self):
        """All that it started ends with it."""
        for number in (signal.SIGCONT, signal.SIGKILL):
            try:
                os.killpg(self.child.pid, number)
            except ProcessLookupError:
                pass
        self.child.wait(20)
        self.log.close()


class FieldPlay(Play):
    """The same judge as that of the small programs: the members are processes of a system."""

    def __init__(self, system, folder):
        self.system, self.folder = system, folder
        super().__init__(Ensemble(1, config=("maxSessionTimeout=60000",)), None, system.clients, "")
        self.client = self.observer
        self.paths = {client: client.below for client in self.clients}
        self.processes, self.excluded, self.deaths = {}, set(), {}

    # ---- the truth ----

    def member(self, client, life):
        """Which process owns this: by what the system itself wrote, learned while it was there."""
        key = client, life.owner
        if key not in self.members:
            found = self.system.member_of(self, client, life)
            if found is None:
                return "?"
            self.members[key] = found
        return self.members[key]

    def standing(self, truth, client):
        lives = super().standing(truth, client)
        for life in lives:
            self.member(client, life)
        return lives

    def holds(self, client, life):
        standing = super().standing(self.truth(), client)
        return life.born if standing and standing[0].owner == life.owner else None

    def shown(self, client, name):
        return self.system.shown(client, name)

    def leader(self):
        """The member that leads the first of the system's elections, by its own data."""
        client = self.clients[0]
        standing = self.standing(self.truth(), client)
        return self.member(client, standing[0]) if standing else None

    # ---- acting ----

    def start(self, *members):
        for member in members:
            self.processes[member] = Process(member, self.system.command(member), self.folder,
                                             **self.system.process_options())
        for member in members:
            until(lambda: self.ready(member), READY_S, f"{member} is ready")

    def must_live(self, member):
        if not self.processes[member].lives():
            raise Ended(f"{member} has ended; see {self.processes[member].log.name}")

    def ready(self, member):
        self.must_live(member)
        return self.system.ready(self, member)

    def settle(self, names):
        """Every election has a leader that is none of these, and nothing moves."""
        state = {"size": None, "since": 0}

        def settled():
            truth = self.truth()
            for client in self.clients:
                standing = self.standing(truth, client)
                members = [self.member(client, life) for life in standing]
                assert standing and "?" not in members and not set(members) & set(names), (client.system, standing, members)
            size = sum(len(made.steps) for path in self.paths.values() for made in truth.directories[path])
            if size != state["size"]:
                state.update(size=size, since=time.monotonic())
            return time.monotonic() - state["since"] > 3
        until(settled, FAILOVER_S, f"{self.system.name} has settled without {sorted(names)}")

    def act_healthy(self):
        named = list(self.paths.values())
        self.streams = [Events(self.zk.hosts, "--admin", self.zk.admin, *named),
                        Events(self.zk.hosts, "--admin", self.zk.admin)]
        self.streams[0].expect("connection", state="connected")
        self.system.prepare(self)
        for member in self.system.members:
            self.start(member)
        self.system.started()
        self.settle(set())
        return time.time()

    def strike(self, number, member):
        acted = time.time()
        for key, who in self.members.items():
            if who == member:
                self.deaths.setdefault(key[1], acted)
        self.processes[member].send(number)
        return acted

    def act_killed(self):
        self.struck = self.leader()
        acted = self.strike(signal.SIGKILL, self.struck)
        self.settle({self.struck})
        return acted

    def back(self):
        """Who was ended is started again, and all is as it was."""
        if self.struck:
            self.processes[self.struck].end()
            self.start(self.struck)
            self.settle(set())
        self.struck = None

    def act_frozen(self):
        self.back()
        self.struck = self.leader()
        acted = self.strike(signal.SIGSTOP, self.struck)
        self.settle({self.struck})
        return acted

    def act_resumed(self):
        acted = time.time()
        self.processes[self.struck].send(signal.SIGCONT)
        time.sleep(5)  # it finds that its session is over: some come back, some end themselves
        if not self.processes[self.struck].lives():
            self.back()
        self.struck = None
        self.settle(set())
        return acted

    def act_middle(self):
        leader = self.leader()
        self.struck = [member for member in self.system.members if member != leader][0]
        acted = self.strike(signal.SIGKILL, self.struck)
        time.sleep(self.system.timeout_s + 2)
        self.settle({self.struck})
        return acted

    def act_closed(self):
        self.back()
        self.struck = self.leader()
        acted = self.strike(self.system.stop_signal, self.struck)
        self.deaths = {owner: at for owner, at in self.deaths.items() if at != acted}  # it says good-bye when it likes
        self.processes[self.struck].gone()  # it may give up its lead long before it ends
        until(lambda: self.system.left(self.struck), READY_S, f"{self.struck} has left")
        self.settle({self.struck})
        return acted

    def act_restarted(self):
        self.back()
        acted = time.time()
        self.zk.kill()
        self.zk.start()
        time.sleep(3)
        self.settle(set())
        return acted

    # ---- judging ----

    def judge(self, stage):
        """Plays one stage: (client, truth, report, complaints) for every election of the system."""
        began = time.time()
        acted = getattr(self, f"act_{stage}")()
        seen = self.look(stage, acted, lambda seen: not any(judge_standing(client, stage, seen, self.paths[client])
                                                            for client in self.clients))
        seen.began = began
        for member in self.processes:
            if member != self.struck:
                self.must_live(member)
        for client in self.clients:
            yield client, seen, self.complaints(client, stage, seen)

    def complaints(self, client, stage, seen):
        path, state = self.paths[client], {"lies": []}
        found = judge_look(client, stage, seen, path)
        found += self.system.registered(client, stage, seen, elections(seen.named).get(path))
        found += judge_discovered(client, stage, seen, path)
        found += judge_stream(client, stage, seen, self.system.root, self.streams)

        def told():
            state["lies"] = [line for line in judge_story(client, self, path, self.deaths) if line not in self.told]
            return not state["lies"]
        try:
            until(told, 12)
        except AssertionError:
            self.told.update(state["lies"])
        statuses = list(judge_status(stage, seen)) if client is self.clients[0] else []
        return list(dict.fromkeys(found + state["lies"] + statuses))

    told, struck = set(), None

    def truth_told(self, client, seen):
        if not client.fixed:
            return truth_in_words(client, seen)
        others = [name for name in self.processes if name not in (seen.names[client] or [None])[0:1] and
                  name != self.struck and self.processes[name].lives()]
        beside = f"{', '.join(others) or 'none'} {'run' if len(others) > 1 else 'runs'} beside it"
        return f"{', '.join(seen.names[client]) or 'none'} leads; {beside}"

    def close(self):
        for process in self.processes.values():
            process.end()
        if self.processes:
            self.system.close()
        for stream in self.streams:
            stream.stop()
        self.zk.close()
