/* Programs of an OpenCL device, from text or from binaries. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_BUILD_H
#define RUNNER_DEVICES_OPENCL_OPENCL_BUILD_H

#include "base/buffer.h"
#include "runner/devices/opencl/opencl_session.h"

/* Compiles text with the options. file: the file name for errors in the text. log, if not NULL: receives the
 * compiler's messages. STATUS_FAILED with the faulty line. */
enum status opencl_build_text(const struct opencl_session *session, const void *text, size_t size,
                              const char *options, const char *file, opencl_program *program,
                              struct buffer *log, struct error *error);

/* Loads a binary of the device's kind. STATUS_UNAVAILABLE when the device rejects it. */
enum status opencl_build_binary(const struct opencl_session *session, const void *bytes, size_t size,
                                const char *file, opencl_program *program, struct error *error);

/* Appends the program's binary. */
enum status opencl_build_take(const struct opencl_session *session, opencl_program program,
                              struct buffer *binary, struct error *error);

/* Makes a kernel from one of our own texts. */
enum status opencl_build_kernel(const struct opencl_session *session, const char *text, const char *name,
                                opencl_kernel *kernel, struct error *error);

#endif
