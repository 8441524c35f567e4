#include "isa/isa.h"

#include <string.h>

const struct isa *const isa_table[] = {&isa_x86_64, NULL};

const struct isa *isa_find(const char *name)
{
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (strcmp(isa_table[i]->name, name) == 0)
            return isa_table[i];
    return NULL;
}
