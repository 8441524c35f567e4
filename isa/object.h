/* Reads an ELF object or executable in memory: its code, constants and symbols. */
#ifndef ISA_OBJECT_H
#define ISA_OBJECT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section's bytes; points into the file. */
struct object_part {
    const unsigned char *bytes;
    size_t size;
    uint64_t address; /* load address; 0 in an object */
};

/* Finds a section. STATUS_FAILED if the file is not ELF or lacks the section. The result points into file. */
enum status object_section(const void *file, size_t size, const char *name, struct object_part *part,
                           struct error *error);

/* The value of a symbol: its offset in its section in an object, its address in an executable. */
enum status object_symbol(const void *file, size_t size, const char *name, uint64_t *value,
                          struct error *error);

/* Calls visit for every defined symbol. STATUS_FAILED if the file is not ELF. */
typedef void object_visitor(const char *name, uint64_t value, void *context);
enum status object_symbols(const void *file, size_t size, object_visitor *visit, void *context,
                           struct error *error);

#endif
