#include "probe/election/diagnose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "probe/election/bystanders.h"
#include "probe/election/captured.h"
#include "probe/election/certainty.h"
#include "probe/election/chain.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/leadership.h"
#include "probe/election/replicas.h"
#include "probe/election/summary.h"
#include "probe/election/tenure.h"
#include "probe/election/update.h"
#include "probe/election/vacancy.h"

#define SPAN_TEXT 40
/* How long a single event is worth showing, without a setting. */
#define SHOWN_US INT64_C(600000000)

/* A single event is shown as long as leader changes are counted. */
static int64_t diagnose_time_window_us(const struct election *election)
{
    int64_t us = election->settings->allow.leader_changes_ms * 1000;
    return us > 0 ? us : SHOWN_US;
}

static void no_leader(struct diagnosis *d)
{
    const struct election *election = d->election;
    /* A configured election needs a leader even without its directory, and if it never existed. */
    bool vanished = election->state == ELECTION_ABSENT && !election_vanished(election);
    if ((election->state != ELECTION_VACANT && !vanished) || election->kind != KIND_LEADER ||
        election_has_no_line(election))
        return;
    int64_t due_us = election->state_since.mono_us + election->settings->allow.vacancy_ms * 1000;
    diagnosis_again(d, due_us);
    if (d->f->at.mono_us < due_us)
        return;
    char when[SPAN_TEXT], allowed[SPAN_TEXT], why[VACANCY_TEXT];
    vacancy_describe(election, d->f->at, why);
    bool doubtful = vacancy_is_doubtful(election);
    if (doubtful)
        diagnosis_doubt(d, FINDING_NO_LEADER, NO_SUBJECT);
    diagnosis_raise(d, FINDING_NO_LEADER, SEVERITY_CRITICAL,
                    doubtful ? CERTAINTY_SUSPECTED : CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, NULL,
                    "%s%sno %s since %s%s, longer than the %s allowed", why, why[0] ? "; " : "",
                    election->own->still_open ? "leader" : "candidate",
                    describe_clock(election->state_since, when, sizeof when),
                    election->state_since_exact ? "" : " or before",
                    describe_span(election->settings->allow.vacancy_ms * 1000, allowed, sizeof allowed));
}

/* A candidate of that identity came since then: another process of that name may have waited all the time. */
static bool is_back(const struct election *election, const char *identity, struct moment since)
{
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        bool later =
            c->joined_seen ? c->joined.mono_us >= since.mono_us : summary_created_us(c) > since.wall_us;
        if (later && c->identity && strcmp(c->identity, identity) == 0)
            return true;
    }
    return false;
}

/* A list may be as much older than its answer. */
#define LIST_TAKES_US INT64_C(1000000)

/* Its session is a candidate here again, with a new znode, which came too late to be the cause; or its client is still
 * connected, although its cause is not judged yet. */
static bool lives_on(const struct election *election, const struct failover *one)
{
    const struct departure_note *note, *its = NULL;
    for (size_t i = 0; (note = departed_at(election, i)); i++)
        if (strncmp(one->from, note->name, sizeof note->name - 1) == 0 &&
            note->at.mono_us >= one->lost_at.mono_us)
            its = note;
    for (size_t k = 0; its && k < election->candidate_count; k++) {
        const struct candidate *c = election->candidates[k];
        if (c->known && c->stat.owner == its->session && strcmp(c->name, one->from) != 0)
            return true;
    }
    const struct client_session *shown = its ? cluster_client(election->cluster, its->session) : NULL;
    return shown && shown->connected && shown->seen.mono_us > its->at.mono_us + LIST_TAKES_US;
}

static bool was_given_up(const struct election *election, const struct failover *one, int64_t since_us)
{
    (void)since_us;
    return one->cause == CAUSE_RESIGNED || one->cause == CAUSE_DELETED ||
           (one->cause == CAUSE_UNKNOWN && one->from && lives_on(election, one));
}

/* No other leader with its identity was lost since then, as far as each has one. */
static bool led_once(const struct election *election, const struct failover *one, int64_t since_us)
{
    bool once = one->from_identity != NULL;
    for (size_t i = 0; once && i < election->failover_count; i++) {
        const struct failover *other = election_failover_at(election, i);
        if (other != one && other->lost_at.mono_us > since_us)
            once = other->from_identity && strcmp(other->from_identity, one->from_identity) != 0;
    }
    return once;
}

/* A rolling replacement starts the new process first, and closes the old one when that is ready. */
#define REPLACED_WITHIN_US INT64_C(60000000)

/* It closed its session, and is back. An end that may have been an expiry is no restart. */
static bool was_restarted(const struct election *election, const struct failover *one, int64_t since_us)
{
    struct moment since = one->lost_at;
    since.mono_us -= REPLACED_WITHIN_US;
    since.wall_us -= REPLACED_WITHIN_US;
    return one->cause == CAUSE_CLOSED && one->cause_certainty == CERTAINTY_CERTAIN &&
           led_once(election, one, since_us) && is_back(election, one->from_identity, since);
}

/* The changes of leader since then that were of that kind. */
static int count_changes(const struct election *election, int64_t since_us,
                         bool of_kind(const struct election *, const struct failover *, int64_t))
{
    int count = 0;
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = election_failover_at(election, i);
        count += failover->lost_at.mono_us > since_us && (!of_kind || of_kind(election, failover, since_us));
    }
    return count;
}

/* Another znode of that identity stands in the line: it may have come before the old session ended. */
static bool stands_again(const struct election *election, const struct failover *one)
{
    for (size_t i = 0; one->from_identity && i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        if (c->identity && strcmp(c->identity, one->from_identity) == 0 && strcmp(c->name, one->from) != 0)
            return true;
    }
    return false;
}

/* Most leaders are known to have died: others may have ended as planned, by a rolling restart, drills, or jobs. One
 * that died once, and stands again, may have been killed by such a restart. */
static bool most_died(const struct election *election, int64_t since_us)
{
    size_t count = 0, died = 0;
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = election_failover_at(election, i);
        if (failover->lost_at.mono_us <= since_us)
            continue;
        count++;
        died += failover->cause == CAUSE_EXPIRED &&
                !(led_once(election, failover, since_us) && stands_again(election, failover));
    }
    return died * 2 > count;
}

/* What helps depends on what ended most of the leaders; NULL: that is not known. */
static const char *flapping_advice(const struct election *election, int64_t since_us)
{
    int lost = 0, closed = 0, given_up = 0;
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = election_failover_at(election, i);
        if (failover->lost_at.mono_us <= since_us)
            continue;
        lost += failover->cause == CAUSE_EXPIRED;
        closed += failover->cause == CAUSE_CLOSED;
        given_up += failover->cause == CAUSE_RESIGNED || failover->cause == CAUSE_DELETED ||
                    failover->cause == CAUSE_EVICTED;
    }
    if (given_up > lost + closed)
        return "find out why the leaders' candidates are deleted while their clients live, in the clients' "
               "logs; a "
               "longer session timeout does not help";
    if (closed > lost + given_up)
        return "find out why the leaders' clients close their sessions: deployments, restarts, crash loops; "
               "a "
               "longer session timeout does not help";
    if (lost > closed + given_up)
        return "the leaders' sessions expire: find out what pauses these clients or cuts them off, or raise "
               "the "
               "session timeout";
    return NULL;
}

static void flapping(struct diagnosis *d)
{
    const struct election *election = d->election;
    const struct allowance *allow = &election->settings->allow;
    int64_t span_us = allow->leader_changes_ms * 1000, now_us = d->f->at.mono_us, oldest_us = 0,
            latest_us = 0;
    if (span_us <= 0 || election->kind != KIND_LEADER)
        return;
    int changes = 0;
    const struct tenure *before = NULL;
    for (size_t i = 0; i < election->tenure_count; i++) {
        const struct tenure *tenure = election_tenure_at(election, i);
        if (!tenure->name)
            continue;
        if (before && tenure_is_other(before, tenure) && tenure->from.mono_us > now_us - span_us) {
            if (changes++ == 0)
                oldest_us = tenure->from.mono_us;
            latest_us = tenure->from.mono_us;
        }
        before = tenure;
    }
    if (changes <= allow->leader_changes)
        return;
    diagnosis_again(d, oldest_us + span_us);
    char window[SPAN_TEXT], passes[240] = "";
    int64_t since_us = now_us - span_us;
    int passed = count_changes(election, since_us, was_given_up), restarted = 0;
    if (changes - passed > allow->leader_changes)
        restarted = count_changes(election, since_us, was_restarted);
    bool on_purpose = changes - passed - restarted <= allow->leader_changes;
    /* The latest may turn out to be planned as well: its failover is told by then, and diagnoses again. */
    int judged = count_changes(election, since_us, NULL);
    bool waits = !on_purpose && judged - passed - restarted <= allow->leader_changes;
    if (waits && now_us < latest_us + allow->failover_ms * 1000) {
        diagnosis_again(d, latest_us + allow->failover_ms * 1000);
        diagnosis_keep(d, FINDING_FLAPPING, NO_SUBJECT);
        return;
    }
    bool certain = on_purpose || (!waits && most_died(election, since_us));
    if (passed > 0)
        snprintf(passes, sizeof passes, "; in %d the leader's candidate was deleted and its client lives on",
                 passed);
    if (restarted > 0)
        snprintf(passes + strlen(passes), sizeof passes - strlen(passes),
                 "; in %d it closed its session and is back, each client once", restarted);
    if (waits)
        snprintf(passes + strlen(passes), sizeof passes - strlen(passes),
                 "; in %d the cause is not judged yet", changes - judged);
    else if (!certain)
        snprintf(passes + strlen(passes), sizeof passes - strlen(passes),
                 "; perhaps planned, as far as the causes show");
    diagnosis_raise(d, FINDING_FLAPPING, on_purpose ? SEVERITY_INFO : SEVERITY_ERROR,
                    certain ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, NO_SUBJECT, &election->leader,
                    election->leader != NULL,
                    on_purpose
                        ? "nothing, if leadership is passed on or clients are restarted on purpose; allow it "
                          "with leader_changes"
                        : flapping_advice(election, since_us),
                    "%d changes of leader in the last %s; %d are allowed%s", changes,
                    describe_span(span_us, window, sizeof window), allow->leader_changes, passes);
}

/* As exact as it is known: "12.0 s", "11.9 s to 12.1 s"; "about 12.0 s" where it has no bounds yet. */
static const char *describe_bounds(struct span span, bool bounds, char *buffer, size_t size)
{
    char low[SPAN_TEXT], high[SPAN_TEXT];
    describe_span(span.low_us, low, sizeof low);
    if (!bounds)
        snprintf(buffer, size, "about %s", low);
    else if (span.high_us == SPAN_OPEN)
        snprintf(buffer, size, "at least %s", low);
    else if (strcmp(low, describe_span_at_most(span.high_us, high, sizeof high)) == 0)
        snprintf(buffer, size, "%s", low);
    else
        snprintf(buffer, size, "%s to %s", low, high);
    return buffer;
}

static void slow_failover(struct diagnosis *d)
{
    const struct election *election = d->election;
    const struct change *change = &election->change;
    int64_t allowed_us = election->settings->allow.failover_ms * 1000;
    int64_t shown_us = diagnose_time_window_us(election);
    if (allowed_us <= 0 || election->kind != KIND_LEADER || !change->from || !change->to ||
        change->vacancy_us < 0)
        return;
    int64_t took_us = change->vacancy_us + (change->takeover_us > 0 ? change->takeover_us : 0);
    if (took_us <= allowed_us || d->f->at.mono_us - change->lost_at.mono_us > shown_us + took_us)
        return;
    diagnosis_again(d, change->lost_at.mono_us + shown_us + took_us + 1);
    /* Where all closed and their directory went, nobody wanted a leader until it was made again. */
    const struct failover *reported = election_last_failover(election);
    bool needed = reported && reported->from && strcmp(reported->from, change->from) == 0 &&
                  (reported->cause == CAUSE_EXPIRED || reported->cause == CAUSE_EVICTED);
    const struct znode_stat *directory = &election->own->directory;
    if (!election_is_named(election) && election->directory_known && directory->czxid != 0 &&
        cluster_stat_us(election->cluster, directory->czxid, directory->ctime_ms) > change->lost_at.wall_us &&
        !needed)
        return;
    /* The time before its znode went is reported, and does not count against the allowance: the session timeout
       limits it. Its report has bounds, which the history shows; those of lists alone would prove nothing. */
    bool ours = reported && reported->to && strcmp(reported->to, change->to) == 0;
    struct span vacancy = {change->vacancy_us, change->vacancy_us};
    struct span takeover = {change->takeover_us, change->takeover_us};
    bool bounds =
        ours && reported->vacancy.low_us + (takeover.low_us > 0 ? reported->takeover.low_us : 0) > allowed_us;
    if (bounds) {
        vacancy = reported->vacancy;
        takeover = reported->takeover;
    }
    struct span both = vacancy;
    char took[96], vacant[96], taken[96], when[SPAN_TEXT], phases[224] = "";
    if (takeover.low_us >= 0) {
        both.low_us += takeover.low_us;
        both.high_us =
            vacancy.high_us < 0 || takeover.high_us < 0 ? SPAN_OPEN : vacancy.high_us + takeover.high_us;
        snprintf(phases, sizeof phases, " (vacancy %s, takeover %s)",
                 describe_bounds(vacancy, bounds, vacant, sizeof vacant),
                 describe_bounds(takeover, bounds, taken, sizeof taken));
    }
    char dead[SPAN_TEXT], why[96] = "";
    if (reported && reported->cause != CAUSE_UNKNOWN)
        snprintf(why, sizeof why, "; cause: %s%s", failover_cause_word(reported->cause),
                 reported->cause_certainty == CERTAINTY_SUSPECTED ? " (suspected)" : "");
    size_t length = strlen(why);
    if (reported && reported->detection.low_us > 0)
        snprintf(why + length, sizeof why - length, "; the old leader had been dead for at least %s",
                 describe_span(reported->detection.low_us, dead, sizeof dead));
    const struct candidate *to = election->leader;
    /* Until its cause is judged, the old leader may have left on purpose. */
    bool judged = election_is_named(election) || ours;
    diagnosis_raise(d, FINDING_SLOW_FAILOVER, SEVERITY_WARNING,
                    judged ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, NO_SUBJECT, &to, to != NULL, NULL,
                    "the failover from %s to %s at %s took %s%s%s", change->from, change->to,
                    describe_clock(change->lost_at, when, sizeof when),
                    describe_bounds(both, bounds, took, sizeof took), phases, why);
}

static void unseen_changes(struct diagnosis *d)
{
    const struct election *election = d->election;
    int64_t end_us = election->unseen_at.mono_us + diagnose_time_window_us(election);
    if (election->unseen_at.mono_us == 0 || d->f->at.mono_us > end_us)
        return;
    diagnosis_again(d, end_us + 1);
    char when[SPAN_TEXT];
    diagnosis_raise(d, FINDING_UNSEEN_CHANGES, SEVERITY_INFO, CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, NULL,
                    "%" PRIu64 " joined and %" PRIu64 " left without being seen, the latest before %s",
                    election->counters.unseen_joined, election->counters.unseen_left,
                    describe_clock(election->unseen_at, when, sizeof when));
}

/* From how long things take, and how often they happen. */
static void diagnose_time(struct diagnosis *d)
{
    certainty_see_kind(d->election);
    no_leader(d);
    flapping(d);
    slow_failover(d);
    captured_diagnose(d);
    unseen_changes(d);
}

/* Rounds come once a minute: after this long without one it is unconfirmed. */
#define UNCONFIRMED_US (INT64_C(150) * 1000000)
#define TOLD_MOST 8
#define EVIDENCE 768
/* No hash is then NO_SUBJECT. */
#define SUBJECT_SERVER (UINT64_C(1) << 32)

static bool is_in(uint32_t set, size_t i)
{
    return set >> i & 1;
}

static void describe_one(const struct election *election, const struct replica *one, char *out, size_t size,
                         size_t *length)
{
    const struct replica_read *read = &one->reads[0];
    const char *address = election->cluster->servers[one->server].address;
    int more;
    if (read->absent)
        more = snprintf(out + *length, size - *length, "%s%.64s shows no such znode", *length ? "; " : "",
                        address);
    else
        more = snprintf(out + *length, size - *length,
                        "%s%.64s shows czxid 0x%" PRIx64 ", pzxid 0x%" PRIx64 ", cversion %" PRId32
                        ", %" PRId32 " child%s",
                        *length ? "; " : "", address, (uint64_t)read->czxid, (uint64_t)read->pzxid,
                        read->cversion, read->children, read->children == 1 ? "" : "ren");
    if (more > 0 && (size_t)more < size - *length)
        *length += (size_t)more;
    else
        out[*length] = '\0';
}

/* Nothing but the zxid of the last change: the same number of children came and went. */
static bool only_pzxid(const struct replicas *r)
{
    const struct replica_read *first = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const struct replica_read *read = &r->list[i].reads[0];
        if (!is_in(r->compared, i))
            continue;
        if (!first)
            first = read;
        if (read->absent || read->czxid != first->czxid || read->cversion != first->cversion ||
            read->children != first->children)
            return false;
    }
    return true;
}

static void raise(struct diagnosis *d, const struct replicas *r)
{
    char text[EVIDENCE] = "", advice[256];
    size_t length = 0, reported = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->count; i++)
            if (is_in(r->compared, i) && is_in(r->apart, i) == (pass == 0) && reported++ < TOLD_MOST)
                describe_one(d->election, &r->list[i], text, sizeof text, &length);
    bool harmless = only_pzxid(r), seems = r->verdict == VERDICT_SEEMS;
    size_t at = 0;
    while (at < r->count && !is_in(r->apart, at))
        at++;
    const char *first = d->election->cluster->servers[r->list[at].server].address;
    if (harmless)
        snprintf(advice, sizeof advice,
                 "compare the lists of children; if they are equal, nothing else is wrong: before 3.6 a "
                 "restart could lose this number (ZOOKEEPER-3125)");
    else if (r->majority && (r->apart & (r->apart - 1)) == 0)
        snprintf(advice, sizeof advice, "stop %.64s, remove its data and let it copy everything again",
                 first);
    else if (r->majority)
        snprintf(advice, sizeof advice,
                 "for each server that differs, one after the other: stop it, remove its data and let it "
                 "copy everything again");
    else
        snprintf(advice, sizeof advice,
                 "there is no majority: find out which server is right, then stop the other, remove its data "
                 "and let it copy everything again");
    diagnosis_raise(d, FINDING_REPLICA_DIVERGENCE, harmless ? SEVERITY_WARNING : SEVERITY_CRITICAL,
                    seems ? CERTAINTY_SUSPECTED : CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, advice,
                    "%s differs between servers, in %d reads after a sync each: %s", d->election->path,
                    seems ? 2 : 3, text);
}

/* From replies that are none; also while nothing else can be seen. */
static void diagnose_bad_replies(struct diagnosis *d)
{
    const struct cluster *cluster = d->election->cluster;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        int64_t until_us = server->bad_reply_seen.mono_us + BAD_REPLIES_KEPT_US;
        if (server->bad_replies <= 0 || d->f->at.mono_us >= until_us)
            continue;
        diagnosis_again(d, until_us);
        diagnosis_raise(d, FINDING_BAD_REPLY, SEVERITY_ERROR, CERTAINTY_CERTAIN,
                        hash_bytes(server->address, strlen(server->address), 0) | SUBJECT_SERVER, NULL, 0,
                        NULL, "%.64s sent %d bad %s: %s", server->address, server->bad_replies,
                        server->bad_replies == 1 ? "reply" : "replies; the latest", server->bad_reply);
    }
}

/* From what each server by itself shows. */
static void diagnose_replicas(struct diagnosis *d)
{
    const struct replicas *r = d->election->own->replicas;
    if (!r || r->verdict == VERDICT_NONE || r->verdict == VERDICT_AGREE)
        return;
    int64_t until_us = r->judged.mono_us + UNCONFIRMED_US;
    if (r->verdict == VERDICT_OPEN || d->f->at.mono_us >= until_us) {
        diagnosis_keep_all(d, FINDING_REPLICA_DIVERGENCE);
        return;
    }
    diagnosis_again(d, until_us);
    raise(d, r);
}

/* A small election is diagnosed at once; a large one that churns four times a second, or as often as costs a few
   percent of a core. */
#define LARGE 128
#define APART_US 250000
#define APART_US_EACH 50
/* So many watches take as long as a candidate does. */
#define WATCHES_EACH 8
/* The event of the next leader comes first: its reader may share the processor with a diagnosis. */
#define NEWS_FIRST_US 20000

static void diagnose(const struct update *f)
{
    struct election *election = f->election;
    struct diagnosis d = {.f = f, .election = election, .again_us = INT64_MAX};
    election->own->listens = false;
    findings_begin(&d);
    diagnose_bad_replies(&d);
    if (election->fresh) {
        chain_update(&d);
        diagnose_watches(&d);
        diagnose_sessions(&d);
        diagnose_duplicates(&d);
        diagnose_names(&d);
        diagnose_time(&d);
        diagnose_replicas(&d);
        findings_sweep(&d);
        if (vacancy_is_denied(election))
            leadership_denied(f);
        else if (summary_state(election) == ELECTION_LED && !vacancy_doubt(election))
            leadership_believed(f);
    } else {
        findings_keep(&d); /* what cannot be seen now neither comes nor goes */
    }
    free(d.viewers);
    election->own->diagnosed_us = f->at.mono_us;
    election->own->diagnosed_watches = d.watches;
    election->own->diagnose_at_us = d.again_us == INT64_MAX ? 0 : d.again_us;
    if (d.again_us < election->cluster->wake_us)
        election->cluster->wake_us = d.again_us;
}

static bool is_put_off(const struct election *election, struct moment at)
{
    size_t size = election->candidate_count + election->own->diagnosed_watches / WATCHES_EACH;
    bool is_large = size > LARGE;
    bool is_news = at.mono_us - election->state_since.mono_us < NEWS_FIRST_US &&
                   (is_large || election->state == ELECTION_ELECTING);
    int64_t since_us = at.mono_us - election->own->diagnosed_us;
    bool lately = is_large && (since_us < APART_US || since_us < (int64_t)size * APART_US_EACH);
    return election->own->diagnosed_us != 0 && (is_news || lately);
}

void diagnose_cluster(struct model *model, struct cluster *cluster, struct moment at, bool all)
{
    struct election *election = cluster->dirty, *later = NULL;
    cluster->dirty = NULL;
    while (election) {
        struct election *next = election->own->dirty_next;
        if (!all && is_put_off(election, at)) {
            if (election->own->touched)
                election->turn = model->turn; /* they are reported later */
            election->own->touched = false;
            election->own->dirty_next = later;
            later = election;
        } else {
            uint64_t generation = model->generation;
            diagnose(&(struct update){model, election, at});
            if (election->own->touched || model->generation != generation)
                election->turn = model->turn;
            election->own->dirty = election->own->touched = false;
        }
        election = next;
    }
    /* What a diagnosis itself changed needs no other: only those put off are left. */
    cluster->dirty = later;
}
