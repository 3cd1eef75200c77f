/*
 * key_types.h - the kinds of values of one field that a key of the configuration can have.
 */
#ifndef ELECTOP_CONFIG_KEY_TYPES_H
#define ELECTOP_CONFIG_KEY_TYPES_H

#include "config/key.h"

extern const struct key_type type_text, type_choice, type_word, type_switch, type_tri_state, type_integer,
    type_duration, type_interval, type_percent, type_rate, type_path, type_pattern, type_connect_string,
    type_file, type_history, type_identity;

#endif
