#include "probe/case/pseudonyms.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/keys.h"
#include "config/memory.h"
#include "config/text.h"
#include "config/utf8.h"
#include "probe/election/identity.h"
#include "probe/election/recipe.h"
#include "probe/json/buffer.h"

/* Words for kinds of znodes, fields, values and requests, beside those of the recipes and of the configuration. */
static const char plain_words[] =
    "active address addw advertised alnum alpha aurora auto blank broker brokerid built campaign "
    "candidates chec clos closed cntrl com commands compactors conf config configs cons consumers "
    "container count crea data default dele demo descriptors digit dump electop elector enable "
    "endpoint endpoints entries entry envi epoch exis external false features field fields follower "
    "ftp geta getc getd graph groups hostname http https id internal ip isr jmx local localhost "
    "locks lost lower lw map member metadata mntr mode mult multi multiple na namespace namespaces "
    "net never no node none not noti null observer off ok only org participant partition partitions "
    "pbuf ping plaintext port print priority proc process punct qn qnr queue quota rank reader reads "
    "ready reco ref remw replica requests rlock role root rpc ruok semaphores sequence services "
    "serving sess seta setd setw shards simple slot slots space srvr sservers ssl staged standby "
    "start started stat state status stopped svc sync taken task tasks tcp test timestamp token "
    "topic topics true tservers ttl twitter type ucp udp unit up upper uri url utf uuid value values "
    "voter watch wchc wchp wchs weight whitelist word words worker writer xdigit yes za";
/* Texts come again and again, such as the paths of watches: this many of the latest are found with what was made of
 * them, if they are not longer than this. */
#define RECENT_COUNT 32768
#define RECENT_MOST 256
/* Characters. */
#define POD_SUFFIX 5
/* These are separate words within another one, as in ordersElection. */
static const char *const stems[] = {"election", "elector"};

struct word {
    struct hash_link link;
    char *text, *other;
};

struct recent {
    char *text, *made; /* NULL: none */
};

struct pseudonyms {
    struct hash_table known; /* and their pseudonyms: themselves, if they stay */
    struct hash_table taken; /* the pseudonyms in use */
    struct recipe_book *recipes;
    uint64_t session; /* of a known layout, in the text; 0: none */
    uint64_t dice;
    uint32_t hosts; /* IPv6 */
    bool only_known;
    struct buffer out;
    struct recent recent[RECENT_COUNT]; /* by the hash of the text */
};

/* ---- words ---- */

static uint32_t word_hash(const struct hash_link *link)
{
    const char *text = HASH_ENTRY(link, struct word, link)->text;
    return hash_bytes(text, strlen(text), 0);
}

static const char *words_find(const struct hash_table *words, const char *text, size_t length)
{
    struct hash_link *link = hash_table_first(words, hash_bytes(text, length, 0));
    for (; link; link = link->next) {
        const struct word *word = HASH_ENTRY(link, struct word, link);
        if (strncmp(word->text, text, length) == 0 && !word->text[length])
            return word->other;
    }
    return NULL;
}

/* Takes other. */
static void words_add(struct hash_table *words, const char *text, char *other)
{
    struct word *word = xcalloc(1, sizeof *word);
    word->text = xstrdup(text);
    word->other = other;
    hash_table_add(words, &word->link);
}

static void words_free(struct hash_table *words)
{
    for (struct hash_link *link = hash_table_walk(words, NULL), *next; link; link = next) {
        struct word *word = HASH_ENTRY(link, struct word, link);
        next = hash_table_walk(words, link);
        free(word->text);
        free(word->other);
        free(word);
    }
    hash_table_clear(words);
}

/* ---- characters, whatever the locale ---- */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(unsigned char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z');
}

static bool is_word_byte(unsigned char c)
{
    return is_letter(c) || is_digit(c);
}

static char without_case(char c)
{
    return is_upper((unsigned char)c) ? (char)(c | 0x20) : c;
}

static bool is_hex(unsigned char c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* ---- pseudonyms ---- */

static uint32_t pseudonyms_draw(struct pseudonyms *p, uint32_t below)
{
    p->dice = p->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((p->dice >> 33) % below);
}

static bool pseudonyms_take(struct pseudonyms *p, const char *drawn)
{
    if (words_find(&p->taken, drawn, strlen(drawn)))
        return false;
    words_add(&p->taken, drawn, xstrdup(drawn));
    return true;
}

/* A word as long as this one that can be spoken, where there is one left; one of hexadecimal digits stays one, with
 * its letters where they are. malloc'd. */
static char *pseudonyms_word(struct pseudonyms *p, const char *word, size_t length, bool hex)
{
    static const char consonants[] = "bdfghklmnprstvz", vowels[] = "aeiou",
                      all[] = "abcdefghijklmnopqrstuvwxyz";
    char *drawn = NULL;
    size_t most = length;
    for (int turn = 1; turn == 1 || !pseudonyms_take(p, drawn); turn++) {
        most += turn % 500 == 0;
        drawn = xreallocarray(drawn, most + 1, 1);
        for (size_t i = 0; i < most; i++)
            drawn[i] = i < length && is_digit((unsigned char)word[i]) ? (char)('0' + pseudonyms_draw(p, 10))
                       : hex                                          ? all[pseudonyms_draw(p, 6)]
                       : turn > 50                                    ? all[pseudonyms_draw(p, 26)]
                       : i % 2 ? vowels[pseudonyms_draw(p, sizeof vowels - 1)]
                               : consonants[pseudonyms_draw(p, sizeof consonants - 1)];
        drawn[most] = '\0';
    }
    return drawn;
}

/* One word, which has no other inside: letters, or hexadecimal. */
static void put_word(struct pseudonyms *p, const char *text, size_t length)
{
    char *word = xstrndup(text, length);
    bool hex = true;
    for (size_t i = 0; i < length; i++) {
        word[i] = without_case(word[i]);
        hex = hex && is_hex((unsigned char)word[i]);
    }
    const char *other = length == 1 ? word : words_find(&p->known, word, length);
    if (!other && !p->only_known) {
        words_add(&p->known, word, pseudonyms_word(p, word, length, hex));
        other = words_find(&p->known, word, length);
    }
    size_t begin = p->out.length;
    buffer_put_text(&p->out, other ? other : word);
    for (size_t i = 0; i < length; i++)
        if (is_upper((unsigned char)text[i]))
            p->out.bytes[begin + i] = (char)(p->out.bytes[begin + i] & ~0x20);
    free(word);
}

static size_t stem_at(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        size_t k = 0;
        while (k < length && stems[i][k] && without_case(text[k]) == stems[i][k])
            k++;
        if (!stems[i][k])
            return k;
    }
    return 0;
}

static bool is_plain(const struct pseudonyms *p, const char *text, size_t length)
{
    char *word = xstrndup(text, length);
    for (size_t i = 0; i < length; i++)
        word[i] = without_case(word[i]);
    const char *other = words_find(&p->known, word, length);
    bool plain = other && strcmp(other, word) == 0;
    free(word);
    return plain;
}

/* Letters: ordersElection is two words. */
static void put_letters(struct pseudonyms *p, const char *text, size_t length)
{
    bool whole = is_plain(p, text, length);
    while (length > 0) {
        size_t part = whole ? length : stem_at(text, length);
        if (part == 0)
            for (part = 1; part < length && !stem_at(text + part, length - part) &&
                           (is_upper((unsigned char)text[part - 1]) || !is_upper((unsigned char)text[part]));)
                part++;
        put_word(p, text, part);
        text += part;
        length -= part;
    }
}

/* ---- addresses ---- */

/* So often an address of the same length is drawn, and one of the same network. */
#define TURNS_NARROW 20
#define TURNS_SAME 1000
#define TURNS_MOST 10000

/* The length of an IPv4 address, perhaps with dashes (ip-10-0-3-17), that begins here; 0: none. */
static size_t address_length(const char *text, size_t length, unsigned octets[4])
{
    char separator = '\0';
    size_t at = 0;
    for (int i = 0; i < 4; i++) {
        size_t begin = at;
        octets[i] = 0;
        while (at < length && at < begin + 3 && is_digit((unsigned char)text[at]))
            octets[i] = octets[i] * 10 + (unsigned)(text[at++] - '0');
        if (at == begin || octets[i] > 255 || (at > begin + 1 && text[begin] == '0'))
            return 0;
        char next = at < length ? text[at] : '\0';
        if (i == 0)
            separator = next;
        if (i < 3 && ((next != '.' && next != '-') || next != separator))
            return 0;
        at += i < 3;
    }
    bool goes_on =
        at < length && (is_digit((unsigned char)text[at]) ||
                        (text[at] == separator && at + 1 < length && is_digit((unsigned char)text[at + 1])));
    return goes_on ? 0 : at;
}

static unsigned octet_like(struct pseudonyms *p, unsigned octet, bool wide)
{
    if (wide)
        return pseudonyms_draw(p, 256);
    if (octet >= 100)
        return 100 + pseudonyms_draw(p, 156);
    return octet >= 10 ? 10 + pseudonyms_draw(p, 90) : pseudonyms_draw(p, 10);
}

/* An address of a private network stays in it while it has unused ones; any other address becomes one of a
 * range that is not in use on the Internet. malloc'd. */
static char *address_like(struct pseudonyms *p, const unsigned octets[4])
{
    char drawn[20];
    bool same[2] = {octets[0] == 10 || octets[0] == 192 || octets[0] == 172,
                    (octets[0] == 192 && octets[1] == 168) ||
                        (octets[0] == 172 && octets[1] >= 16 && octets[1] <= 31)};
    same[0] = same[0] && (octets[0] == 10 || same[1]);
    for (int turn = 1; turn == 1 || (!pseudonyms_take(p, drawn) && turn < TURNS_MOST); turn++) {
        bool wide = turn > TURNS_NARROW, full = turn > TURNS_SAME;
        unsigned first = same[0] && !full   ? octets[0]
                         : octets[0] >= 100 ? 240 + pseudonyms_draw(p, 10)
                         : octets[0] >= 10  ? 10
                                            : 0;
        snprintf(drawn, sizeof drawn, "%u.%u.%u.%u", first,
                 same[1] && !full ? octets[1] : octet_like(p, octets[1], wide),
                 octet_like(p, octets[2], wide), octet_like(p, octets[3], wide));
    }
    return xstrdup(drawn);
}

/* How many bytes it was; 0: no address begins here. */
static size_t put_address(struct pseudonyms *p, const char *text, size_t length)
{
    unsigned octets[4];
    char plain[20];
    size_t used = address_length(text, length, octets), begin = p->out.length;
    if (used == 0)
        return 0;
    snprintf(plain, sizeof plain, "%u.%u.%u.%u", octets[0], octets[1], octets[2], octets[3]);
    bool stays = octets[0] == 127 || strcmp(plain, "0.0.0.0") == 0 || octets[0] == 255;
    if (!stays && !words_find(&p->known, plain, strlen(plain)))
        words_add(&p->known, plain, address_like(p, octets));
    buffer_put_text(&p->out, stays ? plain : words_find(&p->known, plain, strlen(plain)));
    for (size_t i = begin; memchr(text, '-', used) && i < p->out.length; i++)
        if (p->out.bytes[i] == '.')
            p->out.bytes[i] = '-';
    return used;
}

/* The same for IPv6, in the form in which it was: "2001:db8::1" or with all its parts, as Java prints them. */
static size_t put_long_address(struct pseudonyms *p, const char *text, size_t length)
{
    char plain[INET6_ADDRSTRLEN], number[16];
    struct in6_addr address;
    size_t used = 0, colons = 0;
    for (;
         used < length && used < sizeof plain - 1 && (is_hex((unsigned char)text[used]) || text[used] == ':');
         used++)
        colons += text[used] == ':';
    if (colons < 2)
        return 0;
    for (;; used--) { /* a port may follow */
        snprintf(plain, sizeof plain, "%.*s", (int)used, text);
        if (inet_pton(AF_INET6, plain, &address) == 1)
            break;
        while (used > 0 && text[used - 1] != ':')
            used--;
        if (used == 0)
            return 0;
    }
    if (IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_UNSPECIFIED(&address)) {
        buffer_put(&p->out, text, used);
        return used;
    }
    inet_ntop(AF_INET6, &address, plain, sizeof plain);
    if (!words_find(&p->known, plain, strlen(plain))) {
        snprintf(number, sizeof number, "%u", ++p->hosts);
        words_add(&p->known, plain, xstrdup(number));
    }
    unsigned host = (unsigned)strtoul(words_find(&p->known, plain, strlen(plain)), NULL, 10);
    bool all = true;
    for (size_t i = 1; i < used; i++)
        all = all && (text[i] != ':' || text[i - 1] != ':');
    buffer_printf(&p->out, all ? "fd00:0:0:0:0:0:%x:%x" : "fd00::%x:%x", host >> 16, host & 0xffff);
    return used;
}

/* A GUID identifies its owner only to readers who know it, so it stays. */
static size_t guid_length(const char *text, size_t length)
{
    static const char guid[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
    size_t i = 0;
    while (guid[i] && i < length && (guid[i] == 'h' ? is_hex((unsigned char)text[i]) : text[i] == '-'))
        i++;
    return guid[i] ? 0 : i;
}

/* The length of a hexadecimal number, with digits and letters, or with 0x, that begins here; 0: none. */
static size_t hex_length(const char *text, size_t length)
{
    size_t i = 0, letters = 0, digits = 0;
    size_t begin = length > 2 && text[0] == '0' && text[1] == 'x' ? 2 : 0;
    for (i = begin; i < length && is_hex((unsigned char)text[i]); i++)
        is_digit((unsigned char)text[i]) ? digits++ : letters++;
    bool ends = i == length || !(is_letter((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80);
    return ends && (begin ? i > begin : i >= 8 && letters && digits) ? i : 0;
}

/* The random end of a Kubernetes pod's name ("-x2k9q") that begins here; 0: none. It has no vowels. It is one word:
 * single letters would stay, and identify the pod. */
static size_t pod_suffix_length(const char *text, size_t before, size_t length)
{
    bool mixed = false;
    size_t i = 0;
    for (; i < length && is_word_byte((unsigned char)text[i]); i++) {
        if (i == POD_SUFFIX || !strchr("bcdfghjklmnpqrstvwxz2456789", text[i]))
            return 0;
        mixed |= i > 0 && is_digit((unsigned char)text[i - 1]) && is_letter((unsigned char)text[i]);
    }
    return before > 0 && text[-1] == '-' && i == POD_SUFFIX && mixed ? i : 0;
}

/* A name is not longer, and a stranger's text of one hexadecimal number after another may be. */
#define NAME_MOST 256

/* Hexadecimal of a known layout's name, or of Helix's data: a session, or a GUID without dashes. before: bytes
 * that precede it; after: that follow. */
static bool is_layout_id(const struct pseudonyms *p, const char *text, size_t before, size_t used,
                         size_t after)
{
    size_t begin = 0, end = used;
    while (begin < before && begin < NAME_MOST && !strchr("/\" ", text[-1 - (ptrdiff_t)begin]))
        begin++;
    while (end < used + after && end < used + NAME_MOST && !strchr("/\" ", text[end]))
        end++;
    char *name = xstrndup(text - begin, begin + end);
    uint64_t number = strtoull(name + begin, NULL, 16);
    bool stays = p->session && number == p->session;
    struct candidate_name parts;
    for (size_t i = 0; !stays && i < recipe_book_count(p->recipes); i++)
        if (recipe_parse_name(p->recipes, recipe_book_at(p->recipes, i), name, &parts))
            stays = parts.guid ? parts.guid == name + begin : parts.session && parts.session == number;
    free(name);
    return stays;
}

/* How many bytes it was; 0: no id begins here. */
static size_t put_id(struct pseudonyms *p, const char *text, size_t before, size_t length)
{
    size_t used = guid_length(text, length);
    bool stays = used > 0;
    if (!used && !(used = pod_suffix_length(text, before, length)) && (used = hex_length(text, length)))
        stays = text[1] == 'x' || is_layout_id(p, text, before, used, length - used);
    if (stays)
        buffer_put(&p->out, text, used);
    else if (used)
        put_word(p, text, used);
    return used;
}

/* ---- texts ---- */

/* "Greek", "Uppercase_Letter" */
#define PROPERTY_MOST 24

/* The code of an escaped character, \u00fc of JSON or %C3 of a URL, that begins here, and its bytes; 0: none. */
static size_t escape_length(const char *at, size_t left, unsigned *code)
{
    size_t begin = *at == '%' ? 1 : *at == '\\' && left > 1 && at[1] == 'u' ? 2 : 0, end = begin == 1 ? 3 : 6;
    *code = 0;
    for (size_t i = begin; begin && i < end; i++) {
        if (i == left || !is_hex((unsigned char)at[i]))
            return 0;
        *code =
            *code * 16 + (unsigned)(is_digit((unsigned char)at[i]) ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
    }
    return begin ? end : 0;
}

/* The bytes of the letter that begins here, perhaps escaped; 0: it is none. wide: bytes above 0x7f are letters. */
static size_t letter_length(const char *at, size_t left, bool wide)
{
    unsigned code;
    if (left > 0 && (is_letter((unsigned char)*at) || (wide && (unsigned char)*at >= 0x80)))
        return 1;
    size_t length = left > 0 ? escape_length(at, left, &code) : 0;
    return length && (code >= 0x80 || is_letter((unsigned char)code)) ? length : 0;
}

/* Letters with a zero byte between them, as UTF-16 has them. How many bytes they were; 0: none begin here. */
static size_t put_letters_apart(struct pseudonyms *p, const char *text, size_t length)
{
    char letters[256];
    size_t count = 0, begin = p->out.length;
    while (2 * count < length && count < sizeof letters && is_letter((unsigned char)text[2 * count]) &&
           (count == 0 || !text[2 * count - 1]))
        letters[count] = text[2 * count], count++;
    if (count < 2)
        return 0;
    put_letters(p, letters, count);
    char *made = xstrndup(p->out.bytes + begin, p->out.length - begin);
    p->out.length = begin;
    for (size_t i = 0; made[i]; i++)
        buffer_put(&p->out, i ? "\0" : "", i ? 1 : 0), buffer_put_char(&p->out, made[i]);
    free(made);
    return 2 * count - 1;
}

/* {Greek}, as a pattern names a set of characters; 0: none begins here, or a stranger's text in its place. */
static size_t property_length(const char *at, size_t left)
{
    size_t i = 0;
    if (left == 0 || at[i++] != '{')
        return 0;
    while (i < left && i < PROPERTY_MOST && (is_letter((unsigned char)at[i]) || at[i] == '_' || at[i] == '^'))
        i++;
    return i < left && at[i] == '}' ? i + 1 : 0;
}

/* The same word in all its spellings. */
static void put_escaped(struct pseudonyms *p, const char *text, size_t length)
{
    char *plain = xmalloc(length + 1), character[4];
    size_t count = 0;
    for (size_t i = 0; i < length;) {
        unsigned code;
        size_t used = escape_length(text + i, length - i, &code);
        bool is_byte = text[i] == '%';
        size_t encoded = used && !is_byte ? utf8_encode(code, character) : 0;
        if (encoded)
            memcpy(plain + count, character, encoded);
        else
            plain[count] = used && is_byte ? (char)code : text[i];
        count += encoded ? encoded : 1;
        i += used && (encoded || is_byte) ? used : 1;
    }
    put_letters(p, plain, count);
    free(plain);
}

static void put_text_of(struct pseudonyms *p, const char *text, size_t length, bool wide)
{
    p->session = identity_session(text, length);
    for (size_t i = 0; i < length;) {
        const char *at = text + i;
        size_t left = length - i, used = 0, letter;
        unsigned code;
        bool begins = i == 0 || !is_word_byte((unsigned char)at[-1]), escaped = false;
        bool in_number = i > 1 && (at[-1] == '.' || at[-1] == '-') && is_digit((unsigned char)at[-2]);
        if (begins && !in_number)
            used = put_address(p, at, left);
        if (begins && !used)
            used = put_long_address(p, at, left);
        if (begins && !used)
            used = put_id(p, at, i, left);
        if (!used)
            used = put_letters_apart(p, at, left);
        if (used) {
            i += used;
            continue;
        }
        for (; (letter = letter_length(at + used, left - used, wide)); used += letter)
            escaped |= letter > 1;
        if (escaped) {
            put_escaped(p, at, used);
        } else if (used) {
            put_letters(p, at, used);
        } else {
            used = escape_length(at, left, &code); /* %2F, and \d or \p{Greek} of a pattern */
            used = used ? used : *at == '\\' && left > 1 ? 2 : 1;
            if (used == 2 && (at[1] | 0x20) == 'p')
                used += property_length(at + 2, left - 2);
            buffer_put(&p->out, at, used);
        }
        i += used;
    }
}

static const char *pseudonyms_made(struct pseudonyms *p)
{
    buffer_put_char(&p->out, '\0');
    return p->out.bytes;
}

/* The words of a text that was here before are known: the same is made of it. */
const char *pseudonyms_text(struct pseudonyms *p, const char *text)
{
    size_t length = strlen(text);
    struct recent *recent = &p->recent[hash_bytes(text, length, 0) % RECENT_COUNT];
    if (recent->text && strcmp(recent->text, text) == 0)
        return recent->made;
    buffer_clear(&p->out);
    put_text_of(p, text, length, true);
    const char *made = pseudonyms_made(p);
    if (length <= RECENT_MOST) {
        free(recent->text);
        free(recent->made);
        *recent = (struct recent){xstrndup(text, length), xstrdup(made)};
    }
    return made;
}

/* zk1:2181, /a/b, "orders": but no "four-letter", and no full stop. */
static bool looks_like_a_name(const char *text, size_t length)
{
    while (length > 0 && strchr(".,;:)?", text[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        if (!is_letter((unsigned char)text[i]) && !strchr("('", text[i]))
            return true;
    return false;
}

const char *pseudonyms_sentence(struct pseudonyms *p, const char *text)
{
    buffer_clear(&p->out);
    while (*text) {
        size_t part = strcspn(text, " ");
        p->only_known = !looks_like_a_name(text, part);
        put_text_of(p, text, part, true);
        text += part;
        for (; *text == ' '; text++)
            buffer_put_char(&p->out, ' ');
    }
    p->only_known = false;
    return pseudonyms_made(p);
}

/* ---- a configuration ---- */

/* No key is indented further than this. */
#define COLUMNS 16

/* The key at this column; above: those of the lines around it. NULL: a later version's. */
static const struct key *key_of_line(const char *word, size_t length, size_t column,
                                     const struct key *above[COLUMNS])
{
    const char *parent = "";
    for (size_t i = column; i-- > 0 && !*parent;)
        parent = above[i] ? above[i]->path : "";
    char *path = text_format("%s%s%.*s", parent, *parent ? "." : "", (int)length, word);
    memset(above + column, 0, (COLUMNS - column) * sizeof *above);
    above[column] = key_find(path);
    free(path);
    return above[column];
}

/* Its value may identify a person or a machine: it is not a number, a time, or one of a few words. */
static bool key_identifies(const struct key *key)
{
    static const struct key_type *const types[] = {
        &type_text,      &type_expression, &type_recipe,        &type_path,    &type_pattern,
        &type_path_list, &type_identity,   &type_file,          &type_history, &type_addresses,
        &type_admin,     &type_command,    &type_connect_string};
    for (size_t i = 0; key && i < sizeof types / sizeof *types; i++)
        if (key->type == types[i])
            return true;
    return !key;
}

/* Its numbers count nothing, and may be those of a telephone. */
static bool key_is_prose(const struct key *key)
{
    return key && (strcmp(key->path, "clusters[].elections[].owner") == 0 ||
                   strcmp(key->path, "clusters[].elections[].runbook") == 0);
}

const char *pseudonyms_configuration(struct pseudonyms *p, const char *text)
{
    const struct key *above[COLUMNS] = {NULL};
    buffer_clear(&p->out);
    while (*text) {
        size_t line = strcspn(text, "\n"), column = strspn(text, " -"), end = column;
        end += strcspn(text + end, ":\n[");
        const struct key *key = NULL;
        bool has_key =
            end < line && column < COLUMNS && text[end] == ':' && (end + 1 == line || text[end + 1] == ' ');
        size_t plain = has_key ? end + 1 : 0;
        if (has_key && !key_identifies(key = key_of_line(text + column, end - column, column, above)))
            plain = line;
        buffer_put(&p->out, text, plain);
        size_t begun = p->out.length;
        put_text_of(p, text + plain, line - plain, true);
        for (size_t i = begun; key_is_prose(key) && i < p->out.length; i++)
            if (is_digit((unsigned char)p->out.bytes[i]))
                p->out.bytes[i] = '0';
        text += line;
        if (*text)
            buffer_put_char(&p->out, *text++);
    }
    return pseudonyms_made(p);
}

const void *pseudonyms_data(struct pseudonyms *p, const void *bytes, size_t *length)
{
    buffer_clear(&p->out);
    put_text_of(p, bytes, *length, utf8_valid_length(bytes, *length) == *length);
    *length = p->out.length;
    return pseudonyms_made(p);
}

/* ---- life ---- */

static void keep_words(struct pseudonyms *p, const char *text)
{
    while (text && *text) {
        size_t length = 0;
        while (is_letter((unsigned char)text[length]))
            length++;
        char *word = xstrndup(text, length);
        for (size_t i = 0; i < length; i++)
            word[i] = without_case(word[i]);
        if (length > 1 && !words_find(&p->known, word, length)) {
            words_add(&p->known, word, xstrdup(word));
            words_add(&p->taken, word, xstrdup(word));
        }
        free(word);
        text += length ? length : 1;
    }
}

struct pseudonyms *pseudonyms_new(void)
{
    struct pseudonyms *p = xcalloc(1, sizeof *p);
    char *error;
    p->known.hash_of = p->taken.hash_of = word_hash;
    p->recipes = recipe_book_new(NULL, 0, &error);
    words_add(&p->taken, "0.0.0.0", xstrdup("")); /* which stays */
    keep_words(p, plain_words);
    for (size_t i = 0; i < key_count; i++)
        keep_words(p, keys[i].path);
    for (size_t i = 0; i < recipe_table_count; i++) {
        keep_words(p, recipe_table[i].name);
        keep_words(p, recipe_table[i].candidate);
        keep_words(p, recipe_table[i].path);
        keep_words(p, recipe_table[i].ack);
        keep_words(p, recipe_table[i].members);
    }
    return p;
}

void pseudonyms_free(struct pseudonyms *p)
{
    if (!p)
        return;
    words_free(&p->known);
    words_free(&p->taken);
    for (size_t i = 0; i < RECENT_COUNT; i++) {
        free(p->recent[i].text);
        free(p->recent[i].made);
    }
    recipe_book_free(p->recipes);
    buffer_free(&p->out);
    free(p);
}
