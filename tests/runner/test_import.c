/* Counters of other tools: each format as the tool writes it, unknown names, refusals, and damage of all
 * kinds, which does no harm. */
#include "base/json.h"
#include "runner/sources/import/import_file.h"
#include "tests/mutate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char perf_json[] =
    "# started on Sat Nov 21 10:18:12 2026\n\n"
    "{\"counter-value\" : \"1000000.000000\", \"unit\" : \"\", \"event\" : \"cycles:u\", \"event-runtime\" : "
    "727852, \"pcnt-running\" : 100.00, \"metric-value\" : 0.7, \"metric-unit\" : \"GHz\"}\n"
    "{\"counter-value\" : \"2500000.000000\", \"unit\" : \"\", \"event\" : \"cpu_core/instructions/u\", "
    "\"event-runtime\" : 727852, \"pcnt-running\" : 100.00}\n"
    "{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"branches\", \"event-runtime\" "
    ": "
    "0, \"pcnt-running\" : 100.00}\n"
    "{\"counter-value\" : \"300.0\", \"unit\" : \"\", \"event\" : \"L1-dcache-load-misses\", "
    "\"event-runtime\" : 1, \"pcnt-running\" : 50.00}\n"
    "{\"counter-value\" : \"1000.0\", \"unit\" : \"\", \"event\" : \"L1-dcache-loads\", \"event-runtime\" : "
    "1, \"pcnt-running\" : 100.00}\n";

static const char perf_text[] = "# started on Sat Nov 21 10:18:12 2026\n\n"
                                "0.83,msec,task-clock,830289,100.00,0.627,CPUs utilized\n"
                                "2500000,,instructions:u,0.02%,830289,100.00,59.016,K/sec\n"
                                "1000000,,cycles:u,0.01%,830289,80.00,,\n"
                                "<not counted>,,branches,0,0.00,,\n";

/* With -I a time stamp is in front, and a separator other than the comma. */
static const char perf_intervals[] = "     1.000108;1000;;cycles;100;100.00;;\n"
                                     "     1.000108;2000;;instructions;100;100.00;;\n"
                                     "     2.000209;1000;;cycles;100;100.00;;\n"
                                     "     2.000209;4000;;instructions;100;100.00;;\n";

static const char ncu_long[] =
    "==PROF== Connected to process 1 (program)\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
    "Value\"\n"
    "\"0\",\"1\",\"p\",\"h\",\"k\",\"1\",\"7\",\"(32,32,1)\",\"(64,64,1)\",\"0\",\"9.0\",\"s\",\"lts__t_"
    "sectors_"
    "op_read.sum\",\"sector\",\"1,200,000\"\n"
    "\"0\",\"1\",\"p\",\"h\",\"k\",\"1\",\"7\",\"(32,32,1)\",\"(64,64,1)\",\"0\",\"9.0\",\"s\",\"lts__t_"
    "sectors_"
    "op_read_lookup_hit.sum\",\"sector\",\"900,000\"\n"
    "\"0\",\"1\",\"p\",\"h\",\"k\",\"1\",\"7\",\"(32,32,1)\",\"(64,64,1)\",\"0\",\"9.0\",\"s\",\"dram__bytes_"
    "read."
    "sum\",\"Mbyte\",\"53.2\"\n";

static const char ncu_wide[] =
    "\"ID\",\"Kernel Name\",\"lts__t_sectors_op_read.sum\",\"lts__t_sectors_op_read_lookup_hit.sum\",\"sm__"
    "throughput.avg.pct_of_peak_sustained_elapsed\"\n"
    "\"\",\"\",\"sector\",\"sector\",\"%\"\n"
    "\"0\",\"a\",\"1,000\",\"200\",\"40\"\n"
    "\"1\",\"b\",\"1,000\",\"300\",\"60\"\n";

static const char rocprof[] = "Index,KernelName,gpu-id,queue-id,grd,wgr,TCC_HIT_sum,TCC_MISS_sum,SQ_WAVES\n"
                              "0,\"walk(unsigned long*) [clone .kd]\",0,0,64,64,75,25,1\n"
                              "1,\"walk(unsigned long*) [clone .kd]\",0,0,64,64,25,75,1\n";

static const char codexl[] =
    "# ProfilerVersion=3.1.1\n# Application=program\n"
    "Method , ExecutionOrder , ThreadID , Time , Wavefronts , CacheHit\n"
    "walk__k1_Hawaii1 , 1 , 4711 , 0.5 , 64 , 100.00\nwalk__k1_Hawaii1 , 2 , 4711 , 0.5 , 64 , 50.00\n";

/* Reads the text and makes observations of it. */
static enum status take(const char *text, const char *columns, struct observations *list, const char **tool,
                        struct error *error)
{
    struct import import;
    *list = (struct observations){0};
    memset(error, 0, sizeof *error);
    enum status status = import_parse(text, strlen(text), "counts.csv", &import, error);
    *tool = import.tool;
    if (status == STATUS_OK)
        status = import_observe(&import, columns, list, error);
    import_free(&import);
    return status;
}

static void assert_seen(const struct observations *list, const char *metric, const char *tool,
                        double expected)
{
    const struct observation *seen = observations_find(list, metric, tool);
    assert_non_null(seen);
    assert_string_equal(seen->kind, "measured");
    assert_float_equal(seen->value, expected, 1e-9);
}

static double count_of(const struct observations *list, const char *name)
{
    return json_number_or(json_object_get(list->imported, "counts"), name, NAN);
}

static const char *warning_of(const struct observations *list)
{
    return json_string_or(json_array_get(list->warnings, 0), "what", "");
}

static void perf_is_read(void **state)
{
    (void)state;
    struct observations list;
    struct error error;
    const char *tool;
    assert_int_equal(take(perf_json, NULL, &list, &tool, &error), STATUS_OK);
    assert_string_equal(tool, "perf");
    assert_seen(&list, "ipc", "perf", 2.5);
    assert_seen(&list, "l1d.miss_rate", "perf", 0.3);
    /* Half of the time it was not counted, and that widens it. */
    const struct observation *seen = observations_find(&list, "l1d.miss_rate", "perf");
    assert_float_equal(seen->counted, 0.5, 1e-12);
    assert_float_equal(seen->low, 0.15, 1e-9);
    /* What was not counted is not 0: it is told as such. */
    assert_null(observations_find(&list, "branch.miss_rate", "perf"));
    assert_true(isnan(count_of(&list, "branches")));
    assert_non_null(strstr(warning_of(&list), "branches (not counted)"));
    observations_free(&list);

    assert_int_equal(take(perf_text, NULL, &list, &tool, &error), STATUS_OK);
    assert_seen(&list, "ipc", "perf", 2.5);
    assert_float_equal(observations_find(&list, "ipc", "perf")->counted, 0.8, 1e-12);
    assert_float_equal(count_of(&list, "task_clock_ms"), 0.83, 1e-12);
    observations_free(&list);

    assert_int_equal(take(perf_intervals, NULL, &list, &tool, &error), STATUS_OK);
    assert_seen(&list, "ipc", "perf", 3);
    assert_float_equal(count_of(&list, "cycles"), 2000, 0);
    observations_free(&list);
}

static void profilers_are_read(void **state)
{
    (void)state;
    struct observations list;
    struct error error;
    const char *tool;
    assert_int_equal(take(ncu_long, NULL, &list, &tool, &error), STATUS_OK);
    assert_string_equal(tool, "ncu");
    assert_seen(&list, "l2.miss_rate", "ncu", 0.25);
    assert_float_equal(count_of(&list, "gpu_l2_accesses"), 1200000, 0);
    assert_true(isnan(count_of(&list, "gpu_memory_read_bytes"))); /* its unit is not the base one */
    assert_non_null(strstr(warning_of(&list), "--print-units base"));
    observations_free(&list);

    assert_int_equal(take(ncu_wide, NULL, &list, &tool, &error), STATUS_OK);
    assert_seen(&list, "l2.miss_rate", "ncu", 0.75);
    observations_free(&list);

    assert_int_equal(take(rocprof, NULL, &list, &tool, &error), STATUS_OK);
    assert_string_equal(tool, "rocprof");
    assert_seen(&list, "l2.miss_rate", "rocprof", 0.5);
    assert_float_equal(count_of(&list, "gpu_waves"), 2, 0);
    assert_null(list.warnings);
    observations_free(&list);

    assert_int_equal(take(codexl, NULL, &list, &tool, &error), STATUS_OK);
    assert_string_equal(tool, "codexl");
    assert_seen(&list, "l2.miss_rate", "codexl", 0.25);
    assert_non_null(strstr(warning_of(&list), "Time"));
    observations_free(&list);
}

static void columns_say_what_a_name_is(void **state)
{
    (void)state;
    struct observations list;
    struct error error;
    const char *tool;
    assert_int_equal(
        take(ncu_wide,
             "sm__throughput.avg.pct_of_peak_sustained_elapsed=body.share,lts__t_sectors_op_read."
             "sum=events.reads",
             &list, &tool, &error),
        STATUS_OK);
    assert_seen(&list, "body.share", "ncu", 0.5); /* of rows in percent the mean */
    assert_float_equal(count_of(&list, "reads"), 2000, 0);
    observations_free(&list);

    static const struct {
        const char *columns, *message, *hint; /* parts of them */
    } wrong[] = {
        {"TCC_HITS_sum=l2.miss_rate", "no \"TCC_HITS_sum\"", "TCC_HIT_sum"},
        {"TCC_HIT_sum=l2.mis_rate", "\"l2.mis_rate\"", "l2.miss_rate"},
        {"TCC_HIT_sum=l2.miss_rate", "is 100", "events.NAME"},
        {"TCC_HIT_sum", "NAME=METRIC", "for example"},
        {"=ipc", "NAME=METRIC", "for example"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(take(rocprof, wrong[i].columns, &list, &tool, &error), STATUS_USAGE);
        assert_non_null(strstr(error.message, wrong[i].message));
        assert_non_null(strstr(error.hint, wrong[i].hint));
        observations_free(&list);
    }
}

static void what_has_no_counters_is_refused(void **state)
{
    (void)state;
    struct observations list;
    struct error error;
    const char *tool;
    static const char *const texts[] = {
        "", "\n\n", "hello", "a,b,c\n1,2,3\n", "{\"a\":1}\n", "[1,2]", "\"Metric Name\",\"Metric Value\"\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(take(texts[i], NULL, &list, &tool, &error), STATUS_USAGE);
        assert_non_null(strstr(error.message, "no counters were found"));
        observations_free(&list);
    }
    /* Counters, but none that is known: they are named. */
    assert_int_equal(take("5,,page-faults,100,100.00,,\n", NULL, &list, &tool, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "page-faults"));
    assert_non_null(strstr(error.hint, "--columns"));
    observations_free(&list);
}

/* A count is never below 0: it is named, and nothing is made of it. */
static void a_count_below_0_is_none(void **state)
{
    (void)state;
    static const char text[] = "-2500000,,instructions,830289,100.00,,\n1000000,,cycles,830289,100.00,,\n";
    struct observations list;
    struct error error;
    const char *tool;
    assert_int_equal(take(text, NULL, &list, &tool, &error), STATUS_OK);
    assert_null(observations_find(&list, "ipc", "perf"));
    const char *what = json_string_value(json_object_get(json_array_get(list.warnings, 0), "what"));
    if (what == NULL || strstr(what, "instructions (below 0, which is impossible for a count)") == NULL)
        fail_msg("%s", what == NULL ? "nothing is said" : what);
    observations_free(&list);
    assert_int_equal(take(text, "instructions=ipc", &list, &tool, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "below 0, which is impossible for a count"));
    observations_free(&list);
}

static const char *const samples[] = {perf_json, perf_text, perf_intervals, ncu_long,
                                      ncu_wide,  rocprof,   codexl};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Parses bytes as they are; the values are finite and named, or it is refused. */
static void assert_harmless(const char *bytes, size_t size)
{
    struct import import;
    struct error error = {0};
    enum status status = import_parse(bytes, size, "counts.csv", &import, &error);
    assert_true(status == STATUS_OK || (status == STATUS_USAGE && error.message[0] != '\0'));
    for (size_t i = 0; i < import.count; i++)
        assert_true(isfinite(import.values[i].counted) && import.values[i].name != NULL);
    import_free(&import);
}

static void every_truncation_is_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t size = 0; size <= strlen(samples[i]); size++) {
            char *exact = malloc(size + 1); /* so that a byte read beyond is seen */
            memcpy(exact, samples[i], size);
            assert_harmless(exact, size);
            free(exact);
        }
}

static void damage_is_harmless(void **state)
{
    (void)state;
    struct random random = mutate_start("import");
    double end = mutate_now() + mutate_seconds();
    for (size_t i = 0; mutate_now() < end; i++) {
        struct buffer text = {0};
        buffer_text(&text, samples[i % SAMPLES]);
        for (int j = 0; j < 4; j++)
            mutate_once(&random, &text);
        assert_harmless(text.size == 0 ? "" : text.data, text.size);
        struct observations list;
        struct error error;
        const char *tool;
        if (i % 50 == 0 && text.data != NULL) { /* reading the tools' files takes longer */
            enum status status = take(text.data, NULL, &list, &tool, &error);
            assert_true(status == STATUS_OK || status == STATUS_USAGE);
            observations_free(&list);
        }
        buffer_free(&text);
    }
}

int main(void)
{
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/nowhere", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_is_read),
        cmocka_unit_test(profilers_are_read),
        cmocka_unit_test(columns_say_what_a_name_is),
        cmocka_unit_test(what_has_no_counters_is_refused),
        cmocka_unit_test(a_count_below_0_is_none),
        cmocka_unit_test(every_truncation_is_harmless),
        cmocka_unit_test(damage_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
