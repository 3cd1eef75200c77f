#include "probe/capture/packet.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* libpcap's numbers of link types; both numbers of raw IP occur in files. */
enum link_type {
    LINK_NULL = 0,
    LINK_ETHERNET = 1,
    LINK_RAW_BSD = 12,
    LINK_RAW = 101,
    LINK_LOOP = 108,
    LINK_COOKED = 113,
    LINK_IPV4 = 228,
    LINK_IPV6 = 229,
    LINK_COOKED2 = 276
};

enum ether_type {
    ETHER_IPV4 = 0x0800,
    ETHER_VLAN = 0x8100,
    ETHER_IPV6 = 0x86dd,
    ETHER_QINQ = 0x88a8,
    ETHER_QINQ_OLD = 0x9100
};

enum ip_protocol { NEXT_HOPS = 0, NEXT_TCP = 6, NEXT_ROUTING = 43, NEXT_FRAGMENT = 44, NEXT_OPTIONS = 60 };
#define IPV6_HEADERS_MOST 8

/* The rest of a packet: its captured bytes, and its length on the wire. */
struct packet_rest {
    const uint8_t *at;
    size_t captured, length;
};

bool packet_link_is_known(int link)
{
    static const int known[] = {LINK_NULL,   LINK_ETHERNET, LINK_RAW_BSD, LINK_RAW,    LINK_LOOP,
                                LINK_COOKED, LINK_IPV4,     LINK_IPV6,    LINK_COOKED2};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == link)
            return true;
    return false;
}

static bool rest_take(struct packet_rest *rest, size_t bytes)
{
    if (rest->captured < bytes || rest->length < bytes)
        return false;
    rest->at += bytes;
    rest->captured -= bytes;
    rest->length -= bytes;
    return true;
}

static unsigned packet_u16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static uint32_t packet_u32(const uint8_t *at)
{
    return (uint32_t)packet_u16(at) << 16 | packet_u16(at + 2);
}

/* A header of this size, whose type lies at this place, then tags of VLANs. */
static bool skip_ethernet(struct packet_rest *rest, size_t header, size_t type_at)
{
    if (!rest_take(rest, header))
        return false;
    unsigned type = packet_u16(rest->at - header + type_at);
    while (type == ETHER_VLAN || type == ETHER_QINQ || type == ETHER_QINQ_OLD) {
        if (!rest_take(rest, 4))
            return false;
        type = packet_u16(rest->at - 2);
    }
    return type == ETHER_IPV4 || type == ETHER_IPV6;
}

static bool skip_link(int link, struct packet_rest *rest)
{
    switch (link) {
    case LINK_ETHERNET:
        return skip_ethernet(rest, 14, 12);
    case LINK_COOKED:
        return skip_ethernet(rest, 16, 14);
    case LINK_COOKED2:
        return skip_ethernet(rest, 20, 0);
    case LINK_NULL:
    case LINK_LOOP:
        return rest_take(rest, 4);
    default:
        return packet_link_is_known(link);
    }
}

/* Without what fills a short frame up. A length of 0: the network card was left to cut the packet up. */
static void rest_limit(struct packet_rest *rest, size_t length)
{
    if (length == 0 || length > rest->length)
        return;
    rest->length = length;
    if (rest->captured > length)
        rest->captured = length;
}

static bool read_ipv4(struct packet_rest *rest, struct tcp_segment *segment)
{
    const uint8_t *ip = rest->at;
    if (rest->captured < 20)
        return false;
    size_t header = (size_t)(ip[0] & 15u) * 4;
    bool later_fragment = (packet_u16(ip + 6) & 0x1fffu) != 0;
    if (header < 20 || ip[9] != NEXT_TCP || later_fragment)
        return false;
    rest_limit(rest, packet_u16(ip + 2));
    memcpy(segment->from.address, ip + 12, 4);
    memcpy(segment->to.address, ip + 16, 4);
    segment->from.version = segment->to.version = 4;
    return rest_take(rest, header);
}

static bool read_ipv6(struct packet_rest *rest, struct tcp_segment *segment)
{
    const uint8_t *ip = rest->at;
    if (rest->captured < 40)
        return false;
    unsigned next = ip[6], payload = packet_u16(ip + 4);
    if (payload)
        rest_limit(rest, payload + 40u);
    memcpy(segment->from.address, ip + 8, 16);
    memcpy(segment->to.address, ip + 24, 16);
    segment->from.version = segment->to.version = 6;
    if (!rest_take(rest, 40))
        return false;
    for (int i = 0; i < IPV6_HEADERS_MOST && next != NEXT_TCP; i++) {
        bool fragment = next == NEXT_FRAGMENT;
        if ((next != NEXT_HOPS && next != NEXT_ROUTING && next != NEXT_OPTIONS && !fragment) ||
            rest->captured < 8)
            return false;
        const uint8_t *header = rest->at;
        if (fragment && (packet_u16(header + 2) & 0xfff8u) != 0)
            return false;
        next = header[0];
        if (!rest_take(rest, fragment ? 8 : ((size_t)header[1] + 1) * 8))
            return false;
    }
    return next == NEXT_TCP;
}

static bool read_tcp(struct packet_rest *rest, struct tcp_segment *segment)
{
    const uint8_t *tcp = rest->at;
    if (rest->captured < 20)
        return false;
    size_t header = (size_t)(tcp[12] >> 4) * 4;
    segment->from.port = (uint16_t)packet_u16(tcp);
    segment->to.port = (uint16_t)packet_u16(tcp + 2);
    segment->sequence = packet_u32(tcp + 4);
    segment->acknowledged = packet_u32(tcp + 8);
    segment->flags = tcp[13];
    if (header < 20 || header > rest->length)
        return false;
    /* The options may be cut off. */
    size_t there = header < rest->captured ? header : rest->captured;
    segment->data = tcp + there;
    segment->length = (uint32_t)(rest->captured - there);
    segment->cut = (uint32_t)(rest->length - header - segment->length);
    return true;
}

bool packet_read(int link, const uint8_t *bytes, size_t captured, size_t length, struct tcp_segment *segment)
{
    struct packet_rest rest = {bytes, captured, length < captured ? captured : length};
    *segment = (struct tcp_segment){0};
    if (rest.length > UINT32_MAX / 2 || !skip_link(link, &rest) || rest.captured == 0)
        return false;
    unsigned version = rest.at[0] >> 4;
    bool fine = version == 4 ? read_ipv4(&rest, segment) : version == 6 ? read_ipv6(&rest, segment) : false;
    return fine && read_tcp(&rest, segment);
}

const char *tcp_end_text(const struct tcp_end *end, char *buffer)
{
    char address[INET6_ADDRSTRLEN] = "?";
    inet_ntop(end->version == 6 ? AF_INET6 : AF_INET, end->address, address, sizeof address);
    snprintf(buffer, TCP_END_TEXT, end->version == 6 ? "[%s]:%u" : "%s:%u", address, (unsigned)end->port);
    return buffer;
}
