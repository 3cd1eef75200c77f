"""What a run of test candidates tells: two behaviours side by side, the servers' own figures, words for people."""
import json
import re
import signal
import xml.etree.ElementTree as ET

from electop import run
from injection import SANDBOX, Injection, inject, standing, tree

DEATHS = ["--kill", "leader:every=200ms", "--for", "3s"]


def page_text(page):
    """The words of a page, which is well-formed XML too."""
    return " ".join(" ".join(ET.fromstring(page.split("\n", 1)[1]).itertext()).split())


def test_a_herd_against_the_chain(zk, client, tmp_path):
    """--against runs the same twice: one report with both, in every form, and what was expected was of the first."""
    before = tree(client)
    report = inject(zk, SANDBOX, "-n", "25", "--against", "herd", *DEATHS, "--expect", "failover.count>=3")
    herd = report["against"]
    assert report["end"] == herd["end"] == "done" and report["behaviour"] == []
    assert [part["kind"] for part in herd["behaviour"]] == ["herd"]
    assert report["failover"]["notifications_each"] <= 2 and herd["failover"]["notifications_each"] >= 15
    assert herd["failover"]["requests_each"] > 5 * report["failover"]["requests_each"]
    assert report["election"] != herd["election"] and "expectations" not in herd and report["expectations"][0]["held"]
    page = tmp_path / "both.html"
    done = run("inject", "-s", zk.hosts, "-t", "4s", SANDBOX, "-n", "25", "--against", "herd", *DEATHS, "--html",
               str(page), within=60)
    assert done.status == 0, done
    for text in (" ".join(done.out.split()), page_text(page.read_text())):
        said = re.search(r"Behaviour herd against recipe: a failover took (\d+\.?\d*) notifications instead of (\d+\.?\d*)", text)
        assert said and float(said[1]) >= 15 and float(said[2]) <= 2, text
        assert "Side by side" in text and text.count("What it cost") == 2
    assert tree(client) == before


def test_an_end_between_two_runs(zk, client):
    """Ctrl-C in the first of two runs: no second one begins, what there is is told, and nothing stays."""
    injection = Injection(zk, SANDBOX, "-n", "3", "--against", "herd", "--for", "60s")
    injection.until(lambda: standing(client) == 3)
    status, out, err = injection.end(signal.SIGINT)
    report = json.loads(out)
    assert status == 130 and report["end"] == "stopped" and report["against"] is None
    assert "the second run" in err
    assert not client.exists(SANDBOX)


def test_against_is_refused(zk):
    """Where two runs make no sense, or the second is nonsense: status 2 before anything."""
    assert "is not a behaviour" in inject(zk, SANDBOX, "--against", "lazy", status=2)
    assert "--join is for one" in inject(zk, SANDBOX, "--against", "herd", "--join", "both", status=2)


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
