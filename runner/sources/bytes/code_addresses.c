#include "runner/sources/bytes/code_addresses.h"

#include "runner/sources/bytes/bytes_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The registers' values in one pass, as offsets from the data's start: those that most accesses by them
 * imply. */
struct register_values {
    int64_t value[CODE_REGISTERS];
    size_t votes[CODE_REGISTERS]; /* 0: nothing is known */
};

static const char *name_of(const struct code_addresses *addresses, int index)
{
    return index < 0 ? "the chase's register alone" : addresses->isa->registers[index].whole;
}

enum status code_wrong(const struct printed_instruction *at, struct error *error, const char *format, ...)
{
    char text[160], found[400];
    va_list arguments;
    snprintf(text, sizeof text, "%s", at->text);
    for (char *tab = text; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    return error_set(error, STATUS_FAILED, "'%s' at 0x%" PRIx64 " of the program's code, in the loop, %s",
                     text, at->offset, found);
}

static const struct code_place *place_in(const struct code_access *access, uint64_t pass)
{
    size_t last = 0;
    for (size_t i = 1; i < access->count; i++)
        if (pass >= access->places[i].from)
            last = i;
    return &access->places[last];
}

static const struct code_anchor *anchor_of(const struct code_addresses *addresses, int index)
{
    for (size_t i = 0; i < addresses->anchor_count; i++)
        if (addresses->anchors[i].index == index)
            return &addresses->anchors[i];
    return NULL;
}

/* Only registers with an address may be a base. */
static enum status check_bases(const struct code_addresses *addresses, struct error *error)
{
    for (size_t i = 0; i < addresses->count; i++)
        for (size_t k = 0; k < addresses->accesses[i].count; k++) {
            const struct code_access *access = &addresses->accesses[i];
            int base = access->places[k].base;
            bool known = base < 0 || base == addresses->data || addresses->rotating[base] ||
                         anchor_of(addresses, base) != NULL;
            if (!known)
                return code_wrong(access->at, error,
                                  "finds its address by %s; expected the data's register or one of a base "
                                  "that the loop moves",
                                  name_of(addresses, base));
        }
    return STATUS_OK;
}

/* The address of the word that the last chase read, by the manifest. */
struct code_chase {
    const struct bytes_table *table;
    uint64_t before;
    bool known;
};

static int64_t implied(const struct code_access *access, const struct code_place *place,
                       const struct code_chase *chase, uint64_t address)
{
    uint64_t word = access->chase ? bytes_word_at(chase->table, chase->before) : 0;
    return (int64_t)(address - (uint64_t)place->offset - word);
}

static void vote(struct register_values *values, int base, int64_t value)
{
    if (values->votes[base] == 0)
        values->value[base] = value;
    values->votes[base] += values->value[base] == value || values->votes[base] == 0 ? 1 : (size_t)-1;
}

static void start_chase(const struct code_addresses *addresses, const uint64_t *all, uint64_t count,
                        struct code_chase *chase)
{
    for (size_t i = 0; i < addresses->count; i++)
        if (addresses->accesses[i].chase) {
            chase->before = all[count - addresses->count + i];
            chase->known = true;
        }
}

static enum status check_pass(const struct code_addresses *addresses, const uint64_t *stated, uint64_t pass,
                              struct code_chase *chase, struct register_values *values, struct error *error)
{
    struct code_chase first = *chase;
    memset(values, 0, sizeof *values);
    for (int round = 0; round < 2; round++) {
        *chase = first;
        for (size_t i = 0; i < addresses->count; i++) {
            const struct code_access *access = &addresses->accesses[i];
            const struct code_place *place = place_in(access, pass);
            int64_t value = implied(access, place, chase, stated[i]);
            if (access->chase)
                chase->before = stated[i];
            if (round == 0 && place->base >= 0 && place->base != addresses->data)
                vote(values, place->base, value);
            int64_t wanted =
                place->base < 0 || place->base == addresses->data ? 0 : values->value[place->base];
            if (round == 1 && value != wanted)
                return code_wrong(access->at, error,
                                  "goes by %s to byte %" PRId64 " of the data in pass %" PRIu64
                                  " of the period; by the manifest to byte %" PRIu64,
                                  name_of(addresses, access->places[0].base),
                                  (int64_t)stated[i] + wanted - value, pass + 1, stated[i]);
        }
    }
    return STATUS_OK;
}

/* Checks that an anchor is its base plus its number, where accesses imply the values of both. */
static enum status check_anchors(const struct code_addresses *addresses, const struct register_values *values,
                                 uint64_t pass, struct error *error)
{
    for (size_t i = 0; i < addresses->anchor_count; i++) {
        const struct code_anchor *anchor = &addresses->anchors[i];
        bool own = anchor->base == addresses->data;
        if (values->votes[anchor->index] == 0 || (!own && values->votes[anchor->base] == 0))
            continue;
        int64_t wanted = (own ? 0 : values->value[anchor->base]) + anchor->offset;
        if (wanted != values->value[anchor->index])
            return error_set(error, STATUS_FAILED,
                             "the accesses of the loop by %s are at byte %" PRId64 " in pass %" PRIu64
                             " of the period by the manifest; by the code that register is at %" PRId64,
                             name_of(addresses, anchor->index), values->value[anchor->index], pass + 1,
                             wanted);
    }
    return STATUS_OK;
}

enum status code_addresses_check(const struct test_program *test_program,
                                 const struct code_addresses *addresses, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    struct bytes_table table;
    struct code_chase chase = {.table = &table};
    struct register_values values;
    enum status status = bytes_table_find(test_program, &table, error);
    if (status != STATUS_OK || (manifest->access_count == 0 && addresses->count == 0))
        return status;
    size_t passes = addresses->count == 0 ? 0 : manifest->access_count / addresses->count;
    /* The code can have a longer period than the accesses. */
    if (passes == 0 || manifest->access_count % addresses->count != 0 ||
        fmod(manifest->period, (double)passes) != 0)
        return error_set(error, STATUS_FAILED,
                         "the loop has %zu accesses; the manifest states %zu in the %.0f passes of a period",
                         addresses->count, manifest->access_count, manifest->period);
    status = check_bases(addresses, error);
    start_chase(addresses, manifest->accesses, manifest->access_count, &chase);
    for (size_t at = 0, pass = 0; status == STATUS_OK && at < manifest->access_count;
         at += addresses->count, pass++) {
        status = check_pass(addresses, manifest->accesses + at, pass, &chase, &values, error);
        if (status == STATUS_OK)
            status = check_anchors(addresses, &values, pass, error);
    }
    return status;
}
