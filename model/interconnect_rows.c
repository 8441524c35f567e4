#include "model/interconnect_rows.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NO_TOGGLE = 1e-3;
static const double WARMER_C = 1; /* thermometers agree no better */

/* ---- which columns ---- */

static void add_column(struct interconnect_columns *columns, const char *format, const char *name)
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
static void choose_patterns(const struct interconnect_samples *samples, struct interconnect_columns *columns)
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
        if (seen || columns->pattern_count == INTERCONNECT_PATTERNS)
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

void interconnect_choose_columns(const struct interconnect_samples *samples,
                                 struct interconnect_columns *columns)
{
    bool still = false;
    *columns = (struct interconnect_columns){.floor = -1, .drift = -1};
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

static void fill_row(const struct interconnect_sample *sample, const struct interconnect_columns *columns,
                     double *row)
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

/* Idle power was measured before and after, at other temperatures, with its own noise. Where the chip's own
 * temperature tells how much it is, all power is looked at, of which the temperature takes its part. */
static double power_of(const struct interconnect_sample *sample, const struct interconnect_columns *columns)
{
    return sample->watts + (columns->drift >= 0 ? sample->static_w : 0);
}

/* Adds the sample's difference from the mean of those before it in its condition, scaled so that all rows
 * have one sample's noise and are independent (Helmert's contrasts). */
static void add_difference(const struct interconnect_samples *samples, size_t which,
                           const struct interconnect_columns *columns, struct interconnect_rows *rows)
{
    double mean[LINEAR_COLUMNS + 1] = {0};
    double own[LINEAR_COLUMNS + 1];
    size_t before = 0;
    for (size_t i = 0; i < which; i++) {
        if (samples->items[i].condition != samples->items[which].condition)
            continue;
        fill_row(&samples->items[i], columns, own);
        own[columns->count] = power_of(&samples->items[i], columns);
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
    rows->y[rows->data.rows] = scale * (power_of(&samples->items[which], columns) - mean[columns->count]);
    rows->scale[rows->data.rows] = scale;
    rows->sample[rows->data.rows++] = &samples->items[which];
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

struct interconnect_rows interconnect_make_rows(const struct interconnect_samples *samples,
                                                const struct interconnect_columns *columns)
{
    struct interconnect_rows rows = {.x = room(samples->count * columns->count, sizeof(double)),
                                     .y = room(samples->count, sizeof(double)),
                                     .scale = room(samples->count, sizeof(double)),
                                     .sample = room(samples->count, sizeof(struct interconnect_sample *))};
    for (size_t i = 0; i < samples->count; i++)
        add_difference(samples, i, columns, &rows);
    rows.data.columns = columns->count;
    rows.data.x = rows.x;
    rows.data.y = rows.y;
    rows.data.names = columns->list;
    return rows;
}

void interconnect_free_rows(struct interconnect_rows *rows)
{
    free(rows->x);
    free(rows->y);
    free(rows->scale);
    free(rows->sample);
}

/* ---- validation ---- */

struct validation {
    size_t groups, rows;
    double sum, worst;
};

/* Rows of equal distance tell only noise. */
static bool tells_distance(const struct interconnect_rows *rows, size_t row)
{
    return rows->data.x[row * rows->data.columns] != 0 && rows->y[row] != 0;
}

static void judge_group(const struct interconnect_rows *rows, size_t group, const struct linear_fit *fit,
                        struct validation *validation)
{
    for (size_t i = 0; i < rows->data.rows; i++) {
        if (rows->sample[i]->group != group || !tells_distance(rows, i))
            continue;
        double off = fabs(linear_predict(fit, rows->x + i * rows->data.columns) / rows->y[i] - 1);
        validation->sum += off;
        validation->worst = fmax(validation->worst, off);
        validation->rows++;
    }
}

static void leave_out(const struct interconnect_rows *rows, size_t group, json_t *document,
                      struct validation *validation)
{
    struct linear_data rest = rows->data;
    const struct linear_options options = {0};
    struct linear_fit fit;
    struct error error = {0};
    const char *recipe = NULL;
    double *x = room(rows->data.rows * rows->data.columns, sizeof *x);
    double *y = room(rows->data.rows, sizeof *y);
    rest.rows = 0;
    rest.x = x;
    rest.y = y;
    rest.variance = NULL;
    for (size_t i = 0; i < rows->data.rows; i++) {
        if (rows->sample[i]->group == group) {
            recipe = json_string_or(rows->sample[i]->point, "recipe", "");
            continue;
        }
        memcpy(x + rest.rows * rest.columns, rows->x + i * rest.columns, rest.columns * sizeof *x);
        y[rest.rows++] = rows->y[i];
    }
    if (recipe != NULL && linear_fit(&rest, &options, &fit, &error) == STATUS_OK) {
        judge_group(rows, group, &fit, validation);
        validation->groups++;
    } else if (recipe != NULL)
        model_note(document, "%.120s was not left out to validate: without it %.300s", recipe, error.message);
    free(x);
    free(y);
}

void interconnect_validate(const struct interconnect_rows *rows, size_t groups, json_t *document)
{
    struct validation validation = {0};
    size_t first = rows->data.rows > 0 ? rows->sample[0]->group : 0;
    bool several = false;
    for (size_t i = 0; i < rows->data.rows; i++)
        several = several || rows->sample[i]->group != first;
    if (!several) {
        model_note(document, "not validated: all points are of one recipe");
        return;
    }
    for (size_t i = 0; i < groups; i++)
        leave_out(rows, i, document, &validation);
    if (validation.rows > 0)
        json_object_set_new(document, "validation",
                            json_pack("{s:I, s:I, s:f, s:f}", "groups", (json_int_t)validation.groups, "rows",
                                      (json_int_t)validation.rows, "mean_absolute",
                                      validation.sum / (double)validation.rows, "worst", validation.worst));
}
