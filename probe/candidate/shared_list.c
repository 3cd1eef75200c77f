#include "probe/candidate/shared_list.h"

#include <stdlib.h>

#include "config/memory.h"
#include "probe/candidate/test_candidate_state.h"
#include "probe/election/recipe.h"
#include "probe/loop_timer.h"

/* Between lists, for each name in the last one: several times what a name costs us and the server. */
#define PAUSE_A_NAME_NS 1500
/* No waiting candidate has a connection: try again then. */
#define RETRY_MS 50

struct queue {
    struct test_candidate **all;
    size_t count, room;
};

struct shared_list {
    uv_timer_t *timer;
    char *election;
    const struct candidate_session_options *options;
    struct queue waiting, served; /* for the next list; by the one that is under way */
    bool under_way, synced;       /* synced: the list under way shows at least everything done before it */
    uint64_t next_ms;             /* loop time before which no list is asked for */
};

struct shared_list *shared_list_new(const struct candidate_session_options *options, const char *election)
{
    struct shared_list *r = xcalloc(1, sizeof *r);
    r->election = xstrdup(election);
    r->options = options;
    r->timer = loop_timer_new(options->loop, r);
    return r;
}

void shared_list_free(struct shared_list *r)
{
    if (!r)
        return;
    loop_timer_free(r->timer);
    free(r->waiting.all);
    free(r->served.all);
    free(r->election);
    free(r);
}

static void queue_add(struct queue *queue, struct test_candidate *t)
{
    room_for_one(&queue->all, queue->count, &queue->room, sizeof(struct test_candidate *));
    queue->all[queue->count++] = t;
}

static void shared_list_arm(struct shared_list *, uint64_t at_least_ms);

/* ---- the line, by number ---- */

static int by_number(const void *a, const void *b)
{
    const struct line_member *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

/*
 * The numbers of a line follow each other nearly without a gap: then they are counted, and not compared.
 * NULL: too many gaps.
 */
static struct line_member *line_count(const struct line_member *line, size_t count, int64_t first,
                                      int64_t last)
{
    uint64_t range = (uint64_t)last - (uint64_t)first + 1;
    if (count == 0 || range / 4 > count)
        return NULL;
    struct line_member *sorted = xmalloc(count * sizeof *sorted);
    size_t *before = xcalloc((size_t)range + 1, sizeof *before);
    for (size_t i = 0; i < count; i++)
        before[line[i].number - first + 1]++;
    for (size_t i = 1; i < range; i++)
        before[i] += before[i - 1];
    for (size_t i = 0; i < count; i++)
        sorted[before[line[i].number - first]++] = line[i];
    free(before);
    return sorted;
}

/* malloc'd; *count of them. */
static struct line_member *line_sort(char *const *names, size_t all, size_t *count)
{
    struct line_member *line = xmalloc((all + 1) * sizeof *line);
    int64_t first = 0, last = 0;
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        int64_t number = recipe_sequence_of(names[i]);
        if (number == SEQUENCE_NONE)
            continue;
        line[(*count)++] = (struct line_member){names[i], number};
        first = *count == 1 || number < first ? number : first;
        last = *count == 1 || number > last ? number : last;
    }
    struct line_member *sorted = line_count(line, *count, first, last);
    if (sorted) {
        free(line);
        return sorted;
    }
    qsort(line, *count, sizeof *line, by_number);
    return line;
}

static struct line_position line_position_of(const struct line_member *line, size_t count, int64_t mine)
{
    struct line_position position = {.in_line = false};
    const struct line_member key = {NULL, mine},
                             *self = count ? bsearch(&key, line, count, sizeof *line, by_number) : NULL;
    if (!self)
        return position;
    position.in_line = true;
    position.self = *self;
    if (self > line) {
        position.leader = line[0];
        position.predecessor = self[-1];
    }
    if (self > line + 1)
        position.skipped = self[-2];
    return position;
}

/* ---- one list ---- */

static void shared_list_count_answer(struct shared_list *r, enum session_result result)
{
    if (r->options->listener.answered)
        r->options->listener.answered(r->options->context, result);
}

static void shared_list_count_question(struct shared_list *r, enum candidate_ask what)
{
    if (r->options->listener.asked)
        r->options->listener.asked(r->options->context, what);
}

static void shared_list_on_synced(void *context, const struct session_answer *answer)
{
    struct shared_list *r = context;
    r->synced = answer->result == SESSION_OK;
    shared_list_count_answer(r, answer->result);
}

static void shared_list_on_list(void *context, const struct session_answer *answer)
{
    struct shared_list *r = context;
    shared_list_count_answer(r, answer->result);
    if (answer->stat && r->served.count > 0) /* a lost answer may come when candidates are freed */
        guard_see_directory(r->served.all[0]->options->guard, answer->stat);
    r->under_way = false;
    /* Without a sync, a candidate missing from it would create a second znode. */
    enum session_result result = r->synced ? answer->result : SESSION_LOST;
    size_t in_line = 0;
    struct line_member *line =
        result == SESSION_OK ? line_sort(answer->names, answer->count, &in_line) : NULL;
    if (result == SESSION_LOST) {
        /* Those who still have a connection must not wait for ever. */
        for (size_t i = 0; i < r->served.count; i++)
            queue_add(&r->waiting, r->served.all[i]);
        r->served.count = 0;
        shared_list_arm(r, RETRY_MS);
        return;
    }
    for (size_t i = 0; i < r->served.count; i++) {
        struct test_candidate *t = r->served.all[i];
        struct line_position position = line_position_of(line, in_line, t->candidacy.own);
        if (t->candidate_session->paused)
            queue_add(&r->waiting, t); /* it notices nothing: once it goes on */
        else
            candidate_io_looked(t, result, &position);
    }
    r->served.count = 0;
    free(line);
    uv_update_time(r->timer->loop);
    r->next_ms = uv_now(r->timer->loop) + answer->count * PAUSE_A_NAME_NS / 1000000;
    shared_list_arm(r, 0);
}

static struct session *session_of_somebody(const struct shared_list *r)
{
    for (size_t i = 0; i < r->waiting.count; i++) {
        const struct candidate_session *candidate_session = r->waiting.all[i]->candidate_session;
        if (candidate_session->session && !candidate_session->paused &&
            session_state(candidate_session->session) == CONNECTION_CONNECTED)
            return candidate_session->session;
    }
    return NULL;
}

static void shared_list_begin(struct shared_list *r)
{
    struct session *session = session_of_somebody(r);
    if (!session || !session_sync(session, r->election, shared_list_on_synced, r)) {
        shared_list_arm(r, RETRY_MS);
        return;
    }
    shared_list_count_question(r, ASK_FIND);
    if (!session_children(session, r->election, false, shared_list_on_list, r)) {
        shared_list_arm(r, RETRY_MS);
        return;
    }
    shared_list_count_question(r, ASK_LOOK);
    struct queue empty = r->served;
    r->served = r->waiting;
    r->waiting = empty;
    r->under_way = true;
}

static void shared_list_on_due(uv_timer_t *timer)
{
    struct shared_list *r = timer->data;
    if (r->waiting.count > 0 && !r->under_way)
        shared_list_begin(r);
}

static void shared_list_arm(struct shared_list *r, uint64_t at_least_ms)
{
    uint64_t now_ms = uv_now(r->timer->loop);
    uint64_t ms = r->next_ms > now_ms ? r->next_ms - now_ms : 0;
    if (r->waiting.count > 0 && !r->under_way && !uv_is_active((uv_handle_t *)r->timer))
        uv_timer_start(r->timer, shared_list_on_due, ms > at_least_ms ? ms : at_least_ms, 0);
}

void shared_list_want(struct shared_list *r, struct test_candidate *t)
{
    queue_add(&r->waiting, t);
    shared_list_arm(r, 0);
}
