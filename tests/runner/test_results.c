/* results.jsonl survives a kill in mid-line, a full disk, a second run, and another program's file. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "tests/whole_results.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char folder[64];
    char path[FILE_PATH_BYTES];
    json_t *context;
    json_t *point;
    struct error error;
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    strcpy(place->folder, "/tmp/trauma-results-XXXXXX");
    if (mkdtemp(place->folder) == NULL) {
        free(place);
        return 1;
    }
    file_join(place->path, place->folder, "results.jsonl");
    place->context = json_pack("{s:i, s:s}", "seed", 1, "host", "here");
    place->point =
        json_pack("{s:s, s:s, s:s}", "benchmark", "dcache", "name", "hit=0.5", "program_hash", "abc");
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    file_remove_tree(place->folder, NULL);
    json_decref(place->context);
    json_decref(place->point);
    free(place);
    return 0;
}

static void put(const struct place *place, const char *text)
{
    assert_int_equal(file_write(place->path, text, strlen(text), false, NULL), STATUS_OK);
}

static void expect_text(const struct place *place, const char *expected)
{
    struct buffer text = {0};
    assert_int_equal(file_read(place->path, &text, NULL), STATUS_OK);
    assert_string_equal(text.size == 0 ? "" : text.data, expected);
    buffer_free(&text);
}

#define CONTEXT "{\"schema\":1,\"kind\":\"context\",\"seed\":1,\"host\":\"here\"}\n"
#define POINT "{\"kind\":\"point\",\"benchmark\":\"dcache\",\"name\":\"hit=0.5\",\"program_hash\":\"abc\"}\n"

static void writes_a_line_each(void **state)
{
    struct place *place = *state;
    struct results_file file;
    assert_int_equal(results_create(&file, place->path, place->context, &place->error), STATUS_OK);
    expect_text(place, CONTEXT);
    assert_int_equal(results_append(&file, place->point, &place->error), STATUS_OK);
    assert_true(results_finished(&file, "dcache", "hit=0.5", "abc"));
    assert_false(results_finished(&file, "dcache", "hit=0.5", "another"));
    results_close(&file);
    expect_text(place, CONTEXT POINT);
}

static void refuses_an_interval_whose_name_is_not_utf8(void **state)
{
    struct place *place = *state;
    struct results_file file;
    const struct result_step step = {.benchmark = "application", .name = "ls \xff"};
    assert_int_equal(results_create(&file, place->path, place->context, &place->error), STATUS_OK);
    assert_int_not_equal(result_step_append(&step, &file, &place->error), STATUS_OK);
    assert_non_null(strstr(place->error.message, "application"));
    results_close(&file);
    expect_text(place, CONTEXT);
}

static void does_not_overwrite(void **state)
{
    struct place *place = *state;
    put(place, CONTEXT POINT);
    struct results_file file;
    assert_int_equal(results_create(&file, place->path, place->context, &place->error), STATUS_USAGE);
    assert_non_null(strstr(place->error.hint, "--resume"));
    expect_text(place, CONTEXT POINT);
}

static void a_second_run_is_refused(void **state)
{
    struct place *place = *state;
    struct results_file first, second;
    assert_int_equal(results_create(&first, place->path, place->context, &place->error), STATUS_OK);
    assert_int_equal(results_resume(&second, place->path, place->context, &place->error), STATUS_USAGE);
    assert_non_null(strstr(place->error.message, "another trauma run is writing"));
    results_close(&first);
    assert_int_equal(results_resume(&second, place->path, place->context, &place->error), STATUS_OK);
    results_close(&second);
}

/* Every length that a kill can leave behind: the whole lines stay, the file goes on, nothing is doubled. */
static void resumes_after_a_kill_at_any_byte(void **state)
{
    struct place *place = *state;
    static const char whole[] = CONTEXT POINT;
    for (size_t size = 0; size < sizeof whole; size++) {
        char part[sizeof whole];
        snprintf(part, sizeof part, "%.*s", (int)size, whole);
        put(place, part);
        struct results_file file;
        assert_int_equal(results_resume(&file, place->path, place->context, &place->error), STATUS_OK);
        assert_string_equal(file.context.host, "here");
        bool finished = results_finished(&file, "dcache", "hit=0.5", "abc");
        assert_int_equal(finished, size >= sizeof whole - 2); /* but for its newline it is whole */
        if (!finished)
            assert_int_equal(results_append(&file, place->point, &place->error), STATUS_OK);
        results_close(&file);
        expect_text(place, whole);
    }
}

static void resumes_a_file_that_is_not_there(void **state)
{
    struct place *place = *state;
    struct results_file file;
    assert_int_equal(results_resume(&file, place->path, place->context, &place->error), STATUS_OK);
    results_close(&file);
    expect_text(place, CONTEXT);
}

static void keeps_the_context_of_the_file(void **state)
{
    struct place *place = *state;
    put(place, "{\"schema\":1,\"kind\":\"context\",\"seed\":7}\n");
    struct results_file file;
    assert_int_equal(results_resume(&file, place->path, place->context, &place->error), STATUS_OK);
    assert_int_equal(value_get(&file.context.members, "seed")->integer, 7);
    results_close(&file);
    expect_text(place, "{\"schema\":1,\"kind\":\"context\",\"seed\":7}\n");
}

static void leaves_other_files_as_they_are(void **state)
{
    struct place *place = *state;
    static const char *const others[] = {
        "hello",
        "hello\n",
        "benchmark { name = 'dcache' }\nand more",
        "{\"kind\":\"point\",\"benchmark\":\"a\",\"name\":\"b\"}\n",
        "{\"schema\":2,\"kind\":\"context\"}\n",
        CONTEXT "half a li\n" POINT "{\"kind\"",
        CONTEXT CONTEXT,
        CONTEXT "[1]\n",
        "\n" CONTEXT,
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        put(place, others[i]);
        struct results_file file;
        assert_int_equal(results_resume(&file, place->path, place->context, &place->error), STATUS_USAGE);
        assert_string_not_equal(place->error.message, "");
        expect_text(place, others[i]);
    }
    struct results_file file;
    assert_int_equal(results_create(&file, place->folder, place->context, &place->error), STATUS_FAILED);
    assert_int_equal(results_create(&file, "/dev/null", place->context, &place->error), STATUS_USAGE);
}

static void a_failed_point_is_tried_again(void **state)
{
    struct place *place = *state;
    json_t *failed = json_copy(place->point);
    json_object_set_new(failed, "error", json_string("ended by signal 4 (Illegal instruction)"));
    struct results_file file;
    assert_int_equal(results_create(&file, place->path, place->context, &place->error), STATUS_OK);
    assert_int_equal(results_append(&file, failed, &place->error), STATUS_OK);
    results_close(&file);
    json_decref(failed);

    assert_int_equal(results_resume(&file, place->path, place->context, &place->error), STATUS_OK);
    assert_false(results_finished(&file, "dcache", "hit=0.5", "abc"));
    assert_int_equal(results_append(&file, place->point, &place->error), STATUS_OK);
    results_close(&file);

    struct results results;
    assert_int_equal(results_read(place->path, &results, &place->error), STATUS_OK);
    assert_int_equal(json_array_size(results.points), 1);
    assert_null(json_object_get(json_array_get(results.points, 0), "error"));
    results_free(&results);
}

/* A limit on the file's size makes the write short, as a full disk does. */
static void a_short_write_leaves_whole_lines(void **state)
{
    struct place *place = *state;
    struct results_file file;
    assert_int_equal(results_create(&file, place->path, place->context, &place->error), STATUS_OK);
    struct rlimit before, little;
    getrlimit(RLIMIT_FSIZE, &before);
    little = before;
    little.rlim_cur = strlen(CONTEXT) + 10;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);
    enum status status = results_append(&file, place->point, &place->error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, STATUS_FAILED);
    assert_false(results_finished(&file, "dcache", "hit=0.5", "abc"));
    expect_text(place, CONTEXT);
    assert_int_equal(results_append(&file, place->point, &place->error), STATUS_OK);
    results_close(&file);
    expect_text(place, CONTEXT POINT);
}

static void reads_what_is_whole(void **state)
{
    struct place *place = *state;
    put(place, CONTEXT POINT "{\"kind\":\"point\",\"bench");
    struct results results;
    assert_int_equal(results_read(place->path, &results, &place->error), STATUS_OK);
    assert_true(results.cut);
    assert_int_equal(json_array_size(results.points), 1);
    assert_string_equal(json_string_or(results.context, "host", ""), "here");
    results_free(&results);
}

static void a_later_line_replaces_the_earlier(void **state)
{
    struct place *place = *state;
    put(place, CONTEXT POINT "{\"kind\":\"point\",\"benchmark\":\"dcache\",\"name\":\"hit=1\"}\n"
                             "{\"kind\":\"point\",\"benchmark\":\"dcache\",\"name\":\"hit=0.5\",\"program_"
                             "hash\":\"abc\",\"again\":1}\n");
    struct results results;
    assert_int_equal(results_read(place->path, &results, &place->error), STATUS_OK);
    assert_false(results.cut);
    assert_int_equal(json_array_size(results.points), 2);
    assert_int_equal(json_number_or(json_array_get(results.points, 0), "again", 0), 1);
    results_free(&results);
}

static void a_malformed_line_is_named(void **state)
{
    struct place *place = *state;
    put(place, CONTEXT POINT "{\"kind\":\n" POINT);
    struct results results;
    assert_int_equal(results_read(place->path, &results, &place->error), STATUS_USAGE);
    assert_string_equal(place->error.file, place->path);
    assert_int_equal(place->error.line, 3);
    results_free(&results);
}

static void an_empty_or_missing_file_holds_no_results(void **state)
{
    struct place *place = *state;
    struct results results;
    assert_int_equal(results_read(place->path, &results, &place->error), STATUS_USAGE);
    results_free(&results);
    put(place, "");
    assert_int_equal(results_read(place->path, &results, &place->error), STATUS_USAGE);
    assert_non_null(strstr(place->error.message, "no results"));
    results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(writes_a_line_each, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_an_interval_whose_name_is_not_utf8, set_up, tear_down),
        cmocka_unit_test_setup_teardown(does_not_overwrite, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_run_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(resumes_after_a_kill_at_any_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(resumes_a_file_that_is_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_the_context_of_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_other_files_as_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_point_is_tried_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_short_write_leaves_whole_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_what_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_later_line_replaces_the_earlier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_malformed_line_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_or_missing_file_holds_no_results, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("runner/results", tests, NULL, NULL);
}
