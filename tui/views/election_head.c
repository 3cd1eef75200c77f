#include "tui/views/election_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/tenure.h"
#include "probe/election/vacancy.h"
#include "tui/screen/columns.h"
#include "tui/views/cluster_lines.h"
#include "tui/views/view.h"
#include "tui/words/failover_facts.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"
#include "tui/words/whatif_lines.h"

#define LEFT 1
#define WHO_LEAST 24
#define PAIR_LEAST 34 /* columns of two names, beside which the parts of a duration have room */

/* A line that is filled from the left. */
struct head_line {
    struct cells *cells;
    int x, y;
    int end; /* the first row that it may not go on to, where it has no room */
};

static void election_head_say(struct head_line *line, style look, const char *text)
{
    if (line->x < line->cells->width)
        line->x += cells_put(line->cells, line->x, line->y, -1, look, text);
}

static void say_sign(struct head_line *line, enum sign sign, style look)
{
    election_head_say(line, look, cells_sign(line->cells, sign));
    line->x = LEFT + 2;
}

/* What ends the first line: each figure is whole, or is left out with its label. */
struct ending {
    char since[40], candidates[32], unread[40], next_label[16], next[24];
};

static void say_part(struct head_line *line, int gap, style look, const char *label, style figure_look,
                     const char *figure)
{
    const struct cells *cells = line->cells;

    if (figure[0] == '\0' ||
        line->x + gap + cells_width(cells, label) + cells_width(cells, figure) > cells->width)
        return;
    line->x += gap;
    election_head_say(line, look, label);
    election_head_say(line, figure_look, figure);
}

/* The columns of all of it. */
static int ending_width(const struct cells *cells, const struct ending *ending)
{
    int since = cells_width(cells, ending->since), candidates = cells_width(cells, ending->candidates);
    int next = cells_width(cells, ending->next_label) + cells_width(cells, ending->next);

    return (since > 0 ? 5 + since : 0) + (candidates > 0 ? 3 + candidates : 0) +
           cells_width(cells, ending->unread) + (next > 0 ? 3 + next : 0);
}

static void find_ending(struct ending *ending, const struct cells *cells, const struct election *election,
                        struct moment now)
{
    *ending = (struct ending){.since = ""};
    if (election->leader != NULL && !election->leader->denied)
        label_since(cells, election, now, 0, ending->since, sizeof ending->since);
    if (election->directory_known)
        snprintf(ending->candidates, sizeof ending->candidates, "%zu candidate%s", election->candidate_count,
                 election->candidate_count == 1 ? "" : "s");
    if (election->directory_known && election->unknown_count > 0)
        snprintf(ending->unread, sizeof ending->unread, ", %zu not read yet", election->unknown_count);
    if (election->recipe == NULL || election->recipe->family == FAMILY_LOCK)
        return;
    snprintf(ending->next_label, sizeof ending->next_label, "%s",
             cells->width < 100 ? "next " : "next number ");
    snprintf(ending->next, sizeof ending->next, "?");
    if (election->next_sequence >= 0)
        snprintf(ending->next, sizeof ending->next, "%" PRId64, election->next_sequence);
}

static void say_ending(struct head_line *line, const struct ending *ending)
{
    size_t digits = strspn(ending->candidates, "0123456789");
    char count[32];

    snprintf(count, sizeof count, "%.*s", (int)digits, ending->candidates);
    if (line->x + 3 + cells_width(line->cells, ending->candidates) <= line->cells->width) {
        say_part(line, 3, ROLE_STRONG, count, ROLE_DIM, ending->candidates + digits);
        say_part(line, 0, ROLE_WARNING, "", ROLE_WARNING, ending->unread);
    }
    say_part(line, 3, ROLE_DIM, ending->next_label, ROLE_TEXT, ending->next);
}

/* Its identity, and its short name; after: the columns of the text that follows. */
static void election_head_say_candidate(struct head_line *line, const struct candidate *candidate, int after)
{
    char name[64], session[64];
    const char *who = label_who(candidate, session, sizeof session);
    int room;

    if (candidate->sequence != SEQUENCE_NONE) {
        election_head_say(line, ROLE_STRONG,
                          name_of_candidate(line->cells, candidate->name, name, sizeof name));
        election_head_say(line, ROLE_TEXT, " ");
    }
    room = line->cells->width - line->x - after;
    if (line->x < line->cells->width)
        line->x +=
            name_put(line->cells, line->x, line->y, room < WHO_LEAST ? WHO_LEAST : room, ROLE_TEXT, who);
}

static void election_head_say_leader(struct head_line *line, const struct election *election,
                                     struct moment now, enum badge_state state, const struct ending *ending)
{
    char since[32], text[96];
    bool lock = election->kind == KIND_LOCK;
    struct no_leader none;

    if (election->leader != NULL) {
        election_head_say(line, ROLE_DIM,
                          state == BADGE_LED                   ? " by "
                          : lock                               ? "   held by "
                          : label_names_first(election, state) ? "   first: "
                                                               : "   led by ");
        if (election->leader->denied) {
            election_head_say(line, ROLE_STRONG, election->leader->name);
            election_head_say(line, ROLE_WARNING, "; who and since when: permission denied (ACL)");
            return;
        }
        election_head_say_candidate(line, election->leader, ending_width(line->cells, ending));
        say_part(line, 0, ROLE_DIM, " for ", ROLE_TEXT, ending->since);
        return;
    }
    const char *why = label_no_leader(line->cells, election, now, &none);
    size_t none_length = strlen("none");
    if (strncmp(why, "none", none_length) == 0 && !label_stale(election))
        why += none_length; /* "vacant for 7.2s" */
    else
        election_head_say(line, ROLE_DIM, ": ");
    election_head_say(line, none.look, why);
    uint64_t kept_minutes = label_stale(election) ? 0 : election_absent_kept_ms(election) / 60000;
    bool dated = election_vanished(election) && !label_stale(election); /* "vanished 7.2s ago" */
    if (!dated && (election->state == ELECTION_ELECTING || election->state == ELECTION_ABSENT || lock)) {
        election_head_say(line, ROLE_DIM, " for ");
        election_head_say(line, ROLE_TEXT, label_since(line->cells, election, now, 0, since, sizeof since));
    }
    if (kept_minutes > 0) {
        bool hours = kept_minutes >= 60;
        snprintf(text, sizeof text, "; not configured: removed after %d %s",
                 (int)(hours ? kept_minutes / 60 : kept_minutes), hours ? "hours" : "minutes");
        election_head_say(line, ROLE_DIM, text);
    }
}

static void draw_state(struct head_line *line, const struct election *election, struct moment now)
{
    struct badge badge = label_badge(election, now), worst = finding_badge(election, now);
    struct ending ending;

    say_sign(line, worst.sign, worst.look);
    election_head_say(line, badge.look | STYLE_BOLD, badge.word);
    find_ending(&ending, line->cells, election, now);
    election_head_say_leader(line, election, now, badge.state, &ending);
    say_ending(line, &ending);
}

/* A word and its figure, which go on to the next row together, while there is one. */
static void say_wrapped(struct head_line *line, int gap, const char *word, style look, const char *figure)
{
    const struct cells *cells = line->cells;
    int width = gap + cells_width(cells, word) + cells_width(cells, figure);

    if (line->x + width > cells->width && line->y + 1 < line->end) {
        line->y++;
        line->x = LEFT + 4;
        gap = 0;
        word += strspn(word, " ");
    }
    line->x += gap;
    election_head_say(line, ROLE_DIM, word);
    int room = cells->width - line->x;
    if (cells_width(cells, figure) <= room || room <= 0 || line->y + 1 >= line->end) {
        election_head_say(line, look, figure);
        return;
    }
    int rows = columns_wrap_put(line->cells, line->x, line->y, room, line->end - line->y, look, figure);
    bool cut = rows == line->end - line->y; /* perhaps: the rest would be in the wrong column */
    line->y += rows - 1;
    line->x = cut ? cells->width : line->x + columns_wrap_end(cells, room, figure);
}

static void say_acknowledgement(struct head_line *line, const struct election *election, struct moment now)
{
    char age[32];
    const char *unseen = label_takeover_unseen(election);
    int64_t since_us;

    switch (election->acknowledged) {
    case ACK_NOT_USED:
        if (unseen == NULL)
            unseen = "takeover time unknown: no acknowledgement";
        /* Otherwise the layout says as much. */
        if (line->y + 1 < line->end || line->x + 3 + cells_width(line->cells, unseen) <= line->cells->width)
            say_wrapped(line, 3, "", ROLE_DIM, unseen);
        return;
    case ACK_UNKNOWN:
        say_wrapped(line, 3, "", ROLE_WARNING, "acknowledged ?");
        break;
    case ACK_NO:
        if (label_acknowledged_before(election)) {
            say_wrapped(line, 3, "", ROLE_WARNING, "no longer acknowledged");
            say_wrapped(line, 0, " for ", ROLE_WARNING,
                        format_age(label_age_us(election->unacknowledged_since, now), age, sizeof age));
            break;
        }
        say_wrapped(line, 3, "", ROLE_WARNING, "not acknowledged");
        if (election->leader != NULL) {
            say_wrapped(line, 0, " for ", ROLE_WARNING,
                        label_since(line->cells, election, now, 0, age, sizeof age));
        }
        break;
    case ACK_YES:
        say_wrapped(line, 3, "", ROLE_GOOD, "acknowledged");
        since_us = label_acknowledged_age_us(election, now);
        if (since_us >= 0 && !election->leader_since_exact) {
            election_head_say(line, ROLE_TEXT, " ");
            election_head_say(line, ROLE_TEXT, format_age(since_us, age, sizeof age));
            election_head_say(line, ROLE_DIM, " ago");
        }
        if (election->ack_identity != NULL) {
            say_wrapped(line, 0, " as ", ROLE_TEXT, election->ack_identity);
        }
        break;
    }
    if (election->ack_path != NULL)
        say_wrapped(line, 0, " at ", ROLE_DIM, election->ack_path);
}

static void draw_recipe(struct head_line *line, const struct election *election, struct moment now)
{
    line->x = LEFT + 2;
    if (election->recipe == NULL) {
        election_head_say(line, ROLE_DIM, "layout ? ");
        election_head_say(line, ROLE_DIM,
                          election->candidate_count + election->foreign_count == 0
                              ? "(nothing identifies it yet)"
                              : "(no known layout has these names)");
        return;
    }
    if (election->recognised == RECOGNISED_NAME)
        election_head_say(line, ROLE_WARNING, "looks like ");
    election_head_say(line, ROLE_TEXT, election->recipe->title);
    election_head_say(line, ROLE_DIM, ", ");
    election_head_say(line, ROLE_DIM, label_recognised(election->recognised));
    say_acknowledgement(line, election, now);
}

static int draw_next(struct head_line *line, int rows, const struct election *election)
{
    if (election->recipe == NULL || election->recipe->family != FAMILY_LOCK) {
        int used = whatif_put_leader(line->cells, LEFT, line->y, rows, election);

        return used +
               (used < rows ? whatif_put_line(line->cells, LEFT, line->y + used, rows - used, election) : 0);
    }
    whatif_put_holder(line->cells, LEFT + 2, line->y, election);
    return 1;
}

/* Of one whose znode has not been read only its name is known. */
static const char *whom(const struct cells *cells, const char *identity, const char *name, char shorter[64])
{
    return identity != NULL ? identity : name != NULL ? name_of_candidate(cells, name, shorter, 64) : "?";
}

static void add_part(char *text, size_t size, const struct cells *cells, const char *word, struct span span)
{
    char figure[FORMAT_INTERVAL];
    size_t used = strlen(text);

    if (span.low_us != SPAN_OPEN || span.high_us != SPAN_OPEN)
        snprintf(text + used, size - used, "%s%s %s", used > 0 ? ", " : "", word,
                 format_interval(span.low_us, span.high_us, cells->ascii, figure));
}

/* How long it took, and its parts; with few columns, the figure alone. */
static void change_took(const struct cells *cells, const struct election *election, char took[64],
                        char parts[192])
{
    const struct change *change = &election->change;
    const struct failover *last = election_last_failover(election);
    char figure[FORMAT_INTERVAL];

    took[0] = parts[0] = '\0';
    if (vacancy_is_untaken(election))
        return;
    if (last != NULL && moment_is(last->lost_at, change->lost_at)) {
        struct span length = failover_facts_length(last);

        if (length.low_us != SPAN_OPEN || length.high_us != SPAN_OPEN)
            snprintf(took, 64, "  took %s",
                     format_interval(length.low_us, length.high_us, cells->ascii, figure));
        add_part(parts, 192, cells, "detected in", last->detection);
        add_part(parts, 192, cells, "vacant", last->vacancy);
        add_part(parts, 192, cells, "takeover", last->takeover);
        return;
    }
    add_part(parts, 192, cells, "vacant", (struct span){change->vacancy_us, change->vacancy_us});
    add_part(parts, 192, cells, "takeover", (struct span){change->takeover_us, change->takeover_us});
}

static bool draw_change(struct head_line *line, const struct election *election, struct moment now)
{
    const struct change *change = &election->change;
    char when[32], took[64], parts[192], from[64], to[64];

    if (change->lost_at.mono_us == 0)
        return false;
    line->x = LEFT + 2;
    election_head_say(line, ROLE_DIM, tenure_goes_on(election) ? "Created again  " : "Last change  ");
    if (!change->lost_seen)
        election_head_say(line, ROLE_DIM, cells_sign(line->cells, SIGN_AT_MOST));
    election_head_say(line, ROLE_TEXT, label_moment(change->lost_at.wall_us, now, when, sizeof when));
    election_head_say(line, ROLE_TEXT, "  ");
    change_took(line->cells, election, took, parts);
    const char *before = whom(line->cells, change->from_identity, change->from, from);
    const char *after = whom(line->cells, change->to_identity, change->to, to);
    if (change->to == NULL) {
        line->x += name_put(line->cells, line->x, line->y, label_room(line->x, line->cells->width - 12),
                            ROLE_TEXT, before);
        election_head_say(line, ROLE_DIM, " ");
        election_head_say(line, ROLE_DIM, cells_sign(line->cells, SIGN_ARROW));
        election_head_say(line, election->kind == KIND_LOCK ? ROLE_DIM : ROLE_CRITICAL, " none yet");
        return true;
    }
    int names = cells_width(line->cells, before) + cells_width(line->cells, after) + 3;
    int room = label_room(line->x, line->cells->width - 1) - cells_width(line->cells, took);
    int further = 2 + cells_width(line->cells, parts);
    bool all = parts[0] != '\0' && room - further >= (names < PAIR_LEAST ? names : PAIR_LEAST);
    line->x += names_put_pair(line->cells, NULL, line->x, line->y, room - (all ? further : 0), before, after);
    election_head_say(line, ROLE_TEXT, took);
    if (all) {
        election_head_say(line, ROLE_DIM, took[0] != '\0' ? ": " : "  ");
        election_head_say(line, ROLE_DIM, parts);
    }
    return true;
}

static bool draw_foreign(struct head_line *line, const struct election *election)
{
    size_t shown = election->foreign_count < FOREIGN_KEPT ? election->foreign_count : FOREIGN_KEPT;
    char text[80];

    if (election->foreign_count == 0)
        return false;
    say_sign(line, SIGN_INFO, ROLE_INFO);
    snprintf(text, sizeof text, "%zu %s candidate%s: ", election->foreign_count,
             election->foreign_count == 1 ? "child is not a" : "children are not",
             election->foreign_count == 1 ? "" : "s");
    election_head_say(line, ROLE_TEXT, text);
    for (size_t i = 0; i < shown && line->x < line->cells->width; i++) {
        if (i > 0)
            election_head_say(line, ROLE_DIM, ", ");
        election_head_say(line, ROLE_DIM, election->foreign[i]);
    }
    return true;
}

static bool draw_unseen(struct head_line *line, const struct election *election)
{
    const struct counters *counters = &election->counters;
    char text[96];

    if (counters->unseen_joined + counters->unseen_left == 0)
        return false;
    say_sign(line, SIGN_WARNING, ROLE_WARNING);
    snprintf(text, sizeof text, "unseen changes: %" PRIu64 " joined, %" PRIu64 " left",
             counters->unseen_joined, counters->unseen_left);
    election_head_say(line, ROLE_WARNING, text);
    election_head_say(line, ROLE_DIM, "; between two reads, as the directory's Stat proves");
    return true;
}

static bool draw_problem(struct head_line *line, const struct election *election)
{
    char text[64];
    const char *problem = election->recipe == NULL || election->problem != NULL
                              ? election_problem(election, text, sizeof text)
                              : NULL; /* children beside a known layout have a line to themselves */

    if (problem == NULL)
        return false;
    say_sign(line, SIGN_WARNING, ROLE_WARNING);
    election_head_say(line, ROLE_WARNING, problem);
    if (election->state == ELECTION_DENIED)
        election_head_say(line, ROLE_DIM, "; use others with --auth-file");
    return true;
}

/* Who is responsible, and what to do: as configured. */
static int draw_responsible(const struct head_line *line, int rows, const struct scene *scene,
                            const struct election *election)
{
    char text[2300];

    if (!label_responsible(scene->settings, election, text, sizeof text))
        return 0;
    return columns_wrap_put(line->cells, LEFT + 2, line->y, line->cells->width - LEFT - 3, rows, ROLE_TEXT,
                            text);
}

int election_head_draw(struct cells *cells, int y, int rows, int spare, const struct scene *scene,
                       const struct election *election)
{
    struct head_line line = {cells, LEFT, y, y};
    int end = y + rows;

    if (rows <= 0)
        return 0;
    draw_state(&line, election, scene->now);
    line.y += 1;
    if (line.y < end) {
        line.end = line.y + 1 + (spare > 0 ? spare : 0);
        line.end = line.end < end ? line.end : end;
        draw_recipe(&line, election, scene->now);
        line.y++;
    }
    if (line.y < end && election->candidate_count > 0)
        line.y += draw_next(&line, end - line.y, election);
    line.x = LEFT;
    if (line.y < end && draw_change(&line, election, scene->now))
        line.y++;
    if (line.y < end)
        line.y += cluster_lines_draw(cells, LEFT, line.y, 1, scene, election->cluster->name);
    line.x = LEFT;
    if (line.y < end && draw_problem(&line, election))
        line.y++;
    line.x = LEFT;
    if (line.y < end && draw_unseen(&line, election))
        line.y++;
    line.x = LEFT;
    if (line.y < end && draw_foreign(&line, election))
        line.y++;
    line.y += draw_responsible(&line, end - line.y, scene, election);
    return line.y - y;
}
