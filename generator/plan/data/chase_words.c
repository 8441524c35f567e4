#include "generator/plan/data/chase_words.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 8 };

/* Data is below 2 GiB. */
static const uint64_t MOST_BYTES = UINT64_C(0x7fffffff);

static bool is_chase(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->address == ADDRESS_CHASE;
}

bool chase_words_needed(const struct kernel *kernel, const struct template *templates)
{
    const struct form *form = template_form(templates, "load.chase_indexed.8");
    if (form == NULL || strstr(form->text, "{disp}") != NULL || isa_reaches_all(templates->isa, MOST_BYTES))
        return false;
    for (size_t i = 0; i < kernel->count; i++)
        if (is_chase(&kernel->items[i]))
            return true;
    return false;
}

/* A place that a load reads, in every position of its base. */
struct word_visit {
    struct place *place;
    size_t order; /* among the accesses */
    bool chase;
    uint64_t line;  /* for a base that moves: within its step */
    uint64_t words; /* bit k: it reads the k-th word from its place on */
};

static int by_line(const void *a, const void *b)
{
    const struct word_visit *x = a;
    const struct word_visit *y = b;
    if (x->place->base != y->place->base)
        return x->place->base < y->place->base ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->chase != y->chase)
        return x->chase ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static uint64_t step_of(const struct plan *plan, const struct place *place)
{
    const struct rotation *at = place->base == 0 ? NULL : &plan->memory.bases[place->base - 1].at;
    return at == NULL || at->positions == 1 ? 0 : at->step;
}

/* True if the two read some line at different times. */
static bool meet(const struct plan *plan, const struct place *a, const struct place *b)
{
    uint64_t step = step_of(plan, a);
    uint64_t line = plan->machine->l1d.line;
    if (step == 0)
        return a->offset / line == b->offset / line;
    uint64_t apart = a->offset > b->offset ? a->offset - b->offset : b->offset - a->offset;
    return apart / step < plan->memory.bases[a->base - 1].at.positions;
}

/* Bit k: the line's k-th word is used by an access, from the line's first access to this one. */
static uint64_t taken_words(const struct plan *plan, const struct word_visit *first,
                            const struct word_visit *visit)
{
    uint64_t taken = 0;
    for (const struct word_visit *other = first; other < visit; other++)
        if (meet(plan, other->place, visit->place))
            taken |= other->words << other->place->offset % plan->machine->l1d.line / WORD_BYTES;
    return taken;
}

static enum status refuse(const struct plan *plan, struct error *error)
{
    error_set(error, STATUS_RECIPE,
              "each load of a chase needs a word of its own, which leads to the next load, and a pass visits "
              "some line more often than the line has words");
    error_hint(error, "a smaller loop has fewer, for example loop = { units = %u }",
               (plan->sizing.units + 1) / 2);
    return STATUS_RECIPE;
}

/* Stores write the second half of lines that they share with loads. */
static unsigned words_of_line(const struct plan *plan)
{
    unsigned words = plan->machine->l1d.line / WORD_BYTES;
    words = plan->stores > 0 ? words / 2 : words;
    return words > 64 ? 64 : words;
}

static enum status give_words(const struct plan *plan, struct word_visit *visits, size_t count,
                              struct error *error)
{
    unsigned words = words_of_line(plan);
    const struct word_visit *first = visits;
    qsort(visits, count, sizeof *visits, by_line);
    for (size_t i = 0; i < count; i++) {
        struct place *place = visits[i].place;
        if (place->base != first->place->base || visits[i].line != first->line)
            first = &visits[i];
        uint64_t taken = taken_words(plan, first, &visits[i]);
        unsigned word = (unsigned)(place->offset % plan->machine->l1d.line / WORD_BYTES);
        if (!visits[i].chase || (taken >> word & 1) == 0)
            continue;
        unsigned free = (unsigned)__builtin_ctzll(~taken | UINT64_C(1) << 63);
        if (free >= words || visits[i].line % plan->machine->l1d.line != 0)
            return refuse(plan, error);
        place->offset += (free - word) * WORD_BYTES;
    }
    return STATUS_OK;
}

/* A step that is not a multiple of the line moves words within their lines. Then each word counts as a line
 * here. */
static uint64_t line_of(const struct plan *plan, const struct place *place)
{
    uint64_t line = plan->machine->l1d.line;
    uint64_t step = step_of(plan, place);
    if (step == 0)
        return place->offset / line * line;
    return step % line == 0 ? place->offset % step / line * line : place->offset % step | 1;
}

/* Words of 8 bytes that the load's bus carries. */
static unsigned words_read(const struct behaviour *item)
{
    return (behaviour_bus(item) + WORD_BYTES - 1) / WORD_BYTES;
}

static enum status place_words(struct plan *plan, struct error *error)
{
    size_t most = 0;
    size_t count = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        most += plan->slots[i].place_count;
    struct word_visit *visits = arena_alloc(&plan->arena, most + 1, sizeof *visits);
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct behaviour *item = &plan->kernel->items[plan->slots[i].item];
        for (unsigned p = 0; p < plan->slots[i].place_count; p++) {
            struct place *place = &plan->slots[i].places[p];
            if (item->kind ==
                BEHAVIOUR_LOAD) /* of a load without data: zeros, which are written at its place */
                visits[count++] = (struct word_visit){.place = place,
                                                      .order = i,
                                                      .chase = is_chase(item),
                                                      .words = (UINT64_C(1) << words_read(item)) - 1,
                                                      .line = line_of(plan, place)};
        }
    }
    return give_words(plan, visits, count, error);
}

/* The content of the word that leads to the slot. */
static uint64_t link_to(const struct slot *slot)
{
    if (slot->place_count > 1)
        return 0; /* its place is computed */
    return slot->places[0].offset;
}

enum status chase_words_place(struct plan *plan, struct error *error)
{
    plan->data.links = NULL;
    if (!plan->memory.linked || !plan->memory.indexed)
        return STATUS_OK;
    enum status status = place_words(plan, error);
    plan->data.links = arena_alloc(&plan->arena, plan->slot_count, sizeof *plan->data.links);
    const struct slot *first = NULL;
    size_t last = plan->slot_count;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        if (!is_chase(&plan->kernel->items[slot->item]))
            continue;
        first = first == NULL ? slot : first;
        if (last < plan->slot_count)
            plan->data.links[last] = link_to(slot);
        last = i;
    }
    if (first != NULL)
        plan->data.first_link = plan->data.links[last] = link_to(first);
    return status;
}
