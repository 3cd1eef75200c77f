"""Falls of leaders, and whole runs: what several measures time alike."""
import statistics
import time

from rig import BenchError, settle, wait_until


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def delays(deeds, seen):
    """From the deletion of each leader to the moment at which it was told; None where it never was."""
    return [seen[name] - sent if name in seen else None for deed, name, sent, _ in deeds if deed == "fell"]


def floor_falls(rig, load, path, plan):
    with rig.floor("notify", path) as floor:
        wait_until("the floor watches", lambda: "armed" in floor.text(), 10)
        settle(floor.pid, floor.what)
        deeds = load.ask("fall", path, *plan)
        time.sleep(0.2)
        floor.stop()
        lost, elected, read_late = {}, {}, []
        gone = None
        for at, line in floor.lines():
            word, name, own = line.split()
            if word == "lost":
                lost[name], gone = int(own), name
                read_late.append(at - int(own))
            elif word == "elected" and gone is not None:
                elected[gone] = int(own)
        return delays(deeds, lost), delays(deeds, elected), read_late


def electop_falls(rig, load, path, plan):
    with rig.electop("events", "--json", path) as electop:
        wait_until("electop sees the election", lambda: "election-seen" in electop.text(), 20)
        settle(electop.pid, electop.what)
        deeds = load.ask("fall", path, *plan)
        time.sleep(0.5)
        electop.stop()
        lost, elected = {}, {}
        for at, event in electop.events():
            if event["event"] == "leader-lost":
                lost.setdefault(event["candidate"], at)
            elif event["event"] == "leader-elected" and event["from"] is not None:
                elected.setdefault(event["from"], at)
        return delays(deeds, lost), delays(deeds, elected)


def whole_run(program):
    """From its start to its end; and to the end of its look, where it says when that was."""
    with program:
        code, ended = program.join()
        if code != 0:
            raise BenchError(f"{program.what} ended with {code}: {program.complaint()}")
        looked = [int(line.split()[1]) for _, line in program.lines() if line.startswith("looked ")]
        return ended - program.started_us, looked[0] - program.started_us if looked else None
