/* Text written straight is what jansson would write: random documents, whole, compared character for
 * character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_what_jansson_writes),
        cmocka_unit_test(numbers_are_whole_where_they_can_be),
    };
    return cmocka_run_group_tests_name("base/json_text", tests, NULL, NULL);
}
