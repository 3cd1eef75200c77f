#include "probe/case/coding.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

/* A forged stretch may refer to a long list or text again and again. */
#define READ_MEMORY_MOST ((size_t)256 << 20)

/* ---- memory ---- */

void *coding_take(struct coding *c, size_t count, size_t size)
{
    size_t most = c->out ? SIZE_MAX / 2 : READ_MEMORY_MOST - c->memory;
    c->bad = c->bad || count > most / size;
    size_t length = (count * size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    if (c->bad || length > most) {
        c->bad = true;
        return NULL;
    }
    c->memory += length;
    return arena_take(&c->arena, length);
}

bool coding_holds(struct coding *c, size_t bytes, size_t most)
{
    c->bad = c->bad || c->memory > most || bytes > most - c->memory;
    c->memory += c->bad ? 0 : bytes;
    return !c->bad;
}

/* ---- one field ---- */

static struct lane *lane_next(struct coding *c)
{
    return &c->lanes[1 + c->group * LANES_EACH + c->field++ % LANES_EACH];
}

bool coding_holds_next(const struct coding *c)
{
    return c->out || c->lanes[1 + c->group * LANES_EACH + c->field % LANES_EACH].in.at;
}

void coding_number(struct coding *c, uint64_t *number)
{
    struct lane *lane = lane_next(c);
    size_t before = lane->out.length;
    if (c->out) {
        put_number(&lane->out, *number);
        c->bytes += lane->out.length - before;
        return;
    }
    *number = scan_number(&lane->in);
    c->bad |= lane->in.bad;
}

void coding_signed(struct coding *c, int64_t *number)
{
    uint64_t bits = (uint64_t)*number << 1 ^ (*number < 0 ? UINT64_MAX : 0);
    coding_number(c, &bits);
    *number = (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
}

void coding_int(struct coding *c, int *number)
{
    int64_t wide = *number;
    coding_signed(c, &wide);
    c->bad |= wide < INT32_MIN || wide > INT32_MAX;
    *number = c->bad ? 0 : (int)wide;
}

void coding_distance(struct coding *c, int64_t *number, int64_t from)
{
    int64_t distance = (int64_t)((uint64_t)*number - (uint64_t)from);
    coding_signed(c, &distance);
    *number = (int64_t)((uint64_t)from + (uint64_t)distance);
}

void coding_enum(struct coding *c, unsigned *number, unsigned last)
{
    uint64_t wide = *number;
    coding_number(c, &wide);
    c->bad |= wide > last && !c->out;
    *number = c->bad ? 0 : (unsigned)wide;
}

void coding_flag(struct coding *c, bool *flag)
{
    unsigned number = *flag;
    coding_enum(c, &number, 1);
    *flag = number != 0;
}

void coding_uint32(struct coding *c, uint32_t *number)
{
    uint64_t wide = *number;
    coding_number(c, &wide);
    *number = (uint32_t)wide;
}

void coding_bytes(struct coding *c, const void **bytes, size_t *length)
{
    struct lane *lane = lane_next(c);
    size_t before = lane->out.length;
    if (c->out) {
        put_bytes(&lane->out, *bytes, *length);
        c->bytes += lane->out.length - before;
        return;
    }
    *bytes = scan_piece(&lane->in, length);
    c->bad |= lane->in.bad;
}

size_t coding_count(struct coding *c, size_t count)
{
    uint64_t number = count;
    coding_number(c, &number);
    const struct scan *next = &c->lanes[1 + c->group * LANES_EACH + c->field % LANES_EACH].in;
    c->bad |= !c->out && number > (uint64_t)(next->end - next->at);
    return c->bad ? 0 : (size_t)number;
}

/* ---- texts ---- */

static void texts_add(struct coding *c, const char *text)
{
    room_for_one(&c->texts, c->text_count, &c->text_room, sizeof *c->texts);
    c->texts[c->text_count++] = text;
}

static uint32_t *texts_bucket(const struct coding *c, const char *text, size_t length)
{
    size_t i = hash_bytes(text, length, 0) & (c->bucket_count - 1);
    while (c->buckets[i] && strcmp(c->texts[c->buckets[i] - 1], text) != 0)
        i = (i + 1) & (c->bucket_count - 1);
    return &c->buckets[i];
}

static void texts_grow(struct coding *c)
{
    free(c->buckets);
    c->bucket_count = c->bucket_count ? c->bucket_count * 4 : 256;
    c->buckets = xcalloc(c->bucket_count, sizeof *c->buckets);
    for (size_t i = 0; i < c->text_count; i++)
        *texts_bucket(c, c->texts[i], strlen(c->texts[i])) = (uint32_t)i + 1;
}

/* Its number from 1. */
static uint32_t texts_number(struct coding *c, const char *text)
{
    size_t length = strlen(text);
    if (c->text_count * 2 >= c->bucket_count)
        texts_grow(c);
    uint32_t *bucket = texts_bucket(c, text, length);
    if (*bucket == 0) {
        char *copy = coding_take(c, length + 1, 1);
        memcpy(copy, text, length);
        texts_add(c, copy);
        *bucket = (uint32_t)c->text_count;
        put_bytes(&c->lanes[0].out, text, length);
        c->bytes += length + 1;
    }
    return *bucket;
}

static void texts_read(struct coding *c)
{
    struct scan *in = &c->lanes[0].in;
    while (!c->bad && in->at < in->end) {
        size_t length;
        const char *piece = scan_piece(in, &length);
        char *copy = piece && coding_holds(c, 2 * sizeof *c->texts, READ_MEMORY_MOST)
                         ? coding_take(c, length + 1, 1)
                         : NULL;
        if (!copy || memchr(piece, '\0', length)) {
            c->bad = true;
            return;
        }
        memcpy(copy, piece, length);
        texts_add(c, copy);
    }
}

const char *coding_kept_text(struct coding *c, const char *text)
{
    uint32_t number = texts_number(c, text);
    return c->texts[number - 1];
}

void coding_plain(struct coding *c, const char **text, bool needed)
{
    uint64_t number = c->out && *text ? texts_number(c, *text) : 0;
    coding_number(c, &number);
    c->bad |= number > c->text_count || (needed && !number && !c->out);
    *text = number && !c->bad ? c->texts[number - 1] : NULL;
}

void coding_text(struct coding *c, const char **text, bool needed)
{
    if (c->pseudonyms && *text)
        *text = pseudonyms_text(c->pseudonyms, *text);
    coding_plain(c, text, needed);
}

void coding_sentence(struct coding *c, const char **text)
{
    if (c->pseudonyms && *text)
        *text = pseudonyms_sentence(c->pseudonyms, *text);
    coding_plain(c, text, false);
}

void coding_strings(struct coding *c, const char *const **list, size_t *count)
{
    *count = coding_count(c, *count);
    const char **texts = coding_take(c, *count, sizeof *texts);
    size_t lane = c->field;
    for (size_t i = 0; texts && i < *count; i++) {
        c->field = lane;
        texts[i] = c->out ? (*list)[i] : NULL;
        coding_text(c, &texts[i], true);
    }
    c->field = lane + 1;
    *list = texts;
}

/* ---- a stretch ---- */

struct coding *coding_write(struct buffer *out)
{
    struct coding *c = xcalloc(1, sizeof *c);
    c->out = out;
    return c;
}

/* The lanes that are not empty, each after its distance from the one before. */
struct coding *coding_read(const void *bytes, size_t length, struct kept_settings **kept)
{
    struct coding *c = xcalloc(1, sizeof *c);
    struct scan in = {bytes, (const unsigned char *)bytes + length, false};
    uint64_t lane = 0;
    c->kept = kept;
    while (in.at < in.end && !in.bad) {
        lane += scan_below(&in, UINT32_MAX);
        size_t size;
        const unsigned char *piece = (const unsigned char *)scan_piece(&in, &size);
        if (piece && lane < LANES)
            c->lanes[lane].in = (struct scan){piece, piece + size, false};
    }
    c->bad = in.bad;
    texts_read(c);
    return c;
}

void coding_finish(struct coding *c)
{
    size_t before = 0;
    for (size_t i = 0; i < LANES; i++) {
        if (c->lanes[i].out.length == 0)
            continue;
        put_number(c->out, i - before);
        put_bytes(c->out, c->lanes[i].out.bytes, c->lanes[i].out.length);
        before = i;
    }
}

void coding_free(struct coding *c)
{
    if (!c)
        return;
    arena_free(&c->arena);
    for (size_t i = 0; i < LANES; i++)
        buffer_free(&c->lanes[i].out);
    hash_table_clear(&c->latest);
    free(c->texts);
    free(c->buckets);
    free(c->before);
    free(c);
}
