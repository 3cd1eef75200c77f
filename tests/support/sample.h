/*
 * sample.h - the packets of a real election, whose truth is known, and what a model concludes from them.
 */
#ifndef ELECTOP_TESTS_SUPPORT_SAMPLE_H
#define ELECTOP_TESTS_SUPPORT_SAMPLE_H

#include "config/settings.h"
#include "probe/capture/capture.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"

#define SAMPLE_FILE "tests/unit/data/captures/election.pcap"
#define BASE_US INT64_C(1795632400000000)
#define PACKETS_MOST 1000
#define SEEN_MOST 64

/* The truth of the capture, in us after BASE_US. */
#define LOST_A 49961006
#define HEARD_A 43164948
#define LOST_B 57952724
#define ENDED_B 57951789
#define HEARD_B 51729000

struct kept_packet {
    int64_t at_us;
    int link;
    size_t captured, length;
    uint8_t bytes[4096];
};

extern struct kept_packet sample_packets[PACKETS_MOST];
extern size_t sample_count;

struct seen_failover {
    int64_t lost_us;
    enum failover_cause cause;
    enum certainty certainty;
    struct span detection;
    int64_t notified_us, reacted_us;
    char evidence[512];
};

struct sample_result {
    struct settings settings;
    struct cluster_settings cluster;
    struct model *model;
    struct capture *capture;
    struct seen_failover failovers[SEEN_MOST];
    size_t failover_count;
    struct buffer words; /* every event, without its time */
    size_t facts[FACT_KINDS];
};

/* cmocka's set-up: reads the packets. */
int sample_read(void **state);
struct captured_packet sample_packet(const struct kept_packet *kept);
/* A model without packets yet; beside: as if a live cluster were observed, too. */
struct sample_result *sample_start(bool beside);
struct sample_result *sample_begin(void);
void sample_take(struct sample_result *result, const struct kept_packet *kept);
/* Twenty seconds pass after the last packet. */
void sample_end(struct sample_result *result);
void sample_free(struct sample_result *result);
const struct election *sample_election(const struct sample_result *result);
/* All packets, each after this change, which may drop it (false). */
struct sample_result *sample_of(bool (*change)(struct kept_packet *packet, size_t i, size_t argument),
                                size_t argument);

#endif
