/* The kernel function's result for one point: one unit of the loop, a list of behaviours, checked and typed.
 * Its JSON form passes from the recipe host to the generator and is kept in the manifest, so that a suite can
 * be checked without its recipe. */
#ifndef GENERATOR_KERNEL_KERNEL_H
#define GENERATOR_KERNEL_KERNEL_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

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
    unsigned count; /* its instructions per unit */
    unsigned phase; /* the phase whose unit it belongs to: 0 and up, ascending */
    bool is_load, is_store;

    /* loads and stores */
    double page_misses;         /* share served by L1 in pages that miss the data TLB, from a tlb{} */
    double served[LEVEL_COUNT]; /* shares served by each level; they sum to 1, or to 0 with a working_set */
    enum order order;
    enum address address;
    bool non_temporal; /* stores: bypass the caches */
    bool steers;       /* has a stride, a working set or a prefetch setting */
    enum prefetch prefetch;
    uint64_t stride;      /* bytes from one access to the next; 0: in random order */
    uint64_t working_set; /* bytes that it walks through, with predicted rates; 0: rates are given */

    /* loads, stores and other operations */
    unsigned width; /* bytes read or written, or of an operation's operand; a vector holds the words below in
                       each 8 bytes */
    bool stores_loaded; /* stores: write the value of the last load before them */
    bool has_data;
    uint64_t word; /* with has_data: the value of every word that it reads, 32-bit values twice; or: */
    bool changes;  /* the data changes from access to access: */
    double toggle; /* by this share of the bits, or, */
    const uint64_t *words; /* with word_count, cycling through these */
    size_t word_count;

    /* tlb{}: sets page_misses for all loads and stores; it is not an instruction, and its count is 0 */
    bool is_tlb;

    /* throttle{}: idle instructions; throttle_fill sets their count */
    bool is_throttle;
    double duty;          /* share of peak rate left to the unit's other behaviours: above 0, at most 1 */
    bool beside_division; /* of integers, in the throttle{}'s own unit */

    /* branches */
    bool is_branch;
    double accuracy; /* share that a good predictor predicts correctly: 0.5 to 1 */
    double taken;    /* share taken; below 0: not given, so half of the predictable ones */
    bool indirect;   /* through a register, to one of two places; always taken */

    /* the user's own text */
    bool is_asm;
    const char *text;
    unsigned registers;                /* how many registers it gets */
    const char *const *register_names; /* [registers]: which ones; NULL: any */
    uint64_t memory;                   /* bytes of its own data; 0: it has no memory operands */
    const char *file;                  /* the recipe file that calls asm{}; NULL: unknown */
    int line;

    /* jumps to another code line */
    bool is_code;
    double l1i_miss_rate; /* of all code lines that the loop enters; the same for all in a unit */

    /* other operations */
    const struct form *row; /* the plain row on the machine, once operations_resolve has found it */
    unsigned dependents;    /* how many of count consume the last load's value */
    unsigned chain;         /* length of each dependency chain; 0: as parallel as registers allow */
};

struct kernel {
    struct behaviour *items;
    size_t count;
    unsigned phase_count; /* at least 1: a pass runs all units of the first phase, then all of the next */
    unsigned loop_units;  /* the recipe's loop = { units = }; 0: free */
    unsigned loop_instructions; /* the recipe's loop = { instructions = }; 0: free */
    bool loop_fill;             /* loop = { fill = "L1I" }: as long as fits in L1I */
};

/* True for loads and stores. */
static inline bool behaviour_accesses(const struct behaviour *item)
{
    return item->is_load || item->is_store;
}

/* Bytes of one number in the behaviour's data; in a vector, of one element. */
unsigned behaviour_lane(const struct behaviour *item);

/* Share of the accesses that miss L1D. */
double behaviour_miss_rate(const struct behaviour *item);

/* Checks {"unit": [...], "loop": {...}} and fills *kernel from the arena. STATUS_RECIPE with the field, what
 * was found and what was expected. */
enum status kernel_from_json(const json_t *document, struct arena *arena, struct kernel *kernel,
                             struct error *error);

/* Fills the data of a behaviour whose width is known; data may be NULL for none. */
enum status data_from_json(const json_t *data, struct arena *arena, struct behaviour *item,
                           struct error *error);

/* True if both have data of the same pattern and width, and so read one stream of words. */
bool behaviour_same_data(const struct behaviour *a, const struct behaviour *b);

/* The first load that has data, or NULL. */
const struct behaviour *kernel_data(const struct kernel *kernel);

/* The first code{}, or NULL. */
const struct behaviour *kernel_code(const struct kernel *kernel);

/* The kernel as such a document. New reference. */
json_t *kernel_to_json(const struct kernel *kernel);

#endif
