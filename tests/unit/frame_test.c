/* Proves that a server's frames are taken where they are right, and refused with a reason where they are not.
 */

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "probe/transport/frame.h"
#include "tests/support/test.h"

#define KIND_EXISTS 3
#define KIND_GET 4
#define KIND_GET_ACL 6
#define KIND_CHILDREN_NAMES 8
#define KIND_SYNC 9
#define KIND_CHILDREN 12
#define KIND_REMOVE_WATCHES 18
#define STAT 68

struct frame {
    uint8_t bytes[4096];
    uint32_t length;
};

static void put_int(struct frame *f, int32_t value)
{
    uint32_t wire = htonl((uint32_t)value);
    memcpy(f->bytes + f->length, &wire, sizeof wire);
    f->length += 4;
}

static void put_zeros(struct frame *f, uint32_t count)
{
    memset(f->bytes + f->length, 0, count);
    f->length += count;
}

static void put_text(struct frame *f, const char *text)
{
    put_int(f, (int32_t)strlen(text));
    memcpy(f->bytes + f->length, text, strlen(text));
    f->length += (uint32_t)strlen(text);
}

static struct frame reply(int32_t number, int32_t error)
{
    struct frame f = {.length = 0};
    put_int(&f, number);
    put_zeros(&f, 8);
    put_int(&f, error);
    return f;
}

static struct frame greeting(void)
{
    struct frame f = {.length = 0};
    put_int(&f, 0);
    put_int(&f, 10000);
    put_zeros(&f, 7);
    f.bytes[f.length++] = 7; /* a session */
    put_int(&f, 16);
    put_zeros(&f, 16);
    return f;
}

static void note(struct frame_ledger *ledger, int32_t number, int32_t kind)
{
    struct frame f = {.length = 0};
    put_int(&f, number);
    put_int(&f, kind);
    assert_true(frame_note_request(ledger, f.bytes, f.length));
}

static void note_read(struct frame_ledger *ledger, int32_t number, int32_t kind, bool watch)
{
    struct frame f = {.length = 0};
    put_int(&f, number);
    put_int(&f, kind);
    put_text(&f, "/election");
    f.bytes[f.length++] = watch;
    assert_true(frame_note_request(ledger, f.bytes, f.length));
}

/* A ledger behind an answered greeting. */
static struct frame_ledger open_ledger(void)
{
    struct frame_ledger ledger = {0};
    char fault[FRAME_FAULT_TEXT];
    struct frame f = greeting();
    assert_true(frame_note_request(&ledger, f.bytes, f.length));
    assert_true(frame_check(&ledger, f.bytes, f.length, fault));
    return ledger;
}

/* fault NULL: it is right. */
static void expect(struct frame_ledger *ledger, const struct frame *f, const char *fault)
{
    char said[FRAME_FAULT_TEXT] = "";
    /* Exactly as long as it is, so that a sanitizer sees a read past its end. */
    uint8_t *bytes = malloc(f->length ? f->length : 1);
    assert_non_null(bytes);
    memcpy(bytes, f->bytes, f->length);
    bool good = frame_check(ledger, bytes, f->length, said);
    free(bytes);
    if (fault)
        assert_string_equal(said, fault);
    assert_int_equal(good, fault == NULL);
}

static void expect_greeting(const struct frame *f, const char *fault)
{
    struct frame_ledger ledger = {0};
    assert_true(frame_note_request(&ledger, f->bytes, f->length));
    expect(&ledger, f, fault);
    frame_ledger_free(&ledger);
}

static void expect_reply(int32_t kind, const struct frame *f, const char *fault)
{
    struct frame_ledger ledger = open_ledger();
    note(&ledger, 1, kind);
    expect(&ledger, f, fault);
    frame_ledger_free(&ledger);
}

TEST(greetings)
{
    struct frame f = greeting();
    expect_greeting(&f, NULL);
    put_zeros(&f, 1); /* since 3.4: not read-only */
    expect_greeting(&f, NULL);
    f.bytes[36] = 2;
    expect_greeting(&f, "read-only flag 2 in 37 bytes");
    f.length = 38;
    expect_greeting(&f, "a frame of 38 bytes");
    f.length = 35;
    expect_greeting(&f, "a frame of 35 bytes");
    f = greeting();
    f.bytes[16] = 0x7f; /* the password's length */
    expect_greeting(&f, "password length 2130706448 in 36 bytes");
    f = greeting();
    f.bytes[4] = 0x80;
    expect_greeting(&f, "session timeout -2147473648 in 36 bytes");
    f = greeting();
    f.bytes[3] = 1;
    expect_greeting(&f, "protocol version 1 in 36 bytes");
    f = (struct frame){.length = 0};
    put_zeros(&f, 16); /* an expired session has neither number nor timeout */
    put_int(&f, 16);
    put_zeros(&f, 16);
    expect_greeting(&f, NULL);
    assert_true(frame_is_expiry(f.bytes, f.length));
}

TEST(lists)
{
    struct frame f = reply(1, 0);
    put_int(&f, 2);
    put_text(&f, "n_0000000001");
    put_text(&f, "n_0000000002");
    put_zeros(&f, STAT);
    expect_reply(KIND_CHILDREN, &f, NULL);
    f.length--;
    expect_reply(KIND_CHILDREN, &f, "a Stat cut off in 119 bytes");
    f = reply(1, 0);
    put_int(&f, INT32_MAX);
    put_zeros(&f, 76);
    expect_reply(KIND_CHILDREN, &f, "children count 2147483647 in 96 bytes");
    f = reply(1, 0);
    put_int(&f, -1);
    put_zeros(&f, STAT);
    expect_reply(KIND_CHILDREN, &f, "children count -1 in 88 bytes");
    f = reply(1, 0);
    put_int(&f, 1);
    put_text(&f, "a/b");
    put_zeros(&f, STAT);
    expect_reply(KIND_CHILDREN, &f, "a child's name with a slash or a NUL, of length 3 in 95 bytes");
    f = reply(1, 0);
    put_int(&f, 1);
    put_int(&f, 1000);
    put_zeros(&f, STAT);
    expect_reply(KIND_CHILDREN, &f, "a child's name of length 1000 in 92 bytes");
}

TEST(values)
{
    struct frame f = reply(1, 0);
    put_int(&f, -1); /* no data at all */
    put_zeros(&f, STAT);
    expect_reply(KIND_GET, &f, NULL);
    f = reply(1, 0);
    put_int(&f, 5);
    put_zeros(&f, 4);
    expect_reply(KIND_GET, &f, "data of length 5 in 24 bytes");
    f = reply(1, 0);
    put_int(&f, -2);
    put_zeros(&f, STAT);
    expect_reply(KIND_GET, &f, "data of length -2 in 88 bytes");
    f = reply(1, 0);
    put_zeros(&f, STAT);
    expect_reply(KIND_EXISTS, &f, NULL);
    put_zeros(&f, 4);
    expect_reply(KIND_EXISTS, &f, "surplus bytes: 4 in 88 bytes");
    f = reply(1, -101); /* an error has no body */
    expect_reply(KIND_EXISTS, &f, NULL);
    f = reply(1, 0);
    expect_reply(KIND_REMOVE_WATCHES, &f, NULL);
    f = reply(1, 7);
    expect_reply(KIND_EXISTS, &f, "error code 7 in 16 bytes");
    f = reply(1, 0);
    put_text(&f, "/a");
    expect_reply(KIND_SYNC, &f, NULL);
    f = reply(1, 0);
    put_int(&f, 1);
    put_int(&f, 31);
    put_text(&f, "world");
    put_text(&f, "anyone");
    put_zeros(&f, STAT);
    expect_reply(KIND_GET_ACL, &f, NULL);
    f.bytes[19] = 9;
    expect_reply(KIND_GET_ACL, &f, "ACL count 9 in 111 bytes");
}

/* Replies come in the order of the requests; the fixed numbers only where they are owed. */
TEST(order)
{
    struct frame_ledger ledger = open_ledger();
    struct frame f;
    for (int32_t i = 1; i <= 9; i++) /* the ring grows while it is in use */
        note(&ledger, i, KIND_EXISTS);
    for (int32_t i = 1; i <= 5; i++) {
        f = reply(i, -101);
        expect(&ledger, &f, NULL);
        note(&ledger, 9 + i, KIND_EXISTS);
    }
    f = reply(7, -101);
    expect(&ledger, &f, "unasked reply number 7 in 16 bytes");
    f = reply(-2, 0);
    expect(&ledger, &f, "unasked reply number -2 in 16 bytes");
    note(&ledger, -2, 11);
    expect(&ledger, &f, NULL);
    for (int32_t i = 6; i <= 14; i++) {
        f = reply(i, -101);
        expect(&ledger, &f, NULL);
    }
    f = reply(15, -101);
    expect(&ledger, &f, "unasked reply number 15 in 16 bytes");
    frame_ledger_free(&ledger);
}

TEST(notices)
{
    struct frame_ledger ledger = open_ledger();
    for (int32_t i = 0; i < 5; i++)
        note_read(&ledger, i, KIND_CHILDREN, true);
    struct frame f = reply(-1, 0);
    put_int(&f, 4);
    put_int(&f, 3);
    put_text(&f, "/election");
    expect(&ledger, &f, NULL);
    f.bytes[19] = 9;
    expect(&ledger, &f, "notification of type 9 in 37 bytes");
    f = reply(-1, 0);
    put_int(&f, 4);
    put_int(&f, 3);
    expect(&ledger, &f, "a notification's path of length cut off in 24 bytes");
    f = reply(-1, 0);
    put_int(&f, 4);
    put_int(&f, 3);
    put_text(&f, "election");
    expect(&ledger, &f, "a path that begins with no slash, of length 8 in 36 bytes");
    frame_ledger_free(&ledger);
}

static struct frame notice(int32_t type)
{
    struct frame f = reply(-1, 0);
    put_int(&f, type);
    put_int(&f, 3);
    put_text(&f, "/election");
    return f;
}

/* Each watch that was asked for fires once at most; those that are set again after a reconnect count, too. */
TEST(unasked_notices)
{
    static const int32_t kinds[] = {KIND_EXISTS, KIND_GET, KIND_CHILDREN, KIND_CHILDREN_NAMES};
    struct frame_ledger ledger = open_ledger();
    struct frame f = notice(4);
    expect(&ledger, &f, "unasked notification of type 4 in 37 bytes");
    for (int32_t i = 0; i < 4; i++) {
        note_read(&ledger, 2 * i, kinds[i], false);
        expect(&ledger, &f, "unasked notification of type 4 in 37 bytes");
        note_read(&ledger, 2 * i + 1, kinds[i], true);
        expect(&ledger, &f, NULL);
        expect(&ledger, &f, "unasked notification of type 4 in 37 bytes");
    }
    static const char *const paths[3][2] = {{"/a"}, {"/b", "/c"}, {NULL}};
    struct frame set = {.length = 0};
    put_int(&set, -8);
    put_int(&set, 101);
    put_zeros(&set, 8);
    for (int list = 0; list < 3; list++) {
        int count = 0;
        while (count < 2 && paths[list][count])
            count++;
        put_int(&set, count);
        for (int i = 0; i < count; i++)
            put_text(&set, paths[list][i]);
    }
    assert_true(frame_note_request(&ledger, set.bytes, set.length));
    for (int i = 0; i < 3; i++)
        expect(&ledger, &f, NULL);
    expect(&ledger, &f, "unasked notification of type 4 in 37 bytes");
    frame_ledger_free(&ledger);
}

TEST(frame_lengths)
{
    struct frame_ledger ledger = {0};
    char fault[FRAME_FAULT_TEXT];
    assert_false(frame_check_length(&ledger, 0x48545450, fault)); /* "HTTP" */
    assert_string_equal(fault, "a frame of 1213486160 bytes");
    frame_ledger_free(&ledger);
    ledger = open_ledger();
    assert_true(frame_check_length(&ledger, FRAME_SKIPPED_MOST, fault));
    assert_false(frame_check_length(&ledger, FRAME_SKIPPED_MOST + 1, fault));
    assert_false(frame_check_length(&ledger, 15, fault));
    frame_ledger_free(&ledger);
}

static uint8_t *long_list(uint32_t count, uint32_t *length)
{
    *length = 16 + 4 + count * 5 + STAT;
    uint8_t *bytes = calloc(1, *length);
    assert_non_null(bytes);
    bytes[3] = 1;
    uint32_t wire = htonl(count);
    memcpy(bytes + 16, &wire, sizeof wire);
    for (uint32_t i = 0; i < count; i++) {
        bytes[20 + i * 5 + 3] = 1;
        bytes[20 + i * 5 + 4] = 'a';
    }
    return bytes;
}

/* A list that is right, and too long: the client is to get an error in its place. */
TEST(too_large)
{
    char fault[FRAME_FAULT_TEXT];
    struct frame_ledger ledger = open_ledger();
    uint32_t length;
    uint8_t *bytes = long_list(FRAME_CHILDREN_MOST, &length);
    note(&ledger, 1, KIND_CHILDREN);
    assert_true(frame_check(&ledger, bytes, length, fault));
    assert_false(frame_is_too_large(&ledger));
    free(bytes);
    bytes = long_list(FRAME_CHILDREN_MOST + 1, &length);
    note(&ledger, 1, KIND_CHILDREN);
    assert_true(frame_check(&ledger, bytes, length, fault));
    assert_true(frame_is_too_large(&ledger));
    frame_refuse(bytes);
    assert_int_equal(frame_error(bytes), FRAME_ERROR_TOO_LARGE);
    free(bytes);
    /* One that is not even read: its header alone settles the request. */
    struct frame f = reply(2, 0);
    note(&ledger, 2, KIND_CHILDREN);
    assert_true(frame_skip(&ledger, f.bytes, FRAME_LENGTH_MOST + 1, fault));
    assert_int_equal(ledger.count, 0);
    note(&ledger, 3, KIND_EXISTS);
    f = reply(3, 0);
    assert_false(frame_skip(&ledger, f.bytes, FRAME_LENGTH_MOST + 1, fault));
    assert_string_equal(fault, "a frame of 8388609 bytes");
    frame_ledger_free(&ledger);
}

TEST(sasl_answers)
{
    char fault[FRAME_FAULT_TEXT];
    const uint8_t *token;
    size_t length;
    int32_t error;
    struct frame f = reply(0, 0);
    put_text(&f, "token");
    assert_true(frame_read_sasl(f.bytes, f.length, &token, &length, &error, fault));
    assert_int_equal(length, 5);
    assert_memory_equal(token, "token", 5);
    f.bytes[19] = 6;
    assert_false(frame_read_sasl(f.bytes, f.length, &token, &length, &error, fault));
    f.bytes[19] = 4; /* a byte is left */
    assert_false(frame_read_sasl(f.bytes, f.length, &token, &length, &error, fault));
    static const int32_t others[] = {-1, -2, 1, 12345};
    for (size_t i = 0; i < sizeof others / sizeof *others;
         i++) { /* a notification, a ping, somebody's reply */
        f = reply(others[i], 0);
        put_text(&f, "token");
        assert_false(frame_read_sasl(f.bytes, f.length, &token, &length, &error, fault));
    }
    f = reply(0, -115);
    assert_true(frame_read_sasl(f.bytes, f.length, &token, &length, &error, fault));
    assert_int_equal(error, -115);
    put_int(&f, -1); /* as ZooKeeper does */
    assert_true(frame_read_sasl(f.bytes, f.length, &token, &length, &error, fault));
    assert_int_equal(error, -115);
}
