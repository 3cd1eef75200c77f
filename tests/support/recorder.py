"""`electop record` as tests run it, with a history of its own."""
import os
import signal
import sqlite3
import subprocess
import threading

from cases import observed
from electop import PROGRAM, check_sanitizers
from patience import wait
from waiting import until


class Recorder:
    """`electop record` with a history of its own, and what it said."""
    before = ()  # a program that becomes it, and its arguments

    def __init__(self, folder, hosts, *arguments, history="keep: 1d", elections="[{path: /election}]", **more):
        self.hosts, self.file = hosts, str(folder / "history.db")
        self.config = folder / "config.yaml"
        self.elections = elections
        self.write(hosts, f"file: {self.file}, {history}")
        self.said, self.complaints = [], []
        self.process = subprocess.Popen([*self.before, PROGRAM, *observed(["record", "-c", str(self.config), *arguments])], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        **more)
        for stream, lines in (self.process.stdout, self.said), (self.process.stderr, self.complaints):
            threading.Thread(target=lambda s=stream, l=lines: l.extend(s), daemon=True).start()

    def write(self, hosts, history):
        self.config.write_text(f"clusters: [{{name: prod, hosts: '{hosts}', elections: {self.elections}}}]\n"
                               f"history: {{{history}}}\n")

    def ask(self, sql, *values):
        if not os.path.exists(self.file):
            return []
        with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10) as db:
            try:
                return db.execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):
                    return []   # it is being made
                raise

    def wait_for(self, sql, count=1, within=30):
        return until(lambda: len(self.ask(sql)) >= count and self.ask(sql), within=within)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = wait(self.process, 30)
        check_sanitizers("".join(self.complaints))
        return status
