"""Every diagnosis on a real server: a session that shows the illness, beside a healthy twin that does not.

All scenes play at the same time before one `electop events`, since most take some seconds: in each the
finding is raised for the right candidate and with the right certainty, is cleared by the cure, and is
silent on the twin. What no client can bring about on a healthy server is in test_rare.py, and servers that hold
different data in test_replicas.py."""
import concurrent.futures
import time

import pytest

from electop import Events
from ensemble import Ensemble
from raw_session import EPHEMERAL
from standing import LATCH, Findings, Line, configuration
from waiting import until

# Two looks, five seconds apart, on a busy machine; and the rounds after a cure.
# Generous: on a loaded machine a round may take the server 0.2 s, and the next waits a hundred times that.
RAISED_S, CLEARED_S = 60, 45
# Of those that fall silent: told after two thirds of it, and over after all of it.
SILENCE_S = 36
# Younger sessions on the host of one that fell out of the line may be that one (CLOCKS_APART_MS).
FOLLOWER_IS_OLDER_S = 6

SCENES = {}


class Found:
    """What a scene expects to be raised, and that the cure clears."""

    def __init__(self, code, about=None, certain=True, **fields):
        self.code = code
        self.fields = {"certainty": "certain" if certain else "suspected", **fields}
        self.about = [member.name for member in ([about] if hasattr(about, "name") else about or [])]


def scene(code, directory="{}", **settings):
    """A generator: plays until its illness shows, yields what must be found (once or more), then cures it.

    directory: where below the scene's own path the election is; settings: of the election."""
    def add(play):
        SCENES[code] = (play, directory, settings)
        return play
    return add


def healthy(line, *members):
    return [line.join(data) for data in members]


@scene("no-watch")
def second_watches_nothing(ill, well):
    healthy(well, "a", "b")
    first = ill.join("a")
    deaf = ill.join("b", watching=None)
    ill.join("c")
    yield Found("no-watch", deaf, severity="critical")
    deaf.watches(first)


@scene("no-watch-further")
def third_watches_nothing(ill, well):
    healthy(well, "a", "b", "c")
    ill.join("a")
    second = ill.join("b")
    deaf = ill.join("c", watching=None)
    yield Found("no-watch", deaf, severity="error")
    deaf.watches(second)


@scene("never-wakes")
def deaf_one_becomes_first(ill, well):
    for line in (ill, well):
        first = line.join("a")
        second = line.join("b", watching="predecessor" if line is well else None)
        if line is ill:
            yield Found("no-watch", second)
        first.leaves()
    yield Found("never-wakes", second if second.line is ill else ill.members[0], certain=False, severity="critical")
    ill.members[0].leaves()


@scene("watch-on-deleted")
def watches_one_that_has_gone(ill, well):
    for line in (ill, well):
        first, second = healthy(line, "a", "b")
        third = line.join("c")
        second.leaves()
        third.watches(second if line is ill else first)
    yield Found("watch-on-deleted", ill.members[1], severity="critical")
    ill.members[1].watches(ill.members[0])


@scene("watch-self")
def watches_itself(ill, well):
    healthy(well, "a", "b")
    first = ill.join("a")
    second = ill.join("b", watching=None)
    second.watches(second)
    yield Found("watch-self", second, severity="critical")
    second.watches(first)


@scene("wrong-predecessor")
def skips_one(ill, well):
    healthy(well, "a", "b", "c", "d")
    _, second, third = healthy(ill, "a", "b", "c")
    fourth = ill.join("d", watching=second)
    yield Found("wrong-predecessor", fourth, severity="error")
    fourth.watches(third)


@scene("watch-eaten")
def predecessor_is_written_to(ill, well):
    for line in (ill, well):
        first, second = healthy(line, "a", "b")
        first.session.set(first.path, "a, once more")
        if line is well:
            second.watches(first)
    yield Found("watch-eaten", ill.members[1], certain=False, severity="error")
    ill.members[1].watches(ill.members[0])


@scene("orphan-reader", kind="lock")
def reader_waits_for_nobody(ill, well):
    for line in (ill, well):
        writer = line.join("a", name="{guid.hex}__lock__")
        line.join("b", name="{guid.hex}__rlock__", watching=writer)
        line.join("c", name="{guid.hex}__rlock__", watching=writer if line is well else None)
    yield Found("orphan-reader", ill.members[2], severity="critical")
    ill.members[2].watches(ill.members[0])


@scene("herd")
def all_watch_the_leader(ill, well):
    healthy(well, "a", "b", "c")
    first = ill.join("a")
    others = [ill.join(data, watching=first) for data in ("b", "c", "d")]
    yield Found("herd", [first, *others], severity="info")
    others[1].leaves()
    others[2].leaves()


@scene("watcher-without-candidate")
def falls_out_of_the_line(ill, well):
    healthy(well, "a", "b", "c")
    follower = well.session()
    follower.watch(well.members[0].path)  # as every user of an election may
    began = time.monotonic()
    _, second, _ = healthy(ill, "a", "b", "c")
    fallen = ill.join("d", watching=second)
    yield Found("wrong-predecessor", fallen)
    until(lambda: time.monotonic() > began + FOLLOWER_IS_OLDER_S)
    well.join("d").leaves()
    fallen.session.delete(fallen.path)
    yield Found("watcher-without-candidate", ill.members[1], certain=False, severity="warning")
    ill.members[3].session.close()


@scene("watcher-without-candidate-follows")
def stood_before_and_follows_the_leader(ill, well):
    for line in (ill, well):
        first, second = line.join("a"), line.join("b", timeout_s=90 if line is ill else 4)
        if line is ill:
            yield Found("session-timeout-long", second)  # now it knows whose that candidate is
            second.session.delete(second.path)
        else:
            follower = well.session()
            follower.watch(first.path)  # the same watch, of one that never stood
    yield Found("watcher-without-candidate", ill.members[0], certain=False, severity="warning")
    ill.members[1].session.close()


@scene("watcher-without-candidate-stranger")
def never_stood_and_watches_one_that_waits(ill, well):
    for line in (ill, well):
        healthy(line, "a", "b", "c")
        stranger = line.session()
        stranger.watch(line.members[1 if line is ill else 0].path)
    yield Found("watcher-without-candidate", ill.members[1], severity="info")
    ill.sessions[-1].close()


@scene("extra-watches")
def watches_two(ill, well):
    healthy(well, "a", "b", "c")
    first, _, third = healthy(ill, "a", "b", "c")
    third.watches(first)
    yield Found("extra-watches", third, severity="info")
    third.leaves()


@scene("persistent-candidate")
def first_is_persistent(ill, well):
    healthy(well, "a", "b")
    left = ill.join("a", flags=2)
    second = ill.join("b")
    yield Found("persistent-candidate", left, severity="critical")
    second.session.delete(left.path)


@scene("duplicate-session")
def create_is_retried(ill, well):
    healthy(well, "a", "b")
    ill.join("a")
    orphan = ill.join("b", name="_c_7f3c1e22-5a4b-4c6d-8e9f-001122334455-latch-")
    second = ill.join("b", name="_c_7f3c1e22-5a4b-4c6d-8e9f-001122334455-latch-", session=orphan.session)
    yield Found("duplicate-session", [orphan, second], certain=False, severity="error")
    second.session.delete(orphan.path)


@scene("duplicate-session-shared")
def threads_share_a_session(ill, well):
    healthy(well, "a", "b")
    first = ill.join("a")
    second = ill.join("b", session=first.session)
    yield Found("duplicate-session", [first, second], severity="info")
    second.session.delete(second.path)


@scene("duplicate-identity")
def comes_back_too_soon(ill, well):
    for line in (ill, well):
        first = line.join("a:1", timeout_s=90 if line is ill else 4)
        if line is ill:
            yield Found("session-timeout-long", first)  # now it knows where that client was
            first.session.drop()
        second = line.join("a:1" if line is ill else "b:1")
    yield Found("duplicate-identity", ill.members, severity="warning")
    ill.members[1].leaves()


@scene("owner-disconnected")
def leader_has_no_connection(ill, well):
    for line in (ill, well):
        first, second = line.join("a", timeout_s=30), line.join("b")
        if line is ill:
            first.session.drop()
    yield Found("owner-disconnected", ill.members[0], severity="error")
    ill.members[0].session.move(ill.address)


@scene("leader-silent")
def leader_is_not_heard(ill, well):
    for line in (ill, well):
        line.join("a", timeout_s=SILENCE_S)
        line.join("b")
    ill.members[0].session.fall_silent()
    yield Found("leader-silent", ill.members[0], certain=False)
    ill.members[0].session.speak()


@scene("leader-silent-then-gone")
def leader_is_not_heard_and_its_connection_ends(ill, well):
    for line in (ill, well):
        line.join("a", timeout_s=SILENCE_S)
        line.join("b")
    ill.members[0].session.fall_silent()
    yield Found("leader-silent", ill.members[0], certain=False)
    ill.members[0].session.drop()
    yield Found("owner-disconnected", ill.members[0], severity="error")
    ill.members[0].session.move(ill.address)


@scene("never-acknowledged", "{}/overseer_elect/election", allow="{failover: 2s}")
def leader_says_nothing(ill, well):
    for line in (ill, well):
        for node in "ab":
            line.join(name=f"{{session}}-{node}:8983_solr-n_")
    mark = "/leader", '{"id":"a:8983_solr"}', EPHEMERAL
    well.members[0].session.create(well.path.rsplit("/", 1)[0] + mark[0], *mark[1:])
    yield Found("never-acknowledged", ill.members[0], severity="critical")
    ill.members[0].session.create(ill.path.rsplit("/", 1)[0] + mark[0], *mark[1:])


@scene("acknowledgement-mismatch", "{}/overseer_elect/election", allow="{failover: 2s}")
def mark_is_anothers(ill, well):
    for line in (ill, well):
        for node in "ab":
            line.join(name=f"{{session}}-{node}:8983_solr-n_")
        mark = line.path.rsplit("/", 1)[0] + "/leader"
        owner = line.members[1 if line is ill else 0]
        owner.session.create(mark, '{"id":"%s:8983_solr"}' % "ab"[line is ill], EPHEMERAL)
    yield Found("acknowledgement-mismatch", ill.members, severity="critical")
    mark = ill.path.rsplit("/", 1)[0] + "/leader"
    ill.members[1].session.delete(mark)
    ill.members[0].session.create(mark, '{"id":"a:8983_solr"}', EPHEMERAL)


@scene("split-brain", "{}/overseer_elect/election", allow="{failover: 60s}")
def two_take_the_mark_from_each_other(ill, well):
    for line in (ill, well):
        for node in "ab":
            line.join(name=f"{{session}}-{node}:8983_solr-n_")
        line.mark = line.path.rsplit("/", 1)[0] + "/leader"
        line.members[0].session.create(line.mark, '{"id":"a:8983_solr"}', EPHEMERAL)
    yield Found(None)
    for node, taker in zip("ba" * 4, ill.members[::-1] * 4):
        time.sleep(0.3)  # the illness itself
        taker.session.delete(ill.mark)
        taker.session.create(ill.mark, f'{{"id":"{node}:8983_solr"}}', EPHEMERAL)
    yield Found("split-brain", ill.members[0], severity="critical")


@scene("stale-lock", "{}/CONTROLLER/LEADER")
def lock_names_another_session(ill, well):
    """The owner's client is gone; restarted, it wrote its new session into the znode of the old one."""
    for line, host in ((ill, "127.0.0.73"), (well, "127.0.0.74")):
        owner, other = line.session(host=host, timeout_s=90 if line is ill else 60), line.session(host=host)
        line.make(owner, line.path.rsplit("/", 1)[0])
        line.holder = '{"id":"LEADER","simpleFields":{"SESSION_ID":"%x"}}'
        owner.create(line.path, line.holder % owner.id, EPHEMERAL)
    yield Found("session-timeout-long")  # now it knows where that client is
    ill.sessions[0].drop()
    other = ill.sessions[1]
    other.set(ill.path, ill.holder % other.id)
    yield Found("stale-lock", severity="error")
    ill.sessions[1].delete(ill.path)


@scene("double-leader-risk")
def leader_comes_back_and_does_not_stand(ill, well):
    for line, host in ((ill, "127.0.0.71"), (well, "127.0.0.72")):
        first = line.join("a", host=host, timeout_s=90 if line is ill else 4)
        line.join("b")
        if line is ill:
            yield Found("session-timeout-long", first)  # now it knows where that client is
        first.leaves()
        if line is ill:
            line.session(host=host)
        else:
            line.join("a", host=host)
    yield Found("double-leader-risk", certain=False, severity="error")
    ill.join("a", session=ill.sessions[2])


@scene("flapping", allow="{leader_changes: 2 in 8s}")
def leaders_change_too_often(ill, well):
    for line in (ill, well):
        healthy(line, *"abcd")
    for _ in range(3):
        yield Found(None)
        ill.members[0].leaves()
    well.members[0].leaves()
    yield Found("flapping", ill.members[0], certain=False, severity="error")  # none has died


@scene("slow-failover", allow="{failover: 1s, leader_changes: 5 in 5s}")
def nobody_stands_for_too_long(ill, well):
    for line in (ill, well):
        line.join("a")
        if line is well:
            line.join("b")
    yield Found(None)
    for line in (ill, well):
        line.members[0].leaves()
    time.sleep(1.5)  # the illness itself
    ill.join("b", session=ill.session())
    yield Found("slow-failover", ill.members[0], severity="warning")


@scene("session-timeout-long")
def timeout_is_long(ill, well):
    healthy(well, "a")
    first = ill.join("a", timeout_s=90)
    yield Found("session-timeout-long", first, severity="warning")
    first.leaves()


@scene("session-timeout-policy", allow="{session_timeout: 3s to 5s}")
def timeout_is_against_the_policy(ill, well):
    healthy(well, "a")
    first = ill.join("a", timeout_s=8)
    yield Found("session-timeout-long", first, severity="warning")
    first.leaves()


@scene("session-timeout-short")
def timeout_is_short(ill, well):
    healthy(well, "a")
    first = ill.join("a", timeout_s=0.8)
    yield Found("session-timeout-short", first, severity="warning")
    first.leaves()


@scene("sequence-overflowed", "{}/election")
def number_is_negative(ill, well):
    well.join("a", name="n_")
    first = ill.join("a", name="n_-2147483648", flags=EPHEMERAL)
    yield Found("sequence-overflowed", first, severity="critical")
    first.leaves()


@scene("sequence-tie")
def two_have_one_number(ill, well):
    healthy(well, "a", "b")
    first = ill.join("a", name=LATCH + "0000000007", flags=EPHEMERAL)
    second = ill.join("b", name=LATCH + "0000000007", flags=EPHEMERAL, watching=None)
    yield Found("sequence-tie", severity="error")
    second.leaves()


@scene("foreign-child", "{}/election")
def stranger_in_the_directory(ill, well):
    for line in (ill, well):
        line.join("a", name="n_")
    ill.members[0].session.create(ill.path + "/config", flags=0)
    yield Found("foreign-child", certain=False, severity="warning")
    ill.members[0].session.delete(ill.path + "/config")


@scene("no-guid", "{}/election")
def names_say_nothing(ill, well):
    well.join("a")
    first = ill.join("a", name="n_")
    yield Found("no-guid", severity="info")
    first.leaves()


@scene("election-gone")
def directory_vanishes(ill, well):
    healthy(well, "a", "b")
    first, second = healthy(ill, "a", "b")
    yield Found(None)
    # A directory that is younger was made for one decision: its end is no illness.
    grown = time.monotonic() + 0.5
    until(lambda: time.monotonic() > grown)
    for path in (first.path, second.path, ill.path):
        second.session.delete(path)
    yield Found("election-gone", severity="critical")
    ill.members.clear()
    ill.join("a")


@scene("no-leader", kind="leader", allow="{vacancy: 2s}")
def nobody_stands(ill, well):
    healthy(well, "a")
    session = ill.session()
    ill.make(session)
    yield Found("no-leader", severity="critical")
    ill.join("a", session=session)


def play(code, findings, lines):
    """One scene to its end; what it says of itself is the test's result."""
    ill, well = lines
    for found in SCENES[code][0](ill, well):
        if found.code is None:
            # It has to be seen before it changes.
            findings.expect_seen(ill)
            continue
        raised = findings.expect(ill.path, found.code, RAISED_S, **found.fields)
        assert raised["candidates"][:len(found.about)] == found.about, raised
        assert raised["evidence"] and raised["advice"] and raised["since"], raised
        last = found.code
    findings.expect_cleared(ill.path, last, CLEARED_S)
    said = findings.raised_since_joined(well.path)
    wrong = [finding for finding in said if finding["severity"] != "info"]
    assert not wrong, wrong
    assert last not in [finding["code"] for finding in said]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """All scenes at once: the future of each."""
    zk = Ensemble(1, config=("minSessionTimeout=500", "maxSessionTimeout=120000"))
    lines, elections = {}, {}
    for code, (_, directory, settings) in SCENES.items():
        lines[code] = [Line(zk, f"/{twin}" + directory.format(f"/{code}")) for twin in ("ill", "well")]
        elections.update({line.path: settings for line in lines[code]})
    file = configuration(tmp_path_factory.mktemp("config"), zk, elections)
    with Events(None, "--config", file) as events:
        # So that it sees everybody join.
        until(lambda: set(elections) <= zk.watched_paths(), 20, "every path is watched")
        with concurrent.futures.ThreadPoolExecutor(len(SCENES)) as pool:
            yield {code: pool.submit(play, code, Findings(events), lines[code]) for code in SCENES}
    for pair in lines.values():
        for line in pair:
            line.close()
    zk.close()


@pytest.mark.parametrize("code", SCENES)
def test_diagnosis(played, code):
    """Raised with the right candidate and certainty, cleared after the cure, silent on the twin."""
    played[code].result(timeout=400)
