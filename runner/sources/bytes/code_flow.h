/* Holds the loop of a processor's program, instruction by instruction, against the kernel that its manifest
 * states: what comes when (phases in their order), which operation consumes which load, which operations form
 * chains and which are independent, by what each access finds its address, and that what belongs to no unit
 * reads and writes no register of these. */
#ifndef RUNNER_SOURCES_BYTES_CODE_FLOW_H
#define RUNNER_SOURCES_BYTES_CODE_FLOW_H

#include "isa/template.h"
#include "runner/sources/bytes/code_listing.h"

/* STATUS_FAILED names the first instruction that is not the kernel's, its offset, and what it would be. A
 * manifest without a kernel says nothing, so that nothing is compared. */
enum status code_flow_check(const struct test_program *test_program, const struct template *templates,
                            const struct code_listing *listing, struct error *error);

#endif
