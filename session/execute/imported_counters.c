#include "session/execute/imported_counters.h"

#include "runner/sources/import/import_file.h"

static enum status observe(const struct evidence_request *request, struct observations *list,
                           struct error *error)
{
    struct import import;
    enum status status = import_read(request->import, &import, error);
    if (status == STATUS_OK)
        status = import_observe(&import, request->columns, IMPORT_POINT, list, error);
    import_free(&import);
    return status;
}

enum status imported_check(const struct evidence_request *request, const struct work *work,
                           struct error *error)
{
    if (request->import == NULL && request->columns != NULL) {
        error_set(error, STATUS_USAGE,
                  "--columns names the columns of an imported file, and there is no --import");
        error_hint(error, "give the file with --import FILE");
        return STATUS_USAGE;
    }
    if (request->import == NULL)
        return STATUS_OK;
    if (work->item_count != 1) {
        error_set(error, STATUS_USAGE, "--import holds the counters of one point; %zu are selected",
                  work->item_count);
        error_hint(error, "select one with --filter or --set");
        return STATUS_USAGE;
    }
    struct observations list = {0};
    enum status status = observe(request, &list, error);
    observations_free(&list);
    return status;
}

enum status imported_add(const struct evidence_request *request, struct evidence *evidence,
                         struct error *error)
{
    return request->import == NULL ? STATUS_OK : observe(request, &evidence->observations, error);
}
