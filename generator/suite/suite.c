#include "generator/suite/suite.h"

#include "base/hash.h"
#include "base/json.h"
#include "generator/suite/calibration.h"
#include "generator/suite/compiled.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program_parts.h"
#include "isa/isa.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const unsigned char suite_header[];
extern const unsigned long suite_header_size;
extern const unsigned char suite_events[];
extern const unsigned long suite_events_size;

/* INDEX_PART: bytes of the index that are written together; LIKELY_BYTES: size of most manifests. */
enum { INDEX_PART = 1 << 16, LIKELY_BYTES = 8000 };

static enum status cannot_write(const char *path, struct error *error)
{
    return error_set(error, STATUS_FAILED, "cannot write %s of the suite: %s", path, strerror(errno));
}

/* Writes a new file, by its path in the suite, whose folder nobody else enters until it is complete. */
static int create(const struct suite_writer *writer, const char *path, bool executable)
{
    static const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    return TEMP_FAILURE_RETRY(openat(writer->place.folder, path, flags, executable ? 0777 : 0666));
}

static enum status write_new(const struct suite_writer *writer, const char *folder, const char *name,
                             const struct buffer *part, bool executable, struct error *error)
{
    char path[FILE_PATH_BYTES];
    file_join(path, folder, name);
    int fd = create(writer, path, executable);
    if (fd < 0)
        return cannot_write(path, error);
    bool good = file_write_all(fd, part->data, part->size);
    enum status status = good ? STATUS_OK : cannot_write(path, error);
    if (!file_close(fd) && good)
        status = cannot_write(path, error);
    return status;
}

enum status suite_begin(const char *target, bool force, struct suite_writer *writer, struct error *error)
{
    *writer = (struct suite_writer){.index = -1};
    enum status status = suite_place_open(target, force, &writer->place, error);
    if (status != STATUS_OK)
        return status;
    writer->index = create(writer, SUITE_INDEX, false);
    if (writer->index >= 0)
        return STATUS_OK;
    status = cannot_write(SUITE_INDEX, error);
    suite_place_close(&writer->place, error);
    return status;
}

/* ---- the index ---- */

/* Writes the pending part of the index. */
static enum status flush(struct suite_writer *writer, struct error *error)
{
    bool good = file_write_all(writer->index, writer->unwritten.data, writer->unwritten.size);
    writer->unwritten.size = 0;
    return good ? STATUS_OK : cannot_write(SUITE_INDEX, error);
}

void suite_begin_index(struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                       const struct suite_benchmark *benchmarks, size_t count)
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
    json_text_open(text, "benchmarks", '[');
    for (size_t i = 0; i < count; i++) {
        writer->events = writer->events || suite_counts_events(benchmarks[i].own);
        json_text_open(text, NULL, '{');
        benchmark_write_members(text, benchmarks[i].recipe, benchmarks[i].own);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
    json_text_open(text, "programs", '[');
}

enum status suite_add_entry(struct suite_writer *writer, const char *entry, size_t size, struct error *error)
{
    size_t traces = 0;
    struct suite_index one;
    enum status status = suite_entry_parse(entry, size, SUITE_INDEX, &one, error);
    while (writer->traces[traces] != NULL)
        traces++;
    if (status == STATUS_OK)
        suite_place_expect_program(&writer->place, one.entries, writer->traces, traces);
    suite_index_free(&one);
    if (status != STATUS_OK)
        return status;
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
    if (writer->traces[0] != NULL) {
        json_text_open(&writer->text, "traces", '[');
        for (size_t i = 0; writer->traces[i] != NULL; i++)
            json_text_string(&writer->text, NULL, writer->traces[i]);
        json_text_close(&writer->text, ']');
    }
    json_text_close(&writer->text, '}');
    enum status status = flush(writer, error);
    if (status == STATUS_OK && !file_flush(writer->index))
        status = cannot_write(SUITE_INDEX, error);
    return status;
}

/* Writes the index's entry of a program, or of a refused point, as an element of its list. */
static enum status make_entry(const struct manifest *point, const struct program *program,
                              const struct buffer *manifest, const char *refused, const char *recipe,
                              struct buffer *entry, struct error *error)
{
    char relative[FILE_PATH_BYTES];
    char hash[HASH_TEXT_BYTES];
    const char *benchmark = manifest_text_or(point->benchmark, "");
    const char *name = manifest_text_or(point->point, "");
    if (!json_is_text(recipe))
        return error_set(error, STATUS_FAILED,
                         "%s/%s has no entry in the index: its recipe's name is not UTF-8", benchmark, name);
    struct json_text text = {.buffer = entry, .depth = 2, .first = true};
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "benchmark", benchmark);
    json_text_string(&text, "point", name);
    json_text_value(&text, "parameters", point->parameters);
    if (point->target != NULL)
        json_text_string(&text, "target", point->target);
    json_text_string(&text, "recipe", recipe);
    if (point->from != NULL && point->from->file != NULL)
        json_text_string(&text, "from", point->from->file);
    if (program != NULL) {
        hash_bytes(manifest->data, manifest->size, hash);
        json_text_string(&text, "path", file_join(relative, benchmark, name));
        json_text_string(&text, "hash", program->hash);
        json_text_string(&text, "manifest_hash", hash);
    } else {
        json_text_string(&text, "refused", refused);
    }
    json_text_value(&text, "measure", point->measure);
    if (point->calibration.given)
        calibration_write_stated(&text, "calibration", &point->calibration);
    json_text_close(&text, '}');
    return STATUS_OK;
}

/* ---- programs ---- */

/* Makes the benchmark's folder, which exists for all points but the first. */
static enum status make_folder(const struct suite_writer *writer, const char *benchmark, const char *folder,
                               struct error *error)
{
    int suite = writer->place.folder;
    if (TEMP_FAILURE_RETRY(mkdirat(suite, folder, 0777)) == 0)
        return STATUS_OK;
    if (errno == ENOENT && (TEMP_FAILURE_RETRY(mkdirat(suite, benchmark, 0777)) == 0 || errno == EEXIST) &&
        (TEMP_FAILURE_RETRY(mkdirat(suite, folder, 0777)) == 0 || errno == EEXIST))
        return STATUS_OK;
    return errno == EEXIST ? STATUS_OK : cannot_write(folder, error);
}

enum status suite_add(const struct suite_writer *writer, const char *recipe, const struct manifest *point,
                      const struct program *program, struct buffer *entry, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    struct buffer manifest = {0};
    const char *benchmark = manifest_text_or(point->benchmark, "");
    file_join(folder, benchmark, manifest_text_or(point->point, ""));
    enum status status = make_folder(writer, benchmark, folder, error);
    const char *made_for = manifest_text_or(point->target, "");
    for (const struct program_part *part = program_parts; part->target != NULL; part++) {
        const struct buffer *bytes =
            (const struct buffer *)(const void *)((const char *)program + part->offset);
        if (status == STATUS_OK && isa_is_listed(part->target, made_for) &&
            program_part_is_in(part, point->from != NULL))
            status = write_new(writer, folder, part->name, bytes, part->executable, error);
    }
    buffer_reserve(&manifest, LIKELY_BYTES);
    manifest_write(program->manifest, &manifest);
    if (status == STATUS_OK)
        status = write_new(writer, folder, SUITE_MANIFEST, &manifest, false, error);
    if (status == STATUS_OK)
        status = make_entry(point, program, &manifest, NULL, recipe, entry, error);
    buffer_free(&manifest);
    return status;
}

enum status suite_add_refused(const char *recipe, const struct manifest *point, const char *reason,
                              struct buffer *entry, struct error *error)
{
    return make_entry(point, NULL, NULL, reason, recipe, entry, error);
}

/* Leaves files that are not in place to suite_abandon. */
enum status suite_finish(struct suite_writer *writer, struct error *error)
{
    const struct buffer header = {.data = (char *)(uintptr_t)suite_header, .size = suite_header_size};
    const struct buffer script = {.data = (char *)(uintptr_t)suite_events, .size = suite_events_size};
    enum status status = end_index(writer, error);
    if (status == STATUS_OK)
        status = write_new(writer, "", SUITE_HEADER, &header, false, error);
    if (status == STATUS_OK && writer->events)
        status = write_new(writer, "", SUITE_EVENTS, &script, true, error);
    suite_place_expect(&writer->place, SUITE_INDEX);
    suite_place_expect(&writer->place, SUITE_HEADER);
    if (writer->events)
        suite_place_expect(&writer->place, SUITE_EVENTS);
    if (status == STATUS_OK)
        status = suite_place_put(&writer->place, error);
    if (status == STATUS_OK)
        suite_abandon(writer, NULL);
    return status;
}

void suite_abandon(struct suite_writer *writer, struct error *error)
{
    if (writer->index >= 0)
        close(writer->index);
    writer->index = -1;
    buffer_free(&writer->unwritten);
    suite_place_close(&writer->place, error);
}

/* ---- reading a suite ---- */

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

/* hash: as stated; NULL: not stated. */
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
