#include "probe/watch/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/log.h"

/* The limit of directories per pattern. The log reports those left out. */
#define PLACES_MOST 20000
/* The limit of simultaneous requests, as in discovery: twenty thousand at once would delay the server's other
 * clients. */
#define READS_MOST 1000

/* A directory whose children are matched. */
struct pattern_directory {
    struct pattern *pattern;
    char *path;
    const char *glob; /* the pattern for its children; points into the pattern, as rest does */
    const char *rest; /* the part after its children's names, "" or "/leader" */
    bool named;       /* only names follow, glob: where this directory exists, a match belongs below it */
    struct watch_entry entry;
    bool asking, complete;
    bool denied;  /* not readable: retried at intervals */
    bool waiting; /* waits for other requests to be answered */
    struct pattern_directory *next, *next_waiting;
};

struct pattern {
    struct live_cluster *live;
    char *path;
    const struct election_settings *settings;
    struct pattern_directory *places, *waiting;
    size_t place_count;
    int unanswered; /* places not read yet */
    size_t denied;  /* places that are unreadable now */
    bool shown;     /* the pattern itself is shown among the elections, as denied */
    int references; /* pending answers, plus the owner */
    bool ended;
};

static void place_ask(struct pattern_directory *place);

static void pattern_release(struct pattern *p)
{
    if (--p->references > 0)
        return;
    for (struct pattern_directory *place = p->places, *next; place; place = next) {
        next = place->next;
        free(place->path);
        free(place);
    }
    free(p->path);
    free(p);
}

/* A request has been answered: another may be sent. */
static void pattern_answered(struct pattern *p)
{
    if (p->ended) {
        pattern_release(p);
        return;
    }
    p->references--; /* the owner's reference is left */
    while (p->waiting && p->references <= READS_MOST) {
        struct pattern_directory *place = p->waiting;
        p->waiting = place->next_waiting;
        place->waiting = false;
        place_ask(place);
    }
}

static bool has_wildcard(const char *text, size_t length)
{
    return memchr(text, '*', length) || memchr(text, '?', length);
}

static void pattern_on_notice(void *context, enum session_notice notice)
{
    (void)notice;
    place_ask(context);
}

static bool place_known(const struct pattern *p, const char *path)
{
    for (const struct watch_entry *e = NULL; (e = watch_map_next(&p->live->watches, path, e));)
        if (e->notice == pattern_on_notice && ((const struct pattern_directory *)e->context)->pattern == p)
            return true;
    return false;
}

/* Adds the place for prefix followed by rest: up to the next component with a wildcard; without one, the prefix. */
static void place_add(struct pattern *p, const char *prefix, const char *rest)
{
    const char *component = rest, *end = rest + 1 + strcspn(rest + 1, "/");
    while (*end && !has_wildcard(component, (size_t)(end - component))) {
        component = end;
        end += 1 + strcspn(end + 1, "/");
    }
    bool named = !has_wildcard(component, (size_t)(end - component));
    if (named)
        component = rest;
    size_t fixed = (size_t)(component - rest), length = strlen(prefix);
    char *path = xmalloc(length + fixed + 2);
    memcpy(path, prefix, length);
    memcpy(path + length, rest, fixed);
    path[length + fixed] = '\0';
    if (!path[0])
        strcpy(path, "/"); /* of a wildcard in the first component */
    if (place_known(p, path)) {
        free(path);
        return;
    }
    if (p->place_count >= PLACES_MOST) {
        log_line(LOG_LEVEL_WARNING, "%s: too many directories to watch; left out: %s", p->path, path);
        free(path);
        return;
    }
    struct pattern_directory *place = xcalloc(1, sizeof *place);
    place->pattern = p;
    place->path = path;
    place->glob = component + 1;
    place->rest = end;
    place->named = named;
    place->entry = (struct watch_entry){.notice = pattern_on_notice, .context = place};
    place->next = p->places;
    p->places = place;
    p->place_count++;
    p->unanswered++;
    watch_map_put(&p->live->watches, &place->entry, path);
    place_ask(place);
}

static bool glob_matches(const struct pattern_directory *place, const char *name)
{
    char glob[512];
    size_t length = strcspn(place->glob, "/");
    if (length >= sizeof glob)
        return false;
    memcpy(glob, place->glob, length);
    glob[length] = '\0';
    return znode_pattern_match(glob, name);
}

static char *place_child(const struct pattern_directory *place, const char *name)
{
    return text_format("%s/%s", strcmp(place->path, "/") == 0 ? "" : place->path, name);
}

static void child_found(struct pattern_directory *place, const char *name)
{
    struct pattern *p = place->pattern;
    if (!glob_matches(place, name))
        return;
    char *path = place_child(place, name);
    /* ZooKeeper's own tree contains no elections. */
    if (strcmp(path, "/zookeeper") != 0) {
        if (*place->rest)
            place_add(p, path, place->rest);
        else
            live_cluster_watch(p->live, path, p->settings, ORIGIN_PATTERN, NULL);
    }
    free(path);
}

static void place_complete(struct pattern_directory *place)
{
    if (!place->complete) {
        place->complete = true;
        place->pattern->unanswered--;
    }
}

/*
 * The contents of an unreadable directory are unknown: the pattern itself is then shown among the
 * elections, as denied, until every directory can be read.
 */
static void show_denied(struct pattern *p)
{
    if (p->shown == (p->denied > 0))
        return;
    p->shown = p->denied > 0;
    live_show_denied(p->live, p->path, p->settings, ORIGIN_PATTERN, p->shown);
}

static void place_denied(struct pattern_directory *place, bool denied)
{
    struct pattern *p = place->pattern;
    if (place->denied == denied)
        return;
    place->denied = denied;
    p->denied += denied ? 1 : (size_t)-1;
    show_denied(p);
}

/* Handles an answer; false: this place needs nothing more. */
static bool answered(struct pattern_directory *place, enum session_result result)
{
    struct pattern *p = place->pattern;
    place->asking = false;
    bool alive = !p->ended && result != SESSION_LOST;
    if (alive)
        place_complete(place);
    if (alive && result == SESSION_DENIED && !place->denied)
        log_line(LOG_LEVEL_WARNING, "%s: permission denied for %s", p->path, place->path);
    if (alive)
        place_denied(place, result == SESSION_DENIED);
    return alive;
}

/* Whether the match that a name says belongs here is missed, or went with its directory. */
static void place_expect(struct pattern_directory *place, bool there)
{
    struct pattern *p = place->pattern;
    enum election_origin origin = there ? ORIGIN_EXPECTED : ORIGIN_ORPHANED;
    char *path = place_child(place, place->glob);
    const struct election *election = model_election(p->live->model, p->live->index, path);
    if (there && !election) {
        live_cluster_watch(p->live, path, p->settings, origin, NULL);
    } else if (election && election->settings == p->settings && election->origin != origin) {
        struct observation o = live_observation(p->live, OBSERVED_ELECTION, path, path);
        o.subject = (struct observed_election){.origin = origin, .settings = p->settings};
        live_observe(p->live, &o);
    }
    free(path);
}

static void pattern_on_exists(void *context, const struct session_answer *answer)
{
    struct pattern_directory *place = context;
    struct pattern *p = place->pattern;
    if (answered(place, answer->result) &&
        (answer->result == SESSION_OK || answer->result == SESSION_NO_NODE)) {
        if (place->named)
            place_expect(place, answer->result == SESSION_OK);
        else if (answer->result == SESSION_OK)
            place_ask(place); /* it appeared between the two requests */
    }
    pattern_answered(p);
}

static bool place_exists(struct pattern_directory *place)
{
    return session_exists(place->pattern->live->session, place->path, true, pattern_on_exists, place);
}

static void pattern_on_children(void *context, const struct session_answer *answer)
{
    struct pattern_directory *place = context;
    struct pattern *p = place->pattern;
    if (answered(place, answer->result)) {
        if (answer->result == SESSION_NO_NODE && place_exists(place)) {
            place->asking = true;
            p->references++;
        } else if (answer->result == SESSION_OK) {
            for (size_t i = 0; i < answer->count; i++)
                child_found(place, answer->names[i]);
        }
    }
    pattern_answered(p);
}

static void place_ask(struct pattern_directory *place)
{
    struct pattern *p = place->pattern;
    struct session *session = p->live->session;
    if (place->asking || place->waiting || p->ended)
        return;
    if (p->references > READS_MOST) { /* one reference is the owner's */
        place->waiting = true;
        place->next_waiting = p->waiting;
        p->waiting = place;
        return;
    }
    bool sent = place->named ? place_exists(place)
                             : session_children(session, place->path, true, pattern_on_children, place);
    if (sent) {
        place->asking = true;
        p->references++;
    }
}

struct pattern *pattern_new(struct live_cluster *live, const char *path,
                            const struct election_settings *settings)
{
    struct pattern *p = xcalloc(1, sizeof *p);
    p->path = xstrdup(path);
    p->live = live;
    p->settings = settings;
    p->references = 1;
    place_add(p, "", p->path);
    return p;
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    p->ended = true;
    for (struct pattern_directory *place = p->places; place; place = place->next)
        watch_map_remove(&p->live->watches, &place->entry);
    pattern_release(p);
}

void pattern_begin(struct pattern *p)
{
    read_account_grant(p->live->account, 2 * p->place_count);
    for (struct pattern_directory *place = p->places; place; place = place->next) {
        place->asking = false;
        place_ask(place);
    }
}

void pattern_known(struct pattern *p, const char *path)
{
    const char *last = strrchr(p->path, '/');
    if (znode_pattern_match(p->path, path))
        live_cluster_watch(p->live, path, p->settings,
                           has_wildcard(last, strlen(last)) ? ORIGIN_PATTERN : ORIGIN_ORPHANED, NULL);
}

void pattern_try_again(struct pattern *p)
{
    for (struct pattern_directory *place = p->places; place; place = place->next)
        if (place->denied)
            place_ask(place);
}

bool pattern_complete(const struct pattern *p)
{
    return p->unanswered == 0;
}
