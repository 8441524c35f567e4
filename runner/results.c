#include "runner/results.h"

#include "base/buffer.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* How every results file begins: also how half a first line is told from a file of another kind. */
static const char FIRST_BYTES[] = "{\"schema\":1,\"kind\":\"context\"";

/* A benchmark's name has no slash and a hash no newline, so no two points share a key. */
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

const json_t *results_context(const json_t *first, const json_t *point)
{
    double number = json_number_or(point, "context", 0);
    if (number == 0)
        return first;
    return number > 0 ? json_array_get(json_object_get(first, "contexts"), (size_t)number - 1) : NULL;
}

/* ---- reading ---- */

static enum status refuse_line(struct error *error, const char *path, int line, const char *what)
{
    error_set(error, STATUS_USAGE, "%s", what);
    error_at(error, path, line);
    error_hint(error, "a results file is what trauma run writes: one JSON object a line, each whole");
    return STATUS_USAGE;
}

static enum status take_context(struct results *results, const json_t *line, const char *path,
                                struct error *error)
{
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
    results->context = json_deep_copy(line);
    return STATUS_OK;
}

/* What readers take for granted of a point's fields, where it has them. */
static const struct field {
    const char *name;
    json_type type;
    const char *expected;
} fields[] = {{"recipe", JSON_STRING, "text"},        {"target", JSON_STRING, "text"},
              {"program_hash", JSON_STRING, "text"},  {"trace", JSON_STRING, "text"},
              {"point", JSON_OBJECT, "an object"},    {"rates", JSON_OBJECT, "an object"},
              {"time", JSON_OBJECT, "an object"},     {"power", JSON_OBJECT, "an object"},
              {"together", JSON_OBJECT, "an object"}, {"reps", JSON_ARRAY, "a list"},
              {"threads", JSON_ARRAY, "a list"},      {"warnings", JSON_ARRAY, "a list"},
              {"context", JSON_INTEGER, "a number"}};

static enum status check_fields(const struct results *results, const json_t *point, const char *path,
                                int number, struct error *error)
{
    char what[128];
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const json_t *value = json_object_get(point, fields[i].name);
        if (value == NULL || json_typeof(value) == fields[i].type)
            continue;
        snprintf(what, sizeof what, "expected %s as the point's \"%s\"", fields[i].expected, fields[i].name);
        return refuse_line(error, path, number, what);
    }
    if (results_context(results->context, point) == NULL)
        return refuse_line(error, path, number,
                           "the point is of a context that the first line does not have");
    return STATUS_OK;
}

/* places: key -> index in results->points. */
static enum status take_point(struct results *results, json_t *places, json_t *line, const char *path,
                              int number, struct error *error)
{
    const char *kind = json_string_or(line, "kind", "");
    if (strcmp(kind, "context") == 0)
        return refuse_line(error, path, number,
                           "a second context line: trauma merge joins the results of several runs");
    if (strcmp(kind, "point") != 0 || !json_is_string(json_object_get(line, "benchmark")) ||
        !json_is_string(json_object_get(line, "name")))
        return refuse_line(error, path, number,
                           "expected a point: an object with \"kind\":\"point\", \"benchmark\" and \"name\"");
    enum status status = check_fields(results, line, path, number, error);
    if (status != STATUS_OK)
        return status;
    struct buffer key = {0};
    results_key(line, &key);
    const json_t *place = json_object_get(places, key.data);
    if (place != NULL) {
        json_array_set(results->points, (size_t)json_integer_value(place), line);
    } else {
        json_object_set_new(places, key.data, json_integer((json_int_t)json_array_size(results->points)));
        json_array_append(results->points, line);
    }
    buffer_free(&key);
    return STATUS_OK;
}

static enum status take_line(struct results *results, json_t *places, const char *text, size_t size,
                             const char *path, int number, struct error *error)
{
    json_error_t problem;
    json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    enum status status = STATUS_OK;
    if (!json_is_object(line) && results->context == NULL) {
        status = refuse_line(error, path, number, "this is not a results file: its first line is not JSON");
    } else if (!json_is_object(line)) {
        char what[sizeof problem.text + 64];
        snprintf(what, sizeof what, "expected a JSON object on one line%s%s", line == NULL ? ": " : "",
                 line == NULL ? problem.text : "");
        status = refuse_line(error, path, number, what);
    } else if (results->context == NULL) {
        status = take_context(results, line, path, error);
    } else {
        status = take_point(results, places, line, path, number, error);
    }
    json_decref(line);
    return status;
}

/* Reads the whole lines of the text; *whole is how many bytes they are. A text of no whole line leaves the
 * context NULL. */
static enum status parse(struct results *results, const struct buffer *text, const char *path, size_t *whole,
                         struct error *error)
{
    json_t *places = json_object();
    enum status status = STATUS_OK;
    size_t start = 0;
    const char *end;
    for (int number = 1; status == STATUS_OK && start < text->size; number++) {
        end = memchr(text->data + start, '\n', text->size - start);
        if (end == NULL)
            break;
        size_t size = (size_t)(end - (text->data + start));
        status = take_line(results, places, text->data + start, size, path, number, error);
        start += size + 1;
    }
    json_decref(places);
    results->cut = start < text->size;
    *whole = start;
    return status;
}

/* Half a first line is what a kill in the first write leaves; anything else without a newline is not ours. */
static bool is_half_a_context(const struct buffer *text)
{
    size_t size = text->size < sizeof FIRST_BYTES - 1 ? text->size : sizeof FIRST_BYTES - 1;
    return size > 0 && memcmp(text->data, FIRST_BYTES, size) == 0;
}

/* Reads the file into *results. Empty, or half a first line: STATUS_OK with a NULL context. */
static enum status load(struct results *results, const char *path, size_t *whole, struct error *error)
{
    memset(results, 0, sizeof *results);
    results->points = json_array();
    struct buffer text = {0};
    enum status status = file_read_most(path, FILE_MOST_DATA, &text, error);
    if (status == STATUS_OK)
        status = parse(results, &text, path, whole, error);
    if (status == STATUS_OK && results->context == NULL && text.size > 0 && !is_half_a_context(&text))
        status = refuse_line(error, path, 1, "this is not a results file");
    buffer_free(&text);
    return status;
}

bool results_is_one(const char *path)
{
    return file_begins_with(path, FIRST_BYTES);
}

enum status results_read(const char *path, struct results *results, struct error *error)
{
    size_t whole;
    enum status status = load(results, path, &whole, error);
    if (status == STATUS_OK && results->context == NULL) {
        status =
            error_set(error, STATUS_USAGE, "%s holds no results: it is empty or its first line is cut", path);
        error_hint(error, "trauma run --resume -o %s starts it again", path);
    }
    return status;
}

void results_free(struct results *results)
{
    json_decref(results->context);
    json_decref(results->points);
    memset(results, 0, sizeof *results);
}

/* ---- appending ---- */

/* The file as it is or new and empty, locked; its size is in file->size. */
static enum status open_locked(struct results_file *file, const char *path, struct error *error)
{
    memset(file, 0, sizeof *file);
    if ((size_t)snprintf(file->path, sizeof file->path, "%s", path) >= sizeof file->path)
        return error_set(error, STATUS_USAGE, "the path %.200s... is too long", path);
    file->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file->fd < 0)
        return error_set(error, STATUS_FAILED, "cannot write %s: %s", path, strerror(errno));
    struct stat info;
    enum status status = STATUS_OK;
    if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        status = error_set(error, STATUS_USAGE, "%s is not a regular file", path);
        error_hint(error, "results are read again by --resume, plot and check: give -o a file");
    } else if (flock(file->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        /* A file system without locks answers otherwise, and is no reason to refuse to measure. */
        status = error_set(error, STATUS_USAGE, "another trauma run is writing %s", path);
        error_hint(error, "wait until it has ended, or give this one another file with -o");
    } else if (fstat(file->fd, &info) == 0) {
        file->size = info.st_size;
    }
    if (status != STATUS_OK)
        close(file->fd);
    return status;
}

/* Leaves the file as it was, or longer by the whole line. */
static enum status append_line(struct results_file *file, const json_t *line, struct error *error)
{
    struct buffer text = {0};
    json_write(&text, line, 0);
    ssize_t wrote;
    do {
        wrote = write(file->fd, text.data, text.size);
    } while (wrote < 0 && errno == EINTR);
    bool whole = wrote >= 0 && (size_t)wrote == text.size;
    int failure = wrote < 0 ? errno : ENOSPC; /* a short write is how a full disk or a size limit begins */
    if (whole && !file_flush(file->fd)) {
        failure = errno;
        whole = false;
    }
    enum status status = STATUS_OK;
    if (whole) {
        file->size += wrote;
    } else {
        status = error_set(error, STATUS_FAILED, "cannot write a line of %zu bytes to %s: %s", text.size,
                           file->path, strerror(failure));
        error_hint(error, "make room, then go on with --resume: the lines before this one are kept");
        if (ftruncate(file->fd, file->size) != 0)
            error_hint(error, "its last line is now cut; --resume removes it and goes on");
    }
    buffer_free(&text);
    return status;
}

/* The object with the given keys first, whatever place they had. */
static json_t *with_first(json_t *first, const json_t *object)
{
    json_object_update(first, (json_t *)object);
    return first;
}

static enum status start(struct results_file *file, const json_t *context, struct error *error)
{
    file->context = with_first(json_pack("{s:i, s:s}", "schema", RESULTS_SCHEMA, "kind", "context"), context);
    file->finished = json_object();
    return append_line(file, file->context, error);
}

enum status results_create(struct results_file *file, const char *path, const json_t *context,
                           struct error *error)
{
    enum status status = open_locked(file, path, error);
    if (status != STATUS_OK)
        return status;
    if (file->size != 0) {
        status = error_set(error, STATUS_USAGE, "%s exists already, and results are not overwritten", path);
        error_hint(error, "--resume goes on with it; -o FILE writes another file");
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
    if (!results_point_failed(point))
        json_object_set_new(file->finished, key.data, json_true());
    else
        json_object_del(file->finished, key.data);
    buffer_free(&key);
}

static enum status go_on(struct results_file *file, const struct results *results, size_t whole,
                         struct error *error)
{
    if (results->cut && ftruncate(file->fd, (off_t)whole) != 0)
        return error_set(error, STATUS_FAILED, "cannot cut the incomplete last line off %s: %s", file->path,
                         strerror(errno));
    file->size = (off_t)whole;
    if (results->context == NULL)
        return STATUS_OK;
    file->context = json_incref(results->context);
    file->finished = json_object();
    size_t index;
    json_t *point;
    json_array_foreach(results->points, index, point) mark_if_finished(file, point);
    return STATUS_OK;
}

enum status results_resume(struct results_file *file, const char *path, const json_t *context,
                           struct error *error)
{
    enum status status = open_locked(file, path, error);
    if (status != STATUS_OK)
        return status;
    struct results results;
    size_t whole = 0;
    status = load(&results, path, &whole, error);
    if (status == STATUS_OK)
        status = go_on(file, &results, whole, error);
    if (status == STATUS_OK && file->context == NULL)
        status = start(file, context, error);
    results_free(&results);
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

enum status results_append(struct results_file *file, const json_t *point, struct error *error)
{
    json_t *line = with_first(json_pack("{s:s}", "kind", "point"), point);
    enum status status = append_line(file, line, error);
    if (status == STATUS_OK)
        mark_if_finished(file, line);
    json_decref(line);
    return status;
}

void results_close(struct results_file *file)
{
    close(file->fd);
    json_decref(file->context);
    json_decref(file->finished);
    memset(file, 0, sizeof *file);
    file->fd = -1;
}
