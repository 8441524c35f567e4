/* What perf stat writes (tools/perf/Documentation/perf-stat.txt, CSV FORMAT and JSON FORMAT). */
#include "runner/sources/import/import_formats.h"

#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char TOOL[] = "perf";

/* "cpu_core/cycles/u" and "cycles:u" are cycles: the unit's name and modifiers are cut off, in place. */
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

/* Where the value stands: behind a time stamp (-I) or what counters are summed over (-A, --per-core). */
static bool find_value(char **fields, size_t count, size_t *place)
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
    if (!find_value(fields, count, &place))
        return false;
    size_t next = place + 3; /* perhaps the variance of -r, then run time and percentage */
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
