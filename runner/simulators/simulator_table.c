/* Reads a comma-separated table with any simulator's counts: a heading with "program" and names of
 * quantities, or names that --columns maps to quantities, and a row for each program. */
#include "runner/simulators/simulator.h"

#include "base/units.h"
#include "runner/sources/import/import_formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 64, NO_COLUMN = -1, PROGRAM = -2 };

/* The quantity of a heading: the one that "NAME=QUANTITY,..." maps it to, or the one of that name. */
static int column_of(const char *heading, const char *columns)
{
    size_t length = strlen(heading);
    if (strcmp(heading, "program") == 0)
        return PROGRAM;
    for (const char *at = columns; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, heading, length) == 0 && at[length] == '=')
            for (int i = 0; i < SIMULATED_COUNTS; i++)
                if (strlen(simulated_names[i]) == strcspn(at + length + 1, ",") &&
                    strncmp(at + length + 1, simulated_names[i], strlen(simulated_names[i])) == 0)
                    return i;
    for (int i = 0; i < SIMULATED_COUNTS; i++)
        if (strcmp(heading, simulated_names[i]) == 0)
            return i;
    return NO_COLUMN;
}

/* True if the row is of the program. Its name has commas: without quotes it takes several fields, from the
 * first one on. */
static bool is_of(char *const *fields, size_t more, const char *program)
{
    size_t at = 0;
    for (size_t i = 0; i <= more; i++) {
        size_t length = strlen(fields[i]);
        if (strncmp(program + at, fields[i], length) != 0)
            return false;
        at += length;
        if (i < more && program[at++] != ',')
            return false;
    }
    return program[at] == '\0';
}

static enum status read_rows(const struct simulated_text *from, char *text, struct simulated_stats *stats,
                             struct error *error)
{
    int place[FIELDS_MOST] = {0};
    size_t width = 0;
    int line_number = 0;
    char *next = text;
    while (next != NULL && *next != '\0') {
        char *line = next, *fields[FIELDS_MOST];
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line_number++;
        size_t found = import_split(line, ',', fields, FIELDS_MOST);
        if (width == 0) {
            width = found;
            for (size_t i = 0; i < width; i++)
                place[i] = column_of(fields[i], from->columns);
            if (width == 0 || place[0] != PROGRAM)
                return simulated_refuse(
                    from, "a heading that begins with program, then loads, l1d.load_misses, ...", error);
            continue;
        }
        size_t more = found - width;
        if (found < width || !is_of(fields, more, from->program))
            continue;
        for (size_t i = 1; i < width; i++) {
            double value;
            if (place[i] < 0)
                continue;
            if (!units_parse_number(fields[i + more], &value)) {
                error_set(error, STATUS_USAGE, "'%.40s' is not a count", fields[i + more]);
                error_at(error, from->path, line_number);
                return STATUS_USAGE;
            }
            stats->of[place[i]] = value;
        }
        return STATUS_OK;
    }
    error_set(error, STATUS_USAGE, "%s has no row of %s", from->path, from->program);
    error_hint(error, "a row begins with BENCHMARK/POINT");
    return STATUS_USAGE;
}

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    struct buffer text = {0};
    buffer_text(&text, from->text);
    buffer_append(&text, "", 1);
    enum status status = read_rows(from, text.data, stats, error);
    buffer_free(&text);
    return status;
}

const struct simulator simulator_csv = {
    .name = "csv", .title = "a table: program, then counts named as quantities", .read = read_stats};
