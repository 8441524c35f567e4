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

/* What machine files tell as per_cycle. Each row's instruction stands for every register of its kind in turn:
 * so many that no operation waits for the one before. */
static const struct {
    const char *name, *instruction;
    const char *registers;
    const char *feature; /* that it needs; NULL: none */
} operations[] = {
    {"rate.add", "addq %rbx, ", "r8 r9 r10 r11 r12 r13 r14 rax rcx rdx", NULL},
    {"rate.sub", "subq %rbx, ", "r8 r9 r10 r11 r12 r13 r14 rax rcx rdx", NULL},
    {"rate.xor", "xorq %rbx, ", "r8 r9 r10 r11 r12 r13 r14 rax rcx rdx", NULL},
    {"rate.mul", "imulq %rbx, ", "r8 r9 r10 r11 r12 r13 r14 rax rcx rdx", NULL},
    {"rate.shift", "shlq $1, ", "r8 r9 r10 r11 r12 r13 r14 rax rcx rdx", NULL},
    {"rate.fadd", "addsd %xmm15, ", "xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12",
     NULL},
    {"rate.fmul", "mulsd %xmm15, ", "xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12",
     NULL},
    {"rate.fma", "vfmadd231sd %xmm15, %xmm15, ",
     "xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12", "fma"},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0], OPERATION_COPIES = 16 };

/* The instruction once for each register; how many they are. */
static unsigned write_operations(size_t row, struct buffer *body)
{
    unsigned count = 0;
    for (const char *at = operations[row].registers; *at != '\0'; count++) {
        size_t length = strcspn(at, " ");
        buffer_printf(body, "%s%%%.*s\n", operations[row].instruction, (int)length, at);
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
        const struct probe_loop loop = {
            .before = "pxor %xmm15, %xmm15\n", .body = body.data, .repeat = OPERATION_COPIES};
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
