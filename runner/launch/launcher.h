/* How programs are executed, by their target: one row each. An x86-64 program is a process of its own, begun
 * anew for each run; a device's program is loaded once by a process that stays for the point (worker.h), and
 * run as often as wanted. */
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
    double kernel_s;     /* of the kernel, by the device's events */
    double loop_s; /* of the measured loop by them, where the blocks cannot tell; 0: they do, or there was
                      none */
    const struct record_entry *entries; /* the device's until its next run */
    size_t blocks;
    const struct record_unit *units; /* what the entries' places tell; NULL: nothing */
    size_t unit_count;
};

/* A device's driver. open, run, close and list are called in a worker alone. */
struct device_driver {
    /* Loads the program on test program->device and fills its data. Adds to facts what is worth recording:
     * {"device": {...}, "module": {...}}. STATUS_UNAVAILABLE when the machine lacks what it needs,
     * STATUS_FAILED for a program that is wrong. *handle: to be given to close also after an error. */
    enum status (*open)(const struct test_program *test_program, void **handle, json_t *facts,
                        struct error *error);

    /* Runs it for that many passes. After an error nothing more can be run. */
    enum status (*run)(void *handle, uint64_t iterations, struct device_run *run, struct error *error);
    void (*close)(void *handle);

    /* What devices there are: a list of objects with "ordinal", "name" and "arch" ("": none). NULL with the
     * reason, STATUS_UNAVAILABLE. New reference. */
    json_t *(*list)(struct error *why_not);

    /* Describes one of the list as a machine; tells whether it is a machine. Both may be called anywhere. */
    enum status (*machine)(const json_t *device, struct machine *machine, struct error *error);
    bool (*is_machine)(const json_t *device, const struct machine *machine);
    const char *name;         /* "cuda" */
    const char *const *units; /* what records' places may tell: "sm"; up to NULL */
    /* What a device counts as its processors, in its description and in words. */
    const char *count, *counted;
    bool nvml; /* NVML knows it by its PCI address */
};

struct launcher {
    const char *target;                 /* "x86_64", as in the manifest */
    const struct device_driver *driver; /* NULL: it is a process of its own */
};

extern const struct device_driver cuda_driver;
extern const struct device_driver opencl_driver;

/* The table; a NULL target ends it. */
extern const struct launcher launchers[];

/* The row of the manifest's target; that of x86_64 where it names none, NULL where there is no such. */
const struct launcher *launcher_of(const json_t *manifest);

/* STATUS_OK when there is a device of the target, or, where target is NULL, of one of them all; else
 * STATUS_UNAVAILABLE as the last one that was asked says. */
enum status launcher_any_device(const char *target, struct error *why_not);

/* The same of a target's name. */
const struct launcher *launcher_find(const char *target);

/* A device's program that is loaded. */
struct launch;

/* Loads a device's program, and sets test program->launch, until launch_close. Nothing for other programs. */
enum status launch_open(struct test_program *test_program, struct error *error);
void launch_close(struct test_program *test_program);

/* {"device", "module"} of what is loaded; NULL: nothing is. */
const json_t *launch_facts(const struct test_program *test_program);

/* Runs what is loaded; where nothing is, it is loaded for this run. Sets *time, with its record. */
enum status launch_run(const struct test_program *test_program, const struct test_program_call *call,
                       struct test_program_time *time, struct error *error);

/* What devices the driver finds, asked in a process of its own. NULL with the reason and what mends it. New
 * reference. */
json_t *launch_devices(const struct device_driver *driver, struct error *why_not);

#endif
