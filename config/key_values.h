/*
 * key_values.h - what the readers and printers of values share (key_types.h).
 */
#ifndef ELECTOP_CONFIG_KEY_VALUES_H
#define ELECTOP_CONFIG_KEY_VALUES_H

#include "config/key.h"

/* Reports "word: "value" what". */
void value_refuse(const struct key *, const struct yaml_node *, struct key_reading *, const char *what);
/* Is it a text? If not, says what belongs there. */
bool value_text(const struct key *, const struct yaml_node *, struct key_reading *);
/* Is the text neither empty, nor too long, nor has it control characters? If not, says so. */
bool value_is_clean(const struct key *, const struct yaml_node *, size_t longest, struct key_reading *);
void value_set_text(char **field, const char *text, struct key_reading *);
/* A text as YAML, quoted where it needs it (in a list in brackets, commas do). */
void value_print_text(const char *value, bool in_list, struct text *out);

#endif
