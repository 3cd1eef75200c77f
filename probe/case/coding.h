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

#include "probe/case/codec.h"
#include "probe/case/pseudonyms.h"

/* A writer begins another stretch when this one takes more memory; a reader refuses far more. */
#define STRETCH_MEMORY ((size_t)16 << 20)

struct coding;
struct kept_settings; /* observation_codec.h */

/* Writes to the end of out, which the caller keeps: all at once, at the end. */
struct coding *coding_write(struct buffer *out);
void coding_finish(struct coding *c);
/* Reads bytes, which the caller keeps. *kept grows, and outlives the stretch and the model. */
struct coding *coding_read(const void *bytes, size_t length, struct kept_settings **kept);
void coding_free(struct coding *c);
/* From now on writes pseudonyms, which must outlive it; NULL: none. */
void coding_rename(struct coding *c, struct pseudonyms *pseudonyms);

bool coding_is_bad(const struct coding *c);
/* Of the written bytes. */
size_t coding_length(const struct coding *c);
size_t coding_memory(const struct coding *c);
/* Reading: the caller takes so much memory. False: that makes more than this, and the stretch is bad. */
bool coding_holds(struct coding *c, size_t bytes, size_t most);
/* Observations of unknown kinds. */
uint64_t coding_skipped(const struct coding *c);

/* ---- one field ---- */

bool coding_writes(const struct coding *c);
void coding_number(struct coding *c, uint64_t *number);
void coding_flag(struct coding *c, bool *flag);
/* Not NULL where needed. Reading: valid until coding_free(). */
void coding_text(struct coding *c, const char **text, bool needed);
/* The same, never as a pseudonym. */
void coding_plain(struct coding *c, const char **text, bool needed);

#endif
