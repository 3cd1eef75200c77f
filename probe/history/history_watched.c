/* When anybody watched. */
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/history/history.h"
#include "probe/history/reader.h"

/* Equal parts of a time, each of which was watched or not. */
struct parts {
    int64_t from_us, to_us;
    size_t count;
    bool *watched;
};

/* In which part that is; before the first one or after the last, that one. */
static size_t part_at(const struct parts *parts, int64_t us)
{
    if (us <= parts->from_us)
        return 0;
    double share = (double)(us - parts->from_us) / (double)(parts->to_us - parts->from_us);
    size_t part = us >= parts->to_us ? parts->count : (size_t)(share * (double)parts->count);
    return part < parts->count ? part : parts->count - 1; /* of a long time the share is rounded to 1 */
}

static void history_watched_mark(const struct parts *parts, int64_t from_us, int64_t to_us)
{
    from_us = from_us > parts->from_us ? from_us : parts->from_us;
    to_us = to_us < parts->to_us ? to_us : parts->to_us;
    if (from_us >= to_us)
        return;
    for (size_t k = part_at(parts, from_us), last = part_at(parts, to_us - 1); k <= last; k++)
        parts->watched[k] = true;
}

/* The gaps of all clusters, of each in the order of time. */
struct gaps {
    struct reader_gap *of;
    size_t count;
};

static bool find_gaps(struct history *h, const struct parts *parts, struct gaps *gaps)
{
    sqlite3_stmt *statement = reader_gaps(h, parts->from_us, parts->to_us);
    struct reader_gap gap;
    size_t room = 0;
    while (reader_next_gap(statement, &gap)) {
        room_for_one(&gaps->of, gaps->count, &room, sizeof *gaps->of);
        gaps->of[gaps->count++] = gap;
    }
    return reader_end_gaps(h, statement);
}

/* The rest of a stretch's time between the gaps of a cluster in that stretch. */
static void mark_owner(const struct parts *parts, const struct owner *owner, int64_t stretch,
                       const struct reader_gap *gaps, size_t count)
{
    int64_t from_us = owner->from_us;
    for (size_t i = 0; i < count; i++) {
        if (gaps[i].stretch != stretch)
            continue;
        history_watched_mark(parts, from_us, gaps[i].from_us < owner->to_us ? gaps[i].from_us : owner->to_us);
        from_us = gaps[i].to_us > from_us ? gaps[i].to_us : from_us;
    }
    history_watched_mark(parts, from_us, owner->to_us);
}

static void mark_watched(const struct history *h, const struct parts *parts, const struct owners *owners,
                         const struct gaps *gaps)
{
    for (size_t c = 0; c < h->cluster_count; c++) {
        size_t first = 0, end;
        while (first < gaps->count && gaps->of[first].cluster != h->cluster_ids[c])
            first++;
        for (end = first; end < gaps->count && gaps->of[end].cluster == h->cluster_ids[c]; end++)
            continue;
        for (size_t i = 0; i < owners->count; i++) {
            const struct owner *owner = &owners->of[i];
            if (owner->from_us < parts->to_us && owner->to_us > parts->from_us)
                mark_owner(parts, owner, h->stretches[owner->stretch].id, gaps->of + first, end - first);
        }
    }
}

bool history_watched(struct history *h, int64_t from_us, int64_t to_us, size_t count, bool *watched)
{
    struct parts parts = {.from_us = from_us, .to_us = to_us, .count = count, .watched = watched};
    struct owners owners = {0};
    struct gaps gaps = {0};
    char *error = NULL;
    memset(watched, 0, count * sizeof *watched);
    if (count == 0 || to_us <= from_us || !reader_begin(h, &error)) {
        free(error);
        return false;
    }
    owners_find(h, &owners);
    bool fine = find_gaps(h, &parts, &gaps);
    if (fine)
        mark_watched(h, &parts, &owners, &gaps);
    free(gaps.of);
    owners_free(&owners);
    reader_end(h);
    return fine;
}
