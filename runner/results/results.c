#include "runner/results/results.h"

#include "base/files/spool.h"
#include "base/json.h"
#include "base/json/json_scan.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The start of every results file: it also distinguishes half a first line from a file of another kind. */
static const char FIRST_BYTES[] = "{\"schema\":1,\"kind\":\"context\"";

/* A benchmark's name has no slash and a hash no newline, so keys are unique. */
static void write_key(struct buffer *key, const char *benchmark, const char *name, const char *program_hash)
{
    buffer_printf(key, "%s/%s\n%s", benchmark, name, program_hash);
}

void results_key(const json_t *point, struct buffer *key)
{
    write_key(key, json_string_or(point, "benchmark", ""), json_string_or(point, "name", ""),
              json_string_or(point, "program_hash", ""));
}

bool results_point_failed(const json_t *point)
{
    return json_object_get(point, "error") != NULL || json_object_get(point, "skipped") != NULL;
}

/* ---- reading ---- */

enum { PART_BYTES = 1 << 20 };

static enum status refuse_line(struct error *error, const char *path, int line, const char *what)
{
    error_set(error, STATUS_USAGE, "%s", what);
    error_at(error, path, line);
    error_hint(error, "expected a results file as trauma run writes it: one whole JSON object per line");
    return STATUS_USAGE;
}

static enum status take_context(struct results_reader *reader, json_t *line, struct error *error)
{
    const char *path = reader->path;
    if (strcmp(json_string_or(line, "kind", ""), "context") != 0)
        return refuse_line(error, path, 1, "this is not a results file: its first line is no context line");
    double schema = json_number_or(line, "schema", 0);
    if (schema != RESULTS_SCHEMA) {
        error_set(error, STATUS_USAGE, "the results have schema %g; this program reads schema %d", schema,
                  RESULTS_SCHEMA);
        error_at(error, path, 1);
        error_hint(error, "read them with the version of trauma that wrote them");
        return STATUS_USAGE;
    }
    results_context_read(line, &reader->context);
    return STATUS_OK;
}

/* The types of a point's fields that readers rely on; first the fields that identify a line. */
enum field_index {
    FIELD_KIND,
    FIELD_BENCHMARK,
    FIELD_NAME,
    FIELD_HASH,
    FIELD_CONTEXT,
    FIELD_INDEX,
    FIELDS = 17
};
static const struct field {
    const char *name;
    char kind; /* as json_scan reports it */
    const char *expected;
} fields[FIELDS] = {[FIELD_KIND] = {"kind", '"', "text"},
                    [FIELD_BENCHMARK] = {"benchmark", '"', "text"},
                    [FIELD_NAME] = {"name", '"', "text"},
                    [FIELD_HASH] = {"program_hash", '"', "text"},
                    [FIELD_CONTEXT] = {"context", '0', "a number"},
                    [FIELD_INDEX] = {"index", '0', "a number"},
                    {"recipe", '"', "text"},
                    {"target", '"', "text"},
                    {"trace", '"', "text"},
                    {"point", '{', "an object"},
                    {"rates", '{', "an object"},
                    {"time", '{', "an object"},
                    {"power", '{', "an object"},
                    {"together", '{', "an object"},
                    {"reps", '[', "a list"},
                    {"threads", '[', "a list"},
                    {"warnings", '[', "a list"}};

/* The fields that identify a line, and the types of its fields. */
struct facts {
    char kinds[FIELDS]; /* '\0': the field is missing */
    struct {
        const char *text;
        size_t size;
    } words[FIELD_CONTEXT];
    long long context; /* 0: that of the first line itself */
    long long index;   /* of the point in its recipe; -1: not stated */
};

static size_t field_named(const char *name, size_t size)
{
    size_t i = 0;
    while (i < FIELDS && (strlen(fields[i].name) != size || memcmp(fields[i].name, name, size) != 0))
        i++;
    return i;
}

/* Reads the facts without parsing the whole line; false if that is not possible. */
static bool scan_facts(const char *text, size_t size, struct facts *facts)
{
    struct json_members members;
    if (!json_scan(text, size, &members))
        return false;
    *facts = (struct facts){.index = -1};
    for (size_t i = 0; i < members.count; i++) {
        const struct json_member *member = &members.items[i];
        size_t field = field_named(member->key, member->key_size);
        if (field == FIELDS)
            continue;
        facts->kinds[field] = member->kind;
        if (field < FIELD_CONTEXT && member->kind == '"' && !member->plain)
            return false;
        if (field < FIELD_CONTEXT && member->kind == '"') {
            facts->words[field].text = member->value;
            facts->words[field].size = member->size;
        }
        if (field == FIELD_CONTEXT)
            facts->context = strtoll(member->value, NULL, 10);
        if (field == FIELD_INDEX)
            facts->index = strtoll(member->value, NULL, 10);
    }
    return true;
}

/* Reads the facts from a parsed line, into which they point. */
static void take_facts(const json_t *line, struct facts *facts)
{
    static const char kinds[] = {
        [JSON_OBJECT] = '{', [JSON_ARRAY] = '[', [JSON_STRING] = '"', [JSON_INTEGER] = '0',
        [JSON_REAL] = '.',   [JSON_TRUE] = 't',  [JSON_FALSE] = 'f',  [JSON_NULL] = 'n'};
    *facts = (struct facts){.index = -1};
    for (size_t i = 0; i < FIELDS; i++) {
        const json_t *value = json_object_get(line, fields[i].name);
        facts->kinds[i] = value == NULL ? '\0' : kinds[json_typeof(value)];
        if (i < FIELD_CONTEXT && json_is_string(value)) {
            facts->words[i].text = json_string_value(value);
            facts->words[i].size = json_string_length(value);
        }
        if (i == FIELD_CONTEXT)
            facts->context = json_integer_value(value);
        if (i == FIELD_INDEX && json_is_integer(value))
            facts->index = json_integer_value(value);
    }
}

static bool word_is(const struct facts *facts, enum field_index field, const char *word)
{
    return facts->kinds[field] == '"' && facts->words[field].size == strlen(word) &&
           memcmp(facts->words[field].text, word, strlen(word)) == 0;
}

/* A part of an application's time (result_step_read), which is no point. */
static bool is_interval(const struct facts *facts)
{
    return word_is(facts, FIELD_KIND, "interval");
}

static enum status check_facts(const struct results_context *context, const struct facts *facts,
                               const char *path, int number, struct error *error)
{
    char what[128];
    if (word_is(facts, FIELD_KIND, "context"))
        return refuse_line(error, path, number,
                           "a second context line: trauma merge combines the results of several runs");
    bool known = word_is(facts, FIELD_KIND, "point") || word_is(facts, FIELD_KIND, "application") ||
                 is_interval(facts);
    if (!known || facts->kinds[FIELD_BENCHMARK] != '"' || facts->kinds[FIELD_NAME] != '"')
        return refuse_line(error, path, number,
                           "expected a point: an object with \"kind\":\"point\", \"benchmark\" and \"name\"");
    for (size_t i = FIELD_HASH; i < FIELDS; i++) {
        if (facts->kinds[i] == '\0' || facts->kinds[i] == fields[i].kind)
            continue;
        snprintf(what, sizeof what, "expected %s as the point's \"%s\"", fields[i].expected, fields[i].name);
        return refuse_line(error, path, number, what);
    }
    if (facts->context < 0 || facts->context > (long long)context->other_count)
        return refuse_line(error, path, number, "the point refers to a context that the first line lacks");
    return STATUS_OK;
}

/* The points found so far: key -> index among the reader's places. */
struct index {
    struct results_reader *reader;
    json_t *indices;
    json_t *benchmarks; /* name -> index in the context */
    bool unordered;     /* a line does not state the index of its point */
    struct buffer key;
};

static void take_order(struct index *index, const struct facts *facts, struct results_place *place)
{
    const struct results_context *context = &index->reader->context;
    if (index->benchmarks == NULL) {
        index->benchmarks = json_object();
        for (size_t i = 0; i < context->benchmarks.count; i++)
            json_object_set_new(index->benchmarks, context->benchmarks.items[i].name,
                                json_integer((json_int_t)i));
    }
    const json_t *entry = json_object_getn(index->benchmarks, facts->words[FIELD_BENCHMARK].text,
                                           facts->words[FIELD_BENCHMARK].size);
    index->unordered = index->unordered || facts->index < 0 || facts->index >= UINT32_MAX;
    place->benchmark = entry == NULL ? UINT32_MAX : (uint32_t)json_integer_value(entry);
    place->index = (uint32_t)facts->index;
}

static int by_order(const void *a, const void *b)
{
    const struct results_place *one = a, *other = b;
    if (one->benchmark != other->benchmark)
        return one->benchmark < other->benchmark ? -1 : 1;
    if (one->index != other->index)
        return one->index < other->index ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

/* Sorts the points, which may have run in any order. Files that were joined keep their order. */
static void restore_order(const struct index *index)
{
    struct results_reader *reader = index->reader;
    if (!index->unordered && reader->count > 1 && !value_has(&reader->context.members, "contexts"))
        qsort(reader->places, reader->count, sizeof *reader->places, by_order);
}

/* The index of the point's earlier line: with this program, or as a refused point, which this line then
 * replaces. */
static const json_t *find_known(struct index *index, const struct facts *facts)
{
    const struct buffer *key = &index->key;
    const json_t *known = json_object_getn(index->indices, key->data, key->size);
    size_t hash = facts->words[FIELD_HASH].size;
    if (known != NULL || hash == 0)
        return known;
    json_t *refused = json_object_getn(index->indices, key->data, key->size - hash);
    if (refused == NULL)
        return NULL;
    json_object_setn_nocheck(index->indices, key->data, key->size, refused);
    json_object_deln(index->indices, key->data, key->size - hash);
    return refused;
}

static void take_point(struct index *index, const struct facts *facts, struct results_place place)
{
    take_order(index, facts, &place);
    struct results_reader *reader = index->reader;
    index->key.size = 0;
    for (size_t i = FIELD_BENCHMARK; i <= FIELD_HASH; i++) {
        buffer_append(&index->key, facts->words[i].text, facts->words[i].size);
        buffer_text(&index->key, i == FIELD_BENCHMARK ? "/" : i == FIELD_NAME ? "\n" : "");
    }
    const json_t *known = find_known(index, facts);
    if (known != NULL) {
        reader->places[json_integer_value(known)] = place;
        return;
    }
    reader->places = memory_next(reader->places, reader->count, sizeof *reader->places);
    json_object_setn_new_nocheck(index->indices, index->key.data, index->key.size,
                                 json_integer((json_int_t)reader->count));
    reader->places[reader->count++] = place;
}

/* The line as a document; NULL if it is not a JSON object. */
static json_t *parse_line(const char *text, size_t size, json_error_t *problem)
{
    json_t *line = json_quick(text, size);
    if (line == NULL)
        line = json_loadb(text, size, JSON_REJECT_DUPLICATES, problem);
    return line;
}

static enum status take_line(struct index *index, const char *text, struct results_place place, int number,
                             struct error *error)
{
    struct results_reader *reader = index->reader;
    struct facts facts;
    enum status status = STATUS_OK;
    if (reader->context.document != NULL && scan_facts(text, place.size, &facts)) {
        status = check_facts(&reader->context, &facts, reader->path, number, error);
        if (status == STATUS_OK && !is_interval(&facts))
            take_point(index, &facts, place);
        return status;
    }
    json_error_t problem = {.line = 0};
    json_t *line = parse_line(text, place.size, &problem);
    if (!json_is_object(line) && reader->context.document == NULL) {
        status = refuse_line(error, reader->path, number,
                             "this is not a results file: its first line is not JSON");
    } else if (!json_is_object(line)) {
        char what[sizeof problem.text + 64];
        snprintf(what, sizeof what, "expected a JSON object on one line%s%s", line == NULL ? ": " : "",
                 line == NULL ? problem.text : "");
        status = refuse_line(error, reader->path, number, what);
    } else if (reader->context.document == NULL) {
        status = take_context(reader, line, error);
    } else {
        take_facts(line, &facts);
        status = check_facts(&reader->context, &facts, reader->path, number, error);
        if (status == STATUS_OK && !is_interval(&facts))
            take_point(index, &facts, place);
    }
    json_decref(line);
    return status;
}

/* True for the half of a first line that a killed run leaves; any other file without a newline is not a
 * results file. */
static bool is_half_a_context(const struct buffer *text)
{
    size_t size = text->size < sizeof FIRST_BYTES - 1 ? text->size : sizeof FIRST_BYTES - 1;
    return size > 0 && memcmp(text->data, FIRST_BYTES, size) == 0;
}

/* Appends the next part of the file to the text; false at its end. */
static bool read_more(const struct results_reader *reader, off_t at, struct buffer *text, enum status *status,
                      struct error *error)
{
    char *to = buffer_reserve(text, PART_BYTES);
    ssize_t got;
    do {
        got = pread(reader->fd, to, PART_BYTES, at + (off_t)text->size);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        *status = error_set(error, STATUS_USAGE, "cannot read %s: %s", reader->path, strerror(errno));
    text->size += got > 0 ? (size_t)got : 0;
    return got > 0;
}

static enum status refuse_length(const struct results_reader *reader, int number, struct error *error)
{
    char what[128];
    snprintf(what, sizeof what, "the line has more than %d MiB, the limit for a point's line",
             RESULTS_LINE_MOST >> 20);
    return refuse_line(error, reader->path, number, what);
}

/* A line that was cut off is no object. */
static bool is_whole(const struct buffer *line)
{
    json_error_t problem;
    json_t *object = line->size == 0 ? NULL : parse_line(line->data, line->size, &problem);
    bool whole = json_is_object(object);
    json_decref(object);
    return whole;
}

/* Takes the complete lines, including a last one that lacks only its newline; *rest gets an incomplete last
 * one. */
static enum status scan_lines(struct index *index, struct buffer *rest, struct error *error)
{
    struct results_reader *reader = index->reader;
    enum status status = STATUS_OK;
    int number = 1;
    while (status == STATUS_OK && read_more(reader, reader->whole, rest, &status, error)) {
        size_t start = 0;
        const char *end;
        while (status == STATUS_OK && (end = memchr(rest->data + start, '\n', rest->size - start)) != NULL) {
            size_t size = (size_t)(end - (rest->data + start));
            struct results_place place = {.at = reader->whole, .size = (uint32_t)size};
            status = size > RESULTS_LINE_MOST ? refuse_length(reader, number, error)
                                              : take_line(index, rest->data + start, place, number, error);
            number++;
            start += size + 1;
            reader->whole += (off_t)size + 1;
        }
        rest->size -= start;
        memmove(rest->data, rest->data + start, rest->size);
        if (status == STATUS_OK && rest->size > RESULTS_LINE_MOST)
            status = refuse_length(reader, number, error);
    }
    if (status == STATUS_OK && is_whole(rest)) {
        struct results_place place = {.at = reader->whole, .size = (uint32_t)rest->size};
        status = take_line(index, rest->data, place, number, error);
        reader->whole += (off_t)rest->size;
        reader->open_ended = true;
        rest->size = 0;
    }
    if (status == STATUS_OK && reader->context.document == NULL && rest->size > 0 && !is_half_a_context(rest))
        status = refuse_line(error, reader->path, 1, "this is not a results file");
    return status;
}

/* A pipe is copied to disk: its lines are read more than once. */
static enum status keep_pipe(struct results_reader *reader, struct error *error)
{
    struct stat info;
    if (fstat(reader->fd, &info) != 0 || S_ISREG(info.st_mode))
        return STATUS_OK;
    int kept = spool_nameless();
    char part[PART_BYTES];
    ssize_t got = 0;
    bool good = kept >= 0;
    while (good && ((got = read(reader->fd, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        good = got < 0 || write(kept, part, (size_t)got) == got;
    int failure = errno;
    close(reader->fd);
    reader->fd = kept;
    return good && got == 0 ? STATUS_OK
                            : error_set(error, STATUS_FAILED, "cannot store %s temporarily on disk: %s",
                                        reader->path, strerror(failure));
}

/* Opens the file, or duplicates fd if that is not below 0, and scans it. An empty file, or half a first line:
 * STATUS_OK, and the context has no document. */
static enum status scan_file(const char *path, int fd, struct results_reader *reader, struct error *error)
{
    off_t size = 0;
    *reader = (struct results_reader){.fd = -1};
    if ((size_t)snprintf(reader->path, sizeof reader->path, "%s", path) >= sizeof reader->path)
        return error_set(error, STATUS_USAGE, "the path %.200s... is too long", path);
    reader->fd = fd < 0 ? file_open(path, &size, error) : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (reader->fd < 0)
        return fd < 0 ? STATUS_USAGE
                      : error_set(error, STATUS_FAILED, "cannot read %s: %s", path, strerror(errno));
    if (size > RESULTS_FILE_MOST)
        return error_set(error, STATUS_USAGE,
                         "cannot read %s: it has %lld bytes, and the limit for results is %lld bytes", path,
                         (long long)size, (long long)RESULTS_FILE_MOST);
    struct index index = {.reader = reader, .indices = json_object()};
    struct buffer rest = {0};
    enum status status = keep_pipe(reader, error);
    if (status == STATUS_OK)
        status = scan_lines(&index, &rest, error);
    reader->cut = rest.size > 0;
    restore_order(&index);
    json_decref(index.indices);
    json_decref(index.benchmarks);
    buffer_free(&index.key);
    buffer_free(&rest);
    return status;
}

bool results_is_one(const char *path)
{
    return file_begins_with(path, FIRST_BYTES);
}

enum status results_open(const char *path, struct results_reader *reader, struct error *error)
{
    enum status status = scan_file(path, -1, reader, error);
    if (status == STATUS_OK && reader->context.document == NULL) {
        status = error_set(error, STATUS_USAGE,
                           "%s contains no results: it is empty or its first line is cut off", path);
        error_hint(error, "trauma run --resume -o %s starts anew", path);
    }
    return status;
}

static bool is_among(const struct json_member *member, const char *const *keys)
{
    size_t i = 0;
    while (keys[i] != NULL &&
           (strlen(keys[i]) != member->key_size || memcmp(keys[i], member->key, member->key_size) != 0))
        i++;
    return keys[i] != NULL;
}

/* The member alone; NULL if only jansson can read it. */
static json_t *read_member(const struct json_member *member)
{
    bool quoted = member->kind == '"';
    const char *text = member->value - quoted;
    size_t size = member->size + (quoted ? 2 : 0);
    json_t *value = json_quick(text, size);
    return value != NULL ? value : json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* The line with these members only; NULL if the whole line is needed. */
static json_t *read_members(const char *line, size_t size, const char *const *keys)
{
    struct json_members members;
    if (!json_scan(line, size, &members))
        return NULL;
    json_t *point = json_object();
    for (size_t i = 0; i < members.count; i++) {
        const struct json_member *member = &members.items[i];
        if (is_among(member, keys))
            json_object_setn_new_nocheck(point, member->key, member->key_size, read_member(member));
    }
    return point;
}

json_t *results_point(struct results_reader *reader, size_t index, const char *const *keys,
                      struct error *error)
{
    const struct results_place *place = &reader->places[index];
    json_error_t problem;
    json_t *point = NULL;
    size_t done = 0;
    reader->line.size = 0;
    char *to = buffer_reserve(&reader->line, place->size);
    while (done < place->size) {
        ssize_t got = pread(reader->fd, to + done, place->size - done, place->at + (off_t)done);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    if (done == place->size && keys != NULL)
        point = read_members(to, done, keys);
    if (done == place->size && point == NULL)
        point = parse_line(to, place->size, &problem);
    if (json_is_object(point))
        return point;
    json_decref(point);
    error_set(error, STATUS_USAGE, "%s has changed while it was read", reader->path);
    return NULL;
}

void results_reader_close(struct results_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    results_context_free(&reader->context);
    free(reader->places);
    buffer_free(&reader->line);
    *reader = (struct results_reader){.fd = -1};
}

/* ---- appending ---- */

/* The file, existing or new and empty, locked; its size is in file->size. */
static enum status open_locked(struct results_file *file, const char *path, struct error *error)
{
    memset(file, 0, sizeof *file);
    if ((size_t)snprintf(file->path, sizeof file->path, "%s", path) >= sizeof file->path)
        return error_set(error, STATUS_USAGE, "the path %.200s... is too long", path);
    enum status status = file_place_open(path, false, &file->place, error);
    if (status != STATUS_OK)
        return status;
    const struct file_place *place = &file->place;
    int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | (place->in_proc ? 0 : O_NOFOLLOW);
    file->fd = TEMP_FAILURE_RETRY(openat(place->folder, place->name, flags | O_CREAT | O_EXCL, 0666));
    file->created = file->fd >= 0;
    if (file->fd < 0 && errno == EEXIST)
        file->fd = TEMP_FAILURE_RETRY(openat(place->folder, place->name, flags));
    struct stat info;
    if (file->fd < 0) {
        status = error_set(error, STATUS_FAILED, "cannot write %s: %s", path, strerror(errno));
    } else if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        status = error_set(error, STATUS_USAGE, "%s is not a regular file", path);
        error_hint(error, "--resume, plot and check read the results again: give -o a file");
    } else if (TEMP_FAILURE_RETRY(flock(file->fd, LOCK_EX | LOCK_NB)) != 0 && errno == EWOULDBLOCK) {
        /* A file system without locks returns another error, which must not prevent measuring. */
        status = error_set(error, STATUS_USAGE, "another trauma run is writing %s", path);
        error_hint(error, "wait until it has ended, or choose another file with -o");
    } else if (fstat(file->fd, &info) == 0) {
        file->size = info.st_size;
    }
    if (status != STATUS_OK)
        results_close(file);
    return status;
}

/* Leaves the file unchanged, or longer by the whole line. */
static enum status append_line(struct results_file *file, const json_t *line, struct error *error)
{
    struct buffer text = {0};
    json_write(&text, line, 0);
    int failure = file_write_all(file->fd, text.data, text.size) && file_flush(file->fd) ? 0 : errno;
    enum status status = STATUS_OK;
    if (failure == 0) {
        file->size += (off_t)text.size;
    } else {
        status = error_set(error, STATUS_FAILED, "cannot write a line of %zu bytes to %s: %s", text.size,
                           file->path, strerror(failure));
        error_hint(error, "make room, then continue with --resume: the lines before this one are kept");
        if (TEMP_FAILURE_RETRY(ftruncate(file->fd, file->size)) != 0)
            error_hint(error, "its last line is now incomplete; --resume removes it and continues");
    }
    buffer_free(&text);
    return status;
}

/* The object with the given keys first, wherever they were. */
static json_t *with_first(json_t *first, const json_t *object)
{
    json_object_update(first, (json_t *)object);
    return first;
}

static enum status start(struct results_file *file, const json_t *context, struct error *error)
{
    json_t *line = with_first(json_pack("{s:i, s:s}", "schema", RESULTS_SCHEMA, "kind", "context"), context);
    results_context_read(line, &file->context);
    file->finished = json_object();
    enum status status = append_line(file, line, error);
    json_decref(line);
    if (status != STATUS_OK && file->created) { /* nothing is lost with it */
        (void)unlinkat(file->place.folder, file->place.name, 0);
        error_hint(error, "make room, then try again");
    }
    return status;
}

enum status results_create(struct results_file *file, const char *path, const json_t *context,
                           struct error *error)
{
    enum status status = open_locked(file, path, error);
    if (status != STATUS_OK)
        return status;
    if (file->size != 0) {
        status = error_set(error, STATUS_USAGE, "%s exists already, and results are not overwritten", path);
        error_hint(error, "--resume continues it; -o FILE writes another file");
    } else {
        status = start(file, context, error);
    }
    if (status != STATUS_OK)
        results_close(file);
    return status;
}

static void mark_if_finished(struct results_file *file, const json_t *point)
{
    struct buffer key = {0};
    results_key(point, &key);
    if (!results_point_failed(point) || json_number_or(point, "code", 0) == STATUS_RECIPE)
        json_object_set_new(file->finished, key.data, json_true());
    else
        json_object_del(file->finished, key.data);
    buffer_free(&key);
}

/* The point, with any program. */
static void write_place(struct buffer *key, const char *recipe, const char *benchmark, const char *name,
                        const char *target)
{
    buffer_printf(key, "%s\n%s\n%s\n%s\n", recipe, benchmark, name, target);
}

static void mark_as_earlier(struct results_file *file, const json_t *point)
{
    struct buffer key = {0};
    write_place(&key, json_string_or(point, "recipe", ""), json_string_or(point, "benchmark", ""),
                json_string_or(point, "name", ""), json_string_or(point, "target", ""));
    if (!results_point_failed(point))
        json_object_set_new(file->earlier, key.data, json_true());
    buffer_free(&key);
}

static enum status go_on(struct results_file *file, struct results_reader *reader, struct error *error)
{
    if (reader->cut && TEMP_FAILURE_RETRY(ftruncate(file->fd, reader->whole)) != 0)
        return error_set(error, STATUS_FAILED, "cannot remove the incomplete last line of %s: %s", file->path,
                         strerror(errno));
    file->size = reader->whole;
    if (reader->open_ended && !file_write_all(file->fd, "\n", 1))
        return error_set(error, STATUS_FAILED, "cannot end the last line of %s: %s", file->path,
                         strerror(errno));
    file->size += reader->open_ended;
    if (reader->context.document == NULL)
        return STATUS_OK;
    results_context_read(reader->context.document, &file->context);
    file->finished = json_object();
    file->earlier = json_object();
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < reader->count; i++) {
        json_t *point = results_point(reader, i, NULL, error);
        if (point != NULL) {
            mark_if_finished(file, point);
            mark_as_earlier(file, point);
        } else {
            status = STATUS_USAGE;
        }
        json_decref(point);
    }
    return status;
}

enum status results_resume(struct results_file *file, const char *path, const json_t *context,
                           struct error *error)
{
    enum status status = open_locked(file, path, error);
    if (status != STATUS_OK)
        return status;
    struct results_reader reader;
    status = scan_file(path, file->fd, &reader, error);
    if (status == STATUS_OK)
        status = go_on(file, &reader, error);
    if (status == STATUS_OK && file->context.document == NULL)
        status = start(file, context, error);
    results_reader_close(&reader);
    if (status != STATUS_OK)
        results_close(file);
    return status;
}

bool results_finished(const struct results_file *file, const char *benchmark, const char *name,
                      const char *program_hash)
{
    struct buffer key = {0};
    write_key(&key, benchmark, name, program_hash);
    bool found = json_object_get(file->finished, key.data) != NULL;
    buffer_free(&key);
    return found;
}

bool results_has_earlier(const struct results_file *file, const char *recipe, const char *benchmark,
                         const char *name, const char *target)
{
    struct buffer key = {0};
    write_place(&key, recipe, benchmark, name, target);
    bool found = json_object_get(file->earlier, key.data) != NULL;
    buffer_free(&key);
    return found;
}

enum status results_append(struct results_file *file, const json_t *point, struct error *error)
{
    json_t *line = with_first(json_pack("{s:s}", "kind", "point"), point);
    enum status status = append_line(file, line, error);
    if (status == STATUS_OK && strcmp(json_string_or(line, "kind", ""), "interval") != 0)
        mark_if_finished(file, line);
    json_decref(line);
    return status;
}

void results_close(struct results_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file_place_close(&file->place, false);
    results_context_free(&file->context);
    json_decref(file->finished);
    json_decref(file->earlier);
    memset(file, 0, sizeof *file);
    file->fd = file->place.folder = -1;
}
