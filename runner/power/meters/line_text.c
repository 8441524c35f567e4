#include "runner/power/meters/line_text.h"

#include "base/stats.h"
#include "base/text/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the times of lines ---- */

const double LINE_CLOCK_DRIFT =
    0.01; /* a microcontroller's ceramic resonator is accurate to within half of this */

static double usual_span_s(struct line_clock *clock, double span_s)
{
    clock->spans_s[clock->span_count++ % LINE_CLOCK_SPANS] = span_s;
    size_t kept = clock->span_count < LINE_CLOCK_SPANS ? clock->span_count : LINE_CLOCK_SPANS;
    return fmin(span_s, stats_median(clock->spans_s, kept));
}

static void stamp_arrivals(struct line_clock *clock, double arrival_s, size_t count, double *times_s)
{
    double step_s =
        clock->arrived ? usual_span_s(clock, fmax(0, arrival_s - clock->arrival_s) / (double)count) : NAN;
    for (size_t i = 0; i + 1 < count; i++)
        times_s[i] = arrival_s - (double)(count - 1 - i) * step_s;
    times_s[count - 1] = arrival_s;
}

static void set_times(double offset_s, const struct line_reading *readings, size_t from, size_t to,
                      double *times_s)
{
    for (size_t i = from; i < to; i++)
        times_s[i] = readings[i].meter_s + offset_s;
}

/* All readings of the arrival adjust the offset before the first one gets its time, because the last one had
 * the least latency. */
static void stamp_meter(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                        size_t count, double *times_s)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        double latest_s = arrival_s - readings[i].meter_s;
        if (isnan(readings[i].meter_s))
            continue;
        if (clock->aligned && readings[i].meter_s < clock->meter_s) {
            set_times(clock->offset_s, readings, first, i, times_s);
            first = i;
            clock->aligned = false;
        }
        double creep_s = LINE_CLOCK_DRIFT * (arrival_s - clock->meter_arrival_s);
        clock->offset_s = clock->aligned ? fmin(clock->offset_s + creep_s, latest_s) : latest_s;
        clock->aligned = true;
        clock->meter_s = readings[i].meter_s;
        clock->meter_arrival_s = arrival_s;
    }
    set_times(clock->offset_s, readings, first, count, times_s);
}

void line_clock_stamp(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                      size_t count, double *times_s)
{
    bool has_clock = false;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        has_clock = has_clock || !isnan(readings[i].meter_s);
    if (has_clock)
        stamp_meter(clock, arrival_s, readings, count, times_s);
    else
        stamp_arrivals(clock, arrival_s, count, times_s);
    clock->arrived = true;
    clock->arrival_s = arrival_s;
}

/* ---- the text of lines ---- */

enum { NUMBER_BYTES = 40 };

static const struct line_column known[] = {
    {"w", LINE_WATTS, 1},     {"mw", LINE_WATTS, 1e-3},   {"v", LINE_VOLTS, 1},
    {"mv", LINE_VOLTS, 1e-3}, {"a", LINE_AMPERES, 1},     {"ma", LINE_AMPERES, 1e-3},
    {"t", LINE_SECONDS, 1},   {"ms", LINE_SECONDS, 1e-3}, {"us", LINE_SECONDS, 1e-6},
    {"-", LINE_OTHER, 0},
};
enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

/* ---- columns=, volts=, scale= ---- */

static enum status unknown_column(const struct sensor_request *request, const char *word, struct error *error)
{
    error_set(error, STATUS_USAGE, "--power: %s: columns= has no column '%s'", request->name, word);
    error_hint(error, "columns are w, mw, v, mv, a, ma, the meter's clock as t (seconds), ms or us, and - "
                      "for any other, as in columns=t:w");
    return STATUS_USAGE;
}

static enum status read_columns(const struct sensor_request *request, const char *text,
                                struct line_format *format, struct error *error)
{
    while (true) {
        size_t length = strcspn(text, ":");
        char word[REQUEST_WORD_BYTES] = "";
        const struct line_column *found = NULL;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        for (size_t i = 0; i < KNOWN_COUNT; i++)
            if (strcasecmp(known[i].word, word) == 0)
                found = &known[i];
        if (found == NULL)
            return unknown_column(request, word, error);
        if (format->count == LINE_COLUMNS_MOST)
            return error_set(error, STATUS_USAGE, "--power: %s: more than %d columns", request->name,
                             LINE_COLUMNS_MOST);
        format->columns[format->count++] = found;
        if (text[length] == '\0')
            return STATUS_OK;
        text += length + 1;
    }
}

static size_t count_of(const struct line_format *format, enum line_quantity quantity)
{
    size_t count = 0;
    for (size_t i = 0; i < format->count; i++)
        count += format->columns[i]->quantity == quantity;
    return count;
}

/* Each quantity at most once, and either watts, or amperes with volts from a column or from volts=. */
static enum status check_format(const struct sensor_request *request, const struct line_format *format,
                                struct error *error)
{
    size_t watts = count_of(format, LINE_WATTS);
    size_t volts = count_of(format, LINE_VOLTS) + (format->volts > 0);
    size_t amperes = count_of(format, LINE_AMPERES);
    bool by_watts = watts == 1 && amperes + volts == 0;
    bool by_product = watts == 0 && amperes == 1 && volts == 1;
    if ((by_watts || by_product) && count_of(format, LINE_SECONDS) <= 1)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "--power: %s: %zu columns of watts, %zu of volts (including volts=), %zu of amperes and %zu of "
              "time do not give a power",
              request->name, watts, volts, amperes, count_of(format, LINE_SECONDS));
    error_hint(error,
               "one of watts (columns=w), one of volts and one of amperes (columns=v:a), or amperes with the "
               "rail's volts (columns=a@volts=12); at most one of time; - for a column to ignore");
    return STATUS_USAGE;
}

enum status line_format_read(const struct sensor_request *request, struct line_format *format,
                             struct error *error)
{
    *format = (struct line_format){0};
    enum status status = request_number(request, "volts", 0, 1e-3, 1e6, &format->volts, error);
    if (status == STATUS_OK)
        status = request_number(request, "scale", 1, -1e9, 1e9, &format->scale, error);
    if (status != STATUS_OK)
        return status;
    const char *columns = request_text(request, "columns");
    if (columns == NULL)
        columns = format->volts > 0 ? "a" : "w";
    status = read_columns(request, columns, format, error);
    return status == STATUS_OK ? check_format(request, format, error) : status;
}

/* ---- lines ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_separator(char c)
{
    return is_space(c) || c == ',' || c == ';';
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* A decimal number and nothing else; nan, inf and empty columns are missing numbers. */
static bool read_number(const char *text, size_t length, double *value)
{
    static const char *const missing[] = {"", "nan", "inf", "ovf", "infinity"};
    char copy[NUMBER_BYTES];
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
    *value = NAN;
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (is_word(text + sign, length - sign, missing[i]) && (sign == 0 || i > 0))
            return true;
    if (length >= sizeof copy)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]) && strchr("+-.eE", text[i]) == NULL)
            return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    if (!isfinite(*value))
        *value = NAN;
    return end != copy && *end == '\0';
}

struct split {
    double values[LINE_COLUMNS_MOST];
    size_t count;      /* of columns, including those that exceed the capacity */
    bool numbers;      /* all requested ones are present */
    bool tight_commas; /* a comma between two digits */
};

static void add_field(const struct line_format *format, struct split *split, const char *text, size_t length)
{
    double value;
    bool any = split->count < format->count && format->columns[split->count]->quantity == LINE_OTHER;
    split->numbers = (read_number(text, length, &value) || any) && split->numbers;
    if (split->count < LINE_COLUMNS_MOST)
        split->values[split->count] = value;
    split->count++;
}

/* Spaces around a comma or semicolon are part of the separator; a separator at the end of the line does not
 * count. */
static void split_line(const struct line_format *format, const char *text, size_t length, struct split *split)
{
    size_t at = 0;
    *split = (struct split){.numbers = true};
    while (true) {
        while (at < length && is_space(text[at]))
            at++;
        if (at == length)
            return;
        size_t begin = at;
        while (at < length && !is_separator(text[at]))
            at++;
        add_field(format, split, text + begin, at - begin);
        if (at > begin && at + 1 < length && text[at] == ',')
            split->tight_commas = split->tight_commas || (isdigit((unsigned char)text[at - 1]) &&
                                                          isdigit((unsigned char)text[at + 1]));
        while (at < length && is_space(text[at]))
            at++;
        at += at < length && (text[at] == ',' || text[at] == ';');
    }
}

/* The line's value of the quantity, in W, V, A or s; `otherwise` if no column has it. */
static double value_of(const struct line_format *format, const struct split *split,
                       enum line_quantity quantity, double otherwise)
{
    for (size_t i = 0; i < format->count; i++)
        if (format->columns[i]->quantity == quantity)
            return split->values[i] * format->columns[i]->unit;
    return otherwise;
}

enum line_kind line_read(const struct line_format *format, const char *text, size_t length,
                         struct line_reading *reading)
{
    struct split split;
    *reading = (struct line_reading){NAN, NAN};
    split_line(format, text, length, &split);
    if (split.count == 0)
        return LINE_EMPTY;
    if (!split.numbers)
        return LINE_NOT_NUMBERS;
    if (split.count != format->count)
        return split.tight_commas ? LINE_DECIMAL_COMMA : LINE_NOT_NUMBERS;
    double product =
        value_of(format, &split, LINE_AMPERES, NAN) * value_of(format, &split, LINE_VOLTS, format->volts);
    reading->watts = value_of(format, &split, LINE_WATTS, product) * format->scale;
    reading->meter_s = value_of(format, &split, LINE_SECONDS, NAN);
    return isfinite(reading->watts) ? LINE_READING : LINE_MISSING;
}
