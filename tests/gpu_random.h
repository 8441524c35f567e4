/* Random GPUs and random kernels for them, as documents: for tests that hold what is generated to what
 * executes it. The same random state gives the same case. */
#ifndef TESTS_GPU_RANDOM_H
#define TESTS_GPU_RANDOM_H

#include "base/random.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline unsigned pick(struct random *random, unsigned count)
{
    return random_below(random, count);
}

static inline bool chance(struct random *random, unsigned of)
{
    return random_below(random, of) == 0;
}

#define PICK(random, ...)                                                                                    \
    ((const unsigned[]){                                                                                     \
        __VA_ARGS__}[pick(random, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))])

/* ---- kernels ---- */

static inline json_t *random_shares(struct random *random, bool store)
{
    static const char *const names[] = {"SHARED", "L1", "L2", "MEM"};
    unsigned parts[4] = {0};
    unsigned whole = PICK(random, 1, 1, 1, 2, 4, 8);
    json_t *served = json_object();
    for (unsigned i = 0; i < whole; i++)
        parts[store ? PICK(random, 0, 2, 3) : pick(random, 4)]++;
    for (unsigned i = 0; i < 4; i++)
        if (parts[i] > 0)
            json_object_set_new(served, names[i], json_real((double)parts[i] / whole));
    return served;
}

static inline void random_data(struct random *random, json_t *access, unsigned width, bool store)
{
    switch (pick(random, store ? 2 : 4)) {
    case 0:
        json_object_set_new(access, "data",
                            json_pack("{s:s}", "word", width == 4 ? "0xffffffff" : "0xffffffffffffffff"));
        break;
    case 1:
        break;
    default:
        double share = pick(random, 17) / 16.0;
        json_object_set_new(
            access, "data",
            json_pack("{s:f, s:s*}", "toggle", share, "order", share > 0.5 ? "program" : NULL));
        if (chance(random, 4))
            json_object_set_new(access, "bus", json_integer(PICK(random, 128, 256, 512, 1024)));
    }
}

/* operators: of loads and of stores beside the usual, NULL-terminated. */
static inline json_t *random_access(struct random *random, const char *const *loads,
                                    const char *const *stores)
{
    bool store = chance(random, 4), chase = !store && chance(random, 4);
    unsigned width = chase ? 8 : PICK(random, 4, 4, 8, 16);
    const char *const *operators = store ? stores : loads;
    static const char *const orders[] = {"shuffled", "even", "burst"};
    json_t *access = json_pack("{s:s, s:s, s:s, s:i, s:i}", "op", store ? "store" : "load", "order",
                               orders[pick(random, 3)], "address", chase ? "chase" : "independent", "width",
                               (int)width, "count", (int)PICK(random, 1, 1, 2, 3, 4));
    if (chance(random, 12))
        json_object_set_new(access, "working_set", json_integer((json_int_t)PICK(random, 2048, 8192, 65536)));
    else
        json_object_set_new(access, "served", random_shares(random, store));
    if (chance(random, 5))
        json_object_set_new(access, "lane", json_integer((json_int_t)width * PICK(random, 1, 2, 4, 8, 3)));
    if (chase && chance(random, 3))
        json_object_set_new(access, "stride", json_string("random"));
    else if (chance(random, 6))
        json_object_set_new(access, "stride", json_integer((json_int_t)(64 * (1 + pick(random, 64)))));
    unsigned count = 0;
    while (operators[count] != NULL)
        count++;
    if (chance(random, 4))
        json_object_set_new(access, "cache", json_string(operators[pick(random, count)]));
    if (!chase)
        random_data(random, access, width, store);
    return access;
}

static inline json_t *random_operation(struct random *random)
{
    static const char *const names[] = {"add", "mul", "xor", "shift", "fadd", "fmul", "fma", "nop"};
    json_t *item = json_pack("{s:s, s:i}", "op", names[pick(random, 8)], "count", (int)(1 + pick(random, 4)));
    if (chance(random, 2))
        json_object_set_new(item, "chain", json_integer(1 + (json_int_t)pick(random, 4)));
    return item;
}

static inline json_t *random_unit(struct random *random, const char *const *loads, const char *const *stores)
{
    json_t *unit = json_array();
    unsigned accesses = PICK(random, 1, 1, 2, 3);
    for (unsigned i = 0; i < accesses; i++) {
        json_array_append_new(unit, random_access(random, loads, stores));
        if (chance(random, 3))
            json_array_append_new(unit, random_operation(random));
    }
    if (chance(random, 4))
        json_array_append_new(unit, json_pack("{s:s, s:i, s:f}", "op", "branch", "count",
                                              (int)PICK(random, 1, 2), "divergence", pick(random, 9) / 8.0));
    if (chance(random, 6))
        json_array_append_new(unit,
                              json_pack("{s:s, s:f}", "op", "throttle", "duty", (1 + pick(random, 8)) / 8.0));
    return unit;
}

static inline json_t *random_list(struct random *random, unsigned count)
{
    json_t *list = json_array();
    unsigned keep = 1 + pick(random, 3);
    for (unsigned i = 0; i < count; i++)
        if (pick(random, count) < keep || (i + 1 == count && json_array_size(list) == 0))
            json_array_append_new(list, json_integer(i));
    return list;
}

/* ---- AMD's GPUs ---- */

static inline json_t *random_cache(unsigned kib, unsigned ways, unsigned line)
{
    return json_pack("{s:I, s:i, s:i, s:s}", "size", (json_int_t)kib * 1024, "ways", (int)ways, "line",
                     (int)line, "policy", "lru");
}

static inline json_t *random_gcn(struct random *random)
{
    static const char *const archs[] = {"gfx700", "gfx701", "gfx803", "gfx802",
                                        "gfx900", "gfx906", "gfx908", "gfx90a"};
    unsigned line = PICK(random, 64, 64, 64, 128);
    unsigned channels = PICK(random, 1, 2, 4, 8, 16, 6, 12);
    unsigned se = 1 + pick(random, 4), sh = 1 + pick(random, 2), cu = 1 + pick(random, 6);
    json_t *bandwidth =
        json_pack("{s:i, s:i, s:i, s:i}", "SHARED", 128, "L1", 64, "L2", (int)(64 * channels), "MEM", 256);
    json_t *gpu = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "arch",
                            archs[pick(random, 8)], "se", (int)se, "sh_per_se", (int)sh, "cu_per_sh", (int)cu,
                            "wave", 64, "block_threads", (int)PICK(random, 256, 1024), "l2_channels",
                            (int)channels, "interleave", (int)PICK(random, 256, 256, 512, 1024, 4096),
                            "shared", (int)PICK(random, 16, 32, 64) * 1024, "bandwidth", bandwidth);
    unsigned l2 = channels * PICK(random, 8, 16, 32, 64);
    return json_pack("{s:s, s:s, s:{s:o, s:o}, s:o}", "name", "random", "isa", "gcn", "caches", "L1",
                     random_cache(PICK(random, 8, 16, 32), PICK(random, 4, 4, 8, 64), line), "L2",
                     random_cache(l2, PICK(random, 4, 8, 16, 16), line), "gpu", gpu);
}

static inline json_t *random_place(struct random *random, const json_t *gpu)
{
    json_t *place = json_object();
    unsigned channels = (unsigned)json_integer_value(json_object_get(gpu, "l2_channels"));
    if (chance(random, 4))
        json_object_set_new(place, "se",
                            random_list(random, (unsigned)json_integer_value(json_object_get(gpu, "se"))));
    if (chance(random, 6))
        json_object_set_new(
            place, "cu",
            random_list(random, (unsigned)json_integer_value(json_object_get(gpu, "cu_per_sh"))));
    if (chance(random, 4)) {
        unsigned first = pick(random, channels), count = 1 + pick(random, channels - first);
        json_t *list = json_array();
        for (unsigned i = 0; i < count; i++)
            json_array_append_new(list, json_integer(first + i));
        json_object_set_new(place, "l2_channels", list);
    }
    return place;
}

static inline json_t *random_point(struct random *random, const char *target, json_t *unit, json_t *place,
                                   unsigned units, unsigned threads)
{
    json_t *grid = json_object();
    json_t *loop = json_object();
    if (chance(random, 2))
        json_object_set_new(loop, "units", json_integer(PICK(random, 8, 16, 24, 32, 64, 1)));
    if (chance(random, 2))
        json_object_set_new(grid, "blocks", json_integer(1 + (json_int_t)pick(random, 2 * units)));
    json_object_set_new(grid, "threads", json_integer((json_int_t)threads));
    return json_pack("{s:s, s:s, s:{}, s:s, s:{s:o, s:o}, s:o, s:o}", "benchmark", "random", "point",
                     "default", "parameters", "target", target, "kernel", "unit", unit, "loop", loop, "grid",
                     grid, "place", place);
}

#endif
