#define _GNU_SOURCE /* memmem(), F_OFD_SETLK */

#include "probe/case/case_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/case/case_state.h"
#include "probe/case/observation_codec.h"
#include "probe/clock.h"

/* Before each block; then the lengths of its bytes, packed and not, and the checksum of these and the packed
 * bytes. Its last byte is the form of what is packed. */
#define MARK "eltcase2"
#define MARK_BYTES (sizeof MARK - 1)
#define ANY_FORM_BYTES (MARK_BYTES - 1)
#define HEAD_BYTES (MARK_BYTES + 12)

#define BLOCK_BYTES ((size_t)256 << 10)
#define BLOCK_US INT64_C(10000000)
/* A damaged or forged file: more is refused. */
#define BLOCK_MOST ((size_t)32 << 20)
#define FILE_MOST ((size_t)1 << 30)
/* Of a file, at once. */
#define PART_BYTES ((size_t)1 << 20)
#define CLUSTERS_MOST 1000
#define RECIPES_MOST 1000
/* Of the texts and settings of a head: those of some 90,000 elections. A forged one may refer to a long text
 * again and again. */
#define HEAD_MEMORY ((size_t)24 << 20)
/* Of each piece, what the C library adds. */
#define PIECE_BYTES 16
/* The best that packing can do. */
#define PACKED_PART 1100
/* Damage that repeats a mark may cost reading this often. */
#define CHECKED_TIMES 4

/* The head of a block. */
struct block_head {
    uint64_t run, number; /* the number of its run, and its own in it */
    uint64_t state;       /* the number of observations at its beginning that repeat the state of that time */
    bool one_poll;
    struct settings *settings; /* reading: receives the run's clusters and recipes */
    int64_t at_us;             /* of a bundle; see struct case_about */
    char *version, *configuration;
};

static char *head_copy(struct coding *c, const char *words)
{
    bool fits = words && coding_holds(c, strlen(words) + 1 + PIECE_BYTES, HEAD_MEMORY);
    return fits ? xstrdup(words) : NULL;
}

static void head_text(struct coding *c, char **text, bool needed)
{
    const char *words = *text;
    coding_text(c, &words, needed);
    if (!c->out)
        *text = head_copy(c, words);
}

static void head_plain(struct coding *c, char **text)
{
    const char *words = *text;
    coding_plain(c, &words, false);
    if (!c->out)
        *text = head_copy(c, words);
}

/* Recipes that elections name by a pattern come with the elections' settings, too, but a model needs them
 * first. */
static void head_recipes(struct coding *c, struct settings *s)
{
    uint64_t count = s->recipe_count;
    coding_number(c, &count);
    if (!c->out) {
        count = c->bad || count > RECIPES_MOST ? 0 : count;
        s->recipes = xcalloc((size_t)count + 1, sizeof *s->recipes);
        s->recipe_count = (size_t)count;
    }
    for (size_t i = 0; i < s->recipe_count; i++) {
        head_text(c, &s->recipes[i].name, true);
        head_plain(c, &s->recipes[i].family); /* as watches: one of a few words */
        head_text(c, &s->recipes[i].candidate, false);
        head_plain(c, &s->recipes[i].watches);
    }
}

static void head_elections(struct coding *c, struct cluster_settings *cluster)
{
    uint64_t count = cluster->election_count;
    coding_number(c, &count);
    for (size_t i = 0; i < count && !c->bad; i++) {
        if (!c->out && !coding_holds(c, sizeof *cluster->elections, HEAD_MEMORY))
            return;
        struct election_settings *e = c->out ? &cluster->elections[i] : cluster_add_election(cluster);
        if (!c->out) {
            free(e->path);
            free(e->recipe);
        }
        head_text(c, &e->path, true);
        head_text(c, &e->recipe, true);
    }
}

/* One list for both directions. Writing leaves the settings as they are. */
static void head_fields(struct coding *c, struct block_head *head)
{
    uint64_t count = head->settings->cluster_count;
    coding_number(c, &head->run);
    coding_number(c, &head->number);
    coding_flag(c, &head->one_poll);
    coding_number(c, &count);
    for (size_t i = 0; i < count && i < CLUSTERS_MOST && !c->bad; i++) {
        struct cluster_settings *cluster =
            c->out ? &head->settings->clusters[i] : settings_add_cluster(head->settings);
        if (!c->out) {
            free(cluster->name);
            free(cluster->hosts);
        }
        head_text(c, &cluster->name, true);
        head_text(c, &cluster->hosts, true);
        head_elections(c, cluster);
    }
    head_recipes(c, head->settings);
    coding_number(c, &head->state);
    uint64_t at_us = (uint64_t)head->at_us;
    coding_number(c, &at_us);
    head->at_us = (int64_t)at_us;
    head_plain(c, &head->version);
    head_plain(c, &head->configuration);
}

static void head_tell(struct block_head *head, const struct case_about *about)
{
    head->at_us = about->at_us;
    head->version = text_copy(about->version);
    head->configuration = text_copy(about->configuration);
}

static void head_forget(struct block_head *head)
{
    free(head->version);
    free(head->configuration);
    head->version = head->configuration = NULL;
    head->at_us = 0;
}

/* ---- writing ---- */

struct case_writer {
    struct block_head head;
    const struct model *model;
    int fd; /* locked; -1: the blocks are taken */
    char *name, *problem;
    struct buffer raw;
    struct coding *coding; /* of the block; NULL: none has begun */
    size_t count;          /* of its observations, beside the state */
    size_t state_bytes, state_memory;
    int64_t begun_us; /* of its first observation; with a file: of the program's clock */
    bool keeps_state;
    struct pseudonyms *pseudonyms; /* NULL: none */
};

struct case_writer *case_writer_new(const struct settings *settings, const struct model *model)
{
    struct case_writer *w = xcalloc(1, sizeof *w);
    w->head.settings = (struct settings *)(uintptr_t)settings;
    w->model = model;
    w->fd = -1;
    return w;
}

static const char *not_this_form(const char *bytes, size_t length)
{
    return length >= MARK_BYTES && memcmp(bytes, MARK, ANY_FORM_BYTES) == 0
               ? "is a case of another version of electop, in another form"
               : "is not a case";
}

/* Descriptor of a file of this user that is empty or a case; -1 and *why. The lock is the inode's, whatever
 * its names, and goes with the descriptor. A file system without locks gives none. */
static int case_file_append(const char *file, const char **why)
{
    char mark[MARK_BYTES];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = plain_file_append(file, why);
    ssize_t length = fd < 0 ? -1 : read(fd, mark, sizeof mark);
    if (fd < 0)
        return -1;
    if (length != 0 && (length != (ssize_t)sizeof mark || memcmp(mark, MARK, sizeof mark) != 0))
        *why = not_this_form(mark, length < 0 ? 0 : (size_t)length);
    else if (fcntl(fd, F_OFD_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES))
        *why = "another process observes into it; only one at a time can";
    else
        return fd;
    close(fd);
    return -1;
}

struct case_writer *case_writer_open(const char *file, const struct settings *settings,
                                     const struct model *model, char **error)
{
    const char *why;
    int fd = case_file_append(file, &why);
    if (fd < 0) {
        *error = text_format("%s: %s; name another file", file, why);
        return NULL;
    }
    struct case_writer *w = case_writer_new(settings, model);
    w->fd = fd;
    w->name = xstrdup(file);
    return w;
}

static void put_u32(char *at, size_t number)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (char)(number >> 8 * i);
}

static uint32_t take_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The head, whose last fields are known when the block ends, and the observations. */
static void writer_join(struct case_writer *w, struct buffer *raw)
{
    struct buffer head = {0};
    struct coding *c = coding_write(&head);
    w->head.one_poll = w->model->one_poll;
    c->pseudonyms = w->pseudonyms;
    head_fields(c, &w->head);
    coding_finish(c);
    coding_free(c);
    put_bytes(raw, head.bytes, head.length);
    buffer_put(raw, w->raw.bytes, w->raw.length);
    buffer_free(&head);
}

void case_writer_keep_state(struct case_writer *w)
{
    w->keeps_state = true;
}

/* The next block begins with the present state. */
static void writer_renew(struct case_writer *w)
{
    struct buffer before = w->raw;
    coding_free(w->coding);
    w->coding = NULL;
    w->raw = (struct buffer){0};
    w->count = 0;
    w->head.number++;
    w->head.state = 0;
    head_forget(&w->head);
    if (w->keeps_state) {
        w->coding = coding_write(&w->raw);
        w->head.state = case_state_put(w->coding, before.bytes, before.length);
        w->state_bytes = w->coding->bytes;
        w->state_memory = w->coding->memory;
    }
    buffer_free(&before);
}

/* A block has at least as many bytes as the state that it begins with: the cost of a state that is repeated is a
 * part of the cost of the observations, whatever its size. */
static bool writer_is_full(const struct case_writer *w, size_t bytes)
{
    size_t length = w->coding->bytes;
    return (length > BLOCK_MOST / 2 && length > bytes + w->state_bytes) ||
           length > bytes + 2 * w->state_bytes || w->coding->memory > STRETCH_MEMORY + 2 * w->state_memory;
}

bool case_writer_is_due(const struct case_writer *w, int64_t now_us, int64_t every_us)
{
    return w->count > 0 && (writer_is_full(w, BLOCK_BYTES * 4) || now_us - w->begun_us > every_us);
}

void case_writer_take(struct case_writer *w, struct buffer *out)
{
    if (w->count == 0)
        return;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    if (!compressor)
        memory_exhausted();
    struct buffer raw = {0};
    coding_finish(w->coding);
    writer_join(w, &raw);
    size_t room = libdeflate_deflate_compress_bound(compressor, raw.length), begin = out->length;
    buffer_put(out, MARK, MARK_BYTES);
    buffer_reserve(out, 12 + room);
    char *head = out->bytes + out->length;
    size_t packed = libdeflate_deflate_compress(compressor, raw.bytes, raw.length, head + 12, room);
    libdeflate_free_compressor(compressor);
    put_u32(head, packed);
    put_u32(head + 4, raw.length);
    put_u32(head + 8, libdeflate_crc32(libdeflate_crc32(0, head, 8), head + 12, packed));
    out->length = begin + HEAD_BYTES + packed;
    buffer_free(&raw);
    writer_renew(w);
}

static void writer_flush(struct case_writer *w)
{
    struct buffer out = {0};
    case_writer_take(w, &out);
    for (size_t done = 0; !w->problem && done < out.length;) {
        ssize_t written = write(w->fd, out.bytes + done, out.length - done);
        if (written > 0)
            done += (size_t)written;
        else if (errno != EINTR)
            w->problem =
                text_format("%s: %s; not everything that was observed is in it", w->name, strerror(errno));
    }
    buffer_free(&out);
}

void case_writer_observe(void *writer, const struct observation *o)
{
    struct case_writer *w = writer;
    if (w->head.number == 0 && w->count == 0)
        w->head.run = (uint64_t)o->at.wall_us;
    if (w->count++ == 0)
        w->begun_us = w->fd >= 0 ? clock_now().mono_us : o->at.mono_us;
    if (!w->coding) {
        w->coding = coding_write(&w->raw);
        w->coding->pseudonyms = w->pseudonyms;
    }
    coding_put(w->coding, o);
    if (w->fd >= 0 && (writer_is_full(w, BLOCK_BYTES) || clock_now().mono_us - w->begun_us > BLOCK_US))
        writer_flush(w);
}

bool case_writer_close(struct case_writer *w, char **problem)
{
    *problem = NULL;
    if (!w)
        return true;
    if (w->fd >= 0)
        writer_flush(w);
    coding_free(w->coding);
    buffer_free(&w->raw);
    if (w->fd >= 0)
        close(w->fd);
    *problem = w->problem;
    head_forget(&w->head);
    free(w->name);
    free(w);
    return *problem == NULL;
}

/* ---- reading ---- */

struct case_run {
    struct case_run *next;
    struct block_head head;
    bool kept; /* until the end */
};

struct case_reader {
    FILE *file;           /* NULL: all its bytes are in memory */
    unsigned char *bytes; /* of the file: a part of it, from base */
    size_t base, length, room;
    size_t whole, at, checked; /* whole: of all */
    char *raw;                 /* of the block */
    struct coding *coding;
    struct block_head head;
    struct case_run *runs;   /* the latest first, the one before it, and those that are kept */
    struct block_head about; /* of the latest run that says a moment, else of the first one */
    size_t about_to;         /* the runs that begin before this place were asked */
    struct kept_settings *kept;
    struct case_losses losses;
    uint64_t repeated;         /* observations that come next, and were read before */
    uint64_t state;            /* observations that come next, and begin the run */
    bool is_state;             /* the latest one was one of these */
    bool lost;                 /* observations before the next one */
    struct observation held;   /* the next one, while the gap is reported */
    size_t gaps;               /* clusters whose gap is not reported yet */
    int64_t gap_us, latest_us; /* the gap; the time of the latest observation */
    bool holds, begun;         /* begun: a run, since the beginning of the file */
    bool heads;
};

struct case_reader *case_read(void *bytes, size_t length)
{
    struct case_reader *r = xcalloc(1, sizeof *r);
    r->bytes = bytes;
    r->length = r->whole = length;
    return r;
}

bool case_is(const char *file)
{
    char mark[MARK_BYTES];
    const char *why;
    FILE *stream = plain_file_stream(file, &why);
    bool is = stream && fread(mark, 1, sizeof mark, stream) == sizeof mark &&
              memcmp(mark, MARK, ANY_FORM_BYTES) == 0;
    if (stream)
        fclose(stream);
    return is;
}

/* The bytes from this place on; *count of them are in memory: as many as are wanted, or all up to the end. */
static const unsigned char *reader_at(struct case_reader *r, size_t at, size_t wanted, size_t *count)
{
    bool held = at >= r->base && at <= r->base + r->length;
    if (r->file && !(held && r->base + r->length - at >= wanted)) {
        size_t room = wanted > PART_BYTES ? wanted : PART_BYTES;
        if (room > r->room) {
            free(r->bytes);
            r->bytes = xmalloc(r->room = room);
        }
        r->base = at;
        r->length = 0;
        for (ssize_t got = 1; got > 0 && r->length < room && at + r->length < r->whole;
             r->length += (size_t)got)
            if ((got = pread(fileno(r->file), r->bytes + r->length, room - r->length,
                             (off_t)(at + r->length))) < 0)
                got = 0;
    }
    *count = r->base + r->length - at;
    return r->bytes + (at - r->base);
}

/* The place of the next mark, or the end of the file. */
static size_t mark_find(struct case_reader *r, size_t from)
{
    size_t count;
    for (size_t at = from; at < r->whole; at += count - (MARK_BYTES - 1)) {
        const unsigned char *begin = reader_at(r, at, MARK_BYTES, &count);
        if (count < MARK_BYTES)
            break;
        const unsigned char *hit = memmem(begin, count, MARK, MARK_BYTES);
        if (hit)
            return at + (size_t)(hit - begin);
    }
    return r->whole;
}

struct case_reader *case_open(const char *file, char **error)
{
    const char *why = NULL;
    struct stat stat;
    size_t count;
    struct case_reader *r = case_read(NULL, 0);
    r->file = plain_file_stream(file, &why);
    *error = NULL;
    if (!r->file || fstat(fileno(r->file), &stat) != 0) {
        *error = text_format("%s: %s", file, why ? why : strerror(errno));
        case_close(r);
        return NULL;
    }
    r->whole = (size_t)stat.st_size;
    if (r->whole > FILE_MOST)
        *error = text_format("%s: is larger than 1 GB; cut a part of it with electop case", file);
    else if (mark_find(r, 0) == r->whole) {
        const char *begin = (const char *)reader_at(r, 0, MARK_BYTES, &count);
        *error = text_format("%s: %s", file, not_this_form(begin, count));
    }
    if (!*error)
        return r;
    case_close(r);
    return NULL;
}

static void run_drop(struct case_run **at)
{
    struct case_run *run = *at;
    *at = run->next;
    settings_free(run->head.settings);
    head_forget(&run->head);
    free(run);
}

void case_close(struct case_reader *r)
{
    if (!r)
        return;
    coding_free(r->coding);
    free(r->raw);
    while (r->runs)
        run_drop(&r->runs);
    head_forget(&r->about);
    kept_settings_free(r->kept);
    if (r->file)
        fclose(r->file);
    free(r->bytes);
    free(r);
}

static void block_end(struct case_reader *r)
{
    if (r->coding)
        r->losses.skipped += r->coding->skipped;
    coding_free(r->coding);
    free(r->raw);
    r->coding = NULL;
    r->raw = NULL;
}

void case_rewind(struct case_reader *r)
{
    block_end(r);
    r->at = r->checked = 0;
    r->losses = (struct case_losses){0};
    r->lost = r->holds = r->begun = r->heads = false;
}

static void reader_lose(struct case_reader *r, size_t from)
{
    if (r->losses.blocks++ == 0)
        r->losses.first_byte = from;
    r->lost = true;
}

/* The packed length of the block that begins there, and its bytes; 0: none does. */
static size_t block_check(struct case_reader *r, size_t at, const unsigned char **bytes)
{
    size_t left = r->whole - at, count;
    *bytes = reader_at(r, at, HEAD_BYTES, &count);
    if (count < HEAD_BYTES || memcmp(*bytes, MARK, MARK_BYTES) != 0)
        return 0;
    const unsigned char *head = *bytes + MARK_BYTES;
    size_t packed = take_u32(head), raw = take_u32(head + 4);
    if (packed == 0 || packed > left - HEAD_BYTES || packed > BLOCK_MOST || raw > BLOCK_MOST ||
        raw > packed * PACKED_PART || r->checked > r->whole * CHECKED_TIMES)
        return 0;
    r->checked += packed;
    *bytes = reader_at(r, at, HEAD_BYTES + packed, &count);
    if (count < HEAD_BYTES + packed)
        return 0; /* it was cut meanwhile */
    head = *bytes + MARK_BYTES;
    return libdeflate_crc32(libdeflate_crc32(0, head, 8), head + 12, packed) == take_u32(head + 8) ? packed
                                                                                                   : 0;
}

static bool block_unpack(struct case_reader *r, const unsigned char *at, size_t packed)
{
    size_t raw = take_u32(at + MARK_BYTES + 4);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor)
        memory_exhausted();
    r->raw = xmalloc(raw + 1);
    bool fine = libdeflate_deflate_decompress(decompressor, at + HEAD_BYTES, packed, r->raw, raw, NULL) ==
                LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(decompressor);
    return fine;
}

/* The run before it may still have a model. */
static void run_begin(struct case_reader *r, struct block_head head)
{
    struct case_run *begun = xmalloc(sizeof *begun);
    *begun = (struct case_run){r->runs, head, false};
    r->runs = begun;
    for (struct case_run **at = begun->next ? &begun->next->next : &begun->next; *at;)
        if ((*at)->kept)
            at = &(*at)->next;
        else
            run_drop(at);
    if (r->at < r->about_to)
        return;
    if (r->about_to == 0 || head.at_us != 0) {
        head_forget(&r->about);
        head_tell(&r->about, &(struct case_about){head.at_us, head.version, head.configuration});
    }
    r->about_to = r->at + 1;
}

/* False: its head is bad. */
static bool block_begin(struct case_reader *r, size_t raw, bool *run, bool *follows)
{
    struct block_head head = {.settings = settings_new()};
    struct scan in = {(unsigned char *)r->raw, (unsigned char *)r->raw + raw, false};
    size_t length;
    const char *bytes = scan_piece(&in, &length);
    struct coding *c = coding_read(bytes, length, &r->kept);
    head_fields(c, &head);
    bool fine = !c->bad && head.settings->cluster_count > 0;
    coding_free(c);
    r->coding = coding_read(in.at, (size_t)(in.end - in.at), &r->kept);
    r->coding->heads = r->heads;
    *run = fine && (!r->begun || head.number == 0 || head.run != r->head.run);
    *follows = *run ? head.number == 0 || head.state > 0 : head.number == r->head.number + 1;
    if (*run) {
        run_begin(r, head);
    } else {
        settings_free(head.settings);
        head_forget(&head);
    }
    if (fine)
        r->head = head;
    r->begun |= fine;
    r->state = *run ? head.state : r->state;
    r->repeated = fine && !*run && *follows && !r->lost ? head.state : 0;
    return fine;
}

/* Opens the next block that is whole. False: there is none. */
static bool reader_advance(struct case_reader *r, bool *run)
{
    size_t from = r->at, at = r->whole;
    bool follows = true, whole = false;
    while (!whole && r->at < r->whole) {
        const unsigned char *bytes = NULL;
        at = mark_find(r, r->at);
        size_t packed = at < r->whole ? block_check(r, at, &bytes) : 0;
        whole = packed && block_unpack(r, bytes, packed) &&
                block_begin(r, take_u32(bytes + MARK_BYTES + 4), run, &follows);
        r->at = at == r->whole ? at : at + (packed ? HEAD_BYTES + packed : 1);
        if (!whole)
            block_end(r);
    }
    if ((whole ? at : r->whole) > from || !follows)
        reader_lose(r, from);
    return whole;
}

/* The next observation comes after a gap, which is reported for each cluster first. */
static void reader_hold(struct case_reader *r, const struct observation *o)
{
    r->held = *o;
    r->holds = true;
    r->lost = false;
    r->gaps = r->runs->head.settings->cluster_count;
    r->gap_us = o->at.mono_us > r->latest_us ? o->at.mono_us - r->latest_us : 1;
}

static void reader_release(struct case_reader *r, struct observation *o)
{
    *o = r->held;
    r->holds = r->gaps > 0;
    if (r->gaps == 0)
        return;
    r->gaps--;
    *o = (struct observation){
        .kind = OBSERVED_GAP, .at = r->held.at, .cluster = (unsigned)r->gaps, .gap_us = r->gap_us};
}

enum case_next case_next(struct case_reader *r, struct observation *o)
{
    bool run;
    while (!r->holds) {
        if (r->coding && coding_get(r->coding, o)) {
            if (r->repeated > 0) {
                r->repeated--;
                continue;
            }
            if (r->lost && o->at.mono_us > r->latest_us) {
                reader_hold(r, o);
                break;
            }
            r->is_state = r->state > 0;
            r->state -= r->is_state;
            r->latest_us = o->at.mono_us > r->latest_us ? o->at.mono_us : r->latest_us;
            return CASE_OBSERVATION;
        }
        if (r->coding && r->coding->bad)
            reader_lose(r, r->at);
        block_end(r);
        if (!reader_advance(r, &run))
            return CASE_END;
        if (run) { /* whose model knows nothing that could be lost */
            r->latest_us = 0;
            r->lost = false;
            return CASE_RUN;
        }
    }
    reader_release(r, o);
    return CASE_OBSERVATION;
}

void case_read_heads(struct case_reader *r)
{
    r->heads = true;
}

bool case_is_state(const struct case_reader *r)
{
    return r->is_state;
}

const struct settings *case_settings(const struct case_reader *r)
{
    return r->runs->head.settings;
}

void case_keep_settings(struct case_reader *r)
{
    r->runs->kept = true;
}

struct model *case_model(const struct case_reader *r, char **error)
{
    struct model *model = model_new(r->runs->head.settings, error);
    if (model)
        model->one_poll = r->head.one_poll;
    return model;
}

const struct case_losses *case_losses(const struct case_reader *r)
{
    return &r->losses;
}

struct case_about case_about(const struct case_reader *r)
{
    return (struct case_about){r->about.at_us, r->about.version, r->about.configuration};
}

/* ---- a part of it ---- */

struct case_cutting {
    const struct case_part *part;
    struct buffer *out;
    struct model *model; /* of the run: for the head of its blocks */
    struct case_writer *writer;
    bool begun, matched; /* matched: an election of the part was observed */
};

static void cut_end(struct case_cutting *cut)
{
    char *problem;
    if (cut->writer && cut->begun)
        case_writer_take(cut->writer, cut->out);
    case_writer_close(cut->writer, &problem);
    model_free(cut->model);
    cut->writer = NULL;
    cut->model = NULL;
}

static bool cut_run(struct case_cutting *cut, const struct case_reader *reader, char **error)
{
    cut_end(cut);
    cut->model = case_model(reader, error);
    cut->begun = false;
    if (!cut->model)
        return false;
    cut->writer = case_writer_new(case_settings(reader), cut->model);
    case_writer_keep_state(cut->writer);
    return true;
}

/* The part begins here, with the present state. */
static void cut_begin(struct case_cutting *cut)
{
    struct buffer before = {0};
    struct block_head *head = &cut->writer->head;
    case_writer_take(cut->writer, &before);
    buffer_free(&before);
    head->number = 0;
    head_tell(head, &cut->part->about);
    cut->begun = true;
}

/* Paths are named as users write them: below the chroot. */
static bool cut_wants(const struct case_cutting *cut, const struct observation *o)
{
    if (o->at.wall_us > cut->part->to_us || o->cluster >= cut->model->cluster_count)
        return false;
    if (!cut->part->election || !o->election)
        return true;
    const char *chroot = cut->model->clusters[o->cluster].chroot;
    size_t length = strlen(chroot);
    bool below = strncmp(o->election, chroot, length) == 0 && o->election[length] == '/';
    return znode_pattern_match(cut->part->election, o->election + (below ? length : 0));
}

static bool is_unwanted(const struct case_part *part)
{
    return part->unwanted && atomic_load(part->unwanted);
}

static void cut_observe(struct case_cutting *cut, const struct observation *o)
{
    struct buffer before = {0};
    if (!cut_wants(cut, o))
        return;
    cut->matched |= o->election != NULL;
    if (!cut->begun && o->at.wall_us >= cut->part->from_us)
        cut_begin(cut);
    case_writer_observe(cut->writer, o);
    if (case_writer_is_due(cut->writer, o->at.mono_us, BLOCK_US * 30))
        case_writer_take(cut->writer, cut->begun ? cut->out : &before);
    buffer_free(&before);
}

/* ---- with other names ---- */

/* Of the run that begins. Hosts come first: sentences about them are to be recognised. */
static struct case_writer *rename_begin(const struct case_reader *reader, const struct model *model,
                                        struct pseudonyms *pseudonyms)
{
    const struct block_head *head = &reader->runs->head;
    struct case_about about = {head->at_us, head->version, head->configuration};
    struct case_writer *w = case_writer_new(head->settings, model);
    for (size_t i = 0; i < head->settings->cluster_count; i++)
        pseudonyms_text(pseudonyms, head->settings->clusters[i].hosts);
    if (about.configuration)
        about.configuration = pseudonyms_configuration(pseudonyms, about.configuration);
    head_tell(&w->head, &about);
    w->pseudonyms = pseudonyms;
    return w;
}

static void rename_end(struct case_writer *w, struct model *model, struct buffer *out)
{
    char *problem;
    if (w)
        case_writer_take(w, out);
    case_writer_close(w, &problem);
    model_free(model);
}

/* The same blocks, with pseudonyms in place of names: a second pass, so that a name is replaced once. */
static void case_rename(struct buffer *blocks, const struct case_part *part)
{
    struct case_reader *reader = case_read(blocks->bytes, blocks->length);
    struct pseudonyms *pseudonyms = pseudonyms_new();
    struct case_writer *w = NULL;
    struct model *model = NULL;
    struct observation o;
    enum case_next next;
    char *error;
    *blocks = (struct buffer){0};
    while (!is_unwanted(part) && (next = case_next(reader, &o)) != CASE_END) {
        if (next == CASE_RUN) {
            rename_end(w, model, blocks);
            model = case_model(reader, &error); /* its recipes have been compiled before */
            w = rename_begin(reader, model, pseudonyms);
            continue;
        }
        case_writer_observe(w, &o);
        if (case_writer_is_due(w, o.at.mono_us, BLOCK_US * 30))
            case_writer_take(w, blocks);
    }
    rename_end(w, model, blocks);
    pseudonyms_free(pseudonyms);
    case_close(reader);
}

bool case_cut(struct case_reader *reader, const struct case_part *part, struct buffer *out, char **error)
{
    struct case_cutting cut = {.part = part, .out = out};
    struct observation o;
    enum case_next next;
    bool fine = true;
    *error = NULL;
    while (fine && !is_unwanted(part) && (next = case_next(reader, &o)) != CASE_END) {
        if (next == CASE_OBSERVATION)
            cut_observe(&cut, &o);
        else
            fine = cut_run(&cut, reader, error);
    }
    cut_end(&cut);
    if (fine && part->election && !cut.matched && out->length > 0) {
        *error = text_format("%s was not watched in that time", part->election);
        return false;
    }
    if (fine && part->pseudonyms)
        case_rename(out, part);
    return fine && !is_unwanted(part) && out->length > 0;
}
