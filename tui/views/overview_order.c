#define _GNU_SOURCE /* qsort_r() */
#include "tui/views/overview_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/znode_path.h"
#include "probe/election/vacancy.h"
#include "probe/election/whatif.h"
#include "tui/words/election_filter.h"
#include "tui/words/failover_facts.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"
#include "tui/views/strip.h"
#include "tui/views/view.h"

static const char *const words[SORT_COUNT][2] = {
    [SORT_WORST] = {"worst first", "best first"},
    [SORT_NAME] = {"by name", "by name, descending"},
    [SORT_LEADER] = {"by leader", "by leader, descending"},
    [SORT_CANDIDATES] = {"most candidates first", "fewest candidates first"},
    [SORT_SINCE] = {"newest leader first", "oldest leader first"},
    [SORT_CHANGED] = {"latest failover first", "latest failover last"},
    [SORT_NEXT] = {"worst next failover first", "best next failover first"},
    [SORT_FINDING] = {"worst finding first", "worst finding last"},
    [SORT_CHANGES] = {"most changes of leader first", "fewest changes of leader first"},
};

const char *overview_sort_word(enum overview_sort sort, bool reverse)
{
    return words[sort < SORT_COUNT ? sort : SORT_WORST][reverse];
}

static int compare_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "\x7f", b != NULL ? b : "\x7f"); /* who is not known comes last */
}

static int compare_latest(int64_t a, int64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static const char *leader_text(const struct election *election)
{
    if (election->leader == NULL)
        return NULL;
    return election->leader->identity != NULL ? election->leader->identity : election->leader->name;
}

static int64_t since_us(const struct election *election)
{
    return election->leader != NULL ? election->leader_since.mono_us : election->state_since.mono_us;
}

/* 0 is the worst. */
static int next_rank(const struct election *election)
{
    static const int ranks[] = {[OUTLOOK_STOPS] = 0,
                                [OUTLOOK_ALONE] = 1,
                                [OUTLOOK_UNKNOWN] = 2,
                                [OUTLOOK_WORKS] = 3,
                                [OUTLOOK_NONE] = 4};
    return ranks[label_outlook(election)];
}

/* -1: nothing is found. */
static int worst_severity(const struct election *election)
{
    return election->finding_count > 0 ? (int)election->findings[0]->severity : -1;
}

/* The length of the directory of a name, its slash included; 0: the name is no path. */
static size_t overview_order_directory_length(const char *name)
{
    const char *slash = name[0] == '/' ? strrchr(name, '/') : NULL;

    return slash != NULL ? (size_t)(slash - name) + 1 : 0;
}

static bool share_directory(const struct overview_row *a, const struct overview_row *b)
{
    size_t length = overview_order_directory_length(a->name);

    return length == overview_order_directory_length(b->name) && memcmp(a->name, b->name, length) == 0;
}

/* Elections of one directory are together: those further down come after them. */
static int overview_order_compare_names(const char *a, const char *b)
{
    size_t left = overview_order_directory_length(a), right = overview_order_directory_length(b);
    size_t shared = left < right ? left : right;

    if (shared > 0 && left != right && memcmp(a, b, shared) == 0)
        return left < right ? -1 : 1;
    return znode_path_compare(a, b);
}

static int compare_by(enum overview_sort sort, const struct overview_row *a, const struct overview_row *b)
{
    const struct election *x = a->election, *y = b->election;

    switch (sort) {
    case SORT_NAME:
        return overview_order_compare_names(x->name, y->name);
    case SORT_LEADER:
        return compare_text(leader_text(x), leader_text(y));
    case SORT_CANDIDATES:
        return compare_latest((int64_t)x->candidate_count, (int64_t)y->candidate_count);
    case SORT_SINCE:
        return compare_latest(since_us(x), since_us(y));
    case SORT_CHANGED:
        return compare_latest(failover_facts_lost(x).mono_us, failover_facts_lost(y).mono_us);
    case SORT_NEXT:
        return next_rank(x) - next_rank(y);
    case SORT_FINDING:
        return worst_severity(y) - worst_severity(x);
    case SORT_CHANGES:
        if (a->changes != b->changes)
            return compare_latest((int64_t)a->changes, (int64_t)b->changes);
        return compare_latest(b->changes_us, a->changes_us);
    case SORT_WORST:
    case SORT_COUNT:
        break;
    }
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Equals keep their order. */
static int compare_rows(const void *a, const void *b, void *sort)
{
    const struct overview_row *x = a, *y = b;
    int order = compare_by(*(const enum overview_sort *)sort, x, y);

    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void total(struct overview_totals *totals, const struct election *election, const struct badge *badge,
                  enum outlook outlook, struct moment now)
{
    int64_t known_us = strip_known_us(election, now);

    if (known_us > totals->known_us)
        totals->known_us = known_us;
    totals->elections++;
    totals->candidates += election->candidate_count;
    finding_counts_add(&totals->findings, election, now);
    totals->unseen += election->counters.unseen_joined + election->counters.unseen_left;
    totals->states[badge->state]++;
    if (election->recipe != NULL && election->recipe->family == FAMILY_LOCK) {
        enum sign sign = label_lock_verdict(election).sign;
        bool known = sign == SIGN_INFO, waits = known && whatif_next(election).notified == ANSWER_YES;

        /* Kafka's controller must be led: a free one is no lock at rest. */
        totals->next_lock += known && election->kind == KIND_LOCK;
        totals->next_works += waits && election->kind != KIND_LOCK;
        totals->next_alone += known && !waits && election->kind != KIND_LOCK;
        totals->next_unknown += sign == SIGN_UNKNOWN;
    }
    totals->next_works += outlook == OUTLOOK_WORKS;
    totals->next_stops += outlook == OUTLOOK_STOPS;
    totals->next_unknown += outlook == OUTLOOK_UNKNOWN;
    totals->next_alone += outlook == OUTLOOK_ALONE;
}

static void overview_order_count_servers(struct overview_totals *totals, const struct cluster *cluster)
{
    totals->servers += cluster->server_count;
    for (size_t i = 0; i < cluster->server_count; i++)
        totals->showing += cluster->servers[i].watches_from != NULL;
}

/*
 * 0 is the worst. State and findings are weighed together: no leader or a critical finding,
 * then errors, then warnings. Findings of severity info count for nothing, and among equals the state
 * decides, then whether the next failover would work.
 */
static int rank_of(const struct election *election, const struct badge *badge, enum outlook outlook,
                   struct moment now)
{
    const struct finding *worst = mutes_worst(election, now);
    int next = outlook == OUTLOOK_STOPS ? 0 : outlook == OUTLOOK_UNKNOWN ? 1 : 2;
    int stands = badge->rank <= 1 ? 0 : badge->rank == 2 ? 1 : badge->rank < RANK_HEALTHY ? 2 : 3;
    int found = worst != NULL ? SEVERITY_CRITICAL - (int)worst->severity : 3;

    return ((stands < found ? stands : found) * (RANK_HEALTHY + 1) + badge->rank) * 3 + next;
}

static void overview_order_count_changes(const struct overview_order *order, struct overview_row *row,
                                         struct moment now)
{
    struct leader_changes changes;

    if (order->sort != SORT_CHANGES)
        return;
    failover_facts_changes(row->election, now, strip_window_us(order->window), &changes);
    row->changes = changes.count;
    row->changes_us = changes.more ? changes.span_us : INT64_MAX;
}

static void overview_order_make_room(struct overview_order *order, const struct model *model)
{
    struct overview_row *rows;
    size_t count = 0;

    for (size_t i = 0; i < model->cluster_count; i++)
        count += model->clusters[i].election_count;
    count += count / 2; /* a heading has at least two elections below it */
    if (count <= order->room)
        return;
    rows = xreallocarray(order->rows, count, sizeof *rows);
    order->rows = rows;
    order->room = count;
}

/* So long an order holds while nothing changes: for what time alone may make of an election; else for the
   span that is known, which only grows. */
#define AGING_US 1000000
#define LASTING_US 10000000

static bool ages(const struct election *election)
{
    return election->state == ELECTION_ELECTING ||
           (election->state == ELECTION_LED && election->acknowledged == ACK_NO);
}

static bool is_current(const struct overview_order *order, const struct scene *scene)
{
    int64_t passed_us = scene->now.mono_us - order->made_us;

    /* A frozen model may be freed, and another lie at its address with the same generation. */
    if (scene->paused)
        return false;
    return !order->dirty && order->model == scene->model && order->generation == scene->model->generation &&
           passed_us >= 0 && passed_us < (order->ages ? AGING_US : LASTING_US);
}

/* A prefix that saves less than this is not worth a second place to look. */
#define PREFIX_LEAST 4

/* The directory that all rows share is shown in the heading of the column, and not in each row. */
static void fold_prefix(struct overview_order *order)
{
    size_t shared = order->count > 1 ? overview_order_directory_length(order->rows[0].name) : 0;

    for (size_t i = 1; i < order->count && shared > 0; i++) {
        const char *first = order->rows[0].name, *name = order->rows[i].name;
        size_t same = 0;

        while (same < shared && first[same] == name[same])
            same++;
        while (same > 0 && first[same - 1] != '/')
            same--;
        shared = same;
    }
    order->prefix[0] = '\0';
    if (shared < PREFIX_LEAST || shared >= sizeof order->prefix)
        return;
    snprintf(order->prefix, sizeof order->prefix, "%.*s", (int)shared, order->rows[0].name);
    for (size_t i = 0; i < order->count; i++) {
        order->rows[i].from = shared;
        order->rows[i].length -= shared;
    }
}

/* Sorted by name, elections of one directory are below a heading with its name. */
static void insert_headings(struct overview_order *order)
{
    size_t elections = order->count, headings = 0, to;

    for (size_t i = 0; i < elections; i++) {
        struct overview_row *row = &order->rows[i];
        bool deeper = overview_order_directory_length(row->name) > row->from;

        row->in_group = deeper && ((i > 0 && share_directory(row, row - 1)) ||
                                   (i + 1 < elections && share_directory(row, row + 1)));
        headings += row->in_group && (i == 0 || !share_directory(row, row - 1));
    }
    order->count = to = elections + headings;
    for (size_t i = elections; i-- > 0 && to > i + 1;) { /* from the end, so that nothing is overwritten */
        struct overview_row row = order->rows[i];
        size_t directory = overview_order_directory_length(row.name);
        bool first = row.in_group && (i == 0 || !share_directory(&row, &order->rows[i - 1]));

        order->rows[--to] = row;
        if (row.in_group) {
            order->rows[to].from = directory;
            order->rows[to].length = strlen(row.name) - directory;
        }
        if (first)
            order->rows[--to] = (struct overview_row){
                .name = row.name, .from = row.from, .length = directory - row.from, .index = row.index};
    }
}

void overview_order_make(struct overview_order *order, const struct scene *scene)
{
    const struct model *model = scene->model;
    size_t index = 0;

    if (is_current(order, scene))
        return;
    order->version++;
    order->model = model;
    order->generation = model->generation;
    order->made_us = scene->now.mono_us;
    order->dirty = order->ages = false;
    order->count = 0;
    order->totals = (struct overview_totals){0};
    overview_order_make_room(order, model);
    for (size_t i = 0; i < model->cluster_count; i++) {
        overview_order_count_servers(&order->totals, &model->clusters[i]);
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const struct election *election = model->clusters[i].elections[j];
            struct badge badge = label_badge(election, scene->now);
            enum outlook outlook = label_outlook(election);

            order->ages |= ages(election);
            total(&order->totals, election, &badge, outlook, scene->now);
            if (election_filter_match(order->filter, election, scene->now) &&
                (!order->problems || election_has_problem(election, scene->now))) {
                struct overview_row *row = &order->rows[order->count++];

                *row = (struct overview_row){.election = election,
                                             .name = election->name,
                                             .length = strlen(election->name),
                                             .index = index++,
                                             .rank = rank_of(election, &badge, outlook, scene->now)};
                overview_order_count_changes(order, row, scene->now);
            }
        }
    }
    if (order->count > 1)
        qsort_r(order->rows, order->count, sizeof *order->rows, compare_rows, &order->sort);
    if (order->reverse)
        for (size_t i = 0, j = order->count; i + 1 < j; i++) {
            struct overview_row row = order->rows[i];

            order->rows[i] = order->rows[--j];
            order->rows[j] = row;
        }
    order->matches = order->count;
    fold_prefix(order);
    if (order->sort == SORT_NAME)
        insert_headings(order);
}

const struct overview_row *overview_order_row(const struct overview_order *order, size_t i)
{
    return i < order->count ? &order->rows[i] : NULL;
}

const struct election *overview_order_at(const struct overview_order *order, size_t i)
{
    return i < order->count ? order->rows[i].election : NULL;
}

void overview_key(const struct election *election, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s\n%s", election->cluster->name, election->path);
}

/* The key is taken apart once, so that a thousand rows are compared without printing a thousand keys. */
size_t overview_order_find(const struct overview_order *order, const char *key)
{
    const char *path = strchr(key, '\n');
    size_t cluster_length;

    if (path == NULL)
        return order->count;
    cluster_length = (size_t)(path++ - key);
    for (size_t i = 0; i < order->count; i++) {
        const struct election *election = order->rows[i].election;

        if (election == NULL)
            continue;
        if (strcmp(election->path, path) == 0 && strlen(election->cluster->name) == cluster_length &&
            memcmp(election->cluster->name, key, cluster_length) == 0)
            return i;
    }
    return order->count;
}

void overview_order_release(struct overview_order *order)
{
    free(order->rows);
    *order = (struct overview_order){0};
}
