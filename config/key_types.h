/*
 * key_types.h - every kind of value that a key of the configuration can have.
 *
 * Those of one field are in key_types.c, lists and what is not one field in key_lists.c, expressions in
 * key_expression.c.
 */
#ifndef ELECTOP_CONFIG_KEY_TYPES_H
#define ELECTOP_CONFIG_KEY_TYPES_H

#include "config/key.h"

extern const struct key_type type_text, type_choice, type_word, type_switch, type_tri_state, type_integer,
    type_duration, type_interval, type_percent, type_rate, type_count_in, type_timeouts, type_path,
    type_pattern, type_path_list, type_connect_string, type_file, type_history, type_addresses, type_admin,
    type_identity, type_conditions, type_command, type_expression, type_recipe;

#endif
