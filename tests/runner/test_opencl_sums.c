/* The generator's own OpenCL C, run on PoCL: the sum by each block's thread 0 must be that of the words at
 * the addresses that the manifest states for its stream, including pattern and strides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "generator/suite/gpu_regions.h"
#include "runner/devices/launcher.h"
#include "runner/process/worker.h"
#include "tests/given_manifest.h"
#include "tests/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PASSES = 37 };
static struct error error;
static char folder[] = "/tmp/test_opencl_sums.XXXXXX";

static const char recipe[] =
    "benchmark {\n"
    "  name = 'p', target = 'gcn', grid = { blocks = 3, threads = 64 }, loop = { units = 35 },\n"
    "  sweep = { level = { 'SHARED', 'L1', 'L2', 'MEM' }, width = { 4, 8 },\n"
    "            data = { 'words', 'random' } },\n"
    "  kernel = function(p)\n"
    "    local data = { random = pattern.random(),\n"
    "                   words = pattern.words { 0x1234567, 0x89abcdef, 0x55555555 } }\n"
    "    return { load { served_by = { [p.level] = 1 }, width = p.width, data = data[p.data] } }\n"
    "  end,\n"
    "}\n";

/* ---- what is run ---- */

static enum status answer_sums(void *context, const struct worker_bytes *request, struct buffer *answer,
                               struct error *why_not)
{
    const struct test_program *test_program = context;
    struct device_run ran = {0};
    struct device_facts facts = device_facts_none();
    void *handle = NULL;
    (void)request;
    enum status status = opencl_driver.open(test_program, &handle, &facts, why_not);
    if (status == STATUS_OK)
        status = opencl_driver.run(handle, PASSES, &ran, why_not);
    for (size_t i = 0; status == STATUS_OK && i < ran.blocks; i++)
        buffer_append(answer, &ran.entries[i].sum, sizeof ran.entries[i].sum);
    device_facts_free(&facts);
    return status;
}

/* One of each block. */
static void run(const struct test_program *test_program, struct buffer *sums)
{
    const struct worker_job job = {.answer = answer_sums, .context = (void *)(uintptr_t)test_program};
    struct worker worker;
    assert_int_equal(worker_start(&job, &worker, &error), STATUS_OK);
    if (worker_ask(&worker, &(struct worker_bytes){NULL, 0}, 60, "the sums", sums, &error) != STATUS_OK)
        fail_msg("%s: %s", test_program->point, error.message);
    worker_end(&worker);
}

/* ---- what it should be ---- */

static uint32_t word_at(const struct gpu_image *image, uint64_t at)
{
    unsigned char bytes[8];
    uint32_t word;
    gpu_image_fill(image, 0, at / 8 * 8, sizeof bytes, bytes);
    memcpy(&word, bytes + at % 8, sizeof word);
    return word;
}

/* Of one block; a stream in shared memory is a copy that begins at 0 there. */
static uint32_t sum_of(const json_t *manifest, const struct gpu_image *image, uint64_t block)
{
    const json_t *stream = json_array_get(json_object_get(manifest, "streams"), 0);
    const char *const keys[] = {"bytes", "step", "block", "advance", "per_pass", "width"};
    uint64_t of[6];
    for (size_t i = 0; i < 6; i++)
        of[i] = (uint64_t)json_integer_value(json_object_get(stream, keys[i]));
    uint64_t passes = PASSES + (uint64_t)json_integer_value(json_object_get(manifest, "warmup"));
    bool shared = strcmp(json_string_or(stream, "level", ""), "SHARED") == 0;
    uint64_t at = shared ? 0 : block * of[2] % of[0];
    uint32_t sum = 0;
    for (; passes > 0; passes--) {
        for (uint64_t i = 0; i < of[4]; i++)
            for (uint64_t part = 0; part < of[5]; part += 4)
                sum ^= word_at(image, at + i * of[1] % of[0] + part);
        at += of[3];
        at -= at >= of[0] ? of[0] : 0;
    }
    return sum ^ (uint32_t)at;
}

/* ---- one program ---- */

static void check(const char *point)
{
    char path[256];
    struct buffer text = {0};
    struct buffer manifest_text = {0};
    struct arena arena = {0};
    struct gpu_image image;
    struct machine machine = {.present = true};
    snprintf(path, sizeof path, "%s/s/p/%s/program.cl", folder, point);
    assert_int_equal(file_read(path, &text, &error), STATUS_OK);
    snprintf(path, sizeof path, "%s/s/p/%s/manifest.json", folder, point);
    assert_int_equal(file_read(path, &manifest_text, &error), STATUS_OK);
    json_t *manifest = json_parse(manifest_text.data, manifest_text.size, path, &error);
    const struct test_program test_program = {.benchmark = "p",
                                              .point = point,
                                              .manifest = given_manifest(manifest),
                                              .source = text.data,
                                              .source_size = text.size,
                                              .machine = &machine,
                                              .cpu = -1};
    assert_int_equal(gpu_regions_read(&test_program.manifest->data, &arena, &image, &error), STATUS_OK);
    struct buffer sums = {0};
    run(&test_program, &sums);
    assert_int_equal(sums.size, 3 * sizeof(uint64_t));
    for (size_t block = 0; block < 3; block++) {
        uint32_t wanted = sum_of(manifest, &image, block);
        uint32_t found = (uint32_t)((const uint64_t *)(const void *)sums.data)[block];
        if (found != wanted)
            fail_msg("%s: block %zu added up 0x%08x, its stream's words make 0x%08x", point, block, found,
                     wanted);
    }
    buffer_free(&sums);
    json_decref(manifest);
    arena_free(&arena);
    buffer_free(&manifest_text);
    buffer_free(&text);
}

static void generated_programs_load_what_their_manifests_say(void **state)
{
    static const char *const levels[] = {"SHARED", "L1", "L2", "MEM"};
    static const char *const patterns[] = {"words", "random"};
    struct error why_not;
    (void)state;
    struct device *devices;
    size_t count;
    if (launch_devices(&opencl_driver, &devices, &count, &why_not) != STATUS_OK)
        skip_because("no OpenCL device here: %s", why_not.message);
    free(devices);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 2; j++)
            for (int width = 4; width <= 8; width += 4) {
                char point[64];
                snprintf(point, sizeof point, "data=%s,level=%s,width=%d", patterns[j], levels[i], width);
                check(point);
            }
}

/* A suite of them. */
static int generate(void **state)
{
    char path[64];
    char line[512];
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/p.lua", folder);
    if (file_write(path, recipe, strlen(recipe), false, &error) != STATUS_OK)
        return -1;
    snprintf(line, sizeof line, "'%s/trauma' gen %s/p.lua -m w9100 -q -o %s/s", TRAUMA_BUILD_DIR, folder,
             folder);
    return system(line) == 0 ? 0 : -1;
}

static int clean_up(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(generated_programs_load_what_their_manifests_say, generate, clean_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
