#include "generator/plan/gpu/gpu_tiles.h"

#include "generator/kernel/operations.h"
#include "generator/plan/data/operand_words.h"
#include "generator/plan/data/word_settling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BITS = 32, MOST_BITS = GPU_TILE_WORDS * WORD_BITS };

/* The fewest different words in a round, so that an operation's word differs from those of the 4 operations
 * before. */
enum { LEAST_ROUND = 5 };

/* Greatest difference between the stated share and the share that whole bits reach. */
static const double OFF_BY = 1e-3;

/* A difference at which the search for words ends. */
static const double EXACT = 1e-4;

/* Formats of numbers. Floating-point numbers are stored in pairs: the second factor has each number twice,
 * the first has it with both signs. Their products add up to 0, and the accumulator keeps its value. */
static const struct format {
    const char *name;   /* in the row's text */
    unsigned bits;      /* of a number; 0: integers, which wrap */
    unsigned mantissa;  /* bits */
    unsigned low, high; /* biased exponents whose products are normal, and their sums finite */
    uint32_t fixed;     /* bits set in every generated number: an exponent in this range */
    uint32_t free;      /* bits that may have any value */
    double most;        /* their share of a register's bits */
} formats[] = {{".f16.f16", 16, 10, 1, 30, 0x2000, 0x9fff, 0.875},
               {".bf16.bf16", 16, 7, 64, 188, 0x3000, 0x8fff, 0.8125},
               {".e4m3.e4m3", 8, 3, 1, 15, 0x20, 0x9f, 0.75},
               {".s8.s8", 0, 0, 0, 0, 0, UINT32_MAX, 1}};

static const struct format *format_of(const char *row)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strstr(row, formats[i].name) != NULL)
            return &formats[i];
    return NULL;
}

/* Registers of the factor: "{operand_a4}" has 4. */
static unsigned registers_of(const char *row, char factor)
{
    char name[] = "{operand_?";
    name[sizeof name - 2] = factor;
    const char *at = strstr(row, name);
    return at == NULL ? 0 : (unsigned)(at[sizeof name - 1] - '0');
}

/* ---- what is refused ---- */

static enum status check_kernel(const struct kernel *kernel, const struct template *templates,
                                const struct behaviour *item, struct error *error)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *other = &kernel->items[i];
        if (other != item && form_has(template_form(templates, other->op), FORM_TILES))
            return error_set(error, STATUS_RECIPE,
                             "%s.data beside %s{}: the share of bits that change from one operation to the "
                             "other is not stated; expected one matrix operation in the unit, with a count",
                             item->op, other->op);
        if (other->kind == BEHAVIOUR_LOAD && other->has_data)
            return error_set(error, STATUS_RECIPE,
                             "%s.data beside load.data: data.toggle_rate would be of both; expected one of "
                             "the two",
                             item->op);
    }
    return STATUS_OK;
}

static bool is_good(const struct format *format, uint32_t number)
{
    uint32_t magnitude = number & ((UINT32_C(1) << (format->bits - 1)) - 1);
    uint32_t exponent = magnitude >> format->mantissa;
    bool all_ones = magnitude == (UINT32_C(1) << (format->bits - 1)) - 1;
    return magnitude == 0 || (exponent >= format->low && exponent <= format->high && !all_ones);
}

/* Refuses a word of the recipe that is not such pairs of numbers. */
static enum status check_word(const struct behaviour *item, const struct format *format, uint64_t word,
                              struct error *error)
{
    uint32_t mask = format->bits == 16 ? 0xffff : 0xff;
    for (unsigned at = 0; format->bits > 0 && at < WORD_BITS; at += 2 * format->bits) {
        uint32_t low = (uint32_t)(word >> at) & mask, high = (uint32_t)(word >> (at + format->bits)) & mask;
        if (!is_good(format, low) || low != high)
            return error_set(
                error, STATUS_RECIPE,
                "%s.data has the word 0x%08" PRIx32 ": %s; expected pattern.zeros(), pattern.random(), "
                "pattern.toggle(share), or words of equal pairs of such numbers",
                item->op, (uint32_t)word,
                low != high ? "its numbers are not pairs of equal ones, whose products could cancel"
                            : "it is no finite and normal number of the operation, or its products are none");
    }
    return STATUS_OK;
}

/* ---- words ---- */

/* The word in the register: in the first factor every second number has the other sign. */
static uint32_t signed_word(const struct format *format, uint32_t word, bool first)
{
    uint32_t number = format->bits == 16 ? 0x7fff : 0x7f;
    for (unsigned at = 0; first && format->bits > 0 && at < WORD_BITS; at += 2 * format->bits)
        if ((word >> at & number) != 0)
            word ^= UINT32_C(1) << (at + 2 * format->bits - 1);
    return word;
}

/* Finds the places of bits that may be chosen, and the mask of each, as a bit may occur several times in its
 * word. */
static unsigned find_places(const struct behaviour *item, const struct format *format, unsigned registers,
                            unsigned char *places, uint32_t *masks)
{
    uint64_t free_bits = behaviour_own_bits(item);
    unsigned count = 0;
    for (unsigned r = 0; r < registers; r++)
        for (unsigned bit = 0; bit < WORD_BITS; bit++) {
            bool own = format->bits == 0 ||
                       (bit / format->bits % 2 == 0 && (format->free >> bit % format->bits & 1) != 0);
            if (own && (free_bits >> bit & 1) != 0)
                places[count++] = (unsigned char)(r * WORD_BITS + bit);
        }
    *masks = format->bits == 0 ? 1 : 1 | UINT32_C(1) << format->bits;
    return count;
}

static void flip(uint32_t words[GPU_TILE_WORDS], unsigned place, uint32_t mask)
{
    words[place / WORD_BITS] ^= mask << place % WORD_BITS;
}

static enum status refuse_share(const struct behaviour *item, double nearest, const char *why,
                                struct error *error)
{
    return error_set(error, STATUS_RECIPE,
                     "%s.data toggles %g of the bits: %s; the nearest that works is %.6g", item->op,
                     item->toggle, why, nearest);
}

static unsigned most_sets(const struct gpu_tiles *tiles)
{
    return tiles->group ? GPU_GROUP_SETS : GPU_TILE_SETS;
}

/* Bits that change from each operation to the one `apart` after it. */
static double rate_at(const struct gpu_tiles *tiles, unsigned instances, unsigned apart)
{
    uint64_t toggles = 0;
    unsigned registers = tiles->first + tiles->second;
    for (unsigned i = 0; i < instances; i++)
        for (unsigned r = 0; r < registers; r++)
            toggles +=
                (unsigned)__builtin_popcount(tiles->words[gpu_tiles_set(tiles, i)][r] ^
                                             tiles->words[gpu_tiles_set(tiles, (i + apart) % instances)][r]);
    return (double)toggles / ((double)instances * registers * WORD_BITS);
}

static void find_rates(struct gpu_tiles *tiles, unsigned instances)
{
    uint64_t ones = 0;
    unsigned registers = tiles->first + tiles->second;
    for (unsigned i = 0; i < instances; i++)
        for (unsigned r = 0; r < registers; r++)
            ones += (unsigned)__builtin_popcount(tiles->words[gpu_tiles_set(tiles, i)][r]);
    tiles->toggle = tiles->dealt = rate_at(tiles, instances, 1);
    for (unsigned apart = 2; apart < LEAST_ROUND; apart++) {
        double rate = rate_at(tiles, instances, apart);
        if (fabs(rate - tiles->toggle) > fabs(tiles->dealt - tiles->toggle))
            tiles->dealt = rate;
    }
    tiles->ones = (double)ones / ((double)instances * registers * WORD_BITS);
}

/* Words being made for a toggle rate, from bits at places that may have any value; a place occurs twice, in
 * both numbers of a pair, or once. */
struct toggling {
    const struct behaviour *item;
    unsigned char places[MOST_BITS];
    unsigned count;
    uint32_t mask;
    double each, bits; /* bits per place, and in all registers */
};

static void put_place(uint32_t words[GPU_TILE_WORDS], const struct toggling *made, unsigned place)
{
    flip(words, made->places[place], made->mask);
}

/* For program order alone: operations alternate between two sets of words. */
static void alternate(const struct toggling *made, unsigned instances, struct random *random,
                      unsigned char *turns, struct gpu_tiles *tiles)
{
    unsigned long long flips =
        2 * (unsigned long long)llround(made->item->toggle * made->bits * instances / made->each / 2);
    unsigned each;
    tiles->sets = operand_turns_make(instances, true, made->count, flips, NULL, random, turns, &each);
    for (unsigned i = 0; i < made->count; i += 2) /* every second of the places that flip first is a one */
        put_place(tiles->words[0], made, i);
    for (unsigned set = 1; set < tiles->sets; set++) {
        memcpy(tiles->words[set], tiles->words[0], sizeof tiles->words[0]);
        for (unsigned i = 0; i < each + set - 1; i++)
            put_place(tiles->words[set], made, i);
    }
}

/* Rounds of equal length, or the first ones longer by one. */
static void lay_rounds(unsigned instances, unsigned rounds, unsigned char *turns)
{
    for (unsigned i = 0, at = 0; i < rounds; i++)
        for (unsigned k = 0; k < instances / rounds + (i < instances % rounds); k++)
            turns[at++] = (unsigned char)k;
}

/* For any order: so many rounds of at least LEAST_ROUND different sets, so that none recurs within the next
 * four operations, and any two differ in equally many bits. */
static void go_round(const struct toggling *made, unsigned instances, unsigned rounds, struct random *random,
                     unsigned char *turns, struct gpu_tiles *tiles)
{
    unsigned longer = instances % rounds, length = instances / rounds, sets = length + (longer > 0);
    uint64_t words[GPU_TILE_SETS * (MOST_BITS / 64)] = {0}, times[GPU_TILE_SETS * GPU_TILE_SETS] = {0};
    lay_rounds(instances, rounds, turns);
    for (unsigned i = 0; i < instances; i++) {
        unsigned a = turns[i], b = turns[(i + 1) % instances];
        times[a < b ? a * sets + b : b * sets + a]++;
    }
    double share = made->item->toggle * made->bits / made->each / made->count;
    const struct word_sequence request = {
        .bits = made->count, .count = sets, .toggle = share, .program_order = share <= 0.5};
    word_sequence_make(&request, random, words);
    word_settling_make(words, sets, made->count, times, NULL, share * made->count, random);
    size_t room = word_sequence_room(made->count);
    tiles->sets = sets;
    for (unsigned set = sets; set-- > 0;) {
        if (set > 0)
            memcpy(tiles->words[set], tiles->words[0], sizeof tiles->words[0]);
        for (unsigned i = 0; i < made->count; i++)
            if ((words[set * room + i / 64] >> i % 64 & 1) != 0)
                put_place(tiles->words[set], made, i);
    }
}

/* The greatest share of places in which any two of so many sets can differ. */
static double most_apart(unsigned sets)
{
    return (double)(sets / 2) * (sets - sets / 2) * 2 / ((double)sets * (sets - 1));
}

/* Chooses the fewest sets that reach the share exactly, or else the number of sets that comes nearest. */
static void choose_rounds(const struct toggling *made, unsigned instances, struct random *random,
                          unsigned char *turns, struct gpu_tiles *tiles)
{
    struct gpu_tiles start = *tiles, best = *tiles;
    double share = made->item->toggle * made->bits / made->each / made->count, off = INFINITY;
    unsigned chosen = 0;
    for (unsigned rounds = instances / LEAST_ROUND; rounds > 0 && off > EXACT; rounds--) {
        unsigned sets = (instances + rounds - 1) / rounds;
        struct gpu_tiles now = start;
        if (sets > most_sets(tiles) || (chosen > 0 && share > most_apart(sets)))
            break;
        now.turns = turns;
        go_round(made, instances, rounds, random, turns, &now);
        find_rates(&now, instances);
        if (fabs(now.toggle - made->item->toggle) < off) {
            off = fabs(now.toggle - made->item->toggle);
            best = now;
            chosen = rounds;
        }
    }
    *tiles = best;
    lay_rounds(instances, chosen, turns);
}

static enum status check_share(const struct toggling *made, const struct format *format,
                               const struct gpu_tiles *tiles, unsigned instances, struct error *error)
{
    const struct behaviour *item = made->item;
    if (item->toggle > format->most)
        return refuse_share(item, format->most,
                            "its numbers must stay finite and normal, and cannot have more", error);
    if (item->toggle == 0)
        return STATUS_OK;
    if (item->program_order)
        return instances % 2 == 0
                   ? STATUS_OK
                   : error_set(
                         error, STATUS_RECIPE,
                         "%s.data changes in program order from one operation to the next, and a pass has "
                         "%u of them: expected an even number, by count or loop.units",
                         item->op, instances);
    if (instances < LEAST_ROUND)
        return error_set(
            error, STATUS_RECIPE,
            "%s.data changes from one operation to the next, and a pass has %u operations: expected at least "
            "%d, by count or loop.units, so that the second, third and fourth after each have other words",
            item->op, instances, LEAST_ROUND);
    unsigned rounds = instances / LEAST_ROUND;
    if ((instances + rounds - 1) / rounds > most_sets(tiles))
        return error_set(error, STATUS_RECIPE,
                         "%s.data needs %u different words in a pass of %u operations, and shared memory "
                         "holds %u: expected at least %d operations, by count or loop.units",
                         item->op, (instances + rounds - 1) / rounds, instances, most_sets(tiles),
                         2 * LEAST_ROUND);
    double most = most_apart((instances + rounds - 1) / rounds) * made->count * made->each / made->bits;
    if (item->toggle > most + OFF_BY)
        return refuse_share(
            item, most,
            "with numbers that stay finite and normal, words that differ as much from the second, third and "
            "fourth after them cannot have more; { order = \"program\" } reaches it in program order alone",
            error);
    return STATUS_OK;
}

static enum status make_toggling(const struct behaviour *item, const struct format *format,
                                 unsigned instances, struct random *random, struct arena *arena,
                                 struct gpu_tiles *tiles, struct error *error)
{
    struct toggling made = {.item = item, .each = format->bits == 0 ? 1 : 2};
    unsigned registers = tiles->first + tiles->second;
    made.bits = registers * WORD_BITS;
    made.count = find_places(item, format, registers, made.places, &made.mask);
    enum status status = check_share(&made, format, tiles, instances, error);
    if (status != STATUS_OK)
        return status;
    unsigned char *turns = arena_alloc(arena, instances, sizeof *turns);
    random_shuffle(random, made.places, made.count);
    for (unsigned r = 0; r < registers; r++)
        for (unsigned at = 0; at < WORD_BITS && format->bits > 0; at += format->bits)
            tiles->words[0][r] |= format->fixed << at;
    if (item->program_order || item->toggle == 0)
        alternate(&made, instances, random, turns, tiles);
    else
        choose_rounds(&made, instances, random, turns, tiles);
    tiles->turns = turns;
    find_rates(tiles, instances);
    return fabs(tiles->toggle - item->toggle) <= OFF_BY
               ? STATUS_OK
               : refuse_share(item, tiles->toggle, "whole bits of this loop do not give that", error);
}

static enum status make_listed(const struct behaviour *item, const struct format *format, unsigned instances,
                               struct gpu_tiles *tiles, struct error *error)
{
    size_t count = item->word_count > 0 ? item->word_count : 1;
    if (count > most_sets(tiles))
        return error_set(error, STATUS_RECIPE,
                         "%s.data has %zu words: each needs %s of its own, for at most %u", item->op, count,
                         tiles->group ? "shared memory" : "registers", most_sets(tiles));
    if (instances % count != 0)
        return error_set(error, STATUS_RECIPE,
                         "%s.data has %zu words in turn, and a pass has %u operations: expected a multiple, "
                         "by count or loop.units",
                         item->op, count, instances);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        uint64_t word = item->word_count > 0 ? item->words[i] : item->word;
        status = check_word(item, format, word, error);
        for (unsigned r = 0; r < tiles->first + tiles->second; r++)
            tiles->words[i][r] = (uint32_t)word;
    }
    tiles->sets = (unsigned)count;
    return status;
}

const struct behaviour *gpu_tiles_group(const struct kernel *kernel, const struct template *templates)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_OPERATION &&
            form_has(template_form(templates, kernel->items[i].op), FORM_GROUP_TILE))
            return &kernel->items[i];
    return NULL;
}

enum status gpu_tiles_make(const struct kernel *kernel, const struct machine *machine,
                           const struct template *templates, unsigned units, struct random *random,
                           struct arena *arena, struct gpu_tiles *tiles, struct error *error)
{
    const struct behaviour *item = NULL;
    *tiles = (struct gpu_tiles){0};
    tiles->group = gpu_tiles_group(kernel, templates) != NULL;
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_OPERATION && kernel->items[i].has_data)
            item = &kernel->items[i];
    if (item == NULL)
        return STATUS_OK;
    const struct form *form = operation_form(templates, machine, item, false, false);
    if (form == NULL || !form_has(form, FORM_TILES))
        return STATUS_OK; /* emission refuses it */
    const struct format *format = format_of(form->text);
    unsigned instances = units * item->count;
    tiles->first = tiles->group ? 2 : registers_of(form->text, 'a');
    tiles->second = tiles->group ? 4 : registers_of(form->text, 'b');
    if (format == NULL && tiles->group)
        return error_set(
            error, STATUS_RECIPE,
            "%s.data: a word has no pair of its numbers whose products could cancel; expected no "
            "data, or wgmma_f16{}, wgmma_bf16{}, wgmma_fp8{} or wgmma_int8{}",
            item->op);
    if (format == NULL || tiles->first == 0 || tiles->first + tiles->second > GPU_TILE_WORDS)
        return error_set(error, STATUS_RECIPE, "%s.data: its row has no factors that could hold it",
                         item->op);
    enum status status = check_kernel(kernel, templates, item, error);
    if (status == STATUS_OK)
        status = behaviour_toggles(item) ? make_toggling(item, format, instances, random, arena, tiles, error)
                                         : make_listed(item, format, instances, tiles, error);
    if (status != STATUS_OK)
        return status;
    for (unsigned set = 0; set < tiles->sets; set++)
        for (unsigned r = 0; r < tiles->first + tiles->second; r++)
            tiles->words[set][r] = signed_word(format, tiles->words[set][r], r < tiles->first);
    find_rates(tiles, instances);
    return STATUS_OK;
}
