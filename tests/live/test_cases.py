"""What a recorder and `events` observed is told again from a case, event by event."""
import json
import signal

from electop import Events, run
from recorder import Recorder


def stand(client, path):
    return client.create(f"{path}/n_", b"host-a:1", ephemeral=True, sequence=True, makepath=True)


def told(*arguments):
    done = run("events", "--json", *arguments)
    assert done.status == 0, done
    return [json.loads(line) for line in done.out.splitlines()]


def test_events_are_told_again(zk, client, tmp_path):
    """The case of `events` folds into the same events, each time, and into a snapshot and a story."""
    case = str(tmp_path / "one.case")
    first = stand(client, "/again/election")
    second = stand(client, "/again/election").rpartition("/")[2]
    events = Events(zk.hosts, "--observe", case, "/again/election")
    with events:
        events.expect("election-seen")
        client.delete(first)
        events.expect("failover", failover=lambda f: f["to"] == second)
    live = [{key: value for key, value in event.items() if key != "arrived"} for event in events.seen]
    assert told("--replay", case) == told("--replay", case) == live
    look = run("once", "--json", "--replay", case)
    assert look.status == 0 and json.loads(look.out)["clusters"][0]["elections"][0]["leader"]["name"] == second, look
    assert run("once", "--json", "--replay", case).out == look.out
    story = run("why", "/again/election", "--replay", case)
    assert story.status == 0 and second in story.out, story


def test_a_recording_keeps_what_was_observed(zk, client, tmp_path):
    """A case of its last part begins with what was known then, and tells the change of leader that follows."""
    for name in client.get_children("/election") if client.exists("/election") else []:
        client.delete(f"/election/{name}")
    paths = [stand(client, "/election"), stand(client, "/election")]
    recorder = Recorder(tmp_path, zk.hosts)
    recorder.wait_for("SELECT 1 FROM tenures WHERE kind = 'led'")
    client.delete(paths[0])
    recorder.wait_for("SELECT 1 FROM failovers")
    recorder.process.send_signal(signal.SIGTERM)
    recorder.process.wait(20)
    lost = recorder.ask("SELECT lost FROM failovers")[0][0]
    case = str(tmp_path / "part.case")
    done = run("case", "--from", lost, "-o", case, "--election", "/election", recorder.file)
    assert done.status == 0, done
    assert [event["failover"]["to"] for event in told("--replay", case) if event["event"] == "failover"] == [
        paths[1].rpartition("/")[2]]
    refused = run("case", "--from", lost, "-o", case, str(tmp_path / "config.yaml"))
    assert refused.status == 2, refused
