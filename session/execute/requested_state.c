#include "session/execute/requested_state.h"

#include "runner/state/put_back.h"

/* Reports the warnings and frees them. */
static void report(const struct session_events *events, struct warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        session_warn(events, "%s", warnings->items[i].what);
    warnings_free(warnings);
}

void requested_state_restore(const char *root, bool allow_state, const struct session_events *events)
{
    if (!journal_stands(root))
        return;
    struct warnings warnings = {0};
    (void)put_back_left(root, root[0] == '\0' || allow_state, &warnings); /* the warnings report a failure */
    report(events, &warnings);
}

static bool has_request(const struct work *work, bool elsewhere)
{
    bool requests = false;
    for (size_t i = 0; !requests && i < work->item_count; i++) {
        if (!elsewhere && !work_machine(work->items[i].source)->present)
            continue;
        struct manifest *point = work_point(&work->items[i], NULL);
        /* A suite's entry does not state its manifest's requests. */
        requests = work->items[i].in_recipe == NULL || (point != NULL && json_object_size(point->state) > 0);
        manifest_free(point);
    }
    return requests;
}

enum status requested_state_open(struct work *work, bool elsewhere, struct error *error)
{
    if (!has_request(work, elsewhere))
        return STATUS_OK;
    struct warnings warnings = {0};
    enum status status = state_lease_open(work->request->root, &work->lease, &warnings, error);
    report(work->request->events, &warnings);
    return status;
}

void requested_state_begin(struct work *work, const struct work_item *item, const struct value *wanted,
                           struct state_record *record)
{
    const struct state_request request = {.root = work->request->root, .lease = &work->lease};
    if (wanted->kind == VALUE_NONE)
        return;
    record->wanted = value_copy(wanted, &record->arena);
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
