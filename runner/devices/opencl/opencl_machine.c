#include "runner/devices/opencl/opencl_machine.h"

#include "base/json.h"
#include "runner/devices/device_machine.h"

#include <math.h>
#include <string.h>

/* Families, as recipes/machines/ describes one chip of each; a board may have fewer compute units. On GFX10 a
 * compute unit is a work-group processor, both here and where OpenCL counts them. */
static const struct family {
    const char *arch;
    unsigned se, sh_per_se, most_cu_per_sh;
    unsigned l1_kib, l1_line, l2_kib, l2_line, channels, wave;
} families[] = {
    {"gfx701", 4, 1, 11, 16, 64, 1024, 64, 16, 64},  {"gfx803", 4, 1, 16, 16, 64, 2048, 64, 16, 64},
    {"gfx900", 4, 1, 16, 16, 64, 4096, 64, 16, 64},  {"gfx908", 8, 1, 16, 16, 64, 8192, 128, 32, 64},
    {"gfx90a", 8, 1, 14, 16, 64, 8192, 128, 32, 64}, {"gfx1030", 4, 2, 5, 16, 128, 4096, 128, 16, 32},
};

static const struct family *find_family(const json_t *device)
{
    const char *arch = json_string_or(device, "arch", "");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].arch, arch) == 0)
            return &families[i];
    return NULL;
}

static unsigned compute_units(const json_t *device)
{
    return (unsigned)json_number_or(device, "compute_units", 0);
}

static json_t *describe(const json_t *device, const struct family *family)
{
    char name[DEVICE_NAME_BYTES];
    unsigned arrays = family->se * family->sh_per_se;
    device_machine_name(json_string_or(device, "name", ""), name);
    json_t *gpu =
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:s}", "arch", family->arch, "se", (int)family->se,
                  "sh_per_se", (int)family->sh_per_se, "cu_per_sh", (int)(compute_units(device) / arrays),
                  "l2_channels", (int)family->channels, "wave", (int)family->wave, "interleave", "256B");
    static const struct {
        const char *key, *told;
    } carried[] = {{"block_threads", "threads_per_block"}, {"shared", "shared"}, {"memory", "memory"}};
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++)
        if (json_object_get(device, carried[i].told) != NULL)
            json_object_set(gpu, carried[i].key, json_object_get(device, carried[i].told));
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:{s:{s:i, s:i, s:i, s:s}, s:{s:i, s:i, s:i, s:s}}, s:o}", "name", name,
                  "isa", "gcn", "vendor", "AMD", "caches", "L1", "size", (int)family->l1_kib << 10, "line",
                  (int)family->l1_line, "ways", 4, "policy", "lru", "L2", "size", (int)family->l2_kib << 10,
                  "line", (int)family->l2_line, "ways", 16, "policy", "lru", "gpu", gpu);
    double hz = json_number_or(device, "clock_hz", 0);
    if (hz > 0)
        json_object_set_new(document, "clock_ghz", json_from_number(round(hz * 1e-6) * 1e-3));
    return document;
}

static enum status check(const json_t *device, const struct family *family, struct error *error)
{
    const char *name = json_string_or(device, "name", "it");
    if (!json_is_true(json_object_get(device, "amd")))
        error_set(error, STATUS_UNAVAILABLE, "%s (%s, %s) is no GPU on AMD's own OpenCL platform", name,
                  json_string_or(device, "type", "?"), json_string_or(device, "platform", "?"));
    else if (family == NULL)
        error_set(error, STATUS_UNAVAILABLE,
                  "%s is a GPU of the family %s, whose shader engines and caches this version does not know",
                  name, json_string_or(device, "arch", "?"));
    else {
        unsigned arrays = family->se * family->sh_per_se;
        unsigned units = compute_units(device);
        if (units > 0 && units % arrays == 0 && units / arrays <= family->most_cu_per_sh)
            return STATUS_OK;
        error_set(error, STATUS_UNAVAILABLE,
                  "%s has %u compute units; a %s is known with up to %u in each of %u arrays", name, units,
                  family->arch, family->most_cu_per_sh, arrays);
    }
    error_hint(error,
               "-m w9100 takes that machine; or describe yours in a file (recipes/machines/fiji.lua is "
               "an example) and pass -m FILE");
    return STATUS_UNAVAILABLE;
}

enum status opencl_machine(const json_t *device, struct machine *machine, struct error *error)
{
    const struct family *family = find_family(device);
    struct error wrong;
    memset(machine, 0, sizeof *machine);
    enum status status = check(device, family, error);
    if (status != STATUS_OK)
        return status;
    json_t *document = describe(device, family);
    status = machine_from_json(document, NULL, machine, &wrong);
    json_decref(document);
    machine->present = status == STATUS_OK;
    if (status == STATUS_OK)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE, "OpenCL reports what no plan can use: %s", wrong.message);
}

bool opencl_machine_is(const json_t *device, const struct machine *machine)
{
    const struct family *family = find_family(device);
    return strcmp(json_string_or(device, "arch", ""), machine->gpu.arch) == 0 && family != NULL &&
           compute_units(device) == machine->gpu.sm && device_machine_memory(device, machine);
}
