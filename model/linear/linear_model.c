/* The model "linear": the user names the fitted metric and its regressors on the command line. */
#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "generator/metric/metric.h"
#include "model/data/counters.h"
#include "model/fitting/algebra.h"
#include "model/fitting/form.h"
#include "model/fitting/point_fit.h"
#include "model/model_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The metric that is fitted by default: power above idle. */
static const char DYNAMIC_W[] = "dynamic_w";

enum { CANDIDATES = 512, LIST_BYTES = 1024, HINT_BYTES = 320, WORST = 3 };

/* How counts of a repetition become regressors: for a power per second, for an energy or a time as they are,
 * for anything else per pass. */
enum basis { PER_SECOND, PER_REPETITION, PER_PASS };
static const char *const bases[] = {"per second", "per repetition", "per pass"};

struct columns {
    const char *y, *unit; /* unit "": a share, or unknown */
    enum basis basis;
    bool above_idle; /* y includes the error of the idle level */
    char list[LIST_BYTES];
    const char *x[LINEAR_COLUMNS]; /* point into list; NULL: the intercept */
    bool count_of[LINEAR_COLUMNS]; /* x is a count of the repetition */
    size_t count;
};

/* ---- names ---- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether dataset_number returns a sum over the repetition. */
static bool is_count(const char *name)
{
    static const char *const names[] = {"passes", "instructions", "loads",  "stores",
                                        "cycles", "dynamic_j",    "seconds"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return begins_with(name, "accesses.") || begins_with(name, "op.") || begins_with(name, "counter.");
}

/* A number of the repetition; power metrics too are those of the repetition here, not of the whole point.
 * NAN: the results lack it. */
static double number_of(const struct dataset_row *row, const char *name)
{
    if (strcmp(name, DYNAMIC_W) == 0 || strcmp(name, "power.dynamic_w") == 0)
        return row->dynamic_j / row->seconds;
    if (strcmp(name, "power.total_w") == 0)
        return row->energy_j / row->seconds;
    return dataset_number(row, strcmp(name, "energy.dynamic_j") == 0 ? "dynamic_j" : name);
}

static const char *unit_of(const char *name)
{
    if (strcmp(name, DYNAMIC_W) == 0 || strcmp(name, "static_w") == 0)
        return "W";
    if (strcmp(name, "dynamic_j") == 0)
        return "J";
    if (strcmp(name, "seconds") == 0)
        return "s";
    return strcmp(name, "temperature_c") == 0 ? "C" : metric_unit(name);
}

/* Names of the numbers in the results, for the hint. */
struct candidates {
    const char *names[CANDIDATES];
    size_t count;
    struct arena arena;
};

/* Adds prefix and name together, unless they are there. */
static void offer(struct candidates *candidates, const char *prefix, const char *name)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s%s", prefix, name);
    for (size_t i = 0; i < candidates->count; i++)
        if (strcmp(candidates->names[i], text.data) == 0)
            prefix = NULL;
    if (prefix != NULL && candidates->count < CANDIDATES)
        candidates->names[candidates->count++] = arena_strdup(&candidates->arena, text.data);
    buffer_free(&text);
}

static void offer_all(const struct dataset *dataset, struct candidates *candidates)
{
    static const char *const own[] = {"dynamic_w", "dynamic_j",    "static_w", "seconds", "temperature_c",
                                      "passes",    "instructions", "loads",    "stores",  "cycles"};
    for (size_t i = 0; dataset->count > 0 && i < sizeof own / sizeof own[0]; i++)
        if (isfinite(number_of(&dataset->rows[0], own[i])))
            offer(candidates, "", own[i]);
    for (size_t i = 0; i < dataset->point_count; i++) {
        const struct result_point *point = dataset->points[i];
        const char *name;
        for (size_t j = 0; j < point->rates.count; j++) {
            name = point->rates.items[j].metric;
            offer(candidates, "", name);
            offer(candidates,
                  begins_with(name, "served.") ? "accesses."
                  : begins_with(name, "mix.")  ? "op."
                                               : "",
                  begins_with(name, "served.") ? name + 7
                  : begins_with(name, "mix.")  ? name + 4
                                               : name);
        }
        for (size_t j = 0; j < point->per_pass.count; j++)
            if (begins_with(point->per_pass.items[j].name, "transfers."))
                offer(candidates, "accesses.", point->per_pass.items[j].name + 10);
        for (size_t j = 0; j < point->counters.count; j++)
            offer(candidates, "counter.", point->counters.items[j].name);
        for (size_t j = 0; j < point->power.values.count; j++)
            if (isfinite(point->power.values.items[j].interval.value))
                offer(candidates, "", point->power.values.items[j].name);
        for (size_t j = 0; j < point->parameters.count; j++)
            if (point->parameters.parts[j].value.kind == VALUE_NUMBER)
                offer(candidates, "parameter.", point->parameters.parts[j].name);
    }
}

/* STATUS_USAGE, with the nearest name, when no repetition has the number. */
static enum status check_name(const struct dataset *dataset, const char *name, struct error *error)
{
    for (size_t i = 0; i < dataset->count; i++)
        if (isfinite(number_of(&dataset->rows[i], name)))
            return STATUS_OK;
    struct candidates candidates = {0};
    struct buffer all = {0};
    offer_all(dataset, &candidates);
    for (size_t i = 0; i < candidates.count && all.size < HINT_BYTES; i++)
        buffer_printf(&all, "%s%s", i == 0 ? "the results have " : ", ", candidates.names[i]);
    error_set(error, STATUS_USAGE, "no repetition of the results has a number '%.80s'", name);
    suggest_hint(error, name, candidates.names, candidates.count,
                 all.size == 0 ? "the results have no repetition that can be used" : all.data);
    buffer_free(&all);
    arena_free(&candidates.arena);
    return STATUS_USAGE;
}

static enum status add_column(struct columns *columns, const char *name, struct error *error)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->x[i] != NULL && strcmp(columns->x[i], name) == 0)
            return error_set(error, STATUS_USAGE, "--x names %.80s twice", name);
    if (strcmp(columns->y, name) == 0)
        return error_set(error, STATUS_USAGE, "%.80s is what is fitted (--y): it cannot be a regressor too",
                         name);
    if (columns->count == LINEAR_COLUMNS)
        return error_set(error, STATUS_USAGE, "--x names more than %d regressors", LINEAR_COLUMNS - 1);
    columns->x[columns->count] = name;
    columns->count_of[columns->count++] = is_count(name);
    return STATUS_OK;
}

static enum status read_columns(const struct dataset *dataset, const struct model_settings *settings,
                                struct columns *columns, struct error *error)
{
    *columns = (struct columns){.y = settings->y == NULL ? DYNAMIC_W : settings->y};
    if (settings->x == NULL || settings->x[0] == '\0') {
        error_set(error, STATUS_USAGE, "the model linear has no regressors");
        error_hint(error, "name them: --x counter.l2_misses,accesses.MEM; trauma fit --explain linear lists "
                          "them");
        return STATUS_USAGE;
    }
    if (strlen(settings->x) >= sizeof columns->list)
        return error_set(error, STATUS_USAGE, "--x has more than %d characters", LIST_BYTES - 1);
    columns->unit = unit_of(columns->y);
    columns->basis = strcmp(columns->unit, "W") == 0                                      ? PER_SECOND
                     : strcmp(columns->unit, "J") == 0 || strcmp(columns->unit, "s") == 0 ? PER_REPETITION
                                                                                          : PER_PASS;
    columns->above_idle = strstr(columns->y, "dynamic") != NULL;
    snprintf(columns->list, sizeof columns->list, "%s", settings->x);
    enum status status = check_name(dataset, columns->y, error);
    for (char *rest = columns->list, *name; status == STATUS_OK && (name = strsep(&rest, ",")) != NULL;) {
        if (name[0] == '\0')
            return error_set(error, STATUS_USAGE, "--x %.80s: a name is empty", settings->x);
        status = check_name(dataset, name, error);
        if (status == STATUS_OK)
            status = add_column(columns, name, error);
    }
    if (status != STATUS_OK || !settings->intercept)
        return status;
    if (columns->count == LINEAR_COLUMNS)
        return error_set(error, STATUS_USAGE, "--x names too many regressors");
    columns->x[columns->count++] = NULL;
    return STATUS_OK;
}

/* ---- rows ---- */

static double scaled(const struct columns *columns, const struct dataset_row *row, double number)
{
    return columns->basis == PER_SECOND ? number / row->seconds
           : columns->basis == PER_PASS ? number / row->passes
                                        : number;
}

static double value_of(const struct columns *columns, const struct dataset_row *row, size_t column)
{
    double number = columns->x[column] == NULL ? 1 : number_of(row, columns->x[column]);
    return columns->x[column] != NULL && columns->count_of[column] ? scaled(columns, row, number) : number;
}

/* Adds a row for one point, the mean of its repetitions, which are those with index from to to - 1. Adds
 * their sum of squares to *squares. False when a number is missing, whose name is then in *missing. */
static bool add_point(const struct dataset *dataset, const struct columns *columns, size_t from, size_t to,
                      struct fitted *fitted, double *squares, const char **missing)
{
    struct fitted_row row = {0};
    double n = (double)(to - from);
    double mean = 0, off = 0;
    for (size_t i = from; i < to; i++) {
        const struct dataset_row *rep = &dataset->rows[i];
        double y = number_of(rep, columns->y);
        double step = y - mean;
        mean += step / (double)(i - from + 1);
        off += step * (y - mean);
        row.whole += (columns->basis == PER_SECOND ? rep->energy_j / rep->seconds : fabs(y)) / n;
        row.own += columns->above_idle ? dataset_idle_error(rep->point) *
                                             (columns->basis == PER_REPETITION ? rep->seconds : 1) / n
                                       : 0;
        for (size_t j = 0; j < columns->count; j++)
            row.x[j] += value_of(columns, rep, j) / n;
    }
    row.measured = mean;
    *missing = isfinite(mean) ? NULL : columns->y;
    for (size_t j = 0; j < columns->count && *missing == NULL; j++)
        *missing = isfinite(row.x[j]) ? NULL : columns->x[j];
    if (*missing != NULL)
        return false;
    struct fitted_row *added = fitted_add(fitted);
    fitted_place(added, dataset, dataset->rows[from].point);
    memcpy(added->x, row.x, sizeof added->x);
    added->measured = mean;
    added->whole = isfinite(row.whole) ? row.whole : fabs(mean);
    added->own = row.own;
    added->freedom = n; /* gather replaces the number of repetitions */
    *squares += off;
    return true;
}

/* Adds all points. The noise of a repetition is the meter's, and equal in all. */
static enum status gather(const struct dataset *dataset, const struct columns *columns, struct fitted *fitted,
                          struct model_result *result, struct error *error)
{
    double squares = 0, freedom = 0;
    size_t without = 0;
    const char *example = NULL, *lacks = NULL;
    for (size_t i = 0, next; i < dataset->count; i = next) {
        const char *missing;
        next = dataset_point_end(dataset, i);
        if (add_point(dataset, columns, i, next, fitted, &squares, &missing)) {
            freedom += (double)(next - i) - 1;
            continue;
        }
        if (without++ == 0) {
            example = dataset_name(dataset->rows[i].point);
            lacks = missing;
        }
    }
    if (without > 0)
        model_note(result, "%zu points lack a number and are left out: %.160s has no %.80s", without, example,
                   lacks);
    for (size_t i = 0; i < fitted->count; i++) {
        struct fitted_row *row = &fitted->rows[i];
        double variance = freedom > 0 ? squares / freedom / row->freedom : 0;
        row->own = sqrt(variance + row->own * row->own);
        row->freedom = freedom;
    }
    if (fitted->count > 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "no point has all numbers: %zu lack one; %.160s has no %.80s", without,
              example == NULL ? "none" : example, lacks == NULL ? columns->y : lacks);
    error_hint(error, "fit results that have them all, or leave out a regressor");
    return STATUS_USAGE;
}

/* ---- the fit ---- */

/* Fits the columns that are not held at 0, and sets the regression's spread. */
static enum status fit_free(const struct columns *columns, const bool *held, double assumed,
                            struct fitted *fitted, struct point_error *shift, struct linear_fit *line,
                            struct error *error)
{
    size_t map[LINEAR_COLUMNS], n = 0, rows = fitted->count;
    const char *names[LINEAR_COLUMNS];
    for (size_t j = 0; j < columns->count; j++)
        if (!held[j]) {
            names[n] = fitted->names[j];
            map[n++] = j;
        }
    double *x = algebra_numbers(rows * (n + 3) + 1);
    double *y = x + rows * n, *own = y + rows, *whole = own + rows;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++)
            x[i * n + j] = fitted->rows[i].x[map[j]];
        y[i] = fitted->rows[i].measured;
        own[i] = pow(fitted->rows[i].own, 2);
        whole[i] = fitted->rows[i].whole;
    }
    const struct linear_data data = {rows, n, x, y, NULL, names};
    const struct point_fit fit = {&data, own, fmax(1, fitted->rows[0].freedom), whole};
    struct point_residual *residuals = memory_zeroed(rows + 1, sizeof *residuals);
    struct spread spread;
    enum status status = point_fit_error(&fit, assumed, residuals, shift, error);
    if (status == STATUS_OK)
        status = point_fit_spread(&fit, shift, NULL, line, &spread, error);
    if (status == STATUS_OK) {
        fitted->spread =
            (struct spread){.columns = columns->count, .freedom = spread.freedom, .rows = spread.rows};
        for (size_t j = 0; j < n; j++) {
            fitted->spread.value[map[j]] = spread.value[j];
            for (size_t k = 0; k < n; k++)
                fitted->spread.covariance[map[j] * columns->count + map[k]] = spread.covariance[j * n + k];
        }
    }
    free(residuals);
    free(x);
    return status;
}

static struct interval coefficient(const struct spread *spread, size_t which)
{
    double one[LINEAR_COLUMNS] = {0};
    one[which] = 1;
    return spread_sum(spread, one);
}

/* Finds the columns that a non-negative fit (linear.h) holds at 0. */
static enum status find_held(const struct columns *columns, const struct point_error *shift,
                             const struct fitted *fitted, bool *held, struct error *error)
{
    size_t n = columns->count, rows = fitted->count;
    const char *names[LINEAR_COLUMNS];
    const struct linear_options options = {.non_negative = true};
    struct linear_fit line;
    double *x = algebra_numbers(rows * (n + 2));
    double *y = x + rows * n, *variance = y + rows;
    double largest = 0;
    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, fitted->rows[i].whole);
    for (size_t i = 0; i < rows; i++) {
        memcpy(x + i * n, fitted->rows[i].x, n * sizeof *x);
        y[i] = fitted->rows[i].measured;
        variance[i] = pow(fitted->rows[i].own, 2) + pow(fmax(shift->share, 1e-7) * fitted->rows[i].whole, 2) +
                      pow(1e-7 * largest, 2);
    }
    for (size_t j = 0; j < n; j++)
        names[j] = fitted->names[j];
    const struct linear_data data = {rows, n, x, y, variance, names};
    enum status status = linear_fit(&data, &options, &line, error);
    size_t count = 0;
    for (size_t j = 0; status == STATUS_OK && j < n; j++) {
        held[j] = !(line.value[j] > 0);
        count += held[j];
    }
    free(x);
    if (status == STATUS_OK && count == n)
        return error_set(error, STATUS_USAGE, "with --nonnegative no regressor has a coefficient above 0");
    return status;
}

/* ---- the result ---- */

/* The members of the document that only this model has. */
struct linear_x {
    const char *name;
    bool count; /* a count of the repetition */
};

struct linear_own {
    const char *y, *unit, *counts; /* counts: their basis, "per second" */
    struct linear_x *x;
    size_t x_count;
    bool intercept, non_negative;
    struct spread spread;
};

static const char *unit_of_column(const struct columns *columns, size_t column)
{
    bool per_count = columns->x[column] != NULL && columns->count_of[column];
    return columns->basis == PER_SECOND && per_count ? "J" : columns->unit[0] == '\0' ? "1" : columns->unit;
}

/* The upper end of a coefficient that is held at 0 is that of the fit without the bound (most). */
static void set_coefficients(const struct columns *columns, const struct fitted *fitted, const bool *held,
                             const double *most, bool non_negative, struct model_result *result)
{
    for (size_t j = 0; j < columns->count; j++) {
        struct interval at = coefficient(&fitted->spread, j);
        if (held[j]) {
            at.high = fmax(0, most[j]);
            model_note(result, "%s would be below 0 and is held at 0", fitted->names[j]);
        }
        if (non_negative)
            at.low = fmax(0, at.low);
        model_set_coefficient(result, fitted->names[j], at, unit_of_column(columns, j));
    }
}

static int by_error(const void *a, const void *b)
{
    const struct fitted_row *x = a, *y = b;
    double one = fabs(x->measured - x->predicted), other = fabs(y->measured - y->predicted);
    return (one < other) - (one > other);
}

static void note_worst(const struct columns *columns, const struct fitted *fitted,
                       struct model_result *result)
{
    struct fitted_row *rows = memory_zeroed(fitted->count, sizeof *rows);
    struct buffer text = {0};
    char label[FITTED_LABEL_BYTES];
    memcpy(rows, fitted->rows, fitted->count * sizeof *rows);
    qsort(rows, fitted->count, sizeof *rows, by_error);
    for (size_t i = 0; i < fitted->count && i < WORST; i++)
        buffer_printf(&text, "%s%.120s %+.3g %s of %.4g", i == 0 ? "" : ", ", fitted_label(&rows[i], label),
                      rows[i].measured - rows[i].predicted, columns->unit, rows[i].measured);
    model_note(result, "largest residuals, measured less predicted: %s", text.data);
    buffer_free(&text);
    free(rows);
}

static void describe(const struct columns *columns, const struct model_settings *settings,
                     const struct fitted *fitted, const struct linear_fit *line, struct model_result *result)
{
    struct linear_own *own = result->own;
    struct arena *arena = &result->arena;
    *own = (struct linear_own){.y = arena_strdup(arena, columns->y),
                               .unit = arena_strdup(arena, columns->unit),
                               .counts = bases[columns->basis],
                               .x = arena_alloc(arena, columns->count, sizeof *own->x),
                               .x_count = columns->count,
                               .intercept = settings->intercept,
                               .non_negative = settings->non_negative,
                               .spread = fitted->spread};
    for (size_t j = 0; j < columns->count; j++)
        own->x[j] = (struct linear_x){arena_strdup(arena, fitted->names[j]),
                                      columns->x[j] != NULL && columns->count_of[j]};
    model_states(result, "linear");
    model_set_quality(result, "r2", line->r2, false);
    model_set_quality(result, "residual", line->residual, false);
    model_set_quality(result, "condition", line->condition, false);
    model_set_quality(result, "rows", (double)fitted->count, true);
    for (size_t j = 0; j < columns->count; j++)
        if (columns->x[j] != NULL && columns->count_of[j]) {
            model_note(result, "%s is fitted; counts are %s", columns->y, bases[columns->basis]);
            break;
        }
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error)
{
    struct columns columns;
    struct point_error shift = {0};
    struct linear_fit line;
    bool held[LINEAR_COLUMNS] = {false};
    double most[LINEAR_COLUMNS] = {0};
    double assumed = point_error_assumed(model_linear.settings, settings);
    enum status status = read_columns(dataset, settings, &columns, error);
    if (status != STATUS_OK)
        return status;
    fitted_begin(fitted, strcmp(columns.y, DYNAMIC_W) == 0 ? "dynamic power" : columns.y, columns.unit, NULL);
    for (size_t j = 0; j < columns.count; j++)
        snprintf(fitted->names[j], LINEAR_NAME_BYTES, "%s",
                 columns.x[j] == NULL ? "intercept" : columns.x[j]);
    status = gather(dataset, &columns, fitted, result, error);
    if (status == STATUS_OK)
        status = fit_free(&columns, held, assumed, fitted, &shift, &line, error);
    for (size_t j = 0; status == STATUS_OK && j < columns.count; j++)
        most[j] = coefficient(&fitted->spread, j).high;
    if (status == STATUS_OK && settings->non_negative)
        status = find_held(&columns, &shift, fitted, held, error);
    if (status == STATUS_OK && settings->non_negative)
        status = fit_free(&columns, held, assumed, fitted, &shift, &line, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < fitted->count; i++) {
        struct fitted_row *row = &fitted->rows[i];
        for (size_t j = 0; j < columns.count; j++) {
            row->x[j] = held[j] ? 0 : row->x[j];
            row->predicted += fitted->spread.value[j] * row->x[j];
        }
    }
    point_error_report(shift, result);
    form_test(fitted, result);
    set_coefficients(&columns, fitted, held, most, settings->non_negative, result);
    describe(&columns, settings, fitted, &line, result);
    note_worst(&columns, fitted, result);
    return STATUS_OK;
}

/* ---- predict ---- */

/* The counter of that name, with or without "counter." or "parameter."; NAN: none. */
static double counter_of(const struct named_numbers *counters, const char *name)
{
    double number = named_number_value(counters, name);
    const char *dot = strchr(name, '.');
    if (isnan(number) && dot != NULL && (begins_with(name, "counter.") || begins_with(name, "parameter.")))
        number = named_number_value(counters, dot + 1);
    return number;
}

static enum status lacks(const char *name, const char *why, struct error *error)
{
    (void)counters_lack(name, why, error);
    error_hint(error, "the model linear needs each of its regressors: trauma fit --explain linear");
    return STATUS_USAGE;
}

static enum status predict(const struct model_result *model, const struct named_numbers *counters,
                           const struct model_settings *settings, struct model_result *result,
                           struct error *error)
{
    const struct linear_own *own = model->own;
    const struct spread *spread = &own->spread;
    (void)settings;
    if (!spread_is_whole(spread) || spread->columns != own->x_count)
        return error_set(error, STATUS_USAGE, "the model has no coefficients");
    const char *per = strcmp(own->counts, bases[PER_SECOND]) == 0 ? "seconds"
                      : strcmp(own->counts, bases[PER_PASS]) == 0 ? "passes"
                                                                  : NULL;
    double over = per == NULL ? 1 : named_number_value(counters, per);
    double row[LINEAR_COLUMNS] = {0};
    for (size_t j = 0; j < own->x_count; j++) {
        const struct linear_x *column = &own->x[j];
        const char *name = column->name == NULL ? "" : column->name;
        bool constant = own->intercept && j + 1 == spread->columns;
        double number = constant ? 1 : counter_of(counters, name);
        double one[LINEAR_COLUMNS] = {0};
        if (isnan(number))
            return lacks(name, "", error);
        if (column->count && !(over > 0))
            return lacks(per, ", which the model divides counts by", error);
        row[j] = one[j] = column->count ? number / over : number;
        model_add_part(result, name, spread_sum(spread, one), own->unit, false);
    }
    struct interval whole = spread_sum(spread, row);
    double seconds = named_number_value(counters, "seconds");
    model_add_part(result, own->y, whole, own->unit, false);
    if (strcmp(own->unit, "W") == 0 && seconds > 0)
        model_add_part(result, "energy", interval_times(whole, seconds), "J", false);
    return STATUS_OK;
}

/* ---- fields in a document ---- */

static const struct field_row x_rows[] = {
    FIELD_ROW(linear_x, "name", FIELD_TEXT, name), FIELD_ROW(linear_x, "count", FIELD_FLAG, count), {0}};

static const struct field_row spread_rows[] = {MODEL_SPREAD(linear_own, spread), {0}};

static const struct field_row linear_rows[] = {
    FIELD_ROW(linear_own, "y", FIELD_TEXT, y),
    FIELD_ROW(linear_own, "unit", FIELD_TEXT, unit),
    FIELD_ROW(linear_own, "counts", FIELD_TEXT, counts),
    FIELD_STRUCTS(linear_own, "x", x, x_count, x_rows, struct linear_x),
    FIELD_ROW(linear_own, "intercept", FIELD_FLAG, intercept),
    FIELD_ROW(linear_own, "non_negative", FIELD_FLAG, non_negative),
    FIELD_INNER("spread", spread_rows),
    {0}};

static const struct field_row own_rows[] = {FIELD_INNER("linear", linear_rows), {0}};

static const struct linear_own nothing = {.y = "", .unit = "", .counts = "", .spread = {.freedom = 1}};

static const char *label(const struct dataset_row *row, char *buffer)
{
    snprintf(buffer, MODEL_LABEL_BYTES, "%.90s", row->point->benchmark);
    return buffer;
}

static const struct model_setting_row setting_rows[] = {POINT_ERROR_SETTING, {NULL, NULL, 0}};
static const char *const fit_only[] = {"point_error", NULL};

const struct model model_linear = {
    .name = "linear",
    .title = "a number of the results as the sum of others, which the user names",
    .page =
        "y = the sum of coefficients times regressors, by least squares over points. --y names the fitted "
        "metric (default dynamic_w, the power above idle), --x the regressors, separated by commas. "
        "--intercept adds a constant, --nonnegative allows no coefficient below 0, and --channel dram, "
        "core, package, ... takes the power of that channel instead of the results' own.\n"
        "\n"
        "Names are any metric of the results (ipc, served.L2, power.static_w), dynamic_w, dynamic_j, "
        "static_w, seconds, temperature_c, passes, instructions, loads, stores, cycles, accesses.LEVEL, "
        "op.OPERATION, counter.NAME and parameter.NAME. Counts are taken per second where y is a power, "
        "so that their coefficients are energies; of the whole repetition where y is an energy or a "
        "time; else per pass.\n"
        "\n"
        "Each point is weighted by its repetitions' scatter, the error of its idle level and the error "
        "of whole points. The model assumes that the regressors are known exactly, and that nothing "
        "else changes. Do not trust it for programs unlike those of the fit, or where a coefficient's "
        "variance is inflated more than tenfold: two regressors are then nearly proportional.\n"
        "\n"
        "predict takes a counter for each regressor, with or without counter. and parameter. before its "
        "name, and seconds where counts are per second.\n",
    .settings = setting_rows,
    .own_rows = own_rows,
    .own_size = sizeof(struct linear_own),
    .own_none = &nothing,
    .fit_only = fit_only,
    .label = label,
    .ends_by_point = true,
    .design = &design_of_linear,
    .fit = fit,
    .predict = predict,
};
