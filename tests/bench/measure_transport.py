"""What the transport costs: without it, with it, and with TLS (tests/bench/transport.c)."""
import json
import os
import statistics
import subprocess
import sys

from rig import TOOLS, BenchError, Rig
from row import Row, ratio_row

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from fake_server import free_port  # noqa: E402
from secured import Authority, tls_lines  # noqa: E402

REQUESTS = 4000


class TlsRig(Rig):
    """A server that has a port for TLS beside the plain one."""

    def __enter__(self):
        self.folder = subprocess.run(["mktemp", "-d"], check=True, capture_output=True, text=True).stdout.strip()
        authority = Authority(self.folder)
        authority.issue("server")
        self.ca, port = authority.ca, free_port()
        lines = [*tls_lines(authority, "none"), f"secureClientPort={port}", "secureClientPortAddress=127.0.0.1"]
        self.options += [word for line in lines for word in ("--config", line)]
        super().__enter__()
        self.secure_hosts, self.over_tls = f"127.0.0.1:{port}", False
        return self

    def electop(self, command, *arguments):
        plain = self.hosts
        self.hosts, more = (self.secure_hosts, ("--tls-ca", self.ca)) if self.over_tls else (plain, ())
        try:
            return super().electop(command, *more, *arguments)
        finally:
            self.hosts = plain

    def __exit__(self, *rest):
        super().__exit__(*rest)
        subprocess.run(["rm", "-rf", self.folder], check=False)


def once(program, hosts, way, sessions, requests, ca=None):
    run = subprocess.run([os.path.join(TOOLS, program), hosts, way, str(sessions), str(requests), *([ca] if ca else [])],
                         check=False, text=True, capture_output=True, timeout=300)
    if run.returncode != 0:
        raise BenchError(run.stderr.strip() or f"{program} ended with {run.returncode}")
    return json.loads(run.stdout)


def in_turn(rig, rounds, say, what, sides, sessions, requests):
    """Each side once a round; the medians of each, by figure."""
    seen = {name: [] for name in sides}
    for i in range(rounds + 1):
        say(f"{what}, round {i}")
        for name, (program, hosts, way, ca) in sides.items():
            rig.rest()
            figures = once(program, hosts, way, sessions, requests, ca)
            if i > 0:  # the first warms
                seen[name].append(figures)
    return {name: {key: statistics.median(run[key] for run in runs) for key in runs[0]} for name, runs in seen.items()}


def row(work, unit, floor, ours, most):
    return Row(work, f"{floor:.1f} {unit}", f"{ours:.1f} {unit}", f"{ours / floor:.2f} ×", f"≤ {most} ×", ours / floor > most)


def falls(rig, rounds, quick, say):
    """From the deletion of a leader's znode to the line of `electop events`: over TLS, and plain."""
    from measures import electop_falls, median  # which has this module
    path, plan = "/bench/secured", (6, 150, 300) if quick else (20, 200, 400)
    seen = {(over, what): [] for over in (False, True) for what in ("leader-lost", "leader-elected")}
    with rig.driver() as load:
        load.ask("stand", path, 10)
        for i in range(rounds):
            for rig.over_tls in (False, True):
                say(f"falls {'over TLS' if rig.over_tls else 'without TLS'}, round {i + 1}")
                for what, took in zip(("leader-lost", "leader-elected"), electop_falls(rig, load, path, plan)):
                    seen[rig.over_tls, what].append(median(took))
    for what in ("leader-lost", "leader-elected"):
        yield ratio_row(f"{what}, 10 candidates, over TLS (floor: plain)", seen[False, what], seen[True, what], 1.3)


def measure_transport(rig, rounds, quick, say):
    many, requests = (200, 500) if quick else (1000, REQUESTS)
    plain = {"without": ("transport_bare", rig.hosts, "ours", None), "with": ("transport", rig.hosts, "ours", None)}
    # A session's luck with caches and processors is a fifth of its requests' time: it takes many sessions.
    seen = in_turn(rig, 6 * rounds, say, "a plain session", plain, 1, requests)
    yield row("a request, plain, p50 (floor: without the transport)", "us", seen["without"]["request_p50_us"],
              seen["with"]["request_p50_us"], 1.05)
    for count in ((many,) if quick else (many, 10 * many)):
        seen = in_turn(rig, rounds, say, f"{count} plain sessions", plain, count, 100)
        for key, unit, what in (("connected_ms", "ms", "time"), ("cpu_ms", "ms", "CPU"), ("kb_each", "KB", "memory each")):
            yield row(f"{count} plain sessions: {what} (floor: without the transport)", unit, seen["without"][key],
                      seen["with"][key], 1.1)
    with TlsRig(False) as secured:
        secured.warm(2 if quick else 10)
        sides = {"plain": ("transport", secured.hosts, "ours", None), "floor": ("transport", secured.secure_hosts, "floor", secured.ca),
                 "tls": ("transport", secured.secure_hosts, "ours", secured.ca)}
        seen = in_turn(secured, 6 * rounds, say, "a session over TLS", sides, 1, requests)
        for floor, what, most in (("plain", "plain", 1.3), ("floor", "bare OpenSSL", 1.15)):
            yield row(f"a request over TLS, p50 (floor: {what})", "us", seen[floor]["request_p50_us"],
                      seen["tls"]["request_p50_us"], most)
        yield from falls(secured, rounds, quick, say)
        del sides["plain"]
        seen = in_turn(secured, rounds, say, f"{many} sessions over TLS", sides, many, 100)
        floor, ours = (1000 * many / seen[side]["connected_ms"] for side in ("floor", "tls"))
        yield Row(f"{many} sessions over TLS: handshakes (floor: bare OpenSSL)", f"{floor:.0f} /s", f"{ours:.0f} /s",
                  f"{ours / floor:.2f} ×", "≥ 0.9 ×", ours / floor < 0.9)
