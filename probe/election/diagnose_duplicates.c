/* Duplicates: of one session, or of one identity. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "probe/election/chain.h"
#include "probe/election/cluster.h"
#include "probe/election/diagnose.h"
#include "probe/election/findings.h"
#include "probe/election/identity.h"
#include "probe/election/candidates.h"
#include "probe/election/client.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"
#include "probe/election/whatif.h"

#define SESSION_TEXT 256
/* Candidates of one session that are compared with one another. */
#define SHARED_MOST 64
#define NAMED 16
/* So long those that came at once may take to be read. */
#define READING_US INT64_C(10000000)
/* Data that a finding rests on is read again as often. */
#define AGAIN_US INT64_C(60000000)
/* So late a client may be listed as heard. */
#define HEARD_LATE_US INT64_C(1000000)

/* ---- one session ---- */

static bool own_words(const struct candidate *c)
{
    return c->identity && (c->identity_source == IDENTITY_DATA || c->identity_source == IDENTITY_NAME) &&
           identity_is_personal(c->identity);
}

static bool same_guid(const struct candidate_name *one, const struct candidate_name *two)
{
    return one->guid_length > 0 && one->guid_length == two->guid_length &&
           memcmp(one->guid, two->guid, one->guid_length) == 0;
}

/* Of many that came at once some are still being read: how many are alike is not known yet. */
static bool is_reading(struct diagnosis *d, const struct candidate *const *alike, size_t count)
{
    int64_t until_us = 0;
    for (size_t i = 0; i < count; i++)
        if (alike[i]->joined.mono_us + READING_US > until_us)
            until_us = alike[i]->joined.mono_us + READING_US;
    if (d->election->unknown_count == 0 || d->f->at.mono_us >= until_us)
        return false;
    diagnosis_again(d, until_us);
    return true;
}

/* More candidates than this are not walked through for one session. */
#define WALKED_MOST 64

/* Its candidates in here, room of them at most: found where fewer have to be walked through, as one session
   may own thousands of candidates in as many elections. */
static size_t owned_here(const struct diagnosis *d, const struct viewer *viewer, const struct candidate **own,
                         size_t room)
{
    const struct election *election = d->election;
    size_t count = 0;
    if (election->candidate_count <= WALKED_MOST) {
        for (size_t i = 0; i < election->candidate_count && count < room; i++)
            if (election->candidates[i]->own->client == viewer->client && !election->candidates[i]->outside)
                own[count++] = election->candidates[i];
        return count;
    }
    for (const struct candidate *c = viewer->client->owned; c && count < room; c = c->own->owned_next)
        if (c->election == election && !c->outside)
            own[count++] = c;
    return count;
}

/* Two of one session that both wait properly: its threads contend, each for itself, under one name. */
static bool contends_often(const struct candidate *const *own, size_t count)
{
    size_t waiting = 0;
    for (size_t i = 0; i < count; i++)
        waiting += own[i]->own->watches_right;
    return waiting >= 2;
}

/* The first of two that say the same of themselves may be an orphan: its client does not know it, so it
   watches nothing for it. */
static bool same_words(const struct candidate *first, const struct candidate *second)
{
    return !first->own->watches_right && first->own->role == second->own->role && first->identity &&
           second->identity && strcmp(first->identity, second->identity) == 0 && own_words(first) &&
           own_words(second);
}

static void duplicate_session(struct diagnosis *d, const struct viewer *viewer)
{
    const struct candidate *own[SHARED_MOST];
    uint64_t subject = viewer->client->shown.id;
    if (viewer->owned < 2)
        return;
    size_t count = owned_here(d, viewer, own, SHARED_MOST);
    if (count < 2 || (!diagnosis_stands(d, FINDING_DUPLICATE_SESSION, subject) && is_reading(d, own, count)))
        return;
    qsort(own, count, sizeof own[0], diagnosis_by_place);
    /* What a parse finds points into the name: it stays. */
    struct candidate_name names[SHARED_MOST];
    for (size_t i = 0; i < count; i++)
        if (!own[i]->own->named ||
            !recipe_parse_name(d->f->model->recipes, d->election->recipe, own[i]->name, &names[i]))
            names[i].guid_length = 0;
    /* A member that may have several znodes is one candidate. */
    size_t same = 1;
    while (same < count && same_guid(&names[0], &names[same]))
        same++;
    if (same == count && d->election->recipe && d->election->recipe->watches == WATCHES_MEMBER)
        return;
    /* The first of two equal ones is the orphan. */
    bool often = contends_often(own, count);
    bool leads = d->election->kind == KIND_LEADER && d->election->kind_proof != KIND_ASSUMED;
    size_t orphan = count;
    const char *alike = NULL;
    for (size_t i = 0; i < count && orphan == count; i++)
        for (size_t k = i + 1; k < count && orphan == count; k++) {
            /* A create that is sent twice has one GUID. Who contends for a lock may make two. */
            bool contend = !leads && names[i].guid_length > 0 && names[k].guid_length > 0;
            if (same_guid(&names[i], &names[k]))
                alike = "GUID";
            else if (!often && !contend && same_words(own[i], own[k]))
                alike = "identity";
            orphan = alike ? i : count;
        }
    enum severity severity = orphan == count           ? SEVERITY_INFO
                             : own[orphan]->place == 0 ? SEVERITY_CRITICAL
                                                       : SEVERITY_ERROR;
    char session[SESSION_TEXT], orphans[192] = "";
    if (alike) {
        /* Its client waits for it: it knows the other one alone, and the orphan stays when that one leaves. */
        const struct candidate *waits = own[orphan + 1];
        if (same_guid(&names[orphan], &names[orphan + 1]) && waits->own->has_watched &&
            waits->place == own[orphan]->place + 1)
            d->election->candidates[own[orphan]->place]->own->sibling = waits->own->hash | 1;
        snprintf(orphans, sizeof orphans, ", with the same %s: %s may be an orphan", alike,
                 own[orphan]->name);
        const struct candidate *swap = own[0];
        own[0] = own[orphan];
        own[orphan] = swap;
    }
    diagnosis_raise(d, FINDING_DUPLICATE_SESSION, severity, alike ? CERTAINTY_SUSPECTED : CERTAINTY_CERTAIN,
                    subject, own, count, NULL, "%s owns %" PRIu32 " candidates under %s%s",
                    describe_session(d->election, subject, session, sizeof session), viewer->owned,
                    d->election->path, orphans);
}

/* ---- one identity ---- */

/* Those of one identity: the foremost, and those of other sessions than its own. */
struct namesakes {
    const struct candidate *of[NAMED];
    size_t count;     /* in all */
    bool by_name;     /* the name says it of all of them, which never changes */
    bool shared_word; /* may name a role ("standby") or the service: no process */
};

/*
 * What its data said when it was read, it need not say any more. They were alike at one time where the others
 * still say the same after the last one was read; and from time to time they are asked whether they still do.
 * False: they have not all been read since. asks: read them again.
 */
static bool read_since(struct diagnosis *d, const struct namesakes *alike, int64_t since_us, bool asks)
{
    int64_t now_us = d->f->at.mono_us;
    bool all = true;
    for (size_t i = 0; i < alike->count && i < NAMED; i++) {
        struct candidate *c = d->election->candidates[alike->of[i]->place];
        int64_t wanted_us = now_us - AGAIN_US > since_us ? now_us - AGAIN_US : since_us;
        if (asks && c->own->read_us < wanted_us)
            candidates_read_again(d->election, c, wanted_us, now_us);
        int64_t asked_us = c->own->read_us > c->own->again_us ? c->own->read_us : c->own->again_us;
        if (asks)
            diagnosis_again(d, asked_us + AGAIN_US + 1);
        all = all && c->own->read_us >= since_us;
    }
    return all;
}

static bool says_no_name(const struct candidate *c)
{
    return c->identity_source == IDENTITY_DATA && identity_is_word(c->identity);
}

/* Whether all of them have one address; alive: ... and a connection that is not silent. ANSWER_UNKNOWN: no server shows
   it, or they are too many to be kept. */
static enum answer have_one_address(const struct diagnosis *d, const struct namesakes *alike,
                                    enum answer *alive)
{
    const char *host = NULL, *other = NULL;
    enum answer one = alike->count > NAMED ? ANSWER_UNKNOWN : ANSWER_YES;
    size_t length = 0;
    *alive = one;
    for (size_t i = 0; i < alike->count && i < NAMED; i++) {
        const struct client_session *shown = candidate_client(alike->of[i]);
        bool known = shown && shown->address;
        if (known ? !shown->connected || client_is_silent(shown)
                  : diagnosis_is_certain(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(alike->of[i])))
            *alive = ANSWER_NO;
        else if (!known && *alive == ANSWER_YES)
            *alive = ANSWER_UNKNOWN;
        size_t its = known ? client_host(shown, &other) : 0;
        if (!known)
            one = ANSWER_UNKNOWN;
        else if (one == ANSWER_YES && i > 0 && (its != length || memcmp(host, other, length) != 0))
            one = ANSWER_NO;
        host = other;
        length = its;
    }
    return one;
}

/* When the last of them joined, at the latest. */
static int64_t last_joined_us(const struct diagnosis *d, const struct namesakes *alike)
{
    int64_t joined_us = 0;
    for (size_t i = 0; i < alike->count && i < NAMED; i++) {
        const struct candidate *c = alike->of[i];
        int64_t age_us = d->f->at.wall_us - summary_created_us(c) - CLOCKS_APART_US;
        int64_t its_us = c->joined.mono_us; /* one that was found existed by then */
        if (!c->joined_seen && its_us > d->f->at.mono_us - age_us)
            its_us = d->f->at.mono_us - age_us;
        joined_us = its_us > joined_us ? its_us : joined_us;
    }
    return joined_us;
}

/* Of a session whose timeout is not known. */
#define USUAL_TIMEOUT_MS 30000
#define OVERDUE_PERCENT 90

/* It has no connection: of one at the address of the others the process may be over; from elsewhere it may return,
   until its session rather ends than not. */
static bool has_left(const struct diagnosis *d, const struct candidate *c, enum answer one_address)
{
    const struct client_session *shown = candidate_client(c);
    if (!shown || shown->connected)
        return false;
    if (!shown->seen.mono_us) /* never seen: perhaps no list shows it */
        return diagnosis_is_certain(d, FINDING_OWNER_DISCONNECTED, diagnosis_subject(c));
    int64_t since_us = shown->seen.mono_us > c->joined.mono_us ? shown->seen.mono_us : c->joined.mono_us;
    int64_t timeout_ms = shown->timeout_ms > 0 ? shown->timeout_ms : USUAL_TIMEOUT_MS;
    return one_address == ANSWER_YES ||
           d->f->at.mono_us - since_us >= timeout_ms * INT64_C(1000) * OVERDUE_PERCENT / 100;
}

/* One of them had fallen silent before the last one joined, for as long as no living client is, or has left. */
static bool is_over(const struct diagnosis *d, const struct namesakes *alike, enum answer one_address)
{
    struct moment before = {.mono_us = last_joined_us(d, alike) - 2 * CLOCKS_APART_US};
    bool over = false;
    for (size_t i = 0; i < alike->count && i < NAMED; i++) {
        const struct client_session *shown = candidate_client(alike->of[i]);
        over |= has_left(d, alike->of[i], one_address) ||
                (shown && shown->connected && client_is_unheard(shown, before) && client_is_overdue(shown));
    }
    return over;
}

/* Their text names no single process: the clients of all of them were heard after the last one had joined, now or
   earlier. */
static bool is_shared(const struct diagnosis *d, const struct namesakes *alike)
{
    int64_t joined_us = last_joined_us(d, alike);
    bool heard = alike->count <= NAMED, shared = false;
    for (size_t i = 0; i < alike->count && heard; i++) {
        const struct client_session *shown = candidate_client(alike->of[i]);
        heard = shown && shown->connected && shown->silent_ms >= 0 &&
                !client_is_unheard(shown, (struct moment){.mono_us = joined_us + HEARD_LATE_US});
    }
    for (size_t i = 0; i < alike->count && i < NAMED; i++) {
        struct candidate *c = d->election->candidates[alike->of[i]->place];
        c->own->has_namesake |= heard;
        shared |= c->own->has_namesake;
    }
    return shared;
}

static void raise_namesakes(struct diagnosis *d, const struct namesakes *alike)
{
    const struct candidate *first = alike->of[0], *second = alike->of[1];
    uint64_t subject = (uint64_t)hash_bytes(first->identity, strlen(first->identity), 0) << 8 | 1;
    size_t named = alike->count < NAMED ? alike->count : NAMED;
    bool stands = diagnosis_stands(d, FINDING_DUPLICATE_IDENTITY, subject);
    if (!stands && is_reading(d, alike->of, named))
        return;
    int64_t since_us = diagnosis_since(d, FINDING_DUPLICATE_IDENTITY, subject).mono_us;
    bool sure = alike->by_name || (!alike->shared_word && read_since(d, alike, since_us, stands));
    /* A restarted client is alive once. What names no process proves it only where the other one was; two living
       processes cannot listen on one port of one host; and one that is silent now may have been alive beside the
       other. */
    enum answer alive = ANSWER_UNKNOWN;
    bool process = alike->by_name || identity_is_process(first->identity);
    enum answer one = have_one_address(d, alike, &alive);
    bool harmless = alive == ANSWER_YES && (one == ANSWER_YES || !process);
    bool shared = is_shared(d, alike);
    bool restarted = alive == ANSWER_NO && !shared && is_over(d, alike, one) && alike->count <= NAMED &&
                     (one == ANSWER_YES || process);
    if (shared && !harmless)
        diagnosis_doubt(d, FINDING_DUPLICATE_IDENTITY, subject);
    char more[48] = "";
    if (alike->count > 2)
        snprintf(more, sizeof more, ", and so do %zu more", alike->count - 2);
    diagnosis_raise(
        d, FINDING_DUPLICATE_IDENTITY, harmless ? SEVERITY_INFO : SEVERITY_WARNING,
        sure && (harmless || restarted) ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED, subject, alike->of, named,
        alive == ANSWER_YES ? "nothing, if they are meant to write the same; else give each client its own"
                            : NULL,
        "%s and %s have the same identity %.120s, in sessions 0x%" PRIx64 " and 0x%" PRIx64 "%s%s",
        first->name, second->name, first->identity, first->stat.owner, second->stat.owner, more,
        alive != ANSWER_YES ? ""
        : one == ANSWER_YES ? "; all live at one address, perhaps as one process, or as processes of one host"
                            : "; all live, at several addresses");
    /* Nothing is read for a finding that the certainty of this layout forbids. */
    if (!stands && !alike->by_name && !alike->shared_word &&
        diagnosis_stands(d, FINDING_DUPLICATE_IDENTITY, subject))
        read_since(d, alike, since_us, true);
}

/* Places in line by identity, from 1; 0: none. Of one identity, each leads to the next. */
struct identities {
    uint32_t *first, *last, *next;
    size_t room, reporting, distinct;
};

static void note_identity(const struct election *election, struct identities *all, uint32_t i)
{
    const struct candidate *c = election->candidates[i];
    size_t at = hash_bytes(c->identity, strlen(c->identity), 0) & (all->room - 1);
    while (all->first[at] && strcmp(election->candidates[all->first[at] - 1]->identity, c->identity) != 0)
        at = (at + 1) & (all->room - 1);
    all->reporting++;
    all->distinct += !all->first[at];
    if (all->first[at])
        all->next[all->last[at] - 1] = i + 1;
    else
        all->first[at] = i + 1;
    all->last[at] = i + 1;
}

/* A candidate reported with the first one is not reported again. */
static void compare_identity(struct diagnosis *d, struct identities *all, uint32_t i)
{
    struct candidate *const *candidates = d->election->candidates;
    const struct candidate *first = candidates[i];
    struct namesakes alike = {.of = {first},
                              .count = 1,
                              .by_name = first->identity_source == IDENTITY_NAME,
                              .shared_word = says_no_name(first) ||
                                             (all->distinct == 1 && !identity_is_process(first->identity))};
    for (uint32_t next; (next = all->next[i]); i = next - 1) {
        const struct candidate *c = candidates[next - 1];
        all->next[i] = 0;
        if (c->stat.owner == first->stat.owner)
            continue;
        if (alike.count < NAMED)
            alike.of[alike.count] = c;
        alike.count++;
        alike.by_name = alike.by_name && c->identity_source == IDENTITY_NAME;
    }
    if (alike.count > 1)
        raise_namesakes(d, &alike);
}

static void duplicate_identity(struct diagnosis *d)
{
    struct election *election = d->election;
    struct identities all = {.room = 16};
    size_t any = 0;
    if (election->own->none_alike)
        return;
    while (all.room < election->candidate_count * 2)
        all.room *= 2;
    all.first = xcalloc(2 * all.room + election->candidate_count, sizeof *all.first);
    all.last = all.first + all.room;
    all.next = all.last + all.room;
    for (size_t i = 0; i < election->candidate_count; i++)
        if (own_words(election->candidates[i]) && owner_is_session(election->candidates[i]->stat.owner))
            note_identity(election, &all, (uint32_t)(any = i));
    /* One word that all write says nothing of who they are. */
    bool one_word = all.distinct == 1 && (all.reporting >= 3 || says_no_name(election->candidates[any]));
    for (size_t i = 0; i < election->candidate_count && !one_word; i++)
        if (all.next[i])
            compare_identity(d, &all, (uint32_t)i);
    election->own->none_alike = all.distinct == all.reporting;
    free(all.first);
}

void diagnose_duplicates(struct diagnosis *d)
{
    for (size_t i = 0; i < d->viewer_count && d->election->recipe; i++)
        duplicate_session(d, &d->viewers[i]);
    duplicate_identity(d);
}
