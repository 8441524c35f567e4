/* A session without a command line: requests go in, findings and events come out, and nothing is printed. */
#include "base/file.h"
#include "session/execute/check_points.h"
#include "session/generate_suite.h"
#include "tests/tree.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4096 };

/* What the caller was told. */
struct heard {
    char warnings[TEXT_BYTES], notes[TEXT_BYTES];
    size_t done, total, ends;
    char points[TEXT_BYTES]; /* names of the findings, each with a blank */
    size_t passed;
};

static void hear(void *context, enum session_level level, const char *text)
{
    struct heard *heard = context;
    char *to = level == SESSION_WARNING ? heard->warnings : heard->notes;
    size_t used = strlen(to);
    snprintf(to + used, TEXT_BYTES - used, "%s\n", text);
}

static void hear_progress(void *context, const char *what, size_t done, size_t total)
{
    struct heard *heard = context;
    if (what == NULL) {
        heard->ends++;
        return;
    }
    assert_true(done >= heard->done);
    heard->done = done;
    heard->total = total;
}

static void find(void *context, struct check_finding *finding)
{
    struct heard *heard = context;
    size_t used = strlen(heard->points);
    snprintf(heard->points + used, TEXT_BYTES - used, "%s ", finding->point);
    for (size_t i = 0; i < finding->rates.count; i++)
        heard->passed += finding->rates.items[i].verdict == VERDICT_PASS;
    check_finding_free(finding);
}

static const char *const inputs[] = {"traumagen-2001/dcache"};
static const struct override overrides[] = {{"hit", "0.5"}};

static struct selection half_hits(void)
{
    return (struct selection){
        .inputs = inputs, .input_count = 1, .overrides = {overrides, 1}, .seed = 1, .gpu = WORK_GPU_NEEDED};
}

/* ---- what the process itself prints ---- */

struct watched {
    int out, error; /* the real ones */
    char path[FILE_PATH_BYTES];
};

static struct watched watch_output(const struct tree *tree)
{
    struct watched watched = {.out = dup(STDOUT_FILENO), .error = dup(STDERR_FILENO)};
    int file = open(tree_path(tree, "printed", watched.path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    fflush(NULL);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
    return watched;
}

/* How many bytes were printed. */
static off_t end_watch(const struct watched *watched)
{
    struct stat facts;
    fflush(NULL);
    dup2(watched->out, STDOUT_FILENO);
    dup2(watched->error, STDERR_FILENO);
    close(watched->out);
    close(watched->error);
    assert_int_equal(stat(watched->path, &facts), 0);
    return facts.st_size;
}

/* ---- the tests ---- */

static void check_tells_findings_in_order_and_prints_nothing(void **state)
{
    struct heard heard = {0};
    struct tally tally = {0};
    struct error error = {0};
    const struct session_events events = {hear, hear_progress, &heard, NULL};
    const struct target_request target = {.events = &events, .machine = "pentium-pro", .root = ""};
    const struct selection selection = half_hits();
    const struct check_request request = {
        .evidence = {.counters = "plan,bytes"}, .jobs = 2, .tally = &tally, .found = find, .context = &heard};
    struct watched watched = watch_output(*state);
    enum status status = check_programs(&request, &selection, &target, &error);
    off_t printed = end_watch(&watched);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(printed, 0);
    assert_string_equal(heard.points, "dependents=0,hit=0.5 dependents=1,hit=0.5 dependents=2,hit=0.5 ");
    assert_int_equal(heard.done, 3);
    assert_int_equal(heard.total, 3);
    assert_int_equal(heard.ends, 1);
    assert_true(heard.passed >= 3);
    assert_string_equal(heard.warnings, "");
}

static void generation_reports_progress_and_prints_nothing(void **state)
{
    struct heard heard = {0};
    struct error error = {0};
    struct work work;
    char folder[FILE_PATH_BYTES];
    char index[FILE_PATH_BYTES];
    const struct session_events events = {hear, hear_progress, &heard, NULL};
    const struct target_request target = {.events = &events, .machine = "pentium-pro", .root = ""};
    const struct selection selection = half_hits();
    const struct generate_request request = {
        .folder = tree_path(*state, "suite", folder), .force = false, .jobs = 1};
    struct watched watched = watch_output(*state);
    size_t refused = 1;
    enum status status = generate_open(&selection, &target, &work, &error);
    if (status == STATUS_OK)
        status = generate_suite(&request, &work, &refused, &error);
    work_close(&work);
    off_t printed = end_watch(&watched);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(printed, 0);
    assert_true(file_is_regular(file_join(index, folder, "suite.json")));
    assert_int_equal(heard.done, 3);
    assert_int_equal(heard.ends, 1);
    assert_int_equal(refused, 0);
    assert_string_equal(heard.notes, "");
}

/* A selection that matches nothing is an error that names what to do, not an event. */
static void an_empty_selection_is_an_error(void **state)
{
    struct heard heard = {0};
    struct error error = {0};
    struct work work;
    const struct session_events events = {hear, hear_progress, &heard, NULL};
    const struct target_request target = {.events = &events, .machine = "pentium-pro", .root = ""};
    struct selection selection = half_hits();
    (void)state;
    selection.filter = "never";
    assert_int_equal(work_open(&selection, &target, &work, &error), STATUS_USAGE);
    work_close(&work);
    assert_non_null(strstr(error.message, "select none of 3 points"));
    assert_string_equal(heard.warnings, "");
}

/* A GPU recipe without its GPU: a stand-in with a warning if the selection allows that, else an error. */
static void a_stand_in_is_warned_of(void **state)
{
    struct heard heard = {0};
    struct error error = {0};
    struct work work;
    static const char *const gpu[] = {"gpu-energy-2024/load"};
    const struct session_events events = {hear, hear_progress, &heard, NULL};
    const struct target_request target = {.events = &events, .machine = NULL, .root = ""};
    struct selection selection = {.inputs = gpu, .input_count = 1, .seed = 1, .gpu = WORK_GPU_ANOTHER};
    (void)state;
    setenv("TRAUMA_CUDA", "/nonexistent/libcuda.so.1", 1);
    if (work_open(&selection, &target, &work, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    work_close(&work);
    assert_non_null(strstr(heard.warnings, "evaluated for the machine h200"));
    selection.gpu = WORK_GPU_NEEDED;
    assert_int_equal(work_open(&selection, &target, &work, &error), STATUS_UNAVAILABLE);
    work_close(&work);
    unsetenv("TRAUMA_CUDA");
}

/* Equal sentences of several points are one line; those that differ in their numbers say so. */
static void equal_sentences_of_points_are_one(void **state)
{
    (void)state;
    struct heard heard = {0};
    struct point_notes notes = {0};
    const struct session_events events = {hear, hear_progress, &heard, &notes};
    struct error refusal = {.code = STATUS_RECIPE, .file = "some.lua", .line = 3, .message = "no"};
    session_point(&events, SESSION_WARNING, "b", "n=1", "the clock was %.2f GHz", 2.5);
    session_point(&events, SESSION_WARNING, "b", "n=1", "the clock was %.2f GHz", 2.5);
    session_refuse(&events, "b", "n=4", &refusal);
    session_point(&events, SESSION_WARNING, "b", "n=2", "it is hot");
    session_point(&events, SESSION_WARNING, "b", "n=2", "the clock was %g GHz", 3.0);
    session_point(&events, SESSION_WARNING, "c", "n=1", "it is hot");
    assert_string_equal(heard.warnings, "");
    session_report_points(&events);
    assert_string_equal(heard.warnings, "b/n=1 and 1 more point, with other numbers: the clock was 2.50 GHz\n"
                                        "b/n=2 and 1 more point: it is hot\n");
    assert_string_equal(heard.notes, "some.lua:3: b/n=4: no\n");
    session_report_points(&events);
    assert_int_equal(notes.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(check_tells_findings_in_order_and_prints_nothing, tree_make,
                                        tree_remove),
        cmocka_unit_test_setup_teardown(generation_reports_progress_and_prints_nothing, tree_make,
                                        tree_remove),
        cmocka_unit_test(an_empty_selection_is_an_error),
        cmocka_unit_test(a_stand_in_is_warned_of),
        cmocka_unit_test(equal_sentences_of_points_are_one),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
