#include "report/figure/figure_curves.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/units.h"
#include "report/figure/metric_labels.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_SAMPLES = 101 };

/* ---- polynomials of low degree, by least squares ---- */

enum { POLYNOMIAL_MOST = 3 };

struct polynomial {
    size_t degree;
    double center, scale; /* the coefficients apply to (x - center) / scale */
    double coefficients[POLYNOMIAL_MOST + 1];
    double r2; /* the explained share of y's variance; 1 if y does not vary */
};

enum { SIZE = POLYNOMIAL_MOST + 1 };

/* The number of different values, at most `enough` (up to SIZE). */
static size_t count_different(const double *x, size_t count, size_t enough)
{
    double values[SIZE];
    size_t different = 0;
    for (size_t i = 0; i < count && different < enough; i++) {
        size_t j = 0;
        while (j < different && values[j] != x[i])
            j++;
        if (j == different)
            values[different++] = x[i];
    }
    return different;
}

static bool all_finite(const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return false;
    return true;
}

/* Gaussian elimination with partial pivoting; the last column of rows is the right side. */
static bool solve(double rows[SIZE][SIZE + 1], size_t size, double *solution)
{
    for (size_t i = 0; i < size; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < size; j++)
            if (fabs(rows[j][i]) > fabs(rows[best][i]))
                best = j;
        if (fabs(rows[best][i]) < 1e-12)
            return false;
        for (size_t k = 0; k <= size; k++) {
            double kept = rows[i][k];
            rows[i][k] = rows[best][k];
            rows[best][k] = kept;
        }
        for (size_t j = i + 1; j < size; j++) {
            double times = rows[j][i] / rows[i][i];
            for (size_t k = i; k <= size; k++)
                rows[j][k] -= times * rows[i][k];
        }
    }
    for (size_t i = size; i-- > 0;) {
        solution[i] = rows[i][size];
        for (size_t k = i + 1; k < size; k++)
            solution[i] -= rows[i][k] * solution[k];
        solution[i] /= rows[i][i];
    }
    return true;
}

static void scale_of(const double *x, size_t count, struct polynomial *fit)
{
    double low = x[0], high = x[0];
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    fit->center = low + (high - low) / 2;
    fit->scale = high > low ? (high - low) / 2 : 1;
}

static double polynomial_at(const struct polynomial *fit, double x)
{
    double scaled = (x - fit->center) / fit->scale;
    double value = 0;
    for (size_t i = fit->degree + 1; i-- > 0;)
        value = value * scaled + fit->coefficients[i];
    return value;
}

static double explained(const struct polynomial *fit, const double *x, const double *y, size_t count)
{
    double mean = 0, all = 0, left = 0;
    for (size_t i = 0; i < count; i++)
        mean += y[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        all += (y[i] - mean) * (y[i] - mean);
        left += pow(y[i] - polynomial_at(fit, x[i]), 2);
    }
    return all > 1e-24 * mean * mean ? 1 - left / all : 1; /* less is rounding */
}

/* Fits a polynomial of that degree, at most POLYNOMIAL_MOST. False when there are too few distinct x, or a
 * value is not finite. */
static bool polynomial_fit(const double *x, const double *y, size_t count, size_t degree,
                           struct polynomial *fit)
{
    double rows[SIZE][SIZE + 1] = {{0}};
    *fit = (struct polynomial){.degree = degree};
    if (degree > POLYNOMIAL_MOST || !all_finite(x, y, count) ||
        count_different(x, count, degree + 1) < degree + 1)
        return false;
    scale_of(x, count, fit);
    for (size_t i = 0; i < count; i++) {
        double powers[2 * SIZE] = {1};
        for (size_t k = 1; k <= 2 * degree; k++)
            powers[k] = powers[k - 1] * (x[i] - fit->center) / fit->scale;
        for (size_t j = 0; j <= degree; j++) {
            for (size_t k = 0; k <= degree; k++)
                rows[j][k] += powers[j + k] / (double)count;
            rows[j][degree + 1] += powers[j] * y[i] / (double)count;
        }
    }
    if (!solve(rows, degree + 1, fit->coefficients))
        return false;
    fit->r2 = explained(fit, x, y, count);
    return true;
}

/* ---- the 2001 paper's blocking cache ---- */

/* Each load that misses L1 stops the pipeline until L2 responds (Joseph, Brooks, Martonosi 2001, section 5,
 * equation 1, figure 9): IPC = 1 / (cpi_base + penalty * (1 - hit)). cpi_base is the CPI when all loads hit
 * and no instruction depends on them, penalty the latency of L2 minus that of L1. As in the paper, the
 * penalty applies to every instruction, not only to loads. A measured IPC above this curve is the gain from
 * the non-blocking cache. */

/* The penalty: the recipe's, else the measured one, else that of the machine's description. False if unknown.
 */
static bool find_penalty(const struct figure_request *request, double *penalty)
{
    const struct results_context *context = request->results->context;
    *penalty = request->plot->reference.penalty;
    if (isnan(*penalty))
        *penalty = context->latency_l2 - context->latency_l1d;
    if (isnan(*penalty))
        *penalty = context->machine.latency_l2 - context->machine.latency_l1d;
    return !isnan(*penalty);
}

/* The IPC with a hit rate of 1, of the line that sorts first: the one with the fewest dependents. */
static double ideal_ipc(const struct figure_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->rows[i].sample.x == 1)
            return rows->rows[i].sample.y;
    return 0;
}

static struct figure_sample *trace_blocking_cache(const struct figure_request *request,
                                                  const struct figure_rows *rows, double cpi_base,
                                                  double penalty)
{
    double left = 1, right = 0;
    for (size_t i = 0; i < rows->count; i++) {
        left = fmin(left, rows->rows[i].sample.x);
        right = fmax(right, rows->rows[i].sample.x);
    }
    struct figure_sample *samples =
        arena_alloc(&request->figure->arena, CURVE_SAMPLES, sizeof(struct figure_sample));
    for (int i = 0; i < CURVE_SAMPLES; i++) {
        double hit = left + (right - left) * i / (CURVE_SAMPLES - 1);
        double ipc = 1 / (cpi_base + penalty * (1 - hit));
        samples[i] = (struct figure_sample){.x = hit, .y = ipc, .low = ipc, .high = ipc};
    }
    return samples;
}

/* Why there is no curve; NULL: there is one, with *ipc at a hit rate of 1 and *penalty. */
static const char *reference_obstacle(const struct figure_request *request, const struct figure_rows *rows,
                                      double *ipc, double *penalty)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->categories != NULL || rows->rows[i].sample.x < 0 || rows->rows[i].sample.x > 1)
            return "x is not a hit rate between 0 and 1";
    *ipc = ideal_ipc(rows);
    if (!(*ipc > 0))
        return "the base IPC is unknown, as no point has hit rate 1";
    if (!find_penalty(request, penalty))
        return "the latencies of L1D and L2 are neither measured nor in the machine's description";
    return *penalty < 0 ? "the latency of L2 is below that of L1D" : NULL;
}

void figure_add_reference(const struct figure_request *request, const char *metric,
                          const struct figure_rows *rows, struct figure_panel *panel)
{
    const char *kind = request->plot->reference.kind, *y = request->plot->reference.y;
    if (kind == NULL || strcmp(y == NULL ? "ipc" : y, metric) != 0)
        return;
    double ipc, penalty;
    const char *obstacle = strcmp(kind, "blocking-cache") == 0
                               ? reference_obstacle(request, rows, &ipc, &penalty)
                               : "expected the kind \"blocking-cache\"";
    if (obstacle != NULL) {
        figure_warn(request->figure, request->name, "no reference curve \"%.60s\": %s", kind, obstacle);
        return;
    }
    if (panel->lines[0].label[0] == '\0') /* with a curve, a single line needs a name too */
        panel->lines[0].label = metric_short_name(&request->figure->arena, metric);
    panel->lines[panel->line_count++] =
        (struct figure_line){.label = "blocking cache (2001 paper, equation 1)",
                             .reference = true,
                             .colour = FIGURE_GREY,
                             .samples = trace_blocking_cache(request, rows, 1 / ipc, penalty),
                             .count = CURVE_SAMPLES};
}

/* ---- fits ---- */

static const char *const degrees[] = {"constant", "linear", "quadratic", "cubic"};

static size_t degree_of(const char *fit)
{
    size_t degree = POLYNOMIAL_MOST;
    while (degree > 0 && strcmp(degrees[degree], fit) != 0)
        degree--;
    return degree;
}

static bool fit_line(const struct figure_line *line, size_t degree, struct polynomial *fit)
{
    double *x = memory_zeroed(2 * line->count + 1, sizeof *x);
    for (size_t i = 0; i < line->count; i++) {
        x[i] = line->samples[i].x;
        x[line->count + i] = line->samples[i].y;
    }
    bool found = polynomial_fit(x, x + line->count, line->count, degree, fit);
    free(x);
    return found;
}

static const struct figure_sample *trace_fit(struct arena *arena, const struct polynomial *fit, bool log_x)
{
    struct figure_sample *samples = arena_alloc(arena, CURVE_SAMPLES, sizeof *samples);
    double low = fit->center - fit->scale, high = fit->center + fit->scale;
    for (int i = 0; i < CURVE_SAMPLES; i++) {
        double share = (double)i / (CURVE_SAMPLES - 1);
        double x = log_x ? low * pow(high / low, share) : low + (high - low) * share;
        double y = polynomial_at(fit, x);
        samples[i] = (struct figure_sample){.x = x, .y = y, .low = y, .high = y};
    }
    return samples;
}

/* "linear, slope 0.52, 0.1 at 0, R² 0.998"; coefficients of higher degrees are not shown. */
static const char *describe_fit(struct arena *arena, const struct figure_line *line,
                                const struct polynomial *fit)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s%s%s", line->label, line->label[0] == '\0' ? "" : ": ", degrees[fit->degree]);
    if (fit->degree == 1) {
        double slope = fit->coefficients[1] / fit->scale;
        double at_zero = polynomial_at(fit, 0);
        if (fabs(at_zero) < 1e-9 * fabs(fit->coefficients[0])) /* rounding */
            at_zero = 0;
        buffer_printf(&text, ", slope %.4g, %.4g at 0", slope, at_zero);
    }
    buffer_printf(&text, ", R\xc2\xb2 %.3f", fit->r2);
    return arena_take(arena, &text);
}

void figure_add_fits(const struct figure_request *request, struct figure_panel *panel)
{
    struct arena *arena = &request->figure->arena;
    const char *kind = request->plot->fit;
    size_t observed = panel->line_count;
    for (size_t i = 0; kind != NULL && i < observed; i++) {
        struct figure_line *line = &panel->lines[i];
        struct polynomial fit;
        if (line->reference)
            continue;
        if (panel->categories != NULL || !fit_line(line, degree_of(kind), &fit)) {
            figure_warn(request->figure, request->name, "no %.20s fit of \"%.60s\": %s", kind, line->label,
                        panel->categories != NULL ? "its x are words" : "it has too few different x values");
            continue;
        }
        panel->lines[panel->line_count++] =
            (struct figure_line){.label = describe_fit(arena, line, &fit),
                                 .reference = true,
                                 .right = line->right,
                                 .colour = line->colour,
                                 .samples = trace_fit(arena, &fit, panel->x_is_log),
                                 .count = CURVE_SAMPLES};
    }
}

/* ---- the sizes of caches ---- */

/* Adds a mark if the size is within the range of x. */
static void add_cache(struct arena *arena, struct figure_panel *panel, struct figure_mark *marks, double size,
                      const char *name, const char *part)
{
    char text[32];
    struct buffer label = {0};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            low = fmin(low, panel->lines[i].samples[j].x);
            high = fmax(high, panel->lines[i].samples[j].x);
        }
    if (!(size > low && size < high))
        return;
    buffer_printf(&label, "%s%s %s", part, name, units_show_size((uint64_t)size, text, sizeof text));
    size_t at = panel->mark_count++;
    for (; at > 0 && marks[at - 1].x > size; at--)
        marks[at] = marks[at - 1];
    marks[at] = (struct figure_mark){.x = size, .label = arena_strdup(arena, label.data)};
    buffer_free(&label);
}

void figure_mark_caches(struct arena *arena, struct recorded_machine machine, struct figure_panel *panel)
{
    const struct {
        const char *name;
        double size;
    } caches[] = {{"L1", machine.l1}, {"L1D", machine.l1d}, {"L2", machine.l2}, {"L3", machine.l3}};
    enum { CACHES = sizeof caches / sizeof caches[0], MOST_MARKS = CACHES + 1 };
    struct figure_mark *marks = arena_alloc(arena, MOST_MARKS, sizeof *marks);
    for (size_t i = 0; i < CACHES; i++) {
        add_cache(arena, panel, marks, caches[i].size, caches[i].name, "");
        if (i == 2 && machine.sides == 2)
            add_cache(arena, panel, marks, caches[i].size / 2, caches[i].name, "half of ");
    }
    panel->marks = marks;
}
