#include "generator/plan/data/plan_data.h"

#include "base/random.h"
#include "generator/plan/data/data_words.h"
#include "generator/plan/memory/chase_windows.h"

#include <string.h>

enum { WORD_BYTES = 8, STATE_BYTES = 64, MOST_WORDS = 8 };

/* The first behaviour with the item's pattern. */
static size_t stream_of(const struct kernel *kernel, size_t item)
{
    size_t i = 0;
    while (!behaviour_same_data(&kernel->items[i], &kernel->items[item]))
        i++;
    return i;
}

/* The word that each slot's load reads; 0 without data of its own, but for links. */
static uint64_t *choose_values(struct plan *plan, const struct plan_options *options)
{
    const struct kernel *kernel = plan->kernel;
    struct random random = random_start(options->seed, "data");
    uint64_t *values = arena_alloc(&plan->arena, plan->slot_count, sizeof *values);
    uint64_t *stream = arena_room(&plan->arena, plan->loads + 1, sizeof *stream);
    for (size_t item = 0; item < kernel->count; item++) {
        const struct behaviour *load = &kernel->items[item];
        if (load->kind != BEHAVIOUR_LOAD || !load->has_data || stream_of(kernel, item) != item)
            continue;
        size_t count = 0;
        for (int fill = 0; fill < 2; fill++) {
            if (fill && load->changes)
                data_words_fill(load, &random, stream, count);
            count = 0;
            for (size_t i = 0; i < plan->slot_count; i++) {
                const struct behaviour *other = &kernel->items[plan->slots[i].item];
                if (other->kind != BEHAVIOUR_LOAD || !other->has_data ||
                    stream_of(kernel, plan->slots[i].item) != item)
                    continue;
                values[i] = load->changes ? stream[count] : load->word;
                count++;
            }
        }
    }
    for (size_t i = 0; plan->data.links != NULL && i < plan->slot_count; i++)
        if (kernel->items[plan->slots[i].item].address == ADDRESS_CHASE)
            values[i] = plan->data.links[i];
    return values;
}

static void add_run(struct plan *plan, struct data_run run)
{
    const struct data_run *last =
        plan->data.run_count > 0 ? &plan->data.runs[plan->data.run_count - 1] : NULL;
    if (last == NULL || memcmp(last, &run, sizeof run) != 0)
        plan->data.runs[plan->data.run_count++] = run;
}

/* Fills the block around the place, of which a vector holds all and a bus carries all. */
static void add_place(struct plan *plan, const struct place *place, unsigned block, uint64_t value)
{
    uint64_t word = place->offset / block * block;
    unsigned words = block / WORD_BYTES;
    if (place->base == 0) {
        add_run(plan, (struct data_run){word, words == 1 ? 0 : WORD_BYTES, words, value});
        return;
    }
    const struct base *base = &plan->memory.bases[place->base - 1];
    const struct rotation *at = &base->at;
    if (base->by_capacity && value == 0)
        return; /* as all its bytes are */
    for (unsigned i = 0; i < words; i++)
        add_run(plan, (struct data_run){at->start + word + i * (uint64_t)WORD_BYTES, at->step, at->positions,
                                        value});
}

/* Bytes that hold the value of the slot's load: those of its own bus. */
static unsigned block_of(const struct plan *plan, const struct slot *slot)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    unsigned bus = item->kind == BEHAVIOUR_LOAD && item->has_data ? behaviour_bus(item) : WORD_BYTES;
    return bus > WORD_BYTES ? bus : WORD_BYTES;
}

/* True if the kernel keeps state between calls: bases or its position in the period. */
static bool plan_has_state(const struct plan *plan)
{
    return plan->memory.base_count > 0 || plan->sizing.schedule_count > 0;
}

static void add_lead(void *context, uint64_t word, uint64_t leads)
{
    add_run(context, (struct data_run){word, 0, 1, leads});
}

/* Adds the initial state: the bases' starts, and the first pass of a period. */
static void add_state(struct plan *plan)
{
    if (!plan_has_state(plan))
        return;
    if (!plan->memory.by_rotation) {
        plan->memory.state = plan->memory.bytes;
        plan->memory.bytes += STATE_BYTES;
    }
    for (unsigned i = 0; i <= plan->memory.base_count; i++)
        add_run(plan, (struct data_run){plan->memory.state + (uint64_t)i * WORD_BYTES, 0, 1,
                                        i < plan->memory.base_count ? plan->memory.bases[i].at.start : 0});
}

/* Zeros for working sets of more than a few lines, which words of loads then overwrite. */
static void add_regions(struct plan *plan)
{
    for (unsigned i = 0; i < plan->memory.base_count; i++)
        if (plan->memory.bases[i].by_capacity)
            add_run(plan, (struct data_run){plan->memory.bases[i].at.start, WORD_BYTES,
                                            plan->memory.bases[i].bytes / WORD_BYTES, 0});
}

/* Set-up writes this last, which evicts everything before it from all caches. */
static void add_sweep(struct plan *plan)
{
    const struct plan_memory *memory = &plan->memory;
    if (memory->sweep_bytes > 0)
        add_run(plan, (struct data_run){memory->sweep_from, memory->sweep_step,
                                        memory->sweep_bytes / memory->sweep_step, 1});
}

/* The rates of the words that loads read, in order of access on one bus. */
static void count_rates(struct plan *plan, const uint64_t *values)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    if (data == NULL)
        return;
    uint64_t *read = arena_room(&plan->arena, plan->loads, sizeof *read);
    unsigned *lanes = arena_room(&plan->arena, plan->loads, sizeof *lanes);
    size_t count = 0;
    unsigned width = behaviour_bus(data);
    plan->data.changes = false;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct behaviour *item = &plan->kernel->items[plan->slots[i].item];
        if (item->kind != BEHAVIOUR_LOAD)
            continue;
        plan->data.changes = plan->data.changes || item->changes || values[i] != data->word;
        unsigned bus = behaviour_bus(item);
        bool narrow = bus < WORD_BYTES;
        width = bus > width ? bus : width;
        lanes[count] = narrow ? 1 : bus / WORD_BYTES;
        read[count++] = narrow ? values[i] & UINT32_MAX : values[i];
    }
    plan->data.toggle_rate = data_words_toggle_rate(read, lanes, count, 8 * width);
    plan->data.ones_rate = data_words_ones_rate(read, lanes, count, 8 * width);
}

enum status plan_fill_data(struct plan *plan, const struct plan_options *options, struct error *error)
{
    (void)error;
    const struct behaviour *data = kernel_data(plan->kernel);
    size_t places = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        places += plan->slots[i].place_count;
    plan->data.runs = arena_room(&plan->arena, (MOST_WORDS + 1) * places + 2 * plan->memory.base_count + 3,
                                 sizeof *plan->data.runs);
    plan->data.run_count = 0;
    uint64_t *values = choose_values(plan, options);
    bool one_word = !plan->memory.by_rotation && (data == NULL || !data->changes);
    uint64_t fill = one_word && data != NULL ? data->word : 0;
    if (!plan->memory.by_rotation)
        add_run(plan, (struct data_run){0, WORD_BYTES, plan->memory.bytes / WORD_BYTES, fill});
    add_regions(plan);
    for (size_t i = 0; (!one_word || plan->data.links != NULL) && i < plan->slot_count; i++)
        for (unsigned p = 0; p < plan->slots[i].place_count; p++)
            add_place(plan, &plan->slots[i].places[p], block_of(plan, &plan->slots[i]), values[i]);
    chase_windows_visit(plan, add_lead, plan);
    add_state(plan); /* last: set-up skips zeros before the first other word */
    add_sweep(plan);
    if (plan->memory.huge_from > plan->memory.bytes)
        plan->memory.huge_from = plan->memory.bytes;
    count_rates(plan, values);
    return STATUS_OK;
}
