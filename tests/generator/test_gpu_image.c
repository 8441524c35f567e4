/* Damaged kernels of GPUs, and damaged data of their manifests: each ends with a program or an image, or with
 * a status and a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/gpu/gpu_program.h"
#include "generator/gpu/image.h"
#include "generator/program.h"
#include "tests/generator/gpu_toy.h"
#include "tests/mutate.h"

static const char POINT[] =
    "{\"benchmark\":\"fuzz\",\"point\":\"default\",\"target\":\"ptx\",\"kernel\":{\"unit\":[{\"op\":\"load\","
    "\"served\":"
    "{\"L1\":0.5,\"L2\":0.5},\"order\":\"even\",\"address\":\"chase\",\"width\":8,\"count\":2,\"stride\":"
    "\"random\"},"
    "{\"op\":\"load\",\"served\":{\"MEM\":1},\"width\":4,\"lane\":8,\"stride\":512,\"bus\":256,\"data\":{"
    "\"toggle\":0.5}},"
    "{\"op\":\"store\",\"working_set\":65536,\"width\":16},{\"op\":\"add\",\"count\":3,\"dependents\":1},"
    "{\"op\":\"branch\",\"divergence\":0.25},{\"op\":\"throttle\",\"duty\":0.5}],\"loop\":{\"units\":8}},"
    "\"grid\":{\"blocks\":8,\"threads\":64},\"place\":{\"sm\":[0,1,2]}}";

static const char DATA[] =
    "{\"bytes\":20480,\"align\":4096,\"regions\":[{\"offset\":0,\"bytes\":4096,\"fill\":{\"kind\":\"chase\","
    "\"step\":32,"
    "\"count\":128,\"multiplier\":\"0x5\",\"increment\":\"0x3\",\"relative\":true}},{\"offset\":4096,"
    "\"bytes\":8192,"
    "\"fill\":{\"kind\":\"words\",\"width\":8,\"words\":[\"0x0123456789abcdef\",\"0xffffffffffffffff\"]}},"
    "{\"offset\":16384,\"bytes\":4096,\"fill\":{\"kind\":\"zeros\"}}]}";

static void damaged_kernels_are_told(void **state)
{
    (void)state;
    struct gpu_toy toy;
    struct workshop workshop;
    struct error error;
    struct buffer whole = {0};
    struct random random = mutate_start("gpu kernels");
    unsigned good = 0, bad = 0;
    buffer_text(&whole, POINT);
    gpu_toy_open(&toy, toy_gpu);
    assert_int_equal(workshop_open("ptx", &workshop, &error), STATUS_OK);
    bool first = true;
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span); first = false) {
        struct buffer damaged = {0};
        if (first)
            buffer_text(&damaged, POINT);
        else
            damaged = mutate(&random, &whole);
        json_t *point = json_loadb(damaged.data, damaged.size, JSON_ALLOW_NUL, NULL);
        if (point != NULL) {
            struct program program;
            memset(&error, 0, sizeof error);
            enum status status = gpu_program_write(&workshop, point, &toy.machine, 1, &program, &error);
            if (first && status != STATUS_OK)
                fail_msg("%s", error.message);
            assert_true(status == STATUS_OK || error.message[0] != '\0');
            good += status == STATUS_OK;
            bad += status != STATUS_OK;
            program_free(&program);
        }
        json_decref(point);
        buffer_free(&damaged);
    }
    buffer_free(&whole);
    workshop_close(&workshop);
    gpu_toy_close(&toy);
    print_message("%u programs made, %u refused\n", good, bad);
    assert_true(good > 1 && bad > 10);
}

static void damaged_images_are_told(void **state)
{
    (void)state;
    struct random random = mutate_start("gpu images");
    struct buffer whole = {0};
    unsigned good = 0, bad = 0;
    buffer_text(&whole, DATA);
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &whole);
        json_t *data = json_loadb(damaged.data, damaged.size, JSON_ALLOW_NUL, NULL);
        struct arena arena = {0};
        struct gpu_image image;
        struct error error = {0};
        unsigned char bytes[512];
        if (data != NULL) {
            enum status status = gpu_image_read(data, &arena, &image, &error);
            assert_true(status == STATUS_OK || error.message[0] != '\0');
            for (uint64_t from = 0; status == STATUS_OK && from < image.bytes && from < 32768;
                 from += sizeof bytes)
                gpu_image_fill(&image, (uint64_t)1 << 40, from, sizeof bytes, bytes);
            good += status == STATUS_OK;
            bad += status != STATUS_OK;
        }
        arena_free(&arena);
        json_decref(data);
        buffer_free(&damaged);
    }
    buffer_free(&whole);
    print_message("%u images read, %u refused\n", good, bad);
    assert_true(good > 1 && bad > 10);
}

/* A rule that is written reads back to the same bytes, whole or in parts. */
static void images_read_back(void **state)
{
    (void)state;
    struct error error;
    struct arena arena = {0};
    struct gpu_image image, again;
    unsigned char whole[20480], part[64];
    json_t *data = json_parse(DATA, strlen(DATA), "data", &error);
    assert_int_equal(gpu_image_read(data, &arena, &image, &error), STATUS_OK);
    gpu_image_fill(&image, (uint64_t)1 << 40, 0, sizeof whole, whole);
    for (size_t i = 0; i < image.rule_count; i++) {
        json_t *region = json_array_get(json_object_get(data, "regions"), i);
        json_object_set_new(region, "fill", gpu_rule_to_json(&image.rules[i]));
    }
    assert_int_equal(gpu_image_read(data, &arena, &again, &error), STATUS_OK);
    for (size_t from = 0; from < sizeof whole; from += sizeof part) {
        gpu_image_fill(&again, (uint64_t)1 << 40, from, sizeof part, part);
        assert_memory_equal(part, whole + from, sizeof part);
    }
    json_decref(data);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_kernels_are_told),
                                       cmocka_unit_test(damaged_images_are_told),
                                       cmocka_unit_test(images_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
