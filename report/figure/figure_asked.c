#include "report/figure/figure_asked.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/text/suggest.h"
#include "runner/results/result_point.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the points of one benchmark have: names as keys. */
struct found {
    json_t *parameters, *metrics;
    json_t *x; /* the numbers on x; NULL: it has other values */
};

enum { GEOMETRIC_LEAST = 4 };
static const double GEOMETRIC_STEP = 1.5;

static const char *const members[] = {"benchmark", "recipe",   "point", "rates", "power",
                                      "counters",  "per_pass", "time",  NULL};

static void add_name(json_t *names, const char *name)
{
    json_object_set_new_nocheck(names, name, json_true());
}

static void add_x(struct found *found, const json_t *value)
{
    if (value == NULL || found->x == NULL)
        return;
    if (json_is_number(value))
        json_array_append_new(found->x, json_real(json_number_value(value)));
    else {
        json_decref(found->x);
        found->x = NULL;
    }
}

static bool was_observed(const struct result_rate *rate)
{
    for (size_t i = 0; i < rate->seen.count; i++)
        if (rate->seen.items[i].kind != EVIDENCE_PREDICTED)
            return true;
    return false;
}

/* As metric_value_of finds them. */
static void add_metrics(json_t *metrics, const struct result_point *point)
{
    for (size_t i = 0; i < point->rates.count; i++)
        if (was_observed(&point->rates.items[i]))
            add_name(metrics, point->rates.items[i].metric);
    for (size_t i = 0; i < point->power.values.count; i++)
        if (!isnan(point->power.values.items[i].interval.value))
            add_name(metrics, point->power.values.items[i].name);
    for (size_t i = 0; i < point->counters.count; i++) {
        struct buffer event = {0};
        buffer_printf(&event, "events.%s", point->counters.items[i].name);
        add_name(metrics, event.data);
        buffer_free(&event);
    }
    if (!point->timed)
        return;
    add_name(metrics, "time.ticks_per_pass");
    if (point->per_pass.count > 0) {
        add_name(metrics, "ticks_per_load");
        add_name(metrics, "loads_per_tick");
    }
}

static bool is_of(const struct result_point *point, const json_t *benchmark)
{
    const char *own = json_string_or(benchmark, "recipe", NULL);
    return strcmp(point->benchmark, json_string_or(benchmark, "name", "")) == 0 &&
           (point->recipe[0] == '\0' || own == NULL || strcmp(point->recipe, own) == 0);
}

static void add_point(const struct figure_asked *asked, const json_t *benchmarks,
                      const struct result_point *point, struct found *found)
{
    const char *name;
    json_t *value;
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        if (!is_of(point, json_array_get(benchmarks, i)))
            continue;
        json_object_foreach((json_t *)(uintptr_t)point->parameters, name, value)
        {
            add_name(found[i].parameters, name);
        }
        add_metrics(found[i].metrics, point);
        add_x(&found[i], json_object_get(point->parameters, asked->x));
    }
}

/* ---- names ---- */

static bool is_wanted(const struct figure_asked *asked, const json_t *benchmark)
{
    return asked->benchmark == NULL || strcmp(json_string_or(benchmark, "name", ""), asked->benchmark) == 0;
}

/* All names of the wanted benchmarks. New reference. */
static json_t *names_of(const struct figure_asked *asked, const json_t *benchmarks, const struct found *found,
                        bool parameters, bool metrics)
{
    json_t *all = json_object();
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        if (!is_wanted(asked, json_array_get(benchmarks, i)))
            continue;
        if (parameters)
            json_object_update(all, found[i].parameters);
        if (metrics)
            json_object_update(all, found[i].metrics);
    }
    return all;
}

/* Takes the reference to the names that are there. */
static enum status check_name(const char *option, const char *name, const char *what, json_t *there,
                              struct error *error)
{
    const char **names = memory_zeroed(json_object_size(there) + 1, sizeof *names);
    struct buffer list = {0};
    const char *key;
    json_t *unused;
    size_t count = 0;
    enum status status = STATUS_OK;
    json_object_foreach(there, key, unused)
    {
        buffer_printf(&list, "%s%s", count == 0 ? "there are: " : ", ", key);
        names[count++] = key;
    }
    if (json_object_get(there, name) == NULL) {
        status = error_set(error, STATUS_USAGE, "%s %s: no point has this %s", option, name, what);
        suggest_hint(error, name, names, count, count == 0 ? "the points have none" : list.data);
    }
    buffer_free(&list);
    free(names);
    json_decref(there);
    return status;
}

/* The metrics of --y. New reference; NULL with *error filled. */
static json_t *read_metrics(const struct figure_asked *asked, const json_t *benchmarks,
                            const struct found *found, struct error *error)
{
    json_t *metrics = json_array();
    enum status status = STATUS_OK;
    for (const char *at = asked->y; status == STATUS_OK; at++) {
        size_t length = strcspn(at, ",");
        json_t *name = json_stringn(at, length);
        status = check_name("--y", json_string_value(name), "metric",
                            names_of(asked, benchmarks, found, false, true), error);
        json_array_append_new(metrics, name);
        at += length;
        if (*at == '\0')
            break;
    }
    if (status == STATUS_OK)
        return metrics;
    json_decref(metrics);
    return NULL;
}

/* ---- the plot ---- */

static bool is_geometric(const json_t *numbers)
{
    size_t count = json_array_size(numbers), steps = 1;
    double *sorted = memory_zeroed(count + 1, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = json_number_value(json_array_get(numbers, i));
    stats_sort(sorted, count);
    bool geometric = count > 0 && sorted[0] > 0;
    for (size_t i = 1; geometric && i < count; i++) {
        steps += sorted[i] != sorted[i - 1];
        geometric = sorted[i] == sorted[i - 1] || sorted[i] / sorted[i - 1] >= GEOMETRIC_STEP;
    }
    free(sorted);
    return geometric && steps >= GEOMETRIC_LEAST;
}

static bool has_all(const struct figure_asked *asked, const struct found *found, const json_t *metrics)
{
    bool any = false;
    for (size_t i = 0; i < json_array_size(metrics); i++)
        any = any || json_object_get(found->metrics, json_string_value(json_array_get(metrics, i))) != NULL;
    return any && (asked->by == NULL || json_object_get(found->parameters, asked->by) != NULL) &&
           (json_object_get(found->parameters, asked->x) != NULL ||
            json_object_get(found->metrics, asked->x) != NULL);
}

/* A benchmark's own title tells what its recipe draws. */
static json_t *make_plot(const struct figure_asked *asked, const struct found *found, const char *title,
                         json_t *metrics)
{
    json_t *plot =
        json_pack("{s:s, s:s, s:O, s:s*}", "title", title, "x", asked->x, "y", metrics, "by", asked->by);
    if (is_geometric(found->x))
        json_object_set_new(plot, "log", json_string("x"));
    return plot;
}

/* The benchmarks that have what is asked for, with the plot. New reference. */
static json_t *with_plot(const struct figure_asked *asked, const json_t *benchmarks,
                         const struct found *found, json_t *metrics, struct buffer *warnings)
{
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        json_t *benchmark = json_array_get(benchmarks, i);
        if (!is_wanted(asked, benchmark))
            continue;
        if (!has_all(asked, &found[i], metrics)) {
            buffer_printf(warnings, "%s is not drawn: it lacks one of the names asked for\n",
                          json_string_or(benchmark, "name", ""));
            continue;
        }
        json_t *plot = make_plot(asked, &found[i], json_string_or(benchmark, "name", ""), metrics);
        benchmark = json_copy(benchmark);
        json_object_set_new(benchmark, "plot", json_pack("[o]", plot));
        json_array_append_new(kept, benchmark);
    }
    return kept;
}

static enum status read_found(const struct figure_asked *asked, struct results_reader *results,
                              struct found *found, struct error *error)
{
    const json_t *benchmarks = json_object_get(results->context, "benchmarks");
    for (size_t i = 0; i < results->count; i++) {
        json_t *document = results_point(results, i, members, error);
        struct result_point point;
        if (document == NULL)
            return STATUS_USAGE;
        result_point_read(document, &point);
        add_point(asked, benchmarks, &point, found);
        result_point_free(&point);
        json_decref(document);
    }
    return STATUS_OK;
}

static enum status make_context(const struct figure_asked *asked, const json_t *context,
                                const struct found *found, json_t **made, struct buffer *warnings,
                                struct error *error)
{
    const json_t *benchmarks = json_object_get(context, "benchmarks");
    enum status status = check_name("--x", asked->x, "sweep parameter or metric",
                                    names_of(asked, benchmarks, found, true, true), error);
    if (status == STATUS_OK && asked->by != NULL)
        status = check_name("--by", asked->by, "sweep parameter",
                            names_of(asked, benchmarks, found, true, false), error);
    json_t *metrics = status == STATUS_OK ? read_metrics(asked, benchmarks, found, error) : NULL;
    if (metrics == NULL)
        return STATUS_USAGE;
    json_t *kept = with_plot(asked, benchmarks, found, metrics, warnings);
    if (json_array_size(kept) == 0)
        status = error_set(
            error, STATUS_USAGE, "no benchmark has --x %s%s%s together with a metric of --y %s", asked->x,
            asked->by == NULL ? "" : " and --by ", asked->by == NULL ? "" : asked->by, asked->y);
    *made = status == STATUS_OK ? json_copy((json_t *)(uintptr_t)context) : NULL;
    if (status == STATUS_OK)
        json_object_set(*made, "benchmarks", kept);
    json_decref(kept);
    json_decref(metrics);
    return status;
}

enum status figure_asked_context(const struct figure_asked *asked, struct results_reader *results,
                                 json_t **context, struct buffer *warnings, struct error *error)
{
    size_t count = json_array_size(json_object_get(results->context, "benchmarks"));
    struct found *found = memory_zeroed(count + 1, sizeof *found);
    for (size_t i = 0; i < count; i++)
        found[i] = (struct found){json_object(), json_object(), json_array()};
    enum status status = read_found(asked, results, found, error);
    if (status == STATUS_OK)
        status = make_context(asked, results->context, found, context, warnings, error);
    for (size_t i = 0; i < count; i++) {
        json_decref(found[i].parameters);
        json_decref(found[i].metrics);
        json_decref(found[i].x);
    }
    free(found);
    return status;
}
