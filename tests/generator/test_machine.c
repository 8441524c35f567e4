/* Machine files: what is accepted, what is refused with which message, and that a written one reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/random.h"
#include "generator/machine/machine.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

/* ---- helpers ---- */

static const char VALID[] =
    "{'name': 'pentium-pro', 'isa': 'x86_64', 'vendor': 'Intel', 'clock_ghz': 0.2, 'issue_width': 3,"
    " 'caches': {'L2': {'size': '256KiB', 'ways': 4, 'line': 32, 'policy': 'lru'},"
    "            'L1I': {'size': '8KiB', 'ways': 4, 'line': 32, 'policy': 'lru'},"
    "            'L1D': {'size': 8192, 'ways': 2.0, 'line': 32, 'policy': 'tree-plru'}},"
    " 'tlb': {'data': {'entries': 64, 'ways': 4, 'page': '4KiB'}}, 'features': ['sse2'],"
    " 'latency': {'L1D': 3, 'L2': 6.5}, 'events': {'l1d.miss_rate': ['r0F48', 'per', 'r0143'], 'end': []}}";

/* JSON with ' for ", which a C string need not escape. */
static json_t *parse(const char *text)
{
    char copy[4096];
    size_t size = strlen(text);
    assert_true(size < sizeof copy);
    for (size_t i = 0; i <= size; i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    json_t *document = json_loads(copy, 0, NULL);
    assert_non_null(document);
    return document;
}

/* The valid document with the value at a path ("caches.L1D.ways") replaced, or removed when text is NULL. */
static json_t *valid_but(const char *path, const char *text)
{
    json_t *document = parse(VALID);
    json_t *object = document;
    char key[64];
    for (const char *dot = strchr(path, '.'); dot != NULL; path = dot + 1, dot = strchr(path, '.')) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        object = json_object_get(object, key);
    }
    if (text == NULL) {
        json_object_del(object, path);
        return document;
    }
    char list[1200];
    snprintf(list, sizeof list, "[%s]", text);
    json_t *wrapped = parse(list);
    json_object_set(object, path, json_array_get(wrapped, 0));
    json_decref(wrapped);
    return document;
}

static json_t *lua_to_json(lua_State *lua, int index);

static json_t *lua_table_to_json(lua_State *lua, int index)
{
    json_t *list = json_array();
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(lua, index); i++) {
        lua_rawgeti(lua, index, i);
        json_array_append_new(list, lua_to_json(lua, lua_gettop(lua)));
        lua_pop(lua, 1);
    }
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    json_t *object = json_object();
    lua_pushnil(lua);
    while (lua_next(lua, index) != 0) {
        json_object_set_new(object, lua_tostring(lua, -2), lua_to_json(lua, lua_gettop(lua)));
        lua_pop(lua, 1);
    }
    return object;
}

static json_t *lua_to_json(lua_State *lua, int index)
{
    if (lua_istable(lua, index))
        return lua_table_to_json(lua, index);
    if (lua_type(lua, index) == LUA_TSTRING)
        return json_string(lua_tostring(lua, index));
    if (lua_isinteger(lua, index))
        return json_integer(lua_tointeger(lua, index));
    return json_real(lua_tonumber(lua, index));
}

static int keep_machine(lua_State *lua)
{
    lua_setglobal(lua, "kept");
    return 0;
}

/* Runs a machine file's text and returns the table that it describes. */
static json_t *run_lua(const char *text)
{
    lua_State *lua = luaL_newstate();
    lua_register(lua, "machine", keep_machine);
    if (luaL_dostring(lua, text) != LUA_OK)
        fail_msg("%s in:\n%s", lua_tostring(lua, -1), text);
    lua_getglobal(lua, "kept");
    json_t *document = lua_to_json(lua, lua_gettop(lua));
    lua_close(lua);
    return document;
}

static void assert_reads_back(const struct machine *machine)
{
    struct buffer text = {0};
    machine_write_lua(machine, &text);
    assert_int_equal(text.data[text.size - 1], '\n');
    json_t *document = run_lua(text.data);
    struct machine again;
    struct error error = {0};
    if (machine_from_json(document, "written.lua", &again, &error) != STATUS_OK)
        fail_msg("%s in:\n%s", error.message, text.data);
    if (!json_equal(machine->document, again.document))
        fail_msg("another machine was read from:\n%s", text.data);
    json_decref(document);
    machine_free(&again);
    buffer_free(&text);
}

/* ---- what is accepted ---- */

static void reads_every_field(void **state)
{
    (void)state;
    json_t *document = parse(VALID);
    struct machine machine;
    struct error error = {0};
    assert_int_equal(machine_from_json(document, "m.lua", &machine, &error), STATUS_OK);
    json_decref(document);
    assert_string_equal(machine.name, "pentium-pro");
    assert_string_equal(machine.isa, "x86_64");
    assert_string_equal(machine.vendor, "Intel");
    assert_true(machine.clock_ghz == 0.2);
    assert_int_equal(machine.issue_width, 3);
    assert_int_equal(machine.l1d.size, 8192);
    assert_int_equal(machine.l1d.ways, 2);
    assert_int_equal(machine.l1d.policy, POLICY_TREE_PLRU);
    assert_int_equal(machine.l2.size, 262144);
    assert_int_equal(machine.l3.size, 0);
    assert_int_equal(machine.data_tlb.entries, 64);
    assert_int_equal(machine.data_tlb.page, 4096);
    assert_true(machine.latency_l2 == 6.5);
    assert_true(machine.latency_mem == 0);
    assert_false(machine.present);
    assert_int_equal(cache_sets(&machine.l1d), 128);
    assert_int_equal(cache_sets(&machine.l3), 0);
    assert_string_equal(cache_policy_name(machine.l1d.policy), "tree-plru");
    assert_reads_back(&machine);
    machine_free(&machine);
    assert_null(machine.document);
}

static void document_has_bytes_in_file_order(void **state)
{
    (void)state;
    json_t *document = parse(VALID);
    struct machine machine;
    assert_int_equal(machine_from_json(document, NULL, &machine, NULL), STATUS_OK);
    json_decref(document);
    char *text = json_dumps(json_object_get(machine.document, "caches"), JSON_COMPACT);
    assert_string_equal(text, "{\"L1I\":{\"size\":8192,\"ways\":4,\"line\":32,\"policy\":\"lru\"},"
                              "\"L1D\":{\"size\":8192,\"ways\":2,\"line\":32,\"policy\":\"tree-plru\"},"
                              "\"L2\":{\"size\":262144,\"ways\":4,\"line\":32,\"policy\":\"lru\"}}");
    free(text);
    struct machine again;
    assert_int_equal(machine_from_json(machine.document, NULL, &again, NULL), STATUS_OK);
    assert_true(json_equal(machine.document, again.document));
    machine_free(&machine);
    machine_free(&again);
}

struct variation {
    const char *path;
    const char *value; /* NULL: removed */
    const char *said;  /* part of the message; NULL: accepted */
};

static const struct variation accepted[] = {
    {"vendor", NULL, NULL},
    {"vendor", "'a \\'b\\' \\\\ \\n \\u00e9 \\u007f'", NULL},
    {"cpu", "'GenuineIntel-6-85-4'", NULL},
    {"features", "{}", NULL}, /* Lua's empty table may come as either */
    {"features", "['sse2', 'avx', 'avx2', 'fma', 'avx512f', 'avx512dq', 'avx512cd', 'avx512bw', 'avx512vl']",
     NULL},
    {"latency", "[]", NULL},
    {"tlb", "{}", NULL},
    {"tlb.huge", "{'entries': 32, 'ways': 4}", NULL},
    {"events", "[]", NULL},
    {"vf", "[{'volts': 0.888, 'ghz': 1.4}, {'volts': 1.32, 'ghz': 3.5}]", NULL},
    {"vf", "{}", NULL},
    {"clock_ghz", "3.123456789012345", NULL},
    {"clock_ghz", "4.0", NULL},
    {"frequencies", "[1.4, 1.7, 3.5]", NULL},
    {"frequencies", "[2]", NULL},
    {"caches.L2", "{'size': '1152KiB', 'ways': 9, 'line': 256}", NULL},
    {"caches.L3", "{'size': '28160KiB', 'ways': 11, 'line': 64}", NULL},
    {"caches.L3", "{'size': '16GiB', 'ways': 16, 'line': 64}", NULL},
};

/* ---- what is refused ---- */

static const struct variation refused[] = {
    {"name", NULL, "machine.name is missing: expected"},
    {"name", "'two words'", "machine.name is \"two words\": expected up to 63 letters"},
    {"name", "'.hidden'", "machine.name is \".hidden\""},
    {"name", "''", "machine.name is \"\""},
    {"name", "'a/b'", "machine.name is \"a/b\""},
    {"name", "7", "machine.name is 7"},
    {"name", "'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg'", "machine.name is \"aaaa"},
    {"isa", NULL, "machine.isa is missing: expected \"x86_64\""},
    {"isa", "'arm'", "machine.isa is \"arm\": expected \"x86_64\""},
    {"isa", "'ptx'", "unknown"},
    {"isa", "'gcn'", "unknown"},
    {"gpu", "{'arch': 'sm_90'}", "machine.gpu describes a GPU"},
    {"chaches", "1", "unknown field 'chaches' in machine, did you mean 'caches'?"},
    {"caches", NULL, "machine.caches is missing"},
    {"caches", "3", "machine.caches is 3: expected a table"},
    {"caches.L2", NULL, "machine.caches.L2 is missing: expected a table such as { size ="},
    {"caches.L1", "{}", "unknown field 'L1' in machine.caches, did you mean 'L1"},
    {"caches.L1D.way", "2", "unknown field 'way' in machine.caches.L1D, did you mean 'ways'?"},
    {"caches.L1D.associativity", "2",
     "unknown field 'associativity' in machine.caches.L1D: expected one of size, ways, line, policy"},
    {"caches.L1D.ways", NULL, "machine.caches.L1D.ways is missing: expected a whole number from 1 to 1024"},
    {"caches.L1D.ways", "0", "machine.caches.L1D.ways is 0: expected a whole number from 1 to 1024"},
    {"caches.L1D.ways", "1025", "ways is 1025"},
    {"caches.L1D.ways", "2.5", "ways is 2.5"},
    {"caches.L1D.ways", "-2", "ways is -2"},
    {"caches.L1D.ways", "'two'", "ways is \"two\""},
    {"caches.L1D.ways", "null", "ways is nothing"},
    {"caches.L1D.ways", "true", "ways is true"},
    {"caches.L1D.ways", "[2]", "ways is a list"},
    {"caches.L1D.line", "8",
     "machine.caches.L1D.line is 8: expected a power of two from 16 to 256, in bytes"},
    {"caches.L1D.line", "48", "line is 48"},
    {"caches.L1D.line", "512", "line is 512"},
    {"caches.L1D.size", "'8kB'", "machine.caches.L1D.size is \"8kB\": expected a size up to 16GiB such as"},
    {"caches.L1D.size", "0", "size is 0"},
    {"caches.L1D.size", "-8192", "size is -8192"},
    {"caches.L1D.size", "8192.5", "size is 8192.5"},
    {"caches.L1D.size", "1e300", "size is 1e+300"},
    {"caches.L1D.size", "'99999999999999999999'", "size is \"99999999999999999999\""},
    {"caches.L1D.size", "8200", "size is 8200B: expected a multiple of ways * line, which is 2 * 32 = 64B"},
    {"caches.L1D.size", "'12KiB'", "machine.caches.L1D has 192 sets (size 12KiB, 2 ways, lines of 32 B)"},
    {"caches.L1I.size", "'12KiB'", "machine.caches.L1I has 96 sets"},
    {"caches.L2.size", "'2GiB'", "machine.caches.L2.size is 2GiB: expected at most 1GiB"},
    {"caches.L2.size", "'4KiB'", "machine.caches.L2.size is 4KiB: expected at least the 8KiB of L1D"},
    {"caches.L2.line", "16", "machine.caches.L2.line is 16: expected at least the 32 of L1D"},
    {"caches.L1D", "{'size': '48KiB', 'ways': 12, 'line': 64}", "machine.caches.L2.line is 32"},
    {"caches.L3", "{'size': '17GiB', 'ways': 1, 'line': 64}", "machine.caches.L3.size is \"17GiB\""},
    {"caches.L1D.policy", "'mru'",
     "policy is \"mru\": expected \"lru\", \"tree-plru\", \"fifo\", \"random\" or"},
    {"tlb.data.policy", "'mru'", "machine.tlb.data.policy is \"mru\": expected \"lru\", \"tree-plru\""},
    {"tlb.huge", "{'entries': 32, 'ways': 4, 'policy': 1}", "machine.tlb.huge.policy is 1"},
    {"caches.L1D.policy", "1", "policy is 1"},
    {"tlb.data.entries", "63", "machine.tlb.data.entries is 63: expected a multiple of its 4 ways"},
    {"tlb.data.page", NULL, "machine.tlb.data.page is missing"},
    {"tlb.data.page", "12288", "machine.tlb.data.page is 12288 bytes: expected a power of two"},
    {"tlb.huge", "{'entries': 6, 'ways': 4}", "machine.tlb.huge.entries is 6: expected a multiple of its 4"},
    {"tlb.huge", "{'entries': 32}", "machine.tlb.huge.ways is missing"},
    {"tlb.code", "{}", "unknown field 'code' in machine.tlb"},
    {"latency.L1D", "0", "machine.latency.L1D is 0: expected a number of cycles above 0"},
    {"latency.DRAM", "100", "unknown field 'DRAM' in machine.latency"},
    {"clock_ghz", "'fast'", "machine.clock_ghz is \"fast\""},
    {"frequencies", "3.5", "machine.frequencies is 3.5: expected a list of settable clocks"},
    {"frequencies", "[]", "machine.frequencies is a list: expected a list of settable clocks"},
    {"frequencies", "[1.4, 0]", "machine.frequencies[2] is 0: expected a list of settable clocks"},
    {"frequencies", "['fast']", "machine.frequencies[1] is \"fast\""},
    {"issue_width", "3.5", "machine.issue_width is 3.5"},
    {"vendor", "''", "machine.vendor is \"\""},
    {"cpu", "'a b'", "machine.cpu is \"a b\""},
    {"features", "'sse2'", "machine.features is \"sse2\": expected a list of texts"},
    {"features", "['sse2', 3]", "machine.features[2] is 3: expected a text"},
    {"features", "{'sse2': true}", "machine.features is a table"},
    {"vf", "1.2", "machine.vf is 1.2: expected a list of states"},
    {"vf", "[1.2]", "machine.vf[1] is 1.2: expected"},
    {"vf", "[{'volts': 1.2, 'ghz': 2}, {'volts': 1.2}]", "machine.vf[2].ghz is missing"},
    {"vf", "[{'volts': 0, 'ghz': 2}]", "machine.vf[1].volts is 0: expected a number of volts"},
    {"events", "['r0143']", "machine.events is a list"},
    {"events", "{'l1d.miss_rate': 'r0143'}", "machine.events.l1d.miss_rate is \"r0143\": expected a list"},
};

static void check_variation(const struct variation *variation)
{
    json_t *document = valid_but(variation->path, variation->value);
    struct machine machine;
    struct error error = {0};
    enum status status = machine_from_json(document, "m.lua", &machine, &error);
    json_decref(document);
    if (variation->said == NULL) {
        if (status != STATUS_OK)
            fail_msg("%s = %s: %s", variation->path, variation->value, error.message);
        assert_reads_back(&machine);
        machine_free(&machine);
        return;
    }
    assert_int_equal(status, STATUS_RECIPE);
    assert_int_equal(error.code, STATUS_RECIPE);
    assert_string_equal(error.file, "m.lua");
    assert_null(machine.document);
    if (strstr(error.message, variation->said) == NULL)
        fail_msg("%s = %s: said '%s', expected '%s'", variation->path, variation->value, error.message,
                 variation->said);
}

static void judges_each_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++)
        check_variation(&accepted[i]);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        check_variation(&refused[i]);
}

static void refuses_what_is_no_table(void **state)
{
    (void)state;
    struct machine machine;
    struct error error;
    json_t *text = json_string("machine");
    assert_int_equal(machine_from_json(text, "m.lua", &machine, &error), STATUS_RECIPE);
    assert_non_null(strstr(error.message, "machine is \"machine\": expected a table"));
    json_decref(text);
    assert_int_equal(machine_from_json(NULL, "m.lua", &machine, &error), STATUS_RECIPE);
}

/* ---- any document at all ---- */

static json_t *random_value(struct random *random)
{
    static const char *const values[] = {
        "null",
        "true",
        "-1",
        "0",
        "1",
        "3",
        "64",
        "1e18",
        "1e308",
        "-0.5",
        "9223372036854775807",
        "''",
        "'8KiB'",
        "'lru'",
        "'x86_64'",
        "'\\u00e9'",
        "[]",
        "{}",
        "[[]]",
        "{'size': {}}",
        "['', 1]",
    };
    char list[64];
    snprintf(list, sizeof list, "[%s]", values[random_below(random, sizeof values / sizeof values[0])]);
    json_t *wrapped = parse(list);
    json_t *value = json_incref(json_array_get(wrapped, 0));
    json_decref(wrapped);
    return value;
}

/* Replaces, removes or adds one value somewhere below the object. */
static void mutate(json_t *object, struct random *random)
{
    size_t left = json_object_size(object);
    if (left == 0 || random_below(random, 12) == 0) {
        json_object_set_new(object, "surprise", random_value(random));
        return;
    }
    void *i = json_object_iter(object);
    for (left = random_below(random, (uint32_t)left); left > 0; left--)
        i = json_object_iter_next(object, i);
    json_t *value = json_object_iter_value(i);
    if (json_is_object(value) && random_below(random, 4) != 0)
        mutate(value, random);
    else if (random_below(random, 5) == 0)
        json_object_del(object, json_object_iter_key(i));
    else
        json_object_iter_set_new(object, i, random_value(random));
}

static void survives_any_document(void **state)
{
    (void)state;
    struct random random = random_start(1, "machine documents");
    unsigned good = 0;
    for (unsigned round = 0; round < 4000; round++) {
        json_t *document = parse(VALID);
        for (unsigned changes = 1 + random_below(&random, 3); changes > 0; changes--)
            mutate(document, &random);
        struct machine machine;
        struct error error = {0};
        enum status status = machine_from_json(document, "m.lua", &machine, &error);
        if (status == STATUS_OK) {
            good++;
            assert_reads_back(&machine);
            machine_free(&machine);
        } else {
            assert_int_equal(status, STATUS_RECIPE);
            assert_true(strncmp(error.message, "machine", 7) == 0 ||
                        strncmp(error.message, "unknown field", 13) == 0);
        }
        json_decref(document);
    }
    assert_true(good > 0);
}

/* ---- the machine files that ship, and how one is written ---- */

static void reads_the_files_that_ship(void **state)
{
    (void)state;
    const char *folder = TRAUMA_SOURCE_DIR "/recipes/machines";
    char **names = file_list(folder, ".lua");
    assert_non_null(names);
    for (char **name = names; *name != NULL; name++) {
        char path[FILE_PATH_BYTES];
        struct buffer text = {0};
        struct error error = {0};
        assert_int_equal(file_read(file_join(path, folder, *name), &text, &error), STATUS_OK);
        json_t *document = run_lua(text.data);
        struct machine machine;
        if (machine_from_json(document, path, &machine, &error) != STATUS_OK)
            fail_msg("%s: %s", path, error.message);
        assert_int_equal(strlen(machine.name) + strlen(".lua"), strlen(*name));
        assert_memory_equal(machine.name, *name, strlen(machine.name));
        assert_reads_back(&machine);
        machine_free(&machine);
        json_decref(document);
        buffer_free(&text);
    }
    file_free_names(names);
}

static void writes_the_contracts_layout(void **state)
{
    (void)state;
    json_t *document = valid_but("vendor", "'A \\'b\\'\\n'");
    struct machine machine;
    assert_int_equal(machine_from_json(document, NULL, &machine, NULL), STATUS_OK);
    json_decref(document);
    struct buffer text = {0};
    machine_write_lua(&machine, &text);
    assert_string_equal(
        text.data,
        "machine {\n"
        "  name = \"pentium-pro\", isa = \"x86_64\", vendor = \"A \\\"b\\\"\\010\", clock_ghz = 0.2, "
        "issue_width = 3,\n"
        "  caches = {\n"
        "    L1I = { size = \"8KiB\",   ways = 4, line = 32, policy = \"lru\" },\n"
        "    L1D = { size = \"8KiB\",   ways = 2, line = 32, policy = \"tree-plru\" },\n"
        "    L2  = { size = \"256KiB\", ways = 4, line = 32, policy = \"lru\" },\n"
        "  },\n"
        "  tlb      = { data = { entries = 64, ways = 4, page = \"4KiB\" } },\n"
        "  features = { \"sse2\" },\n"
        "  latency  = { L1D = 3, L2 = 6.5 },\n"
        "  events   = { [\"end\"] = {}, [\"l1d.miss_rate\"] = { \"r0F48\", \"per\", \"r0143\" } },\n"
        "}\n");
    buffer_free(&text);
    machine_free(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_field),           cmocka_unit_test(document_has_bytes_in_file_order),
        cmocka_unit_test(judges_each_field),           cmocka_unit_test(refuses_what_is_no_table),
        cmocka_unit_test(survives_any_document),       cmocka_unit_test(reads_the_files_that_ship),
        cmocka_unit_test(writes_the_contracts_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
