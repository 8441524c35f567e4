#include "model/data/pooled.h"

#include "base/json.h"
#include "model/data/point_clock.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 64 };

static const double SAME = 1e-6;

static const char *name_of(const struct dataset_row *row)
{
    return json_string_or(row->point, "name", "a point");
}

static bool is_named(const char *const *named, const char *name)
{
    for (; *named != NULL; named++)
        if (strcmp(*named, name) == 0)
            return true;
    return false;
}

/* One direction: compares only the parameters that a has. */
static const char *find_other(const json_t *a, const json_t *b, const char *const *named, bool either)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, name, value)
    {
        const json_t *other = json_object_get(b, name);
        bool same = json_is_number(value) && json_is_number(other)
                        ? json_number_value(value) == json_number_value(other)
                        : json_equal(value, other);
        if (!same && !is_named(named, name) && (either || other != NULL))
            return name;
    }
    return NULL;
}

const char *pooled_parameter(const json_t *a, const json_t *b, const char *const *named, bool either)
{
    const json_t *of_a = json_object_get(a, "point");
    const json_t *of_b = json_object_get(b, "point");
    const char *found = find_other(of_a, of_b, named, either);
    return found != NULL ? found : find_other(of_b, of_a, named, either);
}

static void print_value(const json_t *value, char text[VALUE_BYTES])
{
    char *made = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
    snprintf(text, VALUE_BYTES, "%.60s", made == NULL ? "not stated" : made);
    free(made);
}

static enum status refuse(const json_t *a, const json_t *b, const char *what, const char *part,
                          const char *name, struct error *error)
{
    char here[VALUE_BYTES];
    char there[VALUE_BYTES];
    print_value(json_object_get(json_object_get(a, part), name), here);
    print_value(json_object_get(json_object_get(b, part), name), there);
    error_set(error, STATUS_USAGE,
              "%.80s was measured in two ways: %.60s is %s in %.160s and %s in %.160s, which this model does "
              "not distinguish",
              what, name, here, json_string_or(a, "name", "a point"), there,
              json_string_or(b, "name", "another"));
    error_hint(error, "fit the results of each separately: a file per %.60s", name);
    return STATUS_USAGE;
}

enum status pooled_refuse(const json_t *a, const json_t *b, const char *what, const char *parameter,
                          struct error *error)
{
    return refuse(a, b, what, "point", parameter, error);
}

/* Whether a pass of the loop does different work. */
static const char *find_count(const json_t *a, const json_t *b)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, name, value)
    {
        double other = json_number_or(b, name, NAN);
        if (fabs(other - json_number_value(value)) > SAME * fabs(other))
            return name;
    }
    return NULL;
}

static size_t copies_of(const struct dataset_row *row)
{
    size_t copies = json_array_size(json_object_get(row->rep, "threads"));
    return copies > 0 ? copies : 1;
}

enum status pooled_check(const struct dataset_row *a, const struct dataset_row *b, const char *what,
                         const char *const *named, bool loop, struct error *error)
{
    if (a->point == b->point)
        return STATUS_OK;
    const char *name = pooled_parameter(a->point, b->point, named, loop);
    if (name != NULL)
        return pooled_refuse(a->point, b->point, what, name, error);
    name = loop ? find_count(json_object_get(a->point, "per_pass"), json_object_get(b->point, "per_pass"))
                : NULL;
    if (name != NULL)
        return refuse(a->point, b->point, what, "per_pass", name, error);
    if (!loop || copies_of(a) == copies_of(b))
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "%.80s ran as %zu copies in %.160s and as %zu in %.160s: they share the chip's power", what,
              copies_of(a), name_of(a), copies_of(b), name_of(b));
    error_hint(error, "fit the results of each separately");
    return STATUS_USAGE;
}

enum status pooled_clock(const struct dataset_row *a, const struct dataset_row *b, struct error *error)
{
    double ghz_a = clock_seen(a);
    double ghz_b = clock_seen(b);
    if (!(fabs(ghz_a / ghz_b - 1) > CLOCK_APART))
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "%.200s ran at %.4g GHz and %.200s at %.4g GHz: energies at two clocks cannot be pooled",
              name_of(a), ghz_a, name_of(b), ghz_b);
    error_hint(error, "hold the clock: state = { frequency = GHZ } and --allow-state");
    return STATUS_USAGE;
}

enum status pooled_meters(const struct dataset *dataset, struct error *error)
{
    const struct dataset_row *first = NULL;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        const json_t *from = json_object_get(json_object_get(row->point, "power"), "from");
        const json_t *known =
            first == NULL ? from : json_object_get(json_object_get(first->point, "power"), "from");
        if (json_array_size(from) == 0)
            continue;
        first = first == NULL ? row : first;
        if (json_equal(from, known))
            continue;
        char *here = json_dumps(known, 0);
        char *there = json_dumps(from, 0);
        error_set(error, STATUS_USAGE,
                  "%.160s has its power from %.150s and %.160s from %.150s: different meters see different "
                  "parts of the machine",
                  name_of(first), here == NULL ? "?" : here, name_of(row), there == NULL ? "?" : there);
        error_hint(error, "fit the results of each meter separately");
        free(here);
        free(there);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
