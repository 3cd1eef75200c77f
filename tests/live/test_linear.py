"""watch --linear: the changes of the dashboard as sentences, without a terminal."""
import re
import signal
import subprocess

from electop import PROGRAM
from standing import Line
from waiting import until


def test_a_change_is_a_sentence(zk, client, tmp_path):
    """Its state first, then each change once; no control byte, no blank column, nothing without a change."""
    out = tmp_path / "out"
    client.create("/linear", b"")
    with open(out, "wb") as f:
        process = subprocess.Popen([PROGRAM, "watch", "--linear", "-s", zk.hosts, "/linear", "--admin", "off"],
                                   stdin=subprocess.DEVNULL, stdout=f)
    try:
        until(lambda: "1 election, 1 with a problem" in out.read_text(), 30)
        client.create("/linear/n_", b"", ephemeral=True, sequence=True)
        until(lambda: ": led by 127.0.0.1" in out.read_text(), 30)
        client.delete("/linear/n_0000000000")
        until(lambda: len(re.findall("/linear: vacant", out.read_text())) == 2, 30)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    for line in out.read_bytes().splitlines():
        assert re.fullmatch(rb"\d\d:\d\d:\d\d [ -~]+", line) and b"   " not in line, line


def test_a_cluster_that_is_down_does_not_keep_the_others_silent(zk, client, tmp_path):
    """After the waiting time what answered is told, and what did not is said; it goes on as the dashboard does."""
    out, config = tmp_path / "out", tmp_path / "c.yaml"
    client.create("/linear-b", b"")
    config.write_text(f"clusters: [{{name: east, hosts: '{zk.hosts}', elections: [{{path: /linear-b}}]}}, "
                      "{name: west, hosts: '127.0.0.1:1', elections: [{path: /x}]}]\n")
    with open(out, "wb") as f:
        process = subprocess.Popen([PROGRAM, "watch", "--linear", "--config", str(config), "--admin", "off"],
                                   stdin=subprocess.DEVNULL, stdout=f)
    try:
        until(lambda: "2 elections, 2 with a problem" in out.read_text(), 40)
        said = out.read_text()
        assert "west: not connected, " in said and "east /linear-b: vacant" in said, said
        assert "west /x: unknown" in said, said
        client.create("/linear-b/n_", b"", ephemeral=True, sequence=True)
        until(lambda: "east /linear-b: led by" in out.read_text(), 30)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


def test_an_outage_does_not_end_it(tmp_path):
    """Nobody answers: that is a line, and it waits on, as the dashboard does."""
    out = tmp_path / "out"
    with open(out, "wb") as f:
        process = subprocess.Popen([PROGRAM, "watch", "--linear", "-s", "127.0.0.1:1", "/x"],
                                   stdin=subprocess.DEVNULL, stdout=f)
    try:
        until(lambda: "1 election, 1 with a problem" in out.read_text(), 40)
        assert "127.0.0.1:1: not connected, " in out.read_text()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
