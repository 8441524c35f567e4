#include "generator/emit/emission.h"

#include "base/text/cursor.h"
#include "generator/plan/memory/plan_shared.h"
#include "generator/plan/plan_forms.h"

#include <string.h>

enum { WORD_BYTES = 8 };

/* True if some row, or the preparation of lines on some ISAs, needs a register for the compared value. */
static bool compares(const struct emission *emission)
{
    const struct plan *plan = emission->plan;
    const struct slot any = {0};
    const char *section = template_section(emission->templates, "coherence.modified");
    if (plan->shared.coherence != COHERENCE_NONE && section != NULL && strstr(section, "{compared") != NULL)
        return true;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        const struct form *form = item->kind == BEHAVIOUR_SHARED
                                      ? plan_form_of(emission->templates, plan->machine, item, false, &any)
                                      : NULL;
        if (form != NULL && strstr(form->text, "{compared") != NULL)
            return true;
    }
    return false;
}

void emission_claim_shared(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    static const char *const helpers[] = {"compared", "place", "spare"};
    if (compares(emission)) /* a fixed register on x86-64: claimed before other roles */
        bindings_register(&emission->bindings, helpers[0], emission_claim_needed(emission, helpers[0]));
    for (size_t i = 1; i < sizeof helpers / sizeof helpers[0]; i++)
        bindings_register(&emission->bindings, helpers[i], emission_claim_needed(emission, helpers[i]));
    if (plan->shared.chases) {
        emission->pointer = emission_claim_needed(emission, "pointer");
        bindings_register(&emission->bindings, "pointer", emission->pointer);
    }
    for (unsigned i = 0; i < plan->shared.base_count && i < MOST_CLAIMS; i++)
        emission->shared[i] = emission_claim_needed(emission, "rotating");
    if (!plan->shared.turns)
        return;
    emission->mine = emission_claim_needed(emission, "rotating");
    emission->next = emission_claim_needed(emission, "rotating");
    bindings_register(&emission->bindings, "mine", emission->mine);
    bindings_register(&emission->bindings, "next", emission->next);
}

void emission_bind_shared(struct emission *emission, const struct slot *slot)
{
    const struct plan *plan = emission->plan;
    const struct behaviour *item = &plan->kernel->items[slot->item];
    bindings_register(&emission->bindings, "shared", emission->shared[plan_shared_base(plan, item)]);
    bindings_number(&emission->bindings, "disp", slot->shared_offset);
    bindings_register(&emission->bindings, "value", emission->value);
    if (item->shared.copies)
        bindings_register(&emission->bindings, "stored", emission->value);
    else if (emission->stored != NULL)
        bindings_register(&emission->bindings, "stored", emission->stored);
}

void emission_comment_shared(const struct plan *plan, const struct slot *slot, struct cursor *cursor)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    const char *name = plan->kernel->regions[item->shared.region];
    CURSOR_TEXT(cursor, "shared region ");
    cursor_bytes(cursor, name, strlen(name));
    CURSOR_TEXT(cursor, ", byte ");
    cursor_number(cursor, slot->shared_offset);
    if (item->shared.working_set > 0)
        CURSOR_TEXT(cursor, ", farther in the next pass");
    if (item->shared.apart > 0)
        CURSOR_TEXT(cursor, ", each copy's its own");
}

static void bind_state(struct emission *emission)
{
    static const char *const names[SHARED_STATES] = {
        [SHARED_COPY] = "copy_number", [SHARED_COPIES] = "copies", [SHARED_TURNS] = "turns",
        [SHARED_TIMED] = "timed",      [SHARED_BEGAN] = "began",   [SHARED_WINDOW] = "window"};
    for (unsigned i = 0; i < SHARED_STATES; i++)
        bindings_number(&emission->bindings, names[i],
                        emission->plan->shared.state + (uint64_t)i * WORD_BYTES);
}

/* Sets the register of a base, before the loop and, if it moves, at the end of a pass. */
static enum status frame_base(struct emission *emission, unsigned index, struct buffer *start,
                              struct buffer *advance)
{
    const struct plan *plan = emission->plan;
    const struct shared_base *base = &plan->shared.bases[index];
    uint64_t at = plan->shared.mappings[1 + base->region].at;
    bindings_register(&emission->bindings, "shared", emission->shared[index]);
    bindings_number(&emission->bindings, "at", at);
    bindings_number(&emission->bindings, "apart", base->apart);
    enum status status = bindings_section(&emission->bindings, "start.shared", start);
    if (status == STATUS_OK && base->apart > 0)
        status = bindings_section(&emission->bindings, "start.shared_apart", start);
    if (status != STATUS_OK || base->working_set == 0)
        return status;
    bindings_register(&emission->bindings, "rotating", emission->shared[index]);
    bindings_number(&emission->bindings, "step", base->step);
    bindings_number(&emission->bindings, "limit", at + base->working_set);
    bindings_number(&emission->bindings, "back", base->working_set);
    status = bindings_section(&emission->bindings, "advance.always", advance);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "advance.rotating", advance) : status;
}

/* Appends the code for coherence: the parts of taking turns that depend on the state. */
static enum status prepare(struct emission *emission, struct buffer *owner, struct buffer *sharer)
{
    static const char *const sections[] = {[COHERENCE_MODIFIED] = "coherence.modified",
                                           [COHERENCE_EXCLUSIVE] = "coherence.exclusive",
                                           [COHERENCE_SHARED] = "coherence.shared"};
    const struct plan_shared *shared = &emission->plan->shared;
    if (template_section(emission->templates, sections[shared->coherence]) == NULL) {
        error_set(emission->error, STATUS_RECIPE,
                  "load.coherence is \"%s\": %s has no instruction here that takes a line out of all caches",
                  coherence_name(shared->coherence), emission->templates->isa->name);
        error_hint(emission->error, "expected \"%s\"", coherence_name(COHERENCE_MODIFIED));
        return STATUS_RECIPE;
    }
    enum status status = bindings_section(&emission->bindings, sections[shared->coherence], owner);
    if (status == STATUS_OK && shared->coherence == COHERENCE_SHARED)
        status = bindings_section(&emission->bindings, "coherence.sharer", sharer);
    return status;
}

static enum status frame_coherence(struct emission *emission, struct buffer *start, struct buffer *advance,
                                   struct buffer *finish, struct buffer *area)
{
    const struct plan_shared *shared = &emission->plan->shared;
    const struct shared_base *base = &shared->bases[shared->coherent_base];
    struct buffer owner = {0}, sharer = {0};
    bindings_number(&emission->bindings, "first", shared->prepared_first);
    bindings_number(&emission->bindings, "ahead", base->window);
    bindings_number(&emission->bindings, "lines", shared->prepared_lines);
    bindings_number(&emission->bindings, "line", shared->line);
    bindings_number(&emission->bindings, "turn", shared->mappings[0].at);
    bindings_number(&emission->bindings, "at", shared->mappings[1 + base->region].at);
    bindings_register(&emission->bindings, "shared", emission->shared[shared->coherent_base]);
    enum status status = bindings_section(&emission->bindings, "start.coherence", start);
    if (status == STATUS_OK)
        status =
            bindings_section(&emission->bindings,
                             base->working_set > 0 ? "advance.coherence_walk" : "advance.coherence", advance);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "finish.coherence", finish);
    if (status == STATUS_OK)
        status = prepare(emission, &owner, &sharer);
    bindings_text(&emission->bindings, "owner", owner.data);
    bindings_text(&emission->bindings, "sharer", sharer.data);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "coherence.area", area);
    bindings_text(&emission->bindings, "owner", NULL);
    bindings_text(&emission->bindings, "sharer", NULL);
    buffer_free(&owner);
    buffer_free(&sharer);
    return status;
}

enum status emission_frame_shared(struct emission *emission, struct buffer *start, struct buffer *advance,
                                  struct buffer *finish, struct buffer *area)
{
    const struct plan_shared *shared = &emission->plan->shared;
    enum status status = STATUS_OK;
    if (shared->mapping_count == 0)
        return STATUS_OK;
    bind_state(emission);
    for (unsigned i = 0; status == STATUS_OK && i < shared->base_count; i++)
        status = frame_base(emission, i, start, advance);
    if (status == STATUS_OK && shared->turns)
        status = bindings_section(&emission->bindings, "start.turns", start);
    return status == STATUS_OK && shared->coherence != COHERENCE_NONE
               ? frame_coherence(emission, start, advance, finish, area)
               : status;
}
