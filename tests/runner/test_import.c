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
    "\"0\",\"a\",\"1,000\",\"200\",\"40.00\"\n"
    "\"1\",\"a\",\"1,000\",\"300\",\"60.00\"\n";

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
    enum status status = import_parse(text, strlen(text), "counts.csv", false, &import, error);
    *tool = import.tool;
    if (status == STATUS_OK)
        status = import_observe(&import, columns, IMPORT_POINT, list, error);
    import_free(&import);
    return status;
}

static void assert_seen(const struct observations *list, const char *metric, const char *tool,
                        double expected)
{
    const struct observation *seen = observations_find(list, metric, tool);
    assert_non_null(seen);
    assert_int_equal(seen->kind, EVIDENCE_MEASURED);
    assert_float_equal(seen->value, expected, 1e-9);
}

static const char *every_warning(const struct observations *list, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->warnings.count && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s\n", list->warnings.items[i].what);
    return text;
}

static double count_of(const struct observations *list, const char *name)
{
    for (size_t i = 0; i < list->imported.count; i++)
        if (strcmp(list->imported.items[i].name, name) == 0)
            return list->imported.items[i].interval.value;
    return NAN;
}

static const char *warning_of(const struct observations *list)
{
    return list->warnings.count == 0 ? "" : list->warnings.items[0].what;
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
    assert_float_equal(observations_find(&list, "l2.miss_rate", "ncu")->counted, 1, 0); /* units are no row */
    observations_free(&list);

    assert_int_equal(take(rocprof, NULL, &list, &tool, &error), STATUS_OK);
    assert_string_equal(tool, "rocprof");
    assert_seen(&list, "l2.miss_rate", "rocprof", 0.5);
    assert_float_equal(count_of(&list, "gpu_waves"), 2, 0);
    assert_int_equal(list.warnings.count, 0);
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
    const char *what = warning_of(&list);
    if (what == NULL || strstr(what, "instructions (below 0, which is impossible for a count)") == NULL)
        fail_msg("%s", what == NULL ? "nothing is said" : what);
    observations_free(&list);
    assert_int_equal(take(text, "instructions=ipc", &list, &tool, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "below 0, which is impossible for a count"));
    observations_free(&list);
}

/* One file: what it comes to, or why it is refused. */
struct dialect_case {
    const char *text, *columns;
    const char *metric; /* "events.NAME": a count; NULL: it is refused */
    double value;
    const char *says; /* part of the message or the warnings; NULL: anything */
    int line;         /* of the refusal */
};

static void assert_cases(const struct dialect_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct dialect_case *one = &cases[i];
        struct observations list;
        struct error error;
        const char *tool;
        char warnings[2000];
        enum status status = take(one->text, one->columns, &list, &tool, &error);
        every_warning(&list, warnings, sizeof warnings);
        if (one->metric == NULL) {
            if (status != STATUS_USAGE || strstr(error.message, one->says) == NULL || error.line != one->line)
                fail_msg("%zu: status %d, line %d: %s", i, (int)status, error.line, error.message);
        } else {
            if (status != STATUS_OK)
                fail_msg("%zu: %s", i, error.message);
            const struct observation *seen = observations_find(&list, one->metric, tool);
            double value = strncmp(one->metric, "events.", 7) == 0 ? count_of(&list, one->metric + 7)
                           : seen == NULL                          ? NAN
                                                                   : seen->value;
            if (!(fabs(value - one->value) < 1e-9 * fmax(1, one->value)))
                fail_msg("%zu: %s is %.10g and not %.10g\n%s", i, one->metric, value, one->value, warnings);
            if (one->says != NULL && strstr(warnings, one->says) == NULL)
                fail_msg("%zu: %s", i, warnings);
        }
        observations_free(&list);
    }
}

#define NCU "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define NCU_ROW(NUMBER, NAME, UNIT, VALUE)                                                                   \
    "\"" NUMBER "\",\"trauma_kernel(unsigned long, void *)\",\"" NAME "\",\"" UNIT "\",\"" VALUE "\"\n"
#define READS "lts__t_sectors_op_read.sum"
#define HITS "lts__t_sectors_op_read_lookup_hit.sum"

static void numbers_are_read_as_the_file_writes_them(void **state)
{
    (void)state;
    static const struct dialect_case cases[] = {
        /* perf in a language with decimal commas: 2 % of the time, and 12.75 ms. */
        {"12,75;msec;task-clock;12750000;100,00;0,627;CPUs utilized\n"
         "2500000;;instructions;255000;2,00;;\n1000000;;cycles;12750000;100,00;;\n",
         NULL, "events.task_clock_ms", 12.75, "instructions (2 %)", 0},
        {"12,75;msec;task-clock;12750000;100,00;0,627;CPUs utilized\n"
         "2500000;;instructions;255000;2,00;;\n1000000;;cycles;12750000;100,00;;\n",
         NULL, "ipc", 2.5, NULL, 0},
        /* Time stamps have a point in every language. */
        {"     1.000108412;0,59;Joules;power/energy-pkg/;1000108412;100,00;;\n", "energy-pkg=events.joules",
         "events.joules", 0.59, NULL, 0},
        /* With commas between the fields, too, it is lost what is what. */
        {"12,75,msec,task-clock,12750000,100,00,0,627,CPUs utilized\n", NULL, NULL, 0, "perf stat -x", 1},
        {"# started\n\n1000,,cycles,12750000,100,00,0,627,GHz\n", NULL, NULL, 0, "perf stat -x", 3},
        {"0,59,Joules,power/energy-pkg/,1000,100,00,,\n", NULL, NULL, 0, "perf stat -x", 1},
        {"1000,,cycles,0,02%,12750000,100,00,0,627,GHz\n", NULL, NULL, 0, "perf stat -x", 1},
        {"{\"counter-value\" : \"12,750000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
         "\"event-runtime\" : 12750000, \"pcnt-running\" : 100,00, \"metric-value\" : 0,627}\n",
         NULL, "events.task_clock_ms", 12.75, NULL, 0},
        {"{\"counter-value\" : \"12.75\", \"event\" : \"task-clock\", \"pcnt-running\" : 50.00}\n{\"broken\n",
         NULL, NULL, 0, "no JSON", 2},
        /* Two ways in one file, and a number that may be either. */
        {"12,75;msec;task-clock;12750000;100,00;;\n1000;;cycles;12750000;100.00;;\n", NULL, NULL, 0,
         "'100.00' in line 2", 1},
        {"1,234;;cycles\n2,468;;instructions\n", NULL, NULL, 0, "'1,234'", 1},
        {"1,234;;cycles\n2,468;;instructions\n", "@decimal=comma", "events.cycles", 1.234, NULL, 0},
        {"1,234;;cycles\n2,468;;instructions\n", "@decimal=point", "events.cycles", 1234, NULL, 0},
        {"1,5;;cycles\n3;;instructions\n", "@decimal=point", NULL, 0, "'1,5'", 1},
        /* Nsight Compute. */
        {NCU NCU_ROW("0", READS, "sector", "1.200.000") NCU_ROW("0", HITS, "sector", "900.000")
             NCU_ROW("0", "x__y.pct", "%", "5,40"),
         "x__y.pct=events.x", "l2.miss_rate", 0.25, NULL, 0},
        {NCU NCU_ROW("0", READS, "sector", "1.200.000") NCU_ROW("0", HITS, "sector", "900.000")
             NCU_ROW("0", "x__y.pct", "%", "5,40"),
         "x__y.pct=events.x", "events.x", 5.4, NULL, 0},
        {NCU NCU_ROW("0", READS, "sector",
                     "1\xE2\x80\xAF"
                     "200\xE2\x80\xAF"
                     "000") NCU_ROW("0", HITS, "sector",
                                    "900\xC2\xA0"
                                    "000") NCU_ROW("0", "x__y.pct", "%", "5,40"),
         NULL, "l2.miss_rate", 0.25, NULL, 0},
        {NCU NCU_ROW("0", READS, "sector", "1'200'000") NCU_ROW("0", HITS, "sector", "900’000"), NULL,
         "l2.miss_rate", 0.25, NULL, 0},
        {NCU NCU_ROW("0", READS, "sector", "1.200") NCU_ROW("0", HITS, "sector", "900"), NULL, NULL, 0,
         "'1.200'", 2},
        {NCU NCU_ROW("0", READS, "sector", "1,200") NCU_ROW("0", HITS, "sector", "900"), NULL, NULL, 0,
         "'1,200'", 2},
        {NCU NCU_ROW("0", READS, "sector", "1,200") NCU_ROW("0", HITS, "sector", "900"), "@decimal=point",
         "l2.miss_rate", 0.25, NULL, 0},
        {NCU NCU_ROW("0", READS, "sector", "1_200") NCU_ROW("0", HITS, "sector", "900"), NULL,
         "events.gpu_l2_hits", 900, "'1_200' in line 2 cannot be read as a number", 0},
        {NCU NCU_ROW("0", READS, "sector", "12,00,000") NCU_ROW("0", HITS, "sector", "900"), NULL,
         "events.gpu_l2_hits", 900, "'12,00,000' in line 2 cannot be read as a number", 0},
        /* rocprof and CodeXL separate no thousands: a point is decimal. A spreadsheet's semicolons are
         * read. */
        {"Index,KernelName,TCC_HIT_sum,TCC_MISS_sum\n0,\"k\",1.125,3.375\n", NULL, "l2.miss_rate", 0.75, NULL,
         0},
        {"Index;KernelName;TCC_HIT_sum;TCC_MISS_sum\n0;\"k(int, int)\";7,5;2,5\n", NULL, "l2.miss_rate", 0.25,
         NULL, 0},
        {"# v\nMethod, ExecutionOrder, CacheHit\nk__k1_Hawaii1, 1, 62.125\n", NULL, "l2.miss_rate", 0.37875,
         NULL, 0},
        {"\xEF\xBB\xBFIndex,KernelName,TCC_HIT_sum,TCC_MISS_sum\r\n0,\"k\",3,1\r\n", NULL, "l2.miss_rate",
         0.25, NULL, 0},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0]);
}

/* A share is from 0 to 1, or it is not measured. */
static void shares_have_bounds(void **state)
{
    (void)state;
    static const struct dialect_case cases[] = {
        {NCU NCU_ROW("0", READS, "sector", "100") NCU_ROW("0", HITS, "sector", "7500"), NULL, NULL, 0,
         "l2.miss_rate would be -74", 0},
        {NCU NCU_ROW("0", READS, "sector", "100") NCU_ROW("0", HITS, "sector", "7500"), NULL, NULL, 0,
         READS " = 100, " HITS " = 7500", 0},
        {"# v\nMethod, ExecutionOrder, CacheHit\nk__k1_Hawaii1, 1, 150\n", NULL, NULL, 0, "would be -0.5", 0},
        {"2000,,branch-misses,1,100.00,,\n1000,,branches,1,100.00,,\n", NULL, NULL, 0,
         "branch.miss_rate would be 2", 0},
        {"9,,cycles,1,100.00,,\n2,,x,1,100.00,,\n", "x=l2.channel0.share", NULL, 0, "is 2", 0},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0]);
}

#define ROCPROF2                                                                                             \
    "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,"   \
    "Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,"          \
    "TCC_HIT_sum,TCC_MISS_sum\n"
#define ROCPROF2_OLD                                                                                         \
    "Dispatch_ID,GPU_ID,Queue_ID,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,ACCUM_VGPR,SGPR,Wave_Size,"   \
    "SIG,"                                                                                                   \
    "OBJ,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,TCC_HIT_sum,TCC_MISS_sum\n"
#define ROCPROF2_ROW(NUMBER, GPU, PROCESS, KERNEL, COUNTS)                                                   \
    NUMBER "," GPU ",1," PROCESS ",7,1048576,256,0,0,8,0,32,64,\"" KERNEL "\",7,30064771072,0," COUNTS "\n"
#define ROCPROF3                                                                                             \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Kernel_Name\","           \
    "\"Counter_Name\",\"Counter_Value\"\n"
#define ROCPROF1 "Index,KernelName,gpu-id,pid,TCC_HIT_sum,TCC_MISS_sum\n"
#define CPU(NUMBER, CORE, EVENT) CORE "," NUMBER ",," EVENT ",1000,100.00,,\n"
#define JSON(MORE, NUMBER, EVENT)                                                                            \
    "{" MORE "\"counter-value\" : \"" NUMBER "\", \"unit\" : \"\", \"event\" : \"" EVENT                     \
    "\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n"

/* Rows of several scopes are never added: one is chosen, or the file is refused. */
static void one_scope_is_read(void **state)
{
    (void)state;
    static const char joules[] = "power/energy-pkg/=events.joules";
    static const char cores[] = CPU("1000", "CPU0", "cycles") CPU("2000", "CPU0", "instructions")
        CPU("3000", "CPU1", "cycles") CPU("3000", "CPU1", "instructions");
    static const char hybrid[] =
        "1000,,cpu_core/cycles/,1,100.00,,\n9,,cpu_atom/cycles/,1,100.00,,\n"
        "2000,,cpu_core/instructions/,1,100.00,,\n9,,cpu_atom/instructions/,1,100.00,,\n";
    static const char modes[] =
        "1000,,cycles:u,1,100.00,,\n9,,cycles:k,1,100.00,,\n2000,,instructions:u,1,100.00,,\n";
    static const char cgroups[] =
        "1000,,cycles,a.slice,1,100.00,,\n7,,cycles,b.slice,1,100.00,,\n"
        "2000,,instructions,a.slice,1,100.00,,\n7,,instructions,b.slice,1,100.00,,\n";
    static const char kernels[] =
        ROCPROF1 "0,\"__amd_rocclr_fillBufferAligned.kd\",1,7,10,9000\n"
                 "1,\"trauma_kernel(unsigned long, void*) [clone .kd]\",1,7,75,25\n2,\"other\",1,7,9,9\n";
    static const struct dialect_case cases[] = {
        /* The summary repeats the intervals; without one they are parts of one run. */
        {"     1.000108412,0.30,Joules,power/energy-pkg/,1,100.00,,\n"
         "     2.000108412,0.29,Joules,power/energy-pkg/,1,100.00,,\n"
         "         summary,0.59,Joules,power/energy-pkg/,1,100.00,,\n",
         joules, "events.joules", 0.59, NULL, 0},
        {"     1.000108412,0.30,Joules,power/energy-pkg/,1,100.00,,\n"
         "     2.000108412,0.29,Joules,power/energy-pkg/,1,100.00,,\n"
         "0.59,Joules,power/energy-pkg/,1,100.00,,\n",
         joules, "events.joules", 0.59, NULL, 0},
        {"     1.000108412,0.30,Joules,power/energy-pkg/,1,100.00,,\n"
         "     2.000108412,0.29,Joules,power/energy-pkg/,1,100.00,,\n",
         joules, "events.joules", 0.59, NULL, 0},
        {"     1.000108412,0.30,Joules,power/energy-pkg/,1,100.00,,\n"
         "     2.000108412,0.29,Joules,power/energy-pkg/,1,100.00,,\n",
         "power/energy-pkg/=events.joules,@interval=2.000108412", "events.joules", 0.29, NULL, 0},
        {JSON("\"interval\" : 1.000108412, ", "0.300000", "power/energy-pkg/")
             JSON("\"interval\" : 2.000108412, ", "0.290000", "power/energy-pkg/")
                 JSON("", "0.590000", "power/energy-pkg/"),
         joules, "events.joules", 0.59, NULL, 0},
        /* An interval in which an event was not counted is a share of the time. */
        {"1000,,cycles,1,200.00,,\n5,,branches,1,100.00,,\n", NULL, "events.branches", 5,
         "cycles (counted for '200.00' % of the time in line 1)", 0},
        {"1000,,cpu_core/cycles:u/,1,100.00,,\n", NULL, "events.cycles", 1000, NULL, 0},
        {"\xFF\xFEI", NULL, NULL, 0, "is UTF-16 text", 0},
        {"     1.000108412,1000,,cycles,1,100.00,,\n     2.000108412,<not counted>,,cycles,0,0.00,,\n", NULL,
         "events.cycles", 1000, "cycles (50 %)", 0},
        /* Cores, sockets, threads. */
        {cores, NULL, NULL, 0, "several cores, which are not added: CPU0, CPU1", 0},
        {cores, "@core=CPU0", "ipc", 2, NULL, 0},
        {cores, "@core=CPU1", "ipc", 1, NULL, 0},
        {cores, "@core=CPU2", NULL, 0, "has no core 'CPU2'", 0},
        {cores, "@cores=CPU0", NULL, 0, "@cores=CPU0 is unknown", 0},
        {CPU("1000", "CPU0", "cycles") CPU("<not counted>", "CPU1", "cycles"), NULL, "events.cycles", 1000,
         NULL, 0},
        {CPU("4,1000", "S0", "cycles") CPU("4,3000", "S1", "cycles"), NULL, NULL, 0, "S0, S1", 0},
        {"     1.000108412,S0-D0-C0,2,1000,,cycles,1,100.00,,\n     "
         "1.000108412,S0-D0-C1,2,5,,cycles,1,100.00,,\n"
         "         summary,S0-D0-C0,2,1000,,cycles,1,100.00,,\n         "
         "summary,S0-D0-C1,2,5,,cycles,1,100.00,,\n",
         "@core=S0-D0-C0", "events.cycles", 1000, NULL, 0},
        {"program-41,1000,,cycles,1,100.00,,\nprogram-42,3000,,cycles,1,100.00,,\n", NULL, NULL, 0,
         "program-41, program-42", 0},
        {JSON("\"cpu\" : \"0\", ", "1000.000000", "cycles") JSON("\"cpu\" : \"1\", ", "5.000000", "cycles"),
         NULL, NULL, 0, "several cores", 0},
        {JSON("\"cpu\" : \"0\", ", "1000.000000", "cycles") JSON("\"cpu\" : \"1\", ", "5.000000", "cycles"),
         "@core=1", "events.cycles", 5, NULL, 0},
        /* Kinds of core. One that did nothing is none. */
        {hybrid, NULL, NULL, 0, "several PMUs, which are not added: cpu_core, cpu_atom", 0},
        {hybrid, "@pmu=cpu_core", "ipc", 2, NULL, 0},
        {"1000,,cpu_core/cycles/u,1,100.00,,\n<not counted>,,cpu_atom/cycles/u,0,0.00,,\n", NULL,
         "events.cycles", 1000, NULL, 0},
        {"1000,,armv8_cortex_a53/cycles/,1,100.00,,\n9,,armv8_cortex_a72/cycles/,1,100.00,,\n", NULL, NULL, 0,
         "armv8_cortex_a53, armv8_cortex_a72", 0},
        {modes, NULL, NULL, 0, "several modes", 0},
        {modes, "@mode=u", "ipc", 2, NULL, 0},
        {cgroups, NULL, NULL, 0, "several cgroups, which are not added: a.slice, b.slice", 0},
        {cgroups, "@cgroup=a.slice", "ipc", 2, NULL, 0},
        /* An event that was counted twice is not twice as much; boxes of an uncore are not one. */
        {"1000,,cycles,1,100.00,,\n1000,,cycles,1,100.00,,\n", NULL, "events.cycles", 1000, NULL, 0},
        {"1000,,cycles,1,100.00,,\n1010,,cycles,1,100.00,,\n5,,branches,1,100.00,,\n", NULL,
         "events.branches", 5, "cycles (counted twice, as 1000 and 1010)", 0},
        {"10,,uncore_imc_0/cas/,1,100.00,,\n11,,uncore_imc_1/cas/,1,100.00,,\n5,,branches,1,100.00,,\n", NULL,
         "events.branches", 5, "cas (counted twice, as 10 and 11)", 0},
        {NCU NCU_ROW("0", READS, "sector", "8") NCU_ROW("0", READS, "sector", "8") NCU_ROW(
             "1", READS, "sector", "8") NCU_ROW("0", HITS, "sector", "6") NCU_ROW("1", HITS, "sector", "6"),
         NULL, "l2.miss_rate", 0.25, NULL, 0},
        {NCU NCU_ROW("0", "gpu__time_duration.sum", "us", "8")
             NCU_ROW("1", "gpu__time_duration.sum", "ms", "8") NCU_ROW("1", READS, "sector", "8"),
         NULL, "events.gpu_l2_accesses", 8, "in 'us' and in 'ms'", 0},
        /* The point's own kernel, or the only one that is not the runtime's. */
        {kernels, NULL, "l2.miss_rate", 0.25, "left out: __amd_rocclr_fillBufferAligned.kd, other", 0},
        {kernels, "@kernel=other", "l2.miss_rate", 0.5, NULL, 0},
        {kernels, "@kernel=wlak", NULL, 0, "has no kernel 'wlak'", 0},
        {ROCPROF1 "0,\"__amd_rocclr_copyBuffer.kd\",1,7,10,9000\n1,\"walk(int*) (.kd)\",1,7,75,25\n", NULL,
         "l2.miss_rate", 0.25, "left out: __amd_rocclr_copyBuffer.kd", 0},
        {ROCPROF1 "0,\"a\",1,7,10,9000\n1,\"walk(int*)\",1,7,75,25\n", NULL, NULL, 0,
         "several kernels, which are not added: a, walk(int*)", 0},
        {ROCPROF1 "0,\"void walk<int>(int*)\",1,7,10,9000\n1,\"void walk<float>(int*)\",1,7,75,25\n",
         "@kernel=walk", NULL, 0, "several kernels", 0},
        {ROCPROF1 "0,\"k\",1,7,75,25\n1,\"k\",2,7,1,1\n", NULL, NULL, 0, "several devices", 0},
        {ROCPROF1 "0,\"k\",1,7,75,25\n1,\"k\",2,7,1,1\n", "@device=2", "l2.miss_rate", 0.5, NULL, 0},
        {ROCPROF1 "0,\"k\",1,7,75,25\n1,\"k\",1,8,1,1\n", NULL, NULL, 0,
         "several processes, which are not added: 7, 8", 0},
        {NCU NCU_ROW("0", READS, "sector", "100")
             NCU_ROW("0", HITS, "sector", "75") "\"1\",\"memset_kernel\",\"" READS "\",\"sector\",\"900\"\n",
         NULL, "l2.miss_rate", 0.25, "left out: memset_kernel", 0},
        {"# v\nMethod, ExecutionOrder, CacheHit\nfill__k1_Hawaii1, 1, 10\ntrauma_kernel__k12_Hawaii1, 2, "
         "75\n",
         NULL, "l2.miss_rate", 0.25, NULL, 0},
        {ROCPROF3
         "1,1,4,1,7,\"__amd_rocclr_fillBufferAligned\",\"TCC_HIT_sum\",1\n"
         "1,1,4,1,7,\"__amd_rocclr_fillBufferAligned\",\"TCC_MISS_sum\",900\n"
         "2,2,4,1,7,\"trauma_kernel\",\"TCC_HIT_sum\",75\n2,2,4,1,7,\"trauma_kernel\",\"TCC_MISS_sum\",25\n",
         NULL, "l2.miss_rate", 0.25, NULL, 0},
        /* rocprofv2's headings, of both versions; lines are empty between. */
        {ROCPROF2
         "\n" ROCPROF2_ROW("1", "1", "7", "__amd_rocclr_fillBufferAligned (.kd)", "5.000000,900.000000")
             ROCPROF2_ROW("2", "1", "7", "trauma_kernel(unsigned long, void*) (.kd)", "75.000000,25.000000"),
         NULL, "l2.miss_rate", 0.25, NULL, 0},
        {ROCPROF2_OLD
         "\n1,64700,1,0,353,353,1048576,16,0,0,8,0,16,64,140356026185088,1,\"k(float*, int) (.kd)\",7,"
         "30064771072,0,75.000000,25.000000\n",
         NULL, "l2.miss_rate", 0.25, NULL, 0},
        {ROCPROF2 ROCPROF2_ROW("1", "1", "7", "k", "75.000000,25.000000")
             ROCPROF2_ROW("1", "2", "7", "k", "75.000000,25.000000"),
         NULL, NULL, 0, "several devices", 0},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0]);
}

/* A row has as many fields as the heading. */
static void rows_have_the_headings_fields(void **state)
{
    (void)state;
    static const struct dialect_case cases[] = {
        {ROCPROF1 "0,\"k\",1,7,75,25\n1,\"k\",1,7,75\n", NULL, NULL, 0, "5 fields under a heading of 6", 3},
        {ROCPROF1 "0,\"k\",1,7,75,25,9\n", NULL, NULL, 0, "7 fields under a heading of 6", 2},
        {ROCPROF1 "0,k(int, int),1,7,75,25\n", NULL, NULL, 0, "7 fields under a heading of 6", 2},
        {ROCPROF1 "0,\"k,1,7,75,25\n", NULL, NULL, 0, "2 fields under a heading of 6", 2},
        {ROCPROF1 "0,\"k\",1,7,75,25,\n", NULL, "l2.miss_rate", 0.25, NULL, 0},
        {ROCPROF1 "0,\"k\",1,7,75,25\n" ROCPROF1 "0,\"k\",1,7,75,25\n", NULL, NULL, 0,
         "the heading occurs again", 3},
        {"==PROF== Connected\n" NCU NCU_ROW("0", READS, "sector", "8") "\n==PROF== Disconnected\n"
                                                                       "\"0\",\"trauma_kernel\",\"" HITS
                                                                       "\",\"sector\"\n",
         NULL, NULL, 0, "4 fields under a heading of 5", 6},
        {"# v\nMethod, ExecutionOrder, CacheHit\nk, 1\n", NULL, NULL, 0, "2 fields under a heading of 3", 3},
        {"hello\n1000,,cycles,1,100.00,,\n,,,,,,0.50,insn per cycle\n", NULL, "events.cycles", 1000,
         "the first is line 1", 0},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0]);
}

static const char *const samples[] = {perf_json, perf_text, perf_intervals, ncu_long,
                                      ncu_wide,  rocprof,   codexl};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Parses bytes as they are; the values are finite and named, or it is refused. */
static void assert_harmless(const char *bytes, size_t size)
{
    struct import import;
    struct error error = {0};
    enum status status = import_parse(bytes, size, "counts.csv", false, &import, &error);
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
        cmocka_unit_test(numbers_are_read_as_the_file_writes_them),
        cmocka_unit_test(shares_have_bounds),
        cmocka_unit_test(one_scope_is_read),
        cmocka_unit_test(rows_have_the_headings_fields),
        cmocka_unit_test(every_truncation_is_harmless),
        cmocka_unit_test(damage_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
