#include "runner/power/power_trace.h"

#include <math.h>
#include <string.h>

/* The next row of one channel. */
struct series_cursor {
    const struct series *series;
    const char *name;
    size_t at;
};

static double next_time(const struct series_cursor *cursor)
{
    return cursor->at < cursor->series->count ? cursor->series->t_s[cursor->at] : INFINITY;
}

static struct series_cursor *earliest(struct series_cursor *cursors, size_t count)
{
    struct series_cursor *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (isfinite(next_time(&cursors[i])) && (first == NULL || next_time(&cursors[i]) < next_time(first)))
            first = &cursors[i];
    return first;
}

static void write_rows(const struct recorder *recorder, struct series_cursor *cursors, size_t count,
                       struct buffer *text)
{
    size_t mark_count;
    size_t mark = 0;
    const struct recorder_mark *marks = recorder_marks(recorder, &mark_count);
    struct series_cursor *next = earliest(cursors, count);
    double zero_s = mark_count > 0 ? marks[0].t_s : next != NULL ? next_time(next) : 0;
    for (; next != NULL || mark < mark_count; next = earliest(cursors, count)) {
        if (mark < mark_count && (next == NULL || marks[mark].t_s <= next_time(next))) {
            buffer_printf(text, "%.6f,mark,%s\n", marks[mark].t_s - zero_s, marks[mark].phase);
            mark++;
            continue;
        }
        buffer_printf(text, "%.6f,%s,%.9g\n", next_time(next) - zero_s, next->name,
                      next->series->values[next->at]);
        next->at++;
    }
}

/* A comma in a name would end the field. */
static bool plain(const char *name)
{
    return strpbrk(name, ",\"\n") == NULL;
}

void power_trace_write(const struct recorder *recorder, struct buffer *text)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct series_cursor cursors[SENSOR_LIST_MOST * SENSOR_LIST_CHANNELS];
    size_t count = 0;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (plain(meters->meters[i].channels[j].name))
                cursors[count++] = (struct series_cursor){.series = recorder_series(recorder, i, j),
                                                          .name = meters->meters[i].channels[j].name};
    buffer_text(text, "t_s,channel,value\n");
    write_rows(recorder, cursors, count, text);
}
