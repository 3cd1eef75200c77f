/*
 * run_form.h - what a run of test candidates shall be, chosen field by field.
 *
 * Left and Right choose among a few sensible values of a field, and a number may be typed. The form says in
 * words what they come to.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_FORM_H
#define ELECTOP_TUI_VIEWS_RUN_FORM_H

#include <stdbool.h>

#include "tui/views/run_control_interface.h"
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

struct form {
    char *path, *name;          /* of the election that was selected; NULL: none */
    int at[FORM_FIELDS];        /* the value of each, among those that it has */
    int64_t typed[FORM_FIELDS]; /* a number that was typed in its place (of a time in ms); 0: none */
    int field;                  /* the one that is selected */
    char problem[300];          /* why it did not begin; "" */
};

/* path (full) and name, copied, or NULL. False: out of memory; release it all the same. */
bool form_init(struct form *, const char *path, const char *name);
void form_release(struct form *);

bool form_is_live(const struct form *);
/* Its options; the path is the form's. */
struct run_form form_said(const struct form *);

/* Up and down, left and right; false: it was none of these. */
bool form_move(struct form *, enum action);

/* The selected field takes a number: what to ask for ("how many, 1 to 10000: "); NULL: Enter chooses its next
 * value. */
const char *form_question(const struct form *);
/* What was typed for the selected field. False: it is no such number, and form->problem says so. */
bool form_type(struct form *, const char *text);

void form_draw(const struct form *, const struct scene *, struct cells *);

#endif
