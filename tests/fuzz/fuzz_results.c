/* results.jsonl: read, resumed, exported, merged with itself and told as a page. */
#include "base/file.h"
#include "report/figure/figure_build.h"
#include "report/page/page_data.h"
#include "runner/results/results.h"
#include "runner/results/results_merge.h"
#include "session/point_values.h"
#include "tests/fuzz/fuzz.h"
#include "tests/recorded_findings.h"
#include "tests/report/points_of.h"
#include "tests/whole_results.h"

#include <math.h>
#include <string.h>

static void look(const struct point_value *value, void *context)
{
    (void)context;
    FUZZ_REQUIRE(value->metric != NULL && value->source != NULL && value->unit != NULL);
    FUZZ_REQUIRE(!value->seen || !isnan(value->value));
}

/* What was written is read again, and no point is lost. */
static void merge(const char *path, const char *folder)
{
    char merged[FILE_PATH_BYTES];
    struct error error = {0};
    struct results_reader reader;
    struct results_merge both = {0};
    struct results again;
    file_join(merged, folder, "merged.jsonl");
    enum status status = results_open(path, &reader, &error);
    if (status == STATUS_OK)
        status = results_merge_add(&both, &reader, &error);
    if (status == STATUS_OK)
        status = results_merge_write(&both, merged, &error);
    if (fuzz_accepted(status, &error)) {
        FUZZ_REQUIRE(results_read(merged, &again, &error) == STATUS_OK);
        FUZZ_REQUIRE(json_array_size(again.points) == both.count);
        results_free(&again);
        file_remove_tree(merged, NULL);
    }
    results_merge_free(&both);
    results_reader_close(&reader);
}

static void show(const struct results *results, const char *folder)
{
    struct results_context context;
    results_context_read(results->context, &context);
    struct figure_points drawn = points_of(&context, results->points);
    const struct figure_results shown = {&context, &drawn, "/nowhere"};
    struct figure figure = {0};
    figure_build(&figure, &shown, NULL);
    figure_points_free(&drawn);
    struct page page = {.context = &context,
                        .results = "results.jsonl",
                        .link = "../results.jsonl",
                        .folder = folder,
                        .figure = &figure,
                        .no_pictures = "this is a test"};
    for (size_t i = 0; i < json_array_size(results->points); i++) {
        struct result_point read;
        result_point_read(json_array_get(results->points, i), &read);
        page_add_point(&page, &read);
        result_point_free(&read);
    }
    page_write(&page);
    FUZZ_REQUIRE(strstr(page.text.data, "</html>") != NULL);
    struct buffer junit = {0};
    recorded_junit(&context, results->points, &junit);
    FUZZ_REQUIRE(strstr(junit.data, "</testsuites>") != NULL);
    buffer_free(&junit);
    page_free(&page);
    figure_free(&figure);
    results_context_free(&context);
}

static void resume(const char *path)
{
    struct results_file file;
    struct error error = {0};
    json_t *context = fuzz_constant("{\"seed\":1}");
    if (fuzz_accepted(results_resume(&file, path, context, &error), &error)) {
        struct results again;
        results_close(&file);
        FUZZ_REQUIRE(results_read(path, &again, &error) == STATUS_OK && !again.cut);
        results_free(&again);
    }
    json_decref(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[FUZZ_PATH_BYTES];
    char path[FUZZ_PATH_BYTES];
    struct results results;
    struct error error = {0};
    int fd = fuzz_file(data, size, path);
    if (folder[0] == '\0')
        fuzz_make_folder(folder);
    enum status status = results_read(path, &results, &error);
    if (fuzz_accepted(status, &error)) {
        struct results_context context;
        results_context_read(results.context, &context);
        for (size_t i = 0; i < json_array_size(results.points); i++) {
            const json_t *point = json_array_get(results.points, i);
            struct result_point read;
            result_point_read(point, &read);
            point_values(&read, i % 2 == 0, look, NULL);
            FUZZ_REQUIRE(results_context_of(&context, (size_t)read.context) != NULL);
            result_point_free(&read);
        }
        results_context_free(&context);
        merge(path, folder);
        show(&results, folder);
    }
    results_free(&results);
    resume(path);
    close(fd);
    return 0;
}
