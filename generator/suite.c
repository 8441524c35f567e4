#include "generator/suite.h"

#include "base/hash.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char suite_header[];
extern const unsigned long suite_header_size;

enum { SCHEMA = 1 };
static const char INDEX[] = "suite.json";

bool suite_is_one(const char *folder)
{
    char path[FILE_PATH_BYTES];
    return file_is_regular(file_join(path, folder, INDEX));
}

enum status suite_begin(const char *target, struct suite_writer *writer, struct error *error)
{
    memset(writer, 0, sizeof *writer);
    size_t length = strlen(target);
    while (length > 1 && target[length - 1] == '/')
        length--;
    if (length == 0 || length + 32 >= sizeof writer->folder)
        return error_set(error, STATUS_USAGE, "'%.200s' cannot be a suite's folder", target);
    snprintf(writer->target, sizeof writer->target, "%.*s", (int)length, target);
    bool there = access(writer->target, F_OK) == 0;
    if (there && !suite_is_one(writer->target) && !file_folder_is_empty(writer->target)) {
        error_set(error, STATUS_USAGE, "%s is there and is no suite: it stays as it is", writer->target);
        error_hint(error, "give another folder with -o");
        return STATUS_USAGE;
    }
    snprintf(writer->folder, sizeof writer->folder, "%.*s.%ld.new", (int)length, target, (long)getpid());
    return file_make_folders(writer->folder, error);
}

static enum status write_json(const char *folder, const char *name, const json_t *document,
                              struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    json_write(&text, document, 2);
    enum status status = file_write(file_join(path, folder, name), text.data, text.size, false, error);
    buffer_free(&text);
    return status;
}

static enum status write_part(const char *folder, const char *name, const struct buffer *part,
                              bool executable, struct error *error)
{
    char path[FILE_PATH_BYTES];
    return file_write(file_join(path, folder, name), part->data, part->size, executable, error);
}

enum status suite_entry(const json_t *manifest, const char *recipe, json_t **entry)
{
    char relative[FILE_PATH_BYTES];
    const char *benchmark = json_string_or(manifest, "benchmark", "");
    const char *point = json_string_or(manifest, "point", "");
    *entry =
        json_pack("{s:s, s:s, s:O, s:O, s:s, s:s, s:O}", "benchmark", benchmark, "point", point, "parameters",
                  json_object_get(manifest, "parameters"), "target", json_object_get(manifest, "target"),
                  "recipe", recipe, "path", file_join(relative, benchmark, point), "hash",
                  json_object_get(json_object_get(manifest, "hashes"), "program"));
    return *entry == NULL ? STATUS_FAILED : STATUS_OK;
}

enum status suite_add(const struct suite_writer *writer, const char *recipe, const struct program *program,
                      json_t **entry, struct error *error)
{
    char relative[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    const json_t *manifest = program->manifest;
    const char *benchmark = json_string_or(manifest, "benchmark", "");
    const char *point = json_string_or(manifest, "point", "");
    file_join(relative, benchmark, point);
    file_join(folder, writer->folder, relative);
    enum status status = file_make_folders(folder, error);
    if (status == STATUS_OK)
        status = write_part(folder, "program.s", &program->source, false, error);
    if (status == STATUS_OK)
        status = write_part(folder, "program.o", &program->object, false, error);
    if (status == STATUS_OK)
        status = write_part(folder, "program", &program->executable, true, error);
    if (status == STATUS_OK)
        status = write_json(folder, "manifest.json", manifest, error);
    return status == STATUS_OK ? suite_entry(manifest, recipe, entry) : status;
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

enum status suite_finish(const struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                         const json_t *benchmarks, const json_t *entries, struct error *error)
{
    json_t *index =
        json_pack("{s:i, s:s, s:{s:s, s:s}, s:I, s:O, s:O, s:O}", "schema", SCHEMA, "kind", "suite", "tool",
                  "name", "trauma", "version", TRAUMA_VERSION, "seed", (json_int_t)seed, "machine",
                  machine->document, "benchmarks", benchmarks, "programs", entries);
    char path[FILE_PATH_BYTES];
    enum status status = write_json(writer->folder, INDEX, index, error);
    json_decref(index);
    if (status == STATUS_OK)
        status = file_write(file_join(path, writer->folder, "trauma.h"), suite_header, suite_header_size,
                            false, error);
    if (status == STATUS_OK)
        status = put_in_place(writer, error);
    return status;
}

void suite_abandon(const struct suite_writer *writer)
{
    (void)file_remove_tree(writer->folder, NULL);
}

json_t *suite_read(const char *folder, struct machine *machine, struct error *error)
{
    char path[FILE_PATH_BYTES];
    memset(machine, 0, sizeof *machine);
    json_t *index = json_read(file_join(path, folder, INDEX), error);
    if (index == NULL)
        return NULL;
    bool known = json_number_or(index, "schema", 0) == SCHEMA &&
                 json_is_array(json_object_get(index, "programs")) &&
                 json_is_array(json_object_get(index, "benchmarks"));
    enum status status = STATUS_OK;
    if (!known)
        status = error_set(error, STATUS_USAGE, "%s is no suite index of schema %d", path, SCHEMA);
    else
        status = machine_from_json(json_object_get(index, "machine"), path, machine, error);
    if (status == STATUS_OK)
        return index;
    json_decref(index);
    return NULL;
}

static bool is_as_hashed(const json_t *manifest, const char *name, const struct buffer *part)
{
    char text[HASH_TEXT_BYTES];
    hash_bytes(part->data, part->size, text);
    return strcmp(json_string_or(json_object_get(manifest, "hashes"), name, ""), text) == 0;
}

enum status suite_load(const char *folder, const json_t *entry, struct program *program, bool *changed,
                       struct error *error)
{
    memset(program, 0, sizeof *program);
    char place[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    file_join(place, folder, json_string_or(entry, "path", ""));
    program->manifest = json_read(file_join(path, place, "manifest.json"), error);
    if (program->manifest == NULL)
        return error->code;
    enum status status = file_read(file_join(path, place, "program"), &program->executable, error);
    if (status == STATUS_OK)
        status = file_read(file_join(path, place, "program.o"), &program->object, error);
    if (status == STATUS_OK)
        *changed = !is_as_hashed(program->manifest, "program", &program->executable) ||
                   !is_as_hashed(program->manifest, "program.o", &program->object);
    return status;
}
