#include "isa/gcn/link/link.h"

#include "base/memory.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/link/metadata.h"
#include "isa/gcn/target.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

enum {
    OSABI_HSA = 64,        /* ELFOSABI_AMDGPU_HSA */
    DESCRIPTOR_BYTES = 64, /* of a kernel; the offset of its code from it is at byte 16 */
    DESCRIPTOR_ENTRY = 16,
    CODE_ALIGNMENT = 256, /* the processor receives the address without its last eight bits */
};

static void link_free(struct linker *link)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        buffer_free(&link->parts[i].bytes);
    free(link->places);
    free(link->symbols);
    free(link->exports);
    *link = (struct linker){0};
}

/* ---- sections of the object ---- */

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
    error_hint(error, "put code in .text and constants in .rodata; writable data belongs in buffers");
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

/* Puts the object's loaded sections into their parts. STATUS_FAILED if a section fits in none. */
static enum status link_take_sections(struct linker *link, struct error *error)
{
    size_t taken = 0;
    enum status status = STATUS_OK;
    link->places = memory_zeroed(link->elf.section_count, sizeof *link->places);
    for (unsigned i = 0; status == STATUS_OK && i < link->elf.section_count; i++) {
        struct gcn_section section;
        link->places[i].part = PART_NONE;
        status = gcn_elf_section(&link->elf, i, &section, error);
        if (status != STATUS_OK || (section.flags & SHF_ALLOC) == 0 || section.size == 0)
            continue;
        if (section.type != SHT_NOBITS)
            taken += (size_t)section.size;
        bool over_header = section.type != SHT_NOBITS && section.offset < sizeof(Elf64_Ehdr);
        if (taken > link->elf.size || over_header) /* overlapping sections could exhaust memory */
            return error_set(error, STATUS_FAILED, "damaged ELF file: section '%.100s' overlaps with others",
                             section.name);
        status = take_section(link, &section, &link->places[i], error);
    }
    return status;
}

/* ---- symbols, and the tables of names and hashes ---- */

/* .gnu.hash: a filter with that many bits per symbol, in words of 64 bits; the second bit comes from the
 * hash's upper bits. */
enum { FILTER_BITS = 12, WORD_BITS = 64, FILTER_SHIFT = 26, SYMBOLS_PER_BUCKET = 4 };

static bool find_table(const struct linker *link, struct gcn_section *table)
{
    struct error none;
    for (unsigned i = 0; i < link->elf.section_count; i++)
        if (gcn_elf_section(&link->elf, i, table, &none) == STATUS_OK && table->type == SHT_SYMTAB)
            return true;
    return false;
}

/* The symbol with that number in the object's only symbol table; false if there is no such table or number.
 */
static bool link_symbol_at(const struct linker *link, size_t number, struct gcn_symbol *symbol)
{
    const struct gcn_section *table = &link->table;
    if (number >= gcn_elf_symbol_count(&link->elf, table))
        return false;
    gcn_elf_symbol(&link->elf, table, number, symbol);
    return true;
}

static bool is_local(const struct link_symbol *symbol)
{
    return symbol->binding == STB_LOCAL;
}

/* *wanted becomes false for symbols of sections that are not kept. */
static enum status convert(const struct linker *link, const struct gcn_symbol *from, struct link_symbol *to,
                           bool *wanted, struct error *error)
{
    bool hidden = from->visibility == STV_HIDDEN || from->visibility == STV_INTERNAL;
    *to = (struct link_symbol){.name = from->name,
                               .part = PART_NONE,
                               .value = from->value,
                               .size = from->size,
                               .type = from->type,
                               .binding = hidden ? STB_LOCAL : from->binding,
                               .visibility = from->visibility};
    /* An undefined symbol is reported when a relocation needs it: debugging information may name others. */
    *wanted = from->type != STT_SECTION && from->name[0] != '\0' && from->section != SHN_UNDEF;
    if (!*wanted || from->section == SHN_ABS)
        return STATUS_OK;
    if (from->section >= link->elf.section_count)
        return error_set(error, STATUS_FAILED, "'%.100s' is in no section (number 0x%x of %u)", from->name,
                         from->section, link->elf.section_count);
    const struct link_place *place = &link->places[from->section];
    *wanted = place->part != PART_NONE;
    if (!*wanted)
        return STATUS_OK;
    uint64_t room = link->parts[place->part].bytes.size - place->offset;
    if (from->value > room || from->size > room - from->value)
        return error_set(
            error, STATUS_FAILED,
            "damaged ELF file: '%.100s' (0x%llx bytes at 0x%llx) does not lie within its section", from->name,
            (unsigned long long)from->size, (unsigned long long)from->value);
    to->part = place->part;
    to->value += place->offset;
    return STATUS_OK;
}

/* The symbol of .dynamic, after the local ones. */
static const struct link_symbol DYNAMIC = {
    .name = "_DYNAMIC", .part = PART_DYNAMIC, .binding = STB_LOCAL, .visibility = STV_HIDDEN};

/* Adds the local symbols, or the others, in the object's order; hidden ones follow the other local ones. */
static enum status collect(struct linker *link, unsigned pass, struct error *error)
{
    size_t text = 0;
    struct gcn_symbol from;
    for (size_t i = 1; link_symbol_at(link, i, &from); i++) {
        struct link_symbol symbol;
        bool wanted;
        enum status status = convert(link, &from, &symbol, &wanted, error);
        if (status != STATUS_OK)
            return status;
        unsigned own = !is_local(&symbol) ? 2 : from.binding != STB_LOCAL;
        if (!wanted || own != pass)
            continue;
        text += strlen(symbol.name) + 1;
        if (text > 16 * link->elf.size) /* many symbols with one long name could exhaust memory */
            return error_set(error, STATUS_FAILED, "damaged ELF file: its names overlap");
        link->symbols[link->count++] = symbol;
    }
    return STATUS_OK;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
    }
    return hash;
}

static int by_bucket(const void *left, const void *right)
{
    const struct link_symbol *a = left;
    const struct link_symbol *b = right;
    if (a->bucket != b->bucket)
        return a->bucket < b->bucket ? -1 : 1;
    return a->text < b->text ? -1 : a->text > b->text;
}

static void put32(struct buffer *bytes, size_t at, uint32_t value)
{
    memcpy(bytes->data + at, &value, sizeof value);
}

static void append32(struct buffer *bytes, uint32_t value)
{
    buffer_append(bytes, &value, sizeof value);
}

static size_t bucket_count(const struct linker *link)
{
    size_t count = link->export_count / SYMBOLS_PER_BUCKET;
    return count == 0 ? 1 : count;
}

/* Names the exported symbols and sorts them in the order that .gnu.hash requires. */
static void export_symbols(struct linker *link)
{
    struct buffer *names = &link->parts[PART_DYNSTR].bytes;
    link->export_count = link->count - link->locals;
    buffer_append(names, "", 1);
    for (size_t i = 0; i < link->export_count; i++) {
        struct link_symbol *symbol = &link->exports[i];
        *symbol = link->symbols[link->locals + i];
        symbol->text = (uint32_t)names->size;
        symbol->bucket = (uint32_t)(gnu_hash(symbol->name) % bucket_count(link));
        buffer_append(names, symbol->name, strlen(symbol->name) + 1);
    }
    if (link->export_count > 0)
        qsort(link->exports, link->export_count, sizeof *link->exports, by_bucket);
}

static void fill_gnu_hash(struct linker *link)
{
    struct buffer *bytes = &link->parts[PART_GNU_HASH].bytes;
    size_t buckets = bucket_count(link);
    size_t words = 1;
    while (link->export_count > 0 && words <= link->export_count * FILTER_BITS / WORD_BITS)
        words *= 2;
    uint32_t heads[] = {(uint32_t)buckets, 1, (uint32_t)words, FILTER_SHIFT};
    buffer_append(bytes, heads, sizeof heads);
    size_t filter = bytes->size;
    buffer_fill(bytes, '\0', words * WORD_BITS / 8 + buckets * 4);
    size_t first = filter + words * WORD_BITS / 8;
    for (size_t i = 0; i < link->export_count; i++) {
        const struct link_symbol *symbol = &link->exports[i];
        uint32_t hash = gnu_hash(symbol->name);
        char *word = bytes->data + filter + (hash / WORD_BITS & (words - 1)) * (WORD_BITS / 8);
        unsigned bits[] = {hash % WORD_BITS, (hash >> FILTER_SHIFT) % WORD_BITS};
        for (unsigned k = 0; k < 2; k++)
            word[bits[k] / 8] = (char)(word[bits[k] / 8] | 1 << bits[k] % 8);
        bool starts = i == 0 || symbol[-1].bucket != symbol->bucket;
        bool ends = i + 1 == link->export_count || symbol[1].bucket != symbol->bucket;
        if (starts)
            put32(bytes, first + symbol->bucket * (size_t)4, (uint32_t)i + 1);
        append32(bytes, (hash & ~UINT32_C(1)) | ends);
    }
}

static void fill_hash(struct linker *link)
{
    struct buffer *bytes = &link->parts[PART_HASH].bytes;
    uint32_t count = (uint32_t)link->export_count + 1;
    append32(bytes, count);
    append32(bytes, count);
    buffer_fill(bytes, '\0', (size_t)count * 8);
    for (uint32_t i = 1; i < count; i++) {
        size_t bucket = 8 + (size_t)(sysv_hash(link->exports[i - 1].name) % count) * 4;
        uint32_t before;
        memcpy(&before, bytes->data + bucket, sizeof before);
        put32(bytes, 8 + ((size_t)count + i) * 4, before);
        put32(bytes, bucket, i);
    }
}

/* Reads the object's symbols, and fills all tables of names and hashes. */
static enum status link_take_symbols(struct linker *link, struct error *error)
{
    if (!find_table(link, &link->table))
        return error_set(error, STATUS_FAILED, "the object has no symbols");
    size_t room = gcn_elf_symbol_count(&link->elf, &link->table) + 1;
    link->symbols = memory_zeroed(room, sizeof *link->symbols);
    link->exports = memory_zeroed(room, sizeof *link->exports);
    enum status status = STATUS_OK;
    for (unsigned pass = 0; status == STATUS_OK && pass < 3; pass++) {
        if (pass == 2) {
            link->symbols[link->count++] = DYNAMIC;
            link->locals = link->count;
        }
        status = collect(link, pass, error);
    }
    if (status != STATUS_OK)
        return status;
    struct buffer *names = &link->parts[PART_STRTAB].bytes;
    buffer_append(names, "", 1);
    for (size_t i = 0; i < link->count; i++)
        buffer_append(names, link->symbols[i].name, strlen(link->symbols[i].name) + 1);
    export_symbols(link);
    fill_gnu_hash(link);
    fill_hash(link);
    return STATUS_OK;
}

static void write_symbol(const struct linker *link, const struct link_symbol *from, size_t name,
                         struct buffer *table)
{
    Elf64_Sym symbol = {.st_name = (Elf64_Word)name,
                        .st_info = (unsigned char)ELF64_ST_INFO(from->binding, from->type),
                        .st_other = (unsigned char)from->visibility,
                        .st_shndx = SHN_ABS,
                        .st_value = from->value,
                        .st_size = from->size};
    if (from->part != PART_NONE) {
        symbol.st_shndx = (Elf64_Section)(from->part + 1);
        symbol.st_value += link->parts[from->part].address;
    }
    buffer_append(table, &symbol, sizeof symbol);
}

/* Writes or rewrites .symtab, .dynsym and .dynamic with the parts' current addresses. */
static void link_write_tables(struct linker *link)
{
    struct buffer *symbols = &link->parts[PART_SYMTAB].bytes;
    struct buffer *exports = &link->parts[PART_DYNSYM].bytes;
    struct buffer *dynamic = &link->parts[PART_DYNAMIC].bytes;
    const Elf64_Sym none = {0};
    size_t name = 1;
    symbols->size = exports->size = dynamic->size = 0;
    buffer_append(symbols, &none, sizeof none);
    buffer_append(exports, &none, sizeof none);
    for (size_t i = 0; i < link->count; i++) {
        write_symbol(link, &link->symbols[i], name, symbols);
        name += strlen(link->symbols[i].name) + 1;
    }
    for (size_t i = 0; i < link->export_count; i++)
        write_symbol(link, &link->exports[i], link->exports[i].text, exports);
    const Elf64_Dyn entries[] = {{DT_SYMTAB, {link->parts[PART_DYNSYM].address}},
                                 {DT_SYMENT, {sizeof(Elf64_Sym)}},
                                 {DT_STRTAB, {link->parts[PART_DYNSTR].address}},
                                 {DT_STRSZ, {link->parts[PART_DYNSTR].bytes.size}},
                                 {DT_GNU_HASH, {link->parts[PART_GNU_HASH].address}},
                                 {DT_HASH, {link->parts[PART_HASH].address}},
                                 {DT_NULL, {0}}};
    buffer_append(dynamic, entries, sizeof entries);
}

/* ---- layout, and the file ---- */

/* Each part's entry in the section table; link is a part. */
static const struct section_form {
    const char *name;
    unsigned type;
    uint64_t flags;
    enum part link;
    unsigned entry;
    unsigned alignment; /* at least */
} forms[PART_COUNT] = {
    [PART_NOTE] = {".note", SHT_NOTE, SHF_ALLOC, PART_NONE, 0, 4},
    [PART_DYNSYM] = {".dynsym", SHT_DYNSYM, SHF_ALLOC, PART_DYNSTR, sizeof(Elf64_Sym), 8},
    [PART_GNU_HASH] = {".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, PART_DYNSYM, 0, 8},
    [PART_HASH] = {".hash", SHT_HASH, SHF_ALLOC, PART_DYNSYM, 4, 4},
    [PART_DYNSTR] = {".dynstr", SHT_STRTAB, SHF_ALLOC, PART_NONE, 0, 1},
    [PART_RODATA] = {".rodata", SHT_PROGBITS, SHF_ALLOC, PART_NONE, 0, 1},
    [PART_TEXT] = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PART_NONE, 0, 1},
    [PART_DYNAMIC] = {".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, PART_DYNSTR, sizeof(Elf64_Dyn), 8},
    [PART_RELRO] = {".relro_padding", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, PART_NONE, 0, 1},
    [PART_SYMTAB] = {".symtab", SHT_SYMTAB, 0, PART_STRTAB, sizeof(Elf64_Sym), 8},
    [PART_SHSTRTAB] = {".shstrtab", SHT_STRTAB, 0, PART_NONE, 0, 1},
    [PART_STRTAB] = {".strtab", SHT_STRTAB, 0, PART_NONE, 0, 1},
};

static uint64_t align(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

/* Appends the names of the sections, an empty one first. */
static void name_parts(struct buffer *names)
{
    buffer_append(names, "", 1);
    for (unsigned i = 0; i < PART_COUNT; i++)
        buffer_append(names, forms[i].name, strlen(forms[i].name) + 1);
}

/* Parts with other access rights begin on a new page, at the same offset within it as in the file, so that no
 * bytes are needed for padding. */
static void link_place(struct linker *link)
{
    uint64_t address = sizeof(Elf64_Ehdr) + LINK_SEGMENTS * sizeof(Elf64_Phdr);
    uint64_t ahead = 0; /* address minus file offset */
    name_parts(&link->parts[PART_SHSTRTAB].bytes);
    for (unsigned i = 0; i < PART_COUNT; i++) {
        struct link_part *part = &link->parts[i];
        bool loaded = (forms[i].flags & SHF_ALLOC) != 0;
        if (part->alignment < forms[i].alignment)
            part->alignment = forms[i].alignment;
        if ((i == PART_TEXT || i == PART_DYNAMIC) && address % LINK_PAGE != 0) {
            address += LINK_PAGE;
            ahead += LINK_PAGE;
        }
        address = align(address, part->alignment);
        part->size = i == PART_RELRO ? align(address, LINK_PAGE) - address : part->bytes.size;
        part->address = loaded ? address : 0;
        part->offset = address - ahead;
        address += i == PART_RELRO ? 0 : part->size;
    }
}

/* Adds the segment from the first part to the last. */
static void add_segment(const struct linker *link, struct buffer *file, unsigned type, unsigned flags,
                        enum part first, enum part last, uint64_t alignment)
{
    const struct link_part *from = &link->parts[first];
    const struct link_part *to = &link->parts[last];
    Elf64_Phdr segment = {.p_type = type,
                          .p_flags = flags,
                          .p_offset = from->offset,
                          .p_vaddr = from->address,
                          .p_paddr = from->address,
                          .p_filesz = to->offset - from->offset + (last == PART_RELRO ? 0 : to->size),
                          .p_memsz = to->address - from->address + to->size,
                          .p_align = alignment};
    buffer_append(file, &segment, sizeof segment);
}

static void write_segments(const struct linker *link, struct buffer *file)
{
    const uint64_t size = LINK_SEGMENTS * sizeof(Elf64_Phdr);
    const struct link_part *last = &link->parts[PART_RODATA];
    const uint64_t loaded = last->offset + last->size;
    const Elf64_Phdr headers = {
        PT_PHDR, PF_R, sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr), size, size, 8};
    const Elf64_Phdr constants = {PT_LOAD, PF_R, 0, 0, 0, loaded, loaded, LINK_PAGE};
    const Elf64_Phdr stack = {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
    buffer_append(file, &headers, sizeof headers);
    buffer_append(file, &constants, sizeof constants);
    add_segment(link, file, PT_LOAD, PF_R | PF_X, PART_TEXT, PART_TEXT, LINK_PAGE);
    add_segment(link, file, PT_LOAD, PF_R | PF_W, PART_DYNAMIC, PART_RELRO, LINK_PAGE);
    add_segment(link, file, PT_DYNAMIC, PF_R | PF_W, PART_DYNAMIC, PART_DYNAMIC, 8);
    add_segment(link, file, PT_GNU_RELRO, PF_R, PART_DYNAMIC, PART_RELRO, 1);
    buffer_append(file, &stack, sizeof stack);
    add_segment(link, file, PT_NOTE, PF_R, PART_NOTE, PART_NOTE, link->parts[PART_NOTE].alignment);
}

static void write_sections(const struct linker *link, struct buffer *file)
{
    const Elf64_Shdr none = {0};
    Elf64_Word name = 1;
    buffer_append(file, &none, sizeof none);
    for (unsigned i = 0; i < PART_COUNT; i++) {
        const struct link_part *part = &link->parts[i];
        const struct section_form *form = &forms[i];
        Elf64_Shdr section = {.sh_name = name,
                              .sh_type = form->type,
                              .sh_flags = form->flags,
                              .sh_addr = part->address,
                              .sh_offset = part->offset,
                              .sh_size = part->size,
                              .sh_link = form->link == PART_NONE ? 0 : form->link + 1,
                              .sh_addralign = part->alignment,
                              .sh_entsize = form->entry};
        if (i == PART_DYNSYM) /* the first that is not local */
            section.sh_info = 1;
        if (i == PART_SYMTAB)
            section.sh_info = (Elf64_Word)link->locals + 1;
        buffer_append(file, &section, sizeof section);
        name += (Elf64_Word)strlen(form->name) + 1;
    }
}

/* Appends the file. */
static void link_write(const struct linker *link, struct buffer *file)
{
    const struct link_part *last = &link->parts[PART_COUNT - 1];
    const size_t start = file->size;
    Elf64_Ehdr header = {.e_type = ET_DYN,
                         .e_machine = EM_AMDGPU,
                         .e_version = EV_CURRENT,
                         .e_phoff = sizeof header,
                         .e_shoff = align(last->offset + last->size, 8),
                         .e_flags = link->elf.flags,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = LINK_SEGMENTS,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = PART_COUNT + 1,
                         .e_shstrndx = PART_SHSTRTAB + 1};
    memcpy(header.e_ident, link->elf.bytes, EI_ABIVERSION + 1);
    buffer_append(file, &header, sizeof header);
    write_segments(link, file);
    for (unsigned i = 0; i < PART_COUNT; i++) {
        const struct link_part *part = &link->parts[i];
        buffer_fill(file, '\0', start + part->offset - file->size);
        buffer_append(file, part->bytes.data, part->bytes.size);
    }
    buffer_fill(file, '\0', start + header.e_shoff - file->size);
    write_sections(link, file);
}

/* ---- relocations ---- */

/* How a location is changed: S + A if the symbol is a number, S + A - P if it lies in the code object. LLVM's
 * "User Guide for AMDGPU Backend", relocation records. */
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
        error_hint(error, "code must compute its address: s_getpc_b64, then @rel32@lo+4 and @rel32@hi+12");
    return STATUS_FAILED;
}

/* Branches count in words from the next instruction. */
static enum status branch(uint64_t *value, const struct gcn_symbol *symbol, struct error *error)
{
    int64_t words = ((int64_t)*value - 4) / 4;
    if (words < INT16_MIN || words > INT16_MAX)
        return error_set(error, STATUS_FAILED, "a branch to '%.100s' would span %lld words, more than %d",
                         symbol->name, (long long)words, INT16_MAX);
    *value = (uint64_t)words;
    return STATUS_OK;
}

/* Applies one relocation to an input section of that size and place. */
static enum status apply(struct linker *link, const struct gcn_relocation *change,
                         const struct link_place *place, uint64_t size, struct error *error)
{
    const struct relocation *kind = find_relocation(change->type);
    struct gcn_symbol symbol;
    if (change->type == RELOCATION_NONE)
        return STATUS_OK;
    if (kind == NULL)
        return error_set(error, STATUS_FAILED,
                         "relocation of type %u at 0x%llx: self-contained kernels have none of this type",
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
        return STATUS_OK; /* in a section that is not loaded */
    const struct link_place *place = &link->places[table->info];
    enum status status = gcn_elf_section(&link->elf, table->info, &section, error);
    for (size_t i = 0; status == STATUS_OK && i < table->size / sizeof(Elf64_Rela); i++) {
        struct gcn_relocation change = gcn_elf_relocation(&link->elf, table, i);
        status = place->part == PART_NOTE
                     ? error_set(error, STATUS_FAILED, "a note has relocations: it must be plain bytes")
                     : apply(link, &change, place, section.size, error);
        if (status != STATUS_OK)
            error_prefix(error, "section '%.60s'", section.name);
    }
    return status;
}

/* Applies the object's relocations to the parts' bytes. */
static enum status link_relocate(struct linker *link, struct error *error)
{
    enum status status = STATUS_OK;
    size_t work = link->elf.size; /* overlapping tables could take forever */
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

/* ---- linking ---- */

static enum status open_object(struct linker *link, const struct buffer *object,
                               const struct gcn_target *target, struct error *error)
{
    enum status status = gcn_elf_open((const unsigned char *)object->data, object->size, &link->elf, error);
    const struct gcn_elf *elf = &link->elf;
    if (status != STATUS_OK)
        return status;
    if (!elf->is_64 || elf->machine != EM_AMDGPU || elf->type != ET_REL)
        return error_set(error, STATUS_FAILED,
                         "not an object to link: ELF with %d bits, machine 0x%x, type %u, expected 64 bits, "
                         "0xe0 (AMD GPUs) and 1 (relocatable)",
                         elf->is_64 ? 64 : 32, elf->machine, elf->type);
    if (elf->bytes[EI_OSABI] != OSABI_HSA) {
        error_set(error, STATUS_FAILED, "the object is for OS/ABI %u, expected amdhsa (%d)",
                  elf->bytes[EI_OSABI], OSABI_HSA);
        error_hint(error, "assemble it for amdgcn-amd-amdhsa");
        return STATUS_FAILED;
    }
    const struct gcn_target *found = gcn_target_of(GCN_CODE_MACH, elf->flags);
    if (found != target)
        return error_set(error, STATUS_FAILED, "the object is for %s, not for %s",
                         found == NULL ? "an unknown processor" : found->name, target->name);
    return STATUS_OK;
}

/* The symbol of .symtab with that name, or NULL. */
static const struct link_symbol *find(const struct linker *link, const char *name, size_t length)
{
    for (size_t i = 0; i < link->export_count; i++)
        if (strlen(link->exports[i].name) == length && memcmp(link->exports[i].name, name, length) == 0)
            return &link->exports[i];
    return NULL;
}

/* The metadata's kernel must have a descriptor of the given name that points to code. */
static enum status check_kernel(const char *name, int length, void *context, struct error *error)
{
    struct linker *link = context;
    const struct link_part *rodata = &link->parts[PART_RODATA];
    const struct link_part *text = &link->parts[PART_TEXT];
    const struct link_symbol *symbol = find(link, name, (size_t)length);
    if (symbol == NULL || symbol->part != PART_RODATA || symbol->value > rodata->size ||
        rodata->size - symbol->value < DESCRIPTOR_BYTES) {
        error_set(error, STATUS_FAILED, "the metadata names a kernel descriptor '%.*s', which does not exist",
                  length > 100 ? 100 : length, length == 0 ? "" : name);
        error_hint(error, "a kernel's .symbol is the name after .amdhsa_kernel followed by .kd");
        return STATUS_FAILED;
    }
    const unsigned char *descriptor = (const unsigned char *)rodata->bytes.data + symbol->value;
    uint64_t entry = gcn_read32(descriptor + DESCRIPTOR_ENTRY + 4);
    entry = (entry << 32 | gcn_read32(descriptor + DESCRIPTOR_ENTRY)) + rodata->address + symbol->value;
    if (entry < text->address || entry - text->address >= text->size || entry % CODE_ALIGNMENT != 0) {
        error_set(error, STATUS_FAILED,
                  "the descriptor '%.100s' points to 0x%llx, which is not a multiple of %d within the code "
                  "at 0x%llx to 0x%llx",
                  symbol->name, (unsigned long long)entry, CODE_ALIGNMENT, (unsigned long long)text->address,
                  (unsigned long long)(text->address + text->size));
        error_hint(error, "put .p2align 8 before a kernel");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Keeps one note with kernels. */
static enum status keep_notes(struct linker *link, struct error *error)
{
    struct buffer *notes = &link->parts[PART_NOTE].bytes;
    size_t kernels;
    size_t size = notes->size;
    enum status status = gcn_metadata_keep(notes->data, &size, NULL, NULL, &kernels, error);
    if (status != STATUS_OK)
        return status;
    notes->size = size;
    if (kernels == 0) {
        error_set(error, STATUS_FAILED, "the object lists no kernel in %zu bytes of notes", notes->size);
        error_hint(error, "a program needs .amdhsa_kernel and .amdgpu_metadata with amdhsa.kernels");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static enum status link_object(struct linker *link, struct error *error)
{
    size_t kernels;
    enum status status = link_take_sections(link, error);
    if (status == STATUS_OK)
        status = keep_notes(link, error);
    if (status == STATUS_OK)
        status = link_take_symbols(link, error);
    if (status != STATUS_OK)
        return status;
    link_write_tables(link); /* for their sizes */
    link_place(link);
    link_write_tables(link);
    status = link_relocate(link, error);
    if (status == STATUS_OK) {
        struct buffer *notes = &link->parts[PART_NOTE].bytes;
        status = gcn_metadata_keep(notes->data, &notes->size, check_kernel, link, &kernels, error);
    }
    return status;
}

enum status gcn_link(const struct buffer *object, const char *gfx, struct buffer *code_object,
                     struct error *error)
{
    const struct gcn_target *target = gcn_target_named(gfx);
    if (target == NULL) {
        error_set(error, STATUS_USAGE, "there is no processor '%s'", gfx);
        error_hint(error, "use LLVM's names: gfx701, gfx906, gfx90a, gfx1030, ...");
        return STATUS_USAGE;
    }
    struct linker link = {0};
    enum status status = open_object(&link, object, target, error);
    if (status == STATUS_OK)
        status = link_object(&link, error);
    if (status == STATUS_OK)
        link_write(&link, code_object);
    link_free(&link);
    return status;
}
