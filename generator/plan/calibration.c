#include "generator/plan/calibration.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file's lock ---- */

/* Locks the file that currently has the name, for a read-modify-write; waits for other holders. Returns the
 * descriptor, or -1 if the file is missing or cannot be opened. The kernel holds the lock with the open file
 * and releases it with the last process that has it open, in any PID namespace; network file systems extend
 * it to other hosts. */
static int hold_file(const char *path)
{
    struct stat own;
    struct stat there;
    for (;;) {
        int fd = TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (fd < 0 && errno != ENOENT) /* a file that cannot be written may still be replaced */
            fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (fd < 0)
            return -1;
        bool locked = TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) == 0;
        if (!locked || fstat(fd, &own) != 0 ||
            (stat(path, &there) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev))
            return fd;
        close(fd); /* it was replaced while this process waited */
    }
}

enum { SCHEMA = 1 };
static const char KIND[] = "calibration";

/* The hash of a document's content, independent of key order. */
static void hash_document(const json_t *document, char hash[HASH_TEXT_BYTES])
{
    char *text = json_dumps(document, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15));
    hash_bytes(text == NULL ? "" : text, text == NULL ? 0 : strlen(text), hash);
    free(text);
}

/* Omits the clocks that can be set: no plan depends on them, and they change with drivers. */
static void hash_machine(const struct machine *machine, char hash[HASH_TEXT_BYTES])
{
    json_t *plain = json_copy(machine->document);
    json_object_del(plain, "frequencies");
    hash_document(plain, hash);
    json_decref(plain);
}

/* Omits the position of asm{} texts in the recipe, which has no effect. */
static void hash_kernel(const json_t *kernel, char hash[HASH_TEXT_BYTES])
{
    json_t *plain = json_deep_copy(kernel);
    json_t *unit = json_object_get(plain, "unit");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        json_object_del(json_array_get(unit, i), "file");
        json_object_del(json_array_get(unit, i), "line");
    }
    hash_document(plain, hash);
    json_decref(plain);
}

static enum status check_tuning(const json_t *holder, const char *path, bool needed, struct error *error)
{
    const json_t *document = json_object_get(holder, "tuning");
    struct plan_tuning tuning = {0};
    if (document == NULL && !needed)
        return STATUS_OK;
    return tuning_from_json(document, path, &tuning, error);
}

static enum status check(const json_t *document, const char *path, struct error *error)
{
    const char *hash;
    json_t *entry;
    if (json_number_or(document, "schema", 0) != SCHEMA ||
        strcmp(json_string_or(document, "kind", ""), KIND) != 0) {
        error_set(error, STATUS_USAGE, "%s is not a calibration of schema %d", path, SCHEMA);
        error_hint(error, "remove it, or use --no-calibration");
        return STATUS_USAGE;
    }
    enum status status = check_tuning(document, path, false, error);
    json_object_foreach(json_object_get(document, "kernels"), hash, entry)
    {
        if (status == STATUS_OK)
            status = check_tuning(entry, path, true, error);
    }
    return status;
}

enum status calibration_read(const char *path, const struct machine *machine, struct calibration *calibration,
                             struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    *calibration = (struct calibration){NULL, false};
    if (!file_is_regular(path))
        return STATUS_OK;
    json_t *document = json_read(path, error);
    enum status status = document == NULL ? error->code : check(document, path, error);
    hash_machine(machine, hash);
    calibration->foreign =
        status == STATUS_OK && strcmp(json_string_or(document, "machine_hash", hash), hash) != 0;
    if (status == STATUS_OK && !calibration->foreign)
        calibration->document = json_incref(document);
    json_decref(document);
    return status;
}

const char *calibration_host(const struct calibration *calibration)
{
    return json_string_or(calibration->document, "host", "");
}

double calibration_depth(const struct calibration *calibration)
{
    const char *hash;
    json_t *entry;
    double depth = 0;
    json_object_foreach(json_object_get(calibration->document, "kernels"), hash, entry) depth =
        json_number_or(json_object_get(entry, "tuning"), "depth", depth);
    return depth;
}

json_t *calibration_find(const struct calibration *calibration, const json_t *kernel)
{
    char hash[HASH_TEXT_BYTES];
    hash_kernel(kernel, hash);
    const json_t *entry = json_object_get(json_object_get(calibration->document, "kernels"), hash);
    struct plan_tuning tuning = {0};
    const json_t *of_all = json_object_get(calibration->document, "tuning");
    if (of_all != NULL)
        (void)tuning_from_json(of_all, NULL, &tuning, NULL);
    if (entry != NULL)
        (void)tuning_from_json(json_object_get(entry, "tuning"), NULL, &tuning, NULL);
    if (!tuning_is_set(&tuning))
        return NULL;
    json_t *found = json_pack("{s:o}", "tuning", tuning_to_json(&tuning));
    static const char *const carried[] = {"source", "kind"};
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++)
        if (json_object_get(entry, carried[i]) != NULL)
            json_object_set(found, carried[i], json_object_get(entry, carried[i]));
    return found;
}

static json_t *begin(const struct machine *machine)
{
    char hash[HASH_TEXT_BYTES];
    hash_machine(machine, hash);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:{}}", "schema", SCHEMA, "kind", KIND, "machine",
                     machine->name, "machine_hash", hash, "host", "", "kernels");
}

static enum status learn(const char *path, bool there, const struct machine *machine, const char *host,
                         const json_t *kernel, const json_t *entry, struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    struct calibration known;
    enum status status = calibration_read(path, machine, &known, error);
    if (status != STATUS_OK)
        return status;
    json_t *document = known.document != NULL ? json_incref(known.document) : begin(machine);
    json_t *whole = begin(machine); /* which a hand-written file may lack */
    json_object_update_missing(document, whole);
    json_decref(whole);
    if (host[0] != '\0')
        json_object_set_new(document, "host", json_string(host));
    hash_kernel(kernel, hash);
    if (entry == NULL)
        json_object_del(json_object_get(document, "kernels"), hash);
    else
        json_object_set(json_object_get(document, "kernels"), hash, (json_t *)(uintptr_t)entry);
    struct buffer text = {0};
    json_write(&text, document, 2);
    status = there ? file_write(path, text.data, text.size, false, error)
                   : file_write_first(path, text.data, text.size, error);
    buffer_free(&text);
    json_decref(document);
    calibration_free(&known);
    return status;
}

/* Several processes may store at once: each reads what the others have written. */
enum status calibration_learn(const char *path, const struct machine *machine, const char *host,
                              const json_t *kernel, const json_t *entry, struct error *error)
{
    int held = hold_file(path);
    bool there = held >= 0;
    enum status status = learn(path, there, machine, host, kernel, entry, error);
    if (status != STATUS_OK && !there && (held = hold_file(path)) >= 0) /* another process created it first */
        status = learn(path, true, machine, host, kernel, entry, error);
    if (held >= 0)
        close(held);
    return status;
}

void calibration_free(struct calibration *calibration)
{
    json_decref(calibration->document);
    *calibration = (struct calibration){NULL, false};
}
