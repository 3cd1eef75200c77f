/*
 * Proves that pseudonyms replace what identifies somebody, the same everywhere, and keep what a diagnosis needs:
 * lengths, numbers, ids, the words of layouts.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "config/memory.h"
#include "probe/case/pseudonyms.h"

#define WORDS 20000

static void test_texts(void **state)
{
    (void)state;
    /* Each with what stays of it: a letter a is any other word's. */
    static const char *const texts[][2] = {
        {"/acme-orders/leader_elect/shard1/election", "/aaaa-aaaaaa/leader_elect/shard1/election"},
        {"zk1.acme.com:2181,ZK2.Acme.com:2181/Chroot", "zk1.aaaa.com:2181,ZK2.Aaaa.com:2181/Aaaaaa"},
        {"_c_2f8c5e21-0a1b-4c1d-9eab-0123456789ab-latch-0000000042",
         "_c_2f8c5e21-0a1b-4c1d-9eab-0123456789ab-latch-0000000042"},
        {"8e20c66800444b29a830c26f95ac6088__rlock__0000000000",
         "8e20c66800444b29a830c26f95ac6088__rlock__0000000000"},
        {"72057795895427087-acme17:8983_solr-n_0000000003",
         "72057795895427087-aaaa17:8983_solr-n_0000000003"},
        {"n_-214748364", "n_-214748364"},
        {"ordersElection acmeLeader SELECTION", "aaaaaaElection aaaaLeader SELECTION"},
        {"http%3A%2F%2Facme%2Fa", "http%3A%2F%2Faaaa%2Fa"},
        {"^acme-(\\d{10})[a-zA-Z]$", "^aaaa-(\\d{10})[a-zA-Z]$"},
        {"^[[:alpha:]]+\\p{Greek}-acme_(\\d+)", "^[[:alpha:]]+\\p{Greek}-aaaa_(\\d+)"},
        {"127.0.0.1:2181 localhost [::1]:2181", "127.0.0.1:2181 localhost [::1]:2181"},
        {"\xc3\xbc"
         "ber",
         "aaaaa"},
        {"", ""},
    };
    struct pseudonyms *p = pseudonyms_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i][0], *stays = texts[i][1], *other = pseudonyms_text(p, text);
        assert_int_equal(strlen(other), strlen(text));
        for (size_t k = 0; text[k]; k++)
            if (text[k] == stays[k])
                assert_true(other[k] == text[k] || text[k] == 'a' || text[k] == 'A');
            else
                assert_true((other[k] & 0x5f) >= 'A' && (other[k] & 0x5f) <= 'Z' &&
                            (other[k] & 0x20) == (stays[k] & 0x20));
        if (strstr(text, "acme"))
            assert_null(strstr(other, "acme"));
        char *first = xstrdup(other);
        assert_string_equal(pseudonyms_text(p, text), first);
        free(first);
    }
    pseudonyms_free(p);
}

/* The same word and address, wherever it is, in every form. */
static void test_the_same_everywhere(void **state)
{
    (void)state;
    struct pseudonyms *p = pseudonyms_new();
    char *word = xstrdup(pseudonyms_text(p, "acme")), *address = xstrdup(pseudonyms_text(p, "10.0.3.17"));
    char *public = xstrdup(pseudonyms_text(p, "52.14.8.190:443"));
    char text[200];
    size_t length;
    assert_int_equal(strncmp(address, "10.", 3), 0);
    assert_int_equal(strncmp(public, "10.", 3), 0);
    assert_non_null(strstr(public, ":443"));
    snprintf(text, sizeof text, "ip-%s.local", address);
    for (char *at = text + 3; at < text + 3 + strlen(address); at++)
        *at = *at == '.' ? '-' : *at;
    assert_string_equal(pseudonyms_text(p, "ip-10-0-3-17.local"), text);
    assert_string_equal(pseudonyms_text(p, "1.2.3.4.5 3.8.0 2026-11-20"), "1.2.3.4.5 3.8.0 2026-11-20");
    assert_string_equal(pseudonyms_text(p, "[2001:db8::7]:2181"), "[fd00::0:1]:2181");
    assert_string_equal(pseudonyms_text(p, "2001:db8:0:0:0:0:0:7:2181 14:03:22"),
                        "fd00:0:0:0:0:0:0:1:2181 14:03:22");
    snprintf(text, sizeof text, "AdminServer on %s:8080 and %s do not answer; set admin.enableServer=true.",
             word, address);
    assert_string_equal(
        pseudonyms_sentence(
            p, "AdminServer on acme:8080 and 10.0.3.17 do not answer; set admin.enableServer=true."),
        text);
    snprintf(text, sizeof text, "clusters:\n  - name: %s\n    hosts: %s:1/%s\n    elections: []\n", word,
             address, word);
    assert_string_equal(pseudonyms_configuration(
                            p, "clusters:\n  - name: acme\n    hosts: 10.0.3.17:1/acme\n    elections: []\n"),
                        text);
    static const char json[] = "{\"host\":\"acme\",\"port\":1}", binary[] = "\xff\0\0\4acme\x80\xfe";
    length = sizeof json - 1;
    snprintf(text, sizeof text, "{\"host\":\"%s\",\"port\":1}", word);
    assert_memory_equal(pseudonyms_data(p, json, &length), text, sizeof json);
    length = sizeof binary - 1;
    const char *other = pseudonyms_data(p, binary, &length);
    assert_int_equal(length, sizeof binary - 1);
    assert_memory_equal(other, binary, 4);
    assert_memory_equal(other + 4, word, 4);
    assert_memory_equal(other + 8, binary + 8, 2);
    length = 0;
    pseudonyms_data(p, NULL, &length);
    assert_int_equal(length, 0);
    free(word);
    free(address);
    free(public);
    pseudonyms_free(p);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two words never have one pseudonym, nor one that a layout's word could be, even where there are more than
 * such words: all of two letters, all addresses of a network. */
static void test_all_are_different(void **state)
{
    (void)state;
    static char *others[WORDS];
    struct pseudonyms *p = pseudonyms_new();
    for (int i = 0; i < WORDS; i++) {
        char text[32];
        if (i < 676)
            snprintf(text, sizeof text, "%c%c", 'a' + i / 26, 'a' + i % 26);
        else if (i < 2000)
            snprintf(text, sizeof text, "10.7.%d.%d", i % 250, i / 250);
        else
            snprintf(text, sizeof text, "q%c%c%c%c", 'a' + i / 17576, 'a' + i / 676 % 26, 'a' + i / 26 % 26,
                     'a' + i % 26);
        others[i] = xstrdup(pseudonyms_text(p, text));
    }
    qsort(others, WORDS, sizeof *others, by_text);
    for (int i = 0; i < WORDS; i++) {
        if (i > 0)
            assert_string_not_equal(others[i - 1], others[i]);
        assert_string_not_equal(others[i], "latch");
    }
    for (int i = 0; i < WORDS; i++)
        free(others[i]);
    pseudonyms_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_the_same_everywhere),
                                       cmocka_unit_test(test_all_are_different)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
