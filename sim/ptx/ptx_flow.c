/* Works on basic blocks; a node after the last stands for the end of the program. Reconvergence points are
 * immediate post-dominators: Cooper, Harvey, Kennedy 2001, "A simple, fast dominance algorithm", on the
 * reversed flow. Unused results follow from live registers, where an instruction without a live result uses
 * nothing. */
#include "sim/ptx/ptx_flow.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const size_t NOWHERE = SIZE_MAX;

struct flow {
    const struct ptx_program *program;
    size_t *first;     /* [count + 1]: first instruction of each block, and the end */
    size_t *block;     /* [instructions]: its block */
    size_t (*next)[2]; /* [count]: each block's successors; NOWHERE: none; count: the end */
    size_t count;
};

static bool ends_block(const struct ptx_instruction *it)
{
    return it->kind == PTX_BRANCH || it->kind == PTX_EXIT;
}

static void find_next(struct flow *flow, size_t block)
{
    const struct ptx_instruction *last = &flow->program->code[flow->first[block + 1] - 1];
    flow->next[block][0] = block + 1;
    flow->next[block][1] = NOWHERE;
    if (last->kind == PTX_EXIT)
        flow->next[block][0] = flow->count;
    if (last->kind == PTX_BRANCH)
        flow->next[block][0] = flow->block[last->target];
    if (ends_block(last) && last->guard != PTX_NO_GUARD)
        flow->next[block][1] = block + 1;
}

static void open_flow(const struct ptx_program *program, struct flow *flow)
{
    unsigned char *leads = memory_zeroed(program->count + 1, 1);
    *flow = (struct flow){.program = program};
    leads[0] = 1;
    for (size_t i = 0; i < program->count; i++) {
        if (program->code[i].kind == PTX_BRANCH)
            leads[program->code[i].target] = 1;
        if (ends_block(&program->code[i]))
            leads[i + 1] = 1;
    }
    flow->block = memory_zeroed(program->count + 1, sizeof *flow->block);
    flow->first = memory_zeroed(program->count + 1, sizeof *flow->first);
    for (size_t i = 0; i < program->count; i++) {
        if (leads[i] != 0)
            flow->first[flow->count++] = i;
        flow->block[i] = flow->count - 1;
    }
    flow->first[flow->count] = program->count;
    flow->next = memory_zeroed(flow->count, sizeof *flow->next);
    for (size_t i = 0; i < flow->count; i++)
        find_next(flow, i);
    free(leads);
}

static void close_flow(struct flow *flow)
{
    free(flow->first);
    free(flow->block);
    free(flow->next);
}

/* ---- reconvergence ---- */

/* Numbers the blocks from 1 in the post-order of a depth-first search from the end, against the flow; 0: not
 * reached. */
static void number_blocks(const struct flow *flow, size_t *numbers, size_t *ordered)
{
    size_t nodes = flow->count + 1, done = 0, depth = 0;
    size_t *heads = memory_zeroed(nodes + 1, sizeof *heads); /* lists of predecessors */
    size_t *before = memory_zeroed(2 * nodes, sizeof *before);
    size_t *stack = memory_zeroed(nodes, sizeof *stack);
    unsigned char *seen = memory_zeroed(nodes, 1);
    for (size_t i = 0; i < flow->count; i++)
        for (int k = 0; k < 2; k++)
            if (flow->next[i][k] != NOWHERE)
                heads[flow->next[i][k] + 1]++;
    for (size_t i = 0; i < nodes; i++)
        heads[i + 1] += heads[i];
    size_t *at = memory_zeroed(nodes, sizeof *at);
    memcpy(at, heads, nodes * sizeof *at);
    for (size_t i = 0; i < flow->count; i++)
        for (int k = 0; k < 2; k++)
            if (flow->next[i][k] != NOWHERE)
                before[at[flow->next[i][k]]++] = i;
    memcpy(at, heads, nodes * sizeof *at);
    stack[depth++] = flow->count;
    seen[flow->count] = 1;
    while (depth > 0) {
        size_t node = stack[depth - 1];
        if (at[node] == heads[node + 1]) {
            ordered[done++] = node;
            numbers[node] = done;
            depth--;
            continue;
        }
        size_t other = before[at[node]++];
        if (seen[other] == 0) {
            seen[other] = 1;
            stack[depth++] = other;
        }
    }
    free(heads);
    free(before);
    free(stack);
    free(seen);
    free(at);
}

static size_t common(const size_t *numbers, const size_t *joins, size_t a, size_t b)
{
    while (a != b) {
        while (numbers[a] < numbers[b])
            a = joins[a];
        while (numbers[b] < numbers[a])
            b = joins[b];
    }
    return a;
}

/* Finds each block's immediate post-dominator; NOWHERE: the end is not reachable from it. */
static void find_joins(const struct flow *flow, size_t *joins)
{
    size_t nodes = flow->count + 1;
    size_t *numbers = memory_zeroed(nodes, sizeof *numbers);
    size_t *ordered = memory_zeroed(nodes, sizeof *ordered);
    bool changes = true;
    number_blocks(flow, numbers, ordered);
    for (size_t i = 0; i < nodes; i++)
        joins[i] = NOWHERE;
    joins[flow->count] = flow->count;
    while (changes) {
        changes = false;
        for (size_t i = numbers[flow->count] - 1; i-- > 0;) {
            size_t node = ordered[i], found = NOWHERE;
            for (int k = 0; k < 2; k++) {
                size_t next = flow->next[node][k];
                if (next != NOWHERE && numbers[next] != 0 && joins[next] != NOWHERE)
                    found = found == NOWHERE ? next : common(numbers, joins, found, next);
            }
            changes = changes || found != joins[node];
            joins[node] = found;
        }
    }
    free(numbers);
    free(ordered);
}

void ptx_flow_join(struct ptx_program *program)
{
    struct flow flow;
    open_flow(program, &flow);
    size_t *joins = memory_zeroed(flow.count + 1, sizeof *joins);
    find_joins(&flow, joins);
    for (size_t i = 0; i < program->count; i++) {
        size_t block = joins[flow.block[i]];
        if (program->code[i].kind == PTX_BRANCH)
            program->code[i].join =
                block == NOWHERE || block == flow.count ? program->count : flow.first[block];
    }
    free(joins);
    close_flow(&flow);
}

/* ---- unused results ---- */

enum { WORD_BITS = 64, NO_BIT = -1 };

struct live {
    const struct ptx_program *program;
    int *bits; /* by place / 8: the register's bit */
    size_t words;
};

static void open_live(const struct ptx_program *program, struct live *live)
{
    int count = 0;
    *live = (struct live){.program = program};
    live->bits = memory_zeroed(program->register_bytes / 8 + 1, sizeof *live->bits);
    for (size_t i = 0; i < program->register_count; i++)
        if (program->registers[i].used)
            live->bits[program->registers[i].place / 8] = count++;
    live->words = (size_t)count / WORD_BITS + 1;
}

static int bit_of(const struct live *live, ptx_place place)
{
    return place < 0 ? NO_BIT : live->bits[place / 8];
}

static void put(const struct live *live, uint64_t *set, ptx_place place)
{
    int bit = bit_of(live, place);
    if (bit != NO_BIT)
        set[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
}

static bool has(const struct live *live, const uint64_t *set, ptx_place place)
{
    int bit = bit_of(live, place);
    return bit != NO_BIT && (set[bit / WORD_BITS] >> bit % WORD_BITS & 1) != 0;
}

static void drop(const struct live *live, uint64_t *set, ptx_place place)
{
    int bit = bit_of(live, place);
    if (bit != NO_BIT)
        set[bit / WORD_BITS] &= ~(UINT64_C(1) << bit % WORD_BITS);
}

unsigned ptx_results(const struct ptx_instruction *it)
{
    bool several = it->kind == PTX_LOAD || it->kind == PTX_UNPACK || it->kind == PTX_MATRIX ||
                   it->kind == PTX_GROUP_MATRIX;
    return !it->writes ? 0 : several ? it->count : 1;
}

ptx_place ptx_result(const struct ptx_instruction *it, unsigned number)
{
    return it->kind == PTX_GROUP_MATRIX ? it->sums[number] : it->result[number];
}

static bool has_effect(const struct ptx_instruction *it)
{
    return it->kind == PTX_STORE || it->kind == PTX_ATOMIC || it->kind == PTX_BRANCH ||
           it->kind == PTX_EXIT || it->kind == PTX_BARRIER || it->kind == PTX_COPY ||
           (it->kind >= PTX_BULK && it->kind <= PTX_PROXY) || it->is_volatile;
}

/* How many of its results are in the set. */
static unsigned live_results(const struct live *live, const struct ptx_instruction *it, const uint64_t *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ptx_results(it); i++)
        count += has(live, set, ptx_result(it, i));
    return count;
}

/* Turns the set of registers live after the instruction into that before it. */
static void step_back(const struct live *live, const struct ptx_instruction *it, uint64_t *set)
{
    if (!has_effect(it) && live_results(live, it, set) == 0)
        return;
    bool adds = it->kind == PTX_GROUP_MATRIX; /* so its results are sources too */
    for (unsigned i = 0; i < ptx_results(it) && it->guard == PTX_NO_GUARD && !adds; i++)
        drop(live, set, ptx_result(it, i));
    for (unsigned i = 0; i < it->sources; i++)
        put(live, set, it->source[i]);
    if (it->guard != PTX_NO_GUARD)
        put(live, set, it->guard);
    if (it->address.has_base)
        put(live, set, it->address.base);
    if (it->to.has_base)
        put(live, set, it->to.base);
    if (it->barrier.has_base)
        put(live, set, it->barrier.base);
}

/* Fills the set of registers live after the block from the sets before its successors. */
static void join_successors(const struct live *live, const struct flow *flow, const uint64_t *before,
                            size_t block, uint64_t *set)
{
    memset(set, 0, live->words * sizeof *set);
    for (int k = 0; k < 2; k++)
        for (size_t w = 0; flow->next[block][k] < flow->count && w < live->words; w++)
            set[w] |= before[flow->next[block][k] * live->words + w];
}

static size_t find_unused(const struct live *live, const struct flow *flow, const uint64_t *before,
                          uint64_t *set, bool all)
{
    const struct ptx_program *program = live->program;
    size_t found = program->count;
    for (size_t block = 0; block < flow->count; block++) {
        join_successors(live, flow, before, block, set);
        for (size_t i = flow->first[block + 1]; i-- > flow->first[block];) {
            const struct ptx_instruction *it = &program->code[i];
            unsigned used = live_results(live, it, set);
            bool wanted =
                it->kind == PTX_LOAD ||
                (all && (it->kind == PTX_OPERATE || it->kind == PTX_MATRIX || it->kind == PTX_GROUP_MATRIX));
            bool within = i >= program->loop && i <= program->loop_end;
            if (wanted && within && !it->is_volatile && used < ptx_results(it) && i < found)
                found = i;
            step_back(live, it, set);
        }
    }
    return found;
}

size_t ptx_flow_unused(const struct ptx_program *program, bool all)
{
    struct flow flow;
    struct live live;
    bool changes = program->loop_end > program->loop;
    size_t found = program->count;
    open_flow(program, &flow);
    open_live(program, &live);
    uint64_t *before = memory_zeroed(flow.count * live.words, sizeof *before);
    uint64_t *set = memory_zeroed(live.words, sizeof *set);
    while (changes) {
        changes = false;
        for (size_t block = flow.count; block-- > 0;) {
            join_successors(&live, &flow, before, block, set);
            for (size_t i = flow.first[block + 1]; i-- > flow.first[block];)
                step_back(&live, &program->code[i], set);
            uint64_t *own = before + block * live.words;
            changes = changes || memcmp(own, set, live.words * sizeof *set) != 0;
            memcpy(own, set, live.words * sizeof *set);
        }
        if (!changes)
            found = find_unused(&live, &flow, before, set, all);
    }
    free(before);
    free(set);
    free(live.bits);
    close_flow(&flow);
    return found;
}

static bool reads(const struct ptx_instruction *it, const struct ptx_instruction *load)
{
    bool any = false;
    for (unsigned r = 0; r < ptx_results(load); r++) {
        ptx_place place = ptx_result(load, r);
        for (unsigned i = 0; i < it->sources; i++)
            any = any || it->source[i] == place;
        any = any || (it->address.has_base && it->address.base == place) ||
              (it->to.has_base && it->to.base == place);
    }
    return any;
}

unsigned ptx_flow_underway(const struct ptx_program *program, size_t place)
{
    unsigned count = 0;
    for (size_t i = program->loop; place > program->loop_end && i <= program->loop_end; i++) {
        const struct ptx_instruction *load = &program->code[i];
        size_t at = i + 1;
        if (load->kind != PTX_LOAD || load->space == PTX_CONST || load->space == PTX_PARAM)
            continue;
        while (at < place && !reads(&program->code[at], load))
            at++;
        count += at == place;
    }
    return count;
}
