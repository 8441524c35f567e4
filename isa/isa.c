#include "isa/isa.h"

#include <stdbool.h>
#include <string.h>

const struct isa *const isa_table[] = {&isa_x86_64, &isa_ptx, &isa_gcn, &isa_opencl, NULL};

const struct isa *isa_find(const char *name)
{
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (strcmp(isa_table[i]->name, name) == 0)
            return isa_table[i];
    return NULL;
}

static bool same(const char *name, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && name[i] == text[i]) /* most differ at once: no call for each */
        i++;
    return i == length && name[length] == '\0';
}

const struct register_name *isa_register(const struct isa *isa, const char *name, size_t length)
{
    for (size_t i = 0; i < isa->register_count; i++) {
        const struct register_name *candidate = &isa->registers[i];
        if (same(candidate->whole, name, length))
            return candidate;
        for (const struct register_view *view = candidate->views; view->bits != 0; view++)
            if (same(view->name, name, length))
                return candidate;
    }
    return NULL;
}
