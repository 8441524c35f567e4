#include "isa/isa.h"

#include "isa/x86_64/numbers.h"
#include "isa/x86_64/text_rules.h"

#include <elf.h>
#include <llvm-c/Target.h>

#define SCALAR(name, half)                                                                                   \
    {                                                                                                        \
#name,                                                                                               \
        {                                                                                                    \
            {                                                                                                \
                32, #half                                                                                    \
            }                                                                                                \
        }                                                                                                    \
    }
#define VECTOR(n)                                                                                            \
    {                                                                                                        \
        "xmm" #n,                                                                                            \
        {                                                                                                    \
            {256, "ymm" #n},                                                                                 \
            {                                                                                                \
                512, "zmm" #n                                                                                \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct register_name registers[] = {
    SCALAR(rax, eax),  SCALAR(rbx, ebx),  SCALAR(rcx, ecx),  SCALAR(rdx, edx),  SCALAR(rsi, esi),
    SCALAR(rdi, edi),  SCALAR(rbp, ebp),  SCALAR(rsp, esp),  SCALAR(r8, r8d),   SCALAR(r9, r9d),
    SCALAR(r10, r10d), SCALAR(r11, r11d), SCALAR(r12, r12d), SCALAR(r13, r13d), SCALAR(r14, r14d),
    SCALAR(r15, r15d), VECTOR(0),         VECTOR(1),         VECTOR(2),         VECTOR(3),
    VECTOR(4),         VECTOR(5),         VECTOR(6),         VECTOR(7),         VECTOR(8),
    VECTOR(9),         VECTOR(10),        VECTOR(11),        VECTOR(12),        VECTOR(13),
    VECTOR(14),        VECTOR(15),
};

static void prepare(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86Disassembler();
}

const struct isa isa_x86_64 = {
    .name = "x86_64",
    .skeleton = "kernel.s",
    .start = "start.s",
    .plain_width = 8,
    .triple = "x86_64-unknown-linux-gnu",
    .cpu = "x86-64",
    .register_prefix = "%",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .elf_machine = EM_X86_64,
    .comment = '#',
    .numbers = x86_64_numbers,
    .text_rules = &x86_64_text_rules,
    .prepare = prepare,
};
