#include "probe/election/logged_ends.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/failover_judge.h"

void logged_ends_free(struct logged_ends *ends)
{
    for (size_t i = 0; ends && i < LOGGED_ENDS_KEPT; i++) {
        free(ends->ring[i].path);
        free(ends->ring[i].evidence);
        free(ends->ring[i].identity);
    }
    free(ends);
}

const struct logged_end *logged_ends_at(const struct cluster *cluster, size_t i)
{
    const struct logged_ends *ends = cluster->logged;
    const struct logged_end *end =
        ends ? &ends->ring[(ends->next + LOGGED_ENDS_KEPT - 1 - i) % LOGGED_ENDS_KEPT] : NULL;
    return end && end->path ? end : NULL;
}

static enum failover_cause end_cause(const struct observed_transaction *t)
{
    if (t->deed != DEED_DELETED)
        return t->deed == DEED_CLOSED ? CAUSE_CLOSED : CAUSE_EXPIRED;
    if (t->owner == 0)
        return CAUSE_DELETED;
    return t->owner == t->session ? CAUSE_RESIGNED : CAUSE_EVICTED;
}

/* Its name in the election, or NULL: the znode is no candidate of it. */
static char *name_inside(const struct election *election, char *path)
{
    size_t length = strcmp(election->path, "/") == 0 ? 0 : strlen(election->path);
    if (strncmp(path, election->path, length) != 0)
        return NULL;
    if (path[length] == '\0') /* of a lock the holder, else the directory */
        return election->recipe && election->recipe->family == FAMILY_LOCK ? strrchr(path, '/') + 1 : NULL;
    return path[length] == '/' && !strchr(path + length + 1, '/') ? path + length + 1 : NULL;
}

void logged_ends_add(struct cluster *cluster, struct moment at, const char *path,
                     const struct observed_transaction *t, bool before)
{
    if (!cluster->logged)
        cluster->logged = xcalloc(1, sizeof *cluster->logged);
    struct logged_end *end = &cluster->logged->ring[cluster->logged->next];
    cluster->logged->next = (cluster->logged->next + 1) % LOGGED_ENDS_KEPT;
    free(end->path);
    free(end->evidence);
    free(end->identity);
    *end = (struct logged_end){.path = text_copy(path),
                               .identity = text_copy(t->identity),
                               .read_us = at.mono_us,
                               .ahead_us = cluster->ahead_us,
                               .transaction = *t};
    end->transaction.identity = end->identity;
    if (before) {
        char evidence[160];
        struct failover_evidence e = {
            .session = t->owner, .logged = t->deed, .logged_session = t->session, .logged_zxid = t->zxid};
        end->evidence = text_copy(failover_evidence_describe(&e, end_cause(t), evidence, sizeof evidence));
    }
}

int64_t logged_end_us(const struct logged_end *end, const struct cluster *cluster)
{
    const struct observed_transaction *t = &end->transaction;
    return t->gone_us ? t->gone_us + end->ahead_us - cluster->ahead_us : end->read_us;
}

/* Its directory went after this end: nobody stood any more, and nobody since. Servers that name what went with a
 * session name all of it. */
static bool was_removed(const struct election *election, const struct observed_transaction *t)
{
    const struct logged_end *end;
    if (election->state != ELECTION_ABSENT || t->deed == DEED_DELETED)
        return false;
    for (size_t i = 0; i < LOGGED_ENDS_KEPT && (end = logged_ends_at(election->cluster, i)); i++)
        if (end->transaction.zxid > t->zxid && end->transaction.deed == DEED_DELETED &&
            strcmp(end->path, election->path) == 0)
            return true;
    return false;
}

bool logged_ends_before(const struct election *election, struct moment now, struct failover *failover)
{
    const struct logged_end *end;
    char *name = NULL;
    size_t i = 0;
    while (i < LOGGED_ENDS_KEPT && (end = logged_ends_at(election->cluster, i)) &&
           !(end->evidence && (name = name_inside(election, end->path)) &&
             election_may_have_led(election, name))) {
        name = NULL;
        i++;
    }
    if (!name)
        return false;
    const struct observed_transaction *t = &end->transaction;
    /* The directory's Stat holds the transaction in which a child came or went last. Of a lock, and of what does not
     * exist, a log that reaches no further, or names no znodes that went with a session, may not have the last end. */
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    bool proved = !lock && (election->state == ELECTION_VACANT || was_removed(election, t));
    if (election->state == ELECTION_VACANT && !lock && t->zxid != election->own->directory.pzxid)
        return false;
    if (!lock && recipe_sequence_of(name) == SEQUENCE_NONE)
        return false; /* no candidate */
    failover->from = name;
    failover->from_identity = end->identity;
    failover->cause = end_cause(t);
    failover->cause_certainty = proved ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
    failover->evidence = end->evidence;
    int64_t gone_us = logged_end_us(end, election->cluster);
    failover->lost_at = (struct moment){gone_us, now.wall_us - (now.mono_us - gone_us)};
    return true;
}
