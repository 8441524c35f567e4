#include "generator/suite/gpu_program.h"

#include "base/json.h"
#include "generator/emit/gpu_asm_gcn.h"
#include "generator/emit/gpu_emit.h"
#include "generator/plan/gpu/gpu_plan_make.h"
#include "isa/gcn/assemble.h"
#include "isa/gcn/elf.h"
#include "isa/gcn/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of a loop's code, so that the branches over it reach; of its text, before it is worth a look: an
 * instruction's has no fewer characters than bytes. */
enum { MOST_LOOP = 124 << 10, LEAST_TEXT = 100 << 10 };

/* Bytes that the text has as machine code. */
static enum status measure(const struct gpu_plan *plan, const char *text, size_t size, uint64_t *bytes,
                           struct error *error)
{
    struct buffer part = {0}, object = {0};
    struct gcn_elf elf;
    *bytes = 0;
    buffer_append(&part, text, size);
    buffer_text(&part, "");
    enum status status = gcn_assemble_object(plan->machine->gpu.arch, part.data, "program.s", &object, error);
    if (status == STATUS_OK)
        status = gcn_elf_open((const unsigned char *)object.data, object.size, &elf, error);
    for (unsigned i = 0; status == STATUS_OK && i < elf.section_count; i++) {
        struct gcn_section section;
        status = gcn_elf_section(&elf, i, &section, error);
        if (status == STATUS_OK && strcmp(section.name, ".text") == 0)
            *bytes = section.size;
    }
    buffer_free(&object);
    buffer_free(&part);
    return status;
}

/* The branches around the loop have 16 bits for the words that they pass over. */
static enum status check_loop(const struct gpu_plan *plan, const struct buffer *source, struct error *error)
{
    static const char first[] = "trauma_loop:\n", after[] = "trauma_advance:\n";
    const char *loop = strstr(source->data, first), *end = strstr(source->data, after);
    uint64_t bytes = 0;
    if (loop == NULL || end == NULL || (size_t)(end - loop) < LEAST_TEXT)
        return STATUS_OK;
    loop += strlen(first);
    enum status status = measure(plan, loop, (size_t)(end - loop), &bytes, error);
    if (status != STATUS_OK || bytes <= MOST_LOOP)
        return status;
    return error_set(
        error, STATUS_RECIPE,
        "the loop's %u units of %zu instructions are %" PRIu64 " KiB of code, and a branch of this "
        "processor reaches over 128 KiB, of which the loop can have %d; expected a shorter loop, by "
        "loop = { units = %u } or fewer",
        plan->units, plan->slot_count / plan->units, bytes >> 10, MOST_LOOP >> 10,
        (unsigned)(plan->units * (uint64_t)MOST_LOOP / bytes));
}

/* The text as machine code, for an ISA that LLVM assembles. */
static enum status assemble(const struct gpu_plan *plan, struct program *program, struct error *error)
{
    struct buffer object = {0};
    if (gpu_has_feature(plan->machine, "gfx10") && plan->machine->gpu.wave != 32)
        return error_set(error, STATUS_RECIPE,
                         "the machine %s has waves of %u: from GFX10 on expected gpu.wave = 32",
                         plan->machine->name, plan->machine->gpu.wave);
    enum status status = check_loop(plan, &program->source, error);
    if (status == STATUS_OK)
        status =
            gcn_assemble_object(plan->machine->gpu.arch, program->source.data, "program.s", &object, error);
    if (status == STATUS_OK)
        status = gcn_link(&object, plan->machine->gpu.arch, &program->object, error);
    buffer_free(&object);
    return status;
}

enum status gpu_program_write(const struct code_generator *code_generator, const json_t *point,
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
    for (size_t i = 0; status == STATUS_OK && strcmp(machine->isa, "gcn") == 0 && i < kernel.count; i++)
        if (kernel.items[i].base.is_asm)
            status = gpu_asm_gcn_check(machine->gpu.arch, &kernel.items[i].base, error);
    if (status == STATUS_OK)
        status = gpu_plan_make(&kernel, machine, &code_generator->templates, seed, label, &plan, error);
    if (status == STATUS_OK)
        status = gpu_emit(&plan, &code_generator->templates, label, &program->source, error);
    if (status == STATUS_OK && strcmp(machine->isa, "gcn") == 0)
        status = assemble(&plan, program, error);
    if (status == STATUS_OK && code_generator->beside.isa != NULL)
        status = gpu_emit(&plan, &code_generator->beside, label, &program->opencl, error);
    if (status == STATUS_OK)
        status = gpu_manifest_write(&plan, point, seed, program, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s", label);
    gpu_plan_free(&plan);
    arena_free(&arena);
    return status;
}
