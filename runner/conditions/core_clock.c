#include "runner/conditions/core_clock.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

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
