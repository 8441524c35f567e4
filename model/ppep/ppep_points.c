/* Chooses the counters for the paper's events, and gathers the points that have them. */
#include "base/memory.h"
#include "model/data/parameters.h"
#include "model/data/saturation.h"
#include "model/fitting/algebra.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_VOLTS = 1e-3;

const struct ppep_event ppep_events[PPEP_EVENTS] = {
    {"uops", "c1", {"uops_retired", "uops"}, true},
    {"fpu", "00", {"fpu_assignments", "fp_uops", "fp_instructions"}, true},
    {"l1i_fetches", "80", {"l1i_fetches"}, true},
    {"l1d_accesses", "40", {"l1d_accesses", "l1d_loads"}, true},
    {"l2_requests", "7d", {"l2_requests", "l2_requests_demand"}, true},
    {"branches", "c2", {"branches"}, true},
    {"mispredictions", "c3", {"branch_misses"}, true},
    {"l2_misses", "7e", {"l2_misses", "l2_misses_demand"}, false},
    {"stalls", "d1", {"dispatch_stalls", "stall_cycles"}, false},
};

const struct ppep_leading ppep_leading_loads[PPEP_LEADING] = {
    {"mab0_wait_cycles", "MAB0 wait cycles (69), the paper's own", true},
    {"leading_load_cycles", "cycles of leading loads, judging by its name", true},
    {"l1d_miss_cycles",
     "cycles with an outstanding L1 miss (L1D_PEND_MISS.PENDING_CYCLES), a substitute: it includes L2 hits, "
     "whose cycles do not grow with the clock",
     false},
    {"load_stall_cycles", "cycles stalled with an outstanding load, a substitute: less than the load's own",
     false},
};

static bool has_counter(const struct dataset_row *row, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "counter.%s", name);
    return isfinite(dataset_number(row, key));
}

static size_t rows_with(const struct dataset *dataset, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < dataset->count; i++)
        count += has_counter(&dataset->rows[i], name);
    return count;
}

/* Chooses for each event the counter that most rows have. */
static void choose_columns(const struct dataset *dataset, const bool *left_out, struct ppep_columns *columns)
{
    size_t best = 0;
    *columns = (struct ppep_columns){0};
    for (size_t i = 0; i < PPEP_EVENTS; i++) {
        size_t most = 0;
        for (size_t j = 0; !left_out[i] && j < PPEP_NAMES && ppep_events[i].names[j] != NULL; j++) {
            size_t with = rows_with(dataset, ppep_events[i].names[j]);
            if (with <= most)
                continue;
            most = with;
            columns->event[i] = ppep_events[i].names[j];
        }
    }
    for (size_t j = 0; j < PPEP_LEADING; j++) {
        size_t with = rows_with(dataset, ppep_leading_loads[j].name);
        if (with <= best)
            continue;
        best = with;
        columns->leading = &ppep_leading_loads[j];
    }
}

static enum status check_columns(const struct ppep_columns *columns, const bool *left_out,
                                 struct error *error)
{
    char missing[256] = "";
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        if (columns->event[i] == NULL && !left_out[i])
            snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s%s",
                     missing[0] == '\0' ? "" : ", ", ppep_events[i].names[0]);
    if (missing[0] == '\0')
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "no point has the counters %s", missing);
    error_hint(error, "run with --counters perf on a machine that counts them, or leave out an event: --set "
                      "without_uops=1 and so on");
    return STATUS_USAGE;
}

/* Adds the row's counts per second to the point's; false when one is missing. */
static bool add_rates(const struct ppep_columns *columns, const struct dataset_row *row,
                      struct ppep_rates *rates)
{
    char key[64];
    rates->cycles += dataset_number(row, "cycles") / row->seconds;
    rates->instructions += has_counter(row, "instructions")
                               ? dataset_number(row, "counter.instructions") / row->seconds
                               : dataset_number(row, "instructions") / row->seconds;
    for (size_t i = 0; i < PPEP_EVENTS; i++) {
        if (columns->event[i] == NULL)
            continue;
        snprintf(key, sizeof key, "counter.%s", columns->event[i]);
        rates->event[i] += dataset_number(row, key) / row->seconds;
        rates->off[i] += dataset_error(result_value(&row->point->counters, columns->event[i])) * row->passes /
                         row->seconds;
        if (!isfinite(rates->event[i]))
            return false;
    }
    snprintf(key, sizeof key, "counter.%s", columns->leading == NULL ? "" : columns->leading->name);
    rates->leading += dataset_number(row, key) / row->seconds;
    return isfinite(rates->cycles) && rates->instructions > 0;
}

static void divide(struct ppep_point *point, double count)
{
    double *const numbers[] = {&point->seconds,           &point->total_w,      &point->static_w,
                               &point->celsius,           &point->rates.cycles, &point->rates.leading,
                               &point->rates.instructions};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] /= count;
    for (size_t i = 0; i < PPEP_EVENTS; i++) {
        point->rates.event[i] /= count;
        point->rates.off[i] /= count;
    }
}

/* The weight of the temperature at the end of repetition `end` in the mean over repetition `row`. */
static double weight_of_end(size_t reps, size_t row, size_t end)
{
    /* A row for the repetition that ends at the first of the three temperatures, the second or the third. */
    static const double of_three[3][3] = {{23, -16, 5}, {5, 8, -1}, {-1, 8, 5}};
    static const double of_two[2][2] = {{3, -1}, {1, 1}};
    size_t first = row > 0 ? row - 1 : 0;
    if (reps < 3)
        return reps == 2 ? of_two[row][end] / 2 : 1;
    first = first + 3 > reps ? reps - 3 : first;
    return end >= first && end < first + 3 ? of_three[row - first][end - first] / 12 : 0;
}

double ppep_celsius(const struct dataset *dataset, size_t from, size_t row, size_t to)
{
    double sum = 0;
    for (size_t end = from; end < to; end++) {
        double weight = weight_of_end(to - from, row - from, end - from);
        sum += weight == 0 ? 0 : weight * dataset_hottest(&dataset->rows[end].rep->temperature_c);
    }
    return sum;
}

void ppep_add_scatter(struct ppep_scatter *scatter, double watts, double celsius, double *means)
{
    double n = ++scatter->reps;
    double of_watts = watts - means[0];
    double of_celsius = isfinite(celsius) ? celsius - means[1] : 0;
    means[0] += of_watts / n;
    means[1] += of_celsius / n;
    scatter->watts += of_watts * (watts - means[0]);
    scatter->both += of_celsius * (watts - means[0]);
    scatter->celsius += isfinite(celsius) ? of_celsius * (celsius - means[1]) : 0;
}

double ppep_scatter_at(const struct ppep_scatter *scatter, double slope)
{
    return fmax(0, scatter->watts - 2 * slope * scatter->both + slope * slope * scatter->celsius);
}

/* Adds the mean of the rows of one point, or counts it as left out if it lacks something. */
static void add_point(const struct dataset *dataset, const struct vf_table *table, size_t from, size_t to,
                      struct ppep_points *points)
{
    const struct dataset_row *first = &dataset->rows[from];
    struct ppep_point point = {.point = first->point, .group = first->group};
    double means[2] = {0};
    bool counted = true;
    for (size_t i = from; i < to; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        point.seconds += row->seconds;
        point.total_w += row->energy_j / row->seconds;
        point.static_w += row->static_w;
        double celsius = ppep_celsius(dataset, from, i, to);
        point.celsius += celsius;
        ppep_add_scatter(&point.scatter, row->energy_j / row->seconds, celsius, means);
        counted = counted && add_rates(&points->columns, row, &point.rates);
    }
    divide(&point, (double)(to - from));
    if (value_has(&first->point->parameters, "gating"))
        return;
    if (!counted)
        points->without_counters++;
    else if (!isfinite(point.total_w))
        points->without_power++;
    else if (!vf_of_row(table, first, &point.vf))
        points->without_state++;
    else
        points->items[points->count++] = point;
}

static bool do_the_same(const struct ppep_point *a, const struct ppep_point *b)
{
    return fabs(a->rates.instructions / b->rates.instructions - 1) <= 1e-6 &&
           fabs(a->rates.cycles / b->rates.cycles - 1) <= 1e-6;
}

/* Refuses a saturated meter: different programs draw different power, but two have exactly the same, and none
 * has more. */
static enum status check_meter(const struct ppep_points *points, struct error *error)
{
    double most = 0;
    size_t same = 0;
    bool unlike = false;
    const struct ppep_point *first = NULL;
    for (size_t i = 0; i < points->count; i++)
        most = fmax(most, points->items[i].total_w);
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *point = &points->items[i];
        if (!(fabs(point->total_w - most) <= 1e-7 * most))
            continue;
        first = first == NULL ? point : first;
        unlike = unlike || !do_the_same(first, point);
        same++;
    }
    if (!unlike)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "the meter reads %.4g W at %zu of %zu points and never more: it is saturated", most, same,
              points->count);
    error_hint(error, "use a meter or a range that reads higher");
    return STATUS_USAGE;
}

static enum status check_count(const struct ppep_points *points, struct error *error)
{
    if (points->count > 0)
        return check_meter(points, error);
    error_set(error, STATUS_USAGE,
              "no point can be used: %zu lack a counter, %zu power, and %zu ran in an unknown state of "
              "voltage and frequency",
              points->without_counters, points->without_power, points->without_state);
    error_hint(error, "run ppep-2014 with --counters perf --allow-state on a machine with a power sensor, "
                      "with vf = { { volts =, ghz = } } in the machine file");
    return STATUS_USAGE;
}

/* A program is identified by its events per second. */
const char *ppep_label(const struct dataset_row *row, char *buffer)
{
    if (!row->point->counted)
        return NULL;
    snprintf(buffer, MODEL_LABEL_BYTES, "a program of %.4g instructions and %.4g cycles per second",
             dataset_number(row, "counter.instructions") / row->seconds,
             dataset_number(row, "cycles") / row->seconds);
    return buffer;
}

static double thermometer_step(const struct dataset *dataset)
{
    double *readings = memory_zeroed(dataset->count + 1, sizeof *readings);
    double step = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        double celsius = dataset_hottest(&dataset->rows[i].rep->temperature_c);
        if (isfinite(celsius))
            readings[count++] = celsius;
    }
    stats_sort(readings, count);
    for (size_t i = 1; i < count; i++)
        if (readings[i] > readings[i - 1])
            step = fmin(step, readings[i] - readings[i - 1]);
    free(readings);
    return isfinite(step) ? step : 0;
}

/* ---- the thermometer's steps ---- */

/* Whether a coarse thermometer rounds the temperatures of both points alike: one state, and equally warm. */
static bool rounded_alike(const struct ppep_points *points, size_t a, size_t b)
{
    const struct ppep_point *one = &points->items[a], *other = &points->items[b];
    return fabs(one->vf.volts - other->vf.volts) <= SAME_VOLTS &&
           fabs(one->celsius - other->celsius) <= points->step_c / 2;
}

/* The standard deviation of a point's temperature from the thermometer's steps, K. Readings that are a step
 * or more apart are rounded independently, equal ones alike. Sets the part of the scatter that comes from the
 * steps. */
static double rounding_of(struct ppep_point *point, double step_c)
{
    size_t reps = (size_t)point->scatter.reps;
    double squares = 0, of_reps = 0;
    double apart_c = reps > 1 ? sqrt(point->scatter.celsius / (point->scatter.reps - 1)) : 0;
    for (size_t end = 0; end < reps; end++) {
        double weight = 0;
        for (size_t row = 0; row < reps; row++) {
            weight += weight_of_end(reps, row, end) / point->scatter.reps;
            of_reps += pow(weight_of_end(reps, row, end), 2);
        }
        squares += weight * weight;
    }
    point->scatter.rounding = step_c * step_c / 12 * (of_reps - point->scatter.reps * squares);
    double alike = step_c > 0 ? 1 - fmin(1, apart_c / step_c) : 0;
    return step_c * sqrt((squares + (1 - squares) * alike) / 12);
}

/* Sets the columns of temperature as a line in power with a constant for each voltage; returns their number,
 * SIZE_MAX: too many voltages. */
static size_t set_lines(const struct ppep_points *points, double *x)
{
    double volts[LINEAR_COLUMNS];
    size_t states = 0;
    for (size_t i = 0; i < points->count; i++) {
        size_t state = 0;
        while (state < states && fabs(points->items[i].vf.volts - volts[state]) > SAME_VOLTS)
            state++;
        if (state == LINEAR_COLUMNS - 1)
            return SIZE_MAX;
        volts[state] = points->items[i].vf.volts;
        states += state == states;
    }
    for (size_t i = 0; i < points->count; i++) {
        for (size_t state = 0; state < states; state++)
            x[i * (states + 1) + state] = fabs(points->items[i].vf.volts - volts[state]) <= SAME_VOLTS;
        x[i * (states + 1) + states] = points->items[i].total_w;
    }
    return states + 1;
}

/* Improves the temperatures by a line in power, as power warms the chip; other causes are the room and the
 * place of the heat. If the temperatures scatter about the line hardly more than the steps cause, the line is
 * more accurate than the readings. The result is between both, by their variances (a shrinkage estimate).
 * Sets moves[count * count]: how far an error of reading j moves point i. */
static void take_lines(struct ppep_points *points, const double *off, double *moves)
{
    size_t n = points->count;
    double *x = algebra_numbers(n * LINEAR_COLUMNS + 1), *inverse = algebra_numbers(n * LINEAR_COLUMNS + 1);
    double *line = algebra_numbers(n + 1);
    double singular[LINEAR_COLUMNS], right[LINEAR_COLUMNS * LINEAR_COLUMNS];
    double left = 0, steps = 0, own = 1;
    size_t columns = set_lines(points, x);
    bool known = columns < n / 2 && algebra_pseudo_inverse(x, n, columns, inverse, singular, right);
    for (size_t i = 0; known && i < n; i++)
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < columns; k++)
                moves[i * n + j] += x[i * columns + k] * inverse[k * n + j];
            line[i] += moves[i * n + j] * points->items[j].celsius;
        }
    for (size_t i = 0; known && i < n; i++) {
        left += pow(points->items[i].celsius - line[i], 2) / (double)(n - columns);
        steps += off[i] * off[i] / (double)n;
    }
    if (known && isfinite(left))
        own = left > steps ? 1 - steps / left : 0;
    for (size_t i = 0; i < n; i++) {
        points->items[i].celsius += own < 1 ? (1 - own) * (line[i] - points->items[i].celsius) : 0;
        for (size_t j = 0; j < n; j++)
            moves[i * n + j] = (own < 1 ? (1 - own) * moves[i * n + j] : 0) + (i == j ? own : 0);
    }
    free(x);
    free(inverse);
    free(line);
}

static void set_rounding(struct ppep_points *points)
{
    size_t n = points->count;
    size_t *alike = memory_zeroed(n + 1, sizeof *alike);
    double *off = algebra_numbers(n + 1), *moves = algebra_numbers(n * n + 1);
    for (size_t i = 0; i < n; i++) { /* points that are rounded alike share an error */
        size_t first = 0;
        while (first < i && !rounded_alike(points, first, i))
            first++;
        alike[i] = first < i ? alike[first] : points->roundings++;
        off[i] = rounding_of(&points->items[i], points->step_c);
    }
    take_lines(points, off, moves);
    points->rounding = algebra_numbers(n * points->roundings + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            points->rounding[i * points->roundings + alike[j]] += moves[i * n + j] * off[j];
    free(alike);
    free(off);
    free(moves);
}

enum status ppep_gather(const struct dataset *dataset, const struct vf_table *table,
                        const bool left_out[PPEP_EVENTS], struct ppep_points *points, struct error *error)
{
    *points = (struct ppep_points){.items = memory_zeroed(dataset->count + 1, sizeof *points->items)};
    choose_columns(dataset, left_out, &points->columns);
    points->step_c = thermometer_step(dataset);
    enum status status = check_columns(&points->columns, left_out, error);
    for (size_t i = 0, to; status == STATUS_OK && i < dataset->count; i = to) {
        to = dataset_point_end(dataset, i);
        add_point(dataset, table, i, to, points);
    }
    if (status == STATUS_OK)
        status = check_count(points, error);
    if (status == STATUS_OK)
        set_rounding(points);
    return status;
}

void ppep_points_free(struct ppep_points *points)
{
    free(points->items);
    free(points->rounding);
    *points = (struct ppep_points){0};
}

static bool is_of_state(const char *name, const void *context)
{
    (void)context;
    return strcmp(name, "vf") == 0 || strcmp(name, "ghz") == 0 || strcmp(name, "volts") == 0;
}

bool ppep_same_program(const struct ppep_point *a, const struct ppep_point *b)
{
    return strcmp(a->point->benchmark, b->point->benchmark) == 0 &&
           parameter_other(a->point, b->point, is_of_state, NULL, true) == NULL;
}
