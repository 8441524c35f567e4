/* NVIDIA's management library, loaded at run time without its header. Numbers and layouts are those of its
 * ABI (nvml.h, "NVML API Reference Guide"), which stays compatible with old programs. */
#ifndef RUNNER_POWER_SENSORS_NVML_LIBRARY_H
#define RUNNER_POWER_SENSORS_NVML_LIBRARY_H

#include "base/error.h"

typedef struct nvml_object *nvml_device;

enum { NVML_OK = 0, NVML_NOT_SUPPORTED = 3, NVML_NO_PERMISSION = 4, NVML_GPU_IS_LOST = 15 };

/* Fields of nvmlDeviceGetFieldValues, in milliwatts. */
enum { NVML_POWER_AVERAGE = 185, NVML_POWER_INSTANT = 186 };

/* Clocks of nvmlDeviceGetClockInfo, in MHz. */
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

enum { NVML_TEMPERATURE_GPU = 0 };

/* nvmlFieldValue_t. */
struct nvml_field {
    unsigned field, scope;
    long long timestamp, latency_us;
    unsigned type; /* nvmlValueType_t: which member of value, in its order */
    int result;
    union {
        double real;
        unsigned whole;
        unsigned long long_whole;
        unsigned long long longer_whole;
        long long signed_longer;
        int signed_whole;
        unsigned short short_whole;
    } value;
};

/* nvmlPciInfo_t. */
struct nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char name[32];
};

struct nvml_library {
    void *handle;
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_text)(int result);
    int (*count)(unsigned *count);
    int (*by_index)(unsigned index, nvml_device *device);
    int (*name)(nvml_device device, char *name, unsigned capacity);
    int (*power)(nvml_device device, unsigned *milliwatts);
    int (*temperature)(nvml_device device, unsigned sensor, unsigned *celsius);
    int (*clock)(nvml_device device, unsigned clock, unsigned *mhz);
    /* NULL in an older library. */
    int (*energy)(nvml_device device, unsigned long long *millijoules);
    int (*fields)(nvml_device device, int count, struct nvml_field *fields);
    int (*pci)(nvml_device device, struct nvml_pci *pci);
    int (*by_pci)(const char *pci, nvml_device *device);
    int (*lock_clock)(nvml_device device, unsigned least_mhz, unsigned most_mhz);
    int (*unlock_clock)(nvml_device device);
};

/* The library that the user selected: the setting, else the variable TRAUMA_NVML; NULL: none. */
const char *nvml_library_named(const char *setting);

/* Opens and initialises the library at path (NULL: the loader's). STATUS_UNAVAILABLE, with the remedy, when
 * it or its driver is missing or denies access. */
enum status nvml_library_open(const char *path, struct nvml_library *library, struct error *error);

void nvml_library_close(struct nvml_library *library);

/* The field's value as a number; NAN when it was refused or has an unknown type. */
double nvml_field_number(const struct nvml_field *field);

#endif
