/* Child processes that end well, badly, or not at all, and that they leave no process and no open file. */
#include "base/file.h"
#include "runner/launch/test_program.h"
#include "runner/measure/process_group.h"
#include "runner/process/child.h"
#include "runner/results/result_point.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct outcome {
    enum status status;
    struct error error;
    struct child_result result;
};

static struct outcome run_program(const char *path, char *const *arguments, int cpu, double timeout_s)
{
    struct child_request request = {.path = path, .arguments = arguments, .cpu = cpu, .timeout_s = timeout_s};
    struct outcome outcome = {0};
    outcome.status = child_run(&request, &outcome.result, &outcome.error);
    return outcome;
}

static struct outcome shell(const char *script, double timeout_s)
{
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    return run_program("sh", arguments, -1, timeout_s);
}

static size_t open_files(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* Every test ends with as many open files as it began with and with no child left. */
static int note_files(void **state)
{
    *state = (void *)(uintptr_t)open_files();
    return 0;
}

static int nothing_left(void **state)
{
    int status;
    bool same_files = open_files() == (size_t)(uintptr_t)*state;
    return same_files && waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static void test_good_end(void **state)
{
    (void)state;
    struct outcome outcome = shell("echo out; echo err >&2; cat", 5);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_string_equal(outcome.result.output.data, "out\n");
    assert_string_equal(outcome.result.errors.data, "err\n");
    assert_true(outcome.result.wall_s > 0 && outcome.result.wall_s < 5);
    child_result_free(&outcome.result);
    assert_null(outcome.result.output.data);
}

static void test_exit_code_and_complaint(void **state)
{
    (void)state;
    struct outcome outcome = shell("echo first >&2; printf 'the \\033[1mreason\\n\\n' >&2; exit 3", 5);
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_string_equal(outcome.error.message,
                        "sh ended with exit code 3, expected 0; it says: first; the  [1mreason");
    child_result_free(&outcome.result);
    outcome = shell("echo only stdout; exit 1", 5);
    assert_non_null(strstr(outcome.error.message, "exit code 1, expected 0; it says: only stdout"));
    child_result_free(&outcome.result);
}

static void test_signals(void **state)
{
    (void)state;
    struct outcome outcome = shell("kill -ILL $$", 5);
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_string_equal(outcome.error.message, "sh ended by signal 4 (Illegal instruction)");
    assert_non_null(strstr(outcome.error.hint, "lacks an instruction"));
    child_result_free(&outcome.result);
    outcome = shell("kill -SEGV $$", 5);
    assert_string_equal(outcome.error.message, "sh ended by signal 11 (Segmentation fault)");
    child_result_free(&outcome.result);
}

static void test_hang(void **state)
{
    (void)state;
    struct outcome outcome = shell("echo before; sleep 300 & sleep 300", 0.3);
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_string_equal(outcome.error.message, "sh was still running after 0.3 s and was killed");
    assert_string_equal(outcome.result.output.data, "before\n");
    assert_true(outcome.result.wall_s >= 0.3 && outcome.result.wall_s < 60);
    child_result_free(&outcome.result);
}

static void test_endless_output_is_a_hang_too(void **state)
{
    (void)state;
    char *const arguments[] = {(char *)"yes", NULL};
    struct outcome outcome = run_program("yes", arguments, -1, 0.3);
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_non_null(strstr(outcome.error.message, "still running after 0.3 s"));
    assert_int_equal(outcome.result.output.size, 1 << 20);
    child_result_free(&outcome.result);
}

static void test_huge_output(void **state)
{
    (void)state;
    struct outcome outcome = shell("head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2; exit 0", 20);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.result.output.size, 1 << 20);
    assert_int_equal(outcome.result.errors.size, 1 << 20);
    child_result_free(&outcome.result);
}

static void test_as_much_output_as_asked_for(void **state)
{
    (void)state;
    char *const arguments[] = {(char *)"head", (char *)"-c3000000", (char *)"/dev/zero", NULL};
    const struct child_request request = {
        .path = "head", .arguments = arguments, .cpu = -1, .timeout_s = 20, .output_limit = 2 << 20};
    struct child_result result;
    struct error error;
    assert_int_equal(child_run(&request, &result, &error), STATUS_OK);
    assert_int_equal(result.output.size, 2 << 20);
    child_result_free(&result);
}

static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 3000; i++) { /* a minute: a loaded machine takes its time */
        char path[64];
        struct buffer text = {0};
        snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
        bool gone = file_read(path, &text, NULL) != STATUS_OK || strstr(text.data, ") Z ") != NULL;
        buffer_free(&text);
        if (gone)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return false;
}

/* A process that the program leaves behind holds the pipes open: it is not waited for, and ended. */
static void test_left_behind(void **state)
{
    (void)state;
    struct outcome outcome = shell("sleep 300 & echo $!", 60);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_true(outcome.result.wall_s < 60);
    assert_true(is_gone((pid_t)atol(outcome.result.output.data)));
    child_result_free(&outcome.result);
}

/* What lost its parent and has a session of its own is found all the same, and what it started. */
static void test_setsid(void **state)
{
    (void)state;
    char path[] = "/tmp/trauma-child-XXXXXX";
    int fd = mkstemp(path);
    char script[400];
    assert_true(fd >= 0);
    snprintf(script, sizeof script,
             "(setsid sh -c 'echo $$ >%s; setsid sleep 300 & echo $! >>%s; echo >>%s; wait' &) ; "
             "until [ \"$(wc -l <%s)\" -ge 3 ]; do sleep 0.05; done; echo done",
             path, path, path, path);
    struct outcome outcome = shell(script, 60);
    char text[64] = "";
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    close(fd);
    unlink(path);
    if (outcome.status != STATUS_OK)
        fail_msg("%s", outcome.error.message);
    assert_string_equal(outcome.result.output.data, "done\n");
    char *next;
    pid_t leader = (pid_t)strtol(text, &next, 10);
    pid_t sleeper = (pid_t)strtol(next, NULL, 10);
    assert_true(leader > 0 && sleeper > 0);
    assert_int_equal(kill(leader, 0), -1); /* is no more, and not some time later */
    assert_int_equal(kill(sleeper, 0), -1);
    assert_int_equal(outcome.result.left, leader);
    assert_int_equal(outcome.result.left_more, 1);
    assert_string_equal(outcome.result.left_name, "sh");
    child_result_free(&outcome.result);
    outcome = shell("sleep 0.01 & wait; echo nothing left", 60);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.result.left, 0);
    child_result_free(&outcome.result);
}

static void test_no_such_program(void **state)
{
    (void)state;
    char *const arguments[] = {(char *)"trauma-no-such-program", NULL};
    struct outcome outcome = run_program(arguments[0], arguments, -1, 5);
    assert_int_equal(outcome.status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(outcome.error.message, "\"trauma-no-such-program\""));
    assert_non_null(strstr(outcome.error.hint, "PATH"));
    child_result_free(&outcome.result);
    assert_false(child_program_exists("trauma-no-such-program"));
    assert_false(child_program_exists("/tmp"));
    assert_true(child_program_exists("sh"));
    assert_true(child_program_exists("/bin/sh"));
}

static void test_pinning(void **state)
{
    (void)state;
    char *const arguments[] = {(char *)"nproc", NULL};
    struct outcome outcome = run_program("nproc", arguments, 0, 5);
    if (outcome.status == STATUS_OK)
        assert_string_equal(outcome.result.output.data, "1\n");
    child_result_free(&outcome.result);
    outcome = run_program("nproc", arguments, 100000, 5);
    assert_int_equal(outcome.status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(outcome.error.message, "cannot be pinned to logical processor 100000"));
    child_result_free(&outcome.result);
}

static void test_image(void **state)
{
    (void)state;
    static const char not_code[] = "this is no executable";
    char *const arguments[] = {(char *)"program", NULL};
    struct buffer image = {0};
    assert_int_equal(file_read("/bin/true", &image, NULL), STATUS_OK);
    struct child_request request = {
        .image = image.data, .image_size = image.size, .arguments = arguments, .cpu = -1};
    struct child_result result;
    struct error error = {0};
    assert_int_equal(child_run(&request, &result, &error), STATUS_OK);
    child_result_free(&result);
    buffer_free(&image);
    request.image = not_code;
    request.image_size = sizeof not_code - 1;
    assert_int_equal(child_run(&request, &result, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "cannot be executed on this machine: Exec format error"));
    child_result_free(&result);
}

static enum status refuse(pid_t pid, void *context, struct error *error)
{
    *(pid_t *)context = pid;
    return error_set(error, STATUS_UNAVAILABLE, "not today");
}

static enum status accept_child(pid_t pid, void *context, struct error *error)
{
    (void)error;
    *(pid_t *)context = pid;
    return STATUS_OK;
}

static void test_before_start(void **state)
{
    (void)state;
    pid_t pid = 0;
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)"echo $$", NULL};
    struct child_request request = {
        .path = "sh", .arguments = arguments, .cpu = -1, .before_start = accept_child, .context = &pid};
    struct child_result result;
    struct error error = {0};
    assert_int_equal(child_run(&request, &result, &error), STATUS_OK);
    assert_int_equal(atol(result.output.data), pid);
    child_result_free(&result);
    request.before_start = refuse;
    assert_int_equal(child_run(&request, &result, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.message, "not today");
    assert_int_equal(result.output.size, 0);
    assert_true(is_gone(pid));
    child_result_free(&result);
}

/* A parent that is killed in the middle of a run takes its child along. */
static void test_parent_dies(void **state)
{
    (void)state;
    char path[] = "/tmp/trauma-child-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    pid_t parent = fork();
    if (parent == 0) {
        char script[96];
        snprintf(script, sizeof script, "echo $$ > %s; exec sleep 300", path);
        shell(script, 300);
        _exit(0);
    }
    char text[32] = "";
    for (int i = 0; i < 3000 && pread(fd, text, sizeof text - 1, 0) <= 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    close(fd);
    unlink(path);
    assert_true(atol(text) > 0);
    assert_true(is_gone((pid_t)atol(text)));
}

/* The number that stands in the file once it is written; 0: nothing came. */
static pid_t wait_for_number(int fd)
{
    char text[32] = "";
    for (int i = 0; i < 3000 && strchr(text, '\n') == NULL; i++) {
        memset(text, 0, sizeof text);
        if (pread(fd, text, sizeof text - 1, 0) <= 0)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return (pid_t)atol(text);
}

/* Neither does what the child has started outlive it, in whatever session: also when the child's own group is
 * killed along with the parent. */
static void test_parent_dies_with_grandchildren(void **state)
{
    (void)state;
    static const struct {
        bool group;
        int number;
    } rows[] = {{false, SIGKILL}, {true, SIGKILL}, {true, SIGINT}, {false, SIGTERM}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[] = "/tmp/trauma-child-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        pid_t parent = fork();
        if (parent == 0) {
            char script[200];
            setpgid(0, 0);
            snprintf(script, sizeof script, "(setsid sh -c 'echo $$ >%s; exec sleep 300' &); sleep 300",
                     path);
            shell(script, 300);
            _exit(0);
        }
        setpgid(parent, parent);
        pid_t left = wait_for_number(fd);
        kill(rows[i].group ? -parent : parent, rows[i].number);
        waitpid(parent, NULL, 0);
        close(fd);
        unlink(path);
        assert_true(left > 0);
        assert_true(is_gone(left));
    }
}

/* The program that test_program_run runs is this test itself: the number asked for chooses what it prints. */
static const struct {
    const char *asked;
    const char *printed;
    enum status status;
    const char *message; /* part of it */
} programs[] = {
    {"1000", "{\"iterations\":1000,\"ticks\":123456,\"more\":1}\n", STATUS_OK, ""},
    {"1", "{\"iterations\":2,\"ticks\":5}\n", STATUS_FAILED, "made 2 iterations; 1 were requested"},
    {"2", "ready\n", STATUS_FAILED, "is not JSON"},
    {"3", "", STATUS_FAILED, "no complete line"},
    {"4", "{\"iterations\":4,\"ticks\":5}\n{}\n", STATUS_FAILED, "in several lines"},
    {"5", "{\"iterations\":5}\n", STATUS_FAILED, "expected whole numbers"},
    {"6", "{\"iterations\":6,\"ticks\":-5}\n", STATUS_FAILED, "expected whole numbers"},
    {"7", "[7]\n", STATUS_FAILED, "expected whole numbers"},
    {"8", "{\"iterations\":8,\"ticks\":0}\n", STATUS_FAILED,
     "reports that 8 iterations took 0 ticks, which is impossible"},
    {"9", "{\"iterations\":9,\"ticks\":9223372036854775807}\n", STATUS_FAILED,
     "took 9223372036854775807 ticks, but it ran for "},
    {"10", "{\"iterations\":10,\"ticks\":1e400}\n", STATUS_FAILED, "real number overflow"},
    {"11", "{\"iterations\":11,\"ticks\":NaN}\n", STATUS_FAILED, "is not JSON"},
    {"12", "{\"iterations\":12,\"ticks\":5.5}\n", STATUS_FAILED, "expected whole numbers"},
    {"13", "{\"iterations\":13,\"ticks\":99999999999999999999}\n", STATUS_FAILED, "too big"},
    {"14", "{\"iterations\":14,\"ticks\":500,\"start\":-1}\n", STATUS_FAILED, "expected whole numbers"},
    {"15", "{\"iterations\":15,\"ticks\":500}\n", STATUS_FAILED, ") running, which was killed"},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0], LEAVES_ONE = 15 };

static int act_as_program(const char *asked)
{
    if (atoi(asked) == LEAVES_ONE && fork() == 0) {
        setsid();
        sleep(300);
        _exit(0);
    }
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (strcmp(asked, programs[i].asked) == 0)
            fputs(programs[i].printed, stdout);
    }
    return 0;
}

static void test_program(void **state)
{
    (void)state;
    struct buffer image = {0};
    assert_int_equal(file_read("/proc/self/exe", &image, NULL), STATUS_OK);
    struct test_program test_program = {
        .manifest = &manifest_none, .executable = image.data, .executable_size = image.size, .cpu = -1};
    for (size_t i = 0; i < PROGRAMS; i++) {
        uint64_t ticks = 0;
        struct error error = {0};
        uint64_t asked = strtoull(programs[i].asked, NULL, 10);
        assert_int_equal(process_group_run_program(&test_program, asked, 20, &ticks, &error),
                         programs[i].status);
        if (strstr(error.message, programs[i].message) == NULL)
            fail_msg("%s: \"%s\" has no \"%s\"", programs[i].asked, error.message, programs[i].message);
        if (programs[i].status == STATUS_OK)
            assert_int_equal(ticks, 123456);
    }
    buffer_free(&image);
}

static void test_observations(void **state)
{
    (void)state;
    struct observations list = {0};
    assert_null(observations_find(&list, "ipc", "perf"));
    for (int i = 0; i < 40; i++)
        observations_add(&list, i == 33 ? "pass.cycles" : "ipc", i % 2 ? "perf" : "plan", EVIDENCE_MEASURED,
                         0.5 + i, i, 1.0 + i, 100);
    assert_int_equal(list.count, 40);
    assert_float_equal(observations_find(&list, "ipc", "perf")->value, 1.5, 0);
    assert_null(observations_find(&list, "pass.cycles", "plan"));
    json_t *document = observation_to_json(observations_find(&list, "pass.cycles", "perf"));
    char *text = json_dumps(document, JSON_COMPACT);
    assert_string_equal(text, "{\"source\":\"perf\",\"kind\":\"measured\",\"value\":33.5,\"low\":33,"
                              "\"high\":34,\"n\":100}");
    free(text);
    json_decref(document);
    observations_free(&list);
    assert_int_equal(list.count, 0);
}

#define CHILD_TEST(function) cmocka_unit_test_setup_teardown(function, note_files, nothing_left)

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[0], "program") == 0)
        return act_as_program(arguments[1]);
    const struct CMUnitTest tests[] = {
        CHILD_TEST(test_good_end),
        CHILD_TEST(test_exit_code_and_complaint),
        CHILD_TEST(test_signals),
        CHILD_TEST(test_hang),
        CHILD_TEST(test_endless_output_is_a_hang_too),
        CHILD_TEST(test_huge_output),
        CHILD_TEST(test_as_much_output_as_asked_for),
        CHILD_TEST(test_left_behind),
        CHILD_TEST(test_setsid),
        CHILD_TEST(test_no_such_program),
        CHILD_TEST(test_pinning),
        CHILD_TEST(test_image),
        CHILD_TEST(test_before_start),
        CHILD_TEST(test_parent_dies),
        CHILD_TEST(test_parent_dies_with_grandchildren),
        CHILD_TEST(test_program),
        cmocka_unit_test(test_observations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
