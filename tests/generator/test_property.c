/* For random machines, rates and kernels: every plan meets its rates in an LRU simulator that belongs to this
 * test and shares no code with the product. TRAUMA_SEED varies the cases, TRAUMA_CASES their number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "base/random.h"
#include "generator/plan/plan_make.h"
#include "generator/plan/plan_rates.h"
#include "tests/trials.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = TRIALS_MACHINES(400), PASSES = 100, TEXT_BYTES = 4096 };

/* ---- the simulator: a line's age is the time of its last use ---- */

struct lru {
    uint64_t sets, ways, line;
    uint64_t *lines; /* [sets][ways], 0 where there is none: addresses begin above 0 */
    uint64_t *used;  /* [sets][ways] */
    uint64_t time;
};

static struct lru lru_new(const struct cache *cache)
{
    struct lru lru = {.sets = cache->size / ((uint64_t)cache->ways * cache->line),
                      .ways = cache->ways,
                      .line = cache->line};
    lru.lines = calloc(lru.sets * lru.ways, sizeof *lru.lines);
    lru.used = calloc(lru.sets * lru.ways, sizeof *lru.used);
    assert_true(lru.lines != NULL && lru.used != NULL);
    return lru;
}

static bool lru_access(struct lru *lru, uint64_t address)
{
    uint64_t wanted = address / lru->line;
    uint64_t first = wanted % lru->sets * lru->ways;
    uint64_t oldest = first;
    lru->time++;
    for (uint64_t i = first; i < first + lru->ways; i++) {
        if (lru->lines[i] == wanted) {
            lru->used[i] = lru->time;
            return true;
        }
        if (lru->used[i] < lru->used[oldest])
            oldest = i;
    }
    lru->lines[oldest] = wanted;
    lru->used[oldest] = lru->time;
    return false;
}

static void lru_free(struct lru *lru)
{
    free(lru->lines);
    free(lru->used);
}

/* ---- random cases ---- */

static unsigned pick(struct random *random, const unsigned *values, size_t count)
{
    return values[random_below(random, (uint32_t)count)];
}
#define PICK(random, ...)                                                                                    \
    pick((random), (const unsigned[]){__VA_ARGS__}, sizeof(const unsigned[]){__VA_ARGS__} / sizeof(unsigned))

/* deep: with caches in which levels can be told apart, and an L3 cache if asked for. */
static void write_machine(struct random *random, bool deep, bool with_l3, char *text)
{
    unsigned line = PICK(random, 16, 32, 64, 128);
    unsigned ways = 1 + random_below(random, 16);
    unsigned sets = deep ? PICK(random, 16, 32, 64, 128) : PICK(random, 1, 2, 4, 16, 32, 64, 128);
    unsigned l1 = sets * ways * line;
    unsigned l2_line = line * PICK(random, 1, 1, 1, 2);
    unsigned l2_ways = 1 + random_below(random, 16);
    unsigned l2_sets = deep ? PICK(random, 128, 256, 384, 512) : PICK(random, 64, 256, 512, 768, 1024, 2048);
    unsigned l2 = l2_sets * l2_ways * l2_line;
    while (l2 < l1)
        l2 *= 2;
    unsigned tlb = PICK(random, 0, 16, 64);
    snprintf(text, TEXT_BYTES,
             "{\"name\":\"random\",\"isa\":\"x86_64\",\"caches\":{"
             "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64,\"policy\":\"lru\"},"
             "\"L1D\":{\"size\":%u,\"ways\":%u,\"line\":%u,\"policy\":\"lru\"},"
             "\"L2\":{\"size\":%u,\"ways\":%u,\"line\":%u,\"policy\":\"lru\"}",
             l1, ways, line, l2, l2_ways, l2_line);
    size_t used = strlen(text);
    unsigned l3_ways = 4 + random_below(random, 28);
    unsigned l3 = l2_line * PICK(random, 512, 1024, 1536, 2048) * l3_ways;
    if (with_l3)
        snprintf(text + used, TEXT_BYTES - used,
                 ",\"L3\":{\"size\":%u,\"ways\":%u,\"line\":%u,\"policy\":\"lru\"}}", l3 > l2 ? l3 : 2 * l2,
                 l3 > l2 ? l3_ways : l2_ways, l2_line);
    else
        snprintf(text + used, TEXT_BYTES - used, "}");
    used = strlen(text);
    if (tlb == 0)
        snprintf(text + used, TEXT_BYTES - used, "}");
    else
        snprintf(text + used, TEXT_BYTES - used,
                 ",\"tlb\":{\"data\":{\"entries\":%u,\"ways\":4,\"page\":4096}}}", tlb);
}

static double random_rate(struct random *random)
{
    unsigned denominator = PICK(random, 1, 2, 3, 7, 10, 20, 100, 100, 1000);
    return (double)random_below(random, denominator + 1) / denominator;
}

/* Shares of a thousand accesses by level, the deeper ones only where they are asked for. */
static void random_shares(struct random *random, bool l3, bool memory, double shares[LEVEL_COUNT])
{
    double misses = random_rate(random);
    double deeper = l3 || memory ? random_rate(random) : 0;
    double last = !l3 ? 1 : memory ? random_rate(random) : 0;
    shares[LEVEL_L1] = 1 - misses;
    shares[LEVEL_L2] = misses * (1 - deeper);
    shares[LEVEL_L3] = misses * deeper * (1 - last);
    shares[LEVEL_MEM] = misses * deeper * last;
}

static size_t write_access(struct random *random, const char *op, const double shares[LEVEL_COUNT],
                           char *text, size_t capacity)
{
    static const char *const orders[] = {"shuffled", "even", "burst"};
    bool chase = strcmp(op, "load") == 0 && random_below(random, 2) == 0;
    return (size_t)snprintf(
        text, capacity,
        "{\"op\":\"%s\",\"served\":{\"L1\":%.12g,\"L2\":%.12g,\"L3\":%.12g,\"MEM\":%.12g},"
        "\"order\":\"%s\",\"address\":\"%s\",\"width\":8,\"count\":%u}",
        op, shares[LEVEL_L1], shares[LEVEL_L2], shares[LEVEL_L3], shares[LEVEL_MEM],
        orders[random_below(random, 3)], chase ? "chase" : "independent", 1 + random_below(random, 3));
}

static void write_kernel(struct random *random, bool deep, bool l3, char *text)
{
    double shares[LEVEL_COUNT];
    size_t used = (size_t)snprintf(text, TEXT_BYTES, "{\"unit\":[");
    random_shares(random, deep && l3, deep && random_below(random, 2) == 0, shares);
    used += write_access(random, "load", shares, text + used, TEXT_BYTES - used);
    unsigned adds = random_below(random, 4);
    if (adds > 0)
        used += (size_t)snprintf(text + used, TEXT_BYTES - used,
                                 ",{\"op\":\"add\",\"count\":%u,\"dependents\":%u,\"chain\":0}", adds,
                                 random_below(random, adds + 1));
    if (random_below(random, 4) == 0) {
        text[used++] = ',';
        random_shares(random, deep && l3, deep && random_below(random, 2) == 0, shares);
        const char *op = deep && random_below(random, 2) == 0 ? "store" : "load";
        used += write_access(random, op, shares, text + used, TEXT_BYTES - used);
    }
    unsigned units = PICK(random, 0, 0, 10, 64, 150);
    if (units == 0)
        snprintf(text + used, TEXT_BYTES - used, "],\"loop\":{}}");
    else
        snprintf(text + used, TEXT_BYTES - used, "],\"loop\":{\"units\":%u}}", units);
}

/* One random machine and kernel, and the plan for them. */
struct setting {
    char machine_text[TEXT_BYTES], kernel_text[TEXT_BYTES];
    struct machine machine;
    struct kernel kernel;
    struct arena arena;
    struct plan plan;
};

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    if (document == NULL)
        fail_msg("%s: %s", error.text, text);
    return document;
}

/* Reads the setting's two texts. */
static void read_setting(struct setting *setting)
{
    struct error error;
    json_t *machine = parse(setting->machine_text);
    json_t *kernel = parse(setting->kernel_text);
    if (machine_from_json(machine, "random", &setting->machine, &error) != STATUS_OK ||
        kernel_from_json(kernel, &isa_x86_64, &setting->arena, &setting->kernel, &error) != STATUS_OK)
        fail_msg("%s: %s %s", error.message, setting->machine_text, setting->kernel_text);
    json_decref(machine);
    json_decref(kernel);
}

static enum status make_plan(struct setting *setting, const struct template *templates,
                             const struct plan_options *options, struct error *error)
{
    enum status status = operations_resolve(&setting->kernel, &setting->machine, templates, error);
    return status == STATUS_OK
               ? plan_make(&setting->kernel, &setting->machine, templates, options, &setting->plan, error)
               : status;
}

static void free_case(struct setting *setting)
{
    plan_free(&setting->plan);
    machine_free(&setting->machine);
    arena_free(&setting->arena);
}

#define REQUIRE(setting, condition)                                                                          \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fail_msg("%s\n  on %s\n  for %s", #condition, (setting)->machine_text, (setting)->kernel_text);  \
    } while (0)

/* ---- the promise ---- */

struct count {
    double loads[LEVEL_COUNT], all[LEVEL_COUNT]; /* by the level that served them */
    double broken;                               /* accesses that another level served than their slot says */
};

static int serve(struct lru *caches, uint64_t address)
{
    int level = LEVEL_L1;
    while (level < LEVEL_MEM && (caches[level].sets == 0 || !lru_access(&caches[level], address)))
        level++;
    return level;
}

static void simulate_pass(const struct plan *plan, unsigned pass, uint64_t base, struct lru *caches,
                          struct count *count)
{
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        if (slot->place_count == 0)
            continue;
        int level = serve(caches, base + plan_offset(plan, slot, pass));
        count->all[level]++;
        count->loads[level] += plan->kernel->items[slot->item].kind == BEHAVIOUR_LOAD;
        count->broken += level != (int)plan_place(plan, slot, pass)->level;
    }
}

/* Runs the plan's accesses as the program makes them: set-up, warm-up, then as many passes as every period
 * divides.
 */
static struct count simulate(const struct plan *plan)
{
    struct lru caches[LEVEL_COUNT] = {{0}};
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (machine_cache(plan->machine, level) != NULL)
            caches[level] = lru_new(machine_cache(plan->machine, level));
    struct count warm = {0};
    struct count count = {0};
    uint64_t base = 16 * plan->memory.align;
    for (size_t i = 0; i < plan->data.run_count; i++)
        for (uint64_t k = 0; k < plan->data.runs[i].count; k++)
            serve(caches, base + plan->data.runs[i].offset + k * plan->data.runs[i].step);
    for (unsigned pass = 0; pass < plan->warmup; pass++)
        simulate_pass(plan, pass, base, caches, &warm);
    for (unsigned pass = plan->warmup; pass < plan->warmup + PASSES; pass++)
        simulate_pass(plan, pass, base, caches, &count);
    for (int level = 0; level < LEVEL_COUNT; level++)
        lru_free(&caches[level]);
    return count;
}

static void require_sound_numbers(const struct setting *setting)
{
    const struct plan *plan = &setting->plan;
    REQUIRE(setting, plan->sizing.period > 0 && PASSES % plan->sizing.period == 0);
    REQUIRE(setting, plan->warmup >= plan->sizing.period && plan->warmup % plan->sizing.period == 0);
    REQUIRE(setting, plan->slot_count == (size_t)plan->sizing.units * plan->unit_slots);
    unsigned units = setting->kernel.loop_units;
    REQUIRE(setting, units == 0 || plan->sizing.units == units);
    for (unsigned pass = 0; pass < plan->sizing.period; pass++)
        for (size_t i = 0; i < plan->slot_count; i++)
            REQUIRE(setting, plan->slots[i].place_count == 0 ||
                                 plan_offset(plan, &plan->slots[i], pass) + 8 <= plan->memory.bytes);
}

static void require_promise(const struct setting *setting)
{
    static const char *const served[] = {"served.L1", "served.L2", "served.L3", "served.MEM"};
    const struct plan *plan = &setting->plan;
    struct count count = simulate(plan);
    double loads =
        count.loads[LEVEL_L1] + count.loads[LEVEL_L2] + count.loads[LEVEL_L3] + count.loads[LEVEL_MEM];
    double all = count.all[LEVEL_L1] + count.all[LEVEL_L2] + count.all[LEVEL_L3] + count.all[LEVEL_MEM];
    double rate = 1 - count.all[LEVEL_L1] / all;
    REQUIRE(setting, all > 0);
    REQUIRE(setting, count.broken == 0);
    REQUIRE(setting, fabs(rate - rates_get(&plan->rates.targets, "l1d.miss_rate", -1)) <= 1e-3);
    REQUIRE(setting, fabs(rate - rates_get(&plan->rates.expected, "l1d.miss_rate", -1)) <= 1e-12);
    for (int level = 0; loads > 0 && level < LEVEL_COUNT; level++)
        REQUIRE(setting,
                fabs(count.loads[level] / loads - rates_get(&plan->rates.targets, served[level], 0)) <= 1e-3);
}

static void load_templates(struct template *templates)
{
    struct error error;
    char home[FILE_PATH_BYTES];
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, &isa_x86_64, templates, &error), STATUS_OK);
}

static void read_environment(uint64_t *seed, unsigned *cases)
{
    const char *text = getenv("TRAUMA_SEED");
    *seed = text == NULL ? 1 : strtoull(text, NULL, 10);
    text = getenv("TRAUMA_CASES");
    *cases = text == NULL ? CASES : (unsigned)strtoul(text, NULL, 10);
}

static void plans_keep_their_promise(void **state)
{
    (void)state;
    struct error error;
    struct template templates;
    load_templates(&templates);
    uint64_t seed;
    unsigned cases;
    read_environment(&seed, &cases);
    struct random random = random_start(seed, "property");
    struct setting setting;
    unsigned made = 0;
    for (unsigned i = 0; i < cases; i++) {
        memset(&setting, 0, sizeof setting);
        bool deep = i % 3 == 0;
        bool l3 = deep && random_below(&random, 3) > 0;
        write_machine(&random, deep, l3, setting.machine_text);
        write_kernel(&random, deep, l3, setting.kernel_text);
        read_setting(&setting);
        const struct plan_options options = {.seed = seed, .label = "random"};
        enum status status = make_plan(&setting, &templates, &options, &error);
        if (status == STATUS_OK) {
            made++;
            require_sound_numbers(&setting);
            require_promise(&setting);
        } else { /* what cannot be reached is refused, with the reason and the nearest that can */
            REQUIRE(&setting, status == STATUS_RECIPE && error.message[0] != '\0' && error.hint[0] != '\0');
        }
        free_case(&setting);
    }
    print_message("%u of %u random cases have a plan (TRAUMA_SEED=%llu)\n", made, cases,
                  (unsigned long long)seed);
    assert_true(!TRIALS_JUDGED || made >= cases / 2);
    template_free(&templates);
}

/* In a one-set cache a hit reads the line of the miss before it: also when another stream's hits come first.
 */
static void hits_before_the_first_miss_of_a_one_set_cache(void **state)
{
    (void)state;
    struct error error;
    struct template templates;
    load_templates(&templates);
    struct setting setting = {
        .machine_text = "{\"name\":\"one-set\",\"isa\":\"x86_64\",\"caches\":{"
                        "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64,\"policy\":\"lru\"},"
                        "\"L1D\":{\"size\":448,\"ways\":14,\"line\":32,\"policy\":\"lru\"},"
                        "\"L2\":{\"size\":172032,\"ways\":7,\"line\":32,\"policy\":\"lru\"}}}",
        .kernel_text =
            "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1,\"L2\":0},\"order\":\"even\",\"address\":"
            "\"independent\",\"width\":8,\"count\":2},{\"op\":\"load\",\"served\":{\"L1\":0.2,\"L2\":0.8},"
            "\"order\":\"even\",\"address\":\"independent\",\"width\":8,\"count\":1}],"
            "\"loop\":{\"units\":10}}"};
    read_setting(&setting);
    const struct plan_options options = {.seed = 1, .label = "one-set"};
    enum status status = make_plan(&setting, &templates, &options, &error);
    if (status == STATUS_OK)
        require_promise(&setting);
    else
        assert_int_equal(status, STATUS_RECIPE);
    free_case(&setting);
    template_free(&templates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_their_promise),
        cmocka_unit_test(hits_before_the_first_miss_of_a_one_set_cache),
    };
    return cmocka_run_group_tests_name("generator/property", tests, NULL, NULL);
}
