/* Unfinished work has a place that only its user enters, and is told of when its process is gone; outputs go
 * where their path leads, but never through another user's link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/files/draft.h"
#include "base/files/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };
static char home[64];
static int top; /* the folder, open */
static struct error error;

static int set_up(void **state)
{
    (void)state;
    strcpy(home, "/tmp/trauma-draft-XXXXXX");
    top = mkdtemp(home) == NULL ? -1 : open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return top < 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(top);
    return file_remove_tree(home, NULL) == STATUS_OK && access(home, F_OK) != 0 ? 0 : 1;
}

static char *inside(char path[FILE_PATH_BYTES], const char *name)
{
    return file_join(path, home, name);
}

static void put(const char *name)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_write(inside(path, name), "mine", 4, false, NULL), STATUS_OK);
}

static bool exists(const char *name)
{
    return faccessat(top, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool as_root(void)
{
    if (geteuid() == 0)
        return true;
    print_message("not tried: another user's files take root\n");
    return false;
}

static size_t left(void)
{
    char **names = draft_leftovers(home);
    size_t count = 0;
    while (names != NULL && names[count] != NULL)
        count++;
    draft_free_list(names);
    return count;
}

static void a_draft_is_private_and_told_of_when_its_process_is_gone(void **state)
{
    (void)state;
    char name[DRAFT_NAME_BYTES];
    int ready[2];
    struct stat info;
    umask(0);
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (draft_folder(top, name) < 0 || write(ready[1], name, sizeof name) != sizeof name)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], name, sizeof name), sizeof name);
    assert_int_equal(fstatat(top, name, &info, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_int_equal(left(), 0); /* it is in use */
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(left(), 1);
    /* Nobody else may have a command name something for removal. */
    assert_int_equal(fchmodat(top, name, 0775, 0), 0);
    assert_int_equal(left(), 0);
    assert_int_equal(fchmodat(top, name, 0700, 0), 0);
    if (as_root()) {
        assert_int_equal(fchownat(top, name, NOBODY, (gid_t)-1, 0), 0);
        assert_int_equal(left(), 0);
        assert_int_equal(fchownat(top, name, 0, (gid_t)-1, 0), 0);
    }
    put(".trauma-notes");
    put(".trauma-0123456789abcdeg");
    assert_int_equal(symlinkat(home, top, ".trauma-0123456789abcdef"), 0);
    assert_int_equal(mkfifoat(top, ".trauma-0123456789abcde0", 0600), 0);
    assert_int_equal(left(), 1);
}

static void clearing_follows_no_link_and_enters_nobody_elses_folder(void **state)
{
    (void)state;
    assert_int_equal(mkdirat(top, "outside", 0700), 0);
    put("outside/precious");
    assert_int_equal(mkdirat(top, "draft", 0700), 0);
    assert_int_equal(mkdirat(top, "draft/below", 0700), 0);
    put("draft/below/file");
    assert_int_equal(symlinkat("../../outside", top, "draft/below/link"), 0);
    assert_int_equal(symlinkat("outside", top, "whole"), 0);
    assert_true(draft_clear(top, "whole"));
    assert_false(exists("whole"));
    assert_true(draft_clear(top, "draft"));
    assert_false(exists("draft"));
    assert_true(draft_clear(top, "draft")); /* missing is no error */
    assert_true(exists("outside/precious"));
    if (!as_root())
        return;
    assert_int_equal(mkdirat(top, "draft", 0700), 0);
    assert_int_equal(mkdirat(top, "draft/theirs", 0777), 0);
    put("draft/theirs/file");
    assert_int_equal(fchownat(top, "draft/theirs", NOBODY, NOBODY, 0), 0);
    assert_false(draft_clear(top, "draft"));
    assert_int_equal(errno, EPERM);
    assert_true(exists("draft/theirs/file"));
    assert_int_equal(fchownat(top, "draft/theirs", 0, 0, 0), 0);
}

/* Where the path leads: the folder's inode and the name; a failure: the text. */
static void expect_place(const char *path, const char *folder, const char *name)
{
    struct file_place place;
    struct stat found;
    struct stat wanted;
    char full[FILE_PATH_BYTES];
    if (file_place_open(inside(full, path), false, &place, &error) != STATUS_OK)
        fail_msg("%s: %s", path, error.message);
    assert_string_equal(place.name, name);
    assert_int_equal(fstat(place.folder, &found), 0);
    assert_int_equal(stat(inside(full, folder), &wanted), 0);
    assert_int_equal(found.st_ino, wanted.st_ino);
    file_place_close(&place, false);
    assert_int_equal(place.folder, -1);
}

static void expect_refusal(const char *path, enum status status, const char *text)
{
    struct file_place place;
    char full[FILE_PATH_BYTES];
    assert_int_equal(file_place_open(inside(full, path), false, &place, &error), status);
    if (strstr(error.message, text) == NULL)
        fail_msg("%s: %s", path, error.message);
    assert_int_equal(place.folder, -1);
}

static void places_are_where_paths_lead(void **state)
{
    (void)state;
    char deep[FILE_PATH_BYTES];
    char target[FILE_PATH_BYTES];
    assert_int_equal(file_make_folders(inside(deep, "a/b"), NULL), STATUS_OK);
    put("a/b/file");
    assert_int_equal(symlinkat("a/b", top, "short"), 0);
    assert_int_equal(symlinkat(inside(target, "short/file"), top, "far"),
                     0); /* through another, from the root */
    assert_int_equal(symlinkat("nothing", top, "dangling"), 0);
    assert_int_equal(symlinkat("loop", top, "loop"), 0);
    expect_place("new", ".", "new");
    expect_place("a/b/new", "a/b", "new");
    expect_place("a//./b/../b/new/./", "a/b", "new");
    expect_place("short/file", "a/b", "file");
    expect_place("short/new", "a/b", "new");
    expect_place("far", "a/b", "file");
    expect_place("short", "a", "b");
    expect_place("a/b/..", "a/b", "..");
    expect_refusal("dangling", STATUS_USAGE, "dangling link");
    expect_refusal("dangling/x", STATUS_FAILED, "No such file");
    expect_refusal("loop", STATUS_FAILED, "Too many levels");
    expect_refusal("missing/x", STATUS_FAILED, "No such file");
    expect_refusal("a/b/file/x", STATUS_FAILED, "Not a directory");
    assert_int_equal(file_place_open("", false, &(struct file_place){0}, &error), STATUS_FAILED);
}

static void links_of_others_are_not_followed(void **state)
{
    (void)state;
    static const char *const links[] = {"theirs", "folder"};
    if (!as_root())
        return;
    assert_int_equal(mkdirat(top, "a", 0700), 0);
    put("a/file");
    assert_int_equal(symlinkat("a/file", top, "theirs"), 0);
    assert_int_equal(symlinkat("a", top, "folder"), 0);
    expect_place("theirs", "a", "file");
    expect_place("folder/x", "a", "x");
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(fchownat(top, links[i], NOBODY, NOBODY, AT_SYMLINK_NOFOLLOW), 0);
    expect_refusal("theirs", STATUS_USAGE, "belongs to another user");
    expect_refusal("folder/x", STATUS_USAGE, "belongs to another user");
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_write(inside(path, "theirs"), "x", 1, false, &error), STATUS_FAILED);
    assert_int_equal(file_make_folders(inside(path, "folder/made"), &error), STATUS_FAILED);
    assert_false(exists("a/made"));
}

static void folders_on_the_way_are_made_and_taken_back(void **state)
{
    (void)state;
    char path[FILE_PATH_BYTES];
    struct file_place place;
    assert_int_equal(mkdirat(top, "there", 0700), 0);
    assert_int_equal(file_place_open(inside(path, "there/x/y/z"), true, &place, &error), STATUS_OK);
    assert_true(exists("there/x/y"));
    file_place_close(&place, false);
    assert_true(exists("there/x/y"));
    assert_int_equal(file_place_open(inside(path, "there/x/u/v/w"), true, &place, &error), STATUS_OK);
    put("there/x/u/kept");
    file_place_close(&place, true);
    assert_false(exists("there/x/u/v"));
    assert_true(exists("there/x/u/kept"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_draft_is_private_and_told_of_when_its_process_is_gone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(clearing_follows_no_link_and_enters_nobody_elses_folder, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(places_are_where_paths_lead, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_of_others_are_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_on_the_way_are_made_and_taken_back, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("base/draft", tests, NULL, NULL);
}
