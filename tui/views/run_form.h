/*
 * run_form.h - a form for the options of a run of test candidates.
 *
 * Left and Right choose among a few sensible values of a field, and a number may be typed. The form describes
 * the result in words.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_FORM_H
#define ELECTOP_TUI_VIEWS_RUN_FORM_H

#include "probe/inject/run_options.h"
#include "tui/views/view.h"

enum form_field {
    FIELD_PLACE,
    FIELD_COUNT,
    FIELD_RATE,
    FIELD_BEHAVIOUR,
    FIELD_VICTIM,
    FIELD_HOW,
    FIELD_EVERY,
    FIELD_FOR,
    FORM_FIELDS
};

struct run_form {
    char *path, *name;          /* of the election that was selected; NULL: none */
    int at[FORM_FIELDS];        /* the value of each, among those that it has */
    int64_t typed[FORM_FIELDS]; /* a number that was typed in its place (of a time in ms); 0: none */
    int field;                  /* the one that is selected */
    char problem[300];          /* why it did not begin; "" */
};

/* path (full) and name are copied; NULL: no election is selected. */
void run_form_init(struct run_form *form, const char *path, const char *name);
void run_form_release(struct run_form *form);

/* The run would join a live election. */
bool run_form_is_live(const struct run_form *form);

/* The options that it describes; their path belongs to the form. */
struct run_options run_form_options(const struct run_form *form);

/* Up and down, left and right; false: it was none of these. */
bool run_form_move(struct run_form *form, enum action action);

/* The selected field takes a number: what to ask for ("how many, 1 to 10000: "); NULL: Enter chooses its next
 * value. */
const char *run_form_question(const struct run_form *form);

/* Takes the text typed for the selected field. If it is not a valid number, form->problem says so. */
void run_form_type(struct run_form *form, const char *text);

void run_form_draw(const struct run_form *form, const struct scene *scene, struct cells *cells);

#endif
