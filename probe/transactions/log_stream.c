#include "probe/transactions/log_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/transactions/log_reader.h"

/*
 * A leader that has lost its followers writes proposals down until it gives up, syncLimit ticks later (10 s
 * by default). Time in which it was held up does not count: one that was frozen expires sessions when it
 * wakes.
 */
#define TAIL_MS 30000
#define TAIL_PAUSE_MS 2000
/* The number of transactions of a tail that are checked. */
#define TAIL_MOST 65536

/* How one server's log leaves an epoch. */
struct epoch_end {
    bool known;       /* it was looked up */
    int64_t epoch;    /* of which */
    int64_t next;     /* the first transaction of a later epoch; 0: the log has none */
    int64_t unproven; /* the first transaction of the epoch's last TAIL_MS, where the log lacks the beginning
                         of the next epoch; else INT64_MAX */
};

/* One server's logs, one after the other. */
struct server_log {
    size_t server; /* in the set */
    size_t file;   /* the one being read */
    struct log_reader reader;
    bool open, has_head;
    bool over; /* the last file gives nothing more: it cannot be read */
    struct transaction head;
    int64_t last;         /* zxid of the latest one before the head; 0: none */
    int64_t time_ms;      /* of the latest record before the head; 0: none */
    struct epoch_end end; /* of the head's epoch, once it was looked for */
};

struct log_stream {
    struct log_set *set;
    struct server_log *logs;
    size_t log_count;
    int64_t last;    /* zxid that was handed out last; 0: none */
    int64_t dropped; /* zxid of the latest one that was left out; 0: none */
    int64_t first;   /* where none was: the one that the earliest file is named for */
    int64_t bytes;
    bool handed; /* the heads of that zxid are to be left behind */
    stream_note_fn note;
    void *context;
};

static void stream_emit(const struct log_stream *s, struct stream_note note)
{
    if (s->note)
        s->note(s->context, &note);
}

static struct server_file *current_file(const struct log_stream *s, const struct server_log *log)
{
    return &s->set->servers[log->server].logs[log->file];
}

static bool is_last_file(const struct log_stream *s, const struct server_log *log)
{
    return log->file + 1 >= s->set->servers[log->server].log_count;
}

static void server_log_close(struct log_stream *s, struct server_log *log)
{
    if (log->open) {
        s->bytes += log_reader_offset(&log->reader);
        log_reader_end(&log->reader);
    }
    log->open = false;
}

/* The next file. False: the one that is open is the last. */
static bool server_log_on(struct log_stream *s, struct server_log *log)
{
    if (is_last_file(s, log))
        return false;
    server_log_close(s, log);
    log->over = false;
    log->file++;
    return true;
}

static bool server_log_open(struct log_stream *s, struct server_log *log)
{
    const char *why;
    int fd = log_set_read(s->set, current_file(s, log), &why);
    if (fd < 0) {
        stream_emit(
            s, (struct stream_note){.kind = STREAM_UNREAD, .where = current_file(s, log)->path, .why = why});
        return false;
    }
    log_reader_begin(&log->reader, fd);
    log->open = true;
    return true;
}

/* Notes bytes that are not a record. False: this file is finished. */
static bool note_trouble(struct log_stream *s, struct server_log *log, enum log_next next)
{
    const char *path = current_file(s, log)->path;
    if (next == LOG_DAMAGED) {
        stream_emit(s, (struct stream_note){.kind = STREAM_DAMAGED,
                                            .where = path,
                                            .from = log->reader.damaged_from,
                                            .to = log->reader.damaged_to,
                                            .zxid = log->last});
        return true;
    }
    const char *why = log->reader.foreign ? "is not a transaction log of ZooKeeper" : strerror(errno);
    if (next == LOG_FAILED)
        stream_emit(s, (struct stream_note){.kind = STREAM_UNREAD, .where = path, .why = why});
    return false;
}

/*
 * A wrong bit, or a bug, can leave a time that no server ever had, which would stretch the whole story over
 * years. But real clocks do jump. So a time is rejected if it lies before ZooKeeper existed or centuries ahead,
 * if it is far from the records on both sides and these agree, or, at the end of the records, if it is years
 * away; at their beginning only if it is years later and still to come, as a record that follows may be the wrong
 * one.
 */
#define FIRST_MS INT64_C(1136073600000) /* 2006 */
#define LAST_MS INT64_C(7258118400000)  /* 2200 */
#define FAR_MS INT64_C(86400000)
#define YEARS_FAR_MS (3652 * FAR_MS)

static bool is_far(int64_t a_ms, int64_t b_ms, int64_t far_ms)
{
    return a_ms - b_ms > far_ms || b_ms - a_ms > far_ms;
}

static bool is_possible_time(int64_t time_ms)
{
    return time_ms >= FIRST_MS && time_ms < LAST_MS;
}

static bool time_is_damaged(const struct server_log *log)
{
    struct transaction next;
    int64_t time_ms = log->head.time_ms;
    if (!is_possible_time(time_ms))
        return true;
    bool first = log->time_ms == 0;
    if (!first && !is_far(time_ms, log->time_ms, FAR_MS))
        return false;
    const unsigned char *record = log_reader_peek(&log->reader);
    if (!record || !transaction_read(record, TRANSACTION_HEADER_BYTES, &next) ||
        !is_possible_time(next.time_ms))
        return !first && is_far(time_ms, log->time_ms, YEARS_FAR_MS);
    if (first) /* of the two, the one that is still to come is wrong */
        return time_ms - next.time_ms > YEARS_FAR_MS && time_ms > clock_now().wall_us / 1000;
    return is_far(time_ms, next.time_ms, FAR_MS) && !is_far(next.time_ms, log->time_ms, FAR_MS);
}

/* Takes a record as the head, unless it was seen before, or is damaged in spite of its checksum. */
static void server_log_take(struct log_stream *s, struct server_log *log, const unsigned char *record,
                            size_t length)
{
    if (!transaction_read(record, length, &log->head))
        return;
    if (time_is_damaged(log)) {
        int64_t to = log_reader_offset(&log->reader);
        stream_emit(s, (struct stream_note){.kind = STREAM_DAMAGED,
                                            .where = current_file(s, log)->path,
                                            .why = "an impossible time",
                                            .from = to - (int64_t)length - FRAME_BYTES - 1,
                                            .to = to,
                                            .zxid = log->last});
        return;
    }
    log->time_ms = log->head.time_ms;
    log->has_head = log->head.zxid > log->last && log->head.zxid > s->last;
}

/* Fills the head. False: there is no more at present. */
static bool server_log_fill(struct log_stream *s, struct server_log *log)
{
    const unsigned char *record;
    size_t length;
    while (!log->has_head) {
        log->over = log->over || (!log->open && !server_log_open(s, log));
        if (log->over) {
            if (!server_log_on(s, log))
                return false;
            continue;
        }
        enum log_next next = log_reader_next(&log->reader, &record, &length);
        if (next == LOG_RECORD) {
            server_log_take(s, log, record, length);
        } else if (!note_trouble(s, log, next) && !server_log_on(s, log)) {
            log->over = next == LOG_FAILED;
            return false;
        }
    }
    return true;
}

static struct server_log *lowest_head(struct log_stream *s)
{
    struct server_log *lowest = NULL;
    for (size_t i = 0; i < s->log_count; i++)
        if (server_log_fill(s, &s->logs[i]) && (!lowest || s->logs[i].head.zxid < lowest->head.zxid))
            lowest = &s->logs[i];
    return lowest;
}

/* ---- the end of an epoch ---- */

struct tail_entry {
    int64_t zxid, time_ms;
};

/* The latest transactions of an epoch. */
struct tail {
    struct tail_entry *ring;
    size_t count, next;
};

static void tail_add(struct tail *tail, const struct transaction *t)
{
    if (!is_possible_time(t->time_ms))
        return; /* damage, which no stream gives */
    tail->ring[tail->next] = (struct tail_entry){t->zxid, t->time_ms};
    tail->next = (tail->next + 1) % TAIL_MOST;
    tail->count += tail->count < TAIL_MOST;
}

/* The first of them that lies within the last TAIL_MS; 0: there is none at all. */
static int64_t tail_begin(const struct tail *tail)
{
    int64_t begin = 0, passed_ms = 0, later_ms = 0;
    for (size_t i = 1; i <= tail->count; i++) {
        const struct tail_entry *entry = &tail->ring[(tail->next + TAIL_MOST - i) % TAIL_MOST];
        int64_t pause_ms = i > 1 ? later_ms - entry->time_ms : 0;
        passed_ms += pause_ms < 0 ? 0 : pause_ms > TAIL_PAUSE_MS ? TAIL_PAUSE_MS : pause_ms;
        if (passed_ms > TAIL_MS)
            break;
        begin = entry->zxid;
        later_ms = entry->time_ms;
    }
    return begin;
}

/* Reads a log file for the end of an epoch. True: it has a transaction of a later one. */
static bool find_epoch_end(int fd, struct epoch_end *end, struct tail *tail)
{
    struct log_reader reader;
    struct transaction t;
    const unsigned char *record;
    size_t length;
    enum log_next next;
    if (fd < 0)
        return false;
    log_reader_begin(&reader, fd);
    while (end->next == 0 && (next = log_reader_next(&reader, &record, &length)) != LOG_END &&
           next != LOG_FAILED) {
        if (next != LOG_RECORD || !transaction_read(record, length, &t))
            continue;
        if (zxid_epoch(t.zxid) > end->epoch)
            end->next = t.zxid;
        else if (zxid_epoch(t.zxid) == end->epoch)
            tail_add(tail, &t);
    }
    log_reader_end(&reader);
    return end->next != 0;
}

static void look_up_epoch_end(const struct log_stream *s, struct server_log *log)
{
    const struct log_server *server = &s->set->servers[log->server];
    struct epoch_end *end = &log->end;
    const char *why;
    int64_t epoch = zxid_epoch(log->head.zxid);
    *end = (struct epoch_end){.known = true, .epoch = epoch, .unproven = INT64_MAX};
    size_t last = log->file; /* the last file that begins in this epoch */
    while (last + 1 < server->log_count && zxid_epoch(server->logs[last + 1].zxid) <= epoch)
        last++;
    /* Most logs end in the epoch in which they began: that shows from their end alone. */
    if (last + 1 == server->log_count &&
        zxid_epoch(log_last_zxid(log_set_read(s->set, &server->logs[last], &why))) == epoch)
        return;
    struct tail tail = {.ring = xcalloc(TAIL_MOST, sizeof *tail.ring)};
    for (size_t i = last > log->file ? last - 1 : last; i < server->log_count; i++)
        if (find_epoch_end(log_set_read(s->set, &server->logs[i], &why), end, &tail))
            break;
    if (zxid_count(end->next) > 1)
        end->unproven = tail_begin(&tail);
    free(tail.ring);
}

/* How this server's log leaves the epoch of its head. */
static const struct epoch_end *epoch_end_of(const struct log_stream *s, struct server_log *log)
{
    if (!log->end.known || log->end.epoch != zxid_epoch(log->head.zxid))
        look_up_epoch_end(s, log);
    return &log->end;
}

/*
 * Did the server that wrote this transaction keep it? A deposed leader's last proposals stay in its log
 * although no other server agreed, if it is then sent a whole snapshot: its log goes on within the next
 * epoch, without that epoch's beginning. A log that was compared with the next leader's has the beginning.
 */
static bool was_kept(struct log_stream *s, int64_t zxid, int64_t begun)
{
    for (size_t i = 0; i < s->log_count; i++) {
        struct server_log *log = &s->logs[i];
        if (!log->has_head || log->head.zxid != zxid)
            continue;
        if (log->end.next == 0)
            log->end.known = false; /* the server may have written on */
        int64_t later = epoch_end_of(s, log)->next;
        bool whole = zxid_count(later) <= 1 && zxid_epoch(later) <= zxid_epoch(begun);
        if (later != 0 && (begun == 0 || whole))
            return true;
    }
    return false;
}

/*
 * A transaction that a majority agreed upon is in the next leader's log, and so in those of its
 * followers. A follower that got a whole snapshot instead lacks it, too: so those that have it are weighed
 * against those that went from before it into a later epoch.
 */
static bool was_dropped(struct log_stream *s, int64_t zxid)
{
    size_t have = 0, skip = 0;
    int64_t begun = 0; /* the beginning of the later epoch, in the log of one that skips */
    for (size_t i = 0; i < s->log_count; i++) {
        const struct server_log *log = &s->logs[i];
        if (log->has_head && log->head.zxid == zxid) {
            have++;
        } else if (log->has_head && log->last != 0 && log->last < zxid &&
                   zxid_epoch(log->head.zxid) > zxid_epoch(zxid)) {
            skip++;
            if (zxid_count(log->head.zxid) <= 1 && (begun == 0 || log->head.zxid < begun))
                begun = log->head.zxid;
        }
    }
    return skip > have || (skip > 0 && skip == have && !was_kept(s, zxid, begun));
}

/*
 * Does one log alone have this transaction, at the end of an epoch behind which it lacks the beginning of the
 * next? That is how a deposed leader's log looks, and no other log says whether anybody agreed.
 */
static bool is_unproven(struct log_stream *s, int64_t zxid)
{
    struct server_log *only = NULL;
    for (size_t i = 0; i < s->log_count; i++) {
        struct server_log *log = &s->logs[i];
        if (!log->has_head || log->head.zxid != zxid)
            continue;
        if (only)
            return false;
        only = log;
    }
    return only && zxid >= epoch_end_of(s, only)->unproven;
}

static void leave_heads(struct log_stream *s, int64_t zxid)
{
    for (size_t i = 0; i < s->log_count; i++)
        if (s->logs[i].has_head && s->logs[i].head.zxid == zxid) {
            s->logs[i].has_head = false;
            s->logs[i].last = zxid;
        }
}

/* Those that have this transaction agree, or the one that most have is taken. */
static const struct server_log *compare_heads(const struct log_stream *s, const struct server_log *first)
{
    const struct server_log *chosen = first, *other = NULL;
    size_t votes_most = 0;
    for (size_t i = 0; i < s->log_count; i++) {
        size_t votes = 0;
        const struct server_log *log = &s->logs[i];
        if (!log->has_head || log->head.zxid != first->head.zxid)
            continue;
        if (!transaction_same(&log->head, &first->head))
            other = log;
        for (size_t k = 0; k < s->log_count; k++)
            votes += s->logs[k].has_head && transaction_same(&log->head, &s->logs[k].head);
        if (votes > votes_most) {
            votes_most = votes;
            chosen = log;
        }
    }
    if (other)
        stream_emit(s, (struct stream_note){.kind = STREAM_DIVERGED,
                                            .where = s->set->servers[first->server].name,
                                            .other = s->set->servers[other->server].name,
                                            .zxid = first->head.zxid,
                                            .zxid_to = first->head.zxid});
    return chosen;
}

/* A snapshot is named for the last transaction in it. */
static bool snapshot_between(const struct log_stream *s, int64_t zxid)
{
    int64_t after = s->last > s->dropped ? s->last : s->dropped;
    for (size_t i = 0; i < s->set->snapshot_count; i++) {
        int64_t snapshot = s->set->snapshots[i].zxid;
        if (snapshot > after && snapshot < zxid && zxid_count(snapshot) > 0)
            return true;
    }
    return false;
}

/* Are there transactions between the last one and this? An epoch begins with the count 1; how many the one
   before had, a snapshot can show. */
static bool note_missing(struct log_stream *s, int64_t zxid)
{
    bool follows = zxid_epoch(zxid) == zxid_epoch(s->last)
                       ? zxid == s->last + 1
                       : zxid_count(zxid) <= 1 && !snapshot_between(s, zxid);
    int64_t from = s->last ? s->last + 1 : s->first;
    if (s->last == 0 ? zxid <= s->first : follows)
        return false;
    stream_emit(s, (struct stream_note){.kind = STREAM_MISSING, .zxid = from, .zxid_to = zxid - 1});
    return true;
}

bool log_stream_next(struct log_stream *s, struct transaction *t, bool *missing)
{
    if (s->handed)
        leave_heads(s, s->last);
    s->handed = false;
    for (;;) {
        struct server_log *lowest = lowest_head(s);
        if (!lowest)
            return false;
        int64_t zxid = lowest->head.zxid;
        if (s->log_count > 1 && was_dropped(s, zxid)) {
            stream_emit(s, (struct stream_note){.kind = STREAM_DROPPED,
                                                .where = s->set->servers[lowest->server].name,
                                                .zxid = zxid,
                                                .zxid_to = zxid});
            leave_heads(s, zxid);
            s->dropped = zxid;
            continue;
        }
        *t = (s->log_count > 1 ? compare_heads(s, lowest) : lowest)->head;
        t->unproven = is_unproven(s, zxid);
        *missing = note_missing(s, zxid);
        s->last = zxid;
        s->handed = true;
        return true;
    }
}

/* The last file that may hold the transaction after this one. */
static size_t first_file(const struct log_server *server, int64_t after)
{
    size_t i = server->log_count;
    while (i > 1 && server->logs[i - 1].zxid > after + 1)
        i--;
    return i > 0 ? i - 1 : 0;
}

struct log_stream *log_stream_open(struct log_set *set, int64_t after, stream_note_fn note, void *context)
{
    struct log_stream *s = xcalloc(1, sizeof *s);
    s->logs = xcalloc(set->server_count + 1, sizeof *s->logs);
    s->set = set;
    s->last = after;
    s->note = note;
    s->context = context;
    for (size_t i = 0; i < set->server_count; i++) {
        const struct log_server *server = &set->servers[i];
        size_t file = first_file(server, after);
        if (server->log_count == 0)
            continue;
        if (s->first == 0 || server->logs[file].zxid < s->first)
            s->first = server->logs[file].zxid;
        /* A server whose logs begin later proves nothing about earlier transactions. */
        int64_t last = server->logs[file].zxid <= after + 1 ? after : 0;
        s->logs[s->log_count++] =
            (struct server_log){.server = i, .file = file, .reader = {.fd = -1}, .last = last};
    }
    return s;
}

void log_stream_close(struct log_stream *s)
{
    for (size_t i = 0; s && i < s->log_count; i++)
        server_log_close(s, &s->logs[i]);
    if (s)
        free(s->logs);
    free(s);
}

int64_t log_stream_bytes(const struct log_stream *s)
{
    int64_t bytes = s->bytes;
    for (size_t i = 0; i < s->log_count; i++)
        if (s->logs[i].open)
            bytes += log_reader_offset(&s->logs[i].reader);
    return bytes;
}
