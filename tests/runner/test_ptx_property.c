/* Random kernels for random NVIDIA GPUs: each is refused with a reason, or the manifest's sectors equal a
 * count over its threads' addresses, and ptxas accepts it. TRAUMA_CASES sets the number of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "runner/sources/bytes/ptxas.h"
#include "tests/given_manifest.h"
#include "tests/gpu_random.h"
#include "tests/mutate.h"

enum { USUAL_CASES = 60, EACH_ASSEMBLED = 12, SECTOR = 32, WARP = 32, MOST_SECTORS = 4096 };

struct tally {
    unsigned refused, made, assembled;
};

static json_t *random_nvidia(struct random *random)
{
    static const char *const archs[] = {"sm_75", "sm_80", "sm_86", "sm_90", "sm_120"};
    json_t *bandwidth = json_pack("{s:i, s:i, s:i, s:i}", "SHARED", 128, "L1", 128, "L2", 2048, "MEM", 512);
    json_t *gpu =
        json_pack("{s:s, s:i, s:i, s:o}", "arch", archs[pick(random, 5)], "sm", (int)(1 + pick(random, 40)),
                  "shared", (int)PICK(random, 16, 32, 48) * 1024, "bandwidth", bandwidth);
    return json_pack("{s:s, s:s, s:{s:{s:i}, s:{s:i}}, s:o}", "name", "random", "isa", "ptx", "caches", "L1",
                     "size", (int)PICK(random, 64, 128, 256) * 1024, "L2", "size",
                     (int)PICK(random, 1024, 4096, 6144) * 1024, "gpu", gpu);
}

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* Different sectors in which a warp's bytes lie, of all warps of a block. */
static uint64_t sectors_of(const json_t *stream, uint64_t threads)
{
    static unsigned char seen[MOST_SECTORS];
    uint64_t lane = number(stream, "lane"), width = number(stream, "width"), count = 0;
    for (uint64_t first = 0; first < threads; first += WARP) {
        uint64_t base = first * lane / SECTOR;
        memset(seen, 0, sizeof seen);
        for (uint64_t t = first; t < threads && t < first + WARP; t++)
            for (uint64_t byte = t * lane; byte < t * lane + width; byte++) {
                assert_true(byte / SECTOR - base < MOST_SECTORS);
                count += !seen[byte / SECTOR - base];
                seen[byte / SECTOR - base] = 1;
            }
    }
    return count;
}

/* The blocks that work: of those that go to the multiprocessors in turn, the ones that the recipe's list
 * names. */
static uint64_t working_blocks(const json_t *list, uint64_t blocks, unsigned multiprocessors)
{
    uint64_t working = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        bool named = list == NULL;
        for (size_t i = 0; i < json_array_size(list); i++)
            named =
                named || json_integer_value(json_array_get(list, i)) == (json_int_t)(block % multiprocessors);
        working += named;
    }
    return working;
}

static void check_sectors(const json_t *manifest, const json_t *list, unsigned multiprocessors)
{
    static const char *const levels[] = {"SHARED", "DSMEM", "L1", "L2", "MEM"};
    const json_t *streams = json_object_get(manifest, "streams"), *grid = json_object_get(manifest, "grid");
    uint64_t threads = number(grid, "threads"),
             blocks = working_blocks(list, number(grid, "blocks"), multiprocessors);
    for (size_t level = 0; level < sizeof levels / sizeof levels[0]; level++) {
        uint64_t loads = 0, sectors = 0;
        for (size_t i = 0; i < json_array_size(streams); i++) {
            const json_t *stream = json_array_get(streams, i);
            if (strcmp(json_string_or(stream, "op", ""), "load") != 0 ||
                strcmp(json_string_or(stream, "predicted", ""), levels[level]) != 0)
                continue;
            loads += number(stream, "per_pass") * threads * blocks;
            sectors += number(stream, "per_pass") * sectors_of(stream, threads) * blocks;
        }
        assert_int_equal(loads, number(json_object_get(manifest, "accesses"), levels[level]));
        assert_int_equal(sectors, number(json_object_get(manifest, "transfers"), levels[level]));
    }
}

static void assemble(const struct program *program, const char *arch, struct tally *tally)
{
    struct ptxas_result result = {0};
    struct error error = {0};
    enum status status = ptxas_assemble(program->source.data, program->source.size, arch, &result, &error);
    if (status == STATUS_FAILED)
        fail_msg("%s\n%s", error.message, program->source.data);
    tally->assembled += status == STATUS_OK;
    ptxas_free(&result);
}

/* Some of what shared memory serves becomes that of another block, and some grids have clusters. */
static void random_clusters(struct random *random, const json_t *unit, json_t *point)
{
    size_t i;
    const json_t *item;
    bool any = false;
    json_array_foreach(unit, i, item)
    {
        json_t *served = json_object_get(item, "served"), *share = json_object_get(served, "SHARED");
        if (share == NULL || strcmp(json_string_or(item, "op", ""), "load") != 0 || chance(random, 2))
            continue;
        any = true;
        json_object_set(served, "DSMEM", share);
        json_object_del(served, "SHARED");
    }
    unsigned cluster = any ? PICK(random, 0, 2, 3, 4, 8) : PICK(random, 0, 0, 0, 1, 2);
    json_t *grid = json_object_get(point, "grid");
    if (cluster == 0)
        return;
    json_object_set_new(grid, "cluster", json_integer(cluster));
    if (!chance(random, 8))
        json_object_set_new(grid, "blocks", json_integer((json_int_t)(cluster * (1 + pick(random, 8)))));
}

static void one_case(const struct code_generator *code_generator, struct random *random, bool whole,
                     struct tally *tally)
{
    static const char *const loads[] = {"ca", "cg", "cs", "cv", "nc", NULL};
    static const char *const stores[] = {"wb", "cg", "cs", "wt", NULL};
    struct machine machine;
    struct program program;
    struct error error = {0};
    json_t *document = random_nvidia(random);
    if (machine_from_json(document, "random", &machine, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    unsigned threads = PICK(random, 32, 64, 128, 256, 96, 48);
    json_t *unit = random_unit(random, loads, stores);
    json_t *place = json_object();
    if (chance(random, 4))
        json_object_set_new(place, "sm", random_list(random, machine.gpu.sm));
    json_t *point = random_point(random, "ptx", unit, place, machine.gpu.sm, threads);
    random_clusters(random, unit, point);
    enum status status = program_make(code_generator, given_point(point), &machine, 1, &program, &error);
    if (status == STATUS_OK) {
        json_t *manifest = written_manifest(program.manifest);
        check_sectors(manifest, json_object_get(place, "sm"), machine.gpu.sm);
        json_decref(manifest);
        if (whole)
            assemble(&program, machine.gpu.arch, tally);
        tally->made++;
    } else {
        if (status != STATUS_RECIPE || error.message[0] == '\0')
            fail_msg("%d: %s", status, error.message);
        tally->refused++;
    }
    program_free(&program);
    json_decref(point);
    json_decref(document);
    machine_free(&machine);
}

static void sectors_are_counted(void **state)
{
    (void)state;
    struct code_generator code_generator;
    struct error error = {0};
    struct tally tally = {0};
    const char *wished = getenv("TRAUMA_CASES");
    unsigned cases = wished == NULL ? USUAL_CASES : (unsigned)atoi(wished);
    struct random random = mutate_start("ptx property");
    if (code_generator_open("ptx", &code_generator, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < cases; i++)
        one_case(&code_generator, &random, i % EACH_ASSEMBLED == 0, &tally);
    code_generator_close(&code_generator);
    print_message("%u made, %u refused, %u by ptxas\n", tally.made, tally.refused, tally.assembled);
    assert_true(tally.made > cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sectors_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
