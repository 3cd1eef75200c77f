#include "tui/views/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/model.h"

struct event_log {
    struct event_line lines[EVENTS_KEPT];
    size_t first, count; /* a ring: first is the oldest */
};

struct event_log *event_log_new(void)
{
    return xcalloc(1, sizeof(struct event_log));
}

/* All strings of a line lie in one block, which begins with its cluster. */
static void line_clear(struct event_line *line)
{
    free(line->cluster);
    memset(line, 0, sizeof(*line));
}

void event_log_free(struct event_log *log)
{
    if (!log)
        return;
    for (size_t i = 0; i < EVENTS_KEPT; i++)
        line_clear(&log->lines[i]);
    free(log);
}

static char *place(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    char *placed = memcpy(*at, text, size);
    *at += size;
    return placed;
}

static void line_fill(struct event_line *line, const char *cluster, const char *path, const char *where,
                      const char *from, const char *subject, const char *within, const char *detail)
{
    size_t size = strlen(cluster) + strlen(where) + strlen(from) + strlen(subject) + strlen(within) +
                  strlen(detail) + 6;
    if (path)
        size += strlen(path) + 1;
    char *block = xmalloc(size);
    line->cluster = place(&block, cluster);
    line->path = path ? place(&block, path) : NULL;
    line->where = place(&block, where);
    line->from = place(&block, from);
    line->subject = place(&block, subject);
    line->within = place(&block, within);
    line->detail = place(&block, detail);
}

/* The same line with other words. */
static void line_refill(struct event_line *line, const char *subject, const char *within, const char *detail)
{
    struct event_line old = *line;
    line_fill(line, old.cluster, old.path, old.where, old.from, subject, within, detail);
    line_clear(&old);
}

/* Whether a line is about a candidate, or a finding: its name, perhaps with more after it. */
static bool line_names(const struct event_line *line, const char *name)
{
    size_t length = strlen(name);
    return strncmp(line->subject, name, length) == 0 &&
           (line->subject[length] == '\0' || line->subject[length] == ' ');
}

/* The latest line of this kind about the event's election, not older than since_us; name: of a finding the whole
 * subject, else see line_names(); NULL: any. NULL: there is none. */
static struct event_line *find_line(struct event_log *log, const struct event *event, enum event_kind kind,
                                    int64_t since_us, const char *name)
{
    const char *cluster = event->cluster ? event->cluster->name : "";
    for (size_t i = 0; i < log->count && event->election; i++) {
        struct event_line *line = &log->lines[(log->first + log->count - 1 - i) % EVENTS_KEPT];
        if (line->at.mono_us < since_us)
            return NULL;
        if (line->kind == kind && line->path && strcmp(line->path, event->election->path) == 0 &&
            strcmp(line->cluster, cluster) == 0 &&
            (!name ||
             (kind == EVENT_FINDING_RAISED ? strcmp(line->subject, name) == 0 : line_names(line, name))))
            return line;
    }
    return NULL;
}

/* Its loss was shown a moment ago: its departure adds nothing. */
static bool reported_as_lost(struct event_log *log, const struct event *event)
{
    return event->kind == EVENT_CANDIDATE_LEFT && event->candidate &&
           find_line(log, event, EVENT_LEADER_LOST, event->at.mono_us, event->candidate);
}

/* The line of its election is the line of the whole failover: later facts are added there. */
static bool reported_as_elected(struct event_log *log, const struct event *event,
                                const struct event_words *words)
{
    if (!event->failover->to)
        return false; /* no leader was elected */
    if (event->failover->cause == CAUSE_UNKNOWN)
        return true; /* the lines of the loss, the election and the acknowledgement say as much */
    struct event_line *line = find_line(log, event, EVENT_LEADER_ELECTED, INT64_MIN, NULL);
    if (line)
        line_refill(line, line->subject, line->within, words->detail);
    return line;
}

/* What became certain so soon after it was suspected is one line. */
#define SAME_FINDING_US 1000000

static bool reported_as_suspected(struct event_log *log, const struct event *event,
                                  const struct event_words *words)
{
    if (event->kind != EVENT_FINDING_RAISED)
        return false;
    struct event_line *line =
        find_line(log, event, event->kind, event->at.mono_us - SAME_FINDING_US, words->subject);
    if (!line)
        return false;
    line_refill(line, line->subject, line->within, words->detail);
    line->role = words->role;
    return true;
}

/* Who joined is read a moment later, and is known no more once it has left: its first line keeps it. */
static void note_who_joined(struct event_log *log, const struct event *event, const struct event_words *words)
{
    bool left = event->kind == EVENT_CANDIDATE_LEFT || event->kind == EVENT_LEADER_LOST;
    if (!left || !event->candidate)
        return;
    struct event_line *line = find_line(log, event, EVENT_CANDIDATE_JOINED, INT64_MIN, event->candidate);
    if (line && strcmp(line->subject, event->candidate) == 0)
        line_refill(line, words->subject, words->within, line->detail);
}

void event_log_add(void *context, const struct event *event)
{
    struct event_log *log = context;
    struct event_words words;
    event_text(event, &words);
    note_who_joined(log, event, &words);
    if (reported_as_lost(log, event))
        return;
    if (reported_as_suspected(log, event, &words))
        return;
    if (event->kind == EVENT_FAILOVER && reported_as_elected(log, event, &words))
        return;
    struct event_line line = {.at = event->at, .kind = event->kind, .role = words.role, .label = words.label};
    line_fill(&line, event->cluster ? event->cluster->name : "",
              event->election ? event->election->path : NULL, words.where, words.from, words.subject,
              words.within, words.detail);
    size_t slot = (log->first + log->count) % EVENTS_KEPT;
    if (log->count == EVENTS_KEPT)
        log->first = (log->first + 1) % EVENTS_KEPT;
    else
        log->count++;
    line_clear(&log->lines[slot]);
    log->lines[slot] = line;
}

size_t event_log_count(const struct event_log *log)
{
    return log->count;
}

const struct event_line *event_log_at(const struct event_log *log, size_t i)
{
    if (i >= log->count)
        return NULL;
    return &log->lines[(log->first + log->count - 1 - i) % EVENTS_KEPT];
}

struct event_log *event_log_copy(const struct event_log *log)
{
    struct event_log *copy = event_log_new();
    for (size_t i = log->count; i-- > 0;) {
        const struct event_line *from = event_log_at(log, i);
        struct event_line *to = &copy->lines[copy->count];
        *to = *from;
        line_fill(to, from->cluster, from->path, from->where, from->from, from->subject, from->within,
                  from->detail);
        copy->count++;
    }
    return copy;
}
