#include "base/text/names.h"

#include <stdio.h>
#include <string.h>

bool names_contain(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return list == NULL;
}

bool names_find_unknown(const char *list, const char *const *known, size_t count, char *text, size_t capacity)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        snprintf(text, capacity, "%.*s", (int)strcspn(at, ","), at);
        size_t i = 0;
        while (i < count && strcmp(known[i], text) != 0)
            i++;
        if (i == count)
            return true;
    }
    return false;
}
