#include "runner/devices/cupti/cupti_session.h"

#include <math.h>
#include <stdio.h>

enum { PASSES_MOST = 64 };

/* ---- preparing ---- */

static enum status initialize(struct cupti_session *session, unsigned device, struct error *error)
{
    const struct cupti_library *library = session->library;
    struct cupti_plain plain = {.size = CUPTI_SIZE(struct cupti_plain, reserved)};
    struct cupti_chip_name name = {.size = CUPTI_SIZE(struct cupti_chip_name, name), .device = device};
    int result = library->initialize(&plain);
    session->initialized = result == CUPTI_OK;
    if (result == CUPTI_OK)
        result = library->chip_name(&name);
    if (result == CUPTI_OK && name.name != NULL)
        snprintf(session->chip, sizeof session->chip, "%s", name.name);
    return cupti_refusal(library, result, "the profiler", error);
}

/* The counters that the device makes available to this user. This query may be denied although the counters
 * are not. */
static void ask_availability(struct cupti_session *session, void *context)
{
    struct cupti_availability ask = {.size = CUPTI_SIZE(struct cupti_availability, image),
                                     .context = context};
    if (session->library->availability(&ask) != CUPTI_OK || ask.image_size == 0)
        return;
    buffer_fill(&session->availability, '\0', ask.image_size);
    ask.image = (uint8_t *)session->availability.data;
    if (session->library->availability(&ask) != CUPTI_OK)
        buffer_free(&session->availability);
}

static enum status make_data(struct cupti_session *session, struct error *error)
{
    struct cupti_data_size size = {.size = CUPTI_SIZE(struct cupti_data_size, bytes),
                                   .profiler = session->profiler,
                                   .names = session->host.names,
                                   .count = session->host.count,
                                   .most_ranges = 1,
                                   .most_nodes = 1};
    enum status status = cupti_refusal(session->library, session->library->data_size(&size),
                                       "sizing the counters' data", error);
    if (status == STATUS_OK)
        buffer_fill(&session->data, '\0', size.bytes);
    return status;
}

static enum status enable(struct cupti_session *session, struct error *error)
{
    const struct cupti_library *library = session->library;
    struct cupti_enable enable = {.size = CUPTI_SIZE(struct cupti_enable, profiler),
                                  .context = session->context};
    enum status status = cupti_refusal(library, library->enable(&enable), "the GPU's counters", error);
    session->profiler = status == STATUS_OK ? enable.profiler : NULL;
    return status == STATUS_OK ? make_data(session, error) : status;
}

static void disable(struct cupti_session *session)
{
    struct cupti_object object = {.size = CUPTI_SIZE(struct cupti_object, profiler),
                                  .profiler = session->profiler};
    if (session->profiler != NULL)
        (void)session->library->disable(&object); /* it is released when its process ends */
    session->profiler = NULL;
    buffer_free(&session->data);
}

enum status cupti_session_open(const struct cupti_library *library, unsigned device, void *context,
                               const char **names, size_t count, struct cupti_session *session,
                               struct error *error)
{
    *session = (struct cupti_session){.library = library, .host = {.library = library}};
    enum status status = initialize(session, device, error);
    if (status != STATUS_OK)
        return status;
    ask_availability(session, context);
    status = cupti_host_open(library, session->chip, (const uint8_t *)session->availability.data, names,
                             count, &session->host, error);
    if (status != STATUS_OK)
        return status;
    session->context = context;
    return enable(session, error);
}

/* ---- counting ---- */

static int try_configure(struct cupti_session *session)
{
    const struct cupti_library *library = session->library;
    uint8_t *data = (uint8_t *)session->data.data;
    struct cupti_data_begin begin = {.size = CUPTI_SIZE(struct cupti_data_begin, data),
                                     .profiler = session->profiler,
                                     .bytes = session->data.size,
                                     .data = data};
    struct cupti_set_config config = {.size = CUPTI_SIZE(struct cupti_set_config, target_nesting),
                                      .profiler = session->profiler,
                                      .config_bytes = session->host.config.size,
                                      .config = (const uint8_t *)session->host.config.data,
                                      .data_bytes = session->data.size,
                                      .data = data,
                                      .range = CUPTI_USER_RANGE,
                                      .replay = CUPTI_USER_REPLAY,
                                      .most_ranges = 1,
                                      .nesting_levels = 1,
                                      .least_nesting = 1,
                                      .target_nesting = 1};
    int result = library->data_begin(&begin);
    if (result == CUPTI_OK)
        result = library->set_config(&config);
    return result;
}

/* The header does not say whether a profiler that has counted can be set up again; if it refuses, it is
 * enabled anew. */
static enum status configure(struct cupti_session *session, struct error *error)
{
    int result = try_configure(session);
    if (result != CUPTI_OK && session->counted) {
        disable(session);
        if (enable(session, error) != STATUS_OK)
            return error->code;
        result = try_configure(session);
    }
    return cupti_refusal(session->library, result, "setting the counters up", error);
}

/* One pass: *done when it was the last. */
static enum status make_pass(struct cupti_session *session, cupti_run *run, void *run_context, bool *done,
                             struct error *error)
{
    const struct cupti_library *library = session->library;
    struct cupti_object object = {.size = CUPTI_SIZE(struct cupti_object, profiler),
                                  .profiler = session->profiler};
    struct cupti_push push = {
        .size = CUPTI_SIZE(struct cupti_push, name), .profiler = session->profiler, .name = "loop"};
    struct cupti_stop stop = {.size = CUPTI_SIZE(struct cupti_stop, all_submitted),
                              .profiler = session->profiler};
    int result = library->start(&object);
    if (result == CUPTI_OK)
        result = library->push(&push);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, "starting the counters", error);
    enum status status = run(run_context, error);
    if (status != STATUS_OK)
        return status;
    result = library->pop(&object);
    if (result == CUPTI_OK)
        result = library->stop(&stop);
    *done = stop.all_submitted != 0;
    return cupti_refusal(library, result, "stopping the counters", error);
}

static enum status decode(struct cupti_session *session, double *values, struct error *error)
{
    const struct cupti_library *library = session->library;
    const uint8_t *data = (const uint8_t *)session->data.data;
    struct cupti_decode decode = {.size = CUPTI_SIZE(struct cupti_decode, dropped),
                                  .profiler = session->profiler};
    struct cupti_data_info info = {
        .size = CUPTI_SIZE(struct cupti_data_info, ranges), .data = data, .bytes = session->data.size};
    int result = library->decode(&decode);
    if (result == CUPTI_OK)
        result = library->data_info(&info);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, "decoding the counters", error);
    if (decode.dropped > 0 || info.ranges != 1)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the profiler has %zu ranges and dropped %zu; expected one", info.ranges,
                         decode.dropped);
    enum status status = cupti_host_evaluate(&session->host, data, session->data.size, 0, values, error);
    for (size_t i = 0; status == STATUS_OK && i < session->host.count; i++)
        if (!isfinite(values[i]) || values[i] < 0)
            status = error_set(error, STATUS_UNAVAILABLE, "the counter %s has the value %g",
                               session->host.names[i], values[i]);
    return status;
}

enum status cupti_session_count(struct cupti_session *session, cupti_run *run, void *run_context,
                                double *values, struct error *error)
{
    bool done = false;
    enum status status = configure(session, error);
    session->counted = true;
    for (unsigned i = 0; status == STATUS_OK && !done; i++) {
        if (i == PASSES_MOST)
            return error_set(error, STATUS_UNAVAILABLE,
                             "CUPTI is not done after %d of the %zu passes that it requested", PASSES_MOST,
                             session->host.passes);
        status = make_pass(session, run, run_context, &done, error);
    }
    return status == STATUS_OK ? decode(session, values, error) : status;
}

void cupti_session_close(struct cupti_session *session)
{
    const struct cupti_library *library = session->library;
    struct cupti_plain plain = {.size = CUPTI_SIZE(struct cupti_plain, reserved)};
    if (library == NULL)
        return;
    disable(session);
    cupti_host_close(&session->host);
    if (session->initialized)
        (void)library->deinitialize(&plain);
    buffer_free(&session->availability);
    *session = (struct cupti_session){.library = NULL};
}
