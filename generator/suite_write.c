#include "generator/suite.h"

#include "base/hash.h"
#include "base/json.h"
#include "generator/program_parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const unsigned char suite_header[];
extern const unsigned long suite_header_size;

enum { SPARE_BYTES = 40 }; /* of a path, for what stands behind the target's name while a suite is made */
enum { INDEX_PART = 1 << 16 };
static const char INDEX[] = "suite.json";
static const char MANIFEST[] = "manifest.json";

/* The path without "/" and "/." at its end. False when it does not fit. */
static bool cut_tail(const char *path, char cut[FILE_PATH_BYTES])
{
    size_t length = strlen(path);
    if (length == 0 || length >= FILE_PATH_BYTES)
        return false;
    while (length > 1) {
        if (path[length - 1] == '/')
            length--;
        else if (path[length - 1] == '.' && path[length - 2] == '/')
            length--;
        else
            break;
    }
    snprintf(cut, FILE_PATH_BYTES, "%.*s", (int)length, path);
    return true;
}

/* The place to write to, links resolved: what is renamed must be the folder and not a link to it. */
static enum status resolve(const char *given, char target[FILE_PATH_BYTES], struct error *error)
{
    char cut[FILE_PATH_BYTES];
    char here[PATH_MAX];
    char place[PATH_MAX];
    struct stat info;
    if (!cut_tail(given, cut) || strlen(cut) + SPARE_BYTES >= FILE_PATH_BYTES)
        return error_set(error, STATUS_USAGE, "'%.200s' cannot be a suite's folder", given);
    if (lstat(cut, &info) != 0) {
        snprintf(target, FILE_PATH_BYTES, "%s", cut);
        return STATUS_OK;
    }
    if (realpath(cut, place) == NULL || strlen(place) + SPARE_BYTES >= FILE_PATH_BYTES)
        return error_set(error, STATUS_USAGE, "%s leads to no folder: %s", cut, strerror(errno));
    if (strcmp(place, "/") == 0 || (getcwd(here, sizeof here) != NULL && strcmp(place, here) == 0)) {
        error_set(error, STATUS_USAGE, "%s cannot be replaced by a suite while it is the present folder or /",
                  cut);
        error_hint(error, "give a folder inside it with -o");
        return STATUS_USAGE;
    }
    snprintf(target, FILE_PATH_BYTES, "%s", place);
    return STATUS_OK;
}

/* True for "BASE.PID" with the suffix behind it, of a process that is no more. */
static bool is_stale(const char *name, const char *base, const char *suffix)
{
    size_t length = strlen(base);
    char *end;
    if (strncmp(name, base, length) != 0 || name[length] != '.' || !isdigit((unsigned char)name[length + 1]))
        return false;
    long pid = strtol(name + length + 1, &end, 10);
    return strcmp(end, suffix) == 0 && pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Removes what killed writers of the target left beside it. An old suite stays while it is the only one. */
static void remove_stale(const char *target, bool there)
{
    char parent[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    const char *base = file_base_name(target);
    snprintf(parent, sizeof parent, "%.*s", (int)(base - target), target);
    if (base == target)
        snprintf(parent, sizeof parent, ".");
    char **names = file_list(parent, "");
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        if (is_stale(names[i], base, ".new") || (there && is_stale(names[i], base, ".new.old")))
            (void)file_remove_tree(file_join(path, parent, names[i]), NULL);
    file_free_names(names);
}

enum status suite_begin(const char *target, struct suite_writer *writer, struct error *error)
{
    *writer = (struct suite_writer){.index = -1};
    enum status status = resolve(target, writer->target, error);
    if (status != STATUS_OK)
        return status;
    bool there = access(writer->target, F_OK) == 0;
    if (there && !suite_is_one(writer->target) && !file_folder_is_empty(writer->target)) {
        error_set(error, STATUS_USAGE, "%s is there and is no suite: it stays as it is", writer->target);
        error_hint(error, "give another folder with -o");
        return STATUS_USAGE;
    }
    remove_stale(writer->target, there);
    snprintf(writer->folder, sizeof writer->folder, "%.*s.%ld.new", FILE_PATH_BYTES - SPARE_BYTES,
             writer->target, (long)getpid());
    return file_make_folders(writer->folder, error);
}

static enum status cannot_write(const char *path, struct error *error)
{
    return error_set(error, STATUS_FAILED, "cannot write %s: %s", path, strerror(errno));
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0 && errno != EINTR)
            return false;
        bytes += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* A file that is not there yet: the folder is this suite's own, and seen by nobody before all of it is
 * written. */
static enum status write_new(const char *folder, const char *name, const struct buffer *part, bool executable,
                             struct error *error)
{
    char path[FILE_PATH_BYTES];
    file_join(path, folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, executable ? 0777 : 0666);
    if (fd < 0)
        return cannot_write(path, error);
    bool good = write_all(fd, part->data, part->size);
    enum status status = good ? STATUS_OK : cannot_write(path, error);
    if (close(fd) != 0 && good)
        status = cannot_write(path, error);
    return status;
}

/* ---- the index ---- */

/* Writes what of the index is not written yet. */
static enum status flush(struct suite_writer *writer, struct error *error)
{
    bool good = write_all(writer->index, writer->unwritten.data, writer->unwritten.size);
    writer->unwritten.size = 0;
    return good ? STATUS_OK : cannot_write(INDEX, error);
}

enum status suite_begin_index(struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                              const json_t *benchmarks, struct error *error)
{
    char path[FILE_PATH_BYTES];
    writer->index =
        open(file_join(path, writer->folder, INDEX), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer->index < 0)
        return cannot_write(path, error);
    struct json_text *text = &writer->text;
    *text = (struct json_text){.buffer = &writer->unwritten};
    json_text_open(text, NULL, '{');
    json_text_integer(text, "schema", SUITE_SCHEMA);
    json_text_string(text, "kind", "suite");
    json_text_open(text, "tool", '{');
    json_text_string(text, "name", "trauma");
    json_text_string(text, "version", TRAUMA_VERSION);
    json_text_close(text, '}');
    json_text_integer(text, "seed", (long long)seed);
    json_text_value(text, "machine", machine->document);
    json_text_value(text, "benchmarks", benchmarks);
    json_text_open(text, "programs", '[');
    return STATUS_OK;
}

enum status suite_add_entry(struct suite_writer *writer, const char *entry, size_t size, struct error *error)
{
    buffer_text(&writer->unwritten, writer->text.first ? "" : ",");
    buffer_append(&writer->unwritten, entry, size);
    writer->text.first = false;
    return writer->unwritten.size < INDEX_PART ? STATUS_OK : flush(writer, error);
}

static enum status end_index(struct suite_writer *writer, struct error *error)
{
    json_text_close(&writer->text, ']');
    if (writer->markers != NULL)
        json_text_string(&writer->text, "markers", writer->markers);
    json_text_close(&writer->text, '}');
    enum status status = flush(writer, error);
    if (close(writer->index) != 0 && status == STATUS_OK)
        status = cannot_write(INDEX, error);
    writer->index = -1;
    return status;
}

/* The index's entry of a program, as an element of its list. */
static enum status make_entry(const json_t *point, const struct program *program, const char *recipe,
                              struct buffer *entry, struct error *error)
{
    char relative[FILE_PATH_BYTES];
    char hash[HASH_TEXT_BYTES];
    const char *benchmark = json_string_or(point, "benchmark", "");
    const char *name = json_string_or(point, "point", "");
    json_t *shown = json_string(recipe);
    if (shown == NULL)
        return error_set(error, STATUS_FAILED,
                         "%s/%s has no entry in the index: its recipe's name is not UTF-8", benchmark, name);
    struct json_text text = {.buffer = entry, .depth = 2, .first = true};
    hash_bytes(program->manifest_text.data, program->manifest_text.size, hash);
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "benchmark", benchmark);
    json_text_string(&text, "point", name);
    json_text_value(&text, "parameters", json_object_get(point, "parameters"));
    json_text_value(&text, "target", json_object_get(point, "target"));
    json_text_value(&text, "recipe", shown);
    json_text_string(&text, "path", file_join(relative, benchmark, name));
    json_text_string(&text, "hash", program->hash);
    json_text_string(&text, "manifest_hash", hash);
    json_text_value(&text, "measure", json_object_get(point, "measure"));
    json_text_value(&text, "calibration", json_object_get(point, "calibration"));
    json_text_close(&text, '}');
    json_decref(shown);
    return STATUS_OK;
}

/* ---- programs ---- */

/* The benchmark's folder is there for all of its points but the first. */
static enum status make_folder(const char *folder, struct error *error)
{
    return mkdir(folder, 0777) == 0 ? STATUS_OK : file_make_folders(folder, error);
}

enum status suite_add(const struct suite_writer *writer, const char *recipe, const json_t *point,
                      const struct program *program, struct buffer *entry, struct error *error)
{
    char parent[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    file_join(parent, writer->folder, json_string_or(point, "benchmark", ""));
    file_join(folder, parent, json_string_or(point, "point", ""));
    enum status status = make_folder(folder, error);
    const char *made_for = json_string_or(point, "target", "");
    for (const struct program_part *part = program_parts; part->target != NULL; part++) {
        const struct buffer *bytes =
            (const struct buffer *)(const void *)((const char *)program + part->offset);
        if (status == STATUS_OK && strcmp(part->target, made_for) == 0)
            status = write_new(folder, part->name, bytes, part->executable, error);
    }
    if (status == STATUS_OK)
        status = write_new(folder, MANIFEST, &program->manifest_text, false, error);
    return status == STATUS_OK ? make_entry(point, program, recipe, entry, error) : status;
}

/* Puts the finished folder in the target's place. Two renames: a kill between them leaves the old suite whole
 * under its other name. */
static enum status put_in_place(const struct suite_writer *writer, struct error *error)
{
    char old[FILE_PATH_BYTES + 8];
    snprintf(old, sizeof old, "%s.old", writer->folder);
    bool there = access(writer->target, F_OK) == 0;
    if (there && rename(writer->target, old) != 0)
        return error_set(error, STATUS_FAILED, "cannot replace %s: %s", writer->target, strerror(errno));
    if (rename(writer->folder, writer->target) != 0) {
        int failure = errno;
        if (there)
            (void)rename(old, writer->target);
        return error_set(error, STATUS_FAILED, "cannot make %s: %s", writer->target, strerror(failure));
    }
    return there ? file_remove_tree(old, error) : STATUS_OK;
}

enum status suite_finish(struct suite_writer *writer, struct error *error)
{
    char path[FILE_PATH_BYTES];
    enum status status = end_index(writer, error);
    if (status == STATUS_OK)
        status = file_write(file_join(path, writer->folder, "trauma.h"), suite_header, suite_header_size,
                            false, error);
    if (status == STATUS_OK)
        status = put_in_place(writer, error);
    buffer_free(&writer->unwritten);
    return status;
}

void suite_abandon(struct suite_writer *writer)
{
    if (writer->index >= 0)
        close(writer->index);
    writer->index = -1;
    buffer_free(&writer->unwritten);
    (void)file_remove_tree(writer->folder, NULL);
}
