#include "isa/aarch64/aarch64_texts.h"
#include "isa/isa.h"
#include "isa/numbers.h"

#include <elf.h>
#include <inttypes.h>
#include <llvm-c/Target.h>
#include <string.h>

#define COUNT(rows) (sizeof rows / sizeof rows[0])

/* ---- numbers: Arm's manual DDI 0487, C6.2 ---- */

/* Unsigned, in units of the access's width; or signed, of 9 bits. */
#define SCALED(width) NUMBER_CLASS(0, 4095 * (width), width, 12, 0x555 * (width), 0xaab * (width))

static const struct number_class displacements[] = {
    SCALED(1),
    SCALED(2),
    SCALED(4),
    SCALED(8),
    SCALED(16),
    NUMBER_CLASS(-256, -1, 1, 9, -0x56, -0xab),
    NUMBER_CLASS(0, 255, 1, 9, 0x55, 0xab),
    /* SVE's ldr and str of a whole register: in units of its length. */
    {.low = -256,
     .high = 255,
     .multiple = 1,
     .bits = 9,
     .probes = {0x55, -0x56},
     .pieces = {{0, 3, 10}, {3, 6, 16}}},
};

/* Of additions, shifted or not, and of movz and movk. Logical ones have encodings of their own. */
static const struct number_class immediates[] = {
    NUMBER_CLASS(0, 4095, 1, 12, 0x555, 0xaab),
    NUMBER_CLASS(0, 0xfff000, 0x1000, 12, 0x555000, 0xaab000),
    NUMBER_CLASS(0, 0xffff, 1, 16, 0x5555, 0xaaab),
};

/* tbz; b.cond and cbz; adr; b. */
static const struct number_class targets[] = {
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

static const struct number_classes numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {displacements, COUNT(displacements)},
    [NUMBER_IMMEDIATE] = {immediates, COUNT(immediates)},
    [NUMBER_TARGET] = {targets, COUNT(targets)},
};

/* Accesses wider than 16 bytes are SVE's, on a processor whose vectors are as wide. */
static const struct reach reaches[] = {
    {4, 0, 4095 * 4, 4}, {8, 0, 4095 * 8, 8}, {16, 0, 4095 * 16, 16},        {4, -256, 255, 1},
    {8, -256, 255, 1},   {16, -256, 255, 1},  {32, -256 * 32, 255 * 32, 32}, {64, -256 * 64, 255 * 64, 64}};

/* What SVE's ldr and str take of a displacement in bytes. */
static const struct number_part parts[] = {
    {"vectors_32", 0, 5, 9, true},
    {"vectors_64", 0, 6, 9, true},
    {NULL, 0, 0, 0, false},
};

/* movz or movn, whichever leaves fewer parts of 16 bits, and movk for these. */
static void write_constant(const char *name, uint64_t value, struct buffer *output)
{
    enum { PARTS = 4, PART_BITS = 16, PART_MASK = 0xffff };
    unsigned zeros = 0;
    unsigned ones = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        uint64_t part = value >> i * PART_BITS & PART_MASK;
        zeros += part == 0;
        ones += part == PART_MASK;
    }
    bool inverted = ones > zeros;
    uint64_t plain = inverted ? PART_MASK : 0;
    bool begun = false;
    for (unsigned i = 0; i < PARTS; i++) {
        uint64_t part = value >> i * PART_BITS & PART_MASK;
        bool last = i + 1 == PARTS && !begun;
        if (part == plain && !last)
            continue;
        const char *op = begun ? "movk" : inverted ? "movn" : "movz";
        unsigned shift = part == plain ? 0 : i * PART_BITS;
        if (!begun && inverted)
            part ^= PART_MASK;
        buffer_printf(output, "%s%s %s, #%" PRIu64, begun ? CONSTANT_NEXT : "", op, name, part);
        if (shift > 0)
            buffer_printf(output, ", lsl #%u", shift);
        begun = true;
    }
}

/* ---- registers ---- */

#define GENERAL(n)                                                                                           \
    {                                                                                                        \
        "x" #n,                                                                                              \
        {                                                                                                    \
            {                                                                                                \
                32, "w" #n                                                                                   \
            }                                                                                                \
        }                                                                                                    \
    }
#define VECTOR(n)                                                                                            \
    {                                                                                                        \
        "v" #n,                                                                                              \
        {                                                                                                    \
            {32, "s" #n}, {64, "d" #n}, {128, "q" #n}, {256, "z" #n},                                        \
            {                                                                                                \
                512, "z" #n                                                                                  \
            }                                                                                                \
        }                                                                                                    \
    }

/* x18 is the platform's. */
static const struct register_name registers[] = {
    GENERAL(0),  GENERAL(1),  GENERAL(2),  GENERAL(3),  GENERAL(4),  GENERAL(5),  GENERAL(6),  GENERAL(7),
    GENERAL(8),  GENERAL(9),  GENERAL(10), GENERAL(11), GENERAL(12), GENERAL(13), GENERAL(14), GENERAL(15),
    GENERAL(16), GENERAL(17), GENERAL(19), GENERAL(20), GENERAL(21), GENERAL(22), GENERAL(23), GENERAL(24),
    GENERAL(25), GENERAL(26), GENERAL(27), GENERAL(28), GENERAL(29), GENERAL(30), VECTOR(0),   VECTOR(1),
    VECTOR(2),   VECTOR(3),   VECTOR(4),   VECTOR(5),   VECTOR(6),   VECTOR(7),   VECTOR(8),   VECTOR(9),
    VECTOR(10),  VECTOR(11),  VECTOR(12),  VECTOR(13),  VECTOR(14),  VECTOR(15),  VECTOR(16),  VECTOR(17),
    VECTOR(18),  VECTOR(19),  VECTOR(20),  VECTOR(21),  VECTOR(22),  VECTOR(23),  VECTOR(24),  VECTOR(25),
    VECTOR(26),  VECTOR(27),  VECTOR(28),  VECTOR(29),  VECTOR(30),  VECTOR(31),
};

static enum memory_use memory_use(const char *text)
{
    if (strchr(text, '[') == NULL)
        return MEMORY_UNUSED;
    return strncmp(text, "st", 2) == 0 ? MEMORY_WRITTEN : MEMORY_READ;
}

/* True if an instruction with a register as its first operand names it as SVE does. */
static bool is_sve(const char *text)
{
    text += strcspn(text, " \t");
    return text[strspn(text, " \t")] == 'z';
}

/* A number into a general register, 16 bits at a time, and on into all of a vector register. The first
 * operand is written; movz and movn are printed as mov, and SVE's dup too. */
static void follow(const char *text, struct register_words *words)
{
    enum { PART_MASK = 0xffff, NEON_LANES = 2, SVE_LANES = 8 };
    struct operands operands = operands_read(&isa_aarch64, text);
    if (operands.count < 2 || operands.registers[0] < 0)
        return;
    int to = operands.registers[0];
    int from = operands.registers[1];
    bool moves = operands_of(text, "mov");
    if (operands_of(text, "movk")) {
        unsigned shift = operands.count == 4 ? (unsigned)operands.numbers[3] % 64 : 0; /* lsl #16 */
        words->words[to] &= ~((uint64_t)PART_MASK << shift);
        words->words[to] |= operands.numbers[1] << shift;
    } else if (moves && from < 0) {
        words->words[to] = operands.numbers[1];
        words->lanes[to] = 1;
    } else if ((moves || operands_of(text, "dup")) && from >= 0) {
        words->words[to] = words->words[from];
        bool spreads = !moves || (is_sve(text) && words->lanes[from] == 1);
        words->lanes[to] = words->lanes[from] == 0 ? 0
                           : !spreads              ? words->lanes[from]
                           : moves                 ? SVE_LANES
                                                   : NEON_LANES;
    } else {
        words->lanes[to] = 0;
    }
}

/* Without the target, mc.c says so in a sentence. */
static void prepare(void)
{
#ifdef TRAUMA_LLVM_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmParser();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64Disassembler();
#endif
}

#if defined(__aarch64__)
static uint64_t ticks(void)
{
    uint64_t count;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count)::"memory");
    return count;
}
#else
static uint64_t (*const ticks)(void) = NULL;
#endif

/* The counter runs at 19.2 MHz at least, the core at some 5 GHz at most, and a pass takes a cycle. */
static const struct host host = {
    .clock = "the system counter", .source = "CNTFRQ_EL0", .ticks = ticks, .passes_per_tick = 512};

/* By Linux's names of features; sve256 and sve512 are those of SVE with vectors of so many bits. */
static const struct extension extensions[] = {
    {"sve", "sve", ".arch_extension sve"},
    {"sve256", "sve", ".arch_extension sve"},
    {"sve512", "sve", ".arch_extension sve"},
    {"sve2", "sve2", ".arch_extension sve2"},
    {"svebitperm", "sve2-bitperm", ".arch_extension sve2-bitperm"},
    {"atomics", "lse", ".arch_extension lse"},
    {"crc32", "crc", ".arch_extension crc"},
    {"aes", "aes", ".arch_extension aes"},
    {"pmull", "aes", ".arch_extension aes"},
    {"sha2", "sha2", ".arch_extension sha2"},
    {"sha1", "sha2", ".arch_extension sha2"},
    {"sha3", "sha3", ".arch_extension sha3"},
    {"sha512", "sha3", ".arch_extension sha3"},
    {"sm4", "sm4", ".arch_extension sm4"},
    {"asimddp", "dotprod", ".arch_extension dotprod"},
    {"asimdrdm", "rdm", ".arch_extension rdma"},
    {"fphp", "fullfp16", ".arch_extension fp16"},
    {"asimdhp", "fullfp16", ".arch_extension fp16"},
    {"fcma", "complxnum", ".arch_extension compnum"},
    {"asimdfhm", "fp16fml", ".arch_extension fp16fml"},
    {"i8mm", "i8mm", ".arch_extension i8mm"},
    {"bf16", "bf16", ".arch_extension bf16"},
    {"cssc", "cssc", ".arch_extension cssc"},
    {NULL, NULL, NULL},
};

static const char *const markers[] = {"gem5", NULL};

const struct isa isa_aarch64 = {
    .name = "aarch64",
    .machine = "neoverse-n1",
    .skeleton = "kernel.s",
    .start = "start.s",
    .markers = markers,
    .probe = "probe.s",
    .plain_width = 8,
    .triple = "aarch64-unknown-linux-gnu",
    .cpu = "generic",
    .features = "+sve,+sve2,+sve2-bitperm,+lse,+crc,+aes,+sha2,+sha3,+sm4,+dotprod,+rdm,+fullfp16,+complxnum,"
                "+fp16fml,+i8mm,+bf16,+cssc",
    .extensions = extensions,
    .prepare = prepare,
    .syntax = {.comment = "//",
               .immediate = '#',
               .open = '[',
               .close = ']',
               .displacement_inside = true,
               .address = "[{base}, #{disp}]"},
    .register_prefix = "",
    .registers = registers,
    .register_count = COUNT(registers),
    .text_rules = &aarch64_text_rules,
    .write_constant = write_constant,
    .memory_use = memory_use,
    .follow = follow,
    .filler = "udf",
    .numbers = numbers,
    .parts = parts,
    .branch_origin = ORIGIN_START,
    .code_align = 4,
    .code_reach = 1 << 20, /* b.cond and adr */
    .reaches = reaches,
    .reach_count = COUNT(reaches),
    .elf_machine = EM_AARCH64,
    .load_align = 65536,
    .host = &host,
};
