#include "runner/results/results_merge.h"

#include "base/file.h"
#include "base/files/draft.h"
#include "base/json.h"
#include "base/memory.h"
#include "runner/results/traces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SHARDS = 1000000 };

/* ---- contexts ---- */

/* The facts that must be equal for points to be comparable. */
static const struct {
    const char *key;
    const char *words;
} agreed[] = {{"tool", "version of trauma"}, {"seed", "seed"}, {"machine", "machine"}, {"cpu", "processor"}};

/* A short form of a value: a text, a number, or an object's name. */
static void name_value(const json_t *value, char *text, size_t capacity)
{
    const char *name = json_string_or(value, "name", NULL);
    if (json_string_or(value, "version", NULL) != NULL)
        name = json_string_or(value, "version", NULL);
    if (json_is_string(value))
        snprintf(text, capacity, "%s", json_string_value(value));
    else if (json_is_number(value))
        snprintf(text, capacity, "%.15g", json_number_value(value));
    else
        snprintf(text, capacity, "%s", name != NULL ? name : "none");
}

static enum status check_agreed(const struct results_merge *merge, const json_t *context, const char *path,
                                struct error *error)
{
    const json_t *first = merge->contexts[0].document;
    for (size_t i = 0; i < sizeof agreed / sizeof agreed[0]; i++) {
        const json_t *here = json_object_get(context, agreed[i].key);
        const json_t *there = json_object_get(first, agreed[i].key);
        char found[100];
        char expected[100];
        if (here == there || json_equal(here, there))
            continue;
        name_value(here, found, sizeof found);
        name_value(there, expected, sizeof expected);
        if (strcmp(found, expected) == 0)
            error_set(error, STATUS_USAGE,
                      "the %s is described differently in %s: points of both would not be comparable",
                      agreed[i].words, merge->first);
        else
            error_set(error, STATUS_USAGE,
                      "the %s is %s, but %s in %s: points of both would not be comparable", agreed[i].words,
                      found, expected, merge->first);
        error_at(error, path, 1);
        error_hint(error, "merge results measured the same way, and compare others with trauma diff");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* The context's number; a new one is added. */
static size_t place_context(struct results_merge *merge, const json_t *context)
{
    json_t *alone = json_copy((json_t *)context);
    json_object_del(alone, "contexts");
    size_t i = 0;
    while (i < merge->context_count && !json_equal(merge->contexts[i].document, alone))
        i++;
    if (i == merge->context_count) {
        merge->contexts = memory_resized(merge->contexts, i + 1, sizeof *merge->contexts);
        merge->counts = memory_resized(merge->counts, i + 1, sizeof *merge->counts);
        merge->counts[i] = 0;
        results_context_read(alone, &merge->contexts[merge->context_count++]);
    }
    json_decref(alone);
    return i;
}

/* ---- points ---- */

/* True if they are identical apart from the location of their traces. */
static bool is_same_line(const json_t *a, const json_t *b)
{
    json_t *one = json_copy((json_t *)a);
    json_t *other = json_copy((json_t *)b);
    json_object_del(one, "trace");
    json_object_del(other, "trace");
    bool same = json_equal(one, other);
    json_decref(one);
    json_decref(other);
    return same;
}

static void append_text(struct warnings *list, const json_t *point, const char *what)
{
    warning_add(list, NULL, "%s/%s%s", json_string_or(point, "benchmark", ""),
                json_string_or(point, "name", ""), what);
}

static bool is_refused(const json_t *point)
{
    return json_number_or(point, "code", 0) == STATUS_RECIPE;
}

static enum status put_aside(struct results_merge *merge, const json_t *point, struct merged_point *place,
                             struct error *error)
{
    struct buffer text = {0};
    json_write(&text, point, 0);
    place->size = text.size;
    place->failed = results_point_failed(point);
    place->refused = is_refused(point);
    place->traced = json_object_get(point, "trace") != NULL;
    place->file = merge->file_count - 1;
    enum status status = spool_append(&merge->lines, text.data, text.size, &place->start, error);
    buffer_free(&text);
    return status;
}

/* New reference; NULL with *error filled. */
static json_t *fetch(const struct results_merge *merge, const struct merged_point *place, struct buffer *text,
                     struct error *error)
{
    if (spool_read(&merge->lines, place->start, place->size, text, error) != STATUS_OK)
        return NULL;
    return json_parse(text->data, text->size, "a line put aside", error);
}

/* Keeps one of the two files' points: the one that ran, or of two that ran or did not, the later. */
static enum status settle(struct results_merge *merge, struct merged_point *place, const json_t *point,
                          struct error *error)
{
    struct buffer text = {0};
    json_t *old = fetch(merge, place, &text, error);
    buffer_free(&text);
    if (old == NULL)
        return STATUS_FAILED;
    bool same = is_same_line(old, point);
    bool old_failed = place->failed;
    bool failed = results_point_failed(point);
    json_decref(old);
    merge->same += same;
    if (same)
        return STATUS_OK;
    merge->finished += old_failed != failed;
    if (!old_failed && !failed)
        append_text(&merge->twice, point, "");
    return failed && !old_failed ? STATUS_OK : put_aside(merge, point, place, error);
}

/* The K-th point of shard I of N has position K * N + I. */
static double turn_of(struct results_merge *merge, size_t context)
{
    const struct results_context *of = &merge->contexts[context];
    return (double)merge->counts[context]++ * of->shard_count + of->shard_index;
}

/* The known point with this program; if either is refused, and so has no program, the one of that name. */
static size_t find_known(const struct results_merge *merge, const json_t *point, const char *key,
                         const char *name)
{
    size_t known = text_set_find(&merge->places, key), other = text_set_find(&merge->places, name);
    if (known < merge->places.count || other == merge->places.count)
        return known;
    return is_refused(point) || merge->points[merge->place_of[other]].refused ? other : merge->places.count;
}

static void set_place(struct results_merge *merge, const char *key, size_t place)
{
    size_t known = merge->places.count, at = text_set_add(&merge->places, key);
    if (at == known)
        merge->place_of = memory_next(merge->place_of, known, sizeof *merge->place_of);
    merge->place_of[at] = place;
}

static enum status add_point(struct results_merge *merge, json_t *point, size_t context, struct error *error)
{
    struct buffer key = {0}, name = {0};
    enum status status;
    if (context > 0)
        json_object_set_new(point, "context", json_integer((json_int_t)context));
    else
        json_object_del(point, "context");
    results_key(point, &key);
    buffer_append(&name, key.data, strcspn(key.data, "\n") + 1);
    size_t known = find_known(merge, point, key.data, name.data);
    if (known < merge->places.count) {
        size_t at = merge->place_of[known];
        set_place(merge, key.data, at);
        status = settle(merge, &merge->points[at], point, error);
    } else {
        set_place(merge, key.data, merge->count);
        set_place(merge, name.data, merge->count);
        merge->points = memory_next(merge->points, merge->count, sizeof *merge->points);
        struct merged_point *place = &merge->points[merge->count++];
        place->turn = turn_of(merge, context);
        place->turn = json_number_or(point, "index", place->turn);
        status = put_aside(merge, point, place, error);
    }
    buffer_free(&key);
    buffer_free(&name);
    return status;
}

enum status results_merge_add(struct results_merge *merge, struct results_reader *results,
                              struct error *error)
{
    enum status status = STATUS_OK;
    if (merge->context_count == 0)
        snprintf(merge->first, sizeof merge->first, "%s", results->path);
    else
        status = check_agreed(merge, results->context.document, results->path, error);
    if (status != STATUS_OK)
        return status;
    merge->files = arena_next(&merge->arena, merge->files, merge->file_count, sizeof *merge->files);
    merge->files[merge->file_count++] = arena_strdup(&merge->arena, results->path);
    const json_t *last = results->context.document;
    size_t place = place_context(merge, last);
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        json_t *point = results_point(results, i, NULL, error);
        if (point == NULL)
            return STATUS_USAGE;
        const struct results_context *of =
            results_context_of(&results->context, (size_t)json_number_or(point, "context", 0));
        const json_t *context = of == NULL ? NULL : of->document;
        place = context == last ? place : place_context(merge, context);
        last = context;
        status = add_point(merge, point, place, error);
        json_decref(point);
    }
    return status;
}

size_t results_merge_failed(const struct results_merge *merge)
{
    size_t failed = 0;
    for (size_t i = 0; i < merge->count; i++)
        failed += merge->points[i].failed;
    return failed;
}

size_t results_merge_refused(const struct results_merge *merge)
{
    size_t refused = 0;
    for (size_t i = 0; i < merge->count; i++)
        refused += merge->points[i].refused;
    return refused;
}

/* ---- writing ---- */

/* Where the copies of the traces are written: a folder of a draft beside the results (base/files/draft.h),
 * which gets its name when all are there. */
struct copies {
    int beside; /* the results' folder */
    int draft;  /* below 0: there are no traces */
    char draft_name[DRAFT_NAME_BYTES];
    char folder[FILE_PATH_BYTES];
};

/* Chooses a free name for the folder: an existing one belongs to other results. */
static enum status copies_begin(struct copies *copies, const char *results, bool traced, struct error *error)
{
    struct stat info;
    *copies = (struct copies){.draft = -1, .beside = traces_beside(results, error)};
    if (copies->beside < 0)
        return STATUS_FAILED;
    int number = 1;
    while (fstatat(copies->beside, traces_folder(results, number, copies->folder), &info,
                   AT_SYMLINK_NOFOLLOW) == 0)
        number++;
    if (traced)
        copies->draft = draft_folder(copies->beside, copies->draft_name);
    if (!traced || copies->draft >= 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "cannot make a folder for traces beside %s: %s", results,
              strerror(errno));
    close(copies->beside);
    return STATUS_FAILED;
}

static bool has_copies(const struct copies *copies)
{
    return copies->draft >= 0 && faccessat(copies->draft, copies->folder, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Moves the folder to its place beside the results, or back. False, with errno, if that fails. */
static bool copies_put(const struct copies *copies, bool back)
{
    int from = back ? copies->beside : copies->draft;
    int to = back ? copies->draft : copies->beside;
    if (TEMP_FAILURE_RETRY(renameat2(from, copies->folder, to, copies->folder, RENAME_NOREPLACE)) == 0)
        return true;
    return (errno == EINVAL || errno == ENOSYS) &&
           TEMP_FAILURE_RETRY(renameat(from, copies->folder, to, copies->folder)) == 0;
}

static void copies_end(struct copies *copies)
{
    if (copies->draft >= 0) {
        close(copies->draft);
        (void)draft_clear(copies->beside, copies->draft_name);
    }
    close(copies->beside);
}

/* If a trace cannot be read, only the trace is lost, not its point. */
static enum status copy_trace(struct results_merge *merge, json_t *point, const char *file,
                              const struct copies *copies, struct error *error)
{
    const char *trace = json_string_or(point, "trace", NULL);
    char from[FILE_PATH_BYTES];
    char relative[FILE_PATH_BYTES];
    struct buffer text = {0};
    struct error why;
    if (trace == NULL)
        return STATUS_OK;
    enum status status = traces_path(file, trace, from, &why);
    if (status == STATUS_OK)
        status = file_read_most(from, FILE_MOST_DATA, &text, &why);
    if (status != STATUS_OK) {
        json_object_del(point, "trace");
        struct buffer reason = {0};
        buffer_printf(&reason, ": %s", why.message);
        append_text(&merge->traceless, point, reason.data);
        buffer_free(&reason);
        buffer_free(&text);
        return STATUS_OK;
    }
    const struct trace_of of = {json_string_or(point, "benchmark", ""), json_string_or(point, "name", ""),
                                json_string_or(point, "program_hash", "")};
    status = traces_write(copies->draft, copies->folder, &of, &text, relative, error);
    if (status == STATUS_OK)
        json_object_set_new(point, "trace", json_string(relative));
    buffer_free(&text);
    return status;
}

size_t results_merge_shards(const struct results_merge *merge)
{
    double count = 0;
    for (size_t i = 0; i < merge->context_count; i++) {
        double here = merge->contexts[i].shard_count;
        if (here < 2 || here > MOST_SHARDS || (count != 0 && here != count))
            return 0;
        count = here;
    }
    return (size_t)count;
}

struct turn_place {
    double turn;
    size_t index;
};

static int by_turn(const void *a, const void *b)
{
    const struct turn_place *one = a;
    const struct turn_place *other = b;
    if (one->turn != other->turn)
        return one->turn < other->turn ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* The points' order; the caller frees it. */
static struct turn_place *order_of(const struct results_merge *merge)
{
    size_t count = merge->count;
    struct turn_place *order = memory_zeroed(count + 1, sizeof *order);
    bool sharded = results_merge_shards(merge) > 0;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct turn_place){sharded ? merge->points[i].turn : 0, i};
    qsort(order, count, sizeof *order, by_turn);
    return order;
}

/* The benchmarks of all contexts, each name once. New reference. */
static json_t *all_benchmarks(const struct results_merge *merge)
{
    json_t *all = json_array();
    struct text_set names = {0};
    for (size_t i = 0; i < merge->context_count; i++) {
        const struct results_context *context = &merge->contexts[i];
        const json_t *list = json_object_get(context->document, "benchmarks");
        for (size_t j = 0; j < context->benchmarks.count; j++) {
            size_t known = names.count;
            if (text_set_add(&names, context->benchmarks.items[j].name) == known)
                json_array_append(all, json_array_get(list, j));
        }
    }
    text_set_free(&names);
    return all;
}

/* The first context, including the others and all benchmarks. New reference. */
static json_t *first_line(const struct results_merge *merge)
{
    json_t *line = json_copy(merge->contexts[0].document), *others = json_array();
    json_object_set_new(line, "benchmarks", all_benchmarks(merge));
    for (size_t i = 1; i < merge->context_count; i++)
        json_array_append(others, merge->contexts[i].document);
    if (json_array_size(others) > 0)
        json_object_set(line, "contexts", others);
    json_decref(others);
    return line;
}

/* STATUS_USAGE if the file exists, even if it is empty. */
static enum status check_free(const char *path, struct error *error)
{
    struct stat info;
    if (lstat(path, &info) != 0 && errno == ENOENT)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%s exists already, and results are not overwritten", path);
    error_hint(error, "choose another file with -o, or remove this one and its traces");
    return STATUS_USAGE;
}

/* A point's line; if it has a trace, the line names the copy. */
static enum status write_point(struct results_merge *merge, const struct merged_point *place,
                               const struct copies *copies, struct file_writer *file, struct buffer *text,
                               struct error *error)
{
    enum status status = spool_read(&merge->lines, place->start, place->size, text, error);
    json_t *point = status == STATUS_OK && place->traced ? fetch(merge, place, text, error) : NULL;
    if (status == STATUS_OK && place->traced && point == NULL)
        return STATUS_FAILED;
    if (point != NULL) {
        status = copy_trace(merge, point, merge->files[place->file], copies, error);
        text->size = 0;
        json_write(text, point, 0);
    }
    if (status == STATUS_OK)
        file_writer_put(file, text->data, text->size);
    json_decref(point);
    return status;
}

static enum status write_lines(struct results_merge *merge, const struct copies *copies,
                               struct file_writer *file, struct error *error)
{
    struct buffer text = {0};
    struct turn_place *order = order_of(merge);
    enum status status = STATUS_OK;
    json_t *line = first_line(merge);
    json_write(&text, line, 0);
    json_decref(line);
    file_writer_put(file, text.data, text.size);
    for (size_t i = 0; status == STATUS_OK && i < merge->count; i++)
        status = write_point(merge, &merge->points[order[i].index], copies, file, &text, error);
    free(order);
    buffer_free(&text);
    return status;
}

enum status results_merge_write(struct results_merge *merge, const char *path, struct error *error)
{
    struct file_writer file;
    struct copies copies;
    bool traced = false;
    for (size_t i = 0; i < merge->count; i++)
        traced = traced || merge->points[i].traced;
    enum status status = check_free(path, error);
    if (status == STATUS_OK)
        status = copies_begin(&copies, path, traced, error);
    if (status != STATUS_OK)
        return status;
    status = file_writer_begin(path, true, &file, error);
    if (status == STATUS_OK) {
        status = write_lines(merge, &copies, &file, error);
        bool copied = status == STATUS_OK && has_copies(&copies);
        if (copied && !copies_put(&copies, false))
            status = error_set(error, STATUS_FAILED, "cannot put %s beside %s: %s", copies.folder, path,
                               strerror(errno));
        bool keep = status == STATUS_OK;
        enum status ended = file_writer_end(&file, keep, keep ? error : NULL);
        if (keep && ended != STATUS_OK && copied)
            (void)copies_put(&copies, true);
        status = keep ? ended : status;
    }
    copies_end(&copies);
    return status;
}

void results_merge_free(struct results_merge *merge)
{
    for (size_t i = 0; i < merge->context_count; i++)
        results_context_free(&merge->contexts[i]);
    free(merge->contexts);
    free(merge->counts);
    text_set_free(&merge->places);
    free(merge->place_of);
    arena_free(&merge->arena);
    free(merge->points);
    warnings_free(&merge->twice);
    warnings_free(&merge->traceless);
    spool_free(&merge->lines);
    *merge = (struct results_merge){0};
}
