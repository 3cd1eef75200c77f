"""Other clients' own elections: built from what their makers published, and driven by lines.

A peer is a program that reads "stand KIND PATH NAME", "resign NAME" and "close NAME" (its session), and says
"leads NAME" when its client tells it so: the judge of what electop says.
"""
import glob
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(HERE, "..", "..", "build", "interop")


def fetched(what, command, **more):
    """Runs what fetches from a registry; where that cannot be had, the tests are skipped and say why."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=240, **more)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{what} cannot be had: {error}")
    if done.returncode != 0:
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).strip() or f"{command[0]} says nothing"
        pytest.skip(f"{what} cannot be had: {said.splitlines()[0]}")


def build_curator():
    source, built = os.path.join(HERE, "curator"), os.path.join(BUILT, "curator")
    fetched("Curator", ["mvn", "-q", "-B", "-f", os.path.join(source, "pom.xml"), "dependency:copy-dependencies",
                        f"-DoutputDirectory={os.path.join(built, 'lib')}"])
    path = os.path.join(built, "lib", "*") + os.pathsep + built
    subprocess.run(["javac", "-cp", path, "-d", built, os.path.join(source, "Peer.java")], check=True)
    assert glob.glob(os.path.join(built, "lib", "curator-recipes-*.jar"))
    return ["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path, "Peer"]


def build_go_zookeeper():
    source, built = os.path.join(HERE, "go-zookeeper"), os.path.abspath(os.path.join(BUILT, "go-zookeeper"))
    fetched("go-zookeeper", ["go", "mod", "download"], cwd=source)
    subprocess.run(["go", "build", "-buildvcs=false", "-o", built, "."], cwd=source, check=True)
    return [built]


class Peer:
    """One process with any number of contenders, each with a session of its own."""

    def __init__(self, command, hosts):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*command, hosts], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)
        self.said = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.said.put(line.strip())

    def complaints(self):
        self.errors.seek(0)
        return self.errors.read()

    def lives(self):
        assert self.process.poll() is None, f"the client has ended: {self.complaints()}"
        return True

    def tell(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def expect(self, *words, within=30):
        """Passes over what it said before."""
        end, heard = time.monotonic() + within, []
        while True:
            try:
                heard.append(self.said.get(timeout=max(0, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"the client never said {words}, but {heard}; {self.complaints()}") from None
            if heard[-1] == " ".join(words):
                return

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
