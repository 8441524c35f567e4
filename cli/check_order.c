#include "cli/check_order.h"

#include "base/json.h"

static bool is_in_memory(const struct work_item *item)
{
    if (item->in_recipe == NULL || !item->source->ground->machine.present)
        return false;
    json_t *document = work_document(item, NULL);
    const json_t *unit = json_object_get(json_object_get(document, "kernel"), "unit");
    bool found = false;
    for (size_t i = 0; i < json_array_size(unit); i++)
        found = found || json_number_or(json_object_get(json_array_get(unit, i), "served"), "MEM", 0) > 0;
    json_decref(document);
    return found;
}

const size_t *check_order(struct work *work)
{
    size_t *order = arena_alloc(&work->arena, work->item_count, sizeof *order);
    bool *far = arena_alloc(&work->arena, work->item_count, sizeof *far);
    size_t count = 0;
    bool gathered = false;
    for (size_t i = 0; i < work->item_count; i++)
        far[i] = is_in_memory(&work->items[i]);
    for (size_t i = 0; i < work->item_count; i++) {
        if (!far[i])
            order[count++] = i;
        for (size_t j = i; far[i] && !gathered && j < work->item_count; j++)
            if (far[j])
                order[count++] = j;
        gathered = gathered || far[i];
    }
    return order;
}
