#include "session/execute/requested_state.h"

#include "runner/state/put_back.h"

/* Takes the list's reference. */
static void tell(const struct session_events *events, json_t *told)
{
    for (size_t i = 0; i < json_array_size(told); i++)
        session_warn(events, "%s", json_string_value(json_array_get(told, i)));
    json_decref(told);
}

void requested_state_restore(const char *root, bool allow_state, const struct session_events *events)
{
    if (!journal_stands(root))
        return;
    json_t *told = json_array();
    (void)put_back_left(root, root[0] == '\0' || allow_state, told); /* what remains is reported */
    tell(events, told);
}

static bool has_request(const struct work *work, bool elsewhere)
{
    bool requests = false;
    for (size_t i = 0; !requests && i < work->item_count; i++) {
        if (!elsewhere && !work_machine(work->items[i].source)->present)
            continue;
        json_t *document = work_document(&work->items[i], NULL);
        bool told =
            work->items[i].in_recipe != NULL; /* a suite's entry has no requests, but its manifests may */
        requests = !told || json_object_size(json_object_get(document, "state")) > 0;
        json_decref(document);
    }
    return requests;
}

enum status requested_state_open(struct work *work, bool elsewhere, struct error *error)
{
    if (!has_request(work, elsewhere))
        return STATUS_OK;
    json_t *told = json_array();
    enum status status = state_lease_open(work->request->root, &work->lease, told, error);
    tell(work->request->events, told);
    return status;
}

json_t *requested_state_begin(struct work *work, const struct work_item *item, const json_t *wanted)
{
    const struct state_request request = {
        .root = work->request->root, .wanted = wanted, .lease = &work->lease};
    json_t *record = state_begin(&request);
    const json_t *unmet = json_object_get(record, "unmet");
    for (size_t i = 0; i < json_array_size(unmet); i++)
        session_point(work->request->events, SESSION_WARNING, item->benchmark, item->point, "%s",
                      json_string_value(json_array_get(unmet, i)));
    return record;
}

void requested_state_gpu(struct work *work, const json_t *wanted, const char *pci, json_t *record)
{
    const struct state_request request = {
        .root = work->request->root, .wanted = wanted, .lease = &work->lease};
    state_begin_gpu(&request, request.root[0] == '\0' ? pci : NULL, record);
}

void requested_state_end(struct work *work)
{
    struct error not_back;
    if (state_end(&work->lease, &not_back) != STATUS_OK)
        session_warn(work->request->events, "%s", not_back.message);
}

void requested_state_close(struct work *work)
{
    struct error not_back;
    if (state_lease_close(&work->lease, &not_back) != STATUS_OK)
        session_warn(work->request->events,
                     "%s; the journal still lists it, and the next trauma command tries again",
                     not_back.message);
}
