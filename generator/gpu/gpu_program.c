#include "generator/gpu/gpu_program.h"

#include "base/json.h"
#include "generator/gpu/gpu_emit.h"
#include "isa/gcn/assemble.h"
#include "isa/gcn/link.h"

#include <stdio.h>
#include <string.h>

/* The text as machine code, for an ISA that LLVM assembles. */
static enum status assemble(const struct gpu_plan *plan, struct program *program, struct error *error)
{
    struct buffer object = {0};
    if (gpu_has_feature(plan->machine, "gfx10") && plan->machine->gpu.wave != 32)
        return error_set(error, STATUS_RECIPE,
                         "the machine %s has waves of %u: from GFX10 on expected gpu.wave = 32",
                         plan->machine->name, plan->machine->gpu.wave);
    enum status status =
        gcn_assemble_object(plan->machine->gpu.arch, program->source.data, "program.s", &object, error);
    if (status == STATUS_OK)
        status = gcn_link(&object, plan->machine->gpu.arch, &program->object, error);
    buffer_free(&object);
    return status;
}

enum status gpu_program_write(const struct workshop *workshop, const json_t *point,
                              const struct machine *machine, uint64_t seed, struct program *program,
                              struct error *error)
{
    memset(program, 0, sizeof *program);
    struct arena arena = {0};
    struct gpu_kernel kernel;
    struct gpu_plan plan = {0};
    char label[512];
    snprintf(label, sizeof label, "%s/%s", json_string_or(point, "benchmark", ""),
             json_string_or(point, "point", ""));
    enum status status = gpu_kernel_read(point, &arena, &kernel, error);
    if (status == STATUS_OK)
        status = gpu_plan_make(&kernel, machine, &workshop->templates, seed, label, &plan, error);
    if (status == STATUS_OK)
        status = gpu_emit(&plan, &workshop->templates, label, &program->source, error);
    if (status == STATUS_OK && strcmp(machine->isa, "gcn") == 0)
        status = assemble(&plan, program, error);
    if (status == STATUS_OK && workshop->beside.isa != NULL)
        status = gpu_emit(&plan, &workshop->beside, label, &program->opencl, error);
    if (status == STATUS_OK)
        status = gpu_manifest_write(&plan, point, seed, program, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s", label);
    gpu_plan_free(&plan);
    arena_free(&arena);
    return status;
}
