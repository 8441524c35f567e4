#include "runner/power/power_view.h"

#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how a meter follows a change ---- */

enum { LEAST_READINGS = 20, COARSE_READINGS = 800, FINE_READINGS = 4000, STARTS = 3, REFINEMENTS = 6 };

/* A window or a lag must explain this many times the noise of one reading. */
static const double EVIDENT = 25;

/* Smaller weights of a level in a reading are ignored. */
static const double LEAST_WEIGHT = 1e-6;
static const double RIDGE = 1e-9;

/* The level between two phases is drawn to the mean of all as if by this many readings. Otherwise a short gap
 * of any power could explain the readings after it. */
static const double GAP_READINGS = 0.3;

/* The largest residual of readings that are explained: this share of the largest change, or this many times
 * the usual difference from one reading to the next. */
static const double EXPLAINED = 0.1, NOISES = 3;

/* The least error of readings, relative to the largest change. */
static const double ROUNDING = 1e-5;

static const char *const filter_names[METER_FILTERS] = {
    [METER_INSTANT] = "instant", [METER_AVERAGE] = "average", [METER_EXPONENTIAL] = "exponential"};

const char *meter_filter_name(enum meter_filter filter)
{
    return filter_names[filter];
}

/* All of the time in pieces of one level each: pieces[i] lasts until ends[i], and the last one for ever. */
struct pieces {
    double *ends;
    size_t *levels;
    size_t count, level_count;
};

struct response_fit {
    const struct pieces *pieces;
    const double *t_s, *watts; /* readings, each at the time at which the meter took it, less their mean */
    size_t count, stride, phase_count;
    double *matrix, *right, *weights; /* of the normal equations, and of one reading */
};

struct candidate {
    enum meter_filter filter;
    double lag_s, window_s, squares;
};

static void add_piece(struct pieces *pieces, double to_s, size_t level)
{
    pieces->ends[pieces->count] = to_s;
    pieces->levels[pieces->count++] = level;
}

static void cut(const struct meter_phase *phases, size_t count, struct pieces *pieces)
{
    size_t gaps = 0;
    pieces->ends = memory_zeroed(2 * count + 2, sizeof *pieces->ends);
    pieces->levels = memory_zeroed(2 * count + 2, sizeof *pieces->levels);
    pieces->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || phases[i].from_s > phases[i - 1].to_s)
            add_piece(pieces, phases[i].from_s, count + gaps++);
        add_piece(pieces, phases[i].to_s, phases[i].level);
    }
    add_piece(pieces, INFINITY, count + gaps++);
    pieces->level_count = count + gaps;
}

/* The weight, in a reading at t_s, of the time before the moment; 0 to 1. */
static double share_before(const struct candidate *of, double t_s, double moment_s)
{
    double behind_s = t_s - of->lag_s - moment_s;
    if (behind_s <= 0)
        return 1;
    if (of->filter == METER_AVERAGE)
        return behind_s >= of->window_s ? 0 : 1 - behind_s / of->window_s;
    return of->filter == METER_EXPONENTIAL ? exp(-behind_s / of->window_s) : 0;
}

/* Adds one reading to the normal equations. */
static void add_reading(const struct response_fit *fit, const struct candidate *of, double t_s, double watts)
{
    const struct pieces *pieces = fit->pieces;
    size_t n = pieces->level_count, low = 0, high = pieces->count - 1;
    while (low < high) { /* the piece in which the reading's time ends */
        size_t middle = (low + high) / 2;
        if (pieces->ends[middle] > t_s - of->lag_s)
            high = middle;
        else
            low = middle + 1;
    }
    double later = 1;
    size_t first = low;
    for (;; first--) {
        double before = first == 0 ? 0 : share_before(of, t_s, pieces->ends[first - 1]);
        fit->weights[pieces->levels[first]] += later - before;
        later = before;
        if (before < LEAST_WEIGHT)
            break;
    }
    for (size_t i = first; i <= low; i++) {
        size_t row = pieces->levels[i];
        double weight = fit->weights[row];
        if (weight == 0)
            continue; /* done with an earlier piece of this level */
        fit->weights[row] = 0;
        fit->right[row] += weight * watts;
        fit->matrix[row * n + row] += weight * weight;
        for (size_t j = i + 1; j <= low; j++) {
            size_t column = pieces->levels[j];
            double both = fit->weights[column] * weight;
            bool again = false;
            for (size_t k = i + 1; k < j && !again; k++)
                again = pieces->levels[k] == column;
            if (column == row || again)
                continue;
            fit->matrix[row * n + column] += both;
            fit->matrix[column * n + row] += both;
        }
    }
}

/* Solves the equations in place, by Cholesky's method; the levels are in fit->right. */
static void solve(const struct response_fit *fit)
{
    size_t n = fit->pieces->level_count;
    double *a = fit->matrix, *x = fit->right;
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(fmax(a[j * n + j], RIDGE));
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= a[i * n + k] * x[k];
        x[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= a[k * n + i] * x[k];
        x[i] /= a[i * n + i];
    }
}

/* Sets fit->right to the best levels for the candidate, and the candidate's mean square residual. */
static void judge(const struct response_fit *fit, struct candidate *of)
{
    size_t n = fit->pieces->level_count, used = 0;
    double all = 0, explained = 0;
    memset(fit->matrix, 0, n * n * sizeof *fit->matrix);
    memset(fit->right, 0, n * sizeof *fit->right);
    for (size_t i = 0; i < fit->count; i += fit->stride, used++) {
        add_reading(fit, of, fit->t_s[i], fit->watts[i]);
        all += fit->watts[i] * fit->watts[i];
    }
    double *given = memory_zeroed(n, sizeof *given);
    memcpy(given, fit->right, n * sizeof *given);
    for (size_t i = 0; i < n; i++)
        fit->matrix[i * n + i] += i < fit->phase_count ? RIDGE * (double)used : GAP_READINGS;
    solve(fit);
    for (size_t i = 0; i < n; i++)
        explained += given[i] * fit->right[i];
    free(given);
    of->squares = fmax(0, all - explained) / (double)used;
}

/* Tries the candidate, and keeps it if it is better. */
static bool try(const struct response_fit *fit, struct candidate candidate, struct candidate *best)
{
    judge(fit, &candidate);
    bool better = candidate.squares < best->squares;
    *best = better ? candidate : *best;
    return better;
}

/* Moves lag and window by smaller and smaller steps, as long as the residual falls. */
static void refine(const struct response_fit *fit, double least_s, struct candidate *best)
{
    double lag_step = fmax(best->lag_s / 2, 2 * least_s), window_step = fmax(best->window_s / 2, 2 * least_s);
    for (int i = 0; i < REFINEMENTS; i++) {
        bool better = true;
        for (int turns = 0; better && turns < REFINEMENTS; turns++) {
            better = false;
            for (int side = -1; side <= 1; side += 2) {
                struct candidate moved = *best;
                moved.lag_s = fmax(0, moved.lag_s + side * lag_step);
                better = try(fit, moved, best) || better;
                moved = *best;
                moved.window_s = fmax(least_s / 4, moved.window_s + side * window_step);
                better = try(fit, moved, best) || better;
                moved = *best; /* in opposite directions, as one can stand for the other */
                moved.lag_s = fmax(0, moved.lag_s - side * window_step / 2);
                moved.window_s = fmax(least_s / 4, moved.window_s + side * window_step);
                better = try(fit, moved, best) || better;
            }
        }
        lag_step /= 2;
        window_step /= 2;
    }
}

/* Searches a coarse grid of windows and lags, and refines the best lag of the best windows. */
static struct candidate search(struct response_fit *fit, enum meter_filter filter, double least_s,
                               double most_s)
{
    struct candidate starts[STARTS];
    for (size_t i = 0; i < STARTS; i++)
        starts[i].squares = INFINITY;
    fit->stride = 1 + fit->count / COARSE_READINGS;
    for (double window_s = least_s; window_s <= most_s; window_s *= 1.6) {
        struct candidate best = {.squares = INFINITY};
        for (double lag_s = 0; lag_s <= most_s; lag_s = lag_s == 0 ? least_s : lag_s * 1.8)
            try(fit, (struct candidate){filter, lag_s, window_s, 0}, &best);
        size_t worst = 0;
        for (size_t i = 1; i < STARTS; i++)
            worst = starts[i].squares > starts[worst].squares ? i : worst;
        if (best.squares < starts[worst].squares)
            starts[worst] = best;
    }
    struct candidate found = {.squares = INFINITY};
    for (size_t i = 0; i < STARTS; i++) {
        if (!isfinite(starts[i].squares))
            continue;
        refine(fit, least_s, &starts[i]);
        found = starts[i].squares < found.squares ? starts[i] : found;
    }
    return found;
}

/* Fills in the readings from the first phase's begin to the last one's end; returns their number. If the
 * meter repeats each value until it has the next one, the value's time is that of its first reading. */
static size_t gather(const struct series *series, double update_s, const struct meter_phase *phases,
                     size_t count, double *t_s, double *watts)
{
    size_t kept = 0, changed = 0;
    double sum = 0;
    for (size_t i = 0; i < series->count; i++) {
        changed = i == 0 || series->values[i] != series->values[i - 1] ? i : changed;
        if (series->t_s[i] < phases[0].from_s || series->t_s[i] > phases[count - 1].to_s)
            continue;
        bool held = series->t_s[i] - series->t_s[changed] < 1.5 * update_s; /* false if it is unknown */
        t_s[kept] = held && changed > 0 ? series->t_s[changed] : series->t_s[i];
        watts[kept] = series->values[i];
        sum += watts[kept++];
    }
    for (size_t i = 0; i < kept; i++)
        watts[i] -= sum / (double)kept;
    return kept;
}

/* The largest change from one phase's level to the next one's, from fit->right. */
static double largest_change(const struct response_fit *fit)
{
    const struct pieces *pieces = fit->pieces;
    double most = 0, last = NAN;
    for (size_t i = 0; i < pieces->count; i++) {
        if (pieces->levels[i] >= fit->phase_count)
            continue;
        most = fmax(most, fabs(fit->right[pieces->levels[i]] - last)); /* fmax ignores NAN */
        last = fit->right[pieces->levels[i]];
    }
    return most;
}

static void describe(const struct candidate *best, struct meter_response *found)
{
    found->filter = best->filter;
    found->lag_s = best->lag_s;
    found->window_s = best->window_s;
    found->settled_s = sensor_settled_s(&(struct sensor_known){
        .lag_s = best->lag_s, .window_s = best->window_s, .exponential = best->filter == METER_EXPONENTIAL});
}

/* Whether the candidate, the last one judged, explains more than an instant response does. */
static bool is_evident(const struct response_fit *fit, const struct candidate *best, double least_s,
                       double *change_w)
{
    struct candidate instant = {METER_INSTANT, 0, 0, 0};
    *change_w = largest_change(fit);
    judge(fit, &instant);
    double rounding = ROUNDING * *change_w;
    double noise = fmax(best->squares, rounding * rounding);
    double readings = (double)fit->count / (double)fit->stride;
    return (instant.squares - noise) / noise * readings > EVIDENT && best->lag_s + best->window_s > least_s;
}

/* The median difference from one value to the next. */
static double usual_step(const double *values, size_t count)
{
    double *steps = memory_zeroed(count + 1, sizeof *steps);
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = fabs(values[i] - values[i - 1]);
    double usual = stats_median(steps, count - 1);
    free(steps);
    return usual;
}

static bool find(struct response_fit *fit, double least_s, double most_s, struct meter_response *found)
{
    struct candidate of[METER_FILTERS], best = {.squares = INFINITY};
    *found = (struct meter_response){.filter = METER_INSTANT};
    for (enum meter_filter filter = METER_AVERAGE; filter < METER_FILTERS; filter++) {
        of[filter] = search(fit, filter, least_s, filter == METER_EXPONENTIAL ? most_s / 2 : most_s);
        best = of[filter].squares < best.squares ? of[filter] : best;
    }
    judge(fit, &best);
    bool evident = is_evident(fit, &best, least_s, &found->change_w);
    if (evident && fit->count > COARSE_READINGS) {
        fit->stride = 1 + fit->count / FINE_READINGS;
        best.squares = INFINITY;
        for (enum meter_filter filter = METER_AVERAGE; filter < METER_FILTERS; filter++) {
            judge(fit, &of[filter]);
            refine(fit, least_s, &of[filter]);
            best = of[filter].squares < best.squares ? of[filter] : best;
        }
        judge(fit, &best);
        evident = is_evident(fit, &best, least_s, &found->change_w);
    }
    if (evident)
        describe(&best, found);
    found->noise_w = sqrt(best.squares);
    return found->change_w > found->noise_w &&
           found->noise_w <= fmax(EXPLAINED * found->change_w, NOISES * usual_step(fit->watts, fit->count));
}

bool meter_response_find(const struct series *series, double update_s, const struct meter_phase *phases,
                         size_t count, struct meter_response *found)
{
    struct pieces pieces = {0};
    if (count == 0 || series->count < LEAST_READINGS)
        return false;
    double *t_s = memory_zeroed(2 * series->count, sizeof *t_s), *watts = t_s + series->count;
    struct response_fit fit = {.pieces = &pieces, .t_s = t_s, .watts = watts, .phase_count = count};
    fit.count = gather(series, update_s, phases, count, t_s, watts);
    bool known = fit.count >= LEAST_READINGS;
    if (known) {
        double longest_s = 0;
        for (size_t i = 0; i < count; i++)
            longest_s = fmax(longest_s, phases[i].to_s - phases[i].from_s);
        double seconds = series->t_s[series->count - 1] - series->t_s[0];
        cut(phases, count, &pieces);
        size_t n = pieces.level_count;
        fit.matrix = memory_zeroed(n * n, sizeof *fit.matrix);
        fit.right = memory_zeroed(n, sizeof *fit.right);
        fit.weights = memory_zeroed(n, sizeof *fit.weights);
        known = find(&fit, seconds / (double)(series->count - 1), longest_s, found);
        free(fit.matrix);
        free(fit.right);
        free(fit.weights);
        free(pieces.ends);
        free(pieces.levels);
    }
    free(t_s);
    return known;
}

/* ---- the view ---- */

enum { LEAST_SEEN = 20, LEAST_OF_PHASE = 3, LOOPS_MOST = 12 };

/* A wrong reading lies outside all phases' levels by OUTSIDE of their range, by OF_LEVEL of the highest level
 * and by ABOVE_NOISE times the noise, or is below NOTHING of the lowest level; at most IN_A_ROW are adjacent.
 */
static const double OUTSIDE = 0.5, OF_LEVEL = 0.05, ABOVE_NOISE = 10, NOTHING = 0.2;
enum { IN_A_ROW = 2 };

/* The largest share of readings that is left out. */
static const double FEW = 0.05;

/* A fit explains readings as well as another if its residual is at most AS_WELL times that of the other, or
 * ALL_BUT of the change. */
static const double AS_WELL = 1.1, ALL_BUT = 0.02;

static struct window phase(const struct phase_windows *windows, size_t i)
{
    return i < windows->idle_count ? windows->idle[i] : windows->loops[i - windows->idle_count];
}

/* The lowest and the highest of the phases' levels; false if a phase has too few readings. */
static bool find_levels(const struct series *series, const struct phase_windows *windows, size_t least,
                        double *low, double *high)
{
    double *values = memory_zeroed(series->count + 1, sizeof *values);
    size_t seen = 0, known = 0;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < windows->idle_count + windows->count; i++) {
        struct window inside = phase(windows, i);
        size_t count = 0;
        for (size_t j = 0; j < series->count; j++)
            if (series->t_s[j] >= inside.from_s && series->t_s[j] <= inside.to_s)
                values[count++] = series->values[j];
        seen += count;
        if (count < least)
            break;
        known++;
        *low = fmin(*low, stats_median(values, count));
        *high = fmax(*high, stats_median(values, count));
    }
    free(values);
    return seen >= LEAST_SEEN && known == windows->idle_count + windows->count;
}

/* A single reading outside of these is wrong. */
struct levels {
    double low, high;
};

static bool is_outside(const struct levels *levels, double value)
{
    return value < levels->low || value > levels->high;
}

static struct levels bounds(double low, double high, double noise)
{
    double beyond =
        fmax(fmax(OUTSIDE * (high - low), OF_LEVEL * fmax(fabs(low), fabs(high))), ABOVE_NOISE * noise);
    struct levels levels = {low - beyond, high + beyond};
    if (low > ABOVE_NOISE * noise)
        levels.low = fmax(levels.low, NOTHING * low);
    return levels;
}

/* Copies the series without its wrong readings. */
static void clean(const struct series *series, const struct phase_windows *windows, double zero_s,
                  struct channel_view *view)
{
    double low, high;
    double repeats = view->update_s > view->spacing_s ? view->update_s / view->spacing_s : 1;
    if (!find_levels(series, windows, (size_t)(LEAST_OF_PHASE * repeats), &low, &high))
        return;
    const struct levels levels = bounds(low, high, usual_step(series->values, series->count));
    const size_t in_a_row = (size_t)(IN_A_ROW * repeats); /* a value that the meter repeats is one reading */
    view->readings = series->count;
    for (size_t i = 0; i < series->count;) {
        size_t next = i;
        while (next < series->count && is_outside(&levels, series->values[next]))
            next++;
        bool wrong = next > i && next - i <= in_a_row;
        if (wrong && view->wrong == 0) {
            view->wrong_w = series->values[i];
            view->wrong_s = series->t_s[i] - zero_s;
        }
        view->wrong += wrong ? next - i : 0;
        for (next = next > i ? next : i + 1; i < next; i++)
            if (!wrong)
                series_add(&view->cleaned, series->t_s[i], series->values[i]);
    }
    view->many = (double)view->wrong > FEW * (double)series->count;
    if (view->wrong > 0 && !view->many)
        view->series = &view->cleaned;
}

static int by_begin(const void *a, const void *b)
{
    const struct meter_phase *left = a, *right = b;
    return left->from_s < right->from_s ? -1 : left->from_s > right->from_s;
}

/* The idle intervals, other loops and the first loops of repetitions, without those that overlap an earlier
 * one. */
static size_t gather_phases(const struct phase_windows *windows, struct meter_phase *phases)
{
    size_t count = 0, kept = 0;
    size_t loops = windows->count < LOOPS_MOST ? windows->count : LOOPS_MOST;
    for (size_t i = 0; i < windows->idle_count; i++)
        phases[count++] = (struct meter_phase){windows->idle[i].from_s, windows->idle[i].to_s, 0};
    for (size_t i = 0; i < windows->other_count && i < LOOPS_MOST; i++)
        phases[count++] = (struct meter_phase){windows->others[i].from_s, windows->others[i].to_s, 0};
    for (size_t i = 0; i < loops; i++)
        phases[count++] = (struct meter_phase){windows->loops[i].from_s, windows->loops[i].to_s, 0};
    if (loops < windows->count && windows->idle_count > 1)
        phases[1] = phases[--count]; /* the idle interval after all loops is too far away */
    qsort(phases, count, sizeof *phases, by_begin);
    for (size_t i = 0; i < count; i++) {
        bool apart = kept == 0 || phases[i].from_s >= phases[kept - 1].to_s;
        if (apart && phases[i].to_s > phases[i].from_s)
            phases[kept++] = phases[i];
    }
    for (size_t i = 0; i < kept; i++)
        phases[i].level = i;
    return kept;
}

/* Finds the meter's response, and limits its update period: a meter without noise changes only when the power
 * does, which is not its period. If it follows every change sooner, its period is no longer than that. */
static void find_response(const struct meter_phase *phases, size_t count, struct channel_view *view)
{
    struct meter_response held;
    view->responds = meter_response_find(view->series, NAN, phases, count, &view->response);
    if (!(view->update_s > 1.5 * view->spacing_s))
        return;
    bool holds = meter_response_find(view->series, view->update_s, phases, count, &held);
    double enough_w = fmax(AS_WELL * held.noise_w, ALL_BUT * view->response.change_w);
    if (view->responds && (!holds || view->response.noise_w <= enough_w))
        view->update_s = fmin(view->update_s, view->spacing_s + view->response.settled_s);
    else if (holds) {
        view->response = held;
        view->responds = true;
    }
}

/* The longest possible update period of a counter that moved too seldom for its period to be known: it always
 * moves while power is drawn. */
static double slowest(const struct series *series, const struct series_facts *facts)
{
    return isfinite(facts->resolution) && series->count > 1
               ? (series->t_s[series->count - 1] - series->t_s[0]) / 4
               : NAN;
}

/* Uses the response that an earlier trial found: waves of load show it better than a run's few changes. */
static void use_known(const struct sensor_known *known, struct channel_view *view)
{
    double settled_s = sensor_settled_s(known);
    if (known->update_s > 0)
        view->update_s = known->update_s;
    if (!(settled_s > 0) || (view->responds && view->response.settled_s > settled_s))
        return;
    view->response.filter = known->exponential ? METER_EXPONENTIAL : METER_AVERAGE;
    view->response.lag_s = known->lag_s;
    view->response.window_s = known->window_s;
    view->response.settled_s = settled_s;
    view->responds = true;
}

static void look(const struct recorder *recorder, size_t meter, size_t channel,
                 const struct phase_windows *windows, const struct meter_phase *phases, size_t count,
                 struct channel_view *view)
{
    const struct sensor_channel *described = &recorder_meters(recorder)->meters[meter].channels[channel];
    const struct series *series = recorder_series(recorder, meter, channel);
    const struct series_facts facts = series_look(series);
    size_t marks;
    const struct recorder_mark *mark = recorder_marks(recorder, &marks);
    *view = (struct channel_view){.series = series,
                                  .spacing_s = isfinite(facts.spacing_s) ? facts.spacing_s : 0,
                                  .update_s =
                                      described->quantity == SENSOR_POWER ? facts.soonest_s : facts.update_s};
    if (described->quantity == SENSOR_ENERGY && isnan(facts.update_s))
        view->update_s = slowest(series, &facts);
    if (!sensor_measures_power(described) || series->count < 2)
        return;
    if (described->quantity == SENSOR_POWER) {
        clean(series, windows, marks > 0 ? mark[0].t_s : series->t_s[0], view);
        find_response(phases, count, view);
    }
    use_known(&described->known, view);
}

void power_view_open(const struct recorder *recorder, const struct phase_windows *windows,
                     struct power_view *view)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct meter_phase phases[2 + 2 * LOOPS_MOST];
    size_t count = gather_phases(windows, phases);
    *view = (struct power_view){
        recorder, windows,
        memory_zeroed(meters->count * SENSOR_LIST_CHANNELS + 1, sizeof(struct channel_view))};
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            look(recorder, i, j, windows, phases, count, &view->channels[i * SENSOR_LIST_CHANNELS + j]);
}

const struct channel_view *power_view_channel(const struct power_view *view, size_t meter, size_t channel)
{
    return &view->channels[meter * SENSOR_LIST_CHANNELS + channel];
}

double power_view_settled(const struct channel_view *channel)
{
    if (!channel->responds || !(channel->response.settled_s > 0))
        return 0;
    bool held = channel->update_s > 1.5 * channel->spacing_s;
    return channel->response.settled_s + (held ? channel->update_s : channel->spacing_s);
}

struct window power_view_inside(struct window window, double share, double settled_s)
{
    double begin_s = fmax(share * window_seconds(window), settled_s);
    return (struct window){window.from_s + begin_s, window.to_s - share * window_seconds(window)};
}

void power_view_free(struct power_view *view)
{
    const struct sensor_list *meters = view->recorder == NULL ? NULL : recorder_meters(view->recorder);
    for (size_t i = 0; meters != NULL && i < meters->count * SENSOR_LIST_CHANNELS; i++)
        series_free(&view->channels[i].cleaned);
    free(view->channels);
    *view = (struct power_view){0};
}
