#include "isa/gcn/link/link_parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* .gnu.hash: a filter of so many bits a symbol, words of 64 bits, a second bit from the hash's upper end. */
enum { FILTER_BITS = 12, WORD_BITS = 64, FILTER_SHIFT = 26, SYMBOLS_PER_BUCKET = 4 };

static bool find_table(const struct linker *link, struct gcn_section *table)
{
    struct error none;
    for (unsigned i = 0; i < link->elf.section_count; i++)
        if (gcn_elf_section(&link->elf, i, table, &none) == STATUS_OK && table->type == SHT_SYMTAB)
            return true;
    return false;
}

bool link_symbol_at(const struct linker *link, size_t number, struct gcn_symbol *symbol)
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

/* *wanted is false for those that name nothing which stays. */
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
    /* What is defined nowhere is told where a relocation needs it: debugging information may name more. */
    *wanted = from->type != STT_SECTION && from->name[0] != '\0' && from->section != SHN_UNDEF;
    if (!*wanted || from->section == SHN_ABS)
        return STATUS_OK;
    if (from->section >= link->elf.section_count)
        return error_set(error, STATUS_FAILED, "'%.100s' lies in no section (number 0x%x of %u)", from->name,
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

/* .dynamic's own symbol, which stands behind the local ones. */
static const struct link_symbol DYNAMIC = {
    .name = "_DYNAMIC", .part = PART_DYNAMIC, .binding = STB_LOCAL, .visibility = STV_HIDDEN};

/* Adds those that are local, or those that are not, in the object's order: the hidden ones behind the others
 * that are local. */
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
        if (text > 16 * link->elf.size) /* so that symbols of one long name do not fill the memory */
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

/* Names the exported symbols and sorts them as .gnu.hash wants them. */
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

enum status link_take_symbols(struct linker *link, struct error *error)
{
    if (!find_table(link, &link->table))
        return error_set(error, STATUS_FAILED, "the object has no symbols");
    size_t room = gcn_elf_symbol_count(&link->elf, &link->table) + 1;
    link->symbols = calloc(room, sizeof *link->symbols);
    link->exports = calloc(room, sizeof *link->exports);
    if (link->symbols == NULL || link->exports == NULL)
        abort();
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

void link_write_tables(struct linker *link)
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
