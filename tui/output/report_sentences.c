#include "tui/output/report_sentences.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/election/changes.h"
#include "tui/words/format.h"

/* An election that was first seen so long after the beginning came into being then, or was hard to find. */
#define SEEN_LATE_US INT64_C(5000000)
/* Less between two transactions is nothing unusual. */
#define LONG_FACT_US INT64_C(1000000)

static bool report_sentences_split(int64_t wall_us, enum sentence_zone zone, struct tm *tm)
{
    time_t s = (time_t)(wall_us / 1000000);
    return wall_us > 0 && (zone == SENTENCE_LOCAL ? localtime_r(&s, tm) : gmtime_r(&s, tm));
}

char *sentence_time(int64_t wall_us, enum sentence_zone zone, char buffer[SENTENCE_TIME])
{
    struct tm tm;
    if (report_sentences_split(wall_us, zone, &tm))
        snprintf(buffer, SENTENCE_TIME, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
                 (int)(wall_us % 1000000 / 1000));
    else
        snprintf(buffer, SENTENCE_TIME, "?");
    return buffer;
}

char *sentence_day(int64_t wall_us, enum sentence_zone zone, char buffer[SENTENCE_TIME])
{
    struct tm tm;
    if (report_sentences_split(wall_us, zone, &tm))
        snprintf(buffer, SENTENCE_TIME, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
    else
        snprintf(buffer, SENTENCE_TIME, "?");
    return buffer;
}

char *sentence_zone(int64_t wall_us, enum sentence_zone zone, char buffer[SENTENCE_TIME])
{
    struct tm tm;
    if (zone == SENTENCE_UTC || !report_sentences_split(wall_us, zone, &tm) ||
        !strftime(buffer, SENTENCE_TIME, "%Z", &tm))
        snprintf(buffer, SENTENCE_TIME, "%s", zone == SENTENCE_UTC ? "UTC" : "local time");
    return buffer;
}

bool sentence_zones_differ(int64_t wall_us)
{
    struct tm utc, local;
    return report_sentences_split(wall_us, SENTENCE_UTC, &utc) &&
           report_sentences_split(wall_us, SENTENCE_LOCAL, &local) &&
           (utc.tm_hour != local.tm_hour || utc.tm_min != local.tm_min);
}

/* Whole seconds are enough for a window, unless it was asked for more finely. */
static char *window_time(int64_t wall_us, enum sentence_zone zone, char buffer[SENTENCE_TIME])
{
    sentence_time(wall_us, zone, buffer);
    char *point = strchr(buffer, '.');
    if (point && strcmp(point, ".000") == 0)
        *point = '\0';
    return buffer;
}

void sentence_window(struct text *text, int64_t from_us, int64_t to_us, enum sentence_zone zone, bool ascii)
{
    char day[SENTENCE_TIME], time[SENTENCE_TIME], last_day[SENTENCE_TIME];
    text_printf(text, "%s %s %s ", sentence_day(from_us, zone, day), window_time(from_us, zone, time),
                ascii ? "-" : "–");
    if (strcmp(sentence_day(to_us, zone, last_day), day) != 0)
        text_printf(text, "%s ", last_day);
    text_printf(text, "%s %s", window_time(to_us, zone, time), sentence_zone(to_us, zone, day));
}

void sentence_clock(struct text *text, const struct history_clock *clock, enum sentence_zone zone)
{
    char day[SENTENCE_TIME], time[SENTENCE_TIME], name[SENTENCE_TIME], span[16];
    bool back = clock->after_us < clock->before_us;
    int64_t by_us = back ? clock->before_us - clock->after_us : clock->after_us - clock->before_us;
    text_printf(text, "The recorder's clock was set %s by about %s at %s %s %s%s", back ? "back" : "forward",
                format_span(by_us, span, sizeof span), sentence_day(clock->before_us, zone, day),
                sentence_time(clock->before_us, zone, time), sentence_zone(clock->before_us, zone, name),
                back ? ": some times occurred twice, and a time line shows only the second; everything else "
                       "is in the order in which it happened."
                     : ": nothing is missing in between.");
}

static void put_since(struct text *text, const struct logged_fact *fact)
{
    char span[16];
    if (fact->began_us && fact->at.wall_us - fact->began_us >= LONG_FACT_US)
        text_printf(text, ", %s after the transaction before",
                    format_span(fact->at.wall_us - fact->began_us, span, sizeof span));
}

void sentence_fact(struct text *text, const struct logged_fact *fact)
{
    char span[16];
    switch (fact->kind) {
    case FACT_EPOCH:
        text_printf(text, "ZooKeeper's own leader changed: epoch %" PRId64 " begins", fact->zxid >> 32);
        put_since(text, fact);
        break;
    case FACT_SERVER_STARTED:
        text_add(text, "Server ");
        if (fact->owner)
            text_printf(text, "%" PRIu64, fact->owner);
        else
            text_add(text, fact->path ? fact->path : "?");
        text_add(text, " was probably restarted: it began a new log");
        put_since(text, fact);
        break;
    case FACT_CLOCK_BACK:
        text_printf(text, "The clock of ZooKeeper's leader went back by %s",
                    format_span(fact->back_us, span, sizeof span));
        break;
    case FACT_MISSING:
        text_printf(text, "The transactions 0x%" PRIx64 " to 0x%" PRIx64 " are in no log",
                    (uint64_t)fact->zxid, (uint64_t)fact->zxid_to);
        break;
    case FACT_DIVERGED:
        text_printf(text, "The ensemble diverged: transaction 0x%" PRIx64 " differs between two servers",
                    (uint64_t)fact->zxid);
        break;
    default:
        break;
    }
}

static const char *report_sentences_better(const char *identity, const char *name)
{
    return identity && *identity ? identity : name && *name ? name : "?";
}

const char *sentence_leader(const struct report_leader *leader)
{
    return report_sentences_better(leader->identity, leader->name);
}

const char *sentence_from(const struct failover *failover)
{
    return report_sentences_better(failover->from_identity, failover->from);
}

const char *sentence_to(const struct failover *failover)
{
    return failover->to ? report_sentences_better(failover->to_identity, failover->to) : "nobody";
}

const char *sentence_cause_meaning(enum failover_cause cause)
{
    static const char *const meanings[CAUSE_COUNT] = {
        [CAUSE_UNKNOWN] = "nothing proves why its znode was deleted",
        [CAUSE_DELETED] =
            "its znode was deleted while its session was alive, by itself or by another session",
        [CAUSE_RESIGNED] = "it deleted its own znode; its session stayed alive",
        [CAUSE_EVICTED] = "another session deleted its znode; its session stayed alive",
        [CAUSE_ENDED] = "its session ended: its client closed it, or it expired (see the evidence)",
        [CAUSE_CLOSED] = "its client closed its session",
        [CAUSE_EXPIRED] = "ZooKeeper heard nothing from it for its session timeout",
    };
    return cause < CAUSE_COUNT ? meanings[cause] : meanings[CAUSE_UNKNOWN];
}

const char *sentence_span(struct span span, bool applies, char buffer[SENTENCE_TIME])
{
    if (span.low_us < 0 && span.high_us < 0)
        return applies ? "?" : "–";
    return format_interval(span.low_us, span.high_us, false, buffer);
}

char *sentence_share(int64_t part, int64_t whole, char buffer[SENTENCE_TIME])
{
    double share = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    if (part > 0 && share < 0.01)
        snprintf(buffer, SENTENCE_TIME, "< 0.01 %%");
    else if (part < whole && share > 99.99)
        snprintf(buffer, SENTENCE_TIME, "> 99.99 %%");
    else if (part == 0 || part >= whole)
        snprintf(buffer, SENTENCE_TIME, "%d %%", part ? 100 : 0);
    else
        snprintf(buffer, SENTENCE_TIME, share < 1 || share > 99 ? "%.2f %%" : "%.1f %%", share);
    return buffer;
}

/* Hands one sentence over; an empty one says nothing. */
static void report_sentences_say(struct sentence_verdict *verdict, struct text *sentence)
{
    bool empty = !sentence->length;
    char *own = text_take(sentence);
    if (empty) {
        free(own);
        return;
    }
    verdict->sentences[verdict->count++] = own;
}

/* Before an election is first seen, another may have led; so soon after a recording began, hardly. */
#define SEEN_WITHIN_US INT64_C(2000000)

static void say_changes(struct sentence_verdict *verdict, const struct report_election *election)
{
    struct text text = {0};
    char often[24];
    const struct failover *last =
        election->failover_count ? &election->failovers[election->failover_count - 1] : NULL;
    bool open = last && failover_is_open(last);
    size_t seen = election->change_count, reported = 0;
    if (open && !seen)
        return;
    for (size_t i = 0; i < election->failover_count; i++)
        reported += failover_is_change(&election->failovers[i]);
    double rate = report_changes_per_hour(election);
    if (!election->led_us && !election->vacant_us) {
        text_add(&text, "It was not watched in this time.");
    } else if (!seen && !election->missed_count && election->leader_count == 1 && !election->vacant_us) {
        text_printf(&text, "%s %s all the time%s.", sentence_leader(&election->leaders[0]),
                    election->doubt ? "was first" : "led",
                    report_has_gap(election)               ? " that was watched"
                    : election->before_us > SEEN_WITHIN_US ? " since it was first seen"
                                                           : "");
    } else if (!seen) {
        text_add(&text, "No change of leader was seen.");
    } else {
        text_printf(&text, "The leader changed %zu time%s", seen, seen == 1 ? "" : "s");
        if (rate >= 0 && seen > 1)
            text_printf(&text, ", %s times an hour", format_rate(rate, often, sizeof often));
        const char *separator = ": ";
        for (int cause = 0; cause < CAUSE_COUNT; cause++) {
            size_t count = 0;
            for (size_t i = 0; i < election->failover_count; i++)
                count +=
                    failover_is_change(&election->failovers[i]) && (int)election->failovers[i].cause == cause;
            if (count) {
                text_printf(&text, "%s%zu %s", separator, count,
                            cause == CAUSE_UNKNOWN ? "for an unknown cause"
                                                   : failover_cause_word((enum failover_cause)cause));
                separator = ", ";
            }
        }
        if (seen > reported)
            text_printf(&text, "%s%zu with incomplete evidence", separator, seen - reported);
        text_add(&text, ".");
    }
    report_sentences_say(verdict, &text);
}

/* The outage at the end of the time: who led last, and how that ended. */
static void say_open_failover(struct sentence_verdict *verdict, const struct report_election *election)
{
    const struct failover *last =
        election->failover_count ? &election->failovers[election->failover_count - 1] : NULL;
    struct text text = {0};
    if (!last || !failover_is_open(last))
        return;
    text_printf(&text, "Nobody has led since %s was lost: %s%s.", sentence_from(last),
                last->cause == CAUSE_UNKNOWN ? "it is not known how" : failover_cause_word(last->cause),
                last->cause != CAUSE_UNKNOWN && last->cause_certainty == CERTAINTY_SUSPECTED ? " (suspected)"
                                                                                             : "");
    report_sentences_say(verdict, &text);
}

/* Lists show when a change was told; its failover, between which moments it was. */
static bool vacancies_are_exact(const struct report_election *election)
{
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct span *vacancy = &election->failovers[i].vacancy;
        if (vacancy->low_us != vacancy->high_us)
            return false;
    }
    return true;
}

static void say_vacancy(struct sentence_verdict *verdict, const struct report_election *election)
{
    struct text text = {0};
    char all[16], longest[16];
    const char *about = vacancies_are_exact(election) ? "" : "about ";
    format_span(election->vacant_us, all, sizeof all);
    format_span(election->longest_vacant_us, longest, sizeof longest);
    if (!election->led_us && election->vacant_us)
        text_printf(&text, "%s, for %s%s.",
                    election->kind == KIND_LOCK ? "It was free" : "There was no leader", about, all);
    else if (election->vacant_us) {
        text_printf(&text, "%s for %s%s", election->kind == KIND_LOCK ? "It was free" : "There was no leader",
                    about, all);
        if (election->longest_vacant_us < election->vacant_us)
            text_printf(&text, " in all, %s at the longest", longest);
        text_add(&text, ".");
    } else if (election->led_us && election->change_count)
        text_add(&text, "There was a first candidate at every observed moment.");
    report_sentences_say(verdict, &text);
}

static void say_gaps(struct sentence_verdict *verdict, const struct report_election *election)
{
    struct text text = {0};
    char gap[16], share[SENTENCE_TIME];
    int64_t gap_us = report_gap_us(election), whole = election->led_us + election->vacant_us + gap_us;
    if (election->before_us >= SEEN_LATE_US)
        text_printf(&text, "It was first seen %s after the beginning.",
                    format_span(election->before_us, gap, sizeof gap));
    report_sentences_say(verdict, &text);
    if (report_has_gap(election) && gap_us > 0 && gap_us < whole)
        text_printf(&text, "For %s (%s of the time) nothing was observed: it is not known what happened.",
                    format_span(gap_us, gap, sizeof gap), sentence_share(gap_us, whole, share));
    report_sentences_say(verdict, &text);
    if (election->missed_count)
        text_printf(&text,
                    election->missed_count == 1
                        ? "One change of leader was found only afterwards; no statistics include it."
                        : "%zu changes of leader were found only afterwards; no statistics include them.",
                    election->missed_count);
    report_sentences_say(verdict, &text);
}

static void say_end(struct sentence_verdict *verdict, const struct report_election *election)
{
    struct text text = {0};
    const struct report_stretch *last = election->stretch_count && !election->set_back
                                            ? &election->stretches[election->stretch_count - 1]
                                            : NULL;
    char span[16];
    bool led = last && last->kind == STRETCH_LED && last->leader != REPORT_NO_LEADER;
    if (led && election->doubt)
        text_printf(&text, "At the end %s was first, and %s: %s.",
                    sentence_leader(&election->leaders[last->leader]),
                    election->doubt_certainty == CERTAINTY_CERTAIN ? "did not lead" : "perhaps did not lead",
                    election->doubt);
    else if (led && election->leader_count > 1)
        text_printf(&text, "At the end %s led.", sentence_leader(&election->leaders[last->leader]));
    else if (last && last->kind == STRETCH_VACANT && election->led_us)
        text_printf(&text, "At the end %s, for %s already.",
                    election->kind == KIND_LOCK ? "it was free" : "there was no leader",
                    format_span(last->to_us - last->from_us, span, sizeof span));
    report_sentences_say(verdict, &text);
}

/* The responsible team and the runbook. */
static void say_responsible(struct sentence_verdict *verdict, const struct report_election *election)
{
    struct text text = {0};
    if (election->owner)
        text_printf(&text, "Owner: %s.", election->owner);
    if (election->runbook)
        text_printf(&text, "%sRunbook: %s", text.at ? " " : "", election->runbook);
    report_sentences_say(verdict, &text);
}

void sentence_verdict(const struct report_election *election, struct sentence_verdict *verdict)
{
    *verdict = (struct sentence_verdict){0};
    say_open_failover(verdict, election);
    say_changes(verdict, election);
    say_vacancy(verdict, election);
    say_gaps(verdict, election);
    say_end(verdict, election);
    say_responsible(verdict, election);
}

void sentence_verdict_free(struct sentence_verdict *verdict)
{
    for (size_t i = 0; i < verdict->count; i++)
        free(verdict->sentences[i]);
    *verdict = (struct sentence_verdict){0};
}
