/*
 * Proves that pseudonyms replace what identifies somebody, the same everywhere, and keep what a diagnosis needs:
 * lengths, numbers, ids, the words of layouts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/settings.h"
#include "config/text.h"
#include "config/yaml.h"
#include "probe/case/pseudonyms.h"
#include "tests/support/test.h"

#define WORDS 20000
#define ADDRESSES 65536

TEST(test_texts)
{
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
        {"ledger-0-x2 acme-srv42", "aaaaaa-0-x2 aaaa-aaa42"},
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

/* The random end of a pod's name: none of it stays where it was, as its single letters would. */
TEST(test_pods)
{
    static const char *const ends[] = {"x2k9q", "q4r8w", "7hmzd", "b9tzs"};
    struct pseudonyms *p = pseudonyms_new();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[64], other[64];
        snprintf(name, sizeof name, "payments-7d9f8b6c54-%s:8080", ends[i]);
        snprintf(other, sizeof other, "%s", pseudonyms_text(p, name));
        for (size_t k = strcspn(name, "-") + 12; name[k] != ':'; k++)
            assert_true((other[k] >= '0' && other[k] <= '9') || other[k] != name[k]);
        assert_null(strstr(other, ends[i]));
        snprintf(name, sizeof name, "/locks/payments-7d9f8b6c54-%s", ends[i]);
        assert_memory_equal(strstr(pseudonyms_text(p, name), "-"), strstr(other, "-"), 17);
    }
    pseudonyms_free(p);
}

/* The same word and address, wherever it is, in every form. */
TEST(test_the_same_everywhere)
{
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

/* A name has one pseudonym in all its spellings: escaped as JSON or a URL does, or in UTF-16. */
TEST(test_other_spellings)
{
    static const char *const spelt[][2] = {{"M\\u00fcller", "Müller"},
                                           {"\\u738b\\u5c0f\\u660e", "王小明"},
                                           {"M%C3%BCller", "Müller"},
                                           {"%61%63me", "acme"}};
    static const char *const stays[] = {"a\\u003db", "http%3A%2F%2F", "\\d\\u"};
    static const char wide[] = "\xff\xfe"
                               "a\0c\0m\0e\0-\0Z\0\x07\0l\0a\0t\0c\0h";
    struct pseudonyms *p = pseudonyms_new();
    for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++) {
        char *plain = xstrdup(pseudonyms_text(p, spelt[i][1]));
        assert_string_not_equal(plain, spelt[i][1]);
        assert_string_equal(pseudonyms_text(p, spelt[i][0]), plain);
        free(plain);
    }
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
        assert_string_equal(pseudonyms_text(p, stays[i]), stays[i]);
    char *word = xstrdup(pseudonyms_text(p, "acme"));
    size_t length = sizeof wide - 1;
    const char *other = pseudonyms_data(p, wide, &length);
    assert_int_equal(length, sizeof wide - 1);
    for (size_t i = 0; i < length; i++)
        assert_int_equal(other[i], i >= 2 && i < 10 && i % 2 == 0 ? word[i / 2 - 1] : wide[i]);
    free(word);
    pseudonyms_free(p);
}

/* Two words never have one pseudonym, nor one that a layout's word could be, even where there are more than
 * such words: all of two letters, all addresses of a network. */
TEST(test_all_are_different)
{
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
    qsort(others, WORDS, sizeof *others, text_compare);
    for (int i = 0; i < WORDS; i++) {
        if (i > 0)
            assert_string_not_equal(others[i - 1], others[i]);
        assert_string_not_equal(others[i], "latch");
    }
    for (int i = 0; i < WORDS; i++)
        free(others[i]);
    pseudonyms_free(p);
}

/* All addresses of a private network: each gets its own, which is of that network, but for the last few. */
TEST(test_a_full_network)
{
    static bool taken[ADDRESSES];
    struct pseudonyms *p = pseudonyms_new();
    int elsewhere = 0;
    for (int i = 0; i < ADDRESSES; i++) {
        char text[32];
        unsigned third, fourth;
        snprintf(text, sizeof text, "192.168.%d.%d", i / 256, i % 256);
        const char *other = pseudonyms_text(p, text);
        if (sscanf(other, "192.168.%u.%u", &third, &fourth) != 2) {
            assert_memory_equal(other, "24", 2);
            elsewhere++;
            continue;
        }
        assert_true(third < 256 && fourth < 256 && !taken[third * 256 + fourth]);
        taken[third * 256 + fourth] = true;
    }
    assert_true(elsewhere < ADDRESSES / 100);
    pseudonyms_free(p);
}

static bool is_hexadecimal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Ids that name no machine stay; other hexadecimal becomes other hexadecimal of the same length. */
TEST(test_hexadecimal)
{
    static const char *const stays[] = {
        "2f8c5e21-0a1b-4c1d-9eab-0123456789ab",
        "0x10000ab12cd0003 0xdeadbeef",
        "x-010000ab12cd0003-0000000001",
        "candidate-10000ab12cd0003_0000000001",
        "candidate-0x10000ab12cd0003_0000000001",
        "_c_8e20c66800444b29a830c26f95ac6088-lock-0000000000",
        "auto never off none sequence true false",
        "{\"SESSION_ID\":\"100002effa50017\"}",
        "{\"port\": 1, \"sessionId\": \"100002effa50018\"}",
        "read-8e20c66800444b29a830c26f95ac6088-0000000000",
    };
    static const char *const replaced[] = {"4c01db0b339c", "8e20c66800444b29a830c26f95ac6088",
                                           "x-4c01db0b339c-0000000001"};
    struct pseudonyms *p = pseudonyms_new();
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
        assert_string_equal(pseudonyms_text(p, stays[i]), stays[i]);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        const char *other = pseudonyms_text(p, replaced[i]);
        size_t begin = replaced[i][0] == 'x' ? 2 : 0, length = strcspn(replaced[i] + begin, "-");
        assert_int_equal(strlen(other), strlen(replaced[i]));
        assert_memory_not_equal(other + begin, replaced[i] + begin, length);
        for (size_t k = begin; k < begin + length; k++)
            assert_true(is_hexadecimal(other[k]));
        assert_string_equal(other + begin + length, replaced[i] + begin + length);
    }
    char *host = xstrdup(pseudonyms_text(p, "4c01db0b339c")), *both = text_format("%s:2181", host);
    assert_string_equal(pseudonyms_text(p, "4c01db0b339c:2181"), both);
    free(host);
    free(both);
    pseudonyms_free(p);
}

/* Numbers without end are no name, of which each would be looked at with all of the others. */
TEST(test_many_numbers)
{
    struct text text = {0};
    for (unsigned i = 0; i < 22000; i++)
        text_printf(&text, "%05ua%03u,", i, i % 1000);
    char *numbers = text_take(&text);
    struct pseudonyms *p = pseudonyms_new();
    assert_int_equal(strlen(pseudonyms_text(p, numbers)), strlen(numbers));
    pseudonyms_free(p);
    free(numbers);
}

static struct settings *settings_of_text(const char *text)
{
    struct problems problems = {.file = "f"};
    struct settings *settings = settings_new();
    settings_read(settings, NULL, text, strlen(text), &problems);
    char *errors = problems_take(&problems);
    assert_string_equal(errors, "");
    free(errors);
    return settings;
}

/* A configuration with pseudonyms can be read, and differs in names alone. */
TEST(test_a_configuration)
{
    static const char text[] =
        "clusters:\n"
        "  - name: acme\n"
        "    hosts: zk1.acme.com:2181,zk2:2182/acme\n"
        "    session_timeout: 12s\n"
        "    tls: {ca: /acme/client, verify: ca, min_version: '1.3', admin: https}\n"
        "    servers: {addresses: ['zk1.acme.com:2181'], admin: 8081, four_letter: off, every: 7s}\n"
        "    elections:\n"
        "      - path: /acme/*/leader\n"
        "        kind: leader\n"
        "        recipe: acme\n"
        "        acknowledgement: /acme/leader\n"
        "        identity: registry:/acme\n"
        "        inject: never\n"
        "        owner: acme, acme-0\n"
        "        runbook: https://acme.com/?a=0#b\n"
        "        allow: {vacancy: 3m, failover: 250ms, silent: 70%, leader_changes: 5 in 2h,\n"
        "                session_timeout: 2s to 1m}\n"
        "recipes:\n"
        "  - {name: acme, family: hybrid, candidate: '^acme-(\\d{10})$', watches: children}\n"
        "  - {name: acme2, family: lock, watches: unknown}\n"
        "discover: {roots: [/acme, /acme2], depth: 4, every: 2h, rate: 77/s}\n"
        "inject: {sandbox: /acme, sessions: 7, creates: 8/s, stop_above_ping: 123ms}\n"
        "history: {file: /acme/config, keep: 9d, unpack: 8GB, observations: 36h}\n"
        "screen: {theme: mono, ascii: true, utc: true, refresh: 99ms}\n"
        "keys: {mute: M, explain: F5}\n";
    struct pseudonyms *p = pseudonyms_new();
    struct settings *settings = settings_of_text(text);
    char *whole = settings_print_shared(settings), *renamed = xstrdup(pseudonyms_configuration(p, whole));
    assert_null(strstr(renamed, "acme"));
    struct settings *again = settings_of_text(renamed);
    char *loaded = settings_print_shared(again);
    assert_string_equal(loaded, renamed);
    const char said[] = "\\p{Kunigunde of Acme, 12}";
    size_t length = sizeof said - 1;
    assert_null(strstr(pseudonyms_data(p, said, &length), "Kunigunde"));
    /* The names of a certificate are quoted, and may have letters only. */
    assert_null(
        strstr(pseudonyms_sentence(p, "the certificate of zk1:2181 is for \"gatekeeper\", not for \"zk1\""),
               "gatekeeper"));
    const char *prose =
        pseudonyms_configuration(p, "clusters:\n  - elections:\n      - owner: acme +49 30 1234\n"
                                    "        runbook: https://acme/31\n");
    assert_non_null(strstr(prose, "owner: "));
    assert_null(strpbrk(prose, "1234"));
    char *name = xstrdup(pseudonyms_text(p, "acme"));
    for (char *at = strstr(renamed, name); at; at = strstr(at, name))
        memcpy(at, "acme", 4);
    assert_string_equal(renamed, whole);
    free(name);
    free(loaded);
    settings_free(again);
    free(renamed);
    free(whole);
    settings_free(settings);
    pseudonyms_free(p);
}
