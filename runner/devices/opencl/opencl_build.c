#include "runner/devices/opencl/opencl_build.h"

#include "base/memory.h"
#include "runner/devices/compiler_message.h"

#include <stdlib.h>
#include <string.h>

/* cl_program_build_info, cl_program_info. */
enum { BUILD_LOG = 0x1183, BINARY_SIZES = 0x1165, BINARIES = 0x1166 };
enum { MOST_BYTES = 1 << 28 };

/* Appends the build log and a terminating NUL. */
static void read_log(const struct opencl_session *session, opencl_program program, struct buffer *log)
{
    const struct opencl_library *library = &session->library;
    size_t size = 0;
    int result = library->build_info(program, session->place.device, BUILD_LOG, 0, NULL, &size);
    char *text = result == OPENCL_OK && size < MOST_BYTES ? calloc(size + 1, 1) : NULL;
    if (text == NULL)
        return;
    if (library->build_info(program, session->place.device, BUILD_LOG, size, text, NULL) == OPENCL_OK)
        buffer_append(log, text, strlen(text));
    free(text);
}

static int build(const struct opencl_session *session, opencl_program program, const char *options,
                 struct buffer *log)
{
    int result = session->library.build(program, 1, &session->place.device, options, NULL, NULL);
    read_log(session, program, log);
    buffer_append(log, "", 1);
    log->size--;
    return result;
}

enum status opencl_build_text(const struct opencl_session *session, const void *text, size_t size,
                              const char *options, const char *file, opencl_program *program,
                              struct buffer *log, struct error *error)
{
    struct buffer said = {0};
    const char *texts = text;
    int result;
    *program = session->library.program_of_source(session->context, 1, &texts, &size, &result);
    if (*program == NULL)
        return opencl_refusal(result, file, error);
    result = build(session, *program, options, &said);
    enum status status = STATUS_OK;
    if (result == OPENCL_BUILD_FAILED || (result != OPENCL_OK && compiler_message_line(said.data) > 0)) {
        compiler_message_to_error(said.data, file, error);
        status = STATUS_FAILED;
    } else if (result != OPENCL_OK) {
        status = opencl_refusal(result, file, error);
    }
    if (log != NULL)
        buffer_append(log, said.data, said.size);
    buffer_free(&said);
    return status;
}

enum status opencl_build_binary(const struct opencl_session *session, const void *bytes, size_t size,
                                const char *file, opencl_program *program, struct error *error)
{
    const unsigned char *binary = bytes;
    struct buffer log = {0};
    int of_device = OPENCL_OK;
    int result;
    *program = session->library.program_of_binary(session->context, 1, &session->place.device, &size, &binary,
                                                  &of_device, &result);
    if (*program == NULL)
        return opencl_refusal(of_device != OPENCL_OK ? of_device : result, file, error);
    result = build(session, *program, "", &log);
    enum status status = result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, file, error);
    if (result == OPENCL_BUILD_FAILED) {
        error_set(error, STATUS_UNAVAILABLE, "%s: the device rejects the binary: %.400s", file,
                  log.size > 0 ? log.data : "it gives no reason");
        status = STATUS_UNAVAILABLE;
    }
    buffer_free(&log);
    return status;
}

enum status opencl_build_take(const struct opencl_session *session, opencl_program program,
                              struct buffer *binary, struct error *error)
{
    size_t size = 0;
    int result = session->library.program_info(program, BINARY_SIZES, sizeof size, &size, NULL);
    if (result == OPENCL_OK && (size == 0 || size > MOST_BYTES))
        return error_set(error, STATUS_UNAVAILABLE, "the platform returns no binary of the compiled program");
    unsigned char *bytes = memory_zeroed(size + 1, 1);
    if (result == OPENCL_OK)
        result = session->library.program_info(program, BINARIES, sizeof bytes, &bytes, NULL);
    if (result == OPENCL_OK)
        buffer_append(binary, bytes, size);
    free(bytes);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "the compiled program's binary", error);
}

enum status opencl_build_kernel(const struct opencl_session *session, const char *text, const char *name,
                                opencl_kernel *kernel, struct error *error)
{
    opencl_program program;
    int result;
    enum status status = opencl_build_text(session, text, strlen(text), "", name, &program, NULL, error);
    if (status != STATUS_OK)
        return status;
    *kernel = session->library.kernel(program, name, &result);
    return *kernel == NULL ? opencl_refusal(result, name, error) : STATUS_OK;
}
