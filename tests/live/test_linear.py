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
