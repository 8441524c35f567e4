/* The part of a plan that states its words: those of the data before anything runs, and those of operations.
 */
#ifndef GENERATOR_PLAN_DATA_PLAN_WORDS_H
#define GENERATOR_PLAN_DATA_PLAN_WORDS_H

#include "generator/plan/data/operand_words.h"
#include "generator/plan/data/word_tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initial words of the data: value at offset, offset + step, ..., count times. Later entries overwrite
 * earlier ones. */
struct data_run {
    uint64_t offset, step, count;
    uint64_t value;
};

struct plan_data {
    struct data_run *runs; /* [run_count] */
    size_t run_count;
    bool changes;                   /* words change from access to access: */
    uint64_t *links;                /* [slots]: words of a linked chase; NULL: there is none */
    uint64_t first_link;            /* what leads to the first of these in a pass */
    struct word_tally loads;        /* the words that loads read in a period */
    struct operand_words *operands; /* [kernel->count]: of operations: contents of their operands */
};

#endif
