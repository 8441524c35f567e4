#include "bench/program_side.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/files/paths.h"
#include "generator/machine/detect.h"
#include "runner/measure/process_group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <x86intrin.h>

/* Long enough that scheduler slices matter little, short enough for many rounds. */
static const double RUN_S = 0.15;
static const double CLOCK_S = 0.05;
static const double TIMEOUT_S = 120;
enum { FIRST_PASSES = 1000 };

static double ticks_per_second(void)
{
    double begin_s = clock_now_s();
    uint64_t begin = __rdtsc();
    while (clock_now_s() - begin_s < CLOCK_S) {
    }
    uint64_t ticks = __rdtsc() - begin;
    return (double)ticks / (clock_now_s() - begin_s);
}

enum status bench_shop_open(struct bench_shop *shop, struct error *error)
{
    memset(shop, 0, sizeof *shop);
    enum status status = detect_machine(&shop->machine, error);
    if (status == STATUS_OK)
        status = code_generator_open(shop->machine.isa, &shop->code_generator, error);
    if (status != STATUS_OK)
        return status;
    shop->ticks_per_s = ticks_per_second();
    return STATUS_OK;
}

void bench_shop_close(struct bench_shop *shop)
{
    code_generator_close(&shop->code_generator);
    machine_free(&shop->machine);
}

static enum status load(const struct bench_shop *shop, const char *name, struct recipe *recipe,
                        struct error *error)
{
    char home[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    char file[64];
    memset(recipe, 0, sizeof *recipe);
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    snprintf(file, sizeof file, "recipes/%s.lua", name);
    return recipe_load(file_join(path, home, file), &shop->machine, &shop->code_generator.templates, NULL, 0,
                       recipe, error);
}

enum status bench_points(struct bench *bench, const struct bench_shop *shop, const char *name,
                         bench_visit *visit, struct error *error)
{
    struct recipe recipe;
    enum status status = load(shop, name, &recipe, error);
    for (size_t i = 0; status == STATUS_OK && i < recipe.count; i++) {
        struct buffer text = {0};
        struct manifest *stated = NULL;
        status = recipe_text(&recipe, &recipe.points[i], &text, error);
        if (status == STATUS_OK)
            stated = point_read(&text, recipe.file, error);
        const struct bench_point point = {&recipe.points[i], stated};
        if (status == STATUS_OK)
            status = stated == NULL ? error->code : visit(bench, shop, &point, error);
        manifest_free(stated);
        buffer_free(&text);
    }
    recipe_free(&recipe);
    return status;
}

uint64_t bench_footprint(const struct bench_point *point)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < point->stated->unit_count; i++)
        bytes += (uint64_t)point->stated->unit[i].working_set;
    return bytes;
}

static double bytes_per_pass(const struct bench_point *point, const struct manifest *manifest)
{
    double bytes = 0;
    for (size_t i = 0; i < point->stated->unit_count; i++) {
        const struct manifest_item *item = &point->stated->unit[i];
        bytes += (isnan(item->width) ? 0 : item->width) * (item->count == 0 ? 1 : item->count);
    }
    return bytes * manifest->units;
}

enum status program_side_open(const struct bench_shop *shop, const struct bench_point *point, int cpu,
                              bool count_loads, struct program_side *side, struct error *error)
{
    memset(side, 0, sizeof *side);
    side->shop = shop;
    enum status status =
        program_make(&shop->code_generator, point->stated, &shop->machine, 1, &side->program, error);
    if (status != STATUS_OK)
        return status;
    const struct manifest *manifest = side->program.manifest;
    side->test_program = (struct test_program){.benchmark = point->point->benchmark,
                                               .point = point->point->name,
                                               .manifest = manifest,
                                               .executable = side->program.executable.data,
                                               .executable_size = side->program.executable.size,
                                               .object = side->program.object.data,
                                               .object_size = side->program.object.size,
                                               .machine = &shop->machine,
                                               .cpu = cpu};
    side->each_per_pass = count_loads ? manifest->loads : bytes_per_pass(point, manifest);
    side->least = (uint64_t)manifest->warmup;
    return STATUS_OK;
}

void program_side_close(struct program_side *side)
{
    program_free(&side->program);
}

enum status program_side_measure(void *context, double *rate, struct error *error)
{
    struct program_side *side = context;
    bool known = side->passes > 0;
    uint64_t passes = known ? side->passes : side->least > FIRST_PASSES ? side->least : FIRST_PASSES;
    uint64_t ticks = 0;
    enum status status = process_group_run_program(&side->test_program, passes, TIMEOUT_S, &ticks, error);
    if (status != STATUS_OK)
        return status;
    double seconds = (double)ticks / side->shop->ticks_per_s;
    *rate = side->each_per_pass * (double)passes / seconds;
    if (known)
        return STATUS_OK;
    uint64_t wanted = (uint64_t)((double)passes * RUN_S / seconds);
    side->passes = wanted > side->least ? wanted : side->least;
    return program_side_measure(side, rate, error);
}
