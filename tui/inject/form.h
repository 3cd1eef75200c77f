/*
 * form.h - what a run of test candidates shall be, chosen field by field.
 *
 * No field is typed into: each has a handful of sensible values. The form says in words what they come to.
 */
#ifndef ELECTOP_TUI_INJECT_FORM_H
#define ELECTOP_TUI_INJECT_FORM_H

#include <stdbool.h>

#include "tui/inject/workbench.h"
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
    char *path, *name;   /* of the election that was selected; NULL: none */
    int at[FORM_FIELDS]; /* the value of each, among those that it has */
    int field;           /* the one that is selected */
    char problem[300];   /* why it did not begin; "" */
};

/* path (full) and name, copied, or NULL. False: out of memory; release it all the same. */
bool form_init(struct form *, const char *path, const char *name);
void form_release(struct form *);

bool form_is_live(const struct form *);
/* What it says; the path is the form's. */
struct run_form form_said(const struct form *);

/* Up and down, left and right; false: it was none of these. */
bool form_move(struct form *, enum action);

void form_draw(const struct form *, const struct scene *, struct cells *);

#endif
