#include "runner/traces.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char results_suffix[] = ".jsonl";

static enum status too_long(const char *name, struct error *error)
{
    return error_set(error, STATUS_FAILED, "the path of the trace %.200s... is too long", name);
}

enum status traces_name(const char *results, const char *benchmark, const char *point, const char *mark,
                        char relative[FILE_PATH_BYTES], struct error *error)
{
    const char *base = file_base_name(results);
    size_t length = strlen(base);
    if (file_ends_with(base, results_suffix))
        length -= sizeof results_suffix - 1;
    int wrote = snprintf(relative, FILE_PATH_BYTES, "%.*s.traces/%s/%s%s.csv", (int)length, base, benchmark,
                         point, mark);
    return wrote < 0 || wrote >= FILE_PATH_BYTES ? too_long(point, error) : STATUS_OK;
}

enum status traces_path(const char *results, const char *relative, char path[FILE_PATH_BYTES],
                        struct error *error)
{
    size_t above = (size_t)(file_base_name(results) - results);
    if (!file_stays_inside(relative))
        return error_set(error, STATUS_USAGE, "the trace '%.200s' is not beside the results", relative);
    if (above + strlen(relative) >= FILE_PATH_BYTES)
        return too_long(relative, error);
    memcpy(path, results, above);
    strcpy(path + above, relative);
    char folder[FILE_PATH_BYTES];
    if (access(path, F_OK) == 0 && !file_lies_within(file_folder_of(folder, results), path))
        return error_set(error, STATUS_USAGE, "the trace '%.200s' is a link out of the results' folder",
                         relative);
    return STATUS_OK;
}
