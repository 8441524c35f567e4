#include "generator/suite.h"

#include "base/hash.h"
#include "base/json.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const unsigned char suite_header[];
extern const unsigned long suite_header_size;

enum { SCHEMA = 1 };
enum { SPARE_BYTES = 40 }; /* of a path, for what stands behind the target's name while a suite is made */
static const char INDEX[] = "suite.json";
static const char MANIFEST[] = "manifest.json";

bool suite_is_one(const char *folder)
{
    char path[FILE_PATH_BYTES];
    return file_is_regular(file_join(path, folder, INDEX));
}

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
    memset(writer, 0, sizeof *writer);
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

/* The index's entry of a program by its manifest and the manifest's own bytes. */
static enum status make_entry(const json_t *manifest, const struct buffer *text, const char *recipe,
                              json_t **entry, struct error *error)
{
    char relative[FILE_PATH_BYTES];
    char hash[HASH_TEXT_BYTES];
    const char *benchmark = json_string_or(manifest, "benchmark", "");
    const char *point = json_string_or(manifest, "point", "");
    hash_bytes(text->data, text->size, hash);
    *entry = json_pack(
        "{s:s, s:s, s:O, s:O, s:s, s:s, s:O, s:s}", "benchmark", benchmark, "point", point, "parameters",
        json_object_get(manifest, "parameters"), "target", json_object_get(manifest, "target"), "recipe",
        recipe, "path", file_join(relative, benchmark, point), "hash",
        json_object_get(json_object_get(manifest, "hashes"), "program"), "manifest_hash", hash);
    if (*entry != NULL && json_object_get(manifest, "measure") != NULL)
        json_object_set(*entry, "measure", json_object_get(manifest, "measure"));
    if (*entry == NULL)
        return error_set(
            error, STATUS_FAILED,
            "%s/%s has no entry in the index: its manifest lacks a field, or its recipe's name is not UTF-8",
            benchmark, point);
    return STATUS_OK;
}

enum status suite_entry(const struct suite_writer *writer, const char *benchmark, const char *point,
                        const char *recipe, json_t **entry, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    file_join(path, writer->folder, benchmark);
    file_join(folder, path, point);
    enum status status = file_read(file_join(path, folder, MANIFEST), &text, error);
    json_t *manifest = status == STATUS_OK ? json_parse(text.data, text.size, path, error) : NULL;
    if (status == STATUS_OK)
        status = manifest == NULL ? error->code : make_entry(manifest, &text, recipe, entry, error);
    json_decref(manifest);
    buffer_free(&text);
    return status;
}

enum status suite_add(const struct suite_writer *writer, const char *recipe, const struct program *program,
                      json_t **entry, struct error *error)
{
    char relative[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    const json_t *manifest = program->manifest;
    const char *benchmark = json_string_or(manifest, "benchmark", "");
    const char *point = json_string_or(manifest, "point", "");
    struct buffer text = {0};
    json_write(&text, manifest, 2);
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
        status = write_part(folder, MANIFEST, &text, false, error);
    if (status == STATUS_OK)
        status = make_entry(manifest, &text, recipe, entry, error);
    buffer_free(&text);
    return status;
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
    if (writer->markers != NULL)
        json_object_set_new(index, "markers", json_string(writer->markers));
    if (writer->calibration != NULL)
        json_object_set(index, "calibration", writer->calibration);
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

/* A path below the suite's folder: relative, and nowhere up. */
static bool stays_inside(const char *path)
{
    if (path[0] == '\0' || path[0] == '/')
        return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

static enum status check_entries(const json_t *index, const char *path, struct error *error)
{
    static const char *const keys[] = {"benchmark", "point", "path"};
    const json_t *programs = json_object_get(index, "programs");
    for (size_t i = 0; i < json_array_size(programs); i++) {
        const json_t *entry = json_array_get(programs, i);
        for (size_t j = 0; j < sizeof keys / sizeof keys[0]; j++)
            if (!json_is_string(json_object_get(entry, keys[j])))
                return error_set(error, STATUS_USAGE, "%s: program %zu has no %s", path, i + 1, keys[j]);
        const char *place = json_string_or(entry, "path", "");
        if (!stays_inside(place))
            return error_set(error, STATUS_USAGE, "%s: the path '%.200s' of program %zu is not in the suite",
                             path, place, i + 1);
    }
    return STATUS_OK;
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
        status = check_entries(index, path, error);
    if (status == STATUS_OK)
        status = machine_from_json(json_object_get(index, "machine"), path, machine, error);
    if (status == STATUS_OK)
        return index;
    json_decref(index);
    return NULL;
}

static bool has_hash(const json_t *object, const char *key, const struct buffer *part)
{
    char text[HASH_TEXT_BYTES];
    hash_bytes(part->data, part->size, text);
    return strcmp(json_string_or(object, key, ""), text) == 0;
}

/* Without these a manifest would promise nothing, and its point would count as checked. */
static enum status check_manifest(const json_t *manifest, const char *path, struct error *error)
{
    static const struct {
        const char *key;
        json_type type;
        const char *expected;
    } fields[] = {{"benchmark", JSON_STRING, "text"},     {"point", JSON_STRING, "text"},
                  {"target", JSON_STRING, "text"},        {"targets", JSON_OBJECT, "an object"},
                  {"expected", JSON_OBJECT, "an object"}, {"kernel", JSON_OBJECT, "an object"},
                  {"hashes", JSON_OBJECT, "an object"}};
    if (!json_is_object(manifest))
        return error_set(error, STATUS_FAILED, "%s is no manifest: expected an object", path);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const json_t *value = json_object_get(manifest, fields[i].key);
        if (value == NULL || json_typeof(value) != fields[i].type)
            return error_set(error, STATUS_FAILED, "%s is no manifest: expected %s as \"%s\"", path,
                             fields[i].expected, fields[i].key);
    }
    return STATUS_OK;
}

static enum status load_manifest(const char *place, const json_t *entry, struct program *program,
                                 bool *changed, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    enum status status = file_read(file_join(path, place, MANIFEST), &text, error);
    if (status == STATUS_OK)
        program->manifest = json_parse(text.data, text.size, path, error);
    if (program->manifest != NULL)
        status = check_manifest(program->manifest, path, error);
    else if (status == STATUS_OK)
        status = error->code;
    /* Indices of earlier versions have no hash of it. */
    if (json_object_get(entry, "manifest_hash") != NULL && !has_hash(entry, "manifest_hash", &text))
        *changed = true;
    buffer_free(&text);
    return status;
}

static enum status load_elf(const char *place, const char *name, const json_t *hashes, struct buffer *part,
                            bool *changed, struct error *error)
{
    static const char magic[] = "\177ELF";
    char path[FILE_PATH_BYTES];
    enum status status = file_read(file_join(path, place, name), part, error);
    if (status != STATUS_OK)
        return status;
    if (part->size < sizeof magic - 1 || memcmp(part->data, magic, sizeof magic - 1) != 0)
        return error_set(error, STATUS_FAILED, "%s is not an ELF file", path);
    *changed = *changed || !has_hash(hashes, name, part);
    return STATUS_OK;
}

enum status suite_load(const char *folder, const json_t *entry, struct program *program, bool *changed,
                       struct error *error)
{
    memset(program, 0, sizeof *program);
    *changed = false;
    char place[FILE_PATH_BYTES];
    file_join(place, folder, json_string_or(entry, "path", ""));
    enum status status = load_manifest(place, entry, program, changed, error);
    const json_t *hashes = json_object_get(program->manifest, "hashes");
    if (status == STATUS_OK)
        status = load_elf(place, "program", hashes, &program->executable, changed, error);
    if (status == STATUS_OK)
        status = load_elf(place, "program.o", hashes, &program->object, changed, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    return error->code = STATUS_FAILED; /* also for what cannot be read: the suite is damaged */
}
