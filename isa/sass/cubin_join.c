#include "isa/sass/cubin_join.h"

#include "base/memory.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sections of the joined file; kernels follow. */
enum { NAMES = 1, SYMBOLS, LINES, RELOCATIONS, KERNELS, CODE_ALIGN = 128 };

static const char *const section_names[KERNELS] = {NULL, ".strtab", ".symtab", ".nv_debug_line_sass",
                                                   ".rela.nv_debug_line_sass"};
static const char OLD_RELOCATIONS[] = ".rel.nv_debug_line_sass"; /* until sm_89 */

static const Elf64_Shdr section_shapes[KERNELS] = {
    [NAMES] = {.sh_type = SHT_STRTAB, .sh_addralign = 1},
    [SYMBOLS] = {.sh_type = SHT_SYMTAB,
                 .sh_link = NAMES,
                 .sh_info = 1,
                 .sh_addralign = 8,
                 .sh_entsize = sizeof(Elf64_Sym)},
    [LINES] = {.sh_type = SHT_PROGBITS, .sh_addralign = 1},
    [RELOCATIONS] = {.sh_flags = SHF_INFO_LINK, .sh_link = SYMBOLS, .sh_info = LINES, .sh_addralign = 8}};
static const Elf64_Shdr kernel_shape = {.sh_type = SHT_PROGBITS,
                                        .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                        .sh_link = SYMBOLS,
                                        .sh_addralign = CODE_ALIGN};

/* The joined file, which begins with the kernels' code, and the sections after it. */
struct joining {
    struct buffer *file;
    size_t start;                 /* of the joined file there */
    struct buffer parts[KERNELS]; /* one table of names for sections and symbols */
    Elf64_Word relocation_type;   /* SHT_REL or SHT_RELA */
    Elf64_Shdr *sections;         /* [KERNELS + count] */
    size_t kernels;
};

/* A cubin's sections, by their numbers in the joined file. */
struct cubin_parts {
    Elf *elf;
    Elf_Data *parts[KERNELS + 1]; /* the last is the kernel's code */
    Elf64_Word relocation_type;
    size_t names, code; /* numbers of the cubin's sections with symbol names and with the kernel's code */
};

size_t cubin_name(size_t i, char name[CUBIN_NAME_BYTES])
{
    return (size_t)snprintf(name, CUBIN_NAME_BYTES, "k%zu", i);
}

static Elf64_Word add_name(struct joining *joining, const char *prefix, const char *name)
{
    Elf64_Word at = (Elf64_Word)joining->parts[NAMES].size;
    buffer_text(&joining->parts[NAMES], prefix);
    buffer_append(&joining->parts[NAMES], name, strlen(name) + 1);
    return at;
}

static void note_section(struct cubin_parts *found, Elf_Scn *section, const GElf_Shdr *header,
                         const char *name, const char *kernel)
{
    unsigned part = 0;
    if (header->sh_type == SHT_SYMTAB) {
        part = SYMBOLS;
        found->names = header->sh_link;
    } else if (strcmp(name, section_names[LINES]) == 0) {
        part = LINES;
    } else if (strcmp(name, section_names[RELOCATIONS]) == 0 || strcmp(name, OLD_RELOCATIONS) == 0) {
        part = RELOCATIONS;
        found->relocation_type = header->sh_type;
    } else if (strncmp(name, ".text.", 6) == 0 && strcmp(name + 6, kernel) == 0) {
        part = KERNELS;
        found->code = elf_ndxscn(section);
    }
    found->parts[part] = elf_rawdata(section, NULL);
}

static bool find_parts(const struct cubin *cubin, struct cubin_parts *found)
{
    size_t names;
    *found = (struct cubin_parts){.elf = elf_memory(cubin->file->data, cubin->file->size)};
    bool good = found->elf != NULL && elf_getshdrstrndx(found->elf, &names) == 0;
    for (Elf_Scn *section = NULL; good && (section = elf_nextscn(found->elf, section)) != NULL;) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) == NULL ? NULL : elf_strptr(found->elf, names, header.sh_name);
        good = name != NULL;
        if (good)
            note_section(found, section, &header, name, cubin->kernel);
    }
    for (unsigned i = SYMBOLS; i <= KERNELS; i++)
        good = good && found->parts[i] != NULL && found->parts[i]->d_buf != NULL;
    return good;
}

/* Adds the functions in the kernel's section: the kernel, and those that it calls, as "k7_1". numbers: for
 * each symbol of the cubin, receives its number in the joined file. */
static void add_functions(struct joining *joining, const struct cubin *cubin, const struct cubin_parts *found,
                          const char *name, size_t *numbers)
{
    const Elf_Data *symbols = found->parts[SYMBOLS];
    Elf64_Sym symbol;
    for (size_t i = 0; i < symbols->d_size / sizeof symbol; i++) {
        char called[CUBIN_NAME_BYTES] = "";
        memcpy(&symbol, (const char *)symbols->d_buf + i * sizeof symbol, sizeof symbol);
        const char *own = elf_strptr(found->elf, found->names, symbol.st_name);
        if (own == NULL || symbol.st_shndx != found->code || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        if (strcmp(own, cubin->kernel) != 0)
            snprintf(called, sizeof called, "_%zu", i);
        symbol.st_name = add_name(joining, name, called);
        symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        symbol.st_shndx = (Elf64_Half)(KERNELS + joining->kernels);
        numbers[i] = joining->parts[SYMBOLS].size / sizeof symbol;
        buffer_append(&joining->parts[SYMBOLS], &symbol, sizeof symbol);
    }
}

static size_t relocation_size(const struct joining *joining)
{
    return joining->relocation_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
}

static bool add_relocations(struct joining *joining, const Elf_Data *added, const size_t *numbers,
                            size_t count)
{
    size_t size = relocation_size(joining);
    for (size_t at = 0; at + size <= added->d_size; at += size) {
        Elf64_Rela relocation;
        memcpy(&relocation, (const char *)added->d_buf + at, size);
        size_t symbol = ELF64_R_SYM(relocation.r_info);
        if (symbol >= count || numbers[symbol] == 0)
            return false;
        relocation.r_offset += joining->parts[LINES].size;
        relocation.r_info = ELF64_R_INFO((Elf64_Xword)numbers[symbol], ELF64_R_TYPE(relocation.r_info));
        buffer_append(&joining->parts[RELOCATIONS], &relocation, size);
    }
    return true;
}

/* The bytes go to the end of the file. */
static void add_section(struct joining *joining, size_t number, const void *bytes, size_t size,
                        Elf64_Shdr section)
{
    buffer_align(joining->file, section.sh_addralign);
    section.sh_offset = joining->file->size - joining->start;
    section.sh_size = size;
    buffer_append(joining->file, bytes, size);
    joining->sections[number] = section;
}

static bool add_kernel(struct joining *joining, const struct cubin *cubin, size_t i)
{
    struct cubin_parts found;
    char name[CUBIN_NAME_BYTES];
    bool good = find_parts(cubin, &found);
    size_t count = good ? found.parts[SYMBOLS]->d_size / sizeof(Elf64_Sym) : 0;
    size_t *numbers = memory_zeroed(count, sizeof *numbers);
    joining->relocation_type = joining->kernels == 0 ? found.relocation_type : joining->relocation_type;
    cubin_name(i, name);
    if (good)
        add_functions(joining, cubin, &found, name, numbers);
    good = good && found.relocation_type == joining->relocation_type &&
           add_relocations(joining, found.parts[RELOCATIONS], numbers, count);
    if (good) {
        Elf64_Shdr shape = kernel_shape;
        shape.sh_name = add_name(joining, ".text.", name);
        buffer_append(&joining->parts[LINES], found.parts[LINES]->d_buf, found.parts[LINES]->d_size);
        add_section(joining, KERNELS + joining->kernels++, found.parts[KERNELS]->d_buf,
                    found.parts[KERNELS]->d_size, shape);
    }
    free(numbers);
    elf_end(found.elf);
    return good;
}

static void close_file(struct joining *joining, Elf64_Ehdr header)
{
    Elf64_Shdr shapes[KERNELS];
    memcpy(shapes, section_shapes, sizeof shapes);
    bool old = joining->relocation_type != SHT_RELA;
    shapes[RELOCATIONS].sh_type = joining->relocation_type;
    shapes[RELOCATIONS].sh_entsize = relocation_size(joining);
    for (unsigned i = NAMES; i < KERNELS; i++)
        shapes[i].sh_name =
            add_name(joining, i == RELOCATIONS && old ? OLD_RELOCATIONS : section_names[i], "");
    for (unsigned i = NAMES; i < KERNELS; i++)
        add_section(joining, i, joining->parts[i].data, joining->parts[i].size, shapes[i]);
    buffer_align(joining->file, 8);
    header.e_phoff = header.e_phentsize = header.e_phnum = 0;
    header.e_shoff = joining->file->size - joining->start;
    header.e_shnum = (Elf64_Half)(KERNELS + joining->kernels);
    header.e_shstrndx = NAMES;
    buffer_append(joining->file, joining->sections, header.e_shnum * sizeof *joining->sections);
    memcpy(joining->file->data + joining->start, &header, sizeof header);
}

static bool is_alike(const Elf64_Ehdr *a, const Elf64_Ehdr *b)
{
    return memcmp(a->e_ident, b->e_ident, EI_NIDENT) == 0 && a->e_machine == b->e_machine &&
           a->e_flags == b->e_flags;
}

bool cubin_join(const struct cubin *cubins, size_t count, struct buffer *joined)
{
    struct joining joining = {.file = joined, .start = joined->size};
    Elf64_Ehdr first = {0}, header;
    const Elf64_Sym none = {0};
    bool good = count > 0 && count < SHN_LORESERVE - KERNELS;
    joining.sections = memory_zeroed(KERNELS + count, sizeof *joining.sections);
    buffer_append(&joining.parts[NAMES], "", 1);
    buffer_append(&joining.parts[SYMBOLS], &none, sizeof none);
    buffer_append(joined, &first, sizeof first);
    elf_version(EV_CURRENT);
    for (size_t i = 0; good && i < count; i++) {
        if (cubins[i].file == NULL || cubins[i].file->size < sizeof header)
            continue;
        memcpy(&header, cubins[i].file->data, sizeof header);
        first = joining.kernels == 0 ? header : first;
        good = header.e_ident[EI_CLASS] == ELFCLASS64 &&
               (!is_alike(&header, &first) || add_kernel(&joining, &cubins[i], i));
    }
    good = good && joining.kernels > 0;
    if (good)
        close_file(&joining, first);
    for (unsigned i = NAMES; i < KERNELS; i++)
        buffer_free(&joining.parts[i]);
    free(joining.sections);
    return good;
}
