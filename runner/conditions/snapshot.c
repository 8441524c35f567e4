#include "runner/conditions/snapshot.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPUS_MOST = 4096, STAT_FIELDS = 8 };

bool snapshot_line(const char *root, char *line, size_t capacity, const char *path, ...)
{
    char whole[FILE_PATH_BYTES];
    char rest[FILE_PATH_BYTES / 2];
    va_list arguments;
    va_start(arguments, path);
    vsnprintf(rest, sizeof rest, path, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "%s%s", root, rest);
    int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, line, capacity - 1);
    close(fd);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return got > 0;
}

static double tick_s(void)
{
    long ticks = sysconf(_SC_CLK_TCK);
    return ticks > 0 ? 1.0 / (double)ticks : 0.01;
}

/* ---- /proc/stat: user nice system idle iowait irq softirq steal; user already includes guests ---- */

static void add_cpu(const char *line, struct snapshot *snapshot)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL };
    double fields[STAT_FIELDS] = {0};
    char *at;
    unsigned long number = strtoul(line + 3, &at, 10);
    if (number >= CPUS_MOST)
        return;
    for (size_t i = 0; i < STAT_FIELDS; i++)
        fields[i] = strtod(at, &at) * tick_s();
    while (snapshot->cpu_count <= number) {
        snapshot->cpus = memory_resized(snapshot->cpus, snapshot->cpu_count + 1, sizeof *snapshot->cpus);
        snapshot->cpus[snapshot->cpu_count++] = (struct cpu_time){0};
    }
    struct cpu_time *cpu = &snapshot->cpus[number];
    cpu->known = true;
    cpu->busy_s = fields[USER] + fields[NICE] + fields[SYSTEM] + fields[IRQ] + fields[SOFTIRQ];
    cpu->steal_s = fields[STEAL];
    cpu->all_s = cpu->busy_s + fields[IDLE] + fields[IOWAIT] + fields[STEAL];
}

static void read_cpus(const char *root, struct snapshot *snapshot)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    snprintf(path, sizeof path, "%s/proc/stat", root);
    if (file_read(path, &text, NULL) == STATUS_OK && text.data != NULL)
        for (const char *line = text.data; line != NULL; line = strchr(line, '\n')) {
            line += *line == '\n';
            if (strncmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3]))
                add_cpu(line, snapshot);
        }
    buffer_free(&text);
}

/* ---- /proc/PID/stat: "pid (name) state ..."; utime and stime are words 14 and 15, processor is 39 ---- */

static bool read_process(const char *root, const char *pid, struct process_time *process)
{
    char line[1024];
    *process = (struct process_time){.pid = atoi(pid), .cpu = -1};
    if (!snapshot_line(root, line, sizeof line, "/proc/%s/stat", pid))
        return false;
    const char *open = strchr(line, '(');
    char *close = strrchr(line, ')'); /* a name may contain either */
    if (open == NULL || close == NULL || close < open)
        return false;
    snprintf(process->name, sizeof process->name, "%.*s", (int)(close - open - 1), open + 1);
    const char *word = close + 1;
    for (int i = 3; i <= 39; i++) {
        word += strspn(word, " ");
        if (i == 14 || i == 15)
            process->busy_s += strtod(word, NULL) * tick_s();
        if (i == 39)
            process->cpu = *word == '\0' ? -1 : atoi(word);
        word += strcspn(word, " ");
    }
    return process->cpu >= 0;
}

static int by_pid(const void *a, const void *b)
{
    int x = ((const struct process_time *)a)->pid;
    int y = ((const struct process_time *)b)->pid;
    return (x > y) - (x < y);
}

static void read_processes(const char *root, struct snapshot *snapshot)
{
    char path[FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        struct process_time process;
        if (!isdigit((unsigned char)entry->d_name[0]) || !read_process(root, entry->d_name, &process))
            continue;
        snapshot->processes =
            memory_resized(snapshot->processes, snapshot->process_count + 1, sizeof *snapshot->processes);
        snapshot->processes[snapshot->process_count++] = process;
    }
    if (folder != NULL)
        closedir(folder);
    if (snapshot->process_count > 0)
        qsort(snapshot->processes, snapshot->process_count, sizeof *snapshot->processes, by_pid);
}

/* ---- temperature ---- */

/* Thermal zones also cover machines without a hwmon driver. */
static double find_hottest(const char *root)
{
    static const char *const files[] = {"/sys/class/thermal/thermal_zone%d/temp",
                                        "/sys/class/hwmon/hwmon%d/temp1_input"};
    char line[64];
    char path[64];
    double hottest = NAN;
    for (size_t i = 0; i < 2; i++)
        for (int number = 0; number < 64; number++) {
            snprintf(path, sizeof path, "%.*s%d%s", (int)(strchr(files[i], '%') - files[i]), files[i], number,
                     strchr(files[i], '%') + 2);
            if (snapshot_line(root, line, sizeof line, "%s", path))
                hottest = fmax(hottest, strtod(line, NULL) / 1000);
        }
    return hottest;
}

static double count_throttled(const char *root, size_t cpus)
{
    char line[64];
    double sum = NAN;
    for (size_t cpu = 0; cpu < cpus; cpu++)
        if (snapshot_line(root, line, sizeof line,
                          "/sys/devices/system/cpu/cpu%zu/thermal_throttle/core_throttle_count", cpu))
            sum = (isnan(sum) ? 0 : sum) + strtod(line, NULL);
    return sum;
}

void snapshot_take(const char *root, bool with_processes, struct snapshot *snapshot)
{
    *snapshot = (struct snapshot){.t_s = clock_now_s()};
    read_cpus(root, snapshot);
    if (with_processes)
        read_processes(root, snapshot);
    snapshot->hottest_c = find_hottest(root);
    snapshot->throttled = count_throttled(root, snapshot->cpu_count);
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot->cpus);
    free(snapshot->processes);
    *snapshot = (struct snapshot){0};
}

/* ---- differences between snapshots ---- */

static const struct cpu_time *cpu_of(const struct snapshot *snapshot, int cpu)
{
    bool there = cpu >= 0 && (size_t)cpu < snapshot->cpu_count && snapshot->cpus[cpu].known;
    return there ? &snapshot->cpus[cpu] : NULL;
}

static double share(const struct snapshot *before, const struct snapshot *now, int cpu, bool steal)
{
    const struct cpu_time *first = cpu_of(before, cpu);
    const struct cpu_time *last = cpu_of(now, cpu);
    if (first == NULL || last == NULL || !(last->all_s > first->all_s))
        return NAN;
    double part = steal ? last->steal_s - first->steal_s : last->busy_s - first->busy_s;
    return fmax(0, part / (last->all_s - first->all_s));
}

double snapshot_busy(const struct snapshot *before, const struct snapshot *now, int cpu)
{
    return share(before, now, cpu, false);
}

double snapshot_steal(const struct snapshot *before, const struct snapshot *now, int cpu)
{
    return share(before, now, cpu, true);
}

const struct process_time *snapshot_hog(const struct snapshot *before, const struct snapshot *now, int cpu,
                                        double *share_of)
{
    const struct process_time *hog = NULL;
    double most_s = 0;
    for (size_t i = 0; i < now->process_count; i++) {
        const struct process_time *process = &now->processes[i];
        const struct process_time *old =
            before->process_count == 0
                ? NULL
                : bsearch(process, before->processes, before->process_count, sizeof *process, by_pid);
        double took_s = process->busy_s - (old == NULL ? 0 : old->busy_s);
        if (process->cpu != cpu || process->pid == getpid() || took_s <= most_s)
            continue;
        most_s = took_s;
        hog = process;
    }
    const struct cpu_time *first = cpu_of(before, cpu);
    const struct cpu_time *last = cpu_of(now, cpu);
    bool went_by = first != NULL && last != NULL && last->all_s > first->all_s;
    *share_of = went_by ? fmin(1, most_s / (last->all_s - first->all_s)) : NAN;
    return hog;
}
