#include "cli/imported.h"

#include "runner/sources/import/import_file.h"

static enum status observe(const struct options *options, struct observations *list, struct error *error)
{
    struct import import;
    enum status status = import_read(options->import, &import, error);
    if (status == STATUS_OK)
        status = import_observe(&import, options->columns, list, error);
    import_free(&import);
    return status;
}

enum status imported_check(const struct options *options, const struct work *work, struct error *error)
{
    if (options->import == NULL && options->columns != NULL) {
        error_set(error, STATUS_USAGE, "--columns says what the names of an imported file are");
        error_hint(error, "give the file with --import FILE");
        return STATUS_USAGE;
    }
    if (options->import == NULL)
        return STATUS_OK;
    if (work->item_count != 1) {
        error_set(error, STATUS_USAGE, "--import is of one point, and here are %zu", work->item_count);
        error_hint(error, "--filter and --set leave one");
        return STATUS_USAGE;
    }
    struct observations list = {0};
    enum status status = observe(options, &list, error);
    observations_free(&list);
    return status;
}

enum status imported_add(const struct options *options, struct evidence *evidence, struct error *error)
{
    return options->import == NULL ? STATUS_OK : observe(options, &evidence->observations, error);
}
