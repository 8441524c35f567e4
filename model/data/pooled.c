#include "model/data/pooled.h"

#include "base/buffer.h"
#include "model/data/parameters.h"
#include "model/data/point_clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME = 1e-6;

static const char *name_of(const struct dataset_row *row)
{
    return dataset_name(row->point);
}

static bool is_named(const char *name, const void *names)
{
    for (const char *const *named = names; *named != NULL; named++)
        if (strcmp(*named, name) == 0)
            return true;
    return false;
}

const char *pooled_parameter(const struct result_point *a, const struct result_point *b,
                             const char *const *named, bool either)
{
    return parameter_other(a, b, is_named, named, either);
}

static void print_count(const struct result_values *counts, const char *name, char text[PARAMETER_BYTES])
{
    double count = result_value(counts, name).value;
    if (isnan(count))
        snprintf(text, PARAMETER_BYTES, "not stated");
    else
        snprintf(text, PARAMETER_BYTES, count == floor(count) && fabs(count) < 9e15 ? "%.0f" : "%.10g",
                 count);
}

static enum status refuse(const struct result_point *a, const struct result_point *b, const char *what,
                          const char *name, const char *here, const char *there, struct error *error)
{
    error_set(error, STATUS_USAGE,
              "%.80s was measured in two ways: %.60s is %s in %.160s and %s in %.160s, which this model does "
              "not distinguish",
              what, name, here, dataset_name(a), there, b->name[0] == '\0' ? "another" : b->name);
    error_hint(error, "fit the results of each separately: a file per %.60s", name);
    return STATUS_USAGE;
}

enum status pooled_refuse(const struct result_point *a, const struct result_point *b, const char *what,
                          const char *parameter, struct error *error)
{
    char here[PARAMETER_BYTES];
    char there[PARAMETER_BYTES];
    parameter_print(a, parameter, here);
    parameter_print(b, parameter, there);
    return refuse(a, b, what, parameter, here, there, error);
}

static enum status refuse_count(const struct result_point *a, const struct result_point *b, const char *what,
                                const char *name, struct error *error)
{
    char here[PARAMETER_BYTES];
    char there[PARAMETER_BYTES];
    print_count(&a->per_pass, name, here);
    print_count(&b->per_pass, name, there);
    return refuse(a, b, what, name, here, there, error);
}

/* The first count per pass in which the loops differ; NULL: they do the same work. */
static const char *find_count(const struct result_values *a, const struct result_values *b)
{
    for (size_t i = 0; i < a->count; i++) {
        double other = result_value(b, a->items[i].name).value;
        if (fabs(other - a->items[i].interval.value) > SAME * fabs(other))
            return a->items[i].name;
    }
    return NULL;
}

static size_t copies_of(const struct dataset_row *row)
{
    return row->rep->copies;
}

enum status pooled_check(const struct dataset_row *a, const struct dataset_row *b, const char *what,
                         const char *const *named, bool loop, struct error *error)
{
    if (a->point == b->point)
        return STATUS_OK;
    const char *name = pooled_parameter(a->point, b->point, named, loop);
    if (name != NULL)
        return pooled_refuse(a->point, b->point, what, name, error);
    name = loop ? find_count(&a->point->per_pass, &b->point->per_pass) : NULL;
    if (name != NULL)
        return refuse_count(a->point, b->point, what, name, error);
    if (!loop || copies_of(a) == copies_of(b) || is_named("copies", named))
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "%.80s ran as %zu copies in %.160s and as %zu in %.160s: they share the chip's power", what,
              copies_of(a), name_of(a), copies_of(b), name_of(b));
    error_hint(error, "fit the results of each separately");
    return STATUS_USAGE;
}

enum status pooled_clock(const struct dataset_row *a, const struct dataset_row *b, struct error *error)
{
    double ghz_a = clock_observed(a);
    double ghz_b = clock_observed(b);
    if (!(fabs(ghz_a / ghz_b - 1) > CLOCK_APART))
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "%.200s ran at %.4g GHz and %.200s at %.4g GHz: energies at two clocks cannot be pooled",
              name_of(a), ghz_a, name_of(b), ghz_b);
    error_hint(error, "hold the clock: state = { frequency = GHZ } and --allow-state");
    return STATUS_USAGE;
}

static bool same_channels(const struct manifest_words *a, const struct manifest_words *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->items[i] != NULL && b->items[i] != NULL && strcmp(a->items[i], b->items[i]) == 0;
    return same;
}

/* ["powercap:package-0", "powercap:dram"] */
static void print_channels(const struct manifest_words *channels, struct buffer *text)
{
    buffer_text(text, "[");
    for (size_t i = 0; i < channels->count; i++)
        buffer_printf(text, "%s\"%s\"", i == 0 ? "" : ", ",
                      channels->items[i] == NULL ? "?" : channels->items[i]);
    buffer_text(text, "]");
}

enum status pooled_meters(const struct dataset *dataset, struct error *error)
{
    const struct dataset_row *first = NULL;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        const struct manifest_words *from = &row->point->power.from;
        if (from->count == 0)
            continue;
        first = first == NULL ? row : first;
        if (first == row || same_channels(from, &first->point->power.from))
            continue;
        struct buffer here = {0}, there = {0};
        print_channels(&first->point->power.from, &here);
        print_channels(from, &there);
        error_set(
            error, STATUS_USAGE,
            "%.160s has its power from %.150s and %.160s from %.150s: different meters measure different "
            "parts of the machine",
            name_of(first), here.data, name_of(row), there.data);
        error_hint(error, "fit the results of each meter separately");
        buffer_free(&here);
        buffer_free(&there);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
