/* Source "bytes": the content of the emitted executable, by disassembly: that its loop is the kernel's, the
 * instruction mix, the units' share of the loop and the distance between branches. It trusts neither the plan
 * nor the source text. The object has the same code, and the labels in it. */
#include "generator/suite/program.h"
#include "isa/isa.h"
#include "isa/loop.h"
#include "runner/sources/bytes/bytes_data.h"
#include "runner/sources/bytes/bytes_sass.h"
#include "runner/sources/bytes/code_flow.h"
#include "runner/sources/bytes/code_listing.h"
#include "runner/sources/identity.h"
#include "runner/sources/source.h"

#include <stdio.h>
#include <string.h>

static unsigned count_op(const struct template *templates, const struct loop_count *loop, const char *op)
{
    unsigned count = 0;
    for (size_t i = 0; i < loop->mnemonic_count; i++)
        if (template_counts(templates, loop->mnemonics[i].name, op))
            count += loop->mnemonics[i].count;
    return count;
}

static void add(struct observations *list, const char *metric, double value, unsigned n)
{
    observations_add(list, metric, counter_bytes.name, counter_bytes.kind, value, value, value, n);
}

static void observe_mix(const struct template *templates, const struct loop_count *loop,
                        struct observations *list)
{
    for (size_t i = 0; i < templates->form_count; i++) {
        char op[METRIC_BYTES];
        char metric[METRIC_BYTES + 4];
        const char *name = templates->forms[i].name;
        snprintf(op, sizeof op, "%.*s", (int)strcspn(name, "."), name);
        snprintf(metric, sizeof metric, "mix.%s", op);
        unsigned count = count_op(templates, loop, op);
        if (count > 0 && observations_find(list, metric, counter_bytes.name) == NULL)
            add(list, metric, (double)count / loop->instructions, loop->instructions);
    }
    if (loop->has_texts)
        add(list, "mix.asm", (double)loop->texts / loop->instructions, loop->instructions);
}

/* Cycles from one branch to the next, if the machine issues the instructions between them at its full width.
 * A pass enters only a part of code{}. */
static void observe_distance(const struct test_program *test_program, const struct template *templates,
                             const struct loop_count *loop, struct observations *list)
{
    const struct manifest *manifest = test_program->manifest;
    unsigned width = test_program->machine->issue_width, branches = count_op(templates, loop, "branch");
    if (manifest->branches.given && !manifest->has_code && branches > 0 && width > 0)
        add(list, "branch.distance", (double)(loop->instructions - branches) / branches / width, branches);
}

/* STATUS_FAILED where the program that runs is not the one that the manifest describes. */
static enum status check_flow(const struct test_program *test_program, const struct template *templates,
                              struct error *error)
{
    struct code_listing listing;
    enum status status = code_listing_compare(test_program, templates->isa, error);
    if (status != STATUS_OK) /* a manifest without a kernel describes no program */
        return test_program->manifest->unit_count > 0 ? status : source_cannot_see(status, error);
    status = code_listing_read(test_program, templates->isa, &listing, error);
    if (status == STATUS_OK)
        status = code_flow_check(test_program, templates, &listing, error);
    code_listing_free(&listing);
    return status;
}

static enum status observe_executable(const struct test_program *test_program, struct observations *list,
                                      struct error *error)
{
    struct code_generator code_generator;
    struct loop_count loop = {0};
    enum status status = code_generator_open(test_program->machine->isa, &code_generator, error);
    bool opened = status == STATUS_OK;
    if (opened)
        status = check_flow(test_program, &code_generator.templates, error);
    if (opened && status == STATUS_FAILED) {
        code_generator_close(&code_generator);
        return status;
    }
    if (status == STATUS_OK)
        status = loop_inspect(code_generator.templates.isa, test_program->object, test_program->object_size,
                              code_generator.templates.helped, &loop, error);
    if (status == STATUS_OK && loop.instructions > 0) {
        observe_mix(&code_generator.templates, &loop, list);
        add(list, "body.share", (double)loop.body / loop.instructions, loop.instructions);
        if (!test_program->manifest->has_code) /* else a pass enters only a part of it */
            add(list, "pass.instructions", loop.instructions, loop.instructions);
        observe_distance(test_program, &code_generator.templates, &loop, list);
    }
    if (status == STATUS_OK)
        status = bytes_observe_data(test_program, &code_generator.templates, list, error);
    code_generator_close(&code_generator);
    return source_cannot_see(status,
                             error); /* nothing was run: an object that cannot be read proves nothing else */
}

/* The functions that inspect the programs of a target. */
static const struct {
    const char *target;
    enum status (*observe)(const struct test_program *test_program, struct observations *list,
                           struct error *error);
} targets[] = {{ISA_PROCESSOR, observe_executable}, {"ptx", bytes_observe_sass}};

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    const char *target = manifest_text_or(test_program->manifest->target, test_program->machine->isa);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (isa_is_listed(targets[i].target, target))
            return targets[i].observe(test_program, list, error);
    return error_set(error, STATUS_UNAVAILABLE, "no disassembler is available for %s", target);
}

/* Of PTX that runs, a driver may make something else. */
static void identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    identity[0] = '\0';
    if (test_program->launch == NULL && !isa_is_listed(ISA_PROCESSOR, test_program->machine->isa))
        identity_of_text(test_program, identity);
}

const struct counter_source counter_bytes = {.name = "bytes",
                                             .kind = EVIDENCE_INSPECTED,
                                             .targets = ISA_PROCESSOR ",ptx",
                                             .observe = observe,
                                             .identify = identify,
                                             .prepare = bytes_prepare_sass};
