#include "runner/results/traces.h"

#include "base/files/draft.h"
#include "base/files/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRACES = 10000 };

static const char results_suffix[] = ".jsonl";

static enum status too_long(const char *name, struct error *error)
{
    return error_set(error, STATUS_FAILED, "the path of the trace %.200s... is too long", name);
}

int traces_beside(const char *results, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    struct file_place place;
    if (file_place_open(file_folder_of(folder, results), false, &place, error) != STATUS_OK)
        return -1;
    int fd = openat(place.folder, place.name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        error_set(error, STATUS_FAILED, "cannot open the folder %s: %s", folder, strerror(errno));
    file_place_close(&place, false);
    return fd;
}

char *traces_folder(const char *results, int number, char name[FILE_PATH_BYTES])
{
    char counted[16] = "";
    const char *base = file_base_name(results);
    size_t length = strlen(base);
    if (file_ends_with(base, results_suffix))
        length -= sizeof results_suffix - 1;
    if (number > 1)
        snprintf(counted, sizeof counted, "-%d", number);
    snprintf(name, FILE_PATH_BYTES, "%.*s%s.traces", (int)length, base, counted);
    return name;
}

/* Opens the last folder of a relative path, and creates folders that are missing; sets name to the file name
 * after them. -1 with errno. */
static int open_folders(int beside, const char *relative, char name[NAME_MAX + 1])
{
    int fd = fcntl(beside, F_DUPFD_CLOEXEC, 0);
    for (;;) {
        size_t length = strcspn(relative, "/");
        errno = ENAMETOOLONG;
        if (fd < 0 || length > NAME_MAX)
            break;
        memcpy(name, relative, length);
        name[length] = '\0';
        if (relative[length] == '\0')
            return fd;
        int inner = -1;
        if (TEMP_FAILURE_RETRY(mkdirat(fd, name, 0777)) == 0 || errno == EEXIST)
            inner = draft_enter(fd, name, NULL);
        int failure = errno;
        close(fd);
        fd = inner;
        errno = failure;
        if (fd < 0)
            return -1;
        relative += length + 1;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static enum status write_one(int beside, const char *relative, const struct buffer *text, struct error *error)
{
    struct file_place place = {.folder = -1};
    place.folder = open_folders(beside, relative, place.name);
    if (place.folder < 0)
        return error_set(error, STATUS_FAILED, "cannot write %s: %s", relative,
                         errno == EPERM     ? "a folder on the way belongs to another user"
                         : errno == ENOTDIR ? "a folder on the way is a link or a file"
                                            : strerror(errno));
    enum status status =
        file_write_first_to(&place, relative, text->data == NULL ? "" : text->data, text->size, error);
    close(place.folder);
    return status;
}

enum status traces_write(int beside, const char *folder, const struct trace_of *of, const struct buffer *text,
                         char relative[FILE_PATH_BYTES], struct error *error)
{
    char mark[32] = "";
    for (int try = 1; try <= MOST_TRACES; try++) {
        int wrote =
            snprintf(relative, FILE_PATH_BYTES, "%s/%s/%s%s.csv", folder, of->benchmark, of->point, mark);
        if (wrote < 0 || wrote >= FILE_PATH_BYTES)
            return too_long(of->point, error);
        if (!file_stays_inside(relative))
            return error_set(error, STATUS_USAGE, "the trace '%.200s' would not be beside the results",
                             relative);
        enum status status = write_one(beside, relative, text, error);
        if (status != STATUS_USAGE) /* STATUS_USAGE: the file exists */
            return status;
        int length = snprintf(mark, sizeof mark, "-%.8s", of->program_hash);
        if (try > 1)
            snprintf(mark + length, sizeof mark - (size_t)length, "-%d", try);
    }
    error_set(error, STATUS_FAILED, "%s exists, and %d more traces of the point", relative, MOST_TRACES - 1);
    error_hint(error, "remove those that no results name, or choose another results file with -o");
    return STATUS_FAILED;
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
