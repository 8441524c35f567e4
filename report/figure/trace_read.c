#include "report/figure/trace_read.h"

#include "base/buffer.h"
#include "base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "t_s,channel,value\n";

static struct trace_channel *channel_named(struct trace *trace, const char *name, size_t rows,
                                           struct arena *arena)
{
    for (size_t i = 0; i < trace->channel_count; i++)
        if (strcmp(trace->channels[i].name, name) == 0)
            return &trace->channels[i];
    if (trace->channel_count == TRACE_CHANNELS_MOST)
        return NULL;
    struct trace_channel *channel = &trace->channels[trace->channel_count++];
    *channel = (struct trace_channel){.name = arena_strdup(arena, name),
                                      .t_s = arena_alloc(arena, rows, sizeof *channel->t_s),
                                      .values = arena_alloc(arena, rows, sizeof *channel->values)};
    return channel;
}

static enum status refuse_row(struct error *error)
{
    return error_set(error, STATUS_USAGE, "expected \"seconds,channel,number\"");
}

static bool is_of_a_loop(const char *mark)
{
    return strncmp(mark, "loop ", strlen("loop ")) == 0 || strncmp(mark, "missed ", strlen("missed ")) == 0;
}

/* Parses "1.5,name,2.5" in place. */
static enum status take_row(char *line, size_t rows, struct trace *trace, struct arena *arena,
                            struct error *error)
{
    char *end;
    double t_s = strtod(line, &end);
    char *value = end[0] == ',' ? strchr(end + 1, ',') : NULL;
    if (end == line || value == NULL || !isfinite(t_s))
        return refuse_row(error);
    const char *name = end + 1;
    *value++ = '\0';
    if (strcmp(name, "mark") == 0 && is_of_a_loop(value))
        return STATUS_OK; /* only phases are shown */
    if (strcmp(name, "mark") == 0) {
        for (char *c = value; *c != '\0'; c++)
            *c = *c == '_' ? ' ' : *c;
        if (trace->mark_count == TRACE_MARKS_MOST)
            return error_set(error, STATUS_USAGE, "one mark too many: a figure shows at most %d",
                             TRACE_MARKS_MOST);
        trace->marks[trace->mark_count++] = (struct figure_mark){t_s, arena_strdup(arena, value)};
        return STATUS_OK;
    }
    double number = strtod(value, &end);
    if (end == value || *end != '\0')
        return refuse_row(error);
    struct trace_channel *channel = channel_named(trace, name, rows, arena);
    if (channel == NULL) {
        error_set(error, STATUS_USAGE, "\"%.100s\" is one channel too many; a trace has at most %d", name,
                  TRACE_CHANNELS_MOST);
        return STATUS_USAGE;
    }
    channel->t_s[channel->count] = t_s;
    channel->values[channel->count] = number;
    channel->count += isfinite(number);
    return STATUS_OK;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    while ((text = strchr(text, '\n')) != NULL) {
        text++;
        count++;
    }
    return count;
}

static enum status take_rows(char *text, const char *path, struct arena *arena, struct trace *trace,
                             struct error *error)
{
    size_t rows = count_lines(text);
    int number = 1;
    trace->marks =
        arena_alloc(arena, rows < TRACE_MARKS_MOST ? rows : TRACE_MARKS_MOST, sizeof *trace->marks);
    for (char *line = strchr(text, '\n') + 1; *line != '\0'; number++) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\n' ? end + 1 : end;
        *end = '\0';
        if (take_row(line, rows, trace, arena, error) != STATUS_OK) {
            error_at(error, path, number + 1);
            return STATUS_USAGE;
        }
        line = next;
    }
    return STATUS_OK;
}

enum status trace_read(const char *folder, const char *relative, struct arena *arena, struct trace *trace,
                       struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    *trace = (struct trace){.channel_count = 0};
    if (!file_stays_inside(relative))
        return error_set(error, STATUS_USAGE, "the trace's path %.200s leaves the folder of the results",
                         relative);
    file_join(path, folder == NULL ? "." : folder, relative);
    if (!file_is_regular(path))
        return error_set(error, STATUS_USAGE, "the trace %.200s does not exist beside the results", relative);
    if (!file_lies_within(folder == NULL ? "." : folder, path))
        return error_set(error, STATUS_USAGE, "the trace %.200s is a link out of the folder of the results",
                         relative);
    enum status status = file_read_most(path, FILE_MOST_DATA, &text, error);
    if (status == STATUS_OK && (text.size == 0 || strncmp(text.data, header, sizeof header - 1) != 0)) {
        error_set(error, STATUS_USAGE, "not a trace: its first line is not t_s,channel,value");
        error_at(error, path, 1);
        status = STATUS_USAGE;
    }
    if (status == STATUS_OK)
        status = take_rows(text.data, path, arena, trace, error);
    buffer_free(&text);
    return status;
}
