/* The formats of perf stat are described in tools/perf/Documentation/perf-stat.txt, CSV FORMAT and JSON
 * FORMAT. In the tables of GPU profilers, lines before the heading are the profiler's messages. */
#include "runner/sources/import/import_formats.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text/names.h"
#include "runner/sources/import/import_numbers.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SEPARATORS[] = ",;\t|";

/* ---- fields ---- */

size_t import_split(char *line, char separator, char **fields, size_t most)
{
    size_t count = 0;
    char *read = line;
    while (count < most) {
        while (*read == ' ' && separator != ' ')
            read++;
        char *write = read;
        bool quoted = false;
        fields[count++] = write;
        for (; *read != '\0' && (quoted || *read != separator); read++) {
            if (*read == '"')
                quoted = !quoted;
            else
                *write++ = *read;
        }
        bool end = *read == '\0';
        read++;
        while (write > fields[count - 1] && strchr(" \r", write[-1]) != NULL)
            write--;
        *write = '\0';
        if (end)
            break;
    }
    return count;
}

static int find_field(char **fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0)
            return (int)i;
    return -1;
}

/* Reports the first error of a file. */
__attribute__((format(printf, 4, 5))) static void refuse(const struct import *import, int line,
                                                         struct error *error, const char *format, ...)
{
    char message[400];
    va_list arguments;
    if (error->code != STATUS_OK)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(error, STATUS_USAGE, "%s", message);
    error_at(error, import->path, line);
}

/* ---- tables ---- */

/* Columns with the scope of a row. */
static const struct {
    const char *column;
    enum import_scope scope;
} scope_columns[] = {
    {"Kernel Name", IMPORT_KERNEL}, {"KernelName", IMPORT_KERNEL},  {"Kernel_Name", IMPORT_KERNEL},
    {"Method", IMPORT_KERNEL},      {"Process ID", IMPORT_PROCESS}, {"pid", IMPORT_PROCESS},
    {"PID", IMPORT_PROCESS},        {"Process_Id", IMPORT_PROCESS}, {"Device", IMPORT_DEVICE},
    {"gpu-id", IMPORT_DEVICE},      {"GPU_ID", IMPORT_DEVICE},      {"Agent_Id", IMPORT_DEVICE},
};

/* A table: its heading, and what is in which column. */
struct format_table {
    char separator;
    char *heading; /* the unchanged line */
    char *names[IMPORT_FIELDS];
    size_t columns;            /* 0: before the heading */
    int scopes[IMPORT_SCOPES]; /* columns; -1: missing */
    int dispatch;              /* the column that numbers the kernels' runs; -1: missing */
};

static void take_heading(struct format_table *table, char **fields, size_t count)
{
    static const char *const dispatches[] = {"ID", "Dispatch_Id", "Dispatch_ID"};
    while (count > 0 && fields[count - 1][0] == '\0')
        count--;
    table->columns = count;
    memcpy(table->names, fields, count * sizeof fields[0]);
    for (size_t i = 0; i < IMPORT_SCOPES; i++)
        table->scopes[i] = -1;
    for (size_t i = 0; i < sizeof scope_columns / sizeof scope_columns[0]; i++) {
        int found = find_field(fields, count, scope_columns[i].column);
        if (found >= 0)
            table->scopes[scope_columns[i].scope] = found;
    }
    table->dispatch = -1;
    for (size_t i = 0; table->dispatch < 0 && i < sizeof dispatches / sizeof dispatches[0]; i++)
        table->dispatch = find_field(fields, count, dispatches[i]);
}

/* Splits a row and adds its line; false for a repeated heading, or when the number of fields differs from the
 * heading's. */
static bool take_line(const struct format_table *table, const char *line, int number, char **fields,
                      struct import *import, struct error *error)
{
    if (strcmp(line, table->heading) == 0) {
        refuse(import, number, error, "the heading occurs again: the file holds several tables");
        return false;
    }
    size_t found = import_split(arena_strdup(&import->arena, line), table->separator, fields, IMPORT_FIELDS);
    while (found > table->columns && fields[found - 1][0] == '\0')
        found--;
    if (found != table->columns) {
        refuse(import, number, error, "%zu fields under a heading of %zu: '%.60s'", found, table->columns,
               line);
        return false;
    }
    struct import_line *added = import_add_line(import, number);
    for (size_t i = 0; i < IMPORT_SCOPES; i++)
        if (table->scopes[i] >= 0 && fields[table->scopes[i]][0] != '\0')
            added->scopes[i] = fields[table->scopes[i]];
    return true;
}

/* The functions of a format for its heading and rows. begin may be NULL. */
struct table_form {
    bool (*is_heading)(char **fields, size_t count, struct import *import);
    void (*begin)(struct format_table *table, struct import *import);
    void (*row)(const struct format_table *table, char **fields, struct import *import);
};

/* True if the line is the heading; also determines the separator. */
static bool find_heading(const struct table_form *form, const char *line, struct format_table *table,
                         struct import *import, char **fields)
{
    for (const char *separator = SEPARATORS; *separator != '\0'; separator++) {
        if (strchr(line, *separator) == NULL)
            continue;
        size_t found = import_split(arena_strdup(&import->arena, line), *separator, fields, IMPORT_FIELDS);
        if (!form->is_heading(fields, found, import))
            continue;
        table->separator = *separator;
        table->heading = arena_strdup(&import->arena, line);
        take_heading(table, fields, found);
        if (form->begin != NULL)
            form->begin(table, import);
        return true;
    }
    return false;
}

static bool read_table(const struct table_form *form, char **lines, size_t count, struct import *import,
                       struct error *error)
{
    struct format_table *table = memory_zeroed(1, sizeof *table);
    char **fields = memory_zeroed(IMPORT_FIELDS, sizeof *fields);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        int number = (int)i + 1;
        if (lines[i][strspn(lines[i], " ")] == '\0' || lines[i][0] == '#' || strncmp(lines[i], "==", 2) == 0)
            continue;
        if (table->columns == 0) {
            bool begun = find_heading(form, lines[i], table, import, fields);
            if (begun && table->columns == IMPORT_FIELDS)
                refuse(import, number, error, "%d columns or more", IMPORT_FIELDS);
        } else if (take_line(table, lines[i], number, fields, import, error)) {
            form->row(table, fields, import);
            any = true;
        }
    }
    any = any || error->code != STATUS_OK;
    free(table);
    free(fields);
    return any;
}

/* ---- one metric per row ---- */

static const struct {
    const char *tool, *name, *value, *unit;
} long_forms[] = {
    {"ncu", "Metric Name", "Metric Value", "Metric Unit"},
    {"rocprof", "Counter_Name", "Counter_Value", "Counter_Unit"},
};
enum { LONG_FORMS = sizeof long_forms / sizeof long_forms[0] };

static void set_tool(struct import *import, const char *tool)
{
    import->tool = tool;
    import->groups = strcmp(tool, "ncu") == 0;
}

static bool is_long(char **fields, size_t count, struct import *import)
{
    for (size_t i = 0; i < LONG_FORMS; i++)
        if (find_field(fields, count, long_forms[i].name) >= 0 &&
            find_field(fields, count, long_forms[i].value) >= 0) {
            set_tool(import, long_forms[i].tool);
            return true;
        }
    return false;
}

static void read_long(const struct format_table *table, char **fields, struct import *import)
{
    char **names = (char **)(uintptr_t)table->names;
    for (size_t i = 0; i < LONG_FORMS; i++) {
        int name = find_field(names, table->columns, long_forms[i].name);
        int number = find_field(names, table->columns, long_forms[i].value);
        int unit = find_field(names, table->columns, long_forms[i].unit);
        if (name < 0 || number < 0 || fields[name][0] == '\0')
            continue;
        const struct import_value *value = import_value(import, fields[name]);
        if (table->dispatch >= 0)
            import->lines[import->line_count - 1].group = fields[table->dispatch];
        if (value != NULL)
            import_add_cell(import, value, fields[number], unit < 0 ? NULL : fields[unit]);
    }
}

bool import_long(char **lines, size_t count, struct import *import, struct error *error)
{
    static const struct table_form form = {is_long, NULL, read_long};
    return read_table(&form, lines, count, import, error);
}

/* ---- one kernel per row ---- */

/* Columns that are no counters. */
static const char no_counters[] =
    "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size,Device,CC,"
    "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,arch_vgpr,accum_vgpr,sgpr,"
    "wave_size,sig,obj,Method,ExecutionOrder,ThreadID,CallIndex,GlobalWorkSize,WorkGroupSize,"
    "LocalMemSize,VGPRs,SGPRs,ScratchRegs,KernelOccupancy,Dispatch_ID,Dispatch_Id,GPU_ID,Queue_ID,"
    "Queue_Id,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"
    "Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,ACCUM_VGPR,SGPR,Wave_Size,SIG,OBJ,Kernel_Name,"
    "Start_Timestamp,End_Timestamp,Correlation_ID,Correlation_Id";

static const struct {
    const char *tool, *first,
        *second; /* columns that only its tables have together; NULL: any column with "__" */
} wide_forms[] = {
    {"codexl", "Method", "ExecutionOrder"},
    {"rocprof", "Index", "KernelName"},
    {"rocprof", "Dispatch_ID", "Kernel_Name"},
    {"ncu", "Kernel Name", NULL},
};

static bool has_metric(char **fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(fields[i], "__") != NULL)
            return true;
    return false;
}

static bool is_wide(char **fields, size_t count, struct import *import)
{
    for (size_t i = 0; i < sizeof wide_forms / sizeof wide_forms[0]; i++)
        if (find_field(fields, count, wide_forms[i].first) >= 0 &&
            (wide_forms[i].second != NULL ? find_field(fields, count, wide_forms[i].second) >= 0
                                          : has_metric(fields, count))) {
            set_tool(import, wide_forms[i].tool);
            return true;
        }
    return false;
}

static bool is_counter(const char *column)
{
    return column[0] != '\0' && !names_contain(no_counters, column);
}

/* Adds the names of the heading, so that a table without rows has names too. */
static void begin_wide(struct format_table *table, struct import *import)
{
    for (size_t i = 0; i < table->columns; i++)
        if (is_counter(table->names[i]))
            import_value(import, table->names[i]);
}

/* Reads a row. Nsight Compute puts a row of units below the heading, which has no kernel. */
static void read_wide(const struct format_table *table, char **fields, struct import *import)
{
    int kernel = table->scopes[IMPORT_KERNEL];
    bool units = import->groups && kernel >= 0 && fields[kernel][0] == '\0';
    size_t next = 0;
    for (size_t i = 0; i < table->columns; i++) {
        if (!is_counter(table->names[i]))
            continue;
        /* In the heading's order, unless a name occurs twice. */
        bool follows = next < import->count && strcmp(import->values[next].name, table->names[i]) == 0;
        const struct import_value *value =
            follows ? &import->values[next] : import_find_value(import, table->names[i]);
        if (value == NULL)
            continue;
        next = (size_t)(value - import->values) + 1;
        import_add_cell(import, value, units ? NULL : fields[i], units ? fields[i] : NULL);
    }
}

bool import_wide(char **lines, size_t count, struct import *import, struct error *error)
{
    static const struct table_form form = {is_wide, begin_wide, read_wide};
    return read_table(&form, lines, count, import, error);
}

/* ---- a table of the user's own ---- */

static bool is_own(char **fields, size_t count, struct import *import)
{
    (void)fields, (void)import;
    return count > 1;
}

static void begin_own(struct format_table *table, struct import *import)
{
    for (size_t i = 0; i < IMPORT_SCOPES; i++)
        table->scopes[i] = -1;
    for (size_t i = 0; i < table->columns; i++)
        import_value(import, table->names[i]);
}

static void read_own(const struct format_table *table, char **fields, struct import *import)
{
    for (size_t i = 0; i < table->columns; i++) {
        const struct import_value *value = import_find_value(import, table->names[i]);
        if (value != NULL)
            import_add_cell(import, value, fields[i], NULL);
    }
}

bool import_own(char **lines, size_t count, struct import *import, struct error *error)
{
    static const struct table_form form = {is_own, begin_own, read_own};
    return read_table(&form, lines, count, import, error);
}

/* ---- perf stat ---- */

static const char TOOL[] = "perf";

static const char MODES[] = "ukhHG";

/* True for a PMU of cores; machines with several kinds of core have several. */
static bool is_core_pmu(const char *name)
{
    static const char *const begins[] = {"cpu", "armv", "apple_"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Takes the mode (user, kernel, ...) from the modifiers; the other modifiers only affect sampling. */
static void take_modifiers(struct import *import, struct import_line *line, const char *modifiers)
{
    char mode[sizeof MODES];
    size_t used = 0;
    for (const char *letter = MODES; *letter != '\0'; letter++)
        if (strchr(modifiers, *letter) != NULL)
            mode[used++] = *letter;
    mode[used] = '\0';
    if (used > 0)
        line->scopes[IMPORT_MODE] = arena_strdup(&import->arena, mode);
}

/* Cuts the event's own name out of the text. *pmu and *modifiers are "" if it has none. */
static char *cut_event(char *event, const char **pmu, const char **modifiers)
{
    char *slash = strchr(event, '/');
    char *last = strrchr(event, '/');
    *pmu = *modifiers = "";
    if (slash != NULL && last > slash && memchr(slash, '=', (size_t)(last - slash)) == NULL) {
        *last = *slash = '\0';
        *pmu = event;
        *modifiers = last + 1;
        event = slash + 1;
    }
    char *colon = strrchr(event, ':');
    if (colon != NULL && colon > event && colon[-1] != ':' &&
        strspn(colon + 1, "ukhGHIpPSDeW") == strlen(colon + 1)) {
        *colon = '\0';
        *modifiers = **modifiers == '\0' ? colon + 1 : *modifiers;
    }
    return event;
}

const char *import_event_name(struct arena *arena, const char *written)
{
    const char *pmu;
    const char *modifiers;
    return cut_event(arena_strdup(arena, written), &pmu, &modifiers);
}

/* Adds an event to the line, which was added last. event and text must outlive the import. */
static void add_event(struct import *import, struct import_line *line, char *event, const char *text)
{
    const char *pmu;
    const char *modifiers;
    const struct import_value *value = import_value(import, cut_event(event, &pmu, &modifiers));
    take_modifiers(import, line, modifiers);
    if (is_core_pmu(pmu))
        line->scopes[IMPORT_PMU] = pmu;
    const char *interval = line->scopes[IMPORT_INTERVAL];
    line->group = interval == NULL ? "" : interval;
    if (value != NULL)
        import_add_cell(import, value, text, NULL);
}

/* Replaces commas between digits outside texts by points: in some languages perf writes "pcnt-running" :
 * 100,00, which is not JSON. */
static void mend_commas(char *line)
{
    bool quoted = false;
    for (char *at = line; *at != '\0'; at++) {
        quoted = quoted != (*at == '"' && (at == line || at[-1] != '\\'));
        if (!quoted && *at == ',' && at > line && isdigit((unsigned char)at[-1]) &&
            isdigit((unsigned char)at[1]))
            *at = '.';
    }
}

/* The number after the key, as it is written; NULL: missing. */
static const char *raw_number(struct import *import, const char *line, const char *key)
{
    const char *at = strstr(line, key);
    if (at == NULL)
        return NULL;
    at += strlen(key);
    at += strspn(at, "\" :");
    size_t length = strspn(at, "0123456789.,");
    while (length > 0 && at[length - 1] == ',')
        length--;
    char *copy = arena_alloc(&import->arena, length + 1, 1);
    memcpy(copy, at, length);
    copy[length] = '\0';
    return copy;
}

/* Keys of the units that perf counts separately. */
static const char *const json_cores[] = {"cpu",   "core", "thread", "cluster",
                                         "cache", "die",  "socket", "node"};

static void read_object(struct import *import, int number, const char *raw, json_t *object)
{
    char *event = arena_strdup(&import->arena, json_string_or(object, "event", ""));
    const char *text = arena_strdup(&import->arena, json_string_or(object, "counter-value", ""));
    struct import_line *line = import_add_line(import, number);
    const char *cgroup = json_string_or(object, "cgroup", "");
    if (json_object_get(object, "interval") != NULL)
        line->scopes[IMPORT_INTERVAL] = raw_number(import, raw, "\"interval\"");
    for (size_t i = 0; i < sizeof json_cores / sizeof json_cores[0]; i++) {
        const json_t *core = json_object_get(object, json_cores[i]);
        char text_of[24];
        snprintf(text_of, sizeof text_of, "%lld", (long long)json_integer_value(core));
        if (core != NULL)
            line->scopes[IMPORT_CORE] =
                arena_strdup(&import->arena, json_is_string(core) ? json_string_value(core) : text_of);
    }
    if (cgroup[0] != '\0')
        line->scopes[IMPORT_CGROUP] = arena_strdup(&import->arena, cgroup);
    line->share = raw_number(import, raw, "\"pcnt-running\"");
    add_event(import, line, event, text);
}

bool import_perf_json(char **lines, size_t count, struct import *import, struct error *error)
{
    bool any = false;
    int broken = 0;
    for (size_t i = 0; i < count; i++) {
        if (lines[i][strspn(lines[i], " \t")] != '{')
            continue;
        char *copy = arena_strdup(&import->arena, lines[i]);
        json_t *object = json_loads(copy, JSON_REJECT_DUPLICATES, NULL);
        if (object == NULL) {
            mend_commas(copy);
            object = json_loads(copy, JSON_REJECT_DUPLICATES, NULL);
        }
        if (object == NULL && broken == 0)
            broken = (int)i + 1;
        if (json_string_or(object, "event", NULL) != NULL &&
            json_string_or(object, "counter-value", NULL) != NULL) {
            read_object(import, (int)i + 1, lines[i], object);
            any = true;
        }
        json_decref(object);
    }
    if (any && broken > 0)
        refuse(import, broken, error, "the line is no JSON object");
    import->tool = TOOL;
    return any;
}

static bool is_event_name(const char *text)
{
    return (isalpha((unsigned char)text[0]) || text[0] == '_') && !import_is_number(text);
}

/* Finds the column of the value: after a time stamp (-I), or after a unit that is counted separately (-A,
 * --per-core). */
static bool find_perf_value(char **fields, size_t count, size_t *place)
{
    for (*place = 0; *place + 2 < count && *place < 4; ++*place) {
        const char *value = fields[*place];
        bool counted = import_is_number(value) || strcmp(value, "<not counted>") == 0 ||
                       strcmp(value, "<not supported>") == 0;
        if (counted && !import_is_number(fields[*place + 1]) && strchr(fields[*place + 1], '<') == NULL &&
            is_event_name(fields[*place + 2]))
            return true;
    }
    return false;
}

/* True for seconds with a fraction, which perf writes with a point in every language. */
static bool is_time_stamp(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    return whole > 0 && text[whole] == '.' && strlen(text + whole) > 3 &&
           strspn(text + whole + 1, "0123456789") == strlen(text + whole + 1);
}

static bool is_whole(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* Reads the fields before the value: [time stamp or "summary"] [unit that is counted separately [number of
 * its processors]]. False if other fields are there. */
static bool read_before(char **fields, size_t count, struct import_line *line)
{
    size_t at = 0;
    if (at < count && (is_time_stamp(fields[at]) || strcmp(fields[at], "summary") == 0))
        line->scopes[IMPORT_INTERVAL] = fields[at++];
    if (at < count && fields[at][0] != '\0' && !import_is_number(fields[at])) {
        line->scopes[IMPORT_CORE] = fields[at++];
        at += at < count && is_whole(fields[at]);
    }
    return at == count;
}

/* Reads the fields after the event: [cgroup] [variance of -r] time, percentage. False when the percentage is
 * wrong. */
static bool read_behind(char **fields, size_t count, char separator, struct import_line *line)
{
    size_t next = 0;
    if (next + 2 < count && !import_is_number(fields[next])) {
        if (fields[next][0] != '\0')
            line->scopes[IMPORT_CGROUP] = fields[next];
        next++;
    }
    if (next < count && strchr(fields[next], '%') != NULL)
        next++;
    if (next + 1 >= count || fields[next + 1][0] == '\0')
        return true;
    line->share = fields[++next];
    /* perf writes two decimals: after a comma they are a separate field. */
    bool split = separator == ',' && is_whole(fields[next]) && next + 1 < count &&
                 is_whole(fields[next + 1]) && strlen(fields[next + 1]) == 2;
    return import_is_number(line->share) && strchr(line->share, '%') == NULL && !split;
}

static void read_line(struct import *import, int number, const char *text, char separator, char **fields,
                      struct error *error)
{
    size_t place;
    size_t count = import_split(arena_strdup(&import->arena, text), separator, fields, IMPORT_FIELDS);
    if (!find_perf_value(fields, count, &place)) {
        /* Further numbers of an event's metrics have lines without a value. */
        if (count < 3 || strchr(text, separator) == NULL || text[strspn(text, " 0123456789.")] != separator)
            import->stray = import->strays++ == 0 ? number : import->stray;
        return;
    }
    struct import_line *line = import_add_line(import, number);
    if (!read_before(fields, place, line) ||
        !read_behind(fields + place + 3, count - place - 3, separator, line)) {
        refuse(import, number, error, "these are not the fields that perf stat -x writes: '%.80s'", text);
        if (separator == ',')
            error_hint(error,
                       "if the comma is the decimal sign, too, record with LC_ALL=C perf stat -x, or with "
                       "perf stat -x ';'");
        return;
    }
    add_event(import, line, fields[place + 2], fields[place]);
}

static bool may_be_perf(const char *line, char separator)
{
    const char *first = strchr(line, separator);
    return line[0] != '#' && first != NULL && strchr(first + 1, separator) != NULL;
}

/* The separator with which most lines are perf's; 0: none. */
static char perf_separator(char **lines, size_t count, struct import *import, char **fields)
{
    char best = '\0';
    size_t most = 0;
    for (const char *separator = SEPARATORS; *separator != '\0'; separator++) {
        size_t found = 0;
        size_t place;
        for (size_t i = 0; i < count; i++)
            if (may_be_perf(lines[i], *separator))
                found += find_perf_value(
                    fields,
                    import_split(arena_strdup(&import->arena, lines[i]), *separator, fields, IMPORT_FIELDS),
                    &place);
        if (found > most) {
            most = found;
            best = *separator;
        }
    }
    return best;
}

bool import_perf_text(char **lines, size_t count, struct import *import, struct error *error)
{
    char **fields = memory_zeroed(IMPORT_FIELDS, sizeof *fields);
    char separator = perf_separator(lines, count, import, fields);
    for (size_t i = 0; separator != '\0' && i < count; i++)
        if (lines[i][0] != '#' && lines[i][strspn(lines[i], " ")] != '\0')
            read_line(import, (int)i + 1, lines[i], separator, fields, error);
    import->tool = TOOL;
    free(fields);
    return separator != '\0';
}
