/*
 * pseudonyms.h - replaces identifying words in names, hosts, addresses, paths, identities and data: the same
 * word has the same pseudonym, of the same length, everywhere.
 *
 * Numbers, punctuation, GUIDs, numbers with 0x, and the words, sessions and GUIDs of known layouts stay; other
 * hexadecimal becomes hexadecimal. So the order of names, sequence numbers, ports, recipes and lengths stay, and a
 * text that contains another one still does. A pseudonym depends on how many came before it, and not on its word.
 */
#ifndef ELECTOP_PROBE_CASE_PSEUDONYMS_H
#define ELECTOP_PROBE_CASE_PSEUDONYMS_H

#include <stddef.h>

struct pseudonyms;

struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms); /* NULL is fine */

/* Results are valid until the next call. */

const char *pseudonyms_text(struct pseudonyms *pseudonyms, const char *text);
/* In this program's words: only what looks like a name is replaced, and what already has a pseudonym. */
const char *pseudonyms_sentence(struct pseudonyms *pseudonyms, const char *text);
/* A configuration, as settings_print() writes it: it can be read again. Keys, numbers, times and choices stay. */
const char *pseudonyms_configuration(struct pseudonyms *pseudonyms, const char *text);
/* Perhaps binary. *length: of the bytes, and of the result. */
const void *pseudonyms_data(struct pseudonyms *pseudonyms, const void *bytes, size_t *length);

#endif
