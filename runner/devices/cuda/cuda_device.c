#include "runner/devices/cuda/cuda_device.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 96 };

/* CUdevice_attribute, with the factor to our unit. */
static const struct attribute {
    const char *key;
    int number;
    long long scale;
} attributes[] = {
    {"sm", 16, 1},
    {"threads_per_block", 1, 1},
    {"threads_per_sm", 39, 1},
    {"blocks_per_sm", 106, 1},
    {"shared_per_block", 97, 1}, /* if a kernel opts in; otherwise 48 KiB */
    {"shared_usual", 8, 1},
    {"shared_per_sm", 81, 1},
    {"l2", 38, 1},
    {"clock_hz", 13, 1000},
    {"memory_clock_hz", 36, 1000},
    {"bus_bits", 37, 1},
    {"warp", 10, 1},
    {"ecc", 32, 1}, /* absent: memory without or with it switched off */
};
enum { MAJOR = 75, MINOR = 76, PCI_DOMAIN = 50, PCI_BUS = 33, PCI_DEVICE = 34 };

static int attribute_of(const struct cuda_library *library, cuda_device device, int number)
{
    int value = 0;
    return library->device_attribute(&value, number, device) == CUDA_OK ? value : 0;
}

static void set_identity(const struct cuda_library *library, cuda_device device, json_t *document)
{
    char text[NAME_BYTES] = "";
    int version = 0;
    if (library->device_name(text, sizeof text, device) != CUDA_OK)
        snprintf(text, sizeof text, "GPU");
    json_object_set_new(document, "name", json_string(text));
    if (strstr(text, " MIG ") != NULL)
        json_object_set_new(document, "mig", json_true());
    snprintf(text, sizeof text, "sm_%d%d", attribute_of(library, device, MAJOR),
             attribute_of(library, device, MINOR));
    json_object_set_new(document, "arch", json_string(text));
    snprintf(text, sizeof text, "%04x:%02x:%02x.0", (unsigned)attribute_of(library, device, PCI_DOMAIN),
             (unsigned)attribute_of(library, device, PCI_BUS),
             (unsigned)attribute_of(library, device, PCI_DEVICE));
    json_object_set_new(document, "pci", json_string(text));
    if (library->driver_version(&version) == CUDA_OK) {
        snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
        json_object_set_new(document, "driver", json_string(text));
    }
}

json_t *cuda_device_describe(const struct cuda_library *library, int ordinal, struct error *error)
{
    cuda_device device;
    size_t bytes = 0;
    char what[32];
    snprintf(what, sizeof what, "GPU %d", ordinal);
    int result = library->device(&device, ordinal);
    if (result != CUDA_OK) {
        cuda_refusal(library, result, what, error);
        return NULL;
    }
    json_t *document = json_pack("{s:i}", "ordinal", ordinal);
    set_identity(library, device, document);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        long long value = attribute_of(library, device, attributes[i].number);
        if (value > 0)
            json_object_set_new(document, attributes[i].key, json_integer(value * attributes[i].scale));
    }
    if (library->device_memory(&bytes, device) == CUDA_OK)
        json_object_set_new(document, "memory", json_integer((json_int_t)bytes));
    return document;
}

json_t *cuda_devices(struct error *why_not)
{
    struct cuda_library library;
    int count = 0;
    if (cuda_library_open(&library, why_not) != STATUS_OK)
        return NULL;
    int result = library.device_count(&count);
    if (result == CUDA_OK && count == 0)
        result = 100; /* as newer drivers report from the start */
    if (result != CUDA_OK) {
        cuda_refusal(&library, result, "GPUs", why_not);
        return NULL;
    }
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = cuda_device_describe(&library, i, why_not);
        if (one == NULL) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, one);
    }
    return list;
}
