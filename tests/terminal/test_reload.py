"""Ctrl-R reads the configuration again: another one is shown at once, a wrong one changes nothing."""
import os
import shlex

import pytest

from electop import PROGRAM
from terminal import Tmux
from waiting import until


def write(file, zk, *elections, more=""):
    listed = ", ".join(f"{{path: {path}, kind: leader}}" for path in elections)
    file.write_text(f"clusters: [{{name: prod, hosts: '{zk.hosts}', elections: [{listed}]}}]\n{more}")


@pytest.mark.parametrize("recorded", [False, True])
def test_reload(zk, client, tmp_path, recorded):
    for path in "/reload/one", "/reload/two":
        client.ensure_path(path)
        client.create(path + "/n_", b"host-a:8081", ephemeral=True, sequence=True)
    more = f"history: {{file: {tmp_path}/history.db}}\n" if recorded else ""
    file = tmp_path / "config.yaml"
    write(file, zk, "/reload/one", more=more)
    with Tmux(" ".join(map(shlex.quote, [os.path.abspath(PROGRAM), "-c", str(file)])), cols=140) as shown:
        shown.shows("/reload/one", "host-a:8081")
        shown.hides("/reload/two")
        file.write_text("clusters: [{name: prod, hosts: 'zk:1', elections: [{path: /reload/two, kind: ledaer}]}]\n")

        def refused():
            """A message stays for some seconds: on a busy machine one is missed."""
            shown.keys("C-r")
            return shown.shows("nothing was changed: ", "config.yaml:1:", within=1)
        screen = until(refused, 30)
        assert "/reload/one" in screen and "/reload/two" not in screen
        write(file, zk, "/reload/one", "/reload/two", more=more)
        shown.keys("C-r")
        shown.shows("2 elections")
        shown.keys("T")  # its own recording goes on
        shown.shows("REPLAY")
        shown.tmux("send-keys", "C-r", "q")  # a key typed while it reads the file is not lost
        assert shown.status() == 0
