#include "runner/devices/opencl/opencl_session.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

enum { OPENCL_ARCH_BYTES = 16, OPENCL_MOST_DEVICES = 64, TEXT_BYTES = 128, MOST_PLATFORMS = 16 };

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
    const char *key;
    unsigned what, bytes;
    long long scale;
} numbers[] = {
    {"compute_units", 0x1002, 4, 1}, {"threads_per_block", 0x1004, sizeof(size_t), 1},
    {"shared", 0x1023, 8, 1},        {"memory", 0x101F, 8, 1},
    {"buffer", 0x1010, 8, 1},        {"clock_hz", 0x100C, 4, 1000000},
    {"wave", 0x4043, 4, 1},          {"channels", 0x4044, 4, 1},
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

static void tell(const struct opencl_library *library, opencl_device device, unsigned what,
                 char text[TEXT_BYTES])
{
    char told[2048] = "";
    if (library->device_info(device, what, sizeof told - 1, told, NULL) != OPENCL_OK)
        told[0] = '\0';
    snprintf(text, TEXT_BYTES, "%.*s", TEXT_BYTES - 1, told + strspn(told, " "));
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

/* Lists AMD's GPUs first, then other GPUs, then other devices; otherwise in the loader's order. Fills places
 * and *count. STATUS_UNAVAILABLE when there is none. */
static enum status find_places(const struct opencl_library *library,
                               struct opencl_place places[OPENCL_MOST_DEVICES], size_t *count,
                               struct error *error)
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
static void find_arch(const char *name, char arch[OPENCL_ARCH_BYTES])
{
    arch[0] = '\0';
    if (strncmp(name, "gfx", 3) == 0)
        snprintf(arch, OPENCL_ARCH_BYTES, "%.*s", (int)strcspn(name, ":"), name);
    for (size_t i = 0; i < sizeof code_names / sizeof code_names[0]; i++)
        if (strcmp(code_names[i].name, name) == 0)
            snprintf(arch, OPENCL_ARCH_BYTES, "%s", code_names[i].arch);
}

static void set_pci(const struct opencl_library *library, opencl_device device, json_t *document)
{
    uint32_t numbers_of[4] = {0};  /* domain, bus, device, function */
    unsigned char bytes[24] = {0}; /* type 1 in four bytes, 17 unused, then bus, device, function */
    char text[32];
    if (library->device_info(device, PCI, sizeof numbers_of, numbers_of, NULL) == OPENCL_OK)
        snprintf(text, sizeof text, "%04x:%02x:%02x.%x", numbers_of[0], numbers_of[1], numbers_of[2],
                 numbers_of[3] & 7);
    else if (library->device_info(device, TOPOLOGY, sizeof bytes, bytes, NULL) == OPENCL_OK && bytes[0] == 1)
        snprintf(text, sizeof text, "0000:%02x:%02x.%x", bytes[21], bytes[22], bytes[23] & 7);
    else
        return;
    json_object_set_new(document, "pci", json_string(text));
}

static void set_text(json_t *document, const char *key, const char *text)
{
    json_t *string = text[0] == '\0' ? NULL : json_string(text); /* NULL also if it is not UTF-8 */
    if (string != NULL)
        json_object_set_new(document, key, string);
}

static void set_identity(const struct opencl_library *library, const struct opencl_place *place,
                         json_t *document)
{
    static const char *const types[] = {[CPU] = "CPU", [GPU] = "GPU"};
    char name[TEXT_BYTES];
    char text[TEXT_BYTES] = "";
    char arch[OPENCL_ARCH_BYTES];
    uint64_t type = type_of(library, place->device);
    tell(library, place->device, NAME, name);
    find_arch(name, arch);
    if (place->amd)
        tell(library, place->device, BOARD_NAME, text);
    json_object_set_new(document, "name", json_string("device"));
    set_text(document, "name", text[0] != '\0' ? text : name);
    json_object_set_new(document, "arch", json_string(place->amd ? arch : ""));
    json_object_set_new(document, "type", json_string(type == CPU || type == GPU ? types[type] : "other"));
    json_object_set_new(document, "amd", json_boolean(place->amd));
    json_object_set_new(document, "code_objects", json_boolean(place->amd && strncmp(name, "gfx", 3) == 0));
    text[0] = '\0';
    (void)library->platform_info(place->platform, PLATFORM_NAME, sizeof text - 1, text, NULL);
    set_text(document, "platform", text);
    tell(library, place->device, VERSION, text);
    set_text(document, "version", text);
    tell(library, place->device, DRIVER, text);
    set_text(document, "driver", text);
}

static json_t *describe(const struct opencl_library *library, const struct opencl_place *place,
                        size_t ordinal)
{
    json_t *document = json_pack("{s:I}", "ordinal", (json_int_t)ordinal);
    set_identity(library, place, document);
    set_pci(library, place->device, document);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t value = 0; /* little endian: four bytes fill its lower half */
        if (library->device_info(place->device, numbers[i].what, numbers[i].bytes, &value, NULL) ==
                OPENCL_OK &&
            value > 0)
            json_object_set_new(document, numbers[i].key, json_integer((json_int_t)value * numbers[i].scale));
    }
    return document;
}

json_t *opencl_devices(struct error *why_not)
{
    struct opencl_library library;
    struct opencl_place places[OPENCL_MOST_DEVICES];
    size_t count;
    if (opencl_library_open(&library, why_not) != STATUS_OK ||
        find_places(&library, places, &count, why_not) != STATUS_OK)
        return NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, describe(&library, &places[i], i));
    return list;
}

/* ---- a device in use ---- */

/* cl_context_properties, cl_command_queue_properties, cl_profiling_info, cl_event_info. */
enum { CONTEXT_PLATFORM = 0x1084, QUEUE_PROFILING = 2, BEGIN = 0x1282, END = 0x1283, STATE = 0x11D3 };

enum status opencl_session_open(struct opencl_session *session, unsigned ordinal, json_t **description,
                                struct error *error)
{
    struct opencl_place places[OPENCL_MOST_DEVICES];
    size_t count = 0;
    int result;
    enum status status = opencl_library_open(&session->library, error);
    if (status == STATUS_OK)
        status = find_places(&session->library, places, &count, error);
    if (status != STATUS_OK)
        return status;
    if (ordinal >= count)
        return error_set(error, STATUS_UNAVAILABLE, "there is no OpenCL device %u; the machine has %zu",
                         ordinal, count);
    session->place = places[ordinal];
    *description = describe(&session->library, &session->place, ordinal);
    const intptr_t properties[] = {CONTEXT_PLATFORM, (intptr_t)session->place.platform, 0};
    session->context = session->library.context(properties, 1, &session->place.device, NULL, NULL, &result);
    if (session->context == NULL)
        return opencl_refusal(result, "taking the device", error);
    session->queue =
        session->library.queue(session->context, session->place.device, QUEUE_PROFILING, &result);
    return session->queue == NULL ? opencl_refusal(result, "the device's queue", error) : STATUS_OK;
}

/* A kernel that ended with an error has a negative state. */
static int read_event(const struct opencl_library *library, opencl_event event, double *seconds)
{
    uint64_t begin = 0;
    uint64_t end = 0;
    int32_t state = 0;
    int result = library->event_info(event, STATE, sizeof state, &state, NULL);
    if (result == OPENCL_OK && state < 0)
        result = state;
    if (result == OPENCL_OK)
        result = library->event_time(event, BEGIN, sizeof begin, &begin, NULL);
    if (result == OPENCL_OK)
        result = library->event_time(event, END, sizeof end, &end, NULL);
    *seconds = end > begin ? (double)(end - begin) * 1e-9 : 0;
    return result;
}

enum status opencl_session_run(const struct opencl_session *session, opencl_kernel kernel, size_t threads,
                               size_t block, double *seconds, struct error *error)
{
    const struct opencl_library *library = &session->library;
    opencl_event event = NULL;
    int result = library->launch(session->queue, kernel, 1, NULL, &threads, &block, 0, NULL, &event);
    if (result == OPENCL_OK)
        result = library->finish(session->queue);
    if (result == OPENCL_OK)
        result = read_event(library, event, seconds);
    if (event != NULL)
        (void)library->release_event(event);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "running the kernel", error);
}
