/* Where the traces of a results file's points lie: "results.jsonl" has them in the folder "results.traces",
 * and its points name them relative to the file's own folder, so that both can be moved together. */
#ifndef RUNNER_TRACES_H
#define RUNNER_TRACES_H

#include "base/error.h"
#include "base/file.h"

/* The relative name of a point's trace: "results.traces/BENCHMARK/POINT.csv". mark, "" for none, is put
 * before the ".csv" to tell two programs of one point apart. STATUS_FAILED when it is too long. */
enum status traces_name(const char *results, const char *benchmark, const char *point, const char *mark,
                        char relative[FILE_PATH_BYTES], struct error *error);

/* The path of a relative name beside the results. STATUS_USAGE when it leads out of the results' folder,
 * STATUS_FAILED when it is too long. */
enum status traces_path(const char *results, const char *relative, char path[FILE_PATH_BYTES],
                        struct error *error);

#endif
