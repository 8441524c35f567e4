#include "cli/learnt.h"

#include "base/json.h"
#include "base/paths.h"
#include "cli/command.h"
#include "generator/machine/detect.h"
#include "session/find_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SUFFIX[] = ".calibration.json";
static const char MACHINE_SUFFIX[] = ".lua";

/* In the user's own folder, by the processor or else by the machine's name. */
static void own_file(const struct machine *machine, char path[FILE_PATH_BYTES])
{
    char folder[FILE_PATH_BYTES];
    char name[256];
    const char *cpu =
        machine->present ? json_string_or(machine->document, "cpu", machine->name) : machine->name;
    snprintf(name, sizeof name, "%.200s%s", cpu, SUFFIX);
    for (char *at = name; *at != '\0'; at++)
        if (*at == '/')
            *at = '-';
    paths_own(folder);
    path[0] = '\0';
    if (folder[0] != '\0')
        file_join(path, folder, name);
}

/* True when a file can be put there, or replaced. */
static bool can_write(const char *path)
{
    char folder[FILE_PATH_BYTES];
    int length = (int)(file_base_name(path) - path);
    snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : length, length == 0 ? "." : path);
    return access(folder, W_OK) == 0;
}

/* Beside the machine's file, or, where nothing can be written and nothing is there, in the user's folder. */
static enum status find_path(const char *name, const struct machine *machine, char path[FILE_PATH_BYTES],
                             struct error *error)
{
    char file[FILE_PATH_BYTES];
    if (name == NULL) {
        own_file(machine, path);
        return STATUS_OK;
    }
    enum status status = find_machine_file(name, file, error);
    if (status != STATUS_OK)
        return status;
    size_t length = strlen(file);
    if (file_ends_with(file, MACHINE_SUFFIX))
        length -= strlen(MACHINE_SUFFIX);
    snprintf(path, FILE_PATH_BYTES, "%.*s%s", (int)length, file, SUFFIX);
    if (!file_is_regular(path) && !can_write(path))
        own_file(machine, path);
    return STATUS_OK;
}

/* The machine may be this host although its caches are described otherwise. */
static void look_around(const struct options *options, struct machine *machine, struct learnt *learnt)
{
    struct error ignored; /* a host that cannot be detected is not the machine */
    const char *learnt_on = calibration_host(&learnt->calibration);
    if (machine->present && options->machine == NULL)
        return;
    if (detect_machine(&learnt->host, &ignored) != STATUS_OK || strcmp(learnt->host.isa, machine->isa) != 0)
        return;
    const char *cpu = json_string_or(learnt->host.document, "cpu", "");
    bool same = strcmp(json_string_or(machine->document, "cpu", "-"), cpu) == 0 && options->calibrate;
    bool known = cpu[0] != '\0' && strcmp(learnt_on, cpu) == 0;
    learnt->here = !machine->present && (options->here || same || known);
    machine->present = machine->present || learnt->here;
    if (learnt->here)
        command_warn(options, "%s is taken for this host, whose caches its file describes otherwise",
                     machine->name);
}

enum status learnt_open(const struct options *options, struct machine *machine, struct learnt *learnt,
                        struct error *error)
{
    learnt->by_hand = options->tuning;
    enum status status = find_path(options->machine, machine, learnt->path, error);
    if (status == STATUS_OK && learnt->path[0] != '\0' && !options->no_calibration)
        status = calibration_read(learnt->path, machine, &learnt->calibration, error);
    if (status != STATUS_OK)
        return status;
    if (learnt->calibration.foreign)
        command_warn(options, "%s is of another description of %s and is not used; --calibrate learns anew",
                     learnt->path, machine->name);
    look_around(options, machine, learnt);
    return STATUS_OK;
}

bool learnt_tunes(const struct learnt *learnt)
{
    return learnt->calibration.document != NULL || tuning_is_set(&learnt->by_hand);
}

/* What a person says counts for more, and then it is no more what a source has seen. */
json_t *learnt_find(const struct learnt *learnt, const json_t *kernel)
{
    if (!learnt_tunes(learnt))
        return NULL;
    json_t *note = calibration_find(&learnt->calibration, kernel);
    struct plan_tuning tuning = {0};
    if (!tuning_is_set(&learnt->by_hand))
        return note;
    if (note != NULL)
        (void)tuning_from_json(json_object_get(note, "tuning"), NULL, &tuning, NULL);
    json_decref(note);
    json_t *own = tuning_to_json(&learnt->by_hand);
    (void)tuning_from_json(own, NULL, &tuning, NULL);
    json_decref(own);
    return json_pack("{s:o}", "tuning", tuning_to_json(&tuning));
}

enum status learnt_add(struct learnt *learnt, const struct machine *machine, bool measured,
                       const json_t *kernel, const json_t *entry, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    const char *host = "";
    if (learnt->path[0] == '\0') {
        error_set(error, STATUS_UNAVAILABLE, "there is no folder to keep what calibration learnt");
        error_hint(error, "set HOME or XDG_CONFIG_HOME, or name a machine file with -m");
        return STATUS_UNAVAILABLE;
    }
    if (measured)
        host = json_string_or(learnt->here ? learnt->host.document : machine->document, "cpu", "");
    snprintf(folder, sizeof folder, "%.*s", (int)(file_base_name(learnt->path) - learnt->path), learnt->path);
    enum status status = folder[0] == '\0' ? STATUS_OK : file_make_folders(folder, error);
    if (status == STATUS_OK)
        status = calibration_learn(learnt->path, machine, host, kernel, entry, error);
    if (status != STATUS_OK)
        return status;
    calibration_free(&learnt->calibration);
    return calibration_read(learnt->path, machine, &learnt->calibration, error);
}

const struct machine *learnt_yardstick(const struct learnt *learnt)
{
    return learnt->here ? &learnt->host : NULL;
}

void learnt_close(struct learnt *learnt)
{
    calibration_free(&learnt->calibration);
    machine_free(&learnt->host);
}
