#include "generator/suite/program.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "generator/emit/code_program.h"
#include "generator/emit/emit.h"
#include "generator/kernel/kernel.h"
#include "generator/kernel/throttle.h"
#include "generator/plan/alias.h"
#include "generator/plan/code_plan.h"
#include "generator/plan/gaps.h"
#include "generator/plan/tuning.h"
#include "generator/suite/gpu_program.h"
#include "generator/suite/manifest.h"
#include "isa/assemble.h"
#include "isa/executable.h"
#include "isa/mc.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Passes of the standalone executable when it is not told how many: milliseconds for most loops. */
enum { DEFAULT_PASSES = 100000, MOST_ORDERS = 12, MOST_LOOKS = 4 };

/* The number of each is what start.s knows it by. */
static const char *const marker_names[] = {NULL, "gem5", "cpuid"};
enum { MARKER_KINDS = sizeof marker_names / sizeof marker_names[0] };

static enum status find_markers(const char *name, size_t *kind, struct error *error)
{
    *kind = 0;
    for (size_t i = 1; name != NULL && i < MARKER_KINDS; i++)
        if (strcmp(name, marker_names[i]) == 0)
            *kind = i;
    if (name == NULL || *kind != 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "there are no markers '%s'", name);
    suggest_hint(error, name, marker_names + 1, MARKER_KINDS - 1,
                 "gem5 has work_begin and work_end; cpuid has the magic instructions of Simics");
    return STATUS_USAGE;
}

static enum status assemble_start(struct code_generator *code_generator, size_t markers, struct error *error)
{
    const struct isa *isa = code_generator->templates.isa;
    const char *start = template_section(&code_generator->templates, "start");
    if (start == NULL)
        return error_set(error, STATUS_FAILED, "templates/%s/start.s has no section start", isa->name);
    struct buffer text = {0};
    buffer_printf(&text, ".set trauma_markers, %zu\n", markers);
    buffer_text(&text, start);
    enum status status = mc_assemble(isa, text.data, "start.s", &code_generator->start, error);
    if (status == STATUS_OK)
        status = executable_check_start(isa, &code_generator->start, error);
    buffer_free(&text);
    return status;
}

enum status code_generator_open(const char *isa, struct code_generator *code_generator, struct error *error)
{
    return code_generator_open_marked(isa, NULL, code_generator, error);
}

enum status code_generator_open_marked(const char *isa, const char *markers,
                                       struct code_generator *code_generator, struct error *error)
{
    memset(code_generator, 0, sizeof *code_generator);
    const struct isa *found = isa_find(isa);
    size_t kind;
    if (found == NULL)
        return error_set(error, STATUS_RECIPE, "no templates for the ISA %s", isa);
    char home[FILE_PATH_BYTES];
    enum status status = find_markers(markers, &kind, error);
    if (status != STATUS_OK)
        return status;
    code_generator->markers = marker_names[kind];
    status = paths_home(home, error);
    if (status == STATUS_OK)
        status = template_load(home, found, &code_generator->templates, error);
    if (status == STATUS_OK && found->beside != NULL)
        status = template_load(home, isa_find(found->beside), &code_generator->beside, error);
    if (status == STATUS_OK && found->start != NULL)
        status = assemble_start(code_generator, kind, error);
    if (status == STATUS_OK && found->start == NULL && markers != NULL)
        status =
            error_set(error, STATUS_USAGE, "--markers %s: they stand in programs of x86_64 alone", markers);
    return status;
}

void code_generator_close(struct code_generator *code_generator)
{
    template_free(&code_generator->templates);
    template_free(&code_generator->beside);
    buffer_free(&code_generator->start);
}

json_t *code_generator_operations(const struct code_generator *code_generator)
{
    return operations_describe(&code_generator->templates);
}

static enum status write_source(const struct code_generator *code_generator, struct plan *plan,
                                const struct plan_options *options, struct program *program,
                                struct error *error)
{
    const struct template *templates = &code_generator->templates;
    if (kernel_code(plan->kernel) != NULL)
        return code_program_write(plan, templates, options, &program->source, &program->object, error);
    buffer_free(&program->source);
    buffer_free(&program->object);
    struct known_lines known = {0};
    struct known_part part = {0};
    enum status status =
        emit_program(plan, templates, options->label, &program->source, &known, &part, error);
    if (status == STATUS_OK && part.lines != NULL)
        status = assemble_known(templates->assembly, &program->source, &part, "program.s", error);
    else if (status == STATUS_OK)
        status = assemble_text(templates->assembly, &program->source, "program.s", error);
    known_lines_free(&known);
    if (status == STATUS_OK)
        assembly_object(templates->assembly, templates->isa, &program->object);
    return status;
}

/* Gaps move what stands behind them, and so a jump may need a longer encoding: a second look settles that. */
static enum status settle_gaps(const struct code_generator *code_generator, struct plan *plan,
                               const struct plan_options *options, struct program *program, unsigned *clashes,
                               struct error *error)
{
    bool changed = true;
    enum status status = STATUS_OK;
    for (unsigned look = 0; status == STATUS_OK && changed && look < MOST_LOOKS; look++) {
        status = gaps_settle(plan, &code_generator->templates, &program->object, &changed, clashes, error);
        if (status == STATUS_OK && changed)
            status = write_source(code_generator, plan, options, program, error);
    }
    return status;
}

/* Source and object in the attempt-th order of the slots, with its branches settled. */
static enum status write_order(const struct code_generator *code_generator, struct plan *plan,
                               const struct plan_options *options, unsigned attempt, struct program *program,
                               unsigned *spoilt, struct error *error)
{
    bool changed = false;
    unsigned clashes = 0;
    bool ready = attempt == 0 && plan->as_shuffled;
    const struct isa *isa = code_generator->templates.isa;
    enum status status = ready ? STATUS_OK : plan_shuffle(plan, isa, options, attempt, error);
    plan->as_shuffled = false;
    if (status == STATUS_OK)
        status = write_source(code_generator, plan, options, program, error);
    if (status == STATUS_OK)
        status = settle_gaps(code_generator, plan, options, program, &clashes, error);
    if (status == STATUS_OK)
        status = alias_settle(plan, &code_generator->templates, &program->object, &changed, spoilt, error);
    if (status == STATUS_OK && changed)
        status = write_source(code_generator, plan, options, program, error);
    *spoilt += clashes;
    return status;
}

/* Orders are tried until one spoils no branch; else the one that spoils the fewest is taken. */
static enum status write_best_order(const struct code_generator *code_generator, struct plan *plan,
                                    const struct plan_options *options, struct program *program,
                                    struct error *error)
{
    unsigned best = 0;
    unsigned fewest = UINT_MAX;
    for (unsigned attempt = 0; attempt < MOST_ORDERS; attempt++) {
        unsigned spoilt = 0;
        enum status status = write_order(code_generator, plan, options, attempt, program, &spoilt, error);
        if (status != STATUS_OK || spoilt == 0)
            return status;
        if (spoilt < fewest) {
            fewest = spoilt;
            best = attempt;
        }
    }
    return write_order(code_generator, plan, options, best, program, &fewest, error);
}

/* Source, object and executable of a plan. */
static enum status build(const struct code_generator *code_generator, struct plan *plan,
                         const struct plan_options *options, struct program *program, struct error *error)
{
    enum status status = write_best_order(code_generator, plan, options, program, error);
    struct executable_request request = {.isa = code_generator->templates.isa,
                                         .start = &code_generator->start,
                                         .object = &program->object,
                                         .assembly = code_generator->templates.assembly,
                                         .data_bytes = plan->bytes,
                                         .data_align = plan->align,
                                         .code_align = plan->code == NULL ? 0 : plan->code->layout.align,
                                         .passes = DEFAULT_PASSES};
    return status == STATUS_OK ? executable_write(&request, &program->executable, error) : status;
}

struct build {
    const struct code_generator *code_generator;
    struct program *program;
};

static enum status build_plan(void *context, struct plan *plan, const struct plan_options *options,
                              struct error *error)
{
    const struct build *made = context;
    return build(made->code_generator, plan, options, made->program, error);
}

/* Plan and program. Where the kernel states L1I misses, the number of units goes by them too. */
static enum status plan_and_build(const struct code_generator *code_generator, const struct kernel *kernel,
                                  const struct machine *machine, const struct plan_options *options,
                                  struct plan *plan, struct program *program, struct error *error)
{
    struct build made = {code_generator, program};
    if (kernel_code(kernel) != NULL)
        return code_program_fit(kernel, machine, &code_generator->templates, options, plan, build_plan, &made,
                                error);
    enum status status = plan_make(kernel, machine, &code_generator->templates, options, plan, error);
    return status == STATUS_OK ? build(code_generator, plan, options, program, error) : status;
}

/* What calibration learnt of the point, where its document says so. */
static enum status read_tuning(const json_t *point, struct plan_tuning *tuning, struct error *error)
{
    const json_t *calibration = json_object_get(point, "calibration");
    if (calibration == NULL)
        return STATUS_OK;
    return tuning_from_json(json_object_get(calibration, "tuning"), NULL, tuning, error);
}

/* The kernel as the tuning aims it. Its loop is as long as that of the kernel asked for, where this has a
 * plan.
 */
static struct kernel aim(const struct code_generator *code_generator, const struct kernel *kernel,
                         const struct machine *machine, const struct plan_options *options,
                         struct arena *arena)
{
    struct kernel aimed = tuning_aim(options->tuning, kernel, machine, arena);
    struct plan plan = {0};
    bool moved = false;
    for (size_t i = 0; i < TUNING_RATES; i++)
        moved = moved || options->tuning->aimed[i];
    if (moved && kernel_code(kernel) == NULL &&
        plan_make(kernel, machine, &code_generator->templates, options, &plan, NULL) == STATUS_OK)
        tuning_keep_size(&aimed, plan.sizing.units, plan.sizing.period);
    plan_free(&plan);
    return aimed;
}

/* Copies of the point's program that run at once: threads, or the kernels of all cores. */
static unsigned count_copies(const json_t *point)
{
    double threads = json_number_or(point, "threads", 1);
    size_t together = json_array_size(json_object_get(point, "together"));
    return together > 1 ? (unsigned)together : threads > 1 ? (unsigned)threads : 1;
}

static enum status cpu_program_write(const struct code_generator *code_generator, const json_t *point,
                                     const struct machine *machine, uint64_t seed, struct program *program,
                                     struct error *error)
{
    memset(program, 0, sizeof *program);
    struct arena arena = {0};
    struct kernel kernel;
    struct plan plan = {0};
    char label[512];
    snprintf(label, sizeof label, "%s/%s", json_string_or(point, "benchmark", ""),
             json_string_or(point, "point", ""));
    struct plan_tuning tuning = {0};
    struct plan_options options = {
        .seed = seed, .label = label, .tuning = &tuning, .copies = count_copies(point)};
    enum status status = kernel_from_json(json_object_get(point, "kernel"), &arena, &kernel, error);
    if (status == STATUS_OK)
        status = throttle_fill(&kernel, machine, error);
    if (status == STATUS_OK)
        status = read_tuning(point, &tuning, error);
    struct kernel aimed = kernel;
    if (status == STATUS_OK && tuning_is_set(&tuning))
        aimed = aim(code_generator, &kernel, machine, &options, &arena);
    if (status == STATUS_OK)
        status = plan_and_build(code_generator, &aimed, machine, &options, &plan, program, error);
    if (status == STATUS_OK && tuning_is_set(&tuning))
        tuning_promise(&plan, &kernel);
    if (status == STATUS_OK)
        status = manifest_write(&plan, &code_generator->templates, point, seed, code_generator->markers,
                                program, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s", label);
    plan_free(&plan);
    arena_free(&arena);
    return status;
}

enum status program_write(const struct code_generator *code_generator, const json_t *point,
                          const struct machine *machine, uint64_t seed, struct program *program,
                          struct error *error)
{
    return code_generator->templates.isa->gpu
               ? gpu_program_write(code_generator, point, machine, seed, program, error)
               : cpu_program_write(code_generator, point, machine, seed, program, error);
}

enum status program_make(const struct code_generator *code_generator, const json_t *point,
                         const struct machine *machine, uint64_t seed, struct program *program,
                         struct error *error)
{
    enum status status = program_write(code_generator, point, machine, seed, program, error);
    if (status != STATUS_OK)
        return status;
    const struct buffer *text = &program->manifest_text;
    program->manifest = json_parse(text->data, text->size, "the manifest", error);
    return program->manifest == NULL ? error_set(error, STATUS_FAILED, "the manifest is no JSON") : STATUS_OK;
}

enum status program_make_reference(const struct code_generator *code_generator, const json_t *kernel_document,
                                   const struct machine *machine, const struct plan_options *options,
                                   struct program *program, struct error *error)
{
    memset(program, 0, sizeof *program);
    struct arena arena = {0};
    struct kernel kernel;
    struct plan plan = {0};
    enum status status = kernel_from_json(kernel_document, &arena, &kernel, error);
    if (status == STATUS_OK)
        status = throttle_fill(&kernel, machine, error);
    if (status == STATUS_OK)
        status = plan_and_build(code_generator, &kernel, machine, options, &plan, program, error);
    if (status == STATUS_OK)
        program->manifest =
            json_pack("{s:I, s:I, s:I, s:{s:o}, s:o}", "instructions",
                      (json_int_t)plan_instructions(&code_generator->templates, &plan, NULL), "period",
                      (json_int_t)code_plan_period(&plan), "warmup", (json_int_t)code_plan_warmup(&plan),
                      "data", "bases", manifest_bases(&plan), "expected", manifest_rates(&plan.expected));
    plan_free(&plan);
    arena_free(&arena);
    return status;
}

void program_free(struct program *program)
{
    buffer_free(&program->source);
    buffer_free(&program->object);
    buffer_free(&program->executable);
    buffer_free(&program->opencl);
    buffer_free(&program->manifest_text);
    json_decref(program->manifest);
    program->manifest = NULL;
}
