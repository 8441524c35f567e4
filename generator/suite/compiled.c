#include "generator/suite/compiled.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "isa/gcn/patch/patcher.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- its JSON ---- */

static const struct field_row change_rows[] = {
    FIELD_ROW(compiled_change, "kernel", FIELD_TEXT, kernel),
    FIELD_ROW(compiled_change, "offset", FIELD_NUMBER, offset),
    FIELD_ROW(compiled_change, "bytes", FIELD_NUMBER, bytes),
    FIELD_ROW(compiled_change, "word_before", FIELD_TEXT, word_before),
    FIELD_ROW(compiled_change, "word_after", FIELD_TEXT, word_after),
    FIELD_ROW(compiled_change, "text_after", FIELD_TEXT, text_after),
    FIELD_ROW(compiled_change, "filling", FIELD_NUMBER, filling),
    FIELD_ROW(compiled_change, "text_before", FIELD_NOTHING, text_before),
    {0}};

static const struct field_row field_rows[] = {FIELD_ROW(compiled_field, "name", FIELD_TEXT, name),
                                              FIELD_ROW(compiled_field, "shift", FIELD_NUMBER, shift),
                                              FIELD_ROW(compiled_field, "bits", FIELD_NUMBER, bits),
                                              {0}};

static const char ALL[] = "all";

static bool read_occurrence(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(int *)at = json_is_string(value) ? GCN_ALL : (int)json_integer_value(value);
    return json_is_string(value) || json_is_integer(value);
}

static void write_occurrence(struct json_text *text, const char *name, const void *at)
{
    const int *occurrence = at;
    if (*occurrence == GCN_ALL)
        json_text_string(text, name, ALL);
    else
        json_text_integer(text, name, *occurrence);
}

static const struct compiled_change no_change = {.offset = -1};

const struct field_row compiled_changes[] = {{.name = "replaced",
                                              .type = FIELD_LIST,
                                              .offset = offsetof(struct compiled_kernel, changes),
                                              .count = offsetof(struct compiled_kernel, change_count),
                                              .rows = change_rows,
                                              .none = &no_change,
                                              .size = sizeof no_change},
                                             {0}};

const struct field_row compiled_fields[] = {
    FIELD_STRUCTS(compiled_kernel, "fields", fields, field_count, field_rows, struct compiled_field), {0}};

static const struct field_row kernel_rows[] = {
    FIELD_ROW(compiled_kernel, "file", FIELD_TEXT, file),
    {.name = "path", .type = FIELD_TEXT, .offset = offsetof(struct compiled_kernel, path), .former = true},
    FIELD_ROW(compiled_kernel, "hash", FIELD_TEXT, hash),
    FIELD_ROW(compiled_kernel, "kernel", FIELD_TEXT, kernel),
    FIELD_ROW(compiled_kernel, "field", FIELD_TEXT, field),
    FIELD_ROW(compiled_kernel, "replace", FIELD_TEXT, replace),
    {.name = "occurrence",
     .type = FIELD_OWN,
     .offset = offsetof(struct compiled_kernel, occurrence),
     .given = 1 + offsetof(struct compiled_kernel, has_occurrence),
     .read = read_occurrence,
     .write = write_occurrence},
    {0}};

bool compiled_read(struct fields_reader *reader, const json_t *value, void *at)
{
    const struct field_place place = {.name = "from"};
    struct compiled_kernel *from = arena_alloc(reader->arena, 1, sizeof *from);
    if (!json_is_object(value))
        fields_refuse(reader, NULL, place.name, value, "an object");
    fields_read(reader, value, &place, kernel_rows, from);
    fields_read(reader, value, &place, compiled_changes, from);
    fields_read(reader, value, &place, compiled_fields, from);
    *(struct compiled_kernel **)at = from;
    return true;
}

void compiled_write(struct json_text *text, const char *name, const void *at)
{
    const struct compiled_kernel *from = *(const struct compiled_kernel *const *)at;
    if (from == NULL)
        return;
    json_text_open(text, name, '{');
    fields_write(text, kernel_rows, NULL, from);
    fields_write(text, compiled_changes, NULL, from);
    fields_write(text, compiled_fields, NULL, from);
    json_text_close(text, '}');
}

/* ---- the record of a patch ---- */

static void fill_changes(const struct gcn_patch *patch, struct arena *arena, struct compiled_kernel *kernel)
{
    char words[GCN_TEXT_BYTES];
    kernel->change_count = patch->count;
    kernel->changes = arena_alloc(arena, patch->count, sizeof *kernel->changes);
    for (size_t i = 0; i < patch->count; i++) {
        const struct gcn_change *change = &patch->changes[i];
        char *name = arena_print(arena, "%.*s", change->kernel_length, change->kernel);
        bool is_text = json_is_text(name);
        for (char *c = name; !is_text && *c != '\0'; c++)
            *c = (unsigned char)*c > 127 ? '?' : *c;
        kernel->changes[i] = (struct compiled_change){
            .kernel = name,
            .offset = (double)change->offset,
            .bytes = (double)change->size,
            .word_before = arena_strdup(arena, gcn_words(change->before, change->size, words)),
            .word_after = arena_strdup(arena, gcn_words(change->after, change->size, words)),
            .text_before = change->text_before[0] == '\0' ? NULL : arena_strdup(arena, change->text_before),
            .text_after = arena_strdup(arena, change->text_after),
            .filling = (double)((change->size - change->length) / 4)};
    }
}

static void fill_fields(const struct gcn_patch *patch, struct arena *arena, struct compiled_kernel *kernel)
{
    kernel->field_count = patch->bits.count;
    kernel->fields = arena_alloc(arena, patch->bits.count, sizeof *kernel->fields);
    for (size_t i = 0; i < patch->bits.count; i++) {
        const struct gcn_field *field = &patch->bits.fields[i];
        kernel->fields[i] = (struct compiled_field){arena_strdup(arena, field->name),
                                                    (double)(field->low - patch->bits.low), field->size};
    }
}

void compiled_fill(const struct gcn_patch *patch, struct arena *arena, struct compiled_kernel *kernel)
{
    fill_changes(patch, arena, kernel);
    fill_fields(patch, arena, kernel);
}

/* ---- making ---- */

/* On GFX6 to GFX9 these lie side by side. */
static const char usual_fields[] = "cu,sh,se";

static struct gcn_patch_request request_of(const struct compiled_kernel *from)
{
    return (struct gcn_patch_request){.replace = from->replace,
                                      .field = from->field,
                                      .kernel = from->kernel,
                                      .occurrence = from->occurrence};
}

/* Reads the file under the sandbox's rule: only regular files of the recipe's folder, so no links. */
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

static enum status fill_record(const struct compiled_kernel *from, const char *field,
                               const struct buffer *file, const struct gcn_patch *patch, struct arena *arena,
                               struct compiled_kernel *record, struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    const struct gcn_change *first = &patch->changes[0];
    hash_bytes(file->data, file->size, hash);
    *record = *from;
    record->path = NULL;
    record->hash = arena_strdup(arena, hash);
    record->kernel = arena_print(arena, "%.*s", first->kernel_length, first->kernel);
    record->field = field;
    compiled_fill(patch, arena, record);
    return json_is_text(record->kernel) ? STATUS_OK
                                        : error_set(error, STATUS_RECIPE, "its kernel's name is not UTF-8");
}

enum status compiled_program(const struct compiled_kernel *from, const char *arch, struct arena *arena,
                             struct buffer *object, struct compiled_kernel *record, struct error *error)
{
    struct gcn_patch_request request = request_of(from);
    const struct gcn_target *target = gcn_target_named(arch);
    struct gcn_patch patch = {0};
    struct buffer file = {0};
    enum status status = read_file(from->path == NULL ? "" : from->path, &file, error);
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
        status = fill_record(from, request.field, &file, &patch, arena, record, error);
    if (status != STATUS_OK)
        error_prefix(error, "from: %s", from->file == NULL ? "" : from->file);
    gcn_patch_free(&patch);
    buffer_free(&file);
    if (status == STATUS_FAILED || status == STATUS_USAGE)
        status = error->code = STATUS_RECIPE;
    return status;
}

/* ---- proving ---- */

/* Puts the replaced words back. */
static enum status undo(const struct compiled_kernel *record, struct buffer *bytes, struct error *error)
{
    for (size_t i = 0; i < record->change_count; i++) {
        const struct compiled_change *change = &record->changes[i];
        const char *words = change->word_before == NULL ? "" : change->word_before;
        for (size_t at = 0; *words != '\0'; at += 4) {
            char *end;
            unsigned long word = strtoul(words, &end, 16);
            if (end == words || change->offset < 0 || change->offset + (double)at + 4 > (double)bytes->size)
                return error_set(error, STATUS_FAILED, "the manifest's from.replaced[%zu] is no part of it",
                                 i);
            for (unsigned byte = 0; byte < 4; byte++)
                bytes->data[(size_t)change->offset + at + byte] = (char)(word >> 8 * byte);
            words = end + strspn(end, " ");
        }
    }
    return STATUS_OK;
}

static enum status prove(const struct compiled_kernel *record, struct buffer *before, const void *object,
                         size_t size, struct error *error)
{
    const struct gcn_patch_request request = request_of(record);
    struct gcn_patch patch = {0};
    struct buffer again = {0};
    char hash[HASH_TEXT_BYTES];
    enum status status = undo(record, before, error);
    if (status != STATUS_OK)
        return status;
    hash_bytes(before->data, before->size, hash);
    if (record->hash == NULL || strcmp(hash, record->hash) != 0)
        return error_set(error, STATUS_FAILED,
                         "it differs from %s in more than what was replaced: without that its hash is %s",
                         record->file == NULL ? "?" : record->file, hash);
    if (request.field == NULL)
        return error_set(error, STATUS_FAILED, "the manifest's from has no field");
    status = gcn_patch(before->data, before->size, &request, &again, &patch, error);
    if (status == STATUS_OK && (again.size != size || memcmp(again.data, object, size) != 0))
        status = error_set(error, STATUS_FAILED, "its replaced words are not the read of %s", request.field);
    gcn_patch_free(&patch);
    buffer_free(&again);
    return status;
}

enum status compiled_prove(const struct compiled_kernel *record, const void *object, size_t size,
                           struct error *error)
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
