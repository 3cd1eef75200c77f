#include "probe/alert/alert_book.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/findings.h"
#include "probe/election/summary.h"

struct alert_book {
    const struct settings *settings;
    alert_send_fn send;
    alert_finding_fn now;
    void *context;
    struct alert *alerts; /* in the order of their opening */
    size_t count, room;
    uint64_t last_id, dropped, revision;
};

/* Those of an alert, in the order of their file. */
static const size_t alert_texts[] = {
    offsetof(struct alert, cluster), offsetof(struct alert, code),      offsetof(struct alert, election),
    offsetof(struct alert, name),    offsetof(struct alert, candidate), offsetof(struct alert, evidence),
    offsetof(struct alert, advice),  offsetof(struct alert, owner),     offsetof(struct alert, runbook)};
#define ALERT_TEXTS (sizeof alert_texts / sizeof *alert_texts)

static char **alert_text(struct alert *alert, size_t i)
{
    return (char **)(void *)((char *)alert + alert_texts[i]);
}

const char *alert_state_word(enum alert_state state)
{
    static const char *const words[] = {"raised", "again", "resolved", "event"};
    return words[state];
}

struct alert_book *alert_book_new(const struct settings *settings, alert_send_fn send, alert_finding_fn now,
                                  void *context)
{
    struct alert_book *book = xcalloc(1, sizeof *book);
    *book = (struct alert_book){.settings = settings, .send = send, .now = now, .context = context};
    return book;
}

static void alert_clear(struct alert *alert)
{
    for (size_t i = 0; i < ALERT_TEXTS; i++)
        free(*alert_text(alert, i));
}

static void book_remove(struct alert_book *book, struct alert *alert)
{
    book->revision++;
    alert_clear(alert);
    memmove(alert, alert + 1, (size_t)(book->alerts + --book->count - alert) * sizeof *alert);
}

void alert_book_free(struct alert_book *book)
{
    if (!book)
        return;
    for (size_t i = 0; i < book->count; i++)
        alert_clear(&book->alerts[i]);
    free(book->alerts);
    free(book);
}

/* ---- keys ---- */

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

static uint64_t hash_add(uint64_t hash, const char *text) /* FNV-1a, with the end of each text */
{
    do
        hash = (hash ^ (unsigned char)(text ? *text : '\0')) * UINT64_C(0x100000001b3);
    while (text && *text++);
    return hash;
}

static uint64_t hash_add_list(uint64_t hash, char *const *list)
{
    while (list && *list)
        hash = hash_add(hash, *list++);
    return hash_add(hash, NULL);
}

/* Identifies a rule across reloads and restarts. */
static uint64_t rule_hash(const struct alert_settings *rule)
{
    return hash_add(hash_add_list(hash_add_list(HASH_BEGIN, rule->on), rule->run), rule->post);
}

/* The count of rules: there is none. */
static size_t rule_find(const struct settings *settings, uint64_t hash)
{
    size_t rule = 0;
    while (rule < settings->alert_count && rule_hash(&settings->alerts[rule]) != hash)
        rule++;
    return rule;
}

static const char *event_code(const struct event *event)
{
    return event->finding ? finding_kind(event->finding->code)->word : event_word(event->kind);
}

static const char *event_path(const struct event *event)
{
    return event->election ? summary_path(event->election) : "";
}

/* Facts of the servers alone. Who led before is one for a failover only: of a new leader, an observer that began
 * in a vacancy does not know it. */
uint64_t alert_book_key(const struct event *event)
{
    char *subject = event->finding ? findings_subject(event->election, event->finding)
                                   : text_format("%" PRIx64, event->czxid);
    uint64_t hash = hash_add(hash_add(HASH_BEGIN, event->cluster->name), event_path(event));
    hash = hash_add(hash_add(hash, event_code(event)), subject);
    free(subject);
    hash = hash_add(hash_add(hash, event->candidate), event->failover ? event->from : NULL);
    return hash_add(hash, event->connection);
}

/* ---- matching ---- */

static bool condition_severity(const char *condition, enum severity severity)
{
    bool at_least = strncmp(condition, "severity>=", 10) == 0;
    const char *word = condition + strlen("severity") + strspn(condition + strlen("severity"), ">=");
    for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL; s++)
        if (strcmp(word, severity_word((enum severity)s)) == 0)
            return at_least ? (int)severity >= s : (int)severity == s;
    return false;
}

static bool rule_wants(const struct alert_settings *rule, const struct event *event)
{
    const struct finding *finding = event->finding;
    if (finding && (finding->certainty != CERTAINTY_CERTAIN || finding->one_poll) && !rule->suspected)
        return false;
    for (size_t i = 0; rule->on[i]; i++) {
        const char *condition = rule->on[i];
        if (strcmp(condition, event_code(event)) == 0 || (finding && strncmp(condition, "severity", 8) == 0 &&
                                                          condition_severity(condition, finding->severity)))
            return true;
    }
    return false;
}

/* ---- the event as evidence: a plain sentence ---- */

#define SECOND_US 1000000

static const char *put_length(int64_t us, bool at_most, char *buffer, size_t size)
{
    if (us >= SECOND_US)
        return at_most ? describe_span_at_most(us, buffer, size) : describe_span(us, buffer, size);
    snprintf(buffer, size, "%.3g ms", (double)us / 1000);
    return buffer;
}

/* "vacancy 0.4 ms", "detection 9.6 s to 9.8 s"; nothing where neither bound is known. */
static void alert_book_add_phase(struct text *out, const char **separator, const char *phase,
                                 struct span span)
{
    char low[32], high[32];
    bool from = span.low_us != SPAN_OPEN, to = span.high_us != SPAN_OPEN;
    if (!from && !to)
        return;
    put_length(span.low_us, false, low, sizeof low);
    put_length(span.high_us, span.low_us != span.high_us, high, sizeof high);
    text_printf(out, "%s%s ", *separator, phase);
    if (from && to && strcmp(low, high) != 0 && span.low_us > 0)
        text_printf(out, "%s to %s", low, high);
    else
        text_printf(out, "%s%s",
                    from && to && strcmp(low, high) == 0 ? ""
                    : to                                 ? "at most "
                                                         : "at least ",
                    to ? high : low);
    *separator = ", ";
}

static const char *who(const char *identity, const char *name, const char *nobody)
{
    return identity ? identity : name ? name : nobody;
}

static char *failover_sentence(const struct failover *f)
{
    struct text out = {0};
    const char *separator = "; ";
    text_printf(&out, "%s leads, after %s; ",
                who(f->to_identity, f->to, failover_is_open(f) ? "nobody" : "a candidate"),
                who(f->from_identity, f->from, "a time without a leader"));
    if (f->cause == CAUSE_UNKNOWN)
        text_add(&out, "the cause is not known");
    else
        text_printf(&out, "cause: %s (%s)", failover_cause_word(f->cause),
                    certainty_word(f->cause_certainty));
    if (f->evidence && *f->evidence)
        text_printf(&out, ", %s", f->evidence);
    if (failover_has_detection(f->cause))
        alert_book_add_phase(&out, &separator, "detection", f->detection);
    alert_book_add_phase(&out, &separator, "vacancy", f->vacancy);
    alert_book_add_phase(&out, &separator, "takeover", f->takeover);
    alert_book_add_phase(&out, &separator, "total", f->total);
    if (f->gap_us > 0) {
        char gap[32];
        text_printf(&out, "; found after a gap of %s", put_length(f->gap_us, false, gap, sizeof gap));
    }
    return text_take(&out);
}

/* malloc'd; NULL: there is nothing to say beyond the event's word. Not for findings, which have evidence. */
static char *event_sentence(const struct event *event)
{
    if (event->failover)
        return failover_sentence(event->failover);
    if (event->kind == EVENT_LEADER_ELECTED)
        return text_format("%s leads, after %s", event->candidate ? event->candidate : "a candidate",
                           event->from ? event->from : "a time without a leader");
    return text_copy(event->candidate ? event->candidate : event->connection);
}

/* Takes the facts of a new alert, or of one that became certain or more severe. */
static void alert_fill_in(struct alert *alert, const struct event *event)
{
    const struct finding *finding = event->finding;
    const struct election *election = event->election;
    const struct election_settings *settings = election ? election->settings : NULL;
    alert_clear(alert);
    alert->cluster = xstrdup(event->cluster->name);
    alert->code = xstrdup(event_code(event));
    alert->election = xstrdup(event_path(event));
    alert->name = text_copy(election ? election->name : NULL);
    alert->candidate = text_copy(finding && finding->candidate_count ? finding->candidates[0] : NULL);
    alert->evidence = finding         ? text_copy(finding->evidence)
                      : event->detail ? xstrdup(event->detail)
                                      : event_sentence(event);
    alert->advice = text_copy(finding ? finding->advice : NULL);
    alert->owner = text_copy(settings ? settings->owner : NULL);
    alert->runbook = text_copy(settings ? settings->runbook : NULL);
    alert->severity = finding ? finding->severity : SEVERITY_INFO;
    alert->certainty = finding ? finding->certainty : CERTAINTY_CERTAIN;
    alert->since_wall_us = finding ? finding->since.wall_us : event->at.wall_us;
    alert->subject = finding ? finding->subject : NO_SUBJECT;
    alert->unconfirmed = false;
}

/* A finding may name other candidates while it lasts: it is known by its subject, and after a restart of its
 * model by its key. */
static struct alert *book_find(struct alert_book *book, size_t rule, const struct event *event, uint64_t key)
{
    uint64_t subject = event->finding->subject;
    for (size_t i = 0; i < book->count; i++) {
        struct alert *alert = &book->alerts[i];
        if (alert->rule == rule && !alert->once &&
            (alert->key == key || (subject != NO_SUBJECT && alert->subject == subject &&
                                   strcmp(alert->code, event_code(event)) == 0 &&
                                   strcmp(alert->cluster, event->cluster->name) == 0 &&
                                   strcmp(alert->election, event_path(event)) == 0)))
            return alert;
    }
    return NULL;
}

/* NULL: there is no room. */
static struct alert *book_add(struct alert_book *book, struct alert alert)
{
    if (book->count >= ALERTS_MOST) {
        book->dropped++;
        return NULL;
    }
    room_for_one(&book->alerts, book->count, &book->room, sizeof *book->alerts);
    alert.id = ++book->last_id;
    book->alerts[book->count] = alert;
    return &book->alerts[book->count++];
}

static void book_resolve(struct alert_book *book, struct alert *alert)
{
    if (alert->sent)
        book->send(book->context, alert, ALERT_RESOLVED);
    book_remove(book, alert);
}

void alert_book_take(struct alert_book *book, const struct event *event, int64_t now_us)
{
    uint64_t key = alert_book_key(event);
    if (event->kind == EVENT_FINDING_MUTED)
        return;
    for (size_t rule = 0; rule < book->settings->alert_count; rule++) {
        struct alert *alert = event->finding ? book_find(book, rule, event, key) : NULL;
        if (event->kind == EVENT_FINDING_CLEARED) {
            if (alert)
                book_resolve(book, alert);
            continue;
        }
        /* An open alert takes the event's present text, even if it is doubted by now. */
        if (!alert && rule_wants(&book->settings->alerts[rule], event))
            alert = book_add(
                book, (struct alert){.rule = rule, .once = !event->finding, .key = key, .due_us = now_us});
        if (!alert)
            continue;
        alert_fill_in(alert, event);
        book->revision++;
    }
}

/* A finding that is only doubted, or has new evidence, is no event. */
static void book_refresh(const struct alert_book *book, struct alert *alert)
{
    const struct finding *finding = alert->sent && book->now ? book->now(book->context, alert) : NULL;
    if (!finding)
        return;
    alert->certainty = finding->certainty;
    free(alert->evidence);
    alert->evidence = text_copy(finding->evidence);
}

int64_t alert_book_turn(struct alert_book *book, int64_t now_us)
{
    int64_t next_us = INT64_MAX;
    for (size_t i = 0; i < book->count;) {
        struct alert *alert = &book->alerts[i];
        if (alert->once) {
            book->send(book->context, alert, ALERT_EVENT);
            book_remove(book, alert);
            continue;
        }
        if (alert->due_us <= now_us) {
            int64_t again_us = book->settings->alerts[alert->rule].again_after_ms * 1000;
            alert->due_us = again_us ? now_us + again_us : INT64_MAX;
            book_refresh(book, alert);
            book->send(book->context, alert, alert->sent ? ALERT_AGAIN : ALERT_RAISED);
            alert->sent = true;
            book->revision++;
        }
        if (alert->due_us < next_us)
            next_us = alert->due_us;
        i++;
    }
    return next_us;
}

/* ---- a reload ---- */

void alert_book_replace(struct alert_book *book, const struct settings *settings)
{
    for (size_t i = book->count; i-- > 0;) {
        struct alert *alert = &book->alerts[i];
        alert->rule = rule_find(settings, rule_hash(&book->settings->alerts[alert->rule]));
        alert->unconfirmed = true;
        alert->subject = NO_SUBJECT; /* it is one of the model that ended */
        if (alert->rule == settings->alert_count)
            book_remove(book, alert);
    }
    book->settings = settings;
}

void alert_book_confirm(struct alert_book *book, alert_there_fn there, void *context)
{
    for (size_t i = book->count; i-- > 0;) {
        struct alert *alert = &book->alerts[i];
        int answer = alert->unconfirmed ? there(context, alert) : -1;
        alert->unconfirmed &= answer < 0;
        if (answer == 0)
            book_resolve(book, alert);
    }
}

/* ---- a restart ---- */

/* A line each: numbers, then texts, between tabs. */
char *alert_book_print(const struct alert_book *book)
{
    struct text out = {0};
    for (size_t i = 0; i < book->count; i++) {
        struct alert *alert = &book->alerts[i];
        if (!alert->sent || alert->once)
            continue;
        text_printf(&out, "%016" PRIx64 " %016" PRIx64 " %d %d %" PRId64, alert->key,
                    rule_hash(&book->settings->alerts[alert->rule]), (int)alert->severity,
                    (int)alert->certainty, alert->since_wall_us);
        for (size_t k = 0; k < ALERT_TEXTS; k++) {
            text_add(&out, "\t");
            for (const char *at = *alert_text(alert, k); at && *at; at++)
                text_printf(&out, strchr("\t\n\\", *at) ? "\\%c" : "%c",
                            *at == '\t'   ? 't'
                            : *at == '\n' ? 'n'
                                          : *at);
        }
        text_add(&out, "\n");
    }
    return text_take(&out);
}

/* The text before the next tab, malloc'd; NULL: it is empty. */
static char *take_text(const char **line)
{
    struct text out = {0};
    const char *at = *line;
    for (; *at && *at != '\t'; at++) {
        bool escaped = *at == '\\' && at[1];
        at += escaped;
        text_printf(&out, "%c", escaped && *at == 't' ? '\t' : escaped && *at == 'n' ? '\n' : *at);
    }
    *line = at + (*at == '\t');
    return out.length ? text_take(&out) : NULL;
}

/* One line. False: it is damaged, or the configuration has no such rule. */
static bool alert_read(struct alert *alert, const struct settings *settings, const char *line)
{
    uint64_t rule;
    int severity, certainty, length = 0;
    if (sscanf(line, "%16" SCNx64 " %16" SCNx64 " %d %d %" SCNd64 "\t%n", &alert->key, &rule, &severity,
               &certainty, &alert->since_wall_us, &length) != 5 ||
        !length || severity < SEVERITY_INFO || severity > SEVERITY_CRITICAL)
        return false;
    alert->rule = rule_find(settings, rule);
    alert->severity = (enum severity)severity;
    alert->certainty = certainty == CERTAINTY_CERTAIN ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
    line += length;
    for (size_t i = 0; i < ALERT_TEXTS; i++)
        *alert_text(alert, i) = take_text(&line);
    return alert->rule < settings->alert_count && alert->cluster && alert->code && alert->election;
}

void alert_book_restore(struct alert_book *book, const char *text, int64_t now_us)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        char *line = xstrndup(at, length);
        struct alert alert = {.sent = true, .unconfirmed = true, .due_us = INT64_MAX};
        bool fine = alert_read(&alert, book->settings, line);
        int64_t again_us = fine ? book->settings->alerts[alert.rule].again_after_ms * 1000 : 0;
        if (again_us)
            alert.due_us = now_us + again_us;
        if (!fine || !book_add(book, alert))
            alert_clear(&alert);
        free(line);
        at += length + (at[length] == '\n');
    }
}

uint64_t alert_book_revision(const struct alert_book *book)
{
    return book->revision;
}

uint64_t alert_book_dropped(const struct alert_book *book)
{
    return book->dropped;
}

const char **alert_conditions(void)
{
    const char **words = xcalloc(FINDING_COUNT + EVENT_KINDS + 1, sizeof *words);
    size_t count = 0;
    for (int code = 0; code < FINDING_COUNT; code++)
        words[count++] = finding_kind((enum finding_code)code)->word;
    for (int kind = 0; kind < EVENT_FINDING_RAISED; kind++) /* findings have their own words */
        words[count++] = event_word((enum event_kind)kind);
    return words;
}
