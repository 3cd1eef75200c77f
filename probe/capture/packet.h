/*
 * packet.h - one captured packet, as a segment of TCP. Pure: no I/O.
 *
 * Link layers: Ethernet with VLAN tags, Linux cooked 1 and 2, loopback, raw IP. Every length is checked against
 * the captured bytes. Fragments of IP but the first are left out: their bytes are missing in the stream.
 */
#ifndef ELECTOP_PROBE_CAPTURE_PACKET_H
#define ELECTOP_PROBE_CAPTURE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One end of a connection. Compared as bytes. */
struct tcp_end {
    uint8_t address[16]; /* of IPv4: the first four, and zeros */
    uint16_t port;
    uint8_t version; /* 4 or 6 */
    uint8_t unused;
};

enum tcp_flag { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16 };

struct tcp_segment {
    struct tcp_end from, to;
    uint32_t sequence, acknowledged;
    uint8_t flags;
    const uint8_t *data; /* borrowed from the packet */
    uint32_t length;     /* captured bytes of data */
    uint32_t cut;        /* bytes that were sent behind them and not captured */
};

/* Whether packets of this link type can be read; the number is libpcap's. */
bool packet_link_is_known(int link);
/* length: of the packet on the wire. False: no segment of TCP, or a damaged one. */
bool packet_read(int link, const uint8_t *bytes, size_t captured, size_t length, struct tcp_segment *segment);

#define TCP_END_TEXT 64
/* "10.0.3.17:2181", "[fe80::1]:2181". Returns buffer, of TCP_END_TEXT bytes. */
const char *tcp_end_text(const struct tcp_end *end, char *buffer);

#endif
