#include "generator/plan/memory/chase_windows.h"

#include <string.h>

enum { WORD_BYTES = 8 };

/* A word of a line, and the window that it leads to. */
struct lead {
    uint64_t line;   /* the line's offset */
    uint64_t window; /* the number of the window in which the next access lies */
    uint64_t word;   /* offset */
    uint64_t first;  /* offset of the first access that it leads to */
    unsigned uses;   /* accesses of a pass that read it */
    struct lead *next;
};

enum { HEADS = 256 };

/* The chase's accesses in the order of the loop. */
struct window_chase {
    struct plan *plan;
    struct place **places; /* [count] */
    struct lead **leads;   /* [count]: the word that each reads */
    size_t count;
    struct lead *heads[HEADS]; /* by the line */
    bool *taken;               /* [sets of L1D]: has an eviction set */
    unsigned hot_set, hot_way; /* the place of the next line for accesses that always hit */
    uint64_t hot_line;
    unsigned hot_words; /* words of that line in use */
};

static bool applies(const struct plan *plan)
{
    return plan->memory.windows.bytes > 0 && plan->memory.relative;
}

static bool is_chase(const struct plan *plan, const struct slot *slot)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    return behaviour_chases(item) && slot->place_count > 0;
}

static void collect(struct plan *plan, struct window_chase *chase)
{
    chase->plan = plan;
    chase->places = arena_alloc(&plan->arena, plan->slot_count, sizeof *chase->places);
    chase->leads = arena_alloc(&plan->arena, plan->slot_count, sizeof *chase->leads);
    for (size_t i = 0; i < plan->slot_count; i++)
        if (is_chase(plan, &plan->slots[i]))
            chase->places[chase->count++] = &plan->slots[i].places[0];
    chase->hot_line = plan->memory.eviction.hit_offset;
    chase->taken = arena_alloc(&plan->arena, cache_sets(&plan->machine->l1d), sizeof *chase->taken);
    for (unsigned i = 0; i < plan->memory.eviction.set_count; i++)
        chase->taken[plan->memory.eviction.sets[i].l1d_set] = true;
}

static unsigned words_of(const struct plan *plan)
{
    return plan->machine->l1d.line / WORD_BYTES;
}

/* The next line for accesses that always hit: in the sets without eviction sets, way by way. */
static bool next_hot_line(struct window_chase *chase)
{
    const struct cache *l1 = &chase->plan->machine->l1d;
    uint64_t span = l1->size / l1->ways;
    for (chase->hot_set++;; chase->hot_set++) {
        if (chase->hot_set >= cache_sets(l1)) {
            chase->hot_set = 0;
            chase->hot_way++;
        }
        if (chase->hot_way >= l1->ways)
            return false;
        if (!chase->taken[chase->hot_set])
            break;
    }
    chase->hot_words = 0;
    chase->hot_line = chase->hot_way * span + (uint64_t)chase->hot_set * l1->line;
    uint64_t end = chase->hot_line + l1->line;
    chase->plan->memory.bytes = end > chase->plan->memory.bytes ? end : chase->plan->memory.bytes;
    return true;
}

static struct lead *add_lead(struct window_chase *chase, uint64_t line, uint64_t window, uint64_t word)
{
    struct lead **head = &chase->heads[line / chase->plan->machine->l1d.line % HEADS];
    struct lead *lead = arena_alloc(&chase->plan->arena, 1, sizeof *lead);
    *lead = (struct lead){.line = line, .window = window, .word = word, .next = *head};
    return *head = lead;
}

/* The word with which a line that misses leads to the window; NULL: the line has no more words. */
static struct lead *miss_lead(struct window_chase *chase, uint64_t line, uint64_t window)
{
    unsigned used = 0;
    for (struct lead *lead = chase->heads[line / chase->plan->machine->l1d.line % HEADS]; lead != NULL;
         lead = lead->next) {
        if (lead->line != line)
            continue;
        if (lead->window == window)
            return lead;
        used++;
    }
    return used < words_of(chase->plan) ? add_lead(chase, line, window, line + used * (uint64_t)WORD_BYTES)
                                        : NULL;
}

/* The same for accesses that always hit, whose words may lie in several lines; all are listed for one. */
static struct lead *hit_lead(struct window_chase *chase, uint64_t window)
{
    static const uint64_t listed = UINT64_MAX;
    for (struct lead *lead = chase->heads[listed / chase->plan->machine->l1d.line % HEADS]; lead != NULL;
         lead = lead->next)
        if (lead->line == listed && lead->window == window)
            return lead;
    if (chase->hot_words == words_of(chase->plan) && !next_hot_line(chase))
        return NULL;
    return add_lead(chase, listed, window, chase->hot_line + chase->hot_words++ * (uint64_t)WORD_BYTES);
}

/* Chooses words backwards from the last line that misses, because the word of an access that hits depends on
 * the place of the next access. */
static enum status choose(struct window_chase *chase, struct error *error)
{
    const struct plan *plan = chase->plan;
    uint64_t bytes = plan->memory.windows.bytes;
    bool follow = plan->memory.eviction.hits_follow_misses;
    unsigned size = plan->machine->l1d.line;
    size_t last = 0;
    for (size_t i = 0; i < chase->count; i++)
        last = chase->places[i]->level != LEVEL_L1 ? i : last;
    for (size_t k = 0; k < chase->count; k++) {
        size_t i = (last + 2 * chase->count - 1 - k) % chase->count;
        struct place *place = chase->places[i];
        const struct place *after = chase->places[(i + 1) % chase->count];
        bool hit = place->level == LEVEL_L1 && !follow;
        struct lead *lead = hit ? hit_lead(chase, after->offset / bytes)
                                : miss_lead(chase, place->offset / size * size, after->offset / bytes);
        if (lead == NULL) {
            error_set(error, STATUS_RECIPE,
                      "a line of the chase leads to more than %u places, and has no more words",
                      words_of(plan));
            error_hint(error, "fewer loads in a pass need fewer: loop = { units = }");
            return STATUS_RECIPE;
        }
        lead->uses++;
        place->offset = (uint32_t)lead->word;
        chase->leads[i] = lead;
    }
    return STATUS_OK;
}

/* A word that one access reads leads exactly to the next access; a word that several read leads to the middle
 * of the window. */
static uint64_t goal_of(const struct window_chase *chase, size_t i)
{
    const struct lead *lead = chase->leads[i];
    const struct windows *windows = &chase->plan->memory.windows;
    if (lead->uses == 1)
        return chase->places[(i + 1) % chase->count]->offset;
    return lead->window * windows->bytes + windows->before;
}

enum status chase_windows_place(struct plan *plan, struct error *error)
{
    struct window_chase chase = {0};
    if (!applies(plan))
        return STATUS_OK;
    collect(plan, &chase);
    enum status status = choose(&chase, error);
    for (size_t i = 0; status == STATUS_OK && i < chase.count; i++)
        chase.places[(i + 1) % chase.count]->from = (uint32_t)goal_of(&chase, i);
    return status;
}

void chase_windows_visit(const struct plan *plan, void (*visit)(void *context, uint64_t word, uint64_t leads),
                         void *context)
{
    const struct place *first = NULL;
    const struct place *before = NULL;
    for (size_t i = 0; applies(plan) && i < plan->slot_count; i++) {
        if (!is_chase(plan, &plan->slots[i]))
            continue;
        const struct place *place = &plan->slots[i].places[0];
        first = first == NULL ? place : first;
        if (before != NULL)
            visit(context, before->offset, place->from);
        before = place;
    }
    if (before != NULL)
        visit(context, before->offset, first->from);
}

uint64_t chase_windows_start(const struct plan *plan)
{
    for (size_t i = 0; applies(plan) && i < plan->slot_count; i++)
        if (is_chase(plan, &plan->slots[i]))
            return plan->slots[i].places[0].from;
    return 0;
}
