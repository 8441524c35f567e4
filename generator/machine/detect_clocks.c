/* The clocks that a processor can be set to. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/stats.h"
#include "generator/machine/detect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5 };

static const double LEAST_GHZ = 0.01;
static const double MOST_GHZ = 100;

/* Reads the processor's file; empty if that fails. */
static void read_file(const char *root, unsigned cpu, const char *name, struct buffer *text)
{
    char path[FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/%s", root, cpu, name);
    if (file_read(path, text, NULL) != STATUS_OK)
        buffer_free(text);
}

static double read_ghz(const char *root, unsigned cpu, const char *name, double unit_ghz)
{
    struct buffer text = {0};
    read_file(root, cpu, name, &text);
    double ghz = text.data == NULL ? 0 : strtod(text.data, NULL) * unit_ghz;
    buffer_free(&text);
    return ghz >= LEAST_GHZ && ghz <= MOST_GHZ ? ghz : 0;
}

/* Each clock once: duplicates would be the same sweep point. */
static size_t different(double *ghz, size_t count)
{
    size_t kept = 0;
    stats_sort(ghz, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || ghz[i] > ghz[kept - 1])
            ghz[kept++] = ghz[i];
    return kept;
}

/* In kHz; values outside the plausible range have another unit and are skipped. Six decimals of GHz hold
 * whole kHz. */
static size_t listed(const char *root, unsigned cpu, double ghz[DETECT_CLOCKS])
{
    size_t count = 0;
    struct buffer text = {0};
    read_file(root, cpu, "cpufreq/scaling_available_frequencies", &text);
    char *at = text.data;
    while (at != NULL && count < DETECT_CLOCKS) {
        char *end;
        double found = round(strtod(at, &end)) / 1e6;
        if (end == at)
            break;
        at = end;
        if (found >= LEAST_GHZ && found <= MOST_GHZ)
            ghz[count++] = found;
    }
    buffer_free(&text);
    return different(ghz, count);
}

/* intel_pstate reports its clock without turbo, amd_pstate through CPPC; the maximum of other drivers
 * excludes boost. */
double detect_highest_ghz(const char *root, unsigned cpu)
{
    double ghz = read_ghz(root, cpu, "cpufreq/base_frequency", 1e-6);
    if (ghz == 0)
        ghz = read_ghz(root, cpu, "acpi_cppc/nominal_freq", 1e-3);
    return ghz != 0 ? ghz : read_ghz(root, cpu, "cpufreq/cpuinfo_max_freq", 1e-6);
}

static size_t in_steps(const char *root, unsigned cpu, double ghz[DETECT_CLOCKS])
{
    double least = read_ghz(root, cpu, "cpufreq/cpuinfo_min_freq", 1e-6);
    double most = detect_highest_ghz(root, cpu);
    if (least == 0 || most < least)
        return 0;
    for (int i = 0; i < STEPS; i++)
        ghz[i] = round(10 * (least + (most - least) * i / (STEPS - 1))) / 10;
    ghz[0] = ceil(10 * least - 1e-6) / 10;
    ghz[STEPS - 1] = floor(10 * most + 1e-6) / 10;
    return different(ghz, STEPS);
}

size_t detect_frequencies(const char *root, unsigned cpu, double ghz[DETECT_CLOCKS])
{
    size_t count = listed(root, cpu, ghz);
    return count > 0 ? count : in_steps(root, cpu, ghz);
}
