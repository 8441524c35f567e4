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
    const struct assembly *assembly; /* of `object`, which then need not be read; NULL: read it */
    uint64_t data_bytes;
    uint64_t data_align;    /* any whole number of pages */
    uint64_t code_align;    /* alignment of trauma_code, any whole number of pages; 0: the object has no
                               trauma_code */
    uint64_t passes;        /* default of ITERATIONS */
    const uint64_t *shared; /* [shared_count]: words after the parameters, if the start code has room */
    size_t shared_count;
};

/* Appends the executable's bytes. STATUS_FAILED if a section or a symbol is missing. */
enum status executable_write(const struct executable_request *request, struct buffer *file,
                             struct error *error);

/* The address of data of that size and alignment in an executable whose code ends at code_end; 0: the code
 * ends before the data's usual address. */
uint64_t executable_data_address(const struct isa *isa, uint64_t code_end, uint64_t bytes, uint64_t align);

/* STATUS_FAILED if the start code has relocations: nothing links it. */
enum status executable_check_start(const struct isa *isa, const struct buffer *start, struct error *error);

#endif
