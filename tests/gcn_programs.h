/* Programs for tests of the assembler and linker for AMD's GPUs: kernels with descriptors and metadata. */
#ifndef TESTS_GCN_PROGRAMS_H
#define TESTS_GCN_PROGRAMS_H

#include "base/buffer.h"
#include "isa/gcn/link/link.h"

#include <stdio.h>
#include <string.h>

static const char *const program_targets[] = {
    "gfx600", "gfx601", "gfx700", "gfx701",  "gfx702",  "gfx803",  "gfx900",  "gfx906",  "gfx908",
    "gfx90a", "gfx940", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1101", "gfx1151", "gfx1201"};
enum { PROGRAM_TARGETS = sizeof program_targets / sizeof program_targets[0] };

/* Parts of a program that a test may replace. */
struct program {
    const char *gfx;
    unsigned kernels;
    const char *code;     /* of each kernel, before s_endpgm; NULL: an s_nop */
    const char *rest;     /* sections behind the descriptors; NULL: none */
    const char *metadata; /* in the place of the kernels' own */
    const char *align;    /* of a kernel; NULL: .p2align 8 */
};

static inline void program_kernel(struct buffer *text, const struct program *program, unsigned i)
{
    buffer_printf(text,
                  ".text\n.globl kernel%u\n%s\n.type kernel%u,@function\nkernel%u:\n%s\ns_endpgm\n"
                  ".Lend%u:\n.size kernel%u, .Lend%u-kernel%u\n",
                  i, program->align == NULL ? ".p2align 8" : program->align, i, i,
                  program->code == NULL ? "s_nop 1" : program->code, i, i, i, i);
    buffer_printf(text,
                  ".rodata\n.p2align 6\n.amdhsa_kernel kernel%u\n%s.amdhsa_next_free_vgpr 8\n"
                  ".amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n",
                  i,
                  strcmp(program->gfx, "gfx90a") == 0 || strncmp(program->gfx, "gfx94", 5) == 0
                      ? ".amdhsa_accum_offset 8\n"
                      : "");
}

static inline struct buffer program_text(const struct program *program)
{
    struct buffer text = {0};
    buffer_printf(&text, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n", program->gfx);
    for (unsigned i = 0; i < program->kernels; i++)
        program_kernel(&text, program, i);
    buffer_text(&text, program->rest == NULL ? "" : program->rest);
    buffer_text(&text, ".amdgpu_metadata\n---\namdhsa.version: [1, 1]\namdhsa.kernels:\n");
    for (unsigned i = 0; program->metadata == NULL && i < program->kernels; i++)
        buffer_printf(&text,
                      "  - {.name: kernel%u, .symbol: kernel%u.kd, .kernarg_segment_size: 0, "
                      ".group_segment_fixed_size: 0, .private_segment_fixed_size: 0, "
                      ".kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 8, .vgpr_count: 8, "
                      ".max_flat_workgroup_size: 256}\n",
                      i, i);
    buffer_printf(&text, "%s...\n.end_amdgpu_metadata\n", program->metadata == NULL ? "" : program->metadata);
    return text;
}

/* Fails the test where it does not assemble, or link. */
static inline struct buffer program_object(const struct program *program)
{
    struct buffer text = program_text(program);
    struct buffer object = {0};
    struct error error = {0};
    if (gcn_assemble_object(program->gfx, text.data, "program.s", &object, &error) != STATUS_OK)
        fail_msg("%s: %s:%d: %s", program->gfx, error.file, error.line, error.message);
    buffer_free(&text);
    return object;
}

static inline struct buffer program_linked(const struct program *program)
{
    struct buffer object = program_object(program);
    struct buffer linked = {0};
    struct error error = {0};
    if (gcn_link(&object, program->gfx, &linked, &error) != STATUS_OK)
        fail_msg("%s: %s", program->gfx, error.message);
    buffer_free(&object);
    return linked;
}

/* Each place that a relocation writes leads, from where it is, to what it names. */
static const char PROGRAM_RELOCATED[] = "s_getpc_b64 s[4:5]\n"
                                        "s_add_u32 s4, s4, table@rel32@lo+4\n"
                                        "s_addc_u32 s5, s5, table@rel32@hi+12\n"
                                        "s_mov_b32 s6, number@abs32@lo\n"
                                        "s_branch other";
/* What it refers to. */
static const char PROGRAM_TABLE[] = ".globl number\nnumber=0x12345678\n"
                                    ".section .rodata.table,\"a\",@progbits\n.p2align 4\n.globl table\n"
                                    "table: .quad other-.\n.long kernel0-.\n"
                                    ".section .text.other,\"ax\",@progbits\n.p2align 8\n.globl other\n"
                                    ".hidden other\nother: s_endpgm\n";

#endif
