/*
 * key_lists.h - the values of the configuration that are lists, or more than one field.
 */
#ifndef ELECTOP_CONFIG_KEY_LISTS_H
#define ELECTOP_CONFIG_KEY_LISTS_H

#include "config/key.h"

extern const struct key_type type_path_list, type_command, type_conditions, type_addresses, type_admin,
    type_count_in, type_timeouts;

#endif
