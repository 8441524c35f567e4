/* Compares the loop of a processor's program, instruction by instruction, with the kernel that its manifest
 * states: the order of phases and instructions, which operation consumes which load, which operations form
 * chains and which are independent, and the address of each access. Instructions that belong to no unit must
 * not use the units' registers. */
#ifndef RUNNER_SOURCES_BYTES_CODE_FLOW_H
#define RUNNER_SOURCES_BYTES_CODE_FLOW_H

#include "isa/template.h"
#include "runner/sources/bytes/code_listing.h"

/* STATUS_FAILED names the first instruction that differs from the kernel, its offset, and the expected one.
 * Without a kernel in the manifest, nothing is compared. */
enum status code_flow_check(const struct test_program *test_program, const struct template *templates,
                            const struct code_listing *listing, struct error *error);

#endif
