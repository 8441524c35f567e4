/* A GPU's clock through a mock NVML: locked only where allowed, and unlocked however the requesting process
 * ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/state/gpu_clock.h"
#include "runner/state/machine_state.h"
#include "runner/state/put_back.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_nvml.so";
static const char pci[] = "0000:0f:00.0";
static char log_path[] = "/tmp/trauma_gpu_clock_XXXXXX";
static struct error error;

static int set_up(void **state)
{
    (void)state;
    strcpy(log_path + strlen(log_path) - 6, "XXXXXX");
    int fd = mkstemp(log_path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("TRAUMA_NVML", library, 1);
    setenv("FAKE_NVML_LOG", log_path, 1);
    unsetenv("FAKE_NVML");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(log_path);
}

static void assert_log(const char *wanted)
{
    struct buffer text = {0};
    assert_int_equal(file_read(log_path, &text, NULL), STATUS_OK);
    assert_string_equal(text.data == NULL ? "" : text.data, wanted);
    buffer_free(&text);
}

/* A record in which that clock is wanted. */
static struct state_record want(struct value clock)
{
    struct state_record record = {.given = true};
    value_set(&record.wanted, "gpu_clock", clock, &record.arena);
    return record;
}

static const struct value base = {.kind = VALUE_WORD, .word = "base"};

static const char *unmet_of(const struct state_record *record)
{
    return record->unmet.count == 0 ? NULL : record->unmet.items[0].what;
}

static void a_clock_is_locked_and_unlocked(void **state)
{
    (void)state;
    struct gpu_clock clock;
    struct state_record record = want(value_number(1.755)), other = want(base);
    assert_int_equal(gpu_clock_open(true, &clock, &error), STATUS_OK);
    gpu_clock_lock(&clock, pci, &record);
    assert_null(unmet_of(&record));
    assert_float_equal(value_get(value_get(&record.observed, "gpu_clock"), "sm")->number, 1.98, 1e-6);
    assert_log("lock 1755 1755\n");
    assert_int_equal(gpu_clock_unlock(&clock, &error), STATUS_OK);
    assert_int_equal(gpu_clock_unlock(&clock, &error), STATUS_OK); /* once is enough */
    assert_log("lock 1755 1755\nunlock 0 0\n");
    gpu_clock_lock(&clock, pci, &other);
    gpu_clock_close(&clock);
    assert_log("lock 1755 1755\nunlock 0 0\nlock 4294967041 4294967041\nunlock 0 0\n");
    state_record_free(&other);
    state_record_free(&record);
}

static void nothing_is_touched_that_was_not_allowed(void **state)
{
    (void)state;
    struct gpu_clock clock;
    struct state_record record = want(value_number(1.2));
    assert_int_equal(gpu_clock_open(false, &clock, &error), STATUS_OK);
    assert_int_equal(clock.keeper.pid, 0);
    gpu_clock_lock(&clock, pci, &record);
    assert_non_null(strstr(unmet_of(&record), "--allow-state"));
    assert_int_equal(gpu_clock_unlock(&clock, &error), STATUS_OK);
    gpu_clock_close(&clock);
    assert_log("");
    state_record_free(&record);
}

static void what_stands_against_it_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *trouble, *pci, *message;
    } rows[] = {{"forbidden", pci, "Insufficient Permissions"},
                {"", "0000:ff:00.0", "does not find the GPU"},
                {"init=9", pci, "NVML does not start"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gpu_clock clock;
        struct state_record record = want(base);
        setenv("FAKE_NVML", rows[i].trouble, 1);
        assert_int_equal(gpu_clock_open(true, &clock, &error), STATUS_OK);
        gpu_clock_lock(&clock, rows[i].pci, &record);
        assert_non_null(unmet_of(&record));
        if (strstr(unmet_of(&record), rows[i].message) == NULL)
            fail_msg("%s", unmet_of(&record));
        gpu_clock_close(&clock);
        state_record_free(&record);
    }
    assert_log("");
}

static void a_kill_puts_it_back(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct gpu_clock clock;
        struct state_record record = want(value_number(1.5));
        if (gpu_clock_open(true, &clock, NULL) == STATUS_OK)
            gpu_clock_lock(&clock, pci, &record);
        raise(SIGKILL);
    }
    int end = 0;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFSIGNALED(end));
    double deadline = clock_now_s() + 120;
    struct buffer text = {0};
    while (clock_now_s() < deadline) {
        buffer_free(&text);
        assert_int_equal(file_read(log_path, &text, NULL), STATUS_OK);
        if (text.data != NULL && strstr(text.data, "unlock") != NULL)
            break;
        const struct timespec pause = {0, 10000000};
        nanosleep(&pause, NULL);
    }
    assert_string_equal(text.data, "lock 1500 1500\nunlock 0 0\n");
    buffer_free(&text);
}

/* Locks a GPU's clock under a journal, tells whose processes know of it, and waits to be killed. */
static _Noreturn void lock_and_wait(const char *root, int to)
{
    struct state_lease lease;
    struct gpu_clock clock;
    struct warnings told = {0};
    struct state_record record = want(value_number(1.5));
    if (state_lease_open(root, &lease, &told, NULL) != STATUS_OK ||
        gpu_clock_open(true, &clock, NULL) != STATUS_OK)
        _exit(1);
    clock.journal = &lease.journal;
    gpu_clock_lock(&clock, pci, &record);
    const pid_t pids[2] = {lease.guard.pid, clock.keeper.pid};
    if (write(to, pids, sizeof pids) != sizeof pids)
        _exit(1);
    for (;;)
        pause();
}

/* With both of those killed that would have put it back, the next command does. */
static void a_kill_of_all_leaves_a_journal(void **state)
{
    (void)state;
    char root[] = "/tmp/trauma_gpu_clock_root_XXXXXX";
    int ends[2];
    pid_t pids[2] = {0, 0};
    assert_non_null(mkdtemp(root));
    setenv("XDG_CONFIG_HOME", root, 1); /* where the journal of a made-up tree lies */
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        lock_and_wait(root, ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], pids, sizeof pids), sizeof pids);
    close(ends[0]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(kill(pids[i], SIGSTOP), 0);
    kill(child, SIGKILL);
    for (int i = 0; i < 2; i++)
        kill(pids[i], SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_log("lock 1500 1500\n");
    assert_true(journal_stands(root));
    struct warnings told = {0};
    assert_int_equal(put_back_left(root, true, &told), 0);
    assert_log("lock 1500 1500\nunlock 0 0\n");
    assert_false(journal_stands(root));
    assert_int_equal(told.count, 2);
    assert_string_equal(told.items[1].what, "state.gpu_clock: the clock of GPU 0000:0f:00.0 is unlocked");
    warnings_free(&told);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

/* What is unlocked again needs nobody. */
static void a_journal_forgets_what_is_unlocked(void **state)
{
    (void)state;
    char root[] = "/tmp/trauma_gpu_clock_root_XXXXXX";
    struct state_lease lease;
    struct gpu_clock clock;
    struct warnings told = {0};
    struct state_record record = want(value_number(1.5));
    struct journal_content content;
    assert_non_null(mkdtemp(root));
    setenv("XDG_CONFIG_HOME", root, 1); /* where the journal of a made-up tree lies */
    assert_int_equal(state_lease_open(root, &lease, &told, &error), STATUS_OK);
    assert_int_equal(gpu_clock_open(true, &clock, &error), STATUS_OK);
    clock.journal = &lease.journal;
    gpu_clock_lock(&clock, pci, &record);
    assert_int_equal(journal_read(&lease.journal, &content, &error), STATUS_OK);
    assert_int_equal(content.count, 1);
    journal_content_free(&content);
    assert_int_equal(gpu_clock_unlock(&clock, &error), STATUS_OK);
    assert_int_equal(journal_read(&lease.journal, &content, &error), STATUS_OK);
    assert_int_equal(content.count, 0);
    journal_content_free(&content);
    gpu_clock_close(&clock);
    assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    assert_false(journal_stands(root));
    assert_log("lock 1500 1500\nunlock 0 0\n");
    warnings_free(&told);
    state_record_free(&record);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

static void a_clock_that_was_another_is_said(void **state)
{
    (void)state;
    static const struct {
        double hz[2];
        double wanted;
        const char *what;
    } rows[] = {{{1.755e9, 1.76e9}, 1.755, NULL},
                {{1.98e9, 1.98e9}, 1.755, "requests 1.755"},
                {{1.98e9, 1.8e9}, 0, "changed from 1.8 to 1.98"},
                {{1.98e9, 1.98e9}, 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct warnings warnings = {0};
        const struct result_record records[2] = {{.clock_hz = rows[i].hz[0]}, {.clock_hz = rows[i].hz[1]}};
        const struct result_rep reps[2] = {{.record = &records[0]}, {.record = &records[1]}};
        gpu_clock_judge(reps, 2, rows[i].wanted, &warnings);
        assert_int_equal(warnings.count, rows[i].what == NULL ? 0 : 1);
        if (rows[i].what != NULL)
            assert_non_null(strstr(warnings.items[0].what, rows[i].what));
        warnings_free(&warnings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_clock_is_locked_and_unlocked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_touched_that_was_not_allowed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_stands_against_it_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_kill_puts_it_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_kill_of_all_leaves_a_journal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_journal_forgets_what_is_unlocked, set_up, tear_down),
        cmocka_unit_test(a_clock_that_was_another_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
