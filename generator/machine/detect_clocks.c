/* The clocks that a processor can be set to. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stats.h"
#include "generator/machine/detect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCKS_MOST = 64, STEPS = 5 };

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
static json_t *to_json(double *ghz, size_t count)
{
    json_t *list = json_array();
    stats_sort(ghz, count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || ghz[i] > ghz[i - 1])
            json_array_append_new(list, json_from_number(ghz[i]));
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return NULL;
}

/* In kHz; values outside the plausible range have another unit and are skipped. Six decimals of GHz hold
 * whole kHz. */
static json_t *listed(const char *root, unsigned cpu)
{
    double ghz[CLOCKS_MOST] = {0};
    size_t count = 0;
    struct buffer text = {0};
    read_file(root, cpu, "cpufreq/scaling_available_frequencies", &text);
    char *at = text.data;
    while (at != NULL && count < CLOCKS_MOST) {
        char *end;
        double found = round(strtod(at, &end)) / 1e6;
        if (end == at)
            break;
        at = end;
        if (found >= LEAST_GHZ && found <= MOST_GHZ)
            ghz[count++] = found;
    }
    buffer_free(&text);
    return to_json(ghz, count);
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

static json_t *in_steps(const char *root, unsigned cpu)
{
    double least = read_ghz(root, cpu, "cpufreq/cpuinfo_min_freq", 1e-6);
    double most = detect_highest_ghz(root, cpu);
    double ghz[STEPS];
    if (least == 0 || most < least)
        return NULL;
    for (int i = 0; i < STEPS; i++)
        ghz[i] = round(10 * (least + (most - least) * i / (STEPS - 1))) / 10;
    ghz[0] = ceil(10 * least - 1e-6) / 10;
    ghz[STEPS - 1] = floor(10 * most + 1e-6) / 10;
    return to_json(ghz, STEPS);
}

json_t *detect_frequencies(const char *root, unsigned cpu)
{
    json_t *list = listed(root, cpu);
    return list != NULL ? list : in_steps(root, cpu);
}
