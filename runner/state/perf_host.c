/* Determines whether this machine can count, and if not the reason and the command that fixes it: virtual
 * machines without counters, permissions, containers. */
#include "runner/state/perf_host.h"
#include "base/file.h"
#include "generator/machine/cpuinfo.h"
#include "generator/machine/processor.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The keys of /proc/cpuinfo for vendor, family and model, by ISA; NULL: its processors have no family. */
static const struct {
    const char *vendor, *family, *model;
} identities[] = {
    {"vendor_id", "cpu family", "model"},
    {"CPU implementer", "CPU architecture", "CPU part"},
    {"mvendorid", NULL, "marchid"},
};

/* The lower 32 bits of a number, 0 if there is none. The upper bits of RISC-V's marchid identify who assigned
 * the number. */
static unsigned number_of(const char *cpuinfo, unsigned cpu, const char *key)
{
    uint64_t number = 0;
    return key != NULL && cpuinfo_number(cpuinfo, cpu, key, &number) ? (unsigned)number : 0;
}

void perf_host_parse(const char *cpuinfo, int cpu, struct perf_host *host)
{
    size_t length = 0;
    unsigned first = cpu < 0 ? 0 : (unsigned)cpu;
    for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
        const char *vendor = cpuinfo_value(cpuinfo, first, identities[i].vendor, &length);
        if (vendor == NULL)
            continue;
        snprintf(host->vendor, sizeof host->vendor, "%.*s", (int)length, vendor);
        host->family = number_of(cpuinfo, first, identities[i].family);
        host->model = number_of(cpuinfo, first, identities[i].model);
        break;
    }
    const char *flags = cpuinfo_value(cpuinfo, first, "flags", &length);
    host->hypervisor = flags != NULL && cpuinfo_has_word(flags, length, "hypervisor");
}

/* The file's text, or "" if there is none. */
static const char *read_small(const char *root, const char *path, struct buffer *text)
{
    char whole[FILE_PATH_BYTES];
    buffer_free(text);
    snprintf(whole, sizeof whole, "%s%s", root, path);
    return file_read(whole, text, NULL) == STATUS_OK && text->data != NULL ? text->data : "";
}

/* True if the list of processors ("0-7,16") contains that one; -1 matches any. */
static bool list_holds(const char *list, int cpu)
{
    while (*list >= '0' && *list <= '9') {
        char *end;
        long first = strtol(list, &end, 10);
        long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (cpu < 0 || (cpu >= first && cpu <= last))
            return true;
        list = *end == ',' ? end + 1 : end;
    }
    return false;
}

/* Processors with two kinds of cores have a unit for each kind instead of cpu. */
static const char *const units[] = {"cpu", "cpu_core", "cpu_atom", "cpu_lowpower"};
enum { UNITS = sizeof units / sizeof units[0] };

/* Units of Arm cores have the cores' names, "armv8_cortex_a72"; there is one for each kind of core. */
static const char *const arm_units[] = {"armv8_", "armv9_", "apple_"};

static bool is_arm_unit(const char *name)
{
    for (size_t i = 0; i < sizeof arm_units / sizeof arm_units[0]; i++)
        if (strncmp(name, arm_units[i], strlen(arm_units[i])) == 0)
            return true;
    return false;
}

/* Finds the unit of an Arm core. It stays "cpu" for event files, which distinguish cores by their numbers. */
static void find_arm_unit(struct perf_host *host, int cpu, const char *root)
{
    char folder[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    struct buffer text = {0};
    snprintf(folder, sizeof folder, "%s/sys/bus/event_source/devices", root);
    char **names = file_list(folder, "");
    for (size_t i = 0; names != NULL && names[i] != NULL && !host->has_pmu; i++) {
        if (!is_arm_unit(names[i]))
            continue;
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%.200s/cpus", names[i]);
        if (!list_holds(read_small(root, path, &text), cpu))
            continue;
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%.200s/type", names[i]);
        const char *type = read_small(root, path, &text);
        host->has_pmu = type[0] != '\0';
        if (host->has_pmu)
            host->pmu_type = (unsigned)strtoul(type, NULL, 10);
    }
    if (names != NULL)
        file_free_names(names);
    buffer_free(&text);
}

static void find_unit(struct perf_host *host, int cpu, const char *root)
{
    struct buffer text = {0};
    for (size_t i = 0; i < UNITS && !host->has_pmu; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/cpus", units[i]);
        if (i > 0 && cpu >= 0 && !list_holds(read_small(root, path, &text), cpu))
            continue;
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", units[i]);
        const char *type = read_small(root, path, &text);
        if (type[0] == '\0')
            continue;
        host->has_pmu = true;
        host->pmu_type = (unsigned)strtoul(type, NULL, 10);
        snprintf(host->pmu, sizeof host->pmu, "%s", units[i]);
    }
    buffer_free(&text);
}

void perf_host_read(struct perf_host *host, int cpu, const char *root)
{
    *host = (struct perf_host){
        .paranoid = PERF_NO_PARANOID, .pmu = "cpu", .pmu_type = PERF_TYPE_RAW, .kernel = &perf_linux};
    struct buffer text = {0};
    perf_host_parse(read_small(root, "/proc/cpuinfo", &text), cpu, host);
    const struct processor_files files = {.root = root, .cpuinfo = ""};
    host->hypervisor = host->hypervisor || processor_files_are_virtual(&files);
    const char *paranoid = read_small(root, "/proc/sys/kernel/perf_event_paranoid", &text);
    if (paranoid[0] != '\0')
        host->paranoid = atoi(paranoid);
    buffer_free(&text);
    find_unit(host, cpu, root);
    if (!host->has_pmu)
        find_arm_unit(host, cpu, root);
}

static enum status not_there(const struct perf_host *host, const char *event, struct error *error)
{
    if (host->paranoid == PERF_NO_PARANOID) {
        error_set(error, STATUS_UNAVAILABLE, "this kernel was built without perf events");
        error_hint(error, "boot a kernel with CONFIG_PERF_EVENTS; cachegrind and timing still work");
    } else if (!host->has_pmu && host->hypervisor) {
        error_set(error, STATUS_UNAVAILABLE, "this virtual machine has no PMU: it cannot count \"%s\"",
                  event);
        error_hint(error, "cachegrind and timing still work; to count, enable a virtual PMU on the host, or "
                          "run on bare hardware");
    } else if (!host->has_pmu) {
        error_set(error, STATUS_UNAVAILABLE,
                  "the kernel has no driver for this processor's PMU: it cannot count \"%s\"", event);
        error_hint(error, "`dmesg | grep -i pmu` shows why; cachegrind and timing still work");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "this processor does not count \"%s\"", event);
        error_hint(error,
                   "name another in the events file or the machine file; `perf list` shows those available");
    }
    return STATUS_UNAVAILABLE;
}

static enum status not_permitted(const struct perf_host *host, const char *event, struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE,
              "counting \"%s\" is not permitted: perf_event_paranoid is %d, and %s", event, host->paranoid,
              host->paranoid > 2 ? "an ordinary user needs 2 or less" : "that is not the obstacle");
    if (host->paranoid > 2)
        error_hint(error, "sudo sysctl kernel.perf_event_paranoid=2");
    else
        error_hint(error, "in a container, start it with --cap-add PERFMON and a seccomp profile that allows "
                          "perf_event_open");
    return STATUS_UNAVAILABLE;
}

static enum status in_use(const struct perf_host *host, const char *event, struct error *error)
{
    (void)host;
    error_set(error, STATUS_UNAVAILABLE, "the counter for \"%s\" is in use by another program", event);
    error_hint(error, "end other profilers; `sudo sysctl kernel.nmi_watchdog=0` frees the kernel's counter");
    return STATUS_UNAVAILABLE;
}

static const struct {
    int number;
    enum status (*explain)(const struct perf_host *host, const char *event, struct error *error);
} refusals[] = {
    {ENOENT, not_there},     {EOPNOTSUPP, not_there}, {ENODEV, not_there}, {ENOSYS, not_there},
    {EACCES, not_permitted}, {EPERM, not_permitted},  {EBUSY, in_use},
};

enum status perf_refusal(const struct perf_host *host, const char *event, int number, struct error *error)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (refusals[i].number == number)
            return refusals[i].explain(host, event, error);
    }
    error_set(error, STATUS_UNAVAILABLE, "the kernel refused to count \"%s\": %s", event, strerror(number));
    error_hint(error, "check the event's code in the events file or the machine file");
    return STATUS_UNAVAILABLE;
}

/* ---- events ---- */

static bool raw_code(const char *name, uint64_t *code)
{
    size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
    if (digits == 0 || digits > 16 || name[1 + digits] != '\0')
        return false;
    *code = strtoull(name + 1, NULL, 16);
    return true;
}

/* Selects the host's counter unit for the kernel's own events: with two units they count on the first, unless
 * the upper half of config has a unit's type. */
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

/* Adds "PMU::EVENT:MASK" for each mask of the event, or "PMU::EVENT"; returns their number. names NULL: only
 * returns the number. */
static size_t name_events(const pfm_pmu_info_t *unit, int index, struct arena *arena, const char **names)
{
    pfm_event_info_t event = {.size = sizeof event};
    char text[256];
    size_t count = 0;
    if (pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS)
        return 0;
    for (int i = 0; i < event.nattrs; i++) {
        pfm_event_attr_info_t mask = {.size = sizeof mask};
        if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &mask) != PFM_SUCCESS ||
            mask.type != PFM_ATTR_UMASK)
            continue;
        snprintf(text, sizeof text, "%s::%s:%s", unit->name, event.name, mask.name);
        if (names != NULL)
            names[count] = arena_strdup(arena, text);
        count++;
    }
    snprintf(text, sizeof text, "%s::%s", unit->name, event.name);
    if (count == 0 && names != NULL)
        names[0] = arena_strdup(arena, text);
    return count == 0 ? 1 : count;
}

const char **perf_host_events(struct arena *arena)
{
    const char **names = NULL;
    (void)pfm_initialize();
    for (int round = 0; round < 2; round++) { /* the first round only counts */
        size_t count = 0;
        pfm_pmu_t number;
        pfm_for_all_pmus(number)
        {
            pfm_pmu_info_t unit = {.size = sizeof unit};
            if (pfm_get_pmu_info(number, &unit) != PFM_SUCCESS || !unit.is_present ||
                unit.type != PFM_PMU_TYPE_CORE)
                continue;
            for (int i = unit.first_event; i != -1; i = pfm_get_event_next(i))
                count += name_events(&unit, i, arena, round == 0 ? NULL : names + count);
        }
        if (round == 0)
            names = arena_alloc(arena, count + 1, sizeof *names);
    }
    return names;
}

static int open_event(const struct perf_event_attr *attributes, pid_t pid, int cpu, int leader)
{
    return (int)syscall(SYS_perf_event_open, attributes, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static bool read_event(int fd, struct perf_reading *reading)
{
    uint64_t words[3];
    if (read(fd, words, sizeof words) != sizeof words)
        return false;
    *reading = (struct perf_reading){.value = words[0], .enabled = words[1], .running = words[2]};
    return true;
}

const struct perf_kernel perf_linux = {open_event, read_event};

enum status perf_try(const struct perf_host *host, const char *name, const struct perf_event_attr *attributes,
                     struct error *error)
{
    struct perf_event_attr attempt = *attributes;
    attempt.disabled = 1;
    int fd = host->kernel->open(&attempt, 0, -1, -1);
    if (fd < 0)
        return perf_refusal(host, name, errno, error);
    close(fd);
    return STATUS_OK;
}
