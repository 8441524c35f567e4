/* The functions in an AMD ELF file's code, from its symbols, in address order. */
#ifndef ISA_GCN_BINARY_FUNCTIONS_H
#define ISA_GCN_BINARY_FUNCTIONS_H

#include "isa/gcn/binary/elf.h"

/* Symbol type of a kernel that begins with an amd_kernel_code_t (STT_AMDGPU_HSA_KERNEL). */
enum { GCN_HSA_KERNEL = 10 };

struct gcn_function {
    const char *name; /* from the symbol; points into the file */
    unsigned section;
    unsigned type;         /* of the symbol */
    uint64_t offset, size; /* in its section, and within it */
};

/* All zeros is empty; sorted by section and offset. Free it with gcn_functions_free. */
struct gcn_functions {
    struct gcn_function *list;
    size_t count;
    struct gcn_function *data; /* objects with a size, likewise, in the symbols' order */
    size_t data_count;
};

/* Reads the functions of the symbol table, or of the dynamic one if that was stripped. A function without a
 * size extends to the next one or to its section's end. Each section and symbol read reduces *work, because a
 * damaged file can claim many of them many times. STATUS_FAILED if the file is damaged or *work is used up.
 */
enum status gcn_functions_read(const struct gcn_elf *elf, size_t *work, struct gcn_functions *functions,
                               struct error *error);
void gcn_functions_free(struct gcn_functions *functions);

/* Subtracts cost from *work. STATUS_FAILED if less is left. */
enum status gcn_work(size_t *work, size_t cost, struct error *error);

#endif
