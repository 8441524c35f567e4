/* Buffers, arenas and errors keep their contents, whatever the size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void a_buffer_grows(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    for (int i = 0; i < 10000; i++)
        buffer_printf(&buffer, "%04d", i);
    assert_int_equal(buffer.size, 40000);
    assert_int_equal(strlen(buffer.data), 40000);
    assert_memory_equal(buffer.data + 4 * 1234, "1234", 4);
    buffer_free(&buffer);
    assert_true(buffer.data == NULL && buffer.size == 0 && buffer.capacity == 0);
    buffer_free(&buffer);
}

static void a_buffer_holds_any_bytes(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_append(&buffer, "a\0b", 3);
    buffer_append(&buffer, NULL, 0);
    assert_int_equal(buffer.size, 3);
    assert_memory_equal(buffer.data, "a\0b", 4);
    buffer_align(&buffer, 16);
    assert_int_equal(buffer.size, 16);
    buffer_align(&buffer, 16);
    assert_int_equal(buffer.size, 16);
    for (size_t i = 3; i <= 16; i++)
        assert_int_equal(buffer.data[i], 0);
    buffer_free(&buffer);
}

static void a_text_longer_than_the_buffer_fits(void **state)
{
    (void)state;
    char lengthy[5000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    struct buffer buffer = {0};
    buffer_printf(&buffer, "<%s>", lengthy);
    assert_int_equal(buffer.size, sizeof lengthy + 1);
    assert_int_equal(buffer.data[buffer.size - 1], '>');
    buffer_free(&buffer);
}

static void an_arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    struct arena arena = {0};
    static const size_t sizes[] = {1, 3, 16, 100, 0, 70000, 1, 65536};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *bytes = arena_alloc(&arena, sizes[i], 1);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(bytes[j], 0);
        memset(bytes, 0xff, sizes[i]); /* what the next allocation must not see */
    }
    assert_string_equal(arena_strdup(&arena, "text"), "text");
    arena_free(&arena);
    assert_null(arena.blocks);
    arena_free(&arena);
}

static void errors_keep_place_and_hint(void **state)
{
    (void)state;
    struct error error;
    memset(&error, 0xff, sizeof error);
    assert_int_equal(error_set(&error, STATUS_RECIPE, "found %d", 3), STATUS_RECIPE);
    assert_int_equal(error.code, STATUS_RECIPE);
    assert_string_equal(error.message, "found 3");
    assert_string_equal(error.hint, "");
    assert_int_equal(error.line, 0);
    error_at(&error, "a.lua", 7);
    error_hint(&error, "try %s", "b");
    error_prefix(&error, "dcache/%s", "hit=0.5");
    assert_string_equal(error.file, "a.lua");
    assert_int_equal(error.line, 7);
    assert_string_equal(error.hint, "try b");
    assert_string_equal(error.message, "dcache/hit=0.5: found 3");
}

static void an_error_is_cut_and_may_be_nobodys(void **state)
{
    (void)state;
    char lengthy[4000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    struct error error;
    error_set(&error, STATUS_FAILED, "%s", lengthy);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    error_prefix(&error, "%s", "before");
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_memory_equal(error.message, "before: x", 9);
    error_at(&error, lengthy, 1);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_int_equal(error_set(NULL, STATUS_USAGE, "nobody listens"), STATUS_USAGE);
    error_at(NULL, "a", 1);
    error_hint(NULL, "b");
    error_prefix(NULL, "c");
}

static void memory_is_never_null(void **state)
{
    (void)state;
    unsigned *items = NULL;
    for (size_t count = 0; count < 1000; count++) {
        items = memory_next(items, count, sizeof *items);
        items[count] = (unsigned)count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    items = memory_resized(items, 10, sizeof *items);
    assert_int_equal(items[9], 9);
    free(items);
    unsigned char *zeros = memory_zeroed(300, 2);
    for (size_t i = 0; i < 600; i++)
        assert_int_equal(zeros[i], 0);
    free(zeros);
    void *none = memory_zeroed(0, 8);
    assert_non_null(none);
    none = memory_resized(none, 0, 8);
    assert_non_null(none);
    free(none);
    char *text = memory_text("kernel");
    assert_string_equal(text, "kernel");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_grows),
        cmocka_unit_test(a_buffer_holds_any_bytes),
        cmocka_unit_test(a_text_longer_than_the_buffer_fits),
        cmocka_unit_test(an_arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(memory_is_never_null),
        cmocka_unit_test(errors_keep_place_and_hint),
        cmocka_unit_test(an_error_is_cut_and_may_be_nobodys),
    };
    return cmocka_run_group_tests_name("base/memory", tests, NULL, NULL);
}
