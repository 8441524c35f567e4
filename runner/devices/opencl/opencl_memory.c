#include "runner/devices/opencl/opencl_memory.h"

#include "runner/devices/data_pieces.h"
#include "runner/devices/opencl/opencl_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* cl_mem_flags, cl_buffer_create_type. */
enum { READ_WRITE = 1, REGION = 0x1220, LARGEST = 0x1010 };

/* The alignment of parts of memory that suits every platform; programs' data is never smaller. */
enum { LEAST_BYTES = 4096 };

static const char address_text[] =
    "__kernel void trauma_address(__global uchar *data, __global ulong *answer)\n"
    "{\n"
    "    answer[0] = (ulong)data;\n"
    "}\n";

enum status opencl_memory_take(const struct opencl_session *session, size_t bytes, const char *what,
                               opencl_memory *memory, struct error *error)
{
    int result = OPENCL_OK;
    uint64_t most = 0;
    (void)session->library.device_info(session->place.device, LARGEST, sizeof most, &most, NULL);
    if (most > 0 && bytes > most) {
        error_set(error, STATUS_UNAVAILABLE, "%s needs %zu bytes; the device allows %" PRIu64 " in one piece",
                  what, bytes, most);
        error_hint(error, "use less data%s",
                   session->place.amd ? ", or allow more: GPU_MAX_ALLOC_PERCENT=100" : "");
        return STATUS_UNAVAILABLE;
    }
    *memory = session->library.allocate(session->context, READ_WRITE, bytes, NULL, &result);
    return *memory == NULL ? opencl_refusal(result, what, error) : STATUS_OK;
}

/* Asks a kernel of one thread. */
static enum status find_address(const struct opencl_session *session, opencl_kernel kernel,
                                opencl_memory memory, opencl_memory answer, uint64_t *address,
                                struct error *error)
{
    const struct opencl_library *library = &session->library;
    double seconds;
    int result = library->argument(kernel, 0, sizeof memory, &memory);
    if (result == OPENCL_OK)
        result = library->argument(kernel, 1, sizeof answer, &answer);
    if (result != OPENCL_OK)
        return opencl_refusal(result, "asking for the data's address", error);
    enum status status = opencl_session_run(session, kernel, 1, 1, &seconds, error);
    if (status != STATUS_OK)
        return status;
    result = library->copy_out(session->queue, answer, 1, 0, sizeof *address, address, 0, NULL, NULL);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "asking for the data's address", error);
}

/* The part of the memory that begins at the required alignment. */
static enum status align(const struct opencl_session *session, opencl_kernel kernel, opencl_memory whole,
                         opencl_memory answer, const struct gpu_image *image, size_t bytes,
                         struct opencl_data *loaded, struct error *error)
{
    uint64_t address = 0;
    int result = OPENCL_OK;
    enum status status = find_address(session, kernel, whole, answer, &address, error);
    if (status != STATUS_OK)
        return status;
    const size_t region[2] = {(size_t)(-address & (image->align - 1)), bytes};
    loaded->memory = session->library.part(whole, READ_WRITE, REGION, region, &result);
    if (loaded->memory == NULL)
        return opencl_refusal(result, "aligning the program's data", error);
    status = find_address(session, kernel, loaded->memory, answer, &loaded->address, error);
    if (status == STATUS_OK && loaded->address != address + region[0])
        return error_set(error, STATUS_UNAVAILABLE,
                         "the device moves memory: data is at 0x%" PRIx64 ", expected at 0x%" PRIx64,
                         loaded->address, address + region[0]);
    return status;
}

static enum status clear(const struct opencl_data *loaded, size_t bytes, struct error *error)
{
    const struct opencl_library *library = &loaded->session->library;
    const uint64_t zero = 0;
    int result =
        library->fill(loaded->session->queue, loaded->memory, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    if (result == OPENCL_OK)
        result = library->finish(loaded->session->queue);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "clearing the device's memory", error);
}

static enum status take(void *context, const struct gpu_image *image, uint64_t *address, struct error *error)
{
    struct opencl_data *loaded = context;
    const struct opencl_session *session = loaded->session;
    size_t bytes = (image->bytes + LEAST_BYTES - 1) / LEAST_BYTES * LEAST_BYTES + LEAST_BYTES;
    opencl_kernel kernel = NULL;
    opencl_memory whole = NULL;
    opencl_memory answer = NULL;
    enum status status =
        opencl_memory_take(session, bytes + image->align, "the program's data", &whole, error);
    if (status == STATUS_OK)
        status = opencl_memory_take(session, LEAST_BYTES, "an address", &answer, error);
    if (status == STATUS_OK)
        status = opencl_build_kernel(session, address_text, "trauma_address", &kernel, error);
    if (status == STATUS_OK)
        status = align(session, kernel, whole, answer, image, bytes, loaded, error);
    if (status == STATUS_OK)
        status = clear(loaded, bytes, error);
    *address = loaded->address;
    return status;
}

static enum status write_piece(void *context, uint64_t offset, const void *bytes, size_t size,
                               struct error *error)
{
    const struct opencl_data *loaded = context;
    int result = loaded->session->library.copy_in(loaded->session->queue, loaded->memory, 1, offset, size,
                                                  bytes, 0, NULL, NULL);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "filling the device's memory", error);
}

enum status opencl_data_load(const struct opencl_session *session, const json_t *data,
                             struct opencl_data *loaded, struct error *error)
{
    const struct data_pieces_memory memory = {.take = take, .write = write_piece, .context = loaded};
    *loaded = (struct opencl_data){.session = session};
    return data_pieces_load(data, &memory, error);
}
