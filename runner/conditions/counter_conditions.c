/* Counters that this user may not read, or that something else occupies. */
#include "runner/conditions/condition.h"
#include "runner/state/perf_host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The highest perf_event_paranoid at which users may count their own programs. */
enum { PARANOID_MOST = 2 };

static void look_at_permission(const struct condition_view *view, struct finding *finding)
{
    struct perf_host host;
    perf_host_read(&host, -1, view->root);
    if (!host.has_pmu)
        finding_unknown(finding, "the system has no driver for a counter unit: nothing is counted");
    else if (host.paranoid == PERF_NO_PARANOID)
        finding_unknown(finding, "the system does not report who may count");
    else if (host.paranoid > PARANOID_MOST && geteuid() != 0)
        finding_warn(finding, "sudo sysctl kernel.perf_event_paranoid=2",
                     "perf_event_paranoid is %d: this user may not read the processor's counters",
                     host.paranoid);
    else
        finding_good(finding, "this user may count");
}

static void look_at_watchdog(const struct condition_view *view, struct finding *finding)
{
    char line[64];
    struct perf_host host;
    perf_host_read(&host, -1, view->root);
    if (!host.has_pmu)
        finding_unknown(finding, "the system has no driver for a counter unit");
    else if (snapshot_line(view->root, line, sizeof line, "/proc/sys/kernel/nmi_watchdog") && atoi(line) != 0)
        finding_warn(finding, "sudo sysctl kernel.nmi_watchdog=0",
                     "the system's watchdog uses a counter: with one fewer, events take turns and are scaled "
                     "(multiplexed)");
    else
        finding_good(finding, "the system's watchdog uses no counter");
}

/* Counts the energy counters, and those that cannot be read for lack of permission. */
static void count_energy(const struct condition_view *view, size_t *all, size_t *locked)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/sys/class/powercap", view->root);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    *all = *locked = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "%s/sys/class/powercap/%s/energy_uj", view->root, entry->d_name);
        if (access(path, F_OK) != 0)
            continue;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        *locked += fd < 0 && errno == EACCES;
        ++*all;
        if (fd >= 0)
            close(fd);
    }
    if (folder != NULL)
        closedir(folder);
}

static void look_at_energy(const struct condition_view *view, struct finding *finding)
{
    size_t all;
    size_t locked;
    count_energy(view, &all, &locked);
    if (all == 0)
        finding_unknown(finding, "there is no energy counter under /sys/class/powercap");
    else if (locked > 0)
        finding_warn(finding, "sudo chmod a+r /sys/class/powercap/*/energy_uj",
                     "only root may read %zu of %zu energy counters", locked, all);
    else
        finding_good(finding, "the energy counters can be read");
}

const struct condition counter_conditions[] = {
    {"counters", AFFECTS_COUNTERS, look_at_permission},
    {"watchdog", AFFECTS_COUNTERS, look_at_watchdog},
    {"energy counters", AFFECTS_POWER, look_at_energy},
    {NULL, 0, NULL},
};
