/* Everything that the scanner accepts, jansson reads with the same members. */
#include "base/json.h"
#include "base/json/json_scan.h"
#include "tests/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const char LINE[] =
    "{\"kind\":\"point\", \"name\":\"d=1,n=\xc2\xb1 "
    "\\\"x\\\"\",\"point\":{\"d\":1,\"n\":-0.5e-3,\"w\":\"gr\xc3\xbc\xc3\x9f\"},\"reps\":[{\"a\":1.25,"
    "\"b\":[true,false,null,[],{}]},[1,2,3]],\"error\":null,\"context\":12, \"big\":123456789012345678}";

static void expect_same(const struct json_member *member, const json_t *document)
{
    char key[256];
    struct buffer text = {0};
    assert_true(member->key_size < sizeof key);
    memcpy(key, member->key, member->key_size);
    key[member->key_size] = '\0';
    const json_t *value = json_object_get(document, key);
    assert_non_null(value);
    if (member->kind == '"' && member->plain)
        assert_memory_equal(json_string_value(value), member->value, member->size);
    buffer_append(&text, member->value - (member->kind == '"'), member->size + (member->kind == '"' ? 2 : 0));
    json_t *alone = json_loadb(text.data, text.size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_equal(alone, value));
    json_decref(alone);
    buffer_free(&text);
}

static bool look(const char *text, size_t size)
{
    struct json_members members;
    if (!json_scan(text, size, &members))
        return false;
    json_t *document = json_parse(text, size, "text", NULL);
    assert_true(json_is_object(document));
    assert_int_equal(json_object_size(document), members.count);
    for (size_t i = 0; i < members.count; i++)
        expect_same(&members.items[i], document);
    json_decref(document);
    return true;
}

static void damaged_lines_pass_only_where_jansson_reads_them(void **state)
{
    (void)state;
    struct random random = mutate_start("json_scan");
    struct buffer whole = {0};
    unsigned passed = 0, refused = 0;
    buffer_text(&whole, LINE);
    assert_true(look(LINE, sizeof LINE - 1));
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &whole);
        bool good = look(damaged.size == 0 ? "" : damaged.data, damaged.size);
        passed += good;
        refused += !good;
        buffer_free(&damaged);
    }
    assert_true(passed > 0 && refused > 0);
    buffer_free(&whole);
}

static void what_is_rare_is_left_to_others(void **state)
{
    (void)state;
    static const char *const others[] = {"",
                                         "[]",
                                         "{",
                                         "{}x",
                                         "{\"a\":1,}",
                                         "{\"a\":1,\"a\":2}",
                                         "{\"a\":{\"b\":1,\"b\":2}}",
                                         "{\"a\":01}",
                                         "{\"a\":1.}",
                                         "{\"a\":-}",
                                         "{\"a\":\"\\u0041\"}",
                                         "{\"\\n\":1}",
                                         "{\"a\":\"\xff\"}",
                                         "{\"a\":\"\xc0\xaf\"}",
                                         "{\"a\":\"\t\"}",
                                         "{\"a\":12345678901234567890}",
                                         "{\"a\":1e999}",
                                         "{\"a\":tru}",
                                         "{\"a\":[1,]}",
                                         "{a:1}"};
    struct json_members members;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(json_scan(others[i], strlen(others[i]), &members));
    /* A hundred thousand brackets take no stack. */
    struct buffer deep = {0};
    buffer_text(&deep, "{\"a\":");
    buffer_fill(&deep, '[', 100000);
    assert_false(json_scan(deep.data, deep.size, &members));
    assert_null(json_parse(deep.data, deep.size, "deep", NULL));
    buffer_free(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_lines_pass_only_where_jansson_reads_them),
                                       cmocka_unit_test(what_is_rare_is_left_to_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
