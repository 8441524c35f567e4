#include "model/data/named_numbers.h"

#include <math.h>
#include <string.h>

const struct named_number *named_number_find(const struct named_numbers *numbers, const char *name)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (strcmp(numbers->items[i].name, name) == 0)
            return &numbers->items[i];
    return NULL;
}

double named_number_value(const struct named_numbers *numbers, const char *name)
{
    const struct named_number *found = named_number_find(numbers, name);
    return found == NULL ? NAN : found->value;
}

void named_number_set(struct named_numbers *numbers, struct arena *arena, const char *name, double value)
{
    const struct named_number *found = named_number_find(numbers, name);
    if (found != NULL) {
        numbers->items[found - numbers->items].value = value;
        return;
    }
    numbers->items = arena_next(arena, numbers->items, numbers->count, sizeof *numbers->items);
    numbers->items[numbers->count++] = (struct named_number){arena_strdup(arena, name), value};
}

void named_numbers_update(struct named_numbers *numbers, struct arena *arena,
                          const struct named_numbers *others)
{
    for (size_t i = 0; i < others->count; i++)
        named_number_set(numbers, arena, others->items[i].name, others->items[i].value);
}
