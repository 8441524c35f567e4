#include "runner/power/kept_reps.h"

#include "base/memory.h"
#include "base/stats.h"
#include "base/text/plural.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_KEPT = 3, NUMBERS_MOST = 4, NUMBERS_BYTES = 96, REASON_BYTES = 128 };

static const double MAJORITY = 0.6;
static const double FAR = 4; /* ranges of those that agree */
static const double POWER_FLOOR = 0.1, TIME_FLOOR = 0.05;

/* The largest majority of the known values that all others are far from: its bounds. False if there is none
 * but all of them. */
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

/* Flags those that the majority does not agree with; false if there are none. */
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
