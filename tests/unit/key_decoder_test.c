/*
 * The decoder of terminal input: every form of a key is that key, an unknown sequence is nothing at all, and
 * an incomplete one ends by time and never by a wait.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tui/screen/key_decoder.h"
#include "tui/screen/key_bindings.h"

static struct key_decoder decoder;

static int renew(void **state)
{
    (void)state;
    key_decoder_init(&decoder, 0);
    return 0;
}

/* Feeds the bytes and returns the only key that they are; 0: none. */
static int only_key(const char *bytes, int64_t now_ms)
{
    struct key_press press = {0}, more;
    key_decoder_feed(&decoder, bytes, strlen(bytes), now_ms);
    bool any = key_decoder_next(&decoder, now_ms, &press);
    assert_false(any && key_decoder_next(&decoder, now_ms, &more));
    return any ? press.key : 0;
}

TEST_BETWEEN(knows_every_form_of_a_key, renew, NULL)
{
    static const struct {
        const char *bytes;
        int key;
    } rows[] = {
        {"q", 'q'},
        {"\x15", 0x15},
        {"é", 0xe9},
        {"€", 0x20ac},
        {"😀", 0x1f600},
        {"\r", KEY_CODE_ENTER},
        {"\n", KEY_CODE_ENTER},
        {"\t", '\t'},
        {"\x7f", KEY_CODE_BACKSPACE},
        {"\b", KEY_CODE_BACKSPACE},
        {"\033[A", KEY_CODE_UP},
        {"\033OA", KEY_CODE_UP},
        {"\033[5~", KEY_CODE_PAGE_UP},
        {"\033[1~", KEY_CODE_HOME},
        {"\033OF", KEY_CODE_END},
        {"\033[3~", KEY_CODE_DELETE},
        {"\033[Z", KEY_CODE_BACK_TAB},
        {"\033OP", KEY_CODE_F1},
        {"\033[[A", KEY_CODE_F1},
        {"\033[11~", KEY_CODE_F1},
        {"\033OR", KEY_CODE_F3},
        {"\033[[D", KEY_CODE_F4},
        {"\033[17~", KEY_CODE_F6},
        {"\033[21~", KEY_CODE_F10},
        {"\033OM", KEY_CODE_ENTER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(only_key(rows[i].bytes, 1000), rows[i].key);
        assert_int_equal(key_decoder_wait_ms(&decoder, 1000), -1);
        /* The same a byte at a time. */
        for (size_t at = 0; at + 1 < strlen(rows[i].bytes); at++)
            assert_int_equal(only_key((char[]){rows[i].bytes[at], 0}, 2000), 0);
        assert_int_equal(only_key(rows[i].bytes + strlen(rows[i].bytes) - 1, 2000), rows[i].key);
    }
}

/* Terminfo has the last word about this terminal's own sequences. */
TEST_BETWEEN(takes_keys_from_terminfo, renew, NULL)
{
    key_decoder_define(&decoder, "\033[7$", KEY_CODE_END);
    key_decoder_define(&decoder, "\033Ow", KEY_CODE_HOME);
    key_decoder_define(&decoder, "\033[8~", KEY_CODE_F9);
    key_decoder_define(&decoder, NULL, KEY_CODE_UP);
    key_decoder_define(&decoder, "k", KEY_CODE_DOWN);
    assert_int_equal(only_key("\033Ow", 1000), KEY_CODE_HOME);
    assert_int_equal(only_key("\033[8~", 1000), KEY_CODE_F9);
    assert_int_equal(only_key("k", 1000), 'k');
}

/* Neither the whole nor its letters are a key. */
TEST_BETWEEN(skips_what_it_does_not_know, renew, NULL)
{
    static const char *const rows[] = {
        "\033[1;5Q",
        "\033[99;99;99~",
        "\033Oq",
        "\033[?1;2c",
        "\033[I",
        "\033Pq#0;1\033\\",
        "\033_Gabc\033\\",
        "\033]52;c;YQ==\x18",
        "\xff\xfe\x80",
        "\xc3",
        "\033[<0;10;5m",
        "\033[<32;10;5M",
        "\033[<2;10;5M",
        "\033[<0;0;5M",
        "\033[<0;99999999999999999999;5M",
        "\033[<0;10M",
        "\033[M#!!",
        "\033[M@!!",
        "\033[\x18",
        "\033[12\x1a",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(only_key(rows[i], 1000), 0);
        struct key_press press;
        assert_false(key_decoder_next(&decoder, 9000, &press)); /* the rest of a character ends here */
        assert_int_equal(only_key("q", 9000), 'q');
    }
    char longest[600] = "\033[";
    memset(longest + 2, '1', 590);
    strcat(longest, "A");
    assert_int_equal(only_key(longest, 1000), 0);
    assert_int_equal(only_key("q", 1000), 'q');
}

/* An ESC is the key after a moment; with a letter behind it, it is two keys. */
TEST_BETWEEN(reports_escape_from_a_sequence, renew, NULL)
{
    struct key_press press;
    assert_int_equal(only_key("\033", 1000), 0);
    assert_int_equal(key_decoder_wait_ms(&decoder, 1000), KEY_DECODER_ESCAPE_MS);
    assert_int_equal(key_decoder_wait_ms(&decoder, 1030), KEY_DECODER_ESCAPE_MS - 30);
    assert_false(key_decoder_next(&decoder, 1049, &press));
    assert_true(key_decoder_next(&decoder, 1050, &press));
    assert_int_equal(press.key, KEY_CODE_ESCAPE);
    assert_int_equal(key_decoder_wait_ms(&decoder, 1050), -1);

    key_decoder_feed(&decoder, "\033x", 2, 2000);
    assert_true(key_decoder_next(&decoder, 2000, &press) && press.key == KEY_CODE_ESCAPE);
    assert_true(key_decoder_next(&decoder, 2000, &press) && press.key == 'x');

    assert_int_equal(only_key("\033[", 3000), 0); /* half a sequence */
    assert_int_equal(key_decoder_wait_ms(&decoder, 3000), KEY_DECODER_REST_MS);
    assert_false(key_decoder_next(&decoder, 3000 + KEY_DECODER_REST_MS, &press));
    assert_int_equal(only_key("A", 3500), 'A');

    key_decoder_init(&decoder, 500); /* ESCDELAY, for a slow line */
    assert_int_equal(only_key("\033", 1000), 0);
    assert_int_equal(only_key("[A", 1400), KEY_CODE_UP);
}

TEST_BETWEEN(reads_the_mouse_in_three_protocols, renew, NULL)
{
    static const char *const press_bytes[] = {"\033[<0;10;5M", "\033[32;10;5M", "\033[M *%"};
    static const char *const release_bytes[] = {"\033[<0;10;5m", "\033[35;10;5M", "\033[M#*%"};
    for (int form = 0; form < 3; form++) {
        struct key_press press;
        int64_t now_ms = 10000 * (form + 1);
        key_decoder_feed(&decoder, press_bytes[form], strlen(press_bytes[form]), now_ms);
        assert_true(key_decoder_next(&decoder, now_ms, &press));
        assert_int_equal(press.key, KEY_CODE_CLICK);
        assert_int_equal(press.x, 9);
        assert_int_equal(press.y, 4);
        assert_int_equal(only_key(release_bytes[form], now_ms + 100), 0);
        assert_int_equal(only_key(press_bytes[form], now_ms + 300), KEY_CODE_DOUBLE_CLICK);
        assert_int_equal(only_key(press_bytes[form], now_ms + 400), KEY_CODE_CLICK);
        assert_int_equal(only_key(press_bytes[form], now_ms + 1000), KEY_CODE_CLICK); /* too late for two */
    }
    assert_int_equal(only_key("\033[<64;1;1M", 1000), KEY_CODE_WHEEL_UP);
    assert_int_equal(only_key("\033[<65;1;1M", 1000), KEY_CODE_WHEEL_DOWN);
    assert_int_equal(only_key("\033[<16;7;7M", 1000), KEY_CODE_CLICK); /* with Ctrl */
}

/* A paste is text: no character of it is a command, whatever is in it. */
TEST_BETWEEN(keeps_a_paste_apart, renew, NULL)
{
    struct key_press press;
    const char *paste = "\033[200~q\r\033[A\033x\033[M\033]11;x\a\x03é\033[201~w";
    char text[16] = "";
    key_decoder_feed(&decoder, paste, strlen(paste), 1000);
    while (key_decoder_next(&decoder, 1000, &press) && press.pasted)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c", press.key == 0xe9 ? 'e' : press.key);
    assert_string_equal(text, "qxe");
    assert_int_equal(press.key, 'w');
    assert_false(press.pasted);

    /* Where its end is lost keys are keys again after a while. */
    key_decoder_feed(&decoder, "\033[200~a", 7, 2000);
    assert_true(key_decoder_next(&decoder, 2000, &press) && press.pasted);
    assert_false(key_decoder_next(&decoder, 2000 + KEY_DECODER_PASTE_MS, &press));
    assert_int_equal(only_key("q", 9000), 'q');
    assert_int_equal(key_decoder_wait_ms(&decoder, 9000), -1);
}

TEST_BETWEEN(hands_over_an_answer, renew, NULL)
{
    assert_int_equal(only_key("\033]11;rgb:ffff/fafa/e0e0\033\\", 1000), KEY_CODE_ANSWER);
    assert_string_equal(key_decoder_answer(&decoder), "11;rgb:ffff/fafa/e0e0");
    assert_int_equal(only_key("\033]11;rgb:1/2/3\a", 1000), KEY_CODE_ANSWER);
    assert_string_equal(key_decoder_answer(&decoder), "11;rgb:1/2/3");
    /* One that breaks off does not swallow the key behind it. */
    assert_int_equal(only_key("\033]11;rgb\033[A", 1000), KEY_CODE_UP);
}

/* It takes what fits, and the rest later. */
TEST_BETWEEN(is_bounded, renew, NULL)
{
    char many[KEY_DECODER_BYTES + 100];
    struct key_press press;
    memset(many, 'j', sizeof many);
    assert_int_equal(key_decoder_room(&decoder), KEY_DECODER_BYTES);
    key_decoder_feed(&decoder, many, sizeof many, 1000);
    assert_int_equal(key_decoder_room(&decoder), 0);
    assert_int_equal(key_decoder_wait_ms(&decoder, 1000), 0);
    for (int i = 0; i < KEY_DECODER_BYTES; i++)
        assert_true(key_decoder_next(&decoder, 1000, &press) && press.key == 'j');
    assert_false(key_decoder_next(&decoder, 1000, &press));
}
