#include "probe/election/captured.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"
#include "probe/election/update.h"

#define SESSION_TEXT 256
#define SPAN_TEXT 40
#define WAKES_KEPT 1024
#define LOSSES_KEPT 64
#define WRITES_KEPT 256
/* A client that was notified reads the list again within milliseconds. */
#define SLOW_REACTION_US INT64_C(2000000)
/* Two leaders at a time are reported for so long after. */
#define DOUBLE_SHOWN_US INT64_C(600000000)
/* What was on its way when the successor reacted says nothing. */
#define WROTE_LATE_US INT64_C(150000)
/* A notification and the packet that shows a znode's end may come in either order. */
#define EITHER_ORDER_US INT64_C(1000000)

/* One notification; reacted_us 0: the client has sent no request since. */
struct captured_wake {
    uint64_t session;
    char *election, *path;
    int64_t notified_us, reacted_us;
    bool missing; /* packets of its client are missing since, and before that request */
    bool apart;   /* its times, and that of the end, are of two clocks */
    int requests; /* that it sent since, and the slowest answer, so far */
    int64_t slowest_us;
};

/* A znode that a candidate's session wrote. */
struct captured_write {
    uint64_t session;
    char *path;
    int64_t first_us, last_us;
};

/* A leader that was lost; over.mono_us 0: its client has not learned that its session is over, or (evicted) that its
 * znode is gone. */
struct captured_loss {
    uint64_t session;
    char *election, *path; /* of its znode */
    char *who;
    int64_t gone_us;
    struct moment over;
    int64_t lost_us;    /* of the change of leader */
    uint64_t successor; /* 0: it is not known yet */
    bool evicted;
    bool elsewhere;      /* it may have resigned there; evicted: it leads there, and may write for that */
    int64_t led_us;      /* it leads at least since then */
    struct moment wrote; /* evicted: what it still wrote by then */
    char *written;
};

struct captured {
    struct captured_wake wakes[WAKES_KEPT];
    size_t next_wake;
    struct captured_loss losses[LOSSES_KEPT];
    size_t next_loss;
    struct captured_write writes[WRITES_KEPT];
};

static void wake_release(struct captured_wake *wake)
{
    free(wake->election);
    free(wake->path);
}

static void loss_release(struct captured_loss *loss)
{
    free(loss->election);
    free(loss->path);
    free(loss->who);
    free(loss->written);
}

void captured_free(struct captured *captured)
{
    for (size_t i = 0; captured && i < WAKES_KEPT; i++)
        wake_release(&captured->wakes[i]);
    for (size_t i = 0; captured && i < LOSSES_KEPT; i++)
        loss_release(&captured->losses[i]);
    for (size_t i = 0; captured && i < WRITES_KEPT; i++)
        free(captured->writes[i].path);
    free(captured);
}

static char *path_in(const struct election *election, const char *name)
{
    if (election->recipe && election->recipe->family == FAMILY_LOCK)
        return text_copy(election->path);
    return text_format("%s/%s", strcmp(election->path, "/") == 0 ? "" : election->path, name);
}

/* ---- observations ---- */

static bool loss_is_open(const struct captured_loss *loss, uint64_t session)
{
    return loss->path && loss->session == session && loss->over.mono_us == 0;
}

static void note_woken(struct cluster *cluster, struct captured *captured, const struct observation *o)
{
    size_t length;
    struct election *election = o->path ? cluster_election_around(cluster, o->path, &length) : NULL;
    if (!election)
        return;
    struct captured_wake *wake = &captured->wakes[captured->next_wake++ % WAKES_KEPT];
    wake_release(wake);
    *wake = (struct captured_wake){.session = o->captured.session,
                                   .election = text_copy(election->path),
                                   .path = text_copy(o->path),
                                   .notified_us = o->at.mono_us};
    for (size_t i = 0; i < LOSSES_KEPT; i++) {
        struct captured_loss *loss = &captured->losses[i];
        if (loss_is_open(loss, wake->session) && loss->evicted && strcmp(loss->path, wake->path) == 0)
            loss->over = o->at;
    }
    diagnose_soon(election);
}

static void captured_touch(const struct cluster *cluster, const char *path)
{
    struct election *election = cluster_election(cluster, path, strlen(path));
    if (election)
        diagnose_soon(election);
}

static void note_reacted(struct cluster *cluster, struct captured *captured, const struct observation *o)
{
    bool reacts = o->captured.step == CAPTURED_REACTED;
    for (size_t i = 0; (o->path || reacts) && i < WAKES_KEPT; i++) {
        struct captured_wake *wake = &captured->wakes[i];
        if (!wake->path || wake->session != o->captured.session || (reacts && wake->reacted_us != 0) ||
            (o->path && strcmp(wake->path, o->path) != 0))
            continue;
        wake->requests = reacts ? 1 : o->captured.requests;
        wake->slowest_us = o->captured.slowest_us;
        if (!reacts)
            continue;
        wake->reacted_us = o->at.mono_us;
        captured_touch(cluster, wake->election);
    }
}

static void note_packets_missing(struct captured *captured, uint64_t session)
{
    for (size_t i = 0; i < WAKES_KEPT; i++) {
        struct captured_wake *wake = &captured->wakes[i];
        wake->missing |= wake->path && wake->session == session && wake->reacted_us == 0;
    }
}

static void note_apart(struct captured *captured, const struct observation *o)
{
    for (size_t i = 0; o->path && i < WAKES_KEPT; i++) {
        struct captured_wake *wake = &captured->wakes[i];
        wake->apart |= wake->path && wake->session == o->captured.session &&
                       strcmp(wake->path, o->path) == 0 && wake->notified_us == o->at.mono_us;
    }
}

static void note_over(struct cluster *cluster, struct captured *captured, const struct observation *o)
{
    for (size_t i = 0; i < LOSSES_KEPT; i++) {
        struct captured_loss *loss = &captured->losses[i];
        if (!loss_is_open(loss, o->captured.session))
            continue;
        loss->over = o->at;
        captured_touch(cluster, loss->election);
    }
}

static void note_learned(struct cluster *cluster, struct captured *captured, const struct observation *o)
{
    struct client *client = session_table_find(cluster->clients, o->captured.session);
    size_t length;
    if (client && (!o->path || cluster_election_around(cluster, o->path, &length)))
        client->learned_us = o->at.mono_us;
    for (size_t i = 0; i < LOSSES_KEPT; i++) {
        struct captured_loss *loss = &captured->losses[i];
        if (loss_is_open(loss, o->captured.session) && loss->evicted &&
            (!o->path || strcmp(o->path, loss->path) == 0 || strcmp(o->path, loss->election) == 0))
            loss->over = o->at;
    }
}

/* The latest ones are kept. */
static const struct captured_write *write_of(struct captured *captured, const struct observation *o)
{
    struct captured_write *oldest = captured->writes;
    for (size_t i = 0; i < WRITES_KEPT; i++) {
        struct captured_write *write = &captured->writes[i];
        if (write->path && write->session == o->captured.session && strcmp(write->path, o->path) == 0) {
            write->last_us = o->at.mono_us;
            return write;
        }
        if (write->last_us < oldest->last_us)
            oldest = write;
    }
    free(oldest->path);
    *oldest = (struct captured_write){o->captured.session, text_copy(o->path), o->at.mono_us, o->at.mono_us};
    return oldest;
}

static bool leads_still(const struct cluster *cluster, uint64_t session)
{
    const struct client *client = session_table_find(cluster->clients, session);
    const struct candidate *c = client ? client->owned : NULL;
    while (c && c->election->leader != c)
        c = c->own->owned_next;
    return c != NULL;
}

/* What a leader wrote only since it led, it writes because it leads. */
static void note_wrote(struct cluster *cluster, struct captured *captured, const struct observation *o)
{
    size_t length;
    if (cluster_election_around(cluster, o->path, &length))
        return;
    const struct captured_write *write = write_of(captured, o);
    for (size_t i = 0; i < LOSSES_KEPT; i++) {
        struct captured_loss *loss = &captured->losses[i];
        if (loss->written && loss->successor == write->session && strcmp(loss->written, o->path) == 0)
            captured_touch(cluster, loss->election);
        if (!loss_is_open(loss, write->session) || !loss->evicted || write->first_us >= loss->gone_us ||
            write->first_us < loss->led_us - EITHER_ORDER_US || o->at.mono_us < loss->gone_us)
            continue;
        free(loss->written);
        loss->written = text_copy(o->path);
        loss->wrote = o->at;
        loss->elsewhere = loss->elsewhere || leads_still(cluster, write->session);
        captured_touch(cluster, loss->election);
    }
}

enum captured_stand captured_stands(const struct cluster *cluster, uint64_t session)
{
    const struct client *client = session_table_find(cluster->clients, session);
    enum captured_stand stand = client && client->owned ? STANDS_IN_LINE : STANDS_NOT;
    for (const struct candidate *c = client ? client->owned : NULL; c; c = c->own->owned_next)
        stand = c->election->leader == c ? STANDS_FIRST : stand;
    for (size_t i = 0; cluster->captured && i < LOSSES_KEPT; i++)
        if (cluster->captured->losses[i].evicted && loss_is_open(&cluster->captured->losses[i], session))
            stand = STANDS_LOST;
    return stand;
}

bool cluster_is_captured(const struct cluster *cluster)
{
    return cluster->captured != NULL;
}

void captured_observe(struct cluster *cluster, const struct observation *o)
{
    if (!cluster->captured)
        cluster->captured = xcalloc(1, sizeof *cluster->captured);
    bool of_client = o->captured.step < CAPTURED_OVER;
    if (of_client && o->captured.address)
        session_table_captured(cluster, o->at, &o->captured);
    if (o->captured.step == CAPTURED_NOTIFIED)
        note_woken(cluster, cluster->captured, o);
    else if (o->captured.step == CAPTURED_REACTED || o->captured.step == CAPTURED_ANSWERED)
        note_reacted(cluster, cluster->captured, o);
    else if (o->captured.step == CAPTURED_MISSING)
        note_packets_missing(cluster->captured, o->captured.session);
    else if (o->captured.step == CAPTURED_APART)
        note_apart(cluster->captured, o);
    else if (o->captured.step == CAPTURED_OVER)
        note_over(cluster, cluster->captured, o);
    else if (o->captured.step == CAPTURED_LEARNED)
        note_learned(cluster, cluster->captured, o);
    else if (o->captured.step == CAPTURED_WROTE && o->path)
        note_wrote(cluster, cluster->captured, o);
}

/* Since when it led, as far as seen. */
static int64_t led_since(const struct election *election, const char *name)
{
    const struct tenure *tenure;
    int64_t since_us = 0;
    for (size_t i = 0; (tenure = election_tenure_at(election, i)); i++)
        if (tenure->name && strcmp(tenure->name, name) == 0)
            since_us = tenure->from.mono_us;
    return since_us;
}

/* Before its loss was known here. */
static bool has_learned(const struct captured *captured, const struct captured_loss *loss,
                        const struct client *client)
{
    bool learned = client && client->learned_us >= loss->gone_us;
    for (size_t i = 0; i < WAKES_KEPT && !learned; i++) {
        const struct captured_wake *wake = &captured->wakes[i];
        learned = wake->path && wake->session == loss->session &&
                  wake->notified_us >= loss->gone_us - EITHER_ORDER_US && strcmp(wake->path, loss->path) == 0;
    }
    return learned;
}

void captured_lost(struct election *election, uint64_t session, int64_t gone_us, bool evicted, bool elsewhere)
{
    const struct change *change = &election->change;
    struct captured *captured = election->cluster->captured;
    if (!captured || session == 0 || !change->from)
        return;
    struct captured_loss *loss = &captured->losses[captured->next_loss++ % LOSSES_KEPT];
    loss_release(loss);
    *loss =
        (struct captured_loss){.session = session,
                               .election = text_copy(election->path),
                               .path = path_in(election, change->from),
                               .who = text_copy(change->from_identity ? change->from_identity : change->from),
                               .gone_us = gone_us,
                               .lost_us = change->lost_at.mono_us,
                               .evicted = evicted,
                               .elsewhere = elsewhere,
                               .led_us = led_since(election, change->from)};
    if (evicted && has_learned(captured, loss, session_table_find(election->cluster->clients, session)))
        loss->over = change->lost_at;
}

/* ---- the phases of a failover ---- */

/* The wake this many before the latest; NULL: there is none that may be of a loss at this time. */
static const struct captured_wake *wake_of_loss(const struct captured *captured, size_t before,
                                                int64_t gone_us)
{
    if (!captured || before >= WAKES_KEPT || before >= captured->next_wake)
        return NULL;
    const struct captured_wake *wake = &captured->wakes[(captured->next_wake - 1 - before) % WAKES_KEPT];
    return wake->notified_us >= gone_us - EITHER_ORDER_US ? wake : NULL;
}

static bool is_of_loss(const struct captured_wake *wake, const struct election *election, const char *path,
                       int64_t gone_us)
{
    return wake->path && wake->notified_us >= gone_us - EITHER_ORDER_US &&
           (strcmp(wake->path, path) == 0 ||
            (strcmp(wake->path, election->path) == 0 && wake->notified_us <= gone_us + EITHER_ORDER_US));
}

/* Where only a list showed the end, the change of the directory may have been another one. */
static bool is_untimed(const struct captured_wake *wake, const struct election *election, int64_t gone_us)
{
    return wake->apart || (wake->notified_us < gone_us && strcmp(wake->path, election->path) == 0 &&
                           election->recipe && election->recipe->family != FAMILY_LOCK);
}

static int64_t after_gone(int64_t at_us, int64_t gone_us)
{
    return at_us == 0 ? 0 : at_us > gone_us ? at_us - gone_us : 1;
}

void captured_phases(const struct election *election, const char *lost, uint64_t session, int64_t gone_us,
                     int64_t *notified_us, int64_t *reacted_us)
{
    const struct captured *captured = election->cluster->captured;
    char *path = path_in(election, lost);
    *notified_us = *reacted_us = 0;
    const struct captured_wake *wake;
    for (size_t i = 0; session != 0 && (wake = wake_of_loss(captured, i, gone_us)); i++) {
        if (wake->session != session || wake->missing || is_untimed(wake, election, gone_us) ||
            !is_of_loss(wake, election, path, gone_us))
            continue;
        int64_t notified = after_gone(wake->notified_us, gone_us);
        if (*notified_us != 0 && *notified_us <= notified)
            continue;
        *notified_us = notified;
        *reacted_us = after_gone(wake->reacted_us, gone_us);
    }
    free(path);
}

/* Whether a later one is of the same client. */
static bool wake_is_counted(const struct captured *captured, size_t before, uint64_t session,
                            const struct election *election, const char *path, int64_t gone_us)
{
    for (size_t i = 0; i < before; i++) {
        const struct captured_wake *wake = wake_of_loss(captured, i, gone_us);
        if (wake->session == session && is_of_loss(wake, election, path, gone_us))
            return true;
    }
    return false;
}

/* It is a copy of this program, which watches as well. */
static bool is_observer(const struct cluster *cluster, uint64_t session)
{
    const struct client_session *client = cluster_client(cluster, session);
    return session == cluster->session || (client && client->observer);
}

struct captured_herd captured_herd(const struct election *election, const char *lost, uint64_t session,
                                   int64_t gone_us)
{
    const struct captured *captured = election->cluster->captured;
    char *path = path_in(election, lost);
    struct captured_herd herd = {.answered = true};
    bool asleep = false;
    const struct captured_wake *wake;
    for (size_t i = 0; (wake = wake_of_loss(captured, i, gone_us)); i++) {
        if (!is_of_loss(wake, election, path, gone_us) || wake->session == session ||
            is_observer(election->cluster, wake->session) ||
            wake_is_counted(captured, i, wake->session, election, path, gone_us))
            continue;
        int64_t reacted_us = after_gone(wake->reacted_us, gone_us);
        herd.clients++;
        herd.requests += wake->requests;
        asleep = asleep || reacted_us == 0 || wake->missing || is_untimed(wake, election, gone_us);
        herd.answered = herd.answered && wake->slowest_us > 0;
        herd.last_us = reacted_us > herd.last_us ? reacted_us : herd.last_us;
        herd.slowest_us = wake->slowest_us > herd.slowest_us ? wake->slowest_us : herd.slowest_us;
    }
    herd.last_us = asleep ? 0 : herd.last_us;
    free(path);
    return herd;
}

/* ---- findings ---- */

static void slow_reaction(struct diagnosis *d, const struct captured_wake *wake)
{
    int64_t now_us = d->f->at.mono_us, due_us = wake->notified_us + SLOW_REACTION_US;
    const struct client *client = session_table_find(d->election->cluster->clients, wake->session);
    const struct candidate *c = client ? client_candidate(client, d->election) : NULL;
    if (!c || !client->shown.connected)
        return;
    if (now_us < due_us) {
        diagnosis_again(d, due_us);
        return;
    }
    diagnosis_again(d, now_us + SLOW_REACTION_US);
    char silent[SPAN_TEXT], session[SESSION_TEXT];
    bool leads = d->election->candidate_count > 0 && d->election->candidates[0] == c;
    diagnosis_raise(
        d, FINDING_SLOW_REACTION, leads ? SEVERITY_CRITICAL : SEVERITY_WARNING, CERTAINTY_CERTAIN,
        diagnosis_subject(c), &c, 1, NULL,
        "no request for %s since it was notified of a change of %s: its client does not go on%s; %s",
        describe_span(now_us - wake->notified_us, silent, sizeof silent), wake->path,
        leads ? ", though it is first in line" : "",
        describe_session(d->election, wake->session, session, sizeof session));
}

/* Who leads next, while the change is the latest. */
static void note_successor(const struct election *election, struct captured_loss *loss)
{
    const struct candidate *leader = election->leader;
    if (loss->successor == 0 && leader && leader->known && election->change.lost_at.mono_us == loss->lost_us)
        loss->successor = leader->stat.owner;
}

/* When the successor first reacted to the end of a leader's znode; NULL: that is not known. */
static const struct captured_wake *first_reaction(const struct captured *captured,
                                                  const struct election *election,
                                                  const struct captured_loss *loss)
{
    const struct captured_wake *first = NULL, *wake;
    for (size_t i = 0; (wake = wake_of_loss(captured, i, loss->gone_us)); i++) {
        if (is_of_loss(wake, election, loss->path, loss->gone_us) && wake->reacted_us != 0 &&
            !wake->missing && wake->session == loss->successor &&
            (!first || wake->reacted_us < first->reacted_us))
            first = wake;
    }
    return first;
}

/* It became first, was notified of that, and asked nothing until it was lost: it never took over. */
static bool never_led(const struct captured *captured, const struct captured_loss *loss)
{
    bool asleep = false;
    for (size_t i = 0; i < WAKES_KEPT && !asleep; i++) {
        const struct captured_wake *wake = &captured->wakes[i];
        asleep = wake->path && wake->session == loss->session && !wake->missing &&
                 strcmp(wake->election, loss->election) == 0 &&
                 wake->notified_us >= loss->led_us - EITHER_ORDER_US &&
                 wake->notified_us <= loss->led_us + EITHER_ORDER_US &&
                 (wake->reacted_us == 0 || wake->reacted_us >= loss->gone_us);
    }
    return asleep;
}

static void double_leader_seen(struct diagnosis *d, const struct captured_loss *loss)
{
    const struct election *election = d->election;
    const struct captured_wake *reaction = first_reaction(election->cluster->captured, election, loss);
    if (!reaction || election->kind != KIND_LEADER || loss->over.mono_us <= reaction->reacted_us ||
        never_led(election->cluster->captured, loss) ||
        d->f->at.mono_us - loss->over.mono_us > DOUBLE_SHOWN_US)
        return;
    diagnosis_again(d, loss->over.mono_us + DOUBLE_SHOWN_US + 1);
    char began[SPAN_TEXT], ended[SPAN_TEXT];
    int64_t both_us = loss->over.mono_us - reaction->reacted_us;
    struct moment from = {reaction->reacted_us, loss->over.wall_us - both_us};
    diagnosis_raise(d, FINDING_DOUBLE_LEADER, SEVERITY_ERROR,
                    loss->elsewhere ? CERTAINTY_SUSPECTED : CERTAINTY_CERTAIN, loss->session, NULL, 0, NULL,
                    "for %.3f s %s could believe that it led: its successor, session 0x%" PRIx64
                    ", reacted at %s, and its own session 0x%" PRIx64 " was told that it is over at %s",
                    (double)both_us / 1e6, loss->who, reaction->session,
                    describe_clock(from, began, sizeof began), loss->session,
                    describe_clock(loss->over, ended, sizeof ended));
}

static bool leads_later(const struct election *election, const struct captured_loss *loss, uint64_t session)
{
    const struct captured *captured = election->cluster->captured;
    bool leads = session == loss->successor || (election->leader && election->leader->stat.owner == session);
    for (size_t i = 0; i < LOSSES_KEPT && !leads; i++) {
        const struct captured_loss *later = &captured->losses[i];
        leads = later->session == session && later->gone_us > loss->gone_us &&
                strcmp(later->election, loss->election) == 0;
    }
    return leads;
}

/* Nobody but leaders wrote this, the later ones among them; *both: its successor has, too. */
static bool is_written_by_leaders(const struct election *election, const struct captured_loss *loss,
                                  int64_t reacted_us, bool *both)
{
    const struct captured *captured = election->cluster->captured;
    *both = false;
    for (size_t i = 0; i < WRITES_KEPT; i++) {
        const struct captured_write *write = &captured->writes[i];
        if (!write->path || write->session == loss->session || strcmp(write->path, loss->written) != 0)
            continue;
        bool later = write->first_us >= reacted_us && leads_later(election, loss, write->session);
        if (!later && write->last_us >= loss->led_us)
            return false;
        *both = *both || (later && write->session == loss->successor);
    }
    return true;
}

/* It was evicted, and wrote what a leader writes until then: its client has not noticed. */
static void evicted_leader_seen(struct diagnosis *d, const struct captured_loss *loss)
{
    const struct captured *captured = d->election->cluster->captured;
    const struct captured_wake *reaction = first_reaction(captured, d->election, loss);
    int64_t both_us = reaction ? loss->wrote.mono_us - reaction->reacted_us : 0;
    bool both;
    if (both_us < WROTE_LATE_US || d->election->kind != KIND_LEADER ||
        d->f->at.mono_us - loss->wrote.mono_us > DOUBLE_SHOWN_US ||
        !is_written_by_leaders(d->election, loss, reaction->reacted_us, &both))
        return;
    bool certain = both && !loss->elsewhere;
    diagnosis_again(d, loss->wrote.mono_us + DOUBLE_SHOWN_US + 1);
    char began[SPAN_TEXT], ended[SPAN_TEXT];
    struct moment from = {reaction->reacted_us, loss->wrote.wall_us - both_us};
    diagnosis_raise(d, FINDING_DOUBLE_LEADER, SEVERITY_ERROR,
                    certain ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, loss->session, NULL, 0, NULL,
                    "for %.3f s %s went on as leader, though its znode had been deleted: its successor, "
                    "session 0x%" PRIx64 ", reacted at %s, and its own session 0x%" PRIx64
                    ", which was not told, wrote %s until %s%s",
                    (double)both_us / 1e6, loss->who, reaction->session,
                    describe_clock(from, began, sizeof began), loss->session, loss->written,
                    describe_clock(loss->wrote, ended, sizeof ended), both ? ", as its successor does" : "");
}

void captured_diagnose(struct diagnosis *d)
{
    struct captured *captured = d->election->cluster->captured;
    for (size_t i = 0; captured && i < WAKES_KEPT; i++) {
        const struct captured_wake *wake = &captured->wakes[i];
        if (wake->path && wake->reacted_us == 0 && !wake->missing &&
            strcmp(wake->election, d->election->path) == 0)
            slow_reaction(d, wake);
    }
    for (size_t i = 0; captured && i < LOSSES_KEPT; i++) {
        struct captured_loss *loss = &captured->losses[i];
        if (!loss->path || strcmp(loss->election, d->election->path) != 0)
            continue;
        note_successor(d->election, loss);
        if (loss->written)
            evicted_leader_seen(d, loss);
        else if (loss->over.mono_us != 0 && !loss->evicted)
            double_leader_seen(d, loss);
    }
}
