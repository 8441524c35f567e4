#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    unsigned shift;
};

static const struct unit units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}, {"", 0}};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

bool units_parse_size(const char *text, uint64_t *bytes)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(end, units[i].name) != 0)
            continue;
        if (number > (UINT64_MAX >> units[i].shift))
            return false;
        *bytes = number << units[i].shift;
        return true;
    }
    return false;
}

static char *write_size(uint64_t bytes, const char *between, char *text, size_t capacity)
{
    size_t i = 0;
    while (i < UNIT_COUNT - 2 && (bytes == 0 || bytes % (UINT64_C(1) << units[i].shift) != 0))
        i++;
    snprintf(text, capacity, "%" PRIu64 "%s%s", bytes >> units[i].shift, between, units[i].name);
    return text;
}

char *units_format_size(uint64_t bytes, char *text, size_t capacity)
{
    return write_size(bytes, "", text, capacity);
}

char *units_show_size(uint64_t bytes, char *text, size_t capacity)
{
    return write_size(bytes, " ", text, capacity);
}

char *units_show_disk(double bytes, char *text, size_t capacity)
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB"};
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof names[0] && round(bytes) >= 1000) {
        bytes /= 1000;
        i++;
    }
    snprintf(text, capacity, "%.*f %s", i > 0 && bytes < 9.95, bytes, names[i]);
    return text;
}

char *units_format_number(double value, char *text, size_t capacity)
{
    snprintf(text, capacity, "%.10g", value == 0 ? 0.0 : value);
    return text;
}

char *units_show_number(double value, char *text, size_t capacity)
{
    static const double FIVE_DIGITS = 99999.5, EXACT = 9007199254740992.0; /* 2^53 */
    bool whole = fabs(value) >= FIVE_DIGITS && fabs(value) <= EXACT;
    snprintf(text, capacity, whole ? "%.0f" : "%.5g", value);
    return text;
}

char *units_format_duration(double seconds, char *text, size_t capacity)
{
    static const struct {
        const char *name, *next;
        double seconds, part;
    } scales[] = {{"d", "h", 86400, 3600}, {"h", "min", 3600, 60}, {"min", "s", 60, 1}};
    double whole = fmax(1, round(seconds));
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        double parts = round(whole / scales[i].part), per_unit = scales[i].seconds / scales[i].part;
        double units_of = floor(parts / per_unit), rest = fmod(parts, per_unit);
        if (units_of < 1)
            continue;
        if (rest > 0)
            snprintf(text, capacity, "%.0f %s %.0f %s", units_of, scales[i].name, rest, scales[i].next);
        else
            snprintf(text, capacity, "%.0f %s", units_of, scales[i].name);
        return text;
    }
    snprintf(text, capacity, "%.0f s", whole);
    return text;
}

bool units_parse_number(const char *text, double *value)
{
    char *end;
    if (text[0] == '\0' || isspace((unsigned char)text[0]))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

bool units_parse_seconds(const char *text, double *seconds)
{
    char number[64];
    size_t length = strspn(text, "+-.0123456789eE");
    const char *unit = text + length;
    bool milli = strcmp(unit, "ms") == 0;
    if (length >= sizeof number || (!milli && strcmp(unit, "s") != 0))
        return units_parse_number(text, seconds);
    memcpy(number, text, length);
    number[length] = '\0';
    bool good = units_parse_number(number, seconds);
    *seconds *= milli ? 1e-3 : 1;
    return good;
}

bool units_is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}
