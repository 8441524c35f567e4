/* Spaces and apostrophes always separate thousands. Points and commas do so in some languages and are decimal
 * signs in others; a number alone may be ambiguous: 1,234. */
#include "runner/sources/import/import_numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

/* Thousands separators that are neither point nor comma: space, apostrophe, no-break space, thin space, right
 * quotation mark, narrow no-break space. */
static const char *const separators[] = {" ",           "'", "\xC2\xA0", "\xE2\x80\x89", "\xE2\x80\x99",
                                         "\xE2\x80\xAF"};
static const char SEPARATOR = '\'';

/* Copies the number with each of these as SEPARATOR; false if it has characters that are not of a number. */
static bool plain_text(const char *text, char plain[NUMBER_BYTES])
{
    size_t used = 0;
    bool digit = false;
    while (*text != '\0') {
        size_t length = 0;
        for (size_t i = 0; length == 0 && i < sizeof separators / sizeof separators[0]; i++)
            if (strncmp(text, separators[i], strlen(separators[i])) == 0)
                length = strlen(separators[i]);
        if (used + 1 == NUMBER_BYTES || (length == 0 && strchr("+-.,0123456789eE", *text) == NULL))
            return false;
        digit = digit || isdigit((unsigned char)*text);
        plain[used++] = length > 0 ? SEPARATOR : *text;
        text += length > 0 ? length : 1;
    }
    plain[used] = '\0';
    return digit;
}

/* What a number implies about the decimal sign. */
enum sign_clue {
    NOTHING,
    POINT,
    COMMA,
    EITHER_POINT, /* 1.234: a decimal point, or thousands */
    EITHER_COMMA,
};

static enum sign_clue decimal(char sign)
{
    return sign == '.' ? POINT : COMMA;
}

static enum sign_clue clue_of(const char *text)
{
    char plain[NUMBER_BYTES];
    if (!plain_text(text, plain))
        return NOTHING;
    const char *begin = plain + strspn(plain, "+-");
    const char *end = begin + strcspn(begin, "eE");
    const char *last = NULL;
    size_t of_kind[2] = {0, 0};
    for (const char *at = begin; at < end; at++)
        if (*at == '.' || *at == ',') {
            last = at;
            of_kind[*at == ',']++;
        }
    if (last == NULL)
        return NOTHING;
    char other = *last == '.' ? ',' : '.';
    if (of_kind[0] > 0 && of_kind[1] > 0)
        return decimal(*last);
    if (of_kind[*last == ','] > 1) /* it separates thousands */
        return decimal(other);
    if (*end != '\0' || end - last != 4 || last - begin > 3 || last == begin || *begin == '0' ||
        memchr(begin, SEPARATOR, (size_t)(end - begin)) != NULL)
        return decimal(*last);
    return *last == '.' ? EITHER_POINT : EITHER_COMMA;
}

/* The first number with each clue. */
struct first {
    const char *text;
    int line;
};

static void note(struct first first[EITHER_COMMA + 1], const char *text, int line)
{
    double number;
    enum sign_clue clue = text == NULL ? NOTHING : clue_of(text);
    if ((clue == POINT || clue == COMMA) && !import_number(text, clue == POINT ? '.' : ',', &number))
        return; /* it is no number */
    if (first[clue].text == NULL)
        first[clue] = (struct first){text, line};
}

static enum status ambiguous(const struct import *import, const struct first *number, struct error *error)
{
    error_set(error, STATUS_USAGE,
              "'%.40s' is with thousands separators or a decimal sign, and no other number decides which",
              number->text);
    error_at(error, import->path, number->line);
    error_hint(error, "--columns @decimal=point or --columns @decimal=comma states which it is");
    return STATUS_USAGE;
}

static enum status two_ways(const struct import *import, const struct first *other, const char *sign,
                            const char *why, struct error *error)
{
    error_set(error, STATUS_USAGE, "'%.40s' is not written with a decimal %s, as %s", other->text, sign, why);
    error_at(error, import->path, other->line);
    error_hint(
        error,
        "numbers of one file are written in one way; LC_ALL=C in front of the tool makes it write points");
    return STATUS_USAGE;
}

enum status import_decimal_sign(const struct import *import, char requested, char *sign, struct error *error)
{
    struct first first[EITHER_COMMA + 1] = {{NULL, 0}};
    for (size_t i = 0; i < import->cell_count; i++)
        note(first, import->cells[i].text, import->lines[import->cells[i].line].number);
    for (size_t i = 0; i < import->line_count; i++)
        note(first, import->lines[i].share, import->lines[i].number);
    char why[80];
    snprintf(why, sizeof why, "'%.30s' in line %d is", first[POINT].text == NULL ? "" : first[POINT].text,
             first[POINT].line);
    *sign = requested;
    if (requested == '.' && first[COMMA].text != NULL)
        return two_ways(import, &first[COMMA], "point", "--columns states", error);
    if (requested == ',' && first[POINT].text != NULL)
        return two_ways(import, &first[POINT], "comma", "--columns states", error);
    if (first[POINT].text != NULL && first[COMMA].text != NULL)
        return two_ways(import, &first[COMMA], "point", why, error);
    if (requested != '\0')
        return STATUS_OK;
    *sign = first[COMMA].text != NULL ? ',' : '.';
    if (first[POINT].text == NULL && first[COMMA].text == NULL) {
        if (first[EITHER_COMMA].text != NULL)
            return ambiguous(import, &first[EITHER_COMMA], error);
        if (first[EITHER_POINT].text != NULL && import->groups)
            return ambiguous(import, &first[EITHER_POINT], error);
    }
    return STATUS_OK;
}

bool import_is_number(const char *text)
{
    text += strspn(text, "+-.");
    return isdigit((unsigned char)*text);
}

bool import_number(const char *text, char decimal_sign, double *number)
{
    char plain[NUMBER_BYTES];
    char digits[NUMBER_BYTES];
    size_t used = 0;
    size_t run = 0; /* digits since the last separator */
    char group = '\0';
    if (!plain_text(text, plain))
        return false;
    const char *at = plain;
    if (*at == '-' || *at == '+')
        digits[used++] = *at++;
    for (; *at != '\0' && *at != decimal_sign && strchr("eE", *at) == NULL; at++) {
        if (isdigit((unsigned char)*at)) {
            digits[used++] = *at;
            run++;
            continue;
        }
        /* Three digits stand behind each separator, and up to three before the first. */
        if (strchr("+-", *at) != NULL || run == 0 || run > 3 || (group != '\0' && (run != 3 || group != *at)))
            return false;
        group = *at;
        run = 0;
    }
    if (group != '\0' && run != 3)
        return false;
    for (; *at != '\0'; at++) {
        if (*at != decimal_sign && strchr(".,'", *at) != NULL)
            return false;
        digits[used++] = *at == decimal_sign ? '.' : *at;
    }
    digits[used] = '\0';
    char *end;
    *number = strtod(digits, &end);
    return *end == '\0' && isfinite(*number);
}
