/* What a recipe's kernel function returned for one point: one unit of the loop, a list of behaviours, checked
 * and typed. Its JSON form goes from the recipe host to the generator and stands in the manifest, so that a
 * suite can be judged without its recipe. */
#ifndef GENERATOR_KERNEL_KERNEL_H
#define GENERATOR_KERNEL_KERNEL_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum order { ORDER_SHUFFLED, ORDER_EVEN, ORDER_BURST };
enum address { ADDRESS_INDEPENDENT, ADDRESS_CHASE };
enum prefetch { PREFETCH_DEFEAT, PREFETCH_INVITE };

/* One entry of the unit. op is a row group of templates/<isa>/ops ("load", "add", "nop"). */
struct behaviour {
    const char *op;
    unsigned count; /* instructions of it in one unit */
    unsigned phase; /* whose unit it belongs to: 0 and up, rising */
    bool is_load, is_store;

    /* loads and stores */
    double page_misses;         /* share served by L1 in pages that the data TLB has lost, as a tlb{} says */
    double served[LEVEL_COUNT]; /* shares served by each level; their sum is 1, 0 with a working_set */
    enum order order;
    enum address address;
    bool non_temporal; /* stores: past the caches */
    bool steers;       /* says a stride, a working set or something of the prefetchers */
    enum prefetch prefetch;
    uint64_t stride;      /* bytes from one access to the next; 0: in random order */
    uint64_t working_set; /* bytes that it walks through, its rates then being predicted; 0: rates are said */

    /* loads, stores and other operations */
    unsigned width;     /* bytes of what is read or written, of an operation its operand's; a vector holds the
                           words below in each 8 */
    bool stores_loaded; /* stores: what the last load before them read */
    bool has_data;
    uint64_t word;         /* with has_data: what every word that it reads holds, 32-bit values twice; or: */
    bool changes;          /* what it reads changes from access to access: */
    double toggle;         /* by this share of the bits, or, */
    const uint64_t *words; /* with word_count, through these in turn */
    size_t word_count;

    /* tlb{}: says page_misses of all loads and stores, and is no instruction; its count is 0 */
    bool is_tlb;

    /* throttle{}: idle instructions, whose count throttle_fill finds */
    bool is_throttle;
    double duty; /* share of the peak rate that the unit's other behaviours keep: above 0, at most 1 */

    /* branches */
    bool is_branch;
    double accuracy; /* share that a good predictor gets right: 0.5 to 1 */
    double taken;    /* share taken; below 0: not asked for, and then half of the predictable ones */
    bool indirect;   /* through a register, to one of two places; always taken */

    /* the user's own text */
    bool is_asm;
    const char *text;
    unsigned registers;                /* how many it is given, */
    const char *const *register_names; /* [registers]: and which ones; NULL: any */
    uint64_t memory;                   /* bytes of data of its own; 0: it has no memory operands */
    const char *file;                  /* of the recipe, where asm{} was called; NULL: not known */
    int line;

    /* jumps to another line of code */
    bool is_code;
    double l1i_miss_rate; /* of all lines of code that the loop enters; the same in all of a unit */

    /* other operations */
    unsigned dependents; /* of count, how many consume the last load's value */
    unsigned chain;      /* length of each dependency chain; 0: as parallel as registers allow */
};

struct kernel {
    struct behaviour *items;
    size_t count;
    unsigned phase_count; /* at least 1: a pass makes all units of the first phase, then all of the next */
    unsigned loop_units;  /* the recipe's loop = { units = }; 0: free */
    unsigned loop_instructions; /* the recipe's loop = { instructions = }; 0: free */
    bool loop_fill;             /* loop = { fill = "L1I" }: as long as that holds */
};

/* True for loads and stores. */
static inline bool behaviour_accesses(const struct behaviour *item)
{
    return item->is_load || item->is_store;
}

/* Bytes of one number of the behaviour's data: of a vector, one of its numbers. */
unsigned behaviour_lane(const struct behaviour *item);

/* Share of the accesses that miss L1D. */
double behaviour_miss_rate(const struct behaviour *item);

/* Checks {"unit": [...], "loop": {...}} and fills *kernel from the arena. STATUS_RECIPE with the field, what
 * was found and what was expected. */
enum status kernel_from_json(const json_t *document, struct arena *arena, struct kernel *kernel,
                             struct error *error);

/* True when both have data, of one pattern and width: they read one stream of words. */
bool behaviour_same_data(const struct behaviour *a, const struct behaviour *b);

/* The first load that has data, or NULL. */
const struct behaviour *kernel_data(const struct kernel *kernel);

/* The first code{}, or NULL. */
const struct behaviour *kernel_code(const struct kernel *kernel);

/* The same document again. New reference. */
json_t *kernel_to_json(const struct kernel *kernel);

#endif
