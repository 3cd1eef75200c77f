"""Running the program as a user does: one look, a stream of events, a command with its exit status."""
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from cases import KEPT, case_of, observed
from patience import Deadline, communicate, wait

PROGRAM = os.environ.get("ELECTOP", "build/asan/electop")
PLAIN = os.path.abspath("build/electop")  # as users have it: without sanitizers, which take memory and time of their own
# A leak is judged by what it says, not by the exit status that it would make.
os.environ["LSAN_OPTIONS"] = "exitcode=0"
SANITIZERS = ("AddressSanitizer", "LeakSanitizer", "runtime error:")


def without_library_leaks(text):
    """Leaks that the client library makes by itself are its own: those allocated by it, not by what it calls. It is linked
    into the program, and has no lines of source."""
    blocks = re.split(r"(?m)^(?=(?:Direct|Indirect) leak of )", text)
    kept = [b for b in blocks[1:] if not re.search(r"#1 \S+ in \w+ \(\S*(?:libzookeeper_st|/electop\+0x)", b)]
    return text if kept or len(blocks) == 1 else ""


def check_sanitizers(text):
    text = without_library_leaks(text)
    assert not any(mark in text for mark in SANITIZERS), text


def peak_kb(pid):
    """The most memory that it has had; 0: it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])
    except (OSError, TypeError):
        return 0


class Outcome:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


def run(*arguments, within=40, env=None, text=True, **more):
    """Runs a command to its end. The status is negative where a signal ended it."""
    arguments = arguments if "preexec_fn" in more else observed(arguments)  # somebody else may not write there
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, **(env or {})}, **more)
    out, err = communicate(process, within)
    err = err.decode("utf-8", "replace")
    check_sanitizers(err)
    return Outcome(process.returncode, out.decode("utf-8") if text else out, err)


def look(hosts, *arguments, status=0):
    """One look as JSON: the document."""
    done = run("once", "--json", "-s", hosts, "--quick", *arguments)
    assert done.status == status, done
    return json.loads(done.out)


def elections(document):
    return {election["path"]: election for cluster in document["clusters"] for election in cluster["elections"]}


def look_at(hosts, path, *arguments):
    """One look at one election: its object."""
    return elections(look(hosts, path, *arguments))[path]


def names(election):
    return [candidate["name"] for candidate in election["candidates"]]


class Events:
    """`electop events --json`, read line by line as it comes, each with the moment of its arrival."""

    def __init__(self, hosts, *arguments, recalls=False):
        """hosts: None where the arguments say which cluster. recalls: it knows facts from a recording, which a case has not."""
        self.recalls = recalls
        self.errors = tempfile.TemporaryFile()
        command = observed(["events", "--json", *(["-s", hosts] if hosts else []), *arguments])
        self.case = case_of(command)
        self.process = subprocess.Popen([PROGRAM, *command],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)
        self.changed = threading.Condition()
        self.seen, self.read, self.ended = [], 0, False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            event["arrived"] = time.monotonic()
            with self.changed:
                self.seen.append(event)
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def expect(self, word, within=20, **fields):
        """The next event of this kind with these fields (a function as a value: must be true of it).

        What came before it, up to the last expected one, is passed over."""
        def fits(event):
            return event["event"] == word and all(
                want(event.get(name)) if callable(want) else event.get(name) == want for name, want in fields.items())

        deadline = Deadline(within)
        with self.changed:
            at = self.read
            while True:
                while at < len(self.seen):
                    at += 1
                    if fits(self.seen[at - 1]):
                        self.read = at
                        return self.seen[at - 1]
                left = deadline.left()
                if self.ended or left <= 0:
                    raise AssertionError(f"no {word} {fields} within {within} s after event {self.read}; "
                                         f"seen: {json.dumps(self.seen, indent=1)}\n{self.complaints()}")
                self.changed.wait(left)

    def skip(self):
        """Expect only what comes from now on."""
        with self.changed:
            self.read = len(self.seen)

    def all(self, word):
        with self.changed:
            return [event for event in self.seen if event["event"] == word]

    def complaints(self):
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGINT):
        """Ends it as Ctrl-C does, and returns its status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = wait(self.process, 20)
        check_sanitizers(self.complaints())
        self.keep_told()
        return status

    def keep_told(self):
        """Beside its case: what was told live."""
        with self.changed:
            self.changed.wait_for(lambda: self.ended, 5)
        if not self.case:
            return
        told = [{k: v for k, v in event.items() if k != "arrived"} for event in self.seen]
        with open(self.case + ".told", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(event) + "\n" for event in told)
        if KEPT and not self.recalls:
            done = run("events", "--json", "--replay", self.case)
            again = [json.loads(line) for line in done.out.splitlines()]
            assert again[:len(told)] == told, f"{self.case} tells otherwise what was told live\n{done}"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind: # what it observed is written down
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        else:
            status = self.stop()
            assert status in (0, 130), f"status {status}\n{self.complaints()}"
