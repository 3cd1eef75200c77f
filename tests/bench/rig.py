"""What every measurement needs: a warm server of its own, a load, and programs whose lines are stamped.

All times are microseconds of CLOCK_MONOTONIC, taken in C (see stamp.c, driver.c, floor.c): this process
only starts, waits and evaluates.
"""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build")
TOOLS = os.path.join(BUILD, "tests", "bench")


class BenchError(Exception):
    pass


def wait_until(what, done, within_s, step_s=0.02):
    """Polls done() until it is true; bounded."""
    until = time.monotonic() + within_s
    while not done():
        if time.monotonic() > until:
            raise BenchError(f"{what}: not within {within_s:g} s")
        time.sleep(step_s)


def cpu_us(pid):
    """Processor time of all threads of a process, from the kernel's exact clock (not its ticks)."""
    return time.clock_gettime_ns((~pid << 3) | 2) // 1000


def resident_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise BenchError(f"no VmRSS of process {pid}")


def settle(pid, what, quiet_s=0.3, within_s=20):
    """Waits until a process has nothing more to do: less than 1 % of a core for a while."""
    def quiet():
        before = cpu_us(pid)
        time.sleep(quiet_s)
        return cpu_us(pid) - before < quiet_s * 1e4
    try:
        wait_until(f"{what} comes to rest", quiet, within_s)
    except OSError:
        raise BenchError(f"{what} ended too early") from None


def idle_windows(pid, seconds):
    """Several: in the first, the servers may still be looked at until what they show is proved."""
    cpu = []
    for _ in range(5):
        before, began = cpu_us(pid), time.monotonic()
        time.sleep(seconds)
        cpu.append(100 * (cpu_us(pid) - before) / ((time.monotonic() - began) * 1e6))
    return cpu


class Stamped:
    """A running program whose output is stamped into a file, by the clock of the load."""

    def __init__(self, directory, argv, environment):
        handle, self.file = tempfile.mkstemp(dir=directory, suffix=".stamps")
        os.close(handle)
        self.what = " ".join(os.path.basename(a) for a in argv[:2])
        self.errors = open(self.file + ".errors", "w+", encoding="utf-8", errors="replace")
        self.stamp = subprocess.Popen([os.path.join(TOOLS, "stamp"), self.file, *argv], env=environment,
                                      stdin=subprocess.DEVNULL, stderr=self.errors)
        try:
            wait_until(self.what, lambda: self.stamp.poll() is not None or self.text().count("\n") > 0, 5, 0.002)
            first = self.text().split()
            self.pid, self.started_us = int(first[1]), int(first[3])
        except (BenchError, IndexError):
            self.stamp.kill()
            self.stamp.wait()
            raise BenchError(f"{self.what} could not be started") from None

    def text(self):
        with open(self.file, encoding="utf-8", errors="replace") as f:
            return f.read()

    def lines(self):
        """(read at, line) for each complete line so far."""
        for line in self.text().split("\n")[1:-1]:
            at, _, rest = line.partition(" ")
            if at != "exit":
                yield int(at), rest

    def events(self):
        """The same for JSON Lines."""
        for at, line in self.lines():
            try:
                yield at, json.loads(line)
            except ValueError:
                raise BenchError(f"{self.what} printed a line that is not JSON: {line[:200]}") from None

    def complaint(self):
        self.errors.flush()
        self.errors.seek(0)
        return self.errors.read(500).strip() or "without a word"

    def join(self, within_s=60):
        """Waits for its end; returns (exit status, when it had ended)."""
        try:
            self.stamp.wait(within_s)
        except subprocess.TimeoutExpired:
            raise BenchError(f"{self.what} did not end within {within_s} s") from None
        last = self.text().rstrip("\n").rsplit("\n", 1)[-1].split()
        return int(last[1]), int(last[2])

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        try:
            return self.join(10)
        except BenchError:
            os.kill(self.pid, signal.SIGKILL)
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if self.stamp.poll() is None:
                self.stop()
        finally:
            if self.stamp.poll() is None:
                self.stamp.kill()
                self.stamp.wait()
            self.errors.close()
            os.unlink(self.file + ".errors")
            os.unlink(self.file)


class Driver:
    """The load (driver.c): elections whose leaders fall and whose members change at known times."""

    def __init__(self, hosts, sessions):
        self.process = subprocess.Popen([os.path.join(TOOLS, "driver"), hosts, str(sessions)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *words):
        """Gives a command; returns what was done, as (deed, name, sent, acknowledged)."""
        self.process.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        deeds = []
        for line in self.process.stdout:
            if line == "done\n":
                return deeds
            deed, name, sent, acknowledged = line.split()
            deeds.append((deed, name, int(sent), int(acknowledged)))
        raise BenchError(f"the load ended during: {' '.join(str(w) for w in words)}")

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Rig:
    """A private ZooKeeper, made warm, and everything that is started against it."""

    def __init__(self, sync, heap_mb=256, tick_ms=2000):
        # Servers that run for months have been compiled at the highest level.
        self.options = ["--java", "-XX:TieredStopAtLevel=4", "--heap", str(heap_mb), "--tick", str(tick_ms)] + (["--sync"] if sync else [])
        self.sandbox = None

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="electop-bench-")
        self.environment = {"HOME": self.directory, "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8",
                            "TERM": "xterm-256color"}
        self.sandbox = subprocess.Popen([os.path.join(BUILD, "tests", "tools", "sandbox"), *self.options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            told = json.loads(self.sandbox.stdout.readline() or "{}")
            if "hosts" not in told:
                raise BenchError(f"no ZooKeeper: {told.get('error', 'the sandbox ended')}")
            self.hosts, self.admin, self.server_pid = told["hosts"], told["admin"], told["pids"][0]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *rest):
        # The end of its input ends the sandbox, and all that belongs to it.
        self.sandbox.stdin.close()
        try:
            self.sandbox.wait(20)
        except subprocess.TimeoutExpired:
            self.sandbox.kill()
            self.sandbox.wait()
        self.sandbox.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def tell(self, command):
        """A word to the sandbox (tests/tools/sandbox.c): kill a server, start it again."""
        self.sandbox.stdin.write(command + "\n")
        self.sandbox.stdin.flush()
        answer = json.loads(self.sandbox.stdout.readline() or "{}")
        if not answer.get("ok"):
            raise BenchError(f"{command}: {answer.get('error', 'the sandbox ended')}")
        self.server_pid = answer.get("pid", self.server_pid)

    def words(self, word):
        """The lines of the server's answer to a four-letter word."""
        host, port = self.hosts.rsplit(":", 1)
        with socket.create_connection((host, int(port)), 10) as s, s.makefile("r", encoding="utf-8", errors="replace") as answer:
            s.sendall(word)
            return answer.read().splitlines()

    def server_counts(self):
        """What the server itself counts: mntr, by name."""
        return dict(line.split("\t", 1) for line in self.words(b"mntr") if "\t" in line)

    def watched(self, path):
        """How many znodes of this directory somebody watches."""
        return sum(line.startswith(f"{path}/") for line in self.words(b"wchp"))

    def rest(self):
        """Waits until the server has got over whoever was there before: their sessions have ended, and it has nothing
        more to do. Without that the work of one run falls into the time of the next."""
        wait_until("the sessions of the run before end", lambda: self.server_counts().get("zk_global_sessions") == "0", 60, 0.2)
        settle(self.server_pid, "the server", within_s=60)

    def driver(self, sessions=20):
        return Driver(self.hosts, sessions)

    def floor(self, mode, path, seconds=60, *more):
        return Stamped(self.directory, [os.path.join(TOOLS, "floor"), self.hosts, mode, path, str(seconds), *map(str, more)],
                       self.environment)

    def program(self, command, *arguments):
        return Stamped(self.directory, [os.path.join(BUILD, "electop"), command, *arguments], self.environment)

    def electop(self, command, *arguments):
        return self.program(command, "-s", self.hosts, "--admin", self.admin, *arguments)

    def warm(self, seconds):
        """A cold server takes twice as long: let it do of everything what it will be measured with."""
        with self.driver() as load:
            load.ask("stand", "/warm", 5000)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                with self.floor("look", "/warm") as floor:
                    floor.join()
                with self.floor("notify", "/warm"), self.floor("churn", "/warm"):
                    load.ask("fall", "/warm", 100, 4, 8)
                    load.ask("churn", "/warm", 400, 1, 100)
