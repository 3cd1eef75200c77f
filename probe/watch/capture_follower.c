#include "probe/watch/capture_follower.h"

#include <inttypes.h>
#include <stdlib.h>

#include "config/memory.h"
#include "probe/capture/capture.h"
#include "probe/clock.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/watch/ensemble_watch.h"
#include "probe/watch/live_cluster.h"

#define FOLLOW_MS 20
/* So long packets are taken in one turn, so that the loop goes on. */
#define TURN_US INT64_C(10000)
/* So much of the packets' time took at least half as long to come: they come as they are sent. */
#define PACE_US INT64_C(20000)
/* The least delay is that of the last minute or two: the capturing host's clock may be set. */
#define DELAY_KEPT_US INT64_C(60000000)
/* The tie of a clock changes in such steps. */
#define STEP_US INT64_C(5000)
/* Nothing came for longer than clients say nothing. */
#define STALL_US INT64_C(2000000)
#define STALL_UNKNOWN_US INT64_C(15000000)
/* A single snapshot waits so long for the first packets, where it has read all that are there. */
#define FIRST_US INT64_C(3000000)

/* A capture, with the clock of its host. */
struct followed {
    int64_t arrived_us;                        /* the latest packet's */
    int64_t paced_at_us, paced_us;             /* a packet's time, and when it came; 0: none yet */
    int64_t least_us, earlier_us, least_of_us; /* the least delay since least_of_us, and before that */
    int64_t shift_us;                          /* what makes the follower's time of a packet's */
    bool came, tied, noted;
};

/* Its time is our monotonic one, and was the wall clock's when it began. */
struct capture_follower {
    struct live_cluster *live;
    struct capture_files *files;
    struct capture *capture;
    uv_timer_t *timer;
    struct moment began;
    struct followed sources[CAPTURES_MOST];
    bool over, behind; /* behind: more packets are there than were read */
    bool unknown_noted, full_noted;
};

/* ---- the clocks ---- */

static bool comes_as_sent(struct followed *s, const struct captured_packet *packet)
{
    int64_t sent_us = packet->at_us - s->paced_at_us, came_us = packet->arrived_us - s->paced_us;
    if (s->paced_us != 0 && sent_us >= 0 && sent_us < PACE_US)
        return false;
    bool paced = s->paced_us != 0 && sent_us > 0 && came_us * 2 >= sent_us;
    s->paced_at_us = packet->at_us;
    s->paced_us = packet->arrived_us;
    return paced;
}

static void follower_shift(struct capture_follower *f, size_t source, int64_t shift_us)
{
    capture_correct(f->capture, source, shift_us - f->sources[source].shift_us);
    f->sources[source].shift_us = shift_us;
    capture_files_shift(f->files, source, shift_us);
}

/* A packet was sent before it arrived: so the clocks are tied. Later, small steps would falsify the times between
 * packets. */
static void follower_tie(struct capture_follower *f, const struct captured_packet *packet)
{
    struct followed *s = &f->sources[packet->source];
    int64_t base_us = f->began.wall_us - f->began.mono_us;
    int64_t delay_us = packet->arrived_us + base_us - packet->at_us;
    bool paced = comes_as_sent(s, packet), tied = s->tied;
    s->arrived_us = packet->arrived_us;
    if (!tied && (!s->came || delay_us < s->shift_us))
        follower_shift(f, packet->source, delay_us);
    s->came = true;
    if (!packet->current || (!tied && !paced))
        return;
    if (!tied || packet->arrived_us - s->least_of_us > DELAY_KEPT_US) {
        s->earlier_us = tied ? s->least_us : delay_us;
        s->least_us = delay_us;
        s->least_of_us = packet->arrived_us;
    }
    s->least_us = delay_us < s->least_us ? delay_us : s->least_us;
    s->tied = true;
    int64_t shift_us = s->least_us < s->earlier_us ? s->least_us : s->earlier_us;
    if (!tied || llabs(shift_us - s->shift_us) > STEP_US)
        follower_shift(f, packet->source, shift_us);
    struct moment now = clock_now();
    capture_tie(f->capture, packet->source, (struct moment){-base_us, now.wall_us - now.mono_us - base_us});
}

/* ---- following ---- */

static const char *follower_source(const struct capture_follower *f, size_t source)
{
    return f->live->settings->captures[source];
}

static void follower_stalls(struct capture_follower *f, size_t source)
{
    struct followed *s = &f->sources[source];
    bool over = capture_files_over(f->files, source);
    int64_t quiet_us = capture_quiet_us(f->capture, source);
    quiet_us = quiet_us ? quiet_us + STALL_US : STALL_UNKNOWN_US;
    if (over && !s->noted)
        log_line(LOG_LEVEL_WARNING, "%s: %s: the capture has ended", live_name(f->live),
                 follower_source(f, source));
    s->noted = over;
    if (!s->tied || (!over && clock_now().mono_us - s->arrived_us < quiet_us))
        return;
    s->tied = false;
    s->paced_us = 0;
    if (!over)
        log_line(LOG_LEVEL_WARNING,
                 "%s: %s: the capture brings no packets: what it showed is unknown until they come",
                 live_name(f->live), follower_source(f, source));
    capture_doubt(f->capture, source);
}

static void follower_on_timer(uv_timer_t *timer)
{
    struct capture_follower *f = timer->data;
    struct captured_packet packet;
    enum capture_next next = f->over ? CAPTURE_END : CAPTURE_PACKET;
    int64_t until_us = clock_now().mono_us + TURN_US;
    while (next == CAPTURE_PACKET && clock_now().mono_us < until_us) {
        next = capture_files_next(f->files, &packet);
        if (next != CAPTURE_PACKET)
            break;
        follower_tie(f, &packet);
        packet.at_us += f->sources[packet.source].shift_us;
        capture_take(f->capture, &packet);
    }
    f->over = next == CAPTURE_END;
    f->behind = next == CAPTURE_PACKET;
    if (f->behind)
        uv_timer_start(timer, follower_on_timer, 1, FOLLOW_MS);
    if (next != CAPTURE_PACKET)
        capture_settle(f->capture);
    for (size_t i = 0; i < f->live->settings->capture_count; i++)
        follower_stalls(f, i);
    const char *note;
    while ((note = capture_files_note(f->files)))
        log_line(LOG_LEVEL_WARNING, "%s", note);
    if (capture_limits(f->capture)->full && !f->full_noted) {
        f->full_noted = true;
        log_line(LOG_LEVEL_WARNING,
                 "%s: the packets show more znodes and sessions than are kept at once: others are left out",
                 live_name(f->live));
    }
}

static const char *follower_name_of(void *context, const char *address, bool named)
{
    struct capture_follower *f = context;
    struct ensemble_watch *servers = f->live->servers;
    const char *name = servers ? ensemble_watch_address_of(servers, address) : NULL;
    if (!name && !named && !f->unknown_noted && servers && ensemble_watch_rounds(servers) > 0) {
        f->unknown_noted = true;
        log_line(LOG_LEVEL_WARNING, "%s: packets of %s: no server of this cluster; name it with SERVER=FILE",
                 live_name(f->live), address);
    }
    return name;
}

void capture_follower_learn(struct capture_follower *f, const struct observation *o)
{
    if (f && o->kind == OBSERVED_NODE && o->path)
        capture_learn(f->capture, o->path, o->node.stat);
}

bool capture_follower_complete(const struct capture_follower *f)
{
    bool tied = true;
    for (size_t i = 0; f && i < f->live->settings->capture_count; i++)
        tied = tied && f->sources[i].tied;
    return tied || f->over || (!f->behind && clock_now().mono_us - f->began.mono_us > FIRST_US);
}

struct capture_follower *capture_follower_new(struct live_cluster *live, char **error)
{
    const struct settings *settings = live->settings;
    if (settings->capture_count == 0)
        return NULL;
    struct capture_files *files =
        capture_files_open(settings->captures, settings->capture_count, true, error);
    if (!files)
        return NULL;
    struct capture_follower *f = xcalloc(1, sizeof *f);
    static const struct capture_sink sink = {0};
    f->live = live;
    f->files = files;
    f->began = clock_now();
    f->capture = capture_new(live->model, settings,
                             &(struct capture_query){.to_us = INT64_MAX, .beside = true}, &sink);
    capture_name_servers(f->capture, follower_name_of, f);
    f->timer = loop_timer_new(live->loop, f);
    uv_timer_start(f->timer, follower_on_timer, FOLLOW_MS, FOLLOW_MS);
    return f;
}

void capture_follower_free(struct capture_follower *f)
{
    if (!f)
        return;
    loop_timer_free(f->timer);
    capture_free(f->capture);
    capture_files_close(f->files);
    free(f);
}
