/* Source "plan": the rates that the generator's cache model expects, from the manifest. It never decides a
 * verdict. */
#include "isa/isa.h"
#include "runner/sources/source.h"

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    (void)error;
    const struct rates *expected = &test_program->manifest->expected;
    for (size_t i = 0; i < expected->count; i++)
        source_add(&counter_plan, list, expected->items[i].metric, expected->items[i].value, 0);
    return STATUS_OK;
}

const struct counter_source counter_plan = {
    .name = "plan", .kind = EVIDENCE_PREDICTED, .targets = ISA_PROCESSOR ",ptx,gcn", .observe = observe};
