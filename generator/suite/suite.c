#include "generator/suite/suite.h"

#include "base/hash.h"
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

enum status suite_read(const char *folder, struct suite_index *index, struct machine *machine,
                       struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    memset(machine, 0, sizeof *machine);
    *index = (struct suite_index){.kind = ""};
    enum status status =
        file_read_most(file_join(path, folder, SUITE_INDEX), FILE_MOST_DOCUMENT, &text, error);
    if (status == STATUS_OK)
        status = suite_index_parse(&text, path, index, error);
    buffer_free(&text);
    if (status == STATUS_OK)
        status = machine_from_json(json_object_get(index->document, "machine"), path, machine, error);
    return status;
}

/* hash: as stated; NULL: is not. */
static bool has_hash(const char *hash, const struct buffer *part)
{
    char text[HASH_TEXT_BYTES];
    hash_bytes(part->data, part->size, text);
    return hash != NULL && strcmp(hash, text) == 0;
}

static enum status load_manifest(const char *place, const struct suite_entry *entry, struct program *program,
                                 bool *changed, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    enum status status = file_read_most(file_join(path, place, SUITE_MANIFEST), FILE_MOST_DATA, &text, error);
    if (status == STATUS_OK)
        status = manifest_read(text.data, text.size, path, &program->manifest, error);
    /* Indices of earlier versions lack its hash. */
    if (entry->manifest_hash != NULL && !has_hash(entry->manifest_hash, &text))
        *changed = true;
    buffer_free(&text);
    return status;
}

static enum status load_part(const char *place, const struct program_part *row,
                             const struct manifest *manifest, struct buffer *part, bool *changed,
                             struct error *error)
{
    static const char magic[] = "\177ELF";
    char path[FILE_PATH_BYTES];
    enum status status = file_read_most(file_join(path, place, row->name), FILE_MOST_DATA, part, error);
    if (status != STATUS_OK)
        return status;
    if (row->elf && (part->size < sizeof magic - 1 || memcmp(part->data, magic, sizeof magic - 1) != 0))
        return error_set(error, STATUS_FAILED, "%s is not an ELF file", path);
    *changed = *changed || !has_hash(manifest_hash(manifest, row->name), part);
    return STATUS_OK;
}

enum status suite_load(const char *folder, const struct suite_entry *entry, struct program *program,
                       bool *changed, struct error *error)
{
    memset(program, 0, sizeof *program);
    *changed = false;
    char place[FILE_PATH_BYTES];
    if (entry->refused != NULL)
        return error_set(error, STATUS_RECIPE, "%s", entry->refused);
    file_join(place, folder, entry->path);
    enum status status = load_manifest(place, entry, program, changed, error);
    const char *target = status == STATUS_OK ? program->manifest->target : "";
    if (status == STATUS_OK && !program_parts_has(target))
        status = error_set(error, STATUS_FAILED, "%s/manifest.json has the unknown target %s", place, target);
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (status == STATUS_OK && part->read && isa_is_listed(part->target, target) &&
            program_part_is_in(part, program->manifest->from != NULL))
            status =
                load_part(place, part, program->manifest, program_part_buffer(part, program), changed, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    return error->code = STATUS_FAILED; /* also for unreadable files: the suite is damaged */
}
