/* A reader of ELF files of both widths that trusts nothing: every access is checked against the file's end,
 * nothing need be aligned, and a file may lie inside another. Little-endian only, as all of AMD's are. */
#ifndef ISA_GCN_ELF_H
#define ISA_GCN_ELF_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points into the bytes it was opened on. */
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
    const char *name; /* "" where it has none that ends within the file */
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
    uint64_t offset; /* in the section that it changes */
    uint32_t symbol; /* number in the symbol table */
    uint32_t type;   /* R_AMDGPU_* */
    uint64_t addend;
};

struct gcn_segment {
    unsigned type;
    uint64_t offset, size;
};

/* Little-endian numbers, wherever they lie. */
uint32_t gcn_read32(const unsigned char *at);

/* True when the bytes begin as an ELF file does. */
bool gcn_elf_is(const unsigned char *bytes, size_t size);

/* STATUS_FAILED when the header or a table reaches beyond the end. */
enum status gcn_elf_open(const unsigned char *bytes, size_t size, struct gcn_elf *elf, struct error *error);

/* The section of that number, which is below section_count. STATUS_FAILED when its bytes reach beyond the
 * end. An empty one has none, wherever its header puts it, and gets offset 0; one of type SHT_NULL is empty
 * whatever size its header has. SHT_NOBITS has a size and no bytes: look at the type before reading. */
enum status gcn_elf_section(const struct gcn_elf *elf, unsigned number, struct gcn_section *section,
                            struct error *error);

/* How many symbols a table has that gcn_elf_section gave; and one of them. */
size_t gcn_elf_symbol_count(const struct gcn_elf *elf, const struct gcn_section *table);
void gcn_elf_symbol(const struct gcn_elf *elf, const struct gcn_section *table, size_t number,
                    struct gcn_symbol *symbol);

/* One relocation of an SHT_RELA section of a 64-bit file; there are its size / sizeof(Elf64_Rela) of them. */
struct gcn_relocation gcn_elf_relocation(const struct gcn_elf *elf, const struct gcn_section *table,
                                         size_t number);

/* The segment of that number, which is below segment_count; its bytes may reach beyond the end. */
struct gcn_segment gcn_elf_segment(const struct gcn_elf *elf, unsigned number);

#endif
