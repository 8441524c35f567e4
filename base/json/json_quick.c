#include "base/json/json_quick.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A double holds whole numbers of DIGITS digits and DECIMALS powers of ten exactly, so that one division
 * gives the nearest number. */
enum { DEEPEST = 40, NAME_BYTES = 128, DIGITS = 15, DECIMALS = 22 };

struct quick_reading {
    const char *at, *end;
    unsigned depth;
};

static json_t *read_value(struct quick_reading *reading);

/* Skips blanks and the mark. False if something else follows. */
static inline bool take(struct quick_reading *reading, char mark)
{
    while (reading->at < reading->end && (*reading->at == ' ' || *reading->at == '\n'))
        reading->at++;
    if (reading->at == reading->end || *reading->at != mark)
        return false;
    reading->at++;
    return true;
}

/* After an opening quote: returns the text and skips the closing quote. NULL if the text is not plain. */
static const char *take_plain(struct quick_reading *reading, size_t *size)
{
    const char *start = reading->at;
    const char *at = start;
    while (at < reading->end && *at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
        at++;
    if (at == reading->end || *at != '"')
        return NULL;
    *size = (size_t)(at - start);
    reading->at = at + 1;
    return start;
}

static json_t *read_string(struct quick_reading *reading)
{
    size_t size;
    const char *text = take_plain(reading, &size);
    return text == NULL ? NULL : json_stringn_nocheck(text, size);
}

static inline unsigned digit(const struct quick_reading *reading)
{
    return reading->at < reading->end ? (unsigned)(*reading->at - '0') : UINT32_MAX;
}

/* Appends the next digits to the number; returns their count. */
static unsigned take_digits(struct quick_reading *reading, uint64_t *number)
{
    const char *start = reading->at;
    for (; digit(reading) < 10; reading->at++)
        *number = *number * 10 + digit(reading);
    return (unsigned)(reading->at - start);
}

static json_t *read_number(struct quick_reading *reading)
{
    static const double powers[DECIMALS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = *reading->at == '-';
    uint64_t number = 0;
    reading->at += negative;
    bool zero = digit(reading) == 0;
    unsigned whole = take_digits(reading, &number);
    unsigned decimals = 0;
    bool point = whole > 0 && reading->at < reading->end && *reading->at == '.';
    if (point) {
        reading->at++;
        decimals = take_digits(reading, &number);
    }
    bool more = reading->at < reading->end && (*reading->at == 'e' || *reading->at == 'E');
    if (whole == 0 || (zero && whole > 1) || (point && decimals == 0) || more || whole + decimals > DIGITS)
        return NULL;
    if (!point)
        return json_integer(negative ? -(json_int_t)number : (json_int_t)number);
    double value = (double)number / powers[decimals];
    return json_real(negative ? -value : value);
}

static bool read_member(struct quick_reading *reading, json_t *object)
{
    char name[NAME_BYTES];
    size_t size;
    const char *text = take(reading, '"') ? take_plain(reading, &size) : NULL;
    if (text == NULL || size >= sizeof name || !take(reading, ':'))
        return false;
    memcpy(name, text, size);
    name[size] = '\0';
    size_t before = json_object_size(object);
    return json_object_set_new_nocheck(object, name, read_value(reading)) == 0 &&
           json_object_size(object) > before;
}

static bool read_element(struct quick_reading *reading, json_t *array)
{
    return json_array_append_new(array, read_value(reading)) == 0;
}

/* Reads parts separated by commas, up to the closing mark. */
static json_t *read_parts(struct quick_reading *reading, json_t *whole, char closing,
                          bool (*read)(struct quick_reading *reading, json_t *whole))
{
    bool good = ++reading->depth <= DEEPEST;
    if (good && !take(reading, closing)) {
        do {
            good = read(reading, whole);
        } while (good && take(reading, ','));
        good = good && take(reading, closing);
    }
    reading->depth--;
    if (good)
        return whole;
    json_decref(whole);
    return NULL;
}

static bool take_word(struct quick_reading *reading, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reading->end - reading->at) < length || memcmp(reading->at, word, length) != 0)
        return false;
    reading->at += length;
    return true;
}

static json_t *read_value(struct quick_reading *reading)
{
    if (take(reading, '"'))
        return read_string(reading);
    if (reading->at == reading->end)
        return NULL;
    if (*reading->at == '-' || digit(reading) < 10)
        return read_number(reading);
    if (take(reading, '{'))
        return read_parts(reading, json_object(), '}', read_member);
    if (take(reading, '['))
        return read_parts(reading, json_array(), ']', read_element);
    if (take_word(reading, "true"))
        return json_true();
    if (take_word(reading, "null"))
        return json_null();
    return take_word(reading, "false") ? json_false() : NULL;
}

json_t *json_quick(const char *text, size_t size)
{
    struct quick_reading reading = {.at = text, .end = text + size};
    if (!take(&reading, '{'))
        return NULL;
    json_t *document = read_parts(&reading, json_object(), '}', read_member);
    while (document != NULL && reading.at < reading.end && *reading.at == '\n')
        reading.at++;
    if (document == NULL || reading.at == reading.end)
        return document;
    json_decref(document);
    return NULL;
}
