#include "runner/sources/bytes/bytes_sass.h"

#include "runner/sources/bytes/bytes_gpu_data.h"

#include "base/buffer.h"
#include "base/json.h"
#include "isa/sass/ptx_lines.h"
#include "isa/sass/sass.h"
#include "runner/sources/bytes/bytes_streams.h"
#include "runner/sources/bytes/ptxas.h"
#include "runner/sources/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which operation ---- */

/* A row fits an opcode whose first word it is and which has the type's letter, if the row has one. */
static const struct {
    const char *word;
    char type; /* 'f': floating point; 0: any */
    const char *op;
} rows[] = {
    {"ld", 0, "load"},     {"st", 0, "store"},
    {"atom", 0, "atomic"}, {"red", 0, "atomic"},
    {"bra", 0, "branch"},  {"add", 'f', "fadd"},
    {"add", 0, "add"},     {"sub", 'f', "fadd"},
    {"sub", 0, "sub"},     {"mul", 'f', "fmul"},
    {"mul", 0, "mul"},     {"div", 'f', "fdiv"},
    {"div", 0, "div"},     {"fma", 0, "fma"},
    {"mad", 'f', "fma"},   {"mad", 0, "mad"},
    {"sqrt", 0, "fsqrt"},  {"xor", 0, "xor"},
    {"shl", 0, "shift"},   {"shr", 0, "shift"},
    {"shf", 0, "shift"},   {"nanosleep", 0, "throttle"},
};

static bool is_floating(const char *opcode)
{
    const char *type = strrchr(opcode, '.');
    return type != NULL && (type[1] == 'f' || strcmp(type, ".bf16") == 0 || strcmp(type, ".bf16x2") == 0);
}

const char *bytes_ptx_op(const char *opcode)
{
    size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].word) == length && strncmp(rows[i].word, opcode, length) == 0 &&
            (rows[i].type == 0 || is_floating(opcode)))
            return rows[i].op;
    return NULL;
}

/* ---- the loop's statements ---- */

/* What one program came to; freed with its parts. */
struct view {
    struct ptxas_result made;
    struct buffer text; /* the disassembler's */
    struct ptx_lines lines;
    struct sass sass;
    struct sass_loop loop;
};

static void view_free(struct view *view)
{
    ptxas_free(&view->made);
    buffer_free(&view->text);
    ptx_lines_free(&view->lines);
    sass_free(&view->sass);
}

/* True when the loop has machine code made from the line. */
static bool has_code(const struct view *view, int line)
{
    for (size_t i = view->loop.first; i <= view->loop.last; i++)
        if (view->sass.code[i].line == line)
            return true;
    return false;
}

static void add(struct observations *list, const char *metric, double value, unsigned n)
{
    observations_add(list, metric, counter_bytes.name, counter_bytes.kind, value, value, value, n);
}

/* Operations that the loop has none of are seen to be none where some were promised. */
static void observe_statements(const json_t *targets, const struct view *view, struct observations *list)
{
    const struct ptx_lines *lines = &view->lines;
    unsigned counts[sizeof rows / sizeof rows[0]] = {0};
    unsigned body = 0;
    unsigned all = 0;
    for (int i = lines->loop; i <= lines->loop_end; i++) {
        if (lines->lines[i].statements == 0 || !has_code(view, i))
            continue;
        all++;
        body += i < lines->units_end;
        const char *op = i < lines->units_end ? bytes_ptx_op(lines->lines[i].opcode) : NULL;
        for (size_t j = 0; op != NULL && j < sizeof rows / sizeof rows[0]; j++)
            counts[j] += rows[j].op == op || strcmp(rows[j].op, op) == 0;
    }
    for (size_t i = 0; all > 0 && i < sizeof rows / sizeof rows[0]; i++) {
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "mix.%s", rows[i].op);
        bool wanted = counts[i] > 0 || json_object_get(targets, metric) != NULL;
        if (wanted && observations_find(list, metric, counter_bytes.name) == NULL)
            add(list, metric, (double)counts[i] / all, all);
    }
    if (all > 0)
        add(list, "body.share", (double)body / all, all);
}

/* The generator's own: sums of what was loaded, two of which may become one instruction, and what lies
 * between. */
static bool is_help(const struct ptx_line *line)
{
    static const char *const registers[] = {"%sum", "%word", "%t"};
    const char *operands = line->operands == NULL ? "" : line->operands + strspn(line->operands, " ");
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        if (strncmp(operands, registers[i], strlen(registers[i])) == 0)
            return true;
    return false;
}

/* What stands in the text and in no machine code was not needed, or was made one with a neighbour. */
static void warn_of_lost(const struct view *view, struct observations *list)
{
    const struct ptx_lines *lines = &view->lines;
    unsigned lost = 0;
    int first = 0;
    char what[192];
    for (int i = lines->loop; i < lines->units_end; i++) {
        if (lines->lines[i].statements == 0 || is_help(&lines->lines[i]) || has_code(view, i))
            continue;
        first = lost == 0 ? i : first;
        lost++;
    }
    if (lost == 0)
        return;
    snprintf(what, sizeof what,
             "ptxas made no machine code of %u of the loop's statements, the first of them line %d of "
             "program.ptx: %s",
             lost, first, lines->lines[first].opcode);
    if (list->warnings == NULL)
        list->warnings = json_array();
    json_array_append_new(list->warnings, json_pack("{s:s, s:n}", "what", what, "mend"));
}

/* ---- counts ---- */

static void add_count(struct observations *list, const char *name, double value)
{
    struct buffer key = {0};
    buffer_printf(&key, "sass.%s", name);
    if (list->counters == NULL)
        list->counters = json_object();
    value += json_number_or(json_object_get(list->counters, key.data), "value", 0);
    json_object_set_new(list->counters, key.data,
                        json_pack("{s:o, s:o, s:o, s:i}", "value", json_from_number(value), "low",
                                  json_from_number(value), "high", json_from_number(value), "n", 1));
    buffer_free(&key);
}

static void observe_counts(const struct view *view, struct observations *list)
{
    struct sass_access access;
    add_count(list, "registers", view->made.resources.registers);
    add_count(list, "instructions", (double)(view->loop.last - view->loop.first + 1));
    for (size_t i = view->loop.first; i <= view->loop.last; i++)
        if (sass_access_of(view->sass.code[i].mnemonic, &access))
            add_count(list, view->sass.code[i].mnemonic, 1);
}

/* ---- looking ---- */

/* That it was assembled is known also where what it became is not seen; spills may then be anywhere. */
static enum status disassemble(struct view *view, const char *arch, struct error *error)
{
    const struct ptxas_resources *resources = &view->made.resources;
    char spilled[96] = "none in local memory";
    enum status status = ptxas_disassemble(&view->made.cubin, &view->text, error);
    if (status == STATUS_OK)
        return status;
    if (resources->spill_stores + resources->spill_loads > 0)
        snprintf(spilled, sizeof spilled,
                 "%u bytes stored to and %u loaded from local memory, perhaps in the loop",
                 resources->spill_stores, resources->spill_loads);
    error_prefix(error,
                 "ptxas %s takes it for %s (%u registers, %s), but what it made of the loop was not seen",
                 view->made.version, arch, resources->registers, spilled);
    return status;
}

/* Those of the loop are accesses that the manifest does not say. */
static void warn_of_spills(const struct view *view, struct observations *list)
{
    char what[192];
    const struct ptxas_resources *resources = &view->made.resources;
    if (resources->spill_stores + resources->spill_loads == 0)
        return;
    snprintf(
        what, sizeof what,
        "ptxas keeps registers in local memory, %u bytes of stores and %u of loads a thread, all outside the "
        "measured loop",
        resources->spill_stores, resources->spill_loads);
    if (list->warnings == NULL)
        list->warnings = json_array();
    json_array_append_new(list->warnings, json_pack("{s:s, s:n}", "what", what, "mend"));
}

static enum status look(const struct test_program *test_program, struct view *view, struct error *error)
{
    const char *text = test_program->executable;
    const char *arch = json_string_or(test_program->manifest, "arch", NULL);
    if (arch == NULL)
        return error_set(error, STATUS_FAILED, "the manifest names no \"arch\"; expected one as \"sm_90\"");
    enum status status = ptxas_assemble(text, test_program->executable_size, arch, &view->made, error);
    if (status == STATUS_OK)
        status = ptx_lines_read(text, test_program->executable_size, &view->lines, error);
    if (status == STATUS_OK)
        status = disassemble(view, arch, error);
    if (status == STATUS_OK)
        status =
            sass_read(view->text.data, view->text.size,
                      json_string_or(test_program->manifest, "entry", "trauma_kernel"), &view->sass, error);
    if (status == STATUS_OK && !view->sass.has_lines) {
        status = error_set(error, STATUS_UNAVAILABLE,
                           "cuobjdump tells no lines of the PTX: which instructions are "
                           "the loop's units is not seen");
        error_hint(error, "nvdisasm does: `pip install nvidia-cuda-nvdisasm`");
    }
    return status == STATUS_OK
               ? sass_find_loop(&view->sass, view->lines.loop, view->lines.loop_end, &view->loop, error)
               : status;
}

enum status bytes_observe_sass(const struct test_program *test_program, struct observations *list,
                               struct error *error)
{
    struct view view = {.text = {0}};
    enum status status = bytes_observe_gpu_data(test_program, list, error);
    if (status == STATUS_OK)
        status = look(test_program, &view, error);
    if (status == STATUS_OK)
        status = bytes_check_streams(test_program->manifest, &view.sass, &view.loop, error);
    if (status == STATUS_OK) {
        observe_statements(json_object_get(test_program->manifest, "targets"), &view, list);
        observe_counts(&view, list);
        warn_of_spills(&view, list);
        warn_of_lost(&view, list);
    }
    view_free(&view);
    return status;
}
