/*
 * key_expression.h - the values of the configuration that may be patterns of names: compiled once when they
 * are read, so that a mistake is reported where it stands in the file, together with all the others.
 */
#ifndef ELECTOP_CONFIG_KEY_EXPRESSION_H
#define ELECTOP_CONFIG_KEY_EXPRESSION_H

#include "config/key.h"

extern const struct key_type type_expression, type_recipe;

#endif
