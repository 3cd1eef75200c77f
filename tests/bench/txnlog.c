/*
 * Transaction logs for measuring, and the floor of reading them.
 *
 *     txnlog write DIRECTORY MEGABYTES EVERY [FROM TO]
 *         logs of 64 MB each with as many transactions of 200 bytes, 4 in a millisecond, a snapshot at each,
 *         and 100 elections, one of which loses its leader every EVERY transactions. Of files outside of the
 *         megabytes FROM to TO, only the first transaction is written; the rest are zeros that take no room.
 *         Prints the time (ms) of the first transaction behind FROM
 *     txnlog floor FILE...
 *         reads each record and verifies its Adler-32, and nothing else; prints seconds and transactions
 *     txnlog serve DIRECTORY A_SECOND EVERY SECONDS
 *         appends as many transactions a second to one log, as a server does, at their time
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define ELECTIONS 100
#define CANDIDATES 5
#define FILE_BYTES (64u << 20)
#define ROOM (512u << 10)

struct writer {
    const char *directory;
    FILE *log;
    size_t bytes; /* of this log */
    int64_t written, from, to;
    bool left_out; /* of this log all but the first transaction is */
    bool live;     /* the time is that of the clock */
    unsigned char record[1024];
    size_t length;
    int64_t zxid, time_ms;
    uint64_t sessions;
    struct {
        uint64_t session;
        int number;
    } candidates[ELECTIONS][CANDIDATES];
    int created[ELECTIONS];
};

static void put(struct writer *w, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        w->record[w->length++] = (unsigned char)(value >> (8 * i));
}

static void put_text(struct writer *w, const char *text, size_t length)
{
    put(w, length, 4);
    memcpy(w->record + w->length, text, length);
    w->length += length;
}

static void begin(struct writer *w, uint64_t session, int cxid, int type)
{
    w->length = 0;
    w->time_ms += !w->live && w->zxid % 4 == 0;
    put(w, session, 8);
    put(w, (uint32_t)cxid, 4);
    put(w, (uint64_t)++w->zxid, 8);
    put(w, (uint64_t)w->time_ms, 8);
    put(w, (uint32_t)type, 4);
}

/* A snapshot of the tree as the elections have it; other znodes are none of its concern. */
static void write_snapshot(struct writer *w);

static void next_file(struct writer *w)
{
    char path[400];
    if (w->log) {
        fflush(w->log);
        if (ftruncate(fileno(w->log), (off_t)w->bytes) != 0)
            exit(1);
        fclose(w->log);
    }
    if (w->zxid > 0)
        write_snapshot(w);
    w->written += (int64_t)w->bytes;
    w->left_out = w->written + FILE_BYTES < w->from || w->written > w->to;
    snprintf(path, sizeof path, "%s/log.%llx", w->directory, (unsigned long long)w->zxid + 1);
    w->log = fopen(path, "wb");
    if (!w->log)
        exit(1);
    fwrite("ZKLG\0\0\0\2\0\0\0\0\0\0\0\0", 1, 16, w->log);
    w->bytes = 16;
}

static void end(struct writer *w)
{
    unsigned char frame[12] = {0};
    size_t at = w->bytes;
    w->bytes += 13 + w->length;
    if (w->left_out && at > 16)
        return;
    uint32_t sum = (uint32_t)adler32(adler32(0, NULL, 0), w->record, (uInt)w->length);
    for (int i = 0; i < 4; i++) {
        frame[4 + i] = (unsigned char)(sum >> (24 - 8 * i));
        frame[8 + i] = (unsigned char)(w->length >> (24 - 8 * i));
    }
    fwrite(frame, 1, 12, w->log);
    fwrite(w->record, 1, w->length, w->log);
    fputc('B', w->log);
}

static void end_acl(struct writer *w, int ephemeral, int creations)
{
    put(w, 1, 4);
    put(w, 31, 4);
    put_text(w, "world", 5);
    put_text(w, "anyone", 6);
    put(w, (uint64_t)ephemeral, 1);
    put(w, (uint32_t)creations, 4);
    end(w);
}

static void write_session(struct writer *w, uint64_t session)
{
    begin(w, session, 0, -10);
    put(w, 10000, 4);
    end(w);
}

static void write_candidate(struct writer *w, int election, int i)
{
    char path[80], who[40];
    uint64_t session = UINT64_C(0x100000000000000) + ++w->sessions;
    write_session(w, session);
    w->candidates[election][i].session = session;
    w->candidates[election][i].number = w->created[election]++;
    begin(w, session, 1, 1);
    int length =
        snprintf(path, sizeof path, "/elections/e%d/n_%010d", election, w->candidates[election][i].number);
    put_text(w, path, (size_t)length);
    length = snprintf(who, sizeof who, "host-%d-%d", election, i);
    put_text(w, who, (size_t)length);
    end_acl(w, 1, w->created[election]);
}

static void write_end(struct writer *w, int election, int i)
{
    char path[80];
    begin(w, w->candidates[election][i].session, w->zxid % 2 ? 0 : 9, -11);
    put(w, 1, 4);
    int length =
        snprintf(path, sizeof path, "/elections/e%d/n_%010d", election, w->candidates[election][i].number);
    put_text(w, path, (size_t)length);
    end(w);
}

/* What other clients do all the time. */
static void write_other(struct writer *w)
{
    char path[80], data[120];
    begin(w, UINT64_C(0x200000000000001) + (uint64_t)(w->zxid % 500), (int)w->zxid, 5);
    int length = snprintf(path, sizeof path, "/services/part-%03d/shard-%05d", (int)(w->zxid % 1000),
                          (int)(w->zxid * 7919 % 50000));
    memset(data, 'x', sizeof data);
    put_text(w, path, (size_t)length);
    put_text(w, data, sizeof data);
    put(w, 7, 4);
    end(w);
}

static void write_directory(struct writer *w, const char *path)
{
    begin(w, UINT64_C(0x300000000000001), 1, 1);
    put_text(w, path, strlen(path));
    put_text(w, "", 0);
    end_acl(w, 0, 1);
}

struct sealed {
    FILE *file;
    uint32_t sum;
};

static void seal(struct sealed *s, const void *bytes, size_t length)
{
    s->sum = (uint32_t)adler32(s->sum, bytes, (uInt)length);
    fwrite(bytes, 1, length, s->file);
}

static void seal_number(struct sealed *s, uint64_t value, int bytes)
{
    unsigned char out[8];
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
    seal(s, out, (size_t)bytes);
}

static void seal_node(struct sealed *s, const char *path, uint64_t owner, int creations, const char *data)
{
    seal_number(s, strlen(path), 4);
    seal(s, path, strlen(path));
    seal_number(s, strlen(data), 4);
    seal(s, data, strlen(data));
    seal_number(s, 1, 8); /* ACL */
    seal_number(s, 1, 8);
    seal_number(s, 1, 8);
    seal_number(s, 1700000000000, 8);
    seal_number(s, 1700000000000, 8);
    seal_number(s, 0, 4);
    seal_number(s, (uint32_t)creations, 4);
    seal_number(s, 0, 4);
    seal_number(s, owner, 8);
    seal_number(s, 1, 8);
}

static void write_snapshot(struct writer *w)
{
    char path[400], who[40];
    snprintf(path, sizeof path, "%s/snapshot.%llx", w->directory, (unsigned long long)w->zxid);
    struct sealed s = {fopen(path, "wb"), (uint32_t)adler32(0, NULL, 0)};
    if (!s.file)
        exit(1);
    seal(&s, "ZKSN\0\0\0\2\0\0\0\0\0\0\0\0", 16);
    seal_number(&s, ELECTIONS * CANDIDATES, 4);
    for (int e = 0; e < ELECTIONS; e++)
        for (int i = 0; i < CANDIDATES; i++) {
            seal_number(&s, w->candidates[e][i].session, 8);
            seal_number(&s, 10000, 4);
        }
    seal_number(&s, 0, 4); /* no ACLs */
    seal_node(&s, "", 0, 1, "");
    seal_node(&s, "/elections", 0, ELECTIONS, "");
    for (int e = 0; e < ELECTIONS; e++) {
        snprintf(path, sizeof path, "/elections/e%d", e);
        seal_node(&s, path, 0, w->created[e], "");
        for (int i = 0; i < CANDIDATES; i++) {
            snprintf(path, sizeof path, "/elections/e%d/n_%010d", e, w->candidates[e][i].number);
            snprintf(who, sizeof who, "host-%d-%d", e, i);
            seal_node(&s, path, w->candidates[e][i].session, 0, who);
        }
    }
    seal_number(&s, 1, 4);
    seal(&s, "/", 1);
    uint32_t sum = s.sum;
    seal_number(&s, sum, 8);
    seal_number(&s, 1, 4);
    seal(&s, "/", 1);
    fclose(s.file);
}

static void write_elections(struct writer *w)
{
    write_directory(w, "/elections");
    for (int e = 0; e < ELECTIONS; e++) {
        char path[40];
        snprintf(path, sizeof path, "/elections/e%d", e);
        write_directory(w, path);
        for (int i = 0; i < CANDIDATES; i++)
            write_candidate(w, e, i);
    }
}

/* One of them loses its leader every so many transactions; it stands again at the end of the line. */
static void write_next(struct writer *w, int64_t n, int64_t every)
{
    if (n % every != 0) {
        write_other(w);
        return;
    }
    int e = (int)(n / every % ELECTIONS), i = (int)(n / every / ELECTIONS % CANDIDATES);
    write_end(w, e, i);
    write_candidate(w, e, i);
}

static int write_logs(const char *directory, int64_t bytes, int64_t every, int64_t from, int64_t to)
{
    static struct writer w;
    int64_t from_ms = 0;
    w = (struct writer){.directory = directory, .time_ms = 1700000000000, .from = from, .to = to};
    mkdir(directory, 0755);
    next_file(&w);
    write_elections(&w);
    for (int64_t n = 0; w.written + (int64_t)w.bytes < bytes; n++) {
        write_next(&w, n, every);
        if (from_ms == 0 && w.written + (int64_t)w.bytes > from)
            from_ms = w.time_ms;
        if (w.bytes > FILE_BYTES)
            next_file(&w);
    }
    fclose(w.log);
    printf("%lld\n", (long long)from_ms);
    return 0;
}

static int64_t wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Room is made with zeros in advance. */
static int serve(const char *directory, int64_t a_second, int64_t every, int64_t seconds)
{
    static struct writer w;
    int64_t began_us = wall_us(), done = 0;
    w = (struct writer){.directory = directory, .time_ms = began_us / 1000, .to = INT64_MAX, .live = true};
    mkdir(directory, 0755);
    next_file(&w);
    write_elections(&w);
    fflush(w.log);
    if (ftruncate(fileno(w.log), (off_t)FILE_BYTES * 4) != 0)
        return 1;
    while (done < a_second * seconds) {
        int64_t now_us = wall_us(), due = (now_us - began_us) * a_second / 1000000;
        w.time_ms = now_us / 1000;
        for (; done < due; done++)
            write_next(&w, done + 1, every);
        fflush(w.log);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    fclose(w.log);
    return 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static long floor_of(const char *path)
{
    static unsigned char window[ROOM];
    int fd = open(path, O_RDONLY);
    size_t length = 0, at = 16;
    long count = 0;
    ssize_t got;
    if (fd < 0)
        return -1;
    while ((got = read(fd, window + length, ROOM - length)) > 0) {
        length += (size_t)got;
        while (length - at >= 12) {
            uint32_t size = number(window + at + 8);
            if (size == 0 || size > ROOM - 13 || length - at < size + 13)
                break;
            if (adler32(adler32(0, NULL, 0), window + at + 12, size) != number(window + at + 4))
                exit(1);
            at += size + 13;
            count++;
        }
        memmove(window, window + at, length - at);
        length -= at;
        at = 0;
    }
    close(fd);
    return count;
}

int main(int argc, char **argv)
{
    int64_t numbers[4] = {0, 1, 0, INT64_MAX / 1000000};
    for (int i = 3; i < argc && i < 7; i++)
        numbers[i - 3] = strtoll(argv[i], NULL, 10);
    if ((argc == 5 || argc == 7) && strcmp(argv[1], "write") == 0 && numbers[1] > 0)
        return write_logs(argv[2], numbers[0] * 1000000, numbers[1], numbers[2] * 1000000,
                          numbers[3] * 1000000);
    if (argc == 6 && strcmp(argv[1], "serve") == 0 && numbers[1] > 0)
        return serve(argv[2], numbers[0], numbers[1], numbers[2]);
    if (argc < 3 || strcmp(argv[1], "floor") != 0)
        return 2;
    double began = now_s();
    long count = 0;
    for (int i = 2; i < argc; i++)
        count += floor_of(argv[i]);
    printf("%.3f s, %ld transactions\n", now_s() - began, count);
    return 0;
}
