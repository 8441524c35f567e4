#include "isa/gcn/walk/walk.h"

#include "base/memory.h"
#include "isa/gcn/binary/elf.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <ctype.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIPLE "amdgcn--"

struct gcn_walker {
    const struct gcn_target *target;
    LLVMDisasmContextRef disassembler; /* NULL on GFX6 and GFX7, where LLVM would end the process */
};

/* The words after the first. */
enum walk_tail {
    TAIL_NONE,
    TAIL_WORD,    /* always a second word */
    TAIL_SRC0_8,  /* a literal if bits 7:0 are 255 */
    TAIL_SRC01_8, /* or if bits 15:8 are */
    TAIL_SRC0_9,  /* if bits 8:0 are 255 */
};

/* GFX6 and GFX7 by their first word; the first row that matches. AMD's "Southern Islands" and "Sea Islands"
 * ISA manuals, chapter 12 (microcode formats). */
static const struct format {
    uint32_t mask, match;
    unsigned first; /* the first generation that has it */
    enum walk_tail tail;
} formats[] = {
    {0xff800000, 0xbe800000, 6, TAIL_SRC0_8},  /* SOP1 */
    {0xff800000, 0xbf000000, 6, TAIL_SRC01_8}, /* SOPC */
    {0xff800000, 0xbf800000, 6, TAIL_NONE},    /* SOPP */
    {0xff800000, 0xba800000, 6, TAIL_WORD},    /* SOPK: s_setreg_imm32_b32 */
    {0xf0000000, 0xb0000000, 6, TAIL_NONE},    /* SOPK */
    {0xc0000000, 0x80000000, 6, TAIL_SRC01_8}, /* SOP2 */
    {0xf80001ff, 0xc00000ff, 7, TAIL_WORD},    /* SMRD with a literal offset */
    {0xf8000000, 0xc0000000, 6, TAIL_NONE},    /* SMRD */
    {0xfc000000, 0xc8000000, 6, TAIL_NONE},    /* VINTRP */
    {0xfc000000, 0xd0000000, 6, TAIL_WORD},    /* VOP3 */
    {0xfc000000, 0xd8000000, 6, TAIL_WORD},    /* DS */
    {0xfc000000, 0xdc000000, 7, TAIL_WORD},    /* FLAT */
    {0xfc000000, 0xe0000000, 6, TAIL_WORD},    /* MUBUF */
    {0xfc000000, 0xe8000000, 6, TAIL_WORD},    /* MTBUF */
    {0xfc000000, 0xf0000000, 6, TAIL_WORD},    /* MIMG */
    {0xfc000000, 0xf8000000, 6, TAIL_WORD},    /* EXP */
    {0xfe000000, 0x7e000000, 6, TAIL_SRC0_9},  /* VOP1 */
    {0xfe000000, 0x7c000000, 6, TAIL_SRC0_9},  /* VOPC */
    {0xfe000000, 0x40000000, 6, TAIL_WORD},    /* VOP2: v_madmk_f32 */
    {0xfe000000, 0x42000000, 6, TAIL_WORD},    /* VOP2: v_madak_f32 */
    {0x80000000, 0x00000000, 6, TAIL_SRC0_9},  /* VOP2 */
};

static bool has_tail(enum walk_tail tail, uint32_t word)
{
    switch (tail) {
    case TAIL_WORD:
        return true;
    case TAIL_SRC0_8:
        return (word & 0xff) == 0xff;
    case TAIL_SRC01_8:
        return (word & 0xff) == 0xff || (word >> 8 & 0xff) == 0xff;
    case TAIL_SRC0_9:
        return (word & 0x1ff) == 0xff;
    default:
        return false;
    }
}

static size_t table_length(const struct gcn_target *target, uint32_t word)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (target->generation >= formats[i].first && (word & formats[i].mask) == formats[i].match)
            return has_tail(formats[i].tail, word) ? 8 : 4;
    return 0;
}

#ifdef TRAUMA_LLVM_AMDGPU
void gcn_llvm_prepare(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUDisassembler();
}
#else
void gcn_llvm_prepare(void)
{
}
#endif

static enum status assemble(const struct gcn_target *target, const char *text, struct buffer *object,
                            struct error *error)
{
    const struct isa isa = {
        .name = "gcn", .triple = TRIPLE, .cpu = target->name, .prepare = gcn_llvm_prepare};
    enum status status = mc_assemble(&isa, text, "text", object, error);
    struct gcn_elf elf;
    if (status != STATUS_OK)
        return status;
    /* LLVM assembles for another processor if it does not know this one; the object's flags show it. */
    status = gcn_elf_open((const unsigned char *)object->data, object->size, &elf, error);
    if (status == STATUS_OK && gcn_target_of(GCN_CODE_MACH, elf.flags) != target) {
        error_set(error, STATUS_UNAVAILABLE, "this LLVM does not support %s", target->name);
        error_hint(error, "build with a newer one: cmake -DTRAUMA_LLVM_CONFIG=llvm-config-20");
        return STATUS_UNAVAILABLE;
    }
    return status;
}

struct gcn_walker *gcn_walker_open(const struct gcn_target *target, struct error *error)
{
    struct buffer object = {0};
    enum status status = assemble(target, "s_nop 0\n", &object, error);
    buffer_free(&object);
    if (status != STATUS_OK) {
        error->code = STATUS_UNAVAILABLE;
        return NULL;
    }
    struct gcn_walker *walker = memory_zeroed(1, sizeof *walker);
    walker->target = target;
    if (target->generation >= 8)
        walker->disassembler = LLVMCreateDisasmCPU(TRIPLE, target->name, NULL, 0, NULL, NULL);
    if (target->generation >= 8 && walker->disassembler == NULL) {
        error_set(error, STATUS_UNAVAILABLE, "this LLVM has no disassembler for %s", target->name);
        gcn_walker_close(walker);
        return NULL;
    }
    return walker;
}

void gcn_walker_close(struct gcn_walker *walker)
{
    if (walker != NULL && walker->disassembler != NULL)
        LLVMDisasmDispose(walker->disassembler);
    free(walker);
}

bool gcn_walker_may_crash(const struct gcn_walker *walker)
{
    return walker->disassembler != NULL;
}

/* True for a vector instruction followed by an SDWA word. LLVM's printer crashes on reserved values in that
 * word, and the binary is untrusted, so these instructions are handled by their format alone. */
static bool has_sdwa(const struct gcn_target *target, uint32_t word)
{
    return target->generation <= 10 && word >> 31 == 0 && (word & 0x1ff) == 0xf9;
}

size_t gcn_walker_step(struct gcn_walker *walker, const unsigned char *at, size_t left,
                       char text[GCN_TEXT_BYTES])
{
    text[0] = '\0';
    if (left < 4)
        return 0;
    uint32_t word = gcn_read32(at);
    bool sdwa = walker->disassembler != NULL && has_sdwa(walker->target, word);
    if (walker->disassembler == NULL || sdwa) {
        size_t length = sdwa ? 8 : table_length(walker->target, word);
        return length <= left ? length : 0;
    }
    /* LLVM's parameter is not const, although it does not change the bytes. */
    uint8_t copy[GCN_INSTRUCTION_BYTES];
    size_t size = left < sizeof copy ? left : sizeof copy;
    char found[GCN_TEXT_BYTES];
    memcpy(copy, at, size);
    size_t length = LLVMDisasmInstruction(walker->disassembler, copy, size, 0, found, sizeof found);
    if (length == 0 || length > size || length % 4 != 0)
        return 0;
    snprintf(text, GCN_TEXT_BYTES, "%s", found + strspn(found, " \t"));
    return length;
}

static enum status not_one(const char *text, struct error *error)
{
    return error_set(error, STATUS_USAGE, "'%.200s' is not a single self-contained instruction", text);
}

static bool is_name(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

/* False for text that may be more than one instruction: several, directives, labels. */
static bool may_be_one(const char *text)
{
    text += strspn(text, " \t");
    if (strpbrk(text, ";\n\r\"") != NULL || !is_name(*text))
        return false;
    while (is_name(*text) || *text == '.' || *text == '$')
        text++;
    return text[strspn(text, " \t")] != ':';
}

/* From GFX10 on LLVM reads HW_ID as HW_ID1, which has fields at other bits. */
static enum status check_names(const struct gcn_target *target, const char *text, struct error *error)
{
    static const char NAME[] = "HW_REG_HW_ID";
    if (target->generation < 10)
        return STATUS_OK;
    for (const char *at = strcasestr(text, NAME); at != NULL; at = strcasestr(at + 1, NAME)) {
        if (is_name(at[strlen(NAME)]))
            continue;
        error_set(error, STATUS_USAGE, "'%.200s': %s has no register HW_ID", text, target->name);
        error_hint(error, "GFX10 and later have HW_REG_HW_ID1, with other fields at other bits: wave 0-4, "
                          "simd 8-9, wgp 10-13, sa 16; --field accepts their names");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* True if the object needs a linker. */
static bool has_relocations(const struct buffer *object)
{
    struct object_part part;
    struct error none;
    return object_section(object->data, object->size, ".rela.text", &part, &none) == STATUS_OK ||
           object_section(object->data, object->size, ".rel.text", &part, &none) == STATUS_OK;
}

enum status gcn_assemble(const struct gcn_target *target, const char *text,
                         unsigned char bytes[GCN_INSTRUCTION_BYTES], size_t *length, struct error *error)
{
    struct buffer line = {0};
    struct buffer object = {0};
    struct object_part part;
    if (!may_be_one(text))
        return not_one(text, error);
    enum status status = check_names(target, text, error);
    if (status != STATUS_OK)
        return status;
    buffer_printf(&line, "%s\n", text);
    status = assemble(target, line.data, &object, error);
    buffer_free(&line);
    if (status == STATUS_FAILED) {
        error->code = status = STATUS_USAGE;
        error_at(error, "", 0);
        error_prefix(error, "'%.200s' is not an instruction of %s", text, target->name);
    } else if (status == STATUS_OK) {
        if (has_relocations(&object) ||
            object_section(object.data, object.size, ".text", &part, error) != STATUS_OK || part.size < 4 ||
            part.size > GCN_INSTRUCTION_BYTES)
            status = not_one(text, error);
        else
            memcpy(bytes, part.bytes, *length = part.size);
    }
    buffer_free(&object);
    return status;
}
