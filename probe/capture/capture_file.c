#define _GNU_SOURCE /* fopencookie(); and libpcap's header uses the BSD names of integers */
#include "probe/capture/capture_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pcap/pcap.h>
#include <uv.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"
#include "probe/capture/packet.h"
#include "probe/clock.h"

/* A longer packet was not captured by any tool. */
#define PACKET_MOST (1u << 20)
/* Packets that a pipe has delivered and that were not taken yet. */
#define QUEUED_MOST (8u << 20)
/* Read at once. */
#define READ_BYTES (64u << 10)
#define MAGIC_BYTES 4
/* libpcap keeps what a section of pcapng says of each interface. */
#define INTERFACES_MOST 1000
/* A file that is followed is looked at this often. */
#define GROWS_NS INT64_C(20000000)
/* Packets of other captures may come so much later, and are older. Not those that a file held before. */
#define HELD_US INT64_C(20000)
/* No packet is of a later second, the end of the year 9999, whatever its file says. */
#define SECOND_MOST INT64_C(253402300799)
/* What all files hold is taken in its order; so long the slowest is waited for. */
#define HOLDING_US INT64_C(10000000)

struct queued_packet {
    struct queued_packet *next;
    int64_t at_us, arrived_us;
    size_t captured, length;
    bool current;
    uint8_t bytes[];
};

/* Counts the interfaces of pcapng on their way to libpcap. */
struct block_count {
    uint8_t head[12];
    size_t have;     /* bytes of head */
    uint64_t body;   /* bytes of the block that follow */
    bool begun, big; /* a section has begun; its numbers are big-endian */
    bool other;      /* it is no pcapng */
    unsigned interfaces;
};

struct capture_file {
    const char *path;
    char *server; /* its name; or NULL */
    pcap_t *pcap;
    int link;
    char *note;
    int64_t at_us; /* the latest packet's */
    struct block_count blocks;
    bool noted, over, ready;
    struct captured_packet packet; /* the next one, if ready */
    /* Of a pipe, and of a file that is followed. */
    bool piped, follow, grows; /* a file, whose thread soon sees that it is to stop */
    bool held;                 /* see HELD_US */
    int fd;                    /* that is followed */
    int64_t shift_us;          /* see capture_files_shift() */
    int64_t delay_us; /* its thread's: of what a file held before, until it was written; 0: not known */
    bool caught_up;   /* its thread's: its end was reached, and nothing has waited since */
    uv_thread_t thread;
    uv_mutex_t mutex;
    uv_cond_t taken;
    struct queued_packet *first, **last, *current;
    size_t queued;
    bool ended, stopping;
    bool read_up; /* its end was reached, now or before */
    struct capture_file *behind;
};

struct capture_files {
    struct capture_file **list;
    size_t count, room;
    int64_t opened_us;
};

bool capture_file_is(const char *path)
{
    static const uint8_t magics[][MAGIC_BYTES] = {{0xa1, 0xb2, 0xc3, 0xd4}, {0xd4, 0xc3, 0xb2, 0xa1},
                                                  {0xa1, 0xb2, 0x3c, 0x4d}, {0x4d, 0x3c, 0xb2, 0xa1},
                                                  {0x0a, 0x0d, 0x0d, 0x0a}, {0xa1, 0xb2, 0xcd, 0x34},
                                                  {0x34, 0xcd, 0xb2, 0xa1}};
    uint8_t magic[MAGIC_BYTES] = {0};
    const char *why;
    FILE *file = path ? plain_file_stream(path, &why) : NULL;
    size_t got = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; got == sizeof magic && i < sizeof magics / sizeof magics[0]; i++)
        if (memcmp(magic, magics[i], sizeof magic) == 0)
            return true;
    return false;
}

/* ---- one capture ---- */

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_HEAD 8u

static uint32_t block_number(const struct block_count *c, const uint8_t *at)
{
    return c->big ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
                  : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void block_begins(struct block_count *c)
{
    bool section = block_number(c, c->head) == BLOCK_SECTION; /* alike in both orders */
    if (section && c->have < sizeof c->head)
        return; /* its order of bytes is still to come */
    if (section) {
        c->big = c->head[BLOCK_HEAD] == 0x1a;
        c->interfaces = 0;
        c->begun = true;
    }
    uint32_t length = block_number(c, c->head + 4);
    c->other = !c->begun || length < sizeof c->head; /* libpcap says why, if it is one */
    c->interfaces += block_number(c, c->head) == BLOCK_INTERFACE;
    c->body = c->other ? 0 : length - c->have;
    c->have = 0;
}

/* False: too many. */
static bool blocks_are_few(struct block_count *c, const char *bytes, size_t count)
{
    while (count > 0 && !c->other && c->interfaces <= INTERFACES_MOST) {
        size_t taken = c->body < count ? (size_t)c->body : count;
        c->body -= taken;
        bytes += taken;
        count -= taken;
        if (c->body > 0 || count == 0)
            break;
        c->head[c->have++] = (uint8_t)*bytes++;
        count--;
        if (c->have >= BLOCK_HEAD)
            block_begins(c);
    }
    return c->interfaces <= INTERFACES_MOST;
}

/* False: it is over. A packet of no possible time has no bytes, and the time of the one before. */
static bool capture_file_read(struct capture_file *file, struct captured_packet *packet)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int got = pcap_next_ex(file->pcap, &header, &bytes);
    if (got == 1 && header->caplen <= PACKET_MOST) {
        bool timely = header->ts.tv_sec >= 0 && header->ts.tv_sec <= SECOND_MOST;
        if (timely)
            file->at_us = header->ts.tv_sec * INT64_C(1000000) + header->ts.tv_usec;
        else if (!file->note)
            file->note = text_format("%s: the time of a packet is not valid: it is left out", file->path);
        *packet = (struct captured_packet){.at_us = file->at_us,
                                           .link = file->link,
                                           .bytes = bytes,
                                           .captured = timely ? header->caplen : 0,
                                           .length = timely ? header->len : 0,
                                           .server = file->server};
        return true;
    }
    if (got != PCAP_ERROR_BREAK || file->blocks.interfaces > INTERFACES_MOST)
        free(file->note);
    if (file->blocks.interfaces > INTERFACES_MOST)
        file->note = text_format("%s: more than %d interfaces are described; the rest is left out",
                                 file->path, INTERFACES_MOST);
    else if (got == 1)
        file->note = text_format("%s: a packet of %u bytes is not valid; the rest is left out", file->path,
                                 (unsigned)header->caplen);
    else if (got == PCAP_ERROR)
        file->note = text_format("%s: %s", file->path, pcap_geterr(file->pcap));
    return false;
}

static bool capture_file_wait(struct capture_file *file)
{
    while (file->queued > QUEUED_MOST && !file->stopping) {
        file->caught_up = false;
        uv_cond_wait(&file->taken, &file->mutex);
    }
    return !file->stopping;
}

static bool capture_file_stops(struct capture_file *file, bool read_up)
{
    uv_mutex_lock(&file->mutex);
    bool stops = file->stopping;
    file->read_up = file->read_up || read_up;
    uv_mutex_unlock(&file->mutex);
    return stops;
}

/* The end of a file that is followed is not its end. */
static ssize_t capture_file_pull(void *cookie, char *bytes, size_t room)
{
    struct capture_file *file = cookie;
    ssize_t got;
    file->caught_up =
        file->caught_up ||
        (file->follow && file->pcap && poll(&(struct pollfd){.fd = file->fd, .events = POLLIN}, 1, 0) == 0);
    while ((got = read(file->fd, bytes, room)) == 0 && file->grows && !capture_file_stops(file, true)) {
        file->caught_up = true;
        nanosleep(&(struct timespec){.tv_nsec = GROWS_NS}, NULL);
    }
    return got > 0 && !blocks_are_few(&file->blocks, bytes, (size_t)got) ? 0 : got;
}

static int capture_file_shut(void *cookie)
{
    return close(((struct capture_file *)cookie)->fd);
}

static int input_fd = STDIN_FILENO;

int capture_file_input(void)
{
    return input_fd;
}

void capture_file_take_input(void)
{
    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    input_fd = fd >= 0 ? fd : STDIN_FILENO;
}

static char *open_problem(const char *path, const char *problem)
{
    bool none = strstr(problem, "unknown file format") || strstr(problem, "truncated");
    if (strstr(problem, "only got 0"))
        problem = "it is empty, as when tcpdump is not permitted to capture";
    return text_format("%s: %s%s", path, problem,
                       none ? "; write a capture with: tcpdump -U -s0 -w FILE port 2181" : "");
}

static FILE *capture_file_of(struct capture_file *file)
{
    static const cookie_io_functions_t calls = {.read = capture_file_pull, .close = capture_file_shut};
    FILE *stream = file->fd < 0 ? NULL : fopencookie(file, "rb", calls);
    if (stream)
        setvbuf(stream, NULL, _IOFBF, READ_BYTES);
    return stream;
}

static FILE *capture_file_stream(struct capture_file *file, const char **why)
{
    bool input = strcmp(file->path, "-") == 0;
    file->fd = input         ? dup(input_fd)
               : file->grows ? plain_file_open(file->path, why) /* it may be another file since */
                             : open(file->path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0 && !*why)
        *why = strerror(errno);
    return capture_file_of(file);
}

/* Reads the header: of a pipe, this waits for it. */
static bool capture_file_begin(struct capture_file *file, char **error)
{
    char problem[PCAP_ERRBUF_SIZE] = "";
    struct stat status;
    const char *why = NULL;
    FILE *stream = capture_file_stream(file, &why);
    if (!stream) {
        *error = open_problem(file->path, why ? why : strerror(errno));
        return false;
    }
    file->piped = file->follow || (fstat(file->fd, &status) == 0 && !S_ISREG(status.st_mode));
    file->pcap = pcap_fopen_offline(stream, problem);
    if (!file->pcap) {
        fclose(stream);
        *error = open_problem(strcmp(file->path, "-") == 0 ? "standard input" : file->path, problem);
        return false;
    }
    file->link = pcap_datalink(file->pcap);
    if (packet_link_is_known(file->link))
        return true;
    const char *name = pcap_datalink_val_to_name(file->link);
    *error = text_format("%s: packets of link type %s cannot be read; capture on -i any, or on an Ethernet "
                         "interface",
                         file->path, name ? name : "unknown");
    return false;
}

/* A pipe that is followed is opened on its thread, and so is a file that has no header yet. */
static bool capture_file_open(struct capture_file *file, const char *path, char **error)
{
    const char *equals = strchr(path, '=');
    struct stat status;
    file->path = equals ? equals + 1 : path;
    file->server = equals ? text_format("%.*s", (int)(equals - path), path) : NULL;
    file->piped = file->follow;
    bool input = strcmp(file->path, "-") == 0, there = !input && access(file->path, R_OK) == 0;
    file->grows = file->follow && there && stat(file->path, &status) == 0 && S_ISREG(status.st_mode);
    bool later =
        file->follow &&
        (input || (there && (!file->grows || status.st_size < MAGIC_BYTES || capture_file_is(file->path))));
    return later || capture_file_begin(file, error);
}

/* The latest packet of a file was captured when the file was last written: its packets keep their times. */
static int64_t delay_of(struct capture_file *file)
{
    char problem[PCAP_ERRBUF_SIZE];
    struct captured_packet packet = {0};
    struct stat status;
    struct moment now = clock_now();
    const char *why;
    struct capture_file held = {.path = file->path, .fd = plain_file_open(file->path, &why)};
    FILE *stream = capture_file_of(&held);
    pcap_t *pcap = held.pcap = stream ? pcap_fopen_offline(stream, problem) : NULL;
    if (stream && !pcap)
        fclose(stream);
    while (pcap && !capture_file_stops(file, false) && capture_file_read(&held, &packet))
        continue;
    free(held.note);
    if (pcap)
        pcap_close(pcap);
    if (packet.at_us == 0 || stat(file->path, &status) != 0)
        return 0;
    int64_t written_us = status.st_mtim.tv_sec * INT64_C(1000000) + status.st_mtim.tv_nsec / 1000;
    written_us = written_us < now.wall_us ? written_us : now.wall_us; /* another host's clock may be ahead */
    return written_us - now.wall_us + now.mono_us - packet.at_us;
}

static void capture_file_run(void *context)
{
    struct capture_file *file = context;
    struct captured_packet packet;
    bool goes_on = file->pcap || capture_file_begin(file, &file->note);
    file->delay_us = file->grows ? delay_of(file) : 0;
    while (goes_on && capture_file_read(file, &packet)) {
        struct queued_packet *one = xmalloc(sizeof *one + packet.captured);
        int64_t arrived_us =
            file->delay_us && !file->caught_up ? packet.at_us + file->delay_us : clock_now().mono_us;
        *one = (struct queued_packet){NULL,          packet.at_us,   arrived_us, packet.captured,
                                      packet.length, file->caught_up};
        memcpy(one->bytes, packet.bytes, packet.captured);
        uv_mutex_lock(&file->mutex);
        *file->last = one;
        file->last = &one->next;
        file->queued += packet.captured + sizeof *one;
        goes_on = capture_file_wait(file);
        uv_mutex_unlock(&file->mutex);
    }
    uv_mutex_lock(&file->mutex);
    file->ended = true;
    uv_mutex_unlock(&file->mutex);
}

static bool take_queued(struct capture_file *file)
{
    free(file->current);
    uv_mutex_lock(&file->mutex);
    struct queued_packet *one = file->first;
    bool young = one && file->held && (one->current || !file->grows) &&
                 one->arrived_us > clock_now().mono_us - HELD_US;
    one = file->current = young ? NULL : one;
    if (one) {
        file->first = one->next;
        if (!file->first)
            file->last = &file->first;
        file->queued -= one->captured + sizeof *one;
        uv_cond_signal(&file->taken);
        file->packet = (struct captured_packet){.at_us = one->at_us,
                                                .arrived_us = one->arrived_us,
                                                .link = file->link,
                                                .bytes = one->bytes,
                                                .captured = one->captured,
                                                .length = one->length,
                                                .server = file->server,
                                                .current = one->current};
    }
    file->over = !file->first && !one && file->ended;
    uv_mutex_unlock(&file->mutex);
    return one != NULL;
}

static bool is_holding(struct capture_file *file)
{
    if (!file->grows || file->ready || file->over)
        return false;
    uv_mutex_lock(&file->mutex);
    bool holding = !file->read_up;
    uv_mutex_unlock(&file->mutex);
    return holding;
}

/* Those whose threads end with the program. */
static struct capture_file *left_behind;

static void capture_file_close(struct capture_file *file)
{
    if (file->last) {
        uv_mutex_lock(&file->mutex);
        file->stopping = true;
        uv_cond_signal(&file->taken);
        bool ended = file->ended;
        uv_mutex_unlock(&file->mutex);
        /* It may wait for a pipe that never says anything. */
        if (!ended && !file->grows) {
            file->behind = left_behind;
            left_behind = file;
            return;
        }
        uv_thread_join(&file->thread);
        uv_mutex_destroy(&file->mutex);
        uv_cond_destroy(&file->taken);
    }
    for (struct queued_packet *one = file->first, *next; one; one = next) {
        next = one->next;
        free(one);
    }
    free(file->current);
    if (file->pcap)
        pcap_close(file->pcap);
    free(file->note);
    free(file->server);
    free(file);
}

static bool capture_file_start(struct capture_file *file)
{
    if (!file->piped)
        return true;
    uv_mutex_init(&file->mutex);
    uv_cond_init(&file->taken);
    file->last = &file->first;
    if (uv_thread_create(&file->thread, capture_file_run, file) == 0)
        return true;
    file->ended = true;
    file->last = NULL;
    return false;
}

/* ---- all of them ---- */

struct capture_files *capture_files_open(char *const *paths, size_t count, bool follow, char **error)
{
    struct capture_files *files = xcalloc(1, sizeof *files);
    files->opened_us = clock_now().mono_us;
    for (size_t i = 0; i < count; i++) {
        struct capture_file *file = xcalloc(1, sizeof *file);
        room_for_one(&files->list, files->count, &files->room, sizeof(struct capture_file *));
        files->list[files->count++] = file;
        file->follow = follow;
        file->held = follow && count > 1;
        if (capture_file_open(file, paths[i], error) && capture_file_start(file))
            continue;
        capture_files_close(files);
        return NULL;
    }
    return files;
}

void capture_files_close(struct capture_files *files)
{
    for (size_t i = 0; files && i < files->count; i++)
        capture_file_close(files->list[i]);
    if (files)
        free(files->list);
    free(files);
}

enum capture_next capture_files_next(struct capture_files *files, struct captured_packet *packet)
{
    struct capture_file *earliest = NULL;
    size_t source = 0;
    bool waits = false, holding = false;
    for (size_t i = 0; i < files->count; i++) {
        struct capture_file *file = files->list[i];
        bool reads = is_holding(file); /* its thread may come to the end after the next look at its queue */
        if (!file->ready && !file->over) {
            file->ready = file->last ? take_queued(file) : capture_file_read(file, &file->packet);
            file->over = file->last ? file->over : !file->ready;
        }
        waits = waits || (!file->ready && !file->over);
        holding = holding || (reads && !file->ready && !file->over);
        if (!file->ready ||
            (earliest && file->packet.at_us + file->shift_us >= earliest->packet.at_us + earliest->shift_us))
            continue;
        earliest = file;
        source = i;
    }
    if (holding && clock_now().mono_us - files->opened_us < HOLDING_US)
        return CAPTURE_WAITS;
    if (!earliest)
        return waits ? CAPTURE_WAITS : CAPTURE_END;
    /* A pipe that stalls must not hold the others up. */
    *packet = earliest->packet;
    packet->source = source;
    earliest->ready = false;
    return CAPTURE_PACKET;
}

void capture_files_shift(struct capture_files *files, size_t source, int64_t shift_us)
{
    files->list[source]->shift_us = shift_us;
}

bool capture_files_over(const struct capture_files *files, size_t source)
{
    return files->list[source]->over;
}

const char *capture_files_note(struct capture_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct capture_file *file = files->list[i];
        if (!file->over || !file->note || file->noted)
            continue;
        file->noted = true;
        return file->note;
    }
    return NULL;
}
