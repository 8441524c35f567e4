#include "base/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool holds_templates(const char *folder)
{
    char path[FILE_PATH_BYTES];
    return file_is_folder(file_join(path, folder, "templates"));
}

enum status paths_home(char home[FILE_PATH_BYTES], struct error *error)
{
    char folder[FILE_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length < 0)
        length = 0;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
    size_t build = strlen(TRAUMA_BUILD_DIR);
    bool built =
        strncmp(folder, TRAUMA_BUILD_DIR, build) == 0 && (folder[build] == '\0' || folder[build] == '/');
    if (built && holds_templates(TRAUMA_SOURCE_DIR)) {
        snprintf(home, FILE_PATH_BYTES, "%s", TRAUMA_SOURCE_DIR);
        return STATUS_OK;
    }
    file_join(home, folder, "../share/traumagen");
    if (holds_templates(home))
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "no templates/ beside the program: neither %s nor %s has one",
              TRAUMA_SOURCE_DIR, home);
    error_hint(error, "build again with cmake --build build, or install with cmake --install build");
    return STATUS_FAILED;
}

char *paths_own(char folder[FILE_PATH_BYTES])
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    char path[FILE_PATH_BYTES];
    folder[0] = '\0';
    if (config != NULL && config[0] == '/')
        file_join(folder, config, "traumagen");
    else if (home != NULL && home[0] == '/')
        file_join(folder, file_join(path, home, ".config"), "traumagen");
    return folder;
}
