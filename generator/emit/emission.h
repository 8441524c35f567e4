/* The state of an emission and its tools, for the files that emit.h's program is put together in. */
#ifndef GENERATOR_EMIT_EMISSION_H
#define GENERATOR_EMIT_EMISSION_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

#include <stdbool.h>

enum { MOST_BINDINGS = 48, VALUE_BYTES = 32, MOST_CLAIMS = 24 };

/* Registers of a list, one after the other. */
struct register_range {
    unsigned first, count;
};

/* The registers that the instances of one operation work in. */
struct workplace {
    const char *operands[OPERAND_WORDS]; /* one for each of the plan's words; none: the data's address */
    const char *const *accumulators;
    struct register_range independent; /* of the accumulators: for instances that consume no load */
    struct register_range dependent;   /* and for those that do */
    enum accumulators kind;            /* of operations */
    bool chained;                      /* each works on what the one before it left */
    bool plain;                        /* neither branch, code nor the recipe's own text */
    bool operates;                     /* is an operation */
};

/* What the braces of a template stand for now, and which registers have which role. */
struct emission {
    const struct plan *plan;
    const struct template *templates;
    struct binding bindings[MOST_BINDINGS];
    char values[MOST_BINDINGS][VALUE_BYTES];
    size_t binding_count;
    const char *claimed[MOST_CLAIMS]; /* registers that have a role */
    unsigned claim_count;
    const char *bases[MOST_CLAIMS]; /* [plan->base_count] */
    const char *accumulators[MOST_CLAIMS];
    unsigned accumulator_count;
    const char *stored;                             /* what stores without data of their own write */
    const char *vector_stored;                      /* what wide stores write: zeros */
    const char *data;                               /* the data's address */
    const char *pointer, *value;                    /* of chases, of other loads */
    const char *vector_value;                       /* of loads wider than a general register */
    bool lacks;                                     /* some role found no register */
    struct workplace *workplaces;                   /* [behaviours]: of operations */
    unsigned next_accumulator[ACCUMULATE_KINDS][2]; /* of those that consume no load, and of those that do */
    unsigned *chains;          /* [behaviours]: the accumulator that each one's chain is in */
    struct line_cache *lines;  /* emit_lines.c's own */
    struct known_lines *known; /* what the body's lines are, while the loop is written; NULL: nobody asks */
    struct error *error;
};

/* Appends the comment that a program begins with. */
void emission_header(const struct plan *plan, const char *title, struct buffer *source);

/* Lets {name} stand for the text. */
__attribute__((format(printf, 3, 4))) void emission_bind(struct emission *emission, const char *name,
                                                         const char *format, ...);

void emission_bind_number(struct emission *emission, const char *name, uint64_t number);

/* Lets {name} stand for the register. */
void emission_bind_name(struct emission *emission, const char *name, const char *register_name);

/* The index-th register of the role's pool, round and round. */
void emission_bind_register(struct emission *emission, const char *name, const char *role, unsigned index);

/* Appends the text with its braces filled in. STATUS_FAILED when text is NULL or a name is not bound. */
enum status emission_expand(struct emission *emission, const char *text, struct buffer *output);
enum status emission_expand_section(struct emission *emission, const char *name, struct buffer *output);

/* Starts an emission and gives every role that this plan needs its registers, those of operations too.
 * STATUS_RECIPE when there are not enough. */
enum status emission_open(struct emission *emission, const struct plan *plan,
                          const struct template *templates, struct arena *arena, struct error *error);

/* The first register of the pool that has no role yet, which it has from now on; NULL when all have. */
const char *emission_claim_free(struct emission *emission, const char *role);

/* True when no role has the register. */
bool emission_is_free(const struct emission *emission, const char *name);

/* Gives every role but those of operations its registers, and binds those that stay. STATUS_RECIPE when there
 * are not enough. */
enum status emission_claim(struct emission *emission);

/* True with stores wider than a general register. */
bool emission_stores_wide(const struct kernel *kernel);

/* STATUS_RECIPE: too few are left. */
enum status emission_refuse_registers(struct emission *emission);

/* Gives operations their registers, of those that emission_claim has left. STATUS_RECIPE when these are too
 * few. */
enum status emission_claim_operations(struct emission *emission);

/* Binds what the row of an operation needs. */
void emission_bind_operation(struct emission *emission, const struct slot *slot);

/* Accumulators begin again with the first, as at the loop's start. */
void emission_restart_operations(struct emission *emission);

/* What operations work in: what stands before the loop and after it. */
enum status emission_start_operations(struct emission *emission, struct buffer *output);
enum status emission_finish_operations(struct emission *emission, struct buffer *output);
/* Copies of code: binds what their sections name, and appends what stands before the loop and at a pass's
 * end.
 */
enum status emission_frame_copies(struct emission *emission, struct buffer *start, struct buffer *advance);

/* Appends the lines of the slots from the index on whose rows hold no label and at most one place, quickly:
 * text and shape are found once for each row and choice of registers. Returns the index of the first slot
 * that is none such: nothing of it is appended. */
size_t emission_quick_slots(struct emission *emission, size_t index, struct buffer *source);

/* Appends what the slot is for, as a comment, and the line's end. */
void emission_end_line(const struct plan *plan, const struct slot *slot, size_t line_start,
                       struct buffer *source);

/* Binds what the row of an access needs. */
void emission_bind_access(struct emission *emission, const struct slot *slot);

/* What stands before an access whose place changes from pass to pass: the place is found. */
enum status emission_find_place(struct emission *emission, const struct slot *slot, struct buffer *output);

/* Registers that stand in the row: the base and what is read or written. */
void emission_access_registers(const struct emission *emission, const struct slot *slot,
                               const char *names[2]);

/* The index of the accumulator that the operation works in, which the next one of its kind does not: those of
 * one kind and dependence have one range, and so take turns by one count. */
static inline unsigned emission_take_accumulator(struct emission *emission, const struct slot *slot)
{
    const struct workplace *workplace = &emission->workplaces[slot->item];
    const struct register_range *range = slot->dependent ? &workplace->dependent : &workplace->independent;
    unsigned index = emission->chains[slot->item];
    if ((workplace->chained && !slot->starts) || range->count == 0)
        return index;
    unsigned *next = &emission->next_accumulator[workplace->kind][slot->dependent];
    index = range->first + *next;
    *next = *next + 1 < range->count ? *next + 1 : 0;
    return emission->chains[slot->item] = index;
}

/* Registers of an operation in that accumulator: where the result goes, and the operand. */
void emission_operation_registers(const struct emission *emission, const struct slot *slot, unsigned index,
                                  const char *names[2]);

/* Says which level serves the access and which line it is: at most 200 characters for each place. */
void emission_comment_access(const struct plan *plan, const struct slot *slot, struct cursor *cursor);

/* Bases and the place in the period: what stands before the loop, at a pass's end and after the loop. */
enum status emission_frame_bases(struct emission *emission, struct buffer *start, struct buffer *advance,
                                 struct buffer *finish);

#endif
