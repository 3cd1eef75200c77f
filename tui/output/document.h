/*
 * document.h - a report as headings, paragraphs, tables and lists, to be rendered as text, Markdown or a
 * page.
 *
 * A producer fills a document from top to bottom, once for each form; each form has one renderer:
 *
 *   text      for a terminal or a file. Tables fit the terminal's width, and nothing is cut in a pipe; signs
 *             have their ASCII form; colours only if the style has them.
 *   Markdown  for a ticket or a review. No name of a znode makes a link, a heading, a picture or a column.
 *   page      one self-contained HTML file, also well-formed XML: no script, nothing from other sites (its
 *             own policy forbids both), readable on a light and a dark screen and on paper.
 *
 * A document owns all its texts. Every text may contain untrusted bytes: the renderers make them safe.
 */
#ifndef ELECTOP_TUI_OUTPUT_DOCUMENT_H
#define ELECTOP_TUI_OUTPUT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/json/buffer.h"
#include "tui/output/line_printer.h"

enum document_form { DOCUMENT_TEXT, DOCUMENT_MARKDOWN, DOCUMENT_PAGE };

enum block_kind {
    BLOCK_HEADING,    /* level 1: the title; 2: a section; 3: within it. ROLE_RULE: with a rule, in text */
    BLOCK_PARAGRAPH,  /* ROLE_STRONG: the most important; ROLE_DIM: a note */
    BLOCK_TABLE,      /* rows follow */
    BLOCK_GROUP,      /* a heading for the rows below it */
    BLOCK_ROW,        /* level 1: belongs to the row above */
    BLOCK_CELL,       /* the next cell of its row */
    BLOCK_DETAIL,     /* of the preceding row or claim: below it, or in a last column */
    BLOCK_CLAIM,      /* level 1: a reason for the one of level 0. A detail follows each */
    BLOCK_TERM,       /* in a list of definitions, in Markdown and on a page */
    BLOCK_DEFINITION, /* follows its term */
    BLOCK_FIGURE,     /* a drawing, on a page */
    BLOCK_KEY,        /* explains a sign of the drawings, on a page */
    BLOCK_BODY,       /* a page's header ends */
    BLOCK_FOOTER,     /* a page's body ends */
};

enum fragment_kind {
    FRAGMENT_WORDS,   /* the program's own text */
    FRAGMENT_PROSE,   /* sentences that contain names */
    FRAGMENT_NAME,    /* an untrusted name */
    FRAGMENT_SIGN,    /* in text */
    FRAGMENT_BREAK,   /* the next line */
    FRAGMENT_DRAWING, /* markup, on a page */
};

struct fragment {
    enum fragment_kind kind;
    style look;  /* ROLE_TEXT: plain; in a heading and a detail, as all of it */
    char *text;  /* of a sign: NULL */
    char *title; /* explains it under the mouse, on a page; or NULL */
    size_t link; /* to the section of this number, on a page; 0: no link */
    enum sign sign;
    int count; /* of the sign */
};

enum column_kind {
    COLUMN_TEXT,
    COLUMN_NAME,   /* of a candidate or an election */
    COLUMN_BELOW,  /* as above; in text, goes below its row if the table is too wide */
    COLUMN_WORD,   /* stays on one line, and is never cut */
    COLUMN_TIME,   /* as above; the heading names the zone */
    COLUMN_NUMBER, /* as above, aligned right */
};

struct document_column {
    const char *heading; /* static */
    enum column_kind kind;
    int importance; /* in text, the smallest is dropped first if there is no room for all */
};
#define DOCUMENT_COLUMNS 12

struct document_block {
    enum block_kind kind;
    int level;
    style look;
    size_t number;                   /* of a section, for links; 0: none */
    size_t first;                    /* its first fragment; it ends at the first fragment of the next block */
    struct document_column *columns; /* of a table */
    size_t column_count;
    const char *detail; /* of a table: heads the details of its rows; NULL: there are none */
    bool listed;        /* of a table: in text each row is a line, without columns */
};

/* Start from {.form = ...}, and document_free() it. */
struct document {
    enum document_form form;
    int width;         /* of the text form, for drawings; 0: no limit */
    char zone[16];     /* of its times */
    const char *brand; /* of a page: the command */
    struct document_block *blocks;
    size_t block_count, block_room;
    struct fragment *fragments;
    size_t fragment_count, fragment_room;
};

/* Begins a block, which may be changed until the next one begins. */
struct document_block *document_block(struct document *doc, enum block_kind kind, style look);
struct document_block *document_heading(struct document *doc, int level, const char *text);
void document_paragraph(struct document *doc, style look, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct document_block *document_table(struct document *doc, const struct document_column *columns,
                                      size_t count);
void document_row(struct document *doc, int level);
/* These return their fragment, as below. */
struct fragment *document_cell(struct document *doc, style look, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct fragment *document_name_cell(struct document *doc, style look, const char *name);

/* Adds to the latest block. The returned fragment may be changed until the next one is added. */
struct fragment *document_words(struct document *doc, style look, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct fragment *document_prose(struct document *doc, style look, const char *text); /* NULL: nothing */
struct fragment *document_name(struct document *doc, style look, const char *name);
/* In text; other forms have no signs. */
void document_sign(struct document *doc, style look, enum sign sign, int count);
/* Takes ownership of the markup in the buffer. */
void document_drawing(struct document *doc, struct buffer *markup);
/* Explains a sign of the drawings. drawing: of 18 by 11. */
#define DOCUMENT_KEY(class) "<rect class=\"" class "\" width=\"18\" height=\"11\"/>"
void document_key(struct document *doc, const char *drawing, const char *words);
/* Begins a new line in these forms (bits of 1 << form, not of Markdown); the others get otherwise in its place. */
void document_break(struct document *doc, unsigned forms, const char *otherwise);

/* Says that a list was cut; nothing if it was not. part: "first", "last". */
void document_cut(struct document *doc, const char *part, size_t shown, size_t all);

/* "When (UTC)" */
#define DOCUMENT_HEADING 48
const char *document_column_heading(const struct document *doc, const struct document_column *column,
                                    char buffer[DOCUMENT_HEADING]);
/* One past the last fragment of a block. */
size_t document_end(const struct document *doc, size_t block);
/* Whether the block at this index exists and is of this kind. */
bool document_is(const struct document *doc, size_t block, enum block_kind kind);
void document_free(struct document *doc);

/* Renders it in its form. how: of the text form. */
void document_print(const struct document *doc, struct buffer *out, const struct print_style *how);

/* The renderers. */
void document_print_text(const struct document *doc, struct buffer *out, const struct print_style *how);
void document_print_markdown(const struct document *doc, struct buffer *out);
void document_print_page(const struct document *doc, struct buffer *out);

/*
 * Text in HTML and SVG, for pages and their drawings. The output is also well-formed XML, so that any parser can
 * check a page. Untrusted bytes are first made visible as on every screen (tui/screen/safe.h): no control
 * character, no invalid UTF-8 and no bidirectional override gets into a page. The rest is escaped for elements
 * and for attributes alike.
 */

/* Trusted or untrusted text, in an element or in a quoted attribute. NULL: nothing. */
void page_markup_text(struct buffer *out, const char *text);
/* A formatted text, as above. */
void page_markup_printf(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An untrusted text in a drawing, cut to this many columns with an ellipsis. */
void page_markup_label(struct buffer *out, const char *text, int columns);

#endif
