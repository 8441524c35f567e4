#include "session/predict/counter_trace.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/units.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "session/stop_signals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LONGEST_LINE = 1 << 22 };

static const char BEGIN[] = "t_s,";

/* A file that is to be followed may not exist yet. */
static const double LATE_S = 10;

static const char INTERVAL[] = "{\"kind\":\"interval\"";
static const char *const of_chip[] = {"t_s",   "seconds",       "ghz",     "vf",
                                      "volts", "temperature_c", "power_w", "cap_w"};

bool counter_trace_is(const char *path)
{
    return file_begins_with(path, BEGIN);
}

/* ---- lines ---- */

static void append(struct counter_trace *trace, char c)
{
    if (trace->size == LONGEST_LINE) /* a line that is too long is cut and then refused */
        return;
    if (trace->size + 2 > trace->capacity) {
        trace->capacity = 2 * trace->capacity + 256;
        trace->text = memory_resized(trace->text, trace->capacity, 1);
    }
    trace->text[trace->size++] = c;
    trace->text[trace->size] = '\0';
}

/* Waits a little for the file to grow; false when it has been long enough. */
static bool wait_more(const struct counter_trace *trace, double since_s)
{
    const struct timespec pause = {0, 10000000};
    if (!trace->grows || trace->pipe || stop_signals_came() ||
        (trace->wait_s > 0 && clock_now_s() - since_s > trace->wait_s))
        return false;
    nanosleep(&pause, NULL);
    return !stop_signals_came();
}

/* Reads the next line, without its end, into trace->text; false at the end of the trace. */
static bool next_line(struct counter_trace *trace)
{
    double since_s = clock_now_s();
    trace->size = 0;
    for (;;) {
        int c = getc(trace->file);
        if (c == EOF) {
            clearerr(trace->file);
            if (!wait_more(trace, since_s))
                break;
            continue;
        }
        if (c == '\n') {
            trace->line++;
            if (trace->size > 0 && trace->text[trace->size - 1] == '\r')
                trace->text[--trace->size] = '\0';
            if (trace->size == 0)
                continue;
            return strcmp(trace->text, "end") != 0;
        }
        append(trace, (char)c);
    }
    /* A last line without a line end is complete if the file does not grow. */
    trace->line += trace->size > 0;
    return trace->size > 0 && !trace->grows;
}

/* ---- the header ---- */

static enum status read_names(struct counter_trace *trace, struct error *error)
{
    trace->names = memory_text(trace->text);
    for (char *rest = trace->names, *name; (name = strsep(&rest, ",")) != NULL;) {
        if (trace->column_count == COUNTER_TRACE_COLUMNS)
            return error_set(error, STATUS_USAGE, "%s has more than %d columns", trace->path,
                             COUNTER_TRACE_COLUMNS);
        for (size_t i = 0; i < trace->column_count; i++)
            if (strcmp(trace->columns[i], name) == 0)
                return error_set(error, STATUS_USAGE, "%s has two columns %.60s", trace->path, name);
        trace->has_core = trace->has_core || strcmp(name, "core") == 0;
        trace->columns[trace->column_count++] = name;
    }
    return STATUS_OK;
}

static FILE *open_file(const char *path, bool grows, double wait_s)
{
    double end_s = clock_now_s() + (wait_s > 0 ? wait_s : LATE_S);
    FILE *file;
    while ((file = fopen(path, "re")) == NULL && errno == ENOENT && grows && clock_now_s() < end_s &&
           !stop_signals_came())
        clock_rest(0.01);
    return file;
}

/* Adds the line to those of perf's interval at that time. */
static void take_line(struct counter_trace *trace, double t_s)
{
    buffer_append(&trace->lines, trace->text, trace->size);
    buffer_text(&trace->lines, "\n");
    trace->rows++;
    trace->t_s = t_s;
}

enum status counter_trace_open(const struct counter_trace_request *request, struct counter_trace *trace,
                               struct error *error)
{
    struct stat info;
    const char *path = request->path;
    double t_s;
    *trace = (struct counter_trace){.path = path,
                                    .grows = request->grows,
                                    .wait_s = request->wait_s,
                                    .given = request->given,
                                    .t_s = NAN,
                                    .before_s = NAN,
                                    .file = open_file(path, request->grows, request->wait_s)};
    if (trace->file == NULL)
        return error_set(error, STATUS_USAGE, "%s: %s", path, strerror(errno));
    if (fstat(fileno(trace->file), &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)))
        return error_set(error, STATUS_USAGE, "%s is neither a file nor a FIFO", path);
    trace->pipe = S_ISFIFO(info.st_mode);
    bool whole = next_line(trace);
    while (whole && trace->text[0] == '#') /* perf says when it was started */
        whole = next_line(trace);
    trace->counted = whole && perf_trace_time(trace->text, &t_s);
    if (trace->counted) {
        trace->before_s = 0; /* perf's own begin */
        take_line(trace, t_s);
        return perf_trace_open(&request->perf, &trace->perf, error);
    }
    trace->results = whole && trace->text[0] == '{';
    if (trace->results)
        return STATUS_OK;
    bool good = whole && strncmp(trace->text, BEGIN, strlen(BEGIN)) == 0;
    if (good)
        return read_names(trace, error);
    error_set(error, STATUS_USAGE, "'%.40s' is not the first line of a trace",
              trace->size > 0 ? trace->text : "");
    error_at(error, path, 1);
    error_hint(
        error,
        "expected t_s,core,ghz,temperature_c,cycles,instructions,..., then a line per core and step, or "
        "the intervals of trauma record --interval or perf stat -I -x or -j");
    return STATUS_USAGE;
}

void counter_trace_close(struct counter_trace *trace)
{
    if (trace->file != NULL)
        fclose(trace->file);
    free(trace->names);
    free(trace->text);
    buffer_free(&trace->lines);
    perf_trace_close(&trace->perf);
    arena_free(&trace->arenas[0]);
    arena_free(&trace->arenas[1]);
    *trace = (struct counter_trace){0};
}

/* ---- rows ---- */

struct row {
    double values[COUNTER_TRACE_COLUMNS]; /* NAN: an empty cell */
    double t_s, core;
};

static enum status read_row(const struct counter_trace *trace, struct row *row, struct error *error)
{
    size_t count = 0;
    char *rest = trace->text;
    row->t_s = row->core = NAN;
    for (char *cell; (cell = strsep(&rest, ",")) != NULL; count++) {
        double value = NAN;
        if (count < trace->column_count && cell[0] != '\0' && !units_parse_number(cell, &value)) {
            error_set(error, STATUS_USAGE, "'%.40s' in column %.40s is not a number", cell,
                      trace->columns[count]);
            error_at(error, trace->path, trace->line);
            return STATUS_USAGE;
        }
        if (count >= trace->column_count)
            continue;
        row->values[count] = value;
        if (strcmp(trace->columns[count], "t_s") == 0)
            row->t_s = value;
        if (strcmp(trace->columns[count], "core") == 0)
            row->core = value;
    }
    bool core = !trace->has_core || (row->core >= 0 && row->core == floor(row->core) && row->core < 1e6);
    if (count == trace->column_count && isfinite(row->t_s) && core)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the line has %zu cells, or a wrong t_s or core; expected %zu cells",
              count, trace->column_count);
    error_at(error, trace->path, trace->line);
    return STATUS_USAGE;
}

static bool is_of_chip(const char *name)
{
    for (size_t i = 0; i < sizeof of_chip / sizeof of_chip[0]; i++)
        if (strcmp(of_chip[i], name) == 0)
            return true;
    return false;
}

/* A core has one line in a step, and lines of one step agree on the chip. */
static enum status occurs_again(const struct counter_trace *trace, const char *key, double before, double now,
                                struct error *error)
{
    error_set(error, STATUS_USAGE, "%.100s occurs again in the step at %.10g s: %.10g, and %.10g before", key,
              trace->t_s, now, before);
    error_at(error, trace->path, trace->line);
    return STATUS_USAGE;
}

static enum status add_row(struct counter_trace *trace, const struct row *row, struct error *error)
{
    trace->t_s = row->t_s;
    for (size_t i = 0; i < trace->column_count; i++) {
        char key[96];
        const char *name = trace->columns[i];
        if (isnan(row->values[i]) || strcmp(name, "core") == 0)
            continue;
        if (trace->has_core && !is_of_chip(name))
            snprintf(key, sizeof key, "core%.0f.%.60s", row->core, name);
        else
            snprintf(key, sizeof key, "%.60s", name);
        const struct named_number *before = named_number_find(&trace->step, key);
        if (before != NULL && (!is_of_chip(name) || before->value != row->values[i]))
            return occurs_again(trace, key, before->value, row->values[i], error);
        named_number_set(&trace->step, &trace->arenas[trace->which], key, row->values[i]);
    }
    trace->rows++;
    return STATUS_OK;
}

/* Hands over the step; empty if its length is unknown. */
static struct named_numbers end_step(struct counter_trace *trace)
{
    struct named_numbers step = trace->step;
    double seconds = trace->t_s - trace->before_s;
    if (step.count > 0 && named_number_find(&step, "seconds") == NULL && seconds > 0)
        named_number_set(&step, &trace->arenas[trace->which], "seconds", seconds);
    trace->before_s = trace->t_s;
    trace->usual = trace->rows;
    trace->rows = 0;
    trace->step = (struct named_numbers){0};
    trace->which = !trace->which;
    arena_free(&trace->arenas[trace->which]);
    return named_number_find(&step, "seconds") == NULL ? trace->step : step;
}

/* ---- intervals of results ---- */

bool counter_trace_is_recorded(const char *path)
{
    struct counter_trace trace = {.path = path};
    bool recorded = false;
    if (!results_is_one(path) || (trace.file = fopen(path, "re")) == NULL)
        return false;
    for (int i = 0; i < 2 && next_line(&trace); i++)
        recorded = i == 1 && strncmp(trace.text, INTERVAL, sizeof INTERVAL - 1) == 0;
    counter_trace_close(&trace);
    return recorded;
}

static void set(struct counter_trace *trace, const char *name, double value)
{
    if (isfinite(value))
        named_number_set(&trace->step, &trace->arenas[trace->which], name, value);
}

static void set_all(struct counter_trace *trace, int core, const struct result_values *values)
{
    char key[96];
    for (size_t i = 0; i < values->count; i++) {
        if (core >= 0)
            snprintf(key, sizeof key, "core%d.%.60s", core, values->items[i].name);
        else
            snprintf(key, sizeof key, "%.60s", values->items[i].name);
        set(trace, key, values->items[i].interval.value);
    }
}

static enum status refuse_line(const struct counter_trace *trace, const char *what, struct error *error)
{
    error_set(error, STATUS_USAGE, "%s", what);
    error_at(error, trace->path, trace->line);
    error_hint(error, "expected lines of trauma record --interval, or a CSV that begins with t_s,");
    return STATUS_USAGE;
}

/* The next interval in which something ran; empty at the application's line. */
static enum status next_interval(struct counter_trace *trace, struct named_numbers *step, struct error *error)
{
    while (next_line(trace)) {
        struct result_step read;
        struct arena *arena = &trace->arenas[trace->which = !trace->which];
        arena_free(arena);
        trace->step = (struct named_numbers){0};
        bool whole, interval = result_step_read(trace->text, trace->size, arena, &read, &whole);
        bool good = interval && isfinite(read.t_s) && read.seconds > 0;
        bool rested = interval && read.counters.count > 0 && read.core_count == 0;
        if (good && !rested) {
            set(trace, "t_s", read.t_s);
            set(trace, "seconds", read.seconds);
            set(trace, "ghz", read.ghz);
            set(trace, "temperature_c", read.temperature_c);
            set(trace, "power_w", read.power_w);
            for (size_t i = 0; i < read.core_count; i++)
                set_all(trace, read.cores[i].cpu, &read.cores[i].counters);
            *step = trace->step;
        }
        if (good && !rested)
            return STATUS_OK;
        if (!whole || (interval && !good))
            return refuse_line(trace, "this is not a whole interval of an application", error);
        if (!interval)
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* ---- intervals of perf ---- */

bool counter_trace_is_counted(const char *path)
{
    double t_s;
    struct stat info;
    struct counter_trace trace = {.path = path};
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (trace.file = fopen(path, "re")) == NULL)
        return false;
    bool whole = next_line(&trace);
    while (whole && trace.text[0] == '#')
        whole = next_line(&trace);
    bool counted = whole && perf_trace_time(trace.text, &t_s);
    counter_trace_close(&trace);
    return counted;
}

/* The interval that is complete. */
static enum status end_counted(struct counter_trace *trace, struct named_numbers *step, struct error *error)
{
    struct arena *arena = &trace->arenas[trace->which = !trace->which];
    double seconds = trace->t_s - trace->before_s;
    arena_free(arena);
    enum status status = perf_trace_step(&trace->perf, trace->lines.data, trace->lines.size, trace->t_s,
                                         seconds, arena, step, error);
    if (status != STATUS_OK)
        error_at(error, trace->path, trace->line);
    trace->before_s = trace->t_s;
    trace->usual = trace->rows;
    trace->rows = trace->lines.size = 0;
    return status;
}

/* The next interval in which something was counted. A growing one with as many lines as the one before is
 * complete. */
static enum status next_counted(struct counter_trace *trace, struct named_numbers *step, struct error *error)
{
    enum status status = STATUS_OK;
    for (bool more = true; status == STATUS_OK && more && step->count == 0;) {
        double t_s;
        bool complete = trace->grows && trace->rows > 0 && trace->rows == trace->usual;
        if (complete) {
            status = end_counted(trace, step, error);
            continue;
        }
        more = next_line(trace);
        if (more && !perf_trace_time(trace->text, &t_s))
            continue; /* a remark, or a summary of what the intervals have */
        if (!more && trace->rows == 0)
            break;
        if (!more && trace->rows < trace->usual)
            perf_trace_warn_cut(&trace->perf, trace->t_s);
        else if (trace->rows > 0 && (!more || t_s != trace->t_s))
            status = end_counted(trace, step, error);
        if (status == STATUS_OK && more && trace->rows == 0 && !(t_s > trace->before_s))
            status = refuse_line(trace, "the interval does not follow the one before", error);
        if (more)
            take_line(trace, t_s);
    }
    return status;
}

/* Adds what is given of the chip. */
static enum status add_given(struct counter_trace *trace, struct named_numbers *step, struct error *error)
{
    for (size_t i = 0; step->count > 0 && trace->given != NULL && i < trace->given->count; i++) {
        const struct named_number *given = &trace->given->items[i],
                                  *own = named_number_find(step, given->name);
        if (own != NULL && own->value != given->value)
            return error_set(error, STATUS_USAGE, "%s is %.10g in the trace, and %.10g beside it",
                             given->name, own->value, given->value);
        named_number_set(step, &trace->arenas[trace->which], given->name, given->value);
    }
    return STATUS_OK;
}

static enum status next_rows(struct counter_trace *trace, struct named_numbers *step, struct error *error)
{
    while (step->count == 0) {
        struct row row;
        if (!next_line(trace)) {
            *step = end_step(trace);
            return STATUS_OK;
        }
        enum status status = read_row(trace, &row, error);
        if (status != STATUS_OK)
            return status;
        if (trace->step.count > 0 && row.t_s != trace->t_s)
            *step = end_step(trace);
        if (trace->step.count == 0 && row.t_s <= trace->before_s) {
            status = error_set(error, STATUS_USAGE,
                               "t_s is %.10g after %.10g; expected more, or a step's lines together", row.t_s,
                               trace->before_s);
            error_at(error, trace->path, trace->line);
        } else
            status = add_row(trace, &row, error);
        if (status != STATUS_OK)
            return status;
        /* A growing step with as many lines as the one before is complete; it need not wait for the next. */
        if (step->count == 0 && (!trace->has_core || (trace->grows && trace->rows == trace->usual)))
            *step = end_step(trace);
    }
    return STATUS_OK;
}

enum status counter_trace_next(struct counter_trace *trace, struct named_numbers *step, struct error *error)
{
    *step = (struct named_numbers){0};
    enum status status = (trace->results   ? next_interval
                          : trace->counted ? next_counted
                                           : next_rows)(trace, step, error);
    return status == STATUS_OK ? add_given(trace, step, error) : status;
}
