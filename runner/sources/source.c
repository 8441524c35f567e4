/* The table of sources of evidence: a new source is its own file and one row here. */
#include "runner/sources/source.h"

#include "base/text/names.h"
#include "isa/isa.h"

const struct counter_source *const counter_sources[] = {
    &counter_perf, &counter_cupti, &counter_record, &counter_cachegrind, &counter_qemu, &counter_wave,
    &counter_warp, &counter_bytes, &counter_timing, &counter_duty,       &counter_plan, NULL,
};

bool source_serves(const struct counter_source *source, const char *target)
{
    return names_contain(source->targets == NULL ? ISA_PROCESSOR : source->targets,
                         isa_is_processor(target) ? ISA_PROCESSOR : target);
}

enum status source_usable(const struct counter_source *source, struct error *why_not)
{
    return source->usable == NULL ? STATUS_OK : source->usable(why_not);
}

void source_add(const struct counter_source *source, struct observations *list, const char *metric,
                double value, double n)
{
    observations_add(list, metric, source->name, source->kind, value, value, value, n);
}

void source_add_share(const struct counter_source *source, struct observations *list, const char *metric,
                      double part, double whole)
{
    if (whole > 0)
        source_add(source, list, metric, part / whole, whole);
}

enum status source_unavailable(enum status status, struct error *error)
{
    if (status != STATUS_FAILED)
        return status;
    if (error != NULL)
        error->code = STATUS_UNAVAILABLE;
    return STATUS_UNAVAILABLE;
}
