/*
 * Frames of a server that sends anything. The input is requests and replies by turns: a byte below 128 notes
 * a request of that kind; one above begins a frame, whose length is its lower bits and the next byte. A frame
 * that is right must survive the C client's own reading of it: that is done here as jute does it, with its
 * trust in every count.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/transport/frame.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* A read leaves a watch on "/", or on two paths again. */
static void note(struct frame_ledger *ledger, int32_t number, int32_t kind)
{
    uint8_t read[14] = {[11] = 1, [12] = '/', [13] = 1};
    uint8_t lists[38] = {[19] = 2, [23] = 1, [24] = '/', [28] = 1, [29] = '/'};
    int32_t words[] = {(int32_t)htonl((uint32_t)number), (int32_t)htonl((uint32_t)kind)};
    uint8_t *request = number == -8 ? lists : read;
    memcpy(request, words, sizeof words);
    (void)frame_note_request(ledger, request, number == -8 ? sizeof lists : sizeof read);
}

static uint32_t word_at(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return ntohl(word);
}

/* What the client would do with a list of children, without looking. */
static void read_children(const uint8_t *frame, uint32_t length)
{
    const uint8_t *at = frame + 20;
    uint32_t count = word_at(frame + 16);
    check(count <= length && count <= FRAME_CHILDREN_MOST);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = word_at(at);
        check(name > 0 && !memchr(at + 4, '/', name));
        at += 4 + name;
    }
    check(at + 68 == frame + length);
}

static void try_frame(struct frame_ledger *ledger, const uint8_t *bytes, uint32_t length)
{
    char fault[FRAME_FAULT_TEXT] = "";
    uint8_t *frame = malloc(length + 1);
    check(frame != NULL);
    memcpy(frame, bytes, length);
    bool was_greeted = ledger->answered;
    int32_t kind = ledger->count ? ledger->owed[ledger->first].kind : 0;
    uint32_t owed = ledger->count;
    bool good = frame_check(ledger, frame, length, fault);
    check(good || *fault);
    check(strlen(fault) < FRAME_FAULT_TEXT);
    if (good && !was_greeted)
        check(length == 36 || length == 37);
    if (good && was_greeted && ledger->count < owed && kind == 12 && frame_error(frame) == 0)
        read_children(frame, length);
    const uint8_t *token;
    size_t token_length;
    int32_t error;
    if (frame_read_sasl(frame, length, &token, &token_length, &error, fault) && token)
        check(token >= frame && token + token_length <= frame + length);
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct frame_ledger ledger = {0};
    size_t at = 0;
    int32_t number = 0;
    note(&ledger, 0, 0); /* the greeting */
    if (length > 0 && *bytes & 1) {
        uint8_t greeting[36] = {[6] = 0x27, [7] = 0x10, [15] = 1, [19] = 16};
        char fault[FRAME_FAULT_TEXT];
        check(frame_check(&ledger, greeting, sizeof greeting, fault));
        at = 1;
    }
    while (at < length) {
        uint8_t what = bytes[at++];
        if (what == 11 || what == 100 || what == 101) {
            note(&ledger, what == 11 ? -2 : what == 100 ? -4 : -8, what);
        } else if (what < 128) {
            note(&ledger, ++number, what);
        } else if (at < length) {
            size_t frame = (size_t)(what & 0x0f) << 8 | bytes[at];
            at++;
            frame = frame < length - at ? frame : length - at;
            try_frame(&ledger, bytes + at, (uint32_t)frame);
            at += frame;
        }
    }
    frame_ledger_free(&ledger);
    return 0;
}
