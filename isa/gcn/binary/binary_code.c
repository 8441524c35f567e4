#include "isa/gcn/binary/binary_code.h"

#include "base/memory.h"
#include "isa/gcn/binary/bundle.h"
#include "isa/gcn/binary/elf.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

/* The functions in an AMD ELF file's code, from its symbols, in address order. */

/* Symbol type of a kernel that begins with an amd_kernel_code_t (STT_AMDGPU_HSA_KERNEL). */
enum { GCN_HSA_KERNEL = 10 };

struct gcn_function {
    const char *name; /* from the symbol; points into the file */
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

/* Subtracts cost from *work. STATUS_FAILED if less is left. */
static enum status gcn_work(size_t *work, size_t cost, struct error *error)
{
    if (*work < cost)
        return error_set(error, STATUS_FAILED,
                         "damaged ELF file: it refers to the same sections and symbols too often");
    *work -= cost;
    return STATUS_OK;
}

/* Symbols that Catalyst names like kernels, whatever their type. */
static const struct kernel_name {
    bool outer; /* not in EM_AMDGPU files, whose names are the user's */
    const char *begin, *end;
} kernel_names[] = {
    {false, "&__OpenCL_", ""},
    {true, "__ISA_&__OpenCL_", "_kernel_binary"},
    {true, "__OpenCL_", "_kernel"},
};

static bool is_kernel_name(const struct gcn_elf *elf, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof kernel_names / sizeof kernel_names[0]; i++) {
        const struct kernel_name *row = &kernel_names[i];
        size_t begin = strlen(row->begin);
        size_t end = strlen(row->end);
        if ((!row->outer || elf->machine != EM_AMDGPU) && length > begin + end &&
            strncmp(name, row->begin, begin) == 0 && strcmp(name + length - end, row->end) == 0)
            return true;
    }
    return false;
}

/* True for symbols of code: functions and kernels. */
static bool is_function(const struct gcn_elf *elf, const struct gcn_symbol *symbol)
{
    if (symbol->section == SHN_UNDEF || symbol->section >= elf->section_count)
        return false;
    return symbol->type == STT_FUNC || symbol->type == GCN_HSA_KERNEL || is_kernel_name(elf, symbol->name);
}

static void note_function(struct gcn_function **list, size_t *count, const struct gcn_function *function)
{
    *list = memory_next(*list, *count, sizeof **list);
    (*list)[(*count)++] = *function;
}

static bool holds_code(const struct gcn_section *section)
{
    return section->type == SHT_PROGBITS && section->size > 0;
}

static enum status take(const struct gcn_elf *elf, const struct gcn_symbol *symbol,
                        struct gcn_functions *functions, struct error *error)
{
    struct gcn_section section;
    enum status status = gcn_elf_section(elf, symbol->section, &section, error);
    if (status != STATUS_OK || !holds_code(&section))
        return status;
    uint64_t offset = elf->type == ET_REL ? symbol->value : symbol->value - section.address;
    if (offset == section.size && symbol->size == 0)
        return STATUS_OK; /* an empty function, the last one */
    if (offset >= section.size || symbol->size > section.size - offset)
        return error_set(
            error, STATUS_FAILED,
            "damaged ELF file: the function '%.100s' (0x%llx bytes at 0x%llx) does not lie within "
            "section '%.100s'",
            symbol->name, (unsigned long long)symbol->size, (unsigned long long)symbol->value, section.name);
    note_function(&functions->list, &functions->count,
                  &(struct gcn_function){symbol->name, symbol->section, symbol->type, offset, symbol->size});
    return STATUS_OK;
}

/* Ignores an object that extends beyond its section. */
static void take_data(const struct gcn_elf *elf, const struct gcn_symbol *symbol,
                      struct gcn_functions *functions)
{
    struct gcn_section section;
    struct error none;
    if (symbol->type != STT_OBJECT || symbol->section == SHN_UNDEF || symbol->section >= elf->section_count ||
        symbol->size == 0 || gcn_elf_section(elf, symbol->section, &section, &none) != STATUS_OK ||
        !holds_code(&section))
        return;
    uint64_t offset = elf->type == ET_REL ? symbol->value : symbol->value - section.address;
    if (offset < section.size && symbol->size <= section.size - offset)
        note_function(
            &functions->data, &functions->data_count,
            &(struct gcn_function){symbol->name, symbol->section, symbol->type, offset, symbol->size});
}

static enum status take_table(const struct gcn_elf *elf, unsigned type, size_t *work,
                              struct gcn_functions *functions, bool *found, struct error *error)
{
    enum status status = gcn_work(work, elf->section_count, error);
    for (unsigned i = 0; status == STATUS_OK && i < elf->section_count; i++) {
        struct gcn_section table;
        status = gcn_elf_section(elf, i, &table, error);
        if (status != STATUS_OK || table.type != type)
            continue;
        *found = true;
        size_t count = gcn_elf_symbol_count(elf, &table);
        status = gcn_work(work, count, error);
        for (size_t k = 0; status == STATUS_OK && k < count; k++) {
            struct gcn_symbol symbol;
            gcn_elf_symbol(elf, &table, k, &symbol);
            if (is_function(elf, &symbol))
                status = take(elf, &symbol, functions, error);
            else
                take_data(elf, &symbol, functions);
        }
    }
    return status;
}

static int by_place(const void *left, const void *right)
{
    const struct gcn_function *a = left;
    const struct gcn_function *b = right;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->size == b->size ? 0 : a->size < b->size ? -1 : 1;
}

/* Extends functions without a size to the next function. */
static void extend(const struct gcn_elf *elf, struct gcn_functions *functions)
{
    for (size_t i = functions->count; i > 0; i--) {
        struct gcn_function *function = &functions->list[i - 1];
        const struct gcn_function *next = i < functions->count ? function + 1 : NULL;
        struct gcn_section section;
        struct error none;
        if (function->size != 0)
            continue;
        if (next != NULL && next->section == function->section && next->offset == function->offset)
            function->size = next->size; /* another name of the same function */
        else if (next != NULL && next->section == function->section)
            function->size = next->offset - function->offset;
        else if (gcn_elf_section(elf, function->section, &section, &none) == STATUS_OK)
            function->size = section.size - function->offset;
    }
}

static void gcn_functions_free(struct gcn_functions *functions)
{
    free(functions->list);
    free(functions->data);
    *functions = (struct gcn_functions){0};
}

/* Reads the functions of the symbol table, or of the dynamic one if that was stripped. A function without a
 * size extends to the next one or to its section's end. Each section and symbol read reduces *work, because a
 * damaged file can claim many of them many times. STATUS_FAILED if the file is damaged or *work is used up.
 */
static enum status gcn_functions_read(const struct gcn_elf *elf, size_t *work,
                                      struct gcn_functions *functions, struct error *error)
{
    bool found = false;
    *functions = (struct gcn_functions){0};
    enum status status = take_table(elf, SHT_SYMTAB, work, functions, &found, error);
    if (status == STATUS_OK && !found)
        status = take_table(elf, SHT_DYNSYM, work, functions, &found, error);
    if (status != STATUS_OK)
        gcn_functions_free(functions);
    if (functions->count > 0)
        qsort(functions->list, functions->count, sizeof *functions->list, by_place);
    extend(elf, functions);
    return status;
}

/* ---- bare ---- */

/* Unsupported containers of GPU code, and code without a container: errors name them, as they are not damaged
 * files. Sources: Mesa's clover (core/module.cpp), CLRX's documentation (GalliumFormat, raw code). */

enum { KERNELS_MOST = 4096, NAME_MOST = 1024, MESA_3D = 66, PAL = 65 };

/* s_endpgm, up to GFX10 and later. */
static const uint32_t ends[] = {0xbf810000, 0xbfb00000};

/* The number of kernels and the first one's name. */
static bool is_gallium(const unsigned char *bytes, size_t size)
{
    if (size < 16 || gcn_read32(bytes) == 0 || gcn_read32(bytes) > KERNELS_MOST)
        return false;
    uint32_t length = gcn_read32(bytes + 4);
    if (length == 0 || length > NAME_MOST || length > size - 12)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (!isalnum(bytes[8 + i]) && bytes[8 + i] != '_' && bytes[8 + i] != '.' && bytes[8 + i] != '$')
            return false;
    return true;
}

static bool is_raw(const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at + 4 <= size; at += 4)
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
            if (gcn_read32(bytes + at) == ends[i])
                return size % 4 == 0;
    return false;
}

/* Refuses unsupported bytes that are not an ELF file; STATUS_OK for any others. */
static enum status gcn_bare(const unsigned char *bytes, size_t size, struct error *error)
{
    if (gcn_elf_is(bytes, size))
        return STATUS_OK;
    if (is_gallium(bytes, size)) {
        error_set(error, STATUS_FAILED,
                  "a Gallium binary of Mesa's OpenCL (clover), which does not name its processor");
        error_hint(error, "supported are ROCm code objects, bundles of them, and Catalyst's OpenCL 1.2 and "
                          "2.0 binaries; rusticl and clang make code objects");
        return STATUS_FAILED;
    }
    if (is_raw(bytes, size)) {
        error_set(error, STATUS_FAILED,
                  "raw machine code without a container, which does not name its processor");
        error_hint(error, "to make a code object, which names it: .incbin \"FILE\" in a function, llvm-mc "
                          "-triple=amdgcn-amd-amdhsa -mcpu=gfx701 -filetype=obj, ld.lld -shared");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static bool has_section(const struct gcn_elf *elf, const char *name)
{
    for (unsigned i = 0; i < elf->section_count; i++) {
        struct gcn_section section;
        struct error none;
        if (gcn_elf_section(elf, i, &section, &none) == STATUS_OK && strcmp(section.name, name) == 0)
            return true;
    }
    return false;
}

/* Refuses an ELF file that does not name its processor. Returns STATUS_FAILED. */
static enum status gcn_bare_elf(const struct gcn_elf *elf, struct error *error)
{
    unsigned system = elf->bytes[EI_OSABI];
    if (system == MESA_3D || has_section(elf, ".AMDGPU.config"))
        error_set(error, STATUS_FAILED,
                  "Mesa's (Gallium's) ELF file, which does not name its processor: flags 0x%x", elf->flags);
    else if (system == PAL)
        error_set(error, STATUS_FAILED,
                  "a pipeline's ELF file of AMD's PAL, which does not name its processor: flags 0x%x",
                  elf->flags);
    else
        error_set(error, STATUS_FAILED,
                  "the binary does not name its processor: ELF machine 0x%x, flags 0x%x", elf->machine,
                  elf->flags);
    error_hint(error, "supported are ROCm code objects and Catalyst's OpenCL 1.2 and 2.0 binaries");
    return STATUS_FAILED;
}

/* ---- code ---- */

/* ---- note ---- */

/* The note in which code objects of the first ROCm, and Catalyst's inner files for OpenCL 2.0, name their
 * processor (NT_AMD_HSA_ISA_VERSION). */

enum { NOTE_HEADER = 12, ISA_VERSION = 3, VERSION_BYTES = 16 };

/* Names and contents are padded to whole words. */
static uint64_t padded(uint32_t size)
{
    return ((uint64_t)size + 3) & ~UINT64_C(3);
}

static const struct gcn_target *read_notes(const unsigned char *bytes, uint64_t size)
{
    for (uint64_t at = 0; size - at >= NOTE_HEADER;) {
        uint64_t name = padded(gcn_read32(bytes + at));
        uint64_t content = padded(gcn_read32(bytes + at + 4));
        const unsigned char *note = bytes + at;
        at += NOTE_HEADER;
        if (name + content > size - at)
            return NULL;
        if (gcn_read32(note + 8) == ISA_VERSION && name == 4 && memcmp(note + NOTE_HEADER, "AMD", 4) == 0 &&
            content >= VERSION_BYTES) {
            const unsigned char *version = note + NOTE_HEADER + name;
            return gcn_target_version(gcn_read32(version + 4), gcn_read32(version + 8),
                                      gcn_read32(version + 12));
        }
        at += name + content;
    }
    return NULL;
}

/* *target becomes the processor of the first such note, or NULL. Reduces *work as gcn_functions_read does.
 * STATUS_FAILED for a damaged section, or if *work is used up. */
static enum status gcn_note_target(const struct gcn_elf *elf, size_t *work, const struct gcn_target **target,
                                   struct error *error)
{
    enum status status = gcn_work(work, elf->section_count, error);
    *target = NULL;
    for (unsigned i = 0; status == STATUS_OK && *target == NULL && i < elf->section_count; i++) {
        struct gcn_section section;
        status = gcn_elf_section(elf, i, &section, error);
        if (status != STATUS_OK || section.type != SHT_NOTE)
            continue;
        status = gcn_work(work, (size_t)(section.size / NOTE_HEADER), error);
        if (status == STATUS_OK)
            *target = read_notes(elf->bytes + section.offset, section.size);
    }
    return status;
}

/* ---- code ---- */

enum {
    NESTED_MOST = 4,
    WORK_MOST = 1 << 22, /* sections and symbols read, in all nested files together */
    CATALYST2_32 = 0xaf5a,
    CATALYST2_64 = 0xaf5b,
    CATALYST_IL_32 =
        0x4154, /* OpenCL 1.2 from the compiler library alone: only the inner files name a processor */
    CATALYST_IL_64 = 0x4155,
    CATALYST_INNER = 0x7d,
    CATALYST_CPU = 0x7d4,
    DICTIONARY = 0x70000002,
    DICTIONARY_ENTRY = 20,
    HEADER_TARGET = 10, /* amd_kernel_code_t: version of the processor, three numbers of 16 bits */
    HEADER_ENTRY = 16,  /* distance from the header to the code */
    HEADER_LEAST = 64,
    HEADER_MINOR_MOST = 9,
    HEADER_FIRST = 5, /* versions of processors */
    HEADER_LAST = 12,
    HEADER_STEP_MOST = 99,
};

struct binary_search {
    struct gcn_code *code;
    size_t work;
    struct gcn_bundled unknown; /* the last code object left out; without a name if none was */
    struct error *error;
};

/* An ELF file, and facts from the files around it. */
struct binary_place {
    struct gcn_elf elf;
    size_t offset; /* in the outermost file */
    unsigned depth;
    const struct gcn_target *target; /* NULL: not known yet */
    const char *kernel;              /* the kernel whose code this is */
    int kernel_length;
    unsigned dictionary; /* the outer file's device, as an inner file lists it; 0: unknown */
    uint64_t begin, end; /* the part that holds the target's code */
};

static enum status enter(struct binary_search *search, const unsigned char *bytes, size_t size,
                         struct binary_place place);

static enum status add(struct binary_search *search, const struct binary_place *place,
                       const struct gcn_piece *piece)
{
    struct gcn_code *code = search->code;
    if (piece->target == NULL)
        return gcn_bare_elf(&place->elf, search->error);
    code->pieces = memory_next(code->pieces, code->count, sizeof *code->pieces);
    code->pieces[code->count] = *piece;
    code->pieces[code->count++].offset += place->offset;
    return STATUS_OK;
}

/* How well an encoding matches the outer file: the same device, the same generation, or neither. */
static int agreement(const struct binary_place *place, unsigned code, const struct gcn_target *target)
{
    if (code == place->dictionary)
        return 2;
    return place->target != NULL && target->generation == place->target->generation;
}

/* The inner file's first segment lists encodings: the processor of each, and the part of the file that holds
 * it. Takes the known encoding that matches best, the last of equals. */
static const struct gcn_target *read_dictionary(struct binary_place *place)
{
    const struct gcn_elf *elf = &place->elf;
    const struct gcn_target *found = NULL;
    struct gcn_segment segment = {0};
    int best = 0;
    if (elf->segment_count > 0)
        segment = gcn_elf_segment(elf, 0);
    if (segment.type != DICTIONARY || segment.offset > elf->size || segment.size > elf->size - segment.offset)
        return NULL;
    for (uint64_t at = 0; segment.size - at >= DICTIONARY_ENTRY; at += DICTIONARY_ENTRY) {
        const unsigned char *entry = elf->bytes + segment.offset + at;
        const struct gcn_target *target = gcn_target_of(GCN_CODE_DICTIONARY, gcn_read32(entry));
        if (target == NULL || agreement(place, gcn_read32(entry), target) < best)
            continue;
        best = agreement(place, gcn_read32(entry), target);
        found = target;
        place->begin = gcn_read32(entry + 8);
        place->end = place->begin + gcn_read32(entry + 12);
    }
    return found;
}

static enum status find_target(struct binary_search *search, struct binary_place *place)
{
    const struct gcn_elf *elf = &place->elf;
    bool catalyst2 = elf->machine == CATALYST2_32 || elf->machine == CATALYST2_64;
    bool il = elf->machine == CATALYST_IL_32 || elf->machine == CATALYST_IL_64;
    bool amd = elf->machine == EM_AMDGPU;
    const struct gcn_target *own = NULL;
    if (elf->machine == CATALYST_INNER)
        own = read_dictionary(place);
    else if (catalyst2)
        own = gcn_target_of(GCN_CODE_CATALYST2, elf->flags);
    else if (amd && place->depth == 0)
        own = gcn_target_of(GCN_CODE_MACH, elf->flags);
    else if (!amd)
        own = gcn_target_of(GCN_CODE_CATALYST, elf->machine);
    if (own == NULL && place->target == NULL && !catalyst2 && !il && !amd) {
        error_set(search->error, STATUS_FAILED,
                  "not a binary for a known AMD processor: ELF machine 0x%x, flags 0x%x", elf->machine,
                  elf->flags);
        error_hint(search->error, "%s",
                   elf->machine == CATALYST_CPU
                       ? "Catalyst compiled this for the CPU; choose the GPU's device"
                       : gcn_host_hint(elf));
        return STATUS_FAILED;
    }
    if (own != NULL && place->target != NULL && own->generation != place->target->generation)
        return error_set(search->error, STATUS_FAILED,
                         "the inner file is for %s and the outer file for %s: the processor is ambiguous",
                         own->name, place->target->name);
    if (own != NULL)
        place->target = own;
    if (place->depth == 0)
        place->dictionary = gcn_target_dictionary(elf->machine);
    if (amd && place->target == NULL)
        return gcn_note_target(elf, &search->work, &place->target, search->error);
    return STATUS_OK;
}

/* "__OpenCL_K_kernel", "&__OpenCL_K_kernel" and "__ISA_&__OpenCL_K_kernel_binary" are kernel K. */
static void name_kernel(struct gcn_piece *piece, const char *symbol)
{
    static const char *const before[] = {"__ISA_", "&", "__OpenCL_"};
    static const char *const after[] = {"_binary", "_kernel"};
    const char *begin = symbol;
    size_t length;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        if (strncmp(begin, before[i], strlen(before[i])) == 0)
            begin += strlen(before[i]);
    length = strlen(begin);
    for (size_t i = 0; begin != symbol && i < sizeof after / sizeof after[0]; i++) {
        size_t cut = strlen(after[i]);
        if (length > cut && memcmp(begin + length - cut, after[i], cut) == 0)
            length -= cut;
    }
    piece->kernel = begin;
    piece->kernel_length = (int)length;
}

/* The position of the kernel's header in the function; false if it has none. Catalyst 15.7 stores the
 * distance to it in the first number. */
static bool header_of(const struct gcn_function *function, const unsigned char *bytes, uint64_t *at)
{
    *at = 0;
    if (strncmp(function->name, "__ISA_&", 7) == 0 && function->size >= 4)
        *at = gcn_read32(bytes);
    return *at != 0 || function->type == GCN_HSA_KERNEL || strncmp(function->name, "&__OpenCL_", 10) == 0;
}

/* Removes the header from the piece; the header locates the code and names its processor. */
static enum status skip_header(struct binary_search *search, const unsigned char *bytes, uint64_t at,
                               struct gcn_piece *piece)
{
    uint64_t code = 0;
    if (at < piece->size && piece->size - at > HEADER_LEAST)
        code = at + gcn_read32(bytes + at + HEADER_ENTRY);
    if (code < at + HEADER_LEAST || code >= piece->size)
        return error_set(search->error, STATUS_FAILED,
                         "damaged binary: the header of kernel '%.*s' at 0x%zx does not locate its code",
                         piece->kernel_length > 100 ? 100 : piece->kernel_length, piece->kernel,
                         piece->offset);
    const unsigned char *version = bytes + at + HEADER_TARGET;
    const struct gcn_target *own = gcn_target_version(gcn_read32(version) & 0xffff, gcn_read32(version) >> 16,
                                                      gcn_read32(version + 4) & 0xffff);
    if (own != NULL && piece->target != NULL && own->generation != piece->target->generation)
        return error_set(search->error, STATUS_FAILED,
                         "kernel '%.*s' is for %s and its file for %s: the processor is ambiguous",
                         piece->kernel_length > 100 ? 100 : piece->kernel_length, piece->kernel, own->name,
                         piece->target->name);
    if (piece->target == NULL)
        piece->target = own;
    piece->offset += (size_t)code;
    piece->size -= (size_t)code;
    return STATUS_OK;
}

/* True for an amd_kernel_code_t, however it is marked: version 1, an AMD GPU and its version, and a distance
 * to the code. No code begins with such words. */
static bool is_header(const unsigned char *bytes, size_t size)
{
    if (size <= HEADER_LEAST || gcn_read32(bytes) != 1 || gcn_read32(bytes + 4) > HEADER_MINOR_MOST)
        return false;
    uint32_t kind = gcn_read32(bytes + 8) & 0xffff;
    uint32_t major = gcn_read32(bytes + 8) >> 16;
    uint32_t minor = gcn_read32(bytes + 12) & 0xffff;
    uint32_t stepping = gcn_read32(bytes + 12) >> 16;
    return kind == 1 && major >= HEADER_FIRST && major <= HEADER_LAST && minor <= HEADER_STEP_MOST &&
           stepping <= HEADER_STEP_MOST && gcn_read32(bytes + HEADER_ENTRY) % 4 == 0;
}

/* Adds the piece without the headers in it: old ROCm objects mark a header and the code after it as one
 * function, or several such pairs if symbols are missing. */
static enum status add_without_headers(struct binary_search *search, const struct binary_place *place,
                                       const struct gcn_piece *piece)
{
    const unsigned char *bytes = place->elf.bytes + piece->offset;
    struct gcn_piece rest = *piece;
    enum status status = STATUS_OK;
    if (place->elf.machine != EM_AMDGPU)
        return add(search, place, piece);
    for (size_t at = 0; status == STATUS_OK && at + HEADER_LEAST < piece->size; at += 4) {
        size_t begin = rest.offset - piece->offset;
        if (at < begin || !is_header(bytes + at, piece->size - at))
            continue;
        if (at > begin) {
            struct gcn_piece before = rest;
            before.size = at - begin;
            status = add(search, place, &before);
        }
        rest.offset = piece->offset + at;
        rest.size = piece->size - at;
        if (status == STATUS_OK)
            status = skip_header(search, bytes + at, 0, &rest);
    }
    return status == STATUS_OK ? add(search, place, &rest) : status;
}

/* Catalyst 15.7's own codes, each for one processor; only that version names symbols like this. */
static const struct gcn_target *raw_target(const struct binary_place *place, const char *symbol)
{
    if (place->target != NULL || strncmp(symbol, "__ISA_&", 7) != 0)
        return place->target;
    return gcn_target_of(GCN_CODE_CATALYST2_RAW, place->elf.flags);
}

static enum status add_function(struct binary_search *search, const struct binary_place *place,
                                const struct gcn_section *section, const struct gcn_function *function)
{
    size_t offset = (size_t)(section->offset + function->offset);
    struct gcn_piece piece = {
        .offset = offset, .size = (size_t)function->size, .target = raw_target(place, function->name)};
    const unsigned char *bytes = place->elf.bytes + offset;
    uint64_t header;
    name_kernel(&piece, function->name);
    if (gcn_elf_is(bytes, piece.size)) {
        struct binary_place inner = {.offset = place->offset + offset,
                                     .depth = place->depth + 1,
                                     .target = place->target,
                                     .dictionary = place->dictionary,
                                     .kernel = piece.kernel,
                                     .kernel_length = piece.kernel_length};
        return enter(search, bytes, piece.size, inner);
    }
    if (header_of(function, bytes, &header)) {
        enum status status = skip_header(search, bytes, header, &piece);
        if (status != STATUS_OK)
            return status;
    }
    if (place->kernel_length > 0) {
        piece.kernel = place->kernel;
        piece.kernel_length = place->kernel_length;
    }
    return add_without_headers(search, place, &piece);
}

static bool is_code(const struct binary_place *place, const struct gcn_section *section)
{
    bool inside = place->end == 0 || (section->offset >= place->begin && section->offset < place->end);
    return inside && section->type == SHT_PROGBITS && section->size > 0 &&
           ((section->flags & SHF_EXECINSTR) != 0 || strcmp(section->name, ".text") == 0 ||
            strcmp(section->name, ".hsatext") == 0);
}

/* Finds a section with the compiler's input, from which some runtimes recompile. */
static void note_source(struct binary_search *search, const struct gcn_section *section)
{
    static const char *const sources[] = {".llvmir", ".amdil", ".source"};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (section->size > 0 && strcmp(section->name, sources[i]) == 0)
            search->code->source = sources[i];
}

static enum status enter_section(struct binary_search *search, const struct binary_place *place,
                                 const struct gcn_functions *functions, unsigned number, size_t *next)
{
    struct gcn_section section;
    enum status status = gcn_elf_section(&place->elf, number, &section, search->error);
    if (status != STATUS_OK)
        return status;
    note_source(search, &section);
    size_t first = *next;
    while (*next < functions->count && functions->list[*next].section == number)
        ++*next;
    if (!is_code(place, &section))
        return STATUS_OK;
    for (size_t i = first; status == STATUS_OK && i < *next; i++)
        status = add_function(search, place, &section, &functions->list[i]);
    if (first < *next)
        return status;
    struct binary_place inner = *place;
    inner.offset += (size_t)section.offset;
    inner.depth++;
    inner.begin = inner.end = 0;
    if (gcn_elf_is(place->elf.bytes + section.offset, (size_t)section.size))
        return enter(search, place->elf.bytes + section.offset, (size_t)section.size, inner);
    return add_without_headers(search, place,
                               &(struct gcn_piece){place->kernel, place->kernel_length,
                                                   (size_t)section.offset, (size_t)section.size,
                                                   place->target});
}

/* Records what the file's symbols mark as data, even among code. */
static void add_data(struct gcn_code *code, const struct binary_place *place,
                     const struct gcn_functions *functions)
{
    if (functions->data_count == 0)
        return;
    code->data = memory_resized(code->data, code->data_count + functions->data_count, sizeof *code->data);
    for (size_t i = 0; i < functions->data_count; i++) {
        const struct gcn_function *object = &functions->data[i];
        struct gcn_section section;
        struct error none;
        if (gcn_elf_section(&place->elf, object->section, &section, &none) == STATUS_OK)
            code->data[code->data_count++] = (struct gcn_span){
                place->offset + (size_t)(section.offset + object->offset), (size_t)object->size};
    }
}

static enum status enter(struct binary_search *search, const unsigned char *bytes, size_t size,
                         struct binary_place place)
{
    struct gcn_functions functions = {0};
    size_t next = 0;
    if (place.depth >= NESTED_MOST)
        return error_set(search->error, STATUS_FAILED, "damaged ELF file: more than %d nested files",
                         NESTED_MOST);
    enum status status = gcn_work(&search->work, 1, search->error);
    if (status == STATUS_OK)
        status = gcn_elf_open(bytes, size, &place.elf, search->error);
    if (status == STATUS_OK)
        status = find_target(search, &place);
    if (status == STATUS_OK)
        status = gcn_functions_read(&place.elf, &search->work, &functions, search->error);
    if (status == STATUS_OK)
        status = gcn_work(&search->work, place.elf.section_count, search->error);
    for (unsigned i = 0; status == STATUS_OK && i < place.elf.section_count; i++)
        status = enter_section(search, &place, &functions, i, &next);
    if (status == STATUS_OK)
        add_data(search->code, &place, &functions);
    gcn_functions_free(&functions);
    return status;
}

static int by_offset(const void *left, const void *right)
{
    const struct gcn_piece *a = left;
    const struct gcn_piece *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->size == b->size ? 0 : a->size < b->size ? -1 : 1;
}

static int by_begin(const void *left, const void *right)
{
    const struct gcn_span *a = left;
    const struct gcn_span *b = right;
    return a->offset == b->offset ? 0 : a->offset < b->offset ? -1 : 1;
}

/* A function may have two names, but functions must not overlap in part. */
static enum status check_overlaps(const struct gcn_code *code, struct error *error)
{
    for (size_t i = 1; i < code->count; i++) {
        const struct gcn_piece *a = &code->pieces[i - 1];
        const struct gcn_piece *b = &code->pieces[i];
        if (by_offset(a, b) != 0 && b->offset - a->offset < a->size)
            return error_set(error, STATUS_FAILED,
                             "damaged ELF file: the functions '%.*s' and '%.*s' overlap at 0x%zx",
                             a->kernel_length > 100 ? 100 : a->kernel_length, a->kernel,
                             b->kernel_length > 100 ? 100 : b->kernel_length, b->kernel, b->offset);
    }
    return STATUS_OK;
}

/* True for code for a processor that is too new to be known, which a bundle may contain among others. */
static bool is_unknown(const unsigned char *bytes, size_t size)
{
    struct gcn_elf elf;
    struct error none;
    return gcn_elf_is(bytes, size) && gcn_elf_open(bytes, size, &elf, &none) == STATUS_OK &&
           elf.machine == EM_AMDGPU && (elf.flags & GCN_MACH_MASK) != 0 &&
           gcn_target_of(GCN_CODE_MACH, elf.flags) == NULL;
}

static void add_unread(struct gcn_code *code, struct gcn_unread unread)
{
    code->unread = memory_next(code->unread, code->unread_count, sizeof *code->unread);
    code->unread[code->unread_count++] = unread;
}

/* Records bundles in a form that is not read, between those that are. */
static enum status record_packed(struct binary_search *search, const unsigned char *file, size_t from,
                                 size_t to)
{
    const char *what = NULL;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && from < to && (from = gcn_packed_find(file, to, from, &what)) < to) {
        add_unread(search->code, (struct gcn_unread){.offset = from, .what = what});
        from++;
        status = gcn_work(&search->work, 1, search->error);
    }
    return status;
}

/* Reads a bundle's code objects. Each is a separate file, which no outer file describes. */
static enum status enter_bundle(struct binary_search *search, const unsigned char *file,
                                struct gcn_bundle *bundle)
{
    size_t start = (size_t)(bundle->bytes - file);
    enum status status = STATUS_OK;
    for (uint64_t i = 0; status == STATUS_OK && i < bundle->count; i++) {
        struct gcn_bundled entry;
        status = gcn_work(&search->work, 1, search->error);
        if (status == STATUS_OK)
            status = gcn_bundle_next(bundle, &entry, search->error);
        if (status != STATUS_OK || !gcn_bundled_is_code(&entry))
            continue;
        const unsigned char *bytes = bundle->bytes + entry.offset;
        struct binary_place place = {.offset = start + entry.offset, .kernel = ""};
        if (is_unknown(bytes, entry.size)) {
            search->unknown = entry;
            add_unread(
                search->code,
                (struct gcn_unread){.offset = start + entry.offset,
                                    .what = "code for an unknown processor",
                                    .name = entry.name,
                                    .name_length = entry.name_length < 100 ? (int)entry.name_length : 100});
            continue;
        }
        status = gcn_packed(bytes, entry.size, search->error);
        if (status == STATUS_OK)
            status = enter(search, bytes, entry.size, place);
        if (status != STATUS_OK)
            error_prefix(search->error, "'%.*s' of the bundle at 0x%zx",
                         entry.name_length < 100 ? (int)entry.name_length : 100, entry.name, start);
    }
    return status;
}

/* Reads all bundles from there to the end; other bytes may lie between them. */
static enum status enter_bundles(struct binary_search *search, const unsigned char *file, size_t at,
                                 size_t size)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && at < size) {
        struct gcn_bundle bundle;
        size_t next = gcn_bundle_find(file, size, at);
        status = record_packed(search, file, at, next);
        at = next;
        if (status != STATUS_OK || at == size)
            break;
        status = gcn_bundle_open(file + at, size - at, &bundle, search->error);
        if (status == STATUS_OK)
            status = enter_bundle(search, file, &bundle);
        at += bundle.end;
    }
    return status;
}

static enum status enter_file(struct binary_search *search, const unsigned char *file, size_t size)
{
    struct gcn_elf elf;
    struct gcn_section fat;
    if (gcn_bundle_is(file, size))
        return enter_bundles(search, file, 0, size);
    enum status status = gcn_packed(file, size, search->error);
    if (status == STATUS_OK && gcn_elf_is(file, size)) {
        status = gcn_elf_open(file, size, &elf, search->error);
        if (status == STATUS_OK && gcn_bundle_section(&elf, &fat)) {
            status = gcn_packed(file + fat.offset, (size_t)fat.size, search->error);
            return status != STATUS_OK
                       ? status
                       : enter_bundles(search, file, (size_t)fat.offset, (size_t)(fat.offset + fat.size));
        }
    }
    if (status == STATUS_OK)
        status = gcn_bare(file, size, search->error);
    return status != STATUS_OK ? status : enter(search, file, size, (struct binary_place){.kernel = ""});
}

static enum status no_code(const struct binary_search *search)
{
    const struct gcn_bundled *unknown = &search->unknown;
    if (unknown->name != NULL)
        return error_set(search->error, STATUS_FAILED,
                         "the bundle has no code for a known processor; its last entry is '%.*s'",
                         unknown->name_length < 100 ? (int)unknown->name_length : 100, unknown->name);
    return error_set(search->error, STATUS_FAILED,
                     "the binary has no machine code: no .text section, no function");
}

enum status gcn_code_find(const void *file, size_t size, struct gcn_code *code, struct error *error)
{
    struct binary_search search = {.code = code, .work = WORK_MOST, .error = error};
    *code = (struct gcn_code){0};
    enum status status = enter_file(&search, file, size);
    if (status == STATUS_OK && code->count == 0)
        status = no_code(&search);
    if (status != STATUS_OK && search.unknown.name == NULL)
        gcn_code_hint_unread(code, error);
    if (status == STATUS_OK) {
        qsort(code->pieces, code->count, sizeof *code->pieces, by_offset);
        status = check_overlaps(code, error);
        if (code->data_count > 0)
            qsort(code->data, code->data_count, sizeof *code->data, by_begin);
    }
    if (status != STATUS_OK)
        gcn_code_free(code);
    return status;
}

void gcn_code_hint_unread(const struct gcn_code *code, struct error *error)
{
    size_t used = strlen(error->message);
    if (code->unread_count > 0)
        snprintf(error->message + used, sizeof error->message - used, "; %s at 0x%zx%s not read",
                 code->unread[0].what, code->unread[0].offset,
                 code->unread_count > 1 ? " and more are" : " is");
}

bool gcn_code_is_data(const struct gcn_code *code, size_t offset)
{
    size_t low = 0;
    size_t high = code->data_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->data[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && offset - code->data[low - 1].offset < code->data[low - 1].size;
}

void gcn_code_free(struct gcn_code *code)
{
    free(code->data);
    free(code->pieces);
    free(code->unread);
    *code = (struct gcn_code){0};
}
