#include "runner/devices/symbols.h"

#include <dlfcn.h>
#include <string.h>

const char *symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL && !symbols[i].optional)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &found, sizeof found);
    }
    return NULL;
}
