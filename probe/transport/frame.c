#include "probe/transport/frame.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the answer to a greeting: version, timeout, session, a password of 16 bytes; since 3.4 read-only. */
#define GREETING_LEAST 36u
#define GREETING_MOST 37u
#define PASSWORD_LENGTH 16
/* The C client multiplies a timeout by two. */
#define TIMEOUT_MOST_MS (INT32_MAX / 2)

#define STAT_LENGTH 68u
/* Permissions, and the lengths of scheme and id. */
#define ACL_LENGTH_LEAST 12u

/* Number, kind, the path "/", and whether it leaves a watch. */
#define READ_LENGTH_LEAST 14u

/* What malloc adds to each piece, and rounds to. */
#define PIECE_LEAST 32u
#define PIECE_HEAD 8u
#define PIECE_ROUND 16u

#define OWED_FIRST 4u

void frame_read_fail(struct frame_reader *r, const char *what, int64_t value)
{
    if (!r->failed)
        snprintf(r->fault, FRAME_FAULT_TEXT, "%s %" PRId64 " in %" PRIu32 " bytes", what, value, r->length);
    r->failed = true;
}

static uint32_t reader_left(const struct frame_reader *r)
{
    return (uint32_t)(r->end - r->at);
}

static bool reader_has(struct frame_reader *r, uint32_t bytes, const char *what)
{
    if (!r->failed && reader_left(r) < bytes) {
        snprintf(r->fault, FRAME_FAULT_TEXT, "%s cut off in %" PRIu32 " bytes", what, r->length);
        r->failed = true;
    }
    return !r->failed;
}

static int32_t frame_int(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return (int32_t)ntohl(value);
}

int32_t frame_read_int(struct frame_reader *r, const char *what)
{
    if (!reader_has(r, 4, what))
        return 0;
    r->at += 4;
    return frame_int(r->at - 4);
}

void frame_read_skip(struct frame_reader *r, uint32_t bytes, const char *what)
{
    if (reader_has(r, bytes, what))
        r->at += bytes;
}

static void reader_add_piece(struct frame_reader *r, uint32_t bytes)
{
    uint32_t piece = (bytes + PIECE_HEAD + PIECE_ROUND - 1) / PIECE_ROUND * PIECE_ROUND;
    r->decoded += piece > PIECE_LEAST ? piece : PIECE_LEAST;
    r->too_large |= r->decoded > FRAME_DECODED_MOST;
}

/* A length and that many bytes. least -1: there may be none at all, as in a znode without data. */
const uint8_t *frame_read_bytes(struct frame_reader *r, int32_t least, const char *what, uint32_t *length)
{
    int32_t said = frame_read_int(r, what);
    *length = said > 0 ? (uint32_t)said : 0;
    if (!r->failed && (said < least || *length > reader_left(r)))
        frame_read_fail(r, what, said);
    if (r->failed)
        return NULL;
    const uint8_t *bytes = r->at;
    r->at += *length;
    reader_add_piece(r, *length + 1);
    return bytes;
}

static void reader_path(struct frame_reader *r, const char *what)
{
    uint32_t length;
    const uint8_t *path = frame_read_bytes(r, 1, what, &length);
    if (path && (*path != '/' || memchr(path, '\0', length)))
        frame_read_fail(r, "a path that begins with no slash, of length", length);
}

void frame_read_count(struct frame_reader *r, uint32_t least_each, const char *what, uint32_t *count)
{
    int32_t said = frame_read_int(r, what);
    *count = 0;
    if (!r->failed && (said < 0 || (uint32_t)said > reader_left(r) / least_each))
        frame_read_fail(r, what, said);
    else if (!r->failed)
        *count = (uint32_t)said;
}

static void reader_children(struct frame_reader *r)
{
    uint32_t count, length;
    frame_read_count(r, 5, "children count", &count);
    reader_add_piece(r, count * (uint32_t)sizeof(char *));
    r->too_large |= count > FRAME_CHILDREN_MOST;
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        const uint8_t *name = frame_read_bytes(r, 1, "a child's name of length", &length);
        if (name && (memchr(name, '/', length) || memchr(name, '\0', length)))
            frame_read_fail(r, "a child's name with a slash or a NUL, of length", length);
    }
}

static void reader_acl(struct frame_reader *r)
{
    uint32_t count, length;
    frame_read_count(r, ACL_LENGTH_LEAST, "ACL count", &count);
    reader_add_piece(r, count * 24);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        frame_read_skip(r, 4, "permissions");
        frame_read_bytes(r, 0, "an ACL scheme of length", &length);
        frame_read_bytes(r, 0, "an ACL identity of length", &length);
    }
}

static void reader_body(struct frame_reader *r, int32_t kind)
{
    uint32_t length;
    if (kind == REQUEST_CREATE || kind == REQUEST_CREATE_STAT || kind == REQUEST_SYNC)
        reader_path(r, "a path of length");
    else if (kind == REQUEST_GET)
        frame_read_bytes(r, -1, "data of length", &length);
    else if (kind == REQUEST_CHILDREN || kind == REQUEST_CHILDREN_STAT)
        reader_children(r);
    else if (kind == REQUEST_GET_ACL)
        reader_acl(r);
    bool stat = kind != REQUEST_CREATE && kind != REQUEST_SYNC && kind != REQUEST_CHILDREN &&
                kind != REQUEST_DELETE && kind != REQUEST_CHECK_WATCHES && kind != REQUEST_REMOVE_WATCHES &&
                kind != REQUEST_CLOSE;
    if (stat)
        frame_read_skip(r, STAT_LENGTH, "a Stat");
}

/* A watch fires once at most, so there are no more notifications than watches were asked for. */
static void reader_notice(struct frame_reader *r, struct frame_ledger *ledger)
{
    int32_t type = frame_read_int(r, "a notification");
    if (type < 1 || type > 4)
        frame_read_fail(r, "notification of type", type);
    else if (ledger->watches == 0)
        frame_read_fail(r, "unasked notification of type", type);
    else
        ledger->watches--;
    int32_t state = frame_read_int(r, "a notification");
    if (state != 3 && state != 5) /* connected, or to a read-only server */
        frame_read_fail(r, "notification in state", state);
    reader_path(r, "a notification's path of length");
}

/* The fixed numbers answer their requests, one for each. */
static bool settle_fixed(struct frame_ledger *ledger, int32_t number)
{
    uint32_t *open = number == NUMBER_PING         ? &ledger->pings
                     : number == NUMBER_CREDENTIAL ? &ledger->credentials
                     : number == NUMBER_WATCHES    ? &ledger->watch_lists
                                                   : NULL;
    if (!open || *open == 0)
        return false;
    --*open;
    return true;
}

static void reader_reply(struct frame_reader *r, struct frame_ledger *ledger)
{
    int32_t number = frame_read_int(r, "a header");
    frame_read_skip(r, 8, "a header");
    int32_t error = frame_read_int(r, "a header");
    if (r->failed)
        return;
    if (error > 0 || error < -1000) {
        frame_read_fail(r, "error code", error);
    } else if (number == NUMBER_NOTICE) {
        reader_notice(r, ledger);
    } else if (number < 0) {
        if (!settle_fixed(ledger, number))
            frame_read_fail(r, "unasked reply number", number);
    } else if (ledger->count == 0 || ledger->owed[ledger->first].number != number) {
        frame_read_fail(r, "unasked reply number", number);
    } else {
        int32_t kind = ledger->owed[ledger->first].kind;
        ledger->first = (ledger->first + 1) % ledger->room;
        ledger->count--;
        if (error == 0)
            reader_body(r, kind);
    }
    if (!r->failed && r->at != r->end)
        frame_read_fail(r, "surplus bytes:", reader_left(r));
}

static void reader_greeting(struct frame_reader *r)
{
    int32_t version = frame_read_int(r, "a version");
    int32_t timeout_ms = frame_read_int(r, "a timeout");
    if (version != 0)
        frame_read_fail(r, "protocol version", version);
    else if (timeout_ms < 0 || timeout_ms > TIMEOUT_MOST_MS)
        frame_read_fail(r, "session timeout", timeout_ms);
    uint8_t session = 0;
    for (int i = 0; i < 8 && reader_has(r, 8, "a session"); i++)
        session |= r->at[i];
    if (!r->failed && timeout_ms == 0 && session)
        frame_read_fail(r, "session timeout", timeout_ms);
    frame_read_skip(r, 8, "a session");
    int32_t password = frame_read_int(r, "a password");
    if (!r->failed && password != PASSWORD_LENGTH)
        frame_read_fail(r, "password length", password);
    frame_read_skip(r, PASSWORD_LENGTH, "a password");
    if (!r->failed && r->at != r->end && *r->at > 1)
        frame_read_fail(r, "read-only flag", *r->at);
}

void frame_ledger_free(struct frame_ledger *ledger)
{
    free(ledger->owed);
    *ledger = (struct frame_ledger){0};
}

static bool ledger_grow(struct frame_ledger *ledger)
{
    uint32_t room = ledger->room ? ledger->room * 2 : OWED_FIRST;
    struct frame_owed *owed = malloc(room * sizeof *owed);
    if (!owed)
        return false;
    for (uint32_t i = 0; i < ledger->count; i++)
        owed[i] = ledger->owed[(ledger->first + i) % ledger->room];
    free(ledger->owed);
    ledger->owed = owed;
    ledger->room = room;
    ledger->first = 0;
    return true;
}

static bool kind_is_known(int32_t kind)
{
    return (kind >= REQUEST_CREATE && kind <= REQUEST_SYNC) || kind == REQUEST_CHILDREN_STAT ||
           kind == REQUEST_CREATE_STAT || kind == REQUEST_CHECK_WATCHES || kind == REQUEST_REMOVE_WATCHES ||
           kind == REQUEST_CLOSE;
}

static void ledger_add_watches(struct frame_ledger *ledger, uint32_t count)
{
    ledger->watches += count < UINT32_MAX - ledger->watches ? count : UINT32_MAX - ledger->watches;
}

/* A read ends with whether it leaves a watch. */
static void ledger_note_watch(struct frame_ledger *ledger, int32_t kind, const uint8_t *frame, size_t length)
{
    bool may_watch = kind == REQUEST_EXISTS || kind == REQUEST_GET || kind == REQUEST_CHILDREN ||
                     kind == REQUEST_CHILDREN_STAT;
    if (may_watch && length >= READ_LENGTH_LEAST && frame[length - 1])
        ledger_add_watches(ledger, 1);
}

/* After a reconnect the client sets its watches again: three lists of paths, behind a transaction. */
static void ledger_note_watch_lists(struct frame_ledger *ledger, const uint8_t *frame, size_t length)
{
    char fault[FRAME_FAULT_TEXT];
    struct frame_reader r = {.at = frame, .end = frame + length, .fault = fault};
    frame_read_skip(&r, 16, "a header");
    for (int list = 0; list < 3; list++) {
        uint32_t count, path;
        frame_read_count(&r, 4, "paths", &count);
        ledger_add_watches(ledger, count);
        for (uint32_t i = 0; i < count && !r.failed; i++)
            frame_read_bytes(&r, 0, "a path", &path);
    }
}

bool frame_note_request(struct frame_ledger *ledger, const uint8_t *frame, size_t length)
{
    if (!ledger->greeted) {
        ledger->greeted = true;
        return true;
    }
    if (length < 8)
        return false;
    int32_t number = frame_int(frame), kind = frame_int(frame + 4);
    if (number < 0) {
        uint32_t *open = number == NUMBER_PING && kind == REQUEST_PING               ? &ledger->pings
                         : number == NUMBER_CREDENTIAL && kind == REQUEST_CREDENTIAL ? &ledger->credentials
                         : number == NUMBER_WATCHES && kind == REQUEST_WATCHES       ? &ledger->watch_lists
                                                                                     : NULL;
        if (open)
            ++*open;
        if (number == NUMBER_WATCHES)
            ledger_note_watch_lists(ledger, frame, length);
        return open != NULL;
    }
    if (!kind_is_known(kind) || (ledger->count == ledger->room && !ledger_grow(ledger)))
        return false;
    ledger->owed[(ledger->first + ledger->count++) % ledger->room] = (struct frame_owed){number, kind};
    ledger_note_watch(ledger, kind, frame, length);
    return true;
}

bool frame_check_length(const struct frame_ledger *ledger, uint32_t length, char *fault)
{
    bool good = ledger->answered ? length >= FRAME_HEADER_LENGTH && length <= FRAME_SKIPPED_MOST
                                 : length >= GREETING_LEAST && length <= GREETING_MOST;
    if (!good)
        snprintf(fault, FRAME_FAULT_TEXT, "a frame of %" PRIu32 " bytes", length);
    return good;
}

bool frame_check(struct frame_ledger *ledger, const uint8_t *frame, uint32_t length, char *fault)
{
    struct frame_reader r = {.at = frame, .end = frame + length, .length = length, .fault = fault};
    if (!frame_check_length(ledger, length, fault))
        return false;
    if (ledger->answered)
        reader_reply(&r, ledger);
    else
        reader_greeting(&r);
    ledger->answered = true;
    ledger->too_large = r.too_large;
    return !r.failed;
}

bool frame_skip(struct frame_ledger *ledger, const uint8_t *header, uint32_t length, char *fault)
{
    struct frame_reader r = {
        .at = header, .end = header + FRAME_HEADER_LENGTH, .length = length, .fault = fault};
    int32_t kind = ledger->count ? ledger->owed[ledger->first].kind : 0;
    if (ledger->count == 0 || ledger->owed[ledger->first].number != frame_int(header)) {
        frame_read_fail(&r, "unasked reply number", frame_int(header));
    } else if (frame_error(header) != 0 ||
               (kind != REQUEST_CHILDREN && kind != REQUEST_CHILDREN_STAT && kind != REQUEST_GET)) {
        snprintf(fault, FRAME_FAULT_TEXT, "a frame of %" PRIu32 " bytes", length);
        r.failed = true;
    } else {
        ledger->first = (ledger->first + 1) % ledger->room;
        ledger->count--;
    }
    return !r.failed;
}

bool frame_is_too_large(const struct frame_ledger *ledger)
{
    return ledger->too_large;
}

void frame_refuse(uint8_t *header)
{
    uint32_t error = htonl((uint32_t)FRAME_ERROR_TOO_LARGE);
    memcpy(header + 12, &error, sizeof error);
}

int32_t frame_error(const uint8_t *frame)
{
    return frame_int(frame + 12);
}

bool frame_is_expiry(const uint8_t *greeting, uint32_t length)
{
    return length >= 8 && frame_int(greeting + 4) == 0;
}

bool frame_read_sasl(const uint8_t *frame, uint32_t length, const uint8_t **token, size_t *token_length,
                     int32_t *error, char *fault)
{
    struct frame_reader r = {.at = frame, .end = frame + length, .length = length, .fault = fault};
    uint32_t bytes = 0;
    int32_t number = frame_read_int(&r, "a header");
    frame_read_skip(&r, 8, "a header");
    *error = frame_read_int(&r, "a header");
    *token = NULL;
    if (!r.failed && number != 0) /* that of each token which is sent */
        frame_read_fail(&r, "a frame during the login, number", number);
    if (!r.failed && (*error == 0 || reader_left(&r) > 0)) /* none at all, beside an error */
        *token = frame_read_bytes(&r, -1, "a SASL token of length", &bytes);
    if (!r.failed && reader_left(&r) > 0)
        frame_read_fail(&r, "bytes behind the answer to a SASL token:", reader_left(&r));
    *token_length = bytes;
    return !r.failed;
}
