/* The loop of a GPU's program: its slots, one after the other. */
#include "base/memory.h"
#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status gpu_put_row(struct gpu_emission *emission, const struct form *form, struct buffer *output)
{
    char name[64];
    uint64_t version = 0;
    snprintf(name, sizeof name, "%.10s.%.50s", emission->templates->isa->name, form->name);
    if (template_word(emission->templates, name, &version) && version > emission->version)
        emission->version = (unsigned)version;
    enum status status = bindings_row(&emission->bindings, form, NULL, output);
    buffer_text(output, "\n");
    return status;
}

static enum status check_form(const struct gpu_emission *emission, const struct gpu_slot *slot,
                              const struct form *form)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    if (form == NULL)
        return error_set(emission->error, STATUS_RECIPE,
                         "the templates of %s have no row for %s of %u bytes%s on %s",
                         emission->templates->isa->name, item->op, item->width,
                         slot->dependent ? " that consumes a load" : "", emission->plan->machine->gpu.arch);
    return STATUS_OK;
}

/* ---- accesses ---- */

/* "{%v0, %v1}", or the registers' common name on ISAs that have one. */
static void bind_wide(struct gpu_emission *emission, unsigned first, unsigned count)
{
    char role[16];
    char all[BINDINGS_VALUE] = "{";
    size_t length = 1;
    snprintf(role, sizeof role, "v.%u", 4 * count);
    if (template_pool(emission->templates, role) != NULL) {
        gpu_bind_register(emission, "values", role, first / count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        length +=
            (size_t)snprintf(all + length, sizeof all - length, "%s%%v%u", i == 0 ? "" : ", ", first + i);
    bindings_set(&emission->bindings, "values", "%s}", all);
}

static void bind_values(struct gpu_emission *emission, unsigned width)
{
    unsigned first = emission->loads * 4 % GPU_VALUES;
    gpu_bind_register(emission, "value", "v", first);
    gpu_bind_register(emission, "value_1", "v", first + 1);
    gpu_bind_register(emission, "value_2", "v", first + 2);
    gpu_bind_register(emission, "value_3", "v", first + 3);
    bind_wide(emission, first, width / 4);
    gpu_bind_register(emission, "sum", "sum", emission->loads % GPU_SUMS);
    gpu_bind_register(emission, "loaded", "v", first);
}

/* Rows that only some ISAs need. */
static enum status put_named(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    const struct form *form = operation_row(emission->templates, emission->plan->machine, name);
    return form == NULL ? STATUS_OK : gpu_put_row(emission, form, output);
}

enum status gpu_settle(struct gpu_emission *emission, struct buffer *output)
{
    return put_named(emission, "scalar.settle", output);
}

/* If instructions have only a small displacement, the rest is added first: once for all accesses that share
 * it. */
static enum status take_step(struct gpu_emission *emission, unsigned stream, uint64_t displacement,
                             struct buffer *output)
{
    uint64_t room = 0;
    uint64_t high = 0;
    char text[BINDINGS_VALUE];
    bool shared = gpu_level_in_shared(emission->plan->streams[stream].level);
    if (!shared && template_word(emission->templates, "displacement", &room) && room > 0)
        high = displacement / room * room;
    bindings_set(&emission->bindings, "low", "%" PRIu64, displacement - high);
    bindings_set(&emission->bindings, "high", "%" PRIu64, high);
    bindings_set(&emission->bindings, "soffset", "%s",
                 gpu_register(emission, high > 0 ? "step" : "s", stream, text));
    if (high == 0 || emission->high[stream] == high)
        return STATUS_OK;
    emission->high[stream] = high;
    enum status status = gpu_settle(emission, output);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "step", output) : status;
}

/* A chase waits for the previous one, even one of another stream. */
static enum status link_chases(struct gpu_emission *emission, const struct gpu_slot *slot,
                               struct buffer *output)
{
    int last = emission->last_chase;
    emission->last_chase = slot->stream;
    if (last < 0 || last == slot->stream)
        return STATUS_OK;
    gpu_bind_register(emission, "last", "s", (unsigned)last);
    return put_named(emission, "chase.link", output);
}

/* Appends the addition of a load's value to the sum. */
static enum status put_consumer(struct gpu_emission *emission, unsigned width, struct buffer *output)
{
    char name[32];
    snprintf(name, sizeof name, "consume.%u", width);
    emission->loads++;
    return put_named(emission, name, output);
}

/* Appends the access's row; a comment on its first line identifies the access, as on processors. */
static enum status put_told(struct gpu_emission *emission, const struct gpu_slot *slot,
                            const struct form *form, struct buffer *output)
{
    enum { COLUMN = 40 };
    struct buffer row = {0};
    enum status status = gpu_put_row(emission, form, &row);
    size_t length = status == STATUS_OK ? strcspn(row.data, "\n") : 0;
    if (length > 0)
        buffer_printf(output, "%.*s%*s// unit %u, behaviour %u: %s, stream %d%s", (int)length, row.data,
                      length < COLUMN ? (int)(COLUMN - length) : 1, "", slot->unit, slot->item + 1,
                      gpu_level_name((int)emission->plan->streams[slot->stream].level), slot->stream,
                      row.data + length);
    buffer_free(&row);
    return status;
}

static enum status put_access(struct gpu_emission *emission, const struct gpu_slot *slot,
                              struct buffer *output)
{
    const struct gpu_stream *stream = &emission->plan->streams[slot->stream];
    const struct form *form = gpu_access_form(emission->templates, emission->plan->machine, stream);
    uint64_t displacement = gpu_slot_displacement(stream, slot->index);
    enum status status = check_form(emission, slot, form);
    gpu_bind_stream(emission, (unsigned)slot->stream);
    bindings_set(&emission->bindings, "disp", displacement == 0 ? "%s" : "%s%" PRIu64,
                 displacement == 0 ? "" : "+", displacement);
    if (stream->chase) {
        if (status == STATUS_OK)
            status = link_chases(emission, slot, output);
        emission->chase_loads = true;
        emission->staged = -1;
        if (status == STATUS_OK && stream->async)
            status = gpu_copy_begin(emission, stream, output);
        if (status == STATUS_OK)
            status = put_told(emission, slot, form, output);
        return status == STATUS_OK && stream->async ? gpu_copy_follow(emission, stream, output) : status;
    }
    if (status == STATUS_OK && stream->async)
        status = gpu_copy_begin(emission, stream, output);
    if (status == STATUS_OK && stream->side != NULL && slot->index > 0 && slot->index % stream->hop == 0)
        status = bindings_section(&emission->bindings, "side.next", output);
    /* The same place again, in a form that the assembler does not merge. */
    if (status == STATUS_OK && stream->side == NULL && stream->atomic == NULL && slot->index > 0 &&
        slot->index % stream->rows == 0)
        status = bindings_section_if(&emission->bindings, "renew", output);
    if (status == STATUS_OK)
        status = take_step(emission, (unsigned)slot->stream, displacement, output);
    if (stream->store && stream->bulk) {
        emission->put = true;
        bindings_set(&emission->bindings, "size", "%" PRIu64,
                     (uint64_t)emission->plan->threads * stream->width);
    }
    if ((!stream->store || stream->returns) && !stream->async)
        bind_values(emission, stream->width);
    if (status == STATUS_OK)
        status = put_told(emission, slot, form, output);
    if ((stream->store && !stream->returns) || status != STATUS_OK)
        return status;
    emission->chase_loads = false;
    emission->staged = stream->async ? (int)stream->item : -1;
    return stream->async ? STATUS_OK
                         : put_consumer(emission, stream->atomic != NULL ? 4 : stream->width, output);
}

/* Appends a load from shared memory of the value of an asynchronous load that operations consume. */
static enum status put_staged(struct gpu_emission *emission, unsigned unit, struct buffer *output)
{
    unsigned width = 0;
    char name[32];
    enum status status = gpu_copy_read(emission, unit, &width, output);
    if (status != STATUS_OK || width == 0)
        return status;
    bind_values(emission, width);
    snprintf(name, sizeof name, "load.shared.%u", width);
    status = put_named(emission, name, output);
    return status == STATUS_OK ? put_consumer(emission, width, output) : status;
}

/* ---- operations ---- */

/* Pairs i and i plus this number may share registers: halves, or pairs of 8-byte operations. */
static unsigned pairs_apart(const struct kernel *kernel)
{
    unsigned apart = GPU_PAIRS / 2;
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_OPERATION && kernel->items[i].width == 8)
            apart = GPU_PAIRS / 4;
    return apart;
}

/* True if the pairs have registers in common. If an 8-byte register is two adjacent 4-byte registers, a pair
 * of 8 bytes uses those of two neighbouring pairs. */
static bool overlap(const struct gpu_emission *emission, unsigned one, bool one_wide, unsigned other,
                    bool other_wide)
{
    unsigned apart = pairs_apart(emission->plan->kernel);
    if (template_pool(emission->templates, "g_low") == NULL)
        return one % apart == other % apart;
    unsigned narrow = GPU_PAIRS / 2, wide = GPU_PAIRS / 4;
    if (one_wide != other_wide)
        return one_wide ? one % wide == other % narrow / 2 : one % narrow / 2 == other % wide;
    return one_wide ? one % wide == other % wide : one % narrow == other % narrow;
}

/* True if an unfinished chain uses registers of the pair. */
static bool is_taken(const struct gpu_emission *emission, unsigned pair, bool wide)
{
    const struct kernel *kernel = emission->plan->kernel;
    for (size_t i = 0; i < kernel->count; i++) {
        unsigned length = kernel->items[i].chain;
        if (length > 0 && emission->links[i] % length != 0 &&
            overlap(emission, emission->chain_pairs[i], kernel->items[i].width == 8, pair, wide))
            return true;
    }
    return false;
}

/* The next pair that no chain needs, and that shares no register with the pair `last`; -1: there is none. */
static enum status next_pair(struct gpu_emission *emission, int last, bool wide, unsigned *pair)
{
    for (unsigned i = 0; i < GPU_PAIRS; i++) {
        *pair = emission->operations++ % GPU_PAIRS;
        bool again = last >= 0 && overlap(emission, (unsigned)last, wide, *pair, wide);
        if (!again && !is_taken(emission, *pair, wide))
            return STATUS_OK;
    }
    return error_set(emission->error, STATUS_RECIPE,
                     "chain: more than %u chains of the unit continue in the next one, and each needs "
                     "registers of its own; expected operations whose count is a multiple of their chain",
                     pairs_apart(emission->plan->kernel) - 1);
}

/* The sign of a tile's first factor alternates; factors with data follow each other in all tiles. */
static void bind_tiles(struct gpu_emission *emission, const struct behaviour *item, const struct form *form,
                       unsigned pair)
{
    unsigned *uses = &emission->signs[form_has(form, FORM_WHOLE_TILE)][pair];
    const struct gpu_tiles *tiles = &emission->plan->tiles;
    gpu_bind_pair(emission, pair, item->width, (*uses)++ % 2 == 1);
    if (!item->has_data)
        return;
    unsigned from = gpu_tiles_set(tiles, emission->tiles++) * GPU_TILE_WORDS;
    gpu_bind_factors(emission, "f", from, "f", from + tiles->first);
}

/* Binds the operation's pair. A chain continues in its pair; without a chain, every operation takes the next
 * pair. The two registers of a pair swap with each use; a link that reads only one of them reads the one
 * written last. */
static enum status bind_turn(struct gpu_emission *emission, unsigned item_index, const struct form *form)
{
    const struct behaviour *item = &emission->plan->kernel->items[item_index];
    bool goes_on = item->chain > 0 && emission->links[item_index] % item->chain != 0;
    unsigned pair = emission->chain_pairs[item_index];
    int last = item->chain > 0 && emission->links[item_index] > 0 ? (int)pair : -1;
    enum status status = goes_on ? STATUS_OK : next_pair(emission, last, item->width == 8, &pair);
    emission->chain_pairs[item_index] = pair;
    emission->links[item_index]++;
    if (form_has(form, FORM_TILE | FORM_WHOLE_TILE)) {
        bind_tiles(emission, item, form, pair);
        return status;
    }
    bool both = strstr(form->text, "{other") != NULL;
    unsigned use = item->chain == 0 || both ? emission->uses[pair]++ : emission->uses[pair] + 1;
    gpu_bind_pair(emission, pair, item->width, use % 2 == 1);
    return status;
}

static enum status put_branch(struct gpu_emission *emission, const struct gpu_slot *slot, size_t index,
                              struct buffer *output)
{
    unsigned pair = 0;
    enum status status = next_pair(emission, -1, false, &pair);
    gpu_bind_pair(emission, pair, 4, false);
    bindings_set(&emission->bindings, "slot", "%zu", index);
    gpu_bind_taken(emission, slot->diverges);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "branch", output) : status;
}

/* True for an operation, or a branch, that uses the same registers as such divisions. Operations that consume
 * loads may produce 0. */
static bool shares_registers(const struct gpu_emission *emission, const struct behaviour *item,
                             unsigned width)
{
    if (item->kind == BEHAVIOUR_BRANCH)
        return width == 4;
    if (item->kind != BEHAVIOUR_OPERATION || item->width != width)
        return false;
    if (strcmp(item->op, "div") == 0)
        return item->dependents > 0;
    const struct form *form =
        operation_form(emission->templates, emission->plan->machine, item, false, false);
    return form != NULL && strstr(form->text, "{accumulator}") != NULL;
}

/* Divisions beside such operations keep their divisor from 0. */
static enum status put_divisor(struct gpu_emission *emission, const struct behaviour *item,
                               struct buffer *output)
{
    const struct kernel *kernel = emission->plan->kernel;
    bool shared = false;
    if (strcmp(item->op, "div") != 0)
        return STATUS_OK;
    for (size_t i = 0; i < kernel->count; i++)
        shared = shared || shares_registers(emission, &kernel->items[i], item->width);
    return shared ? put_named(emission, item->width == 8 ? "div.beside.8" : "div.beside", output) : STATUS_OK;
}

/* Appends the conversion of a chase's value, an address, for operations that consume it. */
static enum status put_chased(struct gpu_emission *emission, struct buffer *output)
{
    if (!emission->chase_loads)
        return STATUS_OK;
    emission->chase_loads = false;
    if (template_pool(emission->templates, "pointer_low") == NULL)
        return error_set(emission->error, STATUS_RECIPE,
                         "the templates of %s have no form that consumes a chase's value",
                         emission->templates->isa->name);
    gpu_bind_stream(emission, (unsigned)emission->last_chase);
    gpu_bind_register(emission, "loaded", "pointer_low", (unsigned)emission->last_chase);
    return put_named(emission, "chase.loaded", output);
}

static enum status put_slot(struct gpu_emission *emission, const struct gpu_slot *slot, size_t index,
                            struct buffer *output)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    if (slot->stream >= 0)
        return put_access(emission, slot, output);
    if (item->kind == BEHAVIOUR_BRANCH)
        return put_branch(emission, slot, index, output);
    if (item->kind == BEHAVIOUR_ASM)
        return gpu_emit_asm(emission, item, output);
    const struct form *form =
        item->kind == BEHAVIOUR_THROTTLE
            ? operation_row(emission->templates, emission->plan->machine, "throttle.idle")
            : operation_form(emission->templates, emission->plan->machine, item, slot->dependent, false);
    enum status status = check_form(emission, slot, form);
    if (status != STATUS_OK)
        return status;
    if (item->kind == BEHAVIOUR_THROTTLE) /* in sequence, in their own pair */
        gpu_bind_pair(emission, GPU_PAIRS, 4, emission->operations++ % 2 == 1);
    else
        status = form_has(form, FORM_GROUP_TILE) ? gpu_group_begin(emission, item, output)
                                                 : bind_turn(emission, slot->item, form);
    if (status == STATUS_OK && slot->dependent)
        status = put_staged(emission, slot->unit, output);
    if (status == STATUS_OK)
        status = slot->dependent ? put_chased(emission, output) : put_divisor(emission, item, output);
    return status == STATUS_OK ? gpu_put_row(emission, form, output) : status;
}

enum status gpu_emit_body(struct gpu_emission *emission, struct buffer *output)
{
    const struct gpu_plan *plan = emission->plan;
    unsigned unit = UINT32_MAX;
    enum status status = STATUS_OK;
    emission->last_chase = -1;
    emission->links = memory_zeroed(plan->kernel->count + 1, sizeof *emission->links);
    emission->chain_pairs = memory_zeroed(plan->kernel->count + 1, sizeof *emission->chain_pairs);
    emission->copied = memory_zeroed(plan->kernel->count + 1, sizeof *emission->copied);
    for (size_t i = 0; status == STATUS_OK && i < plan->slot_count; i++) {
        if (plan->slots[i].unit != unit) {
            unit = plan->slots[i].unit;
            status = gpu_copies_commit(emission, output);
            if (status == STATUS_OK)
                status = gpu_group_end(emission, output);
            emission->staged = -1;
            buffer_printf(output, "    // unit %u\n", unit);
        }
        if (status == STATUS_OK)
            status = put_slot(emission, &plan->slots[i], i, output);
    }
    if (status == STATUS_OK)
        status = gpu_copies_commit(emission, output);
    if (status == STATUS_OK)
        status = gpu_group_end(emission, output);
    free(emission->copied);
    free(emission->links);
    free(emission->chain_pairs);
    return status;
}
