/* Bindings of the names in a GPU's templates, and the rows that its architecture has. */
#include "generator/emit/gpu_emission.h"
#include "isa/gcn/target.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name's index, new or existing; GPU_BINDINGS if there is no room: then nothing more is expanded. */
static size_t find_binding(struct gpu_emission *emission, const char *name)
{
    size_t i = 0;
    while (i < emission->binding_count && strcmp(emission->bindings[i].name, name) != 0)
        i++;
    if (i == GPU_BINDINGS)
        emission->lacks_room = name;
    else if (i == emission->binding_count)
        emission->binding_count++;
    return i;
}

void gpu_bind(struct gpu_emission *emission, const char *name, const char *format, ...)
{
    size_t i = find_binding(emission, name);
    if (i == GPU_BINDINGS)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(emission->values[i], sizeof emission->values[i], format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof emission->values[i])
        emission->lacks_room = name;
    emission->bindings[i] = (struct binding){name, emission->values[i]};
}

void gpu_bind_text(struct gpu_emission *emission, const char *name, const char *text)
{
    size_t i = find_binding(emission, name);
    if (i < GPU_BINDINGS)
        emission->bindings[i] = (struct binding){name, text == NULL ? "" : text};
}

enum status gpu_bound(const struct gpu_emission *emission)
{
    if (emission->lacks_room == NULL)
        return STATUS_OK;
    return error_set(
        emission->error, STATUS_FAILED,
        "templates/%s: there is no room to bind {%s}; expected at most %d names, the rows bind.* among "
        "them, and values of less than %d bytes",
        emission->templates->isa->name, emission->lacks_room, GPU_BINDINGS, GPU_VALUE_BYTES);
}

enum status gpu_section(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    const char *text = template_section(emission->templates, name);
    enum status status = gpu_bound(emission);
    if (status != STATUS_OK)
        return status;
    if (text == NULL)
        return error_set(emission->error, STATUS_FAILED, "templates/%s/%s has no section %s",
                         emission->templates->isa->name, emission->templates->isa->skeleton, name);
    return template_expand(emission->templates, text, emission->bindings, emission->binding_count, output,
                           emission->error);
}

enum status gpu_section_if(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    bool there = template_section(emission->templates, name) != NULL;
    return there ? gpu_section(emission, name, output) : STATUS_OK;
}

const char *gpu_register(const struct gpu_emission *emission, const char *role, unsigned index,
                         char text[GPU_VALUE_BYTES])
{
    const struct pool *pool = template_pool(emission->templates, role);
    if (pool != NULL)
        return pool->registers[index % pool->count];
    bool alone = strcmp(role, "zero") == 0 || strcmp(role, "odd") == 0 || strcmp(role, "all") == 0;
    const char *prefix = emission->templates->isa->register_prefix;
    snprintf(text, GPU_VALUE_BYTES, alone ? "%s%s" : "%s%s%u", prefix, role, index);
    return text;
}

void gpu_bind_register(struct gpu_emission *emission, const char *name, const char *role, unsigned index)
{
    char text[GPU_VALUE_BYTES];
    gpu_bind(emission, name, "%s", gpu_register(emission, role, index, text));
}

void gpu_bind_taken(struct gpu_emission *emission, bool diverges)
{
    const char *role = diverges ? "odd" : "all";
    for (size_t i = 0; i < emission->binding_count; i++)
        if (strcmp(emission->bindings[i].name, role) == 0) {
            gpu_bind(emission, "taken", "%s", emission->bindings[i].value);
            return;
        }
    gpu_bind_register(emission, "taken", role, 0);
}

void gpu_bind_stream(struct gpu_emission *emission, unsigned index)
{
    const struct gpu_stream *stream = &emission->plan->streams[index];
    gpu_bind(emission, "index", "%u", index);
    gpu_bind_register(emission, "stream", "s", index);
    gpu_bind_register(emission, "end", "e", index);
    gpu_bind_register(emission, "pointer", "pointer", index);
    gpu_bind_register(emission, "pointer_low", "pointer_low", index);
    gpu_bind_register(emission, "lanes", "lanes", index);
    gpu_bind_register(emission, "step", "step", index);
    gpu_bind(emission, "bytes", "%" PRIu64, stream->bytes);
    gpu_bind(emission, "lane", "%" PRIu64, stream->lane);
    gpu_bind(emission, "block", "%" PRIu64, stream->block);
    gpu_bind(emission, "advance", "%" PRIu64, stream->advance);
    gpu_bind(emission, "data_offset", "%" PRIu64, stream->offset);
    uint64_t start = stream->level == GPU_SHARED ? gpu_shared_offset(emission->plan, index) : stream->offset;
    gpu_bind(emission, "data_end", "%" PRIu64, start + stream->bytes);
    gpu_bind_register(emission, "stored", "k", 3);
    gpu_bind_register(emission, "stored_2", "stored_2", 0);
    gpu_bind_register(emission, "stored_4", "stored_4", 0);
}

void gpu_bind_pair(struct gpu_emission *emission, unsigned index, unsigned width, bool turned)
{
    const char *even = width == 8 ? "g" : "a";
    const char *odd = width == 8 ? "h" : "b";
    gpu_bind(emission, "n", "%u", index);
    gpu_bind_register(emission, "accumulator", turned ? odd : even, index);
    gpu_bind_register(emission, "other", turned ? even : odd, index);
    gpu_bind_register(emission, "float", "x", index);
    gpu_bind_register(emission, "double", "p", index);
}

/* ---- rows ---- */

void gpu_bind_rows(struct gpu_emission *emission)
{
    static const char prefix[] = "bind.";
    const struct template *templates = emission->templates;
    for (size_t i = 0; i < templates->form_count; i++) {
        const char *name = templates->forms[i].name;
        if (strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        const struct form *form = gpu_form(templates, emission->plan->machine, name);
        if (form != NULL)
            gpu_bind_text(emission, name + sizeof prefix - 1, form->text);
    }
}

static unsigned generation(const char *arch)
{
    const struct gcn_target *target = gcn_target_named(arch); /* includes "gfx11-generic" */
    size_t length = strlen(arch);
    if (target != NULL)
        return target->generation;
    return length > 5
               ? (unsigned)strtoul(arch + 3, NULL, 10) / (isdigit((unsigned char)arch[length - 1]) ? 100 : 10)
               : 0;
}

bool gpu_has_feature(const struct machine *machine, const char *feature)
{
    const char *arch = machine->gpu.arch;
    if (feature[0] == '\0')
        return true;
    if (strncmp(feature, "sm_", 3) == 0 && strncmp(arch, "sm_", 3) == 0)
        return atoi(arch + 3) >= atoi(feature + 3);
    if (strcmp(feature, arch) == 0)
        return true;
    if (strcmp(feature, "xcc") == 0) {
        const struct gcn_target *target = gcn_target_named(arch);
        return target != NULL && (target->traits & GCN_XCC) != 0;
    }
    if (strncmp(feature, "wave", 4) == 0)
        return machine->gpu.wave == (unsigned)atoi(feature + 4);
    if (strncmp(feature, "gfx", 3) == 0 && strncmp(arch, "gfx", 3) == 0 && strlen(feature) <= 5)
        return generation(arch) >= (unsigned)atoi(feature + 3);
    return machine_has(machine, feature);
}

const struct form *gpu_form(const struct template *templates, const struct machine *machine, const char *name)
{
    const struct form *form = template_form(templates, name);
    while (form != NULL && !gpu_has_feature(machine, form->feature))
        form = template_next(templates, name, form);
    return form;
}
