#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/diagnoses.h"
#include "probe/election/findings.h"
#include "probe/election/name_hash.h"
#include "probe/election/replicas.h"

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

static void tell_one(const struct election *election, const struct replica *one, char *out, size_t size,
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
    size_t length = 0, told = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->count; i++)
            if (is_in(r->compared, i) && is_in(r->apart, i) == (pass == 0) && told++ < TOLD_MOST)
                tell_one(d->election, &r->list[i], text, sizeof text, &length);
    bool harmless = only_pzxid(r);
    size_t at = 0;
    while (at < r->count && !is_in(r->apart, at))
        at++;
    const char *first = d->election->cluster->servers[r->list[at].server].address;
    if (harmless)
        snprintf(advice, sizeof advice,
                 "compare the lists of children; where they are equal nothing else is wrong: before 3.6 a "
                 "restart could lose this number (ZOOKEEPER-3125)");
    else if (r->majority && (r->apart & (r->apart - 1)) == 0)
        snprintf(advice, sizeof advice, "stop %.64s, remove its data and let it copy everything anew", first);
    else if (r->majority)
        snprintf(advice, sizeof advice,
                 "one after the other of those that differ: stop it, remove its data and let it copy "
                 "everything anew");
    else
        snprintf(advice, sizeof advice,
                 "no majority says which is right: find that out, then stop the other, remove its data and "
                 "let it copy everything anew");
    diagnosis_raise(d, FINDING_REPLICA_DIVERGENCE, harmless ? SEVERITY_WARNING : SEVERITY_CRITICAL,
                    CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, advice,
                    "%s differs, in 3 looks after a sync each: %s", d->election->path, text);
}

void diagnose_bad_replies(struct diagnosis *d)
{
    const struct cluster *cluster = d->election->cluster;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        int64_t until_us = server->bad_reply_seen.mono_us + BAD_REPLIES_KEPT_US;
        if (server->bad_replies <= 0 || d->f->at.mono_us >= until_us)
            continue;
        diagnosis_again(d, until_us);
        diagnosis_raise(d, FINDING_BAD_REPLY, SEVERITY_ERROR, CERTAINTY_CERTAIN,
                        name_hash(server->address, strlen(server->address), 0) | SUBJECT_SERVER, NULL, 0,
                        NULL, "%.64s sent %d %s no ZooKeeper %s: %s", server->address, server->bad_replies,
                        server->bad_replies == 1 ? "reply that is" : "replies that are",
                        server->bad_replies == 1 ? "reply" : "replies; the latest", server->bad_reply);
    }
}

void diagnose_replicas(struct diagnosis *d)
{
    const struct replicas *r = d->election->replicas;
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
