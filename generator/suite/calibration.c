#include "generator/suite/calibration.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file's lock ---- */

/* Locks the file that currently has the name, for a read-modify-write; waits for other holders of the lock.
 * Returns the descriptor, or -1 if the file is missing or cannot be opened. The kernel holds the lock with
 * the open file and releases it with the last process that has it open, in any PID namespace; network file
 * systems extend it to other hosts. */
static int hold_file(const char *path)
{
    struct stat own;
    struct stat there;
    for (;;) {
        int fd = TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (fd < 0 && errno != ENOENT) /* a file that cannot be written may still be replaced */
            fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (fd < 0)
            return -1;
        bool locked = TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) == 0;
        if (!locked || fstat(fd, &own) != 0 ||
            (stat(path, &there) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev))
            return fd;
        close(fd); /* it was replaced while this process waited */
    }
}

enum { SCHEMA = 1 };
static const char KIND[] = "calibration", DEPTH[] = "depth";

/* The hash of a document's content, independent of key order. */
static void hash_document(const json_t *document, char hash[HASH_TEXT_BYTES])
{
    char *text = json_dumps(document, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15));
    hash_bytes(text == NULL ? "" : text, text == NULL ? 0 : strlen(text), hash);
    free(text);
}

/* Omits the settable clocks: no plan depends on them, and they change with drivers. */
static void hash_machine(const struct machine *machine, char hash[HASH_TEXT_BYTES])
{
    json_t *plain = json_copy(machine->document);
    json_object_del(plain, "frequencies");
    hash_document(plain, hash);
    json_decref(plain);
}

/* Omits the position of asm{} texts in the recipe, which has no effect. */
static void hash_kernel(const json_t *kernel, char hash[HASH_TEXT_BYTES])
{
    json_t *plain = json_deep_copy(kernel);
    json_t *unit = json_object_get(plain, "unit");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        json_object_del(json_array_get(unit, i), "file");
        json_object_del(json_array_get(unit, i), "line");
    }
    hash_document(plain, hash);
    json_decref(plain);
}

/* ---- tunings ---- */

static const char AIM[] = "aim";

/* A number of the document by its name. */
static enum status read_number(const char *name, const json_t *value, struct plan_tuning *tuning,
                               struct error *error)
{
    if (!json_is_number(value))
        return error_set(error, STATUS_USAGE, "the tuning's %s is not a number", name);
    return tuning_set(tuning, name, json_number_value(value), error);
}

/* Sets the fields present in {"depth", "aim": {metric: rate}} and leaves the rest. */
static enum status read_tuning(const json_t *document, struct plan_tuning *tuning, struct error *error)
{
    const char *key;
    json_t *value;
    enum status status = STATUS_OK;
    if (!json_is_object(document))
        status = error_set(error, STATUS_USAGE, "a tuning is an object with depth and aim");
    json_object_foreach((json_t *)(uintptr_t)document, key, value)
    {
        const char *metric;
        json_t *aim;
        if (status == STATUS_OK && strcmp(key, AIM) == 0 && json_is_object(value)) {
            json_object_foreach(value, metric, aim) if (status == STATUS_OK) status =
                strcmp(metric, DEPTH) == 0
                    ? error_set(error, STATUS_USAGE, "depth belongs beside aim, not in it")
                    : read_number(metric, aim, tuning, error);
        } else if (status == STATUS_OK && strcmp(key, DEPTH) == 0) {
            status = read_number(key, value, tuning, error);
        } else if (status == STATUS_OK) {
            status =
                error_set(error, STATUS_USAGE, "a tuning is {\"depth\", \"aim\": {...}}, found '%s'", key);
        }
    }
    return status;
}

static json_t *tuning_to_json(const struct plan_tuning *tuning)
{
    json_t *document = json_object();
    json_t *aims = json_object();
    if (tuning->depth > 0)
        json_object_set_new(document, DEPTH, json_from_number(tuning->depth));
    for (enum tuning_rate i = 0; i < TUNING_RATES; i++)
        if (tuning->aimed[i])
            json_object_set_new(aims, tuning_metric(i), json_from_number(tuning->aim[i]));
    if (json_object_size(aims) > 0)
        json_object_set(document, AIM, aims);
    json_decref(aims);
    return document;
}

static const struct field_row stated_rows[] = {FIELD_ROW(plan_calibration, "source", FIELD_TEXT, source),
                                               FIELD_ROW(plan_calibration, "kind", FIELD_TEXT, kind),
                                               {0}};

bool calibration_read_stated(struct fields_reader *reader, const json_t *value, void *at)
{
    struct plan_calibration *calibration = at;
    const struct field_place place = {.name = "calibration"};
    calibration->given = json_is_object(value);
    if (!calibration->given)
        fields_refuse(reader, NULL, place.name, value, "an object");
    fields_read(reader, value, &place, stated_rows, calibration);
    /* A tuning of an earlier version that cannot be read is not shown. */
    calibration->tuned = calibration->given && read_tuning(json_object_get(value, "tuning"),
                                                           &calibration->tuning, NULL) == STATUS_OK;
    return true;
}

void calibration_write_stated(struct json_text *text, const char *name,
                              const struct plan_calibration *calibration)
{
    json_t *tuning = tuning_to_json(&calibration->tuning);
    json_text_open(text, name, '{');
    json_text_value(text, "tuning", tuning);
    fields_write(text, stated_rows, NULL, calibration);
    json_text_close(text, '}');
    json_decref(tuning);
}

static json_t *rates_to_json(const struct calibration_outcome *outcome)
{
    json_t *rates = json_object();
    for (size_t i = 0; i < outcome->rate_count; i++) {
        const struct calibration_rate *rate = &outcome->rates[i];
        const double numbers[] = {rate->value, rate->low, rate->high};
        json_t *shown[3];
        for (size_t j = 0; j < 3; j++)
            shown[j] = isfinite(numbers[j]) ? json_real(numbers[j]) : json_null();
        json_object_set_new(rates, rate->metric,
                            json_pack("{s:o, s:o, s:o, s:o}", "value", shown[0], "low", shown[1], "high",
                                      shown[2], "target", json_from_number(rate->target)));
    }
    return rates;
}

json_t *calibration_outcome_to_json(const struct calibration_outcome *outcome)
{
    return json_pack("{s:b, s:i, s:s, s:o, s:o}", "reached", outcome->reached, "rounds", (int)outcome->rounds,
                     "source", outcome->best.source, "tuning", tuning_to_json(&outcome->best.tuning), "rates",
                     rates_to_json(outcome));
}

static json_t *entry_of(const struct calibration_outcome *outcome)
{
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:i, s:o}", "benchmark", outcome->benchmark, "point",
                     outcome->point, "tuning", tuning_to_json(&outcome->best.tuning), "source",
                     outcome->best.source, "kind", outcome->best.kind, "rounds", (int)outcome->rounds,
                     "rates", rates_to_json(outcome));
}

/* ---- the file ---- */

/* The file's fields; malformed ones are missing. */
struct head {
    double schema;
    const char *kind, *machine_hash, *host;
    const json_t *tuning, *kernels;
};

static const struct field_row head_rows[] = {FIELD_ROW(head, "schema", FIELD_NUMBER, schema),
                                             FIELD_ROW(head, "kind", FIELD_TEXT, kind),
                                             FIELD_ROW(head, "machine_hash", FIELD_TEXT, machine_hash),
                                             FIELD_ROW(head, "host", FIELD_TEXT, host),
                                             FIELD_ROW(head, "tuning", FIELD_ANY, tuning),
                                             FIELD_ROW(head, "kernels", FIELD_DOCUMENT, kernels),
                                             {0}};

static struct head read_head(const json_t *document)
{
    struct fields_reader reader = {.what = "", .kind = ""};
    struct head head = {.kind = "", .host = ""};
    fields_read(&reader, document, NULL, head_rows, &head);
    return head;
}

/* Reads the document, with copies of its texts. */
static enum status read_document(const json_t *document, const char *path, const char *machine_hash,
                                 struct calibration *calibration, struct error *error)
{
    struct fields_reader reader = {.what = path, .kind = "a calibration"};
    struct arena *arena = &calibration->arena;
    const struct head head = read_head(document);
    const char *hash;
    json_t *entry;
    if (head.schema != SCHEMA || strcmp(head.kind, KIND) != 0) {
        error_set(error, STATUS_USAGE, "%s is not a calibration of schema %d", path, SCHEMA);
        error_hint(error, "remove it, or use --no-calibration");
        return STATUS_USAGE;
    }
    enum status status =
        head.tuning == NULL ? STATUS_OK : read_tuning(head.tuning, &calibration->of_all, error);
    calibration->entries = arena_alloc(arena, json_object_size(head.kernels), sizeof *calibration->entries);
    json_object_foreach((json_t *)(uintptr_t)head.kernels, hash, entry)
    {
        struct calibration_entry *own = &calibration->entries[calibration->count++];
        struct plan_calibration *found = &own->found;
        *own = (struct calibration_entry){.hash = arena_strdup(arena, hash)};
        fields_read(&reader, entry, NULL, stated_rows, found);
        found->source = found->source == NULL ? NULL : arena_strdup(arena, found->source);
        found->kind = found->kind == NULL ? NULL : arena_strdup(arena, found->kind);
        if (status == STATUS_OK)
            status = read_tuning(json_object_get(entry, "tuning"), &found->tuning, error);
        if (found->tuning.depth > 0)
            calibration->depth = found->tuning.depth;
    }
    calibration->host = arena_strdup(arena, head.host);
    calibration->foreign =
        status == STATUS_OK && head.machine_hash != NULL && strcmp(head.machine_hash, machine_hash) != 0;
    if (status != STATUS_OK)
        error_at(error, path, 0);
    return status;
}

/* *document: the whole file, if a file is given. */
static enum status read_file(const char *path, const struct machine *machine, struct calibration *calibration,
                             json_t **document, struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    *calibration = (struct calibration){.host = ""};
    *document = NULL;
    if (!file_is_regular(path))
        return STATUS_OK;
    hash_machine(machine, hash);
    *document = json_read(path, error);
    enum status status =
        *document == NULL ? error->code : read_document(*document, path, hash, calibration, error);
    calibration->given = status == STATUS_OK && !calibration->foreign;
    if (calibration->given)
        return STATUS_OK;
    bool foreign = calibration->foreign;
    calibration_free(calibration);
    calibration->foreign = foreign;
    json_decref(*document);
    *document = NULL;
    return status;
}

enum status calibration_read(const char *path, const struct machine *machine, struct calibration *calibration,
                             struct error *error)
{
    json_t *document;
    enum status status = read_file(path, machine, calibration, &document, error);
    json_decref(document);
    return status;
}

struct plan_calibration calibration_find(const struct calibration *calibration, const json_t *kernel)
{
    char hash[HASH_TEXT_BYTES];
    struct plan_calibration found = {.tuning = calibration->of_all};
    hash_kernel(kernel, hash);
    for (size_t i = 0; i < calibration->count; i++) {
        const struct plan_calibration *own = &calibration->entries[i].found;
        if (strcmp(calibration->entries[i].hash, hash) != 0)
            continue;
        found.source = own->source;
        found.kind = own->kind;
        tuning_override(&found.tuning, &own->tuning);
    }
    found.given = found.tuned = tuning_is_set(&found.tuning);
    return found;
}

static json_t *begin(const struct machine *machine)
{
    char hash[HASH_TEXT_BYTES];
    hash_machine(machine, hash);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:{}}", "schema", SCHEMA, "kind", KIND, "machine",
                     machine->name, "machine_hash", hash, "host", "", "kernels");
}

static enum status learn(const char *path, bool there, const struct machine *machine, const char *host,
                         const json_t *kernel, const struct calibration_outcome *outcome, struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    struct calibration known;
    json_t *document;
    enum status status = read_file(path, machine, &known, &document, error);
    calibration_free(&known);
    if (status != STATUS_OK)
        return status;
    if (document == NULL)
        document = begin(machine);
    json_t *whole = begin(machine); /* which a hand-written file may lack */
    json_object_update_missing(document, whole);
    json_decref(whole);
    if (host[0] != '\0')
        json_object_set_new(document, "host", json_string(host));
    hash_kernel(kernel, hash);
    json_object_set_new(json_object_get(document, "kernels"), hash, entry_of(outcome));
    struct buffer text = {0};
    json_write(&text, document, 2);
    status = there ? file_write(path, text.data, text.size, false, error)
                   : file_write_first(path, text.data, text.size, error);
    buffer_free(&text);
    json_decref(document);
    return status;
}

/* Several processes may store at once: each reads what the others have written. */
enum status calibration_learn(const char *path, const struct machine *machine, const char *host,
                              const json_t *kernel, const struct calibration_outcome *outcome,
                              struct error *error)
{
    int held = hold_file(path);
    bool there = held >= 0;
    enum status status = learn(path, there, machine, host, kernel, outcome, error);
    if (status != STATUS_OK && !there && (held = hold_file(path)) >= 0) /* another process created it first */
        status = learn(path, true, machine, host, kernel, outcome, error);
    if (held >= 0)
        close(held);
    return status;
}

void calibration_free(struct calibration *calibration)
{
    arena_free(&calibration->arena);
    *calibration = (struct calibration){.host = ""};
}
