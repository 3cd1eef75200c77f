/*
 * batch.h - the data that one turn of the loop records, on its way to the thread that writes.
 *
 * A batch owns copies of all texts that it needs: the model goes on meanwhile.
 */
#ifndef ELECTOP_PROBE_HISTORY_BATCH_H
#define ELECTOP_PROBE_HISTORY_BATCH_H

#include "probe/election/event.h"
#include "probe/election/failover.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"
#include "probe/transactions/logged_fact.h"

/* A text in the batch: where in its texts it begins, from 1; 0: NULL. */
typedef uint32_t batch_text;

struct happening {
    enum event_kind kind;
    int64_t at_us;
    batch_text cluster, election; /* cluster: its name; election: its path, 0 for none */
    batch_text candidate, identity, other, other_identity, state, detail;
    uint64_t position, joined, gone;
    int64_t gap_us, after_us;
    /* FINDING_*. */
    batch_text code, evidence, advice, candidates; /* candidates: a JSON array */
    enum severity severity;
    enum certainty certainty;
    uint64_t subject;
    bool one_poll;
    int64_t since_us, unconfirmed_us;
    /* FAILOVER. */
    bool failover;
    bool known; /* not reported now: for a file without it */
    int64_t lost_us, lost_mono_us, elected_us;
    batch_text cause;
    struct span spans[4];            /* detection, vacancy, takeover, total */
    int64_t notified_us, reacted_us; /* as of struct failover */
};

/* An election or a cluster, as rows name it: said in the first batch that mentions it,
   and when it changes. */
struct subject_row {
    batch_text cluster, hosts, chroot;
    batch_text election; /* 0: the cluster alone */
    batch_text name, kind, recipe;
    bool away; /* the cluster is not connected */
};

struct tenure_row {
    batch_text cluster, election, candidate, identity;
    int64_t number;         /* of it in its election since the recorder began: again where it changed */
    int64_t from_us, to_us; /* to_us 0: it goes on */
    bool from_exact, gap;
    uint64_t session;
};

struct fact_row {
    struct logged_fact fact; /* its path is in the batch's texts */
    batch_text cluster, path;
};

enum batch_begins {
    BATCH_GOES_ON,
    BATCH_NEW_CHUNK,   /* snapshot holds everything, with the patch applied */
    BATCH_NEW_STRETCH, /* ... and nothing connects it with earlier rows */
};

struct batch {
    struct batch *next;
    int64_t at_us;
    enum batch_begins begins;
    const char *why;     /* of a new stretch: static text */
    int64_t ended_us;    /* of a new stretch: until when the one before was watched; 0: as the file says */
    int64_t gap_from_us; /* of a new stretch: nothing was recorded since then; 0: as the file says */
    struct buffer texts, patch, snapshot;
    struct subject_row *subjects;
    size_t subject_count, subject_room;
    struct happening *happenings;
    size_t happening_count, happening_room;
    struct tenure_row *tenures;
    size_t tenure_count, tenure_room;
    struct fact_row *facts;
    size_t fact_count, fact_room;
    struct buffer observed; /* blocks of observations since then, to be kept until then; or empty */
    int64_t observed_from_us, observed_until_us;
    bool from_log; /* from a transaction log, not observed */
    bool failed;   /* more text than a batch_text can name */
};

struct batch *batch_new(void);
void batch_free(struct batch *batch);
bool batch_is_empty(const struct batch *batch);
size_t batch_size(const struct batch *batch); /* bytes, about */

static inline const char *batch_get(const struct batch *batch, batch_text text)
{
    return text ? batch->texts.bytes + text - 1 : NULL;
}

void batch_add_event(struct batch *batch, const struct event *event);
/* One that was reported earlier: written where the file has none, and no event. */
void batch_add_known_failover(struct batch *batch, const struct election *election,
                              const struct failover *failover);
void batch_add_subject(struct batch *batch, const struct cluster *cluster, const struct election *election);
void batch_add_tenure(struct batch *batch, const struct election *election, const struct tenure *tenure,
                      int64_t number);

void batch_add_fact(struct batch *batch, const char *cluster, const struct logged_fact *fact);

#endif
