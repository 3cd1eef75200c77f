#include "probe/election/failover_judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Beyond the rounding of 1.5 ticks: time to delete and to notify us. */
#define ROUNDING_SLACK_US INT64_C(500000)
/* A client is due to speak every third of its timeout, if it was not seen to do so less often, and its machine may
   let it do so late. */
#define LATE_US INT64_C(150000)
#define ANSWERED_LATE_US INT64_C(300000)

/* Of a session without a connection, until it ends: longer than a client needs for a connection and a close. */
#define APART_LEAST_US INT64_C(1000000)

int64_t failover_expiry_most_us(int timeout_ms, int tick_ms)
{
    if (timeout_ms <= 0 || tick_ms <= 0)
        return -1;
    return (int64_t)timeout_ms * 1000 + (int64_t)tick_ms * 1500 + ROUNDING_SLACK_US;
}

/* A server lists the time of its answer, which is later than that of hearing: by its whole queue. */
static int64_t answered_late_us(const struct failover_evidence *e)
{
    int64_t part_us = (int64_t)e->timeout_ms * 50;
    return part_us > ANSWERED_LATE_US ? part_us : ANSWERED_LATE_US;
}

static bool fell_silent(const struct failover_evidence *e)
{
    int64_t half_us = (int64_t)e->timeout_ms * 500;
    return e->parted_us != 0 || (e->listed_us != 0 && e->listed_us - e->heard_high_us > half_us);
}

bool failover_was_closed(const struct failover_evidence *e)
{
    /* No server gives a session up before its timeout is over. */
    int64_t least_us = (int64_t)e->timeout_ms * 1000 - answered_late_us(e);
    return e->fate == FATE_OVER && !e->displaced && !e->unreported && e->timeout_ms > 0 &&
           e->heard_low_us != 0 && e->fate_us - e->heard_low_us < least_us;
}

/* A client may delete its znode and then close its session, and another may delete that of a session which
   ends soon after: only one transaction for both is proof. */
static enum certainty ended_with_it(const struct failover_evidence *e)
{
    return e->together ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
}

static enum failover_cause how_it_ended(const struct failover_evidence *e, enum certainty *certainty)
{
    int64_t timeout_us = (int64_t)e->timeout_ms * 1000, least_us = timeout_us - answered_late_us(e);
    *certainty = ended_with_it(e);
    if (e->heard_low_us == 0 && e->apart_us != 0 && e->gone_us - e->apart_us >= APART_LEAST_US) {
        *certainty = CERTAINTY_SUSPECTED; /* to close it takes a connection, which lists may have missed */
        return CAUSE_EXPIRED;
    }
    if (timeout_us <= 0 || e->heard_low_us == 0)
        return CAUSE_ENDED;
    if (failover_was_closed(e))
        return e->together ? CAUSE_CLOSED : CAUSE_ENDED;
    if (e->since_us - e->heard_low_us < least_us || !fell_silent(e))
        return CAUSE_ENDED;
    *certainty = CERTAINTY_SUSPECTED;
    return CAUSE_EXPIRED;
}

static enum failover_cause logged_cause(const struct failover_evidence *e)
{
    if (e->logged == DEED_CLOSED)
        return CAUSE_CLOSED;
    if (e->logged == DEED_EXPIRED)
        return CAUSE_EXPIRED;
    if (e->session == 0 || (e->logged_session == 0 && !e->by_another))
        return CAUSE_DELETED;
    return e->logged_session == e->session ? CAUSE_RESIGNED : CAUSE_EVICTED;
}

static enum failover_cause judge_cause(const struct failover_evidence *e, enum certainty *certainty)
{
    *certainty = CERTAINTY_CERTAIN;
    if (e->displaced)
        return CAUSE_UNKNOWN;
    if (e->logged != DEED_NONE) {
        if (e->logged_unproven)
            *certainty = CERTAINTY_SUSPECTED;
        return logged_cause(e);
    }
    if (e->no_session)
        return CAUSE_DELETED;
    if (e->resigned)
        return CAUSE_RESIGNED;
    if (e->deleter != 0) /* perhaps its owner, where the owner was never read */
        return e->session != 0 ? CAUSE_EVICTED : CAUSE_DELETED;
    if (e->fate == FATE_ALIVE)
        return e->idle ? CAUSE_EVICTED : CAUSE_DELETED;
    return e->fate == FATE_OVER ? how_it_ended(e, certainty) : CAUSE_UNKNOWN;
}

/*
 * It died after it was last heard, and before its next ping, which is due after a third of its timeout; the
 * server gave it up when its timeout was over, counted from the same moment, and rounded up. A list that
 * was asked for within that timeout shows the very last time; one without its connection shows it dead.
 */
static struct span judge_detection(const struct failover_evidence *e)
{
    if (e->captured_heard_us != 0 && e->captured_gone_us != 0) {
        int64_t silent_us = e->captured_gone_us - e->captured_heard_us;
        return (struct span){silent_us, silent_us};
    }
    int64_t timeout_us = (int64_t)e->timeout_ms * 1000, ping_us = (int64_t)e->ping_ms * 1000;
    int64_t pause_us = ping_us > timeout_us / 3 + LATE_US ? ping_us : timeout_us / 3;
    int64_t most_us = e->restarted ? -1 : failover_expiry_most_us(e->timeout_ms, e->tick_ms);
    bool bounded = most_us >= 0 || e->heard_low_us != 0;
    if (timeout_us <= 0 || e->since_us != e->gone_us || (!bounded && e->logged != DEED_EXPIRED))
        return SPAN_UNKNOWN;
    /* A ZooKeeper leader that was stopped receives no pings, and then expires sessions whose pings are waiting. */
    int64_t least_us = e->logged_stalled ? 0 : timeout_us - pause_us;
    struct span span = {least_us, most_us < 0 ? SPAN_OPEN : most_us};
    if (e->heard_low_us == 0)
        return span.low_us == 0 && span.high_us < 0 ? SPAN_UNKNOWN : span;
    int64_t unheard_us = e->gone_us - e->heard_low_us + LATE_US;
    if (span.high_us < 0 || unheard_us < span.high_us)
        span.high_us = unheard_us;
    int64_t latest_us = e->gone_us - least_us + LATE_US;
    if (e->listed_us >= e->gone_us - timeout_us && e->heard_high_us + pause_us + LATE_US < latest_us)
        latest_us = e->heard_high_us + pause_us + LATE_US;
    /* Where servers were restarted, clients go from one to the next, faster than lists follow. */
    if (e->parted_us != 0 && !e->restarted && e->parted_us < latest_us)
        latest_us = e->parted_us;
    span.low_us = e->gone_us - latest_us;
    int64_t widest_us = most_us < 0 ? INT64_MAX : most_us - timeout_us + pause_us;
    if (span.high_us - span.low_us > widest_us)
        span.low_us = span.high_us - widest_us;
    /* The bounds contradict each other: a server heard it and did not list it, or its expiry was delayed.
       What remains is that it died after it was last heard. */
    if (span.low_us > span.high_us)
        span = (struct span){least_us, unheard_us > span.low_us ? unheard_us : SPAN_OPEN};
    if (span.low_us < 0)
        span.low_us = 0;
    return span;
}

void failover_judge(const struct failover_evidence *e, struct failover *failover)
{
    failover->cause = judge_cause(e, &failover->cause_certainty);
    failover->detection = failover->cause == CAUSE_EXPIRED ? judge_detection(e) : SPAN_UNKNOWN;
}

struct span failover_total(const struct failover *failover)
{
    enum failover_cause cause = failover->cause;
    bool may_have_been_dead = cause == CAUSE_EXPIRED || cause == CAUSE_ENDED || cause == CAUSE_UNKNOWN;
    struct span detection = may_have_been_dead ? failover->detection : (struct span){0, 0};
    const struct span *parts[] = {&detection, &failover->vacancy, &failover->takeover};
    struct span total = {0, 0};
    if (failover->takeover.low_us < 0)
        return SPAN_UNKNOWN;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        total.low_us += parts[i]->low_us > 0 ? parts[i]->low_us : 0;
        total.high_us =
            total.high_us < 0 || parts[i]->high_us < 0 ? SPAN_OPEN : total.high_us + parts[i]->high_us;
    }
    return total;
}

/* ---- in words ---- */

static const char *seconds(int64_t us, char *buffer, size_t size)
{
    if (us < 0)
        us = 0;
    snprintf(buffer, size, us < 10000000 ? "%.2f s" : "%.1f s", (double)us / 1e6);
    return buffer;
}

static void describe_end(const struct failover_evidence *e, enum failover_cause cause, char *buffer,
                         size_t size)
{
    char heard[32], listed[32], timeout[32], parted[80] = "";
    const char *at = e->server ? e->server : "its server";
    int64_t unheard_us = e->gone_us - e->heard_low_us;
    if (cause == CAUSE_EXPIRED && e->listed_us < e->gone_us - (int64_t)e->timeout_ms * 1000) {
        int64_t most_us = judge_detection(e).high_us; /* its expiry shows that it was heard after that list */
        unheard_us = most_us >= 0 && most_us < unheard_us ? most_us : unheard_us;
    }
    seconds(e->fate_us - e->gone_us, listed, sizeof listed);
    if (e->heard_low_us == 0 && (cause == CAUSE_ENDED || e->apart_us != 0)) {
        char span[32], apart[112] = "";
        if (cause == CAUSE_EXPIRED)
            snprintf(apart, sizeof apart, "no server had a connection from it for %s before its znode went; ",
                     seconds(e->gone_us - e->apart_us, span, sizeof span));
        bool seen = e->since_us == e->gone_us;
        snprintf(buffer, size, "%sabsent from the session list %s%s; it is not known when it was last heard",
                 apart, seen ? listed : "when its loss was found", seen ? " after" : "");
        return;
    }
    if (e->parted_us != 0) {
        char span[32];
        snprintf(parted, sizeof parted, ", which had no connection from it for %s",
                 seconds(e->gone_us - e->parted_us, span, sizeof span));
    }
    const char *how = "";
    if (failover_was_closed(e))
        how = e->together ? ": one transaction ended it and deleted its znode"
                          : ": its client closed it, perhaps after its znode had been deleted";
    snprintf(buffer, size,
             "last heard %s before its znode went, by %s%s; its timeout is %s; absent from the session list "
             "%s after%s",
             seconds(unheard_us, heard, sizeof heard), at, parted,
             seconds((int64_t)e->timeout_ms * 1000, timeout, sizeof timeout), listed, how);
}

static void describe_deed(const struct failover_evidence *e, enum failover_cause cause, char *buffer,
                          size_t size)
{
    char timeout[64] = "", span[32];
    if (e->timeout_ms > 0)
        snprintf(timeout, sizeof timeout, ", whose timeout is %s",
                 seconds((int64_t)e->timeout_ms * 1000, span, sizeof span));
    int length = snprintf(buffer, size, "transaction 0x%" PRIx64 ": ", (uint64_t)e->logged_zxid);
    if (length < 0 || (size_t)length >= size)
        return;
    buffer += length;
    size -= (size_t)length;
    if (cause == CAUSE_CLOSED)
        snprintf(buffer, size, "its client closed session 0x%" PRIx64, e->logged_session);
    else if (cause == CAUSE_EXPIRED)
        snprintf(buffer, size, "the servers ended session 0x%" PRIx64 "%s: it had expired", e->logged_session,
                 timeout);
    else if (cause == CAUSE_RESIGNED)
        snprintf(buffer, size, "its own session 0x%" PRIx64 " deleted it", e->logged_session);
    else if (cause == CAUSE_EVICTED)
        snprintf(buffer, size, "session 0x%" PRIx64 " deleted it; its own session is 0x%" PRIx64,
                 e->logged_session, e->session);
    else
        snprintf(buffer, size, "session 0x%" PRIx64 " deleted it; %s", e->logged_session,
                 e->no_session ? "it belonged to no session" : "its owner is not known");
}

static void describe_captured(const struct failover_evidence *e, enum failover_cause cause, char *buffer,
                              size_t size)
{
    char silent[32], timeout[32];
    int64_t gone_us = e->captured_gone_us ? e->captured_gone_us : e->gone_us;
    if (cause == CAUSE_CLOSED)
        snprintf(buffer, size, "its client asked to close session 0x%" PRIx64, e->logged_session);
    else if (cause == CAUSE_EXPIRED && e->captured_heard_us != 0)
        snprintf(buffer, size,
                 "the last packet of its client came %s%s before its znode went; its timeout is %s, and no "
                 "captured server heard it since%s",
                 e->captured_gone_us ? "" : "at most ", /* it was missed then */
                 seconds(gone_us - e->captured_heard_us, silent, sizeof silent),
                 seconds((int64_t)e->timeout_ms * 1000, timeout, sizeof timeout),
                 e->logged_unproven ? "; a server that was not captured then may have heard it" : "");
    else if (cause == CAUSE_EXPIRED && e->captured_gone_us != 0)
        snprintf(buffer, size,
                 "no packet of session 0x%" PRIx64 " came for its timeout of %s before its znode went%s",
                 e->logged_session, seconds((int64_t)e->timeout_ms * 1000, timeout, sizeof timeout),
                 e->logged_unproven ? ", but some may be missing" : "");
    else if (cause == CAUSE_EXPIRED)
        snprintf(buffer, size, "the servers had ended session 0x%" PRIx64 " when its client came back",
                 e->logged_session);
    else if (cause == CAUSE_RESIGNED)
        snprintf(buffer, size, "its own session 0x%" PRIx64 " asked to delete it", e->logged_session);
    else if (cause == CAUSE_EVICTED && e->logged_session == 0)
        snprintf(buffer, size, "its own session 0x%" PRIx64 " did not ask to delete it", e->session);
    else if (cause == CAUSE_EVICTED)
        snprintf(buffer, size, "session 0x%" PRIx64 " asked to delete it; its own session is 0x%" PRIx64,
                 e->logged_session, e->session);
    else if (e->logged_session != 0)
        snprintf(buffer, size, "session 0x%" PRIx64 " asked to delete it", e->logged_session);
    else
        snprintf(buffer, size, "a client whose session is not known asked to delete it");
}

static void describe_logged(const struct failover_evidence *e, enum failover_cause cause, char *buffer,
                            size_t size)
{
    if (e->captured) {
        describe_captured(e, cause, buffer, size);
        return;
    }
    describe_deed(e, cause, buffer, size);
    size_t length = strlen(buffer);
    if (e->logged_unproven)
        snprintf(buffer + length, size - length,
                 "; only one server logged it, and that server then left its epoch: perhaps no other server "
                 "agreed");
}

const char *failover_evidence_describe(const struct failover_evidence *e, enum failover_cause cause,
                                       char *buffer, size_t size)
{
    char span[32];
    int length = 0;
    buffer[0] = '\0';
    if (e->displaced)
        snprintf(buffer, size, "its znode still exists: a candidate with a lower number joined ahead of it");
    else if (e->logged != DEED_NONE)
        describe_logged(e, cause, buffer, size);
    else if (e->no_session)
        snprintf(buffer, size, "its znode belonged to no session, so a client deleted it");
    else if (cause == CAUSE_RESIGNED)
        snprintf(buffer, size, "its own session 0x%" PRIx64 " deleted it, as its connection%s%s shows",
                 e->session, e->server ? " at " : "", e->server ? e->server : "");
    else if (e->deleter != 0)
        snprintf(buffer, size, "session 0x%" PRIx64 " deleted it, as its connection shows%s", e->deleter,
                 cause == CAUSE_EVICTED ? "" : "; its owner is not known");
    else if (e->fate == FATE_ALIVE) {
        length = snprintf(buffer, size, "its session 0x%" PRIx64 " is still alive: ", e->session);
        if (length > 0 && (size_t)length < size && e->alive_by)
            length += snprintf(buffer + length, size - (size_t)length, "%s", e->alive_by);
        else if (length > 0 && (size_t)length < size)
            length += snprintf(buffer + length, size - (size_t)length, "listed %s after",
                               seconds(e->fate_us - e->gone_us, span, sizeof span));
        if (cause == CAUSE_EVICTED && length > 0 && (size_t)length < size)
            snprintf(buffer + length, size - (size_t)length, ", and it had requested nothing in that time");
    } else if (e->fate == FATE_OVER) {
        describe_end(e, cause, buffer, size);
    } else if (e->hidden) {
        snprintf(buffer, size, "no server shows its connections or sessions%s would tell",
                 e->packets ? ", nor do the packets show its end; --transactions"
                            : "; --transactions or --capture");
    }
    return buffer;
}
