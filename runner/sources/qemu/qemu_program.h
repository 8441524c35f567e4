/* The qemu-user that runs a test program with our plugin. */
#ifndef RUNNER_SOURCES_QEMU_PROGRAM_H
#define RUNNER_SOURCES_QEMU_PROGRAM_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/process/child.h"

enum { QEMU_NAME_BYTES = 128 };

/* From cmake/embed.cmake: sim/qemu/ as a shared object. */
extern const unsigned char qemu_plugin[];
extern const unsigned long qemu_plugin_size;

/* "x86_64" */
const char *qemu_program_target(const struct test_program *test_program);

/* "qemu-x86_64" */
void qemu_program_name(char name[QEMU_NAME_BYTES], const struct test_program *test_program);

/* The value of QEMU's option -cpu: its processor with most features, and vectors as long as the program's. */
const char *qemu_program_cpu(const struct test_program *test_program);

/* STATUS_UNAVAILABLE if that qemu is missing, or is a program for another processor than the plugin, which is
 * built with this program: it could not load it. */
enum status qemu_program_find(const char *name, struct error *error);

/* Decides who is at fault for a run that failed: STATUS_FAILED for a signal of the program itself, else
 * STATUS_UNAVAILABLE. */
enum status qemu_program_blame(const struct child_result *result, struct error *error);

#endif
