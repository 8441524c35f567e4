/* results.jsonl: one JSON object per line, a context and then the points, appended and flushed whole, so that
 * a killed run loses at most the point in flight and a later run continues there (DESIGN.md section 7). A
 * point is identified by its benchmark, its name and its program's hash. A later line with the same three
 * replaces the earlier one; a changed program is a separate point; a refused point, which has no program, is
 * replaced by one that ran. results.schema.json describes the lines. */
#ifndef RUNNER_RESULTS_RESULTS_H
#define RUNNER_RESULTS_RESULTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/files/file_place.h"
#include "runner/results/results_context.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RESULTS_SCHEMA = 1 };

/* The position of a point's line. */
struct results_place {
    off_t at;
    uint32_t size;
    uint32_t benchmark, index; /* of its benchmark in the context, and of the point in its recipe */
};

/* A file whose points are read one at a time, any number of times. Only their positions are stored, so that
 * memory use does not grow with the points' data. */
struct results_reader {
    int fd;
    char path[FILE_PATH_BYTES];
    struct results_context context;
    bool cut;        /* the last line was incomplete, as after a kill, and was skipped */
    bool open_ended; /* the last line lacks only its newline */
    size_t count;    /* of points: in the recipes' order if every line states its "index" and the file is of
                        one run; else in order of first appearance */
    struct results_place *places;
    off_t whole;        /* bytes of complete lines */
    struct buffer line; /* the last one read */
};

enum { RESULTS_LINE_MOST = 64 << 20 }; /* bytes per line */
#define RESULTS_FILE_MOST ((off_t)16 << 30)

/* Scans the whole file, so that a malformed line is found before a point is read. STATUS_USAGE when the file
 * cannot be read, is not a results file, or has a malformed line other than the last (the error names file
 * and line). The caller closes it with results_reader_close in every case. */
enum status results_open(const char *path, struct results_reader *reader, struct error *error);

/* Reads the point. keys, NULL-terminated: only these members are needed, and most others are omitted; NULL:
 * all. New reference; NULL, with STATUS_USAGE in *error, when the file has changed. */
json_t *results_point(struct results_reader *reader, size_t index, const char *const *keys,
                      struct error *error);

void results_reader_close(struct results_reader *reader);

/* True for a file that begins like results, whatever its name. */
bool results_is_one(const char *path);

/* Appends the text that identifies the point. */
void results_key(const json_t *point, struct buffer *key);

/* True for a point that did not run, or only in part, so that it should be retried. */
bool results_point_failed(const json_t *point);

/* A results file open for appending, locked against a second run. */
struct results_file {
    int fd;
    struct file_place place;
    char path[FILE_PATH_BYTES];
    bool created;                   /* it did not exist before */
    off_t size;                     /* bytes of complete lines */
    struct results_context context; /* the file's own */
    json_t *finished; /* object whose keys are the points in the file that did not fail, or are refused */
    json_t *earlier;  /* likewise, of the points that did not fail and were in the file when it was opened,
                         with any program; NULL: a new file */
};

/* Starts a file with the context line; adds "schema" and "kind" if the context lacks them. STATUS_USAGE when
 * the file exists and is not empty, another run writes it, or its path is a link of another user's or to
 * nothing; STATUS_FAILED when it cannot be written. On success the caller ends with results_close; on failure
 * *file holds nothing. */
enum status results_create(struct results_file *file, const char *path, const json_t *context,
                           struct error *error);

/* Opens a file to continue it: cuts off an incomplete last line and reads which points are finished. A
 * missing or empty file is started with the context, as by results_create; otherwise the file keeps its own,
 * which is in file->context for comparison. A file that is not a results file is refused and left
 * unchanged. */
enum status results_resume(struct results_file *file, const char *path, const json_t *context,
                           struct error *error);

/* True when the file has this point, and the point did not fail or was refused. False: it should be run. */
bool results_finished(const struct results_file *file, const char *benchmark, const char *name,
                      const char *program_hash);

/* True if the file had this point, with any program, when it was opened; false in a new file. */
bool results_has_earlier(const struct results_file *file, const char *recipe, const char *benchmark,
                         const char *name, const char *target);

/* Appends a point as one line and flushes it to disk; adds "kind" if the point lacks it. STATUS_FAILED when
 * the whole line cannot be written; the file is then unchanged. */
enum status results_append(struct results_file *file, const json_t *point, struct error *error);

/* Closes the file and frees what it owns. */
void results_close(struct results_file *file);

#endif
