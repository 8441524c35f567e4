/* Source "bytes": what the emitted object holds, by disassembly: the instruction mix and the units' share of
 * the loop. It trusts neither the plan nor the source text. */
#include "generator/program.h"
#include "isa/loop.h"
#include "isa/object.h"
#include "runner/counters/source.h"

#include <stdio.h>
#include <string.h>

static enum status usable(struct error *why_not)
{
    (void)why_not;
    return STATUS_OK;
}

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
}

/* Ones, and bits that change from one access to the next, by the rule in the object that makes the data.
 * Addresses have no bits to count before they are loaded. */
static enum status observe_data(const struct subject *subject, struct observations *list, struct error *error)
{
    struct object_part constants;
    uint64_t at;
    uint64_t rule[4]; /* bytes, align, fill, word: struct trauma_layout */
    enum status status = object_section(subject->object, subject->object_size, ".rodata", &constants, error);
    if (status == STATUS_OK)
        status = object_symbol(subject->object, subject->object_size, "trauma_layout", &at, error);
    if (status != STATUS_OK)
        return status;
    if (at > constants.size || constants.size - at < sizeof rule)
        return error_set(error, STATUS_FAILED, "the object's trauma_layout is cut short");
    memcpy(rule, constants.bytes + at, sizeof rule);
    const json_t *accesses = json_object_get(subject->manifest, "accesses");
    size_t count = json_array_size(accesses);
    if (count == 0 || rule[2] != 0)
        return STATUS_OK;
    /* One rule for every word: each access reads rule[3], and nothing changes between two of them. */
    add(list, "data.ones_rate", __builtin_popcountll(rule[3]) / 64.0, (unsigned)count);
    add(list, "data.toggle_rate", 0, (unsigned)count);
    return STATUS_OK;
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    struct workshop workshop;
    struct loop_count loop = {0};
    enum status status = workshop_open(subject->machine->isa, &workshop, error);
    if (status == STATUS_OK)
        status = loop_inspect(workshop.templates.isa, subject->object, subject->object_size, &loop, error);
    if (status == STATUS_OK && loop.instructions > 0) {
        observe_mix(&workshop.templates, &loop, list);
        add(list, "body.share", (double)loop.body / loop.instructions, loop.instructions);
    }
    if (status == STATUS_OK)
        status = observe_data(subject, list, error);
    workshop_close(&workshop);
    return source_cannot_see(status, error); /* nothing was run: an object that cannot be read says no more */
}

static const char *const metrics[] = {"mix.*", "body.share", "data.ones_rate", "data.toggle_rate", NULL};

const struct counter_source counter_bytes = {
    .name = "bytes", .kind = "inspected", .usable = usable, .observe = observe, .metrics = metrics};
