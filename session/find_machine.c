#include "session/find_machine.h"

#include "base/buffer.h"
#include "base/files/paths.h"
#include "base/text/suggest.h"
#include "generator/machine/detect.h"
#include "generator/recipe/recipe.h"
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char machine_suffix[] = ".lua";
enum { HINT_NAMES_BYTES = 400 }; /* room for names in a hint */

static void cut_suffix(char *text)
{
    if (file_ends_with(text, machine_suffix))
        text[strlen(text) - strlen(machine_suffix)] = '\0';
}

/* The names, separated by commas; "..." replaces those that do not fit. */
static void hint_names(char *const *names, struct error *error)
{
    struct buffer list = {0};
    for (size_t i = 0; names[i] != NULL; i++) {
        const char *comma = i == 0 ? "" : ", ";
        if (list.size + strlen(comma) + strlen(names[i]) > HINT_NAMES_BYTES) {
            buffer_printf(&list, "%s...", comma);
            break;
        }
        buffer_printf(&list, "%s%s", comma, names[i]);
    }
    error_hint(error, "the machines are %s; the name of a file works too",
               list.data == NULL ? "none" : list.data);
    buffer_free(&list);
}

/* Suggests the shipped machine whose name is nearest to name (a path or a bare name), or else lists them all.
 */
static void hint_known(const char *name, const char *folder, struct error *error)
{
    char **names = file_list(folder, machine_suffix);
    if (names == NULL)
        return;
    size_t count = 0;
    for (; names[count] != NULL; count++)
        cut_suffix(names[count]);
    char bare[FILE_PATH_BYTES];
    snprintf(bare, sizeof bare, "%s", file_base_name(name));
    cut_suffix(bare);
    const char *meant = suggest(bare, (const char *const *)names, count);
    if (isa_find(bare) != NULL)
        error_hint(error,
                   "%s is an instruction set: -t %s selects it, -m a machine; trauma machine list names them",
                   bare, bare);
    else if (meant != NULL)
        error_hint(error, "did you mean '%s'?", meant);
    else
        hint_names(names, error);
    file_free_names(names);
}

enum status find_machine_file(const char *name, char path[FILE_PATH_BYTES], struct error *error)
{
    char home[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    bool is_path = strchr(name, '/') != NULL || file_ends_with(name, machine_suffix) || file_is_regular(name);
    if (is_path && access(name, F_OK) == 0 && !file_is_folder(name)) {
        snprintf(path, FILE_PATH_BYTES, "%s", name);
        return STATUS_OK;
    }
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    file_join(folder, home, "recipes/machines");
    if (is_path) {
        error_set(error, STATUS_USAGE,
                  file_is_folder(name) ? "%s is a folder; expected a machine file"
                                       : "there is no machine file %s",
                  name);
    } else {
        char file[FILE_PATH_BYTES];
        snprintf(file, sizeof file, "%s%s", name, machine_suffix);
        if (file_is_regular(file_join(path, folder, file)))
            return STATUS_OK;
        error_set(error, STATUS_USAGE, "there is no machine '%s'", name);
    }
    hint_known(name, folder, error);
    return STATUS_USAGE;
}

/* Marks a machine from a file as present if it describes this host, so that counters and clocks are used. */
static void mark_present(struct machine *machine)
{
    struct machine here = {0};
    if (!detect_has_name(machine->name))
        return;
    struct error ignored; /* if the host cannot be detected, no file describes it */
    if (detect_machine(&here, &ignored) == STATUS_OK)
        machine->present = detect_same(machine, &here);
    machine_free(&here);
}

enum status find_machine(const char *name, const char *root, struct machine *machine, struct error *error)
{
    memset(machine, 0, sizeof *machine);
    if (name == NULL)
        return detect_machine_with_clocks(root, machine, error);
    char path[FILE_PATH_BYTES];
    enum status status = find_machine_file(name, path, error);
    if (status == STATUS_OK)
        status = recipe_load_machine(path, machine, error);
    if (status == STATUS_OK)
        mark_present(machine);
    return status;
}

char **machine_names(struct error *error)
{
    char home[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    if (paths_home(home, error) != STATUS_OK)
        return NULL;
    char **names = file_list(file_join(folder, home, "recipes/machines"), machine_suffix);
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        cut_suffix(names[i]);
    return names;
}
