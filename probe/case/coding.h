/*
 * coding.h - a stretch of fields as bytes, and back: the same calls write and read.
 *
 * A stretch refers to nothing before it. Texts are written once and then by number. The same fields of all
 * observations lie beside each other.
 *
 * Bytes may be damaged or forged: what does not fit ends the stretch as bad. Its memory is bounded.
 */
#ifndef ELECTOP_PROBE_CASE_CODING_H
#define ELECTOP_PROBE_CASE_CODING_H

#include "config/arena.h"
#include "config/hash_table.h"
#include "probe/case/codec.h"
#include "probe/case/pseudonyms.h"
#include "probe/election/observation.h"

/* A writer begins another stretch when this one takes more memory; a reader refuses far more. */
#define STRETCH_MEMORY ((size_t)16 << 20)

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

struct kept_settings; /* observation_codec.h */

struct coding {
    struct buffer *out; /* writing; NULL: reading */
    struct lane lanes[LANES];
    size_t group, field; /* of lanes; of the next field in it */
    size_t bytes;        /* written into the lanes */
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
    uint64_t skipped;              /* observations of unknown kinds */
    bool heads;                    /* reading: kind, time, cluster, election and path alone */
    struct pseudonyms *pseudonyms; /* writing; NULL: every text is written as it is */
};

/* Writes to the end of out, which the caller keeps: all at once, at the end. */
struct coding *coding_write(struct buffer *out);
void coding_finish(struct coding *c);
/* Reads bytes, which the caller keeps. *kept grows, and outlives the stretch and the model. */
struct coding *coding_read(const void *bytes, size_t length, struct kept_settings **kept);
void coding_free(struct coding *c);

/* Zeroed; NULL: too much for a stretch, which is bad then. */
void *coding_take(struct coding *c, size_t count, size_t size);
/* Reading: the caller takes so much memory. False: that makes more than this, and the stretch is bad. */
bool coding_holds(struct coding *c, size_t bytes, size_t most);

/* ---- one field ---- */

/* False: nothing of the next field was written, as before there was one. */
bool coding_holds_next(const struct coding *c);
void coding_number(struct coding *c, uint64_t *number);
void coding_flag(struct coding *c, bool *flag);
/* Not NULL where needed. Reading: valid until coding_free(). */
void coding_text(struct coding *c, const char **text, bool needed);
/* The same, never as a pseudonym. */
void coding_plain(struct coding *c, const char **text, bool needed);
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
