#include "session/diff/diff_results.h"

#include "base/buffer.h"
#include "base/json.h"
#include "generator/metric/metric.h"
#include "runner/results/results.h"
#include "runner/results/simulated.h"

#include <math.h>
#include <string.h>

/* The meaning of a rising or falling metric. */
static const char *meaning(const char *metric, double change)
{
    const struct metric *row = metric_find(metric);
    switch (row == NULL ? TREND_NONE : row->trend) {
    case TREND_MORE:
        return change > 0 ? "more" : "less";
    case TREND_SLOWER:
        return change > 0 ? "slower" : "faster";
    case TREND_NONE:
        break;
    }
    return "moved";
}

/* ---- what a point reports, by metric, part and source ---- */

static void write_key(struct buffer *key, const char *metric, const char *part, const char *source)
{
    buffer_printf(key, "%s\n%s\n%s", metric, part, source);
}

/* Sums over copies have no interval and add nothing to the copies' times. */
static bool comparable(const struct point_value *value)
{
    return value->seen && isfinite(value->value) && strcmp(value->kind, "predicted") != 0 &&
           (value->class != VALUE_TIME || value->n > 0);
}

struct told {
    json_t *values; /* key -> the value */
    bool by_source; /* the key has the source */
};

static void collect(const struct point_value *value, void *context)
{
    struct told *told = context;
    struct buffer key = {0};
    write_key(&key, value->metric, value->part, told->by_source ? value->source : "");
    if ((comparable(value) || !told->by_source) && json_object_get(told->values, key.data) == NULL)
        json_object_set_new(told->values, key.data,
                            json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:b, s:f, s:f, s:f}", "metric",
                                      value->metric, "part", value->part, "unit", value->unit, "class",
                                      (int)value->class, "verdict", value->verdict, "source", value->source,
                                      "seen", comparable(value), "value", value->value, "low", value->low,
                                      "high", value->high));
    buffer_free(&key);
}

/* The best value of each metric, or with by_source all of them. New reference. */
static json_t *values_of(const json_t *point, bool by_source)
{
    struct told told = {.values = json_object(), .by_source = by_source};
    point_values(point, by_source, collect, &told);
    return told.values;
}

/* ---- one point ---- */

/* A point of both files. */
struct pair {
    struct diff *diff;
    const char *name;
    const json_t *old, *new;
    json_t *old_all, *new_all; /* by source; NULL until the best values of both come from different sources */
    bool have_pass_ns;         /* both sides */
};

static const json_t *find(const json_t *point, json_t **all, const json_t *value, const char *source)
{
    if (*all == NULL)
        *all = values_of(point, true);
    struct buffer key = {0};
    write_key(&key, json_string_or(value, "metric", ""), json_string_or(value, "part", ""), source);
    const json_t *found = json_object_get(*all, key.data);
    buffer_free(&key);
    return found;
}

static bool overlap(const json_t *a, const json_t *b)
{
    return json_number_or(a, "low", 0) <= json_number_or(b, "high", 0) &&
           json_number_or(b, "low", 0) <= json_number_or(a, "high", 0);
}

/* The change: the difference for shares, relative to the old value for values with a unit. */
static struct diff_change moved(const json_t *old, const json_t *new)
{
    double from = json_number_or(old, "value", 0);
    double by = json_number_or(new, "value", 0) - from;
    bool share = point_value_is_share(json_string_or(old, "unit", ""));
    if (share || by == 0)
        return (struct diff_change){.by = by, .relative = !share};
    return (struct diff_change){.by = from == 0 ? copysign(HUGE_VAL, by) : by / fabs(from), .relative = true};
}

static double threshold_of(const struct diff *diff, const json_t *value)
{
    enum value_class class = (enum value_class)json_number_or(value, "class", 0);
    bool share = point_value_is_share(json_string_or(value, "unit", ""));
    return diff->threshold[class == VALUE_RATE && !share ? VALUE_TIME : class];
}

static json_t *number_of(const json_t *value)
{
    return value == NULL ? NULL : json_from_number(json_number_or(value, "value", 0));
}

static void row(const struct pair *pair, const json_t *old, const json_t *new, struct diff_change change,
                const char *what, bool past, bool shown)
{
    const json_t *either = old != NULL ? old : new;
    diff_row(pair->diff, pair->name, json_string_or(either, "part", ""), json_string_or(either, "metric", ""),
             number_of(old), number_of(new), change, what, past, shown);
}

static bool is(const json_t *value, const char *verdict)
{
    return strcmp(json_string_or(value, "verdict", ""), verdict) == 0;
}

/* Other programs that run meanwhile lengthen a repetition, but not pass.ns, which comes from rounds without
 * them. */
static bool is_judged_by_pass_ns(const struct pair *pair, const json_t *value)
{
    return pair->have_pass_ns && strcmp(json_string_or(value, "metric", ""), "time.ticks_per_pass") == 0 &&
           json_string_or(value, "part", "")[0] == '\0';
}

/* Compares two values from one source. */
static void compare_values(const struct pair *pair, const json_t *old, const json_t *new)
{
    struct diff_change change = moved(old, new);
    pair->diff->compared++;
    bool past = fabs(change.by) > threshold_of(pair->diff, old) && !overlap(old, new);
    if (is(old, "untrustworthy") || is(new, "untrustworthy"))
        row(pair, old, new, change, "untrustworthy", false, past);
    else if (is_judged_by_pass_ns(pair, old))
        row(pair, old, new, change, past ? "pass.ns decides" : "same", false, past);
    else if (is(new, "fail") && !is(old, "fail"))
        row(pair, old, new, change, "fails now", true, true);
    else
        row(pair, old, new, change, past ? meaning(json_string_or(old, "metric", ""), change.by) : "same",
            past, false);
}

static bool is_seen(const json_t *value)
{
    return json_is_true(json_object_get(value, "seen"));
}

static void compare_metric(struct pair *pair, const json_t *old, const json_t *new)
{
    const char *old_source = json_string_or(old, "source", "");
    const char *new_source = json_string_or(new, "source", "");
    bool was_seen = is_seen(old);
    bool now_seen = is_seen(new);
    if (!was_seen && !now_seen)
        return;
    if (!was_seen || !now_seen) {
        row(pair, was_seen ? old : NULL, now_seen ? new : NULL, DIFF_NO_NUMBER,
            was_seen ? "not seen now" : "seen now", false, was_seen);
        return;
    }
    if (strcmp(old_source, new_source) == 0) {
        compare_values(pair, old, new);
        return;
    }
    const json_t *of_old = find(pair->old, &pair->old_all, old, new_source);
    const json_t *of_new = find(pair->new, &pair->new_all, new, old_source);
    if (of_old != NULL)
        compare_values(pair, of_old, new);
    else if (of_new != NULL)
        compare_values(pair, old, of_new);
    else
        row(pair, old, new, DIFF_NO_NUMBER, "seen otherwise", false, true);
}

static void compare_points(struct diff *diff, const char *name, const json_t *old, const json_t *new)
{
    struct pair pair = {.diff = diff, .name = name, .old = old, .new = new};
    json_t *old_best = values_of(old, false);
    json_t *new_best = values_of(new, false);
    pair.have_pass_ns = is_seen(json_object_get(old_best, "pass.ns\n\n")) &&
                        is_seen(json_object_get(new_best, "pass.ns\n\n"));
    const char *key;
    json_t *value;
    if (strcmp(json_string_or(old, "program_hash", ""), json_string_or(new, "program_hash", "")) != 0)
        diff_row(diff, name, "", "program", NULL, NULL, DIFF_NO_NUMBER, "another program", false, true);
    json_object_foreach(old_best, key, value)
    {
        compare_metric(&pair, value, json_object_get(new_best, key));
    }
    json_object_foreach(new_best, key, value)
    {
        if (json_object_get(old_best, key) == NULL)
            compare_metric(&pair, NULL, value);
    }
    json_decref(old_best);
    json_decref(new_best);
    json_decref(pair.old_all);
    json_decref(pair.new_all);
}

/* Reports points that ran on one side only, or on neither. True if both ran. */
static bool compare_runs(struct diff *diff, const char *name, const json_t *old, const json_t *new)
{
    const char *word;
    const char *old_failure = point_failure(old, &word);
    const char *new_failure = point_failure(new, &word);
    if (old_failure == NULL && new_failure == NULL)
        return true;
    bool worse = old_failure == NULL;
    bool same = old_failure != NULL && new_failure != NULL;
    diff->compared++;
    diff_row(diff, name, "", "", old_failure == NULL ? json_string("ran") : json_string(old_failure),
             new_failure == NULL ? json_string("ran") : json_string(new_failure), DIFF_NO_NUMBER,
             worse  ? "does not run now"
             : same ? "runs in neither"
                    : "runs now",
             worse, true);
    return false;
}

/* ---- two files ---- */

static void write_name(struct buffer *name, const json_t *point)
{
    buffer_printf(name, "%s/%s", json_string_or(point, "benchmark", ""), json_string_or(point, "name", ""));
}

/* Name -> the index of its point; for several programs of one point, that of the last. */
static enum status by_name(struct results_reader *results, json_t *map, struct error *error)
{
    static const char *const wanted[] = {"benchmark", "name", NULL};
    struct buffer name = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        json_t *point = results_point(results, i, wanted, error);
        name.size = 0;
        write_name(&name, point);
        if (point == NULL)
            status = STATUS_USAGE;
        else
            json_object_set_new(map, name.data, json_integer((json_int_t)i));
        json_decref(point);
    }
    buffer_free(&name);
    return status;
}

static void only(struct diff *diff, const char *name, const char *where)
{
    diff->compared++;
    diff_row(diff, name, "", "", NULL, NULL, DIFF_NO_NUMBER, where, true, true);
}

/* Two files, and where their points are by name. */
struct files {
    struct results_reader old, new;
    json_t *old_points, *new_points;
};

/* The parts of a point that are compared. New reference. */
static json_t *point_at(struct results_reader *results, const json_t *index, struct error *error)
{
    static const char *const wanted[] = {"program_hash", "error",    "code",    "rates", "time", "device",
                                         "together",     "counters", "threads", "power", NULL};
    return results_point(results, (size_t)json_integer_value(index), wanted, error);
}

static enum status compare_pair(struct diff *diff, struct files *files, const char *name,
                                const json_t *old_index, const json_t *new_index, struct error *error)
{
    json_t *old = point_at(&files->old, old_index, error);
    json_t *new = old == NULL ? NULL : point_at(&files->new, new_index, error);
    diff->points++;
    if (new != NULL && compare_runs(diff, name, old, new))
        compare_points(diff, name, old, new);
    enum status status = new == NULL ? STATUS_USAGE : STATUS_OK;
    json_decref(old);
    json_decref(new);
    return status;
}

static enum status compare_files(struct diff *diff, struct files *files, struct error *error)
{
    const char *name;
    json_t *index;
    enum status status = by_name(&files->old, files->old_points, error);
    if (status == STATUS_OK)
        status = by_name(&files->new, files->new_points, error);
    if (status != STATUS_OK)
        return status;
    diff_contexts(diff, files->old.context, files->new.context);
    json_object_foreach(files->old_points, name, index)
    {
        const json_t *other = json_object_get(files->new_points, name);
        if (other == NULL)
            only(diff, name, "only in OLD");
        else if (status == STATUS_OK)
            status = compare_pair(diff, files, name, index, other, error);
    }
    json_object_foreach(files->new_points, name, index)
    {
        if (json_object_get(files->old_points, name) == NULL)
            only(diff, name, "only in NEW");
    }
    return status;
}

static enum status open_one(struct diff *diff, const char *path, struct results_reader *results,
                            struct error *error)
{
    enum status status = results_open(path, results, error);
    if (status == STATUS_OK && results->cut)
        session_warn(diff->events, "%s: the last line is incomplete and left out", path);
    if (status == STATUS_OK && simulated_label(results->context) != NULL)
        session_warn(diff->events, "%s: %s: %s", path, simulated_label(results->context),
                     simulated_how(results->context));
    if (status == STATUS_OK && results->count == 0)
        status = error_set(error, STATUS_FAILED, "%s has no finished point to compare", path);
    return status;
}

enum status diff_results(struct diff *diff, const char *old, const char *new, struct error *error)
{
    struct files files = {
        .old = {.fd = -1}, .new = {.fd = -1}, .old_points = json_object(), .new_points = json_object()};
    enum status status = open_one(diff, old, &files.old, error);
    if (status == STATUS_OK)
        status = open_one(diff, new, &files.new, error);
    if (status == STATUS_OK)
        status = compare_files(diff, &files, error);
    results_reader_close(&files.old);
    results_reader_close(&files.new);
    json_decref(files.old_points);
    json_decref(files.new_points);
    return status;
}
