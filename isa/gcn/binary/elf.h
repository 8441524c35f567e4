/* A reader for untrusted 32- and 64-bit ELF files: every access is checked against the file's end, nothing
 * needs alignment, and a file may be nested in another. Little-endian only, like all of AMD's. */
#ifndef ISA_GCN_BINARY_ELF_H
#define ISA_GCN_BINARY_ELF_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points into the bytes passed to gcn_elf_open. */
struct gcn_elf {
    const unsigned char *bytes;
    size_t size;
    bool is_64;
    unsigned type, machine, flags;
    uint64_t sections, segments; /* offsets of the tables */
    unsigned section_size, section_count, names;
    unsigned segment_size, segment_count;
};

struct gcn_section {
    const char *name; /* "" if it has none that ends within the file */
    unsigned type;
    uint64_t flags, address, offset, size, entry_size, alignment;
    unsigned link, info;
};

struct gcn_symbol {
    const char *name;
    uint64_t value, size;
    unsigned type, section;
    unsigned binding, visibility;
};

struct gcn_relocation {
    uint64_t offset; /* in the section that it modifies */
    uint32_t symbol; /* number in the symbol table */
    uint32_t type;   /* R_AMDGPU_* */
    uint64_t addend;
};

struct gcn_segment {
    unsigned type;
    uint64_t offset, size;
};

/* Reads a little-endian number at any alignment. */
uint32_t gcn_read32(const unsigned char *at);

/* True if the bytes begin like an ELF file. */
bool gcn_elf_is(const unsigned char *bytes, size_t size);

/* STATUS_FAILED if the header or a table extends beyond the end. */
enum status gcn_elf_open(const unsigned char *bytes, size_t size, struct gcn_elf *elf, struct error *error);

/* The section of that number, which is below section_count. STATUS_FAILED if its bytes extend beyond the end.
 * The offset of an empty section is always 0, and a section of type SHT_NULL is always empty. SHT_NOBITS has
 * a size but no bytes: check the type before reading. */
enum status gcn_elf_section(const struct gcn_elf *elf, unsigned number, struct gcn_section *section,
                            struct error *error);

/* The number of symbols in a table from gcn_elf_section, and one of them. */
size_t gcn_elf_symbol_count(const struct gcn_elf *elf, const struct gcn_section *table);
void gcn_elf_symbol(const struct gcn_elf *elf, const struct gcn_section *table, size_t number,
                    struct gcn_symbol *symbol);

/* One relocation of an SHT_RELA section of a 64-bit file; the section has size / sizeof(Elf64_Rela) of them.
 */
struct gcn_relocation gcn_elf_relocation(const struct gcn_elf *elf, const struct gcn_section *table,
                                         size_t number);

/* The segment of that number, which is below segment_count; its bytes may extend beyond the end. */
struct gcn_segment gcn_elf_segment(const struct gcn_elf *elf, unsigned number);

#endif
