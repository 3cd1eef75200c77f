/*
 * Packets of anything: the input is a list of segments, each a byte for what changes in the packet before, its
 * data's length, and its data. No byte beyond an end is read, memory stays bounded, and reading comes to an
 * end. The first byte says whether the rest is one packet of a link type instead.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "probe/capture/capture.h"
#include "probe/capture/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_packet(const uint8_t *data, size_t size)
{
    static const int links[] = {0, 1, 12, 101, 108, 113, 228, 229, 276};
    struct tcp_segment segment;
    if (size < 2)
        return;
    uint8_t *copy = malloc(size - 1);
    memcpy(copy, data + 1, size - 1);
    if (packet_read(links[data[0] % (sizeof links / sizeof links[0])], copy, size - 1, size + data[0],
                    &segment) &&
        (segment.data < copy || segment.data + segment.length > copy + size - 1))
        abort();
    free(copy);
}

/* An IPv4 packet without a link layer. */
static size_t make_packet(uint8_t *packet, bool of_server, uint8_t flags, const uint32_t *next,
                          const uint8_t *data, size_t length)
{
    size_t whole = 40 + length;
    memset(packet, 0, 40);
    packet[0] = 0x45;
    packet[2] = (uint8_t)(whole >> 8);
    packet[3] = (uint8_t)whole;
    packet[9] = 6;
    packet[15] = of_server ? 1 : 2;
    packet[19] = of_server ? 2 : 1;
    packet[21] = of_server ? 1 : 2;
    packet[23] = of_server ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        packet[24 + i] = (uint8_t)(next[of_server] >> (24 - 8 * i));
        packet[28 + i] = (uint8_t)(next[!of_server] >> (24 - 8 * i));
    }
    packet[32] = 0x50;
    packet[33] = flags;
    memcpy(packet + 40, data, length);
    return whole;
}

enum { OF_SERVER = 1, SKIPS = 2, AGAIN = 4, CUT = 8, ENDS = 16, OPENS = 32, LATER = 64, LONG = 128 };

static void fuzz_stream(struct capture *capture, const uint8_t *data, size_t size)
{
    uint32_t next[2] = {0xfffffff0u, 5};
    int64_t at_us = 1000000;
    uint8_t packet[600];
    while (size >= 2) {
        uint8_t how = data[0];
        bool of_server = how & OF_SERVER;
        size_t length = how & LONG ? data[1] * 2u : data[1] % 64u;
        data += 2;
        size -= 2;
        length = length < size ? length : size;
        at_us += how & LATER ? 9000000 : 1000;
        next[of_server] += how & SKIPS ? 7 : 0;
        next[of_server] -= how & AGAIN ? 5 : 0;
        uint8_t flags = (uint8_t)(16 | (how & ENDS ? 1 : 0) | (how & OPENS ? 2 : 0));
        if (how & OPENS && !of_server)
            flags = 2;
        size_t whole = make_packet(packet, of_server, flags, next, data, length);
        size_t captured = how & CUT && length > 0 ? whole - 1 : whole;
        capture_take(capture,
                     &(struct captured_packet){at_us, 0, 101, packet, captured, whole, NULL, false, 0});
        next[of_server] += (uint32_t)length + (how & OPENS ? 1 : 0);
        data += length;
        size -= length;
    }
    capture_pass(capture, at_us + 1000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cluster_settings cluster = {.name = (char *)(uintptr_t) "",
                                              .hosts = (char *)(uintptr_t) "h"};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error = NULL;
    if (size < 1)
        return 0;
    if (data[0] & 1) {
        fuzz_packet(data + 1, size - 1);
        return 0;
    }
    struct model *model = model_new(&settings, &error);
    struct capture *capture =
        capture_new(model, &settings, &(struct capture_query){.to_us = INT64_MAX}, &(struct capture_sink){0});
    fuzz_stream(capture, data + 1, size - 1);
    capture_free(capture);
    model_free(model);
    return 0;
}
