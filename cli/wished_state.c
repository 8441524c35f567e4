#include "cli/wished_state.h"

#include "cli/command.h"

const char *wished_root(const struct options *options)
{
    return options->sysfs_root == NULL ? "" : options->sysfs_root;
}

enum status wished_begin(const struct options *options, const struct work_item *item, const json_t *manifest,
                         struct guard *guard, json_t **record, struct error *error)
{
    const struct state_request request = {.root = wished_root(options),
                                          .wanted = json_object_get(manifest, "state"),
                                          .allowed = options->allow_state};
    enum status status = state_begin(&request, guard, record, error);
    const json_t *unmet = json_object_get(*record, "unmet");
    for (size_t i = 0; i < json_array_size(unmet); i++)
        command_warn(options, "%s/%s: %s", item->benchmark, item->point,
                     json_string_value(json_array_get(unmet, i)));
    return status;
}

void wished_end(const struct options *options, struct guard *guard)
{
    struct error not_back;
    if (guard_close(guard, &not_back) != STATUS_OK)
        command_warn(options, "%s", not_back.message);
}
