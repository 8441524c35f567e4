#include "generator/plan/plan_forms.h"

#include <stdio.h>
#include <string.h>

enum { VARIANT_BYTES = 32, LONGEST_OP = 8 };

static const char *const branch_variants[] = {
    [BRANCH_NONE] = "",         [BRANCH_TAKEN] = "taken", [BRANCH_FALLTHROUGH] = "fallthrough",
    [BRANCH_RANDOM] = "random", [BRANCH_BACK] = "taken",
};

bool plan_has_narrow_logic(const struct template *templates)
{
    return template_form(templates, "load.leads_wide.8") != NULL;
}

static bool is_indirect(const struct behaviour *item, const struct slot *slot)
{
    return behaviour_is_indirect(item) && slot->branch != BRANCH_BACK;
}

bool plan_is_indirect(const struct plan *plan, const struct slot *slot)
{
    return is_indirect(&plan->kernel->items[slot->item], slot);
}

/* "load.shared.8", "atomic.add.4" */
static const struct form *form_of_shared(const struct template *templates, const struct machine *machine,
                                         const struct behaviour *item)
{
    char row[VARIANT_BYTES];
    snprintf(row, sizeof row, "%.6s.%.12s.%u", item->op, item->shared.how, item->width);
    return operation_row(templates, machine, row);
}

/* How a leading load makes its zero: a load that reads zeros already has it. wide: by a conjunction of 8
 * bytes. */
static const char *leading(const struct behaviour *item, bool placed, bool wide)
{
    bool zero = item->has_data && !item->changes && item->word == 0;
    if (behaviour_is_led(item) && zero)
        return placed ? "led_leads_zero_placed" : "led_leads_zero";
    if (wide && !zero && behaviour_is_led(item))
        return placed ? "led_leads_wide_placed" : "led_leads_wide";
    if (wide && !zero)
        return placed ? "leads_wide_placed" : "leads_wide";
    if (behaviour_is_led(item))
        return placed ? "led_leads_placed" : "led_leads";
    if (zero)
        return placed ? "leads_zero_placed" : "leads_zero";
    return placed ? "leads_placed" : "leads";
}

/* The template row of an access: named by how its address is found, and its width. */
static const struct form *form_of_access(const struct template *templates, const struct machine *machine,
                                         const struct behaviour *item, bool indexed, const struct slot *slot)
{
    bool placed = slot_is_placed(slot);
    bool at_start = !placed && slot->places[0].base == 0 && slot->places[0].offset == 0;
    const char *how = placed ? "placed" : at_start ? "start" : "independent";
    if (item->address == ADDRESS_CHASE)
        how = placed ? "chase_placed" : indexed ? "chase_indexed" : "chase";
    if (item->non_temporal)
        how = "nt";
    if (item->kind == BEHAVIOUR_STORE && item->from_vector)
        how = placed ? "vector_placed" : "vector";
    if (item->kind == BEHAVIOUR_LOAD && item->updates)
        how = placed ? "update_placed" : "update";
    if (behaviour_copies(item))
        how = placed ? "copy_placed" : "copy";
    if (item->kind == BEHAVIOUR_LOAD && item->leads)
        how = leading(item, placed, item->logic == sizeof(uint64_t) && plan_has_narrow_logic(templates));
    else if (behaviour_is_led(item))
        how = placed ? "led_placed" : "led";
    char row[VARIANT_BYTES];
    char *end = stpncpy(row, item->op, LONGEST_OP);
    *end++ = '.';
    end = stpcpy(end, how);
    snprintf(end, (size_t)(row + sizeof row - end), item->width == 8 ? ".8" : ".%u", item->width);
    return operation_row(templates, machine, row);
}

const struct form *plan_form_of(const struct template *templates, const struct machine *machine,
                                const struct behaviour *item, bool indexed, const struct slot *slot)
{
    if (behaviour_accesses(item))
        return form_of_access(templates, machine, item, indexed, slot);
    if (item->kind == BEHAVIOUR_SHARED)
        return form_of_shared(templates, machine, item);
    if (operation_is(item))
        return operation_form(templates, machine, item, slot->dependent, slot->starts);
    if (item->kind == BEHAVIOUR_THROTTLE)
        return template_variant(templates, item->op, item->beside_one_port ? "idle_one_port" : "idle");
    const char *variant = item->kind == BEHAVIOUR_CODE ? "next" : branch_variants[slot->branch];
    if (is_indirect(item, slot))
        variant = item->through_memory            ? "indirect_memory"
                  : slot->branch == BRANCH_RANDOM ? "indirect_random"
                                                  : "indirect";
    char again[VARIANT_BYTES], narrow[VARIANT_BYTES];
    bool tests =
        slot->branch == BRANCH_TAKEN || slot->branch == BRANCH_FALLTHROUGH || slot->branch == BRANCH_BACK;
    if (item->kind == BEHAVIOUR_BRANCH && item->narrow_test && tests && slot->tested == 0) {
        snprintf(narrow, sizeof narrow, "%.16s.4", variant);
        return template_variant(templates, item->op, narrow);
    }
    snprintf(again, sizeof again, slot->tested > 1 ? "%.16s_again%u" : "%.16s_again", variant, slot->tested);
    const struct form *shared = slot->tested ? template_variant(templates, item->op, again) : NULL;
    return shared != NULL ? shared : template_variant(templates, item->op, variant);
}

void plan_forget_forms(struct plan *plan)
{
    plan->forms = arena_alloc(&plan->arena, plan->kernel->count * FORM_KEYS, sizeof *plan->forms);
}

const struct form *plan_form(const struct template *templates, const struct plan *plan,
                             const struct slot *slot)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    if (item->kind == BEHAVIOUR_ASM)
        return &plan->texts.items[slot->item].form;
    const struct form **known = plan_known_form(plan, slot);
    if (*known == NULL)
        *known = plan_form_of(templates, plan->machine, item, plan->memory.indexed, slot);
    return *known;
}

/* Instructions of the section that mix.<op> counts; op NULL: all. */
static unsigned count_lines(const struct template *templates, const char *section, const char *op)
{
    unsigned lines = 0;
    const char *text = template_section(templates, section);
    for (const char *end; text != NULL && (end = strchr(text, '\n')) != NULL; text = end + 1)
        lines += op == NULL || template_counts(templates, text, op);
    return lines;
}

/* Adds so many slots with the row. */
static void tally_form(struct form_tally *tally, const struct form *form, bool text, unsigned slots)
{
    size_t i = 0;
    while (i < tally->count && tally->items[i].form != form)
        i++;
    if (i == tally->count)
        tally->items[tally->count++] = (struct form_count){form, 0, text};
    tally->items[i].slots += slots;
}

/* Counts the jumps at cuts, which are rows of code{}, too; one jump of code{} selects the copy whose turn it
 * is. */
static void tally_pieces(const struct template *templates, const struct plan *plan, struct form_tally *tally)
{
    const struct form *next = template_form(templates, "code.next");
    unsigned cuts = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        cuts += plan_cuts(plan, i);
    if (next == NULL)
        return;
    tally_form(tally, next, false, cuts - (plan->entry != NULL));
    if (plan->entry != NULL)
        tally_form(tally, template_form(templates, plan->entry), false, 1);
}

/* Counts slots by their keys; rows are in order of their first slots. */
void plan_tally(const struct template *templates, const struct plan *plan, struct arena *arena,
                struct form_tally *tally)
{
    size_t keys = plan->kernel->count * FORM_KEYS;
    unsigned *counts = arena_alloc(arena, keys, sizeof *counts);
    const struct slot **firsts = arena_alloc(arena, keys, sizeof(struct slot *));
    size_t found = 0;
    tally->count = 0;
    tally->placed = tally->more = 0;
    tally->items = arena_alloc(arena, keys + 2, sizeof *tally->items);
    const struct slot *end = plan->slots + plan->slot_count;
    for (const struct slot *slot = plan->slots; slot < end; slot++) {
        if (counts[plan_form_key(slot)]++ == 0)
            firsts[found++] = slot;
        tally->placed += slot_is_placed(slot);
        tally->more += slot_is_placed(slot) ? slot->place_count - 1 : 0;
    }
    for (size_t i = 0; i < found; i++) {
        const struct form *form = plan_form(templates, plan, firsts[i]);
        if (form != NULL)
            tally_form(tally, form, plan->kernel->items[firsts[i]->item].kind == BEHAVIOUR_ASM,
                       counts[plan_form_key(firsts[i])]);
    }
    if (plan->code != NULL)
        tally_pieces(templates, plan, tally);
}

unsigned tally_instructions(const struct template *templates, const struct form_tally *tally, const char *op)
{
    unsigned count = 0;
    if (tally->placed > 0)
        count = tally->placed * count_lines(templates, "place.first", op) +
                tally->more * count_lines(templates, "place.next", op);
    for (size_t i = 0; i < tally->count; i++) {
        const struct form_count *row = &tally->items[i];
        bool all = op == NULL || (row->text && strcmp(op, "asm") == 0);
        count += row->slots * (all ? row->form->instructions - row->form->helpers
                                   : template_count(templates, row->form, op));
    }
    return count;
}

unsigned plan_instructions(const struct template *templates, const struct plan *plan, const char *op)
{
    struct arena arena = {0};
    struct form_tally tally;
    plan_tally(templates, plan, &arena, &tally);
    unsigned count = tally_instructions(templates, &tally, op);
    for (size_t i = 0; op == NULL && i < tally.count; i++)
        count += tally.items[i].slots * tally.items[i].form->helpers;
    arena_free(&arena);
    return count;
}
