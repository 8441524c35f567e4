/* Chains on a made-up core, where what waits in a queue takes longer: the latency is that of few that wait,
 * and the longer one stands beside it. Code runs here for its results; its cycles are those of a model. */
#include "generator/machine/detect.h"
#include "isa/mc.h"
#include "runner/instruction/instruction_time.h"
#include "tests/skip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTIONS_MOST = 8192,
    REGISTERS_MOST = 4,
    NAME_BYTES = 16,
    NAMES_MOST = 64,
    WIDE = 8,   /* instructions a cycle */
    QUEUE = 32, /* that wait at most */
    FULL = 16,  /* that wait when the core is slower */
    TICKS = 4,  /* a cycle */
};

/* ---- the core ---- */

struct instruction {
    size_t offset;
    char mnemonic[NAME_BYTES];
    unsigned registers[REGISTERS_MOST]; /* by number of their names; the last one is written */
    unsigned count;
};

struct core {
    double slower; /* cycles more of each vector instruction that waits in a full queue */
    char names[NAMES_MOST][NAME_BYTES];
    unsigned name_count;
    struct instruction code[INSTRUCTIONS_MOST];
    size_t count, first, last; /* of the loop; first > last: there is none */
    const void *bytes;         /* that are known, with their cycles */
    size_t size;
    uint64_t sum;
    double cycles;
};

/* xmm0 and zmm0 are one register. */
static unsigned number_of(struct core *core, const char *name, size_t length)
{
    char text[NAME_BYTES];
    const bool vector = length > 3 && memcmp(name + 1, "mm", 2) == 0;
    snprintf(text, sizeof text, "%s%.*s", vector ? "v" : "", (int)(length - vector), name + vector);
    for (unsigned i = 0; i < core->name_count; i++)
        if (strcmp(core->names[i], text) == 0)
            return i;
    assert_true(core->name_count < NAMES_MOST);
    memcpy(core->names[core->name_count], text, sizeof text);
    return core->name_count++;
}

static void add_instruction(uint64_t offset, size_t length, const char *text, void *context)
{
    struct core *core = context;
    assert_true(core->count < INSTRUCTIONS_MOST);
    struct instruction *own = &core->code[core->count];
    *own = (struct instruction){.offset = offset};
    sscanf(text, "%15s", own->mnemonic);
    long back = 0;
    const char *jump = text + strlen(own->mnemonic);
    if (own->mnemonic[0] == 'j' && sscanf(jump, "%li", &back) == 1 && back < 0)
        for (size_t i = 0; i < core->count; i++)
            if (core->code[i].offset == offset + length + (uint64_t)back) {
                core->first = i;
                core->last = core->count;
            }
    for (const char *at = text; (at = strchr(at, '%')) != NULL && own->count < REGISTERS_MOST; at++)
        own->registers[own->count++] = number_of(core, at + 1, strcspn(at + 1, ",()} \t"));
    core->count++;
}

static bool starts(const struct instruction *own, const char *with)
{
    return strncmp(own->mnemonic, with, strlen(with)) == 0;
}

static double cycles_of(const struct core *core, const struct instruction *own, bool full)
{
    const bool vector = own->count > 0 && core->names[own->registers[own->count - 1]][0] == 'v';
    return starts(own, "imul") ? 3 : starts(own, "nop") ? 0 : 1 + (vector && full ? core->slower : 0);
}

/* Cycles of an iteration: instructions enter in order, eight a cycle, wait for their operands in a queue, and
 * begin in any order. All of them read what they write. */
static double execute(const struct core *core)
{
    enum { ITERATIONS = 12, WARM = 4 };
    double ready[NAMES_MOST] = {0}, starting[QUEUE] = {0}, warm = 0, enters = 0, latest = 0;
    size_t waited = 0;
    for (int i = 0; i < ITERATIONS; i++) {
        if (i == WARM)
            warm = latest;
        for (size_t j = core->first; j <= core->last; j++) {
            const struct instruction *own = &core->code[j];
            enters += 1.0 / WIDE;
            latest = fmax(latest, enters);
            if (starts(own, "nop") || own->count == 0)
                continue;
            const unsigned to = own->registers[own->count - 1];
            if (starts(own, "movq") || starts(own, "movaps")) { /* done by renaming */
                ready[to] = ready[own->registers[0]];
                continue;
            }
            enters = fmax(enters, starting[waited % QUEUE]); /* the one that waits there leaves */
            unsigned waiting = 0;
            for (size_t k = 0; k < QUEUE; k++)
                waiting += starting[k] > enters;
            double begins = enters;
            for (unsigned k = 0; k < own->count; k++)
                begins = fmax(begins, ready[own->registers[k]]);
            starting[waited++ % QUEUE] = begins;
            ready[to] = begins + cycles_of(core, own, waiting >= FULL);
            latest = fmax(latest, ready[to]);
        }
    }
    return (latest - warm) / (ITERATIONS - WARM);
}

static uint64_t sum_of(const struct probe_code *made)
{
    uint64_t sum = made->size;
    for (size_t i = 0; i < made->size; i++)
        sum = sum * 31 + ((const unsigned char *)made->bytes)[i];
    return sum;
}

static struct insn_state *state_of;

static bool run(void *context, const struct probe_code *made, uint64_t iterations, uint64_t *ticks,
                int *signal)
{
    struct core *core = context;
    const struct insn_code here = {0};
    struct error error;
    (void)signal;
    if (core->bytes != made->bytes || core->size != made->size || core->sum != sum_of(made)) {
        core->count = core->name_count = 0;
        core->first = 1;
        core->last = 0;
        if (mc_disassemble(isa_of_host(), made->bytes, made->size, add_instruction, core, &error) !=
            STATUS_OK)
            fail_msg("%s", error.message);
        core->bytes = made->bytes;
        core->size = made->size;
        core->sum = sum_of(made);
        core->cycles = core->first <= core->last ? execute(core) : 1;
    }
    (void)insn_code_run(&here, made, 1, state_of);
    *ticks = (uint64_t)(core->cycles * TICKS * (double)iterations);
    return true;
}

/* ---- what is measured on it ---- */

struct place {
    struct core core;
    struct machine machine;
    struct insn_runner runner;
    struct insn_bench *bench;
};

static struct place *open_place(double slower)
{
    struct error error;
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    if (isa_of_host() != &isa_x86_64) {
        free(place);
        skip_because("%s", "the model reads instructions of x86-64");
    }
    assert_int_equal(detect_machine(&place->machine, &error), STATUS_OK);
    state_of = aligned_alloc(4096, (sizeof *state_of + 4095) / 4096 * 4096);
    assert_non_null(state_of);
    place->core.slower = slower;
    place->runner = (struct insn_runner){&isa_x86_64, state_of, run, &place->core};
    place->bench = insn_bench_open(&place->machine, &place->runner, &error);
    if (place->bench == NULL)
        fail_msg("%s", error.message);
    return place;
}

static void close_place(struct place *place)
{
    insn_bench_close(place->bench);
    machine_free(&place->machine);
    free(place);
    free(state_of);
}

/* queued: 0: no other. */
static void assert_latency(struct place *place, const char *text, double cycles, double queued)
{
    struct insn_times times;
    struct error error;
    if (insn_measure_once(place->bench, text, &times, &error) != STATUS_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(times.latency_count > 0);
    for (unsigned i = 0; i < times.latency_count; i++) {
        const struct insn_latency *latency = &times.latencies[i];
        if (fabs(latency->cycles.value - cycles) > 0.2 || fabs(latency->queued - queued) > 0.2)
            fail_msg("%s, %s -> %s: %g and %g instead of %g and %g", text,
                     insn_operand_name(&times.insn, latency->from),
                     insn_operand_name(&times.insn, latency->to), latency->cycles.value, latency->queued,
                     cycles, queued);
        assert_int_equal(strstr(latency->remark, "in a full queue") != NULL, queued > 0);
    }
}

static void full_queues_add_a_cycle(void **state)
{
    (void)state;
    struct place *place = open_place(1);
    assert_latency(place, "paddd {x0}, {x1}", 1, 2);
    assert_latency(place, "pcmpgtd {x0}, {x1}", 1, 2);
    assert_latency(place, "pshufd $1, {x0}, {x1}", 1, 2);
    assert_latency(place, "pblendvb {x0}, {x1}", 1, 2); /* xmm0 is tied to the result by others */
    assert_latency(place, "imul {r0}, {r1}", 3, 0);
    assert_latency(place, "leaq 8({r0}), {r1}", 1, 0);
    close_place(place);
}

static void full_queues_may_not_matter(void **state)
{
    (void)state;
    struct place *place = open_place(0);
    assert_latency(place, "paddd {x0}, {x1}", 1, 0);
    assert_latency(place, "pshufd $1, {x0}, {x1}", 1, 0);
    assert_latency(place, "imul {r0}, {r1}", 3, 0);
    close_place(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_queues_add_a_cycle),
        cmocka_unit_test(full_queues_may_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
