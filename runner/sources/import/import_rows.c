#include "runner/sources/import/import_rows.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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
    import->values = memory_next(import->values, import->count, sizeof *import->values);
    import->values[import->count] =
        (struct import_value){.name = arena_strdup(&import->arena, name), .counted = 1};
    return &import->values[import->count++];
}

struct import_line *import_add_line(struct import *import, int number)
{
    import->lines = memory_next(import->lines, import->line_count, sizeof *import->lines);
    import->lines[import->line_count] = (struct import_line){.number = number};
    return &import->lines[import->line_count++];
}

void import_add_cell(struct import *import, const struct import_value *value, const char *text,
                     const char *unit)
{
    import->cells = memory_next(import->cells, import->cell_count, sizeof *import->cells);
    import->cells[import->cell_count++] = (struct import_cell){text, unit, (unsigned)(import->line_count - 1),
                                                               (unsigned)(value - import->values)};
}

void import_free(struct import *import)
{
    free(import->values);
    free(import->lines);
    free(import->cells);
    arena_free(&import->arena);
    *import = (struct import){.count = 0};
}
