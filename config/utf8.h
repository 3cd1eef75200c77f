/*
 * utf8.h - strict UTF-8, one code point at a time.
 */
#ifndef ELECTOP_CONFIG_UTF8_H
#define ELECTOP_CONFIG_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the code point at bytes (length bytes are left) into *code and returns how many bytes it took.
 * 0: no valid character begins here (overlong forms, surrogates and beyond U+10FFFF are not valid), or
 * nothing is left.
 */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *code);

/* Where the first invalid byte is; length where all is valid. */
size_t utf8_valid_length(const char *bytes, size_t length);

/* The line and the column (in characters) of the byte at offset, both from 1. */
void utf8_locate(const char *bytes, size_t offset, size_t *line, size_t *column);

/* Writes at most 4 bytes, without a NUL; returns how many (0: not a character). */
size_t utf8_encode(uint32_t character, char bytes[4]);

/*
 * True for a valid character that every output escapes (terminal, log, JSON, metrics, HTML, Markdown): a
 * control character, an invisible one, one that reorders or joins its neighbours or looks like another with them, or
 * one of no agreed width.
 */
bool utf8_deceives(uint32_t code);

#endif
