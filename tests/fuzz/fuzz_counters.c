/* An application's counters as trauma predict takes them: JSON, lines, tables, another tool's file, or a
 * trace. */
#include "session/predict/application_counters.h"
#include "session/predict/applications.h"
#include "session/predict/counter_trace.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_STEPS = 1000 };

static void follow(const char *path)
{
    struct counter_trace trace;
    struct error error = {0};
    const struct counter_trace_request request = {.path = path, .perf = {.path = path}};
    enum status status = counter_trace_open(&request, &trace, &error);
    for (int i = 0; fuzz_accepted(status, &error) && i < MOST_STEPS; i++) {
        struct named_numbers step;
        status = counter_trace_next(&trace, &step, &error);
        if (status == STATUS_OK && step.count == 0)
            break;
    }
    counter_trace_close(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL, "a=accesses.L1,b=seconds"};
    char path[FUZZ_PATH_BYTES];
    int fd = fuzz_file(data, size, path);
    const struct model_result fitted = {0};
    struct arena arena = {0};
    for (size_t i = 0; i < 2; i++) {
        struct error error = {0};
        struct model_settings settings = {.count = 0};
        struct file_numbers stated = {0};
        struct named_numbers counters = {0};
        struct sentences warnings = {0};
        const struct application_file file = {path,    columns[i], &model_incremental, "", &fitted,
                                              &stated, &arena};
        fuzz_accepted(application_counters_read(&file, &settings, &counters, &warnings, &error), &error);
    }
    if (applications_is(path)) {
        const char *const paths[] = {path};
        const struct application_request request = {paths, 1, NULL, false, &model_incremental, &fitted};
        struct model_settings settings = {.count = 0};
        struct error error = {0};
        struct sentences warnings = {0};
        struct applications list = {.arena = &arena};
        fuzz_accepted(applications_read(&request, &settings, &list, &warnings, &error), &error);
    }
    if (counter_trace_is(path) || counter_trace_is_counted(path))
        follow(path);
    arena_free(&arena);
    close(fd);
    return 0;
}
