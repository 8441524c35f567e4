#include "isa/isa.h"

#include "isa/x86_64/text_rules.h"

#include <elf.h>
#include <llvm-c/Target.h>

static const struct register_name registers[] = {
    {"rax", "eax"},  {"rbx", "ebx"},  {"rcx", "ecx"},  {"rdx", "edx"},  {"rsi", "esi"},  {"rdi", "edi"},
    {"rbp", "ebp"},  {"rsp", "esp"},  {"r8", "r8d"},   {"r9", "r9d"},   {"r10", "r10d"}, {"r11", "r11d"},
    {"r12", "r12d"}, {"r13", "r13d"}, {"r14", "r14d"}, {"r15", "r15d"},
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
    .triple = "x86_64-unknown-linux-gnu",
    .cpu = "x86-64",
    .register_prefix = "%",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .elf_machine = EM_X86_64,
    .text_rules = &x86_64_text_rules,
    .prepare = prepare,
};
