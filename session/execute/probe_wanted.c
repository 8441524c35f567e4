#include "session/execute/probe_wanted.h"

#include "generator/suite/manifest_read.h"
#include "session/host_probe.h"

static bool has_unknown_share(const struct machine *machine)
{
    return host_probe_is_shared(machine) && machine->l3.effective == 0;
}

static bool goes_past_l2(const struct work_item *item, const struct machine *machine)
{
    struct manifest *point = work_point(item, NULL);
    bool past = false;
    for (size_t i = 0; point != NULL && i < point->unit_count; i++) {
        const double *served = point->unit[i].served;
        past = past || served[LEVEL_L3] > 0 || served[LEVEL_MEM] > 0 ||
               point->unit[i].working_set > (double)machine->l2.size;
    }
    manifest_free(point);
    return past;
}

void probe_wanted_warn(const struct work *work)
{
    if (work->request->machine != NULL)
        return;
    const bool probed = work->request->probe || work->request->probe_shares;
    for (size_t i = 0; i < work->item_count; i++) {
        const struct work_item *item = &work->items[i];
        const struct machine *machine = work_machine(item->source);
        if (item->source->kind != INPUT_RECIPE || !has_unknown_share(machine) || !goes_past_l2(item, machine))
            continue;
        const char *who =
            machine->is_virtual ? "a hypervisor shares L3 among its guests" : "L3 is shared among cores";
        if (probed)
            session_warn(work->request->events,
                         "%s, and others use all of it now: no working set is certain to be served by it",
                         who);
        else
            session_warn(work->request->events,
                         "%s, and a core's share of it has not been measured -> --probe measures it once for "
                         "this host, in a few seconds",
                         who);
        return;
    }
}
