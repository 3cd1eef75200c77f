"""`electop check` as a monitoring plug-in, and inside a real monitoring daemon."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

import pytest

from electop import PROGRAM, run
from recorder import Recorder
from standing import Line
from waiting import until

LIMIT_S = 150


def check(zk, *arguments, **more):
    return run("check", "-s", zk.hosts, "--admin", zk.admin, *arguments, **more)


def performance(done):
    """The figures behind the bar: {label: value with its unit}."""
    line, bar, data = done.out.split("\n")[0].partition("|")
    assert bar and done.out.endswith("\n"), done
    return {label: value for label, value in re.findall(r" '([^']+)'=([^; ]*);[^; ]*;[^; ]*;[^; ]*;", data)}


@pytest.fixture
def standing(client, follower, path):
    """Two candidates, each with a session of its own."""
    client.ensure_path(path)
    return [one.create(f"{path}/n_", f"host-{c}:1".encode(), ephemeral=True, sequence=True)
            for one, c in ((client, "a"), (follower, "b"))]


@pytest.fixture
def follower(zk):
    other = zk.client(timeout=4)
    yield other
    other.stop()


def test_lone_leader_is_a_warning(zk, path, standing, client):
    client.delete(standing[1])
    done = check(zk, path)
    assert done.status == 1 and "no candidate after the leader" in done.out, done
    figures = performance(done)
    assert figures["candidates"] == "1" and figures["vacancy"] == "0s" and float(figures["tenure"][:-1]) >= 0, done


def test_one_look_at_watches_is_no_proof(zk, path, standing):
    """kazoo created two znodes and watches nothing: after one look that is suspected, and no alarm."""
    done = check(zk, path)
    assert done.status == 0 and "1 suspected finding" in done.out and performance(done)["next_failover"] == "U", done


def test_a_wait_settles_what_one_look_suspects(zk, path):
    """What cannot be settled within --timeout is still suspected, and said at once."""
    line = Line(zk, path)
    try:
        line.join(host="127.0.33.1")
        line.join(host="127.0.33.2", watching=None)
        done = check(zk, path, "-t", "5", "--wait", "60s")
        assert done.status == 0 and "1 finding still suspected (no-watch)" in done.out, done
        done = check(zk, path, "-t", "90", "--wait", "60s")
        assert done.status == 2 and ": no-watch (" in done.out, done
    finally:
        line.close()


def test_a_leader_that_died_is_never_ok(zk3, path):
    """Of three servers it takes seconds to prove that none has a connection of it: more than some deadlines."""
    line = Line(zk3, path)
    try:
        for i in range(2):
            line.join(host=f"127.0.34.{i + 1}", timeout_s=40, at=zk3.addresses[i])
        until(lambda: check(zk3, path).status == 0, 20, "all is well")
        line.sessions[0].drop()
        def proved(deadline):
            told = check(zk3, path, "-t", deadline)
            assert (told.status == 1 and ": owner-disconnected (" in told.out or
                    told.status == 3 and ("a proof takes longer" in told.out or "not answered" in told.out)), told
            return told.status == 1
        for deadline in ("2", "2", "3"):
            proved(deadline)
        until(lambda: proved("20"), 90, "it is proved")
    finally:
        line.close()


def test_thresholds_decide(zk, path, standing, follower):
    follower.exists(standing[0], watch=lambda event: None)
    for arguments, status in (((), 0), (("-w", "candidates=3:"), 1), (("-c", "candidates=3:"), 2),
                              (("-w", "candidates=3:", "-c", "candidates=2:"), 1), (("-w", "candidates=2:"), 0),
                              (("-c", "tenure=~:1h"), 0), (("-c", "tenure=1h:"), 2), (("-w", "next_failover=1:"), 0),
                              (("-c", "changes=3"), 3)):
        # The look at the servers may come before the watch is set there.
        done = check(zk, path, *arguments, "-w", "suspected=~:")
        assert done.status == status, (arguments, done)
    assert "from a recording only" in done.out


def elections_of(zk, tmp_path, kind, *paths):
    """A configuration that says what they are."""
    config = tmp_path / "c.yaml"
    list_of = ", ".join(f"{{path: {path}, kind: {kind}}}" for path in paths)
    config.write_text(f"clusters: [{{hosts: '{zk.hosts}', elections: [{list_of}]}}]\n")
    return "--config", str(config)


def test_vacant_and_absent_are_critical(zk, path, client, tmp_path):
    client.ensure_path(path)
    done = run("check", *elections_of(zk, tmp_path, "leader", path))
    assert done.status == 2 and "no leader" in done.out, done
    done = run("check", *elections_of(zk, tmp_path, "leader", path + "-nowhere"))
    assert done.status == 2 and "the path does not exist" in done.out, done


def test_who_names_a_path_wants_a_leader_there(zk, path, client):
    """It may be misspelt, which the line says; but nobody is told that all is well."""
    for name in ("", "/controller"):
        done = check(zk, path + name)
        assert done.status == 2 and "nobody leads, the path does not exist" in done.out, done
    broker = b'{"endpoints":["SSL://kafka-1:9093"],"host":null,"port":-1}'
    client.create(f"{path}/brokers/ids/1", broker, ephemeral=True, makepath=True)
    done = check(zk, f"{path}/controller")
    assert done.status == 2 and "no leader" in done.out, done


def test_who_names_a_pattern_wants_a_leader_in_each_match(zk, path, client):
    """As `once --strict` judges it: a match that its last name says belongs there, and that is missing, is critical."""
    client.ensure_path(f"{path}/red")
    done = check(zk, f"{path}/*/leader")
    assert done.status == 2 and f"{path}/red/leader: nobody leads, the path does not exist" in done.out, done
    assert run("once", "--strict", "-s", zk.hosts, "--admin", zk.admin, f"{path}/*/leader").status == 1
    assert check(zk, f"{path}/*/leader", "--kind", "lock").status == 0
    # A directory of directories: whether somebody leads there is unknown to both.
    client.ensure_path(f"{path}/red/green/latch")
    assert check(zk, f"{path}/red/*").status == 3
    assert run("once", "--strict", "-s", zk.hosts, "--admin", zk.admin, f"{path}/red/*").status == 1


def test_figures_of_what_a_pattern_matches(zk, path, client, tmp_path):
    """Of several elections the line has sums, and with -v the figures of each, under its name."""
    for at in "/a/latch", "/b/latch":
        client.ensure_path(path + at)
        client.create(f"{path}{at}/_c_{uuid.uuid4()}-latch-", ephemeral=True, sequence=True)
    assert performance(check(zk, f"{path}/*/latch")) == {"elections": "2", "problems": "2"}
    figures = performance(check(zk, f"{path}/*/latch", "-v"))
    assert figures[f"{path}/a/latch candidates"] == figures[f"{path}/b/latch candidates"] == "1"
    assert "elections" not in figures
    config = tmp_path / "c.yaml"
    config.write_text(f"clusters: [{{name: east, hosts: '{zk.hosts}', elections: [{{path: {path}/a/latch, name: orders}}]}}, "
                      f"{{name: west, hosts: '{zk.hosts}{path}'}}]\n")
    assert performance(run("check", "--config", str(config), "--admin", "off"))["elections"] == "3"
    figures = performance(run("check", "--config", str(config), "--admin", "off", "-v"))
    assert figures["east orders candidates"] == figures["west /a/latch candidates"] == "1", figures


def test_free_lock_is_fine(zk, path, client, tmp_path):
    client.ensure_path(path)
    done = run("check", *elections_of(zk, tmp_path, "lock", path))
    assert done.status == 0 and "free" in done.out, done


def test_a_guessed_kind_changes_nothing(zk, path, client):
    """Nothing tells an empty election from a free lock: who named it says so, with --kind or in the configuration."""
    client.ensure_path(path)
    done = check(zk, path)
    assert done.status == 2 and "no leader" in done.out, done
    assert check(zk, path, "--kind", "lock").status == 0


def test_clickhouse_without_a_line_is_fine(zk, path, client):
    """Since 21.12 a persistent leader_election-0 lies there: every replica leads, and nobody stands."""
    path += "/leader_election"
    client.create(f"{path}/leader_election-0", b"all (multiple leaders Ok)", makepath=True)
    done = check(zk, path)
    assert done.status == 0 and "every replica leads" in done.out, done
    pattern = path.replace("/leader_election", "*/leader_election")
    done = check(zk, pattern)
    assert done.status == 0 and "every replica leads" in done.out, done
    assert run("once", "--strict", "-s", zk.hosts, "--admin", zk.admin, pattern).status == 0
    client.create(f"{path}/other", b"")
    assert check(zk, path).status == 2


def test_a_lock_that_nobody_waits_for_is_fine(zk, path, client, follower):
    """It is released, and free: by tools now and then, by all who read, by the threads of one client."""
    tool, readers, threads = (client.Lock(f"{path}/tool", "a"), [one.ReadLock(f"{path}/read", "r") for one in (client, follower)],
                              f"{path}/threads")
    assert tool.acquire(timeout=20) and all(reader.acquire(timeout=20) for reader in readers)
    done = run("check", "-s", f"{zk.hosts}{path}", "--admin", zk.admin)
    assert done.status == 0, done
    assert check(zk, f"{path}/read").status == 0
    done = check(zk, f"{path}/tool")  # somebody wants a leader there
    assert done.status == 1 and "no candidate after the leader" in done.out, done
    for _ in range(2):
        client.create(f"{threads}/_c_{uuid.uuid4()}-lock-", ephemeral=True, sequence=True, makepath=True)
    assert check(zk, threads, "--kind", "lock").status == check(zk, threads, "--kind", "lock", "-w", "next_failover=1:").status == 0
    done = check(zk, threads)
    assert "no candidate of another session after the leader" in done.out, done


def test_several_elections_in_one_line(zk, path, standing, client, follower, tmp_path):
    follower.exists(standing[0], watch=lambda event: None)
    client.ensure_path(path + "-b")
    done = check(zk, *elections_of(zk, tmp_path, "leader", path, path + "-b"))
    assert done.status == 2, done
    more = check(zk, *elections_of(zk, tmp_path, "leader", path, path + "-b"), "-v").out
    assert more.index(path + "-b") < more.index(path + " led")  # the worst first
    assert performance(done) == {"elections": "2", "problems": "1"}, done


def test_several_clusters_are_told_apart(zk, path, standing, client, tmp_path):
    """The same path in two clusters: each is named with its cluster."""
    client.ensure_path(path + "-b")
    config = tmp_path / "c.yaml"
    elections = f"elections: [{{path: {path}}}, {{path: {path}-b, kind: leader}}]"
    config.write_text(f"clusters: [{{name: east, hosts: '{zk.hosts}', {elections}}}, "
                      f"{{name: west, hosts: '{zk.hosts}', {elections}}}]\n")
    done = run("check", "--config", str(config), "-v", "-w", "suspected=~:", "-w", "candidates=3:")
    for name in ("east", "west"):
        assert f"{name} {path}: candidates 2 is outside 3:" in done.out, done
        assert f"{name} {path}-b: no leader" in done.out, done
    done = run("check", "--config", str(config), "--cluster", "east", "-w", "suspected=~:", path)
    assert f"- {path} led by" in done.out, done


def test_ranges_are_readable(zk, path, standing):
    """Times for people in the text, numbers in the performance data."""
    done = check(zk, path, "-c", "tenure=1h:", "-w", "candidates=@1:2")
    assert re.search(rf"{path}: tenure of at most [0-9.]+m?s is outside 1h:", done.out), done
    assert f"{path}: candidates 2 is inside 1:2" in done.out, done
    assert re.search(r"'tenure'=[0-9.]+s;;3600:;0;", done.out), done


def test_what_is_there_instead_of_a_leader(zk, path, client):
    """A znode without an owner in a lock's place, and no chroot: neither is a path that may be a lock."""
    at = f"{path}/kafka/controller"
    client.ensure_path(f"{path}/kafka/brokers/ids")
    assert "the path does not exist" in check(zk, at).out
    client.create(at, b"left")
    done = check(zk, at)
    assert done.status == 2 and "; nobody holds it: a znode without an owner is in its place |" in done.out, done
    done = run("check", "-s", f"{zk.addresses[0]}{path}/none", "--admin", zk.admin, "/latch")
    assert done.status == 2 and f"; the chroot {path}/none does not exist on this cluster; check --server |" in done.out, done


def test_what_one_look_cannot_tell(zk, path):
    """That a leader took over, and was not only the next in line: said of one that once waited, and of no other."""
    line = Line(zk, f"{path}/latch")
    first = line.join("host-a:1")
    line.join("host-b:1")
    try:
        at = f"{path}/latch", "--kind", "leader"
        assert "takeover" not in check(zk, *at).out
        first.session.close()
        told = f": no candidate after the leader; {at[0]}: takeover not seen, nor acknowledged |"
        until(lambda: told in check(zk, *at).out, what="b is first")
    finally:
        line.close()


def test_verbose_gives_more_lines(zk, path, standing, client, tmp_path):
    """The first line stays as it is; each problem and each election that is well follows on its own."""
    client.ensure_path(path + "-b")
    arguments = elections_of(zk, tmp_path, "leader", path, path + "-b")
    done = check(zk, *arguments, "-v")
    first, *more = done.out.splitlines()
    assert first.startswith("ELECTION CRITICAL - ") and " |" in first and "|" not in "".join(more), done
    assert any(line.startswith(f"CRITICAL: {path}-b: no leader") for line in more), done
    assert any(line.startswith(f"{path} led by host-a:1 for at most ") for line in more), done
    told, exact = re.search(r" for at most ([0-9.]+)s.* 'tenure'=([0-9.]+)s", check(zk, path).out).groups()
    assert float(told) >= float(exact)


def test_a_cluster_is_a_short_line(zk, path, client, tmp_path):
    """Of many problems the worst come first, in a line of 200 characters, and all with -v."""
    paths = [f"{path}-{i}" for i in range(12)]
    for one in paths:
        client.ensure_path(one)
    arguments = elections_of(zk, tmp_path, "leader", *paths)
    done = check(zk, *arguments)
    words = done.out.split(" |")[0]
    assert done.status == 2 and len(done.out) <= 200 and done.out.count("\n") == 1, (len(words), done)
    assert words.endswith("; ... (-v shows all)"), done
    assert all(one + ":" in check(zk, *arguments, "-v").out for one in paths)
    paths[0] += " of tenants" * 20  # no sentence has room, and a word is whole
    client.ensure_path(paths[0])
    words = check(zk, *elections_of(zk, tmp_path, "leader", *paths[:2])).out.split(" |")[0]
    assert re.search(r" (of|tenants)(; [^;]+)?; \.\.\. \(-v shows all\)$", words), words


def test_a_sentence_that_is_cut_ends_with_a_clause(zk, client, tmp_path):
    paths = [f"/cut-{i}" for i in range(3)]
    for one in paths:
        for ephemeral in (False, True):
            client.create(f"{one}/_c_41cb8240-104f-47fd-abb4-fad3da3a5721-latch-", b"persistent-1.example:8080", ephemeral=ephemeral,
                          sequence=True, makepath=True)
    done = check(zk, *elections_of(zk, tmp_path, "leader", *paths))
    assert done.out.split(" |")[0].endswith("is a leftover without a session; ... (-v shows all)"), done


def test_unknown(zk, path):
    for arguments, word in ((["check", "-s", "127.0.0.1:1", "-t", "1", "/x"], "not connected"),
                            (["check", "-w", "nonsense=1"], "unknown figure nonsense"),
                            (["check", "-w", "candidate=1"], "did you mean candidates?"),
                            (["check", "--nonsense"], "unknown option"),
                            (["check", "-s", zk.hosts, path + "/*"], "no path matches"),
                            (["check", "--config", "/nonexistent/config.yaml"], "/nonexistent/config.yaml")):
        done = run(*arguments)
        assert done.status == 3 and done.out.startswith("ELECTION UNKNOWN - ") and word in done.out, (arguments, done)
        assert done.out.count("\n") == 1, done


def test_names_that_prove_nothing(zk, path, client, follower):
    """A pattern's match that nothing proves is unknown, and the line says what to do; its path settles it."""
    client.ensure_path(path + "/b")
    for one in (client, follower):
        one.create(path + "/b/n_", ephemeral=True, sequence=True)
    done = run("check", "-s", zk.hosts, path + "/*")
    assert done.status == 3 and f"{path}/b: nothing proves that it is an election; name its path" in done.out, done
    assert run("check", "-s", zk.hosts, path + "/b").status == 0


def test_deadline_holds(zk, path, client):
    """A server that stands still does not make the check late."""
    client.ensure_path(path)
    zk.freeze(0)
    try:
        began = time.monotonic()
        done = check(zk, path, "-t", "2")
        assert done.status == 3 and time.monotonic() - began < 6, done
    finally:
        zk.thaw(0)


def test_hostile_names_stay_in_their_place(zk, path, client):
    client.ensure_path(path)
    client.create(path + "/n_", b"evil|'x'=1;\n\x1b[2J", ephemeral=True, sequence=True)
    done = check(zk, path)
    assert done.out.count("|") == 1 and done.out.count("\n") == 1 and "\x1b" not in done.out, done


def test_figures_of_a_recording(zk, client, tmp_path):
    client.ensure_path("/election")
    first, _ = [client.create("/election/n_", ephemeral=True, sequence=True) for _ in "ab"]
    recorder = Recorder(tmp_path, zk.hosts)
    try:
        recorder.wait_for("SELECT * FROM events WHERE event = 'election-seen'")
        client.delete(first)
        recorder.wait_for("SELECT * FROM failovers")
        done = run("check", "--config", str(recorder.config), "--admin", zk.admin, "-c", "changes=~:0")
        assert done.status == 2 and performance(done)["changes"] == "1", done
        assert run("check", "--config", str(recorder.config), "-c", "changes=~:0", "--window", "1s",
                   "-w", "next_failover=~:").status in (0, 2)
    finally:
        recorder.end()


# -- inside a real monitoring daemon

NAGIOS = shutil.which("nagios4")
CONFIG = """
log_file={d}/nagios.log
cfg_file={d}/objects.cfg
object_cache_file={d}/objects.cache
precached_object_file={d}/objects.precache
status_file={d}/status.dat
status_update_interval=2
service_inter_check_delay_method=n
illegal_macro_output_chars=`~$&|'<>
nagios_user={user}
nagios_group={user}
check_external_commands=0
command_file={d}/nagios.cmd
query_socket={d}/nagios.qh
lock_file={d}/nagios.lock
temp_file={d}/nagios.tmp
temp_path={d}
log_archive_path={d}
check_result_path={d}
state_retention_file={d}/retention.dat
interval_length=1
use_syslog=0
enable_notifications=0
execute_service_checks=1
date_format=iso8601
service_check_timeout=30
"""
OBJECTS = """
define timeperiod {{
 timeperiod_name always
 alias always
 sunday 00:00-24:00
 monday 00:00-24:00
 tuesday 00:00-24:00
 wednesday 00:00-24:00
 thursday 00:00-24:00
 friday 00:00-24:00
 saturday 00:00-24:00
}}
define contact {{
 contact_name nobody
 host_notification_period always
 service_notification_period always
 host_notification_commands up
 service_notification_commands up
}}
define command {{
 command_name up
 command_line /bin/true
}}
define command {{
 command_name check_election
 command_line {program} check --config {d}/electop.yaml -s $HOSTADDRESS$:{port} --admin {admin} -t 10 $ARG1$
}}
define host {{
 host_name zk
 address {address}
 check_command up
 check_period always
 max_check_attempts 1
 check_interval 60
 contacts nobody
 notification_period always
}}
define service {{
 host_name zk
 service_description election
 check_command check_election!{path}
 check_period always
 check_interval 1
 retry_interval 1
 max_check_attempts 1
 contacts nobody
 notification_period always
}}
"""
STATES = {0: "OK", 1: "WARNING", 2: "CRITICAL", 3: "UNKNOWN"}


def service_state(directory):
    """What the daemon itself says of the service: its state, its text and its performance data."""
    status = (directory / "status.dat").read_text() if (directory / "status.dat").exists() else ""
    service = status.partition("servicestatus {")[2].partition("}")[0]
    facts = dict(line.strip().partition("=")[::2] for line in service.splitlines() if "=" in line)
    return (STATES.get(int(facts["current_state"])) if facts.get("has_been_checked") == "1" else None,
            facts.get("plugin_output", ""), facts.get("performance_data", ""))


@pytest.mark.skipif(not NAGIOS, reason="nagios4 is not installed")
def test_state_changes_in_nagios_when_the_leader_is_killed(zk, path):
    """Green while somebody leads and the next one is notified, red when nobody is left, green again after that."""
    client = zk.client()
    client.ensure_path(path)
    one = zk.client(timeout=2)
    two = zk.client(timeout=2)
    first = one.create(path + "/n_", b"a:1", ephemeral=True, sequence=True)
    two.create(path + "/n_", b"b:1", ephemeral=True, sequence=True)
    two.exists(first, watch=lambda event: None)
    address, port = zk.hosts.split(":")
    user = "nagios" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    directory = pathlib.Path(tempfile.mkdtemp(prefix="electop-nagios-"))  # the daemon's user must get there
    program = shutil.copy(PROGRAM, directory / "electop")  # the daemon's user cannot look into the build
    (directory / "nagios.cfg").write_text(CONFIG.format(d=directory, user=user))
    # The directory is vacant for a while: only the configuration says that it must have a leader.
    (directory / "electop.yaml").write_text(f"clusters: [{{hosts: '{zk.hosts}', elections: [{{path: {path}, kind: leader}}]}}]\n")
    (directory / "objects.cfg").write_text(OBJECTS.format(d=directory, program=program, address=address, port=port, path=path,
                                                          admin=zk.admin))
    if os.getuid() == 0:
        shutil.chown(directory, user, user)
    daemon = subprocess.Popen([NAGIOS, str(directory / "nagios.cfg")], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              env={**os.environ, "HOME": str(directory)})
    try:
        def shows(*wanted):
            def one_of():
                state = service_state(directory)
                log = directory / "nagios.log"
                assert state[0] in wanted, (state, log.read_text()[-500:] if log.exists() else "no log yet")
                return state
            return until(one_of, 40)
        state, text, figures = shows("OK")
        assert "led by a:1" in text and "'candidates'=2" in figures
        one.stop()   # the successor leads, and there is no candidate after it
        state, text, _ = shows("WARNING")
        assert "no candidate after the leader" in text
        two.stop()
        state, text, _ = shows("CRITICAL")
        assert "no leader" in text
        client.create(path + "/n_", b"c:1", ephemeral=True, sequence=True)
        shows("OK", "WARNING")
    finally:
        os.killpg(daemon.pid, signal.SIGTERM)
        daemon.wait(20)
        shutil.rmtree(directory)
