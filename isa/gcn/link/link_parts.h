/* Shared by the linker's files: the parts of a code object, and which parts of the object go into each. */
#ifndef ISA_GCN_LINK_LINK_PARTS_H
#define ISA_GCN_LINK_LINK_PARTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/gcn/binary/elf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sections of a code object in order; a section's number is its part plus one. */
enum part {
    PART_NOTE,
    PART_DYNSYM,
    PART_GNU_HASH,
    PART_HASH,
    PART_DYNSTR,
    PART_RODATA,
    PART_TEXT,
    PART_DYNAMIC,
    PART_RELRO, /* the rest of .dynamic's page; has no bytes */
    PART_SYMTAB,
    PART_SHSTRTAB,
    PART_STRTAB,
    PART_COUNT,
    PART_NONE = PART_COUNT,
};

struct link_part {
    struct buffer bytes;
    uint64_t alignment;
    uint64_t address, offset, size; /* valid after link_place; in bytes */
};

/* The place of an input section. */
struct link_place {
    enum part part;
    uint64_t offset; /* in the part */
};

/* A symbol of the code object. */
struct link_symbol {
    const char *name; /* points into the object */
    enum part part;   /* PART_NONE: an absolute number */
    uint64_t value;   /* within its part */
    uint64_t size;
    unsigned type, binding, visibility;
    uint32_t text;   /* of its name in .dynstr */
    uint32_t bucket; /* of .gnu.hash */
};

/* All zeros is empty. Free it with link_free. */
struct linker {
    struct gcn_elf elf;
    struct gcn_section table;  /* the object's symbols; all zeros before link_take_symbols */
    struct link_place *places; /* [elf.section_count] */
    struct link_part parts[PART_COUNT];
    struct link_symbol *symbols; /* of .symtab, local ones first, without the empty first entry */
    size_t count, locals;
    struct link_symbol *exports; /* of .dynsym, in .gnu.hash order, without the empty first entry */
    size_t export_count;
};

enum { LINK_PAGE = 0x1000, LINK_SEGMENTS = 8 };

void link_free(struct linker *link);

/* Puts the object's loaded sections into their parts. STATUS_FAILED if a section fits in none. */
enum status link_take_sections(struct linker *link, struct error *error);

/* Reads the object's symbols, and fills all tables of names and hashes. */
enum status link_take_symbols(struct linker *link, struct error *error);

/* The symbol with that number in the object's only symbol table; false if there is no such table or number.
 */
bool link_symbol_at(const struct linker *link, size_t number, struct gcn_symbol *symbol);

/* Writes or rewrites .symtab, .dynsym and .dynamic with the parts' current addresses. */
void link_write_tables(struct linker *link);

/* Sets each part's address, offset and size. */
void link_place(struct linker *link);

/* Applies the object's relocations to the parts' bytes. */
enum status link_relocate(struct linker *link, struct error *error);

/* Appends the file. */
void link_write(const struct linker *link, struct buffer *file);

#endif
