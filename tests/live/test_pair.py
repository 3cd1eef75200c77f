"""Two recorders (`record --pair`): both record, one sends the alerts; the other goes on where it ended, and nothing is
sent twice or never."""
import json
import signal
import time
import urllib.request

import pytest

from electop import look_at, run
from fake_server import Line, free_port
from recorder import Recorder
from waiting import until
from webhook import Webhook

LIMIT_S = 90
TIMEOUT_S = 4
APART_S = 6  # what begins sooner is one more election of the same alert
RECORDERS = "/electop-sandbox/pair-%s/recorders"


def stand(client, path, identity=b"host-a:1"):
    client.ensure_path(path)
    return client.create(path + "/n_", identity, ephemeral=True, sequence=True)


class Paired(Recorder):
    """One of the recorders. Each run of its command leaves one line."""

    def __init__(self, folder, hosts, pair, alerts, elections):
        folder.mkdir()
        self.alerts = alerts
        self.listen = f"127.0.0.1:{free_port()}"
        super().__init__(folder, hosts, "--pair", pair, "--listen", self.listen, elections=elections)

    def write(self, hosts, history):
        self.config.write_text(
            f"clusters: [{{name: prod, hosts: '{hosts}', session_timeout: {TIMEOUT_S}s, elections: {self.elections}}}]\n"
            f"history: {{{history}}}\nalerts: {self.alerts}\n")

    def sends(self):
        return bool(self.roles()) and "sends the alerts" in self.roles()[-1]

    def metrics(self):
        with urllib.request.urlopen(f"http://{self.listen}/metrics", timeout=20) as answer:
            return answer.read().decode()

    def roles(self):
        return [line for line in self.said if line.startswith("pair ")]


@pytest.fixture
def pair(zk, tmp_path, path):
    """Starts two recorders of one pair, the first of which sends; told() is what their commands wrote, in order."""
    script, notes = tmp_path / "page", tmp_path / "notes"
    script.write_text(f"#!/bin/sh\necho \"$ELECTOP_STATE $ELECTOP_CODE $ELECTOP_ELECTION\" >>{notes}\n")
    script.chmod(0o755)
    started = []

    def start(name, alerts="[{on: [no-leader], run: [PAGE], cool_down: 0s}]", hosts=None, elections=None):
        alerts = alerts.replace("PAGE", str(script))
        elections = elections or f"[{{path: {path}/*, kind: leader, allow: {{vacancy: 500ms}}}}]"
        folder = tmp_path / f"recorder{len(started)}"
        one = Paired(folder, hosts or zk.hosts, path[1:40], alerts, elections)
        started.append(one)
        until(lambda: one.roles() or one.complaints, what="its role")
        return one

    def told():
        return notes.read_text().splitlines() if notes.exists() else []
    start.told = told
    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGCONT)
            one.process.kill()
            one.process.wait()


def test_both_record_and_one_sends(path, client, zk, pair):
    leader = stand(client, path + "/orders")
    first = pair("first")
    until(first.sends)
    second = pair("second")
    assert "sends no alerts" in second.roles()[-1]
    for one, sending in (first, 1), (second, 0):
        until(lambda one=one, sending=sending: f'electop_pair_sending{{pair="{path[1:40]}"}} {sending}' in one.metrics())
    client.delete(leader)
    for one in first, second:
        one.wait_for("SELECT * FROM events WHERE event = 'finding-raised'")
    until(pair.told)
    time.sleep(2)  # a second one would come within this
    assert pair.told() == [f"raised no-leader {path}/orders"]
    stand(client, path + "/orders")
    until(lambda: len(pair.told()) == 2)
    for one in first, second:
        one.wait_for("SELECT * FROM events WHERE event = 'finding-cleared'")
    # Their own election is one of those that are recorded, and is shown as any other.
    recorders = RECORDERS % path[1:40]
    shown = look_at(zk.hosts, recorders)
    assert [c["position"] for c in shown["candidates"]] == [1, 2] and shown["recipe"] == "curator-latch"
    assert str(first.process.pid) in json.dumps(shown["leader"])
    assert second.ask("SELECT * FROM events WHERE event = 'election-seen' AND election LIKE '%/recorders'")
    # The first ends in order: the other sends at once.
    assert first.end() == 128 + signal.SIGTERM
    until(second.sends)
    assert pair.told() == [f"raised no-leader {path}/orders", f"resolved no-leader {path}/orders"]
    assert second.end() == 128 + signal.SIGTERM
    assert first.complaints == second.complaints == []
    assert client.get_children(f"/electop-sandbox/pair-{path[1:40]}/sent") == []


@pytest.mark.parametrize("how", ["kill", "freeze", "cut off"])
def test_each_alert_is_sent_once_when_the_first_one_fails(path, client, zk, pair, how):
    """One alert is open, one begins while nobody sends, one is over while nobody sends."""
    leaders = {name: stand(client, f"{path}/{name}") for name in ("stays", "ends", "begins")}
    proxy = Line(zk.hosts)
    first = pair("first", hosts=proxy.address)
    until(first.sends)
    second = pair("second")
    client.delete(leaders["stays"])
    until(lambda: len(pair.told()) == 1)
    time.sleep(APART_S)
    client.delete(leaders["ends"])
    until(lambda: len(pair.told()) == 2)
    time.sleep(APART_S)
    if how == "kill":
        first.process.kill()
    elif how == "freeze":
        first.process.send_signal(signal.SIGSTOP)
    else:
        proxy.hold("up", "down")
    failed = time.monotonic()
    client.delete(leaders["begins"])
    stand(client, path + "/ends")
    until(second.sends)
    took = time.monotonic() - failed
    expected = [f"raised no-leader {path}/stays", f"raised no-leader {path}/ends",
                f"raised no-leader {path}/begins", f"resolved no-leader {path}/ends"]
    until(lambda: sorted(pair.told()) == sorted(expected))
    if how == "freeze":
        first.process.send_signal(signal.SIGCONT)
    elif how == "cut off":
        proxy.mend()
    if how != "kill":
        until(lambda: first.roles() and "sends no alerts" in first.roles()[-1])
        first.wait_for(f"SELECT * FROM events WHERE event = 'finding-raised' AND election = '{path}/begins'")
    stand(client, path + "/stays")
    stand(client, path + "/begins")
    expected += [f"resolved no-leader {path}/stays", f"resolved no-leader {path}/begins"]
    until(lambda: sorted(pair.told()) == sorted(expected))
    time.sleep(3)  # a second one would come within this
    assert sorted(pair.told()) == sorted(expected)
    assert took < TIMEOUT_S + 15  # its session expires, and the second reads the ledger; on a busy machine
    second.end()
    proxy.shutdown()


def test_a_post_that_was_not_accepted_is_the_successors(path, client, pair):
    hook = Webhook()
    hook.answer = 500
    leader = stand(client, path + "/orders")
    alerts = f"[{{on: [no-leader], post: 'http://127.0.0.1:{hook.port}/api', cool_down: 0s}}]"
    first = pair("first", alerts)
    until(first.sends)
    second = pair("second", alerts)
    client.delete(leader)
    until(lambda: hook.bodies)
    first.process.kill()
    first.process.wait()
    hook.answer = 200
    until(lambda: hook.accepted)
    until(second.sends)
    time.sleep(2)  # once it was accepted it is not posted again
    assert len(hook.accepted) == 1
    second.end()
    hook.server.shutdown()


def test_events_of_the_time_between(path, client, pair):
    """An event has no end by which it could be known later: the follower keeps what it saw."""
    leaders = [stand(client, path + "/orders", name) for name in (b"a", b"b", b"c")]
    alerts = "[{on: [leader-elected], run: [PAGE], cool_down: 0s}]"
    first = pair("first", alerts)
    until(first.sends)
    second = pair("second", alerts)
    client.delete(leaders[0])

    def told():  # their own election has a new leader, too
        return [line for line in pair.told() if line.endswith(path + "/orders")]
    until(lambda: len(told()) == 1)
    first.process.kill()
    client.delete(leaders[1])
    until(second.sends)
    until(lambda: len(told()) == 2)
    time.sleep(2)  # a second one would come within this
    assert told() == [f"event leader-elected {path}/orders"] * 2
    second.end()


def test_inject_leaves_a_pair_alone(path, client, zk, pair):
    """Other runs sweep the sandbox directory: recorders stand there for as long as they like."""
    one = pair("first")
    until(one.sends)
    done = run("inject", "/electop-sandbox/test", "-s", zk.hosts, "-n", "3", "--for", "1s")
    assert done.status == 0, done
    assert client.get_children(RECORDERS % path[1:40]) != []
    # That nothing matches the elections' pattern is said, and no complaint of the pair.
    assert one.sends() and not [line for line in one.complaints if "no path matches" not in line]
    one.end()


@pytest.mark.parametrize("name", ["", "a/b", "..", "x" * 41])
def test_wrong_names(name):
    done = run("record", "-s", "zk:1", "--pair", name)
    assert done.status == 2 and "--pair" in done.err, done
