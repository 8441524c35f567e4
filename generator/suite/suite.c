#include "generator/suite/suite.h"

#include "base/hash.h"
#include "base/json.h"
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

json_t *suite_read(const char *folder, struct machine *machine, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    memset(machine, 0, sizeof *machine);
    enum status status =
        file_read_most(file_join(path, folder, SUITE_INDEX), FILE_MOST_DOCUMENT, &text, error);
    json_t *index = status == STATUS_OK ? suite_index_parse(&text, path, error) : NULL;
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
