/* Reading an ELF object or executable that lies in memory: its code, its constants, its symbols. */
#ifndef ISA_OBJECT_H
#define ISA_OBJECT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section's bytes, pointing into the file that was opened. */
struct object_part {
    const unsigned char *bytes;
    size_t size;
    uint64_t address; /* where it is loaded; 0 in an object */
};

/* Finds a section. STATUS_FAILED when the file is no ELF or has none of that name. The result points into
 * file. */
enum status object_section(const void *file, size_t size, const char *name, struct object_part *part,
                           struct error *error);

/* The value of a symbol: its offset in its section in an object, its address in an executable. */
enum status object_symbol(const void *file, size_t size, const char *name, uint64_t *value,
                          struct error *error);

#endif
