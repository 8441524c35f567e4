#include "isa/gcn/link/link_parts.h"

#include <elf.h>
#include <string.h>

/* What the table of sections says of each part; link and entry by part. */
static const struct form {
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

/* Other access begins on another page, at the same place within it as the file goes on: no bytes are lost to
 * fill pages up. */
void link_place(struct linker *link)
{
    uint64_t address = sizeof(Elf64_Ehdr) + LINK_SEGMENTS * sizeof(Elf64_Phdr);
    uint64_t ahead = 0; /* of the file's offset */
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

/* Adds the segment that goes from the first part to the last one. */
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
        const struct form *form = &forms[i];
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

void link_write(const struct linker *link, struct buffer *file)
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
