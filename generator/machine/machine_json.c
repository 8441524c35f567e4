/* The JSON of machine descriptions, defined here alone, by tables of fields: each row has a name, a reader, a
 * destination and the text that states the expected value in messages. A new field is one row. The copy that
 * a machine keeps has its keys in row order, whatever the Lua table's order. */
#include "generator/machine/machine.h"

#include "base/json.h"
#include "base/text/suggest.h"
#include "base/units.h"
#include "isa/isa.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024.0
#define GIB (1024.0 * 1024.0 * 1024.0)

/* ---- readers ---- */

enum { FIELD_PATH_BYTES = 160 };

struct field_reader {
    struct error *error;
    char path[FIELD_PATH_BYTES]; /* the field being read: "machine.caches.L1D.ways" */
};

struct field;

/* Checks value and stores it at target. Returns a new reference to the value as the description keeps it, or
 * NULL with the reader's error set (STATUS_RECIPE). */
typedef json_t *field_read(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target);

struct field {
    const char *name; /* NULL ends an array of rows */
    field_read *read;
    bool required;
    size_t offset;            /* within the target of the row's table */
    double low, high;         /* inclusive bounds of a number; for a text, high is the maximum length */
    const char *expected;     /* "a whole number from 1 to 1024" */
    const struct field *rows; /* a table's fields; for a map, how each value is read */
};

enum { FOUND_BYTES = 64, ROWS_MOST = 32 };

static const double LARGEST_WHOLE = 9007199254740992.0; /* 2^53: above it Lua floats are not exact */

/* ---- messages ---- */

static const char *describe(const json_t *value, char text[FOUND_BYTES])
{
    const char *kind = json_is_object(value)  ? "a table"
                       : json_is_array(value) ? "a list"
                       : json_is_true(value)  ? "true"
                       : json_is_false(value) ? "false"
                                              : "nothing";
    if (json_is_string(value))
        snprintf(text, FOUND_BYTES, "\"%.40s\"", json_string_value(value));
    else if (json_is_number(value))
        snprintf(text, FOUND_BYTES, "%.10g", json_number_value(value));
    else
        snprintf(text, FOUND_BYTES, "%s", kind);
    return text;
}

/* Reports that the field is not as expected. Returns NULL, for the caller to return. */
static json_t *field_refuse(struct field_reader *reader, const struct field *field, const json_t *value)
{
    char found[FOUND_BYTES];
    error_set(reader->error, STATUS_RECIPE, "%s is %s: expected %s", reader->path, describe(value, found),
              field->expected);
    return NULL;
}

/* Refuses any value; `expected` states where the field belongs. Its name is never suggested. */
static json_t *field_elsewhere(struct field_reader *reader, const struct field *field, const json_t *value,
                               void *target)
{
    (void)target;
    return field_refuse(reader, field, value);
}

static json_t *refuse_missing(struct field_reader *reader, const struct field *field)
{
    error_set(reader->error, STATUS_RECIPE, "%s is missing: expected %s", reader->path, field->expected);
    return NULL;
}

enum { KNOWN_BYTES = 512 }; /* all names of a table in one sentence */

static json_t *refuse_unknown(struct field_reader *reader, const struct field *rows, const char *key)
{
    const char *words[ROWS_MOST] = {NULL};
    size_t count = 0;
    for (const struct field *row = rows; count < ROWS_MOST && row->name != NULL; row++)
        if (row->read != field_elsewhere)
            words[count++] = row->name;
    const char *meant = suggest(key, words, count);
    if (meant != NULL) {
        error_set(reader->error, STATUS_RECIPE, "unknown field '%.40s' in %s, did you mean '%s'?", key,
                  reader->path, meant);
        return NULL;
    }
    char known[KNOWN_BYTES] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", words[i]);
    error_set(reader->error, STATUS_RECIPE, "unknown field '%.40s' in %s: expected one of %s", key,
              reader->path, known);
    return NULL;
}

/* ---- small parts ---- */

/* Appends ".name" to the path; returns the previous length. */
static size_t enter(struct field_reader *reader, const char *name)
{
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, ".%.60s", name);
    return length;
}

static void leave(struct field_reader *reader, size_t length)
{
    reader->path[length] = '\0';
}

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        abort(); /* out of memory */
}

/* Lua has only one kind of empty table, which may have become an empty object or an empty array. */
static bool is_empty_table(const json_t *value)
{
    return (json_is_object(value) && json_object_size(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

/* The smallest key after the given one (NULL: the first), so that the order of a Lua table never shows. */
static const char *next_key(const json_t *value, const char *after)
{
    json_t *object = (json_t *)value; /* jansson's iterators change nothing, but lack const */
    const char *least = NULL;
    for (void *i = json_object_iter(object); i != NULL; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        if ((after == NULL || strcmp(key, after) > 0) && (least == NULL || strcmp(key, least) < 0))
            least = key;
    }
    return least;
}

static bool is_field(const struct field *rows, const char *name)
{
    for (; rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0)
            return true;
    return false;
}

static bool number_within(const json_t *value, const struct field *field, double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && *number >= field->low && *number <= field->high;
}

/* ---- the readers ---- */

/* A whole number (also Lua's 4.0) within the bounds: unsigned. */
static json_t *field_whole(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target)
{
    double number;
    if (!number_within(value, field, &number) || number != floor(number))
        return field_refuse(reader, field, value);
    *(unsigned *)target = (unsigned)number;
    return json_from_number(number);
}

/* Such a number that is a power of two: unsigned. */
static json_t *field_line(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    json_t *copy = field_whole(reader, field, value, target);
    if (copy == NULL || units_is_power_of_two(*(unsigned *)target))
        return copy;
    json_decref(copy);
    return field_refuse(reader, field, value);
}

/* A number above 0 and within the bounds: double. */
static json_t *field_number(struct field_reader *reader, const struct field *field, const json_t *value,
                            void *target)
{
    double number;
    if (!number_within(value, field, &number) || !(number > 0))
        return field_refuse(reader, field, value);
    *(double *)target = number;
    return json_from_number(number);
}

/* "8KiB" or a number of bytes, within the bounds: uint64_t. */
static json_t *field_size(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    uint64_t bytes = 0;
    double number = json_number_value(value);
    bool whole = json_is_number(value) && number >= 0 && number <= LARGEST_WHOLE && number == floor(number);
    if (whole)
        bytes = (uint64_t)number;
    else if (!json_is_string(value) || !units_parse_size(json_string_value(value), &bytes))
        return field_refuse(reader, field, value);
    if ((double)bytes < field->low || (double)bytes > field->high)
        return field_refuse(reader, field, value);
    *(uint64_t *)target = bytes;
    return json_integer((json_int_t)bytes);
}

/* true or false: bool. */
static json_t *field_boolean(struct field_reader *reader, const struct field *field, const json_t *value,
                             void *target)
{
    if (!json_is_boolean(value))
        return field_refuse(reader, field, value);
    *(bool *)target = json_is_true(value);
    return json_boolean(json_is_true(value));
}

/* A non-empty text: char[high + 1]. */
static json_t *field_text(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    const char *text = json_string_value(value);
    if (text == NULL || text[0] == '\0' || strlen(text) > (size_t)field->high)
        return field_refuse(reader, field, value);
    memcpy(target, text, strlen(text) + 1);
    return json_string(text);
}

/* A list's elements, each read by the function into target in turn. */
static json_t *read_each(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target, field_read *read)
{
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(value); i++) {
        size_t length = strlen(reader->path);
        snprintf(reader->path + length, sizeof reader->path - length, "[%zu]", i + 1);
        json_t *item = read(reader, field, json_array_get(value, i), target);
        leave(reader, length);
        if (item == NULL) {
            json_decref(copy);
            return NULL;
        }
        if (json_array_append_new(copy, item) != 0)
            abort(); /* out of memory */
    }
    return copy;
}

static json_t *read_word(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    (void)target;
    char found[FOUND_BYTES];
    if (json_string_length(value) > 0)
        return json_string(json_string_value(value));
    error_set(reader->error, STATUS_RECIPE, "%s is %s: expected a text, as in %s", reader->path,
              describe(value, found), field->expected);
    return NULL;
}

/* A list of such texts of any length: copy only. */
static json_t *field_words(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target)
{
    return json_is_array(value) || is_empty_table(value) ? read_each(reader, field, value, target, read_word)
                                                         : field_refuse(reader, field, value);
}

/* A non-empty list of numbers as for field_number: copy only. */
static json_t *field_numbers(struct field_reader *reader, const struct field *field, const json_t *value,
                             void *target)
{
    (void)target;
    double number;
    return json_array_size(value) > 0 ? read_each(reader, field, value, &number, field_number)
                                      : field_refuse(reader, field, value);
}

/* A table with any keys, each value read like rows[0]: copy only. */
static json_t *field_map(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    if (!json_is_object(value) && !is_empty_table(value))
        return field_refuse(reader, field, value);
    json_t *copy = json_object();
    for (const char *key = next_key(value, NULL); key != NULL; key = next_key(value, key)) {
        size_t length = enter(reader, key);
        json_t *item = field->rows->read(reader, field->rows, json_object_get(value, key), target);
        leave(reader, length);
        if (item == NULL) {
            json_decref(copy);
            return NULL;
        }
        put(copy, key, item);
    }
    return copy;
}

/* A table with only the fields in rows. */
static json_t *field_table(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target)
{
    if (!json_is_object(value) && !is_empty_table(value))
        return field_refuse(reader, field, value);
    for (const char *key = next_key(value, NULL); key != NULL; key = next_key(value, key))
        if (!is_field(field->rows, key))
            return refuse_unknown(reader, field->rows, key);
    json_t *copy = json_object();
    for (const struct field *row = field->rows; row->name != NULL; row++) {
        const json_t *given = json_object_get(value, row->name);
        if (given == NULL && !row->required)
            continue;
        size_t length = enter(reader, row->name);
        json_t *item = given == NULL ? refuse_missing(reader, row)
                                     : row->read(reader, row, given, (char *)target + row->offset);
        leave(reader, length);
        if (item == NULL) {
            json_decref(copy);
            return NULL;
        }
        put(copy, row->name, item);
    }
    return copy;
}

/* A list of tables as for field_table: each is read into target in turn, and kept in the copy. */
static json_t *field_list(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    return json_is_array(value) || is_empty_table(value)
               ? read_each(reader, field, value, target, field_table)
               : field_refuse(reader, field, value);
}

/* ---- readers for this description alone ---- */

/* Names occur in paths and messages, so they must match [A-Za-z0-9_-][A-Za-z0-9._-]*. */
static json_t *read_name(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    const char *text = json_string_value(value);
    if (text == NULL || text[0] == '.')
        return field_refuse(reader, field, value);
    for (const char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL)
            return field_refuse(reader, field, value);
    return field_text(reader, field, value, target);
}

/* The identity that detection writes. No decision depends on it, so only the document keeps it. */
static json_t *read_cpu(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)target;
    char text[64];
    return read_name(reader, field, value, text);
}

static json_t *read_isa(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    const char *text = json_string_value(value);
    if (!isa_is_processor(text))
        return field_refuse(reader, field, value);
    return field_text(reader, field, value, target);
}

static json_t *read_index(struct field_reader *reader, const struct field *field, const json_t *value,
                          void *target)
{
    const char *text = json_string_value(value);
    if (text == NULL || (strcmp(text, "virtual") != 0 && strcmp(text, "unknown") != 0))
        return field_refuse(reader, field, value);
    *(bool *)target = strcmp(text, "virtual") == 0;
    return json_string(text);
}

static json_t *read_gpu(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)field, (void)value, (void)target;
    error_set(
        reader->error, STATUS_RECIPE,
        "%s describes a GPU, but machine.isa is a processor's: remove it, or set isa = \"ptx\" or \"gcn\"",
        reader->path);
    return NULL;
}

static json_t *read_policy(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target)
{
    for (enum cache_policy i = 0; json_is_string(value) && i < POLICY_COUNT; i++) {
        if (strcmp(json_string_value(value), cache_policy_name(i)) == 0) {
            *(enum cache_policy *)target = i;
            return json_string(cache_policy_name(i));
        }
    }
    return field_refuse(reader, field, value);
}

/* ---- the fields, in the order of a machine file ---- */

static const char CACHE_EXAMPLE[] = "a table such as { size = \"32KiB\", ways = 8, line = 64 }";
static const char CYCLES[] = "a number of cycles above 0 and up to 1000000";

static const char POLICIES[] = "\"lru\", \"tree-plru\", \"fifo\", \"random\" or \"unknown\"";

static const struct field cache_fields[] = {
    {"size", field_size, true, offsetof(struct cache, size), 1, 16 * GIB,
     "a size up to 16GiB such as \"32KiB\", or a whole number of bytes", NULL},
    {"ways", field_whole, true, offsetof(struct cache, ways), 1, 1024, "a whole number from 1 to 1024", NULL},
    {"line", field_line, true, offsetof(struct cache, line), 16, 256,
     "a power of two from 16 to 256, in bytes", NULL},
    {"policy", read_policy, false, offsetof(struct cache, policy), 0, 0, POLICIES, NULL},
    {"effective", field_size, false, offsetof(struct cache, effective), 1, 16 * GIB,
     "a size such as \"7MiB\": one core's part of a shared level", NULL},
    {"shared_by", field_whole, false, offsetof(struct cache, shared_by), 1, 65536,
     "a whole number from 1 to 65536: logical processors that share the level", NULL},
    {0},
};

static const struct field level_fields[] = {
    {"L1I", field_table, true, offsetof(struct machine, l1i), 0, 0, CACHE_EXAMPLE, cache_fields},
    {"L1D", field_table, true, offsetof(struct machine, l1d), 0, 0, CACHE_EXAMPLE, cache_fields},
    {"L2", field_table, true, offsetof(struct machine, l2), 0, 0, CACHE_EXAMPLE, cache_fields},
    {"L3", field_table, false, offsetof(struct machine, l3), 0, 0, CACHE_EXAMPLE, cache_fields},
    {0},
};

static const struct field tlb_fields[] = {
    {"entries", field_whole, true, offsetof(struct tlb, entries), 1, 65536, "a whole number from 1 to 65536",
     NULL},
    {"ways", field_whole, true, offsetof(struct tlb, ways), 1, 65536, "a whole number from 1 to 65536", NULL},
    {"page", field_size, true, offsetof(struct tlb, page), 1 * KIB, 1 * GIB,
     "a size from 1KiB to 1GiB such as \"4KiB\"", NULL},
    {"policy", read_policy, false, offsetof(struct tlb, policy), 0, 0, POLICIES, NULL},
    {0},
};

static const struct field huge_tlb_fields[] = {
    {"entries", field_whole, true, offsetof(struct tlb, entries), 1, 65536, "a whole number from 1 to 65536",
     NULL},
    {"ways", field_whole, true, offsetof(struct tlb, ways), 1, 65536, "a whole number from 1 to 65536", NULL},
    {"policy", read_policy, false, offsetof(struct tlb, policy), 0, 0, POLICIES, NULL},
    {0},
};

static const struct field tlbs_fields[] = {
    {"data", field_table, false, offsetof(struct machine, data_tlb), 0, 0,
     "a table such as { entries = 64, ways = 4, page = \"4KiB\" }", tlb_fields},
    {"huge", field_table, false, offsetof(struct machine, huge_tlb), 0, 0,
     "a table such as { entries = 32, ways = 4 }: entries of the data TLB's own for pages of 2 MiB",
     huge_tlb_fields},
    {0},
};

static const struct field latency_fields[] = {
    {"L1D", field_number, false, offsetof(struct machine, latency_l1d), 0, 1e6, CYCLES, NULL},
    {"L2", field_number, false, offsetof(struct machine, latency_l2), 0, 1e6, CYCLES, NULL},
    {"L3", field_number, false, offsetof(struct machine, latency_l3), 0, 1e6, CYCLES, NULL},
    {"MEM", field_number, false, offsetof(struct machine, latency_mem), 0, 1e6, CYCLES, NULL},
    {0},
};

static const struct field port_fields[] = {
    {"load", field_whole, false, offsetof(struct machine, load_ports), 1, 16, "a whole number from 1 to 16",
     NULL},
    {"store", field_whole, false, offsetof(struct machine, store_ports), 1, 16, "a whole number from 1 to 16",
     NULL},
    {0},
};

static const struct field event_fields[] = {
    {"", field_words, false, 0, 0, 0, "a list of texts such as { \"r0F48\", \"per\", \"r0143\" }", NULL},
};

/* One state of voltage and frequency; no decision here depends on it, so only the document keeps it. */
struct described_vf {
    double volts, ghz;
};

static const struct field vf_fields[] = {
    {"volts", field_number, true, offsetof(struct described_vf, volts), 0, 10,
     "a number of volts above 0 and up to 10", NULL},
    {"ghz", field_number, true, offsetof(struct described_vf, ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {0},
};

/* A NUMA node; only the document keeps it. */
struct described_node {
    unsigned id, cores;
    uint64_t memory;
};

static const struct field node_fields[] = {
    {"id", field_whole, true, offsetof(struct described_node, id), 0, 1023, "a whole number from 0 to 1023",
     NULL},
    {"cores", field_whole, true, offsetof(struct described_node, cores), 0, 65536,
     "a whole number from 0 to 65536: logical processors, 0 of a node that is memory alone", NULL},
    {"memory", field_size, false, offsetof(struct described_node, memory), 1, 1e18,
     "a size such as \"64GiB\"", NULL},
    {0},
};

/* Lists that only the document keeps. */
static json_t *keep_list(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    (void)target;
    union {
        struct described_vf state;
        struct described_node node;
    } item;
    return field_list(reader, field, value, &item);
}

/* Numbers that only the document keeps. */
static json_t *keep_number(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target)
{
    (void)target;
    double number;
    return field_number(reader, field, value, &number);
}

static const struct field per_cycle_fields[] = {
    {"", keep_number, false, 0, 0, 64, "a number above 0 and up to 64: operations per cycle", NULL},
    {0},
};

#define quoted(name) "\"" #name "\", "

static const struct field machine_fields[] = {
    {"name", read_name, true, offsetof(struct machine, name), 0, sizeof((struct machine *)0)->name - 1,
     "up to 63 letters, digits, '_', '-' and '.', not starting with '.'", NULL},
    {"isa", read_isa, true, offsetof(struct machine, isa), 0, sizeof((struct machine *)0)->isa - 1,
     ISA_PROCESSORS(quoted) "\"ptx\" or \"gcn\"", NULL},
    {"vendor", field_text, false, offsetof(struct machine, vendor), 0,
     sizeof((struct machine *)0)->vendor - 1, "a text of 1 to 63 bytes", NULL},
    {"clock_ghz", field_number, false, offsetof(struct machine, clock_ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {"frequencies", field_numbers, false, 0, 0, 1000,
     "a list of settable clocks in GHz, such as { 1.4, 2.3, 3.5 }", NULL},
    {"idle_w", field_number, false, offsetof(struct machine, idle_w), 0, 1e6,
     "a number above 0: the idle power in watts that the processor's maker publishes", NULL},
    {"issue_width", field_whole, false, offsetof(struct machine, issue_width), 1, 64,
     "a whole number from 1 to 64", NULL},
    {"sockets", field_whole, false, offsetof(struct machine, sockets), 1, 1024,
     "a whole number from 1 to 1024", NULL},
    {"cu", field_whole, false, offsetof(struct machine, cu), 1, 65536,
     "a whole number from 1 to 65536: compute units, which are the cores that share an L2", NULL},
    {"cores", field_whole, false, offsetof(struct machine, cores), 1, 65536,
     "a whole number from 1 to 65536: logical processors", NULL},
    {"index", read_index, false, offsetof(struct machine, index_known), 0, 0,
     "\"virtual\" (caches are indexed by virtual addresses, as in a simulator) or \"unknown\"", NULL},
    {"virtual", field_boolean, false, offsetof(struct machine, is_virtual), 0, 0,
     "true or false: whether it runs under a hypervisor", NULL},
    {"cpu", read_cpu, false, 0, 0, 63, "such as \"GenuineIntel-6-85-4\" (family, model, stepping)", NULL},
    {"processors", field_text, false, offsetof(struct machine, processors), 0,
     sizeof((struct machine *)0)->processors - 1,
     "a list such as \"0-3,8\": the logical processors that are described, if others differ", NULL},
    {"notes", field_words, false, 0, 0, 0, "a list of texts: notes for readers of the description", NULL},
    {"vf", keep_list, false, 0, 0, 0,
     "a list of states of voltage and frequency such as { { volts = 0.9, ghz = 1.4 } }", vf_fields},
    {"nodes", keep_list, false, 0, 0, 0,
     "a list of NUMA nodes such as { { id = 0, cores = 16, memory = \"64GiB\" } }", node_fields},
    {"caches", field_table, true, 0, 0, 0, "a table with L1I, L1D and L2", level_fields},
    {"measured", field_words, false, 0, 0, 0,
     "a list of caches such as { \"L3\" }, whose sizes were measured", NULL},
    {"tlb", field_table, false, 0, 0, 0, "a table with data", tlbs_fields},
    {"features", field_words, false, 0, 0, 0, "a list of texts such as { \"sse2\" }", NULL},
    {"latency", field_table, false, 0, 0, 0, "a table such as { L1D = 4, L2 = 14 }", latency_fields},
    {"ports", field_table, false, 0, 0, 0, "a table such as { load = 2, store = 1 }", port_fields},
    {"per_cycle", field_map, false, 0, 0, 0,
     "a table such as { add = 4, mul = 1, fma = 2 }: operations per cycle", per_cycle_fields},
    {"events", field_map, false, 0, 0, 0,
     "a table such as { [\"l1d.miss_rate\"] = { \"r0F48\", \"per\", \"r0143\" } }", event_fields},
    {"gpu", read_gpu, false, 0, 0, 0, "no such field", NULL},
    {0},
};

/* ---- a GPU ---- */

enum { MOST_QUADRANTS = 64, MOST_CHANNELS = 1024 };

/* "sm_90" or "gfx701": the assembler's name of the processor. */
static json_t *read_arch(struct field_reader *reader, const struct field *field, const json_t *value,
                         void *target)
{
    const char *text = json_string_value(value);
    size_t known = text == NULL ? 0 : strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    bool nvidia = text != NULL && strncmp(text, "sm_", 3) == 0 && isdigit((unsigned char)text[3]);
    bool amd = text != NULL && strncmp(text, "gfx", 3) == 0 && isdigit((unsigned char)text[3]);
    if ((!nvidia && !amd) || text[known] != '\0')
        return field_refuse(reader, field, value);
    return field_text(reader, field, value, target);
}

/* The channels of one quadrant. */
static json_t *read_channels(const json_t *value)
{
    json_t *copy = json_array();
    bool good = json_array_size(value) > 0 && json_array_size(value) <= MOST_CHANNELS;
    for (size_t i = 0; good && i < json_array_size(value); i++) {
        const json_t *channel = json_array_get(value, i);
        good = json_is_integer(channel) && json_integer_value(channel) >= 0 &&
               json_integer_value(channel) < MOST_CHANNELS;
        json_array_append_new(copy, json_integer(json_integer_value(channel)));
    }
    if (good)
        return copy;
    json_decref(copy);
    return NULL;
}

/* Lists of channels, by shader engine. */
static json_t *read_quadrants(struct field_reader *reader, const struct field *field, const json_t *value,
                              void *target)
{
    (void)target;
    bool good = json_array_size(value) > 0 && json_array_size(value) <= MOST_QUADRANTS;
    json_t *copy = json_array();
    for (size_t i = 0; good && i < json_array_size(value); i++) {
        json_t *channels = read_channels(json_array_get(value, i));
        good = channels != NULL;
        if (good)
            json_array_append_new(copy, channels);
    }
    if (good)
        return copy;
    json_decref(copy);
    return field_refuse(reader, field, value);
}

static const char WHOLE[] = "a whole number from 1 to 65536";
enum { MOST_XCC = 16 }; /* XCC_ID has four bits */

#define COUNT(field) field_whole, false, offsetof(struct gpu, field), 1, 65536, WHOLE, NULL

static const struct field distance_rows[] = {
    {"", keep_number, false, 0, 0, 1000, "millimetres, above 0 and up to 1000", NULL}};

static const struct field bandwidth_rows[] = {
    {"SHARED", keep_number, false, 0, 0, 1e6, "bytes per cycle of one multiprocessor", NULL},
    {"DSMEM", keep_number, false, 0, 0, 1e6, "bytes per cycle of one multiprocessor", NULL},
    {"L1", keep_number, false, 0, 0, 1e6, "bytes per cycle of one multiprocessor", NULL},
    {"L2", keep_number, false, 0, 0, 1e6, "bytes per cycle of the whole chip", NULL},
    {"L3", keep_number, false, 0, 0, 1e6, "bytes per cycle of the whole chip", NULL},
    {"MEM", keep_number, false, 0, 0, 1e6, "bytes per cycle of the whole chip", NULL},
    {0}};

static const struct field gpu_fields[] = {
    {"arch", read_arch, true, offsetof(struct gpu, arch), 0, GPU_ARCH_BYTES - 1,
     "its name in an assembler, such as \"sm_90\" or \"gfx906\"", NULL},
    {"sm", COUNT(sm)},
    {"xcc", field_whole, false, offsetof(struct gpu, xcc), 1, MOST_XCC, "a whole number from 1 to 16", NULL},
    {"cu_per_xcc", COUNT(cu_per_xcc)},
    {"se", COUNT(se)},
    {"sh_per_se", COUNT(sh_per_se)},
    {"cu_per_sh", COUNT(cu_per_sh)},
    {"wave", field_whole, false, offsetof(struct gpu, wave), 32, 64, "32 or 64", NULL},
    {"block_threads", field_whole, false, offsetof(struct gpu, block_threads), 32, 4096,
     "a whole number from 32 to 4096", NULL},
    {"l2_channels", COUNT(l2_channels)},
    {"sides", field_whole, false, offsetof(struct gpu, sides), 1, 16, "a whole number from 1 to 16", NULL},
    {"side_bytes", field_size, false, offsetof(struct gpu, side_bytes), 512, 4096,
     "a size of 512B, 1KiB, 2KiB or 4KiB", NULL},
    {"interleave", field_size, false, offsetof(struct gpu, interleave), 32, 1 << 20,
     "a size from 32B to 1MiB such as \"256B\"", NULL},
    {"shared", field_size, false, offsetof(struct gpu, shared), 1024, 1 << 20,
     "a size from 1KiB to 1MiB such as \"48KiB\"", NULL},
    {"memory", field_size, false, offsetof(struct gpu, memory), 1 << 20, 4096 * GIB,
     "a size such as \"141GiB\"", NULL},
    {"quadrants", read_quadrants, false, 0, 0, 0,
     "a list of lists of L2 channels, the first near shader engine 0, such as { { 0, 1 }, { 2, 3 } }", NULL},
    {"distance_mm", field_map, false, 0, 0, 0, "a table such as { l1_l2 = 10.5 }", distance_rows},
    {"bandwidth", field_table, false, 0, 0, 0,
     "a table such as { L2 = 5120, MEM = 2048 }, in bytes per cycle", bandwidth_rows},
    {0},
};

static const struct field gpu_cache_fields[] = {
    {"size", field_size, true, offsetof(struct cache, size), 1024, 16 * GIB,
     "a size up to 16GiB such as \"256KiB\", or a whole number of bytes", NULL},
    {"ways", field_whole, false, offsetof(struct cache, ways), 1, 1024, "a whole number from 1 to 1024",
     NULL},
    {"line", field_line, false, offsetof(struct cache, line), 32, 256,
     "a power of two from 32 to 256, in bytes", NULL},
    {"sector", field_line, false, offsetof(struct cache, sector), 16, 256,
     "a power of two from 16 to 256, in bytes", NULL},
    {"policy", read_policy, false, offsetof(struct cache, policy), 0, 0, POLICIES, NULL},
    {0},
};

static const char GPU_CACHE_EXAMPLE[] = "a table such as { size = \"256KiB\", line = 128 }";

static const char SHARED_PLACE[] =
    "no SHARED here: shared memory is not a cache; gpu.shared = \"32KiB\" states its size";

static const struct field gpu_level_fields[] = {
    {"L1", field_table, false, offsetof(struct machine, l1d), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L1D", field_table, false, offsetof(struct machine, l1d), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L1I", field_table, false, offsetof(struct machine, l1i), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L2", field_table, true, offsetof(struct machine, l2), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"L3", field_table, false, offsetof(struct machine, l3), 0, 0, GPU_CACHE_EXAMPLE, gpu_cache_fields},
    {"SHARED", field_elsewhere, false, 0, 0, 0, SHARED_PLACE, NULL},
    {"LDS", field_elsewhere, false, 0, 0, 0, SHARED_PLACE, NULL},
    {0},
};

static const struct field gpu_latency_fields[] = {
    {"SHARED", keep_number, false, 0, 0, 1e6, CYCLES, NULL},
    {"DSMEM", keep_number, false, 0, 0, 1e6, CYCLES, NULL},
    {"L1", field_number, false, offsetof(struct machine, latency_l1d), 0, 1e6, CYCLES, NULL},
    {"L2", field_number, false, offsetof(struct machine, latency_l2), 0, 1e6, CYCLES, NULL},
    {"L2_FAR", keep_number, false, 0, 0, 1e6, CYCLES, NULL},
    {"L3", field_number, false, offsetof(struct machine, latency_l3), 0, 1e6, CYCLES, NULL},
    {"MEM", field_number, false, offsetof(struct machine, latency_mem), 0, 1e6, CYCLES, NULL},
    {0},
};

static const struct field machine_gpu_fields[] = {
    {"name", read_name, true, offsetof(struct machine, name), 0, sizeof((struct machine *)0)->name - 1,
     "up to 63 letters, digits, '_', '-' and '.', not starting with '.'", NULL},
    {"isa", field_text, true, offsetof(struct machine, isa), 0, sizeof((struct machine *)0)->isa - 1,
     "\"ptx\" or \"gcn\"", NULL},
    {"vendor", field_text, false, offsetof(struct machine, vendor), 0,
     sizeof((struct machine *)0)->vendor - 1, "a text of 1 to 63 bytes", NULL},
    {"clock_ghz", field_number, false, offsetof(struct machine, clock_ghz), 0, 1000,
     "a number above 0 and up to 1000", NULL},
    {"frequencies", field_numbers, false, 0, 0, 1000,
     "a list of settable clocks in GHz, such as { 0.9, 1.2 }", NULL},
    {"idle_w", field_number, false, offsetof(struct machine, idle_w), 0, 1e6,
     "a number above 0: the idle power in watts that its maker publishes", NULL},
    {"vf", keep_list, false, 0, 0, 0,
     "a list of states of voltage and frequency such as { { volts = 0.9, ghz = 1.4 } }", vf_fields},
    {"caches", field_table, true, 0, 0, 0, "a table with L1 and L2", gpu_level_fields},
    {"features", field_words, false, 0, 0, 0, "a list of texts", NULL},
    {"latency", field_table, false, 0, 0, 0, "a table such as { L1 = 33, L2 = 200 }", gpu_latency_fields},
    {"events", field_map, false, 0, 0, 0, "a table of lists of texts", event_fields},
    {"gpu", field_table, true, offsetof(struct machine, gpu), 0, 0,
     "a table such as { arch = \"sm_90\", sm = 132 } or { arch = \"gfx906\", se = 4, sh_per_se = 1, "
     "cu_per_sh = 16 }",
     gpu_fields},
    {0},
};

/* Writes defaults into the document, in field order, because recipes may read them. */
static void write_defaults(struct machine *machine)
{
    json_t *stated = json_object_get(machine->document, "gpu");
    json_t *ordered = json_object();
    json_object_set_new(stated, "sm", json_integer(machine->gpu.sm));
    json_object_set_new(stated, "wave", json_integer(machine->gpu.wave));
    for (const struct field *row = gpu_fields; row->name != NULL; row++)
        if (json_object_get(stated, row->name) != NULL)
            json_object_set(ordered, row->name, json_object_get(stated, row->name));
    json_object_set_new(machine->document, "gpu", ordered);
}

/* Every channel of a quadrant must be one of L2's and belong to only one quadrant. */
static enum status check_quadrants(const struct machine *machine, struct error *error)
{
    const json_t *quadrants = json_object_get(json_object_get(machine->document, "gpu"), "quadrants");
    bool seen[MOST_CHANNELS] = {false};
    for (size_t i = 0; i < json_array_size(quadrants); i++) {
        const json_t *channels = json_array_get(quadrants, i);
        for (size_t j = 0; j < json_array_size(channels); j++) {
            long long channel = json_integer_value(json_array_get(channels, j));
            if (channel >= (long long)machine->gpu.l2_channels || seen[channel])
                return error_set(error, STATUS_RECIPE,
                                 "machine.gpu.quadrants[%zu] has channel %lld: expected each of the %u "
                                 "l2_channels (from 0) in one quadrant",
                                 i + 1, channel, machine->gpu.l2_channels);
            seen[channel] = true;
        }
    }
    return STATUS_OK;
}

/* ---- a whole description ---- */

static const struct field machine_field = {"machine",
                                           field_table,
                                           true,
                                           0,
                                           0,
                                           0,
                                           "a table such as { name = \"my-machine\", isa = \"x86_64\", ... }",
                                           machine_fields};

static const struct field gpu_field = {"machine",
                                       field_table,
                                       true,
                                       0,
                                       0,
                                       0,
                                       "a table such as { name = \"my-gpu\", isa = \"ptx\", ... }",
                                       machine_gpu_fields};

/* ---- what machine.h declares ---- */

enum status machine_from_json(const json_t *document, const char *file, struct machine *machine,
                              struct error *error)
{
    memset(machine, 0, sizeof *machine);
    struct error unasked;
    if (error == NULL)
        error = &unasked;
    struct field_reader reader = {error, "machine"};
    bool gpu = machine_isa_is_gpu(json_string_value(json_object_get(document, "isa")));
    machine->document = field_table(&reader, gpu ? &gpu_field : &machine_field, document, machine);
    enum status status = machine->document == NULL ? STATUS_RECIPE : machine_complete(machine, error);
    if (status == STATUS_OK && gpu) {
        write_defaults(machine);
        status = check_quadrants(machine, error);
    }
    if (status == STATUS_OK)
        return STATUS_OK;
    machine_free(machine);
    error_at(error, file, 0);
    return STATUS_RECIPE;
}

enum status machine_set_index(struct machine *machine, const char *word, struct error *error)
{
    bool known = strcmp(word, "virtual") == 0;
    if (!known && strcmp(word, "unknown") != 0)
        return error_set(error, STATUS_USAGE, "--index %s: expected virtual or unknown", word);
    if (machine_is_gpu(machine))
        return error_set(error, STATUS_USAGE,
                         "--index: %s is a GPU, whose caches are indexed by their channels' hash",
                         machine->name);
    machine->index_known = known;
    json_object_set_new(machine->document, "index", json_string(word));
    return STATUS_OK;
}

bool machine_has(const struct machine *machine, const char *feature)
{
    if (feature[0] == '\0' || (machine_is_gpu(machine) && machine_gpu_has(machine, feature)))
        return true;
    const json_t *features = json_object_get(machine->document, "features");
    if (features == NULL)
        return strcmp(feature, "sse2") == 0 && !machine_is_gpu(machine);
    for (size_t i = 0; i < json_array_size(features); i++)
        if (strcmp(json_string_value(json_array_get(features, i)), feature) == 0)
            return true;
    return false;
}

bool machine_lists_features(const struct machine *machine)
{
    return json_object_get(machine->document, "features") != NULL;
}

const char *machine_node_list(const struct machine *machine, char *text, size_t size)
{
    const json_t *nodes = json_object_get(machine->document, "nodes");
    snprintf(text, size, "%s", nodes == NULL ? "0" : "");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%.0f", i == 0 ? "" : ",",
                 json_number_or(json_array_get(nodes, i), "id", 0));
    }
    return text;
}

double machine_bandwidth(const struct machine *machine, const char *level)
{
    const json_t *moved = json_object_get(json_object_get(machine->document, "gpu"), "bandwidth");
    return json_number_or(moved, level, 0);
}

double machine_operations(const struct machine *machine, const char *operation)
{
    return json_number_or(json_object_get(machine->document, "per_cycle"), operation, 0);
}

const char *machine_cpu(const struct machine *machine, const char *fallback)
{
    return json_string_or(machine->document, "cpu", fallback);
}

static const json_t *quadrants_of(const struct machine *machine)
{
    return json_object_get(json_object_get(machine->document, "gpu"), "quadrants");
}

size_t machine_quadrants(const struct machine *machine)
{
    return json_array_size(quadrants_of(machine));
}

bool machine_quadrant_has(const struct machine *machine, size_t quadrant, unsigned channel)
{
    const json_t *channels = json_array_get(quadrants_of(machine), quadrant);
    for (size_t i = 0; i < json_array_size(channels); i++)
        if (json_integer_value(json_array_get(channels, i)) == (json_int_t)channel)
            return true;
    return false;
}

void machine_free(struct machine *machine)
{
    json_decref(machine->document);
    memset(machine, 0, sizeof *machine);
}

bool machine_event(const struct machine *machine, size_t number, struct machine_ratio *ratio)
{
    const char *metric;
    json_t *row;
    json_object_foreach(json_object_get(machine->document, "events"), metric, row)
    {
        const char *per = json_string_value(json_array_get(row, 1));
        bool whole = json_array_size(row) == 3 && per != NULL && strcmp(per, "per") == 0;
        if (number-- > 0)
            continue;
        *ratio = (struct machine_ratio){metric, whole ? json_string_value(json_array_get(row, 0)) : NULL,
                                        whole ? json_string_value(json_array_get(row, 2)) : NULL};
        return true;
    }
    return false;
}

const char *machine_note(const struct machine *machine, size_t number)
{
    return json_string_value(json_array_get(json_object_get(machine->document, "notes"), number));
}
