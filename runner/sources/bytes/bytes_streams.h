/* Compares the loads and stores of a SASS loop with those in the manifest. */
#ifndef RUNNER_SOURCES_BYTES_BYTES_STREAMS_H
#define RUNNER_SOURCES_BYTES_BYTES_STREAMS_H

#include "base/error.h"
#include "isa/sass/sass.h"

#include <jansson.h>

/* Compares a thread's accesses per pass by operation, space, cache operator and width with the manifest's
 * "streams". STATUS_FAILED with the first difference. */
enum status bytes_check_streams(const json_t *manifest, const struct sass *sass, const struct sass_loop *loop,
                                struct error *error);

#endif
