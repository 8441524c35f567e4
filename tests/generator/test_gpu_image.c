/* The rules for filling a device's data (tests/fuzz/fuzz_image.c damages them). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "generator/suite/gpu_regions.h"

static const char DATA[] =
    "{\"bytes\":20480,\"align\":4096,\"regions\":[{\"offset\":0,\"bytes\":4096,\"fill\":{\"kind\":\"chase\","
    "\"step\":32,"
    "\"count\":128,\"multiplier\":\"0x5\",\"increment\":\"0x3\",\"relative\":true}},{\"offset\":4096,"
    "\"bytes\":8192,"
    "\"fill\":{\"kind\":\"words\",\"width\":8,\"words\":[\"0x0123456789abcdef\",\"0xffffffffffffffff\"]}},"
    "{\"offset\":16384,\"bytes\":4096,\"fill\":{\"kind\":\"zeros\"}}]}";

/* A rule that is written reads back to the same bytes, whole or in parts. */
static void images_read_back(void **state)
{
    (void)state;
    struct error error;
    struct arena arena = {0};
    struct gpu_image image, again;
    unsigned char whole[20480], part[64];
    json_t *data = json_parse(DATA, strlen(DATA), "data", &error);
    assert_int_equal(gpu_regions_read(&(struct manifest_data){.document = data}, &arena, &image, &error),
                     STATUS_OK);
    gpu_image_fill(&image, (uint64_t)1 << 40, 0, sizeof whole, whole);
    for (size_t i = 0; i < image.rule_count; i++) {
        json_t *region = json_array_get(json_object_get(data, "regions"), i);
        struct json_text text = {.depth = 1, .tree = {region}};
        gpu_rule_write(&text, "fill", &image.rules[i]);
    }
    assert_int_equal(gpu_regions_read(&(struct manifest_data){.document = data}, &arena, &again, &error),
                     STATUS_OK);
    for (size_t from = 0; from < sizeof whole; from += sizeof part) {
        gpu_image_fill(&again, (uint64_t)1 << 40, from, sizeof part, part);
        assert_memory_equal(part, whole + from, sizeof part);
    }
    json_decref(data);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(images_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
