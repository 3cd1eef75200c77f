"""What a run of test candidates tells: two behaviours side by side, the servers' own figures, words for people."""
import re

from electop import run
from injection import SANDBOX, inject, tree

DEATHS = ["--kill", "leader:every=200ms", "--for", "3s"]


def test_a_herd_and_the_chain(zk, client):
    """Two runs that differ in their behaviour: what to compare is in their reports."""
    before = tree(client)
    chain, herd = (inject(zk, SANDBOX, "-n", "25", *more, *DEATHS, "--expect", "failover.count>=3")
                   for more in ([], ["--behaviour", "herd"]))
    assert chain["end"] == herd["end"] == "done" and chain["behaviour"] == []
    assert [part["kind"] for part in herd["behaviour"]] == ["herd"]
    assert chain["failover"]["notifications_each"] <= 2 and herd["failover"]["notifications_each"] >= 15
    assert herd["failover"]["requests_each"] > 5 * chain["failover"]["requests_each"]
    assert tree(client) == before


def test_servers_figures_during_a_run(zk, client):
    """What the servers said at most while it went on: more than before and after, from looks that are counted."""
    for length in ("3s", "12s", "40s"):  # a server that is slow to answer is asked the more seldom
        report = inject(zk, SANDBOX, "-n", "30", "--for", length, "--kill", "leader:every=500ms")
        (server,) = report["servers"]
        if server["looks"] >= 3:
            break
    before, highest, after = server["before"], server["highest"], server["after"]
    assert server["looks"] >= 1 and server["transactions"] >= 60
    assert highest["connections"] >= before["connections"] + 25 and highest["connections"] >= after["connections"] + 25
    assert highest["watches"] >= before["watches"] + 20 and highest["ephemerals"] >= before["ephemerals"] + 25
    assert highest["sessions"] >= before["sessions"] + 25
    assert after["packets_received"] > highest["packets_received"] > before["packets_received"]
    assert highest["outstanding"] >= 0 and after["slowest_ms"] >= before["slowest_ms"] >= 0


def test_figures_after_a_run_are_those_without_it(zk, client):
    """The candidates of a herd end with notices under way; the figures after it are told when all are gone."""
    for _ in range(3):
        report = inject(zk, SANDBOX, "-n", "300", "--load", "--behaviour", "herd", "--for", "1ms")
        (server,) = report["servers"]
        before, after = server["before"], server["after"]
        for figure in ("sessions", "ephemerals", "watches", "connections"):
            assert abs(after[figure] - before[figure]) <= 5, (figure, server)


def test_servers_that_are_not_asked(zk):
    """Where no server may be asked nothing is made up: no figures, and the text says so."""
    silent = ["--four-letter", "off", "--admin", "off", "-n", "2", "--for", "300ms"]
    assert inject(zk, SANDBOX, *silent)["servers"] == []
    done = run("inject", "-s", zk.hosts, SANDBOX, *silent)
    assert done.status == 0 and "The servers were not polled" in done.out, done


def test_one_of_everything(zk):
    """A run of one reads as one, and so does a run with one failover."""
    alone = run("inject", "-s", zk.hosts, SANDBOX, "-n", "1", "--for", "200ms")
    assert alone.status == 0 and "1 test candidate on 1 session in" in alone.out, alone
    once = run("inject", "-s", zk.hosts, SANDBOX, "-n", "2", "--kill", "leader:every=1s", "--for", "1600ms")
    assert once.status == 0 and "1 failover: it took" in once.out, once
    for done in (alone, once):
        assert not re.search(r"\b1 (failovers|notifications|requests|sessions|candidates|looks|deaths)\b", done.out), done
