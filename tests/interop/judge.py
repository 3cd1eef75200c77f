"""What electop may say of an election at each stage, and what it must: one table for every client.

Complaints are sentences. None of them: the verdict is "right"."""
import re

from electop import elections
from stages import A, B, TIMEOUT_S
from truth import Lies, moment, retell

ABOVE_INFO = ("warning", "error", "critical")
# What is true while a client is dead and its session is not over, or while a server is away.
OF_THE_DEAD = {"owner-disconnected"}
TRUE_THEN = {
    "killed": OF_THE_DEAD, "frozen": OF_THE_DEAD, "resumed": OF_THE_DEAD, "middle": OF_THE_DEAD,
    # Its clients come back to the server that was restarted one by one.
    "restarted": OF_THE_DEAD,
}
# More changes than this within ten minutes are too many, says the configuration's default.
CHANGES_ALLOWED, CHANGES_WITHIN_S = 3, 600


def short(finding):
    return f"{finding['code']} ({finding['severity']}, {finding['certainty']}): {finding['evidence']}"


def certain_above_info(findings):
    return [f for f in findings or [] if f["certainty"] == "certain" and f["severity"] in ABOVE_INFO
            and not f["unconfirmed_since"]]


def changes_of_leader(truth, path, until):
    leaders = [at for made in truth.directories[path] for at, life in made.leaders() if life]
    return [at for at in leaders[1:] if until - CHANGES_WITHIN_S <= at <= until]


def flapping_is_true(truth, path, until):
    return len(changes_of_leader(truth, path, until)) > CHANGES_ALLOWED


def unknown(client, complaints):
    """Those that are not known yet: what is known is in the table, and fails no test."""
    return [line for line in complaints if not (client.known and re.search(client.known, line))]


# ---- looks ----

def recognised(client, election):
    if client.recipe and election["recipe"] != client.recipe:
        yield f"it is called {election['recipe']}, and is {client.recipe}"
    if election["recognised"] != "signature":
        yield f"recognised by {election['recognised']}"


def order(client, seen, election):
    names = [life.name for life in seen.standing[client]]
    shown = [candidate["name"] for candidate in election["candidates"]]
    if client.fixed:
        names, shown = names[:1], shown[:1]
    if shown != names:
        yield f"these stand: {names}; shown are {shown}"
    if client.named:
        wanted = seen.shown[client]
        identities = [candidate["identity"] for candidate in election["candidates"]][:len(wanted)]
        if identities != wanted:
            yield f"they are {wanted}; shown as {identities}"
    if client.members:
        yield from registered(client, seen, election)


def registered(client, seen, election):
    """Those who registered beside a lock, by the names that operators of that system use."""
    listed = election["members"]
    if not listed:
        yield "no member is listed"
        return
    for member in listed:
        wanted = seen.sessions[client].get(member["session"])
        if wanted and member["identity"] != wanted:
            yield f"member {member['name']} is {wanted}; shown as {member['identity']}"
    leading = [member["name"] for member in listed if member["leads"]]
    if len(leading) != (client.members == "all"):
        yield f"these members are said to lead: {leading}"


def leads(client, seen, election):
    holders = [life.name for life in seen.holders[client]]
    leader = election["leader"] and election["leader"]["name"]
    if election["state"] != "led":
        yield f"led by {holders}, and said to be {election['state']}"
    elif leader != holders[0]:
        yield f"led by {holders}; shown is {leader}"
    if client.claim == "shared":
        shown = [c["name"] for c in election["candidates"] if c["state"] in ("leader", "holder")]
        if shown != holders:
            yield f"held by {holders}; shown as holders are {shown}"


def chain(client, stage, seen, election):
    states = [candidate["state"] for candidate in election["candidates"]]
    following = election["next_failover"] or {}
    if client.claim == "shared":
        if bad := [state for state in states if state not in ("leader", "holder", "waiting")]:
            yield f"healthy members are shown as {bad}"
        if following.get("chain") == "broken":
            yield "the chain is said to be broken"
        return
    if client.fixed:
        # Waiters set their watches again some time after a restart: until then it is rightly unknown.
        if following.get("told") is not client.told and (stage != "restarted" or following.get("told") is not None):
            yield f"told is {following.get('told')}"
        return
    if client.chain and states != ["leader"] + ["waiting"] * (len(states) - 1):
        yield f"their states are shown as {states}"
    if following.get("chain") != ("complete" if client.chain else following.get("chain")):
        yield f"the chain is said to be {following.get('chain')}"
    if following.get("chain") == "broken":
        yield "the chain is said to be broken"
    if len(states) > 1:
        successor = seen.standing[client][1].name
        if following.get("heir") != successor:
            yield f"the next one is {successor}; shown is {following.get('heir')}"
        if following.get("told") is not client.told:
            yield f"told is {following.get('told')}"


def quiet(client, stage, seen, path, election):
    """No certain accusation of a healthy system."""
    for finding in certain_above_info(election["findings"]):
        if finding["code"] in TRUE_THEN.get(stage, ()):
            continue
        if finding["code"] == "flapping" and flapping_is_true(seen.truth, path, seen.ended or moment_of(seen)):
            continue
        if finding["code"] == "herd" and client.herd:
            continue
        yield short(finding)


def moment_of(seen):
    return moment(seen.named["time"])


def judge_standing(client, stage, seen, path):
    """Complaints about who stands, who leads and who watches whom, in the named look."""
    election = elections(seen.named).get(path)
    if election is None:
        return ["it is not in the look"]
    found = list(order(client, seen, election))
    return found or [*leads(client, seen, election), *chain(client, stage, seen, election)]


def judge_look(client, stage, seen, path):
    """Complaints about the named look."""
    found, election = judge_standing(client, stage, seen, path), elections(seen.named).get(path)
    if election is not None:
        found += [*recognised(client, election), *quiet(client, stage, seen, path, election)]
    return found


def judge_discovered(client, stage, seen, path):
    """Complaints about the look that found its elections by itself: of this path, and of all below it."""
    found, below = [], {p: e for p, e in elections(seen.discovered).items() if p == path or p.startswith(path + "/")}
    if client.claims and path not in below:
        found.append("discovery does not find it")
    for each, election in below.items():
        found += [f"{each}: {what}" for what in quiet(client, stage, seen, each, election)]
    return found


def judge_status(stage, seen):
    """`once --strict` exits with 0 where all are healthy, whichever way they are named."""
    for way, status in (("named", seen.status), ("discovered", seen.discovered_status)):
        if status != 0:
            yield f"once --strict ({way}) exits with {status}"


# ---- streams ----

def raised(stream, path, since, until):
    with stream.changed:
        events = list(stream.seen)
    for event in events:
        about = event.get("election") or ""
        if event["event"] == "finding-raised" and (about == path or about.startswith(path + "/")):
            if since <= moment(event["time"]) <= until:
                yield event


def judge_stream(client, stage, seen, path, streams):
    found = []
    for way, stream in zip(("named", "discovered"), streams):
        for event in raised(stream, path, seen.began, seen.ended):
            for finding in certain_above_info([event["finding"]]):
                if finding["code"] in TRUE_THEN.get(stage, ()):
                    continue
                if finding["code"] == "flapping" and flapping_is_true(seen.truth, path, moment(event["time"]) + 0.05):
                    continue
                if finding["code"] == "herd" and client.herd:
                    continue
                found.append(f"events ({way}): {event['election']}: {short(finding)}")
    return found


def judge_story(client, play, path, deaths):
    """What the stream told of who came, went and led, and why and when, held against the transaction log.

    Of all stages so far: lies of an earlier stage are told again, and left out by the caller."""
    if client.claim not in ("election", "lock") or not client.story:
        return []
    lies = Lies(f"events {path}")
    with play.streams[0].changed:
        events = list(play.streams[0].seen)
    retell(play.truth(), [path], events, lies, deaths)
    return [line.replace("\n", " ") for line in lies.found]


def deaths_of(play):
    """session: when its process was killed or frozen."""
    found = {}
    for stage, name in (("killed", A), ("frozen", B)):
        if stage in play.seen:
            found.update({owner: play.seen[stage].acted for (_, owner), who in play.members.items() if who == name
                          and owner in {life.owner for lives in play.seen["healthy"].standing.values() for life in lives}})
    return found
