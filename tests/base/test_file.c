/* Files are written completely or not at all; JSON errors name their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/files/memory_file.h"
#include "base/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char folder[64];
    char path[FILE_PATH_BYTES];
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (place == NULL)
        return 1;
    *state = place;
    strcpy(place->folder, "/tmp/trauma-file-XXXXXX");
    if (mkdtemp(place->folder) == NULL)
        return 1;
    file_join(place->path, place->folder, "file");
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    enum status status = file_remove_tree(place->folder, NULL);
    bool gone = !file_is_folder(place->folder);
    free(place);
    return status == STATUS_OK && gone ? 0 : 1;
}

static void expect_contents(const char *path, const char *wanted)
{
    struct buffer contents = {0};
    struct error error;
    assert_int_equal(file_read(path, &contents, &error), STATUS_OK);
    assert_string_equal(contents.data == NULL ? "" : contents.data, wanted);
    buffer_free(&contents);
}

static size_t entries(const char *folder)
{
    char **names = file_list(folder, "");
    size_t count = 0;
    assert_non_null(names);
    while (names[count] != NULL)
        count++;
    file_free_names(names);
    return count;
}

static void a_file_reads_as_it_was_written(void **state)
{
    struct place *place = *state;
    struct stat info;
    assert_int_equal(file_write(place->path, "one", 3, false, NULL), STATUS_OK);
    expect_contents(place->path, "one");
    assert_int_equal(file_write(place->path, "two!", 4, true, NULL), STATUS_OK);
    expect_contents(place->path, "two!");
    assert_int_equal(stat(place->path, &info), 0);
    assert_true((info.st_mode & S_IXUSR) != 0);
    assert_int_equal(entries(place->folder), 1);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void nothing_is_read_of_a_file_that_is_too_large(void **state)
{
    const struct place *place = *state;
    struct buffer contents = {0};
    struct error error;
    int fd = open(place->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && ftruncate(fd, 1001) == 0);
    close(fd);
    assert_int_equal(file_read_most(place->path, 1000, &contents, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "at most"));
    assert_int_equal(contents.size, 0);
    assert_int_equal(file_read_most(place->path, 1001, &contents, &error), STATUS_OK);
    assert_int_equal(contents.size, 1001);
    buffer_free(&contents);
}

static void what_replaces_a_file_keeps_its_permissions(void **state)
{
    struct place *place = *state;
    char model[FILE_PATH_BYTES];
    file_join(model, place->folder, "model");
    assert_int_equal(file_write(place->path, "one", 3, false, NULL), STATUS_OK);
    assert_int_equal(chmod(place->path, 0640), 0);
    assert_int_equal(file_write(place->path, "two", 3, false, NULL), STATUS_OK);
    assert_int_equal(mode_of(place->path), 0640);
    assert_int_equal(file_write(place->path, "two", 3, true, NULL), STATUS_OK);
    assert_int_equal(mode_of(place->path), 0750);
    assert_int_equal(file_write(model, "m", 1, false, NULL), STATUS_OK);
    assert_int_equal(chmod(model, 0711), 0);
    assert_int_equal(file_write_like(model, place->path, "three", 5, NULL), STATUS_OK);
    assert_int_equal(mode_of(place->path), 0711);
    assert_int_equal(file_remove_tree(place->path, NULL), STATUS_OK);
    assert_int_equal(file_write_like(model, place->path, "four", 4, NULL), STATUS_OK);
    assert_int_equal(mode_of(place->path), 0711);
    expect_contents(place->path, "four");
    assert_int_equal(file_write_like("/dev/null", place->path, "five", 4, NULL), STATUS_OK);
    assert_int_equal(mode_of(place->path), 0711);
    assert_int_equal(entries(place->folder), 2);
}

static void a_link_stays_and_one_that_leads_nowhere_is_refused(void **state)
{
    struct place *place = *state;
    char link[FILE_PATH_BYTES];
    struct stat info;
    struct error error;
    assert_int_equal(symlink("file", file_join(link, place->folder, "link")), 0);
    assert_int_equal(file_write(link, "one", 3, false, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "dangling link"));
    assert_int_equal(entries(place->folder), 1);
    assert_int_equal(file_write(place->path, "one", 3, false, NULL), STATUS_OK);
    assert_int_equal(file_write(link, "two", 3, false, NULL), STATUS_OK);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    expect_contents(place->path, "two");
    assert_int_equal(entries(place->folder), 2);
}

static void a_first_file_takes_the_place_of_nothing(void **state)
{
    struct place *place = *state;
    struct error error;
    assert_int_equal(file_write_first(place->path, "one", 3, NULL), STATUS_OK);
    assert_int_equal(file_write_first(place->path, "two", 3, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "already exists"));
    expect_contents(place->path, "one");
    assert_int_equal(entries(place->folder), 1);
}

/* A reader of an open file, as a shell's redirection is, has what was written before, and what comes. */
static void a_descriptor_of_ones_own_is_written_to_as_it_is(void **state)
{
    struct place *place = *state;
    char path[64];
    FILE *log = fopen(place->path, "w+");
    assert_non_null(log);
    fputs("before,", log);
    fflush(log);
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(log));
    assert_false(file_is_put_in_place(path));
    assert_true(file_is_put_in_place(place->path));
    assert_int_equal(file_write(path, "written", 7, false, NULL), STATUS_OK);
    expect_contents(place->path, "before,written");
    assert_int_equal(entries(place->folder), 1);
    fclose(log);
    assert_int_equal(file_write(path, "lost", 4, false, NULL), STATUS_FAILED);
}

/* The place is taken by a folder: the write fails, and nothing is left beside it. */
static void a_failed_write_leaves_all_as_it_was(void **state)
{
    struct place *place = *state;
    struct error error;
    assert_int_equal(file_make_folders(place->path, NULL), STATUS_OK);
    assert_int_equal(file_write(place->path, "x", 1, false, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, place->path));
    assert_int_equal(entries(place->folder), 1);
    assert_true(file_is_folder(place->path));
}

/* A pipe or a device is not put aside for a file, which root could do to any of them. */
static void what_is_no_file_is_not_replaced(void **state)
{
    struct place *place = *state;
    struct stat info;
    assert_int_equal(mkfifo(place->path, 0600), 0);
    FILE *reader = fopen(place->path, "r+");
    assert_non_null(reader);
    file_write(place->path, "x", 1, false, NULL);
    assert_int_equal(lstat(place->path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    assert_int_equal(entries(place->folder), 1);
    fclose(reader);
}

static void a_missing_file_is_a_usage_error(void **state)
{
    struct place *place = *state;
    struct buffer contents = {0};
    struct error error;
    assert_int_equal(file_read(place->path, &contents, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(file_read(place->folder, &contents, &error), STATUS_USAGE);
    buffer_free(&contents);
}

static void folders_are_made_listed_and_removed(void **state)
{
    struct place *place = *state;
    char deep[FILE_PATH_BYTES];
    char file[FILE_PATH_BYTES];
    assert_int_equal(file_make_folders(file_join(deep, place->folder, "b/c/d"), NULL), STATUS_OK);
    assert_int_equal(file_make_folders(deep, NULL), STATUS_OK);
    assert_int_equal(file_write(file_join(file, place->folder, "a.lua"), "", 0, false, NULL), STATUS_OK);
    assert_int_equal(file_make_folders(file, NULL), STATUS_FAILED);
    char **names = file_list(place->folder, ".lua");
    assert_string_equal(names[0], "a.lua");
    assert_null(names[1]);
    file_free_names(names);
    assert_int_equal(entries(place->folder), 2);
    assert_null(file_list(file, ""));
    /* A link out of the tree is removed, what it points to is not. */
    assert_int_equal(symlink("/tmp", file_join(file, deep, "link")), 0);
    assert_int_equal(file_remove_tree(file_join(deep, place->folder, "b"), NULL), STATUS_OK);
    assert_false(file_is_folder(deep));
    assert_true(file_is_folder("/tmp"));
    assert_int_equal(file_remove_tree(deep, NULL), STATUS_OK);
}

static void paths(void **state)
{
    (void)state;
    char path[FILE_PATH_BYTES];
    assert_string_equal(file_join(path, "a", "b"), "a/b");
    assert_string_equal(file_base_name("a/b/c.lua"), "c.lua");
    assert_string_equal(file_base_name("c.lua"), "c.lua");
    assert_true(file_ends_with("a/b.jsonl", ".jsonl"));
    assert_true(file_ends_with("a", ""));
    assert_false(file_ends_with("a/b.jsonl.old", ".jsonl"));
    assert_false(file_ends_with("jsonl", ".jsonl"));
}

/* More than a chunk of it, at whatever place the last write left off. */
static void a_file_in_memory_reads_as_it_was_written(void **state)
{
    (void)state;
    static char bytes[200000];
    struct buffer contents = {0};
    struct stat info;
    int fd;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    assert_int_equal(memory_file_open(bytes, sizeof bytes, true, &fd, NULL), STATUS_OK);
    assert_int_equal(fstat(fd, &info), 0);
    assert_true((info.st_mode & S_IXUSR) != 0);
    assert_int_equal(memory_file_read(fd, &contents, NULL), STATUS_OK);
    assert_int_equal(contents.size, sizeof bytes);
    assert_memory_equal(contents.data, bytes, sizeof bytes);
    buffer_free(&contents);
    close(fd);
    assert_int_equal(memory_file_read(-1, &contents, NULL), STATUS_FAILED);
}

static void wrong_json_is_told_with_its_line(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\n\"a\":}", "{\"a\":1,\n\"a\":2}", "{}\nx"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct error error = {0};
        assert_null(json_parse(texts[i], strlen(texts[i]), "m.json", &error));
        assert_int_equal(error.code, STATUS_USAGE);
        assert_string_equal(error.file, "m.json");
        assert_int_equal(error.line, 2);
    }
    assert_null(json_parse(NULL, 0, "m.json", NULL));
}

static void json_reads_and_writes(void **state)
{
    (void)state;
    static const char text[] = "{\"z\":0.1,\"a\":[1,\"x\"],\"half\":0.5}\n";
    struct error error;
    struct buffer again = {0};
    json_t *document = json_parse(text, strlen(text), "text", &error);
    assert_non_null(document);
    assert_true(json_number_or(document, "half", 7) == 0.5);
    assert_true(json_number_or(document, "a", 7) == 7);
    assert_string_equal(json_string_or(document, "z", "none"), "none");
    json_write(&again, document, 0);
    assert_string_equal(again.data, text);
    buffer_free(&again);
    json_decref(document);
    json_t *number = json_from_number(3.0);
    assert_true(json_is_integer(number));
    json_decref(number);
    number = json_from_number(0.5);
    assert_true(json_is_real(number));
    json_decref(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_reads_as_it_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_read_of_a_file_that_is_too_large, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_replaces_a_file_keeps_its_permissions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_stays_and_one_that_leads_nowhere_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_first_file_takes_the_place_of_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_descriptor_of_ones_own_is_written_to_as_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_write_leaves_all_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_not_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_file_is_a_usage_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_are_made_listed_and_removed, set_up, tear_down),
        cmocka_unit_test(paths),
        cmocka_unit_test(a_file_in_memory_reads_as_it_was_written),
        cmocka_unit_test(wrong_json_is_told_with_its_line),
        cmocka_unit_test(json_reads_and_writes),
    };
    return cmocka_run_group_tests_name("base/file", tests, NULL, NULL);
}
