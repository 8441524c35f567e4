#include "generator/plan/data/data_words.h"

void data_words_fill(const struct behaviour *load, const struct word_order *addresses, struct random *random,
                     uint64_t *values, size_t count)
{
    uint64_t own = behaviour_own_bits(load);
    struct word_sequence request = {.bits = 8 * behaviour_lane(load),
                                    .count = count,
                                    .toggle = load->toggle,
                                    .own = &own,
                                    .program_order = load->program_order,
                                    .orders = addresses,
                                    .order_count = addresses != NULL};
    if (load->word_count == 0)
        word_sequence_make(&request, random, values);
    for (size_t i = 0; load->word_count > 0 && i < count; i++)
        values[i] = load->words[i % load->word_count];
}
