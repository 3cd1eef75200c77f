#include "probe/alert/pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/candidate/guard.h"
#include "probe/candidate/naming.h"
#include "probe/candidate/test_candidate.h"
#include "probe/log.h"
#include "probe/loop_timer.h"

#define TICK_MS 1000
#define EVENTS_MOST 1000 /* entries of events that are remembered; the oldest goes early */
#define EVENT_KEPT_MS 600000
#define VOLUNTEER_AGAIN_MS 10000

struct event_entry {
    char *name;
    uint64_t written_ms;
};

struct pair {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct pair_listener listener;
    void *context;
    struct guard *guard;
    struct test_candidate *self;
    char *hosts, *election, *ledger, *data, *above;
    char writer[GUID_HEX_SIZE]; /* who writes its entries */
    bool leads, ending;
    uint64_t led_session; /* leads: the session it leads with */
    struct ledger_read *reading;
    uint64_t gone_ms; /* when it gave up; 0: it has not */
    char *reported;
    struct event_entry events[EVENTS_MOST];
    size_t event_count;
};

static void pair_on_tick(uv_timer_t *timer);

static struct session *pair_session(const struct pair *pair)
{
    return candidate_session_session(candidate_session_of(pair->self));
}

static bool pair_is_first(const struct pair *pair)
{
    return !pair->ending && test_candidate_candidacy(pair->self)->state == CANDIDATE_LEADING;
}

bool pair_is_ready(const struct pair *pair)
{
    return pair->leads && pair_is_first(pair) && session_id(pair_session(pair)) == pair->led_session;
}

bool pair_leads(const struct pair *pair)
{
    return pair->leads;
}

static void pair_set_leads(struct pair *pair, bool leads)
{
    if (leads)
        pair->led_session = session_id(pair_session(pair));
    if (leads == pair->leads)
        return;
    pair->leads = leads;
    log_line(LOG_LEVEL_INFO, "%s: this recorder %s", pair->election,
             leads ? "leads, and sends the alerts" : "does not lead, and sends no alerts");
    if (!pair->ending)
        pair->listener.leads(pair->context, leads);
}

/* ---- the ledger: writing ---- */

static void pair_on_whatever(void *context, enum session_result result, const char *path)
{
    (void)context;
    (void)result;
    (void)path;
}

static void pair_delete(struct pair *pair, const char *name)
{
    char *path = path_join(pair->ledger, name);
    if (pair_session(pair))
        guard_delete(pair->guard, pair_session(pair), path, -1, pair_on_whatever, NULL);
    free(path);
}

static bool pair_create(struct pair *pair, const char *name, const char *text, session_text_fn fn,
                        void *context)
{
    char *path = path_join(pair->ledger, name);
    char *data = text_format("%s\n%s", pair->writer, text);
    bool asked = pair_session(pair) && guard_create(pair->guard, pair_session(pair), path, data, strlen(data),
                                                    CREATE_PERSISTENT, NULL, fn, context);
    free(path);
    free(data);
    return asked;
}

static void event_entries_drop(struct pair *pair, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pair_delete(pair, pair->events[i].name);
        free(pair->events[i].name);
    }
    pair->event_count -= count;
    memmove(pair->events, pair->events + count, pair->event_count * sizeof *pair->events);
}

static void event_entries_add(struct pair *pair, const char *name)
{
    char *copy = xstrdup(name);
    if (pair->event_count == EVENTS_MOST)
        event_entries_drop(pair, 1);
    pair->events[pair->event_count++] = (struct event_entry){copy, uv_now(pair->loop)};
}

/* One call of pair_claim() or pair_check(). */
struct claim {
    struct pair *pair;
    pair_answer_fn fn;
    void *context;
    char *text;
    size_t awaited;
    bool granted, lost;
};

static void claim_answer(struct claim *claim)
{
    if (--claim->awaited)
        return;
    enum pair_answer answer = claim->granted ? PAIR_GRANTED : claim->lost ? PAIR_LOST : PAIR_TAKEN;
    claim->fn(claim->context, answer);
    free(claim->text);
    free(claim);
}

/* An entry that exists is its own where an earlier answer was lost. */
static void claim_on_entry(void *context, enum session_result result, const struct znode_stat *stat,
                           const void *data, size_t length)
{
    struct claim *claim = context;
    size_t id = strlen(claim->pair->writer);
    (void)stat;
    if (result == SESSION_OK && data && length > id && memcmp(data, claim->pair->writer, id) == 0)
        claim->granted = true;
    else if (result != SESSION_OK)
        claim->lost = true;
    claim_answer(claim);
}

static void claim_on_created(void *context, enum session_result result, const char *path)
{
    struct claim *claim = context;
    struct pair *pair = claim->pair;
    if (result == SESSION_NODE_EXISTS && path && pair_session(pair) &&
        session_get(pair_session(pair), path, false, claim_on_entry, claim))
        return;
    if (result == SESSION_NO_NODE) { /* the ledger was deleted */
        guard_create(pair->guard, pair_session(pair), pair->above, NULL, 0, CREATE_PERSISTENT, NULL,
                     pair_on_whatever, NULL);
        guard_create(pair->guard, pair_session(pair), pair->ledger, NULL, 0, CREATE_PERSISTENT, NULL,
                     pair_on_whatever, NULL);
    }
    claim->granted |= result == SESSION_OK;
    claim->lost |= result != SESSION_OK;
    claim_answer(claim);
}

static struct claim *claim_new(struct pair *pair, const char *text, pair_answer_fn fn, void *context)
{
    struct claim *claim = xcalloc(1, sizeof *claim);
    *claim = (struct claim){.pair = pair, .fn = fn, .context = context, .text = text_copy(text)};
    return claim;
}

bool pair_claim(struct pair *pair, char *const *names, size_t count, const char *text, pair_answer_fn fn,
                void *context)
{
    struct claim *claim = pair_is_ready(pair) && count ? claim_new(pair, text, fn, context) : NULL;
    for (size_t i = 0; claim && i < count; i++) {
        if (!pair_create(pair, names[i], text, claim_on_created, claim)) {
            claim->lost = true;
            continue;
        }
        claim->awaited++;
        if (strncmp(names[i], "e-", 2) == 0)
            event_entries_add(pair, names[i]);
    }
    if (claim && !claim->awaited) {
        free(claim->text);
        free(claim);
        return false;
    }
    return claim != NULL;
}

static void claim_on_checked(void *context, enum session_result result, const struct znode_stat *stat,
                             const void *data, size_t length)
{
    struct claim *claim = context;
    (void)stat;
    (void)data;
    (void)length;
    claim->granted = result == SESSION_OK;
    claim->lost = result != SESSION_OK && result != SESSION_NO_NODE;
    claim_answer(claim);
}

bool pair_check(struct pair *pair, const char *name, pair_answer_fn fn, void *context)
{
    struct claim *claim = pair_is_ready(pair) ? claim_new(pair, NULL, fn, context) : NULL;
    char *path = path_join(pair->ledger, name);
    bool asked = claim && session_exists(pair_session(pair), path, false, claim_on_checked, claim);
    if (asked)
        claim->awaited = 1;
    else
        free(claim);
    free(path);
    return asked;
}

void pair_note_posted(struct pair *pair, const char *key)
{
    char *name = text_format("a-%s.posted", key);
    if (pair_is_ready(pair))
        pair_create(pair, name, "", pair_on_whatever, NULL);
    free(name);
}

void pair_forget(struct pair *pair, const char *key)
{
    static const char *const signs[] = {".posted", "",
                                        ".over"}; /* .over last: a successor finishes the removal */
    for (size_t i = 0; pair_is_first(pair) && i < sizeof signs / sizeof *signs; i++) {
        char *name = text_format("a-%s%s", key, signs[i]);
        pair_delete(pair, name);
        free(name);
    }
}

/* ---- the ledger: reading, by a new leader ---- */

struct ledger_entry {
    struct ledger_read *reading;
    char *key, *text;
    bool posted, over;
};

struct ledger_read {
    struct pair *pair;
    uint64_t session;
    struct ledger_entry *entries;
    size_t count, awaited;
    bool failed;
};

static void ledger_read_free(struct ledger_read *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        free(reading->entries[i].key);
        free(reading->entries[i].text);
    }
    free(reading->entries);
    if (reading->pair->reading == reading)
        reading->pair->reading = NULL;
    free(reading);
}

/* All is read, by the session that still leads: from here on it sends the alerts. */
static void ledger_read_finish(struct ledger_read *reading)
{
    struct pair *pair = reading->pair;
    bool fine = !reading->failed && pair->reading == reading && pair_is_first(pair) &&
                session_id(pair_session(pair)) == reading->session;
    for (size_t i = 0; fine && i < reading->count; i++) {
        const struct ledger_entry *entry = &reading->entries[i];
        if (entry->text)
            pair->listener.entry(pair->context, entry->key, entry->text, entry->posted, entry->over);
    }
    ledger_read_free(reading);
    if (fine)
        pair_set_leads(pair, true);
}

static void ledger_on_entry(void *context, enum session_result result, const struct znode_stat *stat,
                            const void *data, size_t length)
{
    struct ledger_entry *entry = context;
    struct ledger_read *reading = entry->reading;
    const char *text = data ? memchr(data, '\n', length) : NULL;
    (void)stat;
    if (result == SESSION_OK && text)
        entry->text = text_format("%.*s", (int)(length - (size_t)(text + 1 - (const char *)data)), text + 1);
    else if (result != SESSION_OK && result != SESSION_NO_NODE)
        reading->failed = true;
    if (--reading->awaited == 0)
        ledger_read_finish(reading);
}

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names are in order: an alert's signs follow it. A sign without its alert is what a death left behind. */
static void ledger_take(struct ledger_read *reading, const char *name)
{
    struct ledger_entry *last = reading->count ? &reading->entries[reading->count - 1] : NULL;
    const char *sign = strchr(name, '.');
    if (strncmp(name, "e-", 2) == 0) {
        event_entries_add(reading->pair, name);
    } else if (strncmp(name, "a-", 2) == 0 && !sign) {
        reading->entries[reading->count++] =
            (struct ledger_entry){.reading = reading, .key = xstrdup(name + 2)};
    } else if (sign && last && strlen(last->key) + 2 == (size_t)(sign - name) &&
               strncmp(last->key, name + 2, strlen(last->key)) == 0) {
        last->posted |= strcmp(sign, ".posted") == 0;
        last->over |= strcmp(sign, ".over") == 0;
    } else if (sign) {
        pair_delete(reading->pair, name);
    }
}

static void ledger_on_names(void *context, enum session_result result, const struct znode_stat *stat,
                            char *const *names, size_t count)
{
    struct ledger_read *reading = context;
    struct pair *pair = reading->pair;
    char **sorted = xcalloc(count + 1, sizeof *sorted);
    (void)stat;
    reading->entries = xcalloc(count + 1, sizeof *reading->entries);
    reading->failed |= result != SESSION_OK || pair->reading != reading;
    if (!reading->failed) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = names[i];
        qsort(sorted, count, sizeof *sorted, name_order);
        for (size_t i = 0; i < count; i++)
            ledger_take(reading, sorted[i]);
    }
    free(sorted);
    reading->awaited = 1;
    for (size_t i = 0; i < reading->count; i++) {
        char *name = text_format("a-%s", reading->entries[i].key);
        char *path = path_join(pair->ledger, name);
        if (session_get(pair_session(pair), path, false, ledger_on_entry, &reading->entries[i]))
            reading->awaited++;
        else
            reading->failed = true;
        free(path);
        free(name);
    }
    if (--reading->awaited == 0)
        ledger_read_finish(reading);
}

/* After a sync: what a former leader wrote until its session ended is seen. */
static void ledger_on_synced(void *context, enum session_result result, const char *path)
{
    struct ledger_read *reading = context;
    struct pair *pair = reading->pair;
    (void)path;
    reading->failed |= result != SESSION_OK || pair->reading != reading;
    if (reading->failed ||
        !session_children(pair_session(pair), pair->ledger, false, ledger_on_names, reading))
        ledger_read_free(reading);
}

static void ledger_on_made(void *context, enum session_result result, const char *path)
{
    struct ledger_read *reading = context;
    struct pair *pair = reading->pair;
    (void)path;
    bool there = (result == SESSION_OK || result == SESSION_NODE_EXISTS) && pair->reading == reading;
    if (result == SESSION_DENIED)
        pair->listener.problem(pair->context, "cannot create the list of sent alerts in the sandbox "
                                              "directory: no permission; grant create to the recorders");
    if (!there || !session_sync(pair_session(pair), pair->ledger, ledger_on_synced, reading))
        ledger_read_free(reading);
}

static void ledger_read_begin(struct pair *pair)
{
    if (pair->reading)
        return;
    struct ledger_read *reading = xcalloc(1, sizeof *reading);
    *reading = (struct ledger_read){.pair = pair, .session = session_id(pair_session(pair))};
    while (pair->event_count)
        free(pair->events[--pair->event_count].name);
    pair->reading = reading;
    if (!guard_create(pair->guard, pair_session(pair), pair->ledger, NULL, 0, CREATE_PERSISTENT, NULL,
                      ledger_on_made, reading))
        ledger_read_free(reading);
}

/* ---- the election ---- */

static void pair_report(struct pair *pair, const char *problem)
{
    if (problem && (!pair->reported || strcmp(pair->reported, problem) != 0)) {
        char *text = text_format("%s: this recorder cannot be a candidate: %s", pair->election, problem);
        pair->listener.problem(pair->context, text);
        free(text);
    }
    text_replace(&pair->reported, problem);
}

static void pair_look(struct pair *pair)
{
    enum candidate_state state = test_candidate_candidacy(pair->self)->state;
    bool led = pair->leads;
    if (state == CANDIDATE_LEADING) {
        if (led && session_id(pair_session(pair)) == pair->led_session)
            return; /* the connection is back, and no other led */
        pair_set_leads(pair, false);
        ledger_read_begin(pair);
    } else {
        pair->reading = NULL; /* its answers come, and are of no use */
        if (state != CANDIDATE_JOINING)
            pair_set_leads(pair, false);
    }
}

static void pair_on_changed(void *context, struct test_candidate *candidate)
{
    struct pair *pair = context;
    (void)candidate;
    if (!pair->ending)
        pair_look(pair);
}

static void pair_on_gave_up(void *context, const char *problem)
{
    struct pair *pair = context;
    pair->gone_ms = uv_now(pair->loop);
    pair_report(pair, problem);
}

static void pair_on_tick(uv_timer_t *timer)
{
    struct pair *pair = timer->data;
    uint64_t now_ms = uv_now(pair->loop);
    if (test_candidate_candidacy(pair->self)->state == CANDIDATE_GONE &&
        now_ms - pair->gone_ms >= VOLUNTEER_AGAIN_MS) {
        pair->gone_ms = now_ms;
        test_candidate_volunteer(pair->self);
        return;
    }
    if (pair_is_first(pair) && !pair->leads)
        ledger_read_begin(pair); /* the last attempt failed */
    size_t over = 0;
    while (over < pair->event_count && now_ms - pair->events[over].written_ms > EVENT_KEPT_MS)
        over++;
    if (over && pair_is_ready(pair))
        event_entries_drop(pair, over);
}

/* "host-a (1234)": for people, in the dashboard. */
static char *recorder_identity(void)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return text_format("%s (%ld)", *host ? host : "host", (long)getpid());
}

static bool pair_prepare(struct pair *pair, const struct cluster_settings *cluster, const char *sandbox,
                         const char *name)
{
    struct connect_string string = {0};
    char *error = NULL;
    if (!connect_string_parse(cluster->hosts, &string, &error)) {
        free(error);
        return false;
    }
    char *directory = text_format("pair-%s", name), *top = znode_path_join(string.chroot, sandbox);
    pair->hosts = xstrdup(string.hosts);
    pair->above = path_join(top, directory);
    pair->election = path_join(pair->above, PAIR_RECORDERS);
    pair->ledger = path_join(pair->above, PAIR_LEDGER);
    pair->guard = guard_new_pair(top, directory);
    pair->data = recorder_identity();
    connect_string_free(&string);
    free(directory);
    free(top);
    return pair->guard && guid_hex32(pair->writer);
}

struct pair *pair_start(uv_loop_t *loop, const struct cluster_settings *cluster, const char *sandbox,
                        const char *name, const struct pair_listener *listener, void *context)
{
    struct pair *pair = xcalloc(1, sizeof *pair);
    pair->loop = loop;
    pair->listener = *listener;
    pair->context = context;
    if (pair_prepare(pair, cluster, sandbox, name)) {
        pair->timer = loop_timer_new(loop, pair);
        const struct session_options session = {.hosts = pair->hosts,
                                                .timeout_ms = (int)cluster->session_timeout_ms,
                                                .auth_scheme = cluster->auth_scheme,
                                                .auth_credential = cluster->auth_credential,
                                                .security = &cluster->security};
        const struct candidate_options options = {
            .guard = pair->guard, .election = pair->election, .name = "_c_{uuid}-latch-", .data = pair->data};
        static const struct candidate_listener heard = {.changed = pair_on_changed,
                                                        .gave_up = pair_on_gave_up};
        pair->self = test_candidate_new(loop, &session, &options, &heard, pair);
    }
    if (pair->self) {
        uv_timer_start(pair->timer, pair_on_tick, TICK_MS, TICK_MS);
        return pair;
    }
    pair_stop(pair);
    return NULL;
}

void pair_stop(struct pair *pair)
{
    if (!pair)
        return;
    pair->ending = true;
    if (pair->self)
        test_candidate_kill(pair->self, KILL_CLOSE);
    test_candidate_free(pair->self);
    while (pair->event_count)
        free(pair->events[--pair->event_count].name);
    loop_timer_free(pair->timer);
    guard_free(pair->guard);
    free(pair->hosts);
    free(pair->election);
    free(pair->ledger);
    free(pair->above);
    free(pair->data);
    free(pair->reported);
    free(pair);
}
