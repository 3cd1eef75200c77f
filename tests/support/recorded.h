/*
 * recorded.h - an election that changes its leader, recorded, beside all that was said of it meanwhile: what
 * a recording is held against.
 *
 * Whatever does not hold fails the running cmocka test.
 */
#ifndef ELECTOP_TESTS_SUPPORT_RECORDED_H
#define ELECTOP_TESTS_SUPPORT_RECORDED_H

#include "probe/history/history.h"
#include "probe/history/recorder.h"
#include "probe/json/buffer.h"
#include "tests/support/fake_tree.h"

#define MOMENTS_MOST 8192
#define KEEP_LONG_MS (INT64_C(365) * 24 * 3600 * 1000)

struct recorded {
    char folder[64], file[80];
    struct fake_tree *tree;
    struct model *model;
    struct recorder *recorder;
    struct moment now;
    struct buffer reported; /* every event, a line each */
    size_t events, failovers;
    char *looks[MOMENTS_MOST]; /* as `once --json` would have said them ... */
    int64_t times[MOMENTS_MOST];
    size_t moments;
    int64_t first, last; /* numbers of the candidates */
};

struct recorded *recorded_new(void);
void recorded_free(struct recorded *); /* and all files */
/* One that is being recorded, and has been looked at for the first time. */
struct recorded *recorded_begin(void);

void recorded_start(struct recorded *, int64_t keep_ms);
void recorded_stop(struct recorded *);
void recorded_connect(struct recorded *); /* and looks for the first time */
void recorded_lose(struct recorded *);    /* the connection */
void recorded_pass(struct recorded *, int64_t ms);
/* So many leaders go, each followed by one more candidate; what is said is remembered after each step. */
void recorded_changes(struct recorded *, int times);

/* The same, with nothing remembered. */
void recorded_rush(struct recorded *, int times);

/* How each of so many equal parts of that time was watched: "#" in part at least, "." not at all. */
char *recorded_watched(struct history *, int64_t from_us, int64_t to_us, size_t count);

struct history *recorded_open(const struct recorded *);
/* The number that a query gives. */
int64_t recorded_ask(const struct recorded *, const char *sql);
/* Writes into the file, which nobody records into. */
void recorded_change(const struct recorded *, const char *sql);
/* The moment of that number looks as it did; all between two times do. */
void recorded_same_look(const struct recorded *, struct history *, size_t moment);
void recorded_same_looks(const struct recorded *, struct history *, int64_t from_us, int64_t to_us);
/* Every event was recorded, word for word, in order, and no other. */
void recorded_same_events(const struct recorded *, struct history *);
/* Both: nothing is missing, and nothing is otherwise. */
void recorded_same(const struct recorded *);

#endif
