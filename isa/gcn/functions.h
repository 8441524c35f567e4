/* The functions that an ELF file of AMD's marks in its code: from its symbols, in the order in which they
 * lie. */
#ifndef ISA_GCN_FUNCTIONS_H
#define ISA_GCN_FUNCTIONS_H

#include "isa/gcn/elf.h"

/* Symbol type of a kernel that begins with an amd_kernel_code_t (STT_AMDGPU_HSA_KERNEL). */
enum { GCN_HSA_KERNEL = 10 };

struct gcn_function {
    const char *name; /* as the symbol has it; points into the file */
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

/* Takes the functions of the symbol table, or of the dynamic one where that was stripped. A function that
 * tells no size reaches to the next one or to its section's end. work goes down by each section and symbol
 * read: damage can say many times that a file has many. STATUS_FAILED for what is damaged, or where no work
 * is left. */
enum status gcn_functions_read(const struct gcn_elf *elf, size_t *work, struct gcn_functions *functions,
                               struct error *error);
void gcn_functions_free(struct gcn_functions *functions);

/* Takes so much from work. STATUS_FAILED where there is less. */
enum status gcn_work(size_t *work, size_t cost, struct error *error);

#endif
