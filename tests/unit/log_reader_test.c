/* A log that is long enough to be read ahead: every whole record once and in order, whatever is between them.
 */
#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "probe/transactions/log_reader.h"
#include "probe/transactions/log_stream.h"
#include "tests/support/test.h"

#define RECORDS 20000
#define DAMAGED 9000 /* of this zxid */
#define HUGE_ONE 13000
#define HUGE_BYTES (768u << 10) /* more than what is read ahead at once */

struct written {
    unsigned char *bytes;
    size_t length, damaged_from, damaged_to;
};

static void put(struct written *log, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        log->bytes[log->length++] = (unsigned char)(value >> (8 * i));
}

static void write_record(struct written *log, uint64_t zxid)
{
    size_t length = zxid == HUGE_ONE ? HUGE_BYTES : 32 + (size_t)(zxid * 37 % 300), frame = log->length;
    log->length += FRAME_BYTES;
    size_t begin = log->length;
    put(log, 7, 8);
    put(log, 1, 4);
    put(log, zxid, 8);
    put(log, 1700000000000 + zxid, 8);
    put(log, 5, 4);
    while (log->length < begin + length) {
        log->bytes[log->length] = (unsigned char)(log->length * 31 % 251);
        log->length++;
    }
    put(log, 'B', 1);
    size_t end = log->length;
    log->length = frame;
    put(log, adler32(1, log->bytes + begin, (uInt)length), 8);
    put(log, length, 4);
    log->length = end;
}

static struct written write_log(void)
{
    struct written log = {.bytes = calloc(1, RECORDS * 400u + HUGE_BYTES)};
    assert_non_null(log.bytes);
    memcpy(log.bytes, "ZKLG\0\0\0\2\0\0\0\0\0\0\0\0", 16);
    log.length = 16;
    for (uint64_t zxid = 1; zxid <= RECORDS; zxid++) {
        if (zxid == DAMAGED)
            log.damaged_from = log.length;
        write_record(&log, zxid);
        if (zxid == DAMAGED)
            log.damaged_to = log.length;
    }
    log.bytes[log.damaged_from + FRAME_BYTES + 20] ^= 4;
    return log;
}

static void expect_record(struct log_reader *reader, int64_t zxid)
{
    struct transaction t;
    const unsigned char *record;
    size_t length;
    assert_int_equal(log_reader_next(reader, &record, &length), LOG_RECORD);
    assert_true(transaction_read(record, length, &t));
    assert_int_equal(t.zxid, zxid);
}

static void expect_all_but_the_last(struct log_reader *reader, const struct written *log)
{
    const unsigned char *record;
    size_t length;
    for (int64_t zxid = 1; zxid < RECORDS; zxid++) {
        if (zxid != DAMAGED) {
            expect_record(reader, zxid);
            continue;
        }
        assert_int_equal(log_reader_next(reader, &record, &length), LOG_DAMAGED);
        assert_int_equal(reader->damaged_from, log->damaged_from);
        assert_int_equal(reader->damaged_to, log->damaged_to);
    }
}

/* A server that was writing the last record goes on, behind the zeros that it had made room with. */
TEST(each_record_once)
{
    struct written log = write_log();
    struct log_reader reader;
    const unsigned char *record;
    size_t length, most = log.length - 20;
    int fd = memfd_create("log", MFD_CLOEXEC);
    assert_int_equal(write(fd, log.bytes, most), most);
    assert_int_equal(ftruncate(fd, (off_t)log.length + 5000), 0);
    log_reader_begin(&reader, fd);
    expect_all_but_the_last(&reader, &log);
    for (int i = 0; i < 3; i++)
        assert_int_equal(log_reader_next(&reader, &record, &length), LOG_END);
    assert_int_equal(pwrite(fd, log.bytes + most, 20, (off_t)most), 20);
    expect_record(&reader, RECORDS);
    assert_int_equal(log_reader_offset(&reader), log.length);
    assert_int_equal(log_reader_next(&reader, &record, &length), LOG_END);
    log_reader_end(&reader);
    free(log.bytes);
}

/* Whoever has seen enough leaves; what was read ahead goes with it. */
TEST(left_in_the_middle)
{
    struct written log = write_log();
    struct log_reader reader;
    int fd = memfd_create("log", MFD_CLOEXEC);
    assert_int_equal(write(fd, log.bytes, log.length), log.length);
    log_reader_begin(&reader, fd);
    for (int64_t zxid = 1; zxid < DAMAGED / 2; zxid++)
        expect_record(&reader, zxid);
    assert_non_null(reader.ahead);
    log_reader_end(&reader);
    free(log.bytes);
}
