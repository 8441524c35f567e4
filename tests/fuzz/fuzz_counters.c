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
    enum status status = counter_trace_open(path, false, 0, &trace, &error);
    for (int i = 0; fuzz_accepted(status, &error) && i < MOST_STEPS; i++) {
        json_t *step;
        status = counter_trace_next(&trace, &step, &error);
        if (status == STATUS_OK && step == NULL)
            break;
        json_decref(step);
    }
    counter_trace_close(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL, "a=accesses.L1,b=seconds"};
    char path[FUZZ_PATH_BYTES];
    int fd = fuzz_file(data, size, path);
    json_t *document = json_object();
    for (size_t i = 0; i < 2; i++) {
        struct error error = {0};
        struct model_settings settings = {.count = 0};
        json_t *told = json_object();
        json_t *counters = json_object();
        struct warnings warnings = {0};
        const struct application_file file = {path, columns[i], &model_incremental, "", document, told};
        fuzz_accepted(application_counters_read(&file, &settings, counters, &warnings, &error), &error);
        json_decref(told);
        json_decref(counters);
        warnings_free(&warnings);
    }
    if (applications_is(path)) {
        const char *const paths[] = {path};
        const struct application_request request = {paths, 1, NULL, false, &model_incremental, document};
        struct model_settings settings = {.count = 0};
        struct error error = {0};
        struct warnings warnings = {0};
        json_t *list = NULL;
        fuzz_accepted(applications_read(&request, &settings, &list, &warnings, &error), &error);
        json_decref(list);
        warnings_free(&warnings);
    }
    if (counter_trace_is(path))
        follow(path);
    json_decref(document);
    close(fd);
    return 0;
}
