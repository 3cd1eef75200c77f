/* A document says the same in each form, and what strangers wrote breaks out of none. */
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "tests/support/test.h"
#include "tui/output/document.h"

#define HOSTILE "<b>|`\x1b[2J"

/* A claim with its reason, and a table with a group, a row below another and a detail. */
static char *told(enum document_form form, const struct print_style *how)
{
    static const struct document_column columns[] = {
        {"Name", COLUMN_NAME, 3}, {"From → to", COLUMN_BELOW, 1}, {"Took", COLUMN_NUMBER, 2}};
    struct document doc = {.form = form, .brand = "test"};
    struct buffer out = {0};
    document_heading(&doc, 1, "Title");
    document_paragraph(&doc, ROLE_DIM, "said first");
    document_block(&doc, BLOCK_BODY, ROLE_TEXT);
    document_block(&doc, BLOCK_CLAIM, ROLE_TEXT);
    document_words(&doc, ROLE_STRONG, "It moved.");
    document_block(&doc, BLOCK_DETAIL, ROLE_TEXT);
    document_prose(&doc, ROLE_TEXT, HOSTILE);
    document_block(&doc, BLOCK_CLAIM, ROLE_TEXT)->level = 1;
    document_words(&doc, ROLE_INFO, "suspected:");
    document_words(&doc, ROLE_TEXT, " It was slow.");
    document_block(&doc, BLOCK_DETAIL, ROLE_TEXT);
    document_prose(&doc, ROLE_TEXT, "www.x.org://a@b");
    document_heading(&doc, 3, "Table");
    document_table(&doc, columns, 3)->detail = "Proof";
    document_block(&doc, BLOCK_GROUP, ROLE_STRONG);
    document_words(&doc, ROLE_STRONG, "zk1");
    for (int level = 0; level < 2; level++) {
        document_row(&doc, level);
        document_name_cell(&doc, ROLE_TEXT, level ? "team-000/leader" : HOSTILE);
        document_cell(&doc, ROLE_TEXT, "a → b");
        document_cell(&doc, ROLE_TEXT, "≥ 1ms");
        document_block(&doc, BLOCK_DETAIL, ROLE_TEXT);
        document_prose(&doc, ROLE_TEXT, "seen");
    }
    document_block(&doc, BLOCK_FOOTER, ROLE_TEXT);
    document_print(&doc, &out, how);
    document_free(&doc);
    buffer_put_char(&out, '\0');
    return out.bytes;
}

static void compare(char *text, const char *wanted)
{
    assert_string_equal(text, wanted);
    free(text);
}

TEST(text_fits_its_width)
{
    const struct print_style pipe = {.theme = {.depth = DEPTH_MONO}};
    compare(told(DOCUMENT_TEXT, &pipe), "Title\n"
                                        "said first\n"
                                        "It moved.\n"
                                        "    <b>|`\\x1b[2J\n"
                                        "suspected: It was slow.\n"
                                        "    www.x.org://a@b\n"
                                        "\n"
                                        "Table\n"
                                        "  NAME               FROM → TO   TOOK\n"
                                        "  zk1\n"
                                        "  <b>|`\\x1b[2J       a → b      ≥ 1ms\n"
                                        "    seen\n"
                                        "    team-000/leader  a → b      ≥ 1ms\n"
                                        "    seen\n");
    const struct print_style narrow = {.theme = {.depth = DEPTH_MONO}, .width = 26, .ascii = true};
    char *text = told(DOCUMENT_TEXT, &narrow);
    assert_non_null(strstr(text, "  NAME                TOOK\n"
                                 "  zk1\n"
                                 "  <b>|`\\x1b[2J      >= 1ms\n"
                                 "  a -> b\n"
                                 "    seen\n"
                                 "    team-0..leader  >= 1ms\n"));
    free(text);
    for (int width = 1; width < 40; width++) { /* nothing to see, and no harm */
        const struct print_style any = {.theme = {.depth = DEPTH_MONO}, .width = width};
        free(told(DOCUMENT_TEXT, &any));
    }
}

TEST(markdown_is_a_list_and_a_table)
{
    compare(told(DOCUMENT_MARKDOWN, NULL), "# Title\n"
                                           "\n"
                                           "said first\n"
                                           "\n"
                                           "**It moved.**  \n"
                                           "&lt;b\\>\\|\\`\\\\x1b\\[2J\n"
                                           "\n"
                                           "- *suspected:* It was slow.  \n"
                                           "  www&#46;x.org&#58;//a&#64;b\n"
                                           "\n"
                                           "### Table\n"
                                           "\n"
                                           "| Name | From → to | Took | Proof |\n"
                                           "|---|---|--:|---|\n"
                                           "| **zk1** |\n"
                                           "| ``<b>\\|`\\x1b[2J`` | a → b | ≥ 1ms | seen |\n"
                                           "| `team-000/leader` | a → b | ≥ 1ms | seen |\n");
}

TEST(a_page_folds_a_claim)
{
    char *page = told(DOCUMENT_PAGE, NULL), *head = strstr(page, "<title>"), *main = strstr(page, "<main>");
    assert_memory_equal(head, "<title>Title, said first</title>", 32);
    compare(
        text_copy(main),
        "<main>\n"
        "<details class=\"story\" open=\"open\"><summary><b>It moved.</b></summary>\n"
        "<p class=\"note\"><bdi>&lt;b&gt;|`\\x1b[2J</bdi></p>\n"
        "<ul>\n"
        "<li><i>suspected:</i> It was "
        "slow.<br/><small><bdi>www.<wbr/>x.<wbr/>org:/<wbr/>/<wbr/>a@b</bdi></small></li>\n"
        "</ul></details>\n"
        "<h3>Table</h3>\n"
        "<div class=\"table\"><table>\n"
        "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">From → to</th><th scope=\"col\" "
        "class=\"n\">Took</th></tr></thead>\n"
        "<tbody class=\"pair\"><tr><th scope=\"rowgroup\" class=\"group\" "
        "colspan=\"3\">zk1</th></tr></tbody>\n"
        "<tbody class=\"pair\"><tr><th scope=\"row\" class=\"who\"><bdi>&lt;b&gt;|`\\x1b[2J</bdi></th>"
        "<td class=\"who\">a → b</td><td class=\"n\">≥ 1ms</td></tr>\n"
        "<tr><td></td><td class=\"evidence\" colspan=\"2\"><bdi>seen</bdi></td></tr></tbody>\n"
        "<tbody class=\"pair\"><tr><th scope=\"row\" class=\"inner\"><bdi>team-000/<wbr/>leader</bdi></th>"
        "<td class=\"who\">a → b</td><td class=\"n\">≥ 1ms</td></tr>\n"
        "<tr><td></td><td class=\"evidence\" colspan=\"2\"><bdi>seen</bdi></td></tr></tbody>\n"
        "</table></div>\n"
        "</main>\n<footer>\n</footer>\n</body>\n</html>\n");
    free(page);
}
