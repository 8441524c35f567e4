/* The standalone executable: start code, the program's code and constants, and empty data. Needs no linker
 * and no libc. */
#ifndef ISA_EXECUTABLE_H
#define ISA_EXECUTABLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/assembly.h"
#include "isa/isa.h"

#include <stddef.h>
#include <stdint.h>

struct executable_request {
    const struct isa *isa;
    const struct buffer *start;  /* object that defines _start and trauma_parameters */
    const struct buffer *object; /* defines trauma_kernel, trauma_loop, trauma_loop_end and trauma_layout */
    const struct assembly
        *assembly; /* the assembly of `object`, which saves reading it; NULL: read the object */
    uint64_t data_bytes;
    uint64_t data_align; /* any whole number of pages */
    uint64_t code_align; /* alignment of trauma_code, any whole number of pages; 0: the object has no
                            trauma_code */
    uint64_t passes;     /* default of ITERATIONS */
    const uint64_t
        *shared; /* [shared_count]: words behind the parameters, for start code that has room for them */
    size_t shared_count;
};

/* Appends the executable's bytes. STATUS_FAILED if a section or a symbol is missing. */
enum status executable_write(const struct executable_request *request, struct buffer *file,
                             struct error *error);

/* Where it has so much data of that alignment behind code that ends there (0: anywhere near its start). */
uint64_t executable_data_address(const struct isa *isa, uint64_t code_end, uint64_t bytes, uint64_t align);

/* STATUS_FAILED if the start code is left incomplete for a linker: nothing links it. */
enum status executable_check_start(const struct isa *isa, const struct buffer *start, struct error *error);

#endif
