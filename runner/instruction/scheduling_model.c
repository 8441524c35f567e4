#include "runner/instruction/scheduling_model.h"

#include "base/buffer.h"
#include "base/files/memory_file.h"
#include "runner/process/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 64 << 20, OPTION_BYTES = 96 };
static const double TIMEOUT_S = 120;

/* LLVM 19's and later ones can leave out instructions that a model lacks. */
static const char *const programs[] = {"llvm-mca-21", "llvm-mca-20", "llvm-mca-19", "llvm-mca"};

static const char *find_program(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (child_program_exists(programs[i]))
            return programs[i];
    return NULL;
}

static enum status run_program(const char *program, char *const *words, struct child_result *result,
                               struct error *error)
{
    const struct child_request request = {
        .path = program, .arguments = words, .cpu = -1, .timeout_s = TIMEOUT_S, .output_limit = OUTPUT_BYTES};
    return child_run(&request, result, error);
}

/* Under a hypervisor that gives the model number of an older processor: the processor by its features. */
static const struct {
    const char *vendor, *feature, *cpu;
} newer[] = {{"Intel", "amx_fp16", "graniterapids"}, {"Intel", "avx512_fp16", "sapphirerapids"}};

static bool is_newer_still(const char *cpu)
{
    static const char *const names[] = {"sapphirerapids", "emeraldrapids", "graniterapids",
                                        "graniterapids-d"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], cpu) == 0)
            return true;
    return false;
}

/* The present core's name: by its features, or as llvm-mca finds it. */
static enum status name_cpu(const char *program, const struct machine *machine, char cpu[MODEL_NAME_BYTES],
                            struct error *error)
{
    static const char title[] = "Host CPU:";
    char name[] = "llvm-mca", option[] = "--version";
    char *words[] = {name, option, NULL};
    struct child_result result = {0};
    enum status status = run_program(program, words, &result, error);
    const char *at =
        status == STATUS_OK && result.output.data != NULL ? strstr(result.output.data, title) : NULL;
    cpu[0] = '\0';
    if (at != NULL)
        (void)sscanf(at + strlen(title), "%63s", cpu);
    child_result_free(&result);
    for (size_t i = 0; i < sizeof newer / sizeof newer[0] && !is_newer_still(cpu); i++)
        if (strstr(machine->vendor, newer[i].vendor) != NULL && machine_has(machine, newer[i].feature))
            snprintf(cpu, MODEL_NAME_BYTES, "%s", newer[i].cpu);
    if (status == STATUS_OK && cpu[0] == '\0')
        status = error_set(error, STATUS_UNAVAILABLE, "%s --version does not name this processor", program);
    return status;
}

/* "[2] Code Region - 17", then the row below "Instructions:". */
static void read_rows(const char *text, size_t count, struct insn_model *models)
{
    static const char region[] = "Code Region - ", title[] = "Instructions:\n";
    for (const char *at = text; (at = strstr(at, region)) != NULL;) {
        char *end;
        at += strlen(region);
        unsigned long number = strtoul(at, &end, 10);
        const char *row = strstr(end, title), *next = strstr(end, region);
        if (end == at || row == NULL || number >= count || (next != NULL && row > next))
            continue;
        struct insn_model *model = &models[number];
        model->known = sscanf(row + strlen(title), "%u %lf %lf", &model->micro_operations, &model->latency,
                              &model->per_copy) == 3;
    }
}

static enum status run_tables(const char *program, const struct isa *isa, const char *cpu, const char *path,
                              struct child_result *result, struct error *error)
{
    /* Tables alone: LLVM 19 simulates some instructions without end. */
    char name[] = "llvm-mca", tables[] = "-instruction-tables", skip[] = "-skip-unsupported-instructions=any";
    char triple[OPTION_BYTES], core[OPTION_BYTES], file[MEMORY_FILE_PATH_BYTES];
    snprintf(triple, sizeof triple, "-mtriple=%s", isa->triple);
    snprintf(core, sizeof core, "-mcpu=%s", cpu);
    snprintf(file, sizeof file, "%s", path);
    char *words[] = {name, triple, core, tables, skip, file, NULL};
    return run_program(program, words, result, error);
}

enum status insn_models_read(const struct machine *machine, const char *const *texts, size_t count,
                             struct insn_model *models, char cpu[MODEL_NAME_BYTES], struct error *error)
{
    const struct isa *isa = isa_of_host();
    const char *program = find_program();
    struct buffer source = {0};
    struct child_result result = {0};
    char path[MEMORY_FILE_PATH_BYTES];
    int file = -1;
    memset(models, 0, count * sizeof *models);
    if (program == NULL || isa == NULL) {
        error_set(error, STATUS_UNAVAILABLE,
                  "llvm-mca, which has LLVM's scheduling models, is not installed");
        error_hint(error, "Debian has it in the package llvm");
        return STATUS_UNAVAILABLE;
    }
    enum status status = name_cpu(program, machine, cpu, error);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&source, "%s LLVM-MCA-BEGIN %zu\n    %s\n%s LLVM-MCA-END\n", isa->syntax.comment, i,
                      texts[i], isa->syntax.comment);
    if (status == STATUS_OK)
        status = memory_file_open(source.data, source.size, false, &file, error);
    if (status == STATUS_OK) {
        memory_file_path(path, file);
        status = run_tables(program, isa, cpu, path, &result, error);
    }
    if (status == STATUS_OK && result.output.data != NULL)
        read_rows(result.output.data, count, models);
    if (status == STATUS_FAILED) /* "unable to find instruction-level scheduling information" */
        error->code = status = STATUS_UNAVAILABLE;
    if (file >= 0)
        close(file);
    child_result_free(&result);
    buffer_free(&source);
    return status;
}
