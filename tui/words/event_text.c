#include "tui/words/event_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/failover.h"
#include "probe/election/model.h"
#include "tui/words/format.h"

/* Appends as much of text as fits, without cutting a character in two. */
static void event_text_append(char *buffer, size_t size, const char *text)
{
    size_t used = strlen(buffer), length = strlen(text);
    if (length >= size - used) {
        length = size - used - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(buffer + used, text, length);
    buffer[used + length] = '\0';
}

#define APPEND(array, text) event_text_append(array, sizeof(array), text)

/*
 * Name and identity; once only where the identity is the name, or is contained in it. The name is whole: in
 * a log one searches for it. A screen that has no room for it shortens it as it shortens every name.
 */
static void put_candidate(struct event_words *words, const char *name, const char *identity)
{
    APPEND(words->subject, name ? name : "?");
    if (!identity || !*identity || !name)
        return;
    if (strstr(name, identity)) {
        APPEND(words->within, strcmp(name, identity) == 0 ? "" : identity);
    } else {
        APPEND(words->subject, " ");
        APPEND(words->subject, identity);
    }
}

static const char *ordinal_suffix(size_t n)
{
    if (n % 100 >= 11 && n % 100 <= 13)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

static void put_position(struct event_words *words, const char *before, size_t position)
{
    if (position > 0)
        snprintf(words->detail, sizeof(words->detail), "%s%zu%s in line", before, position,
                 ordinal_suffix(position));
}

/* Found by looking again, not seen as it happened: its time is the latest that it can have been. */
static void put_gap(struct event_words *words, const struct event *event)
{
    char span[32], text[80];
    if (event->gap_us <= 0 || event->kind == EVENT_CONNECTION)
        return;
    snprintf(text, sizeof text, "%sfound after a gap of %s", words->detail[0] ? "; " : "",
             format_span(event->gap_us, span, sizeof span));
    APPEND(words->detail, text);
}

static void event_text_put_span(struct event_words *words, const char *before, int64_t us)
{
    char span[32];
    if (us < 0)
        return;
    APPEND(words->detail, before);
    APPEND(words->detail, format_span(us, span, sizeof(span)));
}

static bool somebody_else(const struct election *election, const char *name)
{
    return election->candidate_count > 1 ||
           (election->candidate_count == 1 && (!name || strcmp(election->candidates[0]->name, name) != 0));
}

static void say_lost(const struct event *event, struct event_words *words)
{
    words->label = "leader lost";
    put_candidate(words, event->candidate, event->identity);
    if (event->election && event->election->kind == KIND_LOCK) {
        words->role = ROLE_INFO;                                      /* a lock is there to be released */
    } else if (event->election && event->election->directory_known && /* not in a recording */
               !somebody_else(event->election, event->candidate)) {
        words->role = ROLE_CRITICAL;
        APPEND(words->detail, "there is no candidate after it");
    } else {
        words->role = ROLE_WARNING;
    }
}

/* With a new session, or with a new znode of the same one. */
#define SAME_IDENTITY "the same identity again"

static void say_elected(const struct event *event, struct event_words *words)
{
    words->label = "leader elected";
    words->role = ROLE_GOOD;
    /* People where they are known on both sides, else names: never the one beside the other. */
    bool people = event->identity && (!event->from || event->from_identity);
    const char *from = people ? event->from_identity : event->from;
    bool same = people && event->from && strcmp(event->identity, from) == 0;
    if (event->from && from && !same)
        APPEND(words->from, from);
    if (people)
        APPEND(words->subject, event->identity);
    else
        put_candidate(words, event->candidate, event->identity);
    if (same)
        APPEND(words->detail, SAME_IDENTITY);
}

/* "expired, 9.60 – 12.9s: silent 9.6 s at zk1:2181 ..."; the cause only as narrow as it is known. */
static void say_failover(const struct event *event, struct event_words *words)
{
    const struct failover *failover = event->failover;
    struct failover_sample sample;
    char length[FORMAT_INTERVAL];
    words->label = failover_is_open(failover) ? "nobody leads" : "failover";
    words->role = failover_is_open(failover)                              ? ROLE_CRITICAL
                  : event->election && event->election->kind == KIND_LOCK ? ROLE_INFO
                                                                          : ROLE_GOOD;
    bool people = failover->to_identity && (!failover->from || failover->from_identity);
    bool same = people && failover->from && strcmp(failover->from_identity, failover->to_identity) == 0;
    if (failover->from && !same)
        APPEND(words->from, people ? failover->from_identity : failover->from);
    if (people)
        APPEND(words->subject, failover->to_identity);
    else if (failover->to)
        put_candidate(words, failover->to, failover->to_identity);
    else
        APPEND(words->subject, "nobody");
    if (same)
        APPEND(words->detail, SAME_IDENTITY "; ");
    if (failover->cause != CAUSE_UNKNOWN && failover->cause_certainty == CERTAINTY_SUSPECTED)
        APPEND(words->detail, "suspected: ");
    APPEND(words->detail,
           failover->cause == CAUSE_UNKNOWN ? "cause unknown" : failover_cause_word(failover->cause));
    if (failover_sample_of(failover, &sample)) {
        APPEND(words->detail, ", ");
        APPEND(words->detail, format_interval(sample.length.low_us, sample.length.high_us, false, length));
    }
    if (failover->evidence) {
        char evidence[1024];
        APPEND(words->detail, ": ");
        APPEND(words->detail,
               format_local_times(failover->evidence, event->at.wall_us, evidence, sizeof evidence));
    }
}

static void say_connection(const struct event *event, struct event_words *words)
{
    const char *what = event->connection ? event->connection : "";
    if (strcmp(what, "connected") == 0) {
        words->label = "connected";
        words->role = ROLE_GOOD;
        APPEND(words->subject, event->identity ? event->identity : "");
    } else if (strcmp(what, "expired") == 0) {
        words->label = "session expired";
        words->role = ROLE_WARNING;
    } else if (strcmp(what, "gap") == 0) {
        words->label = "not watching";
        words->role = ROLE_WARNING;
        event_text_put_span(words, "for ", event->gap_us > 0 ? event->gap_us : -1);
    } else {
        words->label = "disconnected";
        words->role = ROLE_WARNING;
        event_text_put_span(words, "not heard for ", event->gap_us > 0 ? event->gap_us : -1);
    }
    if (event->detail) {
        APPEND(words->detail, words->detail[0] ? ": " : "");
        APPEND(words->detail, event->detail);
    }
}

static void say_finding(const struct event *event, struct event_words *words)
{
    static const style roles[] = {ROLE_INFO, ROLE_WARNING, ROLE_CRITICAL, ROLE_CRITICAL};
    const struct finding *finding = event->finding;
    bool raised = event->kind == EVENT_FINDING_RAISED;
    words->label = raised ? "found" : "cleared";
    words->role = raised ? roles[finding->severity] : ROLE_GOOD;
    APPEND(words->subject, finding_kind(finding->code)->word);
    if (finding->candidate_count > 0) {
        APPEND(words->subject, " ");
        put_candidate(words, finding->candidates[0], NULL);
    }
    if (raised) {
        APPEND(words->detail, finding->certainty == CERTAINTY_CERTAIN ? "" : "suspected: ");
        char evidence[1024];
        APPEND(words->detail, format_local_times(finding->evidence ? finding->evidence : "",
                                                 event->at.wall_us, evidence, sizeof evidence));
    }
}

/* "no-watch  for 2h by ann: known, OPS-12" */
static void say_muted(const struct event *event, struct event_words *words)
{
    char age[16], text[96];
    words->label = event->after_us > 0 ? "muted" : "unmuted";
    words->role = ROLE_INFO;
    APPEND(words->subject, finding_kind(event->finding->code)->word);
    snprintf(text, sizeof text, "%s%s by %.60s", event->after_us > 0 ? "for " : "",
             event->after_us > 0 ? format_age(event->after_us, age, sizeof age) : "",
             event->identity ? event->identity : "?");
    APPEND(words->detail, event->after_us > 0 ? text : text + 1);
    if (event->detail && *event->detail) {
        APPEND(words->detail, ": ");
        APPEND(words->detail, event->detail);
    }
}

void event_text(const struct event *event, struct event_words *words)
{
    words->label = "";
    words->role = ROLE_TEXT;
    words->where = event->election ? event->election->name : event->cluster ? event->cluster->name : "";
    words->from[0] = words->subject[0] = words->within[0] = words->detail[0] = '\0';
    switch (event->kind) {
    case EVENT_ELECTION_SEEN:
        words->label = "election seen";
        words->role = ROLE_INFO;
        if (event->election && event->election->recipe)
            APPEND(words->subject, event->election->recipe->title);
        break;
    case EVENT_ELECTION_GONE:
        words->label = "election gone";
        words->role = ROLE_WARNING;
        break;
    case EVENT_CANDIDATE_JOINED:
        words->label = "joined";
        words->role = ROLE_INFO;
        put_candidate(words, event->candidate, event->identity);
        put_position(words, "", event->position);
        break;
    case EVENT_CANDIDATE_LEFT:
        words->label = "left";
        words->role = ROLE_INFO;
        put_candidate(words, event->candidate, event->identity);
        put_position(words, "was ", event->position);
        break;
    case EVENT_LEADER_LOST:
        say_lost(event, words);
        break;
    case EVENT_LEADER_ELECTED:
        say_elected(event, words);
        break;
    case EVENT_LEADER_ACKNOWLEDGED:
        words->label = "acknowledged";
        words->role = ROLE_GOOD;
        put_candidate(words, event->candidate, event->identity);
        if (event->detail)
            APPEND(words->detail, event->detail);
        break;
    case EVENT_FAILOVER:
        say_failover(event, words);
        break;
    case EVENT_CONNECTION:
        say_connection(event, words);
        break;
    case EVENT_UNSEEN:
        words->label = "unseen";
        words->role = ROLE_WARNING;
        snprintf(words->detail, sizeof(words->detail),
                 "%" PRIu64 " joined and %" PRIu64 " left between two reads", event->unseen_joined,
                 event->unseen_left);
        break;
    case EVENT_FINDING_MUTED:
        say_muted(event, words);
        break;
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
        say_finding(event, words);
        break;
    }
    if (event->kind != EVENT_FINDING_RAISED && event->kind != EVENT_FINDING_CLEARED)
        put_gap(words, event);
}
