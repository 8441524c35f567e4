#include "runner/counters/bytes_data.h"

#include "base/json.h"
#include "isa/object.h"
#include "runner/counters/source.h"

#include <string.h>

/* struct trauma_layout: bytes, align, relative, huge, warmup, period, runs; then struct trauma_run
 * (trauma.h). */
enum { LAYOUT_WORDS = 7, LAYOUT_RELATIVE = 2, LAYOUT_RUNS = 6 };

struct run {
    uint64_t offset, step, count, value;
};

/* The word at the offset: the last run's that has it, 0 where none has. */
static uint64_t word_at(const unsigned char *table, size_t runs, uint64_t offset)
{
    for (size_t i = runs; i-- > 0;) {
        struct run run;
        memcpy(&run, table + i * sizeof run, sizeof run);
        if (offset < run.offset || run.count == 0)
            continue;
        uint64_t past = offset - run.offset;
        bool in_run = run.step == 0 ? past == 0 : past % run.step == 0 && past / run.step < run.count;
        if (in_run)
            return run.value;
    }
    return 0;
}

/* Bits of the words that are read, and those that change from one to the next, round the period's end too. */
struct bits {
    uint64_t words, ones, toggles;
    uint64_t first, before;
};

static void add_word(struct bits *bits, uint64_t word)
{
    bits->ones += (unsigned)__builtin_popcountll(word);
    if (bits->words++ == 0)
        bits->first = word;
    else
        bits->toggles += (unsigned)__builtin_popcountll(word ^ bits->before);
    bits->before = word;
}

/* The bus is as wide as the widest load. */
static unsigned load_bits(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    unsigned widest = 0;
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        unsigned width = (unsigned)json_number_or(item, "width", 8);
        if (strcmp(json_string_or(item, "op", ""), "load") == 0 && width > widest)
            widest = width;
    }
    return widest == 0 ? 64 : 8 * widest;
}

static void count_bits(const struct subject *subject, const unsigned char *table, size_t runs,
                       struct observations *list)
{
    const json_t *accesses = json_object_get(subject->manifest, "accesses");
    const char *kinds = json_string_or(subject->manifest, "access_kinds", "");
    size_t kind_count = strlen(kinds);
    unsigned width = load_bits(subject->manifest);
    uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    struct bits bits = {0};
    for (size_t i = 0; i < json_array_size(accesses); i++) {
        if (kind_count > 0 && kinds[i % kind_count] != 'l')
            continue;
        uint64_t offset = (uint64_t)json_integer_value(json_array_get(accesses, i));
        add_word(&bits, word_at(table, runs, offset / 8 * 8) & mask);
    }
    if (bits.words == 0)
        return;
    bits.toggles += (unsigned)__builtin_popcountll(bits.first ^ bits.before);
    double all = (double)width * (double)bits.words;
    double ones = (double)bits.ones / all;
    double toggles = (double)bits.toggles / all;
    observations_add(list, "data.ones_rate", counter_bytes.name, counter_bytes.kind, ones, ones, ones,
                     (double)bits.words);
    observations_add(list, "data.toggle_rate", counter_bytes.name, counter_bytes.kind, toggles, toggles,
                     toggles, (double)bits.words);
}

enum status bytes_observe_data(const struct subject *subject, struct observations *list, struct error *error)
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
    if (layout[LAYOUT_RUNS] > (constants.size - at - sizeof layout) / sizeof(struct run))
        return error_set(error, STATUS_FAILED, "the object's trauma_runs are cut short");
    if (layout[LAYOUT_RELATIVE] == 0)
        count_bits(subject, constants.bytes + at + sizeof layout, layout[LAYOUT_RUNS], list);
    return STATUS_OK;
}
