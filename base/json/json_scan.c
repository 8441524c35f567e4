#include "base/json/json_scan.h"

#include "base/text/visible.h"

#include <stdint.h>
#include <string.h>

/* Numbers that every reader accepts: DIGITS for a whole number, LONGEST characters for any other. A double
 * holds whole numbers of EXACT digits and DECIMALS powers of ten exactly, so that one division gives the
 * nearest number. */
enum { DEEPEST = 40, DIGITS = 18, LONGEST = 40, EXPONENT_DIGITS = 2, EXACT = 15, DECIMALS = 22 };

struct scan {
    const char *at, *end;
    unsigned depth;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\t' || *scan->at == '\r'))
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

/* Appends the next digits to the number; returns their count. */
static size_t take_digits(struct scan *scan, uint64_t *number)
{
    const char *start = scan->at;
    for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++)
        *number = *number * 10 + (uint64_t)(*scan->at - '0');
    return (size_t)(scan->at - start);
}

/* NULL if the number is not exact. */
static json_t *build_number(bool negative, uint64_t digits, size_t whole, size_t decimals)
{
    static const double powers[DECIMALS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (whole + decimals > EXACT)
        return NULL;
    if (decimals == 0)
        return json_integer(negative ? -(json_int_t)digits : (json_int_t)digits);
    double value = (double)digits / powers[decimals];
    return json_real(negative ? -value : value);
}

/* '0' for a whole number, '.' for any other, '\0' for none. *built is not set if it is not exact. */
static char take_number(struct scan *scan, json_t **built)
{
    const char *start = scan->at;
    bool negative = *scan->at == '-';
    uint64_t number = 0, unused = 0;
    scan->at += negative;
    bool zero = scan->at < scan->end && *scan->at == '0';
    size_t whole = take_digits(scan, &number), decimals = 0, exponent = 0;
    char kind = '0';
    if (whole == 0 || (zero && whole > 1) || whole > DIGITS)
        return '\0';
    if (scan->at < scan->end && *scan->at == '.') {
        scan->at++;
        decimals = take_digits(scan, &number);
        kind = decimals == 0 ? '\0' : '.';
    }
    if (kind != '\0' && scan->at < scan->end && (*scan->at == 'e' || *scan->at == 'E')) {
        scan->at++;
        scan->at += scan->at < scan->end && (*scan->at == '+' || *scan->at == '-');
        exponent = take_digits(scan, &unused);
        kind = exponent == 0 || exponent > EXPONENT_DIGITS ? '\0' : '.';
    }
    if (scan->at - start > LONGEST)
        return '\0';
    if (built != NULL && kind != '\0' && exponent == 0)
        *built = build_number(negative, number, whole, decimals);
    return kind;
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

/* Reads parts separated by commas, up to the closing mark. */
static bool take_parts(struct scan *scan, char closing, bool (*part)(struct scan *scan, void *whole),
                       void *whole)
{
    bool good = ++scan->depth <= DEEPEST;
    if (good && !take(scan, closing)) {
        do {
            good = part(scan, whole);
        } while (good && take(scan, ','));
        good = good && take(scan, closing);
    }
    scan->depth--;
    return good;
}

static bool take_member(struct scan *scan, void *members);
static bool build_member(struct scan *scan, void *object);
static bool take_element(struct scan *scan, void *unused);
static bool build_element(struct scan *scan, void *array);

/* An object or an array, after its opening mark. */
static bool take_whole(struct scan *scan, bool object, json_t **built)
{
    struct json_members inner;
    if (built == NULL && object) {
        inner.count = 0;
        return take_parts(scan, '}', take_member, &inner);
    }
    if (built == NULL)
        return take_parts(scan, ']', take_element, NULL);
    *built = object ? json_object() : json_array();
    return take_parts(scan, object ? '}' : ']', object ? build_member : build_element, *built);
}

static json_t *build_word(char kind)
{
    return kind == 't' ? json_true() : kind == 'f' ? json_false() : json_null();
}

/* The value's kind; '\0' if it is not certain. value and size exclude a string's quotes. built: NULL, or
 * receives the value as a document (NULL if it cannot be built). */
static char take_value(struct scan *scan, struct json_member *member, json_t **built)
{
    skip_blanks(scan);
    if (scan->at == scan->end)
        return '\0';
    member->value = scan->at;
    member->plain = false;
    char kind = *scan->at;
    bool quoted = kind == '"', good = true;
    if (quoted) {
        scan->at++;
        good = take_string(scan, &member->plain);
        if (good && member->plain && built != NULL)
            *built = json_stringn_nocheck(member->value + 1, (size_t)(scan->at - member->value) - 2);
    } else if (kind == '{' || kind == '[') {
        scan->at++;
        good = take_whole(scan, kind == '{', built);
    } else if (kind == '-' || (kind >= '0' && kind <= '9')) {
        kind = take_number(scan, built);
    } else {
        kind = take_word(scan);
        if (kind != '\0' && built != NULL)
            *built = build_word(kind);
    }
    member->size = (size_t)(scan->at - member->value) - (quoted ? 2 : 0);
    member->value += quoted;
    return good ? kind : '\0';
}

static bool take_key(struct scan *scan, struct json_member *member)
{
    bool plain;
    if (!take(scan, '"'))
        return false;
    member->key = scan->at;
    if (!take_string(scan, &plain) || !plain)
        return false;
    member->key_size = (size_t)(scan->at - member->key) - 1;
    return take(scan, ':');
}

static bool has_key(const struct json_members *members, const struct json_member *member)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->items[i].key_size == member->key_size &&
            memcmp(members->items[i].key, member->key, member->key_size) == 0)
            return true;
    return false;
}

static bool take_member(struct scan *scan, void *whole)
{
    struct json_members *members = whole;
    if (members->count == JSON_SCAN_MEMBERS)
        return false;
    struct json_member *member = &members->items[members->count];
    if (!take_key(scan, member) || has_key(members, member))
        return false;
    member->kind = take_value(scan, member, NULL);
    members->count++;
    return member->kind != '\0';
}

static bool take_element(struct scan *scan, void *unused)
{
    struct json_member element;
    (void)unused;
    return take_value(scan, &element, NULL) != '\0';
}

static bool build_element(struct scan *scan, void *array)
{
    struct json_member element;
    json_t *built = NULL;
    if (take_value(scan, &element, &built) != '\0')
        return json_array_append_new(array, built) == 0;
    json_decref(built);
    return false;
}

static bool build_member(struct scan *scan, void *object)
{
    struct json_member member;
    json_t *built = NULL;
    size_t before = json_object_size(object);
    if (take_key(scan, &member) && take_value(scan, &member, &built) != '\0')
        return json_object_setn_new_nocheck(object, member.key, member.key_size, built) == 0 &&
               json_object_size(object) > before;
    json_decref(built);
    return false;
}

bool json_scan(const char *text, size_t size, struct json_members *members)
{
    struct scan scan = {.at = text, .end = text + size};
    members->count = 0;
    if (!take(&scan, '{') || !take_parts(&scan, '}', take_member, members))
        return false;
    skip_blanks(&scan);
    return scan.at == scan.end;
}

json_t *json_quick(const char *text, size_t size)
{
    struct scan scan = {.at = text, .end = text + size};
    struct json_member whole;
    json_t *document = NULL;
    bool good = take_value(&scan, &whole, &document) != '\0';
    skip_blanks(&scan);
    if (good && scan.at == scan.end)
        return document;
    json_decref(document);
    return NULL;
}
