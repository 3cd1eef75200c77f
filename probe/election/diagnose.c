#include "probe/election/diagnose.h"

#include <stdlib.h>

#include "probe/election/chain.h"
#include "probe/election/diagnoses.h"
#include "probe/election/findings.h"
#include "probe/election/update.h"

/* A small election is diagnosed at once; a large one no more often than costs a few percent of a core. */
#define LARGE 128
#define APART_US_EACH 50
/* The event of the next leader comes first: its reader may share the processor with a diagnosis. */
#define NEWS_FIRST_US 20000

static void diagnose(const struct update *f)
{
    struct election *election = f->election;
    struct diagnosis d = {.f = f, .election = election, .again_us = INT64_MAX};
    election->listens = false;
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
    } else {
        findings_keep(&d); /* what cannot be seen now neither comes nor goes */
    }
    free(d.viewers);
    election->diagnosed_us = f->at.mono_us;
    election->diagnose_at_us = d.again_us == INT64_MAX ? 0 : d.again_us;
    if (d.again_us < election->cluster->wake_us)
        election->cluster->wake_us = d.again_us;
}

static bool is_put_off(const struct election *election, struct moment at)
{
    bool is_large = election->candidate_count > LARGE;
    bool is_news = at.mono_us - election->state_since.mono_us < NEWS_FIRST_US &&
                   (is_large || election->state == ELECTION_ELECTING);
    bool lately =
        is_large && at.mono_us - election->diagnosed_us < (int64_t)election->candidate_count * APART_US_EACH;
    return election->diagnosed_us != 0 && (is_news || lately);
}

void diagnose_cluster(struct model *model, struct cluster *cluster, struct moment at, bool all)
{
    struct election *election = cluster->dirty, *later = NULL;
    cluster->dirty = NULL;
    while (election) {
        struct election *next = election->dirty_next;
        if (!all && is_put_off(election, at)) {
            if (election->touched)
                election->turn = model->turn; /* they are reported later */
            election->touched = false;
            election->dirty_next = later;
            later = election;
        } else {
            uint64_t generation = model->generation;
            diagnose(&(struct update){model, election, at});
            if (election->touched || model->generation != generation)
                election->turn = model->turn;
            election->dirty = election->touched = false;
        }
        election = next;
    }
    /* What a diagnosis itself changed needs no other: only those put off are left. */
    cluster->dirty = later;
}
