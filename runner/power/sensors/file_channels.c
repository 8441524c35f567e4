#include "runner/power/sensors/file_channels.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 64 };

/* From the file's unit to ours. */
static const double scales[SENSOR_QUANTITIES] = {1e-6, 1e-6, 1e-3, 1};

struct file_channels {
    size_t count;
    struct sensor_channel channels[];
};

/* Returns 0 or errno. */
static int read_line(const char *path, char *line, size_t capacity)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno;
    ssize_t count = read(fd, line, capacity - 1);
    int number = count < 0 ? errno : 0;
    close(fd);
    line[count > 0 ? count : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return number;
}

int file_channel_read(const char *path, enum sensor_quantity quantity, double *value)
{
    char line[LINE_BYTES] = "";
    int number = read_line(path, line, sizeof line);
    if (number != 0)
        return number;
    char *end;
    const char *digits = line[0] == '-' && quantity != SENSOR_ENERGY ? line + 1 : line;
    errno = 0;
    unsigned long long whole = strtoull(digits, &end, 10);
    if (digits[0] < '0' || digits[0] > '9' || *end != '\0' || errno != 0)
        return EINVAL;
    *value = (digits > line ? -1 : 1) * (double)whole * scales[quantity];
    return 0;
}

bool file_channel_line(const char *folder, const char *name, char *line, size_t capacity)
{
    char path[FILE_PATH_BYTES];
    return read_line(file_join(path, folder, name), line, capacity) == 0 && line[0] != '\0';
}

enum status file_channels_open(const struct sensor_request *request, const struct sensor_channel *channels,
                               size_t count, void **handle, struct error *error)
{
    (void)request;
    (void)error;
    struct file_channels *files = memory_resized(NULL, 1, sizeof *files + count * sizeof *channels);
    files->count = count;
    memcpy(files->channels, channels, count * sizeof *channels);
    *handle = files;
    return STATUS_OK;
}

/* Reads all files once, and sets the moments before and after. Returns how many cannot be read; *number: the
 * last one's errno. */
static size_t read_all(const struct file_channels *files, double *values, double span_s[2], int *number)
{
    size_t gone = 0;
    span_s[0] = clock_now_s();
    for (size_t i = 0; i < files->count; i++) {
        int failed = file_channel_read(files->channels[i].path, files->channels[i].quantity, &values[i]);
        values[i] = failed == 0 ? values[i] : NAN;
        gone += failed != 0;
        *number = failed != 0 ? failed : *number;
    }
    span_s[1] = clock_now_s();
    return gone;
}

/* If the reader loses the processor between its two clock readings, the time of the counters is too uncertain
 * to compute power. It then reads again, a few times. */
enum status file_channels_read(void *handle, double *t_s, double *values, struct error *error)
{
    enum { TRIES = 4 };
    static const double PROMPT_S = 2e-3;
    const struct file_channels *files = handle;
    double span_s[2];
    int number = 0;
    size_t gone = read_all(files, values, span_s, &number);
    for (int i = 1; i < TRIES && gone < files->count && span_s[1] - span_s[0] > PROMPT_S; i++)
        gone = read_all(files, values, span_s, &number);
    /* The counters were read between the two moments: the midpoint has the least error. */
    *t_s = (span_s[0] + span_s[1]) / 2;
    if (gone < files->count)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "%s can no longer be read: %s", files->channels[0].path,
                     strerror(number));
}

void file_channels_close(void *handle)
{
    free(handle);
}
