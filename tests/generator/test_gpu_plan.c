/* Plans of GPU programs: shares in slots, disjoint regions, rotating working sets that cycle once, toggle
 * rates and transfers confirmed by independent counts, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/generator/gpu_toy.h"
#include "tests/generator/gpu_walk.h"

#include <math.h>
#include <stdlib.h>

static void plan_of(struct gpu_toy *toy, const char *unit, const char *rest)
{
    struct buffer text = {0};
    buffer_printf(&text, "{\"kernel\":{\"unit\":[%s]}%s}", unit, rest);
    if (gpu_toy_plan(toy, text.data, 1) != STATUS_OK)
        fail_msg("%s: %s", text.data, toy->error.message);
    buffer_free(&text);
}

static void shares_are_exact_in_slots(void **state)
{
    struct gpu_toy *toy = *state;
    static const double shares[] = {0.125, 0.1, 0.07, 0.5, 0.99, 1.0 / 3};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        char unit[256];
        snprintf(unit, sizeof unit,
                 "{\"op\":\"load\",\"count\":3,\"served\":{\"L1\":%.17g,\"SHARED\":%.17g}},{\"op\":\"add\","
                 "\"count\":2}",
                 shares[i], 1 - shares[i]);
        plan_of(toy, unit, ",\"grid\":{\"threads\":32}");
        unsigned found[GPU_LEVELS] = {0}, adds = 0;
        for (size_t s = 0; s < toy->plan.slot_count; s++) {
            const struct gpu_slot *slot = &toy->plan.slots[s];
            adds += slot->stream < 0;
            if (slot->stream >= 0)
                found[toy->plan.streams[slot->stream].level]++;
        }
        unsigned all = found[GPU_L1] + found[GPU_SHARED];
        assert_int_equal(all, 3 * toy->plan.units);
        assert_int_equal(adds, 2 * toy->plan.units);
        assert_true(fabs(found[GPU_L1] - shares[i] * all) < 1e-6);
        assert_int_equal(toy->plan.loads[GPU_L1], found[GPU_L1]);
    }
}

static void orders_spread_as_they_say(void **state)
{
    struct gpu_toy *toy = *state;
    plan_of(toy, "{\"op\":\"load\",\"count\":8,\"order\":\"even\",\"served\":{\"L1\":0.25,\"SHARED\":0.75}}",
            "");
    unsigned since = 0;
    for (size_t s = 0; s < toy->plan.slot_count; s++) {
        bool first = toy->plan.streams[toy->plan.slots[s].stream].level == GPU_L1;
        assert_true(since < 4 || first);
        since = first ? 1 : since + 1;
    }
    plan_of(toy, "{\"op\":\"load\",\"count\":8,\"order\":\"burst\",\"served\":{\"L1\":0.25,\"SHARED\":0.75}}",
            "");
    unsigned changes = 0;
    for (size_t s = 1; s < toy->plan.slot_count; s++)
        changes += toy->plan.slots[s].stream != toy->plan.slots[s - 1].stream;
    assert_int_equal(changes, 1);
}

/* Every access of all threads in as many passes as go round. */
static void check_addresses(struct gpu_toy *toy)
{
    struct gpu_walk walk;
    const struct gpu_plan *plan = &toy->plan;
    uint64_t *low = calloc(plan->stream_count, sizeof *low), *high = calloc(plan->stream_count, sizeof *high);
    gpu_walk_open(&walk, plan);
    memset(low, 0xff, plan->stream_count * sizeof *low);
    for (uint64_t pass = 0; pass < 30; pass++) {
        for (size_t s = 0; s < plan->slot_count; s++) {
            int stream = plan->slots[s].stream;
            for (unsigned b = 0; b < plan->blocks; b++) {
                for (unsigned t = 0; t < plan->threads; t++) {
                    uint64_t at =
                        plan->streams[stream].offset + gpu_walk_access(&walk, &plan->slots[s], pass, b, t);
                    low[stream] = at < low[stream] ? at : low[stream];
                    uint64_t end = at + plan->streams[stream].width;
                    high[stream] = end > high[stream] ? end : high[stream];
                }
            }
        }
    }
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_rule *rule = &plan->streams[i].rule;
        assert_true(low[i] >= rule->offset && high[i] <= rule->offset + rule->bytes);
        assert_true(rule->offset + rule->bytes <= plan->bytes);
        for (size_t j = 0; j < i; j++)
            assert_true(high[i] <= low[j] || high[j] <= low[i]);
    }
    free(low);
    free(high);
    gpu_walk_close(&walk);
}

static void regions_lie_apart_and_hold_all_accesses(void **state)
{
    plan_of(*state,
            "{\"op\":\"load\",\"count\":2,\"served\":{\"L1\":0.25,\"L2\":0.25,\"SHARED\":0.5},\"lane\":20},"
            "{\"op\":\"load\",\"count\":3,\"width\":8,\"address\":\"chase\",\"stride\":\"random\",\"served\":"
            "{\"MEM\":1}},"
            "{\"op\":\"store\",\"width\":16,\"served\":{\"L2\":0.5,\"SHARED\":0.5}},"
            "{\"op\":\"load\",\"width\":8,\"address\":\"chase\",\"stride\":32,\"served\":{\"L1\":1}}",
            ",\"grid\":{\"blocks\":5,\"threads\":40}");
    check_addresses(*state);
}

/* From any row a ring comes by every row once before it is back. */
static void rings_go_round_once(void **state)
{
    struct gpu_toy *toy = *state;
    static const char *const units[] = {
        "{\"op\":\"load\",\"width\":8,\"address\":\"chase\",\"served\":{\"L1\":1},\"stride\":96}",
        "{\"op\":\"load\",\"width\":8,\"address\":\"chase\",\"served\":{\"L2\":1},\"stride\":\"random\"}",
        "{\"op\":\"load\",\"width\":8,\"address\":\"chase\",\"served\":{\"MEM\":1},\"stride\":\"random\"}",
        "{\"op\":\"load\",\"width\":8,\"address\":\"chase\",\"served\":{\"SHARED\":1},\"stride\":"
        "\"random\"}"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        plan_of(toy, units[i], ",\"grid\":{\"blocks\":3,\"threads\":2}");
        const struct gpu_stream *stream = &toy->plan.streams[0];
        struct gpu_walk walk;
        gpu_walk_open(&walk, &toy->plan);
        unsigned char *seen = calloc(stream->rows, 1);
        unsigned jumps = 0;
        uint64_t at = 8, before = 8;
        for (uint64_t hop = 0; hop < stream->rows; hop++) {
            assert_int_equal(at % stream->step, 8);
            assert_true(at < stream->bytes);
            assert_int_equal(seen[at / stream->step]++, 0);
            uint64_t origin = stream->rule.relative ? 0 : walk.address + stream->offset;
            before = at;
            at = gpu_walk_word(&walk, stream->offset + at) - origin;
            jumps += at != before + stream->step;
        }
        assert_int_equal(at, 8);
        assert_true(stream->rows > 2 && (i == 0 ? jumps == 1 : jumps > stream->rows / 2));
        assert_int_equal(stream->rule.relative, i == 3);
        free(seen);
        gpu_walk_close(&walk);
    }
}

static unsigned differing(const unsigned char *a, const unsigned char *b, unsigned bytes)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < bytes; i++)
        bits += (unsigned)__builtin_popcount(a[i] ^ b[i]);
    return bits;
}

/* Flips from transfer to transfer of the first wave's accesses, each transfer once for an access. */
static double toggles(const struct gpu_toy *toy, unsigned bus)
{
    const struct gpu_plan *plan = &toy->plan;
    const struct gpu_stream *stream = &plan->streams[0];
    struct gpu_walk walk;
    unsigned char words[2][128];
    uint64_t flips = 0, count = 0;
    gpu_walk_open(&walk, plan);
    for (uint64_t pass = 0; count < 20000; pass++) {
        for (size_t s = 0; s < plan->slot_count; s++) {
            uint64_t last = UINT64_MAX;
            for (unsigned t = 0; t < plan->threads && t < 32; t++) {
                uint64_t at = gpu_walk_access(&walk, &plan->slots[s], pass, 0, t);
                for (uint64_t word = at / bus; word <= (at + stream->width - 1) / bus; word++) {
                    if (word == last)
                        continue;
                    last = word;
                    gpu_image_fill(&walk.image, walk.address, stream->offset + word * bus, bus,
                                   words[count % 2]);
                    flips += count > 0 ? differing(words[0], words[1], bus) : 0;
                    count++;
                }
            }
        }
    }
    gpu_walk_close(&walk);
    return (double)flips / (double)((count - 1) * bus * 8);
}

static void data_toggles_as_stated(void **state)
{
    struct gpu_toy *toy = *state;
    static const double rates[] = {0, 0.0625, 0.25, 0.333, 0.5, 0.77, 1};
    static const unsigned buses[] = {4, 8, 32, 64, 128};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        for (size_t b = 0; b < sizeof buses / sizeof buses[0]; b++) {
            char unit[256];
            snprintf(
                unit, sizeof unit,
                "{\"op\":\"load\",\"width\":%u,\"served\":{\"L1\":1},\"bus\":%u,\"data\":{\"toggle\":%g%s}}",
                buses[b] == 128 ? 8 : 4, 8 * buses[b], rates[r],
                rates[r] > 0.5 ? ",\"order\":\"program\"" : "");
            plan_of(toy, unit, ",\"grid\":{\"threads\":64}");
            double found = toggles(toy, buses[b]);
            if (fabs(found - rates[r]) > 1e-3)
                fail_msg("bus of %u bytes: %g instead of %g", buses[b], found, rates[r]);
            bool told = false;
            for (size_t i = 0; i < toy->plan.rates.expected.count; i++)
                if (strcmp(toy->plan.rates.expected.items[i].metric, "data.toggle_rate") == 0)
                    told = fabs(toy->plan.rates.expected.items[i].value - found) < 2e-3;
            assert_true(told);
        }
    }
}

/* Sectors of all waves of a block, as the coalescing of a wave's addresses makes them. */
static uint64_t count_sectors(const struct gpu_toy *toy)
{
    const struct gpu_plan *plan = &toy->plan;
    struct gpu_walk walk;
    uint64_t count = 0;
    gpu_walk_open(&walk, plan);
    for (unsigned wave = 0; wave < plan->threads; wave += 32) {
        unsigned char *seen = calloc(plan->bytes / 32 + 1, 1);
        for (unsigned t = wave; t < wave + 32 && t < plan->threads; t++) {
            uint64_t at = gpu_walk_access(&walk, &plan->slots[0], 0, 0, t);
            for (uint64_t sector = at / 32; sector <= (at + plan->streams[0].width - 1) / 32; sector++)
                count += seen[sector]++ == 0;
        }
        free(seen);
    }
    gpu_walk_close(&walk);
    return count;
}

static void transfers_are_the_sectors_of_all_waves(void **state)
{
    struct gpu_toy *toy = *state;
    static const unsigned threads[] = {1, 8, 31, 32, 33, 48, 64, 100};
    static const unsigned lanes[] = {4, 8, 12, 20, 32, 36, 128, 260};
    for (size_t t = 0; t < 8; t++) {
        for (size_t l = 0; l < 8; l++) {
            char unit[200], grid[100];
            snprintf(unit, sizeof unit, "{\"op\":\"load\",\"served\":{\"MEM\":1},\"lane\":%u}", lanes[l]);
            snprintf(grid, sizeof grid, ",\"grid\":{\"blocks\":2,\"threads\":%u}", threads[t]);
            plan_of(toy, unit, grid);
            assert_int_equal(toy->plan.transfers[GPU_MEM],
                             count_sectors(toy) * toy->plan.streams[0].per_pass);
        }
    }
}

/* A throttle's idle instructions take the accesses' time at the machine's peak, over its duty. */
static void throttles_idle_for_their_share(void **state)
{
    struct gpu_toy *toy = *state;
    plan_of(toy, "{\"op\":\"load\",\"count\":4,\"served\":{\"L2\":1}},{\"op\":\"throttle\",\"duty\":0.25}",
            ",\"grid\":{\"threads\":64}");
    /* 4 loads of 2 waves of 128 bytes on 4 multiprocessors at 256 bytes a cycle: 16 cycles; 64 at a quarter,
     * by 4. */
    assert_int_equal(toy->plan.idle, 16);
    plan_of(toy, "{\"op\":\"load\",\"count\":4,\"served\":{\"L2\":1}},{\"op\":\"throttle\",\"duty\":0.25}",
            ",\"grid\":{\"threads\":1024}");
    /* 32 waves: 256 cycles, 1024 at a quarter; each idle instruction of all waves takes 16. */
    assert_int_equal(toy->plan.idle, 64);
}

static const struct {
    const char *point, *message;
} refused[] = {
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"cache\":\"cg\"}]}}", "bypasses L1"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"store\",\"served\":{\"L1\":1}}]}}", "does not keep stores"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L3\":1}}]}}", "has no L3 cache"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1}}]},\"grid\":{\"threads\":2000}}",
     "has at most 1024"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"MEM\":1},\"stride\":32}]},\"grid\":{\"threads\":"
     "64}}",
     "rows overlap"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L2\":1},\"stride\":36}]}}",
     "multiple of 32 bytes"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L2\":1},\"cache\":\"ca\"}]},\"grid\":{\"blocks\":"
     "5}}",
     "at most 4 blocks"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"SHARED\":1},\"lane\":1024}]},\"grid\":{"
     "\"threads\":64}}",
     "shared memory"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"MEM\":1},\"stride\":1073741824}]},"
     "\"grid\":{\"threads\":1,\"blocks\":1}}",
     "span"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.3333,\"L2\":0.6667}}]}}",
     "whole number of accesses for every share"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"throttle\",\"duty\":0.5},{\"op\":\"add\"}]}}", "needs accesses"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1},\"stride\":128,\"data\":{\"toggle\":1,"
     "\"order\":\"program\"}}]},\"grid\":{\"threads\":24}}",
     "even number"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"DSMEM\":1}}]},\"grid\":{\"cluster\":1}}",
     "expected cluster = 2 to 8"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"DSMEM\":1}}]},\"grid\":{\"cluster\":8}}",
     "the machine toy has 4 multiprocessors"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"DSMEM\":1}}]},\"grid\":{\"cluster\":9}}",
     "cluster"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"DSMEM\":1}}]},\"grid\":{\"blocks\":5}}",
     "expected 4 or 6"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"DSMEM\":1}}]},\"place\":{\"sm\":[0]}}",
     "expected no place, or no cluster"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"atomic\",\"atomic\":\"add\",\"scope\":\"cta\",\"spread\":\"one\","
     "\"served\":{\"L2\":1}}]},\"grid\":{\"blocks\":4}}",
     "expected scope = \"gpu\""},
    {"{\"kernel\":{\"unit\":[{\"op\":\"atomic\",\"atomic\":\"add\",\"scope\":\"gpu\",\"served\":{\"L1\":1}}]}"
     "}",
     "shares of SHARED, DSMEM and L2"},
    {"{\"kernel\":{\"unit\":[{\"op\":\"load\",\"source\":\"async\",\"width\":16,\"served\":{\"DSMEM\":1}}]}}",
     "L1, L2 or MEM"},
};

/* Each run begins at the same rows, and a short one would find in L2 what the run before has left there. */
static void memory_is_read_past_l2_before_it_counts(void **state)
{
    struct gpu_toy *toy = *state;
    static const struct {
        const char *served, *grid;
        double blocks, whole; /* blocks at rows of their own; bytes after which all has been read */
    } rows[] = {
        {"\"served\":{\"MEM\":1}", "{\"blocks\":1,\"threads\":1}", 1, INFINITY},
        {"\"served\":{\"MEM\":1}", "{\"blocks\":4,\"threads\":64}", 4, INFINITY},
        {"\"working_set\":1048576,\"stride\":128", "{\"blocks\":1,\"threads\":1}", 1, 1048576},
        {"\"working_set\":196608,\"stride\":128", "{\"blocks\":1,\"threads\":1}", 1, 196608},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char unit[256], rest[128];
        snprintf(unit, sizeof unit, "{\"op\":\"load\",\"address\":\"chase\",\"width\":8,%s}", rows[i].served);
        snprintf(rest, sizeof rest, ",\"grid\":%s", rows[i].grid);
        plan_of(toy, unit, rest);
        const struct gpu_stream *stream = &toy->plan.streams[0];
        double before =
            (double)toy->plan.warmup * stream->per_pass * (double)stream->brought * rows[i].blocks;
        double wanted = fmin(2.0 * (double)toy->machine.l2.size, rows[i].whole);
        if (!(before >= wanted && before <= 2 * wanted + 4 * (double)stream->per_pass * 8192))
            fail_msg("%s: %g bytes are read before, expected %g", unit, before, wanted);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    struct gpu_toy *toy = *state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (gpu_toy_plan(toy, refused[i].point, 1) != STATUS_RECIPE)
            fail_msg("%s: not refused", refused[i].point);
        if (strstr(toy->error.message, refused[i].message) == NULL)
            fail_msg("%s: %s", refused[i].point, toy->error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shares_are_exact_in_slots, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(orders_spread_as_they_say, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(regions_lie_apart_and_hold_all_accesses, gpu_toy_set_up,
                                        gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(rings_go_round_once, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(data_toggles_as_stated, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(transfers_are_the_sectors_of_all_waves, gpu_toy_set_up,
                                        gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(throttles_idle_for_their_share, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(memory_is_read_past_l2_before_it_counts, gpu_toy_set_up,
                                        gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused, gpu_toy_set_up, gpu_toy_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
