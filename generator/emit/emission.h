/* The state of an emission and its helpers, for the files that implement emit.h. */
#ifndef GENERATOR_EMIT_EMISSION_H
#define GENERATOR_EMIT_EMISSION_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text/cursor.h"
#include "generator/emit/bindings.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

#include <stdbool.h>

enum { MOST_CLAIMS = 40 };

/* Consecutive registers of a list. */
struct register_range {
    unsigned first, count;
};

/* The registers that the instances of one operation use. */
struct workplace {
    const char *operands[OPERAND_WORDS]; /* one per word of the plan; none: the data's address */
    const char *const *accumulators;
    struct register_range independent; /* accumulators for instances that consume no load */
    struct register_range dependent;   /* and for those that consume one */
    unsigned turns[2];                 /* index in emission->turns of its ranges, without and with a load */
    enum accumulators kind;            /* of operations */
    bool chained;                      /* each uses the previous one's result */
    bool plain;                        /* not a branch, code{} or the recipe's own text */
    bool operates;                     /* is an operation */
};

/* The current bindings of a template's names, and the registers of each role. */
struct emission {
    const struct plan *plan;
    const struct template *templates;
    const char *comment; /* starts one in the text */
    struct bindings bindings;
    const char *claimed[MOST_CLAIMS]; /* registers already in a role */
    unsigned claim_count;
    const char *bases[MOST_CLAIMS];   /* [plan->memory.base_count] */
    const char *anchors[MOST_CLAIMS]; /* [plan->memory.anchor_count] */
    const char *accumulators[MOST_CLAIMS];
    unsigned accumulator_count;
    const char *stored;                 /* the register that stores without data write */
    const char *vector_stored;          /* the register of zeros that wide stores write */
    const char *other_goal, *back_goal; /* targets of indirect branches */
    const char *data;                   /* the data's address */
    const char *shared[MOST_CLAIMS];    /* [plan->shared.base_count] */
    const char *mine, *next;            /* the copy's number and the next copy's, where turns are taken */
    const char *pointer, *value;        /* registers of chases and of other loads */
    const char *vector_value;           /* for loads wider than a general register */
    bool lacks;                         /* some role got no register */
    size_t chunk;                       /* with code{}: the chunk being written */
    unsigned chunk_branches;            /* its branches written so far */
    struct workplace *workplaces;       /* [behaviours]: of operations */
    unsigned *turns;                    /* [turn_count]: the next accumulator of each range */
    size_t turn_count;
    unsigned *chains;               /* [behaviours]: accumulator of each one's chain */
    struct known_line_cache *lines; /* private to emit.c */
    struct known_lines *known; /* receives the body's lines while the loop is written; NULL: not needed */
    struct error *error;
};

/* Appends the program's opening comment. */
void emission_header(const struct emission *emission, const char *title, struct buffer *source);

/* Starts an emission and assigns registers to every role that the plan needs, including operations.
 * STATUS_RECIPE if there are not enough. */
enum status emission_open(struct emission *emission, const struct plan *plan,
                          const struct template *templates, struct arena *arena, struct error *error);

/* Claims the pool's first register without a role; NULL if all have one. */
const char *emission_claim_free(struct emission *emission, const char *role);

/* The same for a role that the plan needs; sets emission->lacks if there is none. */
const char *emission_claim_needed(struct emission *emission, const char *role);

/* True if no role has the register. */
bool emission_is_free(const struct emission *emission, const char *name);

/* Assigns registers to every role except operations, and binds the fixed ones. STATUS_RECIPE if there are not
 * enough. */
enum status emission_claim(struct emission *emission);

/* True if some store is wider than a general register. */
bool emission_stores_wide(const struct kernel *kernel);

/* Returns STATUS_RECIPE: too few registers are left. */
enum status emission_refuse_registers(struct emission *emission);

/* Assigns operations the registers that emission_claim left. STATUS_RECIPE if there are too few. */
enum status emission_claim_operations(struct emission *emission);

/* The most ranges of accumulators that the plan's operations use. */
size_t emission_turns(const struct plan *plan);

/* Binds the names in an operation's row. */
void emission_bind_operation(struct emission *emission, const struct slot *slot);

/* Restarts with the first accumulator, as at the loop's start. */
void emission_restart_operations(struct emission *emission);

/* Append the code before and after the loop that operations need. */
enum status emission_start_operations(struct emission *emission, struct buffer *output);
enum status emission_finish_operations(struct emission *emission, struct buffer *output);

/* Appends the code that must precede vector instructions of the kernel's greatest width. */
enum status emission_start_vectors(struct emission *emission, struct buffer *output);

/* For indirect branches beside code{}: sets the register with the distance to a twin apart, which is the same
 * for all pieces, if rows add it. */
enum status emission_frame_apart(struct emission *emission, struct buffer *start);

/* For copies of code: binds the names in their sections, and appends the code before the loop and at the end
 * of a pass. */
enum status emission_frame_copies(struct emission *emission, struct buffer *start, struct buffer *advance);

/* Appends the lines of the slots from the index on whose rows have no label and at most one place. This is
 * fast: text and shape are computed once per row and choice of registers. Stops at the first other slot and
 * returns its index. */
size_t emission_quick_slots(struct emission *emission, size_t index, struct buffer *source);

/* Appends a comment with the slot's purpose, and the line end. */
void emission_end_line(const struct emission *emission, const struct slot *slot, size_t line_start,
                       struct buffer *source);

/* Binds the names in an access's row. */
void emission_bind_access(struct emission *emission, const struct slot *slot);

/* Binds base and disp to the place. */
void emission_bind_place(struct emission *emission, const struct place *place);

/* Appends the code before an access that computes its place, which changes from pass to pass. */
enum status emission_find_place(struct emission *emission, const struct slot *slot, struct buffer *output);

/* For accesses to shared regions: assigns their registers, binds the names in a row, and appends the code
 * before the loop, at the end of a pass, after the loop and after the kernel's return. */
void emission_claim_shared(struct emission *emission);
void emission_bind_shared(struct emission *emission, const struct slot *slot);
enum status emission_frame_shared(struct emission *emission, struct buffer *start, struct buffer *advance,
                                  struct buffer *finish, struct buffer *area);

/* Writes the region and the place of the access. */
void emission_comment_shared(const struct plan *plan, const struct slot *slot, struct cursor *cursor);

/* The registers in the row: the base, and the one read or written. */
void emission_access_registers(const struct emission *emission, const struct slot *slot,
                               const char *names[2]);

/* The index of the operation's accumulator. Operations of one kind and dependence share a range and take its
 * accumulators in turn; chains have ranges of their own, so that nothing else comes between their operations.
 */
static inline unsigned emission_take_accumulator(struct emission *emission, const struct slot *slot)
{
    const struct workplace *workplace = &emission->workplaces[slot->item];
    const struct register_range *range = slot->dependent ? &workplace->dependent : &workplace->independent;
    unsigned index = emission->chains[slot->item];
    if ((workplace->chained && !slot->starts) || range->count == 0)
        return index;
    unsigned *next = &emission->turns[workplace->turns[slot->dependent]];
    index = range->first + *next;
    *next = *next + 1 < range->count ? *next + 1 : 0;
    return emission->chains[slot->item] = index;
}

/* Registers of an operation that uses that accumulator: the result's and the operand. */
void emission_operation_registers(const struct emission *emission, const struct slot *slot, unsigned index,
                                  const char *names[2]);

/* Writes the level that serves the access and the line that it reads: at most 200 characters per place. */
void emission_comment_access(const struct plan *plan, const struct slot *slot, struct cursor *cursor);

/* Appends the code for bases and the position in the period: before the loop, at the end of a pass and after
 * the loop. */
enum status emission_frame_bases(struct emission *emission, struct buffer *start, struct buffer *advance,
                                 struct buffer *finish);

#endif
