#include "session/execute/probe_wanted.h"

#include "base/json.h"
#include "session/host_probe.h"

static bool is_unknown(const struct machine *machine)
{
    return host_probe_is_shared(machine) && machine->l3.effective == 0;
}

static bool goes_past_l2(const struct work_item *item, const struct machine *machine)
{
    json_t *document = work_document(item, NULL);
    const json_t *unit = json_object_get(json_object_get(document, "kernel"), "unit");
    bool past = false;
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *served = json_object_get(json_array_get(unit, i), "served");
        past = past || json_number_or(served, "L3", 0) > 0 || json_number_or(served, "MEM", 0) > 0 ||
               json_number_or(json_array_get(unit, i), "working_set", 0) > (double)machine->l2.size;
    }
    json_decref(document);
    return past;
}

void probe_wanted_tell(const struct work *work)
{
    if (work->request->machine != NULL)
        return;
    const bool probed = work->request->probe || work->request->probe_shares;
    for (size_t i = 0; i < work->item_count; i++) {
        const struct work_item *item = &work->items[i];
        const struct machine *machine = work_machine(item->source);
        if (item->source->kind != INPUT_RECIPE || !is_unknown(machine) || !goes_past_l2(item, machine))
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
