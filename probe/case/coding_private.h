/*
 * coding_private.h - the inside of coding.h, for the lists of fields.
 */
#ifndef ELECTOP_PROBE_CASE_CODING_PRIVATE_H
#define ELECTOP_PROBE_CASE_CODING_PRIVATE_H

#include "config/arena.h"
#include "config/hash_table.h"
#include "probe/case/coding.h"
#include "probe/election/observation.h"

#define KINDS (OBSERVED_CLOCK + 1)
/*
 * Equal fields of equal observations lie beside each other, in a lane: they compress far better than observations
 * beside each other. The first lane holds the texts, then each kind has so many, and before them those that are
 * the same for all kinds. A field has the same lane whatever the fields before it hold. So the lanes of kinds and
 * fields that a later version adds are not read.
 */
#define LANES_EACH 32
#define LANES (1 + (KINDS + 1) * LANES_EACH)

struct lane {
    struct buffer out;
    struct scan in;
};

struct kept_settings;

struct coding {
    struct buffer *out; /* NULL: reading */
    struct lane lanes[LANES];
    size_t group, field; /* of lanes; of the next field in it */
    size_t bytes;        /* in the lanes */
    bool bad;
    struct arena arena;
    size_t memory;      /* taken of it */
    const char **texts; /* from 0; bucket: number + 1 by hash, when writing */
    size_t text_count, text_room;
    uint32_t *buckets;
    size_t bucket_count;
    struct moment at; /* of the latest observation */
    int64_t zxid;     /* ... and its latest transaction */
    struct hash_table latest;
    const void **before; /* see struct list_coding */
    size_t before_room;
    struct kept_settings **kept;
    uint64_t skipped;
    bool heads;                    /* reading: no content */
    struct pseudonyms *pseudonyms; /* writing; NULL: every text is written as it is */
};

/* Zeroed; NULL: too much for a stretch, which is bad then. */
void *coding_take(struct coding *c, size_t count, size_t size);

/* ---- one field ---- */

/* False: nothing of the next field was written, as before there was one. */
bool coding_holds_next(const struct coding *c);
void coding_signed(struct coding *c, int64_t *number);
void coding_int(struct coding *c, int *number);
/* Unsigned: a stranger's numbers may overflow, and come back the same. */
void coding_distance(struct coding *c, int64_t *number, int64_t from);
void coding_enum(struct coding *c, unsigned *number, unsigned last);
void coding_uint32(struct coding *c, uint32_t *number);
void coding_bytes(struct coding *c, const void **bytes, size_t *length);
/* How many follow, each of them a byte at least of the next lane. */
size_t coding_count(struct coding *c, size_t count);
/* In this program's words, or NULL. */
void coding_sentence(struct coding *c, const char **text);
void coding_strings(struct coding *c, const char *const **list, size_t *count);
/* A text of the stretch, the same for the same words; when writing. */
const char *coding_kept_text(struct coding *c, const char *text);

#endif
