"""The stages that every client goes through, and what is really true at each of them.

All clients of one library play at the same time, on one server. A member of each of them lives in the same process,
so that one SIGKILL ends the leader of every election. What is true comes from two sources that electop does not
know: the server's transaction log (who stands, since when, and how who is gone went), and the clients' own word (who
leads or holds)."""
import json
import time

from kazoo.exceptions import ConnectionLoss, NoNodeError, SessionExpiredError

from electop import Events, run
from peer import Peer
from truth import Truth
from waiting import until

TIMEOUT_S = 4.0
NAMES = [f"host-{letter}:8081" for letter in "abcdefg"]
A, B, C, D, E, F, G = NAMES
# In which process each member lives: the first two go with theirs, and so does the one in the middle.
PROCESS = {A: 0, B: 1, C: 2, D: 2, E: 3, F: 2, G: 2}
STAGES = ("healthy", "killed", "frozen", "resumed", "middle", "closed", "resigned", "restarted")
# A look of the tool's own takes what it takes on a busy machine.
LOOK_S = 60
# So long at least a stage is looked at: what is said too early with certainty is said within two looks.
SOAK_S = 10


class Seen:
    """What electop said at one stage, and what was true then."""

    def __init__(self, began, acted):
        self.began, self.acted = began, acted  # wall clock, in seconds; acted: when the thing was done
        self.named = self.discovered = self.status = self.truth = self.ended = None
        self.standing, self.holders, self.names, self.shown, self.sessions = {}, {}, {}, {}, {}


class Play:
    def __init__(self, zk, command, clients, root, stages=STAGES):
        self.zk, self.command, self.root, self.stages = zk, command, root, stages
        self.paths = {client: f"{root}/{client.slug}{client.below}" for client in clients}
        self.clients = clients
        self.claiming = [client for client in clients if client.claims]
        self.peers, self.members, self.gone = {}, {}, set()
        self.observer = zk.client()
        self.seen, self.failure, self.streams = {}, None, []
        self.log, self.log_size = None, None

    # ---- the truth ----

    def truth(self):
        return Truth(self.zk.directory, copies=1)

    def standing(self, truth, client):
        """Its candidates, in order: not the acknowledgement that some systems keep beside them."""
        return [life for life in truth.now(self.paths[client]) or [] if client.fixed or life.name[-10:].isdigit()]

    def member(self, client, life):
        """Whose candidate this is. Of a session that was not seen before, its data says it, where it has any: a client
        may come back with a new session, after it was frozen or when its server was restarted."""
        key = client, life.owner
        if key not in self.members:
            try:
                data = self.observer.get(f"{self.paths[client]}/{life.name}")[0]
            except NoNodeError:
                return B
            except (ConnectionLoss, SessionExpiredError) as error:  # its server was restarted: it comes back
                raise AssertionError(f"the observer of this test: {error!r}") from error
            self.members[key] = next((name for name in NAMES if name.encode() in data), B)
        return self.members[key]

    def shown(self, client, name):
        """How electop should show this member."""
        return client.shown(name)

    def holds(self, client, life):
        """When it was that a member said it leads or holds, and has not taken back; None: it does not."""
        name = self.member(client, life)
        said = self.peers[PROCESS[name]].last(self.paths[client], name)
        return said[0] if said and said[1] == "leads" and said[0] >= life.born - 0.1 else None

    def holders(self, truth, client):
        return [life for life in self.standing(truth, client) if self.holds(client, life)]

    # ---- acting ----

    def peer(self, name):
        number = PROCESS[name]
        if number not in self.peers:
            self.peers[number] = Peer(self.command, self.zk.hosts)
        return self.peers[number]

    def stand(self, name):
        """One member of every client joins, behind those that stand."""
        known = {client: {life.owner for life in self.standing(self.truth(), client)} for client in self.claiming}
        for client in self.clients:
            self.peer(name).tell("stand", client.role(NAMES.index(name)), self.paths[client], name)

        def joined():
            truth = self.truth()
            for client in self.claiming:
                if client.fixed:
                    session, *_ = self.peer(name).heard("session", self.paths[client], name)
                    assert self.peer(name).last(self.paths[client], name)[1] in ("waits", "leads")
                    self.members[client, session] = name
                    continue
                new = [life for life in self.standing(truth, client) if life.owner not in known[client]]
                assert len(new) == 1, (client.system, new, self.peer(name).complaints())
                self.members[client, new[0].owner] = name
            return True
        until(joined, 60, f"{name} stands in every election")

    def without(self, *names):
        """These have left for good, every election has a leader or holders, and nothing moves."""
        self.gone.update(names)
        self.settle(self.gone)

    def settle(self, names):
        def settled():
            truth = self.truth()
            for client in self.claiming:
                standing = self.standing(truth, client)
                left = [life for life in standing if self.member(client, life) in names]
                assert not left, (client.system, left)
                assert self.holders(truth, client), (client.system, "nobody leads", standing)
            size = [len(made[-1].steps) for path, made in sorted(truth.directories.items())]
            size.append([[self.holds(c, life) for life in self.standing(truth, c)] for c in self.claiming])
            if size != self.log_size:
                self.log_size, self.quiet_since = size, time.monotonic()
            return time.monotonic() - self.quiet_since > 1.5
        self.log_size = None
        until(settled, 60, f"all clients have settled without {names}")

    def act_healthy(self):
        named = [self.paths[client] for client in self.claiming]
        # One that knows where to look, and sees everybody come; and one that finds the elections by itself.
        self.streams = [Events(self.zk.hosts, "--admin", self.zk.admin, *named),
                        Events(self.zk.hosts, "--admin", self.zk.admin)]
        self.streams[0].expect("connection", state="connected")
        for name in NAMES[:5]:
            self.stand(name)
        self.settle(self.gone)
        return time.time()

    def act_killed(self):
        self.peers[0].kill()
        acted = time.time()
        self.without(A)
        return acted

    def act_frozen(self):
        self.peers[1].freeze()
        acted = time.time()
        self.settle({*self.gone, B})
        return acted

    def act_resumed(self):
        self.peers[1].resume()
        acted = time.time()
        time.sleep(2)  # whether a client comes back is its own business: no state says that it will not
        self.settle(self.gone)
        return acted

    def act_middle(self):
        self.stand(F)
        self.stand(G)
        self.settle(self.gone)
        self.look("joined", time.time())
        self.peers[3].kill()
        acted = time.time()
        self.without(E)
        return acted

    def all_told(self, word, name):
        acted = time.time()
        for client in self.clients:
            self.peer(name).tell(word, self.paths[client], name)
        return acted

    def act_closed(self):
        acted = self.all_told("close", C)
        self.without(C)
        return acted

    def act_resigned(self):
        acted = self.all_told("resign", D)
        self.without(D)
        return acted

    def act_restarted(self):
        acted = time.time()
        self.zk.kill()
        self.zk.start()
        until(lambda: [self.peers[i].lives() for i in (1, 2)], 10)
        time.sleep(2)  # the clients find their way back
        self.settle(self.gone)
        return acted

    # ---- looking ----

    def once(self, *arguments):
        where = () if "--admin" in arguments else ("--admin", self.zk.admin)
        done = run("once", "--strict", "--json", "-s", self.zk.hosts, *where, "--wait", "25s", *arguments, within=LOOK_S)
        assert done.status in (0, 1), done
        return done.status, json.loads(done.out)

    def look(self, stage, acted, judge=None):
        """Looks until what is said is right, or for so long that it will not become so."""
        seen = self.seen.setdefault(stage, Seen(acted, acted))
        end = time.monotonic() + 30
        while True:
            seen.status, seen.named = self.once(*[self.paths[client] for client in self.claiming])
            seen.truth = truth = self.truth()
            for client in self.claiming:
                seen.standing[client] = self.standing(truth, client)
                seen.holders[client] = self.holders(truth, client)
                seen.names[client] = [self.member(client, life) for life in seen.standing[client]]
                seen.shown[client] = [self.shown(client, name) for name in seen.names[client]]
                seen.sessions[client] = {session: self.shown(client, name)
                                         for (one, session), name in self.members.items() if one is client}
            if judge is None or time.monotonic() > end or (judge(seen) and seen.status == 0):
                break
        # No stage has what --strict complains of, so a complaint must go, in the same time as above.
        seen.discovered_status, seen.discovered = self.once()
        while judge is not None and seen.discovered_status != 0 and time.monotonic() < end:
            seen.discovered_status, seen.discovered = self.once()
        time.sleep(max(0, acted + SOAK_S - time.time()))
        seen.ended = time.time()
        return seen

    def reach(self, stage, judge):
        """What was seen at this stage; plays as far as that."""
        for each in self.stages[:self.stages.index(stage) + 1]:
            if each in self.seen:
                continue
            assert self.failure is None, f"the play broke off: {self.failure}"
            began = time.time()
            try:
                acted = getattr(self, f"act_{each}")()
                seen = self.look(each, acted, lambda seen, each=each: judge(each, seen))
                seen.began = began
            except AssertionError as error:
                self.failure = f"{each}: {error}"
                raise
        return self.seen[stage]

    def close(self):
        for peer in self.peers.values():
            peer.end()
        for stream in self.streams:
            if stream.stop() not in (0, 130):
                raise AssertionError(stream.complaints())
