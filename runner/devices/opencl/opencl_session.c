#include "runner/devices/opencl/opencl_session.h"

/* cl_context_properties, cl_command_queue_properties, cl_profiling_info, cl_event_info. */
enum { CONTEXT_PLATFORM = 0x1084, QUEUE_PROFILING = 2, BEGIN = 0x1282, END = 0x1283, STATE = 0x11D3 };

enum status opencl_session_open(struct opencl_session *session, unsigned ordinal, json_t **description,
                                struct error *error)
{
    struct opencl_place places[OPENCL_MOST_DEVICES];
    size_t count = 0;
    int result;
    enum status status = opencl_library_open(&session->library, error);
    if (status == STATUS_OK)
        status = opencl_places(&session->library, places, &count, error);
    if (status != STATUS_OK)
        return status;
    if (ordinal >= count)
        return error_set(error, STATUS_UNAVAILABLE, "there is no OpenCL device %u; the machine has %zu",
                         ordinal, count);
    session->place = places[ordinal];
    *description = opencl_device_describe(&session->library, &session->place, ordinal);
    const intptr_t properties[] = {CONTEXT_PLATFORM, (intptr_t)session->place.platform, 0};
    session->context = session->library.context(properties, 1, &session->place.device, NULL, NULL, &result);
    if (session->context == NULL)
        return opencl_refusal(result, "taking the device", error);
    session->queue =
        session->library.queue(session->context, session->place.device, QUEUE_PROFILING, &result);
    return session->queue == NULL ? opencl_refusal(result, "the device's queue", error) : STATUS_OK;
}

/* A kernel that ended with an error has a negative state. */
static int read_event(const struct opencl_library *library, opencl_event event, double *seconds)
{
    uint64_t begin = 0;
    uint64_t end = 0;
    int32_t state = 0;
    int result = library->event_info(event, STATE, sizeof state, &state, NULL);
    if (result == OPENCL_OK && state < 0)
        result = state;
    if (result == OPENCL_OK)
        result = library->event_time(event, BEGIN, sizeof begin, &begin, NULL);
    if (result == OPENCL_OK)
        result = library->event_time(event, END, sizeof end, &end, NULL);
    *seconds = end > begin ? (double)(end - begin) * 1e-9 : 0;
    return result;
}

enum status opencl_session_run(const struct opencl_session *session, opencl_kernel kernel, size_t threads,
                               size_t block, double *seconds, struct error *error)
{
    const struct opencl_library *library = &session->library;
    opencl_event event = NULL;
    int result = library->launch(session->queue, kernel, 1, NULL, &threads, &block, 0, NULL, &event);
    if (result == OPENCL_OK)
        result = library->finish(session->queue);
    if (result == OPENCL_OK)
        result = read_event(library, event, seconds);
    if (event != NULL)
        (void)library->release_event(event);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "running the kernel", error);
}
