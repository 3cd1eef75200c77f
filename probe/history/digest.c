#include "probe/history/digest.h"

#include <stdlib.h>
#include <string.h>

#include "probe/history/codec.h"

/* Drawers an octave, and what they come to for lengths below 2^63. */
#define FINE_BITS 6
#define FINE (1u << FINE_BITS)
#define DRAWERS ((64 - FINE_BITS) * FINE)

static size_t drawer_of(int64_t length)
{
    unsigned shift = 0;
    while (length >> shift >= 2 * FINE)
        shift++;
    return length < FINE ? (size_t)length : (size_t)shift * FINE + (size_t)(length >> shift);
}

/* The shortest that belongs into it. */
static int64_t drawer_from(size_t drawer)
{
    size_t shift = drawer < FINE ? 0 : drawer / FINE - 1;
    return (int64_t)(drawer - shift * FINE) << shift;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- packing ---- */

static void put_drawers(struct buffer *out, int64_t *lengths, size_t count)
{
    struct buffer inside = {0};
    size_t last = 0;
    qsort(lengths, count, sizeof *lengths, compare);
    put_number(out, count);
    for (size_t from = 0, to; from < count; from = to) {
        size_t drawer = drawer_of(lengths[from]);
        int64_t before = drawer_from(drawer);
        buffer_clear(&inside);
        for (to = from; to < count && drawer_of(lengths[to]) == drawer; to++) {
            put_number(&inside, (uint64_t)(lengths[to] - before));
            before = lengths[to];
        }
        put_number(out, drawer - last);
        put_number(out, to - from);
        if (buffer_failed(&inside))
            out->failed = true;
        put_bytes(out, inside.bytes, inside.length);
        last = drawer;
    }
    buffer_free(&inside);
}

bool digest_pack(const struct failover_sample *samples, size_t count, struct buffer *out)
{
    int64_t *lows = malloc((count + 1) * sizeof *lows), *highs = malloc((count + 1) * sizeof *highs);
    for (unsigned cause = 0; lows && highs && cause < CAUSE_COUNT; cause++) {
        size_t mine = 0, bounded = 0;
        for (size_t i = 0; i < count; i++) {
            if (samples[i].cause != cause)
                continue;
            lows[mine++] = samples[i].length.low_us;
            if (samples[i].length.high_us >= 0)
                highs[bounded++] = samples[i].length.high_us;
        }
        if (mine == 0)
            continue;
        put_text(out, failover_cause_word((enum failover_cause)cause));
        put_drawers(out, lows, mine);
        put_drawers(out, highs, bounded);
    }
    bool fine = lows && highs && !buffer_failed(out);
    free(lows);
    free(highs);
    return fine;
}

/* ---- summing up ---- */

bool digest_sum_add(struct digest_sum *sum, const void *digest, size_t length)
{
    if (sum->count == sum->room) {
        size_t room = sum->room ? sum->room * 2 : 64;
        struct buffer *digests = realloc(sum->digests, room * sizeof *digests);
        if (!digests)
            return false;
        sum->digests = digests;
        sum->room = room;
    }
    struct buffer *own = &sum->digests[sum->count++];
    *own = (struct buffer){0};
    if (length)
        buffer_put(own, digest, length);
    return !buffer_failed(own);
}

void digest_sum_free(struct digest_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++)
        buffer_free(&sum->digests[i]);
    free(sum->digests);
    *sum = (struct digest_sum){0};
}

enum bound { LOWS, HIGHS };
#define RANKS 4

/* One bound of the lengths of one cause, or of all: what is asked of all digests. */
struct search {
    unsigned cause; /* CAUSE_COUNT: all */
    enum bound bound;
    size_t total;
    size_t counts[DRAWERS];
    bool opening;                      /* the second time through */
    size_t drawers[RANKS], open_count; /* to be opened */
    int64_t *found[RANKS];             /* what was in them */
    size_t found_count[RANKS];
};

static void open_drawer(struct search *search, struct scan *inside, size_t drawer, size_t count)
{
    size_t i = 0;
    while (i < search->open_count && search->drawers[i] != drawer)
        i++;
    if (i == search->open_count)
        return;
    int64_t length = drawer_from(drawer);
    for (size_t k = 0; k < count && !inside->bad; k++) {
        uint64_t more = scan_below(inside, INT64_MAX);
        if (search->found_count[i] == search->counts[drawer] || more > (uint64_t)(INT64_MAX - length))
            inside->bad = true;
        else
            search->found[i][search->found_count[i]++] = length += (int64_t)more;
    }
}

static void look_into(struct search *search, struct scan *scan, bool wanted)
{
    size_t drawer = 0, left = (size_t)scan_below(scan, SIZE_MAX);
    if (wanted && !search->opening)
        search->total += left;
    while (left && !scan->bad) {
        drawer += (size_t)scan_below(scan, DRAWERS);
        size_t count = (size_t)scan_number(scan), length;
        const char *bytes = scan_piece(scan, &length);
        if (scan->bad || count == 0 || count > left || count > length || drawer >= DRAWERS || !bytes) {
            scan->bad = true;
            break;
        }
        left -= count;
        if (wanted && search->opening) {
            struct scan inside = {(const unsigned char *)bytes, (const unsigned char *)bytes + length, false};
            open_drawer(search, &inside, drawer, count);
            scan->bad = inside.bad;
        } else if (wanted) {
            search->counts[drawer] += count;
        }
    }
}

static unsigned cause_of(const char *word, size_t length)
{
    unsigned cause = 0;
    for (; cause < CAUSE_COUNT; cause++) {
        const char *known = failover_cause_word((enum failover_cause)cause);
        if (strlen(known) == length && memcmp(known, word, length) == 0)
            break;
    }
    return cause;
}

/* Once through all digests. */
static bool go_through(const struct digest_sum *sum, struct search *search)
{
    for (size_t i = 0; i < sum->count; i++) {
        const unsigned char *bytes = (const unsigned char *)sum->digests[i].bytes;
        struct scan scan = {bytes, bytes + sum->digests[i].length, false};
        while (!scan.bad && scan.at < scan.end) {
            size_t length;
            const char *word = scan_piece(&scan, &length);
            unsigned cause = word ? cause_of(word, length) : CAUSE_COUNT;
            if (cause == CAUSE_COUNT)
                cause = CAUSE_UNKNOWN; /* of a newer program */
            bool wanted = search->cause == CAUSE_COUNT || search->cause == cause;
            look_into(search, &scan, wanted && search->bound == LOWS);
            look_into(search, &scan, wanted && search->bound == HIGHS);
        }
        if (scan.bad)
            return false;
    }
    return true;
}

/* The drawers of the percentiles, and the places in them. False: out of memory. */
static bool choose_drawers(struct search *search, const size_t ranks[RANKS], size_t in_drawer[RANKS],
                           size_t places[RANKS])
{
    size_t before = 0, next = 0;
    for (size_t drawer = 0; drawer < DRAWERS && next < RANKS; drawer++) {
        size_t end = before + search->counts[drawer];
        if (next < RANKS && ranks[next] < end) {
            size_t i = search->open_count++;
            search->drawers[i] = drawer;
            search->found[i] = malloc(search->counts[drawer] * sizeof *search->found[i]);
            if (!search->found[i])
                return false;
            for (; next < RANKS && ranks[next] < end; next++) {
                in_drawer[next] = i;
                places[next] = ranks[next] - before;
            }
        }
        before = end;
    }
    return true;
}

/* Those of all failovers of that cause; SPAN_OPEN: beyond all that have such a bound. */
static bool find_bounds(const struct digest_sum *sum, unsigned cause, enum bound bound, size_t *total,
                        int64_t bounds[RANKS])
{
    static const unsigned percents[RANKS] = {50, 90, 99, 100};
    size_t ranks[RANKS], in_drawer[RANKS], places[RANKS];
    struct search *search = calloc(1, sizeof *search);
    bool fine = search != NULL;
    if (fine) {
        search->cause = cause;
        search->bound = bound;
        fine = go_through(sum, search);
    }
    if (fine && bound == LOWS)
        *total = search->total; /* each has a lower one */
    for (size_t i = 0; i < RANKS; i++) {
        bounds[i] = SPAN_OPEN;
        ranks[i] = failover_stats_rank(*total, percents[i]);
    }
    size_t known = 0;
    while (fine && known < RANKS && ranks[known] < search->total)
        known++;
    for (size_t i = known; i < RANKS; i++)
        ranks[i] = SIZE_MAX;
    fine = fine && (known == 0 || choose_drawers(search, ranks, in_drawer, places));
    if (fine && known) {
        search->opening = true;
        fine = go_through(sum, search);
    }
    for (size_t i = 0; fine && i < search->open_count; i++)
        qsort(search->found[i], search->found_count[i], sizeof *search->found[i], compare);
    for (size_t i = 0; fine && i < known; i++)
        bounds[i] = search->found[in_drawer[i]][places[i]];
    for (size_t i = 0; search && i < RANKS; i++)
        free(search->found[i]);
    free(search);
    return fine;
}

static bool find_figures(const struct digest_sum *sum, unsigned cause, struct failover_figures *figures)
{
    int64_t lows[RANKS], highs[RANKS];
    size_t count = 0;
    if (!find_bounds(sum, cause, LOWS, &count, lows) ||
        (count && !find_bounds(sum, cause, HIGHS, &count, highs)))
        return false;
    if (count)
        *figures = (struct failover_figures){.count = count,
                                             .p50 = {lows[0], highs[0]},
                                             .p90 = {lows[1], highs[1]},
                                             .p99 = {lows[2], highs[2]},
                                             .max = {lows[3], highs[3]}};
    return true;
}

bool digest_sum_stats(const struct digest_sum *sum, struct failover_stats *stats)
{
    bool fine = failover_stats_make(NULL, 0, stats) && find_figures(sum, CAUSE_COUNT, &stats->all);
    for (unsigned cause = 0; fine && cause < CAUSE_COUNT; cause++)
        fine = find_figures(sum, cause, &stats->by_cause[cause]);
    return fine;
}
