#include "runner/devices/cuda/cuda_machine.h"

#include "base/json.h"
#include "runner/devices/device_machine.h"

#include <math.h>
#include <string.h>

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": unified L1 and shared
 * memory, in KiB. Parts of L2: the whitepapers of the chips; GH100's and GA100's counters have a fabric
 * between them (lts__t_sectors_srcunit_ltcfabric), AD102's and GB202's have none. */
static const struct family {
    const char *arch;
    unsigned l1_kib, sides;
} families[] = {
    {"sm_50", 24, 1},  {"sm_52", 48, 1},  {"sm_60", 24, 1},   {"sm_61", 48, 1},   {"sm_70", 128, 1},
    {"sm_72", 128, 1}, {"sm_75", 96, 1},  {"sm_80", 192, 2},  {"sm_86", 128, 1},  {"sm_87", 192, 1},
    {"sm_89", 128, 1}, {"sm_90", 256, 2}, {"sm_100", 256, 2}, {"sm_103", 256, 2}, {"sm_120", 128, 1},
};

static const struct family *find_family(const char *arch)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].arch, arch) == 0)
            return &families[i];
    return NULL;
}

static json_t *describe(const json_t *device, const struct family *family)
{
    char name[DEVICE_NAME_BYTES];
    device_machine_name(json_string_or(device, "name", ""), name);
    json_t *gpu = json_pack(
        "{s:s, s:O, s:O, s:i, s:i, s:O, s:O}", "arch", family->arch, "sm", json_object_get(device, "sm"),
        "wave", json_object_get(device, "warp"), "sides", (int)family->sides, "block_threads",
        (int)json_number_or(device, "threads_per_block", 1024), "shared",
        json_object_get(device, "shared_usual"), "memory", json_object_get(device, "memory"));
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:{s:{s:I, s:i, s:i, s:s}, s:{s:O, s:i, s:i, s:s}}, s:o}", "name", name,
                  "isa", "ptx", "vendor", "NVIDIA", "caches", "L1", "size", (json_int_t)family->l1_kib << 10,
                  "line", 128, "sector", 32, "policy", "unknown", "L2", "size", json_object_get(device, "l2"),
                  "line", 128, "sector", 32, "policy", "unknown", "gpu", gpu);
    double hz = json_number_or(device, "clock_hz", 0);
    if (document != NULL && hz > 0)
        json_object_set_new(document, "clock_ghz", json_from_number(round(hz * 1e-6) * 1e-3));
    return document;
}

enum status cuda_machine(const json_t *device, struct machine *machine, struct error *error)
{
    const char *arch = json_string_or(device, "arch", "");
    const struct family *family = find_family(arch);
    struct error wrong;
    memset(machine, 0, sizeof *machine);
    if (family == NULL) {
        error_set(error, STATUS_UNAVAILABLE, "%s is a GPU of the family %s, which this version does not know",
                  json_string_or(device, "name", "it"), arch);
        error_hint(error, "describe it in a file (recipes/machines/h200.lua is an example) and pass -m FILE");
        return STATUS_UNAVAILABLE;
    }
    json_t *document = describe(device, family);
    enum status status =
        document == NULL ? STATUS_RECIPE : machine_from_json(document, NULL, machine, &wrong);
    if (document == NULL)
        error_set(&wrong, STATUS_RECIPE, "it does not say how many multiprocessors, or how much L2, it has");
    json_decref(document);
    machine->present = status == STATUS_OK;
    if (status == STATUS_OK)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE, "the GPU's driver reports what no plan can use: %s",
                     wrong.message);
}

bool cuda_machine_is(const json_t *device, const struct machine *machine)
{
    return strcmp(json_string_or(device, "arch", ""), machine->gpu.arch) == 0 &&
           json_number_or(device, "sm", 0) == machine->gpu.sm && device_machine_memory(device, machine);
}
