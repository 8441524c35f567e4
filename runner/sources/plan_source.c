/* Source "plan": the expectation of the generator's cache model, as in the manifest. It never decides a
 * verdict. */
#include "isa/isa.h"
#include "runner/sources/source.h"

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    (void)error;
    const struct rates *expected = &test_program->manifest->expected;
    for (size_t i = 0; i < expected->count; i++) {
        double value = expected->items[i].value;
        observations_add(list, expected->items[i].metric, counter_plan.name, counter_plan.kind, value, value,
                         value, 0);
    }
    return STATUS_OK;
}

const struct counter_source counter_plan = {
    .name = "plan", .kind = EVIDENCE_PREDICTED, .targets = ISA_PROCESSOR ",ptx,gcn", .observe = observe};
