#include "runner/sources/bytes/bytes_data.h"

#include "base/memory.h"
#include "generator/plan/data/word_tally.h"
#include "isa/isa.h"
#include "isa/loop.h"
#include "isa/object.h"
#include "runner/sources/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* struct trauma_layout: bytes, align, relative, huge, warmup, period, runs; then struct trauma_run
 * (trauma.h). */
enum { LAYOUT_WORDS = 7, LAYOUT_RELATIVE = 2, LAYOUT_RUNS = 6 };

struct value_run {
    uint64_t offset, step, count, value;
};

enum status bytes_table_find(const struct test_program *test_program, struct bytes_table *table,
                             struct error *error)
{
    struct object_part constants;
    uint64_t at;
    uint64_t layout[LAYOUT_WORDS];
    enum status status =
        object_section(test_program->object, test_program->object_size, ".rodata", &constants, error);
    if (status == STATUS_OK)
        status = object_symbol(test_program->object, test_program->object_size, "trauma_layout", &at, error);
    if (status != STATUS_OK)
        return status;
    if (at > constants.size || constants.size - at < sizeof layout)
        return error_set(error, STATUS_FAILED, "the object's trauma_layout is incomplete");
    memcpy(layout, constants.bytes + at, sizeof layout);
    if (layout[LAYOUT_RUNS] > (constants.size - at - sizeof layout) / sizeof(struct value_run))
        return error_set(error, STATUS_FAILED, "the object's trauma_runs are incomplete");
    *table = (struct bytes_table){constants.bytes + at + sizeof layout, layout[LAYOUT_RUNS],
                                  layout[LAYOUT_RELATIVE] != 0};
    return STATUS_OK;
}

/* The last run that contains the offset determines the word. */
uint64_t bytes_word_at(const struct bytes_table *table, uint64_t offset)
{
    for (size_t i = table->runs; i-- > 0;) {
        struct value_run run;
        memcpy(&run, table->bytes + i * sizeof run, sizeof run);
        if (offset < run.offset || run.count == 0)
            continue;
        uint64_t past = offset - run.offset;
        bool in_run = run.step == 0 ? past == 0 : past % run.step == 0 && past / run.step < run.count;
        if (in_run)
            return run.value;
    }
    return 0;
}

/* Bytes of the bus that an access of the kind uses; stores do not use the loads' bus. */
static unsigned kind_bytes(char kind)
{
    return kind == 'z' ? 64 : kind == 'y' ? 32 : kind == 'x' ? 16 : 8;
}

/* The bus is as wide as the widest load and its data. */
static unsigned load_bits(const struct manifest *manifest)
{
    unsigned widest = 0;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        unsigned width = (unsigned)manifest_width(&manifest->unit[i]);
        if (strcmp(manifest->unit[i].op, "load") == 0 && width > widest)
            widest = width;
    }
    for (const char *kind = manifest->access_kinds; *kind != '\0'; kind++)
        if (*kind != 's' && *kind != 'l' && *kind != 'j' && kind_bytes(*kind) > widest)
            widest = kind_bytes(*kind);
    return widest == 0 ? 64 : 8 * widest;
}

/* Loads without data from the recipe count only if no operation has such data either. */
static bool loads_count(const struct manifest *manifest)
{
    bool counts = manifest->operand_count == 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        counts = counts || (strcmp(manifest->unit[i].op, "load") == 0 && manifest->unit[i].data.given);
    return counts;
}

/* Reads the words on the bus; the part that an access does not fill is zero. */
static void bus_read(const struct bytes_table *table, uint64_t offset, unsigned bytes, unsigned bits,
                     uint64_t *bus)
{
    for (unsigned i = 0; i < bytes / 8; i++)
        bus[i] = bytes_word_at(table, offset + i * UINT64_C(8));
    if (bits < 64)
        bus[0] &= (UINT64_C(1) << bits) - 1;
}

static void count_loads(const struct test_program *test_program, const struct bytes_table *table,
                        struct word_tally *tally)
{
    const struct manifest *manifest = test_program->manifest;
    const char *kinds = manifest->access_kinds;
    size_t kind_count = strlen(kinds), count = 0;
    unsigned bits = load_bits(manifest), room = (bits + 63) / 64;
    uint64_t *words = memory_zeroed(manifest->access_count * room, sizeof *words);
    uint64_t *addresses = memory_zeroed(manifest->access_count, sizeof *addresses);
    for (size_t i = 0; i < manifest->access_count; i++) {
        char kind = kind_count > 0 ? kinds[i % kind_count] : 'l';
        if (kind == 's' || kind == 'j')
            continue;
        addresses[count] = manifest->accesses[i] / kind_bytes(kind) * kind_bytes(kind);
        bus_read(table, addresses[count], kind_bytes(kind), bits, words + count * room);
        count++;
    }
    word_tally_add(tally, words, bits, count, addresses, false, 1);
    free(words);
    free(addresses);
}

/* ---- the operands of operations ---- */

/* The words that the instances of one operation read, in the order of the loop. */
struct data_stream {
    const char *op;
    const struct manifest_words *registers;
    unsigned bits;   /* per word, at most 64 */
    unsigned lanes;  /* how often the word is repeated in an access */
    unsigned width;  /* bytes, if streams of several widths share registers; else 0 */
    uint64_t *words; /* [count], owned */
    size_t count;
    bool lost; /* a register with unknown content */
};

struct follower {
    struct register_words words;
    const struct template *templates;
    struct data_stream *stream;
};

static void follow_start(uint64_t offset, size_t length, const char *text, void *context)
{
    struct follower *follower = context;
    (void)offset, (void)length;
    follower->words.isa->follow(text, &follower->words);
}

static bool is_operand(const struct data_stream *stream, const struct isa *isa, int index)
{
    for (size_t i = 0; index >= 0 && i < stream->registers->count; i++) {
        const char *name = stream->registers->items[i];
        if (name != NULL && strcmp(name, isa->registers[index].whole) == 0)
            return true;
    }
    return false;
}

/* True if the instruction, which names the register as that operand, has the stream's width. */
static bool has_width(const struct follower *follower, const char *text, const struct operands *operands,
                      int operand)
{
    const struct data_stream *stream = follower->stream;
    const struct template *templates = follower->templates;
    unsigned named = operands->bits[operand], bits = 8 * stream->width;
    bool views = false, has = false; /* views: that part of the register has a name */
    char mnemonic[32];
    if (stream->width == 0)
        return true;
    const struct register_view *view = templates->isa->registers[operands->registers[operand]].views;
    for (; view != NULL && view->bits != 0; view++)
        views = views || view->bits == bits;
    if ((named != bits && (views || named != 0)) ||
        !loop_mnemonic(templates->isa, text, mnemonic, sizeof mnemonic))
        return false;
    size_t length = strlen(stream->op);
    for (size_t i = 0; !has && i < templates->form_count; i++) {
        const char *name = templates->forms[i].name; /* "store.independent.4", "store.independent.16@avx" */
        size_t digits = strcspn(name, "@");
        while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
            digits--;
        has = strncmp(name, stream->op, length) == 0 && name[length] == '.' &&
              strtoul(name + digits, NULL, 10) == stream->width &&
              strcmp(templates->forms[i].mnemonic, mnemonic) == 0;
    }
    return has;
}

/* An instruction of the operation reads one word, even if it names its operand twice. */
static void follow_loop(uint64_t offset, size_t length, const char *text, void *context)
{
    struct follower *follower = context;
    struct data_stream *stream = follower->stream;
    (void)offset, (void)length;
    if (!template_counts(follower->templates, text, stream->op))
        return;
    struct operands operands = operands_read(follower->words.isa, text);
    for (int i = 0; i < operands.count; i++) {
        int index = operands.registers[i];
        if (!is_operand(stream, follower->words.isa, index) || !has_width(follower, text, &operands, i))
            continue;
        uint64_t mask = stream->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << stream->bits) - 1;
        stream->lost = stream->lost || follower->words.lanes[index] < stream->lanes;
        stream->words = memory_next(stream->words, stream->count, sizeof *stream->words);
        stream->words[stream->count++] = follower->words.words[index] & mask;
        return;
    }
}

/* The addresses of the program's stores of a pass, if there are as many as the stream has words; else NULL.
 * Free with free. */
static uint64_t *store_addresses(const struct manifest *manifest, const struct data_stream *stream)
{
    const char *kinds = manifest->access_kinds;
    size_t kind_count = strlen(kinds), stores = 0;
    uint64_t *addresses = memory_zeroed(stream->count, sizeof *addresses);
    for (size_t i = 0; kind_count > 0 && i < manifest->access_count; i++) {
        if (kinds[i % kind_count] == 's' && stores < stream->count)
            addresses[stores] = manifest->accesses[i];
        stores += kinds[i % kind_count] == 's';
    }
    if (strcmp(stream->op, "store") == 0 && stores == stream->count * (size_t)manifest->period)
        return addresses;
    free(addresses);
    return NULL;
}

/* True if operands of another width share a register with these, as one word may end in another. */
static bool shares_registers(const struct manifest *manifest, const struct manifest_operand *entry)
{
    for (size_t i = 0; i < manifest->operand_count; i++) {
        const struct manifest_operand *other = &manifest->operands[i];
        for (size_t k = 0; k < other->registers.count && other->bits != entry->bits; k++)
            for (size_t j = 0; j < entry->registers.count; j++)
                if (strcmp(other->op, entry->op) == 0 && other->registers.items[k] != NULL &&
                    entry->registers.items[j] != NULL &&
                    strcmp(other->registers.items[k], entry->registers.items[j]) == 0)
                    return true;
    }
    return false;
}

static enum status count_stream(const struct test_program *test_program, const struct template *templates,
                                const struct manifest_operand *entry, struct word_tally *tally,
                                struct error *error)
{
    unsigned bits = (unsigned)entry->bits;
    struct data_stream stream = {.op = entry->op,
                                 .registers = &entry->registers,
                                 .bits = bits < 64 ? bits : 64,
                                 .lanes = bits < 64 ? 1 : bits / 64,
                                 .width = shares_registers(test_program->manifest, entry) ? bits / 8 : 0};
    struct follower follower = {.words = {.isa = templates->isa}, .templates = templates, .stream = &stream};
    enum status status = loop_walk(templates->isa, test_program->object, test_program->object_size,
                                   follow_start, follow_loop, &follower, error);
    if (status == STATUS_OK && (stream.lost || stream.count == 0))
        status = error_set(error, STATUS_FAILED, "the operands of %s cannot be followed through the code",
                           stream.op);
    if (status == STATUS_OK) {
        /* The loads' accesses cover a whole period; the code is that of one of its passes. */
        uint64_t *addresses = store_addresses(test_program->manifest, &stream);
        word_tally_add(tally, stream.words, stream.bits, stream.count, addresses, true,
                       test_program->manifest->period * (double)stream.lanes);
        free(addresses);
    }
    free(stream.words);
    return status;
}

/* Adds the words that operations read from their operand registers, as set by the code before the loop.
 * STATUS_FAILED when that code or the loop cannot be followed. */
static enum status count_operands(const struct test_program *test_program, const struct template *templates,
                                  struct word_tally *tally, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    enum status status = STATUS_OK;
    if (manifest->operand_count > 0 &&
        (templates->isa->register_count > REGISTER_WORDS || templates->isa->follow == NULL))
        return error_set(error, STATUS_FAILED, "the registers of %s cannot be followed",
                         templates->isa->name);
    for (size_t i = 0; status == STATUS_OK && i < manifest->operand_count; i++)
        status = count_stream(test_program, templates, &manifest->operands[i], tally, error);
    return status;
}

/* ---- both ---- */

enum status bytes_observe_data(const struct test_program *test_program, const struct template *templates,
                               struct observations *list, struct error *error)
{
    struct word_tally tally = {0};
    struct bytes_table table;
    enum status status = bytes_table_find(test_program, &table, error);
    if (status != STATUS_OK)
        return status;
    if (!table.relative && loads_count(test_program->manifest))
        count_loads(test_program, &table, &tally);
    status = count_operands(test_program, templates, &tally, error);
    if (status != STATUS_OK || tally.words == 0)
        return status;
    double in_order = word_tally_rate(&tally, DEALT_IN_PROGRAM_ORDER);
    const struct rates *targets = &test_program->manifest->targets;
    double wanted =
        rates_get(targets, "data.toggle_rate.dealt", rates_get(targets, "data.toggle_rate", in_order));
    source_add(&counter_bytes, list, "data.ones_rate", tally.ones / tally.bits, tally.words);
    source_add(&counter_bytes, list, "data.toggle_rate", in_order, tally.words);
    source_add(&counter_bytes, list, "data.toggle_rate.dealt", word_tally_dealt(&tally, wanted), tally.words);
    return STATUS_OK;
}
