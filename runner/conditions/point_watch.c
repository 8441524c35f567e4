#include "runner/conditions/point_watch.h"

#include "runner/power/measurement_quality.h"
#include "runner/results/warning.h"

#include <math.h>
#include <sys/resource.h>

/* A warning is due if other programs use more than this share of one processor, and this many seconds. */
static const double OTHERS = 0.15;
static const double OTHERS_S = 0.1;
static const double STOLEN = 0.01;
static const double DRIFT_C = 5;

/* If the clock changed by more, the power is not that of one clock. */
static const double POWER_MOVED = 0.1;

static double seconds_of(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double own_seconds(void)
{
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

void point_watch_begin(struct point_watch *watch, const struct point_request *request)
{
    watch->request = *request;
    clock_watch_begin(&watch->clock, request->root, request->clock, request->cpus, request->cpu_count);
    snapshot_take(request->root, false, &watch->before);
    watch->own_s = own_seconds();
}

/* The load of all processors, without that of the measurement. */
static void judge_load(const struct point_watch *watch, const struct snapshot *now, double own_s,
                       struct warnings *warnings)
{
    double busy_s = 0;
    double steal = 0;
    for (size_t i = 0; i < now->cpu_count && i < watch->before.cpu_count; i++)
        busy_s += now->cpus[i].busy_s - watch->before.cpus[i].busy_s;
    double others_s = busy_s - own_s;
    double wall_s = now->t_s - watch->before.t_s;
    if (others_s > fmax(OTHERS * wall_s, OTHERS_S))
        warning_add(warnings, "ps -eo pid,psr,pcpu,comm --sort=-pcpu | head",
                    "other programs took %.2g processors' time while the point was measured",
                    others_s / wall_s);
    for (size_t i = 0; i < watch->request.cpu_count; i++)
        steal =
            fmax(steal, snapshot_steal(&watch->before, now, watch->request.cpus[i])); /* fmax ignores NAN */
    if (steal > STOLEN)
        warning_add(
            warnings, NULL,
            "the hypervisor gave %.0f %% of a measured processor's time to others while the point was "
            "measured",
            100 * steal);
    if (now->throttled > watch->before.throttled)
        warning_add(warnings, "measure = { cooling = SECONDS }",
                    "processors were throttled by their heat %.0f times while the point was measured",
                    now->throttled - watch->before.throttled);
}

void point_judge_temperature(const struct result_rep *reps, size_t count, struct warnings *warnings)
{
    for (size_t i = 0; count > 0 && i < reps[0].temperature_c.count; i++) {
        const struct result_value *first = &reps[0].temperature_c.items[i];
        double drift =
            result_value(&reps[count - 1].temperature_c, first->name).value - first->interval.value;
        if (fabs(drift) > DRIFT_C)
            warning_add(
                warnings, "measure = { warmup = SECONDS }",
                "%s changed by %+.1f C from the first repetition to the last, and static power with it",
                first->name, drift);
    }
}

void point_watch_end(struct point_watch *watch, struct result_point *point)
{
    struct snapshot now;
    struct clock_seen seen;
    char reason[CLOCK_REASON_BYTES];
    double own_s = own_seconds() - watch->own_s;
    snapshot_take(watch->request.root, false, &now);
    clock_watch_end(&watch->clock, &seen);
    clock_seen_judge(&seen, watch->request.requested_ghz, watch->request.allowed, &point->warnings);
    if (clock_seen_moved(&seen, POWER_MOVED, reason))
        power_quality_doubt(&point->power, reason, &point->arena);
    judge_load(watch, &now, own_s, &point->warnings);
    point_judge_temperature(point->reps, point->rep_count, &point->warnings);
    point->state.core = seen.core;
    point->state.core_by = seen.core_by;
    point->state.cpufreq = seen.cpufreq;
    snapshot_free(&now);
    snapshot_free(&watch->before);
}
