#include "isa/gcn/binary/elf.h"

#include <elf.h>
#include <string.h>

static uint64_t number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

uint32_t gcn_read32(const unsigned char *at)
{
    return (uint32_t)number(at, 4);
}

/* The field of a structure that has a 32-bit and a 64-bit form. */
#define FIELD(elf, at, form, field)                                                                          \
    ((elf)->is_64 ? number((at) + offsetof(Elf64_##form, field), sizeof((Elf64_##form *)0)->field)           \
                  : number((at) + offsetof(Elf32_##form, field), sizeof((Elf32_##form *)0)->field))
#define SIZE(elf, form) ((elf)->is_64 ? sizeof(Elf64_##form) : sizeof(Elf32_##form))

static bool inside(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

bool gcn_elf_is(const unsigned char *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static enum status check_tables(const struct gcn_elf *elf, struct error *error)
{
    if (elf->section_count > 0 &&
        (elf->section_size < SIZE(elf, Shdr) ||
         !inside(elf->sections, (uint64_t)elf->section_count * elf->section_size, elf->size)))
        return error_set(
            error, STATUS_FAILED,
            "damaged ELF file: its table of %u sections at offset 0x%llx does not lie within its "
            "%zu bytes",
            elf->section_count, (unsigned long long)elf->sections, elf->size);
    if (elf->segment_count > 0 &&
        (elf->segment_size < SIZE(elf, Phdr) ||
         !inside(elf->segments, (uint64_t)elf->segment_count * elf->segment_size, elf->size)))
        return error_set(
            error, STATUS_FAILED,
            "damaged ELF file: its table of %u segments at offset 0x%llx does not lie within its "
            "%zu bytes",
            elf->segment_count, (unsigned long long)elf->segments, elf->size);
    return STATUS_OK;
}

enum status gcn_elf_open(const unsigned char *bytes, size_t size, struct gcn_elf *elf, struct error *error)
{
    if (!gcn_elf_is(bytes, size))
        return error_set(error, STATUS_FAILED, "not an ELF file (%zu bytes)", size);
    *elf = (struct gcn_elf){.bytes = bytes, .size = size};
    if (size <= EI_DATA || (bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64))
        return error_set(error, STATUS_FAILED, "damaged ELF file: it is neither 32-bit nor 64-bit");
    elf->is_64 = bytes[EI_CLASS] == ELFCLASS64;
    if (bytes[EI_DATA] != ELFDATA2LSB)
        return error_set(error, STATUS_FAILED, "the ELF file is not little-endian, as AMD's binaries are");
    if (size < SIZE(elf, Ehdr))
        return error_set(error, STATUS_FAILED, "damaged ELF file: it ends within its header (%zu bytes)",
                         size);
    elf->type = (unsigned)FIELD(elf, bytes, Ehdr, e_type);
    elf->machine = (unsigned)FIELD(elf, bytes, Ehdr, e_machine);
    elf->flags = (unsigned)FIELD(elf, bytes, Ehdr, e_flags);
    elf->sections = FIELD(elf, bytes, Ehdr, e_shoff);
    elf->section_size = (unsigned)FIELD(elf, bytes, Ehdr, e_shentsize);
    elf->section_count = (unsigned)FIELD(elf, bytes, Ehdr, e_shnum);
    elf->names = (unsigned)FIELD(elf, bytes, Ehdr, e_shstrndx);
    elf->segments = FIELD(elf, bytes, Ehdr, e_phoff);
    elf->segment_size = (unsigned)FIELD(elf, bytes, Ehdr, e_phentsize);
    elf->segment_count = (unsigned)FIELD(elf, bytes, Ehdr, e_phnum);
    return check_tables(elf, error);
}

static void read_section(const struct gcn_elf *elf, unsigned at, struct gcn_section *section)
{
    const unsigned char *header = elf->bytes + elf->sections + (uint64_t)at * elf->section_size;
    *section = (struct gcn_section){.name = "",
                                    .type = (unsigned)FIELD(elf, header, Shdr, sh_type),
                                    .flags = FIELD(elf, header, Shdr, sh_flags),
                                    .address = FIELD(elf, header, Shdr, sh_addr),
                                    .offset = FIELD(elf, header, Shdr, sh_offset),
                                    .size = FIELD(elf, header, Shdr, sh_size),
                                    .entry_size = FIELD(elf, header, Shdr, sh_entsize),
                                    .alignment = FIELD(elf, header, Shdr, sh_addralign),
                                    .link = (unsigned)FIELD(elf, header, Shdr, sh_link),
                                    .info = (unsigned)FIELD(elf, header, Shdr, sh_info)};
}

/* Longer names count as missing, so that a damaged file cannot make each search for a name's end slow. */
enum { NAME_MOST = 4096 };

/* The text at that offset of the string table; "" if there is none. */
static const char *string(const struct gcn_elf *elf, unsigned table, uint64_t at)
{
    struct gcn_section strings;
    if (table >= elf->section_count)
        return "";
    read_section(elf, table, &strings);
    if (strings.type == SHT_NOBITS || !inside(strings.offset, strings.size, elf->size) || at >= strings.size)
        return "";
    const char *text = (const char *)elf->bytes + strings.offset + at;
    size_t most = strings.size - at < NAME_MOST ? (size_t)(strings.size - at) : NAME_MOST;
    return memchr(text, '\0', most) == NULL ? "" : text;
}

enum status gcn_elf_section(const struct gcn_elf *elf, unsigned at, struct gcn_section *section,
                            struct error *error)
{
    const unsigned char *header = elf->bytes + elf->sections + (uint64_t)at * elf->section_size;
    read_section(elf, at, section);
    section->name = string(elf, elf->names, FIELD(elf, header, Shdr, sh_name));
    if (section->type == SHT_NULL)
        section->size = 0;
    if (section->size == 0)
        section->offset = 0;
    if (section->type != SHT_NOBITS && !inside(section->offset, section->size, elf->size))
        return error_set(
            error, STATUS_FAILED,
            "damaged ELF file: section %u (0x%llx bytes at offset 0x%llx) does not lie within its "
            "%zu bytes",
            at, (unsigned long long)section->size, (unsigned long long)section->offset, elf->size);
    return STATUS_OK;
}

size_t gcn_elf_symbol_count(const struct gcn_elf *elf, const struct gcn_section *table)
{
    return (size_t)table->size / SIZE(elf, Sym);
}

void gcn_elf_symbol(const struct gcn_elf *elf, const struct gcn_section *table, size_t at,
                    struct gcn_symbol *symbol)
{
    const unsigned char *entry = elf->bytes + table->offset + at * SIZE(elf, Sym);
    *symbol = (struct gcn_symbol){.name = string(elf, table->link, FIELD(elf, entry, Sym, st_name)),
                                  .value = FIELD(elf, entry, Sym, st_value),
                                  .size = FIELD(elf, entry, Sym, st_size),
                                  .type = (unsigned)FIELD(elf, entry, Sym, st_info) & 0xf,
                                  .section = (unsigned)FIELD(elf, entry, Sym, st_shndx),
                                  .binding = (unsigned)FIELD(elf, entry, Sym, st_info) >> 4,
                                  .visibility = (unsigned)FIELD(elf, entry, Sym, st_other) & 0x3};
}

struct gcn_relocation gcn_elf_relocation(const struct gcn_elf *elf, const struct gcn_section *table,
                                         size_t at)
{
    const unsigned char *entry = elf->bytes + table->offset + at * sizeof(Elf64_Rela);
    uint64_t info = FIELD(elf, entry, Rela, r_info);
    return (struct gcn_relocation){.offset = FIELD(elf, entry, Rela, r_offset),
                                   .symbol = (uint32_t)ELF64_R_SYM(info),
                                   .type = (uint32_t)ELF64_R_TYPE(info),
                                   .addend = FIELD(elf, entry, Rela, r_addend)};
}

struct gcn_segment gcn_elf_segment(const struct gcn_elf *elf, unsigned at)
{
    const unsigned char *header = elf->bytes + elf->segments + (uint64_t)at * elf->segment_size;
    return (struct gcn_segment){.type = (unsigned)FIELD(elf, header, Phdr, p_type),
                                .offset = FIELD(elf, header, Phdr, p_offset),
                                .size = FIELD(elf, header, Phdr, p_filesz)};
}
