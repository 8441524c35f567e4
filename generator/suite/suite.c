#include "generator/suite/suite.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json/json_quick.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program_parts.h"
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

bool suite_is_one(const char *folder)
{
    char path[FILE_PATH_BYTES];
    return file_is_regular(file_join(path, folder, SUITE_INDEX));
}

/* True for a path below the suite's folder: relative, without going up. */
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
            if (!json_is_string(json_object_get(entry, keys[j])) &&
                (strcmp(keys[j], "path") != 0 || json_object_get(entry, "refused") == NULL))
                return error_set(error, STATUS_USAGE, "%s: program %zu has no %s", path, i + 1, keys[j]);
        const char *place = json_string_or(entry, "path", NULL);
        if (place != NULL && !stays_inside(place))
            return error_set(error, STATUS_USAGE, "%s: the path '%.200s' of program %zu is not in the suite",
                             path, place, i + 1);
    }
    return STATUS_OK;
}

/* Takes the text of the index; NULL with *error filled. */
static json_t *parse_index(struct buffer *text, const char *path, struct error *error)
{
    json_t *index = json_quick(text->data, text->size);
    if (index == NULL)
        index = json_parse(text->data, text->size, path, error);
    buffer_free(text);
    if (index == NULL)
        return NULL;
    bool known = json_number_or(index, "schema", 0) == SUITE_SCHEMA &&
                 strcmp(json_string_or(index, "kind", ""), "suite") == 0 &&
                 json_is_array(json_object_get(index, "programs")) &&
                 json_is_array(json_object_get(index, "benchmarks"));
    enum status status = STATUS_OK;
    if (!known)
        status = error_set(error, STATUS_USAGE, "%s is not a suite index of schema %d", path, SUITE_SCHEMA);
    else
        status = check_entries(index, path, error);
    if (status == STATUS_OK)
        return index;
    json_decref(index);
    return NULL;
}

json_t *suite_read_index(int fd, const char *folder, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    file_join(path, folder, SUITE_INDEX);
    if (file_read_in(fd, SUITE_INDEX, path, FILE_MOST_DOCUMENT, &text, error) == STATUS_OK)
        return parse_index(&text, path, error);
    buffer_free(&text);
    return NULL;
}

json_t *suite_read(const char *folder, struct machine *machine, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    memset(machine, 0, sizeof *machine);
    json_t *index = NULL;
    if (file_read_most(file_join(path, folder, SUITE_INDEX), FILE_MOST_DOCUMENT, &text, error) == STATUS_OK)
        index = parse_index(&text, path, error);
    else
        buffer_free(&text);
    if (index == NULL)
        return NULL;
    if (machine_from_json(json_object_get(index, "machine"), path, machine, error) == STATUS_OK)
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

static enum status load_manifest(const char *place, const json_t *entry, struct program *program,
                                 bool *changed, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    enum status status = file_read_most(file_join(path, place, SUITE_MANIFEST), FILE_MOST_DATA, &text, error);
    if (status == STATUS_OK)
        status = manifest_read(text.data, text.size, path, &program->manifest, error);
    /* Indices of earlier versions lack its hash. */
    if (json_object_get(entry, "manifest_hash") != NULL && !has_hash(entry, "manifest_hash", &text))
        *changed = true;
    buffer_free(&text);
    return status;
}

static enum status load_part(const char *place, const struct program_part *row, const json_t *hashes,
                             struct buffer *part, bool *changed, struct error *error)
{
    static const char magic[] = "\177ELF";
    char path[FILE_PATH_BYTES];
    enum status status = file_read_most(file_join(path, place, row->name), FILE_MOST_DATA, part, error);
    if (status != STATUS_OK)
        return status;
    if (row->elf && (part->size < sizeof magic - 1 || memcmp(part->data, magic, sizeof magic - 1) != 0))
        return error_set(error, STATUS_FAILED, "%s is not an ELF file", path);
    *changed = *changed || !has_hash(hashes, row->name, part);
    return STATUS_OK;
}

enum status suite_load(const char *folder, const json_t *entry, struct program *program, bool *changed,
                       struct error *error)
{
    memset(program, 0, sizeof *program);
    *changed = false;
    char place[FILE_PATH_BYTES];
    const char *refused = json_string_or(entry, "refused", NULL);
    if (refused != NULL)
        return error_set(error, STATUS_RECIPE, "%s", refused);
    file_join(place, folder, json_string_or(entry, "path", ""));
    enum status status = load_manifest(place, entry, program, changed, error);
    const char *target = status == STATUS_OK ? program->manifest->target : "";
    if (status == STATUS_OK && !program_parts_has(target))
        status = error_set(error, STATUS_FAILED, "%s/manifest.json has the unknown target %s", place, target);
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (status == STATUS_OK && part->read && isa_is_listed(part->target, target) &&
            program_part_is_in(part, program->manifest->from))
            status = load_part(place, part, program->manifest->hashes, program_part_buffer(part, program),
                               changed, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    return error->code = STATUS_FAILED; /* also for unreadable files: the suite is damaged */
}
