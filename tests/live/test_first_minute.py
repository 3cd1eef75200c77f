"""The first minute on a foreign cluster: whatever keeps a command from seeing, it says what to do next."""
import json
import os
import re
import signal
import subprocess
import tempfile

import pytest
from kazoo.security import make_acl

from electop import PROGRAM, check_sanitizers, elections, look, run
from ensemble import Ensemble
from fake_server import free_port
from patience import communicate
from terminal import Tmux
from waiting import until

FOLLOWING = ("events", "record", "export")


def complaint(command, *arguments, expect):
    """What a command that goes on says on standard error, once it has said what is expected."""
    with tempfile.TemporaryDirectory() as state, tempfile.TemporaryFile("w+") as said:
        more = ("--listen", f"127.0.0.1:{free_port()}") if command == "export" else ()
        process = subprocess.Popen([PROGRAM, command, *more, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, "XDG_STATE_HOME": state})

        def read():
            said.seek(0)
            text = said.read()
            assert process.poll() is None, text
            assert all(words in text for words in expect), text
            return text
        try:
            text = until(read, 30, f"electop {command} says {expect}")
        finally:
            process.send_signal(signal.SIGINT)
            communicate(process, 30)
        said.seek(0)
        check_sanitizers(said.read())
    return text


@pytest.fixture(scope="module")
def hiding():
    """A server as it comes: the words are not allowed, and its AdminServer is on another port than usual."""
    made = Ensemble(1, config=("4lw.commands.whitelist=srvr",))
    for client in made.client(), made.client():
        client.create("/election/guid-n_", b"", ephemeral=True, sequence=True, makepath=True)
    yield made
    made.close()



@pytest.mark.parametrize("command", FOLLOWING)
def test_nobody_listens(command):
    hosts = f"127.0.0.1:{free_port()}"
    complaint(command, "-s", hosts, expect=[f"{hosts} is not reached yet: connection refused", "check the address (--server)"])


def test_a_check_that_reaches_nobody():
    done = run("check", "-s", f"127.0.0.1:{free_port()}", "-t", "2")
    assert done.status == 3 and "; check the address (--server)" in done.out and "--timeout" not in done.out, done


def test_reached_at_last(hiding):
    """What was out of reach is said to be there as soon as it is."""
    hiding.freeze()
    try:
        with tempfile.TemporaryDirectory() as state, tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen([PROGRAM, "record", "-s", hiding.hosts, "/election"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, "XDG_STATE_HOME": state})

            def says(words):
                said.seek(0)
                text = said.read()
                assert words in text, text
                return True
            try:
                until(lambda: says("is not reached yet"), 30, "it is not reached")
                hiding.thaw()
                until(lambda: says("is reached now"), 40, "it is reached")
            finally:
                process.send_signal(signal.SIGINT)
                communicate(process, 30)
    finally:
        hiding.heal()


@pytest.mark.parametrize("command", FOLLOWING)
def test_nothing_is_there(zk, client, path, command):
    client.create(path, b"")
    complaint(command, "-s", zk.hosts + path, "--admin", zk.admin, expect=["no election was found so far", "name its path"])
    complaint(command, "-s", zk.hosts + path + "/nowhere", "--admin", zk.admin,
              expect=[f"the chroot {path}/nowhere does not exist on this cluster; check --server"])
    complaint(command, "-s", zk.hosts, "--admin", zk.admin, path + "/x", path + "/*/x",
              expect=[f"{path}/x: this path does not exist yet", f"no path matches {path}/*/x so far"])


def test_nothing_is_there_once(zk, client, path):
    client.create(path, b"")
    done = run("discover", "-s", zk.hosts + path + "/nowhere", "--admin", zk.admin)
    assert "does not exist on this cluster; check --server" in done.out and "No directory that looks" not in done.out, done
    done = run("export", "--once", "-s", zk.hosts + path, "--admin", zk.admin)
    assert "no election was found" in done.err and "electop_cluster_connected" in done.out, done
    assert "electop discover lists" in run("once", "--quick", "-s", zk.hosts, "--admin", zk.admin, path + "/x").out


@pytest.mark.parametrize("command", FOLLOWING)
def test_may_not_be_read(zk, client, path, command):
    client.create(path, b"", acl=[make_acl("digest", "other:hash", all=True)])
    complaint(command, "-s", zk.hosts, "--admin", zk.admin, path, expect=[path + ": not readable", "--auth-file", "READ"])


def test_what_may_not_be_read_is_called_nothing(zk, client, path):
    """A root that is closed to us is no election with children that nobody saw."""
    client.create(path, b"", acl=[make_acl("digest", "other:hash", all=True)])
    done = run("discover", "--json", "-s", zk.hosts, "--admin", zk.admin, path)
    (found,) = json.loads(done.out)["clusters"][0]["found"]
    assert done.status == 3 and found["kind"] == "other" and found["certainty"] == "suspected", done
    assert found["state"] == "denied" and "not readable" in found["evidence"], done
    done = run("discover", "--yaml", "-s", zk.hosts, "--admin", zk.admin, path)
    assert f"# - path: {path}" in done.out and "sequential" not in done.out and "not an election" not in done.out, done
    done = run("check", "-s", zk.hosts, "--admin", zk.admin, path)
    assert done.status == 3 and "(--auth-file)" in done.out, done


@pytest.mark.parametrize("command", FOLLOWING)
def test_watches_are_hidden(hiding, command):
    complaint(command, "-s", hiding.hosts, "--admin", f"127.0.0.1:{free_port()}", "/election",
              expect=["shows no watches", "admin.enableServer=true", "4lw.commands.whitelist=srvr,"])


@pytest.mark.parametrize("command", ["once", "check", "discover", "export"])
def test_watches_are_hidden_in_a_look(hiding, command):
    more = {"export": ("--once", "/election"), "discover": ()}.get(command, ("/election",))
    done = run(command, "-s", hiding.hosts, "--admin", f"127.0.0.1:{free_port()}", *more)
    said = " ".join((done.out + done.err).split())
    assert done.status == 0 and "admin.enableServer=true" in said and "4lw.commands.whitelist=srvr," in said, done


def test_watches_are_hidden_on_the_screen(hiding):
    with Tmux(f"{PROGRAM} -s {hiding.hosts} --admin 127.0.0.1:{free_port()} /election", cols=120) as screen:
        screen.shows("watches seen on 0 of 1 server")
        screen.keys("e")
        screen.shows("admin.enableServer=true", "4lw.commands.whitelist=srvr,")


def test_the_line_is_enough(hiding):
    """A server with the very line that was printed shows all that its words can show."""
    done = run("once", "-s", hiding.hosts, "--admin", f"127.0.0.1:{free_port()}", "/election")
    line = re.search(r"4lw\.commands\.whitelist=[a-z,]+", "".join(done.out.split())).group()
    made = Ensemble(1, config=(line.removesuffix("there"),))
    try:
        made.client().create("/election/guid-n_", b"", ephemeral=True, sequence=True, makepath=True)
        (cluster,) = look(made.hosts, "/election", "--admin", f"127.0.0.1:{free_port()}")["clusters"]
        server = cluster["servers"][0]
        assert cluster["watches_complete"] and server["watches_from"] == "four-letter", cluster
        (candidate,) = elections({"clusters": [cluster]})["/election"]["candidates"]
        assert candidate["client"] and candidate["session_timeout_ms"], candidate
    finally:
        made.close()
