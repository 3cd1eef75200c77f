#include "tui/words/story_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/json/json_event.h"
#include "tui/words/format.h"

/* This many sessions that end together are no coincidence. */
#define TOGETHER_LEAST 2
/* A client that comes back so soon was restarted on purpose. */
#define RESTARTED_US INT64_C(60000000)
#define STORY_CLOCK 32
/* A healthy change of ZooKeeper's leader takes less. */
#define EPOCH_SILENT_US INT64_C(5000000)

const char *sentence_kind_word(enum sentence_kind kind)
{
    static const char *const words[] = {"certain", "suspected", "inferred", "unknown"};
    return words[kind];
}

static void story_lines_say(struct sentences *s, enum sentence_kind kind, char *text, char *evidence)
{
    room_for_one(&s->list, s->count, &s->room, sizeof *s->list);
    s->list[s->count++] = (struct sentence){kind, text, evidence};
}

static const char *story_lines_who(const char *identity, const char *name)
{
    return identity ? identity : name ? name : "no leader";
}

static const char *from_of(const struct story *story)
{
    return story_lines_who(story->failover.from_identity, story->failover.from);
}

static const char *to_of(const struct story *story)
{
    return story_lines_who(story->failover.to_identity, story->failover.to);
}

static char *story_clock(const struct sentences *s, int64_t wall_us, char buffer[STORY_CLOCK])
{
    char time[40];
    if (!s->utc)
        return format_clock_ms(wall_us, buffer, STORY_CLOCK);
    const char *clock = strchr(format_time(wall_us, time, sizeof time), 'T');
    snprintf(buffer, STORY_CLOCK, "%.12s", clock ? clock + 1 : "?");
    return buffer;
}

/* ---- the change of leader ---- */

/* When the leader was lost: a time, or, found after a gap, the two between which it was. */
#define LOSS_CLOCK (2 * STORY_CLOCK + 16)
static const char *loss_clock(const struct sentences *s, const struct story *story, char buffer[LOSS_CLOCK])
{
    char from[STORY_CLOCK], to[STORY_CLOCK];
    const struct failover *f = &story->failover;
    int64_t gap_us = failover_lost_within_us(f);
    story_clock(s, f->lost_at.wall_us, to);
    if (gap_us > 0)
        snprintf(buffer, LOSS_CLOCK, "between %s and %s", story_clock(s, f->lost_at.wall_us - gap_us, from),
                 to);
    else
        snprintf(buffer, LOSS_CLOCK, "%s", to);
    return buffer;
}

/* There was no leader since, as far as was recorded. */
static void say_open(struct sentences *s, const struct story *story)
{
    char clock[LOSS_CLOCK], lost[40], end[STORY_CLOCK], until[64 + STORY_CLOCK] = "";
    const struct failover *f = &story->failover;
    bool open = failover_is_open(f), unseen = story->led_unseen || f->gap_us > 0;
    if (story->ends_us != 0)
        snprintf(until, sizeof until, "%s until %s, when the recording ends",
                 unseen ? "nobody is known to have led" : "nobody led", story_clock(s, story->ends_us, end));
    story_lines_say(s, SENTENCE_CERTAIN,
                    text_format("%s: %s lost the leadership of %s, and %s.", loss_clock(s, story, clock),
                                from_of(story), story->name,
                                !open    ? "nobody followed until the election ended"
                                : *until ? until
                                : unseen ? "nobody is known to have led since"
                                         : "nobody has led since"),
                    text_format("the znode of %s no longer existed at %s, and %s",
                                f->from ? f->from : "the leader",
                                format_time(f->lost_at.wall_us, lost, sizeof lost),
                                open ? "no leader was recorded after it" : "no candidate came"));
}

static void say_outage(struct sentences *s, const struct story *story)
{
    char seen[40];
    bool perhaps = story->after_count > 0 && story->after[0].certainty == CERTAINTY_SUSPECTED;
    story_lines_say(s, perhaps ? SENTENCE_SUSPECTED : SENTENCE_CERTAIN,
                    text_format("Nobody leads %s.", story->name),
                    text_format("so it was at %s; how that began was not recorded",
                                format_time(story->failover.lost_at.wall_us, seen, sizeof seen)));
}

static void say_change(struct sentences *s, const struct story *story)
{
    char clock[LOSS_CLOCK], lost[40], elected[40], vacancy[FORMAT_INTERVAL], without[96] = "";
    const struct failover *f = &story->failover;
    if (!f->to) {
        say_open(s, story);
        return;
    }
    format_interval(f->vacancy.low_us, f->vacancy.high_us, false, vacancy);
    if (f->vacancy.low_us > 0)
        snprintf(without, sizeof without, " after %s without a leader", vacancy);
    story_lines_say(
        s, SENTENCE_CERTAIN,
        story->only_first
            ? text_format("%s: leadership of %s went to %s%s. %s had been first, and did not lead.",
                          loss_clock(s, story, clock), story->name, to_of(story), without, from_of(story))
            : text_format("%s: leadership of %s moved from %s to %s%s.", loss_clock(s, story, clock),
                          story->name, from_of(story), to_of(story), without),
        text_format("the znode of %s no longer existed at %s, %s was first at %s",
                    f->from ? f->from : "the leader", format_time(f->lost_at.wall_us, lost, sizeof lost),
                    f->to ? f->to : "no leader",
                    f->elected_at.wall_us ? format_time(f->elected_at.wall_us, elected, sizeof elected)
                                          : "a time not known"));
}

static char *cause_text(const struct story *story)
{
    char timeout[32] = "";
    if (story->timeout_ms > 0)
        format_span((int64_t)story->timeout_ms * 1000, timeout, sizeof timeout);
    const char *from = from_of(story);
    switch (story->failover.cause) {
    case CAUSE_EXPIRED:
        return text_format(
            "The session of %s expired: the servers had not heard from it for its timeout%s%s.", from,
            *timeout ? " of " : "", timeout);
    case CAUSE_CLOSED:
        return text_format("The client of %s closed its session, as in an orderly shutdown.", from);
    case CAUSE_RESIGNED:
        return text_format("%s resigned: its own session deleted its candidate.", from);
    case CAUSE_EVICTED:
        return text_format("%s was evicted: another session deleted its candidate.", from);
    case CAUSE_DELETED:
        return text_format("The candidate of %s was deleted, by itself or by another session.", from);
    case CAUSE_ENDED:
        return text_format("The session of %s ended.", from);
    default:
        return text_format("Why %s left is not known.", from);
    }
}

static void say_cause(struct sentences *s, const struct story *story)
{
    const struct failover *f = &story->failover;
    enum sentence_kind kind = f->cause == CAUSE_UNKNOWN                 ? SENTENCE_UNKNOWN
                              : f->cause_certainty == CERTAINTY_CERTAIN ? SENTENCE_CERTAIN
                                                                        : SENTENCE_SUSPECTED;
    const char *none = f->cause == CAUSE_UNKNOWN
                           ? "no server and no log showed it; electop autopsy reads the logs"
                           : "as it was recorded";
    story_lines_say(s, kind, cause_text(story), text_copy(f->evidence ? f->evidence : none));
}

static void say_detection(struct sentences *s, const struct story *story)
{
    char span[FORMAT_INTERVAL];
    const struct failover *f = &story->failover;
    if (f->cause != CAUSE_EXPIRED || (f->detection.low_us < 0 && f->detection.high_us < 0))
        return;
    format_interval(f->detection.low_us, f->detection.high_us, false, span);
    story_lines_say(s, f->cause_certainty == CERTAINTY_CERTAIN ? SENTENCE_CERTAIN : SENTENCE_SUSPECTED,
                    text_format("Its client had stopped answering %s before that.", span),
                    text_copy("a client pings at least every third of its timeout, and the servers count the "
                              "timeout from when they last heard from it"));
}

static void say_no_pause(struct sentences *s, const struct client_pause *pause)
{
    char length[32];
    if (pause->refuted) {
        story_lines_say(
            s, SENTENCE_UNKNOWN,
            text_copy("The logs of its client's host show no pause that explains its silence."),
            text_copy("packets of its client contradict what overlaps: that is another process's, or "
                      "by another clock"));
        return;
    }
    if (pause->short_us) {
        story_lines_say(s, SENTENCE_UNKNOWN,
                        text_copy("The logs of its client's host show no pause that explains its silence."),
                        text_format("the longest took %s of that time",
                                    format_span(pause->short_us, length, sizeof length)));
        return;
    }
    story_lines_say(
        s, SENTENCE_UNKNOWN, text_copy("The logs of its client's host show no pause in that time."),
        pause->undated ? text_format("%zu of %zu pauses have no date; %s", pause->undated, pause->lines,
                                     pause->undated_kernel == pause->undated
                                         ? "dmesg -T, or the journal, shows it"
                                         : "start the JVM with -Xlog:gc*,safepoint:file=gc.log:time")
        : pause->lines
            ? text_format("they show %zu pause%s at other times", pause->lines, pause->lines == 1 ? "" : "s")
            : text_copy("no line of them is one of a JVM's GC log, or of a kernel about a suspend "
                        "or a kill"));
}

/* A clock that differs: what ties it is that the pause is as long as the silence. */
static void say_tied_pause(struct sentences *s, const struct story *story)
{
    const struct client_pause *pause = &story->pause;
    char length[32], ahead[32], from[40], to[40], silent[40], back[40];
    format_span(pause->to_us - pause->from_us, length, sizeof length);
    format_span(pause->ahead_us < 0 ? -pause->ahead_us : pause->ahead_us, ahead, sizeof ahead);
    story_lines_say(
        s, SENTENCE_INFERRED,
        text_format("Its client stopped: a pause of %s (%s) is as long as its silence.", length, pause->what),
        text_format("%s: from %s to %s, by a clock that is then about %s %s; it was silent from %s, and back "
                    "at %s; no "
                    "other pause fits",
                    pause->file, format_time(pause->from_us, from, sizeof from),
                    format_time(pause->to_us, to, sizeof to), ahead, pause->ahead_us < 0 ? "behind" : "ahead",
                    format_time(story_silent_since(story), silent, sizeof silent),
                    format_time(story->heard_us ? story->heard_us : story->returned_us, back, sizeof back)));
}

/* Entries of its host's logs in the time in which its client was silent. */
static void say_pause(struct sentences *s, const struct story *story)
{
    const struct client_pause *pause = &story->pause;
    char length[32], apart[32], from[40], to[40], silent[40], lost[40];
    const struct failover *f = &story->failover;
    int64_t since_us = story_silent_since(story), lost_us = f->lost_at.wall_us;
    if (story->pauses_read && f->cause_certainty == CERTAINTY_CERTAIN && !failover_has_detection(f->cause)) {
        if (!story->pause_assumed)
            story_lines_say(s, SENTENCE_CERTAIN, text_copy("No pause of its client ended its candidate."),
                            text_copy("a request did, so the logs of its host show no cause"));
        return;
    }
    if (story->pauses_read && !pause->what[0] && !story->pause_assumed)
        say_no_pause(s, pause);
    if (story->pauses_read && pause->ahead_us)
        say_tied_pause(s, story);
    if (!story->pauses_read || !pause->what[0] || pause->ahead_us)
        return;
    bool ends = pause->to_us != INT64_MAX;
    int64_t apart_us = pause->from_us - (since_us ? since_us : lost_us);
    format_span(ends ? pause->to_us - pause->from_us : 0, length, sizeof length);
    format_span(apart_us < 0 ? -apart_us : apart_us, apart, sizeof apart);
    const char *whose = story->pause_assumed ? "If this log is of its host, its client" : "Its client";
    const char *when = !since_us      ? "before its znode went"
                       : apart_us < 0 ? "before it was last heard"
                                      : "after it was last heard";
    story_lines_say(
        s, SENTENCE_INFERRED,
        ends ? text_format("%s stopped: a pause of %s (%s) began %s %s.", whose, length, pause->what, apart,
                           when)
             : text_format("%s stopped: its host logged \"%s\" %s %s.", whose, pause->what, apart, when),
        text_format("%s: from %s to %s; it was silent from %s to %s; the clocks are assumed to be equal",
                    pause->file, format_time(pause->from_us, from, sizeof from),
                    ends ? format_time(pause->to_us, to, sizeof to) : "an unknown end",
                    since_us ? format_time(since_us, silent, sizeof silent) : "a time not known",
                    format_time(lost_us, lost, sizeof lost)));
}

static void say_takeover(struct sentences *s, const struct story *story)
{
    char span[FORMAT_INTERVAL], total[FORMAT_INTERVAL];
    const struct failover *f = &story->failover;
    if (f->takeover.low_us < 0)
        return;
    format_interval(f->takeover.low_us, f->takeover.high_us, false, span);
    format_interval(f->total.low_us, f->total.high_us, false, total);
    story_lines_say(s, SENTENCE_CERTAIN,
                    f->takeover.high_us < 0
                        ? text_format("%s had not acknowledged %s after it was first.", to_of(story), span)
                        : text_format("%s acknowledged %s after it was first; the whole failover took %s.",
                                      to_of(story), span, total),
                    text_copy("the election's acknowledgement, as it was seen"));
}

/* ---- beside it ---- */

static void say_deleter(struct sentences *s, const struct story *story)
{
    struct text text = {0};
    if (!story->deleter)
        return;
    text_printf(&text, "Session 0x%" PRIx64 " deleted it, and ", story->deleter);
    if (story->deleter_others)
        text_printf(&text, "%zu other ephemeral znode%s within a minute, such as %s.", story->deleter_others,
                    story->deleter_others == 1 ? "" : "s", story->deleter_path ? story->deleter_path : "?");
    else
        text_add(&text, "no other ephemeral znode within a minute.");
    story_lines_say(s, SENTENCE_CERTAIN, text_take(&text),
                    text_copy("facts of the recording: deleted, in the minute before and after"));
    if (story->deleter_is_next) {
        story_lines_say(s, SENTENCE_INFERRED,
                        text_format("That is the next session of %s: the client had lost the old session, "
                                    "and deleted its old candidate.",
                                    from_of(story)),
                        text_copy("the same session owns a candidate of the same identity"));
        return;
    }
    if (story->deleted_us)
        return;
    story_lines_say(
        s, SENTENCE_INFERRED,
        text_copy(
            story->deleter_others
                ? "Several candidates were removed on purpose: look for a script or an operator."
                : "This candidate was removed on purpose: look for an operator or a fencing mechanism."),
        text_copy("a healthy client deletes only its own znodes"));
}

/* Deleted with all that was in it. */
static void say_deleted(struct sentences *s, const struct story *story)
{
    char without[32], at[40];
    if (!story->deleted_us)
        return;
    format_time(story->deleted_us, at, sizeof at);
    story_lines_say(
        s, SENTENCE_CERTAIN,
        story->remade_us
            ? text_format(
                  "The election itself was deleted with all its candidates, and created again after %s.",
                  format_span(story->remade_us - story->deleted_us, without, sizeof without))
            : text_copy("The election itself was deleted with all its candidates."),
        text_format("the directory %s no longer existed at %s", story->election, at));
}

static void story_put_names(struct text *names, char *const *list, size_t count, size_t all)
{
    for (size_t i = 0; i < count; i++)
        text_printf(names, "%s%s", i ? ", " : "", list[i] ? list[i] : "?");
    if (all > count)
        text_add(names, " and others");
}

/* A server that was not restarted, and where other sessions had begun that lived on, is not the cause. */
static bool is_server_suspected(const struct story *story)
{
    if (!story->session || story->expired_same_server != story->expired_beside)
        return false;
    for (size_t i = 0; i < story->start_count; i++)
        if (story->starts[i].number && story->starts[i].number == story->session >> 56)
            return true;
    return story->lived_same_server == 0;
}

/* Sessions that no server heard since ZooKeeper's own leader changed end one timeout later, or a tick. */
static bool is_epoch_suspected(const struct story *story)
{
    int64_t since_us = story->failover.lost_at.wall_us - story->epoch_us;
    int64_t timeout_us = (int64_t)story->timeout_ms * 1000;
    return story->epoch_us != 0 && timeout_us > 0 && since_us >= timeout_us * 2 / 3 &&
           since_us <= timeout_us * 3 / 2;
}

static char *shared_evidence(const struct story *story)
{
    if (story->lived_same_server)
        return text_format(
            "clients that stop at the same time expire within a third of their timeout; %zu candidate%s "
            "whose session had begun at the same server as the leader's stayed alive",
            story->lived_same_server, story->lived_same_server == 1 ? "" : "s");
    return text_copy("clients that stop at the same time expire within a third of their timeout");
}

/* Why they may have ended together. */
static void say_shared(struct sentences *s, const struct story *story)
{
    if (story->expired_same_host >= 1 && story->expired_same_host * 2 >= story->expired_beside)
        story_lines_say(s, SENTENCE_INFERRED,
                        text_copy("The host or its network is suspected rather than the application."),
                        text_copy("several clients at one address stopped at the same time"));
    else if (story->expired_same_name >= 1 && story->expired_same_name * 2 >= story->expired_beside)
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_format("By their names, %zu of them ran on the host of %s: that host or its network is "
                        "suspected rather than the application.",
                        story->expired_same_name, from_of(story)),
            text_copy("their identities differ only in the port"));
    else if (is_epoch_suspected(story))
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_copy("They ended one timeout after ZooKeeper's own leader had changed: the ensemble is "
                      "suspected rather than its clients."),
            text_copy("a client that found no server in time expires then, although it was alive"));
    else if (is_server_suspected(story))
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_format("These sessions had all begun at server %" PRIu64
                        ": that server, or the network to it, is suspected.",
                        story->session >> 56),
            text_copy("the first byte of a session's id is the number of the server that created it"));
    else if (story->expired_beside >= TOGETHER_LEAST)
        story_lines_say(s, SENTENCE_INFERRED,
                        text_copy("One failure behind all of them is suspected, such as a host or a network, "
                                  "rather than one application."),
                        shared_evidence(story));
}

static void say_together(struct sentences *s, const struct story *story)
{
    char within[32];
    struct text text = {0};
    if (story->failover.cause != CAUSE_EXPIRED || story->expired_beside == 0)
        return;
    format_span(story->together_us, within, sizeof within);
    text_printf(&text, "%zu other session%s expired within %s of it", story->expired_beside,
                story->expired_beside == 1 ? "" : "s", within);
    if (story->expired_same_host)
        text_printf(&text, ", %zu of them from the same address", story->expired_same_host);
    else if (story->expired_known == story->expired_beside)
        text_add(&text, ", none from the same address");
    if (story->beside_count) {
        text_add(&text, ": ");
        story_put_names(&text, story->beside, story->beside_count, story->expired_beside);
    }
    text_add(&text, ".");
    story_lines_say(
        s, SENTENCE_CERTAIN, text_take(&text),
        text_format("facts of the recording: %zu session-expired within %s; the address of %zu is known",
                    story->expired_beside, within, story->expired_known));
    say_shared(s, story);
}

/* "server 2", or by its directory. */
static char *server_label(const struct story_start *start)
{
    return start->number ? text_format("server %" PRIu64, start->number)
                         : text_format("the server of %s", start->server ? start->server : "?");
}

/* The leader's client may have lost this server. Where others that began there lived on, they had found
   another one, and so could it. */
static bool is_own_server(const struct story *story, const struct story_start *start)
{
    return story->failover.cause == CAUSE_EXPIRED && start->number != 0 &&
           start->number == story->session >> 56 && start->from_us <= story->failover.lost_at.wall_us &&
           story->lived_same_server == 0;
}

/* "server 1 went down between A and B, server 2 between C and D", and what shows it. */
static void put_starts(const struct sentences *s, const struct story *story, const char *verb,
                       struct text *text, struct text *evidence)
{
    char from[STORY_CLOCK], to[STORY_CLOCK];
    for (size_t i = 0; i < story->start_count; i++) {
        const struct story_start *start = &story->starts[i];
        char *label = server_label(start);
        story_clock(s, start->from_us ? start->from_us : start->to_us, from);
        story_clock(s, start->to_us, to);
        text_printf(text, "%s%s %sbetween %s and %s", i ? ", " : "", label, i ? "" : verb, from, to);
        text_printf(evidence, "%sthe log of %s with transaction 0x%" PRIx64 " (%s)", i ? ", " : "", label,
                    (uint64_t)start->zxid, start->server ? start->server : "?");
        free(label);
    }
    text_add(evidence, story->start_count > 1 ? " are new logs, as when a server starts"
                                              : " is a new log, as when a server starts");
    text_add(evidence, ", or where snapCount is very small");
}

static void say_starts(struct sentences *s, const struct story *story)
{
    struct text text = {0}, evidence = {0};
    bool own = false, leading = false;
    if (story->start_count == 0)
        return;
    for (size_t i = 0; i < story->start_count; i++) {
        own = own || is_own_server(story, &story->starts[i]);
        leading = leading || (story->epoch_us && story->starts[i].zxid == story->epoch_zxid);
    }
    text_add(&text, story->start_count > 1 ? "Servers were restarted" : "A server was restarted");
    /* The server that led ZooKeeper may begin a new log also where it was frozen or cut off, and is deposed.
     */
    text_add(&text, leading ? ", or cut off while one led: " : ": ");
    put_starts(s, story, leading ? "was lost " : "went down ", &text, &evidence);
    text_add(&text, leading ? "; ZooKeeper's own leader changed then." : ".");
    story_lines_say(s, SENTENCE_INFERRED, text_take(&text), text_take(&evidence));
    if (own)
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_format("The session of %s had begun at server %" PRIu64 ": its client is suspected to have "
                        "lost that server, and to have reached no other in time.",
                        from_of(story), story->session >> 56),
            text_format("session 0x%" PRIx64 " has that server's number in its first byte", story->session));
}

static bool is_epoch_reported(const struct story *story)
{
    for (size_t i = 0; i < story->start_count; i++)
        if (story->starts[i].zxid == story->epoch_zxid)
            return true;
    return false;
}

static void say_epoch(struct sentences *s, const struct story *story)
{
    char from[STORY_CLOCK], to[STORY_CLOCK], silent[32];
    int64_t silent_us = story->epoch_us - story->epoch_from_us;
    if (!story->epoch_us)
        return;
    story_clock(s, story->epoch_from_us ? story->epoch_from_us : story->epoch_us, from);
    story_clock(s, story->epoch_us, to);
    if (!is_epoch_reported(story))
        story_lines_say(s, SENTENCE_CERTAIN,
                        story->epoch_from_us
                            ? text_format("ZooKeeper's own leader changed between %s and %s.", from, to)
                            : text_format("ZooKeeper's own leader changed by %s.", to),
                        text_format("transaction 0x%" PRIx64 " is the first of epoch %" PRId64,
                                    (uint64_t)story->epoch_zxid, story->epoch_zxid >> 32));
    int64_t since_us = story->failover.lost_at.wall_us - story->epoch_us;
    bool near = since_us <= 2 * (int64_t)story->timeout_ms * 1000 || story->timeout_ms == 0;
    if (story->failover.cause == CAUSE_EXPIRED && near)
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_copy("That restarted every session timeout: the session expired later than its timeout "
                      "says. A client that reached no server in time may have been healthy."),
            text_copy("a new leader of ZooKeeper counts all timeouts from its beginning"));
    if (story->epoch_from_us && silent_us >= EPOCH_SILENT_US && story->missing == 0)
        story_lines_say(s, SENTENCE_CERTAIN,
                        text_format("Before ZooKeeper's leader changed, the servers had agreed on no change "
                                    "for %s: for some of that time there was no leader or no quorum.",
                                    format_span(silent_us, silent, sizeof silent)),
                        text_format("transaction 0x%" PRIx64 " is the first since %s",
                                    (uint64_t)story->epoch_zxid, from));
}

/* Was the client gone for good? */
static void say_returned(struct sentences *s, const struct story *story)
{
    char later[32], at[40];
    enum failover_cause cause = story->failover.cause;
    int64_t after_us = story->returned_us - story->failover.lost_at.wall_us;
    if (story->in_line_us && (cause == CAUSE_EXPIRED || cause == CAUSE_EVICTED)) {
        story_lines_say(s, SENTENCE_INFERRED,
                        text_format("Its client had probably been restarted before: another session of %s "
                                    "had been in line for %s.",
                                    from_of(story),
                                    format_span(story->failover.lost_at.wall_us - story->in_line_us, later,
                                                sizeof later)),
                        text_format("a candidate of the same identity and another session, since %s",
                                    format_time(story->in_line_us, at, sizeof at)));
        return;
    }
    if (!story->returned_us)
        return;
    story_lines_say(s, SENTENCE_CERTAIN,
                    text_format("%s was a candidate again %s later.", from_of(story),
                                format_span(after_us, later, sizeof later)),
                    text_format("%s joined at %s", story->returned ? story->returned : "it",
                                format_time(story->returned_us, at, sizeof at)));
    if (cause == CAUSE_CLOSED && after_us <= RESTARTED_US)
        story_lines_say(s, SENTENCE_INFERRED, text_copy("The client was probably restarted."),
                        text_copy("it closed its session, and joined again soon"));
    else if (cause == CAUSE_EXPIRED)
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_copy("So the client was restarted, or it had been stopped or cut off for a while."),
            text_copy("a log does not show whether a client was down or could not be heard"));
}

static void say_near(struct sentences *s, const struct story *story)
{
    struct text text = {0};
    if (story->near_count == 0)
        return;
    text_printf(&text, "%zu other election%s changed the leader within %.0f s: ", story->near_count,
                story->near_count == 1 ? "" : "s", (double)STORY_NEAR_US / 1e6);
    story_put_names(&text, story->near, story->near_count < STORY_NAMES ? story->near_count : STORY_NAMES,
                    story->near_count);
    text_add(&text, ".");
    story_lines_say(s, SENTENCE_CERTAIN, text_take(&text), text_copy("failovers that are known"));
    if (story->near_same_session)
        story_lines_say(s, SENTENCE_INFERRED,
                        text_format("%s led there, too, so both have the same cause.", from_of(story)),
                        text_format("%zu of these failovers lost the same leader", story->near_same_session));
}

/* ---- before ---- */

static void story_lines_say_leader(struct sentences *s, const struct story *story)
{
    char since[40], led[32];
    const struct failover *f = &story->failover;
    int64_t gap_us = failover_lost_within_us(f), led_us = f->lost_at.wall_us - gap_us - story->led_since_us;
    bool exact = story->led_exact && gap_us == 0;
    if (!story->led_since_us || led_us <= 0)
        return;
    story_lines_say(s, SENTENCE_CERTAIN,
                    text_format("%s had %s for %s%s.", from_of(story),
                                story->only_first ? "been first" : "led", exact ? "" : "at least ",
                                led_us < 1000000 ? format_span(led_us, led, sizeof led)
                                                 : format_age(led_us, led, sizeof led)),
                    text_format("its tenure began %s%s", story->led_exact ? "at " : "at or before ",
                                format_time(story->led_since_us, since, sizeof since)));
}

static void say_client(struct sentences *s, const struct story *story)
{
    if (!story->session || !story->client)
        return;
    story_lines_say(s, SENTENCE_CERTAIN,
                    text_format("Its client was at %s%s%s.", story->client,
                                story->server ? ", connected to " : "", story->server ? story->server : ""),
                    text_format("the latest connection of session 0x%" PRIx64, story->session));
}

/* Packets show when the successor was notified, and when it went on. */
static void say_reaction(struct sentences *s, const struct story *story)
{
    char notified[32], reacted[32];
    const struct failover *f = &story->failover;
    format_span(f->notified_us, notified, sizeof notified);
    format_span(f->reacted_us, reacted, sizeof reacted);
    story_lines_say(
        s, SENTENCE_CERTAIN,
        f->reacted_us
            ? text_format("%s was notified %s after that znode went, and sent its next request after %s.",
                          to_of(story), notified, reacted)
            : text_format("%s was notified %s after that znode went, and sent no request.", to_of(story),
                          notified),
        text_copy("the packets of its connection"));
}

static void say_chain(struct sentences *s, const struct story *story)
{
    if (story->failover.notified_us)
        say_reaction(s, story);
    if (!story->snapshot)
        return;
    if (story->successor && !story->failover.notified_us)
        story_lines_say(
            s, SENTENCE_CERTAIN,
            story->successor_left
                ? text_format("%s was next in line, and its znode went about then, too.", story->successor)
            : story->failover.gap_us > 0
                ? text_format("%s was next in line when the gap began.", story->successor)
            : story->successor_notified > 0
                ? text_format("%s was next in line, and watched its predecessor: it was notified at once.",
                              story->successor)
            : story->successor_notified < 0
                ? text_format("%s was next in line.", story->successor)
                : text_format("%s was next in line, and watched nothing that would have notified it.",
                              story->successor),
            text_format("%zu candidate%s in the snapshot just before%s", story->candidates,
                        story->candidates == 1 ? "" : "s",
                        story->successor_notified < 0 ? "; whether it watched is not known" : ""));
    else if (!story->successor)
        story_lines_say(s, SENTENCE_CERTAIN, text_copy("There was no successor."),
                        text_format("%zu candidate%s in the snapshot just before", story->candidates,
                                    story->candidates == 1 ? "" : "s"));
    if (story->chain_broken)
        story_lines_say(s, SENTENCE_CERTAIN, text_copy("The watch chain was broken further down the line."),
                        text_copy("the watches in the snapshot just before"));
}

static void say_after(struct sentences *s, const struct story *story)
{
    for (size_t i = 0; i < story->after_count; i++) {
        const struct vacancy_reason *reason = &story->after[i];
        story_lines_say(s, reason->certainty == CERTAINTY_CERTAIN ? SENTENCE_CERTAIN : SENTENCE_SUSPECTED,
                        text_format("Why nobody leads: %s.", reason->text), text_copy(reason->evidence));
    }
}

static bool same_kind(const struct story_finding *a, const struct story_finding *b)
{
    return a->code == b->code && a->certainty == b->certainty;
}

/* One of each kind: a long line may have one for each candidate. */
static void say_findings(struct sentences *s, const struct story *story)
{
    for (size_t i = 0; i < story->finding_count; i++) {
        const struct story_finding *finding = &story->findings[i];
        const char *word = finding_kind(finding->code)->word;
        size_t alike = 0, before = 0;
        for (size_t k = 0; k < story->finding_count; k++) {
            alike += same_kind(&story->findings[k], finding);
            before += k < i && same_kind(&story->findings[k], finding);
        }
        if (before > 0)
            continue;
        story_lines_say(s, finding->certainty == CERTAINTY_CERTAIN ? SENTENCE_CERTAIN : SENTENCE_SUSPECTED,
                        alike > 1
                            ? text_format("Before it, %s had been found, of %zu candidates.", word, alike)
                            : text_format("Before it, %s had been found.", word),
                        text_copy(finding->evidence ? finding->evidence : word));
    }
    if (story->servers_away > 0)
        story_lines_say(s, SENTENCE_CERTAIN,
                        text_format("%zu of %zu servers did not answer just before.", story->servers_away,
                                    story->server_count),
                        text_copy("the servers' states in the snapshot just before"));
}

/* The end of a sentence that begins with the name of a server. */
static const char *danger_text(const char *code)
{
    static const char *const texts[][2] = {
        {"server-slow", "was slow just before"},
        {"server-slow-disk", "had been slow to write to its disk in the ten minutes before"},
        {"server-read-only", "had lost the quorum just before, and was read-only"},
        {"server-lagging", "was behind the other servers just before"},
        {"server-connections", "had just before nearly all the connections that it accepts from one address"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(code, texts[i][0]) == 0)
            return texts[i][1];
    return code;
}

static bool delays_its_clients(const struct story_danger *danger)
{
    return strcmp(danger->code, "server-slow") == 0 || strcmp(danger->code, "server-slow-disk") == 0 ||
           strcmp(danger->code, "server-read-only") == 0;
}

static void say_dangers(struct sentences *s, const struct story *story)
{
    for (size_t i = 0; i < story->danger_count; i++) {
        const struct story_danger *danger = &story->dangers[i];
        story_lines_say(s, SENTENCE_CERTAIN,
                        text_format("The server %s %s.", danger->server, danger_text(danger->code)),
                        text_copy(danger->evidence));
        if (story->failover.cause == CAUSE_EXPIRED && delays_its_clients(danger) && story->server &&
            strcmp(story->server, danger->server) == 0)
            story_lines_say(s, SENTENCE_INFERRED,
                            text_format("The client of %s was connected there: its session may have expired "
                                        "although it was alive. Check that server first.",
                                        from_of(story)),
                            text_copy("such a server may process its clients' pings too late"));
    }
}

static void say_load(struct sentences *s, const struct story *story)
{
    char seen[40], average[32], longest[32];
    for (size_t i = 0; i < story->load_count; i++) {
        const struct story_load *load = &story->loads[i];
        bool timed = load->latency_avg_us >= 0 && load->latency_max_us >= 0;
        story_lines_say(
            s, SENTENCE_CERTAIN,
            text_format("The server %s had %" PRId64 " requests waiting.", load->server, load->waiting),
            text_format("its own figures at %s%s%s%s%s", format_time(load->seen_us, seen, sizeof seen),
                        timed ? "; latency on average " : "",
                        timed ? format_span(load->latency_avg_us, average, sizeof average) : "",
                        timed ? ", at most " : "",
                        timed ? format_span(load->latency_max_us, longest, sizeof longest) : ""));
    }
}

static void say_recurrence(struct sentences *s, const struct story *story)
{
    char back[32];
    struct text text = {0};
    if (story->before == 0)
        return;
    int64_t back_us = story->failover.lost_at.wall_us - story->before_since_us;
    text_printf(&text, "Its leader had changed %zu time%s in the %s before", story->before,
                story->before == 1 ? "" : "s",
                back_us < STORY_BACK_US ? format_age(back_us, back, sizeof back) : "7 days");
    if (story->before_same_from)
        text_printf(&text, ", %zu of them away from %s", story->before_same_from, from_of(story));
    if (story->before_same_cause && story->failover.cause != CAUSE_UNKNOWN)
        text_printf(&text, ", %zu for the same cause", story->before_same_cause);
    if (story->before_same_time)
        text_printf(&text, ", %zu at the same time of day", story->before_same_time);
    text_add(&text, ".");
    char *sentence = text_take(&text);
    story_lines_say(s, SENTENCE_CERTAIN, sentence, text_copy("failovers of this election that are known"));
    if (story->before_same_server >= 3 && story->before_same_server * 3 >= story->before_known * 2)
        story_lines_say(
            s, SENTENCE_CERTAIN,
            text_format("As its own session did, those of %zu of the latest %zu leaders before it began at "
                        "server %" PRIu64 ".",
                        story->before_same_server, story->before_known, story->session >> 56),
            text_copy("the first byte of a session's id is the number of the server that created it"));
    if (story->before_same_time >= 2)
        story_lines_say(
            s, SENTENCE_INFERRED,
            text_copy("Something that runs at this time of day is suspected: a backup, a job, a restart."),
            text_format("%zu failovers within two minutes of the same time on other days",
                        story->before_same_time));
}

/* ---- unknown facts ---- */

static void say_unknown(struct sentences *s, const struct story *story)
{
    char gap[32];
    int64_t lost_us = failover_lost_within_us(&story->failover);
    if (story->failover.gap_us > 0)
        story_lines_say(
            s, SENTENCE_UNKNOWN,
            text_format("Nothing was observed for %s: %s is not known.",
                        format_span(lost_us > 0 ? lost_us : story->failover.gap_us, gap, sizeof gap),
                        lost_us > 0 ? "when in that time it happened" : "who else led in that time"),
            text_copy("found after a gap of the recording"));
    if (story->back_us > 0)
        story_lines_say(
            s, SENTENCE_CERTAIN,
            text_format(
                "The clock of ZooKeeper's leader went back by %s around then: times may be off by that.",
                format_span(story->back_us, gap, sizeof gap)),
            text_copy("a later transaction has an earlier time"));
    if (story->missing > 0)
        story_lines_say(s, SENTENCE_UNKNOWN,
                        text_copy("Transactions around then are in no log: more may have happened."),
                        text_format("%zu gap%s between the zxids of the logs", story->missing,
                                    story->missing == 1 ? "" : "s"));
    if (!story->logged)
        story_lines_say(
            s, SENTENCE_UNKNOWN,
            text_copy("What other sessions did is not known. electop why --replay DIR reads the servers' "
                      "transaction logs."),
            text_copy("no facts of transaction logs are known around then"));
}

struct sentences story_sentences(const struct story *story, bool utc)
{
    struct sentences s = {.utc = utc};
    if (story->loss_unseen) {
        say_outage(&s, story);
        say_after(&s, story);
        return s;
    }
    say_change(&s, story);
    say_after(&s, story);
    say_cause(&s, story);
    say_deleter(&s, story);
    say_deleted(&s, story);
    say_together(&s, story);
    say_starts(&s, story);
    say_epoch(&s, story);
    say_near(&s, story);
    say_returned(&s, story);
    say_detection(&s, story);
    say_pause(&s, story);
    say_takeover(&s, story);
    say_chain(&s, story);
    story_lines_say_leader(&s, story);
    say_client(&s, story);
    say_findings(&s, story);
    say_dangers(&s, story);
    say_load(&s, story);
    say_recurrence(&s, story);
    say_unknown(&s, story);
    return s;
}

void sentences_free(struct sentences *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].text);
        free(s->list[i].evidence);
    }
    free(s->list);
    *s = (struct sentences){0};
}

void story_write(struct buffer *out, const struct story *story, const struct sentences *s)
{
    struct json_writer w = json_writer_to(out, true);
    json_write_begin(&w, '{');
    json_write_key(&w, "schema");
    json_write_int(&w, JSON_SCHEMA);
    json_write_key(&w, "cluster");
    json_write_string(&w, story->cluster);
    json_write_key(&w, "election");
    json_write_string(&w, story->election);
    json_write_key(&w, "time");
    json_write_time(&w, story->failover.lost_at.wall_us);
    json_write_key(&w, "failover");
    if (story->loss_unseen)
        json_write_null(&w);
    else
        json_failover_write(&w, &story->failover);
    json_write_key(&w, "sentences");
    json_write_begin(&w, '[');
    for (size_t i = 0; i < s->count; i++) {
        json_write_line(&w, 2);
        json_write_begin(&w, '{');
        json_write_key(&w, "text");
        json_write_string(&w, s->list[i].text);
        json_write_key(&w, "certainty");
        json_write_string(&w, sentence_kind_word(s->list[i].kind));
        json_write_key(&w, "evidence");
        json_write_string(&w, s->list[i].evidence);
        json_write_end(&w, '}');
    }
    json_write_line(&w, 0);
    json_write_end(&w, ']');
    json_write_end(&w, '}');
    buffer_put_char(out, '\n');
}
