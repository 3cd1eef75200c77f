"""`electop export` as tests run it, and what it answers."""
import re
import signal
import subprocess
import urllib.request

from cases import observed
from electop import PROGRAM, check_sanitizers


class Exporter:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, *observed(["export", *arguments])], stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        found = re.match(r"metrics on http://(.*)/metrics\n", line)
        assert found, (line, self.process.stderr.read())
        self.address = found[1]
        host, _, port = self.address.rpartition(":")
        self.place = host.strip("[]"), int(port)

    def get(self, path="/metrics", accept=None, method="GET"):
        request = urllib.request.Request(f"http://{self.address}{path}", method=method,
                                         headers={"Accept": accept} if accept else {})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.headers["Content-Type"], answer.read().decode()

    def metrics(self):
        """{sample with its labels: value}"""
        return {name: float(value) for name, value in
                (line.rsplit(" ", 1) for line in self.get()[1].splitlines() if not line.startswith("#"))}

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(20)
        check_sanitizers(self.process.stderr.read())
        return status
