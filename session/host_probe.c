#include "session/host_probe.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/files/paths.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "runner/evidence/host.h"
#include "runner/probe/probe.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SUFFIX[] = ".probe.json";
enum { VERSION = 1, KEY_DIGITS = 16 };
static const double TIME_S = 4;

/* ---- the stored file of this host ---- */

static void append_file(const char *path, struct buffer *text)
{
    struct buffer contents = {0};
    if (file_read(path, &contents, NULL) == STATUS_OK)
        buffer_append(text, contents.data, contents.size);
    buffer_free(&contents);
}

/* A hash of processor, kernel and host, so that the file's name does not reveal them. */
static void make_key(const struct machine *machine, char key[HASH_TEXT_BYTES])
{
    struct host_names host;
    struct buffer text = {0};
    host_read(&host);
    buffer_printf(&text, "%s\n", machine_cpu(machine, machine->name));
    const char *const names[] = {host.cpu, host.kernel, host.host};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        buffer_printf(&text, "%s\n", names[i] == NULL ? "" : names[i]);
    append_file("/etc/machine-id", &text);
    hash_bytes(text.data, text.size, key);
    buffer_free(&text);
    arena_free(&host.arena);
}

/* "" without a home folder. */
static void own_file(const struct machine *machine, const char *key, char path[FILE_PATH_BYTES])
{
    char folder[FILE_PATH_BYTES];
    char name[256];
    snprintf(name, sizeof name, "%.180s-%.*s%s", machine->name, KEY_DIGITS, key, SUFFIX);
    paths_own(folder);
    path[0] = '\0';
    if (folder[0] != '\0')
        file_join(path, folder, name);
}

/* ---- results of a probe ---- */

static const char WIDTH[] = "issue_width";
static const char *const levels[] = {"L2", "L3"};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static json_t *cache_of(const json_t *document, const char *level)
{
    return json_object_get(json_object_get(document, "caches"), level);
}

/* The part of a machine's description that a brief probe finds; a new reference. Without a share of a level,
 * its latency was not measured either. */
static json_t *take_found(const json_t *document)
{
    json_t *effective = json_object();
    json_t *latency = json_deep_copy(json_object_get(document, "latency"));
    for (size_t i = 0; i < LEVELS; i++) {
        json_t *bytes = json_object_get(cache_of(document, levels[i]), "effective");
        if (bytes != NULL)
            json_object_set(effective, levels[i], bytes);
        else if (latency != NULL)
            json_object_del(latency, levels[i]);
    }
    json_t *found =
        json_pack("{s:i, s:o, s:o?}", "version", VERSION, "effective", effective, "latency", latency);
    if (json_object_get(document, WIDTH) != NULL)
        json_object_set(found, WIDTH, json_object_get(document, WIDTH));
    return found;
}

/* Adds the results to the machine. False if they are not of this machine. */
static bool apply(const json_t *found, struct machine *machine)
{
    json_t *document = json_deep_copy(machine->document);
    json_t *latency = json_object_get(found, "latency");
    struct machine with = {0};
    for (size_t i = 0; i < LEVELS; i++) {
        json_t *bytes = json_object_get(json_object_get(found, "effective"), levels[i]);
        json_t *cache = cache_of(document, levels[i]);
        if (bytes != NULL && cache != NULL)
            json_object_set(cache, "effective", bytes);
    }
    if (latency != NULL)
        json_object_set(document, "latency", latency);
    if (json_object_get(found, WIDTH) != NULL)
        json_object_set(document, WIDTH, json_object_get(found, WIDTH));
    bool fits = json_number_or(found, "version", 0) == VERSION &&
                machine_from_json(document, NULL, &with, NULL) == STATUS_OK;
    json_decref(document);
    if (!fits)
        return false;
    with.present = machine->present;
    machine_free(machine);
    *machine = with;
    return true;
}

/* "960KiB", or text for a level of which others may leave nothing. */
static const char *share_of(const struct cache *cache, char text[32])
{
    return cache->effective > 0 ? units_show_size(cache->effective, text, 32) : "no certain part";
}

static void report_used(const struct target_request *request, const struct machine *machine, const char *path)
{
    char l2[32], l3[32];
    session_detail(
        request->events, "trauma: according to the probe%s%s, a core has %s of L2%s%s%s",
        path[0] == '\0' ? "" : " in ", path, share_of(&machine->l2, l2), machine->l3.size > 0 ? " and " : "",
        machine->l3.size > 0 ? share_of(&machine->l3, l3) : "", machine->l3.size > 0 ? " of L3" : "");
}

/* ---- a new or a stored probe ---- */

static void step(size_t done, size_t all, const char *what, void *context)
{
    const struct target_request *request = context;
    session_progress(request->events, what, done, all);
}

static enum status measure(const struct target_request *request, const struct machine *machine,
                           json_t **found, struct error *error)
{
    struct machine measured = {0};
    const struct probe_request probing = {.machine = machine,
                                          .cpu = host_choose_cpu(),
                                          .time_s = TIME_S,
                                          .brief = true,
                                          .step = step,
                                          .context = (void *)(uintptr_t)request};
    struct probe *probe = memory_zeroed(1, sizeof *probe);
    enum status status = probe_run(&probing, probe, error);
    session_progress_end(request->events);
    if (status == STATUS_OK)
        status = probe_describe(probe, &measured, error);
    if (status == STATUS_OK)
        *found = take_found(measured.document);
    probe_free(probe);
    free(probe);
    machine_free(&measured);
    return status;
}

static enum status keep(const char *path, const json_t *found, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    if (path[0] == '\0') {
        error_set(error, STATUS_FAILED, "there is no folder to store the result of the probe in");
        error_hint(error,
                   "set HOME or XDG_CONFIG_HOME, or write a machine file: trauma machine probe -o FILE");
        return STATUS_FAILED;
    }
    enum status status = file_make_folders(file_folder_of(folder, path), error);
    char *text = json_dumps(found, JSON_INDENT(2));
    if (text == NULL)
        abort(); /* out of memory */
    if (status == STATUS_OK)
        status = file_write(path, text, strlen(text), false, error);
    free(text);
    return status;
}

/* The stored result of an earlier probe; NULL: none, or of another version. */
static json_t *read_kept(const char *path)
{
    struct buffer text = {0};
    json_t *found = NULL;
    if (path[0] != '\0' && file_is_regular(path) && file_read(path, &text, NULL) == STATUS_OK)
        found = json_parse(text.data, text.size, path, NULL);
    buffer_free(&text);
    return found;
}

bool host_probe_is_shared(const struct machine *machine)
{
    return machine->present && !machine_is_gpu(machine) && machine->l3.size > 0 &&
           (machine->is_virtual || machine->l3.shared_by > 1);
}

enum status host_probe_use(const struct target_request *request, struct machine *machine, struct error *error)
{
    char key[HASH_TEXT_BYTES];
    char path[FILE_PATH_BYTES] = "";
    if (request->probe && request->machine != NULL) {
        error_set(error, STATUS_USAGE, "--probe measures the present machine and cannot be combined with -m");
        error_hint(error, "trauma machine probe -o FILE writes a machine file");
        return STATUS_USAGE;
    }
    bool elsewhere = request->root[0] != '\0';
    bool passing = request->probe_shares && !request->probe && host_probe_is_shared(machine) && !elsewhere;
    if (request->machine != NULL || !machine->present || machine_is_gpu(machine))
        return STATUS_OK;
    if (elsewhere && !request->probe)
        return STATUS_OK;
    json_t *found = NULL;
    enum status status = STATUS_OK;
    make_key(machine, key);
    if (!passing)
        own_file(machine, key, path);
    if (request->probe || passing)
        status = measure(request, machine, &found, error);
    if (status == STATUS_OK && request->probe)
        status = keep(path, found, error);
    if (!request->probe && !passing)
        found = read_kept(path);
    if (status == STATUS_OK && found != NULL && apply(found, machine))
        report_used(request, machine, path);
    else if (status == STATUS_OK && found != NULL)
        session_warn(request->events,
                     "%s is not the result of a probe of this machine and is ignored -> --probe", path);
    json_decref(found);
    return status;
}
