"""Other clients' own elections and locks: built from what their makers published, and driven by lines.

A peer is a program that reads "stand KIND PATH NAME", "resign PATH NAME" and "close PATH NAME" (its session), and
says "leads PATH NAME" when its client tells it so, and "lost PATH NAME" when its client tells it the contrary: the
judge of what electop says.
"""
import contextlib
import fcntl
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from waiting import until

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.abspath(os.path.join(HERE, "..", "..", "build", "interop"))
# A quick start matters more than peak speed.
JAVA = ["java", "-Xmx160m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]
DEBIAN_JARS = "/usr/share/java"


@contextlib.contextmanager
def one_at_a_time():
    """Suites that run at once fetch and build the same files."""
    os.makedirs(BUILT, exist_ok=True)
    with open(os.path.join(BUILT, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetched(what, command, within=240, **more):
    """Runs what fetches from a registry; where that cannot be had, the tests are skipped and say why."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=within, **more)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{what} cannot be had: {error}")
    if done.returncode != 0:
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).strip() or f"{command[0]} says nothing"
        pytest.skip(f"{what} cannot be had: {said.splitlines()[0]}")


def compiled(source, built, jars):
    """A Java program of a directory here, with what all of them share; the command that runs it."""
    path = os.pathsep.join([*jars, built])
    os.makedirs(built, exist_ok=True)
    subprocess.run(["javac", "-cp", path, "-d", built, os.path.join(HERE, "Lines.java"),
                    os.path.join(HERE, source, "Peer.java")], check=True)
    return [*JAVA, "-cp", path, "Peer"]


@one_at_a_time()
def build_curator():
    source, built = os.path.join(HERE, "curator"), os.path.join(BUILT, "curator")
    if not glob.glob(os.path.join(built, "lib", "netty-transport-*epoll*.jar")):
        fetched("Curator", ["mvn", "-q", "-B", "-f", os.path.join(source, "pom.xml"), "dependency:copy-dependencies",
                            f"-DoutputDirectory={os.path.join(built, 'lib')}"])
    return compiled("curator", built, [os.path.join(built, "lib", "*")])


@one_at_a_time()
def build_zookeeper_recipes():
    jars = [os.path.join(DEBIAN_JARS, f"{name}.jar") for name in
            ("zookeeper", "zookeeper-jute", "zookeeper-recipes-election", "zookeeper-recipes-lock", "slf4j-api", "slf4j-nop")]
    for jar in jars:
        if not os.path.exists(jar):
            pytest.skip(f"ZooKeeper's recipes cannot be had: no {jar}")
    return compiled("zookeeper", os.path.join(BUILT, "zookeeper"), jars)


@one_at_a_time()
def build_go_zookeeper():
    source, built = os.path.join(HERE, "go-zookeeper"), os.path.join(BUILT, "go-zookeeper")
    fetched("go-zookeeper", ["go", "mod", "download"], cwd=source)
    subprocess.run(["go", "build", "-buildvcs=false", "-o", built, "."], cwd=source, check=True)
    return [built]


def build_kazoo():
    return [sys.executable, os.path.join(HERE, "kazoo", "peer.py")]


def build_generators():
    return [sys.executable, os.path.join(HERE, "generators.py")]


class Peer:
    """One process with any number of contenders, each with a session of its own."""

    def __init__(self, command, hosts, env=None):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*command, hosts], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, env={**os.environ, **(env or {})})
        self.changed, self.said = threading.Condition(), []
        self.read = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.said.append((time.time(), *line.split()))
                self.changed.notify_all()

    def complaints(self):
        self.errors.seek(0)
        return self.errors.read()

    def lives(self):
        assert self.process.poll() is None, f"the client has ended: {self.complaints()}"
        return True

    def tell(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def last(self, path, name):
        """What was said last of one contender: (moment, word), or None."""
        with self.changed:
            said = [(when, word) for when, word, *about in self.said if about[:2] == [path, name]]
        return said[-1] if said else None

    def heard(self, *words):
        """What follows these words in the first line that begins with them."""
        with self.changed:
            for _, *said in self.said:
                if tuple(said[:len(words)]) == words:
                    return said[len(words):]
        raise AssertionError(f"it has not said {words}; {self.complaints()}")

    def expect(self, *words, within=30):
        """Passes over what it said before."""
        def heard():
            with self.changed:
                for at in range(self.read, len(self.said)):
                    if self.said[at][1:len(words) + 1] == words:
                        self.read = at + 1
                        return True
                assert self.process.poll() is None, "it has ended"
                raise AssertionError(f"{self.said}; {self.complaints()}")
        until(heard, within, f"the client says {words}")

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.resume()
        self.kill()
