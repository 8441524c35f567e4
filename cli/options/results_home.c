#include "cli/options/results_home.h"

#include "base/files/memory_file.h"
#include "base/files/spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status results_home_open(const char *output, struct results_home *home, struct error *error)
{
    *home = (struct results_home){.file = 0};
    snprintf(home->path, sizeof home->path, "%s", output == NULL ? "" : output);
    if (output != NULL)
        return STATUS_OK;
    int fd = spool_nameless();
    if (fd < 0)
        return error_set(error, STATUS_FAILED, "cannot make a temporary file: %s", strerror(errno));
    home->file = 1 + fd;
    memory_file_path(home->path, fd);
    return STATUS_OK;
}

void results_home_close(const struct results_home *home)
{
    if (home->file > 0)
        close(home->file - 1);
}
