/* Failures of the journal of state changes: what cannot be recorded is not changed, nor is anything without
 * the process that would restore it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "runner/state/machine_state.h"
#include "runner/state/put_back.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static struct error error;

static char *inside(char path[FILE_PATH_BYTES], const char *name)
{
    return file_join(path, root, name);
}

static void put(const char *name, const char *text)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_write(inside(path, name), text, strlen(text), false, &error), STATUS_OK);
}

static void assert_holds(const char *name, const char *text)
{
    char path[FILE_PATH_BYTES];
    struct buffer found = {0};
    assert_int_equal(file_read(inside(path, name), &found, &error), STATUS_OK);
    assert_string_equal(found.data, text);
    buffer_free(&found);
}

static const char GOVERNOR[] = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
static const char BOOST[] = "sys/devices/system/cpu/cpufreq/boost";

static int make_tree(void **state)
{
    char path[FILE_PATH_BYTES];
    (void)state;
    snprintf(root, sizeof root, "/tmp/trauma_state_XXXXXX");
    if (mkdtemp(root) == NULL ||
        file_make_folders(inside(path, "sys/devices/system/cpu/cpu0/cpufreq"), &error) != STATUS_OK ||
        file_make_folders(inside(path, "sys/devices/system/cpu/cpufreq"), &error) != STATUS_OK)
        return 1;
    setenv("XDG_CONFIG_HOME", inside(path, "config"), 1); /* where the journal of a made-up tree lies */
    put("sys/devices/system/cpu/online", "0\n");
    put(GOVERNOR, "powersave\n");
    put(BOOST, "1\n");
    return 0;
}

static int remove_tree(void **state)
{
    (void)state;
    return file_remove_tree(root, NULL) == STATUS_OK ? 0 : 1;
}

static void open_lease(struct state_lease *lease)
{
    struct warnings told = {0};
    if (state_lease_open(root, lease, &told, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(told.count, 0);
    warnings_free(&told);
}

/* Wishes it; the first wish that is unmet has the text, NULL: none is. */
static void wish(struct state_lease *lease, const char *wanted, const char *unmet)
{
    json_t *wishes = json_loads(wanted, 0, NULL);
    const struct state_request request = {.root = root, .lease = lease};
    struct state_record record = {.given = false};
    record.wanted = value_read(wishes, &record.arena);
    json_decref(wishes);
    state_begin(&request, &record);
    const char *first = record.unmet.count == 0 ? NULL : record.unmet.items[0].what;
    if (unmet == NULL ? first != NULL : first == NULL || strstr(first, unmet) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", first == NULL ? "" : first, unmet == NULL ? "" : unmet);
    state_record_free(&record);
}

static void what_was_first_comes_back(void **state)
{
    (void)state;
    struct state_lease lease;
    open_lease(&lease);
    wish(&lease, "{\"governor\": \"performance\", \"boost\": false}", NULL);
    wish(&lease, "{\"governor\": \"ondemand\"}", NULL);
    assert_holds(GOVERNOR, "ondemand\n");
    assert_holds(BOOST, "0\n");
    /* One entry each: the first value, and the last that was written. */
    struct journal_content content;
    bool held;
    assert_int_equal(journal_look(root, &content, &held, &error), STATUS_OK);
    assert_int_equal(content.count, 2);
    for (size_t i = 0; i < content.count; i++)
        if (strcmp(content.entries[i].knob, "governor") == 0) {
            assert_memory_equal(content.entries[i].old.value, "powersave", strlen("powersave"));
            assert_memory_equal(content.entries[i].wrote.value, "ondemand", strlen("ondemand"));
        }
    journal_content_free(&content);
    assert_false(journal_is_long(&lease.journal));
    assert_int_equal(state_end(&lease, &error), STATUS_OK);
    assert_holds(GOVERNOR, "powersave\n");
    assert_holds(BOOST, "1\n");
    wish(&lease, "{\"governor\": \"schedutil\"}", NULL);
    assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    assert_holds(GOVERNOR, "powersave\n");
    assert_false(journal_stands(root));
}

/* No file grows any more, as on a full disk. */
static void a_full_disk_changes_nothing(void **state)
{
    (void)state;
    struct state_lease lease;
    struct rlimit before;
    open_lease(&lease);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit full = {(rlim_t)lease.journal.header + 10, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    wish(&lease, "{\"governor\": \"performance\"}", "could not first be recorded in ");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_holds(GOVERNOR, "powersave\n");
    wish(&lease, "{\"boost\": false}", NULL); /* half a line is in nobody's way */
    assert_holds(BOOST, "0\n");
    assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    assert_holds(BOOST, "1\n");
    assert_false(journal_stands(root));
}

static void nothing_is_changed_without_a_guard(void **state)
{
    (void)state;
    struct state_lease lease;
    open_lease(&lease);
    wish(&lease, "{\"boost\": false}", NULL);
    kill(lease.guard.pid, SIGKILL);
    while (guard_watches(&lease.guard))
        usleep(1000);
    wish(&lease, "{\"governor\": \"performance\"}", "has ended: it stays unchanged");
    assert_holds(GOVERNOR, "powersave\n");
    assert_holds(BOOST, "0\n");
    assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    assert_holds(BOOST, "1\n");
    assert_false(journal_stands(root));
}

/* One file that cannot be put back waits in the journal; the others are put back, and it is, too, when it
 * can. */
static void what_cannot_be_put_back_waits(void **state)
{
    (void)state;
    char path[FILE_PATH_BYTES];
    struct state_lease lease;
    struct warnings told = {0};
    open_lease(&lease);
    wish(&lease, "{\"boost\": false, \"governor\": \"performance\"}", NULL);
    assert_int_equal(unlink(inside(path, BOOST)), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(state_lease_close(&lease, &error), STATUS_FAILED);
    assert_non_null(
        strstr(error.message, "cpufreq/boost waits to be restored from \"0\" to \"1\": Is a directory"));
    assert_holds(GOVERNOR, "powersave\n");
    assert_true(journal_stands(root));
    assert_int_equal(state_lease_open(root, &lease, &told, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "are not all restored"));
    assert_int_equal(state_lease_close(&lease, NULL), STATUS_OK);
    assert_int_equal(rmdir(path), 0);
    put(BOOST, "0\n");
    warnings_free(&told);
    assert_int_equal(put_back_left(root, false, &told), 1);
    assert_holds(BOOST, "0\n");
    assert_non_null(strstr(told.items[0].what, "without --allow-state"));
    assert_int_equal(put_back_left(root, true, &told), 0);
    assert_holds(BOOST, "1\n");
    assert_false(journal_stands(root));
    warnings_free(&told);
}

/* What a clock was rounded to is what was set, and nobody's change. */
static void what_the_machine_made_of_it_counts(void **state)
{
    (void)state;
    struct journal journal;
    bool busy;
    struct warnings told = {0};
    struct journal_entry entry = {.knob = "governor"};
    assert_int_equal(journal_make(root, &journal, &busy, &error), STATUS_OK);
    assert_int_equal(journal_begin(&journal, &error), STATUS_OK);
    entry.old.offset = entry.wrote.offset = entry.reads.offset = KNOB_TEXT;
    snprintf(entry.old.path, sizeof entry.old.path, "%s/%s", root, GOVERNOR);
    entry.old.size = (size_t)snprintf(entry.old.value, sizeof entry.old.value, "powersave\n");
    entry.wrote.size = (size_t)snprintf(entry.wrote.value, sizeof entry.wrote.value, "3601\n");
    entry.reads.size = (size_t)snprintf(entry.reads.value, sizeof entry.reads.value, "3600\n");
    assert_int_equal(journal_add(&journal, &entry, &error), STATUS_OK);
    assert_int_equal(journal_add_reads(&journal, &entry.reads, &error), STATUS_OK);
    put(GOVERNOR, "3600\n");
    assert_int_equal(put_back(&journal, PUT_BACK_LATE, &told), 0);
    assert_holds(GOVERNOR, "powersave\n");
    put(GOVERNOR, "3500\n");
    assert_int_equal(put_back(&journal, PUT_BACK_LATE, &told), 0);
    assert_holds(GOVERNOR, "3500\n");
    assert_int_equal(put_back(&journal, PUT_BACK_GUARD, &told), 0); /* who is there at once does not ask */
    assert_holds(GOVERNOR, "powersave\n");
    journal_close(&journal);
    warnings_free(&told);
}

/* What somebody put into the tree leads elsewhere, is of another kind, or has another name elsewhere. */
static void links_and_other_kinds_are_not_written_to(void **state)
{
    (void)state;
    char path[FILE_PATH_BYTES];
    char victim[FILE_PATH_BYTES];
    struct state_lease lease;
    put("victim", "mine\n");
    inside(victim, "victim");
    open_lease(&lease);
    assert_int_equal(unlink(inside(path, GOVERNOR)), 0);
    assert_int_equal(symlink(victim, path), 0);
    wish(&lease, "{\"governor\": \"performance\"}", "cannot be written: Too many levels of symbolic links");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(victim, path), 0);
    wish(&lease, "{\"governor\": \"performance\"}", "cannot be written: Too many links");
    assert_int_equal(unlink(path), 0);
    put(GOVERNOR, "powersave\n");
    char folder[FILE_PATH_BYTES];
    assert_int_equal(rename(inside(path, "sys/devices/system/cpu/cpufreq"), inside(folder, "elsewhere")), 0);
    assert_int_equal(symlink(folder, path), 0);
    wish(&lease, "{\"boost\": false}", "cannot be written: Not a directory");
    assert_holds("elsewhere/boost", "1\n");
    assert_holds("victim", "mine\n");
    assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    assert_holds("victim", "mine\n");
    assert_holds("elsewhere/boost", "1\n");
    assert_int_equal(access(inside(path, "run"), F_OK), -1);
}

/* Whoever may write the folder may leave anything there under the journal's name. */
static void what_is_no_journal_of_ones_own_is_not_read(void **state)
{
    (void)state;
    char path[FILE_PATH_BYTES];
    char **names;
    struct state_lease lease;
    struct journal_content content;
    bool held;
    open_lease(&lease);
    names = file_list(inside(path, "config/traumagen/state"), ".journal");
    assert_non_null(names[0]);
    char journal[FILE_PATH_BYTES];
    file_join(journal, path, names[0]);
    file_free_names(names);
    assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    struct warnings told = {0};
    for (int kind = 0; kind < 4; kind++) {
        unlink(journal);
        if (kind == 0)
            assert_int_equal(mkfifo(journal, 0600), 0); /* nobody writes into it */
        else if (kind == 1)
            assert_int_equal(symlink("/dev/zero", journal), 0);
        else
            assert_int_equal(file_write(journal, "no journal\n", 11, false, NULL), STATUS_OK);
        if (kind == 2)
            assert_int_equal(chmod(journal, 0664), 0);
        if (kind == 3 && (geteuid() != 0 || chown(journal, 65534, 65534) != 0))
            continue;
        assert_int_equal(journal_look(root, &content, &held, &error), STATUS_UNAVAILABLE);
        assert_null(strstr(error.message, "not a line"));
        assert_int_equal(put_back_left(root, true, &told), 1);
        assert_int_equal(state_lease_open(root, &lease, &told, &error), STATUS_OK);
        wish(&lease, "{\"boost\": false}", kind == 1 ? "cannot be written" : "is ignored");
        assert_holds(BOOST, "1\n");
        assert_int_equal(state_lease_close(&lease, &error), STATUS_OK);
    }
    warnings_free(&told);
    assert_int_equal(unlink(journal), 0);
}

#define TREE_TEST(function) cmocka_unit_test_setup_teardown(function, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(what_was_first_comes_back),
        TREE_TEST(a_full_disk_changes_nothing),
        TREE_TEST(nothing_is_changed_without_a_guard),
        TREE_TEST(what_cannot_be_put_back_waits),
        TREE_TEST(what_the_machine_made_of_it_counts),
        TREE_TEST(links_and_other_kinds_are_not_written_to),
        TREE_TEST(what_is_no_journal_of_ones_own_is_not_read),
    };
    return cmocka_run_group_tests_name("runner/state_journal", tests, NULL, NULL);
}
