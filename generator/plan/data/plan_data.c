#include "generator/plan/data/plan_data.h"

#include "base/memory.h"
#include "base/random.h"
#include "generator/plan/memory/chase_windows.h"

#include <stdlib.h>
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

void data_words_fill(const struct behaviour *load, const struct word_order *addresses, struct random *random,
                     uint64_t *values, size_t count)
{
    uint64_t own = behaviour_own_bits(load);
    struct word_sequence request = {.bits = 8 * behaviour_lane(load),
                                    .count = count,
                                    .toggle = load->toggle,
                                    .own = &own,
                                    .program_order = load->program_order,
                                    .orders = addresses,
                                    .order_count = addresses != NULL};
    if (load->word_count == 0)
        word_sequence_make(&request, random, values);
    for (size_t i = 0; load->word_count > 0 && i < count; i++)
        values[i] = load->words[i % load->word_count];
}

/* The slots that use one behaviour's pattern, in order of access; the words in memory that they read or
 * write, numbered by first access; and the order of these words by address. */
struct access_stream {
    size_t *slots;   /* [count] */
    uint32_t *words; /* [count]: of each slot, below `distinct`; stores write one each, wherever they write */
    size_t count, distinct;
    uint32_t *after; /* [distinct] */
};

struct located_access {
    uint64_t offset;
    uint32_t index;
};

static int by_offset(const void *a, const void *b)
{
    const struct located_access *first = a, *second = b;
    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index;
}

/* Numbers the words; all[] is sorted by address, and its `index` is a place in the stream. */
static void number_words(struct access_stream *stream, const struct located_access *all, bool stores,
                         struct arena *arena)
{
    uint32_t *first = arena_room(arena, stream->count, sizeof *first);
    uint32_t *at = arena_room(arena, stream->count, sizeof *at);
    for (size_t i = 0; i < stream->count; i++) {
        bool again = !stores && i > 0 && all[i].offset == all[i - 1].offset;
        first[all[i].index] = again ? first[all[i - 1].index] : all[i].index;
    }
    for (size_t i = 0; i < stream->count; i++)
        stream->words[i] = first[i] == i ? (uint32_t)stream->distinct++ : stream->words[first[i]];
    for (size_t i = 0, next = 0; i < stream->count; i++)
        if (first[all[i].index] == all[i].index)
            at[next++] = stream->words[all[i].index];
    stream->after = arena_room(arena, stream->distinct, sizeof *stream->after);
    word_sequence_ring(at, stream->distinct, stream->after);
}

/* Bytes that hold the value of the slot's access: those of its own bus. */
static unsigned block_of(const struct plan *plan, const struct slot *slot)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    unsigned bus = item->kind == BEHAVIOUR_LOAD && item->has_data ? behaviour_bus(item) : WORD_BYTES;
    return bus > WORD_BYTES ? bus : WORD_BYTES;
}

static struct access_stream find_stream(struct plan *plan, size_t item)
{
    const struct kernel *kernel = plan->kernel;
    struct access_stream stream = {.slots = arena_room(&plan->arena, plan->slot_count, sizeof *stream.slots)};
    struct located_access *all = arena_room(&plan->arena, plan->slot_count, sizeof *all);
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        const struct behaviour *other = &kernel->items[slot->item];
        if (!behaviour_accesses(other) || !other->has_data || stream_of(kernel, slot->item) != item)
            continue;
        unsigned block = block_of(plan, slot);
        all[stream.count] =
            (struct located_access){plan_offset(plan, slot, 0) / block * block, (uint32_t)stream.count};
        stream.slots[stream.count++] = i;
    }
    stream.words = arena_room(&plan->arena, stream.count, sizeof *stream.words);
    qsort(all, stream.count, sizeof *all, by_offset);
    number_words(&stream, all, kernel->items[item].kind == BEHAVIOUR_STORE, &plan->arena);
    return stream;
}

/* The word that each slot's load reads; 0 for loads without data, except links. */
static uint64_t *choose_values(struct plan *plan, const struct plan_options *options)
{
    const struct kernel *kernel = plan->kernel;
    struct random random = random_start(options->seed, "data");
    uint64_t *values = arena_alloc(&plan->arena, plan->slot_count, sizeof *values);
    uint64_t *words = arena_room(&plan->arena, plan->loads + 1, sizeof *words);
    for (size_t item = 0; item < kernel->count; item++) {
        const struct behaviour *load = &kernel->items[item];
        if (load->kind != BEHAVIOUR_LOAD || !load->has_data || stream_of(kernel, item) != item)
            continue;
        struct access_stream stream = find_stream(plan, item);
        const struct word_order addresses = {stream.after};
        if (load->changes)
            data_words_fill(load, &addresses, &random, words, stream.distinct);
        for (size_t i = 0; i < stream.count; i++)
            values[stream.slots[i]] = load->changes ? words[stream.words[i]] : load->word;
    }
    for (size_t i = 0; plan->data.links != NULL && i < plan->slot_count; i++)
        if (kernel->items[plan->slots[i].item].address == ADDRESS_CHASE)
            values[i] = plan->data.links[i];
    return values;
}

/* Chooses again which register each store writes, now that the addresses are known. */
static void turn_stores(struct plan *plan, const struct plan_options *options)
{
    struct random random = random_start(options->seed, "stores");
    for (size_t item = 0; item < plan->kernel->count; item++) {
        const struct behaviour *store = &plan->kernel->items[item];
        struct operand_words *words = &plan->data.operands[item];
        if (store->kind != BEHAVIOUR_STORE || !behaviour_toggles(store) || store->program_order)
            continue;
        struct access_stream stream = find_stream(plan, item);
        struct word_order addresses = {stream.after};
        (void)operand_words_make(store, (unsigned)stream.count, &addresses, &random, &plan->arena, words);
        for (size_t i = 0; i < stream.count; i++)
            plan->slots[stream.slots[i]].operand = operand_words_of(words, (unsigned)i);
    }
}

static void add_run(struct plan *plan, struct data_run run)
{
    const struct data_run *last =
        plan->data.run_count > 0 ? &plan->data.runs[plan->data.run_count - 1] : NULL;
    if (last == NULL || memcmp(last, &run, sizeof run) != 0)
        plan->data.runs[plan->data.run_count++] = run;
}

/* Fills the block around the place: the whole vector, and all that the bus transfers. */
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

/* Adds zeros for working sets of more than a few lines; the words of loads overwrite them. */
static void add_regions(struct plan *plan)
{
    for (unsigned i = 0; i < plan->memory.base_count; i++)
        if (plan->memory.bases[i].by_capacity)
            add_run(plan, (struct data_run){plan->memory.bases[i].at.start, WORD_BYTES,
                                            plan->memory.bases[i].bytes / WORD_BYTES, 0});
}

/* Adds the lines of the sweep, which set-up writes last to evict everything else from all caches. */
static void add_sweep(struct plan *plan)
{
    const struct plan_memory *memory = &plan->memory;
    if (memory->sweep_bytes > 0)
        add_run(plan, (struct data_run){memory->sweep_from, memory->sweep_step,
                                        memory->sweep_bytes / memory->sweep_step, 1});
}

/* Bytes of the bus that all loads share: the widest of them. */
static unsigned widest_bus(const struct kernel *kernel)
{
    unsigned widest = 0;
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_LOAD && behaviour_bus(&kernel->items[i]) > widest)
            widest = behaviour_bus(&kernel->items[i]);
    return widest;
}

/* True if loads read different words. */
static bool loads_change(const struct plan *plan, const struct behaviour *data, const uint64_t *values)
{
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct behaviour *item = &plan->kernel->items[plan->slots[i].item];
        if (item->kind == BEHAVIOUR_LOAD && (item->changes || values[i] != data->word))
            return true;
    }
    return false;
}

/* Counts the words that loads read in a period. Each pass reads the same words, but may read them at other
 * places. */
static void count_loads(struct plan *plan, const uint64_t *values)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    plan->data.loads = (struct word_tally){0};
    plan->data.changes = data != NULL && loads_change(plan, data, values);
    if (data == NULL)
        return;
    unsigned bits = 8 * widest_bus(plan->kernel), passes = plan->data.changes ? plan->sizing.period : 1;
    size_t room = word_sequence_room(bits), all = (size_t)passes * plan->loads, count = 0;
    uint64_t *words = memory_zeroed(all * room, sizeof *words);
    uint64_t *addresses = memory_zeroed(all, sizeof *addresses);
    for (size_t i = 0; i < passes * plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i % plan->slot_count];
        const struct behaviour *item = &plan->kernel->items[slot->item];
        uint64_t value = values[i % plan->slot_count];
        if (item->kind != BEHAVIOUR_LOAD)
            continue;
        unsigned bus = behaviour_bus(item);
        for (unsigned j = 0; j < (bus < WORD_BYTES ? 1 : bus / WORD_BYTES); j++)
            words[count * room + j] = bus < WORD_BYTES ? value & UINT32_MAX : value;
        addresses[count++] = plan_offset(plan, slot, (unsigned)(i / plan->slot_count)) / bus * bus;
    }
    word_tally_add(&plan->data.loads, words, bits, count, addresses, false,
                   (double)plan->sizing.period / passes);
    free(words);
    free(addresses);
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
    turn_stores(plan, options);
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
    count_loads(plan, values);
    return STATUS_OK;
}
