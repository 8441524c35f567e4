/* A tlb{} is met beside the cache rates: a plan's accesses, all of them, run through this test's own TLB and
 * L1D, miss pages at the requested rate, and L1D at its own. TRAUMA_SEED varies the random cases,
 * TRAUMA_CASES their number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "base/random.h"
#include "generator/plan/plan_make.h"
#include "tests/trials.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HUGE_BYTES = 2 << 20, PASSES = 100, CASES = TRIALS_MACHINES(50), TEXT_BYTES = 2048 };

/* ---- the simulator: an entry's age is the time of its last use ---- */

struct store {
    uint64_t sets, ways;
    uint64_t *keys, *used; /* [sets][ways]; used 0: empty */
    uint64_t time;
};

static struct store store_new(uint64_t sets, uint64_t ways)
{
    struct store store = {.sets = sets, .ways = ways};
    store.keys = calloc(sets * ways, sizeof *store.keys);
    store.used = calloc(sets * ways, sizeof *store.used);
    assert_true(store.keys != NULL && store.used != NULL);
    return store;
}

static bool store_access(struct store *store, uint64_t set, uint64_t key)
{
    uint64_t first = set % store->sets * store->ways;
    uint64_t oldest = first;
    store->time++;
    for (uint64_t i = first; i < first + store->ways; i++) {
        if (store->used[i] > 0 && store->keys[i] == key) {
            store->used[i] = store->time;
            return true;
        }
        if (store->used[i] < store->used[oldest])
            oldest = i;
    }
    store->keys[oldest] = key;
    store->used[oldest] = store->time;
    return false;
}

static void store_free(struct store *store)
{
    free(store->keys);
    free(store->used);
}

/* L1D and the TLB, with entries of its own for huge pages if the machine has them. */
struct core {
    struct store l1, small, huge;
    uint64_t line, page;
    bool own_huge;
};

static struct core core_new(const struct machine *machine)
{
    const struct tlb *tlb = &machine->data_tlb;
    const struct tlb *huge = &machine->huge_tlb;
    struct core core = {.line = machine->l1d.line, .page = tlb->page, .own_huge = huge->entries > 0};
    core.l1 = store_new(cache_sets(&machine->l1d), machine->l1d.ways);
    core.small = store_new(tlb->entries / tlb->ways, tlb->ways);
    core.huge = core.own_huge ? store_new(huge->entries / huge->ways, huge->ways) : store_new(1, 1);
    return core;
}

static void core_free(struct core *core)
{
    store_free(&core->l1);
    store_free(&core->small);
    store_free(&core->huge);
}

/* True if the access hits the TLB; the address of the data is that of executables. */
static bool translate(struct core *core, const struct plan *plan, uint64_t offset)
{
    uint64_t data = plan->memory.bytes > UINT64_C(0x20000000) ? UINT64_C(0x100000000) : UINT64_C(0x10000000);
    uint64_t page = (data + offset) / core->page;
    if (core->page != 4096 || offset < plan->memory.huge_from)
        return store_access(&core->small, page, page);
    uint64_t number = (data + offset) / HUGE_BYTES;
    return core->own_huge ? store_access(&core->huge, number, number)
                          : store_access(&core->small, number, UINT64_MAX - number);
}

struct count {
    double accesses, page_misses, l1_misses;
};

/* The passes that a simulator of the program counts: a hundred, some after the warm-up. */
static struct count simulate(const struct plan *plan)
{
    enum { FIRST = 20 };
    struct core core = core_new(plan->machine);
    struct count count = {0};
    for (unsigned pass = 0; pass < plan->warmup + FIRST + PASSES; pass++)
        for (size_t i = 0; i < plan->slot_count; i++) {
            const struct slot *slot = &plan->slots[i];
            if (slot->place_count == 0)
                continue;
            uint64_t offset = plan_offset(plan, slot, pass);
            bool counts = pass >= plan->warmup + FIRST;
            uint64_t line = offset / core.line;
            count.page_misses += !translate(&core, plan, offset) && counts;
            count.l1_misses += !store_access(&core.l1, line, line) && counts;
            count.accesses += counts;
        }
    core_free(&core);
    return count;
}

/* ---- given cases ---- */

static const char MACHINE[] =
    "{\"name\":\"paged\",\"isa\":\"x86_64\",\"caches\":{"
    "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64},\"L1D\":{\"size\":32768,\"ways\":8,\"line\":64},"
    "\"L2\":{\"size\":262144,\"ways\":8,\"line\":64},\"L3\":{\"size\":4194304,\"ways\":16,\"line\":64}},"
    "\"tlb\":{\"data\":{\"entries\":%s,\"page\":4096}%s}}";

/* One machine, kernel and plan. */
struct setting {
    char machine_text[TEXT_BYTES], kernel_text[TEXT_BYTES];
    struct arena arena;
    struct machine machine;
    struct kernel kernel;
    struct plan plan;
    struct error error;
};

static void load_templates(struct template *templates)
{
    struct error error;
    char home[FILE_PATH_BYTES];
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, isa_find("x86_64"), templates, &error), STATUS_OK);
}

/* Plans for the setting's two texts. */
static enum status make(struct setting *setting, const struct template *templates)
{
    json_t *description = json_loads(setting->machine_text, 0, NULL);
    json_t *document = json_loads(setting->kernel_text, 0, NULL);
    assert_non_null(description);
    assert_non_null(document);
    enum status status = machine_from_json(description, "paged", &setting->machine, &setting->error);
    if (status != STATUS_OK)
        fail_msg("%s", setting->error.message);
    status = kernel_from_json(document, templates->isa, &setting->arena, &setting->kernel, &setting->error);
    const struct plan_options options = {.seed = 1, .label = "tlb"};
    if (status == STATUS_OK)
        status = operations_resolve(&setting->kernel, &setting->machine, templates, &setting->error);
    if (status == STATUS_OK)
        status = plan_make(&setting->kernel, &setting->machine, templates, &options, &setting->plan,
                           &setting->error);
    json_decref(description);
    json_decref(document);
    return status;
}

static void free_setting(struct setting *setting)
{
    plan_free(&setting->plan);
    machine_free(&setting->machine);
    arena_free(&setting->arena);
}

static void require_rates(const struct setting *setting)
{
    /* What sources tolerate, 0.002, less what the product's own model allows. */
    static const double TOLERANCE = 1.5e-3;
    const struct plan *plan = &setting->plan;
    struct count count = simulate(plan);
    double pages = count.page_misses / count.accesses;
    double lines = count.l1_misses / count.accesses;
    double wanted = rates_get(&plan->rates.targets, "dtlb.miss_rate", -1);
    if (fabs(pages - wanted) > TOLERANCE ||
        fabs(rates_get(&plan->rates.expected, "dtlb.miss_rate", -1) - wanted) > TOLERANCE)
        fail_msg("dtlb.miss_rate %g instead of %g\n  on %s\n  for %s", pages, wanted, setting->machine_text,
                 setting->kernel_text);
    if (fabs(lines - rates_get(&plan->rates.targets, "l1d.miss_rate", -1)) > TOLERANCE)
        fail_msg("l1d.miss_rate %g\n  on %s\n  for %s", lines, setting->machine_text, setting->kernel_text);
}

static void expect_rate(const char *entries, const char *huge, const char *kernel_text, double wanted)
{
    static struct template templates;
    static struct setting setting;
    memset(&setting, 0, sizeof setting);
    load_templates(&templates);
    snprintf(setting.machine_text, TEXT_BYTES, MACHINE, entries, huge);
    snprintf(setting.kernel_text, TEXT_BYTES, "%s", kernel_text);
    if (make(&setting, &templates) != STATUS_OK)
        fail_msg("%s: %s", kernel_text, setting.error.message);
    assert_true(fabs(rates_get(&setting.plan.rates.targets, "dtlb.miss_rate", -1) - wanted) < 1e-12);
    require_rates(&setting);
    free_setting(&setting);
    template_free(&templates);
}

#define L1_AND_L2(l1, l2, order)                                                                             \
    "{\"op\":\"load\",\"served\":{\"L1\":" l1 ",\"L2\":" l2 "},\"order\":\"" order "\"}"
#define KERNEL(access, rate) "{\"unit\":[" access ",{\"op\":\"tlb\",\"miss_rate\":" rate "}]}"

static void rates_are_kept(void **state)
{
    (void)state;
    static const char all_levels[] =
        KERNEL("{\"op\":\"load\",\"served\":{\"L1\":0.7,\"L2\":0.1,\"L3\":0.1,\"MEM\":0.1},\"address\":"
               "\"chase\"},{\"op\":\"store\",\"served\":{\"L1\":0.9,\"L2\":0.1}}",
               "0.123");
    static const char *const tlbs[] = {"64,\"ways\":64", "64,\"ways\":4", "48,\"ways\":4", "96,\"ways\":96"};
    for (size_t i = 0; i < (TRIALS_JUDGED ? sizeof tlbs / sizeof tlbs[0] : 1); i++) {
        expect_rate(tlbs[i], "", KERNEL("{\"op\":\"load\",\"served\":{\"L1\":1}}", "0.1"), 0.1);
        expect_rate(tlbs[i], "", KERNEL("{\"op\":\"load\",\"served\":{\"L1\":1}}", "0"), 0);
        expect_rate(tlbs[i], "", KERNEL(L1_AND_L2("0.93", "0.07", "shuffled"), "0.2"), 0.2);
        expect_rate(tlbs[i], "", KERNEL(L1_AND_L2("0.57", "0.43", "shuffled"), "0.2"), 0.2);
        expect_rate(tlbs[i], "", KERNEL(L1_AND_L2("0.63", "0.37", "shuffled"), "0.6"), 0.6);
        expect_rate(tlbs[i], "", all_levels, 0.123);
    }
    expect_rate(tlbs[0], "", KERNEL("{\"op\":\"load\",\"served\":{\"L1\":1}}", "0.05"), 0.05);
    expect_rate(tlbs[0], ",\"huge\":{\"entries\":32,\"ways\":4}", all_levels, 0.123);
}

/* What L1 does not serve of one access, others make up for. */
static void accesses_share_the_rate(void **state)
{
    (void)state;
    expect_rate("64,\"ways\":64", "",
                KERNEL(L1_AND_L2("0.9", "0.1", "shuffled") ",{\"op\":\"store\",\"served\":{\"L1\":0.1,\"L2\":"
                                                           "0.9}}",
                       "0.3"),
                0.3);
    expect_rate(
        "64,\"ways\":64", "",
        KERNEL(L1_AND_L2("0", "1", "even") ",{\"op\":\"load\",\"served\":{\"L1\":1},\"count\":3}", "0.75"),
        0.75);
}

/* In bursts the pages that miss take every entry of the others once per pass: those misses count too. */
static void misses_of_others_count(void **state)
{
    (void)state;
    static const char *const tlbs[] = {"64,\"ways\":64", "16,\"ways\":4"};
    for (size_t i = 0; i < (TRIALS_JUDGED ? sizeof tlbs / sizeof tlbs[0] : 1); i++) {
        expect_rate(tlbs[i], "", KERNEL(L1_AND_L2("0.75", "0.25", "burst"), "0.5"), 0.5);
        expect_rate(tlbs[i], "", KERNEL(L1_AND_L2("0.9", "0.1", "shuffled"), "0.88"), 0.88);
        expect_rate(tlbs[i], "", KERNEL("{\"op\":\"load\",\"served\":{\"L1\":1}}", "1"), 1);
    }
}

static void expect_refusal(const char *entries, const char *kernel_text, const char *message,
                           const char *hint)
{
    static struct template templates;
    static struct setting setting;
    memset(&setting, 0, sizeof setting);
    load_templates(&templates);
    snprintf(setting.machine_text, TEXT_BYTES, MACHINE, entries, "");
    snprintf(setting.kernel_text, TEXT_BYTES, "%s", kernel_text);
    assert_int_equal(make(&setting, &templates), STATUS_RECIPE);
    if (strstr(setting.error.message, message) == NULL || strstr(setting.error.hint, hint) == NULL)
        fail_msg("%s; %s", setting.error.message, setting.error.hint);
    free_setting(&setting);
    template_free(&templates);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const char few[] = "64,\"ways\":64";
    expect_refusal(few, "{\"unit\":[{\"op\":\"tlb\",\"miss_rate\":0.1}]}", "a load or a store beside it", "");
    expect_refusal(few, KERNEL(L1_AND_L2("0.5", "0.5", "shuffled"), "0.6"),
                   "at most the share that L1 serves", "");
    expect_refusal(few,
                   "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}},{\"op\":\"tlb\",\"miss_rate\":0.1},"
                   "{\"op\":\"tlb\",\"miss_rate\":0.1}]}",
                   "at most one in a kernel", "");
    expect_refusal(few,
                   "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}},{\"op\":\"tlb\",\"miss_rate\":0.001}],"
                   "\"loop\":{\"units\":300}}",
                   "it amounts to less than one access per pass", "the nearest rate of such a loop is 0.0");
    /* L1D keeps 512 lines, too few for a set of twice as many pages. */
    expect_refusal("1024,\"ways\":4", KERNEL("{\"op\":\"load\",\"served\":{\"L1\":1}}", "0.5"),
                   "keep at most", "only tlb.miss_rate = 0");
    /* Lines of memory lie in more huge pages than there are entries. */
    expect_refusal("4,\"ways\":4", KERNEL("{\"op\":\"load\",\"served\":{\"L1\":0.5,\"MEM\":0.5}}", "0.01"),
                   "do not stay in the 4 entries of the data TLB", "the nearest rate");
}

/* ---- random cases ---- */

static unsigned pick(struct random *random, const unsigned *values, size_t count)
{
    return values[random_below(random, (uint32_t)count)];
}
#define PICK(random, ...)                                                                                    \
    pick((random), (const unsigned[]){__VA_ARGS__}, sizeof(const unsigned[]){__VA_ARGS__} / sizeof(unsigned))

static void write_machine(struct random *random, char *text)
{
    unsigned l1_ways = PICK(random, 2, 4, 8, 9, 12);
    unsigned l1 = PICK(random, 32, 64, 64, 64, 128) * l1_ways * 64;
    unsigned l2_ways = PICK(random, 4, 8, 10, 16);
    unsigned l2 = PICK(random, 512, 1024, 2048) * l2_ways * 64;
    unsigned entries = PICK(random, 16, 32, 48, 64, 96, 128);
    unsigned page = PICK(random, 4096, 4096, 4096, 4096, 16384);
    char huge[64] = "";
    if (random_below(random, 2) == 0)
        snprintf(huge, sizeof huge, ",\"huge\":{\"entries\":32,\"ways\":%u}", PICK(random, 4, 32));
    snprintf(text, TEXT_BYTES,
             "{\"name\":\"random\",\"isa\":\"x86_64\",\"caches\":{"
             "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64,\"policy\":\"lru\"},"
             "\"L1D\":{\"size\":%u,\"ways\":%u,\"line\":64,\"policy\":\"lru\"},"
             "\"L2\":{\"size\":%u,\"ways\":%u,\"line\":64,\"policy\":\"lru\"},"
             "\"L3\":{\"size\":%u,\"ways\":16,\"line\":64,\"policy\":\"lru\"}},"
             "\"tlb\":{\"data\":{\"entries\":%u,\"ways\":%u,\"page\":%u}%s}}",
             l1, l1_ways, l2 < 2 * l1 ? 2 * l1 / (l2_ways * 64) * l2_ways * 64 : l2, l2_ways,
             PICK(random, 4096, 8192) * 16 * 64, entries, PICK(random, 4, 8, entries), page, huge);
}

/* Parts of a hundred. */
static size_t write_access(struct random *random, const char *op, unsigned hits, char *text, size_t capacity)
{
    static const char *const orders[] = {"shuffled", "shuffled", "even", "burst"};
    unsigned beyond = 100 - hits;
    unsigned deeper = random_below(random, 3) == 0 ? random_below(random, beyond + 1) : 0;
    unsigned memory = deeper > 0 && random_below(random, 2) == 0 ? random_below(random, deeper + 1) : 0;
    return (size_t)snprintf(text, capacity,
                            "{\"op\":\"%s\",\"served\":{\"L1\":%g,\"L2\":%g,\"L3\":%g,\"MEM\":%g},"
                            "\"order\":\"%s\",\"count\":%u},",
                            op, hits / 100.0, (beyond - deeper) / 100.0, (deeper - memory) / 100.0,
                            memory / 100.0, orders[random_below(random, 4)], 1 + random_below(random, 3));
}

static void write_kernel(struct random *random, char *text)
{
    unsigned hits = 30 + random_below(random, 70);
    size_t used = (size_t)snprintf(text, TEXT_BYTES, "{\"unit\":[");
    used += write_access(random, "load", hits, text + used, TEXT_BYTES - used);
    if (random_below(random, 3) == 0)
        used += write_access(random, "store", hits + random_below(random, 101 - hits), text + used,
                             TEXT_BYTES - used);
    snprintf(text + used, TEXT_BYTES - used, "{\"op\":\"tlb\",\"miss_rate\":%g}]}",
             random_below(random, hits + 1) / 100.0);
}

static void plans_keep_their_promise(void **state)
{
    (void)state;
    static struct setting setting;
    struct template templates;
    const char *seed = getenv("TRAUMA_SEED");
    const char *wanted = getenv("TRAUMA_CASES");
    unsigned cases = wanted == NULL ? CASES : (unsigned)strtoul(wanted, NULL, 10);
    struct random random = random_start(seed == NULL ? 1 : strtoull(seed, NULL, 10), "tlb");
    unsigned made = 0;
    load_templates(&templates);
    for (unsigned i = 0; i < cases; i++) {
        memset(&setting, 0, sizeof setting);
        write_machine(&random, setting.machine_text);
        write_kernel(&random, setting.kernel_text);
        enum status status = make(&setting, &templates);
        if (status == STATUS_OK)
            require_rates(&setting);
        else if (status != STATUS_RECIPE || setting.error.hint[0] == '\0')
            fail_msg("%s\n  on %s\n  for %s", setting.error.message, setting.machine_text,
                     setting.kernel_text);
        made += status == STATUS_OK;
        free_setting(&setting);
    }
    print_message("%u of %u cases could be made\n", made, cases);
    assert_true(!TRIALS_JUDGED || 4 * made >= cases);
    template_free(&templates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_kept),           cmocka_unit_test(accesses_share_the_rate),
        cmocka_unit_test(misses_of_others_count),   cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(plans_keep_their_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
