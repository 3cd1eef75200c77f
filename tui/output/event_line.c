#include "tui/output/event_line.h"

#include <inttypes.h>
#include <string.h>

#include "probe/election/model.h"
#include "tui/words/event_text.h"
#include "tui/words/format.h"
#include "tui/screen/safe.h"

#define CLOCK_WIDTH 12 /* 14:01:02.522 */
#define WHERE_LEAST 20
#define WHERE_MOST 40 /* a longer name moves the rest of its line */
#define CLUSTER_WIDTH 8
#define GAP 2

/* Writes text at x in a column of at least width; where the next column begins. */
static int put_column(struct cells *row, int x, int width, style look, const char *text)
{
    int used = cells_put(row, x, 0, -1, look, text);
    return x + (used > width ? used : width) + GAP;
}

static int put_clock(struct cells *row, struct moment at)
{
    char clock[32];
    return put_column(row, 0, CLOCK_WIDTH, ROLE_DIM, format_clock_ms(at.wall_us, clock, sizeof clock));
}

int event_line_where(const struct model *model, bool ascii)
{
    int width = WHERE_LEAST;
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const char *name = model->clusters[i].elections[j]->name;
            int wanted = name ? safe_width(name, strlen(name), ascii) : 0;
            width = wanted > width ? wanted : width;
        }
    return width < WHERE_MOST ? width : WHERE_MOST;
}

void event_line_print(struct printer *printer, const struct event *event, bool with_cluster, int where_width)
{
    struct cells *row = printer->row;
    struct event_words words;
    event_text(event, &words);
    int x = put_clock(row, event->at);
    bool about_cluster = !event->election;
    if (with_cluster && event->cluster)
        x = put_column(row, x, CLUSTER_WIDTH, ROLE_DIM, event->cluster->name);
    x = put_column(row, x, where_width, ROLE_STRONG, with_cluster && about_cluster ? "" : words.where);
    x = put_column(row, x, EVENT_LABEL_WIDTH, words.role, words.label);
    if (words.from[0]) {
        x += cells_put(row, x, 0, -1, ROLE_TEXT, words.from) + 1;
        x += cells_put(row, x, 0, -1, ROLE_DIM, cells_sign(row, SIGN_ARROW)) + 1;
    }
    if (words.subject[0])
        x = put_column(row, x, 0, ROLE_TEXT, words.subject);
    cells_put(row, x, 0, -1, ROLE_DIM, words.detail);
    printer_line(printer);
}

void event_line_print_dropped(struct printer *printer, struct moment at, uint64_t dropped, int where_width)
{
    struct cells *row = printer->row;
    int x = put_column(row, put_clock(row, at), where_width, ROLE_STRONG, "");
    x = put_column(row, x, EVENT_LABEL_WIDTH, ROLE_WARNING, "not shown");
    cells_printf(row, x, 0, -1, ROLE_TEXT, "%" PRIu64 " lines: they were read too slowly", dropped);
    printer_line(printer);
}
