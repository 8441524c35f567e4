#include "isa/object.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

/* libelf wants a pointer to bytes that it may change; opened for reading it changes none. */
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

static bool find_symbol(Elf *elf, Elf_Scn *table, const GElf_Shdr *header, const char *name, uint64_t *value)
{
    Elf_Data *data = elf_getdata(table, NULL);
    if (data == NULL || header->sh_entsize == 0)
        return false;
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return false;
        const char *found = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (found != NULL && strcmp(found, name) == 0 && symbol.st_shndx != SHN_UNDEF) {
            *value = symbol.st_value;
            return true;
        }
    }
    return false;
}

enum status object_symbol(const void *file, size_t size, const char *name, uint64_t *value,
                          struct error *error)
{
    Elf *elf = open_elf(file, size, error);
    if (elf == NULL)
        return STATUS_FAILED;
    bool found = false;
    for (Elf_Scn *section = NULL; !found && (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB)
            found = find_symbol(elf, section, &header, name, value);
    }
    elf_end(elf);
    return found ? STATUS_OK : error_set(error, STATUS_FAILED, "the ELF file has no symbol %s", name);
}
