#include "runner/devices/symbols.h"

#include <dlfcn.h>
#include <string.h>

const char *symbols_bind(void *library, const struct library_symbol *symbols, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL && !symbols[i].optional)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &found, sizeof found);
    }
    return NULL;
}

enum status symbols_open(const struct symbols_library *library, void **handle, void *table,
                         struct error *error)
{
    *handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    if (*handle == NULL) {
        const char *why = dlerror();
        error_set(error, STATUS_UNAVAILABLE, "%s cannot be opened: %s", library->what,
                  why == NULL ? library->path : why);
        error_hint(error, "%s", library->get);
        return STATUS_UNAVAILABLE;
    }
    const char *missing = symbols_bind(*handle, library->symbols, library->count, table);
    if (missing == NULL)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "%s has no %s: it is not %s", library->path, missing, library->kind);
    error_hint(error, "%s", library->get_kind);
    return STATUS_UNAVAILABLE;
}
