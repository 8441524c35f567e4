#include "generator/plan/gpu/gpu_plan.h"

#include "generator/kernel/operations.h"

#include <stdio.h>
#include <string.h>

enum { USUAL_BUS = 64 };

static void name_access(const struct gpu_stream *stream, char name[64])
{
    const char *space = stream->level == GPU_SHARED  ? "shared"
                        : stream->level == GPU_DSMEM ? "dsmem"
                        : stream->bulk               ? "bulk"
                                                     : stream->cache;
    if (stream->atomic != NULL) {
        snprintf(name, 64, "%s.%s.%s.%u", stream->returns ? "atomic" : "reduce",
                 stream->level == GPU_L2 ? "global" : space, stream->atomic, stream->width);
        return;
    }
    snprintf(name, 64, "%s.%.20s%s.%u",
             stream->store   ? stream->bulk ? "put" : "store"
             : stream->bulk  ? "tma"
             : stream->async ? "async"
                             : "load",
             space, stream->chase ? ".chase" : "", stream->width);
}

const struct form *gpu_access_form(const struct template *templates, const struct machine *machine,
                                   const struct gpu_stream *stream)
{
    char name[64];
    name_access(stream, name);
    return operation_row(templates, machine, name);
}

const char *gpu_access_feature(const struct template *templates, const struct gpu_stream *stream)
{
    char name[64];
    name_access(stream, name);
    const struct form *form = template_form(templates, name);
    return form == NULL ? NULL : form->feature;
}

uint64_t gpu_thread_offset(const struct gpu_stream *stream, unsigned thread)
{
    return (stream->together > 0 ? thread / stream->together : thread) * stream->lane;
}

uint64_t gpu_slot_displacement(const struct gpu_stream *stream, unsigned index)
{
    if (stream->side != NULL)
        return stream->rule.header + (uint64_t)(index % stream->hop) * stream->step;
    uint64_t dense = (uint64_t)(index % stream->rows) * stream->step;
    return stream->dense == 0 ? dense : dense / stream->dense * stream->apart + dense % stream->dense;
}

unsigned gpu_stream_links(const struct gpu_stream *stream)
{
    return stream->side == NULL || stream->chase ? 0 : (stream->per_pass - 1) / stream->hop + 1;
}

unsigned gpu_stream_bus(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned sector = plan->machine->l1d.sector;
    return item->bus > 0 ? item->bus : sector < USUAL_BUS ? sector : USUAL_BUS;
}

uint64_t gpu_stream_reach(const struct gpu_stream *stream)
{
    return stream->bytes + stream->ahead + stream->tail;
}

void gpu_plan_free(struct gpu_plan *plan)
{
    arena_free(&plan->arena);
}
