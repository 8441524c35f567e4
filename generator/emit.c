#include "generator/emit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BINDINGS = 40, VALUE_BYTES = 32, COMMENT_COLUMN = 44 };

/* The state of an emission: what the braces of a template stand for now. */
struct emission {
    const struct plan *plan;
    const struct template *templates;
    struct binding bindings[MOST_BINDINGS];
    char values[MOST_BINDINGS][VALUE_BYTES];
    size_t binding_count;
    unsigned next_value; /* registers used in turn */
    unsigned next_independent;
    unsigned next_dependent;
    unsigned *chains; /* [behaviours]: the register that each one's chain is in */
    bool splits;      /* the accumulators are shared between dependent and independent operations */
    struct error *error;
};

__attribute__((format(printf, 3, 4))) static void bind(struct emission *emission, const char *name,
                                                       const char *format, ...)
{
    size_t i = 0;
    while (i < emission->binding_count && strcmp(emission->bindings[i].name, name) != 0)
        i++;
    if (i == MOST_BINDINGS)
        abort();
    if (i == emission->binding_count)
        emission->binding_count++;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(emission->values[i], VALUE_BYTES, format, arguments);
    va_end(arguments);
    emission->bindings[i] = (struct binding){name, emission->values[i]};
}

static void bind_register(struct emission *emission, const char *name, const char *role, unsigned index)
{
    const struct pool *pool = template_pool(emission->templates, role);
    bind(emission, name, "%s%s", emission->templates->isa->register_prefix,
         pool == NULL ? "" : pool->registers[index % pool->count]);
}

static unsigned pool_size(const struct emission *emission, const char *role)
{
    const struct pool *pool = template_pool(emission->templates, role);
    return pool == NULL ? 0 : pool->count;
}

static enum status expand(struct emission *emission, const char *text, struct buffer *output)
{
    if (text == NULL)
        return error_set(emission->error, STATUS_FAILED, "the templates of %s lack a section or a row",
                         emission->templates->isa->name);
    return template_expand(emission->templates, text, emission->bindings, emission->binding_count, output,
                           emission->error);
}

static enum status expand_section(struct emission *emission, const char *name, struct buffer *output)
{
    return expand(emission, template_section(emission->templates, name), output);
}

/* The register through which the load finds its line. */
static const char *base_role(const struct slot *slot)
{
    if (slot->service == SERVICE_SOMETIMES)
        return "sometimes";
    return slot->rotates ? "rotating" : "data";
}

static void bind_load(struct emission *emission, const struct slot *slot)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    bind(emission, "disp", "%" PRIu32, slot->line.offset);
    bind_register(emission, "base", base_role(slot), 0);
    if (item->address == ADDRESS_CHASE)
        bind_register(emission, "value", "pointer", 0);
    else
        bind_register(emission, "value", "value", emission->next_value++);
}

/* Dependent operations never write a register that independent ones read, or these would wait for loads too.
 */
static void bind_operation(struct emission *emission, const struct slot *slot)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    unsigned size = pool_size(emission, "accumulator");
    unsigned half = emission->splits ? size / 2 : 0;
    unsigned index;
    if (slot->dependent)
        index = half + emission->next_dependent++ % (size - half);
    else if (item->chain > 0 && !slot->starts)
        index = emission->chains[slot->item];
    else
        index = emission->next_independent++ % (emission->splits ? half : size);
    emission->chains[slot->item] = index;
    bind_register(emission, "accumulator", "accumulator", index);
}

static void comment_load(const struct plan *plan, const struct slot *slot, struct buffer *line)
{
    const struct group *group = &plan->layout.groups[slot->line.group];
    if (slot->service == SERVICE_HIT) {
        const char *which = plan->word_count > 0 ? "a line that stays" : "the line of all hits";
        buffer_printf(line, "L1: %s", plan->layout.hits_follow_misses ? "the line just read" : which);
        return;
    }
    if (slot->service == SERVICE_SOMETIMES)
        buffer_printf(line, "L2 in %u of %u passes, L1 in the others; ", plan->sizing.sometimes,
                      plan->sizing.period);
    else
        buffer_text(line, "L2: ");
    buffer_printf(line, "L1D set %u, line %u of %u", group->set, slot->line.line + 1, group->lines);
    if (slot->rotates)
        buffer_text(line, ", the next in the next pass");
}

/* The two ways through a loop with branches: each taken branch of the one goes on in the other, and the code
 * is the same in both, so that both arms of every branch are equal. */
enum way { WAY_LOOP, WAY_TWIN };

static const char *const way_letters[] = {[WAY_LOOP] = "a", [WAY_TWIN] = "b"};

static void comment_slot(const struct plan *plan, const struct slot *slot, struct buffer *line)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    if (!item->is_load && !slot->dependent && !slot->starts && slot->branch == BRANCH_NONE)
        return;
    int gap = line->size < COMMENT_COLUMN ? COMMENT_COLUMN - (int)line->size : 1;
    buffer_printf(line, "%*s# ", gap, "");
    if (slot->dependent || slot->starts) {
        buffer_text(line, slot->dependent ? "dependent" : "a chain begins");
        return;
    }
    buffer_printf(line, "unit %u, behaviour %u: ", slot->unit, slot->item + 1);
    if (item->is_load)
        comment_load(plan, slot, line);
    else
        buffer_text(line, slot->branch == BRANCH_RANDOM  ? "random"
                          : slot->branch == BRANCH_TAKEN ? "taken"
                                                         : "not taken");
}

/* Puts each instruction of an expanded form on a line of its own; the last one gets the comment. */
static void append_lines(const struct plan *plan, const struct slot *slot, const char *text,
                         struct buffer *source)
{
    for (const char *more; (more = strstr(text, "; ")) != NULL; text = more + 2)
        buffer_printf(source, "    %.*s\n", (int)(more - text), text);
    struct buffer line = {0};
    buffer_printf(&line, "    %s", text);
    comment_slot(plan, slot, &line);
    buffer_printf(source, "%s\n", line.data);
    buffer_free(&line);
}

static enum status emit_slot(struct emission *emission, size_t index, enum way way, struct buffer *source)
{
    const struct plan *plan = emission->plan;
    const struct slot *slot = &plan->slots[index];
    const struct behaviour *item = &plan->kernel->items[slot->item];
    if (slot->branch == BRANCH_BACK)
        return STATUS_OK;
    const struct form *form = plan_form(emission->templates, plan, slot);
    if (item->is_load)
        bind_load(emission, slot);
    else if (item->is_branch)
        bind(emission, "target", ".L%s%zu", way_letters[!way], index);
    else
        bind_operation(emission, slot);
    struct buffer text = {0};
    enum status status = expand(emission, form == NULL ? NULL : form->text, &text);
    if (status == STATUS_OK)
        append_lines(plan, slot, text.data, source);
    if (item->is_branch)
        buffer_printf(source, ".L%s%zu:\n", way_letters[way], index);
    buffer_free(&text);
    return status;
}

/* All slots of one way. The twin is entered by branches alone, so that what stands before its first is never
 * run; it stands there for the branches after it to lie as they do in the loop. */
static enum status emit_body(struct emission *emission, enum way way, struct buffer *body)
{
    enum status status = STATUS_OK;
    emission->next_value = emission->next_independent = emission->next_dependent = 0;
    memset(emission->chains, 0, emission->plan->kernel->count * sizeof *emission->chains);
    for (size_t i = 0; status == STATUS_OK && i < emission->plan->slot_count; i++)
        status = emit_slot(emission, i, way, body);
    return status;
}

/* Registers start at zero, so that no run depends on what its caller left in them. */
static enum status emit_zeros(struct emission *emission, const char *role, struct buffer *output)
{
    char section[VALUE_BYTES];
    snprintf(section, sizeof section, "start.%s", role);
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < pool_size(emission, role); i++) {
        bind_register(emission, role, role, i);
        status = expand_section(emission, section, output);
    }
    return status;
}

static void bind_rotation(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bind(emission, "step", "%" PRIu64, plan->layout.step);
    bind(emission, "limit", "%" PRIu64, plan->layout.step * plan->layout.turns);
    bind(emission, "passes", "%u", plan->sizing.sometimes);
    bind(emission, "hit", "%" PRId64,
         (int64_t)plan->sometimes_hit.line.offset - (int64_t)plan->layout.sometimes.offset);
    bind_register(emission, "miss_base", plan->sizing.rotating ? "rotating" : "data", 0);
    bind_register(emission, "hit_base", plan->sometimes_hit.rotates ? "rotating" : "data", 0);
}

/* What stands before the loop and what closes a pass. */
static enum status emit_frame(struct emission *emission, struct buffer *start, struct buffer *advance)
{
    const struct plan *plan = emission->plan;
    bool rotates = plan->sizing.rotating;
    bool sometimes = plan->sizing.sometimes > 0;
    enum status status = emit_zeros(emission, "accumulator", start);
    if (status == STATUS_OK)
        status = emit_zeros(emission, "value", start);
    if (status == STATUS_OK)
        status =
            expand_section(emission, plan->fill_address ? "start.pointer" : "start.pointer_indexed", start);
    if (status == STATUS_OK && plan->branches.total > 0)
        status = expand_section(emission, "start.random", start);
    if (status == STATUS_OK && rotates)
        status = expand_section(emission, "start.rotating", start);
    if (status == STATUS_OK && sometimes)
        status = expand_section(emission, "start.sometimes", start);
    if (status == STATUS_OK && rotates)
        status = expand_section(emission, "advance.rotating", advance);
    if (status == STATUS_OK && sometimes)
        status = expand_section(emission, "advance.sometimes", advance);
    return status;
}

static void emit_header(const struct plan *plan, const char *title, struct buffer *source)
{
    buffer_printf(source, "# %s\n# for %s: %u units of %u operations; rates hold over %u pass%s\n", title,
                  plan->machine->name, plan->sizing.units, plan->unit_slots, plan->sizing.period,
                  plan->sizing.period == 1 ? "" : "es");
    for (size_t i = 0; i < plan->targets.count; i++)
        buffer_printf(source, "# target %s = %.10g\n", plan->targets.items[i].metric,
                      plan->targets.items[i].value);
    if (plan->branches.total > 0)
        buffer_printf(
            source, "# %u branches: %u random, %u taken (one of them the back edge), %u not taken\n",
            plan->branches.total, plan->branches.random, plan->branches.taken, plan->branches.fallthrough);
    if (plan->layout.group_count == 0)
        return;
    buffer_printf(source, "# %u conflict group%s, lines per L1D set:", plan->layout.group_count,
                  plan->layout.group_count == 1 ? "" : "s");
    for (unsigned i = 0; i < plan->layout.group_count; i++) {
        const struct group *group = &plan->layout.groups[i];
        buffer_printf(source, "%s %u in %u",
                      i == 0        ? ""
                      : i % 10 == 0 ? ",\n#  "
                                    : ",",
                      group->lines, group->set);
        if (group->rounds > 1)
            buffer_printf(source, " (%u times a pass)", group->rounds);
    }
    buffer_text(source, "\n");
}

static void bind_fixed(struct emission *emission)
{
    static const char *const roles[] = {"data", "pointer", "rotating",  "sometimes",
                                        "turn", "random",  "multiplier"};
    const struct plan *plan = emission->plan;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        bind_register(emission, roles[i], roles[i], 0);
    bind(emission, "bytes", "%" PRIu64, plan->layout.bytes);
    bind(emission, "align", "%" PRIu64, plan->layout.align);
    bind(emission, "fill", "%d", plan->fill_address);
    bind(emission, "word", "0x%" PRIx64, plan->fill_word);
    bind(emission, "warmup", "%u", plan->warmup);
    bind(emission, "period", "%u", plan->sizing.period);
    bind(emission, "words", "%zu", plan->word_count);
    bind_rotation(emission);
}

static bool mixes_dependence(const struct kernel *kernel)
{
    bool dependent = false;
    bool independent = false;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->is_load || item->is_branch)
            continue;
        dependent = dependent || item->dependents > 0;
        independent = independent || item->dependents < item->count;
    }
    return dependent && independent;
}

/* The twin of a loop that has branches. */
static enum status emit_twin(struct emission *emission, const char *advance, struct buffer *twin)
{
    const struct plan *plan = emission->plan;
    if (plan->branches.total == 0)
        return STATUS_OK;
    struct buffer body = {0};
    enum status status = emit_body(emission, WAY_TWIN, &body);
    const struct binding parts[] = {{"body", body.data == NULL ? "" : body.data}, {"advance", advance}};
    if (status == STATUS_OK)
        status = template_expand(emission->templates, template_section(emission->templates, "twin"), parts, 2,
                                 twin, emission->error);
    buffer_free(&body);
    return status;
}

static const char *text_of(const struct buffer *buffer)
{
    return buffer->data == NULL ? "" : buffer->data;
}

enum status emit_program(const struct plan *plan, const struct template *templates, const char *title,
                         struct buffer *source, struct error *error)
{
    struct emission emission = {.plan = plan, .templates = templates, .error = error};
    struct buffer start = {0};
    struct buffer body = {0};
    struct buffer advance = {0};
    struct buffer twin = {0};
    struct buffer table = {0};
    struct arena arena = {0};
    emission.chains = arena_alloc(&arena, plan->kernel->count, sizeof *emission.chains);
    emission.splits = mixes_dependence(plan->kernel);
    bind_fixed(&emission);
    enum status status = emit_frame(&emission, &start, &advance);
    if (status == STATUS_OK)
        status = emit_body(&emission, WAY_LOOP, &body);
    if (status == STATUS_OK)
        status = emit_twin(&emission, text_of(&advance), &twin);
    for (size_t i = 0; i < plan->word_count; i++)
        buffer_printf(&table, "    .quad %" PRIu64 ", 0x%016" PRIx64 "\n", plan->words[i].offset,
                      plan->words[i].value);
    if (status == STATUS_OK) {
        emit_header(plan, title, source);
        struct binding large[MOST_BINDINGS + 5];
        size_t count = emission.binding_count;
        memcpy(large, emission.bindings, count * sizeof *large);
        large[count++] = (struct binding){"start", text_of(&start)};
        large[count++] = (struct binding){"body", text_of(&body)};
        large[count++] = (struct binding){"advance", text_of(&advance)};
        large[count++] = (struct binding){"twin", text_of(&twin)};
        large[count++] = (struct binding){"table", text_of(&table)};
        status =
            template_expand(templates, template_section(templates, "kernel"), large, count, source, error);
    }
    buffer_free(&start);
    buffer_free(&body);
    buffer_free(&advance);
    buffer_free(&twin);
    buffer_free(&table);
    arena_free(&arena);
    return status;
}
