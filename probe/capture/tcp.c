#include "probe/capture/tcp.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"

/* A packet may be captured a moment after the one that acknowledges it. */
#define REORDERED_US INT64_C(100000)
/* A jump so far is none of lost packets. */
#define JUMP_MOST (64 << 20)
/* A waiting piece counts as so many bytes at least: each takes memory, and time to find its place. */
#define PIECE_LEAST 1024

struct tcp_piece {
    struct tcp_piece *next;
    uint32_t sequence, length, cut;
    int64_t at_us; /* when it came */
    uint8_t bytes[];
};

/* By their latest packet, or by their ends. */
struct tcp_order {
    struct tcp_connection *oldest, *newest;
};

struct tcp_table {
    struct tcp_listener listener;
    struct hash_table by_ends;
    struct tcp_order open, over;
    size_t over_count;
    uint32_t waiting_bytes;
    int64_t missing_us; /* the earliest acknowledged_us that tcp_table_pass() may give up; 0: none */
};

static int32_t sequence_after(uint32_t sequence, uint32_t base)
{
    return (int32_t)(sequence - base);
}

/* ---- the table ---- */

static uint32_t hash_of_end(const struct tcp_end *end)
{
    return hash_bytes(end->address, end->version == 6 ? 16 : 4, end->port);
}

/* The same for both directions. */
static uint32_t hash_of_ends(const struct tcp_end *a, const struct tcp_end *b)
{
    return hash_of_end(a) + hash_of_end(b);
}

static uint32_t hash_of_connection(const struct hash_link *link)
{
    const struct tcp_connection *c = HASH_ENTRY(link, struct tcp_connection, by_ends);
    return hash_of_ends(&c->ends[0], &c->ends[1]);
}

static bool same_end(const struct tcp_end *a, const struct tcp_end *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void order_leave(struct tcp_order *order, struct tcp_connection *c)
{
    *(c->older ? &c->older->newer : &order->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &order->newest) = c->older;
    c->older = c->newer = NULL;
}

static void order_join(struct tcp_order *order, struct tcp_connection *c)
{
    c->older = order->newest;
    *(order->newest ? &order->newest->newer : &order->oldest) = c;
    order->newest = c;
}

static uint32_t piece_counts(uint32_t length)
{
    return length < PIECE_LEAST ? PIECE_LEAST : length;
}

static void pieces_free(struct tcp_table *table, struct tcp_stream *stream)
{
    for (struct tcp_piece *piece = stream->waiting, *next; piece; piece = next) {
        next = piece->next;
        free(piece);
    }
    stream->waiting = NULL;
    table->waiting_bytes -= stream->waiting_bytes;
    stream->waiting_bytes = 0;
}

static void tcp_connection_free(struct tcp_table *table, struct tcp_connection *c)
{
    hash_table_remove(&table->by_ends, &c->by_ends);
    order_leave(c->over ? &table->over : &table->open, c);
    table->over_count -= c->over;
    table->listener.gone(table->listener.context, c);
    pieces_free(table, &c->streams[0]);
    pieces_free(table, &c->streams[1]);
    free(c);
}

static struct tcp_connection *tcp_connection_new(struct tcp_table *table, const struct tcp_segment *s)
{
    if (table->by_ends.count >= TCP_CONNECTIONS_MOST)
        tcp_connection_free(table, table->over.oldest ? table->over.oldest : table->open.oldest);
    struct tcp_connection *c = xcalloc(1, sizeof *c);
    bool answers = (s->flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK);
    c->ends[answers] = s->from;
    c->ends[!answers] = s->to;
    c->opened = s->flags & TCP_SYN;
    hash_table_add(&table->by_ends, &c->by_ends);
    order_join(&table->open, c);
    return c;
}

static bool is_between(const struct tcp_connection *c, const struct tcp_segment *s)
{
    return (same_end(&c->ends[0], &s->from) && same_end(&c->ends[1], &s->to)) ||
           (same_end(&c->ends[1], &s->from) && same_end(&c->ends[0], &s->to));
}

static struct tcp_connection *tcp_connection_find(const struct tcp_table *table, const struct tcp_segment *s)
{
    /* Its last packet was often the one before. */
    if (table->open.newest && is_between(table->open.newest, s))
        return table->open.newest;
    struct hash_link *link = hash_table_first(&table->by_ends, hash_of_ends(&s->from, &s->to));
    for (; link; link = link->next) {
        struct tcp_connection *c = HASH_ENTRY(link, struct tcp_connection, by_ends);
        if (is_between(c, s))
            return c;
    }
    return NULL;
}

struct tcp_table *tcp_table_new(const struct tcp_listener *listener)
{
    struct tcp_table *table = xcalloc(1, sizeof *table);
    table->listener = *listener;
    table->by_ends.hash_of = hash_of_connection;
    return table;
}

void tcp_table_free(struct tcp_table *table)
{
    while (table && (table->open.oldest || table->over.oldest))
        tcp_connection_free(table, table->over.oldest ? table->over.oldest : table->open.oldest);
    if (table)
        hash_table_clear(&table->by_ends);
    free(table);
}

/* ---- one direction ---- */

struct tcp_turn {
    struct tcp_table *table;
    struct tcp_connection *connection;
    struct tcp_stream *stream;
    int side;
    int64_t at_us;
};

static void stream_skip(const struct tcp_turn *t, uint32_t length)
{
    t->stream->next += length;
    t->table->listener.hole(t->table->listener.context, t->connection, t->side, t->at_us, length);
}

/* A segment that begins no later than the next byte. */
static void stream_pass(const struct tcp_turn *t, uint32_t sequence, const uint8_t *bytes, uint32_t length,
                        uint32_t cut)
{
    uint32_t known = t->stream->next - sequence;
    if (known >= length + cut)
        return;
    if (known < length) {
        t->stream->next += length - known;
        t->table->listener.bytes(t->table->listener.context, t->connection, t->side, t->at_us, bytes + known,
                                 length - known);
        known = length;
    }
    if (length + cut > known)
        stream_skip(t, length + cut - known);
}

static void stream_drain(const struct tcp_turn *t)
{
    struct tcp_piece *piece;
    while ((piece = t->stream->waiting) && sequence_after(piece->sequence, t->stream->next) <= 0) {
        t->stream->waiting = piece->next;
        t->stream->waiting_bytes -= piece_counts(piece->length);
        t->table->waiting_bytes -= piece_counts(piece->length);
        struct tcp_turn then = *t;
        then.at_us = piece->at_us;
        stream_pass(&then, piece->sequence, piece->bytes, piece->length, piece->cut);
        free(piece);
    }
    if (sequence_after(t->stream->acknowledged, t->stream->next) <= 0)
        t->stream->acknowledged_us = 0;
}

/* Gives up the bytes that are missing before the waiting pieces, or that were acknowledged: they will not come
 * any more. */
static void stream_give_up(const struct tcp_turn *t)
{
    uint32_t to = t->stream->waiting ? t->stream->waiting->sequence : t->stream->acknowledged;
    if (sequence_after(to, t->stream->next) > 0)
        stream_skip(t, to - t->stream->next);
    stream_drain(t);
}

static void stream_wait(const struct tcp_turn *t, const struct tcp_segment *s)
{
    struct tcp_stream *stream = t->stream;
    struct tcp_piece **link = &stream->waiting;
    while (*link && sequence_after((*link)->sequence, s->sequence) < 0)
        link = &(*link)->next;
    if (*link && (*link)->sequence == s->sequence && (*link)->length >= s->length)
        return;
    struct tcp_piece *piece = xmalloc(sizeof *piece + s->length);
    *piece = (struct tcp_piece){*link, s->sequence, s->length, s->cut, t->at_us};
    memcpy(piece->bytes, s->data, s->length);
    *link = piece;
    stream->waiting_bytes += piece_counts(s->length);
    t->table->waiting_bytes += piece_counts(s->length);
    while (stream->waiting &&
           (stream->waiting_bytes > TCP_WAITING_MOST || t->table->waiting_bytes > TCP_WAITING_MOST_ALL))
        stream_give_up(t);
}

static void tcp_stream_take(const struct tcp_turn *t, const struct tcp_segment *s)
{
    struct tcp_stream *stream = t->stream;
    uint32_t first = s->sequence + ((s->flags & TCP_SYN) != 0);
    if (!stream->begun) {
        stream->begun = true;
        stream->next = stream->acknowledged = first;
    }
    if (s->length + s->cut == 0 || s->flags & TCP_SYN)
        return;
    int32_t ahead = sequence_after(s->sequence, stream->next);
    if (ahead > JUMP_MOST) {
        pieces_free(t->table, stream);
        stream_skip(t, (uint32_t)ahead);
        ahead = 0;
    }
    if (ahead > 0) {
        stream_wait(t, s);
    } else if (ahead > -JUMP_MOST) {
        stream_pass(t, s->sequence, s->data, s->length, s->cut);
        stream_drain(t);
    }
}

/* Takes the other side's acknowledgement: all before were sent. */
static void stream_acknowledged(const struct tcp_turn *t, uint32_t acknowledged)
{
    struct tcp_stream *stream = t->stream;
    if (!stream->begun) {
        stream->begun = true;
        stream->next = stream->acknowledged = acknowledged;
    }
    int32_t ahead = sequence_after(acknowledged, stream->next);
    if (ahead <= 0 || ahead > JUMP_MOST || stream->ended)
        return;
    if (sequence_after(acknowledged, stream->acknowledged) > 0)
        t->table->listener.acknowledged(t->table->listener.context, t->connection, t->side, t->at_us);
    stream->acknowledged = acknowledged;
    if (stream->acknowledged_us == 0)
        stream->acknowledged_us = t->at_us;
    if (t->table->missing_us == 0)
        t->table->missing_us = t->at_us;
}

static void streams_settle(struct tcp_table *table, struct tcp_connection *c, int64_t at_us, bool over)
{
    for (int side = 0; side < 2; side++) {
        struct tcp_turn t = {table, c, &c->streams[side], side, at_us};
        bool missing = t.stream->acknowledged_us != 0 && at_us - t.stream->acknowledged_us >= REORDERED_US;
        if (missing || over)
            stream_give_up(&t);
        while (over && t.stream->waiting)
            stream_give_up(&t);
    }
}

void tcp_table_take(struct tcp_table *table, int64_t at_us, const struct tcp_segment *s)
{
    struct tcp_connection *c = tcp_connection_find(table, s);
    bool opens = (s->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
    int side = c && same_end(&c->ends[1], &s->from);
    /* The ports were used before. */
    if (c && opens && (c->over || !c->opened || c->streams[side].next != s->sequence + 1)) {
        tcp_connection_free(table, c);
        c = NULL;
    }
    /* A late segment after a connection's end opens none. */
    if (!c && s->flags & (TCP_FIN | TCP_RST))
        return;
    if (!c) {
        c = tcp_connection_new(table, s);
        side = same_end(&c->ends[1], &s->from);
    } else if (!c->over && c != table->open.newest) {
        order_leave(&table->open, c);
        order_join(&table->open, c);
    }
    struct tcp_turn t = {table, c, &c->streams[side], side, at_us};
    if (s->length + s->cut > 0 && sequence_after(s->sequence + s->length + s->cut, t.stream->next) > 0)
        table->listener.came(table->listener.context, c, side, at_us);
    tcp_stream_take(&t, s);
    /* One without bytes shows how many were sent before it. */
    if (s->length + s->cut == 0 && !(s->flags & (TCP_SYN | TCP_RST)))
        stream_acknowledged(&t, s->sequence);
    if (s->flags & TCP_ACK)
        stream_acknowledged(&(struct tcp_turn){table, c, &c->streams[!side], !side, at_us}, s->acknowledged);
    bool resets = s->flags & TCP_RST, ends = resets || s->flags & TCP_FIN;
    streams_settle(table, c, at_us, resets);
    if (!ends || t.stream->ended)
        return;
    t.stream->ended = true;
    while (t.stream->waiting)
        stream_give_up(&t);
    if (c->over)
        return;
    table->listener.ended(table->listener.context, c, side, at_us);
    c->over = true;
    order_leave(&table->open, c);
    order_join(&table->over, c);
    if (++table->over_count > TCP_OVER_MOST)
        tcp_connection_free(table, table->over.oldest);
}

void tcp_table_pass(struct tcp_table *table, int64_t at_us)
{
    if (table->missing_us == 0 || at_us - table->missing_us < REORDERED_US)
        return;
    table->missing_us = 0;
    for (struct tcp_connection *c = table->open.oldest; c; c = c->newer) {
        streams_settle(table, c, at_us, false);
        for (int side = 0; side < 2; side++) {
            int64_t since_us = c->streams[side].acknowledged_us;
            if (since_us != 0 && (table->missing_us == 0 || since_us < table->missing_us))
                table->missing_us = since_us;
        }
    }
}
