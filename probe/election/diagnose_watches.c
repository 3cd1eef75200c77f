#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/bystanders.h"
#include "probe/election/candidates.h"
#include "probe/election/certainty.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/diagnose.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/logged_ends.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"
#include "probe/election/watch_proof.h"

#define SESSION_TEXT 256
#define SPAN_TEXT 40
#define PATH_TEXT 512

/* The packets of a client show every change of its watches: what lasts for so long is none of a client that is about to
 * set one. */
#define CAPTURED_LASTS_US INT64_C(500000)

/* Since then neither the line nor what this captured client asked for has changed. */
static int64_t captured_since_us(const struct election *election, const struct client *client)
{
    int64_t since_us = client->series_us;
    since_us = client->still_us > since_us ? client->still_us : since_us;
    return election->own->quiet_us > since_us ? election->own->quiet_us : since_us;
}

/* "in 3 polls over 10.2 s", or what there is. */
static const char *describe_polls(const struct diagnosis *d, const struct candidate *c, char *buffer,
                                  size_t size)
{
    char span[SPAN_TEXT];
    const struct client *client = c->own->client;
    int64_t captured_us = client->captured ? d->f->at.mono_us - captured_since_us(c->election, client) : 0;
    if (client->captured)
        snprintf(buffer, size, "for %s", describe_span(captured_us > 0 ? captured_us : 0, span, sizeof span));
    else if (client->counted >= 2)
        snprintf(buffer, size, "in %d polls over %s", client->counted,
                 describe_span(client->counted_asked_us - client->series_us, span, sizeof span));
    else
        snprintf(buffer, size, "in %s",
                 client->shown.watches_seen_us > c->own->wrong_us ? "two polls" : "one poll");
    return buffer;
}

static const char *restart_whom(const struct candidate *c, const struct candidate *before, char *buffer,
                                size_t size)
{
    const struct client_session *shown = candidate_client(c);
    const char *who = shown && shown->address ? shown->address : NULL;
    if (who)
        snprintf(buffer, size, "restart the client at %s: it will not be notified when %s leaves", who,
                 before->name);
    else
        snprintf(buffer, size, "restart the client that owns it: it will not be notified when %s leaves",
                 before->name);
    return buffer;
}

/* The znode that its session watches instead. */
static const char *watched_instead(const struct diagnosis *d, const struct candidate *c)
{
    const struct viewer *viewer = &d->viewers[c->own->client->scratch];
    return viewer->other ? viewer->other->name : viewer->deleted ? viewer->deleted : c->name;
}

/* While a session changes its watches, a poll may fall between: only a second one makes it worth reporting; for packets
 * there are no polls, but time. */
static bool settled(struct diagnosis *d, const struct client *client, bool seen_twice, enum finding_code code,
                    uint64_t subject)
{
    if (client->captured) {
        int64_t due_us = captured_since_us(d->election, client) + CAPTURED_LASTS_US;
        seen_twice = d->f->at.mono_us >= due_us;
        if (!seen_twice)
            diagnosis_again(d, due_us);
    }
    d->one_poll = !seen_twice && d->f->model->one_poll;
    return seen_twice || d->one_poll || diagnosis_stands(d, code, subject);
}

/* Watches that a client renews on another connection take effect a second later, while all renew theirs: after the loss
 * of ZooKeeper's leader. A connection from the future shows a clock that is ahead, and no time. */
#define RENEWAL_US INT64_C(3000000)

static bool renews_watches(struct diagnosis *d, const struct candidate *c)
{
    int64_t connected_us = client_established_us(d->election->cluster, candidate_client(c));
    int64_t left_us = connected_us + RENEWAL_US - d->f->at.wall_us;
    if (connected_us <= summary_created_us(c) || left_us <= 0 || left_us > 2 * RENEWAL_US)
        return false;
    diagnosis_again(d, d->f->at.mono_us + left_us);
    return true;
}

static void raise_watch(struct diagnosis *d, struct candidate *c, enum finding_code code)
{
    struct election *election = d->election;
    const struct candidate *before = chain_expected(election, c);
    enum certainty certainty = c->proof == code ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
    uint64_t subject = diagnosis_subject(c);
    char session[SESSION_TEXT], polls[80], advice[512];
    if (diagnosis_is_full(d, code, subject)) /* of a thousand candidates: no text that nobody will read */
        return;
    describe_session(election, c->stat.owner, session, sizeof session);
    describe_polls(d, c, polls, sizeof polls);
    restart_whom(c, before, advice, sizeof advice);
    const struct candidate *who[] = {c};
    switch (code) {
    case FINDING_NO_WATCH:
        diagnosis_raise(d, code, c->place == 1 ? SEVERITY_CRITICAL : SEVERITY_ERROR, certainty, subject, who,
                        1, advice, "%s has no data watch under %s, %s; it should watch %s", session,
                        election->path, polls, before->name);
        break;
    case FINDING_WATCH_ON_DELETED:
        diagnosis_raise(d, code, SEVERITY_CRITICAL, certainty, subject, who, 1, advice,
                        "%s watches only %s, which does not exist, %s; it should watch %s", session,
                        watched_instead(d, c), polls, before->name);
        break;
    case FINDING_WATCH_SELF:
        diagnosis_raise(d, code, SEVERITY_CRITICAL, certainty, subject, who, 1, advice,
                        "%s watches its own %s and no other under %s, %s; it should watch %s", session,
                        c->name, election->path, polls, before->name);
        break;
    case FINDING_ORPHAN_READER:
        diagnosis_raise(d, code, SEVERITY_CRITICAL, certainty, subject, who, 1, advice,
                        "reader %s: %s watches %s, %s; the writer %s is ahead of it", c->name, session,
                        c->link == LINK_WRONG ? watched_instead(d, c) : "nothing here", polls, before->name);
        break;
    case FINDING_WRONG_PREDECESSOR:
        diagnosis_raise(d, code, SEVERITY_ERROR, certainty, subject, who, 1, NULL,
                        "%s watches %s, not %s, the predecessor of %s; %s", session, watched_instead(d, c),
                        before->name, c->name, polls);
        break;
    default:
        break;
    }
}

/* A reader that would hold the lock watches a writer behind it, as clients do that mistake it for one before them; that
 * writer waits for all readers before it. A client may also watch who waits, so it is a suspicion. */
static void waits_for_writer_behind(struct diagnosis *d, struct candidate *c)
{
    const struct election *election = d->election;
    const struct candidate *writer = NULL;
    for (size_t i = shared_lock_holders(election); i < election->candidate_count && !writer; i++) {
        const struct candidate *other = election->candidates[i];
        if (!other->reads && other->own->watches_right && other->stat.owner != c->stat.owner &&
            chain_is_watched(election, other, c->stat.owner))
            writer = other;
    }
    if (!writer || !settled(d, c->own->client, c->own->client->enclosed >= 2, FINDING_ORPHAN_READER,
                            diagnosis_subject(c)))
        return;
    char session[SESSION_TEXT];
    const struct candidate *who[] = {c, writer};
    diagnosis_raise(
        d, FINDING_ORPHAN_READER, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, diagnosis_subject(c), who, 2, NULL,
        "reader %s: %s watches the writer %s behind it, which waits for it: neither of them may "
        "ever hold the lock",
        c->name, describe_session(election, c->stat.owner, session, sizeof session), writer->name);
    d->one_poll = false;
}

/* One of its watches has fired, and its predecessor was written to since it joined. */
static void watch_eaten(struct diagnosis *d, struct candidate *c)
{
    const struct candidate *before = chain_expected(d->election, c);
    const struct client_session *shown = &c->own->client->shown;
    if (!shown->watches_listed || shown->watch_count > 0 || !before || !before->known)
        return;
    bool written = before->stat.mzxid > before->stat.czxid && before->stat.mzxid > c->stat.czxid;
    if (!written) {
        /* Its data was read when it joined: a later write shows only when it is read again. */
        struct candidate *other = d->election->candidates[before->place];
        if (!c->own->reread)
            candidates_queue(d->election, other);
        c->own->reread = true;
        return;
    }
    char session[SESSION_TEXT], when[SPAN_TEXT], path[PATH_TEXT];
    const struct candidate *who[] = {c, before};
    struct moment written_at = {
        .wall_us = cluster_stat_us(d->election->cluster, before->stat.mzxid, before->stat.mtime_ms)};
    diagnosis_raise(
        d, FINDING_WATCH_EATEN, SEVERITY_ERROR, CERTAINTY_SUSPECTED, diagnosis_subject(c), who, 2, NULL,
        "%s had watches and all have fired; the data of %s was written at %s, after %s joined",
        describe_session(d->election, c->stat.owner, session, sizeof session),
        describe_path(before, path, sizeof path), describe_clock(written_at, when, sizeof when), c->name);
}

/* The other znode of its client, which waited for it, has left: the client knows none any more. */
static bool is_left_behind(const struct election *election, const struct candidate *orphan)
{
    return orphan->own->sibling != 0 && (election->candidate_count < 2 ||
                                         (election->candidates[1]->own->hash | 1) != orphan->own->sibling);
}

/* To wait and to lead, a client creates its candidate, lists them with a watch, and lists them again; first from the
 * start, it need not wait. Another connection may count its requests anew, and some clients count from 0: not those of
 * the layouts that names prove. */
#define REQUESTS_TO_WAIT 3
#define REQUESTS_TO_STAND 2
#define ASKS_WITHIN_US INT64_C(10000000)

static bool first_since_loss(const struct election *election, const struct candidate *c)
{
    return election->leader == c && vacancy_first_follows(election) &&
           c->joined.mono_us < election->change.lost_at.mono_us;
}

/* So long before its end was noticed here, a leader may have gone. */
#define NOTICED_US INT64_C(2000000)

/* Its client waited, and was notified of its turn. Libraries put a GUID into the names of their candidates, and list the
 * candidates when they are notified: this one has requested nothing. A layout of the configuration is of no known
 * library; a reader may hold the lock already, beside the one that left. */
static bool ignores_its_turn(struct diagnosis *d, const struct candidate *c)
{
    const struct election *election = d->election;
    const struct client_session *shown = candidate_client(c);
    int64_t passed_us = election->change.lost_at.mono_us - NOTICED_US;
    if (!first_since_loss(election, c) || !election->change.lost_seen || !c->own->has_watched || c->reads ||
        c->own->believed || !summary_must_lead(election) || election->acknowledged == ACK_YES ||
        !election->recipe || !election->recipe->signature || recipe_is_own(election->recipe) ||
        !certainty_holds_guid(c->name) || !shown || !shown->connected || c->own->client->still_us == 0 ||
        c->own->client->still_us > passed_us)
        return false;
    diagnosis_again(d, d->f->at.mono_us + NOTICED_US); /* another list may show a request */
    return client_let_pass(c->own->client, passed_us);
}

/* Its client has made too few requests to know that it is first, or became it; it has never had a data watch. */
static bool knows_nothing(struct diagnosis *d, const struct candidate *c)
{
    const struct election *election = d->election;
    const struct client_session *shown = candidate_client(c);
    const struct change *change = &election->change;
    struct failover lost = {.lost_at = change->lost_at};
    bool saw = first_since_loss(election, c);
    if ((change->from && !saw) || c->own->believed || election->leader != c || !summary_must_lead(election) ||
        election->acknowledged == ACK_YES || !shown || !shown->connected || shown->last_cxid < 0 ||
        shown->outstanding != 0 || !shown->watches_known || shown->watches_listed)
        return false;
    int64_t created_us = c->known ? summary_created_us(c) : 0;
    if (created_us < client_established_us(election->cluster, shown))
        return false;
    bool guid = certainty_holds_guid(c->name) && c->sequence > 0;
    bool waited = saw || (logged_ends_before(election, d->f->at, &lost) && lost.lost_at.wall_us > created_us);
    int64_t since_us = waited ? lost.lost_at.mono_us : d->f->at.mono_us - (d->f->at.wall_us - created_us);
    int64_t due_us = since_us + ASKS_WITHIN_US;
    int uncounted = election->recipe && election->recipe->signature ? 0 : 1;
    if (shown->last_cxid + uncounted >= (waited ? REQUESTS_TO_WAIT : guid ? REQUESTS_TO_STAND : 0))
        return false;
    if (d->f->at.mono_us < due_us)
        diagnosis_again(d, due_us);
    return d->f->at.mono_us >= due_us;
}

/* Who reads the recording of this has no log. */
static const char *describe_logged_before(const struct diagnosis *d, char *buffer, size_t size)
{
    struct failover lost;
    char when[SPAN_TEXT];
    buffer[0] = '\0';
    if (!d->election->change.from && logged_ends_before(d->election, d->f->at, &lost))
        snprintf(buffer, size, "; a log shows that %.120s was lost before, at %s: %s (%.200s)",
                 lost.from_identity ? lost.from_identity : lost.from,
                 describe_clock(lost.lost_at, when, sizeof when), failover_cause_word(lost.cause),
                 lost.evidence);
    return buffer;
}

/* The directory's ACL was set after it had joined, and before it became first. No watch tells of that: the list does that
 * shows the leader's loss. */
#define LOCKED_OUT_US INT64_C(600000000)

static bool may_be_locked_out(struct diagnosis *d, const struct candidate *c)
{
    const struct election *election = d->election;
    struct moment changed = election->own->acl_changed;
    int64_t until_us = election->leader_since.mono_us + LOCKED_OUT_US;
    if (changed.mono_us <= c->joined.mono_us || election->leader != c || !vacancy_first_follows(election) ||
        c->own->believed || election->acknowledged == ACK_YES ||
        changed.mono_us > election->leader_since.mono_us + NOTICED_US || d->f->at.mono_us >= until_us)
        return false;
    diagnosis_again(d, until_us);
    return true;
}

static void never_wakes(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    const struct client *client = c->own->client;
    if (election->acknowledged == ACK_YES)
        chain_hears(c);
    /* It may have learned it since then, from its own request or a notification. */
    if (!client || client->still_us == 0 || client->still_us > c->own->before_us)
        c->own->doubted = false;
    if (client && client->rhythm_ms > 0)
        c->own->recorded_deaf = (struct moment){0};
    election->own->listens = election->own->listens || c->own->doubted;
    bool passes = c->own->doubted && client_let_pass(client, c->own->before_us);
    if (c->own->doubted && !passes)
        diagnosis_again(d, d->f->at.mono_us + NOTICED_US);
    bool recorded = c->own->recorded_deaf.mono_us != 0;
    bool left_behind = is_left_behind(election, c);
    char session[SESSION_TEXT], when[SPAN_TEXT];
    const struct candidate *who[] = {c};
    if (ignores_its_turn(d, c)) {
        diagnosis_raise(d, FINDING_NEVER_WAKES, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, diagnosis_subject(c),
                        who, 1, NULL,
                        "%s watched its predecessor, and has requested nothing since %s became first at %s: "
                        "clients of this layout list the candidates then",
                        describe_session(election, c->stat.owner, session, sizeof session), c->name,
                        describe_clock(election->leader_since, when, sizeof when));
        return;
    }
    if (knows_nothing(d, c)) {
        int requests = candidate_client(c)->last_cxid;
        char before[480];
        diagnosis_raise(
            d, FINDING_NEVER_WAKES, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, diagnosis_subject(c), who, 1,
            NULL,
            "%s has never had a data watch, and made %d request%s, the creation of %s among them: too few "
            "to learn that it is first%s",
            describe_session(election, c->stat.owner, session, sizeof session), requests,
            requests == 1 ? "" : "s at most", c->name, describe_logged_before(d, before, sizeof before));
        return;
    }
    if (!c->own->deaf && !passes && !recorded && !left_behind && may_be_locked_out(d, c))
        diagnosis_raise(
            d, FINDING_NEVER_WAKES, SEVERITY_INFO, CERTAINTY_SUSPECTED, diagnosis_subject(c), who, 1,
            "if it does not lead, see whether it may still list the candidates (getAcl)",
            "the ACL of %s was set after %s had joined, and before %s: if its client may no longer "
            "list the candidates, it does not know that it is first",
            election->path, c->name, describe_clock(election->own->acl_changed, when, sizeof when));
    if ((!c->own->deaf && !passes && !recorded && !left_behind) || election->leader != c)
        return;
    if (left_behind) {
        diagnosis_raise(d, FINDING_NEVER_WAKES, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, diagnosis_subject(c),
                        who, 1, NULL,
                        "%s stood a second time with the same GUID, and waited for %s; the other znode is "
                        "gone: its client may not know of this one",
                        describe_session(election, c->stat.owner, session, sizeof session), c->name);
        return;
    }
    if (!c->own->deaf && !passes) {
        diagnosis_raise(d, FINDING_NEVER_WAKES, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, diagnosis_subject(c),
                        who, 1, NULL, "as was recorded until %s, %s does not learn of its turn",
                        describe_clock(c->own->recorded_deaf, when, sizeof when),
                        describe_session(election, c->stat.owner, session, sizeof session));
        return;
    }
    diagnosis_raise(d, FINDING_NEVER_WAKES, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, diagnosis_subject(c), who,
                    1, NULL, "%s %s nothing that would notify it when it became first at %s%s",
                    describe_session(election, c->stat.owner, session, sizeof session),
                    c->own->deaf ? "certainly watched" : "was seen to watch",
                    describe_clock(election->leader_since, when, sizeof when),
                    c->own->deaf ? "" : ", and has requested nothing since");
}

/* Its own znode in the other layout would explain the watch. */
static bool owns_outsider(const struct candidate *c)
{
    bool owns = false;
    for (const struct candidate *one = c->own->client->owned; one; one = one->own->owned_next)
        owns = owns || (one->election == c->election && one->outside);
    return owns;
}

/* A client that takes every numbered child for a candidate does not lead before that one has gone. */
static void waits_for_stranger(struct diagnosis *d, struct candidate *c)
{
    struct election *election = d->election;
    const struct viewer *viewer = c->own->client ? &d->viewers[c->own->client->scratch] : NULL;
    uint64_t subject = diagnosis_subject(c);
    if (election->leader != c || election->acknowledged == ACK_YES || election->outsider_count == 0)
        return;
    if (!viewer || !viewer->client->shown.watches_known) {
        diagnosis_keep(d, FINDING_FOREIGN_CHILD, subject);
        return;
    }
    if (!viewer->outsider || recipe_sequence_of(viewer->outsider->name) > c->sequence || owns_outsider(c))
        return;
    if (!settled(d, viewer->client, viewer->client->counted >= 2, FINDING_FOREIGN_CHILD, subject)) {
        election->suspected = true;
        return;
    }
    d->one_poll =
        false; /* a watch that is about to go would have gone with that child: one look shows both */
    char session[SESSION_TEXT];
    const struct candidate *who[] = {c};
    diagnosis_raise(d, FINDING_FOREIGN_CHILD, SEVERITY_CRITICAL, CERTAINTY_SUSPECTED, subject, who, 1, NULL,
                    "%s watches %.200s, which is no candidate of this layout and has a lower number than %s",
                    describe_session(election, c->stat.owner, session, sizeof session),
                    viewer->outsider->name, c->name);
}

/* What this session watches, while the line was as it is: certain by the same rule as a missing watch. */
static enum certainty diagnose_watches_certainty_of(struct diagnosis *d, struct client *client)
{
    client_restart_proof(client, d->election->own->quiet_us);
    if (chain_series_counts(d->election, client, d->election->own->quiet_us)) {
        client_is_proved(client);
        return CERTAINTY_CERTAIN;
    }
    d->election->suspected = true;
    return CERTAINTY_SUSPECTED;
}

/* ---- who watches one and the same ---- */

#define OWNERS_KEPT 16

/* A session that watches several is one cause, reported for the first of them; and a session that should
   watch this one counts here anyway. */
static bool counts_here(const struct diagnosis *d, const struct viewer *viewer, const struct candidate *c)
{
    const struct election *election = d->election;
    const struct candidate *next =
        c->place + 1u < election->candidate_count ? election->candidates[c->place + 1] : NULL;
    return viewer->lowest == c->place || (next && next->own->client == viewer->client);
}

/* Owners of candidates in here that watch c, c's own left out. all: with those that do not wait for it. */
static size_t owners_watching(const struct diagnosis *d, const struct candidate *c,
                              const struct candidate *owners[OWNERS_KEPT], size_t *all)
{
    /* Kept small: a herd of ten thousand is one as soon as sixteen are known, and is counted in full. */
    uint64_t few[256];
    size_t known = chain_watched_by(d->election, c, few, sizeof few / sizeof few[0]), count = 0;
    size_t looked = known < sizeof few / sizeof few[0] ? known : sizeof few / sizeof few[0];
    *all = known - looked;
    for (size_t i = 0; i < looked; i++) {
        struct client *client = session_table_find(d->election->cluster->clients, few[i]);
        if (!client || client == c->own->client || client->scratch >= d->viewer_count ||
            d->viewers[client->scratch].client != client || d->viewers[client->scratch].owned == 0)
            continue;
        ++*all;
        if (!counts_here(d, &d->viewers[client->scratch], c))
            continue;
        const struct candidate *owned = client_candidate(client, d->election);
        /* Readers of a read-write lock wait for their writer together, by its own rule. Who watches its predecessor,
           too, does not wait for this one; nor does one before it. */
        if (owned && owned->place < c->place)
            continue;
        if (owned && owned->own->watches_right && (owned->reads || chain_expected(d->election, owned) != c))
            continue;
        if (owned && count < OWNERS_KEPT)
            owners[count] = owned;
        count += owned != NULL;
    }
    return count + (known - looked);
}

/* All members that wait watch the first, whatever else they watch: their client's design, and no mistake of one of
 * them. */
static bool herd_by_design(const struct election *election, const struct candidate *c, size_t all)
{
    const struct line_shown *line = &election->own->line;
    return c->place == 0 && all >= line->watching && line->deaf == 0;
}

static void herd(struct diagnosis *d, const struct candidate *c)
{
    const struct candidate *owners[OWNERS_KEPT + 1];
    size_t all = 0;
    if (chain_watched_by(d->election, c, NULL, 0) < 2) /* nearly all of a line */
        return;
    size_t count = owners_watching(d, c, owners + 1, &all);
    if (count < 2)
        return;
    size_t named = count < OWNERS_KEPT ? count : OWNERS_KEPT;
    qsort(owners + 1, named, sizeof owners[0], diagnosis_by_place);
    owners[0] = c;
    /* Those that joined at the head by their recipe, with a number that was taken, wait in one place. */
    size_t places = count;
    for (size_t i = 1; i <= named && candidates_tie_by_name(d->election); i++)
        places -= owners[i]->sequence == owners[i - 1]->sequence;
    if (places < 2)
        return;
    /* Two are no herd if one of them watches it by mistake: that one is reported. */
    for (size_t i = 1; i <= named && count == 2 && !d->election->own->all_watch_first; i++)
        if (owners[i]->wrong == FINDING_WRONG_PREDECESSOR)
            return;
    enum certainty certainty = CERTAINTY_CERTAIN;
    char path[PATH_TEXT];
    for (size_t i = 1; i <= named; i++)
        if (diagnose_watches_certainty_of(d, owners[i]->own->client) == CERTAINTY_SUSPECTED)
            certainty = CERTAINTY_SUSPECTED;
    diagnosis_raise(d, FINDING_HERD, herd_by_design(d->election, c, all) ? SEVERITY_INFO : SEVERITY_WARNING,
                    certainty, diagnosis_subject(c), owners, named + 1, NULL,
                    "%zu owners of candidates watch %s: when it leaves, all of them are notified at once",
                    count, describe_path(c, path, sizeof path));
}

/* One of those who were seen to watch it is on another connection now. */
static void doubt_herds(struct diagnosis *d)
{
    for (size_t i = 0; i < d->election->finding_count; i++) {
        const struct finding *finding = d->election->findings[i];
        for (size_t k = 0; finding->code == FINDING_HERD && k < finding->candidate_count; k++) {
            const struct candidate *c = election_find(d->election, finding->candidates[k]);
            if (c && c->own->client && client_moved(c->own->client))
                diagnosis_doubt(d, FINDING_HERD, finding->subject);
        }
    }
}

/* ---- sessions with several watches, or without a candidate ---- */

static const struct candidate *some_target(const struct diagnosis *d, const struct viewer *viewer)
{
    return viewer->lowest < d->election->candidate_count ? d->election->candidates[viewer->lowest] : NULL;
}

static void extra_watches(struct diagnosis *d, const struct viewer *viewer)
{
    if (viewer->owned == 0)
        return;
    if (client_moved(viewer->client))
        diagnosis_doubt(d, FINDING_EXTRA_WATCHES, viewer->client->shown.id);
    if (!viewer->client->shown.watches_known)
        diagnosis_keep(d, FINDING_EXTRA_WATCHES, viewer->client->shown.id);
    if (viewer->targets <= viewer->owned)
        return;
    char session[SESSION_TEXT];
    const struct candidate *owned = client_candidate(viewer->client, d->election);
    enum certainty certainty = diagnose_watches_certainty_of(d, viewer->client);
    if (settled(d, viewer->client, viewer->client->enclosed >= 2, FINDING_EXTRA_WATCHES,
                viewer->client->shown.id))
        diagnosis_raise(d, FINDING_EXTRA_WATCHES, SEVERITY_INFO, certainty, viewer->client->shown.id, &owned,
                        owned ? 1 : 0, NULL, "%s watches %" PRIu32 " candidates under %s but owns %" PRIu32,
                        describe_session(d->election, viewer->client->shown.id, session, sizeof session),
                        viewer->targets, d->election->path, viewer->owned);
    d->one_poll = false;
}

/* It, or its client, had a candidate here before. */
static const struct departure_note *stood_before(const struct diagnosis *d,
                                                 const struct client_session *shown)
{
    const char *host;
    size_t length = client_host(shown, &host);
    const struct departure_note *note;
    for (size_t i = 0; (note = departed_at(d->election, i)); i++)
        if (note->session == shown->id ||
            (length > 0 && strlen(note->host) == length && memcmp(note->host, host, length) == 0 &&
             !session_table_find(d->election->cluster->clients, note->session)))
            return note;
    return NULL;
}

/* It follows the leader since it lost its own place: its session is the one from then, or began after that.
   Others on its host may have followed the leader all the time. */
static bool fell_out(const struct cluster *cluster, const struct departure_note *before,
                     const struct client_session *shown)
{
    return before->session == shown->id ||
           (before->at.wall_us > 0 &&
            client_established_us(cluster, shown) >= before->at.wall_us - CLOCKS_APART_US);
}

/* Who follows the leader and no other does what every user of an election may do. */
static void watcher_without_candidate(struct diagnosis *d, const struct viewer *viewer)
{
    struct election *election = d->election;
    const struct client_session *shown = &viewer->client->shown;
    bool follower = viewer->lowest == 0 && viewer->targets == 1;
    if (election->state == ELECTION_ELECTING)
        diagnosis_keep(d, FINDING_WATCHER_WITHOUT_CANDIDATE, shown->id);
    if (client_moved(viewer->client))
        diagnosis_doubt(d, FINDING_WATCHER_WITHOUT_CANDIDATE, shown->id);
    if (viewer->owned > 0 || election->state != ELECTION_LED)
        return;
    if (!shown->watches_known || election->unknown_count > 0) {
        diagnosis_keep(d, FINDING_WATCHER_WITHOUT_CANDIDATE, shown->id);
        return;
    }
    const struct departure_note *before = stood_before(d, shown);
    /* A session that ends is still in earlier lists: only facts since its znode went count. */
    if (viewer->client->left == election)
        client_restart_proof(viewer->client, viewer->client->left_us);
    /* It gave its leadership up itself: it watched nothing then, so it has set its watch since, and knows who leads. */
    const struct failover *failover = before ? departed_failover(election, before) : NULL;
    if (failover && before->session == shown->id && failover->cause == CAUSE_RESIGNED)
        before = NULL;
    if (viewer->targets == 0)
        return;
    election->own->listens = true; /* it had a candidate here before, once the session from then has gone */
    if (follower && !(before && fell_out(d->election->cluster, before, shown)))
        return;
    bool seen_twice = viewer->client->counted >= 2;
    if (!seen_twice)
        election->suspected = true; /* a second poll settles it */
    if (!settled(d, viewer->client, seen_twice, FINDING_WATCHER_WITHOUT_CANDIDATE, shown->id)) {
        diagnosis_keep(d, FINDING_WATCHER_WITHOUT_CANDIDATE, shown->id);
        return;
    }
    const struct candidate *target = some_target(d, viewer);
    char session[SESSION_TEXT], when[SPAN_TEXT], path[PATH_TEXT] = "?";
    if (target)
        describe_path(target, path, sizeof path);
    describe_session(election, shown->id, session, sizeof session);
    if (before)
        diagnosis_raise(d, FINDING_WATCHER_WITHOUT_CANDIDATE, SEVERITY_WARNING, CERTAINTY_SUSPECTED,
                        shown->id, &target, target != NULL, NULL,
                        "%s watches %s but owns no candidate; it or its client owned %s until %s", session,
                        path, before->name, describe_clock(before->at, when, sizeof when));
    else
        diagnosis_raise(d, FINDING_WATCHER_WITHOUT_CANDIDATE, SEVERITY_INFO,
                        diagnose_watches_certainty_of(d, viewer->client), shown->id, &target, target != NULL,
                        NULL, "%s watches %s but owns no candidate", session, path);
    d->one_poll = false;
}

/* Reported ones that no server lists any more. */
static void vanished_watchers(struct diagnosis *d)
{
    for (size_t i = 0; i < d->election->finding_count; i++) {
        const struct finding *finding = d->election->findings[i];
        if (finding->code != FINDING_WATCHER_WITHOUT_CANDIDATE)
            continue;
        const struct client *client = session_table_find(d->election->cluster->clients, finding->subject);
        if (client && (client->shown.connected || client->owned))
            continue;
        diagnosis_doubt(d, finding->code, finding->subject);
        diagnosis_vanished(d, finding->code, finding->subject);
    }
}

/* ---- all ---- */

static void weigh_old(struct diagnosis *d, const struct candidate *c)
{
    static const enum finding_code codes[] = {FINDING_NO_WATCH, FINDING_WATCH_ON_DELETED, FINDING_WATCH_SELF,
                                              FINDING_WRONG_PREDECESSOR, FINDING_WATCH_EATEN};
    bool hidden = c->link == LINK_UNKNOWN && !c->own->by_children,
         moved = c->own->client && client_moved(c->own->client);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (moved)
            diagnosis_doubt(d, codes[i], diagnosis_subject(c));
        if (hidden)
            diagnosis_keep(d, codes[i], diagnosis_subject(c));
    }
}

/* All watch the first, as their client was written: that is told of the herd, and not of each as its mistake. */
static bool is_of_herd(const struct election *election, const struct candidate *c)
{
    const struct line_shown *line = &election->own->line;
    bool all = line->watching < 2 || line->watched_by_all == election->candidates[0];
    return c->wrong == FINDING_WRONG_PREDECESSOR && election->own->all_watch_first && line->deaf == 0 &&
           all && c->own->watched == election->candidates[0];
}

void diagnose_watches(struct diagnosis *d)
{
    struct election *election = d->election;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (lock)
        return; /* its waiters watch it */
    bool follows = election->recipe && election->recipe->watches == WATCHES_LEADER;
    doubt_herds(d);
    for (size_t i = 0; i < election->candidate_count && !follows; i++)
        herd(d, election->candidates[i]);
    bool unsure = !chain_watches_complete(election->cluster);
    for (size_t i = 0; i < election->candidate_count && !unsure; i++) {
        const struct candidate *c = election->candidates[i];
        /* Its owner may be one of those that watch. */
        unsure = (!c->known && !c->denied) || (c->own->client && !c->own->client->shown.watches_known);
    }
    for (size_t i = 0; i < election->finding_count && unsure; i++) {
        const struct finding *finding = election->findings[i];
        /* Nobody watches it any more once the watched one, its first, is gone. */
        if (finding->code == FINDING_HERD && election_find(election, finding->candidates[0]))
            diagnosis_keep(d, FINDING_HERD, finding->subject);
    }
    for (size_t i = 0; i < election->candidate_count; i++) {
        struct candidate *c = election->candidates[i];
        if (i == 0) {
            never_wakes(d, c);
            waits_for_stranger(d, c);
        } else {
            weigh_old(d, c);
        }
        if (c->reads && c->own->client && shared_lock_holds(election, c))
            waits_for_writer_behind(d, c);
        enum finding_code wrong = c->wrong;
        if (wrong == FINDING_COUNT || is_of_herd(election, c))
            continue;
        bool seen_twice = c->proof == wrong ||
                          (c->own->client->shown.watches_seen_us > c->own->wrong_us && !renews_watches(d, c));
        if (!settled(d, c->own->client, seen_twice, wrong, diagnosis_subject(c)))
            continue;
        raise_watch(d, c, wrong);
        /* Reads share a rate: a finding that is not shown, or that a single look cannot prove, is not read for
         * again. */
        if (wrong == FINDING_NO_WATCH && !d->f->model->one_poll &&
            diagnosis_stands(d, wrong, diagnosis_subject(c)))
            watch_eaten(d, c);
        d->one_poll = false;
    }
    for (size_t i = 0; i < d->viewer_count; i++) {
        extra_watches(d, &d->viewers[i]);
        watcher_without_candidate(d, &d->viewers[i]);
    }
    vanished_watchers(d);
}
