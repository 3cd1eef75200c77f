"""Test candidates among hostile neighbours: killed at every step, robbed of their directory, locked out, beside each
other. The server's transaction log is the judge: nothing foreign is ever written or deleted."""
import concurrent.futures
import json
import signal

import pytest
from kazoo.exceptions import KazooException
from kazoo.security import make_acl

from ensemble import session_of
from fake_server import DELETE, EXISTS
from injection import SANDBOX, Injection, standing, tree
from steps import Judge, Steps
from txnlog import last_zxid
from waiting import until

MARK, NAMES = b"electop run", b"electop run\nnames {hex}-n_"
AT_ONCE = 3
MOST_STEPS = 120
EVERYBODY = {"scheme": "world", "credential": "anyone"}


def configured(directory, proxy, sandbox=None, election=None):
    """A configuration for one run, through its proxy."""
    file = directory / f"{proxy.address.rsplit(':', 1)[1]}.yaml"
    text = f"clusters:\n  - hosts: {proxy.hosts}\n    servers: {{admin: '{proxy.admin}'}}\n"
    if election:
        text += f"    elections: [{{path: {election}, inject: live}}]\n"
    if sandbox:
        text += f"inject: {{sandbox: {sandbox}}}\n"
    file.write_text(text)
    return ["-c", str(file)]


# Every third step; each of them is in the slow tier.
@pytest.fixture(params=[3, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "each"])
def at_every_step(request, client):
    """Calls play(n), for n = 1, 2, ... or 1, 4, ... until one says that its run ended before its nth step."""
    def at_every_step(play):
        ended, first = False, 1
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            while not ended:
                assert first < MOST_STEPS
                for done in [pool.submit(play, first + i * request.param) for i in range(AT_ONCE)]:
                    ended |= not done.result()
                first += AT_ONCE * request.param
        return first - 1
    yield at_every_step
    for name in set(client.get_children("/")) - {"zookeeper"}:  # some and each may run one after the other
        client.delete(f"/{name}", recursive=True)


def prepare(client, sandbox):
    """A sandbox with what a finished run has left, and with somebody's znodes beside it and below it. Returns the
    remains that may be removed, and what must stay."""
    remains = [f"{sandbox}/old", f"{sandbox}/old/election"]
    foreign = [f"{sandbox}/notes", f"{sandbox}/notes/page", f"{sandbox}/kept", f"{sandbox}/kept/mine"]
    made = client.transaction()
    made.create(sandbox, b"")
    for path, data in zip(remains + foreign, (MARK, NAMES, b"", b"", MARK, b"")):
        made.create(path, data)
    assert all(isinstance(one, str) for one in made.commit())
    return remains, foreign


class Killed:
    """A run that is killed before its nth step is sent."""

    def __init__(self, zk, n, *arguments, configuration):
        self.n, self.process, self.over = n, None, False
        self.proxy = Steps(zk, self._at)
        self.injection = Injection(self.proxy, *configuration(self.proxy), "-t", "2s", *arguments)
        self.process = self.injection.process

    def _at(self, step):
        if step.number == self.n:
            self.proxy.stop()  # first: who waits for the process asks whether it was stopped
            self.process.kill()

    def end(self):
        """True: it was killed."""
        with self.proxy:
            status, _, err = self.injection.end(signal.SIGKILL if self.proxy.stopped else None)
        assert self.proxy.stopped or status == 0, (status, err)
        return self.proxy.stopped


def test_killed_at_every_step_of_a_run(zk, client, tmp_path, at_every_step):
    """However far a run has come when it is killed, the next one removes what it left, and nothing of anybody else."""
    after, remains, foreign = last_zxid(zk.directory), [], {}

    def play(n):
        sandbox = f"/killed-{n}"
        left, foreign[sandbox] = prepare(client, sandbox)
        remains.extend(left)
        killed = Killed(zk, n, sandbox, "-n", "2", "--for", "1ms",
                        configuration=lambda proxy: configured(tmp_path, proxy, sandbox))
        return killed.end()

    steps = at_every_step(play)
    assert steps > 20

    def clean(sandbox):
        until(lambda: not [name for name in client.get_children(sandbox) if ".alive" in name], 30)
        with Steps(zk) as proxy:
            status, _, err = Injection(proxy, *configured(tmp_path, proxy, sandbox), sandbox, "-n", "1", "--for",
                                       "1ms").end()
        assert status == 0, err
        assert tree(client, sandbox) == sorted(foreign[sandbox]), sandbox

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(clean, foreign))
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    remains.extend(f"{sandbox}/kept" for sandbox in foreign)
    assert judge.foreign_deletions(remains) == []
    assert judge.outside(*foreign) == []


def replace(client, path):
    """In one moment somebody removes a znode with all that is below it, and makes the same tree anew as his own, with
    one more znode in each directory: a delete that is already on its way to the server would remove an empty one, and
    nothing that a client can say with it prevents that."""
    while True:
        old = [path, *tree(client, path)] if client.exists(path) else [path]
        owners = {one: client.exists(one) for one in old}
        more = [f"{one}/mine" for one in old if owners[one] and not owners[one].ephemeralOwner]
        move = client.transaction()
        for one in reversed(old):
            if owners[one]:
                move.delete(one)
        for one in [*old, *more]:
            move.create(one, b"somebody's", ephemeral=bool(owners.get(one) and owners[one].ephemeralOwner))
        if all(isinstance(one, (str, bool)) for one in move.commit()):
            return [*old, *more]


@pytest.mark.parametrize("name", ["n_", "{hex}-n_"])
def test_a_run_that_is_replaced_is_no_longer_ours(zk, client, name):
    """Somebody removes a run and makes one like it, candidates and all: the run ends, says why, and deletes nothing of
    that, whatever its name; nobody returns there."""
    after = last_zxid(zk.directory)
    run = f"{SANDBOX}/replaced"
    injection = Injection(zk, run, "-n", "3", "--name", name, "--kill", "leader:every=300ms", "--how", "resign",
                          "--for", "60s")
    injection.until(lambda: standing(client) == 3)
    theirs = replace(client, run)
    status, out, err = injection.end(within=20)
    report = json.loads(out)
    assert (status, report["end"]) == (1, "failed") and run in report["problem"], (status, report, err)
    assert [path for path in theirs if not client.exists(path)] == []
    judge = Judge(zk, after, [session_of(client)])
    assert judge.foreign_deletions() == []
    client.delete(SANDBOX, recursive=True)


def test_somebody_takes_the_lock_that_we_hold(zk, client, path):
    """Its holder is to resign, and in that moment somebody else has the lock: it is not deleted, for a lock's path
    says nothing of its owner; nor is it at the end."""
    client.create(path, b"x", ephemeral=True)
    after, stolen = last_zxid(zk.directory), []

    def steal(step):
        """When the first of ours looks whether the lock is its own before it deletes it; or deletes it unseen."""
        if step.operation in (EXISTS, DELETE) and not step.watches and step.path.endswith("/election") and not stolen:
            stolen.append(step)
            replace(client, step.path)

    with Steps(zk, steal) as proxy:
        injection = Injection(proxy, path, "--admin", "off", "-n", "2", "--kill", "leader:every=1s", "--how", "resign",
                              "--for", "60s")
        injection.until(lambda: stolen and len(proxy.taken) > stolen[0].number + 10)
        status, out, err = injection.end(signal.SIGINT)
    assert status == 130, (out, err)
    assert client.exists(stolen[0].path)
    assert Judge(zk, after, [session_of(client)]).foreign_deletions() == []
    client.delete(SANDBOX, recursive=True)
    client.delete(path)


def live_line(client, path):
    client.ensure_path(path)
    return [client.create(f"{path}/n_", b"x", ephemeral=True, sequence=True) for _ in range(2)]


def joined(proxy, client, path, folder):
    """A live run whose two test candidates are behind them."""
    injection = Injection(proxy, *configured(folder, proxy, election=path), path, "--live", "-n", "2", "--for", "60s")
    injection.until(lambda: len(client.get_children(path)) == 4, 40)
    return injection


@pytest.mark.parametrize("how", ["rejoins", "ends"])
def test_live_in_a_directory_that_is_made_anew(zk, client, path, tmp_path, how):
    """Numbers begin again in a directory that is made anew, so that bare names are strangers' by now: they are not
    deleted, and nobody of ours goes into it, where he could be first. The run ends, and says why."""
    live_line(client, path)
    after = last_zxid(zk.directory)
    with Steps(zk) as proxy:
        injection = joined(proxy, client, path, tmp_path)
        if how == "ends":
            injection.process.send_signal(signal.SIGSTOP)  # it learns of all of it when it ends
        theirs = replace(client, path)
        made_anew = last_zxid(zk.directory)
        if how == "ends":
            injection.process.send_signal(signal.SIGINT)
            injection.process.send_signal(signal.SIGCONT)
        status, out, err = injection.end(within=20)
    report = json.loads(out)
    assert status == (130 if how == "ends" else 1), (out, err)
    assert how == "ends" or "changed during the run" in report["problem"], report
    assert [one for one in theirs if not client.exists(one)] == []
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    assert judge.foreign_deletions() == [] and judge.outside(path) == []
    assert not [change for change, _, _ in judge.written() if change.zxid > made_anew and change.kind == "create"
                and judge.is_ours(change.session)]
    client.delete(path, recursive=True)


def test_live_ends_where_it_may_not_look(zk, client, path, tmp_path):
    """Somebody closes the election to all but himself: test candidates that nobody can watch over leave at once, and
    the run says why it ends."""
    live_line(client, path)
    after = last_zxid(zk.directory)
    with Steps(zk) as proxy:
        injection = joined(proxy, client, path, tmp_path)
        client.set_acls(path, [make_acl(**EVERYBODY, create=True, delete=True, admin=True)])
        status, out, err = injection.end(within=20)
    client.set_acls(path, [make_acl(**EVERYBODY, all=True)])
    report = json.loads(out)
    assert status == 1 and "can no longer be read" in report["problem"], (report, err)
    assert report["live"]["first_at_most_ms"] is None, report["live"]  # it could not see it
    assert len(client.get_children(path)) == 2
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    assert judge.foreign_deletions() == [] and judge.outside(path) == []


def test_a_run_begins_again_while_another_finds_it_over(zk, client, tmp_path, at_every_step):
    """Two agents that know nothing of each other: one finds a finished run, and is held up at each step in turn until
    the other has begun a run of that name. Neither deletes anything of the other's."""
    after, remains, ours = last_zxid(zk.directory), [], []

    def play(n):
        sandbox, others = f"/agents-{n}", []
        remains.extend(prepare(client, sandbox)[0])

        def begin_another(step):
            if step.number == n:
                others.append(Injection(second, *configured(tmp_path, second, sandbox), f"{sandbox}/old", "-n", "2",
                                        "--for", "60s"))
                others[0].until(lambda: len(candidates(client, f"{sandbox}/old")) == 2)

        with Steps(zk) as second, Steps(zk, begin_another) as first:
            run = Injection(first, *configured(tmp_path, first, sandbox), sandbox, "-n", "1", "--for", "1ms")
            status, _, err = run.end()
            assert status == 0, (n, err)
            if others:
                assert len(candidates(client, f"{sandbox}/old")) == 2, n
                status, out, err = others[0].end(signal.SIGINT)
                assert status == 130 and json.loads(out)["standing"] == 2, (n, out, err)
        ours.append((n, first.sessions, second.sessions))
        return bool(others)

    at_every_step(play)
    for n, first, second in ours:
        for mine, theirs in (first, second), (second, first):
            judge = Judge(zk, after, theirs | {session_of(client)})
            taken = [change for change in judge.foreign_deletions(remains) if change.session in mine]
            assert taken == [], (n, taken)


def candidates(client, run):
    return [path for path in tree(client, run) if path[-10:].isdigit()] if client.exists(run) else []


def test_replaced_at_every_step_of_a_run(zk, client, tmp_path, at_every_step):
    """Before each step in turn somebody removes the run with all that stands in it, and makes the same tree as his own:
    none of that is deleted, and nothing of ours stays."""
    after, places = last_zxid(zk.directory), {}

    def play(n):
        sandbox, theirs, reached = f"/robbed-{n}", [], []
        remains, foreign = prepare(client, sandbox)
        client.delete(remains[0], recursive=True)

        def rob(step):
            if step.number != n:
                return
            reached.append(step)
            if client.exists(f"{sandbox}/run"):
                theirs.extend(replace(client, f"{sandbox}/run"))

        with Steps(zk, rob) as proxy:
            status, out, err = Injection(proxy, *configured(tmp_path, proxy, sandbox), f"{sandbox}/run", "-n", "2",
                                         "--name", "n_", "--for", "1ms").end()
        assert status in (0, 1, 2), (n, reached, err)
        places[sandbox] = (reached, theirs, foreign)
        return bool(reached)

    at_every_step(play)
    assert sum(bool(theirs) for _, theirs, _ in places.values()) > len(places) // 5
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    for sandbox, (reached, theirs, foreign) in places.items():
        assert [path for path in theirs + foreign if not client.exists(path)] == [], (sandbox, reached)
    assert judge.foreign_deletions() == [] and judge.outside(*places) == []
    stays = {sandbox: sorted({*theirs, *foreign}) for sandbox, (_, theirs, foreign) in places.items()}
    until(lambda: all(tree(client, sandbox) == all_of_it for sandbox, all_of_it in stays.items()), 20,
          "nothing of ours is left")


def test_a_run_that_stood_still_finds_its_place_taken(zk, client, tmp_path):
    """An agent stands still until its sessions are over, and another one has removed its run and begun one of that
    name: it goes on, and neither stands nor removes anything there."""
    after, run = last_zxid(zk.directory), f"{SANDBOX}/again"
    with Steps(zk) as one, Steps(zk) as other:
        stalled = Injection(one, "-t", "2s", "--admin", "off", run, "-n", "6", "--for", "60s")
        stalled.until(lambda: len(candidates(client, run)) == 6)
        stalled.process.send_signal(signal.SIGSTOP)
        try:
            until(lambda: not [path for path in tree(client, SANDBOX) if ".alive" in path or path[-10:].isdigit()], 30)
            second = Injection(other, "--admin", "off", run, "-n", "2", "--for", "60s")
            second.until(lambda: len(candidates(client, run)) == 2)
            theirs = candidates(client, run)
        finally:
            stalled.process.send_signal(signal.SIGCONT)
        status, out, err = stalled.end(within=30)
        assert status == 1 and json.loads(out)["end"] in ("lost", "failed"), (out, err)
        assert candidates(client, run) == theirs
        assert second.end(signal.SIGINT)[0] == 130
    judge = Judge(zk, after, other.sessions | {session_of(client)})
    assert judge.foreign_deletions() == []
    begun = min(change.zxid for change, _, _ in judge.written() if change.session in other.sessions)
    assert not [change for change, _, _ in judge.written() if change.zxid > begun and change.kind == "create"
                and change.session in one.sessions]


def shut(client, *paths):
    """Somebody takes from everybody the right to delete there; in an election, to read."""
    live = len(paths) == 1
    for path in paths:
        if client.exists(path):
            client.set_acls(path, [make_acl(**EVERYBODY, read=not live, create=True, delete=live, admin=True)])


def take_ephemerals(client, sandbox):
    """Somebody removes all candidates and signs of life."""
    for path in tree(client, sandbox):
        stat = client.exists(path)
        if stat and stat.ephemeralOwner:
            client.delete(path)


@pytest.mark.parametrize("what", ["shut", "taken"])
def test_disturbed_at_every_step_of_a_run(zk, client, tmp_path, what, at_every_step):
    """Before each step in turn somebody closes a run's directories, or removes its candidates and its sign of life: it
    ends all the same, and what it must leave is removed by the next run."""
    after, places = last_zxid(zk.directory), {}

    def run(proxy, sandbox):
        return Injection(proxy, *configured(tmp_path, proxy, sandbox), f"{sandbox}/run", "-n", "2", "--for", "1ms").end()

    def play(n):
        sandbox, reached = f"/{what}-{n}", []
        all_of_it = [sandbox, f"{sandbox}/run", f"{sandbox}/run/election"]
        places[sandbox] = prepare(client, sandbox)

        def disturb(step):
            if step.number == n:
                reached.append(step)
                shut(client, *all_of_it) if what == "shut" else take_ephemerals(client, sandbox)

        with Steps(zk, disturb) as proxy:
            status, _, err = run(proxy, sandbox)
        assert status in (0, 1, 2), (n, reached, err)
        for path in all_of_it:
            if client.exists(path):
                client.set_acls(path, [make_acl(**EVERYBODY, all=True)])
        with Steps(zk) as proxy:
            status, _, err = run(proxy, sandbox)
        assert status == 0, (n, reached, err)
        assert tree(client, sandbox) == sorted(places[sandbox][1]), (n, reached)
        return bool(reached)

    at_every_step(play)
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    remains = [path for left, _ in places.values() for path in left]
    assert judge.foreign_deletions(remains) == [] and judge.outside(*places) == []


def test_killed_at_every_step_in_a_live_election(zk, client, tmp_path, at_every_step):
    """However far it has come: the real ones stay, ours go with their sessions, and nothing else was ever written."""
    after, lines = last_zxid(zk.directory), {}

    def play(n):
        path = f"/live-killed-{n}"
        lines[path] = live_line(client, path)
        return Killed(zk, n, path, "--live", "-n", "2", "--for", "1ms",
                      configuration=lambda proxy: configured(tmp_path, proxy, election=path)).end()

    assert at_every_step(play) > 20
    until(lambda: all(tree(client, path) == line for path, line in lines.items()), 20, "ours are gone")
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    assert judge.foreign_deletions() == [] and judge.outside(*lines) == []
    made = [change for change, _, _ in judge.written() if judge.is_ours(change.session) and change.kind == "create"]
    assert made and all(change.ephemeral and change.data and change.path[-10:].isdigit() for change in made)


@pytest.mark.parametrize("what", ["shut", "left"])
def test_disturbed_at_every_step_in_a_live_election(zk, client, tmp_path, what, at_every_step):
    """Before each step in turn somebody closes the election, or one of the two real candidates dies: the run ends, its
    candidates go with it, and those who are left stay."""
    after, lines = last_zxid(zk.directory), {}

    def play(n):
        path, reached = f"/live-{what}-{n}", []
        line = live_line(client, path)

        def disturb(step):
            if step.number == n:
                reached.append(step)
                shut(client, path) if what == "shut" else client.delete(line.pop(0))

        with Steps(zk, disturb) as proxy:
            status, out, err = Injection(proxy, *configured(tmp_path, proxy, election=path), path, "--live", "-n", "2",
                                         "--for", "1ms").end()
        assert status in (0, 1, 2), (n, reached, err)
        client.set_acls(path, [make_acl(**EVERYBODY, all=True)])
        lines[path] = line
        return bool(reached)

    at_every_step(play)
    until(lambda: all(tree(client, path) == line for path, line in lines.items()), 20, "ours are gone")
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    assert judge.foreign_deletions() == [] and judge.outside(*lines) == []


def test_made_anew_at_every_step_in_a_live_election(zk, client, tmp_path, at_every_step):
    """Before each step in turn somebody removes the election with all who stand in it, ours, too, and makes it anew:
    what is not on its way by then does not come, and nothing of his is deleted."""
    after, places, sent = last_zxid(zk.directory), {}, []

    def play(n):
        path, reached, theirs = f"/live-anew-{n}", [], []
        live_line(client, path)

        def rob(step):
            if step.number == n:
                theirs.extend(replace(client, path))
                # A delete that is on its way removes what has the same name by then: nothing that it says prevents that.
                if step.operation == DELETE and step.path in theirs and f"{step.path}/mine" not in theirs:
                    theirs.remove(step.path)
                    sent.append(step.path)
                reached.append(last_zxid(zk.directory))

        with Steps(zk, rob) as proxy:
            status, _, err = Injection(proxy, *configured(tmp_path, proxy, election=path), path, "--live", "-n", "2",
                                       "--for", "1ms").end()
        assert status in (0, 1, 2), (n, err)
        if reached:
            places[path] = (reached[0], theirs)
        return bool(reached)

    at_every_step(play)
    judge = Judge(zk, after, [session_of(client)])
    judge.kinds_are_harmless()
    assert judge.foreign_deletions(sent) == []
    for path, (anew, theirs) in places.items():
        until(lambda: tree(client, path) == sorted(theirs)[1:], 20, path)
        came = [change for change, _, _ in judge.written() if change.zxid > anew and change.kind == "create"
                and judge.is_ours(change.session) and change.path.startswith(path + "/")]
        assert len(came) <= 2, (path, came)  # each of the two was asked for before anybody could tell them
