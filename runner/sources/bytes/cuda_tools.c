/* Where NVIDIA's tools are. */
#include "base/file.h"
#include "runner/sources/bytes/ptxas.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The n-th folder of PATH that has the program; counts *n down by those passed. */
static bool find_on_path(const char *name, unsigned *n, char path[PTXAS_TOOL_BYTES])
{
    const char *folders = getenv("PATH");
    for (const char *at = folders; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (length + strlen(name) + 2 < PTXAS_TOOL_BYTES) {
            snprintf(path, PTXAS_TOOL_BYTES, "%.*s/%s", (int)length, at, name);
            if (access(path, X_OK) == 0 && (*n)-- == 0)
                return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

/* The same of a toolkit's usual folders, the highest version first. */
static bool find_in_toolkits(const char *name, unsigned n, char path[PTXAS_TOOL_BYTES])
{
    glob_t found;
    bool good = false;
    snprintf(path, PTXAS_TOOL_BYTES, "/usr/local/cuda*/bin/%s", name);
    if (glob(path, 0, NULL, &found) != 0)
        return false;
    for (size_t i = found.gl_pathc; i-- > 0 && !good;) {
        if (access(found.gl_pathv[i], X_OK) != 0 || n-- > 0)
            continue;
        snprintf(path, PTXAS_TOOL_BYTES, "%s", found.gl_pathv[i]);
        good = true;
    }
    globfree(&found);
    return good;
}

bool ptxas_find_tool(const char *name, unsigned n, char path[PTXAS_TOOL_BYTES])
{
    return find_on_path(name, &n, path) || find_in_toolkits(name, n, path);
}
