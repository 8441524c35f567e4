/* Compares each access of a PTX program with the stream of the manifest whose region it is in. */
#ifndef RUNNER_SOURCES_WARP_WARP_STREAMS_H
#define RUNNER_SOURCES_WARP_WARP_STREAMS_H

#include "runner/sources/warp/warp_manifest.h"

struct warp_streams;

/* For one launch. Free with warp_streams_free. */
struct warp_streams *warp_streams_new(const struct warp_manifest *manifest);
void warp_streams_free(struct warp_streams *streams);

/* A warp_visitor, whose context is the struct warp_streams: false, with what was expected, at the first
 * access that is not the stream's next. */
bool warp_streams_visit(const struct warp_access *access, void *context, struct error *error);

/* After the launch: STATUS_FAILED if a warp did not make all accesses of its last pass, which is that one. */
enum status warp_streams_end(const struct warp_streams *streams, uint64_t passes, struct error *error);

#endif
