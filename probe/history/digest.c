#include "probe/history/digest.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/case/codec.h"
#include "probe/history/sql.h"

/* Buckets an octave, and their number for lengths below 2^63. */
#define FINE_BITS 6
#define FINE (1u << FINE_BITS)
#define BUCKETS ((64 - FINE_BITS) * FINE)

static size_t bucket_of(int64_t length)
{
    unsigned shift = 0;
    while (length >> shift >= 2 * FINE)
        shift++;
    return length < FINE ? (size_t)length : (size_t)shift * FINE + (size_t)(length >> shift);
}

/* The shortest that belongs into it. */
static int64_t bucket_from(size_t bucket)
{
    size_t shift = bucket < FINE ? 0 : bucket / FINE - 1;
    return (int64_t)(bucket - shift * FINE) << shift;
}

static int digest_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- packing ---- */

static void put_buckets(struct buffer *out, int64_t *lengths, size_t count)
{
    struct buffer inside = {0};
    size_t last = 0;
    qsort(lengths, count, sizeof *lengths, digest_compare);
    put_number(out, count);
    for (size_t from = 0, to; from < count; from = to) {
        size_t bucket = bucket_of(lengths[from]);
        int64_t before = bucket_from(bucket);
        buffer_clear(&inside);
        for (to = from; to < count && bucket_of(lengths[to]) == bucket; to++) {
            put_number(&inside, (uint64_t)(lengths[to] - before));
            before = lengths[to];
        }
        put_number(out, bucket - last);
        put_number(out, to - from);
        put_bytes(out, inside.bytes, inside.length);
        last = bucket;
    }
    buffer_free(&inside);
}

void digest_pack(const struct failover_sample *samples, size_t count, struct buffer *out)
{
    int64_t *lows = xmalloc((count + 1) * sizeof *lows), *highs = xmalloc((count + 1) * sizeof *highs);
    for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
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
        put_buckets(out, lows, mine);
        put_buckets(out, highs, bounded);
    }
    free(lows);
    free(highs);
}

/* ---- summing up ---- */

void digest_sum_add(struct digest_sum *sum, const void *digest, size_t length)
{
    room_for_one(&sum->digests, sum->count, &sum->room, sizeof *sum->digests);
    struct buffer *own = &sum->digests[sum->count++];
    *own = (struct buffer){0};
    if (length)
        buffer_put(own, digest, length);
}

void digest_sum_free(struct digest_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++)
        buffer_free(&sum->digests[i]);
    free(sum->digests);
    *sum = (struct digest_sum){0};
}

enum bound { LOWS, HIGHS, BOUNDS };
#define RANKS 4
#define ALL CAUSE_COUNT /* causes together */

/* One bound of the lengths of one cause, or of all. */
struct bucket_search {
    size_t total;
    size_t counts[BUCKETS];
    size_t buckets[RANKS], open_count; /* to be opened the second time through */
    int64_t *found[RANKS];             /* their contents */
    size_t found_count[RANKS];
    size_t known; /* percentiles that are bounded at all ... */
    size_t in_bucket[RANKS], places[RANKS];
};

struct searches {
    struct bucket_search of[ALL + 1][BOUNDS];
    bool opening; /* the second time through */
};

static void open_bucket(struct bucket_search *search, struct scan inside, size_t bucket, size_t count,
                        bool *bad)
{
    size_t i = 0;
    while (i < search->open_count && search->buckets[i] != bucket)
        i++;
    if (i == search->open_count)
        return;
    int64_t length = bucket_from(bucket);
    for (size_t k = 0; k < count && !inside.bad; k++) {
        uint64_t more = scan_below(&inside, INT64_MAX);
        if (search->found_count[i] == search->counts[bucket] || more > (uint64_t)(INT64_MAX - length))
            inside.bad = true;
        else
            search->found[i][search->found_count[i]++] = length += (int64_t)more;
    }
    *bad = *bad || inside.bad;
}

static void look_into(struct searches *searches, struct scan *scan, unsigned cause, enum bound bound)
{
    struct bucket_search *mine = &searches->of[cause][bound], *all = &searches->of[ALL][bound];
    size_t bucket = 0, left = (size_t)scan_number(scan);
    if (!searches->opening)
        mine->total += left;
    while (left && !scan->bad) {
        bucket += (size_t)scan_below(scan, BUCKETS);
        size_t count = (size_t)scan_number(scan), length;
        const char *bytes = scan_piece(scan, &length);
        if (scan->bad || count == 0 || count > left || count > length || bucket >= BUCKETS || !bytes) {
            scan->bad = true;
            break;
        }
        left -= count;
        if (searches->opening) {
            struct scan inside = {(const unsigned char *)bytes, (const unsigned char *)bytes + length, false};
            open_bucket(mine, inside, bucket, count, &scan->bad);
            open_bucket(all, inside, bucket, count, &scan->bad);
        } else {
            mine->counts[bucket] += count;
        }
    }
}

static unsigned cause_of(const char *word, size_t length)
{
    unsigned cause = 0;
    for (; cause < CAUSE_COUNT; cause++) {
        const char *known = failover_cause_word((enum failover_cause)cause);
        if (strlen(known) == length && memcmp(known, word, length) == 0)
            return cause;
    }
    return CAUSE_UNKNOWN; /* of a newer program */
}

/* Once through all digests. */
static bool go_through(const struct digest_sum *sum, struct searches *searches)
{
    for (size_t i = 0; i < sum->count; i++) {
        const unsigned char *bytes = (const unsigned char *)sum->digests[i].bytes;
        struct scan scan = {bytes, bytes + sum->digests[i].length, false};
        while (!scan.bad && scan.at < scan.end) {
            size_t length;
            const char *word = scan_piece(&scan, &length);
            unsigned cause = word ? cause_of(word, length) : CAUSE_UNKNOWN;
            look_into(searches, &scan, cause, LOWS);
            look_into(searches, &scan, cause, HIGHS);
        }
        if (scan.bad)
            return false;
    }
    return true;
}

static void count_all(struct searches *searches)
{
    for (unsigned bound = 0; bound < BOUNDS; bound++) {
        struct bucket_search *all = &searches->of[ALL][bound];
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
            const struct bucket_search *mine = &searches->of[cause][bound];
            all->total += mine->total;
            for (size_t bucket = 0; mine->total && bucket < BUCKETS; bucket++)
                all->counts[bucket] += mine->counts[bucket];
        }
    }
}

/* In which buckets its percentiles are, of so many failovers. */
static void choose_buckets(struct bucket_search *search, size_t count)
{
    static const unsigned percents[RANKS] = {50, 90, 99, 100};
    size_t before = 0, next = 0, ranks[RANKS];
    for (size_t i = 0; i < RANKS; i++)
        ranks[i] = failover_stats_rank(count, percents[i]);
    while (search->known < RANKS && ranks[search->known] < search->total)
        search->known++;
    for (size_t bucket = 0; bucket < BUCKETS && next < search->known; bucket++) {
        size_t end = before + search->counts[bucket], i = search->open_count;
        if (ranks[next] < end) {
            search->buckets[search->open_count++] = bucket;
            search->found[i] = xmalloc(search->counts[bucket] * sizeof *search->found[i]);
        }
        for (; next < search->known && ranks[next] < end; next++) {
            search->in_bucket[next] = i;
            search->places[next] = ranks[next] - before;
        }
        before = end;
    }
}

/* The value at that index in sorted order, without sorting everything (Hoare's selection). */
static int64_t at_place(int64_t *list, size_t count, size_t place)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        int64_t pivot = list[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;; i++, j--) {
            while (list[i] < pivot)
                i++;
            while (list[j] > pivot)
                j--;
            if (i >= j)
                break;
            int64_t swapped = list[i];
            list[i] = list[j];
            list[j] = swapped;
        }
        if (place <= j)
            high = j;
        else
            low = j + 1;
    }
    return list[place];
}

/* SPAN_OPEN: beyond all that have such a bound. */
static int64_t bound_at(const struct bucket_search *search, size_t rank)
{
    if (rank >= search->known)
        return SPAN_OPEN;
    size_t i = search->in_bucket[rank];
    return at_place(search->found[i], search->found_count[i], search->places[rank]);
}

static void digest_report(const struct bucket_search of[BOUNDS], struct failover_figures *figures)
{
    struct span *spans[RANKS] = {&figures->p50, &figures->p90, &figures->p99, &figures->max};
    figures->count = of[LOWS].total; /* each has a lower one */
    for (size_t i = 0; i < RANKS; i++)
        *spans[i] = (struct span){bound_at(&of[LOWS], i), bound_at(&of[HIGHS], i)};
}

bool digest_sum_stats(const struct digest_sum *sum, struct failover_stats *stats)
{
    struct searches *searches = xcalloc(1, sizeof *searches);
    bool fine = go_through(sum, searches);
    if (fine)
        count_all(searches);
    for (unsigned cause = 0; fine && cause <= ALL; cause++) {
        struct bucket_search *of = searches->of[cause];
        choose_buckets(&of[LOWS], of[LOWS].total);
        choose_buckets(&of[HIGHS], of[LOWS].total);
        fine = true;
    }
    if (fine) {
        searches->opening = true;
        fine = go_through(sum, searches);
    }
    for (unsigned cause = 0; cause <= ALL; cause++) {
        if (fine)
            digest_report(searches->of[cause], cause == ALL ? &stats->all : &stats->by_cause[cause]);
        for (size_t i = 0; i < RANKS; i++) {
            free(searches->of[cause][LOWS].found[i]);
            free(searches->of[cause][HIGHS].found[i]);
        }
    }
    free(searches);
    return fine;
}

/* A failover is reported when its evidence is complete. */
#define TOLD_WITHIN_US INT64_C(600000000)
/* Hours that are looked at in one go. */
#define HOURS_AT_ONCE 1000

enum failover_cause digest_cause(const char *word)
{
    unsigned cause = 0;
    while (word && cause < CAUSE_COUNT && strcmp(failover_cause_word((enum failover_cause)cause), word) != 0)
        cause++;
    return word && cause < CAUSE_COUNT ? (enum failover_cause)cause : CAUSE_UNKNOWN;
}

static void add_sample(struct samples *samples, const struct failover *failover)
{
    room_for_one(&samples->list, samples->count, &samples->room, sizeof *samples->list);
    samples->count += failover_sample_of(failover, &samples->list[samples->count]);
}

#define LENGTH_COLUMNS                                                                                       \
    "SELECT f.cause, f.detection_low_us, f.detection_high_us, f.vacancy_low_us, f.vacancy_high_us,"          \
    " f.takeover_low_us, f.takeover_high_us, f.total_low_us, f.total_high_us, f.gap_us"

/* Without any text but the cause. */
static bool digest_read_all(sqlite3 *db, const char *sql, int64_t whose, int64_t from_us, int64_t to_us,
                            struct samples *samples)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, whose);
        sqlite3_bind_int64(statement, 2, from_us);
        sqlite3_bind_int64(statement, 3, to_us);
    }
    while (code == SQLITE_OK && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        struct failover failover = {.cause = digest_cause(sql_text(statement, 0)),
                                    .detection = sql_span(statement, 1),
                                    .vacancy = sql_span(statement, 3),
                                    .takeover = sql_span(statement, 5),
                                    .total = sql_span(statement, 7),
                                    .gap_us = sql_number(statement, 9)};
        add_sample(samples, &failover);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

bool digest_read(sqlite3 *db, int64_t election, int64_t from_us, int64_t to_us, struct samples *samples)
{
    return digest_read_all(
        db, LENGTH_COLUMNS " FROM failover f WHERE f.election = ? AND f.lost_us >= ? AND f.lost_us < ?",
        election, from_us, to_us, samples);
}

bool digest_read_cluster(sqlite3 *db, int64_t cluster, int64_t from_us, int64_t to_us,
                         struct samples *samples)
{
    return digest_read_all(db,
                           LENGTH_COLUMNS " FROM election l CROSS JOIN failover f ON f.election = l.id "
                                          "WHERE l.cluster = ? AND f.lost_us >= ? AND f.lost_us < ?",
                           cluster, from_us, to_us, samples);
}

/* ---- digests ---- */

static bool digest_cluster(sqlite3 *db, int64_t cluster, int64_t hour)
{
    struct samples samples = {0};
    struct buffer digest = {0};
    sqlite3_stmt *statement = NULL;
    bool fine =
        digest_read_cluster(db, cluster, hour * LENGTHS_HOUR_US, (hour + 1) * LENGTHS_HOUR_US, &samples) &&
        sqlite3_prepare_v2(db, "INSERT INTO digest (cluster, hour, lengths) VALUES (?, ?, ?)", -1, &statement,
                           NULL) == SQLITE_OK;
    if (fine) {
        digest_pack(samples.list, samples.count, &digest);
        sqlite3_bind_int64(statement, 1, cluster);
        sqlite3_bind_int64(statement, 2, hour);
        sqlite3_bind_blob64(statement, 3, digest.length ? digest.bytes : "", digest.length, SQLITE_STATIC);
        fine = sqlite3_step(statement) == SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    buffer_free(&digest);
    free(samples.list);
    return fine;
}

/* The first hour that may still get failovers. */
static int64_t open_hour(int64_t now_us)
{
    return (now_us - TOLD_WITHIN_US) / LENGTHS_HOUR_US;
}

bool digest_is_due(int64_t now_us, int64_t hour)
{
    return hour < open_hour(now_us);
}

bool digest_hour(sqlite3 *db, int64_t now_us, int64_t *hour)
{
    int64_t begin_us = 0;
    if (*hour == 0) {
        if (!sql_ask(db, "SELECT from_us FROM chunk ORDER BY id LIMIT 1", &begin_us))
            return false;
        *hour = begin_us > 0 ? begin_us / LENGTHS_HOUR_US : open_hour(now_us);
    }
    for (int i = 0; i < HOURS_AT_ONCE && digest_is_due(now_us, *hour); i++) {
        int64_t cluster;
        if (!sql_ask_of(
                db,
                "SELECT id FROM cluster c WHERE NOT EXISTS (SELECT 1 FROM digest d WHERE d.cluster = c.id"
                " AND d.hour = ?) LIMIT 1",
                *hour, &cluster))
            return false;
        if (cluster)
            return digest_cluster(db, cluster, *hour);
        ++*hour;
    }
    return true;
}
