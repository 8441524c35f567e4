/* What an ISA's code looks like: the rows and skeletons of templates/<isa>/, read at run time, so that a new
 * op is a row of text. */
#ifndef ISA_TEMPLATE_H
#define ISA_TEMPLATE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stddef.h>

/* One instruction form: a row of ops.txt. */
struct form {
    const char *name;     /* "add.dependent", "load.chase.8" */
    unsigned bytes;       /* longest encoding */
    const char *mnemonic; /* what it counts by, as a disassembler prints it */
    const char *text;     /* operands in braces: "addq {value}, {accumulator}"; instructions apart by "; " */
    unsigned instructions;
};

/* Registers for one role, in the order of use. */
struct pool {
    const char *role;
    const char **registers;
    unsigned count;
};

/* A named piece of kernel.s or start.s. */
struct section {
    const char *name;
    const char *text;
};

struct template
{
    const struct isa *isa;
    struct form *forms;
    size_t form_count;
    struct pool *pools;
    size_t pool_count;
    struct section *sections;
    size_t section_count;
    struct arena arena;
};

/* What a {name} in a text stands for. */
struct binding {
    const char *name;
    const char *value;
};

/* Reads home/templates/<isa>/. STATUS_FAILED with file and line when a row is wrong. Free with template_free
 * also after an error. */
enum status template_load(const char *home, const struct isa *isa, struct template *templates,
                          struct error *error);

/* The row, or NULL. */
const struct form *template_form(const struct template *templates, const char *name);

/* The row "op.variant"; when there is none, the row "op". NULL when there is neither. */
const struct form *template_variant(const struct template *templates, const char *op, const char *variant);

/* True when mix.<op> counts an instruction whose text begins with this mnemonic. */
bool template_counts(const struct template *templates, const char *text, const char *op);

/* Instructions of the form's text whose mnemonic is that of some form of the op: what mix.<op> counts. */
unsigned template_count(const struct template *templates, const struct form *form, const char *op);

/* The pool, or NULL. */
const struct pool *template_pool(const struct template *templates, const char *role);

/* The section's text, or NULL. */
const char *template_section(const struct template *templates, const char *name);

/* Appends text with each {name} replaced; {name:32} is the 32-bit part of the register that name is bound to.
 * STATUS_FAILED when a name is not bound. */
enum status template_expand(const struct template *templates, const char *text,
                            const struct binding *bindings, size_t count, struct buffer *output,
                            struct error *error);

void template_free(struct template *templates);

#endif
