/* The core itself: what a mispredicted branch costs, and how much it does in a cycle. */
#include "runner/probe/family.h"
#include "runner/probe/wide.h"

#include <math.h>

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
    return status;
}
