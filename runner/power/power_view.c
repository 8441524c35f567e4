#include "runner/power/power_view.h"

#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_READINGS = 20, LEAST_OF_PHASE = 3, LOOPS_MOST = 12 };

/* A wrong reading lies outside all phases' levels by this share of their range, by a tenth of the highest
 * level and by so many times the noise, or below this share of the lowest level; alone or in pairs. */
static const double OUTSIDE = 0.5, OF_LEVEL = 0.05, NOISES = 10, NOTHING = 0.2;
enum { IN_A_ROW = 2 };

/* More of the readings are not left out. */
static const double FEW = 0.05;

/* Two fits explain readings equally well: what is left of one is no more than this many times as much, and
 * than this share of the change. */
static const double AS_WELL = 1.1, ALL_BUT = 0.02;

static struct window phase(const struct phase_windows *windows, size_t i)
{
    return i < windows->idle_count ? windows->idle[i] : windows->loops[i - windows->idle_count];
}

/* The lowest and the highest of the phases' levels; false if a phase has too few readings to say. */
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
    return seen >= LEAST_READINGS && known == windows->idle_count + windows->count;
}

/* The usual distance of a reading from the one before it. */
static double noise_of(const struct series *series)
{
    double *steps = memory_zeroed(series->count + 1, sizeof *steps);
    for (size_t i = 1; i < series->count; i++)
        steps[i - 1] = fabs(series->values[i] - series->values[i - 1]);
    double noise = stats_median(steps, series->count - 1);
    free(steps);
    return noise;
}

/* Whether a reading is wrong if it stands alone. */
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
        fmax(fmax(OUTSIDE * (high - low), OF_LEVEL * fmax(fabs(low), fabs(high))), NOISES * noise);
    struct levels levels = {low - beyond, high + beyond};
    if (low > NOISES * noise)
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
    const struct levels levels = bounds(low, high, noise_of(series));
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

/* Idle intervals, what else ran, and the first loops, without those that overlap one before. */
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

/* A meter without noise changes only when the power does, which is no update period of it: where it has
 * followed every change sooner, its period is no longer than that. */
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

/* A counter always moves while power is drawn: if it moved too seldom for its period to be known, its
 * observed rate is the upper limit. */
static double slowest(const struct series *series, const struct series_facts *facts)
{
    return isfinite(facts->resolution) && series->count > 1
               ? (series->t_s[series->count - 1] - series->t_s[0]) / 4
               : NAN;
}

/* Waves of load show a sensor's response better than a run's few changes. */
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
    if (!sensor_tells_power(described) || series->count < 2)
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
