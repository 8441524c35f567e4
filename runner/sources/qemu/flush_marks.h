/* QEMU executes the flush of a line as nothing, and shows no address of it. For a simulation, loads with a
 * mark stand for the flushes of a program (sim/qemu/access_code.h): as long, of the same address, and without
 * another effect. */
#ifndef RUNNER_SOURCES_QEMU_FLUSH_MARKS_H
#define RUNNER_SOURCES_QEMU_FLUSH_MARKS_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/isa.h"

#include <stddef.h>

/* Changes the executable's copy: where its object has flushes and the executable has the same bytes, it gets
 * marked loads. STATUS_FAILED if one of them cannot be read. */
enum status flush_marks_set(const struct isa *isa, const void *object, size_t object_size,
                            struct buffer *executable, struct error *error);

#endif
