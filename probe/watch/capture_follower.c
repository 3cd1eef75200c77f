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
/* Packets taken in one turn, so that the loop goes on. */
#define TURN_MOST 5000
/* So much of the packets' time took at least half as long to come: they come as they are sent. */
#define PACE_US INT64_C(20000)
/* The least delay is that of the last minute or two: the capturing host's clock may be set. */
#define DELAY_KEPT_US INT64_C(60000000)
/* Nothing came for longer than clients say nothing. */
#define STALL_US INT64_C(2000000)
#define STALL_UNKNOWN_US INT64_C(15000000)
/* A single snapshot waits so long for the first packets. */
#define FIRST_US INT64_C(3000000)

struct capture_follower {
    struct live_cluster *live;
    struct capture_files *files;
    struct capture *capture;
    uv_timer_t *timer;
    int64_t began_us, arrived_us;              /* ours; the latest packet's */
    int64_t paced_at_us, paced_us;             /* a packet's time, and when it came; 0: none yet */
    int64_t least_us, earlier_us, least_of_us; /* the least delay since least_of_us, and before that */
    bool tied, over, noted, unknown_noted;
};

/* ---- the clocks ---- */

static bool comes_as_sent(struct capture_follower *f, const struct captured_packet *packet)
{
    int64_t sent_us = packet->at_us - f->paced_at_us, came_us = packet->arrived_us - f->paced_us;
    if (f->paced_us != 0 && sent_us >= 0 && sent_us < PACE_US)
        return false;
    bool paced = f->paced_us != 0 && sent_us > 0 && came_us * 2 >= sent_us;
    f->paced_at_us = packet->at_us;
    f->paced_us = packet->arrived_us;
    return paced;
}

static void follower_tie(struct capture_follower *f, const struct captured_packet *packet)
{
    int64_t delay_us = packet->arrived_us - packet->at_us;
    bool paced = comes_as_sent(f, packet);
    f->arrived_us = packet->arrived_us;
    if (!packet->current || (!f->tied && !paced))
        return;
    if (!f->tied || packet->arrived_us - f->least_of_us > DELAY_KEPT_US) {
        f->earlier_us = f->tied ? f->least_us : delay_us;
        f->least_us = delay_us;
        f->least_of_us = packet->arrived_us;
    }
    f->least_us = delay_us < f->least_us ? delay_us : f->least_us;
    f->tied = true;
    struct moment now = clock_now();
    int64_t add_us = f->least_us < f->earlier_us ? f->least_us : f->earlier_us;
    capture_tie(f->capture, (struct moment){add_us, add_us + now.wall_us - now.mono_us});
}

/* ---- following ---- */

static void follower_notes(struct capture_follower *f)
{
    const char *note;
    while ((note = capture_files_note(f->files)))
        log_line(LOG_LEVEL_WARNING, "%s", note);
    if (f->noted || !f->over)
        return;
    f->noted = true;
    log_line(LOG_LEVEL_WARNING, "%s: the capture has ended", live_name(f->live));
}

static void follower_stalls(struct capture_follower *f)
{
    int64_t quiet_us = capture_quiet_us(f->capture);
    quiet_us = quiet_us ? quiet_us + STALL_US : STALL_UNKNOWN_US;
    if (!f->tied || (!f->over && clock_now().mono_us - f->arrived_us < quiet_us))
        return;
    f->tied = false;
    f->paced_us = 0;
    if (!f->over)
        log_line(LOG_LEVEL_WARNING,
                 "%s: the capture brings no packets: what it showed is unknown until they come",
                 live_name(f->live));
    capture_doubt(f->capture);
}

static void follower_on_timer(uv_timer_t *timer)
{
    struct capture_follower *f = timer->data;
    struct captured_packet packet;
    enum capture_next next = f->over ? CAPTURE_END : CAPTURE_PACKET;
    for (size_t i = 0; i < TURN_MOST && next == CAPTURE_PACKET; i++) {
        next = capture_files_next(f->files, &packet);
        if (next != CAPTURE_PACKET)
            break;
        follower_tie(f, &packet);
        capture_take(f->capture, &packet);
    }
    f->over = next == CAPTURE_END;
    if (next != CAPTURE_PACKET)
        capture_settle(f->capture);
    follower_stalls(f);
    follower_notes(f);
}

static const char *follower_name_of(void *context, const char *address)
{
    struct capture_follower *f = context;
    struct ensemble_watch *servers = f->live->servers;
    const char *name = servers ? ensemble_watch_address_of(servers, address) : NULL;
    if (!name && !f->unknown_noted && servers && ensemble_watch_rounds(servers) > 0) {
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
    return !f || f->tied || f->over || clock_now().mono_us - f->began_us > FIRST_US;
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
    f->began_us = clock_now().mono_us;
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
