/* How programs are executed, by target: one row each. An x86-64 program is a process, started anew for each
 * run. A device's program is loaded once by a process that lives as long as the point (worker.h), and run as
 * often as needed. */
#ifndef RUNNER_LAUNCH_LAUNCHER_H
#define RUNNER_LAUNCH_LAUNCHER_H

#include "base/error.h"
#include "runner/launch/record.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <jansson.h>
#include <stdint.h>

/* One run on a device. Moments are on clock_now_s. */
struct device_run {
    double from_s, to_s; /* from before the launch until its end was seen */
    double kernel_s;     /* of the kernel, from the device's events */
    double loop_s; /* likewise of the measured loop, if the blocks cannot time it; else, or without loop, 0 */
    const struct record_entry *entries; /* owned by the device until its next run */
    size_t blocks;
    const struct record_unit *units; /* the parts of the device that entries' places encode; NULL: none */
    size_t unit_count;
};

/* A device's driver. Call open, run, close and list only in a worker. */
struct device_driver {
    /* Loads the program on test_program->device and fills its data. Adds what is worth recording to facts:
     * {"device": {...}, "module": {...}}. STATUS_UNAVAILABLE when the machine lacks what it needs,
     * STATUS_FAILED for a faulty program. Pass *handle to close even after an error. */
    enum status (*open)(const struct test_program *test_program, void **handle, json_t *facts,
                        struct error *error);

    /* Runs it for that many passes. After an error nothing more can be run. */
    enum status (*run)(void *handle, uint64_t iterations, struct device_run *run, struct error *error);
    void (*close)(void *handle);

    /* The available devices: a list of objects with "ordinal", "name" and "arch" ("": none). NULL with the
     * reason, STATUS_UNAVAILABLE. New reference. */
    json_t *(*list)(struct error *why_not);

    /* Describes a listed device as a machine; tells whether it matches a machine. Both may be called
     * anywhere. */
    enum status (*machine)(const json_t *device, struct machine *machine, struct error *error);
    bool (*is_machine)(const json_t *device, const struct machine *machine);
    const char *name;         /* "cuda" */
    const char *const *units; /* what records' places may encode: "sm"; NULL-terminated */
    /* What a device counts as its processors, in its description and in words. */
    const char *count, *counted;
    bool nvml; /* NVML knows it by its PCI address */
};

struct launcher {
    const char *target;                 /* "ptx", as in the manifest, or ISA_PROCESSOR */
    const struct device_driver *driver; /* NULL: the program is a process */
};

extern const struct device_driver cuda_driver;
extern const struct device_driver opencl_driver;

/* The table; a NULL target ends it. */
extern const struct launcher launchers[];

/* The row of the manifest's target; that of processors if it names none, NULL if the target is unknown. */
const struct launcher *launcher_of(const json_t *manifest);

/* STATUS_OK when there is a device of the target or, if target is NULL, of any target; else
 * STATUS_UNAVAILABLE with the reason of the last driver asked. */
enum status launcher_any_device(const char *target, struct error *why_not);

/* The same for a target's name. */
const struct launcher *launcher_find(const char *target);

/* A loaded program of a device. */
struct launch;

/* Loads a device's program and sets test_program->launch, until launch_close. Does nothing for other
 * programs. */
enum status launch_open(struct test_program *test_program, struct error *error);
void launch_close(struct test_program *test_program);

/* {"device", "module"} of the loaded program; NULL: none. */
const json_t *launch_facts(const struct test_program *test_program);

/* Runs the loaded program, or loads it for this run only. Sets *time, with its record. */
enum status launch_run(const struct test_program *test_program, const struct test_program_call *call,
                       struct test_program_time *time, struct error *error);

/* The devices that the driver finds, queried in a separate process. NULL with the reason and the remedy. New
 * reference. */
json_t *launch_devices(const struct device_driver *driver, struct error *why_not);

#endif
