#include "probe/alert/event_sentence.h"

#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/findings.h"

#define SECOND_US 1000000

static const char *put_length(int64_t us, bool at_most, char *buffer, size_t size)
{
    if (us >= SECOND_US)
        return at_most ? describe_span_at_most(us, buffer, size) : describe_span(us, buffer, size);
    snprintf(buffer, size, "%.3g ms", (double)us / 1000);
    return buffer;
}

/* "vacancy 0.4 ms", "detection 9.6 s to 9.8 s"; nothing where neither bound is known. */
static void add_phase(struct text *out, const char **separator, const char *phase, struct span span)
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
    text_printf(&out, "%s leads, after %s; ", who(f->to_identity, f->to, "somebody"),
                who(f->from_identity, f->from, "nobody"));
    if (f->cause == CAUSE_UNKNOWN)
        text_add(&out, "the cause is not known");
    else
        text_printf(&out, "cause: %s (%s)", failover_cause_word(f->cause),
                    certainty_word(f->cause_certainty));
    if (f->evidence && *f->evidence)
        text_printf(&out, ", %s", f->evidence);
    if (failover_has_detection(f->cause))
        add_phase(&out, &separator, "detection", f->detection);
    add_phase(&out, &separator, "vacancy", f->vacancy);
    add_phase(&out, &separator, "takeover", f->takeover);
    add_phase(&out, &separator, "total", f->total);
    if (f->gap_us > 0) {
        char gap[32];
        text_printf(&out, "; found after not watching for %s", put_length(f->gap_us, false, gap, sizeof gap));
    }
    return text_take(&out);
}

char *event_sentence(const struct event *event)
{
    if (event->failover)
        return failover_sentence(event->failover);
    if (event->kind == EVENT_LEADER_ELECTED)
        return text_format("%s leads, after %s", event->candidate ? event->candidate : "somebody",
                           event->from ? event->from : "nobody");
    return text_copy(event->candidate ? event->candidate : event->connection);
}
