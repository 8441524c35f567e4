/* Fits a polynomial to cooling intervals and evaluates it. The model around it is in idle.c. */
#include "base/json.h"
#include "base/memory.h"
#include "model/fitting/algebra.h"
#include "model/idle/idle.h"
#include "model/model.h"
#include "model/model_json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Windows of a meter at the end of its range agree within this share; at least LEAST_AT_END of them are no
 * coincidence. */
static const double AT_END = 1e-7;
enum { LEAST_AT_END = 3 };

/* A fall of power is expected if it is this many times the scatter. */
static const double SCATTERS = 4;

/* Coolings this close to the end of a meter's range, as a share, may be clipped there. */
static const double CLOSE = 0.01;

/* The accuracy of thermometers, K. */
static const double BEYOND_C = 1;

static const double SAME_C = 1e-6, SAME_VOLTS = 1e-6;
static const double SKIPPED_S = 1, LEAST_COOLING = 5;
enum { MOST_DEGREE = 3 };

static void add_sample(struct idle_samples *samples, const struct idle_sample *sample)
{
    samples->items = memory_resized(samples->items, samples->count + 1, sizeof *samples->items);
    samples->items[samples->count++] = *sample;
}

/* An unfinished window: its start, and the temperature integrated so far. */
struct window_sum {
    double from_s, from_j, from_c; /* from_s NAN: no window has begun */
    double last_s, last_c;
    double degree_seconds;
};

/* Adds a reading. True when the window is full: then *sample has its means, and the next window begins. */
static bool window_full(struct window_sum *sum, double t_s, double joules, double celsius, double window_s,
                        struct idle_sample *sample)
{
    if (!isnan(sum->from_s)) {
        sum->degree_seconds += (celsius + sum->last_c) / 2 * (t_s - sum->last_s);
        sum->last_s = t_s;
        sum->last_c = celsius;
        if (t_s - sum->from_s < window_s)
            return false;
        sample->watts = (joules - sum->from_j) / (t_s - sum->from_s);
        sample->celsius = sum->degree_seconds / (t_s - sum->from_s);
        sample->rate = (celsius - sum->from_c) / (t_s - sum->from_s);
        sample->t_s = (t_s + sum->from_s) / 2;
    }
    bool full = !isnan(sum->from_s);
    *sum = (struct window_sum){t_s, joules, celsius, t_s, celsius, 0};
    return full;
}

/* Adds the windows of the point's cooling, with the other members as in `like`; returns their number. Updates
 * step_c. */
static size_t add_windows(struct idle_samples *samples, const struct result_point *point, double window_s,
                          struct idle_sample like)
{
    struct window_sum sum = {.from_s = NAN};
    size_t added = 0;
    for (size_t i = 0; i < point->idle_after.count; i++) {
        double t_s = point->idle_after.samples[i].t_s;
        double joules = dataset_joules(point, &point->idle_after.samples[i].energy_j);
        double celsius = dataset_hottest(&point->idle_after.samples[i].temperature_c);
        double step =
            i > 0 ? fabs(celsius - dataset_hottest(&point->idle_after.samples[i - 1].temperature_c)) : 0;
        if (step > SAME_C && !(samples->step_c > 0 && samples->step_c <= step))
            samples->step_c = step;
        if (!(t_s >= SKIPPED_S) || isnan(joules) || isnan(celsius) ||
            !window_full(&sum, t_s, joules, celsius, window_s, &like))
            continue;
        add_sample(samples, &like);
        added++;
    }
    return added;
}

/* Whether no row before is of the same point. A point may occur twice if some of its repetitions were left
 * out. */
static bool is_first(const struct dataset *dataset, size_t which)
{
    const struct result_point *point = dataset->rows[which].point;
    bool first = which == 0 || dataset->rows[which - 1].point != point;
    for (size_t i = 0; first && which >= dataset->count && i < dataset->count; i++)
        first = dataset->rows[i].point != point;
    return first;
}

void idle_gather(const struct dataset *dataset, const struct vf_table *table, double window_s,
                 struct idle_samples *samples)
{
    *samples = (struct idle_samples){0};
    for (size_t i = 0; i < dataset->all; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        if (!is_first(dataset, i) || !row->point->idle_after.given)
            continue;
        struct vf_state state = {1, NAN};
        if (table->count > 0 && !vf_of_row(table, row, &state)) {
            samples->without_state++;
            continue;
        }
        double volts = dataset_number(row, "parameter.volts");
        const struct idle_sample like = {.volts = volts > 0 ? volts : state.volts,
                                         .point = samples->points,
                                         .group = row->group,
                                         .of = row->point};
        if (add_windows(samples, row->point, window_s, like) > 0)
            samples->points++;
    }
}

/* The first requested state other than the clock that differs; NULL: none. Boost, governor and idle states
 * change the power of a cooling chip. */
static const char *other_request(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *name = a->parts[i].name;
        bool clock = strcmp(name, "frequency") == 0 || strcmp(name, "gpu_clock") == 0;
        if (!clock && !value_same(&a->parts[i].value, value_get(b, name)))
            return name;
    }
    return NULL;
}

enum status idle_check_requests(const struct dataset *dataset, struct error *error)
{
    const struct result_point *first = NULL;
    for (size_t i = 0; i < dataset->all; i++) {
        const struct result_point *point = dataset->rows[i].point;
        if (!point->idle_after.given || point == first)
            continue;
        first = first == NULL ? point : first;
        const struct value *here = &first->state.wanted;
        const struct value *there = &point->state.wanted;
        const char *name = other_request(here, there);
        name = name == NULL ? other_request(there, here) : name;
        if (name == NULL)
            continue;
        error_set(
            error, STATUS_USAGE,
            "%.160s and %.160s cooled with different requests for %.60s: they have no common idle power",
            dataset_name(first), point->name[0] == '\0' ? "another" : point->name, name);
        error_hint(error, "fit the results of each %.60s separately", name);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

void idle_free(struct idle_samples *samples)
{
    free(samples->items);
    *samples = (struct idle_samples){0};
}

/* ---- the polynomial ---- */

static double scaled(double value, double middle, double half)
{
    return half > 0 ? (value - middle) / half : 0;
}

size_t idle_columns(const struct idle_fit *fit, double volts, double celsius, double *row)
{
    double v = scaled(volts, fit->volts_middle, fit->volts_half);
    double t = scaled(celsius, fit->celsius_middle, fit->celsius_half);
    size_t count = 0;
    double power = 1; /* t to the power of i: faster than pow, for the many rows of many fits */
    for (size_t i = 0; i <= fit->celsius_degree; i++, power *= t) {
        double each = power;
        for (size_t j = 0; j <= fit->volts_degree; j++, each *= v)
            row[count++] = each;
    }
    return count;
}

struct interval idle_at(const struct idle_fit *fit, double volts, double celsius)
{
    double row[LINEAR_COLUMNS];
    idle_columns(fit, volts, celsius, row);
    return spread_sum(&fit->spread, row);
}

struct interval idle_rise(const struct idle_fit *fit, double volts, double from_celsius, double to_celsius)
{
    double from[LINEAR_COLUMNS];
    double to[LINEAR_COLUMNS];
    size_t count = idle_columns(fit, volts, from_celsius, from);
    idle_columns(fit, volts, to_celsius, to);
    for (size_t i = 0; i < count; i++)
        to[i] -= from[i];
    return spread_sum(&fit->spread, to);
}

bool idle_is_beyond(const struct idle_fit *fit, double volts, double celsius)
{
    return fabs(celsius - fit->celsius_middle) > fit->celsius_half + BEYOND_C ||
           (fit->volts_half > 0 && fabs(volts - fit->volts_middle) > 1.01 * fit->volts_half);
}

void idle_note_beyond(const struct idle_fit *fit, double volts, double celsius, struct sentences *notes,
                      struct arena *arena)
{
    if (idle_is_beyond(fit, fit->volts_middle, celsius))
        sentence_add(notes, arena, "extrapolated: %.1f C is outside the measured range, %.1f to %.1f C",
                     celsius, fit->celsius_middle - fit->celsius_half,
                     fit->celsius_middle + fit->celsius_half);
    if (idle_is_beyond(fit, volts, fit->celsius_middle))
        sentence_add(notes, arena, "extrapolated: %.4g V is outside the measured range, %.4g to %.4g V",
                     volts, fit->volts_middle - fit->volts_half, fit->volts_middle + fit->volts_half);
}

/* The binomial coefficient. */
static double choose(size_t n, size_t k)
{
    double product = 1;
    for (size_t i = 1; i <= k; i++)
        product *= (double)(n - k + i) / (double)i;
    return product;
}

/* The coefficient of x^power in ((x - middle) / half)^degree. */
static double expanded(size_t degree, size_t power, double middle, double half)
{
    if (power > degree)
        return 0;
    if (half <= 0)
        return degree == power ? 1 : 0;
    return choose(degree, power) * pow(-middle, (double)(degree - power)) / pow(half, (double)degree);
}

struct interval idle_coefficient(const struct idle_fit *fit, bool slope, size_t power)
{
    double weights[LINEAR_COLUMNS] = {0};
    size_t column = 0;
    for (size_t i = 0; i <= fit->celsius_degree; i++)
        for (size_t j = 0; j <= fit->volts_degree; j++, column++) {
            bool one_voltage = fit->volts_half <= 0;
            double t = expanded(i, one_voltage ? power : slope, fit->celsius_middle, fit->celsius_half);
            double v = one_voltage ? 1 : expanded(j, power, fit->volts_middle, fit->volts_half);
            weights[column] = t * v;
        }
    return spread_sum(&fit->spread, weights);
}

struct interval idle_weight(const struct idle_fit *fit, bool slope, double volts)
{
    double weights[LINEAR_COLUMNS] = {0};
    double v = scaled(volts, fit->volts_middle, fit->volts_half);
    size_t column = 0;
    for (size_t i = 0; i <= fit->celsius_degree; i++)
        for (size_t j = 0; j <= fit->volts_degree; j++)
            weights[column++] =
                expanded(i, slope, fit->celsius_middle, fit->celsius_half) * pow(v, (double)j);
    return spread_sum(&fit->spread, weights);
}

/* ---- the fit ---- */

/* The number of different voltages. */
static size_t voltages(const struct idle_samples *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        bool again = i > 0 && fabs(samples->items[i].volts - samples->items[i - 1].volts) < SAME_VOLTS;
        for (size_t j = 0; !again && j < i; j++)
            again = fabs(samples->items[j].volts - samples->items[i].volts) < SAME_VOLTS;
        count += !again;
    }
    return count;
}

static void set_form(const struct idle_samples *samples, size_t celsius_degree, struct idle_fit *fit)
{
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < samples->count; i++) {
        const double each[2] = {samples->items[i].volts, samples->items[i].celsius};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], each[k]);
            high[k] = fmax(high[k], each[k]);
        }
    }
    size_t count = voltages(samples);
    size_t degree = celsius_degree > 0 ? celsius_degree : count > 1 ? 1 : MOST_DEGREE;
    *fit = (struct idle_fit){.volts_middle = (low[0] + high[0]) / 2,
                             .volts_half = count > 1 ? (high[0] - low[0]) / 2 : 0,
                             .celsius_middle = (low[1] + high[1]) / 2,
                             .celsius_half = (high[1] - low[1]) / 2,
                             .volts_degree = count > MOST_DEGREE ? MOST_DEGREE : count - 1,
                             .celsius_degree = degree};
}

static bool is_at(const struct idle_sample *sample, double most)
{
    return fabs(sample->watts - most) <= AT_END * fabs(most);
}

/* Whether LEAST_AT_END windows read the same highest power although it should have fallen by several times
 * the scatter, as a line in temperature through the point's other windows predicts. */
static bool should_have_fallen(const struct idle_samples *samples, size_t point, double most, size_t same,
                               double cooled)
{
    double n = 0;
    double mean_c = 0;
    double mean_w = 0;
    double across = 0;
    double along = 0;
    double off = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct idle_sample *each = &samples->items[i];
        if (each->point != point || is_at(each, most))
            continue;
        n++;
        double celsius = each->celsius - mean_c;
        double watts = each->watts - mean_w;
        mean_c += celsius / n;
        mean_w += watts / n;
        across += celsius * (each->celsius - mean_c);
        along += celsius * (each->watts - mean_w);
        off += watts * (each->watts - mean_w);
    }
    if (same < LEAST_AT_END || n < LEAST_AT_END || !(across > 0))
        return false;
    double slope = along / across;
    double scatter = sqrt(fmax(0, off - slope * along) / (n - 2));
    return slope * cooled > SCATTERS * scatter && slope * cooled > SCATTERS * AT_END * most;
}

static double most_of(const struct idle_samples *samples, size_t point)
{
    double most = -INFINITY;
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].point == point)
            most = fmax(most, samples->items[i].watts);
    return most;
}

/* Whether a third of the point's windows read the same highest power while the temperature falls by a third
 * of its range, or windows should have fallen. */
static bool is_saturated(const struct idle_samples *samples, size_t point)
{
    double most = most_of(samples, point);
    double low = INFINITY;
    double high = -INFINITY;
    double coldest = INFINITY;
    double hottest = -INFINITY;
    size_t count = 0;
    size_t same = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct idle_sample *each = &samples->items[i];
        bool at_end = each->point == point && is_at(each, most);
        count += each->point == point;
        same += at_end;
        low = at_end ? fmin(low, each->celsius) : low;
        high = at_end ? fmax(high, each->celsius) : high;
        coldest = fmin(coldest, each->celsius);
        hottest = fmax(hottest, each->celsius);
    }
    bool long_at_end = 3 * same >= count && high - low >= (hottest - coldest) / 3;
    return count > 0 && (long_at_end || should_have_fallen(samples, point, most, same, high - low));
}

void idle_leave_out(struct idle_samples *samples)
{
    double end = INFINITY;
    size_t kept = 0;
    size_t points = 0;
    for (size_t point = 0; point < samples->points; point++)
        if (is_saturated(samples, point))
            end = fmin(end, most_of(samples, point));
    if (isinf(end))
        return;
    for (size_t point = 0; point < samples->points; point++) {
        if (most_of(samples, point) >= (1 - CLOSE) * end) {
            samples->saturated++;
            continue;
        }
        for (size_t i = 0; i < samples->count; i++) {
            struct idle_sample each = samples->items[i];
            if (each.point != point || i < kept)
                continue;
            each.point = points;
            samples->items[kept++] = each;
        }
        points++;
    }
    samples->end_w = end;
    samples->count = kept;
    samples->points = points;
}

void idle_report_left_out(const struct idle_samples *samples, struct model_result *result)
{
    if (samples->saturated == 0)
        return;
    model_leave_out(result, "saturated_coolings", samples->saturated);
    model_note(result,
               "the meter is saturated: %zu coolings stay at %.4g W while the chip cools, and are left out: "
               "use a meter or a range that reads higher",
               samples->saturated, samples->end_w);
}

static enum status check_samples(const struct idle_samples *samples, struct error *error)
{
    if (samples->count > 0)
        return STATUS_OK;
    if (samples->saturated > 0) {
        error_set(error, STATUS_USAGE,
                  "the meter is saturated: all %zu coolings stay at %.4g W while the chip cools",
                  samples->saturated, samples->end_w);
        error_hint(error, "use a meter or a range that reads higher");
        return STATUS_USAGE;
    }
    error_set(error, STATUS_USAGE, "no point has samples of power and temperature while the chip cools%s",
              samples->without_state > 0 ? " in a known state of voltage and frequency" : "");
    error_hint(error, samples->without_state > 0
                          ? "set the clocks with --allow-state, and give the voltages: vf in the machine "
                            "file, or --set vf1_volts=... vf1_ghz=..."
                          : "run a recipe with measure = { idle_after = 300 }, such as "
                            "ppep-2014/heat-and-cool, on a machine with a power sensor and a thermometer");
    return STATUS_USAGE;
}

static enum status check_cooling(const struct idle_fit *fit, struct error *error)
{
    if (2 * fit->celsius_half >= LEAST_COOLING)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the chip cooled by %.1f C: expected %g or more", 2 * fit->celsius_half,
              LEAST_COOLING);
    error_hint(error, "heat for longer (measure.time), or on all cores");
    return STATUS_USAGE;
}

/* The rows of a fit; owns its arrays. */
struct idle_rows {
    double *x, *y;
    size_t *cluster;
    char text[LINEAR_COLUMNS][LINEAR_NAME_BYTES];
    const char *names[LINEAR_COLUMNS];
};

static void fill_rows(const struct idle_samples *samples, const struct idle_fit *fit, size_t n,
                      struct idle_rows *rows)
{
    size_t clusters = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct idle_sample *each = &samples->items[i];
        idle_columns(fit, each->volts, each->celsius, rows->x + i * n);
        rows->y[i] = each->watts;
        /* A whole-degree thermometer has a common error for all samples of one degree. */
        bool same = i > 0 && each->point == each[-1].point && floor(each->celsius) == floor(each[-1].celsius);
        clusters += !same;
        rows->cluster[i] = clusters - 1;
    }
}

/* ---- errors of whole coolings ---- */

/* The deviation of one cooling from the fit, and its variance by the noise of the samples: those of one
 * degree count as one reading. */
static struct point_residual residual_of(const struct idle_samples *samples, const struct idle_rows *rows,
                                         const double *off, size_t point)
{
    struct point_residual residual = {0};
    double mean = 0;
    double watts = 0;
    double squares = 0;
    double count = 0;
    for (size_t i = 0, next; i < samples->count; i = next) {
        double sum = 0;
        for (next = i; next < samples->count && rows->cluster[next] == rows->cluster[i]; next++)
            sum += off[next];
        if (samples->items[i].point != point)
            continue;
        sum /= (double)(next - i);
        count++;
        double before = sum - mean;
        mean += before / count;
        squares += before * (sum - mean);
        watts += (samples->items[i].watts - watts) / count;
    }
    residual.off = mean * mean;
    residual.variance = count > 1 ? squares / (count - 1) / count : 0;
    residual.squared = watts * watts;
    return residual;
}

/* off: each sample's deviation from the fit. */
static void residuals_of(const struct idle_samples *samples, const struct idle_rows *rows, const double *off,
                         const struct idle_fit *fit, struct point_residual *residuals)
{
    double points = (double)samples->points;
    double left = fmax(0, points - (double)(fit->volts_degree + 1));
    for (size_t i = 0; i < samples->points; i++) {
        residuals[i] = residual_of(samples, rows, off, i);
        residuals[i].freedom = left / points;
    }
}

/* Adds the error of whole coolings, which the samples of a cooling share. */
static void add_shift(const struct linear_data *data, const struct idle_samples *samples,
                      struct idle_fit *fit)
{
    size_t *point = memory_zeroed(samples->count + 1, sizeof *point);
    double *off = algebra_numbers(samples->count);
    for (size_t i = 0; i < samples->count; i++) {
        point[i] = samples->items[i].point;
        off[i] = fit->shift.share * samples->items[i].watts;
    }
    double own = fit->spread.covariance[0];
    double freedom = fit->spread.freedom;
    spread_add_common(data, point, samples->points, off, &fit->spread);
    double more = fit->spread.covariance[0] - own;
    if (own + more > 0)
        fit->spread.freedom = pow(own + more, 2) / (own * own / freedom + more * more / fit->shift.freedom);
    free(off);
    free(point);
}

void idle_names(const struct idle_fit *fit, char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES])
{
    static const char *const at_one[] = {"1", "T", "T^2", "T^3"};
    static const char *const across[] = {"1", "V", "V^2", "V^3", "T", "T V", "T V^2", "T V^3"};
    size_t each = fit->volts_degree + 1;
    for (size_t j = 0; j < each * (fit->celsius_degree + 1); j++)
        snprintf(names[j], LINEAR_NAME_BYTES, "%s",
                 fit->volts_half > 0 ? across[j / each * (MOST_DEGREE + 1) + j % each] : at_one[j]);
}

/* The rows of the fit; release them by free_rows. */
static struct idle_rows make_rows(const struct idle_samples *samples, const struct idle_fit *fit,
                                  struct linear_data *data)
{
    double row[LINEAR_COLUMNS];
    size_t n = idle_columns(fit, fit->volts_middle, fit->celsius_middle, row);
    struct idle_rows rows = {.x = algebra_numbers(samples->count * n),
                             .y = algebra_numbers(samples->count),
                             .cluster = memory_zeroed(samples->count, sizeof *rows.cluster)};
    idle_names(fit, rows.text);
    fill_rows(samples, fit, n, &rows);
    *data = (struct linear_data){samples->count, n, rows.x, rows.y, NULL, NULL};
    return rows;
}

static void free_rows(struct idle_rows *rows)
{
    free(rows->x);
    free(rows->y);
    free(rows->cluster);
}

static void keep_quality(const struct linear_fit *fitted, struct idle_fit *fit)
{
    fit->residual = fitted->residual;
    fit->r2 = fitted->r2;
    fit->condition = fitted->condition;
}

void idle_residuals(const struct idle_samples *samples, const struct idle_fit *fit,
                    struct point_residual *residuals)
{
    struct linear_data data;
    struct idle_rows rows = make_rows(samples, fit, &data);
    double *off = algebra_numbers(samples->count);
    for (size_t i = 0; i < samples->count; i++)
        off[i] =
            samples->items[i].watts - idle_at(fit, samples->items[i].volts, samples->items[i].celsius).value;
    residuals_of(samples, &rows, off, fit, residuals);
    free(off);
    free_rows(&rows);
}

enum status idle_fit_shifted(const struct idle_samples *samples, struct point_error shift,
                             struct idle_fit *fit, struct error *error)
{
    struct linear_data data;
    struct linear_fit fitted;
    struct idle_rows rows = make_rows(samples, fit, &data);
    for (size_t j = 0; j < data.columns; j++)
        rows.names[j] = rows.text[j];
    data.names = rows.names;
    fit->shift = shift;
    enum status status = spread_fit(&data, rows.cluster, NULL, &fitted, &fit->spread, error);
    if (status == STATUS_OK && shift.share > 0)
        add_shift(&data, samples, fit);
    keep_quality(&fitted, fit);
    free_rows(&rows);
    return status;
}

/* The error of whole coolings; assumed if they do not determine it. */
static struct point_error error_of_coolings(const struct idle_samples *samples, const struct idle_fit *fit,
                                            double assumed)
{
    struct point_residual *residuals = memory_zeroed(samples->points + 1, sizeof *residuals);
    idle_residuals(samples, fit, residuals);
    bool any = samples->points > fit->volts_degree + 1;
    struct point_error error = point_error_of(residuals, any ? samples->points : 0, assumed);
    free(residuals);
    return error;
}

enum status idle_fit(const struct idle_samples *samples, size_t celsius_degree, double assumed,
                     struct idle_fit *fit, struct error *error)
{
    static const struct point_error none = {.freedom = 1};
    enum status status = check_samples(samples, error);
    if (status != STATUS_OK)
        return status;
    set_form(samples, celsius_degree, fit);
    if (fit->celsius_degree > MOST_DEGREE || (fit->volts_half > 0 && fit->celsius_degree > 1))
        return error_set(error, STATUS_USAGE,
                         "degree %zu in the temperature: expected 1, or up to %d at one voltage alone",
                         fit->celsius_degree, MOST_DEGREE);
    status = check_cooling(fit, error);
    if (status == STATUS_OK)
        status = idle_fit_shifted(samples, none, fit, error);
    return status == STATUS_OK
               ? idle_fit_shifted(samples, error_of_coolings(samples, fit, assumed), fit, error)
               : status;
}

/* ---- fields in a document ---- */

const struct field_row idle_fit_rows[] = {MODEL_SPREAD(idle_fit, spread),
                                          FIELD_ROW(idle_fit, "volts_middle", FIELD_REAL, volts_middle),
                                          FIELD_ROW(idle_fit, "volts_half", FIELD_REAL, volts_half),
                                          FIELD_ROW(idle_fit, "celsius_middle", FIELD_REAL, celsius_middle),
                                          FIELD_ROW(idle_fit, "celsius_half", FIELD_REAL, celsius_half),
                                          FIELD_ROW(idle_fit, "volts_degree", FIELD_WHOLE, volts_degree),
                                          FIELD_ROW(idle_fit, "celsius_degree", FIELD_WHOLE, celsius_degree),
                                          {0}};

bool idle_is_fit(const struct idle_fit *fit)
{
    return spread_is_whole(&fit->spread) && fit->volts_degree <= MOST_DEGREE &&
           fit->celsius_degree <= MOST_DEGREE &&
           fit->spread.columns == (fit->volts_degree + 1) * (fit->celsius_degree + 1);
}
