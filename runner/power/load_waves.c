#include "runner/power/load_waves.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/fork.h"
#include "base/memory.h"
#include "base/random.h"
#include "runner/process/child_watch.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LONGEST_S = 4, SHORTEST_S = 0.04;
static const double LONGEST_SHARE = 0.25; /* of all the time */
enum { TRAINS = 5 };

/* Shares of the time, from the longest waves, of which few fit, to the shortest. */
static const double TRAIN_SHARES[TRAINS] = {0.28, 0.22, 0.2, 0.2, 0.1};

/* Half a wave is shorter or longer by up to this share, at random. */
static const double BY_CHANCE = 0.4;

/* ---- the plan ---- */

static double uniform(struct random *random, double low, double high)
{
    return low + (high - low) * random_next(random) / 4294967296.0;
}

static void plan_part(struct load_part *part, double from_s, double seconds, struct random *random)
{
    double longest_s = fmin(LONGEST_S, LONGEST_SHARE * seconds);
    double ratio = pow(fmin(1, SHORTEST_S / longest_s), 1.0 / (TRAINS - 1));
    size_t capacity = 2 * (size_t)(seconds / fmin(SHORTEST_S, longest_s) / (1 - BY_CHANCE)) + 2 * TRAINS + 2;
    unsigned char order[TRAINS] = {0, 1, 2, 3, 4};
    part->steps = memory_resized(NULL, capacity, sizeof *part->steps);
    part->count = 0;
    random_shuffle(random, order, TRAINS);
    double t_s = from_s, until_s = from_s;
    for (size_t i = 0; i < TRAINS; i++) {
        double half_s = longest_s * pow(ratio, order[i]) / 2;
        until_s += TRAIN_SHARES[order[i]] * seconds;
        t_s += half_s * uniform(random, 0.2, 1);
        while (part->count + 2 <= capacity) {
            double on_s = half_s * uniform(random, 1 - BY_CHANCE, 1 + BY_CHANCE);
            if (t_s + on_s > until_s)
                break;
            part->steps[part->count++] = (struct load_step){t_s, 1};
            part->steps[part->count++] = (struct load_step){t_s + on_s, 0};
            t_s += on_s + half_s * uniform(random, 1 - BY_CHANCE, 1 + BY_CHANCE);
        }
    }
}

struct load_waves load_waves_plan(size_t parts, double from_s, double seconds, uint64_t seed)
{
    struct load_waves waves = {.count = parts, .from_s = from_s, .to_s = from_s + seconds};
    struct random random = random_start(seed, "load waves");
    for (size_t i = 0; i < parts; i++)
        plan_part(&waves.parts[i], from_s, seconds, &random);
    return waves;
}

void load_waves_free(struct load_waves *waves)
{
    for (size_t i = 0; i < waves->count; i++)
        free(waves->parts[i].steps);
    *waves = (struct load_waves){.count = 0};
}

/* ---- the processors ---- */

static long topology(int cpu, const char *name)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    struct error ignored; /* a system that does not report it has one package */
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
    long number = file_read(path, &text, &ignored) == STATUS_OK && text.size > 0 ? atol(text.data) : 0;
    buffer_free(&text);
    return number;
}

struct load_cpus load_cpus_here(void)
{
    struct load_cpus here = {.count = 0};
    long dies[LOAD_PARTS];
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return here;
    int left_out = CPU_COUNT(&set) > 1 ? 1 : 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && here.count < LOAD_CPUS; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &set) || left_out-- > 0)
            continue;
        long die = topology(cpu, "physical_package_id") * 1000 + topology(cpu, "die_id");
        size_t part = 0;
        while (part < here.part_count && dies[part] != die)
            part++;
        if (part == LOAD_PARTS)
            part = LOAD_PARTS - 1; /* the last part takes all further dies */
        dies[part] = die;
        here.part_count = part + 1 > here.part_count ? part + 1 : here.part_count;
        here.cpus[here.count] = cpu;
        here.parts[here.count++] = part;
    }
    return here;
}

/* ---- driving them ---- */

/* A processor that cannot work for TAKEN_S was taken by other programs; steps that are closer than JOINED_S
 * are one. */
static const double TAKEN_S = 2e-4, JOINED_S = 1e-4;

enum { STEPS_MOST = 1 << 13 };

/* When a processor worked, as its process measured it. */
struct load_record {
    size_t count;
    double edges[STEPS_MOST]; /* begin, end, begin, ... */
};

struct drive {
    const struct load_cpus *cpus;
    const struct load_waves *waves;
    struct load_record *records; /* in memory that the processes share */
};

/* Keeps a core busy until that moment with independent chains of arithmetic, and records when it worked. */
static void work_until(double until_s, struct load_record *record)
{
    enum { CHAINS = 16, STEPS = 64 };
    double x[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        x[i] = i;
    double now_s = clock_now_s(), begin_s = now_s;
    while (now_s < until_s) {
        double last_s = now_s;
        for (int step = 0; step < STEPS; step++)
            for (int i = 0; i < CHAINS; i++)
                x[i] = x[i] * 0.999999 + 1e-6;
        now_s = clock_now_s();
        if (now_s - last_s < TAKEN_S && now_s < until_s)
            continue;
        double end_s = now_s - last_s < TAKEN_S ? now_s : last_s;
        if (end_s > begin_s && record->count + 2 <= STEPS_MOST) {
            record->edges[record->count++] = begin_s;
            record->edges[record->count++] = end_s;
        }
        begin_s = now_s;
    }
    volatile double worked = x[0]; /* so that it is computed */
    (void)worked;
}

/* A process that loads one processor. */
struct load_task {
    const struct drive *drive;
    size_t index;
};

static void load_cpu(void *context)
{
    const struct load_task *task = context;
    const struct load_cpus *cpus = task->drive->cpus;
    const struct load_part *part = &task->drive->waves->parts[cpus->parts[task->index]];
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpus->cpus[task->index], &set);
    (void)sched_setaffinity(0, sizeof set, &set); /* if it fails, the load runs on any processor */
    for (size_t i = 0; i + 1 < part->count; i += 2) {
        clock_rest(part->steps[i].t_s - clock_now_s());
        work_until(part->steps[i + 1].t_s, &task->drive->records[task->index]);
    }
}

/* The watcher's child: starts a process for each processor and waits for their ends. */
static void load_all(void *context)
{
    struct load_task task = {.drive = context};
    const struct fork_job job = {.work = load_cpu, .context = &task, .traits = FORK_BOUND};
    for (; task.index < task.drive->cpus->count; task.index++)
        if (fork_child(&job) < 0)
            _exit(1);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
}

static int by_time(const void *a, const void *b)
{
    double x = ((const struct load_step *)a)->t_s, y = ((const struct load_step *)b)->t_s;
    return (x > y) - (x < y);
}

/* Sets the part's steps to the load that its processors had. */
static void set_part(const struct drive *drive, size_t index, struct load_part *part)
{
    size_t processors = 0, changes = 0, count = 0;
    for (size_t i = 0; i < drive->cpus->count; i++) {
        processors += drive->cpus->parts[i] == index;
        changes += drive->cpus->parts[i] == index ? drive->records[i].count : 0;
    }
    struct load_step *steps = memory_resized(part->steps, changes + 1, sizeof *steps);
    for (size_t i = 0; i < drive->cpus->count; i++)
        for (size_t j = 0; drive->cpus->parts[i] == index && j < drive->records[i].count; j++)
            steps[count++] =
                (struct load_step){drive->records[i].edges[j], (j % 2 == 0 ? 1 : -1) / (double)processors};
    qsort(steps, count, sizeof *steps, by_time);
    double level = 0;
    part->count = 0;
    for (size_t i = 0; i < count; i++) { /* from changes to levels; never later than i */
        const struct load_step change = steps[i];
        bool joined = part->count > 0 && change.t_s - steps[part->count - 1].t_s < JOINED_S;
        level += change.level;
        part->count += !joined;
        steps[part->count - 1] = (struct load_step){joined ? steps[part->count - 1].t_s : change.t_s, level};
    }
    part->steps = steps;
}

enum status load_waves_drive(const struct load_cpus *cpus, struct load_waves *waves, struct error *error)
{
    size_t size = (cpus->count + 1) * sizeof(struct load_record);
    struct drive drive = {.cpus = cpus, .waves = waves};
    drive.records = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (drive.records == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "cannot share memory with processes: %s", strerror(errno));
    const struct fork_job job = {.work = load_all, .context = &drive, .traits = FORK_BOUND};
    struct child_watch watch = {0};
    enum status status = child_watch_fork(&job, &watch, error);
    while (status == STATUS_OK && clock_now_s() < waves->to_s && !child_watch_ended(&watch))
        clock_rest(fmin(0.01, waves->to_s - clock_now_s()));
    bool ended = status == STATUS_OK && child_watch_ended(&watch);
    struct child_end end = child_watch_end(&watch);
    if (ended && !(end.known && WIFEXITED(end.state) && WEXITSTATUS(end.state) == 0))
        status = error_set(error, STATUS_FAILED, "a process that loads the processors ended early");
    if (status == STATUS_OK)
        clock_rest(waves->to_s - clock_now_s());
    for (size_t i = 0; status == STATUS_OK && i < waves->count; i++)
        set_part(&drive, i, &waves->parts[i]);
    munmap(drive.records, size);
    return status;
}
