"""Every command, kazoo and Curator on servers of two versions with each security: a column of the manual's table.

Two servers that know nothing of each other, configured as those of one cluster: so the comparison of servers, which
has a session of its own for each, finds that they differ."""
import glob
import json
import os
import re
import signal
import subprocess

import pytest

from electop import PROGRAM, Events, elections, run
from peer import BUILT, JAVA, Peer, build_curator, build_kazoo
from secured import MODES, Secured
from servers import class_path
from terminal import Tmux
from waiting import until

LIMIT_S = 420
VERSIONS = ("3.8", "3.9.3")
ROWS = ("watch", "once", "discover", "events", "check", "export", "record", "replay", "report", "autopsy", "why", "inject", "config",
        "compare", "kazoo", "Curator")
# They read no cluster, or make their own.
OTHERS = {"bundle", "case", "completion", "demo", "help", "version"}
MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "electop-security.7.in")
TABLE = os.path.join(BUILT, "security.txt")
ELECTION, LATCH = "/kazoo/election", "/curator/latch"
done_rows = {}


def with_netty(path):
    """With the parts of Netty that Curator's own client has: Debian's lack one that 3.9 asks for."""
    build_curator()
    return os.pathsep.join([*glob.glob(os.path.join(BUILT, "curator", "lib", "netty-*.jar")), path])


class Scene:
    """The servers, the other clients on them, and the tool's configurations: by path, and without one."""

    def __init__(self, mode, version, folder, authority, kdc):
        java = () if version == "3.8" else ("-cp", with_netty(class_path(version)))
        self.version, self.peers, self.servers = version, [], []
        try:
            for name in ("one", "other"):
                self.servers.append(Secured(mode, folder / name, authority, kdc, java=java))
            self._settle(folder)
        except BaseException:
            self.close()
            raise

    def _settle(self, folder):
        one, other = self.servers
        self.env = one.env
        with open(one.config, encoding="utf-8") as f:
            base = re.sub(r"    elections:\n.*\n", "", f.read())
        self.found = one.write("found.yaml", base)
        pair = f"servers: {{addresses: ['{one.hosts}', '{other.hosts}'], admin: ['{one.admin}', '{other.admin}'], every: 500ms}}"
        assert one.hosts != other.hosts
        self.pair = one.write("pair.yaml", re.sub(r"servers: {.*}", pair, base).replace(
            "history:", f"    elections:\n      - {{path: {ELECTION}}}\nhistory:").replace("history.db", "pair.db"))
        self.history = f"{folder}/one/history.db"

    def kazoo(self, server, *names):
        security, env = server.for_kazoo()
        peer = Peer(build_kazoo(), server.hosts, env={**env, "KAZOO_SECURITY": security})
        self.peers.append(peer)
        for name in names:
            peer.tell("stand", "election", ELECTION, name)
        until(lambda: any(peer.last(ELECTION, name) for name in names), 40, "one leads")
        return peer

    def curator(self, server, name):
        command = build_curator()
        peer = Peer([JAVA[0], *server.for_java(), *command[1:]], server.hosts)
        self.peers.append(peer)
        peer.tell("stand", "latch", LATCH, name)
        peer.expect("leads", LATCH, name, within=60)
        return peer

    def say(self, *arguments, config=None, **more):
        return run(*arguments, "--config", config or self.found, env=self.env, within=90, **more)

    def close(self):
        for peer in self.peers:
            peer.end()
        for server in self.servers:
            server.close()


def leader(document, path):
    election = elections(document).get(path)
    return election and election["leader"] and election["leader"]["identity"]


def watched(scene):
    watch = Tmux(f"{PROGRAM} -c {scene.found}", env=scene.env)
    try:
        watch.shows(ELECTION, LATCH, "connected")
    finally:
        watch.close()


def looked(scene):
    done = scene.say("once", "--json", "--wait", "20s", LATCH)
    cluster = json.loads(done.out)["clusters"][0]
    server = cluster["servers"][0]
    assert done.status == 0 and cluster["state"] == "connected" and cluster["watches_complete"], done
    assert server["reachable"] and server["watches_from"] == "adminserver" and server["version"].startswith(scene.version), done
    assert leader(json.loads(done.out), LATCH) == "latch-a:1", done
    done = scene.say("once", "--json", "--wait", "20s")
    assert done.status == 0 and leader(json.loads(done.out), ELECTION) and leader(json.loads(done.out), LATCH), done
    done = scene.say("once", "--json", "--quick", "/kaz*/*")
    assert done.status == 0 and list(elections(json.loads(done.out))) == [ELECTION], done


def judged(scene, name, act):
    """One command; what it came to is a cell of the table."""
    try:
        act(scene)
    except Exception as error:  # pylint: disable=broad-except  # each cell is judged
        scene.complaints.append(f"{name}: {type(error).__name__}: {error}")
        return "NO"
    return "ok"


def told(scene):
    """A leader resigns while the stream is read and the recorder runs."""
    recorder = subprocess.Popen([PROGRAM, "record", "-c", scene.found], env={**os.environ, **scene.env},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: os.path.exists(scene.history), 30, "the recorder records")
        with Events(None, "-c", scene.found) as events:
            events.expect("connection", state="connected")
            until(lambda: f"{ELECTION} " in run("report", scene.history, env=scene.env).out, 30, "the recorder sees it")
            scene.gone = leader(json.loads(scene.say("once", "--json", "--quick").out), ELECTION)
            scene.peers[0].tell("resign", ELECTION, scene.gone)
            events.expect("leader-elected", election=ELECTION, within=40)
            events.expect("failover", election=ELECTION, within=40)
        until(lambda: scene.gone in run("why", "--replay", scene.history, ELECTION, "last", env=scene.env).out, 40, "the recorder has "
              "the failover")
    finally:
        recorder.send_signal(signal.SIGINT)
        scene.recorded = recorder.communicate(timeout=60)[1]
        scene.recorder_status = recorder.returncode


def recorded(scene):
    assert scene.recorder_status == 130 and "ERROR" not in scene.recorded, scene.recorded


def replayed(scene):
    done = run("once", "--json", "--replay", scene.history, env=scene.env)
    assert leader(json.loads(done.out), ELECTION) not in (None, scene.gone), done
    replay = Tmux(f"{PROGRAM} replay {scene.history}", env=scene.env)
    try:
        replay.shows(ELECTION, "REPLAY")
    finally:
        replay.close()


def reported(scene):
    done = run("report", scene.history, env=scene.env)
    assert done.status == 0 and scene.gone in done.out, done


def explained(scene):
    done = run("why", "--replay", scene.history, ELECTION, "last", env=scene.env)
    assert done.status == 0 and scene.gone in done.out, done


def discovered(scene):
    """It names them, and writes a configuration with which the same servers are reached in the same way."""
    done = scene.say("discover", "--json")
    assert done.status == 0 and ELECTION in done.out and LATCH in done.out, done
    done = scene.say("discover", "--yaml")
    written = scene.servers[0].write("written.yaml", done.out)
    assert done.status == 0, done
    done = scene.say("once", "--json", "--quick", config=written)
    assert leader(json.loads(done.out), LATCH) == "latch-a:1", done


def autopsied(scene):
    done = run("autopsy", scene.servers[0].ensemble.directory, "--election", ELECTION)
    assert done.status == 0 and scene.gone in done.out, done


def configured(scene):
    """The effective configuration reads back, and shows no password."""
    done = scene.say("config")
    assert done.status == 0 and "secret" not in done.out, done
    done = scene.say("once", "--json", "--quick", LATCH, config=scene.servers[0].write("effective.yaml", done.out))
    assert leader(json.loads(done.out), LATCH) == "latch-a:1", done


def checked(scene):
    done = scene.say("check", LATCH)
    assert done.status == 1 and f"WARNING - {LATCH}: no candidate after the leader" in done.out, done


def exported(scene):
    done = scene.say("export", "--once")
    assert done.status == 0 and re.search(r'electop_\w+{[^}]*' + ELECTION, done.out), done


def injected(scene):
    done = scene.say("inject", "/electop-sandbox/run", "-n", "3", "--kill", "leader:every=1s", "--for", "3s", "--json")
    assert done.status == 0 and json.loads(done.out), done


def compared(scene):
    """The other server holds other children: found in sessions with each alone."""
    with Events(None, "-c", scene.pair) as events:
        events.expect("finding-raised", within=60, finding=lambda f: f and f["code"] == "replica-divergence")


COMMANDS = {"watch": watched, "once": looked, "discover": discovered, "events": told, "check": checked, "export": exported,
            "record": recorded, "replay": replayed, "report": reported, "autopsy": autopsied, "why": explained, "inject": injected,
            "config": configured, "compare": compared}


def stands_beside(scene):
    scene.kazoo(scene.servers[0], "k-a:1", "k-b:1", "k-c:1")
    scene.kazoo(scene.servers[1], "k-d:1")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("mode", MODES)
def test_row(mode, version, authority, kdc, tmp_path, monkeypatch):
    scene = Scene(mode, version, tmp_path, authority, kdc)
    for name, value in scene.env.items():
        monkeypatch.setenv(name, value)
    scene.complaints, row = [], {}
    try:
        row["kazoo"] = judged(scene, "kazoo", stands_beside)
        row["Curator"] = judged(scene, "Curator", lambda s: s.curator(s.servers[0], "latch-a:1"))
        for name, act in COMMANDS.items():
            row[name] = judged(scene, name, act)
    finally:
        scene.close()
    done_rows[mode, version] = row
    assert not scene.complaints, "\n".join(scene.complaints)


HEADS = {"plain": ("plain", ""), "tls": ("TLS", ""), "mutual tls": ("mutual", "TLS"), "digest-md5": ("DIGEST", "-MD5"),
         "kerberos": ("Kerberos", ""), "kerberos in tls": ("Kerberos", "in TLS"), "digest-md5 in tls": ("DIGEST", "in TLS")}


def table(rows):
    """A line each for commands and clients; a column each for securities, of both versions."""
    lines = [" " * 9 + "".join(f"{HEADS[mode][i]:9}" for mode in MODES) for i in (0, 1)]
    lines.append(" " * 9 + "".join(f"{' '.join(version[:3] for version in VERSIONS):9}" for _ in MODES))
    for name in ROWS:
        cells = ["  ".join("ok" if rows[mode, version].get(name) == "ok" else "NO" for version in VERSIONS) for mode in MODES]
        lines.append(f"{name:9}" + "".join(f"{cell:9}" for cell in cells))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def test_every_command_is_a_row():
    said = run("help").out.split("Commands:")[1].split("\n\n")[0]
    words = set(re.findall(r"(?m)^  (\w+) ", said))
    assert set(ROWS) == set(COMMANDS) | {"kazoo", "Curator"}
    assert words == set(COMMANDS) - {"compare"} | OTHERS, words ^ (set(COMMANDS) | OTHERS)


def test_admin_with_client_certificate(authority, tmp_path):
    """An AdminServer that answers over HTTPS only to clients with a certificate, as 3.9 can be told to: with ours it does;
    without, it says so, and what it hides is unknown."""
    made = Secured("tls", tmp_path, authority, None, config=["admin.needClientAuth=true"], java=("-cp", with_netty(class_path("3.9.3"))))
    try:
        with open(made.config, encoding="utf-8") as f:
            text = f.read().replace("admin: [", "four_letter: off, admin: [").replace("tls: {", "tls: {admin: https, ")
        client = authority.path("client")
        config = made.write("with.yaml", text.replace("tls: {", f"tls: {{cert: {client}.crt, key: {client}.key, "))
        done = run("once", "--json", "--quick", "-c", config, "--wait", "20s", within=60)
        server = json.loads(done.out)["clusters"][0]["servers"][0]
        assert server["watches_from"] == "adminserver" and server["version"].startswith("3.9.3"), done
        done = run("once", "--json", "--quick", "-c", made.write("without.yaml", text), "--wait", "20s", within=60)
        cluster = json.loads(done.out)["clusters"][0]
        assert cluster["state"] == "connected" and cluster["servers"][0]["watches_from"] is None, done
        assert "certificate" in cluster["servers"][0]["watches_problem"], done
    finally:
        made.close()


def test_table(capsys):
    """The rows of this run are those that the manual shows."""
    if len(done_rows) < len(MODES) * len(VERSIONS):
        pytest.skip("not all rows were made")
    os.makedirs(BUILT, exist_ok=True)
    made = table(done_rows)
    with open(TABLE, "w", encoding="utf-8") as f:
        f.write(made)
    with capsys.disabled():
        print("\n" + made)
    with open(MANUAL, encoding="utf-8") as f:
        assert made in f.read(), made
