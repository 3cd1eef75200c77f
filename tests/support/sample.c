#include "tests/support/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

struct kept_packet sample_packets[PACKETS_MOST];
size_t sample_count;

int sample_read(void **state)
{
    char *error = NULL, *paths[] = {(char *)(uintptr_t)SAMPLE_FILE};
    struct captured_packet packet;
    (void)state;
    struct capture_files *files = capture_files_open(paths, 1, false, &error);
    assert_non_null(files);
    while (capture_files_next(files, &packet) == CAPTURE_PACKET) {
        struct kept_packet *kept = &sample_packets[sample_count++];
        assert_true(sample_count < PACKETS_MOST && packet.captured <= sizeof kept->bytes);
        *kept = (struct kept_packet){packet.at_us, packet.link, packet.captured, packet.length, {0}};
        memcpy(kept->bytes, packet.bytes, packet.captured);
    }
    assert_null(capture_files_note(files));
    capture_files_close(files);
    assert_int_equal(sample_count, 626);
    return 0;
}

struct captured_packet sample_packet(const struct kept_packet *kept)
{
    return (struct captured_packet){kept->at_us, 0,     kept->link, kept->bytes, kept->captured, kept->length,
                                    NULL,        false, 0};
}

static void sample_on_event(void *context, const struct event *event)
{
    struct sample_result *result = context;
    const char *of = event->finding ? finding_kind(event->finding->code)->word : event->candidate;
    buffer_printf(&result->words, "%s %s\n", event_word(event->kind), of ? of : "-");
    if (event->kind != EVENT_FAILOVER)
        return;
    assert_true(result->failover_count < SEEN_MOST);
    result->failovers[result->failover_count++] =
        (struct seen_failover){event->failover->lost_at.wall_us - BASE_US,
                               event->failover->cause,
                               event->failover->cause_certainty,
                               event->failover->detection,
                               event->failover->notified_us,
                               event->failover->reacted_us,
                               ""};
    snprintf(result->failovers[result->failover_count - 1].evidence, sizeof result->failovers->evidence, "%s",
             event->failover->evidence ? event->failover->evidence : "");
}

static void sample_on_fact(void *context, const struct logged_fact *fact)
{
    struct sample_result *result = context;
    result->facts[fact->kind]++;
}

struct sample_result *sample_start(bool beside)
{
    struct capture_query query = {.to_us = INT64_MAX, .beside = beside};
    struct sample_result *result = xcalloc(1, sizeof *result);
    char *error = NULL;
    result->cluster =
        (struct cluster_settings){.name = (char *)(uintptr_t) "", .hosts = (char *)(uintptr_t) "h"};
    result->settings = (struct settings){.clusters = &result->cluster, .cluster_count = 1};
    result->settings.discovered.allow = (struct allowance){.vacancy_ms = 5000, .failover_ms = 10000};
    result->model = model_new(&result->settings, &error);
    assert_non_null(result->model);
    result->model->on_event = sample_on_event;
    result->model->context = result;
    result->capture = capture_new(result->model, &result->settings, &query,
                                  &(struct capture_sink){.context = result, .fact = sample_on_fact});
    return result;
}

struct sample_result *sample_begin(void)
{
    return sample_start(false);
}

void sample_take(struct sample_result *result, const struct kept_packet *kept)
{
    struct captured_packet packet = sample_packet(kept);
    assert_true(capture_take(result->capture, &packet));
}

void sample_end(struct sample_result *result)
{
    capture_pass(result->capture, sample_packets[sample_count - 1].at_us + 20000000);
    buffer_put_char(&result->words, '\0');
}

void sample_free(struct sample_result *result)
{
    capture_free(result->capture);
    model_free(result->model);
    buffer_free(&result->words);
    free(result);
}

const struct election *sample_election(const struct sample_result *result)
{
    const struct election *election = model_election(result->model, 0, "/election");
    assert_non_null(election);
    return election;
}

struct sample_result *sample_of(bool (*change)(struct kept_packet *packet, size_t i, size_t argument),
                                size_t argument)
{
    struct sample_result *result = sample_begin();
    for (size_t i = 0; i < sample_count; i++) {
        struct kept_packet packet = sample_packets[i];
        if (!change || change(&packet, i, argument))
            sample_take(result, &packet);
    }
    sample_end(result);
    return result;
}
