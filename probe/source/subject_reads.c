#include "probe/source/subject_reads.h"

#include <stdlib.h>
#include <string.h>

#include "probe/source/subject_inner.h"

/* Requests under way at a time: enough to hide the round trip,
   few enough to keep a new leader's turn short. */
#define READS_MOST 2000

static void on_candidate(void *context, enum session_result result, const struct znode_stat *stat,
                         const void *data, size_t length)
{
    struct subject_read *r = context;
    struct subject *s = r->subject;
    s->reads--;
    s->live->reads--;
    if (subject_answered(s) && result != SESSION_LOST) {
        subject_observe_node(s, r->path, result, stat, true, data, length);
        if (s->live->reads < READS_MOST / 2)
            subjects_read(s->live);
        if (result == SESSION_NO_NODE)
            s->reconcile(s);
        else if (s->election->unread_first)
            subject_read_soon(s); /* what was read makes others worth reading again */
    }
    free(r);
}

/* False: nothing more of this subject can be asked for now. */
static bool read_next(struct subject *s)
{
    const struct candidate *c = election_take_unread(s->election);
    if (!c)
        return false;
    size_t directory = subject_prefix_length(s), name = strlen(c->name);
    struct subject_read *r = malloc(sizeof *r + directory + name + 2);
    if (!r)
        return false;
    r->subject = s;
    memcpy(r->path, s->path, directory);
    r->path[directory] = '/';
    memcpy(r->path + directory + 1, c->name, name + 1);
    if (!session_get(s->lane->session, r->path, false, on_candidate, r)) {
        free(r); /* not connected: handed out again after the next connection */
        return false;
    }
    subject_hold(s);
    s->reads++;
    s->live->reads++;
    return true;
}

void subjects_read(struct live *live)
{
    while (live->reading_first) {
        struct subject *s = live->reading_first;
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
        subject_release(s);
    }
}

void subjects_read_again(struct live *live)
{
    for (size_t i = 0; i < live->subject_count; i++)
        if (live->subjects[i]->election->unread_first)
            subject_read_soon(live->subjects[i]);
}

void subject_read_soon(struct subject *s)
{
    struct live *live = s->live;
    if (!s->queued) {
        s->queued = true;
        subject_hold(s);
        s->reading_next = NULL;
        if (live->reading_last)
            live->reading_last->reading_next = s;
        else
            live->reading_first = s;
        live->reading_last = s;
    }
    subjects_read(live);
}
