/* Source "bytes": what the emitted object holds, by disassembly: the instruction mix and the units' share of
 * the loop. It trusts neither the plan nor the source text. */
#include "generator/program.h"
#include "isa/loop.h"
#include "runner/counters/source.h"

#include <stdio.h>
#include <string.h>

static enum status usable(struct error *why_not)
{
    (void)why_not;
    return STATUS_OK;
}

/* The instructions whose mnemonic belongs to a form of the op. */
static unsigned count_op(const struct template *templates, const struct loop_count *loop, const char *op,
                         size_t length)
{
    unsigned count = 0;
    for (size_t i = 0; i < loop->mnemonic_count; i++) {
        bool counted = false;
        for (size_t j = 0; !counted && j < templates->form_count; j++) {
            const struct form *form = &templates->forms[j];
            bool same = strncmp(form->name, op, length) == 0 &&
                        (form->name[length] == '.' || form->name[length] == '\0');
            counted = same && strcmp(form->mnemonic, loop->mnemonics[i].name) == 0;
        }
        count += counted ? loop->mnemonics[i].count : 0;
    }
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
        const char *op = templates->forms[i].name;
        size_t length = strcspn(op, ".");
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "mix.%.*s", (int)length, op);
        unsigned count = count_op(templates, loop, op, length);
        if (count > 0 && observations_find(list, metric, counter_bytes.name) == NULL)
            add(list, metric, (double)count / loop->instructions, loop->instructions);
    }
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    struct workshop workshop;
    struct loop_count loop;
    enum status status = workshop_open(subject->machine->isa, &workshop, error);
    if (status == STATUS_OK)
        status = loop_inspect(workshop.templates.isa, subject->object, subject->object_size, &loop, error);
    if (status == STATUS_OK && loop.instructions > 0) {
        observe_mix(&workshop.templates, &loop, list);
        add(list, "body.share", (double)loop.body / loop.instructions, loop.instructions);
    }
    workshop_close(&workshop);
    return status;
}

static const char *const metrics[] = {"mix.*", "body.share", NULL};

const struct counter_source counter_bytes = {
    .name = "bytes", .kind = "inspected", .usable = usable, .observe = observe, .metrics = metrics};
