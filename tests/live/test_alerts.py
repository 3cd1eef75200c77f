"""Alerts of `electop record`: what is run and posted, and what goes wrong with it."""
import datetime
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import shutil

import pytest

from electop import PLAIN, run
from recorder import Recorder
from waiting import until
from webhook import Webhook

LIMIT_S = 120


class Alerting(Recorder):
    """A recorder whose configuration ends in alerts, and the file into which its commands write."""

    def __init__(self, folder, hosts, alerts, elections, *arguments, before=()):
        self.alerts, self.notes, self.before = alerts, folder / "notes", before
        super().__init__(folder, hosts, *arguments, elections=elections)

    def write(self, hosts, history):
        super().write(hosts, history)
        self.config.write_text(self.config.read_text() + f"alerts: {self.alerts}\n")

    def told(self):
        """Each run of the program: its facts."""
        if not self.notes.exists():
            return []
        return [dict(line.split("=", 1) for line in part.splitlines() if line.startswith("ELECTOP_"))
                for part in self.notes.read_text().split("--\n") if part.strip()]

    def states(self):
        return [(facts["ELECTOP_STATE"], facts["ELECTOP_CODE"]) for facts in self.told()]


@pytest.fixture
def alerting(zk, tmp_path):
    started = []
    script = tmp_path / "page"
    # One write for each run: several may end at once.
    script.write_text(f"#!/bin/sh\nall=$(env | grep ^ELECTOP_; echo ELECTOP_ARGUMENTS=$*; date +ELECTOP_AT=%s.%N)\n"
                      f"printf '%s\\n--\\n' \"$all\" >>{tmp_path}/notes\n")
    script.chmod(0o755)

    def start(alerts, elections, *arguments, before=()):
        started.append(Alerting(tmp_path, zk.hosts, alerts.replace("PAGE", str(script)), elections, *arguments, before=before))
        started[-1].wait_for("SELECT * FROM events WHERE event = 'election-seen'")
        return started[-1]
    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture
def webhook():
    hook = Webhook()
    yield hook
    hook.server.shutdown()


def stand(client, path, identity=b"host-a:1"):
    client.ensure_path(path)
    return client.create(path + "/n_", identity, ephemeral=True, sequence=True)


def test_facts_of_raise_and_resolve(path, client, alerting):
    """Nobody leads: the command runs with the right facts; somebody leads again: the resolve follows."""
    leader = stand(client, path)
    one = alerting("[{on: [no-leader], run: [PAGE, '{state}', '{code} in {name}', '{ awk }', '${nonsense}']}]",
                   f"[{{path: {path}, name: orders, kind: leader, owner: 'team a', runbook: 'http://wiki/x', allow: {{vacancy: 1s}}}}]")
    client.delete(leader)
    facts = until(lambda: one.told())[0]
    assert facts["ELECTOP_STATE"] == "raised" and facts["ELECTOP_CODE"] == "no-leader"
    assert facts["ELECTOP_ELECTION"] == path and facts["ELECTOP_NAME"] == "orders" and facts["ELECTOP_CLUSTER"] == "prod"
    assert (facts["ELECTOP_SEVERITY"], facts["ELECTOP_CERTAINTY"]) == ("critical", "certain")
    assert "no candidate since" in facts["ELECTOP_EVIDENCE"] and facts["ELECTOP_ADVICE"]
    assert (facts["ELECTOP_OWNER"], facts["ELECTOP_RUNBOOK"]) == ("team a", "http://wiki/x")
    assert facts["ELECTOP_SINCE"].endswith("Z")
    assert facts["ELECTOP_ARGUMENTS"] == "raised no-leader in orders { awk } ${nonsense}"
    stand(client, path)
    until(lambda: one.states() == [("raised", "no-leader"), ("resolved", "no-leader")])
    # From the finding to the start of the command (which starts more slowly than that, under a sanitizer).
    raised = datetime.datetime.fromisoformat(facts["ELECTOP_SINCE"]).timestamp()
    assert float(facts["ELECTOP_AT"]) - raised < 1
    assert one.end() == 128 + signal.SIGTERM and one.complaints == []


def test_a_flood_is_bounded_and_loses_nothing(path, client, alerting, tmp_path):
    """Elections that fall at once are an alert each, of which at most eight commands run at once."""
    paths = [f"{path}/e{i}" for i in range(30)]
    leaders = [stand(client, p) for p in paths]
    most = tmp_path / "most"
    one = alerting("[{on: [severity>=error], run: [PAGE]}, {on: [no-leader], run: [/bin/sh, -c, "
                   f"'echo start >>{most}; sleep 0.3; echo end >>{most}']}}]",
                   f"[{{path: {path}/*, kind: leader, allow: {{vacancy: 1s}}}}]")
    one.wait_for("SELECT * FROM events WHERE event = 'election-seen'", len(paths))
    transaction = client.transaction()
    for leader in leaders:
        transaction.delete(leader)
    transaction.commit()
    until(lambda: len(one.told()) == len(paths) and most.read_text().count("end") == len(paths))
    assert sorted(facts["ELECTOP_ELECTION"] for facts in one.told()) == sorted(paths)
    running = highest = 0
    for word in most.read_text().split():
        running += 1 if word == "start" else -1
        highest = max(highest, running)
    assert 2 <= highest <= 8
    assert one.end() == 128 + signal.SIGTERM and one.complaints == []


def test_log_says_what_is_done(path, client, alerting, webhook, tmp_path):
    """The program and the address, without what may be secret in it."""
    leader = stand(client, path)
    webhook.answer = 500
    log = tmp_path / "log"
    one = alerting(f"[{{on: [no-leader], run: [PAGE, s3cret], "
                   f"post: 'http://127.0.0.1:{webhook.port}/hook/s3cret?t=s3cret'}}]",
                   f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]", "--log", str(log))
    client.delete(leader)
    until(lambda: "alert raised" in log.read_text())
    line = [line for line in log.read_text().splitlines() if "alert raised" in line][0]
    until(lambda: any(f"could not be posted to http://127.0.0.1:{webhook.port}: " in line for line in one.complaints))
    assert "s3cret" not in log.read_text() + "".join(one.complaints)
    assert line.endswith(f"alert raised: no-leader in {path} of prod: run {tmp_path}/page, "
                         f"post to http://127.0.0.1:{webhook.port}"), line
    one.end()


def test_again_while_it_lasts(path, client, alerting):
    leader = stand(client, path)
    one = alerting("[{on: [no-leader], run: [PAGE], again_after: 1s}]",
                   f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    client.delete(leader)
    until(lambda: [s for s, _ in one.states()][:3] == ["raised", "again", "again"])
    stand(client, path)
    until(lambda: one.states()[-1][0] == "resolved")
    count = len(one.states())
    time.sleep(1.5)  # nothing is repeated after its end
    assert len(one.states()) == count
    one.end()


class Keyed(Alerting):
    """A recorder that runs a command and posts, in a folder of its own."""

    def __init__(self, folder, hosts, elections):
        folder.mkdir()
        self.hook = Webhook()
        rule = (f"{{on: [no-leader, leader-elected, failover], post: 'http://127.0.0.1:{self.hook.port}/', run: [/bin/sh, -c, "
                f"'echo \"$0 $ELECTOP_STATE $ELECTOP_CODE\" >>{folder}/notes', '{{key}}']}}")
        super().__init__(folder, hosts, f"[{rule}]", elections)
        self.wait_for("SELECT * FROM events WHERE event = 'election-seen'")

    def keys(self, *words):
        """Those of the alerts with these words: state, or event, and code."""
        lines = [line.split() for line in self.notes.read_text().splitlines()] if self.notes.exists() else []
        return [key for key, *rest in lines if rest == list(words)]

    def posted(self, code):
        return [body[0]["labels"]["key"] for body in self.hook.bodies if body[0]["labels"]["alertname"] == code]


@pytest.mark.parametrize("layout", ["sequence", "lock"])
def test_keys_are_the_same_from_two_recorders(path, client, zk, tmp_path, layout):
    """By the key a pager removes what the second recorder sends, and nothing else."""
    place = path + "/master"
    client.ensure_path(path)

    def lead():
        if layout == "lock":
            client.create(place, b"host-a:1", ephemeral=True)
            return place
        return stand(client, place)
    leader = lead()
    elections = f"[{{path: {place}, kind: leader, allow: {{vacancy: 1s, failover: 1s}}}}]"
    recorders = [Keyed(tmp_path / name, zk.hosts, elections) for name in ("one", "two")]
    try:
        for round in 1, 2:
            client.delete(leader)
            for each in recorders:
                until(lambda each=each: len(each.keys("raised", "no-leader")) == round)
            leader = lead()
            for each in recorders:
                until(lambda each=each: len(each.keys("resolved", "no-leader")) == round)
                until(lambda each=each: len(each.keys("event", "failover")) == 2 * round)
                until(lambda each=each: len(each.keys("event", "leader-elected")) == round)
                until(lambda each=each: len(each.hook.accepted) == 5 * round)  # all of these are posted, too
        findings, elected, failovers = ([each.keys(*words) for each in recorders] for words in
                                        (("raised", "no-leader"), ("event", "leader-elected"), ("event", "failover")))
        assert findings[0] == findings[1] == [each.keys("resolved", "no-leader") for each in recorders][0]
        assert len(set(findings[0])) == 1
        assert elected[0] == elected[1] == recorders[0].posted("leader-elected") == recorders[1].posted("leader-elected")
        assert len(set(elected[0])) == 2
        # A loss is told as open and, with its successor, as closed.
        assert failovers[0] == failovers[1] and len(set(failovers[0])) == 4
        assert set(recorders[0].posted("no-leader")) == set(findings[0])
    finally:
        for each in recorders:
            each.end()
            each.hook.server.shutdown()
    assert recorders[0].complaints == recorders[1].complaints == []


def test_events_alert_once(path, client, alerting):
    first = stand(client, path)
    stand(client, path, b"host-b:1")
    one = alerting("[{on: [leader-elected], run: [PAGE]}]", f"[{{path: {path}}}]")
    client.delete(first)
    until(lambda: one.states() == [("event", "leader-elected")])
    assert "n_0000000001 leads, after n_0000000000" in one.told()[0]["ELECTOP_EVIDENCE"]
    one.end()


def test_failover_tells_its_facts(path, client, alerting, webhook):
    """Who leads after whom, why, and how long it took: in the environment and in what is posted."""
    first = stand(client, path)
    stand(client, path, b"host-b:1")
    one = alerting(f"[{{on: [failover], run: [PAGE], post: 'http://127.0.0.1:{webhook.port}/api'}}]",
                   f"[{{path: {path}, allow: {{failover: 1s}}}}]")
    client.delete(first)
    until(lambda: one.states() == [("event", "failover")])
    evidence = one.told()[0]["ELECTOP_EVIDENCE"]
    assert evidence.startswith("host-b:1 leads, after host-a:1; ") and "; vacancy " in evidence, evidence
    assert "cause: deleted (" in evidence or "cause: resigned (" in evidence or "cause: evicted (" in evidence, evidence
    assert until(lambda: webhook.bodies)[0][0]["annotations"]["description"] == evidence
    one.end()


BROKEN = [
    ("[GONE]", "cannot be started: no such file"),
    ("[SHUT]", "cannot be started: permission denied"),
    ("[/bin/sh, -c, 'echo out of pagers >&2; exit 3']", "failed with exit code 3: out of pagers"),
    ("[/bin/sleep, 60]", "did not end within 0.5 s"),
    ("[/bin/sh, -c, 'trap \"\" TERM; sleep 60 & wait; sleep 60']", "did not end within 0.5 s"),
]


@pytest.mark.parametrize("command, complaint", BROKEN, ids=["missing", "not-executable", "fails", "hangs", "stubborn"])
def test_broken_command_is_reported_and_delays_nothing(path, client, alerting, tmp_path, command, complaint):
    leader = stand(client, path)
    for name in ("gone", "shut"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        command = command.replace(name.upper(), str(tmp_path / name))
    one = alerting(f"[{{on: [no-leader], run: {command}, timeout: 500ms}}, {{on: [no-leader], run: [PAGE]}}]",
                   f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    (tmp_path / "gone").unlink()  # after the start, which would have refused it
    (tmp_path / "shut").chmod(0o644)
    client.delete(leader)
    until(lambda: one.states() == [("raised", "no-leader")])
    until(lambda: any(complaint in line for line in one.complaints), what=complaint)
    stand(client, path)
    one.wait_for("SELECT * FROM events WHERE event = 'leader-elected'")
    one.end()


def test_a_command_inherits_nothing(path, client, zk, alerting, tmp_path):
    """No connection to a server or to whoever asks for metrics, and no file: its own three descriptors, and that of ls."""
    leader = stand(client, path)
    list_them = f"ls -l /proc/self/fd >{tmp_path}/all; mv {tmp_path}/all {tmp_path}/inherited"
    one = alerting(f"[{{on: [no-leader], run: [/bin/sh, -c, '{list_them}']}}]",
                   f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]", "--listen", "127.0.0.1:0", "--admin", zk.admin)
    client.delete(leader)
    until(lambda: (tmp_path / "inherited").exists(), what="it runs")
    descriptors = [line.split(" -> ")[0].split()[-1] for line in (tmp_path / "inherited").read_text().splitlines()[1:]]
    assert descriptors == ["0", "1", "2", "3"], (tmp_path / "inherited").read_text()
    one.end()


NO_CLOSE_RANGE = """import ctypes, os, struct, sys
code = ctypes.create_string_buffer(struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 436, 6, 0, 0, 0x50026, 6, 0, 0, 0x7fff0000))
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
ctypes.CDLL(None).prctl(22, 2, struct.pack("HP", 4, ctypes.addressof(code)), 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may hide /proc")
@pytest.mark.parametrize("kernel", [[], [sys.executable, "-c", NO_CLOSE_RANGE]], ids=["new", "before-5.11"])
def test_a_command_inherits_nothing_where_proc_is_hidden(path, client, alerting, tmp_path, monkeypatch, kernel):
    """Not even where the kernel, or the filter of a container, knows no close_range()."""
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"], check=False, capture_output=True).returncode != 0:
        pytest.skip("a container without that right may not hide /proc")
    monkeypatch.setattr("recorder.PROGRAM", PLAIN)  # a sanitizer needs /proc
    leader = stand(client, path)
    (tmp_path / "tries").write_text(f"for n in $(seq 3 40); do bash -c \"exec 1>&$n\" 2>/dev/null && echo $n; done >{tmp_path}/all\n"
                                    f"mv {tmp_path}/all {tmp_path}/inherited\n")
    one = alerting(f"[{{on: [no-leader], run: [/bin/sh, {tmp_path}/tries]}}]", f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]",
                   before=["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh", *kernel])
    client.delete(leader)
    until(lambda: (tmp_path / "inherited").exists(), what="it runs")
    assert (tmp_path / "inherited").read_text() == ""
    one.end()


def gone(pid):
    """It has ended, and somebody has waited for it: no zombie is left."""
    return not os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize("tail, timeout", [("", "10s"), ("; sleep 300", "1s")], ids=["ends", "is-late"])
def test_what_a_command_leaves_in_another_session_is_ended(path, client, alerting, tmp_path, tail, timeout):
    """A child that called setsid, and a child of that one, while another command runs, which is left alone."""
    leader = stand(client, path)
    (tmp_path / "leave").write_text(f"#!/bin/sh\nsetsid sh -c 'sleep 300 & echo $$ $! >{tmp_path}/ids; mv {tmp_path}/ids {tmp_path}/left; wait' "
                                    f"</dev/null >/dev/null 2>&1 &\nwhile [ ! -e {tmp_path}/left ]; do sleep 0.1; done{tail}\n")
    (tmp_path / "leave").chmod(0o755)
    (tmp_path / "wait").write_text(f"#!/bin/sh\nuntil [ -e {tmp_path}/go ]; do sleep 0.1; done\nexec {tmp_path}/page\n")
    (tmp_path / "wait").chmod(0o755)
    one = alerting(f"[{{on: [no-leader], run: [{tmp_path}/leave], timeout: {timeout}}}, {{on: [no-leader], run: [{tmp_path}/wait]}}]",
                   f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    client.delete(leader)
    left = until(lambda: (tmp_path / "left").exists() and (tmp_path / "left").read_text().split())
    until(lambda: all(gone(pid) for pid in left), 20, "they are ended")
    (tmp_path / "go").touch()
    until(lambda: one.told(), what="the other command does its work")
    assert len(left) == 2 and one.end() == 128 + signal.SIGTERM


def test_other_children_live(path, client, alerting, tmp_path):
    """A child that the recorder has from its start, and what another one of these leaves to it later."""
    leader = stand(client, path)
    (tmp_path / "begin").write_text(f"#!/bin/sh\ncd {tmp_path}\nsleep 300 &\necho $! >child\n"
                                    "sh -c 'sleep 300 & echo $! >grandchild; until [ -e end ]; do sleep 0.1; done' &\n"
                                    "echo $! >parent\nuntil [ -s grandchild ]; do sleep 0.1; done\nexec \"$@\"\n")
    child = grandchild = None
    try:
        one = alerting("[{on: [no-leader], run: [PAGE]}]", f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]",
                       before=["/bin/sh", str(tmp_path / "begin")])
        child, grandchild, parent = (int((tmp_path / name).read_text()) for name in ("child", "grandchild", "parent"))
        client.delete(leader)
        until(lambda: one.states() == [("raised", "no-leader")])
        (tmp_path / "end").touch()
        until(lambda: gone(parent))
        stand(client, path)
        until(lambda: one.states()[-1][0] == "resolved")
        for pid in child, grandchild:
            until(lambda pid=pid: f"PPid:\t{one.process.pid}\n" in open(f"/proc/{pid}/status").read())
        time.sleep(1.5)  # children are looked at each second
        assert not gone(child) and not gone(grandchild)
        one.end()
    finally:
        for pid in filter(None, (child, grandchild)):
            if not gone(pid):
                os.kill(pid, signal.SIGKILL)


def test_loud_command_and_one_that_leaves_children(path, client, alerting, tmp_path):
    leader = stand(client, path)
    one = alerting("[{on: [no-leader], run: [/bin/sh, -c, 'head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; "
                   f"sleep 300 & echo $! >{tmp_path}/left']}}]", f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    client.delete(leader)
    left = until(lambda: (tmp_path / "left").exists() and (tmp_path / "left").read_text().strip())
    until(lambda: not os.path.exists(f"/proc/{left}") or "Z" in open(f"/proc/{left}/stat").read().split()[2])
    assert one.end() == 128 + signal.SIGTERM and one.complaints == []


def test_reload_keeps_what_is_open(path, client, alerting):
    leader = stand(client, path)
    one = alerting("[{on: [no-leader], run: [PAGE]}]", f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    client.delete(leader)
    until(lambda: one.states() == [("raised", "no-leader")])
    one.process.send_signal(signal.SIGHUP)
    until(lambda: len([line for line in one.said if line.startswith("recording into")]) == 2)
    time.sleep(2)  # it is not raised a second time
    assert one.states() == [("raised", "no-leader")]
    stand(client, path)
    until(lambda: one.states() == [("raised", "no-leader"), ("resolved", "no-leader")])
    one.end()


def test_restart_keeps_what_is_open(path, client, alerting):
    """What an ended recorder had raised is not raised again by the next one, and is resolved, also where that
    happened in between."""
    leaders = [stand(client, f"{path}/{name}") for name in ("lasts", "ends")]
    setting = ("[{on: [no-leader], run: [PAGE]}]",
               f"[{{path: {path}/*, kind: leader, allow: {{vacancy: 500ms}}}}]")
    one = alerting(*setting)
    one.wait_for("SELECT * FROM events WHERE event = 'election-seen'", 2)
    client.delete(leaders[0])
    until(lambda: len(one.states()) == 1)
    client.delete(leaders[1])
    until(lambda: len(one.states()) == 2)
    one.process.kill()
    one.process.wait()
    stand(client, path + "/ends")
    two = alerting(*setting)
    until(lambda: len(two.states()) == 3)
    time.sleep(2)  # nothing is raised a second time
    assert [(s, f["ELECTOP_ELECTION"]) for (s, _), f in zip(two.states(), two.told())] == [
        ("raised", path + "/lasts"), ("raised", path + "/ends"), ("resolved", path + "/ends")]
    stand(client, path + "/lasts")
    until(lambda: len(two.states()) == 4)
    two.end()
    assert two.complaints == []
    three = alerting(*setting)  # nothing is open
    time.sleep(2)
    assert len(three.states()) == 4
    three.end()


def test_restart_tells_candidates_apart(path, client, alerting):
    """One candidate's finding ends between two recorders, another one's of the same code goes on."""
    stand(client, path)
    leaving, staying = (client.create(path + "/n_", b"host-b:1", sequence=True) for _ in range(2))
    setting = "[{on: [persistent-candidate], run: [PAGE]}]", f"[{{path: {path}, kind: leader}}]"
    one = alerting(*setting)
    keys = until(lambda: len(one.told()) == 2 and {facts["ELECTOP_EVIDENCE"].count(leaving): facts["ELECTOP_KEY"] for facts in one.told()})
    until(lambda: one.file and open(one.file + ".alerts").read().count("\n") == 2)
    one.process.kill()
    one.process.wait()
    client.delete(leaving)
    two = alerting(*setting)
    until(lambda: len(two.told()) == 3)
    time.sleep(2)  # the other one is neither raised a second time nor resolved
    assert [(facts["ELECTOP_STATE"], facts["ELECTOP_KEY"]) for facts in two.told()[2:]] == [("resolved", keys[1])]
    client.delete(staying)
    until(lambda: len(two.told()) == 4)
    assert two.told()[3]["ELECTOP_STATE"] == "resolved" and two.told()[3]["ELECTOP_KEY"] == keys[0]
    two.end()


# -- posts


def test_post_with_a_secret(path, client, alerting, webhook, tmp_path):
    leader = stand(client, path)
    (tmp_path / "token").write_text("s3cret-token\n")
    (tmp_path / "token").chmod(0o600)
    one = alerting(f"[{{on: [no-leader], post: 'http://127.0.0.1:{webhook.port}/api', secret_file: token}}]",
                   f"[{{path: {path}, kind: leader, runbook: 'http://wiki/x', allow: {{vacancy: 500ms}}}}]")
    client.delete(leader)
    alert = until(lambda: webhook.bodies)[0][0]
    assert alert["labels"] == {"alertname": "no-leader", "cluster": "prod", "election": path, "severity": "critical",
                               "key": alert["labels"]["key"]}
    assert alert["annotations"]["runbook_url"] == "http://wiki/x" and alert["annotations"]["description"]
    assert alert["startsAt"] < alert["endsAt"]
    assert webhook.headers[0]["Authorization"] == "Bearer s3cret-token"
    stand(client, path)
    until(lambda: len(webhook.bodies) == 2)
    assert webhook.bodies[1][0]["labels"] == alert["labels"] and webhook.bodies[1][0]["endsAt"] < alert["endsAt"]
    (tmp_path / "token").chmod(0o644)
    client.delete(until(lambda: [path + "/" + n for n in client.get_children(path)])[0])
    until(lambda: any("can be read or written by others" in line for line in one.complaints))
    one.end()
    assert not any("s3cret" in line for line in one.complaints + one.said)


@pytest.mark.parametrize("answer", [500, 302, "hang"])
def test_failing_post_is_reported_and_tried_again(path, client, alerting, webhook, answer):
    leader = stand(client, path)
    webhook.answer = answer
    one = alerting(f"[{{on: [no-leader], post: 'http://127.0.0.1:{webhook.port}/api', timeout: 1s}}]",
                   f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    client.delete(leader)
    until(lambda: any("electop tries again" in line for line in one.complaints))
    webhook.answer = 200
    count = len(webhook.bodies)
    until(lambda: len(webhook.bodies) > count)
    time.sleep(1)
    assert len([line for line in one.complaints if "posted" in line]) == 1  # said once, not at every try
    one.end()


@pytest.mark.skipif(not shutil.which("prometheus-alertmanager"), reason="prometheus-alertmanager is not installed")
def test_real_alertmanager_takes_it_unchanged(path, client, alerting, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "am.yml").write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
    manager = subprocess.Popen(["prometheus-alertmanager", f"--config.file={tmp_path}/am.yml",
                                f"--storage.path={tmp_path}/am", f"--web.listen-address=127.0.0.1:{port}",
                                "--cluster.listen-address="], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def active():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/alerts?active=true", timeout=5) as answer:
                return json.load(answer)
        except OSError:
            return None
    try:
        until(lambda: active() is not None)
        leader = stand(client, path)
        one = alerting(f"[{{on: [no-leader], post: 'http://127.0.0.1:{port}/api/v2/alerts'}}]",
                       f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
        client.delete(leader)
        alerts = until(active)
        assert [(a["labels"]["alertname"], a["labels"]["election"]) for a in alerts] == [("no-leader", path)]
        stand(client, path)
        until(lambda: active() == [])
        one.end()
        assert one.complaints == []
    finally:
        manager.terminate()
        manager.wait(20)


# -- the configuration

@pytest.mark.parametrize("alerts, complaint", [
    ("[{on: [no-leder], run: [/bin/true]}]",
     '2:16: on: "no-leder" is neither a finding nor an event; did you mean no-leader?'),
    ("[{on: [no-leader]}]", "alerts[] has neither run nor post"),
    ("[{on: [no-leader], post: 'ftp://x/y'}]", "post: is not a URL"),
    ("[{on: [no-leader], run: [/bin/true], timeout: 0s}]", "timeout"),
    ("[{on: [failover], run: [/bin/true, '{evidense}']}]", "2:44: run: \"{evidense}\" contains {evidense}, which is not a fact"),
    ("[{on: [failover], run: [/bin/true, 'x {stat} y']}]", "did you mean {state}?"),
    ("[{on: [failover], post: 'http://x/{code}'}]", "2:33: post: a URL cannot contain braces"),
    ("[{on: [failover], post: 'http://me:s3cret@x/'}]", "2:33: post: a URL cannot contain @"),
    ("[{on: [failover], run: [/nonexistent/page]}]", "2:33: run: \"/nonexistent/page\" cannot be run: No such file"),
    ("[{on: [failover], run: /etc/passwd}]", "run: \"/etc/passwd\" is not executable"),
    ("[{on: [failover], run: [/etc]}]", "run: \"/etc\" is a directory"),
    ("[{on: [failover], run: [no-such-program]}]", "is in no directory of PATH"),
    ("[{on: [failover], post: 'http://x/', secret_file: nowhere}]", "2:59: the secret_file \""),
    ("[{on: [failover], post: 'http://x/', secret_file: open}]",
     "can be read or written by others; run chmod 600 on it"),
    ("[{on: [failover], post: 'http://x/', secret_file: empty}]", "secret_file: \"empty\" is empty"),
])
def test_wrong_configuration(tmp_path, alerts, complaint):
    """What would fail with the first alert is refused before, by the command that checks and by the one that sends."""
    for name, mode in (("open", 0o644), ("empty", 0o600)):
        (tmp_path / name).write_text("" if name == "empty" else "token\n")
        (tmp_path / name).chmod(mode)
    (tmp_path / "c.yaml").write_text(f"clusters: [{{hosts: '127.0.0.1:1'}}]\nalerts: {alerts}\n")
    for command in ("config", "record"):
        done = run(command, "-c", str(tmp_path / "c.yaml"))
        assert done.status == 2 and complaint in done.err, done


@pytest.mark.parametrize("url, exposed", [
    ("http://alerts.example.com/x", True), ("http://localhost.example.com", True), ("http://127.0.0.1.example.com/", True),
    ("http://[::2]:80/", True), ("https://alerts.example.com/x", False), ("http://localhost:9093/", False),
    ("http://127.0.0.1", False), ("http://[::1]:9093/x", False)])
def test_a_token_without_encryption_is_warned_of(tmp_path, url, exposed):
    (tmp_path / "token").write_text("token\n")
    (tmp_path / "token").chmod(0o600)
    config = tmp_path / "c.yaml"
    config.write_text(f"clusters: [{{hosts: '127.0.0.1:1'}}]\nalerts: [{{on: [failover], post: '{url}', secret_file: token}}]\n")
    done = run("config", "-c", str(config))
    assert done.status == 0 and ("is posted without encryption: write https://" in done.err) == exposed, done
    config.write_text(config.read_text().replace(", secret_file: token", ""))
    assert run("config", "-c", str(config)).err == ""


def test_others_do_not_need_what_alerts_need(zk, path, client, tmp_path):
    """A dashboard of somebody who may not read the recorder's secret."""
    client.ensure_path(path)
    (tmp_path / "c.yaml").write_text(f"clusters: [{{hosts: '{zk.hosts}'}}]\n"
                                     "alerts: [{on: failover, run: /nonexistent/page, "
                                     "secret_file: nowhere}]\n")
    done = run("once", "-c", str(tmp_path / "c.yaml"), path)
    assert "nonexistent" not in done.err and done.status != 2, done


def test_reload_refuses_what_cannot_be_run(path, client, alerting, tmp_path):
    """The configuration of before goes on, and its alerts."""
    leader = stand(client, path)
    one = alerting("[{on: [no-leader], run: [PAGE]}]", f"[{{path: {path}, kind: leader, allow: {{vacancy: 500ms}}}}]")
    good = one.config.read_text()
    one.config.write_text(good.replace(str(tmp_path / "page"), "/nonexistent/page"))
    one.process.send_signal(signal.SIGHUP)
    until(lambda: any('"/nonexistent/page" cannot be run' in line for line in one.complaints))
    client.delete(leader)
    until(lambda: one.states() == [("raised", "no-leader")])
    one.end()
