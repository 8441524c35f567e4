#include "runner/instruction/instruction_time.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runner/probe/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SAMPLES = 15,
    CLOCK_COPIES = 100,
    CLOCK_ITERATIONS = 400, /* at least */
    SAMPLE_TICKS = 2000,    /* of the clock, at least: some clocks tick a million times a second */
    PAGE_BYTES = 4096,
    CODE_BYTES = 3000, /* of a loop: far within the caches of decoded instructions */
    COPIES_MOST = 240, /* of a loop for rates, */
    CHAIN_MOST = 96,   /* and for latencies: even, as copies alternate between two registers */
    TAKEN_MOST = 64,
    ADDRESSES = 16, /* of written memory operands, so that none waits for the one before */
    LINE_BYTES = 64,
    VECTOR_WIDTHS = 3,
    RATE_TRIALS = 8, /* at most */
};

static const unsigned vector_widths[VECTOR_WIDTHS] = {128, 256, 512};

/* ---- shared by all measurements ---- */

/* Cycles of a tie: in a chain whose copies are issued faster than they execute and wait in a full queue, and
 * in one with idle instructions between, where few wait at a time. */
struct tie_cycles {
    struct interval full, spaced;
};

struct insn_bench {
    struct template texts;
    const struct machine *machine;
    struct insn_code code; /* that is being written */
    struct insn_state *state;
    struct probe_code clock;              /* a chain of one cycle each, */
    struct probe_code long_clock;         /* and one of long_cycles each */
    struct probe_code nothing;            /* a loop without instructions */
    struct insn_port_events *port_events; /* NULL: none, */
    struct error no_ports;                /* for this reason */
    uint64_t clock_iterations;
    double long_cycles;
    double idle_cycles; /* of an idle instruction; 0: full queues delay no tie */
    struct tie_cycles mix, keep, conditional, compare;
    struct tie_cycles vector_mix[VECTOR_WIDTHS];  /* of those between vectors, by their width: a core may */
    struct tie_cycles vector_keep[VECTOR_WIDTHS]; /* take longer for these than for general registers */
    struct tie_cycles vector, mask, scalable;     /* to such a register and back */
    struct tie_cycles scalable_mix, scalable_keep;
};

/* The registers of a chain of copies and of their ties. */
struct chain {
    struct insn_bench *bench;
    const struct insn *insn;
    const struct insn_roles *roles;
    const struct insn_values *values;
    struct register_use uses[INSN_SLOTS];
    struct register_use constants[INSN_SLOTS];            /* kind 0: none yet */
    struct register_use zero, vector_zero, scalable_zero; /* likewise */
    struct register_use held, held_copy;                  /* a general register between two ties */
    struct register_use taken[TAKEN_MOST];
    unsigned taken_count;
    unsigned vector_bits;   /* of ties between vectors */
    struct tie_cycles cost; /* cycles per copy that are the ties' */
    bool split;             /* they are half of a move there and back */
    char remark[INSN_REMARK_BYTES];
};

static const struct tie_cycles NO_CYCLES;

/* A chain that is faster than another by this share has another number of cycles: disturbance alone does not
 * explain the difference. */
static const double LOWER = 0.1;

/* ---- timing ---- */

static uint64_t run_on_bench(void *context, const struct probe_code *code, uint64_t iterations)
{
    struct insn_bench *bench = context;
    return insn_code_run(&bench->code, code, iterations, bench->state);
}

static struct probe_timed timed_chain(struct insn_bench *bench, const struct probe_code *chain, double cycles)
{
    uint64_t iterations = (uint64_t)((double)bench->clock_iterations / cycles) + 1;
    return (struct probe_timed){chain, iterations, CLOCK_COPIES, run_on_bench, bench};
}

/* Ticks of an operation of a chain of so many cycles each. */
static double chain_ticks(struct insn_bench *bench, const struct probe_code *chain, double cycles)
{
    const struct probe_timed timed = timed_chain(bench, chain, cycles);
    return probe_ticks_per_thing(&timed);
}

/* A sample takes as long as one of the clock, so that the cost of its begin and end cancels out. */
static double sample_cycles(const struct insn_bench *bench)
{
    return (double)bench->clock_iterations * CLOCK_COPIES;
}

/* Some samples of a loop, between samples of the clock. */
struct timing {
    struct interval cycles;  /* per copy */
    struct interval fastest; /* of the fastest samples that lie together */
    double slower;           /* the others' median; 0: they are few, or do not lie together */
    double delay;            /* cycles that an addition of the clock waits for another thread of the core */
    bool few;                /* hardly any sample had two agreeing ones of the clock beside it */
};

/* Independent copies may be distributed over the core's ports in more than one pattern, each of which lasts
 * as long as the loop (2.0 and 1.83 additions of vectors per cycle on Intel's P cores): the samples then lie
 * at two numbers, of which the faster is the rate that the core can sustain. A few samples that are faster
 * still had a disturbed clock beside them. */
static void find_fastest(const double *samples, size_t count, struct timing *timing)
{
    enum { FEW = 4 };
    static const double SAME = 1.02;
    double usual = stats_quantile(samples, count, 1.0 / FEW / 2);
    double fast[SAMPLES], slow[SAMPLES];
    size_t fast_count = 0, slow_count = 0;
    for (size_t i = 0; i < count; i++)
        if (samples[i] > usual * SAME)
            slow[slow_count++] = samples[i];
        else if (samples[i] >= usual / SAME)
            fast[fast_count++] = samples[i];
    timing->fastest = stats_bootstrap(fast, fast_count);
    bool together = slow_count >= count / FEW && stats_quantile(slow, slow_count, 0.75) <=
                                                     SAME * SAME * stats_quantile(slow, slow_count, 0.25);
    timing->slower = together ? stats_median(slow, slow_count) : 0;
}

/* Another frequency makes both clocks slower by the same share; another thread of the core delays each of
 * their instructions by the same number of cycles, so that the ratio of their ticks distinguishes the two.
 * pairs: these ratios, of the clock to the long one. Returns the least delay that they allow. */
static double clock_delay(const struct insn_bench *bench, const double *pairs, size_t count)
{
    double slower = stats_bootstrap(pairs, count).low * bench->long_cycles;
    return slower > 1 && slower < bench->long_cycles ? (slower - 1) / (1 - slower / bench->long_cycles) : 0;
}

/* The frequency may change from sample to sample, and the code itself may change it, as wide vectors do: each
 * sample has the clock next to it, and the first, before which the core ran other code, does not count. */
static struct timing sample(struct insn_bench *bench, const struct probe_code *made, uint64_t iterations,
                            double copies)
{
    enum { PAIR_EVERY = 3, PAIRS = SAMPLES / PAIR_EVERY, FEW = 5 };
    struct probe_sample samples[SAMPLES];
    double cycles[SAMPLES], pairs[PAIRS];
    double clock;
    const struct probe_timed adds = timed_chain(bench, &bench->clock, 1);
    const struct probe_timed loop = {made, iterations, copies, run_on_bench, bench};
    (void)probe_ticks_per_thing(&loop);
    for (size_t i = 0; i < PAIRS; i++) {
        struct probe_sample *some = samples + i * PAIR_EVERY;
        probe_take_samples(&loop, &adds, some, PAIR_EVERY);
        pairs[i] = some[PAIR_EVERY - 1].after / chain_ticks(bench, &bench->long_clock, bench->long_cycles);
    }
    size_t dropped;
    size_t kept = probe_undisturbed(samples, SAMPLES, &clock, cycles);
    const bool few = kept < SAMPLES / FEW;
    for (size_t i = 0; few && i < SAMPLES; i++)
        cycles[i] = samples[i].loop / clock;
    kept = few ? SAMPLES : kept;
    struct timing timing = {
        .cycles = probe_quiet(cycles, kept, &dropped), .delay = clock_delay(bench, pairs, PAIRS), .few = few};
    find_fastest(cycles, kept, &timing);
    return timing;
}

/* How far the samples are apart, and how much the clock is delayed. */
static double disturbance(const struct timing *timing)
{
    return timing->few + (timing->cycles.high - timing->cycles.low) / timing->cycles.value + timing->delay;
}

/* The iterations of a sample. The first run finds nothing in caches, and under an emulator is translated: it
 * does not count. STATUS_FAILED after a fault. */
static enum status count_iterations(struct insn_bench *bench, const struct probe_code *made,
                                    uint64_t *iterations, struct error *error)
{
    enum { FIRST = 4, PARTS = 10 }; /* one part of a sample is enough to predict the whole */
    uint64_t ticks = 0;
    int signal;
    double tick = chain_ticks(bench, &bench->clock, 1);
    *iterations = FIRST;
    for (bool first = true;; first = false) {
        if (!insn_run_guarded(&bench->code, made, *iterations, bench->state, &ticks, &signal))
            return error_set(error, STATUS_FAILED, "it ended by signal %d (%s)", signal, strsignal(signal));
        if (!first && (double)ticks * PARTS >= sample_cycles(bench) * tick)
            break;
        *iterations *= first ? 1 : FIRST;
    }
    double wanted = sample_cycles(bench) * tick * (double)*iterations / (double)ticks;
    *iterations = wanted < 1 ? 1 : (uint64_t)wanted;
    return STATUS_OK;
}

/* A delayed clock counts too few cycles. The interval spans both numbers, as the code is delayed, too. */
static void count_delay(struct interval *cycles, double delay)
{
    cycles->value *= 1 + delay;
    cycles->high *= 1 + delay;
}

/* Cycles per copy: takes samples in turn with the clock's, and again while other programs disturb them. */
static enum status time_code(struct insn_bench *bench, const struct probe_code *made, double copies,
                             struct timing *timing, struct error *error)
{
    enum { AGAIN_MOST = 3 };
    static const double DISTURBED = 0.015;
    uint64_t iterations;
    enum status status = count_iterations(bench, made, &iterations, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i <= AGAIN_MOST; i++) {
        struct timing again = sample(bench, made, iterations, copies);
        if (i == 0 || disturbance(&again) < disturbance(timing))
            *timing = again;
        if (disturbance(timing) <= DISTURBED)
            return STATUS_OK;
    }
    if (timing->delay > DISTURBED / 2) {
        count_delay(&timing->cycles, timing->delay);
        count_delay(&timing->fastest, timing->delay);
        timing->slower *= 1 + timing->delay;
    }
    return STATUS_OK;
}

/* Makes a loop of the written code and times it. carry: as in insn_make. */
static enum status time_body(struct insn_bench *bench, double copies, bool carry, struct timing *timing,
                             struct error *error)
{
    const struct insn_make loop = {.loop = true, .carry = carry};
    struct probe_code made = {0};
    enum status status = insn_code_make(&bench->code, &loop, &made, error);
    if (status == STATUS_OK)
        status = time_code(bench, &made, copies, timing, error);
    probe_code_free(&made);
    return status;
}

static struct interval sum(struct interval a, struct interval b)
{
    return (struct interval){a.value + b.value, a.low + b.low, a.high + b.high, a.n > b.n ? a.n : b.n};
}

/* a less b, which was measured separately. */
static struct interval without(struct interval a, struct interval b)
{
    return (struct interval){a.value - b.value, a.low - b.high, a.high - b.low, a.n};
}

/* One of two unknown parts of a sum, each at least a cycle. */
static struct interval half(struct interval both)
{
    return (struct interval){both.value / 2, fmin(1, both.value / 2), fmax(both.high - 1, both.value / 2),
                             both.n};
}

/* ---- idle instructions between copies ---- */

/* A chain whose copies are issued faster than they execute fills the queue that they wait in, and on some
 * cores an instruction that waits there takes longer than one whose operands arrive with it (vector logic on
 * Zen 5: 2 cycles and 1). Idle instructions that take as long as the chain keep the queue empty. */

static const double SPACED_MOST = 8; /* cycles a copy: a cycle is a small share of more */

/* Fills the body with idle instructions, until it has so many instructions from there on. */
static void fill_slots(struct insn_bench *bench, size_t from, unsigned slots)
{
    const struct buffer *body = &bench->code.body;
    unsigned lines = 0;
    for (size_t i = from; i < body->size; i++)
        lines += body->data[i] == '\n';
    for (; lines < slots; lines++)
        buffer_text(&bench->code.body, template_section(&bench->texts, "idle"));
}

/* So many copies of so many slots: the loop stays within the caches of decoded instructions. */
static unsigned limit_copies(unsigned copies, unsigned slots)
{
    enum { SLOTS_MOST = 1024 };
    return slots == 0 || copies * slots <= SLOTS_MOST ? copies : SLOTS_MOST / slots & ~1U;
}

/* A chain that can be written with idle instructions: times it with copies of so many slots. */
struct spaced_chain {
    enum status (*time)(void *context, unsigned slots, struct timing *timing, struct error *error);
    void *context;
};

/* Times copies of so many slots. Copies that take more cycles than these slots have more than one
 * micro-operation an instruction: with fewer idle ones they may take less. */
static enum status time_slots(const struct insn_bench *bench, const struct spaced_chain *chain, double cycles,
                              unsigned slots, struct timing *timing, struct error *error)
{
    static const double NEAR = 0.1;
    struct timing fewer;
    enum status status = chain->time(chain->context, slots, timing, error);
    const double over = (timing->cycles.value - cycles) / bench->idle_cycles;
    if (status != STATUS_OK || timing->cycles.value < cycles + NEAR || timing->cycles.value > cycles + 1 ||
        over < 1 || over >= slots)
        return status;
    status = chain->time(chain->context, slots - (unsigned)over, &fewer, error);
    if (status == STATUS_OK && fewer.cycles.value < timing->cycles.value)
        *timing = fewer;
    return status;
}

/* Times the chain, which takes `whole` cycles a copy, with fewer and fewer idle instructions, starting at a
 * cycle less, while that makes it faster. *found: it does, by *spaced. */
static enum status space_chain(const struct insn_bench *bench, const struct spaced_chain *chain, double least,
                               double whole, struct timing *spaced, bool *found, struct error *error)
{
    enum { MORE = 2 }; /* slots: the end of the loop takes some time of the first */
    static const double EXACT = 0.1;
    double best = whole;
    enum status status = STATUS_OK;
    *found = false;
    if (!(bench->idle_cycles > 0) || whole > SPACED_MOST)
        return STATUS_OK;
    for (double cycles = round(whole) - 1; status == STATUS_OK && cycles >= fmax(1, round(least)); cycles--) {
        bool less = false;
        for (unsigned more = 0; status == STATUS_OK && more < MORE && !less; more++) {
            struct timing timing;
            const unsigned slots = (unsigned)ceil(cycles / bench->idle_cycles - EXACT) + more;
            status = time_slots(bench, chain, cycles, slots, &timing, error);
            less = status == STATUS_OK && timing.cycles.value < (1 - LOWER) * best;
            if (less)
                *spaced = timing;
        }
        if (!less)
            break;
        *found = true;
        best = spaced->cycles.value;
    }
    return status;
}

/* ---- registers ---- */

static bool is_taken(const struct chain *chain, const struct register_use *use)
{
    for (unsigned i = 0; i < chain->taken_count; i++)
        if (chain->taken[i].kind == use->kind && chain->taken[i].number == use->number)
            return true;
    return false;
}

static void mark_taken(struct chain *chain, const struct register_use *use)
{
    if (chain->taken_count < TAKEN_MOST)
        chain->taken[chain->taken_count++] = *use;
    insn_code_use(&chain->bench->code, use);
}

static unsigned bits_of(const struct chain *chain, const struct register_use *use)
{
    return use->kind == 'v' ? chain->vector_bits : use->kind == 'w' ? INSN_VECTOR_BYTES * 8 : 64;
}

/* A free register of the pool. */
static bool take(struct chain *chain, const char *pool, struct register_use *use)
{
    for (unsigned n = 0; insn_pool(&chain->bench->texts, pool, n, use); n++) {
        use->bits = bits_of(chain, use);
        if (is_taken(chain, use))
            continue;
        mark_taken(chain, use);
        return true;
    }
    return false;
}

static enum status no_register(struct error *error)
{
    return error_set(error, STATUS_FAILED, "there are not enough registers to tie its copies together");
}

/* The register that holds the slot's first value, taken on first use. */
static enum status take_constant(struct chain *chain, unsigned slot, struct register_use *constant,
                                 struct error *error)
{
    struct register_use *own = &chain->constants[slot];
    if (own->kind == 0 && !take(chain, insn_pool_of(chain->insn, slot), own))
        return no_register(error);
    insn_values_set(chain->values, chain->insn, slot, own, chain->bench->state);
    *constant = *own;
    return STATUS_OK;
}

static enum status take_zero(struct chain *chain, char kind, struct register_use *zero, struct error *error)
{
    struct register_use *own = kind == 'v'   ? &chain->vector_zero
                               : kind == 'w' ? &chain->scalable_zero
                                             : &chain->zero;
    if (own->kind == 0 && !take(chain, kind == 'v' ? "pool.v" : kind == 'w' ? "pool.w" : "pool.r", own))
        return no_register(error);
    memset(insn_register(&chain->bench->state->before, own), 0, insn_register_bytes(own));
    *zero = *own;
    return STATUS_OK;
}

/* A general register between two ties, or (copy) one that keeps the same content. */
static enum status take_held(struct chain *chain, bool copy, struct error *error)
{
    static const uint64_t content = 21;
    struct register_use *own = copy ? &chain->held_copy : &chain->held;
    if (own->kind == 0 && !take(chain, "pool.r", own))
        return no_register(error);
    memcpy(insn_register(&chain->bench->state->before, own), &content, sizeof content);
    return STATUS_OK;
}

/* Starts new code with the instruction's registers loaded. */
static enum status begin_chain(struct insn_bench *bench, const struct insn *insn,
                               const struct insn_roles *roles, const struct insn_values *values,
                               struct chain *chain, struct error *error)
{
    *chain =
        (struct chain){.bench = bench, .insn = insn, .roles = roles, .values = values, .vector_bits = 128};
    insn_code_free(&bench->code);
    for (unsigned i = 0; i < insn->slot_count; i++) {
        const struct register_use *use = &insn->slots[i].use;
        bool high = strcmp(insn_pool_of(insn, i), "pool.v.high") == 0; /* no form of 128 bits can name it */
        unsigned bits = high ? 512 : use->bits;
        if (use->kind == 'v' && bits > chain->vector_bits)
            chain->vector_bits = bits;
    }
    enum status status = insn_assign(insn, &bench->texts, chain->uses, error);
    if (status != STATUS_OK)
        return status;
    insn_values_set_memory(values, bench->state);
    bench->state->before.flags = 0;
    for (unsigned i = 0; i < insn->slot_count; i++) {
        chain->uses[i].bits = bits_of(chain, &chain->uses[i]);
        mark_taken(chain, &chain->uses[i]);
        insn_values_set(values, insn, i, &chain->uses[i], bench->state);
    }
    return STATUS_OK;
}

/* Starts new code of ties alone. */
static enum status begin_ties(struct insn_bench *bench, struct chain *chain, struct error *error)
{
    static const struct insn none;
    static const struct insn_roles no_roles;
    static const struct insn_values no_values;
    return begin_chain(bench, &none, &no_roles, &no_values, chain, error);
}

/* ---- ties ---- */

static enum status add(struct chain *chain, const char *section, const struct insn_tie *tie,
                       const struct tie_cycles *cost, struct error *error)
{
    chain->cost.full = sum(chain->cost.full, cost->full);
    chain->cost.spaced = sum(chain->cost.spaced, cost->spaced);
    return insn_code_add(&chain->bench->code, section, tie, error);
}

/* Gives the slot's register its first value again, without waiting for another copy. */
static enum status reset(struct chain *chain, unsigned slot, struct error *error)
{
    struct insn_tie tie = {.to = chain->uses[slot]};
    const char section[] = {'r', 'e', 's', 'e', 't', '.', tie.to.kind, '\0'};
    enum status status = take_constant(chain, slot, &tie.constant, error);
    return status == STATUS_OK ? add(chain, section, &tie, &NO_CYCLES, error) : status;
}

static enum status reset_flags(struct chain *chain, struct error *error)
{
    struct insn_tie tie = {0};
    enum status status = take_zero(chain, 'r', &tie.zero, error);
    return status == STATUS_OK ? add(chain, "reset.flags", &tie, &NO_CYCLES, error) : status;
}

static bool loops(const struct chain *chain, unsigned operand)
{
    return chain->roles->written[operand] && insn_reads(chain->roles, operand);
}

/* Before a copy: resets what it reads and the copy before it wrote, apart from the operand of the chain. */
static enum status reset_others(struct chain *chain, unsigned from, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < chain->insn->slot_count; i++)
        if (i != from && loops(chain, i))
            status = reset(chain, i, error);
    if (status == STATUS_OK && from != INSN_FLAGS && loops(chain, INSN_FLAGS))
        status = reset_flags(chain, error);
    return status;
}

/* The index of the chain's vector width. */
static unsigned width_of(const struct chain *chain)
{
    unsigned n = 0;
    while (n + 1 < VECTOR_WIDTHS && vector_widths[n] < chain->vector_bits)
        n++;
    return n;
}

/* Makes the operand `from` wait for the vector `to`, both vectors. */
static enum status tie_vectors(struct chain *chain, unsigned from, unsigned to, struct error *error)
{
    struct insn_tie tie = {.from = chain->uses[to], .to = chain->uses[to]};
    enum status status = STATUS_OK;
    const struct insn_bench *bench = chain->bench;
    const bool scalable = tie.to.kind == 'w';
    bool free = !chain->insn->slots[from].fixed && !chain->insn->slots[to].fixed;
    if (chain->values->keep && (free || from == to)) {
        status = take_constant(chain, from, &tie.constant, error);
        if (status == STATUS_OK)
            status = take_zero(chain, tie.to.kind, &tie.zero, error);
        if (status == STATUS_OK)
            status = add(chain, scalable ? "keep.w" : "keep.v", &tie,
                         scalable ? &bench->scalable_keep : &bench->vector_keep[width_of(chain)], error);
        struct register_use held = chain->uses[from];
        chain->uses[from] = chain->uses[to];
        chain->uses[to] = held;
        return status;
    }
    if (from == to)
        return STATUS_OK;
    if (chain->roles->written[from])
        status = reset(chain, from, error);
    tie.to = chain->uses[from];
    return status == STATUS_OK
               ? add(chain, scalable ? "mix.w" : "mix.v", &tie,
                     scalable ? &bench->scalable_mix : &bench->vector_mix[width_of(chain)], error)
               : status;
}

/* Adds a move between a general register and another kind of register. Only the sum of both directions can be
 * measured. */
static enum status add_move(struct chain *chain, const struct insn_tie *tie, char from, char to,
                            struct error *error)
{
    const struct insn_bench *bench = chain->bench;
    const char section[] = {from, '.', to, '\0'}, kind = from == 'r' ? to : from;
    const struct tie_cycles *both = kind == 'v'   ? &bench->vector
                                    : kind == 'k' ? &bench->mask
                                                  : &bench->scalable;
    const struct tie_cycles cost = {half(both->full), half(both->spaced)};
    chain->split = true;
    snprintf(chain->remark, sizeof chain->remark, "less the way back: half of there and back");
    return add(chain, section, tie, &cost, error);
}

/* The condition that reads a flag which changes with the operand; else that of the first flag. */
static void name_flag(const struct insn_bench *bench, uint64_t flags, char name[INSN_FLAG_BYTES])
{
    const char *line = template_section(&bench->texts, "flags");
    unsigned bit;
    char found[INSN_FLAG_BYTES];
    name[0] = '\0';
    for (; line != NULL && *line != '\0'; line = probe_next_line(line)) {
        if (sscanf(line, "%u %3s", &bit, found) != 2)
            continue;
        bool changes = (flags >> bit & 1) != 0;
        if (changes || name[0] == '\0')
            memcpy(name, found, sizeof found);
        if (changes)
            return;
    }
}

/* Moves the result `to` into a general register: *held, or directly into the operand `from` if that is one
 * and needs no particular value; then *done. */
static enum status bring_result(struct chain *chain, unsigned from, unsigned to, struct register_use *held,
                                bool *done, struct error *error)
{
    const struct insn_bench *bench = chain->bench;
    bool general = from < INSN_SLOTS && chain->uses[from].kind == 'r';
    bool direct = general && !chain->values->keep;
    enum status status = STATUS_OK;
    struct insn_tie tie = {0};
    *done = false;
    if (to < INSN_SLOTS && chain->uses[to].kind == 'r') {
        *held = chain->uses[to];
        return STATUS_OK;
    }
    if (to == INSN_FLAGS && general) {
        tie.to = chain->uses[from];
        name_flag(bench, chain->roles->flags_by[from], tie.flag);
        if (chain->roles->written[from])
            status = reset(chain, from, error);
        if (status == STATUS_OK)
            status = take_constant(chain, from, &tie.constant, error);
        *done = true;
        return status == STATUS_OK ? add(chain, "flags.r", &tie, &bench->conditional, error) : status;
    }
    if (!direct)
        status = take_held(chain, false, error);
    if (status == STATUS_OK && to == INSN_FLAGS)
        status = take_held(chain, true, error);
    if (status != STATUS_OK)
        return status;
    *done = direct;
    tie.to = direct ? chain->uses[from] : chain->held;
    *held = tie.to;
    if (to == INSN_FLAGS) {
        tie.constant = chain->held_copy;
        name_flag(bench, chain->roles->flags_by[from], tie.flag);
        return add(chain, "flags.r", &tie, &bench->conditional, error);
    }
    if (to == INSN_MEMORY_OPERAND) {
        for (unsigned i = 0; i < chain->insn->slot_count; i++)
            tie.base = chain->insn->slots[i].base ? chain->uses[i] : tie.base;
        tie.disp = chain->insn->displacement;
        snprintf(chain->remark, sizeof chain->remark, "stored and loaded again");
        return add(chain, "m.r", &tie, &NO_CYCLES, error);
    }
    tie.from = chain->uses[to];
    return add_move(chain, &tie, tie.from.kind, 'r', error);
}

/* Makes the operand `from` wait for the general register. */
static enum status pass_on(struct chain *chain, unsigned from, const struct register_use *held,
                           struct error *error)
{
    const struct insn_bench *bench = chain->bench;
    struct insn_tie tie = {.from = *held};
    enum status status = STATUS_OK;
    if (from == INSN_FLAGS) {
        status = take_held(chain, true, error);
        tie.constant = chain->held_copy;
        return status == STATUS_OK ? add(chain, "r.flags", &tie, &bench->compare, error) : status;
    }
    if (from == INSN_MEMORY_OPERAND) {
        for (unsigned i = 0; i < chain->insn->slot_count; i++)
            tie.to = chain->insn->slots[i].base ? chain->uses[i] : tie.to;
        return add(chain, "mix.r", &tie, &bench->mix, error);
    }
    tie.to = chain->uses[from];
    if (tie.to.kind == 'r') {
        if (chain->roles->written[from])
            status = reset(chain, from, error);
        return status == STATUS_OK ? add(chain, "mix.r", &tie, &bench->mix, error) : status;
    }
    return add_move(chain, &tie, 'r', tie.to.kind, error);
}

/* After a copy: makes the next one's operand `from` this one's result `to`, or makes it wait for it. */
static enum status tie_next(struct chain *chain, unsigned from, unsigned to, struct error *error)
{
    bool slots = from < INSN_SLOTS && to < INSN_SLOTS;
    bool keep = chain->values->keep;
    if (slots && chain->uses[from].kind == chain->uses[to].kind && from != to && !keep &&
        !chain->insn->slots[from].fixed && !chain->insn->slots[to].fixed) {
        struct register_use held = chain->uses[from];
        chain->uses[from] = chain->uses[to];
        chain->uses[to] = held;
        return STATUS_OK;
    }
    if (slots && chain->uses[from].kind == chain->uses[to].kind &&
        (chain->uses[from].kind == 'v' || chain->uses[from].kind == 'w'))
        return tie_vectors(chain, from, to, error);
    if (slots && from == to && keep && chain->uses[to].kind == 'r') {
        struct insn_tie tie = {.to = chain->uses[to]};
        enum status status = take_constant(chain, to, &tie.constant, error);
        if (status == STATUS_OK)
            status = take_zero(chain, 'r', &tie.zero, error);
        return status == STATUS_OK ? add(chain, "keep.r", &tie, &chain->bench->keep, error) : status;
    }
    if (from == to)
        return STATUS_OK;
    struct register_use held;
    bool done;
    enum status status = bring_result(chain, from, to, &held, &done, error);
    return status == STATUS_OK && !done ? pass_on(chain, from, &held, error) : status;
}

/* ---- latency ---- */

static void write_copy(const struct chain *chain, const struct register_use *uses, int64_t further)
{
    buffer_text(&chain->bench->code.body, "    ");
    insn_write(chain->insn, uses, further, &chain->bench->code.body);
    buffer_text(&chain->bench->code.body, "\n");
}

/* A chain of copies from one operand to a result. */
struct latency_chain {
    struct insn_bench *bench;
    const struct insn_times *times;
    const struct insn_values *values;
    unsigned from, to;
    bool resets;
    struct chain chain; /* as it was last written */
};

/* Times it; slots: instructions of each copy, with idle ones; 0: without idle ones. */
static enum status time_chain(void *context, unsigned slots, struct timing *timing, struct error *error)
{
    enum { TIES_BYTES = 12 };
    struct latency_chain *own = context;
    struct insn_bench *bench = own->bench;
    const struct insn *insn = &own->times->insn;
    const struct insn_roles *roles = &own->times->roles;
    struct chain *chain = &own->chain;
    unsigned copies = CODE_BYTES / (insn->size + TIES_BYTES);
    copies = limit_copies(copies > CHAIN_MOST ? CHAIN_MOST : copies & ~1U, slots);
    enum status status = begin_chain(bench, insn, roles, own->values, chain, error);
    bool apart = own->from != INSN_MEMORY_OPERAND && loops(chain, INSN_MEMORY_OPERAND) && !insn->rigid;
    for (unsigned i = 0; status == STATUS_OK && i < copies; i++) {
        const size_t begin = bench->code.body.size;
        chain->cost = NO_CYCLES;
        if (own->resets)
            status = reset_others(chain, own->from, error);
        if (status == STATUS_OK)
            write_copy(chain, chain->uses, apart ? (int64_t)(i % ADDRESSES) * LINE_BYTES : 0);
        if (status == STATUS_OK)
            status = tie_next(chain, own->from, own->to, error);
        if (status == STATUS_OK)
            fill_slots(bench, begin, slots);
    }
    return status == STATUS_OK ? time_body(bench, copies, own->from == INSN_FLAGS, timing, error) : status;
}

/* The latency by a timed chain, less its ties. */
static struct insn_latency latency_of(const struct latency_chain *own, const struct timing *whole,
                                      const struct interval *ties)
{
    struct insn_latency latency = {.from = own->from,
                                   .to = own->to,
                                   .cycles = without(whole->cycles, *ties),
                                   .whole = whole->cycles.value,
                                   .split = own->chain.split,
                                   .delay = whole->delay};
    memcpy(latency.values, own->values->label, sizeof latency.values);
    memcpy(latency.remark, own->chain.remark, sizeof latency.remark);
    if (latency.cycles.value < 0) { /* other programs disturbed it */
        latency.cycles.value = 0;
        snprintf(latency.remark, sizeof latency.remark,
                 "not visible: the chain takes no longer than its ties");
    }
    latency.cycles.low = fmax(0, latency.cycles.low);
    latency.cycles.high = fmax(latency.cycles.value, latency.cycles.high);
    return latency;
}

static enum status measure_chain(struct latency_chain *own, bool resets, struct insn_latency *latency,
                                 struct error *error)
{
    struct timing whole;
    own->resets = resets;
    enum status status = time_chain(own, 0, &whole, error);
    if (status == STATUS_OK)
        *latency = latency_of(own, &whole, &own->chain.cost.full);
    return status;
}

/* Replaces *latency by that of the chain with idle instructions between, if it is lower. */
static enum status space_latency(struct latency_chain *own, bool resets, const struct insn_latency *full,
                                 struct insn_latency *latency, struct error *error)
{
    struct timing timing;
    bool found;
    const struct spaced_chain spaced = {time_chain, own};
    if (own->from == INSN_MEMORY_OPERAND || own->to == INSN_MEMORY_OPERAND)
        return STATUS_OK; /* slower chains let the processor rename the memory */
    own->resets = resets;
    enum status status =
        space_chain(own->bench, &spaced, own->chain.cost.spaced.value, full->whole, &timing, &found, error);
    if (status != STATUS_OK || !found)
        return status;
    struct insn_latency other = latency_of(own, &timing, &own->chain.cost.spaced);
    if (other.cycles.value >= (1 - LOWER) * latency->cycles.value)
        return STATUS_OK;
    const size_t used = strlen(other.remark);
    snprintf(other.remark + used, sizeof other.remark - used, "%s%.1f where copies wait in a full queue",
             used > 0 ? "; " : "", full->cycles.value);
    other.queued = full->cycles.value;
    *latency = other;
    return STATUS_OK;
}

/* True if copies without resets wait for more than the chain's operand. */
static bool has_resets(const struct insn_roles *roles, unsigned slots, unsigned from)
{
    bool found = from != INSN_FLAGS && roles->written[INSN_FLAGS] && insn_reads(roles, INSN_FLAGS);
    for (unsigned i = 0; i < slots; i++)
        found = found || (i != from && roles->written[i] && insn_reads(roles, i));
    return found;
}

/* Resets before each copy take some of the core's time, and without them copies wait for more: both only add
 * to the chain, so that the lower number is nearer. */
static enum status measure_latency(struct insn_bench *bench, const struct insn_times *times,
                                   const struct insn_values *values, unsigned from, unsigned to,
                                   struct insn_latency *latency, struct error *error)
{
    struct latency_chain chain = {.bench = bench, .times = times, .values = values, .from = from, .to = to};
    const bool both = !values->keep && has_resets(&times->roles, times->insn.slot_count, from);
    struct insn_latency other, full;
    enum status status = measure_chain(&chain, true, latency, error);
    if (status == STATUS_OK && both) {
        status = measure_chain(&chain, false, &other, error);
        if (status == STATUS_OK && other.cycles.value < (1 - LOWER) * latency->cycles.value)
            *latency = other;
    }
    if (status != STATUS_OK)
        return status;
    full = *latency;
    for (int resets = 0; status == STATUS_OK && resets <= 1; resets++)
        if (both || resets == 1)
            status = space_latency(&chain, resets == 1, &full, latency, error);
    return status;
}

/* ---- rate ---- */

/* The number of copies that can each write registers of their own. */
static unsigned count_sets(struct chain *chain, struct register_use sets[][INSN_SLOTS], unsigned most)
{
    for (unsigned n = 0; n < most; n++) {
        for (unsigned i = 0; i < chain->insn->slot_count; i++) {
            sets[n][i] = chain->uses[i];
            if (n == 0 || !chain->roles->written[i] || chain->insn->slots[i].fixed)
                continue;
            if (!take(chain, insn_pool_of(chain->insn, i), &sets[n][i]))
                return n;
            insn_values_set(chain->values, chain->insn, i, &sets[n][i], chain->bench->state);
        }
    }
    return most;
}

/* True for an operand that all copies share, so that each waits for the one before. */
static bool is_common(const struct chain *chain, unsigned operand)
{
    return loops(chain, operand) &&
           (operand == INSN_FLAGS || (operand < chain->insn->slot_count &&
                                      (chain->insn->slots[operand].fixed || chain->values->keep)));
}

/* The form of copies that do not wait for each other. */
struct rate_form {
    bool resets;     /* operands that all share get their first values again before each */
    unsigned spread; /* bytes between the memory of one and the next: one word is in one bank of the cache;
                        0: a line of its own for each that is written */
};

/* Writes copies that do not wait for each other; *common receives the names of the operands that are reset.
 */
static enum status write_rate(struct insn_bench *bench, const struct insn_times *times,
                              const struct insn_values *values, struct rate_form form, unsigned *copies,
                              struct buffer *common, struct error *error)
{
    enum { SETS = 16 };
    const struct insn *insn = &times->insn;
    struct register_use sets[SETS][INSN_SLOTS];
    const bool moves = insn->memory && !insn->rigid;
    const bool writes = times->roles.written[INSN_MEMORY_OPERAND];
    const int64_t apart = !moves ? 0 : writes && form.spread == 0 ? LINE_BYTES : form.spread;
    struct chain chain;
    enum status status = begin_chain(bench, insn, &times->roles, values, &chain, error);
    for (unsigned i = 0; status == STATUS_OK && form.resets && i < insn->slot_count; i++)
        if (is_common(&chain, i)) {
            struct register_use unused;
            status = take_constant(&chain, i, &unused, error);
            buffer_printf(common, "%s%s", common->size > 0 ? ", " : "", insn_operand_name(insn, i));
        }
    if (status == STATUS_OK && form.resets && is_common(&chain, INSN_FLAGS)) {
        struct register_use unused;
        status = take_zero(&chain, 'r', &unused, error);
        buffer_printf(common, "%sflags", common->size > 0 ? ", " : "");
    }
    unsigned count = status == STATUS_OK ? count_sets(&chain, sets, SETS) : 1;
    *copies = CODE_BYTES / (insn->size + (form.resets ? 6 : 0));
    *copies = *copies > COPIES_MOST ? COPIES_MOST : *copies;
    *copies = *copies < count ? count : *copies / count * count;
    for (unsigned i = 0; status == STATUS_OK && i < *copies; i++) {
        memcpy(chain.uses, sets[i % count], sizeof chain.uses);
        for (unsigned j = 0; status == STATUS_OK && form.resets && j < insn->slot_count; j++)
            if (is_common(&chain, j))
                status = reset(&chain, j, error);
        if (status == STATUS_OK && form.resets && is_common(&chain, INSN_FLAGS))
            status = reset_flags(&chain, error);
        write_copy(&chain, chain.uses, (int64_t)(i % ADDRESSES) * apart);
    }
    return status;
}

static enum status measure_rate(struct insn_bench *bench, const struct insn_times *times,
                                const struct insn_values *values, struct rate_form form,
                                struct insn_rate *rate, struct error *error)
{
    static const double SLOWER = 1.03;
    struct buffer common = {0}, remark = {0};
    unsigned copies;
    struct timing timing = {0};
    enum status status = write_rate(bench, times, values, form, &copies, &common, error);
    if (status == STATUS_OK)
        status = time_body(bench, copies, false, &timing, error);
    const struct interval cycles = timing.fastest;
    *rate = (struct insn_rate){.per_cycle = {1 / cycles.value, 1 / cycles.high, 1 / cycles.low, cycles.n}};
    memcpy(rate->values, values->label, sizeof rate->values);
    if (form.resets)
        buffer_printf(&remark, "with %s set before each", common.data);
    if (timing.slower > SLOWER * cycles.value)
        buffer_printf(&remark, "%soften %.2f: the samples lie at two numbers, of which this is the lower one",
                      remark.size > 0 ? ", " : "", 1 / timing.slower);
    if (remark.size > 0)
        snprintf(rate->remark, sizeof rate->remark, "%s", remark.data);
    buffer_free(&remark);
    buffer_free(&common);
    return status;
}

static bool has_common(struct insn_bench *bench, const struct insn_times *times,
                       const struct insn_values *values, struct error *error)
{
    struct chain chain;
    bool common = begin_chain(bench, &times->insn, &times->roles, values, &chain, error) == STATUS_OK &&
                  is_common(&chain, INSN_FLAGS);
    for (unsigned i = 0; i < times->insn.slot_count; i++)
        common = common || is_common(&chain, i);
    return common;
}

/* The fastest of several forms of copies has the instruction's rate. */
static void take_higher(struct insn_rate *rate, const struct insn_rate *other)
{
    if (rate->per_cycle.n == 0 || other->per_cycle.value > rate->per_cycle.value)
        *rate = *other;
}

static enum status measure_best_rate(struct insn_bench *bench, const struct insn_times *times,
                                     const struct insn_values *values, struct insn_rate *rate,
                                     struct error *error)
{
    const struct insn *insn = &times->insn;
    const bool writes = times->roles.written[INSN_MEMORY_OPERAND];
    const unsigned reads[] = {LINE_BYTES + 8, LINE_BYTES + 16, LINE_BYTES + 32}; /* words, vectors */
    const unsigned fills[] = {insn->memory_bytes}; /* several stores may go to a line at once */
    const unsigned *spreads = writes ? fills : reads;
    const size_t spread_count = !insn->memory || insn->rigid ? 0
                                : writes                     ? sizeof fills / sizeof *fills
                                                             : sizeof reads / sizeof *reads;
    const bool common = has_common(bench, times, values, error);
    struct insn_rate other;
    enum status status = STATUS_OK;
    if (!values->keep || !common) {
        status = measure_rate(bench, times, values, (struct rate_form){0}, &other, error);
        if (status == STATUS_OK)
            take_higher(rate, &other);
    }
    for (size_t i = 0; status == STATUS_OK && i < spread_count; i++) {
        struct error unused; /* operands that must be aligned may fault */
        const struct rate_form spread = {.resets = values->keep && common, .spread = spreads[i]};
        if (measure_rate(bench, times, values, spread, &other, &unused) == STATUS_OK)
            take_higher(rate, &other);
    }
    if (status != STATUS_OK || !common)
        return status;
    enum status with = measure_rate(bench, times, values, (struct rate_form){.resets = true}, &other, error);
    if (with == STATUS_OK)
        take_higher(rate, &other);
    return values->keep ? with : STATUS_OK;
}

/* Other programs and other threads of the core only lower a rate, for a while: it is confirmed when the two
 * highest of several measurements, some time apart, agree. Until they do it is measured again; then the
 * interval spans both. */
struct rate_trials {
    struct insn_rate rates[RATE_TRIALS];
    unsigned count;
};

static bool rates_agree(struct rate_trials *trials, struct insn_rate *rate)
{
    static const double AGREE = 0.005;
    const struct insn_rate *first = &trials->rates[0], *second = NULL;
    for (unsigned i = 1; i < trials->count; i++) {
        const struct insn_rate *own = &trials->rates[i];
        if (own->per_cycle.value > first->per_cycle.value) {
            second = first;
            first = own;
        } else if (second == NULL || own->per_cycle.value > second->per_cycle.value) {
            second = own;
        }
    }
    *rate = *first;
    bool agree = second != NULL && second->per_cycle.value >= (1 - AGREE) * first->per_cycle.value;
    rate->per_cycle.low = agree ? fmin(first->per_cycle.low, second->per_cycle.low) : NAN;
    rate->per_cycle.high = agree ? fmax(first->per_cycle.high, second->per_cycle.high) : NAN;
    if (agree)
        rate->per_cycle = probe_of_runs(rate->per_cycle);
    if (!agree)
        snprintf(rate->doubt, sizeof rate->doubt,
                 "the two fastest of %u measurements differ by more than 0.5 %%: others disturbed them",
                 trials->count);
    return agree;
}

static enum status measure_trial(struct insn_bench *bench, const struct insn_times *times,
                                 const struct insn_values *values, struct rate_trials *trials,
                                 struct error *error)
{
    trials->rates[trials->count] = (struct insn_rate){0};
    return measure_best_rate(bench, times, values, &trials->rates[trials->count++], error);
}

static enum status measure_until_agreed(struct insn_bench *bench, const struct insn_times *times,
                                        const struct insn_values *values, struct rate_trials *trials,
                                        struct insn_rate *rate, struct error *error)
{
    static const struct timespec apart = {.tv_nsec = 20000000};
    const unsigned most = bench->code.runner == NULL ? RATE_TRIALS : 2; /* an emulator's times mean nothing */
    enum status status = STATUS_OK;
    while (status == STATUS_OK && trials->count < most && !rates_agree(trials, rate)) {
        if (trials->count > 1)
            nanosleep(&apart, NULL);
        status = measure_trial(bench, times, values, trials, error);
    }
    (void)rates_agree(trials, rate);
    return status;
}

/* ---- other counts of independent copies ---- */

/* A loop of copies, with resets where operands must keep their values. */
struct runnable {
    struct insn_bench *bench;
    struct probe_code made;
    unsigned copies;
};

static enum status make_runnable(struct insn_bench *bench, const struct insn_times *times,
                                 struct runnable *runnable, char remark[INSN_REMARK_BYTES],
                                 struct error *error)
{
    static const struct insn_make loop = {.loop = true};
    struct insn_values values[INSN_VALUES_MOST];
    struct buffer common = {0};
    *runnable = (struct runnable){.bench = bench};
    (void)insn_values_read(&bench->texts, &times->insn, values);
    bool resets = values[0].keep && has_common(bench, times, &values[0], error);
    enum status status = write_rate(bench, times, &values[0], (struct rate_form){.resets = resets},
                                    &runnable->copies, &common, error);
    if (status == STATUS_OK)
        status = insn_code_make(&bench->code, &loop, &runnable->made, error);
    if (remark != NULL && resets)
        snprintf(remark, INSN_REMARK_BYTES, "with %s set before each", common.data);
    buffer_free(&common);
    return status;
}

static void run_copies(void *context, uint64_t iterations)
{
    const struct runnable *runnable = context;
    (void)insn_code_run(&runnable->bench->code, &runnable->made, iterations, runnable->bench->state);
}

static void run_nothing(void *context, uint64_t iterations)
{
    const struct runnable *runnable = context;
    (void)insn_code_run(&runnable->bench->code, &runnable->bench->nothing, iterations,
                        runnable->bench->state);
}

static enum status count_ports(struct insn_bench *bench, struct insn_times *times, struct error *error)
{
    enum { ITERATIONS = 200 };
    struct runnable runnable;
    if (bench->port_events == NULL) {
        snprintf(times->no_ports, sizeof times->no_ports, "%s", bench->no_ports.message);
        return STATUS_OK;
    }
    enum status status = make_runnable(bench, times, &runnable, times->ports_remark, error);
    const struct insn_ports_loop loop = {.run = run_copies,
                                         .empty = run_nothing,
                                         .context = &runnable,
                                         .iterations = ITERATIONS,
                                         .instructions = runnable.copies};
    struct error reason;
    if (status == STATUS_OK &&
        insn_ports_count(bench->port_events, &loop, &times->ports, &reason) != STATUS_OK)
        snprintf(times->no_ports, sizeof times->no_ports, "%s", reason.message);
    probe_code_free(&runnable.made);
    return status;
}

enum status insn_load_run(struct insn_bench *bench, const struct insn_times *times, double seconds,
                          struct insn_load *load, struct error *error)
{
    static const double CHUNK_S = 0.002;
    struct runnable runnable;
    enum status status = make_runnable(bench, times, &runnable, NULL, error);
    uint64_t iterations = 1;
    *load = (struct insn_load){.from_s = clock_now_s()};
    for (load->to_s = load->from_s; status == STATUS_OK && load->to_s - load->from_s < seconds;) {
        double before_s = load->to_s;
        run_copies(&runnable, iterations);
        load->instructions += (double)iterations * runnable.copies;
        load->to_s = clock_now_s();
        if (load->to_s - before_s < CHUNK_S)
            iterations *= 2;
    }
    probe_code_free(&runnable.made);
    return status;
}

/* ---- ties' cycles ---- */

/* One or two sections in a chain, through a register of this pool and width; `second` leads back from it to
 * the general register that the first one reads. */
struct tie_chain {
    const char *first, *second, *pool;
    unsigned bits;
};

static enum status write_tie(struct insn_bench *bench, const struct tie_chain *ties, unsigned copies,
                             unsigned slots, struct error *error)
{
    struct chain chain;
    struct register_use a = {0}, b = {0}, c = {0}, zero = {0};
    const char kind = ties->second == NULL ? ties->pool[strlen("pool.")] : 'r';
    enum status status = begin_ties(bench, &chain, error);
    chain.vector_bits = ties->bits;
    if (status == STATUS_OK)
        status = take_zero(&chain, kind, &zero, error);
    const char *own = kind != 'r' ? ties->pool : "pool.r";
    if (status == STATUS_OK &&
        (!take(&chain, own, &a) || !take(&chain, own, &b) || !take(&chain, ties->pool, &c)))
        status = no_register(error);
    for (unsigned i = 0; status == STATUS_OK && i < copies; i++) {
        const size_t begin = bench->code.body.size;
        struct insn_tie there = {.from = ties->second == NULL ? b : a,
                                 .to = ties->second == NULL || strcmp(ties->pool, "pool.r") == 0 ? a : c,
                                 .constant = b,
                                 .zero = zero};
        struct insn_tie back = {.from = c, .to = a, .constant = b, .zero = zero};
        name_flag(bench, 0, there.flag);
        name_flag(bench, 0, back.flag);
        status = insn_code_add(&bench->code, ties->first, &there, error);
        if (status == STATUS_OK && ties->second != NULL)
            status = insn_code_add(&bench->code, ties->second, &back, error);
        if (status == STATUS_OK)
            fill_slots(bench, begin, slots);
    }
    return status;
}

struct timed_tie {
    struct insn_bench *bench;
    const struct tie_chain *ties;
};

static enum status time_tie(void *context, unsigned slots, struct timing *timing, struct error *error)
{
    enum { COPIES = 48 };
    const struct timed_tie *own = context;
    const unsigned copies = limit_copies(COPIES, slots);
    enum status status = write_tie(own->bench, own->ties, copies, slots, error);
    return status == STATUS_OK ? time_body(own->bench, copies, false, timing, error) : status;
}

/* The whole number of cycles near it; 0: there is none. Idle instructions beside a tie may add to its time.
 */
static double whole_cycles(double cycles)
{
    static const double NEAR = 0.1;
    double whole = round(cycles);
    return whole < 1 || fabs(cycles - whole) > NEAR ? 0 : whole;
}

/* The ties' cycles are subtracted from every latency, so that a disturbance here would be in all of them. A
 * tie takes whole cycles: it is measured until two measurements agree on how many; if none do, the least
 * disturbed one counts. */
static enum status measure_full_tie(struct timed_tie *tie, struct interval *cycles, struct error *error)
{
    enum { ATTEMPTS = 12 };
    double whole[ATTEMPTS];
    double least = INFINITY;
    for (int i = 0; i < ATTEMPTS; i++) {
        struct timing timing;
        enum status status = time_tie(tie, 0, &timing, error);
        if (status != STATUS_OK)
            return status;
        if (disturbance(&timing) < least) {
            least = disturbance(&timing);
            *cycles = timing.cycles;
        }
        whole[i] = whole_cycles(timing.cycles.value);
        for (int j = 0; whole[i] > 0 && j < i; j++)
            if (whole[j] == whole[i]) {
                *cycles = (struct interval){whole[i], whole[i], whole[i], timing.cycles.n};
                return STATUS_OK;
            }
    }
    return STATUS_OK;
}

static enum status measure_tie(struct insn_bench *bench, const struct tie_chain *ties,
                               struct tie_cycles *cycles, struct error *error)
{
    struct timed_tie tie = {bench, ties};
    struct timing timing;
    bool found = false;
    const struct spaced_chain spaced = {time_tie, &tie};
    enum status status = measure_full_tie(&tie, &cycles->full, error);
    cycles->spaced = cycles->full;
    if (status == STATUS_OK)
        status = space_chain(bench, &spaced, 1, cycles->full.value, &timing, &found, error);
    if (status == STATUS_OK && found) {
        const double whole = whole_cycles(timing.cycles.value);
        cycles->spaced = whole > 0 ? (struct interval){whole, whole, whole, timing.cycles.n} : timing.cycles;
    }
    return status;
}

/* Measures the time of an idle instruction, if idle instructions make the ties between general registers or
 * those between vectors any shorter: only then do later chains have them between copies. */
static enum status measure_idle(struct insn_bench *bench, struct error *error)
{
    static const struct tie_chain ties[] = {{"mix.r", NULL, "pool.r", 128}, {"mix.v", NULL, "pool.v", 128}};
    struct chain chain;
    struct timing timing;
    bool shorter = false;
    if (template_section(&bench->texts, "idle") == NULL)
        return STATUS_OK;
    enum status status = begin_ties(bench, &chain, error);
    if (status == STATUS_OK) {
        fill_slots(bench, 0, COPIES_MOST);
        status = time_body(bench, COPIES_MOST, false, &timing, error);
    }
    if (status == STATUS_OK)
        bench->idle_cycles = timing.fastest.value;
    for (size_t i = 0; status == STATUS_OK && i < sizeof ties / sizeof *ties; i++) {
        struct tie_cycles cycles;
        status = measure_tie(bench, &ties[i], &cycles, error);
        shorter = shorter || cycles.spaced.value < (1 - LOWER) * cycles.full.value;
    }
    if (!shorter)
        bench->idle_cycles = 0;
    return status;
}

static enum status measure_vector_ties(struct insn_bench *bench, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < VECTOR_WIDTHS; i++) {
        if ((vector_widths[i] > 128 && !bench->code.wide) || (vector_widths[i] > 256 && !bench->code.full))
            break;
        char section[sizeof "mix.v.512"];
        snprintf(section, sizeof section, "mix.v.%u", vector_widths[i]);
        if (i > 0 && template_section(&bench->texts, section) == NULL)
            continue; /* SVE has the widest alone */
        const struct tie_chain mix = {"mix.v", NULL, "pool.v", vector_widths[i]};
        const struct tie_chain keep = {"keep.v", NULL, "pool.v", vector_widths[i]};
        status = measure_tie(bench, &mix, &bench->vector_mix[i], error);
        if (status == STATUS_OK)
            status = measure_tie(bench, &keep, &bench->vector_keep[i], error);
    }
    return status;
}

static enum status measure_ties(struct insn_bench *bench, struct error *error)
{
    static const struct tie_chain mix = {"mix.r", NULL, "pool.r", 128},
                                  keep = {"keep.r", NULL, "pool.r", 128},
                                  conditional = {"flags.r", NULL, "pool.r", 128},
                                  compare = {"r.flags", "flags.r", "pool.r", 128},
                                  vector = {"r.v", "v.r", "pool.v", 128},
                                  mask = {"r.k", "k.r", "pool.k", 128},
                                  scalable = {"r.w", "w.r", "pool.w", 128},
                                  scalable_mix = {"mix.w", NULL, "pool.w", 128},
                                  scalable_keep = {"keep.w", NULL, "pool.w", 128};
    struct tie_cycles both;
    enum status status = measure_idle(bench, error);
    if (status == STATUS_OK)
        status = measure_tie(bench, &mix, &bench->mix, error);
    if (status == STATUS_OK)
        status = measure_tie(bench, &keep, &bench->keep, error);
    if (status == STATUS_OK && insn_flags(&bench->texts) != 0) {
        status = measure_tie(bench, &conditional, &bench->conditional, error);
        if (status == STATUS_OK)
            status = measure_tie(bench, &compare, &both, error);
        if (status == STATUS_OK)
            bench->compare = (struct tie_cycles){without(both.full, bench->conditional.full),
                                                 without(both.spaced, bench->conditional.spaced)};
    }
    if (status == STATUS_OK)
        status = measure_tie(bench, &vector, &bench->vector, error);
    if (status == STATUS_OK && bench->code.full)
        status = measure_tie(bench, &mask, &bench->mask, error);
    if (status == STATUS_OK && machine_has(bench->machine, "v") &&
        template_section(&bench->texts, scalable.pool) != NULL) {
        status = measure_tie(bench, &scalable, &bench->scalable, error);
        if (status == STATUS_OK)
            status = measure_tie(bench, &scalable_mix, &bench->scalable_mix, error);
        if (status == STATUS_OK)
            status = measure_tie(bench, &scalable_keep, &bench->scalable_keep, error);
    }
    return status == STATUS_OK ? measure_vector_ties(bench, error) : status;
}

/* ---- the bench ---- */

static enum status make_clock(struct insn_bench *bench, const char *section, struct probe_code *made,
                              struct error *error)
{
    static const struct insn_make loop = {.loop = true};
    struct chain chain;
    struct insn_tie tie = {0};
    enum status status = begin_ties(bench, &chain, error);
    if (status == STATUS_OK && (!take(&chain, "pool.r", &tie.to) || !take(&chain, "pool.r", &tie.constant)))
        status = no_register(error);
    for (unsigned i = 0; status == STATUS_OK && i < CLOCK_COPIES; i++)
        status = insn_code_add(&bench->code, section, &tie, error);
    return status == STATUS_OK ? insn_code_make(&bench->code, &loop, made, error) : status;
}

static enum status make_nothing(struct insn_bench *bench, struct error *error)
{
    static const struct insn_make loop = {.loop = true};
    insn_code_free(&bench->code);
    buffer_text(&bench->code.body, "");
    return insn_code_make(&bench->code, &loop, &bench->nothing, error);
}

/* The counters count this process alone. */
static void open_ports(struct insn_bench *bench)
{
    struct perf_host host;
    if (bench->code.runner != NULL) {
        error_set(&bench->no_ports, STATUS_UNAVAILABLE, "the code runs in another process");
        return;
    }
    perf_host_read(&host, -1, "");
    bench->port_events = insn_ports_open(&host, &bench->no_ports);
}

/* Makes samples long enough that the clock's resolution does not matter. */
static void settle_clock(struct insn_bench *bench)
{
    enum { LONGEST = 1 << 20 };
    bench->clock_iterations = CLOCK_ITERATIONS;
    while (bench->clock_iterations < LONGEST &&
           insn_code_run(&bench->code, &bench->clock, bench->clock_iterations, bench->state) < SAMPLE_TICKS)
        bench->clock_iterations *= 2;
}

/* A multiplication takes whole cycles: measured until two measurements agree on how many. */
static void compare_clocks(struct insn_bench *bench)
{
    enum { ATTEMPTS = 12 };
    static const double NEAR = 0.1;
    double found[ATTEMPTS];
    bench->long_cycles = 1; /* until it is known: as many iterations as the clock */
    for (size_t i = 0; i < ATTEMPTS; i++) {
        double pairs[SAMPLES];
        for (size_t j = 0; j < SAMPLES; j++)
            pairs[j] = chain_ticks(bench, &bench->long_clock, 1) / chain_ticks(bench, &bench->clock, 1);
        found[i] = stats_median(pairs, SAMPLES);
        double whole = round(found[i]);
        for (size_t j = 0; j < i && fabs(found[i] - whole) < NEAR && whole >= 1; j++)
            if (fabs(found[j] - whole) < NEAR) {
                bench->long_cycles = whole;
                return;
            }
    }
    bench->long_cycles = fmax(1, stats_median(found, ATTEMPTS));
}

struct insn_bench *insn_bench_open(const struct machine *machine, const struct insn_runner *runner,
                                   struct error *error)
{
    struct insn_bench *bench = memory_zeroed(1, sizeof *bench);
    bench->machine = machine;
    bench->code.runner = runner;
    enum status status = insn_texts_open(runner == NULL ? NULL : runner->isa, &bench->texts, error);
    if (status == STATUS_OK) {
        size_t size = (sizeof *bench->state + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        bench->state = runner != NULL ? runner->state : aligned_alloc(PAGE_BYTES, size);
        if (bench->state == NULL)
            abort();
        memset(bench->state, 0, sizeof *bench->state);
        bench->code =
            (struct insn_code){.texts = &bench->texts,
                               .runner = runner,
                               .wide = machine_has(machine, "avx") || machine_has(machine, "sve"),
                               .full = machine_has(machine, "avx512f") || machine_has(machine, "sve")};
        status = make_clock(bench, "clock", &bench->clock, error);
    }
    if (status == STATUS_OK)
        status = make_clock(bench, "clock.long", &bench->long_clock, error);
    if (status == STATUS_OK)
        status = make_nothing(bench, error);
    if (status == STATUS_OK) {
        settle_clock(bench);
        compare_clocks(bench);
        status = measure_ties(bench, error);
    }
    if (status == STATUS_OK) {
        open_ports(bench);
        return bench;
    }
    insn_bench_close(bench);
    return NULL;
}

void insn_bench_close(struct insn_bench *bench)
{
    insn_ports_close(bench->port_events);
    probe_code_free(&bench->clock);
    probe_code_free(&bench->long_clock);
    probe_code_free(&bench->nothing);
    insn_code_free(&bench->code);
    if (bench->code.runner == NULL)
        free(bench->state);
    template_free(&bench->texts);
    free(bench);
}

/* ---- an instruction ---- */

const char *insn_operand_name(const struct insn *insn, unsigned operand)
{
    return operand == INSN_FLAGS            ? "flags"
           : operand == INSN_MEMORY_OPERAND ? "memory"
                                            : insn->slots[operand].name;
}

/* True for vectors longer than struct insn_state has room for. */
static bool has_longer_vectors(const struct machine *machine)
{
    enum { ROOM = 512, MOST = 2048, STEP = 128 };
    for (unsigned bits = ROOM + STEP; bits <= MOST; bits += STEP) {
        char name[16];
        snprintf(name, sizeof name, "sve%u", bits);
        if (machine_has(machine, name))
            return true;
    }
    return machine_has(machine, "zvl1024b");
}

static bool uses_vectors(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->slot_count; i++)
        if (insn->slots[i].use.kind == 'v')
            return true;
    return false;
}

static enum status check_features(const struct insn_bench *bench, const struct insn *insn,
                                  struct error *error)
{
    if (uses_vectors(insn) && has_longer_vectors(bench->machine))
        return error_set(
            error, STATUS_UNAVAILABLE,
            "this processor's vectors are longer than the 512 bits that are kept between samples");
    for (unsigned i = 0; i < insn->feature_count; i++)
        if (!machine_has(bench->machine, insn->features[i]))
            return error_set(error, STATUS_UNAVAILABLE, "it needs %s, which this processor lacks",
                             insn->features[i]);
    return STATUS_OK;
}

/* Where copies that wait for each other take as long as copies that do not, as instructions do that wait for
 * all before them, the chain is only an upper bound of the latency. */
static void mark_bound(struct insn_latency *latency, const struct insn_rate *rate)
{
    static const double SAME = 1.1;
    if (latency->whole > SAME / rate->per_cycle.value || latency->whole < 2)
        return;
    latency->cycles.low = 0;
    snprintf(latency->remark, sizeof latency->remark, "at most: copies that wait for nothing take as long");
}

/* Most latencies are whole numbers of cycles: another number may be a disturbance of many samples. */
static bool is_doubtful(const struct insn_latency *latency)
{
    static const double NEAR = 0.04, SPREAD = 0.02;
    return fabs(latency->whole - round(latency->whole)) > NEAR ||
           latency->cycles.high - latency->cycles.low > SPREAD * latency->whole;
}

static bool is_less_disturbed(const struct insn_latency *a, const struct insn_latency *b)
{
    static const double SAME_DELAY = 0.005;
    bool same = fabs(a->delay - b->delay) < SAME_DELAY;
    return same ? a->whole < b->whole : a->delay < b->delay;
}

/* Measures doubtful latencies again, some time later. A longer disturbance is in all samples of a
 * measurement, whose interval then is too narrow: the interval spans all measurements. */
static enum status measure_doubtful(struct insn_bench *bench, const struct insn_values *values,
                                    struct insn_times *times, unsigned first, int most, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned i = first; status == STATUS_OK && i < times->latency_count; i++) {
        struct insn_latency again;
        struct insn_latency *latency = &times->latencies[i];
        for (int n = 0; status == STATUS_OK && n < most && is_doubtful(latency); n++) {
            status = measure_latency(bench, times, values, latency->from, latency->to, &again, error);
            if (status != STATUS_OK)
                break;
            double low = fmin(latency->cycles.low, again.cycles.low);
            if (is_less_disturbed(&again, latency))
                *latency = again;
            if (is_doubtful(latency))
                latency->cycles.low = fmin(low, latency->cycles.value);
        }
    }
    return status;
}

/* The usual purpose of instructions: results in registers, from other operands than flags. */
static bool is_main(unsigned from, unsigned to)
{
    return to < INSN_FLAGS && from != INSN_FLAGS;
}

static bool has_main(const struct insn_roles *roles)
{
    for (unsigned to = 0; to < INSN_FLAGS; to++)
        for (unsigned from = 0; from < INSN_OPERANDS; from++)
            if (is_main(from, to) && roles->depends[to][from])
                return true;
    return false;
}

/* main_only: leaves out the other pairs, if there are main ones. */
static enum status measure_pairs(struct insn_bench *bench, const struct insn_values *values,
                                 struct insn_times *times, bool main_only, struct error *error)
{
    enum status status = STATUS_OK;
    main_only = main_only && has_main(&times->roles);
    for (unsigned to = 0; to < INSN_OPERANDS; to++)
        for (unsigned from = 0; status == STATUS_OK && from < INSN_OPERANDS; from++)
            if (times->roles.depends[to][from] && times->latency_count < INSN_PAIRS &&
                (!main_only || is_main(from, to)))
                status = measure_latency(bench, times, values, from, to,
                                         &times->latencies[times->latency_count++], error);
    return status;
}

/* A load takes some cycles even from the first cache: a shorter time is that of a predicted value. */
static void doubt_load(const struct insn *insn, struct insn_latency *latency)
{
    static const double LEAST_CYCLES = 0.9;
    bool loads = latency->from == INSN_MEMORY_OPERAND ||
                 (latency->from < INSN_SLOTS && insn->slots[latency->from].base);
    if (loads && latency->cycles.value < LEAST_CYCLES)
        snprintf(
            latency->doubt, sizeof latency->doubt,
            "no load takes less than a cycle: the processor renames the memory or predicts its value, and "
            "the chain does not wait for the load");
}

bool insn_changes_nothing(const struct insn_times *times)
{
    for (unsigned i = 0; i < INSN_OPERANDS; i++)
        if ((i >= INSN_FLAGS || i < times->insn.slot_count) && times->roles.written[i])
            return false;
    return true;
}

/* Its copies may still wait for each other, by registers whose values they write unchanged. */
static void doubt_rate(const struct insn_times *times, struct insn_rate *rate)
{
    bool registers = false;
    for (unsigned i = 0; i < times->insn.slot_count; i++)
        registers = registers || !times->insn.slots[i].base;
    if (registers && insn_changes_nothing(times))
        snprintf(rate->doubt, sizeof rate->doubt,
                 "it changes nothing: whether its copies wait for each other cannot be seen");
}

/* once: as insn_measure_once. */
static enum status measure(struct insn_bench *bench, const char *text, bool once, struct insn_times *times,
                           struct error *error)
{
    enum { AGAIN_MOST = 4 };
    struct insn_values values[INSN_VALUES_MOST];
    memset(times, 0, sizeof *times);
    enum status status = insn_read(text, &bench->texts, &times->insn, error);
    if (status == STATUS_OK)
        status = check_features(bench, &times->insn, error);
    unsigned count = status == STATUS_OK ? insn_values_read(&bench->texts, &times->insn, values) : 0;
    if (status == STATUS_OK)
        status = insn_roles_find(&times->insn, &values[0], &bench->code, bench->state, &times->roles, error);
    for (unsigned i = 0; status == STATUS_OK && i < count; i++) {
        struct insn_rate *rate = &times->rates[times->rate_count++];
        struct rate_trials trials = {.count = 0};
        unsigned first = times->latency_count;
        status = measure_trial(bench, times, &values[i], &trials, error);
        if (status == STATUS_OK)
            status = measure_pairs(bench, &values[i], times, once, error);
        if (status == STATUS_OK) /* some time later */
            status = measure_doubtful(bench, &values[i], times, first, once ? 1 : AGAIN_MOST, error);
        if (status == STATUS_OK && once)
            *rate = trials.rates[0];
        else if (status == STATUS_OK)
            status = measure_until_agreed(bench, times, &values[i], &trials, rate, error);
        for (unsigned j = first; status == STATUS_OK && j < times->latency_count; j++) {
            mark_bound(&times->latencies[j], rate);
            doubt_load(&times->insn, &times->latencies[j]);
        }
        doubt_rate(times, rate);
    }
    if (status == STATUS_OK)
        status = count_ports(bench, times, error);
    return status;
}

enum status insn_measure(struct insn_bench *bench, const char *text, struct insn_times *times,
                         struct error *error)
{
    return measure(bench, text, false, times, error);
}

enum status insn_measure_once(struct insn_bench *bench, const char *text, struct insn_times *times,
                              struct error *error)
{
    return measure(bench, text, true, times, error);
}
