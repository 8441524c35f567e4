/* How programs are executed, by target: one row each. A processor's program is a process, started again for
 * each run. A device's program is loaded once by a process that lives as long as the point (worker.h), and
 * run as often as needed. */
#ifndef RUNNER_DEVICES_LAUNCHER_H
#define RUNNER_DEVICES_LAUNCHER_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/devices/device_driver.h"
#include "runner/launch/test_program.h"

struct launcher {
    const char *target;                 /* "ptx", as in the manifest, or ISA_PROCESSOR */
    const struct device_driver *driver; /* NULL: the program is a process */
};

/* The table; a NULL target ends it. */
extern const struct launcher launchers[];

/* The row of the target; NULL if it is unknown. */
const struct launcher *launcher_find(const char *target);

/* The row of the manifest's target; that of processors if the manifest names none, NULL if it is unknown. */
const struct launcher *launcher_of(const struct manifest *manifest);

/* STATUS_OK when there is a device of the target or, if target is NULL, of any target; else
 * STATUS_UNAVAILABLE with the reason of the last driver that was tried. */
enum status launcher_any_device(const char *target, struct error *why_not);

/* Runs one copy of the program once: a standalone executable on call->cpu, or a device's program on its
 * device. */
enum status launcher_run(const struct test_program *test_program, const struct test_program_call *call,
                         struct test_program_time *time, struct error *error);

/* Loads a device's program and sets test_program->launch, until launch_close. Does nothing for other
 * programs. */
enum status launch_open(struct test_program *test_program, struct error *error);
void launch_close(struct test_program *test_program);

/* The facts about the loaded program and its device; valid until launch_close. NULL: none is loaded. */
const struct device_facts *launch_facts(const struct test_program *test_program);

/* The PCI address of the GPU on which the program is loaded, "none" if it is unknown; NULL: it runs on no
 * GPU.
 */
const char *launch_gpu(const struct test_program *test_program);

/* The binary that the device's runtime made of the loaded program, and that runs; valid until launch_close.
 * NULL with the reason (STATUS_UNAVAILABLE): none is loaded, or the runtime returns none. */
const struct buffer *launch_binary(const struct test_program *test_program, struct error *why_not);

/* Runs the loaded program, or loads it for this run only. Sets *time, with its record. */
enum status launch_run(const struct test_program *test_program, const struct test_program_call *call,
                       struct test_program_time *time, struct error *error);

/* The devices that the driver finds, listed in a separate process: *devices, for free(), and *count. An error
 * with the reason and the remedy if there is none. */
enum status launch_devices(const struct device_driver *driver, struct device **devices, size_t *count,
                           struct error *why_not);

#endif
