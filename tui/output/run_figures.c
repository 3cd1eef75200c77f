#include "tui/output/run_figures.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "tui/output/page_style.h"
#include "tui/screen/safe.h"
#include "tui/words/format.h"

#define TITLE_RULE 76

static void put_element(struct run_figures *form, const char *element, const char *text)
{
    buffer_printf(form->out, "<%s>", element);
    markup_text(form->out, text);
    buffer_printf(form->out, "</%s>\n", element);
}

void run_figures_title(struct run_figures *form, const char *text)
{
    if (!form->printer) {
        put_element(form, "h2", text);
        return;
    }
    printer_line(form->printer);
    cells_rule(form->printer->row, 0, 0, TITLE_RULE, text);
    printer_line(form->printer);
}

void run_figures_heading(struct run_figures *form, const char *text)
{
    if (!form->printer) {
        put_element(form, "h3", text);
        return;
    }
    printer_line(form->printer);
    printer_put(form->printer, 0, ROLE_HEADING, text);
    printer_line(form->printer);
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

void run_figures_prose(struct run_figures *form, style look, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    form->out->failed |= text.failed;
    const char *said = text.at ? text.at : "";
    if (form->printer) {
        printer_put(form->printer, 0, look, said);
        printer_prose(form->printer);
    } else {
        buffer_printf(form->out, "<p class=\"%s\">", class_of(look));
        markup_text(form->out, said);
        buffer_put_text(form->out, "</p>\n");
    }
    text_free(&text);
}

/* Cells are right-aligned, each in its column. */
static void run_figures_put_cells(struct run_figures *form, style look, const char *cell, size_t i)
{
    int width = (int)strlen(cell), end = FORM_LABEL + form->column * (int)(i + 1); /* all of them ASCII */
    printer_put(form->printer, end - width, look, cell);
}

void run_figures_table(struct run_figures *form, int column, const char *const *heads, size_t count)
{
    form->column = column;
    if (form->printer) {
        for (size_t i = 0; i < count; i++)
            run_figures_put_cells(form, ROLE_DIM, heads[i], i);
        if (count > 0)
            printer_line(form->printer);
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

static void run_figures_put_row(struct run_figures *form, const char *label, char (*cells)[FORM_CELL],
                                size_t count, const double *bars)
{
    if (form->printer) {
        printer_put(form->printer, 2, ROLE_TEXT, label);
        if (safe_width(label, strlen(label), form->printer->style.ascii) > FORM_LABEL - 2)
            printer_line(form->printer); /* its figures are below it */
        for (size_t i = 0; i < count; i++)
            run_figures_put_cells(form, ROLE_TEXT, cells[i], i);
        printer_line(form->printer);
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

void run_figures_row(struct run_figures *form, const char *label, char (*cells)[FORM_CELL], size_t count)
{
    run_figures_put_row(form, label, cells, count, NULL);
}

void run_figures_pair(struct run_figures *form, const char *label, char (*cells)[FORM_CELL], size_t count,
                      const double values[2])
{
    run_figures_put_row(form, label, cells, count, values);
}

void run_figures_group(struct run_figures *form, const char *label, size_t count)
{
    if (form->printer) {
        printer_put(form->printer, 2, ROLE_STRONG, label);
        printer_line(form->printer);
        return;
    }
    buffer_printf(form->out, "<tr class=\"group\"><th scope=\"row\" colspan=\"%zu\">", count + 1);
    markup_text(form->out, label);
    buffer_put_text(form->out, "</th></tr>\n");
}

void run_figures_table_end(struct run_figures *form)
{
    if (!form->printer)
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
