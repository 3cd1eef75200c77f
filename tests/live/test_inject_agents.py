"""Several agents in one run of test candidates: they begin and end together, and tell what became of each."""
import json
import signal

from fake_server import FakeWords
from injection import SANDBOX, Injection, inject, standing
from waiting import until


def test_agents_share_a_run(zk, client):
    """Two agents begin together and gather each other's parts; the figures are of both, and nothing stays."""
    arguments = [SANDBOX, "--join", "both", "-n", "8", "--kill", "leader:every=200ms", "--for", "3s"]
    agents = [Injection(zk, *arguments) for _ in range(2)]
    reports = []
    for agent in agents:
        status, out, err = agent.end(within=60)
        assert status == 0, err
        reports.append(json.loads(out))
    pids = {str(agent.process.pid) for agent in agents}
    for report in reports:
        assert {agent["agent"].rsplit("-")[-1] for agent in report["agents"]} == pids
        assert all(agent["end"] == "done" and 1 <= agent["standing"] <= 8 for agent in report["agents"])
        assert report["stand"]["count"] == 16
        assert report["candidates"] == report["sessions"] == 16
        for key in ("standing", "requests", "lists", "creates", "notifications", "connects", "errors"):
            assert report[key] == sum(agent[key] for agent in report["agents"]), key
        assert report["failover"]["by_cause"]["close"]["count"] == report["failover"]["total"]["count"]
        assert report["failover"]["total"]["count"] == sum(a["failover"]["count"] for a in report["agents"]) >= 10
    until(lambda: not client.exists(SANDBOX), 20)


def test_who_leaves_before_the_beginning_has_no_part(zk, client):
    """Ctrl-C of an agent while they wait for each other: the other's run is its own, and nobody is told as dead."""
    def ready():
        return [name for name in client.get_children(SANDBOX) if ".ready-" in name] if client.exists(SANDBOX) else []

    agents = [Injection(zk, SANDBOX, "--join", "early", "-n", "3", "--for", "1s") for _ in range(2)]
    agents[0].until(lambda: len(ready()) == 2)
    assert agents[0].end(signal.SIGINT)[0] == 130
    status, out, err = agents[1].end(within=60)
    assert status == 0, err
    report = json.loads(out)
    assert [(agent["agent"].rsplit("-")[-1], agent["end"]) for agent in report["agents"]] == \
        [(str(agents[1].process.pid), "done")]
    assert report["notes"] == ["1 agent in the run early"] and report["stand"]["count"] == 3
    until(lambda: not client.exists(SANDBOX), 20)


def test_servers_that_are_slow_to_answer_bring_on_nobody_twice(zk, client, tmp_path):
    """After the agents have met, the servers are asked for their figures, which may take longer than any tick of the
    run: its candidates come once, and the meeting is noted once."""
    with FakeWords(lambda word: None) as silent:
        config = tmp_path / "config.yaml"
        config.write_text(f"clusters:\n- name: c\n  hosts: {zk.hosts}\n"
                          f"  servers: {{addresses: ['{silent.address}'], admin: 'off'}}\n")
        status, out, err = Injection(zk, "-c", str(config), SANDBOX, "--join", "slow", "-n", "3", "--kill",
                                     "leader:every=200ms", "--for", "2s").end(within=60)
    report = json.loads(out)
    assert status == 0 and report["end"] == "done", err
    assert report["notes"].count("1 agent in the run slow") == 1, report["notes"]
    assert report["candidates"] == report["stand"]["count"] == 3
    until(lambda: not client.exists(SANDBOX), 20)


def test_an_agent_that_dies_is_named(zk, client):
    """kill -9 of one agent: the other's report names it, and nothing of either stays."""
    arguments = [SANDBOX, "--join", "mortal", "-n", "4", "--for", "8s"]
    agents = [Injection(zk, *arguments) for _ in range(2)]
    for agent in agents:
        agent.until(lambda: standing(client) == 8, 40)
    late = inject(zk, *arguments, status=2)
    assert "has already started" in late
    agents[0].end(signal.SIGKILL)
    status, out, err = agents[1].end(within=60)
    assert status == 1, err  # the run did not do what was asked of it
    report = json.loads(out)
    ends = {agent["agent"].rsplit("-")[-1]: agent["end"] for agent in report["agents"]}
    assert ends == {str(agents[0].process.pid): "died", str(agents[1].process.pid): "done"}
    (dead,) = [agent for agent in report["agents"] if agent["end"] == "died"]
    assert all(dead[key] is None for key in ("candidates", "standing", "errors", "stand", "failover"))
    assert any("died" in note for note in report["notes"])
    assert not client.exists(SANDBOX)


def test_agents_end_together(zk, client):
    """Of two agents one would run for much longer, and the other needs longer to stand: both go on until both are
    over, for as long as the longest --for, and say so."""
    began = [SANDBOX, "--join", "together"]
    agents = [Injection(zk, *began, "-n", "6", "--rate", "1/s", "--for", "1s"),
              Injection(zk, *began, "-n", "2", "--kill", "leader:every=300ms", "--for", "6s")]
    reports = []
    for agent in agents:
        status, out, err = agent.end(within=60)
        assert status == 0, err
        reports.append(json.loads(out))
    slow, quick = reports
    assert all(report["end"] == "done" for report in reports)
    assert 6000 <= slow["ran_ms"] < 9000, slow["ran_ms"]
    assert quick["ran_ms"] >= slow["ran_ms"] + 3000  # so much longer the other needed to stand
    assert [note for note in slow["notes"] if "for 6.0 s" in note and "not 1.0 s" in note], slow["notes"]
    assert not [note for note in quick["notes"] if "longest --for" in note]
    assert not client.exists(SANDBOX)


def test_an_agent_that_is_stopped_ends_alone(zk, client):
    """Ctrl-C on one agent of a long run: it does not wait for the others' end, and takes none of them for dead. The
    other goes on to its end, and says what became of the first."""
    arguments = [SANDBOX, "--join", "stopped", "-n", "4", "--for", "15s"]
    agents = [Injection(zk, *arguments) for _ in range(2)]
    for agent in agents:
        agent.until(lambda: standing(client) == 8, 40)
    pids = [str(agent.process.pid) for agent in agents]
    reports = []
    for agent, how, expected in ((agents[0], signal.SIGINT, 130), (agents[1], None, 1)):
        status, out, err = agent.end(how, within=60)
        assert status == expected, err
        reports.append(json.loads(out))
    ends = [{agent["agent"].rsplit("-")[-1]: agent["end"] for agent in report["agents"]} for report in reports]
    assert ends == [{pids[0]: "stopped", pids[1]: "running"}, {pids[0]: "stopped", pids[1]: "done"}]
    assert reports[0]["candidates"] == 4 and reports[1]["candidates"] == 8
    assert any("was stopped" in note for note in reports[1]["notes"])
    assert not client.exists(SANDBOX)
