/* AArch64, a handful of its rows. Numbers: Arm's Architecture Reference Manual, C6.2. */
#ifndef TESTS_ISA_TOYS_A64_A64_H
#define TESTS_ISA_TOYS_A64_A64_H

#include "tests/isa/toys/toy.h"

#include <elf.h>
#include <llvm-c/Target.h>
#include <string.h>

#define A64_UNSIGNED(m) NUMBER_CLASS(0, 4095 * (m), m, 12, 0x555 * (m), 0xaab * (m))

static const struct number_class a64_displacements[] = {
    A64_UNSIGNED(1),
    A64_UNSIGNED(2),
    A64_UNSIGNED(4),
    A64_UNSIGNED(8),
    A64_UNSIGNED(16),
    NUMBER_CLASS(-256, -1, 1, 9, -0x56, -0xab),
    NUMBER_CLASS(0, 255, 1, 9, 0x55, 0xab),
};

static const struct number_class a64_immediates[] = {
    NUMBER_CLASS(0, 4095, 1, 12, 0x555, 0xaab),
    NUMBER_CLASS(0, 0xfff000, 0x1000, 12, 0x555000, 0xaab000),
    NUMBER_CLASS(0, 0xffff, 1, 16, 0x5555, 0xaaab),
};

static const struct number_class a64_targets[] = {
    NUMBER_CLASS(-0x8000, 0x7ffc, 4, 14, 0x1554, -0x1554),
    NUMBER_CLASS(-0x100000, 0xffffc, 4, 19, 0x1554, -0x1554),
    {.low = -0x100000,
     .high = 0xfffff,
     .multiple = 1,
     .bits = 21,
     .probes = {0x1554, -0x1554},
     .pieces = {{0, 2, 29}, {2, 19, 5}}},
    NUMBER_CLASS(-0x8000000, 0x7fffffc, 4, 26, 0x1554, -0x1554),
};

static const struct number_classes a64_numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {a64_displacements, sizeof a64_displacements / sizeof a64_displacements[0]},
    [NUMBER_IMMEDIATE] = {a64_immediates, sizeof a64_immediates / sizeof a64_immediates[0]},
    [NUMBER_TARGET] = {a64_targets, sizeof a64_targets / sizeof a64_targets[0]},
};

static const struct reach a64_reaches[] = {
    {4, 0, 16380, 4}, {8, 0, 32760, 8}, {16, 0, 65520, 16}, {0, -256, 255, 1}};

#define A64(n)                                                                                               \
    {                                                                                                        \
        "x" #n,                                                                                              \
        {                                                                                                    \
            {                                                                                                \
                32, "w" #n                                                                                   \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct register_name a64_registers[] = {
    A64(0), A64(1), A64(2),  A64(3),  A64(4),  A64(5),  A64(6),  A64(7),
    A64(8), A64(9), A64(10), A64(11), A64(12), A64(13), A64(14), A64(15),
};

static void a64_prepare(void)
{
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmParsers();
    LLVMInitializeAllAsmPrinters();
    LLVMInitializeAllDisassemblers();
}

static enum memory_use a64_memory_use(const char *text)
{
    if (strchr(text, '[') == NULL)
        return MEMORY_UNUSED;
    return strncmp(text, "st", 2) == 0 ? MEMORY_WRITTEN : MEMORY_READ;
}

static const struct isa isa_a64 = {
    .name = "a64",
    .skeleton = "kernel.s",
    .start = "start.s",
    .plain_width = 8,
    .triple = "aarch64-unknown-linux-gnu",
    .cpu = "generic",
    .prepare = a64_prepare,
    .syntax = {.comment = "//",
               .immediate = '#',
               .open = '[',
               .close = ']',
               .displacement_inside = true,
               .address = "[{base}, #{disp}]"},
    .register_prefix = "",
    .registers = a64_registers,
    .register_count = sizeof a64_registers / sizeof a64_registers[0],
    .memory_use = a64_memory_use,
    .filler = "udf",
    .numbers = a64_numbers,
    .branch_origin = ORIGIN_START,
    .code_align = 4,
    .reaches = a64_reaches,
    .reach_count = sizeof a64_reaches / sizeof a64_reaches[0],
    .elf_machine = EM_AARCH64,
    .load_align = 65536,
};

static const struct toy toy_a64 = {
    .isa = &isa_a64,
    .home = "a64",
    .qemu = "qemu-aarch64",
    .rows = {"ldr {r}, [{r}, #{n}]",
             "str {r}, [{r}, #{n}]",
             "ldrb w3, [{r}, #{n}]",
             "strh w3, [{r}, #{n}]",
             "ldr w4, [{r}, #{n}]",
             "ldr q5, [{r}, #{n}]",
             "ldur {r}, [{r}, #{n}]",
             "ldr {r}, [{r}, {r}]",
             "ldr {r}, [{r}, {r}, lsl #3]",
             "add {r}, {r}, {r}",
             "add {r}, {r}, #{n}",
             "subs {r}, {r}, #{n}",
             "movz {r}, #{n}",
             "movk {r}, #{n}, lsl #16",
             "mul {r}, {r}, {r}",
             "eor {r}, {r}, {r}",
             "lsl {r}, {r}, #3",
             "and {r}, {r}, #{n}",
             "ldr {r}, [{r}], #8",
             "prfm pldl1keep, [{r}, #{n}]",
             "nop",
             "cmp {r}, #{n}",
             NULL},
    .lines = "trauma_kernel: // a label and a comment\n"
             "  cbz x0, .Lreturn // forward\n"
             "  ldr x3, [x1, #32760] // the farthest\n"
             "  ldr x3, [x1, #-8]\n"
             "1: subs x0, x0, #1\n"
             "  b.ne 1b\n"
             "  tbnz x3, #63, 1b\n"
             "  adr x5, trauma_kernel+1\n"
             "  adr x5, trauma_kernel\n"
             "  .p2align 4, 1\n"
             "  bl .Lreturn\n"
             ".Lreturn: ret\n"
             "  .quad .Lreturn - trauma_kernel, 5\n",
    .branches = {{"b.eq", 0xffffc, true},
                 {"b.eq", 0x100000, false},
                 {"b.eq", -0x100000, true},
                 {"b.eq", -0x100004, false},
                 {"tbz x3, #1,", 0x7ffc, true},
                 {"tbz x3, #1,", 0x8000, false},
                 {"tbz x3, #1,", -0x8000, true},
                 {"b", 0x100000, true},
                 {"b", -0x200000, true},
                 {"cbz x9,", -4, true}},
    .counts = {{"ldr\tx3, [x1, #8]", "ldr<"},
               {"str\tx3, [x1, #8]", "str>"},
               {"stp\tx3, x4, [x1]", "stp>"},
               {"prfm\tpldl1keep, [x1]", "prfm<"},
               {"add\tx3, x1, x2", "add"}},
    .address = "[x0, #64]",
};

#endif
