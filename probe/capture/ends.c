#include "probe/capture/ends.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/capture/wire.h"

/* An older request to delete a znode did not end this one. */
#define ASKED_KEPT_US INT64_C(60000000)
#define ASKED_KEPT 64
#define ENDED_KEPT 256
#define ENDED_KEPT_US INT64_C(60000000)
/* Ends that wait for packets of other captures, and of these, those that were told without a reason: there may be many at
 * once, which must not take the places of the others. */
#define GONE_KEPT 256
#define TOLD_KEPT 192
/* The delay of packets and clocks, at most. */
#define LATE_US INT64_C(150000)
/* A server ends the connection of an expired session with its znodes. */
#define ENDED_TOGETHER_US INT64_C(1000000)

struct asked_end {
    char *path;
    uint64_t session;
    int64_t at_us;
};

struct seen_end {
    char *path;
    int64_t czxid, at_us;
    size_t source; /* the capture that shows when */
};

/* A znode that went while its session seemed silent: packets of other captures may still show that it was heard. Or one
 * that went for no known reason: its session may live on. */
struct gone_znode {
    char *path; /* NULL: none */
    int64_t czxid, at_us;
    bool exact; /* it went just then */
    size_t source;
    uint64_t session; /* its end was told without a reason; 0: it was not */
    int64_t zxid;     /* ... and that it was this transaction, at the latest */
};

struct ends {
    struct znode_tree *tree;
    const struct coverage *coverage;
    bool waits;
    size_t source; /* of the present packet, or of the one that shows the end that is told */
    struct ends_listener listener;
    int64_t doubted_us; /* up to this time, what a client did may be missing; 0: never */
    int64_t unheard_us; /* ... what any of them did */
    int64_t zxid;       /* the latest known one */
    struct asked_end asked[ASKED_KEPT];
    size_t next_asked;
    struct seen_end seen[ENDED_KEPT];
    size_t next_seen;
    struct gone_znode gone[GONE_KEPT];
    size_t gone_count, told_count;
};

struct ends *ends_new(struct znode_tree *tree, const struct coverage *coverage, bool waits,
                      const struct ends_listener *listener)
{
    struct ends *e = xcalloc(1, sizeof *e);
    e->tree = tree;
    e->coverage = coverage;
    e->waits = waits;
    e->listener = *listener;
    return e;
}

void ends_free(struct ends *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < ASKED_KEPT; i++)
        free(e->asked[i].path);
    for (size_t i = 0; i < ENDED_KEPT; i++)
        free(e->seen[i].path);
    for (size_t i = 0; i < e->gone_count; i++)
        free(e->gone[i].path);
    free(e);
}

/* ---- requests ---- */

void ends_asked(struct ends *e, uint64_t session, const char *path, int64_t at_us)
{
    struct asked_end *one = &e->asked[e->next_asked++ % ASKED_KEPT];
    free(one->path);
    *one = (struct asked_end){text_copy(path), session, at_us};
}

void ends_refused(struct ends *e, uint64_t session, const char *path)
{
    for (size_t i = 0; i < ASKED_KEPT; i++) {
        struct asked_end *one = &e->asked[i];
        if (!one->path || one->session != session || (path && strcmp(one->path, path) != 0))
            continue;
        free(one->path);
        *one = (struct asked_end){0};
    }
}

void ends_forget_asked(struct ends *e, const char *path)
{
    for (size_t i = 0; i < ASKED_KEPT; i++)
        if (e->asked[i].path && strcmp(e->asked[i].path, path) == 0) {
            free(e->asked[i].path);
            e->asked[i] = (struct asked_end){0};
        }
}

static const struct asked_end *find_asked(const struct ends *e, const char *path, int64_t at_us,
                                          int64_t since_us)
{
    for (size_t i = 0; i < ASKED_KEPT; i++) {
        const struct asked_end *one = &e->asked[i];
        if (one->path && one->at_us > since_us && strcmp(one->path, path) == 0 &&
            at_us - one->at_us < ASKED_KEPT_US)
            return one;
    }
    return NULL;
}

void ends_note(struct ends *e, const char *path, int64_t czxid, int64_t at_us)
{
    ends_forget_asked(e, path);
    struct seen_end *one = &e->seen[e->next_seen++ % ENDED_KEPT];
    free(one->path);
    *one = (struct seen_end){text_copy(path), czxid, at_us, e->source};
}

bool ends_was_seen(const struct ends *e, const char *path, int64_t czxid, int64_t at_us)
{
    for (size_t i = 0; i < ENDED_KEPT; i++)
        if (e->seen[i].path && (czxid == 0 || e->seen[i].czxid == 0 || e->seen[i].czxid == czxid) &&
            at_us - e->seen[i].at_us < ENDED_KEPT_US && strcmp(e->seen[i].path, path) == 0)
            return true;
    return false;
}

/* ---- silence ---- */

void ends_doubt(struct ends *e, int64_t at_us, bool all)
{
    e->doubted_us = at_us;
    e->unheard_us = all ? at_us : e->unheard_us;
}

bool ends_has_heard(const struct ends *e, const struct logged_session *session)
{
    return session && session->active_us > e->doubted_us;
}

static int64_t silence_ends_us(const struct logged_session *session)
{
    return session->active_us + session->timeout_ms * INT64_C(1000) - LATE_US;
}

bool ends_is_silent(struct ends *e, struct logged_session *session, int64_t at_us)
{
    e->listener.hear(e->listener.context, session);
    return session->timeout_ms > 0 && at_us >= silence_ends_us(session) && session->active_us > e->unheard_us;
}

/* A capture that has brought nothing since may have stalled already. One that is over has not. */
static bool has_gone_on(const struct ends *e, const struct logged_session *session)
{
    bool all = true;
    for (size_t i = 0; e->waits && i < e->coverage->count; i++) {
        const struct covered *source = &e->coverage->sources[i];
        all = all && (source->from_us == 0 || source->over || source->until_us >= silence_ends_us(session));
    }
    return all;
}

/* Its session was ended by then, as timeouts are rounded up to whole ticks, of which each has two. A client that went
 * to a server between two of its captures is heard in the second one within a third of its timeout. */
static bool silence_is_covered(const struct ends *e, const struct logged_session *session, int64_t gone_us)
{
    int64_t timeout_us = session->timeout_ms * INT64_C(1000),
            over_us = session->active_us + timeout_us / 2 * 3;
    return e->waits || coverage_holds(e->coverage, session->active_us, gone_us < over_us ? gone_us : over_us,
                                      timeout_us / 3);
}

/* That its connection is open proves nothing: its client may have lost it unseen, and gone on elsewhere. The sessions
 * of ZooKeeper begin with the number of a server. */
static bool was_nowhere_else(const struct ends *e, const struct logged_session *session)
{
    return e->waits || (e->coverage->standalone && session->id >> 56 != 0);
}

/* ---- judging ---- */

/* Its server ended its connection with it. */
static bool was_left(const struct logged_session *session, int64_t gone_us)
{
    return session && session->left_us != 0 && session->left_us <= gone_us &&
           gone_us - session->left_us < ENDED_TOGETHER_US;
}

/* Its client may be heard again: then no request of its own is missing. */
static void await_client(struct ends *e, const struct znode *node, const struct gone_znode *gone)
{
    const struct logged_session *session = node->session;
    if (!session || !session->connection || e->told_count == TOLD_KEPT || e->gone_count == GONE_KEPT ||
        find_asked(e, node->path, gone->at_us, 0))
        return;
    struct gone_znode *told = &e->gone[e->gone_count++];
    e->told_count++;
    *told = (struct gone_znode){.path = text_copy(node->path),
                                .czxid = node->stat.czxid,
                                .at_us = gone->at_us,
                                .exact = gone->exact,
                                .source = gone->source,
                                .session = session->id,
                                .zxid = e->zxid};
}

static void explain(struct ends *e, const struct gone_znode *gone, uint64_t session)
{
    struct observed_transaction deed = {.deed = DEED_DELETED,
                                        .session = session,
                                        .czxid = gone->czxid,
                                        .gone_us = gone->exact ? gone->at_us : 0};
    e->listener.explained(e->listener.context, gone->path, &deed);
}

static void gone_drop(struct ends *e, struct gone_znode *gone)
{
    e->told_count -= gone->session != 0;
    free(gone->path);
    *gone = e->gone[--e->gone_count];
}

/* Of many that are asked for at once the first are forgotten; and a capture with another clock may show an end before
 * it was asked for. */
void ends_deleted(struct ends *e, uint64_t session, const char *path, int64_t asked_us)
{
    for (size_t i = e->gone_count; i-- > 0;)
        if (e->gone[i].session && asked_us <= e->gone[i].at_us + LATE_US &&
            strcmp(e->gone[i].path, path) == 0) {
            explain(e, &e->gone[i], session);
            gone_drop(e, &e->gone[i]);
        }
}

void ends_reached(struct ends *e, int64_t zxid)
{
    e->zxid = zxid;
}

/* A server that ends a session ends its connection, too, and answers nothing there. One that has lost the others may
 * not know of the end yet, and goes on to answer pings: by the transaction before. False: not yet. */
static bool life_is_judged(struct ends *e, const struct gone_znode *gone)
{
    const struct logged_session *session = znode_tree_session(e->tree, gone->session);
    const struct wire_client *own = session ? session->connection : NULL;
    if (!own || own->ended_us != 0 || !own->watches_known || own->opened_us > gone->at_us)
        return true;
    if (own->answered_us <= gone->at_us + ENDED_TOGETHER_US || own->answered_zxid < gone->zxid)
        return false;
    explain(e, gone, 0);
    return true;
}

/* False: not yet. Packets from after its end, or read late, prove nothing. */
static bool end_is_judged(struct ends *e, struct znode *node, const struct gone_znode *gone)
{
    struct logged_session *session = node->session;
    const struct asked_end *asked = find_asked(e, node->path, gone->at_us, e->doubted_us);
    struct observed_transaction deed = {.gone_us = gone->exact ? gone->at_us : 0};
    size_t present = e->source, source = gone->source;
    bool closing = session && session->closing_us > e->doubted_us && session->closing_us <= gone->at_us;
    if (asked && asked->at_us <= gone->at_us) {
        deed.deed = DEED_DELETED;
        deed.session = asked->session;
    } else if (!asked && closing) {
        deed.deed = DEED_CLOSED;
    } else if (!asked && session && ends_is_silent(e, session, gone->at_us)) {
        if (!has_gone_on(e, session))
            return false;
        bool left = was_left(session, gone->at_us);
        deed.deed = DEED_EXPIRED;
        deed.gone_us = left ? session->left_us : deed.gone_us;
        source = left ? session->left_source : source;
        deed.unproven = !ends_has_heard(e, session) || !was_nowhere_else(e, session) ||
                        !silence_is_covered(e, session, gone->at_us);
    }
    if (deed.deed == DEED_NONE)
        await_client(e, node, gone);
    e->source = source;
    e->listener.ended(e->listener.context, node, &deed);
    e->source = present;
    return true;
}

void ends_judge(struct ends *e)
{
    for (size_t i = e->gone_count; i-- > 0;) {
        struct gone_znode *gone = &e->gone[i];
        struct znode *node = znode_tree_find(e->tree, gone->path, strlen(gone->path));
        bool same = node && node->exists && node->stat.czxid == gone->czxid;
        if (gone->session ? !life_is_judged(e, gone) : same && !end_is_judged(e, node, gone))
            continue;
        gone_drop(e, gone);
    }
}

bool ends_is_waiting(const struct ends *e, const struct znode *node)
{
    for (size_t i = 0; i < e->gone_count; i++)
        if (!e->gone[i].session && e->gone[i].czxid == node->stat.czxid &&
            strcmp(e->gone[i].path, node->path) == 0)
            return true;
    return false;
}

/* A znode's path, or its directory's. */
static bool is_at(const char *path, const char *at)
{
    size_t length = strlen(at);
    return path && strncmp(path, at, length) == 0 &&
           (path[length] == '\0' || (path[length] == '/' && !strchr(path + length + 1, '/')));
}

int64_t ends_before_us(const struct ends *e, const char *path, int64_t at_us)
{
    int64_t latest_us = 0;
    for (size_t i = 0; i < ENDED_KEPT; i++)
        if (is_at(e->seen[i].path, path) && e->seen[i].at_us < at_us && e->seen[i].at_us > latest_us)
            latest_us = e->seen[i].at_us;
    return latest_us;
}

bool ends_are_apart(const struct ends *e, const char *path)
{
    for (size_t i = 0; i < e->gone_count; i++) {
        const struct gone_znode *gone = &e->gone[i];
        const struct znode *node = znode_tree_find(e->tree, gone->path, strlen(gone->path));
        const struct logged_session *session = node ? node->session : NULL;
        if (!gone->session && is_at(gone->path, path))
            return (was_left(session, gone->at_us) ? session->left_source : gone->source) != e->source;
    }
    for (size_t i = 1; i <= ENDED_KEPT; i++) {
        const struct seen_end *end = &e->seen[(e->next_seen - i) % ENDED_KEPT];
        if (is_at(end->path, path))
            return end->source != e->source;
    }
    return false;
}

size_t ends_present_source(const struct ends *e)
{
    return e->source;
}

void ends_source(struct ends *e, size_t source)
{
    e->source = source;
}

void ends_vanishes(struct ends *e, const char *path, int64_t at_us, bool exact)
{
    struct znode *node = znode_tree_find(e->tree, path, strlen(path));
    struct gone_znode gone = {.at_us = at_us, .exact = exact, .source = e->source};
    if (!node || !node->exists || ends_is_waiting(e, node) || end_is_judged(e, node, &gone))
        return;
    if (e->gone_count == GONE_KEPT) {
        struct observed_transaction unknown = {.gone_us = exact ? gone.at_us : 0};
        e->listener.ended(e->listener.context, node, &unknown);
        return;
    }
    gone.path = text_copy(path);
    gone.czxid = node->stat.czxid;
    e->gone[e->gone_count++] = gone;
}
