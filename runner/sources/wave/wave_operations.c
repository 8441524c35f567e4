#include "runner/sources/wave/wave_operations.h"

#include "generator/suite/code_generator.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_COUNT = 1 << 24 };

/* Beside the kernel's own: idle instructions and hazards take s_nop, and each side of a diverging branch
 * multiplies. */
static bool has_others(const struct manifest *manifest, const char *op)
{
    if (strcmp(op, "nop") == 0)
        return true;
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (strcmp(manifest->unit[i].op, "branch") == 0 && strcmp(op, "mul") == 0)
            return true;
    return false;
}

/* A number of the manifest, which is untrusted; 0 for one that counts nothing. */
static uint64_t whole_of(double stated)
{
    return stated > 0 && stated < (double)MOST_COUNT ? (uint64_t)stated : 0;
}

/* Instructions of the operation in one pass; a count that the manifest leaves out is 1. */
static uint64_t stated_of(const struct manifest *manifest, const struct template *templates, const char *op)
{
    uint64_t count = 0;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        const struct form *form = template_form(templates, item->op);
        if (strcmp(item->op, op) == 0 && form != NULL)
            count += (item->count > 0 ? whole_of(item->count) : 1) * template_count(templates, form, op);
    }
    return count * whole_of(manifest->units);
}

static uint64_t seen_of(const struct wave_result *result, const struct template *templates, const char *op)
{
    uint64_t times = 0;
    for (size_t i = 0; i < result->tally_count; i++)
        if (template_counts(templates, result->tally[i].name, op))
            times += result->tally[i].times;
    return times;
}

static bool is_operation(const char *op)
{
    static const char *const others[] = {"load", "store", "branch", "throttle", "asm"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(op, others[i]) == 0)
            return false;
    return true;
}

/* All operations that recipes may use, so that one that the kernel does not have is found too. */
static enum status compare(const struct manifest *manifest, const struct template *templates,
                           const struct wave_result *result, uint64_t passes, struct error *error)
{
    for (size_t i = 0; i < templates->form_count; i++) {
        const char *op = templates->forms[i].name;
        if (!is_operation(op) || strpbrk(op, ".@") != NULL)
            continue;
        uint64_t wanted = stated_of(manifest, templates, op) * passes;
        uint64_t seen = seen_of(result, templates, op);
        if (seen == wanted || (has_others(manifest, op) && seen > wanted))
            continue;
        return error_set(error, STATUS_FAILED,
                         "waves execute %s %" PRIu64 " times in %" PRIu64
                         " passes of their loop; by the kernel in the manifest it would be %" PRIu64,
                         op, seen, passes, wanted);
    }
    return STATUS_OK;
}

enum status wave_operations_check(const struct test_program *test_program, const struct wave_result *result,
                                  uint64_t passes, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    struct code_generator generator;
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (strcmp(manifest->unit[i].op, "asm") == 0)
            return STATUS_OK;
    if (manifest->unit_count == 0) /* it states no kernel */
        return STATUS_OK;
    enum status status = code_generator_open("gcn", &generator, error);
    if (status == STATUS_OK)
        status = compare(manifest, &generator.templates, result, passes, error);
    code_generator_close(&generator);
    return status;
}
