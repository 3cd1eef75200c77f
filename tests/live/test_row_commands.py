"""Keys on a row: a command of one's own in the foreground, and what is told about a change."""
import re
import signal
import time

import pytest

from electop import PROGRAM
from terminal import Pty


@pytest.fixture
def screen(zk, client, tmp_path):
    """The dashboard on one election whose candidate attacks the terminal, with commands of every kind."""
    node = client.create("/mine/n_", b"-evil", ephemeral=True, sequence=True, makepath=True)
    config = tmp_path / "config.yaml"
    show = tmp_path / "show"
    show.write_text("#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\nls -l /proc/self/fd | grep -c socket\nexit 3\n")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nstty raw -echo\nprintf '\\033[?25l'\nkill -9 $$\n")
    for file in (show, broken):
        file.chmod(0o755)
    config.write_text(f"""
clusters: [{{hosts: '{zk.hosts}', servers: {{admin: off}}, elections: [{{path: /mine, identity: data}}]}}]
actions:
  - {{name: show it, key: Q, run: ['{show}', '{{path}}', 'a $HOME; {{name}}', '--of={{candidate}}']}}
  - {{name: an option, key: E, run: ['{show}', 'in a script {{identity}}']}}
  - {{name: missing, key: O, run: ['{{candidate}}', '{{path}}']}}
  - {{name: sleeper, key: U, run: [sh, -c, 'echo asleep; exec sleep 1000']}}
  - {{name: stops, key: z, run: [sh, -c, 'echo stopping; kill -STOP $$; exec sleep 1000']}}
  - {{name: raw, key: J, run: [sh, -c, 'stty raw -echo; echo unheard; exec sleep 1000']}}
  - {{name: breaks, key: I, run: ['{broken}']}}
""")
    terminal = Pty([PROGRAM, "watch", "-c", str(config)], env={"LC_ALL": "C.UTF-8"})
    terminal.candidate, terminal.leads = node.rsplit("/", 1)[1], lambda data: client.set(node, data)
    try:
        terminal.shows("/mine", "led", "-evil")
        yield terminal
    finally:
        terminal.close()
        client.delete("/mine", recursive=True)


def go_back(screen):
    screen.keys("\r")
    screen.hides("Enter goes back")
    screen.shows("-evil")


def test_a_command_has_the_terminal_and_gives_it_back(screen):
    """It gets the row's facts as arguments and no shell sees them; whatever it does, the dashboard comes back."""
    screen.keys("Q")
    screen.shows(f"</mine><a $HOME; /mine><--of={screen.candidate}>0", "show it ended with status 3. Enter goes back.")
    go_back(screen)
    screen.keys("E")
    screen.shows("{identity} of this row cannot be an argument")
    for number, code in enumerate("$`;&|<>()\\'\"! *?[]{}~#^\u00a0\u2003\u3000"):
        screen.leads(f"host{number}{code}id".encode())
        screen.shows(f"host{number}{code}id" if code < "\x7f" else f"host{number}\\u{ord(code):04x}id")
        screen.keys("E")
        screen.shows("{identity} of this row cannot be an argument")
    screen.leads(b"=ls")
    screen.shows("=ls")
    screen.keys("E")
    screen.shows("{identity} of this row cannot be an argument")
    screen.leads(b"-evil")
    screen.shows("-evil")
    screen.keys("O")
    screen.shows("missing cannot be run: no such file or directory: {candidate}")  # no stranger names the program
    screen.keys("U")
    screen.shows("asleep")
    screen.keys("\x03")  # reaches the command alone
    screen.shows("sleeper was ended by signal 2")
    go_back(screen)
    screen.keys("z")
    screen.shows("stopping")
    time.sleep(0.3)
    screen.keys("\x03")  # also one that stopped itself
    screen.shows("stops was ended by signal 2")
    go_back(screen)
    screen.keys("I")
    screen.shows("breaks was ended by signal 9")
    assert screen.restored()
    screen.keys("\rQ")  # what is typed behind Enter is not lost
    screen.shows("show it ended with status 3")
    go_back(screen)
    screen.keys("Q")
    screen.shows("show it ended with status 3")
    screen.keys("\x03")  # there is no command any more
    assert screen.wait() == 130 and screen.restored()


@pytest.mark.parametrize("keys, shown, ending", [(":sleep\r", "asleep", signal.SIGTERM), ("J", "unheard", signal.SIGTERM),
                                                 ("J", "unheard", signal.SIGHUP)])
def test_the_end_ends_the_command(screen, keys, shown, ending):
    screen.keys(keys)
    screen.shows(shown)
    screen.process.send_signal(ending)
    assert screen.wait() == 128 + ending and screen.restored()


def test_a_change_is_told(screen, client):
    """The bell, OSC 9 and OSC 777 with the new state in plain ASCII, once, and after a reload, too."""
    screen.keys("A")
    screen.shows("you will be told once about the next change of /mine")
    screen.keys("\x12")  # a reload changes nothing of it
    screen.shows("the configuration was read again", "-evil")
    before = len(screen.bytes())
    client.create("/mine/n_", "\u202e\x1b]0;x\x07".encode(), ephemeral=True, sequence=True)
    client.delete(f"/mine/{screen.candidate}")
    screen.shows("/mine: led by")
    told = re.findall(rb"\a\x1b\]9;electop: ([ -~]*)\x1b\\\x1b\]777;notify;electop;([ -~]*)\x1b\\", screen.bytes()[before:])
    assert told and all(b"/mine: led" in one and one == two and b";" not in two for one, two in told), told
    screen.keys("q")
    assert screen.wait() == 0 and screen.restored()


def test_the_first_action_needs_a_new_start(zk, tmp_path):
    """Without actions the system calls are filtered for good: a reload that brings the first one says so."""
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters: [{{hosts: '{zk.hosts}', servers: {{admin: off}}}}]\n")
    terminal = Pty([PROGRAM, "watch", "-c", str(config)], env={"LC_ALL": "C.UTF-8"})
    try:
        terminal.shows("connected ")
        with config.open("a") as file:
            file.write("actions: [{name: show it, key: Q, run: ['true']}]\n")
        terminal.keys("\x12")
        terminal.shows("restart electop to use actions")
    finally:
        terminal.close()
