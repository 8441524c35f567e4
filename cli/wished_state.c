#include "cli/wished_state.h"

#include "base/json.h"
#include "cli/command.h"
#include "runner/state/put_back.h"

const char *wished_root(const struct options *options)
{
    return options->sysfs_root == NULL ? "" : options->sysfs_root;
}

/* Takes the list's reference. */
static void tell(const struct options *options, json_t *told)
{
    for (size_t i = 0; i < json_array_size(told); i++)
        command_warn(options, "%s", json_string_value(json_array_get(told, i)));
    json_decref(told);
}

void wished_put_back(const struct options *options)
{
    if (!journal_stands(wished_root(options)))
        return;
    json_t *told = json_array();
    (void)put_back_left(wished_root(options), told); /* what waits is told */
    tell(options, told);
}

static bool has_wish(const struct work *work, bool elsewhere)
{
    bool wishes = false;
    for (size_t i = 0; !wishes && i < work->item_count; i++) {
        if (!elsewhere && !work_machine(work->items[i].source)->present)
            continue;
        json_t *document = work_document(&work->items[i], NULL);
        bool told = work->items[i].in_recipe != NULL; /* a suite's entry has no wishes, its manifests may */
        wishes = !told || json_object_size(json_object_get(document, "state")) > 0;
        json_decref(document);
    }
    return wishes;
}

enum status wished_open(const struct options *options, bool elsewhere, struct work *work, struct error *error)
{
    if (!options->allow_state || !has_wish(work, elsewhere))
        return STATUS_OK;
    json_t *told = json_array();
    enum status status = state_lease_open(wished_root(options), &work->lease, told, error);
    tell(options, told);
    return status;
}

json_t *wished_begin(const struct options *options, struct work *work, const struct work_item *item,
                     const json_t *manifest)
{
    const struct state_request request = {
        .root = wished_root(options), .wanted = json_object_get(manifest, "state"), .lease = &work->lease};
    json_t *record = state_begin(&request);
    const json_t *unmet = json_object_get(record, "unmet");
    for (size_t i = 0; i < json_array_size(unmet); i++)
        command_warn(options, "%s/%s: %s", item->benchmark, item->point,
                     json_string_value(json_array_get(unmet, i)));
    return record;
}

void wished_end(const struct options *options, struct work *work)
{
    struct error not_back;
    if (state_end(&work->lease, &not_back) != STATUS_OK)
        command_warn(options, "%s", not_back.message);
}

void wished_close(const struct options *options, struct work *work)
{
    struct error not_back;
    if (state_lease_close(&work->lease, &not_back) != STATUS_OK)
        command_warn(options, "%s; it stands in the journal, and the next command of trauma tries again",
                     not_back.message);
}
