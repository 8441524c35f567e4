/* Code objects made in the tests: text assembled by LLVM MC, in an ELF file with one kernel, whose scalar
 * registers 0 and 1 have the arguments' address and 2 the work-group's number. */
#ifndef TESTS_WAVE_OBJECT_H
#define TESTS_WAVE_OBJECT_H

#include "base/buffer.h"
#include "isa/gcn/target.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <elf.h>
#include <llvm-c/Target.h>
#include <string.h>

#ifdef TRAUMA_LLVM_AMDGPU
static inline void object_prepare(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
}
#else
static inline void object_prepare(void)
{
}
#endif

enum { OBJECT_KD = 0x40, OBJECT_SYMBOLS = 0x80, OBJECT_STRINGS = 0xb0, OBJECT_TEXT = 0x100 };

struct object_kernel {
    const char *target; /* "gfx701" */
    unsigned vgprs, lds;
    unsigned lanes; /* of a wave; 0: 64 */
};

static inline void object_put(unsigned char *file, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        file[at + i] = (unsigned char)(value >> (8 * i));
}

/* Appends the file of a kernel "trauma_kernel" with that code. */
static inline void object_wrap(const struct object_kernel *kernel, const void *code, size_t size,
                               struct buffer *object)
{
    static const char STRINGS[] = "\0trauma_kernel.kd";
    unsigned char head[OBJECT_TEXT] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 3};
    const Elf64_Shdr sections[] = {
        {0},
        {0, SHT_PROGBITS, SHF_ALLOC, OBJECT_KD, OBJECT_KD, 64, 0, 0, 64, 0},
        {0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, OBJECT_TEXT, OBJECT_TEXT, size, 0, 0, 4, 0},
        {0, SHT_SYMTAB, 0, 0, OBJECT_SYMBOLS, 2 * sizeof(Elf64_Sym), 4, 0, 8, sizeof(Elf64_Sym)},
        {0, SHT_STRTAB, 0, 0, OBJECT_STRINGS, sizeof STRINGS, 0, 0, 1, 0},
    };
    const Elf64_Sym symbol = {1, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 1, OBJECT_KD, 64};
    object_put(head, 16, ET_DYN, 2);
    object_put(head, 18, 224, 2);
    object_put(head, 40, OBJECT_TEXT + size, 8);
    object_put(head, 48, gcn_target_named(kernel->target)->mach, 4);
    object_put(head, 52, 64, 2);
    object_put(head, 58, sizeof(Elf64_Shdr), 2);
    object_put(head, 60, sizeof sections / sizeof sections[0], 2);
    object_put(head, 62, 4, 2);
    object_put(head, OBJECT_KD, kernel->lds, 4);
    object_put(head, OBJECT_KD + 8, 32, 4);
    object_put(head, OBJECT_KD + 16, OBJECT_TEXT - OBJECT_KD, 8);
    object_put(head, OBJECT_KD + 44, (kernel->vgprs > 64 ? 64 : kernel->vgprs) / 4 - 1, 4); /* ACCUM_OFFSET */
    object_put(head, OBJECT_KD + 48, kernel->vgprs / (kernel->lanes == 32 ? 8 : 4) - 1, 4);
    object_put(head, OBJECT_KD + 52, 2 << 1 | 1 << 7, 4);
    object_put(head, OBJECT_KD + 56, 1 << 3 | (kernel->lanes == 32 ? 1 << 10 : 0), 4);
    memcpy(head + OBJECT_SYMBOLS + sizeof symbol, &symbol, sizeof symbol);
    memcpy(head + OBJECT_STRINGS, STRINGS, sizeof STRINGS);
    buffer_append(object, head, sizeof head);
    buffer_append(object, code, size);
    buffer_append(object, sections, sizeof sections);
}

/* The text with GFX12's waits, barrier and absent scalar offset, which earlier generations have otherwise. */
static inline struct buffer object_text12(const char *text)
{
    static const char *const words[][2] = {
        {"s_waitcnt vmcnt(0) lgkmcnt(0)", "s_wait_loadcnt_dscnt 0x0\ns_wait_kmcnt 0x0"},
        {"s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0\ns_wait_kmcnt 0x0"},
        {"s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"},
        {"s_waitcnt vmcnt(1)", "s_wait_loadcnt 0x1"},
        {"s_barrier\n", "s_barrier_signal -1\ns_barrier_wait -1\n"},
        {"s_waitcnt_vscnt null, 0x0", "s_wait_storecnt 0x0"},
        {"\ns_inst_prefetch 0x1", ""},
        {", 0 offen", ", null offen"},
    };
    struct buffer out = {0};
    while (*text != '\0') {
        size_t i = 0;
        while (i < sizeof words / sizeof words[0] && strncmp(text, words[i][0], strlen(words[i][0])) != 0)
            i++;
        bool found = i < sizeof words / sizeof words[0];
        buffer_append(&out, found ? words[i][1] : text, found ? strlen(words[i][1]) : 1);
        text += found ? strlen(words[i][0]) : 1;
    }
    return out;
}

/* The same with code from text. */
static inline void object_assemble(const struct object_kernel *kernel, const char *text,
                                   struct buffer *object)
{
    struct isa isa = {.name = "gcn", .triple = "amdgcn--", .cpu = kernel->target, .prepare = object_prepare};
    struct buffer assembled = {0};
    struct object_part part;
    struct error error;
    bool later = gcn_target_named(kernel->target)->generation >= 12;
    struct buffer own = later ? object_text12(text) : (struct buffer){0};
    if (mc_assemble(&isa, later ? own.data : text, "text", &assembled, &error) != STATUS_OK)
        fail_msg("line %d: %s", error.line, error.message);
    buffer_free(&own);
    assert_int_equal(object_section(assembled.data, assembled.size, ".text", &part, &error), STATUS_OK);
    object_wrap(kernel, part.bytes, part.size, object);
    buffer_free(&assembled);
}

#endif
