#include "runner/probe/wide.h"

#include <stdio.h>
#include <string.h>

/* A row: BYTES[@FEATURE] LOAD | STORE. */
static bool read_row(const char *line, char feature[PROBE_ACCESS_BYTES], struct probe_access *access)
{
    char width[PROBE_ACCESS_BYTES];
    feature[0] = '\0';
    return sscanf(line, "%79s %79[^|\n]| %79[^\n]", width, access->load, access->store) == 3 &&
           sscanf(width, "%u@%79s", &access->bytes, feature) >= 1;
}

bool probe_access_find(const struct probe *probe, unsigned bytes, struct probe_access *access)
{
    const char *line = template_section(&probe->texts, "accesses");
    for (; line != NULL && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char feature[PROBE_ACCESS_BYTES];
        if (read_row(line, feature, access) && (bytes == 0 || access->bytes == bytes) &&
            (feature[0] == '\0' || machine_has(probe->request->machine, feature)))
            return true;
    }
    return false;
}
