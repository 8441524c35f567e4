#include "base/json/json_scan.h"

#include "base/text/visible.h"

#include <string.h>

/* Numbers that every reader accepts: DIGITS for a whole number, LONGEST characters for any other. */
enum { DEEPEST = 24, DIGITS = 18, LONGEST = 40, EXPONENT_DIGITS = 2 };

struct scan {
    const char *at, *end;
    unsigned depth;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
        scan->at++;
}

static bool take(struct scan *scan, char mark)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != mark)
        return false;
    scan->at++;
    return true;
}

/* Characters beyond ASCII, in UTF-8. */
static bool take_character(struct scan *scan)
{
    char escape[VISIBLE_ESCAPE_BYTES];
    scan->at += visible_next(scan->at, (size_t)(scan->end - scan->at), escape);
    return escape[0] == '\0' || escape[1] == 'u';
}

/* After an opening quote; skips the text and the closing quote. */
static bool take_string(struct scan *scan, bool *plain)
{
    *plain = true;
    while (scan->at < scan->end) {
        unsigned char c = (unsigned char)*scan->at;
        if (c == '"') {
            scan->at++;
            return true;
        }
        if (c == '\\') { /* \u has rules of its own */
            if (scan->end - scan->at < 2 || scan->at[1] == '\0' || strchr("\"\\/bfnrt", scan->at[1]) == NULL)
                return false;
            *plain = false;
            scan->at += 2;
        } else if (c < ' ') {
            return false;
        } else if (c < 0x80) {
            scan->at++;
        } else if (!take_character(scan)) {
            return false;
        }
    }
    return false;
}

static size_t take_digits(struct scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return (size_t)(scan->at - start);
}

/* '0' for a whole number, '.' for any other, '\0' for none. */
static char take_number(struct scan *scan)
{
    const char *start = scan->at;
    scan->at += *scan->at == '-';
    bool zero = scan->at < scan->end && *scan->at == '0';
    size_t whole = take_digits(scan);
    char kind = '0';
    if (whole == 0 || (zero && whole > 1) || whole > DIGITS)
        return '\0';
    if (scan->at < scan->end && *scan->at == '.') {
        scan->at++;
        kind = take_digits(scan) == 0 ? '\0' : '.';
    }
    if (kind != '\0' && scan->at < scan->end && (*scan->at == 'e' || *scan->at == 'E')) {
        scan->at++;
        scan->at += scan->at < scan->end && (*scan->at == '+' || *scan->at == '-');
        size_t digits = take_digits(scan);
        kind = digits == 0 || digits > EXPONENT_DIGITS ? '\0' : '.';
    }
    return scan->at - start > LONGEST ? '\0' : kind;
}

static char take_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, words[i], length) != 0)
            continue;
        scan->at += length;
        return words[i][0];
    }
    return '\0';
}

static bool take_object(struct scan *scan, struct json_members *members);

static bool take_array(struct scan *scan);

/* The value's kind; '\0' if it is not certain. value and size exclude a string's quotes. */
static char take_value(struct scan *scan, struct json_member *member)
{
    skip_blanks(scan);
    if (scan->at == scan->end)
        return '\0';
    member->value = scan->at;
    member->plain = false;
    char kind = *scan->at;
    if (kind == '"' || kind == '{' || kind == '[') {
        struct json_members inner;
        scan->at++;
        bool good = kind == '"'   ? take_string(scan, &member->plain)
                    : kind == '{' ? take_object(scan, &inner)
                                  : take_array(scan);
        if (!good)
            return '\0';
    } else {
        kind = kind == '-' || (kind >= '0' && kind <= '9') ? take_number(scan) : take_word(scan);
    }
    bool quoted = kind == '"';
    member->size = (size_t)(scan->at - member->value) - (quoted ? 2 : 0);
    member->value += quoted;
    return kind;
}

static bool has_key(const struct json_members *members, const struct json_member *member)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->items[i].key_size == member->key_size &&
            memcmp(members->items[i].key, member->key, member->key_size) == 0)
            return true;
    return false;
}

static bool take_member(struct scan *scan, struct json_members *members)
{
    bool plain;
    if (members->count == JSON_SCAN_MEMBERS || !take(scan, '"'))
        return false;
    struct json_member *member = &members->items[members->count];
    member->key = scan->at;
    if (!take_string(scan, &plain) || !plain)
        return false;
    member->key_size = (size_t)(scan->at - member->key) - 1;
    if (has_key(members, member) || !take(scan, ':'))
        return false;
    member->kind = take_value(scan, member);
    members->count++;
    return member->kind != '\0';
}

static bool take_object(struct scan *scan, struct json_members *members)
{
    members->count = 0;
    if (++scan->depth > DEEPEST)
        return false;
    bool good = true;
    if (!take(scan, '}')) {
        do {
            good = take_member(scan, members);
        } while (good && take(scan, ','));
        good = good && take(scan, '}');
    }
    scan->depth--;
    return good;
}

static bool take_array(struct scan *scan)
{
    if (++scan->depth > DEEPEST)
        return false;
    bool good = true;
    if (!take(scan, ']')) {
        do {
            struct json_member element;
            good = take_value(scan, &element) != '\0';
        } while (good && take(scan, ','));
        good = good && take(scan, ']');
    }
    scan->depth--;
    return good;
}

bool json_scan(const char *text, size_t size, struct json_members *members)
{
    struct scan scan = {.at = text, .end = text + size};
    if (!take(&scan, '{') || !take_object(&scan, members))
        return false;
    skip_blanks(&scan);
    return scan.at == scan.end;
}
