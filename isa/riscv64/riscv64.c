#include "isa/isa.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The parts of a 32-bit number that lui and addiw take, for code whose length must not depend on it. */
static const struct number_part parts[] = {
    {"high", 0x800, 12, 20, false},
    {"low", 0, 0, 12, true},
    {NULL, 0, 0, 0, false},
};

static int64_t low12(uint64_t value)
{
    return (int64_t)((value & 0xfff) ^ 0x800) - 0x800;
}

/* Without pseudo-instructions, which assemblers expand differently: loads the number without its lowest
 * twelve bits, shifted right as far as possible, then shifts it back and adds those bits. */
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

/* A floating-point register, with a vector register of its own as its wider views. */
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

/* Of instructions with parentheses only jumps do not access memory; vector stores begin with "vs". */
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

/* Follows write_constant's instructions, and moves into floating-point and vector registers; vsetivli sets
 * the number of lanes. The first operand is written. Loads from the stack restore a caller's registers after
 * the loop, although with code{} they precede the loop. */
static void follow(const char *text, struct register_words *words)
{
    struct operands operands = operands_read(&isa_riscv64, text);
    if (operands.count < 2 || operands.registers[0] < 0 || strstr(text, "(sp)") != NULL)
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

/* ---- users' own instructions (isa/text_rules.h) ---- */

static const char MEMORY_ADDRESS[] = "ra";

#define WHOLE_USE                                                                                            \
    "is V's, and how many elements it uses is unknown here: operations with a width of 16, 32 or 64 use V"

static const struct fixed_register fixed[] = {{"a0", "counts the passes"},
                                              {"a1", "holds the data's address"},
                                              {MEMORY_ADDRESS, "holds the address of {memory}"},
                                              {"sp", "is the caller's stack"},
                                              {"v0", WHOLE_USE},
                                              {"v1", WHOLE_USE},
                                              {"v2", WHOLE_USE},
                                              {"v3", WHOLE_USE},
                                              {"v4", WHOLE_USE},
                                              {"v5", WHOLE_USE},
                                              {"v6", WHOLE_USE},
                                              {"v7", WHOLE_USE},
                                              {"v8", WHOLE_USE},
                                              {"v9", WHOLE_USE},
                                              {"v10", WHOLE_USE},
                                              {"v11", WHOLE_USE},
                                              {"v12", WHOLE_USE},
                                              {"v13", WHOLE_USE},
                                              {"v14", WHOLE_USE},
                                              {"v15", WHOLE_USE},
                                              {"v16", WHOLE_USE},
                                              {"v17", WHOLE_USE},
                                              {"v18", WHOLE_USE},
                                              {"v19", WHOLE_USE},
                                              {"v20", WHOLE_USE},
                                              {"v21", WHOLE_USE},
                                              {"v22", WHOLE_USE},
                                              {"v23", WHOLE_USE},
                                              {"v24", WHOLE_USE},
                                              {"v25", WHOLE_USE},
                                              {"v26", WHOLE_USE},
                                              {"v27", WHOLE_USE},
                                              {"v28", WHOLE_USE},
                                              {"v29", WHOLE_USE},
                                              {"v30", WHOLE_USE},
                                              {"v31", WHOLE_USE},
                                              {"gp", "is the caller's"},
                                              {"tp", "is the caller's"},
                                              {NULL, NULL}};

/* By their numbers. */
static const char *const general[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const floating[] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                       "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                       "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                       "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
/* Texts may not name V's registers: operations with a width of 16, 32 or 64 use V instead. Measurements of a
 * single instruction may, with vectors of at most VECTOR_BITS. */
static const char *const whole[] = {"v0",  "v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",
                                    "v8",  "v9",  "v10", "v11", "v12", "v13", "v14", "v15",
                                    "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
                                    "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"};
enum { REGISTERS = 32, GENERAL_BITS = 64, VECTOR_BITS = 512 };

static bool is_name(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

/* The caller's floating-point registers are not for texts: they would have to be saved. */
static bool read_register(const char *name, size_t length, struct register_use *use)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        if (is_name(general[i], name, length)) {
            *use = (struct register_use){'r', i, GENERAL_BITS};
            return true;
        }
        if (is_name(whole[i], name, length)) {
            *use = (struct register_use){'w', i, VECTOR_BITS};
            return true;
        }
        if (is_name(floating[i], name, length) && strncmp(floating[i], "fs", 2) != 0) {
            *use = (struct register_use){'v', i, GENERAL_BITS};
            return true;
        }
    }
    return false;
}

static bool write_register(const struct register_use *use, char *name)
{
    enum { NAME_BYTES = 8 };
    if (use->kind != 'r' && use->kind != 'v' && use->kind != 'w')
        return false;
    snprintf(name, NAME_BYTES, "%s",
             (use->kind == 'r'   ? general
              : use->kind == 'v' ? floating
                                 : whole)[use->number % REGISTERS]);
    return use->kind != 'r' || use->bits == GENERAL_BITS;
}

static const char *clear(struct register_use *use)
{
    use->bits = GENERAL_BITS;
    return use->kind == 'r' ? "start.given" : "start.given_float";
}

/* ---- instructions whose reads and writes are their operands ---- */

/* Operations of V whose operands are single registers at 32 bits an element. */
#define V_INTEGERS                                                                                           \
    " vadd.vv vadd.vx vadd.vi vsub.vv vsub.vx vrsub.vx vrsub.vi vand.vv vand.vx vand.vi vor.vv vor.vx "      \
    "vor.vi vxor.vv vxor.vx vxor.vi vnot.v vneg.v vsll.vv vsll.vx vsll.vi vsrl.vv vsrl.vx vsrl.vi "          \
    "vsra.vv vsra.vx vsra.vi vmin.vv vmin.vx vminu.vv vminu.vx vmax.vv vmax.vx vmaxu.vv vmaxu.vx "           \
    "vmul.vv vmul.vx vmulh.vv vmulh.vx vmulhu.vv vmulhu.vx vmulhsu.vv vmulhsu.vx vdiv.vv vdiv.vx "           \
    "vdivu.vv vdivu.vx vrem.vv vrem.vx vremu.vv vremu.vx vmacc.vv vmacc.vx vnmsac.vv vnmsac.vx "             \
    "vmadd.vv vmadd.vx vnmsub.vv vnmsub.vx vsadd.vv vsadd.vx vsadd.vi vsaddu.vv vsaddu.vx vssub.vv "         \
    "vssub.vx vssubu.vv vssubu.vx vaadd.vv vaadd.vx vaaddu.vv vasub.vv vasub.vx vasubu.vv vsmul.vv "         \
    "vsmul.vx vssrl.vv vssrl.vx vssra.vv vssra.vx vadc.vvm vadc.vxm vsbc.vvm vsbc.vxm vmerge.vvm "           \
    "vmerge.vxm vmerge.vim vmv.v.v vmv.v.x vmv.v.i vmv.x.s vmv.s.x vrgather.vv vrgather.vx "                 \
    "vrgather.vi vslideup.vx vslideup.vi vslidedown.vx vslidedown.vi vslide1up.vx vslide1down.vx "           \
    "vcompress.vm vredsum.vs vredand.vs vredor.vs vredxor.vs vredmin.vs vredminu.vs vredmax.vs "             \
    "vredmaxu.vs vzext.vf2 vzext.vf4 vsext.vf2 vsext.vf4 vid.v viota.m vmv1r.v "
#define V_FLOATING                                                                                           \
    " vfadd.vv vfadd.vf vfsub.vv vfsub.vf vfrsub.vf vfmul.vv vfmul.vf vfdiv.vv vfdiv.vf vfrdiv.vf "          \
    "vfmacc.vv vfmacc.vf vfnmacc.vv vfmsac.vv vfmsac.vf vfnmsac.vv vfmadd.vv vfmadd.vf vfnmadd.vv "          \
    "vfmsub.vv vfmsub.vf vfnmsub.vv vfmin.vv vfmin.vf vfmax.vv vfmax.vf vfsgnj.vv vfsgnj.vf "                \
    "vfsgnjn.vv vfsgnjx.vv vfneg.v vfabs.v vfsqrt.v vfrec7.v vfrsqrt7.v vfclass.v vfcvt.x.f.v "              \
    "vfcvt.xu.f.v vfcvt.rtz.x.f.v vfcvt.rtz.xu.f.v vfcvt.f.x.v vfcvt.f.xu.v vfmerge.vfm vfmv.v.f "           \
    "vfmv.f.s vfmv.s.f vfslide1up.vf vfslide1down.vf vfredusum.vs vfredosum.vs vfredmin.vs "                 \
    "vfredmax.vs "
#define V_MASKS                                                                                              \
    " vmseq.vv vmseq.vx vmseq.vi vmsne.vv vmsne.vx vmslt.vv vmslt.vx vmsltu.vv vmsltu.vx vmsle.vv "          \
    "vmsle.vx vmsleu.vv vmsgt.vx vmsgt.vi vmsgtu.vx vmfeq.vv vmfeq.vf vmfne.vv vmflt.vv vmflt.vf "           \
    "vmfle.vv vmfle.vf vmfgt.vf vmfge.vf vmand.mm vmnand.mm vmandn.mm vmor.mm vmnor.mm vmorn.mm "            \
    "vmxor.mm vmxnor.mm vmnot.m vmmv.m vcpop.m vfirst.m vmsbf.m vmsif.m vmsof.m vmadc.vv vmadc.vvm "         \
    "vmsbc.vv "

static const struct {
    const char *feature; /* NULL: every processor has them */
    unsigned bytes;      /* of memory; 0: none */
    const char *names;
} known[] = {
    {NULL, 0,
     "add addw addi addiw sub subw and andi or ori xor xori not neg negw sll sllw slli slliw srl srlw "
     "srli srliw sra sraw srai sraiw slt slti sltu sltiu seqz snez sltz sgtz mv li lui nop sext.w "
     "zext.b"},
    {NULL, 0, "mul mulw mulh mulhu mulhsu div divw divu divuw rem remw remu remuw"},
    {NULL, 0,
     "fadd.d fsub.d fmul.d fdiv.d fsqrt.d fmin.d fmax.d fmadd.d fmsub.d fnmadd.d fnmsub.d fsgnj.d "
     "fsgnjn.d fsgnjx.d fmv.d fabs.d fneg.d feq.d flt.d fle.d fclass.d fmv.x.d fmv.d.x"},
    {NULL, 0,
     "fadd.s fsub.s fmul.s fdiv.s fsqrt.s fmin.s fmax.s fmadd.s fmsub.s fnmadd.s fnmsub.s fsgnj.s "
     "fsgnjn.s fsgnjx.s fmv.s fabs.s fneg.s feq.s flt.s fle.s fclass.s fmv.x.w fmv.w.x"},
    {NULL, 0,
     "fcvt.d.s fcvt.s.d fcvt.d.l fcvt.d.lu fcvt.d.w fcvt.d.wu fcvt.s.l fcvt.s.lu fcvt.s.w fcvt.s.wu "
     "fcvt.l.d fcvt.lu.d fcvt.w.d fcvt.wu.d fcvt.l.s fcvt.lu.s fcvt.w.s fcvt.wu.s"},
    {"zba", 0, "sh1add sh2add sh3add add.uw sh1add.uw sh2add.uw sh3add.uw slli.uw zext.w"},
    {"zbb", 0,
     "andn orn xnor clz clzw ctz ctzw cpop cpopw max maxu min minu sext.b sext.h zext.h rol rolw ror "
     "rorw rori roriw rev8 orc.b"},
    {"zbs", 0, "bclr bclri bext bexti binv binvi bset bseti"},
    {"zbc", 0, "clmul clmulh clmulr"},
    {NULL, 1, "lb lbu sb"},
    {NULL, 2, "lh lhu sh"},
    {NULL, 4, "lw lwu sw flw fsw"},
    {NULL, 8, "ld sd fld fsd"},
    {"v", 0, V_INTEGERS V_FLOATING V_MASKS},
    {"v", VECTOR_BITS / 8,
     "vle8.v vle16.v vle32.v vse8.v vse16.v vse32.v vlse32.v vsse32.v vluxei32.v vloxei32.v vsuxei32.v "
     "vsoxei32.v"},
};

static const struct {
    const char *start, *why;
} refused[] = {
    {"b", "it leaves the loop: asm takes only instructions, run in sequence"},
    {"j", "it leaves the loop: asm takes only instructions, run in sequence"},
    {"ret", "it leaves the loop: asm takes only instructions, run in sequence"},
    {"v", "how many elements it uses is unknown here: operations with a width of 16, 32 or 64 use V"},
    {"csr", "it changes the processor's state"},
    {"rd", "it reads a counter that other code changes too"},
    {"e", "it leaves the program"},
    {"auipc", "it reads the address of the code, which may change"},
    {"amo", "texts have no shared memory"},
    {"lr.", "texts have no shared memory"},
    {"sc.", "texts have no shared memory"},
};

static void refuse(struct text_instruction *instruction, const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(refused); i++)
        if (begins(name, refused[i].start)) {
            text_refuse(instruction, refused[i].why);
            return;
        }
    snprintf(instruction->refusal, sizeof instruction->refusal,
             "%.*s is not among the instructions whose reads and writes are known; docs/reference/recipes.md "
             "lists those that a text may have",
             (int)length, name);
}

static void add_name(struct text_instruction *instruction, const char *name, size_t length)
{
    if (!is_name("zero", name, length))
        text_add_name(instruction, name, length);
}

/* "8(a1)"; every other operand is a register, a number or a rounding mode. */
static void read_operand(struct text_instruction *instruction, const char *text, size_t length)
{
    static const char rounding[] = "rne rtz rdn rup rmm dyn";
    const char *open = memchr(text, '(', length);
    struct register_use use;
    char start[4];
    snprintf(start, sizeof start, "%.*s", (int)length, text);
    if (length > 2 && strncmp(text + length - 2, ".t", 2) == 0) /* "v0.t": a mask */
        length -= 2;
    if (open == NULL) {
        if (read_register(text, length, &use) ||
            (isalpha((unsigned char)*text) && !isupper((unsigned char)*text) &&
             !text_has_word(rounding, start)))
            add_name(instruction, text, length);
        return;
    }
    size_t inside = length - (size_t)(open + 1 - text) - 1;
    snprintf(instruction->address, sizeof instruction->address, "%.*s", (int)length, text);
    instruction->based = is_name(MEMORY_ADDRESS, open + 1, inside);
    instruction->displacement = strtoll(text, NULL, 10);
    if (!instruction->based)
        add_name(instruction, open + 1, inside);
}

static void understand(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction)
{
    (void)bytes;
    (void)size;
    memset(instruction, 0, sizeof *instruction);
    size_t length = strcspn(text, " \t");
    char name[TEXT_NAME_BYTES];
    size_t found = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    while (found < COUNT(known) && !text_has_word(known[found].names, name))
        found++;
    if (found == COUNT(known)) {
        refuse(instruction, text, length);
        return;
    }
    if (known[found].feature != NULL)
        instruction->features[instruction->feature_count++] = known[found].feature;
    instruction->bytes = known[found].bytes;
    instruction->memory = known[found].bytes > 0 ? TEXT_ACCESS : TEXT_NO_MEMORY;
    instruction->align = known[found].bytes;
    instruction->bare = begins(text, "v"); /* vector accesses take no displacement */
    text += length;
    while (*(text += strspn(text, " \t,")) != '\0' && *text != '#') {
        size_t operand = strcspn(text, " \t,");
        read_operand(instruction, text, operand);
        text += operand;
    }
}

static const struct text_rules text_rules = {.fixed = fixed,
                                             .address = MEMORY_ADDRESS,
                                             .marks = ",()+-*{}:._",
                                             .farthest = 1024,
                                             .own_address = true,
                                             .example = "{ \"fa0\", \"fa1\" }",
                                             .clear = clear,
                                             .read_register = read_register,
                                             .write_register = write_register,
                                             .understand = understand};

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
    .others_features = "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbs,+zbc,+zfh,+zicbop",
    .base_features = "+m,+a,+f,+d",
    .extensions = extensions,
    .prepare = prepare,
    .syntax = {.comment = "#", .open = '(', .close = ')', .address = "{disp}({base})"},
    .register_prefix = "",
    .registers = registers,
    .register_count = COUNT(registers),
    .text_rules = &text_rules,
    .write_constant = write_constant,
    .memory_use = memory_use,
    .follow = follow,
    .filler = "csrrci", /* 0x73 four times: writes a register that no processor has */
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
