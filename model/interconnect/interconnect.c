/* The model "interconnect" (Adhinarayanan et al. 2016, sections V and VI): power = constant * share of peak
 * bandwidth * toggle rate * distance * f * V^2, plus a floor at toggle rate zero. It is fitted to differences
 * between points that do the same work at different distances, so that everything else cancels. */
#include "model/interconnect/interconnect.h"
#include "model/model_json.h"

#include "base/memory.h"
#include "model/chart.h"
#include "model/fitting/algebra.h"
#include "model/fitting/form.h"
#include "model/fitting/point_error.h"
#include "model/fitting/point_fit.h"
#include "model/fitting/spread.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows: differences within a condition ---- */

enum { INTERCONNECT_PATTERNS = 16 };

/* The columns: the constant of the product, then the floor, patterns that do not toggle, and temperature. */
struct interconnect_columns {
    size_t count;
    long floor, drift; /* -1: absent */
    size_t pattern_count;
    const char *patterns[INTERCONNECT_PATTERNS];
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES];
    const char *list[LINEAR_COLUMNS];
};

struct interconnect_rows {
    double *x, *y;
    double *extras;      /* of each row: EXTRAS columns */
    double *own, *whole; /* of each row: the variance of its own noise; the meter's whole reading, W */
    const struct interconnect_sample **sample; /* the sample that each row adds to its condition */
    struct linear_data data;
};

/* Terms that the product may lack, and the difference between the program's toggle rate and that of the
 * wires. They are differenced as the columns are. */
enum { SUSPECT_TOGGLE, SUSPECT_SHARE, SUSPECT_DISTANCE, SUSPECTS, EXTRA_DEALT = SUSPECTS, EXTRAS };
static const char *const suspect_names[SUSPECTS] = {[SUSPECT_TOGGLE] = "the square of the toggle rate",
                                                    [SUSPECT_SHARE] =
                                                        "the square of the share of the bandwidth",
                                                    [SUSPECT_DISTANCE] = "the square of the distance"};

static const double NO_TOGGLE = 1e-3;
static const double WARMER_C = 1; /* the accuracy of thermometers */

/* ---- which columns ---- */

static void add_column(struct interconnect_columns *columns, const char *format, const char *name)
{
    char *text = columns->names[columns->count];
    snprintf(text, LINEAR_NAME_BYTES, format, name);
    columns->list[columns->count++] = text;
}

/* The number of different toggle rates above 0, at most 2. */
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

/* Adds columns for patterns that do not toggle and yet draw different power: "interference from neighboring
 * bit lines", and ones against zeros (section V.B). The floor is that of zeros; without zeros, that of the
 * line through the toggling points or, without a line, of the first pattern. */
static void choose_patterns(const struct interconnect_samples *samples, struct interconnect_columns *columns)
{
    const char *reference = has_zeros(samples) ? "zeros" : NULL;
    bool line = different_toggles(samples) >= 2;
    for (size_t i = 0; i < samples->count; i++) {
        const struct interconnect_sample *sample = &samples->items[i];
        bool done = sample->toggle > NO_TOGGLE;
        if (!done && reference == NULL && !line)
            reference = sample->pattern;
        done = done || (reference != NULL && strcmp(sample->pattern, reference) == 0);
        for (size_t j = 0; j < columns->pattern_count; j++)
            done = done || strcmp(columns->patterns[j], sample->pattern) == 0;
        if (done || columns->pattern_count == INTERCONNECT_PATTERNS)
            continue;
        columns->patterns[columns->pattern_count++] = sample->pattern;
        add_column(columns, "pattern.%.40s", sample->pattern[0] == '\0' ? "unnamed" : sample->pattern);
    }
}

/* Whether every sample has a chip temperature, and these differ. */
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

/* Sets the columns that the samples determine. columns must not move, as list points into it. */
static void choose_columns(const struct interconnect_samples *samples, struct interconnect_columns *columns)
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

static void fill_extras(const struct interconnect_sample *sample, double *extras)
{
    double moved = sample->share * sample->distance * sample->scale;
    extras[SUSPECT_TOGGLE] = moved * pow(sample->toggle, 2);
    extras[SUSPECT_SHARE] = moved * sample->toggle * sample->share;
    extras[SUSPECT_DISTANCE] = moved * sample->toggle * sample->distance;
    extras[EXTRA_DEALT] = moved * sample->dealt_off;
}

/* ---- differences ---- */

/* The power that is fitted. Idle power was measured before and after, at other temperatures and with its own
 * noise: if there is a column for temperature, total power is used, and that column describes idle power. */
static double own_power(const struct interconnect_sample *sample, const struct interconnect_columns *columns)
{
    return sample->watts + (columns->drift >= 0 ? sample->static_w : 0);
}

static double whole_power(const struct interconnect_sample *sample)
{
    return sample->watts + sample->static_w;
}

/* Adds the sample's difference from the mean of those before it in its condition. The rows are scaled to be
 * independent and to have the noise of one sample (Helmert's contrasts). */
static void add_difference(const struct interconnect_samples *samples, size_t which,
                           const struct interconnect_columns *columns, struct interconnect_rows *rows)
{
    double mean[LINEAR_COLUMNS + 1 + EXTRAS] = {0};
    double own[LINEAR_COLUMNS + 1 + EXTRAS];
    double *extras = own + columns->count + 1;
    double variance = 0, whole = 0; /* sums over the samples before */
    size_t before = 0;
    for (size_t i = 0; i < which; i++) {
        if (samples->items[i].condition != samples->items[which].condition)
            continue;
        fill_row(&samples->items[i], columns, own);
        own[columns->count] = own_power(&samples->items[i], columns);
        fill_extras(&samples->items[i], extras);
        variance += samples->items[i].variance;
        whole += pow(whole_power(&samples->items[i]), 2);
        before++;
        for (size_t j = 0; j <= columns->count + EXTRAS; j++)
            mean[j] += (own[j] - mean[j]) / (double)before;
    }
    if (before == 0)
        return;
    double scale = sqrt((double)before / (double)(before + 1));
    fill_row(&samples->items[which], columns, own);
    fill_extras(&samples->items[which], extras);
    for (size_t j = 0; j < EXTRAS; j++)
        rows->extras[rows->data.rows * EXTRAS + j] = scale * (extras[j] - mean[columns->count + 1 + j]);
    for (size_t j = 0; j < columns->count; j++)
        rows->x[rows->data.rows * columns->count + j] = scale * (own[j] - mean[j]);
    rows->y[rows->data.rows] = scale * (own_power(&samples->items[which], columns) - mean[columns->count]);
    double n = (double)before;
    rows->own[rows->data.rows] = scale * scale * (samples->items[which].variance + variance / (n * n));
    rows->whole[rows->data.rows] =
        scale * sqrt(pow(whole_power(&samples->items[which]), 2) + whole / (n * n));
    rows->sample[rows->data.rows++] = &samples->items[which];
}

/* Everything that the samples of a condition share cancels in the rows. Free with free_rows; borrows columns.
 */
static struct interconnect_rows make_rows(const struct interconnect_samples *samples,
                                          const struct interconnect_columns *columns)
{
    struct interconnect_rows rows = {.x = memory_zeroed(samples->count * columns->count, sizeof(double)),
                                     .y = memory_zeroed(samples->count, sizeof(double)),
                                     .extras = memory_zeroed(samples->count * EXTRAS, sizeof(double)),
                                     .own = memory_zeroed(samples->count, sizeof(double)),
                                     .whole = memory_zeroed(samples->count, sizeof(double)),
                                     .sample =
                                         memory_zeroed(samples->count, sizeof(struct interconnect_sample *))};
    for (size_t i = 0; i < samples->count; i++)
        add_difference(samples, i, columns, &rows);
    rows.data.columns = columns->count;
    rows.data.x = rows.x;
    rows.data.y = rows.y;
    rows.data.names = columns->list;
    return rows;
}

static void free_rows(struct interconnect_rows *rows)
{
    free(rows->x);
    free(rows->y);
    free(rows->extras);
    free(rows->own);
    free(rows->whole);
    free(rows->sample);
}

/* ---- charts: the paper's figures 5b, 7, 8 and 9 ---- */

/* A path's distance and power above those of the shortest path of its condition. */
struct difference {
    const struct interconnect_sample *far;
    double distance, watts;
};

struct differences {
    struct difference *items;
    size_t count;
};

static const struct interconnect_sample *shortest(const struct interconnect_samples *means, size_t condition)
{
    const struct interconnect_sample *least = NULL;
    for (size_t i = 0; i < means->count; i++)
        if (means->items[i].condition == condition &&
            (least == NULL || means->items[i].distance < least->distance))
            least = &means->items[i];
    return least;
}

static struct differences differences_of(const struct interconnect_samples *means)
{
    struct differences made = {memory_zeroed(means->count, sizeof *made.items), 0};
    for (size_t i = 0; i < means->count; i++) {
        const struct interconnect_sample *far = &means->items[i];
        const struct interconnect_sample *near = shortest(means, far->condition);
        if (far->distance > near->distance)
            made.items[made.count++] =
                (struct difference){far, far->distance - near->distance, far->watts - near->watts};
    }
    return made;
}

/* W/mm, or W/path, at full bandwidth and the reference state. */
static double rate_of(const struct difference *one)
{
    return one->watts / (one->distance * one->far->share * one->far->scale);
}

static const char *unit_of(const struct interconnect_samples *samples, const char *mm, const char *paths)
{
    return samples->mm ? mm : paths;
}

/* Draws power over distance, of conditions with at least three distances. */
static void draw_distances(const struct interconnect_samples *samples, const struct differences *all,
                           struct model_result *result)
{
    struct chart *chart =
        model_chart(result, CHART_POINTS, "Power over distance", "above the shortest path",
                    unit_of(samples, "Distance (mm)", "Distance (paths)"), "Interconnect power (W)");
    for (size_t i = 0; i < all->count; i++) {
        size_t same = 0;
        char label[48];
        for (size_t j = 0; j < all->count; j++)
            same += all->items[j].far->condition == all->items[i].far->condition &&
                    all->items[j].distance != all->items[i].distance;
        snprintf(label, sizeof label, "toggle rate %.3g", all->items[i].far->toggle);
        if (same > 0)
            chart_sample(chart, label, all->items[i].distance, interval_exact(all->items[i].watts));
    }
}

static double share_of(const struct difference *one)
{
    return one->far->share;
}

static double scale_of(const struct difference *one)
{
    return one->far->scale;
}

/* Draws power over x, if it has more than one value, at the maximum of the other quantity: full bandwidth, or
 * the reference state. */
static void draw_over(const struct differences *all, double (*x)(const struct difference *one),
                      double (*fixed)(const struct difference *one), const char *title, const char *axis,
                      struct model_result *result)
{
    struct chart *chart =
        model_chart(result, CHART_POINTS, title, "long path minus short", axis, "Interconnect power (W)");
    double most = 0;
    bool several = false;
    for (size_t i = 0; i < all->count; i++) {
        most = fmax(most, fixed(&all->items[i]));
        several = several || fabs(x(&all->items[i]) / x(&all->items[0]) - 1) > 0.01;
    }
    for (size_t i = 0; several && i < all->count; i++) {
        char label[48];
        snprintf(label, sizeof label, "toggle rate %.3g", all->items[i].far->toggle);
        if (fixed(&all->items[i]) > 0.99 * most)
            chart_sample(chart, label, x(&all->items[i]), interval_exact(all->items[i].watts));
    }
}

/* Draws the mean power of each pattern, scaled to full bandwidth and the reference state. */
static void draw_patterns(const struct interconnect_samples *samples, const struct differences *all,
                          struct model_result *result)
{
    struct chart *chart = model_chart(
        result, CHART_BARS, "Power by data pattern", "scaled to full bandwidth and the reference state", "",
        unit_of(samples, "Interconnect power (W/mm)", "Interconnect power (W/path)"));
    for (size_t i = 0; i < all->count; i++) {
        const char *pattern = all->items[i].far->pattern;
        double sum = 0;
        size_t count = 0;
        bool first = true;
        for (size_t j = 0; j < all->count; j++) {
            if (strcmp(all->items[j].far->pattern, pattern) != 0)
                continue;
            first = first && j >= i;
            sum += rate_of(&all->items[j]);
            count++;
        }
        if (pattern[0] != '\0' && first)
            chart_bar(chart, "", pattern, interval_exact(sum / (double)count));
    }
}

/* ---- results ---- */

enum { GRID = 5 };

/* Deviations from the pair's rate above this share are reported. */
static const double REPORTED_RATE = 1e-4;
static const double RANDOM_TOGGLE = 0.5; /* of random data */

/* The state of a fit. */
struct interconnect_fitting {
    const struct interconnect_samples *samples; /* the points' means, which are fitted */
    const struct interconnect_samples *all;     /* all repetitions */
    const struct interconnect_columns *columns;
    struct interconnect_rows rows;
    struct linear_fit fit;
    struct spread spread; /* of the coefficients */
    double freedom;       /* of the points' own noise */
    struct model_result *result;
    struct interconnect_own *own; /* result->own */
};

/* factor * (constant * toggle + floor), the floor only if `floor`. */
static struct interval line_at(const struct interconnect_fitting *work, double toggle, double factor,
                               bool floor)
{
    double weights[LINEAR_COLUMNS] = {0};
    weights[0] = factor * toggle;
    if (floor && work->columns->floor >= 0)
        weights[work->columns->floor] = factor;
    return spread_sum(&work->spread, weights);
}

static double highest_toggle(const struct interconnect_samples *samples)
{
    double most = 0;
    for (size_t i = 0; i < samples->count; i++)
        most = fmax(most, samples->items[i].toggle);
    return most;
}

/* The paper's own constant includes the floor. */
static void set_product(const struct interconnect_fitting *work, const char *unit)
{
    double toggle = highest_toggle(work->samples);
    model_set_coefficient(work->result, "product", line_at(work, toggle, 1 / toggle, true), unit);
    work->own->product_toggle = toggle;
    model_states(work->result, "product_toggle");
}

static void set_energies(const struct interconnect_fitting *work)
{
    double peak_bits = 8 * work->samples->peak;
    bool mm = work->samples->mm;
    if (!isfinite(peak_bits)) {
        model_note(work->result, "energy per bit needs the peak bandwidth in bytes per second: --set "
                                 "peak=BYTES_PER_SECOND, or banks, bank_bytes and ghz");
        return;
    }
    model_set_coefficient(work->result, mm ? "energy_per_bit_mm" : "energy_per_bit",
                          line_at(work, RANDOM_TOGGLE, 1 / peak_bits, true), mm ? "J/bit/mm" : "J/bit/path");
    model_set_coefficient(work->result, mm ? "energy_per_toggle_mm" : "energy_per_toggle",
                          line_at(work, 1, 1 / peak_bits, false), mm ? "J/flip/mm" : "J/flip/path");
}

/* Sets the line with its interval, for predictions at any toggle rate. */
static void set_line(const struct interconnect_fitting *work)
{
    struct interconnect_own *own = work->own;
    own->line = arena_alloc(&work->result->arena, GRID, sizeof *own->line);
    for (int i = 0; i < GRID; i++) {
        double toggle = (double)i / (GRID - 1);
        struct interval at = line_at(work, toggle, 1, true);
        own->line[own->line_count++] = (struct interconnect_at){toggle, at.value, at.low, at.high};
    }
    model_states(work->result, "line");
}

/* Draws the paper's figure 7, power over toggle rate, and the other figures. */
static void draw(const struct interconnect_fitting *work)
{
    struct differences all = differences_of(work->samples);
    struct chart *chart = model_chart(
        work->result, CHART_POINTS, "Power over toggle rate", "", "Flips per bit",
        unit_of(work->samples, "Power at full bandwidth (W/mm)", "Power at full bandwidth (W/path)"));
    for (int i = 0; i < GRID; i++) {
        double toggle = (double)i / (GRID - 1);
        chart_sample(chart, "fitted", toggle, line_at(work, toggle, 1, true));
    }
    for (size_t i = 0; i < all.count; i++)
        chart_sample(chart, "measured", all.items[i].far->toggle, interval_exact(rate_of(&all.items[i])));
    chart_curve(chart, "fitted", NULL);
    draw_distances(work->samples, &all, work->result);
    draw_patterns(work->samples, &all, work->result);
    draw_over(&all, share_of, scale_of, "Power over bandwidth", "Share of peak bandwidth", work->result);
    draw_over(&all, scale_of, share_of, "Power over states of voltage and frequency",
              "f V² relative to the reference", work->result);
    free(all.items);
}

static void set_coefficients(const struct interconnect_fitting *work)
{
    const char *unit = work->samples->mm ? "W/mm" : "W/path";
    for (size_t i = 0; i < work->columns->count; i++) {
        double one[LINEAR_COLUMNS] = {0};
        one[i] = 1;
        model_set_coefficient(work->result, work->columns->list[i], spread_sum(&work->spread, one),
                              (long)i == work->columns->drift ? "W/C" : unit);
    }
    set_product(work, unit);
    set_energies(work);
    set_line(work);
}

/* Sets the range in which the points ran: predictions outside it are extrapolations. */
static void set_fitted(const struct interconnect_fitting *work)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    struct arena *arena = &work->result->arena;
    for (size_t i = 0; i < work->samples->count; i++) {
        const struct interconnect_sample *sample = &work->samples->items[i];
        const double each[3] = {sample->toggle, sample->hz, sample->volts};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], each[k]);
            high[k] = fmax(high[k], each[k]);
        }
    }
    work->own->fitted.toggle = model_span(low[0], high[0], arena);
    work->own->fitted.hz = model_span(low[1], high[1], arena);
    work->own->fitted.volts = model_span(low[2], high[2], arena);
    model_states(work->result, "fitted");
}

static void set_reference(const struct interconnect_fitting *work, const struct model_settings *settings)
{
    struct interconnect_own *own = work->own;
    own->hz = work->samples->ref_hz;
    own->volts = work->samples->ref_volts;
    own->peak_bytes_per_s = work->samples->peak;
    own->distance_unit = work->samples->mm ? "mm" : "path";
    for (size_t i = 0; i < settings->count; i++)
        named_number_set(&own->settings, &work->result->arena, settings->items[i].name,
                         settings->items[i].value);
    model_states(work->result, "reference");
    model_states(work->result, "distance_unit");
    model_states(work->result, "settings");
    set_fitted(work);
}

static void set_quality(const struct interconnect_fitting *work)
{
    model_set_quality(work->result, "r2", work->fit.r2, false);
    model_set_quality(work->result, "residual_w", work->fit.residual, false);
    model_set_quality(work->result, "condition", work->fit.condition, false);
    model_set_quality(work->result, "rows", (double)work->fit.rows, true);
}

/* Notes the largest effect of distance: in the paper, 5 % more chip-wide dynamic power (section V.A). */
static void note_most(const struct interconnect_fitting *work)
{
    const struct interconnect_samples *means = work->samples;
    double most = 0;
    size_t far = 0;
    for (size_t i = 0; i < means->count; i++)
        for (size_t j = 0; j < means->count; j++) {
            const struct interconnect_sample *a = &means->items[j];
            const struct interconnect_sample *b = &means->items[i];
            double more = b->watts / a->watts - 1;
            if (a->condition != b->condition || a->distance >= b->distance || !(more > most))
                continue;
            most = more;
            far = i;
        }
    if (most > 0)
        model_note(work->result, "the longer path takes up to %.2f %% more dynamic power (%.200s)",
                   100 * most, means->items[far].point->name);
}

static void note(const struct interconnect_fitting *work)
{
    const struct interconnect_samples *samples = work->samples;
    struct model_result *result = work->result;
    note_most(work);
    if (work->columns->floor < 0)
        model_note(result, "all points have the same toggle rate: the constant includes the floor, and the "
                           "product holds at this toggle rate only");
    if (!samples->mm)
        model_note(result, "distances are in paths (long or far minus short or near): --set "
                           "distance=MILLIMETRES converts them to mm");
    if (samples->levelled > REPORTED_RATE && isnan(samples->follows_rate))
        model_note(result,
                   "rates of a path were up to %.2g %% off their pair's mean: power is scaled to the mean, "
                   "as if it were proportional to the rate",
                   100 * samples->levelled);
    else if (samples->levelled > REPORTED_RATE)
        model_note(result,
                   "rates of a path were up to %.2g %% off their pair's mean: power is scaled to the mean, "
                   "in proportion to the rate to the power of %.2g, as the points show",
                   100 * samples->levelled, samples->follows_rate);
    if (samples->peak_is_measured)
        model_note(result, "the peak bandwidth is the highest observed rate, %.4g B/s", samples->peak);
    if (isfinite(samples->ref_hz) && isnan(samples->ref_volts))
        model_note(result, "no voltage is given: the constant holds at %.4g GHz only", samples->ref_hz / 1e9);
    if (samples->unmeasured > 0)
        model_note(
            result,
            "no bandwidth was measured for %zu repetitions: it is computed from the share that their recipe "
            "states and the stated peak",
            samples->unmeasured);
    if (samples->dealt > 0)
        model_note(
            result,
            "left out: %zu repetitions whose data toggles at another rate as it is dealt to wires than in "
            "the program's order, for example of %.200s",
            samples->dealt, samples->dealt_point->name);
    if (samples->without_energy + samples->alone > 0)
        model_note(
            result,
            "left out: %zu repetitions without dynamic energy, and %zu points without a partner at another "
            "distance",
            samples->without_energy, samples->alone);
    if (samples->unplaced > 0)
        model_note(result, "left out: %zu repetitions without a distance, for example of %.200s",
                   samples->unplaced, samples->unplaced_point->name);
    if (work->columns->drift >= 0)
        model_note(result, "power that depends on the chip's temperature is in \"drift\"");
}

/* ---- the noise of points ---- */

/* Adds the error that all rows share because the wires may toggle at another rate. */
static void add_dealt(struct interconnect_fitting *work)
{
    size_t count = work->rows.data.rows;
    size_t *group = memory_zeroed(count + 1, sizeof *group);
    double *off = memory_zeroed(count + 1, sizeof *off);
    for (size_t i = 0; i < count; i++)
        off[i] = work->fit.value[0] * work->rows.extras[i * EXTRAS + EXTRA_DEALT];
    spread_add_common(&work->rows.data, group, 1, off, &work->spread);
    free(group);
    free(off);
}

/* Without a stated error of the idle level, the error of whole points includes it, and is equal at every
 * power. */
static void level_whole(const struct interconnect_samples *means, struct interconnect_rows *rows)
{
    double squared = 0;
    for (size_t i = 0; i < means->count; i++)
        if (dataset_idle_error(means->items[i].point) > 0)
            return;
    for (size_t i = 0; i < rows->data.rows; i++)
        squared += pow(rows->whole[i], 2) / (double)rows->data.rows;
    for (size_t i = 0; i < rows->data.rows; i++)
        rows->whole[i] = sqrt(squared);
}

/* Fits the regression, weighted by the noise of each point and the error of whole points. */
static enum status fit_points(struct interconnect_fitting *work, struct interconnect_samples *means,
                              double assumed, struct error *error)
{
    struct linear_options plain = {0};
    long drift = work->columns->drift;
    enum status status = STATUS_OK;
    work->rows = make_rows(means, work->columns);
    if (drift >= 0) /* a first fit with equal weights, for the slope that the variances need */
        status = linear_fit(&work->rows.data, &plain, &work->fit, error);
    if (status != STATUS_OK)
        return status;
    work->freedom = interconnect_set_variances(work->all, means, drift >= 0 ? work->fit.value[drift] : NAN);
    free_rows(&work->rows);
    work->rows = make_rows(means, work->columns);
    if (drift < 0)
        level_whole(means, &work->rows);
    const struct point_fit points = {&work->rows.data, work->rows.own, work->freedom, work->rows.whole};
    struct point_error shift;
    struct point_residual *residuals = memory_zeroed(work->rows.data.rows + 1, sizeof *residuals);
    status = point_fit_error(&points, assumed, residuals, &shift, error);
    free(residuals);
    if (status == STATUS_OK)
        status = point_fit_spread(&points, &shift, NULL, &work->fit, &work->spread, error);
    if (status == STATUS_OK) {
        point_error_report(shift, work->result);
        add_dealt(work);
    }
    return status;
}

/* ---- fit ---- */

/* Sets the rows of the regression and tests the form. */
static void set_rows(const struct dataset *dataset, struct interconnect_fitting *work, struct fitted *fitted)
{
    size_t n = work->columns->count;
    fitted->spread = work->spread;
    memcpy(fitted->suspects, suspect_names, sizeof suspect_names);
    for (size_t j = 0; j < n; j++)
        snprintf(fitted->names[j], LINEAR_NAME_BYTES, "%s", work->columns->list[j]);
    for (size_t i = 0; i < work->rows.data.rows; i++) {
        struct fitted_row *row = fitted_add(fitted);
        fitted_place(row, dataset, work->rows.sample[i]->point);
        memcpy(row->x, work->rows.x + i * n, n * sizeof *row->x);
        memcpy(row->suspects, work->rows.extras + i * EXTRAS, SUSPECTS * sizeof *row->suspects);
        row->measured = work->rows.y[i];
        row->predicted = linear_predict(&work->fit, row->x);
        row->own = sqrt(work->rows.own[i]);
        row->freedom = work->freedom;
        row->whole = work->rows.whole[i];
    }
    form_test(fitted, work->result);
    work->spread = fitted->spread;
}

static double highest_power(const struct interconnect_samples *means)
{
    double most = 0;
    for (size_t i = 0; i < means->count; i++)
        most = fmax(most, means->items[i].watts);
    return most;
}

static enum status fit_rows(const struct dataset *dataset, struct interconnect_fitting *work,
                            struct interconnect_samples *means, const struct model_settings *settings,
                            struct fitted *fitted, struct error *error)
{
    double assumed = point_error_assumed(model_interconnect.settings, settings);
    enum status status = fit_points(work, means, assumed, error);
    fitted_begin(fitted, "power above that of the shorter path", "W", NULL);
    if (status == STATUS_OK)
        status = interconnect_add_units(dataset, highest_power(means), assumed, fitted, work->result, error);
    if (status == STATUS_OK) {
        set_rows(dataset, work, fitted);
        set_coefficients(work);
        set_reference(work, settings);
        set_quality(work);
        draw(work);
        note(work);
    }
    free_rows(&work->rows);
    return status;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error)
{
    struct interconnect_samples samples;
    struct interconnect_samples means = {0};
    struct interconnect_columns columns;
    enum status status = interconnect_gather(dataset, settings, &samples, error);
    if (status == STATUS_OK) {
        choose_columns(&samples, &columns);
        if (highest_toggle(&samples) <= NO_TOGGLE) {
            status =
                error_set(error, STATUS_USAGE, "no point toggles its data: nothing determines the constant");
            error_hint(error,
                       samples.dealt == 0
                           ? "add points of random data, or of a stated toggle rate"
                           : "points whose data toggles at another rate as it is dealt to wires were left "
                             "out: data.toggle_rate.dealt shows that rate");
        }
    }
    if (status == STATUS_OK) {
        means = interconnect_means(&samples);
        struct interconnect_fitting work = {
            .samples = &means, .all = &samples, .columns = &columns, .result = result, .own = result->own};
        status = fit_rows(dataset, &work, &means, settings, fitted, error);
    }
    interconnect_free(&means);
    interconnect_free(&samples);
    return status;
}

static const struct field_row line_rows[] = {FIELD_ROW(interconnect_at, "toggle", FIELD_REAL, toggle),
                                             FIELD_ROW(interconnect_at, "value", FIELD_REAL, value),
                                             FIELD_ROW(interconnect_at, "low", FIELD_REAL, low),
                                             FIELD_ROW(interconnect_at, "high", FIELD_REAL, high),
                                             {0}};

static const struct field_row reference_rows[] = {
    FIELD_ROW(interconnect_own, "hz", FIELD_UNKNOWN, hz),
    FIELD_ROW(interconnect_own, "volts", FIELD_UNKNOWN, volts),
    FIELD_ROW(interconnect_own, "peak_bytes_per_s", FIELD_UNKNOWN, peak_bytes_per_s),
    {0}};

static const struct field_row fitted_rows[] = {MODEL_SPAN(interconnect_own, "toggle", fitted.toggle),
                                               MODEL_SPAN(interconnect_own, "hz", fitted.hz),
                                               MODEL_SPAN(interconnect_own, "volts", fitted.volts),
                                               {0}};

static const struct field_row own_rows[] = {
    FIELD_ROW(interconnect_own, "product_toggle", FIELD_REAL, product_toggle),
    FIELD_STRUCTS(interconnect_own, "line", line, line_count, line_rows, struct interconnect_at),
    FIELD_INNER("reference", reference_rows),
    FIELD_ROW(interconnect_own, "distance_unit", FIELD_TEXT, distance_unit),
    MODEL_OWN(interconnect_own, "settings", settings, named_numbers_read, named_numbers_write),
    FIELD_INNER("fitted", fitted_rows),
    {0}};

static const struct interconnect_own nothing = {.hz = NAN, .volts = NAN, .peak_bytes_per_s = NAN};

static const char *const fit_only[] = {"distance",   "access_bytes", "banks",
                                       "bank_bytes", "point_error",  NULL};
static const char *const predict_only[] = {"to_*", "wire_factor", "transistor_factor", NULL};

static const char SWAPPED[] = "the shorter path takes more: are short and long, or near and far, swapped, or "
                              "have the energies the wrong sign?";

static const struct model_bound bounds[] = {{"constant", SWAPPED},
                                            {"product", SWAPPED},
                                            {"energy_per*", SWAPPED},
                                            {"floor", "data that does not toggle takes less power over a "
                                                      "longer path: are the patterns or the paths mixed up?"},
                                            {NULL, NULL}};

const struct model model_interconnect = {
    .name = "interconnect",
    .title = "power of moving data across the chip, by distance (Adhinarayanan et al. 2016)",
    .page = "Power = constant * share of peak bandwidth * toggle rate * distance * f * V^2, plus a floor\n"
            "with a constant of its own, which does not depend on the toggle rate, and a term for each\n"
            "pattern that does not toggle and differs from zeros. It is fitted to differences between\n"
            "points that differ only in distance (path = short or long, side = near or far, or distance in\n"
            "mm), so that compute, caches and idle power cancel. The model assumes that both paths move\n"
            "data at one rate (more than 1 % apart is refused), that the stated distance is right (the\n"
            "energy per bit and mm is no more accurate), and that the wires of other parts of the chip are\n"
            "like those between L1 and L2. Do not trust it where the difference between the paths is hardly\n"
            "above the meter's noise, where an application's toggle rate is only assumed (the paper assumes\n"
            "0.34), or for off-chip links. Loops on some of the units (interconnect-2016/units) reveal a\n"
            "gain of the meter that changes with the power, and the first line reports when they are\n"
            "missing. No test finds an error of the gain that is equal at every power.\n",
    .settings = interconnect_settings,
    .own_rows = own_rows,
    .own_size = sizeof(struct interconnect_own),
    .own_none = &nothing,
    .fit_only = fit_only,
    .predict_only = predict_only,
    .bounds = bounds,
    .label = interconnect_label,
    .design = &design_of_interconnect,
    .fit = fit,
    .predict = interconnect_predict,
};
