"""Runs of test candidates, as a user begins them: to their end, or until somebody ends them."""
import json
import re
import signal
import subprocess

from kazoo.exceptions import NoAuthError, NoNodeError

from electop import PROGRAM, check_sanitizers, run
from patience import communicate
from waiting import until

SANDBOX = "/electop-sandbox"


def tree(client, path="/"):
    """Every path of the tree but ZooKeeper's own."""
    found = []
    try:
        names = client.get_children(path)
    except (NoAuthError, NoNodeError):  # a sign of life that is tried comes, goes and comes
        names = []
    for name in names:
        below = f"{path.rstrip('/')}/{name}"
        if below != "/zookeeper":
            found += [below, *tree(client, below)]
    return sorted(found)


def inject(zk, *arguments, status=0, within=80, **more):
    done = run("inject", "-s", zk.hosts, "--json", "-t", "4s", *arguments, within=within, **more)
    assert done.status == status, done
    return json.loads(done.out) if done.out else done.err


class Injection:
    """A run that goes on until it is ended."""

    def __init__(self, zk, *arguments):
        hosts = [] if "-c" in arguments else ["-s", zk.hosts]
        timeout = [] if "-t" in arguments else ["-t", "4s"]
        self.process = subprocess.Popen([PROGRAM, "inject", *hosts, *timeout, "--json", *arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def until(self, condition, within=20):
        try:
            until(lambda: condition() or self.process.poll() is not None, within)
        except AssertionError as late:
            raise AssertionError(f"{late}; the run says: {self.end(signal.SIGINT)}") from None
        assert self.process.poll() is None, self.process.communicate()

    def catches_signals(self):
        """It has begun, and Ctrl-C no longer just kills it."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            caught = int(re.search(r"SigCgt:\s*(\w+)", f.read())[1], 16)
        return caught >> (signal.SIGINT - 1) & 1

    def end(self, how=None, within=40):
        if how is not None:
            self.process.send_signal(how)
        out, err = communicate(self.process, within)
        if how != signal.SIGKILL:
            check_sanitizers(err.decode())
        return self.process.returncode, out.decode(), err.decode()


def standing(client):
    """How many stand in all elections of the sandbox."""
    if not client.exists(SANDBOX):
        return 0
    return sum(1 for path in tree(client, SANDBOX) if path[-10:].isdigit())


# A busy machine's server is slow, which would end a run.
PATIENT = "inject: {stop_above_ping: 10s}"


def written(tmp_path, zk, more=PATIENT, election=None):
    """A configuration for one cluster, with these lines below it."""
    file = tmp_path / "config.yaml"
    elections = f"    elections: [{{path: {election}, inject: live}}]\n" if election else ""
    file.write_text(f"clusters:\n  - hosts: {zk.hosts}\n    servers: {{admin: '{zk.admin}'}}\n{elections}{more}\n")
    return ["-c", str(file)]
