/* Conditions that change the core's clock, or the clock that measures it. */
#include "runner/conditions/condition.h"
#include "runner/state/knob.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUFREQ "/sys/devices/system/cpu/cpu%d/cpufreq/"

/* A thermometer that moves this much between two snapshots has not settled. */
static const double DRIFT_C = 1;

static double clock_limit(const struct condition_view *view, int cpu, const char *file)
{
    char line[64];
    if (!snapshot_line(view->root, line, sizeof line, CPUFREQ "%s", cpu, file))
        return NAN;
    return strtod(line, NULL) * 1e-6;
}

static void look_at_governor(const struct condition_view *view, struct finding *finding)
{
    char line[64];
    for (size_t i = 0; i < view->cpu_count; i++) {
        int cpu = view->cpus[i];
        if (!snapshot_line(view->root, line, sizeof line, CPUFREQ "scaling_governor", cpu)) {
            finding_unknown(finding, "the system reports no governor: it does not control the clock");
            return;
        }
        bool held = clock_limit(view, cpu, "scaling_min_freq") == clock_limit(view, cpu, "scaling_max_freq");
        if (strcmp(line, "performance") == 0 || held)
            continue;
        finding_warn(
            finding, "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
            "the governor of logical processor %d is \"%s\": its clock varies with the load", cpu, line);
        return;
    }
    finding_good(finding, "the governor keeps the clock high");
}

static const struct knob *find_knob(const char *name)
{
    const struct knob *knob = knobs;
    while (strcmp(knob->name, name) != 0)
        knob++;
    return knob;
}

static void look_at_boost(const struct condition_view *view, struct finding *finding)
{
    static const char pstate[] = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    char line[64];
    const struct knob *knob = find_knob("boost");
    struct arena arena = {0};
    const struct value boost = knob->observe(knob, view->root, 0, &arena, NULL);
    bool inverted = snapshot_line(view->root, line, sizeof line, "%s", pstate);
    if (boost.kind == VALUE_NONE)
        finding_unknown(finding, "the system does not report whether the clock is boosted");
    else if (boost.on)
        finding_warn(finding,
                     inverted ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                              : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
                     "the clock is boosted as heat and the other cores permit, so it is not fixed");
    else
        finding_good(finding, "the clock is not boosted");
    arena_free(&arena);
}

/* True when the power supply of that name reports that the machine runs on its battery. */
static bool on_battery(const struct condition_view *view, const char *name)
{
    char type[32];
    char line[32];
    if (!snapshot_line(view->root, type, sizeof type, "/sys/class/power_supply/%s/type", name))
        return false;
    if (strcmp(type, "Mains") == 0)
        return snapshot_line(view->root, line, sizeof line, "/sys/class/power_supply/%s/online", name) &&
               strcmp(line, "0") == 0;
    return strcmp(type, "Battery") == 0 &&
           snapshot_line(view->root, line, sizeof line, "/sys/class/power_supply/%s/status", name) &&
           strcmp(line, "Discharging") == 0;
}

static void look_at_supply(const struct condition_view *view, struct finding *finding)
{
    char path[512];
    bool battery = false;
    snprintf(path, sizeof path, "%s/sys/class/power_supply", view->root);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        battery = battery || (entry->d_name[0] != '.' && on_battery(view, entry->d_name));
    if (folder != NULL)
        closedir(folder);
    if (battery)
        finding_warn(finding, "", "the machine runs on its battery, which lowers its clocks: plug it in");
    else
        finding_good(finding, "the machine does not run on a battery");
}

static void look_at_temperature(const struct condition_view *view, struct finding *finding)
{
    double drift = view->now->hottest_c - view->before->hottest_c;
    if (view->now->throttled > view->before->throttled)
        finding_warn(finding, "", "a processor is throttled by its heat: let it cool");
    else if (isnan(drift))
        finding_unknown(finding, "no thermometer reports the temperature");
    else if (fabs(drift) > DRIFT_C)
        finding_warn(finding, "", "the temperature is changing, by %+.1f C in %.2g s: let it settle", drift,
                     view->now->t_s - view->before->t_s);
    else
        finding_good(finding, "the hottest thermometer reads %.1f C", view->now->hottest_c);
}

static void look_at_clocksource(const struct condition_view *view, struct finding *finding)
{
    static const char *const by_tsc[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen"};
    char line[64];
    if (!snapshot_line(view->root, line, sizeof line,
                       "/sys/devices/system/clocksource/clocksource0/current_clocksource")) {
        finding_unknown(finding, "the system does not report its clock source");
        return;
    }
    for (size_t i = 0; i < sizeof by_tsc / sizeof by_tsc[0]; i++)
        if (strcmp(line, by_tsc[i]) == 0) {
            finding_good(finding, "the system's clock source is the time-stamp counter (%s)", line);
            return;
        }
    finding_warn(finding, "dmesg | grep -i tsc",
                 "the system's clock source is \"%s\" instead of the time-stamp counter, which it may have "
                 "found unstable; ticks come from that counter",
                 line);
}

const struct condition clock_conditions[] = {
    {"governor", AFFECTS_TIME | AFFECTS_POWER, look_at_governor},
    {"boost", AFFECTS_CLOCK | AFFECTS_POWER, look_at_boost},
    {"supply", AFFECTS_CLOCK | AFFECTS_POWER, look_at_supply},
    {"temperature", AFFECTS_POWER, look_at_temperature},
    {"clocksource", AFFECTS_TIME | AFFECTS_POWER, look_at_clocksource},
    {NULL, 0, NULL},
};
