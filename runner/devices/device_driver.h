/* The driver of a kind of device: one function table per folder, listed in runner/devices/launcher.c. */
#ifndef RUNNER_DEVICES_DEVICE_DRIVER_H
#define RUNNER_DEVICES_DEVICE_DRIVER_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/devices/block_record.h"
#include "runner/devices/device_facts.h"
#include "runner/launch/test_program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A grid that ran beside the test program's, with its records and passes. */
struct device_beside {
    const struct block_record_entry *entries;
    size_t blocks;
    uint64_t passes;
    double bytes_a_pass; /* that one block loads and stores */
};

/* One run on a device. Moments are on clock_now_s. */
struct device_run {
    double from_s, to_s; /* from before the launch until the host noticed its end */
    double kernel_s;     /* duration of the kernel, by the device's events */
    double loop_s;       /* of the measured loop, by the events; 0: the blocks time it, or no pass was made */
    const struct block_record_entry *entries; /* owned by the device until its next run */
    size_t blocks;
    const struct block_record_unit *units; /* that the entries' places encode; NULL: none */
    size_t unit_count;
    const struct device_beside *beside;
    size_t beside_count;
};

/* A device's driver. Call open, run, close and list only in a worker. */
struct device_driver {
    /* Loads the program on test_program->device and fills its data. Sets the known members of facts, which
     * are device_facts_none before. STATUS_UNAVAILABLE when the machine lacks what the program needs,
     * STATUS_FAILED for a faulty program. Pass *handle to close even after an error. A driver that runs
     * several grids together also loads test_program->beside. */
    enum status (*open)(const struct test_program *test_program, void **handle, struct device_facts *facts,
                        struct error *error);

    /* Runs it for that many passes. After an error nothing more can be run. */
    enum status (*run)(void *handle, uint64_t iterations, struct device_run *run, struct error *error);
    void (*close)(void *handle);

    /* Appends a struct device for each that is available. STATUS_UNAVAILABLE, with the reason, if there is
     * none. */
    enum status (*list)(struct buffer *devices, struct error *why_not);

    /* Describes a listed device as a machine. May be called outside of a worker, like the next. */
    enum status (*machine)(const struct device *device, struct machine *machine, struct error *error);

    /* Whether the device matches the machine. */
    bool (*is_machine)(const struct device *device, const struct machine *machine);
    const char *name;         /* "cuda" */
    const char *const *units; /* names of units that records' places may encode: "sm"; NULL-terminated */
    const char *counted;      /* the device's units in words: "multiprocessors" */
    bool nvml;                /* NVML finds the device by its PCI address */
    bool together;            /* it can run several grids at the same time */
};

extern const struct device_driver cuda_driver;
extern const struct device_driver opencl_driver;

#endif
