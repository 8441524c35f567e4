#include "runner/results/traces.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TRACES = 10000 };
#include <unistd.h>

static const char results_suffix[] = ".jsonl";

static enum status too_long(const char *name, struct error *error)
{
    return error_set(error, STATUS_FAILED, "the path of the trace %.200s... is too long", name);
}

static enum status name_with(const char *results, const char *benchmark, const char *point, const char *mark,
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
        return error_set(error, STATUS_USAGE, "the trace '%.200s' is a link that leaves the results' folder",
                         relative);
    return STATUS_OK;
}

enum status traces_name(const char *results, const char *benchmark, const char *point,
                        const char *program_hash, char relative[FILE_PATH_BYTES], char path[FILE_PATH_BYTES],
                        struct error *error)
{
    char mark[32] = "";
    struct stat info;
    for (int try = 1; try <= MOST_TRACES; try++) {
        enum status status = name_with(results, benchmark, point, mark, relative, error);
        if (status == STATUS_OK)
            status = traces_path(results, relative, path, error);
        if (status != STATUS_OK || lstat(path, &info) != 0)
            return status;
        int length = snprintf(mark, sizeof mark, "-%.8s", program_hash);
        if (try > 1)
            snprintf(mark + length, sizeof mark - (size_t)length, "-%d", try);
    }
    error_set(error, STATUS_FAILED, "%s exists, and %d more traces of the point", path, MOST_TRACES - 1);
    error_hint(error, "remove those that no results name, or choose another results file with -o");
    return STATUS_FAILED;
}
