/* AArch64 itself, with instructions and branches at the edges of their fields. */
#ifndef TESTS_ISA_TOYS_A64_A64_H
#define TESTS_ISA_TOYS_A64_A64_H

#include "tests/isa/toys/toy.h"

static const struct toy toy_a64 = {
    .isa = &isa_aarch64,
    .home = "../../..",
    .registers = 16,
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
