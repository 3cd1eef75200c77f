/*
 * picture.h - what of a model can be read, as a set of small items, and the patches between two states.
 *
 * The recorder keeps one picture up to date with the live model and stores the patches; a reader applies
 * them to another one and makes a model of it again (thaw.h). A screen that is drawn from that shows what it
 * showed then. An item is one thing (an election, a candidate, a finding ...); a patch says of the items that
 * differ what differs in them, so what does not change costs nothing.
 *
 * Left out is what the model alone needs, and what moves at every round without meaning anything: when a
 * session was last heard (unless it is silent for more than half of its timeout), how long a server took to
 * answer, and of its other figures (zxid, connections, watches) all but one state a minute.
 */
#ifndef ELECTOP_PROBE_HISTORY_PICTURE_H
#define ELECTOP_PROBE_HISTORY_PICTURE_H

#include "probe/election/model.h"
#include "probe/sink/buffer.h"

struct picture;

struct picture *picture_new(void); /* NULL: out of memory */
void picture_free(struct picture *);

/* ---- writing ---- */

/*
 * Brings the picture up to date with the model and appends to the patch what is different; nothing where
 * nothing is. False: out of memory; the picture is then of no use any more.
 */
bool picture_update(struct picture *, const struct model *, struct buffer *patch);

/* The patch that makes this picture of an empty one. */
bool picture_keyframe(const struct picture *, struct buffer *patch);

/* ---- reading ---- */

/* False: the patch does not fit the picture or is damaged, or out of memory.
   The picture is then of no use. */
bool picture_apply(struct picture *, const void *patch, size_t length);
/* Empty again. */
void picture_clear(struct picture *);

/* The items, for thaw.c: those that are not there have NULL bytes. Their first byte is an item_kind
   (items.h). */
const unsigned char *picture_item(const struct picture *, size_t i, size_t *length);

#endif
