/*
 * snapshot_fields.h - the fields of the model's structs in a snapshot: one list for writing and for reading.
 * Private to this folder.
 *
 * A function lists the fields of one struct in the order of their bytes, and is called in both directions.
 * Writing leaves the struct as it is. Reading fills it; it is zeroed or whole before, for a text that it owns
 * is freed and replaced. Bytes may be damaged or forged: what does not fit sets in.bad, and the struct is
 * then of no use, except to be freed.
 *
 * A changed list needs a new number of the schema (schema.h).
 */
#ifndef ELECTOP_PROBE_HISTORY_SNAPSHOT_FIELDS_H
#define ELECTOP_PROBE_HISTORY_SNAPSHOT_FIELDS_H

#include "config/arena.h"
#include "probe/election/bystanders.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/session_table.h"
#include "probe/case/codec.h"
#include "probe/history/items.h"

struct fields {
    struct snapshot *writing; /* the item goes there; NULL: in is read */
    bool last;                /* ... and no later one changes it */
    struct scan in;
    int64_t base_us;   /* see put_moment() */
    struct moment now; /* reading: of the model */
    struct arena kept; /* reading: what the model's structs borrow; the caller frees it after the model */
};

/*
 * The whole item, its key included. A tenure's and a departure's begin with their number among those of one
 * election, which only the key needs.
 */
void finding_fields(struct fields *f, struct finding *finding);
void tenure_fields(struct fields *f, struct tenure *tenure, uint64_t number);
void departed_fields(struct fields *f, struct departure_note *note, uint64_t number);
void member_fields(struct fields *f, struct member *member);

/*
 * What follows the key: the key says which struct the reader fills. server: figures are those that move all
 * the time, as they were noted last; reading, the same server.
 */
void cluster_fields(struct fields *f, struct cluster *cluster);
void server_fields(struct fields *f, struct server *server, struct server *figures);
void election_fields(struct fields *f, struct election *e);
void state_fields(struct fields *f, struct election *e);
void candidate_fields(struct fields *f, struct candidate *c);
void session_fields(struct fields *f, struct client_session *session);

#endif
