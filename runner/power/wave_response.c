#include "runner/power/wave_response.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_CHANGES = 12,
    SEARCH_CHANGES = 256, /* the period is first searched in this many changes */
    COARSE_SAMPLES = 500,
    SAMPLES_MOST = 12000,
    COUNTER_SAMPLES = 4000,  /* of a counter that moves at each reading */
    LINEAR = LOAD_PARTS + 2, /* offset, drift, rises */
    UNKNOWNS = LINEAR + 2,   /* and lag, window */
    BLOCKS = 16,
    LEAST_SAMPLES = 12,
};

static const double PI = 3.14159265358979323846;

/* Student's t of 95 % for few blocks, because not all contain an edge. */
static const double T_OF_BLOCKS = 2.5;

static const double FOLLOWS_T = 6;     /* the least rise, in its standard errors */
static const double FOLLOWS_GAIN = 60; /* the least gain in the log likelihood, doubled, over no rise */
static const double LONGEST_LAG_S = 5;

/* ---- updates ---- */

/* The times of two adjacent readings with different values. */
struct change {
    double from_s, to_s;
};

struct updates {
    double period_s, error_s; /* NAN: unknown */
    double phase_s;           /* a moment of an update */
    double late_s;            /* standard error that all moments of updates share */
    bool regular;             /* at multiples of the period from the phase */
    bool each_reading;        /* each reading is an update */
    bool sent;                /* the sensor sends at its own pace */
    double least_s;           /* least time from one sample to the next; 0: any */
};

static double middle(const struct change *change)
{
    return (change->from_s + change->to_s) / 2;
}

static double spacing_of(const struct series *series)
{
    double *gaps = memory_resized(NULL, series->count + 1, sizeof *gaps);
    for (size_t i = 1; i < series->count; i++)
        gaps[i - 1] = series->t_s[i] - series->t_s[i - 1];
    double median = stats_median(gaps, series->count - 1);
    free(gaps);
    return median;
}

/* Finds the changes whose time the readings show well; returns their number. *gap_s, *least_s: the median and
 * a low quantile of the time between any two changes. */
static size_t find_changes(const struct series *series, double read_s, struct change *changes, double *gap_s,
                           double *least_s)
{
    static const double WELL = 1.6, LOW = 0.02;
    double *gaps = memory_resized(NULL, series->count + 1, sizeof *gaps);
    size_t count = 0, gap_count = 0, last = 0;
    for (size_t i = 1; i < series->count; i++) {
        if (series->values[i] == series->values[i - 1])
            continue;
        if (last > 0)
            gaps[gap_count++] = series->t_s[i] - series->t_s[last];
        last = i;
        if (series->t_s[i] - series->t_s[i - 1] <= WELL * read_s)
            changes[count++] = (struct change){series->t_s[i - 1], series->t_s[i]};
    }
    *gap_s = gap_count == 0 ? NAN : stats_median(gaps, gap_count);
    *least_s = gap_count == 0 ? NAN : stats_quantile(gaps, gap_count, LOW);
    free(gaps);
    return count;
}

/* The coherence of the changes at a frequency: 1 if all lie at multiples of its period from one phase. */
static double coherence(const struct change *changes, size_t count, double frequency)
{
    double re = 0, im = 0;
    for (size_t i = 0; i < count; i++) {
        double turn = 2 * PI * fmod(frequency * (middle(&changes[i]) - middle(&changes[0])), 1);
        re += cos(turn);
        im += sin(turn);
    }
    return hypot(re, im) / (double)count;
}

/* The coherence of exact multiples that are known only to within read_s. */
static double coherence_read(double frequency, double read_s)
{
    double x = PI * frequency * read_s;
    return x > 0 ? sin(x) / x : 1;
}

/* The longest period that explains the times of the first changes; NAN: none does. */
static double search_period(const struct change *changes, size_t count, double read_s, double least_s)
{
    static const double ENOUGH = 0.85;
    size_t used = count < SEARCH_CHANGES ? count : SEARCH_CHANGES;
    double span_s = middle(&changes[used - 1]) - middle(&changes[0]);
    double step = 1 / (6 * span_s), highest = 1 / (2 * read_s);
    double best = 0, at = NAN;
    for (double f = fmax(1 / (least_s + 1.5 * read_s), 2 / span_s); f < highest; f += step) {
        double here = coherence(changes, used, f) / coherence_read(f, read_s);
        if (here < best)
            break; /* past the peak */
        if (here > ENOUGH) {
            best = here;
            at = f;
        }
    }
    return 1 / at;
}

/* Refines the period and the phase by a line through more and more changes. False if too many changes lie off
 * the line. */
static bool refine_period(const struct change *changes, size_t count, double read_s, struct updates *updates)
{
    static const double ELSEWHERE = 0.2;
    double period_s = updates->period_s, phase_s = middle(&changes[0]);
    double off = 0;
    for (size_t used = count < SEARCH_CHANGES / 4 ? count : SEARCH_CHANGES / 4;;
         used = 2 * used < count ? 2 * used : count) {
        for (int turn = 0; turn < 3; turn++) {
            double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
            off = 0;
            for (size_t i = 0; i < used; i++) {
                double x = round((middle(&changes[i]) - phase_s) / period_s);
                double y = middle(&changes[i]) - phase_s - x * period_s;
                off += fabs(y) > 0.75 * read_s;
                n++, sx += x, sy += y, sxx += x * x, sxy += x * y, syy += y * y;
            }
            double determinant = n * sxx - sx * sx;
            if (!(determinant > 0))
                return false;
            double slope = (n * sxy - sx * sy) / determinant;
            double level = (sy - slope * sx) / n;
            double rest = fmax(0, syy - slope * sxy - level * sy) / fmax(1, n - 2);
            updates->error_s = sqrt(rest * n / determinant);
            updates->late_s = sqrt(rest / n);
            period_s += slope;
            phase_s += level;
        }
        if (used == count)
            break;
    }
    updates->period_s = period_s;
    updates->phase_s = phase_s;
    return off <= ELSEWHERE * (double)count;
}

/* Standard error of a moment that lies anywhere between two readings, of the time between them. */
static const double PLACED = 0.29;

static struct updates find_updates(const struct series *series, bool sends)
{
    struct updates updates = {.period_s = NAN, .error_s = NAN, .each_reading = true, .sent = sends};
    double read_s = spacing_of(series), gap_s, least_s;
    struct change *changes = memory_resized(NULL, series->count + 1, sizeof *changes);
    size_t count = find_changes(series, read_s, changes, &gap_s, &least_s);
    if (sends) { /* replaced below if its values change more slowly than it sends */
        updates.period_s = (series->t_s[series->count - 1] - series->t_s[1]) / (double)(series->count - 2);
        updates.error_s = read_s / (double)series->count;
    }
    if (count >= LEAST_CHANGES && gap_s > 1.5 * read_s) {
        struct updates found = {
            .period_s = search_period(changes, count, read_s, least_s), .regular = true, .sent = sends};
        if (isfinite(found.period_s) && refine_period(changes, count, read_s, &found)) {
            updates = found;
        } else if (!sends) { /* irregular: the usual time between changes */
            updates.period_s = gap_s;
            updates.error_s = read_s;
            updates.late_s = PLACED * read_s / sqrt((double)count);
            updates.each_reading = false;
        }
    } else if (!sends && isfinite(gap_s) && count >= LEAST_CHANGES) {
        updates.period_s = gap_s;
    }
    free(changes);
    return updates;
}

/* ---- samples: one for each update ---- */

struct samples {
    double *t_s, *values; /* of the update; watts */
    size_t count;
};

/* The counter's joules since the first reading, with its wraps undone; a reset adds nothing. */
static double *unwrapped(const struct series *series, const struct sensor_channel *channel)
{
    double *joules = memory_resized(NULL, series->count, sizeof *joules);
    joules[0] = 0;
    for (size_t i = 1; i < series->count; i++) {
        double before = series->values[i - 1], after = series->values[i];
        bool reset = after < before && series_was_reset(series, channel, series->t_s[i - 1], series->t_s[i]);
        joules[i] = joules[i - 1] + (reset ? 0 : sensor_energy_difference(channel, before, after));
    }
    return joules;
}

/* Chooses one reading of each update, not too soon after it. Skips readings before a late one: the reader was
 * held up, perhaps before it noted the time. */
static size_t choose_readings(const struct series *series, const struct updates *updates, size_t *chosen,
                              double *moments)
{
    static const double LATER = 0.08, HELD_UP = 2;
    double read_s = spacing_of(series);
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        double t_s = series->t_s[i];
        if (count > 0 && t_s - moments[count - 1] < updates->least_s)
            continue;
        if (!updates->sent && i + 1 < series->count && series->t_s[i + 1] - t_s > HELD_UP * read_s)
            continue;
        if (updates->regular) {
            double cell = floor((t_s - updates->phase_s) / updates->period_s);
            double at_s = updates->phase_s + cell * updates->period_s;
            if (t_s - at_s < LATER * updates->period_s)
                continue;
            if (count > 0 && moments[count - 1] > at_s - updates->period_s / 2)
                continue;
            t_s = at_s;
        } else if (!updates->each_reading) {
            if (i == 0 || series->values[i] == series->values[i - 1])
                continue;
            t_s = (series->t_s[i] + series->t_s[i - 1]) / 2;
        }
        chosen[count] = i;
        moments[count++] = t_s;
    }
    return count;
}

static struct samples find_samples(const struct series *series, const struct sensor_channel *channel,
                                   const struct updates *updates, const struct load_waves *waves)
{
    static const double APART = 1.6; /* further apart, updates are missing between them */
    double usual_s = updates->regular       ? updates->period_s
                     : updates->least_s > 0 ? updates->least_s
                                            : spacing_of(series);
    size_t *chosen = memory_resized(NULL, series->count, sizeof *chosen);
    double *moments = memory_resized(NULL, series->count, sizeof *moments);
    struct samples samples = {.values = memory_resized(NULL, series->count, sizeof *samples.values)};
    size_t count = choose_readings(series, updates, chosen, moments);
    bool counts = channel->quantity == SENSOR_ENERGY;
    double *joules = counts ? unwrapped(series, channel) : NULL;
    for (size_t i = counts; i < count; i++) {
        double value = counts ? (joules[chosen[i]] - joules[chosen[i - 1]]) / (moments[i] - moments[i - 1])
                              : series->values[chosen[i]];
        bool apart = counts && moments[i] - moments[i - 1] > APART * usual_s;
        if (apart || !isfinite(value) || moments[i] < waves->from_s || moments[i] > waves->to_s)
            continue;
        moments[samples.count] = moments[i]; /* in place, as samples.count <= i */
        samples.values[samples.count++] = value;
    }
    samples.t_s = moments;
    free(joules);
    free(chosen);
    size_t every = samples.count / SAMPLES_MOST + 1, kept = 0;
    for (size_t i = 0; i < samples.count; i += every, kept++) {
        samples.t_s[kept] = samples.t_s[i];
        samples.values[kept] = samples.values[i];
    }
    samples.count = kept;
    return samples;
}

static void free_samples(struct samples *samples)
{
    free(samples->t_s);
    free(samples->values);
}

/* ---- the filtered load ---- */

struct filter {
    bool exponential;
    double window_s, lag_s;
};

/* A running integral of a part's load, for moments that ascend. */
struct integral {
    size_t next; /* step */
    double until_s, level, sum;
};

static double integrate(const struct load_part *part, double t_s, struct integral *of)
{
    while (of->next < part->count && part->steps[of->next].t_s <= t_s) {
        const struct load_step *step = &part->steps[of->next++];
        of->sum += of->level * (step->t_s - of->until_s);
        of->level = step->level;
        of->until_s = step->t_s;
    }
    return of->sum + of->level * (t_s - of->until_s);
}

static void filter_box(const struct load_part *part, const struct samples *samples, size_t stride,
                       const struct filter *filter, double *shown)
{
    struct integral head = {0}, tail = {0};
    for (size_t i = 0; i < samples->count; i += stride) {
        double t_s = samples->t_s[i] - filter->lag_s;
        *shown++ =
            (integrate(part, t_s, &head) - integrate(part, t_s - filter->window_s, &tail)) / filter->window_s;
    }
}

static void filter_exponential(const struct load_part *part, const struct samples *samples, size_t stride,
                               const struct filter *filter, double *shown)
{
    size_t next = 0;
    double shows = 0, load = 0, at_s = -INFINITY;
    for (size_t i = 0; i < samples->count; i += stride) {
        double t_s = samples->t_s[i] - filter->lag_s;
        for (bool more = true; more;) {
            more = next < part->count && part->steps[next].t_s <= t_s;
            double to_s = more ? part->steps[next].t_s : t_s;
            shows = load + (shows - load) * exp((at_s - to_s) / filter->window_s);
            load = more ? part->steps[next++].level : load;
            at_s = to_s;
        }
        *shown++ = shows;
    }
}

/* ---- least squares ---- */

/* Inverts the symmetric a; rows and columns without a pivot become 0. */
static void invert(const double a[UNKNOWNS][UNKNOWNS], size_t size, double inverse[UNKNOWNS][UNKNOWNS])
{
    double work[UNKNOWNS][UNKNOWNS];
    memcpy(work, a, sizeof work);
    memset(inverse, 0, sizeof work);
    for (size_t i = 0; i < size; i++)
        inverse[i][i] = 1;
    for (size_t i = 0; i < size; i++) { /* Gauss and Jordan, with the diagonal as pivot */
        double pivot = work[i][i];
        bool regular = pivot > 1e-12 * fabs(a[i][i]);
        for (size_t j = 0; j < size; j++) {
            work[i][j] = regular ? work[i][j] / pivot : 0;
            inverse[i][j] = regular ? inverse[i][j] / pivot : 0;
        }
        for (size_t k = 0; k < size; k++) {
            double factor = work[k][i];
            for (size_t j = 0; k != i && j < size; j++) {
                work[k][j] -= factor * work[i][j];
                inverse[k][j] -= factor * inverse[i][j];
            }
        }
    }
}

/* A fit of a sensor's samples. */
struct fit {
    const struct samples *samples;
    const struct load_waves *waves;
    size_t stride, rows, columns; /* of the linear part */
    double *shown;                /* [columns][rows] */
    double coefficients[LINEAR];
    double squares; /* of the residuals */
};

static void begin_fit(struct fit *fit, const struct samples *samples, const struct load_waves *waves,
                      size_t stride)
{
    *fit = (struct fit){samples,          waves, stride, (samples->count + stride - 1) / stride,
                        waves->count + 2, NULL,  {0},    0};
    fit->shown = memory_resized(NULL, LINEAR * fit->rows, sizeof *fit->shown);
    for (size_t i = 0; i < fit->rows; i++) {
        fit->shown[i] = 1;
        fit->shown[fit->rows + i] =
            (samples->t_s[i * stride] - waves->from_s) / (waves->to_s - waves->from_s) - 0.5;
    }
}

static double fitted(const struct fit *fit, size_t row)
{
    double sum = 0;
    for (size_t j = 0; j < fit->columns; j++)
        sum += fit->coefficients[j] * fit->shown[j * fit->rows + row];
    return sum;
}

static void show(struct fit *fit, const struct filter *filter)
{
    for (size_t i = 0; i < fit->waves->count; i++)
        (filter->exponential ? filter_exponential : filter_box)(
            &fit->waves->parts[i], fit->samples, fit->stride, filter, fit->shown + (2 + i) * fit->rows);
}

static double solve(struct fit *fit, size_t columns)
{
    double a[UNKNOWNS][UNKNOWNS] = {{0}}, inverse[UNKNOWNS][UNKNOWNS], b[LINEAR] = {0};
    for (size_t j = 0; j < columns; j++) {
        const double *x = fit->shown + j * fit->rows;
        for (size_t k = 0; k <= j; k++) {
            const double *y = fit->shown + k * fit->rows;
            for (size_t i = 0; i < fit->rows; i++)
                a[j][k] += x[i] * y[i];
            a[k][j] = a[j][k];
        }
        for (size_t i = 0; i < fit->rows; i++)
            b[j] += x[i] * fit->samples->values[i * fit->stride];
    }
    invert(a, columns, inverse);
    memset(fit->coefficients, 0, sizeof fit->coefficients);
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < columns; k++)
            fit->coefficients[j] += inverse[j][k] * b[k];
    fit->squares = 0;
    for (size_t i = 0; i < fit->rows; i++) {
        double off = fit->samples->values[i * fit->stride] - fitted(fit, i);
        fit->squares += off * off;
    }
    return fit->squares;
}

static double try_filter(struct fit *fit, const struct filter *filter)
{
    show(fit, filter);
    return solve(fit, fit->columns);
}

/* ---- window and lag ---- */

/* The filter with that middle: lag + window, for a box lag + half of it. The middle hardly depends on the
 * window, so both can be refined separately. */
static struct filter filter_at(bool exponential, double window_s, double middle_s)
{
    return (struct filter){exponential, window_s, middle_s - (exponential ? 1 : 0.5) * window_s};
}

/* The best of a grid over all windows and lags that the waves can show. */
static struct filter search_filter(const struct samples *samples, const struct load_waves *waves,
                                   bool exponential, double least_window_s)
{
    static const double RATIO = 1.6, STEP_S = 0.008;
    struct fit fit;
    struct filter best = {exponential, least_window_s, 0};
    double least = INFINITY, seconds = waves->to_s - waves->from_s;
    double longest_s = fmin(LONGEST_LAG_S, seconds / 5);
    begin_fit(&fit, samples, waves, samples->count / COARSE_SAMPLES + 1);
    for (double window_s = least_window_s; window_s < seconds / 3; window_s *= RATIO)
        for (double lag_s = 0; lag_s < longest_s; lag_s += fmax(STEP_S, window_s / 8)) {
            const struct filter here = {exponential, window_s, lag_s};
            double squares = try_filter(&fit, &here);
            if (squares < least) {
                least = squares;
                best = here;
            }
        }
    free(fit.shown);
    return best;
}

/* Descends in smaller and smaller steps. */
static struct filter refine_filter(struct fit *fit, struct filter from, double least_window_s, double slack_s)
{
    static const int MOVES[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    enum { TURNS = 60 };
    struct filter best = from;
    double least = try_filter(fit, &from), factor = 1.5;
    double step_s = fmax(0.01, from.window_s / 4);
    double share = from.exponential ? 1 : 0.5;
    for (int turn = 0; turn < TURNS && (factor > 1.0005 || step_s > 1e-3 * best.window_s); turn++) {
        bool moved = false;
        for (size_t i = 0; i < sizeof MOVES / sizeof MOVES[0]; i++) {
            struct filter here = filter_at(from.exponential, best.window_s * pow(factor, MOVES[i][0]),
                                           best.lag_s + share * best.window_s + step_s * MOVES[i][1]);
            if (here.window_s < least_window_s || here.lag_s < -slack_s)
                continue;
            double squares = try_filter(fit, &here);
            if (squares < least) {
                least = squares;
                best = here;
                moved = true;
            }
        }
        factor = moved ? pow(factor, 1.2) : sqrt(factor);
        step_s *= moved ? 1.2 : 0.5;
    }
    try_filter(fit, &best);
    return best;
}

/* The covariance of the linear coefficients, then lag and window, by a sandwich estimator over blocks of time
 * within which residuals may depend on each other. */
static void find_errors(struct fit *fit, const struct filter *filter, double covariance[UNKNOWNS][UNKNOWNS])
{
    static const double SHARE = 0.02;
    double a[UNKNOWNS][UNKNOWNS] = {{0}}, inverse[UNKNOWNS][UNKNOWNS], meat[UNKNOWNS][UNKNOWNS] = {{0}};
    double step_s = SHARE * filter->window_s;
    const size_t unknowns = fit->columns + 2;
    double *slopes = memory_resized(NULL, 2 * fit->rows, sizeof *slopes);
    for (int i = 0; i < 2; i++)
        for (int side = 1; side >= -1; side -= 2) {
            struct filter moved = *filter;
            *(i == 0 ? &moved.lag_s : &moved.window_s) += side * step_s;
            show(fit, &moved);
            for (size_t j = 0; j < fit->rows; j++)
                slopes[(size_t)i * fit->rows + j] =
                    side > 0 ? fitted(fit, j)
                             : (slopes[(size_t)i * fit->rows + j] - fitted(fit, j)) / (2 * step_s);
        }
    show(fit, filter);
    for (size_t block = 0; block < BLOCKS; block++) {
        double score[UNKNOWNS] = {0};
        for (size_t i = block * fit->rows / BLOCKS; i < (block + 1) * fit->rows / BLOCKS; i++) {
            double row[UNKNOWNS];
            double off = fit->samples->values[i * fit->stride] - fitted(fit, i);
            for (size_t j = 0; j < unknowns; j++)
                row[j] = j < fit->columns ? fit->shown[j * fit->rows + i]
                                          : slopes[(j - fit->columns) * fit->rows + i];
            for (size_t j = 0; j < unknowns; j++) {
                score[j] += row[j] * off;
                for (size_t k = 0; k < unknowns; k++)
                    a[j][k] += row[j] * row[k];
            }
        }
        for (size_t j = 0; j < unknowns; j++)
            for (size_t k = 0; k < unknowns; k++)
                meat[j][k] += score[j] * score[k];
    }
    free(slopes);
    invert(a, unknowns, inverse);
    double even = fit->squares / fmax(1, (double)fit->rows - (double)unknowns); /* if all are independent */
    double more =
        (double)BLOCKS / (BLOCKS - 1) * (double)fit->rows / fmax(1, (double)fit->rows - (double)unknowns);
    for (size_t i = 0; i < unknowns; i++)
        for (size_t j = 0; j < unknowns; j++) {
            covariance[i][j] = 0;
            for (size_t k = 0; k < unknowns; k++)
                for (size_t l = 0; l < unknowns; l++)
                    covariance[i][j] += more * inverse[i][k] * meat[k][l] * inverse[l][j];
        }
    for (size_t i = 0; i < unknowns; i++) {
        double wider = sqrt(fmax(1, even * inverse[i][i] / covariance[i][i]));
        for (size_t j = 0; j < unknowns && isfinite(wider); j++) {
            covariance[i][j] *= wider;
            covariance[j][i] *= wider;
        }
    }
}

/* ---- all of it ---- */

static struct interval around(double value, double error, size_t n)
{
    double half = T_OF_BLOCKS * error;
    return (struct interval){value, value - half, value + half, n};
}

static struct interval not_negative(struct interval of)
{
    return (struct interval){fmax(0, of.value), fmax(0, of.low), fmax(0, of.high), of.n};
}

static const struct interval unknown = {NAN, NAN, NAN, 0};

static struct interval share_of(struct interval window_s, struct interval update_s)
{
    return (struct interval){fmin(1, window_s.value / update_s.value), fmin(1, window_s.low / update_s.high),
                             fmin(1, window_s.high / update_s.low), window_s.n};
}

/* Sets the response from the fit; false if the sensor does not follow the load. */
static bool take(struct fit *fit, const struct filter *filter, double late_s, struct wave_response *response)
{
    double covariance[UNKNOWNS][UNKNOWNS];
    double total = 0, variance = 0;
    size_t n = fit->rows;
    find_errors(fit, filter, covariance);
    for (size_t i = 2; i < fit->columns; i++) {
        total += fit->coefficients[i];
        for (size_t j = 2; j < fit->columns; j++)
            variance += covariance[i][j];
        response->rise_w[i - 2] = around(fit->coefficients[i], sqrt(fmax(0, covariance[i][i])), n);
    }
    response->total_w = around(total, sqrt(fmax(0, variance)), n);
    response->idle_w = fit->coefficients[0];
    response->exponential = filter->exponential;
    size_t lag = fit->columns, window = fit->columns + 1;
    response->lag_s = around(filter->lag_s, hypot(sqrt(fmax(0, covariance[lag][lag])), late_s), n);
    response->lag_s = not_negative(response->lag_s);
    response->window_s = around(filter->window_s, sqrt(fmax(0, covariance[window][window])), n);
    response->window_s = not_negative(response->window_s);
    return total > 0 && total * total > FOLLOWS_T * FOLLOWS_T * variance;
}

static void find_response(const struct samples *samples, const struct load_waves *waves, double update_s,
                          double read_s, double late_s, struct wave_response *response)
{
    struct fit fit;
    struct filter filters[2];
    double squares[2];
    double least_window_s = fmax(update_s / 50, read_s / 20);
    begin_fit(&fit, samples, waves, 1);
    for (int i = 0; i < 2; i++) {
        filters[i] = search_filter(samples, waves, i == 1, fmax(least_window_s, fmin(update_s / 4, 0.004)));
        filters[i] = refine_filter(&fit, filters[i], least_window_s, 2 * read_s);
        squares[i] = fit.squares;
    }
    const struct filter *best = &filters[squares[1] < squares[0]];
    double without = solve(&fit, 2);
    double with = try_filter(&fit, best);
    response->follows =
        (double)fit.rows * log(without / with) > FOLLOWS_GAIN && take(&fit, best, late_s, response);
    free(fit.shown);
}

struct wave_response wave_response_find(const struct series *series, const struct sensor_channel *channel,
                                        bool sends, const struct load_waves *waves)
{
    struct wave_response response = {.update_s = unknown, .idle_w = NAN};
    double least_s = 0;
    if (series->count >= LEAST_SAMPLES) {
        struct updates updates = find_updates(series, sends);
        struct samples samples = {.count = 0};
        double read_s = spacing_of(series);
        /* Of a counter that moves at each reading, fewer samples are used: its steps are small, and the times
         * of its readings inexact. */
        if (waves != NULL && channel->quantity == SENSOR_ENERGY && updates.each_reading && !sends)
            updates.least_s = fmax(read_s, (waves->to_s - waves->from_s) / COUNTER_SAMPLES);
        if (waves != NULL && waves->count > 0)
            samples = find_samples(series, channel, &updates, waves);
        response.update_s = around(updates.period_s, updates.error_s, series->count);
        least_s = updates.least_s;
        response.update_is_bound = !sends && updates.each_reading && !updates.regular;
        if (samples.count >= LEAST_SAMPLES)
            find_response(&samples, waves, isfinite(updates.period_s) ? updates.period_s : read_s, read_s,
                          updates.late_s, &response);
        free_samples(&samples);
    }
    response.sampled = unknown;
    response.window_is_bound = response.follows && least_s > 0 && response.window_s.low < 1.5 * least_s;
    if (!response.follows) {
        response.window_s = response.lag_s = response.total_w = unknown;
        response.idle_w = NAN;
        for (size_t i = 0; i < LOAD_PARTS; i++)
            response.rise_w[i] = unknown;
    } else if (!response.exponential && !response.update_is_bound) {
        response.sampled = share_of(response.window_s, response.update_s);
    }
    return response;
}

struct interval wave_response_ratio(struct interval a, struct interval b)
{
    double value = a.value / b.value;
    double half = fabs(value) * hypot((a.high - a.low) / (2 * a.value), (b.high - b.low) / (2 * b.value));
    return (struct interval){value, value - half, value + half, a.n < b.n ? a.n : b.n};
}
