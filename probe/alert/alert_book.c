#include "probe/alert/alert_book.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/findings.h"
#include "probe/election/summary.h"

/* Since when the same cause in the same election may alert again. */
struct quiet {
    char *key;
    int64_t until_us;
};
#define QUIET_MOST 10000

struct alert_book {
    const struct settings *settings;
    alert_send_fn send;
    void *context;
    struct alert *alerts; /* in the order of their opening */
    size_t count;
    struct quiet *quiet;
    size_t quiet_count;
    uint64_t last_id, dropped, revision;
};

const char *alert_state_word(enum alert_state state)
{
    static const char *const words[] = {"raised", "again", "resolved", "event"};
    return words[state];
}

struct alert_book *alert_book_new(const struct settings *settings, alert_send_fn send, void *context)
{
    struct alert_book *book = xcalloc(1, sizeof *book);
    *book = (struct alert_book){.settings = settings, .send = send, .context = context};
    return book;
}

static void member_free(struct alert_member *member)
{
    char *const texts[] = {member->election, member->name,  member->candidate, member->evidence,
                           member->advice,   member->owner, member->runbook,   member->subject};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

static void alert_clear(struct alert *alert)
{
    for (size_t i = 0; i < alert->member_count; i++)
        member_free(&alert->members[i]);
    free(alert->members);
    free(alert->cluster);
    free(alert->code);
}

static void book_remove(struct alert_book *book, size_t at)
{
    struct alert *alert = &book->alerts[at];
    book->revision++;
    alert_clear(alert);
    memmove(alert, alert + 1, (--book->count - at) * sizeof *alert);
}

void alert_book_free(struct alert_book *book)
{
    if (!book)
        return;
    while (book->count)
        book_remove(book, book->count - 1);
    for (size_t i = 0; i < book->quiet_count; i++)
        free(book->quiet[i].key);
    free(book->alerts);
    free(book->quiet);
    free(book);
}

/* ---- keys ---- */

static bool same_list(char *const *a, char *const *b)
{
    while (a && b && *a && *b && strcmp(*a, *b) == 0)
        a++, b++;
    return a == b || (a && b && !*a && !*b);
}

/* A rule as other processes know it: its conditions, and which of those with the same ones it is. */
static char *rule_label(const struct settings *settings, size_t rule)
{
    struct text label = {0};
    size_t same = 0;
    for (size_t i = 0; i < rule; i++)
        same += same_list(settings->alerts[i].on, settings->alerts[rule].on);
    for (char **word = settings->alerts[rule].on; *word; word++)
        text_printf(&label, "%s,", *word);
    text_printf(&label, "%zu", same);
    return text_take(&label);
}

static uint64_t key_add(uint64_t hash, const char *text) /* FNV-1a, with the end of each text */
{
    do
        hash = (hash ^ (unsigned char)(text ? *text : '\0')) * UINT64_C(0x100000001b3);
    while (text && *text++);
    return hash;
}

static void alert_member_key(const struct alert_book *book, const struct alert *alert, size_t member,
                             char key[ALERT_KEY_SIZE])
{
    const struct alert_member *m = &alert->members[member];
    char *label = rule_label(book->settings, alert->rule), since[24];
    snprintf(since, sizeof since, "%" PRId64, alert->once ? 0 : m->since_wall_us); /* observers differ */
    const char *const texts[] = {label,        alert->cluster,
                                 alert->code,  m->election,
                                 m->candidate, !alert->once ? NULL : m->subject ? m->subject : m->evidence,
                                 since};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = key_add(hash, texts[i]);
    snprintf(key, ALERT_KEY_SIZE, "%016" PRIx64, hash);
    free(label);
}

/* ---- cool-down ---- */

static char *quiet_key(size_t rule, const char *cluster, const char *election, const char *code)
{
    return text_format("%zu\n%s\n%s\n%s", rule, cluster, election, code);
}

/* 0: it may alert at once. */
static int64_t quiet_until(const struct alert_book *book, const char *key)
{
    for (size_t i = 0; key && i < book->quiet_count; i++)
        if (strcmp(book->quiet[i].key, key) == 0)
            return book->quiet[i].until_us;
    return 0;
}

/* Takes the key. */
static void quiet_set(struct alert_book *book, char *key, int64_t until_us, int64_t now_us)
{
    size_t kept = 0;
    for (size_t i = 0; i < book->quiet_count; i++) {
        if (book->quiet[i].until_us > now_us && key && strcmp(book->quiet[i].key, key) != 0)
            book->quiet[kept++] = book->quiet[i];
        else
            free(book->quiet[i].key);
    }
    book->quiet_count = kept;
    struct quiet *grown =
        key && kept < QUIET_MOST ? xreallocarray(book->quiet, kept + 1, sizeof *grown) : NULL;
    if (!grown) {
        free(key);
        return;
    }
    book->quiet = grown;
    grown[book->quiet_count++] = (struct quiet){key, until_us};
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
    bool uncertain = finding && (finding->certainty != CERTAINTY_CERTAIN || finding->one_poll);
    for (size_t i = 0; rule->on[i]; i++) {
        const char *condition = rule->on[i];
        if (strcmp(condition, event_word(event->kind)) == 0)
            return !uncertain || rule->suspected;
        if (!finding || (uncertain && !rule->suspected))
            continue;
        if (strcmp(condition, finding_kind(finding->code)->word) == 0 ||
            (strncmp(condition, "severity", 8) == 0 && condition_severity(condition, finding->severity)))
            return true;
    }
    return false;
}

/* ---- members ---- */

static bool alert_book_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static struct alert_member *book_find(struct alert_book *book, size_t rule, const struct event *event,
                                      const char *code, const char *candidate, struct alert **owner)
{
    for (size_t i = 0; i < book->count; i++) {
        struct alert *alert = &book->alerts[i];
        if (alert->rule != rule || strcmp(alert->code, code) != 0 ||
            strcmp(alert->cluster, event->cluster->name) != 0)
            continue;
        for (size_t k = 0; k < alert->member_count; k++) {
            struct alert_member *member = &alert->members[k];
            if (!member->open || !event->election ||
                strcmp(member->election, summary_path(event->election)) != 0 ||
                !alert_book_same_text(member->candidate, candidate))
                continue;
            *owner = alert;
            return member;
        }
    }
    return NULL;
}

static void member_fill(struct alert_member *member, const struct event *event, const char *candidate)
{
    const struct finding *finding = event->finding;
    const struct election *election = event->election;
    *member = (struct alert_member){.election = xstrdup(election ? summary_path(election) : ""),
                                    .name = text_copy(election ? election->name : NULL),
                                    .candidate = text_copy(candidate),
                                    .evidence = text_copy(finding ? finding->evidence : event->detail),
                                    .advice = text_copy(finding ? finding->advice : NULL),
                                    .severity = finding ? finding->severity : SEVERITY_INFO,
                                    .certainty = finding ? finding->certainty : CERTAINTY_CERTAIN,
                                    .since_wall_us = finding ? finding->since.wall_us : event->at.wall_us,
                                    .open = true};
    if (election && election->settings) {
        member->owner = text_copy(election->settings->owner);
        member->runbook = text_copy(election->settings->runbook);
    }
}

/* ---- what happened, as evidence: a plain sentence ---- */

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

/* Every candidate that joins and every finding of an event has its own words. */
static void event_evidence(struct alert_member *member, const struct event *event)
{
    if (event->finding)
        return;
    if (!member->evidence)
        member->evidence = event_sentence(event);
    if (event->failover) /* whose lengths each observer measures by itself */
        member->subject = text_copy(event->candidate);
}

/* The alert that takes one more member: an open one of the same cause that is young, or a new one. */
static struct alert *book_group(struct alert_book *book, size_t rule, const struct event *event,
                                const char *code, int64_t due_us, int64_t now_us)
{
    for (size_t i = 0; i < book->count; i++) {
        struct alert *alert = &book->alerts[i];
        if (alert->rule == rule && now_us - alert->opened_us <= ALERT_GROUP_US &&
            alert->opened_us - now_us <= ALERT_GROUP_US && strcmp(alert->code, code) == 0 &&
            strcmp(alert->cluster, event->cluster->name) == 0 && alert->member_count < ALERT_MEMBERS_MOST &&
            (alert->sent || (alert->due_us <= due_us && due_us - alert->due_us <= ALERT_COLLECT_US)))
            return alert;
    }
    if (book->count >= ALERTS_MOST) {
        book->dropped++;
        return NULL;
    }
    book->alerts = xreallocarray(book->alerts, book->count + 1, sizeof *book->alerts);
    struct alert *alert = &book->alerts[book->count++];
    *alert = (struct alert){.id = ++book->last_id,
                            .rule = rule,
                            .cluster = xstrdup(event->cluster->name),
                            .code = xstrdup(code),
                            .once = !event->finding,
                            .opened_us = now_us,
                            .due_us = due_us};
    return alert;
}

static void book_raise(struct alert_book *book, size_t rule, const struct event *event, int64_t now_us)
{
    const struct finding *finding = event->finding;
    const char *code = finding ? finding_kind(finding->code)->word : event_word(event->kind);
    const char *candidate = finding && finding->candidate_count ? finding->candidates[0] : NULL;
    struct alert *alert;
    struct alert_member *known = finding ? book_find(book, rule, event, code, candidate, &alert) : NULL;
    if (known) { /* it became certain, or more severe */
        struct alert_member now;
        member_fill(&now, event, candidate);
        member_free(known);
        *known = now;
        book->revision++;
        return;
    }
    char *key =
        quiet_key(rule, event->cluster->name, event->election ? summary_path(event->election) : "", code);
    int64_t until_us = quiet_until(book, key), due_us = now_us + ALERT_COLLECT_US;
    if (!finding) { /* an event has no duration: it is sent, or not */
        if (until_us > now_us) {
            free(key);
            return;
        }
        quiet_set(book, key, now_us + book->settings->alerts[rule].cool_down_ms * 1000, now_us);
        key = NULL;
    }
    free(key);
    alert = book_group(book, rule, event, code, finding && until_us > due_us ? until_us : due_us, now_us);
    struct alert_member *grown =
        alert ? xreallocarray(alert->members, alert->member_count + 1, sizeof *grown) : NULL;
    if (!grown)
        return;
    alert->members = grown;
    member_fill(&grown[alert->member_count], event, candidate);
    event_evidence(&grown[alert->member_count++], event);
    if (alert->member_count == 1)
        alert_member_key(book, alert, 0, alert->key);
    book->revision++;
}

/* One of its elections is well: the last one resolves it. */
static void book_close(struct alert_book *book, struct alert *alert, struct alert_member *member,
                       int64_t now_us)
{
    member->open = false;
    book->revision++;
    for (size_t i = 0; i < alert->member_count; i++)
        if (alert->members[i].open)
            return;
    int64_t cool_us = book->settings->alerts[alert->rule].cool_down_ms * 1000;
    for (size_t i = 0; alert->sent && i < alert->member_count; i++)
        quiet_set(book, quiet_key(alert->rule, alert->cluster, alert->members[i].election, alert->code),
                  now_us + cool_us, now_us);
    if (alert->sent)
        book->send(book->context, alert, ALERT_RESOLVED);
    book_remove(book, (size_t)(alert - book->alerts));
}

static void book_clear(struct alert_book *book, size_t rule, const struct event *event, int64_t now_us)
{
    const struct finding *finding = event->finding;
    struct alert *alert;
    struct alert_member *member = book_find(book, rule, event, finding_kind(finding->code)->word,
                                            finding->candidate_count ? finding->candidates[0] : NULL, &alert);
    if (member)
        book_close(book, alert, member, now_us);
}

void alert_book_take(struct alert_book *book, const struct event *event, int64_t now_us)
{
    for (size_t rule = 0; rule < book->settings->alert_count; rule++) {
        if (event->kind == EVENT_FINDING_CLEARED)
            book_clear(book, rule, event, now_us);
        else if (rule_wants(&book->settings->alerts[rule], event))
            book_raise(book, rule, event, now_us);
    }
}

int64_t alert_book_turn(struct alert_book *book, int64_t now_us)
{
    int64_t next_us = INT64_MAX;
    for (size_t i = 0; i < book->count;) {
        struct alert *alert = &book->alerts[i];
        if (alert->due_us <= now_us && alert->once) {
            book->send(book->context, alert, ALERT_EVENT);
            book_remove(book, i);
            continue;
        }
        if (alert->due_us <= now_us) {
            int64_t again_us = book->settings->alerts[alert->rule].again_after_ms * 1000;
            alert->due_us = again_us ? now_us + again_us : INT64_MAX;
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

static size_t rule_of(const struct settings *settings, const struct alert_settings *rule)
{
    for (size_t i = 0; i < settings->alert_count; i++) {
        const struct alert_settings *other = &settings->alerts[i];
        if (same_list(other->on, rule->on) && same_list(other->run, rule->run) &&
            alert_book_same_text(other->post, rule->post))
            return i;
    }
    return settings->alert_count;
}

void alert_book_replace(struct alert_book *book, const struct settings *settings)
{
    for (size_t i = 0; i < book->count;) {
        struct alert *alert = &book->alerts[i];
        alert->rule = rule_of(settings, &book->settings->alerts[alert->rule]);
        for (size_t k = 0; k < alert->member_count; k++)
            alert->members[k].unconfirmed = true;
        if (alert->rule < settings->alert_count)
            i++;
        else
            book_remove(book, i);
    }
    while (book->quiet_count) /* its keys name rules by their number */
        free(book->quiet[--book->quiet_count].key);
    book->settings = settings;
}

void alert_book_confirm(struct alert_book *book, alert_there_fn there, void *context, int64_t now_us)
{
    for (size_t i = book->count; i > 0; i--) {
        struct alert *alert = &book->alerts[i - 1];
        uint64_t id = alert->id;
        for (size_t k = 0; k < alert->member_count; k++) {
            struct alert_member *member = &alert->members[k];
            if (!member->open || !member->unconfirmed)
                continue;
            int answer = there(context, alert->cluster, member->election, alert->code);
            member->unconfirmed = answer < 0;
            if (answer == 0)
                book_close(book, alert, member, now_us);
            if (i > book->count || book->alerts[i - 1].id != id)
                break; /* it was the last of them: resolved, and gone */
        }
    }
}

/* ---- as text ---- */

static void print_field(struct text *text, const char *word, const char *value)
{
    if (!value)
        return;
    text_printf(text, "%s ", word);
    for (; *value; value++)
        if (*value == '\n')
            text_add(text, "\\n");
        else if (*value == '\\')
            text_add(text, "\\\\");
        else
            text_add_bytes(text, value, 1);
    text_add(text, "\n");
}

char *alert_print(const struct alert_book *book, const struct alert *alert)
{
    struct text text = {0};
    char *label = rule_label(book->settings, alert->rule);
    print_field(&text, "rule", label);
    print_field(&text, "cluster", alert->cluster);
    print_field(&text, "code", alert->code);
    free(label);
    for (size_t i = 0; i < alert->member_count; i++) {
        const struct alert_member *m = &alert->members[i];
        struct text more = {0};
        if (!m->open && !alert->once)
            continue;
        print_field(&more, "election", m->election);
        print_field(&more, "name", m->name);
        print_field(&more, "candidate", m->candidate);
        print_field(&more, "evidence", m->evidence);
        print_field(&more, "advice", m->advice);
        print_field(&more, "owner", m->owner);
        print_field(&more, "runbook", m->runbook);
        text_printf(&more, "facts %d %d %" PRId64 "\n", (int)m->severity, (int)m->certainty,
                    m->since_wall_us);
        if (text.length + more.length < ALERT_TEXT_MOST)
            text_add_bytes(&text, more.at, more.length);
        text_free(&more);
    }
    return text_take(&text);
}

/* The value of a line, malloc'd. */
static char *read_field(const char *line, size_t length)
{
    char *value = xmalloc(length + 1), *to = value;
    for (size_t i = 0; i < length; i++) {
        bool escape = line[i] == '\\' && i + 1 < length;
        i += escape;
        *to++ = escape && line[i] == 'n' ? '\n' : line[i];
    }
    *to = '\0';
    return value;
}

static void read_facts(struct alert_member *m, const char *value)
{
    int severity = 0, certainty = 0;
    long long since_us = 0;
    if (sscanf(value, "%d %d %lld", &severity, &certainty, &since_us) != 3)
        return;
    if (severity >= SEVERITY_INFO && severity <= SEVERITY_CRITICAL)
        m->severity = (enum severity)severity;
    m->certainty = certainty == CERTAINTY_CERTAIN ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
    m->since_wall_us = since_us;
}

/* One line, of which the alert takes its members. False: it is no line of an alert. */
static bool read_line(struct alert *alert, char **label, const char *line, size_t length)
{
    size_t word = strcspn(line, " \n");
    if (word >= length)
        return false;
    char *value = read_field(line + word + 1, length - word - 1);
    bool begins = word == 8 && strncmp(line, "election", word) == 0;
    if (begins && alert->member_count < ALERT_MEMBERS_MOST) {
        struct alert_member *grown =
            xreallocarray(alert->members, alert->member_count + 1, sizeof *alert->members);
        alert->members = grown;
        grown[alert->member_count++] = (struct alert_member){.open = true, .unconfirmed = true};
    }
    struct alert_member none = {0};
    struct alert_member *m = alert->member_count ? &alert->members[alert->member_count - 1] : &none;
    const struct {
        const char *word;
        char **to;
    } fields[] = {{"rule", label},
                  {"cluster", &alert->cluster},
                  {"code", &alert->code},
                  {"election", &m->election},
                  {"name", &m->name},
                  {"candidate", &m->candidate},
                  {"evidence", &m->evidence},
                  {"advice", &m->advice},
                  {"owner", &m->owner},
                  {"runbook", &m->runbook}};
    if (word == 5 && strncmp(line, "facts", word) == 0)
        read_facts(m, value);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].word) == word && strncmp(line, fields[i].word, word) == 0) {
            free(*fields[i].to);
            *fields[i].to = value;
            value = NULL;
            break;
        }
    free(value);
    member_free(&none);
    return true;
}

static bool book_has(const struct alert_book *book, const struct alert *other)
{
    for (size_t i = 0; i < book->count; i++)
        if (strcmp(book->alerts[i].key, other->key) == 0)
            return true;
    return false;
}

const struct alert *alert_book_restore(struct alert_book *book, const char *key, const char *text,
                                       int64_t now_us, int64_t wall_us)
{
    struct alert alert = {.sent = true};
    char *label = NULL;
    bool fine = strlen(key) < ALERT_KEY_SIZE;
    while (fine && *text) {
        size_t length = strcspn(text, "\n");
        fine = read_line(&alert, &label, text, length);
        text += length + (text[length] == '\n');
    }
    alert.rule = book->settings->alert_count;
    for (size_t i = 0; fine && label && i < book->settings->alert_count; i++) {
        char *other = rule_label(book->settings, i);
        if (strcmp(other, label) == 0)
            alert.rule = i;
        free(other);
    }
    free(label);
    fine &= alert.rule < book->settings->alert_count && alert.cluster && alert.code && alert.member_count;
    for (size_t i = 0; i < alert.member_count; i++)
        fine &= alert.members[i].election != NULL;
    if (fine)
        snprintf(alert.key, sizeof alert.key, "%s", key);
    if (!fine || book->count >= ALERTS_MOST || book_has(book, &alert)) {
        alert_clear(&alert);
        return NULL;
    }
    struct alert *grown = xreallocarray(book->alerts, book->count + 1, sizeof *grown);
    int64_t again_us = book->settings->alerts[alert.rule].again_after_ms * 1000;
    int64_t age_us = wall_us - alert.members[0].since_wall_us;
    alert.id = ++book->last_id;
    alert.opened_us = now_us - (age_us > 0 ? age_us : 0);
    alert.due_us = again_us ? now_us + again_us : INT64_MAX;
    book->alerts = grown;
    grown[book->count++] = alert;
    book->revision++;
    return &grown[book->count - 1];
}

void alert_book_forget(struct alert_book *book, const struct alert *alert)
{
    if (alert)
        book_remove(book, (size_t)(alert - book->alerts));
    while (!alert && book->count)
        book_remove(book, book->count - 1);
}

uint64_t alert_book_revision(const struct alert_book *book)
{
    return book->revision;
}

const struct alert *alert_book_at(const struct alert_book *book, size_t i)
{
    return &book->alerts[i];
}

size_t alert_book_open(const struct alert_book *book)
{
    return book->count;
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
