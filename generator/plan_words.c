#include "generator/plan_words.h"

#include "base/random.h"

enum { PAGE_BYTES = 4096 };

/* Where the next word of a hit is. */
struct hit_words {
    const struct cache *l1;
    const struct layout *layout;
    unsigned sets;
    unsigned set, way, word;
};

static bool has_group(const struct layout *layout, unsigned set)
{
    for (unsigned i = 0; i < layout->group_count; i++)
        if (layout->groups[i].set == set)
            return true;
    return false;
}

/* All words of as many lines as the set has ways, then those of the next set that is free. */
static bool next_hit_word(struct hit_words *hits, uint64_t *offset)
{
    while (hits->set < hits->sets && has_group(hits->layout, hits->set))
        hits->set++;
    if (hits->set >= hits->sets)
        return false;
    uint64_t span = hits->l1->size / hits->l1->ways;
    *offset = hits->way * span + (uint64_t)hits->set * hits->l1->line + 8 * (uint64_t)hits->word;
    if (++hits->word < hits->l1->line / 8)
        return true;
    hits->word = 0;
    if (++hits->way < hits->l1->ways)
        return true;
    hits->way = 0;
    hits->set++;
    return true;
}

/* Earlier visits of the slot's line in the pass. */
static unsigned visits_before(const struct plan *plan, size_t index)
{
    unsigned visits = 0;
    uint64_t line = plan->machine->l1d.line;
    for (size_t i = 0; i < index; i++)
        visits += plan->slots[i].service == SERVICE_MISS &&
                  plan->slots[i].line.offset / line == plan->slots[index].line.offset / line;
    return visits;
}

static void add_word(struct plan *plan, uint64_t offset, uint64_t value)
{
    plan->words[plan->word_count++] = (struct data_word){offset, value};
    uint64_t end = offset / 64 * 64 + 64;
    plan->layout.bytes = plan->layout.bytes < end ? end : plan->layout.bytes;
}

static enum status no_room(const struct plan *plan, struct error *error)
{
    error_set(error, STATUS_RECIPE,
              "load.data: %u loads a pass read a word each, and L1D has fewer that stay", plan->loads);
    error_hint(error, "a smaller loop needs fewer: loop = { units = %u }, say", (plan->sizing.units + 1) / 2);
    return STATUS_RECIPE;
}

static enum status place_word(struct plan *plan, size_t index, uint64_t value, struct hit_words *hits,
                              struct error *error)
{
    struct slot *slot = &plan->slots[index];
    uint64_t hit = 0;
    if (slot->service != SERVICE_MISS && !next_hit_word(hits, &hit))
        return no_room(plan, error);
    if (slot->service == SERVICE_HIT) {
        slot->line.offset = (uint32_t)hit;
    } else if (slot->service == SERVICE_SOMETIMES) {
        plan->sometimes_hit.line.offset = (uint32_t)hit;
        add_word(plan, slot->line.offset, value);
    } else {
        unsigned visits = visits_before(plan, index);
        if (visits >= plan->machine->l1d.line / 8)
            return no_room(plan, error);
        slot->line.offset += 8 * visits;
    }
    add_word(plan, slot->service == SERVICE_SOMETIMES ? hit : slot->line.offset, value);
    return STATUS_OK;
}

/* The pages that the words lie in: all that the loads read. */
static void count_pages(struct plan *plan)
{
    uint64_t pages = plan->layout.bytes / PAGE_BYTES + 1;
    bool *touched = arena_alloc(&plan->arena, pages, sizeof *touched);
    plan->layout.pages = 0;
    for (size_t i = 0; i < plan->word_count; i++) {
        bool *page = &touched[plan->words[i].offset / PAGE_BYTES];
        plan->layout.pages += !*page;
        *page = true;
    }
}

enum status plan_place_words(struct plan *plan, const struct plan_options *options, struct error *error)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    plan->word_count = 0;
    if (data == NULL || !data->changes)
        return STATUS_OK;
    const struct cache *l1 = &plan->machine->l1d;
    if (cache_sets(l1) < 2)
        return error_set(error, STATUS_RECIPE,
                         "load.data: an L1D of one set has no lines for words that change");
    struct random random = random_start(options->seed, "data");
    uint64_t *values = arena_alloc(&plan->arena, plan->loads, sizeof *values);
    data_words_fill(data, &random, values, plan->loads);
    plan->words = arena_alloc(&plan->arena, plan->loads + 1, sizeof *plan->words);
    struct hit_words hits = {.l1 = l1, .layout = &plan->layout, .sets = cache_sets(l1)};
    size_t load = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->slot_count; i++)
        if (plan->slots[i].service != SERVICE_NONE)
            status = place_word(plan, i, values[load++], &hits, error);
    count_pages(plan);
    plan->toggle_rate = data_words_toggle_rate(values, plan->loads, 8 * data->width);
    plan->ones_rate = data_words_ones_rate(values, plan->loads, 8 * data->width);
    return status;
}
