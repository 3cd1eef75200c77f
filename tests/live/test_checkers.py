"""The main commands under valgrind's memcheck, and under the thread sanitizer: neither finds anything.

Both are slow, and see what the tests' own build does not: memory that was never written, and threads (the recorder's,
the resolver's) that touch the same memory at once."""
import glob
import os
import signal
import subprocess

import pytest

from injection import SANDBOX
from patience import communicate
from terminal import Pty
from waiting import until

pytestmark = pytest.mark.slow
LIMIT_S = 300
SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/valgrind.supp")


class Memcheck:
    """The program as users have it. A block that is lost counts, one that is still in use at the end does not."""
    PROGRAM = "build/electop"

    def __init__(self, folder):
        self.folder, self.env = folder, {}
        self.command = ["valgrind", "--leak-check=full", "--show-leak-kinds=definite,indirect", "--num-callers=30",
                        "--errors-for-leak-kinds=definite,indirect", f"--suppressions={SUPPRESSIONS}",
                        f"--log-file={folder}/valgrind.%p", os.path.abspath(self.PROGRAM)]

    def check(self):
        summaries = 0
        for log in glob.glob(f"{self.folder}/valgrind.*"):
            with open(log, encoding="utf-8") as f:
                said = f.read()
            assert " at 0x" not in said, said
            summaries += "ERROR SUMMARY: 0 errors" in said  # none of a child that became another program
        assert summaries


class Tsan:
    PROGRAM = "build/tsan/electop"

    def __init__(self, folder):
        self.folder, self.command = folder, [os.path.abspath(self.PROGRAM)]
        self.env = {"TSAN_OPTIONS": f"log_path={folder}/tsan"}

    def check(self):
        for log in glob.glob(f"{self.folder}/tsan.*"):
            with open(log, encoding="utf-8") as f:
                raise AssertionError(f.read())


class Checked:
    """Runs commands by a checker, on one election with a recording of its own."""

    def __init__(self, checker, zk, folder):
        self.checker, self.zk, self.file, self.started = checker, zk, str(folder / "history.db"), []
        self.config = str(folder / "config.yaml")
        with open(self.config, "w", encoding="ascii") as f:
            f.write(f"clusters: [{{name: prod, hosts: '{zk.hosts}', session_timeout: 30s, "
                    f"servers: {{admin: '{zk.admin}'}}, elections: [{{path: /election}}]}}]\n"
                    f"history: {{file: {self.file}, keep: 1m}}\n")

    def begin(self, *arguments):
        self.started.append(subprocess.Popen([*self.checker.command, *arguments], stdin=subprocess.DEVNULL, text=True,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **self.checker.env}))
        return self.started[-1]

    def run(self, *arguments, status=0):
        process = self.begin(*arguments)
        said = communicate(process, 120)
        assert process.returncode == status, (arguments, process.returncode, said)
        return said[0]

    def end(self, process, status):
        process.send_signal(signal.SIGTERM)
        said = communicate(process, 60)
        assert process.returncode == status, (process.args, process.returncode, said)

    def screen(self, *arguments):
        return Pty([*self.checker.command, *arguments], cols=140, rows=40, env=self.checker.env)

    def kill(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()


@pytest.fixture(params=[Memcheck, Tsan])
def checked(request, zk, client, tmp_path):
    """With an election of three candidates, each with a session of its own."""
    client.ensure_path("/election")
    for name in client.get_children("/election"):
        client.delete(f"/election/{name}")
    for who in "host-a:1", "host-b:1", "host-c:1":
        zk.client().create("/election/n_", who.encode(), ephemeral=True, sequence=True)
    one = Checked(request.param(tmp_path), zk, tmp_path)
    yield one
    one.kill()
    one.checker.check()


def lose_leader(client):
    client.delete("/election/" + min(client.get_children("/election")))


def record(checked, client):
    """A recording of a change of leader."""
    process = checked.begin("record", "-c", checked.config, "--listen", "127.0.0.1:0")
    process.stdout.readline()
    until(lambda: os.path.exists(checked.file) and recorded(checked, "election-seen"), 60)
    lose_leader(client)
    until(lambda: recorded(checked, "failover"), 60)
    return process


def recorded(checked, event):
    done = subprocess.run(["sqlite3", checked.file, f"SELECT count(*) FROM events WHERE event = '{event}'"], check=False,
                          capture_output=True, text=True)
    return done.stdout.strip() not in ("", "0")


LOOKS = [("once", "--wait", "60s"), ("once", "--json", "--wait", "60s"), ("check", "--wait", "60s", "/election"),
         ("export", "--once", "--wait", "60s"), ("events", "--json", "--for", "5s"), ("config",), ("completion", "bash"),
         ("discover", "--wait", "60s"), ("once", "--watch", "--for", "5s", "-o", "json")]


@pytest.mark.parametrize("arguments", LOOKS, ids=" ".join)
def test_looks(checked, arguments):
    checked.run(*arguments, *([] if arguments[0] == "completion" else ["--config", checked.config]))


def test_a_recording(checked, client):
    """Made, and asked about in every way; and one of the server's logs."""
    checked.end(record(checked, client), 128 + signal.SIGTERM)
    for arguments in (["report"], ["report", "--json"], ["report", "--markdown"], ["report", "--html", "-"]):
        checked.run(*arguments, checked.file)
    checked.run("once", "--replay", checked.file)
    checked.run("events", "--replay", checked.file)
    checked.run("why", "-c", checked.config, "/election")
    checked.run("autopsy", "--into", f"{checked.file}.logs", checked.zk.directory)
    checked.run("autopsy", "--json", checked.zk.directory)
    with checked.screen("replay", checked.file) as screen:
        screen.shows("REPLAY", "/election", within=60)
        walk(screen)


def walk(screen):
    """Through every kind of view, and out."""
    for key, text in (("?", "KEYS HERE"), ("\x1b", "/election"), ("\r", "host-b:1"), ("\r", "host-b:1"), ("\x1b", "host-c:1"), ("\x1b", "/election")):
        screen.keys(key)
        screen.shows(text, within=60)
    for key in "efvtis:":
        screen.keys(key)
        screen.keys("\x1b")
    screen.keys("q")
    assert screen.wait(60) == 0
    assert screen.restored()


def test_the_dashboard_records(checked, client):
    with checked.screen("-c", checked.config) as screen:
        screen.shows("/election", "host-a:1", within=60)
        until(lambda: recorded(checked, "election-seen"), 60)
        lose_leader(client)
        screen.shows("leader elected", within=60)
        until(lambda: recorded(checked, "failover"), 60)
        walk(screen)


def test_injection(checked):
    checked.run("inject", "-c", checked.config, SANDBOX, "-n", "5", "--kill", "leader:every=1s", "--for", "6s")


def test_demo(checked):
    process = checked.begin("demo", "--servers", "1", "--no-screen")
    assert "127.0.0.1" in process.stdout.readline()
    checked.end(process, 128 + signal.SIGTERM)
