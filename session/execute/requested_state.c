#include "session/execute/requested_state.h"

#include "runner/state/put_back.h"

/* Passes them on and frees them. */
static void tell(const struct session_events *events, struct warnings *told)
{
    for (size_t i = 0; i < told->count; i++)
        session_warn(events, "%s", told->items[i].what);
    warnings_free(told);
}

void requested_state_restore(const char *root, bool allow_state, const struct session_events *events)
{
    if (!journal_stands(root))
        return;
    struct warnings told = {0};
    (void)put_back_left(root, root[0] == '\0' || allow_state, &told); /* what remains is reported */
    tell(events, &told);
}

static bool has_request(const struct work *work, bool elsewhere)
{
    bool requests = false;
    for (size_t i = 0; !requests && i < work->item_count; i++) {
        if (!elsewhere && !work_machine(work->items[i].source)->present)
            continue;
        struct manifest *point = work_point(&work->items[i], NULL);
        bool told =
            work->items[i].in_recipe != NULL; /* a suite's entry has no requests, but its manifests may */
        requests = !told || (point != NULL && json_object_size(point->state) > 0);
        manifest_free(point);
    }
    return requests;
}

enum status requested_state_open(struct work *work, bool elsewhere, struct error *error)
{
    if (!has_request(work, elsewhere))
        return STATUS_OK;
    struct warnings told = {0};
    enum status status = state_lease_open(work->request->root, &work->lease, &told, error);
    tell(work->request->events, &told);
    return status;
}

void requested_state_begin(struct work *work, const struct work_item *item, const json_t *wanted,
                           struct state_record *record)
{
    const struct state_request request = {.root = work->request->root, .lease = &work->lease};
    if (wanted == NULL)
        return;
    record->wanted = state_from_json(wanted, &record->arena);
    state_begin(&request, record);
    for (size_t i = 0; i < record->unmet.count; i++)
        session_point(work->request->events, SESSION_WARNING, item->benchmark, item->point, "%s",
                      record->unmet.items[i].what);
}

void requested_state_gpu(struct work *work, const char *pci, struct state_record *record)
{
    const struct state_request request = {.root = work->request->root, .lease = &work->lease};
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
