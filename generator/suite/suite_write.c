#include "generator/suite/suite.h"

#include "base/hash.h"
#include "base/json.h"
#include "generator/suite/program_parts.h"
#include "generator/suite/suite_place.h"
#include "isa/isa.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const unsigned char suite_header[];
extern const unsigned long suite_header_size;

enum { INDEX_PART = 1 << 16 };

/* The path without trailing "/" and "/.". False if it does not fit. */
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

/* The place to write to, with links resolved: the folder must be renamed, not a link to it. */
static enum status resolve(const char *given, char target[FILE_PATH_BYTES], struct error *error)
{
    char cut[FILE_PATH_BYTES];
    char here[PATH_MAX];
    char place[PATH_MAX];
    struct stat info;
    if (!cut_tail(given, cut) || strlen(cut) + SUITE_SPARE_BYTES >= FILE_PATH_BYTES)
        return error_set(error, STATUS_USAGE, "'%.200s' cannot be a suite's folder", given);
    if (lstat(cut, &info) != 0) {
        snprintf(target, FILE_PATH_BYTES, "%s", cut);
        return STATUS_OK;
    }
    if (realpath(cut, place) == NULL || strlen(place) + SUITE_SPARE_BYTES >= FILE_PATH_BYTES)
        return error_set(error, STATUS_USAGE, "%s does not lead to a folder: %s", cut, strerror(errno));
    if (strcmp(place, "/") == 0 || (getcwd(here, sizeof here) != NULL && strcmp(place, here) == 0)) {
        error_set(error, STATUS_USAGE, "%s cannot be replaced by a suite: it is the current folder or /",
                  cut);
        error_hint(error, "give a folder inside it with -o");
        return STATUS_USAGE;
    }
    snprintf(target, FILE_PATH_BYTES, "%s", place);
    return STATUS_OK;
}

/* Length of the existing part of the target's path; for a relative path 0 may be the current folder. */
static size_t length_there(const char *target)
{
    char part[FILE_PATH_BYTES];
    snprintf(part, sizeof part, "%s", target);
    for (char *slash = strrchr(part, '/'); slash != NULL; slash = strrchr(part, '/')) {
        *slash = '\0';
        if (access(part, F_OK) == 0)
            return strlen(part);
    }
    return 0;
}

/* Removes empty folders above the target that were made for it. */
static void remove_parents(const struct suite_writer *writer)
{
    char part[FILE_PATH_BYTES];
    snprintf(part, sizeof part, "%s", writer->target);
    for (char *slash = strrchr(part, '/'); slash != NULL && slash > part + writer->above;
         slash = strrchr(part, '/')) {
        *slash = '\0';
        if (rmdir(part) != 0)
            return;
    }
}

enum status suite_begin(const char *target, bool force, struct suite_writer *writer, struct error *error)
{
    char parent[FILE_PATH_BYTES];
    *writer = (struct suite_writer){.index = -1, .force = force};
    enum status status = resolve(target, writer->target, error);
    if (status == STATUS_OK)
        status = suite_place_check(writer->target, force, error);
    if (status != STATUS_OK)
        return status;
    suite_place_clean(writer->target);
    writer->above = length_there(writer->target);
    status = file_make_folders(file_folder_of(parent, writer->target), error);
    if (status == STATUS_OK)
        status = suite_place_begin(writer->target, writer->folder, &writer->index, error);
    if (status != STATUS_OK)
        remove_parents(writer);
    return status;
}

static enum status cannot_write(const char *path, struct error *error)
{
    return error_set(error, STATUS_FAILED, "cannot write %s: %s", path, strerror(errno));
}

/* Writes a new file: the folder belongs to this suite until all of it is written. */
static enum status write_new(const char *folder, const char *name, const struct buffer *part, bool executable,
                             struct error *error)
{
    char path[FILE_PATH_BYTES];
    file_join(path, folder, name);
    int fd = TEMP_FAILURE_RETRY(
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, executable ? 0777 : 0666));
    if (fd < 0)
        return cannot_write(path, error);
    bool good = file_write_all(fd, part->data, part->size);
    enum status status = good ? STATUS_OK : cannot_write(path, error);
    if (!file_close(fd) && good)
        status = cannot_write(path, error);
    return status;
}

/* ---- the index ---- */

/* Writes the pending part of the index. */
static enum status flush(struct suite_writer *writer, struct error *error)
{
    char path[FILE_PATH_BYTES];
    bool good = file_write_all(writer->index, writer->unwritten.data, writer->unwritten.size);
    writer->unwritten.size = 0;
    return good ? STATUS_OK : cannot_write(file_join(path, writer->folder, SUITE_INDEX), error);
}

void suite_begin_index(struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                       const json_t *benchmarks)
{
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
    if (status == STATUS_OK && !file_flush(writer->index)) /* it stays open, and locked */
        status = cannot_write(SUITE_INDEX, error);
    return status;
}

/* The index's entry of a program, as an element of its list, or of a point that is refused. */
static enum status make_entry(const json_t *point, const struct program *program, const char *refused,
                              const char *recipe, struct buffer *entry, struct error *error)
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
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "benchmark", benchmark);
    json_text_string(&text, "point", name);
    json_text_value(&text, "parameters", json_object_get(point, "parameters"));
    json_text_value(&text, "target", json_object_get(point, "target"));
    json_text_value(&text, "recipe", shown);
    json_text_value(&text, "from", json_object_get(json_object_get(point, "from"), "file"));
    if (program != NULL) {
        hash_bytes(program->manifest_text.data, program->manifest_text.size, hash);
        json_text_string(&text, "path", file_join(relative, benchmark, name));
        json_text_string(&text, "hash", program->hash);
        json_text_string(&text, "manifest_hash", hash);
    } else {
        json_text_string(&text, "refused", refused);
    }
    json_text_value(&text, "measure", json_object_get(point, "measure"));
    json_text_value(&text, "calibration", json_object_get(point, "calibration"));
    json_text_close(&text, '}');
    json_decref(shown);
    return STATUS_OK;
}

/* ---- programs ---- */

/* The benchmark's folder exists for all of its points but the first. */
static enum status make_folder(const char *folder, struct error *error)
{
    return TEMP_FAILURE_RETRY(mkdir(folder, 0777)) == 0 ? STATUS_OK : file_make_folders(folder, error);
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
        if (status == STATUS_OK && isa_is_listed(part->target, made_for) &&
            program_part_is_in(part, json_object_get(point, "from")))
            status = write_new(folder, part->name, bytes, part->executable, error);
    }
    if (status == STATUS_OK)
        status = write_new(folder, SUITE_MANIFEST, &program->manifest_text, false, error);
    return status == STATUS_OK ? make_entry(point, program, NULL, recipe, entry, error) : status;
}

enum status suite_add_refused(const char *recipe, const json_t *point, const char *reason,
                              struct buffer *entry, struct error *error)
{
    return make_entry(point, NULL, reason, recipe, entry, error);
}

static void end(struct suite_writer *writer)
{
    if (writer->index >= 0)
        close(writer->index);
    writer->index = -1;
    buffer_free(&writer->unwritten);
}

/* The final check: the target has this writer's suite. */
static enum status confirm(const struct suite_writer *writer, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct stat own;
    struct stat there;
    if (fstat(writer->index, &own) == 0 && stat(file_join(path, writer->target, SUITE_INDEX), &there) == 0 &&
        own.st_ino == there.st_ino && own.st_dev == there.st_dev)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "another process has removed or replaced %s since this process put its suite there",
                     writer->target);
}

/* What is not yet in place is left to suite_abandon. */
enum status suite_finish(struct suite_writer *writer, struct error *error)
{
    const struct buffer header = {.data = (char *)(uintptr_t)suite_header, .size = suite_header_size};
    char old[FILE_PATH_BYTES + 8];
    enum status status = end_index(writer, error);
    if (status == STATUS_OK)
        status = write_new(writer->folder, SUITE_HEADER, &header, false, error);
    if (status == STATUS_OK)
        status = suite_place_put(writer->folder, writer->index, writer->target, writer->force, old, error);
    if (status != STATUS_OK)
        return status;
    writer->folder[0] = '\0';
    if (old[0] != '\0') {
        status = suite_place_remove(old, writer->target, error);
        if (status != STATUS_OK)
            error_prefix(error, "%s has the new suite, but parts of the old one remain", writer->target);
    }
    if (status == STATUS_OK)
        status = confirm(writer, error);
    suite_place_clean(writer->target);
    end(writer);
    return status;
}

void suite_abandon(struct suite_writer *writer)
{
    if (writer->folder[0] != '\0') {
        (void)suite_place_remove(writer->folder, writer->target, NULL);
        remove_parents(writer);
    }
    end(writer);
}
