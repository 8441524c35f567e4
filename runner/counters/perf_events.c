/* Events by name: the built-in table, a machine file's own table, and the way from a name to the kernel's
 * structure, by libpfm4 or as a raw code. */
#include "runner/counters/perf_events.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a metric stand with the most exact first. Names without a unit ("perf::") are resolved by
 * libpfm4 for the present processor and are skipped where it has none such. Raw codes stand for AMD families
 * that libpfm4 4.13 lacks in part (Zen 5) or names otherwise in each generation; they are those of Linux's
 * tools/perf/pmu-events/arch/x86/amdzen*: 0x29 ls_dispatch, 0x43 ls_dmnd_fills_from_sys, 0x64
 * l2_cache_req_stat. */
static const struct {
    const char *vendor; /* NULL: any */
    unsigned first_family, last_family;
    struct perf_ratio ratio;
} builtin[] = {
    {"GenuineIntel", 6, 6, {"l1d.miss_rate", "MEM_LOAD_RETIRED:L1_MISS", "MEM_INST_RETIRED:ALL_LOADS"}},
    {"GenuineIntel", 6, 6, {"l1d.miss_rate", "MEM_LOAD_UOPS_RETIRED:L1_MISS", "MEM_UOPS_RETIRED:ALL_LOADS"}},
    {"AuthenticAMD", 0x19, 0x1a, {"l1d.miss_rate", "r5F43", "r0129"}},
    {NULL, 0, 0, {"l1d.miss_rate", "perf::L1-DCACHE-LOAD-MISSES", "perf::L1-DCACHE-LOADS"}},
    {"GenuineIntel", 6, 6, {"l2.miss_rate", "MEM_LOAD_RETIRED:L2_MISS", "MEM_LOAD_RETIRED:L1_MISS"}},
    {"GenuineIntel",
     6,
     6,
     {"l2.miss_rate", "MEM_LOAD_UOPS_RETIRED:L2_MISS", "MEM_LOAD_UOPS_RETIRED:L1_MISS"}},
    {"AuthenticAMD", 0x17, 0x1a, {"l2.miss_rate", "r0864", "rF864"}},
    {"GenuineIntel", 6, 6, {"served.L2", "MEM_LOAD_RETIRED:L2_HIT", "MEM_INST_RETIRED:ALL_LOADS"}},
    {"GenuineIntel", 6, 6, {"served.L2", "MEM_LOAD_UOPS_RETIRED:L2_HIT", "MEM_UOPS_RETIRED:ALL_LOADS"}},
    {"AuthenticAMD", 0x19, 0x1a, {"served.L2", "r0143", "r0129"}},
    {NULL, 0, 0, {"branch.miss_rate", "perf::BRANCH-MISSES", "perf::BRANCHES"}},
    {NULL, 0, 0, {"ipc", "perf::INSTRUCTIONS", "perf::CYCLES"}},
};

/* Adds the rows of the machine file: events = { ["l1d.miss_rate"] = { "r0F48", "per", "r0143" } }. */
static enum status add_machine_rows(const json_t *events, struct perf_ratio *ratios, size_t *count,
                                    struct error *error)
{
    const char *metric;
    json_t *row;
    json_object_foreach((json_t *)events, metric, row)
    {
        const char *numerator = json_string_value(json_array_get(row, 0));
        const char *per = json_string_value(json_array_get(row, 1));
        const char *denominator = json_string_value(json_array_get(row, 2));
        if (json_array_size(row) != 3 || numerator == NULL || per == NULL || denominator == NULL ||
            strcmp(per, "per") != 0) {
            enum status status =
                error_set(error, STATUS_RECIPE, "the machine's events of \"%s\" are not a ratio", metric);
            error_hint(error, "expected [\"%s\"] = { \"EVENT\", \"per\", \"EVENT\" }", metric);
            return status;
        }
        if (*count == PERF_RATIOS)
            return error_set(error, STATUS_RECIPE, "the machine has more than %d events rows", PERF_RATIOS);
        ratios[(*count)++] = (struct perf_ratio){metric, numerator, denominator};
    }
    return STATUS_OK;
}

enum status perf_ratios(const json_t *machine, const struct perf_host *host, struct perf_ratio *ratios,
                        size_t *count, struct error *error)
{
    const json_t *events = json_object_get(machine, "events");
    *count = 0;
    enum status status = add_machine_rows(events, ratios, count, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < sizeof builtin / sizeof builtin[0] && *count < PERF_RATIOS; i++) {
        bool this_processor = builtin[i].vendor == NULL || (strcmp(builtin[i].vendor, host->vendor) == 0 &&
                                                            host->family >= builtin[i].first_family &&
                                                            host->family <= builtin[i].last_family);
        if (this_processor && json_object_get(events, builtin[i].ratio.metric) == NULL)
            ratios[(*count)++] = builtin[i].ratio;
    }
    return STATUS_OK;
}

/* True and the code when the name is "r" and 1 to 16 hexadecimal digits. */
static bool raw_code(const char *name, uint64_t *code)
{
    size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
    if (digits == 0 || digits > 16 || name[1 + digits] != '\0')
        return false;
    *code = strtoull(name + 1, NULL, 16);
    return true;
}

enum status perf_event_encode(const char *name, struct perf_event_attr *attributes, struct error *error)
{
    *attributes = (struct perf_event_attr){.size = sizeof *attributes};
    uint64_t code;
    if (raw_code(name, &code)) {
        attributes->type = PERF_TYPE_RAW;
        attributes->config = code;
    } else {
        pfm_perf_encode_arg_t encoded = {.attr = attributes, .size = sizeof encoded};
        int result = pfm_initialize();
        if (result == PFM_SUCCESS)
            result = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoded);
        if (result != PFM_SUCCESS) {
            error_set(error, STATUS_UNAVAILABLE, "no event \"%s\" is known for this processor: %s", name,
                      pfm_strerror(result));
            error_hint(error,
                       "expected a libpfm4 name, or \"r\" and a raw code, in the machine's events table");
            return STATUS_UNAVAILABLE;
        }
        attributes->size = sizeof *attributes;
    }
    attributes->exclude_kernel = 1;
    attributes->exclude_hv = 1;
    attributes->inherit = 1;
    attributes->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return STATUS_OK;
}
