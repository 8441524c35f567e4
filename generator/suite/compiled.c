#include "generator/suite/compiled.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "isa/gcn/patch/patcher.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static json_t *change_json(const struct gcn_change *change)
{
    char before[GCN_TEXT_BYTES];
    char after[GCN_TEXT_BYTES];
    char *kernel = strndup(change->kernel, (size_t)change->kernel_length);
    if (kernel == NULL)
        abort();
    json_t *json = json_pack("{s:o, s:I, s:I, s:s, s:s, s:s}", "kernel", json_from_text(kernel), "offset",
                             (json_int_t)change->offset, "bytes", (json_int_t)change->size, "word_before",
                             gcn_words(change->before, change->size, before), "word_after",
                             gcn_words(change->after, change->size, after), "text_after", change->text_after);
    json_object_set_new(json, "filling", json_integer((json_int_t)((change->size - change->length) / 4)));
    json_object_set_new(json, "text_before",
                        change->text_before[0] == '\0' ? json_null() : json_string(change->text_before));
    free(kernel);
    return json;
}

json_t *compiled_changes(const struct gcn_patch *patch)
{
    json_t *changes = json_array();
    for (size_t i = 0; i < patch->count; i++)
        json_array_append_new(changes, change_json(&patch->changes[i]));
    return changes;
}

json_t *compiled_fields(const struct gcn_patch *patch)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < patch->bits.count; i++) {
        const struct gcn_field *field = &patch->bits.fields[i];
        json_array_append_new(fields,
                              json_pack("{s:s, s:i, s:i}", "name", field->name, "shift",
                                        (int)(field->low - patch->bits.low), "bits", (int)field->size));
    }
    return fields;
}

/* ---- making ---- */

/* On GFX6 to GFX9 these lie side by side. */
static const char usual_fields[] = "cu,sh,se";

static struct gcn_patch_request request_of(const json_t *from)
{
    const json_t *occurrence = json_object_get(from, "occurrence");
    return (struct gcn_patch_request){
        .replace = json_string_or(from, "replace", NULL),
        .field = json_string_or(from, "field", NULL),
        .kernel = json_string_or(from, "kernel", NULL),
        .occurrence = json_is_string(occurrence) ? GCN_ALL : (int)json_integer_value(occurrence)};
}

/* The sandbox's rule for files: of the recipe's folder alone, so a link out of it is none. */
static enum status read_file(const char *path, struct buffer *file, struct error *error)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return error_set(error, STATUS_RECIPE, "it is a link; expected a file of the recipe's own folder");
    return file_read_most(path, FILE_MOST_DATA, file, error);
}

static enum status check_patch(const struct gcn_patch *patch, const char *arch, struct error *error)
{
    if (strcmp(patch->target->name, arch) != 0)
        return error_set(error, STATUS_RECIPE, "it is code for %s, and the machine is a %s",
                         patch->target->name, arch);
    if (patch->source != NULL) {
        error_set(error, STATUS_RECIPE,
                  "it still contains %s: a runtime that recompiles from it loses the patch", patch->source);
        error_hint(error, "build it with -fno-bin-llvmir -fno-bin-amdil -fno-bin-source");
        return STATUS_RECIPE;
    }
    for (size_t i = 0; i < patch->count; i++)
        if (patch->changes[i].written > 0)
            return error_set(error, STATUS_RECIPE,
                             "at 0x%zx the placeholder writes %u registers, and the read only the first",
                             patch->changes[i].offset, patch->changes[i].written + 1);
    return STATUS_OK;
}

static json_t *record_of(const json_t *from, const struct gcn_patch_request *request,
                         const struct buffer *file, const struct gcn_patch *patch)
{
    char hash[HASH_TEXT_BYTES];
    const struct gcn_change *first = &patch->changes[0];
    hash_bytes(file->data, file->size, hash);
    json_t *record =
        json_pack("{s:O, s:s, s:s%, s:s}", "file", json_object_get(from, "file"), "hash", hash, "kernel",
                  first->kernel, (size_t)first->kernel_length, "field", request->field);
    for (const char *const *key = (const char *const[]){"replace", "occurrence", NULL}; *key != NULL; key++)
        if (json_object_get(from, *key) != NULL)
            json_object_set(record, *key, json_object_get(from, *key));
    json_object_set_new(record, "replaced", compiled_changes(patch));
    json_object_set_new(record, "fields", compiled_fields(patch));
    return record;
}

enum status compiled_program(const json_t *from, const char *arch, struct buffer *object, json_t **record,
                             struct error *error)
{
    struct gcn_patch_request request = request_of(from);
    const struct gcn_target *target = gcn_target_named(arch);
    struct gcn_patch patch = {0};
    struct buffer file = {0};
    *record = NULL;
    enum status status = read_file(json_string_or(from, "path", ""), &file, error);
    if (status == STATUS_OK && request.field == NULL && target != NULL && target->generation > 9)
        status = error_set(error, STATUS_RECIPE,
                           "one read does not hold all of where a wave runs on %s; expected from = { file = "
                           "..., field = \"se\" }",
                           arch);
    if (request.field == NULL)
        request.field = usual_fields;
    if (status == STATUS_OK)
        status = gcn_patch(file.data, file.size, &request, object, &patch, error);
    if (status == STATUS_OK)
        status = check_patch(&patch, arch, error);
    if (status == STATUS_OK)
        *record = record_of(from, &request, &file, &patch);
    if (status == STATUS_OK && *record == NULL)
        status = error_set(error, STATUS_RECIPE, "its kernel's name is not UTF-8");
    if (status != STATUS_OK)
        error_prefix(error, "from: %s", json_string_or(from, "file", ""));
    gcn_patch_free(&patch);
    buffer_free(&file);
    if (status == STATUS_FAILED || status == STATUS_USAGE)
        status = error->code = STATUS_RECIPE;
    return status;
}

/* ---- proving ---- */

/* Puts the replaced words back. */
static enum status undo(const json_t *record, struct buffer *bytes, struct error *error)
{
    const json_t *change;
    size_t i;
    json_array_foreach(json_object_get(record, "replaced"), i, change)
    {
        const char *words = json_string_or(change, "word_before", "");
        double offset = json_number_or(change, "offset", -1);
        for (size_t at = 0; *words != '\0'; at += 4) {
            char *end;
            unsigned long word = strtoul(words, &end, 16);
            if (end == words || offset < 0 || offset + (double)at + 4 > (double)bytes->size)
                return error_set(error, STATUS_FAILED, "the manifest's from.replaced[%zu] is no part of it",
                                 i);
            for (unsigned byte = 0; byte < 4; byte++)
                bytes->data[(size_t)offset + at + byte] = (char)(word >> 8 * byte);
            words = end + strspn(end, " ");
        }
    }
    return STATUS_OK;
}

static enum status prove(const json_t *record, struct buffer *before, const void *object, size_t size,
                         struct error *error)
{
    const struct gcn_patch_request request = request_of(record);
    struct gcn_patch patch = {0};
    struct buffer again = {0};
    char hash[HASH_TEXT_BYTES];
    enum status status = undo(record, before, error);
    if (status != STATUS_OK)
        return status;
    hash_bytes(before->data, before->size, hash);
    if (strcmp(hash, json_string_or(record, "hash", "")) != 0)
        return error_set(error, STATUS_FAILED,
                         "it differs from %s in more than what was replaced: without that its hash is %s",
                         json_string_or(record, "file", "?"), hash);
    if (request.field == NULL)
        return error_set(error, STATUS_FAILED, "the manifest's from has no field");
    status = gcn_patch(before->data, before->size, &request, &again, &patch, error);
    if (status == STATUS_OK && (again.size != size || memcmp(again.data, object, size) != 0))
        status = error_set(error, STATUS_FAILED, "its replaced words are not the read of %s", request.field);
    gcn_patch_free(&patch);
    buffer_free(&again);
    return status;
}

enum status compiled_prove(const json_t *record, const void *object, size_t size, struct error *error)
{
    struct buffer before = {0};
    buffer_append(&before, object, size);
    enum status status = prove(record, &before, object, size, error);
    buffer_free(&before);
    if (status == STATUS_OK)
        return STATUS_OK;
    error_prefix(error, "program.co");
    return error->code = status == STATUS_UNAVAILABLE ? status : STATUS_FAILED;
}
