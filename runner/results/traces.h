/* The location of a results file's traces: those of "results.jsonl" are in the folder "results.traces".
 * Points name them relative to the file's folder, so that both can be moved together. */
#ifndef RUNNER_RESULTS_TRACES_H
#define RUNNER_RESULTS_TRACES_H

#include "base/error.h"
#include "base/file.h"

/* Opens the folder of the results file, which need not exist; -1 with *error filled. */
int traces_beside(const char *results, struct error *error);

/* Writes the name of the traces' folder: "results.traces" for number 1, "results-2.traces" for number 2.
 * Returns name. */
char *traces_folder(const char *results, int number, char name[FILE_PATH_BYTES]);

/* The parts of a trace's name that identify the point. */
struct trace_of {
    const char *benchmark, *point, *program_hash;
};

/* Writes a new trace in `folder`, a subfolder of the open folder `beside`, and sets its relative name:
 * "results.traces/BENCHMARK/POINT.csv". If that exists (from another program of the point, an earlier
 * attempt, or renamed results), the program's hash is added before the ".csv", and then a number. Missing
 * folders are created; a folder that is a link or another user's is refused. STATUS_FAILED if the trace
 * cannot be written. */
enum status traces_write(int beside, const char *folder, const struct trace_of *of, const struct buffer *text,
                         char relative[FILE_PATH_BYTES], struct error *error);

/* The path of a relative name beside the results. STATUS_USAGE when it leads outside the results' folder,
 * STATUS_FAILED when it is too long. */
enum status traces_path(const char *results, const char *relative, char path[FILE_PATH_BYTES],
                        struct error *error);

#endif
