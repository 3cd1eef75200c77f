/*
 * key_expression.h - values of the configuration that may be patterns of names. They are compiled once, while
 * they are read, so that an error is reported with its place in the file, together with all others.
 */
#ifndef ELECTOP_CONFIG_KEY_EXPRESSION_H
#define ELECTOP_CONFIG_KEY_EXPRESSION_H

#include "config/key.h"

extern const struct key_type type_expression, type_recipe;

#endif
