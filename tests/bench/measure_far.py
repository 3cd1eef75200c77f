"""A server that is far away: a proxy that delays each direction, and loses as TCP's user sees it."""
import asyncio
import copy
import json
import os
import random
import subprocess
import threading

from falls import electop_falls, floor_falls, median, whole_run
from rig import TOOLS, BenchError
from row import Row, ms, ratio_row
from terminal import Dashboard

ONE_WAY_S = 0.05
SEGMENT = 1448
LOSS = 0.01
RETRANSMIT_S = 0.2 + 2 * ONE_WAY_S  # the least that Linux waits for an answer to what was lost


class Far:
    """A road to an address of the rig. What is lost holds up all that comes after it, until it has been sent again; fast
    retransmission is not assumed, so a long answer is slower than it would be."""

    def __init__(self, target, loss=LOSS):
        self.host, port = target.rsplit(":", 1)
        self.port, self.loss, self.random = int(port), loss, random.Random(1)
        self.loop, ready = asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait(5)

    def run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        ready.set()
        self.loop.run_forever()

    async def carry(self, reader, writer):
        """Stamps what comes, and hands it on when it is due: what is on the road does not wait for what is before it."""
        road, free_at = asyncio.Queue(), 0.0

        async def arrive():
            while True:
                due, piece = await road.get()
                await asyncio.sleep(max(0, due - self.loop.time()))
                if not piece:
                    writer.close()
                    return
                writer.write(piece)
                await writer.drain()
        arriving = self.loop.create_task(arrive())
        piece = b"-"
        while piece:
            try:
                piece = await reader.read(65536)
            except OSError:
                piece = b""
            lost = any(self.random.random() < self.loss for _ in range(0, len(piece), SEGMENT))
            free_at = max(free_at, self.loop.time() + ONE_WAY_S + lost * RETRANSMIT_S)
            road.put_nowait((free_at, piece))
        await asyncio.gather(arriving, return_exceptions=True)

    async def serve(self, reader, writer):
        await asyncio.sleep(2 * ONE_WAY_S)  # what a connection needs
        try:
            theirs, ours = await asyncio.open_connection(self.host, self.port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.carry(reader, ours), self.carry(theirs, writer), return_exceptions=True)

    async def end(self):
        self.server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.loop.call_soon(self.loop.stop)

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop)
        self.thread.join(5)


def look(near, far, rounds, quick, say):
    size, path = 1000 if quick else 10000, "/far/look"
    times = {who: [] for who in ("floor near", "floor far", "near", "far")}
    with near.driver() as load:
        load.ask("stand", path, size)
        for i in range(rounds):
            say(f"far: look at {size}, round {i + 1}")
            for where, rig in (("near", near), ("far", far)):
                times[f"floor {where}"].append(whole_run(rig.floor("look", path))[0])
                times[where].append(whole_run(rig.electop("once", "--json", "--quick", path))[0])
    beyond = [[f - n for f, n in zip(times[f"{who}far"], times[f"{who}near"])] for who in ("floor ", "")]
    yield ratio_row(f"far: first look at {size}, beyond what it takes near", *beyond, 1.3)
    trips = [median(b) / (2e6 * ONE_WAY_S) for b in beyond]
    yield Row("  in round trips", f"{trips[0]:.1f}", f"{trips[1]:.1f}", "", "≤ + 3", trips[1] > trips[0] + 3)


def failover(near, far, rounds, quick, say):
    """Told within one way and what the floor takes beside the server."""
    path, plan = "/far/fall", (5, 300, 500) if quick else (20, 300, 500)
    floor, ours = [], []
    with near.driver() as load:
        load.ask("stand", path, 1000)
        for i in range(rounds):
            say(f"far: falls, round {i + 1}")
            floor.append(median(floor_falls(near, load, path, plan)[0]) + 1e6 * ONE_WAY_S)
            ours.append(median(electop_falls(far, load, path, plan)[0]))
    yield ratio_row("far: leader-lost (floor: near, and one way)", floor, ours, 1.08)


def asking(near, far, rounds, say):
    """The loop's own processor time: waiting for an answer is none."""
    def ask(rig):
        run = subprocess.run([os.path.join(TOOLS, "round"), rig.hosts, rig.admin, "/far/nobody", str(3 * rounds), "0"], check=False,
                             text=True, capture_output=True, timeout=300)
        if run.returncode != 0:
            raise BenchError(run.stderr.strip() or f"round ended with {run.returncode}")
        return json.loads(run.stdout)
    say("far: asking")
    told = [ask(rig) for rig in (near, far)]
    yield ratio_row("far: asking, CPU a round (floor: near)", *([1000 * t for t in run["rounds_ms"]] for run in told), 1.5)
    yield Row("far: asking, longest work of the loop (floor: near)", *(f"{run['longest_ms']:.2f} ms" for run in told), "",
              "≤ 10 ms", told[1]["longest_ms"] > 10)


def keys(near, far, rounds, quick, say):
    path, took = "/far/keys", ([], [])
    with near.driver() as load:
        load.ask("stand", path, 100)
        for figures, rig in zip(took, (near, far)):
            say("far: keys")
            with Dashboard(rig, path) as dashboard:
                dashboard.shows(b".example:7071", 20)
                for _ in range(5 if quick else 10 * rounds):
                    for key, picture in ((b"\r", b"CANDIDATE"), (b"\x1b", b"ELECTION")):
                        dashboard.press(key)
                        began = dashboard.pressed_at
                        figures.append(1e6 * (dashboard.shows(picture) - began))
    floor, mine = (median(figures) for figures in took)
    yield Row("far: key to picture (floor: near), p50", ms(floor), ms(mine), f"+ {ms(mine - floor)}", "≤ + 5 ms", mine > floor + 5e3)


def measure_far(near, rounds, quick, say):
    with Far(near.hosts) as road, Far(near.admin) as admin_road:
        far = copy.copy(near)
        far.hosts, far.admin = road.address, admin_road.address
        yield from look(near, far, rounds, quick, say)
        yield from failover(near, far, rounds, quick, say)
        yield from asking(near, far, rounds, say)
        yield from keys(near, far, rounds, quick, say)
