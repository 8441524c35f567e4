/* The location of a results file's traces: "results.jsonl" has them in the folder "results.traces", and its
 * points name them relative to the file's own folder, so that both can be moved together. */
#ifndef RUNNER_RESULTS_TRACES_H
#define RUNNER_RESULTS_TRACES_H

#include "base/error.h"
#include "base/file.h"

/* The relative name of a new trace of a point, and its path: "results.traces/BENCHMARK/POINT.csv". If that
 * exists (from another program of the point, an earlier attempt, or renamed results), the program's hash is
 * added before the ".csv", and then a number. STATUS_FAILED when it is too long. */
enum status traces_name(const char *results, const char *benchmark, const char *point,
                        const char *program_hash, char relative[FILE_PATH_BYTES], char path[FILE_PATH_BYTES],
                        struct error *error);

/* The path of a relative name beside the results. STATUS_USAGE when it leads outside the results' folder,
 * STATUS_FAILED when it is too long. */
enum status traces_path(const char *results, const char *relative, char path[FILE_PATH_BYTES],
                        struct error *error);

#endif
