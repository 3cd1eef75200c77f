"""One server that is killed, wiped and frozen; a tool that is frozen; sessions that expire.

After each of them what is shown is right again by itself, and the time in between is shown as such."""
import contextlib
import re
import signal
import time

import pytest
from kazoo.exceptions import NoNodeError

from electop import Events, look_at, names
from ensemble import Ensemble
from exporter import Exporter
from patience import stretched
from recorder import Recorder
from waiting import until

pytestmark = pytest.mark.hiding
LIMIT_S = 180
TIMEOUT_S = 2.0
TIMEOUT = ("-t", "2s")


@pytest.fixture
def zk():
    """A server of the test's own: it will not be the same afterwards."""
    # Clients that ask for more than twenty ticks get it: what they are to outlive takes longer.
    ensemble = Ensemble(1, config=("maxSessionTimeout=60000",))
    yield ensemble
    ensemble.close()


def stand(client, path, data=b""):
    client.ensure_path(path)
    return client.create(f"{path}/n_", data, ephemeral=True, sequence=True).rsplit("/", 1)[1]


def watching(zk, events, path, name):
    """The stream has begun and the leader's end would be noticed."""
    events.expect("election-seen", election=path)
    until(lambda: f"{path}/{name}" in zk.watched_paths())


def test_log(zk, tmp_path):
    """--log tells the life of the tool's own session: who, where, each attempt, expiry, gaps, elections."""
    log = tmp_path / "log"
    name = stand(zk.client(timeout=20), "/election")

    def logged(*patterns):
        lines = log.read_text()
        assert all(re.search(pattern, lines) for pattern in patterns), lines
        return True
    with Events(zk.hosts, "/election", *TIMEOUT, "--log", str(log)) as events:
        watching(zk, events, "/election", name)
        logged(rf"(?m)^\S+Z info {zk.hosts}: connected to {zk.hosts}, session 0x[0-9a-f]+, timeout 2s$",
               rf"(?m)^\S+Z info {zk.hosts}: watching /election \(named\)$")
        zk.kill()
        until(lambda: logged(rf"warning {zk.hosts}: connection to {zk.hosts} lost"))
        until(lambda: log.read_text().count(f"connection refused by {zk.hosts}") >= 4)
        until(lambda: logged(rf"warning .*: session 0x[0-9a-f]+ has ended \(given up after \d+s without a server: connection refused by {zk.hosts}\); electop begins a new one"))
        zk.start()
        until(lambda: log.read_text().count(": connected to ") == 2)
        events.send(signal.SIGSTOP)
        time.sleep(3)
        events.send(signal.SIGCONT)
        until(lambda: logged(r"warning not running for \d{4,} ms"))


def test_killed_and_restarted(zk):
    """The same session comes back; a leader that went meanwhile is found out, one that stayed is not lost."""
    client = zk.client(timeout=20)
    first, second = stand(client, "/election"), stand(client, "/election")
    other = zk.client(timeout=20)
    stays = stand(other, "/stays")
    with Events(zk.hosts, "/election", "/stays", "-t", "10s") as events:
        watching(zk, events, "/election", first)
        until(lambda: f"/stays/{stays}" in zk.watched_paths())
        zk.kill()
        events.expect("connection", state="disconnected")
        zk.start()
        events.expect("connection", state="connected")
        until(lambda: client.retry(client.exists, f"/election/{second}"))
        client.delete(f"/election/{first}")
        events.expect("leader-lost", candidate=first)
        events.expect("leader-elected", to=second)
        assert [e for e in events.all("leader-lost") if e["election"] == "/stays"] == []


def test_change_while_down(zk):
    """What changed while the tool was cut off is told after its return."""
    client = zk.client(timeout=20)
    first, second = stand(client, "/election"), stand(client, "/election")
    with Events(zk.hosts, "/election", "-t", "20s") as events:
        watching(zk, events, "/election", first)
        events.send(signal.SIGSTOP)
        try:
            client.delete(f"/election/{first}")
            third = stand(client, "/election")
            zk.kill()
        finally:
            events.send(signal.SIGCONT)
        zk.start()
        events.expect("leader-elected", to=second)
        until(lambda: names(look_at(zk.hosts, "/election")) == [second, third])


def test_wiped(zk):
    """A server whose data is gone refuses the old session for ever: the tool begins a new one."""
    name = stand(zk.client(timeout=10), "/election")
    with Events(zk.hosts, "/election", *TIMEOUT) as events:
        watching(zk, events, "/election", name)
        zk.wipe()
        events.expect("connection", state="disconnected")
        zk.start()
        events.expect("connection", state="connected", within=40)
        events.expect("election-gone", election="/election")
        again = stand(zk.client(), "/election")
        events.expect("leader-elected", to=again)


def test_frozen_server(zk):
    """A server that hangs is told as disconnected within the timeout; after it goes on, all is right again."""
    client = zk.client(timeout=4)
    name = stand(client, "/election")
    with Events(zk.hosts, "/election", *TIMEOUT) as events:
        watching(zk, events, "/election", name)
        zk.freeze()
        try:
            events.expect("connection", state="disconnected", within=TIMEOUT_S + 3)
        finally:
            zk.thaw()
        events.expect("connection", state="connected")
        fresh = zk.client()
        until(lambda: fresh.get_children("/election") is not None)
        again = stand(fresh, "/election")
        until(lambda: again in names(look_at(zk.hosts, "/election")))
        events.expect("candidate-joined", candidate=again)


def test_tool_frozen_past_its_timeout(zk):
    """A tool that slept says that it has a gap, makes a new session and tells what it can of the meantime."""
    client = zk.client(timeout=10)
    first, second = stand(client, "/election"), stand(client, "/election")
    # Long enough for the nap that ends the session to be called a gap, and not a busy machine.
    with Events(zk.hosts, "/election", "-t", "7s") as events:
        watching(zk, events, "/election", first)
        own = set(zk.requests())
        events.send(signal.SIGSTOP)
        try:
            # Its session ends at the server: it is not on the expiry list any more.
            until(lambda: f"/election/{first}" not in zk.watched_paths())
            client.delete(f"/election/{first}")
        finally:
            events.send(signal.SIGCONT)
        events.expect("connection", state="gap")
        events.expect("connection", state="connected")
        events.expect("leader-elected", to=second)
        until(lambda: set(zk.requests()) - own, what="a new session")


def test_expired_while_cut_off(zk, tmp_path):
    """A server that was down for longer than the timeout: the session may end, the picture comes back."""
    log = tmp_path / "log"
    client = zk.client(timeout=60)
    name = stand(client, "/election")
    with Events(zk.hosts, "/election", *TIMEOUT, "--log", str(log)) as events:
        watching(zk, events, "/election", name)
        zk.kill()
        events.expect("connection", state="disconnected")
        until(lambda: " has ended (given up after " in log.read_text(), what="the session is given up")
        assert not [e for e in events.all("connection") if e["state"] == "connected"][1:]
        zk.start()
        events.expect("connection", state="connected")
        later = stand(zk.client(), "/election")  # the other one's session may be over by now
        events.expect("candidate-joined", candidate=later)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["programs", "servers"])
def test_a_minute_of_standstill(zk, tmp_path, what):
    """Whoever stands still for a minute: it is told as a time without a view, nothing is made up in it, what changed is told after
    it, and Ctrl-C ends each program at once."""
    client = zk.client(timeout=60)
    first, second = stand(client, "/election"), stand(client, "/election")
    recorder = Recorder(tmp_path, zk.hosts, history="keep: 1d")
    exporter = Exporter("-s", zk.hosts, "--admin", zk.admin, "--listen", "127.0.0.1:0", "/election")
    with contextlib.ExitStack() as left:
        for program in recorder.process, exporter.process:
            left.callback(program.kill)
        events = left.enter_context(Events(zk.hosts, "/election"))
        watching(zk, events, "/election", first)
        recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
        programs = [events.process, recorder.process, exporter.process]
        for program in programs if what == "programs" else ():
            program.send_signal(signal.SIGSTOP)
        if what == "servers":
            zk.freeze()
            events.expect("connection", state="disconnected")
        else:
            client.delete(f"/election/{first}")
        before = len(events.seen)
        time.sleep(60)
        for program in programs if what == "programs" else ():
            program.send_signal(signal.SIGCONT)
        if what == "servers":
            assert not [e for e in events.seen[before:] if e["event"] in ("leader-lost", "leader-elected", "finding-raised")], events.seen
            zk.thaw()
            events.expect("connection", state="connected")
            fresh = zk.client()  # sessions may have expired meanwhile
            second = stand(fresh, "/election")
            for name in fresh.get_children("/election"):
                with contextlib.suppress(NoNodeError):
                    if name != second:
                        fresh.delete(f"/election/{name}")
        else:
            events.expect("connection", state="gap")
        events.expect("leader-elected", to=second)
        recorder.wait_for("SELECT 1 FROM failovers WHERE elected IS NOT NULL")
        assert recorder.ask("SELECT 1 FROM gaps WHERE seconds > 50"), recorder.ask("SELECT * FROM gaps")
        until(lambda: any("electop_election_led" in sample and value == 1 for sample, value in exporter.metrics().items()))
        began = time.monotonic()
        assert events.stop() == 130 and recorder.end(signal.SIGINT) == 130 and exporter.end() == 128 + signal.SIGTERM
        assert time.monotonic() - began < stretched(1.5)
