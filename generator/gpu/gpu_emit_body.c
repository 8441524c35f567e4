/* The loop of a GPU's program: its slots, one after the other. */
#include "generator/gpu/gpu_emission.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows hold instructions apart by "; "; a line each, with what ends it. */
static enum status put_row(struct gpu_emission *emission, const struct form *form, struct buffer *output)
{
    const char *at = form->text;
    char name[64];
    uint64_t version = 0;
    snprintf(name, sizeof name, "%.10s.%.50s", emission->templates->isa->name, form->name);
    if (template_word(emission->templates, name, &version) && version > emission->version)
        emission->version = (unsigned)version;
    while (*at != '\0') {
        const char *end = strstr(at, "; ");
        size_t size = end == NULL ? strlen(at) : (size_t)(end - at);
        buffer_text(output, "    ");
        enum status status = template_expand_part(emission->templates, at, size, emission->bindings,
                                                  emission->binding_count, output, emission->error);
        if (status != STATUS_OK)
            return status;
        buffer_text(output, ";\n");
        at += size + (end == NULL ? 0 : 2);
    }
    return STATUS_OK;
}

/* True when the machine's architecture has what the row needs. */
static bool has_feature(const struct machine *machine, const char *feature)
{
    static const char nvidia[] = "sm_";
    if (feature[0] == '\0')
        return true;
    if (strncmp(feature, nvidia, 3) == 0 && strncmp(machine->gpu.arch, nvidia, 3) == 0)
        return atoi(machine->gpu.arch + 3) >= atoi(feature + 3);
    return machine_has(machine, feature);
}

static enum status check_feature(const struct gpu_emission *emission, const struct gpu_slot *slot,
                                 const struct form *form)
{
    const struct gpu_behaviour *item = &emission->plan->kernel->items[slot->item];
    if (form == NULL)
        return error_set(emission->error, STATUS_RECIPE,
                         "the templates of %s have no row for %s of %u bytes%s",
                         emission->templates->isa->name, item->base.op, item->base.width,
                         slot->dependent ? " that consumes a load" : "");
    if (has_feature(emission->plan->machine, form->feature))
        return STATUS_OK;
    return error_set(emission->error, STATUS_RECIPE, "%s (%s) needs %s: the machine %s is %s", item->base.op,
                     form->name, form->feature, emission->plan->machine->name,
                     emission->plan->machine->gpu.arch);
}

/* ---- accesses ---- */

static void bind_values(struct gpu_emission *emission, unsigned width)
{
    unsigned first = emission->loads * 4 % GPU_VALUES;
    unsigned count = width / 4;
    char all[GPU_VALUE_BYTES] = "{";
    size_t length = 1;
    for (unsigned i = 0; i < count; i++)
        length +=
            (size_t)snprintf(all + length, sizeof all - length, "%s%%v%u", i == 0 ? "" : ", ", first + i);
    snprintf(all + length, sizeof all - length, "}");
    gpu_bind(emission, "value", "%%v%u", first);
    gpu_bind(emission, "value_1", "%%v%u", first + 1);
    gpu_bind(emission, "value_2", "%%v%u", first + 2);
    gpu_bind(emission, "value_3", "%%v%u", first + 3);
    gpu_bind(emission, "values", "%s", all);
    gpu_bind(emission, "sum", "%%sum%u", emission->loads % GPU_SUMS);
    gpu_bind(emission, "loaded", "%%v%u", first);
}

static enum status put_named(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    const struct form *form = template_form(emission->templates, name);
    if (form == NULL)
        return error_set(emission->error, STATUS_FAILED, "templates/%s has no row %s",
                         emission->templates->isa->name, name);
    return put_row(emission, form, output);
}

/* A chase waits for the one before it also where that is another stream's. */
static enum status link_chases(struct gpu_emission *emission, const struct gpu_slot *slot,
                               struct buffer *output)
{
    int last = emission->last_chase;
    emission->last_chase = slot->stream;
    if (last < 0 || last == slot->stream)
        return STATUS_OK;
    gpu_bind(emission, "last", "%%s%d", last);
    return put_named(emission, "link", output);
}

static enum status put_access(struct gpu_emission *emission, const struct gpu_slot *slot,
                              struct buffer *output)
{
    const struct gpu_stream *stream = &emission->plan->streams[slot->stream];
    const struct form *form = gpu_access_form(emission->templates, stream);
    uint64_t displacement = gpu_slot_displacement(stream, slot->index);
    enum status status = check_feature(emission, slot, form);
    gpu_bind_stream(emission, (unsigned)slot->stream);
    gpu_bind(emission, "disp", displacement == 0 ? "%s" : "%s%" PRIu64, displacement == 0 ? "" : "+",
             displacement);
    if (stream->chase) {
        if (status == STATUS_OK)
            status = link_chases(emission, slot, output);
        return status == STATUS_OK ? put_row(emission, form, output) : status;
    }
    /* The same place again: the assembler must not know that it is. */
    if (status == STATUS_OK && slot->index > 0 && slot->index % stream->rows == 0)
        status = gpu_section(emission, "renew", output);
    bind_values(emission, stream->width);
    if (status == STATUS_OK)
        status = put_row(emission, form, output);
    if (stream->store || status != STATUS_OK)
        return status;
    char name[32];
    snprintf(name, sizeof name, "consume.%u", stream->width);
    emission->loads++;
    return put_named(emission, name, output);
}

/* ---- operations ---- */

const struct form *gpu_operation_form(const struct template *templates, const struct gpu_behaviour *item,
                                      bool dependent)
{
    char name[96];
    snprintf(name, sizeof name, "%.40s%s%s", item->base.op, dependent ? ".dependent" : "",
             item->base.width == 8 ? ".8" : "");
    return template_form(templates, name);
}

/* A chain of so many goes on in its pair; without one, every operation takes the next pair. */
static void bind_turn(struct gpu_emission *emission, const struct gpu_behaviour *item)
{
    unsigned length = item->base.chain > 0 ? item->base.chain : 1;
    unsigned number = emission->operations / length;
    bool turned = item->base.chain > 0 ? emission->operations % 2 == 1 : number / GPU_PAIRS % 2 == 1;
    gpu_bind_pair(emission, number % GPU_PAIRS, item->base.width, turned);
    emission->operations++;
}

static enum status put_branch(struct gpu_emission *emission, const struct gpu_slot *slot, size_t index,
                              struct buffer *output)
{
    gpu_bind_pair(emission, emission->operations++ % GPU_PAIRS, 4, false);
    gpu_bind(emission, "slot", "%zu", index);
    gpu_bind(emission, "taken", "%s", slot->diverges ? "%odd" : "%all");
    return gpu_section(emission, "branch", output);
}

static enum status put_slot(struct gpu_emission *emission, const struct gpu_slot *slot, size_t index,
                            struct buffer *output)
{
    const struct gpu_behaviour *item = &emission->plan->kernel->items[slot->item];
    if (slot->stream >= 0)
        return put_access(emission, slot, output);
    if (item->kind == GPU_BRANCH)
        return put_branch(emission, slot, index, output);
    if (item->kind == GPU_ASM) {
        buffer_printf(output, "    %s\n", item->base.text);
        return STATUS_OK;
    }
    const struct form *form = item->kind == GPU_THROTTLE
                                  ? template_form(emission->templates, "idle")
                                  : gpu_operation_form(emission->templates, item, slot->dependent);
    enum status status = check_feature(emission, slot, form);
    if (status != STATUS_OK)
        return status;
    if (item->kind == GPU_THROTTLE) /* one after the other, in a pair of their own */
        gpu_bind_pair(emission, GPU_PAIRS, 4, emission->operations++ % 2 == 1);
    else
        bind_turn(emission, item);
    return put_row(emission, form, output);
}

enum status gpu_emit_body(struct gpu_emission *emission, struct buffer *output)
{
    const struct gpu_plan *plan = emission->plan;
    unsigned unit = UINT32_MAX;
    enum status status = STATUS_OK;
    emission->last_chase = -1;
    for (size_t i = 0; status == STATUS_OK && i < plan->slot_count; i++) {
        if (plan->slots[i].unit != unit) {
            unit = plan->slots[i].unit;
            buffer_printf(output, "    // unit %u\n", unit);
        }
        status = put_slot(emission, &plan->slots[i], i, output);
    }
    return status;
}
