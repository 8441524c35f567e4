/* Source "bytes": what the emitted object holds, by disassembly: the instruction mix and the units' share of
 * the loop. It trusts neither the plan nor the source text. */
#include "base/json.h"
#include "generator/program.h"
#include "isa/loop.h"
#include "isa/object.h"
#include "runner/counters/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status usable(struct error *why_not)
{
    (void)why_not;
    return STATUS_OK;
}

static unsigned count_op(const struct template *templates, const struct loop_count *loop, const char *op)
{
    unsigned count = 0;
    for (size_t i = 0; i < loop->mnemonic_count; i++)
        if (template_counts(templates, loop->mnemonics[i].name, op))
            count += loop->mnemonics[i].count;
    return count;
}

static void add(struct observations *list, const char *metric, double value, unsigned n)
{
    observations_add(list, metric, counter_bytes.name, counter_bytes.kind, value, value, value, n);
}

static void observe_mix(const struct template *templates, const struct loop_count *loop,
                        struct observations *list)
{
    for (size_t i = 0; i < templates->form_count; i++) {
        char op[METRIC_BYTES];
        char metric[METRIC_BYTES + 4];
        const char *name = templates->forms[i].name;
        snprintf(op, sizeof op, "%.*s", (int)strcspn(name, "."), name);
        snprintf(metric, sizeof metric, "mix.%s", op);
        unsigned count = count_op(templates, loop, op);
        if (count > 0 && observations_find(list, metric, counter_bytes.name) == NULL)
            add(list, metric, (double)count / loop->instructions, loop->instructions);
    }
}

enum { LAYOUT_WORDS = 7 }; /* struct trauma_layout: bytes, align, fill, word, warmup, period, words */

static int by_offset(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Ones, and bits that change from one access of a period to the next, by the words that the object carries.
 * table: pairs of offset and value, sorted by offset. */
static void count_bits(const json_t *accesses, unsigned bits, uint64_t fill, const uint64_t *table,
                       size_t words, struct observations *list)
{
    size_t count = json_array_size(accesses);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t ones = 0;
    uint64_t toggles = 0;
    uint64_t first = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = (uint64_t)json_integer_value(json_array_get(accesses, i));
        const uint64_t *found = bsearch(&offset, table, words, 2 * sizeof *table, by_offset);
        uint64_t word = (found == NULL ? fill : found[1]) & mask;
        ones += (unsigned)__builtin_popcountll(word);
        toggles += i == 0 ? 0 : (unsigned)__builtin_popcountll(word ^ before);
        first = i == 0 ? word : first;
        before = word;
    }
    toggles += (unsigned)__builtin_popcountll(first ^ before);
    double all = (double)bits * (double)count;
    add(list, "data.ones_rate", (double)ones / all, (unsigned)count);
    add(list, "data.toggle_rate", (double)toggles / all, (unsigned)count);
}

/* The bus is as wide as the loads. */
static unsigned load_bits(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    for (size_t i = 0; i < json_array_size(unit); i++)
        if (json_object_get(json_array_get(unit, i), "served") != NULL)
            return 8 * (unsigned)json_number_or(json_array_get(unit, i), "width", 8);
    return 64;
}

/* Addresses have no bits to count before they are loaded: a chase's data is left out. */
static enum status observe_data(const struct subject *subject, struct observations *list, struct error *error)
{
    struct object_part constants;
    uint64_t at;
    uint64_t layout[LAYOUT_WORDS];
    enum status status = object_section(subject->object, subject->object_size, ".rodata", &constants, error);
    if (status == STATUS_OK)
        status = object_symbol(subject->object, subject->object_size, "trauma_layout", &at, error);
    if (status != STATUS_OK)
        return status;
    if (at > constants.size || constants.size - at < sizeof layout)
        return error_set(error, STATUS_FAILED, "the object's trauma_layout is cut short");
    memcpy(layout, constants.bytes + at, sizeof layout);
    size_t words = layout[LAYOUT_WORDS - 1];
    if (words > (constants.size - at - sizeof layout) / (2 * sizeof(uint64_t)))
        return error_set(error, STATUS_FAILED, "the object's trauma_words are cut short");
    const json_t *accesses = json_object_get(subject->manifest, "accesses");
    if (json_array_size(accesses) == 0 || layout[2] != 0)
        return STATUS_OK;
    uint64_t *table = malloc((2 * words + 1) * sizeof *table);
    if (table == NULL)
        abort();
    memcpy(table, constants.bytes + at + sizeof layout, 2 * words * sizeof *table);
    qsort(table, words, 2 * sizeof *table, by_offset);
    count_bits(accesses, load_bits(subject->manifest), layout[3], table, words, list);
    free(table);
    return STATUS_OK;
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    struct workshop workshop;
    struct loop_count loop = {0};
    enum status status = workshop_open(subject->machine->isa, &workshop, error);
    if (status == STATUS_OK)
        status = loop_inspect(workshop.templates.isa, subject->object, subject->object_size, &loop, error);
    if (status == STATUS_OK && loop.instructions > 0) {
        observe_mix(&workshop.templates, &loop, list);
        add(list, "body.share", (double)loop.body / loop.instructions, loop.instructions);
    }
    if (status == STATUS_OK)
        status = observe_data(subject, list, error);
    workshop_close(&workshop);
    return source_cannot_see(status, error); /* nothing was run: an object that cannot be read says no more */
}

static const char *const metrics[] = {"mix.*", "body.share", "data.ones_rate", "data.toggle_rate", NULL};

const struct counter_source counter_bytes = {
    .name = "bytes", .kind = "inspected", .usable = usable, .observe = observe, .metrics = metrics};
