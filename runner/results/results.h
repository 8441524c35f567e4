/* results.jsonl: one JSON object a line, a context and then the points, appended and flushed whole, so that a
 * killed run loses at most the point in flight and a later one goes on from there (DESIGN.md section 7).
 *
 * A point is known by its benchmark, its name and its program's hash: a later line of the same three replaces
 * the earlier, and a changed program is a point of its own. results.schema.json says what a line holds. */
#ifndef RUNNER_RESULTS_RESULTS_H
#define RUNNER_RESULTS_RESULTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RESULTS_SCHEMA = 1 };

/* What a results file holds, all of it in memory. */
struct results {
    json_t *context; /* the first line's object */
    json_t *points;  /* array of the points' objects in the order in which they first appeared */
    bool cut;        /* the last line was incomplete, as a kill leaves it, and is not among the points */
};

/* Where a point's line stands. */
struct results_place {
    off_t at;
    uint32_t size;
};

/* A file whose points are read one by one, as often as is asked: of each there is only its place, so that a
 * file of many points takes no more memory than one of few. */
struct results_reader {
    int fd;
    char path[FILE_PATH_BYTES];
    json_t *context; /* as in struct results */
    bool cut;
    size_t count; /* of points, in the order in which they first appeared */
    struct results_place *places;
    off_t whole;        /* bytes of whole lines */
    struct buffer line; /* the latest that was read, */
    struct buffer part; /* and what was wanted of it */
};

enum { RESULTS_LINE_MOST = 64 << 20 }; /* bytes of a line */
#define RESULTS_FILE_MOST ((off_t)16 << 30)

/* Looks through the whole file, so that a malformed line is found before a point is read; errors as those of
 * results_read. The caller closes it with results_reader_close in every case. */
enum status results_open(const char *path, struct results_reader *reader, struct error *error);

/* The point; of keys, NULL-terminated, only those members are wanted, and mostly no others are there: NULL:
 * all. New reference; NULL, with STATUS_USAGE in *error, when the file is no longer what it was. */
json_t *results_point(struct results_reader *reader, size_t index, const char *const *keys,
                      struct error *error);

void results_reader_close(struct results_reader *reader);

/* Reads a whole file. STATUS_USAGE when it cannot be read, is no results file, or has a malformed line that
 * is not the last (the error names file and line). The caller frees *results with results_free in every case.
 */
enum status results_read(const char *path, struct results *results, struct error *error);

/* True for a file that begins as results do, whatever its name. */
bool results_is_one(const char *path);

void results_free(struct results *results);

/* Appends what a point is known by. */
void results_key(const json_t *point, struct buffer *key);

/* True for a point that did not run, or did so only in part: it is worth another try. */
bool results_point_failed(const json_t *point);

/* The context in which the point was measured. A file that trauma merge made has those of the other files as
 * a list, "contexts", in its first line, and its points count in it from 1 on as their "context"; a point
 * without is of the first line's own. NULL when the first line has no such context. */
const json_t *results_context(const json_t *first, const json_t *point);

/* A results file open for appending, locked against a second run. */
struct results_file {
    int fd;
    char path[FILE_PATH_BYTES];
    bool created;     /* it was not there before */
    off_t size;       /* bytes of whole lines */
    json_t *context;  /* the file's context line */
    json_t *finished; /* object whose keys are the points that are in the file and did not fail */
};

/* Starts a file with the context line; "schema" and "kind" are added when the context lacks them.
 * STATUS_USAGE when the file is there and not empty, or another run writes it; STATUS_FAILED when it cannot
 * be written. On success the caller ends with results_close; on failure *file holds nothing. */
enum status results_create(struct results_file *file, const char *path, const json_t *context,
                           struct error *error);

/* Opens a file to go on with it: cuts off an incomplete last line and reads which points are finished. A
 * missing or empty file is started with the context, as by results_create; otherwise the file keeps its own,
 * which is in file->context for the caller to compare. A file that is no results file is refused and left as
 * it is. */
enum status results_resume(struct results_file *file, const char *path, const json_t *context,
                           struct error *error);

/* True when the file has this point and it did not fail: a failed point is worth another try. */
bool results_finished(const struct results_file *file, const char *benchmark, const char *name,
                      const char *program_hash);

/* Appends a point as one line, and flushes it to the disk; "kind" is added when the point lacks
 * it. STATUS_FAILED when it does not fit whole: then the file is as it was before. */
enum status results_append(struct results_file *file, const json_t *point, struct error *error);

/* Closes the file and frees what it owns. */
void results_close(struct results_file *file);

#endif
