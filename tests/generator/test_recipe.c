/* The recipe language and its sandbox: the results of recipes, what is refused with which message, and that
 * no recipe exceeds its limits. Hostile recipes are files of recipes/hostile/; their first line states the
 * expected result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy.h"

#include "base/file.h"
#include "base/json.h"
#include "generator/kernel/operations.h"
#include "generator/recipe/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECIPES TRAUMA_SOURCE_DIR "/tests/generator/recipes"

static void load_well(const char *path, const char *set, const char *values, struct recipe *recipe)
{
    struct error error;
    if (load(path, set, values, recipe, &error) != STATUS_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
}

static void assert_document(const json_t *document, const char *expected)
{
    struct buffer text = {0};
    json_write(&text, document, 0);
    text.data[text.size - 1] = '\0';
    assert_string_equal(text.data, expected);
    buffer_free(&text);
}

static void assert_part(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" has no \"%s\"", text, part);
}

static void assert_point(const struct recipe *recipe, size_t index, const char *expected)
{
    struct error error;
    struct buffer text = {0};
    assert_int_equal(recipe_text(recipe, &recipe->points[index], &text, &error), STATUS_OK);
    json_t *document = json_loadb(text.data, text.size, 0, NULL);
    assert_non_null(document);
    assert_document(document, expected);
    json_decref(document);
    buffer_free(&text);
}

/* The targets of a benchmark that names none: every ISA that processors run. */
static void assert_all_processors(const json_t *targets)
{
    size_t found = 0;
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (!isa_table[i]->gpu)
            assert_string_equal(json_string_value(json_array_get(targets, found++)), isa_table[i]->name);
    assert_int_equal(json_array_size(targets), found);
}

/* ---- what recipes come to ---- */

static void paper_sweep_has_33_points(void **state)
{
    (void)state;
    struct recipe recipe;
    load_well(TRAUMA_SOURCE_DIR "/recipes/traumagen-2001/dcache.lua", NULL, NULL, &recipe);
    assert_int_equal(recipe.count, 33);
    assert_string_equal(recipe.points[0].name, "dependents=0,hit=0");
    assert_string_equal(recipe.points[32].name, "dependents=2,hit=1");
    assert_string_equal(recipe.points[14].benchmark, "dcache");
    assert_point(
        &recipe, 14,
        "{\"benchmark\":\"dcache\",\"point\":\"dependents=1,hit=0.3\",\"parameters\":{\"dependents\":1,"
        "\"hit\":0.3},\"target\":\"x86_64\",\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.3,"
        "\"L2\":0.7},\"order\":\"shuffled\",\"address\":\"independent\",\"width\":8,\"count\":1},{\"op\":"
        "\"add\",\"count\":2,\"dependents\":1,\"chain\":0}],\"loop\":{}},\"line\":2}");
    json_t *benchmark = (json_t *)(uintptr_t)recipe.benchmarks.items[0].document;
    assert_all_processors(json_object_get(benchmark, "targets"));
    json_object_set_new(benchmark, "targets", json_pack("[s]", "any"));
    assert_document(
        benchmark,
        "{\"name\":\"dcache\",\"title\":\"Power and IPC against L1 data-cache hit rate and load "
        "dependence\",\"plot\":[{\"x\":\"hit\",\"y\":[\"power.dynamic_w\",\"ipc\"],\"by\":\"dependents\","
        "\"xlabel\":\"L1 data-cache hit "
        "rate\",\"reference\":{\"kind\":\"blocking-cache\",\"y\":\"ipc\"}}],\"targets\":[\"any\"],"
        "\"tags\":[]"
        "}");
    recipe_free(&recipe);
}

static void every_field_reaches_the_document(void **state)
{
    (void)state;
    struct recipe recipe;
    load_well(RECIPES "/all_fields.lua", NULL, NULL, &recipe);
    assert_int_equal(recipe.count, 7);
    assert_point(
        &recipe, 0,
        "{\"benchmark\":\"constants\",\"point\":\"a=1,b=x%20y,c=7,d=0.5\",\"parameters\":{\"a\":1,\"b\":"
        "\"x y\",\"c\":7,\"d\":0.5},\"target\":\"x86_64\",\"kernel\":{\"unit\":[{\"op\":\"load\","
        "\"served\":{\"L1\":0.7,\"L2\":0.3},\"order\":\"even\",\"address\":\"chase\",\"width\":8,"
        "\"count\":4},{\"op\":\"add\",\"count\":3,\"dependents\":0,\"chain\":2},{\"op\":\"nop\",\"count\":"
        "1,\"dependents\":0,\"chain\":0}],\"loop\":{\"units\":5}},\"expect\":{\"ipc\":{\"min\":1.5},"
        "\"mix.load\":{\"min\":0.5,\"max\":0.5}},\"tolerance\":{\"l1d.miss_rate\":0.02},\"threads\":2,"
        "\"place\":{\"cores\":[3,0]},\"state\":{\"boost\":false,\"governor\":\"performance\","
        "\"idle_states\":\"C1\"},\"measure\":{\"time\":0.5,\"reps\":3},\"line\":2}");
    assert_string_equal(recipe.points[2].name, "a=2,b=-,c=7,d=false");
    assert_string_equal(recipe.points[4].name, "a=3,b=true,c=7,d=false");
    assert_point(
        &recipe, 6,
        "{\"benchmark\":\"functions\",\"point\":\"n=2\",\"parameters\":{\"n\":2},\"target\":\"x86_64\","
        "\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":1,\"L2\":0},\"order\":\"shuffled\","
        "\"address\":\"independent\",\"width\":4,\"count\":1},{\"op\":\"nop\",\"count\":256,"
        "\"dependents\":0,\"chain\":0}],\"loop\":{\"instructions\":200}},\"expect\":{\"dpc\":{\"max\":2}},"
        "\"tolerance\":{\"*\":0.02},\"threads\":1,\"place\":{\"cu\":\"all\"},\"measure\":{\"warmup\":1},"
        "\"line\":19}");
    recipe_free(&recipe);
}

static void include_runs_a_file_of_the_folder(void **state)
{
    (void)state;
    struct recipe recipe;
    struct error error;
    load_well(RECIPES "/include.lua", NULL, NULL, &recipe);
    assert_int_equal(recipe.count, 1);
    assert_string_equal(recipe.points[0].name, "hit=0.25");
    recipe_free(&recipe);
    assert_int_equal(load(RECIPES "/include_itself.lua", NULL, NULL, &recipe, &error), STATUS_RECIPE);
    assert_part(error.message, "includes itself");
    assert_int_equal(error.line, 2);
    recipe_free(&recipe);
}

static void set_replaces_a_list(void **state)
{
    (void)state;
    struct recipe recipe;
    load_well(TRAUMA_SOURCE_DIR "/recipes/traumagen-2001/dcache.lua", "hit", "0.25,1", &recipe);
    assert_int_equal(recipe.count, 6);
    assert_string_equal(recipe.points[0].name, "dependents=0,hit=0.25");
    recipe_free(&recipe);
}

static void set_narrows_a_zip(void **state)
{
    (void)state;
    struct recipe recipe;
    load_well(RECIPES "/all_fields.lua", "a", "3,1", &recipe);
    assert_int_equal(recipe.count, 6);
    assert_string_equal(recipe.points[0].name, "a=3,b=true,c=7,d=0.5");
    recipe_free(&recipe);
}

static void assert_set_refused(const char *set, const char *values, const char *part)
{
    struct recipe recipe;
    struct error error;
    assert_int_equal(load(RECIPES "/all_fields.lua", set, values, &recipe, &error), STATUS_USAGE);
    assert_part(error.message, part);
    recipe_free(&recipe);
}

static void wrong_set_is_a_usage_error(void **state)
{
    (void)state;
    assert_set_refused("a", "5", "has no such value");
    assert_set_refused("a", "1,", "empty value");
    assert_set_refused("nn", "1", "did you mean 'n'?");
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    struct recipe recipe;
    struct error error;
    assert_int_equal(load(RECIPES "/absent.lua", NULL, NULL, &recipe, &error), STATUS_USAGE);
    assert_part(error.message, "No such file");
    recipe_free(&recipe);
    assert_int_equal(load("/dev/zero", NULL, NULL, &recipe, &error), STATUS_USAGE);
    assert_part(error.message, "not a regular file");
    recipe_free(&recipe);
}

/* ---- machine files ---- */

static void machine_file_fills_a_machine(void **state)
{
    (void)state;
    struct machine machine;
    struct error error;
    assert_int_equal(recipe_load_machine(RECIPES "/machine.lua", &machine, &error), STATUS_OK);
    assert_string_equal(machine.name, "pentium-pro");
    assert_int_equal(machine.l2.size, 256 * 1024);
    assert_int_equal(machine.l1d.ways, 2);
    machine_free(&machine);
}

static void assert_machine_refused(const char *path, int line, const char *part)
{
    struct machine machine;
    struct error error;
    assert_int_equal(recipe_load_machine(path, &machine, &error), STATUS_RECIPE);
    assert_part(error.message, part);
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, line);
}

static void wrong_machine_files_are_refused(void **state)
{
    (void)state;
    assert_machine_refused(RECIPES "/machine_wrong.lua", 7, "L2.size");
    assert_machine_refused(RECIPES "/all_fields.lua", 2, "this file was given as a machine");
    assert_machine_refused(RECIPES "/library.lua", 0, "describes no machine");
    struct recipe recipe;
    struct error error;
    assert_int_equal(load(RECIPES "/machine.lua", NULL, NULL, &recipe, &error), STATUS_RECIPE);
    assert_part(error.message, "pass it with -m");
    recipe_free(&recipe);
}

/* ---- what is refused ---- */

struct refusal {
    int line;
    const char *text;
    const char *part; /* of the message */
};

#define BENCHMARK(fields) "benchmark { name = 'b', kernel = function() return { nop {} } end,\n" fields "}"
#define KERNEL(unit)                                                                                         \
    "benchmark { name = 'b', sweep = { x = { 1.2 } }, kernel = function(p, m)\nreturn " unit " end }"

static const struct refusal refusals[] = {
    {2, "\nlocal x = = 1", "unexpected symbol near '='"},
    {2, "\nbenchmrk {}", "did you mean 'benchmark'?"},
    {1, "string.fromat('x')", "did you mean 'string.format'?"},
    {1, "local x = math.random()", "--seed"},
    {1, "print(1)", "recipes print nothing"},
    {1, "local x = 1", "declares no benchmark"},
    {1, "error('my own sentence')", "my own sentence"},
    {1, "for k in pairs { [{}] = 1 } do end", "have no order"},
    {1, "include '../secret'", "without slashes"},
    {1, "include 'absent'", "No such file"},
    {1, "range(0, 1, 0)", "expected a step above 0"},
    {1, "range(0, 1, -0.1)", "expected a step above 0"},
    {1, "range(0, 1e9, 1)", "more than 100000 values"},
    {1, "range(0, 0/0)", "range's last value is not a number"},
    {1, "zip { a = { 1, 2 }, b = { 1 } }", "pairs 2 values of 'a' with 1 of 'b'"},

    {1, "benchmark { nam = 'b' }", "did you mean 'name'?"},
    {1, "benchmark { name = 'a/b' }", "benchmark.name is \"a/b\""},
    {1, "benchmark { name = '.a' }", "benchmark.name is \".a\""},
    {1, "benchmark { name = 'b' }", "b: benchmark.kernel is missing"},
    {1, "benchmark { name = 'b', kernel = {} }", "benchmark.kernel is a table"},
    {1, "benchmark 'b'", "benchmark is \"b\""},
    {1, "benchmark { 'b' }", "entry without a name"},
    {3, BENCHMARK("") "\n" BENCHMARK(""), "two benchmarks named 'b'"},
    {2, BENCHMARK("threads = -1"), "benchmark.threads is -1: expected a whole number from 0 to 1024"},
    {2, BENCHMARK("threads = 1.5"), "benchmark.threads is 1.5"},
    {2, BENCHMARK("threads = '2'"), "benchmark.threads is \"2\""},
    {2, BENCHMARK("threads = function() return 2000 end"), "b/default: benchmark.threads is 2000"},
    {2, BENCHMARK("place = {}"), "benchmark.place is empty: expected one of cores, cu, sockets and node"},
    {2, BENCHMARK("place = { cores = 'all', cu = 1 }"), "benchmark.place has both cores and cu"},
    {2, BENCHMARK("place = { core = 1 }"), "did you mean 'cores'?"},
    {2, BENCHMARK("place = { cores = {} }"), "benchmark.place.cores names 0"},
    {2, BENCHMARK("place = { cores = 'both' }"), "benchmark.place.cores is \"both\": expected \"all\""},
    {2, BENCHMARK("place = { cores = { 1, 1 } }"), "benchmark.place.cores[2] is 1 again"},
    {2, BENCHMARK("place = { cores = { 0, -1 } }"), "benchmark.place.cores[2] is -1"},
    {2, BENCHMARK("place = { cores = { [0] = 1 } }"), "benchmark.place.cores[1] is missing"},
    {2, BENCHMARK("place = { sm = 1 }"), "benchmark.place.sm: it is for GPU programs"},
    {2, BENCHMARK("threads = 3, place = { cores = { 0, 1 } }"),
     "benchmark.threads is 3: place.cores names 2, and no two copies share one"},
    {2, BENCHMARK("grid = {}"), "benchmark.grid: grids are for GPU programs"},
    {2, BENCHMARK("state = {}"), "benchmark.state is empty"},
    {2, BENCHMARK("state = { freqency = 1 }"), "did you mean 'frequency'?"},
    {2, BENCHMARK("state = { frequency = 3500 }"), "expected GHz, from 0.01 to 100"},
    {2, BENCHMARK("state = { boost = 'off' }"), "benchmark.state.boost is \"off\": expected true or false"},
    {2, BENCHMARK("state = { governor = '../x' }"), "expected a governor's name"},
    {2, BENCHMARK("state = { idle_states = 2 }"), "expected true, false or the name of the deepest state"},
    {2, BENCHMARK("state = { prefetchers = 0 }"), "benchmark.state.prefetchers is 0"},
    {2, BENCHMARK("state = { gpu_clock = 1 }"), "benchmark.state.gpu_clock: it is for GPU programs"},
    {2, BENCHMARK("target = 'ptx'"), "benchmark.target is ptx: the machine"},
    {2, BENCHMARK("target = 'x86-64'"), "did you mean 'x86_64'?"},
    {2, BENCHMARK("loop = { units = 1, instructions = 1 }"), "more than one of units, instructions and fill"},
    {2, BENCHMARK("loop = { units = 0 }"), "benchmark.loop.units is 0: expected a whole number from 1"},
    {2, BENCHMARK("loop = function() return { units = 1.5 } end"), "b/default: benchmark.loop.units is 1.5"},
    {2, BENCHMARK("measure = { rep = 1 }"), "did you mean 'reps'?"},
    {2, BENCHMARK("measure = { time = -1 }"), "at least 0"},
    {2, BENCHMARK("measure = { time = 1e300 }"), "is 1e+300: expected seconds, at least 0 and at most a day"},
    {2, BENCHMARK("measure = { idle_before = 86401 }"), "at most a day, 86400"},
    {2, BENCHMARK("measure = { wait = 1/0 }"), "at most a day, 86400"},
    {2, BENCHMARK("expect = { ipcs = 1 }"), "did you mean 'ipc'?"},
    {2, BENCHMARK("expect = { ipc = { min = 2, max = 1 } }"), "min 2 above max 1"},
    {2, BENCHMARK("expect = { ['mix.lod'] = 1 }"), "did you mean 'mix.load'?"},
    {2, BENCHMARK("tolerance = -1"), "benchmark.tolerance is -1"},
    {2, BENCHMARK("tolerance = 1"), "benchmark.tolerance is 1: shares never differ by more than 1"},
    {2, BENCHMARK("tolerance = { ['served.L2'] = 2 }"), "benchmark.tolerance.served.L2 is 2: shares never"},
    {2, BENCHMARK("tolerance = { ['l1d.miss_rate'] = 2 }"), "benchmark.tolerance.l1d.miss_rate is 2: shares"},
    {2, BENCHMARK("fit = 'incrementl'"), "benchmark.fit is \"incrementl\": did you mean 'incremental'?"},
    {2, BENCHMARK("sweep = { hit = { 1 } }, plot = { x = 'hti', y = 'ipc' }"), "did you mean 'hit'?"},
    {2, BENCHMARK("sweep = { hit = { 1 } }, plot = { x = 'hit', y = 'icp' }"), "did you mean 'ipc'?"},
    {2, BENCHMARK("sweep = { hit = { 1 } }, plot = { x = 'ipc', y = 'ipc', by = 'hits' }"),
     "did you mean 'hit'?"},
    {2, BENCHMARK("sweep = { hit = { 1, 1 } }"), "sweep.hit has hit=1 twice"},
    {2, BENCHMARK("sweep = { hit = { {} } }"), "sweep.hit[1] is a table"},
    {2, BENCHMARK("sweep = { hit = {} }"), "sweep.hit has 0 values"},
    {2, BENCHMARK("sweep = { ['a/b'] = 1 }"), "sweep names a parameter that is \"a/b\""},
    {2, BENCHMARK("sweep = { a = 1, zip { a = { 1 } } }"), "the parameter 'a' twice"},
    {2, BENCHMARK("where = function() return false end"), "benchmark.where drops every point"},

    {2, KERNEL("{ load { served_by = { L1 = p.x } } }"),
     "b/x=1.2: load.served_by.L1 is 1.2: a share lies between 0 and 1"},
    {2, KERNEL("{ load { served_by = { L1 = 0/0 } } }"), "load.served_by.L1 is not a number"},
    {2, KERNEL("{ load { served_by = { L1 = 'all' } } }"), "load.served_by.L1 is \"all\""},
    {2, KERNEL("{ load { served_by = { L1 = 0.5, L2 = 0.4 } } }"), "load.served_by sums to 0.9"},
    {2, KERNEL("{ load { miss_rate = { L1 = 0.5, L3 = 0.5 } } }"), "the machine \"toy\" has no L3 cache"},
    {2, KERNEL("{ load { served_by = { L1 = 0.5, L3 = 0.5 } } }"), "the machine \"toy\" has no L3 cache"},
    {2, KERNEL("{ load { served_by = { L1 = 1, SHARED = 0 } } }"), "SHARED is a level of GPUs"},
    {2, KERNEL("{ load { served_by = { l1 = 1 } } }"), "did you mean 'L1'?"},
    {2, KERNEL("{ load { miss_rate = { L1 = 0.5, MEM = 0.1 } } }"), "nothing misses memory"},
    {2, KERNEL("{ store { served_by = { L1 = 1 }, address = 'chase' } }"), "a store provides no address"},
    {2, KERNEL("{ load { served_by = { L1 = 1 } }, tlb {} }"), "tlb has no miss_rate"},
    {2, KERNEL("{ load { served_by = { L1 = 1 } }, tlb { miss_rate = 2 } }"),
     "a miss rate lies between 0 and 1"},
    {2, KERNEL("{ load { served_by = { L1 = 1 } }, tlb { rate = 0 } }"), "did you mean 'miss_rate'?"},
    {2, KERNEL("{ load { served_by = { L1 = 1 } }, tlb { miss_rate = 0.1 } }"), "has no tlb = { data"},
    {2, KERNEL("{ load { miss_rate = 0.37 } }"), "such as { L1 = 0.37 }"},
    {2, KERNEL("{ load { served_by = 0.9 } }"), "such as { L1 = 0.9, L2 = 0.1 }"},
    {2, KERNEL("{ store { served_by = { L1 = 1 }, cache = 'nt' } }"), "expected served_by = { MEM = 1 }"},
    {2, KERNEL("{ load { served_by = { MEM = 1 }, cache = 'nt' } }"), "only stores bypass the caches"},
    {2, KERNEL("{ store { served_by = { MEM = 1 }, cache = 'ca' } }"), "store.cache is \"ca\": expected nt"},
    {2, KERNEL("{ store { served_by = { L3 = 1 } } }"), "the machine \"toy\" has no L3 cache"},
    {2, KERNEL("{ load { served_by = { MEM = 1 }, stride = 0 } }"), "expected a number of bytes up to 1 GiB"},
    {2, KERNEL("{ load { served_by = { MEM = 1 }, stride = 64, prefetch = 'defeat' } }"),
     "a constant stride is what prefetchers follow"},
    {2, KERNEL("{ load { served_by = { MEM = 1 }, stride = 'random', prefetch = 'invite' } }"),
     "no prefetcher follows that"},
    {2, KERNEL("{ load { served_by = { MEM = 1 }, prefetch = 'on' } }"), "expected defeat or invite"},
    {2, KERNEL("{ load {} }"), "does not state where it is served from"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, miss_rate = { L1 = 0 } } }"),
     "more than once where it is served from"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, order = 'suffled' } }"), "did you mean 'shuffled'?"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, address = 'chase', width = 4 } }"), "which have 8 bytes"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, count = 0 } }"), "load.count is 0"},
    {2, KERNEL("{ load { working_set = 40 } }"), "expected a number of bytes from 64 to 1 GiB"},
    {2, KERNEL("{ load { servedby = {} } }"), "did you mean 'served_by'?"},
    {1, KERNEL("{ add { dependents = 1 } }"), "no load precedes it in the unit"},
    {2, KERNEL("{ add { count = 1, dependents = 2 } }"), "expected at most count = 1"},
    {2, KERNEL("{ add { count = 3, dependents = 2, chain = 2 } }"), "both chain and dependents"},
    {2, KERNEL("{ add { chain = 0 } }"), "add.chain is 0"},
    {2, KERNEL("{ nop { dependents = 0 } }"), "a nop reads and writes nothing"},
    {2, KERNEL("{ throttle { duty = 1.5 } }"), "a duty lies between 0 and 1"},
    {2, KERNEL("{ throttle { duty = 0 } }"), "nothing would run"},
    {2, KERNEL("{ throttle {} }"), "throttle has no duty"},
    {2, KERNEL("{ ad { count = 2 } }"), "did you mean 'add'?"},
    {2, KERNEL("{ nop { width = 4 } }"), "nop{} has no operand and therefore no width"},
    {2, KERNEL("{ nop { data = pattern.ones() } }"), "nop{} has no operand that could hold it"},
    {2, KERNEL("{ prefetch { chain = 2 } }"), "a prefetch writes no register"},
    {2, KERNEL("{ add { width = 5 } }"), "add.width is 5: expected 4, 8, 16, 32 or 64 bytes"},
    {2, KERNEL("{ div { width = 16 } }"), "div.width is 16: expected 4 or 8 bytes"},
    {2, KERNEL("{ fma {} }"),
     "fma.width is 8: it needs the feature fma or fma4, and the machine \"toy\" has no list"},
    {2, KERNEL("{ fadd { width = 64 } }"), "needs the feature avx512f"},
    {2, KERNEL("{ add { width = 32 } }"), "needs the feature avx2"},
    {2, KERNEL("{ load { served_by = { L1 = 1 } }, rotate { dependents = 1 } }"),
     "rotate{} of 8 bytes has no form that consumes a load"},
    {1, KERNEL("{ load { served_by = { L1 = 1 }, width = 16 }, fadd { dependents = 1 } }"),
     "operations of 8 bytes consume loads of 4 and 8 bytes"},
    {2, KERNEL("{ shift { data = pattern.ones() } }"), "shift{} has no operand that could hold it"},
    {2, KERNEL("{ add { data = 5 } }"), "add.data is 5: expected a pattern"},
    {2,
     KERNEL("{ load { served_by = { L1 = 1 } }, add { count = 2, dependents = 1, data = pattern.ones() } }"),
     "their operand is the loaded value"},
    {2, KERNEL("{ fsqrt { chain = 2, data = pattern.ones() } }"), "uses the previous link's result"},
    {2, KERNEL("{ div { chain = 2, data = pattern.ones() } }"), "uses the previous link's result"},
    {2, KERNEL("{ div { data = pattern.zeros() } }"), "cannot be a divisor"},
    {2, KERNEL("{ div { data = pattern.words { 1, 0 } } }"), "cannot be a divisor"},
    {2, KERNEL("{ add { width = 4, data = pattern.bit(32) } }"),
     "more bits than the 4 bytes that the operand has"},
    {2, KERNEL("{ branch { accuracy = 0.4 } }"),
     "branch.accuracy is 0.4: an accuracy lies between 0.5 and 1"},
    {2, KERNEL("{ branch { acuracy = 0.9 } }"), "did you mean 'accuracy'?"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = 5 } }"),
     "expected a pattern, such as pattern.ones()"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.bits(3) } }"), "did you mean 'pattern.bit'?"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.bit(64) } }"), "from 0 to 63"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, width = 4, data = pattern.bit(32) } }"),
     "has more bits than the 4 bytes that the load reads"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.toggle(0.5, { bus = 48 }) } }"),
     "data's bus is 48: expected 64, 128, 256 or 512 bits"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.toggle(1.5) } }"),
     "a share of bits lies between 0 and 1"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.toggle(0.6) } }"),
     "or { order = \"program\" }"},
    {2, KERNEL("{ add { data = pattern.toggle(1, { bus = 64 }) } }"), "program order alone"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.random { order = 'time' } } }"),
     "pattern.random's order is \"time\": expected \"program\""},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.toggle(0.3, { oder = 'program' }) } }"),
     "pattern.toggle has no option \"oder\""},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.words({ 1 }, { order = 'program' }) } }"),
     "pattern.words has no option \"order\": expected { bus = BITS }"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, data = pattern.words {} } }"), "pattern.words has 0 words"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, width = 4, data = pattern.words { 1, 1 << 40 } } }"),
     "has more bits than the 4 bytes"},
    {2, KERNEL("{ load { served_by = { L1 = 1 }, address = 'chase', data = pattern.ones() } }"),
     "a chase loads addresses"},
    {2, KERNEL("{ branch {} }"), "branch has no accuracy"},
    {2, KERNEL("{ branch { accuracy = 0.9, taken = 2 } }"),
     "branch.taken is 2: a share lies between 0 and 1"},
    {2, KERNEL("{ branch { accuracy = 0.9, kind = 'indirect', taken = 0.5 } }"),
     "an indirect branch is always taken"},
    {2, KERNEL("{ branch { accuracy = 0.9, kind = 'indrect' } }"), "did you mean 'indirect'?"},
    {2, KERNEL("{ asm {} }"), "asm has no text for x86_64"},
    {2, KERNEL("{ asm { ptx = 'ret;' } }"), "asm has no text for x86_64"},
    {2, KERNEL("{ asm { x86_64 = 5 } }"), "asm.x86_64 is 5: expected instructions in plain characters"},
    {2, KERNEL("{ asm { x86_64 = 'nop\\0' } }"), "expected instructions in plain characters"},
    {2, KERNEL("{ asm { x86_64 = string.rep('nop;', 3000) } }"), "at most 8192 of them"},
    {2, KERNEL("{ asm { x86_64 = 'nop', registers = -1 } }"), "asm.registers is -1"},
    {2, KERNEL("{ asm { x86_64 = 'nop', registers = 'rax' } }"), "asm.registers is \"rax\""},
    {2, KERNEL("{ asm { x86_64 = 'nop', registers = {} } }"), "asm.registers has 0 names"},
    {2, KERNEL("{ asm { x86_64 = 'nop', registers = { 5 } } }"), "asm.registers[1] is 5"},
    {2, KERNEL("{ asm { x86_64 = 'nop', memory = true } }"), "asm.memory is true"},
    {2, KERNEL("{ asm { x86_64 = 'nop', memory = 0 } }"), "asm.memory is 0"},
    {2, KERNEL("{ asm { x86_64 = 'nop', count = 0 } }"), "asm.count is 0"},
    {2, KERNEL("{ asm { x86_64 = 'nop', register = 1 } }"), "did you mean 'registers'?"},
    {1, KERNEL("{ nop }"), "kernel[1] is a function"},
    {1, KERNEL("{ phases = {} }"), "kernel.phases has 0 kernels"},
    {1, KERNEL("{ phases = { { add {} } }, mul {} }"), "kernel has 1 beside phases: expected { phases ="},
    {1, KERNEL("{ phases = { { add {} } }, units = 3 }"), "kernel has \"units\" beside phases"},
    {1, KERNEL("{ phases = { {} } }"), "kernel.phases[1] is a list of 0 behaviours"},
    {1, KERNEL("{ phases = { { load { served_by = { L1 = 1 } } }, { add { dependents = 1 } } } }"),
     "kernel.phases[2][1]: add.dependents is 1: no load precedes it"},
    {1, KERNEL("{ phases = { { cores = {} } } }"), "kernel.phases[1] has cores inside of cores or phases"},
    {1, KERNEL("{ cores = {} }"), "kernel.cores has 0 kernels"},
    {1, KERNEL("{ cores = 2 }"), "kernel.cores is 2"},
    {1, KERNEL("{ cores = { a = { nop {} } } }"), "kernel.cores has the entry \"a\""},
    {1, KERNEL("{ cores = { [-1] = { nop {} } } }"), "kernel.cores has the entry -1"},
    {1, KERNEL("{ cores = { [0] = { nop {} } }, core = 1 }"), "kernel returned 'core' beside cores"},
    {1, KERNEL("{ cores = { [0] = {} } }"), "kernel.cores[0] is a list of 0 behaviours"},
    {1, KERNEL("{ cores = { [2] = { cores = {} } } }"), "kernel.cores[2] has cores inside of cores"},
    {1, KERNEL("{ cores = { [1] = { 5 } } }"), "kernel.cores[1][1] is 5"},
    {1, BENCHMARK("threads = 2, name = 'c', kernel = function() return { cores = { { nop {} } } } end"),
     "the cores already state where each kernel runs"},
    {2, BENCHMARK("sweep = { core = 1 }, kernel = function() return { cores = { { nop {} } } } end"),
     "sweep has the parameter 'core'"},
    {1, KERNEL("{}"), "kernel is a list of 0 behaviours"},
    {1, KERNEL("{ false }"), "kernel is a list of nothing but false"},
    {1, KERNEL("{ phases = { { nop {} }, { false, false } } }"),
     "kernel.phases[2] is a list of nothing but false"},
    {1, KERNEL("{ false, true }"), "kernel[2] is true"},
    {1, KERNEL("{ false, store { served_by = { L1 = 1 } }, add { dependents = 1 } }"),
     "kernel[3]: add.dependents is 1"},
    {1, KERNEL("nil"), "kernel's result is missing"},
    {1, KERNEL("zip { a = { 1 } }"), "kernel's result is a zip{}"},
    {2, KERNEL("{ nop { count = p.y } }"), "b/x=1.2: the point has no parameter \"y\""},
    {2, KERNEL("p.x()"), "b/x=1.2: attempt to call a number value"},
};

static void check_refusal(const char *path, const struct refusal *refusal)
{
    struct recipe recipe;
    struct error error;
    assert_int_equal(file_write(path, refusal->text, strlen(refusal->text), false, &error), STATUS_OK);
    enum status status = load(path, NULL, NULL, &recipe, &error);
    if (strstr(error.message, refusal->part) == NULL)
        fail_msg("%s\ngave \"%s\"\nexpected \"%s\"", refusal->text, error.message, refusal->part);
    if (strcmp(refusal->part, "declares no benchmark") != 0 && error.line != refusal->line)
        fail_msg("%s\nblames line %d, expected %d", refusal->text, error.line, refusal->line);
    assert_string_equal(error.file, path);
    assert_true(status == STATUS_RECIPE || strstr(error.message, "No such file") != NULL);
    recipe_free(&recipe);
}

static void refusals_say_what_and_where(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_recipe.XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/recipe.lua", folder);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        check_refusal(path, &refusals[i]);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_sweep_has_33_points),
        cmocka_unit_test(every_field_reaches_the_document),
        cmocka_unit_test(include_runs_a_file_of_the_folder),
        cmocka_unit_test(set_replaces_a_list),
        cmocka_unit_test(set_narrows_a_zip),
        cmocka_unit_test(wrong_set_is_a_usage_error),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(machine_file_fills_a_machine),
        cmocka_unit_test(wrong_machine_files_are_refused),
        cmocka_unit_test(refusals_say_what_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
