#include "runner/power/measurement_quality.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_REPS = 3, LEAST_UPDATES = 10, LEAST_READINGS = 20 };

/* Largest shares of the value to be reported. */
static const double IDLE_WIDE = 0.05; /* half an interval, of the static power */
static const double COARSE = 0.1;     /* a step of the sensor */
static const double MOVED = 0.2;      /* of the idle level */
static const double DRIFTED = 0.1;    /* of the power while programs run */
static const double WIDE = 0.25;      /* one side of its interval */

const double POWER_SETTLED = 1.4;

/* The largest share of a whole run in which readings may still follow a change. */
static const double SETTLED_OF_RUN = 0.05;

/* On a time that would suffice, because another run finds another time to follow a change. */
static const double MARGIN = 1.05;

/* No machine that runs Linux draws less than LEAST_W, and none at rest more than IDLE_MOST_W. */
static const double LEAST_W = 0.1, IDLE_MOST_W = 1e4;

static const double DRIFT_C = 5;

/* If a meter's noise spans this many of its steps, frequent repeats of its highest value are not due to
 * chance. */
static const double NOISE_STEPS = 1.5;
static const double TOP_SHARE = 0.3;
static const double NORMAL_DEVIATION = 0.6745;

/* A significant difference of two medians, in deviations of one value. */
static const double NOISES = 4;

/* Records the reason. Returns false, like a check that fails the measurement. */
__attribute__((format(printf, 2, 3))) static bool against(struct power_quality_verdict *verdict,
                                                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->reason, sizeof verdict->reason, format, arguments);
    va_end(arguments);
    return false;
}

static double static_w(const struct power_quality_case *of)
{
    return stats_median(of->idle_w, of->idle_count);
}

/* ---- the checks: true when there is no objection ---- */

/* Whether the phases last long enough for the meter to follow them. */
static bool is_settled(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double least_s = POWER_SETTLED * of->settled_s, enough_s = fmax(least_s, LEAST_UPDATES * of->update_s);
    bool idle = of->idle_count == 0 && of->idle_s > 0 && of->idle_s < least_s;
    char what[96] = "";
    if (of->whole_runs && of->settled_s > SETTLED_OF_RUN * of->seconds)
        enough_s = of->settled_s / SETTLED_OF_RUN;
    else if (idle && of->seconds < least_s)
        snprintf(what, sizeof what, "idle intervals of %.3g s and ", of->idle_s);
    else if (idle)
        snprintf(what, sizeof what, "idle intervals of %.3g s", of->idle_s);
    else if (!(of->seconds < least_s))
        return true;
    if (!idle || of->seconds < least_s)
        snprintf(what + strlen(what), sizeof what - strlen(what), "repetitions of %.3g s", of->seconds);
    return against(verdict,
                   "%s are too short for a meter whose readings take %.3g s to follow a change: %.3g s would "
                   "suffice",
                   what, of->settled_s, MARGIN * enough_s);
}

static bool is_complete(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    if (of->idle_count == 0)
        return against(verdict, "no idle interval was measured, so there is no static power to subtract");
    if (of->count < LEAST_REPS)
        return against(verdict, "%zu repetition%s show%s no spread: at least %d are needed", of->count,
                       of->count == 1 ? "" : "s", of->count == 1 ? "s" : "", LEAST_REPS);
    for (size_t i = 0; i < of->count; i++)
        if (!isfinite(of->watts[i]))
            return against(verdict, "the sensor has no reading of repetition %zu", i + 1);
    for (size_t i = 0; i < of->idle_count; i++)
        if (!isfinite(of->idle_w[i]))
            return against(verdict, "the sensor did not cover a whole idle interval");
    return true;
}

static bool is_alive(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    bool moves = false;
    for (size_t i = 0; i < of->count; i++)
        moves = moves || of->watts[i] != of->watts[0];
    for (size_t i = 0; i < of->idle_count; i++)
        moves = moves || of->idle_w[i] != of->watts[0];
    return moves ||
           against(verdict, "the sensor always read %.6g W: it is stuck, or its steps are too coarse",
                   of->watts[0]);
}

static bool is_read_right(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    return of->wrong == 0 ||
           against(
               verdict,
               "%zu of %zu readings are far from those before and after them, such as %.4g W: too many to "
               "be left out",
               of->wrong, of->wrong_of, of->wrong_w);
}

static bool is_possible(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double total_w = stats_median(of->watts, of->count), most_w = of->most_w > 0 ? of->most_w : INFINITY;
    if (total_w < 0 || static_w(of) < 0)
        return against(
            verdict,
            "the power is below 0 (%.4g W idle, %.4g W while programs ran): a meter's leads may be "
            "reversed",
            static_w(of), total_w);
    if (!of->idles && of->dynamic_w.high < 0)
        return against(verdict, "the power was lower while programs ran, by %.4g W", -of->dynamic_w.value);
    if (of->of_all && fmax(total_w, static_w(of)) < LEAST_W)
        return against(verdict, "no machine draws only %.3g W: the unit may be another one",
                       fmax(total_w, static_w(of)));
    if (of->of_all && static_w(of) > IDLE_MOST_W)
        return against(verdict, "no machine draws %.4g W at rest: the unit may be another one", static_w(of));
    return of->idles || of->dynamic_w.value <= most_w ||
           against(
               verdict,
               "%.4g W are more than these programs can draw (%.4g W at most): the unit may be another one",
               of->dynamic_w.value, most_w);
}

static bool is_fast(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double least_s = LEAST_UPDATES * of->update_s;
    if (of->seconds < least_s)
        return against(
            verdict,
            "repetitions of %.3g s are too short for a sensor that changes every %.3g s: %.3g s would "
            "suffice",
            of->seconds, of->update_s, least_s);
    return true;
}

/* The spread of the readings below the highest one. */
static double spread_below(const double *values, size_t count, double top)
{
    double *below = memory_resized(NULL, count + 1, sizeof *below);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] < top)
            below[kept++] = values[i];
    double spread = kept < LEAST_READINGS ? 0 : stats_deviation(below, kept) / NORMAL_DEVIATION;
    free(below);
    return spread;
}

static bool is_in_range(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double top = -INFINITY;
    size_t at_top = 0;
    for (size_t i = 0; i < of->reading_count; i++)
        top = fmax(top, of->readings[i]);
    for (size_t i = 0; i < of->reading_count; i++)
        at_top += of->readings[i] == top;
    double noise = fmax(
        spread_below(of->readings, of->reading_count, top),
        of->idle_count < LEAST_READINGS ? 0 : stats_deviation(of->idle_w, of->idle_count) / NORMAL_DEVIATION);
    bool held =
        of->reading_count >= LEAST_READINGS && (double)at_top >= TOP_SHARE * (double)of->reading_count;
    if (!held || !(of->step_w > 0) || noise < NOISE_STEPS * of->step_w)
        return true;
    return against(verdict,
                   "the meter is at the end of its range: %zu of %zu readings are %.6g W, its highest",
                   at_top, of->reading_count, top);
}

static bool is_fine(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double dynamic_w = fabs(of->dynamic_w.value);
    double step_j_as_w = of->step_j / of->seconds;
    if (of->idles)
        return true;
    if (step_j_as_w > COARSE * dynamic_w)
        return against(
            verdict,
            "the counter's steps of %.3g J are too coarse for %.3g J of a repetition: %.3g s would suffice",
            of->step_j, dynamic_w * of->seconds, of->step_j / (COARSE * dynamic_w));
    if (of->step_w > COARSE * dynamic_w)
        return against(
            verdict,
            "all readings are multiples of %.3g W, as far as they show: too coarse for a dynamic power "
            "of %.3g W",
            of->step_w, dynamic_w);
    return true;
}

static bool is_quiet(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double value = of->dynamic_w.value;
    double half = fmax(of->dynamic_w.high - value, value - of->dynamic_w.low);
    bool wide = !(half <= (of->idles ? IDLE_WIDE * fabs(static_w(of)) : WIDE * fabs(value)));
    return !wide ||
           against(verdict,
                   "the noise is too large: dynamic power lies between %.3g and %.3g W; more or longer "
                   "repetitions narrow this range",
                   of->dynamic_w.low, of->dynamic_w.high);
}

/* Student's t of 98 % for the slope, by the number of values, from 3 on. */
static const double slope_t[] = {31.8, 6.96, 4.54, 3.75, 3.36, 3.14, 3};

/* The rise, from the first repetition to the last, of a line through their power; 0 if it is not significant.
 */
static double trend_of(const double *watts, size_t count)
{
    enum { TABLE = sizeof slope_t / sizeof slope_t[0] };
    double middle = ((double)count - 1) / 2, mean = 0, across = 0, along = 0, rest = 0;
    if (count < LEAST_REPS)
        return 0;
    for (size_t i = 0; i < count; i++)
        mean += watts[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        along += ((double)i - middle) * (watts[i] - mean);
        across += ((double)i - middle) * ((double)i - middle);
    }
    double slope = along / across;
    for (size_t i = 0; i < count; i++)
        rest += pow(watts[i] - mean - slope * ((double)i - middle), 2);
    double error = sqrt(rest / (double)(count - 2) / across);
    double t = slope_t[count - LEAST_REPS < TABLE ? count - LEAST_REPS : TABLE - 1];
    return fabs(slope) > t * error ? slope * (double)(count - 1) : 0;
}

/* The same from the first third of an idle interval's parts to the last. */
static double idle_drift(const double *parts, size_t count)
{
    size_t third = count / 3;
    if (third == 0)
        return 0;
    double *steps = memory_zeroed(count, sizeof *steps);
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = fabs(parts[i] - parts[i - 1]);
    double by_w = stats_median(parts + count - third, third) - stats_median(parts, third);
    double noise = stats_median(steps, count - 1) / NORMAL_DEVIATION / sqrt(2);
    free(steps);
    return fabs(by_w) > NOISES * noise ? by_w : 0;
}

static bool is_constant(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double dynamic_w = fabs(of->dynamic_w.value), trend = trend_of(of->watts, of->count);
    double before = idle_drift(of->idle_w, of->idle_before);
    double after = idle_drift(of->idle_w + of->idle_before, of->idle_count - of->idle_before);
    double idle = fabs(before) > fabs(after) ? before : after;
    if (of->idles)
        return true;
    if (fabs(trend) > DRIFTED * dynamic_w)
        return against(verdict,
                       "power changed from repetition to repetition, by %+.3g W in all: what was measured "
                       "changed, or the meter",
                       trend);
    if (fabs(of->loop_drift_w) > DRIFTED * dynamic_w)
        return against(
            verdict,
            "power changed within every repetition, by %+.3g W: the clock, the temperature or a slow "
            "meter",
            of->loop_drift_w);
    if (fabs(idle) > MOVED * dynamic_w)
        return against(
            verdict,
            "static power changed within an idle interval, by %+.3g W: a slow meter, or a machine that "
            "was not at rest",
            idle);
    return true;
}

static bool is_level(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    size_t after = of->idle_count - of->idle_before;
    if (of->idles || of->idle_before == 0 || after == 0)
        return true;
    double before_w = stats_median(of->idle_w, of->idle_before);
    double after_w = stats_median(of->idle_w + of->idle_before, after);
    double spread = fmax(stats_deviation(of->idle_w, of->idle_before),
                         stats_deviation(of->idle_w + of->idle_before, after)) /
                    NORMAL_DEVIATION;
    double moved = fabs(after_w - before_w);
    if (moved <= MOVED * fabs(of->dynamic_w.value) || moved <= 3 * spread)
        return true;
    return against(
        verdict,
        "static power changed from %.4g W before to %.4g W after, by more than %g of the dynamic power",
        before_w, after_w, MOVED);
}

static bool is_steady(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double drift = of->last_c - of->first_c;
    if (!(fabs(drift) > DRIFT_C))
        return true;
    return against(verdict,
                   "the temperature changed by %+.1f C from the first repetition to the last, and static "
                   "power with it: a longer warm-up lets it settle",
                   drift);
}

typedef bool check(const struct power_quality_case *of, struct power_quality_verdict *verdict);

static check *const checks[] = {is_settled,  is_complete, is_alive,    is_read_right, is_possible, is_fast,
                                is_in_range, is_level,    is_constant, is_quiet,      is_fine,     is_steady};

struct power_quality_verdict power_quality(const struct power_quality_case *of)
{
    struct power_quality_verdict verdict = {.trustworthy = true};
    for (size_t i = 0; verdict.trustworthy && i < sizeof checks / sizeof checks[0]; i++)
        verdict.trustworthy = checks[i](of, &verdict);
    if (verdict.trustworthy)
        snprintf(verdict.reason, sizeof verdict.reason,
                 "%zu repetitions agree on %.4g W, between %.4g and %.4g W", of->count, of->dynamic_w.value,
                 of->dynamic_w.low, of->dynamic_w.high);
    return verdict;
}

const char *power_quality_word(bool trustworthy)
{
    return trustworthy ? "trustworthy" : "untrustworthy";
}

static void doubt(const char **verdict, const char **reason, const char *why, struct arena *arena)
{
    if (*verdict == NULL)
        return;
    bool trusted = strcmp(*verdict, power_quality_word(true)) == 0;
    *reason =
        trusted || *reason == NULL ? arena_strdup(arena, why) : arena_print(arena, "%s; %s", why, *reason);
    *verdict = power_quality_word(false);
}

void power_quality_doubt(struct result_power *power, const char *reason, struct arena *arena)
{
    doubt(&power->verdict, &power->reason, reason, arena);
    for (size_t i = 0; i < power->channel_count; i++)
        doubt(&power->channels[i].verdict, &power->channels[i].reason, reason, arena);
}
