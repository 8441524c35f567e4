/* Conditions of the host: hypervisor, limits, memory, and state that was set. */
#include "base/buffer.h"
#include "base/file.h"
#include "runner/conditions/condition.h"
#include "runner/state/perf_host.h"
#include "runner/state/put_back.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double STOLEN = 0.01;

static void look_at_virtual(const struct condition_view *view, struct finding *finding)
{
    double most = 0;
    struct perf_host host;
    perf_host_read(&host, -1, view->root);
    for (size_t i = 0; i < view->cpu_count; i++)
        most = fmax(most, snapshot_steal(view->before, view->now, view->cpus[i])); /* fmax ignores NAN */
    if (most > STOLEN)
        finding_warn(finding, "", "the hypervisor gives %.0f %% of a measured processor's time to others",
                     100 * most);
    else if (host.hypervisor)
        finding_warn(
            finding, "",
            "this is a virtual machine: others may use its caches, memory and power without being seen");
    else
        finding_good(finding, "this is not a virtual machine");
}

/* ---- limits on processor time, of this process's group or one above it ---- */

/* The number of processors that the group may use; INFINITY: no limit. Source: cgroup v2, cpu.max. */
static double group_limit(const struct condition_view *view, const char *group)
{
    char line[64];
    if (!snapshot_line(view->root, line, sizeof line, "/sys/fs/cgroup%s/cpu.max", group) ||
        strncmp(line, "max", 3) == 0)
        return INFINITY;
    char *end;
    double quota = strtod(line, &end);
    double period = strtod(end, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static void look_at_quota(const struct condition_view *view, struct finding *finding)
{
    char group[512];
    char limiting[512] = "";
    double least = INFINITY;
    if (!snapshot_line(view->root, group, sizeof group, "/proc/self/cgroup") ||
        strncmp(group, "0::", 3) != 0) {
        finding_unknown(finding, "the system does not report this process's control group");
        return;
    }
    memmove(group, group + 3, strlen(group + 3) + 1);
    if (strcmp(group, "/") == 0)
        group[0] = '\0';
    for (char *slash = group + strlen(group); slash != NULL; slash = strrchr(group, '/')) {
        *slash = '\0';
        double limit = group_limit(view, group);
        if (limit < least) {
            least = limit;
            snprintf(limiting, sizeof limiting, "%s", group);
        }
    }
    const char *unit = file_base_name(limiting);
    char mend[CONDITION_MEND_BYTES] = "";
    if (strchr(unit, '.') != NULL)
        snprintf(mend, sizeof mend, "sudo systemctl set-property --runtime %.150s CPUQuota=", unit);
    if (isfinite(least))
        finding_warn(finding, mend,
                     "the control group %.100s may use %.3g processors' time: beyond that the system pauses "
                     "its programs",
                     limiting[0] == '\0' ? "of this container" : limiting, least);
    else
        finding_good(finding, "no limit on processor time");
}

/* ---- memory ---- */

static void look_at_huge_pages(const struct condition_view *view, struct finding *finding)
{
    char line[128];
    if (!snapshot_line(view->root, line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled"))
        finding_unknown(finding, "the system does not report whether it provides huge pages");
    else if (strstr(line, "[never]") != NULL)
        finding_warn(finding, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                     "the system provides no huge pages: large data sets also miss the TLB, and their "
                     "placement in L2 and L3 is random");
    else
        finding_good(finding, "the system provides huge pages");
}

static void look_at_swap(const struct condition_view *view, struct finding *finding)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    double used_kib = 0;
    snprintf(path, sizeof path, "%s/proc/swaps", view->root);
    if (file_read(path, &text, NULL) != STATUS_OK || text.data == NULL) {
        finding_unknown(finding, "the system does not report what is swapped out");
        buffer_free(&text);
        return;
    }
    /* The file's first line is a heading: Filename Type Size Used Priority. */
    for (const char *line = strchr(text.data, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
        double used = 0;
        if (sscanf(line + 1, "%*s %*s %*s %lf", &used) == 1)
            used_kib += used;
    }
    buffer_free(&text);
    if (used_kib >= 1024)
        finding_warn(finding, "sudo swapoff -a",
                     "%.0f MiB of memory are swapped out: memory is or was short, and pages may come and go",
                     used_kib / 1024);
    else
        finding_good(finding, "nothing is swapped out");
}

/* ---- state that another command has set or left ---- */

static void find_knobs(const struct journal_content *content, char *names, size_t size)
{
    names[0] = '\0';
    for (size_t i = 0; i < content->count; i++) {
        const char *knob = content->entries[i].knob;
        size_t length = strlen(names);
        if (strstr(names, knob) == NULL)
            snprintf(names + length, size - length, "%s%s", length == 0 ? ": " : ", ", knob);
    }
}

static void look_at_set(const struct condition_view *view, struct finding *finding)
{
    struct journal_content content = {0};
    struct error why;
    char names[160];
    char command[FILE_PATH_BYTES + 64];
    bool held;
    if (!journal_stands(view->root)) {
        finding_good(finding, "no command has set the machine's state, and no change waits to be restored");
        return;
    }
    enum status status = journal_look(view->root, &content, &held, &why);
    find_knobs(&content, names, sizeof names);
    if (status != STATUS_OK)
        finding_warn(finding, put_back_command(view->root, command),
                     "the changes that a command made cannot be read: %s", why.message);
    else if (held && content.owner.pid == getpid())
        finding_good(finding, "this command sets the machine's state itself");
    else if (held)
        finding_warn(finding, "", "process %ld has set the machine's state, which is restored when it ends%s",
                     (long)content.owner.pid, names);
    else if (journal_is_void(&content.owner) || content.count == 0)
        finding_good(finding,
                     "the machine booted after a command set its state: no change waits to be restored");
    else
        finding_warn(finding, put_back_command(view->root, command),
                     "the machine state that process %ld set waits to be restored%s", (long)content.owner.pid,
                     names);
    journal_content_free(&content);
}

const struct condition host_conditions[] = {
    {"virtual machine", AFFECTS_TIME | AFFECTS_POWER | AFFECTS_COUNTERS, look_at_virtual},
    {"quota", AFFECTS_TIME | AFFECTS_POWER, look_at_quota},
    {"huge pages", AFFECTS_TIME | AFFECTS_COUNTERS, look_at_huge_pages},
    {"swap", AFFECTS_TIME, look_at_swap},
    {"state", AFFECTS_TIME | AFFECTS_POWER, look_at_set},
    {NULL, 0, NULL},
};
