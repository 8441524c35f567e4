/* Directly written text equals jansson's output: random documents, compared character by character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json/json_scan.h"
#include "base/json/json_text.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENTS = 400, DEEPEST = 5 };

static json_t *random_scalar(struct random *random)
{
    static const double reals[] = {0.5,   1e20,   1e-5,   -2.25,      123456.789, 1e15,
                                   0.1,   1e300,  1e-300, 0.30000001, -0.0,       9007199254740993.0,
                                   100.0, 1e+100, 7e-7,   1.0 / 3};
    static const char *const texts[] = {"",
                                        "plain",
                                        "a \"quote\"",
                                        "back\\slash",
                                        "line\nbreak\ttab",
                                        "\x01\x1f control",
                                        "\xc3\xa9\xe2\x82\xac utf-8",
                                        "a/b"};
    switch (random_below(random, 5)) {
    case 0:
        return json_integer((json_int_t)random_next(random) - INT32_MAX);
    case 1:
        return json_real(reals[random_below(random, sizeof reals / sizeof reals[0])]);
    case 2:
        return json_string(texts[random_below(random, sizeof texts / sizeof texts[0])]);
    case 3:
        return json_boolean(random_below(random, 2));
    default:
        return json_null();
    }
}

static json_t *random_document(struct random *random, int depth)
{
    unsigned kind = random_below(random, depth >= DEEPEST ? 1 : 3);
    if (kind == 0 && depth > 0)
        return random_scalar(random);
    json_t *document = kind == 1 ? json_array() : json_object();
    unsigned members = random_below(random, 5);
    for (unsigned i = 0; i < members; i++) {
        char key[16];
        snprintf(key, sizeof key, "key.%u", i);
        json_t *member = random_document(random, depth + 1);
        if (kind == 1)
            json_array_append_new(document, member);
        else
            json_object_set_new(document, key, member);
    }
    return document;
}

static void documents_are_what_jansson_writes(void **state)
{
    (void)state;
    struct random random = random_start(1, "json_text");
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        json_t *document = random_document(&random, 0);
        struct buffer wanted = {0};
        struct buffer found = {0};
        struct json_text text = {.buffer = &found};
        json_write(&wanted, document, 2);
        json_text_value(&text, NULL, document);
        assert_string_equal(found.data, wanted.data);
        buffer_free(&wanted);
        buffer_free(&found);
        json_decref(document);
    }
}

static void numbers_are_whole_where_they_can_be(void **state)
{
    (void)state;
    struct buffer found = {0};
    struct json_text text = {.buffer = &found};
    json_text_open(&text, NULL, '[');
    json_text_number(&text, NULL, 3);
    json_text_number(&text, NULL, -0.5);
    json_text_number(&text, NULL, 1e16);
    json_text_integer(&text, NULL, INT64_MIN);
    json_text_close(&text, ']');
    assert_string_equal(found.data, "[\n  3,\n  -0.5,\n  1e16,\n  -9223372036854775808\n]\n");
    buffer_free(&found);
}

/* What is read quickly is what jansson reads; most of what has no escapes is read. */
static void quick_reading_is_jansson_s(void **state)
{
    (void)state;
    struct random random = random_start(1, "json_quick");
    unsigned read = 0;
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        json_t *document = random_document(&random, 0);
        struct buffer text = {0};
        json_write(&text, document, (int)random_below(&random, 3));
        json_t *wanted = json_parse(text.data, text.size, "text", NULL);
        json_t *found = json_quick(text.data, text.size);
        if (found != NULL)
            assert_true(json_equal(found, wanted));
        read += found != NULL;
        json_decref(found);
        json_decref(wanted);
        json_decref(document);
        buffer_free(&text);
    }
    assert_in_range(read, DOCUMENTS / 10, DOCUMENTS);
}

static void quick_numbers_are_the_nearest(void **state)
{
    (void)state;
    struct random random = random_start(1, "json_quick numbers");
    for (unsigned i = 0; i < 10 * DOCUMENTS; i++) {
        char text[64];
        int decimals = (int)random_below(&random, 16);
        double value = (double)(random_next(&random) % 100000) / (1 + (double)(random_next(&random) % 1000));
        int size = snprintf(text, sizeof text, "{\"a\":%s%.*f}", i % 2 ? "-" : "", decimals, value);
        json_t *found = json_quick(text, (size_t)size);
        json_t *wanted = json_loads(text, 0, NULL);
        if (found != NULL)
            assert_true(json_equal(found, wanted));
        else
            assert_true(decimals > 9);
        json_decref(found);
        json_decref(wanted);
    }
}

static void quick_reading_leaves_the_rest_alone(void **state)
{
    (void)state;
    static const char *const others[] = {"",
                                         "{",
                                         "{\"a\":1",
                                         "{\"a\":1}x",
                                         "{\"a\":1,}",
                                         "{\"a\":01}",
                                         "{\"a\":1.}",
                                         "{\"a\":.5}",
                                         "{\"a\":-}",
                                         "{\"a\":+1}",
                                         "{\"a\":1e5}",
                                         "{\"a\":nul}",
                                         "{\"a\":[1,]}",
                                         "{\"a\"}",
                                         "{a:1}",
                                         "{\"a\" 1}",
                                         "{\"a\":}",
                                         "{\"a\":\"b}",
                                         "{\"a\":\"\\n\"}",
                                         "{\"a\":1,\"a\":2}",
                                         "{\"a\":1234567890123456}",
                                         "{\"a\":tru",
                                         "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_null(json_quick(others[i], strlen(others[i])));
}

/* The same list in one sweep as number by number, also deeper than any room kept for blanks. */
static void lists_are_their_numbers(void **state)
{
    (void)state;
    static const uint64_t values[] = {0,    7,     10,    99,     100,    999,     1000,
                                      9999, 10000, 99999, 100000, 999999, 1000000, 1099511627776};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (unsigned depth = 0; depth < 50; depth += 7) {
        for (size_t count = 0; count <= COUNT; count++) {
            struct buffer found = {0};
            struct buffer wanted = {0};
            struct json_text list = {.buffer = &found, .depth = depth, .first = true};
            struct json_text each = {.buffer = &wanted, .depth = depth, .first = true};
            json_text_integers(&list, "list", values, count);
            json_text_open(&each, "list", '[');
            for (size_t i = 0; i < count; i++)
                json_text_integer(&each, NULL, (long long)values[i]);
            json_text_close(&each, ']');
            assert_string_equal(found.data, wanted.data);
            assert_int_equal(list.first, each.first);
            buffer_free(&found);
            buffer_free(&wanted);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_what_jansson_writes),
        cmocka_unit_test(numbers_are_whole_where_they_can_be),
        cmocka_unit_test(quick_reading_is_jansson_s),
        cmocka_unit_test(quick_numbers_are_the_nearest),
        cmocka_unit_test(quick_reading_leaves_the_rest_alone),
        cmocka_unit_test(lists_are_their_numbers),
    };
    return cmocka_run_group_tests_name("base/json_text", tests, NULL, NULL);
}
