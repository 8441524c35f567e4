#include "generator/plan/data/operand_words.h"

#include "base/memory.h"
#include "generator/kernel/operations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, OPERAND_NAME_BYTES = 96 };

/* Makes a word of random bits, half of them ones, and fills order[] with its bits in `own` below `bits`, ones
 * and zeros in alternation, so that flips in this order keep their numbers equal. Returns the number of bits.
 */
static unsigned balanced_word(struct random *random, uint64_t own, unsigned bits,
                              unsigned char order[WORD_BITS], uint64_t *word)
{
    unsigned count = 0;
    *word = 0;
    for (unsigned i = 0; i < bits; i++)
        if ((own >> i & 1) != 0)
            order[count++] = (unsigned char)i;
    random_shuffle(random, order, count);
    for (unsigned i = 0; i < count; i += 2)
        *word |= UINT64_C(1) << order[i];
    return count;
}

static uint64_t flipped(uint64_t word, const unsigned char *order, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++)
        word ^= UINT64_C(1) << order[i];
    return word;
}

/* Number of instances whose word differs from the one before: in program order all, but an even number, else
 * half. */
static unsigned changes_for(unsigned count, bool program_order, unsigned most, unsigned long long flips)
{
    unsigned changes = program_order ? count / 2 * 2 : (count + 2) / 4 * 2;
    return (unsigned long long)changes * most < flips && changes + 2 <= count ? changes + 2 : changes;
}

/* Fills turns with 0 and 1. */
static void choose_turns(unsigned count, bool program_order, unsigned changes,
                         const struct word_order *addresses, struct random *random, unsigned char *turns)
{
    struct word_sequence request = {.bits = 1,
                                    .count = count,
                                    .toggle = (double)changes / count,
                                    .program_order = program_order,
                                    .orders = addresses,
                                    .order_count = addresses != NULL};
    uint64_t *words = memory_zeroed(count, sizeof *words);
    word_sequence_make(&request, random, words);
    for (unsigned i = 0; i < count; i++)
        turns[i] = (unsigned char)(words[i] != words[0]);
    free(words);
}

unsigned operand_turns_make(unsigned count, bool program_order, unsigned most, unsigned long long flips,
                            const struct word_order *addresses, struct random *random, unsigned char *turns,
                            unsigned *each)
{
    unsigned changes = changes_for(count, program_order, most, flips), runs = changes / 2;
    memset(turns, 0, count);
    *each = 0;
    if (flips == 0 || changes == 0)
        return 1;
    flips = flips > (unsigned long long)changes * most ? (unsigned long long)changes * most : flips;
    *each = (unsigned)(flips / changes);
    unsigned extra = (unsigned)((flips - (unsigned long long)*each * changes) / 2), run = 0;
    choose_turns(count, program_order, changes, addresses, random, turns);
    for (unsigned i = 1; i < count; i++) {
        run += turns[i] != 0 && turns[i - 1] == 0;
        if (turns[i] != 0 && run * (uint64_t)extra / runs > (run - 1) * (uint64_t)extra / runs)
            turns[i] = 2;
    }
    return extra > 0 ? 3 : 2;
}

static void make_toggling(const struct behaviour *item, unsigned instances,
                          const struct word_order *addresses, struct random *random, struct arena *arena,
                          struct operand_words *made)
{
    unsigned bits = 8 * behaviour_lane(item);
    unsigned char order[WORD_BITS], *turns = arena_room(arena, instances, sizeof *turns);
    unsigned each;
    unsigned own = balanced_word(random, behaviour_own_bits(item), bits, order, &made->words[0]);
    unsigned long long flips = 2 * (unsigned long long)llround(item->toggle * bits * instances / 2);
    made->count =
        operand_turns_make(instances, item->program_order, own, flips, addresses, random, turns, &each);
    made->turns = turns;
    for (unsigned i = 1; i < made->count; i++)
        made->words[i] = flipped(made->words[0], order, each + i - 1);
}

bool operand_words_make(const struct behaviour *item, unsigned instances, const struct word_order *addresses,
                        struct random *random, struct arena *arena, struct operand_words *made)
{
    *made = (struct operand_words){.count = 1};
    made->words[0] = item->word;
    if (behaviour_toggles(item))
        make_toggling(item, instances, addresses, random, arena, made);
    if (item->word_count > OPERAND_WORDS)
        return false;
    for (size_t i = 0; i < item->word_count; i++)
        made->words[i] = item->words[i];
    made->count = item->word_count > 0 ? (unsigned)item->word_count : made->count;
    return true;
}

/* Uses the op's own word, or the common one of vectors. */
static void use_default(const struct behaviour *item, const struct template *templates,
                        struct operand_words *words)
{
    const char *const names[] = {item->op, "operand"};
    char name[OPERAND_NAME_BYTES];
    if (!behaviour_can(item, FORM_OPERAND | FORM_ACCUMULATES))
        return;
    for (int i = 0; words->count == 0 && i < (operation_kind(item) == ACCUMULATE_SCALAR ? 1 : 2); i++) {
        snprintf(name, sizeof name, "%.60s%s", names[i], item->width == 4 ? ".4" : "");
        words->count = template_word(templates, name, &words->words[0]);
    }
}

enum status operand_words_choose(const struct kernel *kernel, const struct template *templates,
                                 unsigned units, uint64_t seed, struct arena *arena,
                                 struct operand_words **words, struct error *error)
{
    struct random random = random_start(seed, "operands");
    *words = arena_alloc(arena, kernel->count, sizeof **words);
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!operation_has_operands(item))
            continue;
        if (!item->has_data)
            use_default(item, templates, &(*words)[i]);
        else if (!operand_words_make(item, units * item->count, NULL, &random, arena, &(*words)[i]))
            return error_set(
                error, STATUS_RECIPE,
                "%s.data has %zu words: each needs a register of its own, and there are fewer than %d",
                item->op, item->word_count, OPERAND_WORDS);
    }
    return STATUS_OK;
}

static bool shares_words(const struct behaviour *item, const struct behaviour *before)
{
    if (!operation_has_operands(before) || operation_kind(before) != operation_kind(item))
        return false;
    if (item->kind == BEHAVIOUR_STORE)
        return before->kind == BEHAVIOUR_STORE && before->width >= item->width;
    return operation_is(item) && operation_is(before) && before->width == item->width &&
           strcmp(before->op, item->op) == 0;
}

bool operand_words_same(const struct kernel *kernel, const struct operand_words *words, size_t index,
                        unsigned word, struct operand_word *same)
{
    const struct behaviour *item = &kernel->items[index];
    uint64_t own = item->width < sizeof own ? UINT64_MAX >> (WORD_BITS - 8 * item->width) : UINT64_MAX;
    for (size_t i = 0; i < index; i++)
        for (unsigned w = 0; shares_words(item, &kernel->items[i]) && w < words[i].count; w++)
            if ((words[i].words[w] & own) == words[index].words[word]) {
                *same = (struct operand_word){i, w};
                return true;
            }
    return false;
}
