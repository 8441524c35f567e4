/* The model "interconnect" (Adhinarayanan et al. 2016, sections V and VI): power = constant * share of peak
 * bandwidth * toggle rate * distance * f * V^2, with a floor at zero toggle beside it. What is fitted are
 * differences between points that do the same at different distances, so that all else falls away. */
#include "model/interconnect.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERNS = 16, SPARE_ROWS = 4, GRID = 5 };

static const double NO_TOGGLE = 1e-3;
static const double RANDOM_TOGGLE = 0.5; /* of random data */
static const double WARMER_C = 1;        /* thermometers agree no better */

/* What the coefficients stand for. */
struct columns {
    size_t count;
    long floor, drift; /* -1: not there */
    size_t pattern_count;
    const char *patterns[PATTERNS];
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES];
    const char *list[LINEAR_COLUMNS];
};

/* ---- which columns ---- */

static void add_column(struct columns *columns, const char *format, const char *name)
{
    char *text = columns->names[columns->count];
    snprintf(text, LINEAR_NAME_BYTES, format, name);
    columns->list[columns->count++] = text;
}

static size_t different_toggles(const struct interconnect_samples *samples)
{
    double first = NAN;
    size_t found = 0;
    for (size_t i = 0; i < samples->count && found < 2; i++) {
        double toggle = samples->items[i].toggle;
        if (toggle <= NO_TOGGLE || fabs(toggle - first) <= NO_TOGGLE)
            continue;
        first = toggle;
        found++;
    }
    return found;
}

static bool has_zeros(const struct interconnect_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].toggle <= NO_TOGGLE && strcmp(samples->items[i].pattern, "zeros") == 0)
            return true;
    return false;
}

/* Patterns that do not toggle and yet differ: "interference from neighboring bit lines", and ones against
 * zeros (section V.B). The floor is that of zeros; without zeros, that of the line through the others, or of
 * the first. */
static void choose_patterns(const struct interconnect_samples *samples, struct columns *columns)
{
    const char *reference = has_zeros(samples) ? "zeros" : NULL;
    bool line = different_toggles(samples) >= 2;
    for (size_t i = 0; i < samples->count; i++) {
        const struct interconnect_sample *sample = &samples->items[i];
        bool seen = sample->toggle > NO_TOGGLE;
        if (!seen && reference == NULL && !line)
            reference = sample->pattern;
        seen = seen || (reference != NULL && strcmp(sample->pattern, reference) == 0);
        for (size_t j = 0; j < columns->pattern_count; j++)
            seen = seen || strcmp(columns->patterns[j], sample->pattern) == 0;
        if (seen || columns->pattern_count == PATTERNS)
            continue;
        columns->patterns[columns->pattern_count++] = sample->pattern;
        add_column(columns, "pattern.%.40s", sample->pattern[0] == '\0' ? "unnamed" : sample->pattern);
    }
}

/* Whether the chip's temperature is told everywhere and is not the same. */
static bool is_drifting(const struct interconnect_samples *samples)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t i = 0; i < samples->count; i++) {
        if (!isfinite(samples->items[i].celsius))
            return false;
        low = fmin(low, samples->items[i].celsius);
        high = fmax(high, samples->items[i].celsius);
    }
    return high - low > WARMER_C;
}

static void choose_columns(const struct interconnect_samples *samples, struct columns *columns)
{
    bool still = false;
    *columns = (struct columns){.floor = -1, .drift = -1};
    for (size_t i = 0; i < samples->count; i++)
        still = still || samples->items[i].toggle <= NO_TOGGLE;
    size_t toggling = different_toggles(samples);
    if (toggling > 0)
        add_column(columns, "constant%s", "");
    if (still || toggling >= 2) {
        columns->floor = (long)columns->count;
        add_column(columns, "floor%s", "");
        choose_patterns(samples, columns);
    }
    if (is_drifting(samples)) {
        columns->drift = (long)columns->count;
        add_column(columns, "drift%s", "");
    }
}

static void fill_row(const struct interconnect_sample *sample, const struct columns *columns, double *row)
{
    double moved = sample->share * sample->distance * sample->scale;
    size_t first_pattern = (size_t)(columns->floor + 1);
    memset(row, 0, columns->count * sizeof *row);
    row[0] = moved * sample->toggle;
    if (columns->floor >= 0)
        row[columns->floor] = moved;
    for (size_t j = 0; j < columns->pattern_count; j++)
        if (sample->toggle <= NO_TOGGLE && strcmp(columns->patterns[j], sample->pattern) == 0)
            row[first_pattern + j] = moved;
    if (columns->drift >= 0)
        row[columns->drift] = sample->celsius;
}

/* ---- differences ---- */

struct differences {
    double *x, *y;
    size_t *group;
    struct linear_data data;
};

/* Adds the sample's difference from the mean of those before it in its condition, scaled so that all rows
 * have one sample's noise and are independent (Helmert's contrasts). */
static void add_difference(const struct interconnect_samples *samples, size_t which,
                           const struct columns *columns, struct differences *rows)
{
    double mean[LINEAR_COLUMNS + 1] = {0};
    double own[LINEAR_COLUMNS + 1];
    size_t before = 0;
    for (size_t i = 0; i < which; i++) {
        if (samples->items[i].condition != samples->items[which].condition)
            continue;
        fill_row(&samples->items[i], columns, own);
        own[columns->count] = samples->items[i].watts;
        before++;
        for (size_t j = 0; j <= columns->count; j++)
            mean[j] += (own[j] - mean[j]) / (double)before;
    }
    if (before == 0)
        return;
    double scale = sqrt((double)before / (double)(before + 1));
    fill_row(&samples->items[which], columns, own);
    for (size_t j = 0; j < columns->count; j++)
        rows->x[rows->data.rows * columns->count + j] = scale * (own[j] - mean[j]);
    rows->y[rows->data.rows] = scale * (samples->items[which].watts - mean[columns->count]);
    rows->group[rows->data.rows++] = samples->items[which].group;
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static struct differences make_differences(const struct interconnect_samples *samples,
                                           const struct columns *columns)
{
    struct differences rows = {.x = room(samples->count * columns->count, sizeof(double)),
                               .y = room(samples->count, sizeof(double)),
                               .group = room(samples->count, sizeof(size_t))};
    for (size_t i = 0; i < samples->count; i++)
        add_difference(samples, i, columns, &rows);
    rows.data.columns = columns->count;
    rows.data.x = rows.x;
    rows.data.y = rows.y;
    rows.data.names = columns->list;
    return rows;
}

static void free_differences(struct differences *rows)
{
    free(rows->x);
    free(rows->y);
    free(rows->group);
}

/* ---- what is told ---- */

/* All that a fit works on. */
struct work {
    const struct interconnect_samples *samples;
    const struct columns *columns;
    const struct differences *rows;
    struct linear_options options;
    struct linear_fit fit;
    json_t *document;
};

/* A sum of coefficients. */
struct weights {
    double of[LINEAR_COLUMNS];
    size_t count;
};

static double weighted(const double *coefficients, const void *context)
{
    const struct weights *weights = context;
    double sum = 0;
    for (size_t i = 0; i < weights->count; i++)
        sum += weights->of[i] * coefficients[i];
    return sum;
}

/* factor * (constant * toggle + floor). */
static struct interval line_at(const struct work *work, double toggle, double factor, bool floor)
{
    struct weights weights = {.count = work->columns->count};
    weights.of[0] = factor * toggle;
    if (floor && work->columns->floor >= 0)
        weights.of[work->columns->floor] = factor;
    return linear_derive(&work->rows->data, &work->options, &work->fit, weighted, &weights);
}

static double highest_toggle(const struct interconnect_samples *samples)
{
    double most = 0;
    for (size_t i = 0; i < samples->count; i++)
        most = fmax(most, samples->items[i].toggle);
    return most;
}

/* The paper's own constant takes the floor for a part of the product. */
static void set_product(const struct work *work, const char *unit)
{
    double toggle = highest_toggle(work->samples);
    model_set_coefficient(work->document, "product", line_at(work, toggle, 1 / toggle, true), unit);
    json_object_set_new(work->document, "product_toggle", json_real(toggle));
}

static void set_energies(const struct work *work)
{
    double peak_bits = 8 * work->samples->peak;
    bool mm = work->samples->mm;
    if (!isfinite(peak_bits)) {
        model_note(work->document, "without the peak bandwidth in bytes a second there is no energy per bit: "
                                   "--set peak=BYTES_PER_SECOND, or banks, bank_bytes and ghz");
        return;
    }
    model_set_coefficient(work->document, mm ? "energy_per_bit_mm" : "energy_per_bit",
                          line_at(work, RANDOM_TOGGLE, 1 / peak_bits, true), mm ? "J/bit/mm" : "J/bit/path");
    model_set_coefficient(work->document, mm ? "energy_per_toggle_mm" : "energy_per_toggle",
                          line_at(work, 1, 1 / peak_bits, false), mm ? "J/flip/mm" : "J/flip/path");
}

/* The line with its interval, for predictions at any toggle rate. */
static void set_line(const struct work *work)
{
    json_t *line = json_array();
    for (int i = 0; i < GRID; i++) {
        double toggle = (double)i / (GRID - 1);
        struct interval at = line_at(work, toggle, 1, true);
        json_array_append_new(line, json_pack("{s:f, s:f, s:f, s:f}", "toggle", toggle, "value", at.value,
                                              "low", at.low, "high", at.high));
    }
    json_object_set_new(work->document, "line", line);
}

static void set_coefficients(const struct work *work)
{
    const char *unit = work->samples->mm ? "W/mm" : "W/path";
    for (size_t i = 0; i < work->columns->count; i++)
        model_set_coefficient(work->document, work->columns->list[i], work->fit.interval[i],
                              (long)i == work->columns->drift ? "W/C" : unit);
    set_product(work, unit);
    set_energies(work);
    set_line(work);
}

static void set_number(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, isfinite(value) ? json_real(value) : json_null());
}

static void set_reference(const struct work *work, const struct model_settings *settings)
{
    json_t *reference = json_object();
    set_number(reference, "hz", work->samples->ref_hz);
    set_number(reference, "volts", work->samples->ref_volts);
    set_number(reference, "peak_bytes_per_s", work->samples->peak);
    json_object_set_new(work->document, "reference", reference);
    json_object_set_new(work->document, "distance_unit", json_string(work->samples->mm ? "mm" : "path"));
    json_t *kept = json_object();
    for (size_t i = 0; i < settings->count; i++)
        json_object_set_new(kept, settings->items[i].name, json_real(settings->items[i].value));
    json_object_set_new(work->document, "settings", kept);
}

static void set_quality(const struct work *work)
{
    json_object_set_new(work->document, "quality",
                        json_pack("{s:f, s:f, s:f, s:I}", "r2", work->fit.r2, "residual_w",
                                  work->fit.residual, "condition", work->fit.condition, "rows",
                                  (json_int_t)work->fit.rows));
}

/* Groups numbered without gaps, as only they are left out in turn. */
static size_t number_groups(const struct differences *rows, size_t *group)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->data.rows; i++) {
        size_t seen = rows->data.rows;
        for (size_t j = 0; j < i; j++)
            if (rows->group[j] == rows->group[i])
                seen = group[j];
        group[i] = seen == rows->data.rows ? count++ : seen;
    }
    return count;
}

static void validate(const struct work *work)
{
    struct linear_validation validation;
    struct error error = {0};
    size_t *group = room(work->rows->data.rows, sizeof *group);
    double *predicted = room(work->rows->data.rows, sizeof *predicted);
    number_groups(work->rows, group);
    if (linear_cross_validate(&work->rows->data, &work->options, group, predicted, &validation, &error) ==
        STATUS_OK)
        json_object_set_new(work->document, "validation",
                            json_pack("{s:I, s:I, s:f, s:f}", "groups", (json_int_t)validation.groups, "rows",
                                      (json_int_t)validation.rows, "mean_absolute", validation.mean_absolute,
                                      "worst", validation.worst));
    else
        model_note(work->document, "not validated: %s", error.message);
    free(predicted);
    free(group);
}

/* The paper's first result: 5 % more chip-wide dynamic power (section V.A). */
static void note_most(const struct work *work)
{
    struct interconnect_samples means = interconnect_means(work->samples);
    double most = 0;
    size_t far = 0;
    for (size_t i = 0; i < means.count; i++)
        for (size_t j = 0; j < means.count; j++) {
            const struct interconnect_sample *a = &means.items[j];
            const struct interconnect_sample *b = &means.items[i];
            double more = b->watts / a->watts - 1;
            if (a->condition != b->condition || a->distance >= b->distance || !(more > most))
                continue;
            most = more;
            far = i;
        }
    if (most > 0)
        model_note(work->document, "the longer path takes up to %.2f %% more dynamic power (%.200s)",
                   100 * most, json_string_or(means.items[far].point, "name", ""));
    interconnect_free(&means);
}

static void note(const struct work *work, bool by_point)
{
    const struct interconnect_samples *samples = work->samples;
    json_t *document = work->document;
    note_most(work);
    if (!by_point)
        model_note(document, "few points: the intervals are of repetitions, and what shifts a whole point is "
                             "not in them; run the points again in a second file");
    if (work->columns->floor < 0)
        model_note(document,
                   "all points toggle alike: the floor is in the constant, and the product holds at "
                   "this toggle rate only");
    if (!samples->mm)
        model_note(document, "distances are in paths, long or far less short or near: "
                             "--set distance=MILLIMETRES makes them mm");
    if (samples->peak_is_measured)
        model_note(document, "the peak bandwidth is the most that was seen, %.4g B/s", samples->peak);
    if (isfinite(samples->ref_hz) && isnan(samples->ref_volts))
        model_note(document, "no voltage is told: the constant holds at %.4g GHz only",
                   samples->ref_hz / 1e9);
    if (samples->without_energy + samples->untrusted + samples->outliers + samples->alone > 0)
        model_note(document,
                   "left out: %zu repetitions without dynamic energy, %zu of points whose power is not to be "
                   "trusted, %zu outliers, and %zu points without a partner at another distance",
                   samples->without_energy, samples->untrusted, samples->outliers, samples->alone);
    if (work->columns->drift >= 0)
        model_note(document, "power that follows the chip's temperature is in \"drift\"");
}

/* ---- fit ---- */

static enum status fit_rows(struct work *work, const struct model_settings *settings, bool by_point,
                            struct error *error)
{
    struct differences rows = make_differences(work->samples, work->columns);
    work->rows = &rows;
    work->options = (struct linear_options){.resamples = MODEL_RESAMPLES};
    enum status status = linear_fit(&rows.data, &work->options, &work->fit, error);
    if (status == STATUS_OK) {
        set_coefficients(work);
        set_reference(work, settings);
        set_quality(work);
        validate(work);
        note(work, by_point);
    }
    free_differences(&rows);
    return status;
}

static size_t conditions_of(const struct interconnect_samples *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || samples->items[j].condition == samples->items[i].condition;
        count += !seen;
    }
    return count;
}

/* Of points, whose noise holds what shifts all of a point's repetitions, where there are enough of them; else
 * of repetitions. */
static enum status fit(const struct dataset *dataset, const struct model_settings *settings, json_t *document,
                       struct error *error)
{
    struct interconnect_samples samples;
    struct interconnect_samples means = {0};
    struct columns columns;
    enum status status = interconnect_gather(dataset, settings, &samples, error);
    if (status == STATUS_OK) {
        choose_columns(&samples, &columns);
        if (highest_toggle(&samples) <= NO_TOGGLE) {
            status = error_set(error, STATUS_USAGE, "no point toggles its data: nothing tells the constant");
            error_hint(error, "add points of random data, or of a stated toggle rate");
        }
    }
    if (status == STATUS_OK) {
        means = interconnect_means(&samples);
        bool by_point = means.count - conditions_of(&means) >= columns.count + SPARE_ROWS;
        struct work work = {
            .samples = by_point ? &means : &samples, .columns = &columns, .document = document};
        status = fit_rows(&work, settings, by_point, error);
    }
    interconnect_free(&means);
    interconnect_free(&samples);
    return status;
}

const struct model model_interconnect = {
    .name = "interconnect",
    .title = "power of moving data across the chip, by distance (Adhinarayanan et al. 2016)",
    .page =
        "Power = constant * share of peak bandwidth * toggle rate * distance * f * V^2, and a floor that "
        "does not\n"
        "toggle, at its own constant; patterns that do not toggle and differ from zeros have a term each. "
        "What is\n"
        "fitted are differences between points that differ in distance only (path = short or long, side "
        "= near or\n"
        "far, or distance in mm), so that compute, caches and idle power fall away. Assumes that both "
        "paths move data\n"
        "at one rate (more than 1 % apart is refused), that the stated distance is right (the energy per "
        "bit and mm is\n"
        "no better than it), and that the wires of other parts of the chip are like those between L1 and "
        "L2. Not to be\n"
        "believed where the longer path takes hardly more power than the meter's noise, where toggle "
        "rates of an\n"
        "application are only assumed (the paper assumes 0.34), nor for off-chip links.\n",
    .settings = interconnect_settings,
    .fit = fit,
    .predict = interconnect_predict,
};
