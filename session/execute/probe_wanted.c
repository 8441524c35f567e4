#include "session/execute/probe_wanted.h"

#include "base/json.h"

static bool is_unknown(const struct machine *machine)
{
    return machine->present && !machine_is_gpu(machine) && machine->l3.size > 0 &&
           machine->l3.effective == 0 && (machine->is_virtual || machine->l3.shared_by > 1);
}

static bool goes_past_l2(const struct work_item *item)
{
    json_t *document = work_document(item, NULL);
    const json_t *unit = json_object_get(json_object_get(document, "kernel"), "unit");
    bool past = false;
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *served = json_object_get(json_array_get(unit, i), "served");
        past = past || json_number_or(served, "L3", 0) > 0 || json_number_or(served, "MEM", 0) > 0;
    }
    json_decref(document);
    return past;
}

void probe_wanted_tell(const struct work *work)
{
    if (work->request->machine != NULL)
        return;
    for (size_t i = 0; i < work->item_count; i++) {
        const struct work_item *item = &work->items[i];
        const struct machine *machine = work_machine(item->source);
        if (item->source->kind != INPUT_RECIPE || !is_unknown(machine) || !goes_past_l2(item))
            continue;
        session_warn(work->request->events,
                     "%s, and a core's share of it has not been measured -> --probe measures it once for "
                     "this host, in a few seconds",
                     machine->is_virtual ? "a hypervisor shares L3 among its guests"
                                         : "L3 is shared among cores");
        return;
    }
}
