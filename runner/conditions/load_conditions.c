/* Other load: on the measured processors, on their cores' other threads, and elsewhere. */
#include "runner/conditions/condition.h"

#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The time between two snapshots is only a few ticks of the system, so a single tick is not significant. */
static const double BUSY = 0.25;
static const double OTHERS_BUSY = 0.4; /* in processors */

static bool is_measured(const struct condition_view *view, int cpu)
{
    for (size_t i = 0; i < view->cpu_count; i++)
        if (view->cpus[i] == cpu)
            return true;
    return false;
}

static double busy(const struct condition_view *view, int cpu)
{
    return snapshot_busy(view->before, view->now, cpu);
}

/* The busiest online thread of the processor's core on which nothing is measured; -1 if there is none. */
static int find_sibling(const struct condition_view *view, int cpu)
{
    char line[256];
    int found = -1;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        abort(); /* out of memory */
    if (snapshot_line(view->root, line, sizeof line,
                      "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu) &&
        hwloc_bitmap_list_sscanf(set, line) == 0 && hwloc_bitmap_last(set) >= 0)
        for (int other = hwloc_bitmap_first(set); other >= 0; other = hwloc_bitmap_next(set, other))
            if (!is_measured(view, other) && (found < 0 || busy(view, other) > busy(view, found)))
                found = other;
    hwloc_bitmap_free(set);
    return found;
}

static void look_at_sibling(const struct condition_view *view, struct finding *finding)
{
    char mend[CONDITION_MEND_BYTES];
    for (size_t i = 0; i < view->cpu_count; i++) {
        int sibling = find_sibling(view, view->cpus[i]);
        if (sibling < 0)
            continue;
        snprintf(mend, sizeof mend, "echo 0 | sudo tee /sys/devices/system/cpu/cpu%d/online", sibling);
        double share = busy(view, sibling);
        if (share > BUSY)
            finding_warn(finding, mend,
                         "logical processor %d, on the core of the measured %d, is %.0f %% busy and competes "
                         "for the core",
                         sibling, view->cpus[i], 100 * share);
        else
            finding_warn(finding, mend,
                         "logical processor %d is online on the core of the measured %d: programs there "
                         "compete for the core",
                         sibling, view->cpus[i]);
        return;
    }
    finding_good(finding, "no other thread shares a measured core");
}

/* Warns of a busy processor; the remedy moves the program to a processor on which nothing is measured. */
static void warn_of_load(const struct condition_view *view, int cpu, double share, struct finding *finding)
{
    char mend[CONDITION_MEND_BYTES] = "ps -eo pid,psr,pcpu,comm --sort=-pcpu | head";
    double hog_share;
    const struct process_time *hog = snapshot_hog(view->before, view->now, cpu, &hog_share);
    int elsewhere = -1;
    for (size_t other = 0; elsewhere < 0 && other < view->now->cpu_count; other++)
        if (view->now->cpus[other].known && !is_measured(view, (int)other))
            elsewhere = (int)other;
    if (hog == NULL) {
        finding_warn(finding, mend, "the measured logical processor %d is %.0f %% busy with other work", cpu,
                     100 * share);
        return;
    }
    if (elsewhere >= 0)
        snprintf(mend, sizeof mend, "sudo taskset -a -p -c %d %d", elsewhere, hog->pid);
    finding_warn(finding, mend,
                 "the measured logical processor %d is %.0f %% busy, mostly with %s (process %d)", cpu,
                 100 * share, hog->name, hog->pid);
}

static void look_at_load(const struct condition_view *view, struct finding *finding)
{
    bool known = false;
    for (size_t i = 0; i < view->cpu_count; i++) {
        double share = busy(view, view->cpus[i]);
        known = known || isfinite(share);
        if (share > BUSY) {
            warn_of_load(view, view->cpus[i], share, finding);
            return;
        }
    }
    if (known)
        finding_good(finding, "almost nothing runs on the measured processor%s",
                     view->cpu_count == 1 ? "" : "s");
    else
        finding_unknown(finding, "/proc/stat does not list the measured processors");
}

static void look_at_others(const struct condition_view *view, struct finding *finding)
{
    char line[128];
    double sum = 0;
    bool known = false;
    for (size_t cpu = 0; cpu < view->now->cpu_count; cpu++) {
        double share = is_measured(view, (int)cpu) ? NAN : busy(view, (int)cpu);
        known = known || isfinite(share);
        sum += isfinite(share) ? share : 0;
    }
    if (!snapshot_line(view->root, line, sizeof line, "/proc/loadavg"))
        line[0] = '\0';
    if (sum > OTHERS_BUSY)
        finding_warn(finding, "ps -eo pid,psr,pcpu,comm --sort=-pcpu | head",
                     "other work keeps %.1f of the other processors busy (load average %.4s): it shares "
                     "caches, memory and power",
                     sum, line);
    else if (known)
        finding_good(finding, "the other processors are idle, or nearly");
    else
        finding_unknown(finding, "no other processor is known");
}

const struct condition load_conditions[] = {
    {"sibling", AFFECTS_TIME | AFFECTS_POWER | AFFECTS_COUNTERS, look_at_sibling},
    {"load", AFFECTS_TIME | AFFECTS_POWER | AFFECTS_COUNTERS, look_at_load},
    {"others", AFFECTS_TIME | AFFECTS_POWER, look_at_others},
    {NULL, 0, NULL},
};
