#include "isa/gcn/link/link_parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The part that a loaded section belongs to, by its type and flags. */
static enum part part_of(const struct gcn_section *section)
{
    uint64_t access = section->flags & (SHF_WRITE | SHF_EXECINSTR);
    if (section->type == SHT_NOTE && access == 0)
        return PART_NOTE;
    if (section->type != SHT_PROGBITS || (section->flags & (SHF_TLS | SHF_COMPRESSED)) != 0)
        return PART_NONE;
    return access == 0 ? PART_RODATA : access == SHF_EXECINSTR ? PART_TEXT : PART_NONE;
}

static enum status refuse_section(const struct gcn_section *section, struct error *error)
{
    error_set(error, STATUS_FAILED,
              "section '%.100s' (type %u, flags 0x%llx, %llu bytes) has no place in a code object of kernels",
              section->name, section->type, (unsigned long long)section->flags,
              (unsigned long long)section->size);
    error_hint(error, "code goes to .text, constants go to .rodata; what is written goes to buffers");
    return STATUS_FAILED;
}

static enum status take_section(struct linker *link, const struct gcn_section *section,
                                struct link_place *place, struct error *error)
{
    uint64_t alignment = section->alignment == 0 ? 1 : section->alignment;
    enum part number = part_of(section);
    if (number == PART_NONE)
        return refuse_section(section, error);
    if ((alignment & (alignment - 1)) != 0 || alignment > LINK_PAGE)
        return error_set(error, STATUS_FAILED,
                         "section '%.100s' is aligned to %llu bytes, not to a power of two up to %d",
                         section->name, (unsigned long long)alignment, LINK_PAGE);
    struct link_part *part = &link->parts[number];
    part->alignment = alignment > part->alignment ? alignment : part->alignment;
    buffer_align(&part->bytes, (size_t)alignment);
    *place = (struct link_place){number, part->bytes.size};
    buffer_append(&part->bytes, link->elf.bytes + section->offset, (size_t)section->size);
    return STATUS_OK;
}

enum status link_take_sections(struct linker *link, struct error *error)
{
    size_t taken = 0;
    enum status status = STATUS_OK;
    link->places = calloc(link->elf.section_count + 1, sizeof *link->places);
    if (link->places == NULL)
        abort();
    for (unsigned i = 0; status == STATUS_OK && i < link->elf.section_count; i++) {
        struct gcn_section section;
        link->places[i].part = PART_NONE;
        status = gcn_elf_section(&link->elf, i, &section, error);
        if (status != STATUS_OK || (section.flags & SHF_ALLOC) == 0 || section.size == 0)
            continue;
        if (section.type != SHT_NOBITS)
            taken += (size_t)section.size;
        bool over_header = section.type != SHT_NOBITS && section.offset < sizeof(Elf64_Ehdr);
        if (taken > link->elf.size || over_header) /* many of the same bytes would fill the memory */
            return error_set(error, STATUS_FAILED, "damaged ELF file: section '%.100s' overlaps with others",
                             section.name);
        status = take_section(link, &section, &link->places[i], error);
    }
    return status;
}

/* How a place is changed: S + A where the symbol is a number, S + A - P where it lies in the code object.
 * LLVM's "User Guide for AMDGPU Backend", relocation records. */
static const struct relocation {
    const char *name;
    uint32_t type;
    bool relative;
    unsigned shift, bytes;
} relocations[] = {
    {"R_AMDGPU_ABS32_LO", 1, false, 0, 4}, {"R_AMDGPU_ABS32_HI", 2, false, 32, 4},
    {"R_AMDGPU_ABS64", 3, false, 0, 8},    {"R_AMDGPU_REL32", 4, true, 0, 4},
    {"R_AMDGPU_REL64", 5, true, 0, 8},     {"R_AMDGPU_ABS32", 6, false, 0, 4},
    {"R_AMDGPU_REL32_LO", 10, true, 0, 4}, {"R_AMDGPU_REL32_HI", 11, true, 32, 4},
    {"R_AMDGPU_REL16", 14, true, 0, 2},
};
enum { RELOCATION_NONE = 0, RELOCATION_REL16 = 14 };

static const struct relocation *find_relocation(uint32_t type)
{
    for (size_t i = 0; i < sizeof relocations / sizeof relocations[0]; i++)
        if (relocations[i].type == type)
            return &relocations[i];
    return NULL;
}

static enum status refuse_symbol(const struct relocation *kind, const struct gcn_symbol *symbol,
                                 struct error *error)
{
    bool undefined = symbol->section == SHN_UNDEF;
    error_set(error, STATUS_FAILED, "%s of '%.100s', which %s", kind->name, symbol->name,
              undefined        ? "is defined nowhere"
              : kind->relative ? "does not lie in the code object"
                               : "has no address before it is loaded");
    if (!undefined && !kind->relative)
        error_hint(error, "code reaches it from where it is: s_getpc_b64, then @rel32@lo+4 and @rel32@hi+12");
    return STATUS_FAILED;
}

/* Branches count in words from the one behind them. */
static enum status branch(uint64_t *value, const struct gcn_symbol *symbol, struct error *error)
{
    int64_t words = ((int64_t)*value - 4) / 4;
    if (words < INT16_MIN || words > INT16_MAX)
        return error_set(error, STATUS_FAILED, "a branch to '%.100s' would go %lld words, more than %d",
                         symbol->name, (long long)words, INT16_MAX);
    *value = (uint64_t)words;
    return STATUS_OK;
}

/* Applies one to an input section of that size, which lies at that place. */
static enum status apply(struct linker *link, const struct gcn_relocation *change,
                         const struct link_place *place, uint64_t size, struct error *error)
{
    const struct relocation *kind = find_relocation(change->type);
    struct gcn_symbol symbol;
    if (change->type == RELOCATION_NONE)
        return STATUS_OK;
    if (kind == NULL)
        return error_set(error, STATUS_FAILED,
                         "relocation of type %u at 0x%llx: kernels that need no other code have none such",
                         change->type, (unsigned long long)change->offset);
    if (change->offset > size || size - change->offset < kind->bytes ||
        !link_symbol_at(link, change->symbol, &symbol))
        return error_set(
            error, STATUS_FAILED, "damaged ELF file: %s of symbol %u at 0x%llx of a section of 0x%llx bytes",
            kind->name, change->symbol, (unsigned long long)change->offset, (unsigned long long)size);
    const struct link_place *to =
        symbol.section < link->elf.section_count ? &link->places[symbol.section] : NULL;
    bool inside = to != NULL && to->part != PART_NONE;
    if (kind->relative ? !inside : symbol.section != SHN_ABS)
        return refuse_symbol(kind, &symbol, error);
    struct link_part *part = &link->parts[place->part];
    uint64_t value = symbol.value + change->addend;
    if (kind->relative)
        value += link->parts[to->part].address + to->offset - part->address - place->offset - change->offset;
    enum status status = change->type == RELOCATION_REL16 ? branch(&value, &symbol, error) : STATUS_OK;
    char *at = part->bytes.data + place->offset + change->offset;
    value >>= kind->shift;
    for (unsigned i = 0; i < kind->bytes; i++)
        at[i] = (char)(value >> (8 * i));
    return status;
}

static enum status apply_all(struct linker *link, const struct gcn_section *table, struct error *error)
{
    struct gcn_section section;
    if (table->info >= link->elf.section_count || link->places[table->info].part == PART_NONE)
        return STATUS_OK; /* of what is not loaded */
    const struct link_place *place = &link->places[table->info];
    enum status status = gcn_elf_section(&link->elf, table->info, &section, error);
    for (size_t i = 0; status == STATUS_OK && i < table->size / sizeof(Elf64_Rela); i++) {
        struct gcn_relocation change = gcn_elf_relocation(&link->elf, table, i);
        status = place->part == PART_NOTE
                     ? error_set(error, STATUS_FAILED, "a note has relocations: it is to be plain bytes")
                     : apply(link, &change, place, section.size, error);
        if (status != STATUS_OK)
            error_prefix(error, "section '%.60s'", section.name);
    }
    return status;
}

enum status link_relocate(struct linker *link, struct error *error)
{
    enum status status = STATUS_OK;
    size_t work = link->elf.size; /* so that many tables at the same place do not take forever */
    for (unsigned i = 0; status == STATUS_OK && i < link->elf.section_count; i++) {
        struct gcn_section table;
        status = gcn_elf_section(&link->elf, i, &table, error);
        if (status != STATUS_OK || (table.type != SHT_RELA && table.type != SHT_REL))
            continue;
        if (table.type == SHT_REL || table.size > work)
            return error_set(error, STATUS_FAILED,
                             "damaged ELF file: relocations without addends, or tables of them that overlap");
        work -= (size_t)table.size;
        status = apply_all(link, &table, error);
    }
    return status;
}
