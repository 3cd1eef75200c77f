/*
 * case_file.h - observations in a file: written while they come, and read again by any version.
 *
 * A case holds runs, each of one model: its clusters, its own recipes, its observations in their order. It is a
 * sequence of blocks, each with a length and a checksum, compressed, and readable without the others. A damaged
 * block loses only itself, and the model gets a gap in its place. A case holds the data of the znodes that were
 * read, and never credentials.
 *
 * A bundle is a case that also says which moment it is about, and how the program was configured that made it.
 */
#ifndef ELECTOP_PROBE_CASE_CASE_FILE_H
#define ELECTOP_PROBE_CASE_CASE_FILE_H

#include <stdatomic.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"

/* ---- writing ---- */

/* Fills blocks. */
struct case_writer;

/* The blocks of this model's observations from now on: the settings and the model must outlive it. The caller
 * sets it as the model's observer, if at all. */
struct case_writer *case_writer_new(const struct settings *settings, const struct model *model);
/* The same, at the end of a file, which is created where there is none. Each block is written when it is full,
 * and at the latest ten seconds after it began: the program's, for logs of years are read in seconds, and packets
 * of a pipe as they come. NULL and a text in *error (caller frees). */
struct case_writer *case_writer_open(const char *file, const struct settings *settings,
                                     const struct model *model, char **error);
/* Each block after the first begins with the state of that time, so that it can be read without the blocks
 * before it. */
void case_writer_keep_state(struct case_writer *writer);
/* Without a file: its block began this long ago or longer, or is large. */
bool case_writer_is_due(const struct case_writer *writer, int64_t now_us, int64_t every_us);
/* A model's on_observation. */
void case_writer_observe(void *writer, const struct observation *observation);
/* Of one without a file: takes the block that is not empty, to the end of out. */
void case_writer_take(struct case_writer *writer, struct buffer *out);
/* Writes the rest and frees it. False and a text in *problem (caller frees): not all could be written. NULL is
 * fine. */
bool case_writer_close(struct case_writer *writer, char **problem);

/* ---- reading ---- */

struct case_reader;

/* The file is read in parts and stays open. NULL and a text in *error (caller frees): not readable, or not a case. */
struct case_reader *case_open(const char *file, char **error);
/* Blocks, which it owns (malloc'd) and frees. */
struct case_reader *case_read(void *bytes, size_t length);
/* Until case_rewind(), observations have no content but their kind, time, cluster, election and path. */
void case_read_heads(struct case_reader *reader);
/* To its beginning again. */
void case_rewind(struct case_reader *reader);
/* After the models that were fed from it. */
void case_close(struct case_reader *reader);
/* This file is a case, or begins like one, of any form. */
bool case_is(const char *file);

enum case_next {
    CASE_OBSERVATION,
    CASE_RUN, /* another run begins, with these settings: see case_model() */
    CASE_END
};
/* The observation is valid until the next call. */
enum case_next case_next(struct case_reader *reader, struct observation *observation);
/* That observation repeats a fact from before its run. */
bool case_is_state(const struct case_reader *reader);
/* Of this run; valid until a second run after it begins, for its model is freed after the next one has begun. */
const struct settings *case_settings(const struct case_reader *reader);
/* ... or until case_close(). */
void case_keep_settings(struct case_reader *reader);
/* A model for this run, without observations. NULL and a text in *error (caller frees): a recipe is bad. */
struct model *case_model(const struct case_reader *reader, char **error);

/* The content of a bundle beside its observations. */
struct case_about {
    int64_t at_us;             /* its moment; 0: this is no bundle */
    const char *version;       /* of the program that made it, or NULL */
    const char *configuration; /* without secrets, or NULL */
};
/* Of the runs that were read; valid until a run is read that was not read before. */
struct case_about case_about(const struct case_reader *reader);

/* A bundle holds this time before and after its moment, where nothing else was said. */
#define CASE_BEFORE_US (INT64_C(3600) * 1000000)
#define CASE_AFTER_US (INT64_C(600) * 1000000)

struct case_part {
    int64_t from_us, to_us; /* wall clock */
    const char *election;   /* only those that match this pattern, and the servers; NULL: all */
    struct case_about about;
    bool pseudonyms; /* in place of names, hosts, addresses, paths, identities and data; out must be empty */
    const atomic_bool *unwanted; /* set by another thread: the rest is not made; NULL: never */
};
/* Appends the state at the beginning of that part, then its observations, to out as blocks. False: none, or a
 * text in *error (caller frees). Without pseudonyms, out may have some of them if it was not wanted any more. */
bool case_cut(struct case_reader *reader, const struct case_part *part, struct buffer *out, char **error);

/* The unreadable content so far. */
struct case_losses {
    uint64_t blocks;     /* damaged, or missing in their run */
    uint64_t first_byte; /* where the first of them begins */
    uint64_t skipped;    /* observations of kinds that this version does not know */
};
const struct case_losses *case_losses(const struct case_reader *reader);

#endif
