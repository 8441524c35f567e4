#include "isa/object.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

/* libelf's parameter is not const, but a file opened for reading stays unchanged. */
static Elf *open_elf(const void *file, size_t size, struct error *error)
{
    union {
        const void *constant;
        char *plain;
    } image = {file};
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(image.plain, size);
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
        error_set(error, STATUS_FAILED, "not an ELF file (%zu bytes)", size);
        elf_end(elf);
        return NULL;
    }
    return elf;
}

static const char *section_name(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
    size_t names;
    if (gelf_getshdr(section, header) == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    return elf_strptr(elf, names, header->sh_name);
}

enum status object_section(const void *file, size_t size, const char *name, struct object_part *part,
                           struct error *error)
{
    Elf *elf = open_elf(file, size, error);
    if (elf == NULL)
        return STATUS_FAILED;
    bool is_there = false;
    for (Elf_Scn *section = NULL; !is_there && (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        const char *found = section_name(elf, section, &header);
        if (found == NULL || strcmp(found, name) != 0)
            continue;
        if (header.sh_type == SHT_NOBITS || header.sh_offset > size ||
            header.sh_size > size - header.sh_offset)
            break;
        *part = (struct object_part){(const unsigned char *)file + header.sh_offset, header.sh_size,
                                     header.sh_addr};
        is_there = true;
    }
    elf_end(elf);
    if (!is_there)
        return error_set(error, STATUS_FAILED, "the ELF file has no section %s", name);
    return STATUS_OK;
}

static void visit_table(Elf *elf, Elf_Scn *table, const GElf_Shdr *header, object_visitor *visit,
                        void *context)
{
    Elf_Data *data = elf_getdata(table, NULL);
    size_t count = data == NULL || header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
    GElf_Sym symbol;
    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL && symbol.st_shndx != SHN_UNDEF)
            visit(name, symbol.st_value, context);
    }
}

enum status object_symbols(const void *file, size_t size, object_visitor *visit, void *context,
                           struct error *error)
{
    Elf *elf = open_elf(file, size, error);
    if (elf == NULL)
        return STATUS_FAILED;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB)
            visit_table(elf, section, &header, visit, context);
    }
    elf_end(elf);
    return STATUS_OK;
}

struct symbol_search {
    const char *name;
    uint64_t *value;
    bool found;
};

static void compare_symbol(const char *name, uint64_t value, void *context)
{
    struct symbol_search *search = context;
    if (search->found || strcmp(search->name, name) != 0)
        return;
    *search->value = value;
    search->found = true;
}

enum status object_symbol(const void *file, size_t size, const char *name, uint64_t *value,
                          struct error *error)
{
    struct symbol_search search = {name, value, false};
    enum status status = object_symbols(file, size, compare_symbol, &search, error);
    if (status == STATUS_OK && !search.found)
        status = error_set(error, STATUS_FAILED, "the ELF file has no symbol %s", name);
    return status;
}
