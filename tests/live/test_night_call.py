"""Why does nobody lead? Asked in seven ways about four kinds of end, as soon as the cause can be known.

Each election has one candidate. It goes, nobody follows, and every command tells how, while the outage lasts."""
import json
import time
import uuid

import pytest

from electop import PROGRAM, Events, run
from ensemble import Ensemble
from raw_session import EPHEMERAL, SEQUENCE
from recorder import Recorder
from standing import LATCH, Findings, Line
from terminal import Pty
from txnlog import changes
from waiting import until

LIMIT_S = 150
SOON_S = 2  # after the cause is known
ENDS = {"expired": "expired", "closed": "closed", "deleted": "evicted", "resigned": "resigned"}


def is_polled(recorder):
    [election] = json.loads(run("once", "--replay", recorder.file, "--json").out)["clusters"][0]["elections"]
    return election["candidates"] and election["candidates"][0]["client"]


class Outage:
    """An election whose only candidate has just gone, and the programs that watched it."""

    def __init__(self, zk, client, path, tmp_path, end):
        self.zk, self.path, self.cause = zk, path, ENDS[end]
        self.line = Line(zk, path)
        self.identity = f"host-{end}:80"
        self.leader = self.line.join(self.identity, timeout_s=2.0)
        self.recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {path}, kind: leader}}]")
        self.config = str(self.recorder.config)
        self.recorder.wait_for("SELECT 1 FROM tenure")
        self.screen = Pty([PROGRAM, "--config", self.config, "--admin", zk.admin], cols=160)
        self.screen.shows(self.identity)
        with Events(zk.hosts, "--admin", zk.admin, path) as events:
            events.expect("election-seen")
            until(lambda: is_polled(self.recorder), what="the recorder has polled the leader's server")
            if end == "expired":
                self.leader.session.drop()
            elif end == "closed":
                self.leader.session.close()
            elif end == "deleted":
                client.delete(self.leader.path)
            else:
                self.leader.session.delete(self.leader.path)
            events.expect("leader-lost")
            self.told = events.expect("failover", within=15)["failover"]
            self.recorder.wait_for("SELECT 1 FROM failover", within=SOON_S)
            self.screen.shows("nobody leads", within=SOON_S)

    def close(self):
        self.screen.close()
        self.recorder.end()
        self.line.close()


def asked(*arguments):
    """Asked once, as soon as the cause is known, it answers at once."""
    return run(*arguments, within=SOON_S)


@pytest.mark.parametrize("end", ENDS)
def test_seven_ways_tell_how_it_ended(zk, client, path, tmp_path, end):
    outage = Outage(zk, client, path, tmp_path, end)
    try:
        config = "--config", outage.config
        # Who resigned can be seen only until its client's next ping, by the one program and not by another.
        causes = (outage.cause, "deleted") if end == "resigned" else (outage.cause,)
        assert outage.told["cause"] in causes
        assert (outage.told["open"], outage.told["to"]) == (True, None)
        assert outage.told["evidence"] and outage.told["vacancy_ms"][1] is None

        why = asked("why", *config)
        assert why.status == 0 and outage.identity in why.out and "nobody has led since" in why.out, why
        story = json.loads(asked("why", "--json", *config).out)
        cause = story["failover"]["cause"]
        assert cause in causes and story["failover"]["open"] is True

        report = asked("report", *config)
        assert f"Nobody has led since {outage.identity} was lost: {cause}" in report.out, report

        document = json.loads(asked("once", "--json", "--admin", zk.admin, *config).out)
        lost = document["clusters"][0]["elections"][0]["lost"]
        assert (lost["cause"], lost["from_identity"], lost["open"]) == (cause, outage.identity, True)
        assert [reason["certainty"] for reason in lost["why_nobody"]][0] == "certain"
        if end in ("deleted", "resigned"):  # its client is still there
            assert any("does not stand again" in reason["reason"] for reason in lost["why_nobody"]), lost

        check = asked("check", "--admin", zk.admin, *config)
        assert check.status == 2 and "no leader for " in check.out and cause in check.out, check

        outage.screen.shows("no-leader, " + (cause if len(causes) == 1 else ""))
    finally:
        outage.close()
    told = asked("autopsy", zk.directory, "--election", path)
    assert f"Nobody has led since {outage.identity} was lost: {outage.cause}" in told.out, told


@pytest.mark.parametrize("end", ["deleted", "resigned"])
def test_the_leader_of_one_znode(zk, client, path, tmp_path, end):
    """No directory counts its changes: that its session lives on is known all the same, and so who deleted it."""
    at = f"{path}/controller"
    client.ensure_path(f"{path}/brokers/ids")
    line = Line(zk, path)
    session = line.session()
    session.create(at, b'{"version":1,"brokerid":7}', EPHEMERAL)
    recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {at}, kind: leader}}]")
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
        (client if end == "deleted" else session).delete(at)
        [[cause]] = recorder.wait_for("SELECT cause FROM failover", within=15)
        assert cause in (ENDS[end], "deleted")
        check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
        assert check.status == 2 and "broker 7, was lost at" in check.out and cause in check.out, check
        assert "not known" not in check.out and "'vacancy'=U" not in check.out, check
    finally:
        recorder.end()
        line.close()


class Stalled:
    """Two stand behind a leader that goes; the first of them does not take over."""

    def __init__(self, zk, path, tmp_path, why):
        self.zk, self.line = zk, Line(zk, path)
        self.leader = self.line.join("host-a:80", timeout_s=2.0)
        stands = self.line.session()
        name = LATCH.replace("{guid}", str(uuid.uuid4()))
        if why == "leftover":
            self.line.join("host-b:80", flags=SEQUENCE, watching=None)
        else:
            self.line.join("host-b:80", name=name, session=stands, watching=None)
        again = {"name": name, "session": stands} if why == "waits for itself" else {}
        self.line.join("host-b:80" if again else "host-c:80", **again)
        self.recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {path}, kind: leader}}]")
        self.config = ("--config", str(self.recorder.config))
        self.recorder.wait_for("SELECT 1 FROM tenure")
        self.screen = Pty([PROGRAM, *self.config, "--admin", zk.admin], cols=160)

    def close(self):
        self.screen.close()
        self.recorder.end()
        self.line.close()


STALLED = {"leftover": ("persistent-candidate", "certain", "is a leftover without a session"),
           "deaf": ("never-wakes", "suspected", "has not learned that it is first"),
           "waits for itself": ("duplicate-session", "suspected", "is an orphan of its client")}


@pytest.mark.parametrize("why", STALLED)
def test_the_first_does_not_take_over(zk, path, tmp_path, why):
    """The one after the leader is first, and does not lead: every output says so, as far as it is known."""
    code, certainty, reason = STALLED[why]
    stalled = Stalled(zk, path, tmp_path, why)
    try:
        with Events(zk.hosts, "--admin", zk.admin, path) as events:
            findings = Findings(events)
            events.expect("election-seen")
            if why == "deaf":  # it is proved only after thirty seconds without a request
                findings.expect(path, "no-watch", 60, certainty="certain")
                stalled.recorder.wait_for("SELECT 1 FROM finding WHERE code = 'no-watch' AND certainty = 'certain'", within=60)
            stalled.leader.session.drop()
            findings.expect(path, code, 20, severity="critical", certainty=certainty)
            events.expect("failover", within=15)
        stalled.recorder.wait_for("SELECT 1 FROM failover", within=15)
        stalled.recorder.wait_for(f"SELECT 1 FROM finding WHERE code = '{code}' AND certainty = '{certainty}'", within=20)
        stalled.screen.shows("1 stalled" if certainty == "certain" else "1 stalled?", code)

        document = json.loads(run("once", "--json", "--admin", zk.admin, *stalled.config).out)
        lost = document["clusters"][0]["elections"][0]["lost"]
        if certainty == "certain":
            assert (lost["from_identity"], lost["cause"], lost["open"]) == ("host-a:80", "expired", True), lost
            assert [(r["certainty"], reason in r["reason"]) for r in lost["why_nobody"]] == [(certainty, True)], lost
        else:  # perhaps it leads
            assert lost is None, lost

        perhaps = "" if certainty == "certain" else "perhaps "
        told = f"{perhaps}nobody leads: the last leader, host-a:80, was lost at"
        once = run("once", "--strict", "--admin", zk.admin, *stalled.config)
        words = " ".join(once.out.split())
        assert once.status == 1 and "stalled" in words and told in words and reason in words, once.out

        check = run("check", "--admin", zk.admin, *stalled.config)
        assert check.status == (2 if certainty == "certain" else 1) and told in check.out and reason in check.out, check

        story = json.loads(run("why", "--json", *stalled.config).out)
        assert [s["certainty"] for s in story["sentences"]
                if s["text"].startswith("Why nobody leads: ") and reason in s["text"]] == [certainty], story
        report = run("report", *stalled.config)
        assert f"Why nobody leads: the first, host-b:80, {reason}" in report.out, report
        if why == "deaf":  # the recording shows it when nobody has watched since
            stalled.recorder.end()
            words = " ".join(run("once", "--admin", zk.admin, *stalled.config).out.split())
            assert "stalled?" in words and "as was recorded until" in words and reason in words, words
    finally:
        stalled.close()


@pytest.mark.parametrize("left", [1, 0])
def test_an_outage_whose_beginning_nobody_recorded(zk, client, path, tmp_path, left):
    """A leftover is first already as the recording begins, or no znode is left."""
    line = Line(zk, path)
    line.join("host-a:80", flags=SEQUENCE)
    if not left:
        client.delete(line.members[0].path)
    recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {path}, kind: leader}}]")
    try:
        if left:
            recorder.wait_for("SELECT 1 FROM finding WHERE code = 'persistent-candidate' AND certainty = 'certain'")
        until(lambda: run("why", "--config", str(recorder.config)).status == 0, what="the recording shows it")
        why = run("why", "--config", str(recorder.config), path)
        assert why.status == 0 and f"Nobody leads {path}." in why.out and "was not recorded" in why.out, why
        assert ("is a leftover without a session" if left else "nobody stands") in why.out, why
        story = json.loads(run("why", "--json", "--config", str(recorder.config)).out)
        assert story["failover"] is None and story["sentences"][0]["certainty"] == "certain", story
    finally:
        recorder.end()
        line.close()


def end_leader(client, leader, session, end):
    if end == "expired":
        session.drop()
    elif end == "deleted":
        client.delete(leader.path)
    else:
        session.close()
    until(lambda: not client.exists(leader.path), what="it is gone")


@pytest.mark.parametrize("end", ["expired", "closed", "deleted", "vanished", "marked"])
def test_begun_after_the_end_beside_a_log(zk, client, path, tmp_path, end):
    """Without a recording: the log of a server tells how the last candidate ended, and a recorder that begins then tells
    it to whoever asks."""
    line = Line(zk, f"{path}/latch")
    session = line.session(2.0)
    client.ensure_path(path)
    if end == "vanished":
        session.create_container(line.path)
    if end == "marked":  # an acknowledgement beside the candidates, which goes with them
        line.make(session)
        session.create(f"{line.path}/leader_ack", "host-a:80", EPHEMERAL)
    leader = line.join("host-a:80", session=session)
    try:
        end_leader(client, leader, session, end)
        if end == "vanished":
            client.delete(line.path)
        cause = {"vanished": "closed", "marked": "closed", "deleted": "evicted"}.get(end, end)
        at = "--transactions", zk.directory, "-s", zk.hosts, "--admin", zk.admin, line.path
        check = run("check", *at)
        assert check.status == 2 and "the last leader, host-a:80, was lost at" in check.out, check
        assert f": {cause} (transaction 0x" in check.out and "transaction logs tell" not in check.out, check
        election = json.loads(run("once", "--json", *at).out)["clusters"][0]["elections"][0]
        lost = election["lost"]
        assert (lost["from"], lost["from_identity"], lost["cause"], lost["cause_certainty"], lost["open"]) == (
            leader.name, "host-a:80", cause, "certain", True)
        assert (election["recipe"], election["recognised"]) == ("curator-latch", "signature")  # by the name in the log
        screen = Pty([PROGRAM, *at], cols=160)
        try:
            screen.shows(f"no-leader, {cause}")
        finally:
            screen.close()
        recorder = Recorder(tmp_path, zk.hosts, *at[:2], elections=f"[{{path: {line.path}, kind: leader}}]")
        recorder.wait_for("SELECT 1 FROM failover WHERE elected_us IS NULL")
        recorder.end()
        why = run("why", "--config", str(recorder.config), line.path)
        assert f"host-a:80 lost the leadership of {line.path}, and nobody has led since." in why.out, why
        assert "transaction 0x" in why.out, why
        # What a later candidate changes is no part of it.
        line.members.clear()
        other = line.join("host-b:80")
        client.delete(other.path)
        assert "the last leader, host-b:80, was lost" in run("check", *at).out
    finally:
        line.close()


@pytest.mark.parametrize("end, followed", [("expired", False), ("deleted", False), ("closed", True)])
def test_lost_between_two_recordings_beside_a_log(zk, client, path, tmp_path, end, followed):
    """The recording knows who led, and the log how and when it ended: whoever asks is told both, and so is the next
    recording. An heir that was there from the beginning changes nothing of that."""
    line = Line(zk, f"{path}/latch")
    session = line.session(2.0)
    leader = line.join("host-a:80", session=session)
    heir = line.join("host-b:80") if followed else None
    recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {line.path}, kind: leader}}]")
    at = "--config", str(recorder.config), "--admin", zk.admin, "--transactions", zk.directory
    cause = "evicted" if end == "deleted" else end
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        recorder.end()
        end_leader(client, leader, session, end)
        ended = [c for c in changes(zk.directory) if c.path == leader.path][-1]
        if not followed:
            check = run("check", *at)
            assert check.status == 2 and "the last leader, host-a:80, was lost at" in check.out, check
            assert f": {cause} (transaction {ended.zxid:#x}: " in check.out, check
            lost = json.loads(run("once", "--json", *at).out)["clusters"][0]["elections"][0]["lost"]
            assert (lost["from"], lost["cause"], lost["cause_certainty"], lost["open"]) == (
                leader.name, cause, "certain", True)
        recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, "--transactions", zk.directory,
                            elections=f"[{{path: {line.path}, kind: leader}}]")
        [row] = recorder.wait_for("SELECT lost_us, cause, evidence, elected_us FROM failover")
        assert abs(row[0] / 1000 - ended.time_ms) < 100 and row[1] == cause, (row, ended)
        assert row[2].startswith(f"transaction {ended.zxid:#x}: ") and (row[3] is not None) == followed, row
        why = run("why", *at[:2])
        assert "when in that time it happened is not known" not in why.out and f"transaction {ended.zxid:#x}: " in why.out, why
    finally:
        recorder.end()
        line.close()


def test_begun_after_the_end_and_a_restart(path):
    """A server that starts begins a log: the end is in one before."""
    zk = Ensemble(1)
    try:
        line = Line(zk, path)
        leader = line.join("host-a:80")
        leader.session.close()
        line.close()
        for _ in range(2):
            zk.kill()
            zk.start()
            Line(zk, f"{path}-other").join("host-b:80")
        check = run("check", "--transactions", zk.directory, "-s", zk.hosts, path)
        assert check.status == 2 and "the last leader, host-a:80, was lost at" in check.out, check
        assert ": closed (transaction 0x" in check.out, check
    finally:
        zk.close()


def test_a_silent_heir(tmp_path):
    """Its client stalled while it became the first: it was notified, and perhaps has not taken over."""
    zk = Ensemble(1, config=("maxSessionTimeout=120000",))
    path = "/test-silent-heir"
    line = Line(zk, path)
    recorder = None
    try:
        leader, heir = line.join("host-a:80", timeout_s=2.0), line.join("host-b:80", timeout_s=120.0)
        recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin,
                            elections=f"[{{path: {path}, kind: leader, allow: {{silent: 5%}}}}]")
        recorder.wait_for("SELECT 1 FROM tenure")
        heir.session.fall_silent()
        leader.session.close()
        recorder.wait_for("SELECT 1 FROM finding WHERE code = 'leader-silent' AND severity = 'critical'", within=30)
        reason = "the client of the first, host-b:80, is silent"
        check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
        assert check.status == 1 and "perhaps nobody leads: the last leader, host-a:80, was lost at" in check.out, check
        assert f"suspected: {reason}" in check.out, check
        why = run("why", "--config", str(recorder.config))
        assert f"suspected: Why nobody leads: {reason}" in why.out, why
    finally:
        if recorder:
            recorder.end()
        line.close()
        zk.close()


def test_a_deaf_heir_that_a_recorder_found_beside_a_log(zk, path, tmp_path):
    """It began after the loss, which the log knows: whoever reads its recording has no log."""
    line = Line(zk, f"{path}/latch")
    leader, heir = line.join("host-a:80"), line.join("host-b:80", watching=None)
    recorder = None
    try:
        leader.session.close()
        recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, "--transactions", zk.directory,
                            elections=f"[{{path: {line.path}, kind: leader}}]")
        recorder.wait_for("SELECT 1 FROM finding WHERE code = 'never-wakes'", within=30)
        why = run("why", "--config", str(recorder.config))
        assert "too few to learn that it is first; a log shows that host-a:80 was lost before, at" in why.out, why
        assert ": closed (transaction 0x" in why.out and heir.session, why
    finally:
        if recorder:
            recorder.end()
        line.close()


def test_a_deaf_heir_that_only_the_recording_knows(zk, path, tmp_path):
    """The recorder ended before the leader did: that the first watched nothing is suspected still."""
    stalled = Stalled(zk, path, tmp_path, "deaf")
    try:
        stalled.recorder.wait_for("SELECT 1 FROM finding WHERE code = 'no-watch' AND certainty = 'certain'", within=60)
        stalled.recorder.end()
        stalled.leader.leaves()
        check = run("check", "--admin", zk.admin, *stalled.config)
        assert check.status == 1 and "perhaps nobody leads: the last leader, host-a:80, was lost between" in check.out, check
        assert STALLED["deaf"][2] in check.out, check
        with Events(None, *stalled.config, "--admin", zk.admin, recalls=True) as events:
            Findings(events).expect(path, "never-wakes", 20, certainty="suspected")
    finally:
        stalled.close()


def test_a_named_path_must_have_a_leader(zk, client, path):
    """Who names a path says that somebody must lead there: vacant or absent, whatever its kind is guessed to be."""
    for at in (f"{path}/nowhere", path):
        if at == path:
            client.ensure_path(path)
        assert run("check", "-s", zk.hosts, "--admin", zk.admin, at).status == 2
        assert run("once", "--strict", "--quick", "-s", zk.hosts, "--admin", zk.admin, at).status == 1


def test_elections_that_nobody_is_in_are_named(zk, client, path):
    """An observer that starts after the crash is not green: what looks like an emptied election is suspected."""
    for name in "team/latch", "team/quiet", "team/electronics", "kafka/controller":
        gone = client.create(f"{path}/{name}/n_", ephemeral=True, sequence=True, makepath=True)
        client.delete(gone)
    client.delete(f"{path}/kafka/controller")
    client.ensure_path(f"{path}/kafka/brokers/ids")
    client.ensure_path(f"{path}/new-election")  # nobody ever was in it
    inside = f"{zk.hosts.split(',')[0]}{path}"
    told = "2 paths are empty, and may have been elections, such as /kafka/controller"
    client.delete(client.create(f"{path}/new-election/elections", makepath=True))
    root = run("once", "--quick", "-s", f"{inside}/new-election", "--admin", zk.admin)  # the chroot itself is none
    assert "may have been" not in root.out, root
    client.delete(f"{path}/new-election")
    client.ensure_path(f"{path}/new-election")

    cluster = json.loads(run("discover", "--json", "-s", inside, "--admin", zk.admin).out)["clusters"][0]
    assert {row["path"]: (row["kind"], row["certainty"]) for row in cluster["found"]} == {
        "/kafka/controller": ("empty", "suspected"), "/team/latch": ("empty", "suspected")}, cluster
    assert told in cluster["left_out"], cluster
    once = run("once", "--quick", "-s", inside, "--admin", zk.admin)
    assert told in " ".join(once.out.split()), once
    check = run("check", "-s", inside, "--admin", zk.admin)
    assert check.status == 3 and told in check.out, check
    # Beside those that were found they decide no exit code.
    client.create(f"{path}/live/latch/_c_{uuid.uuid4()}-latch-", b"a:1", ephemeral=True, sequence=True, makepath=True)
    check = run("check", "-s", inside, "--admin", zk.admin)
    assert check.status == 1 and "no candidate after the leader" in check.out and told in check.out, check
    assert run("once", "--strict", "-s", inside, "--admin", zk.admin).status == 0
    client.create(f"{path}/more/latch/_c_{uuid.uuid4()}-latch-", b"a:1", ephemeral=True, sequence=True, makepath=True)
    check = run("check", "-s", inside, "--admin", zk.admin, "-w", "next_failover=0:")
    assert check.status == 0 and len(check.out) <= 200, check
    assert "2 elections; 2 paths are empty, and may have been elections;" in check.out, check
    check = run("check", "-v", "-s", inside, "--admin", zk.admin)
    for at in "/kafka/controller", "/team/latch":
        assert f"\n{at} is empty, and may have been an election; if it is one, name it\n" in check.out, check
    client.delete(f"{path}/more", recursive=True)

    screen = Pty([PROGRAM, "-s", inside, "--admin", zk.admin], cols=160)
    try:
        screen.shows(told)
        client.create(f"{path}/kafka/controller", ephemeral=True)
        screen.shows("/team/latch is empty, and may have been an election")
    finally:
        screen.close()


def test_what_lies_beside_an_election_may_have_been_one(zk, client, path):
    """Its name says nothing of elections, as its neighbour's does not; beside a "latch" it is something else."""
    latch = f"_c_{uuid.uuid4()}-latch-"
    for name in "apps/billing", "app/queue", "jobs/done":
        client.delete(client.create(f"{path}/{name}/{latch}", ephemeral=True, sequence=True, makepath=True))
    client.delete(client.create("/isr_change_notification/isr_change_", sequence=True, makepath=True))
    for name in f"{path}/apps/new", "/orders":
        client.ensure_path(name)
    client.create(f"/orders/{latch}", ephemeral=True, sequence=True)
    for name in f"apps/orders/{latch}", f"app/latch/{latch}", "jobs/next/" + uuid.uuid4().hex + "__lock__":
        client.create(f"{path}/{name}", b"a:1", ephemeral=True, sequence=True, makepath=True)
    inside = f"{zk.addresses[0]}{path}"
    cluster = json.loads(run("discover", "--json", "-s", inside, "--admin", zk.admin).out)["clusters"][0]
    assert [row["path"] for row in cluster["found"] if row["kind"] == "empty"] == ["/apps/billing"], cluster
    cluster = json.loads(run("discover", "--json", "-s", zk.addresses[0], "--admin", zk.admin).out)["clusters"][0]
    assert f"{path}/apps/billing" in str(cluster) and "/isr_change_notification" not in str(cluster), cluster
    for name in "/orders", "/isr_change_notification":
        client.delete(name, recursive=True)
    screen = Pty([PROGRAM, "-s", inside, "--admin", zk.admin], cols=160)
    try:
        screen.shows("/apps/billing is empty, and may have been an election")
    finally:
        screen.close()


def test_leftovers_in_a_leaders_place_are_named(zk, client, path):
    """A znode without an owner where the leader's own would be is no leader: found, it is not passed over."""
    persistent = ("kafka/controller", "service/batman/leader", "hbase/master", "hadoop-ha/ns/ActiveStandbyElectorLock",
                  "canal/destinations/d/running", "job/j/leader/election/instance", "web/controller")
    beside = ("kafka/brokers/ids", "service/batman/members", "hbase/backup-masters", "hadoop-ha/ns/ActiveBreadCrumb",
              "canal/destinations/d/cluster", "loadbalance/brokers", "CL/CONTROLLER/HISTORY", "web/brokers/none")
    for at in persistent + beside:
        client.ensure_path(f"{path}/{at}")
    for at in "_zkelection/manager", "apacheIgnite/n":
        client.delete(client.create(f"{path}/{at}/n_", ephemeral=True, sequence=True, makepath=True))
    inside = f"{zk.hosts.split(',')[0]}{path}"
    expected = {f"/{at}" for at in persistent[:-1]} | {
        "/loadbalance/leader", "/CL/CONTROLLER/LEADER", "/_zkelection/manager", "/apacheIgnite/n"}
    cluster = json.loads(run("discover", "--json", "-s", inside, "--admin", zk.admin).out)["clusters"][0]
    assert {row["path"] for row in cluster["found"] if row["kind"] == "empty"} == expected, cluster
    told = "10 paths are empty, or have no owner, and may have been elections, such as /CL/CONTROLLER/LEADER"
    assert told in cluster["left_out"], cluster
    client.create(f"{path}/live/latch/_c_{uuid.uuid4()}-latch-", b"a:1", ephemeral=True, sequence=True, makepath=True)
    check = run("check", "-v", "-s", inside, "--admin", zk.admin)
    assert "\n/kafka/controller has no owner, and is in the place of a leader's; if it is one, name it\n" in check.out, check

    # What becomes one while it is looked on.
    for at in {at.split("/")[1] for at in expected}:
        client.delete(f"{path}/{at}", recursive=True)
    screen = Pty([PROGRAM, "-s", inside, "--admin", zk.admin], cols=160)
    try:
        screen.shows("/live/latch")
        client.ensure_path(f"{path}/kafka/controller")
        client.ensure_path(f"{path}/kafka/brokers/ids")
        screen.shows("/kafka/controller has no owner, and is in the place of a leader's")
    finally:
        screen.close()


@pytest.mark.parametrize("layout, name", [("one znode", "controller"), ("directory", "leader"), ("directory", "leader/election/latch")])
def test_a_pattern_whose_match_is_gone(zk, client, path, tmp_path, layout, name):
    """It ends in names: where the directory for them exists, nobody leads; without that directory nobody has to."""
    for job in "good", "stuck":
        client.ensure_path(f"{path}/{job}")
    at = f"{path}/good/{name}"
    stands = client.create(at if layout == "one znode" else f"{at}/n_", b'{"version":1,"brokerid":7}', ephemeral=True,
                           sequence=layout != "one znode", makepath=True)
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters:\n  - hosts: {zk.hosts}\n    elections: [{{path: {path}/*/{name}, kind: leader}}]\n")
    options = ("--config", str(config), "--admin", zk.admin)
    check = run("check", *options)
    assert check.status == 2 and f"CRITICAL - {path}/stuck/{name}: " in check.out, check
    assert run("once", "--strict", *options).status == 1
    with Events(None, *options) as events:
        events.expect("election-seen", election=at)
        findings = Findings(events)
        client.delete(stands)
        if layout == "directory":
            client.delete(at)
        findings.expect(at, "no-leader", 20, severity="critical", certainty="certain")
        client.delete(f"{path}/good", recursive=True)
        until(lambda: ("no-leader",) not in findings.now(at), what="no-leader is cleared")
        client.create(stands if layout == "one znode" else f"{at}/n_", b"", ephemeral=True,
                      sequence=layout != "one znode", makepath=True)
        events.expect("leader-elected", election=at)


def test_a_pattern_whose_match_goes_beside_a_recorder(zk, client, path, tmp_path):
    """Its leader left on purpose, and its directory went too: perhaps nobody has to lead, and who did is told by all."""
    line = Line(zk, f"{path}/good/latch")
    line.join("host-a:80")
    recorder = Recorder(tmp_path, zk.hosts, "--admin", zk.admin, elections=f"[{{path: {path}/*/latch, kind: leader}}]")
    options = "--admin", zk.admin, "--config", str(recorder.config)
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
        line.members[0].session.close()
        recorder.wait_for("SELECT 1 FROM failover WHERE cause = 'closed'")
        client.delete(f"{path}/good", recursive=True)
        told = "/good/latch: nobody leads, the path does not exist; the last leader, host-a:80, was lost at "
        check = until(lambda: (done := run("check", *options)).status == 1 and told in done.out and done, what="check tells it")
        assert ": closed (" in check.out, check
        seen = json.loads(run("once", "--json", *options).out)["clusters"][0]["elections"][0]
        assert (seen["state"], seen["lost"]["from_identity"], seen["lost"]["cause"]) == ("absent", "host-a:80", "closed"), seen
    finally:
        recorder.end()
        line.close()


def test_an_election_that_only_the_recording_knows(zk, client, path, tmp_path):
    """It was led when the recorder ended, and is gone with its directory: a check without a path is critical."""
    client.ensure_path(path)
    inside = f"{zk.addresses[0]}{path}"
    lines = [Line(zk, f"{path}/{name}") for name in ("latch", "other")]
    leaders = [line.join(f"host-{line.path[-1]}:80") for line in lines]
    recorder = Recorder(tmp_path, inside, "--admin", zk.admin, elections="[]")
    try:
        recorder.wait_for("SELECT 1 FROM tenure", 2)
    finally:
        recorder.end()
    leaders[0].session.close()
    client.delete(f"{path}/latch")
    check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
    assert check.status == 2 and "/latch: nobody leads, the path does not exist; " in check.out, check
    assert "host-h:80" in check.out and "'elections'=2;" in check.out, check
    lines[1].close()


@pytest.mark.parametrize("when", ["while it ran", "afterwards", "afterwards, a lock"])
def test_an_election_that_only_the_recorder_was_told_of(zk, client, path, tmp_path, when):
    """It was lost while the recorder ran, or just after it, and its container went: who asks and names nothing is told. It
    had led for less than a minute, as the election of a job does. A lock may be free."""
    line = Line(zk, f"{path}/latch")
    leader = line.join("host-h:80")
    named = f"[{{path: /latch{', kind: lock' if 'lock' in when else ''}}}]"
    recorder = Recorder(tmp_path, f"{zk.addresses[0]}{path}", "--admin", zk.admin, elections=named)
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
        if when != "while it ran":
            recorder.end()
        leader.session.drop()
        if when == "while it ran":
            recorder.wait_for("SELECT 1 FROM failover WHERE cause LIKE 'expired%'", within=40)
        else:
            until(lambda: not client.get_children(f"{path}/latch"), 40, "the leader's session has expired")
        client.delete(f"{path}/latch")
    finally:
        recorder.end()
    recorder.config.write_text(recorder.config.read_text(encoding="utf-8").replace(named, "[]"), encoding="utf-8")
    check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
    if "lock" in when:
        assert "nobody leads" not in check.out, check
    else:
        assert check.status == (1 if when == "while it ran" else 2), check
        assert "/latch: nobody leads, the path does not exist; " in check.out and "host-h:80" in check.out, check
        assert ("expired" in check.out) == (when == "while it ran"), check
    line.close()


@pytest.mark.parametrize("end", ["closed", "expired"])
def test_a_found_lock_beside_its_recording(zk, client, path, tmp_path, end):
    """check tells who held it, also where an orderly end may have been its last, and no age of its own look."""
    client.ensure_path(f"{path}/CONTROLLER/HISTORY")
    line = Line(zk, f"{path}/CONTROLLER")
    session = line.session(2.0)
    session.create(f"{line.path}/LEADER", '{"id":"LEADER","simpleFields":{"LEADER":"ctl1"}}', EPHEMERAL)
    recorder = Recorder(tmp_path, f"{zk.addresses[0]}{path}", "--admin", zk.admin, elections="[]")
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
        session.close() if end == "closed" else session.drop()
        recorder.wait_for("SELECT 1 FROM finding WHERE code = 'no-leader'", within=40)
        check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
        assert check.status == (1 if end == "closed" else 2) and ", ctl1, was lost at " in check.out, check
        assert end in check.out and "no leader for " not in check.out, check
    finally:
        recorder.end()
        line.close()


def test_a_znode_in_the_place_of_a_lost_lock(zk, client, path, tmp_path):
    """Where a recording knows that a session held it, a znode without an owner is nobody's lease, however new."""
    client.ensure_path(path)
    line = Line(zk, path)
    session = line.session(4.0)
    session.create(f"{path}/leader", "host-a:80", EPHEMERAL)
    recorder = Recorder(tmp_path, zk.addresses[0], "--admin", zk.admin, elections=f"[{{path: {path}/leader}}]")
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        session.close()
        recorder.wait_for("SELECT 1 FROM failover")
        client.create(f"{path}/leader", b"host-a:80")
        check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
        assert check.status == 2 and "nobody holds it: a znode without an owner is in its place" in check.out, check
    finally:
        recorder.end()
        line.close()


def test_an_election_whose_directory_was_just_deleted(zk, client, path, tmp_path):
    """Found, led for less than a minute, and deleted by somebody: a warning with who led, as the dashboard has it."""
    line = Line(zk, f"{path}/latch")
    leader = line.join("host-a:80")
    recorder = Recorder(tmp_path, f"{zk.addresses[0]}{path}", "--admin", zk.admin, elections="[]")
    options = ("--admin", zk.admin, "--config", str(recorder.config))
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
        client.delete(leader.path)
        client.delete(f"{path}/latch")
        recorder.wait_for("SELECT 1 FROM failover WHERE cause = 'evicted'")  # until then its client may have left
        soon = run("check", *options)
        assert soon.status == 1, soon
        assert "/latch: nobody leads, the path does not exist; the last leader" in soon.out and "host-a:80" in soon.out, soon
        recorder.wait_for("SELECT 1 FROM finding WHERE code = 'no-leader'")
        assert run("check", *options).status == 1
    finally:
        recorder.end()
        line.close()


# Which of its causes is told depends on what the servers could be asked before it went.
GONE = {"lost": ["expired"], "shut down": ["closed", "ended"], "on purpose": ["resigned", "deleted"]}


@pytest.mark.parametrize("how", GONE)
def test_an_election_whose_directory_goes_with_its_last_candidate(zk, client, path, tmp_path, how):
    """Discovered, not named: one whose leader was lost still needs one; one that was left on purpose is gone."""
    client.ensure_path(path)
    inside = f"{zk.addresses[0]}{path}"
    line = Line(zk, f"{path}/latch")
    leader = line.join("host-a:80", timeout_s=2.0)
    recorder = Recorder(tmp_path, inside, "--admin", zk.admin, elections="[]")
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        with Events(inside, "--admin", zk.admin) as events:
            events.expect("election-seen", election="/latch")
            until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
            if how == "lost":
                leader.session.drop()
            elif how == "shut down":
                leader.session.close()
            else:
                leader.session.delete(leader.path)
            told = events.expect("failover", within=20)["failover"]
            assert told["cause"] in GONE[how], told
            recorder.wait_for("SELECT 1 FROM failover")
            client.delete(f"{path}/latch")  # as ZooKeeper does with Curator's empty containers
            events.expect("election-gone")
            findings = Findings(events)
            if how == "lost":
                findings.expect("/latch", "no-leader", 30, certainty="certain")
                recorder.wait_for("SELECT 1 FROM finding WHERE code = 'no-leader'")
                check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
                assert check.status == 2 and "host-a:80, was lost at" in check.out and "expired" in check.out, check
                assert run("once", "--strict", "--admin", zk.admin, "--config", str(recorder.config)).status == 1
            else:
                recorder.wait_for("SELECT 1 FROM events WHERE event = 'election-gone'")
                check = run("check", "--admin", zk.admin, "--config", str(recorder.config))
                assert check.status == 3 and "no election was found" in check.out, check
                assert not [f for f in findings.now("/latch").values() if f["certainty"] == "certain"]
    finally:
        recorder.end()
        line.close()


def test_an_outage_of_what_may_be_a_lock(zk, client, path, tmp_path):
    """Its kind is assumed, and it is told all the same who was lost, when and how."""
    line = Line(zk, f"{path}/election")
    leader = line.join("host-a:80", name="{guid.hex}__lock__")
    recorder = Recorder(tmp_path, f"{zk.addresses[0]}{path}", "--admin", zk.admin, elections="[]")
    at = "--config", str(recorder.config), "--admin", zk.admin, "-v"
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        until(lambda: is_polled(recorder), what="the recorder has polled the leader's server")
        leader.session.drop()
        until(lambda: not client.exists(leader.path), what="it is gone")
        recorder.wait_for("SELECT 1 FROM finding WHERE code = 'no-leader'", within=40)
        check = run("check", *at)
        assert check.status == 1 and "that is assumed; configure its kind, leader or lock" in check.out, check
        assert "; the last leader, host-a:80, was lost at " in check.out, check
    finally:
        recorder.end()
        line.close()


FOUND = {"discovery": "[]", "a pattern": "[{path: /team/*, kind: leader}]", "a pattern with a name": "[{path: /*/latch, kind: leader}]"}


@pytest.mark.parametrize("found_by, recorded", [(way, False) for way in FOUND] + [("discovery", True)])
def test_an_outage_whose_election_goes_before_a_new_recorder(zk, client, path, tmp_path, found_by, recorded):
    """It was open at the recorder's end: the next recorder watches what is gone, also where the first one saw it go."""
    client.ensure_path(f"{path}/other")
    line = Line(zk, f"{path}/team/latch")
    leader = line.join("host-a:80")

    def start():
        return Recorder(tmp_path, f"{zk.addresses[0]}{path}", "--admin", zk.admin, elections=FOUND[found_by])
    recorder = start()
    try:
        recorder.wait_for("SELECT 1 FROM tenure")
        leader.session.delete(leader.path)
        recorder.wait_for("SELECT 1 FROM failovers WHERE elected IS NULL")

        def is_watched():
            shown = json.loads(run("once", "--json", "--replay", recorder.file).out)["clusters"][0]["elections"]
            return [e for e in shown if (e["path"], e["state"]) == ("/team/latch", "absent")]
        if recorded:
            client.delete(f"{path}/team", recursive=True)
            until(is_watched, 20, "the first recorder sees it go")
        recorder.end()
        if not recorded:
            client.delete(f"{path}/team", recursive=True)
        recorder = start()
        recorder.wait_for("SELECT 1 FROM stretch", 2)
        until(is_watched, 20, "the next recorder watches it")
    finally:
        recorder.end()
        line.close()
