#include "probe/case/case_state.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"

struct state_entry {
    char *key; /* the same for facts of which the later replaces the earlier */
    size_t index;
    struct observation o;
    bool over;     /* it does not hold any more */
    size_t listed; /* a znode: the index of the list that shows it, from 1; 0: none */
};

struct case_state {
    struct state_entry *entries;
    size_t count, room;
};

static char *server_key(const struct observation *o, unsigned part, const char *address)
{
    return text_format("%u server %u %s", o->cluster, part, address ? address : "");
}

static char *znode_key(const struct observation *o, char kind, const char *path)
{
    return text_format("%u %c %s\n%s", o->cluster, kind, o->election ? o->election : "", path);
}

/* NULL: no fact that lasts. */
static char *state_key(const struct observation *o)
{
    switch (o->kind) {
    case OBSERVED_CONNECTION:
    case OBSERVED_SILENCE:
    case OBSERVED_ENSEMBLE:
        return text_format("%u own %d", o->cluster, (int)o->kind);
    case OBSERVED_CONNECTIONS:
        return server_key(o, HIDDEN_CONNECTIONS, o->connections.address);
    case OBSERVED_WATCHES:
        return server_key(o, HIDDEN_WATCHES, o->watches.address);
    case OBSERVED_SESSIONS:
        return server_key(o, HIDDEN_SESSIONS, o->sessions.address);
    case OBSERVED_HIDDEN:
        return server_key(o, o->hidden.part, o->hidden.address);
    case OBSERVED_SERVER:
        return server_key(o, HIDDEN_SESSIONS + 1, o->server.address);
    case OBSERVED_LOAD:
        return server_key(o, HIDDEN_SESSIONS + 2, o->load.address);
    case OBSERVED_CLOCK:
        return server_key(o, HIDDEN_SESSIONS + 3, o->clock.address);
    case OBSERVED_ELECTION:
        return znode_key(o, 'E', "");
    case OBSERVED_CHILDREN:
        return o->path ? znode_key(o, 'C', o->path) : NULL;
    case OBSERVED_NODE:
    case OBSERVED_ABSENT:
    case OBSERVED_DENIED:
        return o->path ? znode_key(o, 'N', o->path) : NULL;
    default:
        return NULL;
    }
}

static int state_by_key(const void *a, const void *b)
{
    const struct state_entry *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order ? order : one->index < other->index ? -1 : 1;
}

/* A source reports lists before the znodes in them, and both before the watches on these. */
static int state_turn(const struct observation *o)
{
    switch (o->kind) {
    case OBSERVED_ELECTION:
        return 0;
    case OBSERVED_CHILDREN:
        return 2;
    case OBSERVED_NODE:
    case OBSERVED_ABSENT:
    case OBSERVED_DENIED:
        return 3;
    case OBSERVED_CONNECTIONS:
    case OBSERVED_WATCHES:
    case OBSERVED_SESSIONS:
        return 4;
    default:
        return 1;
    }
}

static int state_by_turn(const void *a, const void *b)
{
    const struct state_entry *one = a, *other = b;
    int order = state_turn(&one->o) - state_turn(&other->o);
    return order ? order : one->index < other->index ? -1 : 1;
}

/* Everything about an election that is no longer watched. */
static void state_drop(struct case_state *s, const struct observation *o)
{
    for (size_t i = 0; i < s->count; i++) {
        struct state_entry *e = &s->entries[i];
        e->over |= e->o.cluster == o->cluster && e->o.election && o->election &&
                   strcmp(e->o.election, o->election) == 0;
    }
}

static void state_add(struct case_state *s, const struct observation *o)
{
    char *key = state_key(o);
    if (o->kind == OBSERVED_DROPPED)
        state_drop(s, o);
    if (!key)
        return;
    room_for_one(&s->entries, s->count, &s->room, sizeof *s->entries);
    s->entries[s->count] = (struct state_entry){.key = key, .index = s->count + 1, .o = *o};
    s->count++;
}

/* By key: the latest of each remains. */
static void state_settle(struct case_state *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->entries, s->count, sizeof *s->entries, state_by_key);
    for (size_t i = 0; i < s->count; i++) {
        bool later = i + 1 < s->count && strcmp(s->entries[i].key, s->entries[i + 1].key) == 0;
        if (s->entries[i].over || later)
            free(s->entries[i].key);
        else
            s->entries[kept++] = s->entries[i];
    }
    s->count = kept;
}

static struct state_entry *state_find(const struct case_state *s, char *key)
{
    struct state_entry *e = NULL;
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(s->entries[middle].key, key);
        if (order == 0)
            e = &s->entries[middle];
        if (order == 0)
            break;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    free(key);
    return e;
}

static void state_list(const struct case_state *s, const struct state_entry *list)
{
    const struct observed_children *children = &list->o.children;
    for (size_t i = 0; i < children->count; i++) {
        char *path =
            text_format("%s/%s", strcmp(list->o.path, "/") == 0 ? "" : list->o.path, children->names[i]);
        struct state_entry *child = state_find(s, znode_key(&list->o, 'N', path));
        if (child && child->index < list->index && child->o.kind == OBSERVED_NODE)
            child->o.at = list->o.at; /* it still existed then */
        if (child)
            child->listed = list->index;
        free(path);
    }
}

/* A later list does not show it any more; an absent znode has no children. */
static bool state_is_over(const struct case_state *s, const struct state_entry *e)
{
    const struct state_entry *other = NULL;
    if (e->o.kind == OBSERVED_CHILDREN)
        other = state_find(s, znode_key(&e->o, 'N', e->o.path));
    if (other)
        return other->o.kind != OBSERVED_NODE && other->index > e->index;
    if (e->o.kind != OBSERVED_NODE && e->o.kind != OBSERVED_ABSENT && e->o.kind != OBSERVED_DENIED)
        return false;
    other = state_find(s, znode_key(&e->o, 'C', e->o.path));
    if (other && other->index > e->index && e->o.kind != OBSERVED_NODE)
        return true; /* it has children now */
    const char *slash = strrchr(e->o.path, '/');
    if (!slash)
        return false;
    char *parent = slash == e->o.path ? xstrdup("/") : xstrndup(e->o.path, (size_t)(slash - e->o.path));
    other = state_find(s, znode_key(&e->o, 'C', parent));
    free(parent);
    return other && other->index > e->index && e->listed != other->index;
}

uint64_t case_state_put(struct coding *to, const void *stretch, size_t length)
{
    struct kept_settings *kept = NULL;
    struct coding *from = coding_read(stretch, length, &kept);
    struct case_state s = {.entries = NULL};
    struct observation o;
    uint64_t count = 0;
    while (coding_get(from, &o))
        state_add(&s, &o);
    state_settle(&s);
    for (size_t i = 0; i < s.count; i++)
        if (s.entries[i].o.kind == OBSERVED_CHILDREN)
            state_list(&s, &s.entries[i]);
    for (size_t i = 0; i < s.count; i++)
        s.entries[i].over = state_is_over(&s, &s.entries[i]);
    for (size_t i = 0; i < s.count; i++)
        free(s.entries[i].key);
    if (s.count)
        qsort(s.entries, s.count, sizeof *s.entries, state_by_turn);
    for (size_t i = 0; i < s.count; i++)
        if (!s.entries[i].over) {
            coding_put(to, &s.entries[i].o);
            count++;
        }
    free(s.entries);
    coding_free(from);
    kept_settings_free(kept);
    return count;
}
