#include "runner/conditions/point_watch.h"

#include "base/memory.h"
#include "runner/conditions/snapshot.h"
#include "runner/results/warning.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- the core's own clock ---- */

/* A sample takes 0.1 to 0.2 ms; clocks take longer to rise. */
enum { ADDS = 100, ITERATIONS = 4000, FIRST_ITERATIONS = 80000 };

enum { MPERF = 0xe7, APERF = 0xe8 };

enum status core_clock_open(struct core_clock *clock, struct error *error)
{
    static const struct probe_loop chain = {.body = "clock", .repeat = ADDS};
    struct template texts;
    *clock = (struct core_clock){0};
    enum status status = probe_texts_open(&texts, error);
    if (status == STATUS_OK)
        status = probe_code_make(&texts, &chain, &clock->chain, error);
    template_free(&texts);
    return status;
}

void core_clock_close(struct core_clock *clock)
{
    probe_code_free(&clock->chain);
}

struct sampling {
    const struct core_clock *clock;
    int cpu;
    double *samples;
    size_t count;
};

static void *take_samples(void *context)
{
    struct sampling *sampling = context;
    struct probe_words words = {0};
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)sampling->cpu, &set);
    if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
        return NULL;
    probe_code_run(&sampling->clock->chain, FIRST_ITERATIONS, &words);
    for (; sampling->count < CORE_CLOCK_SAMPLES; sampling->count++) {
        uint64_t ticks = probe_code_run(&sampling->clock->chain, ITERATIONS, &words);
        sampling->samples[sampling->count] = ADDS * (double)ITERATIONS / (double)ticks;
    }
    return NULL;
}

size_t core_clock_sample(const struct core_clock *clock, int cpu, double samples[CORE_CLOCK_SAMPLES])
{
    struct sampling sampling = {clock, cpu, samples, 0};
    pthread_t thread;
    if (clock->chain.bytes == NULL || cpu < 0 || cpu >= CPU_SETSIZE ||
        pthread_create(&thread, NULL, take_samples, &sampling) != 0)
        return 0;
    pthread_join(thread, NULL);
    return sampling.count;
}

static bool read_register(int fd, off_t number, uint64_t *value)
{
    return pread(fd, value, sizeof *value, number) == (ssize_t)sizeof *value;
}

bool aperf_read(const char *root, int cpu, struct aperf *now)
{
    char path[512];
    snprintf(path, sizeof path, "%s/dev/cpu/%d/msr", root, cpu);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool good =
        fd >= 0 && read_register(fd, APERF, &now->actual) && read_register(fd, MPERF, &now->reference);
    if (fd >= 0)
        close(fd);
    return good;
}

double aperf_ratio(const struct aperf *before, const struct aperf *now)
{
    uint64_t reference = now->reference - before->reference; /* they wrap at 64 bits */
    uint64_t actual = now->actual - before->actual;
    return reference == 0 || actual == 0 ? NAN : (double)actual / (double)reference;
}

/* ---- the clock that the system reports ---- */

enum { READINGS_MOST = 20000 };

static const double PERIOD_S = 0.05;
static const double REQUESTED = 0.02; /* the largest relative difference to the requested clock */
static const double MOVED = 0.05;
static const double CLOCK_SPREAD = 0.1; /* of an interval, which includes the samples' noise */

struct clock_sampler {
    const struct clock_watch *watch;
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool ended;
    double period_s;
    double *ghz;
    size_t count, all; /* samples kept, and samples in all */
    double low, high;  /* of all */
};

/* Drops every second sample and doubles the interval between samples, for a long point. */
static void thin(struct clock_sampler *sampler)
{
    size_t kept = 0;
    for (size_t i = 0; i < sampler->count; i += 2)
        sampler->ghz[kept++] = sampler->ghz[i];
    sampler->count = kept;
    sampler->period_s *= 2;
}

static void take_sample(struct clock_sampler *sampler)
{
    const struct clock_watch *watch = sampler->watch;
    char line[64];
    for (size_t i = 0; i < watch->cpu_count; i++) {
        if (!snapshot_line(watch->root, line, sizeof line,
                           "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", watch->cpus[i]))
            continue;
        double ghz = strtod(line, NULL) * 1e-6;
        if (!(ghz > 0))
            continue;
        if (sampler->count == READINGS_MOST)
            thin(sampler);
        sampler->ghz[sampler->count++] = ghz;
        sampler->all++;
        sampler->low = fmin(sampler->low, ghz);
        sampler->high = fmax(sampler->high, ghz);
    }
}

/* Moves this thread to the processors that are not measured, if there are any. */
static void avoid_measured(const struct clock_watch *watch)
{
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof set, &set) != 0)
        return;
    for (size_t i = 0; i < watch->cpu_count; i++)
        if (watch->cpus[i] >= 0 && watch->cpus[i] < CPU_SETSIZE)
            CPU_CLR((size_t)watch->cpus[i], &set);
    if (CPU_COUNT(&set) > 0)
        (void)pthread_setaffinity_np(pthread_self(), sizeof set,
                                     &set); /* on failure the thread stays where it was */
}

static struct timespec next_moment(double period_s)
{
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    double fraction_s = (double)moment.tv_nsec * 1e-9 + period_s;
    moment.tv_sec += (time_t)fraction_s;
    moment.tv_nsec = (long)((fraction_s - floor(fraction_s)) * 1e9);
    return moment;
}

static void *keep_sampling(void *context)
{
    struct clock_sampler *sampler = context;
    avoid_measured(sampler->watch);
    pthread_mutex_lock(&sampler->lock);
    while (!sampler->ended) {
        take_sample(sampler);
        struct timespec moment = next_moment(sampler->period_s);
        while (!sampler->ended && pthread_cond_timedwait(&sampler->end, &sampler->lock, &moment) != ETIMEDOUT)
            continue;
    }
    pthread_mutex_unlock(&sampler->lock);
    return NULL;
}

/* NULL if the system does not report the clock. */
static struct clock_sampler *sampler_open(const struct clock_watch *watch)
{
    struct clock_sampler *sampler = memory_zeroed(1, sizeof *sampler);
    double *ghz = memory_resized(NULL, READINGS_MOST, sizeof *ghz);
    *sampler = (struct clock_sampler){.watch = watch, .ghz = ghz, .period_s = PERIOD_S, .low = INFINITY};
    take_sample(sampler);
    if (sampler->count == 0) {
        free(ghz);
        free(sampler);
        return NULL;
    }
    pthread_mutex_init(&sampler->lock, NULL);
    pthread_cond_init(&sampler->end, NULL);
    sampler->runs = pthread_create(&sampler->thread, NULL, keep_sampling, sampler) == 0;
    return sampler;
}

static struct interval sampler_close(struct clock_sampler *sampler)
{
    if (sampler == NULL)
        return (struct interval){0};
    if (sampler->runs) {
        pthread_mutex_lock(&sampler->lock);
        sampler->ended = true;
        pthread_cond_signal(&sampler->end);
        pthread_mutex_unlock(&sampler->lock);
        pthread_join(sampler->thread, NULL);
    }
    take_sample(sampler);
    struct interval reported = {stats_median(sampler->ghz, sampler->count), sampler->low, sampler->high,
                                sampler->all};
    pthread_cond_destroy(&sampler->end);
    pthread_mutex_destroy(&sampler->lock);
    free(sampler->ghz);
    free(sampler);
    return reported;
}

/* ---- both ---- */

static size_t sample_core(const struct clock_watch *watch, double *samples)
{
    return watch->cpu_count == 0 ? 0 : core_clock_sample(watch->clock, watch->cpus[0], samples);
}

void clock_watch_begin(struct clock_watch *watch, const char *root, const struct core_clock *clock,
                       const int *cpus, size_t cpu_count)
{
    *watch = (struct clock_watch){.root = root, .clock = clock, .cpus = cpus, .cpu_count = cpu_count};
    watch->before = sample_core(watch, watch->samples);
    watch->has_aperf = cpu_count > 0 && aperf_read(root, cpus[0], &watch->aperf);
    watch->begin = moment_now();
    watch->sampler = sampler_open(watch);
}

static struct interval scaled(struct interval interval, double factor)
{
    return (struct interval){interval.value * factor, interval.low * factor, interval.high * factor,
                             interval.n};
}

void clock_watch_end(struct clock_watch *watch, struct clock_seen *seen)
{
    struct aperf now;
    *seen = (struct clock_seen){.cpufreq = sampler_close(watch->sampler), .core_by = "chain"};
    watch->sampler = NULL;
    double ratio = watch->has_aperf && aperf_read(watch->root, watch->cpus[0], &now)
                       ? aperf_ratio(&watch->aperf, &now)
                       : NAN;
    struct moment end = moment_now();
    double tick_ghz = (double)(end.ticks - watch->begin.ticks) / (end.s - watch->begin.s) * 1e-9;
    size_t before = watch->before;
    size_t after = sample_core(watch, watch->samples + before);
    seen->chain_before = before == 0 ? NAN : stats_median(watch->samples, before) * tick_ghz;
    seen->chain_after = after == 0 ? NAN : stats_median(watch->samples + before, after) * tick_ghz;
    if (isfinite(ratio)) {
        seen->core = scaled((struct interval){ratio, ratio, ratio, 1}, tick_ghz);
        seen->core_by = "aperf";
    } else if (before + after > 0) {
        seen->core = scaled(stats_bootstrap(watch->samples, before + after), tick_ghz);
    }
}

static bool differs(struct interval seen, double requested_ghz)
{
    return seen.n > 0 && fabs(seen.value / requested_ghz - 1) > REQUESTED;
}

bool clock_seen_moved(const struct clock_seen *seen, double share, char reason[CLOCK_REASON_BYTES])
{
    double low = fmin(seen->chain_before, seen->chain_after);
    double high = fmax(seen->chain_before, seen->chain_after);
    bool moved = isfinite(seen->chain_before) && isfinite(seen->chain_after) && high / low - 1 > share;
    if (!moved && seen->core.n > 1) {
        low = seen->core.low;
        high = seen->core.high;
        moved = high / low - 1 > fmax(share, CLOCK_SPREAD);
    }
    if (moved)
        snprintf(reason, CLOCK_REASON_BYTES,
                 "the core's clock moved between %.3g and %.3g GHz while the point was measured", low, high);
    return moved;
}

void clock_seen_judge(const struct clock_seen *seen, double requested_ghz, bool allowed,
                      struct warnings *warnings)
{
    const char *mend = allowed ? NULL : "trauma run --allow-state";
    char reason[CLOCK_REASON_BYTES];
    if (isnan(requested_ghz)) {
        if (clock_seen_moved(seen, MOVED, reason))
            warning_add(warnings, "state = { frequency = GHZ } and --allow-state", "%s", reason);
    } else if (differs(seen->core, requested_ghz)) {
        warning_add(warnings, mend,
                    "state.frequency requested %.4g GHz, but the core ran at %.4g GHz [%.4g, %.4g] (by %s)",
                    requested_ghz, seen->core.value, seen->core.low, seen->core.high, seen->core_by);
    } else if (differs(seen->cpufreq, requested_ghz)) {
        warning_add(warnings, mend,
                    "state.frequency requested %.4g GHz, but the system reports %.4g GHz [%.4g, %.4g]",
                    requested_ghz, seen->cpufreq.value, seen->cpufreq.low, seen->cpufreq.high);
    } else if (clock_seen_moved(seen, MOVED, reason)) {
        warning_add(warnings, mend, "%s, although state.frequency requested %.4g GHz", reason, requested_ghz);
    }
}
