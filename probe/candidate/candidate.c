/*
 * candidate.c - see candidate.h. The steps are in the order in which a candidate takes them.
 *
 * Every event leads to one of a handful of steps, and a step may be repeated at any time: it reads before it
 * acts. So a lost connection needs one rule only: once reconnected, proceed() from the known state. Answers
 * that were lost with the connection are therefore ignored, except the one to a create, which leaves doubt.
 *
 * This is the recipe. For a faulty candidate, its behaviour (behaviour.h) says which znode it watches instead
 * and which step it omits.
 */
#include "probe/candidate/candidate.h"

#include <stddef.h>

#include "probe/election/recipe.h"

static const struct behaviour_rules *behaviour_of(const struct candidate_options *options)
{
    return behaviour_rules_of(options->behaviour);
}

static struct candidate_asks nothing(void)
{
    return (struct candidate_asks){.count = 0};
}

static void candidate_add(struct candidate_asks *all, enum candidate_ask what)
{
    all->list[all->count++].what = what;
}

static struct candidate_asks one(enum candidate_ask what)
{
    struct candidate_asks all = {.count = 0};
    candidate_add(&all, what);
    return all;
}

static struct candidate_asks rest(struct candidacy *c)
{
    bool rests = c->resting;
    c->resting = true;
    return rests ? nothing() : one(ASK_REST);
}

/* Overloaded servers accept it later; a second try would not change any other result. */
static struct candidate_asks refused(struct candidacy *c, enum session_result why, const char *problem)
{
    if (why == SESSION_BUSY)
        return rest(c);
    candidate_gone(c);
    struct candidate_asks all = one(ASK_LEAVE);
    all.problem = problem;
    all.why = why;
    return all;
}

void candidate_init(struct candidacy *c)
{
    *c = (struct candidacy){
        .state = CANDIDATE_JOINING, .volunteers = true, .own = SEQUENCE_NONE, .awaited = SEQUENCE_NONE};
}

static struct candidate_asks proceed(struct candidacy *, const struct candidate_options *);

/* ---- volunteer: create my znode ---- */

static struct candidate_asks volunteer(struct candidacy *c, const struct candidate_options *options)
{
    struct candidate_asks all = nothing();
    c->creating = true;
    c->woken = false;
    if (behaviour_of(options)->creates_twice)
        candidate_add(&all, ASK_ORPHAN);
    candidate_add(&all, ASK_CREATE);
    return all;
}

struct candidate_asks candidate_created(struct candidacy *c, const struct candidate_options *options,
                                        enum session_result result, int64_t number)
{
    c->creating = false;
    switch (result) {
    case SESSION_OK:
        if (behaviour_of(options)->leaves)
            return refused(c, SESSION_OK, NULL);
        c->own = number;
        return proceed(c, options); /* look; or step down again, if it has changed its mind meanwhile */
    case SESSION_LOST:
        c->in_doubt = true;
        return proceed(c, options);
    case SESSION_NO_NODE:
        c->creating = true; /* on it: until the directory is there */
        return one(ASK_DIRECTORY);
    default:
        return refused(c, result, "create a znode in");
    }
}

struct candidate_asks candidate_prepared(struct candidacy *c, const struct candidate_options *options,
                                         enum session_result result)
{
    c->creating = false;
    if (result == SESSION_OK || result == SESSION_NODE_EXISTS || result == SESSION_LOST)
        return proceed(c, options);
    if (result == SESSION_NO_NODE)
        return rest(c); /* its parent was deleted again just now */
    return refused(c, result, "create the directory of");
}

/* ---- after a lost connection: was my create carried out? ---- */

static struct candidate_asks candidate_find(const struct candidate_options *options)
{
    /* A bare name looks like other candidates' names. Ending the session removes the znode, if any. */
    return one(options->findable ? ASK_FIND : ASK_RENEW);
}

struct candidate_asks candidate_found(struct candidacy *c, const struct candidate_options *options,
                                      enum session_result result, int64_t number)
{
    if (result == SESSION_LOST || !c->in_doubt)
        return nothing();
    if (result != SESSION_OK && result != SESSION_NO_NODE)
        return refused(c, result, "read");
    c->in_doubt = false;
    c->own = number;
    return proceed(c, options);
}

/* ---- look: which candidates precede this one? ---- */

static struct candidate_asks look(struct candidacy *c, const struct candidate_options *options)
{
    c->looks++;
    return one(behaviour_of(options)->watches == WHOM_CHILDREN ? ASK_LOOK_AND_WATCH : ASK_LOOK);
}

static struct candidate_asks lead(struct candidacy *c, const struct candidate_options *options);
static struct candidate_asks candidate_watch(struct candidacy *c, const struct candidate_options *options,
                                             const struct line_member *whom);

struct candidate_asks candidate_looked(struct candidacy *c, const struct candidate_options *options,
                                       enum session_result result, const struct line_position *position)
{
    c->looks--;
    if (result == SESSION_LOST || c->looks > 0 || !c->connected)
        return nothing(); /* another look follows */
    if (!c->volunteers || c->own == SEQUENCE_NONE || c->deleting)
        return nothing(); /* its znode is gone, or is being deleted, and perhaps created again */
    if (result != SESSION_OK && result != SESSION_NO_NODE)
        return refused(c, result, "read");
    if (result == SESSION_NO_NODE || !position->in_line) {
        /* Its znode, or the whole directory, was deleted: volunteer anew. */
        bool marked = c->acknowledged && options->ack;
        c->own = c->awaited = SEQUENCE_NONE;
        c->acknowledged = false;
        c->state = CANDIDATE_JOINING;
        struct candidate_asks all = proceed(c, options);
        if (marked)
            candidate_add(&all, ASK_ACK_SEEN);
        return all;
    }
    if (!position->predecessor.name)
        return lead(c, options);
    return candidate_watch(c, options, position_watched(position, behaviour_of(options)->watches));
}

/* ---- watch the one before me ---- */

/* name: NULL for a candidate that watches nothing; it waits for ever, or for its directory to change. */
static struct candidate_asks candidate_watch(struct candidacy *c, const struct candidate_options *options,
                                             const struct line_member *whom)
{
    c->awaited = SEQUENCE_NONE;
    c->acknowledged = false;
    if (!whom || (behaviour_of(options)->watches_once && c->woken)) {
        c->state = CANDIDATE_WAITING;
        return nothing();
    }
    c->awaited = whom->number;
    c->watches++;
    struct candidate_asks all = one(ASK_WATCH);
    all.list[0].name = whom->name;
    return all;
}

struct candidate_asks candidate_watched(struct candidacy *c, const struct candidate_options *options,
                                        enum session_result result)
{
    c->watches--;
    if (result == SESSION_LOST || c->watches > 0 || c->awaited == SEQUENCE_NONE)
        return nothing();
    if (result == SESSION_OK) {
        c->state = CANDIDATE_WAITING;
        return nothing();
    }
    if (result != SESSION_NO_NODE)
        return refused(c, result, "watch a znode in");
    return look(c, options); /* deleted between look and watch: no notification would come */
}

/* ---- wake: a watched znode changed, and its watch is used up ---- */

struct candidate_asks candidate_noticed(struct candidacy *c, const struct candidate_options *options,
                                        int64_t number)
{
    if (!c->volunteers || c->awaited != number)
        return nothing();
    c->awaited = SEQUENCE_NONE;
    c->woken = true;
    return proceed(c, options);
}

struct candidate_asks candidate_noticed_directory(struct candidacy *c,
                                                  const struct candidate_options *options)
{
    return c->volunteers && c->own != SEQUENCE_NONE ? proceed(c, options) : nothing();
}

/* ---- lead, and acknowledge ---- */

static struct candidate_asks step_down(struct candidacy *c, const struct candidate_options *options);

static struct candidate_asks acknowledge(struct candidacy *c, const struct candidate_options *options)
{
    if (options->ack)
        return one(ASK_ACK);
    c->acknowledged = true;
    return nothing();
}

static struct candidate_asks lead(struct candidacy *c, const struct candidate_options *options)
{
    c->awaited = SEQUENCE_NONE;
    if (options->never_leads) {
        c->volunteers = false;
        return step_down(c, options);
    }
    c->state = CANDIDATE_LEADING;
    if (c->acknowledged || c->delaying || behaviour_of(options)->is_mute)
        return nothing();
    c->delaying = behaviour_of(options)->is_slow;
    return c->delaying ? one(ASK_DELAY) : acknowledge(c, options);
}

struct candidate_asks candidate_delayed(struct candidacy *c, const struct candidate_options *options)
{
    c->delaying = false;
    return c->volunteers && c->state == CANDIDATE_LEADING ? acknowledge(c, options) : nothing();
}

/* A znode that any of them may have created, also before a lost connection: its owner says whose it is. */
static struct candidate_asks claimed(struct candidacy *c, enum session_result result,
                                     enum candidate_ask owner, enum candidate_ask directory, const char *what)
{
    if (result == SESSION_LOST)
        return nothing();
    if (result == SESSION_OK || result == SESSION_NODE_EXISTS)
        return one(owner);
    return result == SESSION_NO_NODE ? one(directory) : refused(c, result, what);
}

struct candidate_asks candidate_ack_written(struct candidacy *c, const struct candidate_options *options,
                                            enum session_result result)
{
    (void)options;
    return claimed(c, result, ASK_ACK_SEEN, ASK_ACK_DIRECTORY, "write the acknowledgement of");
}

struct candidate_asks candidate_ack_seen(struct candidacy *c, const struct candidate_options *options,
                                         enum session_result result, bool mine)
{
    if (result == SESSION_OK && mine) {
        c->acknowledged = c->volunteers && c->state == CANDIDATE_LEADING;
        if (behaviour_of(options)->keeps_ack)
            return candidate_resign(c, options);
        return c->acknowledged ? nothing() : one(ASK_ACK_GONE); /* it does not lead any more */
    }
    if (result == SESSION_NO_NODE && c->volunteers && c->state == CANDIDATE_LEADING)
        return acknowledge(c, options);
    /* Else it is the predecessor's, whose session has not ended yet: its watch will fire. */
    return nothing();
}

struct candidate_asks candidate_ack_gone(struct candidacy *c, const struct candidate_options *options,
                                         enum session_result result)
{
    (void)c, (void)options;
    return result == SESSION_BUSY ? one(ASK_ACK_SEEN) : nothing(); /* still ours: then once more */
}

struct candidate_asks candidate_noticed_ack(struct candidacy *c, const struct candidate_options *options)
{
    bool lacks = c->volunteers && c->state == CANDIDATE_LEADING && !c->acknowledged;
    return lacks && !c->delaying && !behaviour_of(options)->is_mute ? acknowledge(c, options) : nothing();
}

/* ---- the lock: one znode for all ---- */

struct candidate_asks candidate_contended(struct candidacy *c, const struct candidate_options *options,
                                          enum session_result result)
{
    (void)options;
    return claimed(c, result, ASK_LOCK, ASK_DIRECTORY, "create");
}

struct candidate_asks candidate_lock_seen(struct candidacy *c, const struct candidate_options *options,
                                          enum session_result result, bool mine)
{
    if (result == SESSION_LOST)
        return nothing();
    if (result != SESSION_OK && result != SESSION_NO_NODE)
        return refused(c, result, "watch");
    c->own = result == SESSION_OK && mine ? 0 : SEQUENCE_NONE;
    if (result == SESSION_OK && !mine) {
        c->state = c->volunteers ? CANDIDATE_WAITING : CANDIDATE_RESIGNED;
        return nothing();
    }
    return mine && c->volunteers ? lead(c, options) : proceed(c, options); /* free: try again */
}

struct candidate_asks candidate_noticed_lock(struct candidacy *c, const struct candidate_options *options)
{
    if (!c->volunteers)
        return nothing();
    if (c->state == CANDIDATE_LEADING)
        c->state = CANDIDATE_JOINING; /* the lock that we hold was touched: is it still ours? */
    return proceed(c, options);
}

/* ---- step down: the acknowledgement first, then the znode ---- */

static struct candidate_asks step_down(struct candidacy *c, const struct candidate_options *options)
{
    struct candidate_asks all = nothing();
    if (c->acknowledged && options->ack && !behaviour_of(options)->keeps_ack)
        candidate_add(&all, ASK_ACK_GONE);
    c->acknowledged = false;
    c->awaited = SEQUENCE_NONE;
    c->state = CANDIDATE_JOINING; /* first: once the znode has gone, another leads before we hear of it */
    c->deleting = true;
    candidate_add(&all, ASK_DELETE);
    return all;
}

/*
 * After a lost connection another client may own the lock or the acknowledgement, since its path is shared:
 * the owner is read again before it is deleted. A candidate's own name is unique.
 */
static struct candidate_asks step_down_again(struct candidacy *c, const struct candidate_options *options)
{
    struct candidate_asks all = nothing();
    c->acknowledged = false;
    if (!options->lock)
        all = proceed(c, options);
    else
        candidate_add(&all, ASK_LOCK);
    if (options->ack)
        candidate_add(&all, ASK_ACK_SEEN);
    return all;
}

struct candidate_asks candidate_deleted(struct candidacy *c, const struct candidate_options *options,
                                        enum session_result result)
{
    c->deleting = false;
    if (result == SESSION_LOST)
        return options->lock ? nothing() : proceed(c, options);
    if (result == SESSION_BUSY && options->lock)
        return one(ASK_LOCK); /* its path is everybody's: whose is it by now? */
    if (result != SESSION_OK && result != SESSION_NO_NODE)
        return refused(c, result, "delete a znode in");
    c->own = SEQUENCE_NONE;
    c->state = CANDIDATE_RESIGNED;
    return c->volunteers ? proceed(c, options) : nothing();
}

/* ---- the next step, from the known state ---- */

static struct candidate_asks proceed(struct candidacy *c, const struct candidate_options *options)
{
    if (!c->connected || c->creating || c->deleting || c->resting)
        return nothing(); /* an answer, the connection, or a moment leads here again */
    if (c->in_doubt)
        return candidate_find(options);
    if (!c->volunteers && c->own != SEQUENCE_NONE)
        return step_down(c, options);
    if (!c->volunteers) {
        c->state = CANDIDATE_RESIGNED;
        return nothing();
    }
    if (options->lock)
        return one(ASK_CONTEND);
    return c->own != SEQUENCE_NONE ? look(c, options) : volunteer(c, options);
}

struct candidate_asks candidate_rested(struct candidacy *c, const struct candidate_options *options)
{
    c->resting = false;
    return proceed(c, options);
}

struct candidate_asks candidate_connected(struct candidacy *c, const struct candidate_options *options,
                                          bool renewed)
{
    c->connected = true;
    if (renewed) {
        c->own = c->awaited = SEQUENCE_NONE;
        c->in_doubt = c->acknowledged = false;
    }
    return c->volunteers || c->in_doubt ? proceed(c, options) : step_down_again(c, options);
}

void candidate_disconnected(struct candidacy *c)
{
    c->connected = false;
    if (c->volunteers)
        c->state = CANDIDATE_JOINING; /* another candidate may lead before this one knows */
}

void candidate_gone(struct candidacy *c)
{
    struct candidacy before = *c;
    candidate_init(c);
    c->volunteers = false;
    c->state = CANDIDATE_GONE;
    c->looks = before.looks; /* their answers are still owed */
    c->watches = before.watches;
    c->delaying = before.delaying;
    c->resting = before.resting;
}

struct candidate_asks candidate_resign(struct candidacy *c, const struct candidate_options *options)
{
    c->volunteers = false;
    c->awaited = SEQUENCE_NONE;
    return proceed(c, options);
}

struct candidate_asks candidate_volunteer(struct candidacy *c, const struct candidate_options *options)
{
    if (c->volunteers)
        return nothing();
    c->volunteers = true;
    if (c->own != SEQUENCE_NONE)
        return nothing(); /* its znode is being deleted: candidate_deleted() goes on; or the connection does
                           */
    c->state = CANDIDATE_JOINING;
    return proceed(c, options);
}
