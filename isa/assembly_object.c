#include "isa/assembly_parts.h"

#include <elf.h>
#include <string.h>

/* Sections of the file beside the assembly's: the first, which is none, symbols and names. */
enum { SYMBOLS_AFTER = 1, NAMES_AFTER = 2, MOST_HEADERS = MOST_SECTIONS + 4 };

/* An object being written. */
struct writer {
    const struct assembly *assembly;
    struct buffer *file;
    size_t start; /* of the object in the buffer */
    struct buffer symbols, names;
    Elf64_Shdr headers[MOST_HEADERS];
    unsigned header_count;
    unsigned locals; /* symbols before the first global one */
};

static Elf64_Word add_name(struct writer *writer, const char *name)
{
    Elf64_Word offset = (Elf64_Word)writer->names.size;
    buffer_append(&writer->names, name, strlen(name) + 1);
    return offset;
}

static void add_symbol(struct writer *writer, const struct label *label)
{
    const struct assembly *assembly = writer->assembly;
    uint64_t value = assembly_offset(assembly, &label->place);
    Elf64_Sym symbol = {.st_name = add_name(writer, label->name),
                        .st_info = ELF64_ST_INFO(label->global ? STB_GLOBAL : STB_LOCAL, label->type),
                        .st_shndx = (Elf64_Half)(label->place.section + 1),
                        .st_value = value,
                        .st_size = label->sized ? assembly_offset(assembly, &label->end) - value : 0};
    buffer_append(&writer->symbols, &symbol, sizeof symbol);
}

static void add_symbols(struct writer *writer)
{
    static const Elf64_Sym none;
    buffer_append(&writer->symbols, &none, sizeof none);
    for (int global = 0; global < 2; global++) {
        for (size_t i = 0; i < writer->assembly->label_count; i++) {
            const struct label *label = &writer->assembly->labels[i];
            if (label->defined && label->global == (global != 0) && label->name[0] != '\0' &&
                strncmp(label->name, ".L", 2) != 0)
                add_symbol(writer, label);
        }
        if (!global)
            writer->locals = (unsigned)(writer->symbols.size / sizeof none);
    }
}

/* Appends a section's bytes, aligned, and its header. */
static void add_section(struct writer *writer, const Elf64_Shdr *section, const void *bytes)
{
    Elf64_Shdr *header = &writer->headers[writer->header_count++];
    static const char zeros[64];
    uint64_t align = section->sh_addralign < sizeof zeros ? section->sh_addralign : sizeof zeros;
    size_t off = (writer->file->size - writer->start) % align;
    if (off != 0)
        buffer_append(writer->file, zeros, align - off);
    *header = *section;
    header->sh_offset = writer->file->size - writer->start;
    buffer_append(writer->file, bytes, section->sh_size);
}

static void add_code(struct writer *writer)
{
    for (unsigned i = 0; i < writer->assembly->section_count; i++) {
        const struct section_code *section = &writer->assembly->sections[i];
        const Elf64_Shdr header = {.sh_name = add_name(writer, section->name),
                                   .sh_type = SHT_PROGBITS,
                                   .sh_flags = section->flags,
                                   .sh_size = section->output.size,
                                   .sh_addralign = section->align};
        add_section(writer, &header, section->output.data);
    }
}

static void add_tables(struct writer *writer)
{
    unsigned names = writer->header_count + 1;
    const Elf64_Shdr symbols = {.sh_name = add_name(writer, ".symtab"),
                                .sh_type = SHT_SYMTAB,
                                .sh_size = writer->symbols.size,
                                .sh_addralign = 8,
                                .sh_entsize = sizeof(Elf64_Sym),
                                .sh_link = names,
                                .sh_info = writer->locals};
    const Elf64_Word own = add_name(writer, ".strtab");
    const Elf64_Shdr strings = {
        .sh_name = own, .sh_type = SHT_STRTAB, .sh_size = writer->names.size, .sh_addralign = 1};
    add_section(writer, &symbols, writer->symbols.data);
    add_section(writer, &strings, writer->names.data);
}

void assembly_object(const struct assembly *assembly, const struct isa *isa, struct buffer *object)
{
    struct writer writer = {.assembly = assembly, .file = object, .start = object->size, .header_count = 1};
    Elf64_Ehdr file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_REL,
                       .e_machine = (Elf64_Half)isa->elf_machine,
                       .e_version = EV_CURRENT,
                       .e_flags = isa->elf_flags,
                       .e_ehsize = sizeof file,
                       .e_shentsize = sizeof(Elf64_Shdr)};
    buffer_append(object, &file, sizeof file);
    buffer_append(&writer.names, "", 1);
    add_symbols(&writer);
    add_code(&writer);
    add_tables(&writer);
    buffer_align(object, 8);
    file.e_shoff = object->size - writer.start;
    file.e_shnum = (Elf64_Half)writer.header_count;
    file.e_shstrndx = (Elf64_Half)(writer.header_count - 1);
    buffer_append(object, writer.headers, writer.header_count * sizeof writer.headers[0]);
    memcpy(object->data + writer.start, &file, sizeof file);
    buffer_free(&writer.symbols);
    buffer_free(&writer.names);
}
