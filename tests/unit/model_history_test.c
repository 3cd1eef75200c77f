/*
 * Proves, over random histories with missed notifications, lost connections and recreated directories,
 * that order and leader are those of a brute-force truth, that the events alone lead to the same line and
 * leader, and that seen and unseen changes add up to what really happened.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/election_private.h"
#include "tests/support/dice.h"
#include "tests/support/fake_tree.h"
#include "tests/support/test.h"

#define ELECTION "/things/election"
#define MOST 64
#define NAMES 64

/* One candidate of the truth, or of what the events tell. */
struct one {
    char name[NAMES];
    int64_t sequence;
};

struct set {
    struct one ones[MOST];
    size_t count;
};

struct history {
    uint64_t random;
    struct fake_tree *tree;
    struct model *model;
    struct moment now;
    bool connected, listed;
    struct set truth, reported;
    char leader[NAMES];        /* by the events; "" for none */
    uint32_t next;             /* number of the next create */
    uint64_t creates, deletes; /* since the first list */
    uint64_t sessions, joined, left, elected;
    char *trace; /* what happened, printed when it fails */
    size_t trace_length;
};

#define TRACE 200000
static void note(struct history *h, const char *what, const char *name)
{
    if (h->trace_length < TRACE - 200)
        h->trace_length += (size_t)snprintf(h->trace + h->trace_length, 200, "%s %s\n", what, name);
}

static void check(const struct history *h, bool holds, const char *what)
{
    if (holds)
        return;
    const char *from = h->trace_length > 3000 ? h->trace + h->trace_length - 3000 : h->trace;
    print_error("%s\n", from);
    fail_msg("%s", what);
}

static size_t find(const struct set *set, const char *name)
{
    size_t i = 0;
    while (i < set->count && strcmp(set->ones[i].name, name) != 0)
        i++;
    return i;
}

static void take_out(struct set *set, size_t i)
{
    memmove(set->ones + i, set->ones + i + 1, (set->count - i - 1) * sizeof *set->ones);
    set->count--;
}

/* Puts it where its number belongs: by looking at every one. */
static size_t put_in(struct set *set, const char *name, int64_t sequence)
{
    size_t at = 0;
    while (at < set->count && set->ones[at].sequence < sequence)
        at++;
    memmove(set->ones + at + 1, set->ones + at, (set->count - at) * sizeof *set->ones);
    snprintf(set->ones[at].name, NAMES, "%s", name);
    set->ones[at].sequence = sequence;
    set->count++;
    return at;
}

static void on_event(void *context, const struct event *event)
{
    struct history *h = context;
    note(h, event_word(event->kind), event->candidate ? event->candidate : "");
    switch (event->kind) {
    case EVENT_CANDIDATE_JOINED: {
        check(h, find(&h->reported, event->candidate) == h->reported.count, "joined twice");
        size_t at = put_in(&h->reported, event->candidate, strtoll(event->candidate + 42, NULL, 10));
        (void)at;
        h->joined++;
        break;
    }
    case EVENT_CANDIDATE_LEFT: {
        size_t at = find(&h->reported, event->candidate);
        check(h, at < h->reported.count, "left without having been there");
        take_out(&h->reported, at);
        h->left++;
        break;
    }
    case EVENT_LEADER_LOST:
        check(h, h->connected, "a leader lost while nobody was looking");
        check(h, strcmp(h->leader, event->candidate) == 0, "lost another leader than the last one elected");
        h->leader[0] = '\0';
        break;
    case EVENT_LEADER_ELECTED:
        check(h, h->leader[0] == '\0', "elected while another one leads");
        snprintf(h->leader, NAMES, "%s", event->candidate);
        h->elected++;
        break;
    case EVENT_UNSEEN:
    case EVENT_ELECTION_SEEN:
    case EVENT_ELECTION_GONE:
    case EVENT_CONNECTION:
    case EVENT_LEADER_ACKNOWLEDGED:
    case EVENT_FAILOVER:
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
    case EVENT_FINDING_MUTED:
        break;
    }
}

static const char *path_of(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", ELECTION, name);
    return path;
}

static void create(struct history *h)
{
    char name[NAMES], path[128];
    if (h->truth.count == MOST)
        return;
    snprintf(name, sizeof name, "%016llx%016llx__lock__%010u",
             (unsigned long long)dice_draw(&h->random, UINT64_MAX),
             (unsigned long long)dice_draw(&h->random, UINT64_MAX), h->next);
    fake_tree_create(h->tree, path_of(name, path, sizeof path), ++h->sessions, "");
    put_in(&h->truth, name, h->next++);
    h->creates += h->listed;
    note(h, "+", name);
}

static void delete (struct history *h, size_t i)
{
    char path[128];
    struct one gone = h->truth.ones[i];
    fake_tree_delete(h->tree, path_of(gone.name, path, sizeof path));
    take_out(&h->truth, i);
    h->deletes += h->listed;
    note(h, "-", gone.name);
    /* The guard on whom the model takes for the leader, or for the next, brings its end; sometimes late. */
    struct election *election = model_election(h->model, 0, ELECTION);
    char guarded[128];
    if (h->connected && h->listed && election_guard(election, 0, guarded, sizeof guarded) &&
        strcmp(guarded, path) == 0 && dice_draw(&h->random, 4) > 0) {
        bool fresh = election->leader && election->fresh;
        fake_tree_read(h->tree, h->model, h->now, ELECTION, path);
        check(h, !election->leader, "a leader after its end was seen");
        check(h, !fresh || election->candidate_count > 0 || election_awaits_list(election),
              "vacant without a list");
    }
}

static void compare(struct history *h)
{
    const struct election *election = model_election(h->model, 0, ELECTION);
    check(h, election->candidate_count == h->truth.count, "another number of candidates");
    for (size_t i = 0; i < h->truth.count; i++) {
        const struct candidate *c = election->candidates[i];
        check(h, strcmp(c->name, h->truth.ones[i].name) == 0, "another order");
        check(h, c->sequence == h->truth.ones[i].sequence, "another number");
        check(h, election_find(election, c->name) == c, "not found by its name");
        check(h, election_position(election, c) == i, "another position");
    }
    check(h, (election->leader == NULL) == (h->truth.count == 0), "a leader or none");
    check(h, !election->leader || election->leader == election->candidates[0], "another leader");
    check(h, strcmp(h->leader, election->leader ? election->leader->name : "") == 0,
          "the events lead to another leader");
    check(h, h->reported.count == h->truth.count, "the events lead to another line");
    for (size_t i = 0; i < h->truth.count; i++)
        check(h, find(&h->reported, h->truth.ones[i].name) < h->reported.count,
              "the events lead to other candidates");
    check(h, election->fresh && !election_awaits_list(election), "not fresh after a list");
    check(h, election->next_sequence == (int64_t)h->next, "another next number");
    const struct counters *c = &election->counters;
    check(h,
          c->joined == h->joined && c->left == h->left &&
              c->leader_changes + election->own->uncounted == h->elected,
          "counters differ from the events");
    check(h, c->joined + c->unseen_joined == h->creates, "joinings do not add up");
    check(h, c->left + c->unseen_left == h->deletes, "departures do not add up");
    size_t unknown = 0;
    for (size_t i = 0; i < election->candidate_count; i++)
        unknown += !election->candidates[i]->known;
    check(h, unknown == election->unknown_count, "another number of unread candidates");
    for (size_t i = 0; i + 1 < election->tenure_count; i++) {
        const struct tenure *one = election_tenure_at(election, i),
                            *two = election_tenure_at(election, i + 1);
        check(h, one->to.mono_us == two->from.mono_us && one->to.mono_us >= one->from.mono_us,
              "tenures with holes");
    }
    const struct tenure *last = election_tenure_at(election, election->tenure_count - 1);
    check(h, last->to.mono_us == 0 && !last->gap, "the last tenure has ended");
    check(h, strcmp(last->name ? last->name : "", h->leader) == 0, "the last tenure is another one's");
}

static void list(struct history *h)
{
    if (!h->connected)
        return;
    note(h, "list", "");
    fake_tree_list(h->tree, h->model, h->now, ELECTION, ELECTION);
    if (!h->listed) {
        h->listed = true;
        h->reported = h->truth; /* stood before the first look: not told */
        snprintf(h->leader, NAMES, "%s", h->truth.count ? h->truth.ones[0].name : "");
    }
    compare(h);
}

static void connection(struct history *h, enum connection_state state)
{
    note(h, state == CONNECTION_CONNECTED ? "connect" : "lose", "");
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = h->now};
    o.connection.state = state;
    h->connected = state == CONNECTION_CONNECTED;
    model_observe(h->model, &o);
}

/* Everybody known has left, told; who came and went unseen with the old directory is beyond counting. */
static void recreate(struct history *h)
{
    const struct election *election = model_election(h->model, 0, ELECTION);
    note(h, "recreate", "");
    fake_tree_delete(h->tree, ELECTION);
    fake_tree_create(h->tree, ELECTION, 0, "");
    h->truth.count = 0;
    h->next = 0;
    const struct counters *c = &election->counters;
    h->creates = c->joined + c->unseen_joined;
    h->deletes = c->left + c->unseen_left + election->candidate_count;
    create(h);
}

static void read_some(struct history *h)
{
    struct election *election = model_election(h->model, 0, ELECTION);
    char path[128];
    const struct candidate *c;
    for (uint64_t n = dice_draw(&h->random, 8); n > 0 && (c = election_take_unread(election)); n--)
        fake_tree_read(h->tree, h->model, h->now, ELECTION, path_of(c->name, path, sizeof path));
    if (dice_draw(&h->random, 20) == 0)
        election_requeue_unread(election);
    if (election_guard(election, 0, path, sizeof path))
        fake_tree_read(h->tree, h->model, h->now, ELECTION, path);
}

static void run(uint64_t seed, unsigned steps, bool recreating)
{
    static char hosts[] = "h:1", name[] = "";
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error = NULL;
    struct history *h = calloc(1, sizeof *h);
    h->trace = calloc(1, TRACE);
    h->random = seed * 0x9e3779b97f4a7c15u + 1;
    h->tree = fake_tree_new();
    h->model = model_new(&settings, &error);
    assert_non_null(h->model);
    h->model->on_event = on_event;
    h->model->context = h;
    h->now = (struct moment){1000, 1700000000000000};
    fake_tree_create(h->tree, "/things", 0, "");
    fake_tree_create(h->tree, ELECTION, 0, "");
    struct observation o = {.kind = OBSERVED_ELECTION, .at = h->now, .election = ELECTION, .path = ELECTION};
    model_observe(h->model, &o);
    connection(h, CONNECTION_CONNECTED);

    for (unsigned i = 0; i < steps; i++) {
        h->now.mono_us += (int64_t)dice_draw(&h->random, 3) * 1000;
        h->now.wall_us = 1700000000000000 + h->now.mono_us;
        fake_tree_clock(h->tree, h->now.wall_us / 1000);
        switch (dice_draw(&h->random, 12)) {
        case 0:
        case 1:
        case 2:
            create(h);
            break;
        case 3:
        case 4:
            if (h->truth.count)
                delete (h, 0);
            break;
        case 5:
        case 6:
            if (h->truth.count)
                delete (h, dice_draw(&h->random, h->truth.count));
            break;
        case 7:
        case 8:
            list(h);
            break;
        case 9:
        case 10:
            if (h->connected && h->listed)
                read_some(h);
            break;
        default:
            if (dice_draw(&h->random, 3) == 0)
                connection(h, h->connected ? CONNECTION_CONNECTING : CONNECTION_CONNECTED);
            else if (recreating && h->listed && dice_draw(&h->random, 8) == 0)
                recreate(h);
            break;
        }
    }
    if (!h->connected)
        connection(h, CONNECTION_CONNECTED);
    list(h);
    model_free(h->model);
    fake_tree_free(h->tree);
    free(h->trace);
    free(h);
}

TEST(random_histories)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        run(seed, 400, false);
}

TEST(random_histories_with_recreated_directories)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        run(seed, 400, true);
}
