/* AMD GPU binaries made by hand: ELF files of both widths, also within one another and at odd offsets, as
 * ROCm and both kinds of Catalyst lay them out. */
#ifndef TESTS_GCN_FILES_H
#define TESTS_GCN_FILES_H

#include "base/buffer.h"
#include "isa/gcn/walk/walk.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made_section {
    const char *name;
    unsigned type;
    uint64_t flags, address;
    const void *bytes;
    size_t size;
};

struct made_symbol {
    const char *name;
    uint64_t value, size;
    unsigned type, section; /* sections count from 1 */
};

/* The file has the sections, then a symbol table, its strings and the sections' names. */
struct made_file {
    bool is_64;
    unsigned type, machine, flags, osabi;
    const struct made_section *sections;
    size_t section_count;
    const struct made_symbol *symbols;
    size_t symbol_count;
    unsigned table;    /* SHT_SYMTAB where 0 */
    uint32_t encoding; /* not 0: the first segment is a dictionary of encodings, this one the second of two */
    size_t before_code; /* bytes put before the first section's, to move it off its alignment */
};

static inline void made_number(struct buffer *file, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char byte = (unsigned char)(value >> 8 * i);
        buffer_append(file, &byte, 1);
    }
}

static inline void made_set(struct buffer *file, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        file->data[at + i] = (char)(value >> 8 * i);
}

static inline void made_header(struct buffer *file, const struct made_file *made)
{
    const unsigned char ident[EI_NIDENT] = {0x7f,
                                            'E',
                                            'L',
                                            'F',
                                            made->is_64 ? ELFCLASS64 : ELFCLASS32,
                                            ELFDATA2LSB,
                                            EV_CURRENT,
                                            (unsigned char)made->osabi};
    size_t word = made->is_64 ? 8 : 4;
    size_t header = made->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    buffer_append(file, ident, sizeof ident);
    made_number(file, made->type, 2);
    made_number(file, made->machine, 2);
    made_number(file, EV_CURRENT, 4);
    made_number(file, 0, word);
    made_number(file, made->encoding != 0 ? header : 0, word);
    made_number(file, 0, word); /* where the sections' headers are: set in the end */
    made_number(file, made->flags, 4);
    made_number(file, header, 2);
    made_number(file, made->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
    made_number(file, made->encoding != 0, 2);
    made_number(file, made->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
    made_number(file, made->section_count + 4, 2);
    made_number(file, made->section_count + 3, 2);
}

/* One segment that lists two encodings, of which the first is for nothing known. */
static inline size_t made_dictionary(struct buffer *file, const struct made_file *made)
{
    if (made->encoding == 0)
        return 0;
    size_t entries = file->size + sizeof(Elf32_Phdr);
    const uint32_t segment[] = {0x70000002, (uint32_t)entries, 0, 0, 40, 40, 0, 1};
    const uint32_t list[] = {1, 4, (uint32_t)entries, 4, 0, made->encoding, 4, (uint32_t)entries, 0, 0};
    for (size_t i = 0; i < sizeof segment / sizeof segment[0]; i++)
        made_number(file, segment[i], 4);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        made_number(file, list[i], 4);
    return entries;
}

static inline void made_section_header(struct buffer *file, const struct made_file *made, size_t name,
                                       const struct made_section *section, size_t offset, unsigned link)
{
    size_t word = made->is_64 ? 8 : 4;
    made_number(file, name, 4);
    made_number(file, section->type, 4);
    made_number(file, section->flags, word);
    made_number(file, section->address, word);
    made_number(file, offset, word);
    made_number(file, section->size, word);
    made_number(file, link, 4);
    made_number(file, 0, 4);
    made_number(file, 1, word);
    made_number(file, link == 0 ? 0 : made->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), word);
}

static inline void made_symbols(struct buffer *table, struct buffer *strings, const struct made_file *made)
{
    buffer_append(table, (const char[sizeof(Elf64_Sym)]){0},
                  made->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    buffer_append(strings, "", 1);
    for (size_t i = 0; i < made->symbol_count; i++) {
        const struct made_symbol *symbol = &made->symbols[i];
        made_number(table, strings->size, 4);
        if (!made->is_64) {
            made_number(table, symbol->value, 4);
            made_number(table, symbol->size, 4);
        }
        made_number(table, STB_GLOBAL << 4 | symbol->type, 1);
        made_number(table, 0, 1);
        made_number(table, symbol->section, 2);
        if (made->is_64) {
            made_number(table, symbol->value, 8);
            made_number(table, symbol->size, 8);
        }
        buffer_append(strings, symbol->name, strlen(symbol->name) + 1);
    }
}

/* Appends the file to an empty buffer. */
static inline void made_write(struct buffer *file, const struct made_file *made)
{
    enum { MOST = 8 };
    struct buffer table = {0};
    struct buffer strings = {0};
    struct buffer names = {0};
    struct made_section all[MOST];
    size_t offsets[MOST];
    size_t name_at[MOST];
    size_t count = made->section_count;
    made_header(file, made);
    size_t entries = made_dictionary(file, made);
    made_symbols(&table, &strings, made);
    for (size_t i = 0; i < count; i++)
        all[i] = made->sections[i];
    all[count] = (struct made_section){
        ".symtab", made->table == 0 ? SHT_SYMTAB : made->table, 0, 0, table.data, table.size};
    all[count + 1] = (struct made_section){".strtab", SHT_STRTAB, 0, 0, strings.data, strings.size};
    all[count + 2] = (struct made_section){".shstrtab", SHT_STRTAB, 0, 0, NULL, 0};
    buffer_append(&names, "", 1);
    for (size_t i = 0; i < count + 3; i++) {
        name_at[i] = names.size;
        buffer_append(&names, all[i].name, strlen(all[i].name) + 1);
    }
    all[count + 2].bytes = names.data;
    all[count + 2].size = names.size;
    for (size_t i = 0; i < made->before_code; i++)
        buffer_append(file, "\xaa", 1);
    for (size_t i = 0; i < count + 3; i++) {
        offsets[i] = file->size;
        buffer_append(file, all[i].bytes, all[i].size);
    }
    if (entries != 0)
        made_set(file, entries + 32, file->size - entries, 4);
    made_set(file, made->is_64 ? 40 : 32, file->size, made->is_64 ? 8 : 4);
    made_section_header(file, made, 0, &(struct made_section){0}, 0, 0);
    for (size_t i = 0; i < count + 3; i++)
        made_section_header(file, made, name_at[i], &all[i], offsets[i],
                            i == count ? (unsigned)count + 2 : 0);
    buffer_free(&table);
    buffer_free(&strings);
    buffer_free(&names);
}

/* False where this LLVM is too old for the processor: what it would say is not tried then. */
static inline bool made_known(const char *target)
{
    struct error error;
    struct gcn_walker *walker = gcn_walker_open(gcn_target_named(target), &error);
    gcn_walker_close(walker);
    return walker != NULL;
}

/* Appends the instructions of the text, one a line, and words as ".long 0x12345678". False, with the error
 * told, where one is none of the target's. */
static inline bool made_code(const char *target, const char *text, struct buffer *code)
{
    while (*text != '\0') {
        char line[200];
        unsigned char bytes[GCN_INSTRUCTION_BYTES];
        struct error error;
        size_t length = strcspn(text, "\n");
        unsigned word;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
        if (sscanf(line, " .long %x", &word) == 1) {
            made_number(code, word, 4);
        } else if (line[strspn(line, " ")] != '\0') {
            if (gcn_assemble(gcn_target_named(target), line, bytes, &length, &error) != STATUS_OK) {
                fprintf(stderr, "%s\n", error.message);
                return false;
            }
            buffer_append(code, bytes, length);
        }
    }
    return true;
}

/* A ROCm code object with two functions of the same code, "first" and "second". */
static inline void made_rocm(struct buffer *file, const char *target, const struct buffer *code)
{
    struct buffer text = {0};
    buffer_append(&text, code->data, code->size);
    buffer_append(&text, code->data, code->size);
    const struct made_section sections[] = {
        {".rodata", SHT_PROGBITS, SHF_ALLOC, 0x200, "0123456789abcdef", 16},
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1700, text.data, text.size}};
    const struct made_symbol symbols[] = {{"first.kd", 0x200, 16, STT_OBJECT, 1},
                                          {"second", 0x1700 + code->size, code->size, STT_FUNC, 2},
                                          {"first", 0x1700, code->size, STT_FUNC, 2}};
    const struct made_file made = {.is_64 = true,
                                   .type = ET_DYN,
                                   .machine = 0xe0,
                                   .flags = gcn_target_named(target)->mach | 0x500,
                                   .osabi = 64,
                                   .sections = sections,
                                   .section_count = 2,
                                   .symbols = symbols,
                                   .symbol_count = 3};
    made_write(file, &made);
    buffer_free(&text);
}

/* Catalyst, OpenCL 1.2: two inner files, at odd offsets, that hold the kernels "first" and "second". */
static inline void made_catalyst(struct buffer *file, bool is_64, unsigned device, uint32_t encoding,
                                 const struct buffer *code)
{
    struct buffer inner = {0};
    struct buffer text = {0};
    const struct made_section within[] = {{".text", SHT_PROGBITS, 0, 0, code->data, code->size},
                                          {".data", SHT_PROGBITS, 0, 0, "data", 4}};
    made_write(&inner, &(struct made_file){.type = ET_EXEC,
                                           .machine = 0x7d,
                                           .flags = 1,
                                           .osabi = 0x64,
                                           .sections = within,
                                           .section_count = 2,
                                           .encoding = encoding,
                                           .before_code = 3});
    buffer_append(&text, inner.data, inner.size);
    buffer_append(&text, "odd", 3);
    size_t second = text.size;
    buffer_append(&text, inner.data, inner.size);
    const struct made_section sections[] = {
        {".llvmir", SHT_PROGBITS, 0, 0, "BC", 2},
        {".comment", SHT_PROGBITS, 0, 0, "@(#) OpenCL 1.2", 15},
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, text.data, text.size}};
    const struct made_symbol symbols[] = {{"__OpenCL_first_metadata", 0, 2, STT_OBJECT, 2},
                                          {"__OpenCL_first_kernel", 0, inner.size, STT_FUNC, 3},
                                          {"__OpenCL_second_kernel", second, inner.size, STT_FUNC, 3}};
    made_write(file, &(struct made_file){.is_64 = is_64,
                                         .type = ET_EXEC,
                                         .machine = device,
                                         .osabi = 0x64,
                                         .sections = sections,
                                         .section_count = 3,
                                         .symbols = symbols,
                                         .symbol_count = 3});
    buffer_free(&inner);
    buffer_free(&text);
}

/* An amd_kernel_code_t for that version of processor, then the code. */
static inline void made_with_header(struct buffer *text, unsigned major, unsigned minor, unsigned stepping,
                                    const struct buffer *code)
{
    size_t start = text->size;
    made_number(text, 1, 4);
    made_number(text, 0, 4);
    made_number(text, 1, 2);
    made_number(text, major, 2);
    made_number(text, minor, 2);
    made_number(text, stepping, 2);
    made_number(text, 256, 8);
    while (text->size < start + 256)
        buffer_append(text, "\x12", 1);
    buffer_append(text, code->data, code->size);
}

/* NT_AMD_HSA_ISA_VERSION behind another note. */
static inline void made_note(struct buffer *notes, const unsigned version[3])
{
    const uint32_t words[] = {4,          8,          1,        0x444d41,   1,       0,
                              4,          27,         3,        0x444d41,   0x70004, version[0],
                              version[1], version[2], 0x444d41, 0x47444d41, 0x5550};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        made_number(notes, words[i], 4);
}

/* Catalyst, OpenCL 2.0, by a driver of 2015.7 (a raw blob: a stub, a header, the code), or a later one (an
 * inner file with .hsatext and a note of the processor). Headers do not tell it. The one kernel is "first".
 */
static inline void made_catalyst2(struct buffer *file, bool is_64, bool later, unsigned device,
                                  const unsigned version[3], const struct buffer *code)
{
    struct buffer kernel = {0};
    struct buffer text = {0};
    struct buffer notes = {0};
    made_with_header(&kernel, 0, 0, 0, code);
    made_note(&notes, version);
    const struct made_section within[] = {{".hsatext", SHT_PROGBITS, 0xc00007, 0, kernel.data, kernel.size},
                                          {".note", SHT_NOTE, 0, 0, notes.data, notes.size}};
    const struct made_symbol marks[] = {{"&__OpenCL_first_kernel", 0, kernel.size, 10, 1},
                                        {"__hsa_section.hsatext", 0, 0, STT_SECTION, 1}};
    if (later) {
        made_write(&text, &(struct made_file){.is_64 = true,
                                              .type = ET_REL,
                                              .machine = 0xe0,
                                              .osabi = 0x40,
                                              .sections = within,
                                              .section_count = 2,
                                              .symbols = marks,
                                              .symbol_count = 2,
                                              .before_code = 1});
    } else {
        made_number(&text, 40, 4);
        while (text.size < 40)
            buffer_append(&text, "\x34", 1);
        buffer_append(&text, kernel.data, kernel.size);
    }
    const struct made_section sections[] = {{".brig", SHT_PROGBITS, 0, 0, "HSA BRIG", 8},
                                            {".rodata", SHT_PROGBITS, 0, 0, "metadata", 8},
                                            {".text", SHT_PROGBITS, SHF_EXECINSTR, 0, text.data, text.size}};
    const struct made_symbol symbols[] = {{"__OpenCL_&__OpenCL_first_kernel_metadata", 0, 8, STT_OBJECT, 2},
                                          {"__ISA_&__OpenCL_first_kernel_metadata", 0, 8, STT_OBJECT, 2},
                                          {"__ISA_&__OpenCL_first_kernel_binary", 0, text.size, STT_FUNC, 3}};
    made_write(file, &(struct made_file){.is_64 = is_64,
                                         .type = ET_EXEC,
                                         .machine = is_64 ? 0xaf5b : 0xaf5a,
                                         .flags = device,
                                         .sections = sections,
                                         .section_count = 3,
                                         .symbols = symbols,
                                         .symbol_count = later ? 1 : 3});
    buffer_free(&notes);
    buffer_free(&kernel);
    buffer_free(&text);
}

#endif
