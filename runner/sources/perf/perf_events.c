/* The way from an event's name to the kernel's structure, by libpfm4 or as a raw code. */
#include "runner/sources/perf/perf_events.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

/* True and the code when the name is "r" and 1 to 16 hexadecimal digits. */
static bool raw_code(const char *name, uint64_t *code)
{
    size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
    if (digits == 0 || digits > 16 || name[1 + digits] != '\0')
        return false;
    *code = strtoull(name + 1, NULL, 16);
    return true;
}

/* Of two counter units the kernel's own events are those of the first, unless the type stands above them. */
static void choose_unit(const struct perf_host *host, struct perf_event_attr *attributes)
{
    bool general = attributes->type == PERF_TYPE_HARDWARE || attributes->type == PERF_TYPE_HW_CACHE;
    if (general && strcmp(host->pmu, "cpu") != 0)
        attributes->config |= (uint64_t)host->pmu_type << 32;
}

static enum status encode_name(const char *name, struct perf_event_attr *attributes, struct error *error)
{
    pfm_perf_encode_arg_t encoded = {.attr = attributes, .size = sizeof encoded};
    int result = pfm_initialize();
    if (result == PFM_SUCCESS)
        result = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoded);
    attributes->size = sizeof *attributes;
    if (result == PFM_SUCCESS)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "no event \"%s\" is known for this processor: %s", name,
              pfm_strerror(result));
    error_hint(error, "expected a libpfm4 name, or \"r\" and a raw code");
    return STATUS_UNAVAILABLE;
}

enum status perf_event_encode(const struct perf_host *host, const char *name,
                              struct perf_event_attr *attributes, struct error *error)
{
    *attributes = (struct perf_event_attr){.size = sizeof *attributes};
    uint64_t code;
    enum status status = STATUS_OK;
    if (raw_code(name, &code)) {
        attributes->type = host->pmu_type;
        attributes->config = code;
    } else {
        status = encode_name(name, attributes, error);
        choose_unit(host, attributes);
    }
    attributes->exclude_kernel = 1;
    attributes->exclude_hv = 1;
    attributes->inherit = 1;
    attributes->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return status;
}
