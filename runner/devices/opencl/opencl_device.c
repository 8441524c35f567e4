#include "runner/devices/opencl/opencl_session.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = DEVICE_TEXT_BYTES, MOST_PLATFORMS = 16 };

/* cl_platform_info, cl_device_info; those above 0x4000 are extensions: cl_amd_device_attribute_query,
 * cl_khr_pci_bus_info. */
enum {
    PLATFORM_NAME = 0x0902,
    TYPE = 0x1000,
    DRIVER = 0x102D,
    NAME = 0x102B,
    VERSION = 0x102F,
    BOARD_NAME = 0x4038,
    TOPOLOGY = 0x4037,
    PCI = 0x410F
};
static const uint64_t ALL_TYPES = 0xFFFFFFFF;
enum { CPU = 2, GPU = 4 };

static const char amd_platform[] = "AMD Accelerated Parallel Processing";

/* Numbers, with the factor to our unit. */
static const struct number {
    size_t offset; /* of a uint64_t in the device */
    unsigned what, bytes;
    uint64_t scale;
} numbers[] = {
    {offsetof(struct device, units), 0x1002, 4, 1},
    {offsetof(struct device, threads_per_block), 0x1004, sizeof(size_t), 1},
    {offsetof(struct device, shared), 0x1023, 8, 1},
    {offsetof(struct device, memory), 0x101F, 8, 1},
    {offsetof(struct device, buffer), 0x1010, 8, 1},
    {offsetof(struct device, clock_hz), 0x100C, 4, 1000000},
    {offsetof(struct device, wave), 0x4043, 4, 1},
    {offsetof(struct device, channels), 0x4044, 4, 1},
};

/* Catalyst's device names, as in LLVM's "User Guide for AMDGPU Backend"; ROCm uses gfx names. */
static const struct code_name {
    const char *name, *arch;
} code_names[] = {
    {"Tahiti", "gfx600"},  {"Pitcairn", "gfx601"}, {"Capeverde", "gfx601"}, {"Oland", "gfx602"},
    {"Hainan", "gfx602"},  {"Spectre", "gfx700"},  {"Spooky", "gfx700"},    {"Hawaii", "gfx701"},
    {"Kalindi", "gfx703"}, {"Mullins", "gfx703"},  {"Bonaire", "gfx704"},   {"Carrizo", "gfx801"},
    {"Iceland", "gfx802"}, {"Tonga", "gfx802"},    {"Fiji", "gfx803"},      {"Ellesmere", "gfx803"},
    {"Baffin", "gfx803"},  {"Lexa", "gfx803"},     {"Stoney", "gfx810"},
};

static void read_text(const struct opencl_library *library, opencl_device device, unsigned what,
                      char text[TEXT_BYTES])
{
    char value[2048] = "";
    if (library->device_info(device, what, sizeof value - 1, value, NULL) != OPENCL_OK)
        value[0] = '\0';
    snprintf(text, TEXT_BYTES, "%.*s", TEXT_BYTES - 1, value + strspn(value, " "));
}

static uint64_t type_of(const struct opencl_library *library, opencl_device device)
{
    uint64_t type = 0;
    return library->device_info(device, TYPE, sizeof type, &type, NULL) == OPENCL_OK ? type : 0;
}

/* ---- finding devices ---- */

static unsigned rank_of(const struct opencl_library *library, const struct opencl_place *place)
{
    return place->amd ? 0 : (type_of(library, place->device) & GPU) != 0 ? 1 : 2;
}

static void add_platform(const struct opencl_library *library, opencl_platform platform,
                         struct opencl_place *places, size_t *count)
{
    opencl_device devices[OPENCL_MOST_DEVICES];
    char name[TEXT_BYTES] = "";
    uint32_t found = 0;
    uint32_t room = (uint32_t)(OPENCL_MOST_DEVICES - *count);
    if (room == 0 || library->devices(platform, ALL_TYPES, room, devices, &found) != OPENCL_OK)
        return;
    (void)library->platform_info(platform, PLATFORM_NAME, sizeof name - 1, name, NULL); /* "": not from AMD */
    for (uint32_t i = 0; i < found && i < room; i++)
        places[(*count)++] = (struct opencl_place){platform, devices[i],
                                                   strcmp(name, amd_platform) == 0 &&
                                                       (type_of(library, devices[i]) & GPU) != 0};
}

static void put_in_order(const struct opencl_library *library, struct opencl_place *places, size_t count)
{
    struct opencl_place sorted[OPENCL_MOST_DEVICES] = {{0}};
    size_t filled = 0;
    for (unsigned rank = 0; rank <= 2; rank++)
        for (size_t i = 0; i < count; i++)
            if (rank_of(library, &places[i]) == rank)
                sorted[filled++] = places[i];
    memcpy(places, sorted, filled * sizeof *places);
}

enum status opencl_places(const struct opencl_library *library,
                          struct opencl_place places[OPENCL_MOST_DEVICES], size_t *count, struct error *error)
{
    opencl_platform platforms[MOST_PLATFORMS];
    uint32_t found = 0;
    *count = 0;
    int result = library->platforms(MOST_PLATFORMS, platforms, &found);
    if (result == OPENCL_OK && found == 0)
        result = OPENCL_NO_PLATFORM;
    if (result != OPENCL_OK)
        return opencl_refusal(result, "looking for platforms", error);
    for (uint32_t i = 0; i < found && i < MOST_PLATFORMS; i++)
        add_platform(library, platforms[i], places, count);
    put_in_order(library, places, *count);
    return *count > 0 ? STATUS_OK : opencl_refusal(OPENCL_NO_DEVICE, "looking for devices", error);
}

/* ---- describing devices ---- */

/* "gfx906:sramecc+:xnack-" is gfx906. */
static void find_arch(const char *name, char arch[DEVICE_WORD_BYTES])
{
    arch[0] = '\0';
    if (strncmp(name, "gfx", 3) == 0)
        snprintf(arch, DEVICE_WORD_BYTES, "%.*s", (int)strcspn(name, ":"), name);
    for (size_t i = 0; i < sizeof code_names / sizeof code_names[0]; i++)
        if (strcmp(code_names[i].name, name) == 0)
            snprintf(arch, DEVICE_WORD_BYTES, "%s", code_names[i].arch);
}

static void find_pci(const struct opencl_library *library, opencl_device device, char text[DEVICE_WORD_BYTES])
{
    uint32_t numbers_of[4] = {0};  /* domain, bus, device, function */
    unsigned char bytes[24] = {0}; /* type 1 in four bytes, 17 unused, then bus, device, function */
    if (library->device_info(device, PCI, sizeof numbers_of, numbers_of, NULL) == OPENCL_OK)
        snprintf(text, DEVICE_WORD_BYTES, "%04x:%02x:%02x.%x", numbers_of[0], numbers_of[1], numbers_of[2],
                 numbers_of[3] & 7);
    else if (library->device_info(device, TOPOLOGY, sizeof bytes, bytes, NULL) == OPENCL_OK && bytes[0] == 1)
        snprintf(text, DEVICE_WORD_BYTES, "0000:%02x:%02x.%x", bytes[21], bytes[22], bytes[23] & 7);
}

struct device opencl_device_describe(const struct opencl_library *library, const struct opencl_place *place,
                                     size_t ordinal)
{
    static const char *const types[] = {[CPU] = "CPU", [GPU] = "GPU"};
    struct device device = {.through = DEVICE_OPENCL, .ordinal = ordinal, .amd = place->amd};
    char name[TEXT_BYTES];
    uint64_t type = type_of(library, place->device);
    read_text(library, place->device, NAME, name);
    if (place->amd) {
        read_text(library, place->device, BOARD_NAME, device.name);
        find_arch(name, device.arch);
    }
    if (device.name[0] == '\0')
        snprintf(device.name, sizeof device.name, "%s", name[0] != '\0' ? name : "device");
    snprintf(device.type, sizeof device.type, "%s", type == CPU || type == GPU ? types[type] : "other");
    device.code_objects = place->amd && strncmp(name, "gfx", 3) == 0;
    (void)library->platform_info(place->platform, PLATFORM_NAME, sizeof device.platform - 1, device.platform,
                                 NULL);
    read_text(library, place->device, VERSION, device.version);
    read_text(library, place->device, DRIVER, device.driver);
    find_pci(library, place->device, device.pci);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t value = 0; /* little endian: four bytes fill its lower half */
        if (library->device_info(place->device, numbers[i].what, numbers[i].bytes, &value, NULL) == OPENCL_OK)
            *(uint64_t *)(void *)((char *)&device + numbers[i].offset) = value * numbers[i].scale;
    }
    return device;
}

enum status opencl_devices(struct buffer *devices, struct error *why_not)
{
    struct opencl_library library;
    struct opencl_place places[OPENCL_MOST_DEVICES];
    size_t count = 0;
    enum status status = opencl_library_open(&library, why_not);
    if (status == STATUS_OK)
        status = opencl_places(&library, places, &count, why_not);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct device device = opencl_device_describe(&library, &places[i], i);
        buffer_append(devices, &device, sizeof device);
    }
    return status;
}
