#include "runner/power/measurement_quality.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_REPS = 3, LEAST_UPDATES = 10, LEAST_READINGS = 20 };

/* Largest shares of the value to be reported. */
static const double IDLE_WIDE = 0.05; /* half an interval, of the static power */
static const double COARSE = 0.1;     /* a step of the sensor */
static const double MOVED = 0.2;      /* of the idle level */

static const double DRIFT_C = 5;

/* If a meter's noise spans this many of its steps, frequent repeats of its highest value are not due to
 * chance. */
static const double NOISE_STEPS = 1.5;
static const double TOP_SHARE = 0.3;
static const double NORMAL_DEVIATION = 0.6745;

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

static bool is_fast(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double least_s = LEAST_UPDATES * of->update_s;
    if (!(of->seconds < least_s))
        return true;
    return against(
        verdict,
        "repetitions of %.3g s are too short for a sensor that changes every %.3g s: %.3g s would suffice",
        of->seconds, of->update_s, least_s);
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
        return against(verdict,
                       "the sensor's steps of %.3g W, as its readings show them, are too coarse for a "
                       "dynamic power of %.3g W",
                       of->step_w, dynamic_w);
    return true;
}

static bool is_quiet(const struct power_quality_case *of, struct power_quality_verdict *verdict)
{
    double half = (of->dynamic_w.high - of->dynamic_w.low) / 2;
    bool holds_0 = of->dynamic_w.low <= 0 && of->dynamic_w.high >= 0;
    if (of->idles ? half <= IDLE_WIDE * fabs(static_w(of)) : !holds_0)
        return true;
    return against(verdict,
                   "the noise is too large: dynamic power lies between %.3g and %.3g W; more or longer "
                   "repetitions narrow this range",
                   of->dynamic_w.low, of->dynamic_w.high);
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

static check *const checks[] = {is_complete, is_alive, is_fast,  is_in_range,
                                is_quiet,    is_fine,  is_level, is_steady};

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

void power_quality_set(json_t *object, const struct power_quality_verdict *verdict)
{
    json_object_set_new(object, "verdict",
                        json_string(verdict->trustworthy ? "trustworthy" : "untrustworthy"));
    json_object_set_new(object, "reason", json_string(verdict->reason));
}
