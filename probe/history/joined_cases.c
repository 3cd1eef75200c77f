#include "probe/history/joined_cases.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/name_lookup.h"

/* A source says something each second: after so long without, it does not observe. */
#define AWAY_US INT64_C(2500000)
#define TOLD_BLOCK_US INT64_C(10000000)
#define KEPT_BLOCK_US INT64_C(300000000)

struct joined_case {
    struct case_reader *reader;
    struct observation next;      /* its monotonic clock counts from 1970 */
    size_t run;                   /* of it, from 1 */
    int64_t mono_us, wall_us;     /* to be added to its times */
    bool begins, over, connected; /* begins: of its run nothing was read */
    bool undated;                 /* its lists have no zxid */
    size_t alike, unlike; /* directories: created by the same transaction as in the result, or by another */
    int64_t latest_us, zxid;    /* of its observations so far */
    struct model *model;        /* of the run, without observations */
    struct case_writer *writer; /* its state, until then */
};

struct joining {
    struct joined_case *cases, *teller;
    size_t count, told_run;
    int64_t taken_us;                  /* when the teller took over */
    struct name_lookup created, times; /* by path, of the result so far */
    struct case_writer *writer;
    struct buffer out;
    struct moment latest;
    int64_t zxid;
    bool connected;
};

/* ---- the next observation of one ---- */

static void joined_add(int64_t *us, int64_t by_us)
{
    *us += *us ? by_us : 0;
}

static void joined_shift(struct observation *o, int64_t mono_us, int64_t wall_us)
{
    o->at.mono_us += mono_us;
    joined_add(&o->at.wall_us, wall_us);
    if (o->kind == OBSERVED_CHILDREN) {
        joined_add(&o->children.synced_us, mono_us);
    } else if (o->kind == OBSERVED_WATCHES) {
        joined_add(&o->watches.counted_us, mono_us);
    } else if (o->kind == OBSERVED_SILENCE) {
        joined_add(&o->silent_since.mono_us, mono_us);
        joined_add(&o->silent_since.wall_us, wall_us);
    } else if (o->kind == OBSERVED_CLOCK) {
        o->clock.ahead_us -= wall_us;
    } else if (o->kind == OBSERVED_TRANSACTION) {
        joined_add(&o->transaction.active_us, mono_us);
        joined_add(&o->transaction.heard_us, mono_us);
        joined_add(&o->transaction.gone_us, mono_us);
    }
}

static void joined_forget(struct joined_case *j)
{
    char *none;
    case_writer_close(j->writer, &none);
    model_free(j->model);
    j->writer = NULL;
    j->model = NULL;
    j->connected = false;
}

static bool joined_begin_run(struct joined_case *j, char **error)
{
    joined_forget(j);
    j->run++;
    j->begins = true;
    if (!(j->model = case_model(j->reader, error)))
        return false;
    j->writer = case_writer_new(case_settings(j->reader), j->model);
    case_writer_keep_state(j->writer);
    return true;
}

/* False: a recipe is bad. */
static bool joined_advance(struct joined_case *j, char **error)
{
    enum case_next next;
    while ((next = case_next(j->reader, &j->next)) != CASE_END) {
        if (next == CASE_RUN && !joined_begin_run(j, error))
            return false;
        if (next == CASE_OBSERVATION && j->next.kind != OBSERVED_CAPTURED)
            break;
    }
    j->over = next == CASE_END;
    if (j->over)
        return true;
    if (j->begins)
        j->mono_us = j->next.at.wall_us - j->next.at.mono_us;
    j->wall_us = j->begins ? 0 : j->wall_us;
    j->begins = false;
    joined_shift(&j->next, j->mono_us, j->wall_us);
    return true;
}

/* A list from packets has no zxid. */
static bool has_no_zxid(const struct observation *o)
{
    return o->kind == OBSERVED_CHILDREN && o->children.stat->pzxid == INT64_MAX;
}

static int64_t observed_zxid(const struct observation *o)
{
    if (o->kind == OBSERVED_CHILDREN)
        return has_no_zxid(o) ? 0 : o->children.stat->pzxid;
    if (o->kind != OBSERVED_NODE)
        return 0;
    return o->node.stat->mzxid > o->node.stat->czxid ? o->node.stat->mzxid : o->node.stat->czxid;
}

static void joined_keep(struct joining *g, struct joined_case *j)
{
    struct buffer before = {0};
    const struct observation *o = &j->next;
    int64_t zxid = observed_zxid(o), created;
    if (o->kind == OBSERVED_CONNECTION)
        j->connected = o->connection.state == CONNECTION_CONNECTED;
    else if (o->kind == OBSERVED_SILENCE)
        j->connected = o->silent_since.mono_us == 0;
    if (o->kind == OBSERVED_CHILDREN && o->path &&
        name_lookup_find(&g->created, o->path, strlen(o->path), &created))
        *(created == o->children.stat->czxid ? &j->alike : &j->unlike) += 1;
    j->undated = j->undated || has_no_zxid(o);
    j->zxid = zxid > j->zxid ? zxid : j->zxid;
    j->latest_us = o->at.mono_us > j->latest_us ? o->at.mono_us : j->latest_us;
    case_writer_observe(j->writer, o);
    if (case_writer_is_due(j->writer, o->at.mono_us, KEPT_BLOCK_US))
        case_writer_take(j->writer, &before);
    buffer_free(&before);
}

/* ---- the result ---- */

static void joined_tell(struct joining *g, struct observation o)
{
    int64_t time_us, zxid = observed_zxid(&o);
    size_t length = o.path ? strlen(o.path) : 0;
    /* An earlier observation of it still held: a session that takes over has seen no less. */
    if (zxid && o.path && name_lookup_find(&g->times, o.path, length, &time_us) && time_us > o.at.mono_us) {
        o.at.wall_us += time_us - o.at.mono_us;
        o.at.mono_us = time_us;
    }
    if (zxid && o.path)
        name_lookup_set(&g->times, o.path, length, o.at.mono_us);
    if (o.kind == OBSERVED_CHILDREN && o.path)
        name_lookup_set(&g->created, o.path, length, o.children.stat->czxid);
    if (o.kind == OBSERVED_CONNECTION)
        g->connected = o.connection.state == CONNECTION_CONNECTED;
    g->zxid = zxid > g->zxid ? zxid : g->zxid;
    g->latest = o.at.mono_us > g->latest.mono_us ? o.at : g->latest;
    case_writer_observe(g->writer, &o);
    if (case_writer_is_due(g->writer, o.at.mono_us, TOLD_BLOCK_US))
        case_writer_take(g->writer, &g->out);
}

/* A gap and a new connection. silent: nothing is known of the time since. */
static void joined_break(struct joining *g, struct moment at, bool silent)
{
    struct observation o = {.kind = OBSERVED_GAP, .at = at};
    o.gap_us = at.mono_us - g->latest.mono_us;
    if (silent && o.gap_us > 0)
        joined_tell(g, o);
    if (g->connected)
        joined_tell(g, (struct observation){.kind = OBSERVED_CONNECTION,
                                            .at = at,
                                            .connection = {.state = CONNECTION_CONNECTING}});
}

static bool joined_is_silent(const struct joined_case *j)
{
    return j->over || j->next.at.mono_us - j->latest_us > AWAY_US;
}

/* The case's clocks go on from the latest time of the result. */
static int64_t joined_catch_up(struct joining *g, struct joined_case *j)
{
    int64_t behind_us = g->latest.mono_us - j->next.at.mono_us;
    behind_us = behind_us > 0 ? behind_us : 0;
    joined_shift(&j->next, behind_us, behind_us);
    j->mono_us += behind_us;
    j->wall_us += behind_us;
    j->latest_us += behind_us;
    return behind_us;
}

/* Its poll may be in the result already. */
static bool is_polled(enum observation_kind kind)
{
    return kind == OBSERVED_CONNECTIONS || kind == OBSERVED_WATCHES || kind == OBSERVED_SESSIONS;
}

/* Its state comes before its next observation. */
static void joined_take_over(struct joining *g, struct joined_case *j)
{
    struct buffer block = {0}, before = {0};
    struct observation o = {.kind = OBSERVED_TICK, .at = j->next.at};
    case_writer_take(j->writer, &before);
    buffer_free(&before);
    case_writer_observe(j->writer, &o);
    case_writer_take(j->writer, &block);
    struct case_reader *state = case_read(block.bytes, block.length);
    int64_t behind_us = joined_catch_up(g, j);
    g->taken_us = j->next.at.mono_us;
    joined_break(g, j->next.at, joined_is_silent(g->teller));
    while (case_next(state, &o) != CASE_END)
        if (case_is_state(state) && !is_polled(o.kind)) {
            joined_shift(&o, behind_us, behind_us);
            if (o.kind == OBSERVED_CONNECTION)
                o.at = j->next.at;
            joined_tell(g, o);
        }
    case_close(state);
    g->teller = j;
    g->told_run = j->run;
}

static void joined_take(struct joining *g, struct joined_case *j)
{
    const struct joined_case *teller = g->teller;
    bool takes = j != teller && (joined_is_silent(teller) || !teller->connected);
    /* It has seen all of the result; without a zxid, once no packet of that time is on its way. */
    bool later = j->undated ? j->next.at.mono_us - g->latest.mono_us > AWAY_US : j->zxid >= g->zxid;
    if (takes && j->connected && !joined_is_silent(j) && later && j->alike)
        joined_take_over(g, j);
    bool tells = j == g->teller;
    if (tells && j->run != g->told_run) {
        joined_catch_up(g, j);
        joined_break(g, j->next.at, true);
        g->told_run = j->run;
    }
    /* A list that was requested before is older than the other observations, whatever their clocks show. */
    bool early = is_polled(j->next.kind) && j->next.at.mono_us < g->taken_us;
    if ((tells && !early) || (j->next.kind == OBSERVED_TRANSACTION && j->alike))
        joined_tell(g, j->next);
}

/* The one that observed next; of two at one time the one with the earlier transaction. NULL: all are over. */
static struct joined_case *joined_next(const struct joining *g)
{
    struct joined_case *first = NULL;
    for (size_t i = 0; i < g->count; i++) {
        struct joined_case *j = &g->cases[i];
        if (j->over)
            continue;
        int64_t later_us = first ? j->next.at.mono_us - first->next.at.mono_us : -1;
        if (later_us < 0 || (later_us == 0 && observed_zxid(&j->next) < observed_zxid(&first->next)))
            first = j;
    }
    return first;
}

/* The settings are those of the first case of which anything can be read. */
static bool joined_begin(struct joining *g, const char *const *names, struct case_reader **settings,
                         char **error)
{
    *settings = NULL;
    for (size_t i = 0; i < g->count; i++) {
        struct case_reader *reader = g->cases[i].reader;
        case_rewind(reader);
        if (!joined_advance(&g->cases[i], error))
            return false;
        if (g->cases[i].run == 0)
            continue;
        *settings = *settings ? *settings : reader;
        if (case_settings(reader)->cluster_count == 1)
            continue;
        *error = text_format("%s: %zu clusters; only cases of one cluster are folded together", names[i],
                             case_settings(reader)->cluster_count);
        return false;
    }
    if (!*settings)
        *error = text_format("%s: it and the others are damaged; nothing can be read from them", names[0]);
    return *settings != NULL;
}

/* False, and the reason. */
static bool joined_end(struct joining *g, const char *const *names, char **error)
{
    char *none;
    if (g->writer)
        case_writer_take(g->writer, &g->out);
    case_writer_close(g->writer, &none);
    for (size_t i = 0; i < g->count; i++) {
        joined_forget(&g->cases[i]);
        if (!*error && g->cases[i].run && !g->cases[i].alike)
            *error =
                text_format(g->cases[i].unlike
                                ? "%s and %s are of different clusters: other transactions created the paths"
                                : "%s and %s have no directory in common: they may be of different clusters",
                            names[0], names[i ? i : g->count - 1]);
    }
    name_lookup_free(&g->created);
    name_lookup_free(&g->times);
    return !*error;
}

struct case_reader *joined_cases(struct case_reader *const *cases, const char *const *names, size_t count,
                                 char **error)
{
    struct joining g = {.cases = xcalloc(count, sizeof *g.cases), .count = count, .told_run = 1};
    struct joined_case *j;
    struct model *model = NULL;
    *error = NULL;
    for (size_t i = 0; i < count; i++)
        g.cases[i].reader = cases[i];
    struct case_reader *settings;
    bool fine = joined_begin(&g, names, &settings, error) && (model = case_model(settings, error));
    if (fine) {
        case_keep_settings(settings);
        g.writer = case_writer_new(case_settings(settings), model);
    }
    g.teller = fine ? joined_next(&g) : NULL;
    while (fine && (j = joined_next(&g))) {
        joined_take(&g, j);
        joined_keep(&g, j);
        fine = joined_advance(j, error);
    }
    fine = joined_end(&g, names, error) && fine;
    model_free(model);
    free(g.cases);
    if (fine)
        return case_read(g.out.bytes, g.out.length);
    buffer_free(&g.out);
    return NULL;
}
