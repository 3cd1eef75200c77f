#include "probe/election/vacancy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/bystanders.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/logged_ends.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"

/* It needs a leader, and is known to be vacant or absent. */
static bool vacancy_is_open(const struct election *election)
{
    enum election_state state = summary_state(election);
    bool held = state == ELECTION_VACANT ||
                (state == ELECTION_ABSENT && (!election_vanished(election) || election_is_wanted(election)));
    return held && summary_must_lead(election);
}

/* ---- the first in line does not lead ---- */

static const struct doubt {
    enum finding_code code;
    bool took_over; /* it may have led before */
    const char *whose, *text;
} doubts[] = {
    {FINDING_PERSISTENT_CANDIDATE, false, "",
     "is a leftover without a session: those behind it wait until somebody deletes it"},
    {FINDING_GHOST_EPHEMERAL, true, "",
     "belongs to a session that has ended: those behind it wait until it is deleted"},
    {FINDING_NEVER_WAKES, false, "", "has not learned that it is first"},
    {FINDING_DUPLICATE_SESSION, false, "",
     "is an orphan of its client, which stands again behind it and waits for itself"},
    {FINDING_FOREIGN_CHILD, false, "", "waits for a child that is no candidate, and has a lower number"},
    {FINDING_NEVER_ACKNOWLEDGED, false, "", "does not acknowledge that it leads"},
    {FINDING_OWNER_DISCONNECTED, true, "the client of ", "has no connection"},
    {FINDING_LEADER_SILENT, true, "the client of ", "is silent"},
};
#define DOUBTS (sizeof doubts / sizeof doubts[0])

static const struct doubt *doubt_of(const struct election *election, const struct finding *finding)
{
    /* A milder finding only warns of a future problem. */
    if (!election->leader || finding->severity < SEVERITY_ERROR || finding->one_poll ||
        finding->candidate_count == 0 || strcmp(finding->candidates[0], election->leader->name) != 0)
        return NULL;
    size_t i = 0;
    while (i < DOUBTS && doubts[i].code != finding->code)
        i++;
    return i < DOUBTS ? &doubts[i] : NULL;
}

/* Its client had no connection when the leader before it was lost, and has had none in any list since. */
static bool is_untold(const struct finding *finding)
{
    return finding->code == FINDING_OWNER_DISCONNECTED && finding->severity == SEVERITY_CRITICAL;
}

bool vacancy_is_sure(const struct finding *doubt)
{
    /* Between two lists it may have had one. */
    return doubt->certainty == CERTAINTY_CERTAIN && doubt->severity == SEVERITY_CRITICAL && !is_untold(doubt);
}

static bool is_doubt(const struct election *election, const struct finding *finding)
{
    return summary_state(election) == ELECTION_LED && summary_must_lead(election) &&
           doubt_of(election, finding) != NULL;
}

const struct finding *vacancy_doubt(const struct election *election)
{
    const struct finding *doubt = NULL;
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        if (is_doubt(election, finding) && (!doubt || vacancy_is_sure(finding) > vacancy_is_sure(doubt) ||
                                            finding->severity > doubt->severity))
            doubt = finding;
    }
    return doubt;
}

bool vacancy_first_follows(const struct election *election)
{
    const struct change *change = &election->change;
    return change->from && (!change->to || strcmp(change->to, election->leader->name) == 0);
}

bool vacancy_heir_is_unheard(const struct election *election)
{
    const struct client_session *shown = election->leader ? candidate_client(election->leader) : NULL;
    return shown && vacancy_first_follows(election) && client_is_unheard(shown, election->change.lost_at);
}

/* It may have led before the finding. */
static bool may_have_led(const struct election *election, const struct finding *finding)
{
    bool took_over = finding->code == FINDING_NEVER_ACKNOWLEDGED ? election->change.takeover_us >= 0
                                                                 : doubt_of(election, finding)->took_over;
    return took_over && !vacancy_heir_is_unheard(election) && !is_untold(finding);
}

bool vacancy_is_untaken(const struct election *election)
{
    const struct finding *doubt = vacancy_doubt(election);
    return doubt && election->acknowledged != ACK_NO && !may_have_led(election, doubt);
}

static bool is_stall(const struct election *election, const struct finding *finding)
{
    return is_doubt(election, finding) && vacancy_is_sure(finding) &&
           finding->code != FINDING_NEVER_ACKNOWLEDGED;
}

bool vacancy_stalls(const struct election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (is_stall(election, election->findings[i]))
            return true;
    return false;
}

bool vacancy_is_denied(const struct election *election)
{
    /* A TTL znode whose member wrote to it, and has stopped, may have led until then. */
    bool kept = election->leader && election->leader->known && election->leader->stat.version > 0;
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        if (is_doubt(election, finding) && vacancy_is_sure(finding) && !may_have_led(election, finding) &&
            !(kept && finding->code == FINDING_PERSISTENT_CANDIDATE))
            return true;
    }
    return false;
}

/* The findings that say so, the sure ones first. */
static size_t reasons_of_doubt(const struct election *election, struct vacancy_reason *reasons)
{
    size_t count = 0;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < election->finding_count && count < VACANCY_REASONS; i++) {
            const struct finding *finding = election->findings[i];
            if (vacancy_is_sure(finding) != (pass == 0) || !is_doubt(election, finding))
                continue;
            const struct candidate *first = election->leader;
            struct vacancy_reason *r = &reasons[count++];
            /* That its client has no connection may be certain, and that it does not lead is not. */
            r->certainty = vacancy_is_sure(finding) ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
            const struct doubt *doubt = doubt_of(election, finding);
            snprintf(r->text, sizeof r->text, "%sthe first, %.100s, %s%s", doubt->whose,
                     first->identity ? first->identity : first->name, doubt->text,
                     is_untold(finding) ? ", and had none when the leader before it was lost" : "");
            snprintf(r->evidence, sizeof r->evidence, "%s", finding->evidence ? finding->evidence : "");
        }
    return count;
}

static struct span open_since(struct moment since, struct moment now)
{
    return (struct span){now.mono_us - since.mono_us, SPAN_OPEN};
}

/* Told as complete before it was known that its successor never led. */
static void reopen_told(struct failover *failover)
{
    failover->to = failover->to_identity = NULL;
    failover->gap_us = failover_lost_within_us(failover);
    failover->elected_at = (struct moment){0};
    failover->takeover = failover->total = SPAN_UNKNOWN;
}

/* The change that made it the first, where it may never have led. A moment of a recording keeps no failovers. */
static void lost_before_doubt(const struct election *election, struct moment now, struct failover *failover)
{
    const struct change *change = &election->change;
    const struct failover *last = election_last_failover(election);
    if (may_have_led(election, vacancy_doubt(election)))
        return;
    if (!vacancy_first_follows(election)) {
        logged_ends_before(election, now, failover);
        return;
    }
    if (last && (last->to ? strcmp(last->to, election->leader->name) == 0 : failover_is_open(last))) {
        *failover = *last;
        return;
    }
    failover->from = change->from;
    failover->from_identity = change->from_identity;
    failover->to = change->to;
    failover->to_identity = change->to_identity;
    failover->lost_at = change->lost_at;
}

/* ---- there is no candidate ---- */

bool vacancy_led_unseen(const struct election *election, const struct failover *lost)
{
    bool nobody = election->state == ELECTION_VACANT || election->state == ELECTION_ABSENT;
    /* The state was found later than the loss: by this run, or by the one whose recording it goes on from. */
    bool found = nobody && !election->state_since_exact && election->change.from &&
                 lost->lost_at.wall_us != 0 && election->state_since.wall_us > lost->lost_at.wall_us;
    return found || (election->own && election->own->led_unseen);
}

/* Another one may have led in the gap in which that loss was found, or since: a log proves who led last. */
static bool logged_since(const struct election *election, struct moment now, struct failover *failover)
{
    struct failover logged = {
        .detection = SPAN_UNKNOWN, .vacancy = SPAN_UNKNOWN, .takeover = SPAN_UNKNOWN, .total = SPAN_UNKNOWN};
    bool unseen = vacancy_led_unseen(election, failover) || failover_lost_within_us(failover) > 0;
    if (!unseen || !logged_ends_before(election, now, &logged) || logged.cause_certainty != CERTAINTY_CERTAIN)
        return false;
    *failover = logged;
    return true;
}

bool vacancy_lost(const struct election *election, struct moment now, struct failover *failover)
{
    const struct change *change = &election->change;
    const struct failover *last = election_last_failover(election);
    *failover = (struct failover){
        .detection = SPAN_UNKNOWN, .vacancy = SPAN_UNKNOWN, .takeover = SPAN_UNKNOWN, .total = SPAN_UNKNOWN};
    bool never = vacancy_is_denied(election);
    const struct finding *doubt = never ? NULL : vacancy_doubt(election);
    if (doubt) {
        lost_before_doubt(election, now, failover);
        return true;
    }
    if (!never && !vacancy_is_open(election))
        return false;
    if (!last && election->failover_count > 0 && change->lost_at.mono_us == 0)
        last = election_failover_at(election, election->failover_count - 1); /* a recording's */
    bool denied = never && last && last->to && strcmp(last->to, election->leader->name) == 0;
    if (last && (denied || failover_is_open(last)))
        *failover = *last;
    if (denied)
        reopen_told(failover);
    bool seen = change->from && (!change->to || never);
    bool logged = !seen && !failover->from && logged_ends_before(election, now, failover);
    if (seen && !failover->from) {
        failover->from = change->from;
        failover->from_identity = change->from_identity;
        failover->lost_at = change->lost_at;
    } else if (!seen && !logged && !never && election->state_since_exact) {
        failover->lost_at = election->state_since;
    }
    bool since = failover->from && logged_since(election, now, failover);
    struct moment vacant = failover->lost_at;
    if (!since && vacancy_led_unseen(election, failover)) { /* it ended in a gap, perhaps */
        failover->vacancy = SPAN_UNKNOWN;
        return true;
    }
    if (vacant.mono_us == 0 && election->state_since.mono_us < election->own_since.mono_us)
        vacant = election->state_since; /* a recording found it so */
    if (vacant.mono_us != 0 && now.mono_us >= vacant.mono_us)
        failover->vacancy = open_since(vacant, now);
    return true;
}

/* The session that left, or else another one from its host, is connected without a candidate. */
static const struct client_session *client_left(const struct cluster *cluster,
                                                const struct departure_note *note)
{
    const struct client_session *client = cluster_client(cluster, note->session);
    return client && client->connected && !client->observer ? client : NULL;
}

static size_t clients_that_left(const struct election *election, struct vacancy_reason *reasons)
{
    const struct departure_note *note;
    uint64_t named[VACANCY_CLIENTS];
    size_t count = 0;
    for (size_t i = 0; count < VACANCY_CLIENTS && (note = departed_at(election, i)); i++) {
        const struct client_session *client = client_left(election->cluster, note);
        bool again = false;
        for (size_t k = 0; k < count; k++)
            again |= named[k] == note->session;
        if (!client || again)
            continue;
        named[count] = note->session;
        struct vacancy_reason *r = &reasons[count++];
        r->certainty = CERTAINTY_CERTAIN;
        snprintf(r->text, sizeof r->text, "the client of %s%s%s is connected and does not stand again",
                 note->name, client->address ? ", " : "", client->address ? client->address : "");
        snprintf(r->evidence, sizeof r->evidence,
                 "session 0x%" PRIx64 " has a connection, and no candidate here", note->session);
    }
    return count;
}

/* Who is registered beside a lock could take it. */
static size_t members_that_wait(const struct election *election, struct vacancy_reason *r)
{
    size_t count = election->listed_member_count, connected = 0, known = 0, length = 0;
    char names[140] = "";
    if (!election->members_listed || count == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct member *member = &election->listed_members[i];
        const struct client_session *client = cluster_client(election->cluster, member->session);
        known += client != NULL;
        connected += member->session != 0 && client && client->connected;
        if (i < VACANCY_CLIENTS)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%.40s", i ? ", " : "",
                                       member->identity ? member->identity : member->name);
    }
    r->certainty = CERTAINTY_CERTAIN;
    snprintf(r->text, sizeof r->text, "%zu %s registered%s, and %s not taken over: %s%s", count,
             count == 1 ? "member is" : "members are", connected == count ? " and connected" : "",
             count == 1 ? "has" : "have", names, count > VACANCY_CLIENTS ? ", ..." : "");
    const char *path = election->members_path ? election->members_path : "their directory";
    if (known > 0)
        snprintf(r->evidence, sizeof r->evidence,
                 "%zu of %zu entries of %.160s belong to a connected session", connected, count, path);
    else
        snprintf(r->evidence, sizeof r->evidence, "%zu entr%s of %.160s", count, count == 1 ? "y" : "ies",
                 path);
    return 1;
}

/* The latest candidate since the loss that was gone before it was read. */
static size_t brief_visit(const struct election *election, struct vacancy_reason *r)
{
    const struct departure_note *note;
    char when[40];
    size_t i = 0;
    while ((note = departed_at(election, i)) && note->session != 0)
        i++;
    if (!note || note->at.mono_us < election->change.lost_at.mono_us)
        return 0;
    describe_clock(note->at, when, sizeof when);
    r->certainty = CERTAINTY_CERTAIN;
    snprintf(r->text, sizeof r->text, "%s stood meanwhile, for less than a second until %s", note->name,
             when);
    snprintf(r->evidence, sizeof r->evidence, "its znode was gone before it could be read");
    return 1;
}

/* What its leader wrote, and what outlived it. */
static bool mark_is_left(const struct election *election)
{
    bool read = election->own && election->ack_known && election->ack_present && !election->own->ack_unread;
    bool node = election->ack_place == ACK_PLACE_NODE || election->ack_place == ACK_PLACE_PARENT_DATA;
    return read && node && election->state == ELECTION_VACANT &&
           (election->ack_identity || owner_is_session(election->ack_stat.owner));
}

static size_t describe_mark(const struct election *election, struct vacancy_reason *r)
{
    if (!mark_is_left(election))
        return 0;
    uint64_t owner = owner_is_session(election->ack_stat.owner) ? election->ack_stat.owner : 0;
    const struct client_session *client = owner ? cluster_client(election->cluster, owner) : NULL;
    int length = snprintf(r->text, sizeof r->text, "%.100s still names ", election->ack_path);
    if (election->ack_identity)
        length +=
            snprintf(r->text + length, sizeof r->text - (size_t)length, "%.80s", election->ack_identity);
    else
        length += snprintf(r->text + length, sizeof r->text - (size_t)length, "session 0x%" PRIx64, owner);
    if (client && client->connected)
        snprintf(r->text + length, sizeof r->text - (size_t)length, ", whose client is connected");
    r->certainty = CERTAINTY_CERTAIN;
    if (owner)
        snprintf(r->evidence, sizeof r->evidence,
                 "a leader of this layout writes it, and session 0x%" PRIx64 " owns it", owner);
    else
        snprintf(r->evidence, sizeof r->evidence, "a leader of this layout writes it, and it has no owner");
    return 1;
}

const struct finding *vacancy_blocking(const struct election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->code == FINDING_PERSISTENT_CANDIDATE &&
            election->findings[i]->candidate_count == 0)
            return election->findings[i];
    return NULL;
}

static bool is_written_to(const struct election *election)
{
    return election->state == ELECTION_VACANT && election->directory_known && election->written_lately &&
           election->recognised != RECOGNISED_CONFIGURED;
}

/* Where a session held it before, its writer does not lead by it. */
static bool may_be_lease(const struct election *election)
{
    return is_written_to(election) && !election->change.from;
}

bool vacancy_is_doubtful(const struct election *election)
{
    const struct finding *finding = vacancy_blocking(election);
    return finding ? finding->severity < SEVERITY_CRITICAL : may_be_lease(election);
}

/* Of one whose leader was never seen, the directory shows whether there was any candidate. */
static void describe_empty(const struct election *election, size_t foreign, char *buffer, size_t size)
{
    int64_t created = election->next_sequence;
    if (vacancy_is_doubtful(election))
        snprintf(
            buffer, size,
            "a znode without an owner is in its place, and was written to lately: perhaps its writer leads");
    else if (vacancy_blocking(election) || is_written_to(election))
        snprintf(buffer, size, "nobody holds it: a znode without an owner is in its place");
    else if (election->change.from || foreign > 0 || created < 0)
        snprintf(buffer, size, "nobody stands");
    else if (created == 0 && !election->recipe && election->childless)
        snprintf(buffer, size,
                 "nobody stands, and no znode was ever created in it: if a leader has to create this very "
                 "znode, the one without an owner is in its place");
    else if (created == 0)
        snprintf(buffer, size, "nobody stands, and no znode was ever created in it");
    else
        snprintf(buffer, size, "nobody stands; %" PRId64 " znode%s been created here, and %s is left",
                 created, created == 1 ? " had" : "s had",
                 election->outsider_count > 0 ? "no candidate" : "none");
}

size_t vacancy_reasons(const struct election *election, struct vacancy_reason reasons[VACANCY_REASONS])
{
    size_t count = 0, foreign = election->recipe ? election->foreign_count : election->outsider_count;
    if (!vacancy_is_open(election))
        return reasons_of_doubt(election, reasons);
    struct vacancy_reason *r = &reasons[count++];
    r->certainty = CERTAINTY_CERTAIN;
    if (election->state == ELECTION_ABSENT) {
        snprintf(r->text, sizeof r->text, "the path does not exist, so nobody can stand");
        snprintf(r->evidence, sizeof r->evidence, "%.160s did not exist when it was last looked for",
                 election->path);
    } else {
        describe_empty(election, foreign, r->text, sizeof r->text);
        snprintf(r->evidence, sizeof r->evidence, "the latest list of %.160s has no candidate",
                 election->path);
    }
    if (election->state == ELECTION_VACANT && foreign > 0) {
        r = &reasons[count++];
        r->certainty = CERTAINTY_CERTAIN;
        const char *name = election->outsider_count > 0 ? election->outsiders[0]->name : "?";
        snprintf(r->text, sizeof r->text, "%zu %s no candidate%s, such as %.120s", foreign,
                 foreign == 1 ? "child is" : "children are", foreign == 1 ? "" : "s", name);
        snprintf(r->evidence, sizeof r->evidence, "the names of candidates of this layout have another form");
    }
    count += members_that_wait(election, reasons + count);
    count += describe_mark(election, reasons + count);
    count += brief_visit(election, reasons + count);
    return count + clients_that_left(election, reasons + count);
}

/* Found after a gap, it may have been lost at any time in it. */
static const char *describe_loss(const struct election *election, const struct failover *lost, char *buffer,
                                 size_t size)
{
    struct moment after = failover_lost_after(lost);
    char since[40], when[40];
    /* Not told yet. */
    if (election->own->lost_after.mono_us && moment_is(lost->lost_at, election->change.lost_at))
        after = election->own->lost_after;
    describe_clock(lost->lost_at, when, sizeof when);
    if (after.mono_us < lost->lost_at.mono_us)
        snprintf(buffer, size, "between %s and %s", describe_clock(after, since, sizeof since), when);
    else
        snprintf(buffer, size, "at %s", when);
    return buffer;
}

const char *vacancy_describe(const struct election *election, struct moment now, char buffer[VACANCY_TEXT])
{
    struct failover lost;
    struct vacancy_reason reasons[VACANCY_REASONS];
    char when[100];
    buffer[0] = '\0';
    if (!vacancy_lost(election, now, &lost))
        return buffer;
    size_t length = 0, count = vacancy_reasons(election, reasons);
    const struct finding *doubt = vacancy_doubt(election);
    if (doubt)
        length = (size_t)snprintf(buffer, VACANCY_TEXT,
                                  "%snobody leads: ", vacancy_is_sure(doubt) ? "" : "perhaps ");
    size_t said = length;
    bool gap =
        failover_lost_within_us(&lost) > 0 ||
        (lost.vacancy.low_us < 0 && vacancy_led_unseen(election, &lost)); /* another may have led in it */
    if (lost.from)
        length += (size_t)snprintf(
            buffer + length, VACANCY_TEXT - length, "the last leader%s, %.120s, was lost %s: %s%s",
            gap && !doubt ? " that is known" : "", lost.from_identity ? lost.from_identity : lost.from,
            describe_loss(election, &lost, when, sizeof when),
            lost.cause == CAUSE_UNKNOWN                   ? "it is not known how"
            : lost.cause_certainty == CERTAINTY_SUSPECTED ? "suspected: "
                                                          : "",
            lost.cause == CAUSE_UNKNOWN ? "" : failover_cause_word(lost.cause));
    if (lost.from && lost.evidence && length < VACANCY_TEXT)
        length += (size_t)snprintf(buffer + length, VACANCY_TEXT - length, " (%.300s)", lost.evidence);
    for (size_t i = 0; i < count && length < VACANCY_TEXT; i++)
        length += (size_t)snprintf(
            buffer + length, VACANCY_TEXT - length, "%s%s%s", length > said ? "; " : "",
            reasons[i].certainty == CERTAINTY_SUSPECTED ? "suspected: " : "", reasons[i].text);
    if (!lost.from && !doubt && election->next_sequence > 0 &&
        election->foreign_count + election->outsider_count == 0 && !cluster_is_from_logs(election->cluster) &&
        length < VACANCY_TEXT)
        snprintf(buffer + length, VACANCY_TEXT - length,
                 "; %show it was lost, only transaction logs tell (electop autopsy)",
                 mark_is_left(election) && election->ack_identity ? "" : "who led, and ");
    return buffer;
}
