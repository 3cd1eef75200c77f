#include "probe/watch/candidate_reads.h"

#include <stdlib.h>
#include <string.h>

#include "probe/watch/election_watch_state.h"

/* Requests under way at a time: enough to hide the round trip,
   few enough to keep a new leader's turn short. */
#define READS_MOST 2000

static void candidate_reads_on_candidate(void *context, enum session_result result,
                                         const struct znode_stat *stat, const void *data, size_t length)
{
    struct election_watch_read *r = context;
    struct election_watch *s = r->watched;
    s->reads--;
    s->live->reads--;
    if (election_watch_answered(s) && result != SESSION_LOST) {
        election_watch_observe_node(s, r->path, result, stat, true, data, length);
        if (s->live->reads < READS_MOST / 2)
            election_watches_read(s->live);
        if (result == SESSION_NO_NODE)
            s->reconcile(s);
        else if (s->election->unread_first)
            election_watch_read_soon(s); /* this read makes others worth repeating */
    }
    free(r);
}

/* False: nothing more of this subject can be asked for now. */
static bool read_next(struct election_watch *s)
{
    const struct candidate *c = election_take_unread(s->election);
    if (!c)
        return false;
    size_t directory = election_watch_prefix_length(s), name = strlen(c->name);
    struct election_watch_read *r = malloc(sizeof *r + directory + name + 2);
    if (!r)
        return false;
    r->watched = s;
    memcpy(r->path, s->path, directory);
    r->path[directory] = '/';
    memcpy(r->path + directory + 1, c->name, name + 1);
    if (!session_get(s->lane->session, r->path, false, candidate_reads_on_candidate, r)) {
        free(r); /* not connected: handed out again after the next connection */
        return false;
    }
    election_watch_hold(s);
    s->reads++;
    s->live->reads++;
    return true;
}

void election_watches_read(struct live *live)
{
    while (live->reading_first) {
        struct election_watch *s = live->reading_first;
        if (!s->ended) {
            if (live->reads >= READS_MOST)
                return;
            if (read_next(s))
                continue;
        }
        live->reading_first = s->reading_next;
        if (!live->reading_first)
            live->reading_last = NULL;
        s->queued = false;
        election_watch_release(s);
    }
}

void election_watches_read_again(struct live *live)
{
    for (size_t i = 0; i < live->subject_count; i++)
        if (live->subjects[i]->election->unread_first)
            election_watch_read_soon(live->subjects[i]);
}

void election_watch_read_soon(struct election_watch *s)
{
    struct live *live = s->live;
    if (!s->queued) {
        s->queued = true;
        election_watch_hold(s);
        s->reading_next = NULL;
        if (live->reading_last)
            live->reading_last->reading_next = s;
        else
            live->reading_first = s;
        live->reading_last = s;
    }
    election_watches_read(live);
}
