/* The table of metrics: each name finds its own row, and each row is complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/metric/metric.h"
#include "runner/sources/source.h"

#include <string.h>

static void names_find_their_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *row;
    } pairs[] = {{"bandwidth.L1", "bandwidth.*"},
                 {"latency.MEM", "latency.*"},
                 {"latency.MEM_ns", "latency.*_ns"},
                 {"latency.SHARED_ns", "latency.*_ns"},
                 {"place.sm131.share", "place.sm*.share"},
                 {"l2.channel12.share", "l2.channel*.share"},
                 {"events.MEM_LOAD:L1-x", "events.*"},
                 {"mix.fma", "mix.*"},
                 {"energy.per_access_j.L2", "energy.per_access_j.*"},
                 {"ipc", "ipc"}};
    static const char *const none[] = {"bandwidth.",
                                       "bandwidth.L4",
                                       "bandwidth",
                                       "latency._ns",
                                       "latency.L1_us",
                                       "place.sm.share",
                                       "ipcs",
                                       "place.smx.share",
                                       "",
                                       "events.",
                                       "mix.",
                                       "served.L22",
                                       "latency.L1_ns_ns",
                                       "*",
                                       "bandwidth.*"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct metric *row = metric_find(pairs[i].name);
        assert_non_null(row);
        assert_string_equal(row->name, pairs[i].row);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (metric_find(none[i]) != NULL)
            fail_msg("'%s' finds %s", none[i], metric_find(none[i])->name);
}

static void parts_stand_for_stars(void **state)
{
    (void)state;
    size_t length = 0;
    const char *part = metric_part(metric_find("latency.MEM_ns"), "latency.MEM_ns", &length);
    assert_int_equal(length, 3);
    assert_memory_equal(part, "MEM", 3);
    assert_null(metric_part(metric_find("ipc"), "ipc", &length));
}

static void grounds_differ(void **state)
{
    (void)state;
    assert_true(metric_is_observable("bandwidth.L3", METRIC_ON_PROCESSOR));
    assert_false(metric_is_observable("bandwidth.L3", METRIC_ON_PTX));
    assert_false(metric_is_observable("bandwidth.SHARED", METRIC_ON_PROCESSOR));
    assert_true(metric_is_observable("bandwidth.SHARED", metric_ground_of("gcn")));
    assert_true(metric_is_observable("bandwidth.DSMEM", metric_ground_of("ptx")));
    assert_false(metric_is_observable("bandwidth.DSMEM", metric_ground_of("gcn")));
    assert_true(metric_is_seen_by("served.DSMEM", "warp", metric_ground_of("ptx")));
    assert_false(metric_is_seen_by("served.DSMEM", "cupti", metric_ground_of("ptx")));
    assert_true(metric_is_seen_by("served.SHARED", "cupti", metric_ground_of("ptx")));
    assert_false(metric_is_observable("l2.channel0.share", metric_ground_of("aarch64")));
    assert_true(metric_is_observable("place.sm0.share", metric_ground_of("ptx")));
    assert_false(metric_is_observable("nothing", METRIC_ON_PROCESSOR));
    assert_true(metric_is_seen_by("l1d.miss_rate", "warp", METRIC_GROUNDS));
    assert_false(metric_is_seen_by("l1d.miss_rate", "warp", METRIC_ON_PROCESSOR));
    assert_true(metric_is_seen_by("bandwidth.L2", "perf", METRIC_ON_PROCESSOR));
    assert_false(metric_is_seen_by("bandwidth.L1", "perf", METRIC_ON_PROCESSOR));
}

static bool is_source(const char *name, size_t length)
{
    static const char *const others[] = {"import", "sensors", "tsc", "measure"};
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        if (strlen(counter_sources[i]->name) == length &&
            strncmp(counter_sources[i]->name, name, length) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i]) == length && strncmp(others[i], name, length) == 0)
            return true;
    return false;
}

/* A source observes nothing on programs that it is never asked about. */
static bool serves(const char *name, size_t length, enum metric_ground ground)
{
    static const char *const targets[METRIC_GROUNDS] = {"x86_64", "ptx", "gcn"};
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        if (strlen(counter_sources[i]->name) == length &&
            strncmp(counter_sources[i]->name, name, length) == 0)
            return source_serves(counter_sources[i], targets[ground]);
    return true;
}

static void rows_are_whole(void **state)
{
    (void)state;
    for (const struct metric *row = metric_table; row->name != NULL; row++) {
        assert_non_null(row->label);
        assert_non_null(row->unit);
        assert_non_null(row->meaning);
        assert_int_equal(row->star != STAR_NONE, strchr(row->name, '*') != NULL);
        assert_int_equal(row->star != STAR_NONE, strchr(row->label, '*') != NULL);
        assert_int_equal(row->shown != NULL, row->scale != 0);
        size_t observed = 0;
        for (unsigned ground = 0; ground < METRIC_GROUNDS; ground++) {
            const char *list = row->sources[ground];
            observed += list != NULL;
            if (list != NULL && strcmp(list, "plan") == 0)
                fail_msg("%s: a prediction alone decides nothing", row->name);
            for (const char *at = list; at != NULL; at = strchr(at, ',')) {
                at += *at == ',';
                size_t length = strcspn(at, ",");
                if (!is_source(at, length) || !serves(at, length, (enum metric_ground)ground))
                    fail_msg("%s names %.*s", row->name, (int)length, at);
            }
        }
        assert_true(observed > 0);
    }
}

static void count(const char *name, void *context)
{
    assert_non_null(metric_find(name));
    ++*(size_t *)context;
}

static void suggested_names_exist(void **state)
{
    (void)state;
    size_t names = 0;
    metric_each_name(count, &names);
    assert_in_range(names, 40, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_their_rows), cmocka_unit_test(parts_stand_for_stars),
        cmocka_unit_test(grounds_differ),        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(suggested_names_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
