/* More of AMD's containers made by hand: a kernel's file with code for two devices, offload bundles, host
 * programs that hold them. */
#ifndef TESTS_GCN_CONTAINERS_H
#define TESTS_GCN_CONTAINERS_H

#include "tests/gcn_files.h"

/* Code for a device, by the number that an inner file's dictionary has for it. */
struct made_encoding {
    uint32_t device;
    const struct buffer *code;
};

/* Catalyst, OpenCL 1.2: the kernel "first" in an inner file with code for two devices. Its symbol has neither
 * a type nor the only place in the section. */
static inline void made_two_devices(struct buffer *file, bool is_64, unsigned machine,
                                    const struct made_encoding two[2])
{
    enum { DICTIONARY_AT = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), ENTRY = 20, BEFORE = 3 };
    struct buffer inner = {0};
    struct buffer text = {0};
    const struct made_section within[] = {
        {".text", SHT_PROGBITS, 0, 0, two[0].code->data, two[0].code->size},
        {".text", SHT_PROGBITS, 0, 0, two[1].code->data, two[1].code->size}};
    made_write(&inner, &(struct made_file){.type = ET_EXEC,
                                           .machine = 0x7d,
                                           .flags = 1,
                                           .osabi = 0x64,
                                           .sections = within,
                                           .section_count = 2,
                                           .encoding = two[1].device,
                                           .before_code = BEFORE});
    size_t at = DICTIONARY_AT + 2 * ENTRY + BEFORE;
    for (size_t i = 0; i < 2; i++) {
        size_t entry = DICTIONARY_AT + i * ENTRY;
        made_set(&inner, entry, two[i].device, 4);
        made_set(&inner, entry + 8, at, 4);
        made_set(&inner, entry + 12, two[i].code->size, 4);
        at += two[i].code->size;
    }
    buffer_append(&text, "odd", 3);
    buffer_append(&text, inner.data, inner.size);
    const struct made_section sections[] = {
        {".rodata", SHT_PROGBITS, SHF_ALLOC, 0, "0123456", 7},
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, text.data, text.size}};
    const struct made_symbol symbols[] = {{"__OpenCL_first_metadata", 0, 7, STT_OBJECT, 1},
                                          {"__OpenCL_first_kernel", 3, inner.size, STT_NOTYPE, 2},
                                          {"__OpenCL_first_header", 7, 0, STT_OBJECT, 1}};
    made_write(file, &(struct made_file){.is_64 = is_64,
                                         .type = ET_EXEC,
                                         .machine = machine,
                                         .sections = sections,
                                         .section_count = 2,
                                         .symbols = symbols,
                                         .symbol_count = 3});
    buffer_free(&inner);
    buffer_free(&text);
}

enum { MADE_BUNDLE_HEADER = 32, MADE_BUNDLE_ENTRY = 24 };

/* Appends a bundle of code objects for those processors, behind an empty entry for the host. */
static inline void made_bundle(struct buffer *file, const char *const *targets, const struct buffer *objects,
                               size_t count)
{
    static const char HOST[] = "host-x86_64-unknown-linux";
    size_t start = file->size;
    size_t at = MADE_BUNDLE_HEADER + MADE_BUNDLE_ENTRY + strlen(HOST);
    char names[8][80];
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "hipv4-amdgcn-amd-amdhsa--%s", targets[i]);
        at += MADE_BUNDLE_ENTRY + strlen(names[i]);
    }
    buffer_append(file, "__CLANG_OFFLOAD_BUNDLE__", 24);
    made_number(file, count + 1, 8);
    made_number(file, at, 8);
    made_number(file, 0, 8);
    made_number(file, strlen(HOST), 8);
    buffer_append(file, HOST, strlen(HOST));
    for (size_t i = 0; i < count; i++) {
        made_number(file, at, 8);
        made_number(file, objects[i].size, 8);
        made_number(file, strlen(names[i]), 8);
        buffer_append(file, names[i], strlen(names[i]));
        at += objects[i].size;
    }
    for (size_t i = 0; i < count; i++)
        buffer_append(file, objects[i].data, objects[i].size);
    if (file->size != start + at)
        abort();
}

/* An object of old ROCm: the kernels "first" and "second", each an amd_kernel_code_t and the code behind it,
 * under FUNC symbols; or one symbol of no size at the first. The headers have words at 0x38 that look like
 * placeholders: s_add_i32 s0, s16, s2 and s_movk_i32 s7, 0x7a5a. */
static inline void made_old_rocm(struct buffer *file, const char *target, const unsigned version[3],
                                 const struct buffer *code, bool symbols, unsigned kernels)
{
    struct buffer both = {0};
    size_t one = 0;
    for (unsigned i = 0; i < kernels; i++) {
        made_with_header(&both, version[0], version[1], version[2], code);
        made_set(&both, i * one + 0x38, 0x81000210, 4);
        made_set(&both, i * one + 0x3c, 0xb0077a5a, 4);
        one = both.size / (i + 1);
    }
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, both.data, both.size}};
    const struct made_symbol marks[] = {{"first", 0x1000, symbols ? one : 0, STT_FUNC, 1},
                                        {"second", 0x1000 + one, one, STT_FUNC, 1}};
    made_write(file, &(struct made_file){.is_64 = true,
                                         .type = ET_DYN,
                                         .machine = 0xe0,
                                         .flags = gcn_target_named(target)->mach,
                                         .osabi = 64,
                                         .sections = sections,
                                         .section_count = 1,
                                         .symbols = marks,
                                         .symbol_count = symbols ? kernels : 1});
    buffer_free(&both);
}

/* A program for the host with that section. */
static inline void made_host(struct buffer *file, const char *section, const struct buffer *content)
{
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "\xc3", 1},
        {section, SHT_PROGBITS, SHF_ALLOC, 0x2000, content->data, content->size}};
    const struct made_symbol symbols[] = {{"main", 0x1000, 1, STT_FUNC, 1}};
    made_write(file, &(struct made_file){.is_64 = true,
                                         .type = ET_DYN,
                                         .machine = EM_X86_64,
                                         .sections = sections,
                                         .section_count = 2,
                                         .symbols = symbols,
                                         .symbol_count = 1});
}

#endif
