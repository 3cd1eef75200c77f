#include "tests/support/model_script.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/baseline.h"
#include "probe/election/election_private.h"
#include "probe/election/model.h"
#include "probe/election/vacancy.h"
#include "probe/history/snapshot.h"
#include "tests/support/fake_servers.h"
#include "tests/support/fake_tree.h"
#include "tests/support/model_words.h"

#define PATHS 1024
#define EVENTS 8192
#define START_WALL_MS INT64_C(1700000000000)

struct script {
    const char *proves, *line_text;
    int line;
    struct fake_tree *tree;
    struct fake_servers *servers;
    unsigned server_count;
    struct {
        bool held, there;
        struct znode_stat stat;
    } replicas[8]; /* by server, from 1 */
    uint32_t round;
    bool findings, failovers, people; /* are told, too */
    uint64_t turn;                    /* of the model, as it was noted */
    bool ours;
    struct model *model;
    struct snapshot_model *earlier; /* what was recorded of the run before */
    struct election_settings settings;
    enum election_origin origin;
    char *words[5]; /* what settings own */
    char election[PATHS];
    int64_t now_ms;
    char events[EVENTS]; /* told and not expected yet, a line each */
};

static void broken(const struct script *s, const char *what, const char *got)
{
    print_error("%s\n  line %d: %s\n  %s%s\n", s->proves, s->line, s->line_text, what, got);
    fail_msg("script does not hold");
}

static struct moment now(const struct script *s)
{
    return (struct moment){WORDS_START_US + s->now_ms * 1000, (START_WALL_MS + s->now_ms) * 1000};
}

static void add_span(char *out, const char *name, struct span span)
{
    if (span.low_us < 0 && span.high_us < 0)
        return;
    words_add(out, EVENTS, " %s", name);
    if (span.low_us == span.high_us)
        words_add(out, EVENTS, " %lld", (long long)span.low_us / 1000);
    else
        words_add(out, EVENTS, " %lld-%lld", span.low_us < 0 ? -1LL : (long long)span.low_us / 1000,
                  span.high_us < 0 ? -1LL : (long long)span.high_us / 1000);
}

static void add_failover(struct script *s, const struct failover *f)
{
    char *out = s->events;
    words_add(out, EVENTS, " %s -> %s", f->from ? f->from : "nobody", f->to ? f->to : "nobody");
    if (s->people && f->to_identity)
        words_add(out, EVENTS, "(%s)", f->to_identity);
    words_add(out, EVENTS, " %s%s", failover_cause_word(f->cause),
              f->cause != CAUSE_UNKNOWN && f->cause_certainty == CERTAINTY_SUSPECTED ? "?" : "");
    add_span(out, "detection", f->detection);
    add_span(out, "vacancy", f->vacancy);
    add_span(out, "takeover", f->takeover);
    add_span(out, "total", f->total);
}

static void add_elected(char *out, const struct event *event, bool people)
{
    words_add(out, EVENTS, " %s", event->from ? event->from : "nobody");
    if (people && event->from_identity)
        words_add(out, EVENTS, "(%s)", event->from_identity);
    words_add(out, EVENTS, " -> %s", event->candidate);
    if (people && event->identity)
        words_add(out, EVENTS, "(%s)", event->identity);
}

static void on_event(void *context, const struct event *event)
{
    struct script *s = context;
    char *out = s->events;
    if (event->finding && (!s->findings || event->finding->code == FINDING_NO_GUID))
        return;
    if (event->kind == EVENT_FAILOVER && !s->failovers)
        return;
    words_add(out, EVENTS, "%s", event_word(event->kind));
    switch (event->kind) {
    case EVENT_CANDIDATE_JOINED:
    case EVENT_CANDIDATE_LEFT:
    case EVENT_LEADER_LOST:
        words_add(out, EVENTS, " %s @%zu", event->candidate, event->position);
        break;
    case EVENT_LEADER_ELECTED:
        add_elected(out, event, s->people);
        break;
    case EVENT_LEADER_ACKNOWLEDGED:
        words_add(out, EVENTS, " %s", event->candidate);
        break;
    case EVENT_FAILOVER:
        add_failover(s, event->failover);
        break;
    case EVENT_CONNECTION:
        words_add(out, EVENTS, " %s%s%s", event->connection, event->detail ? ": " : "",
                  event->detail ? event->detail : "");
        break;
    case EVENT_UNSEEN:
        words_add(out, EVENTS, " +%llu -%llu", (unsigned long long)event->unseen_joined,
                  (unsigned long long)event->unseen_left);
        break;
    case EVENT_ELECTION_SEEN:
    case EVENT_ELECTION_GONE:
        break;
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
    case EVENT_FINDING_MUTED:
        words_add(out, EVENTS, " %s %s %s", finding_kind(event->finding->code)->word,
                  severity_word(event->finding->severity), certainty_word(event->finding->certainty));
        break;
    }
    if (event->kind == EVENT_LEADER_ELECTED || event->kind == EVENT_LEADER_ACKNOWLEDGED) {
        if (event->after_us >= 0)
            words_add(out, EVENTS, " after %lld", (long long)event->after_us / 1000);
        if (event->detail)
            words_add(out, EVENTS, ": %s", event->detail);
    }
    if (event->gap_us > 0)
        words_add(out, EVENTS, " gap %lld", (long long)event->gap_us / 1000);
    if (event->kind != EVENT_CONNECTION && strcmp(event->election->path, s->election) != 0)
        words_add(out, EVENTS, " IN ANOTHER ELECTION");
    words_add(out, EVENTS, "\n");
}

static const char *resolve(const struct script *s, const char *name, char *buffer)
{
    if (name[0] == '/')
        snprintf(buffer, PATHS, "%s", name);
    else if (name[0] == '.' || name[0] == '\0')
        snprintf(buffer, PATHS, "%s", s->election);
    else
        snprintf(buffer, PATHS, "%.500s/%.500s", strcmp(s->election, "/") == 0 ? "" : s->election, name);
    return buffer;
}

static void observe(struct script *s, struct observation *o)
{
    o->at = now(s);
    model_observe(s->model, o);
}

static void make_parents(struct script *s, const char *path)
{
    char part[PATHS];
    for (size_t i = 1; path[i]; i++)
        if (path[i] == '/') {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            if (!fake_tree_has(s->tree, part))
                fake_tree_create(s->tree, part, 0, "");
        }
}

static const char *option(char *words, const char *key, char *buffer)
{
    const char *at = strstr(words, key);
    if (!at)
        return NULL;
    at += strlen(key);
    snprintf(buffer, PATHS, "%.*s", (int)strcspn(at, " "), at);
    return buffer;
}

static char *keep(struct script *s, size_t i, const char *text)
{
    free(s->words[i]);
    s->words[i] = text ? strdup(text) : NULL;
    return s->words[i];
}

static void watch(struct script *s, char *words)
{
    char value[PATHS];
    snprintf(s->election, sizeof s->election, "%.*s", (int)strcspn(words, " "), words);
    const char *recipe = option(words, "recipe=", value);
    s->settings.path = keep(s, 0, s->election);
    s->settings.recipe = keep(s, 1, recipe ? recipe : "auto");
    s->settings.acknowledgement = keep(s, 2, option(words, "acknowledgement=", value));
    s->settings.identity = keep(s, 3, option(words, "identity=", value));
    s->settings.allow = (struct allowance){5000, 10000, 66, 3, 600000, 1000, 60000};
    s->settings.kind = strstr(words, "kind=lock")   ? KIND_LOCK
                       : strstr(words, "kind=auto") ? KIND_AUTO
                                                    : KIND_LEADER;
    s->origin = strstr(words, " found")      ? ORIGIN_DISCOVERED
                : strstr(words, " matched")  ? ORIGIN_PATTERN
                : strstr(words, " expected") ? ORIGIN_EXPECTED
                : strstr(words, " orphaned") ? ORIGIN_ORPHANED
                                             : ORIGIN_CONFIGURED;
    struct observation o = {.kind = OBSERVED_ELECTION, .election = s->election, .path = s->election};
    o.subject = (struct observed_election){s->origin, &s->settings};
    observe(s, &o);
}

static void connection(struct script *s, enum connection_state state, int64_t silent_us, const char *problem)
{
    struct observation o = {.kind = OBSERVED_CONNECTION};
    o.connection = (struct observed_connection){.state = state,
                                                .session = 0x100,
                                                .timeout_ms = 10000,
                                                .server = state == CONNECTION_CONNECTED ? "h:1" : NULL,
                                                .silent_us = silent_us,
                                                .problem = *problem ? problem : NULL};
    observe(s, &o);
}

static void create(struct script *s, char *words)
{
    char path[PATHS], *rest = words + strcspn(words, " ");
    if (*rest)
        *rest++ = '\0';
    uint64_t owner = 0;
    if (strncmp(rest, "s=", 2) == 0) {
        owner = strtoull(rest + 2, &rest, 16);
        rest += *rest == ' ';
    }
    make_parents(s, resolve(s, words, path));
    fake_tree_create(s->tree, path, owner, rest);
}

static void read_all(struct script *s, struct election *election)
{
    char path[PATHS];
    const struct candidate *c;
    while ((c = election_take_unread(election)))
        fake_tree_read(s->tree, s->model, now(s), s->election, resolve(s, c->name, path));
}

/* The live model and a frozen snapshot of it must answer alike. */
static void question(struct script *s, char *words)
{
    char got[2048] = "", frozen_got[2048] = "", name[PATHS] = "";
    size_t length = strcspn(words, " ");
    char *rest = words + length + (words[length] == ' ');
    words[length] = '\0';
    if (strcmp(words, "identity") == 0 || strcmp(words, "link") == 0 || strcmp(words, "by") == 0 ||
        strncmp(words, "goes", 4) == 0 || strcmp(words, "why") == 0 || strcmp(words, "standing") == 0 ||
        strcmp(words, "raised") == 0) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, " "), rest);
        rest += strlen(name) + (rest[strlen(name)] == ' ');
    }
    const struct election *election = model_election(s->model, 0, s->election);
    if (!election) {
        broken(s, "not watched", "");
        return;
    }
    if (strcmp(words, "turned") == 0) { /* the live one alone knows */
        const char *turned = election->turn > s->turn ? "yes" : "no";
        if (strcmp(turned, rest) != 0)
            broken(s, "it is ", turned);
        return;
    }
    if (strcmp(words, "unread") == 0) { /* of the candidates, how many are to be read */
        size_t count = 0;
        for (const struct candidate *c = election->own->unread_first; c; c = c->own->unread_next)
            count++;
        snprintf(got, sizeof got, "%zu", count);
        if (strcmp(got, rest) != 0)
            broken(s, "it is ", got);
        return;
    }
    if (strcmp(words, "lost") == 0) { /* a frozen one has no failovers */
        char why[VACANCY_TEXT];
        struct failover lost;
        vacancy_describe(election, now(s), why);
        if (vacancy_lost(election, now(s), &lost) && lost.vacancy.low_us >= 0)
            snprintf(got, sizeof got, "%lld+ %s", (long long)lost.vacancy.low_us / 1000, why);
        else
            snprintf(got, sizeof got, "%s", why);
        if (strcmp(got, rest) != 0)
            broken(s, "it is ", got);
        return;
    }
    if (strcmp(words, "evidence") == 0) {
        const char *wanted = model_wants_evidence(s->model, 0) ? "wanted" : "none";
        if (strcmp(wanted, rest) != 0)
            broken(s, "it is ", wanted);
        return;
    }
    if (strcmp(words, "due") == 0) {
        bool watches;
        int64_t now_us = now(s).mono_us, wait_us = model_poll_due_us(s->model, 0, now_us, &watches) - now_us;
        snprintf(got, sizeof got, "%lld%s", (long long)(wait_us > 0 ? wait_us / 1000 : 0),
                 watches ? " watches" : "");
        if (strcmp(got, rest) != 0)
            broken(s, "it is ", got);
        return;
    }
    words_describe(election, words, name, got, sizeof got);
    if (strcmp(got, rest) != 0)
        broken(s, "it is ", got);
    struct snapshot_model *frozen = snapshot_model_of(s->model, now(s).wall_us);
    words_describe(model_election(snapshot_model_model(frozen), 0, s->election), words, name, frozen_got,
                   sizeof frozen_got);
    /* Whether all is read, and whether a poll could settle something, are questions to the live model alone. */
    bool live = strcmp(words, "complete") == 0 || strcmp(words, "suspected") == 0;
    if (!live && strcmp(frozen_got, rest) != 0)
        broken(s, "in the frozen snapshot it is ", frozen_got);
    snapshot_model_free(frozen);
}

static void expect(struct script *s, const char *event)
{
    size_t length = strlen(event);
    if (strncmp(s->events, event, length) != 0 || s->events[length] != '\n')
        broken(s, "told instead:\n", s->events);
    memmove(s->events, s->events + length + 1, strlen(s->events + length + 1) + 1);
}

/* ---- the servers ---- */

static void begin_servers(struct script *s, unsigned count)
{
    if (s->servers)
        return;
    s->servers = fake_servers_new(count);
    s->server_count = count;
}

static void ask(struct script *s, const char *which)
{
    unsigned only = (unsigned)strtoul(which, NULL, 10);
    fake_servers_caught_up(s->servers, s->ours ? fake_tree_zxid(s->tree) : 0);
    for (unsigned i = 1; i <= s->server_count; i++)
        if (only == 0 || only == i)
            fake_servers_round(s->servers, s->model, now(s), i);
}

static void pass(struct script *s, int64_t ms)
{
    s->now_ms += ms;
    fake_tree_clock(s->tree, START_WALL_MS + s->now_ms);
}

static void prove(struct script *s)
{
    for (int i = 0; i < 6; i++) {
        pass(s, 6000);
        ask(s, "");
    }
    pass(s, 1000);
    fake_tree_sync(s->tree, s->model, now(s), 0, s->election, s->election);
}

static bool run_client(struct script *s, const char *word, char *rest)
{
    char path[PATHS], value[PATHS];
    uint64_t session = strtoull(rest, NULL, 16);
    char *second = rest + strcspn(rest, " ");
    second += *second == ' ';
    if (strcmp(word, "client") == 0) {
        const char *on = option(rest, "on=", value);
        unsigned server = on ? (unsigned)strtoul(on, NULL, 10) : 1;
        int64_t ahead_ms = option(rest, "ahead=", value) ? strtol(value, NULL, 10) : 0;
        const char *at = option(rest, "at=", value);
        fake_servers_connect(s->servers, session, server, at ? at : "10.0.0.9:9",
                             START_WALL_MS + s->now_ms + ahead_ms);
        if (option(rest, "timeout=", value))
            fake_servers_timeout(s->servers, session, (int)strtol(value, NULL, 10));
    } else if (strcmp(word, "away") == 0) {
        fake_servers_away(s->servers, session);
    } else if (strcmp(word, "end") == 0) {
        fake_servers_end(s->servers, session);
    } else if (strcmp(word, "silent") == 0 || strcmp(word, "heard") == 0) {
        fake_servers_silent(s->servers, session, word[0] == 's');
    } else if (strcmp(word, "request") == 0) {
        fake_servers_request(s->servers, session);
    } else if (strcmp(word, "did") == 0) {
        static const char *const words[] = {"CREA", "SETD", "DELE", "MULT", "GETD", "PING", "CLOS"};
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strncmp(second, words[i], 4) == 0)
                fake_servers_did(s->servers, session, words[i],
                                 fake_tree_zxid(s->tree) - strtoll(second + 4, NULL, 10));
    } else if (strcmp(word, "waits") == 0) {
        fake_servers_outstanding(s->servers, session, (int)strtol(second, NULL, 10));
    } else if (strcmp(word, "w") == 0) {
        fake_servers_watch(s->servers, session, resolve(s, second, path));
    } else if (strcmp(word, "unw") == 0) {
        fake_servers_unwatch(s->servers, session, resolve(s, second, path));
    } else {
        return false;
    }
    return true;
}

static void show_replica(struct script *s, unsigned server)
{
    char address[40];
    const struct znode_stat *stat = fake_tree_look(s->tree, s->election);
    snprintf(address, sizeof address, "zk%u:2181", server);
    if (s->replicas[server].held)
        stat = s->replicas[server].there ? &s->replicas[server].stat : NULL;
    struct observation o = {.kind = OBSERVED_REPLICA, .election = s->election, .path = s->election};
    o.replica = (struct observed_replica){s->round + 1, address, stat};
    observe(s, &o);
}

static void end_replicas(struct script *s)
{
    struct observation o = {.kind = OBSERVED_REPLICA};
    o.replica.round = ++s->round;
    observe(s, &o);
}

static bool run_replicas(struct script *s, const char *word, const char *rest)
{
    unsigned server = (unsigned)strtoul(rest, NULL, 10) % 8;
    if (strcmp(word, "hold") == 0) {
        const struct znode_stat *stat = fake_tree_look(s->tree, s->election);
        s->replicas[server].held = true;
        s->replicas[server].there = stat != NULL;
        if (stat)
            s->replicas[server].stat = *stat;
    } else if (strcmp(word, "follow") == 0) {
        s->replicas[server].held = false;
    } else if (strcmp(word, "shows") == 0) {
        show_replica(s, server);
    } else if (strcmp(word, "over") == 0) {
        end_replicas(s);
    } else if (strcmp(word, "bad") == 0) {
        char address[40];
        snprintf(address, sizeof address, "zk%u:2181", server);
        struct observation o = {.kind = OBSERVED_BAD_REPLY};
        o.bad_reply = (struct observed_bad_reply){address, strchr(rest, ' ') + 1};
        observe(s, &o);
    } else if (strcmp(word, "compare") == 0) {
        for (unsigned i = 1; i <= s->server_count; i++)
            show_replica(s, i);
        end_replicas(s);
    } else {
        return false;
    }
    return true;
}

static void begin_model(struct script *s)
{
    static char hosts[] = "h:1", name[] = "";
    static struct cluster_settings cluster = {.name = name, .hosts = hosts};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error = NULL;
    s->model = model_new(&settings, &error);
    if (!s->model)
        fail_msg("%s", error);
    s->model->on_event = on_event;
    s->model->context = s;
}

/* What can be read of this run is all that the next one has of it. */
static void restart(struct script *s, int64_t after_ms)
{
    struct moment until = now(s);
    snapshot_model_free(s->earlier);
    s->earlier = snapshot_model_of(s->model, until.wall_us);
    assert_non_null(s->earlier);
    model_free(s->model);
    pass(s, after_ms);
    begin_model(s);
    model_take_baseline(s->model, snapshot_model_model(s->earlier), until, false);
    struct observation o = {.kind = OBSERVED_ELECTION, .election = s->election, .path = s->election};
    o.subject = (struct observed_election){s->origin, &s->settings};
    observe(s, &o);
}

static bool run_servers(struct script *s, const char *word, char *rest)
{
    char path[PATHS], value[PATHS];
    if (strcmp(word, "servers") == 0) {
        begin_servers(s, (unsigned)strtoul(rest, NULL, 10));
        return true;
    }
    if (strcmp(word, "findings") == 0) {
        s->findings = true;
        return true;
    }
    if (strcmp(word, "note") == 0) {
        s->turn = s->model->turn;
        return true;
    }
    if (strcmp(word, "ours") == 0) {
        s->ours = true;
        return true;
    }
    if (strcmp(word, "failovers") == 0) {
        s->failovers = true;
        return true;
    }
    if (strcmp(word, "people") == 0) {
        s->people = true;
        return true;
    }
    begin_servers(s, 1);
    unsigned server = (unsigned)strtoul(rest, NULL, 10);
    if (strcmp(word, "ourchildren") == 0) {
        fake_servers_own_children(s->servers, strtoll(rest, NULL, 10));
    } else if (strcmp(word, "own") == 0) {
        fake_servers_own(s->servers, strtoull(rest, NULL, 16));
    } else if (strcmp(word, "children") == 0) {
        fake_servers_child_watches(s->servers, strtoll(rest, NULL, 10));
    } else if (strcmp(word, "ticks") == 0) {
        fake_servers_tick(s->servers, (int)strtol(rest, NULL, 10));
    } else if (strcmp(word, "fire") == 0) {
        fake_servers_fire(s->servers, resolve(s, rest, path));
    } else if (strcmp(word, "round") == 0) {
        ask(s, rest);
    } else if (strcmp(word, "conns") == 0) {
        fake_servers_connections(s->servers, s->model, now(s), server);
    } else if (strcmp(word, "seen") == 0) {
        const char *child = option(rest, "child=", value);
        const char *elsewhere = strstr(rest, "elsewhere");
        fake_servers_watch_list(s->servers, s->model, now(s), server, child ? strtoll(child, NULL, 10) : -1,
                                elsewhere != NULL);
    } else if (strcmp(word, "sessions") == 0) {
        fake_servers_sessions(s->servers, s->model, now(s));
    } else if (strcmp(word, "stated") == 0) {
        fake_servers_state(s->model, now(s), fake_tree_zxid(s->tree) + strtoll(rest, NULL, 10));
    } else if (strcmp(word, "serves") == 0 || strcmp(word, "missed") == 0) {
        fake_servers_follower(s->model, now(s), server, *word == 's');
    } else if (strcmp(word, "clear") == 0) {
        struct observation o = {.kind = OBSERVED_CLEARED, .at = now(s), .election = s->election};
        o.path = resolve(s, rest, path);
        model_observe(s->model, &o);
    } else if (strcmp(word, "hide") == 0) {
        enum hidden_part part = strstr(rest, "watches")       ? HIDDEN_WATCHES
                                : strstr(rest, "connections") ? HIDDEN_CONNECTIONS
                                                              : HIDDEN_SESSIONS;
        fake_servers_hide(s->servers, s->model, now(s), server, part);
    } else if (strcmp(word, "ensemble") == 0) {
        fake_servers_ensemble(s->model, now(s), rest);
    } else if (strcmp(word, "quick") == 0) {
        s->model->one_poll = true;
    } else if (strcmp(word, "proof") == 0) {
        prove(s);
    } else if (strcmp(word, "sync") == 0) {
        fake_tree_sync(s->tree, s->model, now(s), strtoll(rest, NULL, 10) * 1000, s->election, s->election);
    } else if (strcmp(word, "time") == 0) {
        struct observation o = {.kind = OBSERVED_TICK};
        observe(s, &o);
    } else {
        return run_client(s, word, rest);
    }
    return true;
}

static void run_line(struct script *s, char *line)
{
    char path[PATHS];
    size_t length = strcspn(line, " ");
    char *rest = line + length + (line[length] == ' ');
    line[length] = '\0';
    if (strcmp(line, ">") == 0) {
        expect(s, rest);
        return;
    }
    if (line[0] == '\0' || line[0] == '#')
        return;
    if (strcmp(line, "?") == 0) {
        question(s, rest);
        return;
    }
    if (s->events[0])
        broken(s, "before this line nobody expected:\n", s->events);

    struct election *election = model_election(s->model, 0, s->election);
    if (strcmp(line, "watch") == 0) {
        watch(s, rest);
    } else if (strcmp(line, "drop") == 0) {
        struct observation o = {.kind = OBSERVED_DROPPED, .election = s->election, .path = s->election};
        observe(s, &o);
    } else if (strcmp(line, "connect") == 0) {
        connection(s, CONNECTION_CONNECTED, 0, rest);
        if (election)
            election_requeue_unread(election); /* as the source does */
    } else if (strcmp(line, "lose") == 0) {
        connection(s, CONNECTION_CONNECTING, 0, rest);
    } else if (strcmp(line, "stalled") == 0) {
        connection(s, CONNECTION_CONNECTED, strtoll(rest, NULL, 10) * 1000, "");
    } else if (strcmp(line, "unheard") == 0) {
        connection(s, CONNECTION_CONNECTING, strtoll(rest, NULL, 10) * 1000, "no answer");
    } else if (strcmp(line, "expire") == 0) {
        connection(s, CONNECTION_EXPIRED, 0, rest);
    } else if (strcmp(line, "refuse") == 0) {
        connection(s, CONNECTION_REFUSED, 0, rest);
    } else if (strcmp(line, "gap") == 0) {
        struct observation o = {.kind = OBSERVED_GAP};
        o.gap_us = strtoll(rest, NULL, 10) * 1000;
        observe(s, &o);
    } else if (strcmp(line, "+") == 0) {
        create(s, rest);
    } else if (strcmp(line, "-") == 0) {
        fake_tree_delete(s->tree, resolve(s, rest, path));
    } else if (strcmp(line, "=") == 0) {
        char *data = rest + strcspn(rest, " ");
        if (*data)
            *data++ = '\0';
        fake_tree_set(s->tree, resolve(s, rest, path), data);
    } else if (strcmp(line, "acl") == 0) {
        fake_tree_set_acl(s->tree, resolve(s, rest, path));
    } else if (strcmp(line, "wind") == 0) {
        make_parents(s, resolve(s, "x", path));
        fake_tree_wind(s->tree, s->election, (uint32_t)strtoull(rest, NULL, 10));
    } else if (strcmp(line, "list") == 0) {
        fake_tree_list(s->tree, s->model, now(s), s->election, resolve(s, rest, path));
    } else if (strcmp(line, "read") == 0) {
        fake_tree_read(s->tree, s->model, now(s), s->election, resolve(s, rest, path));
    } else if (strcmp(line, "stat") == 0) {
        fake_tree_stat(s->tree, s->model, now(s), s->election, resolve(s, rest, path));
    } else if (strcmp(line, "readall") == 0) {
        read_all(s, election);
    } else if (strcmp(line, "gone") == 0 || strcmp(line, "deny") == 0) {
        struct observation o = {.kind = line[0] == 'g' ? OBSERVED_ABSENT : OBSERVED_DENIED,
                                .election = s->election,
                                .path = resolve(s, rest, path)};
        observe(s, &o);
    } else if (strcmp(line, "unread") == 0) {
        struct observation o = {.kind = OBSERVED_UNREAD, .election = s->election, .path = s->election};
        o.unread.part = strcmp(rest, "acknowledgement") == 0 ? UNREAD_ACK : UNREAD_LIST;
        observe(s, &o);
    } else if (strcmp(line, "restart") == 0) {
        restart(s, strtoll(rest, NULL, 10));
    } else if (strcmp(line, "tick") == 0) {
        pass(s, strtoll(rest, NULL, 10));
    } else if (!run_replicas(s, line, rest) && !run_servers(s, line, rest)) {
        broken(s, "no such command: ", line);
    }
}

void model_script_run(const char *proves, const char *script)
{
    struct script s = {.proves = proves, .tree = fake_tree_new()};
    char text[PATHS];
    begin_model(&s);
    fake_tree_clock(s.tree, START_WALL_MS);
    while (*script) {
        size_t length = strcspn(script, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, script);
        char shown[PATHS];
        snprintf(shown, sizeof shown, "%s", text);
        s.line++;
        s.line_text = shown;
        run_line(&s, text);
        script += length + (script[length] == '\n');
    }
    s.line_text = "the end";
    if (s.events[0])
        broken(&s, "nobody expected:\n", s.events);
    model_free(s.model);
    snapshot_model_free(s.earlier);
    fake_tree_free(s.tree);
    if (s.servers)
        fake_servers_free(s.servers);
    for (size_t i = 0; i < sizeof s.words / sizeof s.words[0]; i++)
        free(s.words[i]);
}
