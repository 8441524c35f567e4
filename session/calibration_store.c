#include "session/target_context.h"

#include "base/files/paths.h"
#include "generator/machine/detect.h"
#include "generator/suite/manifest_read.h"
#include "session/find_machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char SUFFIX[] = ".calibration.json";
static const char MACHINE_SUFFIX[] = ".lua";

/* A file in the user's folder, named after the processor or else the machine. */
static void own_file(const struct machine *machine, char path[FILE_PATH_BYTES])
{
    char folder[FILE_PATH_BYTES];
    char name[256];
    const char *cpu = machine->present ? machine_cpu(machine, machine->name) : machine->name;
    snprintf(name, sizeof name, "%.200s%s", cpu, SUFFIX);
    for (char *at = name; *at != '\0'; at++)
        if (*at == '/')
            *at = '-';
    paths_own(folder);
    path[0] = '\0';
    if (folder[0] != '\0')
        file_join(path, folder, name);
}

/* True if a file can be created or replaced there. */
static bool can_write(const char *path)
{
    char folder[FILE_PATH_BYTES];
    int length = (int)(file_base_name(path) - path);
    snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : length, length == 0 ? "." : path);
    return access(folder, W_OK) == 0;
}

/* The path beside the machine's file; in the user's folder if the file is neither there nor can be written.
 */
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

/* Decides whether the machine is this host although its caches are described differently. */
static void identify_host(const struct target_request *request, struct machine *machine,
                          struct calibration_store *store)
{
    struct error ignored; /* a machine cannot be a host that cannot be detected */
    const char *host = store->calibration.host;
    if (machine->present && request->machine == NULL)
        return;
    if (detect_machine(&store->host, &ignored) != STATUS_OK || strcmp(store->host.isa, machine->isa) != 0)
        return;
    const char *cpu = machine_cpu(&store->host, "");
    bool same = strcmp(machine_cpu(machine, "-"), cpu) == 0 && request->calibrate;
    bool known = cpu[0] != '\0' && strcmp(host, cpu) == 0;
    store->here = !machine->present && (request->here || same || known);
    machine->present = machine->present || store->here;
    if (store->here)
        session_warn(request->events,
                     "%s is assumed to be this host, although its file describes the caches differently",
                     machine->name);
}

enum status calibration_store_open(const struct target_request *request, struct machine *machine,
                                   struct calibration_store *store, struct error *error)
{
    store->by_hand = request->tuning;
    store->calibration.host = "";
    enum status status = find_path(request->machine, machine, store->path, error);
    if (status == STATUS_OK && store->path[0] != '\0' && !request->no_calibration)
        status = calibration_read(store->path, machine, &store->calibration, error);
    if (status != STATUS_OK)
        return status;
    if (store->calibration.foreign)
        session_warn(request->events,
                     "%s was made for another description of %s and is ignored; --calibrate makes a new one",
                     store->path, machine->name);
    identify_host(request, machine, store);
    return STATUS_OK;
}

bool calibration_store_tunes(const struct calibration_store *store)
{
    return store->calibration.given || tuning_is_set(&store->by_hand);
}

/* --tune overrides the stored tuning; the result then names no source. */
struct plan_calibration calibration_store_find(const struct calibration_store *store,
                                               const struct manifest *point)
{
    if (!calibration_store_tunes(store))
        return (struct plan_calibration){.given = false};
    struct plan_calibration found = calibration_find(&store->calibration, point->kernel);
    if (!tuning_is_set(&store->by_hand))
        return found;
    tuning_override(&found.tuning, &store->by_hand);
    return (struct plan_calibration){.given = true, .tuned = true, .tuning = found.tuning};
}

enum status calibration_store_add(struct calibration_store *store, const struct machine *machine,
                                  bool measured, const struct manifest *point,
                                  const struct calibration_outcome *outcome, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    const char *host = "";
    if (store->path[0] == '\0') {
        error_set(error, STATUS_UNAVAILABLE, "there is no folder to store the calibration in");
        error_hint(error, "set HOME or XDG_CONFIG_HOME, or name a machine file with -m");
        return STATUS_UNAVAILABLE;
    }
    if (measured)
        host = machine_cpu(store->here ? &store->host : machine, "");
    snprintf(folder, sizeof folder, "%.*s", (int)(file_base_name(store->path) - store->path), store->path);
    enum status status = folder[0] == '\0' ? STATUS_OK : file_make_folders(folder, error);
    if (status == STATUS_OK)
        status = calibration_learn(store->path, machine, host, point->kernel, outcome, error);
    if (status != STATUS_OK)
        return status;
    calibration_free(&store->calibration);
    return calibration_read(store->path, machine, &store->calibration, error);
}

const struct machine *calibration_store_reference_machine(const struct calibration_store *store)
{
    return store->here ? &store->host : NULL;
}

void calibration_store_close(struct calibration_store *store)
{
    calibration_free(&store->calibration);
    machine_free(&store->host);
}
