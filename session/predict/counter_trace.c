#include "session/predict/counter_trace.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text/text_set.h"
#include "base/units.h"
#include "model/data/counters.h"
#include "model/data/named_numbers.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/events/event_table.h"
#include "runner/sources/import/import_file.h"
#include "runner/state/perf_host.h"
#include "session/stop_signals.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

enum { LONGEST_LINE = 1 << 22 };

static const char BEGIN[] = "t_s,";

/* ---- intervals of perf ---- */

enum { KEY_BYTES = 96 };

/* perf's events that are not counts. */
static const char TASK_CLOCK[] = "task-clock";
static const char ENERGY[] = "energy-pkg";

/* ---- lines ---- */

/* True for a line of an interval in the format of -x or -j; *t_s is its time. */
static bool perf_trace_time(const char *line, double *t_s)
{
    static const char key[] = "\"interval\"";
    line += strspn(line, " \t");
    const char *at = line[0] == '{' ? strstr(line, key) : line;
    if (at == NULL)
        return false;
    at += line[0] == '{' ? strlen(key) : 0;
    at += line[0] == '{' ? strspn(at, " :") : 0;
    size_t whole = strspn(at, "0123456789");
    size_t length = at[whole] == '.' ? whole + 1 + strspn(at + whole + 1, "0123456789") : whole;
    if (whole == 0 || length < whole + 4 || at[length] == '\0' || strchr(",;\t|} ", at[length]) == NULL)
        return false;
    *t_s = strtod(at, NULL);
    return true;
}

/* ---- warnings that are given once ---- */

__attribute__((format(printf, 3, 4))) static void warn_once(struct perf_trace *trace, const char *about,
                                                            const char *format, ...)
{
    char text[512];
    va_list arguments;
    size_t before = trace->warned.count;
    if (trace->request.warn == NULL || text_set_add(&trace->warned, about) < before)
        return;
    size_t used = (size_t)snprintf(text, sizeof text, "%.200s: ", file_base_name(trace->request.path));
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    trace->request.warn(trace->request.context, text);
}

/* Warns that the last interval has fewer lines than the one before, so that it is left out. */
static void perf_trace_warn_cut(struct perf_trace *trace, double t_s)
{
    warn_once(trace, "cut", "the last interval, at %.3f s, is not whole; it is left out", t_s);
}

/* ---- names ---- */

static struct event_table *new_table(void)
{
    return memory_zeroed(1, sizeof(struct event_table));
}

/* Opens the events file of the model's machine, or else of this host. */
static enum status open_processor(struct perf_trace *trace, struct error *error)
{
    struct perf_host host;
    struct event_processor processor = {.name = trace->request.machine};
    if (processor.name != NULL && event_folder_table(&processor, trace->processor, NULL) == STATUS_OK)
        return STATUS_OK;
    event_table_free(trace->processor);
    *trace->processor = (struct event_table){0};
    trace->guessed = true;
    perf_host_read(&host, -1, "");
    processor = (struct event_processor){host.vendor, host.family, host.model, host.pmu, NULL};
    return event_folder_table(&processor, trace->processor, error);
}

/* STATUS_RECIPE when an events file is wrong. Close with perf_trace_close in every case. */
static enum status perf_trace_open(const struct perf_trace_request *request, struct perf_trace *trace,
                                   struct error *error)
{
    *trace = (struct perf_trace){.request = *request, .names = new_table(), .processor = new_table()};
    enum status status = event_folder_import("perf", trace->names, error);
    return status == STATUS_OK ? open_processor(trace, error) : status;
}

static void perf_trace_close(struct perf_trace *trace)
{
    struct event_table *const tables[] = {trace->names, trace->processor};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (tables[i] != NULL) {
            event_table_free(tables[i]);
            free(tables[i]);
        }
    text_set_free(&trace->warned);
    *trace = (struct perf_trace){0};
}

/* True if name is the event's code, apart from leading zeros, or its other name. */
static bool is_event(const struct event *event, const char *name)
{
    char *end_name, *end_code;
    if (event->code == NULL)
        return false;
    if (name[0] == 'r' && event->code[0] == 'r') {
        unsigned long long a = strtoull(name + 1, &end_name, 16),
                           b = strtoull(event->code + 1, &end_code, 16);
        if (end_name > name + 1 && end_code > event->code + 1 && *end_name == '\0' && *end_code == '\0')
            return a == b;
    }
    const char *rest = event->rest == NULL ? "" : event->rest;
    bool one = rest[strcspn(rest, " \t")] == '\0'; /* several words describe a processor's event */
    return strcasecmp(event->code, name) == 0 || (one && strcasecmp(rest, name) == 0);
}

/* ---- one core ---- */

/* The counts of one core, or of all together, in an interval. */
struct perf_counts {
    struct named_numbers numbers;
    double task_s, joules; /* NAN: not counted */
    const char *lacks;     /* a model's count that was not counted; NULL: none */
    const char *cannot;    /* a model's count that perf cannot count here; NULL: none */
};

static bool is_unsupported(const struct import *import, const struct import_value *value)
{
    for (size_t i = 0; i < import->cell_count; i++) {
        const struct import_cell *cell = &import->cells[i];
        if (strcmp(import->values[cell->value].name, value->name) == 0 && cell->text != NULL &&
            strcmp(cell->text, "<not supported>") == 0)
            return true;
    }
    return false;
}

/* A value as the named count. */
static void take(struct perf_trace *trace, const struct import *import, const struct import_value *value,
                 const char *name, struct arena *arena, struct perf_counts *counted)
{
    if (named_number_find(&counted->numbers, name) != NULL)
        return;
    if (value->why != NULL)
        warn_once(trace, value->name, "%.60s is not used: %.160s", value->name, value->why);
    if (value->rows > 0 && value->why == NULL) {
        if (value->counted < 1)
            warn_once(trace, value->name,
                      "%.60s was counted for %.3g %% of an interval and extrapolated; count fewer at a time",
                      value->name, 100 * value->counted);
        named_number_set(&counted->numbers, arena, name, value->value);
    } else if (is_unsupported(import, value)) {
        warn_once(trace, value->name, "%.60s is <not supported>: perf cannot count it there", value->name);
        counted->cannot = arena_strdup(arena, value->name);
    } else {
        counted->lacks = arena_strdup(arena, value->name);
    }
}

/* Adds the table's sums of events whose events were all counted. */
static void take_totals(struct perf_trace *trace, const struct event_table *table,
                        const struct import *import, struct arena *arena, struct perf_counts *counted)
{
    const struct import_value *of[EVENT_TABLE_EVENTS] = {NULL};
    double counts[EVENT_TABLE_EVENTS] = {0};
    for (size_t i = 0; i < table->event_count; i++)
        for (size_t j = 0; of[i] == NULL && j < import->count; j++)
            if (is_event(&table->events[i], import->values[j].name))
                of[i] = &import->values[j];
    for (size_t i = 0; trace->guessed && table == trace->processor && i < table->event_count; i++)
        if (of[i] != NULL && of[i]->name[0] == 'r')
            warn_once(trace, "codes",
                      "%.60s and other codes are read as those of this host's processor, as no events "
                      "file names the model's machine",
                      of[i]->name);
    for (size_t i = 0; i < table->total_count; i++) {
        const struct event_total *total = &table->totals[i];
        struct import_value sum = {.name = total->name, .counted = 1, .rows = SIZE_MAX};
        bool whole =
            total->sum.count > 0 && counters_known(total->name) && strcmp(total->name, "seconds") != 0;
        for (size_t j = 0; whole && j < total->sum.count; j++) {
            int event = total->sum.terms[j].event;
            whole = event < 0 || of[event] != NULL;
            if (event < 0 || !whole)
                continue;
            counts[event] = of[event]->value;
            if (total->sum.count == 1 || of[event]->rows == 0)
                sum = *of[event];
            else
                sum.counted = fmin(sum.counted, of[event]->counted);
        }
        if (!whole)
            continue;
        sum.value = event_sum_value(&total->sum, counts);
        take(trace, import, &sum, total->name, arena, counted);
    }
}

/* --columns EVENT=NAME. */
static enum status take_columns(struct perf_trace *trace, struct import *import, struct arena *arena,
                                struct perf_counts *counted, struct error *error)
{
    char *rest = arena_strdup(arena, trace->request.columns == NULL ? "" : trace->request.columns);
    for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
        char *sign = strrchr(pair, '=');
        if (pair[0] == '@' || pair[0] == '\0')
            continue;
        if (sign == NULL || sign == pair || sign[1] == '\0')
            return error_set(error, STATUS_USAGE, "--columns: expected EVENT=NAME, found '%.60s'", pair);
        *sign = '\0';
        const struct import_value *value = import_find_value(import, pair);
        if (value == NULL)
            return error_set(error, STATUS_USAGE, "the interval has no event \"%.60s\"", pair);
        take(trace, import, value, sign + 1, arena, counted);
    }
    return STATUS_OK;
}

static double number_of(const struct import *import, const char *name)
{
    const struct import_value *value = import_find_value(import, name);
    return value == NULL || value->rows == 0 || value->why != NULL ? NAN : value->value;
}

static enum status read_core(struct perf_trace *trace, struct import *core, struct arena *arena,
                             struct perf_counts *counted, struct error *error)
{
    *counted = (struct perf_counts){.task_s = NAN, .joules = NAN};
    enum status status = import_settle(core, trace->request.columns, IMPORT_APPLICATION, error);
    if (status == STATUS_OK)
        status = take_columns(trace, core, arena, counted, error);
    if (status != STATUS_OK)
        return status;
    take_totals(trace, trace->names, core, arena, counted);
    take_totals(trace, trace->processor, core, arena, counted);
    for (size_t i = 0; i < core->count; i++)
        if (counters_known(core->values[i].name))
            take(trace, core, &core->values[i], core->values[i].name, arena, counted);
    counted->task_s = 1e-3 * number_of(core, TASK_CLOCK);
    counted->joules = number_of(core, ENERGY);
    return STATUS_OK;
}

/* ---- the interval ---- */

/* The processor of a label of -A: "CPU3", or "3" in JSON. -1: no label; -2: another label. */
static int processor_of(const char *label)
{
    char *end;
    if (label == NULL)
        return -1;
    const char *digits = strncmp(label, "CPU", 3) == 0 ? label + 3 : label;
    long number = strtol(digits, &end, 10);
    return digits[0] >= '0' && digits[0] <= '9' && *end == '\0' && number < 100000 ? (int)number : -2;
}

/* The lines and cells of one processor. Free with import_free before the whole import. */
static struct import take_core(const struct import *whole, int processor)
{
    struct import core = {.tool = whole->tool, .path = whole->path, .groups = whole->groups};
    size_t next = 0;
    for (size_t i = 0; i < whole->line_count; i++) {
        bool its_own = processor_of(whole->lines[i].scopes[IMPORT_CORE]) == processor;
        if (its_own)
            *import_add_line(&core, whole->lines[i].number) = whole->lines[i];
        for (; next < whole->cell_count && whole->cells[next].line == i; next++)
            if (its_own)
                import_add_cell(&core, import_value(&core, whole->values[whole->cells[next].value].name),
                                whole->cells[next].text, whole->cells[next].unit);
    }
    return core;
}

/* The interval as a whole. */
struct perf_interval {
    double t_s, seconds, ghz, joules;
    size_t cores;
    bool partial; /* a processor lacks a count */
    bool rested;  /* a processor counted nothing */
    const char *cannot;
};

/* Adds the counts of a processor (-1: of all together). */
static void add_counted(struct perf_trace *trace, const struct perf_counts *counted, int processor,
                        struct perf_interval *whole, struct arena *arena, struct named_numbers *step)
{
    char key[KEY_BYTES];
    bool alone = processor < 0 && counted->task_s > 0;
    whole->joules = isfinite(counted->joules) ? fmax(whole->joules, 0) + counted->joules : whole->joules;
    whole->cannot = counted->cannot != NULL ? counted->cannot : whole->cannot;
    whole->rested = whole->rested || (counted->numbers.count == 0 && counted->lacks != NULL);
    if (counted->numbers.count == 0)
        return;
    if (counted->lacks != NULL) {
        warn_once(trace, "partial",
                  "%.60s was <not counted> in the interval that ends at %.3f s; such steps are left out",
                  counted->lacks, whole->t_s);
        whole->partial = true;
    }
    whole->cores++;
    for (size_t i = 0; i < counted->numbers.count; i++) {
        const struct named_number *number = &counted->numbers.items[i];
        if (processor >= 0)
            snprintf(key, sizeof key, "core%d.%.60s", processor, number->name);
        else
            snprintf(key, sizeof key, "%.60s", number->name);
        named_number_set(step, arena, key, number->value);
    }
    double cycles = named_number_value(&counted->numbers, "cycles");
    double ghz = 1e-9 * cycles / (alone ? counted->task_s : whole->seconds);
    whole->ghz = isfinite(ghz) && !(whole->ghz > ghz) ? ghz : whole->ghz;
    if (isfinite(ghz) && !alone && !trace->request.clock_given)
        warn_once(trace, "clock",
                  "the clock is computed from cycles in the time of an interval, as if the busiest core "
                  "never rested; --set ghz=GHZ states it%s",
                  processor < 0 ? ", or count task-clock, too" : "");
}

static enum status end_perf_step(struct perf_trace *trace, const struct perf_interval *whole,
                                 struct arena *arena, struct named_numbers *step, struct error *error)
{
    if (whole->cores == 0 && whole->cannot != NULL) {
        error_set(error, STATUS_USAGE, "nothing that a model takes was counted: %.60s is <not supported>",
                  whole->cannot);
        error_hint(
            error,
            "count on a machine whose counters perf can use: `trauma sensors` lists those of this one");
        return STATUS_USAGE;
    }
    if (whole->cores == 0 && !whole->rested)
        return counters_lack("cycles, instructions", "", error);
    if (whole->cores == 0)
        warn_once(trace, "rest",
                  "nothing was counted in the interval that ends at %.3f s; such intervals are left out",
                  whole->t_s);
    if (whole->cores == 0 || whole->partial) {
        *step = (struct named_numbers){0};
        return STATUS_OK;
    }
    named_number_set(step, arena, "t_s", whole->t_s);
    named_number_set(step, arena, "seconds", whole->seconds);
    if (!trace->request.clock_given && isnan(whole->ghz))
        return counters_lack("cycles", "", error);
    if (!trace->request.clock_given)
        named_number_set(step, arena, "ghz", whole->ghz);
    if (whole->joules >= 0)
        named_number_set(step, arena, "power_w", whole->joules / whole->seconds);
    return STATUS_OK;
}

/* Reads an interval's lines as a step; *step is empty, with a warning, if a model's counts are missing.
 * STATUS_USAGE when the lines are not perf's, or have no counts of a model. */
static enum status perf_trace_step(struct perf_trace *trace, const char *lines, size_t size, double t_s,
                                   double seconds, struct arena *arena, struct named_numbers *step,
                                   struct error *error)
{
    struct import import;
    struct perf_counts counted;
    struct perf_interval whole = {.t_s = t_s, .seconds = seconds, .ghz = NAN, .joules = -1};
    int done = -2; /* the last processor that was read; they are read in ascending order */
    *step = (struct named_numbers){0};
    enum status status = import_parse(lines, size, trace->request.path, false, &import, error);
    for (bool more = true; status == STATUS_OK && more;) {
        int next = INT32_MAX;
        for (size_t i = 0; status == STATUS_OK && i < import.line_count; i++) {
            const char *label = import.lines[i].scopes[IMPORT_CORE];
            int processor = processor_of(label);
            if (processor == -2) {
                error_set(error, STATUS_USAGE, "'%.60s' is no logical processor", label);
                error_hint(error, "count by processor, perf stat -A, or everything together");
                status = STATUS_USAGE;
            }
            next = processor > done && processor < next ? processor : next;
        }
        more = status == STATUS_OK && next != INT32_MAX;
        if (!more)
            break;
        done = next;
        struct import core = take_core(&import, next);
        status = read_core(trace, &core, arena, &counted, error);
        import_free(&core);
        if (status == STATUS_OK)
            add_counted(trace, &counted, next, &whole, arena, step);
    }
    import_free(&import);
    return status == STATUS_OK ? end_perf_step(trace, &whole, arena, step, error) : status;
}

/* ---- missing counts ---- */

/* Adds the events whose sum is the count. */
static void add_events(const struct perf_trace *trace, const char *name, struct buffer *list)
{
    const struct event_table *const tables[] = {trace->processor, trace->names};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < tables[k]->total_count; i++) {
            const struct event_sum *sum = &tables[k]->totals[i].sum;
            if (strcmp(tables[k]->totals[i].name, name) != 0 || sum->count == 0)
                continue;
            for (size_t j = 0; j < sum->count; j++)
                if (sum->terms[j].event >= 0)
                    buffer_printf(list, "%s%s", list->size == 0 ? "" : ",",
                                  tables[k]->events[sum->terms[j].event].code);
            return;
        }
    buffer_printf(list, "%scpu/config=CODE,name=%s/", list->size == 0 ? "" : ",", name);
}

void perf_trace_hint(const struct perf_trace *trace, struct error *error)
{
    static const char separator[] = ", ", temperature[] = "temperature_c";
    struct buffer list = {0};
    if (strncmp(error->lacking, temperature, strlen(temperature)) == 0) {
        error_hint(error, "--set temperature_c=CELSIUS, as perf counts no temperature");
        return;
    }
    for (const char *at = error->lacking; *at != '\0';) {
        char name[KEY_BYTES];
        size_t length = strcspn(at, separator);
        const char *point = memchr(at, '.', length);
        const char *from = strncmp(at, "core", 4) == 0 && point != NULL ? point + 1 : at;
        snprintf(name, sizeof name, "%.*s", (int)(at + length - from), from);
        add_events(trace, name, &list);
        at += length + strspn(at + length, separator);
    }
    if (list.size > 0)
        error_hint(error, "count that, too: perf stat -I 200 -x, -A -a -e %s", list.data);
    buffer_free(&list);
}

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
    while (whole && trace->text[0] == '#') /* perf's line with the start time */
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

/* Ends the current step and returns it; empty if its length is unknown. */
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

/* The next interval in which the application ran; empty at the application's line. */
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

/* Ends perf's interval, which is complete. */
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
            continue; /* a remark, or perf's summary at the end */
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

/* Adds the given values of the chip. */
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
