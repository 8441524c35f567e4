#include "runner/power/summary.h"

#include "base/memory.h"
#include "base/stats.h"
#include "base/text/plural.h"
#include "runner/power/measurement_quality.h"
#include "runner/power/quality_facts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- repetitions that are kept ---- */

enum { LEAST_KEPT = 3, NUMBERS_MOST = 4, NUMBERS_BYTES = 96, REASON_BYTES = 128 };

static const double MAJORITY = 0.6;
static const double FAR = 4; /* in ranges of the values that agree */
static const double POWER_FLOOR = 0.1, TIME_FLOOR = 0.05;

/* The bounds of the largest majority of the known values from which all others are far. False if no value is
 * far. */
static bool find_majority(const double *values, size_t count, double floor, double *low, double *high)
{
    double *sorted = memory_zeroed(count + 1, sizeof *sorted);
    size_t known = 0;
    bool found = false;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            sorted[known++] = values[i];
    stats_sort(sorted, known);
    size_t least = (size_t)fmax(LEAST_KEPT, ceil(MAJORITY * (double)known));
    for (size_t kept = known; kept-- > least && !found;)
        for (size_t i = 0; i + kept <= known && !found; i++) {
            double far =
                fmax(FAR * (sorted[i + kept - 1] - sorted[i]), floor * fabs(stats_median(sorted + i, kept)));
            *low = sorted[i];
            *high = sorted[i + kept - 1];
            found = (i == 0 || *low - sorted[i - 1] > far) &&
                    (i + kept == known || sorted[i + kept] - *high > far);
        }
    free(sorted);
    return found;
}

/* Adds "repetitions 4, 5 are left out: WHY". */
static void name(const bool *these, size_t count, const char *why, char text[KEPT_REPS_TEXT])
{
    char numbers[NUMBERS_BYTES] = "";
    size_t used = 0, found = 0, length = strlen(text);
    for (size_t i = 0; i < count; i++)
        if (these[i] && found++ < NUMBERS_MOST)
            used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%zu", used == 0 ? "" : ", ",
                                     i + 1);
    if (found > 0)
        snprintf(text + length, KEPT_REPS_TEXT - length, "%srepetition%s %s%s left out: %s",
                 length > 0 ? "; " : "", plural_s(found), numbers,
                 found == 1             ? " is"
                 : found > NUMBERS_MOST ? " and more are"
                                        : " are",
                 why);
}

/* The median of the values whose flag is as given. */
static double median_of(const double *values, const bool *flags, bool flag, size_t count)
{
    double *chosen = memory_zeroed(count + 1, sizeof *chosen);
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (flags[i] == flag && isfinite(values[i]))
            chosen[used++] = values[i];
    double median = stats_median(chosen, used);
    free(chosen);
    return median;
}

/* Flags the values that are far from the majority; false if there are none. */
static bool find_far(const double *values, size_t count, double floor, bool *far)
{
    double low, high;
    bool found = find_majority(values, count, floor, &low, &high);
    for (size_t i = 0; i < count; i++)
        far[i] = found && (values[i] < low || values[i] > high);
    return found;
}

size_t kept_reps_choose(const struct kept_reps_facts *of, bool *out, char text[KEPT_REPS_TEXT])
{
    size_t kept = 0;
    double idle_w = isfinite(of->idle_w) ? of->idle_w : 0;
    char why[REASON_BYTES];
    bool *far = memory_zeroed(of->count + 1, sizeof *far);
    double *watts = memory_zeroed(of->count + 1, sizeof *watts);
    const char *reset = NULL;
    text[0] = '\0';
    for (size_t i = 0; i < of->count; i++) {
        out[i] = of->resets != NULL && of->resets[i] != NULL;
        reset = out[i] ? of->resets[i] : reset;
        watts[i] = out[i] ? NAN : of->watts[i] - idle_w;
    }
    snprintf(why, sizeof why, "%s was reset", reset == NULL ? "" : reset);
    name(out, of->count, why, text);
    if (of->pass_s != NULL && find_far(of->pass_s, of->count, TIME_FLOOR, far)) {
        snprintf(why, sizeof why, "a pass took %.3g times as long as in the others",
                 median_of(of->pass_s, far, true, of->count) / median_of(of->pass_s, far, false, of->count));
        name(far, of->count, why, text);
        for (size_t i = 0; i < of->count; i++) {
            out[i] = out[i] || far[i];
            watts[i] = out[i] ? NAN : watts[i];
        }
    }
    if (find_far(watts, of->count, POWER_FLOOR, far)) {
        snprintf(why, sizeof why, "%.4g W instead of the others' %.4g W",
                 idle_w + median_of(watts, far, true, of->count),
                 idle_w + median_of(watts, far, false, of->count));
        name(far, of->count, why, text);
        for (size_t i = 0; i < of->count; i++)
            out[i] = out[i] || far[i];
    }
    for (size_t i = 0; i < of->count; i++)
        kept += !out[i];
    free(far);
    free(watts);
    return kept;
}

/* ---- the summary ---- */

/* A tenth at each end of an idle interval, and a twentieth of a loop, may show the neighbouring phase. */
static const double IDLE_TRIM = 0.1;
static const double LOOP_TRIM = 0.05;

/* The part of a window that is used must be at least this many times the meter's settling time. */
static const double LEAST_INSIDE = 0.25;

/* Readings that spread by less than DITHER of the meter's step do not average its rounding out; each level
 * may then be off by ROUNDED of a step. */
static const double DITHER = 0.45, ROUNDED = 0.6;

enum { IDLE_PARTS = 10, PART_SAMPLES = 4, FAN_PARTS = 5, DRIFT_PARTS = 3 };

/* One channel, or the sum of a meter's whole channels. */
struct channel_set {
    const struct power_view *view;
    size_t meter;
    size_t channel; /* SUM: all whole channels */
};
enum { SUM = SENSOR_LIST_CHANNELS };

/* Repetitions and readings that do not count. */
struct left_out {
    char text[2 * KEPT_REPS_TEXT]; /* "repetition 2 is left out: ... was reset"; "": nothing is left out */
    bool *reps;                    /* of each repetition, whether it is left out */
    size_t count;                  /* of those that are */
};

static const struct listed_sensor *meter_of(const struct power_view *view, size_t meter)
{
    return &recorder_meters(view->recorder)->meters[meter];
}

/* Mean time from one sample to the next. */
static double spacing(const struct series *series)
{
    return series->count < 2
               ? 0
               : (series->t_s[series->count - 1] - series->t_s[0]) / (double)(series->count - 1);
}

static double channel_joules(const struct power_view *view, size_t meter, size_t channel,
                             struct window window)
{
    const struct channel_view *seen = power_view_channel(view, meter, channel);
    /* Periodic readings may miss the ends by their spacing. */
    return series_energy(seen->series, &meter_of(view, meter)->channels[channel], window.from_s, window.to_s,
                         3 * seen->spacing_s);
}

static bool is_meant(const struct channel_set *of, size_t channel)
{
    const struct sensor_channel *described = &meter_of(of->view, of->meter)->channels[channel];
    return of->channel == SUM ? described->whole && sensor_measures_power(described) : channel == of->channel;
}

static double joules_of(const struct channel_set *of, struct window window)
{
    double sum = 0;
    for (size_t i = 0; i < meter_of(of->view, of->meter)->count; i++)
        if (is_meant(of, i))
            sum += channel_joules(of->view, of->meter, i, window);
    return sum;
}

/* The first of its counters that was reset in the window; NULL: none was. */
static const char *reset_in(const struct channel_set *of, struct window window)
{
    const struct listed_sensor *meter = meter_of(of->view, of->meter);
    for (size_t i = 0; i < meter->count; i++)
        if (is_meant(of, i) && series_was_reset(power_view_channel(of->view, of->meter, i)->series,
                                                &meter->channels[i], window.from_s, window.to_s))
            return meter->channels[i].name;
    return NULL;
}

static double watts_of(const struct channel_set *of, struct window window)
{
    return joules_of(of, window) / window_seconds(window);
}

/* The channel of the set that follows a change most slowly. */
static const struct channel_view *slowest_of(const struct channel_set *of)
{
    const struct channel_view *slowest = NULL;
    for (size_t i = 0; i < meter_of(of->view, of->meter)->count; i++) {
        const struct channel_view *here = power_view_channel(of->view, of->meter, i);
        if (is_meant(of, i) && (slowest == NULL || power_view_settled(here) > power_view_settled(slowest)))
            slowest = here;
    }
    return slowest;
}

/* The part of the window whose readings show only the window's power; if too little would be left, all but
 * `share` at its ends. */
static struct window inside_of(const struct channel_set *of, struct window window, double share)
{
    double settled_s = power_view_settled(slowest_of(of));
    struct window inside = power_view_inside(window, share, settled_s);
    return window_seconds(inside) < LEAST_INSIDE * settled_s ? window_trim(window, share) : inside;
}

static double spread_inside(const struct channel_set *of, const struct series *series, struct window loop)
{
    struct window inside = inside_of(of, loop, LOOP_TRIM);
    return series_spread(series, inside.from_s, inside.to_s);
}

/* The error by rounding that all readings of a level may share. */
static double rounding_of(const struct channel_set *of)
{
    const struct phase_windows *windows = of->view->windows;
    double sum = 0;
    for (size_t i = 0; i < meter_of(of->view, of->meter)->count; i++) {
        const struct series *series = power_view_channel(of->view, of->meter, i)->series;
        if (!is_meant(of, i) || meter_of(of->view, of->meter)->channels[i].quantity != SENSOR_POWER)
            continue;
        double step = quality_step(series, false), spread = 0;
        for (size_t j = 0; j < windows->count; j++)
            spread = fmax(spread, spread_inside(of, series, windows->loops[j]));
        sum += spread < DITHER * step ? ROUNDED * step : 0;
    }
    return sum;
}

/* The number of parts into which an idle interval is split: each has some samples. */
static size_t idle_parts(const struct channel_set *of, struct window window)
{
    size_t channel = of->channel == SUM ? 0 : of->channel;
    double each_s = PART_SAMPLES * power_view_channel(of->view, of->meter, channel)->spacing_s;
    double parts = each_s > 0 ? floor(window_seconds(window) / each_s) : 1;
    return parts < 1 ? 1 : parts > IDLE_PARTS ? IDLE_PARTS : (size_t)parts;
}

/* Sets the power of the parts of the idle intervals, without parts that have no data; returns their number,
 * or 0 if more than half have none. *before: the number of parts of the first interval. */
static size_t idle_watts(const struct channel_set *of, double watts[2 * IDLE_PARTS], size_t *before)
{
    const struct phase_windows *windows = of->view->windows;
    double settled_s = power_view_settled(slowest_of(of));
    size_t count = 0;
    size_t looked_at = 0;
    *before = 0;
    for (size_t i = 0; i < windows->idle_count; i++) {
        struct window idle = power_view_inside(windows->idle[i], IDLE_TRIM, settled_s);
        if (window_seconds(idle) < LEAST_INSIDE * settled_s)
            continue; /* too short for the meter */
        size_t parts = idle_parts(of, idle);
        for (size_t j = 0; j < parts; j++) {
            watts[count] = watts_of(of, window_part(idle, j, parts));
            count += isfinite(watts[count]) != 0;
        }
        looked_at += parts;
        *before = i == 0 ? count : *before;
    }
    return 2 * count < looked_at ? 0 : count;
}

/* For one repetition: the power of its loop, or the power of its whole run minus that of a run with no
 * passes. */
static double rep_watts(const struct channel_set *of, size_t rep, double *seconds)
{
    const struct phase_windows *windows = of->view->windows;
    if (windows->start == NULL) {
        *seconds = window_seconds(windows->loops[rep]);
        return watts_of(of, inside_of(of, windows->loops[rep], LOOP_TRIM));
    }
    *seconds = window_seconds(windows->runs[rep]) - window_seconds(*windows->start);
    double joules = joules_of(of, windows->runs[rep]) - joules_of(of, *windows->start);
    return *seconds > 0 ? joules / *seconds : NAN;
}

/* The median change of power from the first to the last third of the repetitions' loops; NAN if its range
 * over the repetitions is larger. */
static double loop_drift(const struct channel_set *of, const struct left_out *left_out)
{
    const struct phase_windows *windows = of->view->windows;
    double *drifts = memory_zeroed(windows->count + 1, sizeof *drifts);
    size_t count = 0;
    for (size_t i = 0; i < windows->count && windows->start == NULL; i++) {
        struct window inside = inside_of(of, windows->loops[i], LOOP_TRIM);
        if (!left_out->reps[i])
            drifts[count++] = watts_of(of, window_part(inside, DRIFT_PARTS - 1, DRIFT_PARTS)) -
                              watts_of(of, window_part(inside, 0, DRIFT_PARTS));
    }
    double drift = stats_median(drifts, count);
    double range = stats_quantile(drifts, count, 1) - stats_quantile(drifts, count, 0);
    free(drifts);
    return count > 1 && fabs(drift) > range ? drift : NAN;
}

static struct power_quality_verdict judge(const struct channel_set *of, const struct energy_samples *samples,
                                          const struct power_parts *parts, const struct left_out *left_out)
{
    struct power_quality_case what = {.watts = samples->watts,
                                      .count = samples->count,
                                      .idle_w = samples->idle_w,
                                      .idle_count = samples->idle_count,
                                      .idle_before = samples->idle_before,
                                      .dynamic_w = parts->dynamic_w,
                                      .loop_drift_w = loop_drift(of, left_out)};
    quality_facts(of->view, of->meter, of->channel, &what);
    struct power_quality_verdict verdict = power_quality(&what);
    free((void *)(uintptr_t)what.readings);
    return verdict;
}

/* Adds the wrong readings that were left out of the channels. */
static void name_wrong(const struct channel_set *of, struct left_out *left_out)
{
    for (size_t i = 0; i < meter_of(of->view, of->meter)->count; i++) {
        const struct channel_view *seen = power_view_channel(of->view, of->meter, i);
        size_t length = strlen(left_out->text);
        if (is_meant(of, i) && seen->wrong > 0 && !seen->many)
            snprintf(left_out->text + length, sizeof left_out->text - length,
                     "%s%zu of %zu readings, as %.4g W at %.3f s, %s left out: far from those before and "
                     "after",
                     length > 0 ? "; " : "", seen->wrong, seen->readings, seen->wrong_w, seen->wrong_s,
                     seen->wrong == 1 ? "is" : "are");
    }
}

/* Sets watts and seconds of the repetitions that count; returns their number. */
static size_t all_watts(const struct channel_set *of, double idle_w, double *watts, double *seconds,
                        struct left_out *left_out)
{
    const struct phase_windows *windows = of->view->windows;
    const char **resets = memory_zeroed(windows->count + 1, sizeof *resets);
    size_t kept = 0;
    for (size_t i = 0; i < windows->count; i++) {
        watts[i] = rep_watts(of, i, &seconds[i]);
        if (isfinite(watts[i]))
            continue;
        resets[i] = reset_in(of, windows->start == NULL ? windows->loops[i] : windows->runs[i]);
        if (resets[i] == NULL && windows->start != NULL)
            resets[i] = reset_in(of, *windows->start);
    }
    const struct kept_reps_facts facts = {watts, windows->pass_s, resets, windows->count, idle_w};
    left_out->count = windows->count - kept_reps_choose(&facts, left_out->reps, left_out->text);
    for (size_t i = 0; i < windows->count; i++) {
        watts[kept] = watts[i];
        seconds[kept] = seconds[i];
        kept += !left_out->reps[i];
    }
    free(resets);
    name_wrong(of, left_out);
    return kept;
}

/* False if power is unknown; then only *left_out is set. Free left_out->reps in every case. */
static bool find_parts(const struct channel_set *of, struct power_parts *parts, bool *idle,
                       struct power_quality_verdict *verdict, struct left_out *left_out)
{
    const size_t reps = of->view->windows->count;
    double idle_w[2 * IDLE_PARTS];
    double *watts = memory_zeroed(2 * reps + 1, sizeof *watts);
    struct energy_samples samples = {.watts = watts, .seconds = watts + reps, .idle_w = idle_w};
    left_out->reps = memory_zeroed(reps + 1, sizeof *left_out->reps);
    samples.idle_count = idle_watts(of, idle_w, &samples.idle_before);
    samples.level_error_w = rounding_of(of);
    samples.count = all_watts(of, samples.idle_count == 0 ? NAN : stats_median(idle_w, samples.idle_count),
                              watts, watts + reps, left_out);
    *parts = (struct power_parts){.dynamic_w = {.value = NAN}};
    bool known = energy_parts(&samples, parts, idle);
    if (known)
        *verdict = judge(of, &samples, parts, left_out);
    if (known && left_out->text[0] != '\0') {
        size_t length = strlen(verdict->reason);
        snprintf(verdict->reason + length, sizeof verdict->reason - length, "; %s", left_out->text);
    }
    free(watts);
    return known;
}

static void add_parts(struct result_values *values, const struct power_parts *parts, bool idle,
                      struct arena *arena)
{
    result_value_add(values, "power.total_w", parts->total_w, arena);
    if (!idle)
        return;
    result_value_add(values, "power.static_w", parts->static_w, arena);
    result_value_add(values, "power.dynamic_w", parts->dynamic_w, arena);
    result_value_add(values, "energy.dynamic_j", parts->dynamic_j, arena);
}

/* Whether the channel's last value is from well before the recording's end. */
static bool went_quiet(const struct recorder *recorder, const struct series *series)
{
    size_t count;
    const struct recorder_mark *marks = recorder_marks(recorder, &count);
    return count > 0 && series->t_s[series->count - 1] < marks[count - 1].t_s - 10 * spacing(series);
}

/* Why a channel has no data for the point. */
static const char *why_nothing(const struct recorder *recorder, size_t meter, size_t channel,
                               const struct left_out *left_out, struct arena *arena)
{
    const struct error *lost = recorder_lost(recorder, meter);
    const struct series *series = recorder_series(recorder, meter, channel);
    if (left_out->count > 0)
        return arena_strdup(arena, left_out->text);
    if (lost != NULL)
        return arena_print(arena, "the sensor disappeared: %s", lost->message);
    if (series->count == 0)
        return "it delivered no value while the point was measured";
    if (went_quiet(recorder, series))
        return "it stopped delivering values while the point was measured";
    return arena_print(arena,
                       "its %zu readings do not cover every repetition: repetitions are too short for it",
                       series->count);
}

/* How the slowest channel follows a change, if that is known. */
static struct result_response response_of(const struct channel_set *of)
{
    const struct channel_view *slowest = slowest_of(of);
    if (slowest == NULL || !slowest->responds)
        return (struct result_response){0};
    return (struct result_response){meter_filter_name(slowest->response.filter), slowest->response.lag_s,
                                    slowest->response.window_s};
}

static struct result_channel describe_channel(const struct power_view *view, size_t meter, size_t channel,
                                              struct arena *arena)
{
    const struct sensor_channel *described = &meter_of(view, meter)->channels[channel];
    const struct channel_set of = {view, meter, channel};
    struct power_parts parts;
    struct power_quality_verdict verdict;
    struct left_out left_out;
    bool idle;
    struct result_channel result = {.name = arena_strdup(arena, described->name),
                                    .label = arena_strdup(arena, described->label),
                                    .quantity = sensor_quantities[described->quantity].name,
                                    .verdict = power_quality_word(false)};
    if (find_parts(&of, &parts, &idle, &verdict, &left_out)) {
        add_parts(&result.values, &parts, idle, arena);
        result.response = response_of(&of);
        result.verdict = power_quality_word(verdict.trustworthy);
        result.reason = arena_strdup(arena, verdict.reason);
    } else {
        result.reason = why_nothing(view->recorder, meter, channel, &left_out, arena);
    }
    free(left_out.reps);
    return result;
}

/* The source of the headline value. */
struct headline {
    size_t meter;
    size_t channel; /* SUM, or the channel of the GPU that ran the programs, as other GPUs do not count */
};

/* Whether the meter measures the device (of phase_windows); sets *channel to the channel, or SUM. */
static bool measures(const struct listed_sensor *meter, const char *device, size_t *channel)
{
    bool own = meter->sensor->accelerator;
    *channel = SUM;
    if (device == NULL ? own : !own && !meter->sensor->external)
        return false;
    for (size_t i = 0; i < meter->count; i++) {
        const struct sensor_channel *here = &meter->channels[i];
        if (!here->whole || !sensor_measures_power(here) || (own && strcmp(here->pci, device) != 0))
            continue;
        *channel = own ? i : SUM;
        return true;
    }
    return false;
}

/* The headline: of the meters that measure the device, the one of the highest rank below `below`. False if
 * there is none. */
static bool find_headline(const struct recorder *recorder, const char *device, int below,
                          struct headline *found)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    int best = 0;
    for (size_t i = 0; i < meters->count; i++) {
        size_t channel;
        int rank = meters->meters[i].sensor->rank;
        if (rank <= best || rank >= below || !measures(&meters->meters[i], device, &channel))
            continue;
        best = rank;
        *found = (struct headline){i, channel};
    }
    return best > 0;
}

/* The first of the meter's whole channels that lacks some repetition. */
static size_t missing_whole(const struct power_view *view, const struct headline *headline)
{
    const size_t meter = headline->meter;
    const struct listed_sensor *from = meter_of(view, meter);
    size_t found = 0;
    if (headline->channel != SUM)
        return headline->channel;
    for (size_t i = from->count; i > 0; i--) {
        const struct channel_set of = {view, meter, i - 1};
        double seconds;
        bool complete = true;
        for (size_t j = 0; j < view->windows->count; j++)
            complete = complete && isfinite(rep_watts(&of, j, &seconds));
        if (from->channels[i - 1].whole && sensor_measures_power(&from->channels[i - 1]) && !complete)
            found = i - 1;
    }
    return found;
}

static struct manifest_words names_of(const struct channel_set *of, struct arena *arena)
{
    const struct listed_sensor *from = meter_of(of->view, of->meter);
    struct manifest_words names = {arena_alloc(arena, from->count, sizeof *names.items), 0};
    for (size_t i = 0; i < from->count; i++)
        if (is_meant(of, i))
            names.items[names.count++] = arena_strdup(arena, from->channels[i].name);
    return names;
}

/* The power that the outer meter measures and the inner one does not. */
static double outside_watts(const struct channel_set *outer, const struct channel_set *inner,
                            struct window window)
{
    return watts_of(outer, window) - watts_of(inner, window);
}

/* Sets the power of the fans, which speed up while programs run: the rise of the power outside of the chip
 * from the start of the first loop to the last loop. */
static void set_fans(struct result_power *power, const struct channel_set *outer,
                     const struct channel_set *inner, struct arena *arena)
{
    const struct phase_windows *windows = outer->view->windows;
    double watts[FAN_PARTS];
    bool known = windows->count > 0;
    if (!known)
        return;
    struct window begin = inside_of(outer, windows->loops[0], 0);
    struct window end = inside_of(outer, windows->loops[windows->count - 1], 0);
    double first = outside_watts(outer, inner, window_part(begin, 0, FAN_PARTS));
    for (size_t i = 0; known && i < FAN_PARTS; i++) {
        watts[i] = outside_watts(outer, inner, window_part(end, i, FAN_PARTS)) - first;
        known = isfinite(watts[i]);
    }
    if (known)
        result_value_add(&power->values, "power.fans_w", stats_bootstrap(watts, FAN_PARTS), arena);
}

/* A meter outside of the chip measures more than the chip's own sensor; if it shows less, a scale is wrong.
 */
static void doubt_scale(struct result_power *power, struct interval outside, const char *inside,
                        struct arena *arena)
{
    if (outside.high < 0)
        power_quality_doubt(power,
                            arena_print(arena,
                                        "the chip's own sensor (%s) shows %.4g W more of it than this meter, "
                                        "which contains it: one of their scales is wrong",
                                        inside, -outside.value),
                            arena);
}

static void set_outside(struct result_power *power, const struct channel_set *outer,
                        const struct power_parts *outer_parts, struct arena *arena)
{
    const struct power_view *view = outer->view;
    const struct power_sensor *sensor = meter_of(view, outer->meter)->sensor;
    struct headline inside;
    struct power_parts parts;
    struct power_quality_verdict verdict;
    struct left_out left_out;
    bool idle;
    if (!sensor->external || !find_headline(view->recorder, view->windows->device, sensor->rank, &inside) ||
        meter_of(view, inside.meter)->sensor->external)
        return;
    const struct channel_set inner = {view, inside.meter, inside.channel};
    bool known = find_parts(&inner, &parts, &idle, &verdict, &left_out);
    free(left_out.reps);
    if (!known || !idle)
        return;
    const struct interval outside = energy_difference(outer_parts->dynamic_w, parts.dynamic_w);
    power->inside = names_of(&inner, arena);
    result_value_add(&power->values, "power.outside_w", outside, arena);
    if (verdict.trustworthy && !view->windows->idles)
        doubt_scale(power, outside, meter_of(view, inside.meter)->sensor->name, arena);
    set_fans(power, outer, &inner, arena);
}

/* Sets the constant power, which is the idle power of everything except the processor, and the total without
 * it. */
static void set_constant(struct result_power *power, const struct power_parts *parts, double published_w,
                         struct arena *arena)
{
    struct interval constant = parts->static_w;
    struct interval cpu = parts->total_w;
    if (!(published_w > 0))
        return;
    constant.value -= published_w;
    constant.low -= published_w;
    constant.high -= published_w;
    cpu.value -= constant.value;
    cpu.low -= constant.high;
    cpu.high -= constant.low;
    result_value_add(&power->values, "power.constant_w", constant, arena);
    result_value_add(&power->values, "power.cpu_w", cpu, arena);
}

static void set_headline(struct result_power *power, const struct power_view *view, bool *out,
                         struct arena *arena)
{
    struct headline headline;
    struct power_parts parts;
    struct power_quality_verdict verdict;
    struct left_out left_out;
    bool idle;
    if (!find_headline(view->recorder, view->windows->device, __INT_MAX__, &headline))
        return;
    const struct channel_set of = {view, headline.meter, headline.channel};
    power->from = names_of(&of, arena);
    bool known = find_parts(&of, &parts, &idle, &verdict, &left_out);
    if (left_out.text[0] != '\0')
        power->left_out = arena_strdup(arena, left_out.text);
    for (size_t i = 0; out != NULL && i < view->windows->count; i++)
        out[i] = left_out.reps[i];
    free(left_out.reps);
    power->verdict = power_quality_word(known && verdict.trustworthy);
    if (!known) {
        power->reason =
            why_nothing(view->recorder, headline.meter, missing_whole(view, &headline), &left_out, arena);
        return;
    }
    add_parts(&power->values, &parts, idle, arena);
    power->own_count = power->values.count;
    power->response = response_of(&of);
    power->reason = arena_strdup(arena, verdict.reason);
    if (!idle)
        return;
    set_outside(power, &of, &parts, arena);
    set_constant(power, &parts, view->windows->published_idle_w, arena);
}

struct result_power summary_power(const struct power_view *view, bool *out, struct arena *arena)
{
    const struct sensor_list *meters = recorder_meters(view->recorder);
    struct result_power power = {.given = true};
    size_t most = 0;
    set_headline(&power, view, out, arena);
    for (size_t i = 0; i < meters->count; i++)
        most += meters->meters[i].count;
    power.channels = arena_alloc(arena, most, sizeof *power.channels);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (sensor_measures_power(&meters->meters[i].channels[j]))
                power.channels[power.channel_count++] = describe_channel(view, i, j, arena);
    return power;
}

/* Room for a value of each channel. */
static struct result_values room_for(const struct sensor_list *meters, struct arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < meters->count; i++)
        count += meters->meters[i].count;
    return (struct result_values){arena_alloc(arena, count, sizeof(struct result_value)), 0};
}

static void add_value(struct result_values *values, const char *name, double value)
{
    values->items[values->count++] = (struct result_value){name, {value, value, value, 1}, ""};
}

/* Joules by channel; a channel without data has NAN. */
typedef double joules(const void *context, size_t meter, size_t channel, struct window window);

static struct result_values energies_by(const struct sensor_list *meters, joules *of, const void *context,
                                        struct window window, struct arena *arena)
{
    struct result_values energies = room_for(meters, arena);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            double energy = of(context, i, j, window);
            if (isfinite(energy))
                add_value(&energies, meters->meters[i].channels[j].name, energy);
        }
    return energies;
}

static double as_recorded(const void *context, size_t meter, size_t channel, struct window window)
{
    const struct recorder *recorder = context;
    const struct series *series = recorder_series(recorder, meter, channel);
    return series_energy(series, &recorder_meters(recorder)->meters[meter].channels[channel], window.from_s,
                         window.to_s, 3 * spacing(series));
}

static double of_a_loop(const void *context, size_t meter, size_t channel, struct window window)
{
    const struct power_view *view = context;
    const struct channel_set of = {view, meter, channel};
    return power_view_settled(power_view_channel(view, meter, channel)) > 0
               ? watts_of(&of, inside_of(&of, window, LOOP_TRIM)) * window_seconds(window)
               : channel_joules(view, meter, channel, window);
}

struct result_values summary_energies(const struct recorder *recorder, struct window window,
                                      struct arena *arena)
{
    return energies_by(recorder_meters(recorder), as_recorded, recorder, window, arena);
}

double summary_headline_joules(const struct recorder *recorder, struct window window)
{
    struct headline headline;
    double sum = 0;
    if (!find_headline(recorder, NULL, __INT_MAX__, &headline))
        return NAN;
    const struct listed_sensor *meter = &recorder_meters(recorder)->meters[headline.meter];
    for (size_t i = 0; i < meter->count; i++) {
        const struct sensor_channel *channel = &meter->channels[i];
        if (headline.channel == SUM ? channel->whole && sensor_measures_power(channel)
                                    : i == headline.channel)
            sum += as_recorded(recorder, headline.meter, i, window);
    }
    return sum;
}

struct result_values summary_loop_energies(const struct power_view *view, struct window window,
                                           struct arena *arena)
{
    return energies_by(recorder_meters(view->recorder), of_a_loop, view, window, arena);
}

struct result_values summary_temperatures(const struct recorder *recorder, double t_s, struct arena *arena)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct result_values temperatures = room_for(meters, arena);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            double celsius = series_at(recorder_series(recorder, i, j), t_s);
            if (meters->meters[i].channels[j].quantity == SENSOR_TEMPERATURE && isfinite(celsius))
                add_value(&temperatures, meters->meters[i].channels[j].name, celsius);
        }
    return temperatures;
}

double summary_needed_seconds(struct recorder *recorder, const char *device, double precision)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct headline headline;
    double needed = 0;
    if (!(precision > 0) || !find_headline(recorder, device, __INT_MAX__, &headline))
        return 0;
    const struct listed_sensor *meter = &meters->meters[headline.meter];
    for (size_t i = 0; i < meter->count; i++) {
        struct series_facts facts = recorder_look(recorder, headline.meter, i);
        if (headline.channel == SUM ? !meter->channels[i].whole : headline.channel != i)
            continue;
        if (meter->channels[i].quantity == SENSOR_POWER)
            facts.update_s = facts.soonest_s;
        /* A sensor that sends at its own pace updates no faster than that, even if every value differs. */
        bool sends = meter->period_s == 0 && isfinite(facts.spacing_s);
        if (sends && !(facts.update_s > facts.spacing_s))
            facts.update_s = facts.spacing_s;
        /* Each end of a loop may be half an update from its reading. */
        facts.update_s = fmax(facts.update_s, meter->channels[i].known.update_s);
        if (isfinite(facts.update_s))
            needed = fmax(needed, facts.update_s / precision);
        needed = fmax(needed, POWER_SETTLED * sensor_settled_s(&meter->channels[i].known));
    }
    return needed;
}
