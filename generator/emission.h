/* The state of an emission and its tools, for the files that emit.h's program is put together in. */
#ifndef GENERATOR_EMISSION_H
#define GENERATOR_EMISSION_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan.h"
#include "isa/template.h"

#include <stdbool.h>

enum { MOST_BINDINGS = 48, VALUE_BYTES = 32, MOST_CLAIMS = 16 };

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
    const char *pointer, *value; /* of chases, of other loads */
    bool lacks;                  /* some role found no register */
    unsigned next_independent;   /* registers used in turn */
    unsigned next_dependent;
    unsigned *chains; /* [behaviours]: the register that each one's chain is in */
    bool splits;      /* the accumulators are shared between dependent and independent operations */
    struct error *error;
};

/* Lets {name} stand for the text. */
__attribute__((format(printf, 3, 4))) void emission_bind(struct emission *emission, const char *name,
                                                         const char *format, ...);

/* Lets {name} stand for the register. */
void emission_bind_name(struct emission *emission, const char *name, const char *register_name);

/* The index-th register of the role's pool, round and round. */
void emission_bind_register(struct emission *emission, const char *name, const char *role, unsigned index);

/* Appends the text with its braces filled in. STATUS_FAILED when text is NULL or a name is not bound. */
enum status emission_expand(struct emission *emission, const char *text, struct buffer *output);
enum status emission_expand_section(struct emission *emission, const char *name, struct buffer *output);

/* Gives every role that this plan needs its registers, and binds those that stay. STATUS_RECIPE when there
 * are not enough. */
enum status emission_claim(struct emission *emission);

/* Copies of code: binds what their sections name, and appends what stands before the loop and at a pass's
 * end.
 */
enum status emission_frame_copies(struct emission *emission, struct buffer *start, struct buffer *advance);

/* Binds what the row of an access needs. */
void emission_bind_access(struct emission *emission, const struct slot *slot);

/* What stands before an access whose place changes from pass to pass: the place is found. */
enum status emission_find_place(struct emission *emission, const struct slot *slot, struct buffer *output);

/* Says after "L2: " and the like which line it is. */
void emission_comment_access(const struct plan *plan, const struct slot *slot, struct buffer *line);

/* Bases and the place in the period: what stands before the loop, at a pass's end and after the loop. */
enum status emission_frame_bases(struct emission *emission, struct buffer *start, struct buffer *advance,
                                 struct buffer *finish);

#endif
