#include "generator/emit/emit_operations.h"

#include "generator/emit/emission.h"
#include "generator/plan/memory/plan_rotating.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ACCUMULATORS = 2, ROW_BYTES = 32 };

/* ---- which registers ---- */

/* Whether instances of an operation consume loads, or do not. */
enum dependence { INDEPENDENT, DEPENDENT, DEPENDENCES };

static bool has_instances(const struct behaviour *item, enum dependence dependence)
{
    return operation_is(item) &&
           (dependence == DEPENDENT ? item->dependents > 0 : item->dependents < item->count);
}

/* Dependent operations never write a register that independent ones read; otherwise these would wait for
 * loads, too. */
static bool mixes_dependence(const struct kernel *kernel)
{
    bool has[DEPENDENCES] = {false};
    for (size_t i = 0; i < kernel->count; i++)
        for (int d = 0; operation_kind(&kernel->items[i]) == ACCUMULATE_SCALAR && d < DEPENDENCES; d++)
            has[d] |= has_instances(&kernel->items[i], d);
    return has[DEPENDENT] && has[INDEPENDENT];
}

static enum status refuse(const struct emission *emission, const struct behaviour *item, unsigned words)
{
    if (!item->has_data) {
        error_set(emission->error, STATUS_RECIPE,
                  "%s needs a register for its operand, and the other behaviours of the unit leave none",
                  item->op);
        error_hint(emission->error, "%s",
                   "fewer kinds of operations and widths in the unit, or fewer behaviours with data, fit");
        return STATUS_RECIPE;
    }
    error_set(emission->error, STATUS_RECIPE,
              "%s.data: %u word%s need%s a register each, and the other behaviours of the unit leave too few",
              item->op, words, words == 1 ? "" : "s", words == 1 ? "s" : "");
    error_hint(emission->error, "%s", "fewer words, or fewer behaviours with data, fit");
    return STATUS_RECIPE;
}

/* The register of an earlier operand with the same word, or with a word that ends in it; NULL: there is none.
 */
static const char *same_word(const struct emission *emission, size_t index, unsigned word)
{
    const struct plan *plan = emission->plan;
    struct operand_word same;
    return operand_words_same(plan->kernel, plan->data.operands, index, word, &same)
               ? emission->workplaces[same.item].operands[same.word]
               : NULL;
}

/* Assigns operands in general registers, and the rest as accumulators. */
static enum status claim_scalars(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    static const char *const pools[] = {"accumulator", "accumulator_more"};
    bool accumulates = false;
    const struct behaviour *last = NULL;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        accumulates = accumulates || behaviour_can(item, FORM_ACCUMULATES);
        if (!operation_has_operands(item) || operation_kind(item) != ACCUMULATE_SCALAR)
            continue;
        for (unsigned w = 0; w < plan->data.operands[i].count; w++) {
            last = item;
            const char *same = same_word(emission, i, w);
            emission->workplaces[i].operands[w] =
                same != NULL ? same : emission_claim_free(emission, "operand");
            if (emission->workplaces[i].operands[w] == NULL)
                return refuse(emission, item, plan->data.operands[i].count);
        }
    }
    for (size_t k = 0; k < sizeof pools / sizeof *pools; k++) {
        const struct pool *pool = registers_pool(&emission->plan->registers, pools[k]);
        for (unsigned i = 0; pool != NULL && i < pool->count; i++)
            if (emission_is_free(emission, pool->registers[i]))
                emission->accumulators[emission->accumulator_count++] = pool->registers[i];
    }
    bool enough = emission->accumulator_count >= (accumulates ? LEAST_ACCUMULATORS : 1);
    if (!enough && last != NULL)
        return refuse(emission, last, plan->data.operands[last - plan->kernel->items].count);
    return emission->accumulator_count >= registers_operations_need(plan->kernel)
               ? STATUS_OK
               : emission_refuse_registers(emission);
}

/* True if operations consume loads into several registers: of chases or leading loads, of vectors, of others.
 * Then an operation's line depends on the slots before it. */
static bool consumes_several(const struct kernel *kernel)
{
    bool consumes = false;
    unsigned registers = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        consumes = consumes || (operation_is(item) && item->dependents > 0);
        if (item->kind == BEHAVIOUR_LOAD)
            registers |= 1U << (behaviour_points(item) ? 0 : item->width > sizeof(uint64_t) ? 1 : 2);
    }
    return consumes && (registers & (registers - 1)) != 0;
}

static void share_scalars(struct emission *emission)
{
    bool several = consumes_several(emission->plan->kernel);
    unsigned count = emission->accumulator_count;
    unsigned half = mixes_dependence(emission->plan->kernel) ? count / 2 : 0;
    if (half == 1 && count > LEAST_ACCUMULATORS)
        half = LEAST_ACCUMULATORS; /* keeps independent operations independent */
    for (size_t i = 0; i < emission->plan->kernel->count; i++) {
        const struct behaviour *item = &emission->plan->kernel->items[i];
        struct workplace *workplace = &emission->workplaces[i];
        workplace->kind = operation_kind(item);
        workplace->operates = operation_is(item);
        workplace->chained = operation_is(item) && item->chain > 0;
        workplace->plain = item->kind != BEHAVIOUR_BRANCH && item->kind != BEHAVIOUR_ASM &&
                           item->kind != BEHAVIOUR_CODE && item->kind != BEHAVIOUR_SHARED && !several;
        workplace->accumulators = emission->accumulators;
        workplace->independent = (struct register_range){0, half > 0 ? half : count};
        workplace->dependent = (struct register_range){half, count - half};
    }
}

static bool is_vector(const struct behaviour *item)
{
    return operation_is(item) && operation_kind(item) != ACCUMULATE_SCALAR;
}

/* Divides the vector registers equally between the groups of operations of one kind and dependence, which use
 * them in turn. */
struct register_groups {
    bool present[ACCUMULATE_KINDS][DEPENDENCES];
    unsigned count;
};

static void add_groups(struct register_groups *groups, const struct behaviour *item)
{
    for (int d = 0; d < DEPENDENCES; d++) {
        bool *present = &groups->present[operation_kind(item)][d];
        if (*present || !has_instances(item, d))
            continue;
        *present = true;
        groups->count++;
    }
}

static struct register_range group_range(const struct register_groups *groups, const struct behaviour *item,
                                         enum dependence dependence, unsigned registers)
{
    unsigned before = 0;
    if (!has_instances(item, dependence))
        return (struct register_range){0};
    const bool *of_item = &groups->present[operation_kind(item)][dependence];
    for (const bool *present = groups->present[0]; present < of_item; present++)
        before += *present;
    return (struct register_range){before * (registers / groups->count), registers / groups->count};
}

/* The bytes that the ISA requires above a 4-byte number in a register of 8 bytes. */
static uint64_t boxed(const struct emission *emission, size_t index, uint64_t word)
{
    uint64_t box = 0;
    if (operation_kind(&emission->plan->kernel->items[index]) == ACCUMULATE_FLOAT)
        (void)template_word(emission->templates, "box.4", &box);
    return word | box;
}

/* The register of an earlier operation without data, which also has the templates' word; NULL: there is none.
 */
static const char *same_default(const struct emission *emission, size_t index)
{
    const struct behaviour *items = emission->plan->kernel->items;
    const struct operand_words *words = emission->plan->data.operands;
    for (size_t i = 0; i < index && is_vector(&items[index]) && !items[index].has_data; i++)
        if (is_vector(&items[i]) && !items[i].has_data && words[i].count > 0 &&
            boxed(emission, i, words[i].words[0]) == boxed(emission, index, words[index].words[0]))
            return emission->workplaces[i].operands[0];
    return NULL;
}

/* Assigns the last vector registers to vector operands; shares: all operations share one for the templates'
 * word. Returns the first behaviour for which too few are left for operands and groups; NULL: all fit. */
static const struct behaviour *claim_operands(struct emission *emission, const struct pool *pool, bool shares,
                                              struct register_groups *groups, unsigned *left)
{
    const struct plan *plan = emission->plan;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (!operation_has_vectors(item))
            continue;
        add_groups(groups, item);
        bool enough = *left >= groups->count * LEAST_ACCUMULATORS;
        for (unsigned w = 0; enough && w < plan->data.operands[i].count; w++) {
            const char *same = same_word(emission, i, w);
            if (same == NULL && shares)
                same = same_default(emission, i);
            enough = same != NULL || *left > groups->count * LEAST_ACCUMULATORS;
            if (enough)
                emission->workplaces[i].operands[w] = same != NULL ? same : pool->registers[--*left];
        }
        if (!enough)
            return item;
    }
    return NULL;
}

/* Assigns the last vector registers to operands, one for each operation if these suffice; the groups share
 * the others. */
static enum status claim_vectors(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    const struct pool *pool = registers_pool(&emission->plan->registers, "vector");
    struct register_groups groups = {0};
    unsigned most = pool == NULL ? 0 : pool->count;
    while (most > 0 && !emission_is_free(emission, pool->registers[most - 1]))
        most--;
    unsigned left = most;
    const struct behaviour *last = claim_operands(emission, pool, false, &groups, &left);
    if (last != NULL) {
        left = most;
        groups = (struct register_groups){0};
        last = claim_operands(emission, pool, true, &groups, &left);
    }
    if (last != NULL)
        return refuse(emission, last, plan->data.operands[last - plan->kernel->items].count);
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (!is_vector(item))
            continue;
        emission->workplaces[i].accumulators = pool->registers;
        emission->workplaces[i].independent = group_range(&groups, item, INDEPENDENT, left);
        emission->workplaces[i].dependent = group_range(&groups, item, DEPENDENT, left);
    }
    return STATUS_OK;
}

/* ---- chains ---- */

size_t emission_turns(const struct plan *plan)
{
    return (size_t)ACCUMULATE_KINDS * DEPENDENCES + plan->kernel->count * DEPENDENCES;
}

/* The operations that share a range with one: the number of chains, the chains before it, and whether some
 * operations are in no chain. */
struct sharers {
    unsigned chains, before;
    bool others;
};

static struct sharers find_sharers(const struct kernel *kernel, size_t index, enum dependence dependence)
{
    struct sharers sharers = {0};
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!has_instances(item, dependence) || !behaviour_can(item, FORM_ACCUMULATES) ||
            operation_kind(item) != operation_kind(&kernel->items[index]))
            continue;
        sharers.chains += item->chain > 0;
        sharers.before += item->chain > 0 && i < index;
        sharers.others = sharers.others || item->chain == 0;
    }
    return sharers;
}

/* The operation's part of a range: one register for each chain, the rest, at least two if possible, for other
 * operations. */
static bool take_part(struct emission *emission, size_t index, enum dependence dependence,
                      struct register_range *range)
{
    const struct behaviour *item = &emission->plan->kernel->items[index];
    struct workplace *workplace = &emission->workplaces[index];
    struct sharers sharers = find_sharers(emission->plan->kernel, index, dependence);
    bool shared = item->chain == 0;
    workplace->turns[dependence] =
        (shared ? (unsigned)workplace->kind : ACCUMULATE_KINDS + (unsigned)index) * DEPENDENCES + dependence;
    if (sharers.chains + sharers.others <= 1 || !has_instances(item, dependence) ||
        !behaviour_can(item, FORM_ACCUMULATES))
        return true;
    unsigned part = range->count / (sharers.chains + 2 * sharers.others);
    *range = shared ? (struct register_range){range->first + part * sharers.chains,
                                              range->count - part * sharers.chains}
                    : (struct register_range){range->first + part * sharers.before, part};
    return part > 0;
}

enum status emission_claim_operations(struct emission *emission)
{
    enum status status = claim_scalars(emission);
    bool enough = true;
    share_scalars(emission);
    if (status == STATUS_OK)
        status = claim_vectors(emission);
    for (size_t i = 0; status == STATUS_OK && i < emission->plan->kernel->count; i++)
        if (operation_is(&emission->plan->kernel->items[i]))
            enough = take_part(emission, i, INDEPENDENT, &emission->workplaces[i].independent) &&
                     take_part(emission, i, DEPENDENT, &emission->workplaces[i].dependent) && enough;
    return status == STATUS_OK && !enough ? emission_refuse_registers(emission) : status;
}

/* ---- one operation ---- */

/* The line that loads hit. */
static void bind_hit_line(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bindings_number(&emission->bindings, "hit_line",
                    plan->memory.by_rotation ? rotating_hit_offset(plan)
                                             : (uint64_t)plan->memory.eviction.hit_offset);
}

void emission_restart_operations(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bool chains = false;
    bind_hit_line(emission);
    memset(emission->turns, 0, emission->turn_count * sizeof *emission->turns);
    for (size_t i = 0; i < plan->kernel->count; i++) {
        struct register_range range = emission->workplaces[i].independent;
        emission->chains[i] = range.first + (range.count > 0 ? (unsigned)i % range.count : 0);
        chains = chains || emission->workplaces[i].chained;
    }
    /* A chain that the loop's end cuts goes on in the register that it has there. */
    for (size_t i = 0; chains && i < plan->slot_count; i++)
        if (emission->workplaces[plan->slots[i].item].operates)
            (void)emission_take_accumulator(emission, &plan->slots[i]);
    memset(emission->turns, 0, emission->turn_count * sizeof *emission->turns);
}

void emission_operation_registers(const struct emission *emission, const struct slot *slot, unsigned index,
                                  const char *names[2])
{
    const struct workplace *workplace = &emission->workplaces[slot->item];
    names[0] = workplace->accumulators[index];
    names[1] = emission->plan->data.operands[slot->item].count > 0 ? workplace->operands[slot->operand]
                                                                   : emission->data;
}

void emission_bind_operation(struct emission *emission, const struct slot *slot)
{
    const char *names[2];
    emission_operation_registers(emission, slot, emission_take_accumulator(emission, slot), names);
    bindings_register(&emission->bindings, "accumulator", names[0]);
    bindings_register(&emission->bindings, "operand", names[1]);
}

/* ---- code before and after the loop ---- */

/* The row "set" or "copy" that sets a vector register of the kernel's greatest width. Without a row for 8
 * bytes, such numbers are set as vectors of 16. */
static const struct form *vector_row(const struct template *templates, const struct plan *plan,
                                     const char *what)
{
    char row[ROW_BYTES];
    unsigned width = operations_widest(plan->kernel);
    snprintf(row, sizeof row, "%s.%u", what, width);
    if (width == 8 && template_form(templates, row) == NULL)
        snprintf(row, sizeof row, "%s.16", what);
    return operation_row(templates, plan->machine, row);
}

static enum status set_vector(struct emission *emission, const char *what, struct buffer *output)
{
    const struct form *form = vector_row(emission->templates, emission->plan, what);
    enum status status = bindings_row(&emission->bindings, form, NULL, output);
    buffer_text(output, "\n");
    return status;
}

static enum status set_operands(struct emission *emission, size_t index, struct buffer *output)
{
    const struct behaviour *item = &emission->plan->kernel->items[index];
    bool widths = !operation_has_vectors(item) || (item->kind == BEHAVIOUR_STORE && item->from_vector);
    const struct operand_words *words = &emission->plan->data.operands[index];
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < words->count; i++) {
        const char *name = emission->workplaces[index].operands[i];
        if (widths && same_word(emission, index, i) == name) /* it may end in this one */
            continue;
        bindings_set(&emission->bindings, "word", "0x%016" PRIx64, boxed(emission, index, words->words[i]));
        bindings_register(&emission->bindings, "operand", name);
        bindings_register(&emission->bindings, "register", name);
        status = operation_has_vectors(item) ? set_vector(emission, "set", output)
                                             : bindings_section(&emission->bindings, "start.operand", output);
    }
    return status;
}

/* Sets the first of an operation's vector accumulators to its word, and copies it to the others. */
static enum status set_accumulators(struct emission *emission, size_t index,
                                    const struct register_range *range, struct buffer *output)
{
    const struct workplace *workplace = &emission->workplaces[index];
    bool four = operation_kind(&emission->plan->kernel->items[index]) == ACCUMULATE_FLOAT;
    uint64_t word = 0;
    (void)template_word(emission->templates, four ? "start.4" : "start", &word);
    bindings_set(&emission->bindings, "word", "0x%016" PRIx64, boxed(emission, index, word));
    bindings_register(&emission->bindings, "from", workplace->accumulators[range->first]);
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < range->count; i++) {
        bindings_register(&emission->bindings, "register", workplace->accumulators[range->first + i]);
        status = set_vector(emission, i == 0 ? "set" : "copy", output);
    }
    return status;
}

enum status emission_start_operations(struct emission *emission, struct buffer *output)
{
    const struct kernel *kernel = emission->plan->kernel;
    bool set[ACCUMULATE_KINDS][DEPENDENCES] = {{false}};
    enum status status = STATUS_OK;
    if (operations_flush(kernel))
        status = bindings_section(&emission->bindings, "start.flush", output);
    if (emission->accumulator_count > 0)
        bindings_register(&emission->bindings, "scratch", emission->accumulators[0]);
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++)
        if (operation_has_operands(&kernel->items[i]))
            status = set_operands(emission, i, output);
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        const struct workplace *workplace = &emission->workplaces[i];
        const struct register_range *ranges[] = {&workplace->independent, &workplace->dependent};
        for (int d = 0; status == STATUS_OK && is_vector(&kernel->items[i]) && d < DEPENDENCES; d++) {
            bool *known = &set[operation_kind(&kernel->items[i])][d];
            if ((!*known || workplace->chained) && has_instances(&kernel->items[i], d))
                status = set_accumulators(emission, i, ranges[d], output);
            *known |= !workplace->chained && has_instances(&kernel->items[i], d);
        }
    }
    if (status == STATUS_OK && kernel_any(kernel, operation_divides))
        status = bindings_section(&emission->bindings, "start.division", output);
    return status;
}

/* Expands "NAME.WIDTH" for the kernel's widest vectors, if the templates have such a section. */
static enum status vector_section(struct emission *emission, const char *name, struct buffer *output)
{
    char section[ROW_BYTES];
    snprintf(section, sizeof section, "%s.%u", name, operations_widest_vector(emission->plan->kernel));
    return bindings_section_if(&emission->bindings, section, output);
}

enum status emission_start_vectors(struct emission *emission, struct buffer *output)
{
    return vector_section(emission, "start.vector", output);
}

enum status emission_finish_operations(struct emission *emission, struct buffer *output)
{
    enum status status = STATUS_OK;
    if (operations_flush(emission->plan->kernel))
        status = bindings_section(&emission->bindings, "finish.flush", output);
    /* clears vector state that would slow the caller's code, on ISAs that have such state */
    return status == STATUS_OK ? vector_section(emission, "finish.vector", output) : status;
}

/* ---- for the manifest ---- */

/* Names, each once. */
struct names {
    struct arena *arena;
    const char **items;
    size_t count, room;
};

static void add_feature(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    if (name[0] == '\0')
        return;
    if (names->count == names->room) {
        names->room = 2 * names->room + 8;
        const char **items = arena_alloc(names->arena, names->room, sizeof *items);
        for (size_t i = 0; i < names->count; i++)
            items[i] = names->items[i];
        names->items = items;
    }
    names->items[names->count++] = arena_strdup(names->arena, name);
}

static void add_form(struct names *names, const struct form *form)
{
    if (form != NULL && form->feature != NULL)
        add_feature(names, form->feature);
}

const char **emit_operations_features(const struct plan *plan, const struct template *templates,
                                      const struct form_tally *tally, struct arena *arena, size_t *count)
{
    struct names names = {.arena = arena};
    for (size_t i = 0; i < tally->count; i++)
        add_form(&names, tally->items[i].form);
    for (size_t i = 0; i < plan->kernel->count; i++)
        for (unsigned f = 0; f < plan->texts.items[i].features.count; f++)
            add_feature(&names, plan->texts.items[i].features.names[f]);
    if (operations_widest(plan->kernel) > 0)
        add_form(&names, vector_row(templates, plan, "set"));
    *count = names.count;
    return names.items;
}

size_t emit_operations_operands(const struct plan *plan, const struct template *templates,
                                struct arena *arena, struct operand_registers **operands)
{
    struct arena own = {0};
    struct emission emission;
    size_t count = 0;
    bool some = false;
    *operands = arena_alloc(arena, plan->kernel->count, sizeof **operands);
    for (size_t i = 0; i < plan->kernel->count; i++)
        some = some || (operation_has_operands(&plan->kernel->items[i]) && plan->kernel->items[i].has_data);
    bool claimed = some && emission_open(&emission, plan, templates, &own, NULL) == STATUS_OK;
    for (unsigned i = 0; claimed && i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (!operation_has_operands(item) || !item->has_data)
            continue;
        struct operand_registers *made = &(*operands)[count++];
        *made =
            (struct operand_registers){i + 1, item->op, 8 * item->width, NULL, plan->data.operands[i].count};
        made->names = arena_alloc(arena, made->count, sizeof *made->names);
        for (size_t w = 0; w < made->count; w++)
            made->names[w] = arena_strdup(arena, emission.workplaces[i].operands[w]);
    }
    arena_free(&own);
    return count;
}
