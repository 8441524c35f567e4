/* A tlb{} is met beside the cache rates: a plan's accesses, run through this test's own TLB, miss pages at
 * the requested rate, and what the TLB misses still hits L1D. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/paths.h"
#include "generator/plan/plan_make.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { ENTRIES = 64, PAGE_BYTES = 4096, PASSES = 200 };

static const char MACHINE[] =
    "{\"name\":\"paged\",\"isa\":\"x86_64\",\"caches\":{"
    "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64},\"L1D\":{\"size\":32768,\"ways\":8,\"line\":64},"
    "\"L2\":{\"size\":262144,\"ways\":8,\"line\":64},\"L3\":{\"size\":4194304,\"ways\":16,\"line\":64}},"
    "\"tlb\":{\"data\":{\"entries\":64,\"ways\":64,\"page\":4096}}}";

/* A fully associative TLB of small pages, the most recent first. */
struct pages {
    uint64_t pages[ENTRIES];
    size_t count;
};

static bool tlb_access(struct pages *tlb, uint64_t page)
{
    size_t at = 0;
    while (at < tlb->count && tlb->pages[at] != page)
        at++;
    bool hit = at < tlb->count;
    if (!hit && tlb->count < ENTRIES)
        tlb->count++;
    size_t last = hit ? at : tlb->count - 1;
    memmove(tlb->pages + 1, tlb->pages, last * sizeof tlb->pages[0]);
    tlb->pages[0] = page;
    return hit;
}

static enum status make(const char *kernel_text, struct arena *arena, struct machine *machine,
                        struct kernel *kernel, struct plan *plan, struct error *error)
{
    char home[FILE_PATH_BYTES];
    static struct template templates;
    json_t *description = json_loads(MACHINE, 0, NULL);
    json_t *document = json_loads(kernel_text, 0, NULL);
    assert_non_null(document);
    assert_int_equal(paths_home(home, error), STATUS_OK);
    assert_int_equal(template_load(home, isa_find("x86_64"), &templates, error), STATUS_OK);
    assert_int_equal(machine_from_json(description, "paged", machine, error), STATUS_OK);
    enum status status = kernel_from_json(document, arena, kernel, error);
    const struct plan_options options = {.seed = 1, .label = "tlb"};
    if (status == STATUS_OK)
        status = operations_resolve(kernel, machine, &templates, error);
    if (status == STATUS_OK)
        status = plan_make(kernel, machine, &templates, &options, plan, error);
    json_decref(description);
    json_decref(document);
    template_free(&templates);
    return status;
}

static void expect_rate(const char *kernel_text, double wanted)
{
    struct arena arena = {0};
    struct machine machine = {0};
    struct kernel kernel;
    struct plan plan = {0};
    struct error error = {0};
    if (make(kernel_text, &arena, &machine, &kernel, &plan, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    struct pages tlb = {.count = 0};
    double accesses = 0;
    double misses = 0;
    for (unsigned pass = 0; pass < plan.warmup + PASSES; pass++) {
        for (size_t i = 0; i < plan.slot_count; i++) {
            const struct slot *slot = &plan.slots[i];
            if (slot->place_count == 0)
                continue;
            uint64_t offset = plan_offset(&plan, slot, pass);
            bool missed = offset < plan.memory.huge_from && !tlb_access(&tlb, offset / PAGE_BYTES);
            accesses += pass >= plan.warmup;
            misses += pass >= plan.warmup && missed;
        }
    }
    assert_true(fabs(misses / accesses - wanted) < 1e-3);
    assert_true(fabs(rates_get(&plan.rates.expected, "dtlb.miss_rate", -1) - wanted) < 1e-3);
    assert_true(fabs(rates_get(&plan.rates.targets, "dtlb.miss_rate", -1) - wanted) < 1e-12);
    plan_free(&plan);
    machine_free(&machine);
    arena_free(&arena);
}

static void rates_are_kept(void **state)
{
    (void)state;
    expect_rate("{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}},{\"op\":\"tlb\",\"miss_rate\":0.05}]}",
                0.05);
    expect_rate("{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.63,\"L2\":0.37}},{\"op\":\"tlb\",\"miss_"
                "rate\":0.6}]}",
                0.6);
    expect_rate(
        "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.7,\"L2\":0.1,\"L3\":0.1,\"MEM\":0.1},\"address\":"
        "\"chase\"},"
        "{\"op\":\"store\",\"served\":{\"L1\":0.9,\"L2\":0.1}},{\"op\":\"tlb\",\"miss_rate\":0.123}]}",
        0.123);
    expect_rate("{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}},{\"op\":\"tlb\",\"miss_rate\":0}]}", 0);
}

static void expect_refusal(const char *kernel_text, const char *message)
{
    struct arena arena = {0};
    struct machine machine = {0};
    struct kernel kernel;
    struct plan plan = {0};
    struct error error = {0};
    assert_int_equal(make(kernel_text, &arena, &machine, &kernel, &plan, &error), STATUS_RECIPE);
    if (strstr(error.message, message) == NULL)
        fail_msg("%s", error.message);
    plan_free(&plan);
    machine_free(&machine);
    arena_free(&arena);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    expect_refusal("{\"unit\":[{\"op\":\"tlb\",\"miss_rate\":0.1}]}", "a load or a store beside it");
    expect_refusal("{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5}},{\"op\":\"tlb\",\"miss_"
                   "rate\":0.6}]}",
                   "at most the share that L1 serves");
    expect_refusal("{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}},{\"op\":\"tlb\",\"miss_rate\":0.1},"
                   "{\"op\":\"tlb\",\"miss_rate\":0.1}]}",
                   "at most one in a kernel");
    expect_refusal("{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}},{\"op\":\"tlb\",\"miss_rate\":0.001}],"
                   "\"loop\":{\"units\":300}}",
                   "it amounts to less than one access per pass");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_kept),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
