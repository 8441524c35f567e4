#include "runner/sources/wave/wave_parts.h"

#include "base/memory.h"
#include "base/text/names.h"
#include "generator/kernel/operations.h"
#include "generator/suite/code_generator.h"
#include "runner/sources/gpu/grid_flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MOST_AROUND: waits, tests, and s_nop up to the next 64 bytes. */
enum { MOST_COUNT = 1 << 24, NAME_BYTES = 96, MOST_AROUND = 24 };

/* The number of such operations in one side of a branch. */
static uint64_t of_side(const struct template *templates, const char *op)
{
    const char *line = template_section(templates, "branch");
    uint64_t count = 0;
    for (; line != NULL; line = strchr(line + 1, '\n'))
        count += template_counts(templates, line + strspn(line, " \n"), op);
    return count / 2;
}

/* The number of such operations in the branches of all passes: waves execute one side of each branch, and
 * both where lanes diverge. */
static uint64_t of_branches(const struct template *templates, const struct wave_passes *passes,
                            const struct wave_result *result, const char *op)
{
    uint64_t sides = result->branches + result->diverged;
    return passes->measured == 0 ? 0 : of_side(templates, op) * (sides * passes->all / passes->measured);
}

/* A number of the manifest, which is untrusted; 0 if it is out of range. */
static uint64_t whole_of(double stated)
{
    return stated > 0 && stated < (double)MOST_COUNT ? (uint64_t)stated : 0;
}

/* The number of such operations in the row of the item. */
static uint64_t row_count(const struct test_program *test_program, const struct template *templates,
                          const struct manifest_item *item)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.60s%s", item->op, item->width == 8 ? ".8" : "");
    const struct form *form = operation_row(templates, test_program->machine, name);
    return form == NULL ? 0 : template_count(templates, form, item->op);
}

/* Instructions of the operation in one pass. An item without a count has one. */
static uint64_t stated_of(const struct test_program *test_program, const struct template *templates,
                          const char *op)
{
    const struct manifest *manifest = test_program->manifest;
    uint64_t count = 0;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        if (strcmp(item->op, op) == 0)
            count += (item->count > 0 ? whole_of(item->count) : 1) * row_count(test_program, templates, item);
    }
    return count * whole_of(manifest->units);
}

static uint64_t seen_of(const struct wave_tally *tally, size_t tally_count, const struct template *templates,
                        const char *op)
{
    uint64_t times = 0;
    for (size_t i = 0; i < tally_count; i++)
        if (template_counts(templates, tally[i].name, op))
            times += tally[i].times;
    return times;
}

/* Compares the numbers of all operations that recipes may use, also of those that the kernel does not
 * have. */
static enum status compare(const struct test_program *test_program, const struct template *templates,
                           const struct wave_result *result, const struct wave_passes *passes,
                           struct error *error)
{
    for (size_t i = 0; i < templates->form_count; i++) {
        const char *op = templates->forms[i].name;
        if (!grid_flow_is_operation(op))
            continue;
        uint64_t wanted =
            stated_of(test_program, templates, op) * passes->all + of_branches(templates, passes, result, op);
        uint64_t seen = seen_of(result->tally, result->tally_count, templates, op);
        if (seen == wanted || (strcmp(op, "nop") == 0 && seen > wanted)) /* idle instructions and hazards */
            continue;
        return error_set(error, STATUS_FAILED,
                         "waves execute %s %" PRIu64 " times in %" PRIu64
                         " passes of their loop; by the kernel in the manifest it would be %" PRIu64,
                         op, seen, passes->all, wanted);
    }
    return STATUS_OK;
}

/* ---- the loop's order and data flow ---- */

static struct grid_span span_of(unsigned code, unsigned count)
{
    return code == GCN_NO_OPERAND ? (struct grid_span){0, 0} : (struct grid_span){code, count};
}

/* The registers of FLAT, GLOBAL and MUBUF: a load's result, a store's data, and the address. */
static void memory_spans(const struct gcn_instruction *in, struct grid_step *step)
{
    bool buffer = in->row->format == GCN_MUBUF;
    unsigned out = gcn_letter_dwords(gcn_letter_out(in->row, 0));
    unsigned data = gcn_letter_dwords(gcn_letter_in(in->row, 0));
    if (out == 0 && data == 0)
        return;
    bool atomic = out > 0 && data > 0, returns = !atomic || (in->modifiers & GCN_GLC) != 0;
    step->kind = atomic ? GRID_ATOMIC : out > 0 ? GRID_LOAD : GRID_STORE;
    step->writes[0] = span_of(in->dst, returns ? out : 0);
    step->reads[0] = span_of(in->src[0], buffer ? 1 : 2);
    step->reads[1] = span_of(buffer ? in->dst : in->src[1], data);
}

static void shared_spans(const struct gcn_instruction *in, struct grid_step *step)
{
    unsigned out = gcn_letter_dwords(gcn_letter_out(in->row, 0));
    bool moves = strncmp(in->row->name, "ds_read", 7) == 0 || strncmp(in->row->name, "ds_write", 8) == 0;
    step->kind = !moves ? GRID_ATOMIC : out > 0 ? GRID_LOAD : GRID_STORE;
    step->writes[0] = span_of(in->dst, out);
    for (unsigned i = 0; i < 2; i++)
        step->reads[i] = span_of(in->src[1 + i], gcn_letter_dwords(gcn_letter_in(in->row, i)));
}

static void operand_spans(const struct gcn_instruction *in, struct grid_step *step)
{
    step->writes[0] = span_of(in->dst, gcn_letter_dwords(gcn_letter_out(in->row, 0)));
    step->writes[1] = span_of(in->dst2, gcn_letter_dwords(gcn_letter_out(in->row, 1)));
    for (unsigned i = 0; i < 3; i++)
        step->reads[i] = span_of(in->src[i], gcn_letter_dwords(gcn_letter_in(in->row, i)));
}

/* Compares order, dependents and chains of the loop with the manifest's kernel. */
static enum status compare_flow(const struct test_program *test_program, const struct template *templates,
                                const struct wave_result *result, size_t *of_units, struct error *error)
{
    static const char waits[] = "s_waitcnt,s_wait_loadcnt,s_wait_dscnt,s_wait_loadcnt_dscnt"; /* for loads */
    struct grid_step *steps = memory_zeroed(result->loop_count, sizeof *steps);
    char(*names)[GCN_NAME_BYTES] = memory_zeroed(result->loop_count, sizeof *names);
    for (size_t i = 0; i < result->loop_count; i++) {
        const struct gcn_instruction *in = &result->loop[i].in;
        steps[i] = (struct grid_step){.name = gcn_row_name(in->row, result->target_generation, names[i]),
                                      .also = in->row->name,
                                      .waits = names_contain(waits, in->row->name),
                                      .has_number = in->row->format == GCN_SOPP,
                                      .number = in->number,
                                      .offset = result->loop[i].offset};
        if (in->row->format >= GCN_FLAT)
            memory_spans(in, &steps[i]);
        else if (in->row->format == GCN_DS)
            shared_spans(in, &steps[i]);
        else
            operand_spans(in, &steps[i]);
    }
    enum status status = STATUS_OK;
    if (result->loop_count > 0)
        status = grid_flow_check(test_program->manifest, test_program->machine, templates, steps,
                                 result->loop_count, of_units, error);
    free(steps);
    free(names);
    return status;
}

enum status wave_operations_check(const struct test_program *test_program, const struct wave_result *result,
                                  const struct wave_passes *passes, size_t *of_units, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    struct code_generator generator;
    *of_units = 0;
    if (manifest->unit_count == 0 || grid_flow_has_asm(manifest)) /* 0: it states no kernel */
        return STATUS_OK;
    enum status status = code_generator_open("gcn", &generator, error);
    if (status == STATUS_OK)
        status = compare(test_program, &generator.templates, result, passes, error);
    if (status == STATUS_OK)
        status = compare_flow(test_program, &generator.templates, result, of_units, error);
    code_generator_close(&generator);
    return status;
}

/* True for an instruction that the templates' programs have there: waits, tests for passes, and fillers up to
 * the loop's alignment. */
static bool may_be_around(const struct gcn_instruction *in)
{
    static const char *const starts[] = {"s_waitcnt", "s_wait_",   "s_cbranch_scc",
                                         "s_or_b32",  "s_memtime", "s_sendmsg_rtn"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(in->row->name, starts[i], strlen(starts[i])) == 0)
            return true;
    return strcmp(in->row->name, "s_nop") == 0 && in->number == 0;
}

enum status wave_operations_around(const struct wave_result *result, struct error *error)
{
    uint64_t once = 0;
    for (size_t i = 0; i < result->around_count; i++)
        if (strncmp(result->around[i].in.row->name, "s_memtime", 9) == 0 ||
            strncmp(result->around[i].in.row->name, "s_sendmsg_rtn", 13) == 0)
            once = result->around[i].times > once ? result->around[i].times : once;
    for (size_t i = 0; i < result->around_count; i++) {
        const struct wave_loop_step *step = &result->around[i];
        if (!may_be_around(&step->in))
            return error_set(error, STATUS_FAILED,
                             "waves execute %s at 0x%" PRIx64
                             " of the code between a clock read and the loop: "
                             "expected nothing but waits, and the test whether there are passes",
                             step->in.row->name, step->offset);
        if (step->times > once)
            return error_set(error, STATUS_FAILED,
                             "waves execute %s at 0x%" PRIx64 " of the code %" PRIu64
                             " times between clock reads and the loop: expected once in each of %" PRIu64
                             " intervals",
                             step->in.row->name, step->offset, step->times, once);
    }
    if (result->around_count > MOST_AROUND)
        return error_set(
            error, STATUS_FAILED,
            "waves execute %zu instructions between clock reads and the loop: expected at most %d",
            result->around_count, MOST_AROUND);
    return STATUS_OK;
}

/* Counts the loop's instructions by row. Each row is named once, as finding names is slow, and the tally is
 * searched for every operation. */
static struct wave_tally *loop_tally(const struct wave_result *result, size_t *count)
{
    const struct gcn_row **rows = memory_zeroed(result->loop_count, sizeof *rows);
    struct wave_tally *tally = memory_zeroed(result->loop_count, sizeof *tally);
    *count = 0;
    for (size_t i = 0; i < result->loop_count; i++) {
        size_t at = 0;
        while (at < *count && rows[at] != result->loop[i].in.row)
            at++;
        if (at == *count) {
            rows[(*count)++] = result->loop[i].in.row;
            gcn_row_name(rows[at], result->target_generation, tally[at].name);
        }
        tally[at].times++;
    }
    free(rows);
    return tally;
}

enum status wave_operations_observe(const struct test_program *test_program, const struct wave_result *result,
                                    size_t of_units, struct observations *list, struct error *error)
{
    struct code_generator generator;
    if (!result->clocked || result->loop_count == 0)
        return STATUS_OK;
    double loop = (double)result->loop_count;
    if (of_units > 0)
        source_add_share(&counter_wave, list, "body.share", (double)of_units, loop);
    enum status status = code_generator_open("gcn", &generator, error);
    const struct template *templates = &generator.templates;
    size_t tally_count;
    struct wave_tally *tally = loop_tally(result, &tally_count);
    for (size_t i = 0; status == STATUS_OK && i < templates->form_count; i++) {
        char op[METRIC_BYTES], metric[METRIC_BYTES + 4];
        const char *form = templates->forms[i].name;
        snprintf(op, sizeof op, "%.*s", (int)strcspn(form, ".@"), form);
        snprintf(metric, sizeof metric, "mix.%s", op);
        bool others = strcmp(op, "bind") == 0 || strcmp(op, "scalar") == 0 || strcmp(op, "throttle") == 0;
        if (others || observations_find(list, metric, "wave") != NULL)
            continue;
        uint64_t count = seen_of(tally, tally_count, templates, op);
        if (count > 0 || manifest_bounds(test_program->manifest, metric) != NULL ||
            manifest_has_target(test_program->manifest, metric))
            source_add_share(&counter_wave, list, metric, (double)count, loop);
    }
    free(tally);
    code_generator_close(&generator);
    return status;
}
