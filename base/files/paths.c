#include "base/files/paths.h"

#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool holds_templates(const char *folder)
{
    char path[FILE_PATH_BYTES];
    return file_is_folder(file_join(path, folder, "templates"));
}

/* The program's folder; "" if unknown. */
static void own_folder(char folder[FILE_PATH_BYTES])
{
    ssize_t length = readlink("/proc/self/exe", folder, FILE_PATH_BYTES - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* Removes the last name from the path; false if none is left. */
static bool go_up(char folder[FILE_PATH_BYTES])
{
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return false;
    *slash = '\0';
    return true;
}

/* True for this program's source tree, even if it was moved, but not for any other folder with templates/. */
static bool is_source(const char *folder)
{
    char path[FILE_PATH_BYTES];
    return holds_templates(folder) && file_is_folder(file_join(path, folder, "recipes")) &&
           file_is_regular(file_join(path, folder, "base/files/paths.c"));
}

/* The source tree around a build folder: the nearest parent that is one. */
static bool find_around(const char *folder, char home[FILE_PATH_BYTES])
{
    snprintf(home, FILE_PATH_BYTES, "%s", folder);
    while (go_up(home))
        if (is_source(home))
            return true;
    return false;
}

/* The source tree in the cache of the CMake build folder around the program. */
static bool find_configured(const char *folder, char home[FILE_PATH_BYTES])
{
    static const char KEY[] = "CMAKE_HOME_DIRECTORY:INTERNAL=";
    char build[FILE_PATH_BYTES];
    snprintf(build, sizeof build, "%s", folder);
    do {
        char path[FILE_PATH_BYTES];
        struct buffer text = {0};
        struct error none;
        if (!file_is_regular(file_join(path, build, "CMakeCache.txt")) ||
            file_read(path, &text, &none) != STATUS_OK)
            continue;
        const char *at = memmem(text.data, text.size, KEY, strlen(KEY));
        home[0] = '\0';
        if (at != NULL) {
            at += strlen(KEY);
            size_t left = text.size - (size_t)(at - text.data);
            const char *end = memchr(at, '\n', left);
            size_t length = end == NULL ? left : (size_t)(end - at);
            snprintf(home, FILE_PATH_BYTES, "%.*s", (int)(length < FILE_PATH_BYTES ? length : 0), at);
        }
        buffer_free(&text);
        return home[0] != '\0' && is_source(home);
    } while (go_up(build));
    return false;
}

enum status paths_home(char home[FILE_PATH_BYTES], struct error *error)
{
    char folder[FILE_PATH_BYTES];
    char installed[FILE_PATH_BYTES];
    const char *named = getenv("TRAUMA_ROOT");
    if (named != NULL && named[0] != '\0') {
        snprintf(home, FILE_PATH_BYTES, "%s", named);
        if (holds_templates(named))
            return STATUS_OK;
        error_set(error, STATUS_UNAVAILABLE, "TRAUMA_ROOT is %s: it has no templates/", named);
        error_hint(
            error,
            "expected the source tree or PREFIX/share/traumagen of an installation; unset TRAUMA_ROOT to "
            "use what lies beside the program");
        return STATUS_UNAVAILABLE;
    }
    own_folder(folder);
    if (holds_templates(folder)) {
        snprintf(home, FILE_PATH_BYTES, "%s", folder);
        return STATUS_OK;
    }
    file_join(installed, folder, "../share/traumagen");
    if (holds_templates(installed)) {
        snprintf(home, FILE_PATH_BYTES, "%s", installed);
        return STATUS_OK;
    }
    if (find_around(folder, home) || find_configured(folder, home))
        return STATUS_OK;
    error_set(error, STATUS_FAILED,
              "no templates/ for the program in %s: neither that folder, nor %s, nor a source tree around it "
              "has one",
              folder, installed);
    error_hint(
        error,
        "TRAUMA_ROOT=DIR names the folder that has it: a copy of the source tree, or share/traumagen of an "
        "installation; or copy templates/ and recipes/ beside the program");
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
