#include "tui/inject/trial_form.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "tui/report/markup.h"
#include "tui/text/format.h"
#include "tui/text/safe.h"

#define TITLE_RULE 76

static void put_element(struct trial_form *form, const char *element, const char *text)
{
    buffer_printf(form->out, "<%s>", element);
    markup_text(form->out, text);
    buffer_printf(form->out, "</%s>\n", element);
}

void trial_form_title(struct trial_form *form, const char *text)
{
    if (!form->paper) {
        put_element(form, "h2", text);
        return;
    }
    paper_line(form->paper);
    cells_rule(form->paper->row, 0, 0, TITLE_RULE, text);
    paper_line(form->paper);
}

void trial_form_heading(struct trial_form *form, const char *text)
{
    if (!form->paper) {
        put_element(form, "h3", text);
        return;
    }
    paper_line(form->paper);
    paper_put(form->paper, 0, ROLE_HEADING, text);
    paper_line(form->paper);
}

static const char *class_of(style look)
{
    return look == ROLE_STRONG                     ? "verdict"
           : look == ROLE_CRITICAL                 ? "critical"
           : look == ROLE_GOOD                     ? "held"
           : look == ROLE_WARNING                  ? "warning"
           : look == ROLE_DIM || look == ROLE_INFO ? "note"
                                                   : "said";
}

void trial_form_prose(struct trial_form *form, style look, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    form->out->failed |= text.failed;
    const char *said = text.at ? text.at : "";
    if (form->paper) {
        paper_put(form->paper, 0, look, said);
        paper_prose(form->paper);
    } else {
        buffer_printf(form->out, "<p class=\"%s\">", class_of(look));
        markup_text(form->out, said);
        buffer_put_text(form->out, "</p>\n");
    }
    text_free(&text);
}

/* Cells stand to the right of each other, each at the right of its column. */
static void put_cells(struct trial_form *form, style look, const char *cell, size_t i)
{
    int width = (int)strlen(cell), end = FORM_LABEL + form->column * (int)(i + 1); /* all of them ASCII */
    paper_put(form->paper, end - width, look, cell);
}

void trial_form_table(struct trial_form *form, int column, const char *const *heads, size_t count)
{
    form->column = column;
    if (form->paper) {
        for (size_t i = 0; i < count; i++)
            put_cells(form, ROLE_DIM, heads[i], i);
        if (count > 0)
            paper_line(form->paper);
        return;
    }
    buffer_printf(form->out, "<div class=\"table\"><table class=\"figures%s\">\n",
                  form->paired ? " pairs" : "");
    if (count > 0)
        buffer_put_text(form->out, "<thead><tr><td></td>");
    for (size_t i = 0; i < count; i++) {
        buffer_put_text(form->out, "<th scope=\"col\" class=\"n\">");
        markup_text(form->out, heads[i]);
        buffer_put_text(form->out, "</th>");
    }
    if (form->paired)
        buffer_put_text(form->out, "<td></td>");
    buffer_put_text(form->out, count > 0 ? "</tr></thead>\n<tbody>\n" : "<tbody>\n");
}

/* Both to one scale: the longer one fills the drawing. */
static void put_bars(struct buffer *out, const double values[2])
{
    double most = values[0] > values[1] ? values[0] : values[1];
    buffer_put_text(out, "<td><svg class=\"bars\" viewBox=\"0 0 200 14\" aria-hidden=\"true\">");
    for (size_t i = 0; i < 2; i++)
        if (most > 0 && values[i] >= 0)
            buffer_printf(out, "<rect class=\"%s\" x=\"0\" y=\"%d\" width=\"%.1f\" height=\"6\"/>",
                          i ? "second" : "led", i ? 8 : 0, values[i] / most * 198 + 2);
    buffer_put_text(out, "</svg></td>");
}

static void put_row(struct trial_form *form, const char *label, char (*cells)[FORM_CELL], size_t count,
                    const double *bars)
{
    if (form->paper) {
        paper_put(form->paper, 2, ROLE_TEXT, label);
        if (safe_width(label, strlen(label), form->paper->style.ascii) > FORM_LABEL - 2)
            paper_line(form->paper); /* its figures stand below it */
        for (size_t i = 0; i < count; i++)
            put_cells(form, ROLE_TEXT, cells[i], i);
        paper_line(form->paper);
        return;
    }
    size_t inner = strspn(label, " ");
    buffer_printf(form->out, "<tr><th scope=\"row\"%s>", inner ? " class=\"inner\"" : "");
    markup_text(form->out, label + inner);
    buffer_put_text(form->out, "</th>");
    for (size_t i = 0; i < count; i++) {
        buffer_put_text(form->out, "<td class=\"n\">");
        markup_text(form->out, cells[i]);
        buffer_put_text(form->out, "</td>");
    }
    if (bars)
        put_bars(form->out, bars);
    buffer_put_text(form->out, "</tr>\n");
}

void trial_form_row(struct trial_form *form, const char *label, char (*cells)[FORM_CELL], size_t count)
{
    put_row(form, label, cells, count, NULL);
}

void trial_form_pair(struct trial_form *form, const char *label, char (*cells)[FORM_CELL], size_t count,
                     const double values[2])
{
    put_row(form, label, cells, count, values);
}

void trial_form_group(struct trial_form *form, const char *label, size_t count)
{
    if (form->paper) {
        paper_put(form->paper, 2, ROLE_STRONG, label);
        paper_line(form->paper);
        return;
    }
    buffer_printf(form->out, "<tr class=\"group\"><th scope=\"row\" colspan=\"%zu\">", count + 1);
    markup_text(form->out, label);
    buffer_put_text(form->out, "</th></tr>\n");
}

void trial_form_table_end(struct trial_form *form)
{
    if (!form->paper)
        buffer_put_text(form->out, "</tbody></table></div>\n");
}

void form_number(char out[FORM_CELL], int64_t value)
{
    if (value < 0)
        snprintf(out, FORM_CELL, "?");
    else
        snprintf(out, FORM_CELL, "%" PRId64, value);
}

void form_time(char out[FORM_CELL], int64_t us)
{
    if (us < 0)
        snprintf(out, FORM_CELL, "-");
    else
        format_span(us, out, FORM_CELL);
}

void form_mean(char out[FORM_CELL], uint64_t sum, uint64_t count)
{
    double each = count ? (double)sum / (double)count : 0;
    bool whole = each >= 100 || sum == count * (count ? sum / count : 0);
    if (count == 0)
        snprintf(out, FORM_CELL, "-");
    else
        snprintf(out, FORM_CELL, "%.*f", whole ? 0 : 1, each);
}
