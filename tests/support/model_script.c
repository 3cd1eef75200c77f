#include "tests/support/model_script.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/freeze.h"
#include "probe/election/whatif.h"
#include "probe/sink/look.h"
#include "tests/support/fake_servers.h"
#include "tests/support/fake_tree.h"

#define PATHS 1024
#define EVENTS 8192
#define START_US INT64_C(1000000000)
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
    bool findings, failovers; /* are told, too */
    struct model *model;
    struct election_settings settings;
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
    return (struct moment){START_US + s->now_ms * 1000, (START_WALL_MS + s->now_ms) * 1000};
}

static void add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static void add_span(char *out, const char *name, struct span span)
{
    if (span.low_us < 0 && span.high_us < 0)
        return;
    add(out, EVENTS, " %s", name);
    if (span.low_us == span.high_us)
        add(out, EVENTS, " %lld", (long long)span.low_us / 1000);
    else
        add(out, EVENTS, " %lld-%lld", span.low_us < 0 ? -1LL : (long long)span.low_us / 1000,
            span.high_us < 0 ? -1LL : (long long)span.high_us / 1000);
}

static void add_failover(struct script *s, const struct failover *f)
{
    char *out = s->events;
    add(out, EVENTS, " %s -> %s %s%s", f->from ? f->from : "nobody", f->to, failover_cause_word(f->cause),
        f->cause != CAUSE_UNKNOWN && f->cause_certainty == CERTAINTY_SUSPECTED ? "?" : "");
    add_span(out, "detection", f->detection);
    add_span(out, "vacancy", f->vacancy);
    add_span(out, "takeover", f->takeover);
    add_span(out, "total", f->total);
}

static void on_event(void *context, const struct event *event)
{
    struct script *s = context;
    char *out = s->events;
    if (event->finding && (!s->findings || event->finding->code == FINDING_NO_GUID))
        return;
    if (event->kind == EVENT_FAILOVER && !s->failovers)
        return;
    add(out, EVENTS, "%s", event_word(event->kind));
    switch (event->kind) {
    case EVENT_CANDIDATE_JOINED:
    case EVENT_CANDIDATE_LEFT:
    case EVENT_LEADER_LOST:
        add(out, EVENTS, " %s @%zu", event->candidate, event->position);
        break;
    case EVENT_LEADER_ELECTED:
        add(out, EVENTS, " %s -> %s", event->from ? event->from : "nobody", event->candidate);
        break;
    case EVENT_LEADER_ACKNOWLEDGED:
        add(out, EVENTS, " %s", event->candidate);
        break;
    case EVENT_FAILOVER:
        add_failover(s, event->failover);
        break;
    case EVENT_CONNECTION:
        add(out, EVENTS, " %s%s%s", event->connection, event->detail ? ": " : "",
            event->detail ? event->detail : "");
        break;
    case EVENT_UNSEEN:
        add(out, EVENTS, " +%llu -%llu", (unsigned long long)event->unseen_joined,
            (unsigned long long)event->unseen_left);
        break;
    case EVENT_ELECTION_SEEN:
    case EVENT_ELECTION_GONE:
        break;
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
        add(out, EVENTS, " %s %s %s", finding_kind(event->finding->code)->word,
            severity_word(event->finding->severity), certainty_word(event->finding->certainty));
        break;
    }
    if (event->kind == EVENT_LEADER_ELECTED || event->kind == EVENT_LEADER_ACKNOWLEDGED) {
        if (event->after_us >= 0)
            add(out, EVENTS, " after %lld", (long long)event->after_us / 1000);
    }
    if (event->gap_us > 0)
        add(out, EVENTS, " gap %lld", (long long)event->gap_us / 1000);
    if (event->kind != EVENT_CONNECTION && strcmp(event->election->path, s->election) != 0)
        add(out, EVENTS, " IN ANOTHER ELECTION");
    add(out, EVENTS, "\n");
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
    s->settings.acknowledgement = keep(s, 2, option(words, "mark=", value));
    s->settings.identity = keep(s, 3, option(words, "identity=", value));
    s->settings.allow = (struct allowance){5000, 10000, 66, 3, 600000, 1000, 60000};
    s->settings.kind = strstr(words, "kind=lock") ? KIND_LOCK : KIND_LEADER;
    struct observation o = {.kind = OBSERVED_ELECTION, .election = s->election, .path = s->election};
    o.subject = (struct observed_election){ORIGIN_CONFIGURED, &s->settings};
    observe(s, &o);
}

static void connection(struct script *s, enum connection_state state, const char *problem)
{
    struct observation o = {.kind = OBSERVED_CONNECTION};
    o.connection = (struct observed_connection){.state = state,
                                                .session = 0x100,
                                                .timeout_ms = 10000,
                                                .server = state == CONNECTION_CONNECTED ? "h:1" : NULL,
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

static void describe_time(char *out, size_t size, const struct moment *at, bool exact)
{
    if (at->mono_us == 0)
        add(out, size, "unknown");
    else
        add(out, size, "%s%lld", exact ? "" : "~", (long long)((at->mono_us - START_US) / 1000));
}

static void describe_tenures(char *out, size_t size, const struct election *election)
{
    for (size_t i = 0; i < election->tenure_count; i++) {
        const struct tenure *t = election_tenure_at(election, i);
        add(out, size, "%s%s", i ? ", " : "", t->gap ? "gap" : t->name ? t->name : "nobody");
        if (t->identity)
            add(out, size, "(%s)", t->identity);
        add(out, size, " ");
        describe_time(out, size, &t->from, t->from_exact || t->gap);
        add(out, size, "-");
        if (t->to.mono_us)
            describe_time(out, size, &t->to, true);
    }
}

static void describe_change(char *out, size_t size, const struct change *change)
{
    if (!change->from && !change->to)
        return;
    add(out, size, "%s -> %s", change->from ? change->from : "nobody", change->to ? change->to : "open");
    if (change->lost_at.mono_us) {
        add(out, size, ", lost ");
        describe_time(out, size, &change->lost_at, change->lost_seen);
    }
    if (change->vacancy_us >= 0)
        add(out, size, ", vacant %lld", (long long)(change->vacancy_us / 1000));
    if (change->takeover_us >= 0)
        add(out, size, ", took over %lld", (long long)(change->takeover_us / 1000));
}

static void describe_findings(char *out, size_t size, const struct election *e, bool all)
{
    bool any = false;
    for (size_t i = 0; i < e->finding_count; i++) {
        const struct finding *f = e->findings[i];
        if (f->code == FINDING_NO_GUID && !all)
            continue;
        add(out, size, "%s%s %s %s", any ? "; " : "", finding_kind(f->code)->word, severity_word(f->severity),
            certainty_word(f->certainty));
        if (f->unconfirmed_since.mono_us)
            add(out, size, " unconfirmed");
        for (size_t k = 0; k < f->candidate_count; k++)
            add(out, size, "%s%s", k ? "," : " ", f->candidates[k]);
        any = true;
    }
    if (!any)
        add(out, size, "none");
}

static const char *answer_word(enum answer answer)
{
    return answer == ANSWER_YES ? "told" : answer == ANSWER_NO ? "not told" : "unknown";
}

static void describe_chain(const struct election *e, const char *what, const char *name, char *out,
                           size_t size)
{
    static const char *const links[] = {"unknown", "first", "right", "wrong", "suspect", "stuck"};
    const struct candidate *c = election_find(e, name);
    if (!c) {
        add(out, size, "no such candidate");
    } else if (strcmp(what, "link") == 0) {
        add(out, size, "%s%s%s", links[c->link], c->link_why ? ": " : "", c->link_why ? c->link_why : "");
    } else if (strcmp(what, "by") == 0) {
        uint64_t sessions[16];
        size_t count = chain_watched_by(e, c, sessions, 16);
        for (size_t i = 0; i < count && i < 16; i++)
            add(out, size, "%s%llx", i ? " " : "", (unsigned long long)sessions[i]);
        add(out, size, "%s", count ? "" : "nobody");
    } else if (strcmp(what, "goes-why") == 0) {
        struct departure d = whatif_goes(e, c);
        add(out, size, "%s", d.why ? d.why : "");
    } else {
        struct departure d = whatif_goes(e, c);
        add(out, size, "%s %s%s", d.heir ? d.heir->name : "nobody", answer_word(d.told),
            d.leads ? " leads" : "");
        for (size_t i = 0; i < d.other_count && i < 8; i++)
            add(out, size, " %s", d.others[i]->name);
        add(out, size, "%s%s%s", d.others_unknown ? ", perhaps others" : "", d.stays ? ", stays" : "",
            d.heir_stays ? ", which stays" : "");
    }
}

static void describe_next(const struct election *e, char *out, size_t size)
{
    static const char *const chains[] = {"unknown", "complete", "broken"};
    struct next_failover next = whatif_next(e);
    add(out, size, "%s %s, chain %s", next.heir ? next.heir->name : "nobody", answer_word(next.told),
        chains[next.chain]);
    if (next.broken_at)
        add(out, size, " at %s", next.broken_at->name);
    if (e->leader && next.by_itself != ANSWER_YES)
        add(out, size, ", %s by itself", next.by_itself == ANSWER_NO ? "not" : "perhaps");
}

static void describe(const struct election *e, const char *what, const char *name, char *out, size_t size)
{
    static const char *const states[] = {"unknown", "led", "electing", "vacant", "absent", "denied"};
    static const char *const acks[] = {"none", "unknown", "no", "yes"};
    static const char *const sources[] = {"session", "client", "registry", "name", "data"};
    if (strcmp(what, "state") == 0)
        add(out, size, "%s", states[e->state]);
    else if (strcmp(what, "leader") == 0)
        add(out, size, "%s", e->leader ? e->leader->name : "none");
    else if (strcmp(what, "since") == 0)
        describe_time(out, size, &e->leader_since, e->leader_since_exact);
    else if (strcmp(what, "state-since") == 0)
        describe_time(out, size, &e->state_since, e->state_since_exact);
    else if (strcmp(what, "next") == 0)
        add(out, size, "%lld", (long long)e->next_sequence);
    else if (strcmp(what, "recipe") == 0)
        add(out, size, "%s %s", e->recipe ? e->recipe->name : "none", recognised_word(e->recognised));
    else if (strcmp(what, "ack") == 0)
        add(out, size, "%s", acks[e->acknowledged]);
    else if (strcmp(what, "fresh") == 0)
        add(out, size, "%s", e->fresh ? "yes" : "no");
    else if (strcmp(what, "unseen") == 0)
        add(out, size, "+%llu -%llu", (unsigned long long)e->counters.unseen_joined,
            (unsigned long long)e->counters.unseen_left);
    else if (strcmp(what, "complete") == 0)
        add(out, size, "%s", election_complete(e) ? "yes" : "no");
    else if (strcmp(what, "mark") == 0)
        add(out, size, "%s", e->mark_path ? e->mark_path : "none");
    else if (strcmp(what, "tenures") == 0)
        describe_tenures(out, size, e);
    else if (strcmp(what, "change") == 0)
        describe_change(out, size, &e->change);
    else if (strcmp(what, "findings") == 0 || strcmp(what, "all") == 0)
        describe_findings(out, size, e, what[0] == 'a');
    else if (strcmp(what, "link") == 0 || strcmp(what, "by") == 0 || strncmp(what, "goes", 4) == 0)
        describe_chain(e, what, name, out, size);
    else if (strcmp(what, "next-failover") == 0)
        describe_next(e, out, size);
    else if (strcmp(what, "suspected") == 0)
        add(out, size, "%s", e->suspected ? "yes" : "no");
    else if (strcmp(what, "sound") == 0)
        add(out, size, "%s",
            look_is_sound(&(struct model){.clusters = e->cluster, .cluster_count = 1}) ? "yes" : "no");
    else if (strcmp(what, "standing") == 0) {
        for (size_t i = 0; i < e->finding_count; i++)
            if (strcmp(finding_kind(e->findings[i]->code)->word, name) == 0)
                add(out, size, "%s%s", certainty_word(e->findings[i]->certainty),
                    e->findings[i]->unconfirmed_since.mono_us ? " unconfirmed" : "");
    } else if (strcmp(what, "why") == 0) {
        for (size_t i = 0; i < e->finding_count; i++)
            if (strcmp(finding_kind(e->findings[i]->code)->word, name) == 0)
                add(out, size, "%s | %s", e->findings[i]->evidence, e->findings[i]->advice);
    } else if (strcmp(what, "guard") == 0) {
        char path[PATHS];
        for (unsigned i = 0; i < 2; i++)
            add(out, size, "%s%s", i ? " " : "", election_guard(e, i, path, sizeof path) ? path : "none");
    } else if (strcmp(what, "line") == 0) {
        for (size_t i = 0; i < e->candidate_count; i++)
            add(out, size, "%s%s", i ? " " : "", e->candidates[i]->name);
    } else if (strcmp(what, "foreign") == 0) {
        add(out, size, "%zu", e->foreign_count);
        for (size_t i = 0; i < e->foreign_count && i < FOREIGN_KEPT; i++)
            add(out, size, " %s", e->foreign[i]);
    } else if (strcmp(what, "identity") == 0) {
        const struct candidate *c = election_find(e, name);
        add(out, size, "%s", !c ? "no such candidate" : c->identity ? c->identity : "none");
        if (c && c->identity)
            add(out, size, " by %s", sources[c->identity_source]);
    } else {
        add(out, size, "no such question");
    }
}

/* The live model and a frozen picture of it must answer alike. */
static void question(struct script *s, char *words)
{
    char got[2048] = "", frozen_got[2048] = "", name[PATHS] = "";
    size_t length = strcspn(words, " ");
    char *rest = words + length + (words[length] == ' ');
    words[length] = '\0';
    if (strcmp(words, "identity") == 0 || strcmp(words, "link") == 0 || strcmp(words, "by") == 0 ||
        strncmp(words, "goes", 4) == 0 || strcmp(words, "why") == 0 || strcmp(words, "standing") == 0) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, " "), rest);
        rest += strlen(name) + (rest[strlen(name)] == ' ');
    }
    const struct election *election = model_election(s->model, 0, s->election);
    if (!election) {
        broken(s, "not watched", "");
        return;
    }
    describe(election, words, name, got, sizeof got);
    if (strcmp(got, rest) != 0)
        broken(s, "it is ", got);
    struct model *frozen = model_freeze(s->model);
    describe(model_election(frozen, 0, s->election), words, name, frozen_got, sizeof frozen_got);
    if (strcmp(frozen_got, rest) != 0)
        broken(s, "in the frozen picture it is ", frozen_got);
    model_free(frozen);
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
    for (int i = 0; i < 3; i++) {
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
        const char *at = option(rest, "at=", value);
        fake_servers_connect(s->servers, session, server, at ? at : "10.0.0.9:9", START_WALL_MS + s->now_ms);
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
    } else if (strcmp(word, "compare") == 0) {
        for (unsigned i = 1; i <= s->server_count; i++)
            show_replica(s, i);
        end_replicas(s);
    } else {
        return false;
    }
    return true;
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
    if (strcmp(word, "failovers") == 0) {
        s->failovers = true;
        return true;
    }
    begin_servers(s, 1);
    unsigned server = (unsigned)strtoul(rest, NULL, 10);
    if (strcmp(word, "fire") == 0) {
        fake_servers_fire(s->servers, resolve(s, rest, path));
    } else if (strcmp(word, "round") == 0) {
        ask(s, rest);
    } else if (strcmp(word, "conns") == 0) {
        fake_servers_connections(s->servers, s->model, now(s), server);
    } else if (strcmp(word, "seen") == 0) {
        const char *child = option(rest, "child=", value);
        fake_servers_watch_list(s->servers, s->model, now(s), server, child ? strtoll(child, NULL, 10) : -1);
    } else if (strcmp(word, "sessions") == 0) {
        fake_servers_sessions(s->servers, s->model, now(s));
    } else if (strcmp(word, "stated") == 0) {
        fake_servers_state(s->model, now(s), fake_tree_zxid(s->tree) + strtoll(rest, NULL, 10));
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
        s->model->one_look = true;
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
        connection(s, CONNECTION_CONNECTED, rest);
    } else if (strcmp(line, "lose") == 0) {
        connection(s, CONNECTION_CONNECTING, rest);
    } else if (strcmp(line, "expire") == 0) {
        connection(s, CONNECTION_EXPIRED, rest);
    } else if (strcmp(line, "refuse") == 0) {
        connection(s, CONNECTION_REFUSED, rest);
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
    } else if (strcmp(line, "tick") == 0) {
        pass(s, strtoll(rest, NULL, 10));
    } else if (!run_replicas(s, line, rest) && !run_servers(s, line, rest)) {
        broken(s, "no such command: ", line);
    }
}

void model_script_run(const char *proves, const char *script)
{
    static char hosts[] = "h:1", name[] = "";
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct script s = {.proves = proves, .tree = fake_tree_new()};
    char *error = NULL, text[PATHS];
    s.model = model_new(&settings, &error);
    if (!s.model)
        fail_msg("%s", error);
    s.model->on_event = on_event;
    s.model->context = &s;
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
    fake_tree_free(s.tree);
    if (s.servers)
        fake_servers_free(s.servers);
    for (size_t i = 0; i < sizeof s.words / sizeof s.words[0]; i++)
        free(s.words[i]);
}
