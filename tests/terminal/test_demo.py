"""The demo: life within seconds, and nothing left when it is gone."""
import glob
import json
import os
import signal
import subprocess
import tempfile

import pytest

from electop import PROGRAM, check_sanitizers, elections, look, run
from ensemble import four_letter
from patience import communicate, wait
from terminal import Pty
from waiting import until


# What a newcomer should find: each illness under its code.
ILL = {"ill: deaf second": "no-watch", "ill: herd": "herd", "ill: persistent first": "persistent-candidate",
       "ill: duplicate session": "duplicate-session", "ill: wrong predecessor": "wrong-predecessor",
       "ill: never acknowledged": "never-acknowledged", "ill: stale acknowledgement": "acknowledgement-mismatch"}


@pytest.fixture
def temporary():
    """A TMPDIR of this test's own, so that what is left can be seen."""
    with tempfile.TemporaryDirectory(prefix="electop-test-") as folder:
        yield folder


def servers_in(folder):
    """Java processes that name the folder: their pids."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                line = f.read()
        except OSError:
            continue
        if b"java" in line and folder.encode() in line:
            found.append(int(path.split("/")[2]))
    return found


def gone(folder):
    assert not servers_in(folder) and not os.listdir(folder), (servers_in(folder), os.listdir(folder))
    return True


def test_first_picture_and_end(temporary):
    """A newcomer sees led elections on three servers within seconds; q ends it and removes everything."""
    with Pty([PROGRAM, "demo"], 120, 36, env={"TMPDIR": temporary}) as terminal:
        terminal.shows("led", within=60)
        assert len(servers_in(temporary)) == 3
        terminal.keys("\x12")  # Ctrl-R: its servers are in no file
        assert "not connected" not in terminal.shows("cannot be read again")
        terminal.keys("q")
        assert terminal.wait() == 0
        assert terminal.restored()
        until(lambda: gone(temporary))


def test_opens_on_a_full_stage(temporary):
    """The first picture shows a cast that stands: no election is vacant, and nobody is told to have joined."""
    with Pty([PROGRAM, "demo"], 120, 40, env={"TMPDIR": temporary}) as terminal:
        first = terminal.shows("solr overseer", within=60)
        assert " 0 vacant" in first and "joined" not in first, first
        terminal.keys("q")
        assert terminal.wait() == 0


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL, "close"])
def test_servers_do_not_outlive_it(temporary, ending):
    """SIGTERM, kill -9, a closed terminal: no server and no directory is left."""
    with Pty([PROGRAM, "demo", "--servers", "1"], 120, 36, env={"TMPDIR": temporary}) as terminal:
        until(lambda: servers_in(temporary))
        if ending == "close":
            terminal.hang_up()
        else:
            terminal.process.send_signal(ending)
        wait(terminal.process, 20)
        until(lambda: gone(temporary))


def test_without_a_screen(temporary):
    """--no-screen: the connect string is the first line; there is life there; Ctrl-C ends all."""
    process = subprocess.Popen([PROGRAM, "demo", "--no-screen", "--servers", "3"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": temporary})
    try:
        hosts = process.stdout.readline().strip()
        assert "--admin 127.0.0.1:" in process.stdout.readline() + process.stdout.readline()
        assert len(hosts.split(",")) == 3
        assert all("Mode: " in four_letter(address, "srvr") for address in hosts.split(","))

        def alive():
            found = elections(look(hosts))
            return len([e for e in found.values() if e["state"] == "led"]) >= 3
        until(alive, 40)
        process.send_signal(signal.SIGINT)
        _, err = communicate(process, 20)
        check_sanitizers(err)
        assert process.returncode == 130
    finally:
        process.kill()
        process.wait()
    until(lambda: gone(temporary))


@pytest.mark.parametrize("count", [1, 3])
def test_says_that_its_servers_ended(temporary, count):
    """A demo without a screen says when a server of its own ends; with the last one it ends itself, with 3, and
    leaves nothing."""
    with tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([PROGRAM, "demo", "--no-screen", "--servers", str(count)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=err, text=True, env={**os.environ, "TMPDIR": temporary})

        def told():
            err.seek(0)
            return err.read()
        try:
            process.stdout.readline()
            servers = servers_in(temporary)
            assert len(servers) == count
            for i, server in enumerate(servers[1:]):
                os.kill(server, signal.SIGKILL)
                until(lambda: f"one of the 3 servers exited or was killed; the demo continues with {2 - i}" in told())
                assert process.poll() is None
            os.kill(servers[0], signal.SIGKILL)
            assert wait(process, 20) == 3
            assert "electop: the private ZooKeeper at 127.0.0.1:" in told() and "restart the demo" in told()
            check_sanitizers(told())
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
    until(lambda: gone(temporary))


def test_refuses_what_it_would_not_heed(temporary):
    """--wait and PATHs where no look is taken: refused, and nothing is started."""
    for arguments, word in ((["--no-screen", "--wait", "5s"], "--wait"), (["--no-screen", "/election"], "PATH"),
                            (["--no-screen", "--observe", "x.case"], "--observe")):
        done = run("demo", *arguments, env={"TMPDIR": temporary}, within=20)
        assert done.status == 2 and done.err.startswith("electop: ") and word in done.err, done
    with Pty([PROGRAM, "demo", "--wait", "5s"], 80, 24, env={"TMPDIR": temporary}) as terminal:
        assert terminal.wait() == 2
    assert os.listdir(temporary) == []


def test_without_a_terminal(temporary, tmp_path):
    """Into a pipe: one look, a few seconds of events, and the end; its case has both, of all elections."""
    case = str(tmp_path / "demo.case")
    done = run("demo", "--observe", case, env={"TMPDIR": temporary}, within=90)
    assert done.status == 0 and "led" in done.out, done
    table = done.out[:done.out.index("\n\n", done.out.index("ELECTION"))].splitlines()
    for name, code in ILL.items():
        row = [line for line in table if f" {name} " in line]
        assert len(row) == 1 and f" {code} " in row[0], done
    healthy = [line for line in table if " ill: " not in line]
    assert not [line for line in healthy if "no-watch" in line or "wrong-predecessor" in line or "never" in line], done
    again = run("once", "--replay", case)
    assert again.status == 0 and all(name in again.out and code in again.out for name, code in ILL.items()), again
    until(lambda: gone(temporary))


def test_no_java(temporary):
    """Without Java it says what to install."""
    done = run("demo", env={"TMPDIR": temporary, "PATH": "/nonexistent", "JAVA_HOME": ""}, within=20)
    assert done.status != 0 and done.err.startswith("electop: ") and "java" in done.err.lower(), done
    assert json.dumps(os.listdir(temporary)) == "[]"
