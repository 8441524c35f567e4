/* Bindings of the names in a GPU's templates, and the rows that its architecture has. */
#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *gpu_register(const struct gpu_emission *emission, const char *role, unsigned index,
                         char text[BINDINGS_VALUE])
{
    const struct pool *pool = template_pool(emission->templates, role);
    if (pool != NULL)
        return pool->registers[index % pool->count];
    bool alone = strcmp(role, "zero") == 0 || strcmp(role, "odd") == 0 || strcmp(role, "all") == 0;
    const char *prefix = emission->templates->isa->register_prefix;
    snprintf(text, BINDINGS_VALUE, alone ? "%s%s" : "%s%s%u", prefix, role, index);
    return text;
}

void gpu_bind_register(struct gpu_emission *emission, const char *name, const char *role, unsigned index)
{
    char text[BINDINGS_VALUE];
    bindings_set(&emission->bindings, name, "%s", gpu_register(emission, role, index, text));
}

void gpu_bind_taken(struct gpu_emission *emission, bool diverges)
{
    const char *role = diverges ? "odd" : "all";
    const char *bound = bindings_value(&emission->bindings, role);
    if (bound != NULL)
        bindings_set(&emission->bindings, "taken", "%s", bound);
    else
        gpu_bind_register(emission, "taken", role, 0);
}

void gpu_bind_stream(struct gpu_emission *emission, unsigned index)
{
    static const char *const reaches[] = {[SCOPE_CTA] = "SCOPE_SE", /* a work-group's two compute units */
                                          [SCOPE_CLUSTER] = "SCOPE_DEV",
                                          [SCOPE_GPU] = "SCOPE_DEV",
                                          [SCOPE_SYS] = "SCOPE_SYS"};
    const struct gpu_stream *stream = &emission->plan->streams[index];
    bindings_set(&emission->bindings, "index", "%u", index);
    gpu_bind_register(emission, "stream", "s", index);
    gpu_bind_register(emission, "end", "e", index);
    gpu_bind_register(emission, "pointer", "pointer", index);
    gpu_bind_register(emission, "pointer_low", "pointer_low", index);
    gpu_bind_register(emission, "lanes", "lanes", index);
    gpu_bind_register(emission, "step", "step", index);
    bindings_set(&emission->bindings, "together", "%u", stream->together);
    enum atomic_scope scope = emission->plan->kernel->items[stream->item].scope;
    bindings_set(&emission->bindings, "word_shift", "%d",
                 stream->together < emission->plan->threads ? __builtin_ctz(stream->together | 1u << 31)
                                                            : 31);
    gpu_bind_register(emission, "worker", "worker", stream->together > 0);
    bindings_set(&emission->bindings, "scope", "%s", stream->atomic == NULL ? "" : atomic_scope_name(scope));
    bindings_set(&emission->bindings, "system", "%s", scope == SCOPE_SYS ? " sc1" : "");
    bindings_set(&emission->bindings, "reach", "%s", reaches[scope]);
    bindings_set(&emission->bindings, "bytes", "%" PRIu64, stream->bytes);
    bindings_set(&emission->bindings, "lane", "%" PRIu64, stream->lane);
    bindings_set(&emission->bindings, "block", "%" PRIu64, stream->block);
    bindings_set(&emission->bindings, "advance", "%" PRIu64, stream->advance);
    bindings_set(&emission->bindings, "data_offset", "%" PRIu64, stream->offset);
    bool shared = gpu_level_in_shared(stream->level);
    uint64_t start = shared ? gpu_shared_offset(emission->plan, index) : stream->offset;
    bindings_set(&emission->bindings, "data_end", "%" PRIu64, start + stream->bytes);
    gpu_bind_register(emission, "stored", "k", 3);
    gpu_bind_register(emission, "stored_2", "stored_2", 0);
    gpu_bind_register(emission, "stored_4", "stored_4", 0);
}

/* Binds four registers of a thread's part of a matrix, {%d4, %d5, %d6, %d7}, and two, for smaller parts. */
static void bind_tile(struct gpu_emission *emission, const char *name, const char *role, unsigned index)
{
    const char *prefix = emission->templates->isa->register_prefix;
    char text[BINDINGS_VALUE];
    size_t length = 0;
    for (unsigned i = 0; i < 4; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s%u", i == 0 ? "{" : ", ",
                                   prefix, role, 4 * index + i);
    bindings_set(&emission->bindings, name, "%s}", text);
    if (strcmp(name, "tile_int") == 0)
        bindings_set(&emission->bindings, "tile_int_2", "{%s%s%u, %s%s%u}", prefix, role, 4 * index, prefix,
                     role, 4 * index + 1);
}

void gpu_bind_factors(struct gpu_emission *emission, const char *first, unsigned from, const char *second,
                      unsigned second_from)
{
    static const struct {
        const char *name;
        bool first;
        unsigned count;
    } groups[] = {{"operand_a4", true, 4},
                  {"operand_a2", true, 2},
                  {"operand_a1", true, 1},
                  {"operand_b2", false, 2},
                  {"operand_b1", false, 1}};
    const char *prefix = emission->templates->isa->register_prefix;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        char text[BINDINGS_VALUE] = "{";
        size_t length = 1;
        for (unsigned k = 0; k < groups[i].count; k++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s%u", k == 0 ? "" : ", ",
                                       prefix, groups[i].first ? first : second,
                                       (groups[i].first ? from : second_from) + k);
        bindings_set(&emission->bindings, groups[i].name, "%s}", text);
    }
}

void gpu_bind_pair(struct gpu_emission *emission, unsigned index, unsigned width, bool turned)
{
    const char *even = width == 8 ? "g" : "a";
    const char *odd = width == 8 ? "h" : "b";
    bindings_set(&emission->bindings, "n", "%u", index);
    gpu_bind_register(emission, "accumulator", turned ? odd : even, index);
    gpu_bind_register(emission, "other", turned ? even : odd, index);
    gpu_bind_register(emission, "float", "x", index);
    gpu_bind_register(emission, "double", "p", index);
    gpu_bind_register(emission, "half", "z", index);
    gpu_bind_register(emission, "brain", "r", index);
    bind_tile(emission, "tile", "d", index);
    bind_tile(emission, "tile_int", "i", index);
    gpu_bind_factors(emission, turned ? "n" : "m", 0, "m", 4);
    if (template_pool(emission->templates, "g_low") != NULL) {
        gpu_bind_register(emission, "accumulator_low", turned ? "h_low" : "g_low", index);
        gpu_bind_register(emission, "accumulator_high", turned ? "h_high" : "g_high", index);
        gpu_bind_register(emission, "other_low", turned ? "g_low" : "h_low", index);
        gpu_bind_register(emission, "other_high", turned ? "g_high" : "h_high", index);
    }
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
        const struct form *form = operation_row(templates, emission->plan->machine, name);
        const char *second = form == NULL ? NULL : strstr(form->text, "; ");
        if (second != NULL) /* two instructions */
            bindings_set(&emission->bindings, name + sizeof prefix - 1, "%.*s\n    %s",
                         (int)(second - form->text), form->text, second + 2);
        else if (form != NULL)
            bindings_text(&emission->bindings, name + sizeof prefix - 1, form->text);
    }
}
