#include "cli/options/results_home.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status results_home_open(const char *output, struct results_home *home, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    home->folder[0] = '\0';
    snprintf(home->path, sizeof home->path, "%s", output == NULL ? "" : output);
    if (output != NULL)
        return STATUS_OK;
    file_join(home->folder, temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary, "trauma-XXXXXX");
    if (mkdtemp(home->folder) == NULL) {
        error_set(error, STATUS_FAILED, "cannot make the folder %s: %s", home->folder, strerror(errno));
        error_hint(error, "name a file for the results with -o, or another folder in TMPDIR");
        home->folder[0] = '\0';
        return STATUS_FAILED;
    }
    file_join(home->path, home->folder, "results.jsonl");
    return STATUS_OK;
}

void results_home_close(const struct results_home *home)
{
    struct error unused; /* what is left is small, and no result */
    if (home->folder[0] != '\0')
        (void)file_remove_tree(home->folder, &unused);
}
