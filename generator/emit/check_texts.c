#include "generator/emit/check_texts.h"

#include "base/arena.h"
#include "base/json.h"
#include "generator/emit/gpu_asm.h"
#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"
#include "generator/kernel/user_asm.h"
#include "generator/plan/registers.h"

static enum status check_processor(const struct template *templates, const json_t *point,
                                   const struct machine *machine, struct arena *arena, struct error *error)
{
    struct kernel kernel;
    struct registers registers;
    enum status status = kernel_from_point(point, templates->isa, arena, &kernel, error);
    if (status == STATUS_OK)
        status = operations_resolve(&kernel, machine, templates, error);
    if (status == STATUS_OK)
        status = registers_assign(templates, &kernel, arena, &registers, error);
    for (size_t i = 0; status == STATUS_OK && i < kernel.count; i++) {
        struct user_asm made;
        if (kernel.items[i].kind == BEHAVIOUR_ASM)
            status =
                user_asm_make(&kernel.items[i], registers.given[i], templates, machine, arena, &made, error);
    }
    return status;
}

static enum status check_gpu(const struct template *templates, const json_t *point,
                             const struct machine *machine, struct arena *arena, struct error *error)
{
    struct kernel kernel;
    struct gpu_emission emission = {
        .templates = templates, .bindings = {.templates = templates, .error = error}, .error = error};
    enum status status = kernel_from_point(point, templates->isa, arena, &kernel, error);
    for (size_t i = 0; status == STATUS_OK && i < kernel.count; i++) {
        struct buffer text = {0};
        if (kernel.items[i].kind == BEHAVIOUR_ASM)
            status = gpu_asm_check(emission.templates->isa, machine, &kernel.items[i], error);
        if (status == STATUS_OK && kernel.items[i].kind == BEHAVIOUR_ASM)
            status = gpu_emit_asm(&emission, &kernel.items[i], &text);
        buffer_free(&text);
    }
    return status;
}

enum status check_texts(const struct template *templates, const json_t *point, const struct machine *machine,
                        struct error *error)
{
    struct arena arena = {0};
    enum status status = templates->isa->gpu ? check_gpu(templates, point, machine, &arena, error)
                                             : check_processor(templates, point, machine, &arena, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s/%s", json_string_or(point, "benchmark", ""),
                     json_string_or(point, "point", ""));
    arena_free(&arena);
    return status;
}
