/* RISC-V with 64 bits, a handful of its rows. Numbers: The RISC-V Instruction Set Manual, volume I, 2.3. */
#ifndef TESTS_ISA_TOYS_RV64_RV64_H
#define TESTS_ISA_TOYS_RV64_RV64_H

#include "tests/isa/toys/toy.h"

#include <elf.h>
#include <llvm-c/Target.h>
#include <string.h>

#define RV64_STORED                                                                                          \
    {                                                                                                        \
        {0, 5, 7},                                                                                           \
        {                                                                                                    \
            5, 7, 25                                                                                         \
        }                                                                                                    \
    }
#define RV64_BRANCH                                                                                          \
    {                                                                                                        \
        {0, 4, 8}, {4, 6, 25}, {10, 1, 7},                                                                   \
        {                                                                                                    \
            11, 1, 31                                                                                        \
        }                                                                                                    \
    }
#define RV64_JUMP                                                                                            \
    {                                                                                                        \
        {0, 10, 21}, {10, 1, 20}, {11, 8, 12},                                                               \
        {                                                                                                    \
            19, 1, 31                                                                                        \
        }                                                                                                    \
    }

static const struct number_class rv64_displacements[] = {
    NUMBER_CLASS(-2048, 2047, 1, 12, 0x555, -0x556),
    {.low = -2048, .high = 2047, .multiple = 1, .bits = 12, .probes = {0x555, -0x556}, .pieces = RV64_STORED},
};

static const struct number_class rv64_immediates[] = {
    NUMBER_CLASS(-2048, 2047, 1, 12, 0x555, -0x556),
    NUMBER_CLASS(0, 0xfffff, 1, 20, 0x55555, 0xaaaaa),
};

static const struct number_class rv64_targets[] = {
    {.low = -4096, .high = 4094, .multiple = 2, .bits = 12, .probes = {0x554, -0x554}, .pieces = RV64_BRANCH},
    {.low = -0x100000,
     .high = 0xffffe,
     .multiple = 2,
     .bits = 20,
     .probes = {0x554, -0x554},
     .pieces = RV64_JUMP},
};

static const struct number_classes rv64_numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {rv64_displacements, 2},
    [NUMBER_IMMEDIATE] = {rv64_immediates, 2},
    [NUMBER_TARGET] = {rv64_targets, 2},
};

static const struct reach rv64_reaches[] = {{0, -2048, 2047, 1}};

#define RV64(name)                                                                                           \
    {                                                                                                        \
#name,                                                                                               \
        {                                                                                                    \
            {                                                                                                \
                0, NULL                                                                                      \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct register_name rv64_registers[] = {
    RV64(a0), RV64(a1), RV64(a2), RV64(a3), RV64(a4), RV64(a5), RV64(a6), RV64(a7),
    RV64(t0), RV64(t1), RV64(t2), RV64(t3), RV64(t4), RV64(t5), RV64(t6),
};

static void rv64_prepare(void)
{
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmParsers();
    LLVMInitializeAllAsmPrinters();
    LLVMInitializeAllDisassemblers();
}

static enum memory_use rv64_memory_use(const char *text)
{
    static const char *const stores[] = {"sb\t", "sh\t", "sw\t", "sd\t", "fsw\t", "fsd\t"};
    if (strchr(text, '(') == NULL)
        return MEMORY_UNUSED;
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
        if (strncmp(text, stores[i], strlen(stores[i])) == 0)
            return MEMORY_WRITTEN;
    return MEMORY_READ;
}

static const struct isa isa_rv64 = {
    .name = "rv64",
    .skeleton = "kernel.s",
    .start = "start.s",
    .plain_width = 8,
    .triple = "riscv64-unknown-linux-gnu",
    .cpu = "generic-rv64",
    .features = "+m,+d",
    .prepare = rv64_prepare,
    .syntax = {.comment = "#", .open = '(', .close = ')', .address = "{disp}({base})"},
    .register_prefix = "",
    .registers = rv64_registers,
    .register_count = sizeof rv64_registers / sizeof rv64_registers[0],
    .memory_use = rv64_memory_use,
    .filler = "unimp",
    .numbers = rv64_numbers,
    .branch_origin = ORIGIN_START,
    .code_align = 4,
    .reaches = rv64_reaches,
    .reach_count = 1,
    .elf_machine = EM_RISCV,
    .elf_flags = EF_RISCV_FLOAT_ABI_DOUBLE,
    .load_align = 4096,
};

static const struct toy toy_rv64 = {
    .isa = &isa_rv64,
    .home = "rv64",
    .qemu = "qemu-riscv64",
    .rows = {"ld {r}, {n}({r})", "sd {r}, {n}({r})", "lbu {r}, {n}({r})", "sw {r}, {n}({r})",
             "fld fa0, {n}({r})", "fsd fa1, {n}({r})", "add {r}, {r}, {r}", "addi {r}, {r}, {n}",
             "xori {r}, {r}, {n}", "slli {r}, {r}, 3", "lui {r}, {n}", "mul {r}, {r}, {r}", "nop",
             "mv {r}, {r}", "rdtime {r}", NULL},
    .lines = "trauma_kernel: # a label and a comment\n"
             "  beqz a0, .Lreturn # forward\n"
             "  ld a3, 2047(a1) # the farthest\n"
             "  sd a3, -2048(a1)\n"
             "1: addi a0, a0, -1\n"
             "  bnez a0, 1b\n"
             "  blt a3, a4, 1b\n"
             "  .p2align 4, 1\n"
             "  jal t0, .Lreturn\n"
             "  j 1b\n"
             ".Lreturn: ret\n" /* a difference of labels is left to the linker by MC */
             "  .quad 7, 5\n",
    .branches = {{"beq a0, a1,", 0xffe, true},
                 {"beq a0, a1,", 0x1000, false},
                 {"beq a0, a1,", -0x1000, true},
                 {"beq a0, a1,", -0x1002, false},
                 {"jal t0,", 0xffffe, true},
                 {"jal t0,", -0x100000, true},
                 {"j", 0x2000, true}},
    .counts = {{"ld\ta3, 8(a1)", "ld<"},
               {"sd\ta3, 8(a1)", "sd>"},
               {"fsd\tfa0, 8(a1)", "fsd>"},
               {"sub\ta3, a1, a2", "sub"}},
    .address = "64(a0)",
};

#endif
