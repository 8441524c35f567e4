/* The sensor "perf-power": energy counters of the kernel's PMU `power`, Intel's and AMD's RAPL, by
 * perf_event_open. Each event counts on one processor of each package (`cpumask`) and for everything that
 * runs there (Documentation/ABI/testing/sysfs-bus-event_source-devices-events): `type` and `events/energy-*`
 * define the event, `*.scale` the joules per count. It is the hardware counter that powercap also reads,
 * widened to 64 bits, so that it does not wrap. Each reading interrupts that processor for about a
 * microsecond. */
#include "base/memory.h"
#include "runner/power/sensor.h"
#include "runner/power/sensors/file_channels.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char folder_below_root[] = "/sys/bus/event_source/devices/power";
static const char prefix[] = "energy-";

enum { LINE_BYTES = 256, CPUS_MOST = 64 };

struct counter {
    int fd;
    double scale_j;
};

struct counters {
    size_t count;
    struct counter counters[];
};

/* "event=0x02": the number. */
static unsigned long event_of(const char *line)
{
    static const char word[] = "event=";
    const char *found = strstr(line, word);
    return found == NULL ? 0 : strtoul(found + strlen(word), NULL, 0);
}

/* Reads "0,18" or "0-3,8" into cpus. */
static size_t read_cpus(const char *text, int cpus[CPUS_MOST])
{
    size_t count = 0;
    while (*text >= '0' && *text <= '9') {
        char *end;
        long first = strtol(text, &end, 10);
        long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && count < CPUS_MOST; cpu++)
            cpus[count++] = (int)cpu;
        text = end + (*end == ',');
    }
    return count;
}

/* Returns the descriptor, or -1 with errno. */
static int open_event(unsigned long type, unsigned long config, int cpu)
{
    struct perf_event_attr attributes = {.size = sizeof attributes, .type = (unsigned)type, .config = config};
    return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool read_type(const char *folder, unsigned long *type)
{
    char line[LINE_BYTES];
    char *end;
    if (!file_channel_line(folder, "type", line, sizeof line))
        return false;
    *type = strtoul(line, &end, 10);
    return end != line && *end == '\0';
}

/* The event of the channel on its processor; path is the event's file. */
static int open_channel(const struct sensor_channel *channel)
{
    char folder[FILE_PATH_BYTES];
    unsigned long type = 0;
    const char *at = strrchr(channel->name, '@');
    snprintf(folder, sizeof folder, "%.*s", (int)(strstr(channel->path, "/events/") - channel->path),
             channel->path);
    if (!read_type(folder, &type) || at == NULL) {
        errno = ENODEV;
        return -1;
    }
    return open_event(type, channel->number, (int)strtol(at + strlen("@cpu"), NULL, 10));
}

/* Joules per count; 0 if the file contains no valid number. */
static double read_scale(const char *event_path)
{
    char path[FILE_PATH_BYTES];
    char line[LINE_BYTES];
    char *end;
    snprintf(path, sizeof path, "%.512s.scale", event_path);
    if (!file_channel_line("", path, line, sizeof line))
        return 0;
    double scale = strtod(line, &end);
    return end != line && *end == '\0' && scale > 0 && isfinite(scale) ? scale : 0;
}

/* Fills the channel if the kernel allows counting it now. Returns 0 or errno. */
static int try_event(const char *folder, const char *event, int cpu, struct sensor_channel *channel)
{
    char path[FILE_PATH_BYTES];
    char line[LINE_BYTES];
    *channel = (struct sensor_channel){.quantity = SENSOR_ENERGY};
    snprintf(path, sizeof path, "%.400s/events/%.60s", folder, event);
    snprintf(channel->path, sizeof channel->path, "%.511s", path);
    snprintf(channel->name, sizeof channel->name, "perf-power:%.60s@cpu%d", event, cpu);
    snprintf(channel->label, sizeof channel->label, "%.40s of cpu %d", event, cpu);
    if (!file_channel_line("", path, line, sizeof line) || !(read_scale(path) > 0))
        return EINVAL;
    channel->number = event_of(line);
    channel->whole = strcmp(event, "energy-pkg") == 0 || strcmp(event, "energy-psys") == 0;
    int fd = open_channel(channel);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static enum status refused(const char *folder, int number, struct error *error)
{
    bool permission = number == EACCES || number == EPERM;
    error_set(error, STATUS_UNAVAILABLE, "the kernel refuses the energy events of %s: %s", folder,
              strerror(number));
    if (permission)
        error_hint(error, "sudo sysctl kernel.perf_event_paranoid=0, or run as root; in a container also "
                          "--cap-add PERFMON");
    else
        error_hint(error, "expected type, cpumask, events/energy-* and their *.scale of a working PMU");
    return STATUS_UNAVAILABLE;
}

static enum status not_there(const char *folder, struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE, "there is no energy PMU: no %s/events/%s*", folder, prefix);
    error_hint(error, "a virtual machine usually has none; on a real one try `sudo modprobe rapl`");
    return STATUS_UNAVAILABLE;
}

static bool is_event(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0 && strchr(name, '.') == NULL;
}

static enum status find(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    char events[FILE_PATH_BYTES];
    char line[LINE_BYTES] = "0";
    int cpus[CPUS_MOST];
    int first_failure = 0;
    size_t seen = 0;
    *count = 0;
    snprintf(folder, sizeof folder, "%s%s", request->root, folder_below_root);
    (void)file_channel_line(folder, "cpumask", line, sizeof line);
    size_t cpu_count = read_cpus(line, cpus);
    char **names = file_list(file_join(events, folder, "events"), "");
    for (char **name = names; name != NULL && *name != NULL; name++) {
        for (size_t i = 0; is_event(*name) && i < cpu_count && *count < capacity; i++) {
            int number = try_event(folder, *name, cpus[i], &channels[*count]);
            seen++;
            *count += number == 0;
            first_failure = first_failure == 0 ? number : first_failure;
        }
    }
    file_free_names(names);
    sensor_leave_out_platform(channels, *count);
    if (*count > 0)
        return STATUS_OK;
    return seen == 0 ? not_there(folder, error) : refused(folder, first_failure, error);
}

static void close_all(void *handle)
{
    struct counters *counters = handle;
    for (size_t i = 0; i < counters->count; i++)
        if (counters->counters[i].fd >= 0)
            close(counters->counters[i].fd);
    free(counters);
}

static enum status open_all(const struct sensor_request *request, const struct sensor_channel *channels,
                            size_t count, void **handle, struct error *error)
{
    (void)request;
    struct counters *counters =
        memory_resized(NULL, 1, sizeof *counters + count * sizeof counters->counters[0]);
    counters->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct counter *counter = &counters->counters[counters->count++];
        *counter = (struct counter){open_channel(&channels[i]), read_scale(channels[i].path)};
        if (counter->fd >= 0)
            continue;
        int number = errno;
        close_all(counters);
        return refused(channels[i].path, number, error);
    }
    *handle = counters;
    return STATUS_OK;
}

static enum status read_all(void *handle, double *t_s, double *values, struct error *error)
{
    const struct counters *counters = handle;
    size_t good_count = 0;
    double begin_s = clock_now_s();
    for (size_t i = 0; i < counters->count; i++) {
        unsigned long long counts;
        bool good = read(counters->counters[i].fd, &counts, sizeof counts) == (ssize_t)sizeof counts;
        values[i] = good ? (double)counts * counters->counters[i].scale_j : NAN;
        good_count += good;
    }
    *t_s = (begin_s + clock_now_s()) / 2;
    if (good_count > 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "the PMU `power` reports no energy any more");
    error_hint(error, "its processors may have gone offline: `cat /sys/devices/system/cpu/online`");
    return STATUS_FAILED;
}

const struct power_sensor power_perf = {.name = "perf-power",
                                        .what = "energy of CPU packages and their parts (perf's PMU power)",
                                        .type = "power",
                                        .period_s = 0.005,
                                        .rank = 30,
                                        .find = find,
                                        .open = open_all,
                                        .read = read_all,
                                        .close = close_all};
