/* The core itself: what a mispredicted branch costs, and how much it does in a cycle. */
#include "runner/probe/family.h"
#include "runner/probe/wide.h"

#include <math.h>
#include <string.h>

static const double SAMPLE_S = 60e-6;

/* ---- branches ---- */

/* rax is a random number of the step before: the branch knows its way as soon as it is fetched, and what is
 * lost is the way to a new instruction. rbx selects a bit, or none, which the branch then always finds clear.
 */
static const struct probe_loop branches = {
    .body = "movq %rax, %rdx\nimulq %rcx, %rax\naddq %rcx, %rax\ntestq %rbx, %rdx\njz 2f\nnop\n2:\n",
    .repeat = 8,
};
static const uint64_t MULTIPLIER = UINT64_C(6364136223846793005);
static const unsigned BIT = 50;

enum status probe_branch(struct probe *probe, struct error *error)
{
    struct probe_code code = {0};
    enum status status = probe_code_make(&branches, &code, error);
    if (status != STATUS_OK)
        return status;
    struct probe_registers registers = {.rax = 1, .rbx = UINT64_C(1) << BIT, .rcx = MULTIPLIER};
    struct probe_timing timing = {.code = &code, .things = branches.repeat, .registers = &registers};
    timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    struct interval random = probe_time(probe, &timing, probe->samples, NULL);
    registers.rbx = 0;
    struct interval steady = probe_time(probe, &timing, probe->samples, NULL);
    probe_code_free(&code);
    struct interval cost = {2 * (random.value - steady.value), 2 * (random.low - steady.high),
                            2 * (random.high - steady.low), random.n};
    if (cost.low <= 0)
        probe_add_missing(probe, "branch.miss", "cycles", "random branches took no longer than steady ones");
    else
        probe_add(probe, "branch.miss", "cycles", cost,
                  "a loop with random branches against the same with steady ones; half of them are taken for "
                  "mispredicted");
    return STATUS_OK;
}

/* ---- widths ---- */

enum { COPIES = 96, ADD_COPIES = 20, ADDS = 10, NOPS = 504 };

static enum status measure_width(struct probe *probe, const char *name, const struct probe_loop *loop,
                                 double things, const char *remark, struct error *error)
{
    struct probe_code code = {0};
    enum status status = probe_code_make(loop, &code, error);
    if (status != STATUS_OK)
        return status;
    struct probe_registers registers = {.rax = (uintptr_t)probe->memory.bytes};
    struct probe_timing timing = {.code = &code, .things = things, .registers = &registers};
    timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    struct interval cycles = probe_time(probe, &timing, probe->samples, NULL);
    probe_code_free(&code);
    probe_add(probe, name, "per cycle", probe_inverse(cycles), "%s", remark);
    return STATUS_OK;
}

static enum status measure_access(struct probe *probe, const char *name, const struct probe_wide *wide,
                                  bool store, const char *remark, struct error *error)
{
    struct probe_loop loop = {.before = "movq %rax, %r8\n",
                              .body = store ? wide->store : wide->load,
                              .repeat = COPIES,
                              .step = wide->bytes};
    return measure_width(probe, name, &loop, COPIES, remark, error);
}

/* ---- operations a cycle ---- */

/* Registers that stand for # in turn: so many that no operation waits for the one before. */
#define WORDS "r8 r9 r10 r11 r12 r13 r14 rax rcx rdx"
#define VECTORS "0 1 2 3 4 5 6 7 8 9 10 11 12"
#define ONE "1"

/* Operands, of each width: numbers near 1 with few and with many bits set, which no unit takes a short way
 * with. */
#define OPERANDS_16                                                                                          \
    "movabsq $0x3ff0000000000001, %rcx\nmovq %rcx, %xmm15\nmovabsq $0x3ff5555555555555, %rcx\n"              \
    "movq %rcx, %xmm14\npunpcklqdq %xmm15, %xmm15\npunpcklqdq %xmm14, %xmm14\n"
#define OPERANDS_32                                                                                          \
    OPERANDS_16 "vinsertf128 $1, %xmm15, %ymm15, %ymm15\nvinsertf128 $1, %xmm14, %ymm14, %ymm14\n"
#define OPERANDS_64 OPERANDS_16 "vbroadcastsd %xmm15, %zmm15\nvbroadcastsd %xmm14, %zmm14\n"
#define UPPER "vzeroupper\n"

/* An operation of two operands at the widths of vectors. */
#define VECTOR_ROWS(op, sse, avx, feature, avx512)                                                           \
    {"rate." op ".16", sse " %xmm15, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},                            \
        {"rate." op ".32", avx " %ymm15, %ymm#, %ymm#\n", VECTORS, feature, OPERANDS_32, UPPER},             \
    {                                                                                                        \
        "rate." op ".64", avx512 " %zmm15, %zmm#, %zmm#\n", VECTORS, "avx512f", OPERANDS_64, UPPER           \
    }

/* What machine files tell as per_cycle: a name is an operation's, with its width where it is not 8 bytes. Of
 * a division the texts are those of its rows in the templates. */
static const struct {
    const char *name, *text; /* with # for a register */
    const char *registers;
    const char *feature;        /* that it needs; NULL: none */
    const char *before, *after; /* of an iteration; NULL: nothing */
} operations[] = {
    {"rate.add", "addq %rbx, %#\n", WORDS, NULL, NULL, NULL},
    {"rate.sub", "subq %rbx, %#\n", WORDS, NULL, NULL, NULL},
    {"rate.xor", "xorq %rbx, %#\n", WORDS, NULL, NULL, NULL},
    {"rate.mul", "imulq %rbx, %#\n", WORDS, NULL, NULL, NULL},
    {"rate.shift", "shlq $1, %#\n", WORDS, NULL, NULL, NULL},
    {"rate.div", "movabsq $0xf1357aea2e62a9c5, %rax\nxorl %edx, %edx\ndivq %rbx\n", ONE, NULL,
     "movl $0x9e3779b9, %ebx\n", NULL},
    {"rate.div.4", "movl $0xf1357aea, %eax\nxorl %edx, %edx\ndivl %ebx\n", ONE, NULL, "movl $0x9e37, %ebx\n",
     NULL},
    {"rate.fadd", "addsd %xmm15, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},
    {"rate.fmul", "mulsd %xmm15, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},
    {"rate.fma", "vfmadd231sd %xmm15, %xmm15, %xmm#\n", VECTORS, "fma", OPERANDS_16, NULL},
    {"rate.fdiv", "movaps %xmm14, %xmm#\ndivsd %xmm15, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},
    {"rate.fdiv.16", "movaps %xmm14, %xmm#\ndivpd %xmm15, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},
    {"rate.fdiv.32", "vdivpd %ymm15, %ymm14, %ymm#\n", VECTORS, "avx", OPERANDS_32, UPPER},
    {"rate.fdiv.64", "vdivpd %zmm15, %zmm14, %zmm#\n", VECTORS, "avx512f", OPERANDS_64, UPPER},
    {"rate.fsqrt", "movaps %xmm14, %xmm#\nsqrtsd %xmm14, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},
    {"rate.fsqrt.16", "sqrtpd %xmm14, %xmm#\n", VECTORS, NULL, OPERANDS_16, NULL},
    {"rate.fsqrt.32", "vsqrtpd %ymm14, %ymm#\n", VECTORS, "avx", OPERANDS_32, UPPER},
    {"rate.fsqrt.64", "vsqrtpd %zmm14, %zmm#\n", VECTORS, "avx512f", OPERANDS_64, UPPER},
    VECTOR_ROWS("add", "paddq", "vpaddq", "avx2", "vpaddq"),
    VECTOR_ROWS("sub", "psubq", "vpsubq", "avx2", "vpsubq"),
    VECTOR_ROWS("xor", "pxor", "vpxor", "avx2", "vpxorq"),
    VECTOR_ROWS("mul", "pmuludq", "vpmuludq", "avx2", "vpmuludq"),
    {"rate.shift.16", "psllq $1, %xmm#\n", VECTORS, NULL, NULL, NULL},
    {"rate.shift.32", "vpsllq $1, %ymm#, %ymm#\n", VECTORS, "avx2", NULL, UPPER},
    {"rate.shift.64", "vpsllq $1, %zmm#, %zmm#\n", VECTORS, "avx512f", NULL, UPPER},
    VECTOR_ROWS("fadd", "addpd", "vaddpd", "avx", "vaddpd"),
    VECTOR_ROWS("fmul", "mulpd", "vmulpd", "avx", "vmulpd"),
    {"rate.fma.16", "vfmadd231pd %xmm15, %xmm15, %xmm#\n", VECTORS, "fma", OPERANDS_16, NULL},
    {"rate.fma.32", "vfmadd231pd %ymm15, %ymm15, %ymm#\n", VECTORS, "fma", OPERANDS_32, UPPER},
    {"rate.fma.64", "vfmadd231pd %zmm15, %zmm15, %zmm#\n", VECTORS, "avx512f", OPERANDS_64, UPPER},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0], OPERATION_COPIES = 48 };

static void write_operation(const char *text, const char *name, size_t length, struct buffer *body)
{
    for (; *text != '\0'; text++)
        buffer_append(body, *text == '#' ? name : text, *text == '#' ? length : 1);
}

/* The text once for each register; how many they are. */
static unsigned write_operations(size_t row, struct buffer *body)
{
    unsigned count = 0;
    for (const char *at = operations[row].registers; *at != '\0'; count++) {
        size_t length = strcspn(at, " ");
        write_operation(operations[row].text, at, length, body);
        at += length + (at[length] == ' ');
    }
    return count;
}

static enum status measure_operations(struct probe *probe, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < OPERATIONS; i++) {
        struct buffer body = {0};
        if (operations[i].feature != NULL && !machine_has(probe->request->machine, operations[i].feature))
            continue;
        unsigned count = write_operations(i, &body);
        const struct probe_loop loop = {.before = operations[i].before,
                                        .body = body.data,
                                        .after = operations[i].after,
                                        .repeat = OPERATION_COPIES};
        status = measure_width(probe, operations[i].name, &loop, (double)OPERATION_COPIES * count,
                               "operations that do not wait for each other", error);
        buffer_free(&body);
    }
    return status;
}

enum status probe_width(struct probe *probe, struct error *error)
{
    static const struct probe_loop adds = {
        .body = "addq %rbx, %r8\naddq %rbx, %r9\naddq %rbx, %r10\naddq %rbx, %r11\naddq %rbx, %r12\n"
                "addq %rbx, %r13\naddq %rbx, %r14\naddq %rbx, %rax\naddq %rbx, %rcx\naddq %rbx, %rdx\n",
        .repeat = ADD_COPIES};
    static const struct probe_loop nops = {.body = "nopl 0(%rax)\n", .repeat = NOPS};
    const struct probe_wide *wide = probe_widest(probe->request->machine);
    enum status status = measure_width(probe, "width.issue", &nops, NOPS, "idle instructions", error);
    if (status == STATUS_OK)
        status = measure_width(probe, "width.add", &adds, ADD_COPIES * ADDS, "independent adds", error);
    if (status == STATUS_OK)
        status =
            measure_access(probe, "width.load", &probe_word, false, "loads of 8 bytes that hit L1D", error);
    if (status == STATUS_OK)
        status = measure_access(probe, "width.load_wide", wide, false, "the widest loads", error);
    if (status == STATUS_OK)
        status = measure_access(probe, "width.store", &probe_word, true, "stores of 8 bytes", error);
    if (status == STATUS_OK)
        status = measure_access(probe, "width.store_wide", wide, true, "the widest stores", error);
    if (status == STATUS_OK)
        status = measure_operations(probe, error);
    return status;
}
