#include "isa/isa.h"
#include "isa/riscv64/riscv_texts.h"

#include <elf.h>
#include <inttypes.h>
#include <llvm-c/Target.h>
#include <string.h>

/* RISC-V with 64 bits. Numbers: The RISC-V Instruction Set Manual, volume I, 2.3 and the tables of
 * chapter 34. Programs use instructions of 4 bytes only (.option norvc). */

#define COUNT(rows) (sizeof rows / sizeof rows[0])

/* ---- numbers ---- */

/* Loads hold the displacement at the top, stores in two pieces. */
static const struct number_class displacements[] = {
    NUMBER_CLASS(-2048, 2047, 1, 12, 0x555, -0x556),
    {.low = -2048,
     .high = 2047,
     .multiple = 1,
     .bits = 12,
     .probes = {0x555, -0x556},
     .pieces = {{0, 5, 7}, {5, 7, 25}}},
    {.low = -2048, .high = 2016, .multiple = 32, .bits = 7, .probes = {0x540, -0x560}}, /* prefetches */
};

/* Shifts by less than 32, arithmetic ones too, have the number in six bits of their own. */
static const struct number_class immediates[] = {
    NUMBER_CLASS(-2048, 2047, 1, 12, 0x555, -0x556),
    NUMBER_CLASS(0, 63, 1, 6, 0x15, 0x2a),
    NUMBER_CLASS(0, 31, 1, 5, 0x15, 0xa),
    NUMBER_CLASS(0, 0xfffff, 1, 20, 0x55555, 0xaaaaa),
};

/* A conditional branch; a jump; and a conditional branch beyond its reach, which assemblers write as the
 * opposite branch over a jump: the jump's field counts from the second instruction. */
static const struct number_class targets[] = {
    {.low = -4096,
     .high = 4094,
     .multiple = 2,
     .bits = 12,
     .probes = {0x554, -0x554},
     .pieces = {{0, 4, 8}, {4, 6, 25}, {10, 1, 7}, {11, 1, 31}}},
    {.low = -0x100000,
     .high = 0xffffe,
     .multiple = 2,
     .bits = 20,
     .probes = {0x2554, -0x2554},
     .pieces = {{0, 10, 21}, {10, 1, 20}, {11, 8, 12}, {19, 1, 31}}},
    {.low = -0x100000 + 4,
     .high = 0xffffe + 4,
     .multiple = 2,
     .bits = 20,
     .probes = {0x2554, -0x2554},
     .pieces = {{0, 10, 53}, {10, 1, 52}, {11, 8, 44}, {19, 1, 63}},
     .origin = 4},
};

static const struct number_classes riscv64_numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {displacements, COUNT(displacements)},
    [NUMBER_IMMEDIATE] = {immediates, COUNT(immediates)},
    [NUMBER_TARGET] = {targets, COUNT(targets)},
};

static const struct reach reaches[] = {{0, -2048, 2047, 1}};

/* What lui and addiw take of a number of 32 bits, which sum to it, where code must have one length. */
static const struct number_part parts[] = {
    {"high", 0x800, 12, 20, false},
    {"low", 0, 0, 12, true},
    {NULL, 0, 0, 0, false},
};

static int64_t low12(uint64_t value)
{
    return (int64_t)((value & 0xfff) ^ 0x800) - 0x800;
}

/* The shortest way without pseudo-instructions, which assemblers expand differently: the number without its
 * lowest twelve bits, shifted right as far as it goes, then shifted back and those bits added. */
static void write_constant(const char *name, uint64_t value, struct buffer *output)
{
    int64_t number = (int64_t)value;
    int64_t low = low12(value);
    if (number == low) {
        buffer_printf(output, "addi %s, zero, %" PRId64, name, low);
        return;
    }
    if (number == (int32_t)number) {
        buffer_printf(output, "lui %s, %" PRIu64, name, (value + 0x800) >> 12 & 0xfffff);
        if (low != 0)
            buffer_printf(output, CONSTANT_NEXT "addiw %s, %s, %" PRId64, name, name, low);
        return;
    }
    uint64_t rest = value - (uint64_t)low;
    unsigned shift = (unsigned)__builtin_ctzll(rest);
    write_constant(name, (uint64_t)((int64_t)rest >> shift), output);
    buffer_printf(output, CONSTANT_NEXT "slli %s, %s, %u", name, name, shift);
    if (low != 0)
        buffer_printf(output, CONSTANT_NEXT "addi %s, %s, %" PRId64, name, name, low);
}

/* ---- registers ---- */

#define GENERAL(name)                                                                                        \
    {                                                                                                        \
#name,                                                                                               \
        {                                                                                                    \
            {                                                                                                \
                0, NULL                                                                                      \
            }                                                                                                \
        }                                                                                                    \
    }

/* A floating-point register; its wider views are a vector register, which no other one shares. */
#define FLOATING(name, vector)                                                                               \
    {                                                                                                        \
#name,                                                                                               \
        {                                                                                                    \
            {128, #vector}, {256, #vector},                                                                  \
            {                                                                                                \
                512, #vector                                                                                 \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct register_name registers[] = {
    GENERAL(zero),       GENERAL(ra),         GENERAL(sp),        GENERAL(gp),        GENERAL(tp),
    GENERAL(t0),         GENERAL(t1),         GENERAL(t2),        GENERAL(s0),        GENERAL(s1),
    GENERAL(a0),         GENERAL(a1),         GENERAL(a2),        GENERAL(a3),        GENERAL(a4),
    GENERAL(a5),         GENERAL(a6),         GENERAL(a7),        GENERAL(s2),        GENERAL(s3),
    GENERAL(s4),         GENERAL(s5),         GENERAL(s6),        GENERAL(s7),        GENERAL(s8),
    GENERAL(s9),         GENERAL(s10),        GENERAL(s11),       GENERAL(t3),        GENERAL(t4),
    GENERAL(t5),         GENERAL(t6),         FLOATING(ft0, v1),  FLOATING(ft1, v2),  FLOATING(ft2, v3),
    FLOATING(ft3, v4),   FLOATING(ft4, v5),   FLOATING(ft5, v6),  FLOATING(ft6, v7),  FLOATING(ft7, v8),
    FLOATING(fa0, v9),   FLOATING(fa1, v10),  FLOATING(fa2, v11), FLOATING(fa3, v12), FLOATING(fa4, v13),
    FLOATING(fa5, v14),  FLOATING(fa6, v15),  FLOATING(fa7, v16), FLOATING(ft8, v17), FLOATING(ft9, v18),
    FLOATING(ft10, v19), FLOATING(ft11, v20), FLOATING(v21, v21), FLOATING(v22, v22),
};

/* ---- texts ---- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Only accesses and jumps have an address; vector stores begin with "vs". */
static enum memory_use memory_use(const char *text)
{
    static const char *const plain[] = {"sb", "sh", "sw", "sd", "fsw", "fsd"};
    static const char *const stores[] = {"vs", "sc.", "amo"};
    size_t name = strcspn(text, " \t");
    if (memchr(text, '(', strcspn(text, ";#")) == NULL || begins(text, "jalr") || begins(text, "jr"))
        return MEMORY_UNUSED;
    for (size_t i = 0; i < COUNT(plain); i++)
        if (strlen(plain[i]) == name && strncmp(text, plain[i], name) == 0)
            return MEMORY_WRITTEN;
    for (size_t i = 0; i < COUNT(stores); i++)
        if (begins(text, stores[i]))
            return MEMORY_WRITTEN;
    return MEMORY_READ;
}

/* What write_constant writes, and moves on into floating-point and vector registers, of which vsetivli says
 * how many numbers they have. The first operand is written. */
static void follow(const char *text, struct register_words *words)
{
    struct operands operands = operands_read(&isa_riscv64, text);
    if (operands.count < 2 || operands.registers[0] < 0)
        return;
    int to = operands.registers[0];
    int from = operands.registers[1];
    uint64_t number = operands.numbers[operands.count - 1];
    bool known = from >= 0 && words->lanes[from] > 0;
    uint64_t word = known ? words->words[from] : 0;
    if (operands_of(text, "li") || operands_of(text, "lui")) {
        words->words[to] = operands_of(text, "li") ? number : (uint64_t)(int32_t)(uint32_t)(number << 12);
        words->lanes[to] = 1;
        return;
    }
    if (operands_of(text, "addi"))
        word += number;
    else if (operands_of(text, "addiw"))
        word = (uint64_t)(int32_t)(uint32_t)(word + number);
    else if (operands_of(text, "slli"))
        word <<= number % 64;
    else
        known =
            known && (operands_of(text, "mv") || operands_of(text, "fmv.d.x") || operands_of(text, "fmv.d"));
    if (operands_of(text, "vsetivli"))
        words->vector_lanes = (unsigned)operands.numbers[1];
    bool vector = operands_of(text, "vmv.v.x") || operands_of(text, "vmv.v.v");
    vector = vector && from >= 0 && words->lanes[from] > 0;
    words->words[to] = known || vector ? words->words[from] : 0;
    if (operands.count == 3 && known)
        words->words[to] = word;
    words->lanes[to] = vector ? words->vector_lanes : known;
}

static void prepare(void)
{
#ifdef TRAUMA_LLVM_RISCV
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmParser();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVDisassembler();
#endif
}

#if defined(__riscv) && __riscv_xlen == 64
static uint64_t ticks(void)
{
    uint64_t now;
    __asm__ volatile("rdtime %0" : "=r"(now));
    return now;
}
#else
static uint64_t (*const ticks)(void) = NULL;
#endif

/* The privileged architecture's timer: from 1 MHz on, so that short loops may end within one tick. */
static const struct host host = {.clock = "the time register",
                                 .source = "the device tree's timebase-frequency",
                                 .ticks = ticks,
                                 .passes_per_tick = 100000};

static const char *const markers[] = {"gem5", NULL};

static const struct extension extensions[] = {
    {"v", "v", ".option arch, +v"},
    {"zvl256b", "v", ".option arch, +v"},
    {"zvl512b", "v", ".option arch, +v"},
    {"zba", "zba", ".option arch, +zba"},
    {"zbb", "zbb", ".option arch, +zbb"},
    {"zbs", "zbs", ".option arch, +zbs"},
    {"zbc", "zbc", ".option arch, +zbc"},
    {"zfh", "zfh", ".option arch, +zfh"},
    {"zicbop", "zicbop", ".option arch, +zicbop"},
    {NULL, NULL, NULL},
};

const struct isa isa_riscv64 = {
    .name = "riscv64",
    .machine = "sifive-u74",
    .skeleton = "kernel.s",
    .start = "start.s",
    .markers = markers,
    .probe = "probe.s",
    .plain_width = 8,
    .triple = "riscv64-unknown-linux-gnu",
    .cpu = "generic-rv64",
    .one_vector_width = true,
    .features = "+m,+a,+f,+d,+v,+zba,+zbb,+zbs,+zbc,+zfh,+zicbop",
    .base_features = "+m,+a,+f,+d",
    .extensions = extensions,
    .prepare = prepare,
    .syntax = {.comment = "#", .open = '(', .close = ')', .address = "{disp}({base})"},
    .register_prefix = "",
    .registers = registers,
    .register_count = COUNT(registers),
    .text_rules = &riscv64_text_rules,
    .write_constant = write_constant,
    .memory_use = memory_use,
    .follow = follow,
    .filler = "csrrci", /* 0x73 four times: writes a register that does not exist */
    .numbers = riscv64_numbers,
    .parts = parts,
    .branch_origin = ORIGIN_START,
    .branch_reach = 4094,
    .code_align = 4,
    .code_reach = 0xffffe, /* jal */
    .reaches = reaches,
    .reach_count = COUNT(reaches),
    .elf_machine = EM_RISCV,
    .elf_flags = EF_RISCV_FLOAT_ABI_DOUBLE,
    .load_align = 4096,
    .host = &host,
};
