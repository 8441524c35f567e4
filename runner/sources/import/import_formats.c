/* perf stat's formats are in tools/perf/Documentation/perf-stat.txt, CSV FORMAT and JSON FORMAT. In the
 * tables of GPU profilers, lines before the heading are the profiler's messages. */
#include "runner/sources/import/import_formats.h"

#include "base/json.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 160 };

/* ---- values ---- */

struct import_value *import_find_value(const struct import *import, const char *name)
{
    for (size_t i = 0; i < import->count; i++)
        if (strcmp(import->values[i].name, name) == 0)
            return &import->values[i];
    return NULL;
}

struct import_value *import_value(struct import *import, const char *name)
{
    struct import_value *known = import_find_value(import, name);
    if (known != NULL)
        return known;
    if (import->count == IMPORT_VALUES_MOST)
        return NULL;
    if (import->count == import->capacity) {
        import->capacity = import->capacity == 0 ? 64 : 2 * import->capacity;
        import->values = memory_resized(import->values, import->capacity, sizeof *import->values);
    }
    import->values[import->count] =
        (struct import_value){.name = arena_strdup(&import->arena, name), .counted = 1};
    return &import->values[import->count++];
}

void import_row(struct import_value *value, double number, double counted)
{
    if (isnan(number))
        return;
    if (number < 0) {
        value->why = "below 0, which is impossible for a count";
        return;
    }
    if (!isfinite(value->value + number)) {
        value->why = "too large for a number";
        return;
    }
    value->value += number;
    value->rows++;
    value->counted = counted < value->counted ? counted : value->counted;
}

void import_free(struct import *import)
{
    free(import->values);
    arena_free(&import->arena);
    *import = (struct import){.count = 0};
}

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

bool import_number(const char *text, double *number)
{
    char digits[64];
    size_t used = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == ',')
            continue;
        if (used + 1 == sizeof digits || strchr("+-.0123456789eE", *at) == NULL)
            return false;
        digits[used++] = *at;
    }
    digits[used] = '\0';
    int length = 0;
    return used > 0 && sscanf(digits, "%lf%n", number, &length) == 1 && (size_t)length == used &&
           isfinite(*number);
}

static int find_field(char **fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0)
            return (int)i;
    return -1;
}

/* Accepts base units; a percentage is not summed; the size of any other unit's step depends on the tool. */

/* Base units count; a percentage is no sum; of others the size of a step is the tool's own. */
static void set_unit(struct import *import, struct import_value *value, const char *unit)
{
    static const char *const stepped[] = {"Kbyte", "Mbyte", "Gbyte", "Tbyte", "K", "M", "G"};
    value->percent = value->percent || strcmp(unit, "%") == 0;
    for (size_t i = 0; i < sizeof stepped / sizeof stepped[0]; i++)
        if (strcmp(unit, stepped[i]) == 0) {
            char why[NAME_BYTES];
            snprintf(why, sizeof why, "in %s; record it with ncu --print-units base", unit);
            value->why = arena_strdup(&import->arena, why);
        }
}

/* ---- one metric per row ---- */

static const struct {
    const char *tool, *name, *value, *unit;
} long_forms[] = {
    {"ncu", "Metric Name", "Metric Value", "Metric Unit"},
    {"rocprof", "Counter_Name", "Counter_Value", "Counter_Unit"},
};

struct long_columns {
    int name, value, unit; /* -1: missing */
};

static bool is_long(char **fields, size_t count, struct import *import, struct long_columns *columns)
{
    for (size_t i = 0; i < sizeof long_forms / sizeof long_forms[0]; i++) {
        columns->name = find_field(fields, count, long_forms[i].name);
        columns->value = find_field(fields, count, long_forms[i].value);
        columns->unit = find_field(fields, count, long_forms[i].unit);
        import->tool = long_forms[i].tool;
        if (columns->name >= 0 && columns->value >= 0)
            return true;
    }
    return false;
}

bool import_long(char **lines, size_t count, struct import *import)
{
    struct long_columns columns = {-1, -1, -1};
    bool begun = false;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        char *fields[IMPORT_FIELDS];
        size_t found = import_split(arena_strdup(&import->arena, lines[i]), ',', fields, IMPORT_FIELDS);
        if (!begun) {
            begun = is_long(fields, found, import, &columns);
            continue;
        }
        if ((int)found <= columns.name || (int)found <= columns.value || fields[columns.name][0] == '\0')
            continue;
        struct import_value *value = import_value(import, fields[columns.name]);
        double number;
        if (value == NULL)
            continue;
        if (columns.unit >= 0 && (int)found > columns.unit)
            set_unit(import, value, fields[columns.unit]);
        import_row(value, import_number(fields[columns.value], &number) ? number : NAN, 1);
        any = true;
    }
    return any;
}

/* ---- one kernel per row ---- */

/* Columns that identify the kernel, and are no counters. */
static const char *const no_counters[] = {
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "Index",
    "KernelName",
    "gpu-id",
    "queue-id",
    "queue-index",
    "pid",
    "tid",
    "grd",
    "wgr",
    "lds",
    "scr",
    "vgpr",
    "arch_vgpr",
    "accum_vgpr",
    "sgpr",
    "wave_size",
    "sig",
    "obj",
    "Method",
    "ExecutionOrder",
    "ThreadID",
    "CallIndex",
    "GlobalWorkSize",
    "WorkGroupSize",
    "LocalMemSize",
    "VGPRs",
    "SGPRs",
    "ScratchRegs",
    "KernelOccupancy",
};

static const struct {
    const char *tool, *first,
        *second; /* columns that only its tables have together; NULL: any column with "__" */
} wide_forms[] = {
    {"codexl", "Method", "ExecutionOrder"},
    {"rocprof", "Index", "KernelName"},
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
    for (size_t i = 0; i < sizeof wide_forms / sizeof wide_forms[0]; i++) {
        import->tool = wide_forms[i].tool;
        if (find_field(fields, count, wide_forms[i].first) >= 0 &&
            (wide_forms[i].second != NULL ? find_field(fields, count, wide_forms[i].second) >= 0
                                          : has_metric(fields, count)))
            return true;
    }
    return false;
}

static bool is_counter(const char *column)
{
    for (size_t i = 0; i < sizeof no_counters / sizeof no_counters[0]; i++)
        if (strcmp(no_counters[i], column) == 0)
            return false;
    return column[0] != '\0';
}

/* The row of units that Nsight Compute puts below the heading has no kernel. */
static bool is_units(char **names, char **fields, size_t count)
{
    int kernel = find_field(names, count, "Kernel Name");
    return kernel >= 0 && fields[kernel][0] == '\0';
}

/* The columns of a table: the index of each one's value in the import; -1: it is no counter. */
struct wide_table {
    char *names[IMPORT_FIELDS];
    long places[IMPORT_FIELDS];
    size_t columns; /* 0: before the heading */
};

static void begin(struct wide_table *table, char **fields, size_t count, struct import *import)
{
    table->columns = count;
    memcpy(table->names, fields, count * sizeof fields[0]);
    for (size_t i = 0; i < count; i++) {
        const struct import_value *value = is_counter(fields[i]) ? import_value(import, fields[i]) : NULL;
        table->places[i] = value == NULL ? -1 : (long)(value - import->values);
    }
}

static void read_row(struct wide_table *table, char **fields, size_t count, struct import *import)
{
    bool units = count == table->columns && is_units(table->names, fields, count);
    for (size_t i = 0; i < count; i++) {
        double number;
        if (table->places[i] < 0)
            continue;
        struct import_value *value = &import->values[table->places[i]];
        if (units)
            set_unit(import, value, fields[i]);
        else
            import_row(value, import_number(fields[i], &number) ? number : NAN, 1);
    }
}

bool import_wide(char **lines, size_t count, struct import *import)
{
    struct wide_table table = {.columns = 0};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        char *fields[IMPORT_FIELDS];
        if (lines[i][0] == '#' || lines[i][0] == '\0')
            continue;
        size_t found = import_split(arena_strdup(&import->arena, lines[i]), ',', fields, IMPORT_FIELDS);
        if (table.columns > 0) {
            read_row(&table, fields, found < table.columns ? found : table.columns, import);
            any = true;
        } else if (is_wide(fields, found, import)) {
            begin(&table, fields, found, import);
        }
    }
    return any;
}

/* ---- perf stat ---- */

static const char TOOL[] = "perf";

/* "cpu_core/cycles/u" and "cycles:u" become cycles: removes the unit's name and the modifiers, in place. */
static char *bare_event(char *event)
{
    char *slash = strchr(event, '/');
    char *last = strrchr(event, '/');
    if (slash != NULL && last > slash && memchr(slash, '=', (size_t)(last - slash)) == NULL) {
        *last = '\0';
        event = slash + 1;
    }
    char *colon = strrchr(event, ':');
    if (colon != NULL && colon > event && colon[-1] != ':' &&
        strspn(colon + 1, "ukhGHIpPSDeW") == strlen(colon + 1))
        *colon = '\0';
    return event;
}

static void add_event(struct import *import, char *event, const char *text, double percent)
{
    struct import_value *value = import_value(import, bare_event(event));
    double number;
    if (value != NULL)
        import_row(value, import_number(text, &number) ? number : NAN,
                   percent >= 0 && percent < 100 ? percent / 100 : 1);
}

bool import_perf_json(char **lines, size_t count, struct import *import)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (lines[i][strspn(lines[i], " \t")] != '{')
            continue;
        json_t *object = json_loads(lines[i], JSON_REJECT_DUPLICATES, NULL);
        const char *event = json_string_or(object, "event", NULL);
        const char *value = json_string_or(object, "counter-value", NULL);
        if (event != NULL && value != NULL) {
            char *copy = arena_strdup(&import->arena, event);
            add_event(import, copy, value, json_number_or(object, "pcnt-running", 100));
            any = true;
        }
        json_decref(object);
    }
    import->tool = TOOL;
    return any;
}

/* The column of the value: after a time stamp (-I), or after the units that counters are summed over (-A,
 * --per-core). */
static bool find_perf_value(char **fields, size_t count, size_t *place)
{
    double number;
    for (*place = 0; *place + 2 < count && *place < 4; ++*place) {
        const char *value = fields[*place];
        bool counted = import_number(value, &number) || strcmp(value, "<not counted>") == 0 ||
                       strcmp(value, "<not supported>") == 0;
        const char *event = fields[*place + 2];
        if (counted && !import_number(fields[*place + 1], &number) &&
            strchr(fields[*place + 1], '<') == NULL &&
            (isalpha((unsigned char)event[0]) || event[0] == '_') && !import_number(event, &number))
            return true;
    }
    return false;
}

static bool read_line(char *line, char separator, struct import *import)
{
    char *fields[IMPORT_FIELDS];
    size_t place;
    size_t count = import_split(line, separator, fields, IMPORT_FIELDS);
    if (!find_perf_value(fields, count, &place))
        return false;
    size_t next = place + 3; /* optionally the variance of -r, then run time and percentage */
    if (next < count && strchr(fields[next], '%') != NULL)
        next++;
    double percent = 100;
    if (next + 1 < count && !import_number(fields[next + 1], &percent))
        percent = 100;
    add_event(import, fields[place + 2], fields[place], percent);
    return true;
}

bool import_perf_text(char **lines, size_t count, struct import *import)
{
    static const char separators[] = ",;\t|";
    import->tool = TOOL;
    for (const char *separator = separators; *separator != '\0'; separator++) {
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            const char *first = strchr(lines[i], *separator);
            if (lines[i][0] == '#' || first == NULL || strchr(first + 1, *separator) == NULL)
                continue;
            any = read_line(arena_strdup(&import->arena, lines[i]), *separator, import) || any;
        }
        if (any)
            return true;
    }
    return false;
}
